/*
 * batch.c -- products of the same lengths, of operands that lie some steps further each. In: GemmArgs of the first one,
 * GemmTurns. Out: all of them, one after the other, or pieces of them on threads, each piece in working memory of its
 * own. Always holds: each product is a gemm_run, so its bits do not depend on which way it went.
 */
#include "gemm.h"
#include "runtime/machine/cpu.h"
#include "runtime/machine/parallel.h"

enum { ALIGN = 64, MOST = 8 }; /* pieces */

typedef struct Batch {
    ThContext *ctx;
    const GemmArgs *g;
    const GemmTurns *t;
    char *scratch;
    size_t each; /* bytes of it for a piece */
    int64_t all;
    int pieces;
} Batch;

/* How many products there are; 0 where they have no elements, so that lengths beside an empty one do not matter. */
static int64_t turns(const GemmArgs *g, const GemmTurns *t) {
    bool any = g->m > 0 && g->n > 0;
    for (int d = 0; d < t->n; d++) any &= t->turn[d][GEMM_TURNS] > 0;
    int64_t all = any;
    for (int d = 0; any && d < t->n; d++) all *= t->turn[d][GEMM_TURNS];
    return all;
}

double gemm_batch_flops(const GemmArgs *g, const GemmTurns *t) {
    double flops = 2.0 * (double)g->m * (double)g->n * (double)g->k;
    for (int d = 0; d < t->n; d++) flops *= (double)t->turn[d][GEMM_TURNS];
    return flops;
}

/* Pieces that threads take, 1: one product after the other, each shared if it is large enough. */
static int pieces_of(ThContext *c, const GemmArgs *g, const GemmTurns *t) {
    const int64_t all = turns(g, t);
    const double flops = gemm_batch_flops(g, t);
    if (g->alone || all < 2 || !gemm_shares(c, flops)) return 1;
    if (all < 2 * (int64_t)parallel_threads(c) && gemm_shares(c, flops / (double)all)) return 1;
    return all < MOST ? (int)all : MOST;
}

static size_t piece_bytes(const GemmArgs *g) {
    GemmArgs one = *g;
    one.alone = true;
    return (gemm_scratch_bytes(&one) + ALIGN - 1) / ALIGN * ALIGN;
}

size_t gemm_batch_scratch(ThContext *c, const GemmArgs *g, const GemmTurns *t) {
    const int pieces = pieces_of(c, g, t);
    const size_t one = gemm_scratch_bytes(g), all = pieces > 1 ? (size_t)pieces * piece_bytes(g) : 0;
    return all > one ? all : one; /* enough for one after the other too: there may be fewer threads then */
}

/* Product number i, counted with the innermost loop first. */
static void one(const Batch *b, GemmArgs g, int64_t i, char *scratch) {
    const int64_t item = (int64_t)th_dtype_bytes(g.dtype);
    for (int d = b->t->n - 1; d >= 0; d--) {
        const int64_t *turn = b->t->turn[d], at = i % turn[GEMM_TURNS];
        i /= turn[GEMM_TURNS];
        g.a = (const char *)g.a + at * turn[GEMM_TURN_A] * item;
        g.b = (const char *)g.b + at * turn[GEMM_TURN_B] * item;
        g.c = (char *)g.c + at * turn[GEMM_TURN_C] * item;
    }
    gemm_run(b->ctx, &g, scratch);
}

static bool leaves(const GemmArgs *g) { return g->early && atomic_load_explicit(g->early, memory_order_relaxed); }

static void piece(int p, void *user) {
    const Batch *b = user;
    GemmArgs g = *b->g;
    g.alone |= b->pieces > 1;
    const int64_t end = b->all * (p + 1) / b->pieces;
    char *room = b->scratch + (size_t)p * b->each;
    for (int64_t i = b->all * p / b->pieces; i < end && !leaves(&g); i++) one(b, g, i, room);
}

int gemm_batch(ThContext *c, const GemmArgs *g, const GemmTurns *t, void *scratch, size_t bytes) {
    if (!t->n) return gemm_run(c, g, scratch);
    Batch b = {.ctx = c, .g = g, .t = t, .scratch = scratch, .each = piece_bytes(g), .all = turns(g, t)};
    if (!b.all) return 0;
    if (!cpu_of(c)) return 1;
    b.pieces = pieces_of(c, g, t);
    if (b.each && bytes / b.each < (size_t)b.pieces) b.pieces = bytes / b.each ? (int)(bytes / b.each) : 1;
    if (b.pieces > 1) parallel_for(c, b.pieces, piece, &b);
    else piece(0, &b);
    return 0;
}
