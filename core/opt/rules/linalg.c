/*
 * linalg.c -- linear algebra: products with inverses as solutions, triangular and positive definite systems by their
 * structure, logarithms of determinants, one factor for all that is made of a matrix.
 * In: nodes as users and gradients write them. Out: the same values from fewer and better factorizations.
 * Always holds: what raises a LinAlgError as written raises one, since a factor is shared only among those that need
 * it.
 */
#include "facts.h"

#include <math.h>

static const LinalgAttrs *attrs_of(const ThApply *a) { return a->attrs; }
static bool real(const ThVar *x) { return !dtype_is_complex((ThDtype)x->type.dtype); }

/* ---- inverses in products ---------------------------------------------------------------------------------------- */
enum { MOST_CLIENTS = 32 };

/* Is the inverse there for products alone? */
static bool only_products(const ThVar *v) {
    for (int i = 0; i < v->nclients; i++) {
        const ThApply *c = v->clients[i].node;
        if (i == MOST_CLIENTS || !c || (c->op != &op_dot && c->op != &op_batched_dot)) return false;
    }
    return true;
}

static ThVar *solved(Opt *o, const ThApply *inverse, ThVar *y, int trans) {
    LinalgAttrs at = {.trans = (int8_t)trans, .nan = attrs_of(inverse)->nan};
    return solve_make(&o->b, inverse->in[0], y, &at);
}

/* inv(A) . y -> solve(A, y); y . inv(A) -> solve(A', y')' */
ThVar *rw_inverse_to_solve(Opt *o, ThApply *a) {
    for (int side = 0; side < 2; side++) {
        ThVar *inverse = a->in[side], *y = a->in[!side];
        if (!ask_op(inverse, &op_matrix_inverse) || !only_products(inverse)) continue;
        if (y->type.ndim == 1) {
            ThVar *r = solved(o, inverse->owner, with_axes_make(&o->b, y, 1, 1), side ? FACTOR_T : FACTOR_N);
            return r ? without_axes_make(&o->b, r, 1, 1) : NULL;
        }
        if (y->type.ndim != inverse->type.ndim) continue;
        if (!side) return solved(o, inverse->owner, y, FACTOR_N);
        return turned_make(&o->b, solved(o, inverse->owner, turned_make(&o->b, y), FACTOR_T));
    }
    return NULL;
}

/* ---- transposed matrices ----------------------------------------------------------------------------------------- */
ThVar *rw_inverse_transposed(Opt *o, ThApply *a) {
    ThVar *x = facts_turned(a->in[0]);
    return x ? turned_make(&o->b, apply1(&o->b, a->op, a->attrs, &x, 1)) : NULL;
}

ThVar *rw_det_transposed(Opt *o, ThApply *a) {
    ThVar *x = facts_turned(a->in[0]);
    return x ? apply1(&o->b, a->op, a->attrs, &x, 1) : NULL;
}

/* Of A' the other triangle is A's. */
ThVar *rw_solve_transposed(Opt *o, ThApply *a) {
    LinalgAttrs at = *attrs_of(a);
    ThVar *x = facts_turned(a->in[0]);
    if (!x || (!real(x) && (at.trans == FACTOR_C || at.assume != FACTOR_GEN))) return NULL;
    at.trans = (int8_t)(at.trans == FACTOR_N ? FACTOR_T : FACTOR_N);
    at.lower = a->op == &op_solve_triangular || at.assume != FACTOR_GEN ? !at.lower : 0;
    return apply1(&o->b, a->op, &at, (ThVar *[]){x, a->in[1]}, 2);
}

/* ---- structure --------------------------------------------------------------------------------------------------- */
static ThVar *triangular(Opt *o, ThVar *l, ThVar *y, bool lower, int trans) {
    return solve_triangular_make(&o->b, l, y, &(LinalgAttrs){.lower = lower, .trans = (int8_t)trans});
}

/* P P' z = y, P triangular: two triangular systems. */
static ThVar *by_halves(Opt *o, ThVar *p, ThVar *y, bool lower) {
    return triangular(o, p, triangular(o, p, y, lower, FACTOR_N), lower, FACTOR_T);
}

ThVar *rw_solve_structure(Opt *o, ThApply *a) {
    const LinalgAttrs *at = attrs_of(a);
    ThVar *x = a->in[0], *y = a->in[1];
    if (at->assume != FACTOR_GEN || at->nan) return NULL;
    if (facts_triangular(x, true)) return triangular(o, x, y, true, at->trans);
    if (facts_triangular(x, false)) return triangular(o, x, y, false, at->trans);
    if (!real(x)) return NULL;
    if (facts_hint(x) && facts_hint(x)->psd) return by_halves(o, cholesky_make(&o->b, x, true, false), y, true);
    if (!ask_op(x, &op_dot) && !ask_op(x, &op_batched_dot)) return NULL;
    ThVar *p = x->owner->in[0], *q = x->owner->in[1];
    if (facts_turned(q) != p && facts_turned(p) != q) return NULL;
    if (facts_triangular(p, true)) return by_halves(o, p, y, true);
    return facts_triangular(p, false) ? by_halves(o, p, y, false) : NULL;
}

/* What was said about a matrix has been used. */
ThVar *rw_hint(Opt *o, ThApply *a) {
    (void)o;
    return a->in[0];
}

/* ---- logarithms of determinants ---------------------------------------------------------------------------------- */
/* log(det(x)) -> log(sign) + log|det|, which neither overflows nor vanishes; log|det(x)| is the latter. */
ThVar *rw_log_det(Opt *o, ThApply *a) {
    ThApply *modulus = ask_scalar(a->in[0], S_abs_);
    ThVar *d = modulus ? modulus->in[0] : a->in[0];
    if (!ask_op(d, &op_det) || d->nclients != 1 || attrs_of(d->owner)->nan || (modulus && a->in[0]->nclients != 1))
        return NULL;
    ThApply *s = slogdet_make(&o->b, d->owner->in[0]);
    if (!s || modulus) return s ? fg_find(s->out[1]) : NULL;
    return call2(o, S_add, call1(o, S_log, fg_find(s->out[0])), fg_find(s->out[1]));
}

/* ---- one factor for all ------------------------------------------------------------------------------------------ */
typedef struct Family {   /* what else is made of a matrix */
    ThApply *cholesky[2]; /* of its upper, its lower triangle, raising */
    ThApply *lu;
    int general, positive[2];
} Family;

static bool general(const ThApply *a) {
    bool any = a->op == &op_solve || a->op == &op_matrix_inverse || a->op == &op_det || a->op == &op_slogdet;
    return any && !attrs_of(a)->nan && attrs_of(a)->assume == FACTOR_GEN;
}

static bool positive(const ThApply *a) {
    return a->op == &op_solve && attrs_of(a)->assume == FACTOR_POS && !attrs_of(a)->nan && real(a->out[0]);
}

static Family family_of(const ThVar *x) {
    Family f = {.general = 0};
    for (int i = 0; i < x->nclients && i < MOST_CLIENTS; i++) {
        ThApply *c = x->clients[i].node;
        if (!c || x->clients[i].pos != 0) continue;
        if (c->op == &op_cholesky && !attrs_of(c)->nan) f.cholesky[attrs_of(c)->lower != 0] = c;
        else if (c->op == &op_lu_factor && !attrs_of(c)->nan) f.lu = c;
        else if (positive(c)) f.positive[attrs_of(c)->lower != 0]++;
        else f.general += general(c);
    }
    return f;
}

static ThVar *over_last(Opt *o, const Op *op, ThVar *x) {
    AttrInts axis = {.n = x && x->type.ndim == 1 ? -1 : 1, .at = {x ? (int8_t)(x->type.ndim - 1) : 0}};
    return x ? reduce_make(&o->b, op, x, &axis, (ThDtype)x->type.dtype, TH_DTYPE_NONE, false) : NULL;
}

/* -1 for an odd number of exchanges of rows. */
static ThVar *parity(Opt *o, ThVar *at, ThDtype d) {
    ThVar *zero = const_int(&o->b, 0, TH_INT64), *one = const_int(&o->b, 1, TH_INT64);
    ThVar *n = shape_i(o, at, at->type.ndim - 1), *own = n ? arange_make(&o->b, zero, n, one, TH_INT64) : NULL;
    ThVar *moved = own ? elemwise_2(&o->b, S_neq, at, own) : NULL;
    ThVar *sign = elemwise_3(&o->b, S_switch, moved, const_float(&o->b, -1, d), const_float(&o->b, 1, d));
    return over_last(o, &op_prod, sign);
}

static ThVar *identity_for(Opt *o, const ThVar *x, ThVar *n) {
    ThVar *zero = const_int(&o->b, 0, TH_INT64);
    ThVar *one = n ? apply1(&o->b, &op_eye, &(DtypeAttrs){x->type.dtype}, (ThVar *[]){n, n, zero}, 3) : NULL;
    return one ? padleft_make(&o->b, one, x->type.ndim) : NULL;
}

/* out[0] and, of SLogDet, out[1] in place of a's. */
static bool from_lu(Opt *o, ThApply *a, ThVar **out) {
    ThVar *x = a->in[0];
    ThApply *f = lu_make(&o->b, x);
    if (!f) return false;
    ThVar *lu = fg_find(f->out[0]), *at = fg_find(f->out[1]);
    if (a->op == &op_solve) out[0] = lu_solve_make(&o->b, lu, at, a->in[1], attrs_of(a)->trans, false);
    else if (a->op == &op_matrix_inverse)
        out[0] = lu_solve_make(&o->b, lu, at, identity_for(o, x, shape_i(o, x, x->type.ndim - 1)), FACTOR_N, false);
    else {
        ThVar *d = diagonals_make(&o->b, lu), *sign = parity(o, at, linalg_real((ThDtype)x->type.dtype));
        if (a->op == &op_det) out[0] = call2(o, S_mul, over_last(o, &op_prod, d), sign);
        else {
            out[0] = call2(o, S_mul, over_last(o, &op_prod, call1(o, S_sgn, d)), sign);
            out[1] = over_last(o, &op_sum, call1(o, S_log, call1(o, S_abs_, d)));
        }
    }
    return true;
}

static bool from_cholesky(Opt *o, ThApply *a, ThVar *l, bool lower, ThVar **out) {
    ThVar *x = a->in[0];
    if (a->op == &op_solve) out[0] = cholesky_solve_make(&o->b, l, a->in[1], lower);
    else if (a->op == &op_matrix_inverse)
        out[0] = cholesky_solve_make(&o->b, l, identity_for(o, x, shape_i(o, x, x->type.ndim - 1)), lower);
    else {
        ThVar *d = diagonals_make(&o->b, l), *two = const_int(&o->b, 2, TH_INT8);
        if (a->op == &op_det) out[0] = call1(o, S_sqr, over_last(o, &op_prod, d));
        else {
            ThVar *one = opt_const(o, 1, type_tensor((ThDtype)x->type.dtype, 0, 0));
            out[1] = call2(o, S_mul, two, over_last(o, &op_sum, call1(o, S_log, d)));
            out[0] = out[1] && one ? second_make(&o->b, out[1], one) : NULL;
        }
    }
    return true;
}

static bool share(Opt *o, ThApply *a) {
    bool pos = positive(a);
    if (!pos && !general(a)) return true;
    Family f = family_of(a->in[0]);
    int lower = pos ? attrs_of(a)->lower != 0 : f.cholesky[1] != NULL;
    bool factored = f.cholesky[lower] != NULL && real(a->in[0]);
    bool by_cholesky = pos ? factored || f.positive[lower] > 1 : factored && facts_symmetric(a->in[0]);
    if (!by_cholesky && (pos || (f.general < 2 && !f.lu))) return true;
    ThVar *out[2] = {NULL, NULL};
    builder_begin_fg(&o->b, o->fg, a->prov);
    o->b.rule = o->pass->name;
    ThVar *l = by_cholesky ? cholesky_make(&o->b, a->in[0], lower, false) : NULL;
    if (by_cholesky ? l && from_cholesky(o, a, fg_find(l), lower, out) : from_lu(o, a, out))
        for (int i = a->nout - 1; i >= 0 && !failed(o->c); i--)
            if (out[i] && a->out[i]->nclients) engine_replace(o, a->out[i], out[i], o->pass->name);
    builder_end(&o->b);
    return !failed(o->c);
}

bool pass_linalg(Opt *o) {
    static const Op *const roots[] = {&op_solve, &op_matrix_inverse, &op_det, &op_slogdet};
    bool ok = true, any = false;
    for (int i = 0; i < TH_LEN(roots); i++) any = any || opt_made(o, roots[i]);
    for (int i = 0; ok && any && i < o->fg->node.n; i++)
        if (o->fg->node.at[i]) ok = share(o, o->fg->node.at[i]);
    return ok;
}
