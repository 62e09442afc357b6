/*
 * theano_random.h -- the part of theano.h, which includes it, about random streams: NumPy's generators, and draws from
 * their states in graphs. The rules of theano.h hold.
 */
#ifndef THEANO_RANDOM_H
#define THEANO_RANDOM_H

/* ---- RandomState: NumPy's legacy MT19937 streams bit for bit --------------------------------------------------- */
TH_API ThRandom *th_random_new(ThContext *c, uint64_t seed); /* seed < 2^32 */
TH_API void th_random_release(ThRandom *r);
/* A state is a vector of uint32 (key, place, the second normal): that of r, held by it; a generator on such a vector.
 */
TH_API ThArray *th_random_array(ThRandom *r);
TH_API ThRandom *th_random_on(ThArray *state);
TH_API int th_random_seed(ThRandom *r, uint64_t seed);        /* seed < 2^32 */
TH_API int th_random_seed_array(ThRandom *r, ThArray *seeds); /* a vector of integers, each < 2^32 */
typedef struct ThRandomState {
    uint32_t key[624];
    int pos; /* 0..624 */
    bool has_gauss;
    double gauss;
} ThRandomState;
TH_API void th_random_get_state(const ThRandom *r, ThRandomState *out);
TH_API int th_random_set_state(ThRandom *r, const ThRandomState *in);
TH_API void th_random_bytes(ThRandom *r, void *out, size_t n);
/* Every distribution of real numbers or counts, as a table: "gamma" with the parameters shape and scale. */
enum { TH_DIST_PARAMS = 3 };
typedef struct ThDistribution {
    const char *name, *doc;
    int nparams;
    const char *param[TH_DIST_PARAMS];
    double deflt[TH_DIST_PARAMS]; /* NaN: must be given */
} ThDistribution;
TH_API const ThDistribution *th_random_distribution(int i); /* NULL past the end */
/* params[k] NULL: the default; arrays broadcast by lengths. ndim -1: the shape of the parameters. float64 or int64. */
TH_API ThArray *th_random_draw(ThRandom *r, int which, ThArray *const *params, int ndim, const int64_t *shape);
/* Integers of low <= v < high (closed: <= high), arrays that broadcast; ndim -1: their shape. */
TH_API ThArray *th_random_integers(ThRandom *r, ThArray *low, ThArray *high, bool closed, ThDtype d, int ndim,
                                   const int64_t *shape);
TH_API int th_random_shuffle(ThRandom *r, ThArray *a); /* the first axis, in place */
/* Positions out of 0..n-1; p: their probabilities, or NULL. int64. */
TH_API ThArray *th_random_choice(ThRandom *r, int64_t n, bool replace, ThArray *p, int ndim, const int64_t *shape);
/* ordered: those of a PCG64 without replacement need not come in random order. */
TH_API ThArray *th_random_choice_ordered(ThRandom *r, int64_t n, bool replace, bool ordered, ThArray *p, int ndim,
                                         const int64_t *shape);
/* Shape + one axis as long as the vector. */
TH_API ThArray *th_random_multinomial(ThRandom *r, int64_t n, ThArray *pvals, int ndim, const int64_t *shape);
TH_API ThArray *th_random_dirichlet(ThRandom *r, ThArray *alpha, int ndim, const int64_t *shape);
/* How many of each color are among n drawn from an urn without putting back; count: by a row of all that are in it. */
TH_API ThArray *th_random_multivariate_hypergeometric(ThRandom *r, ThArray *colors, int64_t n, bool count, int ndim,
                                                      const int64_t *shape);
TH_API ThArray *th_random_rand(ThRandom *r, int ndim, const int64_t *shape);  /* [0, 1) float64 */
TH_API ThArray *th_random_randn(ThRandom *r, int ndim, const int64_t *shape); /* polar method, cached second */
TH_API ThArray *th_random_uniform(ThRandom *r, double low, double high, int ndim, const int64_t *shape);
TH_API ThArray *th_random_normal(ThRandom *r, double loc, double scale, int ndim, const int64_t *shape);
TH_API ThArray *th_random_randint(ThRandom *r, int64_t low, int64_t high, ThDtype d, int ndim, const int64_t *shape);
TH_API ThArray *th_random_permutation(ThRandom *r, int64_t n); /* int64 */

/* ---- PCG64: the words behind NumPy's Generator ------------------------------------------------------------------- */
/* Words that a SeedSequence makes of entropy, spawn keys behind it. */
TH_API void th_seed_words(const uint32_t *entropy, int n, uint32_t *out, int nout);
/* A ThRandom whose words, bounded integers, shuffles and picks are those of Generator(PCG64(SeedSequence(entropy))). */
TH_API ThRandom *th_random_pcg64(ThContext *c, const uint32_t *entropy, int n);
typedef struct ThPcg64 {
    uint64_t state[2], inc[2]; /* high, low */
    bool has_uint32;
    uint32_t uinteger;
} ThPcg64;
TH_API int th_random_pcg64_get(const ThRandom *r, ThPcg64 *out);
TH_API int th_random_pcg64_set(ThRandom *r, const ThPcg64 *in);
TH_API int th_random_pcg64_advance(ThRandom *r, const uint64_t delta[2]); /* high, low: so many words */
/* which: 'u' [0, 1), 'n' standard normal, 'e' standard exponential; float32 or float64. */
TH_API ThArray *th_random_pcg64_draw(ThRandom *r, char which, ThDtype d, int ndim, const int64_t *shape);

/* ---- MRG31k3p: the streams of MRG_RandomStreams ------------------------------------------------------------------ */
/* A state is three numbers below 2147483647 and three below 2147462579, neither three all 0. */
/* n states, int32 (n, 6): `state`, then each 2^72 numbers further on than the one before. */
TH_API ThArray *th_mrg_streams(ThContext *c, const int32_t state[6], int64_t n);
TH_API int th_mrg_skip(ThContext *c, int32_t state[6]); /* 2^134 numbers further on */

/* ---- in graphs ------------------------------------------------------------------------------------------------ */
TH_API ThType th_random_state_type(void); /* of variables whose values are states of a RandomState */
/* A shared variable whose values are states: of r itself with borrow, else of a copy. */
TH_API ThVar *th_shared_random(ThContext *c, ThRandom *r, const char *name, bool borrow);
/*
 * A draw from a state: fn is a distribution of nd.random ("uniform", with its parameters in order) or
 * "random_integers_helper" (low, high), "choice_helper" (a, replace, p, empty for none), "permutation_helper" (n),
 * "multinomial_helper" (n, pvals), the last two with ndim_added 1. in: the state, the size as an integer vector, the
 * parameters. out: type of the draw. result: the state behind it, the draw.
 */
TH_API int th_random_function(ThContext *c, const char *fn, ThType out, int ndim_added, ThVar *const *in, int n,
                              ThVar **result);

#endif
