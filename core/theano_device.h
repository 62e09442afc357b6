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

#endif
