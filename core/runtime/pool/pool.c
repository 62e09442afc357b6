/*
 * pool.c -- pooling of float32 and float64 over two dimensions, and its gradients, in parts that several threads
 * compute. In: a PoolWork. Out: its result, every element. Always holds: each element is computed by one part from its
 * own windows alone, in their order, so the bits depend on neither threads nor instruction set.
 */
#include "pool.h"
#include "runtime/machine/cpu.h"
#include "parts.h"

#include <stdatomic.h>
#include <string.h>

enum {
    PARTS_A_THREAD = 4,
    RUNS_A_THREAD = 8,
    MOST_AT_ONCE = 1 << 24, /* elements of windows */
    FAR = 8 << 20 /* bytes of images from which asking ahead pays: 20 to 30 % there, it costs a third of 2 MB */
};

typedef struct Share {
    HostCall *h;
    const PoolWork *w;
    const PoolKernels *kern;
    int64_t cuts, rows, pieces; /* parts of an image, rows of results of each; parts of all images */
    int64_t run;                /* parts taken at a time: taking one costs as much as pooling 100 elements */
    size_t line;
    bool far;
    atomic_llong next;
    atomic_bool failed;
} Share;

/* Images [from, to) of all channels are pooled: as an image's channels, whole images, an image's channels. */
static void images_done(const PoolWork *w, int64_t from, int64_t to) {
    int64_t c = w->channels, a = w->image0 + from, end = w->image0 + to;
    if (a % c) {
        int64_t most = least(a - a % c + c, end);
        w->done(w->user, a / c, a / c + 1, a % c, most - (a - a % c));
        a = most;
    }
    if (end - a >= c) w->done(w->user, a / c, end / c, 0, c), a = end - end % c;
    if (a < end) w->done(w->user, a / c, a / c + 1, 0, end - a);
}

static const PoolKernels *kernels(ThDtype d) {
    const PoolKernels *k = pool_kernels_sse2;
#if TH_WIDE
    int bytes = isa_vector_bytes();
    if (bytes == 32) k = pool_kernels_avx2;
    if (bytes == 64) k = pool_kernels_avx512;
#endif
    return k + (d == TH_FLOAT64);
}

/* The rows [q0, q1) of a part: where their windows are large some at a time, so that it can be stopped between them. */
static void pool_rows(PoolPart *p, const Share *s) {
    const PoolWork *w = p->w;
    const int64_t q0 = p->q0, q1 = p->q1, row = w->ow * w->ws[0] * w->ws[1] + 1;
    const int64_t each = row < MOST_AT_ONCE ? MOST_AT_ONCE / row : 1;
    for (int64_t q = q0; q < q1 && !host_leaves(s->h); q += each) {
        p->q0 = q, p->q1 = least(q + each, q1);
        s->kern->pool(p);
    }
}

static void take_parts(int worker, void *user) {
    Share *s = user;
    HostCall call = *s->h;
    const PoolWork *w = s->w;
    call.share = worker;
    PoolPart p = {.w = w, .line = s->line ? call.room(&call, s->line) : NULL, .far = s->far};
    if (s->line && !p.line) {
        atomic_store(&s->failed, true);
        return;
    }
    for (int64_t i; (i = atomic_fetch_add_explicit(&s->next, s->run, memory_order_relaxed)) < s->pieces;) {
        int64_t first = i, end = least(i + s->run, s->pieces);
        for (; i < end && !host_leaves(&call); i++) {
            p.n = i / s->cuts;
            p.q0 = i % s->cuts * s->rows;
            p.q1 = least(p.q0 + s->rows, w->oh);
            if (w->back) s->kern->back(&p);
            else pool_rows(&p, s);
        }
        if (w->done && s->cuts == 1) images_done(w, first, end);
    }
}

/* What follows images that were pooled in parts: some of them a thread. */
static void after_parts(int part, void *user) {
    const PoolWork *w = ((const Share *)user)->w;
    int64_t from = w->images * part / HOST_SHARES, to = w->images * (part + 1) / HOST_SHARES;
    if (from < to) images_done(w, from, to);
}

int pool_host(HostCall *h, const PoolWork *w) {
    ThContext *c = h->ctx;
    Share s = {.h = h, .w = w, .kern = kernels(w->dtype), .cuts = 1, .rows = w->oh};
    if (w->back && (w->oh == 0 || w->ow == 0)) { /* no window */
        memset(w->to, 0, (size_t)(w->images * w->h * w->w) * th_dtype_bytes(w->dtype));
        return 0;
    }
    if (!w->back && (w->images == 0 || w->oh == 0 || w->ow == 0)) return 0;
    bool shared_rows = w->back && w->st[0] < w->ws[0],
         large = w->images * w->h * w->w >= config_int(c, "openmp_elemwise_minsize");
    int threads = large ? parallel_threads(c) : 1;
    if (threads > HOST_SHARES || (threads > 1 && c->host.parallel_for)) threads = HOST_SHARES;
    int64_t many = (int64_t)threads * PARTS_A_THREAD;
    if (threads > 1 && w->images < many && !shared_rows) {
        int64_t each = (many + w->images - 1) / w->images;
        s.rows = (w->oh + each - 1) / each;
        s.cuts = (w->oh + s.rows - 1) / s.rows;
    }
    s.pieces = w->images * s.cuts;
    s.far = w->images * w->h * w->w * (int64_t)th_dtype_bytes(w->dtype) >= FAR;
    s.run = s.pieces < threads * RUNS_A_THREAD ? 1 : s.pieces / (threads * RUNS_A_THREAD);
    if (w->back && !w->m && w->mode != POOL_SUM) s.line = (size_t)w->ow * th_dtype_bytes(w->dtype);
    if (threads > 1 && s.pieces > 1) parallel_for(c, threads, take_parts, &s);
    else take_parts(0, &s);
    if (atomic_load(&s.failed)) return 1;
    if (host_leaves(h)) return 0;
    if (w->done && s.cuts > 1) parallel_for(c, HOST_SHARES, after_parts, &s);
    return 0;
}

void pool_work(PoolWork *w, const CallWork *call) {
    const int64_t *at = call->numbers;
    *w = (PoolWork){.dtype = (ThDtype)call->dtype, .x = call->a, .to = call->c, .done = call->done, .user = call->user};
    w->mode = (PoolMode)at[0];
    w->ignore_border = at[1];
    w->channels = at[3];
    w->images = at[2] * at[3];
    for (int d = 0; d < 2; d++) w->ws[d] = at[4 + 5 * d], w->st[d] = at[5 + 5 * d], w->pad[d] = at[6 + 5 * d];
    w->h = at[7], w->oh = at[8];
    w->w = at[12], w->ow = at[13];
}

int pool_call(HostCall *h, const CallWork *call) {
    PoolWork w;
    pool_work(&w, call);
    return pool_host(h, &w);
}
