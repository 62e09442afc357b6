/* work.h -- Fourier transforms of arrays: what host calls reach (kernel/fft_work.h). */
#ifndef TH_FFT_CALL_H
#define TH_FFT_CALL_H

#include "graph/op.h"
#include "stage.h"

/* HostServices.fft: 0, or nonzero with the error set. The result does not overlap what it is made from. */
int fft_host(HostCall *h, const FftWork *w);

/* A work as stages, one after the other, without where they read and write: the first reads the array, the last writes
 * the result; of FFT_FROM_HALF those between have a room of `pairs` bytes, all others work in the result. */
typedef struct FftStages {
    FftStage at[TH_MAX_NDIM];
    int n, planned;
    int64_t len[TH_MAX_NDIM]; /* of what the next stage reads: what is there, then what was made */
    int64_t st[TH_MAX_NDIM];
    int64_t pairs, pairs_st[TH_MAX_NDIM];
} FftStages;
void fft_stages(const FftWork *w, FftStages *s);

#endif
