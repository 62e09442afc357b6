/*
 * isa.c -- the vector instructions that may be used here: what the processor has, lowered by the environment variable
 * THEANO_ISA=sse2|avx2|avx512 for tests. In: nothing. Out: bytes of a vector. Always holds: it never says more than the
 * processor can do; sorting, block kernels, products and generated code all ask here.
 */
#include "base.h"

#if TH_WIDE
#include <cpuid.h>
#endif

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

int isa_level(void) {
#if TH_WIDE
    enum { SSSE3 = 1 << 9, CX16 = 1 << 13, SSE41 = 1 << 19, SSE42 = 1 << 20, MOVBE = 1 << 22, POPCNT = 1 << 23 };
    enum { F16C = 1 << 29, LAHF = 1, LZCNT = 1 << 5, BMI = 1 << 3, BMI2 = 1 << 8, CD = 1 << 28 };
    unsigned a, b, c = 0, d, more = 0, wide = 0;
    const unsigned v2 = SSSE3 | CX16 | SSE41 | SSE42 | POPCNT;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & v2) != v2) return 0;
    if (!__get_cpuid(0x80000001, &a, &b, &more, &d) || !(more & LAHF)) return 0;
    __get_cpuid_count(7, 0, &a, &wide, &b, &d);
    const int bytes = isa_vector_bytes(); /* with what the system keeps of registers */
    if (bytes < 32 || (c & (MOVBE | F16C)) != (MOVBE | F16C) || !(more & LZCNT)) return 2;
    if ((wide & (BMI | BMI2)) != (BMI | BMI2)) return 2;
    return bytes < 64 || !(wide & CD) ? 3 : 4;
#else
    return 0;
#endif
}
