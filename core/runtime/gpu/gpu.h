/*
 * gpu.h -- what a device has in place of the host's libraries: HostServices whose works hold addresses of the device
 * and are done by kernels of ours, text in the dialect of backend_cuda/prelude.c, compiled once for a device, family
 * and variant (mostly a dtype), when first launched.
 *
 * A record of arguments is written once, GPU_RECORD: the host's struct, and its text for the kernels. It begins with
 * `i64 *err, step;`, which gpu_launch fills in: the call's error record and step. A kernel that finds a bad element
 * writes the first one there (gpu_fail in the text, see text.c) and has no barriers; all others begin with
 * `if (a.err[0]) return;`. Kernels have GPU_THREADS threads, at most GPU_BLOCKS blocks (they loop over the rest), and
 * 4 KB of shared memory, `SHARED;`: char sh[].
 */
#ifndef TH_GPU_H
#define TH_GPU_H

#include "graph/services.h"
#include "runtime/device/device.h"
#include "runtime/frame/backend.h"

enum {
    GPU_THREADS = 256,
    GPU_BLOCKS = 1024,
    GPU_KERNELS = 16,
    GPU_VARIANTS = 1 << 12,
    GPU_DTYPES = 1 << 8 /* a variant: a dtype, and what else there is above */
};

/* The types of records. */
typedef int64_t i64;
typedef int32_t i32;
typedef uint64_t u64;
typedef double f64;
#define GPU_TEXT(...) #__VA_ARGS__ "\n"
#define GPU_RECORD(name, ...) \
    typedef struct name __VA_ARGS__ name; \
    static const char name##_text[] __attribute__((unused)) = "typedef struct " #__VA_ARGS__ " " #name ";\n";

/* ---- families of kernels ---- */
typedef struct GpuFamily {
    const char *name;
    const char *const *text; /* pieces, NULL at the end */
    const CudaEntry *kernel;
    int n;                              /* at most GPU_KERNELS */
    bool (*has)(int variant);           /* whether there is such a variant, below GPU_VARIANTS */
    void (*head)(Text *t, int variant); /* what comes before: types and functions of the variant */
} GpuFamily;
#define GPU_ENTRY(name, args, barriers) \
    { #name, #args, sizeof(args), barriers }
bool gpu_is_one(int variant); /* one variant, 0 */
void gpu_head_none(Text *t, int variant);
bool gpu_is_dtype(int variant);          /* a variant for each dtype */
void gpu_head_keys(Text *t, int dtype);  /* keys.c: the same, and the order of its elements */
void gpu_head_dtype(Text *t, int dtype); /* text.c: T, the dtype's type, and what is done with it */

/* The device's library, empty; false with the error set. Once, before the first call. */
bool gpu_open(ThContext *c, Device *d);

/* ---- a call ---- */
/* Memory of the calls of one queue, one after the other: as much as the largest wanted so far. */
typedef struct GpuRoom {
    DeviceAddress at;
    size_t bytes;
} GpuRoom;
enum { GPU_MORE = 16 };
typedef struct GpuCall {
    DeviceQueue *q;
    GpuRoom *room;
    DeviceAddress record;
    int step;
    DeviceStatus status;          /* of the entry point that refused, or DEVICE_OK */
    size_t used, most;            /* of its room now, and ever */
    DeviceAddress more[GPU_MORE]; /* what room had no place for */
    int nmore;
} GpuCall;
/* After a call: what it had besides its room goes back, and the room grows for the next one. */
void gpu_end(GpuCall *g);

/* Memory of the device until the call ends; false: the call fails. */
bool gpu_room(HostCall *h, size_t bytes, char **at);
/* What was had since a mark goes back, for what is queued next. */
typedef struct GpuMark {
    size_t used;
    int nmore;
} GpuMark;
GpuMark gpu_mark(const HostCall *h);
void gpu_back(HostCall *h, GpuMark m);
/* Queues blocks (none is nothing) of kernel `number` of the family; nonzero: the call fails. */
int gpu_launch(HostCall *h, const GpuFamily *f, int variant, int number, int64_t blocks, void *args);
/* Around what is asked of the device's compiler: one thread at a time. */
void gpu_alone(Device *d, bool begins);
int gpu_set(HostCall *h, char *at, unsigned char byte, size_t bytes);
/* Blocks for n threads. */
static inline int64_t gpu_blocks(int64_t n) { return n / GPU_THREADS + (n % GPU_THREADS != 0); }
/* A status as the call's; nonzero unless DEVICE_OK. */
int gpu_status(HostCall *h, DeviceStatus s);

/* For the tests: the whole text of a variant, to be freed with th_free; NULL with the error set. */
char *gpu_text(ThContext *c, const GpuFamily *f, int variant);
extern const GpuFamily *const gpu_families[];
extern const int gpu_family_count;

/* ---- lanes: all positions off an axis ---- */
enum { GPU_ARRAYS = 3 };
/* Of up to three arrays: lengths off the axis, steps in bytes, neighbours merged where all arrays allow it. */
GPU_RECORD(GpuLanes, {
    i64 nd;
    i64 len[32];
    i64 st[3][32];
})
/* axis -1: there is none, every element is a lane. Returns how many lanes there are. */
i64 gpu_lanes(GpuLanes *l, const ThArray *const *arrays, int count, int axis);
/* put_number(p, kind, v), get_number(p, kind): whole numbers of any real dtype; put_real, get_real: floats too */
extern const char gpu_number_text[];
int gpu_number(ThDtype d);          /* its kind there */
extern const char gpu_fail_text[];  /* fail(err, step, which, v0, v1, v2, v3), first_at(first, at) */
extern const char gpu_lanes_text[]; /* lane_at(&a.l, k, lane): the byte where lane begins in array k */

/* ---- the services ---- */
extern const HostServices gpu_services;
extern const GpuFamily gpu_cum;
int gpu_cumulate(HostCall *h, const CumWork *w);
int gpu_sort(HostCall *h, const SortWork *w);
int gpu_search(HostCall *h, const SearchWork *w);
int gpu_unique(HostCall *h, const UniqueWork *w);
int gpu_count(HostCall *h, const CountWork *w);
int gpu_nonzero(HostCall *h, const NonzeroWork *w);
int gpu_repeat(HostCall *h, const RepeatWork *w);
int gpu_pick(HostCall *h, const PickWork *w);
int gpu_ctc(HostCall *h, const CtcWork *w);
int gpu_attention(HostCall *h, const AttentionWork *w);
int gpu_state(HostCall *h, const StateWork *w);
int gpu_sparse(HostCall *h, const SparseWork *w);
int gpu_assign(HostCall *h, ThArray *to, const ThArray *from);
int gpu_copy(HostCall *h, DeviceAddress to, DeviceAddress from, size_t bytes); /* unless a step failed: whole pieces */
int gpu_move(HostCall *h, DeviceAddress to, DeviceAddress from, size_t bytes); /* the same, exactly these bytes */
/* What follows is passed over: unless the flag is set; what was and what was not, in turn; nothing; from a turn on
 * after which the flag is set, whose number plus 1 the third word of the record then has. */
typedef enum { GPU_STEER_IF, GPU_STEER_ELSE, GPU_STEER_END, GPU_STEER_UNTIL } GpuSteer;
enum { GPU_PASSED = -1 }; /* the record's first word meanwhile */
int gpu_steer(HostCall *h, DeviceAddress flag, GpuSteer way, int64_t turn);

/* ---- CUDA's libraries (the flag cuda.libraries) ---- */
typedef enum { GPU_DONE, GPU_NOT, GPU_FAILED } GpuDone; /* GPU_NOT: nothing was queued, and nothing is wrong */
typedef struct GpuHandle {                              /* of a device; zeros: not looked for yet */
    const void *functions;
    void *handle;
    bool asked;
} GpuHandle;
struct LibraryTable;
/* Whether work of this size, as far as `least` is worth it, is a library's. */
bool gpu_wants(const HostCall *h, int64_t work, int64_t least);
/* The table's functions; NULL: kernels of ours do `what`, of which a log line says why. */
const void *gpu_functions(HostCall *h, GpuHandle *u, const struct LibraryTable *t, const char *what);

/* ---- products of matrices by cuBLASLt ---- */
typedef struct GpuMatrix { /* strides in elements; step: from matrix to matrix */
    char *at;
    int64_t rows, cols, rs, cs, step;
} GpuMatrix;
typedef enum GpuAdds {
    GPU_ADDS_NOTHING,
    GPU_ADDS_ROW /* a number for each column */,
    GPU_ADDS_ARRAY /* as c lies */
} GpuAdds;
typedef struct GpuProduct { /* c = beta c + alpha a b, of float32 or float64 */
    ThDtype dtype, half;    /* half: of a and b, where it is one; else 0 */
    int64_t matrices;
    GpuMatrix a, b, c;
    double alpha, beta;
    GpuAdds adds; /* to c, if that can be done.. */
    char *more;   /* (that) */
    bool rounds;  /* or c is wanted as the factors' half alone, in low, likewise.. */
    bool added;   /* ..and was it */
    GpuMatrix low;
} GpuProduct;
GpuDone gpu_matmul(HostCall *h, GpuHandle *u, GpuProduct *p);
void gpu_matmul_close(GpuHandle *u);

/* ---- convolutions by cuDNN ---- */
struct ConvWork;
bool gpu_conv_wanted(const HostCall *h, const struct ConvWork *w);
GpuDone gpu_cudnn(HostCall *h, GpuHandle *u, const struct ConvWork *w); /* dense results, of no pooling */
void gpu_cudnn_close(GpuHandle *u);
GpuDone gpu_conv(HostCall *h, const struct ConvWork *w);
/* ..or of gradients by images, by cuBLASLt and a sum of windows: its product, whose result lies nowhere yet. */
bool gpu_by_windows(const struct ConvWork *w, GpuProduct *p);
GpuDone gpu_conv_windows(HostCall *h, const struct ConvWork *w, GpuProduct *p);

/* ---- Fourier transforms by cuFFT ---- */
enum { GPU_PLANS = 8 };
typedef struct GpuLines { /* lines of n pairs, one behind the other: transformed where they lie */
    char *at;             /* NULL: it is only asked whether that can be done */
    int64_t n, lines;
    int sign; /* of exp(sign 2 pi i j k / n) */
    bool wide;
} GpuLines;
typedef struct GpuFourier {
    GpuHandle library;
    struct {
        int64_t n, lines;
        int type, plan;
        size_t bytes;
        uint64_t used; /* 0: there is none */
    } plan[GPU_PLANS];
    uint64_t turn;
} GpuFourier;
GpuDone gpu_cufft(HostCall *h, GpuFourier *u, const GpuLines *l);
void gpu_cufft_close(GpuFourier *u);
GpuDone gpu_fourier(HostCall *h, const GpuLines *l); /* gpu.c: by the device's, likewise below */

/* ---- sparse times dense by cuSPARSE ---- */
typedef struct GpuSparseProduct { /* z (lines, n), rows side by side = x . y; y's rows `by_row` apart, in elements */
    ThDtype dtype;
    int64_t lines, places, nnz, n, by_row, by_col;
    const int32_t *ptr, *idx;
    const char *values, *y;
    char *z;
} GpuSparseProduct;
GpuDone gpu_cusparse(HostCall *h, GpuHandle *u, const GpuSparseProduct *p);
void gpu_cusparse_close(GpuHandle *u);
GpuDone gpu_sparse_product(HostCall *h, const GpuSparseProduct *p);

/* ---- factorisations by cuSOLVER ---- */
typedef enum {
    GPU_SOLVER_CHOLESKY,
    GPU_SOLVER_EIGH,
    GPU_SOLVER_SVD,
    GPU_SOLVER_LU,
    GPU_SOLVER_SOLVE,
    GPU_SOLVER_QR,
    GPU_SOLVER_Q
} GpuSolverKind;
typedef struct GpuSolverWork { /* one matrix, by columns; what comes of it as core/runtime/gpu/cusolver.c says */
    GpuSolverKind kind;
    ThDtype dtype;
    int64_t rows, cols, many; /* many: right sides, or columns of Q */
    bool vectors, full;
    int trans;           /* as FACTOR_N .. */
    char *a, *s, *u, *v; /* NULL a: it is only asked whether that can be done */
    int64_t *pivot;
    int32_t *info;
} GpuSolverWork;
GpuDone gpu_cusolver(HostCall *h, GpuHandle *u, const GpuSolverWork *w);
void gpu_cusolver_close(GpuHandle *u);
GpuDone gpu_solver(HostCall *h, const GpuSolverWork *w);
GpuDone gpu_product(HostCall *h, GpuProduct *p); /* gpu.c: by the device's */

/* ---- reductions over the ranks of a job by NCCL (nccl.c) ---- */
typedef struct GpuRanks GpuRanks;
int gpu_ranks(HostCall *h, const RanksWork *w);
int gpu_ranks_do(HostCall *h, GpuRanks **u, const RanksWork *w); /* gpu.c calls it with the device's */
void gpu_ranks_close(GpuRanks **u, bool lost);                   /* lost: nothing on the device is there any more */
bool gpu_ranks_good(ThContext *c, const Device *d);              /* or the error that ended them is set */
bool gpu_ranks_ok(ThContext *c, const GpuRanks *u);

/* ---- what families use of each other ---- */
extern const GpuFamily gpu_states, gpu_steers, gpu_sorts, gpu_searches, gpu_uniques, gpu_found, gpu_moves, gpu_picks,
    gpu_ctcs, gpu_folds, gpu_attentions, gpu_attention_cores, gpu_windows;
int gpu_running_sums(HostCall *h, i64 *v, i64 n); /* cumulate.c: in place */
/* sort.c: a vector, or the rows of a matrix, in order: positions, or (a vector's, not `at`) exact keys. */
typedef struct GpuOrder {
    char *key;
    i64 *pos;
} GpuOrder;
int gpu_order(HostCall *h, const ThArray *x, bool at, GpuOrder *o);
int gpu_order_places(HostCall *h, char *place, i64 n, GpuOrder *o); /* n dense int64 */
int gpu_order_counts(HostCall *h, char *count, i64 n, GpuOrder *o); /* none is negative: the keys are the numbers */
extern const GpuFamily gpu_ffts, gpu_factors, gpu_spectrum;
int gpu_fft(HostCall *h, const FftWork *w);
int gpu_factor(HostCall *h, const FactorWork *w);

#endif
