/*
 * sparse.c -- sparse matrices. Parts of one that was made of another's structure and a vector are that structure's and
 * the vector: a chain of elementwise functions is one kernel on stored values, and one matrix is made in the end, or
 * none where it is only summed. Of a dense matrix that only lends its values to a structure no others are computed.
 */
#include "rules.h"

#include "ops/reduce/reduce.h"
#include "ops/table/linear.h"
#include "ops/table/shape.h"
#include "ops/table/sparse.h"

#include "base/array/sparse.h"

static const ThApply *with_of(const ThVar *x) { return ask_op(x, &op_sparse_with) ? x->owner : NULL; }

/* data(with(x, d)) -> d; the indices are x's. */
ThVar *rw_sparse_part(Opt *o, ThApply *a) {
    const ThApply *w = with_of(a->in[0]);
    const char *part = ATTRS(SparsePartAttrs, a)->part;
    if (!w) return NULL;
    return part[0] == 'd' ? w->in[1] : sparse_part_make(&o->b, w->in[0], part);
}

/* with(with(x, d), e) -> with(x, e); with(x, data(x)) -> x. */
ThVar *rw_sparse_with(Opt *o, ThApply *a) {
    ThVar *x = a->in[0], *d = a->in[1];
    const ThApply *w = with_of(x);
    if (w) return sparse_with_make(&o->b, w->in[0], d);
    bool own = ask_op(d, &op_sparse_part) && d->owner->in[0] == x && ATTRS(SparsePartAttrs, d->owner)->part[0] == 'd';
    return own ? x : NULL;
}

/* Lengths of with(x, d), and how many values it stores, are x's. */
ThVar *rw_sparse_word(Opt *o, ThApply *a) {
    const ThApply *w = with_of(a->in[0]);
    int64_t word = ATTRS(SparseWordAttrs, a)->word;
    return w && word >= SPARSE_LINES && word <= SPARSE_NNZ ? sparse_word_make(&o->b, w->in[0], (int)word) : NULL;
}

/* ---- views and conversions --------------------------------------------------------------------------------------- */
ThVar *rw_sparse_turned(Opt *o, ThApply *a) {
    (void)o;
    return ask_op(a->in[0], &op_sparse_transpose) ? a->in[0]->owner->in[0] : NULL;
}

/* dense(from_dense(x)) -> x, also where the format changes between them, or the matrix is transposed; and the format
 * need not change before dense(x). Of an element that is -0 the sign is kept then. */
ThVar *rw_dense_from_sparse(Opt *o, ThApply *a) {
    ThVar *x = a->in[0], *dense = NULL;
    bool turned = false, other = false;
    for (int i = 0; i < 2; i++) {
        bool turns = ask_op(x, &op_sparse_transpose), converts = ask_op(x, &op_sparse_convert);
        turned = turned != turns;
        other = other || converts;
        if (turns || converts) x = x->owner->in[0];
    }
    if (ask_op(x, &op_sparse_from_dense)) dense = x->owner->in[0];
    else if (other) dense = dense_from_sparse_make(&o->b, x, ATTRS(SparseDotAttrs, a)->structured);
    return dense && turned ? transpose_make(&o->b, dense) : dense;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */
/* Sums of a matrix that is made for them alone are sums of its values. */
ThVar *rw_sparse_total(Opt *o, ThApply *a) {
    const ThApply *w = with_of(a->in[0]);
    int axis = (int)ATTRS(SparseAxisAttrs, a)->axis;
    if (!w || a->in[0]->nclients != 1) return NULL;
    if (axis >= 0) return sparse_sum_make(&o->b, w->in[0], w->in[1], axis);
    ThDtype d = (ThDtype)a->out[0]->type.dtype;
    return d == TH_BOOL ? NULL : reduce_make(&o->b, &op_sum, w->in[1], NULL, d, TH_DTYPE_NONE, false);
}

/* ---- values at a structure's places ------------------------------------------------------------------------------ */
enum { ROW = 1, COLUMN = 2, NUMBER = 3 }; /* broadcastable dimensions of a matrix */

/* Of a matrix, row, column or number the values at x's places; a number stays one. */
static ThVar *at_places(Opt *o, ThVar *x, ThVar *v) {
    static const int8_t first[] = {0}, second[] = {1};
    if (!v->type.broadcastable) return sparse_take_make(&o->b, x, v);
    bool row = v->type.broadcastable == ROW;
    ThVar *flat = dimshuffle_make(&o->b, v, row ? second : first, 1);
    return v->type.broadcastable == NUMBER || !flat ? flat : sparse_spread_make(&o->b, x, flat, row ? 0 : 1);
}

static ThVar *take_elemwise(Opt *o, ThVar *x, const ThApply *f) {
    ThVar *in[KACC];
    bool numbers = true;
    if (f->nin > KACC || f->nout != 1) return NULL;
    for (int i = 0; i < f->nin; i++) numbers = numbers && f->in[i]->type.broadcastable == NUMBER;
    for (int i = 0; i < f->nin && !numbers; i++)
        if (!(in[i] = at_places(o, x, f->in[i]))) return NULL;
    ThApply *r = numbers ? NULL : apply_make(&o->b, f->op, f->attrs, in, f->nin);
    if (r) r->flags |= f->flags & APPLY_GRAD;
    return r ? fg_find(r->out[0]) : NULL;
}

static ThVar *take_alloc(Opt *o, ThVar *x, ThVar *v) {
    static const int8_t number[] = {-1, -1}, row[] = {-1, 0};
    if (v->type.ndim < 2) v = dimshuffle_make(&o->b, v, v->type.ndim ? row : number, 2);
    ThVar *t = v ? at_places(o, x, v) : NULL;
    return t && v->type.broadcastable == NUMBER ? call2(o, S_second, sparse_part_make(&o->b, x, "data"), t) : t;
}

/* take(x, f(y, z)) -> f(take(x, y), take(x, z)), take(x, dot(u, v)) -> rows_dot(x, u, v.T) where nobody else asks for
 * the dense matrix; and one that repeats a number, row or column needs not be there. */
ThVar *rw_sparse_take(Opt *o, ThApply *a) {
    ThVar *x = a->in[0], *y = a->in[1];
    const ThApply *f = y->owner;
    if (is_sparse(y) || !f) return NULL;
    if (f->op == &op_alloc) return take_alloc(o, x, f->in[0]);
    if (y->nclients != 1) return NULL;
    if (f->op == &op_elemwise) return take_elemwise(o, x, f);
    if (f->op != &op_dot || f->in[0]->type.ndim != 2 || f->in[1]->type.ndim != 2) return NULL;
    return sparse_rows_dot_make(&o->b, x, f->in[0], transpose_make(&o->b, f->in[1]));
}
