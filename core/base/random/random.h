/*
 * random.h -- the generator behind RandomState, for the distributions and for operations that draw.
 */
#ifndef TH_BASE_RANDOM_H
#define TH_BASE_RANDOM_H

#include "base/base.h"

/* A state as it lies in memory: a vector of RANDOM_WORDS uint32. Two of equal states have equal bits. */
typedef struct RandomWords {
    uint32_t key[624];
    uint32_t pos;       /* next word; 624: a new block is due */
    uint32_t has_gauss; /* the polar method makes two at a time */
    double gauss;       /* 0 where there is none */
} RandomWords;
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
/* Whether an array holds a state: dtype, length, place of the next word. */
bool random_is_state(const ThArray *a);

uint32_t random_word(ThRandom *r);
uint64_t random_word64(ThRandom *r);                   /* high word first */
double random_double(ThRandom *r);                     /* [0, 1), 53 bits */
uint64_t random_bounded(ThRandom *r, uint64_t range);  /* [0, range] */
uint64_t random_interval(ThRandom *r, uint64_t range); /* the same by masked rejection whatever the generator */
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

uint32_t pcg_word(Pcg *p), pcg_small(Pcg *p, RandomShared *s, uint32_t range);
uint64_t pcg_word64(Pcg *p), pcg_bounded(Pcg *p, uint64_t range);
double pcg_double(Pcg *p), pcg_normal(Pcg *p), pcg_exponential(Pcg *p);

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

/* choice.c: draws of which the caller brings the memory */
void random_order(ThRandom *r, int64_t *at, int64_t n); /* 0 .. n - 1 in random order */
typedef struct RandomChoice {
    int64_t n, size;       /* out of how many, how many */
    bool replace, ordered; /* ordered: of a PCG64, need not be shuffled */
    const double *p;       /* n probabilities, or NULL: all alike */
} RandomChoice;
bool random_choice_fits(ThRandom *r, const RandomChoice *k);    /* else ValueError */
size_t random_choice_room(const RandomChoice *k, bool chances); /* p will be there */
void random_choose(ThRandom *r, const RandomChoice *k, int64_t *out, void *room);
size_t pcg_choice_room(const RandomChoice *k); /* without replacement, all alike */
void pcg_choose(Pcg *p, const RandomChoice *k, int64_t *out, void *room);
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
