/* micro_sse2.c -- the GEMM kernels for any CPU: 6 x 2 vectors of 16 bytes in GNU vector types (SSE2 on x86-64). */
#include "runtime/machine/gemm_kernels.h"

#define ISA "sse2"
#define VBYTES 16
#define NV 2

/* No fused multiply-add here: a product is rounded before it is added. */
typedef float Four __attribute__((vector_size(16)));
typedef double Two __attribute__((vector_size(16)));

static inline Four part_f32(const float *p, int64_t n) {
    Four v = {0};
    for (int64_t i = 0; i < n; i++) v[i] = p[i];
    return v;
}
static inline Two part_f64(const double *p, int64_t n) {
    Two v = {0};
    for (int64_t i = 0; i < n; i++) v[i] = p[i];
    return v;
}
static inline void put_part_f32(float *p, Four v, int64_t n) {
    for (int64_t i = 0; i < n; i++) p[i] = v[i];
}
static inline void put_part_f64(double *p, Two v, int64_t n) {
    for (int64_t i = 0; i < n; i++) p[i] = v[i];
}

#define T float
#define T_BYTES 4
#define FN(x) x##_f32
#define VFMA(a, b, c) ((a) * (b) + (c))
#define QFMA(a, b, c) ((a) * (b) + (c))
#define SFMA(a, b, c) ((a) * (b) + (c))
#define VPART(p, n) part_f32(p, n)
#define VPUT(p, v, n) put_part_f32(p, v, n)
#define VSET(s) ((Four){s, s, s, s})
#include "micro.h"

#define T double
#define T_BYTES 8
#define FN(x) x##_f64
#define VFMA(a, b, c) ((a) * (b) + (c))
#define QFMA(a, b, c) ((a) * (b) + (c))
#define SFMA(a, b, c) ((a) * (b) + (c))
#define VPART(p, n) part_f64(p, n)
#define VPUT(p, v, n) put_part_f64(p, v, n)
#define VSET(s) ((Two){s, s})
#include "micro.h"

const GemmKernels *const gemm_kernels_sse2[2] = {&kernels_f32, &kernels_f64};
