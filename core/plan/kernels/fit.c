/*
 * fit.c -- for a device: what a reshape put between a work and its only reader is taken out of the way. In: a work, and
 * a group that reads it by other dims. Out: dims of one of them cut in those that the other one has, so that group.c
 * finds both alike: what copies an array that lies apart (heads, turned ones) does so where its reader stores, and an
 * array is added to a product where that is stored. Always holds: no element is another; loops that nothing needs
 * become one again (passes.c).
 */
#include "ops/table/ops.h"
#include "plan/parts.h"

/* Each member is all that its work does, point by point. */
static bool own(const Planner *p, int g) {
    for (int m = p->group.at[g].first; m >= 0; m = p->member.at[m].next_in_group) {
        const Work *w = &p->work.at[p->member.at[m].work];
        if (w->kind != WORK_KERNEL || !w->point || w->k->nouter || p->member.at[m].next_of_work >= 0) return false;
    }
    return true;
}

/* The group stores what is reduced: stages go by the rows of both. */
static bool reduced(const Planner *p, int g) {
    for (int m = p->group.at[g].first; m >= 0; m = p->member.at[m].next_in_group) {
        const Kernel *k = p->work.at[p->member.at[m].work].k;
        for (int a = 0; a < k->acc.n; a++)
            for (int u = p->use0[k->acc.at[a].buf]; u < p->use0[k->acc.at[a].buf + 1]; u++)
                if (k->acc.at[a].flags & ACC_WRITE && p->work.at[p->use[u].work].reduce) return true;
    }
    return false;
}

/* The kernel reads what a call left, which may want to join it. */
static bool follows(const Planner *p, const Kernel *k) {
    for (int a = 0; a < k->acc.n; a++) {
        const int r = k->acc.at[a].buf;
        bool reads = k->acc.at[a].flags & ACC_READ && p->root.at[r].writers == 1;
        if (reads && p->work.at[p->wr[p->wr0[r]]].call) return true;
    }
    return false;
}

static bool calls(const Planner *p, int g) {
    for (int m = p->group.at[g].first; m >= 0; m = p->member.at[m].next_in_group)
        if (follows(p, p->work.at[p->member.at[m].work].k)) return true;
    return false;
}

/* Rounds to a half, and nothing else: what a product does where it stores. */
static bool rounds(const Kernel *k) {
    bool half = false;
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *n = &k->ins.at[i];
        if (n->op != INS_LOAD && n->op != INS_CAST && n->op != INS_STORE) return false;
        half |= n->op == INS_CAST && dtype_is_half((ThDtype)n->dtype);
    }
    return half;
}

static bool asked(const Kernel *k, int d) {
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_INDEX && k->ins.at[i].a == d) return true;
    return false;
}

/* Dim d as n dims of lengths len, the outermost first; `really`: else only whether that can be. */
static bool split(Planner *p, Kernel *k, int d, const Size *len, int n, bool really) {
    if (k->ndim + n - 1 > KDIM || asked(k, d) || k->st.n != 1) return false;
    for (int a = 0; a < k->acc.n; a++) {
        Size *st = k->acc.at[a].st, step = st[d];
        if (really) memmove(&st[d + n], &st[d + 1], (size_t)(KDIM - d - n) * sizeof *st);
        for (int i = n - 1; i >= 0; i--) {
            if (size_bad(step)) return false;
            if (really) st[d + i] = step;
            if (i > 0) step = sizes_op(&p->sizes, '*', step, len[i]);
        }
    }
    if (!really) return true;
    memmove(&k->dim[d + n], &k->dim[d + 1], (size_t)(k->ndim - d - 1) * sizeof *k->dim);
    for (int i = n - 1; i >= 0; i--) k->dim[d + i] = (Dim){len[i], k->dim[d].kind};
    k->ndim += n - 1;
    k->st.at[0].nd = (uint8_t)(k->st.at[0].nd + n - 1);
    for (int i = 0; i < k->ins.n; i++) {
        Ins *x = &k->ins.at[i];
        if (x->depth > d) x->depth = (uint8_t)(x->depth + n - 1);
        if (x->op == INS_INDEX && x->a > d) x->a += n - 1;
    }
    return true;
}

/* The same dim of a group's base. */
static bool split_group(Planner *p, int g, int c, const Size *len, int n, bool really) {
    for (int m = p->group.at[g].first; m >= 0; m = p->member.at[m].next_in_group) {
        Member *x = &p->member.at[m];
        Kernel *k = p->work.at[x->work].k;
        int d = 0;
        while (d < k->ndim && x->map[d] != c) d++;
        const bool here = d < k->ndim;
        if (here && !split(p, k, d, len, n, really)) return false;
        if (!really) continue;
        for (int i = 0; i < KDIM; i++)
            if (x->map[i] > c) x->map[i] = (int8_t)(x->map[i] + n - 1);
        if (here) memmove(&x->map[d + n], &x->map[d + 1], (size_t)(KDIM - d - n));
        for (int i = 0; i < n && here; i++) x->map[d + i] = (int8_t)(c + i);
        for (int i = k->ndim; i < KDIM; i++) x->map[i] = -1;
    }
    return true;
}

/* What was seen of accesses was told by the old dims. */
static void forget(Group *g) {
    for (int i = 0; i < g->nacc; i++) g->seen[i].key = 0;
}

/* Dims of k ending in d that access a goes through evenly, as one of length n: how many, 0 none. */
static int run_of(Planner *p, const Kernel *k, const Access *a, int d, Size n) {
    Size all = k->dim[d].n, step = a->st[d];
    for (int c = d - 1; c >= 0; c--) {
        step = sizes_op(&p->sizes, '*', step, k->dim[c + 1].n);
        if (size_bad(step) || !sizes_same(&p->sizes, step, a->st[c])) return 0;
        all = sizes_op(&p->sizes, '*', all, k->dim[c].n);
        if (size_bad(all)) return 0;
        if (sizes_same(&p->sizes, all, n)) return d - c + 1;
    }
    return 0;
}

/* A dim of `coarse` that is several of `fine`, both as the accesses s and a go through one root: it, the last of those
 * and how many. */
typedef struct Cut {
    int d, last, n;
} Cut;

static Cut find_cut(Planner *p, const Kernel *coarse, const Access *s, const Kernel *fine, const Access *a) {
    for (int d = 0; d < coarse->ndim; d++)
        for (int c = fine->ndim - 1; c > 0 && !size_is(s->st[d], 0); c--) {
            if (!sizes_same(&p->sizes, s->st[d], a->st[c]) || coarse->dim[d].kind != DIM_PAR) continue;
            if (sizes_same(&p->sizes, coarse->dim[d].n, fine->dim[c].n)) continue;
            int n = run_of(p, fine, a, c, coarse->dim[d].n);
            if (n) return (Cut){d, c, n};
        }
    return (Cut){-1, -1, 0};
}

static void lengths(const Kernel *k, const Cut *c, Size *len) {
    for (int i = 0; i < c->n; i++) len[i] = k->dim[c->last - c->n + 1 + i].n;
}

static bool cut_reader(Planner *p, const Kernel *wk, const Access *s, const Kernel *rk, const Access *a,
                       const Member *m) {
    Size len[KDIM];
    Cut c = find_cut(p, rk, a, wk, s);
    int base = c.d < 0 ? -1 : m->map[c.d];
    if (base < 0 || calls(p, m->group)) return false;
    lengths(wk, &c, len);
    return split_group(p, m->group, base, len, c.n, false) && split_group(p, m->group, base, len, c.n, true);
}

static bool cut_work(Planner *p, Kernel *wk, const Access *s, const Kernel *rk, const Access *a) {
    Size len[KDIM];
    Cut c = find_cut(p, wk, s, rk, a);
    if (c.d < 0) return false;
    lengths(rk, &c, len);
    return split(p, wk, c.d, len, c.n, false) && split(p, wk, c.d, len, c.n, true);
}

/* Work w writes s, which member m reads by a. True: some dims are others now. */
static bool fit(Planner *p, int w, const Access *s, const Access *a, const Member *m) {
    Kernel *k = p->work.at[w].k, *reader = p->work.at[m->work].k;
    const Access from = *s, to = *a; /* which move */
    if (!p->work.at[p->group.at[m->group].base].point || !own(p, m->group) || reduced(p, m->group)) return false;
    if (a->idx >= 0 || a->guard >= 0 || s->dtype != a->dtype || !sizes_same(&p->sizes, s->off, a->off)) return false;
    if (!cut_work(p, k, &from, reader, &to) && !cut_reader(p, k, &from, reader, &to, m)) return false;
    forget(&p->group.at[m->group]);
    return true;
}

/* Work w, which has joined nothing yet, is read by one group, that sees it otherwise. True: look again. */
bool fit_group(Planner *p, int w) {
    const Work *from = &p->work.at[w];
    if (!p->fg->device || !from->point || from->k->nouter || (rounds(from->k) && follows(p, from->k))) return false;
    for (int a = 0; a < from->k->acc.n; a++) {
        const Access *s = &from->k->acc.at[a];
        for (int u = p->use0[s->buf]; s->flags & ACC_WRITE && u < p->use0[s->buf + 1]; u++) {
            const Work *x = &p->work.at[p->use[u].work];
            bool reads = x->live && x->kind == WORK_KERNEL && p->use[u].acc >= 0;
            for (int m = reads ? x->members : -1; m >= 0; m = p->member.at[m].next_of_work)
                if (fit(p, w, s, &x->k->acc.at[p->use[u].acc], &p->member.at[m])) return true;
        }
    }
    return false;
}

/* ---- a sum with a product ---------------------------------------------------------------------------------------- */
/* The access goes through an array without gaps, by all of its first n dims; their points in *all. */
static bool dense(Planner *p, const Kernel *k, const Access *a, int n, Size *all) {
    *all = size_const(1);
    for (int d = n - 1; d >= 0; d--) {
        if (k->dim[d].kind != DIM_PAR) return false;
        if (!size_is(k->dim[d].n, 1) && !sizes_same(&p->sizes, a->st[d], *all)) return false;
        *all = sizes_op(&p->sizes, '*', *all, k->dim[d].n);
        if (size_bad(*all)) return false;
    }
    return a->idx < 0 && a->guard < 0 && !(a->flags & (ACC_ADD | ACC_ROWTEMP));
}

/* The product of matrices that gives root r, which work w alone reads; or NULL. */
static const Kernel *sole_product(const Planner *p, int r, int w) {
    const Work *from = p->root.at[r].writers == 1 && !p->root.at[r].kept ? &p->work.at[p->wr[p->wr0[r]]] : NULL;
    bool sole = from && from->call && from->k->st.at[0].cls == STAGE_GEMM && from->k->st.at[0].beta < 0;
    for (int u = p->use0[r]; u < p->use0[r + 1]; u++) sole &= p->use[u].work == w || !p->work.at[p->use[u].work].live;
    return sole ? from->k : NULL;
}

/* Work w by the dims that a product goes through its result by, which has as many points. */
static void go_by(Kernel *k, const Kernel *product) {
    const Access *to = &product->acc.at[product->st.at[0].C];
    int n = 0;
    while (n < product->ndim && product->dim[n].kind == DIM_PAR) k->dim[n] = product->dim[n], n++;
    for (int a = 0; a < k->acc.n; a++)
        for (int d = 0; d < KDIM; d++) k->acc.at[a].st[d] = d < n ? to->st[d] : size_const(0);
    for (int i = 0; i < k->ins.n; i++) k->ins.at[i].depth = (uint8_t)n;
    k->ndim = n;
    k->st.at[0].nd = (uint8_t)n;
}

/* For a device: work w adds an array to a product that nobody else reads, and does no more. It stays with the product,
 * whose tiles (or a library, as what was there before) add it where they store: so the sum is read once, and who reads
 * it, a norm of its rows, need not read both of its parts and store it. True: w goes by the product's dims now. */
bool fit_sum(Planner *p, int w) {
    Kernel *k = p->work.at[w].k;
    const Kernel *product = NULL;
    Size points, all;
    if (!p->fg->device || !p->work.at[w].point || k->ins.n != 4 || k->acc.n != 3 || k->nouter) return false;
    bool sums = false;
    for (int i = 0; i < k->ins.n; i++) sums |= k->ins.at[i].op == S_add && dtype_is_float((ThDtype)k->ins.at[i].dtype);
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        if (!dense(p, k, x, k->ndim, &points) || x->dtype != k->acc.at[0].dtype) return false;
        if (!product && !(x->flags & ACC_WRITE)) product = sole_product(p, x->buf, w);
    }
    if (!sums || !product || product->nouter) return false;
    int n = 0;
    while (n < product->ndim && product->dim[n].kind == DIM_PAR) n++;
    const Access *to = &product->acc.at[product->st.at[0].C];
    if (!n || !dense(p, product, to, n, &all) || !sizes_same(&p->sizes, all, points)) return false;
    go_by(k, product);
    return true;
}
