/*
 * split.c -- long n-ary sums and products become chains of short ones, left to right as they are computed anyway.
 * In: Elemwise{add} and {mul} of any number of inputs. Out: nodes that one kernel can hold (its accesses are limited),
 * so that what produces the terms can be fused into them. The order of additions, and so the bits, stay.
 */
#include "opt/engine/rewrite.h"

enum { MAX_TERMS = LONG_SUM - 4 };

static bool split(Opt *o, ThApply *a, int s) {
    ThVar *part[MAX_TERMS], *acc = NULL;
    int at = 0;
    builder_begin_fg(&o->b, o->fg, a->prov);
    o->b.rule = "local_elemwise_split";
    while (at < a->nin && !failed(o->c)) {
        int n = 0;
        if (acc) part[n++] = acc;
        while (n < MAX_TERMS && at < a->nin) part[n++] = a->in[at++];
        acc = elemwise_make(&o->b, s, part, n);
    }
    if (acc) engine_replace(o, a->out[0], acc, "local_elemwise_split");
    builder_end(&o->b);
    return !failed(o->c);
}

bool pass_split(Opt *o) {
    if (!(o->met & MET_LONG_SUM)) return true;
    const ApplyVec *order = opt_order(o);
    bool ok = order != NULL;
    for (int i = 0; ok && i < order->n; i++) {
        ThApply *a = order->at[i];
        int s = ask_which(a);
        if (!(a->flags & APPLY_DEAD) && (s == S_add || s == S_mul) && a->nin > LONG_SUM) ok = split(o, a, s);
    }
    return ok;
}
