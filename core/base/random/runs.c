/*
 * runs.c -- many numbers of one kind at once, as they come one by one: where the parameters are the same for all.
 *
 * In: a generator, parameters, room. Out: the numbers that as many single draws would have given, and the same state.
 * Always holds: words are taken in blocks, never more than what is still missing needs, so that none is given back.
 */
#include "random.h"
#include "words.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* ---- real numbers ------------------------------------------------------------------------------------------------ */
void random_doubles(ThRandom *r, double *out, int64_t n) {
    uint32_t room[WORDS_BLOCK];
    for (int64_t i = 0; i < n;) {
        int64_t left = r->pcg ? 0 : (WORDS_BLOCK - r->w->pos % WORDS_BLOCK) / 2;
        if (!left) { /* of two words the second is in the next block */
            out[i++] = random_double(r);
            continue;
        }
        if (left > n - i) left = n - i;
        words_take(r->w, 2 * left, room);
        words_doubles(room, left, out + i);
        i += left;
    }
}

/* Points of the unit disc, by the polar method: of n asked for all are tried, and those that are none are tried again.
 */
enum { POINTS = 128 };
static int disc(ThRandom *r, int n, double (*at)[3]) {
    double u[2 * POINTS];
    int have = 0;
    random_doubles(r, u, 2 * n);
    for (int i = 0; i < n; i++) {
        double x = 2.0 * u[2 * i] - 1.0, y = 2.0 * u[2 * i + 1] - 1.0, square = x * x + y * y;
        at[have][0] = x, at[have][1] = y, at[have][2] = square;
        have += (square < 1.0) & (square != 0.0);
    }
    return have;
}

static void normals(ThRandom *r, double *out, int64_t n) {
    double at[POINTS][3];
    int64_t i = 0;
    if (n && (r->pcg || r->w->has_gauss)) out[i++] = random_gauss(r);
    while (r->pcg && i < n) out[i++] = random_gauss(r);
    while (n - i >= 2) {
        int64_t pairs = (n - i) / 2;
        int have = disc(r, pairs < POINTS ? (int)pairs : POINTS, at);
        for (int k = 0; k < have; k++, i += 2) {
            double f = sqrt(-2.0 * log(at[k][2]) / at[k][2]);
            out[i] = f * at[k][1];
            out[i + 1] = f * at[k][0];
        }
    }
    if (i < n) out[i] = random_gauss(r);
}

void random_reals(ThRandom *r, RandomReal one, const ThValue *p, double *out, int64_t n) {
    if (one == random_sample || one == random_uniform) random_doubles(r, out, n);
    else if (one == random_standard_normal || one == random_normal) normals(r, out, n);
    else
        for (int64_t i = 0; i < n; i++) out[i] = one(r, p);
    if (one == random_uniform)
        for (int64_t i = 0; i < n; i++) out[i] = p[0].f + (p[1].f - p[0].f) * out[i];
    if (one == random_normal)
        for (int64_t i = 0; i < n; i++) out[i] = p[0].f + p[1].f * out[i];
}

/* ---- bounded integers -------------------------------------------------------------------------------------------- */
/* A candidate is written where the next number belongs, which it is where it is good. */
INLINE int64_t put(char *out, int64_t i, int bytes, uint64_t v, bool good) {
    memcpy(out + i * bytes, &v, (size_t)bytes); /* little-endian: the low bytes */
    return i + good;
}

/* RandomState: the lower bits of a word, drawn again until they are at most the range. */
INLINE void masked_words(ThRandom *r, const RandomRange *k, int bytes, char *out, int64_t n) {
    uint32_t room[WORDS_BLOCK], mask = (uint32_t)random_mask(k->range);
    for (int64_t i = 0; i < n;) {
        int have = words_take(r->w, n - i, room);
        for (int j = 0; j < have; j++) {
            uint32_t v = room[j] & mask;
            i = put(out, i, bytes, k->off + v, v <= k->range);
        }
    }
}

/* The 32 bits of a word as bytes, the lowest first. */
INLINE void put_bits(char *out, uint32_t word) {
    for (int k = 0; k < 4; k++, word >>= 8, out += 8) {
        uint64_t each = (word & 0xff) * 0x0101010101010101u & 0x8040201008040201u; /* byte i has bit i or is 0 */
        each = (each + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
        memcpy(out, &each, sizeof each);
    }
}

/* Numbers of one or two bytes, several a word. */
INLINE void masked_parts(ThRandom *r, RandomShared *s, const RandomRange *k, int bytes, char *out, int64_t n) {
    uint32_t room[WORDS_BLOCK], mask = (uint32_t)random_mask(k->range), v;
    const int each = 32 / s->width;
    int64_t i = 0;
    while (s->left && i < n) {
        v = random_shared_bits(r, s) & mask;
        i = put(out, i, bytes, k->off + v, v <= k->range);
    }
    while (i < n) {
        int have = words_take(r->w, (n - i + each - 1) / each, room);
        for (int j = 0; j < have; j++) {
            if (s->width == 1 && n - i >= 32) { /* bool: all bits are good */
                put_bits(out + i, room[j]);
                i += 32;
                continue;
            }
            *s = (RandomShared){.width = s->width, .left = each, .word = room[j]};
            v = room[j] & mask;
            i = put(out, i, bytes, k->off + v, v <= k->range);
            for (s->left--; s->left && i < n; s->left--) {
                s->word >>= s->width;
                v = s->word & mask;
                i = put(out, i, bytes, k->off + v, v <= k->range);
            }
        }
    }
}

/* Generator: the upper half of a product with the number of values, drawn again where it would not be even. */
INLINE void product_words(ThRandom *r, const RandomRange *k, int bytes, char *out, int64_t n) {
    Pcg p = *r->pcg;
    uint64_t count = k->range + 1, least = (UINT32_MAX - k->range) % count;
    for (int64_t i = 0; i < n;) {
        uint64_t m = pcg_word(&p) * count;
        i = put(out, i, bytes, k->off + (m >> 32), (uint32_t)m >= least);
    }
    *r->pcg = p;
}

INLINE void product_parts(ThRandom *r, RandomShared *s, const RandomRange *k, int bytes, char *out, int64_t n) {
    Pcg p = *r->pcg;
    RandomShared own = *s;
    uint32_t all = (1u << own.width) - 1, count = (uint32_t)k->range + 1, least = (all - (uint32_t)k->range) % count;
    for (int64_t i = 0; i < n;) {
        for (; own.width == 1 && !own.left && n - i >= 32; i += 32) put_bits(out + i, pcg_word(&p));
        if (i == n) break;
        if (own.left) own.word >>= own.width, own.left--;
        else own.word = pcg_word(&p), own.left = 32 / own.width - 1;
        uint32_t m = (own.word & all) * count;
        i = put(out, i, bytes, k->off + (m >> own.width), (m & all) >= least);
    }
    *s = own;
    *r->pcg = p;
}

/* Ranges of more than 32 bits. */
static void masked_wide(ThRandom *r, const RandomRange *k, char *out, int64_t n) {
    uint64_t mask = random_mask(k->range);
    for (int64_t i = 0; i < n;) {
        uint64_t v = random_word64(r) & mask;
        i = put(out, i, 8, k->off + v, v <= k->range);
    }
}

static void product_wide(ThRandom *r, const RandomRange *k, char *out, int64_t n) {
    Pcg p = *r->pcg;
    RandomWide count = (RandomWide)k->range + 1;
    uint64_t least = (uint64_t)((UINT64_MAX - k->range) % count);
    for (int64_t i = 0; i < n;) {
        RandomWide m = pcg_word64(&p) * count;
        i = put(out, i, 8, k->off + (uint64_t)(m >> 64), (uint64_t)m >= least);
    }
    *r->pcg = p;
}

static void small(ThRandom *r, RandomShared *s, const RandomRange *k, char *out, int64_t n) {
    if (r->pcg && k->bytes == 1) product_parts(r, s, k, 1, out, n);
    else if (r->pcg) product_parts(r, s, k, 2, out, n);
    else if (k->bytes == 1) masked_parts(r, s, k, 1, out, n);
    else masked_parts(r, s, k, 2, out, n);
}

void random_integer_run(ThRandom *r, RandomShared *s, const RandomRange *k, char *out, int64_t n) {
    if (!k->range)
        for (int64_t i = 0; i < n; i++) memcpy(out + i * k->bytes, &k->off, (size_t)k->bytes);
    else if (k->bytes <= 2) small(r, s, k, out, n);
    else if (k->range > UINT32_MAX && r->pcg) product_wide(r, k, out, n);
    else if (k->range > UINT32_MAX) masked_wide(r, k, out, n);
    else if (r->pcg && k->bytes == 4) product_words(r, k, 4, out, n);
    else if (r->pcg) product_words(r, k, 8, out, n);
    else if (k->bytes == 4) masked_words(r, k, 4, out, n);
    else masked_words(r, k, 8, out, n);
}
