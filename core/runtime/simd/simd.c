/* simd.c -- picks the instruction set of the block kernels. */
#include "simd.h"

const SimdTable *simd_table(ThContext *c) {
    if (config_bool(c, "repro")) return &simd_table_sse2;
#if TH_WIDE
    int bytes = isa_vector_bytes();
    if (bytes == 64) return &simd_table_avx512;
    if (bytes == 32) return &simd_table_avx2;
#endif
    return &simd_table_sse2;
}
