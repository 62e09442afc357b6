/*
 * symmetric.c -- the product of a matrix and its own transpose: what lies below the diagonal, mirrored.
 *
 * In: a product whose operands are one matrix, seen twice. Out: the same bits: an element is one chain over k whatever
 * part of c is asked for (gemm.h), and x * y is y * x. Always holds: c is complete when this returns.
 */
#include "gemm.h"

#include "base/array/move.h"

enum {
    BLOCK = 8 * GEMM_MR, /* rows that are mirrored at once: whole tiles, so that all before its diagonal is there */
    LEAST = 128,         /* rows of c */
    LONG = 16            /* terms of a sum */
};

/* By sizes and strides: those of the operands are each other's, and c's rows lie densely. */
static bool looks_so(const GemmArgs *g) {
    return dtype_is_float(g->dtype) && th_dtype_bytes(g->dtype) >= sizeof(float) && g->m == g->n && g->m >= LEAST &&
           g->k >= LONG && g->ars == g->bcs && g->acs == g->brs && !g->av && !g->bv && !g->cv && !g->packed && !g->done;
}

/* Rows `row` and the next ones become columns, beginning with element `from` of each, up to the diagonal. */
static void mirror(const GemmArgs *g, int64_t row, int64_t rows, int64_t from) {
    const int64_t item = (int64_t)th_dtype_bytes(g->dtype), line = g->crs * item;
    char *below = (char *)g->c + row * line + from * item, *above = (char *)g->c + from * line + row * item;
    if (row > from) array_turn((size_t)item, above, line, below, line, row - from, rows);
}

bool gemm_symmetric(ThContext *c, const GemmArgs *g, void *scratch) {
    if (g->lower || !looks_so(g) || g->a != g->b || g->beta != 0 || g->ccs != 1) return false;
    GemmArgs half = *g;
    half.lower = true;
    gemm_run(c, &half, scratch); /* two operands: it fails no more than this one did */
    for (int64_t row = 0; row < g->m && !ctx_leaves(c, g->early); row += BLOCK) {
        const int64_t end = row + BLOCK < g->m ? row + BLOCK : g->m;
        mirror(g, row, end - row, 0);
        for (int64_t next = row + GEMM_MR; next < end; next += GEMM_MR)
            mirror(g, next, next + GEMM_MR < end ? GEMM_MR : end - next, row);
    }
    return true;
}
