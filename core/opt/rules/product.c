/*
 * product.c -- products and quotients as factors with powers, and back (product.h).
 * In: a variable. Out: factors in the order in which they are read. Only floats, and only nodes in the product's own
 * dtype are opened, so no rounding moves. Bounded by FACTORS: longer products are left alone.
 */
#include "product.h"

enum { OPEN_MAX = 4 * FACTORS, POWER_MAX = 8 };

/* ---- opening ---- */
/* Power of the operands of a node of a product; 0: it is none. */
static int power_of(const ThApply *a, int i) {
    double k;
    switch (ask_which(a)) {
    case S_mul:
    case S_neg: return 1;
    case S_true_div: return i ? -1 : 1;
    case S_inv: return -1;
    case S_sqr: return 2;
    case S_pow:
        if (i || !ask_value(a->in[1], &k) || !ask_all_bcast(a->in[1]->type)) return 0;
        return k == __builtin_trunc(k) && k <= POWER_MAX && k >= -POWER_MAX ? (int)k : 0;
    default: return 0;
    }
}

static bool is_view(const ThApply *a) { return a->op == &op_dimshuffle || views_select(a); }

/* Moves the views above an elementwise node into f. */
static void look_through(Factor *f) {
    ThVar *v = f->v;
    int n = f->nview;
    ThApply *view[FACTOR_VIEWS];
    for (int i = 0; i < n; i++) view[i] = f->view[i];
    for (; v->owner && is_view(v->owner) && n < FACTOR_VIEWS; v = v->owner->in[0]) view[n++] = v->owner;
    if (n == f->nview || ask_which(v->owner) < 0) return;
    for (int i = f->nview; i < n; i++) f->view[i] = view[i];
    f->nview = n;
    f->v = v;
}

/* Two Reshapes that undo each other go. */
static void drop_views(Opt *o, Factor *f) {
    while (f->nview > 1) {
        ThApply *inner = f->view[f->nview - 1], *outer = f->view[f->nview - 2];
        if (inner->op != &op_reshape || outer->op != &op_reshape) return;
        ThVar *v = views_of(o, inner, f->v);
        if (!v || views_of(o, outer, v) != f->v) return;
        f->nview -= 2;
    }
}

/* Every operand can be seen through f's views: but for DimShuffles they need the whole shape; numbers pass. */
static bool views_pass(const Factor *f) {
    bool whole = false;
    const ThApply *a = f->v->owner;
    for (int i = 0; i < f->nview; i++) whole |= f->view[i]->op != &op_dimshuffle;
    for (int i = 0; whole && i < a->nin; i++) {
        double k;
        bool number = ask_value(a->in[i], &k) && ask_all_bcast(a->in[i]->type);
        if (!number && a->in[i]->type.broadcastable != f->v->type.broadcastable) return false;
    }
    return true;
}

static bool opens(const Product *p, const Factor *f) {
    return f->v->owner && !f->v->index && f->v->type.dtype == p->dtype && power_of(f->v->owner, 0) && views_pass(f);
}

static void flip(Product *p, int part) {
    p->negative = !p->negative;
    for (; part >= 0; part = p->part[part].whole.part) p->part[part].negative = !p->part[part].negative;
}

/* A number of one element that only gives a sign, or nothing: 1, -1. */
static bool is_sign(Product *p, const Factor *f) {
    double k;
    if (!ask_value(f->v, &k) || !ask_all_bcast(f->v->type) || (k != 1 && k != -1)) return false;
    if (k < 0 && f->power % 2) flip(p, f->part);
    return true;
}

bool product_open(Opt *o, ThVar *v, Product *p) {
    Factor stack[OPEN_MAX];
    int n = 0, seen = 0;
    *p = (Product){.dtype = (ThDtype)v->type.dtype};
    stack[n++] = (Factor){.v = v, .power = 1, .part = -1};
    while (n) {
        Factor f = stack[--n];
        if (++seen > OPEN_MAX) return false;
        ThVar *top = f.v;
        int had = f.nview;
        look_through(&f);
        drop_views(o, &f);
        if (!opens(p, &f)) {
            if (is_sign(p, &f)) continue;
            if (p->n == FACTORS) return false;
            p->at[p->n++] = f;
            continue;
        }
        ThApply *a = f.v->owner;
        int s = ask_which(a);
        if (s == S_neg && f.power % 2) flip(p, f.part);
        if (top != v && s != S_neg && s != S_inv && (f.nview != had || top->nclients > 1 || s == S_sqr || s == S_pow)) {
            if (p->npart == FACTORS) return false;
            Factor whole = f;
            whole.v = top;
            whole.nview = had;
            p->part[p->npart] = (FactorPart){.whole = whole};
            f.part = p->npart++;
        }
        o->b.prov = prov_join(o->c, a->prov, o->b.prov);
        for (int i = (s == S_pow ? 1 : a->nin) - 1; i >= 0; i--) {
            if (n == OPEN_MAX) return false;
            Factor k = f;
            k.v = a->in[i];
            k.power = f.power * power_of(a, i);
            if (k.power > POWER_MAX || k.power < -POWER_MAX) return false;
            stack[n++] = k;
        }
    }
    return true;
}

void product_fold(Product *p) {
    for (int k = p->npart - 1; k >= 0; k--) { /* the inner ones first */
        int first = -1, kept = 0, members = 0, up = p->part[k].whole.part;
        bool used = false;
        for (int i = 0; i < p->n; i++) {
            used |= p->at[i].part == k && p->at[i].used;
            members += p->at[i].part == k;
        }
        used |= members == 1 && !p->part[k].whole.nview && power_of(p->part[k].whole.v->owner, 0) != 2; /* a sign */
        for (int i = 0; i < p->n; i++) {
            Factor f = p->at[i];
            if (f.part == k && used) f.part = up;
            if (f.part == k && first >= 0) continue;
            if (f.part == k) {
                first = i;
                f = p->part[k].whole;
            }
            p->at[kept++] = f;
        }
        p->n = kept;
        if (!used && first >= 0 && p->part[k].negative) flip(p, up);
    }
}

/* ---- factors ---- */
ThVar *product_view(Opt *o, const Factor *f, ThVar *x) {
    double k;
    if (f->nview && ask_value(x, &k) && ask_all_bcast(x->type)) return dimshuffle_make(&o->b, x, NULL, 0);
    for (int i = f->nview - 1; x && i >= 0; i--) x = views_of(o, f->view[i], x);
    return x;
}

ThApply *product_is(const Product *p, const Factor *f, int scalar) {
    return f->v->type.dtype == p->dtype && !f->v->index ? ask_scalar(f->v, scalar) : NULL;
}

ThApply *product_behind(ThVar *v, int scalar, Factor *f) {
    *f = (Factor){.v = v, .power = 1, .part = -1};
    look_through(f);
    return f->v->index ? NULL : ask_scalar(f->v, scalar);
}

ThVar *product_minus(ThVar *v, Factor *f) {
    ThApply *a = product_behind(v, S_neg, f);
    if (a) return a->in[0];
    if (!(a = product_behind(v, S_mul, f)) || a->nin != 2) return NULL;
    for (int i = 0; i < 2; i++)
        if (ask_equals(a->in[i], -1) && ask_all_bcast(a->in[i]->type)) return a->in[1 - i];
    return NULL;
}

bool product_push(Product *p, ThVar *v, int power) {
    if (!v || !power) return v != NULL;
    if (p->n == FACTORS) return false;
    for (int i = p->n++; i > 0; i--) p->at[i] = p->at[i - 1];
    p->at[0] = (Factor){.v = v, .power = power, .part = -1};
    return true;
}

/* ---- closing ---- */
static bool gather(Opt *o, const Factor *f, ThVar **num, int *nnum, ThVar **den, int *nden) {
    ThVar *v = product_var(o, f);
    int k = f->power < 0 ? -f->power : f->power;
    ThVar **to = f->power < 0 ? den : num;
    int *n = f->power < 0 ? nden : nnum;
    if (!v) return false;
    if (k > 2) v = call2(o, S_pow, v, opt_const(o, k, type_tensor(v->type.dtype, 0, 0)));
    for (int i = 0; i < (k > 2 ? 1 : k); i++) {
        if (*n == 2 * FACTORS || !v) return false;
        to[(*n)++] = v;
    }
    return true;
}

ThVar *product_close(Opt *o, const Product *p) {
    ThVar *num[2 * FACTORS], *den[2 * FACTORS];
    int nnum = 0, nden = 0;
    for (int i = 0; i < p->n; i++)
        if (!p->at[i].used && !gather(o, &p->at[i], num, &nnum, den, &nden)) return NULL;
    ThVar *d = nden ? opt_call(o, S_mul, den, nden, p->dtype) : NULL, *r = NULL;
    if (nnum) r = opt_call(o, S_mul, num, nnum, p->dtype);
    else if (!nden) r = opt_const(o, 1, type_tensor(p->dtype, 0, 0));
    if (nden && !d) return NULL;
    if (r && p->negative) r = call1(o, S_neg, r);
    if (!nden) return r;
    if (r) return call2(o, S_true_div, r, d);
    return p->negative ? call1(o, S_neg, call1(o, S_inv, d)) : call1(o, S_inv, d);
}
