/*
 * dead.c -- what nobody reads leaves a kernel: stores of results that no step asks for (the positions beside a maximum,
 * the other half of an operation with two results), then the instructions, reductions and stages that only they needed.
 * In: a kernel of loops. Out: the same kernel with less in it. What can fail stays.
 */
#include "kernel/order.h"
#include "plan/parts.h"

#include <string.h>

typedef struct Dead {
    Kernel *k;
    const uint8_t *drop; /* by access: its stores go */
    uint8_t *live;       /* by instruction */
    uint8_t *red;        /* by reduction */
    uint8_t *loaded;     /* by access: something that stays loads from its buffer */
    int *to;             /* new number by instruction */
    int *red_to;
} Dead;

static bool stays(const Dead *x, const Ins *i) {
    if (i->op == INS_FAIL_IF || i->op == INS_CHECK_INDEX) return true;
    if (i->op != INS_STORE || x->drop[i->a]) return false;
    return !(x->k->acc.at[i->a].flags & ACC_ROWTEMP) || x->loaded[i->a];
}

static void mark(const Dead *x) {
    Kernel *k = x->k;
    for (int id = k->ins.n - 1; id >= 0; id--) {
        const Ins *i = &k->ins.at[id];
        if (!x->live[id] && !stays(x, i)) continue;
        int v[6], n = ins_reads(k, i, v);
        x->live[id] = 1;
        for (int j = 0; j < n; j++) x->live[v[j]] = 1;
        if (i->op == INS_RED) x->red[i->a] = x->live[k->red.at[i->a].v] = 1;
        for (int a = 0; a < k->acc.n && i->op == INS_LOAD; a++)
            if (k->acc.at[a].buf == k->acc.at[i->a].buf) x->loaded[a] = 1;
    }
}

static int moved(const Dead *x, int v) { return v < 0 ? v : x->to[v]; }

/* The stages' lists get shorter; a stage that has nothing left goes. */
static void compact(const Dead *x) {
    Kernel *k = x->k;
    int ni = 0, nr = 0, ns = 0;
    for (int s = 0; s < k->st.n; s++) {
        Stage st = k->st.at[s];
        int ins0 = ni, red0 = nr;
        for (int i = st.ins0; i < st.ins0 + st.nins; i++) x->to[i] = x->live[i] ? ni++ : -1;
        for (int r = st.red0; r < st.red0 + st.nred; r++) x->red_to[r] = x->red[r] ? nr++ : -1;
        for (int i = st.ins0; i < st.ins0 + st.nins; i++) k->ins.at[i].stage = (uint8_t)ns;
        for (int r = st.red0; r < st.red0 + st.nred; r++) k->red.at[r].stage = (uint8_t)ns;
        st.ins0 = ins0, st.nins = ni - ins0, st.red0 = red0, st.nred = nr - red0;
        if (st.nins || st.nred || (s == k->st.n - 1 && !ns)) k->st.at[ns++] = st;
    }
    k->st.n = ns;
    for (int i = 0; i < k->ins.n; i++) {
        Ins n = k->ins.at[i];
        if (x->to[i] < 0) continue;
        ins_renumber(&n, x->to);
        if (n.op == INS_RED) n.a = x->red_to[n.a];
        k->ins.at[x->to[i]] = n;
    }
    for (int r = 0; r < k->red.n; r++) {
        Red d = k->red.at[r];
        if (x->red_to[r] < 0) continue;
        d.v = moved(x, d.v);
        k->red.at[x->red_to[r]] = d;
    }
    k->ins.n = ni, k->red.n = nr;
    for (int a = 0; a < k->acc.n; a++) {
        k->acc.at[a].idx = moved(x, k->acc.at[a].idx);
        k->acc.at[a].guard = moved(x, k->acc.at[a].guard);
    }
}

static bool only_loops(const Kernel *k) {
    for (int d = 0; d < k->ndim; d++)
        if (k->dim[d].kind == DIM_SEQ) return false; /* a turn may read what an earlier one stored */
    for (int s = 0; s < k->st.n; s++)
        if (k->st.at[s].cls != STAGE_LOOP) return false;
    return true;
}

bool kernel_drop(Planner *p, Kernel *k, const uint8_t *drop) {
    if (!only_loops(k)) return true;
    int ni = k->ins.n, nr = k->red.n, na = k->acc.n;
    Dead x = {.k = k, .drop = drop, .live = arena_alloc0(p->arena, (size_t)(ni + nr + na) + 1)};
    x.to = arena_alloc0(p->arena, (size_t)(ni + nr + 1) * sizeof(int));
    if (!x.live || !x.to) return false;
    x.red = x.live + ni;
    x.loaded = x.red + nr;
    x.red_to = x.to + ni;
    mark(&x);
    compact(&x);
    return true;
}

/* Stored once, into memory that is this function's alone, and read by no step that runs. */
static bool unread(const Root *r) {
    return r->kind == BUF_TEMP && r->writers == 1 && !r->written && !r->kept && !r->needed;
}

static bool drop_unread(Planner *p, Kernel *k) {
    uint8_t *drop = arena_alloc0(p->arena, (size_t)k->acc.n + 1);
    bool any = false;
    if (!drop || !only_loops(k)) return drop != NULL;
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        if (!(x->flags & ACC_WRITE) || (x->flags & (ACC_ROWTEMP | ACC_READ))) continue;
        Root *r = &p->root.at[x->buf];
        if (!unread(r)) continue;
        drop[a] = 1;
        any = r->gone = true;
    }
    return !any || kernel_drop(p, k, drop);
}

bool kernel_unread_all(Planner *p) {
    for (int i = 0; i < p->made.n; i++)
        if (p->made.at[i].k && !drop_unread(p, p->made.at[i].k)) return false;
    return true;
}
