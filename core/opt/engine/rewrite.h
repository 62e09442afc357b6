/*
 * rewrite.h -- what the files of core/opt share: one run's state, passes, rules, and small helpers to ask and build.
 * A pass is a function over the whole graph; a rule looks at one node and returns what to put in place of its output 0.
 */
#ifndef TH_OPT_REWRITE_H
#define TH_OPT_REWRITE_H

#include "opt.h"

#include "ops/table/shape.h"
#include "ops/table/index.h"
#include "ops/table/linear.h"
#include "ops/table/nnet.h"
#include "ops/table/control.h"
#include "ops/table/lowering.h"

/* ---- levels: which named phase runs a rule, and the tags it carries ---- */
enum {
    CANON = 1,
    STAB = 2,
    SPEC = 4,
    USELESS = 8,
    UNCANON = 16,
    SPECDEV = 32,
    BLAS0 = 64,
    BLASV = 128,
    FILLALLOC = 256,
    SERIALIZE = 512,
    LOGSUMEXP = 1024,
    ALLOCZEROS = 2048,
    SAFEGRAD = 4096,
    LEVELS = 0xffff,
    FC = 1 << 16,     /* also tagged fast_compile */
    LATE = 1 << 18,   /* lifts: tried when nothing else is left to do, outputs first (else each lift walks all below) */
    UNSAFE = 1 << 19, /* tagged unsafe and not fast_run */
    OPTIN = 1 << 17,  /* not tagged fast_run: runs only when its name or tag is included */
};

struct Opt;
/* Replacement of node->out[0] (or out[o->which]), or NULL: does not apply (or failed: the context says so). */
typedef ThVar *(*RewriteFn)(struct Opt *o, ThApply *node);

/* ---- rules.c: the table, parsed once per context ---- */
typedef enum { PAT_ANY, PAT_CONST, PAT_NUM, PAT_CALL } PatKind;
typedef struct Pat { /* one node of a compiled pattern or template; kids before parents */
    uint8_t kind, nkid;
    int8_t slot; /* ANY, CONST: variable; CALL: variable bound to the node's output (f:(..)), or -1 */
    int16_t kid[4];
    int16_t scalar; /* CALL: scalar operation, or -1: op */
    const Op *op;
    int8_t aslot; /* CALL: slot of the capital that stands for all attributes, as in Sum{A}(x), or -1 */
    double num;
    bool integer;
} Pat;
typedef struct PatExpr {
    int n;
    Pat *at;
} PatExpr;
typedef struct Guard {
    uint8_t kind;
    int8_t slot;
} Guard; /* kind: place in the table of guards.c */
enum { RULE_SLOTS = 16, RULE_GUARDS = 4, RULE_NEEDS = 4 };
typedef struct Rule {
    const char *name, *before, *after, *root, *guard_text;
    int levels, depth; /* depth: levels of nodes below the root that it looks at */
    RewriteFn fn;      /* C rewrite, or NULL: the texts */
    PatExpr from, to;
    Guard guard[RULE_GUARDS];
    int nguard;
    int scalar;                     /* root: scalar operation, or -1 */
    const Op *op;                   /* root: operation; NULL: any */
    bool resolved;                  /* false: names an operation that does not exist */
    const struct UserRewrite *user; /* of a rewrite that was registered; NULL: ours */
    int pass;                       /* of its own, Pass.number; 0: by levels */
    int16_t needs[RULE_NEEDS];      /* kinds of nodes: it matches only where there are all of them (any: one of them) */
    int nneed;
    bool any, folds; /* folds: looks at nodes whose inputs are all constants */
    int64_t fired;   /* how often it changed a graph in this context */
} Rule;
/* What the user registered. */
typedef struct UserRewrite {
    const char *name, *tags;
    ThRewriteSpec spec;
} UserRewrite;
typedef struct Opt Opt;
typedef bool (*PassFn)(Opt *o);
typedef struct Pass {
    const char *name;
    double position;
    const char *tags;
    PassFn fn; /* NULL: a place that Theano has; `note` says why nothing stands there */
    int level;
    const char *note;
    int number;              /* of a registered pass, for its rules; else 0 */
    const UserRewrite *user; /* of a registered pass */
} Pass;
typedef struct RuleTable {
    Arena *arena;
    Rule *at;
    int n, own; /* rules; how many of them are ours, the first ones */
    Pass *pass; /* by position */
    int npass;
    int numbered; /* passes registered so far */
    Map op_place; /* operation -> its place in op_table */
    int running;  /* optimizations under way: the tables do not change then */
    VEC(UserRewrite *) user;
} RuleTable;
const RuleTable *rules_get(ThContext *c);                                            /* NULL with the error set */
bool rule_parse(const RuleTable *t, Rule *r, const char *before, const char *after); /* r->guard_text: only if */
bool rule_root(Rule *r, const char *root);                                           /* false: no such operation */

/* ---- optdb.c ---- */
typedef VEC(const char *) WordVec;
typedef struct Query { /* words: names and tags, interned */
    WordVec include, exclude, require;
    double cutoff, from; /* passes beyond this position do not run */
    const char *only;    /* this pass alone, NULL: all */
    bool named;          /* opt_run_named: a rule that is named selects its passes */
} Query;
const Pass *pass_table(int *n);              /* ours */
int pass_level(const char *phase, size_t n); /* of "canonicalize"; 0: there is no such phase */

struct Opt {
    ThContext *c;
    FGraph *fg;
    const Query *q;
    const Pass *pass;
    const Rule *rule; /* being tried */
    const RuleTable *rules;
    OptEval eval;        /* OptSpec.eval */
    const OptLook *look; /* OptSpec.look */
    Builder b;           /* of the rewrite being tried */
    VEC(uint16_t) kind;  /* by id: opt_kind and KIND_*, so that a phase fetches only the nodes for which it has rules */
    VEC(uint32_t) rank;  /* by id: the nodes' own, for the same reason */
    bool *made;          /* by kind: there is or was such a node; what has none of what it looks for is not tried */
    int nmade;           /* how many of them */
    bool lost;           /* memory was out when a node was to be added to them */
    int met;             /* MET_*: what the nodes made so far include, so that passes without work walk nothing */
    int64_t changes;     /* of the graph: nodes made, inputs and outputs replaced */
    ApplyVec order;      /* opt_order's, of the graph after order_at changes */
    int64_t order_at;
    int which;               /* output that the rewrite being tried replaces; 0 unless it says otherwise */
    int64_t rewrites, limit; /* a run that rewrites more than this stops (a defect, logged) */
    int64_t most_nodes;      /* as one that makes more nodes than this */
    bool wants_inplace;      /* the query holds inplace passes */
    struct {                 /* written.c */
        bool wanted;
        int nodes;     /* of the graph when it was looked at */
        VarVec inputs; /* of FGraph.written, one after the other */
    } written;
    struct ShapeCache *shapes;
    struct InPlace *inplace; /* what the in-place passes gather once */
};
enum { MET_DOT22 = 1, MET_LONG_SUM = 2, MET_CROSSENTROPY = 4, MET_SCAN = 8, LONG_SUM = 20 /* more inputs than */ };
/* What rules are found by: the scalar operation of an Elemwise, else SCALAR_COUNT + the operation's place. */
int opt_kind(const RuleTable *t, const ThApply *a);
static inline int opt_kinds(void) { return SCALAR_COUNT + op_count + 1; }
enum { KIND_FOLDS = 0x8000 }; /* all its inputs may be constants */
static inline int opt_kind_at(const Opt *o, int id) { return o->kind.at[id] & ~KIND_FOLDS; }
bool opt_ranks(Opt *o);                    /* fg_ranks */
bool opt_made(const Opt *o, const Op *op); /* was there ever such a node in the graph? */
/* fg_toposort's order; NULL: memory is out. Valid until the graph changes, and read only. */
const ApplyVec *opt_order(Opt *o);
bool query_rule(const Query *q, const Pass *p, const Rule *r);

int64_t opt_now(void); /* processor time of this thread: other programs do not count */

/* ---- engine.c ---- */
bool pass_rules(Opt *o); /* runs the rules of o->pass->level to a fixed point */
/* Replaces out by r (fitted to its type) and keeps its name. false: nothing was replaced, or an error. */
bool engine_replace(Opt *o, ThVar *out, ThVar *r, const char *rule);
/* r with out's dtype, rank and pattern, built from out's owner's inputs where a shape is needed; NULL when it cannot
 * be. */
ThVar *engine_fit(Opt *o, ThVar *r, ThVar *out);

/* A rewrite's error, as on_opt_error says: forgotten and logged, or kept (then the pass fails). */
void engine_error(Opt *o, const char *rule);

/* ---- user.c ---- */
ThVar *rw_user(Opt *o, ThApply *a);
bool pass_user(Opt *o);
void user_free(ThContext *c, RuleTable *t);

/* ---- views.c ---- */
/* x as the view (DimShuffle, or what views_select says) shows it, views in one and without those that do nothing: but
 * for a DimShuffle x has to have the whole shape; numbers pass. NULL: it cannot be, or failed. */
ThVar *views_of(Opt *o, ThApply *view, ThVar *x);
bool views_select(const ThApply *a); /* Reshape or a subscript */

/* ---- match.c ---- */
ThVar *rule_apply(Opt *o, const Rule *r, ThApply *node);
bool guard_parse(ThContext *c, Rule *r, const char *const *slot_name, int nslot); /* guards.c */
bool guards_hold(const Rule *r, ThVar *const *slot, const ThVar *out);

/* ---- ask.c: questions about nodes ---- */
/* Owner when v is Elemwise of this scalar operation (not a Composite), else NULL. */
ThApply *ask_scalar(const ThVar *v, int scalar);
/* The same where looking through the node into an expression of dtype d is exact: integers of another dtype wrap. */
ThApply *ask_exact(const ThVar *v, int scalar, ThDtype d);
/* Scalar operation of an Elemwise node; -1: Composite, another op or no node. */
static inline int ask_which(const ThApply *a) { return a ? a->scalar : -1; }
bool ask_op(const ThVar *v, const Op *op);
bool ask_value(const ThVar *v, double *x); /* uniform constant, also behind DimShuffle */
bool ask_number(const ThVar *v,
                ThValue *x); /* constant whose dims are all broadcastable, widest type of its kind; no complex */
bool ask_equals(const ThVar *v, double x);
bool ask_zeros(const ThVar *v);  /* zeros: constant, Alloc or second of 0 */
bool ask_count(const ThVar *v);  /* an integer, also as a float: often a length, which may be 0 */
bool ask_length(const ThVar *v); /* a length, or a product of lengths, also as a float */
bool ask_all_bcast(ThType t);
const void *ask_attr(const Op *op, const void *attrs, const char *name); /* field by name, or NULL */
int64_t attr_int(const ThApply *a, const char *name);
const Op *opt_op_named(const char *name); /* NULL when the operation does not exist */
ThVar *opt_const(Opt *o, double x,
                 ThType t); /* constant filled with x: 0-d of t's dtype, broadcastable dims added to t's rank */
ThVar *opt_number(Opt *o, ThValue x, ThType t);
/* n-ary add or mul computed in dtype d, also where all inputs are narrower; one input: itself, cast. May change in[0].
 */
ThVar *opt_call(Opt *o, int scalar, ThVar **in, int nin, ThDtype d);
static inline ThVar *call1(Opt *o, int s, ThVar *x) { return x ? elemwise_make(&o->b, s, &x, 1) : NULL; }
static inline ThVar *call2(Opt *o, int s, ThVar *x, ThVar *y) {
    return x && y ? elemwise_make(&o->b, s, (ThVar *[]){x, y}, 2) : NULL;
}

/* ---- passes ---- */
bool pass_merge(Opt *o); /* merge.c */
bool pass_shape(Opt *o); /* shape_feature.c */
bool pass_gemm(Opt *o);  /* gemm.c */
bool pass_gemm_apart(Opt *o);
bool pass_linalg(Opt *o);       /* linalg.c */
bool pass_xent(Opt *o);         /* xent.c */
bool pass_attention(Opt *o);    /* attention.c */
bool pass_heads(Opt *o);        /* heads.c */
bool pass_fuse_add_mul(Opt *o); /* fuse.c */
bool pass_split(Opt *o);        /* split.c */
bool pass_amp_float16(Opt *o);  /* amp.c */
bool pass_amp_bfloat16(Opt *o);
bool pass_amp_views(Opt *o); /* of a graph for a device */
bool pass_fuse(Opt *o);
bool pass_schedule(Opt *o);            /* schedule.c */
double schedule_bytes(const ThVar *v); /* an estimate by rank */
bool pass_remat_marks(Opt *o);         /* remat.c */
bool pass_remat(Opt *o);
bool pass_hoist(Opt *o);            /* hoist.c */
bool pass_inplace_elemwise(Opt *o); /* inplace.c */
bool pass_inplace_subtensor(Opt *o);
bool pass_inplace_blas(Opt *o);
bool pass_inplace_random(Opt *o);
void inplace_free(Opt *o);

/* ---- written.c: checks of what is rewritten away ---- */
bool written_note(Opt *o); /* the nodes that there are now and were not before */
bool written_end(Opt *o);

/* ---- shape_feature.c: sizes as graph expressions ---- */
/* Size of dim d of v as an int64 0-d variable, without computing v where its shape rule allows. */
ThVar *shape_i(Opt *o, ThVar *v, int d);
/* The same as handles, to calculate with before anything is built; -1 stands for a failure, in and out. */
Sz shape_dim(Opt *o, ThVar *v, int d);
Sz shape_number(Opt *o, int64_t k);
Sz shape_op(Opt *o, char op, Sz a, Sz b);         /* + - * / and 'm' minimum, 'M' maximum, 'c' ceil(a / b), '<' */
Sz shape_value(Opt *o, const ThApply *a, int in); /* of a 0-d input */
bool shape_known(const Opt *o, Sz a, int64_t *k); /* a number */
ThVar *shape_var(Opt *o, Sz a);                   /* an int64 0-d variable */
bool shape_slices(Opt *o, const ThApply *a, SliceForm *form); /* what a Subtensor selects, by dimension of its input */
/* v without its broadcast pattern's say: x filled into the shape of `like` (Alloc of its sizes). */
void shape_free(Opt *o);
ThVar *shape_alloc_like(Opt *o, ThVar *x, ThVar *like);
ThVar *shape_alloc_result(Opt *o, ThVar *x,
                          const ThApply *a); /* in place of a's result; NULL: nothing else tells its shape */

#endif
