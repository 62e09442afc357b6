/*
 * plan.h -- an optimized, scheduled FGraph becomes plain arrays: kernels, steps in a tree of regions, a shape program,
 * buffers, checks and the commit. The plan holds no pointer into the graph's arena (constants are retained arrays); it
 * is immutable, shared by all callers, executed alike by the interpreter and by generated code, and it is what will be
 * saved.
 */
#ifndef TH_PLAN_H
#define TH_PLAN_H

#include "kernel/kernel.h"
#include "graph/op.h"

/* ---- shape program: int64 straight-line code over slots (frame.sym). Run when the signature of a call differs from
 * the last. ---- */
typedef enum {
    SHAPE_CONST,  /* dst = k */
    SHAPE_DIM,    /* dst = length of dim b of argument buffer a */
    SHAPE_STRIDE, /* dst = stride in elements of dim b of argument buffer a */
    SHAPE_VALUE,  /* dst = element b of integer buffer a (an argument, or computed by an earlier step: then in a
                     STEP_SIZE) */
    SHAPE_ADD,
    SHAPE_SUB,
    SHAPE_MUL,
    SHAPE_FLOORDIV,
    SHAPE_CEILDIV,
    SHAPE_MIN,
    SHAPE_MAX,
    SHAPE_LT,
    SHAPE_SELECT,   /* dst = c ? a : b */
    SHAPE_CHECK_EQ, /* a == b or fail with check number k */
    SHAPE_CHECK_GE0 /* a >= 0 or fail with check number k */
} ShapeOp;
typedef struct {
    uint8_t op;
    int dst, a, b, c;
    int64_t k;
} ShapeIns;
typedef struct {
    int node;
    ThError kind;
    const char *text; /* format: {0} {1} are the two values; interned */
    bool cause;       /* what fails as well follows from it (text_check_kind) */
} ShapeCheck;

/* ---- buffers ---- */
typedef enum {
    BUF_INPUT,
    BUF_SHARED,
    BUF_CONST,
    BUF_TEMP,
    BUF_OUTPUT, /* from the free list, also shadows of updates */
    BUF_WINDOW  /* a part of another buffer; which one, its region says at every turn */
} BufKind;
typedef struct PlanBuf {
    uint8_t kind, dtype, space; /* space 0 host */
    int16_t ndim;
    int index; /* number of the argument, shared, constant, output slot or window */
    bool late; /* its size is found by a STEP_SIZE: a STEP_LATE allocates it, the layout and the call do not */
    Size size; /* elements of the root (TEMP, OUTPUT) */
    Size shape[TH_MAX_NDIM]; /* arguments, shareds: their dims as slots; a length the type promises to be 1 is the
                                constant 1 */
    int first, last;         /* steps between which a TEMP lives (layout) */
    bool carried;            /* a turn of a loop finds what stood there before it */
    int inplace_of;          /* TEMP/OUTPUT: try the slot of this buffer (dies there), or -1 */
    uint8_t kept;            /* apart.h: why what reads it is another kernel than what writes it */
    uint8_t apart;           /* ..why it lies in place of nothing; */
    int apart_of;            /* ..and the buffer of which that is said, or -1 */
    int node;                /* the node at work when it was made, or -1 */
    const char *name;        /* of the user's variable that lies there, or NULL; text for readers, never for use */
} PlanBuf;

/* ---- steps ---- */
typedef enum {
    STEP_KERNEL,
    STEP_HOST,
    STEP_TRANSFER,
    STEP_SIZE /* runs shape instructions [a, a + n) that read computed values */,
    STEP_LATE /* allocates a buffer whose size a STEP_SIZE found */
} StepKind;
typedef struct Step {
    uint8_t kind;
    int kernel;     /* index into Plan.kernel (STEP_KERNEL) */
    int *buf, nbuf; /* kernel-local buffer -> plan buffer; STEP_HOST: inputs then outputs; TRANSFER: from, to */
    int *sym, nsym; /* kernel-local symbol -> plan slot */
    ThValue *param;
    int nparam;
    int a, n; /* STEP_SIZE */
    int host; /* STEP_HOST: index into Plan.host */
    int node; /* ordinal (toposort index) of the node named in errors */
    const int *nodes;
    int nnodes; /* all nodes fused into it */
    bool can_fail;
    bool fails_first;  /* ..only before it writes anything */
    uint8_t rows;      /* apart.h: why the step behind it is not computed row by row with it */
    int chain;         /* this step and the chain - 1 behind it may run tile by tile (chains.c), or 0 */
    const char *title; /* "Elemwise{tanh}, Dot22" */
    const char *op;    /* the operation that a profile counts it under; NULL: its node's */
} Step;

typedef enum { REGION_STRAIGHT, REGION_LOOP, REGION_BRANCH } RegionKind;
/* Straight: steps [first, first + n). Loop: child runs `trip` times, with frame.sym[counter] = 0, 1, ..; `until`
 * (buffer of a bool) stops after the step where it is true, or -1; 1 + `turns` is the buffer (int64) that gets the
 * number of turns when the loop ends, or 0. Branch: child if buffer `cond` is nonzero, else other. Windows [window,
 * window + nwindow) are set before every turn (branch: once). Children are region numbers; next: following region, or
 * -1. */
typedef struct Region {
    uint8_t kind;
    int first, n;
    int child, other, next;
    Size trip;
    int counter, until, cond;
    int turns, window, nwindow;
    const char *title; /* what it is to the user: "scan_fn", or NULL */
} Region;
/*
 * In turn t buffer `buf` (a BUF_WINDOW) lies at buffer `of` + base + (first + t * step) mod ring, counted in elements;
 * ring 0: no modulo. `next`: the window of the same region that lies in this turn where this one will in the next, and
 * nothing else writes there: its value may be kept in a register; or -1.
 */
typedef struct PlanWindow {
    int buf, of, next;
    Size base, first, step, ring;
} PlanWindow;

/* Array descriptor of an argument or result in the frame's terms: which buffer, where, how shaped. */
typedef struct PlanValue {
    int buf;
    uint8_t dtype;
    uint8_t flags; /* of arrays of a sparse type */
    bool packed;   /* reports: C-contiguous, strides follow from the lengths, which are the argument's own */
    int16_t ndim;
    Size off, shape[TH_MAX_NDIM], stride[TH_MAX_NDIM];
    const char *said; /* reports: what the user calls it (interned); NULL: what its node's text has */
    Prov made;        /* reports: where it was written, if it has no name */
} PlanValue;

typedef struct PlanHost {
    HostFn fn;
    size_t scratch_bytes;
    PlanValue *in, *out;
    int nin, nout;
    const Op *op;
    const void *attrs;
} PlanHost;
/* Its input i is a sparse matrix, whose head the host reads for a device. */
bool plan_reads_head(const PlanHost *h, int i);
typedef struct PlanNode {
    const char *text, *types;
    Prov prov;
    const char *op;
    PlanValue *in;
    int nin;
    bool gone;           /* not computed any more: only its lengths are checked */
    int within, counter; /* a node of a body: 1 + the node whose body it is, 1 + the slot that counts its turns; else 0
                          */
} PlanNode;              /* for error reports: op(inputs); in: where its inputs lay (shapes, strides), or NULL */
/* Arguments are planned as C-contiguous (the caller copies others) unless `strided`: then their strides are slots
 * (SHAPE_STRIDE) too. Shareds and constants are always C-contiguous. */
typedef struct PlanIo {
    ThType type;
    const char *name;
    const char *said; /* of a body's: what it is outside (interned), NULL: its name tells */
    bool mutable_, borrow, strided;
    bool on_host; /* of a result: it is to be on the host, whatever makes it */
    bool varying; /* of a body: another value at every turn, so that integers in it are read while it runs */
} PlanIo;
/* An integer that feeds sizes: element `elem` of argument or shared buffer `buf`. Part of the signature beside shapes
 * (and strides). */
typedef struct PlanSigValue {
    int buf;
    int64_t elem;
} PlanSigValue;

typedef struct Plan {
    ThContext *ctx;
    atomic_int refs;
    Arena *arena; /* all arrays below */
    Kernel **kernel;
    int nkernel; /* canonical: local symbols 0.., equal keys shared */
    Step *step;
    int nstep;
    Region *region;
    int nregion; /* region[0] is the root */
    PlanWindow *window;
    int nwindow;
    struct Plan **body; /* plans of bodies, whose arenas hold texts and attributes of this one */
    int nbody;
    ShapeIns *shape;
    int nshape; /* run at a new signature; those of STEP_SIZE follow */
    int nshape_static, nsym;
    ShapeCheck *check;
    int ncheck; /* check[0]: a size overflowed int64 (shape_run returns 1 + 0) */
    PlanSigValue *sig;
    int nsig;
    int first_write; /* first step that writes shared or mutable storage, nstep when none: nothing may fail or be
                      * interrupted from there on */
    PlanBuf *buf;
    int nbuf;
    ThArray **constant;
    int nconstant;
    Shared **shared;
    int nshared; /* retained */
    PlanIo *input;
    int ninput;
    PlanIo *output;
    int noutput;       /* results only */
    PlanValue *result; /* noutput of them */
    /* commit: after the last step. shared[u.shared] takes the value described (pointer exchange); entries written in
     * place are absent. */
    struct PlanUpdate {
        int shared;
        PlanValue value;
    } * update;
    int nupdate;
    uint8_t *shared_written; /* in place or by commit: the shared's lock is needed */
    PlanHost *host;
    int nhost;
    PlanNode *node;
    int nnode;
    size_t scratch_bytes; /* largest GEMM packing or host scratch; dynamic part in slot scratch_sym (or -1) */
    int scratch_sym;
    Size *var; /* by variable id of the graph: its elements; only when the graph asks (FGraph.measure), else NULL */
    int nvar;
    int *layout_order;
    int nlayout; /* ALLOC/FREE events: +buf+1 alloc, -(buf+1) free, replayed through TLSF */
} Plan;
/* A device may find that the step fails when others are queued behind it. */
bool plan_fails_late(const Plan *p, const Step *s);
/* It writes storage that outlives the call: an argument's, a shared variable's. */
bool plan_writes_outside(const Plan *p, const Step *s);

/*
 * in[i] describes plain input i (nin of them; shareds follow in fg->in), out[i] result i. The plan keeps fg->order
 * (fg_toposort when NULL); step node numbers are positions in it. NULL with the error set.
 */
Plan *plan_make(FGraph *fg, const PlanIo *in, int nin, const PlanIo *out, int nout);
Plan *plan_retain(Plan *p);
void plan_release(Plan *p);
/* under: appends what is to stand below a kernel, or NULL. */
typedef bool PlanUnder(Text *t, const Kernel *k, void *user);
bool plan_text(Text *t, const Plan *p, PlanUnder *under, void *user);
bool plan_check(const Plan *p);
bool plan_check_reads(const Plan *p); /* of that what memory hangs on; every plan that is made goes through it */
/*
 * A plan by hand, region by region (inner plans of loops and branches; tests). Numbers are those of the finished plan.
 * Every call gives the new number or -1 with the error set; planb_finish takes lifetimes, layout events and checks upon
 * itself, frees the builder and gives the plan (a reference) or NULL. Steps stand in the order of execution of the
 * region tree; counters of loops are slots from planb_slot(SHAPE_CONST). Kernels are in local numbers and become the
 * plan's.
 */
typedef struct PlanBuilder PlanBuilder;
PlanBuilder *planb_new(ThContext *c);
int planb_slot(PlanBuilder *b, ShapeIns i); /* static shape instruction; dst is filled in */
int planb_late_slot(PlanBuilder *b,
                    ShapeIns i); /* one run by STEP_SIZE steps; its position is the number given, its slot .dst */
int planb_buffer(PlanBuilder *b, PlanBuf f);
int planb_input(PlanBuilder *b, ThType t, const char *name); /* the next argument: its buffer, shape slots made */
int planb_result(PlanBuilder *b, ThType t, const PlanValue *v);
int planb_kernel(PlanBuilder *b, Kernel *k);
int planb_step(PlanBuilder *b, Step s);     /* arrays are copied */
int planb_region(PlanBuilder *b, Region r); /* region 0 is the root; links may name later regions */
Plan *planb_finish(PlanBuilder *b);
/*
 * Runs shape instructions [first, first + n) on sym. Returns 0, or 1 + check number. value(u, buf, elem) reads
 * integers.
 */
typedef struct ShapeEnv {
    int64_t (*dim)(void *u, int buf, int d);
    int64_t (*stride)(void *u, int buf, int d);
    int64_t (*value)(void *u, int buf, int64_t elem);
    void *u;
    int64_t fail[2]; /* out: the two values of the check that failed */
    int at;          /* out: the instruction that failed */
} ShapeEnv;
int shape_run(const Plan *p, int first, int n, int64_t *sym, ShapeEnv *env);
bool shape_check_yields(const ShapeCheck *c); /* to lengths that do not fit: it says what is wrong with an index */
/* TLSF replay: offset[b] for every TEMP buffer, total arena bytes. size_t overflow: -1. Touches only memory given. */
int64_t plan_layout(const Plan *p, const int64_t *sym, int64_t *offset, void *work, size_t work_bytes);
int64_t plan_results_bytes(const Plan *p, const int64_t *sym); /* of results and of new values that are exchanged */
size_t plan_layout_work(const Plan *p);

/* lives.c: the shared whose storage step s changes by its buffer b, or -1. */
int plan_changed_shared(const Plan *p, const Step *s, int b);

#endif
