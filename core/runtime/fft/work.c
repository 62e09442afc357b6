/*
 * work.c -- an array transformed along some of its axes. In: a FftWork. Out: its result, every element. One stage an
 * axis, each over all lines; the first reads the array, the others work where its results lie. On a way back to numbers
 * these are pairs in a room of their own.
 */
#include "work.h"

#include "library.h"
#include "stage.h"

#include <string.h>

enum { ALIGN = 64 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Lengths as far as anything reads them. */
static void start(const FftWork *w, FftStages *s) {
    memcpy(s->len, w->in, sizeof s->len);
    memcpy(s->st, w->in_st, sizeof s->st);
    for (int i = 0; i < w->naxes; i++) {
        int64_t n = w->n[i], units = w->kind == FFT_FROM_HALF && i == w->naxes - 1 ? n / 2 + 1 : n;
        s->len[w->axis[i]] = least(s->len[w->axis[i]], units);
    }
    if (w->kind != FFT_FROM_HALF || w->naxes == 1) return;
    int64_t made[TH_MAX_NDIM];
    memcpy(made, s->len, sizeof made);
    for (int i = 0; i < w->naxes - 1; i++) made[w->axis[i]] = w->n[i];
    s->pairs = 2 * (int64_t)th_dtype_bytes(w->dtype);
    for (int d = w->ndim - 1; d >= 0; d--) s->pairs_st[d] = s->pairs, s->pairs *= made[d];
}

/* Axis number i of the work, from strides s->st to `to`. */
static void add(const FftWork *w, FftStages *s, int i, FftKind kind, bool back, const int64_t *to) {
    FftStage *x = &s->at[s->n++];
    int axis = w->axis[i];
    *x = (FftStage){.kind = kind, .dtype = w->dtype, .back = back, .n = w->n[i], .by = 1, .twice = 1};
    x->have = s->len[axis], x->fs = s->st[axis], x->ts = to[axis];
    for (int d = 0; d < w->ndim; d++)
        if (d != axis) x->dim[x->ndim++] = (FftDim){s->len[d], s->st[d], to[d]};
    if (kind != FFT_COMPLEX) x->twice = w->twice;
    s->len[axis] = kind == FFT_TO_HALF ? x->n / 2 + 1 : x->n;
    memcpy(s->st, to, sizeof s->st);
}

void fft_stages(const FftWork *w, FftStages *s) {
    int last = w->naxes - 1;
    s->n = s->planned = 0, s->pairs = 0;
    start(w, s);
    if (w->kind == FFT_TO_HALF) add(w, s, last, FFT_TO_HALF, false, w->out_st);
    for (int i = 0; i < (w->kind == FFT_COMPLEX ? w->naxes : last); i++)
        add(w, s, i, FFT_COMPLEX, w->kind == FFT_FROM_HALF || (w->kind == FFT_COMPLEX && w->back),
            w->kind == FFT_FROM_HALF ? s->pairs_st : w->out_st);
    if (w->kind == FFT_FROM_HALF) add(w, s, last, FFT_FROM_HALF, true, w->out_st);
    s->at[s->n - 1].by = w->by;
}

static bool plan(ThContext *c, FftStages *s, size_t *bytes) {
    size_t most = 0;
    for (; s->planned < s->n; s->planned++) {
        FftStage *x = &s->at[s->planned];
        if (!fft_stage_plan(c, x)) return false;
        if (fft_stage_bytes(x) > most) most = fft_stage_bytes(x);
    }
    *bytes = most + ((size_t)s->pairs + ALIGN - 1) / ALIGN * ALIGN;
    return true;
}

static void run(HostCall *h, const FftWork *w, FftStages *s, char *room) {
    char *pairs = room, *rest = room + ((size_t)s->pairs + ALIGN - 1) / ALIGN * ALIGN;
    const char *from = w->from;
    for (int i = 0; i < s->n && !host_leaves(h); i++) {
        FftStage *x = &s->at[i];
        x->from = from, x->ctx = h->ctx, x->early = h->early;
        x->to = w->kind == FFT_FROM_HALF && i < s->n - 1 ? pairs : w->to;
        if (!fft_library_run(h->ctx, x)) fft_stage_run(h->ctx, x, rest);
        from = x->to;
    }
}

int fft_host(HostCall *h, const FftWork *w) {
    ThContext *c = h->ctx;
    FftStages s;
    size_t bytes = 0;
    char *room = NULL;
    for (int i = 0; i < w->naxes; i++)
        if (w->n[i] > INT32_MAX) {
            err(c, TH_ValueError, "fft: %lld numbers are too many for a transform", (long long)w->n[i]);
            return 1;
        }
    fft_stages(w, &s);
    bool ok = plan(c, &s, &bytes) && (bytes == 0 || (room = h->room(h, bytes)));
    if (ok) run(h, w, &s, room);
    for (int i = 0; i < s.planned; i++) fft_stage_done(c, &s.at[i]);
    return !ok;
}
