/*
 * kernels_avx2.c -- loops over sparse matrices of floats, built for one instruction set.
 */
#if defined(__x86_64__)

#include "kernels_floats.h"

const SparseLoops *sparse_floats_avx2(bool single) { return single ? &loops_f32 : &loops_f64; }

#endif
