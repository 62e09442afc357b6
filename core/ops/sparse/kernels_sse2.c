/*
 * kernels_sse2.c -- loops over sparse matrices of floats, built for one instruction set.
 */
#include "kernels_floats.h"

const SparseLoops *sparse_floats_sse2(bool single) { return single ? &loops_f32 : &loops_f64; }
