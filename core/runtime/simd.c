/* simd.c -- picks the instruction set of the block kernels: what the processor has, lowered by THEANO_ISA for tests. */
#include "simd.h"

#include <stdlib.h>
#include <string.h>

const SimdTable *simd_table(void) {
#if defined(__x86_64__)
    const char *want = getenv("THEANO_ISA");
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx512 && !(want && strcmp(want, "avx512"))) return &simd_table_avx512;
    if (avx2 && !(want && !strcmp(want, "sse2"))) return &simd_table_avx2;
#endif
    return &simd_table_sse2;
}
