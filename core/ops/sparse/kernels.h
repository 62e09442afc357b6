/*
 * kernels.h -- loops over sparse matrices: those that calculate, a table for each dtype, and those that only move
 * values of so many bytes. Matrices are compressed lines (base/array/sparse.h); a CSC matrix is that of its transpose.
 */
#ifndef TH_SPARSE_KERNELS_H
#define TH_SPARSE_KERNELS_H

#include "base/array/sparse.h"

/* A dense operand of n columns, with steps of elements. */
typedef struct SparseDense {
    const void *data;
    int64_t n, by_row, by_col;
} SparseDense;

/* What a product of two knows of a line's places: a bit of each, which of them it met, their sums. */
enum { SPARSE_AHEAD = 2 }; /* places that may be written behind the list's */
typedef struct SparseMarks {
    uint64_t *bits, *filled; /* filled: a bit for each word of them, while they are put into order */
    int64_t words, nfilled;
    int32_t *list;
    void *sum;
} SparseMarks;
uint64_t sparse_marks_bytes(int64_t places, size_t item);
SparseMarks sparse_marks(void *room, int64_t places, size_t item);

static inline bool sparse_same_places(const int32_t *a, const int32_t *b, int64_t n) {
    int32_t other = 0;
    if (n && a[0] != b[0]) return false;
    for (int64_t k = 0; k < n; k++) other |= a[k] ^ b[k];
    return !other;
}

typedef struct SparseLoops {
    void (*gather)(const Sparse *s, const void *dense, int64_t n, void *result, int64_t from, int64_t to);
    void (*scatter)(const Sparse *s, const SparseDense *d, void *room, void *result, int64_t from, int64_t to);
    void (*product_dense)(const Sparse *x, const Sparse *y, void *result, int64_t from, int64_t to);
    int64_t (*product_line)(const Sparse *x, const Sparse *y, int64_t i, SparseMarks *m, int32_t *idx, void *to);
    void (*to_dense)(const Sparse *s, void *result, int64_t by_line, int64_t by_place);
    bool (*from_dense)(Sparse *s, const void *dense, int64_t by_line, int64_t by_place);
    void (*merge)(const Sparse *x, const Sparse *y, Sparse *s, bool both);
    void (*take_sparse)(const Sparse *x, const Sparse *y, void *result);
    void (*take_dense)(const Sparse *x, const void *dense, int64_t by_line, int64_t by_place, void *result,
                       int64_t from, int64_t to);
    void (*sum)(const Sparse *s, const void *values, void *result, bool by_line);
    void (*rows_dot)(const Sparse *s, const void *left, const void *right, int64_t n, void *result, int64_t from,
                     int64_t to);
    void (*diagonal)(const Sparse *s, void *result);
    void (*without_zeros)(const Sparse *x, Sparse *s);
    void (*fold)(Sparse *s);
    void (*at)(const Sparse *s, const int64_t *line, const int64_t *place, int64_t n, void *result);
} SparseLoops;
const SparseLoops *sparse_loops(ThDtype d);
/* Those of float32 and float64, for one instruction set; the bits are the same. */
const SparseLoops *sparse_floats_sse2(bool single);
const SparseLoops *sparse_floats_avx2(bool single);
const SparseLoops *sparse_floats_avx512(bool single);

/* ---- moves: s has the room, x is not touched -------------------------------------------------------------------- */
/* Out of compressed lines into compressed places, ascending; next: a word for each place. */
void sparse_turn(const Sparse *x, Sparse *s, int32_t *next);
/* to[k] = from[line of k], or from[place of k], values of `item` bytes. */
void sparse_spread(const Sparse *s, const char *from, char *to, size_t item, bool by_line);
/* A choice of lines, in any order, and of places, each at most once: `to` tells the new number of a place, -1: left
 * out. */
typedef struct SparseChoice {
    const int64_t *line;
    int64_t n;
    const int32_t *to;
    bool backward; /* the new numbers descend */
} SparseChoice;
int64_t sparse_choice_count(const Sparse *x, const SparseChoice *c);
void sparse_choose(const Sparse *x, const SparseChoice *c, Sparse *s);
/* How many products x . y sums up, and how many values it has, of each `step`th line; mark: a word for each of y's
 * places. */
int64_t sparse_product_most(const Sparse *x, const Sparse *y, int64_t step);
int64_t sparse_product_count(const Sparse *x, const Sparse *y, int64_t step, int32_t *mark);

#endif
