/* diag.c -- functions over diagonals: diag, diagonal, trace, fill_diagonal. */
#include "util.h"

static int diagonal(Front *f, ThVar *x, int64_t offset, int64_t axis1, int64_t axis2) {
    if (!x || failed(f->ctx) || !axis_normalize(f->ctx, &axis1, x->type.ndim, f->info->name) ||
        !axis_normalize(f->ctx, &axis2, x->type.ndim, f->info->name))
        return -1;
    return front_return(f, extract_diag_make(f->b, x, &(DiagAttrs){offset, axis1, axis2}));
}

int front_diagonal(Front *f) {
    ThVar *x = front_var(f, 0);
    if (x && x->type.ndim < 2)
        return front_error(f, TH_ValueError, "needs 2 or more dimensions, a has %d", x->type.ndim);
    return diagonal(f, x, front_int(f, 1), front_int(f, 2), front_int(f, 3));
}

int front_diag(Front *f) {
    ThVar *v = front_var(f, 0);
    int64_t k = front_int(f, 1);
    if (!v || failed(f->ctx)) return -1;
    if (v->type.ndim == 0) return front_error(f, TH_ValueError, "Input must be 1-d or higher");
    if (v->type.ndim == 1) return front_return(f, alloc_diag_make(f->b, v, &(DiagAttrs){k, 0, 1}));
    return diagonal(f, v, k, 0, 1);
}

int front_linalg_diag(Front *f) {
    ThVar *x = front_var(f, 0);
    bool alloc = front_is(f, "nlinalg.alloc_diag"), extract = front_is(f, "nlinalg.extract_diag");
    if (!x) return -1;
    if (x->type.ndim == 1 ? !extract : alloc && x->type.ndim) return front_return(f, diagonal_matrices_make(f->b, x));
    if (x->type.ndim >= 2) return front_return(f, diagonals_make(f->b, x));
    return front_error(f, TH_TypeError, "the argument must be a %s, it has %d dimensions",
                       alloc     ? "vector"
                       : extract ? "matrix"
                                 : "vector or a matrix",
                       x->type.ndim);
}

int front_trace(Front *f) {
    ThVar *x = front_var(f, 0);
    if (!x) return -1;
    if (x->type.ndim > 2 && front_is(f, "nlinalg.trace")) { /* of each matrix */
        AttrInts last = {.n = 1, .at = {(int8_t)(x->type.ndim - 2)}};
        return front_return(f, sum_make(f->b, diagonals_make(f->b, x), &last));
    }
    if (x->type.ndim != 2)
        return front_error(f, TH_TypeError, "X must be a matrix, it has %d dimensions", x->type.ndim);
    return front_return(f, sum_make(f->b, extract_diag_make(f->b, x, &(DiagAttrs){0, 0, 1}), NULL));
}

static int fill(Front *f, ThVar *offset) {
    ThVar *a = front_var(f, 0), *v = front_var(f, 1);
    if (!a || !v) return -1;
    return front_return(f, fill_diagonal_make(f->b, a, v, offset));
}

int front_fill_diagonal(Front *f) { return fill(f, NULL); }

int front_fill_diagonal_offset(Front *f) {
    ThVar *offset = front_var(f, 2);
    return offset ? fill(f, offset) : -1;
}
