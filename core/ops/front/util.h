/* util.h -- helpers shared by the front functions over structural operations. */
#ifndef TH_FRONT_STRUCT_UTIL_H
#define TH_FRONT_STRUCT_UTIL_H

#include "front.h"
#include "ops/reduce/reduce.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "ops/table/linear.h"
#include "ops/table/nnet.h"
#include "ops/table/control.h"
#include "ops/table/lowering.h"

/* Lengths of a shape argument (i, or *xs with i == -1): a list of ints and scalars, one of them, or a vector variable
 * of known length. Pushes int64 scalars for numbers, the variables themselves otherwise. */
bool front_lengths(Front *f, int i, VarVec *v);
/* The same, but n lengths are taken of a vector that does not say how many it has (and is checked to have so many). */
bool front_lengths_of(Front *f, int i, int n, VarVec *v);
/* x with the -1 .. patterns of Theano's helpers */
ThVar *front_pad(Builder *b, ThVar *x, int left, int right);
ThVar *front_flatten_to(Builder *b, ThVar *x, int ndim); /* flatten(x, ndim) */
/* x.shape[i] for each i, as 0-d tensors. */
bool front_shape_of(Builder *b, ThVar *x, ThVar **out);
/* The order of x[i, .., j] where an ellipsis of no axis stands between: it belongs to the subscript. */
bool front_is_parted(const ThApply *shuffle);
static inline ThVar *front_shape_vector(Builder *b, ThVar *const *v, int n) { return shape_vector_make(b, v, n); }
static inline bool front_is(const Front *f, const char *name) {
    return f->info->name[0] && __builtin_strcmp(f->info->name, name) == 0;
}

#endif
