/*
 * tails.c -- products whose blocks may go on with what follows each of their rows: the step behind a product is a
 * kernel of rows that reads its result, each row the product's own one, and nothing else that it wrote. Whether they do
 * is for the launch to say: where a row is no longer than a small tile, a block has all of it.
 */
#include "choose.h"
#include "program.h"

#include <string.h>

typedef struct Both {
    const GridKernel *g, *r; /* the product; the rows */
    const Step *s, *t;
    int row, col; /* dims of the product */
} Both;

static Size of_plan(const Step *s, Size n) { return n.sym < 0 ? n : (Size){n.k, s->sym[n.sym]}; }

static bool same(const Step *s, Size a, const Step *t, Size b) { return size_eq(of_plan(s, a), of_plan(t, b)); }

static bool product_may(const GridKernel *g) {
    const Nest *t = g->nest;
    if (!t || g->k->can_fail || t->grid != GRID_TILES || t->contract->half || !grid_is_product(g)) return false;
    return !t->contract->nbatch && t->contract->side_n[0] == 1 && t->contract->side_n[1] == 1;
}

static bool rows_may(const GridKernel *r) {
    return r->nest && r->nest->grid == GRID_BLOCK && r->nest->few && r->nest->depth == 1 && !r->nest->none;
}

/* The product writes here element by element, rows one behind the other. */
static bool in_rows(const Both *b, const Access *w) {
    return w->idx < 0 && w->guard < 0 && size_is(w->off, 0) && size_is(w->st[b->col], 1) &&
           same(b->s, w->st[b->row], b->s, b->g->k->dim[b->col].n);
}

/* An index that was found to lie in the row: of a column, perhaps times 1. */
static bool is_column(const Both *b, int id) {
    const Kernel *k = b->r->k;
    const Ins *i = &k->ins.at[id];
    for (int side = 0; side < 2 && i->op < INS_LOAD; side++) {
        const Ins *x = &k->ins.at[side ? i->a : i->b], *y = &k->ins.at[side ? i->b : i->a];
        if (i->b >= 0 && !strcmp(scalar_ops[i->op].name, "mul") && x->op == INS_SIZE && size_is(k->size.at[x->a], 1))
            i = y;
    }
    if (i->op != INS_CHECK_INDEX) return false;
    const Ins *n = &k->ins.at[i->b];
    return n->op == INS_SIZE && same(b->t, k->size.at[n->a], b->s, b->g->k->dim[b->col].n);
}

/* Row i of the points reads from row i of the product alone. */
static bool reads_own(const Both *b, const Access *a) {
    const Kernel *k = b->r->k;
    int outer = b->r->o.stage[0].loop[0], along = 0;
    if (a->flags & (ACC_WRITE | ACC_ADD) || a->guard >= 0 || !size_is(a->off, 0)) return false;
    if (!same(b->t, a->st[outer], b->s, b->g->k->dim[b->col].n)) return false;
    for (int d = 0; d < k->ndim; d++) {
        if (d == outer || size_is(a->st[d], 0)) continue;
        if (!size_is(a->st[d], 1) || !same(b->t, k->dim[d].n, b->s, b->g->k->dim[b->col].n)) return false;
        along++;
    }
    return along + (a->idx >= 0) <= 1 && (a->idx < 0 || is_column(b, a->idx));
}

/* Each buffer that the product writes: it lies row by row, and the rows behind read their own of it, or nothing. */
static bool fits(const Both *b) {
    bool any = false;
    for (int w = 0; w < b->g->k->acc.n; w++) {
        const Access *to = &b->g->k->acc.at[w];
        if (!(to->flags & (ACC_WRITE | ACC_ADD))) continue;
        if (!in_rows(b, to)) return false;
        for (int a = 0; a < b->r->k->acc.n; a++) {
            const Access *from = &b->r->k->acc.at[a];
            if (b->t->buf[from->buf] != b->s->buf[to->buf]) continue;
            if (from->dtype != to->dtype || !reads_own(b, from)) return false;
            any = true;
        }
    }
    return any;
}

static bool may(const Plan *p, const GridKernel *kernel, int step) {
    const Step *s = &p->step[step], *t = s + 1;
    if (s->kind != STEP_KERNEL || t->kind != STEP_KERNEL) return false;
    Both b = {&kernel[s->kernel], &kernel[t->kernel], s, t, 0, 0};
    if (!product_may(b.g) || !rows_may(b.r)) return false;
    b.row = b.g->nest->contract->side_dim[0][0], b.col = b.g->nest->contract->side_dim[1][0];
    int outer = b.r->o.stage[0].loop[0];
    if (!same(s, b.g->k->dim[b.row].n, t, b.r->k->dim[outer].n)) return false;
    return grid_record_bytes(b.g) + grid_record_bytes(b.r) <= GRID_ARGS && fits(&b);
}

bool tails_find(const Plan *p, const GridKernel *kernel, Arena *a, GridTail **out, int *n) {
    *n = 0;
    *out = arena_alloc0(a, sizeof **out * (size_t)(p->nstep + 1));
    if (!*out) return false;
    for (int r = 0; r < p->nregion; r++) {
        const Region *g = &p->region[r];
        for (int i = g->first; g->kind == REGION_STRAIGHT && i + 1 < g->first + g->n; i++)
            if (may(p, kernel, i)) (*out)[(*n)++] = (GridTail){i};
    }
    return true;
}

bool grid_tail(const GridKernel *g, const GridLaunch *l, const int64_t *sym, const GridKernel *r, const GridLaunch *way,
               const int64_t *sizes) {
    int64_t cols = size_value(g->k->dim[g->nest->contract->side_dim[1][0]].n, sym);
    int64_t bytes = CHOOSE_THREADS / TAIL_ROW * grid_rows(r->k, sizes);
    if (size_value(g->k->dim[g->nest->contract->side_dim[0][0]].n, sym) % 2) return false; /* warps have two each */
    if (l->nest != CHOOSE_SMALL || way->nest != GRID_FEW || cols > TAIL_ROW || bytes > CHOOSE_SHARED) return false;
    for (int d = 0; d < r->k->ndim; d++)
        if (d != r->o.stage[0].loop[0] && size_value(r->k->dim[d].n, sizes) > TAIL_ROW) return false;
    return true;
}
