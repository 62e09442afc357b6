/* conv_parts.h -- what the files of convolution share (conv.c, conv_direct.c). */
#ifndef TH_CONV_PARTS_H
#define TH_CONV_PARTS_H

#include "conv.h"
#include "gemm.h"

/* How: by tiles along rows (direct), along filters (outer), tile by tile added up (fold), by products of packed windows
 * (gemm), by transforms (fft). A way that does not apply to a shape gives way to the next one of these. */
typedef enum { CONV_AUTO, CONV_DIRECT, CONV_OUTER, CONV_FOLD, CONV_GEMM, CONV_FFT, CONV_WAYS } ConvWay;

typedef struct ConvRun {
    HostCall *h;
    ConvWay way; /* CONV_AUTO: the first that applies and pays */
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
/* conv_choice.c: the flags conv.algorithm and conv.autotune, or what costs least. */
ConvWay conv_way(const ConvRun *r);
ConvWay conv_way_named(const char *name);
double conv_tiles_ns(const ConvRun *r); /* predictions */
double conv_fft_ns(const ConvRun *r);
/* conv_fft.c: false also where the result is not finite, the result being unfinished then. */
bool conv_fft(ConvRun *r, int64_t group, int *status);
bool conv_fft_applies(const ConvRun *r);
/* About how many vector operations it takes. */
double conv_fft_cost(const ConvRun *r);

#endif
