/*
 * kernels_sse2.c -- loops over sparse matrices of floats, built for one instruction set.
 */
#include "kernels.h"
#include "kernels_order.h"

#include <string.h>

#define NAME(x) x##_f64
#define T double
#include "kernels_body.h"
#undef T
#undef NAME
#define NAME(x) x##_f32
#define T float
#include "kernels_body.h"
#undef T
#undef NAME

const SparseLoops *sparse_floats_sse2(bool single) { return single ? &loops_f32 : &loops_f64; }
