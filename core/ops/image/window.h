/*
 * window.h -- positions of a window sliding over an image, as integer values of a kernel: what convolution, pooling and
 * patches share. Every function takes the kernel and the depth (loops around the value) and returns a value id.
 */
#ifndef TH_WINDOW_H
#define TH_WINDOW_H

#include "ops/table/lowering.h"

typedef struct At { /* where values are made */
    Kernel *k;
    int depth;
} At;

static inline int at_lit(At w, int64_t v) { return ins_literal(w.k, TH_INT64, (ThValue){.i = v}, w.depth); }
static inline int at_size(At w, Size n) { return ins_size(w.k, n, w.depth); }
static inline int at_op(At w, int op, int a, int b) { return ins_binary(w.k, op, TH_INT64, w.depth, a, b); }
static inline int at_test(At w, int op, int a, int b) { return ins_op(w.k, op, TH_INT64, TH_BOOL, w.depth, a, b, -1); }
/* a and b; a -1: b alone */
static inline int at_both(At w, int a, int b) { return a < 0 ? b : ins_binary(w.k, S_and_, TH_BOOL, w.depth, a, b); }
/* guard and 0 <= v < n */
static inline int at_inside(At w, int guard, int v, Size n) {
    guard = at_both(w, guard, at_test(w, S_ge, v, at_lit(w, 0)));
    return at_both(w, guard, at_test(w, S_lt, v, at_size(w, n)));
}
/* index of dim * by, by a Size */
static inline int at_scaled(At w, int dim, Size by) {
    int v = ins_index(w.k, dim, w.depth);
    return size_is(by, 1) ? v : at_op(w, S_mul, v, at_size(w, by));
}
/* sum + v * stride; sum -1: v * stride alone */
static inline int at_offset(At w, int sum, int v, Size stride) {
    int a = size_is(stride, 1) ? v : at_op(w, S_mul, v, at_size(w, stride));
    return sum < 0 ? a : at_op(w, S_add, sum, a);
}

#endif
