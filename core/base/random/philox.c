/* philox.c -- draws of Philox4x32-10 as runs of counters for the loops of philox_body.h. */
#include "philox.h"

#include <string.h>

static const PhiloxKernels *kernels(void) {
#if TH_WIDE
    int bytes = isa_vector_bytes();
    if (bytes >= 64) return &philox_kernels_avx512;
    if (bytes >= 32) return &philox_kernels_avx2;
#endif
    return &philox_kernels_sse2;
}

int64_t philox_parts(const PhiloxDraw *w) { return (w->n + PHILOX_PART - 1) / PHILOX_PART; }

/* Counter number `from` of the draw and those after it: sums of 128 bits. */
static void put_counters(const PhiloxDraw *w, uint64_t from, PhiloxRun *c) {
    uint64_t low = (uint64_t)w->counter[1] << 32 | w->counter[0], high = (uint64_t)w->counter[3] << 32 | w->counter[2];
    for (int i = 0; i < PHILOX_WIDE; i++) {
        uint64_t a = low + from + (uint64_t)i;
        c->low[i] = a, c->high[i] = high + (a < low);
    }
}

void philox_part(const PhiloxDraw *w, int64_t part) {
    const PhiloxKernels *k = kernels();
    PhiloxRun c __attribute__((aligned(64)));
    char rest[PHILOX_WIDE * 4 * 4] __attribute__((aligned(64)));
    int64_t item = (int64_t)th_dtype_bytes(w->d), each = 16 / item, run = PHILOX_WIDE * each;
    int64_t from = part * PHILOX_PART, to = w->n - from < PHILOX_PART ? w->n : from + PHILOX_PART;
    void (*give)(const PhiloxRun *, void *) = w->d == TH_UINT32    ? k->u32
                                              : w->d == TH_FLOAT32 ? k->f32
                                              : w->d == TH_UINT64  ? k->u64
                                                                   : k->f64;
    for (int64_t i = from; i < to; i += run) {
        int64_t n = to - i < run ? to - i : run;
        char *out = w->out ? (char *)w->out + i * item : rest;
        put_counters(w, (uint64_t)(i / each), &c);
        k->rounds(&c, w->key);
        give(&c, n == run ? out : rest);
        if (n < run && out != rest) memcpy(out, rest, (size_t)(n * item));
        if (w->done) w->done(w->user, out, w->first + i, w->first + i + n);
    }
}
