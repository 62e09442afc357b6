/*
 * tune.c -- the flag conv.autotune: the ways of a convolution are timed at its first call, and the fastest is kept
 * for all later calls, those of later processes too (runtime/machine/tuned.c).
 * In: a run. Out: a way. Always holds: a way that does not apply gives way to another (parts.h), so no file can make a
 * result wrong.
 */
#include "parts.h"
#include "runtime/machine/cpu.h"

#include <string.h>

enum { TURNS = 3 };
#define WORTH 0.95 /* of the time of what the cost model says */

/* ---- keys -------------------------------------------------------------------------------------------------------- */
static uint64_t machine_of(const ConvRun *r, const Tuned *t) {
    return hash_bytes(r->kern->name, strlen(r->kern->name), tuned_machine(t));
}

static uint64_t key_of(const ConvRun *r, uint64_t machine, int threads) {
    const ConvWork *w = r->w;
    uint64_t h = hash_mix(machine, (uint64_t)w->dtype * 64 + (uint64_t)w->target * 8 + (uint64_t)w->ndim);
    const int64_t more[] = {
        w->images, w->groups, w->filters, w->channels, w->image_st[1 + w->ndim] == 1, w->top_st[1 + w->ndim] == 1,
        threads};
    h = hash_bytes(more, sizeof more, h);
    for (int d = 0; d < w->ndim; d++) {
        const int64_t x[] = {w->in[d], w->size[d], w->out[d], w->step[d], w->dilation[d], w->pad[d]};
        h = hash_bytes(x, sizeof x, h);
    }
    return h ? h : 1;
}

/* ---- timing ------------------------------------------------------------------------------------------------------ */
static double now(void) { return 1e-9 * (double)base_now(); }

/* Seconds of a call; *status: the error. */
static double once(ConvRun *r, ConvRunFn run, int *status) {
    double start = now();
    *status = run(r);
    return now() - start;
}

/* Least of some calls behind a cold one, which may be all where it takes three times what the best so far does. */
static double seconds(ConvRun *r, ConvWay way, ConvRunFn run, double best, int *status) {
    r->way = way;
    double least = once(r, run, status);
    for (int i = 0; i < TURNS && !*status && least < 3 * best; i++) {
        double t = once(r, run, status);
        if (t < least) least = t;
    }
    return least;
}

static ConvWay fastest(ConvRun *r, ConvRunFn run, int *status) {
    enum { MOST = 7 };
    static const uint8_t ways[3][MOST] = {
        {CONV_DIRECT, CONV_LANES, CONV_GEMM, CONV_FFT, CONV_WINOGRAD, CONV_WINOGRAD2},
        {CONV_SPREAD, CONV_FOLD, CONV_DIRECT, CONV_GEMM, CONV_FFT, CONV_WINOGRAD, CONV_WINOGRAD2},
        {CONV_LANES, CONV_DIRECT, CONV_GEMM, CONV_FFT, CONV_WINOGRAD, CONV_WINOGRAD2}};
    ConvWay best = CONV_AUTO;
    double least = seconds(r, CONV_AUTO, run, 1e30, status) * WORTH;
    for (int i = 0; i < MOST && !*status; i++) {
        ConvWay way = (ConvWay)ways[r->w->target][i];
        if (way == CONV_AUTO || (way == CONV_FFT && !conv_fft_applies(r))) continue;
        if (conv_is_winograd(way) && !conv_winograd_applies(r)) continue;
        double t = seconds(r, way, run, least, status);
        if (t < least) least = t, best = way;
    }
    return best;
}

bool conv_tuned(const ConvRun *r, ConvRunFn run, ConvWay *way, int *status) {
    ThContext *c = r->h->ctx;
    Cpu *u = cpu_of(c);
    if (!u) return *status = 1, false;
    int threads = parallel_threads(c); /* asks for the lock too */
    os_lock(&u->lock);
    if (!u->conv_tuned) u->conv_tuned = tuned_open(c, "lua-conv.tuned");
    Tuned *t = u->conv_tuned;
    uint64_t key = t ? key_of(r, machine_of(r, t), threads) : 0, found = 0;
    bool known = t && tuned_get(t, key, CONV_WAYS, &found);
    os_unlock(&u->lock);
    if (!t) return *status = 1, false;
    *way = (ConvWay)found;
    if (known) return true;
    ConvRun timed = *r;
    *way = fastest(&timed, run, status);
    if (*status) return false;
    os_lock(&u->lock);
    bool kept = tuned_put(t, key, *way);
    os_unlock(&u->lock);
    if (kept) tuned_save(c, t, key, *way);
    return true;
}
