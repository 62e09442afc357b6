/*
 * views.c -- DimShuffles merge, vanish and move toward inputs; elements of vectors whose parts are known.
 * Measure: the number of DimShuffles between computing nodes, then their distance from the inputs.
 */
#include "rules.h"

static const AttrInts *order_of(const ThApply *a) { return ask_attr(a->op, a->attrs, "order"); }

/* DimShuffle(DimShuffle(x)) as one. */
static ThVar *merge_two(Opt *o, ThApply *a, ThApply *inner) {
    const AttrInts *p = order_of(a), *q = order_of(inner);
    int8_t both[TH_MAX_NDIM];
    for (int i = 0; i < p->n; i++) both[i] = (int8_t)(p->at[i] < 0 ? -1 : q->at[p->at[i]]);
    return dimshuffle_make(&o->b, inner->in[0], both, p->n);
}

bool views_select(const ThApply *a) {
    return a->op == &op_reshape || a->op == &op_subtensor || a->op == &op_adv_subtensor || a->op == &op_adv_subtensor1;
}

static ThVar *reshaped(Opt *o, ThApply *view, ThVar *x) {
    if (ask_op(x, &op_reshape)) x = x->owner->in[0];
    ThVar *r = apply1(&o->b, view->op, view->attrs, (ThVar *[]){x, view->in[1]}, 2);
    ThVar *same = ask_op(r, &op_reshape) ? rw_useless_reshape(o, r->owner) : NULL;
    return same ? same : r;
}

ThVar *views_of(Opt *o, ThApply *view, ThVar *x) {
    ThVar *in[3 * TH_MAX_NDIM + 1] = {x};
    if (view->op == &op_dimshuffle) {
        const AttrInts *order = order_of(view);
        return ask_op(x, &op_dimshuffle) ? merge_two(o, view, x->owner)
                                         : dimshuffle_make(&o->b, x, order->at, order->n);
    }
    double k;
    if (ask_value(x, &k) && ask_all_bcast(x->type)) return dimshuffle_make(&o->b, x, NULL, 0);
    if (x->type.broadcastable != view->in[0]->type.broadcastable || view->nin > TH_LEN(in)) return NULL;
    if (view->op == &op_reshape) return reshaped(o, view, x);
    for (int i = 1; i < view->nin; i++) in[i] = view->in[i];
    return apply1(&o->b, view->op, view->attrs, in, view->nin);
}

/* DimShuffle(f(x, y)) -> f(DimShuffle(x), DimShuffle(y)) when nobody else uses f's result. */
static ThVar *lift_elemwise(Opt *o, ThApply *a, ThApply *f) {
    const AttrInts *p = order_of(a);
    ThVar *in[KACC];
    if (f->nin > KACC || f->nout != 1 || f->out[0]->nclients != 1) return NULL;
    for (int i = 0; i < f->nin; i++) in[i] = dimshuffle_make(&o->b, f->in[i], p->at, p->n);
    ThApply *r = apply_make(&o->b, f->op, f->attrs, in, f->nin);
    if (r) r->flags |= f->flags & APPLY_GRAD;
    return r ? fg_find(r->out[0]) : NULL;
}

/* An identity goes, two become one. */
ThVar *rw_dimshuffle_merge(Opt *o, ThApply *a) {
    const AttrInts *p = order_of(a);
    bool same = p->n == a->in[0]->type.ndim;
    for (int i = 0; i < p->n && same; i++) same = p->at[i] == i;
    if (same) return a->in[0];
    return ask_op(a->in[0], &op_dimshuffle) ? merge_two(o, a, a->in[0]->owner) : NULL;
}

ThVar *rw_dimshuffle_lift(Opt *o, ThApply *a) {
    return ask_op(a->in[0], &op_elemwise) ? lift_elemwise(o, a, a->in[0]->owner) : NULL;
}

/* Subtensor{int}(MakeVector(..), constant) -> that element. */
ThVar *rw_subtensor_make_vector(Opt *o, ThApply *a) {
    const AttrIdx *idx = ask_attr(a->op, a->attrs, "idx");
    int64_t i;
    (void)o;
    ThVar *x = a->in[0];
    if (ask_op(x, &op_rebroadcast)) x = x->owner->in[0];
    if (!ask_op(x, &op_make_vector) || !idx || idx->n != 1 || idx->at[0].kind != 'i' || a->nin != 2) return NULL;
    if (!scalar_known(a->in[1], &i)) return NULL;
    const ThApply *v = x->owner;
    if (i < 0) i += v->nin;
    return i >= 0 && i < v->nin ? v->in[i] : NULL;
}
