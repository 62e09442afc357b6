/*
 * var.c -- Variables, Apply nodes and types as userdata. One userdata per node per lua_State, interned in a weak-valued
 * registry table by node address, so that == is identity and nodes work as table keys; tags live in a table by serial.
 */
#include "binding.h"

#include <string.h>

static const char interned, tags, type_methods; /* registry keys */

ThVar *lt_var(lua_State *L, LtState *s, int i) {
    ThVar **p = lt_test(L, s, i, LT_VAR);
    return p ? *p : NULL;
}

ThVar *lt_check_var(lua_State *L, LtState *s, int i) {
    ThVar *v = lt_var(L, s, i);
    if (!v) lt_error(L, TH_TypeError, "argument %d: Variable expected, got %s", i, luaL_typename(L, i));
    return v;
}

/* Pushes the userdata known for this address, or makes one; true when it is new. */
static bool intern_push(lua_State *L, LtState *s, const void *node, LtKind kind) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &interned);
    if (lua_rawgetp(L, -1, node) == LUA_TUSERDATA) {
        lua_remove(L, -2);
        return false;
    }
    lua_pop(L, 1);
    const void **p = lua_newuserdatauv(L, sizeof *p, 0);
    *p = NULL;
    lt_set_meta(L, s, kind);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, node);
    lua_remove(L, -2);
    return true;
}

void lt_push_var(lua_State *L, LtState *s, ThVar *v) {
    LT_CHECK(L, s, v);
    if (intern_push(L, s, v, LT_VAR)) *(ThVar **)lua_touserdata(L, -1) = v;
    else th_var_release(v);
}

int lt_push_vars(lua_State *L, LtState *s, ThVar **v, int n) {
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        if (v[i]) lt_push_var(L, s, v[i]);
        else lua_pushboolean(L, 0);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

void lt_push_apply(lua_State *L, LtState *s, ThApply *a) {
    if (!a) {
        lua_pushnil(L);
        return;
    }
    if (intern_push(L, s, a, LT_APPLY)) *(ThApply **)lua_touserdata(L, -1) = th_apply_retain(a);
}

static int var_gc(lua_State *L) {
    ThVar **p = lua_touserdata(L, 1);
    th_var_release(*p);
    *p = NULL;
    return 0;
}

static int apply_gc(lua_State *L) {
    ThApply **p = lua_touserdata(L, 1);
    if (*p) th_apply_release(*p);
    *p = NULL;
    return 0;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */
void lt_push_type(lua_State *L, LtState *s, ThType t) {
    ThType *p = lua_newuserdatauv(L, sizeof *p, 0);
    *p = t;
    lt_set_meta(L, s, LT_TYPE);
}

ThType *lt_type(lua_State *L, LtState *s, int i) { return lt_test(L, s, i, LT_TYPE); }

static void push_pattern(lua_State *L, ThType t) {
    lua_createtable(L, t.ndim, 0);
    for (int d = 0; d < t.ndim; d++) {
        lua_pushboolean(L, (t.broadcastable >> d) & 1);
        lua_rawseti(L, -2, d + 1);
    }
}

uint32_t lt_pattern(lua_State *L, int i, int *n) {
    luaL_checktype(L, i, LUA_TTABLE);
    *n = lt_length_of(L, i, "broadcastable");
    if (*n > TH_MAX_NDIM) lt_error(L, TH_ValueError, "a type of %d dimensions: at most %d", *n, TH_MAX_NDIM);
    uint32_t b = 0;
    for (int d = 0; d < *n; d++) {
        lua_rawgeti(L, i, d + 1);
        b |= (uint32_t)lua_toboolean(L, -1) << d;
        lua_pop(L, 1);
    }
    return b;
}

static int type_new(lua_State *L) { /* TensorType(dtype, {broadcastable..}) */
    LtState *s = LT_STATE(L);
    int n;
    lt_most(L, 2);
    ThType t = {.dtype = (uint8_t)lt_dtype(L, s, 1, TH_FLOAT64)};
    t.broadcastable = lt_pattern(L, 2, &n);
    t.ndim = (uint16_t)n;
    lt_push_type(L, s, t);
    return 1;
}

/* Whatever a type is called with but a name: theano.types knows the keywords. */
static int call_named(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &type_methods);
    lua_getfield(L, -1, "__call");
    lua_replace(L, -2);
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

static int type_call(lua_State *L) { /* type(name): a new variable */
    LtState *s = LT_STATE(L);
    ThType *t = lt_type(L, s, 1);
    if (lua_gettop(L) > 2 || (lua_type(L, 2) != LUA_TSTRING && !lua_isnoneornil(L, 2))) return call_named(L);
    lt_mark_line(L, s);
    lt_push_var(L, s, th_variable_new(s->ctx, *t, luaL_optstring(L, 2, NULL)));
    lt_drain_log(L, s);
    return 1;
}

static int type_tostring(lua_State *L) {
    LtState *s = LT_STATE(L);
    char *t = th_type_str(s->ctx, *lt_type(L, s, 1));
    LT_CHECK(L, s, t);
    lua_pushstring(L, t);
    th_free(s->ctx, t);
    return 1;
}

static int type_eq(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThType *a = lt_type(L, s, 1), *b = lt_type(L, s, 2);
    lua_pushboolean(L, a && b && !memcmp(a, b, sizeof *a));
    return 1;
}

/* A sparse matrix to who asks for dtype and dimensions: those of the matrix, not of how it is stored. */
static ThType as_matrix(ThType t) {
    ThDtype d;
    return th_type_sparse(t, &d) ? (ThType){.dtype = (uint8_t)d, .ndim = 2} : t;
}

static int type_index(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThType *t = lt_type(L, s, 1);
    const char *k = luaL_checkstring(L, 2);
    if (lt_is_state(*t) && (!strcmp(k, "ndim") || !strcmp(k, "dtype") || !strcmp(k, "broadcastable")))
        return lt_error(L, TH_AttributeError, "RandomStateType is no type of tensors: it has no %s", k);
    ThType matrix = as_matrix(*t);
    if (th_type_sparse(*t, NULL) && strcmp(k, "format")) t = &matrix;
    if (!strcmp(k, "format") && th_type_sparse(*t, NULL))
        lua_pushstring(L, th_type_sparse(*t, NULL) == 'r' ? "csr" : "csc");
    else if (!strcmp(k, "dtype")) lua_pushstring(L, th_dtype_name((ThDtype)t->dtype));
    else if (!strcmp(k, "ndim")) lua_pushinteger(L, t->ndim);
    else if (!strcmp(k, "broadcastable")) push_pattern(L, *t);
    else {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &type_methods);
        if (lua_getfield(L, -1, k) == LUA_TNIL)
            return lt_error(
                L, TH_AttributeError,
                "a type has dtype, ndim, broadcastable, filter, is_valid_value, values_eq, "
                "values_eq_approx, make_variable, make_constant, filter_variable, convert_variable and clone, not '%s'",
                k);
    }
    return 1;
}

static int type_filter(lua_State *L) { /* type_filter(type, value, strict, allow_downcast) */
    LtState *s = LT_STATE(L);
    ThType *t = lt_type(L, s, 1);
    if (!t) return lt_wrong(L, 1, "a TensorType");
    ThArg value;
    lua_settop(L, 4);
    int k = lua_type(L, 2);
    if (k != LUA_TNUMBER && k != LUA_TBOOLEAN && k != LUA_TTABLE && k != LUA_TUSERDATA)
        return lt_error(L, TH_TypeError, "filter takes a number, an ndarray or a nested table, got a %s",
                        luaL_typename(L, 2));
    memset(&value, 0, sizeof value);
    lt_value(L, s, 2, &value, &(LtPlace){.name = "the value"});
    int8_t down = (int8_t)(lua_isnil(L, 4) ? -1 : lua_toboolean(L, 4));
    lt_push_value(L, s, *t, th_type_filter(s->ctx, *t, &value, lua_toboolean(L, 3), down), true);
    return 1;
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */
static int var_constant(lua_State *L) { /* constant(value, name, dtype) */
    LtState *s = LT_STATE(L);
    lt_mark_line(L, s);
    ThDtype d = lt_dtype(L, s, 3, TH_DTYPE_NONE);
    const char *name = luaL_optstring(L, 2, NULL);
    if (d == TH_DTYPE_NONE && lua_type(L, 1) == LUA_TNUMBER && name) { /* nodes of numbers are shared: not the named */
        ThVar *v = lt_to_var(L, s, 1);
        LT_CHECK(L, s, v);
        d = (ThDtype)th_var_type(v).dtype;
        th_var_release(v);
    }
    if (d == TH_DTYPE_NONE && lua_isinteger(L, 1)) lt_push_var(L, s, th_constant_int(s->ctx, lua_tointeger(L, 1)));
    else if (d == TH_DTYPE_NONE && lua_type(L, 1) == LUA_TNUMBER)
        lt_push_var(L, s, th_constant_float(s->ctx, lua_tonumber(L, 1)));
    else {
        ThArray *a = lt_sparse(L, s, 1) ? th_array_retain(lt_sparse(L, s, 1)) : lt_to_array(L, s, 1, d);
        lt_push_array(L, s, a);
        lt_push_var(L, s, th_constant_new(s->ctx, a, name));
    }
    return 1;
}

ThVar *lt_to_var(lua_State *L, LtState *s, int i) {
    ThVar *v = lt_var(L, s, i);
    if (v) return th_var_retain(v);
    if (lua_isinteger(L, i)) return th_constant_int(s->ctx, lua_tointeger(L, i));
    if (lua_type(L, i) == LUA_TNUMBER) return th_constant_float(s->ctx, lua_tonumber(L, i));
    if (lt_sparse(L, s, i)) return th_constant_new(s->ctx, lt_sparse(L, s, i), NULL);
    ThArray *a = lt_to_array(L, s, i, TH_DTYPE_NONE);
    LT_CHECK(L, s, a);
    v = th_constant_new(s->ctx, a, NULL);
    th_array_release(a);
    return v;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */
static void push_tag(lua_State *L, ThVar *v) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &tags);
    if (lua_rawgeti(L, -1, (lua_Integer)th_var_serial(v)) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, (lua_Integer)th_var_serial(v));
    }
    lua_remove(L, -2);
}

static void push_data(lua_State *L, LtState *s, ThVar *v) {
    if (th_var_kind(v) == 'c') lt_push_array(L, s, th_var_data(v));
    else lua_pushnil(L);
}

/* attribute(var, name): the value, and true when there is such an attribute (computed ones are in Lua). */
static int attribute(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThVar *v = lt_check_var(L, s, 1);
    const char *k = luaL_checkstring(L, 2);
    ThType t = th_var_type(v);
    if (lt_is_state(t) && (!strcmp(k, "ndim") || !strcmp(k, "dtype") || !strcmp(k, "broadcastable"))) return 0;
    if (th_type_sparse(t, NULL)) t = as_matrix(t);
    if (!strcmp(k, "ndim")) lua_pushinteger(L, t.ndim);
    else if (!strcmp(k, "dtype")) lua_pushstring(L, th_dtype_name((ThDtype)t.dtype));
    else if (!strcmp(k, "broadcastable")) push_pattern(L, t);
    else if (!strcmp(k, "type")) lt_push_type(L, s, th_var_type(v));
    else if (!strcmp(k, "name")) lua_pushstring(L, th_var_name(v));
    else if (!strcmp(k, "owner")) lt_push_apply(L, s, th_var_owner(v));
    else if (!strcmp(k, "index")) lua_pushinteger(L, th_var_index(v));
    else if (!strcmp(k, "data")) push_data(L, s, v);
    else if (!strcmp(k, "tag")) push_tag(L, v);
    else return 0;
    lua_pushboolean(L, 1);
    return 2;
}

static int set_name(lua_State *L) {
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_var_set_name(lt_check_var(L, s, 1), luaL_optstring(L, 2, NULL)));
    return 0;
}

static int kind_of(
    lua_State *L) { /* "variable" "constant" "shared" "ndarray" "function" "apply" "type" "complex", or nil */
    LtState *s = LT_STATE(L);
    static const char *const names[] = {"ndarray", "variable", "apply",  "function", "random", "complex",
                                        "type",    "bound",    "stream", "fgraph",   "sparse"};
    for (int k = 0; k < LT_KINDS; k++)
        if (lt_test(L, s, 1, (LtKind)k)) {
            char vk = k == LT_VAR ? th_var_kind(lt_var(L, s, 1)) : 0;
            lua_pushstring(L, vk == 'c' ? "constant" : vk == 's' ? "shared" : names[k]);
            return 1;
        }
    lua_pushnil(L);
    return 1;
}

static int serial_of(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)th_var_serial(lt_check_var(L, LT_STATE(L), 1)));
    return 1;
}

static int line_of(lua_State *L) { /* file, line of creation */
    int line;
    const char *f = th_var_line(lt_check_var(L, LT_STATE(L), 1), &line);
    lua_pushstring(L, f);
    lua_pushinteger(L, line);
    return 2;
}

static int var_tostring(lua_State *L) {
    LtState *s = LT_STATE(L);
    char *t = th_var_str(lt_check_var(L, s, 1));
    LT_CHECK(L, s, t);
    lua_pushstring(L, t);
    th_free(s->ctx, t);
    return 1;
}

static int no_order(lua_State *L) {
    return lt_error(
        L, TH_TypeError,
        "Lua makes a boolean of every comparison, so a symbolic one has no operator: use T.%s(x, y) or x:%s(y)",
        lua_tostring(L, lua_upvalueindex(2)), lua_tostring(L, lua_upvalueindex(2)));
}

/* ---- Apply ------------------------------------------------------------------------------------------------------- */
static ThApply *check_apply(lua_State *L, LtState *s, int i) {
    ThApply **p = lt_test(L, s, i, LT_APPLY);
    if (!p) lt_error(L, TH_TypeError, "Apply expected, got %s", luaL_typename(L, i));
    return *p;
}

static void push_vars(lua_State *L, LtState *s, ThApply *a, bool inputs) {
    int n = inputs ? th_apply_ninputs(a) : th_apply_noutputs(a);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lt_push_var(L, s, th_var_retain(inputs ? th_apply_input(a, i) : th_apply_output(a, i)));
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_text(lua_State *L, LtState *s, char *t) {
    LT_CHECK(L, s, t);
    lua_pushstring(L, t);
    th_free(s->ctx, t);
}

static const char op_meta[] = "theano.Op";

static int op_tostring(lua_State *L) {
    lua_getfield(L, 1, "name");
    return 1;
}

static int apply_index(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThApply *a = check_apply(L, s, 1);
    const char *k = luaL_checkstring(L, 2);
    if (!strcmp(k, "inputs")) push_vars(L, s, a, true);
    else if (!strcmp(k, "outputs")) push_vars(L, s, a, false);
    else if (!strcmp(k, "op")) { /* a small table: its text, kind, key (of a user's), the node it is asked of */
        lua_createtable(L, 0, 4);
        push_text(L, s, th_apply_op_str(a));
        lua_setfield(L, -2, "name");
        lua_pushstring(L, th_apply_op_name(a));
        lua_setfield(L, -2, "kind");
        lua_pushstring(L, th_apply_op_key(a));
        lua_setfield(L, -2, "key");
        lua_pushvalue(L, 1);
        lua_setfield(L, -2, "node");
        luaL_setmetatable(L, op_meta);
    } else return lt_error(L, TH_AttributeError, "an Apply has op, inputs and outputs, not '%s'", k);
    return 1;
}

static int apply_tostring(lua_State *L) {
    LtState *s = LT_STATE(L);
    push_text(L, s, th_apply_str(check_apply(L, s, 1)));
    return 1;
}

static void weak_table(lua_State *L, const void *key, bool weak) {
    lua_newtable(L);
    if (weak) {
        lua_createtable(L, 0, 1);
        lua_pushliteral(L, "v");
        lua_setfield(L, -2, "__mode");
        lua_setmetatable(L, -2);
    }
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void lt_open_var(lua_State *L, LtState *s) {
    weak_table(L, &interned, true);
    weak_table(L, &tags, false);
    static const luaL_Reg vmeta[] = {{"__gc", var_gc}, {"__tostring", var_tostring}, {NULL, NULL}};
    lt_new_meta(L, s, LT_VAR, "Variable", vmeta);
    static const char *const order[][2] = {{"__lt", "lt"}, {"__le", "le"}};
    for (int i = 0; i < 2; i++) {
        lua_pushlightuserdata(L, s);
        lua_pushstring(L, order[i][1]);
        lua_pushcclosure(L, no_order, 2);
        lua_setfield(L, -2, order[i][0]);
    }
    lua_setfield(L, -2, "variable_meta");
    static const luaL_Reg ameta[] = {
        {"__gc", apply_gc}, {"__tostring", apply_tostring}, {"__index", apply_index}, {NULL, NULL}};
    lt_new_meta(L, s, LT_APPLY, "Apply", ameta);
    lua_pop(L, 1);
    luaL_newmetatable(L, op_meta);
    lua_pushcfunction(L, op_tostring);
    lua_setfield(L, -2, "__tostring");
    lua_setfield(L, -2, "op_meta");
    static const luaL_Reg tmeta[] = {
        {"__call", type_call}, {"__tostring", type_tostring}, {"__eq", type_eq}, {"__index", type_index}, {NULL, NULL}};
    lt_new_meta(L, s, LT_TYPE, "TensorType", tmeta);
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &type_methods);
    lua_setfield(L, -2, "type_methods");
    static const luaL_Reg fns[] = {{"TensorType", type_new},
                                   {"type_filter", type_filter},
                                   {"constant", var_constant},
                                   {"var_attribute", attribute},
                                   {"set_name", set_name},
                                   {"kind", kind_of},
                                   {"serial", serial_of},
                                   {"line", line_of},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
