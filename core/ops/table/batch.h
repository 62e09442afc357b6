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
/* th_vmap of a graph in which nothing made before `since` is drawn for each element. size: how many elements, NULL
 * where something mapped says it. plain, or NULL: where it is true, a result that is the same for all stays without the
 * mapped dimension; else it becomes false. */
int batch_graph(ThContext *c, uint64_t since, ThVar *const *out, int nout, ThVar *const *in, ThVar *const *mapped,
                int n, ThVar *size, bool *plain, ThVar **result);
/* The rule applied to a graph written with other operations: maps out of the node's inputs. */
bool batch_through(Batch *q, ThVar *const *out);

/* Axis input i counted with the mapped dimension: axes from the end stay, also where only the call knows. */
ThVar *batch_axis(Batch *q, int i);

/* ---- rules of several families; the others stand in the families' headers ---------------------------------------- */
bool batch_same(Batch *q);   /* any rank: the operation itself on the mapped input */
bool batch_ragged(Batch *q); /* refused: Nonzero, RepeatIndex, Unique */

#endif
