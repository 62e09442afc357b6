/* dense_sse2.c -- kernels on small dense matrices for any CPU, in GNU vector types (SSE2 on x86-64). */
#include "dense.h"

#include <float.h>
#include <string.h>

#define VBYTES 16

typedef float Four __attribute__((vector_size(16)));
typedef double Two __attribute__((vector_size(16)));
static inline Four root_four(Four v) {
    for (int i = 0; i < 4; i++) v[i] = __builtin_sqrtf(v[i]);
    return v;
}
static inline Two root_two(Two v) {
    for (int i = 0; i < 2; i++) v[i] = __builtin_sqrt(v[i]);
    return v;
}

#define NUM 0
#define V_FMA(a, b, c) ((a) * (b) + (c))
#define V_SQRT(a) root_four(a)
#include "number.h"
#include "dense_body.h"
#include "number_end.h"
#undef V_FMA
#undef V_SQRT

#define NUM 1
#define V_FMA(a, b, c) ((a) * (b) + (c))
#define V_SQRT(a) root_two(a)
#include "number.h"
#include "dense_body.h"
#include "number_end.h"
#undef V_FMA
#undef V_SQRT

#define NUM 2
#include "number.h"
#include "dense_body.h"
#include "number_end.h"

#define NUM 3
#include "number.h"
#include "dense_body.h"
#include "number_end.h"

const DenseKernels *const dense_sse2[4] = {&kernels_f32, &kernels_f64, &kernels_c64, &kernels_c128};
