/* move.h -- matrices from one memory layout to another. Strides in bytes; d: FACTOR_F32 .. */
#ifndef TH_FACTOR_MOVE_H
#define TH_FACTOR_MOVE_H

#include "factor.h"

/* to[i][j] = from[i][j] */
void factor_copy(int d, void *to, int64_t trs, int64_t tcs, const void *from, int64_t frs, int64_t fcs, int64_t rows,
                 int64_t cols);
/* Input i of the job, dense: by rows, or turned. */
void factor_rows(const FactorJob *j, int i, const char *at, void *to);
void factor_turned(const FactorJob *j, int i, const char *at, void *to);
/* The triangle `lower` of the n x n matrix of input i, dense by rows; zeros on the other side, or (mirror) its
 * conjugate (`straight`: itself). */
void factor_triangle(const FactorJob *j, int i, const char *at, void *to);
void factor_mirror(const FactorJob *j, void *at, bool lower, bool straight);
void factor_turn_square(int d, void *at, int64_t n, bool conjugate); /* in place */
void factor_conjugate(int d, void *at, int64_t count);               /* nothing where real */
void factor_eye(int d, void *at, int64_t n);
bool factor_finite(const FactorJob *j, const void *at, int64_t count);
void factor_nan(ThDtype d, void *at, int64_t count);
/* The upper triangle (`rows` x n) of a, whose columns lie one after the other, by rows, zeros below it. */
void factor_upper(const FactorJob *j, const char *a, char *to, int rows);
void factor_swap(char *x, char *y, int64_t bytes);
/* Rows i and at[i] (from 1, as LAPACK counts) of `rows` x `cols` exchanged, i ascending or descending. */
void factor_swap_rows(const FactorJob *j, void *b, int64_t cols, const int *at, int count, int base, bool back);

#endif
