/*
 * factor.h -- what the algorithms of this folder are handed and what they answer. A routine plans once for a batch (its
 * room, its functions of the library) and runs for each matrix of it. Own algorithms work on rows (C order); what
 * LAPACK sees in the same memory are the transposed matrices, which most of them make use of instead of copying.
 */
#ifndef TH_FACTOR_H
#define TH_FACTOR_H

#include "graph/op.h"
#include "library.h"

/* Why one matrix of a batch has no answer; `where` counts from 1. */
typedef enum {
    FAULT_NONE,
    FAULT_SINGULAR,
    FAULT_NOT_POSITIVE,
    FAULT_NOT_POSITIVE_OTHER, /* the second matrix */
    FAULT_EIGENVALUES,        /* did not converge.. */
    FAULT_SVD,
    FAULT_LSTSQ,
    FAULT_NOT_FINITE,
    FAULT_UNREAL_EIGENVALUES, /* the answer is complex */
    FAULT_UNREAL,
    FAULT_POSITIONS, /* no permutation */
} FactorFault;

enum { FACTOR_F32, FACTOR_F64, FACTOR_C64, FACTOR_C128 };
enum { LANE_ROWS = 16, LANE_NUMBERS = 1024 }; /* of a matrix, and of its right sides, that runs on lanes */

typedef struct FactorJob {
    const FactorWork *w;
    ThContext *ctx;
    atomic_bool *early; /* HostCall.early */
    const struct Cpu *cpu;
    FactorLibrary *lib; /* NULL: not to be used */
    int d;              /* FACTOR_F32 .. */
    int64_t item, real; /* bytes of a number, and of its real part */
    int m, n, k;        /* rows and columns of the first matrix; columns of the right side, or 0 */
    int small, large;   /* of m and n */
    int lanes;          /* so many matrices run at once; 0: one after the other */
    int vector;         /* bytes of a vector of this processor */
    size_t bytes;       /* of the room: summed by plan */
    char *room;
    LapackFn fn[6];
    int lwork, lrwork, liwork;
    struct FactorInner *inner; /* for work on the way (function.h), or NULL */
    FactorFault fault;
    int64_t where;
} FactorJob;

typedef struct FactorRoutine {
    bool (*plan)(FactorJob *j);                 /* false: cannot be used (a function is missing) */
    bool (*run)(FactorJob *j, char *const *at); /* first addresses of the operands; false: j->fault says why */
} FactorRoutine;

extern const FactorRoutine factor_lapack[FACTOR_KINDS];

/* work.c: may the library be used, for this? */
bool factor_library_wanted(const FactorJob *j);
/* The work is to end, whatever it leaves behind. Asked in loops around quadratic work. */
static inline bool factor_stopped(const FactorJob *j) { return ctx_leaves(j->ctx, j->early); }

/* Parts of the room: the same calls with the same sizes while planning (`room` NULL: bytes are counted) and running. */
static inline size_t factor_round(size_t bytes) { return (bytes + 63) / 64 * 64; }
static inline void factor_reserve(FactorJob *j, int64_t count, int64_t item) {
    j->bytes += factor_round((size_t)count * (size_t)item);
}
static inline void *factor_take(char **room, int64_t count, int64_t item) {
    void *p = *room;
    *room += factor_round((size_t)count * (size_t)item);
    return p;
}
static inline bool factor_failed(FactorJob *j, FactorFault f, int64_t where) {
    j->fault = f, j->where = where;
    return false;
}
static inline bool factor_is_complex(const FactorJob *j) { return j->d >= FACTOR_C64; }

#endif
