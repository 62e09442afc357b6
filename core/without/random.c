/*
 * random.c -- what picks, orders and shares out in a library that was built without distributions; base/random/table.c
 * refuses those that have names.
 */
#include "base/random/random.h"

#if !TH_RANDOM
static bool refuse(const ThRandom *r, const char *what) {
    return r && err(r->ctx, TH_NotImplementedError, "%s: this library was built without it (TH_RANDOM=OFF)", what);
}

static ThArray *none(const ThRandom *r, const char *what) {
    refuse(r, what);
    return NULL;
}

int th_random_shuffle(ThRandom *r, ThArray *a) {
    (void)a;
    return refuse(r, "shuffle") - 1;
}

ThArray *th_random_permutation(ThRandom *r, int64_t n) {
    (void)n;
    return none(r, "permutation");
}

ThArray *th_random_choice(ThRandom *r, int64_t n, bool replace, ThArray *p, int ndim, const int64_t *shape) {
    (void)n, (void)replace, (void)p, (void)ndim, (void)shape;
    return none(r, "choice");
}

ThArray *th_random_choice_ordered(ThRandom *r, int64_t n, bool replace, bool ordered, ThArray *p, int ndim,
                                  const int64_t *shape) {
    (void)n, (void)replace, (void)ordered, (void)p, (void)ndim, (void)shape;
    return none(r, "choice");
}

ThArray *th_random_multinomial(ThRandom *r, int64_t n, ThArray *pvals, int ndim, const int64_t *shape) {
    (void)n, (void)pvals, (void)ndim, (void)shape;
    return none(r, "multinomial");
}

ThArray *th_random_dirichlet(ThRandom *r, ThArray *alpha, int ndim, const int64_t *shape) {
    (void)alpha, (void)ndim, (void)shape;
    return none(r, "dirichlet");
}

ThArray *th_random_multivariate_hypergeometric(ThRandom *r, ThArray *colors, int64_t n, bool count, int ndim,
                                               const int64_t *shape) {
    (void)colors, (void)n, (void)count, (void)ndim, (void)shape;
    return none(r, "multivariate_hypergeometric");
}

/* ---- PCG64 ------------------------------------------------------------------------------------------------------- */
static const char whole[] = "PCG64";

ThRandom *th_random_pcg64(ThContext *c, const uint32_t *entropy, int n) {
    (void)entropy, (void)n;
    if (c) err(c, TH_NotImplementedError, "%s: this library was built without it (TH_RANDOM=OFF)", whole);
    return NULL;
}

int th_random_pcg64_get(const ThRandom *r, ThPcg64 *out) {
    (void)out;
    return refuse(r, whole) - 1;
}

int th_random_pcg64_set(ThRandom *r, const ThPcg64 *in) {
    (void)in;
    return refuse(r, whole) - 1;
}

int th_random_pcg64_advance(ThRandom *r, const uint64_t delta[2]) {
    (void)delta;
    return refuse(r, whole) - 1;
}

ThArray *th_random_pcg64_draw(ThRandom *r, char which, ThDtype d, int ndim, const int64_t *shape) {
    (void)which, (void)d, (void)ndim, (void)shape;
    return none(r, whole);
}

/* Never called, as there is no such generator. */
uint64_t pcg_bounded(Pcg *p, uint64_t range) { return (void)p, (void)range, 0; }
double pcg_normal(Pcg *p) { return (void)p, 0; }

/* ---- for operations: what fits is asked for first ---------------------------------------------------------------- */
void random_counts(ThRandom *r, RandomCount one, const ThValue *p, int64_t *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = one(r, p);
}

bool random_order(ThRandom *r, int64_t *at, int64_t n) {
    (void)at, (void)n;
    return refuse(r, "permutation");
}

bool random_choice_fits(ThRandom *r, const RandomChoice *k) {
    (void)k;
    return refuse(r, "choice");
}

uint64_t random_choice_room(const RandomChoice *k, bool chances) {
    (void)k, (void)chances;
    return 0;
}

bool random_choose(ThRandom *r, const RandomChoice *k, int64_t *out, void *room) {
    (void)r, (void)k, (void)out, (void)room;
    return false; /* never called: nothing fits */
}

bool random_shares_fit(ThRandom *r, int64_t n, const double *p, int64_t k) {
    (void)n, (void)p, (void)k;
    return refuse(r, "multinomial");
}

void random_share(ThRandom *r, int64_t n, const double *p, int64_t k, int64_t *out) {
    (void)r, (void)n, (void)p, (void)k, (void)out;
}
#endif
