/*
 * kernels.h -- pooling of some rows of one image, and back. micro.h implements this table for float and
 * double; micro_<isa>.c compiles it.
 */
#ifndef TH_POOL_KERNELS_H
#define TH_POOL_KERNELS_H

#include "kernel/pool_work.h"

/* Rows q0 .. q1 of the results of image number n. */
typedef struct PoolPart {
    const PoolWork *w;
    int64_t n, q0, q1;
    void *line; /* room for a row of results */
    bool far;   /* the images lie in no cache: what comes next is asked for */
} PoolPart;

typedef struct PoolKernels {
    void (*pool)(const PoolPart *p);
    void (*back)(const PoolPart *p); /* where windows share rows: all of the image's at once */
} PoolKernels;

/* [0] float32, [1] float64 */
extern const PoolKernels pool_kernels_sse2[2];
#if TH_WIDE
extern const PoolKernels pool_kernels_avx2[2], pool_kernels_avx512[2];
#endif

#endif
