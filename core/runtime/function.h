/*
 * function.h -- private to the call path: compiled function and workspaces.
 * A ThFunction is immutable but for its list of idle workspaces; one workspace serves one call at a time.
 */
#ifndef TH_FUNCTION_H
#define TH_FUNCTION_H

#include "interp_unit.h"

#include <stdatomic.h>

typedef struct FnIn {
    ThVar *var;       /* the user's variable, retained */
    const char *name; /* interned or NULL */
    ThArray *value;   /* default, or NULL */
    ThType type;
    bool mutable_, borrow, strict, implicit;
    int8_t allow_downcast;
} FnIn;

typedef struct Workspace {
    ThFrame frame;
    struct Workspace *next;
    int64_t *sig;    /* signature of the last call: extents and strides of arguments, sizes given as values, stamps */
    bool valid;      /* sig, sym, offset and arena hold for it */
    int64_t *offset; /* of TEMP buffers in the arena */
    void *layout_work;
    size_t layout_bytes;
    char *arena;
    size_t arena_bytes, scratch_bytes;
    ThArray **arg;      /* arguments of the running call, after filtering; retained */
    ThArray **result;   /* output and update arrays of the running call */
    ThBuffer **outbuf;  /* by plan buffer, for BUF_OUTPUT */
    ThArray **borrowed; /* by output: the array given last time, when borrowed */
    ThFunction *fn;
    char *room; /* working memory of host calls, grown as asked for */
    size_t room_bytes;
    char host_text[256]; /* why a host call failed; "" when it gave no text */
} Workspace;

struct ThFunction {
    atomic_int refs;
    ThContext *ctx;
    Plan *plan;
    Unit *unit;
    InterpUnit *interp; /* always there: stepping, first tier, no compiler */
    FGraph *fg;
    FnIn *in;
    int nin;
    bool *out_borrow;
    ThVar **out_var; /* the user's, retained */
    int nout;
    const char *name;
    int nsig;      /* words of a signature */
    bool internal; /* see FunctionSpec */
    int *written;  /* shareds that calls write, in the one order in which everybody locks them */
    int nwritten;
    bool verbose;
    _Atomic(Workspace *) idle;
    atomic_flag lock; /* of the idle list */
};

#define WORKSPACE_UNKNOWN INT64_MIN /* a size the shape program has not reached */
Workspace *workspace_take(ThFunction *f);
void workspace_give(ThFunction *f, Workspace *w);
void workspace_free(Workspace *w);
/* Sizes, layout and memory for the arguments in w->arg; nonzero on error. Cheap when nothing changed. */
int workspace_prepare(Workspace *w);
ThArray *workspace_array(Workspace *w, int buf); /* what an INPUT, SHARED or CONST buffer is */
/* An array header over a described value: a view of the buffer it lies in. New reference. */
ThArray *workspace_value(Workspace *w, const PlanValue *v);
void report_failure(Workspace *w); /* frame.err -> the context's error */
void report_check(Workspace *w, int check, int64_t a, int64_t b);
/* filter.c */
ThArray *filter_array(ThFunction *f, int i, ThArray *a); /* new reference, or NULL with the error set */

#endif
