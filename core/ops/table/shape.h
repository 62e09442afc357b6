/*
 * shape.h -- what ops/shape gives to others: attributes and builders of lengths as values and of other forms of a
 * tensor. A builder returns NULL (error set) when the operands do not fit, and NULL given NULL.
 */
#ifndef TH_TABLE_SHAPE_H
#define TH_TABLE_SHAPE_H

#include "ops.h"

/* ---- shape.c ----------------------------------------------------------------------------------------------------- */
typedef struct ShapeIAttrs {
    int64_t i;
} ShapeIAttrs;
typedef struct MakeVectorAttrs {
    uint8_t dtype;
} MakeVectorAttrs;
ThVar *shape_make(Builder *b, ThVar *x);             /* int64 vector of lengths */
ThVar *shape_i_make(Builder *b, ThVar *x, int i);    /* Shape_i{i}: what ShapeFeature uses */
ThVar *shape_elem_make(Builder *b, ThVar *x, int i); /* Subtensor{int64}(Shape(x), Constant{i}): what users write */
/* A length as a constant where it is known while the graph is built, else what users write. */
ThVar *shape_length_make(Builder *b, ThVar *x, int i);
/* 0-d lengths as the shape vector of a reshape: a constant when all are known ints given as constants, else MakeVector.
 */
ThVar *shape_vector_make(Builder *b, ThVar *const *v, int n);
ThVar *make_vector_make(Builder *b, ThVar *const *in, int n, ThDtype d); /* 0-d inputs, cast to d */
ThVar *specify_shape_make(Builder *b, ThVar *x, ThVar *shape);
/* A 0-d integer tensor as an index: TYPE_SCALAR variables stay, others go through ScalarFromTensor. */
ThVar *index_make(Builder *b, ThVar *v);
ThVar *tensor_from_scalar_make(Builder *b, ThVar *v);
/* Integer value of a 0-d variable known while building: constants, through casts to tensor or scalar, lengths promised
 * to be 1. */
bool scalar_known(const ThVar *v, int64_t *value);
/* The same for element i of an integer vector (constants, MakeVector, Shape of a broadcastable dimension). */
bool vector_known(const ThVar *v, int64_t i, int64_t *value);
/* Length of a vector where its node tells (constant, Shape, MakeVector, Reshape to a known length, ..), or -1. */
int64_t vector_length(const ThVar *v);

/* ---- reshape.c --------------------------------------------------------------------------------------------------- */
typedef struct ReshapeAttrs {
    int64_t ndim;
} ReshapeAttrs;
typedef struct RebroadcastAttrs {
    AttrInts axis;
} RebroadcastAttrs; /* per dim: -1 as it is, 0 not broadcastable, 1 broadcastable */
ThVar *reshape_make(Builder *b, ThVar *x, ThVar *shape, int ndim);
/* Gives x exactly this broadcast pattern (checked at run time); x itself when it has it. */

/* ---- alloc.c ----------------------------------------------------------------------------------------------------- */
typedef struct DtypeAttrs {
    uint8_t dtype;
} DtypeAttrs; /* AllocEmpty, ARange, Eye, Tri */
ThVar *alloc_make(Builder *b, ThVar *value, ThVar *const *shape, int n);
ThVar *alloc_empty_make(Builder *b, ThDtype d, ThVar *const *shape, int n);
/* d NONE: Theano's rule. All three 0-d. */
ThVar *arange_make(Builder *b, ThVar *start, ThVar *stop, ThVar *step, ThDtype d);

/* ---- join.c ------------------------------------------------------------------------------------------------------ */
typedef struct SplitAttrs {
    int64_t n;
} SplitAttrs;
ThVar *join_make(Builder *b, ThVar *axis, ThVar *const *in, int n); /* one input: itself */
ThApply *split_make(Builder *b, ThVar *x, ThVar *axis, ThVar *sizes, int n);

/* ---- rules of vmap (ops/modes) ----------------------------------------------------------------------------------- */
bool batch_dimshuffle(Batch *q);
bool batch_lengths(Batch *q); /* Shape */
bool batch_length(Batch *q);  /* Shape_i */
bool batch_make_vector(Batch *q);
bool batch_specify_shape(Batch *q);
bool batch_index(Batch *q); /* ScalarFromTensor, TensorFromScalar */
bool batch_reshape(Batch *q);
bool batch_rebroadcast(Batch *q);
bool batch_alloc(Batch *q);
bool batch_alloc_empty(Batch *q);
bool batch_arange(Batch *q);
bool batch_diagonal(Batch *q); /* Eye, Tri */
bool batch_join(Batch *q);
bool batch_split(Batch *q);

#endif
