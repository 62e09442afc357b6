/*
 * create.c -- functions that make tensors from lengths: alloc, zeros, ones, arange, eye, tri and their kin.
 */
#include "util.h"

static ThDtype dtype_or_floatX(Front *f, int i) {
    ThDtype d = front_dtype(f, i);
    return d != TH_DTYPE_NONE ? d : f->b->arrays ? TH_FLOAT64 : config_floatX(f->ctx);
}

/* 0-d constant of dtype d. */
static ThVar *number(Builder *b, int v, ThDtype d) {
    if (dtype_is_float(d)) return const_float(b, v, d);
    if (dtype_is_discrete(d) && d != TH_BOOL) return const_int(b, v, d);
    return cast_make(b, const_int(b, v, TH_INT8), d);
}

int front_alloc(Front *f) {
    VarVec v = {0};
    ThVar *x = front_var(f, 0), *r = NULL;
    if (x && front_lengths(f, -1, &v)) r = alloc_make(f->b, x, v.at, v.n);
    vec_free(f->ctx, &v);
    return front_return(f, r);
}

int front_zeros(Front *f) {
    VarVec v = {0};
    ThDtype d = dtype_or_floatX(f, 1);
    ThVar *r = NULL;
    if (!failed(f->ctx) && front_lengths(f, 0, &v))
        r = alloc_make(f->b, number(f->b, front_is(f, "ones"), d), v.at, v.n);
    vec_free(f->ctx, &v);
    return front_return(f, r);
}

int front_zeros_like(Front *f) {
    ThVar *x = front_var(f, 0);
    ThDtype d = front_dtype(f, 1);
    front_bool(f, 2); /* opt, which says who asks, changes nothing */
    if (!x || failed(f->ctx)) return -1;
    if (d == TH_DTYPE_NONE) d = (ThDtype)x->type.dtype;
    return front_return(f, second_make(f->b, x, number(f->b, front_is(f, "ones_like"), d)));
}

int front_arange(Front *f) {
    ThVar *start = front_var(f, 0), *stop = front_none(f, 1) ? NULL : front_var(f, 1), *step = front_var(f, 2);
    ThDtype d = front_dtype(f, 3);
    if (failed(f->ctx)) return -1;
    if (front_none(f, 1)) {
        stop = start;
        start = const_int(f->b, 0, TH_DTYPE_NONE);
    }
    return front_return(f, arange_make(f->b, start, stop, step, d));
}

static ThVar *eye_make(Builder *b, const Op *op, ThVar *n, ThVar *m, ThVar *k, ThDtype d) {
    return apply1(b, op, &(DtypeAttrs){(uint8_t)d}, (ThVar *[]){n, m, k}, 3);
}

int front_eye(Front *f) {
    ThVar *n = front_var(f, 0), *m = front_none(f, 1) ? n : front_var(f, 1), *k = front_var(f, 2);
    ThDtype d = dtype_or_floatX(f, 3);
    if (failed(f->ctx)) return -1;
    return front_return(f, eye_make(f->b, front_is(f, "eye") ? &op_eye : &op_tri, n, m, k, d));
}

int front_identity_like(Front *f) {
    ThVar *x = front_var(f, 0), *dims[TH_MAX_NDIM];
    if (!x || !front_shape_of(f->b, x, dims)) return -1;
    if (x->type.ndim != 2) return front_error(f, TH_ValueError, "x must be a matrix");
    return front_return(
        f, eye_make(f->b, &op_eye, dims[0], dims[1], const_int(f->b, 0, TH_DTYPE_NONE), (ThDtype)x->type.dtype));
}

/*
 * Of the last two dimensions. m * tri(.., k), or m * (1 - tri(.., k - 1)): elements outside are multiplied by zero, as
 * in Theano; in eager calls they are zero, as in NumPy. A vector is each row of a square matrix, as in NumPy.
 */
int front_tril(Front *f) {
    ThVar *x = front_var(f, 0), *dims[TH_MAX_NDIM];
    int64_t k = front_int(f, 1);
    bool upper = front_is(f, "triu");
    if (!x || failed(f->ctx) || !front_shape_of(f->b, x, dims)) return -1;
    int nd = x->type.ndim;
    if (nd < 1) return front_error(f, TH_ValueError, "m must be a vector, a matrix, or several");
    if (nd == 1) {
        if (!(x = front_pad(f->b, x, 1, 0))) return -1;
        dims[1] = dims[0];
        nd = 2;
    }
    ThDtype d = (ThDtype)x->type.dtype, m = f->b->arrays ? TH_BOOL : d;
    if (upper && k > INT64_MIN) k--;
    ThVar *mask = eye_make(f->b, &op_tri, dims[nd - 2], dims[nd - 1], const_int(f->b, k, TH_INT64), m);
    if (upper)
        mask = m == TH_BOOL ? elemwise_1(f->b, S_invert, mask) : elemwise_2(f->b, S_sub, number(f->b, 1, d), mask);
    if (m == d) return front_return(f, elemwise_2(f->b, S_mul, x, mask));
    return front_return(f, elemwise_3(f->b, S_switch, mask, x, number(f->b, 0, d)));
}
