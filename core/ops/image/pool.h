/*
 * pool.h -- pooling: the maximum, sum or mean of windows over the last dimensions, and its gradients.
 * Inputs that say the window (ws, stride, pad) are integer vectors of ndim elements, symbolic ones too.
 */
#ifndef TH_POOL_H
#define TH_POOL_H

#include "ops/table/ops.h"

enum { POOL_MAX_DIMS = 3 };
typedef struct PoolAttrs {
    int64_t ndim;
    int64_t mode; /* PoolMode */
    uint8_t ignore_border;
} PoolAttrs;

/*
 *   Pool                        (x, ws, stride, pad) -> pooled
 *   MaxPoolGrad                 (x, maxout, gz, ws, stride, pad) -> like x: gz of every window whose maximum x is
 *   MaxPoolGradFromInput        (x, gz, ws, stride, pad) -> the same, maxima found on the way: floats, two dimensions
 *   AveragePoolGrad             (x, gz, ws, stride, pad) -> like x, of sums and means
 *   DownsampleFactorMaxGradGrad (x, maxout, v, ws, stride, pad) -> like maxout: v summed where x is the maximum
 */
extern const Op op_pool, op_max_pool_grad, op_max_pool_grad_from_input, op_average_pool_grad, op_max_pool_grad_grad;

static inline int pool_tensors(const Op *op) {
    if (op == &op_pool) return 1;
    return op == &op_average_pool_grad || op == &op_max_pool_grad_from_input ? 2 : 3;
}
/* tensors: pool_tensors of them; window: ws, stride, pad */
ThVar *pool_make(Builder *b, const Op *op, const PoolAttrs *at, ThVar *const *tensors, ThVar *const *window);

typedef struct PoolSizes {
    Sz in, ws, stride, pad, out;
} PoolSizes;
/* Fills s->ws, stride, pad (from the inputs of node, first_window on) and out from s->in. */
void pool_sizes(const ShapeAlg *alg, const ThApply *node, int d, PoolSizes *s);

bool pool_lower(Lower *l);
bool pool_stage(Lower *l); /* pool_stage.c: Pool, as a stage that calls the library's kernels */
/* pool_host.c: lowers the node as that or as one call on whole arrays, where it can (true; *ok: without an error). */
bool pool_hosted(Lower *l, bool *ok);
const char *pool_mode_name(int64_t mode);

#endif
