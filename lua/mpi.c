/*
 * mpi.c -- core.mpi_open, mpi_start, mpi_wait: collective operations on arrays (collective.h). One job of ranks a Lua
 * state, which ends when the state is closed.
 */
#include "binding.h"
#include "buffers.h"
#include "ranked.h"

#include <limits.h>
#include <string.h>

typedef struct Ranks {
    Mpi *m;
    Ranked *functions; /* what functions ask of them */
    int rank, size;
    bool asked; /* some rank was told to end, as of the last result that was waited for */
} Ranks;

static const char key; /* its address names the ranks in the registry */

static Ranks *ranks(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
    Ranks *r = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (!r || !r->m) lt_error(L, TH_RuntimeError, "mpi: there are no ranks");
    return r;
}

static int close_ranks(lua_State *L) {
    Ranks *r = lua_touserdata(L, 1);
    if (r->m) mpi_close(r->m);
    if (r->functions) ranked_close(r->functions);
    r->m = NULL;
    r->functions = NULL;
    return 0;
}

/* mpi_open() -> rank, size */
static int open_ranks(lua_State *L) {
    if (th_context_sealed(LT_STATE(L)->ctx)) return lt_error(L, TH_RuntimeError, "mpi: not in a sandbox");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
    Ranks *r = lua_touserdata(L, -1);
    if (!r) {
        char why[300];
        r = lua_newuserdatauv(L, sizeof *r, 0);
        *r = (Ranks){0};
        lua_createtable(L, 0, 1);
        lua_pushcfunction(L, close_ranks);
        lua_setfield(L, -2, "__gc");
        lua_setmetatable(L, -2);
        r->m = mpi_open(why, sizeof why, &r->rank, &r->size);
        if (!r->m) return lt_error(L, TH_NotImplementedError, "mpi: %s", why);
        LtState *s = LT_STATE(L);
        r->functions = ranked_open(s->ctx, r->m, r->rank, r->size, s->asked);
        if (!r->functions) return lt_error(L, TH_MemoryError, "mpi: no memory");
        lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
    }
    lua_pushinteger(L, r->rank);
    lua_pushinteger(L, r->size);
    return 2;
}

/* What is one rank's part of array a: all of it, or what stands behind its first axis, which counts ranks. */
static int64_t part(lua_State *L, const Ranks *r, const MpiAsk *a, const ThArray *x) {
    const int64_t *shape = th_array_shape(x);
    bool rows = a->what == MPI_JOB_REDUCE_SCATTER || a->what == MPI_JOB_SCATTER;
    int64_t n = 1;
    if (!rows) return th_array_size(x);
    if (th_array_ndim(x) == 0 || ((a->what != MPI_JOB_SCATTER || a->root == r->rank) && shape[0] != r->size))
        return lt_error(L, TH_ShapeError, "mpi: an array of %d rows is wanted, one for each rank, not of %d", r->size,
                        th_array_ndim(x) ? (int)shape[0] : 0);
    for (int d = 1; d < th_array_ndim(x); d++) n *= shape[d];
    return n;
}

/* mpi_start(what, op, root, array, asked) -> number of the job; what, op: numbers of MpiWhat and ThRanksOp */
static int start(lua_State *L) {
    LtState *s = LT_STATE(L);
    Ranks *r = ranks(L);
    ThArray *x = lt_check_array(L, s, 4);
    MpiAsk a = {.what = (MpiWhat)luaL_checkinteger(L, 1),
                .op = (ThRanksOp)luaL_checkinteger(L, 2),
                .root = (int)luaL_checkinteger(L, 3),
                .dtype = th_array_dtype(x),
                .asked = lua_toboolean(L, 5)};
    char kind = th_dtype_kind(a.dtype);
    bool order = a.op == TH_RANKS_MAX || a.op == TH_RANKS_MIN, reduces = a.what <= MPI_JOB_REDUCE_SCATTER;
    if (a.root < -1 || a.root >= r->size)
        return lt_error(L, TH_ValueError, "mpi: there is no rank %d: ranks are 0 to %d", a.root, r->size - 1);
    if (reduces && (a.dtype == TH_FLOAT16 || a.dtype == TH_BFLOAT16 ||
                    (kind == 'c' && a.op != TH_RANKS_SUM && a.op != TH_RANKS_MEAN) || (kind == 'b' && !order) ||
                    (a.op == TH_RANKS_MEAN && kind != 'f' && kind != 'c')))
        return lt_error(L, TH_TypeError, "mpi: %s has no such reduction", th_dtype_name(a.dtype));
    a.n = part(L, r, &a, x);
    int64_t all = a.n * (int64_t)th_dtype_bytes(a.dtype) * r->size;
    if ((a.what == MPI_JOB_GATHER || a.what == MPI_JOB_SCATTER) && all > INT_MAX)
        return lt_error(L, TH_ValueError, "mpi: more than 2 GiB at once: gather and scatter parts of the array");
    bool copied = !th_array_contiguous(x);
    if (copied) LT_CHECK(L, s, x = th_array_copy(x));
    int64_t id = mpi_start(r->m, &a, th_array_data(x));
    if (copied) th_array_release(x);
    if (!id) return lt_error(L, TH_MemoryError, "mpi: no memory for an array of %d elements", (int)a.n);
    lua_pushinteger(L, id);
    return 1;
}

/* mpi_wait(id, dtype, shape) -> array of what came */
static int wait(lua_State *L) {
    LtState *s = LT_STATE(L);
    Ranks *r = ranks(L);
    int64_t shape[TH_MAX_NDIM];
    ThDtype d = lt_dtype(L, s, 2, TH_DTYPE_NONE);
    int ndim = lt_shape(L, 3, shape);
    char why[300];
    bool asked = false;
    void *data = mpi_wait(r->m, luaL_checkinteger(L, 1), &asked, why, sizeof why);
    if (!data) return lt_error(L, TH_RuntimeError, "mpi: %s", why);
    r->asked |= asked;
    ThArray *x = th_array_wrap(s->ctx, d, ndim, shape, NULL, data, buffers_give, data);
    if (!x) buffers_give(data);
    lt_push_array(L, s, x);
    return 1;
}

/* mpi_asked() -> whether some rank was told to end */
static int was_asked(lua_State *L) {
    const Ranks *r = ranks(L);
    lua_pushboolean(L, r->asked || ranked_asked(r->functions));
    return 1;
}

/* mpi_reduce({variables}, op) -> {variables}: reduced by functions, side by side with what they compute */
static int reduce(lua_State *L) {
    LtState *s = LT_STATE(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    ThRanksOp op = (ThRanksOp)luaL_checkinteger(L, 2);
    int n = lt_length(L, 1, &(LtPlace){.argument = 1});
    ThVar **list = lua_newuserdatauv(L, 2 * sizeof *list * (size_t)(n + 1), 0), **out = list + n + 1;
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, 1, i + 1);
        list[i] = lt_check_var(L, s, -1);
        lua_pop(L, 1);
    }
    lt_mark_line(L, s);
    LT_CHECK(L, s, !th_ranks_reduce(s->ctx, op, list, n, out));
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lt_push_var(L, s, out[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

void lt_open_mpi(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"mpi_open", open_ranks}, {"mpi_start", start},   {"mpi_wait", wait},
                                   {"mpi_asked", was_asked}, {"mpi_reduce", reduce}, {NULL, NULL}};
    lt_register(L, s, fns);
}
