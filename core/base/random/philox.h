/*
 * philox.h -- Philox4x32-10 of Salmon, Moraes, Dror and Shaw (Random123): four words that depend on a counter of four
 * words and a key of two alone. A draw of n words takes counters that follow each other, the first word of each lowest;
 * word i of the draw is word i mod 4 of counter number i / 4.
 */
#ifndef TH_BASE_RANDOM_PHILOX_H
#define TH_BASE_RANDOM_PHILOX_H

#include "base/random/done.h"

typedef struct PhiloxDraw {
    uint32_t key[2], counter[4];
    int64_t n; /* elements */
    ThDtype d; /* uint32: a word each; uint64: two, the first one lowest; float32: 24 bits of one; float64: 53 of two */
    void *out; /* NULL: only `done` sees them, some at a time */
    RandomDone done; /* or NULL */
    void *user;
    int64_t first; /* number of element 0 among all that is drawn */
} PhiloxDraw;
/* Elements [PHILOX_PART * part, ..) of it; parts may be drawn at the same time. */
enum { PHILOX_PART = 1 << 14 };
int64_t philox_parts(const PhiloxDraw *w);
void philox_part(const PhiloxDraw *w, int64_t part);

/* ---- the loops, one source for each instruction set -------------------------------------------------------------- */
enum { PHILOX_WIDE = 256 }; /* counters at a time */
typedef struct PhiloxRun {  /* the first two words of each counter, the lower one first, and the others; then.. */
    uint64_t low[PHILOX_WIDE], high[PHILOX_WIDE];
} PhiloxRun; /* ..those of what comes of it */
typedef struct PhiloxKernels {
    void (*rounds)(PhiloxRun *c, const uint32_t *key);
    /* all of them in order */
    void (*u32)(const PhiloxRun *c, void *out);
    void (*f32)(const PhiloxRun *c, void *out);
    void (*u64)(const PhiloxRun *c, void *out);
    void (*f64)(const PhiloxRun *c, void *out);
} PhiloxKernels;
extern const PhiloxKernels philox_kernels_sse2;
#if TH_WIDE
extern const PhiloxKernels philox_kernels_avx2, philox_kernels_avx512;
#endif

#endif
