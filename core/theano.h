/*
 * theano.h -- the one public header: what the Lua binding and a C host both use.
 *
 * Everything hangs off a ThContext; there is no other state. A function that can fail returns NULL or a nonzero status
 * and leaves the first error in its context (th_error, th_error_text); builders given NULL return NULL, so a host
 * may build a whole expression and look once. Nothing ends the process: NULL for what is needed, a negative number of
 * things or a variable of another context is a TypeError (the first error stays); a place that is not there, or a NULL
 * object, has the name NULL, the number 0 or -1; without a context there is no error to read. Objects are reference
 * counted: a function whose name says make, new, build, get or retain gives the caller a reference, to be dropped with
 * th_*_release. Sizes are in elements and strides in bytes unless a name says otherwise. Positions and axes count from
 * 0 and negative axes count from the end.
 */
#ifndef THEANO_H
#define THEANO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TH_API
#else
#define TH_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define TH_EXTENSION __extension__ /* what C99 has not */
#else
#define TH_EXTENSION
#endif

#define TH_MAX_NDIM 32
#define TH_ABI 1 /* of the library's functions and structs: changes when a program must be compiled again */

typedef struct ThContext ThContext;
typedef struct ThArray ThArray;       /* strided N-d array, ndarray in Lua */
typedef struct ThVar ThVar;           /* symbolic Variable, Constant or SharedVariable */
typedef struct ThApply ThApply;       /* application of an operation to Variables */
typedef struct ThFunction ThFunction; /* compiled function */
typedef struct ThRandom ThRandom;     /* NumPy's legacy RandomState */

/* ---- errors: one list gives the kinds, their names and nothing else ------------------------------------------- */
/* clang-format off */
#define TH_ERROR_MAP(X)                                                                                                \
    X(TypeError) X(ValueError) X(ShapeError) X(IndexError) X(KeyError) X(AttributeError) X(ZeroDivisionError)          \
    X(RuntimeError) X(NotImplementedError) X(AssertionError) X(MemoryError) X(IOError) X(Interrupted)                  \
    X(UnusedInputError) X(MissingInputError) X(DisconnectedInputError) X(NullTypeGradError) X(GradientError)           \
    X(LinAlgError) X(CompileError) X(GpuError) X(BadOptimization) X(BadThunkOutput) X(BadDestroyMap) X(BadViewMap)     \
    X(StochasticOrder) X(InvalidValueError) X(NanGuardError) X(OverflowError)
typedef enum {
    TH_OK = 0,
#define X(name) TH_##name,
    TH_ERROR_MAP(X)
#undef X
    TH_ERROR_COUNT
} ThError;

/* ---- dtypes: name, C type, letter of the constructors ("d" in dmatrix), kind, bytes --------------------------- */
#define TH_DTYPE_MAP(X)                                                                                                \
    X(BOOL, bool, uint8_t, 0, 'b', 1)         X(INT8, int8, int8_t, 'b', 'i', 1)       X(INT16, int16, int16_t, 'w', 'i', 2)    \
    X(INT32, int32, int32_t, 'i', 'i', 4)     X(INT64, int64, int64_t, 'l', 'i', 8)    X(UINT8, uint8, uint8_t, 0, 'u', 1)      \
    X(UINT16, uint16, uint16_t, 0, 'u', 2)    X(UINT32, uint32, uint32_t, 0, 'u', 4)   X(UINT64, uint64, uint64_t, 0, 'u', 8)   \
    X(FLOAT32, float32, float, 'f', 'f', 4)   X(FLOAT64, float64, double, 'd', 'f', 8)                                          \
    X(COMPLEX64, complex64, ThComplex64, 'c', 'c', 8)   X(COMPLEX128, complex128, ThComplex128, 'z', 'c', 16)                   \
    X(FLOAT16, float16, uint16_t, 0, 'f', 2)            X(BFLOAT16, bfloat16, uint16_t, 0, 'f', 2)
/* clang-format on */
typedef struct {
    float re, im;
} ThComplex64;
typedef struct {
    double re, im;
} ThComplex128;
typedef enum {
#define X(NAME, name, ctype, letter, kind, bytes) TH_##NAME,
    TH_DTYPE_MAP(X)
#undef X
        TH_DTYPE_COUNT,
    TH_DTYPE_NONE = 255 /* "not given" */
} ThDtype;

TH_API const char *th_dtype_name(ThDtype d);
/* "float64" -> TH_FLOAT64; TH_DTYPE_NONE when unknown. */
TH_API ThDtype th_dtype_from_name(const char *name);
TH_API size_t th_dtype_bytes(ThDtype d);
TH_API char th_dtype_kind(ThDtype d);                 /* 'b' 'i' 'u' 'f' 'c' */
TH_API ThDtype th_dtype_upcast(ThDtype a, ThDtype b); /* NumPy's array promotion */

/* ---- context -------------------------------------------------------------------------------------------------- */
/* realloc-like: old == NULL allocates, size == 0 frees and returns NULL; memory is at least `align` aligned (16, 64).
   Buffers and contexts of several threads may call it at once. When it frees, align says nothing. */
typedef void *(*ThAllocFn)(void *user, void *old, size_t old_size, size_t size, size_t align);
typedef void (*ThLogFn)(void *user, const char *line);
/* What a context may take; 0: as much as it likes. What exceeds it fails, with MemoryError or Interrupted. */
typedef struct ThLimits {
    int64_t bytes;  /* of memory, at any time */
    int64_t nodes;  /* of graphs in the user's hands: variables and applications */
    double seconds; /* of one call of functions made from now on; between two steps it may run on for one of them */
    bool sealed;    /* no files, processes, compiler, cache or flags from now on; never taken back */
} ThLimits;
/* A file that the engine is about to use, as a host's hook sees and changes it. */
typedef struct ThFile {
    size_t size;
    char use; /* 'r' read, 'w' written anew, 'u' its pages written, 'd' a folder for compiled code and timings */
    const char *path; /* as the engine was told; the hook may put another one here, which is copied */
    /* Of 'r': the contents instead of a file, or NULL. done (or NULL) is told when they are not needed any more, from
     * any thread. */
    const void *bytes;
    size_t nbytes;
    void (*done)(void *user, const void *bytes);
    void *user;
} ThFile;
typedef struct ThHost {
    /* sizeof(ThHost), or 0: of the library's header. In every struct that begins so, fields that an older program does
     * not know are 0, and a newer one is served where it left the fields that the library does not know 0. */
    size_t size;
    ThAllocFn alloc; /* NULL: the C library's */
    void *alloc_user;
    ThLogFn log; /* NULL: silent */
    void *log_user;
    /* NULL: our own threads. Runs fn(i, user) for all i < n and returns when all are done. */
    void (*parallel_for)(void *host, int n, void (*fn)(int i, void *user), void *user);
    void *parallel_user;
    ThLimits limits;
    int abi; /* TH_ABI: a context is made only where the library has the same one; 0: it is not looked at */
    /* 0: HOME, TMPDIR, PATH and OMP_NUM_THREADS are looked up, no flags; 'n': no environment variable is; 'f': flags
     * too, by Lua's modules: THEANORC, ~/.theanorc and THEANO_FLAGS. Lua without a host of its own: 'f' */
    char environment;
    uint64_t seed; /* of generators that are given none, one after the other; 0: the system gives theirs */
    int (*file)(void *host, ThFile *file); /* asked before a file is used; nonzero: it is refused. NULL: all may be */
    void *file_user;
    /* Runs fn(user) once, later, on another thread, and says so; false: it will not. NULL: a thread of our own each. */
    bool (*later)(void *host, void (*fn)(void *user), void *user);
    void *later_user;
    /* A key, which stays as long as the context: machine code of saved models that were signed with it is run. NULL:
     * none is, but where the loading itself gives a key (ThLoad). */
    const void *native_key;
    size_t native_key_bytes;
} ThHost;

/* host may be NULL; NULL when memory is out, or where the host is of another ABI. */
TH_API ThContext *th_context_new(const ThHost *host);
TH_API int th_abi(void);                                /* TH_ABI of the library */
TH_API char th_context_environment(const ThContext *c); /* as its host said: 0, 'n' or 'f' */
/* A seed for what is given none (see ThHost.seed); 0 without a context. */
TH_API uint64_t th_context_seed(ThContext *c);
/* Where lines of the log go from now on; NULL: nowhere. A host that goes before its context says so. */
TH_API void th_context_log(ThContext *c, ThLogFn log, void *user);
/* Sends a line where those of the engine go; nothing without a context, a line or a logger. */
TH_API void th_log(ThContext *c, const char *line);
TH_API void th_context_limit(ThContext *c, const ThLimits *limits);
TH_API bool th_context_sealed(const ThContext *c);
/* All work stops with Interrupted once so many seconds have passed from now; not positive: never. */
TH_API void th_context_deadline(ThContext *c, double seconds);
TH_API ThContext *th_context_retain(ThContext *c);
TH_API void th_context_release(ThContext *c); /* the last handle (arrays and nodes hold one too) frees it */
TH_API const char *th_version(void);

TH_API ThError th_error(const ThContext *c);          /* TH_OK when nothing is wrong */
TH_API const char *th_error_text(const ThContext *c); /* message without kind and position */
TH_API const char *th_error_name(ThError e);          /* "TypeError" */
TH_API void th_error_clear(ThContext *c);
/* Position recorded on nodes built from now on (interned); file NULL: unknown. */
TH_API void th_set_line(ThContext *c, const char *file, int line);
/* Set from another thread or a signal handler: the running call stops with Interrupted at the next step or chunk. */
TH_API void th_interrupt(ThContext *c);

/* ---- configuration: Theano's flags --------------------------------------------------------------------------- */
TH_API int th_config_set(ThContext *c, const char *name, const char *value);    /* nonzero: error set (nearest name) */
TH_API const char *th_config_get(ThContext *c, const char *name);               /* canonical text; NULL: unknown flag */
TH_API int th_config_parse(ThContext *c, const char *flags);                    /* "floatX=float32,mode=FAST_RUN" */
TH_API int th_config_read(ThContext *c, const char *path);                      /* .theanorc; absent file is no error */
TH_API const char *th_config_name(int i, const char **doc, const char **deflt); /* i-th flag; NULL past the end */
TH_API const char *th_config_allowed(int i); /* its values with "," between them; "" for any text, NULL past the end */

/* ---- arrays --------------------------------------------------------------------------------------------------- */
/* New C-contiguous array on a 64-byte aligned buffer; contents undefined / zero. ndim <= 32, shape >= 0. */
TH_API ThArray *th_array_empty(ThContext *c, ThDtype d, int ndim, const int64_t *shape);
TH_API ThArray *th_array_zeros(ThContext *c, ThDtype d, int ndim, const int64_t *shape);
/* Host memory used in place; release(user) is called when the last view is gone (may be NULL). strides NULL: C order.
 */
TH_API ThArray *th_array_wrap(ThContext *c, ThDtype d, int ndim, const int64_t *shape, const int64_t *strides,
                              void *data, void (*release)(void *user), void *user);
TH_API ThArray *th_array_retain(ThArray *a);
TH_API void th_array_release(ThArray *a);
TH_API void th_array_free(ThArray *a); /* drop the data now; later use of it or of a view on it raises ValueError */
TH_API ThDtype th_array_dtype(const ThArray *a);
TH_API int th_array_ndim(const ThArray *a);
TH_API const int64_t *th_array_shape(const ThArray *a);
TH_API const int64_t *th_array_strides(const ThArray *a); /* bytes */
TH_API int64_t th_array_size(const ThArray *a);           /* elements */
TH_API void *th_array_data(const ThArray *a);             /* first element; NULL after th_array_free */
TH_API size_t th_array_held_bytes(const ThArray *a);      /* bytes of the buffer this array keeps alive */
TH_API bool th_array_alone(const ThArray *a);             /* no other array, function or variable holds that buffer */
/* Counts that buffer once, however many arrays hold it, until it goes; true: it is counted now and was not before. */
TH_API bool th_array_count_held(ThArray *a);
TH_API size_t th_held_bytes(ThContext *c); /* of all buffers that are counted */
TH_API bool th_array_contiguous(const ThArray *a);
TH_API bool th_array_owns_data(const ThArray *a); /* no view of another array, no memory of the host or of a file */
TH_API bool th_array_writeable(const ThArray *a);
TH_API bool th_array_shares_memory(const ThArray *a, const ThArray *b);
TH_API ThContext *th_array_context(const ThArray *a);
/* Views share the buffer. perm[i] = axis of a, or -1 for a new axis of length 1. */
TH_API ThArray *th_array_view(ThArray *a, int ndim, const int64_t *shape, const int64_t *strides, int64_t offset_bytes);
/* The real (0) or imaginary (1) parts of a complex array; a TypeError of any other. */
TH_API ThArray *th_array_component(ThArray *a, int which);
TH_API ThArray *th_array_transpose(ThArray *a, int ndim, const int *perm);
TH_API ThArray *th_array_reshape(ThArray *a, int ndim,
                                 const int64_t *shape);       /* one -1; a view where possible, else a copy */
TH_API ThArray *th_array_copy(ThArray *a);                    /* C order */
TH_API ThArray *th_array_astype(ThArray *a, ThDtype d);       /* always a copy; complex to real: TH_TypeError */
TH_API int th_array_assign(ThArray *dst, const ThArray *src); /* broadcasts src by lengths, casts; overlap is safe */
TH_API int th_array_fill(ThArray *a, const ThArray *scalar);
TH_API bool th_array_equal(const ThArray *a, const ThArray *b); /* same shape and values (NaN differs from NaN) */
/* Positions of what is not zero: one int64 vector for each dimension of a, written into out. */
TH_API int th_array_nonzero(ThArray *a, ThArray **out);
/* One element as the widest type of its kind: v.i for b i u (uint64 by bits), v.f for f, v.c for c. */
typedef union {
    int64_t i;
    double f;
    ThComplex128 c;
} ThValue;
/* Order statistics of dense float64, int64 or uint64 on the host, NaN last and -0.0 before 0.0; else a TypeError or
 * ValueError. How many elements are NaN (-1: an error); the element at place `at` of the sorted elements, and the one
 * behind it (NULL: not wanted; of the last one the same); each line along the last axis as a new array with the element
 * of place kth there, none larger before it and none smaller behind it, or the positions (int64) that do so. */
TH_API int64_t th_array_count_nan(const ThArray *a);
TH_API int th_array_rank(const ThArray *a, int64_t at, ThValue *value, ThValue *next);
TH_API ThArray *th_array_partition(ThArray *a, int64_t kth, bool positions);
/* Values, broadcast to the shape of where, at positions counted in C order. */
TH_API int th_array_put(ThArray *a, ThArray *where, ThArray *values);
TH_API bool th_array_fortran(const ThArray *a); /* Fortran order without gaps */
TH_API void th_array_protect(ThArray *a);       /* read-only from now on, and so are views made of it later */
/* start + i * step for i < n: int64, or float64 for every other dtype. */
TH_API ThArray *th_array_ramp(ThContext *c, ThDtype d, int64_t n, ThValue start, ThValue step);
/* Rows of x (rows, n) through filters, one after the other: b and a (filters, order + 1), a's first column being 1;
 * state (filters, rows, order) is where they begin, and afterwards where they ended. All float64 and contiguous. */
TH_API ThArray *th_array_filter(ThContext *c, const ThArray *b, const ThArray *a, const ThArray *x, ThArray *state);
/* Of equations with three diagonals, those below, on and above the main one as rows of (3, n): what solves them for the
 * columns of right (n, m). low[0] and up[n - 1] are not looked at. No pivots are sought. */
TH_API ThArray *th_array_tridiagonal(ThContext *c, const ThArray *diagonals, const ThArray *right);
TH_API int th_array_get(const ThArray *a, const int64_t *index, ThValue *v);     /* index: ndim entries, >= 0 */
TH_API int th_array_set(ThArray *a, const int64_t *index, char kind, ThValue v); /* kind of v: 'b' 'i' 'u' 'f' 'c' */
/* NumPy's str() and repr() of the array, under the context's options; free with th_free. */
TH_API char *th_array_str(ThContext *c, const ThArray *a);
TH_API char *th_array_repr(ThContext *c, const ThArray *a);
typedef struct ThPrintOptions {
    int precision;     /* digits behind the point at most: 8 */
    int edgeitems;     /* shown at each end of a long axis: 3 */
    bool suppress;     /* no exponents for the sake of small numbers */
    int linewidth;     /* characters of a line: 75 */
    int64_t threshold; /* summarised above so many elements: 1000 */
} ThPrintOptions;
TH_API int th_print_options(ThContext *c, const ThPrintOptions *o);
TH_API ThPrintOptions th_print_options_get(const ThContext *c);
TH_API void th_free(ThContext *c, void *text);

/* ---- sparse matrices: arrays whose elements are read through these functions only ------------------------------- */
/* format: 'r' compressed rows (CSR), 'c' columns (CSC). Structure is looked at: ValueError where it is not sound. */
TH_API ThArray *th_sparse_new(ThContext *c, char format, const int64_t shape[2], ThArray *data, ThArray *indices,
                              ThArray *indptr);
/* A copy of the plain vector that such an array is in memory and in files, once it was looked at. */
TH_API ThArray *th_sparse_read(ThContext *c, char format, ThArray *words);
TH_API char th_array_sparse(const ThArray *a); /* its format; 0: an ordinary array */
typedef struct ThSparse {
    char format;
    ThDtype dtype;
    int64_t shape[2], nnz;
    bool sorted;                      /* ascending indices without duplicates, as far as is known */
    ThArray *data, *indices, *indptr; /* views; the last two are read-only */
} ThSparse;
TH_API int th_sparse_parts(ThArray *a, ThSparse *out); /* nonzero: a is no sparse matrix */
TH_API void th_sparse_parts_free(ThSparse *s);

/* ---- files ---------------------------------------------------------------------------------------------------- */
/* A vector of bytes that files hold as one text without dimensions (NumPy's dtype S); so are such texts read. */
TH_API ThArray *th_array_text(ThContext *c, const char *text);
TH_API ThArray *th_load_npy(ThContext *c, const char *path);
TH_API int th_save_npy(ThContext *c, const char *path, const ThArray *a);
TH_API ThArray *th_load_idx(ThContext *c, const char *path); /* plain or gzip */
/* .npz: names and arrays in file order; *names (NUL-terminated each) and *arrays are freed by th_npz_free. */
typedef struct ThNpz {
    int n;
    char **names;
    ThArray **arrays;
    int nmeta; /* safetensors: texts of its header, key and value in turn */
    char **meta;
} ThNpz;
TH_API int th_load_npz(ThContext *c, const char *path, ThNpz *out);
TH_API int th_save_npz(ThContext *c, const char *path, int n, const char *const *names, ThArray *const *arrays);
/* The same with deflated members, as np.savez_compressed's. */
TH_API int th_save_npz_compressed(ThContext *c, const char *path, int n, const char *const *names,
                                  ThArray *const *arrays);
TH_API void th_npz_free(ThContext *c, ThNpz *z);
/* The file's own pages as an array. mode: "r" read-only, "r+" writes go to the file, "c" writes stay in memory. */
TH_API ThArray *th_map_npy(ThContext *c, const char *path, const char *mode);
TH_API int th_save_idx(ThContext *c, const char *path, const ThArray *a); /* gzip when path ends in .gz */
/* mmap: NULL reads; else a mode of th_map_npy. */
TH_API int th_load_safetensors(ThContext *c, const char *path, const char *mmap, ThNpz *out);
TH_API int th_save_safetensors(ThContext *c, const char *path, int n, const char *const *names, ThArray *const *arrays,
                               int nmeta, const char *const *meta);
/* Tables of numbers as text, a line a row. */
typedef struct ThTextOptions {
    size_t size;    /* see ThHost.size */
    char delimiter; /* 0: any number of blanks */
    char comment;   /* the rest of a line from here on is skipped; 0: none */
    int64_t skiprows, max_rows;
    const int64_t *usecols; /* columns in the order wanted, negative from the end; NULL: all */
    int nusecols;
    bool names; /* the first line holds names, not numbers */
    ThDtype dtype;
} ThTextOptions;
TH_API ThTextOptions th_text_options(void); /* blanks, '#', all rows and columns, float64 */
/* (rows, columns). *names (when asked for and wanted): the line of names, freed with th_free. */
TH_API ThArray *th_load_text(ThContext *c, const char *path, const ThTextOptions *options, char **names);
/* a has at most 2 dimensions (1: a column). format: one C conversion such as "%.18e" or "%d"; NULL: the shortest digits
   that read back. header and footer (NULL: none) are written with `comment` before each of their lines. */
TH_API int th_save_text(ThContext *c, const char *path, const ThArray *a, const char *format, const char *delimiter,
                        const char *header, const char *footer, const char *comment);
/* A file a block of rows at a time. kind: 'n' .npy, 'i' IDX (both also gzip), 't' text. */
typedef struct ThStream ThStream;
TH_API ThStream *th_stream_open(ThContext *c, const char *path, char kind, const ThTextOptions *text);
TH_API ThArray *th_stream_read(ThStream *s, int64_t rows); /* at most so many; a length of 0 at the end */
/* .npy that grows row by row; it appears under its name when th_stream_close succeeds. */
TH_API ThStream *th_stream_create(ThContext *c, const char *path, ThDtype d, int ndim, const int64_t *row_shape);
TH_API int th_stream_write(ThStream *s, ThArray *rows); /* one row, or rows along the first axis; cast to the dtype */
TH_API int th_stream_close(ThStream *s);                /* ends the file; the stream must still be released */
TH_API void th_stream_release(ThStream *s);             /* without a close, what was written is dropped */

/* ---- types and variables --------------------------------------------------------------------------------------- */
/* A tensor type: dtype and which dimensions are promised to be 1. Bit i of `broadcastable` is dimension i. */
typedef struct ThType {
    uint8_t kind;  /* TypeKind of graph.h; 0 = tensor */
    uint8_t dtype; /* ThDtype */
    uint16_t ndim;
    uint32_t broadcastable;
} ThType;

/* Of a sparse matrix: dtype of its values, format as in th_sparse_new. The fields of the type say how it is stored. */
TH_API ThType th_sparse_type(ThDtype d, char format);
TH_API char th_type_sparse(ThType t, ThDtype *d); /* its format, 0: another type; d may be NULL */
TH_API ThVar *th_variable_new(ThContext *c, ThType t, const char *name);
TH_API ThVar *th_constant_new(ThContext *c, ThArray *value, const char *name); /* dims of length 1 are broadcastable */
/* The same with a pattern of its own: a length of 1 is broadcastable only where the mask says so. */
TH_API ThVar *th_constant_typed(ThContext *c, ThArray *value, uint32_t broadcastable);
/* Number literals under Theano's autocast rules; `like` decides whether a float is joined with float64 (may be NONE).
 */
TH_API ThVar *th_constant_int(ThContext *c, int64_t v);
TH_API ThVar *th_constant_float(ThContext *c, double v);
/* The dtypes that float literals get from now on: the first of n (at most two) that holds the value exactly, else the
 * last; n = 0: Theano's rule. Nonzero after an error. */
TH_API int th_autocast_floats(ThContext *c, const ThDtype *dtypes, int n);
/* SharedVariable on a copy of value (borrow: on value itself). broadcastable: bit mask, 0 is Theano's default. */
TH_API ThVar *th_shared_new(ThContext *c, ThArray *value, const char *name, bool borrow, uint32_t broadcastable);
/* borrow: the storage itself, which later calls may overwrite; else a copy. */
TH_API ThArray *th_shared_get(ThVar *s, bool borrow);
/* dtype and rank must fit; the shape may change. borrow: value becomes the storage where it is C-contiguous, writeable
   and not the storage of another shared variable; it is copied otherwise. */
TH_API int th_shared_set(ThVar *s, ThArray *value, bool borrow);
TH_API int th_shared_rules(ThVar *s, bool strict, int8_t allow_downcast); /* of th_shared_set and th_var_filter */
TH_API ThVar *th_shared_clone(ThVar *s, const char *name);                /* another variable of the same storage */
/*
 * New value after every call of a function that reaches s, unless the function says otherwise. expr NULL: none.
 * Shareds whose updates read each other hold each other: they are freed when one of the updates is taken back, or by
 * th_shared_forget_updates, which takes back all that the context has (compiled functions keep theirs).
 */
TH_API int th_shared_set_default_update(ThVar *s, ThVar *expr);
TH_API void th_shared_forget_updates(ThContext *c);
TH_API ThVar *th_shared_default_update(ThVar *s); /* new reference, or NULL: none */
TH_API ThVar *th_var_retain(ThVar *v);
TH_API void th_var_release(ThVar *v);
TH_API ThType th_var_type(const ThVar *v);
TH_API const char *th_var_name(const ThVar *v); /* NULL when unnamed */
TH_API int th_var_set_name(ThVar *v, const char *name);
TH_API char th_var_kind(const ThVar *v);      /* 'v' variable, 'c' constant, 's' shared */
TH_API ThArray *th_var_data(const ThVar *v);  /* constants: retained data; else NULL */
TH_API ThApply *th_var_owner(const ThVar *v); /* borrowed; NULL for leaves */
TH_API int th_var_index(const ThVar *v);
TH_API uint64_t th_var_serial(const ThVar *v); /* creation order, unique in its context */
TH_API ThContext *th_var_context(const ThVar *v);
TH_API const char *th_var_line(const ThVar *v, int *line); /* file of creation or NULL */
TH_API char *th_var_str(const ThVar *v);                   /* Theano's str(); free with th_free */
TH_API char *th_type_str(ThContext *c, ThType t);          /* "TensorType(float64, matrix)" */

TH_API ThApply *th_apply_retain(ThApply *a);
TH_API void th_apply_release(ThApply *a);
TH_API int th_apply_ninputs(const ThApply *a);
TH_API int th_apply_noutputs(const ThApply *a);
TH_API ThVar *th_apply_input(const ThApply *a, int i);  /* borrowed */
TH_API ThVar *th_apply_output(const ThApply *a, int i); /* borrowed */
TH_API const char *th_apply_op_name(const ThApply *a);  /* "mul" (also of Elemwise), "Composite", "Sum" */
TH_API char *th_apply_op_str(const ThApply *a);         /* "Elemwise{mul,no_inplace}"; free with th_free */
TH_API char *th_apply_str(const ThApply *a);            /* "op(input, input)" */
TH_API ThContext *th_apply_context(const ThApply *a);
/* The same operation on other inputs, as many: a new reference. Types are worked out again where they differ. */
TH_API ThApply *th_apply_with_inputs(ThContext *c, ThApply *a, ThVar *const *in, int n);
/* Users of a variable of a compiled function, in a list freed with th_free: number; -1: no such variable, no error. */
typedef struct ThClient {
    ThApply *node; /* borrowed; NULL: an output of the function */
    int position;
} ThClient;
TH_API int th_var_clients(const ThVar *v, ThClient **clients);

/* ---- building: every function of the tensor language by name -------------------------------------------------- */
typedef enum {
    TH_ARG_NONE,
    TH_ARG_VAR,
    TH_ARG_ARRAY,
    TH_ARG_INT,
    TH_ARG_FLOAT,
    TH_ARG_BOOL,
    TH_ARG_STR,
    TH_ARG_LIST,
    TH_ARG_SLICE, /* list of exactly three: start, stop, step (each NONE, INT or VAR) */
    TH_ARG_NEWAXIS,
    TH_ARG_ELLIPSIS,
    TH_ARG_COMPLEX,
    TH_ARG_RANDOM /* a generator, the value of a variable of th_random_state_type */
} ThArgKind;
struct ThArg;
typedef struct ThArgList {
    const struct ThArg *at;
    int n;
} ThArgList;
typedef struct ThArg {
    ThArgKind kind;
    const char *key; /* keyword, or NULL for a positional argument (positional ones come first) */
    TH_EXTENSION union {
        ThVar *var;
        ThArray *array;
        int64_t i;
        double f;
        ThComplex128 c;
        bool b;
        const char *s;
        ThRandom *random;
        ThArgList list;
    };
} ThArg;

/* One entry for each public function: scalar operations and the functions built from operations alike. */
typedef struct ThFuncInfo {
    const char *name;       /* "log1p", "sum", "nnet.softmax": dots are Lua submodules of theano.tensor */
    const char *signature;  /* Python style: "x, axis=None, dtype=None, keepdims=False, acc_dtype=None" */
    const char *metamethod; /* "__add" or NULL */
    bool method;            /* also x:name(...) */
    const char *doc;        /* one line */
} ThFuncInfo;
/* A value under the rules of v's type (as th_function_filter), of a shared variable under its own: new reference. */
TH_API ThArray *th_var_filter(ThVar *v, const ThArg *value);
/* The same under a type alone. strict: its own dtype only; allow_downcast: -1 numbers only, 0 never, 1 any numeric. */
TH_API ThArray *th_type_filter(ThContext *c, ThType t, const ThArg *value, bool strict, int8_t allow_downcast);
TH_API int th_func_count(void);
TH_API const ThFuncInfo *th_func_info(int i);
TH_API int th_func_find(const char *name); /* -1 when absent */

/*
 * Calls function `func` on args (numbers become constants by Theano's autocast; arrays become Constants). Writes up to
 * max results to out (each a new reference) and returns their number, or -1 with the error set.
 */
TH_API int th_build(ThContext *c, int func, const ThArg *args, int nargs, ThVar **out, int max);
/* The same function on arrays and numbers at once (eager): results are arrays. Broadcasting is by lengths. */
TH_API int th_eager(ThContext *c, int func, const ThArg *args, int nargs, ThArray **out, int max);
/* Of two, along the first axis of x, dense and not empty: f(x0, x1), f(f(x0, x1), x2) ..: the last (by pairs where f is
 * associative), or (each) x0 and all; a new reference. NULL, perhaps without an error: call th_eager step by step. */
TH_API ThArray *th_eager_along(ThContext *c, int func, ThArray *x, bool each);
/* Short form for C hosts: th_op(c, "add", 2, x, y), tensors only; one result. */
TH_API ThVar *th_op(ThContext *c, const char *name, int n, ...);

typedef struct ThPair {
    ThVar *var, *expr;
} ThPair;
/*
 * Copies of n outputs in which each pair's var is replaced by its expr. strict: their types must be equal.
 * copy_inputs: plain variables are new ones too. out[i] receives a new reference each; nonzero on error.
 */
TH_API int th_clone(ThContext *c, ThVar *const *outs, int n, const ThPair *replace, int nreplace, bool strict,
                    bool copy_inputs, ThVar **out);

/* ---- loops: see core/ops/control/scan.h for the node ------------------------------------------------------------- */
/*
 * A loop. Each part is a variable outside (seq, state, ..) and those that stand for it in the loop's body (.._in): a
 * row of a sequence; a row of a state for each of its taps (all negative, tap_in in order of the states); a shared
 * value; a value. state_out, collect_out and shared_out are what the body makes of them, over the _in variables and
 * constants only. A state has as many rows before the first turn as its oldest tap says, and one more for every turn.
 */
typedef struct ThScan {
    size_t size;  /* see ThHost.size */
    ThVar *steps; /* 0-d integer: turns */
    int nseq, nstate, nshared, ncollect, nvalue;
    ThVar *const *seq, *const *seq_in;
    ThVar *const *state, *const *tap_in, *const *state_out;
    const int *const *tap;
    const int *ntap;
    ThVar *const *shared, *const *shared_in, *const *shared_out;
    ThVar *const *collect_out;
    ThVar *const *value, *const *value_in;
    ThVar *until;     /* 0-d condition of the body: the loop ends after the turn in which it is true; NULL: none */
    const char *name; /* NULL: scan_fn */
    int64_t truncate; /* turns that gradients go back; -1: all */
} ThScan;
/* New references: states, collected results, last shared values, and with `until` the number of turns; -1 on error. */
TH_API int th_scan(ThContext *c, const ThScan *s, ThVar **out);
/*
 * The n values of one of two branches, chosen by a 0-d condition (nonzero: `yes`); types are equal pairwise. Compiled
 * functions compute only the branch taken. name may be NULL. New references; nonzero on error.
 */
TH_API int th_ifelse(ThContext *c, ThVar *cond, ThVar *const *yes, ThVar *const *no, int n, const char *name,
                     ThVar **out);
/*
 * The rows of a state before the first turn (`rows` of them) with room for one more a turn, as ThScan wants it. New
 * reference.
 */
TH_API ThVar *th_scan_state(ThContext *c, ThVar *initial, int rows, ThVar *steps);
/* Free and shared variables that outs need besides `in`: borrowed, in the order met; list freed with th_free. -1:
 * error. */
TH_API int th_scan_free(ThContext *c, ThVar *const *outs, int n, ThVar *const *in, int nin, ThVar ***found);

/* ---- gradients -------------------------------------------------------------------------------------------------- */
typedef enum { TH_RAISE, TH_WARN, TH_IGNORE } ThPolicy;
typedef struct ThGradOptions {
    size_t size; /* see ThHost.size */
    ThVar *const *consider_constant;
    int nconsider;
    ThVar *const *known;
    ThVar *const *known_grad;
    int nknown; /* known_grads, in order; cost may then be NULL */
    ThPolicy disconnected_inputs;
    bool null_return;  /* null_gradients = "return" */
    char disconnected; /* return_disconnected: 'z' zeros, 'n' None (out[i] = NULL), 'd' Disconnected variable */
    bool no_names;     /* add_names = false */
} ThGradOptions;
/* out[i] = d cost / d wrt[i], new references; nonzero on error. options may be NULL. */
TH_API int th_grad(ThContext *c, ThVar *cost, ThVar *const *wrt, int n, const ThGradOptions *options, ThVar **out);

/*
 * Forward mode: out[i] = sum over j of d f[i] / d wrt[j] . at[j], new references; NULL where no wrt reaches f[i]. at[j]
 * has the rank of wrt[j]. Every operation has a rule: its own, or its gradient differentiated once more.
 */
TH_API int th_rop(ThContext *c, ThVar *const *f, int nf, ThVar *const *wrt, ThVar *const *at, int n, ThVar **out);
/*
 * Vectorising rewrite: out[i] of `in` becomes result[i] of `mapped`, where mapped[j] has the rank of in[j] plus one,
 * its first dimension being mapped over (all of one length), or is NULL: in[j] stays. Results have that dimension
 * first.
 */
TH_API int th_vmap(ThContext *c, ThVar *const *out, int nout, ThVar *const *in, ThVar *const *mapped, int n,
                   ThVar **result);
/* An undefined (kind 'n': NullType, `why` says why) or disconnected ('d') gradient, for a user's grad. */
TH_API ThVar *th_grad_none(ThContext *c, char kind, const char *why);
/*
 * ---- operations of the host: their own code, or a graph that they stand for -------------------------------------
 * Callbacks return 0, or nonzero after th_fail. They run on the thread that builds, compiles or calls.
 */
typedef struct ThOpDef {
    size_t size;      /* see ThHost.size */
    const char *name; /* as printed; copied */
    /* Values: out[i] are new references to arrays of the declared types. `in` are valid during the call only and must
     * not be written, but for those with bit i of `destroys`, which are private copies. */
    int (*perform)(void *user, ThContext *c, ThArray *const *in, int nin, const ThType *types, ThArray **out, int nout);
    uint32_t destroys;
    uint32_t views; /* bit i: results may share memory with input i (they are copied; DebugMode minds the others) */
    /* Lengths: one int64 vector a result from those of the inputs. NULL: perform runs before what needs lengths. */
    int (*infer_shape)(void *user, ThContext *c, ThVar *const *in, ThVar *const *in_shape, int nin, ThVar **out_shape,
                       int nout);
    /* Gradients for the inputs, new references; NULL (left so): disconnected. gz[i] NULL: no gradient reaches it. */
    int (*grad)(void *user, ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, ThVar *const *gz,
                ThVar **gx);
    /* Forward mode; NULL: by the gradient. at[i] NULL: no tangent. */
    int (*rop)(void *user, ThContext *c, ThVar *const *in, int nin, ThVar *const *at, ThVar **out, int nout);
    /* Instead of perform: results in terms of variables that stand for the inputs. The gradient then needs no callback.
     * With perform too the graph is what runs, and DebugMode compares the two. */
    ThVar *const *graph_in, *const *graph_out;
    int ngraph_in, ngraph_out;
    void *user;
    void (*release)(void *user); /* with the context, or at once when the key is known already */
} ThOpDef;
/* Makes it known under a key (its identity: equal keys are one operation, the first stays). Nonzero on error. */
TH_API int th_op_define(ThContext *c, const char *key, const ThOpDef *def);
TH_API const char *th_apply_op_key(const ThApply *a); /* the key of the operation of its node; NULL: not such a node */
TH_API bool th_op_defined(ThContext *c, const char *key);
/* Forgets an operation that stands for a graph (NULL: all of them); one with callbacks stays. Graphs hold their
 * context, so the context goes only after that. Nodes of the operation can be used no more, functions made of it can.
 */
TH_API void th_op_forget(ThContext *c, const char *key);
/* Application of operation `key`; out: types of the results (NULL for one with a graph: known). */
TH_API ThApply *th_op_apply(ThContext *c, const char *key, ThVar *const *in, int nin, const ThType *out, int nout);
/* The same, saying which results depend on which inputs for gradients: '1' or '0' at input * results + result. */
TH_API ThApply *th_op_apply_connected(ThContext *c, const char *key, ThVar *const *in, int nin, const ThType *out,
                                      int nout, const char *connected);
/* Sets the context's error unless there is one: for callbacks. Returns -1. */
TH_API int th_fail(ThContext *c, ThError kind, const char *text);
/* A variable from a text of the engine's expression language ("x * exp(-y)") over variables of these names. */
TH_API ThVar *th_expr(ThContext *c, const char *text, const char *const *names, ThVar *const *vars, int n);
/* The i-th operation of the engine; NULL past the end. rules: 'g' a gradient, 'r' a forward rule, 'v' a vmap rule. */
TH_API const char *th_op_name(int i, char rules[4]);

/* ---- watched functions: DebugMode, NanGuardMode, MonitorMode ------------------------------------------------------
 */
typedef struct ThWatchNode { /* a node that runs, or has run */
    int index;               /* in the toposort of the function, or of the body */
    ThApply *node;           /* borrowed */
    ThArray *const *in, *const *out;
    int nin, nout;         /* nout 0: before it runs */
    const ThApply *within; /* the loop or branch whose body it is in; NULL: none */
    int64_t step;          /* turn of that loop; -1: none */
} ThWatchNode;
typedef struct ThWatchSpec {
    size_t size;  /* see ThHost.size */
    char kind;    /* 'd' DebugMode, 'n' NanGuardMode, 'm' MonitorMode */
    int patience; /* DebugMode: how often the function is rewritten */
    bool check_c, check_py, check_finite;
    bool nan, inf, big; /* NanGuardMode: what is refused */
    char action;        /* 'r' raise, 'w' a line in the log */
    int (*pre)(void *user, const ThWatchNode *n), (*post)(void *user, const ThWatchNode *n); /* nonzero: th_fail */
    void *user;
    void (*release)(void *user);
} ThWatchSpec;
typedef struct ThWatch ThWatch;
TH_API ThWatchSpec th_watch_defaults(ThContext *c, char kind); /* as the flags DebugMode.* and NanGuardMode.* say */
TH_API ThWatch *th_watch_new(ThContext *c, const ThWatchSpec *spec); /* NULL: spec->user stays the caller's */
TH_API void th_watch_release(ThWatch *w);

/* ---- functions --------------------------------------------------------------------------------------------------- */
typedef struct ThIn {
    ThVar *var;
    const char *name; /* NULL: the variable's */
    ThArray *value;   /* default, NULL: required */
    ThVar *update;    /* new value after each call, NULL: none */
    bool mutable_, borrow, strict, implicit;
    int8_t allow_downcast; /* -1 default: a number only; 0 never; 1 any numeric */
} ThIn;
typedef struct ThOut {
    ThVar *var;
    bool borrow;
} ThOut;
typedef struct ThCompile {
    size_t size; /* see ThHost.size */
    const ThIn *in;
    int nin;
    const ThOut *out;
    int nout;
    const ThPair *updates;
    int nupdates;
    const ThPair *givens;
    int ngivens;
    const char *name;
    const char *mode; /* NULL: config; "FAST_RUN", "FAST_COMPILE", "None", ... */
    const char *linker, *optimizer, *including, *excluding, *requiring; /* NULL: the mode's or config's */
    const char *on_unused_input;                                        /* NULL: config */
    int8_t allow_input_downcast;                                        /* -1 default */
    int8_t profile;                                                     /* 0: config's, 1: measured, -1: not */
    bool no_default_updates, accept_inplace, no_rebuild_strict;
    ThVar *const *no_default_update_of; /* shareds whose default updates are left out */
    int nno_default_update_of;
    ThWatch *watch; /* NULL: as the mode says */
    int64_t memory; /* bytes that a call may take (th_function_memory); 0: no limit. A call that needs more makes
                       the function once more so that cheap values are computed again instead of kept, or fails */
} ThCompile;

TH_API ThFunction *th_compile(ThContext *c, const ThCompile *spec);
TH_API ThFunction *th_function_retain(ThFunction *f);
TH_API void th_function_release(ThFunction *f);
TH_API int th_function_ninputs(const ThFunction *f);
TH_API int th_function_noutputs(const ThFunction *f);
TH_API const char *th_function_input_name(const ThFunction *f, int i); /* NULL when unnamed */
TH_API ThVar *th_function_input_var(const ThFunction *f, int i);       /* borrowed: the user's variable */
TH_API ThType th_function_output_type(const ThFunction *f, int i);
TH_API bool th_function_output_borrow(const ThFunction *f, int i);
TH_API const char *th_function_name(const ThFunction *f);
/*
 * args[i] NULL: the default. Casts that the input's rules allow are done here. out[i] receives a new reference each (or
 * is reused when the output is borrowed). Nonzero on error: no shared variable has changed then.
 */
TH_API int th_call(ThFunction *f, ThArray *const *args, int nargs, ThArray **out);
/*
 * The same with numbers, nested lists and NONE (the default) as arguments. values, where given, takes the results of no
 * dimensions: out[i] is NULL then, and nothing is allocated for them.
 */
TH_API int th_call_args(ThFunction *f, const ThArg *args, int nargs, ThArray **out, ThValue *values);
/* Only arrays that fit exactly are taken from now on; nothing is converted. */
TH_API void th_function_set_trust(ThFunction *f, bool trust);
TH_API bool th_function_trust(const ThFunction *f);
/* The default of input i (its state, under ThIn.update): a copy, or NULL without an error when it has none. */
TH_API ThArray *th_function_default(ThFunction *f, int i);
/* From now on input i of f has the default (and the state, where an update changes it) of input j of another function;
 * before the first call of f. Nonzero on error: the types must be equal. */
TH_API int th_function_share_default(ThFunction *f, int i, ThFunction *from, int j);
TH_API int th_function_set_default(ThFunction *f, int i, ThArray *value); /* a copy is kept; NULL: required again */
TH_API bool th_function_implicit(const ThFunction *f, int i);
/* Bytes of temporaries, results and working memory at the sizes of the last call that had new ones; 0: no call yet.
 * What only a run tells (convolutions, sizes that steps find, weights that stay packed) is in it once it is known. */
TH_API int64_t th_function_memory(const ThFunction *f);
TH_API void th_function_trim(ThFunction *f); /* gives back what idle callers keep between calls */
TH_API int th_function_nshared(const ThFunction *f);
TH_API ThVar *th_function_shared(const ThFunction *f, int i); /* borrowed: shareds read or updated */
typedef struct ThCopy {
    size_t size;        /* see ThHost.size */
    const ThPair *swap; /* shared -> shared of the same type */
    int nswap;
    bool delete_updates;
    const char *name; /* NULL: "NAME copy" */
    int8_t profile;   /* as in ThCompile */
} ThCopy;
/* A function of the same expression with inputs and defaults of its own. */
TH_API ThFunction *th_function_copy(ThFunction *f, const ThCopy *options);

/*
 * A value as argument i under the input's type rules (inventory of Theano's TensorType.filter): arrays pass when no
 * precision is lost, numbers and nested lists when every value is held exactly (a Python-like float goes down to
 * floatX). New reference or NULL.
 */
TH_API ThArray *th_function_filter(ThFunction *f, int i, const ThArg *value);
/* Data of the toposorted compiled graph, for f.maker.fgraph. */
TH_API int th_function_nnodes(const ThFunction *f);
TH_API ThApply *th_function_node(const ThFunction *f, int i);      /* borrowed; lives as long as f */
TH_API ThVar *th_function_output_var(const ThFunction *f, int i);  /* NULL past the last; updates follow the outputs */
TH_API ThVar *th_function_graph_input(const ThFunction *f, int i); /* inputs, then shareds; NULL past the last */
TH_API ThContext *th_function_context(const ThFunction *f);

/* ---- printing: all texts are freed with th_free ----------------------------------------------------------------- */
typedef struct ThDebugPrint {
    size_t size; /* see ThHost.size */
    int depth;   /* -1: all */
    bool print_type, stop_on_name;
    char ids;         /* 'C' CHAR, 'i' int, 'd' id, 0 none */
    size_t max_bytes; /* 0: 8 MiB; a line says so when the text is cut */
    bool print_destroy_map, print_view_map, print_clients, print_storage; /* the last two: of functions */
    ThApply *const *order; /* norder nodes: a node's place among them stands behind it; NULL: a function's own order */
    int norder;
    /* nseen variables whose nodes have ids 0, 1, .. already (done, used_ids); printed by entry: not once more */
    ThVar *const *seen;
    const bool *printed;
    int nseen;
    /* where not NULL: all that have ids now in that order, borrowed; th_free the list */
    ThVar ***met;
    int *nmet;
} ThDebugPrint;
TH_API char *th_debugprint(ThContext *c, ThVar *const *vars, int n, const ThDebugPrint *options);
TH_API char *th_function_debugprint(ThFunction *f, const ThDebugPrint *options);
TH_API char *th_pp(ThVar *v);
TH_API char *th_graph_text(ThContext *c, ThVar *const *outs, int n); /* one line a node; th_graph_read reads it back */
TH_API int th_graph_read(ThContext *c, const char *text, ThVar ***in, int *nin, ThVar ***out,
                         int *nout); /* th_free the lists */
TH_API char *th_function_graph_text(ThFunction *f);
/* Sizes, buffers, steps, and kernels, each with how it runs on this machine where it runs as generated code;
 * docs/schedule.md says how to read that. */
TH_API char *th_function_plan(ThFunction *f);
/* ..and how it would run on a target, in a version for certain lengths: arguments as th_function_ccode_for's. */
TH_API char *th_function_plan_for(ThFunction *f, const char *target, const int *size, const int64_t *value, int n);
/*
 * What a function compiled with profile measured: seconds of wall time, over all threads. false: it measures nothing.
 * A profiled function runs step by step, so its calls take a little longer.
 */
typedef struct ThProfile {
    int64_t calls, failed_calls;
    double call_time, step_time; /* of calls, of the steps within them */
    double compile_time, optimizer_time, plan_time, build_time;
    int nsteps;
} ThProfile;
typedef struct ThProfileStep {
    const char *title, *op; /* the whole step; the operation it is counted under */
    const int *nodes;       /* toposort indices of the nodes that it computes */
    int nnodes;
    int64_t calls;
    double time;
    bool generated; /* compiled C, not the interpreter or a library */
} ThProfileStep;
TH_API bool th_function_profile(const ThFunction *f, ThProfile *out);
TH_API bool th_function_profile_step(const ThFunction *f, int i, ThProfileStep *out);
/* Theano's summary, with at most n_ops operations and n_apply steps listed. */
TH_API char *th_function_profile_text(ThFunction *f, int n_ops, int n_apply);
TH_API char *th_function_ccode(ThFunction *f); /* NULL with an error when the function has no C unit */
/* The text that the function would get for "sse2", "avx2", "avx512" (processors), "cuda" or "cuda-emulated", under the
 * flags as they are now; neither a compiler nor the target is needed. Of n sizes, by their number in the plan (s0 ..),
 * the values may be told: then it is the version for calls of these lengths. */
TH_API char *th_function_ccode_for(ThFunction *f, const char *target, const int *size, const int64_t *value, int n);
/* Runs the named passes (":"-separated names or tags) over a graph text and prints the result: goldens, inspection. */
TH_API char *th_optimize_text(ThContext *c, const char *graph, const char *passes);
/* "rule count" a line: how often each rule changed a graph in this context. */
TH_API char *th_optdb_fired(ThContext *c);
/* What runs, in order. query: an optimizer's name, then words "+tag" to include, "-tag" to exclude, "&tag" to require.
 */
TH_API char *th_optdb_table(ThContext *c); /* "pass POSITION NAME TAGS own|user", "rule NAME TAGS own|user" after it */
TH_API char *th_optdb_summary(ThContext *c, const char *query);
/* Totals of the context for tests and tools: "live_bytes", "live_nodes", "allocs", "cache_bytes", ... ; -1 unknown. */
TH_API int64_t th_stat(ThContext *c, const char *what);

#include "theano_debug.h"    /* looking into functions */
#include "theano_device.h"   /* GPUs */
#include "theano_function.h" /* bound calls, functions as files */
#include "theano_random.h"   /* random streams */
#include "theano_rewrite.h"  /* rewrites of the user's */

#ifdef __cplusplus
}
#endif
#endif
