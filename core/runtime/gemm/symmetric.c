/*
 * symmetric.c -- the product of a matrix and its own transpose: what lies above blocks of the diagonal is computed
 * below it.
 *
 * In: a product whose operands are one matrix, seen twice. Out: the same bits: an element is one chain over k whatever
 * part of c is asked for (gemm.h), and x * y is y * x. Always holds: c is complete when this returns.
 */
#include "gemm.h"

#include "base/array/move.h"

enum { UNIT = 64, LEAST = 2 * UNIT, LONG = 16 }; /* rows of a block: wide enough for every tile; terms of a sum */

/* Rows of a block, at most half of all: half of its square is computed in vain, and each block packs once more what it
 * is multiplied by, which leaves the caches where that is long. */
static int64_t block_rows(const GemmArgs *g) {
    enum { LARGE = 1200, PACKING = 80 };
    int64_t units = 1;
    if (g->m < LARGE) return UNIT;
    while ((units + 1) * (units + 1) * UNIT * UNIT <= g->m * PACKING) units++;
    return units * UNIT;
}

/* By sizes and strides: those of the operands are each other's, and c's rows lie densely. */
static bool looks_so(const GemmArgs *g) {
    return dtype_is_float(g->dtype) && th_dtype_bytes(g->dtype) >= sizeof(float) && g->m == g->n && g->m >= LEAST &&
           g->k >= LONG && g->ars == g->bcs && g->acs == g->brs && !g->av && !g->bv && !g->cv && !g->packed && !g->done;
}

/* The product of rows `row` and the next, up to the end of the diagonal's block. Blocks have block_rows, the last
 * one up to twice as many. */
static GemmArgs block(const GemmArgs *g, int64_t row) {
    const int64_t item = (int64_t)th_dtype_bytes(g->dtype), left = g->m - row, most = block_rows(g);
    const int64_t rows = left < 2 * most ? left : most;
    GemmArgs part = *g;
    part.m = rows;
    part.n = row + rows;
    if (g->a) part.a = (const char *)g->a + row * g->ars * item;
    if (g->c) part.c = (char *)g->c + row * g->crs * item;
    return part;
}

size_t gemm_symmetric_scratch(const GemmArgs *g) {
    size_t most = 0;
    if (!looks_so(g)) return 0;
    for (int64_t row = 0, next; row < g->m; row = next) {
        const GemmArgs part = block(g, row);
        const size_t need = gemm_scratch_bytes(&part);
        if (need > most) most = need;
        next = row + part.m;
    }
    return most;
}

bool gemm_symmetric(ThContext *c, const GemmArgs *g, void *scratch) {
    if (!looks_so(g) || g->a != g->b || g->beta != 0 || g->ccs != 1) return false;
    const int64_t item = (int64_t)th_dtype_bytes(g->dtype), line = g->crs * item;
    for (int64_t row = 0, next; row < g->m && !ctx_leaves(c, g->early); row = next) {
        const GemmArgs part = block(g, row);
        gemm_run(c, &part, scratch); /* two operands: it fails no more than this one did */
        next = row + part.m;
        if (row) array_turn((size_t)item, (char *)g->c + row * item, line, part.c, line, row, part.m);
    }
    return true;
}
