/* table_random.h -- lines of the function table (see table.h) for random numbers. */
#ifndef TH_FRONT_RANDOM_H
#define TH_FRONT_RANDOM_H

/* clang-format off */
/* random.c */
#define FRONT_RANDOM(FRONT) \
    FRONT("random.mrg_uniform", "rstate, size, ndim=None, dtype=\"floatX\"", NULL, FUNC, front_mrg_uniform, \
      "states of MRG31k3p streams (n x 6, int32) after a draw, and uniform numbers of that size in [0, 1)") \
    FRONT("random.philox", "key, counter, size, ndim=None, dtype=\"uint32\"", NULL, FUNC, front_philox, \
      "numbers of Philox4x32-10 from a counter (4 uint32) on: bits as uint32 or uint64, uniform float32 or float64") \
    FRONT("random.multinomial_from_uniform", "pvals, unis, n=1, dtype=\"int64\"", NULL, FUNC, front_pick, \
      "how often each column of pvals is drawn for its row by n uniform numbers") \
    FRONT("random.choice_from_uniform", "pvals, unis, n=1, dtype=\"int64\"", NULL, FUNC, front_pick, \
      "n different columns of pvals drawn for each row by uniform numbers")
/* clang-format on */

#endif
