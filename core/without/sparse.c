/*
 * sparse.c -- sparse matrices in a library that was built without them. Nothing here is reached: core/plan refuses the
 * operations that would call it.
 */
#include "ops/sparse/kernels.h"

#if !TH_SPARSE
const SparseLoops *sparse_loops(ThDtype d) {
    (void)d;
    return NULL;
}

uint64_t sparse_marks_bytes(int64_t places, size_t item) {
    (void)places, (void)item;
    return 0;
}

SparseMarks sparse_marks(void *room, int64_t places, size_t item) {
    (void)room, (void)places, (void)item;
    return (SparseMarks){0};
}

void sparse_turn(const Sparse *x, Sparse *s, int32_t *next) { (void)x, (void)s, (void)next; }

void sparse_spread(const Sparse *s, const char *from, char *to, size_t item, bool by_line) {
    (void)s, (void)from, (void)to, (void)item, (void)by_line;
}

int64_t sparse_choice_count(const Sparse *x, const SparseChoice *c) {
    (void)x, (void)c;
    return 0;
}

void sparse_choose(const Sparse *x, const SparseChoice *c, Sparse *s) { (void)x, (void)c, (void)s; }

int64_t sparse_product_most(const Sparse *x, const Sparse *y, int64_t step) {
    (void)x, (void)y, (void)step;
    return 0;
}

int64_t sparse_product_count(const Sparse *x, const Sparse *y, int64_t step, int32_t *mark) {
    (void)x, (void)y, (void)step, (void)mark;
    return 0;
}
#endif
