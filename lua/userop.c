/*
 * userop.c -- operations written in Lua: the engine's callbacks call functions of a table, on the Lua state that called
 * the engine. lua/theano/op.lua fills the table with guarded functions, which return true and results, or false, the
 * kind of the error and its text. On another thread, or once the state is closed, a callback fails cleanly.
 */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

typedef struct LtOp {
    LtState *s; /* NULL: the state is closed */
    int table;  /* registry reference */
    struct LtOp *next;
} LtOp;

static void release(void *user) {
    LtOp *o = user;
    if (o->s) { /* while the state lives it keeps the table; here only the list forgets the operation */
        for (LtOp **p = &o->s->ops; *p; p = &(*p)->next)
            if (*p == o) {
                *p = o->next;
                break;
            }
    }
    free(o);
}

void lt_close_userop(LtState *s) {
    for (LtOp *o = s->ops; o; o = o->next) o->s = NULL;
    s->ops = NULL;
}

/* ---- callbacks --------------------------------------------------------------------------------------------------- */
static ThError kind_named(const char *name) {
    for (int e = 1; name && e < TH_ERROR_COUNT; e++)
        if (!strcmp(th_error_name((ThError)e), name)) return (ThError)e;
    return TH_RuntimeError;
}

/* One callback at work; what it does with Lua runs in `body`, under pcall, and may raise: no error of Lua passes
 * through the engine, nor through a host that has no Lua on its stack. */
typedef struct Work {
    LtOp *o;
    ThContext *c;
    const char *name; /* of the operation's function */
    ThArray *const *in;
    const ThType *types;
    ThArray **out;
    ThVar *const *const *lists;
    const int *n;
    ThVar **vars;
    int nin, nout, nlist;
    bool done;
} Work;

static int run(Work *w, lua_CFunction body) {
    LtOp *o = w->o;
    if (!o->s)
        return th_fail(w->c, TH_RuntimeError, "an operation written in Lua was called after its Lua state was closed");
    lua_State *L = lt_entered(o->s);
    if (!L)
        return th_fail(w->c, TH_RuntimeError, "an operation written in Lua was called on a thread that is not Lua's");
    if (!lua_checkstack(L, 8)) return th_fail(w->c, TH_MemoryError, "no room on the Lua stack");
    lua_pushcfunction(L, body);
    lua_pushlightuserdata(L, w);
    o->s->callbacks++;
    bool bad = lua_pcall(L, 1, 0, 0) != LUA_OK;
    o->s->callbacks--;
    o->s->entered = L; /* it may have called the engine from a coroutine */
    if (bad) {
        const char *said;
        ThError kind = lt_kind_in(lua_tostring(L, -1), &said);
        th_fail(w->c, kind, said);
        lua_pop(L, 1);
    }
    return w->done && !bad ? 0 : th_fail(w->c, TH_RuntimeError, "unknown");
}

/* Pushes the function before its arguments. */
static void push_function(lua_State *L, const Work *w) {
    luaL_checkstack(L, 32, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, w->o->table);
    lua_getfield(L, -1, w->name);
    lua_remove(L, -2);
}

/* Calls it; the results are on top, false behind an error that it told. */
static bool call(lua_State *L, const Work *w, int nargs) {
    int first = lua_gettop(L) - nargs;
    lua_call(L, nargs, LUA_MULTRET);
    if (lua_toboolean(L, first)) return true;
    const char *kind = lua_tostring(L, first + 1), *text = lua_tostring(L, first + 2);
    th_fail(w->c, kind_named(kind), text ? text : "unknown");
    return false;
}

static void push_vars(lua_State *L, LtState *s, ThVar *const *v, int n) {
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        if (v[i]) lt_push_var(L, s, th_var_retain(v[i]));
        else lua_pushboolean(L, 0);
        lua_rawseti(L, -2, i + 1);
    }
}

/* Variables of the table at index t; others are left NULL. */
static void take_vars(lua_State *L, LtState *s, int t, ThVar **out, int n) {
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, t, i + 1);
        ThVar *v = lt_var(L, s, -1);
        out[i] = v ? th_var_retain(v) : NULL;
        lua_pop(L, 1);
    }
}

static int take_array(lua_State *L, LtState *s, ThContext *c, ThType t, ThArray **out) {
    ThArray *a = lt_array(L, s, -1);
    if (a) *out = th_array_retain(a);
    else if (lua_isnil(L, -1)) return th_fail(c, TH_ValueError, "perform gave no value for an output");
    else *out = lt_to_array(L, s, -1, (ThDtype)t.dtype);
    return *out ? 0 : -1;
}

static int perform_body(lua_State *L) {
    Work *w = lua_touserdata(L, 1);
    LtState *s = w->o->s;
    push_function(L, w);
    lua_createtable(L, w->nin, 0);
    for (int i = 0; i < w->nin; i++) {
        lt_push_array(L, s, th_array_retain(w->in[i]));
        lua_rawseti(L, -2, i + 1);
    }
    lua_createtable(L, w->nout, 0);
    for (int i = 0; i < w->nout; i++) {
        lt_push_type(L, s, w->types[i]);
        lua_rawseti(L, -2, i + 1);
    }
    if (!call(L, w, 2)) return 0;
    for (int i = 0; i < w->nout; i++) { /* behind true: the sequence of outputs */
        lua_rawgeti(L, 3, i + 1);
        if (take_array(L, s, w->c, w->types[i], &w->out[i])) return 0;
        lua_pop(L, 1);
    }
    w->done = true;
    return 0;
}

static int perform(void *user, ThContext *c, ThArray *const *in, int nin, const ThType *types, ThArray **out,
                   int nout) {
    Work w = {.o = user, .c = c, .name = "perform", .in = in, .nin = nin, .types = types, .out = out, .nout = nout};
    int bad = run(&w, perform_body);
    for (int i = 0; i < nout && bad; i++) {
        th_array_release(out[i]);
        out[i] = NULL;
    }
    return bad;
}

/* A callback of Variables: up to three lists in, one out. */
static int symbolic_body(lua_State *L) {
    Work *w = lua_touserdata(L, 1);
    push_function(L, w);
    for (int i = 0; i < w->nlist; i++) push_vars(L, w->o->s, w->lists[i], w->n[i]);
    if (!call(L, w, w->nlist)) return 0;
    take_vars(L, w->o->s, 3, w->vars, w->nout);
    w->done = true;
    return 0;
}

static int symbolic(LtOp *o, ThContext *c, const char *name, ThVar *const *const *lists, const int *n, int nlist,
                    ThVar **out, int nout) {
    Work w = {.o = o, .c = c, .name = name, .lists = lists, .n = n, .nlist = nlist, .vars = out, .nout = nout};
    return run(&w, symbolic_body);
}

static int infer_shape(void *user, ThContext *c, ThVar *const *in, ThVar *const *in_shape, int nin, ThVar **out,
                       int nout) {
    return symbolic(user, c, "infer_shape", (ThVar *const *const[]){in, in_shape}, (int[]){nin, nin}, 2, out, nout);
}

static int grad(void *user, ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, ThVar *const *gz,
                ThVar **gx) {
    return symbolic(user, c, "grad", (ThVar *const *const[]){in, out, gz}, (int[]){nin, nout, nout}, 3, gx, nin);
}

static int rop(void *user, ThContext *c, ThVar *const *in, int nin, ThVar *const *at, ThVar **out, int nout) {
    for (int i = 0; i < nout; i++) out[i] = NULL; /* a list of them says how many there are to be */
    return symbolic(user, c, "rop", (ThVar *const *const[]){in, at, out}, (int[]){nin, nin, nout}, 3, out, nout);
}

/* ---- what Lua calls -----------------------------------------------------------------------------------------------
 */
static bool has(lua_State *L, int t, const char *name) {
    bool yes = lua_getfield(L, t, name) == LUA_TFUNCTION;
    lua_pop(L, 1);
    return yes;
}

static ThVar **vars(lua_State *L, LtState *s, int t, int *n) {
    luaL_checktype(L, t, LUA_TTABLE);
    *n = lt_length(L, t, &(LtPlace){.argument = t});
    ThVar **at = lua_newuserdatauv(L, sizeof *at * (size_t)(*n + 1), 0);
    for (int i = 0; i < *n; i++) {
        lua_rawgeti(L, t, i + 1);
        at[i] = lt_var(L, s, -1);
        if (!at[i]) lt_error(L, TH_TypeError, "entry %d: Variable expected, got %s", i + 1, luaL_typename(L, -1));
        lua_pop(L, 1);
    }
    return at;
}

static int op_define(lua_State *L) { /* op_define(key, name, {functions}, destroys, {graph_in}, {graph_out}, views) */
    LtState *s = LT_STATE(L);
    const char *key = luaL_checkstring(L, 1);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 7);
    if (th_op_defined(s->ctx, key)) return 0;
    LtOp *o = malloc(sizeof *o);
    if (!o) return lt_error(L, TH_MemoryError, "no memory");
    ThOpDef d = {.name = luaL_checkstring(L, 2),
                 .destroys = (uint32_t)lua_tointeger(L, 4),
                 .views = (uint32_t)lua_tointeger(L, 7),
                 .user = o,
                 .release = release};
    if (has(L, 3, "perform")) d.perform = perform;
    if (has(L, 3, "infer_shape")) d.infer_shape = infer_shape;
    if (has(L, 3, "grad")) d.grad = grad;
    if (has(L, 3, "rop")) d.rop = rop;
    *o = (LtOp){.s = s, .next = s->ops};
    if (!lua_isnil(L, 6)) {
        d.graph_in = vars(L, s, 5, &d.ngraph_in);
        d.graph_out = vars(L, s, 6, &d.ngraph_out);
    }
    lua_pushvalue(L, 3);
    o->table = luaL_ref(L, LUA_REGISTRYINDEX);
    s->ops = o;
    if (!th_op_define(s->ctx, key, &d)) return 0;
    luaL_unref(L, LUA_REGISTRYINDEX, o->table);
    release(o);
    return lt_raise(L, s);
}

static int op_apply(lua_State *L) { /* op_apply(key, {inputs}, {types} or nil, connections or nil) -> Apply */
    LtState *s = LT_STATE(L);
    const char *key = luaL_checkstring(L, 1);
    int nin, nout = 0;
    const char *connected = luaL_optstring(L, 4, NULL);
    lua_settop(L, 4);
    ThVar **in = vars(L, s, 2, &nin);
    ThType *types = NULL;
    if (!lua_isnil(L, 3)) {
        nout = lt_length_of(L, 3, "the types of the results");
        types = lua_newuserdatauv(L, sizeof *types * (size_t)(nout + 1), 0);
        for (int i = 0; i < nout; i++) {
            lua_rawgeti(L, 3, i + 1);
            ThType *t = lt_type(L, s, -1);
            if (!t) return lt_error(L, TH_TypeError, "type %d of the results is no TensorType", i + 1);
            types[i] = *t;
            lua_pop(L, 1);
        }
    }
    lt_mark_line(L, s);
    ThApply *a = th_op_apply_connected(s->ctx, key, in, nin, types, nout, connected);
    LT_CHECK(L, s, a);
    lt_push_apply(L, s, a);
    th_apply_release(a);
    return 1;
}

static int expr(lua_State *L) { /* expr(text, {names}, {variables}) -> Variable */
    LtState *s = LT_STATE(L);
    const char *text = luaL_checkstring(L, 1);
    int n;
    lua_settop(L, 3);
    ThVar **v = vars(L, s, 3, &n);
    const char **names = lua_newuserdatauv(L, sizeof *names * (size_t)(n + 1), 0);
    luaL_checkstack(L, n + 4, "names");
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, 2, i + 1);
        names[i] = luaL_checkstring(L, -1); /* stays on the stack */
    }
    lt_mark_line(L, s);
    lt_push_var(L, s, th_expr(s->ctx, text, names, v, n));
    return 1;
}

void lt_open_userop(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"op_define", op_define}, {"op_apply", op_apply}, {"expr", expr}, {NULL, NULL}};
    lt_register(L, s, fns);
}
