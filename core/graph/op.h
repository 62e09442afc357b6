/*
 * op.h -- the operation record, attribute schemas, and what an operation's sections are handed.
 * core/ops defines `const Op op_NAME` for every structural operation and the table of scalar operations.
 */
#ifndef TH_OP_H
#define TH_OP_H

#include "kernel/conv_work.h"
#include "graph.h"
#include "kernel/kernel.h"
#include "kernel/factor_work.h"
#include "kernel/fft_work.h"
#include "kernel/pool_work.h"
#include "kernel/scalar_op.h"

/* ---- attributes: a plain struct per op, described by a schema; printing, reading, hashing, equality come from it --
 */
typedef enum {
    ATTR_INT,    /* int64_t */
    ATTR_BOOL,   /* uint8_t */
    ATTR_DTYPE,  /* uint8_t */
    ATTR_FLOAT,  /* double, compared by bits */
    ATTR_AXES,   /* AttrInts: list, n == -1 means None */
    ATTR_SCALAR, /* uint16_t: number of a scalar op, printed by name */
    ATTR_BODY,   /* const ScalarBody *: interned by structure, so pointer equality is equality */
    ATTR_IDX,    /* AttrIdx: a subscript */
    ATTR_TYPE,   /* ThType */
    ATTR_STR,    /* const char *, interned */
    ATTR_BYTE,   /* int8_t */
    ATTR_GRAPH,  /* const GraphBody *: an inner graph, compared by structure; the op has `bodies` */
    ATTR_LONGS   /* AttrLongs: list of large integers, never None */
} AttrKind;
typedef struct AttrInts {
    int8_t n;
    int8_t at[TH_MAX_NDIM];
} AttrInts; /* zero past n */
typedef struct AttrLongs {
    int64_t n, at[8];
} AttrLongs; /* zero past n */
/* Per subscript entry: kind 'i' index, 's' slice, 'n' newaxis; has_start.. say which operands (in order) are node
 * inputs. */
typedef struct AttrIdx {
    int8_t n;
    struct {
        char kind;
        uint8_t has; /* 1 start, 2 stop, 4 step */
        uint8_t dtype[3];
    } at[TH_MAX_NDIM];
} AttrIdx;
typedef struct AttrField {
    const char *name;
    uint8_t kind;
    uint16_t offset;
    bool hidden; /* printing detail: not hashed, not compared */
} AttrField;

/* ---- scalar operations (scalar_op.h) --------------------------------------------------------------------------- */
/* Result and computing dtypes for inputs of these dtypes; false with TypeError. in_cast[i]: what input i is cast to. */
bool scalar_infer(ThContext *c, int op, const ThDtype *in, int nin, ThDtype *in_cast, ThDtype *out);

/* Inner expression of a Composite (immutable, interned by structure in the context). */
typedef struct ScalarIns {
    uint16_t op;
    uint8_t dtype, nargs;
    int first;
} ScalarIns; /* args: ScalarBody.arg[first..] */
typedef struct ScalarBody {
    int nin, nout, n, narg, nconst;
    const ThDtype *in_dtype;
    const ScalarIns *ins; /* value ids: 0..nin-1 inputs, nin.. constants, then instructions */
    const int *arg;
    const ThValue *cvalue;
    const ThDtype *cdtype; /* constants */
    const int *out;        /* value ids */
    uint64_t hash;
} ScalarBody;
const ScalarBody *scalar_body_intern(ThContext *c, const ScalarBody *proto);

/*
 * An inner graph: the body of a loop, a branch (inner.c). Variables of the user's graph: free arguments, results over
 * them and constants. Immutable; graphs equal in names and lines too are one record of the context, those of equal
 * structure have one `like`; every node that has one holds it.
 */
typedef struct GraphBody {
    ThVar **in, **out, **check; /* check: not computed, but the lengths that they compare are */
    int nin, nout, ncheck;
    uint64_t hash, words; /* of its structure; of its names and lines */
    uint64_t serial;      /* from 1; never again another one's in its context */
    atomic_int refs;
    bool entered;
    bool *reach; /* scan_reach, once asked for; th_free */
    ThContext *ctx;
    const struct GraphBody *like; /* the record that stands for its structure: itself, or one that it holds */
    struct GraphBody *next;       /* of the same key in the context's map */
} GraphBody;
/* New reference. RuntimeError when out needs more than `in` and constants; NULL among in or out: NULL. */
GraphBody *graph_body(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout);
GraphBody *graph_body_checked(ThContext *c, const VarVec *in, const VarVec *out, const VarVec *check);
const GraphBody *graph_body_retain(const GraphBody *b);
void graph_body_release(const GraphBody *b);

/* ---- what sections are handed ----------------------------------------------------------------------------------- */
typedef struct Infer { /* output types from input types and attributes */
    Builder *b;
    ThContext *ctx;
    const Op *op;
    void *attrs;
    ThVar *const *in;
    int nin;
    ThType *out;
    int nout; /* in: op->nout (or as attrs say); out: filled */
} Infer;

/* Shape rule over an abstract dimension: the same function serves the type checker, ShapeFeature and the shape program.
 */
typedef int32_t Sz; /* handle */
typedef struct ShapeAlg {
    Sz (*constant)(void *u, int64_t v);
    Sz (*op)(void *u, char op, Sz a,
             Sz b); /* + - * / (floor) m (min) M (max) c (ceil div) < (1 if a<b) ? not available */
    Sz (*value)(void *u, int in,
                int64_t elem); /* value of element `elem` of integer input `in` (TYPE_SCALAR, 0-d or 1-d) */
    /* Must be equal at run time: a check that names the node. `why` is the message, {0} and {1} are the two values; it
     * may start with an error kind ("IndexError: index out of bounds: {0}", with ! where other checks may fail for that
     * reason alone), else the kind is ValueError. */
    bool (*equal)(void *u, Sz a, Sz b, const char *why);
    void *u;
    bool (*same)(void *u, Sz a, Sz b);  /* `equal` would hold in any case, so that no text is made for it; or NULL */
    bool (*alike)(void *u, Sz a, Sz b); /* one and the same size, whatever it is; or NULL: nothing is said */
} ShapeAlg;
typedef struct ShapeQ {
    const ShapeAlg *alg;
    const ThApply *node;
    const Sz *const *in; /* in[i][d]; NULL for non-tensors */
    Sz **out;            /* out[o][d], to be filled */
} ShapeQ;

typedef struct Grad {
    Builder *b;
    ThApply *node;
    ThVar *const *gz;   /* per output; NULL: disconnected */
    ThVar **gx;         /* per input, to be filled; NULL: disconnected */
    const bool *wanted; /* inputs whose gradient is used at all */
} Grad;
ThVar *grad_undefined(Grad *g, int input, const char *why); /* a NullType variable */
void grad_undefined_sparse(Grad *g);                        /* for every sparse input: loops and choices have none */

/* Forward mode: tangents of the outputs from tangents of the inputs. */
typedef struct Rop {
    Builder *b;
    ThApply *node;
    ThVar *const *ev; /* per input, of its type; NULL: none reaches it */
    ThVar **out;      /* per output, to be filled; NULL: none */
} Rop;

/* vmap: the same operation on inputs of which some have one more dimension, the mapped one, in front. */
typedef struct Batch {
    Builder *b;
    ThApply *node;
    ThVar *const *in;   /* mapped[i]: with the mapped dimension first (an index scalar: a vector), else as they are */
    const bool *mapped; /* at least one is true, unless it draws */
    uint64_t since;     /* what was made with this serial or later draws for each element */
    ThVar *size;        /* 0-d int64: length of the mapped dimension */
    ThVar **out;        /* per output, to be filled: mapped dimension first.. */
    bool *out_mapped;   /* ..unless the rule says false here (true when it starts) */
} Batch;

/*
 * Lowering: one node to views, kernels and host calls. Implemented by core/plan; operations see only this table, so
 * that graph and ops do not depend on plan. Sizes are composed by the planner's shape program.
 */
typedef struct Lower Lower;
/*
 * A host call (STEP_HOST): one node run as a C function on its operands as arrays, in the interpreter and in generated
 * code alike. Arrays are headers on the caller's stack over the plan's buffers: valid during the call, never retained.
 * The layout is the plan's, so inputs may be strided; outputs are C-contiguous unless they alias.
 */
typedef struct HostCall HostCall;
typedef struct HostServices HostServices;
typedef int (*HostFn)(HostCall *h); /* 0, or nonzero after h->fail or an error in h->ctx */
enum { HOST_SHARES = 8 };
struct HostCall {
    ThContext *ctx;
    const Op *op;
    const void *attrs;
    bool checked;        /* DebugMode: what code of the host does to its operands is looked at too */
    ThArray **in, **out; /* NULL where the operand is no tensor */
    int nin, nout;
    void *scratch; /* scratch_bytes of LowerApi.host */
    void *(*room)(HostCall *h,
                  uint64_t bytes); /* the one working block of this share, kept for the next call; or NULL */
    int share; /* shares of a call that run at the same time have a copy of this each: HOST_SHARES, and one for what is
                  common to them */
    int (*fail)(HostCall *h, ThError kind, const char *text); /* text is copied; returns 1 */
    const HostServices *lib;                                  /* graph/services.h */
    const int64_t *const *head; /* of a device, by input: the head of a sparse matrix; NULL on the host */
    struct GpuCall *gpu;        /* of a device: what its services work with (runtime/gpu/gpu.h); NULL on the host */
    /* fn(i, user) for all i < n, on several threads where there are */
    void (*parallel)(HostCall *h, int n, void (*fn)(int i, void *user), void *user);
    int64_t number; /* of this host call in its plan: under it a call may.. */
    /* ..leave arrays (it takes references) for later ones of the same call, in place of those it left before.. */
    bool (*leave)(HostCall *h, ThArray *const *arrays, int n);
    ThArray *const *(*left)(HostCall *h, int64_t number, int *n); /* ..which find them; NULL: none */
    void *frame;
    atomic_bool *early; /* for ctx_leaves: the call fails where it is set */
};
static inline bool host_leaves(const HostCall *h) { return ctx_leaves(h->ctx, h->early); }
/* How an argument or a result of a loop's body lies in the loop's arrays. */
typedef struct LoopPort {
    int inner;      /* number of the body's input (in ports) or output (out ports) */
    int outer;      /* in ports: node input i, or -1 - o for node output o, a state that the loop itself writes; out
                       ports: node output o */
    bool window;    /* one row along the array's dim 0 each turn; else all of it */
    Size off, step; /* row = off + t * step .. */
    Size ring;      /* .. modulo ring; constant 0: no modulo */
} LoopPort;
typedef struct LowerApi {
    ThType (*in_type)(Lower *l, int i);
    Size (*in_dim)(Lower *l, int i, int d);
    Size (*out_dim)(Lower *l, int o, int d); /* from the op's shape rule */
    Size (*mul)(Lower *l, Size a, Size b);
    Size (*add)(Lower *l, Size a, Size b);
    Size (*op)(Lower *l, char op, Size a, Size b); /* as ShapeAlg.op */
    bool (*same)(Lower *l, Size a, Size b);        /* known to be equal at plan time */
    Size (*in_value)(Lower *l, int i,
                     int64_t elem); /* integer input's value as a Size (shape program or a size step) */
    /* output o is a view of input i: strides in elements and offset from the buffer's base, both absolute (built from
     * in_stride and in_offset of the input) */
    bool (*view)(Lower *l, int o, int i, int ndim, const Size *shape, const Size *strides, Size offset);
    Size (*in_stride)(Lower *l, int i, int d); /* elements */
    Size (*in_offset)(Lower *l, int i);
    bool (*in_contiguous)(Lower *l, int i); /* known at plan time; `contiguous` makes it so (copies if need be) */
    bool (*contiguous)(Lower *l, int i);
    bool (*destroyable)(Lower *l, int i); /* the storage of input i may be overwritten: `alias` would copy nothing */
    bool (*outlives)(Lower *l, int i);    /* ..and it is there after the call: what fails must fail before a write */
    bool (*looked)(Lower *l);             /* each of its indices was looked at by a step that runs before this node's */
    bool (*alias)(Lower *l, int o,
                  int i); /* output o reuses input i's storage whole (in place): allowed by the in-place pass */
    bool (*copy)(Lower *l, int o, int i); /* out o := input i (broadcast), as a kernel */
    Kernel *(*kernel)(Lower *l);          /* a new kernel for this node; the planner owns it */
    /* accesses: map[d] = kernel dim that runs along dim d of the tensor, or -1 (position 0) */
    int (*read)(Lower *l, Kernel *k, int i, const int8_t *map);
    int (*write)(Lower *l, Kernel *k, int o, const int8_t *map);
    int (*read_out)(Lower *l, Kernel *k, int o, const int8_t *map, uint8_t flags); /* read-modify-write of an output */
    int (*rowtemp)(Lower *l, Kernel *k, ThDtype d, const int8_t *dims,
                   int n); /* private buffer over those kernel dims */
    /* Accesses with free strides: off from the buffer's base and st[d] per KERNEL dim (k->ndim entries), absolute as in
     * `view`; built from in_stride/in_offset and out_stride/out_offset. write_at's flags are added to ACC_WRITE
     * (ACC_ADD accumulates). Outputs are C-contiguous unless aliased. Join, Split, IncSubtensor and scatters write
     * parts of an output; several kernels of one node run in the order made, after a `copy` or `alias` made before
     * them. A node that writes nothing leaves its output undefined (AllocEmpty). */
    int (*read_at)(Lower *l, Kernel *k, int i, Size off, const Size *st);
    int (*write_at)(Lower *l, Kernel *k, int o, uint8_t flags, Size off, const Size *st);
    /* Kernels of this node made from here on store other elements of output 0 each; `more`: and other ones than those
     * of the nodes that stored parts of it before. */
    void (*parts)(Lower *l, bool more);
    Size (*out_stride)(Lower *l, int o, int d); /* elements */
    Size (*out_offset)(Lower *l, int o);
    bool (*host)(Lower *l, HostFn fn, size_t scratch_bytes); /* inputs and outputs as arrays */
    bool (*loops)(Lower *l); /* for a GPU, where loops are better than a call of one of the host's libraries */
    /*
     * Body number `body` of the node's op runs `trip` times, after all other works of the node. Every argument of it
     * has exactly one in port. An output that is a state was made before by copy or alias (rows contiguous); others
     * start undefined. Two out ports never share a node output. What a turn writes, in ports of that node output see
     * from the next turn on. `until`: result (0-d bool) that ends the loop after the turn where it is true, or -1;
     * `turns`: node output (0-d int64) that gets the number of turns, or -1.
     */
    bool (*loop)(Lower *l, int body, Size trip, const LoopPort *in, int nin, const LoopPort *out, int nout, int until,
                 int turns);
    /* Body 0 where node input `cond` (0-d, one byte) is true, else body 1; argument i of them is node input then_in[i],
     * else_in[i]; result o of either is node output o. */
    bool (*branch)(Lower *l, int cond, const int *then_in, int nthen, const int *else_in, int nelse);
} LowerApi;
struct Lower {
    const LowerApi *api;
    ThContext *ctx;
    const ThApply *node;
    void *plan;
};

/* ---- the record ------------------------------------------------------------------------------------------------- */
enum {
    OP_PURE = 0,
    OP_FAILS = 1,  /* while running; a length that does not fit is found before the first step */
    OP_EFFECT = 2, /* EFFECT never merges, moves or dies; FAILS never moves above a lazy branch.. (rules.md) */
    OP_VIEW = 4,   /* output 0 is a view of input 0 */
    OP_ELEMWISE = 8,
    OP_COMM = 16 /* merge may sort inputs */,
    OP_DRAWS = 128 /* random numbers: vmap draws them for each element */,
    OP_CALLS_BACK = 64 /* runs code of the host, which may call the engine; in calls, never while compiling */,
    OP_CAN_DESTROY = 32 /* has an in-place form overwriting input `destroy_input` */,
    OP_HALVES = 256 /* moves elements, whatever they are: halves too, which others are given as float32 */,
    OP_AMP = 512 /* a product: in mixed precision its operands are rounded to a half, and it adds up in float32 */,
    OP_MACHINE = 1024, /* its last bits depend on the processor or on a library: refused with the flag repro */
    OP_EARLY = 2048    /* on a device it fails before anything of it is queued, or not at all */
};
/* Where the elements of a small integer result come from: lengths are found through such nodes without running. */
typedef enum {
    NUMBERS_COMPUTED,
    NUMBERS_LENGTHS,  /* the lengths of input 0 */
    NUMBERS_LENGTH,   /* one of them: the attribute says which */
    NUMBERS_INPUTS,   /* the elements of the inputs one after the other */
    NUMBERS_SUBSCRIPT /* those of input 0 that the subscript picks */
} OpNumbers;
enum { DEVICE_FORM = 1 };
#define DEVICE_READS(i) (2u << (i))
/* Input i is a sparse matrix (from 15 on all are or none is): its head is read on the host. */
#define DEVICE_HEAD(i) (1u << (16 + ((i) < 15 ? (i) : 15)))
/* What an element may be wrong with where a device finds it: {0} to {3} are its values ({0g}: a double's bits). */
typedef struct OpFailure {
    ThError kind;
    const char *text;
} OpFailure;
struct Op {
    const char *name; /* in graph text: "Sum"; unique */
    uint32_t flags;
    uint8_t numbers;      /* OpNumbers */
    int8_t nin;           /* -1: any number */
    int8_t nout;          /* -1: as attributes say (infer sets it) */
    int8_t destroy_input; /* with OP_CAN_DESTROY */
    uint16_t attr_bytes, nattr;
    /* DEVICE_FORM: its host call looks at the headers of its arrays and hands the rest to HostCall.lib, so that it runs
     * where they lie; DEVICE_READS(i): but for input i, whose elements it reads on the host; DEVICE_HEAD(i): whose
     * head it does. */
    uint32_t device;
    const AttrField *attrs;
    bool (*infer)(Infer *q);
    bool (*shape)(ShapeQ *q); /* NULL: not known before running (late) */
    void (*grad)(Grad *g);    /* NULL: undefined */
    bool (*lower)(Lower *l);
    void (*str)(Text *t, const ThApply *a); /* Theano's op string; NULL: from name and schema */
    void (*pp)(Text *t, const ThApply *a, void (*arg)(Text *t, const ThApply *a, int i)); /* NULL: str(args) */
    /* Operands of other ranks than the node's made to fit, as its builder does; NULL: they are taken as they are. */
    bool (*refit)(Builder *b, const ThApply *a, ThVar **in);
    bool (*connected)(const ThApply *a, int in, int out); /* NULL: everything */
    bool (*rop)(Rop *r);                                  /* forward mode; NULL: by reverse mode twice */
    bool (*batch)(Batch *q);                              /* vmap; NULL: refused by name */
    /* Stands for other operations: out[i] on inputs `in` (node's own or new ones), put there before compiling. Where
     * it can be computed in two ways and `pairs` is not NULL, the variables of both go there, result by result. */
    bool (*expand)(Builder *b, ThApply *node, ThVar *const *in, VarPairs *pairs, ThVar **out);
    /* Inner graphs in the attributes, all of its ATTR_GRAPH fields; NULL: an ordinary operation. */
    const GraphBody *const *(*bodies)(const void *attrs, int *n);
    /* The node's input that argument i of body 0 comes from: debugprint then shows the body. */
    int (*outer_of)(const ThApply *a, int i);
    const OpFailure *failures; /* in elements, by number; or NULL */
    HelpLine doc;              /* for those who read the source */
};
#define OP_DOC HELP_LINE
extern const Op *const op_table[];
extern const int op_count;
const Op *op_find(const char *name);
/* attr.c */
uint64_t attrs_hash(const Op *op, const void *attrs);
bool attrs_equal(const Op *op, const void *a, const void *b);
bool attrs_equal_but_bodies(const Op *op, const void *a, const void *b); /* inner graphs are not looked at */
void attrs_text(Text *t, const Op *op, const void *attrs);               /* {axis=[0], acc_dtype=float64} */
/* body: graph texts in place of its bodies; NULL: its own. */
void attrs_text_with(Text *t, const Op *op, const void *attrs, const char *const *body);
bool attrs_read(ThContext *c, const Op *op, const char *text, void *attrs);
/*
 * core/ops/control/ifelse_collect.c: the graph of outs with every conditional that it reaches above `stop` made lazy,
 * what one side alone needs inside that side: new references; unchanged parts are shared. And whether a conditional was
 * ever made in this context: without one there is nothing to look for.
 */
bool ifelse_collect(ThContext *c, ThVar *const *outs, int n, ThVar *const *stop, int nstop, ThVar **out);
bool ifelse_any(const ThContext *c);

/* Elemwise: the only op of the scalar table (core/ops/elemwise/elemwise.c). */
typedef struct ElemwiseAttrs {
    const ScalarBody *body; /* Composite, or NULL */
    uint16_t scalar;        /* scalar op when body is NULL */
    uint8_t cast_dtype;     /* S_cast: target, else 0 */
    int8_t inplace[3];      /* {n, out, in}: pattern [(out, in)] once in place; zero otherwise */
} ElemwiseAttrs;
extern const Op op_elemwise;
extern const Op op_dimshuffle;
/* Builds Elemwise{scalar} with lower-rank inputs left-padded by InplaceDimShuffle{x,..}. */
ThVar *elemwise_make(Builder *b, int scalar, ThVar *const *in, int nin);
ThVar *cast_make(Builder *b, ThVar *x, ThDtype d);                          /* x itself when equal */
ThVar *dimshuffle_make(Builder *b, ThVar *x, const int8_t *pattern, int n); /* -1 = 'x'; x itself when identity */
ThVar *zeros_like_make(Builder *b, ThVar *x, ThDtype d); /* fill(x, 0); of a sparse matrix its structure with zeros */
/* Of gradients, each sparse or dense (core/ops/sparse): their sum, and one as values of dtype d. */
ThVar *sparse_sum_of(Builder *b, ThVar *x, ThVar *y);
ThVar *sparse_values_as(Builder *b, ThVar *x, ThDtype d);
ThVar *second_make(Builder *b, ThVar *x, ThVar *value); /* Elemwise{second} */
/* Sums over the dims where x is broadcastable and g is not (and restores x's rank): after an elementwise gradient. */
ThVar *unbroadcast_make(Builder *b, ThVar *g, ThVar *x);
ThVar *patternbroadcast_make(Builder *b, ThVar *x, uint32_t broadcastable); /* x itself when it has that pattern */

#endif
