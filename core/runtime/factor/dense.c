/* dense.c -- which kernels on small matrices this processor runs. */
#include "dense.h"

const DenseKernels *dense_kernels(const FactorJob *j) {
#if TH_WIDE
    if (j->vector == 64) return dense_avx512[j->d];
    if (j->vector == 32) return dense_avx2[j->d];
#endif
    return dense_sse2[j->d];
}
