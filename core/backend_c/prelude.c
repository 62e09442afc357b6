/* prelude.c -- the head of every unit: its own prototypes, no system header. Mirrors runtime.h; the ABI number is
 * checked on loading. */
#include "text/emit.h"

/* The pragma: passes that find nothing in text that is written as vectors, a quarter of the compiler's time; no-gcse
 * would be another twentieth, but loops with tanh and exp lose 16 %, and -O1 some loops four times (docs/decisions.md).
 * As flags other compilers would refuse them. */
const char *const prelude_c =
    "#if defined __GNUC__ && !defined __clang__\n"
    "#pragma GCC optimize(\"no-tree-vectorize,no-tree-vrp,no-tree-pta,no-tree-pre,no-tree-bit-ccp\")\n"
    "#pragma GCC optimize(\"no-ipa-cp,no-code-hoisting,no-store-merging\")\n"
    "#endif\n"
    "typedef signed char i8; typedef short i16; typedef int i32; typedef long i64;\n"
    "typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long u64;\n"
    "typedef float f32; typedef double f64;\n"
    "typedef struct { f32 re, im; } c64; typedef struct { f64 re, im; } c128;\n"
    "typedef struct { f64 hi, lo; } DD;\n"
    "#define MK(T, ...) ((T){__VA_ARGS__})\n"
    "#define FN static __attribute__((noinline, unused))\n"
    "typedef union { i64 i; f64 f; c128 c; } Cell; /* a literal lifted out of the text */\n"
    "typedef struct Frame Frame;\n"
    "typedef struct {\n"
    "    i64 dtype, m, n, k; const void *a, *b; void *c; i64 as[2], bs[2], cs[2]; f64 alpha, beta;\n"
    "    void (*done)(void *, i64, i64, i64, i64); void *user;\n"
    "} Product;\n"
    "typedef struct {\n"
    "    u32 abi, size;\n"
    "    int (*gemm)(Frame *, const Product *);\n"
    "    int (*host_call)(Frame *, int);\n"
    "    int (*size_step)(Frame *, int, int);\n"
    "    int (*late_alloc)(Frame *, int);\n"
    "    int (*poll_interrupt)(Frame *);\n"
    "    int (*fail)(Frame *, int, int, int, i64, i64, i64, i64);\n"
    "    void (*parallel_for)(Frame *, int, void (*)(int, void *), void *);\n"
    "    int (*conv)(Frame *, int, int, const i64 *, const void *, const void *, void *,\n"
    "                void (*)(void *, i64, i64, i64, i64), void *);\n"
    "} Rt;\n"
    "struct Frame { char **buf; i64 *sym; const Rt *rt; void *scratch; i64 err[8]; };\n"
    "void *memcpy(void *, const void *, unsigned long);\n"
    "#ifndef KERNEL\n"
    "#define KERNEL static /* the compiler may see a large unit in parts */\n"
    "#endif\n"
    "#define INLINE static inline __attribute__((always_inline, unused))\n";
