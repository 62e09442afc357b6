/*
 * prelude.c -- the head of every text of kernels: the dialect in CUDA's terms. emulation.c gives the same words a
 * meaning in C, so that the text after them is one and the same. Nothing here includes a header.
 */
#include "cuda.h"

#include <stdio.h>

const char *const cuda_prelude =
    "#ifdef __CUDACC__\n"
    "typedef signed char i8; typedef short i16; typedef int i32; typedef long i64;\n"
    "typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long u64;\n"
    "typedef float f32; typedef double f64;\n"
    "typedef struct { f32 re, im; } c64; typedef struct { f64 re, im; } c128; typedef struct { f64 hi, lo; } DD;\n"
    "typedef union { i64 i; f64 f; c128 c; } Cell;\n"
    "#define INLINE static __device__ __forceinline__\n"
    "#define MK(T, ...) T{__VA_ARGS__}\n"
    "#define FN static __device__ __noinline__\n"
    "#define KERNEL extern \"C\" __global__ void\n"
    "#define SHARED_BYTES(n) __shared__ __align__(16) char sh[n]\n"
    "#define SHARED_ROWS extern __shared__ __align__(16) char rows[]; (void)rows\n"
    "#define ALIGNED(n) __align__(n)\n"
    "#define CONSTANT static __constant__ const\n"
    "#define UNROLL _Pragma(\"unroll\")\n"
    "#define ROLLED _Pragma(\"unroll 1\")\n"
    "#define __builtin_inff() __int_as_float(0x7f800000)\n"
    "#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)\n"
    "#define __builtin_nan(s) __longlong_as_double(0x7ff8000000000000ll)\n"
    "#define HALF_LEAVES (void)0\n"
    "#define __builtin_fabsf fabsf\n"
    "#define __builtin_fabs fabs\n"
    "/* Blocks of a launch that run together come, wait until so many have, and see what the others wrote. */\n"
    "INLINE void grid_come(u32 *count) {\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x == 0) {\n"
    "        __threadfence();\n"
    "        atomicAdd(count, 1u);\n"
    "    }\n"
    "}\n"
    "INLINE void grid_wait(u32 *count, u32 goal) {\n"
    "    if (threadIdx.x == 0) {\n"
    "        while ((i32)(*(volatile u32 *)count - goal) < 0) {}\n"
    "        __threadfence();\n"
    "    }\n"
    "    __syncthreads();\n"
    "}\n"
    "INLINE void grid_again(void) {} /* what others write is not there yet */\n"
    "#endif\n"
    "#define SHARED SHARED_BYTES(4096)\n"
    "/* The failure of a launch that is first in order: {launch, lock, kind, number of values, v0, v1, place}. */\n"
    "INLINE void record(i64 *err, i64 launch, i64 kind, i64 n, i64 v0, i64 v1, i64 at, i64 inner) {\n"
    "    volatile i64 *const r = err;\n"
    "    const i64 first = r[0] ? r[6] : 0x7fffffffffffffffl; /* it only falls, and r[7] is written before it */\n"
    "    if (first < at || (first == at && r[7] <= inner)) return;\n"
    "    for (int done = 0; !done;) {\n"
    "        if (atomicCAS((unsigned long long *)err + 1, 0ull, 1ull) == 0ull) {\n"
    "            if (!r[0] || at < r[6] || (at == r[6] && inner < r[7])) {\n"
    "                r[2] = kind, r[3] = n, r[4] = v0, r[5] = v1, r[7] = inner;\n"
    "                __threadfence();\n"
    "                r[6] = at;\n"
    "                __threadfence();\n"
    "                r[0] = launch;\n"
    "            }\n"
    "            __threadfence();\n"
    "            atomicExch((unsigned long long *)err + 1, 0ull);\n"
    "            done = 1;\n"
    "        }\n"
    "    }\n"
    "}\n";

/* Nothing runs behind a failure but, where a kernel may fail itself, what may fail earlier in order. */
void cuda_leave(Emit *e, bool can_fail) {
    emit_line(e, can_fail ? "if (a.err[0] && a.err[0] != a.step) return;" : "if (a.err[0]) return;");
}

static const char *const libm[] = {
    "exp",  "exp2",  "expm1", "log",   "log2",  "log10", "log1p", "sin",   "cos",      "tan",   "asin", "acos",
    "atan", "sinh",  "cosh",  "tanh",  "asinh", "acosh", "atanh", "erf",   "erfc",     "atan2", "pow",  "floor",
    "ceil", "trunc", "rint",  "round", "sqrt",  "fmod",  "fabs",  "hypot", "copysign", "fma",   "cbrt", "nextafter",
};

bool cuda_mark_libm(Emit *e) {
    char key[40];
    for (int i = 0; i < TH_LEN(libm); i++) {
        snprintf(key, sizeof key, "proto %s", libm[i]);
        need(e, key);
        snprintf(key, sizeof key, "proto %sf", libm[i]);
        need(e, key);
    }
    return !failed(e->c);
}
