/*
 * turns.c -- loops of a plan all of whose turns may be one launch: its blocks do a step together and wait for each
 * other where the next one needs what others did. May it: every step is a plain copy, a kernel of a thread a point, or
 * a product by tiles; none can fail, has private rows, or sees the number of the turn.
 */
#include "choose.h"
#include "program.h"

static bool kernel_may(const GridKernel *g) {
    const Nest *t = g->nest;
    if (!t || g->k->can_fail || t->none) return false;
    for (int b = 0; b < g->k->nbuf; b++)
        if (grid_row_item(g->k, b)) return false;
    if (t->grid == GRID_TILES) return !t->contract->half && !grid_is_conv(g);
    return t->grid == GRID_THREAD;
}

static bool step_may(const Plan *p, const GridKernel *kernel, const Region *loop, const Step *s) {
    if (s->kind == STEP_TRANSFER) return true;
    if (s->kind != STEP_KERNEL || !kernel_may(&kernel[s->kernel])) return false;
    for (int i = 0; i < s->nsym; i++)
        if (s->sym[i] == loop->counter) return false;
    (void)p;
    return true;
}

/* ---- products with points behind them ---- */
static const Contract *product_of(const GridKernel *kernel, const Step *s) {
    const Nest *t = s->kind == STEP_KERNEL ? kernel[s->kernel].nest : NULL;
    return t && t->grid == GRID_TILES ? t->contract : NULL;
}

/* Of a step, how long dim d of its kernel is, in the plan's terms. */
static Size plan_length(const GridKernel *g, const Step *s, int d) {
    Size n = g->k->dim[d].n;
    return n.sym < 0 ? n : (Size){n.k, s->sym[n.sym]};
}

/* The next step of the turns that computes points, up to another product, has one for each of the product's sums. */
static bool point_a_sum(const Plan *p, const GridKernel *kernel, const GridTurns *t, int at) {
    const Step *s = &p->step[t->first + at];
    const Contract *c = product_of(kernel, s);
    if (c->side_n[0] != 1 || c->side_n[1] != 1 || c->nbatch) return false;
    for (int i = 1; i < t->nstep; i++) {
        const Step *q = &p->step[t->first + (at + i) % t->nstep];
        const GridKernel *g = q->kind == STEP_KERNEL ? &kernel[q->kernel] : NULL;
        if (g && product_of(kernel, q)) return false;
        if (!g || !g->each || g->nest->depth != 2) continue;
        const int8_t dim[2] = {c->side_dim[0][0], c->side_dim[1][0]};
        bool same = true;
        for (int d = 0; d < 2; d++)
            same &= size_eq(plan_length(&kernel[s->kernel], s, dim[d]), plan_length(g, q, g->o.stage[0].loop[d]));
        if (same) return true;
    }
    return false;
}

/* Threads that have some neighbours elsewhere may have one point, and all may be shared out beside a product. */
static void choose_each_of(const Plan *p, GridKernel *kernel, const GridTurns *t) {
    bool beside = false;
    for (int i = 0; i < t->nstep; i++) beside |= product_of(kernel, &p->step[t->first + i]) != NULL;
    for (int i = 0; i < t->nstep; i++) {
        const Step *s = &p->step[t->first + i];
        const Nest *n = s->kind == STEP_KERNEL ? kernel[s->kernel].nest : NULL;
        if (!n || n->grid != GRID_THREAD) continue;
        kernel[s->kernel].each |= grid_neighbours(n) > 1 || (beside && n->depth > 0);
    }
}

/* A product of floats, both of whose factors are matrices with the terms of a sum side by side. */
static bool by_quarters(const GridKernel *g, const Contract *c) {
    if ((c->dtype != TH_FLOAT32 && c->dtype != TH_FLOAT64) || c->nbatch || c->ndeep != 1) return false;
    for (int i = 0; i < 2; i++) {
        int a = c->side[i].access;
        if (a < 0 || !c->side[i].deep || c->side_n[i] != 1 || !size_is(g->k->acc.at[a].st[c->deep[0]], 1)) return false;
    }
    return true;
}

/* A product's tiles are square where all steps that it is have points so. */
static void choose_tiles(const Plan *p, GridKernel *kernel, const GridTurns *t, int n) {
    for (int k = 0; k < p->nkernel; k++) kernel[k].tile = CHOOSE_SQUARE, kernel[k].each = kernel[k].quarters = false;
    for (int i = 0; i < n; i++) choose_each_of(p, kernel, &t[i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < t[i].nstep; j++) {
            const Step *s = &p->step[t[i].first + j];
            if (product_of(kernel, s) && !point_a_sum(p, kernel, &t[i], j)) kernel[s->kernel].tile = CHOOSE_THIN;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < t[i].nstep; j++) {
            const Step *s = &p->step[t[i].first + j];
            const Contract *c = product_of(kernel, s);
            GridKernel *g = c ? &kernel[s->kernel] : NULL;
            if (c && g->tile == CHOOSE_SQUARE) g->quarters = by_quarters(g, c);
        }
}

/* The loop's body as one run of steps; false: it is none. */
static bool straight(const Plan *p, const Region *loop, GridTurns *out) {
    out->nstep = 0;
    for (int id = loop->child; id >= 0; id = p->region[id].next) {
        const Region *g = &p->region[id];
        if (g->kind != REGION_STRAIGHT) return false;
        if (!g->n) continue;
        if (!out->nstep) out->first = g->first;
        if (g->first != out->first + out->nstep) return false;
        out->nstep += g->n;
    }
    return out->nstep > 0 && out->nstep <= TURNS_STEPS;
}

static bool may(const Plan *p, const GridKernel *kernel, int region, GridTurns *out) {
    const Region *loop = &p->region[region];
    if (loop->kind != REGION_LOOP || loop->until >= 0 || loop->nwindow > TURNS_WINDOWS) return false;
    out->region = region;
    if (!straight(p, loop, out)) return false;
    for (int i = 0; i < out->nstep; i++)
        if (!step_may(p, kernel, loop, &p->step[out->first + i])) return false;
    return true;
}

int turns_window(const Plan *p, const GridTurns *t, int buf) {
    const Region *loop = &p->region[t->region];
    for (int i = 0; i < loop->nwindow; i++)
        if (p->window[loop->window + i].buf == buf) return i;
    return -1;
}

int turns_root(const Plan *p, int buf) {
    for (int i = 0; i < p->nwindow; i++)
        if (p->window[i].buf == buf) buf = p->window[i].of, i = -1;
    return buf;
}

bool turns_find(const Plan *p, GridKernel *kernel, Arena *a, GridTurns **out, int *n) {
    GridTurns one;
    *n = 0;
    *out = arena_alloc0(a, sizeof **out * (size_t)(p->nregion + 1));
    if (!*out) return false;
    for (int r = 0; r < p->nregion; r++) {
        if (!may(p, kernel, r, &one)) continue;
        one.spread = sizeof(GridTurnsHead) + sizeof(GridWindow) * (size_t)p->region[r].nwindow;
        one.place = (one.spread + sizeof(GridSpread) * (size_t)one.nstep + 7) / 8 * 8;
        size_t at = one.place + sizeof(uint64_t) * (size_t)one.nstep;
        one.at = arena_alloc(a, sizeof *one.at * (size_t)one.nstep);
        if (!one.at) return false;
        for (int i = 0; i < one.nstep; i++) {
            const Step *s = &p->step[one.first + i];
            one.at[i] = at;
            at += s->kind == STEP_KERNEL ? grid_record_bytes(&kernel[s->kernel]) : sizeof(GridCopy);
        }
        one.bytes = at;
        if (at <= GRID_ARGS) (*out)[(*n)++] = one;
    }
    choose_tiles(p, kernel, *out, *n);
    return true;
}
