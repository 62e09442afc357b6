/*
 * ones.c -- sums in which f(x) stands beside 1, or w * f(x) beside w: 1 + erf(x), w - w * erf(x), 0.5 + 0.5 * erf(x),
 * exp(x) - 1, log(1 + x). In: a sum with any number of terms, sides, signs, weights and views. Out: the function that
 * is that sum (erfc, erf, expm1, exp), which keeps the digits that the difference loses. Measure: terms of sums.
 */
#include "product.h"
#include "rules.h"

enum { MAX = 8 };

/* f beside 1 with the same sign, and with the other: the function it becomes, -1 none; its argument's sign; the sign it
 * takes: that of f or that of 1. */
typedef struct Beside {
    int f, same, other;
    bool same_minus, other_minus, as_one;
} Beside;
static const Beside table[] = {
    {.f = S_erf, .same = S_erfc, .same_minus = true, .other = S_erfc, .as_one = true},
    {.f = S_erfc, .same = -1, .other = S_erf, .as_one = true},
    {.f = S_exp, .same = -1, .other = S_expm1},
    {.f = S_expm1, .same = S_exp, .other = -1},
    {.f = S_sigmoid, .same = -1, .other = S_sigmoid, .other_minus = true, .as_one = true},
};

typedef struct Terms {
    Product at[MAX];
    ThVar *v[MAX];
    double number[MAX]; /* product of the constants, without sign */
    bool minus[MAX];
    int n;
} Terms;

/* Constants and signs come out of a term; the numbers stay in the product, marked as used. */
static void take_numbers(Terms *t, int i) {
    Product *p = &t->at[i];
    double k;
    t->number[i] = 1;
    t->minus[i] = p->negative;
    for (int n = 0; n < p->n; n++) {
        Factor *f = &p->at[n];
        if (!ask_value(f->v, &k) || !ask_all_bcast(f->v->type) || (f->power != 1 && f->power != -1)) continue;
        t->number[i] = f->power < 0 ? t->number[i] / k : t->number[i] * k;
        f->used = true;
    }
    if (t->number[i] >= 0) return;
    t->number[i] = -t->number[i];
    t->minus[i] = !t->minus[i];
}

static bool open_terms(Opt *o, ThApply *a, Terms *t) {
    if (a->nin > MAX) return false;
    for (t->n = 0; t->n < a->nin; t->n++) {
        t->v[t->n] = a->in[t->n];
        if (!product_open(o, t->v[t->n], &t->at[t->n])) return false;
        t->at[t->n].negative ^= ask_which(a) == S_sub && t->n == 1;
        take_numbers(t, t->n);
    }
    return true;
}

/* The factors of p but number `but` that are no numbers are those of q, numbers aside. */
static bool same_weight(Opt *o, const Product *p, int but, const Product *q) {
    bool found[FACTORS] = {false};
    int left = 0;
    for (int k = 0; k < q->n; k++) left += !q->at[k].used;
    for (int i = 0; i < p->n; i++) {
        if (i == but || p->at[i].used) continue;
        ThVar *v = product_var(o, &p->at[i]);
        int k = 0;
        while (k < q->n &&
               (found[k] || q->at[k].used || q->at[k].power != p->at[i].power || product_var(o, &q->at[k]) != v))
            k++;
        if (!v || k == q->n) return false;
        found[k] = true;
        left--;
    }
    return left == 0;
}

/* The term of the weight and g(u), with the numbers of term i again. */
static ThVar *term_of(Opt *o, const Terms *t, int i, int at, bool same, const Beside *b) {
    Product p = t->at[i];
    const Factor *f = &t->at[i].at[at];
    ThVar *u = product_view(o, f, f->v->owner->in[0]);
    if (u && (same ? b->same_minus : b->other_minus)) u = call1(o, S_neg, cast_make(&o->b, u, p.dtype));
    for (int k = 0; k < p.n; k++) p.at[k].used = k == at;
    product_fold(&p);
    p.negative ^= !same && b->as_one;
    return product_push(&p, call1(o, same ? b->same : b->other, u), 1) ? product_close(o, &p) : NULL;
}

/* Terms i, weight * f(u), and j, weight, as one; the others stay. */
static ThVar *join(Opt *o, ThApply *a, const Terms *t, int i, int j, ThVar *joined) {
    ThVar *in[MAX];
    int n = 0;
    for (int k = 0; k < a->nin; k++) {
        if (k == j) continue;
        in[n] = k == i ? joined : t->v[k];
        if (k != i && ask_which(a) == S_sub && k == 1) in[n] = call1(o, S_neg, in[n]);
        if (!in[n++]) return NULL;
    }
    return opt_call(o, S_add, in, n, (ThDtype)a->out[0]->type.dtype);
}

/* Integers stay as they are written: their dtype says how exact the function is. */
static bool of_float(const Factor *f) { return dtype_is_float((ThDtype)f->v->owner->in[0]->type.dtype); }

static ThVar *beside(Opt *o, ThApply *a, int scalar) {
    Terms t;
    const Beside *b = table;
    while (b->f != scalar) b++;
    if (!dtype_is_float((ThDtype)a->out[0]->type.dtype) || !open_terms(o, a, &t)) return NULL;
    for (int i = 0; i < t.n; i++) {
        if (t.v[i]->type.dtype != a->out[0]->type.dtype) continue;
        for (int n = 0; n < t.at[i].n; n++) {
            Factor *f = &t.at[i].at[n];
            if (f->power != 1 || !product_is(&t.at[i], f, scalar) || !of_float(f)) continue;
            if (scalar == S_sigmoid && f->v->nclients > 1) continue; /* who has sigmoid(x) subtracts */
            for (int j = 0; j < t.n; j++) {
                bool same = t.minus[i] == t.minus[j];
                if (j == i || (same ? b->same : b->other) < 0 || t.number[i] != t.number[j]) continue;
                if (same_weight(o, &t.at[i], n, &t.at[j])) return join(o, a, &t, i, j, term_of(o, &t, i, n, same, b));
            }
        }
    }
    return NULL;
}

ThVar *rw_erf_beside_one(Opt *o, ThApply *a) { return beside(o, a, S_erf); }

ThVar *rw_erfc_beside_one(Opt *o, ThApply *a) { return beside(o, a, S_erfc); }

ThVar *rw_exp_beside_one(Opt *o, ThApply *a) { return beside(o, a, S_exp); }

ThVar *rw_expm1_beside_one(Opt *o, ThApply *a) { return beside(o, a, S_expm1); }

ThVar *rw_sigmoid_beside_one(Opt *o, ThApply *a) { return beside(o, a, S_sigmoid); }

/* log(1 + x) and log(1 - x) of an x that is not as wide as the result: integers, float32 beside float64. */
ThVar *rw_log1p(Opt *o, ThApply *a) {
    ThApply *sum = ask_scalar(a->in[0], S_add), *sub = sum ? NULL : ask_scalar(a->in[0], S_sub);
    ThDtype d = (ThDtype)a->out[0]->type.dtype;
    ThApply *both = sum ? sum : sub;
    if (!both || both->nin != 2 || !dtype_is_float(d)) return NULL;
    for (int i = 0; i < (sum ? 2 : 1); i++) {
        ThVar *one = both->in[i], *x = both->in[1 - i];
        if (!ask_equals(one, 1) || !ask_all_bcast(one->type) || x->type.dtype == d) continue;
        if (sub && dtype_is_unsigned(a->in[0]->type.dtype)) return NULL; /* below 0 it starts again from the largest */
        x = cast_make(&o->b, x, d);
        return call1(o, S_log1p, sub ? call1(o, S_neg, x) : x);
    }
    return NULL;
}
