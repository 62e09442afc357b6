/*
 * then.c -- what follows a convolution: the bias of each filter, and a function of the sum, on one image's results
 * while they are in the cache.
 * In: top of an image, dense. Out: the same places. The kernels are the interpreter's (simd.h), so the bits are those
 * of the operations apart.
 */
#include "parts.h"
#include "runtime/simd/simd.h"

#include <string.h>

typedef struct Then {
    SimdFn add, fn, abs, mul;
    _Alignas(64) char bias[SIMD_BLOCK * 8], half[SIMD_BLOCK * 8], size[SIMD_BLOCK * 8], part[SIMD_BLOCK * 8];
} Then;

/* n times the value, n a multiple of SIMD_PAD. */
static void fill(char *to, const void *value, int64_t item, int64_t n) {
    enum { LINE = 64 };
    char line[LINE];
    for (int64_t i = 0; i < LINE; i += item) memcpy(line + i, value, (size_t)item);
    for (int64_t i = 0; i < n * item; i += LINE) memcpy(to + i, line, LINE);
}

/* n, a multiple of SIMD_PAD and at most SIMD_BLOCK, elements at p. */
static void on_block(Then *t, ConvThen then, char *p, int64_t n) {
    t->add(n, p, p, t->bias, NULL);
    if (then == CONV_THEN_RELU) { /* as it is written: (v + |v|) * 1/2 */
        t->abs(n, t->size, p, NULL, NULL);
        t->add(n, p, p, t->size, NULL);
        t->mul(n, p, t->half, p, NULL);
    } else if (t->fn) {
        t->fn(n, p, p, NULL, NULL);
    }
}

static void on_row(Then *t, ConvThen then, char *p, int64_t n, int64_t item) {
    int64_t whole = n / SIMD_PAD * SIMD_PAD, i = 0;
    for (; i < whole; i += SIMD_BLOCK) on_block(t, then, p + i * item, min64(SIMD_BLOCK, whole - i));
    if (whole == n) return;
    memset(t->part, 0, (size_t)(SIMD_PAD * item));
    memcpy(t->part, p + whole * item, (size_t)((n - whole) * item));
    on_block(t, then, t->part, SIMD_PAD);
    memcpy(p + whole * item, t->part, (size_t)((n - whole) * item));
}

void conv_then(const ConvRun *r, int64_t group, int64_t image) {
    const ConvWork *w = r->w;
    int64_t n = w->image0 + image, first = w->filter0 + group * w->filters;
    if (w->done) w->done(w->user, n, n + 1, first, first + w->filters);
    if (!w->bias) return;
    const SimdTable *simd = simd_table();
    const ThDtype d = w->dtype;
    Then t; /* its blocks are as long as needed */
    t.add = simd->prim[P_add][d], t.abs = simd->prim[P_abs][d], t.mul = simd->prim[P_mul][d], t.fn = NULL;
    if (w->then == CONV_THEN_TANH) t.fn = simd->prim[P_tanh][d];
    if (w->then == CONV_THEN_SIGMOID) t.fn = simd->prim[P_sigmoid][d];
    const double half = 0.5;
    const float half32 = 0.5f;
    int64_t places = 1;
    for (int i = 0; i < w->ndim; i++) places *= w->out[i];
    const int64_t block = min64(up(places, SIMD_PAD), SIMD_BLOCK);
    fill(t.half, d == TH_FLOAT32 ? (const void *)&half32 : (const void *)&half, r->item, block);
    for (int64_t o = group * w->filters; o < (group + 1) * w->filters; o++) {
        fill(t.bias, w->bias + o * w->bias_st * r->item, r->item, block);
        on_row(&t, w->then, w->top + (image * w->top_st[0] + o * w->top_st[1]) * r->item, places, r->item);
    }
}
