/*
 * structural.h -- attributes and builders of the structural operations: shapes, subscripts, joins, products, nnet rows.
 * Rewrites and fronts build these nodes through the *_make functions; every one returns NULL (error set) when the
 * operands do not fit, and NULL given NULL. The records themselves are listed in op_table.
 */
#ifndef TH_STRUCTURAL_H
#define TH_STRUCTURAL_H

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

/* ---- ctc.c ------------------------------------------------------------------------------------------------------- */
ThVar *ctc_make(Builder *b, ThVar *activations, ThVar *labels, ThVar *input_lengths);

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

/* ---- subtensor.c, inc_subtensor.c -------------------------------------------------------------------------------- */
typedef struct SubtensorAttrs {
    AttrIdx idx;
} SubtensorAttrs;
typedef struct IncSubtensorAttrs {
    AttrIdx idx;
    uint8_t set;
} IncSubtensorAttrs;
/* in: the parts that idx says are given, in order, each TYPE_SCALAR. */
ThVar *subtensor_make(Builder *b, ThVar *x, const AttrIdx *idx, ThVar *const *in, int n);
ThVar *inc_subtensor_make(Builder *b, ThVar *x, ThVar *y, const AttrIdx *idx, ThVar *const *in, int n, bool set);
ThVar *subtensor_int_make(Builder *b, ThVar *x, int64_t i); /* x[i] with a constant index */

/* ---- advanced.c -------------------------------------------------------------------------------------------------- */
/* idx entries: 'i' an integer tensor (input), 's' a slice with its given parts as inputs. No newaxis. */
typedef struct AdvSubtensorAttrs {
    AttrIdx idx;
} AdvSubtensorAttrs;
typedef struct AdvIncSubtensorAttrs {
    AttrIdx idx;
    uint8_t set;
} AdvIncSubtensorAttrs;
typedef struct AdvIncSubtensor1Attrs {
    uint8_t set;
} AdvIncSubtensor1Attrs;
ThVar *adv_subtensor1_make(Builder *b, ThVar *x, ThVar *index);
ThVar *adv_inc_subtensor1_make(Builder *b, ThVar *x, ThVar *y, ThVar *index, bool set);
ThVar *adv_subtensor_make(Builder *b, ThVar *x, const AttrIdx *idx, ThVar *const *in, int n);
ThVar *adv_inc_subtensor_make(Builder *b, ThVar *x, ThVar *y, const AttrIdx *idx, ThVar *const *in, int n, bool set);

/* ---- join.c ------------------------------------------------------------------------------------------------------ */
typedef struct SplitAttrs {
    int64_t n;
} SplitAttrs;
ThVar *join_make(Builder *b, ThVar *axis, ThVar *const *in, int n); /* one input: itself */
ThApply *split_make(Builder *b, ThVar *x, ThVar *axis, ThVar *sizes, int n);

/* ---- dot.c, blas.c, batched_dot.c -------------------------------------------------------------------------------- */
ThVar *dot_make(Builder *b, ThVar *x, ThVar *y);         /* 1-d and 2-d operands */
ThVar *batched_dot_make(Builder *b, ThVar *x, ThVar *y); /* 2-d and 3-d operands */
ThVar *transpose_make(Builder *b, ThVar *x);             /* x.T; named "x.T" when x has a name */

/* ---- diagonal.c -------------------------------------------------------------------------------------------------- */
typedef struct DiagAttrs {
    int64_t offset, axis1, axis2; /* axes not negative */
} DiagAttrs;
ThVar *extract_diag_make(Builder *b, ThVar *x, const DiagAttrs *at);
ThVar *alloc_diag_make(Builder *b, ThVar *x, const DiagAttrs *at);
ThVar *fill_diagonal_make(Builder *b, ThVar *a, ThVar *value, ThVar *offset); /* offset NULL: the main diagonal */

/* ---- assert.c ---------------------------------------------------------------------------------------------------- */
typedef struct AssertAttrs {
    const char *msg;
    int64_t kind; /* ThError */
} AssertAttrs;
/* x, raising error `kind` with msg while running unless all 0-d conditions hold. */
ThVar *assert_make(Builder *b, ThVar *x, ThVar *const *cond, int n, const char *msg, ThError kind);

/* ---- nonzero.c --------------------------------------------------------------------------------------------------- */
/* Outputs: positions of the nonzero elements by dimension. lengths (x.ndim of them, or NULL): what x's shape must be.
 */
ThApply *nonzero_make(Builder *b, ThVar *x, ThVar *const *lengths);
/* 0 0 1 2 2 2 for repeats 2 1 3: sum is their sum, length how many there must be. */
ThVar *repeat_index_make(Builder *b, ThVar *repeats, ThVar *sum, ThVar *length);

/* ---- softmax.c, crossentropy.c ----------------------------------------------------------------------------------- */
ThVar *softmax_make(Builder *b, const Op *op, ThVar *x); /* op_softmax or op_log_softmax; a vector becomes one row */

/* ---- copy.c ------------------------------------------------------------------------------------------------------ */

/* ---- grad_ops.c: operations whose value is their input; see the file for their gradients ------------------------- */
typedef struct GradClipAttrs {
    double low, high;
} GradClipAttrs;
typedef struct GradScaleAttrs {
    double by;
} GradScaleAttrs;
ThVar *grad_view_make(Builder *b, const Op *op, const void *attrs, ThVar *x);

/* ---- sizes.c: slices over abstract sizes; a ShapeAlg over a Lower ------------------------------------------------ */
/* One axis under a subscript entry, in canonical form: elements start, start + step, .. (len of them). */
typedef struct SliceForm {
    bool drop;
    Sz start, step, len;
    bool unit; /* step is the constant 1 */
} SliceForm;
/*
 * Canonical forms of the entries of idx (without newaxis) on the dims of x: form[axis] for every axis of x; axes past
 * idx are whole. Inputs of node from first_in on are the given parts. 'i' entries become {drop, start}, with their
 * range checks sent to alg->equal. With skip_index, 'i' entries are tensors of an advanced subscript: they take an
 * input and leave form[axis] alone.
 */
bool slice_forms(const ShapeAlg *alg, const ThApply *node, int first_in, const AttrIdx *idx, const Sz *dims, int ndim,
                 bool skip_index, SliceForm *form);
void idx_text(Text *t, const AttrIdx *idx); /* "int64:int64:, int64" */
int idx_inputs(const AttrIdx *idx);         /* how many node inputs it names */
/* Checks that in[0..n) are TYPE_SCALAR integers as idx says. */
bool idx_check(ThContext *c, const AttrIdx *idx, ThVar *const *in, int n);

typedef struct LowerAlg {
    ShapeAlg alg;
    Lower *l;
    VEC(Size) at;
} LowerAlg;
void lower_alg_init(LowerAlg *a, Lower *l);
void lower_alg_free(LowerAlg *a);
Size lower_alg_size(const LowerAlg *a, Sz s);
Sz lower_alg_put(LowerAlg *a, Size s);

/* ---- small helpers of lowerings ---------------------------------------------------------------------------------- */
/* Constant positions v, held against the length n of their axis before anything runs; axis -1: class numbers, which are
 * not counted from the end. What only a call can tell is true here. */
bool sizes_in_range(const ShapeAlg *a, const ThVar *v, Sz n, int axis);
typedef struct SizeExtremes {
    const ThArray *of;
    int64_t least, most, least_at, most_at; /* and where, counted in C order */
} SizeExtremes;
bool sizes_extremes(const ThVar *v, SizeExtremes *e); /* of integers known while building; false: they are not */
void sizes_position(char *text, size_t room, const ThArray *a, int64_t flat); /* ", position (1, 0)", "" of a number */
Size sizes_mul_add(Lower *l, Size base, Size a, Size b);                      /* base + a * b */
int ins_binary(Kernel *k, int scalar, ThDtype d, int depth, int a, int b);    /* scalar operation, all of dtype d */
int ins_unary(Kernel *k, int scalar, ThDtype d, int depth, int a);
/* Index value `v` checked against length n and multiplied by stride, as int64. */
int ins_offset(Kernel *k, int v, Size n, Size stride, int depth);
/* map[d] = first + d for d < ndim, -1 where the type of the input promises length 1. */
void sizes_map_dims(int8_t *map, ThType t, int first);
bool axis_normalize(ThContext *c, int64_t *axis, int ndim, const char *what); /* IndexError when out of range */

#endif
