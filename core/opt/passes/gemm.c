/*
 * gemm.c -- GemmOptimizer: scaled sums that hold a product of matrices become Gemm(z, alpha, x, y, beta).
 * In: sums whose terms are scalars times matrices (or vectors behind DimShuffles of Dot22). Out: Gemm nodes; equal
 * terms are joined (w - 0.1*(0.02*w + x.y) has 0.998*w). Only maximal sums are looked at, each once.
 */
#include "opt/rules/rules.h"

typedef struct Term {
    ThVar *scale, *m;
} Term; /* scale NULL: one */
typedef struct Sum {
    Opt *o;
    ThType type;
    VEC(Term) at;
} Sum;

static bool in_sum(const ThApply *a) {
    int s = ask_which(a);
    return s == S_add || s == S_sub || s == S_neg || s == S_mul;
}

static bool root_of_sum(const ThApply *a) {
    int s = ask_which(a);
    if (s != S_add && s != S_sub) return false;
    const ThVar *v = a->out[0];
    if (v->type.ndim < 1 || v->type.ndim > 2 || !(dtype_is_float(v->type.dtype) || dtype_is_complex(v->type.dtype)))
        return false;
    if (v->nclients != 1 || !v->clients[0].node) return true;
    const ThApply *up = v->clients[0].node;
    return !in_sum(up) || !type_eq(up->out[0]->type, v->type);
}

/* x * y of 0-d scalars; NULL stands for one. Constants fold at once. */
static ThVar *times(Opt *o, ThVar *x, ThVar *y, ThDtype d) {
    double a, b;
    if (!x || !y) return x ? x : y;
    if (ask_value(x, &a) && ask_value(y, &b)) return const_float(&o->b, a * b, d);
    if (ask_equals(x, 1)) return y;
    return call2(o, S_mul, x, y);
}

static ThVar *negated(Opt *o, ThVar *x, ThDtype d) { return times(o, x, const_float(&o->b, -1, d), d); }

/* Scalar factors of a product go to *scale; the one other factor, or NULL when there is not exactly one. */
static ThVar *split_product(Sum *s, const ThApply *m, ThVar **scale) {
    Opt *o = s->o;
    ThVar *rest = NULL, *acc = *scale;
    ThDtype d = (ThDtype)s->type.dtype;
    for (int i = 0; i < m->nin; i++) {
        ThVar *v = m->in[i];
        if (!ask_all_bcast(v->type)) {
            if (rest || !type_eq(v->type, s->type)) return NULL;
            rest = v;
            continue;
        }
        double x;
        if (dtype_is_complex(d)) return NULL;
        if (th_dtype_upcast((ThDtype)v->type.dtype, d) != d) return NULL;
        ThVar *k =
            ask_value(v, &x) ? const_float(&o->b, x, d) : cast_make(&o->b, dimshuffle_make(&o->b, v, NULL, 0), d);
        acc = times(o, acc, k, d);
    }
    if (rest) *scale = acc;
    return rest;
}

typedef struct Summand {
    ThVar *scale, *v;
    bool root;
} Summand;

/* Terms of the sum, left to right. */
static bool collect(Sum *s, ThVar *root) {
    Opt *o = s->o;
    ThDtype d = (ThDtype)s->type.dtype;
    VEC(Summand) stack = {0};
    bool ok = vec_push(o->c, &stack, ((Summand){NULL, root, true}));
    while (ok && stack.n && !failed(o->c)) {
        Summand p = vec_pop(&stack);
        ThApply *a = p.v->owner;
        int k = ask_which(a);
        bool open = a && (p.root || p.v->nclients == 1) && type_eq(p.v->type, s->type);
        for (int i = open ? a->nin : 0; i-- && k == S_add && ok;)
            ok = vec_push(o->c, &stack, ((Summand){p.scale, a->in[i], false}));
        if (open && k == S_add) continue;
        if (open && k == S_sub) {
            ok = vec_push(o->c, &stack, ((Summand){negated(o, p.scale, d), a->in[1], false})) &&
                 vec_push(o->c, &stack, ((Summand){p.scale, a->in[0], false}));
            continue;
        }
        if (open && k == S_neg) {
            ok = vec_push(o->c, &stack, ((Summand){negated(o, p.scale, d), a->in[0], false}));
            continue;
        }
        ThVar *scale = p.scale, *rest = open && k == S_mul ? split_product(s, a, &scale) : NULL;
        if (rest) ok = vec_push(o->c, &stack, ((Summand){scale, rest, false}));
        else ok = vec_push(o->c, &s->at, ((Term){p.scale, p.v}));
    }
    vec_free(o->c, &stack);
    return ok && !failed(o->c);
}

/* a*x + b*x -> (a + b)*x, in place of the first. */
static bool join_equal(Sum *s) {
    Opt *o = s->o;
    ThDtype d = (ThDtype)s->type.dtype;
    Map first = {0};
    int kept = 0;
    bool ok = true;
    for (int i = 0; ok && i < s->at.n; i++) {
        Term t = s->at.at[i];
        uint32_t at;
        if (!map_get(&first, KEY(t.m), &at)) {
            ok = map_put(o->c, &first, KEY(t.m), (uint32_t)kept);
            s->at.at[kept++] = t;
            continue;
        }
        Term *f = &s->at.at[at];
        double a = 1, b = 1;
        if ((!f->scale || ask_value(f->scale, &a)) && (!t.scale || ask_value(t.scale, &b))) {
            f->scale = const_float(&o->b, a + b, d);
        } else {
            ThVar *one = const_float(&o->b, 1, d);
            f->scale = call2(o, S_add, f->scale ? f->scale : one, t.scale ? t.scale : one);
        }
        ok = f->scale != NULL;
    }
    s->at.n = kept;
    map_free(o->c, &first);
    return ok;
}

/* The Dot22 behind a term of the sum's own type, perhaps seen as a vector through one DimShuffle that only this term
 * uses. */
static ThApply *product_of(const Sum *s, const ThVar *m, int8_t *lost) {
    *lost = -1;
    if (!type_eq(m->type, s->type)) return NULL; /* cast or broadcast by the sum: Gemm does neither */
    if (ask_op(m, &op_dot22)) return m->nclients == 1 ? m->owner : NULL;
    if (!ask_op(m, &op_dimshuffle) || m->type.ndim != 1 || m->nclients != 1) return NULL;
    const ThVar *in = m->owner->in[0];
    const AttrInts *p = ask_attr(m->owner->op, m->owner->attrs, "order");
    if (!ask_op(in, &op_dot22) || in->nclients != 1) return NULL;
    *lost = (int8_t)(1 - p->at[0]);
    return in->owner;
}

static ThVar *scale_or(Opt *o, ThVar *s, ThDtype d) { return s ? cast_make(&o->b, s, d) : const_float(&o->b, 1, d); }

/* beta * l + alpha * (product of m). */
static ThVar *make_gemm(Sum *s, Term l, Term m) {
    static const int8_t col[] = {0, -1}, row[] = {-1, 0}, d0[] = {0}, d1[] = {1};
    Opt *o = s->o;
    ThDtype d = (ThDtype)s->type.dtype;
    int8_t lost;
    ThApply *dot = product_of(s, m.m, &lost);
    ThVar *z = lost < 0 ? l.m : dimshuffle_make(&o->b, l.m, lost == 1 ? col : row, 2);
    Prov lines = o->b.prov;
    o->b.prov = prov_join(o->c, dot->prov, lines);
    ThVar *r = apply1(&o->b, &op_gemm, NULL,
                      (ThVar *[]){z, scale_or(o, m.scale, d), dot->in[0], dot->in[1], scale_or(o, l.scale, d)}, 5);
    o->b.prov = lines;
    return lost < 0 || !r ? r : dimshuffle_make(&o->b, r, lost == 1 ? d0 : d1, 1);
}

static ThVar *term_var(Opt *o, Term t) {
    if (!t.scale || ask_equals(t.scale, 1)) return t.m;
    return ask_equals(t.scale, -1) ? call1(o, S_neg, t.m) : call2(o, S_mul, t.scale, t.m);
}

/* The term that takes the products up: the first one, or the one after a leading product that stands alone. */
static int base_of(const Sum *s) {
    int8_t lost;
    int i = 0;
    while (i < s->at.n && !type_eq(s->at.at[i].m->type, s->type)) i++;
    if (i + 1 >= s->at.n || !product_of(s, s->at.at[i].m, &lost)) return i;
    return product_of(s, s->at.at[i + 1].m, &lost) || !type_eq(s->at.at[i + 1].m->type, s->type) ? i : i + 1;
}

/* Each product joins the base term; what then is left is added up, the Gemm last. NULL: nothing was joined. */
static ThVar *rebuild(Sum *s) {
    Opt *o = s->o;
    int8_t lost;
    int base = base_of(s), kept = 0;
    bool any = false;
    if (base >= s->at.n) return NULL;
    Term acc = s->at.at[base];
    for (int j = 0; j < s->at.n; j++) {
        Term t = s->at.at[j];
        if (j == base) continue;
        if (!product_of(s, t.m, &lost)) {
            s->at.at[kept++] = t;
            continue;
        }
        acc = (Term){NULL, make_gemm(s, acc, t)};
        if (!acc.m) return NULL;
        any = true;
    }
    if (!any) return NULL;
    s->at.at[kept++] = acc;
    VEC(ThVar *) rest = {0};
    bool ok = true;
    for (int i = 0; ok && i < kept; i++) {
        ThVar *v = term_var(o, s->at.at[i]);
        ok = v && vec_push(o->c, &rest, v);
    }
    ThVar *r = ok ? opt_call(o, S_add, rest.at, rest.n, s->type.dtype) : NULL;
    vec_free(o->c, &rest);
    return r;
}

static bool has_product(const Sum *s) {
    int8_t lost;
    for (int i = 0; i < s->at.n; i++)
        if (product_of(s, s->at.at[i].m, &lost)) return true;
    return false;
}

static bool try_sum(Opt *o, ThApply *a) {
    Sum s = {.o = o, .type = a->out[0]->type};
    builder_begin_fg(&o->b, o->fg, a->prov);
    o->b.rule = "GemmOptimizer";
    bool ok = collect(&s, a->out[0]);
    if (ok && s.at.n > 1 && has_product(&s) && join_equal(&s) && s.at.n > 1) {
        ThVar *r = rebuild(&s);
        if (r) engine_replace(o, a->out[0], r, "GemmOptimizer");
    }
    builder_end(&o->b);
    vec_free(o->c, &s.at);
    return !failed(o->c);
}

bool pass_gemm(Opt *o) {
    enum { FAR = 16 };
    if (!(o->met & MET_DOT22)) return true;
    const ApplyVec *order = opt_order(o);
    bool ok = order != NULL;
    for (int i = ok ? order->n - 1 : -1; ok && i >= 0; i--) {
        ThApply *a = order->at[i];
        if (i >= FAR) apply_prefetch(order->at[i - FAR]);
        if (!(a->flags & APPLY_DEAD) && root_of_sum(a)) ok = try_sum(o, a);
    }
    return ok;
}

/* ---- for a GPU --------------------------------------------------------------------------------------------------- */
/* Inputs that a call may write into. */
static bool mutable_inputs(const Opt *o, Map *all) {
    const FGraph *fg = o->fg;
    for (int i = 0; i < fg->nin; i++)
        if (fg->in_mutable[i] && !map_put(o->c, all, KEY(fg->in[i]), 0)) return false;
    return true;
}

/* b + x . y, where the Gemm cannot be in place: b is an argument, or a constant, that stays. */
static bool stays_apart(const ThApply *a, const Map *may) {
    const ThVar *z = a->in[0];
    uint32_t at;
    if (a->op != &op_gemm || !ask_equals(a->in[1], 1) || !ask_equals(a->in[4], 1)) return false;
    while (z->owner && (z->owner->op->flags & OP_VIEW)) z = z->owner->in[0];
    return !z->owner && !map_get(may, KEY(z), &at);
}

static bool part(Opt *o, ThApply *a) {
    builder_begin_fg(&o->b, o->fg, a->prov);
    o->b.rule = "gemm_apart";
    ThVar *dot = apply1(&o->b, &op_dot22, NULL, &a->in[2], 2), *r = dot ? call2(o, S_add, a->in[0], dot) : NULL;
    if (r && type_eq(r->type, a->out[0]->type)) engine_replace(o, a->out[0], r, "gemm_apart");
    builder_end(&o->b);
    return !failed(o->c);
}

/* There such a sum is added on the product's tiles, with what follows; a Gemm copies b first. */
bool pass_gemm_apart(Opt *o) {
    if (!o->fg->device || !(o->met & MET_DOT22)) return true;
    Map may = {0};
    const ApplyVec *order = opt_order(o);
    bool ok = order && mutable_inputs(o, &may);
    for (int i = 0; ok && i < order->n; i++) {
        ThApply *a = order->at[i];
        if (!(a->flags & APPLY_DEAD) && stays_apart(a, &may)) ok = part(o, a);
    }
    map_free(o->c, &may);
    return ok;
}
