/*
 * compile.h -- private to core/compile/compile.c, its helpers and what wraps them (watch.h): one compile's working
 * state.
 */
#ifndef TH_COMPILE_H
#define TH_COMPILE_H

#include "runtime/frame/backend.h"
#include "ops/table/ops.h"
#include "opt/engine/opt.h"

/* A mode that looks at every node of a call: what is asked for. watch.c serves it. */
struct ThWatch {
    atomic_int refs;
    ThContext *ctx;
    ThWatchSpec spec;
};

/* Machine code that came with a saved model: of the levels of x86-64 that were kept. at[i]: of level i + 2, or NULL. */
enum { NATIVE_FIRST = 2, NATIVE_LEVELS = 3 };
typedef struct NativeCode {
    const void *at[NATIVE_LEVELS];
    size_t n[NATIVE_LEVELS];
    bool any;
} NativeCode;

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
    bool profile;                            /* calls and steps are timed */
    bool tiers;                              /* the interpreter first, C between calls */
    PlanIo *io_in, *io_out;
    ThWatch *watch;           /* retained; NULL: calls are not watched */
    VarVec check;             /* what a loaded graph compares beside what it computes; borrowed */
    struct Fit *fit;          /* the plan is to take less memory; NULL: any will do */
    const NativeCode *native; /* that may be run; or NULL */
    int64_t start;            /* profile_now of the beginning */
    FunctionTimes times;
} Compile;

/* describe.c: `, "key": value`; a negative number is null */
void describe_int(Text *t, const char *key, int64_t v);
void describe_double(Text *t, const char *key, double v);
void describe_string(Text *t, const char *key, const char *v);
void describe_places(Text *t, Prov prov);

/* places.c: where the values of a function for a GPU are, for prints. */
typedef struct CompilePlaces {
    ThContext *ctx;
    const Plan *plan;
    uint8_t *node; /* by node of the plan */
    bool steers;
    Map at;   /* Apply or argument -> what is known of it */
    Map port; /* input of a loop -> where the body wants it */
    PrintPlaces print;
} CompilePlaces;
/* NULL: all is on the host, or an error is set. Freed in any case. */
const PrintPlaces *compile_places(CompilePlaces *p, ThFunction *f);
void compile_places_free(CompilePlaces *p);

/* What looks on while a function is compiled. */
typedef struct CompileWatch {
    void *user;
    VarPairs *pairs; /* operations with perform and a graph leave both here; the next `graph` may take them. Or NULL */
    /* fg, the whole graph or body number `body` of a node in the graph `of`, is about to be rewritten. What stands for
     * it as `of` later; NULL with the error set. */
    void *(*graph)(void *user, void *of, const ThApply *node, int body, FGraph *fg);
    bool (*rewritten)(void *user, FGraph *fg); /* all of it is; false with the error set */
    CallWatch calls;                           /* what the function keeps; its own once there is one */
} CompileWatch;

/* ---- compile.c: the way ---- */
/* k is filled in and checked; w: who looks on, or NULL. The steps that a watch takes again by itself: */
ThFunction *compile_function(Compile *k, const CompileWatch *w);
bool compile_write_out(ThContext *c, ThVar **outs, int n, ThVar *const *in, int nin, VarPairs *pairs);
FGraph *compile_graph(Compile *k);
bool compile_rewrite(Compile *k, FGraph *fg, const CompileWatch *w);
const Backend *compile_backend(ThContext *c); /* of the flag device */

/* ---- device.c ---- */
struct Device *compile_device(
    ThContext *c); /* of device=cuda; NULL after a log line, or with GpuError (force_device) */
Unit *compile_for_device(ThContext *c, const Plan *plan); /* NULL: the interpreter serves, or the error is set */
/* A request as a function: checked, then made by compile_function or by what wraps it. */
typedef ThFunction *CompileMake(Compile *k);
ThFunction *compile_request(ThContext *c, const ThCompile *spec, CompileMake *make);
/* A graph that was rewritten up to optdb's position `from` once, with what it compares beside what it computes, and
 * its machine code, or NULL. */
ThFunction *compile_optimized(ThContext *c, const ThCompile *spec, double from, const VarVec *check,
                              const NativeCode *native);
/* ---- ends.c ---- */
void compile_begin(ThContext *c); /* an interruption that came before is over; from here on it ends the C compiler */
void compile_forget(Compile *k);
bool compile_io(Compile *k); /* what the planner must know of arguments and results */
ThFunction *compile_hand_over(Compile *k, FGraph *fg, Plan *plan, Unit *unit, const CompileWatch *w);

/* check.c: what the user asked for makes sense, givens are put in their places; false with Theano's kind of
 * error. */
bool compile_check(Compile *k);
bool compile_default_updates(Compile *k, const VarVec *from, const VarVec *to); /* state.c */
bool compile_update_type(Compile *k, const ThVar *s, const ThVar *e);
/* Inputs cut the graph off before replacements are made: they are replaced by themselves. */
bool compile_keep_inputs(Compile *k, VarVec *from, VarVec *to);
bool compile_clone(Compile *k, const VarVec *from, const VarVec *to, bool strict); /* replaces in all of `out` */
/* copy.c: what a copy of the function is made from */
typedef struct Recipe Recipe;
Recipe *compile_recipe(const Compile *k);
void compile_recipe_free(ThContext *c, void *recipe);
/* inner.c: bodies of loops and branches, optimized and attached; of: what w says for fg, or NULL */
bool compile_inner(FGraph *fg, const OptSpec *spec, const CompileWatch *w, void *of);
/* copy.c: th_function_copy; the lists of k from what f was made from: false with the error set */
ThFunction *compile_copy(ThFunction *f, const ThCopy *o, CompileMake *make);
bool compile_from(Compile *k, const ThFunction *f, const ThCopy *options);
bool compile_defaults(ThFunction *from, ThFunction *to);
const ThCompile *compile_spec_of(const ThFunction *f);
/* fit.c: values are computed again until the plan keeps the limit of memory */
typedef enum { FIT_FAILED, FIT_AGAIN, FIT_DONE } FitState;
void compile_fit_begin(const struct Fit *t, FGraph *fg);
FitState compile_fit(Compile *k, FGraph *fg, const Plan *plan);
ThFunction *compile_lean(ThFunction *f, ThArray *const *arg); /* FunctionSpec.fit */
/* mode.c: mode, linker, optimizer and tags -> k->opt, k->interpret, k->tiers, k->watch */
bool compile_mode(Compile *k);
ThWatch *compile_watch_retain(ThWatch *w);
void compile_mode_free(Compile *k);

#endif
