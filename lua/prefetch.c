/*
 * prefetch.c -- core.prefetch_open, prefetch_push, prefetch_pop: rows of arrays, copied by a thread in the order in
 * which they were asked for, while the script goes on. Of a mapped file the thread waits for the disk, and tells the
 * system of all rows before it takes the first one. Always holds: the thread reads arrays that the script holds and
 * does not free meanwhile (theano.data sees to that), and touches no Lua.
 */
#include "binding.h"
#include "buffers.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_SOURCES = 16 };

typedef struct Source {
    ThArray *array;
    const char *data;
    size_t bytes; /* of a row, which has no gaps */
    int64_t stride, rows;
    bool mapped;
} Source;

typedef struct Request {
    struct Request *next;
    int64_t n;
    bool done;
    char *out[MAX_SOURCES];
    int64_t row[];
} Request;

typedef struct Prefetch {
    Source source[MAX_SOURCES];
    int nsource;
    Buffers *buffers;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Request *first, *last, *next; /* in order; next: the first that is not done */
    bool runs, ending;
} Prefetch;

/* ---- the thread ---------------------------------------------------------------------------------------------------
 */
static void announce(const Source *s, const Request *r) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int64_t i = 0; i < r->n; i++) {
        uintptr_t from = (uintptr_t)(s->data + r->row[i] * s->stride), start = from & ~(uintptr_t)(page - 1);
        posix_madvise((void *)start, s->bytes + (size_t)(from - start), POSIX_MADV_WILLNEED);
    }
}

static void copy_rows(const Prefetch *p, Request *r) {
    for (int k = 0; k < p->nsource; k++)
        if (p->source[k].mapped) announce(&p->source[k], r);
    for (int k = 0; k < p->nsource; k++) {
        const Source *s = &p->source[k];
        for (int64_t i = 0; i < r->n; i++)
            memcpy(r->out[k] + (size_t)i * s->bytes, s->data + r->row[i] * s->stride, s->bytes);
    }
}

static void *prefetch_thread(void *user) {
    Prefetch *p = user;
    pthread_mutex_lock(&p->lock);
    while (!p->ending) {
        Request *r = p->next;
        if (!r) {
            pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        pthread_mutex_unlock(&p->lock);
        copy_rows(p, r);
        pthread_mutex_lock(&p->lock);
        p->next = r->next;
        r->done = true;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- opening and closing ------------------------------------------------------------------------------------------
 */
static int close_prefetch(lua_State *L) {
    Prefetch *p = lua_touserdata(L, 1);
    if (!p->buffers) return 0;
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    if (p->runs) pthread_join(p->thread, NULL);
    while (p->first) {
        Request *r = p->first;
        p->first = r->next;
        for (int k = 0; k < p->nsource; k++) buffers_give(r->out[k]);
        free(r);
    }
    for (int k = 0; k < p->nsource; k++) th_array_release(p->source[k].array);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    buffers_close(p->buffers);
    p->buffers = NULL;
    return 0;
}

/* The rows of a lie one after the other or apart, but each is whole and in C order. */
static bool whole_rows(const ThArray *a) {
    const int64_t *shape = th_array_shape(a), *strides = th_array_strides(a);
    int64_t step = (int64_t)th_dtype_bytes(th_array_dtype(a));
    for (int d = th_array_ndim(a) - 1; d > 0; d--) {
        if (shape[d] != 1 && strides[d] != step) return false;
        step *= shape[d];
    }
    return th_array_ndim(a) > 0;
}

static bool add_source(Prefetch *p, ThArray *a) {
    if (!a || !whole_rows(a) || !th_array_data(a) || p->nsource == MAX_SOURCES) return false;
    int64_t bytes = (int64_t)th_dtype_bytes(th_array_dtype(a));
    for (int d = 1; d < th_array_ndim(a); d++) bytes *= th_array_shape(a)[d];
    p->source[p->nsource++] = (Source){.array = th_array_retain(a),
                                       .data = th_array_data(a),
                                       .bytes = (size_t)bytes,
                                       .stride = th_array_strides(a)[0],
                                       .rows = th_array_shape(a)[0],
                                       .mapped = !th_array_owns_data(a)};
    return true;
}

/* prefetch_open({arrays}) -> prefetch, or nil: some array's rows are not whole, or memory is limited (a sandbox) */
static int open_prefetch(lua_State *L) {
    LtState *s = LT_STATE(L);
    if (th_context_sealed(s->ctx)) return lua_pushnil(L), 1;
    int n = lt_length_of(L, 1, "arrays");
    Prefetch *p = lua_newuserdatauv(L, sizeof *p, 0);
    *p = (Prefetch){.buffers = buffers_open()};
    if (!p->buffers) return lt_error(L, TH_MemoryError, "batches: no memory");
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (luaL_newmetatable(L, "theano prefetch")) {
        lua_pushcfunction(L, close_prefetch);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    bool ok = true;
    for (int i = 1; i <= n && ok; i++) {
        lua_rawgeti(L, 1, i);
        ok = add_source(p, lt_array(L, s, -1));
        lua_pop(L, 1);
    }
    p->runs = ok && thread_begin(&p->thread, prefetch_thread, p);
    if (ok && !p->runs) return lt_error(L, TH_RuntimeError, "batches: no thread can be started");
    if (!ok) lua_pushnil(L);
    return 1;
}

/* ---- requests -----------------------------------------------------------------------------------------------------
 */
static Prefetch *check_prefetch(lua_State *L) { return luaL_checkudata(L, 1, "theano prefetch"); }

static void drop(const Prefetch *p, Request *r) {
    for (int k = 0; k < p->nsource; k++) buffers_give(r->out[k]);
    free(r);
}

/* prefetch_push(prefetch, rows): rows is a vector of int64 */
static int push(lua_State *L) {
    LtState *s = LT_STATE(L);
    Prefetch *p = check_prefetch(L);
    const ThArray *rows = lt_check_array(L, s, 2);
    int64_t n = th_array_size(rows);
    if (th_array_dtype(rows) != TH_INT64 || th_array_ndim(rows) != 1 || !th_array_contiguous(rows))
        return lt_error(L, TH_TypeError, "batches: rows are a vector of int64");
    Request *r = calloc(1, sizeof *r + (size_t)n * sizeof *r->row);
    if (!r) return lt_error(L, TH_MemoryError, "batches: no memory for %d rows", (int)n);
    r->n = n;
    if (n) memcpy(r->row, th_array_data(rows), (size_t)n * sizeof *r->row);
    for (int k = 0; k < p->nsource; k++) {
        for (int64_t i = 0, at; i < n; i++)
            if ((at = r->row[i]) < 0 || at >= p->source[k].rows)
                return drop(p, r), lt_error(L, TH_IndexError, "batches: there is no row %d", (int)at);
        r->out[k] = buffers_take(p->buffers, (size_t)n * p->source[k].bytes);
        if (!r->out[k]) return drop(p, r), lt_error(L, TH_MemoryError, "batches: no memory for %d rows", (int)n);
    }
    pthread_mutex_lock(&p->lock);
    if (p->last && p->first) p->last->next = r;
    else p->first = r;
    p->last = r;
    if (!p->next) p->next = r;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

/* prefetch_pop(prefetch) -> arrays of what was asked for first */
static int pop(lua_State *L) {
    LtState *s = LT_STATE(L);
    Prefetch *p = check_prefetch(L);
    Request *r = p->first;
    if (!r) return lt_error(L, TH_RuntimeError, "batches: nothing was asked for");
    pthread_mutex_lock(&p->lock);
    while (!r->done) pthread_cond_wait(&p->changed, &p->lock);
    p->first = r->next;
    if (!p->first) p->last = NULL;
    pthread_mutex_unlock(&p->lock);
    ThArray *out[MAX_SOURCES];
    bool ok = true;
    for (int k = 0; k < p->nsource; k++) {
        int64_t shape[TH_MAX_NDIM];
        const ThArray *a = p->source[k].array;
        memcpy(shape, th_array_shape(a), (size_t)th_array_ndim(a) * sizeof *shape);
        shape[0] = r->n;
        out[k] = ok ? th_array_wrap(s->ctx, th_array_dtype(a), th_array_ndim(a), shape, NULL, r->out[k], buffers_give,
                                    r->out[k])
                    : NULL;
        ok = ok && out[k];
        if (out[k]) r->out[k] = NULL; /* the array's now */
    }
    drop(p, r);
    for (int k = 0; k < p->nsource && !ok; k++) th_array_release(out[k]);
    if (!ok) return lt_raise(L, s);
    luaL_checkstack(L, p->nsource, NULL);
    for (int k = 0; k < p->nsource; k++) lt_push_array(L, s, out[k]);
    return p->nsource;
}

void lt_open_prefetch(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {
        {"prefetch_open", open_prefetch}, {"prefetch_push", push}, {"prefetch_pop", pop}, {NULL, NULL}};
    lt_register(L, s, fns);
}
