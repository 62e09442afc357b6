/*
 * sort.c -- sorts and selections of unsigned keys (see sort.h): counting for bytes, otherwise insertion for a few,
 * merging for some, counting passes for many, or the vector sorts of sort_avx2.c and
 * sort_avx512.c where the processor has them. Values
 * only decide how fast it is, never what comes out: a sorted list of keys is the same from all of them.
 */
#include "sort.h"
#include "sort_simd.h"

#include <string.h>

#define WORD uint16_t
#define NAME(x) x##_16
#include "sort_body.h"
#undef WORD
#undef NAME
#define SELECT /* also pick_32 and pick_64 */
#define WORD uint32_t
#define NAME(x) x##_32
#include "sort_body.h"
#undef WORD
#undef NAME
#define WORD uint64_t
#define NAME(x) x##_64
#include "sort_body.h"
#undef WORD
#undef NAME

enum { SHORT = 40 };      /* bytes that are not counted */
enum { FEW = 8 };         /* keys that insertion sorts before a network is there */
enum { OFTEN = 1 << 17 }; /* positions between two looks at whether it is over */

void sort_u8(uint8_t *key, int64_t n) {
    int64_t count[256] = {0};
    for (int64_t i = 1; i < n && n <= SHORT; i++) {
        const uint8_t v = key[i];
        int64_t j = i;
        for (; j > 0 && key[j - 1] > v; j--) key[j] = key[j - 1];
        key[j] = v;
    }
    if (n <= SHORT) return;
    for (int64_t i = 0; i < n; i++) count[key[i]]++;
    for (int v = 0; v < 256; v++) {
        memset(key, v, (size_t)count[v]);
        key += count[v];
    }
}

void sort_u16(uint16_t *key, int64_t n, uint16_t *tmp) { portable_16(key, n, tmp); }

static void sort_32(uint32_t *key, int64_t n, uint32_t *tmp, int bytes) {
    (void)bytes;
#if TH_WIDE
    if (bytes >= 32 && n > FEW) {
        (bytes == 64 ? sort_u32_avx512 : sort_u32_avx2)(key, n, tmp, portable_32);
        return;
    }
#endif
    portable_32(key, n, tmp);
}

static void sort_64(uint64_t *key, int64_t n, uint64_t *tmp, int bytes) {
    (void)bytes;
#if TH_WIDE
    if (bytes >= 32 && n > FEW) {
        (bytes == 64 ? sort_u64_avx512 : sort_u64_avx2)(key, n, tmp, portable_64);
        return;
    }
#endif
    portable_64(key, n, tmp);
}

void sort_u32(uint32_t *key, int64_t n, uint32_t *tmp) { sort_32(key, n, tmp, isa_vector_bytes()); }
void sort_u64(uint64_t *key, int64_t n, uint64_t *tmp) { sort_64(key, n, tmp, isa_vector_bytes()); }

void sort_words(void *key, int64_t n, void *tmp, size_t bytes, int vector) {
    if (bytes == 1) sort_u8(key, n);
    else if (bytes == 2) sort_u16(key, n, tmp);
    else if (bytes == 4) sort_32(key, n, tmp, vector);
    else sort_64(key, n, tmp, vector);
}

void sort_select_u32(uint32_t *key, int64_t n, int64_t at, uint32_t *tmp) {
#if TH_WIDE
    const int bytes = isa_vector_bytes();
    if (bytes >= 32) {
        (bytes == 64 ? sort_select_u32_avx512 : sort_select_u32_avx2)(key, n, at, tmp, portable_32);
        return;
    }
#endif
    pick_32(key, n, at, tmp);
}

void sort_select_u64(uint64_t *key, int64_t n, int64_t at, uint64_t *tmp) {
#if TH_WIDE
    const int bytes = isa_vector_bytes();
    if (bytes >= 32) {
        (bytes == 64 ? sort_select_u64_avx512 : sort_select_u64_avx2)(key, n, at, tmp, portable_64);
        return;
    }
#endif
    pick_64(key, n, at, tmp);
}

bool sort_convert(void *to, const void *from, int64_t n, ThDtype d, bool back) {
#if TH_WIDE
    const int bytes = n >= 64 ? isa_vector_bytes() : 0;
    return bytes >= 32 && (bytes == 64 ? sort_convert_avx512 : sort_convert_avx2)(to, from, n, d, back);
#else
    (void)to, (void)from, (void)n, (void)d, (void)back;
    return false;
#endif
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */
typedef struct SortPair {
    uint64_t key;
    int64_t at;
} SortPair;

static void insertion_pairs(SortPair *p, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        SortPair v = p[i];
        int64_t j = i;
        for (; j > 0 && p[j - 1].key > v.key; j--) p[j] = p[j - 1];
        p[j] = v;
    }
}

static void merge_pairs(const SortPair *a, int64_t na, const SortPair *b, int64_t nb, SortPair *to) {
    int64_t i = 0, j = 0;
    while (i < na && j < nb) {
        bool second = b[j].key < a[i].key;
        const SortPair *from = second ? &b[j] : &a[i];
        *to++ = *from;
        i += !second, j += second;
    }
    for (; i < na; i++) *to++ = a[i];
    for (; j < nb; j++) *to++ = b[j];
}

static SortPair *merge_sort_pairs(SortPair *p, int64_t n, SortPair *tmp) {
    enum { RUN = 12 };
    for (int64_t i = 0; i < n; i += RUN) insertion_pairs(p + i, n - i < RUN ? n - i : RUN);
    for (int64_t w = RUN; w < n; w *= 2) {
        for (int64_t i = 0; i < n; i += 2 * w) {
            int64_t na = n - i < w ? n - i : w, nb = n - i - na < w ? n - i - na : w;
            merge_pairs(p + i, na, p + i + na, nb, tmp + i);
        }
        SortPair *swap = p;
        p = tmp, tmp = swap;
    }
    return p;
}

static bool over(const SortEnd *end) { return end && end->over(end->user); }

/* NULL where its time was over. */
static SortPair *radix_pairs(SortPair *p, int64_t n, SortPair *tmp, int bytes, const SortEnd *end) {
    int64_t count[8][256];
    memset(count, 0, sizeof count);
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < bytes; b++) count[b][p[i].key >> (8 * b) & 255]++;
    for (int b = 0; b < bytes; b++) {
        int64_t *c = count[b], sum = 0;
        if (c[p[0].key >> (8 * b) & 255] == n) continue;
        if (n > OFTEN && over(end)) return NULL;
        for (int i = 0; i < 256; i++) {
            int64_t m = c[i];
            c[i] = sum, sum += m;
        }
        for (int64_t i = 0; i < n; i++) tmp[c[p[i].key >> (8 * b) & 255]++] = p[i];
        SortPair *swap = p;
        p = tmp, tmp = swap;
    }
    return p;
}

static SortPair *sort_pairs(SortPair *pair, int64_t n, SortPair *tmp, const SortEnd *end) {
    if (n <= 16) return insertion_pairs(pair, n), pair;
    if (n < 1200) return merge_sort_pairs(pair, n, tmp);
    return radix_pairs(pair, n, tmp, 8, end);
}

static bool positions_by_pairs(const uint64_t *key, int64_t *at, int64_t n, bool given, uint64_t *room,
                               const SortEnd *end) {
    SortPair *pair = (SortPair *)(void *)room;
    for (int64_t i = 0; i < n; i++) {
        int64_t p = given ? at[i] : i;
        pair[i] = (SortPair){key[p], p};
    }
    const SortPair *r = sort_pairs(pair, n, pair + n, end);
    for (int64_t i = 0; r && i < n; i++) at[i] = r[i].at;
    return r != NULL;
}

/* at[0..n) hold positions in order whose keys agree in the bits compared so far. room: 4 n words. */
static bool settle_ties(const uint64_t *key, int64_t *at, int64_t n, uint64_t *room, const SortEnd *end) {
    if (n > 12) return positions_by_pairs(key, at, n, true, room, end);
    for (int64_t i = 1; i < n; i++) {
        int64_t p = at[i], j = i;
        uint64_t k = key[p];
        for (; j > 0 && key[at[j - 1]] > k; j--) at[j] = at[j - 1];
        at[j] = p;
    }
    return true;
}

/*
 * The 32 highest bits in which keys differ, above the position, make one word: sorting the words sorts both, and equal
 * keys stay in order. What the 32 bits leave equal is settled after. The words stand at the end of the room, so that
 * those of a tie at [i, j) have 3 n + j words before what is still to be read: the 4 (j - i) that they need.
 */
bool sort_positions(const uint64_t *key, int64_t n, int64_t *at, uint64_t *room, const SortEnd *end) {
    uint64_t differ = 0, *word = room + 3 * n;
    if (n > UINT32_MAX) return positions_by_pairs(key, at, n, false, room, end);
    for (int64_t i = 0; i < n; i++) differ |= key[i] ^ key[0];
    int shift = differ >> 32 ? 32 - __builtin_clzll(differ) : 0;
    for (int64_t i = 0; i < n; i++) word[i] = (key[i] >> shift) << 32 | (uint64_t)i;
    if (n > OFTEN && over(end)) return false;
    sort_u64(word, n, room);
    for (int64_t i = 0; i < n; i++) at[i] = (int64_t)(uint32_t)word[i];
    for (int64_t i = 0, j, next = OFTEN; shift > 0 && i < n; i = j) {
        for (j = i + 1; j < n && word[j] >> 32 == word[i] >> 32;) j++;
        if (j - i > 1 && !settle_ties(key, at + i, j - i, room, end)) return false;
        if (j < next) continue;
        if (over(end)) return false;
        next = j + OFTEN;
    }
    return true;
}
