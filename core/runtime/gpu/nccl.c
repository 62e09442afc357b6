/*
 * nccl.c -- reductions over the ranks of a job by NCCL. In: arrays on a device, ways of the host to the other ranks
 * (ThRanks). Out: what all ranks have, in a queue of its own beside that of the call, so that messages travel while the
 * backward pass goes on.
 *
 * NCCL only moves bytes: a short array goes whole to all ranks, of a long one each rank gets a block from all; the sums
 * are a kernel of ours, in the order of the ranks, so their bits are those of one process that adds up, whatever way
 * messages take. Whether all ranks do the same is compared by the host meanwhile; then it asks NCCL and the queue until
 * the job is done. Where ranks do not agree, one is gone or NCCL fails, NCCL is told to give up, which lets the queue
 * go on, and every call from then on fails with what was the matter.
 */
#include "gpu.h"
#include "runtime/device/library.h"

#include <stdio.h>
#include <string.h>

enum { ID_BYTES = 128, BYTES_TYPE = 0, IN_PROGRESS = 7, MARKS = 64, SHORT = 1 << 16, WHY = 300 };

typedef struct NcclId {
    char bytes[ID_BYTES];
} NcclId;

/* clang-format off */
#define NCCL(X)                                                                                                        \
    X(int, id, "ncclGetUniqueId", (NcclId * id))                                                                       \
    X(int, open, "ncclCommInitRank", (void **comm, int n, NcclId id, int rank))                                        \
    X(int, close, "ncclCommDestroy", (void *comm))                                                                     \
    X(int, abort, "ncclCommAbort", (void *comm))                                                                       \
    X(int, async, "ncclCommGetAsyncError", (void *comm, int *error))                                                   \
    X(const char *, text, "ncclGetErrorString", (int code))                                                            \
    X(int, begin, "ncclGroupStart", (void))                                                                            \
    X(int, end, "ncclGroupEnd", (void))                                                                                \
    X(int, send, "ncclSend", (const void *from, size_t n, int type, int to, void *comm, void *stream))                 \
    X(int, receive, "ncclRecv", (void *to, size_t n, int type, int from, void *comm, void *stream))                    \
    X(int, gather, "ncclAllGather", (const void *from, void *to, size_t n, int type, void *comm, void *stream))
/* clang-format on */
LIBRARY_TABLE(Nccl, nccl_table, LIBRARY_NCCL, NCCL)

struct GpuRanks {
    ThContext *c;
    const Nccl *f;
    void *comm;
    int rank, n;
    DeviceQueue q;        /* where messages travel */
    DeviceQueue watch;    /* the same for the thread that watches */
    DeviceAddress record; /* an error record that stays empty: sums are made behind a failure too */
    void *given, *done;   /* what was computed so far; what was reduced so far */
    void *mark[MARKS];    /* behind each job, in turn */
    atomic_llong begun, over;
    atomic_bool broken;
    char why[WHY]; /* written before broken is set */
    GpuRoom room;
};

/* ---- sums in the order of the ranks ------------------------------------------------------------------------------ */
/* all: a block of each rank, `apart` elements from the one before; own: this one's lies there */
GPU_RECORD(FoldArgs, {
    i64 *err, step;
    const char *all;
    const char *own;
    char *to;
    i64 n, apart, ranks, rank, op;
})

/* clang-format off */
static const char fold_text[] = GPU_TEXT(
    INLINE T fold_part(const FoldArgs *a, i64 r, i64 e) {
        return r == a->rank ? ((const T *)a->own)[e] : ((const T *)a->all)[r * a->apart + e];
    }
) "#if T_KIND == 'c'\n" GPU_TEXT(
    INLINE T fold_two(i64 op, T x, T y) {
        (void)op;
        return add(x, y);
    }
    INLINE T fold_mean(T x, i64 ranks) {
        x.re = x.re / ranks;
        x.im = x.im / ranks;
        return x;
    }
) "#else\n" GPU_TEXT(
    INLINE T fold_two(i64 op, T x, T y) {
        if (op < 2) return add(x, y);
        if (op == 2) return x > y || x != x ? x : y;
        if (op == 3) return x < y || x != x ? x : y;
        return mul(x, y);
    }
    INLINE T fold_mean(T x, i64 ranks) { return (T)(x / (T)ranks); }
) "#endif\n" GPU_TEXT(
    KERNEL fold(const FoldArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.n; e += gridDim.x * (i64)blockDim.x) {
            T sum = fold_part(&a, 0, e);
            for (i64 r = 1; r < a.ranks; r++) sum = fold_two(a.op, sum, fold_part(&a, r, e));
            ((T *)a.to)[e] = a.op == 1 ? fold_mean(sum, a.ranks) : sum;
        }
    }
);
/* clang-format on */
static const CudaEntry fold_kernel[] = {GPU_ENTRY(fold, FoldArgs, false)};
static const char *const fold_pieces[] = {FoldArgs_text, fold_text, NULL};
const GpuFamily gpu_folds = {"sums over ranks", fold_pieces, fold_kernel, 1, gpu_is_dtype, gpu_head_dtype};

/* ---- what ends them ---------------------------------------------------------------------------------------------- */
/* From any thread; the first reason stays. */
static void lost(void *of, const char *why) {
    GpuRanks *u = of;
    if (atomic_load(&u->broken)) return;
    snprintf(u->why, sizeof u->why, "%s", why);
    atomic_store(&u->broken, true);
    u->f->abort(u->comm);
}

/* The oldest job that is watched: 1: it is done, or will never be. */
static int over(void *of) {
    GpuRanks *u = of;
    int error = 0;
    char why[WHY];
    if (atomic_load(&u->broken)) return 1;
    DeviceStatus s = u->watch.device->op->event_query(&u->watch, u->mark[atomic_load(&u->over) % MARKS]);
    if (!s) {
        atomic_fetch_add(&u->over, 1);
        return 1;
    }
    if (s != DEVICE_NOT_READY) lost(u, "the GPU of this rank has failed");
    else if (u->f->async(u->comm, &error) || (error && error != IN_PROGRESS)) {
        snprintf(why, sizeof why, "NCCL has lost a rank, or cannot reach it: %s", u->f->text(error));
        lost(u, why);
    }
    return atomic_load(&u->broken);
}

bool gpu_ranks_ok(ThContext *c, const GpuRanks *u) {
    return !atomic_load(&u->broken) || err(c, TH_RuntimeError, "mpi: %s", u->why);
}

/* 0, or 1 with the error set. */
static int refused(HostCall *h, const GpuRanks *u, int code, const char *what) {
    if (!code || code == IN_PROGRESS) return 0;
    if (gpu_ranks_ok(h->ctx, u)) err(h->ctx, TH_GpuError, "NCCL refuses %s: %s", what, u->f->text(code));
    return 1;
}

/* A status of its own queue as the call's. */
static int status(HostCall *h, const GpuRanks *u, DeviceStatus s) {
    if (s) h->gpu->q->call = u->q.call, h->gpu->q->code = u->q.code;
    return gpu_status(h, s);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */
static int open_queue(HostCall *h, GpuRanks *u) {
    const DeviceOps *op = u->q.device->op;
    int bad = status(h, u, op->open(&u->q));
    u->watch = u->q;
    bad = bad || status(h, u, op->alloc(&u->q, 64, &u->record)) || status(h, u, op->set(&u->q, u->record, 0, 64)) ||
          status(h, u, op->event_new(&u->q, &u->given)) || status(h, u, op->event_new(&u->q, &u->done)) ||
          status(h, u, op->event_record(&u->q, u->done));
    for (int i = 0; i < MARKS && !bad; i++) bad = status(h, u, op->event_new(&u->q, &u->mark[i]));
    return bad || status(h, u, op->wait(&u->q)); /* which makes the device the thread's current one, too */
}

/* All ranks come here at the same job. */
static int join(HostCall *h, GpuRanks *u) {
    const ThRanks *r = &h->ctx->ranks;
    char why[WHY] = "";
    NcclId id;
    memset(&id, 0, sizeof id);
    if (r->rank == 0 && refused(h, u, u->f->id(&id), "a name for the ranks")) return 1;
    if (r->share(r->user, &id, sizeof id, why, sizeof why)) return err(h->ctx, TH_RuntimeError, "mpi: %s", why), 1;
    return refused(h, u, u->f->open(&u->comm, r->n, id, r->rank), "to bring the ranks together");
}

static GpuRanks *open_ranks(HostCall *h) {
    ThContext *c = h->ctx;
    const char *why = NULL;
    if (!c->ranks.size) {
        err(c, TH_RuntimeError, "this process is no rank of a job (theano.mpi): nothing to reduce over");
        return NULL;
    }
    const Nccl *f = device_library(c, h->gpu->q->device, &nccl_table, &why);
    if (!f && why) err(c, TH_GpuError, "reductions over ranks on a GPU: %s", why);
    GpuRanks *u = f ? ctx_alloc0(c, sizeof *u) : NULL;
    if (!u) return NULL;
    u->c = c, u->f = f, u->rank = c->ranks.rank, u->n = c->ranks.n;
    u->q.device = h->gpu->q->device;
    if (!open_queue(h, u) && !join(h, u)) return u;
    gpu_ranks_close(&u, false);
    return NULL;
}

void gpu_ranks_close(GpuRanks **at, bool gone) {
    GpuRanks *u = *at;
    if (!u) return;
    const DeviceOps *op = u->q.device->op;
    *at = NULL;
    if (gone) lost(u, "the GPU of this rank has failed");
    while (!atomic_load(&u->broken) && atomic_load(&u->over) < atomic_load(&u->begun)) os_yield();
    if (u->comm && !atomic_load(&u->broken)) u->f->close(u->comm);
    for (int i = 0; i < MARKS && !gone; i++) op->event_free(&u->q, u->mark[i]);
    if (!gone) {
        op->event_free(&u->q, u->given);
        op->event_free(&u->q, u->done);
        op->free(&u->q, u->record);
        op->free(&u->q, u->room.at);
        op->close(&u->q);
    }
    ctx_free(u->c, u, sizeof *u);
}

/* ---- a job ------------------------------------------------------------------------------------------------------- */
static int fold(HostCall *h, const GpuRanks *u, const RanksWork *w, FoldArgs a) {
    a.ranks = u->n, a.rank = u->rank, a.op = w->op;
    return gpu_launch(h, &gpu_folds, w->x->dtype, 0, gpu_blocks(a.n), &a);
}

/* Short ones: all of all ranks to all, which reduce it each. */
static int reduce_short(HostCall *h, GpuRanks *u, const RanksWork *w, size_t bytes) {
    char *all;
    if (!gpu_room(h, bytes * (size_t)u->n, &all)) return 1;
    int code = u->f->gather(w->x->data, all, bytes, BYTES_TYPE, u->comm, u->q.stream);
    if (refused(h, u, code, "a message")) return 1;
    return fold(h, u, w,
                (FoldArgs){.all = all, .own = w->x->data, .to = w->z->data, .n = w->x->size, .apart = w->x->size});
}

/* Every rank's elements of a rank's block go there. */
static int spread(HostCall *h, GpuRanks *u, const RanksWork *w, char *all, int64_t block) {
    size_t e = th_dtype_bytes((ThDtype)w->x->dtype), own = (size_t)block * e;
    int code = u->f->begin();
    for (int r = 0; r < u->n && !code; r++) {
        int64_t from = r * block, n = w->x->size - from < block ? w->x->size - from : block;
        if (r == u->rank) continue;
        if (n > 0) code = u->f->send(w->x->data + (size_t)from * e, (size_t)n * e, BYTES_TYPE, r, u->comm, u->q.stream);
        int64_t mine = w->x->size - u->rank * block;
        mine = mine < block ? mine : block;
        if (!code && mine > 0)
            code = u->f->receive(all + (size_t)r * own, (size_t)mine * e, BYTES_TYPE, r, u->comm, u->q.stream);
    }
    int last = u->f->end();
    return refused(h, u, code ? code : last, "a message");
}

static int reduce_long(HostCall *h, GpuRanks *u, const RanksWork *w, size_t bytes) {
    size_t e = th_dtype_bytes((ThDtype)w->x->dtype);
    int64_t block = (w->x->size + u->n - 1) / u->n;
    char *all, *sum, *whole = w->z->data, *own = w->x->data + (size_t)(u->rank * block) * e;
    bool even = block * u->n == w->x->size;
    if (!gpu_room(h, (size_t)block * (size_t)u->n * e, &all) || !gpu_room(h, (size_t)block * e, &sum)) return 1;
    if (!even && !gpu_room(h, (size_t)block * (size_t)u->n * e, &whole)) return 1;
    if (spread(h, u, w, all, block)) return 1;
    int64_t n = w->x->size - u->rank * block;
    FoldArgs a = {.all = all, .own = own, .to = sum, .n = n < block ? n : block, .apart = block};
    if (n > 0 && fold(h, u, w, a)) return 1; /* the last ranks of a short array may have none */
    int code = u->f->gather(sum, whole, (size_t)block * e, BYTES_TYPE, u->comm, u->q.stream);
    if (refused(h, u, code, "a message")) return 1;
    DeviceAddress to = (DeviceAddress)(uintptr_t)w->z->data, from = (DeviceAddress)(uintptr_t)whole;
    return even ? 0 : status(h, u, u->q.device->op->copy(&u->q, to, from, bytes));
}

/* In its own queue, behind what the call has computed so far. */
static int travel(HostCall *h, GpuRanks *u, const RanksWork *w) {
    const DeviceOps *op = u->q.device->op;
    GpuCall call = {.q = &u->q, .room = &u->room, .record = u->record, .step = h->gpu->step};
    HostCall own = *h;
    size_t bytes = (size_t)w->x->size * th_dtype_bytes((ThDtype)w->x->dtype);
    own.gpu = &call;
    if (gpu_status(h, op->event_record(h->gpu->q, u->given)) || status(h, u, op->event_after(&u->q, u->given)))
        return 1;
    int bad = 0;
    if (bytes) bad = bytes * (size_t)u->n <= SHORT ? reduce_short(&own, u, w, bytes) : reduce_long(&own, u, w, bytes);
    gpu_end(&call);
    if (status(h, u, call.status) || bad) return 1;
    return status(h, u, op->event_record(&u->q, u->mark[atomic_load(&u->begun) % MARKS])) ||
           status(h, u, op->event_record(&u->q, u->done));
}

static int start(HostCall *h, GpuRanks *u, const RanksWork *w) {
    const ThRanks *r = &h->ctx->ranks;
    const DeviceOps *op = u->q.device->op;
    char why[WHY] = "";
    /* that many are on their way: the oldest mark is used again when it was seen */
    while (atomic_load(&u->begun) - atomic_load(&u->over) >= MARKS && !atomic_load(&u->broken))
        if (status(h, u, op->event_wait(&u->q, u->mark[atomic_load(&u->begun) % MARKS]))) return 1;
    if (!gpu_ranks_ok(h->ctx, u) || travel(h, u, w)) return 1;
    atomic_fetch_add(&u->begun, 1);
    if (!r->watch(r->user, w->op, (ThDtype)w->x->dtype, w->x->size, over, lost, u, why, sizeof why)) return 0;
    lost(u, why);
    return !gpu_ranks_ok(h->ctx, u);
}

/* What follows in the call's queue waits for all that has set out. */
static int wait_for(HostCall *h, GpuRanks *u, const RanksWork *w) {
    DeviceQueue *q = h->gpu->q;
    size_t bytes = (size_t)w->to->size * th_dtype_bytes((ThDtype)w->to->dtype);
    if (!gpu_ranks_ok(h->ctx, u) || gpu_status(h, q->device->op->event_after(q, u->done))) return 1;
    if (w->to->data == w->z->data) return 0;
    return gpu_status(
        h, q->device->op->copy(q, (DeviceAddress)(uintptr_t)w->to->data, (DeviceAddress)(uintptr_t)w->z->data, bytes));
}

int gpu_ranks_do(HostCall *h, GpuRanks **u, const RanksWork *w) {
    if (!*u && !(*u = open_ranks(h))) return 1;
    return w->waits ? wait_for(h, *u, w) : start(h, *u, w);
}
