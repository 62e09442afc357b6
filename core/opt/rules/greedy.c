/*
 * greedy.c -- local_greedy_distributor: (a/x + b/y) * x * y becomes a*y + b*x where that saves operations.
 * In: a product or quotient one of whose factors is a sum that nobody else uses. Out: the factors that cancel inside
 * the sum are moved into it. It also keeps values finite where x tends to 0. Measure: multiplications + 1.5 *
 * divisions.
 */
#include "rules.h"

enum { MAX = 8 };
typedef struct Frac {
    ThVar *side[2][2 * MAX];
    int n[2];
    bool minus;
} Frac; /* numerator and denominator of one term */

static bool add_factors(Frac *f, ThVar *v, int side, ThDtype d) {
    for (ThApply *n; (n = ask_exact(v, S_neg, d)); v = n->in[0]) f->minus = !f->minus;
    ThApply *m = ask_exact(v, S_mul, d);
    int count = m ? m->nin : 1;
    if (f->n[side] + count > MAX) return false;
    for (int i = 0; i < count; i++) f->side[side][f->n[side]++] = m ? m->in[i] : v;
    return true;
}

static bool fraction(Frac *f, ThVar *v, ThDtype d) {
    *f = (Frac){.n = {0, 0}};
    for (ThApply *n; (n = ask_exact(v, S_neg, d)); v = n->in[0]) f->minus = !f->minus;
    ThApply *q = ask_scalar(v, S_true_div);
    return add_factors(f, q ? q->in[0] : v, 0, d) && (!q || add_factors(f, q->in[1], 1, d));
}

/* Lengths do not cancel: 0 / 0 of nothing is NaN. */
static int find(const Frac *f, int side, const ThVar *v) {
    if (ask_count(v)) return -1;
    for (int i = 0; i < f->n[side]; i++)
        if (f->side[side][i] == v) return i;
    return -1;
}

/* What multiplying (side 0) or dividing (side 1) the term by v saves. */
static double gain(const Frac *f, const ThVar *v, int side) {
    if (find(f, !side, v) >= 0) return side ? 1 : 1.5;
    return side ? -1.5 : -1;
}

static void apply(Frac *f, ThVar *v, int side) {
    int at = find(f, !side, v);
    if (at < 0) {
        f->side[side][f->n[side]++] = v;
        return;
    }
    for (int i = at; i + 1 < f->n[!side]; i++) f->side[!side][i] = f->side[!side][i + 1];
    f->n[!side]--;
}

/* Moves v into every term when that saves more than it costs. */
static bool distribute(Frac *term, int n, ThVar *v, int side) {
    double score = side ? 1.5 : 1;
    for (int i = 0; i < n; i++) {
        if (term[i].n[side] >= 2 * MAX) return false;
        score += gain(&term[i], v, side);
    }
    if (score <= 0) return false;
    for (int i = 0; i < n; i++) apply(&term[i], v, side);
    return true;
}

static ThVar *product(Opt *o, ThVar **v, int n, ThType t) {
    return n ? opt_call(o, S_mul, v, n, t.dtype) : opt_const(o, 1, type_tensor(t.dtype, 0, 0));
}

static ThVar *build(Opt *o, Frac *f, ThType t) {
    ThVar *r = product(o, f->side[0], f->n[0], t);
    return f->n[1] ? call2(o, S_true_div, r, product(o, f->side[1], f->n[1], t)) : r;
}

static ThVar *sum_of(Opt *o, Frac *term, int n, ThType t) {
    ThVar *plus[MAX], *minus[MAX];
    int np = 0, nm = 0;
    for (int i = 0; i < n; i++) {
        ThVar *v = build(o, &term[i], t);
        if (!v) return NULL;
        if (term[i].minus) minus[nm++] = v;
        else plus[np++] = v;
    }
    ThVar *m = nm ? opt_call(o, S_add, minus, nm, t.dtype) : NULL;
    if (!np) return call1(o, S_neg, m);
    ThVar *p = opt_call(o, S_add, plus, np, t.dtype);
    return m ? call2(o, S_sub, p, m) : p;
}

/* Terms of a sum that only this product uses; 0: it is none, or too long. */
static int terms_of(ThVar *v, ThType t, Frac *term) {
    ThApply *a = v->owner;
    int s = ask_which(a);
    if ((s != S_add && s != S_sub) || v->nclients != 1 || a->nin > MAX || !type_eq(v->type, t)) return 0;
    for (int i = 0; i < a->nin; i++) {
        if (!fraction(&term[i], a->in[i], t.dtype)) return 0;
        if (s == S_sub && i == 1) term[i].minus = !term[i].minus;
    }
    return a->nin;
}

ThVar *rw_greedy_distributor(Opt *o, ThApply *a) {
    Frac all, term[MAX];
    ThType t = a->out[0]->type;
    if (!dtype_is_float(t.dtype) || !fraction(&all, a->out[0], t.dtype) || all.minus) return NULL;
    for (int at = 0; at < all.n[0]; at++) {
        int n = terms_of(all.side[0][at], t, term);
        bool changed = false;
        for (int side = 0; n > 1 && side < 2; side++) {
            int kept = 0;
            for (int i = 0; i < all.n[side]; i++) {
                ThVar *v = all.side[side][i];
                bool factor = side || i != at;
                if (factor && distribute(term, n, v, side)) {
                    changed = true;
                    continue;
                }
                if (!side && i == at) at = kept;
                all.side[side][kept++] = v;
            }
            all.n[side] = kept;
        }
        if (!changed) continue;
        all.side[0][at] = sum_of(o, term, n, t);
        return all.side[0][at] ? build(o, &all, t) : NULL;
    }
    return NULL;
}
