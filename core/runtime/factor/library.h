/* library.h -- LAPACK in the OpenBLAS that the machine has, function by function as they are needed. */
#ifndef TH_FACTOR_LIBRARY_H
#define TH_FACTOR_LIBRARY_H

#include "runtime/machine/blas.h"

/* Names of real and of complex functions, without the letter of the dtype. */
/* clang-format off */
#define LAPACK_LIST(X) \
    X(potrf, "potrf", "potrf") X(getrf, "getrf", "getrf") X(getrs, "getrs", "getrs") X(getri, "getri", "getri") \
    X(trsm, "trsm", "trsm") X(trsv, "trsv", "trsv") X(geqrf, "geqrf", "geqrf") X(orgqr, "orgqr", "ungqr") \
    X(gesdd, "gesdd", "gesdd") X(geev, "geev", "geev") X(gees, "gees", "gees") X(eigh, "syevd", "heevd") \
    X(eigh_of, "sygvd", "hegvd") X(gelsd, "gelsd", "gelsd")
/* clang-format on */
typedef enum {
#define X(name, real, complex) LAPACK_##name,
    LAPACK_LIST(X)
#undef X
        LAPACK_COUNT
} LapackName;

typedef void (*LapackFn)(void);
typedef struct FactorLibrary FactorLibrary;

/* The context's; NULL where there is no library (no error is set), or with MemoryError. */
FactorLibrary *factor_library(ThContext *c);
const Blas *factor_library_blas(const FactorLibrary *l);
/* d: 0 float32, 1 float64, 2 complex64, 3 complex128. NULL: the library has it not. */
LapackFn factor_symbol(FactorLibrary *l, LapackName name, int d);

#endif
