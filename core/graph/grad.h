/*
 * grad.h -- what grad_walk.c finds and grad.c fills.
 */
#ifndef TH_GRAPH_GRAD_H
#define TH_GRAPH_GRAD_H

#include "parts.h"

typedef struct GVar {
    ThVar *v;
    ThVar *grad;     /* once done; NULL then: disconnected */
    int first, last; /* its edges, -1 none */
    bool accounted, constant, on_path, needed;
    bool known; /* the gradient was given (seed, known_grads) */
    bool done;
} GVar;
typedef struct GNode {
    ThApply *a;
    int edge0;
    bool needed;
} GNode; /* edge_of[edge0 + i]: the edge of input i, or -1 */
typedef struct GEdge {
    int node, pos, next;
    ThVar *term;
} GEdge;
typedef struct GradWalk {
    ThContext *c;
    VEC(GVar) var;
    VEC(GNode) node;
    VEC(GEdge) edge;
    VEC(int) edge_of;
    Map var_map, node_map;
    Map group; /* (variable, Apply) -> the last edge between them */
} GradWalk;

int gvar_find(const GradWalk *w, const ThVar *v); /* -1: not met */
int gvar_add(GradWalk *w, ThVar *v);              /* -1: error */
int gnode_find(const GradWalk *w, const ThApply *a);
bool grad_connected(const ThApply *a, int in, int out);
/* Edges, and on_path for the variables between wrt and out. */
bool grad_walk(GradWalk *w, ThVar *const *out, int nout, ThVar *const *wrt, int nwrt, ThVar *const *constant,
               int nconstant);
/* `needed`, once `known` is set: what must be differentiated to reach wrt. */
bool grad_needed(GradWalk *w, ThVar *const *wrt, int nwrt);
void grad_walk_free(GradWalk *w);

#endif
