/* attention.h -- the kernels of attention.c (floats) and attention_cores.c (halves), and what both are given. */
#ifndef TH_GPU_ATTENTION_H
#define TH_GPU_ATTENTION_H

#include "gpu.h"

/* ATTEND_LONG: ATTEND_KEYS of more features than a block of attention_cores.c keeps. */
enum { ATTEND_ROWS, ATTEND_FORWARD, ATTEND_QUERIES, ATTEND_KEYS, ATTEND_SUM, ATTEND_LONG };

GPU_RECORD(AttendArgs, {
    i64 *err, step;
    const char *x, *y, *x2, *y2, *w, *mask, *z;
    char *out, *out2, *dq, *more, *stats, *rows, *rounded;
    i64 sx[4];
    i64 sy[4];
    i64 sx2[4];
    i64 sy2[4];
    i64 sw[4];
    i64 sz[4];
    i64 sout[4];
    i64 sout2[4];
    i64 sdq[4];
    i64 smask[3];
    i64 batch, heads, own, walked, deep, deep2, wide, kind, parts, segments, narrow;
    f64 scale, fill;
})

/* Steps are from one of the batch to the next (of matrices where there are no heads), from position to position, from
 * feature to feature, from head to head. `rounded`: the result once more, as a half; `narrow`: results are halves, and
 * all sums of dq are in `more`. Where a segment adds up its dq of a matrix, in T, or NULL; and all segments' sums. */
/* clang-format off */
static const char attend_sum_text[] __attribute__((unused)) = GPU_TEXT(
    typedef struct { i64 outer, head; } Matrix;
    INLINE Matrix matrix_of(const AttendArgs *a, i64 b) {
        Matrix m;
        m.outer = a->heads == 1 ? b : b / a->heads;
        m.head = a->heads == 1 ? 0 : b % a->heads;
        return m;
    }
    INLINE i64 number_of(const AttendArgs *a, Matrix m) { return m.outer * a->heads + m.head; }
    INLINE i64 begin_of(const i64 *st, Matrix m) { return m.outer * st[0] + m.head * st[3]; }
    INLINE T *attend_sums(const AttendArgs *a, i64 segment, Matrix m) {
        const i64 b = number_of(a, m);
        if (!a->dq) return (T *)0;
        if (a->narrow) return (T *)a->more + (segment * a->batch + b) * a->walked * a->deep;
        if (segment == 0) return (T *)a->dq + begin_of(a->sdq, m);
        return (T *)a->more + ((segment - 1) * a->batch + b) * a->walked * a->deep;
    }
    KERNEL attend_sum(const AttendArgs a) {
        SHARED;
        const i64 all = a.batch * a.walked * a.deep;
        const i64 more = a.narrow ? a.segments : a.segments - 1;
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * 256 + threadIdx.x; e < all; e += gridDim.x * (i64)256) {
            const i64 row = e / a.deep;
            const i64 at = begin_of(a.sdq, matrix_of(&a, row / a.walked)) + row % a.walked * a.sdq[1] + e % a.deep * a.sdq[2];
            T sum = a.narrow ? ((const T *)a.more)[e] : ((const T *)a.dq)[at];
            for (i64 s = a.narrow; s < more; s++) sum += ((const T *)a.more)[s * all + e];
            if (a.narrow) NARROW((u16 *)a.dq + at, sum);
            else ((T *)a.dq)[at] = sum;
        }
        (void)sh;
    }
);
/* clang-format on */

#endif
