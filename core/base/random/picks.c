/*
 * picks.c -- orders, picks and shares: what choice.c draws, on memory that the caller brings. In: a generator, checked
 * probabilities. Out: positions, counts. Always holds: words are used in NumPy's order.
 */
#ifndef RANDOM_ALONE
#include "random.h"

#include <string.h>
#define stopped random_stopped
#else
static bool stopped(ThRandom *r, int64_t *since, int64_t more) { return (void)r, (void)since, (void)more, false; }
#endif

DRAW bool random_order(ThRandom *r, int64_t *at, int64_t n) {
    int64_t since = 0;
    for (int64_t i = 0; i < n; i++) at[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)random_interval(r, (uint64_t)i), kept = at[i];
        at[i] = at[j];
        at[j] = kept;
        if (i % RANDOM_OFTEN == 0 && stopped(r, &since, RANDOM_OFTEN)) return false;
    }
    return true;
}

/* Sums so far, divided by the whole. */
static void cumulate(const double *p, double *cdf, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) cdf[i] = sum = i ? sum + p[i] : p[0];
    for (int64_t i = 0; i < n; i++) cdf[i] /= sum;
}

/* How many of cdf are <= x. */
static int64_t search(const double *cdf, int64_t n, double x) {
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if (cdf[mid] <= x) low = mid + 1;
        else high = mid;
    }
    return low;
}

/* Draws in rounds: what came twice is drawn again from what is left, its probabilities set to 0. */
static bool distinct(ThRandom *r, const RandomChoice *k, int64_t *out, double *p, double *cdf) {
    double *x = cdf + k->n;
    char *seen = (char *)(x + k->size);
    memcpy(p, k->p, (size_t)k->n * sizeof *p);
    memset(seen, 0, (size_t)k->n);
    for (int64_t found = 0, since = 0; found < k->size;) {
        int64_t todo = k->size - found;
        random_doubles(r, x, todo);
        for (int64_t i = 0; i < found; i++) p[out[i]] = 0;
        cumulate(p, cdf, k->n);
        if (stopped(r, &since, k->n)) return false;
        for (int64_t i = 0; i < todo; i++) {
            if (i % RANDOM_OFTEN == RANDOM_OFTEN - 1 && stopped(r, &since, RANDOM_OFTEN)) return false;
            int64_t at = search(cdf, k->n, x[i]);
            if (seen[at]) continue;
            seen[at] = 1;
            out[found++] = at;
        }
    }
    return true;
}

DRAW bool random_choose_words(ThRandom *r, const RandomChoice *k, int64_t *out, void *room) {
    double *p = (double *)room, *cdf = k->p ? p + k->n : NULL;
    int64_t since = 0;
    if (!k->size) return true;
    if (k->p && k->replace) {
        cumulate(k->p, cdf, k->n);
        for (int64_t i = 0; i < k->size; i++) {
            out[i] = search(cdf, k->n, random_double(r));
            if (i % RANDOM_OFTEN == RANDOM_OFTEN - 1 && stopped(r, &since, RANDOM_OFTEN)) return false;
        }
    } else if (k->p) {
        return distinct(r, k, out, p, cdf);
    } else if (k->replace) {
#ifdef RANDOM_ALONE
        for (int64_t i = 0; i < k->size; i++) out[i] = (int64_t)random_interval(r, (uint64_t)k->n - 1);
#else
        for (int64_t i = 0, n; i < k->size; i += n) {
            n = k->size - i < RANDOM_OFTEN ? k->size - i : RANDOM_OFTEN;
            random_integer_run(r, NULL, &(RandomRange){0, (uint64_t)k->n - 1, sizeof *out}, (char *)(out + i), n);
            if (stopped(r, &since, n)) return false;
        }
#endif
    } else {
        if (!random_order(r, (int64_t *)room, k->n)) return false;
        memcpy(out, room, (size_t)k->size * sizeof *out);
    }
    return true;
}

DRAW void random_share(ThRandom *r, int64_t n, const double *p, int64_t k, int64_t *out) {
    double left = 1.0;
    int64_t rest = n;
    memset(out, 0, (size_t)k * sizeof *out);
    for (int64_t j = 0; j < k - 1; j++) {
        double chance = p[j] / left; /* may pass 1 by a rounding */
        out[j] = random_binomial(r, rest, chance > 1 ? 1 : chance);
        rest -= out[j];
        if (rest <= 0) break;
        left -= p[j];
    }
    if (rest > 0) out[k - 1] = rest;
}
