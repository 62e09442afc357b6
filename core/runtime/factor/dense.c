/* dense.c -- which kernels on small matrices this processor runs. */
#include "dense.h"

const DenseKernels *dense_kernels(int d) {
#if defined(__x86_64__)
    if (isa_vector_bytes() == 64) return dense_avx512[d];
    if (isa_vector_bytes() == 32) return dense_avx2[d];
#endif
    return dense_sse2[d];
}
