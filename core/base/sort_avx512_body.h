/*
 * sort_avx512_body.h -- the vector sort for one width of keys. WORD is the type, LANES how many a vector holds, MASK
 * its mask type, ALL_LANES(block) the partner of each, NAME(x) names its functions, V(x) its intrinsics. Up to SMALL
 * keys are sorted by a bitonic network in registers; more are split around a pivot from one block into the other until
 * they are few.
 */
enum { NAME(SMALL) = 8 * LANES };

/* Compare and exchange each lane with its partner; lanes of `high` keep the larger key. */
#define EXCHANGE(v, partner, high) \
    do { \
        __m512i w_ = V(permutexvar)(partner, v); \
        v = V(mask_max)(V(min)(v, w_), high, v, w_); \
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

static inline __attribute__((always_inline)) void NAME(clean_vector)(__m512i *v) {
#pragma GCC unroll 4
    for (int d = LANES / 2; d > 0; d /= 2) EXCHANGE(*v, MIRRORED(d), UPPER(d));
}

static inline __attribute__((always_inline)) void NAME(sort_vector)(__m512i *v) {
#pragma GCC unroll 4
    for (int s = 2; s <= LANES; s *= 2) {
        EXCHANGE(*v, MIRRORED(s - 1), UPPER(s / 2));
#pragma GCC unroll 4
        for (int d = s / 4; d > 0; d /= 2) EXCHANGE(*v, MIRRORED(d), UPPER(d));
    }
}

/* Two sorted halves of `count` vectors become one sorted run. */
static inline __attribute__((always_inline)) void NAME(merge_vectors)(__m512i *v, int count) {
    __m512i turn = MIRRORED(LANES - 1), high[4];
    int half = count / 2;
#pragma GCC unroll 8
    for (int i = 0; i < half; i++) {
        __m512i b = V(permutexvar)(turn, v[count - 1 - i]);
        high[i] = V(max)(v[i], b);
        v[i] = V(min)(v[i], b);
    }
#pragma GCC unroll 8
    for (int i = 0; i < half; i++) v[half + i] = high[i];
#pragma GCC unroll 4
    for (int d = half / 2; d > 0; d /= 2)
#pragma GCC unroll 8
        for (int i = 0; i < count; i++)
            if (!(i & d)) {
                __m512i a = v[i];
                v[i] = V(min)(a, v[i + d]);
                v[i + d] = V(max)(a, v[i + d]);
            }
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) NAME(clean_vector)(&v[i]);
}

static inline __attribute__((always_inline)) void NAME(network)(const WORD *from, WORD *to, int64_t n, int count) {
    __m512i v[8], most = _mm512_set1_epi64(-1);
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        int64_t left = n - (int64_t)i * LANES;
        MASK m = left >= LANES ? (MASK)-1 : left <= 0 ? (MASK)0 : (MASK)((1u << left) - 1);
        v[i] = V(mask_loadu)(most, m, from + i * LANES);
        NAME(sort_vector)(&v[i]);
    }
#pragma GCC unroll 4
    for (int s = 2; s <= count; s *= 2)
#pragma GCC unroll 8
        for (int i = 0; i < count; i += s) NAME(merge_vectors)(v + i, s);
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        int64_t left = n - (int64_t)i * LANES;
        MASK m = left >= LANES ? (MASK)-1 : left <= 0 ? (MASK)0 : (MASK)((1u << left) - 1);
        V(mask_storeu)(to + i * LANES, m, v[i]);
    }
}

/* n <= SMALL keys, from one place to another or in place. */
static void NAME(small)(const WORD *from, WORD *to, int64_t n) {
    if (n <= LANES) NAME(network)(from, to, n, 1);
    else if (n <= 2 * LANES) NAME(network)(from, to, n, 2);
    else if (n <= 4 * LANES) NAME(network)(from, to, n, 4);
    else NAME(network)(from, to, n, 8);
}

/*
 * Keys below the pivot (or not above it, with `equal`) go to the front of `to`, the others to its end. Returns how many
 * went to the front. A whole vector may be written at the front: what is free there is never less than what is unread.
 */
static inline __attribute__((always_inline)) int64_t NAME(split)(const WORD *from, WORD *to, int64_t n, WORD pivot,
                                                                 bool equal) {
    __m512i p = V(set1)(pivot);
    int64_t low = 0, high = n, i = 0;
    for (; i + LANES <= n; i += LANES) {
        __m512i v = _mm512_loadu_si512(from + i);
        MASK m = equal ? V(cmple)(v, p) : V(cmplt)(v, p);
        int k = __builtin_popcount(m);
        _mm512_storeu_si512(to + low, V(maskz_compress)(m, v));
        low += k;
        high -= LANES - k;
        V(mask_storeu)(to + high, (MASK)((1u << (LANES - k)) - 1), V(maskz_compress)((MASK)~m, v));
    }
    for (; i < n; i++) {
        bool front = equal ? from[i] <= pivot : from[i] < pivot;
        if (front) to[low++] = from[i];
        else to[--high] = from[i];
    }
    return low;
}

static inline WORD NAME(middle)(WORD a, WORD b, WORD c) {
    WORD low = a < b ? a : b, high = a < b ? b : a, rest = high < c ? high : c;
    return low > rest ? low : rest;
}

/* The middle of keys taken at even distances: of many where the split is long. */
static WORD NAME(pivot)(const WORD *k, int64_t n) {
    enum { MANY = NAME(SMALL) - 1 };
    WORD at[MANY];
    if (n <= 32 * NAME(SMALL)) {
        for (int i = 0; i < 9; i++) at[i] = k[(2 * i + 1) * n / 18];
        return NAME(middle)(NAME(middle)(at[0], at[3], at[6]), NAME(middle)(at[1], at[4], at[7]),
                            NAME(middle)(at[2], at[5], at[8]));
    }
    for (int i = 0; i < MANY; i++) at[i] = k[(2 * i + 1) * n / (2 * MANY)];
    NAME(small)(at, at, MANY);
    return at[MANY / 2];
}

typedef struct NAME(Range) {
    int64_t lo, n;
    bool in_tmp;
    int rounds; /* splits left before the portable sort takes over */
} NAME(Range);

/* A range is split from the block it lies in to the other; the larger part waits, so that few wait at once. */
static void NAME(quick)(WORD *key, int64_t n, WORD *tmp, void (*rest)(WORD *key, int64_t n, WORD *tmp)) {
    NAME(Range) wait[64], r = {0, n, false, 2 * (64 - __builtin_clzll((unsigned long long)n | 1))};
    int waiting = 0;
    for (;;) {
        WORD *from = (r.in_tmp ? tmp : key) + r.lo, *to = (r.in_tmp ? key : tmp) + r.lo;
        if (r.n <= NAME(SMALL)) {
            if (r.n > 0) NAME(small)(from, key + r.lo, r.n);
        } else if (r.rounds == 0) {
            rest(from, r.n, to);
            if (r.in_tmp) memcpy(key + r.lo, from, (size_t)r.n * sizeof *key);
        } else {
            WORD p = NAME(pivot)(from, r.n);
            int64_t k = NAME(split)(from, to, r.n, p, false);
            bool same = k == 0; /* nothing is below the pivot: what equals it is done */
            if (same) {
                k = NAME(split)(from, to, r.n, p, true);
                for (int64_t i = 0; i < k; i++) key[r.lo + i] = p;
            }
            NAME(Range) a = {r.lo, same ? 0 : k, !r.in_tmp, r.rounds - 1};
            NAME(Range) b = {r.lo + k, r.n - k, !r.in_tmp, r.rounds - 1};
            bool left = a.n < b.n;
            wait[waiting++] = left ? b : a;
            r = left ? a : b;
            continue;
        }
        if (waiting == 0) return;
        r = wait[--waiting];
    }
}
#undef EXCHANGE
#undef LANE
#undef LANES8
#undef MIRROR
#undef MIRRORED
#undef UPPER
