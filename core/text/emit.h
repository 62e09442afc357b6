/*
 * emit.h -- private to the C emitter: one unit being written.
 * A unit is: prelude, helpers (only those used), one function a distinct kernel, one function a step, run. Types are
 * named by dtype and lanes: f64 a scalar, f64x8 a vector value, f64x8u the same in memory. Helpers are asked for by
 * name with need(), which writes each once, so a unit holds what it uses and reads in order.
 */
#ifndef TH_EMIT_H
#define TH_EMIT_H

#include "runtime/frame/backend.h"
#include "ops/table/ops.h"
#include "ops/math/special.h"
#include "schedule/nest.h"

typedef struct Emit {
    ThContext *c;
    const Plan *p;
    Arena *arena;
    Text helpers, body;
    Map have; /* hash of helper name -> 1 */
    const Target *target;
    int vector_bytes;     /* of the target: 64, 32, 16; 0 for a GPU */
    bool portable;        /* standard C99 of one lane: no vectors, no names of a compiler's own */
    bool repro;           /* no rounding of libm's: the flag repro */
    bool fused;           /* of such a text, and a GPU's: vector math has fused multiply-adds */
    const int64_t *known; /* see emit_c */
    int64_t *length;      /* of the kernel at hand: what its symbols are where they are known (nest_lengths); or NULL */
    const uint8_t *candidate;
    const bool *exps; /* of float32, float64: exp is wanted beside the kernels; or NULL */
    /* the kernel being written */
    const Kernel *k;
    int number;              /* of the kernel */
    const char *const *name; /* by access: identifiers, the pointers being p_<name> */
    char **words;            /* by stage: what it computes, or NULL */
    int *first, *users;      /* by kernel: plan_kernel_users */
    int nsym, nbuf;          /* sizes and buffers of its record of arguments (backend_cuda) */
    const char *leave;       /* how a GPU's thread leaves after a failure; NULL: it returns */
    const Nest *nest;        /* how it runs */
    const NestWay *way;      /* the one being written */
    const LoopStage *s;
    int lanes;   /* of the stage's vec loop; 1: scalar */
    bool tail;   /* under a mask of the first `m` lanes */
    bool split;  /* the function being written takes [row0, row1) of dim 0 */
    bool block;  /* ..which is reduced: what it gives goes to blocks.c */
    int vector;  /* which of the vectors that are written out, or -1 */
    int columns; /* room for accumulators in an array, of which l is at hand; else 0.. */
    bool far;    /* ..c of them are in use, vectors; else all */
    bool many;   /* several steps by one launch of a GPU */
    bool part;   /* a function of such a kernel, which is lent shared memory */
    bool spread; /* ..whose points lie as the launch says */
    bool half;   /* half a warp a row, behind a product */
    bool some;   /* neighbours of a GPU's thread, some of which may not be there: these step no reduction */
    enum { MOVED_ASKING, MOVED_WHOLE, MOVED_EACH } moved; /* ..all of which are there, at whole 16 bytes; one by one */
    const struct CudaRange *range; /* by value id, of a GPU's kernel with indices of 32 bits; or NULL */
    const struct CudaNear *near;   /* of points near a product in turns (cuda.h); or NULL */
    bool quarters;                 /* of a product on a GPU: GridKernel.quarters.. */
    int kept;                      /* ..and of one in turns, GridKernel.kept */
    uint32_t told;                 /* of points there, GridKernel.told */
    int tile;                      /* of a product on a GPU: which of the shapes that choose.h has */
    int indent;
    bool registers; /* single values in loops live in C variables; not where kernels are launched */
    bool rows;      /* steps are data, not functions: rows.c */
    uint8_t *mask;  /* by value id: width in bytes of the native mask m<id>, 0 none */
    uint8_t *vec;   /* by value id: held as a vector */
} Emit;

/* names.c */
const char *type_short(ThDtype d);                                  /* f64 */
void type_name(char out[16], ThDtype d, int lanes);                 /* f64, f64x8 */
const char *need_type(Emit *e, ThDtype d, int lanes, char out[16]); /* typedefs it */
const char *need_mask(Emit *e, ThDtype d, int lanes, char out[16]); /* signed integers as wide as d: i64x8 */
bool need(Emit *e, const char *name); /* true the first time: the caller writes it to e->helpers */
int mask_width(ThDtype d);
void emit_line(Emit *e, const char *format, ...) TH_PRINTF(2, 3); /* an indented line of the body */
/* Words that compilers have names of their own for. */
const char *names_infinity(const Emit *e, ThDtype d);
const char *names_one(const Emit *e);                       /* 1 of 64 bits, unsigned */
size_t names_put(const Emit *e, Text *t, const char *body); /* the first character or word of a text, and its length */
/* Of integers that wrap in standard C too: the unsigned type that they are added, subtracted and multiplied in; or NULL
 */
const char *names_wrapping(const Emit *e, ThDtype d);

/* helpers.c: each returns the helper's name, valid until the next call */
const char *need_math(Emit *e, const char *prim, ThDtype d, int lanes);
const char *need_select(Emit *e, ThDtype d, int lanes);
const char *need_extreme(Emit *e, bool max, ThDtype d, int lanes); /* of two vectors of floats: NaN stays, NaN wins */
const char *need_splat(Emit *e, ThDtype d, int lanes);
const char *need_bool_of_mask(Emit *e, ThDtype d, int lanes); /* u8 lanes of 0 and 1 */
const char *need_mask_of_bool(Emit *e, ThDtype d, int lanes);
const char *need_cast(Emit *e, ThDtype from, ThDtype to, int lanes);
const char *need_load(Emit *e, ThDtype d, int lanes, char how);  /* 't' tail, 'g' strided */
const char *need_store(Emit *e, ThDtype d, int lanes, char how); /* ..or 's' past the caches */

/* lanes.c: vectors as rows of lanes; names of helpers as above */
ThDtype mask_dtype(ThDtype d);                                          /* of the lanes of need_mask */
const char *need_lanes(Emit *e, ThDtype d, int lanes);                  /* (): numbers of the lanes, as wide as d */
const char *need_first(Emit *e, ThDtype d, int lanes);                  /* (m): mask of the first m lanes */
const char *need_rotated(Emit *e, ThDtype d, int lanes, int by);        /* (v): lane j from lane j + by, around */
bool lanes_load_tail(Emit *e, ThDtype d, int lanes, const char *name);  /* writes it by a masked move, or false */
bool lanes_store_tail(Emit *e, ThDtype d, int lanes, const char *name); /* likewise */
void lanes_stream(Emit *e, ThDtype d, int lanes, const char *name);     /* likewise, to whole vectors' places */
bool lanes_gather(Emit *e, ThDtype d, int lanes, const char *name);     /* writes the strided one, or false */
bool lanes_scatter(Emit *e, ThDtype d, int lanes, const char *name);    /* likewise */

/* Vectors hold float32 and the sum of float64 is two of them, r<red> and rr<red>, which (r, rr) rounds and joins. */
const char *need_whole(Emit *e, int lanes);

/* transpose.c: rows as columns, and back */
const char *need_get(Emit *e, ThDtype d, int lanes);
const char *need_put(Emit *e, ThDtype d, int lanes);

/* seek.c: (p, n), the place of the largest or smallest of n elements, four vectors at least */
const char *need_seek(Emit *e, ThDtype d, int lanes, bool max);

/* half.c: writes the cast helper `name` where one of the dtypes is a half, or false */
bool half_cast(Emit *e, ThDtype from, ThDtype to, int lanes, const char *name);
unsigned half_bits(double v, ThDtype d);

/* vmath.c: writes the helper `name` of a primitive that is vector math of our own, or false */
/* (x, s): a vector divided by one number, or each lane by its own that many vectors are divided by, rounded as division
 * rounds; NULL where division is as good */
const char *need_quotient(Emit *e, ThDtype d, int lanes, bool each);
bool vmath_math(Emit *e, const char *prim, ThDtype d, int lanes, const char *name);
bool vmath_lone(const Emit *e, const char *prim, ThDtype d); /* one of its own for threads that have one point */

/* value.c: the text of one scalar operation over named operands */
bool emit_value(Emit *e, Text *t, const Ins *i, int lanes, const char *const *names, bool *mask_result);
/* ins.c */
bool emit_ins(Emit *e, int id);
void emit_address(const Emit *e, Text *t, int acc, int depth); /* of an access at the current position */
void emit_row_copy(Emit *e, const int *ids, int least);        /* begins an `if` that memcpy is, up to its `else {` */
void emit_row_seek(Emit *e, int least);                        /* likewise, what finds the places that are reduced to */
void emit_ahead(Emit *e, const int *ids, int n); /* fetches what the n instructions load some rows later */
void emit_next(Emit *e, int id, int rows);       /* ..or what load or store `id` finds so many rows further */
void emit_size(Text *t, Size z);
/* written by backend_c for other emitters too: reduce.c, one accumulator where there is one lane */
void emit_red_init(Emit *e, int red);
void emit_red_step(Emit *e, int red);
void emit_red_final(Emit *e, int red);
/* kernel.c */
bool emit_begin(Emit *e, const Kernel *k, int number); /* sets the members above for this kernel */
/* call.c: numbers<stage> and call<stage>, from where A, B, C lie and "function, user" of what follows; the call, which
 * returns 1 from the function where it fails. at: where a fed buffer's address is told; then: of a draw, as above */
void emit_call_record(Emit *e, int stage, const char *const where[3], const char *then);
void emit_call_run(Emit *e, int stage, const char *at, const char *then);
/* region.c: the regions from number id on, as loops and branches around steps */
void emit_region(Emit *e, int id);
/* Lines of the text between which each kernel stands, and behind the last of them (parts.c) */
#define PART_KERNEL "/* ---- kernel "
#define PART_END "---- */"
#define PART_REST "/* ---- steps ---- */"
/* unit.c */
void emit_run(Emit *e); /* theano_run, theano_step, the ABI's number: what the loader asks a unit for */
extern const char *const prelude_c;
/* machine.c: what this processor has */
int machine_vector_bytes(ThContext *c);

#endif
