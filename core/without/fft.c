/*
 * fft.c -- Fourier transforms in a library that was built without them; convolutions go other ways.
 */
#include "runtime/conv/conv.h"
#include "runtime/conv/parts.h"
#include "runtime/fft/work.h"
#include "runtime/gpu/gpu.h"

#include <math.h>

#if !TH_FFT
int fft_host(HostCall *h, const FftWork *w) {
    (void)w;
    err(h->ctx, TH_NotImplementedError, "Fourier transforms: this library was built without them (TH_FFT=OFF)");
    return 1;
}

bool conv_fft_applies(const ConvRun *r) {
    (void)r;
    return false;
}

double conv_fft_cost(const ConvRun *r) {
    (void)r;
    return INFINITY;
}

bool conv_fft(ConvRun *r, int64_t group, int *status) {
    (void)r, (void)group, (void)status;
    return false;
}

#if TH_CUDA
static bool none(int variant) {
    (void)variant;
    return false;
}

const GpuFamily gpu_ffts = {.name = "Fourier transforms", .has = none};

int gpu_fft(HostCall *h, const FftWork *w) { return fft_host(h, w); }

GpuDone gpu_cufft(HostCall *h, GpuFourier *u, const GpuLines *l) {
    (void)h, (void)u, (void)l;
    return GPU_NOT;
}

void gpu_cufft_close(GpuFourier *u) { (void)u; }
#endif
#endif
