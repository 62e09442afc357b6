/*
 * kernel.h -- the one loop-level form. A Kernel is outer loops plus the stages that share them; C emitter, CUDA emitter
 * and interpreter execute Kernels and never see an Apply. Operations build one-node kernels through Lower (op.h);
 * core/plan composes views, fuses kernels and fixes buffers. Pure data: ids and numbers only, no pointers to graph
 * nodes.
 *
 * Order of execution: for every point of dims [0, nouter) (nested in order): stages one after the other; a stage runs
 * its own dims [d0, d0 + nd) inside, executing its instructions at their depth. depth = number of loops (outer + own)
 * around an instruction, so hoisting is a number. A reduction's accumulator starts at its identity where its DIM_RED
 * loops start and is a value (Red.v_out) for instructions outside of them.
 */
#ifndef TH_KERNEL_H
#define TH_KERNEL_H

#include "base/base.h"

enum { KDIM = 32, KACC = 24, KINS = 200 }; /* caps of one kernel; past them: another stage or kernel */

typedef struct {
    int64_t k;
    int sym;
} Size; /* sym < 0: constant k; else k * frame.sym[sym] */
static inline Size size_const(int64_t k) { return (Size){k, -1}; }
static inline bool size_is(Size s, int64_t k) { return s.sym < 0 && s.k == k; }
static inline bool size_eq(Size a, Size b) { return a.k == b.k && (a.sym == b.sym || (a.sym < 0 && b.sym < 0)); }
static inline int64_t size_value(Size s, const int64_t *sym) { return s.sym < 0 ? s.k : s.k * sym[s.sym]; }
#define SIZE_UNKNOWN INT64_MIN /* in a slot that nothing has computed yet */
/* The same where memory hangs on it: false when it is not known, or does not fit. */
static inline bool size_get(Size s, const int64_t *sym, int64_t *value) {
    *value = s.k;
    return s.sym < 0 || (sym[s.sym] != SIZE_UNKNOWN && !__builtin_mul_overflow(s.k, sym[s.sym], value));
}
/* Bytes of so many elements: false when that is not known, negative, or more than memory can have. */
static inline bool size_bytes(Size s, const int64_t *sym, ThDtype d, int64_t *bytes) {
    int64_t n;
    return size_get(s, sym, &n) && n >= 0 && !__builtin_mul_overflow(n, (int64_t)th_dtype_bytes(d), bytes) &&
           *bytes <= (int64_t)1 << 61 && bytes_fit((uint64_t)*bytes);
}

typedef enum { DIM_PAR, DIM_RED, DIM_SEQ } DimKind;
typedef struct {
    Size n;
    uint8_t kind;
} Dim;

enum {
    ACC_READ = 1,
    ACC_WRITE = 2,
    ACC_ADD = 4 /* store accumulates (sequential order) */,
    ACC_SAMEMAP = 8 /* in place */,
    ACC_ROWTEMP = 16, /* private to one outer point */
    ACC_PART = 32     /* others of them store other elements of the buffer */
};
typedef struct { /* element index = off + sum i_d * st[d] (+ value idx), in ELEMENTS of dtype from the buffer's base */
    int buf;     /* kernel-local buffer number (Kernel.nbuf); a Step maps it to a plan buffer */
    uint8_t dtype, flags;
    Size off, st[KDIM]; /* st[d] 0 = broadcast along dim d; may be negative */
    int idx;            /* value id (int64 element offset, already checked) added to the address, or -1 */
    int guard;          /* value id of a predicate; false: load gives 0, store is skipped; or -1 */
} Access;

/* Instruction codes past the scalar table (scalar ops are 0 .. SCALAR_COUNT-1 of core/ops). */
enum {
    INS_LOAD = 0x1000, /* a = access */
    INS_STORE,         /* a = access, b = value */
    INS_PARAM,         /* a = index into the step's parameters (lifted literal) of this dtype */
    INS_CONST,         /* a = 0, 1, -1, 2 or INS_HALF: literals kept in the text */
    INS_INDEX,         /* a = dim: its current index (int64) */
    INS_SIZE,          /* a = index into Kernel.size: a Size as int64 value */
    INS_CAST,          /* a = value; dtype = target */
    INS_CHECK_INDEX, /* a = int64 value, b = INS_SIZE value n: wraps negatives; out of range: fail IndexError {i, n} */
    INS_RED,         /* a = index into red: the finished accumulator as a value */
    INS_FAIL_IF,     /* a = bool value, b = ThError kind: stop when true in any element */
    INS_EP           /* in the epilogue of a library call, at its innermost depth: the element of C just computed;
                      * a >= 0 (Stage.paired): that of this access */
};
enum { INS_HALF = 100 };
typedef struct { /* scalar SSA; its value id is its position in Kernel.ins */
    uint16_t op;
    uint8_t dtype;    /* dtype of the VALUE */
    uint8_t in_dtype; /* dtype of the operands (comparisons, casts); == dtype otherwise */
    uint8_t depth, stage;
    int a, b, c, d; /* value ids (-1 none), or as above */
    uint32_t prov;
} Ins;

typedef enum { RED_SUM, RED_PROD, RED_MAX, RED_MIN, RED_ARGMAX, RED_ARGMIN, RED_AND, RED_OR } RedKind;
/* v reduced over the stage's DIM_RED dims in acc_dtype. ARGMAX/ARGMIN: first position (flattened over the reduced dims
 * in order) of the extremum, NaN first; acc int64 result. MAX/MIN propagate NaN. depth: loops around the accumulator.
 */
typedef struct {
    int v;
    uint8_t kind, acc_dtype, depth, stage;
} Red; /* INS_RED: a = its number; v is cast to acc_dtype first (an INS_CAST) */

typedef enum { STAGE_LOOP, STAGE_GEMM, STAGE_CONV, STAGE_POOL, STAGE_DRAW } StageClass;
typedef struct {
    uint8_t cls;
    uint8_t d0, nd; /* own dims: DIM_PAR first, then DIM_RED, DIM_SEQ anywhere */
    /* The one vectorised dim (an own dim), or -1: every instruction runs on scalars. Set by the planner (the
     * dim most accesses have at stride 1). It fixes the bits of reductions for every executor:
     *   vec is DIM_RED: element i of that dim goes to accumulator lane i mod NL, NL = 256 / bytes(acc_dtype); lanes
     * live across the other DIM_RED loops and are folded at the end by halves (lane j with lane j + NL/2, then NL/4,
     * ..); unused lanes hold the identity. vec is DIM_PAR (or -1): each point has one accumulator, fed in loop order.
     *   A reduction of everything (kernel_in_blocks) goes block by block: kernel_block steps of the outermost dim each.
     * A block has accumulators of its own, its first step counting as 0, and its result is joined to that of those
     * before it (a = a (+) block), from first to last.
     * An instruction at a depth that does not include the vec loop is uniform. */
    int8_t vec;
    int ins0, nins; /* instructions, in order of execution within each depth */
    int red0, nred;
    /* STAGE_GEMM over own dims (m, n, k): c[m,n] = beta * c + alpha * sum_k a[m,k] b[k,n]; accesses A, B, C; alpha,
     * beta value ids at depth nouter or -1 (1 and 0). beta == -1 or exact 0 never reads c. Instructions of a GEMM stage
     * are its epilogue: run for each (m, n) point after c is complete there, with INS_EP the element of c; vec is the n
     * dim. STAGE_CONV over own dims (image, filter, places ..): the library's convolution of A (images) and B (filters)
     * into C, as conv_work.h reads it from sizes [num0, num0 + nnum) of the kernel; A and B have no strides here; its
     * epilogue stands likewise at depth nouter + nd, with vec the last dim. Neighbouring dims of places may be one.
     * STAGE_POOL, likewise: the library's pooling of A into C over own dims (image, channel, rows, columns), as
     * pool_work.h reads it; there is no B. STAGE_DRAW, likewise: random numbers into C over its own dims, which are
     * those of C in order; A and B as draw_work.h says, B perhaps written. */
    int A, B, C, alpha, beta;
    /* A STAGE_LOOP that has them is a convolution written as loops: its sum of products is what conv_work.h says of
     * these numbers and a target behind them, the first factor being the operand that comes first there. */
    int num0, nnum;
    /* Of a STAGE_CONV: the next stage, a pooling, alone reads C and runs image by image behind it. C's buffer has no
     * memory; where its first element would lie is told to what runs on the parts. */
    bool feeds;
    bool sole;    /* Of a STAGE_GEMM: only its epilogue reads C, which has memory for a library that leaves it there. */
    bool passing; /* Of a STAGE_DRAW: only its epilogue reads C, some numbers at a time. C's buffer has no memory. */
    /* Of a passing STAGE_DRAW for a device: its dim has half of the numbers, and the epilogue takes each with the one
     * that lies as far behind it; of no literal times a number that it takes a sine or cosine of is that far from 0
     * (SPECIAL_FAR). */
    bool paired, near;
} Stage;
static inline bool stage_calls(const Stage *s) { return s->cls != STAGE_LOOP; }
static inline bool stage_convolves(const Stage *s) { return s->cls == STAGE_LOOP && s->nnum; }
static inline const char *stage_call_name(const Stage *s) {
    return s->cls == STAGE_CONV   ? "convolution"
           : s->cls == STAGE_POOL ? "pooling"
           : s->cls == STAGE_DRAW ? "draw"
                                  : "product";
}
/* Own dims that a stage's instructions run in, and the first of those that may be taken out or merged. */
static inline int stage_loops(const Stage *s) { return s->cls == STAGE_GEMM ? 2 : s->nd; }
static inline int stage_free(const Stage *s) {
    return s->d0 + (s->cls == STAGE_LOOP || s->cls == STAGE_DRAW ? 0 : s->cls == STAGE_GEMM ? s->nd : 2);
}
/* The access that an INS_EP is read through where C has memory. */
static inline int stage_element(const Stage *s, const Ins *i) { return i->a >= 0 ? i->a : s->C; }
/* Own dims that a part of a call's result is told by. */
static inline int stage_parts(const Stage *s) { return s->cls == STAGE_DRAW ? 1 : 2; }

typedef struct Kernel {
    ThContext *ctx;
    int ndim, nouter, nbuf;
    Dim dim[KDIM];
    VEC(Access) acc;
    VEC(Ins) ins;
    VEC(Red) red;
    VEC(Stage) st;
    VEC(Size) size;
    VEC(ThValue) param; /* values of lifted literals, as the widest type of their kind; not part of the key */
    uint64_t key;       /* of everything but params, prov and symbols' numbers: equal keys share one text */
    bool can_fail;
    bool fails_first;  /* ..only before it writes anything */
    const char *title; /* expression it computes, for the generated text */
} Kernel;

/* ---- kernel.c: building and inspecting -------------------------------------------------------------------------- */
Kernel *kernel_new(ThContext *c);
void kernel_free(Kernel *k);
int kernel_dim(Kernel *k, Size n, DimKind kind);             /* appends a dim; -1 when KDIM is full */
int kernel_stage(Kernel *k, StageClass cls, int d0, int nd); /* following instructions belong to it */
int kernel_access(Kernel *k, Access a);                      /* -1 on error */
/* Instructions go to the last stage at the given depth. All return the value id or -1. */
int ins_load(Kernel *k, int access, int depth);
int ins_store(Kernel *k, int access, int value, int depth);
int ins_op(Kernel *k, int scalar_op, ThDtype in_dtype, ThDtype dtype, int depth, int a, int b, int c);
int ins_cast(Kernel *k, int value, ThDtype to, int depth);   /* value itself when equal */
int ins_literal(Kernel *k, ThDtype d, ThValue v, int depth); /* CONST where it stays in the text, else PARAM */
int ins_index(Kernel *k, int dim, int depth);
int ins_size(Kernel *k, Size s, int depth);
int ins_check_index(Kernel *k, int value, int size_value, int depth);
int ins_fail_if(Kernel *k, int condition, ThError kind, int depth);                /* also sets can_fail */
int ins_reduce(Kernel *k, RedKind kind, int value, ThDtype acc, int result_depth); /* returns the INS_RED value */
/* One stage alone, not a step of any outer loop, whose dims are all DIM_RED. */
bool kernel_in_blocks(const Kernel *k);
/* Elements of a block, and the most lanes there are: blocks along vec are whole multiples of these. */
enum { RED_BLOCK = 32768, RED_LANES = 256 };
int64_t kernel_block(const Kernel *k, const int64_t *n); /* steps of dim 0 in a block; n: lengths of the dims */
/* What follows stage's call of the library may run on each part of its result: it fails nowhere, needs no position, and
 * stands in no outer loops. */
bool kernel_tiles(const Kernel *k, int stage);
bool kernel_is_batch(const Kernel *k); /* a STAGE_GEMM in parallel loops, and no instruction */
/* The call of stage runs inside that of the stage before. */
static inline bool kernel_fed(const Kernel *k, int stage) { return stage > 0 && k->st.at[stage - 1].feeds; }
/* check.c: every id in range, depths and dtypes consistent; false with a text (debug builds after each pass). */
bool kernel_check(const Kernel *k);
void kernel_text(Text *t, const Kernel *k); /* readable form, for goldens and th_function_plan */
uint64_t kernel_key(Kernel *k);

#endif
