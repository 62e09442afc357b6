/*
 * divide.c -- a vector of floats divided by what is the same for the whole loop: by its reciprocal, corrected to what
 * division rounds to. With rows in lanes each lane has a divisor of its own, the same for its row.
 */
#include "ops/table/ops.h"
#include "nest.h"

bool divide_may(const Nest *t, const NestWay *w, int id) {
    const Ins *at = t->k->ins.at, *i = &at[id];
    if (i->op != S_true_div || !dtype_is_float((ThDtype)i->dtype) || i->in_dtype != i->dtype) return false;
    if (at[i->a].dtype != i->dtype || at[i->b].dtype != i->dtype) return false;
    if (!lanes_is_vector(t, w, id) || !lanes_is_vector(t, w, i->a)) return false;
    return !lanes_is_vector(t, w, i->b) || (w->kind == WAY_SIDE && at[i->b].depth < i->depth);
}

void divide_apply(NestWay *w, int id) { w->value[id] |= VALUE_QUOTIENT; }
