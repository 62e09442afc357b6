/*
 * parts.h -- what the planner's files share; private to core/plan. A Planner lives during one plan_make:
 *   shape.c     every Var's dims as Sizes (sizes.c), facts united, checks left behind
 *   lower.c     every node lowered to views, one-node kernels and host calls ("works")
 *   commit.c    outputs and updates get their buffers, copies where one buffer would serve two masters
 *   group.c     works walked backwards into groups;  fuse.c makes each group one Kernel;  stages.c joins those over
 *               the same rows;  passes.c tidies them
 *   build.c     steps, buffers, lifetimes, layout events: the Plan
 * Until build.c numbers them, accesses hold root numbers as buffers and Sizes hold the planner's slots as symbols.
 */
#ifndef TH_PLAN_PARTS_H
#define TH_PLAN_PARTS_H

#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes.c: value-numbered size arithmetic with union-find ---- */
typedef struct SizeIns {
    uint8_t op; /* ShapeOp */
    bool dyn;   /* reads a computed value, or stands on one that does */
    bool needed;
    int a, b, c; /* slots; SHAPE_DIM, SHAPE_STRIDE, SHAPE_VALUE: root and dim */
    int64_t k;   /* constant, element or check number */
    int node;    /* ordinal of the node that asked first */
    int home;    /* ordinal of the node whose STEP_SIZE can compute it first; -1: before all steps */
    int up;      /* union-find parent */
    int number;  /* slot in the finished plan, -1 */
    bool import; /* of a body's STEP_SIZE: emitted there; SHAPE_VALUE: b is the plan buffer it reads */
} SizeIns;
typedef struct Sizes {
    ThContext *ctx;
    Arena *arena;
    VEC(SizeIns) ins; /* a slot is a position here; checks stand between, in order of creation */
    VEC(ShapeCheck) check;
    Map cons; /* hash of (op, operands) -> slot */
    int node; /* node at work, -1 before the first */
} Sizes;
bool sizes_init(Sizes *s, ThContext *c, Arena *a);
void sizes_free(Sizes *s);
int sizes_slot(Sizes *s, uint8_t op, int a, int b, int c, int64_t k, bool dyn); /* -1 on error */
int sizes_computed(Sizes *s, int var, int64_t elem); /* the slot of a computed integer that is read anyway, -1 */
Size sizes_find(Sizes *s, Size x);                   /* canonical form */
Size sizes_op(Sizes *s, char op, Size a, Size b);    /* + - * / m M c <, as ShapeAlg.op */
bool sizes_equal(Sizes *s, Size a, Size b, const char *why);
bool sizes_check_ge0(Sizes *s, Size a, ThError kind, const char *text);
bool sizes_nonneg(const Sizes *s, Size x); /* surely; false: who knows */
bool sizes_same(Sizes *s, Size a, Size b);
bool sizes_dyn(const Sizes *s, Size a);
bool sizes_renumber(Sizes *s);           /* after unions: equal computations become one slot again */
int sizes_materialize(Sizes *s, Size x); /* a slot that holds the value of x */
int sizes_push(Sizes *s, SizeIns i);     /* a slot of its own, shared with no equal computation */
#define SIZE_BAD ((Size){0, -2})
static inline bool size_bad(Size s) { return s.sym == -2; }

/* ---- values ---- */
typedef struct Val { /* where a Var lies */
    int root;        /* -1: not placed yet */
    int ver;         /* how many in-place writes of the root came before it */
    uint8_t dtype;
    int16_t ndim;
    bool whole; /* the root from its first to its last element, C order */
    Size off, *shape, *stride;
    Size *known; /* integers, rank <= 1: the elements as Sizes (values.c), or NULL */
    int nknown;
} Val;
typedef struct Root {
    uint8_t kind, dtype; /* PlanBuf's */
    bool kept;           /* an output's, an update's: stored whatever else happens */
    bool needed, gone;   /* some live work reads it; all its readers took it over as a value */
    bool written;        /* in-place writes happen (shared, mutable input, aliased temp) */
    bool rowtemp;
    int index;        /* of the input, shared or output */
    const ThVar *var; /* constants */
    const char *name; /* of the variable computed here, or NULL */
    uint8_t why;      /* who writes it is in another kernel than some of its readers (apart.h) */
    int node;         /* at work when it was made, -1 */
    int writers;      /* works that store into it */
    int rmark, wmark; /* the group that reads, stores it, as merge.c last saw */
    int part;         /* Work.part of the last one that stored a part of it, 0 */
    int wish;         /* slot of this root is wished for, -1 */
    Size size;
    int ndim;
    Size *shape;
    int ver; /* versions so far */
    int buf; /* plan buffer, -1 */
} Root;

/* ---- works: lowered pieces in schedule order ---- */
typedef enum { WORK_KERNEL, WORK_HOST, WORK_SIZE, WORK_EMBED } WorkKind;
typedef struct Work {
    uint8_t kind;
    bool point;  /* one LOOP stage, parallel dims only, plain stores: may move into its readers */
    bool reduce; /* one LOOP stage with reductions */
    bool call;   /* one call of the library: a product, a convolution, a pooling, a draw */
    bool alias;  /* writes a root in place */
    bool effect, live;
    int node;
    int part; /* works of the same number store different elements of their root; 0: no such number */
    Kernel *k;
    int host;     /* PlanHost number; WORK_EMBED: Embed number */
    int members;  /* first Member of this work, -1 */
    int sizes[4]; /* WORK_SIZE: its slots stand in [0, 1) and [2, 3) of sizes.ins */
} Work;
typedef struct Member {
    int work, group, next_in_group, next_of_work;
    int8_t map[KDIM]; /* the work's dims in the base's */
    bool post;        /* runs after the group's reduction: nothing before it needs its result */
} Member;
typedef struct Group {
    int base;          /* work whose dims are the kernel's */
    int exec;          /* position in the schedule where it runs: that of its last member */
    int first;         /* members, earliest work first */
    int nins, nacc, n; /* instructions; distinct accesses; members */
    bool sole;         /* of a call: only members read it, so it may lie where one of them stores, or nowhere */
    struct Seen *seen; /* the distinct accesses, room for KACC */
    int chain;         /* 1 + the first of the groups that are stages of one kernel with this one; 0 alone */
} Group;
/* What is to run, in the order of execution: the kernel of a group on its way to become a step, or another work. */
typedef struct Made {
    int group;
    Kernel *k;   /* NULL: another kind of work, or a stage of an earlier one */
    int nstages; /* this and so many - 1 next ones are stages of k; 0 of those */
    uint8_t why; /* the next one is no stage of k (apart.h) */
} Made;
typedef struct Seen {
    uint64_t key;
    int root;
} Seen; /* hash of an access in the base's dims (0: never shared), its root */
typedef struct Use {
    int work, acc;
} Use; /* acc -1: whole (host, size step) */

/* ---- embed.c: bodies of loops and branches, planned by themselves, become regions of this plan ---- */
typedef struct Port {             /* where an argument or result of a body lies */
    int inner;                    /* its number there */
    int root, output;             /* of this plan; node output, or -1 */
    bool window;                  /* else the whole root, from its first element */
    bool aside;                   /* results: computed elsewhere and copied at the end of the turn */
    bool check;                   /* ..after a check that its lengths, which only the turn tells, fit */
    int next;                     /* arguments: 1 + the in port, or -1 - the out port, that this one follows; 0 none */
    Size base, first, step, ring; /* PlanWindow's */
    int ndim;
    Size *shape; /* of what the body sees */
} Port;
typedef struct Body {
    Plan *plan;
    Size *slot; /* by slot of `plan`: the size here; SIZE_BAD: found while the body runs */
    Port *in;
    int nin;
    int node0; /* its nodes are this plan's from here on */
} Body;
typedef struct Embed {
    bool loop;
    Body body[2]; /* a loop's; then and else */
    Port *out;
    int nout;
    Size trip;
    int until;                        /* result of the body, -1 */
    int turns, cond;                  /* roots, -1 */
    int *read, nread, *write, nwrite; /* roots */
    const char *title;
} Embed;

typedef struct Planner {
    ThContext *ctx;
    FGraph *fg;
    ApplyVec order;
    const PlanIo *in, *out;
    int nin, nout;
    Arena *arena;      /* scratch */
    bool no_inplace;   /* last try: no argument or shared is written */
    uint8_t why;       /* group.c, stages.c: what was at work did not join (apart.h) */
    int foreign;       /* group.c: the first live work yet that writes what outlives the call, INT32_MAX none */
    bool *distrust;    /* indices that others looked at are looked at again, since the order became another one */
    int *number;       /* by node id: its place in the order, INT32_MAX none */
    VEC(int) looked;   /* nodes that rely on others having looked at their indices */
    uint8_t *shadowed; /* by input of the graph: not written either, since a step that fails followed */
    Sizes sizes;
    VEC(Size) rule;   /* handles of the shape rule at work */
    ApplyVec written; /* removed nodes that left a check: numbered after those of the schedule */
    Val *val;         /* by var id */
    Size **dims;      /* by var id: shape, canonical after shape.c */
    Size **told;      /* by var id: shape as it was before, for reports; NULL where that is the same */
    VEC(Root) root;
    VEC(Work) work;
    VEC(PlanHost) host;
    VEC(Embed) embed;
    int nnode; /* nodes of the graph and of bodies */
    VEC(Member) member;
    VEC(Group) group;
    VEC(Made) made;
    VEC(int) node_checks;
    int *use0;
    Use *use; /* readers of each root: use[use0[r] .. use0[r + 1]) */
    int *wr0;
    int *wr;     /* in-place writers of each root, ascending */
    int *out_of; /* by var id: 1 + first output that is this var, 0 none; next in out_next */
    int *out_next;
    int *out_root;   /* by output: root holding a copy made for it, or -1 */
    int node;        /* ordinal at work */
    int part;        /* Work.part of the works that it makes */
    int size_at;     /* while a node is lowered: where in `work` its STEP_SIZE goes; -1 before and after */
    int size_from;   /* SizeIns made for this node start here */
    int *node_shape; /* by node: where its shape phase started in sizes.ins (norder + 1 entries) */
    Plan *plan;
} Planner;

bool planner_shapes(Planner *p);                                 /* shape.c */
typedef enum { DIMS_LIVE, DIMS_GONE, DIMS_GONE_CHECKED } DimsOf; /* gone: what is not known stays unknown */
bool planner_dims(Planner *p, ThApply *a, DimsOf of); /* runs a's shape rule; its inputs' lengths are there */
bool planner_same_known(Planner *p, const ThVar *v, const ThVar *now); /* v tells the integers of what replaced it */
bool planner_unknown(Planner *p, ThApply *a);                 /* ..or leaves the lengths of its results unknown */
bool planner_leaf(Planner *p, const ThVar *v);                /* lengths of what no node computes */
bool planner_written(Planner *p);                             /* written.c: checks of removed nodes */
bool planner_settle(Planner *p);                              /* shape.c: of equal lengths one stands for all */
bool planner_known(Planner *p, const ThApply *a);             /* values.c: elements of small integer outputs */
bool planner_blame(Planner *p, const ThApply *a);             /* shape.c: names the node whose sizes overflow; false */
bool planner_varying(const Planner *p, const ThVar *v);       /* shape.c: an argument that each turn has anew */
Size planner_value(Planner *p, const ThVar *v, int64_t elem); /* shape.c */
bool planner_leaves(Planner *p);                              /* lower.c */
bool planner_lower(Planner *p);
bool planner_contiguous(Planner *p, const ThVar *v); /* from here on in C order: a copy where its view is not */
bool planner_whole(Planner *p, Val *v);              /* whole from the node at work on: its elements are sizes */
Val *planner_out(Planner *p, const ThVar *v);        /* an output's Val: a fresh temporary unless there is one */
bool val_contiguous(Planner *p, const Val *v);
const char *said_argument(const Planner *p, const ThApply *node, const ThVar *inner, const LoopPort *q, bool loop);
bool embed_loop(Lower *l, int body, Size trip, const LoopPort *in, int nin, const LoopPort *out, int nout, int until,
                int turns); /* embed.c: LowerApi's */
bool embed_branch(Lower *l, int cond, const int *then_in, int nthen, const int *else_in, int nelse);
void embed_free(Embed *e);
extern const char embed_misfit[]; /* a result does not fit its place */
Val *planner_val(Planner *p, const ThVar *v);
int planner_root(Planner *p, uint8_t kind, uint8_t dtype, int ndim, const Size *shape); /* -1 on error */
int planner_work(Planner *p, WorkKind kind, Kernel *k);
bool planner_copy(Planner *p, const Val *from, int root, int ndim,
                  const Size *shape);                                    /* a copy kernel into a fresh root */
bool val_strides(Planner *p, int ndim, const Size *shape, Size *stride); /* C order, in elements */
bool val_make(Planner *p, Val *v, int root, uint8_t dtype, int ndim, const Size *shape, const Size *stride, Size off);
bool commit_leaves(Planner *p); /* commit.c: copies that must precede in-place writes */
bool commit_node(Planner *p, const ThApply *a);
bool commit_end(Planner *p);
uint64_t group_access_key(Planner *p, const Access *a, const int8_t *map, int ndim); /* equal: the same elements */
int group_next_writer(const Planner *p, int r,
                      int w); /* the first work after w that stores into root r, or INT32_MAX */
bool group_alone_reads(const Planner *p, int root, int g); /* nobody else reads it */
bool group_writes_foreign(const Planner *p, int g);
bool group_same_dims(Planner *p, const Kernel *a, const Kernel *b);
bool group_crosses(Planner *p, const Kernel *a, const Kernel *b); /* sums of one array along other dims of it */
bool again_cheap(const Kernel *k); /* again.c: computing it again costs less than storing and loading.. */
bool again_pays(const Planner *p, const Kernel *k, int readers); /* ..by so many groups */
bool windows_all(Planner *p, bool *any); /* windows.c: what is looked up by window is computed there; any: was */
bool fit_group(Planner *p, int w);       /* fit.c: w and what reads it go by the same dims now */
bool fit_sum(Planner *p, int w);         /* ..w stays with the product that it adds an array to */
bool merge_groups(Planner *p);           /* merge.c */
bool group_all(Planner *p);              /* group.c */
bool fuse_all(Planner *p);               /* fuse.c: one kernel for each group; Planner.made */
bool kernel_literal(Kernel *k, const ThArray *c, Ins *out); /* passes.c */
bool kernel_trim_all(Planner *p);                           /* passes.c: before kernels become stages */
bool kernel_tidy_all(Planner *p);                           /* ..and after */
bool kernel_collapse(Planner *p, Kernel *k); /* neighbouring loops that every access steps through evenly are one */
int kernel_vec(const Kernel *k, const Stage *st);   /* the dim that a LOOP stage runs vectors along, -1 */
bool stages_all(Planner *p);                        /* stages.c: kernels over the same rows become one */
bool stages_rows(Planner *p);                       /* ..and what passes between their stages, rows */
bool stages_row(Planner *p, Kernel *k, int writer); /* what this access stores is a private row */
bool stages_append(Planner *p, Kernel *a, const Kernel *b, int rows); /* b's stages behind a's, in so many outer dims */
bool sink_all(Planner *p);              /* sink.c: a device's updates come last, those of one formula side by side */
bool sink_rise(Planner *p);             /* ..what does not hang on a loop before it comes before it */
bool draws_all(Planner *p);             /* draws.c: numbers that only their own kernel reads have no memory */
bool draws_own(const Root *r);          /* ..ours, stored once, and nobody else's */
bool draws_forget(Planner *p, Root *r); /* ..has no memory */
bool rows_all(Planner *p);              /* rows.c: a device keeps rows that it stores and reads again */
bool pairs_all(Planner *p);             /* pairs.c: a device draws both halves of what one kernel makes pairs of */
bool kernel_alike_all(Planner *p);      /* alike.c: offsets of many kernels that differ in nothing else become slots */
bool feeds_all(Planner *p); /* feeds.c: convolutions become one kernel with the pooling that alone reads them */
bool kernel_drop(Planner *p, Kernel *k, const uint8_t *drop); /* dead.c: without stores to accesses with drop[a] */
bool narrow_all(Planner *p);                                  /* narrow.c */
bool same_all(Planner *p);                                    /* same.c */
bool kernel_unread_all(Planner *p);                           /* ..without those of results that nobody reads */
bool kernel_localize(Planner *p, Kernel *k, int *roots, int *nroots, int *syms, int *nsyms);
bool plan_build(Planner *p);                           /* build.c: fills Planner.plan */
void plan_wishes(Plan *p);                             /* memory.c: temporaries in place of others */
bool plan_events(Plan *p);                             /* ..and where memory is taken and given back */
bool plan_chains(Plan *p);                             /* chains.c: steps that may run tile by tile */
bool plan_lives(Plan *p);                              /* lives.c: lifetimes of buffers through the regions */
void plan_early_writes(const Plan *p, uint8_t *early); /* by buffer: 1 where a step that fails follows a write to it */
bool planner_looked(const Planner *p); /* lower.c: nobody relies on a step that runs later than it does */
bool plan_first_write(Plan *p); /* lives.c: Plan.first_write; false without an error: a step that fails follows it */
int plan_window_root(const Plan *p, int buf); /* the buffer that a window shows a part of; others themselves */

#endif
