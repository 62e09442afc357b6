/*
 * xent.c -- losses of rows of scores against class numbers: softmax, its logarithm at the class, and their gradient
 * become one operation each. In: Softmax, LogSoftmax, CrossentropyCategorical1Hot and what subscripts them by
 * [arange(len(y)), y] or [arange(rows), y]. Out: SoftmaxWithBias, CrossentropySoftmaxArgmax1HotWithBias and its
 * gradient. Measure: nodes, and passes over the scores. The loss is log(sum(exp(x))) - x[y] of shifted rows: finite
 * where a probability rounds to 0. As in Theano, a matrix of more rows than there are class numbers is then refused:
 * [arange(len(y)), y] alone would have read its first rows.
 */
#include "softmaxes.h"

enum { MAX_BIAS = 16, MAX_CLIENTS = 64, MAX_LOOK = 256 };
static const AttrInts as_rows = {.n = 2, .at = {-1, 0}};

/* The vector b behind DimShuffle{x,0}, or NULL; one that broadcasts along the columns is none. */
static ThVar *vector_behind(const ThVar *v, ThType t) {
    const AttrInts *p = ask_op(v, &op_dimshuffle) ? ask_attr(v->owner->op, v->owner->attrs, "order") : NULL;
    if (!p || p->n != 2 || p->at[0] != as_rows.at[0] || p->at[1] != as_rows.at[1]) return NULL;
    ThVar *b = v->owner->in[0];
    return b->type.ndim == 1 && b->type.dtype == t.dtype && !type_bcast(b->type, 0) ? b : NULL;
}

/* z = x + b with b a vector added to each row: both parts. */
static bool split_bias(Opt *o, ThVar *z, ThVar **x, ThVar **b) {
    ThVar *rest[MAX_BIAS], *row[MAX_BIAS];
    ThApply *a = ask_scalar(z, S_add);
    int nrest = 0, nrow = 0;
    if (!a || a->nin > MAX_BIAS) return false;
    for (int i = 0; i < a->nin; i++) {
        ThVar *v = vector_behind(a->in[i], z->type);
        if (v) row[nrow++] = v;
        else rest[nrest++] = a->in[i];
    }
    if (!nrest || !nrow) return false;
    *x = opt_call(o, S_add, rest, nrest, z->type.dtype);
    *b = opt_call(o, S_add, row, nrow, z->type.dtype);
    return *x && *b && type_eq((*x)->type, z->type);
}

/* Softmax(x + b) -> SoftmaxWithBias(x, b) where nobody else wants the sum. */
ThVar *rw_softmax_with_bias(Opt *o, ThApply *a) {
    ThVar *x, *b;
    if (a->in[0]->nclients != 1 || !split_bias(o, a->in[0], &x, &b)) return NULL;
    return apply1(&o->b, &op_softmax_with_bias, NULL, (ThVar *[]){x, b}, 2);
}

/* ---- the loss ---- */
/* The scores z as x + b; without a bias b is zeros. */
static ThApply *fused(Opt *o, ThVar *z, ThVar *y) {
    ThVar *x = z, *b = NULL;
    if (!split_bias(o, z, &x, &b)) {
        ThVar *cols = shape_i(o, z, 1);
        x = z;
        b = cols ? alloc_make(&o->b, opt_const(o, 0, type_tensor(z->type.dtype, 0, 0)), &cols, 1) : NULL;
    }
    return b ? apply_make(&o->b, &op_crossentropy_softmax, NULL, (ThVar *[]){x, b, y}, 3) : NULL;
}

/* The node is [arange(len(y)), y], its operands from number `first` on. */
static bool picks_classes(Opt *o, const ThApply *a, int first) {
    const AttrIdx *idx = ask_attr(a->op, a->attrs, "idx");
    ThValue from, step;
    if (a->nin != first + 2 || idx->n != 2 || idx->at[0].kind != 'i' || idx->at[1].kind != 'i') return false;
    ThVar *rows = a->in[first], *y = a->in[first + 1];
    if (!ask_op(rows, &op_arange) || y->type.kind != TYPE_TENSOR || y->type.ndim != 1 || !dtype_is_int(y->type.dtype))
        return false;
    ThVar *const *r = rows->owner->in;
    if (!dtype_is_int(r[0]->type.dtype) || !dtype_is_int(r[2]->type.dtype) || !ask_number(r[0], &from) ||
        !ask_number(r[2], &step) || from.i != 0 || step.i != 1)
        return false;
    return r[1] == shape_i(o, y, 0) || r[1] == shape_i(o, a->in[0], 0); /* of the matrix: then as many as y has */
}

/* LogSoftmax(z)[arange(len(y)), y] -> -loss; log(Softmax(z)) where that is excluded. */
ThVar *rw_crossentropy_onehot(Opt *o, ThApply *a) {
    ThVar *t = a->in[0];
    ThApply *log = ask_scalar(t, S_log);
    if (t->nclients != 1 || t->type.ndim != 2) return NULL;
    if (!ask_op(t, &op_log_softmax) && !(log && ask_op(log->in[0], &op_softmax))) return NULL;
    ThVar *z = log ? log->in[0]->owner->in[0] : t->owner->in[0];
    if (z->type.dtype != t->type.dtype || !picks_classes(o, a, 1)) return NULL;
    ThApply *r = fused(o, z, a->in[2]);
    return r ? call1(o, S_neg, fg_find(r->out[0])) : NULL;
}

/* ---- its gradient ---- */
/* v of zeros incremented by v at [arange(len(y)), y], and y; NULL when d is something else. */
static ThVar *scattered(Opt *o, const ThVar *d, ThVar **y) {
    ThApply *a = d->owner;
    if (!ask_op(d, &op_adv_inc_subtensor) || !ask_zeros(a->in[0]) || a->in[1]->type.ndim > 1) return NULL;
    if (a->in[1]->type.dtype != d->type.dtype || !picks_classes(o, a, 2)) return NULL;
    *y = a->in[3];
    return a->in[1];
}

/* w of v = w / sm[arange(len(y)), y]; other divisors stay. */
static ThVar *undivided(Opt *o, ThVar *v, const ThVar *sm, const ThVar *y) {
    ThApply *q = ask_scalar(v, S_true_div), *n = ask_scalar(v, S_neg), *m = NULL;
    if (n) return call1(o, S_neg, undivided(o, n->in[0], sm, y)); /* one sign: neg_neg has been */
    ThVar *den = q ? q->in[1] : NULL, *const *part = &den, *rest[KACC];
    int npart = 1, nrest = 0;
    if (q && (m = ask_scalar(den, S_mul)) && m->nin <= KACC) part = m->in, npart = m->nin;
    for (int i = 0; q && i < npart; i++) {
        const ThApply *s = ask_op(part[i], &op_adv_subtensor) ? part[i]->owner : NULL;
        bool own = nrest == i && s && s->in[0] == sm && picks_classes(o, s, 1) && s->in[2] == y;
        if (!own) rest[nrest++] = part[i];
    }
    if (!q || nrest == npart) return NULL;
    return nrest ? call2(o, S_true_div, q->in[0], opt_call(o, S_mul, rest, nrest, den->type.dtype)) : q->in[0];
}

/* SoftmaxGrad(zeros with v / sm (or w / sm at the classes) at the classes, sm) -> gradient of the loss. */
ThVar *rw_crossentropy_onehot_grad(Opt *o, ThApply *a) {
    ThVar *d = a->in[0], *sm = a->in[1], *y, *v;
    ThApply *q = ask_scalar(d, S_true_div);
    if (q) v = q->in[1] == sm ? scattered(o, q->in[0], &y) : NULL;
    else if ((v = scattered(o, d, &y))) v = undivided(o, v, sm, y);
    if (!v || v->type.ndim > 1) return NULL;
    return apply1(&o->b, &op_crossentropy_softmax_dx, NULL, (ThVar *[]){call1(o, S_neg, v), sm, y}, 3);
}

/* SoftmaxGrad(CrossentropyCategorical1HotGrad(g, sm, y), sm) -> gradient of the fused loss. */
ThVar *rw_softmax_grad_to_xent(Opt *o, ThApply *a) {
    ThVar *d = a->in[0], *sm = a->in[1];
    if (!ask_op(d, &op_crossentropy_1hot_grad) || d->owner->in[1] != sm) return NULL;
    return apply1(&o->b, &op_crossentropy_softmax_dx, NULL, (ThVar *[]){d->owner->in[0], sm, d->owner->in[2]}, 3);
}

ThVar *xent_grad_of_ones(Opt *o, const ThApply *d) {
    ThVar *p = d->in[1], *ones = second_make(&o->b, p, opt_const(o, 1, type_tensor(p->type.dtype, 0, 0)));
    return ones ? apply1(&o->b, d->op, d->attrs, (ThVar *[]){d->in[0], ones, d->in[2]}, 3) : NULL;
}

/* CrossentropyCategorical1HotGrad(g, p, y) * p, as it comes in gradients of gradients: g / p of the class times p is g
 * without either, also where p rounds to 0. */
ThVar *rw_xent_grad_times_p(Opt *o, ThApply *a) {
    ThVar *in[KACC];
    for (int i = 0; i < a->nin && a->nin <= KACC; i++) {
        ThApply *d = ask_op(a->in[i], &op_crossentropy_1hot_grad) ? a->in[i]->owner : NULL;
        int n = 0, p = d ? 0 : a->nin;
        while (p < a->nin && a->in[p] != d->in[1]) p++;
        if (p >= a->nin) continue;
        ThVar *g = xent_grad_of_ones(o, d);
        for (int k = 0; k < a->nin; k++)
            if (k != p) in[n++] = k == i ? g : a->in[k];
        return g ? opt_call(o, S_mul, in, n, (ThDtype)a->out[0]->type.dtype) : NULL;
    }
    return NULL;
}

/* The gradient of the loss by an Alloc of one number: the number, where the length is surely that of the rows. */
ThVar *rw_xent_dx_alloc(Opt *o, ThApply *a) {
    ThVar *g = a->in[0], *v = ask_op(g, &op_alloc) ? g->owner->in[0] : NULL;
    if (!v || !ask_all_bcast(v->type) || v->type.ndim > 1) return NULL;
    ThVar *n = g->owner->in[1];
    if (n != shape_i(o, a->in[1], 0) && n != shape_i(o, a->in[2], 0)) return NULL;
    return apply1(&o->b, a->op, NULL, (ThVar *[]){v, a->in[1], a->in[2]}, 3);
}

/* ---- the pass: the softmax comes with the loss ---- */
/* v may depend on w: false only when it surely does not. */
static bool may_depend(const ThVar *v, const ThVar *w) {
    const ThVar *stack[MAX_LOOK];
    int n = 0, seen = 0;
    stack[n++] = v;
    while (n) {
        v = stack[--n];
        if (v == w || ++seen > MAX_LOOK) return true;
        for (int i = 0; v->owner && i < v->owner->nin; i++) {
            if (n == MAX_LOOK) return true;
            stack[n++] = v->owner->in[i];
        }
    }
    return false;
}

/* CrossentropyCategorical1Hot(softmax, y) -> the fused loss, which gives the softmax too. */
static bool fuse_loss(Opt *o, ThApply *a) {
    ThVar *p = a->in[0], *y = a->in[1];
    bool biased = ask_op(p, &op_softmax_with_bias), shared = p->nclients > 1;
    if (!(biased || ask_op(p, &op_softmax)) || (shared && may_depend(y, p))) return true;
    builder_begin_fg(&o->b, o->fg, a->prov);
    o->b.rule = o->pass->name;
    ThVar *const *in = p->owner->in;
    ThApply *r = biased ? apply_make(&o->b, &op_crossentropy_softmax, NULL, (ThVar *[]){in[0], in[1], y}, 3)
                        : fused(o, in[0], y);
    if (r) {
        ThVar *loss = fg_find(r->out[0]), *sm = fg_find(r->out[1]);
        if (engine_replace(o, a->out[0], loss, o->pass->name) && shared) engine_replace(o, p, sm, o->pass->name);
    }
    builder_end(&o->b);
    return !failed(o->c);
}

/* v is softmax(x + b) of the fused node's x and b. */
static bool same_softmax(const ThApply *loss, const ThApply *s) {
    const ThVar *x = loss->in[0], *b = loss->in[1];
    if (s->op == &op_softmax_with_bias) return s->in[0] == x && s->in[1] == b;
    if (s->op != &op_softmax) return false;
    ThApply *sum = ask_scalar(s->in[0], S_add);
    if (s->in[0] == x) return ask_zeros(b);
    return sum && sum->nin == 2 && sum->in[0] == x && vector_behind(sum->in[1], x->type) == b;
}

static bool take_softmax(Opt *o, ThApply *loss, ThApply *s) {
    if (!same_softmax(loss, s) || may_depend(loss->in[2], s->out[0])) return true;
    builder_begin_fg(&o->b, o->fg, s->prov);
    engine_replace(o, s->out[0], loss->out[1], o->pass->name);
    builder_end(&o->b);
    return !failed(o->c);
}

/* The softmaxes among the users of x, and of the sums that x is in, are the loss's own. */
static bool take_softmaxes(Opt *o, ThApply *loss) {
    const ThVar *x = loss->in[0];
    bool ok = true;
    for (int i = x->nclients - 1; ok && i >= 0 && i < MAX_CLIENTS; i--) {
        ThApply *s = x->clients[i].node;
        if (!s) continue;
        if (ask_which(s) != S_add) {
            ok = take_softmax(o, loss, s);
        } else {
            const ThVar *z = s->out[0];
            for (int k = z->nclients - 1; ok && k >= 0 && k < MAX_CLIENTS && k < z->nclients; k--)
                if (z->clients[k].node) ok = take_softmax(o, loss, z->clients[k].node);
        }
        if (i > x->nclients) i = x->nclients;
    }
    return ok;
}

bool pass_xent(Opt *o) {
    bool ok = true;
    if (!(o->met & MET_CROSSENTROPY)) return true;
    for (int i = 0; ok && i < o->fg->node.n; i++) {
        ThApply *a = o->fg->node.at[i];
        if (a && a->op == &op_crossentropy_1hot) ok = fuse_loss(o, a);
    }
    for (int i = 0; ok && i < o->fg->node.n; i++) {
        ThApply *a = o->fg->node.at[i];
        if (a && a->op == &op_crossentropy_softmax) ok = take_softmaxes(o, a);
    }
    return ok;
}
