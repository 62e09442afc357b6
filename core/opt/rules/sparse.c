/*
 * sparse.c -- parts of a sparse matrix that was made of another's structure and a vector are that structure's and the
 * vector: a chain of elementwise functions is one kernel on stored values, and one matrix is made in the end.
 */
#include "rules.h"

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
