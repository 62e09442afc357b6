/* random.h -- attributes and builders of the operations that draw random numbers, and of those that pick by them. */
#ifndef TH_OPS_RANDOM_H
#define TH_OPS_RANDOM_H

#include "kernel/pick_work.h"
#include "kernel/draw_work.h"
#include "ops/table/host.h"
#include "ops/table/shape.h"

typedef struct MrgAttrs {
    uint8_t dtype;
    int64_t ndim;
    int64_t lanes; /* leading dimensions of the sample that vmap put there: streams of their own for each element */
} MrgAttrs;
/* Outputs: the states after the draw, and the samples of that size in [0, 1). */
ThApply *mrg_uniform_make(Builder *b, ThVar *rstate, ThVar *size, const MrgAttrs *at);

typedef struct PhiloxAttrs {
    uint8_t dtype;
    int64_t ndim; /* of the size; keys may have dimensions in front */
} PhiloxAttrs;
enum { PHILOX_SPLIT = 1, PHILOX_FOLD }; /* last words of counters that keys are made with; numbers are drawn with 0 */
ThVar *philox_make(Builder *b, ThVar *key, ThVar *counter, ThVar *size, const PhiloxAttrs *at);

/* draw_stage.c: the node's kernel, in which A, B are accesses made by draw_whole (-1: none). */
typedef struct DrawStage {
    DrawKind kind;
    int out, lead; /* the result that is drawn; its leading dims, of which each point is a draw */
    int a, b;
    Size streams;
} DrawStage;
int draw_whole(Lower *l, Kernel *k, int tensor, bool write); /* an input, or a result, from its first element on */
bool draw_stage(Lower *l, Kernel *k, const DrawStage *w);

typedef struct PickAttrs {
    uint8_t dtype;
} PickAttrs;
/* How often each column of pvals is drawn in n draws; n different columns in the order drawn. n: 0-d. */
ThVar *multinomial_make(Builder *b, ThVar *pvals, ThVar *unis, ThVar *n, ThDtype d);
ThVar *choice_make(Builder *b, ThVar *pvals, ThVar *unis, ThVar *n, ThDtype d);

int pick_host(HostCall *h, const PickWork *w); /* of HostServices */

#endif
