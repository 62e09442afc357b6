/*
 * opt.h -- optdb: rewrites an FGraph in place, pass by pass in Theano's positions.
 * In: a FunctionGraph as the user wrote it. Out: the same values computed better; fg->order is the schedule that the
 * planner keeps; APPLY.destroys says what is overwritten. dtype and broadcast pattern of every value are kept exactly.
 */
#ifndef TH_OPT_H
#define TH_OPT_H

#include "graph/op.h"

/* Values of one node on arrays, for constant folding (opt may not see the runtime, whose eager_apply this is). out: new
 * references. Nonzero on error. */
typedef int (*OptEval)(ThContext *c, ThApply *node, ThArray *const *in, ThArray **out);

/* Who looks on while they run; times in nanoseconds of the processor. */
typedef struct OptLook {
    void *user;
    void (*pass)(void *user, const char *name, double position, int64_t ns); /* it has run */
    void (*rule)(void *user, const char *name, int64_t ns, bool fired);      /* it was tried on a node */
} OptLook;

/* Which passes and rules run: a base query and added, removed, required tags or names (":"-separated, may be NULL). */
typedef struct OptSpec {
    const char *optimizer; /* "fast_run" "o4" .. "o1" "fast_compile" "stabilize" "unsafe" "merge" "None" */
    const char *including, *excluding, *requiring;
    double from, until;  /* positions of the first and the last pass; 0: all. The schedule is always made */
    bool verify;         /* graph_verify after each pass (debug builds: always) */
    OptEval eval;        /* NULL: only casts and views of constants are folded */
    const OptLook *look; /* or NULL */
} OptSpec;
bool opt_run(FGraph *fg, const OptSpec *spec);
/* Only the passes or rules named in `passes` (":"-separated), for goldens; "" runs none, still schedules. */
bool opt_run_named(FGraph *fg, const char *passes, OptEval eval);
/* A line for each rule: its name and how often it changed a graph since the context was made. */
bool opt_fired(Text *t, ThContext *c);
/* Without a schedule and in-place passes, on a graph that stays in the user's hands. query: as opt_summary's, or
 * "=name:name" for those passes and rules alone. */
bool opt_run_own(ThRewriteCall *r, const char *query, OptEval eval);
bool opt_run_query(FGraph *fg, const char *query, OptEval eval);
/* As print_summary: position, pass, its rules. query: "fast_run +tag -tag &tag @phase". */
bool opt_summary(Text *t, ThContext *c, const char *query);
/* All there is, whatever a query says: "pass POSITION NAME TAGS own|user", its rules after it: "rule NAME TAGS ..". */
bool opt_table(Text *t, ThContext *c);
/* Is it a rule that makes results more accurate, so that what it replaces may be far off? */
bool opt_stabilizes(ThContext *c, const char *rule);
/* May stop with an error that the shape checks before the run do not find. */
bool schedule_can_fail(const ThApply *a);
/* ..or for want of memory: no update comes before it where another order will do. */
bool schedule_can_stop(const ThApply *a);

#endif
