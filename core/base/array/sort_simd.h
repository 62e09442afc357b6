/* sort_simd.h -- the vector sorts and selections of sort_avx2.c and sort_avx512.c. `rest` sorts what pivots keep
 * splitting badly. */
#ifndef TH_SORT_SIMD_H
#define TH_SORT_SIMD_H

#include "base/base.h"

typedef void SortRest32(uint32_t *key, int64_t n, uint32_t *tmp);
typedef void SortRest64(uint64_t *key, int64_t n, uint64_t *tmp);
void sort_u32_avx512(uint32_t *key, int64_t n, uint32_t *tmp, SortRest32 *rest);
void sort_u64_avx512(uint64_t *key, int64_t n, uint64_t *tmp, SortRest64 *rest);
void sort_select_u32_avx512(uint32_t *key, int64_t n, int64_t at, uint32_t *tmp, SortRest32 *rest);
void sort_select_u64_avx512(uint64_t *key, int64_t n, int64_t at, uint64_t *tmp, SortRest64 *rest);
bool sort_convert_avx512(void *to, const void *from, int64_t n, ThDtype d, bool back);
void sort_u32_avx2(uint32_t *key, int64_t n, uint32_t *tmp, SortRest32 *rest);
void sort_u64_avx2(uint64_t *key, int64_t n, uint64_t *tmp, SortRest64 *rest);
void sort_select_u32_avx2(uint32_t *key, int64_t n, int64_t at, uint32_t *tmp, SortRest32 *rest);
void sort_select_u64_avx2(uint64_t *key, int64_t n, int64_t at, uint64_t *tmp, SortRest64 *rest);
bool sort_convert_avx2(void *to, const void *from, int64_t n, ThDtype d, bool back);

#endif
