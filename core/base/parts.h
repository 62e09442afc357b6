/*
 * parts.h -- what the files of core/base/ share among themselves and nobody else needs.
 */
#ifndef TH_BASE_PARTS_H
#define TH_BASE_PARTS_H

#include "base.h"

/* Roots that th_context_new makes in this order; false with MemoryError. Each *_free takes a half-made context too. */
bool intern_init(ThContext *c);
void intern_free(ThContext *c);
bool buffer_cache_init(ThContext *c);
void buffer_cache_free(ThContext *c);
bool config_init(ThContext *c);
void config_free(ThContext *c);

size_t buffer_cache_bytes(ThContext *c);
/* Headers of arrays come from a free list beside the buffers, so that a repeated call allocates nothing. */
ThArray *array_header_new(ThContext *c, int ndim);
void array_header_free(ThContext *c, ThArray *a);

/* array.c */
/* Product of the lengths and bytes of a C-ordered array; false with ValueError naming the shape when out of range. */
bool array_count(ThContext *c, ThDtype d, int ndim, const int64_t *shape, int64_t *size, int64_t *bytes);
/* Byte range [*low, *high) around the first element that an array touches; both 0 when it is empty. */
void array_extent(ThDtype d, int ndim, const int64_t *shape, const int64_t *strides, int64_t *low, int64_t *high);
/* The same of strides that somebody gives: false with the error set where they lead further than memory can go. */
bool array_reach(ThContext *c, ThDtype d, int ndim, const int64_t *shape, const int64_t *strides, int64_t *low,
                 int64_t *high);
void array_c_strides(ThDtype d, int ndim, const int64_t *shape, int64_t *strides);
/* "(3, 4)", "(3,)", "()" into buf, cut with "..." where it does not fit; returns buf. */
const char *array_shape_text(int ndim, const int64_t *shape, char *buf, size_t size);
/* Whether every element is aligned; false with ValueError. */
bool array_aligned(ThContext *c, ThDtype d, const void *data, int ndim, const int64_t *shape, const int64_t *strides);
bool array_writeable(ThContext *c, const ThArray *a);

#endif
