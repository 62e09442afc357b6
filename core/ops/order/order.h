/*
 * order.h -- attributes and builders of the operations that order, search and accumulate (sort.c, topk.c, search.c,
 * unique.c, cumulate.c), and what their functions share.
 */
#ifndef TH_OPS_ORDER_H
#define TH_OPS_ORDER_H

#include "ops/table/ops.h"

#include "base/array/sort.h"
#include "kernel/order_work.h"

/* ---- sort.c ------------------------------------------------------------------------------------------------------ */
typedef struct SortAttrs {
    const char *kind; /* NumPy's name of the algorithm, for printing */
} SortAttrs;
ThVar *sort_make(Builder *b, ThVar *x, ThVar *axis, const char *kind);
ThVar *argsort_make(Builder *b, ThVar *x, ThVar *axis, const char *kind);
/* Zeros like x, increased by value at positions `at` along axis: the gradient of whatever chose them. */
ThVar *sort_scatter(Builder *b, ThVar *x, ThVar *value, ThVar *at, int axis);
/* Positions of a lane in ascending (or descending) order of its elements. key: n words that receive the keys; room: 4 n
 * words. False where the call h is to end early. */
bool sort_lane(const HostCall *h, const char *lane, int64_t step, int64_t n, ThDtype d, bool descending, int64_t *at,
               uint64_t *key, uint64_t *room);
/* Positions 0 .. n - 1 in a stable order by what is less, in one of the two blocks of n; NULL as above. */
typedef bool SortLess(const void *user, int64_t i, int64_t j);
int64_t *sort_by(const HostCall *h, SortLess *less, const void *user, int64_t n, int64_t *at, int64_t *tmp);
/* Of complex numbers, in one of the two blocks of n. */
int64_t *sort_complex(const HostCall *h, const char *lane, int64_t step, int64_t n, ThDtype d, int64_t *at,
                      int64_t *tmp);

/* ---- topk.c ------------------------------------------------------------------------------------------------------ */
typedef struct TopKAttrs {
    int64_t axis;
    uint8_t sorted, idx_dtype;
} TopKAttrs;
/* out[0] the values, out[1] their positions. k: integer scalar, > 0 the largest, < 0 the smallest. */
ThApply *topk_make(Builder *b, ThVar *x, ThVar *k, const TopKAttrs *at);

/* ---- search.c ---------------------------------------------------------------------------------------------------- */
typedef struct SearchAttrs {
    uint8_t right;
} SearchAttrs;
ThVar *searchsorted_make(Builder *b, ThVar *x, ThVar *v, ThVar *sorter, bool right); /* sorter may be NULL */
/* ---- unique.c ---------------------------------------------------------------------------------------------------- */
typedef struct UniqueAttrs {
    uint8_t index, inverse, counts; /* which of them are asked for; the others are left undefined */
    uint8_t apart;                  /* each NaN is a value of its own */
} UniqueAttrs;
/* out: values (x's length on its first axis), first positions, inverse, counts, and how many there are. */
ThApply *unique_make(Builder *b, ThVar *x, const UniqueAttrs *at);

/* ---- cumulate.c -------------------------------------------------------------------------------------------------- */
typedef struct CumAttrs {
    AttrInts axis; /* n == -1: flattened */
    uint8_t prod;
} CumAttrs;
ThVar *cumulate_make(Builder *b, ThVar *x, const AttrInts *axis, bool prod);

/* ---- of HostServices; topk_sort: sort_host's work where both values and positions are asked for ---- */
int cumulate_host(HostCall *h, const CumWork *w);
int sort_host(HostCall *h, const SortWork *w);
int topk_sort(HostCall *h, const SortWork *w);
int search_host(HostCall *h, const SearchWork *w);
int unique_host(HostCall *h, const UniqueWork *w);

/* ---- rules of vmap (ops/modes) ----------------------------------------------------------------------------------- */
bool batch_sort(Batch *q); /* SortOp, ArgSortOp */
bool batch_topk(Batch *q);
bool batch_search(Batch *q);
bool batch_cum(Batch *q);

#endif
