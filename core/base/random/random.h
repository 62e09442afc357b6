/*
 * random.h -- the generator behind RandomState, for the distributions and for operations that draw.
 */
#ifndef TH_BASE_RANDOM_H
#define TH_BASE_RANDOM_H

#include "state.h"

enum { RANDOM_WORDS = sizeof(RandomWords) / sizeof(uint32_t) };

/* Where a generator made for one step of a call says what is wrong with its parameters; a context is for all threads.
 */
typedef struct RandomFault {
    char text[240];
} RandomFault;

/* pcg.c: PCG64, where a generator is one */
__extension__ typedef unsigned __int128 RandomWide;
typedef struct Pcg {
    RandomWide state, inc;
    bool has_half; /* 32 bits are left of a word */
    uint32_t half;
} Pcg;

struct ThRandom {
    ThContext *ctx; /* retained by th_random_new */
    RandomWords *w; /* NULL: a PCG64 */
    ThArray *array; /* whose memory that is */
    Pcg *pcg;
    RandomFault *fault; /* NULL: errors go to the context */
};
/* A ValueError of r. Always returns false. */
bool random_refuse(ThRandom *r, const char *format, ...) TH_PRINTF(2, 3);
/* After so many more numbers since the clock was looked at: whether work is to stop, which is an error then. */
bool random_stopped(ThRandom *r, int64_t *since, int64_t more);
/* Whether an array holds a state: dtype, length, place of the next word. */
bool random_is_state(const ThArray *a);

/* ---- words ------------------------------------------------------------------------------------------------------- */
#define PCG_MULTIPLIER ((RandomWide)2549297995355413924u << 64 | 4865540595714422341u)
static inline void pcg_step(Pcg *p) { p->state = p->state * PCG_MULTIPLIER + p->inc; }

static inline uint64_t pcg_word64(Pcg *p) {
    pcg_step(p);
    uint64_t folded = (uint64_t)(p->state >> 64) ^ (uint64_t)p->state;
    unsigned turn = (unsigned)(p->state >> 122);
    return folded >> turn | folded << (-turn & 63);
}

static inline uint32_t pcg_word(Pcg *p) {
    if (p->has_half) {
        p->has_half = false;
        return p->half;
    }
    uint64_t word = pcg_word64(p);
    p->has_half = true;
    p->half = (uint32_t)(word >> 32);
    return (uint32_t)word;
}

static inline double pcg_double(Pcg *p) { return (double)(pcg_word64(p) >> 11) * (1.0 / 9007199254740992.0); }

static inline uint32_t random_word(ThRandom *r) { return r->w ? words_next(r->w) : pcg_word(r->pcg); }

static inline uint64_t random_word64(ThRandom *r) { /* high word first */
    if (r->pcg) return pcg_word64(r->pcg);
    uint64_t high = random_word(r);
    return high << 32 | random_word(r);
}

static inline double random_double(ThRandom *r) { /* [0, 1), 53 bits */
    return r->pcg ? pcg_double(r->pcg) : words_double(r->w);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */
uint64_t random_bounded(ThRandom *r, uint64_t range); /* [0, range] */
static inline uint64_t random_mask(uint64_t range) { return range ? UINT64_MAX >> __builtin_clzll(range) : 0; }
/* The same by masked words, drawn again until they fit, whatever the generator. */
static inline uint64_t random_interval(ThRandom *r, uint64_t range) {
    uint64_t mask = random_mask(range), v;
    if (!range) return 0;
    do v = (range <= UINT32_MAX ? random_word(r) : random_word64(r)) & mask;
    while (v > range);
    return v;
}
double random_gauss(ThRandom *r);
double random_gamma(ThRandom *r, double shape); /* scale 1 */
int64_t random_poisson(ThRandom *r, double lam);
int64_t random_binomial(ThRandom *r, int64_t n, double p);

/* One value of a distribution from its parameters (p[k].i where the parameter counts, p[k].f else). */
typedef double (*RandomReal)(ThRandom *r, const ThValue *p);
typedef int64_t (*RandomCount)(ThRandom *r, const ThValue *p);

/* Small results share a word: bits of width 1, 8 or 16 are used from the low end on, within one call only. */
typedef struct RandomShared {
    uint32_t word;
    int left, width;
} RandomShared;
uint32_t random_shared_bits(ThRandom *r, RandomShared *s);

uint64_t pcg_bounded(Pcg *p, uint64_t range);
double pcg_normal(Pcg *p), pcg_exponential(Pcg *p);

/* runs.c: n numbers of the same parameters. */
void random_doubles(ThRandom *r, double *out, int64_t n);
void random_reals(ThRandom *r, RandomReal one, const ThValue *p, double *out, int64_t n);
typedef struct RandomRange { /* integers off + [0, range] of so many bytes */
    uint64_t off, range;
    int bytes;
} RandomRange;
void random_integer_run(ThRandom *r, RandomShared *s, const RandomRange *k, char *out, int64_t n);
void random_counts(ThRandom *r, RandomCount one, const ThValue *p, int64_t *out, int64_t n); /* count.c */

/* table.c: what randint shares with the distributions */
void random_walk(ThArray *out, int n, ThArray *const *own, ArrayRun run, void *user);
typedef struct RandomParams { /* of the draws of one call */
    const char *name;         /* of the function, for errors */
    ThArray *const *own;
    int n;
    ArrayRun check; /* looks at all of them before anything is drawn.. */
    void *user;
    const bool *ok; /* ..and says here whether they will do */
} RandomParams;
/* An empty result of that size (ndim < 0: that of the parameters), which were checked; NULL with the error set */
ThArray *random_fill(ThContext *c, const RandomParams *p, ThDtype d, int ndim, const int64_t *size);
int random_find(const char *name); /* its place in the table; -1 */
/* Whether a broadcasts to shape by its lengths; else ValueError. */
bool random_spreads(ThRandom *r, const char *name, const ThArray *a, int ndim, const int64_t *shape);
/* Draws into an array that is there. The parameters, all given and of any real dtype, broadcast to its shape; where one
   is not allowed, nothing is drawn. */
bool random_draw_into(ThRandom *r, int which, ThArray *const *params, ThArray *out);

/* random.c: one bounded integer for each element, low and high included. */
bool random_integers_into(ThRandom *r, ThArray *low, ThArray *high, ThArray *out);

/* What random_draw_into looks at first: nothing is drawn. Then the parameters as the sampler reads them, by their bits:
 * one value of each where all are the same everywhere, else one for each element of out; which it is. */
bool random_draw_check(ThRandom *r, int which, ThArray *const *params, ThArray *out);
bool random_draw_same(int which, ThArray *const *params);
void random_draw_params(int which, ThArray *const *params, ThArray *out, int64_t *const *to);
/* The function of one number, by its name in dist.c, plain.c or count.c; *real: it gives float64. */
const char *random_sampler(int which, bool *real);
bool random_integers_check(ThRandom *r, ThArray *low, ThArray *high, ThArray *out);
void random_integers_params(ThArray *low, ThArray *high, ThArray *out, int64_t *const *to);

/* choice.c, picks.c: draws of which the caller brings the memory */
/* false: work is to stop, which is an error then (random_stopped) */
bool random_order(ThRandom *r, int64_t *at, int64_t n);           /* 0 .. n - 1 in random order */
bool random_choice_fits(ThRandom *r, const RandomChoice *k);      /* else ValueError */
uint64_t random_choice_room(const RandomChoice *k, bool chances); /* p will be there */
bool random_choose(ThRandom *r, const RandomChoice *k, int64_t *out, void *room);
bool random_choose_words(ThRandom *r, const RandomChoice *k, int64_t *out, void *room); /* by words */
uint64_t pcg_choice_room(const RandomChoice *k); /* without replacement, all alike */
bool pcg_choose(ThRandom *r, const RandomChoice *k, int64_t *out, void *room);
/* n things over k places of probability p[i], the last takes what is left. */
bool random_shares_fit(ThRandom *r, int64_t n, const double *p, int64_t k);
void random_share(ThRandom *r, int64_t n, const double *p, int64_t k, int64_t *out);

/* dist.c */
double random_beta(ThRandom *r, const ThValue *p), random_chisquare(ThRandom *r, const ThValue *p);
double random_exponential(ThRandom *r, const ThValue *p), random_f(ThRandom *r, const ThValue *p);
double random_gamma_scaled(ThRandom *r, const ThValue *p), random_gumbel(ThRandom *r, const ThValue *p);
double random_laplace(ThRandom *r, const ThValue *p), random_logistic(ThRandom *r, const ThValue *p);
double random_lognormal(ThRandom *r, const ThValue *p), random_noncentral_chisquare(ThRandom *r, const ThValue *p);
double random_noncentral_f(ThRandom *r, const ThValue *p), random_normal(ThRandom *r, const ThValue *p);
double random_pareto(ThRandom *r, const ThValue *p), random_power(ThRandom *r, const ThValue *p);
double random_rayleigh(ThRandom *r, const ThValue *p), random_sample(ThRandom *r, const ThValue *p);
double random_standard_cauchy(ThRandom *r, const ThValue *p),
    random_standard_exponential(ThRandom *r, const ThValue *p);
double random_standard_gamma(ThRandom *r, const ThValue *p), random_standard_normal(ThRandom *r, const ThValue *p);
double random_standard_t(ThRandom *r, const ThValue *p), random_triangular(ThRandom *r, const ThValue *p);
double random_uniform(ThRandom *r, const ThValue *p), random_vonmises(ThRandom *r, const ThValue *p);
double random_wald(ThRandom *r, const ThValue *p), random_weibull(ThRandom *r, const ThValue *p);

/* count.c */
int64_t random_count_binomial(ThRandom *r, const ThValue *p), random_count_geometric(ThRandom *r, const ThValue *p);
int64_t random_count_hypergeometric(ThRandom *r, const ThValue *p),
    random_count_logseries(ThRandom *r, const ThValue *p);
int64_t random_count_negative_binomial(ThRandom *r, const ThValue *p),
    random_count_poisson(ThRandom *r, const ThValue *p);
int64_t random_count_zipf(ThRandom *r, const ThValue *p), random_count_max(ThRandom *r, const ThValue *p);

#endif
