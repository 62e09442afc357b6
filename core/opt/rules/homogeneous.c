/*
 * homogeneous.c -- softmaxes that are written out, in products with weights and sums, and their gradients of any order.
 * With e = exp(x), s = sum(e) and p = e / s every part of such a product is rest * p ^ i * s ^ j: e is p * s, a sum
 * takes out the powers that its terms share, a reduction along what s was summed over takes out s. Where all of s
 * cancels, what is left is finite at any x: e * (g / s - sum(g * e / s^2)) is p * (g - sum(g * p)). Measure:
 * exponentials in a product.
 */
#include "softmaxes.h"

#include <string.h>

enum { SPLITS = 96, DEEP = 8, TERMS = 8 };
typedef struct Split {
    ThVar *rest;
    int i, j, k;        /* k: as j, of the sum of exp(x - max(x)) */
    bool negative, any; /* any: e, s or p stands in it */
} Split;
typedef struct Splitter {
    Opt *o;
    int count;       /* of products opened: SPLITS at most */
    int met;         /* factors of the root with e or s in them */
    bool raw, loose; /* e or s was met; a sum or reduction with powers of s, or p in a denominator */
} Splitter;

static bool split_product(Splitter *q, Product *p, const Softmax *x, Split *s, int depth);

/* Multiplies by p ^ power. */
static bool push_p(Product *t, const Softmax *x, int power) { return product_push(t, x->p, power); }

static bool join_terms(Splitter *q, const Split *term, int n, const Softmax *x, Split *s) {
    ThVar *in[2][TERMS], *side[2] = {NULL, NULL};
    int count[2] = {0, 0};
    for (int k = 0; k < n; k++) {
        Product t;
        if (term[k].j != s->j || term[k].k != s->k || !product_open(q->o, term[k].rest, &t) ||
            !push_p(&t, x, term[k].i - s->i))
            return false;
        int minus = t.negative ^ term[k].negative;
        t.negative = false;
        product_fold(&t);
        q->loose |= term[k].i < 0 || s->j || s->k;
        if (!(in[minus][count[minus]++] = product_close(q->o, &t))) return false;
    }
    ThDtype d = (ThDtype)x->p->type.dtype;
    for (int k = 0; k < 2; k++)
        if (count[k] && !(side[k] = opt_call(q->o, S_add, in[k], count[k], d))) return false;
    s->negative = !side[0];
    s->rest = side[0] && side[1] ? call2(q->o, S_sub, side[0], side[1]) : side[0] ? side[0] : side[1];
    return s->rest != NULL;
}

/* A factor that is a sum of terms. */
static bool split_sum(Splitter *q, const Product *p, const Factor *f, const Softmax *x, Split *s, int depth) {
    ThApply *a = product_is(p, f, S_add);
    bool sub = !a && (a = product_is(p, f, S_sub));
    Split term[TERMS];
    if (!a || a->nin > TERMS || depth == DEEP) return true;
    for (int k = 0; k < a->nin; k++)
        if (!product_view(q->o, f, a->in[k])) return !failed(q->o->c); /* a view cannot pass */
    for (int k = 0; k < a->nin; k++) {
        Product t;
        ThVar *v = product_view(q->o, f, a->in[k]);
        if (!v || v->type.dtype != p->dtype || !product_open(q->o, v, &t)) return false;
        t.negative ^= sub && k == 1;
        term[k] = (Split){.any = false};
        if (!split_product(q, &t, x, &term[k], depth + 1)) return false;
        s->any |= term[k].any;
        if (!k || term[k].i < s->i) s->i = term[k].i;
        s->j = term[k].j;
        s->k = term[k].k;
    }
    return !s->any || join_terms(q, term, a->nin, x, s);
}

/* Dim of the product's frame that each dim of a reduction's operand is; false: there is none for one of them. */
static bool inner_frame(const Shuffled *s, int8_t *from) {
    const ReduceAttrs *r = s->v->owner->attrs;
    int rank = s->v->owner->in[0]->type.ndim, kept = 0, met = 0, next = 0;
    if (rank != s->order.n || rank >= TH_MAX_NDIM - 1) return false;
    for (int d = 0; d < rank; d++) {
        int at = -1;
        if (axis_in(&r->axis, d)) {
            while (next < rank && s->order.at[next] >= 0) next++;
            at = next++;
        } else {
            for (int i = 0; i < rank; i++)
                if (s->order.at[i] == kept) at = i;
            kept++;
        }
        if (at < 0 || at >= rank) return false;
        from[d] = (int8_t)at;
        met |= 1 << at;
    }
    return met == (1 << rank) - 1;
}

/* A factor that is a reduction, seen through DimShuffles, of a product with e or s. */
static bool split_reduction(Splitter *q, ThVar *v, const Softmax *x, Split *s, int depth) {
    int8_t from[TH_MAX_NDIM];
    Shuffled out = softmaxes_behind(v);
    Softmax in;
    Product t;
    Split r = {.any = false};
    if (!ask_op(out.v, &op_sum) || depth == DEEP || !inner_frame(&out, from)) return true;
    ThVar *body = out.v->owner->in[0];
    if (body->type.dtype != v->type.dtype || !product_open(q->o, body, &t)) return true;
    if (!softmaxes_turn(q->o, x, from, &in) || !split_product(q, &t, &in, &r, depth + 1)) return false;
    if (!r.any) return true;
    const ReduceAttrs *at = out.v->owner->attrs;
    for (int d = 0; (r.j || r.k) && d < body->type.ndim; d++)
        if (axis_in(&at->axis, d) && !axis_in(&in.axis, d)) return false; /* s varies along it */
    if (r.i < 0 || !product_open(q->o, r.rest, &t) || !push_p(&t, &in, r.i)) return false;
    t.negative ^= r.negative;
    product_fold(&t);
    ThVar *inner = product_close(q->o, &t), *sum = NULL;
    if (inner && !type_eq(inner->type, body->type)) inner = second_make(&q->o->b, in.x, inner);
    if (inner && type_eq(inner->type, body->type)) sum = apply1(&q->o->b, &op_sum, at, &inner, 1);
    s->rest = sum ? dimshuffle_make(&q->o->b, sum, out.order.at, out.order.n) : NULL;
    s->j = r.j;
    s->k = r.k;
    q->loose |= r.j || r.k;
    s->any = true;
    return s->rest != NULL;
}

/* e, s or p themselves, and what p is written out with. */
static bool split_leaf(Splitter *q, const Product *p, const Factor *f, ThVar *v, const Softmax *x, Split *s) {
    ThApply *a = product_is(p, f, S_exp);
    ThVar *u = a ? product_view(q->o, f, a->in[0]) : NULL;
    Softmax other;
    if (u && u == x->x) s->i = s->j = 1;
    else if (u && u == x->low) s->i = s->k = 1;
    else if (softmaxes_same(v, x->p)) s->i = 1;
    else if (ask_op(v, &op_crossentropy_1hot_grad) && softmaxes_same(v->owner->in[1], x->p))
        return s->i = -1, s->any = (s->rest = xent_grad_of_ones(q->o, v->owner)) != NULL;
    else if (u || !ask_op(softmaxes_behind(v).v, &op_sum) || !softmaxes_denominator(q->o, v, &other)) return false;
    else if (other.axis.n != x->axis.n || memcmp(other.axis.at, x->axis.at, (size_t)x->axis.n)) return false;
    else if (other.x == x->x) s->j = 1;
    else if (other.x == x->low) s->k = 1;
    q->raw |= s->j;
    return s->any = s->i || s->j || s->k;
}

/* v takes the elements that node a puts into zeros: by the same subscript. */
static bool takes_back(const ThApply *a, const ThVar *v) {
    static const Op *const pair[][2] = {{&op_adv_inc_subtensor, &op_adv_subtensor},
                                        {&op_adv_inc_subtensor1, &op_adv_subtensor1},
                                        {&op_inc_subtensor, &op_subtensor}};
    const ThApply *t = v->owner;
    int kind = 0;
    while (kind < TH_LEN(pair) && pair[kind][0] != a->op) kind++;
    if (kind == TH_LEN(pair) || !t || t->op != pair[kind][1] || t->nin != a->nin - 1) return false;
    for (int i = 1; i < t->nin; i++)
        if (t->in[i] != a->in[i + 1]) return false;
    const AttrIdx *x = ask_attr(a->op, a->attrs, "idx"), *y = ask_attr(t->op, t->attrs, "idx");
    return !x || !y || memcmp(x, y, sizeof *x) == 0;
}

/* The elements that node `takes` picks from `from`, which is v * p ^ i: those of v. NULL: it is not, or failed. */
static ThVar *split_taken(Splitter *q, const ThApply *takes, ThVar *from, const Softmax *x, int depth, int *power) {
    ThVar *in[3 * TH_MAX_NDIM + 2];
    Product t;
    Split s = {.any = false};
    if (depth >= DEEP || takes->nin > TH_LEN(in) || !product_open(q->o, from, &t) ||
        !split_product(q, &t, x, &s, depth + 1) || !s.any || s.j || s.k)
        return NULL;
    in[0] = s.negative ? call1(q->o, S_neg, s.rest) : s.rest;
    if (in[0] && !type_eq(in[0]->type, from->type)) in[0] = second_make(&q->o->b, from, in[0]);
    for (int i = 1; i < takes->nin; i++) in[i] = takes->in[i];
    *power = s.i;
    return in[0] ? apply1(&q->o->b, takes->op, takes->attrs, in, takes->nin) : NULL;
}

/* v of v * p[i] ^ power, which node a adds to or puts into what it is given at [i], seen through n views. */
static ThVar *split_value(Splitter *q, const ThApply *a, ThApply *const *view, int n, const Softmax *x, int depth,
                          int *power) {
    ThVar *taken[FACTORS];
    int to[FACTORS], ntaken = 0, i;
    Product t;
    *power = 0;
    if (a->in[1]->type.dtype != a->out[0]->type.dtype || !product_open(q->o, a->in[1], &t)) return NULL;
    for (int k = 0; k < t.n; k++) {
        Factor *f = &t.at[k];
        ThVar *part = product_var(q->o, f), *from = part && takes_back(a, part) ? part->owner->in[0] : NULL, *v;
        for (int d = n - 1; from && d >= 0; d--) from = views_of(q->o, view[d], from);
        if (from && softmaxes_same(from, x->p)) {
            *power += f->power;
        } else if (from && !n && (v = split_taken(q, part->owner, from, x, depth, &i))) {
            *power += f->power * i;
            taken[ntaken] = v;
            to[ntaken++] = f->power;
        } else {
            if (failed(q->o->c)) return NULL;
            continue;
        }
        f->used = true;
    }
    product_fold(&t);
    while (ntaken--)
        if (!product_push(&t, taken[ntaken], to[ntaken])) return NULL;
    ThVar *w = product_close(q->o, &t);
    return w && !type_eq(w->type, a->in[1]->type) ? second_make(&q->o->b, a->in[1], w) : w;
}

static bool increments(const ThApply *a) {
    const uint8_t *set = ask_attr(a->op, a->attrs, "set");
    return set && !*set;
}

/*
 * Zeros into which v * p[i] ^ k is put at [i] are p ^ k times zeros with v; also seen through views, and where p ^ k
 * times something is increased.
 */
static bool split_scatter(Splitter *q, ThVar *v, const Softmax *x, Split *s, int depth) {
    ThApply *view[DEEP], *a;
    ThVar *in[3 * TH_MAX_NDIM + 2];
    Product t;
    int n = 0, power;
    Split base = {.any = false};
    for (; v->owner && n < DEEP && (v->owner->op == &op_dimshuffle || v->owner->op == &op_reshape); v = v->owner->in[0])
        view[n++] = v->owner;
    bool zeros = (a = v->owner) && a->nin > 2 && ask_zeros(a->in[0]);
    if (!a || a->nin < 3 || a->nin > TH_LEN(in) || (!zeros && (n || depth == DEEP || !increments(a)))) return true;
    in[1] = split_value(q, a, view, n, x, depth, &power);
    if (!in[1] || !type_eq(in[1]->type, a->in[1]->type) || power >= 0) return !failed(q->o->c);
    in[0] = a->in[0];
    if (!zeros) {
        if (!product_open(q->o, in[0], &t) || !split_product(q, &t, x, &base, depth + 1)) return false;
        if (base.i != power || base.j || base.k) return false;
        in[0] = base.negative ? call1(q->o, S_neg, base.rest) : base.rest;
        if (!in[0] || !type_eq(in[0]->type, a->in[0]->type)) return false;
    }
    for (int i = 2; i < a->nin; i++) in[i] = a->in[i];
    s->rest = apply1(&q->o->b, a->op, a->attrs, in, a->nin);
    while (s->rest && n--) s->rest = views_of(q->o, view[n], s->rest);
    s->i = power;
    return s->any = s->rest != NULL;
}

static bool split_factor(Splitter *q, const Product *p, const Factor *f, const Softmax *x, Split *s, int depth) {
    if (f->v->type.dtype != p->dtype) return true;
    ThVar *v = product_var(q->o, f);
    if (!v) return false;
    if (split_leaf(q, p, f, v, x, s)) return true;
    return split_sum(q, p, f, x, s, depth) && (s->any || split_reduction(q, v, x, s, depth)) &&
           (s->any || split_scatter(q, v, x, s, depth));
}

/* p is used up. Recursion is DEEP levels at most. */
static bool split_product(Splitter *q, Product *p, const Softmax *x, Split *s, int depth) {
    ThVar *rest[FACTORS];
    int power[FACTORS], n = 0;
    if (++q->count > SPLITS) return false;
    for (int k = 0; k < p->n; k++) {
        Factor *f = &p->at[k];
        Split part = {.any = false};
        if (!split_factor(q, p, f, x, &part, depth) || failed(q->o->c)) return false;
        if (!part.any) continue;
        if (!depth) q->met++;
        s->any = f->used = true;
        s->i += f->power * part.i;
        s->j += f->power * part.j;
        s->k += f->power * part.k;
        p->negative ^= part.negative && f->power % 2;
        rest[n] = part.rest;
        if (part.rest) power[n++] = f->power;
    }
    product_fold(p);
    while (n--)
        if (!product_push(p, rest[n], power[n])) return false;
    s->negative = p->negative;
    p->negative = false;
    return (s->rest = product_close(q->o, p)) != NULL;
}

/* ---- whose softmax ---- */
typedef struct Search {
    Opt *o;
    int count;
    bool given; /* those written out with a maximum off, else the others */
} Search;

/* A denominator of a softmax among the factors, in sums among them, and in reductions. */
static bool find(Search *q, const Product *p, Softmax *x, int depth) {
    if (++q->count > SPLITS || depth == DEEP) return false;
    for (int k = 0; k < p->n; k++) {
        const Factor *f = &p->at[k];
        ThVar *v = f->v->type.dtype == p->dtype ? product_var(q->o, f) : NULL;
        Product t;
        if (!v) continue;
        if (softmaxes_denominator(q->o, v, x) && x->given == q->given) return true;
        ThApply *a = product_is(p, f, S_add);
        if (!a) a = product_is(p, f, S_sub);
        for (int i = 0; a && i < a->nin; i++) {
            ThVar *term = product_view(q->o, f, a->in[i]);
            if (term && product_open(q->o, term, &t) && find(q, &t, x, depth + 1)) return true;
        }
        int8_t from[TH_MAX_NDIM], back[TH_MAX_NDIM];
        Shuffled out = softmaxes_behind(v);
        Softmax in;
        if (!ask_op(out.v, &op_sum) || !inner_frame(&out, from) || !product_open(q->o, out.v->owner->in[0], &t) ||
            !find(q, &t, &in, depth + 1))
            continue;
        for (int d = 0; d < out.order.n; d++) back[from[d]] = (int8_t)d;
        return softmaxes_turn(q->o, &in, back, x);
    }
    return false;
}

static bool has_exp(const Product *p) {
    for (int k = 0; k < p->n; k++)
        if (product_is(p, &p->at[k], S_exp) || ask_op(softmaxes_behind(p->at[k].v).v, &op_sum)) return true;
    return false;
}

/* rest * p ^ i with its sign. */
static ThVar *whole(Opt *o, const Split *s, const Softmax *x) {
    Product t;
    if (!product_open(o, s->rest, &t) || !push_p(&t, x, s->i)) return NULL;
    t.negative ^= s->negative;
    product_fold(&t);
    return product_close(o, &t);
}

static ThVar *simplified(Opt *o, Product p, bool given) {
    Softmax x;
    Search search = {.o = o, .given = given};
    Splitter q = {.o = o};
    Split s = {.any = false};
    if (!find(&search, &p, &x, 0) || !softmaxes_make(o, &x) || !split_product(&q, &p, &x, &s, 0)) return NULL;
    if (!q.raw || q.met < 2 || s.j || s.k || s.i < 0 || (given && !q.loose)) return NULL;
    return whole(o, &s, &x);
}

ThVar *rw_softmax(Opt *o, ThApply *a) {
    Product p;
    if (!dtype_is_float((ThDtype)a->out[0]->type.dtype) || !product_open(o, a->out[0], &p) || !has_exp(&p)) return NULL;
    ThVar *r = simplified(o, p, false);
    return r || failed(o->c) ? r : simplified(o, p, true);
}

/*
 * SoftmaxGrad(g / p, p), the gradient of log(p), is g - p * sum(g), whatever weights, sums and views stand in g: what
 * would be 0 / 0 where p rounds to 0.
 */
ThVar *rw_logsoftmax_grad(Opt *o, ThApply *a) {
    Product d;
    Splitter q = {.o = o};
    Split s = {.any = false};
    Softmax x = {.p = a->in[1], .axis = {.n = 1, .at = {1}}};
    if (!ask_op(x.p, &op_softmax) || a->in[0]->type.dtype != x.p->type.dtype || rw_crossentropy_onehot_grad(o, a))
        return NULL;
    if (ask_op(a->in[0], &op_crossentropy_1hot_grad) && a->in[0]->owner->in[1] == x.p) return NULL; /* xent.c fuses */
    x.x = x.p->owner->in[0];
    if (!product_open(o, a->in[0], &d) || !split_product(&q, &d, &x, &s, 0) || s.i != -1) return NULL;
    ThVar *g = s.negative ? call1(o, S_neg, s.rest) : s.rest;
    if (g && !type_eq(g->type, x.p->type)) g = second_make(&o->b, x.p, g); /* every column counts */
    if (!g) return NULL;
    ThVar *total = keepdims_make(&o->b, g, sum_make(&o->b, g, &x.axis), &x.axis);
    return call2(o, S_sub, g, call2(o, S_mul, total, x.p));
}
