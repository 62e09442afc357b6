/*
 * scan.h -- Scan: a loop over an inner graph. What its files share.
 *
 * Inputs: n_steps | sequences | states | shared values | shapes of collected results | values.
 * Outputs: states | collected results | shared values | turns run (only with a condition).
 * Inner inputs: a row of every sequence | for every state its taps | shared values | values.
 * Inner outputs: new row of every state | row of every collected result | new shared values | the condition.
 *
 * Turn t reads row t of a sequence, row (t + L + k) of a state for its tap k < 0 (L: its oldest tap, as a positive
 * number), and writes row t + L of a state and row t of a collected result; row numbers are taken modulo the length, so
 * a state may be a ring. A shared value is carried whole. A shape is one int64 vector, rows first. In the user's graph
 * states are never rings: they have at least L + n_steps rows.
 */
#ifndef TH_SCAN_H
#define TH_SCAN_H

#include "ops/table/ops.h"

typedef struct ScanAttrs {
    const GraphBody *body;
    const char *taps; /* "-2,-1;-1": the taps of every state, interned; "" none */
    const char *name; /* or NULL */
    int64_t nseq, nshared, ncollect;
    int64_t truncate; /* turns that the gradient goes back, -1: all */
    uint8_t until;    /* the last inner output ends the loop after the turn in which it is true */
    uint8_t inplace;  /* states may be written where they lie */
} ScanAttrs;

enum { SCAN_TAPS = 512 };
typedef struct Scan { /* the parts of a node, decoded from its attributes */
    const ScanAttrs *a;
    int nseq, nstate, nshared, ncollect, nvalue, ntap;
    bool until;
    int first[OP_MAX_OUT + 1]; /* taps of state i: tap[first[i] .. first[i + 1]) */
    int tap[SCAN_TAPS];
    int back[OP_MAX_OUT]; /* L of state i */
} Scan;
/* False (error set) when the attributes do not describe a loop with nin inputs. */
bool scan_parts(ThContext *c, const void *attrs, int nin, Scan *s);
/* Where a part begins: inputs and outputs of the node, inputs and outputs of the body. */
static inline int scan_in_seq(const Scan *s) { return (void)s, 1; }
static inline int scan_in_state(const Scan *s) { return 1 + s->nseq; }
static inline int scan_in_shared(const Scan *s) { return 1 + s->nseq + s->nstate; }
static inline int scan_in_shape(const Scan *s) { return 1 + s->nseq + s->nstate + s->nshared; }
static inline int scan_in_value(const Scan *s) { return 1 + s->nseq + s->nstate + s->nshared + s->ncollect; }
static inline int scan_out_collect(const Scan *s) { return s->nstate; }
static inline int scan_out_shared(const Scan *s) { return s->nstate + s->ncollect; }
static inline int scan_out_turns(const Scan *s) { return s->nstate + s->ncollect + s->nshared; }
static inline int scan_nout(const Scan *s) { return s->nstate + s->ncollect + s->nshared + s->until; }
static inline int scan_body_tap(const Scan *s) { return s->nseq; }
static inline int scan_body_shared(const Scan *s) { return s->nseq + s->ntap; }
static inline int scan_body_value(const Scan *s) { return s->nseq + s->ntap + s->nshared; }
static inline int scan_body_nin(const Scan *s) { return s->nseq + s->ntap + s->nshared + s->nvalue; }
/* The output of the body behind output o of the node (the same number). The input of the node behind inner input i. */
int scan_outer_of(const Scan *s, int inner);
/* The output of the body that inner input i carries to the next turns (states, shared values), or -1. */
int scan_carried_by(const Scan *s, int inner);

/* Which inputs of a body reach which of its outputs with a gradient: reach[out * nin + in]; the body keeps it. */
const bool *scan_reach(const GraphBody *body);

/*
 * A loop being put together: parts in any order, each a variable of the outer graph and one that stands for it in the
 * body. scan_plan_make leaves out sequences and values that the body does not use, and gives the node; node output
 * numbers are those of the parts (states, collected, shared) in the order added.
 */
typedef struct ScanPlan {
    Builder *b;
    ThVar *steps;
    VarVec seq, seq_in;
    VarVec state, tap_in, state_out; /* tap_in: for each state, for each of its taps */
    Text taps;
    VarVec shared, shared_in, shared_out;
    VarVec shape, collect_out;
    VarVec value, value_in;
    ThVar *until;
    const char *name;
    int64_t truncate;
    bool failed;
} ScanPlan;
void scan_plan_begin(ScanPlan *p, Builder *b, ThVar *steps);
void scan_plan_end(ScanPlan *p);
void scan_plan_seq(ScanPlan *p, ThVar *outer, ThVar *inner);
void scan_plan_state(ScanPlan *p, ThVar *outer, const int *tap, int ntap, ThVar *const *inner, ThVar *out);
void scan_plan_shared(ScanPlan *p, ThVar *outer, ThVar *inner, ThVar *out);
void scan_plan_collect(ScanPlan *p, ThVar *shape, ThVar *out);
void scan_plan_value(ScanPlan *p, ThVar *outer, ThVar *inner);
ThApply *scan_plan_make(ScanPlan *p);

/* Makes equal nodes among those that compute out[0..n) one; out holds references before and after. */
bool scan_cse(ThContext *c, ThVar **out, int n);
/* x[start:stop], NULL for an open end; then reversed. Bounds are 0-d integers. */
ThVar *scan_rows(Builder *b, ThVar *x, ThVar *start, ThVar *stop, bool reverse);
ThVar *scan_set_rows(Builder *b, ThVar *x, ThVar *start, ThVar *stop, ThVar *y);
/* Zeros of the shape of one row of x: stands for it where only lengths matter. */
ThVar *scan_zero_row(Builder *b, ThVar *x);
/* x with exactly this type: cast, and dimensions promised to be 1 or no longer. */
ThVar *scan_fit(Builder *b, ThVar *x, ThType t);

/*
 * scan_heavy.c: values of the body that hold products its states need, and that dx (per argument, or NULL) would
 * compute again; not what only those among `have` are computed from. Then the lengths, rows first, of collecting them.
 */
bool scan_heavy(ThContext *c, const GraphBody *body, ThVar *const *dx, ThVar *const *have, int nhave, VarVec *heavy);
bool scan_row_shapes(Builder *b, const ThApply *node, const Scan *s, ThVar *const *row, int n, VarVec *shape);

bool scan_lower(Lower *l);
void scan_grad(Grad *g);
bool scan_rop(Rop *r);
bool scan_batch(Batch *q);

#endif
