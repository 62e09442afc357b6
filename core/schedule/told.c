/*
 * told.c -- in a loop that is one launch, numbers that say themselves that they are there: the rows of a product that
 * other blocks' points have stored. Where they will stand lies a NaN whose bits are all ones before the launch, and no
 * point stores that one; so a block that multiplies looks at each number until it is another one, and nobody counts who
 * has come. That a call may do so, addresses say (core/runtime/turns.c).
 */
#include "program.h"

static const GridKernel *kernel_of(const GridKernel *kernel, const Step *s) {
    return s->kind == STEP_KERNEL ? &kernel[s->kernel] : NULL;
}

/* The loop's only product; -1: it has none, or several. */
static int only_product(const Plan *p, const GridKernel *kernel, const GridTurns *t) {
    int one = -1;
    for (int i = 0; i < t->nstep; i++) {
        const GridKernel *g = kernel_of(kernel, &p->step[t->first + i]);
        if (!g || g->nest->grid != GRID_TILES) continue;
        if (one >= 0) return -1;
        one = i;
    }
    return one;
}

/* Its rows are a matrix of floats of the sums' kind, the terms of a row side by side; which access, or -1. */
static int rows_access(const GridKernel *g) {
    const Contract *c = g->nest->contract;
    int a = c->side[0].access;
    if (c->half || a < 0 || (c->dtype != TH_FLOAT32 && c->dtype != TH_FLOAT64)) return -1;
    if (c->nbatch || c->ndeep != 1 || c->side_n[0] != 1 || g->k->acc.at[a].dtype != c->dtype) return -1;
    return size_is(g->k->acc.at[a].st[c->deep[0]], 1) ? a : -1;
}

void told_find(const Plan *p, GridKernel *kernel, GridTurns *t) {
    int at = only_product(p, kernel, t);
    const Step *s = at >= 0 ? &p->step[t->first + at] : NULL;
    int rows = s ? rows_access(&kernel[s->kernel]) : -1;
    t->told = -1;
    if (rows < 0) return;
    int root = turns_root(p, s->buf[kernel[s->kernel].k->acc.at[rows].buf]);
    bool any = false;
    for (int i = 0; i < t->nstep; i++) {
        const Step *q = &p->step[t->first + i];
        GridKernel *g = q->kind == STEP_KERNEL && i != at ? &kernel[q->kernel] : NULL;
        for (int a = 0; g && g->each && a < g->k->acc.n; a++) {
            const Access *x = &g->k->acc.at[a];
            if (!(x->flags & ACC_WRITE) || turns_root(p, q->buf[x->buf]) != root) continue;
            if (x->guard >= 0 || x->idx >= 0 || x->flags & ACC_ADD) return;
            g->told |= 1u << a;
            any = true;
        }
    }
    if (!any) return;
    kernel[s->kernel].told |= 1u << rows;
    t->told = at;
}
