/*
 * sparse.h -- what ops/sparse gives to others: attributes and builders. NULL (error set) when the operands do not fit,
 * and NULL given NULL. "Structure" of a sparse variable: where it stores values; `values` are a vector of them.
 */
#ifndef TH_TABLE_SPARSE_H
#define TH_TABLE_SPARSE_H

#include "ops.h"

static inline bool is_sparse(const ThVar *v) { return v && v->type.kind == TYPE_SPARSE; }
static inline bool is_dense(const ThVar *v, int ndim) {
    return v && v->type.kind == TYPE_TENSOR && v->type.ndim == ndim;
}

typedef struct SparseFormatAttrs {
    const char *format; /* "csr" or "csc", interned: of the result, or of the sparse operand */
} SparseFormatAttrs;
typedef struct SparsePartAttrs {
    const char *part; /* "data", "indices", "indptr" */
} SparsePartAttrs;
typedef struct SparseWordAttrs {
    int64_t word; /* SparseWord of base/array/sparse.h */
} SparseWordAttrs;
typedef struct SparseAxisAttrs {
    int64_t axis; /* 0: a number for each column, 1: for each row */
    uint8_t by_line, structured;
} SparseAxisAttrs;
typedef struct SparseDotAttrs {
    const char *format; /* of the sparse operand */
    uint8_t structured; /* its gradient has that operand's structure */
} SparseDotAttrs;
typedef struct SparseStackAttrs {
    const char *format;
    uint8_t along; /* 1: hstack */
} SparseStackAttrs;

/* ---- words.c: parts, structure ---------------------------------------------------------------------------------- */
ThVar *sparse_part_make(Builder *b, ThVar *x, const char *part);
ThVar *sparse_word_make(Builder *b, ThVar *x, int word); /* 0-d int64 */
ThVar *sparse_length_make(Builder *b, ThVar *x, int axis);
ThVar *sparse_with_make(Builder *b, ThVar *x, ThVar *values); /* x's structure with other values */
ThVar *csm_make(Builder *b, char format, ThVar *data, ThVar *indices, ThVar *indptr, ThVar *shape);
ThVar *sparse_transpose_make(Builder *b, ThVar *x);
/* Values at (row[k], col[k]) of a matrix with rows x cols, places that stand twice added. */
ThVar *sparse_triplets_make(Builder *b, char format, ThVar *data, ThVar *row, ThVar *col, ThVar *rows, ThVar *cols);
ThVar *sparse_cast_make(Builder *b, ThVar *x, ThDtype d);

/* ---- convert.c -------------------------------------------------------------------------------------------------- */
ThVar *sparse_from_dense_make(Builder *b, ThVar *x, char format);
ThVar *dense_from_sparse_make(Builder *b, ThVar *x, bool structured);
ThVar *sparse_format_make(Builder *b, ThVar *x, char format); /* x itself where it has it */
ThVar *sparse_tidy_make(Builder *b, const Op *op, ThVar *x);  /* sort, fold (sorted, no duplicates), remove0 */

/* ---- values.c --------------------------------------------------------------------------------------------------- */
ThVar *sparse_take_make(Builder *b, ThVar *x, ThVar *g); /* g's values (sparse or dense) where x stores some */
ThVar *sparse_spread_make(Builder *b, ThVar *x, ThVar *v, int axis);   /* v[row] (1) or v[column] (0) of each value */
ThVar *sparse_sum_make(Builder *b, ThVar *x, ThVar *values, int axis); /* sums by row (1) or column (0) */
ThVar *sparse_total_make(Builder *b, ThVar *x, int axis, bool structured); /* sp_sum; axis -1: of all */
ThVar *sparse_add_make(Builder *b, ThVar *x, ThVar *y);
ThVar *sparse_mul_make(Builder *b, ThVar *x, ThVar *y);
ThVar *sparse_add_dense_make(Builder *b, ThVar *x, ThVar *y);
ThVar *sparse_mul_dense_make(Builder *b, ThVar *x, ThVar *y);
ThVar *sparse_diag_make(Builder *b, ThVar *x);
ThVar *sparse_square_diagonal_make(Builder *b, ThVar *d);
ThVar *sparse_at_make(Builder *b, ThVar *x, ThVar *row, ThVar *col); /* vector of x[row[k], col[k]] */

/* ---- product.c -------------------------------------------------------------------------------------------------- */
ThVar *sparse_dot_make(Builder *b, ThVar *x, ThVar *y, bool structured); /* one or both sparse; dense */
ThVar *sparse_true_dot_make(Builder *b, ThVar *x, ThVar *y);             /* both sparse; sparse */
ThVar *sparse_rows_dot_make(Builder *b, ThVar *p, ThVar *x, ThVar *y);   /* (x . y^T) where p stores values */

/* ---- cut.c ------------------------------------------------------------------------------------------------------ */
/* Rows and columns by number, NULL: all. What is compressed may stand more than once, the other way only once. */
ThVar *sparse_choose_make(Builder *b, ThVar *x, ThVar *rows, ThVar *cols);
ThVar *sparse_stack_make(Builder *b, ThVar *const *x, int n, bool along, char format);

#endif
