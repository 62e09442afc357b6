/*
 * library.h -- CUDA's libraries (NVRTC, cuBLAS, cuDNN, ..), each opened when it is first asked for. Nothing of the
 * toolkit is needed to build: who uses a library lists its entry points by own prototypes, and gets a table of them.
 *
 *     #define CUFFT(X) X(int, plan, "cufftPlan1d", (int *plan, int n, int type, int batch))
 *     LIBRARY_TABLE(Cufft, cufft_table, LIBRARY_CUFFT, CUFFT)      in one file: the type Cufft and its table
 *     const Cufft *f = device_library(c, d, &cufft_table, &why);  f->plan(&plan, 8, 41, 1)
 *
 * Searched: the folders of the flag cuda.root; what the dynamic linker knows; $CUDA_ROOT, $CUDA_HOME, /usr/local/cuda.
 * The emulated driver has all libraries in its own file. A library stays open. A context remembers what it found, and
 * what it did not find.
 */
#ifndef TH_LIBRARY_H
#define TH_LIBRARY_H

#include "device.h"

typedef enum {
    LIBRARY_NVRTC,
    LIBRARY_CUBLAS,
    LIBRARY_CUBLASLT,
    LIBRARY_CUDNN,
    LIBRARY_CUSPARSE,
    LIBRARY_CUSOLVER,
    LIBRARY_CUFFT,
    LIBRARY_NCCL,
    LIBRARIES
} LibraryName;

typedef struct LibraryTable {
    LibraryName library;
    int n; /* entry points, in the order of the table's fields */
    const char *const *symbol;
} LibraryTable;

/* X(result, field, symbol, arguments) */
#define LIBRARY_FIELD(result, field, symbol, arguments) result(*field) arguments;
#define LIBRARY_SYMBOL(result, field, symbol, arguments) symbol,
#define LIBRARY_TABLE(Type, table, which, LIST) \
    typedef struct Type { \
        LIST(LIBRARY_FIELD) \
    } Type; \
    static const char *const table##_symbols[] = {LIST(LIBRARY_SYMBOL)}; \
    static const LibraryTable table = {which, TH_LEN(table##_symbols), table##_symbols};

/*
 * The functions of a table, all of them, kept by the context. NULL: *why says which piece is missing, which version is
 * needed and was found, and what to do (a text of the context, for a log line or a GpuError); or *why is NULL and the
 * error is set (no memory). d: the device to be used, whose driver decides which libraries can run; NULL: any. From any
 * thread.
 */
const void *device_library(ThContext *c, const Device *d, const LibraryTable *t, const char **why);
/* The version of a library that a table of this context is of, 12080 for 12.8; 0: there is none. */
int device_library_version(ThContext *c, LibraryName which);

#endif
