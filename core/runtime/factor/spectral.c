/* spectral.c -- which kernels for QR, singular values and eigenvalues this processor runs. */
#include "spectral.h"

const SpectralKernels *spectral_kernels(const FactorJob *j, int d) {
#if TH_WIDE
    if (j->vector == 64) return spectral_avx512[d];
    if (j->vector == 32) return spectral_avx2[d];
#endif
    return spectral_sse2[d];
}

const SchurKernels *spectral_schur(const FactorJob *j, int d) {
#if TH_WIDE
    if (j->vector == 64) return spectral_schur_avx512[d - FACTOR_C64];
    if (j->vector == 32) return spectral_schur_avx2[d - FACTOR_C64];
#endif
    return spectral_schur_sse2[d - FACTOR_C64];
}
