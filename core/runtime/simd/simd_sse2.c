/* simd_sse2.c -- the block kernels of simd_body.h for this instruction set (flags from the build by file suffix). */
#define SIMD_TABLE simd_table_sse2
#define SIMD_ISA "sse2"
#include "simd_body.h"
