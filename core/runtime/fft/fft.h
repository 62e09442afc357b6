/*
 * fft.h -- Fourier transforms of float32 and float64 on lanes: each element is one vector of real parts and one of
 * imaginary parts, and every lane is a transform of its own. So no transform ever shuffles; tiles of vectors are
 * transposed between the dimensions instead.
 *
 * Not scaled: forth and back multiplies by the length. The bits depend on the length, the values and the instruction
 * set. The error of an element is at most about FFT_ERROR_STEPS * log2(n) * epsilon times the norm of what comes in.
 */
#ifndef TH_FFT_H
#define TH_FFT_H

#include "base/base.h"

enum { FFT_PASSES = 40, FFT_PRIME = 31 };

/* Transforms of length n = product of its radices: 8, 5, 4, 3, 2 and the primes from 7 to FFT_PRIME. */
typedef struct FftPlan {
    int64_t n;
    int passes;
    uint8_t radix[FFT_PASSES];
    const void *twiddles; /* pass by pass, position by position: radix - 1 complex numbers of the dtype; a prime from 7
                             on has all its roots before */
} FftPlan;

/* out[a][b] (+)= sum over k of u[a][k] * v[b][k], or its conjugate, for n elements of each plane; strides of planes in
 * numbers of the dtype. */
typedef struct FftSums {
    const void *u, *v;
    void *out;
    int64_t ua, uk, vb, vk, oa, ob, a, b, k, n;
    bool conjugate, add;
} FftSums;

typedef struct FftKernels { /* of one instruction set and dtype */
    int64_t vl;             /* lanes */
    /* dst = transform of src; tmp and dst are p->n elements, src is neither of them. */
    void (*transform)(const FftPlan *p, const void *src, void *dst, void *tmp, bool back);
    /* The first half + 1 elements of the transform of 2 * half reals, from that of their pairs as complex numbers; w:
     * exp(-i pi k / half), k = 0 .. half. Element k goes to `to` + k * step. And back, onto twice the pairs. */
    void (*split)(const void *pairs, const void *w, int64_t half, void *to, int64_t step);
    void (*join)(const void *from, int64_t step, const void *w, int64_t half, void *pairs);
    /* vl x vl numbers: to[j * ts + i] = from[i * fs + j] */
    void (*transpose)(const void *from, int64_t fs, void *to, int64_t ts);
    void (*sums)(const FftSums *s);
    /* Between numbers that lie as pairs (re, im) and elements. n rows of `lanes` pairs, `step` numbers apart: lanes
     * past them are loaded as 0 and not stored; what is stored is multiplied by `by`. */
    void (*load)(const void *from, int64_t step, int64_t n, int lanes, void *to);
    void (*store)(const void *from, int64_t n, void *to, int64_t step, int lanes, double by);
    void (*turn)(const void *x, const void *w, int64_t n, void *to, int64_t step,
                 bool back); /* to[i * step] = x[i] w[i] */
    void (*square)(const void *from, int64_t fs,
                   void *to); /* vl elements from vl rows of them: lanes become elements */
    void (*product)(const void *x, const void *w, int64_t n, void *y, bool back); /* element i by the number w[i] */
    void (*scale)(void *at, int64_t n, double by);                                /* n numbers */
    void (*pairs_product)(const void *x, const void *w, int64_t n, void *y, bool back, double by); /* x w `by`, pairs */
    void (*pairs_split)(const void *pairs, const void *w, int64_t half, void *to, double by); /* as split and join.. */
    void (*pairs_join)(const void *from, const void *w, int64_t half, void *pairs);           /* ..all as pairs */
} FftKernels;

/* [0] float32, [1] float64 */
extern const FftKernels *const fft_kernels_sse2[2];
#if TH_WIDE
extern const FftKernels *const fft_kernels_avx2[2];
extern const FftKernels *const fft_kernels_avx512[2];
#endif

const FftKernels *fft_kernels(ThDtype dtype); /* the best that this processor can run */

/* The length from n on whose transforms cost least. even: a multiple of two (n itself may be 1 otherwise). */
int64_t fft_length(int64_t n, bool even);
/* About how many vector operations a transform of length n takes; infinite where a plan has no radices for it. */
double fft_cost(int64_t n);
/* Fills p for length n; its twiddles go to `room`, of fft_twiddles(n) complex numbers of the dtype. */
void fft_plan(FftPlan *p, int64_t n, ThDtype dtype, void *room);
int64_t fft_twiddles(int64_t n);
/* exp(-2 pi i k / n) for k = 0 .. count - 1, as complex numbers of the dtype, correct to the last place. */
void fft_roots(int64_t n, int64_t count, ThDtype dtype, void *to);

/* Any of them: roots of n, taken from small tables in long double. */
typedef struct FftCircle {
    int64_t n;
    int levels;
    long double table[4][256][2]; /* cos and sin of 2 pi k 256^level / (8 n), k < 256, as far as an eighth goes */
} FftCircle;
void fft_circle(FftCircle *c, int64_t n);
void fft_root(const FftCircle *c, int64_t k, double *re, double *im); /* 0 <= k < n */
void fft_put(ThDtype dtype, void *to, int64_t at, double re, double im);

#endif
