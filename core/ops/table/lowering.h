/*
 * lowering.h -- sizes and instructions that the lowerings of several families share.
 */
#ifndef TH_TABLE_LOWERING_H
#define TH_TABLE_LOWERING_H

#include "ops.h"

/* ---- a ShapeAlg over a Lower ------------------------------------------------------------------------------------- */
typedef struct LowerAlg {
    ShapeAlg alg;
    Lower *l;
    VEC(Size) at;
} LowerAlg;
void lower_alg_init(LowerAlg *a, Lower *l);
void lower_alg_free(LowerAlg *a);
Size lower_alg_size(const LowerAlg *a, Sz s);
Sz lower_alg_put(LowerAlg *a, Size s);

/* ---- small helpers ----------------------------------------------------------------------------------------------- */
Size sizes_mul_add(Lower *l, Size base, Size a, Size b);                   /* base + a * b */
int ins_binary(Kernel *k, int scalar, ThDtype d, int depth, int a, int b); /* scalar operation, all of dtype d */
int ins_unary(Kernel *k, int scalar, ThDtype d, int depth, int a);
/* Index value `v` checked against length n and multiplied by stride, as int64. */
int ins_offset(Kernel *k, int v, Size n, Size stride, int depth);
/* map[d] = first + d for d < ndim, -1 where the type of the input promises length 1. */
void sizes_map_dims(int8_t *map, ThType t, int first);
bool axis_normalize(ThContext *c, int64_t *axis, int ndim, const char *what); /* IndexError when out of range */

#endif
