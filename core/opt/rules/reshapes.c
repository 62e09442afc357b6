/*
 * reshapes.c -- Reshape, Rebroadcast, Alloc and Join where they say nothing, meet each other, or stand between
 * computing nodes. Measure: nodes, then Reshapes between computing nodes. A Reshape that could fail keeps failing.
 */
#include "rules.h"

static int64_t length_at(Opt *o, ThVar *shape, int d, ThVar **v) {
    int64_t k;
    *v = NULL;
    if (vector_known(shape, d, &k)) return k;
    if (ask_op(shape, &op_make_vector) && d < shape->owner->nin) *v = shape->owner->in[d];
    (void)o;
    return -2;
}

/* Entry d of `shape` is surely the length of x's dim e. */
bool reshapes_keep(Opt *o, ThVar *shape, int d, ThVar *x, int e) {
    ThVar *v, *n = shape_i(o, x, e);
    int64_t k = length_at(o, shape, d, &v), m;
    if (!n) return false;
    if (k >= 0) return scalar_known(n, &m) && m == k;
    return v && v == n;
}

/* Reshape(x, lengths of x) -> x; one entry may be -1 or unknown, for the others fix it. */
ThVar *rw_useless_reshape(Opt *o, ThApply *a) {
    ThVar *x = a->in[0];
    int open = 0;
    if (!type_eq(x->type, a->out[0]->type)) return NULL;
    for (int d = 0; d < x->type.ndim && open <= 1; d++) {
        ThVar *v;
        if (reshapes_keep(o, a->in[1], d, x, d)) continue;
        if (length_at(o, a->in[1], d, &v) != -1) return NULL;
        open++;
    }
    return open <= 1 ? x : NULL;
}

/*
 * Reshape(Reshape(x, s), t) -> Reshape(x, t). What -1 stands for beside a length that may be 0 hangs on the lengths
 * that s gives: there it must be known.
 */
ThVar *rw_reshape_chain(Opt *o, ThApply *a) {
    ThVar *part[TH_MAX_NDIM], *shape = a->in[1];
    int n = a->out[0]->type.ndim, open = -1, soft = 0;
    if (!ask_op(a->in[0], &op_reshape)) return NULL;
    for (int d = 0; d < n; d++) {
        int64_t k = length_at(o, shape, d, &part[d]);
        if (k == -1) open = d;
        else if (k == -2 && !ask_op(part[d], &op_shape_i)) return NULL; /* it may be -1 */
        else if (k <= 0) soft++;
        if (!part[d]) part[d] = const_int(&o->b, k, TH_INT64);
    }
    if (open >= 0 && soft) {
        int64_t k;
        part[open] = shape_i(o, a->out[0], open);
        if (!part[open] || !scalar_known(part[open], &k)) return NULL;
        shape = patternbroadcast_make(&o->b, make_vector_make(&o->b, part, n, TH_INT64), shape->type.broadcastable);
    }
    ThVar *r = reshape_make(&o->b, a->in[0]->owner->in[0], shape, n);
    return r && type_eq(r->type, a->out[0]->type) ? r : NULL;
}

/* Reshape of a DimShuffle that only adds or drops dimensions of length 1 -> Reshape of what is behind it. */
ThVar *rw_useless_dimshuffle_in_reshape(Opt *o, ThApply *a) {
    if (!ask_op(a->in[0], &op_dimshuffle)) return NULL;
    const AttrInts *p = ask_attr(a->in[0]->owner->op, a->in[0]->owner->attrs, "order");
    int last = -1;
    for (int i = 0; i < p->n; i++) {
        if (p->at[i] < 0) continue;
        if (p->at[i] < last) return NULL;
        last = p->at[i];
    }
    return apply1(&o->b, a->op, a->attrs, (ThVar *[]){a->in[0]->owner->in[0], a->in[1]}, 2);
}

/* Reshape(f(x)) -> f(Reshape(x)) for an elementwise f of one operand that nobody else uses. */
ThVar *rw_reshape_lift(Opt *o, ThApply *a) {
    ThApply *f = a->in[0]->owner;
    if (!f || f->op != &op_elemwise || f->nin != 1 || f->nout != 1 || f->out[0]->nclients != 1) return NULL;
    ThVar *x = apply1(&o->b, a->op, a->attrs, (ThVar *[]){f->in[0], a->in[1]}, 2);
    return x ? apply1(&o->b, f->op, f->attrs, &x, 1) : NULL;
}

/* Reshape(x, (1, n, 1)) -> DimShuffle{x,0,x}(Reshape(x, (n,))): a view where a copy might be. */
ThVar *rw_reshape_to_dimshuffle(Opt *o, ThApply *a) {
    ThVar *part[TH_MAX_NDIM], *v;
    int8_t order[TH_MAX_NDIM];
    int n = a->out[0]->type.ndim, kept = 0;
    for (int d = 0; d < n; d++) {
        int64_t k = length_at(o, a->in[1], d, &v);
        order[d] = -1;
        if (k == 1) continue;
        if (k == -2 && !v) return NULL;
        part[kept] = v ? v : const_int(&o->b, k, TH_INT64);
        order[d] = (int8_t)kept++;
    }
    if (kept == n || (kept && !part[0])) return NULL;
    ThVar *x = a->in[0];
    if (kept != 1 || x->type.ndim != 1) x = reshape_make(&o->b, x, make_vector_make(&o->b, part, kept, TH_INT64), kept);
    else if (!reshapes_keep(o, a->in[1], n - 1, x, 0) && length_at(o, a->in[1], n - 1, &v) != -1)
        x = reshape_make(&o->b, x, make_vector_make(&o->b, part, 1, TH_INT64), 1);
    ThVar *r = dimshuffle_make(&o->b, x, order, n);
    return r && type_eq(r->type, a->out[0]->type) ? r : NULL;
}

/* Rebroadcast that changes nothing; Rebroadcast(Rebroadcast(x)) -> one. */
ThVar *rw_useless_rebroadcast(Opt *o, ThApply *a) {
    ThVar *in = a->in[0], *x = in->owner ? in->owner->in[0] : NULL;
    uint32_t to = a->out[0]->type.broadcastable;
    if (type_eq(in->type, a->out[0]->type)) return in;
    if (!ask_op(in, &op_rebroadcast)) return NULL;
    return patternbroadcast_make(&o->b, x, to);
}

ThVar *rw_rebroadcast_lift(Opt *o, ThApply *a) {
    ThApply *f = a->in[0]->owner;
    if (!f || f->op != &op_elemwise || f->nin != 1 || f->nout != 1 || f->out[0]->nclients != 1) return NULL;
    ThVar *x = patternbroadcast_make(&o->b, f->in[0], a->out[0]->type.broadcastable);
    return x ? apply1(&o->b, f->op, f->attrs, &x, 1) : NULL;
}

/* ---- Alloc ---- */
/* Alloc(x, its own lengths) -> x, with dimensions of length 1 in front (as tile by ones has them) a view of x. */
ThVar *rw_useless_alloc(Opt *o, ThApply *a) {
    ThVar *x = a->in[0];
    int pad = a->out[0]->type.ndim - x->type.ndim;
    int64_t k, m;
    for (int d = 0; d < pad; d++)
        if (!scalar_known(a->in[1 + d], &k) || k != 1) return NULL;
    ThVar *r = padleft_make(&o->b, x, a->out[0]->type.ndim);
    if (!r || !type_eq(r->type, a->out[0]->type)) return NULL;
    for (int d = 0; d < x->type.ndim; d++) {
        ThVar *n = shape_i(o, x, d), *given = a->in[1 + pad + d];
        bool same = n && (n == given || (scalar_known(n, &k) && scalar_known(given, &m) && k == m));
        if (!same) return NULL;
    }
    return r;
}

/* Alloc(Alloc(x, 1, m), n, m) -> Alloc(x, n, m): lengths that the inner one has and the outer one lacks are 1. */
ThVar *rw_merge_alloc(Opt *o, ThApply *a) {
    if (!ask_op(a->in[0], &op_alloc)) return NULL;
    const ThApply *in = a->in[0]->owner;
    int pad = a->nin - in->nin;
    for (int d = 1; d < in->nin; d++)
        if (in->in[d] != a->in[d + pad] && !ask_equals(in->in[d], 1)) return NULL;
    return alloc_make(&o->b, in->in[0], a->in + 1, a->nin - 1);
}

/* Alloc(DimShuffle{x,0}(v), ..) -> Alloc(v, ..): Alloc pads on the left by itself. */
ThVar *rw_alloc_dimshuffle(Opt *o, ThApply *a) {
    if (!ask_op(a->in[0], &op_dimshuffle)) return NULL;
    const AttrInts *p = ask_attr(a->in[0]->owner->op, a->in[0]->owner->attrs, "order");
    int i = 0, n = a->in[0]->owner->in[0]->type.ndim;
    while (i < p->n && p->at[i] < 0) i++;
    if (!i || p->n - i != n) return NULL;
    for (int k = 0; k < n; k++)
        if (p->at[i + k] != k) return NULL;
    return alloc_make(&o->b, a->in[0]->owner->in[0], a->in + 1, a->nin - 1);
}

/* f(Alloc(x, ..)) -> Alloc(f(x), ..) for an elementwise f of one operand. */
ThVar *rw_alloc_unary(Opt *o, ThApply *a) {
    if (a->nin != 1 || a->nout != 1 || !ask_op(a->in[0], &op_alloc)) return NULL;
    const ThApply *in = a->in[0]->owner;
    ThVar *x = apply1(&o->b, a->op, a->attrs, (ThVar *[]){in->in[0]}, 1);
    return x ? alloc_make(&o->b, x, in->in + 1, in->nin - 1) : NULL;
}

/* ---- Join, Split ---- */
static bool known_axis(const ThVar *axis, int ndim, int64_t *k) {
    if (!scalar_known(axis, k)) return false;
    if (*k < 0) *k += ndim;
    return *k >= 0 && *k < ndim;
}

/* Inputs that are constants of length 0 along the axis add nothing. */
ThVar *rw_join_empty(Opt *o, ThApply *a) {
    VEC(ThVar *) kept = {0};
    int64_t axis;
    ThVar *r = NULL;
    bool ok = known_axis(a->in[0], a->out[0]->type.ndim, &axis);
    for (int i = 1; ok && i < a->nin; i++) {
        ThVar *x = a->in[i];
        bool empty = var_is_const(x) && ARRAY_SHAPE(x->u.data)[axis] == 0 && x->type.dtype == a->out[0]->type.dtype;
        if (!empty) ok = vec_push(o->c, &kept, x);
    }
    if (ok && kept.n && kept.n < a->nin - 1) r = join_make(&o->b, a->in[0], kept.at, kept.n);
    if (r && !type_eq(r->type, a->out[0]->type)) r = NULL;
    vec_free(o->c, &kept);
    return r;
}

/* Join of one. */
ThVar *rw_join_1(Opt *o, ThApply *a) {
    (void)o;
    return a->nin == 2 && type_eq(a->in[1]->type, a->out[0]->type) ? a->in[1] : NULL;
}

/* Join(0, MakeVector(a, b), MakeVector(c)) -> MakeVector(a, b, c). */
ThVar *rw_join_make_vector(Opt *o, ThApply *a) {
    VEC(ThVar *) part = {0};
    bool ok = a->out[0]->type.ndim == 1 && a->nin > 2;
    for (int i = 1; ok && i < a->nin; i++) {
        ok = ask_op(a->in[i], &op_make_vector) && a->in[i]->type.dtype == a->out[0]->type.dtype;
        for (int k = 0; ok && k < a->in[i]->owner->nin; k++) ok = vec_push(o->c, &part, a->in[i]->owner->in[k]);
    }
    ThVar *r = ok && part.n ? make_vector_make(&o->b, part.at, part.n, (ThDtype)a->out[0]->type.dtype) : NULL;
    vec_free(o->c, &part);
    return r ? patternbroadcast_make(&o->b, r, a->out[0]->type.broadcastable) : NULL;
}

/* Split into one part -> x; that the part is as long as x is asserted. */
ThVar *rw_useless_split(Opt *o, ThApply *a) {
    ThVar *x = a->in[0], *lengths = a->in[2];
    int64_t axis, n, m;
    if (a->nout != 1 || !type_eq(x->type, a->out[0]->type) || !known_axis(a->in[1], x->type.ndim, &axis)) return NULL;
    ThVar *length = shape_i(o, x, (int)axis);
    ThVar *part = ask_op(lengths, &op_make_vector) ? lengths->owner->in[0] : subtensor_int_make(&o->b, lengths, 0);
    if (!length || !part) return NULL;
    if (length == part || (scalar_known(length, &n) && vector_known(lengths, 0, &m) && n == m)) return x;
    ThVar *same = call2(o, S_eq, part, length);
    return same ? assert_make(&o->b, x, &same, 1, "The length of the only part is not that of the whole", TH_ValueError)
                : NULL;
}

/* (x . y).T -> y.T . x.T when nobody else uses the product: the transposes are views of what is there. */
ThVar *rw_lift_transpose_through_dot(Opt *o, ThApply *a) {
    const AttrInts *p = ask_attr(a->op, a->attrs, "order");
    if (p->n != 2 || p->at[0] != 1 || p->at[1] != 0 || !ask_op(a->in[0], &op_dot) || a->in[0]->nclients != 1)
        return NULL;
    ThVar *x = a->in[0]->owner->in[0], *y = a->in[0]->owner->in[1];
    if (x->type.ndim != 2 || y->type.ndim != 2) return NULL;
    return dot_make(&o->b, dimshuffle_make(&o->b, y, p->at, 2), dimshuffle_make(&o->b, x, p->at, 2));
}

/* DimShuffle{1,x,0}(Alloc(v, n, m)) -> Alloc(DimShuffle(v), m, 1, n) where nobody else reads the Alloc or v is small.
 */
ThVar *rw_dimshuffle_alloc(Opt *o, ThApply *a) {
    const AttrInts *p = ask_attr(a->op, a->attrs, "order");
    ThVar *x = a->in[0], *v, *size[TH_MAX_NDIM];
    int8_t own[TH_MAX_NDIM];
    int first = 0;
    if (!ask_op(x, &op_alloc)) return NULL;
    v = x->owner->in[0];
    int pad = x->type.ndim - v->type.ndim;
    for (int i = 0; i < p->n; i++) {
        own[i] = (int8_t)(p->at[i] < pad ? -1 : p->at[i] - pad);
        size[i] = p->at[i] < 0 ? const_int(&o->b, 1, TH_INT64) : x->owner->in[1 + p->at[i]];
    }
    while (first < p->n && own[first] < 0) first++;
    bool keeps = p->n - first == v->type.ndim;
    for (int i = first; i < p->n; i++) keeps &= own[i] == i - first;
    if (x->nclients != 1 && v->type.ndim) return NULL;
    return alloc_make(&o->b, keeps ? v : dimshuffle_make(&o->b, v, own + first, p->n - first), size, p->n);
}
