/*
 * rows.c -- for a device, what a kernel stores of each row and reads again in later stages is kept as a private row,
 * too, which lies in a block's shared memory where that has room: those stages read it there. In: tidied kernels. Out:
 * the same, a second store beside the first. Always holds: what is read is what was stored; nobody else sees the row.
 */
#include "kernel/order.h"
#include "plan/parts.h"

#include <string.h>

enum { MOST = 40 << 10 }; /* bytes: a row that is surely longer stays in memory alone */

/* The one instruction that stores by this access, or -1. */
static int store_of(const Kernel *k, int acc) {
    int at = -1;
    for (int i = 0; i < k->ins.n; i++) {
        if (k->ins.at[i].op != INS_STORE || k->ins.at[i].a != acc) continue;
        if (at >= 0) return -1;
        at = i;
    }
    return at;
}

static bool simple(const Access *x, int flags) { return x->flags == flags && x->idx < 0 && x->guard < 0; }

/* The access stores along a row that a later stage goes along again, and nothing else of the kernel meets it. */
static bool comes_again(const Kernel *k, int acc) {
    const Access *w = &k->acc.at[acc];
    int store = store_of(k, acc), along = 0, loads = 0;
    if (store < 0 || !simple(w, ACC_WRITE) || k->ins.at[store].depth <= k->nouter) return false;
    for (int d = k->nouter; d < k->ndim; d++) {
        if (size_is(w->st[d], 0)) continue;
        if (along++ || (k->dim[d].n.sym < 0 && k->dim[d].n.k * (int64_t)th_dtype_bytes((ThDtype)w->dtype) > MOST))
            return false;
    }
    for (int a = 0; a < k->acc.n; a++)
        if (a != acc && k->acc.at[a].buf == w->buf &&
            (!simple(&k->acc.at[a], ACC_READ) || k->acc.at[a].dtype != w->dtype))
            return false;
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *n = &k->ins.at[i];
        if (n->op != INS_LOAD || k->acc.at[n->a].buf != w->buf) continue;
        if (n->stage <= k->ins.at[store].stage || n->depth <= k->nouter) return false;
        loads++;
    }
    return along && loads;
}

static int moved(int v, int at) { return v < at ? v : v + 1; }

/* n becomes instruction `at`; what stood there and behind it moves on. */
static bool insert(Planner *p, Kernel *k, int at, Ins n) {
    int *to = arena_alloc(p->arena, (size_t)(k->ins.n + 1) * sizeof *to);
    if (!to || !vec_push(k->ctx, &k->ins, n)) return false;
    for (int i = 0; i < k->ins.n; i++) to[i] = moved(i, at);
    for (int i = 0; i < k->ins.n - 1; i++) ins_renumber(&k->ins.at[i], to);
    memmove(&k->ins.at[at + 1], &k->ins.at[at], (size_t)(k->ins.n - 1 - at) * sizeof n);
    k->ins.at[at] = n;
    for (int r = 0; r < k->red.n; r++) k->red.at[r].v = moved(k->red.at[r].v, at);
    for (int a = 0; a < k->acc.n; a++) {
        k->acc.at[a].idx = moved(k->acc.at[a].idx, at);
        k->acc.at[a].guard = moved(k->acc.at[a].guard, at);
    }
    for (int s = 0; s < k->st.n; s++) {
        if (s == n.stage) k->st.at[s].nins++;
        else if (k->st.at[s].ins0 >= at) k->st.at[s].ins0++;
    }
    return true;
}

static bool keep(Planner *p, Kernel *k, int acc) {
    Access row = k->acc.at[acc];
    int store = store_of(k, acc), from = row.buf, r = planner_root(p, BUF_TEMP, row.dtype, 0, NULL);
    if (r < 0) return false;
    row.buf = r;
    for (int a = 0; a < k->acc.n; a++)
        if (a != acc && k->acc.at[a].buf == from) k->acc.at[a].buf = r;
    Ins n = k->ins.at[store];
    n.a = k->acc.n;
    return vec_push(k->ctx, &k->acc, row) && stages_row(p, k, n.a) && insert(p, k, store + 1, n);
}

static bool only_loops(const Kernel *k) {
    bool ok = k->nouter > 0;
    for (int s = 0; s < k->st.n && ok; s++) ok = k->st.at[s].cls == STAGE_LOOP && !k->st.at[s].nnum;
    for (int d = 0; d < k->ndim && ok; d++) ok = k->dim[d].kind != DIM_SEQ;
    return ok;
}

bool rows_all(Planner *p) {
    for (int i = 0; p->fg->device && i < p->made.n; i++) {
        Kernel *k = p->made.at[i].k;
        int n = k && only_loops(k) ? k->acc.n : 0;
        for (int a = 0; a < n; a++)
            if (k->acc.n < KACC && k->ins.n < KINS && comes_again(k, a) && !keep(p, k, a)) return false;
    }
    return true;
}
