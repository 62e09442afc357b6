/*
 * sort_vector_body.h -- the vector sort for one width of keys and one set of instructions. WORD is the type, LANES how
 * many a vector holds, ROWS how many vectors are sorted in registers, VECTOR and MASK the types of a vector and of a
 * comparison's lanes, NAME(x) names functions, V(x) is an instruction or a short sequence of them:
 *   load(from, left)         a vector of which `left` keys are there, the greatest key for the others
 *   store(to, left, v)       the first `left` keys of one
 *   least(a, b)              the smaller of both, lane by lane; rest(a, b, least) the larger
 *   exchange(a, b, bit, up)  the smaller, and the larger one where a lane's number has `bit` (has it not, without up)
 *   turn(v, block)           lane i is lane i ^ block
 *   even(a, b) odd(a, b)     every second lane of two
 *   below(v, p, equal)       the lanes that are less than the pivot's (or equal)
 *   part(v, m, k, low, high) the k lanes of a mask to low on, the others before high; both writes may be whole vectors
 * and NAME(deal_rest) is given. Up to SMALL keys are sorted by a network in registers; more are split around a pivot
 * until they are few.
 */
enum { NAME(SMALL) = ROWS * LANES };

/* v[i] and v[j] in order, lane by lane. */
static inline __attribute__((always_inline)) void NAME(order)(VECTOR *v, int i, int j) {
    VECTOR a = v[i], b = v[j];
    v[i] = V(least)(a, b);
    v[j] = V(rest)(a, b, v[i]);
}
#define ORDER(i, j) NAME(order)(v, i, j)

/* Batcher's odd-even merges: each lane of `rows` vectors becomes a sorted column. */
static inline __attribute__((always_inline)) void NAME(sort_four)(VECTOR *v) {
    ORDER(0, 1), ORDER(2, 3), ORDER(0, 2), ORDER(1, 3), ORDER(1, 2);
}

static inline __attribute__((always_inline)) void NAME(sort_eight)(VECTOR *v) {
    NAME(sort_four)(v), NAME(sort_four)(v + 4);
    ORDER(0, 4), ORDER(1, 5), ORDER(2, 6), ORDER(3, 7), ORDER(2, 4), ORDER(3, 5), ORDER(1, 2), ORDER(3, 4);
    ORDER(5, 6);
}

static inline __attribute__((always_inline)) void NAME(sort_columns)(VECTOR *v, int rows) {
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
static inline __attribute__((always_inline)) void NAME(merge_columns)(VECTOR *v, int rows, int s) {
    if (rows == 1) v[0] = V(exchange)(v[0], V(turn)(v[0], s - 1), s / 2, true);
#pragma GCC unroll 8
    for (int i = 0; i < rows / 2; i++) {
        VECTOR a = v[i], w = V(turn)(v[rows - 1 - i], s - 1);
        v[i] = V(exchange)(a, w, s / 2, true);
        v[rows - 1 - i] = V(turn)(V(exchange)(a, w, s / 2, false), s - 1);
    }
#pragma GCC unroll 4
    for (int d = s / 4; d > 0; d /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) v[i] = V(exchange)(v[i], V(turn)(v[i], d), d, true);
#pragma GCC unroll 4
    for (int d = rows / 2; d > 0; d /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++)
            if (!(i & d)) ORDER(i, i + d);
}

/* From columns to rows: the lowest bit of each place becomes its highest, once for each bit of the lane. */
static inline __attribute__((always_inline)) void NAME(turn_columns)(VECTOR *v, int rows) {
    VECTOR w[ROWS];
#pragma GCC unroll 4
    for (int s = 2; s <= LANES; s *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < rows / 2; i++) {
            w[i] = V(even)(v[2 * i], v[2 * i + 1]);
            w[rows / 2 + i] = V(odd)(v[2 * i], v[2 * i + 1]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) v[i] = w[i];
    }
}

static inline __attribute__((always_inline)) void NAME(network)(const WORD *from, WORD *to, int64_t n, int rows) {
    VECTOR v[ROWS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) v[i] = V(load)(from + i * LANES, n - (int64_t)i * LANES);
    NAME(sort_columns)(v, rows);
#pragma GCC unroll 4
    for (int s = 2; s <= LANES; s *= 2) NAME(merge_columns)(v, rows, s);
    if (rows > 1) NAME(turn_columns)(v, rows);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) V(store)(to + i * LANES, n - (int64_t)i * LANES, v[i]);
}

/* n <= SMALL keys, from one place to another or in place. */
static void NAME(small)(const WORD *from, WORD *to, int64_t n) {
    if (n <= LANES) NAME(network)(from, to, n, 1);
    else if (n <= 2 * LANES) NAME(network)(from, to, n, 2);
    else if (n <= 4 * LANES) NAME(network)(from, to, n, 4);
    else if (n <= 8 * LANES) NAME(network)(from, to, n, 8);
    else NAME(network)(from, to, n, ROWS);
}

/*
 * Keys below the pivot (or not above it, with `equal`) go to the front of `to`, the others to its end. Returns how many
 * went to the front. Whole vectors are written at both ends: what is free between them is what is unread, so while two
 * vectors are unread neither write reaches what the other placed.
 */
static inline __attribute__((always_inline)) int64_t NAME(deal)(const WORD *from, WORD *to, int64_t n, WORD pivot,
                                                                bool equal) {
    VECTOR p = V(set1)(pivot);
    int64_t low = 0, high = n, i = 0;
    for (; i + 2 * LANES <= n; i += LANES) {
        VECTOR v = V(loadu)(from + i);
        MASK m = V(below)(v, p, equal);
        int64_t k = __builtin_popcount(m);
        V(part)(v, m, (int)k, to + low, to + high);
        low += k;
        high += k - LANES;
    }
    return NAME(deal_rest)(from + i, n - i, to, low, high, pivot, equal);
}

/*
 * The same in place. A block from each end waits aside, so that two blocks are free; the next block is read where less
 * is free, which leaves at least one block free at either end to write to. Returns how many are at the front.
 */
static inline __attribute__((always_inline)) int64_t NAME(split_by)(WORD *key, int64_t n, WORD pivot, bool equal) {
    enum { BLOCK = 8 * LANES };
    WORD aside[3 * BLOCK] __attribute__((aligned(64)));
    VECTOR p = V(set1)(pivot);
    int64_t left = 0, right = n, low = 0, high = n, waiting = 0;
    if (n >= 2 * BLOCK) {
        memcpy(aside, key, sizeof *key * BLOCK);
        memcpy(aside + BLOCK, key + n - BLOCK, sizeof *key * BLOCK);
        left = BLOCK, right = n - BLOCK, waiting = 2 * BLOCK;
    }
    while (right - left >= BLOCK) {
        int64_t take = left - low <= high - right ? BLOCK : 0; /* no branch: it could not be foreseen */
        const WORD *from = key + (take ? left : right - BLOCK);
        VECTOR v[8];
        left += take;
        right -= BLOCK - take;
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) v[i] = V(loadu)(from + i * LANES);
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            MASK m = V(below)(v[i], p, equal);
            int64_t k = __builtin_popcount(m);
            V(part)(v[i], m, (int)k, key + low, key + high);
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
#undef ORDER
