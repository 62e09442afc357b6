/* work.h -- Fourier transforms of arrays: what host calls reach (kernel/fft_work.h). */
#ifndef TH_FFT_CALL_H
#define TH_FFT_CALL_H

#include "graph/op.h"

/* HostServices.fft: 0, or nonzero with the error set. The result does not overlap what it is made from. */
int fft_host(HostCall *h, const FftWork *w);

#endif
