/*
 * softmaxes.c -- softmax along any axes of a tensor of any rank, and the logarithms of sums and products that hold
 * exponentials (softmaxes.h). In: sums of exp(x), through views. Out: forms in which the maximum has been subtracted.
 */
#include "softmaxes.h"

/* ---- sums of exponentials ---- */
Shuffled softmaxes_behind(ThVar *v) {
    Shuffled s = {.v = v, .order = {.n = (int8_t)v->type.ndim}};
    for (int i = 0; i < s.order.n; i++) s.order.at[i] = (int8_t)i;
    while (ask_op(s.v, &op_dimshuffle)) {
        const AttrInts *p = ask_attr(s.v->owner->op, s.v->owner->attrs, "order");
        for (int i = 0; i < s.order.n; i++)
            if (s.order.at[i] >= 0) s.order.at[i] = p->at[s.order.at[i]];
        s.v = s.v->owner->in[0];
    }
    return s;
}

static bool is_maximum(ThVar *v) {
    ThApply *choose;
    v = softmaxes_behind(v).v;
    if ((choose = ask_scalar(v, S_switch))) v = softmaxes_behind(choose->in[2]).v;
    return ask_op(v, &op_max) || (ask_op(v, &op_max_and_argmax) && !v->index);
}

/* x - max(x), however it is written. */
static bool is_shifted(ThVar *x) {
    Factor f;
    ThApply *a = product_behind(x, S_sub, &f);
    if (a) return is_maximum(a->in[1]);
    a = product_behind(x, S_add, &f);
    for (int i = 0; a && i < a->nin; i++) {
        Factor g;
        ThVar *v = product_minus(a->in[i], &g);
        if (v && is_maximum(v)) return true;
    }
    return false;
}

ThVar *softmaxes_summed(Opt *o, ThVar *v) {
    Factor f;
    if (!ask_op(v, &op_sum)) return NULL;
    ThApply *e = product_behind(v->owner->in[0], S_exp, &f);
    if (!e || e->in[0]->type.dtype != v->type.dtype || !dtype_is_float((ThDtype)v->type.dtype)) return NULL;
    return product_view(o, &f, e->in[0]);
}

static AttrInts axes_of(const ThVar *sum) {
    const ReduceAttrs *r = sum->owner->attrs;
    AttrInts axis = {.n = 0};
    for (int d = 0; d < sum->owner->in[0]->type.ndim; d++)
        if (axis_in(&r->axis, d)) axis.at[axis.n++] = (int8_t)d;
    return axis;
}

/* The maximum of x along axes, 0 where it is infinite, without these dimensions. */
static ThVar *maximum(Opt *o, ThVar *x, const AttrInts *axis) {
    ReduceAttrs r = {.axis = *axis, .dtype = x->type.dtype, .acc_dtype = x->type.dtype, .or_least = true};
    ThVar *m = apply1(&o->b, &op_max, &r, &x, 1);
    ThVar *zero = opt_const(o, 0, type_tensor(x->type.dtype, 0, 0)), *far = call1(o, S_isinf, m);
    return far && zero ? elemwise_make(&o->b, S_switch, (ThVar *[]){far, zero, m}, 3) : NULL;
}

static ThVar *shifted_exp(Opt *o, ThVar *x, ThVar *m, const AttrInts *axis) {
    return m ? call1(o, S_exp, call2(o, S_sub, x, keepdims_make(&o->b, x, m, axis))) : NULL;
}

ThVar *softmaxes_log_of_sum(Opt *o, ThVar *sum, ThVar *x) {
    AttrInts axis = axes_of(sum);
    if (!axis.n) return x;
    ThVar *m = maximum(o, x, &axis), *e = shifted_exp(o, x, m, &axis);
    return e ? call2(o, S_add, m, call1(o, S_log, apply1(&o->b, &op_sum, sum->owner->attrs, &e, 1))) : NULL;
}

/* ---- softmax along any axes ---- */
static ThVar *shuffled(Opt *o, ThVar *x, const int8_t *order, int n) {
    Shuffled s = softmaxes_behind(x);
    int8_t both[TH_MAX_NDIM];
    for (int i = 0; i < n; i++) both[i] = (int8_t)(order[i] < 0 ? -1 : s.order.at[order[i]]);
    return dimshuffle_make(&o->b, s.v, both, n);
}

/* e / sum(e) of e = exp(x). */
static ThVar *written_out(Opt *o, ThVar *x, const AttrInts *axis) {
    ThVar *e = call1(o, S_exp, x);
    return e ? call2(o, S_true_div, e, keepdims_make(&o->b, e, sum_make(&o->b, e, axis), axis)) : NULL;
}

/* Somebody sees the matrix transposed already. */
static bool has_transposed(const ThVar *x) {
    enum { LOOK = 64 };
    for (int i = 0; i < x->nclients && i < LOOK; i++) {
        const ThApply *a = x->clients[i].node;
        const AttrInts *p = a && a->op == &op_dimshuffle ? ask_attr(a->op, a->attrs, "order") : NULL;
        if (p && p->n == 2 && p->at[0] == 1 && p->at[1] == 0) return true;
    }
    return softmaxes_behind((ThVar *)x).order.at[0] == 1;
}

/* Of the rows of a matrix, and of a vector: Softmax; else written out, the maximum subtracted. */
bool softmaxes_make(Opt *o, Softmax *s) {
    static const int8_t turn[] = {1, 0}, drop[] = {1};
    ThVar *x = s->x;
    int n = x->type.ndim;
    if (n == 1) {
        s->p = dimshuffle_make(&o->b, softmax_make(&o->b, &op_softmax, x), drop, 1);
    } else if (n == 2 && s->axis.n == 1 && s->axis.at[0] == 1) {
        s->p = softmax_make(&o->b, &op_softmax, x);
    } else if (n == 2 && s->axis.n == 1 && has_transposed(x)) {
        s->p = shuffled(o, softmax_make(&o->b, &op_softmax, shuffled(o, x, turn, 2)), turn, 2);
    } else if (s->given) {
        s->p = written_out(o, x, &s->axis);
    } else {
        ThVar *m = maximum(o, x, &s->axis);
        s->low = m ? call2(o, S_sub, x, keepdims_make(&o->b, x, m, &s->axis)) : NULL;
        s->p = s->low ? written_out(o, s->low, &s->axis) : NULL;
    }
    return s->p != NULL;
}

bool softmaxes_same(ThVar *v, ThVar *w) {
    Shuffled a = softmaxes_behind(v), b = softmaxes_behind(w);
    if (a.v != b.v || a.order.n != b.order.n) return false;
    for (int i = 0; i < a.order.n; i++) {
        int x = a.order.at[i], y = b.order.at[i];
        bool one = (x < 0 || type_bcast(a.v->type, x)) && (y < 0 || type_bcast(a.v->type, y));
        if (x != y && !one) return false;
    }
    return true;
}

/*
 * Which dim of a sum's operand each dim of `s`, a view of the sum, is: dims that were summed are the new ones, in their
 * order. false: there are not as many, or one is missing.
 */
static bool frame_of(const Shuffled *s, int8_t *from, AttrInts *axis) {
    AttrInts summed = axes_of(s->v);
    int8_t kept[TH_MAX_NDIM], n = 0, next = 0;
    int rank = s->v->owner->in[0]->type.ndim, met = 0;
    for (int d = 0; d < rank; d++)
        if (!axis_in(&summed, d)) kept[n++] = (int8_t)d;
    *axis = (AttrInts){.n = 0};
    if (s->order.n != rank) return false;
    for (int i = 0; i < rank; i++) {
        int k = s->order.at[i];
        if (k < 0 && next == summed.n) return false;
        if (k < 0) axis->at[axis->n++] = (int8_t)i;
        from[i] = k < 0 ? summed.at[next++] : kept[k];
        met |= 1 << from[i];
    }
    return met == (1 << rank) - 1;
}

/* What the operation Softmax does, which subtracts the maximum by itself. */
static bool is_rows(const ThVar *x, const AttrInts *axis) {
    int n = x->type.ndim;
    return n <= 2 && axis->n == 1 && axis->at[0] == n - 1;
}

bool softmaxes_denominator(Opt *o, ThVar *v, Softmax *s) {
    int8_t from[TH_MAX_NDIM];
    Shuffled sum = softmaxes_behind(v);
    ThVar *x = softmaxes_summed(o, sum.v);
    *s = (Softmax){.x = NULL};
    if (!x || x->type.ndim >= TH_MAX_NDIM - 1 || !frame_of(&sum, from, &s->axis) || !s->axis.n) return false;
    s->x = shuffled(o, x, from, x->type.ndim);
    s->given = s->x && is_shifted(s->x) && !is_rows(x, &s->axis);
    return s->x != NULL;
}

bool softmaxes_turn(Opt *o, const Softmax *s, const int8_t *from, Softmax *to) {
    int n = s->x->type.ndim;
    *to = (Softmax){.x = shuffled(o, s->x, from, n), .given = s->given};
    if (s->p) to->p = shuffled(o, s->p, from, n);
    if (s->low) to->low = shuffled(o, s->low, from, n);
    for (int i = 0; i < n; i++)
        if (axis_in(&s->axis, from[i])) to->axis.at[to->axis.n++] = (int8_t)i;
    return to->x && !to->p == !s->p && !to->low == !s->low;
}

/* ---- softmax through views ---- */
static bool selects(const Op *op) {
    static const Op *const ops[] = {&op_dimshuffle,  &op_reshape,       &op_subtensor,
                                    &op_rebroadcast, &op_adv_subtensor, &op_adv_subtensor1};
    for (int i = 0; i < TH_LEN(ops); i++)
        if (op == ops[i]) return true;
    return false;
}

/* A view of Softmax(x) -> the same view of LogSoftmax(x): finite where a probability rounds to 0. */
static ThVar *log_softmax(Opt *o, ThVar *v) {
    enum { DEEP = 4 };
    ThApply *view[DEEP];
    int n = 0;
    for (; v->owner && n < DEEP && selects(v->owner->op); v = v->owner->in[0]) view[n++] = v->owner;
    if (!ask_op(v, &op_softmax)) return NULL;
    ThVar *r = softmax_make(&o->b, &op_log_softmax, v->owner->in[0]);
    while (r && n--) {
        VEC(ThVar *) in = {0};
        bool ok = vec_push(o->c, &in, r);
        for (int i = 1; ok && i < view[n]->nin; i++) ok = vec_push(o->c, &in, view[n]->in[i]);
        r = ok ? apply1(&o->b, view[n]->op, view[n]->attrs, in.at, in.n) : NULL;
        vec_free(o->c, &in);
    }
    return r;
}

ThVar *rw_logsoftmax_view(Opt *o, ThApply *a) {
    ThVar *v = a->in[0];
    return v->type.dtype == a->out[0]->type.dtype && !ask_op(v, &op_softmax) ? log_softmax(o, v) : NULL;
}

/* ---- logarithms ---- */
/* log(sum(exp(x))) seen through views. */
ThVar *rw_log_sum_exp(Opt *o, ThApply *a) {
    enum { DEEP = 4 };
    ThApply *view[DEEP];
    int n = 0;
    ThVar *v = a->in[0], *x;
    for (; v->owner && n < DEEP && (v->owner->op == &op_dimshuffle || views_select(v->owner)); v = v->owner->in[0])
        view[n++] = v->owner;
    if (!(x = softmaxes_summed(o, v)) || is_shifted(x) || v->type.dtype != a->out[0]->type.dtype) return NULL;
    ThVar *r = softmaxes_log_of_sum(o, v, x);
    while (r && n--) r = views_of(o, view[n], r);
    return r;
}

/* The logarithm of a factor that is never negative and may be 0 or infinite where its logarithm is not. */
static ThVar *log_of(Opt *o, const Product *p, const Factor *f) {
    ThApply *a;
    ThVar *x, *v;
    if ((a = product_is(p, f, S_exp))) return product_view(o, f, a->in[0]);
    if ((a = product_is(p, f, S_sigmoid)))
        return (x = product_view(o, f, a->in[0])) ? call1(o, S_neg, call1(o, S_softplus, call1(o, S_neg, x))) : NULL;
    if (f->v->type.dtype != p->dtype || !(v = product_var(o, f))) return NULL;
    if ((x = log_softmax(o, v))) return x;
    Shuffled s = softmaxes_behind(v);
    if (!(x = softmaxes_summed(o, s.v)) || is_shifted(x)) return NULL;
    x = softmaxes_log_of_sum(o, s.v, x);
    if (!x) return NULL;
    return dimshuffle_make(&o->b, x, s.order.at, s.order.n);
}

/* log(w * exp(x) / sum(exp(y))) -> x - log(sum(exp(y))) + log(w); sigmoids and softmaxes alike. */
ThVar *rw_log_of_product(Opt *o, ThApply *a) {
    Product p;
    ThType t = a->out[0]->type;
    ThVar *r = NULL;
    int found = 0;
    if (!dtype_is_float((ThDtype)t.dtype) || a->in[0]->type.dtype != t.dtype || !product_open(o, a->in[0], &p))
        return NULL;
    if (p.n == 1 && p.at[0].power == 1) return NULL; /* rules of their own */
    for (int i = 0; i < p.n; i++) {
        ThVar *v = log_of(o, &p, &p.at[i]);
        int k = p.at[i].power;
        if (failed(o->c)) return NULL;
        if (!v) continue;
        if (k != 1 && k != -1) v = call2(o, S_mul, opt_const(o, k < 0 ? -k : k, type_tensor(t.dtype, 0, 0)), v);
        p.at[i].used = true;
        found++;
        if (r) r = call2(o, k < 0 ? S_sub : S_add, r, v);
        else r = k < 0 ? call1(o, S_neg, v) : v;
    }
    if (!found) return NULL;
    bool rest = p.negative || found < p.n;
    product_fold(&p);
    return rest ? call2(o, S_add, r, call1(o, S_log, product_close(o, &p))) : r;
}
