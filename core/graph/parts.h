/*
 * parts.h -- what the files of core/graph share among themselves and nobody else needs.
 */
#ifndef TH_GRAPH_PARTS_H
#define TH_GRAPH_PARTS_H

#include "op.h"

/* What the graph layer keeps in a context (slot CTX_GRAPH). */
typedef struct ProvNode {
    uint8_t kind;     /* ProvKind of prov.c */
    uint32_t a, b;    /* parts; a leaf: a is the line */
    const char *file; /* interned; a leaf's file, or a name */
} ProvNode;
typedef struct GraphState {
    VEC(ProvNode) prov;       /* id 0 is "unknown" */
    Map prov_map;             /* hash of a record -> id */
    VEC(ThVar *) small;       /* cached small constants, not owned: each leaves when it dies */
    Map small_map;            /* const_hash -> place in small */
    VEC(GraphBody *) bodies;  /* inner.c: lists of equal hash, not owned; each record leaves when it dies */
    VEC(int) free_bodies;     /* empty places of bodies */
    Map body_of;              /* hash -> place in bodies */
    uint64_t made;            /* inner graphs so far: the last one's serial */
    Shared *updates;          /* updates.c: those with a default update, not owned.. */
    atomic_flag updates_lock; /* ..and who looks at them */
} GraphState;
GraphState *graph_state(ThContext *c); /* made on first use; NULL when memory is out */

/* type.c: types in graph text: float64[?,1] scalar:int64 none null disconnected generic */
void type_put(Text *t, ThType ty);
const char *type_read(ThContext *c, const char *p, ThType *ty); /* the text after it, or NULL with ValueError */

/* body.c */
void body_put(Text *t, const ScalarBody *b);
const char *body_read(ThContext *c, const char *p,
                      const ScalarBody **out); /* the text after it, or NULL with ValueError */

/* inner.c: inner graphs in attributes */
void inner_put(Text *t, const GraphBody *b);
void inner_quote(Text *t, const char *text);
const char *inner_read(ThContext *c, const char *p, const GraphBody **out); /* new reference; as body_read */
bool inner_retain(Builder *b, const Op *op, const void *attrs);
void inner_release(const Op *op, const void *attrs);

/* node.c: the record and its outputs are one block; fg nodes come from the arena. Takes references on user inputs. */
ThApply *apply_alloc(Builder *b, const Op *op, const void *attrs, ThVar *const *in, int nin, const ThType *types,
                     int nout);
size_t apply_block_bytes(const Op *op, int nin, int nout, bool graph);
/* A leaf in the builder's pool (or the arena). The caller fills u. */
ThVar *leaf_new(Builder *b, VarKind kind, ThType t, const char *name);

/* lengths.c: lengths known while building fit together; false with the error that running the node would raise. */
bool lengths_check(ThApply *a);
size_t lengths_bytes(const ThApply *a); /* of a->lengths */

/* node_free.c */
/* One reference on s less; the last one frees it and returns its default update, to be released by the caller. */
ThVar *shared_drop(Shared *s);

/* const.c */
ThVar *const_named(Builder *b, ThArray *value, const char *name); /* user graph; never one of the cached numbers */
void const_forget(ThVar *v);                                      /* a cached constant dies */

/* fgraph_cons.c: equal nodes, clients, constants */
uint16_t fg_key(const Op *op, const void *attrs, int scalar); /* ThApply.key */
void fg_hash_wide(ThApply *a); /* sets the hash of a node that only the table finds, whatever its inputs */
void fg_hash_input(ThApply *a, int pos, const ThVar *v); /* the same as it is once input pos is v */
/* By op, attrs, nin, in, key, scalar, destroys (and hash) of `like` and the types of the outputs. */
ThApply *fg_cons_find(const FGraph *fg, const ThApply *like, const ThType *types, int nout);
bool fg_cons_add(FGraph *fg, ThApply *a); /* to be found from now on */
void fg_cons_del(FGraph *fg, ThApply *a); /* nothing when it was not to be found */
bool fg_client_add(FGraph *fg, ThVar *v, ThApply *node, int pos);
void fg_client_del(FGraph *fg, ThVar *v, ThApply *node, int pos);
ThVar *fg_const(FGraph *fg, ThVar *made); /* the merged constant equal to `made`, or made itself, registered */
bool fg_adopt(FGraph *fg, ThApply *a);    /* clients, rank, id, table, listeners for a node just made */
void fg_prune(FGraph *fg, ThApply *const *candidates, int n); /* those that nobody uses, and what they leave unused */

/* shared.c: a new shared variable of type t. */
ThVar *shared_of(ThContext *c, ThType t, ThArray *value, const char *name, bool borrow);

#endif
