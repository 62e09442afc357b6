/*
 * function.h -- private to the call path: compiled function and workspaces.
 * A ThFunction is immutable but for its list of idle workspaces and the defaults of its inputs; one workspace serves
 * one call at a time.
 */
#ifndef TH_FUNCTION_H
#define TH_FUNCTION_H

#include "runtime/interp/unit.h"
#include "together.h"

#include <stdatomic.h>

typedef struct Profile Profile;
typedef struct Versions Versions;
typedef struct Tune Tune;
typedef int UnitRun(ThFrame *f);

typedef struct FnCell { /* the default of an input, which inputs of several functions may share */
    atomic_int refs;
    atomic_flag busy; /* while the value is read or exchanged */
    ThArray *value;   /* or NULL; ours alone unless borrowed */
    Lock lock;        /* one call at a time where it has a new value after each call */
} FnCell;

typedef struct FnIn {
    ThVar *var;       /* the user's variable, retained */
    const char *name; /* interned or NULL */
    FnCell *cell;
    ThType type;
    bool mutable_, borrow, strict, implicit;
    int8_t allow_downcast;
} FnIn;

/* A buffer of results that the call provides (BUF_OUTPUT, not late). */
typedef struct FnOut {
    int buf;
    int scalar;  /* the result without dimensions that has it for itself, or -1 */
    int result;  /* the only result that lies in it, or -1 */
    bool borrow; /* only borrowed results lie in it: the memory of the last call serves again */
    bool kept;   /* no update and no state lies in it: a bound call uses it again and again */
} FnOut;

enum { FORM_DIMS = 4 };
typedef struct Form { /* the header of a result or update that has its memory for itself, for the sizes of the signature
                       */
    bool there;
    uint8_t flags;
    int64_t size, at; /* at: bytes from where the buffer begins to the first element */
    int64_t dims[2 * FORM_DIMS];
} Form;

typedef struct Left { /* arrays that a host call left to later ones of the same call */
    ThArray **at;
    int n;
} Left;

typedef struct Workspace {
    ThFrame frame;
    struct Workspace *next;
    int64_t *sig;  /* signature of the last call: extents and strides of arguments, sizes given as values, stamps */
    bool looked;   /* one of these is there, and polls look at them: */
    int64_t until; /* base_now() after which the running call stops; 0: none */
    void (*yield)(void *to); /* asked before every step and turn while the call goes in slices (step.c), or NULL */
    void *yield_to;
    int passed;      /* polls that go without asking from now on */
    bool given_up;   /* the call is to stop: its ThCall is released between two slices */
    bool valid;      /* sig, sym, offset and arena hold for it */
    bool fixed;      /* ..and no step finds a size */
    bool values;     /* this call: results without dimensions go to cells, not to arrays */
    bool bound;      /* belongs to a ThCall */
    bool over;       /* the call was given up: what it needs exceeds the function's memory */
    bool renewed;    /* sizes or memory of results changed since the last call that went through */
    int64_t *offset; /* of TEMP buffers in the arena */
    void *layout_work;
    size_t layout_bytes;
    char *arena;
    size_t arena_bytes, scratch_bytes, packing; /* packing: of scratch, what products pack into */
    bool alone;                                 /* it holds what one thread packs.. */
    int64_t pack_room;                          /* ..or no more than this (GemmArgs.room); 0: what is fastest */
    int64_t base;             /* bytes that are planned for these sizes: all but what a run asks for */
    int64_t rounding;         /* of it what results take beyond their bytes: their memory comes in classes of sizes */
    int64_t late_bytes;       /* asked for by this call for buffers whose sizes it found */
    atomic_int_fast64_t held; /* asked for by runs: those, rooms, packed, panels of weights */
    bool went;                /* a call with these sizes has gone through: it has the room that it needs */
    ThArray **arg;            /* arguments of the running call, after filtering; retained */
    ThArray **number;         /* by input without dimensions: where numbers given for it are put */
    ThArray **result;         /* output and update arrays of the running call */
    Form *form;               /* by output, then update */
    ThBuffer **outbuf;        /* by plan buffer, for BUF_OUTPUT */
    ThBuffer **keep;          /* by FnOut: the memory given last time, when it may serve again */
    ThArray **borrowed;       /* by output: the array given last time, when its memory may serve again */
    size_t *most;             /* by output: bytes that the host has room for (th_call_into), 0: any; or NULL */
    ThComplex128 *cell;       /* by FnOut: a result without dimensions */
    ThFunction *fn;
    char *room[HOST_SHARES + 1]; /* working memory of host calls, grown as asked for */
    size_t room_bytes[HOST_SHARES + 1];
    bool late_products; /* a product has lengths that a step finds: it packs into `packed`, grown as needed */
    char *packed;
    size_t packed_bytes;
    char *lent; /* the host's memory, in which all of the above are pieces (th_call_arena); NULL: the context's */
    size_t lent_bytes, lent_used;
    struct Pack *pack; /* weights that stay packed (packs.c) */
    int npack;
    /* versions.c; unused where the function has none */
    int64_t *known;            /* by slot: what a version for this signature knows */
    UnitRun *version;          /* serves this signature instead of the function's unit, or NULL */
    int64_t wait, waited;      /* calls until versions_ask; where the count began */
    uint64_t key;              /* of known */
    double gain;               /* nanoseconds of one call that a version is worth */
    uint64_t lengths;          /* tune.c: of the signature */
    Unit *timed;               /* what does the steps of this call, each timed, or NULL */
    LockHold hold;             /* while code of the host runs */
    struct Launches *launches; /* launch.c: of a function on a device, or NULL */
    Together together;         /* do threads help with these lengths? */
    Left *left;                /* by host call */
    int nleft;                 /* how many of them hold something */
    atomic_bool early;         /* a product or a host call ended before its work was done (ctx_leaves) */
    char host_text[400];       /* why a host call failed; "" when it gave no text */
} Workspace;

/* A host call by the services of a device: where the buffer of each operand (inputs, then results) begins there. */
typedef struct HostSide {
    const HostServices *lib;
    struct GpuCall *gpu;
    char *base[2 * TH_MAX_NDIM];
    const char *head[2 * TH_MAX_NDIM]; /* likewise on the host, of inputs that are sparse matrices; or NULL */
} HostSide;
/* side: NULL for the host's own; nonzero with the frame's error. */
int workspace_host_call(ThFrame *f, int step, const HostSide *side);

struct ThFunction {
    atomic_int refs;
    ThContext *ctx;
    Plan *plan;
    Unit *unit;
    _Atomic(UnitRun *) run; /* the unit's; NULL: the interpreter serves */
    atomic_bool building;   /* the unit may still come: asked for between calls */
    Versions *versions;     /* units for the lengths it is called with, or NULL */
    Tune *tune;             /* units for candidates of its kernels, or NULL */
    InterpUnit *interp;     /* always there: stepping, first tier, no compiler */
    FGraph *fg;
    FnIn *in;
    int nin;
    bool *sole;               /* by plan buffer: exactly one result or update lies in it */
    int *in_buf, *shared_buf; /* plan buffers of arguments and shareds */
    bool *turns;              /* by shared: packs_turns */
    bool *out_borrow;
    int nout;
    FnOut *out;
    int nprovided; /* entries of out */
    bool moving;   /* a result lies in a shared's storage or in a buffer of late size: described at every call */
    bool lent;     /* a result lies in an argument */
    bool any_mutable, any_written;
    uint8_t minds; /* BUFFER_*: of arguments and shareds, what its calls cannot take as it is */
    int *state_in; /* see FunctionSpec */
    int nstate;
    void *recipe;
    void (*recipe_free)(ThContext *c, void *recipe);
    CallWatch watch;
    const char *name;
    int nsig;               /* words of a signature */
    bool internal, checked; /* see FunctionSpec */
    int *locks;             /* shareds in the one order in which everybody locks them */
    bool verbose;
    bool timed;       /* calls may take so much time only (ThLimits.seconds when it was made) */
    bool gc;          /* the memory of temporaries goes back after each call */
    Profile *profile; /* or NULL */
    int64_t memory;   /* see FunctionSpec */
    ThFunction *(*fit)(ThFunction *f, ThArray *const *arg);
    _Atomic(ThFunction *) lean; /* what serves instead of this one since a call exceeded the memory, or NULL */
    atomic_int_fast64_t planned;
    atomic_int_fast64_t beyond,
        rounding;    /* of a call that was over its memory: what steps asked for, and its results' */
    int64_t reserve; /* left by what products pack into, for steps: `beyond` of the function before */
    struct { /* for advice: how often lengths were others than at the call before; arguments that were copied, and which
              */
        atomic_llong lengths, strided, aliased;
        atomic_ullong args;
    } habits;
    atomic_bool trust;
    Workspace *idle;
    atomic_flag lock;   /* of the idle list */
    atomic_flag asking; /* a thread looks for the unit */
    FnCell **states;    /* of inputs with new values after each call, by address */
    bool calls_back;    /* it runs code of the host.. */
    Lock **held;        /* ..which may not wait for these: of its shareds and states */
    bool *held_to_write;
    int nheld;
};

ThArray *function_value(FnCell *c);                    /* a reference, or NULL */
ThArray *function_exchange(FnCell *c, ThArray *value); /* the old one */

Workspace *workspace_take(ThFunction *f);
void workspace_give(ThFunction *f, Workspace *w);
void workspace_free(Workspace *w);
/* The function that serves calls of f. */
static inline ThFunction *function_newest(const ThFunction *f) {
    for (ThFunction *g; (g = atomic_load_explicit(&((ThFunction *)f)->lean, memory_order_acquire));) f = g;
    return (ThFunction *)f;
}
/* After a call that was over its memory: the function that serves from now on, or NULL with the error set. */
ThFunction *function_fit(ThFunction *f, ThArray *const *arg);
void workspace_lock(ThFunction *f);
void workspace_unlock(ThFunction *f);
/* Pieces of memory, aligned by 64, which last until they are dropped; NULL with the error set. */
void *workspace_memory(Workspace *w, size_t bytes);
void workspace_drop(Workspace *w, void *p, size_t bytes);
size_t workspace_bytes(Workspace *w);                                    /* of all pieces, in whole cache lines */
bool workspace_grow(Workspace *w, char **at, size_t *have, size_t need); /* a piece whose contents may go */
/* The same while steps run, counted; from any thread. False with the error set: no memory, or more than the limit. */
bool workspace_more(Workspace *w, char **at, size_t *have, size_t need);
bool workspace_may(Workspace *w, int64_t more); /* ..and counted alone */
/* Counts what these sizes need, `arena` bytes of temporaries among it; within a limit products pack into less. False:
 * it is over. */
bool workspace_fits(Workspace *w, int64_t arena);
int64_t workspace_registers(const ThFunction *f); /* bytes of the scratch before what products pack into */
/* Bytes that the products of a plan pack into, at most, with these sizes. late: there is one whose sizes a step finds.
 */
typedef struct Packing {
    const int64_t *sym;
    bool alone, late;
    int64_t room; /* as in GemmArgs */
} Packing;
size_t workspace_packing(const Plan *p, Packing *q);
/* All pieces move to the host's memory, or back (NULL); false with the error set: there is too little. */
bool workspace_lend(Workspace *w, void *memory, size_t bytes);
void workspace_addresses(Workspace *w); /* of temporaries and constants, after that */
/* Sizes, layout and memory for the arguments in w->arg; nonzero on error. Cheap when nothing changed. */
int workspace_prepare(Workspace *w);
/* The next call of a bound workspace would find everything as the last one did. */
bool workspace_steady(Workspace *w);
void workspace_drop_left(Workspace *w);          /* after the steps of every call */
ThArray *workspace_array(Workspace *w, int buf); /* what an INPUT, SHARED or CONST buffer is */
/* a: of array_reserve; the described value, of output or update number `form` */
void workspace_fill(Workspace *w, const PlanValue *v, int form, ThArray *a);
void report_failure(Workspace *w); /* frame.err -> the context's error */
void report_check(Workspace *w, int check, const ShapeEnv *e);
void report_op(Text *t, const char *text);         /* a node's text without its operands */
void storage_map(Text *t, Workspace *w, int step); /* storage.c */
int report_largest(const Workspace *w);            /* the step that makes the largest temporary, or -1 */
void report_no_room(Workspace *w, int buf);        /* MemoryError: what lies in buf does not fit; -1: all temporaries */
/* MemoryError with these words, about what lies in buf (-1: all temporaries), and what would take less; false. */
bool report_room(Workspace *w, int buf, const char *format, ...) TH_PRINTF(3, 4);

/* ---- call.c ---- */
typedef struct CallArgs { /* arrays, or args of any kind; the other one NULL */
    ThArray *const *arrays;
    const ThArg *args;
    int n;
} CallArgs;
void call_begin(ThFunction *f); /* an interruption before the call is none of its business */
bool call_arguments(ThFunction *f, Workspace *w, const CallArgs *a);
bool call_run(ThFunction *f, Workspace *w);     /* locks held: memory and headers of results and updates, steps */
bool call_reserve(ThFunction *f, Workspace *w); /* headers of results and updates */
bool call_steps(ThFunction *f, Workspace *w);   /* the steps alone */
bool call_lock(ThFunction *f); /* of shareds; false with the error set: code that a call runs asks for what it holds */
void call_unlock(const ThFunction *f);
bool call_lock_state(ThFunction *f); /* the same of inputs with new values after each call */
void call_unlock_state(ThFunction *f);
void call_commit(ThFunction *f, Workspace *w);
void call_clean(ThFunction *f, Workspace *w, bool arguments); /* what a call leaves behind */

/* ---- profile.c ---- */
void profile_call(ThFunction *f, int64_t start, bool ok);

/* ---- filter.c ---- */
typedef struct Filter { /* what a value must fit, and for whom */
    ThContext *ctx;
    ThFunction *f; /* argument i of f, or */
    int i;
    const ThVar *var; /* a value of this variable */
    ThType type;
    bool strict, writeable;
    int8_t allow_downcast;
} Filter;
Filter filter_of(ThFunction *f, int i);
ThArray *filter_array(ThFunction *f, int i, ThArray *a); /* new reference, or NULL with the error set */
/* A number as one element of the type at `cell`: false without an error when it is not held exactly. */
bool filter_number(const Filter *q, const ThArg *number, void *cell);
ThArray *filter_value(const Filter *q, const ThArg *value);

#endif
