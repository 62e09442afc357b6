/*
 * tile.c -- what follows a call of the library runs on each part of its result while that is in a near cache.
 */
#include "nest.h"

bool tile_may(const Nest *t, int stage) { return kernel_tiles(t->k, stage); }
