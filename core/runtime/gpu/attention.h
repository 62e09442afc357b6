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

#endif
