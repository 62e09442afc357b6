/*
 * linalg.c -- functions of tensor.slinalg and tensor.nlinalg that are one operation each: factors, solutions, inverses,
 * eigenvalues, functions of matrices. What combines operations is in linear.c and norm.c.
 */
#include "util.h"
#include "ops/table/linalg.h"

#include <math.h>
#include <string.h>

static ThVar *matrices(Front *f, int i) {
    ThVar *x = front_var(f, i);
    if (x && x->type.kind == TYPE_TENSOR && x->type.ndim < 2)
        return front_error(f, f->b->arrays ? TH_LinAlgError : TH_ValueError,
                           "%d-dimensional array given. Array must be at least two-dimensional", x->type.ndim),
               NULL;
    return x;
}

/* Which of the `n` texts argument i is; -1: an error that lists them. */
static int one_of(Front *f, int i, const char *const *text, int n) {
    const char *s = f->arg[i].kind == TH_ARG_STR ? f->arg[i].s : NULL;
    Text t;
    for (int k = 0; s && k < n; k++)
        if (strcmp(s, text[k]) == 0) return k;
    text_init(&t, f->ctx);
    for (int k = 0; k < n; k++) text_printf(&t, "%s\"%s\"", k ? ", " : "", text[k]);
    front_error(f, TH_ValueError, "'%s' should be one of %s", s ? s : "(no text)", t.at ? t.at : "");
    text_free(&t);
    return -1;
}

static bool nan_wanted(Front *f, int i) {
    static const char *const texts[] = {"raise", "nan"};
    return one_of(f, i, texts, 2) == 1;
}

/* 0, 1, 2 or "N", "T", "C"; true: "T". */
static int trans_of(Front *f, int i) {
    static const char *const texts[] = {"N", "T", "C"};
    if (f->arg[i].kind == TH_ARG_BOOL) return f->arg[i].b ? FACTOR_T : FACTOR_N;
    if (f->arg[i].kind == TH_ARG_INT && f->arg[i].i >= 0 && f->arg[i].i <= 2) return (int)f->arg[i].i;
    if (f->arg[i].kind == TH_ARG_INT)
        return front_error(f, TH_ValueError, "trans is 0, 1, 2 or \"N\", \"T\", \"C\", not %lld",
                           (long long)f->arg[i].i);
    return one_of(f, i, texts, 3);
}

static bool lower_of(Front *f, int i) { /* UPLO */
    static const char *const texts[] = {"L", "U", "l", "u"};
    return (one_of(f, i, texts, 4) & 1) == 0;
}

static int results(Front *f, ThApply *a) { return a ? front_return_n(f, a->out, a->nout) : -1; }

/* ---- factors ----------------------------------------------------------------------------------------------------- */
int front_cholesky(Front *f) {
    ThVar *x = matrices(f, 0);
    bool lower = front_bool(f, 1), nan = nan_wanted(f, 2);
    return failed(f->ctx) ? -1 : front_return(f, cholesky_make(f->b, x, lower, nan));
}

int front_qr(Front *f) {
    static const char *const modes[] = {
        [FACTOR_REDUCED] = "reduced", [FACTOR_COMPLETE] = "complete", [FACTOR_R] = "r", [FACTOR_RAW] = "raw"};
    ThVar *x = matrices(f, 0);
    int mode = one_of(f, 1, modes, 4);
    return failed(f->ctx) ? -1 : results(f, qr_make(f->b, x, mode));
}

int front_svd(Front *f) {
    ThVar *x = matrices(f, 0);
    bool full = front_bool(f, 1), vectors = front_bool(f, 2);
    return failed(f->ctx) ? -1 : results(f, svd_make(f->b, x, full, vectors));
}

int front_lu_factor(Front *f) {
    ThVar *x = matrices(f, 0);
    return failed(f->ctx) ? -1 : results(f, lu_make(f->b, x));
}

/* The identity of m rows, times x's dtype. */
static ThVar *identity(Builder *b, ThVar *n, ThVar *m, ThDtype d) {
    ThVar *zero = const_int(b, 0, TH_INT64);
    return n && m && zero ? apply1(b, &op_eye, &(DtypeAttrs){(uint8_t)d}, (ThVar *[]){n, m, zero}, 3) : NULL;
}

static ThVar *triangle(Builder *b, const char *name, ThVar *x, int k) {
    return x ? front_call(b, name, (ThArg[]){front_arg_var(x), front_arg_int(k)}, 2) : NULL;
}

static ThVar *part(Builder *b, ThVar *x, int axis, ThVar *stop) { /* the first `stop` of an axis */
    AttrIdx idx = {.n = (int8_t)(axis + 1)};
    ThVar *in = stop ? index_make(b, stop) : NULL;
    if (!x || !in) return NULL;
    for (int d = 0; d <= axis; d++) idx.at[d].kind = 's';
    idx.at[axis].has = 2;
    idx.at[axis].dtype[1] = TH_INT64;
    return subtensor_make(b, x, &idx, &in, 1);
}

/* Positions of min(m, n) exchanges as those of m, of which the others exchange nothing. */
static ThVar *all_rows(Builder *b, ThVar *at, ThVar *p, ThVar *m) {
    ThVar *n[TH_MAX_NDIM], *one = const_int(b, 1, TH_INT64);
    if (!at || !p || !m || !one) return NULL;
    int nd = at->type.ndim;
    for (int d = 0; d < nd - 1; d++) n[d] = shape_length_make(b, at, d);
    n[nd - 1] = elemwise_2(b, S_sub, m, p);
    ThVar *rest = cast_make(b, arange_make(b, p, m, one, TH_INT64), TH_INT32), *axis = const_int(b, nd - 1, TH_INT8);
    rest = rest && nd > 1 ? alloc_make(b, rest, n, nd) : rest;
    return rest && axis ? join_make(b, axis, (ThVar *[]){at, rest}, 2) : NULL;
}

/* P, L, U with x = P L U: what LUSolve makes of an identity with these exchanges of rows is P. */
int front_lu(Front *f) {
    Builder *b = f->b;
    ThVar *x = matrices(f, 0);
    bool permute = front_bool(f, 1);
    ThApply *a = failed(f->ctx) ? NULL : lu_make(b, x);
    if (!a) return -1;
    ThVar *lu = a->out[0];
    int nd = lu->type.ndim;
    ThDtype d = (ThDtype)lu->type.dtype;
    ThVar *m = shape_length_make(b, lu, nd - 2), *n = shape_length_make(b, lu, nd - 1);
    ThVar *p = elemwise_2(b, S_minimum, m, n), *whole = identity(b, m, m, linalg_real(d));
    ThVar *l = part(b, triangle(b, "tril", lu, -1), nd - 1, p), *u = part(b, triangle(b, "triu", lu, 0), nd - 2, p);
    l = elemwise_2(b, S_add, l, identity(b, m, p, d));
    whole = with_axes_make(b, whole, 0, nd - 2);
    ThVar *pm = lu_solve_make(b, whole, all_rows(b, a->out[1], p, m), whole, FACTOR_T, false);
    if (permute) return front_return_n(f, (ThVar *[]){matmul_make(b, pm, l), u}, 2);
    return front_return_n(f, (ThVar *[]){pm, l, u}, 3);
}

/* ---- eigenvalues ------------------------------------------------------------------------------------------------- */
int front_eig(Front *f) {
    ThVar *x = matrices(f, 0);
    bool complex = front_bool(f, 1), vectors = !front_is(f, "nlinalg.eigvals");
    return failed(f->ctx) ? -1 : results(f, eig_make(f->b, x, complex, vectors));
}

int front_eigh(Front *f) {
    ThVar *x = matrices(f, 0);
    bool lower = lower_of(f, 1), vectors = !front_is(f, "nlinalg.eigvalsh");
    return failed(f->ctx) ? -1 : results(f, eigh_make(f->b, x, lower, vectors));
}

int front_eigvalsh(Front *f) {
    ThVar *a = matrices(f, 0), *b = front_none(f, 1) ? NULL : matrices(f, 1);
    bool lower = front_bool(f, 2);
    return failed(f->ctx) ? -1 : front_return(f, eigvalsh_make(f->b, a, b, lower));
}

/* ---- solutions --------------------------------------------------------------------------------------------------- */
/* The right side as a matrix; a vector becomes a column, which goes again from the solution. */
typedef struct Right {
    ThVar *y;
    bool vector;
} Right;

static Right right_side(Front *f, int i) {
    Right r = {.y = front_var(f, i)};
    if (r.y && r.y->type.kind == TYPE_TENSOR && r.y->type.ndim == 0)
        front_error(f, TH_ValueError, "the right side is a vector or a matrix, not a number");
    r.vector = r.y && r.y->type.ndim == 1;
    if (r.vector) r.y = with_axes_make(f->b, r.y, 1, 1);
    return r;
}

static int solution(Front *f, const Right *r, ThVar *z) {
    return front_return(f, z && r->vector ? without_axes_make(f->b, z, z->type.ndim - 1, 1) : z);
}

enum { LOWER_TRIANGULAR = FACTOR_POS + 1, UPPER_TRIANGULAR };

static int structure(Front *f, int i) {
    static const char *const texts[] = {"gen",
                                        "sym",
                                        "her",
                                        "pos",
                                        "lower triangular",
                                        "upper triangular",
                                        "general",
                                        "symmetric",
                                        "hermitian",
                                        "positive definite",
                                        "lower_triangular",
                                        "upper_triangular",
                                        "positive_definite"};
    static const int8_t what[] = {FACTOR_GEN,       FACTOR_SYM,       FACTOR_HER, FACTOR_POS, LOWER_TRIANGULAR,
                                  UPPER_TRIANGULAR, FACTOR_GEN,       FACTOR_SYM, FACTOR_HER, FACTOR_POS,
                                  LOWER_TRIANGULAR, UPPER_TRIANGULAR, FACTOR_POS};
    int k = one_of(f, i, texts, TH_LEN(texts));
    return k < 0 ? -1 : what[k];
}

int front_solve(Front *f) {
    ThVar *a = matrices(f, 0);
    Right r = right_side(f, 1);
    int what = front_is(f, "slinalg.solve_symmetric") ? FACTOR_SYM : structure(f, 2);
    bool whole = !front_is(f, "slinalg.solve_symmetric");
    LinalgAttrs at = {.assume = (int8_t)what, .lower = front_bool(f, whole ? 3 : 2)};
    at.trans = (int8_t)(whole ? trans_of(f, 4) : FACTOR_N);
    at.nan = nan_wanted(f, whole ? 5 : 3);
    if (failed(f->ctx)) return -1;
    if (what < LOWER_TRIANGULAR) return solution(f, &r, solve_make(f->b, a, r.y, &at));
    at.lower = what == LOWER_TRIANGULAR;
    return solution(f, &r, solve_triangular_make(f->b, a, r.y, &at));
}

int front_solve_triangular(Front *f) {
    ThVar *a = matrices(f, 0);
    Right r = right_side(f, 1);
    bool any = front_is(f, "slinalg.solve_triangular");
    LinalgAttrs at = {.trans = (int8_t)trans_of(f, 2), .lower = front_is(f, "slinalg.solve_lower_triangular")};
    if (any) at.lower = front_bool(f, 3);
    at.unit = front_bool(f, 3 + any);
    at.nan = nan_wanted(f, 4 + any);
    return failed(f->ctx) ? -1 : solution(f, &r, solve_triangular_make(f->b, a, r.y, &at));
}

int front_cho_solve(Front *f) {
    const ThArg *pair = &f->arg[0];
    bool listed = pair->kind == TH_ARG_LIST && pair->list.n == 2 && pair->list.at[1].kind == TH_ARG_BOOL;
    ThVar *c = listed ? front_as_var(f, &pair->list.at[0], "c") : front_var(f, 0);
    Right r = right_side(f, 1);
    bool lower = listed ? pair->list.at[1].b : front_bool(f, 2);
    if (c && c->type.ndim < 2) return front_error(f, TH_ValueError, "the factor is a matrix");
    return failed(f->ctx) ? -1 : solution(f, &r, cholesky_solve_make(f->b, c, r.y, lower));
}

int front_lu_solve(Front *f) {
    ThVar *lu = matrices(f, 0), *at = front_var(f, 1);
    Right r = right_side(f, 2);
    int trans = trans_of(f, 3);
    if (failed(f->ctx)) return -1;
    if (!dtype_is_int((ThDtype)at->type.dtype) || at->type.ndim + 1 != lu->type.ndim)
        return front_error(f, TH_TypeError, "piv holds integers: the second result of lu_factor");
    return solution(f, &r, lu_solve_make(f->b, lu, at, r.y, trans, false));
}

int front_lstsq(Front *f) {
    ThVar *x = matrices(f, 0), *rc;
    Right r = right_side(f, 1);
    if (front_none(f, 2)) rc = const_float(f->b, NAN, TH_FLOAT64);
    else if (f->arg[2].kind == TH_ARG_FLOAT || f->arg[2].kind == TH_ARG_INT)
        rc = const_float(f->b, front_float(f, 2), TH_FLOAT64);
    else rc = front_var(f, 2);
    if (failed(f->ctx)) return -1;
    if (rc->type.kind != TYPE_TENSOR || rc->type.ndim != 0) return front_error(f, TH_TypeError, "rcond is a number");
    ThApply *a = lstsq_make(f->b, x, r.y, rc);
    if (!a) return -1;
    ThVar *z = r.vector ? without_axes_make(f->b, a->out[0], a->out[0]->type.ndim - 1, 1) : a->out[0];
    return front_return_n(f, (ThVar *[]){z, a->out[1], a->out[2], a->out[3]}, 4);
}

/* ---- inverses, determinants, functions --------------------------------------------------------------------------- */
int front_inverse(Front *f) {
    ThVar *x = matrices(f, 0);
    bool nan = nan_wanted(f, 1);
    return failed(f->ctx) ? -1 : front_return(f, matrix_inverse_make(f->b, x, nan));
}

int front_pinv(Front *f) {
    ThVar *x = matrices(f, 0);
    double rcond = front_none(f, 1) ? NAN : front_float(f, 1);
    bool hermitian = front_bool(f, 2);
    return failed(f->ctx) ? -1 : front_return(f, pinv_make(f->b, x, rcond, hermitian));
}

int front_det(Front *f) {
    ThVar *x = matrices(f, 0);
    return failed(f->ctx) ? -1 : front_return(f, det_make(f->b, x));
}

int front_slogdet(Front *f) {
    ThVar *x = matrices(f, 0);
    ThApply *a = failed(f->ctx) ? NULL : slogdet_make(f->b, x);
    if (!a) return -1;
    return front_is(f, "nlinalg.logdet") ? front_return(f, a->out[1]) : results(f, a);
}

int front_matrix_function(Front *f) {
    ThVar *x = matrices(f, 0);
    if (failed(f->ctx)) return -1;
    if (front_is(f, "slinalg.expm")) return front_return(f, expm_make(f->b, x));
    return front_return(f, front_is(f, "slinalg.sqrtm") ? sqrtm_make(f->b, x) : logm_make(f->b, x));
}

int front_hint(Front *f) {
    ThVar *x = matrices(f, 0);
    HintAttrs at = {front_bool(f, 1), front_bool(f, 2), front_bool(f, 3), front_bool(f, 4)};
    at.symmetric |= at.psd;
    return failed(f->ctx) ? -1 : front_return(f, hint_make(f->b, x, &at));
}
