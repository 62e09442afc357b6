/*
 * isa.c -- the vector instructions that may be used here: what the processor has, lowered by the environment variable
 * THEANO_ISA=sse2|avx2|avx512 for tests. In: nothing. Out: bytes of a vector. Always holds: it never says more than the
 * processor can do; sorting, block kernels, products and generated code all ask here.
 */
#include "base.h"

#include <stdlib.h>
#include <string.h>

int isa_vector_bytes(void) {
#if TH_WIDE
    const char *want = getenv("THEANO_ISA");
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx512 && !(want && strcmp(want, "avx512"))) return 64;
    if (avx2 && !(want && !strcmp(want, "sse2"))) return 32;
#endif
    return 16;
}
