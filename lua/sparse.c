/*
 * sparse.c -- sparse matrices as userdata, and the types of variables that hold such. Their methods, operators and
 * printing are theano/ndsparse.lua's. An array of the engine whose elements mean something only together: it is no
 * ndarray to any function that takes one.
 */
#include "binding.h"

#include <string.h>

ThArray *lt_sparse(lua_State *L, LtState *s, int i) {
    ThArray **p = lt_test(L, s, i, LT_SPARSE);
    return p ? *p : NULL;
}

static ThArray *check_sparse(lua_State *L, LtState *s, int i) {
    ThArray *a = lt_sparse(L, s, i);
    if (!a) lt_error(L, TH_TypeError, "argument %d: sparse matrix expected, got %s", i, luaL_typename(L, i));
    return a;
}

static char check_format(lua_State *L, int i) {
    const char *name = luaL_checkstring(L, i);
    if (strcmp(name, "csr") && strcmp(name, "csc"))
        lt_error(L, TH_ValueError, "the format is \"csr\" or \"csc\", not \"%s\"", name);
    return name[2];
}

static int sparse_new(lua_State *L) { /* (format, {rows, columns}, data, indices, indptr) */
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    char format = check_format(L, 1);
    if (lt_shape(L, 2, shape) != 2) return lt_error(L, TH_ValueError, "a sparse matrix has two lengths");
    lt_push_array(L, s,
                  th_sparse_new(s->ctx, format, shape, lt_check_array(L, s, 3), lt_check_array(L, s, 4),
                                lt_check_array(L, s, 5)));
    return 1;
}

static int sparse_read(lua_State *L) { /* (format, vector of int64), as sparse_words gives it */
    LtState *s = LT_STATE(L);
    lt_push_array(L, s, th_sparse_read(s->ctx, check_format(L, 1), lt_check_array(L, s, 2)));
    return 1;
}

static int sparse_words(lua_State *L) { /* a copy of the plain vector, for files */
    LtState *s = LT_STATE(L);
    ThArray *a = check_sparse(L, s, 1), *v = th_array_astype(a, TH_INT64);
    lt_push_array(L, s, v);
    return 1;
}

static int sparse_parts(lua_State *L) { /* {format, dtype, shape, nnz, sorted, data, indices, indptr} */
    LtState *s = LT_STATE(L);
    ThSparse p;
    LT_CHECK(L, s, !th_sparse_parts(check_sparse(L, s, 1), &p));
    lua_createtable(L, 0, 8);
    lt_push_array(L, s, p.data);
    lua_setfield(L, -2, "data");
    lt_push_array(L, s, p.indices);
    lua_setfield(L, -2, "indices");
    lt_push_array(L, s, p.indptr);
    lua_setfield(L, -2, "indptr");
    lua_pushstring(L, p.format == 'r' ? "csr" : "csc");
    lua_setfield(L, -2, "format");
    lua_pushstring(L, th_dtype_name(p.dtype));
    lua_setfield(L, -2, "dtype");
    lt_push_ints(L, p.shape, 2);
    lua_setfield(L, -2, "shape");
    lua_pushinteger(L, p.nnz);
    lua_setfield(L, -2, "nnz");
    lua_pushboolean(L, p.sorted);
    lua_setfield(L, -2, "sorted");
    return 1;
}

static int sparse_copy(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_push_array(L, s, th_array_copy(check_sparse(L, s, 1)));
    return 1;
}

static int sparse_type(lua_State *L) { /* (dtype, format) */
    LtState *s = LT_STATE(L);
    lt_push_type(L, s, th_sparse_type(lt_dtype(L, s, 1, TH_FLOAT64), check_format(L, 2)));
    return 1;
}

/* (variable or type): format and dtype, nothing of others. */
static int sparse_kind(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThVar *v = lt_var(L, s, 1);
    ThType *t = lt_type(L, s, 1);
    ThDtype d;
    char format = v ? th_type_sparse(th_var_type(v), &d) : t ? th_type_sparse(*t, &d) : 0;
    if (!format) return 0;
    lua_pushstring(L, format == 'r' ? "csr" : "csc");
    lua_pushstring(L, th_dtype_name(d));
    return 2;
}

static int part_of(lua_State *L, LtState *s, const ThArg *a) {
    ThArray *out;
    if (th_eager(s->ctx, th_func_find("sparse.subtensor"), a, 2, &out, 1) < 1) return lt_raise(L, s);
    lt_push_result(L, s, out, false);
    return 1;
}

static int sparse_item(lua_State *L) { /* (x, subscript) */
    LtState *s = LT_STATE(L);
    ThArg a[2] = {{.kind = TH_ARG_ARRAY, .array = check_sparse(L, s, 1)}};
    lt_subscript(L, s, 2, &a[1]);
    return part_of(L, s, a);
}

static int sparse_sub(lua_State *L) { /* x:sub(...) */
    LtState *s = LT_STATE(L);
    ThArg a[2] = {{.kind = TH_ARG_ARRAY, .array = check_sparse(L, s, 1)}};
    lt_subscript_args(L, s, 2, lua_gettop(L), &a[1]);
    return part_of(L, s, a);
}

void lt_open_sparse(lua_State *L, LtState *s) {
    static const luaL_Reg meta[] = {{"__gc", lt_array_gc}, {NULL, NULL}};
    lt_new_meta(L, s, LT_SPARSE, "sparse", meta);
    lua_setfield(L, -2, "sparse_meta");
    static const luaL_Reg fns[] = {{"sparse_new", sparse_new},     {"sparse_read", sparse_read},
                                   {"sparse_words", sparse_words}, {"sparse_parts", sparse_parts},
                                   {"sparse_copy", sparse_copy},   {"sparse_type", sparse_type},
                                   {"sparse_kind", sparse_kind},   {"sparse_item", sparse_item},
                                   {"sparse_sub", sparse_sub},     {NULL, NULL}};
    lt_register(L, s, fns);
}
