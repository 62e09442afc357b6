/*
 * kernels_avx512.c -- loops over sparse matrices of floats, built for one instruction set.
 */
#if defined(__x86_64__)

#include "kernels_floats.h"

const SparseLoops *sparse_floats_avx512(bool single) { return single ? &loops_f32 : &loops_f64; }

#endif
