/*
 * pcg.c -- NumPy's new generator: PCG64 (a 128-bit congruential generator whose words are its state folded and rotated)
 * seeded by a SeedSequence, and the draws that Generator makes from its words.
 *
 * In: words of entropy, or a state. Out: the numbers of numpy.random.Generator(PCG64(..)). Always holds: words are used
 * in NumPy's order; of a 64-bit word that 32 bits were asked of, the upper half is the next such 32 bits.
 */
#include "base/parts.h"
#include "random.h"
#include "ziggurat.h"

#include <math.h>
#include <string.h>

typedef RandomWide Wide;

static float single(Pcg *p) { return (float)(pcg_word(p) >> 8) * (1.0f / 16777216.0f); }

ThRandom *th_random_pcg64(ThContext *c, const uint32_t *entropy, int n) {
    uint32_t w[8];
    if (!c) return NULL;
    if (n < 0 || (n && !entropy)) return err_missing(c, __func__), NULL;
    ThRandom *r = ctx_alloc0(c, sizeof *r);
    if (!r) return NULL;
    Pcg *p = r->pcg = ctx_alloc0(c, sizeof *p);
    r->ctx = th_context_retain(c);
    if (!p) {
        th_random_release(r);
        return NULL;
    }
    th_seed_words(entropy, n, w, 8);
    uint64_t s[4];
    for (int i = 0; i < 4; i++) s[i] = (uint64_t)w[2 * i + 1] << 32 | w[2 * i];
    p->inc = ((Wide)s[2] << 64 | s[3]) << 1 | 1;
    pcg_step(p);
    p->state += (Wide)s[0] << 64 | s[1];
    pcg_step(p);
    return r;
}

int th_random_pcg64_get(const ThRandom *r, ThPcg64 *out) {
    if (!r || !out || !r->pcg) return r ? (err_missing(r->ctx, __func__), -1) : -1;
    const Pcg *p = r->pcg;
    *out = (ThPcg64){{(uint64_t)(p->state >> 64), (uint64_t)p->state},
                     {(uint64_t)(p->inc >> 64), (uint64_t)p->inc},
                     p->has_half,
                     p->half};
    return 0;
}

int th_random_pcg64_set(ThRandom *r, const ThPcg64 *in) {
    if (!r || !in || !r->pcg) return r ? (err_missing(r->ctx, __func__), -1) : -1;
    if (!(in->inc[1] & 1)) {
        err(r->ctx, TH_ValueError, "the increment of a PCG64 is odd");
        return -1;
    }
    *r->pcg = (Pcg){(Wide)in->state[0] << 64 | in->state[1], (Wide)in->inc[0] << 64 | in->inc[1], in->has_uint32,
                    in->uinteger};
    return 0;
}

/* As if so many words had been drawn. */
int th_random_pcg64_advance(ThRandom *r, const uint64_t delta[2]) {
    if (!r || !delta || !r->pcg) return r ? (err_missing(r->ctx, __func__), -1) : -1;
    Pcg *p = r->pcg;
    Wide left = (Wide)delta[0] << 64 | delta[1], times = 1, plus = 0, m = PCG_MULTIPLIER, a = p->inc;
    for (; left; left >>= 1) {
        if (left & 1) times *= m, plus = plus * m + a;
        a = (m + 1) * a;
        m *= m;
    }
    p->state = times * p->state + plus;
    p->has_half = false;
    p->half = 0;
    return 0;
}

/* ---- bounded integers: the upper half of a product, drawn again where it would not be even --------------------- */
static uint32_t bounded32(Pcg *p, uint32_t range) {
    uint32_t n = range + 1;
    uint64_t m = (uint64_t)pcg_word(p) * n;
    if ((uint32_t)m < n)
        for (uint32_t least = (UINT32_MAX - range) % n; (uint32_t)m < least;) m = (uint64_t)pcg_word(p) * n;
    return (uint32_t)(m >> 32);
}

uint64_t pcg_bounded(Pcg *p, uint64_t range) {
    if (!range) return 0;
    if (range == UINT32_MAX) return pcg_word(p);
    if (range < UINT32_MAX) return bounded32(p, (uint32_t)range);
    if (range == UINT64_MAX) return pcg_word64(p);
    uint64_t n = range + 1;
    Wide m = (Wide)pcg_word64(p) * n;
    if ((uint64_t)m < n)
        for (uint64_t least = (UINT64_MAX - range) % n; (uint64_t)m < least;) m = (Wide)pcg_word64(p) * n;
    return (uint64_t)(m >> 64);
}

/* ---- ziggurats ------------------------------------------------------------------------------------------------- */
static const double normal_tail = 3.6541528853610088, normal_tail_inverse = 0.27366123732975828,
                    exponential_tail = 7.69711747013104972;

static double normal_beyond(Pcg *p, bool down) {
    for (;;) {
        double x = -normal_tail_inverse * log1p(-pcg_double(p)), y = -log1p(-pcg_double(p));
        if (y + y > x * x) return down ? -(normal_tail + x) : normal_tail + x;
    }
}

double pcg_normal(Pcg *p) {
    for (;;) {
        uint64_t word = pcg_word64(p), at = word >> 9 & 0xfffffffffffffu;
        int layer = (int)(word & 0xff);
        double x = (double)at * normal_width[layer];
        if (word & 0x100) x = -x;
        if (at < normal_words[layer]) return x;
        if (!layer) return normal_beyond(p, at & 0x100);
        double high = normal_edge[layer - 1], low = normal_edge[layer];
        if ((high - low) * pcg_double(p) + low < exp(-0.5 * x * x)) return x;
    }
}

static float normal_beyond_single(Pcg *p, bool down) {
    const float tail = (float)normal_tail, inverse = (float)normal_tail_inverse;
    for (;;) {
        float x = -inverse * log1pf(-single(p)), y = -log1pf(-single(p));
        if (y + y > x * x) return down ? -(tail + x) : tail + x;
    }
}

static float normal_single(Pcg *p) {
    for (;;) {
        uint32_t word = pcg_word(p), at = word >> 9 & 0x7fffffu;
        int layer = (int)(word & 0xff);
        float x = (float)at * normal_width_single[layer];
        if (word & 0x100) x = -x;
        if (at < normal_words_single[layer]) return x;
        if (!layer) return normal_beyond_single(p, at & 0x100);
        float high = normal_edge_single[layer - 1], low = normal_edge_single[layer];
        if ((double)((high - low) * single(p) + low) < exp(-0.5 * x * x)) return x;
    }
}

double pcg_exponential(Pcg *p) {
    for (;;) {
        uint64_t word = pcg_word64(p) >> 3, at = word >> 8;
        int layer = (int)(word & 0xff);
        double x = (double)at * exponential_width[layer];
        if (at < exponential_words[layer]) return x;
        if (!layer) return exponential_tail - log1p(-pcg_double(p));
        double high = exponential_edge[layer - 1], low = exponential_edge[layer];
        if ((high - low) * pcg_double(p) + low < exp(-x)) return x;
    }
}

static float exponential_single(Pcg *p) {
    for (;;) {
        uint32_t word = pcg_word(p) >> 1, at = word >> 8;
        int layer = (int)(word & 0xff);
        float x = (float)at * exponential_width_single[layer];
        if (at < exponential_words_single[layer]) return x;
        if (!layer) return (float)exponential_tail - log1pf(-single(p));
        float high = exponential_edge_single[layer - 1], low = exponential_edge_single[layer];
        if ((high - low) * single(p) + low < expf(-x)) return x;
    }
}

ThArray *th_random_pcg64_draw(ThRandom *r, char which, ThDtype d, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    if (!r->pcg) return err_missing(r->ctx, __func__), NULL;
    if (!dtype_is_float(d)) {
        err(r->ctx, TH_TypeError, "numbers of dtype %s are not drawn: float32 or float64", th_dtype_name(d));
        return NULL;
    }
    if (ndim > 0 && !shape) return err_missing(r->ctx, __func__), NULL;
    double (*real)(Pcg *) = which == 'n' ? pcg_normal : which == 'e' ? pcg_exponential : pcg_double;
    float (*narrow)(Pcg *) = which == 'n' ? normal_single : which == 'e' ? exponential_single : single;
    ThArray *a = th_array_empty(r->ctx, d, ndim, shape);
    for (int64_t i = 0, since = 0; a && i < a->size; i++) {
        if (d == TH_FLOAT64) ((double *)(void *)a->data)[i] = real(r->pcg);
        else ((float *)(void *)a->data)[i] = narrow(r->pcg);
        if (i % RANDOM_OFTEN || !random_stopped(r, &since, RANDOM_OFTEN)) continue;
        th_array_release(a);
        return NULL;
    }
    return a;
}

/* ---- picks without replacement --------------------------------------------------------------------------------- */
/* Large samples are the end of an order, others Floyd's: the drawn one, or the newest where it was drawn before. */
static bool by_tail(const RandomChoice *k) { return k->n > 10000 && k->size > k->n / (k->ordered ? 20 : 50); }

static uint64_t mask_for(const RandomChoice *k) {
    uint64_t m = (uint64_t)(1.2 * (double)k->size);
    for (int s = 1; s < 64; s *= 2) m |= m >> s;
    return m;
}

uint64_t pcg_choice_room(const RandomChoice *k) {
    return (by_tail(k) ? (uint64_t)k->n : mask_for(k) + 1) * sizeof(uint64_t);
}

static bool shuffle(ThRandom *r, int64_t n, int64_t first, int64_t *at) {
    int64_t since = 0;
    for (int64_t i = n - 1; i >= first; i--) {
        int64_t j = (int64_t)pcg_bounded(r->pcg, (uint64_t)i), kept = at[j];
        at[j] = at[i];
        at[i] = kept;
        if (i % RANDOM_OFTEN == 0 && random_stopped(r, &since, RANDOM_OFTEN)) return false;
    }
    return true;
}

bool pcg_choose(ThRandom *r, const RandomChoice *k, int64_t *out, void *room) {
    Pcg *p = r->pcg;
    int64_t since = 0;
    if (by_tail(k)) {
        int64_t *all = room, first = k->n - k->size;
        for (int64_t i = 0; i < k->n; i++) all[i] = i;
        if (!shuffle(r, k->n, first > 1 ? first : 1, all)) return false;
        memcpy(out, all + first, (size_t)k->size * sizeof *out);
        return true;
    }
    uint64_t mask = mask_for(k), *seen = room;
    memset(seen, 0xff, (size_t)(mask + 1) * sizeof *seen);
    for (int64_t j = k->n - k->size, i = 0; j < k->n; j++, i++) {
        uint64_t v = pcg_bounded(p, (uint64_t)j), at = v & mask;
        while (seen[at] != UINT64_MAX && seen[at] != v) at = (at + 1) & mask;
        if (seen[at] == v) {
            v = (uint64_t)j;
            for (at = v & mask; seen[at] != UINT64_MAX;) at = (at + 1) & mask;
        }
        seen[at] = v;
        out[i] = (int64_t)v;
        if (i % RANDOM_OFTEN == RANDOM_OFTEN - 1 && random_stopped(r, &since, RANDOM_OFTEN)) return false;
    }
    return k->ordered || shuffle(r, k->size, 1, out);
}
