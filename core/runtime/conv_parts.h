/* conv_parts.h -- what the files of convolution share (conv.c, conv_direct.c). */
#ifndef TH_CONV_PARTS_H
#define TH_CONV_PARTS_H

#include "conv.h"
#include "gemm.h"

typedef struct ConvRun {
    HostCall *h;
    const ConvWork *w;
    const GemmKernels *kern;
    int64_t item;
} ConvRun;

/* conv_direct.c: true when done, *status 0 or (with the error set) 1. */
bool conv_direct_top(ConvRun *r, int64_t group, int *status);
bool conv_direct_filter(ConvRun *r, int64_t group, int *status);
bool conv_outer_filter(ConvRun *r, int64_t group, int *status);
/* conv_fold.c */
bool conv_fold_image(ConvRun *r, int64_t group, int *status);

#endif
