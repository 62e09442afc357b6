/*
 * softmaxes.h -- exp(x) / sum(exp(x)) along any axes, as it is found in products, and the logarithm of the sum.
 */
#ifndef TH_OPT_SOFTMAXES_H
#define TH_OPT_SOFTMAXES_H

#include "product.h"
#include "rules.h"

#include "ops/reduce/reduce.h"

/* The softmax p of x along axes, in the frame of some product: x has its rank, what is summed its dimensions. */
typedef struct Softmax {
    ThVar *x, *p, *low; /* low: x less its maximum, where p is written out with it, else NULL */
    AttrInts axis;
    bool given; /* p is written out with x itself, whose maximum is off already */
} Softmax;

/* A variable behind DimShuffles: dim i of the whole is dim order[i] of it, or new (-1). */
typedef struct Shuffled {
    ThVar *v;
    AttrInts order;
} Shuffled;

Shuffled softmaxes_behind(ThVar *v);
/* Behind whatever DimShuffles, v and w show the same; dims of length 1 may be new ones. */
bool softmaxes_same(ThVar *v, ThVar *w);
/* x of a sum of exp(x), in the frame of the sum's operand; NULL: v is none, or its maximum has been subtracted. */
ThVar *softmaxes_summed(Opt *o, ThVar *v);
/* log(sum(exp(x))) for such a sum: m + log(sum(exp(x - m))), m the maximum, 0 where it is infinite. */
ThVar *softmaxes_log_of_sum(Opt *o, ThVar *sum, ThVar *x);
/* x and axes of the Softmax whose denominator v is, in v's frame; false: it is none. */
bool softmaxes_denominator(Opt *o, ThVar *v, Softmax *s);
/* And p. */
bool softmaxes_make(Opt *o, Softmax *s);
/* CrossentropyCategorical1HotGrad times the probabilities that it divides by. */
ThVar *xent_grad_of_ones(Opt *o, const ThApply *d); /* xent.c */
/* What stands in the denominator of `s` is seen in another frame: dim i of the new one is dim from[i]. */
bool softmaxes_turn(Opt *o, const Softmax *s, const int8_t *from, Softmax *to);

#endif
