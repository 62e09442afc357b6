/*
 * again.c -- what is computed again by each that reads it, rather than stored. In: a kernel of the planner, and how
 * many groups read what it writes. Out: whether that is less to do. Always holds: nothing dear is computed twice.
 */
#include "ops/table/ops.h"
#include "plan/parts.h"

enum { AGAIN = 2, CHEAP = 4 }; /* groups that compute a work again; its operations then */

/* One number for all points: what an instruction reads at a place that does not change, or stands before all loops. */
static bool number(const Kernel *k, const Ins *i) {
    bool one = i->op == INS_LOAD || i->depth == 0;
    for (int d = 0; d < k->ndim && i->op == INS_LOAD; d++) one &= size_is(k->acc.at[i->a].st[d], 0);
    return one;
}

/* A few cheap operations; `divides`: and quotients by one number for all points. */
static bool cheap(const Kernel *k, bool divides) {
    int n = 0;
    for (int i = 0; i < k->ins.n; i++) {
        const int op = k->ins.at[i].op;
        if (op >= INS_LOAD) continue;
        n++;
        if (divides && op == S_true_div && number(k, &k->ins.at[k->ins.at[i].b])) continue;
        if (op < scalar_count && !(scalar_ops[op].flags & SF_CHEAP)) return false;
    }
    return n <= CHEAP;
}

bool again_cheap(const Kernel *k) { return cheap(k, false); }

static bool loads_any(const Kernel *k) {
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_LOAD) return true;
    return false;
}

/* On a device: w reads no more than it would store, so that who reads it may as well read that. */
static bool as_small(const Planner *p, const Kernel *k) {
    size_t from = 0, to = 0;
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        bool all = true;
        for (int d = 0; d < k->ndim; d++) all &= !size_is(x->st[d], 0) || size_is(k->dim[d].n, 1);
        if (x->flags & ACC_WRITE) to += th_dtype_bytes((ThDtype)x->dtype);
        else if (all) from += th_dtype_bytes((ThDtype)x->dtype);
        if (x->idx >= 0 || x->guard >= 0) return false;
    }
    return p->fg->device && from <= to;
}

/* On a device also quotients by a number, of what is read anyway: its memory is what takes time. */
bool again_pays(const Planner *p, const Kernel *k, int readers) {
    const bool small = as_small(p, k);
    return (cheap(k, small) && (readers <= AGAIN || k->ndim == 0 || small)) || !loads_any(k);
}
