/*
 * theano_device.h -- the part of theano.h, which includes it, about GPUs, and about ranks. The rules of theano.h hold.
 */
#ifndef THEANO_DEVICE_H
#define THEANO_DEVICE_H

/* ---- devices: where arrays live -----------------------------------------------------------------------------------
 */
/*
 * By name: "cpu", or a GPU: "cuda" (the one of the flag device, of init_gpu_device, or the first), "cuda0" and
 * "cuda:0". An array that lives on a GPU is read and written as any other: its value comes over when it is read there,
 * and functions of the GPU use it where it is. An address that th_array_data gave holds until a function changes the
 * array.
 */
TH_API int th_array_device(const ThArray *a); /* number of its GPU; -1: the host */
/* A reference on a where it lives there already, else a C-contiguous copy. */
TH_API ThArray *th_array_to_device(ThArray *a, const char *device);
/* Moves its value; "cpu": it stays there, whichever functions use it. */
TH_API int th_shared_to_device(ThVar *s, const char *device);
TH_API int th_device_count(ThContext *c); /* GPUs; 0, without an error, where there is no driver */
typedef struct ThDevice {
    char name[128];
    int number, major, minor, multiprocessors;
    int driver; /* version of CUDA, 13000 for 13.0 */
    bool emulated;
    int64_t bytes, unused;    /* of its memory: all, and what nobody has */
    int64_t used, kept, most; /* had from it by this context: in use, kept for later, the most that was in use */
    int64_t limit;            /* of used and kept together (gpuarray.preallocate); 0: none */
    int64_t arrays;           /* that live there, shared variables among them */
    int64_t to_device, to_device_bytes, to_host, to_host_bytes, launches; /* since it was opened */
} ThDevice;
TH_API int th_device_get(ThContext *c, const char *device, ThDevice *out); /* nonzero: GpuError says what is missing */

/* ---- memory shared with other programs on a GPU ------------------------------------------------------------------
 */
/*
 * Where an array that lives on a GPU begins there; all that was queued on it is done. 0: it lives on the host (no
 * error), or an error. What others write there is seen from then on; it stays where it is until a function changes the
 * array.
 */
TH_API uint64_t th_array_device_address(ThArray *a);
/* A GPU's memory as an array that lives there, used in place; strides in bytes, NULL: C order. release(user) (or NULL)
 * comes when the last view is gone, from any thread, and not where this fails. */
TH_API ThArray *th_array_on_device(ThContext *c, const char *device, ThDtype d, int ndim, const int64_t *shape,
                                   const int64_t *strides, uint64_t address, void (*release)(void *user), void *user);

/* ---- DLPack: arrays for other libraries, and theirs, without a copy ----------------------------------------------
 */
/* The structs of dlpack.h under names of ours, so that both may be included; a pointer to one is a pointer to the
 * other. code: 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool. type: 1 CPU, 2 CUDA, 3 CUDA's pinned host memory,
 * 12 the emulated GPU. Strides are in elements. */
typedef struct ThDLTensor {
    void *data;
    struct {
        int32_t type, number;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} ThDLTensor;
typedef struct ThDLManaged { /* DLManagedTensor */
    ThDLTensor tensor;
    void *manager;
    void (*deleter)(struct ThDLManaged *self);
} ThDLManaged;
typedef struct ThDLVersioned { /* DLManagedTensorVersioned, of DLPack 1.0 and later */
    uint32_t major, minor;
    void *manager;
    void (*deleter)(struct ThDLVersioned *self);
    uint64_t flags; /* 1: read-only; 2: a copy */
    ThDLTensor tensor;
} ThDLVersioned;
/* The array's memory where it lives, which stays until the deleter is called, from any thread. An array that may not be
 * written goes only by the second one. */
TH_API ThDLManaged *th_array_to_dlpack(ThArray *a);
TH_API ThDLVersioned *th_array_to_dlpack_versioned(ThArray *a);
/* Theirs becomes an array's: its deleter is called when the last view is gone. After an error it is still the caller's.
 */
TH_API ThArray *th_array_from_dlpack(ThContext *c, ThDLManaged *m);
TH_API ThArray *th_array_from_dlpack_versioned(ThContext *c, ThDLVersioned *m);

/* ---- ranks: several processes that call the same functions --------------------------------------------------------
 */
typedef enum { TH_RANKS_SUM, TH_RANKS_MEAN, TH_RANKS_MAX, TH_RANKS_MIN, TH_RANKS_PROD } ThRanksOp;
/*
 * How they reach each other. Functions give nonzero with a message in `why` (`room` bytes), and may be called on any
 * thread that calls functions of the context. All ranks ask for the same in the same order; sums are made in the order
 * of the ranks.
 */
typedef struct ThRanks {
    size_t size; /* see ThHost.size */
    int rank, n;
    void *user;
    /* n elements set out (they are copied), under the name `as`; what came of them goes to `to`. */
    int (*start)(void *user, ThRanksOp op, ThDtype d, int64_t n, const void *data, const void *as, char *why,
                 size_t room);
    int (*wait)(void *user, const void *as, void *to, size_t bytes, char *why, size_t room);
    int (*share)(void *user, void *data, size_t bytes, char *why, size_t room); /* rank 0's for all */
    /* A GPU reduces n elements by itself (NCCL). Meanwhile, on any thread: whether all ranks do the same; then over(of)
     * until it is not 0. lost(of, why): they do not, or a rank is gone. */
    int (*watch)(void *user, ThRanksOp op, ThDtype d, int64_t n, int (*over)(void *of),
                 void (*lost)(void *of, const char *why), void *of, char *why, size_t room);
} ThRanks;
TH_API int th_ranks_set(ThContext *c, const ThRanks *r); /* copied; NULL: none */
/* Variables reduced over the ranks. Each sets out when it is computed, the last of the list first, and is waited for
 * when all of them are on their way. out: new references. */
TH_API int th_ranks_reduce(ThContext *c, ThRanksOp op, ThVar *const *list, int n, ThVar **out);

#endif
