/*
 * draw_work.h -- a draw of random numbers as plain numbers: what a STAGE_DRAW hands to the library
 * (core/runtime/random/draw.c). Results are dense: `draws` of them side by side, of `each` numbers.
 *
 * A STAGE_DRAW has as sizes, in this order: DrawKind, draws, each, streams.
 *   DRAW_MRG     A are the states of so many streams (base/random/mrg.h), B gets those after the first draw, or is not
 *                there; draw i has states that are i MRG_JUMP_LANE further
 *   DRAW_PHILOX  A are keys, B counters (base/random/philox.h), a row for each draw; no streams
 */
#ifndef TH_DRAW_WORK_H
#define TH_DRAW_WORK_H

#include "base/random/done.h"
#include "call_work.h"

typedef enum { DRAW_MRG, DRAW_PHILOX } DrawKind;
enum { DRAW_AT_KIND, DRAW_AT_DRAWS, DRAW_AT_EACH, DRAW_AT_STREAMS, DRAW_NUMBERS };

/* Why a draw of MRG31k3p fails. */
#define DRAW_NO_STATES \
    "mrg_uniform: the states are no states of MRG31k3p streams (in each row three numbers below 2147483647, then " \
    "three below 2147462579, neither three all 0)"

#endif
