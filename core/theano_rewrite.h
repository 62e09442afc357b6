/*
 * theano_rewrite.h -- the part of theano.h, which includes it, about rewrites of the user's. The rules of theano.h
 * hold.
 */
#ifndef THEANO_REWRITE_H
#define THEANO_REWRITE_H

/* ---- rewrites of the user's ------------------------------------------------------------------------------------- */
typedef struct ThRewriteCall ThRewriteCall; /* a rewrite being tried; valid during the call only */
/*
 * A rewrite sees the function being compiled as ordinary nodes: a local one the node and what lies a few levels below
 * it, a global one everything. What it builds from them (with th_build, th_op) is put into the function. It is a text
 * rule (before, after, only_if), or local, or global. Local: out[i] takes the place of the node's output i (new
 * references, NULL keeps it). Both return 1: done, 0: does not apply, -1: failed, th_rewrite_fail was called. A failure
 * is logged, or ends the compilation, as the flag on_opt_error says.
 */
typedef struct ThRewriteSpec {
    size_t size;                          /* see ThHost.size */
    const char *name;                     /* not yet in use; optimizer_excluding and others take it */
    const char *phases;                   /* "canonicalize:stabilize:specialize"; NULL: a pass of its own at.. */
    double position;                      /* ..this place (see th_optdb_summary) */
    const char *tags;                     /* "fast_run:mine" */
    const char *before, *after, *only_if; /* "log(1 + x)", "log1p(x)", "float(x)" or NULL */
    const char *ops;                      /* local: operations that it looks at, "log:Sum"; NULL: all */
    int (*local)(void *user, ThRewriteCall *r, ThApply *node, ThVar **out);
    int (*global)(void *user, ThRewriteCall *r);
    void (*release)(void *user); /* when the context ends or the rewrite is removed; may be NULL */
    void *user;
} ThRewriteSpec;
TH_API int th_rewrite_register(ThContext *c, const ThRewriteSpec *spec); /* nonzero on error: nothing was kept */
TH_API int th_rewrite_remove(ThContext *c, const char *name);
/* What th_apply_op_name says of nodes of an operation that may stand in a spec's ops; NULL: there is none. */
TH_API const char *th_rewrite_op(ThContext *c, const char *op);
TH_API ThContext *th_rewrite_context(const ThRewriteCall *r);
TH_API int th_rewrite_fail(ThRewriteCall *r, ThError kind, const char *text); /* -1 */
/* Global: the nodes in an order of computing; borrowed, the list is freed with th_free. Number, or -1. */
TH_API int th_rewrite_nodes(ThRewriteCall *r, ThApply ***nodes);
/* Inputs ('i') or outputs ('o', updates after them) of the function; borrowed, list freed with th_free. */
TH_API int th_rewrite_vars(ThRewriteCall *r, char which, ThVar ***vars);
/* Users of v: borrowed nodes (NULL: an output of the function) and input positions; lists freed with th_free. */
TH_API int th_rewrite_clients(ThRewriteCall *r, ThVar *v, ThApply ***nodes, int **positions);
TH_API ThVar *th_rewrite_shape(ThRewriteCall *r, ThVar *v, int d); /* length of dim d, int64 0-d, v not computed */
/* Global: every user of old uses new_ from now on. Types must be equal and new_ must not need old: else BadOptimization
 * and nothing has changed. */
TH_API int th_rewrite_replace(ThRewriteCall *r, ThVar *old, ThVar *new_, const char *reason);
/* The same for n pairs at once, each user ending where the chain of replacements ends: all are made or none is. */
TH_API int th_rewrite_replace_all(ThRewriteCall *r, const ThPair *pairs, int n, const char *reason);

/*
 * The graph of a rewrite can be asked and changed further. A change that cannot be made gives -1 with the error, and
 * the graph is as it was.
 */
/* The node as it is now, on its inputs of now, in *now (borrowed). 1: there; 0: no longer in the graph; -1: error. */
TH_API int th_rewrite_current(ThRewriteCall *r, ThApply *node, ThApply **now);
/* Input `pos` of the node (NULL: output `pos` of the graph) becomes v. */
TH_API int th_rewrite_change_input(ThRewriteCall *r, ThApply *node, int pos, ThVar *v, const char *reason);
/* Outputs as th_rewrite_vars gave them before: everything below them is built again as it was then. */
TH_API int th_rewrite_restore(ThRewriteCall *r, ThVar *const *out, int n);
TH_API int th_rewrite_merge(ThRewriteCall *r);  /* equal nodes and constants once; from now on as they are made */
TH_API int th_rewrite_verify(ThRewriteCall *r); /* -1 and a full text: types, clients or an order do not hold */
/* From now on the graph notes what happens to it, or it no longer does. */
TH_API int th_rewrite_watch(ThRewriteCall *r, bool on);
typedef struct ThRewriteEvent {
    char kind;     /* 'i' a node came, 'p' a node went, 'c' an input was changed */
    ThApply *node; /* borrowed; of 'c' NULL: an output of the graph */
    int position;
    ThVar *old, *new_; /* of 'c'; borrowed */
    const char *reason;
} ThRewriteEvent;
TH_API int th_rewrite_events(ThRewriteCall *r, ThRewriteEvent **events); /* since asked last; th_free; number, or -1 */

/*
 * A graph of its own, outside a compilation, for the same functions: of the nodes between in and out, which are shown
 * as the user's own until something changes. Shared variables are inputs as well. Freed with th_fgraph_free.
 */
TH_API ThRewriteCall *th_fgraph_new(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout);
TH_API void th_fgraph_free(ThRewriteCall *g);
/* Runs what a query selects (see th_optdb_summary), or with "=name:name" those passes and rules alone; nothing in
 * place. */
TH_API int th_fgraph_optimize(ThRewriteCall *g, const char *query);

#endif
