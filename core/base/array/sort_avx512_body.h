/*
 * sort_avx512_body.h -- the vector sort for one width of keys. WORD is the type, LANES how many a vector holds, MASK
 * its mask type, ALL_LANES(block) and ALL_FROM(first) its tables, NAME(x) names its functions, V(x) its intrinsics. Up
 * to SMALL keys are sorted by a network in registers; more are split around a pivot until they are few.
 */
enum { NAME(SMALL) = 16 * LANES };

/* a ^ b ^ c: the larger of two keys from both and the smaller, on another port than a maximum. */
#define OTHER(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x96)

/* Compare and exchange each lane with its partner; lanes of `high` keep the larger key. */
#define EXCHANGE(v, partner, high) \
    do { \
        __m512i w_ = V(permutexvar)(partner, v); \
        v = V(mask_ternarylogic)(V(min)(v, w_), high, v, w_, 0x96); \
    } while (0)

/* Lane i exchanges with lane i ^ block; lanes that have `bit` are the upper ones. */
#define LANE(i, block) (WORD)((i) ^ (block))
#define LANES8(i, block) \
    LANE(i, block), LANE(i + 1, block), LANE(i + 2, block), LANE(i + 3, block), LANE(i + 4, block), \
        LANE(i + 5, block), LANE(i + 6, block), LANE(i + 7, block)
#define MIRROR(block) [block] = {ALL_LANES(block)}
static const WORD NAME(mirrors)[16][LANES]
    __attribute__((aligned(64))) = {MIRROR(1), MIRROR(2), MIRROR(3), MIRROR(4), MIRROR(7), MIRROR(8), MIRROR(15)};
#define MIRRORED(block) _mm512_load_si512(NAME(mirrors)[block])
#define UPPER(bit) (MASK)((bit) == 1 ? 0xAAAA : (bit) == 2 ? 0xCCCC : (bit) == 4 ? 0xF0F0 : 0xFF00)

/* Every second lane of two vectors, from the first or from the second on. */
#define EVERY8(i) i, (i) + 2, (i) + 4, (i) + 6, (i) + 8, (i) + 10, (i) + 12, (i) + 14
static const WORD NAME(every)[2][LANES] __attribute__((aligned(64))) = {{ALL_FROM(0)}, {ALL_FROM(1)}};

/* The first `left` lanes, none or all. */
static inline MASK NAME(first)(int64_t left) {
    return left >= LANES ? (MASK)-1 : left <= 0 ? (MASK)0 : (MASK)((1u << left) - 1);
}

/* v[i] and v[j] in order, lane by lane. */
static inline __attribute__((always_inline)) void NAME(order)(__m512i *v, int i, int j) {
    __m512i a = v[i], b = v[j];
    v[i] = V(min)(a, b);
    v[j] = OTHER(a, b, v[i]);
}
#define ORDER(i, j) NAME(order)(v, i, j)

/* Batcher's odd-even merges: each lane of `rows` vectors becomes a sorted column. */
static inline __attribute__((always_inline)) void NAME(sort_four)(__m512i *v) {
    ORDER(0, 1), ORDER(2, 3), ORDER(0, 2), ORDER(1, 3), ORDER(1, 2);
}

static inline __attribute__((always_inline)) void NAME(sort_eight)(__m512i *v) {
    NAME(sort_four)(v), NAME(sort_four)(v + 4);
    ORDER(0, 4), ORDER(1, 5), ORDER(2, 6), ORDER(3, 7), ORDER(2, 4), ORDER(3, 5), ORDER(1, 2), ORDER(3, 4);
    ORDER(5, 6);
}

static inline __attribute__((always_inline)) void NAME(sort_columns)(__m512i *v, int rows) {
    if (rows == 2) ORDER(0, 1);
    if (rows == 4) NAME(sort_four)(v);
    if (rows >= 8) NAME(sort_eight)(v);
    if (rows < 16) return;
    NAME(sort_eight)(v + 8);
    ORDER(0, 8), ORDER(1, 9), ORDER(2, 10), ORDER(3, 11), ORDER(4, 12), ORDER(5, 13), ORDER(6, 14), ORDER(7, 15);
    ORDER(4, 8), ORDER(5, 9), ORDER(6, 10), ORDER(7, 11), ORDER(2, 4), ORDER(3, 5), ORDER(6, 8), ORDER(7, 9);
    ORDER(10, 12), ORDER(11, 13), ORDER(1, 2), ORDER(3, 4), ORDER(5, 6), ORDER(7, 8), ORDER(9, 10), ORDER(11, 12);
    ORDER(13, 14);
}

/* Runs of s / 2 columns, each column after the one before, become runs of s by a bitonic merge. */
static inline __attribute__((always_inline)) void NAME(merge_columns)(__m512i *v, int rows, int s) {
    __m512i turn = MIRRORED(s - 1);
    MASK high = UPPER(s / 2);
    if (rows == 1) EXCHANGE(v[0], turn, high);
#pragma GCC unroll 8
    for (int i = 0; i < rows / 2; i++) {
        __m512i a = v[i], w = V(permutexvar)(turn, v[rows - 1 - i]), least = V(min)(a, w);
        v[i] = V(mask_ternarylogic)(least, high, a, w, 0x96);
        v[rows - 1 - i] = V(permutexvar)(turn, V(mask_ternarylogic)(least, (MASK)~high, a, w, 0x96));
    }
#pragma GCC unroll 4
    for (int d = s / 4; d > 0; d /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) EXCHANGE(v[i], MIRRORED(d), UPPER(d));
#pragma GCC unroll 4
    for (int d = rows / 2; d > 0; d /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++)
            if (!(i & d)) ORDER(i, i + d);
}

/* From columns to rows: the lowest bit of each place becomes its highest, once for each bit of the lane. */
static inline __attribute__((always_inline)) void NAME(turn_columns)(__m512i *v, int rows) {
    __m512i even = _mm512_load_si512(NAME(every)[0]), odd = _mm512_load_si512(NAME(every)[1]), w[16];
#pragma GCC unroll 4
    for (int s = 2; s <= LANES; s *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < rows / 2; i++) {
            w[i] = V(permutex2var)(v[2 * i], even, v[2 * i + 1]);
            w[rows / 2 + i] = V(permutex2var)(v[2 * i], odd, v[2 * i + 1]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) v[i] = w[i];
    }
}

static inline __attribute__((always_inline)) void NAME(network)(const WORD *from, WORD *to, int64_t n, int rows) {
    __m512i v[16], most = _mm512_set1_epi64(-1);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) v[i] = V(mask_loadu)(most, NAME(first)(n - (int64_t)i * LANES), from + i * LANES);
    NAME(sort_columns)(v, rows);
#pragma GCC unroll 4
    for (int s = 2; s <= LANES; s *= 2) NAME(merge_columns)(v, rows, s);
    if (rows > 1) NAME(turn_columns)(v, rows);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) V(mask_storeu)(to + i * LANES, NAME(first)(n - (int64_t)i * LANES), v[i]);
}

/* n <= SMALL keys, from one place to another or in place. */
static void NAME(small)(const WORD *from, WORD *to, int64_t n) {
    if (n <= LANES) NAME(network)(from, to, n, 1);
    else if (n <= 2 * LANES) NAME(network)(from, to, n, 2);
    else if (n <= 4 * LANES) NAME(network)(from, to, n, 4);
    else if (n <= 8 * LANES) NAME(network)(from, to, n, 8);
    else NAME(network)(from, to, n, 16);
}

/*
 * Keys below the pivot (or not above it, with `equal`) go to the front of `to`, the others to its end. Returns how many
 * went to the front. Whole vectors are written at both ends: what is free between them is what is unread, so while two
 * vectors are unread neither write reaches what the other placed.
 */
static inline __attribute__((always_inline)) int64_t NAME(deal)(const WORD *from, WORD *to, int64_t n, WORD pivot,
                                                                bool equal) {
    __m512i p = V(set1)(pivot);
    int64_t low = 0, high = n, i = 0;
    for (; i + 2 * LANES <= n; i += LANES) {
        __m512i v = _mm512_loadu_si512(from + i);
        MASK m = equal ? V(cmple)(v, p) : V(cmplt)(v, p);
        int64_t k = __builtin_popcount(m);
        NAME(part)(v, m, (int)k, to + low, to + high);
        low += k;
        high += k - LANES;
    }
    for (; i < n; i += LANES) {
        MASK in = NAME(first)(n - i);
        __m512i v = V(mask_loadu)(p, in, from + i);
        MASK m = in & (equal ? V(cmple)(v, p) : V(cmplt)(v, p)), rest = in & (MASK)~m;
        int64_t k = __builtin_popcount(m), above = __builtin_popcount(rest);
        V(mask_storeu)(to + low, NAME(first)(k), V(maskz_compress)(m, v));
        low += k;
        high -= above;
        V(mask_storeu)(to + high, NAME(first)(above), V(maskz_compress)(rest, v));
    }
    return low;
}

/*
 * The same in place. A block from each end waits aside, so that two blocks are free; the next block is read where less
 * is free, which leaves at least one block free at either end to write to. Returns how many are at the front.
 */
static inline __attribute__((always_inline)) int64_t NAME(split_by)(WORD *key, int64_t n, WORD pivot, bool equal) {
    enum { BLOCK = 8 * LANES };
    WORD aside[3 * BLOCK] __attribute__((aligned(64)));
    __m512i p = V(set1)(pivot);
    int64_t left = 0, right = n, low = 0, high = n, waiting = 0;
    if (n >= 2 * BLOCK) {
        memcpy(aside, key, sizeof *key * BLOCK);
        memcpy(aside + BLOCK, key + n - BLOCK, sizeof *key * BLOCK);
        left = BLOCK, right = n - BLOCK, waiting = 2 * BLOCK;
    }
    while (right - left >= BLOCK) {
        int64_t take = left - low <= high - right ? BLOCK : 0; /* no branch: it could not be foreseen */
        const WORD *from = key + (take ? left : right - BLOCK);
        __m512i v[8];
        left += take;
        right -= BLOCK - take;
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) v[i] = _mm512_loadu_si512(from + i * LANES);
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            MASK m = equal ? V(cmple)(v[i], p) : V(cmplt)(v[i], p);
            int64_t k = __builtin_popcount(m);
            NAME(part)(v[i], m, (int)k, key + low, key + high);
            low += k;
            high += k - LANES;
        }
    }
    memcpy(aside + waiting, key + left, sizeof *key * (size_t)(right - left));
    return low + NAME(deal)(aside, key + low, waiting + right - left, pivot, equal);
}

/* On their own, so that the loops have all registers. */
static __attribute__((noinline)) int64_t NAME(split)(WORD *key, int64_t n, WORD pivot) {
    return NAME(split_by)(key, n, pivot, false);
}

static __attribute__((noinline)) int64_t NAME(split_equal)(WORD *key, int64_t n, WORD pivot) {
    return NAME(split_by)(key, n, pivot, true);
}

static inline WORD NAME(middle)(WORD a, WORD b, WORD c) {
    WORD low = a < b ? a : b, high = a < b ? b : a, rest = high < c ? high : c;
    return low > rest ? low : rest;
}

/* The middle of keys taken at even distances: the more, the longer the split. */
static WORD NAME(pivot)(const WORD *k, int64_t n) {
    WORD at[NAME(SMALL)];
    if (n <= 4 * NAME(SMALL)) {
        for (int i = 0; i < 9; i++) at[i] = k[(2 * i + 1) * n / 18];
        return NAME(middle)(NAME(middle)(at[0], at[3], at[6]), NAME(middle)(at[1], at[4], at[7]),
                            NAME(middle)(at[2], at[5], at[8]));
    }
    int many = (n <= 64 * NAME(SMALL) ? 4 * LANES : NAME(SMALL)) - 1;
    int64_t step = n / many;
    for (int i = 0; i < many; i++) at[i] = k[step / 2 + i * step];
    NAME(small)(at, at, many);
    return at[many / 2];
}

typedef struct NAME(Range) {
    WORD *key;
    int64_t n;
    int rounds; /* splits left before the portable sort takes over */
} NAME(Range);

/* The larger part of a split waits, so that few wait at once. */
static void NAME(quick)(WORD *key, int64_t n, WORD *tmp, void (*rest)(WORD *key, int64_t n, WORD *tmp)) {
    NAME(Range) wait[64], r = {key, n, 2 * (64 - __builtin_clzll((unsigned long long)n | 1))};
    int waiting = 0;
    for (;;) {
        if (r.n <= NAME(SMALL)) {
            if (r.n > 0) NAME(small)(r.key, r.key, r.n);
        } else if (r.rounds == 0) {
            rest(r.key, r.n, tmp);
        } else {
            WORD p = NAME(pivot)(r.key, r.n);
            int64_t k = NAME(split)(r.key, r.n, p), done = 0;
            if (k == 0)
                done = NAME(split_equal)(r.key, r.n, p); /* nothing is below the pivot: what equals it is done */
            NAME(Range) a = {r.key, k, r.rounds - 1}, b = {r.key + k + done, r.n - k - done, r.rounds - 1};
            bool left = a.n < b.n;
            wait[waiting++] = left ? b : a;
            r = left ? a : b;
            continue;
        }
        if (waiting == 0) return;
        r = wait[--waiting];
    }
}

/* Until key[at] is what it is in a sorted list: the part with `at` in it is split again. */
static void NAME(pick)(WORD *key, int64_t n, int64_t at, WORD *tmp, void (*rest)(WORD *key, int64_t n, WORD *tmp)) {
    int rounds = 2 * (64 - __builtin_clzll((unsigned long long)n | 1));
    while (n > NAME(SMALL)) {
        if (rounds-- == 0) {
            rest(key, n, tmp);
            return;
        }
        WORD p = NAME(pivot)(key, n);
        int64_t k = NAME(split)(key, n, p), done = k == 0 ? NAME(split_equal)(key, n, p) : 0;
        if (at < k) {
            n = k;
            continue;
        }
        if (at < k + done) return;
        key += k + done, n -= k + done, at -= k + done;
    }
    if (n > 0) NAME(small)(key, key, n);
}
#undef EXCHANGE
#undef LANE
#undef LANES8
#undef MIRROR
#undef MIRRORED
#undef UPPER
#undef OTHER
#undef ORDER
#undef EVERY8
