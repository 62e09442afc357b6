/*
 * machine.c -- what this processor has, as a width of vectors and as flags of the compiler. THEANO_ISA=sse2|avx2|avx512
 * lowers it for tests, exactly as in the interpreter's block kernels; it never raises it.
 */
#include "build.h"
#include "emit.h"

#include <stdlib.h>
#include <string.h>

int machine_vector_bytes(void) {
#if defined(__x86_64__)
    const char *want = getenv("THEANO_ISA");
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx512 && !(want && strcmp(want, "avx512"))) return 64;
    if (avx2 && !(want && !strcmp(want, "sse2"))) return 32;
#endif
    return 16;
}

const char *machine_flags(void) {
#if defined(__x86_64__)
    int bytes = machine_vector_bytes();
    if (bytes == 64) return " -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512";
    if (bytes == 32) return " -mavx2 -mfma";
#endif
    return "";
}
