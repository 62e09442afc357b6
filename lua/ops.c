/*
 * ops.c -- every function of the tensor language, from the engine's table: a closure for graphs and one for arrays
 * each. core.functions() lists them for the Lua modules, which put them where their dotted names say.
 */
#include "binding.h"

#include <string.h>

enum { MOST_RESULTS = 256, FEW_ARGS = 4 }; /* of one function: split */

static bool any_symbolic(lua_State *L, LtState *s, const ThArg *a, int n) {
    (void)L;
    (void)s;
    for (int i = 0; i < n; i++)
        if (a[i].kind == TH_ARG_VAR ||
            ((a[i].kind == TH_ARG_LIST || a[i].kind == TH_ARG_SLICE) && any_symbolic(L, s, a[i].list.at, a[i].list.n)))
            return true;
    return false;
}

static const char told; /* registry key of the function that is told */

void lt_tell_built(lua_State *L, LtState *s, int n) {
    if (!s->tells || s->callbacks) return;
    luaL_checkstack(L, n + 2, "results");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &told);
    for (int i = 0; i < n; i++) lua_pushvalue(L, -1 - n);
    lua_call(L, n, 0);
}

static int on_build(lua_State *L) { /* on_build(function or nil): it gets the Variables of every function's results */
    LtState *s = LT_STATE(L);
    lua_settop(L, 1);
    s->tells = lua_isfunction(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &told);
    return 0;
}

static int build(lua_State *L, LtState *s, int func, const ThArg *at, int n) {
    ThVar *out[MOST_RESULTS];
    lt_mark_line(L, s);
    int k = th_build(s->ctx, func, at, n, out, MOST_RESULTS);
    if (k < 0) return lt_raise(L, s);
    luaL_checkstack(L, k + 4, "results");
    for (int i = 0; i < k; i++) lt_push_var(L, s, out[i]);
    lt_drain_log(L, s); /* warn_float64 */
    lt_tell_built(L, s, k);
    return k;
}

static int eager(lua_State *L, LtState *s, int func, const ThArg *at, int n) {
    ThArray *out[MOST_RESULTS];
    lt_collect(L, s);
    int k = th_eager(s->ctx, func, at, n, out, MOST_RESULTS);
    if (k < 0) return lt_raise(L, s);
    luaL_checkstack(L, k + 4, "results");
    for (int i = 0; i < k; i++) lt_push_result(L, s, out[i], false);
    return k;
}

/* Both sides of an operator: no trailing nil may vanish and no table of keywords stands there. */
static void check_operands(lua_State *L, int arity) {
    for (int i = 1; i <= arity; i++) {
        if (lua_isnil(L, i))
            lt_error(L, TH_TypeError, "arithmetic on a nil value: operand %d of the operator is nil", i);
        if (lt_is_keywords(L, i))
            lt_error(L, TH_TypeError, "operand %d of the operator is a table with string keys", i);
    }
}

/* Most calls: some arrays and numbers, read without memory for them. The last of the given is no nil. */
static bool few_args(lua_State *L, LtState *s, ThArg *at, int n) {
    for (int i = 0; i < n; i++) {
        int t = lua_type(L, i + 1);
        at[i].key = NULL;
        if (t == LUA_TUSERDATA) {
            if (!(at[i].array = lt_array(L, s, i + 1))) return false;
            at[i].kind = TH_ARG_ARRAY;
        } else if (t == LUA_TNUMBER && lua_isinteger(L, i + 1)) {
            at[i].kind = TH_ARG_INT;
            at[i].i = lua_tointeger(L, i + 1);
        } else if (t == LUA_TNUMBER) {
            at[i].kind = TH_ARG_FLOAT;
            at[i].f = lua_tonumber(L, i + 1);
        } else return false;
    }
    return n > 0;
}

/* A parameter that is an operand, whose list of numbers means an array. */
static bool is_operand(const char *name, size_t n) {
    static const char *const operand[] = {"x",    "x1", "x2",   "a",   "b",   "y",      "input",
                                          "self", "ar", "cond", "ift", "iff", "*inputs"};
    for (int i = 0; i < (int)(sizeof operand / sizeof *operand); i++)
        if (strlen(operand[i]) == n && strncmp(operand[i], name, n) == 0) return true;
    return false;
}

/* Lists of numbers that stand for operands become arrays, each read at once; not beside Variables. */
static void read_lists(lua_State *L, LtState *s, const ThFuncInfo *f, int n) {
    const char *p = f->signature;
    for (int i = 1; i <= n; i++)
        if (lua_type(L, i) == LUA_TUSERDATA && !lt_array(L, s, i)) return;
    for (int i = 1; i <= n && p; i++) {
        ThArray *a =
            lua_istable(L, i) && is_operand(p, strcspn(p, ",= ")) ? lt_plain_list(L, s, i, TH_DTYPE_NONE) : NULL;
        if (a) {
            lt_push_array(L, s, a);
            lua_replace(L, i);
        }
        if (*p == '*') continue;
        p = strchr(p, ',');
        if (p) p += 1 + strspn(p + 1, " ");
    }
}

enum { METHOD = -1 };

/* x.sum(0) says nothing of x: it is no sum of 0. */
static void check_method(lua_State *L, int func) {
    const char *name = th_func_info(func)->name;
    if (lua_type(L, 1) == LUA_TUSERDATA) return;
    const char *is = lua_gettop(L) ? lua_pushfstring(L, "a %s", luaL_typename(L, 1)) : "missing";
    lt_error(L, TH_TypeError, "x.%s(..): the first argument is %s; methods are called with a colon, x:%s(..)", name, is,
             name);
}

static int apply(lua_State *L) { /* upvalues: state, number, arguments of a metamethod (0: not one) or METHOD, eager? */
    LtState *s = LT_STATE(L);
    int func = (int)lua_tointeger(L, lua_upvalueindex(2)), arity = (int)lua_tointeger(L, lua_upvalueindex(3));
    ThArg few[FEW_ARGS];
    if (arity == METHOD) check_method(L, func), arity = 0;
    if (arity) lua_settop(L, arity); /* __unm and __bnot get a second, dummy operand */
    int n = lua_gettop(L);
    bool arrays = lua_toboolean(L, lua_upvalueindex(4));
    if (arrays && n <= FEW_ARGS && few_args(L, s, few, n)) return eager(L, s, func, few, n);
    if (arrays) read_lists(L, s, th_func_info(func), n);
    if (arrays && n <= FEW_ARGS && few_args(L, s, few, n)) return eager(L, s, func, few, n);
    if (arity) check_operands(L, arity);
    LtArgs a = lt_args(L, s, 1, lua_gettop(L), th_func_info(func));
    if (arrays && !any_symbolic(L, s, a.at, a.n)) return eager(L, s, func, a.at, a.n);
    return build(L, s, func, a.at, a.n);
}

static bool is_discrete(lua_State *L, LtState *s, int i) {
    ThVar *v = lt_var(L, s, i);
    char kind = v ? th_dtype_kind((ThDtype)th_var_type(v).dtype) : '-';
    return v ? kind == 'b' || kind == 'i' || kind == 'u' : lua_isinteger(L, i);
}

/* The operator / of variables: int_division=raise wants to know which division of integers is meant. */
static int divide(lua_State *L) {
    LtState *s = LT_STATE(L);
    if (is_discrete(L, s, 1) && is_discrete(L, s, 2) && !strcmp(th_config_get(s->ctx, "int_division"), "raise"))
        return lt_error(L, TH_TypeError,
                        "with int_division=raise, integers are not divided by /: write x // y for a whole number "
                        "(rounded down), T.true_div(x, y) or a cast, x:astype(\"float64\") / y, for a float");
    return apply(L);
}

static void push_closure(lua_State *L, LtState *s, lua_CFunction fn, int func, int arity, bool eager_) {
    lua_pushlightuserdata(L, s);
    lua_pushinteger(L, func);
    lua_pushinteger(L, arity);
    lua_pushboolean(L, eager_);
    lua_pushcclosure(L, fn, 4);
}

static void set_string(lua_State *L, const char *k, const char *v) {
    if (!v) return;
    lua_pushstring(L, v);
    lua_setfield(L, -2, k);
}

static int functions(lua_State *L) { /* sequence of {name, signature, doc, metamethod, method, symbolic, eager, ..} */
    LtState *s = LT_STATE(L);
    int n = th_func_count();
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        const ThFuncInfo *f = th_func_info(i);
        lua_createtable(L, 0, 7);
        set_string(L, "name", f->name);
        set_string(L, "signature", f->signature);
        set_string(L, "doc", f->doc);
        set_string(L, "metamethod", f->metamethod);
        lua_pushboolean(L, f->method);
        lua_setfield(L, -2, "method");
        push_closure(L, s, apply, i, 0, false);
        lua_setfield(L, -2, "symbolic");
        push_closure(L, s, apply, i, 0, true);
        lua_setfield(L, -2, "eager");
        for (int e = 0; f->method && e < 2; e++) {
            push_closure(L, s, apply, i, METHOD, e);
            lua_setfield(L, -2, e ? "eager_method" : "symbolic_method");
        }
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int metamethods(lua_State *L) { /* metamethods(table, eager): adds them */
    LtState *s = LT_STATE(L);
    bool e = lua_toboolean(L, 2);
    lua_settop(L, 1);
    for (int i = 0; i < th_func_count(); i++) {
        const ThFuncInfo *f = th_func_info(i);
        if (!f->metamethod) continue;
        bool unary = !strcmp(f->metamethod, "__unm") || !strcmp(f->metamethod, "__bnot");
        push_closure(L, s, !e && !strcmp(f->metamethod, "__div") ? divide : apply, i, unary ? 1 : 2, e);
        lua_setfield(L, 1, f->metamethod);
    }
    return 0;
}

static int named(lua_State *L, LtState *s, const char *name) {
    int f = th_func_find(name);
    if (f < 0) return lt_error(L, TH_NotImplementedError, "this build has no function '%s'", name);
    (void)s;
    return f;
}

static int subtensor(lua_State *L) { /* subtensor(x, subscript) */
    LtState *s = LT_STATE(L);
    ThArg a[2] = {{.kind = TH_ARG_VAR, .var = lt_check_var(L, s, 1)}};
    lt_subscript(L, s, 2, &a[1]);
    return build(L, s, named(L, s, "subtensor"), a, 2);
}

static int sub(lua_State *L) { /* x:sub(...) */
    LtState *s = LT_STATE(L);
    ThArg a[2] = {{.kind = TH_ARG_VAR, .var = lt_check_var(L, s, 1)}};
    lt_subscript_args(L, s, 2, lua_gettop(L), &a[1]);
    return build(L, s, named(L, s, "subtensor"), a, 2);
}

static int as_var(lua_State *L) { /* as_tensor_variable of anything that is no table of variables */
    LtState *s = LT_STATE(L);
    lt_mark_line(L, s);
    lt_push_var(L, s, lt_to_var(L, s, 1));
    return 1;
}

void lt_open_ops(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"functions", functions},
                                   {"metamethods", metamethods},
                                   {"subtensor", subtensor},
                                   {"sub", sub},
                                   {"as_var", as_var},
                                   {"on_build", on_build},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
