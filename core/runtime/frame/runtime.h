/*
 * runtime.h -- compiled functions at work: checks, frame, arena, steps, commit; the interpreter of plans; eager calls.
 * A function is immutable and refcounted; each caller has a workspace (frame + arena), taken from a lock-free list.
 */
#ifndef TH_RUNTIME_H
#define TH_RUNTIME_H

#include "kernel/draw_work.h"
#include "plan/plan.h"

/* ---- frame: what steps see. The first fields are known to generated code (rt.h text); append only. ---- */
typedef struct ThRt ThRt;
typedef struct ThFrame {
    char **buf;   /* base address of each plan buffer */
    int64_t *sym; /* shape slots */
    const ThRt *rt;
    void *scratch;    /* GEMM packing, host calls */
    int64_t err[8];   /* {step, node, kind, n, v0..v3}: written by a failing step */
    const Plan *plan; /* ours from here on */
    struct Workspace *ws;
} ThFrame;

/* Everything a generated unit may call besides libm and mem*: versioned, append-only. */
#define TH_RT_ABI 8
/* c = beta c + alpha a.b: a is m x k, b k x n, c m x n; strides (row, column) in elements. */
typedef struct RtProduct {
    int64_t dtype, m, n, k; /* dtype: ThDtype */
    const void *a, *b;
    void *c;
    int64_t as[2], bs[2], cs[2];
    double alpha, beta;
    /* When these points of c are complete, from any thread; or NULL. */
    void (*done)(void *user, int64_t row0, int64_t row1, int64_t col0, int64_t col1);
    void *user;
    /* Loops around it that are part of the call: {a, b, c, n}, n turns of so many elements each; without `done`. */
    int64_t turns;
    const int64_t (*turn)[4];
} RtProduct;
struct ThRt {
    uint32_t abi, size;
    int (*gemm)(ThFrame *f, const RtProduct *p); /* scratch is frame->scratch */
    int (*host_call)(ThFrame *f, int step);
    int (*size_step)(ThFrame *f, int first, int n); /* STEP_SIZE */
    int (*late_alloc)(ThFrame *f, int buf);
    int (*poll_interrupt)(ThFrame *f); /* nonzero: stop with Interrupted */
    int (*fail)(ThFrame *f, int step, int kind, int n, int64_t v0, int64_t v1, int64_t v2, int64_t v3); /* returns 1 */
    void (*parallel_for)(ThFrame *f, int n, void (*fn)(int i, void *user), void *user);
    /* a STAGE_CONV; pool: the STAGE_POOL that it feeds, or NULL; then before some images are computed *at becomes where
     * the first of all would lie */
    int (*conv)(ThFrame *f, int step, const CallWork *conv, const CallWork *pool, char **at);
    int (*pool)(ThFrame *f, int step, const CallWork *pool); /* a STAGE_POOL that no convolution feeds */
    int (*draw)(ThFrame *f, int step, const CallWork *draw, RandomDone done, void *user); /* a STAGE_DRAW */
};
extern const ThRt th_rt;

/* What a backend made of a plan: run(frame) executes all regions in order; step does the one of that number. */
typedef struct Unit {
    int (*run)(ThFrame *f); /* NULL while it is being built */
    /* NULL: it is there. Else asked between calls and steps, by one thread at a time, which waits so many milliseconds
     * at most: 0 not yet, 1 run is there now, -1 it will not be. */
    int (*poll)(struct Unit *u, int ms);
    int (*step)(ThFrame *f, int number); /* or NULL */
    void (*release)(struct Unit *u);
    char *source;       /* for ccode; may be NULL */
    size_t built;       /* bytes of it that a compiler beside the calls gets: less what the library has */
    atomic_llong spent; /* nanoseconds that threads worked in calls while it was being built */
    void *impl;
    struct Device *device;       /* that it runs on: buffers may live there; NULL: it runs on the host */
    const struct Places *places; /* which of its steps run there (plan/place.h), or NULL */
} Unit;

/* A unit for calls where slot i has the value known[i] (INT64_MIN: any; NULL: none is known) and kernel k runs by its
 * candidate[k] (NULL: by what costs least), built beside the calls; or NULL. */
typedef Unit *MakeVersion(ThContext *c, const Plan *p, const int64_t *known, const uint8_t *candidate);

/* ---- interp.c (runtime/interp/unit.h): the same plan without a compiler, on simd.h's block kernels: one per (scalar
 * op, dtype), one table per ISA ---- */

/* ---- function.c ---- */
typedef struct FunctionTimes { /* nanoseconds of making it */
    int64_t ns_compile, ns_optimizer, ns_plan, ns_build;
} FunctionTimes;
int64_t profile_now(void);              /* monotonic nanoseconds */
bool profile_wanted(const ThFrame *f);  /* a call whose steps are timed: these go through.. */
int profile_step(ThFrame *f, int step); /* ..this, which runs one and keeps its time */
/* Looks at the arguments before the steps of every call, all locks held; false: the call fails. */
typedef struct CallWatch {
    void *user;
    bool (*call)(void *user, ThArray *const *arg); /* NULL: nobody looks */
    void (*free)(ThContext *c, void *user);
} CallWatch;
typedef struct FunctionSpec { /* what core/compile/compile.c hands over; the function retains or copies all of it */
    Plan *plan;
    Unit *unit;           /* NULL: interpreter */
    MakeVersion *version; /* of units for the lengths of calls; NULL: there are none */
    MakeVersion *tune;    /* of units for candidates: so many are timed, of the ways that there are of each kernel */
    bool (*candidates)(ThContext *c, const Plan *p, uint8_t *n);
    int autotune;
    FGraph *fg; /* owned: inspection (toposort, debugprint) */
    const ThIn *in;
    int nin;
    const ThOut *out;
    int nout;
    const char *name;
    const int *state_in; /* output nout + k of the plan is the new value of input state_in[k] */
    int nstate;
    void *recipe; /* what copies are made from; taken over when the function is made */
    void (*recipe_free)(ThContext *c, void *recipe);
    CallWatch watch; /* taken over when the function is made */
    int8_t allow_input_downcast;
    bool exception_verbose, profile, gc;
    FunctionTimes times;
    int64_t memory; /* ThCompile.memory; fit: a function like f that takes less with these arguments, or NULL with the
                       error set; the call goes there from then on */
    ThFunction *(*fit)(ThFunction *f, ThArray *const *arg);
    bool internal; /* owned by the context itself: does not retain it, has no user variables */
    bool checked;  /* HostCall.checked of its calls */
} FunctionSpec;
ThFunction *function_new(ThContext *c, const FunctionSpec *s);
FGraph *function_fgraph(ThFunction *f);
const Plan *function_plan(ThFunction *f);
Unit *function_unit(ThFunction *f);
const void *function_recipe(ThFunction *f);
/* What is known of the lengths of the last call: the slots, p->nsym of them (ctx_free), or NULL: there was none, or
 * memory is out. */
int64_t *function_sizes(ThFunction *f);
/* How it is called: how often lengths were others than at the call before, how many arguments were copied since they
 * are in no row order or share memory with what is written, and which (a bit each, the last one for all from 63 on). */
typedef struct FunctionHabits {
    int64_t lengths, strided, aliased;
    uint64_t args;
} FunctionHabits;
FunctionHabits function_habits(const ThFunction *f);
const char *function_step_by(const ThFunction *f, int i); /* who ran it: Gpu, C, Interp, Lib; of a profiled function */
/* What one turn of a step does with these slots; negative: unknown. */
typedef struct StepWork {
    double flops, bytes; /* operations on elements; bytes that memory must give or take at least.. */
    double written;      /* ..of which are written */
    double moved;        /* by a GPU's threads, by 32 bytes at a time */
} StepWork;
StepWork work_of_step(const Plan *p, int step, const int64_t *sym);
struct GridKernel;
struct Nest; /* one of the kernel's */
StepWork work_of_launch(const Plan *p, int step, const int64_t *sym, const struct GridKernel *g,
                        const struct Nest *nest);

uint8_t function_candidate(const ThFunction *f, int kernel); /* by which it runs since it was tuned */

/* ---- eager.c: one-node plans on the interpreter's kernels, cached by (op, dtypes, layout class, attributes) ---- */
/* Values of one Apply on arrays; also constant folding (OptEval). out: new references. Nonzero on error. */
int eager_apply(ThContext *c, ThApply *node, ThArray *const *in, ThArray **out);
/* The same in DebugMode: HostCall.checked. */
int eager_apply_checked(ThContext *c, ThApply *node, ThArray *const *in, ThArray **out);

#endif
