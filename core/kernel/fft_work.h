/*
 * fft_work.h -- Fourier transforms of an array along some of its axes as plain numbers: what the operations (core/ops)
 * hand to the library (core/runtime/fft/work.c) through HostServices.fft. Strides in bytes, of any sign.
 *
 *   FFT_COMPLEX    pairs (re, im) to pairs, sum over j of x[j] exp(-2 pi i j k / n), or with + where `back`
 *   FFT_TO_HALF    numbers to the first n / 2 + 1 of those pairs along the last of the axes; then the others
 *   FFT_FROM_HALF  the way back (with +): pairs along the other axes, then the last one to n numbers, as if the
 *                  conjugate pairs stood there too; imaginary parts of the pairs 0 and n / 2 do not count
 *
 * A line that is longer than n (its half) is cut, a shorter one followed by zeros.
 */
#ifndef TH_FFT_WORK_H
#define TH_FFT_WORK_H

#include "base/base.h"

typedef enum { FFT_COMPLEX, FFT_TO_HALF, FFT_FROM_HALF } FftKind;

typedef struct FftWork {
    ThDtype dtype; /* of the parts: float32 or float64 */
    FftKind kind;
    bool back;    /* FFT_COMPLEX */
    double by;    /* every number of the result times this.. */
    double twice; /* ..and pairs of a half that stand for two, where they come or go, times this */
    int ndim, naxes;
    int8_t axis[TH_MAX_NDIM];
    int64_t n[TH_MAX_NDIM]; /* for each axis in `axis`, positive */
    int64_t in[TH_MAX_NDIM], in_st[TH_MAX_NDIM], out[TH_MAX_NDIM], out_st[TH_MAX_NDIM];
    const char *from;
    char *to; /* dense */
} FftWork;

#endif
