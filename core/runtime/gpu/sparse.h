/*
 * sparse.h -- what the files of sparse matrices on a device share: the record of their kernels, and the families'
 * numbers of them.
 */
#ifndef TH_GPU_SPARSE_H
#define TH_GPU_SPARSE_H

#include "gpu.h"

GPU_RECORD(SparsePart, {
    i64 lines, places, nnz;
    i32 *ptr, *idx;
    char *data;
})

/* x, y: operands; s: the result, whose words begin at `words`. key, pos: entries in order. sum: running sums of flags.
 * by_line, by_place: steps of a dense matrix in elements. */
GPU_RECORD(SparseArgs, {
    i64 *err, step;
    SparsePart x, y, s;
    i64 *words, *key, *pos, *sum, *first, *work;
    const char *a, *b;
    char *z;
    i64 n, m, by_line, by_place, step_a, step_b, kind_a, kind_b, flag, which;
    i64 head[8];
})

/* Kernels that look at places alone: one variant. */
enum {
    PLACES_HEAD,
    PLACES_CLOSE,
    PLACES_ORDER,
    PLACES_TELL_ORDER,
    PLACES_KEYS,
    PLACES_PTR,
    PLACES_TURNED,
    PLACES_COPY,
    PLACES_GROUPS,
    PLACES_FOLD_PTR,
    PLACES_FLAGS_PTR,
    PLACES_MERGE_FLAGS,
    PLACES_MERGE_PTR,
    PLACES_DIFFER,
    PLACES_WORK,
    PLACES_LINE_WORK
};
enum {
    CHOICE_CSM,
    CHOICE_CSM_CHECK,
    CHOICE_CSM_TELL,
    CHOICE_TRIPLETS,
    CHOICE_TRIPLETS_TELL,
    CHOICE_POSITIONS,
    CHOICE_POSITIONS_TELL,
    CHOICE_TWICE,
    CHOICE_TWICE_TELL,
    CHOICE_COUNTS,
    CHOICE_PTR,
    CHOICE_TOTAL,
    CHOICE_STACK_PTR,
    CHOICE_STACK_NEXT,
    CHOICE_SQUARE,
    CHOICE_PRODUCTS
};
/* Kernels of values: a variant a dtype; whole numbers are unsigned ones of their size. */
enum {
    SPARSE_GATHER,
    SPARSE_LINES_SUM,
    SPARSE_BOTH,
    SPARSE_TO_DENSE,
    SPARSE_FLAGS,
    SPARSE_PUT,
    SPARSE_MERGE,
    SPARSE_TAKE_DENSE,
    SPARSE_TAKE,
    SPARSE_ROWS_DOT,
    SPARSE_DIAGONAL,
    SPARSE_STACK,
    SPARSE_FOLD,
    SPARSE_AT,
    SPARSE_CHOOSE,
    SPARSE_PRODUCTS
};
extern const char gpu_sparse_text[]; /* EACH, and what finds lines and places */
extern const GpuFamily gpu_sparse_places, gpu_sparse_choices, gpu_sparse_values;

#endif
