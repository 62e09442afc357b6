/* attention.h -- the kernels of attention.c (floats) and attention_cores.c (halves), and what both are given. */
#ifndef TH_GPU_ATTENTION_H
#define TH_GPU_ATTENTION_H

#include "gpu.h"

/* ATTEND_LONG: ATTEND_KEYS of more features than a block of attention_cores.c keeps. */
enum { ATTEND_ROWS, ATTEND_FORWARD, ATTEND_QUERIES, ATTEND_KEYS, ATTEND_SUM, ATTEND_LONG };

GPU_RECORD(AttendArgs, {
    i64 *err, step;
    const char *x, *y, *x2, *y2, *w, *mask, *z;
    char *out, *out2, *dq, *more, *stats, *rows;
    i64 sx[3];
    i64 sy[3];
    i64 sx2[3];
    i64 sy2[3];
    i64 sw[3];
    i64 sz[3];
    i64 sout[3];
    i64 sout2[3];
    i64 sdq[3];
    i64 smask[3];
    i64 batch, own, walked, deep, deep2, wide, kind, parts, segments;
    f64 scale, fill;
})

/* Where a segment adds up its dq of matrix b, in T, or NULL; and all segments' sums, one after the other. */
/* clang-format off */
static const char attend_sum_text[] __attribute__((unused)) = GPU_TEXT(
    INLINE T *attend_sums(const AttendArgs *a, i64 segment, i64 b) {
        if (!a->dq) return (T *)0;
        if (segment == 0) return (T *)a->dq + b * a->sdq[0];
        return (T *)a->more + ((segment - 1) * a->batch + b) * a->walked * a->deep;
    }
    KERNEL attend_sum(const AttendArgs a) {
        SHARED;
        const i64 all = a.batch * a.walked * a.deep;
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * 256 + threadIdx.x; e < all; e += gridDim.x * (i64)256) {
            const i64 row = e / a.deep;
            T *const at = (T *)a.dq + row / a.walked * a.sdq[0] + row % a.walked * a.sdq[1] + e % a.deep * a.sdq[2];
            T sum = *at;
            for (i64 s = 1; s < a.segments; s++) sum += ((const T *)a.more)[(s - 1) * all + e];
            *at = sum;
        }
        (void)sh;
    }
);
/* clang-format on */

#endif
