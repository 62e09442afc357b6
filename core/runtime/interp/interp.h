/*
 * interp.h -- private to the interpreter: a Kernel prepared for execution on blocks.
 * Preparing sorts each stage's instructions into what runs before and after the inner loops of each depth and gives
 * every value a register (a block of SIMD_BLOCK elements). Prepared kernels are immutable and shared by callers;
 * registers live in the caller's scratch.
 */
#ifndef TH_INTERP_H
#define TH_INTERP_H

#include "kernel/order.h"
#include "runtime/frame/runtime.h"
#include "runtime/simd/simd.h"

/* ---- side.c: rows side by side ---- */
enum { SIDE_ROWS = 128 }; /* of a block, most */
typedef struct SideAcc {
    int tile, along;    /* where its rows stand, turned (-1: nowhere); the dim of a row's elements */
    int loaded, stored; /* the last instruction that loads through it, the first that stores; -1, INT_MAX: none */
} SideAcc;
typedef struct SideTile { /* of accesses that go through the same rows */
    int acc;              /* one of them */
    bool temp;            /* those rows are nowhere else */
    int loaded, stored;
    size_t at; /* among the registers */
} SideTile;
typedef struct SideRun {
    struct {
        bool turned;
        char *base;   /* where the rows lie in memory.. */
        int64_t step; /* ..and how far apart */
    } tile[KACC + 8];
} SideRun;

typedef struct IIns {
    const Ins *ins;
    uint8_t bytes;     /* of one element of the value */
    uint8_t block;     /* runs inside the vec loop: length of the block; otherwise uniform */
    uint8_t fill;      /* uniform value read at block level: replicate to a whole block */
    uint8_t fails;     /* integer division: check the divisor */
    uint8_t view;      /* a load that may be read where it lies: nothing is stored before its last use */
    uint8_t loose;     /* only stores and reductions read it: such a load is a view whatever its length */
    int into;          /* the store that follows and takes the value, or -1: computed in its place */
    size_t reg;        /* byte offset of the register */
    int micro, nmicro; /* block kernels that compute it: IKernel.micro; none for memory and control instructions */
} IIns;

/* An operand of a block kernel: a literal's block (base != NULL), a value (>= 0), or a temporary's register. */
typedef struct IOpnd {
    const char *base;
    size_t off;
    int value;
} IOpnd;
typedef struct IMicro {
    SimdFn fn;
    size_t out;
    IOpnd in[3];
} IMicro;

typedef struct IRed {
    const Red *red;
    size_t reg;    /* accumulators: lanes or a block; then best values for ARGMAX */
    uint8_t lanes; /* vec dim is reduced */
    uint8_t dtype; /* of what is reduced */
    uint8_t way;   /* rows.c's.. */
    bool narrow;   /* ..whose number (SPREAD) stands in no block */
    char *start;   /* of lanes: SIMD_LANE_BYTES of what changes nothing, or NULL */
    int turns;     /* blocks of accumulators that the elements of rows side by side go to in turns (side.c), or 0 */
    SimdFold fold;
} IRed;

typedef struct IKernel {
    const Kernel *k;
    IIns *ins; /* by value id */
    VEC(IMicro) micro;
    KernelOrder order;
    IRed *red;
    int *step;             /* by stage: elements of a block along the vec dim */
    bool *rows, *columns;  /* by stage: rows.c may run its innermost loop */
    bool blocks;           /* kernel_in_blocks */
    size_t reg_bytes, at;  /* of all registers; where among them IRun.at lies */
    int block_elems;       /* that a register holds */
    struct SideAcc *acc;   /* by access, of rows side by side.. */
    struct SideTile *tile; /* ..and what several of them share */
    int ntile;
    struct IKernel *flat; /* for parts of a call's result: its rows as one run of elements (flat.c); or NULL */
    struct IKernel *side; /* short rows side by side (side.c); or NULL */
} IKernel;

/* micro.c: the block kernels of one scalar operation or cast, appended to out->micro; temporaries get registers.
 */
bool interp_micro(ThContext *c, const SimdTable *simd, const Kernel *k, int id, Arena *a, IKernel *out);
/* views.c: which values stay where they lie in memory. */
bool interp_views(Arena *a, IKernel *out);
/* Memory from the arena (release micro with vec_free); false with the error set. side: rows stand side by side. */
bool interp_prepare(ThContext *c, const SimdTable *simd, const Kernel *k, bool side, Arena *a, IKernel *out);
void interp_release(ThContext *c, IKernel *k);

/* One run of one kernel. */
typedef struct IRun {
    const IKernel *ik;
    ThFrame *f;
    const Step *step;
    const SimdTable *simd;
    char *regs, **at;           /* at: where each value is, its register or memory */
    int64_t n[KDIM], idx[KDIM]; /* extents and current position of kernel dims */
    int64_t row;                /* elements of a row where the last two loops are one run (flat.c), or 0; then.. */
    int64_t over, along;        /* ..the row and the element there that the block begins with.. */
    bool same;                  /* ..all of it and of the block before lie in that row */
    struct SideRun *side;       /* of rows side by side (side.c), or NULL */
    int64_t len;                /* elements in the current block (<= SIMD_BLOCK) */
    int64_t pos;                /* of its first element along the vec dim */
    int left;                   /* turns of loops until somebody looks whether work is to stop */
    bool empty;                 /* one of the dims has no elements, so that.. */
    int idle, idle_outer;       /* ..loops at this depth and deeper do nothing: of the stage, of the outer ones */
    char *base[KACC + 8];       /* address of each access's offset */
    int64_t st[KACC + 8][KDIM]; /* strides in bytes */
} IRun;
int interp_exec(IRun *r, const LoopStage *s, const int *code, int n);   /* exec.c: a straight list of instructions */
void interp_replicate(char *d, size_t bytes, int64_t from, int64_t to); /* element from - 1 into from .. to - 1 */
/* n elements st bytes apart */
void interp_gather(const SimdTable *simd, char *d, const char *s, int64_t st, size_t bytes, int64_t n);
void interp_number(const Step *step, const Ins *i, char *o, int64_t n); /* INS_PARAM or INS_CONST, n times */
bool interp_red_prepare(IRed *d, Arena *a);                             /* after the other fields */
void interp_neutral(char *to, RedKind kind, ThDtype t, int64_t n);      /* n elements that change nothing */
void interp_red_neutral(char *to, const IRed *d, int64_t n);            /* ..for d */
void interp_red_init(IRun *r, const IRed *red);                         /* red.c */
void interp_red_step(IRun *r, const IRed *red);
void interp_red_final(IRun *r, const IRed *red);
/* The place of an extremum: what red's value, or its opposite where rows.c says so, is at v in the current block. */
void interp_red_place(IRun *r, const IRed *red, const LoopStage *s, const char *v);
bool interp_rows_suit(const SimdTable *simd, IKernel *ik, const LoopStage *s); /* rows.c */
bool interp_columns_suit(const SimdTable *simd, IKernel *ik, const LoopStage *s);
bool interp_columns(IRun *r, const LoopStage *s, int64_t n);                       /* false: as interp_rows */
bool interp_rows(IRun *r, const LoopStage *s, int64_t from, int64_t to);           /* false: rows that are not dense */
int64_t interp_wide_columns(IRun *r, const LoopStage *s, int64_t from, int64_t n); /* how many; -1: failed */
int interp_each_row(IRun *r, const LoopStage *s, int64_t from, int64_t to);        /* 1: failed; -1: as interp_rows */
bool interp_each_row_stores(const IRun *r, const LoopStage *s); /* ..and whether it stores many together */
/* Around the blocks of a reduction of everything: before and after each of them, and after the last. */
void interp_red_block(IRun *r, const IRed *red, bool first);
void interp_red_join(IRun *r, const IRed *red, bool first);
void interp_red_end(IRun *r, const IRed *red);
int interp_gemm(IRun *r, const LoopStage *s); /* gemm.c */
int interp_call(IRun *r, const LoopStage *s); /* calls.c: a convolution or a pooling, with its epilogue */
int interp_draw(IRun *r, const LoopStage *s); /* ..a draw */
int interp_rooms(const Kernel *k);            /* calls.c: for registers */
bool interp_flat_prepare(ThContext *c, const SimdTable *simd, Arena *a, IKernel *out); /* flat.c */
bool interp_flat_pays(const IRun *r, const LoopStage *s);
int interp_flat(IRun *r, int stage); /* the loops of that stage of r->ik->flat */
bool interp_side_prepare(ThContext *c, const SimdTable *simd, Arena *a, IKernel *out); /* side.c */
/* ..what a kernel of rows side by side has in place of others' */
void interp_side_order(const Kernel *k, KernelOrder *o);
void interp_side_red(IRed *d, IKernel *out);
bool interp_side_tiles(Arena *a, IKernel *out);
bool interp_side_begin(IRun *r, SideRun *w); /* whether it pays: the run is one of the twin then */
void interp_side_take(IRun *r);              /* before and after the rows from r->pos on */
void interp_side_give(IRun *r);
/* flat.c: the current block of a run where an access has no run: gathered into d, scattered from v */
void interp_flat_load(const IRun *r, const LoopStage *s, int acc, char *d, size_t bytes);
void interp_flat_store(const IRun *r, const LoopStage *s, int acc, const char *v, size_t bytes);
int interp_loops(IRun *r, const LoopStage *s); /* interp.c: a stage's own loops */
void interp_registers(IRun *r);                /* interp.c: every value in its register */
int interp_fail(IRun *r, ThError kind, int n, int64_t v0, int64_t v1);
static inline int64_t isize(const IRun *r, Size s) { return s.sym < 0 ? s.k : s.k * r->f->sym[r->step->sym[s.sym]]; }
static inline char *ireg(IRun *r, int value) { return r->at[value]; }

#endif
