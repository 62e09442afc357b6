/*
 * rows.h -- kernels that work row by row on a matrix: outer loop over rows, then stages over the columns with row
 * temporaries. Used by softmax and cross-entropy; kernel dim 0 is the row, each stage has its own dim over the columns.
 */
#ifndef TH_ROWS_H
#define TH_ROWS_H

#include "ops/reduce/reduce.h"
#include "ops/table/ops.h"

typedef struct Rows {
    Lower *l;
    Kernel *k;
    ThDtype d;   /* dtype of the row values */
    int x, bias; /* node inputs: the matrix, a vector added to each row (or -1) */
    Size cols;
} Rows;

bool rows_begin(Rows *r, Lower *l, int x, int bias);
int rows_stage(Rows *r, DimKind kind);      /* a stage over the columns; its kernel dim, -1 on error */
int rows_read(Rows *r, int input, int dim); /* loads input[row, col] at depth 2 */
int rows_value(Rows *r, int dim);           /* x[row, col] (+ bias[col]) at depth 2 */
/* Row maximum, as a value at depth 1. */
int rows_max(Rows *r);
/* Sum of exp(x - max), as a value at depth 1; keep >= 0: an access that takes the exponentials. */
int rows_sum_exp(Rows *r, int max, bool keep, int *temp);
int rows_temp(Rows *r, int temp, int dim); /* the kept exponential at depth 2 of another stage */
bool rows_store(Rows *r, int out, int dim, int value);
/* Sum over columns (axis 1), or over rows (axis 0). */
ThVar *rows_sum(Builder *b, ThVar *x, int axis);
/* Column vector (n) -> (n, 1). */
ThVar *rows_column(Builder *b, ThVar *v);

#endif
