/*
 * build.h -- what build.c and embed_build.c share while groups become the Plan's steps. Sizes and slots in here are the
 * planner's until build.c numbers them all at the end.
 */
#ifndef TH_PLAN_BUILD_H
#define TH_PLAN_BUILD_H

#include "parts.h"

typedef struct BodyNode { /* a node of a body and its number in the plan */
    int number;
    PlanNode node;
} BodyNode;
typedef struct Import { /* the instructions of a body's STEP_SIZE: [first, first + n) of Sizes.ins */
    int step, first, n;
} Import;
typedef struct Build {
    Planner *p;
    ThContext *ctx;
    Plan *plan;
    Map keys; /* kernel key -> 1 + kernel */
    VEC(Kernel *) kernel;
    VEC(Step) step;
    VEC(PlanBuf) buf;
    VEC(ThArray *) constant;
    VEC(int) roots, syms, nodes; /* scratch of one step */
    int *size_step;              /* by node ordinal: its STEP_SIZE, -1 */
    uint8_t *calls;              /* by node ordinal: it calls the library */
    VEC(Region) region;
    int segment, tail; /* first step that is in no region yet; the last region in line */
    VEC(PlanWindow) window;
    VEC(Plan *) body;
    VEC(BodyNode) node;
    VEC(Import) import;
} Build;

void *build_keep(Build *b, const void *from, size_t bytes);
void build_need(Build *b, Size *s); /* the plan will have this size */
void build_need_told(Build *b, Size *s);
void build_need_value(Build *b, PlanValue *v);
int build_buffer(Build *b, int root); /* the plan buffer of a root, numbered at first sight; -1 on error */
int build_constant(Build *b, ThArray *data);
void build_live(Build *b, int f, int step);
bool build_late(Build *b, int f);     /* allocates it here when only a STEP_SIZE knows its size and nothing did yet */
int build_share(Build *b, Kernel *k); /* the kernel with this key, or k itself: taken over */
bool build_segment(Build *b);
bool build_region(Build *b, const Region *g);               /* in line after the last one */
int build_counter(Build *b);                                /* a slot that counts the turns of a loop */
bool build_embed(Build *b, Embed *e, int node);             /* embed_build.c; node: whose body it is */
void said_operand(Build *b, const ThVar *v, PlanValue *to); /* said.c: sets what reports say */

#endif
