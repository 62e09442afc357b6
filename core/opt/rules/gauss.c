/*
 * gauss.c -- exp(x^2) beside erfc(x) in products and quotients, with any weights, views and signs: erfcx(x), which is
 * their product and finite where they are not. Gradients of log(erfc(x)) hold exp(-x^2) / erfc(x). And log(erfc(x)),
 * which is -x^2 + log(erfcx(x)). Measure: exponentials, and erfc that underflows.
 */
#include "product.h"
#include "rules.h"

/* u as number * core ^ power, with signs and views off; false: it is none. */
static bool monomial(Opt *o, ThVar *u, ThVar **core, double *number, int *power) {
    Product p;
    double k;
    if (!product_open(o, u, &p)) return false;
    *core = NULL;
    *number = p.negative ? -1 : 1;
    *power = 0;
    for (int i = 0; i < p.n; i++) {
        ThVar *v = product_var(o, &p.at[i]);
        int n = p.at[i].power;
        if (!v) return false;
        if (ask_value(v, &k) && ask_all_bcast(v->type) && (n == 1 || n == -1)) {
            *number = n > 0 ? *number * k : *number / k;
            continue;
        }
        if ((*core && *core != v) || n < 1) return false;
        *core = v;
        *power += n;
    }
    return *core != NULL;
}

/* Is w the square of u (1), its negative (-1), or neither (0)? */
static int square_of(Opt *o, ThVar *w, ThVar *u) {
    ThVar *x, *y;
    double a, b;
    int n, m;
    if (!monomial(o, u, &x, &a, &n) || !monomial(o, w, &y, &b, &m) || x != y || m != 2 * n) return 0;
    return b == a * a ? 1 : b == -a * a ? -1 : 0;
}

ThVar *rw_gauss(Opt *o, ThApply *a) {
    Product p;
    if (!dtype_is_float((ThDtype)a->out[0]->type.dtype) || !product_open(o, a->out[0], &p)) return NULL;
    for (int i = 0; i < p.n; i++) {
        Factor *c = &p.at[i];
        ThApply *erfc = product_is(&p, c, S_erfc);
        ThVar *u = erfc ? product_view(o, c, erfc->in[0]) : NULL;
        for (int k = 0; u && k < p.n; k++) {
            Factor *g = &p.at[k];
            ThApply *e = product_is(&p, g, S_exp);
            ThVar *w = e ? product_view(o, g, e->in[0]) : NULL;
            int sign = w && u->type.dtype == p.dtype ? square_of(o, w, u) : 0, power = sign * g->power, m = c->power;
            if (!sign || (power > 0) != (m > 0)) continue; /* exp(u^2) ^ power * erfc(u) ^ m */
            int both = power > 0 ? (power < m ? power : m) : power > m ? power : m;
            c->used = g->used = true;
            ThVar *erfc_left = product_var(o, c), *exp_left = product_var(o, g);
            int exps = g->power - sign * both;
            product_fold(&p);
            return product_push(&p, exp_left, exps) && product_push(&p, erfc_left, m - both) &&
                           product_push(&p, call1(o, S_erfcx, u), both)
                       ? product_close(o, &p)
                       : NULL;
        }
    }
    return NULL;
}

/* x of erfc(x), seen through views, which `root` is the logarithm of: log(erfc(x)), log1p(-erf(x)), log1p(erf(-x)). */
static ThVar *erfc_under_log(Opt *o, ThApply *root) {
    Factor f, g;
    ThVar *v = root->in[0], *x;
    bool log = ask_which(root) == S_log;
    ThApply *e = product_behind(v, log ? S_erfc : S_erf, &f);
    if (e) return (x = product_view(o, &f, e->in[0])) && !log ? call1(o, S_neg, x) : x;
    if (log || !(x = product_minus(v, &g)) || !(e = product_behind(x, S_erf, &f))) return NULL;
    return (x = product_view(o, &f, e->in[0])) ? product_view(o, &g, x) : NULL;
}

/* log(erfc(x)) -> log1p(-erf(x)) up to a half, log(erfcx(x)) - x^2 from there: exact to the last digits near 0 and far
 * out. */
ThVar *rw_log_erfc(Opt *o, ThApply *a) {
    ThType t = type_tensor(a->out[0]->type.dtype, 0, 0);
    ThVar *x = dtype_is_float((ThDtype)t.dtype) ? erfc_under_log(o, a) : NULL;
    if (!x || x->type.dtype != t.dtype) return NULL;
    ThApply *cut = ask_scalar(x, S_minimum);
    if (cut && ask_equals(cut->in[1], 0.5)) return NULL; /* made here */
    ThVar *half = opt_const(o, 0.5, t), *low = call2(o, S_minimum, x, half), *high = call2(o, S_maximum, x, half);
    ThVar *near = call1(o, S_log1p, call1(o, S_neg, call1(o, S_erf, low)));
    ThVar *far = call2(o, S_sub, call1(o, S_log, call1(o, S_erfcx, high)), call1(o, S_sqr, high));
    ThVar *choose = call2(o, S_lt, x, half);
    return choose && near && far ? elemwise_make(&o->b, S_switch, (ThVar *[]){choose, near, far}, 3) : NULL;
}
