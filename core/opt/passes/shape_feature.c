/*
 * shape_feature.c -- sizes as expressions on the inputs, so that no value is computed for its shape alone (ShapeOpt).
 * In: the shape rules of the operations, run over an abstract size: a small table of expressions, one entry per
 * distinct size. Out: int64 0-d variables, Shape_i{d}(x) at the leaves. Invariant: entries come after what they are
 * made of; a variable's sizes are worked out once per run, inputs first, without recursion over the graph.
 */
#include "opt/rules/rules.h"

#include "ops/table/sparse.h"

#include <string.h>

typedef struct SizeExpr {
    char kind;
    Sz a, b;
    int64_t k;
    ThVar *v;
} SizeExpr; /* 'k' constant, 'd' dim k of v, 'e' element k of v, else an operator */
typedef struct ShapeCache {
    ThContext *c;
    VEC(SizeExpr) at;
    VEC(Sz) dims;        /* of all variables seen, one after the other */
    Map dims_of;         /* variable id -> place in dims + 1; 0: being worked out */
    Map same;            /* hash of an expression -> its entry */
    const ThApply *node; /* whose rule is running */
    int most;            /* variables that a walk can have before it, where nothing goes in a circle */
    int resets;
    VEC(ThApply *) stack;
} ShapeCache;

static ShapeCache *cache(Opt *o) {
    if (!o->shapes && (o->shapes = ctx_alloc0(o->c, sizeof *o->shapes))) o->shapes->c = o->c;
    return o->shapes;
}

static void forget(ShapeCache *s) {
    vec_free(s->c, &s->at);
    vec_free(s->c, &s->dims);
    vec_free(s->c, &s->stack);
    map_free(s->c, &s->dims_of);
    map_free(s->c, &s->same);
}

void shape_free(Opt *o) {
    ShapeCache *s = o->shapes;
    if (!s) return;
    forget(s);
    ctx_free(o->c, s, sizeof *s);
    o->shapes = NULL;
}

/* ---- abstract sizes ---- */
static Sz put(ShapeCache *s, SizeExpr e) {
    uint64_t h =
        hash_mix(hash_mix(hash_mix((uint64_t)e.kind, (uint64_t)(e.a + 1) << 32 | (uint32_t)(e.b + 1)), (uint64_t)e.k),
                 e.v ? e.v->id + 1 : 0);
    uint32_t at;
    if (map_get(&s->same, h, &at)) {
        const SizeExpr *q = &s->at.at[at];
        if (q->kind == e.kind && q->a == e.a && q->b == e.b && q->k == e.k && q->v == e.v) return (Sz)at;
    }
    if (!vec_push(s->c, &s->at, e) || !map_put(s->c, &s->same, h, (uint32_t)s->at.n - 1)) return -1;
    return s->at.n - 1;
}

static Sz alg_constant(void *u, int64_t v) { return put(u, (SizeExpr){.kind = 'k', .k = v}); }

static int64_t floor_div(int64_t a, int64_t b) {
    int64_t q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static bool fold_op(char op, int64_t a, int64_t b, int64_t *r) {
    switch (op) {
    case '+': *r = a + b; return true;
    case '-': *r = a - b; return true;
    case '*': *r = a * b; return true;
    case '/': *r = b ? floor_div(a, b) : 0; return b != 0;
    case 'm': *r = a < b ? a : b; return true;
    case 'M': *r = a > b ? a : b; return true;
    case 'c': *r = b ? -floor_div(-a, b) : 0; return b != 0;
    case '<': *r = a < b; return true;
    default: return false;
    }
}

/* Lengths are not negative, nor are products, quotients and sums of them. Looks a few levels deep. */
static bool not_negative(const ShapeCache *s, Sz at, int levels) {
    const SizeExpr *e = &s->at.at[at];
    if (e->kind == 'd') return true;
    if (e->kind == 'k') return e->k >= 0;
    if (!levels || (e->kind != '*' && e->kind != '+' && e->kind != '/' && e->kind != 'M')) return false;
    return not_negative(s, e->a, levels - 1) && not_negative(s, e->b, levels - 1);
}

static Sz alg_op(void *u, char op, Sz a, Sz b) {
    enum { DEEP = 4 };
    ShapeCache *s = u;
    int64_t r;
    if (a < 0 || b < 0) return -1;
    const SizeExpr *x = &s->at.at[a], *y = &s->at.at[b];
    if (x->kind == 'k' && y->kind == 'k' && fold_op(op, x->k, y->k, &r)) return alg_constant(u, r);
    if (op == 'M' && y->kind == 'k' && y->k <= 0 && not_negative(s, a, DEEP)) return a;
    if (op == '<' && y->kind == 'k' && y->k <= 0 && not_negative(s, a, DEEP)) return alg_constant(u, 0);
    if (op == '*' && x->kind == 'k' && x->k == 0) return a;
    if (y->kind == 'k' &&
        ((y->k == 0 && (op == '+' || op == '-')) || (y->k == 1 && (op == '*' || op == '/' || op == 'c'))))
        return a;
    if (x->kind == 'k' && ((x->k == 0 && op == '+') || (x->k == 1 && op == '*'))) return b;
    return put(s, (SizeExpr){.kind = op, .a = a, .b = b});
}

static bool known(const ShapeCache *s, const ThVar *v, const Sz **dims) {
    uint32_t at;
    if (!map_get(&s->dims_of, v->id, &at)) return false;
    *dims = s->dims.at + at;
    return true;
}

/* The size that v is, when it is Shape_i{d}(x), Shape(x)[d] or a product of such, a few levels deep; -1 otherwise. */
static Sz length_of(ShapeCache *s, const ThVar *v, int levels) {
    const ThApply *a = v->type.ndim ? NULL : v->owner; /* x.shape["::-1"] is a vector: none of its elements */
    if (levels && ask_which(a) == S_mul && v->type.dtype == TH_INT64) {
        Sz all = alg_constant(s, 1);
        for (int i = 0; i < a->nin && all >= 0; i++) all = alg_op(s, '*', all, length_of(s, a->in[i], levels - 1));
        return all;
    }
    int64_t d = -1;
    const ThVar *x = NULL;
    const Sz *dims;
    if (a && a->op == &op_subtensor && a->nin == 2 && ask_op(a->in[0], &op_make_vector) && scalar_known(a->in[1], &d) &&
        d >= 0 && d < a->in[0]->owner->nin)
        a = a->in[0]->owner->in[d]->owner;
    if (a && a->op == &op_shape_i) {
        d = *(const int64_t *)ask_attr(a->op, a->attrs, "i");
        x = a->in[0];
    } else if (a && a->op == &op_subtensor && a->nin == 2 && ask_op(a->in[0], &op_shape) &&
               scalar_known(a->in[1], &d)) {
        x = a->in[0]->owner->in[0];
        if (d < 0) d += x->type.ndim;
    }
    return x && d >= 0 && d < x->type.ndim && known(s, x, &dims) ? dims[d] : -1;
}

static Sz alg_value(void *u, int in, int64_t elem) {
    ShapeCache *s = u;
    ThVar *v = s->node->in[in];
    int64_t k;
    if (v->type.ndim ? vector_known(v, elem, &k) : scalar_known(v, &k)) return alg_constant(u, k);
    if (ask_op(v, &op_make_vector) && elem < v->owner->nin) {
        v = v->owner->in[elem];
        elem = 0;
    }
    if (ask_op(v, &op_scalar_from_tensor)) v = v->owner->in[0];
    Sz length = length_of(s, v, 4);
    return length >= 0 ? length : put(s, (SizeExpr){.kind = 'e', .v = v, .k = elem});
}

static bool alg_equal(void *u, Sz a, Sz b, const char *why) {
    (void)u;
    (void)why;
    return a >= 0 && b >= 0; /* a difference is found when the node runs, or never if only its shape is used */
}

static bool alg_same(void *u, Sz a, Sz b) {
    (void)u;
    return a >= 0 && b >= 0;
}

static bool alg_alike(void *u, Sz a, Sz b) {
    (void)u;
    return a >= 0 && a == b;
}

/* ---- sizes of variables ---- */
static Sz leaf_dim(ShapeCache *s, ThVar *v, int d) {
    if (type_bcast(v->type, d)) return alg_constant(s, 1);
    if (var_is_const(v)) return alg_constant(s, ARRAY_SHAPE(v->u.data)[d]);
    if (v->type.kind == TYPE_STATE) return alg_constant(s, TYPE_STATE_WORDS);
    return put(s, (SizeExpr){.kind = 'd', .v = v, .k = d});
}

/* Stores the sizes of v: dims, or its own dimensions as unknowns where dims is NULL or holds a failure. */
static bool store(ShapeCache *s, ThVar *v, const Sz *dims) {
    int at = s->dims.n;
    for (int d = 0; d < v->type.ndim; d++) {
        Sz e = type_bcast(v->type, d) ? alg_constant(s, 1) : dims && dims[d] >= 0 ? dims[d] : leaf_dim(s, v, d);
        if (e < 0 || !vec_push(s->c, &s->dims, e)) return false;
    }
    return map_put(s->c, &s->dims_of, v->id, (uint32_t)at);
}

/* The shape rule of a, whose inputs are known. */
static bool run_rule(ShapeCache *s, ThApply *a) {
    ShapeAlg alg = {alg_constant, alg_op, alg_value, alg_equal, s, alg_same, alg_alike};
    VEC(const Sz *) in = {0};
    VEC(Sz) room = {0};
    Sz *out[16];
    bool ok =
        a->nout <= TH_LEN(out) && vec_reserve(s->c, &in, a->nin + 1) && vec_reserve(s->c, &room, a->nout * TH_MAX_NDIM);
    for (int i = 0; ok && i < a->nin; i++) {
        in.at[i] = NULL;
        if (type_is_array(a->in[i]->type)) known(s, a->in[i], &in.at[i]);
    }
    for (int i = 0; ok && i < a->nout * TH_MAX_NDIM; i++) room.at[i] = -1;
    for (int i = 0; ok && i < a->nout; i++) out[i] = room.at + i * TH_MAX_NDIM;
    s->node = a;
    /* the rule may add entries but not sizes of variables, so in[] stays valid */
    bool works = ok && a->op->shape && a->op->shape(&(ShapeQ){&alg, a, in.at, out});
    if (!works && failed(s->c) && error_kind(s->c) != TH_MemoryError) th_error_clear(s->c);
    for (int i = 0; ok && i < a->nout; i++)
        ok = !type_is_array(a->out[i]->type) || store(s, a->out[i], works ? out[i] : NULL);
    vec_free(s->c, &in);
    vec_free(s->c, &room);
    return ok;
}

/* Works out v's sizes: a depth-first walk that stops at what is known. */
static bool learn(ShapeCache *s, ThVar *v) {
    const Sz *dims;
    s->stack.n = 0;
    if (known(s, v, &dims)) return true;
    if (!v->owner) return store(s, v, NULL);
    bool ok = vec_push(s->c, &s->stack, v->owner);
    while (ok && s->stack.n) {
        ThApply *a = s->stack.at[s->stack.n - 1];
        int before = s->stack.n;
        if (a->nout && known(s, a->out[0], &dims)) {
            s->stack.n--;
            continue;
        }
        if (before > s->most) return err(s->c, TH_BadOptimization, "%s is computed from itself", a->op->name);
        for (int i = 0; ok && i < a->nin; i++) {
            ThVar *x = a->in[i];
            if (ask_op(x, &op_scalar_from_tensor)) x = x->owner->in[0];
            if (!type_is_array(x->type) || known(s, x, &dims)) continue;
            ok = x->owner ? vec_push(s->c, &s->stack, x->owner) : store(s, x, NULL);
        }
        if (s->stack.n > before) continue;
        s->stack.n--;
        ok = ok && run_rule(s, a);
    }
    return ok;
}

/* ---- expressions to variables ---- */
static ThVar *binary(Opt *o, char op, ThVar *a, ThVar *b) {
    switch (op) {
    case '+': return call2(o, S_add, a, b);
    case '-': return call2(o, S_sub, a, b);
    case '*': return call2(o, S_mul, a, b);
    case '/': return call2(o, S_int_div, a, b);
    case 'm': return call2(o, S_minimum, a, b);
    case 'M': return call2(o, S_maximum, a, b);
    case 'c': return call1(o, S_neg, call2(o, S_int_div, call1(o, S_neg, a), b));
    default: return cast_make(&o->b, call2(o, S_lt, a, b), TH_INT64);
    }
}

static ThVar *leaf(Opt *o, const SizeExpr *e) {
    ThVar *v = e->v ? fg_find(e->v) : NULL;
    if (e->kind == 'k') return const_int(&o->b, e->k, TH_INT64);
    if (v->owner && (v->owner->flags & APPLY_DEAD)) return NULL;
    if (e->kind == 'd') return shape_i_make(&o->b, v, (int)e->k);
    if (v->type.kind == TYPE_SPARSE) return sparse_word_make(&o->b, v, (int)e->k);
    if (v->type.kind == TYPE_SCALAR) v = tensor_from_scalar_make(&o->b, v);
    else if (v->type.ndim == 1) v = subtensor_int_make(&o->b, v, e->k);
    return cast_make(&o->b, v, TH_INT64);
}

/* Entries below `top` that it needs, in order; then each is built once. */
static ThVar *to_variable(Opt *o, ShapeCache *s, Sz top) {
    const SizeExpr *e = &s->at.at[top];
    if (e->kind == 'k' || e->kind == 'd' || e->kind == 'e') return leaf(o, e);
    VEC(Sz) todo = {0};
    Map made = {0};
    VEC(ThVar *) var = {0};
    ThVar *r = NULL;
    bool ok = vec_push(o->c, &todo, top);
    while (ok && todo.n) {
        Sz at = todo.at[todo.n - 1];
        uint32_t x, y;
        e = &s->at.at[at];
        bool is_leaf = e->kind == 'k' || e->kind == 'd' || e->kind == 'e';
        if (map_get(&made, (uint64_t)at + 1, &x)) {
            todo.n--;
        } else if (is_leaf || (map_get(&made, (uint64_t)e->a + 1, &x) && map_get(&made, (uint64_t)e->b + 1, &y))) {
            r = is_leaf ? leaf(o, e) : binary(o, e->kind, var.at[x], var.at[y]);
            ok = r && vec_push(o->c, &var, r) && map_put(o->c, &made, (uint64_t)at + 1, (uint32_t)var.n - 1);
        } else {
            ok = vec_push(o->c, &todo, e->b) && vec_push(o->c, &todo, e->a);
        }
    }
    vec_free(o->c, &todo);
    vec_free(o->c, &var);
    map_free(o->c, &made);
    return ok ? r : NULL;
}

/* NULL: they cannot be found. */
static const Sz *sizes_of(Opt *o, ShapeCache *s, ThVar *v) {
    const Sz *dims;
    s->most = (1 << 20) + 64 * o->fg->nnodes; /* a node may wait for several of its clients */
    return learn(s, v) && known(s, v, &dims) ? dims : NULL;
}

static ThVar *looked_up(Opt *o, ShapeCache *s, ThVar *v, int d) {
    const Sz *dims = sizes_of(o, s, v);
    return dims ? to_variable(o, s, dims[d]) : NULL;
}

ThVar *shape_i(Opt *o, ThVar *v, int d) {
    enum { MOST_RESETS = 64 };
    ShapeCache *s = cache(o);
    if (!s) return NULL;
    ThVar *r = looked_up(o, s, v, d);
    if (!r && !failed(o->c) && s->resets++ < MOST_RESETS) { /* it stands on what is gone by now: as the graph is now */
        forget(s);
        r = looked_up(o, s, v, d);
    }
    return r || failed(o->c) ? r : shape_i_make(&o->b, v, d);
}

/* ---- sizes for rules that calculate with them ---- */
Sz shape_dim(Opt *o, ThVar *v, int d) {
    ShapeCache *s = cache(o);
    const Sz *dims = s ? sizes_of(o, s, v) : NULL;
    return dims ? dims[d] : -1;
}

Sz shape_number(Opt *o, int64_t k) {
    ShapeCache *s = cache(o);
    return s ? alg_constant(s, k) : -1;
}

Sz shape_op(Opt *o, char op, Sz a, Sz b) { return o->shapes ? alg_op(o->shapes, op, a, b) : -1; }

Sz shape_value(Opt *o, const ThApply *a, int in) {
    ShapeCache *s = cache(o);
    if (!s) return -1;
    s->node = a;
    return alg_value(s, in, 0);
}

bool shape_known(const Opt *o, Sz a, int64_t *k) {
    if (a < 0 || o->shapes->at.at[a].kind != 'k') return false;
    *k = o->shapes->at.at[a].k;
    return true;
}

ThVar *shape_var(Opt *o, Sz a) { return a >= 0 ? to_variable(o, o->shapes, a) : NULL; }

bool shape_slices(Opt *o, const ThApply *a, SliceForm *form) {
    ShapeCache *s = cache(o);
    const Sz *dims = s ? sizes_of(o, s, a->in[0]) : NULL;
    if (!dims) return false;
    ShapeAlg alg = {alg_constant, alg_op, alg_value, alg_equal, s, alg_same, alg_alike};
    s->node = a;
    return slice_forms(&alg, a, 1, ask_attr(a->op, a->attrs, "idx"), dims, a->in[0]->type.ndim, false, form);
}

static ThVar *alloc_as(Opt *o, ThVar *x, ThVar *like, bool replaced) {
    ThVar *size[TH_MAX_NDIM];
    int n = like->type.ndim;
    for (int d = 0; d < n; d++) {
        size[d] = shape_i(o, like, d);
        if (!size[d] || (replaced && ask_op(size[d], &op_shape_i) && size[d]->owner->in[0] == like)) return NULL;
    }
    return alloc_make(&o->b, x, size, n);
}

ThVar *shape_alloc_like(Opt *o, ThVar *x, ThVar *like) { return alloc_as(o, x, like, false); }
ThVar *shape_alloc_result(Opt *o, ThVar *x, const ThApply *a) { return alloc_as(o, x, a->out[0], true); }

/* ---- rules ---- */
/* Shape(x) -> MakeVector(Shape_i{0}(..), ..). */
ThVar *rw_shape_to_shape_i(Opt *o, ThApply *a) {
    ThVar *size[TH_MAX_NDIM], *x = a->in[0];
    int n = x->type.ndim;
    if (x->type.kind != TYPE_TENSOR) return NULL;
    for (int d = 0; d < n; d++) {
        size[d] = shape_i(o, x, d);
        if (!size[d]) return NULL;
    }
    ThVar *v = make_vector_make(&o->b, size, n, TH_INT64);
    return v ? patternbroadcast_make(&o->b, v, a->out[0]->type.broadcastable)
             : NULL; /* one length: Shape promises no 1 */
}

/* Shape_i{d}(f(x)) -> the size by f's shape rule. */
ThVar *rw_track_shape_i(Opt *o, ThApply *a) {
    const int64_t *d = ask_attr(a->op, a->attrs, "i");
    ThVar *x = a->in[0];
    if (!d || (!x->owner && !type_bcast(x->type, (int)*d) && !var_is_const(x))) return NULL;
    ThVar *r = shape_i(o, x, (int)*d);
    return r && ask_op(r, a->op) && r->owner->in[0] == x ? NULL : r;
}

/* Nothing to prepare: sizes are worked out when a rule asks. The position keeps Theano's place for including and
 * excluding. */
bool pass_shape(Opt *o) { return cache(o) != NULL; }
