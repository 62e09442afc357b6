/*
 * index.h -- what ops/index gives to others: attributes and builders of parts of tensors, slices over abstract
 * sizes. A builder returns NULL (error set) when the operands do not fit, and NULL given NULL.
 */
#ifndef TH_TABLE_INDEX_H
#define TH_TABLE_INDEX_H

#include "kernel/order_work.h"
#include "ops.h"

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
/* The one slice that IncSubtensor a stores, where all else is whole: its dimension and known bounds, neither negative;
 * *to is INT64_MAX where it has no end. false: there is no such one. */
bool inc_subtensor_slice(const ThApply *a, int *dim, int64_t *from, int64_t *to);
/* What lies below IncSubtensor a and those before it, each of which is to another known slice than a of the same
 * dimension; NULL where one is not, or where there are many. */
const ThVar *inc_subtensor_below(const ThApply *a);
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

/*
 * Are the indices of node a, an advanced subscript, the same variables that earlier nodes took all positions of along
 * the same axes of a tensor of the same shape? earlier(user, b): b runs before a. Then none of them can be out of
 * range.
 */
bool adv_looked(const ThApply *a, bool (*earlier)(const void *user, const ThApply *b), const void *user);
/* The same where nodes have places: place[b->id] < at. */
bool adv_looked_before(const ThApply *a, const int *place, int at);

/* ---- diagonal.c -------------------------------------------------------------------------------------------------- */
typedef struct DiagAttrs {
    int64_t offset, axis1, axis2; /* axes not negative */
} DiagAttrs;
ThVar *extract_diag_make(Builder *b, ThVar *x, const DiagAttrs *at);
ThVar *alloc_diag_make(Builder *b, ThVar *x, const DiagAttrs *at);
ThVar *fill_diagonal_make(Builder *b, ThVar *a, ThVar *value, ThVar *offset); /* offset NULL: the main diagonal */

/* ---- nonzero.c --------------------------------------------------------------------------------------------------- */
/* Outputs: positions of the nonzero elements by dimension. lengths (x.ndim of them, or NULL): what x's shape must be.
 */
ThApply *nonzero_make(Builder *b, ThVar *x, ThVar *const *lengths);
/* 0 0 1 2 2 2 for repeats 2 1 3: sum is their sum, length how many there must be. */
ThVar *repeat_index_make(Builder *b, ThVar *repeats, ThVar *sum, ThVar *length);

/* ---- sizes.c: slices over abstract sizes ------------------------------------------------------------------------- */
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
/* Constant positions v, held against the length n of their axis before anything runs; axis -1: class numbers, which are
 * not counted from the end. What only a call can tell is true here. */
bool sizes_in_range(const ShapeAlg *a, const ThVar *v, Sz n, int axis);
typedef struct SizeExtremes {
    const ThArray *of;
    int64_t least, most, least_at, most_at; /* and where, counted in C order */
} SizeExtremes;
bool sizes_extremes(const ThVar *v, SizeExtremes *e); /* of integers known while building; false: they are not */
void sizes_position(char *text, size_t room, const ThArray *a, int64_t flat); /* ", position (1, 0)", "" of a number */

/* ---- rules of vmap (ops/modes) ----------------------------------------------------------------------------------- */
bool batch_take(Batch *q); /* Subtensor, AdvancedSubtensor1, AdvancedSubtensor */
bool batch_put(Batch *q);  /* IncSubtensor, AdvancedIncSubtensor1, AdvancedIncSubtensor */
bool batch_diag(Batch *q); /* ExtractDiag, AllocDiag */
bool batch_fill_diagonal(Batch *q);
bool batch_count(Batch *q);

/* nonzero.c: of HostServices */
int nonzero_count_host(HostCall *h, const CountWork *w);
int nonzero_host(HostCall *h, const NonzeroWork *w);
int nonzero_repeat_host(HostCall *h, const RepeatWork *w);

#endif
