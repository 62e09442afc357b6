/*
 * same.c -- for a device: a kernel that narrow.c left nothing to do but copy an array from its first element to its
 * last goes, and who reads the copy reads the array. In: fused kernels, narrowed. Out: the same but for such copies.
 * Always holds: the array is a temporary that nobody writes once it is copied, and so is the copy, which no step but
 * kernels reads.
 */
#include "plan/parts.h"

/* The copy, and only that: of access *from to access *to, over all of both, one element after the other. */
static bool copies(Planner *p, const Made *m, int *from, int *to) {
    const Kernel *k = m->k;
    if (!k || m->nstages != 1 || k->st.n != 1 || k->nouter || k->acc.n != 2 || k->ins.n != 2 || k->red.n) return false;
    const Ins *load = &k->ins.at[0], *store = &k->ins.at[1];
    if (k->st.at[0].cls != STAGE_LOOP || load->op != INS_LOAD || store->op != INS_STORE || store->b != 0) return false;
    *from = load->a, *to = store->a;
    const Access *x = &k->acc.at[*from], *y = &k->acc.at[*to];
    if (x->flags != ACC_READ || y->flags != ACC_WRITE || x->dtype != y->dtype || !dtype_is_half((ThDtype)x->dtype))
        return false;
    if (x->idx >= 0 || x->guard >= 0 || y->idx >= 0 || y->guard >= 0) return false;
    Size all = size_const(1);
    for (int d = 0; d < k->ndim; d++) {
        const bool same = k->dim[d].kind == DIM_PAR && sizes_same(&p->sizes, x->st[d], y->st[d]);
        if (!same) return false;
        all = sizes_op(&p->sizes, '*', all, k->dim[d].n);
    }
    return size_is(x->off, 0) && size_is(y->off, 0) && sizes_same(&p->sizes, all, p->root.at[x->buf].size) &&
           sizes_same(&p->sizes, all, p->root.at[y->buf].size);
}

typedef struct Same {
    Planner *p;
    int *last; /* by root: the last kernel that writes it, -1 */
    int *heir; /* by root: what is read in its place; else itself */
} Same;

static bool look(Same *x) {
    Planner *p = x->p;
    const size_t n = (size_t)p->root.n;
    x->last = arena_alloc(p->arena, n * sizeof *x->last + 1);
    x->heir = arena_alloc(p->arena, n * sizeof *x->heir + 1);
    if (!x->last || !x->heir) return false;
    for (int r = 0; r < p->root.n; r++) x->last[r] = -1, x->heir[r] = r;
    for (int i = 0; i < p->made.n; i++) {
        const Kernel *k = p->made.at[i].k;
        for (int a = 0; k && a < k->acc.n; a++)
            if (k->acc.at[a].flags & (ACC_WRITE | ACC_ADD)) x->last[k->acc.at[a].buf] = i;
    }
    return true;
}

/* Both are temporaries; the first is not written after the copy, made number i, the second by nothing else. */
static bool may_stand(const Same *s, int i, int x, int y) {
    const Planner *p = s->p;
    const Root *from = &p->root.at[x], *to = &p->root.at[y];
    if (from->kind != BUF_TEMP || to->kind != BUF_TEMP || from->kept || to->kept || from->gone || to->gone)
        return false;
    if (from->rowtemp || to->rowtemp || to->written || to->writers != 1 || from->dtype != to->dtype) return false;
    if (s->last[x] > i) return false;
    for (int w = p->wr0[x]; w < p->wr0[x + 1]; w++) { /* what is no kernel keeps its place */
        const Work *by = &p->work.at[p->wr[w]];
        if (by->kind != WORK_KERNEL && p->wr[w] > p->group.at[p->made.at[i].group].base) return false;
    }
    for (int u = p->use0[y]; u < p->use0[y + 1]; u++)
        if (p->use[u].acc < 0) return false;
    return true;
}

bool same_all(Planner *p) {
    Same s = {.p = p};
    if (!p->fg->device) return true;
    if (!look(&s)) return false;
    for (int i = 0; i < p->made.n; i++) {
        Made *m = &p->made.at[i];
        int from, to;
        for (int a = 0; m->k && a < m->k->acc.n; a++) m->k->acc.at[a].buf = s.heir[m->k->acc.at[a].buf];
        if (!copies(p, m, &from, &to)) continue;
        const int x = m->k->acc.at[from].buf, y = m->k->acc.at[to].buf;
        if (!may_stand(&s, i, x, y)) continue;
        kernel_free(m->k);
        m->k = NULL, m->nstages = 0;
        s.heir[y] = x, p->root.at[y].gone = true;
    }
    return true;
}
