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

enum { PARTS_A_THREAD = 4, RUNS_A_THREAD = 8 };

typedef struct Share {
    HostCall *h;
    const PoolWork *w;
    const PoolKernels *kern;
    int64_t cuts, rows, pieces; /* parts of an image, rows of results of each; parts of all images */
    int64_t run;                /* parts taken at a time: taking one costs as much as pooling 100 elements */
    size_t line;
    atomic_llong next;
    atomic_bool failed;
} Share;

static const PoolKernels *kernels(ThDtype d) {
    const PoolKernels *k = pool_kernels_sse2;
#if defined(__x86_64__)
    int bytes = isa_vector_bytes();
    if (bytes == 32) k = pool_kernels_avx2;
    if (bytes == 64) k = pool_kernels_avx512;
#endif
    return k + (d == TH_FLOAT64);
}

static void take_parts(int worker, void *user) {
    Share *s = user;
    HostCall call = *s->h;
    const PoolWork *w = s->w;
    call.share = worker;
    PoolPart p = {.w = w, .line = s->line ? call.room(&call, s->line) : NULL};
    if (s->line && !p.line) {
        atomic_store(&s->failed, true);
        return;
    }
    for (int64_t i; (i = atomic_fetch_add_explicit(&s->next, s->run, memory_order_relaxed)) < s->pieces;) {
        for (int64_t end = least(i + s->run, s->pieces); i < end; i++) {
            p.n = i / s->cuts;
            p.q0 = i % s->cuts * s->rows;
            p.q1 = least(p.q0 + s->rows, w->oh);
            if (w->back) s->kern->back(&p);
            else s->kern->pool(&p);
        }
    }
}

int pool_host(HostCall *h, const PoolWork *w) {
    ThContext *c = h->ctx;
    Share s = {.h = h, .w = w, .kern = kernels(w->dtype), .cuts = 1, .rows = w->oh};
    if (w->back && (w->oh == 0 || w->ow == 0)) { /* no window */
        memset(w->to, 0, (size_t)(w->images * w->h * w->w) * th_dtype_bytes(w->dtype));
        return 0;
    }
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
    s.run = s.pieces < threads * RUNS_A_THREAD ? 1 : s.pieces / (threads * RUNS_A_THREAD);
    if (w->back && !w->m && w->mode != POOL_SUM) s.line = (size_t)w->ow * th_dtype_bytes(w->dtype);
    if (threads > 1 && s.pieces > 1) parallel_for(c, threads, take_parts, &s);
    else take_parts(0, &s);
    return atomic_load(&s.failed);
}
