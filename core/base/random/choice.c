/*
 * choice.c -- draws that pick, order or share out: shuffle, permutation, choice, multinomial, dirichlet,
 * multivariate_hypergeometric.
 *
 * In: a generator and arrays. Out: int64 positions, counts, or an array in another order. Always holds: arguments are
 * checked before the first word is drawn; words are used in NumPy's order.
 */
#include "base/parts.h"
#include "random.h"

#include <math.h>
#include <string.h>

/* ---- order ------------------------------------------------------------------------------------------------------- */
static bool swap_rows(ThArray *a, int64_t i, int64_t j, ThArray *spare) {
    int64_t step = ARRAY_STRIDES(a)[0];
    if (i == j) return true;
    ThArray *x = th_array_view(a, a->ndim - 1, ARRAY_SHAPE(a) + 1, ARRAY_STRIDES(a) + 1, i * step);
    ThArray *y = th_array_view(a, a->ndim - 1, ARRAY_SHAPE(a) + 1, ARRAY_STRIDES(a) + 1, j * step);
    bool ok = x && y && !th_array_assign(spare, x) && !th_array_assign(x, y) && !th_array_assign(y, spare);
    th_array_release(x);
    th_array_release(y);
    return ok;
}

/* Rows whose elements lie side by side are moved as bytes. */
static void swap_bytes(char *x, char *y, char *spare, size_t n) {
    memcpy(spare, x, n);
    memcpy(x, y, n);
    memcpy(y, spare, n);
}

int th_random_shuffle(ThRandom *r, ThArray *a) {
    if (!r || !a) return -1;
    ThContext *c = r->ctx;
    if (!array_writeable(c, a)) return -1;
    if (!a->ndim) {
        err(c, TH_TypeError, "shuffle: a 0-d array has no order");
        return -1;
    }
    if (!a->size) return 0;
    ThArray *spare = th_array_empty(c, (ThDtype)a->dtype, a->ndim - 1, ARRAY_SHAPE(a) + 1);
    ThArray *row = th_array_view(a, a->ndim - 1, ARRAY_SHAPE(a) + 1, ARRAY_STRIDES(a) + 1, 0);
    bool ok = spare && row, bytes = ok && row->flags & ARRAY_CONTIGUOUS;
    int64_t step = ARRAY_STRIDES(a)[0];
    for (int64_t i = ARRAY_SHAPE(a)[0] - 1, since = 0; i > 0 && ok; i--) {
        int64_t j = (int64_t)random_interval(r, (uint64_t)i);
        if (!bytes) ok = swap_rows(a, i, j, spare);
        else if (i != j) swap_bytes(a->data + i * step, a->data + j * step, spare->data, spare->buf->bytes);
        ok = ok && (i % RANDOM_OFTEN || !random_stopped(r, &since, RANDOM_OFTEN));
    }
    th_array_release(spare);
    th_array_release(row);
    return ok ? 0 : -1;
}

/* 0 .. n - 1 in random order. */
ThArray *th_random_permutation(ThRandom *r, int64_t n) {
    if (!r) return NULL;
    if (n < 0) {
        err(r->ctx, TH_ValueError, "permutation of %lld elements", (long long)n);
        return NULL;
    }
    ThArray *a = th_array_empty(r->ctx, TH_INT64, 1, &n);
    if (!a || random_order(r, (int64_t *)(void *)a->data, n)) return a;
    th_array_release(a);
    return NULL;
}

/* ---- probabilities ----------------------------------------------------------------------------------------------- */
/* A C-ordered float64 copy of a vector; NULL with ValueError when it is none or is empty. */
static ThArray *vector(ThContext *c, const char *what, ThArray *p) {
    if (!p) return NULL;
    if (p->ndim == 1 && p->size) return th_array_astype(p, TH_FLOAT64);
    err(c, TH_ValueError, "%s: a vector of at least one number is needed", what);
    return NULL;
}

/* Kahan's sum. */
static double kahan(const double *v, int64_t n) {
    double sum = n ? v[0] : 0, carry = 0;
    for (int64_t i = 1; i < n; i++) {
        double y = v[i] - carry, t = sum + y;
        carry = t - sum - y;
        sum = t;
    }
    return sum;
}

/* ---- choice ------------------------------------------------------------------------------------------------------ */
static bool check_chances(ThRandom *r, const RandomChoice *k) {
    int64_t some = 0;
    for (int64_t i = 0; i < k->n; i++) {
        if (isnan(k->p[i])) return random_refuse(r, "choice: probabilities contain NaN");
        if (k->p[i] < 0) return random_refuse(r, "choice: probabilities are not non-negative");
        some += k->p[i] > 0;
    }
    if (!(fabs(kahan(k->p, k->n) - 1.) <= 1.4901161193847656e-08))
        return random_refuse(r, "choice: probabilities do not sum to 1");
    return k->replace || some >= k->size || random_refuse(r, "choice: fewer non-zero entries in p than size");
}

bool random_choice_fits(ThRandom *r, const RandomChoice *k) {
    if (k->n <= 0 && k->size)
        return random_refuse(r, "choice: a must have at least one element unless no samples are taken");
    if (!k->replace && k->size > k->n)
        return random_refuse(
            r, "choice: cannot take a larger sample (%lld) than the population (%lld) without replacement",
            (long long)k->size, (long long)k->n);
    return !k->p || check_chances(r, k);
}

/* Probabilities and their sums, draws of a round, what was taken; or an order of all. */
uint64_t random_choice_room(const RandomChoice *k, bool chances) {
    uint64_t n = (uint64_t)k->n, size = (uint64_t)k->size;
    if (k->n <= 0) return 0;
    if (n > UINT64_MAX / 64) return UINT64_MAX / 4; /* there is no such room */
    uint64_t order = n * sizeof(int64_t), own = pcg_choice_room(k);
    return chances ? (2 * n + size) * sizeof(double) + n : k->replace ? 0 : own > order ? own : order;
}

bool random_choose(ThRandom *r, const RandomChoice *k, int64_t *out, void *room) {
    return r->pcg && k->size && !k->p && !k->replace ? pcg_choose(r, k, out, room)
                                                     : random_choose_words(r, k, out, room);
}

ThArray *th_random_choice(ThRandom *r, int64_t n, bool replace, ThArray *p, int ndim, const int64_t *shape) {
    return th_random_choice_ordered(r, n, replace, false, p, ndim, shape);
}

ThArray *th_random_choice_ordered(ThRandom *r, int64_t n, bool replace, bool ordered, ThArray *p, int ndim,
                                  const int64_t *shape) {
    if (!r) return NULL;
    ThContext *c = r->ctx;
    RandomChoice k = {.n = n, .replace = replace, .ordered = ordered};
    int64_t bytes;
    if (!array_count(c, TH_INT64, ndim, shape, &k.size, &bytes)) return NULL;
    ThArray *own = p ? vector(c, "choice: p", p) : NULL, *out = NULL;
    if (p && !own) return NULL;
    if (own) k.p = (const double *)(const void *)own->data;
    if (own && own->size != n) err(c, TH_ValueError, "choice: a and p must have the same size");
    else if (random_choice_fits(r, &k)) out = th_array_empty(c, TH_INT64, ndim, shape);
    uint64_t bytes_room = out ? random_choice_room(&k, k.p) : 0;
    size_t room = bytes_fit(bytes_room) ? (size_t)bytes_room : SIZE_MAX;
    void *work = room ? ctx_alloc(c, room) : NULL;
    if (!out || (!work && room) || !random_choose(r, &k, (int64_t *)(void *)out->data, work)) {
        th_array_release(out);
        out = NULL;
    }
    ctx_free(c, work, room);
    th_array_release(own);
    return out;
}

/* ---- vectors at once --------------------------------------------------------------------------------------------- */
/* shape with one more axis of length k. */
static ThArray *rows(ThContext *c, ThDtype d, int ndim, const int64_t *shape, int64_t k) {
    if (ndim > 0 && !shape) return err_missing(c, "a shape"), NULL;
    int64_t full[TH_MAX_NDIM + 1];
    if (ndim < 0 || ndim >= TH_MAX_NDIM) {
        err(c, TH_ValueError, "a size of %d dimensions: at most %d", ndim, TH_MAX_NDIM - 1);
        return NULL;
    }
    if (ndim) memcpy(full, shape, (size_t)ndim * sizeof *full);
    full[ndim] = k;
    return th_array_zeros(c, d, ndim + 1, full);
}

static ThArray *none(ThArray *out) {
    th_array_release(out);
    return NULL;
}

bool random_shares_fit(ThRandom *r, int64_t n, const double *p, int64_t k) {
    if (n < 0) return random_refuse(r, "multinomial: n < 0");
    for (int64_t i = 0; i < k; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            return random_refuse(r, "multinomial: pvals < 0, pvals > 1 or pvals contains NaNs");
    return kahan(p, k - 1) <= 1.0 + 1e-12 || random_refuse(r, "multinomial: sum(pvals[:-1]) > 1.0");
}

ThArray *th_random_multinomial(ThRandom *r, int64_t n, ThArray *pvals, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    if (!pvals) return err_missing(r->ctx, __func__), NULL;
    ThContext *c = r->ctx;
    ThArray *own = vector(c, "multinomial: pvals", pvals), *out = NULL;
    if (!own) return NULL;
    const double *p = (const double *)(const void *)own->data;
    int64_t k = own->size;
    if (random_shares_fit(r, n, p, k)) out = rows(c, TH_INT64, ndim, shape, k);
    for (int64_t i = 0, since = 0; out && i < out->size; i += k) {
        random_share(r, n, p, k, (int64_t *)(void *)out->data + i);
        if (random_stopped(r, &since, k)) out = none(out);
    }
    th_array_release(own);
    return out;
}

ThArray *th_random_dirichlet(ThRandom *r, ThArray *alpha, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    ThContext *c = r->ctx;
    ThArray *own = vector(c, "dirichlet: alpha", alpha), *out = NULL;
    if (!own) return NULL;
    const double *a = (const double *)(const void *)own->data;
    int64_t k = own->size;
    for (int64_t i = 0; i < k && !failed(c); i++)
        if (!(a[i] > 0)) err(c, TH_ValueError, "dirichlet: alpha <= 0");
    if (!failed(c)) out = rows(c, TH_FLOAT64, ndim, shape, k);
    for (int64_t i = 0, since = 0; out && i < out->size; i += k) {
        double *v = (double *)(void *)out->data + i, sum = 0;
        for (int64_t j = 0; j < k; j++) sum += v[j] = random_gamma(r, a[j]);
        double inverse = 1 / sum;
        for (int64_t j = 0; j < k; j++) v[j] *= inverse;
        if (random_stopped(r, &since, k)) out = none(out);
    }
    th_array_release(own);
    return out;
}

/* ---- urns -------------------------------------------------------------------------------------------------------- */
typedef struct Urn {
    const int64_t *colors; /* how many of each.. */
    int64_t ncolors, all;  /* ..and together */
    int64_t draws;         /* at most half of all: else what is left behind is drawn */
    bool rest;
} Urn;

/* All of them in a row, by color, whose beginning is shuffled. */
static void urn_counted(ThRandom *r, const Urn *u, int64_t *row, int64_t *out) {
    for (int64_t j = 0; j < u->draws; j++) {
        int64_t at = j + (int64_t)random_interval(r, (uint64_t)(u->all - j - 1)), kept = row[at];
        row[at] = row[j];
        row[j] = kept;
    }
    for (int64_t j = 0; j < u->draws; j++) out[row[j]]++;
}

/* Each color against all that follow. */
static void urn_marginal(ThRandom *r, const Urn *u, int64_t *out) {
    int64_t todo = u->draws, left = u->all;
    for (int64_t j = 0; todo > 0 && j + 1 < u->ncolors; j++) {
        left -= u->colors[j];
        out[j] = random_count_hypergeometric(r, (ThValue[]){{.i = u->colors[j]}, {.i = left}, {.i = todo}});
        todo -= out[j];
    }
    if (todo > 0) out[u->ncolors - 1] = todo;
}

static bool urn_fits(ThRandom *r, Urn *u, int64_t n, bool count) {
    const char *name = "multivariate_hypergeometric";
    for (int64_t i = 0; i < u->ncolors; i++) {
        if (u->colors[i] < 0) return random_refuse(r, "%s: colors < 0", name);
        if (__builtin_add_overflow(u->all, u->colors[i], &u->all))
            return random_refuse(r, "%s: the sum of colors exceeds 2^63 - 1", name);
    }
    if (!count && u->all >= 1000000000)
        return random_refuse(r, "%s: by marginals the sum of colors is less than 10^9, got %lld", name,
                             (long long)u->all);
    if (n < 0) return random_refuse(r, "%s: nsample < 0", name);
    if (n > u->all) return random_refuse(r, "%s: nsample > sum(colors)", name);
    u->rest = n > u->all / 2;
    u->draws = u->rest ? u->all - n : n;
    return true;
}

static bool urn_fill(ThRandom *r, const Urn *u, ThArray *out, int64_t *row) {
    int64_t k = u->ncolors, since = 0;
    for (int64_t i = 0, at = 0; row && i < k; i++)
        for (int64_t n = u->colors[i]; n > 0; n--) row[at++] = i;
    for (int64_t *v = (int64_t *)(void *)out->data, *end = v + out->size; v < end; v += k) {
        if (row) urn_counted(r, u, row, v);
        else urn_marginal(r, u, v);
        for (int64_t j = 0; u->rest && j < k; j++) v[j] = u->colors[j] - v[j];
        if (random_stopped(r, &since, row ? u->draws + k : k)) return false;
    }
    return true;
}

ThArray *th_random_multivariate_hypergeometric(ThRandom *r, ThArray *colors, int64_t n, bool count, int ndim,
                                               const int64_t *shape) {
    if (!r) return NULL;
    if (!colors) return err_missing(r->ctx, __func__), NULL;
    ThContext *c = r->ctx;
    if (colors->ndim != 1 || !(dtype_is_int((ThDtype)colors->dtype) || !colors->size)) {
        err(c, TH_ValueError, "multivariate_hypergeometric: colors are a vector of integers");
        return NULL;
    }
    ThArray *own = th_array_astype(colors, TH_INT64), *out = NULL;
    if (!own) return NULL;
    Urn u = {.colors = (const int64_t *)(const void *)own->data, .ncolors = own->size};
    if (urn_fits(r, &u, n, count)) out = rows(c, TH_INT64, ndim, shape, u.ncolors);
    bool some = out && out->size && n, row = some && count;
    size_t room = !row ? 0 : (uint64_t)u.all > SIZE_MAX / sizeof(int64_t) ? SIZE_MAX : (size_t)u.all * sizeof(int64_t);
    int64_t *work = row ? ctx_alloc(c, room) : NULL;
    if (some && ((row && !work) || !urn_fill(r, &u, out, work))) out = none(out);
    ctx_free(c, work, room);
    th_array_release(own);
    return out;
}
