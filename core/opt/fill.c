/*
 * fill.c -- fills sink toward outputs and become Alloc, so that no value is computed for its shape alone.
 */
#include "rules.h"

/* f(fill(a, b), c) -> fill(a, f(b, c)): the fill is dropped where f's result has a's type already. */
ThVar *rw_fill_sink(Opt *o, ThApply *a) {
    int s = ask_which(a), nmodel = 0;
    if (s < 0 || s == S_second || a->nin > KACC) return NULL;
    ThVar *in[KACC], *model[KACC];
    for (int i = 0; i < a->nin; i++) {
        ThApply *f = ask_scalar(a->in[i], S_second);
        in[i] = f ? f->in[1] : a->in[i];
        if (f) model[nmodel++] = f->in[0];
    }
    if (!nmodel) return NULL;
    ThVar *r = apply1(&o->b, a->op, a->attrs, in, a->nin);
    if (!r || r->type.dtype != a->out[0]->type.dtype) return NULL;
    for (int i = 0; i < nmodel; i++)
        if (model[i]->type.broadcastable != r->type.broadcastable && (r->type.broadcastable & ~model[i]->type.broadcastable))
            r = second_make(&o->b, model[i], r);
    return r;
}

/* fill(a, v) -> Alloc(v, shape of a). */
ThVar *rw_fill_to_alloc(Opt *o, ThApply *a) {
    ThVar *r = a->in[0], *v = a->in[1];
    ThType t = a->out[0]->type;
    if (type_eq(v->type, t)) return v;
    if (r->type.broadcastable != t.broadcastable) return NULL;
    return shape_alloc_like(o, v, r);
}

/* f(Alloc(v, ..), x) -> f(v, x) where x alone gives the result its shape. */
ThVar *rw_elemwise_alloc(Opt *o, ThApply *a) {
    int s = ask_which(a);
    uint32_t pattern = a->out[0]->type.broadcastable;
    ThVar *in[KACC];
    bool shaped = false, changed = false;
    if (s < 0 || a->nin < 2 || a->nin > KACC) return NULL;
    for (int i = 0; i < a->nin; i++)
        shaped |= a->in[i]->type.broadcastable == pattern && !ask_op(a->in[i], &op_alloc);
    for (int i = 0; i < a->nin; i++) {
        in[i] = a->in[i];
        bool drop = ask_op(in[i], &op_alloc) && shaped;
        /* among Allocs alone, the first of the result's pattern keeps the shape */
        if (!drop && ask_op(in[i], &op_alloc) && !shaped && in[i]->type.broadcastable == pattern) shaped = true;
        if (!drop) continue;
        in[i] = padleft_make(&o->b, in[i]->owner->in[0], in[i]->type.ndim);
        changed = true;
    }
    return changed ? apply1(&o->b, a->op, a->attrs, in, a->nin) : NULL;
}
