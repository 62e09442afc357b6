/*
 * apart.c -- what points of a kernel's dim 0 see of each other: whether they may run in any order, or at once.
 */
#include "ops/table/ops.h"
#include "nest.h"

static bool row_only(const Kernel *k, int buf) {
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        if (a->buf != buf) continue;
        if (!(a->flags & ACC_ROWTEMP) || a->idx >= 0 || a->guard >= 0 || !size_is(a->off, 0)) return false;
        for (int d = 0; d < k->nouter; d++)
            if (!size_is(a->st[d], 0)) return false;
    }
    return k->nouter > 0;
}

bool apart_is_row(const Kernel *k, int buf) {
    for (int i = 0; i < k->acc.n; i++)
        if (k->acc.at[i].buf == buf && (k->acc.at[i].flags & ACC_ROWTEMP)) return true;
    return false;
}

/* Other accesses of what access w writes see the same elements at the same point of the dims up to this one. */
static bool apart_along(const Kernel *k, const Access *w, int dim) {
    if (size_is(w->st[dim], 0) || w->idx >= 0 || (w->flags & (ACC_ROWTEMP | ACC_ADD))) return false;
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        if (a != w && (a->flags & w->flags & ACC_PART)) continue;
        if (a->buf != w->buf) continue;
        if (!size_eq(a->off, w->off)) return false;
        for (int d = 0; d <= dim; d++)
            if (!size_eq(a->st[d], w->st[d])) return false;
    }
    return true;
}

bool apart_access(const Kernel *k, const Access *w) { return apart_along(k, w, 0); }

bool apart_dim(const Kernel *k, int dim) {
    for (int i = 0; i < k->acc.n; i++)
        if ((k->acc.at[i].flags & ACC_WRITE) && !apart_along(k, &k->acc.at[i], dim) && !row_only(k, k->acc.at[i].buf))
            return false;
    return true;
}

bool apart_rows(const Kernel *k) { return apart_dim(k, 0); }

/* What may fail before all loops, from sizes alone: done once, before the pieces. */
static bool sizes_only(const Kernel *k, int value) {
    for (int at = value; at >= 0; at--) {
        const Ins *i = &k->ins.at[at];
        if (i->depth == 0 && (i->op == INS_LOAD || i->op == INS_RED || i->op == INS_EP)) return false;
    }
    return true;
}

bool apart_may_fail(const Kernel *k, const Ins *i) {
    if (i->op == INS_FAIL_IF) return i->depth > 0 || !sizes_only(k, i->a);
    if (i->op == INS_CHECK_INDEX) return true;
    return i->op < INS_LOAD && (scalar_ops[i->op].flags & SF_FAILS) && dtype_is_discrete((ThDtype)i->in_dtype);
}
