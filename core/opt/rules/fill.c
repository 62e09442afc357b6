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
        if (model[i]->type.broadcastable != r->type.broadcastable &&
            (r->type.broadcastable & ~model[i]->type.broadcastable))
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
    for (int i = 0; i < a->nin; i++) shaped |= a->in[i]->type.broadcastable == pattern && !ask_op(a->in[i], &op_alloc);
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

/* The subscript that an increment writes to, as a value. */
static ThVar *slot_of(Opt *o, ThApply *a) {
    static const struct {
        const Op *inc, *get;
    } pairs[] = {{&op_inc_subtensor, &op_subtensor},
                 {&op_adv_inc_subtensor, &op_adv_subtensor},
                 {&op_adv_inc_subtensor1, &op_adv_subtensor1}};
    ThVar *in[2 * TH_MAX_NDIM + 1];
    for (int i = 0; i < TH_LEN(pairs); i++) {
        if (a->op != pairs[i].inc || a->nin > TH_LEN(in)) continue;
        in[0] = a->in[0];
        for (int k = 2; k < a->nin; k++) in[k - 1] = a->in[k];
        AttrIdx idx = {.n = 0};
        if (pairs[i].get->attr_bytes) idx = *(const AttrIdx *)ask_attr(a->op, a->attrs, "idx");
        return apply1(&o->b, pairs[i].get, pairs[i].get->attr_bytes ? &idx : NULL, in, a->nin - 1);
    }
    return NULL;
}

/* inc(x[i], Alloc(v, sizes)) -> inc(x[i], v) where the sizes are those of x[i]: the increment broadcasts by itself. */
ThVar *rw_useless_inc_subtensor_alloc(Opt *o, ThApply *a) {
    ThVar *y = a->in[1], *in[2 * TH_MAX_NDIM + 1];
    if (!ask_op(y, &op_alloc) || a->nin > TH_LEN(in)) return NULL;
    ThVar *slot = slot_of(o, a);
    if (!slot || slot->type.ndim != y->type.ndim) return NULL;
    for (int d = 0; d < y->type.ndim; d++) {
        ThVar *size = shape_i(o, slot, d), *given = y->owner->in[1 + d];
        double k;
        bool one = type_bcast(y->type, d) && ask_value(given, &k) && k == 1;
        if (!size || (size != given && !one)) return NULL;
    }
    for (int i = 0; i < a->nin; i++) in[i] = a->in[i];
    in[1] = padleft_make(&o->b, y->owner->in[0], y->type.ndim);
    return apply1(&o->b, a->op, a->attrs, in, a->nin);
}
