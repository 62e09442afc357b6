/*
 * random.c -- MT19937 and the bounded integers of NumPy's legacy RandomState, word for word.
 *
 * In: a seed below 2^32, a list of such, or a state. Out: the same streams as numpy.random.RandomState(seed). Always
 * holds: a call that fails has not advanced the stream, but where it was stopped. The distributions are in table.c.
 */
#include "random.h"
#include "base/parts.h"

#include <math.h>
#include <string.h>

enum { N = 624, AT_ONCE = 1 << 16 /* numbers of the same bounds */ };

bool random_refuse(ThRandom *r, const char *format, ...) {
    RandomFault own, *fault = r->fault ? r->fault : &own;
    va_list ap;
    va_start(ap, format);
    number_vformat(fault->text, sizeof fault->text, format, ap);
    va_end(ap);
    return r->fault ? false : err(r->ctx, TH_ValueError, "%s", fault->text);
}

bool random_stopped(ThRandom *r, int64_t *since, int64_t more) {
    *since += more;
    if (*since < RANDOM_OFTEN) return false;
    *since = 0;
    return ctx_stopped(r->ctx) && !err_stopped(r->ctx);
}

/* The words of a generator seeded with one number. */
static void seed_word(ThRandom *r, uint32_t x) {
    RandomWords *w = r->w;
    for (uint32_t i = 0; i < N; i++) {
        w->key[i] = x;
        x = 1812433253u * (x ^ (x >> 30)) + i + 1;
    }
    w->pos = N;
    w->has_gauss = 0;
    w->gauss = 0;
}

/* Steps to word i + 1; behind the last the first is the last again. */
static uint32_t next_word(uint32_t *k, uint32_t i) {
    if (++i < N) return i;
    k[0] = k[N - 1];
    return 1;
}

/* The words of a generator seeded with a list: two passes that mix it into the words of a fixed seed. */
static void seed_words(ThRandom *r, const uint32_t *list, uint32_t n) {
    uint32_t *k = r->w->key, i = 1, j = 0;
    seed_word(r, 19650218u);
    for (uint32_t left = N > n ? N : n; left; left--) {
        k[i] = (k[i] ^ ((k[i - 1] ^ (k[i - 1] >> 30)) * 1664525u)) + list[j] + j;
        i = next_word(k, i);
        if (++j >= n) j = 0;
    }
    for (uint32_t left = N - 1; left; left--) {
        k[i] = (k[i] ^ ((k[i - 1] ^ (k[i - 1] >> 30)) * 1566083941u)) - i;
        i = next_word(k, i);
    }
    k[0] = 0x80000000u;
}

static bool small_seed(ThContext *c, uint64_t seed) {
    return seed <= UINT32_MAX ||
           err(c, TH_ValueError, "Seed must be between 0 and 2**32 - 1, got %lld", (long long)seed);
}

/* A generator on the memory of a vector of words, which it holds from now on. */
static ThRandom *on_words(ThContext *c, ThArray *words) {
    ThRandom *r = ctx_alloc0(c, sizeof *r);
    if (!r) return NULL;
    r->ctx = th_context_retain(c);
    r->array = th_array_retain(words);
    atomic_fetch_add(&words->buf->pins, 1); /* it is not freed under us */
    r->w = (RandomWords *)(void *)words->data;
    return r;
}

ThRandom *th_random_new(ThContext *c, uint64_t seed) {
    const int64_t n = RANDOM_WORDS;
    if (!c) return NULL;
    if (!small_seed(c, seed)) return NULL;
    ThArray *words = th_array_empty(c, TH_UINT32, 1, &n);
    ThRandom *r = words ? on_words(c, words) : NULL;
    th_array_release(words);
    if (r) seed_word(r, (uint32_t)seed);
    return r;
}

bool random_is_state(const ThArray *a) {
    return a->dtype == TH_UINT32 && a->ndim == 1 && a->size == RANDOM_WORDS && a->flags & ARRAY_CONTIGUOUS &&
           ((const RandomWords *)(const void *)a->data)->pos <= N;
}

ThRandom *th_random_on(ThArray *state) {
    if (!state) return NULL;
    ThContext *c = array_ctx(state);
    if (!array_writeable(c, state)) return NULL;
    if (random_is_state(state)) return on_words(c, state);
    err(c, TH_TypeError, "an array that holds the state of a RandomState is needed");
    return NULL;
}

/* A PCG64 has no state of that form. */
static bool is_legacy(const ThRandom *r) {
    return r->w || err(r->ctx, TH_TypeError, "a RandomState is needed, this is a generator of PCG64");
}

ThArray *th_random_array(ThRandom *r) { return r && is_legacy(r) ? th_array_retain(r->array) : NULL; }

int th_random_seed(ThRandom *r, uint64_t seed) {
    if (!r || !is_legacy(r) || !small_seed(r->ctx, seed)) return -1;
    seed_word(r, (uint32_t)seed);
    return 0;
}

int th_random_seed_array(ThRandom *r, ThArray *seeds) {
    if (!r || !seeds || !is_legacy(r)) return -1;
    ThContext *c = r->ctx;
    if (!array_usable(c, seeds)) return -1;
    if (!dtype_is_discrete((ThDtype)seeds->dtype) || seeds->ndim != 1 || !seeds->size) {
        err(c, seeds->ndim == 1 && seeds->size ? TH_TypeError : TH_ValueError,
            "a seed is an integer or a vector of at least one integer");
        return -1;
    }
    ThArray *wide = th_array_astype(seeds, TH_INT64), *words = wide ? th_array_astype(wide, TH_UINT32) : NULL;
    for (int64_t i = 0; words && i < wide->size; i++)
        if (!small_seed(c, ((const uint64_t *)(const void *)wide->data)[i])) break;
    if (words && !failed(c)) seed_words(r, (const uint32_t *)(const void *)words->data, (uint32_t)words->size);
    th_array_release(wide);
    th_array_release(words);
    return failed(c) ? -1 : 0;
}

void th_random_get_state(const ThRandom *r, ThRandomState *out) {
    if (!r) return;
    if (!out) {
        err_missing(r->ctx, __func__);
        return;
    }
    if (!is_legacy(r)) return;
    memcpy(out->key, r->w->key, sizeof out->key);
    out->pos = (int)r->w->pos;
    out->has_gauss = r->w->has_gauss;
    out->gauss = r->w->gauss;
}

int th_random_set_state(ThRandom *r, const ThRandomState *in) {
    if (!r || !in || !is_legacy(r)) return -1;
    if (in->pos < 0 || in->pos > N) {
        err(r->ctx, TH_ValueError, "the position in a state is between 0 and %d, got %d", N, in->pos);
        return -1;
    }
    memcpy(r->w->key, in->key, sizeof r->w->key);
    r->w->pos = (uint32_t)in->pos;
    r->w->has_gauss = in->has_gauss;
    r->w->gauss = in->has_gauss ? in->gauss : 0;
    return 0;
}

void th_random_release(ThRandom *r) {
    if (!r) return;
    ThContext *c = r->ctx;
    if (r->array) atomic_fetch_sub(&r->array->buf->pins, 1);
    th_array_release(r->array);
    ctx_free(c, r->pcg, r->pcg ? sizeof *r->pcg : 0);
    ctx_free(c, r, sizeof *r);
    th_context_release(c);
}

void th_random_bytes(ThRandom *r, void *out, size_t n) {
    if (!r) return;
    if (!out) {
        err_missing(r->ctx, __func__);
        return;
    }
    for (char *p = out; n;) {
        uint32_t word = random_word(r);
        size_t m = n < sizeof word ? n : sizeof word;
        memcpy(p, &word, m); /* little-endian */
        p += m;
        n -= m;
    }
}

/* ---- bounded integers: masked words, drawn again until they fit -------------------------------------------------- */
uint64_t random_bounded(ThRandom *r, uint64_t range) {
    return r->pcg ? pcg_bounded(r->pcg, range) : random_interval(r, range);
}

uint32_t random_shared_bits(ThRandom *r, RandomShared *s) {
    if (!s->left) {
        s->word = random_word(r);
        s->left = 32 / s->width;
    } else {
        s->word >>= s->width;
    }
    s->left--;
    return s->word & ((1u << s->width) - 1);
}

/* Bounds hold every integer dtype and the open ends above them. */
__extension__ typedef __int128 Wide;

typedef struct {
    ThRandom *r;
    ThDtype d, from[2]; /* of low and high */
    bool closed, ok;
    int64_t since;
    Wide lowest, highest;
    RandomShared shared;
} Integers;

static Wide load(const char *at, ThDtype d) {
    ThValue v;
    if (d == TH_FLOAT64) return memcpy(&v.f, at, 8), fabs(v.f) < 1e30 ? (Wide)v.f : (Wide)1 << 100;
    memcpy(&v.i, at, 8);
    return d == TH_UINT64 ? (Wide)(uint64_t)v.i : (Wide)v.i;
}

/* Whether the bounds of one element are those of all. */
static bool steady(const int64_t *stride) { return !stride[1] && !stride[2]; }

/* ptr: result, low, high. */
static void bounds_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Integers *w = user;
    ThContext *c = w->r->ctx;
    if (steady(stride) && n) n = 1;
    for (int64_t i = 0; i < n && w->ok; i++) {
        Wide low = load(ptr[1] + i * stride[1], w->from[0]), high = load(ptr[2] + i * stride[2], w->from[1]);
        Wide last = w->closed ? high : high - 1;
        const char *name = th_dtype_name(w->d);
        if (low < w->lowest)
            w->ok = err(c, TH_ValueError, "randint: low %lld is out of bounds for %s", (long long)low, name);
        else if (last > w->highest)
            w->ok = err(c, TH_ValueError, "randint: high %.17g is out of bounds for %s", (double)high, name);
        else if (low > last)
            w->ok = err(c, TH_ValueError, "randint: low %s high (%lld, %lld)", w->closed ? ">" : ">=", (long long)low,
                        (long long)high);
    }
}

static void integers_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Integers *w = user;
    RandomRange k = {.bytes = (int)th_dtype_bytes(w->d)};
    const int64_t same = steady(stride) && stride[0] == k.bytes ? AT_ONCE : 1;
    for (int64_t i = 0, m; i < n && w->ok; i += m) {
        m = n - i < same ? n - i : same;
        Wide low = load(ptr[1] + i * stride[1], w->from[0]), high = load(ptr[2] + i * stride[2], w->from[1]);
        k.off = (uint64_t)low;
        k.range = (uint64_t)(high - !w->closed - low);
        random_integer_run(w->r, &w->shared, &k, ptr[0] + i * stride[0], m);
        w->ok = !random_stopped(w->r, &w->since, m);
    }
}

/* ptr: result, low, high, which are integers of any dtype. */
static void pair(const Integers *w, char *const *ptr, const int64_t *stride, int64_t i, int64_t *low, int64_t *high) {
    dtype_cast((char *)low, TH_INT64, 0, ptr[1] + i * stride[1], w->from[0], 0, 1);
    dtype_cast((char *)high, TH_INT64, 0, ptr[2] + i * stride[2], w->from[1], 0, 1);
}

static void pairs_check(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Integers *w = user;
    int64_t low, high;
    if (steady(stride) && n) n = 1;
    for (int64_t i = 0; i < n && w->ok; i++) {
        pair(w, ptr, stride, i, &low, &high);
        if (low > high)
            w->ok = random_refuse(w->r, "random_integers: low > high (%lld, %lld)", (long long)low, (long long)high);
    }
}

static void pairs_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Integers *w = user;
    int64_t low, high;
    int64_t v[256], same = steady(stride) ? TH_LEN(v) : 1;
    for (int64_t i = 0, m; i < n && w->ok; i += m) {
        m = n - i < same ? n - i : same;
        pair(w, ptr, stride, i, &low, &high);
        RandomRange k = {(uint64_t)low, (uint64_t)high - (uint64_t)low, sizeof *v};
        random_integer_run(w->r, &w->shared, &k, (char *)v, m);
        dtype_cast(ptr[0] + i * stride[0], w->d, stride[0], (const char *)v, TH_INT64, sizeof *v, m);
        w->ok = !random_stopped(w->r, &w->since, m);
    }
}

static Integers open_pairs(ThRandom *r, ThArray *const *own, const ThArray *out) {
    return (Integers){
        .r = r, .d = (ThDtype)out->dtype, .from = {(ThDtype)own[0]->dtype, (ThDtype)own[1]->dtype}, .ok = true};
}

bool random_integers_check(ThRandom *r, ThArray *low, ThArray *high, ThArray *out) {
    ThArray *own[2] = {low, high};
    Integers w = open_pairs(r, own, out);
    for (int k = 0; k < 2; k++)
        if (!random_spreads(r, "random_integers", own[k], out->ndim, ARRAY_SHAPE(out))) return false;
    random_walk(out, 2, own, pairs_check, &w);
    return w.ok;
}

bool random_integers_into(ThRandom *r, ThArray *low, ThArray *high, ThArray *out) {
    ThArray *own[2] = {low, high};
    Integers w = open_pairs(r, own, out);
    if (!random_integers_check(r, low, high, out)) return false;
    random_walk(out, 2, own, pairs_run, &w);
    return w.ok;
}

typedef struct Pairs {
    Integers integers;
    int64_t *low, *range;
} Pairs;

static void take_pairs(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Pairs *w = user;
    for (int64_t i = 0; i < n; i++, w->low++, w->range++) {
        int64_t high;
        pair(&w->integers, ptr, stride, i, w->low, &high);
        *w->range = (int64_t)((uint64_t)high - (uint64_t)*w->low);
    }
}

void random_integers_params(ThArray *low, ThArray *high, ThArray *out, int64_t *const *to) {
    ThArray *own[2] = {low, high};
    Pairs w = {open_pairs(NULL, own, out), to[0], to[1]};
    if (low->size == 1 && high->size == 1)
        take_pairs(&w, (char *const[]){NULL, low->data, high->data}, (const int64_t[]){0, 0, 0}, 1);
    else random_walk(out, 2, own, take_pairs, &w);
}

/* Bounds as int64, uint64 or whole float64 numbers. */
static ThArray *bound(ThContext *c, ThArray *a) {
    if (!a) return NULL;
    ThDtype d = (ThDtype)a->dtype;
    if (dtype_is_complex(d)) {
        err(c, TH_TypeError, "randint: bounds are integers, not %s", th_dtype_name(d));
        return NULL;
    }
    ThArray *b = th_array_astype(a, d == TH_UINT64 ? d : dtype_is_float(d) ? TH_FLOAT64 : TH_INT64);
    if (b && dtype_is_float(d))
        for (int64_t i = 0; i < b->size; i++) {
            double v = ((const double *)(const void *)b->data)[i];
            if (v == floor(v) && !isinf(v)) continue;
            err(c, TH_ValueError, "randint: bounds are integers, got %g", v);
            th_array_release(b);
            return NULL;
        }
    return b;
}

/* Smallest and largest value of an integer dtype. */
static void limits(Integers *w) {
    int bits = w->d == TH_BOOL ? 1 : 8 * (int)th_dtype_bytes(w->d);
    w->lowest = dtype_is_signed(w->d) ? -((Wide)1 << (bits - 1)) : 0;
    w->highest = ((Wide)1 << (dtype_is_signed(w->d) ? bits - 1 : bits)) - 1;
}

ThArray *th_random_integers(ThRandom *r, ThArray *low, ThArray *high, bool closed, ThDtype d, int ndim,
                            const int64_t *shape) {
    if (!r) return NULL;
    ThContext *c = r->ctx;
    if (d == TH_DTYPE_NONE) d = TH_INT64;
    if ((unsigned)d >= TH_DTYPE_COUNT || !dtype_is_discrete(d)) {
        err(c, TH_TypeError, "randint gives integers or bool, not %s", th_dtype_name(d));
        return NULL;
    }
    ThArray *own[2] = {bound(c, low), bound(c, high)}, *out = NULL;
    Integers w = {.r = r, .d = d, .closed = closed, .ok = true, .shared = {.width = d == TH_BOOL ? 1 : 0}};
    limits(&w);
    if (!w.shared.width) w.shared.width = 8 * (int)th_dtype_bytes(d);
    if (own[0] && own[1]) {
        w.from[0] = (ThDtype)own[0]->dtype;
        w.from[1] = (ThDtype)own[1]->dtype;
        out = random_fill(c, &(RandomParams){"randint", own, 2, bounds_run, &w, &w.ok}, d, ndim, shape);
    }
    if (out) random_walk(out, 2, own, integers_run, &w);
    if (out && !w.ok) {
        th_array_release(out);
        out = NULL;
    }
    th_array_release(own[0]);
    th_array_release(own[1]);
    return out;
}

/* Integers of low <= v < high in dtype d (int64 when TH_DTYPE_NONE). */
ThArray *th_random_randint(ThRandom *r, int64_t low, int64_t high, ThDtype d, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    ThArray *a = array_scalar(r->ctx, TH_INT64, &low), *b = array_scalar(r->ctx, TH_INT64, &high), *out = NULL;
    if (a && b) out = th_random_integers(r, a, b, false, d, ndim, shape);
    th_array_release(a);
    th_array_release(b);
    return out;
}
