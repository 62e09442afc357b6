/*
 * simd.h -- block kernels: one function per (primitive, dtype), written once (simd_body.h) and compiled for each
 * instruction set. Value texts of scalar operations become short programs of them (runtime/interp/micro.c). n is a
 * multiple of SIMD_PAD except in folds; operands are dense blocks; o may be a, b or c.
 */
#ifndef TH_SIMD_H
#define TH_SIMD_H

#include "ops/table/ops.h"

enum { SIMD_PAD = 16, SIMD_BLOCK = 512, SIMD_LANE_BYTES = 256 };

/* Operators of value texts first, then the primitives of core/ops. */
#define SIMD_OPERATORS(X) OPERATOR_TABLE(X) X(copy, 1)
typedef enum {
#define X(name, arity) P_##name,
    SIMD_OPERATORS(X)
#undef X
#define PRIM(name, arity, flags, doc) P_##name,
        PRIM_TABLE(PRIM)
#undef PRIM
#define CPRIM(name, arity, flags, doc) P_##name,
            CPRIM_TABLE(CPRIM)
#undef CPRIM
                SIMD_PRIMS
} SimdPrim;

/* Scalar operations with a block kernel of this expression: taken where it is the operation's whole value text. */
/* clang-format off */
#define SIMD_WHOLE(X) \
    X(maximum, "a >= b || a != a ? a : b") \
    X(minimum, "a <= b || a != a ? a : b") \
    X(fmax, "a >= b || b != b ? a : b") \
    X(fmin, "a <= b || b != b ? a : b") \
    X(clip, "a < b ? b : a > c ? c : a") \
    X(sgn, "a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a") \
    X(heaviside, "a < 0 ? 0 : a > 0 ? 1 : a == 0 ? b : a") \
    X(isfinite, "a - a == 0") \
    X(signbit, "copysign(1, a) < 0")
/* clang-format on */
typedef enum {
#define X(name, text) W_##name,
    SIMD_WHOLE(X)
#undef X
        SIMD_WHOLES
} SimdWhole;

typedef void (*SimdFn)(int64_t n, void *o, const void *a, const void *b, const void *c);
/* acc[i] = acc[i] (+) v[i] for i < n; n is any number here */
typedef void (*SimdFold)(int64_t n, void *acc, const void *v);

/* A row of products of q and k: n of them, in memory for `padded` (a multiple of SIMD_PAD), which is 64-aligned. */
typedef struct SimdRow {
    int64_t n, padded, clear; /* clear: the first ones, which no mask changes */
    void *s, *ds;             /* products, then weights; gradient of the weights, then of the products */
    const void *mask;         /* to add, or NULL */
    const uint8_t *pick;      /* or NULL: where a score stays (keep), or where it does not, but becomes `fill` */
    bool keep;
    double scale, fill, most, sum, factor;
} SimdRow;
typedef struct SimdRows { /* simd_rows.h */
    /* s = exp(scores - most), their largest, and their sum */
    void (*forward)(SimdRow *r);
    /* s = p = exp(scores - most) factor; ds = p (ds - sum(p ds)) scale, zero where the mask put a number */
    void (*backward)(const SimdRow *r);
    /* the largest of n numbers, or of their magnitudes; NaN where one is NaN */
    double (*top)(int64_t n, const void *v, bool magnitude);
} SimdRows;

typedef struct SimdFns { /* of n dtypes, the first of which is `first` */
    const SimdFn *at;
    uint8_t first, n;
} SimdFns;

typedef struct SimdTable {
    const char *isa;
    SimdFns prim[SIMD_PRIMS];                    /* simd_prim reads it */
    SimdFn cast[TH_DTYPE_COUNT][TH_DTYPE_COUNT]; /* [to][from] */
    SimdFn whole[SIMD_WHOLES][TH_DTYPE_COUNT];   /* by dtype of the operands; NULL: the text's own kernels */
    SimdFold fold[RED_OR + 1][TH_DTYPE_COUNT];   /* not for ARGMAX and ARGMIN */
    /* The same with SIMD_LANE_BYTES of accumulators that take the values in turns. */
    SimdFold lanes[RED_OR + 1][TH_DTYPE_COUNT];
#ifndef __OPTIMIZE_SIZE__
    /* lanes of a sum of more than caches hold: memory is asked a page ahead, where the processor's own guesses end;
     * NULL: as any other */
    SimdFold ahead[TH_DTYPE_COUNT];
    /* acc[i] (+)= v[i], row by row of v, which are `step` bytes apart; NULL: not there */
    void (*down[RED_MIN + 1][TH_DTYPE_COUNT])(int64_t n, void *acc, int64_t rows, const char *v, int64_t step);
    SimdFn past[SIMD_PRIMS]; /* of float64, whole vectors, results past the caches; NULL: not there */
    /* lanes of a sum, of squares of what floats differ by from *centre; NULL: not there */
    void (*spreads[TH_DTYPE_COUNT])(int64_t n, void *acc, const void *v, const void *centre);
#endif
    SimdFold join[RED_OR + 1][TH_DTYPE_COUNT]; /* these into the first, by halves; n and v do not matter */
    /* lanes of a sum, of products of floats */
    void (*products[TH_DTYPE_COUNT])(int64_t n, void *acc, const void *a, const void *b);
    SimdFold widened; /* lanes of a sum of float64 whose values are float32 */
    /* acc[i] += v[i], floats to doubles; acc[i] += *number v[i]: for rows of v `step` bytes apart, whose numbers are
     * `between` bytes apart */
    void (*widened_each)(int64_t n, void *acc, int64_t rows, const char *v, int64_t step);
    void (*scaled[TH_DTYPE_COUNT])(int64_t n, void *acc, int64_t rows, const char *number, int64_t between,
                                   const char *v, int64_t step);
    /* of the dtypes of most arrays, else NULL: the first of n elements that equals *best (NaN: any NaN), or n; best[i]
     * and its place at[i] replaced where v[i], at `here`, is greater (less), or NaN before which there was none */
    int64_t (*first[TH_DTYPE_COUNT])(int64_t n, const void *best, const void *v);
    void (*place[TH_DTYPE_COUNT])(int64_t n, void *best, int64_t *at, const void *v, int64_t here, bool max);
    SimdRows rows[2]; /* float32, float64 */
    /* `rows` of n elements, which are `step` bytes apart, become n of `rows`, which are `between` bytes apart; for
     * elements of 1, 2, 4, 8 and 16 bytes. */
    void (*turn[5])(int64_t rows, int64_t n, char *to, int64_t between, const char *from, int64_t step);
    /* n elements of 4 and 8 bytes, from the one at `from` back */
    void (*back[2])(int64_t n, char *to, const char *from);
} SimdTable;
/* By dtype of the operands (switch: of its branches); NULL: not defined. */
static inline SimdFn simd_prim(const SimdTable *t, int prim, ThDtype d) {
    const SimdFns *f = &t->prim[prim];
    const int i = (int)d - f->first;
    return i >= 0 && i < f->n ? f->at[i] : NULL;
}

/* special.c: block kernels of the helper texts, the same for every instruction set */
#define PRIM(name, arity, flags, doc) \
    void special_##name##_f64(int64_t n, void *o, const void *a, const void *b, const void *c); \
    void special_##name##_f32(int64_t n, void *o, const void *a, const void *b, const void *c);
SPECIAL_PRIMS(PRIM)
#undef PRIM
#define CPRIM(name, arity, flags, doc) \
    void special_##name##_ThComplex128(int64_t n, void *o, const void *a, const void *b, const void *c); \
    void special_##name##_ThComplex64(int64_t n, void *o, const void *a, const void *b, const void *c);
SPECIAL_CPRIMS(CPRIM)
#undef CPRIM
/* n doubles by `near`, but large ones by sf_far(.., what). */
void special_far_double(SimdFn near, int what, int64_t n, void *o, const void *a);
void special_far_float(SimdFn near, int what, int64_t n, void *o, const void *a);

extern const SimdTable simd_table_sse2, simd_table_avx2, simd_table_avx512;
/* The best table this processor runs; THEANO_ISA=sse2|avx2|avx512 (environment) lowers it, for tests. With the flag
 * repro that of sse2, which fuses nothing, but for what special_own has. */
const SimdTable *simd_table(ThContext *c);
/* special_own_sse2.c: a block kernel that calls nothing of libm that may round, or NULL: the table's is one. */
SimdFn special_own(SimdPrim p, ThDtype d);

#endif
