/*
 * random.h -- the generator behind RandomState, for the distributions and for operations that draw.
 */
#ifndef TH_BASE_RANDOM_H
#define TH_BASE_RANDOM_H

#include "base/base.h"

struct ThRandom {
    ThContext *ctx; /* retained */
    uint32_t key[624];
    int pos;        /* next word; 624: a new block is due */
    bool has_gauss; /* the polar method makes two at a time */
    double gauss;
};

uint32_t random_word(ThRandom *r);
uint64_t random_word64(ThRandom *r);                  /* high word first */
double random_double(ThRandom *r);                    /* [0, 1), 53 bits */
uint64_t random_bounded(ThRandom *r, uint64_t range); /* [0, range], masked rejection */
double random_gauss(ThRandom *r);
double random_gamma(ThRandom *r, double shape); /* scale 1 */
int64_t random_poisson(ThRandom *r, double lam);
int64_t random_binomial(ThRandom *r, int64_t n, double p);

/* One value of a distribution from its parameters (p[k].i where the parameter counts, p[k].f else). */
typedef double (*RandomReal)(ThRandom *r, const ThValue *p);
typedef int64_t (*RandomCount)(ThRandom *r, const ThValue *p);

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
