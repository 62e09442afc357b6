/*
 * target.c -- the machines that are known.
 */
#include "target.h"

static const Target sse2 = {.name = "sse2", .vector_bytes = 16, .registers = 16};
static const Target avx2 = {.name = "avx2", .vector_bytes = 32, .registers = 16};
static const Target avx512 = {.name = "avx512", .vector_bytes = 64, .registers = 16, .masks = true};
const Target target_cuda = {.name = "cuda"};

const Target *target_of(int vector_bytes) { return vector_bytes == 64 ? &avx512 : vector_bytes == 32 ? &avx2 : &sse2; }
