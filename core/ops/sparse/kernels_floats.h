/*
 * kernels_floats.h -- the loops of float64 and of float32, once for each file of an instruction set that includes it.
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
