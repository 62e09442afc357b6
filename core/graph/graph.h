/*
 * graph.h -- Types, Variables, Apply nodes, provenance, builders, FunctionGraphs.
 * User graphs: immutable, refcounted, pointing only to inputs. An Apply and its outputs share ONE reference count (that
 * of the Apply); leaves have their own. A compile works on an FGraph: a private copy in an arena, with clients.
 */
#ifndef TH_GRAPH_H
#define TH_GRAPH_H

#include "lock.h"

typedef struct Op Op; /* op.h */
typedef struct FGraph FGraph;
typedef uint32_t Prov; /* 0 = unknown */

/* ---- type.c --------------------------------------------------------------------------------------------------------
 */
typedef enum {
    TYPE_TENSOR,
    TYPE_SCALAR,       /* Theano's Scalar(int64): index constants, prints <int64> and Constant{0} */
    TYPE_NONE,         /* NoneConst, open slice ends */
    TYPE_NULL,         /* an undefined gradient; `dtype` unused */
    TYPE_DISCONNECTED, /* no path */
    TYPE_GENERIC,
    TYPE_STATE, /* of a RandomState: stored as a vector of uint32, but no tensor to any operation that works on such */
    TYPE_SPARSE /* a sparse matrix: stored as a vector of int64 (base/array/sparse.h), no tensor either */
} TypeKind;
enum { TYPE_STATE_WORDS = 628 }; /* its length, which needs no look at a value */
/* Are its values arrays? */
static inline bool type_is_array(ThType t) {
    return t.kind == TYPE_TENSOR || t.kind == TYPE_SCALAR || t.kind == TYPE_STATE || t.kind == TYPE_SPARSE;
}
/* Of a sparse matrix; its third field holds these two. Nothing but these functions knows how. */
ThType type_sparse(ThDtype d, char format);
static inline ThDtype type_sparse_dtype(ThType t) { return (ThDtype)(t.broadcastable >> 8 & 0xff); }
static inline char type_sparse_format(ThType t) { return t.broadcastable >> 16 & 1 ? 'c' : 'r'; }
/* The dtype of what a variable's elements are: of a sparse matrix that of its values. */
static inline ThDtype type_dtype(ThType t) { return t.kind == TYPE_SPARSE ? type_sparse_dtype(t) : (ThDtype)t.dtype; }
/* The type that an array's dtype and lengths promise. */
ThType type_of_array(const ThArray *a);
uint8_t type_array_flags(ThType t); /* flags of arrays of this type: ARRAY_CSR, ARRAY_CSC or 0 */
static inline bool type_eq(ThType a, ThType b) {
    return a.kind == b.kind && a.dtype == b.dtype && a.ndim == b.ndim && a.broadcastable == b.broadcastable;
}
/* Can a variable of type b stand for one of type a, once it no longer promises lengths of 1 that a does not? */
static inline bool type_takes(ThType a, ThType b) {
    return a.kind == TYPE_TENSOR && b.kind == TYPE_TENSOR && a.dtype == b.dtype && a.ndim == b.ndim &&
           !(a.broadcastable & ~b.broadcastable);
}
static inline bool type_bcast(ThType t, int d) { return (t.broadcastable >> d) & 1; }
ThType type_tensor(ThDtype d, int ndim, uint32_t broadcastable);
void type_text(Text *t, ThType ty); /* TensorType(float64, matrix) | int64 | ... */

/* ---- prov.c: a persistent DAG of ids; leaf, join, gradient ------------------------------------------------------ */
Prov prov_leaf(ThContext *c, const char *file, int line);
Prov prov_join(ThContext *c, Prov a, Prov b);
Prov prov_grad(ThContext *c, Prov of);
Prov prov_name(ThContext *c, Prov of, const char *name); /* the user calls its result so (interned); NULL: of */
/* At most 8 lines: "train.lua:14", "gradient of train.lua:14 (hidden)", separated by ", ". "" when unknown. */
void prov_text(ThContext *c, Text *t, Prov p);
Prov prov_read(ThContext *c, const char *text);          /* of such a text: its places; 0 where it has none */
const char *prov_first(ThContext *c, Prov p, int *line); /* file of the first leaf, or NULL */

/* What a host's list must be: n variables of this context, none NULL; else TypeError. */
bool graph_given(ThContext *c, const char *function, ThVar *const *list, int n);
/* The flag warn_float64 about a variable that the user has just made: a line in the log, or false with a TypeError. */
bool graph_float64_allowed(ThContext *c, const ThVar *v);

/* ---- node.c ----------------------------------------------------------------------------------------------------- */
typedef struct Client {
    ThApply *node; /* NULL: the graph's output number pos */
    int pos;
    uint32_t key; /* node->key */
} Client;

typedef struct Uniform {
    double value;
    int8_t known; /* 0: nobody asked yet; 1: all elements are `value`; -1: they are not */
} Uniform;

/* A shared variable's storage; functions and the user's handles hold it. */
typedef struct Shared {
    atomic_int refs;
    ThContext *ctx;
    ThArray *value;               /* never NULL; C-contiguous; replaced by set_value, written in place by functions */
    atomic_uint_fast64_t stamp;   /* bumped when shape or strides change */
    atomic_uint_fast64_t written; /* moved on by every holder of the writing lock */
    Lock lock;                    /* functions at work on it */
    ThVar *default_update;        /* expression on the variable `self`, or NULL */
    ThVar *self;                  /* stands for the shared in its default update, so that it does not hold itself */
    struct Shared *next, **link;  /* in the context's list of those with a default update; link NULL: not in it */
    bool strict;                  /* set_value takes its own dtype only */
    bool on_host;                 /* its value stays there, whichever functions use it */
    int8_t allow_downcast;        /* of set_value; -1 default: a number only; 0 never; 1 any numeric */
} Shared;

typedef enum { VAR_PLAIN, VAR_CONSTANT, VAR_SHARED } VarKind;

/* What rewriting asks for again and again comes first and fills one cache line. */
struct ThVar {
    uint8_t kind;
    uint8_t flags;  /* VAR_F_* */
    uint16_t index; /* output number of owner */
    uint32_t id;    /* in an FGraph: dense number, usable as array index (fg->nvars) */
    ThType type;
    ThApply *owner;
    Client *clients; /* FGraph: arena, or &first; order is not meaningful */
    int nclients, capclients;
    ThVar *forward; /* FGraph: set when replaced; follow with fg_find */
    union {
        Client first;    /* FGraph, output 0: room for its only client */
        Uniform uniform; /* FGraph, constants: const_all_equal's answer */
    } w;
    /* seldom asked for */
    union {
        ThArray *data;
        Shared *shared;
    } u;
    Prov prov;
    atomic_int refs; /* leaves only; outputs use owner->refs */
    uint64_t serial;
    ThContext *ctx;
    const char *name; /* interned or NULL */
    uint64_t hash;    /* constants: of type and data; computed on demand */
    ThVar *origin;    /* FGraph: the user variable this was cloned from, or NULL */
    FGraph *fg;       /* the graph it lives in: a reference on the variable is one on the whole graph */
};
enum {
    VAR_F_INPUT = 1,
    VAR_F_GRAPH = 2,  /* lives in an arena: refs unused, fg's count */
    VAR_F_CACHED = 4, /* a small constant that the context hands out again while it lives; id is its place there */
    VAR_F_REMAT = 8,  /* FGraph: recomputed for later users rather than kept (core/opt/passes/remat.c) */
    VAR_F_HUB = 16,   /* FGraph: has had many clients: equal nodes are not looked for among them (fgraph_cons.c) */
    VAR_F_WRT = 32,   /* a derivative by forward mode was asked with respect to it: never an unused input */
    VAR_F_WEAK =
        64 /* a literal of an eager call: takes the dtype of what it stands beside (core/ops/elemwise/weak.c) */
};

/* Two cache lines in an FGraph: what is seldom asked for, then what rewriting asks for again and again. */
struct ThApply {
    const char *rule; /* rewrite that made it, or NULL */
    int64_t *lengths; /* user nodes: lengths of the outputs, one after the other, -1 unknown; NULL: none known */
    ThContext *ctx;
    uint64_t serial;
    atomic_int refs;
    bool asserts; /* FGraph: a removed node; what took its place asserts by itself what it and its users compared */
    char rest_of_line[27];
    const Op *op;
    void *attrs; /* op->attr_bytes, canonical (padding zeroed); NULL when none */
    ThVar **in;
    ThVar **out; /* follows in */
    union {
        uint64_t hash; /* FGraph: its place in the consing table while it stands there; kept where it has many inputs */
        ThApply *next_free; /* iterative freeing */
    };
    Prov prov;
    uint32_t id, rank; /* FGraph: dense number; 1 + max rank of inputs */
    int16_t scalar;    /* of an Elemwise of one scalar operation: its place in scalar_ops; else -1 */
    uint16_t key;      /* FGraph: hash of op and attrs, as the clients' lists of its inputs show it */
    uint16_t nin, nout;
    uint16_t generation; /* rewriting depth (kernels.md 5) */
    uint8_t flags;       /* APPLY_* */
    int8_t destroys;     /* input overwritten by output 0 once an in-place pass decided so; -1 none */
};
/* Asks early for a node of an FGraph that is looked at soon: in large graphs none is in a cache. */
static inline void apply_prefetch(const ThApply *a) {
    const char *p = (const char *)a; /* as node.c lays it out: second half, pointers and attributes, first output */
    for (int i = 1; i < 4; i++) { __builtin_prefetch(p + 64 * i); }
}
/* A little later: what it is computed from. */
static inline void apply_prefetch_inputs(const ThApply *a) {
    for (int i = 0; i < a->nin && i < 3; i++) { __builtin_prefetch(a->in[i]); }
}
/* FGraph: where in[i]'s client list holds this edge, so that it goes in O(1). */
static inline int *apply_slots(const ThApply *a) { return (int *)(void *)(a->out + a->nout); }
enum {
    APPLY_GRAD = 1 /* made by an Elemwise's own gradient: prints without ",no_inplace" */,
    APPLY_DEAD = 2,
    APPLY_GRAPH = 4,
    APPLY_QUEUED = 8,
    APPLY_TOUCHED = 16, /* mark of fgraph_replace.c while it works */
    APPLY_CONSED = 32,  /* found by who looks for an equal node */
    APPLY_TABLED = 64,  /* in the consing table, since no client list is short enough to be searched */
    APPLY_CHECKS = 128  /* a removed node whose lengths are compared all the same (core/opt/passes/written.c) */
};

/*
 * Where new nodes go. fg == NULL: user nodes, owned by the builder until builder_end; keep one with th_var_retain
 * first. Otherwise: the graph's arena, hash-consed (an equal node is returned instead of a new one).
 */
typedef struct Builder {
    ThContext *ctx;
    FGraph *fg;
    Prov prov;
    bool in_grad; /* set APPLY_GRAD on Elemwise nodes */
    bool copies;  /* arrays among a function's arguments are the host's, who may write to them: Constants copy them */
    bool
        arrays; /* built to be evaluated at once: literals are weak, and functions follow NumPy where Theano does not */
    const char *rule;
    uint16_t generation;
    VEC(ThVar *) pool; /* user nodes made since builder_begin (leaves, and output 0 of Applys) */
} Builder;
void builder_begin(Builder *b, ThContext *c); /* user graph, prov = c->prov */
void builder_begin_fg(Builder *b, FGraph *fg, Prov prov);
void builder_end(Builder *b); /* releases what nobody retained */

enum { OP_MAX_OUT = 256 }; /* outputs of one Apply; Infer.out has room for so many */
/* attrs may be NULL; inputs may hold NULL (then NULL). Infers output types; NULL with the error set when they do not
 * fit. */
ThApply *apply_make(Builder *b, const Op *op, const void *attrs, ThVar *const *in, int nin);
ThVar *apply1(Builder *b, const Op *op, const void *attrs, ThVar *const *in, int nin); /* its output 0 */
/* src's operation on other inputs; names and flags are src's. Infers again only when an input's type differs. */
ThApply *apply_copy(Builder *b, const ThApply *src, ThVar *const *in);
ThVar *const_make(Builder *b, ThArray *value); /* takes a new reference to value; broadcastable where length is 1 */
ThVar *const_make_typed(Builder *b, ThArray *value, ThType type);
ThVar *const_int(Builder *b, int64_t v, ThDtype d);  /* 0-d; d NONE: smallest (autocast) */
ThVar *const_float(Builder *b, double v, ThDtype d); /* 0-d; d NONE: autocast */
/* The dtype that a user's number gets (autocast): in the user's graph, d NONE above. */
ThDtype const_int_dtype(ThContext *c, int64_t v);
ThDtype const_float_dtype(ThContext *c, double v);
ThVar *const_complex(Builder *b, ThComplex128 v); /* 0-d complex128 */
ThVar *const_scalar_int(Builder *b, int64_t v);   /* TYPE_SCALAR int64, for index lists: prints Constant{0} */
ThVar *const_none(Builder *b);
ThVar *var_new(Builder *b, ThType t, const char *name);
bool const_is(const ThVar *v, double value); /* constant all of whose elements equal value (looks through nothing) */
bool const_all_equal(const ThVar *v, double *value);
/* For the end of a message that wants an integer: of the constant 2.0 that it is a float, of others "". */
const char *const_float_hint(const ThVar *v, char text[96]);
bool var_is_const(const ThVar *v);
int64_t var_length(const ThVar *v, int d); /* of dimension d, where it is known while the graph is built; else -1 */
uint64_t const_hash(ThVar *v);
bool const_equal(const ThVar *a, const ThVar *b); /* type and data bits */
void shared_retain(Shared *s);
bool default_update_list(ThContext *c, Shared *s); /* updates.c; false: no memory */
void default_update_unlist(Shared *s);
ThVar *shared_twin(Builder *b, const ThVar *s, const char *name); /* another variable of the same storage */
void shared_release(Shared *s);
/* The error of a lock that can never be had; false. */
bool shared_refuse(ThContext *c, const char *name, LockState is);
/* The lock of s is given back. */
void shared_unlock(Shared *s, bool write);
/* Makes `value` (taken over; C-contiguous) the storage and gives the old one back; the caller holds the lock. */
ThArray *shared_exchange(Shared *s, ThArray *value);
/* The default update of s as an expression on v, a variable of this storage: new reference; NULL: none, or an error. */
ThVar *shared_default_update(Shared *s, ThVar *v);

/* ---- walk.c: no recursion --------------------------------------------------------------------------------------- */
typedef VEC(ThApply *) ApplyVec;
typedef VEC(ThVar *) VarVec;
/* Applys that outs depend on, inputs first, depth first in input order (deterministic). Stops at `stop` variables. */
bool graph_toposort(ThContext *c, ThVar *const *outs, int nout, ThVar *const *stop, int nstop, ApplyVec *order);
/* Leaves (variables, constants, shareds) reached, in the order met. */
bool graph_leaves(ThContext *c, ThVar *const *outs, int nout, VarVec *leaves);
/* Those that are reached without going through a `stop` variable, which is no leaf either. */
bool graph_leaves_from(ThContext *c, ThVar *const *outs, int nout, ThVar *const *stop, int nstop, VarVec *leaves);
/* Pairs of variables that should have equal values: retained, two by two. */
typedef struct VarPairs {
    VarVec var;
} VarPairs;
/* clone.c: copies with replacements (pairs from -> to); strict: types must be equal, or type_takes. New references in
 * out. */
bool graph_clone(ThContext *c, ThVar *const *outs, int nout, ThVar *const *from, ThVar *const *to, int nrep,
                 bool strict, ThVar **out);
/* The same, but Applys that stand on nothing replaced are not copied. */
bool graph_substitute(ThContext *c, ThVar *const *outs, int nout, ThVar *const *from, ThVar *const *to, int nrep,
                      bool strict, ThVar **out);

/* ---- fgraph.c: FunctionGraph ------------------------------------------------------------------------------------ */
typedef struct InnerGraph {
    const ThApply *node;
    int body;
    FGraph *fg; /* owned */
} InnerGraph;
typedef struct FgListener { /* engines that keep a worklist */
    void (*on_import)(void *user, ThApply *node);
    void (*on_change)(void *user, ThApply *node); /* an input of node changed */
    void (*on_prune)(void *user, ThApply *node);
    void *user;
    /* Users of old take new_ from now on; rule: who wants it, "merge" where two nodes were found to be equal. */
    void (*on_replace)(void *user, ThVar *old, ThVar *new_, const char *rule);
} FgListener;

typedef struct ConsSlot {
    uint64_t hash;
    ThApply *node; /* NULL: free */
} ConsSlot;

struct FGraph {
    ThContext *ctx;
    atomic_int refs; /* the compile or function that owns it, and handles on its variables and nodes */
    Arena *arena;
    ThVar **in;
    int nin; /* plain inputs in order, then shareds as met (see fg_input_shared) */
    ThVar **out;
    int nout;            /* outputs, then update expressions */
    int nplain_out;      /* how many of out are outputs; out[nplain_out + k] updates update_of[k] */
    int ncheck;          /* the last of out are only there until they are noted (fg_drop_checks) */
    ThVar **update_of;   /* the FGraph's shared input that each update writes */
    bool *in_mutable;    /* an input that may be destroyed */
    int nvars, nnodes;   /* dense id bounds (dead ids are not reused) */
    int most_nodes;      /* no rewrite may make nnodes more than that; 0: any number */
    ApplyVec node;       /* by id; NULL: deleted */
    int live;            /* live Applys */
    bool cons;           /* hash-consing on (merge) */
    ConsSlot *cons_slot; /* the consing table */
    int ncons, capcons;
    bool wide;                            /* a node with so many inputs that only the table finds it was made */
    VEC(const struct GraphBody *) bodies; /* inner graphs that its nodes hold */
    VEC(ThVar *) consts;                  /* merged constants */
    Map const_map;
    VEC(FgListener) listeners;
    const char *rule; /* rule being applied, for messages */
    ThApply **order;
    int norder;       /* the schedule, fixed by opt before the in-place passes; arena; the planner keeps it */
    ApplyVec written; /* removed nodes of the graph as it was written, inputs first: see core/opt/passes/written.c */
    bool remat;       /* some variable is VAR_F_REMAT */
    struct FgAgain {  /* chosen for a memory budget: variable `var`, computed again.. */
        uint32_t var, user; /* ..for the users from node `user` on, both by id */
    } * again;              /* the compile's */
    int nagain;
    bool measure;           /* the plan is to tell the size of every variable */
    bool device;            /* works run on a GPU where they can */
    int max_generation_hit; /* nodes frozen by the generation limit */
    int *out_slot;          /* where out[i]'s client list holds the edge to the output */
    VEC(ThApply *) effects; /* EFFECT nodes: they stay even when nobody uses them */
    uint64_t turn;          /* changes with every node and every edge */
    ApplyVec sorted;        /* fg_toposort's order, of turn sorted_at */
    uint64_t sorted_at;
    bool ranks_stale;      /* a change deepened a node whose users' ranks still lag; fg_ranks settles them */
    VEC(InnerGraph) inner; /* bodies of nodes that have some, ready for the planner; inner_graphs.c */
    Map inner_map;
};
/*
 * Copies outs (and updates) of the user's graph. in: plain inputs (computed variables may stand there: the graph is
 * cut). Merges as it copies when cons. MissingInputError for a variable that is neither computed, constant, shared nor
 * in `in`. in_mutable starts true for shareds that have an update, false otherwise. var->origin is set (and held) on
 * fg->in only.
 */
FGraph *fg_new(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, ThVar *const *update_of,
               ThVar *const *update, int nupdate, bool cons);
/* The same with further outputs behind the updates, `check`, for which fg_drop_checks is called in time. */
FGraph *fg_new_checked(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, ThVar *const *update_of,
                       ThVar *const *update, int nupdate, const VarVec *check);
bool fg_drop_checks(FGraph *fg); /* what only they need goes */
void fg_free(FGraph *fg);        /* drops one reference */
/*
 * inner_graphs.c: the graph of body `k` of a node that has bodies (loops, branches). fg_inner_set hands one over, made
 * ready (it is freed when that fails); fg_inner gives it, or makes it as the user wrote it. Owned by fg.
 */
bool fg_inner_set(FGraph *fg, const ThApply *node, int k, FGraph *inner);
FGraph *fg_inner(FGraph *fg, const ThApply *node, int k);
void fg_inner_free(FGraph *fg);
ThVar *fg_find(ThVar *v); /* the live variable that v was forwarded to */
/* Replaces old by new_ everywhere. Types must be equal exactly (BadOptimization otherwise). Prunes what died. */
bool fg_replace(FGraph *fg, ThVar *old, ThVar *new_, const char *rule);
bool fg_replace_many(FGraph *fg, ThVar *const *old, ThVar *const *new_, int n, const char *rule);
bool fg_set_input(FGraph *fg, ThApply *node, int pos, ThVar *v); /* one edge only */
bool fg_set_output(FGraph *fg, int pos, ThVar *v);
bool fg_toposort(FGraph *fg, ApplyVec *order); /* deterministic: depth first from the outputs, inputs first */
/* For a walk over v that looks at nodes, their inputs and who computes those: asks for what comes soon after v[i]. */
void fg_ahead(const ApplyVec *v, int i);
bool fg_merge(FGraph *fg); /* switches consing on and merges what is there */
/*
 * Ranks are kept for a changed node itself and lag further up until this linear pass; call it between rounds. While a
 * pass runs, rank order is a good order, not a proof.
 */
bool fg_ranks(FGraph *fg);
/* verify.c: types, clients, ranks, acyclicity, destroy order. false with BadOptimization and a full text. */
bool graph_verify(FGraph *fg);

/* ---- text and prints -------------------------------------------------------------------------------------------- */
void var_str(Text *t, const ThVar *v); /* Theano's str */
void apply_op_str(Text *t, const ThApply *a);
void const_str(Text *t, const ThVar *v);                        /* TensorConstant{...} */
typedef enum { PRINT_STAYS, PRINT_OVER, PRINT_BACK } PrintMove; /* of a value: to a GPU, from there */
typedef struct PrintPlaces {                                    /* where the values of a function are */
    bool (*there)(const void *of, const ThVar *v);              /* on a GPU */
    /* on its way to input i of client; NULL: result i */
    PrintMove (*move)(const void *of, const ThApply *client, int i, const ThVar *v);
    const void *of;
} PrintPlaces;
typedef struct PrintGraph { /* for a compiled function */
    ThApply *const *order;
    int norder;
    ThVar *const *out;
    int nout;
    const PrintPlaces *places; /* NULL: all is on the host */
} PrintGraph;
bool debugprint(Text *t, ThVar *const *vars, int n, const ThDebugPrint *o, const PrintGraph *g);
bool pp(Text *t, ThVar *v);
/* print.c / read.c: one line a node, read back by graph_read; see docs/graph-text.md */
bool graph_print(Text *t, ThVar *const *in, int nin, ThVar *const *out, int nout);
typedef struct GraphRead {
    VarVec in, out;           /* inputs and shareds in order; the caller frees all lists */
    VarVec check;             /* of `check` lines: not computed, but the lengths that they compare are */
    VarVec update_of, update; /* of `update` lines, where `updates` allows them */
    ThArray *const *data;     /* what the text calls @0, @1, .. */
    int ndata;
    bool updates, destroys; /* are lines of updates, marks of what is overwritten allowed? */
} GraphRead;
bool graph_read(Builder *b, const char *text, GraphRead *r);
void graph_read_free(ThContext *c, GraphRead *r);
/* The same for a FunctionGraph, with `update` lines and @destroys marks; in the fixed order when there is one. */
bool graph_print_fg(Text *t, FGraph *fg);
/* All that is needed to make it again: bodies as they were optimized, `check` lines; long constants and shareds go to
 * data, and the text calls them @0, @1, .. */
bool graph_print_whole(Text *t, FGraph *fg, VarVec *data);
FGraph *graph_read_fg(ThContext *c, const char *text, bool cons);

/* ---- grad.c ----------------------------------------------------------------------------------------------------- */
/* th_grad is the entry; user graph only. */

#endif
