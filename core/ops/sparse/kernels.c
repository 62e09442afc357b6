/*
 * kernels.c -- loops over sparse matrices. In: matrices whose structure is sound, room for results. Out: results.
 * Nothing here allocates or fails. Always holds: sums are taken in the order of the lines, whatever else runs.
 */
#include "kernels.h"
#include "kernels_order.h"

#include <string.h>

#define NAME(x) x##_c128
#define T _Complex double
#include "kernels_body.h"
#undef T
#undef NAME
#define NAME(x) x##_c64
#define T _Complex float
#include "kernels_body.h"
#undef T
#undef NAME
#define NAME(x) x##_i8
#define T int8_t
#include "kernels_body.h"
#undef T
#undef NAME
#define NAME(x) x##_u8
#define T uint8_t
#include "kernels_body.h"
#undef T
#undef NAME
#define NAME(x) x##_i16
#define T int16_t
#include "kernels_body.h"
#undef T
#undef NAME
#define NAME(x) x##_u16
#define T uint16_t
#include "kernels_body.h"
#undef T
#undef NAME
#define NAME(x) x##_i32
#define T uint32_t /* wraps as int32 does here, and that is defined */
#include "kernels_body.h"
#undef T
#undef NAME
#define NAME(x) x##_i64
#define T uint64_t
#include "kernels_body.h"
#undef T
#undef NAME

static const SparseLoops *floats(bool single) {
#if TH_WIDE
    int bytes = isa_vector_bytes();
    if (bytes == 64) return sparse_floats_avx512(single);
    if (bytes == 32) return sparse_floats_avx2(single);
#endif
    return sparse_floats_sse2(single);
}

const SparseLoops *sparse_loops(ThDtype d) {
    switch (d) {
    case TH_FLOAT32: return floats(true);
    case TH_COMPLEX64: return &loops_c64;
    case TH_COMPLEX128: return &loops_c128;
    case TH_INT8: return &loops_i8;
    case TH_BOOL:
    case TH_UINT8: return &loops_u8;
    case TH_INT16: return &loops_i16;
    case TH_UINT16: return &loops_u16;
    case TH_INT32:
    case TH_UINT32: return &loops_i32;
    case TH_INT64:
    case TH_UINT64: return &loops_i64;
    default: return floats(false);
    }
}

/* ---- moves ------------------------------------------------------------------------------------------------------ */
/* One value; the sizes that occur are constants to the compiler. */
static inline void move_one(char *to, int64_t i, const char *from, int64_t k, size_t item) {
    switch (item) {
    case 8: memcpy(to + i * 8, from + k * 8, 8); break;
    case 4: memcpy(to + i * 4, from + k * 4, 4); break;
    default: memcpy(to + i * (int64_t)item, from + k * (int64_t)item, item);
    }
}

void sparse_turn(const Sparse *x, Sparse *s, int32_t *next) {
    memset(next, 0, (size_t)x->places * sizeof *next);
    for (int64_t k = 0; k < x->nnz; k++) next[x->idx[k]]++;
    int32_t at = 0;
    for (int64_t j = 0; j < x->places; j++) {
        int32_t n = next[j];
        s->ptr[j] = next[j] = at;
        at += n;
    }
    s->ptr[x->places] = at;
    for (int64_t i = 0; i < x->lines; i++)
        for (int64_t k = x->ptr[i]; k < x->ptr[i + 1]; k++) {
            int32_t to = next[x->idx[k]]++;
            s->idx[to] = (int32_t)i;
            move_one(s->data, to, x->data, k, x->item);
        }
    s->nnz = x->nnz;
}

void sparse_spread(const Sparse *s, const char *from, char *to, size_t item, bool by_line) {
    for (int64_t i = 0; i < s->lines; i++)
        for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++) move_one(to, k, from, by_line ? i : s->idx[k], item);
}

int64_t sparse_choice_count(const Sparse *x, const SparseChoice *c) {
    int64_t n = 0;
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t k = x->ptr[c->line[i]]; k < x->ptr[c->line[i] + 1]; k++) n += c->to[x->idx[k]] >= 0;
    return n;
}

void sparse_choose(const Sparse *x, const SparseChoice *c, Sparse *s) {
    int64_t n = 0;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t first = x->ptr[c->line[i]], len = x->ptr[c->line[i] + 1] - first;
        for (int64_t e = 0; e < len; e++) { /* from the end where places turn round, so that order stays order */
            int64_t k = c->backward ? first + len - 1 - e : first + e;
            int32_t to = c->to[x->idx[k]];
            if (to < 0) continue;
            s->idx[n] = to;
            move_one(s->data, n++, x->data, k, x->item);
        }
        s->ptr[i + 1] = (int32_t)n;
    }
    s->nnz = n;
}

/* ---- products --------------------------------------------------------------------------------------------------- */
int64_t sparse_product_most(const Sparse *x, const Sparse *y, int64_t step) {
    int64_t n = 0;
    for (int64_t i = 0; i < x->lines; i += step)
        for (int64_t k = x->ptr[i]; k < x->ptr[i + 1]; k++) n += y->ptr[x->idx[k] + 1] - y->ptr[x->idx[k]];
    return n;
}

int64_t sparse_product_count(const Sparse *x, const Sparse *y, int64_t step, int32_t *mark) {
    int64_t n = 0;
    memset(mark, 0xff, (size_t)y->places * sizeof *mark);
    for (int64_t i = 0; i < x->lines; i += step)
        for (int64_t k = x->ptr[i]; k < x->ptr[i + 1]; k++)
            for (int64_t e = y->ptr[x->idx[k]]; e < y->ptr[x->idx[k] + 1]; e++) {
                n += mark[y->idx[e]] != (int32_t)i;
                mark[y->idx[e]] = (int32_t)i;
            }
    return n;
}

static uint64_t list_bytes(int64_t places) { return ((uint64_t)(places + 1 + SPARSE_AHEAD) * 4 + 15) / 16 * 16; }

static uint64_t bits_bytes(int64_t places, uint64_t *words, uint64_t *filled) {
    *words = (uint64_t)(places / 64 + 1);
    *filled = *words / 64 + 1;
    return ((*words + *filled) * 8 + 15) / 16 * 16;
}

uint64_t sparse_marks_bytes(int64_t places, size_t item) {
    uint64_t words, filled;
    return bits_bytes(places, &words, &filled) + list_bytes(places) + (uint64_t)places * item;
}

SparseMarks sparse_marks(void *room, int64_t places, size_t item) {
    uint64_t words, filled, bits = bits_bytes(places, &words, &filled);
    SparseMarks m = {.bits = room, .words = (int64_t)words, .nfilled = (int64_t)filled};
    m.filled = m.bits + words;
    m.list = (int32_t *)(void *)((char *)room + bits);
    m.sum = (char *)room + bits + list_bytes(places);
    memset(m.bits, 0, (words + filled) * 8);
    memset(m.sum, 0, (size_t)places * item);
    return m;
}
