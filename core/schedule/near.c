/*
 * near.c -- in a loop that is one launch, points behind a product whose block has them (GridSpread): what of their
 * loads lies in the tile that the block has multiplied, and what may be asked for before the product's blocks wait.
 * That it is so in a call, addresses say (core/runtime/turns.c).
 */
#include "choose.h"
#include "program.h"

/* Of shared memory, beside the tiles' own; an access' place in its tile has NEAR_BITS. */
enum { NEAR_BYTES = 12 << 10 };

static const GridKernel *kernel_of(const GridKernel *kernel, const Step *s) {
    return s->kind == STEP_KERNEL ? &kernel[s->kernel] : NULL;
}

static bool is_product(const GridKernel *g) { return g && g->nest->grid == GRID_TILES; }

/* Nothing between the product and its points has shared memory of its own. */
static bool passes(const GridKernel *g) {
    return !g || (g->nest->grid == GRID_THREAD && !g->nest->tiled && !(g->nest->twin && g->nest->twin->tiled));
}

/* The product before step `at`, around the end of a turn too; -1: none, or something stands between. */
static int product_before(const Plan *p, const GridKernel *kernel, const GridTurns *t, int at) {
    for (int i = 1; i < t->nstep; i++) {
        int j = (at + t->nstep - i) % t->nstep;
        const GridKernel *g = kernel_of(kernel, &p->step[t->first + j]);
        if (is_product(g)) return j;
        if (!passes(g)) return -1;
    }
    return -1;
}

/* The access by which a product stores what stands in its tile afterwards, of its sums' dtype; -1: none. */
static int store_of(const GridKernel *g) {
    const Stage *st = &g->k->st.at[g->k->st.n - 1];
    const Contract *c = g->nest->contract;
    int to = st->cls == STAGE_GEMM && !st->sole ? st->C : -1;
    for (int i = 0; i < g->k->ins.n; i++) {
        const Ins *s = &g->k->ins.at[i];
        const Access *a = s->op == INS_STORE ? &g->k->acc.at[s->a] : NULL;
        if (a && a->idx < 0 && a->guard < 0 && !(a->flags & ACC_ADD) && a->dtype == c->dtype &&
            g->k->ins.at[s->b].dtype == c->dtype)
            to = s->a;
    }
    return to >= 0 && g->k->acc.at[to].dtype == c->dtype ? to : -1;
}

/* It is read, once a point, before the point's work. */
static bool only_read(const GridKernel *g, int acc) {
    const Access *a = &g->k->acc.at[acc];
    bool any = false;
    if (a->idx >= 0 || a->guard >= 0 || a->flags & (ACC_WRITE | ACC_ADD | ACC_ROWTEMP)) return false;
    for (int i = 0; i < g->k->ins.n; i++) {
        if (g->k->ins.at[i].op != INS_LOAD || g->k->ins.at[i].a != acc) continue;
        if (!neighbours_early(g->nest, i)) return false;
        any = true;
    }
    return any;
}

/* Another step of the loop writes there. */
static bool others_write(const Plan *p, const GridKernel *kernel, const GridTurns *t, int at, int root) {
    for (int i = 0; i < t->nstep; i++) {
        const Step *s = &p->step[t->first + i];
        const GridKernel *g = kernel_of(kernel, s);
        if (!g && turns_root(p, s->buf[1]) == root) return true;
        for (int a = 0; g && i != at && a < g->k->acc.n; a++)
            if (g->k->acc.at[a].flags & (ACC_WRITE | ACC_ADD) && turns_root(p, s->buf[g->k->acc.at[a].buf]) == root)
                return true;
    }
    return false;
}

static bool one_point(const GridKernel *g) {
    const LoopStage *s = g->o.stage;
    return g->each && g->nest->grid == GRID_THREAD && g->k->st.n == 1 && !s->st->nred && s->nloop == g->nest->depth &&
           s->nloop >= 1 && s->nloop <= 2;
}

/* *room: of the loop's shared memory, what its steps have had. */
static void near_step(const Plan *p, GridKernel *kernel, const GridTurns *t, int at, int *room) {
    const Step *s = &p->step[t->first + at], *before;
    const GridKernel *g = kernel_of(kernel, s);
    GridNear *n = &t->near[at];
    int x = g && one_point(g) ? product_before(p, kernel, t, at) : -1, tiles = 0;
    if (x < 0) return;
    before = &p->step[t->first + x];
    GridKernel *product = &kernel[before->kernel];
    int store = store_of(product);
    if (store < 0 || product->nest->contract->half || (product->kept && product->kept != store + 1)) return;
    int made = turns_root(p, before->buf[product->k->acc.at[store].buf]);
    for (int a = 0; a < g->k->acc.n; a++) {
        const Access *one = &g->k->acc.at[a];
        int root = turns_root(p, s->buf[one->buf]), item = (int)th_dtype_bytes((ThDtype)one->dtype);
        if (!only_read(g, a)) continue;
        if (root == made) {
            if (one->dtype == product->nest->contract->dtype && tiles < NEAR_TILES) n->tile |= 1u << a, tiles++;
        } else if ((item == 4 || item == 8) && *room + item * CHOOSE_THREADS <= NEAR_BYTES &&
                   !others_write(p, kernel, t, at, root)) {
            n->ahead |= 1u << a;
            n->at[a] = *room;
            *room += item * CHOOSE_THREADS;
        }
    }
    if (!n->tile && !n->ahead) return;
    n->product = x, n->next = x > at, n->store = store;
    product->kept = store + 1;
}

bool near_find(const Plan *p, GridKernel *kernel, GridTurns *t, Arena *a) {
    int room = 0;
    t->near = arena_alloc0(a, sizeof *t->near * (size_t)t->nstep);
    if (!t->near) return false;
    for (int i = 0; i < t->nstep; i++) t->near[i].product = -1;
    for (int i = 0; i < t->nstep; i++) near_step(p, kernel, t, i, &room);
    t->room = room;
    return true;
}
