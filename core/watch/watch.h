/*
 * watch.h -- private to core/watch, which wraps the compile: functions whose calls are looked at node by node
 * (DebugMode, NanGuardMode, MonitorMode). In: what the compile does to a graph. Out: a record of it as ordinary user
 * nodes, which is evaluated on the values of every call before the function itself runs; what is wrong is the call's
 * error, and nothing has changed then. Always holds: watching writes neither arguments nor shared variables.
 */
#ifndef TH_WATCH_H
#define TH_WATCH_H

#include "compile/compile.h"

/* A rewrite: users of `old` took new_. Both are copies made when the nodes were, so that later rewrites of what lies
 * below do not change what the two compute. */
typedef struct WatchEvent {
    const char *rule;
    ThVar *old, *new_;
    bool loose; /* the rule is there because `old` is inaccurate */
    bool host;  /* no rewrite: `old` is computed by the perform of an operation that has a graph too */
} WatchEvent;

typedef struct WatchGraph WatchGraph;
typedef struct WatchInner { /* the body of a loop or branch of the optimized graph */
    const ThApply *node;    /* of the FGraph; once sealed, its copy */
    int body;
    WatchGraph *graph;
} WatchInner;

struct WatchGraph {
    ThContext *c;
    FGraph *fg;            /* being optimized; NULL once sealed */
    Text *log;             /* a line for each rewrite, or NULL */
    bool bare;             /* nothing is kept but the log */
    Builder b;             /* owns the copies */
    VEC(ThVar *) copy;     /* by id of the FGraph's variables, made when they were; or NULL */
    VEC(ThVar *) last;     /* by id: as they are computed in the end */
    VarVec first;          /* the outputs as they were computed at first */
    VEC(WatchEvent) event; /* in the order of the rewriting */
    VarVec in, out;        /* leaves, outputs */
    ApplyVec node;         /* the optimized graph in the order of its schedule */
    ApplyVec all;          /* those and what was replaced, inputs first */
    VEC(int) place;        /* by entry of `all`: 1 + place in `node`, or 0 */
    Map number;            /* variable -> its value's place in a WatchCall */
    int nvalue;
    VEC(WatchInner) inner;
    VarVec held; /* variables of the user's that events name */
    /* the nodes side by side in one function of generated C: what goes in, and which nodes */
    ThFunction *apart;
    bool apart_tried;
    VarVec apart_in;
    ApplyVec apart_node;
};

/* One evaluation. */
typedef struct WatchCall {
    ThWatch *w;
    WatchGraph *g;
    ThArray **value;               /* by WatchGraph.number; NULL: not available */
    const struct WatchCall *outer; /* of a body: the graph around it */
    const ThApply *within;         /* the loop or branch */
    int64_t step;                  /* turn of the loop; -1: a branch */
    bool lost;                     /* a node of the optimized graph failed: the function itself will tell why */
} WatchCall;

/* What a function keeps. */
typedef struct WatchFunction {
    ThWatch *w;
    WatchGraph *root;
    Text log;          /* DebugMode, while it is compiled: the rewrites, line by line */
    VarPairs pairs;    /* DebugMode, while it is compiled: facts to check that no graph took yet */
    ThFunction *whole; /* DebugMode: all of it in generated C, shareds being arguments */
    VarVec shared;     /* its arguments after the function's own */
    VEC(bool) writes;  /* by argument: it is overwritten */
} WatchFunction;

/* record.c */
WatchGraph *watch_graph(ThContext *c, Text *log, bool bare);
bool watch_attach(WatchGraph *g, FGraph *fg); /* before the optimization */
bool watch_pairs(WatchGraph *g, VarPairs *p); /* takes them over as facts to check */
WatchGraph *watch_inner(WatchGraph *g, const ThApply *node, int body);
bool watch_seal(WatchGraph *g); /* after it: this graph's copies, and its bodies' */
void watch_graph_free(WatchGraph *g);

/* watch/eval.c: false with the error set when something is wrong. in: values of g->in; out: new references, or NULL */
bool watch_eval(const WatchCall *at, ThArray *const *in, ThArray **out);
ThArray *watch_value(const WatchCall *k, const ThVar *v);
/* Apart of results that the operation leaves undefined get always the same contents. */
bool watch_clear(ThContext *c, const ThApply *a, ThArray *const *in, ThArray *const *out);

/* watch/debug.c, watch/guard.c: what is said of values */
bool watch_debug_again(const WatchCall *k, ThApply *a, ThArray *const *in, ThArray *const *out);
bool watch_debug_graph(WatchCall *k);
bool watch_debug_loop(const WatchCall *k, ThApply *a, ThArray *const *planned, ThArray *const *stepped);
bool watch_debug_whole(WatchFunction *f, const WatchCall *k, ThArray *const *arg, ThArray *const *out);
bool watch_guard_value(const WatchCall *k, const ThVar *v, const ThArray *a);
bool watch_monitor(const WatchCall *k, bool after, int i, ThApply *a, ThArray *const *in, ThArray *const *out);
void watch_where(Text *t, const WatchCall *k); /* "In step 3 of for{cpu,scan_fn}, made at rnn.lua:12" */
void watch_line(Text *t, const char *before, Prov p);

#endif
