/*
 * random.c -- MT19937 and the bounded integers of NumPy's legacy RandomState, word for word.
 *
 * In: a seed below 2^32. Out: the same streams as numpy.random.RandomState(seed). Always holds: a call that fails has
 * not advanced the stream. The distributions are in random_dist.c.
 */
#include "random.h"
#include "parts.h"

#include <string.h>

enum { N = 624, M = 397 };

ThRandom *th_random_new(ThContext *c, uint64_t seed) {
    if (seed > UINT32_MAX) {
        err(c, TH_ValueError, "a seed must be between 0 and 2**32 - 1, got %llu", (unsigned long long)seed);
        return NULL;
    }
    ThRandom *r = ctx_alloc0(c, sizeof *r);
    if (!r) return NULL;
    r->ctx = th_context_retain(c);
    uint32_t x = (uint32_t)seed;
    for (uint32_t i = 0; i < N; i++) {
        r->key[i] = x;
        x = 1812433253u * (x ^ (x >> 30)) + i + 1;
    }
    r->pos = N;
    return r;
}

void th_random_release(ThRandom *r) {
    if (!r) return;
    ThContext *c = r->ctx;
    ctx_free(c, r, sizeof *r);
    th_context_release(c);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */
static uint32_t twist(uint32_t u, uint32_t v) {
    uint32_t y = (u & 0x80000000u) | (v & 0x7fffffffu);
    return (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
}

static void refill(ThRandom *r) {
    uint32_t *k = r->key;
    for (int i = 0; i < N - M; i++) k[i] = k[i + M] ^ twist(k[i], k[i + 1]);
    for (int i = N - M; i < N - 1; i++) k[i] = k[i + M - N] ^ twist(k[i], k[i + 1]);
    k[N - 1] = k[M - 1] ^ twist(k[N - 1], k[0]);
    r->pos = 0;
}

uint32_t random_word(ThRandom *r) {
    if (r->pos == N) refill(r);
    uint32_t y = r->key[r->pos++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ (y >> 18);
}

uint64_t random_word64(ThRandom *r) {
    uint64_t high = random_word(r);
    return high << 32 | random_word(r);
}

double random_double(ThRandom *r) {
    uint32_t a = random_word(r) >> 5, b = random_word(r) >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
}

/* ---- bounded integers: masked words, drawn again until they fit -------------------------------------------------- */
static uint64_t mask_of(uint64_t range) { return range ? UINT64_MAX >> __builtin_clzll(range) : 0; }

uint64_t random_bounded(ThRandom *r, uint64_t range) {
    uint64_t mask = mask_of(range), v;
    if (!range) return 0;
    do v = (range <= UINT32_MAX ? random_word(r) : random_word64(r)) & mask;
    while (v > range);
    return v;
}

/* Small results share a word: bits of width 1, 8 or 16 are used from the low end on, within one call only. */
typedef struct {
    uint32_t word;
    int left, width;
} Shared;

static uint32_t shared_bits(ThRandom *r, Shared *s) {
    if (!s->left) {
        s->word = random_word(r);
        s->left = 32 / s->width;
    } else {
        s->word >>= s->width;
    }
    s->left--;
    return s->word & ((1u << s->width) - 1);
}

/* n integers off + [0, range], written with the width of their dtype. */
static void fill(ThRandom *r, ThDtype d, char *out, int64_t n, uint64_t off, uint64_t range) {
    int bytes = (int)th_dtype_bytes(d);
    uint32_t mask = (uint32_t)mask_of(range);
    Shared s = {.width = d == TH_BOOL ? 1 : 8 * bytes};
    for (int64_t i = 0; i < n; i++) {
        uint64_t v = 0;
        if (range && bytes <= 2) {
            do v = shared_bits(r, &s) & mask;
            while (v > range);
        } else {
            v = random_bounded(r, range);
        }
        v += off;
        memcpy(out + i * bytes, &v, (size_t)bytes); /* little-endian: the low bytes */
    }
}

/* Smallest and largest value of an integer dtype; largest is cut to what an int64 holds. */
static void limits(ThDtype d, int64_t *low, int64_t *high) {
    int bits = 8 * (int)th_dtype_bytes(d);
    *low = dtype_is_signed(d) ? INT64_MIN >> (64 - bits) : 0;
    *high = d == TH_BOOL ? 1 : bits == 64 ? INT64_MAX : dtype_is_signed(d) ? ~*low : (int64_t)((1ull << bits) - 1);
}

/* Integers of low <= v < high in dtype d (int64 when TH_DTYPE_NONE). */
ThArray *th_random_randint(ThRandom *r, int64_t low, int64_t high, ThDtype d, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    if (d == TH_DTYPE_NONE) d = TH_INT64;
    int64_t lowest, highest;
    if ((unsigned)d >= TH_DTYPE_COUNT || !dtype_is_discrete(d)) {
        err(r->ctx, TH_TypeError, "randint gives integers or bool, not %s", th_dtype_name(d));
        return NULL;
    }
    limits(d, &lowest, &highest);
    if (low >= high) err(r->ctx, TH_ValueError, "randint: low >= high (%lld, %lld)", (long long)low, (long long)high);
    else if (low < lowest)
        err(r->ctx, TH_ValueError, "randint: low %lld is out of bounds for %s", (long long)low, th_dtype_name(d));
    else if (high - 1 > highest)
        err(r->ctx, TH_ValueError, "randint: high %lld is out of bounds for %s", (long long)high, th_dtype_name(d));
    if (failed(r->ctx)) return NULL;
    ThArray *a = th_array_empty(r->ctx, d, ndim, shape);
    if (a) fill(r, d, a->data, a->size, (uint64_t)low, (uint64_t)high - 1 - (uint64_t)low);
    return a;
}

/* 0 .. n - 1 in random order, as RandomState.permutation(n) shuffles them. */
ThArray *th_random_permutation(ThRandom *r, int64_t n) {
    if (!r) return NULL;
    if (n < 0) {
        err(r->ctx, TH_ValueError, "permutation of %lld elements", (long long)n);
        return NULL;
    }
    ThArray *a = th_array_empty(r->ctx, TH_INT64, 1, &n);
    if (!a) return NULL;
    int64_t *v = (int64_t *)(void *)a->data;
    for (int64_t i = 0; i < n; i++) v[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)random_bounded(r, (uint64_t)i), t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
    return a;
}
