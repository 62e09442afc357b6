/*
 * kernels_order.h -- places of a line of a product, put into order. For one instruction set, like kernels_body.h.
 */
#ifndef TH_SPARSE_KERNELS_ORDER_H
#define TH_SPARSE_KERNELS_ORDER_H

#include "kernels.h"

enum { SPARSE_FEW = 24 };

static inline void ascending(int32_t *v, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        int32_t x = v[i];
        int64_t k = i;
        for (; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1];
        v[k] = x;
    }
}

/* One instruction where there is one; the library's function for where there is none is a call. */
static inline int64_t ones(uint64_t v) {
#ifdef __POPCNT__
    return __builtin_popcountll(v);
#else
    v -= v >> 1 & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
    return (int64_t)(((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
#endif
}

/* Places of the bits of word w, behind the n that are there; their number. Most words have few: SPARSE_AHEAD places are
 * written however many there are, which takes no branch that depends on the bits. */
static inline int64_t from_word(int32_t *list, int64_t n, uint64_t bits, int64_t w) {
    int64_t count = ones(bits);
    for (int e = 0; e < SPARSE_AHEAD; e++, bits &= bits - 1)
        list[n + e] = (int32_t)(w * 64 + __builtin_ctzll(bits | (uint64_t)1 << 63));
    for (int64_t e = SPARSE_AHEAD; e < count; e++, bits &= bits - 1)
        list[n + e] = (int32_t)(w * 64 + __builtin_ctzll(bits));
    return n + count;
}

/* The list, ascending, of all places whose bits are set; the bits are cleared. */
static int64_t marks_find(SparseMarks *m) {
    int32_t *restrict list = m->list;
    uint64_t *restrict bits = m->bits;
    int64_t n = 0, words = m->words;
    for (int64_t w = 0; w < words; w++) {
        n = from_word(list, n, bits[w], w);
        bits[w] = 0;
    }
    return n;
}

/* The same where all n of them stand in the list already. */
static int64_t marks_order(SparseMarks *m, int64_t n) {
    if (n <= SPARSE_FEW) {
        ascending(m->list, n);
        for (int64_t e = 0; e < n; e++) m->bits[m->list[e] >> 6] = 0;
        return n;
    }
    for (int64_t e = 0; e < n; e++) m->filled[m->list[e] >> 12] |= (uint64_t)1 << (m->list[e] >> 6 & 63);
    n = 0;
    for (int64_t f = 0; f < m->nfilled; f++)
        for (; m->filled[f]; m->filled[f] &= m->filled[f] - 1) {
            int64_t w = f * 64 + __builtin_ctzll(m->filled[f]);
            n = from_word(m->list, n, m->bits[w], w);
            m->bits[w] = 0;
        }
    return n;
}

#endif
