/*
 * blas.h -- OpenBLAS, opened at run time. Its OpenMP build is looked for first: the thread build has a second pool that
 * fights with libgomp's. Everything here is safe to call from any thread.
 */
#ifndef TH_BLAS_H
#define TH_BLAS_H

#include "base/base.h"

enum { BLAS_ROW_MAJOR = 101, BLAS_NO_TRANS = 111, BLAS_TRANS = 112 };
typedef void (*BlasGemmS)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                          int);
typedef void (*BlasGemmD)(int, int, int, int, int, int, double, const double *, int, const double *, int, double,
                          double *, int);
typedef void (*BlasGemmC)(int, int, int, int, int, int, const void *, const void *, int, const void *, int,
                          const void *, void *, int);

typedef struct Blas {
    void *handle;    /* NULL: there is none */
    int parallel;    /* openblas_get_parallel(): 0 serial, 1 own threads, 2 OpenMP */
    BlasGemmS sgemm; /* the four are NULL for the build with its own threads, whose results and speed we cannot hold */
    BlasGemmD dgemm;
    BlasGemmC cgemm, zgemm;
    int (*get_threads)(void); /* of OpenMP, for the calling thread; NULL when serial */
    void (*set_threads)(int);
} Blas;

/* The library, opened on the first call; NULL when there is none (no error is set). */
const Blas *blas_open(ThContext *c);
/* A Fortran symbol such as "dgetrf_", or NULL. Arguments of what it names are 32-bit integers by address. */
void *blas_symbol(ThContext *c, const char *name);
/* Around calls: one thread in this thread's calls. blas_enter returns what blas_leave takes. */
int blas_enter(const Blas *b);
void blas_leave(const Blas *b, int saved);

#endif
