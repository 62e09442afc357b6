/*
 * theano_device.h -- the part of theano.h, which includes it, about GPUs. The rules of theano.h hold.
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

#endif
