/*
 * table.c -- the distributions of RandomState as one table, and the loop that all of them share.
 *
 * In: a line of the table, parameters as arrays that broadcast by their lengths, a shape. Out: float64 or int64 in C
 * order. Always holds: the parameters are checked and the result is made before the first word is drawn, so a call that
 * fails leaves the stream where it was. A parameter that would keep a rejection loop from ending is refused.
 */
#include "base/parts.h"
#include "random.h"

#include <math.h>
#include <string.h>

/* What a parameter must be. SCALE lets NaN pass where the sampler ends with it, as NumPy does; a SAMPLE of nothing is
 * a Generator's alone. */
typedef enum { ANY, SCALE, SHAPE, POSITIVE, COUNT, SAMPLE, UNIT, UNIT_OPEN, BELOW_ONE, ABOVE_ONE, RATE } Check;

enum { MOST = TH_DIST_PARAMS };
#define NEED NAN /* no default */

typedef struct {
    ThDistribution info;
    Check check[MOST];
    RandomReal real;                       /* float64 results, or */
    RandomCount count;                     /* int64 results */
    const char *(*joint)(const ThValue *); /* what is wrong with the parameters together, or NULL */
    const char *sampler[2];                /* names of real and count */
} Dist;

static const char *triangle(const ThValue *p) {
    if (!(p[0].f <= p[1].f)) return "left > mode";
    if (!(p[1].f <= p[2].f)) return "mode > right";
    return p[0].f == p[2].f ? "left == right" : NULL;
}

static const char *urn(const ThValue *p) {
    int64_t all;
    if (__builtin_add_overflow(p[0].i, p[1].i, &all)) return "ngood + nbad is too large";
    return all < p[2].i ? "ngood + nbad < nsample" : NULL;
}

static const char *finite_range(const ThValue *p) {
    return isfinite(p[1].f - p[0].f) ? NULL : "the range from low to high exceeds what a float64 holds";
}

/* The rate (1 - p) / p times a gamma number must be one. */
static const char *rate_holds(const ThValue *p) {
    return isfinite((1 - p[1].f) / p[1].f) ? NULL : "p is too close to 0";
}

/* Nearly all proposals pass what an int64 holds where a is near 1: millions of words a draw, or none ever. */
static const char *zipf_ends(const ThValue *p) { return p[0].f - 1.0 < 1e-8 ? "a is too close to 1" : NULL; }

#if TH_RANDOM
#define FULL(f) f
#else /* all but uniform and normal numbers are left out */
#define FULL(f) NULL
#endif

/* clang-format off */
#define PLAIN0(name, doc, real) {{name, doc, 0, {0}, {0}}, {ANY}, real, NULL, NULL, {#real, ""}}
#define PLAIN2(name, doc, a, da, ca, b, db, cb, real, joint) {{name, doc, 2, {a, b}, {da, db}}, {ca, cb}, real, NULL, joint, {#real, ""}}
#define D0(name, doc, real, count) {{name, doc, 0, {0}, {0}}, {ANY}, FULL(real), FULL(count), NULL, {#real, #count}}
#define D1(name, doc, a, da, ca, real, count, joint) {{name, doc, 1, {a}, {da}}, {ca}, FULL(real), FULL(count), joint, {#real, #count}}
#define D2(name, doc, a, da, ca, b, db, cb, real, count, joint) \
    {{name, doc, 2, {a, b}, {da, db}}, {ca, cb}, FULL(real), FULL(count), joint, {#real, #count}}
#define D3(name, doc, a, da, ca, b, db, cb, c, dc, cc, real, count, joint) \
    {{name, doc, 3, {a, b, c}, {da, db, dc}}, {ca, cb, cc}, FULL(real), FULL(count), joint, {#real, #count}}

static const Dist table[] = {
    D2("beta", "Beta distribution over (0, 1).", "a", NEED, POSITIVE, "b", NEED, POSITIVE, random_beta, NULL, NULL),
    D2("binomial", "Successes in n trials of chance p.", "n", NEED, COUNT, "p", NEED, UNIT, NULL, random_count_binomial, NULL),
    D1("chisquare", "Sum of the squares of df standard normals.", "df", NEED, POSITIVE, random_chisquare, NULL, NULL),
    D1("exponential", "Exponential distribution of mean scale.", "scale", 1, SCALE, random_exponential, NULL, NULL),
    D2("f", "F distribution.", "dfnum", NEED, POSITIVE, "dfden", NEED, POSITIVE, random_f, NULL, NULL),
    D2("gamma", "Gamma distribution.", "shape", NEED, SHAPE, "scale", 1, SCALE, random_gamma_scaled, NULL, NULL),
    D1("geometric", "Trials until the first success.", "p", NEED, UNIT_OPEN, NULL, random_count_geometric, NULL),
    D2("gumbel", "Gumbel distribution.", "loc", 0, ANY, "scale", 1, SCALE, random_gumbel, NULL, NULL),
    D3("hypergeometric", "Good ones among nsample drawn without putting back.", "ngood", NEED, COUNT, "nbad", NEED, COUNT,
       "nsample", NEED, SAMPLE, NULL, random_count_hypergeometric, urn),
    D2("laplace", "Double exponential distribution.", "loc", 0, ANY, "scale", 1, SCALE, random_laplace, NULL, NULL),
    D2("logistic", "Logistic distribution.", "loc", 0, ANY, "scale", 1, SCALE, random_logistic, NULL, NULL),
    D2("lognormal", "Exponential of a normal.", "mean", 0, ANY, "sigma", 1, SCALE, random_lognormal, NULL, NULL),
    D1("logseries", "Logarithmic series distribution.", "p", NEED, BELOW_ONE, NULL, random_count_logseries, NULL),
    D2("negative_binomial", "Failures before the n-th success.", "n", NEED, POSITIVE, "p", NEED, UNIT_OPEN, NULL,
       random_count_negative_binomial, rate_holds),
    D2("noncentral_chisquare", "Chi-square off centre by nonc.", "df", NEED, POSITIVE, "nonc", NEED, SHAPE,
       random_noncentral_chisquare, NULL, NULL),
    D3("noncentral_f", "F off centre by nonc.", "dfnum", NEED, POSITIVE, "dfden", NEED, POSITIVE, "nonc", NEED, SHAPE,
       random_noncentral_f, NULL, NULL),
    PLAIN2("normal", "Normal distribution.", "loc", 0, ANY, "scale", 1, SCALE, random_normal, NULL),
    D1("pareto", "Pareto II (Lomax) distribution.", "a", NEED, POSITIVE, random_pareto, NULL, NULL),
    D1("poisson", "Events in an interval that has lam on average.", "lam", 1, RATE, NULL, random_count_poisson, NULL),
    D1("power", "Density a x^(a-1) over [0, 1].", "a", NEED, POSITIVE, random_power, NULL, NULL),
    PLAIN0("random_sample", "Uniform over [0, 1).", random_sample),
    D1("rayleigh", "Rayleigh distribution.", "scale", 1, SCALE, random_rayleigh, NULL, NULL),
    D0("standard_cauchy", "Cauchy distribution of mode 0.", random_standard_cauchy, NULL),
    D0("standard_exponential", "Exponential distribution of mean 1.", random_standard_exponential, NULL),
    D1("standard_gamma", "Gamma distribution of scale 1.", "shape", NEED, SHAPE, random_standard_gamma, NULL, NULL),
    PLAIN0("standard_normal", "Normal distribution of mean 0 and variance 1.", random_standard_normal),
    D1("standard_t", "Student's t distribution.", "df", NEED, POSITIVE, random_standard_t, NULL, NULL),
    D0("tomaxint", "Integers of 0 .. 2^63 - 1.", NULL, random_count_max),
    D3("triangular", "Triangular distribution.", "left", NEED, ANY, "mode", NEED, ANY, "right", NEED, ANY, random_triangular,
       NULL, triangle),
    PLAIN2("uniform", "Uniform over [low, high).", "low", 0, ANY, "high", 1, ANY, random_uniform, finite_range),
    D2("vonmises", "Normal distribution on the circle.", "mu", NEED, ANY, "kappa", NEED, SCALE, random_vonmises, NULL, NULL),
    D2("wald", "Inverse Gaussian distribution.", "mean", NEED, POSITIVE, "scale", NEED, POSITIVE, random_wald, NULL, NULL),
    D1("weibull", "Weibull distribution of scale 1.", "a", NEED, SHAPE, random_weibull, NULL, NULL),
    D1("zipf", "Zeta distribution.", "a", NEED, ABOVE_ONE, NULL, random_count_zipf, zipf_ends),
};
/* clang-format on */

const ThDistribution *th_random_distribution(int i) { return i >= 0 && i < TH_LEN(table) ? &table[i].info : NULL; }

/* ---- checks ------------------------------------------------------------------------------------------------------ */
/* The largest rate a poisson takes: ten deviations below the largest int64. */
static const double most_rate = 9223372006484771000.0;

/* What a value that is not allowed must be, as the rest of a sentence; NULL when it is. */
static const char *wrong(Check check, ThValue v, const ThRandom *r) {
    double x = v.f;
    switch (check) {
    case ANY: return NULL;
    case SCALE: return !isnan(x) && signbit(x) ? "not be negative" : NULL;
    case SHAPE: return isnan(x) || signbit(x) ? "be a number that is not negative" : NULL;
    case POSITIVE: return x > 0 ? NULL : "be positive";
    case COUNT: return v.i < 0 ? "not be negative" : NULL;
    case SAMPLE: return r && !r->pcg && v.i < 1 ? "be at least 1" : v.i < 0 ? "not be negative" : NULL;
    case UNIT: return x >= 0 && x <= 1 ? NULL : "be between 0 and 1";
    case UNIT_OPEN: return x > 0 && x <= 1 ? NULL : "be above 0 and at most 1";
    case BELOW_ONE: return x >= 0 && x < 1 ? NULL : "be at least 0 and below 1";
    case ABOVE_ONE: return x > 1 ? NULL : "be above 1";
    case RATE: return x >= 0 && x <= most_rate ? NULL : x > most_rate ? "not be so large" : "not be negative";
    }
    return NULL;
}

typedef struct {
    ThRandom *r;
    const Dist *d;
    ThDtype from[MOST], to; /* of the parameters and the results as they lie */
    int64_t since;
    bool ok;
} Draw;

/* What the sampler reads and gives. */
static bool whole(const Dist *d, int k) { return d->check[k] == COUNT || d->check[k] == SAMPLE; }
static ThDtype wanted(const Dist *d, int k) { return whole(d, k) ? TH_INT64 : TH_FLOAT64; }
static ThDtype given(const Dist *d) { return d->real ? TH_FLOAT64 : TH_INT64; }

static void convert(void *to, ThDtype td, const void *from, ThDtype fd) {
    if (td == fd) memcpy(to, from, 8);
    else dtype_cast(to, td, 0, from, fd, 0, 1);
}

/* Parameters of one element; ptr[0] is the result. */
static void load(const Draw *w, char *const *ptr, const int64_t *stride, int64_t i, ThValue *p) {
    for (int k = 0; k < w->d->info.nparams; k++)
        convert(&p[k], wanted(w->d, k), ptr[k + 1] + i * stride[k + 1], w->from[k]);
}

/* Whether one element's parameters are those of all n. */
static bool steady(const Draw *w, const int64_t *stride, int64_t n) {
    bool all = n > 0;
    for (int k = 0; k < w->d->info.nparams; k++) all = all && stride[k + 1] == 0;
    return all;
}

/* The library has it; false with the error set. */
static bool there(ThRandom *r, const Dist *d) {
    return d->real || d->count ||
           err(r->ctx, TH_NotImplementedError,
               "%s: this library was built with uniform and normal numbers alone "
               "(TH_RANDOM=OFF)",
               d->info.name);
}

static void check_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Draw *w = user;
    const Dist *d = w->d;
    if (steady(w, stride, n)) n = 1;
    for (int64_t i = 0; i < n && w->ok; i++) {
        ThValue p[MOST];
        const char *what;
        load(w, ptr, stride, i, p);
        for (int k = 0; k < d->info.nparams && w->ok; k++)
            if ((what = wrong(d->check[k], p[k], w->r)))
                w->ok = random_refuse(w->r, "%s: %s must %s, got %.17g", d->info.name, d->info.param[k], what,
                                      whole(d, k) ? (double)p[k].i : p[k].f);
        if (w->ok && d->joint && (what = d->joint(p))) w->ok = random_refuse(w->r, "%s: %s", d->info.name, what);
    }
}

static void draw_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Draw *w = user;
    union {
        double f[256];
        int64_t i[256];
    } v;
    ThValue p[MOST];
    ThDtype d = given(w->d);
    int64_t same = steady(w, stride, n) ? TH_LEN(v.f) : 1; /* with equal parameters */
    for (int64_t i = 0, m; i < n && w->ok; i += m) {
        m = n - i < same ? n - i : same;
        load(w, ptr, stride, i, p);
        if (w->d->real) random_reals(w->r, w->d->real, p, v.f, m);
        else random_counts(w->r, w->d->count, p, v.i, m);
        dtype_cast(ptr[0] + i * stride[0], w->to, stride[0], (const char *)&v, d, sizeof *v.f, m);
        w->ok = !random_stopped(w->r, &w->since, m);
    }
}

/* ---- broadcasting ------------------------------------------------------------------------------------------------ */
/* Joins the lengths of a into shape (of *ndim, aligned at the end). */
static bool widen(ThContext *c, const char *name, const ThArray *a, int *ndim, int64_t *shape) {
    char s[256], t[256];
    for (; *ndim < a->ndim; (*ndim)++) {
        memmove(shape + 1, shape, (size_t)*ndim * sizeof *shape);
        shape[0] = 1;
    }
    for (int i = 0; i < a->ndim; i++) {
        int64_t n = ARRAY_SHAPE(a)[i], *at = &shape[*ndim - a->ndim + i];
        if (*at == 1) *at = n;
        else if (n != 1 && n != *at)
            return err(c, TH_ValueError, "%s: parameters of shape %s and %s do not broadcast", name,
                       array_shape_text(*ndim, shape, s, sizeof s),
                       array_shape_text(a->ndim, ARRAY_SHAPE(a), t, sizeof t));
    }
    return true;
}

/* Strides of a over a larger shape, 0 where it is repeated. False when it does not broadcast to it. */
static bool spread(const ThArray *a, int ndim, const int64_t *shape, int64_t *strides) {
    if (a->ndim > ndim) return false;
    for (int i = 0; i < ndim; i++) {
        int k = i - (ndim - a->ndim);
        int64_t n = k < 0 ? 1 : ARRAY_SHAPE(a)[k];
        if (n != 1 && n != shape[i]) return false;
        strides[i] = n == 1 ? 0 : ARRAY_STRIDES(a)[k];
    }
    return true;
}

/* The parameters in the dtype that the sampler reads, defaults filled in; released by the caller also on failure. */
static bool parameters(ThContext *c, const Dist *d, ThArray *const *from, ThArray **own) {
    for (int k = 0; k < d->info.nparams; k++) {
        double deflt = d->info.deflt[k];
        if (from && from[k]) own[k] = th_array_astype(from[k], wanted(d, k));
        else if (!isnan(deflt)) own[k] = array_scalar(c, TH_FLOAT64, &deflt);
        else err(c, TH_TypeError, "%s needs its parameter %s", d->info.name, d->info.param[k]);
        if (!own[k]) return false;
    }
    return true;
}

/* Calls run over out (operand 0) and the n operands spread over its shape, which they fit. */
void random_walk(ThArray *out, int n, ThArray *const *own, ArrayRun run, void *user) {
    int64_t strides[MOST][TH_MAX_NDIM];
    char *ptr[MOST + 1] = {out->data};
    const int64_t *st[MOST + 1] = {ARRAY_STRIDES(out)};
    for (int k = 0; k < n; k++) {
        spread(own[k], out->ndim, ARRAY_SHAPE(out), strides[k]);
        ptr[k + 1] = own[k]->data;
        st[k + 1] = strides[k];
    }
    array_walk(out->ndim, ARRAY_SHAPE(out), n + 1, ptr, st, run, user);
}

/* An array for results of n operands that broadcast, of the given size or (ndim < 0) of theirs; after `check` was
   called over them and *ok still holds. NULL with the error set. */
ThArray *random_fill(ThContext *c, const RandomParams *p, ThDtype d, int ndim, const int64_t *size) {
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM];
    char s[256], t[256];
    int wide = 0;
    for (int k = 0; k < p->n; k++)
        if (!widen(c, p->name, p->own[k], &wide, shape)) return NULL;
    if (ndim < 0) {
        ndim = wide;
        size = shape;
    }
    if (ndim && !size) return err_missing(c, p->name), NULL;
    ThArray *out = th_array_empty(c, d, ndim, size);
    if (!out) return NULL;
    bool fits = true;
    for (int k = 0; k < p->n; k++) fits = fits && spread(p->own[k], ndim, size, strides);
    if (!fits)
        err(c, TH_ValueError, "%s: size %s does not fit parameters of shape %s", p->name,
            array_shape_text(ndim, size, s, sizeof s), array_shape_text(wide, shape, t, sizeof t));
    else random_walk(out, p->n, p->own, p->check, p->user);
    if (fits && *p->ok) return out;
    th_array_release(out);
    return NULL;
}

ThArray *th_random_draw(ThRandom *r, int which, ThArray *const *params, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    if (which < 0 || which >= TH_LEN(table)) {
        err(r->ctx, TH_ValueError, "there is no distribution %d", which);
        return NULL;
    }
    const Dist *d = &table[which];
    if (!there(r, d)) return NULL;
    ThArray *own[MOST] = {NULL}, *out = NULL;
    Draw w = {.r = r, .d = d, .to = given(d), .ok = true};
    int n = d->info.nparams;
    for (int k = 0; k < n; k++) w.from[k] = wanted(d, k);
    if (parameters(r->ctx, d, params, own))
        out = random_fill(r->ctx, &(RandomParams){d->info.name, own, n, check_run, &w, &w.ok}, given(d), ndim, shape);
    if (out) random_walk(out, n, own, draw_run, &w);
    if (out && !w.ok) {
        th_array_release(out);
        out = NULL;
    }
    for (int k = 0; k < MOST; k++) th_array_release(own[k]);
    return out;
}

/* ---- for operations, which bring the memory ---------------------------------------------------------------------- */
int random_find(const char *name) {
    for (int i = 0; i < TH_LEN(table); i++)
        if (!strcmp(table[i].info.name, name)) return i;
    return -1;
}

bool random_spreads(ThRandom *r, const char *name, const ThArray *a, int ndim, const int64_t *shape) {
    int64_t strides[TH_MAX_NDIM];
    char s[256], t[256];
    return spread(a, ndim, shape, strides) || random_refuse(r, "%s: size %s does not fit a parameter of shape %s", name,
                                                            array_shape_text(ndim, shape, s, sizeof s),
                                                            array_shape_text(a->ndim, ARRAY_SHAPE(a), t, sizeof t));
}

static bool open_draw(Draw *w, ThRandom *r, int which, ThArray *const *params, const ThArray *out) {
    *w = (Draw){.r = r, .d = &table[which], .to = out ? (ThDtype)out->dtype : TH_FLOAT64, .ok = true};
    for (int k = 0; k < w->d->info.nparams; k++) w->from[k] = (ThDtype)params[k]->dtype;
    return !r || there(r, w->d);
}

bool random_draw_check(ThRandom *r, int which, ThArray *const *params, ThArray *out) {
    Draw w;
    if (!open_draw(&w, r, which, params, out)) return false;
    for (int k = 0; k < w.d->info.nparams; k++)
        if (!random_spreads(r, w.d->info.name, params[k], out->ndim, ARRAY_SHAPE(out))) return false;
    random_walk(out, w.d->info.nparams, params, check_run, &w);
    return w.ok;
}

bool random_draw_into(ThRandom *r, int which, ThArray *const *params, ThArray *out) {
    Draw w;
    if (!random_draw_check(r, which, params, out)) return false;
    open_draw(&w, r, which, params, out);
    random_walk(out, w.d->info.nparams, params, draw_run, &w);
    return w.ok;
}

bool random_draw_same(int which, ThArray *const *params) {
    bool same = true;
    for (int k = 0; k < table[which].info.nparams; k++) same &= params[k]->size == 1;
    return same;
}

typedef struct Taken {
    Draw draw;
    int64_t *to[MOST];
} Taken;

static void take_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Taken *w = user;
    for (int64_t i = 0; i < n; i++) {
        ThValue p[MOST];
        load(&w->draw, ptr, stride, i, p);
        for (int k = 0; k < w->draw.d->info.nparams; k++) *w->to[k]++ = p[k].i;
    }
}

void random_draw_params(int which, ThArray *const *params, ThArray *out, int64_t *const *to) {
    Taken w;
    int n = table[which].info.nparams;
    open_draw(&w.draw, NULL, which, params, out);
    for (int k = 0; k < n; k++) w.to[k] = to[k];
    for (int k = 0; k < n && random_draw_same(which, params); k++)
        convert(to[k], wanted(w.draw.d, k), params[k]->data, w.draw.from[k]);
    if (!random_draw_same(which, params)) random_walk(out, n, params, take_run, &w);
}

const char *random_sampler(int which, bool *real) {
    const char *const *name = table[which].sampler;
    *real = strncmp(name[0], "random_", 7) == 0;
    return name[!*real];
}

/* ---- short forms for C hosts ------------------------------------------------------------------------------------- */
static ThArray *named(ThRandom *r, const char *name, int n, const double *p, int ndim, const int64_t *shape) {
    ThArray *own[MOST] = {NULL}, *out = NULL;
    bool ok = true;
    if (!r) return NULL;
    for (int k = 0; k < n; k++) ok = (own[k] = array_scalar(r->ctx, TH_FLOAT64, &p[k])) && ok;
    if (ok) out = th_random_draw(r, random_find(name), own, ndim, shape);
    for (int k = 0; k < MOST; k++) th_array_release(own[k]);
    return out;
}

ThArray *th_random_rand(ThRandom *r, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    return named(r, "random_sample", 0, NULL, ndim, shape);
}

ThArray *th_random_randn(ThRandom *r, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    return named(r, "standard_normal", 0, NULL, ndim, shape);
}

ThArray *th_random_uniform(ThRandom *r, double low, double high, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    return named(r, "uniform", 2, (double[]){low, high}, ndim, shape);
}

ThArray *th_random_normal(ThRandom *r, double loc, double scale, int ndim, const int64_t *shape) {
    if (!r) return NULL;
    return named(r, "normal", 2, (double[]){loc, scale}, ndim, shape);
}
