/*
 * compile.h -- private to core/compile/compile.c and its helpers: one compile's working state.
 */
#ifndef TH_COMPILE_H
#define TH_COMPILE_H

#include "runtime/frame/backend.h"
#include "ops/table/ops.h"
#include "opt/engine/opt.h"

typedef struct WatchFunction WatchFunction;
typedef struct WatchGraph WatchGraph;

typedef struct Compile {
    ThContext *ctx;
    const ThCompile *spec;
    VarVec in;         /* declared inputs, borrowed */
    VarVec out;        /* outputs, new values of inputs, update expressions; references */
    VarVec update_of;  /* shareds, borrowed */
    VEC(int) state_in; /* inputs that have a new value after each call */
    int nout;          /* outputs and new values of inputs */
    OptSpec opt;
    char *including, *excluding, *requiring; /* th_free */
    bool interpret;                          /* the linker wants no C */
    bool nogc;                               /* it keeps temporaries whatever allow_gc says */
    PlanIo *io_in, *io_out;
    ThWatch *watch;  /* retained; NULL: calls are not watched */
    Text *log;       /* DebugMode: the rewrites, line by line */
    struct Fit *fit; /* the plan is to take less memory; NULL: any will do */
    int64_t start;   /* profile_now of the beginning */
    FunctionTimes times;
} Compile;

/* check.c: what the user asked for makes sense; false with Theano's kind of error. */
bool compile_inputs(Compile *k);
bool compile_updates(Compile *k);
bool compile_givens(Compile *k); /* and, with them, default updates (state.c) */
bool compile_default_updates(Compile *k, const VarVec *from, const VarVec *to);
bool compile_update_type(Compile *k, const ThVar *s, const ThVar *e);
/* Inputs cut the graph off before replacements are made: they are replaced by themselves. */
bool compile_keep_inputs(Compile *k, VarVec *from, VarVec *to);
bool compile_clone(Compile *k, const VarVec *from, const VarVec *to, bool strict); /* replaces in all of `out` */
/* copy.c: what a copy of the function is made from */
typedef struct Recipe Recipe;
Recipe *compile_recipe(const Compile *k);
void compile_recipe_free(ThContext *c, void *recipe);
/* inner.c: bodies of loops and branches, optimized and attached; g: what records them, or NULL */
bool compile_inner(FGraph *fg, const OptSpec *spec, WatchGraph *g);
/* compile.c: the user's DAG as a private FunctionGraph; its optimization, recorded by g; text: with the result, or NULL
 */
FGraph *compile_graph(Compile *k);
bool compile_rewrite(Compile *k, FGraph *fg, WatchGraph *g, Text *text);
/* compile.c: the rest of th_compile once inputs, outputs and updates stand in k; k->spec gives names and flags */
/* An interruption that came before is over; from here on it ends the C compiler. */
void compile_begin(ThContext *c);
ThFunction *compile_finish(Compile *k);
void compile_forget(Compile *k);
/* copy.c: the lists of k from what f was made from; false with the error set. options: as th_function_copy's */
bool compile_from(Compile *k, const ThFunction *f, const ThCopy *options);
bool compile_defaults(ThFunction *from, ThFunction *to);
const ThCompile *compile_spec_of(const ThFunction *f);
/* fit.c: values are computed again until the plan keeps the limit of memory */
typedef enum { FIT_FAILED, FIT_AGAIN, FIT_DONE } FitState;
void compile_fit_begin(const struct Fit *t, FGraph *fg);
FitState compile_fit(Compile *k, FGraph *fg, const Plan *plan);
ThFunction *compile_lean(ThFunction *f, ThArray *const *arg); /* FunctionSpec.fit */
bool compile_used(Compile *k);
/* mode.c: mode, linker, optimizer and tags -> k->opt, k->interpret */
bool compile_mode(Compile *k);
void compile_mode_free(Compile *k);

#endif
