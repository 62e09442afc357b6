/*
 * linear.c -- products built from Dot and BatchedDot: batched products, chains and powers of matrices, kron. In
 * blocks.c: matrices from blocks, tensors as matrices.
 */
#include "util.h"
#include "ops/table/linalg.h"

/* v (batch) beside the other dimensions of x. */
static ThVar *scaled(Builder *b, ThVar *v, ThVar *x, bool first) {
    ThVar *w = front_pad(b, v, 0, x->type.ndim - 1);
    return first ? elemwise_2(b, S_mul, w, x) : elemwise_2(b, S_mul, x, w);
}

/* ---- batched tensordot ------------------------------------------------------------------------------------------- */
typedef struct Side { /* one operand: its batch axis, the axes that stay, the axes summed over */
    ThVar *x, *dims[TH_MAX_NDIM];
    int kept[TH_MAX_NDIM], nkept, nsum;
    int64_t sum[TH_MAX_NDIM];
} Side;

static bool side_begin(Front *f, Side *s, ThVar *x) {
    s->x = x;
    for (int d = 1; d < x->type.ndim; d++) {
        bool summed = false;
        for (int i = 0; i < s->nsum; i++) summed = summed || s->sum[i] == d;
        if (!summed) s->kept[s->nkept++] = d;
    }
    return front_shape_of(f->b, x, s->dims);
}

static ThVar *length_of(Builder *b, const Side *s, const int *axes, const int64_t *sums, int n) {
    ThVar *p = const_int(b, 1, TH_INT64);
    for (int i = 0; i < n; i++) {
        ThVar *d = s->dims[axes ? axes[i] : (int)sums[i]];
        p = i ? elemwise_2(b, S_mul, p, d) : d;
    }
    return p;
}

/* The operand as (batch, kept, summed), or (batch, summed, kept). */
static ThVar *side_matrix(Front *f, const Side *s, bool kept_first) {
    int8_t order[TH_MAX_NDIM] = {0};
    int n = 1, nd = s->x->type.ndim;
    for (int i = 0; kept_first && i < s->nkept; i++) order[n++] = (int8_t)s->kept[i];
    for (int i = 0; i < s->nsum; i++) order[n++] = (int8_t)s->sum[i];
    for (int i = 0; !kept_first && i < s->nkept; i++) order[n++] = (int8_t)s->kept[i];
    ThVar *kept = length_of(f->b, s, s->kept, NULL, s->nkept), *sum = length_of(f->b, s, NULL, s->sum, s->nsum);
    ThVar *shape[3] = {s->dims[0], kept_first ? kept : sum, kept_first ? sum : kept};
    ThVar *x = dimshuffle_make(f->b, s->x, order, nd);
    return x ? reshape_make(f->b, x, front_shape_vector(f->b, shape, 3), 3) : NULL;
}

static ThVar *batched(Front *f, Side *x, Side *y) {
    ThVar *shape[2 * TH_MAX_NDIM];
    int n = 0;
    uint32_t bits = x->x->type.broadcastable & 1;
    ThVar *z = batched_dot_make(f->b, side_matrix(f, x, true), side_matrix(f, y, false));
    shape[n++] = x->dims[0];
    for (int i = 0; i < x->nkept; i++, n++) {
        shape[n] = x->dims[x->kept[i]];
        bits |= (uint32_t)type_bcast(x->x->type, x->kept[i]) << n;
    }
    for (int i = 0; i < y->nkept; i++, n++) {
        shape[n] = y->dims[y->kept[i]];
        bits |= (uint32_t)type_bcast(y->x->type, y->kept[i]) << n;
    }
    z = z ? reshape_make(f->b, z, front_shape_vector(f->b, shape, n), n) : NULL;
    return patternbroadcast_make(f->b, z, bits);
}

static bool side_axes(Front *f, Side *s, const ThArg *a, ThVar *x) {
    int n = a->kind == TH_ARG_LIST ? a->list.n : 1;
    const ThArg *at = a->kind == TH_ARG_LIST ? a->list.at : a;
    if (n > x->type.ndim) return front_error(f, TH_ValueError, "%d axes for %d dimensions", n, x->type.ndim) >= 0;
    for (int i = 0; i < n; i++) {
        if (at[i].kind != TH_ARG_INT) return front_error(f, TH_TypeError, "axes must be integers") >= 0;
        int64_t axis = at[i].i;
        if (!axis_normalize(f->ctx, &axis, x->type.ndim, f->info->name)) return false;
        if (axis == 0)
            return front_error(f, TH_ValueError, "axes to sum over must not contain the batch axis (axis 0)") >= 0;
        for (int j = 0; j < i; j++)
            if (s->sum[j] == axis) return front_error(f, TH_ValueError, "axis %d is given twice", (int)axis) >= 0;
        s->sum[s->nsum++] = axis;
    }
    return true;
}

static ThVar *tensordot(Front *f, Side *x, ThVar *a, Side *y, ThVar *b) {
    if (x->nsum != y->nsum) {
        front_error(f, TH_ValueError, "%d axes of x against %d of y", x->nsum, y->nsum);
        return NULL;
    }
    if (a->type.ndim + b->type.ndim > TH_MAX_NDIM) {
        front_error(f, TH_ValueError, "too many dimensions");
        return NULL;
    }
    return side_begin(f, x, a) && side_begin(f, y, b) ? batched(f, x, y) : NULL;
}

int front_batched_tensordot(Front *f) {
    ThVar *a = front_var(f, 0), *b = front_var(f, 1);
    const ThArg *axes = &f->arg[2];
    Side x = {0}, y = {0};
    if (!a || !b) return -1;
    if (a->type.ndim == 0 || b->type.ndim == 0)
        return front_error(f, TH_TypeError, "both arguments must have at least one (batch) axis");
    if (axes->kind == TH_ARG_LIST) {
        if (axes->list.n != 2) return front_error(f, TH_ValueError, "axes must be a number or a list of two");
        if (!side_axes(f, &x, &axes->list.at[0], a) || !side_axes(f, &y, &axes->list.at[1], b)) return -1;
        return front_return(f, tensordot(f, &x, a, &y, b));
    }
    int64_t n = front_int(f, 2);
    if (failed(f->ctx)) return -1;
    if (n < 0 || n >= a->type.ndim || n >= b->type.ndim)
        return front_error(f, TH_ValueError, "axes = %lld does not fit tensors of %d and %d dimensions", (long long)n,
                           a->type.ndim, b->type.ndim);
    for (int i = 0; i < n; i++) {
        x.sum[x.nsum++] = a->type.ndim - n + i;
        y.sum[y.nsum++] = 1 + i;
    }
    return front_return(f, tensordot(f, &x, a, &y, b));
}

int front_batched_dot(Front *f) {
    ThVar *a = front_var(f, 0), *b = front_var(f, 1);
    if (!a || !b) return -1;
    int an = a->type.ndim, bn = b->type.ndim;
    if (an == 0) return front_error(f, TH_TypeError, "a must have at least one (batch) axis");
    if (bn == 0) return front_error(f, TH_TypeError, "b must have at least one (batch) axis");
    if (an == 1) return front_return(f, scaled(f->b, a, b, true));
    if (bn == 1) return front_return(f, scaled(f->b, b, a, false));
    if (an <= 3 && bn <= 3) return front_return(f, batched_dot_make(f->b, a, b));
    Side x = {.nsum = 1, .sum = {an - 1}}, y = {.nsum = 1, .sum = {bn > 3 ? bn - 2 : 1}};
    return front_return(f, tensordot(f, &x, a, &y, b));
}

/* NumPy's matmul: a vector is a row on the left, a column on the right, and its dimension of length 1 goes again. */
int front_matmul(Front *f) {
    ThVar *a = front_var(f, 0), *b = front_var(f, 1);
    if (!a || !b) return -1;
    int an = a->type.ndim, bn = b->type.ndim;
    if (an == 0 || bn == 0) return front_error(f, TH_ValueError, "a number is no operand, use * instead");
    if (an <= 2 && bn <= 2) return front_return(f, dot_make(f->b, a, b));
    if (an == 1) a = with_axes_make(f->b, a, 0, 1);
    if (bn == 1) b = with_axes_make(f->b, b, 1, 1);
    ThVar *r = matmul_make(f->b, a, b);
    if (r && an == 1) r = without_axes_make(f->b, r, r->type.ndim - 2, 1);
    if (r && bn == 1) r = without_axes_make(f->b, r, r->type.ndim - 1, 1);
    return front_return(f, r);
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */
int front_matrix_dot(Front *f) {
    VarVec v = {0};
    ThVar *r = NULL;
    if (front_list(f, -1, &v)) {
        if (v.n == 0) front_error(f, TH_TypeError, "needs at least one matrix");
        else r = v.at[0];
        for (int i = 1; r && i < v.n; i++) {
            ThArg two[2] = {front_arg_var(r), front_arg_var(v.at[i])};
            r = front_call(f->b, "dot", two, 2);
        }
    }
    vec_free(f->ctx, &v);
    return front_return(f, r);
}

/* The order is einsum's: "ab,bc,cd->ad". */
int front_multi_dot(Front *f) {
    VarVec v = {0};
    ThArg args[54];
    char text[3 * 52 + 8], *t = text;
    ThVar *r = NULL;
    bool ok = front_list(f, -1, &v);
    if (ok && (v.n < 2 || v.n > 50))
        ok = front_error(f, TH_ValueError, "2 to 50 matrices are possible, %d given", v.n) > 0;
    for (int i = 0; ok && i < v.n; i++) {
        bool end = i == 0 || i == v.n - 1;
        int nd = v.at[i]->type.ndim;
        char here = (char)(i < 26 ? 'a' + i : 'A' + i - 26), next = (char)(i + 1 < 26 ? 'a' + i + 1 : 'A' + i - 25);
        if (nd != 2 && !(end && nd == 1))
            ok = front_error(f, TH_ValueError, "array %d has %d dimensions: it must be a matrix%s", i + 1, nd,
                             end ? " or a vector" : "") > 0;
        if (i) *t++ = ',';
        if (nd == 2 || i) *t++ = here;
        if (nd == 2 || !i) *t++ = next;
        args[1 + i] = front_arg_var(v.at[i]);
    }
    if (ok) {
        char last = (char)(v.n < 26 ? 'a' + v.n : 'A' + v.n - 26);
        *t++ = '-', *t++ = '>';
        if (v.at[0]->type.ndim == 2) *t++ = 'a';
        if (v.at[v.n - 1]->type.ndim == 2) *t++ = last;
        args[0] = (ThArg){.kind = TH_ARG_STR, .s = intern_n(f->ctx, text, (size_t)(t - text))};
        r = front_call(f->b, "einsum", args, v.n + 1);
    }
    vec_free(f->ctx, &v);
    return front_return(f, r);
}

enum { MOST_FACTORS = 1 << 30 };

/* By squares of squares; up to M^3 as Theano has it. */
int front_matrix_power(Front *f) {
    ThVar *m = front_var(f, 0), *r = NULL;
    int64_t n = front_int(f, 1);
    if (!m || failed(f->ctx)) return -1;
    if (m->type.ndim < 2)
        return front_error(f, f->b->arrays ? TH_LinAlgError : TH_TypeError, "M must be a matrix, it has %d dimensions",
                           m->type.ndim);
    if (n < -MOST_FACTORS || n > MOST_FACTORS)
        return front_error(f, TH_ValueError, "n = %lld products are too many: at most %d", (long long)n, MOST_FACTORS);
    if (n == 0 && m->type.ndim == 2) {
        ThArg a = front_arg_var(m);
        return front_return(f, front_call(f->b, "identity_like", &a, 1));
    }
    if (n == 0) {
        ThArg a = front_arg_var(diagonals_make(f->b, m));
        ThVar *ones = front_call(f->b, "ones_like", &a, 1);
        return front_return(f, diagonal_matrices_make(f->b, ones));
    }
    if (n < 0) m = matrix_inverse_make(f->b, m, false), n = -n;
    for (; n && m; n >>= 1) {
        if (n & 1) r = r ? matmul_make(f->b, m, r) : m;
        if (n > 1) m = matmul_make(f->b, m, m);
        if (failed(f->ctx)) return -1;
    }
    return front_return(f, r);
}

/* Theano's, which is scipy.linalg.kron: dimensions 0 and 2 of the outer product merged, and 1 and 3. */
int front_kron(Front *f) {
    ThVar *a = front_var(f, 0), *b = front_var(f, 1), *dims[TH_MAX_NDIM];
    int8_t order[TH_MAX_NDIM];
    if (!a || !b) return -1;
    int an = a->type.ndim, bn = b->type.ndim, n = an + bn;
    if (n <= 2)
        return front_error(f, TH_TypeError, "inputs dimensions must sum to 3 or more. You passed %d and %d.", an, bn);
    if (an < 1 || bn < 1 || n > TH_MAX_NDIM)
        return front_error(f, TH_TypeError, "inputs have 1 to %d dimensions together. You passed %d and %d.",
                           TH_MAX_NDIM, an, bn);
    if (!front_shape_of(f->b, a, dims) || !front_shape_of(f->b, b, dims + an)) return -1;
    ThArg two[2] = {front_arg_var(a), front_arg_var(b)};
    ThVar *o = front_call(f->b, "outer", two, 2);
    o = o ? reshape_make(f->b, o, front_shape_vector(f->b, dims, n), n) : NULL;
    for (int d = 0; d < n; d++) order[d] = (int8_t)d;
    order[0] = n == 3, order[1] = n == 3 ? 0 : 2, order[2] = n == 3 ? 2 : 1;
    o = o ? dimshuffle_make(f->b, o, order, n) : NULL;
    if (!o || n == 3) return front_return(f, front_flatten_to(f->b, o, 1));
    dims[0] = elemwise_2(f->b, S_mul, dims[0], dims[2]);
    dims[1] = elemwise_2(f->b, S_mul, dims[1], dims[3]);
    for (int d = 4; d < n; d++) dims[d - 2] = dims[d];
    return front_return(f, reshape_make(f->b, o, front_shape_vector(f->b, dims, n - 2), n - 2));
}
