/*
 * pairs.c -- for a device, a draw whose two halves one kernel reads side by side, number by number, as pairs of normal
 * numbers are made, and the kernel become one: who has a point draws both of its numbers, and nothing drawn is memory.
 * In: tidied kernels. Out: the same, of such two the one that draws in pairs (Stage.paired), where the draw stood.
 * Always holds: nothing that the second one touches is written between them, nor what it writes touched.
 */
#include "kernel/draw_work.h"
#include "ops/math/special.h"
#include "ops/table/ops.h"
#include "plan/parts.h"

typedef struct Halves { /* of a draw's numbers, as another kernel's loads */
    int root, first, second;
} Halves;

/* One draw, with nothing behind it yet, into memory that one kernel may take over. */
static bool alone(const Planner *p, const Made *m) {
    const Kernel *k = m->k;
    if (!k || m->nstages != 1 || k->st.n != 1 || k->nouter) return false;
    const Stage *s = &k->st.at[0];
    if (s->cls != STAGE_DRAW || s->nins || s->nd != 1) return false;
    const Size *z = &k->size.at[s->num0];
    return size_is(z[DRAW_AT_DRAWS], 1) && size_is(k->acc.at[s->C].off, 0) &&
           draws_own(&p->root.at[k->acc.at[s->C].buf]);
}

/* A loop over points that stores at each, fails nowhere and asks for no position. */
static bool plain(const Made *m) {
    const Kernel *k = m->k;
    if (!k || m->nstages != 1 || k->st.n != 1 || k->nouter || k->ndim != 1 || k->red.n || k->can_fail) return false;
    if (k->st.at[0].cls != STAGE_LOOP || k->st.at[0].nnum || k->dim[0].kind != DIM_PAR) return false;
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].idx >= 0 || k->acc.at[a].guard >= 0 || (k->acc.at[a].flags & (ACC_ADD | ACC_ROWTEMP)))
            return false;
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *x = &k->ins.at[i];
        if (x->op == INS_INDEX || x->op == INS_FAIL_IF || x->op == INS_CHECK_INDEX || x->op == INS_EP) return false;
        if (x->op == INS_STORE && x->depth < 1) return false;
    }
    return true;
}

/* What k reads of h->root are the halves, each from its first number to its last. */
static bool both(Planner *p, const Kernel *k, Size each, Halves *h) {
    const Size n = k->dim[0].n;
    h->first = h->second = -1;
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        if (x->buf != h->root) continue;
        int *at = size_is(x->off, 0) ? &h->first : sizes_same(&p->sizes, x->off, n) ? &h->second : NULL;
        if (!at || *at >= 0 || x->flags != ACC_READ || !size_is(x->st[0], 1)) return false;
        *at = a;
    }
    return h->first >= 0 && h->second >= 0 && sizes_same(&p->sizes, each, (Size){2 * n.k, n.sym});
}

static bool touches(const Kernel *k, int root, int flag) {
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == root && (k->acc.at[a].flags & flag)) return true;
    return false;
}

/* Kernel k may run before the other one, or right behind the draw that leaves root `but` for it. */
static bool may_pass(const Kernel *k, const Kernel *other, int but) {
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        if (x->buf != but && touches(other, x->buf, x->flags & ACC_WRITE ? ACC_READ | ACC_WRITE : ACC_WRITE))
            return false;
    }
    return true;
}

/* The kernel behind draw i that makes pairs of its numbers, -1: none. */
static int reader(Planner *p, int i, Halves *h) {
    const Kernel *d = p->made.at[i].k;
    const Size each = d->size.at[d->st.at[0].num0 + DRAW_AT_EACH];
    h->root = d->acc.at[d->st.at[0].C].buf;
    for (int j = i + 1; j < p->made.n; j++) {
        const Made *m = &p->made.at[j];
        if (!m->k) return -1; /* not a kernel, or a stage of one */
        if (!touches(m->k, h->root, ACC_READ)) continue;
        bool good = plain(m) && both(p, m->k, each, h) && group_alone_reads(p, h->root, m->group);
        bool changes = j > i + 1 && group_writes_foreign(p, m->group); /* what may fail would come behind that */
        for (int b = i; b < j && good; b++) good = may_pass(m->k, p->made.at[b].k, b > i ? -1 : h->root);
        return good && !changes && m->k->acc.n + 2 <= KACC ? j : -1;
    }
    return -1;
}

/* No literal times a number, which is below 1, is so far from 0 that its sine or cosine is another matter. */
static bool near(const Kernel *k) {
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *x = &k->ins.at[i];
        if (x->op >= INS_LOAD || strcmp(scalar_ops[x->op].name, "mul")) continue;
        const Ins *a = &k->ins.at[x->a], *b = &k->ins.at[x->b], *p = a->op == INS_PARAM ? a : b;
        if (p->op != INS_PARAM || (a->op != INS_EP && b->op != INS_EP)) continue;
        double far = x->dtype == TH_FLOAT32 ? SPECIAL_FAR_SINGLE : SPECIAL_FAR;
        if (!(fabs(k->param.at[p->a].f) < far)) return false;
    }
    return true;
}

/* Kernel k of the pairs draws as d does. */
static bool draw(Planner *p, Kernel *k, const Kernel *d, const Halves *h) {
    const Stage *from = &d->st.at[0];
    int num0 = k->size.n, a = kernel_access(k, d->acc.at[from->A]);
    int b = from->B >= 0 && a >= 0 ? kernel_access(k, d->acc.at[from->B]) : -1;
    if (a < 0 || (from->B >= 0 && b < 0)) return false;
    for (int n = 0; n < DRAW_NUMBERS; n++)
        if (!vec_push(p->ctx, &k->size, d->size.at[from->num0 + n])) return false;
    for (int i = 0; i < k->ins.n; i++) {
        Ins *x = &k->ins.at[i];
        if (x->op != INS_LOAD || k->acc.at[x->a].buf != h->root) continue;
        x->op = INS_EP, x->a = x->a == h->first ? -1 : h->second;
    }
    Stage *s = &k->st.at[0];
    s->cls = STAGE_DRAW;
    s->A = a, s->B = b, s->C = h->first, s->alpha = s->beta = -1;
    s->num0 = num0, s->nnum = DRAW_NUMBERS;
    s->passing = s->paired = true;
    s->near = near(k);
    k->acc.at[h->first].flags = k->acc.at[h->second].flags = ACC_WRITE;
    k->can_fail = d->can_fail, k->fails_first = d->fails_first;
    return draws_forget(p, &p->root.at[h->root]);
}

/* The kernel of made j comes right behind draw i, as that and nothing else. */
static void move(Planner *p, int i, int j) {
    Made m = p->made.at[j];
    memmove(p->made.at + i + 2, p->made.at + i + 1, (size_t)(j - i - 1) * sizeof m);
    kernel_free(p->made.at[i].k);
    p->made.at[i].k = m.k, p->made.at[i].nstages = 2;
    m.k = NULL, m.nstages = 0;
    p->made.at[i + 1] = m;
}

bool pairs_all(Planner *p) {
    for (int i = 0; i < p->made.n && p->fg->device; i++) {
        Halves h;
        int j = alone(p, &p->made.at[i]) ? reader(p, i, &h) : -1;
        if (j < 0) continue;
        if (!draw(p, p->made.at[j].k, p->made.at[i].k, &h)) return false;
        move(p, i, j);
    }
    return true;
}
