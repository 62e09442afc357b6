/*
 * subscripts.c -- subscripts and increments that say nothing, meet each other, or pass through what they select from.
 * In: a Subtensor or IncSubtensor node. Out: fewer nodes, or the subscript closer to the inputs, where it selects
 * before anything is computed. Measure: nodes, then elements computed. Slices keep NumPy's clipping, and an index that
 * would raise is never dropped.
 */
#include "rules.h"

#include "ops/reduce/reduce.h"

#include <string.h>

enum { PARTS = 3 * TH_MAX_NDIM };

/* A subscript being rewritten: entries, and the inputs they name in order. */
typedef struct Subscript {
    AttrIdx idx;
    ThVar *part[PARTS];
    int n;
} Subscript;

static const AttrIdx *idx_of(const ThApply *a) { return ask_attr(a->op, a->attrs, "idx"); }

/* Where entry e's inputs start among those of the node. */
static int part_of(const AttrIdx *idx, int first, int e) {
    for (int k = 0; k < e; k++) first += __builtin_popcount(idx->at[k].has);
    return first;
}

/* Input of entry e that stands for bit (1 start, 2 stop, 4 step), or NULL. */
static ThVar *part(const ThApply *a, int first, const AttrIdx *idx, int e, int bit) {
    int has = idx->at[e].has;
    if (!(has & bit)) return NULL;
    return a->in[part_of(idx, first, e) + __builtin_popcount(has & (bit - 1))];
}

static bool is_whole(const AttrIdx *idx, int e) { return idx->at[e].kind == 's' && !idx->at[e].has; }

static bool all_whole(const AttrIdx *idx) {
    for (int e = 0; e < idx->n; e++)
        if (!is_whole(idx, e)) return false;
    return true;
}

static void add_whole(Subscript *s) {
    memset(&s->idx.at[s->idx.n], 0, sizeof s->idx.at[0]);
    s->idx.at[s->idx.n++].kind = 's';
}

/* Appends entry e of a's subscript with the parts in `keep`. */
static void add_entry(Subscript *s, const ThApply *a, int first, const AttrIdx *idx, int e, int keep) {
    int to = s->idx.n++;
    memset(&s->idx.at[to], 0, sizeof s->idx.at[0]);
    s->idx.at[to].kind = idx->at[e].kind;
    s->idx.at[to].has = (uint8_t)(idx->at[e].has & keep);
    for (int bit = 1, k = 0; bit <= 4; bit *= 2, k++) {
        if (!(idx->at[e].has & keep & bit)) continue;
        s->part[s->n++] = part(a, first, idx, e, bit);
        s->idx.at[to].dtype[k] = idx->at[e].dtype[k];
    }
}

/* Index 0, of a dimension of length 1. */
static void add_first(Opt *o, Subscript *s) {
    int to = s->idx.n++;
    memset(&s->idx.at[to], 0, sizeof s->idx.at[0]);
    s->idx.at[to].kind = 'i';
    s->idx.at[to].has = 1;
    s->idx.at[to].dtype[0] = TH_INT64;
    s->part[s->n++] = const_scalar_int(&o->b, 0);
}

static ThVar *apply_subscript(Opt *o, ThVar *x, const Subscript *s) {
    return x ? subtensor_make(&o->b, x, &s->idx, s->part, s->n) : NULL;
}

/* The same, a view where only dimensions of length 1 go. */
static ThVar *apply_or_drop(Opt *o, ThVar *x, const Subscript *s) {
    if (all_whole(&s->idx)) return x;
    ThVar *r = apply_subscript(o, x, s);
    ThVar *view = ask_op(r, &op_subtensor) ? rw_subtensor_remove_broadcastable_index(o, r->owner) : NULL;
    return view ? view : r;
}

/* ---- indices of what goes away ---- */
typedef struct Inside {
    ThVar *cond[TH_MAX_NDIM];
    int n;
} Inside;

/* Adds that the indices i, of any rank, are those of a dimension of length n, unless they certainly are. false: they
 * certainly are not, or it failed. */
static bool stays_inside(Opt *o, Inside *in, ThVar *i, ThVar *n) {
    int64_t k, m;
    if (!i || !n || in->n == TH_LEN(in->cond)) return false;
    bool given = scalar_known(i, &k);
    if (given && scalar_known(n, &m)) return k >= -m && k < m;
    if (given) i = const_int(&o->b, k, TH_INT64);
    else if (i->type.kind == TYPE_SCALAR) i = tensor_from_scalar_make(&o->b, i);
    ThVar *low = given && k >= 0 ? NULL : call2(o, S_ge, i, call1(o, S_neg, n));
    ThVar *high = given && k < 0 ? NULL : call2(o, S_lt, i, n);
    ThVar *both = low && high ? call2(o, S_and_, low, high) : low ? low : high;
    if (both && both->type.ndim) both = reduce_make(&o->b, &op_all, both, NULL, TH_DTYPE_NONE, TH_DTYPE_NONE, false);
    return (in->cond[in->n++] = both) != NULL;
}

/* x, which raises where an index is not inside. */
static ThVar *if_inside(Opt *o, ThVar *x, const Inside *in) {
    return x && in->n ? assert_make(&o->b, x, in->cond, in->n, "index out of bounds", TH_IndexError) : x;
}

/* ---- slices that say nothing ---- */
/* The tensor variable behind a scalar part. */
static ThVar *tensor_of(ThVar *v) { return ask_op(v, &op_scalar_from_tensor) ? v->owner->in[0] : v; }

/* Parts of slice e that say something: not start 0, stop at the length, or step 1. */
static int telling(Opt *o, ThApply *a, int first, const AttrIdx *idx, int e) {
    int keep = idx->at[e].has;
    int64_t v, n;
    ThVar *step = part(a, first, idx, e, 4), *start = part(a, first, idx, e, 1), *stop = part(a, first, idx, e, 2);
    if (step && scalar_known(step, &v) && v == 1) keep &= ~4;
    if (step && !(scalar_known(step, &v) && v > 0)) return keep;
    if (start && scalar_known(start, &v) && v == 0) keep &= ~1;
    if (!stop) return keep;
    ThVar *length = shape_i(o, a->in[0], e);
    bool reaches = length == tensor_of(stop);
    if (length && scalar_known(length, &n) && scalar_known(stop, &v)) reaches |= v >= n;
    return reaches ? keep & ~2 : keep;
}

/* Subscript of a with only the telling parts; false when nothing went. */
static bool simplify(Opt *o, ThApply *a, int first, Subscript *s) {
    const AttrIdx *idx = idx_of(a);
    bool changed = false;
    *s = (Subscript){.n = 0};
    if (a->nin - first > PARTS) return false;
    for (int e = 0; e < idx->n; e++) {
        int keep = idx->at[e].kind == 's' ? telling(o, a, first, idx, e) : 7;
        changed |= (idx->at[e].has & keep) != idx->at[e].has;
        add_entry(s, a, first, idx, e, keep);
    }
    while (s->idx.n > 1 && is_whole(&s->idx, s->idx.n - 1)) {
        memset(&s->idx.at[--s->idx.n], 0, sizeof s->idx.at[0]);
        changed = true;
    }
    return changed;
}

/* x[0:, :len:1] -> x[:, :]. */
ThVar *rw_useless_slice(Opt *o, ThApply *a) {
    Subscript s;
    return simplify(o, a, 1, &s) ? apply_subscript(o, a->in[0], &s) : NULL;
}

/* x[:, :] -> x. */
ThVar *rw_useless_subtensor(Opt *o, ThApply *a) {
    (void)o;
    return all_whole(idx_of(a)) && type_eq(a->in[0]->type, a->out[0]->type) ? a->in[0] : NULL;
}

/* ---- subscript of a subscript ---- */
/* Entry made of the parts of a merged one. */
static void add_merged(Subscript *s, const Merged *m) {
    int to = s->idx.n++;
    memset(&s->idx.at[to], 0, sizeof s->idx.at[0]);
    s->idx.at[to].kind = m->kind;
    for (int k = 0; k < 3; k++) {
        if (!m->part[k]) continue;
        s->idx.at[to].has |= (uint8_t)(1 << k);
        s->idx.at[to].dtype[k] = TH_INT64;
        s->part[s->n++] = m->part[k];
    }
}

/* x[..][..] as one subscript. */
ThVar *rw_subtensor_merge(Opt *o, ThApply *a) {
    ThApply *in = a->in[0]->owner;
    if (!in || in->op != &op_subtensor) return NULL;
    const AttrIdx *p = idx_of(in), *q = idx_of(a);
    Subscript s = {.n = 0};
    for (int d = 0, e = 0; d < in->in[0]->type.ndim; d++) {
        bool inner = d < p->n && !is_whole(p, d), outer = false;
        if (inner && p->at[d].kind == 'i') {
            add_entry(&s, in, 1, p, d, 7);
            continue;
        }
        outer = e < q->n && !is_whole(q, e);
        Merged both;
        if (inner && outer) {
            if (!slices_merge(o, in, d, a, e, &both)) return NULL;
            add_merged(&s, &both);
        } else if (inner) add_entry(&s, in, 1, p, d, 7);
        else if (outer) add_entry(&s, a, 1, q, e, 7);
        else add_whole(&s);
        e++;
    }
    return apply_subscript(o, in->in[0], &s);
}

/* ---- subscripts move to where less is computed ---- */
/* Alloc(v, ..)[idx] -> Alloc(v[idx on v's own dimensions], ..). That an index is inside a dimension which v lacks is
 * asserted. */
ThVar *rw_subtensor_of_alloc(Opt *o, ThApply *a) {
    if (!ask_op(a->in[0], &op_alloc)) return NULL;
    const AttrIdx *idx = idx_of(a);
    ThVar *const *length = a->in[0]->owner->in + 1;
    ThVar *v = padleft_make(&o->b, a->in[0]->owner->in[0], a->in[0]->type.ndim);
    Subscript s = {.n = 0};
    Inside in = {.n = 0};
    for (int e = 0; v && e < idx->n; e++) {
        bool index = idx->at[e].kind == 'i';
        if (!type_bcast(v->type, e)) add_entry(&s, a, 1, idx, e, 7);
        else if (!index) add_whole(&s);
        else if (stays_inside(o, &in, tensor_of(part(a, 1, idx, e, 1)), length[e])) add_first(o, &s);
        else return NULL;
    }
    v = v ? if_inside(o, apply_or_drop(o, v, &s), &in) : NULL;
    return v && a->out[0]->type.ndim ? shape_alloc_result(o, v, a) : v;
}

/* x, an operand of the elementwise a->in[0], at a's subscript: along what others repeat it there is nothing to choose,
 * and they are asked whether an index is inside. */
static ThVar *operand_at(Opt *o, ThVar *x, ThApply *a) {
    const AttrIdx *idx = idx_of(a);
    Subscript s = {.n = 0};
    for (int e = 0; e < idx->n; e++) {
        bool repeated = type_bcast(x->type, e) && !type_bcast(a->in[0]->type, e);
        if (!repeated) add_entry(&s, a, 1, idx, e, 7);
        else if (idx->at[e].kind == 's') add_whole(&s);
        else add_first(o, &s);
    }
    return apply_or_drop(o, x, &s);
}

/* f(x, y)[i] -> f(x[i], y[i]) for an elementwise f whose result only this subscript uses; Rebroadcast alike. */
ThVar *rw_subtensor_lift(Opt *o, ThApply *a) {
    ThApply *f = a->in[0]->owner;
    ThVar *in[KACC];
    if (!f || f->nout != 1 || f->out[0]->nclients != 1 || f->nin > KACC || a->nin - 1 > PARTS) return NULL;
    if (f->op == &op_rebroadcast) {
        ThVar *x = subtensor_make(&o->b, f->in[0], idx_of(a), a->in + 1, a->nin - 1);
        return x ? patternbroadcast_make(&o->b, x, a->out[0]->type.broadcastable) : NULL;
    }
    if (f->op != &op_elemwise) return NULL;
    for (int i = 0; i < f->nin; i++)
        if (!(in[i] = operand_at(o, f->in[i], a))) return NULL;
    ThApply *r = apply_make(&o->b, f->op, f->attrs, in, f->nin);
    if (r) r->flags |= f->flags & APPLY_GRAD;
    return r ? fg_find(r->out[0]) : NULL;
}

/* dot(x, y)[i, j] -> dot(x[i], y[:, j]) when nobody else uses the product. */
ThVar *rw_subtensor_of_dot(Opt *o, ThApply *a) {
    if (!ask_op(a->in[0], &op_dot) || a->in[0]->nclients != 1) return NULL;
    const AttrIdx *idx = idx_of(a);
    ThVar *x = a->in[0]->owner->in[0], *y = a->in[0]->owner->in[1];
    int split = x->type.ndim - 1;
    Subscript left = {.n = 0}, right = {.n = 0};
    if (all_whole(idx) || x->type.ndim != 2 || y->type.ndim < 1) return NULL;
    for (int e = 0; e < idx->n && e < split; e++) add_entry(&left, a, 1, idx, e, 7);
    if (y->type.ndim == 2) add_whole(&right);
    for (int e = split; e < idx->n; e++) add_entry(&right, a, 1, idx, e, 7);
    if (!all_whole(&left.idx)) x = apply_subscript(o, x, &left);
    if (!all_whole(&right.idx)) y = apply_subscript(o, y, &right);
    return x && y ? dot_make(&o->b, x, y) : NULL;
}

/* ---- increments ---- */
static bool same_place(const ThApply *a, int first, const ThApply *b, int bfirst) {
    if (a->nin - first != b->nin - bfirst || memcmp(idx_of(a), idx_of(b), sizeof(AttrIdx))) return false;
    for (int i = 0; i < a->nin - first; i++)
        if (a->in[first + i] != b->in[bfirst + i]) return false;
    return true;
}

static bool sets(const ThApply *a) { return *(const uint8_t *)ask_attr(a->op, a->attrs, "set"); }

/* set(x[i], y)[i] -> y. */
ThVar *rw_subtensor_inc_subtensor(Opt *o, ThApply *a) {
    ThApply *in = a->in[0]->owner;
    if (!in || in->op != &op_inc_subtensor || !sets(in) || !same_place(a, 1, in, 2)) return NULL;
    ThVar *y = in->in[1];
    if (type_eq(y->type, a->out[0]->type)) return y;
    return y->type.dtype == a->out[0]->type.dtype ? shape_alloc_result(o, y, a) : NULL;
}

/* set(x[:], y) -> y, inc(x[:], y) -> x + y. */
ThVar *rw_useless_inc_subtensor(Opt *o, ThApply *a) {
    if (!all_whole(idx_of(a))) return NULL;
    if (!sets(a)) return call2(o, S_add, a->in[0], a->in[1]);
    return type_eq(a->in[1]->type, a->out[0]->type) ? a->in[1] : NULL;
}

/* set(x[i], x[i]) -> x; set(Alloc(c)[i], c) -> Alloc(c). */
ThVar *rw_setsubtensor_of_constants(Opt *o, ThApply *a) {
    (void)o;
    double c, d;
    ThVar *x = a->in[0], *y = a->in[1];
    if (!sets(a)) return NULL;
    if (ask_op(y, &op_subtensor) && y->owner->in[0] == x && same_place(y->owner, 1, a, 2)) return x;
    ThVar *fill = ask_op(x, &op_alloc) ? x->owner->in[0] : x;
    return ask_value(fill, &c) && ask_value(y, &d) && c == d && c != 0 ? x : NULL;
}

/* ---- sums of increments ---- */
typedef VEC(ThVar *) Vars;
typedef VEC(ThApply *) Incs;

static bool movable(const ThVar *v, ThType t) {
    if (!v->owner || v->nclients != 1 || !type_eq(v->type, t)) return false;
    const ThApply *a = v->owner;
    bool inc = a->op == &op_inc_subtensor || a->op == &op_adv_inc_subtensor || a->op == &op_adv_inc_subtensor1;
    return inc && !sets(a) && type_eq(a->in[0]->type, t);
}

/* Terms of the sum under a, through sums that nobody else uses; increments leave their base among the terms. */
static bool gather(Opt *o, ThApply *a, Vars *term, Incs *inc) {
    Vars stack = {0};
    ThType t = a->out[0]->type;
    bool ok = true;
    for (int i = a->nin - 1; ok && i >= 0; i--) ok = vec_push(o->c, &stack, a->in[i]);
    while (ok && stack.n) {
        ThVar *v = vec_pop(&stack);
        ThApply *s = ask_scalar(v, S_add);
        if (s && v->nclients == 1 && type_eq(v->type, t)) {
            for (int i = s->nin - 1; ok && i >= 0; i--) ok = vec_push(o->c, &stack, s->in[i]);
        } else if (movable(v, t)) {
            ok = vec_push(o->c, inc, v->owner) && vec_push(o->c, &stack, v->owner->in[0]);
        } else {
            ok = vec_push(o->c, term, v);
        }
    }
    vec_free(o->c, &stack);
    return ok;
}

/* Every base of an increment is the same zeros, which adds nothing to a sum that has another term. */
static void drop_zeros(Vars *term) {
    int kept = 0, first = -1;
    for (int i = 0; i < term->n; i++) {
        ThVar *v = term->at[i];
        bool zero = ask_zeros(v);
        if (zero && first >= 0) continue;
        if (zero) first = i;
        term->at[kept++] = v;
    }
    term->n = kept;
}

/* inc(a, b, i) + inc(a, c, j) + d -> inc(inc(a + a + d, b, i), c, j): one buffer, each increment in place on it. */
ThVar *rw_inc_subtensor_serialize(Opt *o, ThApply *a) {
    ThVar *out = a->out[0], *tip = NULL;
    Vars term = {0};
    Incs inc = {0};
    bool root = out->nclients != 1 || !out->clients[0].node || ask_which(out->clients[0].node) != S_add ||
                !type_eq(out->clients[0].node->out[0]->type, out->type);
    bool ok = root && gather(o, a, &term, &inc) && inc.n > 0;
    if (ok) {
        drop_zeros(&term);
        tip = opt_call(o, S_add, term.at, term.n, out->type.dtype);
        for (int i = 0; tip && i < inc.n; i++) {
            ThApply *in = inc.at[i];
            ThVar *arg[PARTS];
            if (in->nin > PARTS || !type_eq(tip->type, out->type)) tip = NULL;
            for (int k = 0; tip && k < in->nin; k++) arg[k] = k ? in->in[k] : tip;
            if (tip) tip = apply1(&o->b, in->op, in->attrs, arg, in->nin);
        }
    }
    vec_free(o->c, &term);
    vec_free(o->c, &inc);
    return tip;
}

/* ---- indices into dimensions of length 1, increments written as assignments ---- */
/* x[0] of a row -> a DimShuffle that drops the dimension, when nothing else is cut. */
ThVar *rw_subtensor_remove_broadcastable_index(Opt *o, ThApply *a) {
    const AttrIdx *idx = idx_of(a);
    ThVar *x = a->in[0];
    int8_t keep[TH_MAX_NDIM];
    int n = 0;
    for (int e = 0; e < x->type.ndim; e++) {
        int64_t k;
        if (e >= idx->n || is_whole(idx, e)) {
            keep[n++] = (int8_t)e;
            continue;
        }
        if (idx->at[e].kind != 'i' || !type_bcast(x->type, e)) return NULL;
        if (!scalar_known(part(a, 1, idx, e, 1), &k) || (k != 0 && k != -1)) return NULL;
    }
    return n < x->type.ndim ? dimshuffle_make(&o->b, x, keep, n) : NULL;
}

/* Certainly no position twice: constants that rise (or fall) and have one sign, or a range that rises from 0 or more.
 */
static bool distinct(const ThVar *v) {
    ThValue from, step;
    const AttrInts *p = ask_op(v, &op_dimshuffle) ? ask_attr(v->owner->op, v->owner->attrs, "order") : NULL;
    if (p) return false;
    if (ask_op(v, &op_arange)) {
        ThVar *const *in = v->owner->in;
        return dtype_is_int(in[0]->type.dtype) && dtype_is_int(in[2]->type.dtype) && ask_number(in[0], &from) &&
               ask_number(in[2], &step) && from.i >= 0 && step.i > 0;
    }
    int64_t last, now;
    bool rises = true, falls = true, plus = true, minus = true;
    if (!var_is_const(v) || v->type.kind != TYPE_TENSOR || v->type.ndim != 1 || !dtype_is_int(v->type.dtype))
        return false;
    for (int64_t i = 0, n = v->u.data->size; i < n; i++, last = now) {
        if (!vector_known(v, i, &now)) return false;
        if (i) rises &= now > last, falls &= now < last;
        plus &= now >= 0;
        minus &= now < 0;
    }
    return (rises || falls) && (plus || minus);
}

/* The tuples of an advanced subscript: those of vectors of one length, of which one has no position twice. */
static bool distinct_tuples(const ThApply *a) {
    const AttrIdx *idx = idx_of(a);
    bool any = false;
    for (int e = 0; e < idx->n; e++) {
        if (idx->at[e].kind == 's') continue;
        ThVar *i = part(a, 2, idx, e, 1);
        if (idx->at[e].kind != 'i' || !i || i->type.kind != TYPE_TENSOR || i->type.ndim != 1 || type_bcast(i->type, 0))
            return false;
        any |= distinct(i);
    }
    return any;
}

/* x + y of what is assigned, where x stands at the very place: y, else NULL. */
static ThVar *increment_of(ThApply *a, const Op *selects, int first) {
    ThApply *sum = ask_scalar(a->in[1], S_add);
    if (!sum || sum->nin != 2 || a->in[1]->type.dtype != a->in[0]->type.dtype) return NULL;
    for (int i = 0; i < 2; i++) {
        ThVar *got = sum->in[i], *y = sum->in[1 - i];
        if (!ask_op(got, selects) || got->owner->in[0] != a->in[0]) continue;
        bool same = selects == &op_subtensor ? same_place(got->owner, 1, a, first) : got->owner->in[1] == a->in[first];
        if (same && got->type.ndim == a->in[1]->type.ndim && y->type.dtype == a->in[0]->type.dtype) return y;
    }
    return NULL;
}

/* The increment of rows of zeros under v, which nobody else uses, and the numbers it is multiplied by; or NULL. */
static ThApply *scaled_rows(ThVar *v, ThVar **by, int *n) {
    ThApply *m = ask_exact(v, S_mul, (ThDtype)v->type.dtype);
    ThVar *inc = v;
    *n = 0;
    if (v->nclients != 1 || (m && m->nin > PARTS)) return NULL;
    for (int i = 0, rest = 0; m && i < m->nin; i++) {
        if (ask_all_bcast(m->in[i]->type)) by[(*n)++] = m->in[i];
        else if (rest++ == 0) inc = m->in[i];
        else return NULL;
    }
    bool rows = ask_op(inc, &op_adv_inc_subtensor1) && inc->nclients == 1 && ask_zeros(inc->owner->in[0]);
    return rows && inc->owner->in[1]->type.ndim == v->type.ndim ? inc->owner : NULL;
}

/* x - c * inc(zeros[i], y) -> inc(x[i], -c * y), a sum likewise: what is not at i stays, as nothing is added there.
 * Rows that are set must be distinct. */
ThVar *rw_add_rows(Opt *o, ThApply *a) {
    ThVar *out = a->out[0], *by[PARTS + 2];
    bool sum = ask_which(a) == S_add;
    if (a->nin != 2) return NULL;
    for (int k = 1; k >= 0; k--) {
        ThVar *x = a->in[1 - k];
        int n;
        ThApply *inc = k == 1 || sum ? scaled_rows(a->in[k], by, &n) : NULL;
        if (!inc || !type_eq(x->type, out->type) || !type_eq(inc->out[0]->type, out->type) ||
            out->type.dtype == TH_BOOL || (sets(inc) && !distinct(inc->in[2])))
            continue;
        ThVar *y = inc->in[1];
        by[n++] = y;
        y = n > 1 ? opt_call(o, S_mul, by, n, (ThDtype)out->type.dtype) : y;
        if (!sum) y = call1(o, S_neg, y);
        return y ? adv_inc_subtensor1_make(&o->b, x, y, inc->in[2], false) : NULL;
    }
    return NULL;
}

/* set(x[i], x[i] + y) -> inc(x[i], y), where no element is met twice: slices, single indices, distinct positions. */
ThVar *rw_set_to_inc_subtensor(Opt *o, ThApply *a) {
    bool one = a->op == &op_adv_inc_subtensor1;
    if (!sets(a) || (one && !distinct(a->in[2]))) return NULL;
    ThVar *y = increment_of(a, one ? &op_adv_subtensor1 : &op_subtensor, 2);
    if (!y) return NULL;
    if (one) return adv_inc_subtensor1_make(&o->b, a->in[0], y, a->in[2], false);
    return inc_subtensor_make(&o->b, a->in[0], y, idx_of(a), a->in + 2, a->nin - 2, false);
}

/* set(x[i], y)[i], inc(zeros[i], y)[i] -> y for distinct positions i, which are checked as they were. Theano's rule
 * takes any i, and is wrong where one comes twice. */
ThVar *rw_adv_sub1_adv_inc_sub1(Opt *o, ThApply *a) {
    ThApply *in = a->in[0]->owner;
    if (!in || in->op != &op_adv_inc_subtensor1 || in->in[2] != a->in[1] || !distinct(a->in[1])) return NULL;
    ThVar *x = in->in[0], *y = in->in[1], *i = a->in[1];
    if (!type_eq(y->type, a->out[0]->type) || (!sets(in) && !ask_zeros(x))) return NULL;
    AttrInts all = {.n = -1};
    ThVar *n = shape_i(o, x, 0), *low = n ? call1(o, S_neg, n) : NULL;
    ThVar *rows = shape_i(o, y, 0), *places = shape_i(o, i, 0);
    ThVar *inside = n ? call2(o, S_and_, call2(o, S_lt, i, n), call2(o, S_ge, i, low)) : NULL;
    ThVar *cond[2] = {inside ? reduce_make(&o->b, &op_all, inside, &all, TH_DTYPE_NONE, TH_DTYPE_NONE, false) : NULL,
                      rows && places && rows != places ? call2(o, S_eq, rows, places) : NULL};
    if (!cond[0] || !rows || !places) return NULL;
    return assert_make(&o->b, y, cond, cond[1] ? 2 : 1,
                       "Bad indexing or shapes in a AdvancedIncSubtensor1 that was optimized away", TH_IndexError);
}

/* Are there zeros where a adds? Zeros with nothing else than what was added to other slices of the dimension. */
static bool adds_to_zeros(const ThApply *a) {
    if (ask_zeros(a->in[0])) return true;
    const ThVar *x = a->op == &op_inc_subtensor ? inc_subtensor_below(a) : NULL;
    return x && ask_zeros(x);
}

/* inc(zeros[i], y) -> set(zeros[i], y): nothing has to be read. Positions must be distinct. */
ThVar *rw_incsubtensor_of_zeros(Opt *o, ThApply *a) {
    ThVar *x = a->in[0], *y = a->in[1];
    if (sets(a) || y->type.dtype != x->type.dtype || !adds_to_zeros(a)) return NULL;
    if (a->op == &op_inc_subtensor) return inc_subtensor_make(&o->b, x, y, idx_of(a), a->in + 2, a->nin - 2, true);
    if (a->op == &op_adv_inc_subtensor1)
        return distinct(a->in[2]) ? adv_inc_subtensor1_make(&o->b, x, y, a->in[2], true) : NULL;
    return distinct_tuples(a) ? adv_inc_subtensor_make(&o->b, x, y, idx_of(a), a->in + 2, a->nin - 2, true) : NULL;
}

/* ---- zeros that are overwritten ---- */
enum { SLICES = 16 };

/* Slices that are set one after the other, all of one dimension: the last one first. */
typedef struct Chain {
    ThApply *node[SLICES];
    int64_t from[SLICES], to[SLICES];
    int dim, n;
    ThVar *below;
} Chain;

static bool chain_read(ThVar *tip, Chain *c) {
    *c = (Chain){.dim = -1, .below = tip};
    while (ask_op(c->below, &op_inc_subtensor)) {
        ThApply *a = c->below->owner;
        int dim;
        if (c->n == SLICES || !sets(a) || !inc_subtensor_slice(a, &dim, &c->from[c->n], &c->to[c->n])) return false;
        if (c->n && (dim != c->dim || c->below->nclients != 1)) return false;
        c->node[c->n++] = a;
        c->dim = dim;
        c->below = a->in[0];
    }
    return c->n > 1;
}

/* Who alone reads the tip changes another slice of the dimension: the chain is longer. */
static bool goes_on(const ThVar *tip, int dim) {
    const ThApply *next = tip->nclients == 1 && tip->clients[0].pos == 0 ? tip->clients[0].node : NULL;
    int other;
    int64_t from, to;
    return next && next->op == &op_inc_subtensor && inc_subtensor_slice(next, &other, &from, &to) && other == dim;
}

/* Up to where the slices cover their dimension from its beginning. */
static int64_t covered(const Chain *c) {
    int64_t end = 0, before = -1;
    while (end != before) {
        before = end;
        for (int i = 0; i < c->n; i++)
            if (c->from[i] <= end && c->to[i] > end) end = c->to[i];
    }
    return end;
}

/* empty[.., end:] set to value: what no slice covers. */
static ThVar *rest_set(Opt *o, ThVar *empty, ThVar *value, int dim, int64_t end) {
    AttrIdx idx = {.n = (int8_t)(dim + 1)};
    for (int d = 0; d <= dim; d++) idx.at[d].kind = 's';
    idx.at[dim].has = 1;
    idx.at[dim].dtype[0] = TH_INT64;
    ThVar *from = const_scalar_int(&o->b, end);
    return from ? inc_subtensor_make(&o->b, empty, value, &idx, &from, 1, true) : NULL;
}

/* set(set(zeros[0:5], x)[5:8], y) -> set(set(set(empty[8:], 0)[0:5], x)[5:8], y): zeros are written where nothing else
 * is. So the gradients of slices that share a tensor out write each element once. */
ThVar *rw_zeros_beside_slices(Opt *o, ThApply *a) {
    Chain c;
    int64_t length;
    if (!sets(a) || !chain_read(a->out[0], &c) || goes_on(a->out[0], c.dim)) return NULL;
    if (!ask_op(c.below, &op_alloc) || !ask_zeros(c.below)) return NULL;
    ThType t = c.below->type;
    ThVar *const *in = c.below->owner->in;
    int64_t end = covered(&c);
    double value;
    if (end == 0 || !ask_value(in[0], &value)) return NULL;
    ThVar *x = alloc_empty_make(&o->b, (ThDtype)t.dtype, in + 1, t.ndim);
    if (!x || !type_eq(x->type, t)) return NULL;
    bool whole = end == INT64_MAX || (scalar_known(in[1 + c.dim], &length) && length <= end);
    if (!whole) x = rest_set(o, x, opt_const(o, value, type_tensor(t.dtype, 0, 0)), c.dim, end);
    for (int i = c.n - 1; x && i >= 0; i--) {
        ThApply *s = c.node[i];
        x = inc_subtensor_make(&o->b, x, s->in[1], idx_of(s), s->in + 2, s->nin - 2, true);
    }
    return x;
}

/* inc(x[..], 0) -> x; that indices are inside is asserted. */
ThVar *rw_inc_of_zeros(Opt *o, ThApply *a) {
    static const AttrIdx rows = {.n = 1, .at = {{'i', 1, {TH_INT64, 0, 0}}}};
    const AttrIdx *idx = a->op == &op_adv_inc_subtensor1 ? &rows : idx_of(a);
    ThVar *x = a->in[0];
    Inside in = {.n = 0};
    if (sets(a) || !ask_zeros(a->in[1])) return NULL;
    for (int e = 0; e < idx->n; e++)
        if (idx->at[e].kind == 'n' ||
            (idx->at[e].kind == 'i' && !stays_inside(o, &in, tensor_of(part(a, 2, idx, e, 1)), shape_i(o, x, e))))
            return NULL;
    return if_inside(o, x, &in);
}

/* DimShuffle that only drops dimensions of length 1 of a subscript -> the subscript with 0 there. */
ThVar *rw_dimshuffle_subtensor(Opt *o, ThApply *a) {
    ThApply *in = a->in[0]->owner;
    const AttrInts *p = ask_attr(a->op, a->attrs, "order");
    if (!in || in->op != &op_subtensor || in->out[0]->nclients != 1 || p->n >= a->in[0]->type.ndim) return NULL;
    for (int k = 0; k < p->n; k++)
        if (p->at[k] < 0 || (k && p->at[k] <= p->at[k - 1])) return NULL;
    const AttrIdx *idx = idx_of(in);
    Subscript s = {.n = 0};
    for (int e = 0, d = 0, k = 0; e < in->in[0]->type.ndim; e++) {
        bool given = e < idx->n && !is_whole(idx, e);
        bool index = given && idx->at[e].kind == 'i';
        bool dropped = !index && (k >= p->n || p->at[k] != d);
        if (dropped && given) return NULL;
        if (dropped) add_first(o, &s);
        else if (given) add_entry(&s, in, 1, idx, e, 7);
        else add_whole(&s);
        k += !index && !dropped;
        d += !index;
    }
    while (s.idx.n > 1 && is_whole(&s.idx, s.idx.n - 1)) memset(&s.idx.at[--s.idx.n], 0, sizeof s.idx.at[0]);
    return apply_subscript(o, in->in[0], &s);
}
