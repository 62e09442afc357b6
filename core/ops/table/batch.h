/*
 * batch.h -- rules of vmap (batch*.c) and of forward mode (rop.c) that several operations share or that stand apart
 * from their operation's file. Each fills q->out with the mapped dimension in front.
 */
#ifndef TH_BATCH_H
#define TH_BATCH_H

#include "graph/op.h"

/* ---- rop.c ------------------------------------------------------------------------------------------------------- */
bool rop_linear(Rop *r);   /* linear in all connected float inputs together: the operation itself on the tangents */
bool rop_bilinear(Rop *r); /* of two inputs: op(ex, y) + op(x, ey) */
bool rop_elemwise(Rop *r);
bool rop_by_gradient(Rop *r); /* any operation with a gradient */

/* ---- vmap.c: helpers --------------------------------------------------------------------------------------------- */
/* Input i with the mapped dimension in front, repeated when it has none. */
ThVar *batch_full(Batch *q, int i);
/* A mapped tensor with broadcastable dimensions put behind the mapped one so that it has `ndim` others. */
ThVar *batch_pad(Builder *b, ThVar *x, int ndim);
/* Input i to stand beside mapped tensors of `ndim` other dimensions, broadcasting over the mapped one. */
ThVar *batch_beside(Batch *q, int i, int ndim);
/* Vector (size, shape[0], .., shape[n - 1]) of int64. */
ThVar *batch_shape(Batch *q, ThVar *shape, int n);
/* (size, d0, d1, ..) -> (size * d0, d1, ..), and back with the leading lengths of `like`. */
ThVar *batch_merge(Builder *b, ThVar *x);
ThVar *batch_unmerge(Builder *b, ThVar *x, ThVar *like);
/* true: input i is not mapped. Else an error that says why it must not be. */
bool batch_fixed(Batch *q, int i, const char *why);
/* The rule applied to a graph written with other operations: maps out of the node's inputs. */
bool batch_through(Batch *q, ThVar *const *out);

/* Axis input i counted with the mapped dimension: axes from the end stay, also where only the call knows. */
ThVar *batch_axis(Batch *q, int i);

/* ---- rules ------------------------------------------------------------------------------------------------------- */
bool batch_same(Batch *q); /* any rank: the operation itself on the mapped input */
bool batch_elemwise(Batch *q);
bool batch_dimshuffle(Batch *q);
bool batch_reduce(Batch *q);
bool batch_argmax(Batch *q);
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
bool batch_take(Batch *q);     /* Subtensor, AdvancedSubtensor1, AdvancedSubtensor */
bool batch_put(Batch *q);      /* IncSubtensor, AdvancedIncSubtensor1, AdvancedIncSubtensor */
bool batch_join(Batch *q);
bool batch_split(Batch *q);
bool batch_dot(Batch *q);        /* Dot, Dot22 */
bool batch_dot_scaled(Batch *q); /* Dot22Scalar */
bool batch_gemm(Batch *q);       /* Gemm, Gemv, CGemv */
bool batch_ger(Batch *q);
bool batch_rows(Batch *q); /* operations on rows of matrices, all inputs by row: rows merged */
bool batch_softmax_bias(Batch *q);
bool batch_crossentropy_softmax(Batch *q);
/* batch_tensor.c */
bool batch_batched_dot(Batch *q);
bool batch_diag(Batch *q); /* ExtractDiag, AllocDiag */
bool batch_fill_diagonal(Batch *q);
bool batch_sort(Batch *q); /* SortOp, ArgSortOp */
bool batch_topk(Batch *q);
bool batch_search(Batch *q);
bool batch_cum(Batch *q);
bool batch_assert(Batch *q);
bool batch_count(Batch *q);
bool batch_ragged(Batch *q); /* refused: Nonzero, RepeatIndex, Unique */

#endif
