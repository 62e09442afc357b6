/*
 * blas.c -- products of matrices and vectors as the calls of a BLAS: Dot22, Dot22Scalar, Gemv, Ger.
 * In: Dot and Gemm nodes. Out: nodes whose operands have exactly the rank the call wants, through views. beta == 0
 * never reads the destination, so it is an AllocEmpty.
 */
#include "rules.h"

static const int8_t row[] = {-1, 0}, col[] = {0, -1}, first[] = {0}, second_[] = {1};

static ThVar *as_row(Opt *o, ThVar *v) { return dimshuffle_make(&o->b, v, row, 2); }
static ThVar *as_col(Opt *o, ThVar *v) { return dimshuffle_make(&o->b, v, col, 2); }
/* The vector in dimension d of a matrix whose other dimension is broadcastable. */
static ThVar *vector_of(Opt *o, ThVar *m, int d) { return dimshuffle_make(&o->b, m, d ? second_ : first, 1); }

static ThVar *number(Opt *o, double x, ThDtype d) { return const_float(&o->b, x, d); }

static bool blas_dtype(ThDtype d) { return dtype_is_float(d) || dtype_is_complex(d); }

/* Operands of other dtypes are cast first: a pass over each is little beside the product. */
ThVar *rw_dot_to_dot22(Opt *o, ThApply *a) {
    ThDtype d = a->out[0]->type.dtype;
    if (!blas_dtype(d)) return NULL;
    ThVar *x = cast_make(&o->b, a->in[0], d), *y = cast_make(&o->b, a->in[1], d), *in[2];
    if (!x || !y) return NULL;
    in[0] = x->type.ndim == 1 ? as_row(o, x) : x;
    in[1] = y->type.ndim == 1 ? as_col(o, y) : y;
    ThVar *r = apply1(&o->b, &op_dot22, NULL, in, 2);
    if (x->type.ndim == 1 && y->type.ndim == 1) return dimshuffle_make(&o->b, r, NULL, 0);
    if (x->type.ndim == 1) return r ? vector_of(o, r, 1) : NULL;
    return y->type.ndim == 1 && r ? vector_of(o, r, 0) : r;
}

/* s * Dot22(x, y) -> Dot22Scalar(x, y, s): s one factor or the product of several scalars, one client of the Dot22. */
ThVar *rw_dot22_to_dot22scalar(Opt *o, ThApply *a) {
    ThVar *dot = NULL, *scalar[KACC];
    int n = 0;
    if (a->nin > KACC) return NULL;
    for (int i = 0; i < a->nin; i++) {
        ThVar *v = a->in[i];
        if (!dot && ask_op(v, &op_dot22) && v->nclients == 1) dot = v;
        else if (ask_all_bcast(v->type)) scalar[n++] = dimshuffle_make(&o->b, v, NULL, 0);
        else return NULL;
    }
    if (!dot || !n || a->out[0]->type.dtype != dot->type.dtype || dtype_is_complex(dot->type.dtype)) return NULL;
    ThVar *s = cast_make(&o->b, opt_call(o, S_mul, scalar, n, dot->type.dtype), dot->type.dtype);
    return apply1(&o->b, &op_dot22scalar, NULL, (ThVar *[]){dot->owner->in[0], dot->owner->in[1], s}, 3);
}

static ThVar *gemv(Opt *o, ThVar *y, ThVar *alpha, ThVar *m, ThVar *x, ThVar *beta) {
    return apply1(&o->b, &op_cgemv, NULL, (ThVar *[]){y, alpha, m, x, beta}, 5);
}

/* Gemm whose result is one row or one column. */
ThVar *rw_gemm_to_gemv(Opt *o, ThApply *a) {
    ThVar *z = a->in[0], *x = a->in[2], *y = a->in[3];
    if (dtype_is_complex(z->type.dtype)) return NULL;
    if (z->type.broadcastable == 1 && x->type.broadcastable == 1)
        return as_row(o, gemv(o, vector_of(o, z, 1), a->in[1], transpose_make(&o->b, y), vector_of(o, x, 1), a->in[4]));
    if (z->type.broadcastable == 2 && y->type.broadcastable == 2)
        return as_col(o, gemv(o, vector_of(o, z, 0), a->in[1], x, vector_of(o, y, 0), a->in[4]));
    return NULL;
}

static ThVar *ger(Opt *o, ThVar *z, ThVar *alpha, ThVar *x, ThVar *y) {
    return apply1(&o->b, &op_cger, NULL, (ThVar *[]){z, alpha, vector_of(o, x, 0), vector_of(o, y, 1)}, 4);
}

static ThVar *zeros(Opt *o, ThVar *x, ThVar *y) {
    ThVar *size[2] = {shape_i(o, x, 0), shape_i(o, y, 1)};
    return size[0] && size[1] ? alloc_make(&o->b, number(o, 0, x->type.dtype), size, 2) : NULL;
}

/* Gemm of a column and a row with beta 1 (or 0: on zeros). */
ThVar *rw_gemm_to_ger(Opt *o, ThApply *a) {
    ThVar *x = a->in[2], *y = a->in[3];
    double beta;
    if (!type_bcast(x->type, 1) || !type_bcast(y->type, 0) || !ask_value(a->in[4], &beta) ||
        dtype_is_complex(x->type.dtype))
        return NULL;
    if (beta != 0 && beta != 1) return NULL;
    ThVar *z = beta == 1 ? a->in[0] : zeros(o, x, y);
    return ger(o, z, a->in[1], x, y);
}

static ThVar *empty(Opt *o, ThVar *m, int d) {
    ThVar *size = shape_i(o, m, d);
    return size ? alloc_empty_make(&o->b, (ThDtype)m->type.dtype, &size, 1) : NULL;
}

ThVar *rw_dot22_to_ger_or_gemv(Opt *o, ThApply *a) {
    ThVar *x = a->in[0], *y = a->in[1];
    ThDtype d = x->type.dtype;
    bool x0 = type_bcast(x->type, 0), x1 = type_bcast(x->type, 1), y0 = type_bcast(y->type, 0),
         y1 = type_bcast(y->type, 1);
    if (dtype_is_complex(d)) return NULL;
    ThVar *one = number(o, 1, d), *zero = number(o, 0, d);
    if (x1 && y0) return ger(o, zeros(o, x, y), one, x, y);
    if (x0) {
        ThVar *e = empty(o, y, 1);
        return e ? as_row(o, gemv(o, e, one, transpose_make(&o->b, y), vector_of(o, x, 1), zero)) : NULL;
    }
    if (!x1 && y1) {
        ThVar *e = empty(o, x, 0);
        return e ? as_col(o, gemv(o, e, one, x, vector_of(o, y, 0), zero)) : NULL;
    }
    return NULL;
}
