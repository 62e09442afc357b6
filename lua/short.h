/*
 * short.h -- private to short.c, vectors.c, moves.c, counts.c, lines.c, numbers.c, ranks.c, series.c and digits.c: ways
 * of calling functions of arrays that need no graph.
 */
#ifndef LT_SHORT_H
#define LT_SHORT_H

#include "binding.h"

enum { SHORT_DONE = -1 };
/* The number of the engine's function of the same name (of digitize: searchsorted), or -1. */
#define SHORT_FUNCTION(L) ((int)lua_tointeger((L), lua_upvalueindex(4)))
/* Arguments from 1 on; results are pushed and counted, or SHORT_DONE: there are none. 0: these arguments are not for
 * it, and the stack is as it was. */
typedef int ShortWay(lua_State *L, LtState *s);
ShortWay vectors_take, vectors_put, vectors_putmask, vectors_convolve, vectors_correlate, vectors_interp;
ShortWay vectors_extract, vectors_place, vectors_isin, vectors_nanmax, vectors_nanmin, vectors_resize;
ShortWay vectors_eye;
ShortWay moves_pad, moves_tile, moves_repeat, moves_tri, moves_tril, moves_triu, moves_tril_indices, moves_triu_indices;
ShortWay moves_tril_indices_from, moves_triu_indices_from, moves_diag, moves_diagflat, moves_diagonal;
ShortWay moves_fill_diagonal, moves_indices, moves_block;
ShortWay moves_ones, moves_ones_like, moves_full, counts_polyval, counts_gradient, counts_cross;
ShortWay moves_meshgrid, moves_empty, moves_full_like, moves_copyto, moves_choose;
ShortWay moves_delete, moves_roll, moves_unstack, moves_ascontiguous, moves_empty_like;
ShortWay counts_histogram, counts_bin_edges, counts_take_along, counts_put_along, counts_argwhere, counts_unravel;
ShortWay counts_ravel, counts_polyadd, counts_polysub, counts_inner, counts_vdot, counts_trace, counts_diag_indices,
    counts_matvec, counts_vecmat;
ShortWay counts_result_type, counts_iscomplexobj, counts_isrealobj, counts_isfortran, counts_iterable,
    counts_binary_repr, counts_base_repr;
ShortWay lines_vecdot, lines_by_vector, lines_argmax, lines_argmin, lines_all, lines_bartlett, lines_round, lines_ldexp;
ShortWay lines_average, lines_rint, lines_real_if_close, lines_trim_zeros, lines_unique_counts;
ShortWay numbers_iscomplex, numbers_isreal, numbers_quotient, numbers_remainder, numbers_greater, numbers_greater_equal,
    numbers_less, numbers_less_equal;
ShortWay numbers_frexp, numbers_spacing, counts_outer, series_arange;
ShortWay numbers_isclose, numbers_atleast_1d, numbers_isscalar;
ShortWay numbers_equal, numbers_not_equal, numbers_nan_to_num, numbers_array_equal, numbers_ndim;
ShortWay numbers_from_iterator, numbers_left_shift, numbers_right_shift, lines_nonzero, lines_flatnonzero;
ShortWay ranks_partition, ranks_argpartition, ranks_median, ranks_nanmedian, ranks_quantile, ranks_percentile;
ShortWay ranks_nanquantile, ranks_nanpercentile, ranks_digitize, lines_einsum, numbers_nextafter;
ShortWay series_lexsort, series_sort_complex, series_polyint, series_poly, series_vander, series_trapezoid;
ShortWay series_polyder, series_ediff1d, series_diff, series_nanvar, series_nanstd, series_hamming, series_hanning;
ShortWay series_blackman, series_setxor1d;
ShortWay series_cumulative_sum, series_cumulative_prod, series_insert, series_fromfunction;
ShortWay digits_positional, digits_scientific, digits_fromstring, digits_broadcast_shapes, digits_can_cast;
ShortWay digits_promote_types;

ThArray *short_dense(lua_State *L, LtState *s,
                     int i); /* an array whose elements lie one behind the other on the host */
/* The axis at i, the last argument, alone or as {axis = n}, into *axis, from 0 on; absent: it stays. false: something
 * else stands there. */
bool short_axis(lua_State *L, int i, int ndim, int64_t *axis);
/* A list of at most `most` whole numbers at i and nothing else; how many, or -1: it is something else. */
int short_integers(lua_State *L, int i, int64_t *v, int most);
/* The first `have` bytes again and again, up to `all`. */
void moves_again(char *to, size_t have, size_t all);
int64_t short_trues(const uint8_t *m, int64_t n); /* of n bools */

#endif
