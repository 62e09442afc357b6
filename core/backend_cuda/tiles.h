/* tiles.h -- what products of matrices by tiles share: of any dtype (gemm.c), of halves (cores.c). */
#ifndef TH_TILES_H
#define TH_TILES_H

#include "cuda.h"

/* `name`: the product of the lengths of `dim` */
void cuda_tiles_length(Emit *e, const char *name, const int8_t *dim, int n);
/* i<dim> of all of `dim`, from the position `name` among their points. */
void cuda_tiles_decode(Emit *e, const char *name, const int8_t *dim, int n);
void cuda_tiles_element(Emit *e, Text *t, int acc); /* of an access, at i<dim> */
/* Which tile of which matrices: first_x, first_y, many_x, many_y, depth; opens the loop over the block's tiles. */
void cuda_tiles_places(Emit *e, const Contract *c, const int size[2]);
/* The sum is an element of c: `whole`, written before what follows it. */
void cuda_tiles_store(Emit *e, const Stage *st, ThDtype d, const char *sum);
bool cuda_cores(Emit *e, const NestNode *call); /* cores.c */

#endif
