/*
 * product.c -- kernels of matrix products (see product.h).
 * Invariant: a factor beta of exact 0 never lets a value of c through, so c may be uninitialised memory then.
 */
#include "product.h"
#include "ops/table/lowering.h"

bool product_equal(ShapeQ *q, int x, int i, int y, int j, const char *why) {
    return q->alg->equal(q->alg->u, q->in[x][i], q->in[y][j], why);
}

bool product_types(Infer *q, const char *ranks) {
    ThDtype d = (ThDtype)q->in[0]->type.dtype;
    for (int i = 0; i < q->nin; i++) {
        ThType t = q->in[i]->type;
        if (t.kind != TYPE_TENSOR || t.ndim != ranks[i] - '0')
            return err(q->ctx, TH_TypeError, "%s: input %d must have %c dimensions, it has %d", q->op->name, i,
                       ranks[i], t.ndim);
        if (t.dtype != d || dtype_is_discrete(d))
            return err(q->ctx, TH_TypeError,
                       "%s: inputs must share one float or complex dtype; input 0 is %s, input %d is %s", q->op->name,
                       th_dtype_name(d), i, th_dtype_name((ThDtype)t.dtype));
    }
    return true;
}

static ThDtype in_dtype(Lower *l, int i) { return (ThDtype)l->api->in_type(l, i).dtype; }

/* Value of a constant 0-d factor, where it is one. */
static bool factor_is(Lower *l, int input, double *v) {
    *v = 1;
    return input < 0 || (l->node->in[input]->kind == VAR_CONSTANT && const_all_equal(l->node->in[input], v));
}

static bool never_reads_c(Lower *l, const Product *p) {
    double beta;
    return p->c < 0 || (factor_is(l, p->beta, &beta) && beta == 0);
}

/* Value id of a factor at depth 0, or -1 when it is one. */
static int factor(Lower *l, Kernel *k, int input, ThDtype d) {
    double v;
    if (input < 0 || (factor_is(l, input, &v) && v == 1)) return -1;
    return ins_cast(k, ins_load(k, l->api->read(l, k, input, NULL), 0), d, 0);
}

/* Dims of the kernel: m when a is a matrix, n when b is one, then k. */
static bool product_dims(Lower *l, Kernel *k, const Product *p, bool rows, bool cols) {
    Size inner = l->api->in_dim(l, p->a, rows ? 1 : 0);
    if (rows && kernel_dim(k, l->api->in_dim(l, p->a, 0), DIM_PAR) < 0) return false;
    if (cols && kernel_dim(k, l->api->in_dim(l, p->b, 1), DIM_PAR) < 0) return false;
    return kernel_dim(k, inner, DIM_RED) >= 0;
}

/* ---- float matrices: a GEMM stage -------------------------------------------------------------------------------- */
static bool lower_matrices(Lower *l, const Product *p, ThDtype d) {
    static const int8_t map_a[2] = {0, 2}, map_b[2] = {2, 1}, map_c[2] = {0, 1};
    bool skip_c = never_reads_c(l, p);
    if (p->c >= 0 && l->node->destroys == p->c) {
        if (!l->api->alias(l, 0, p->c)) return false;
    } else if (!skip_c && !l->api->copy(l, 0, p->c)) return false;
    Kernel *k = l->api->kernel(l);
    if (!k || !product_dims(l, k, p, true, true)) return false;
    int alpha = -1, beta = -1;
    if (p->alpha >= 0 || (p->beta >= 0 && !skip_c)) { /* factors first, in a stage without loops */
        if (kernel_stage(k, STAGE_LOOP, 0, 0) < 0) return false;
        alpha = factor(l, k, p->alpha, d);
        if (!skip_c) beta = factor(l, k, p->beta, d);
    }
    if (!skip_c && beta < 0) { /* plain addition of c */
        if (k->st.n == 0 && kernel_stage(k, STAGE_LOOP, 0, 0) < 0) return false;
        beta = ins_literal(k, d, (ThValue){.f = 1}, 0);
    }
    int s = kernel_stage(k, STAGE_GEMM, 0, 3);
    if (s < 0) return false;
    int a = l->api->read(l, k, p->a, map_a), b = l->api->read(l, k, p->b, map_b);
    int c = skip_c ? l->api->write(l, k, 0, map_c) : l->api->read_out(l, k, 0, map_c, 0);
    if (a < 0 || b < 0 || c < 0) return false;
    Stage *st = &k->st.at[s];
    st->A = a, st->B = b, st->C = c;
    st->alpha = alpha, st->beta = beta;
    return !failed(l->ctx);
}

/* ---- everything else: a loop with a sum -------------------------------------------------------------------------- */
/* beta * c at the point, with c kept out where beta is 0. */
static int scaled_c(Lower *l, Kernel *k, const Product *p, ThDtype d, const int8_t *map, int depth) {
    double known;
    int c = ins_cast(k, ins_load(k, l->api->read(l, k, p->c, map), depth), d, depth);
    if (factor_is(l, p->beta, &known) && known == 1) return c;
    int beta = factor(l, k, p->beta, d);
    int v = ins_binary(k, S_mul, d, depth, beta, c);
    if (factor_is(l, p->beta, &known)) return v;
    int zero = ins_literal(k, d, (ThValue){.c = {0, 0}}, 0);
    int keep = ins_op(k, S_neq, d, TH_BOOL, 0, beta, zero, -1);
    return ins_op(k, S_switch, d, d, depth, keep, v, zero);
}

static bool lower_loop(Lower *l, const Product *p, ThDtype d) {
    bool rows = l->api->in_type(l, p->a).ndim == 2, cols = l->api->in_type(l, p->b).ndim == 2;
    int npar = rows + cols;
    int8_t map_a[2], map_b[2], map_out[2] = {0, 1};
    if (p->c >= 0 && l->node->destroys == p->c && !l->api->alias(l, 0, p->c)) return false;
    Kernel *k = l->api->kernel(l);
    if (!k || !product_dims(l, k, p, rows, cols) || kernel_stage(k, STAGE_LOOP, 0, npar + 1) < 0) return false;
    map_a[0] = (int8_t)(rows ? 0 : npar), map_a[1] = (int8_t)npar;
    map_b[0] = (int8_t)npar, map_b[1] = (int8_t)(npar - 1);
    int x = ins_cast(k, ins_load(k, l->api->read(l, k, p->a, map_a), npar + 1), d, npar + 1);
    int y = ins_cast(k, ins_load(k, l->api->read(l, k, p->b, map_b), npar + 1), d, npar + 1);
    int product = d == TH_BOOL ? ins_binary(k, S_and_, d, npar + 1, x, y) : ins_binary(k, S_mul, d, npar + 1, x, y);
    int v = ins_reduce(k, d == TH_BOOL ? RED_OR : RED_SUM, product, d, npar);
    int alpha = factor(l, k, p->alpha, d);
    if (alpha >= 0) v = ins_binary(k, S_mul, d, npar, alpha, v);
    if (!never_reads_c(l, p)) v = ins_binary(k, S_add, d, npar, scaled_c(l, k, p, d, map_out, npar), v);
    ins_store(k, l->api->write(l, k, 0, map_out), v, npar);
    return !failed(l->ctx);
}

bool product_lower(Lower *l, const Product *p) {
    ThDtype d = (ThDtype)l->node->out[0]->type.dtype;
    bool matrices = l->api->in_type(l, p->a).ndim == 2 && l->api->in_type(l, p->b).ndim == 2;
    if (matrices && dtype_is_float(d) && in_dtype(l, p->a) == d && in_dtype(l, p->b) == d)
        return lower_matrices(l, p, d);
    return lower_loop(l, p, d);
}
