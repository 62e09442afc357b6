/*
 * short.h -- private to short.c and vectors.c: ways of calling functions of arrays that need no graph.
 */
#ifndef LT_SHORT_H
#define LT_SHORT_H

#include "binding.h"

enum { SHORT_DONE = -1 };
/* Arguments from 1 on; results are pushed and counted, or SHORT_DONE: there are none. 0: these arguments are not for
 * it, and the stack is as it was. */
typedef int ShortWay(lua_State *L, LtState *s);
ShortWay vectors_take, vectors_put, vectors_putmask, vectors_convolve, vectors_correlate, vectors_interp;
ShortWay vectors_extract, vectors_place, vectors_isin, vectors_nanmax, vectors_nanmin, vectors_resize, vectors_delete;
ShortWay vectors_repeat, vectors_eye;

ThArray *short_dense(lua_State *L, LtState *s,
                     int i); /* an array whose elements lie one behind the other on the host */
/* The axis at i, the last argument, alone or as {axis = n}, into *axis, from 0 on; absent: it stays. false: something
 * else stands there. */
bool short_axis(lua_State *L, int i, int ndim, int64_t *axis);
int64_t short_trues(const uint8_t *m, int64_t n); /* of n bools */

#endif
