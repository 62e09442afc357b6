/*
 * driver.h -- the entry points of NVIDIA's driver, by own prototypes (CUDA 12 and 13 have them alike): nothing of the
 * toolkit is needed to build. The library is opened when a context first asks for it.
 *
 * In: a path, or NULL for the driver's own name. Out: a table of functions, or why there is none. All of them are
 * there or there is no table. Functions give 0 or an error number, whose name cuGetErrorName tells.
 */
#ifndef TH_DRIVER_H
#define TH_DRIVER_H

#include "base/base.h"

typedef uint64_t CuAddress; /* CUdeviceptr */
typedef void *CuHandle;     /* CUcontext, CUstream, CUevent, CUmodule, CUfunction, CUgraph, CUgraphExec */

enum { CU_OK = 0, CU_OUT_OF_MEMORY = 2, CU_NO_DEVICE = 100, CU_NO_CONTEXT = 201, CU_NOT_READY = 600 };
/* From here on the context is beyond use: illegal address up to launch failure. */
enum {
    CU_STICKY_FIRST = 700,
    CU_STICKY_LAST = 721,
    CU_TOO_LARGE = 720 /* but for this: a launch of too many blocks */
};
enum { CU_PATIENT_EVENT = 0x2, CU_NON_BLOCKING = 0x1, CU_CAPTURE_THREAD = 1, CU_CAPTURE_SET = 1, CU_NEEDED = 12000 };
/* Of cuDeviceGetAttribute. */
enum { CU_MULTIPROCESSORS = 16, CU_MAJOR = 75, CU_MINOR = 76, CU_TOGETHER = 95, CU_POOLS = 115 };

/* X(field, symbol, arguments) */
/* clang-format off */
#define CUDA_DRIVER(X)                                                                                                 \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(version, "cuDriverGetVersion", (int *version))                                                                   \
    X(error_name, "cuGetErrorName", (int code, const char **name))                                                     \
    X(error_text, "cuGetErrorString", (int code, const char **text))                                                   \
    X(count, "cuDeviceGetCount", (int *n))                                                                             \
    X(device, "cuDeviceGet", (int *device, int ordinal))                                                               \
    X(name, "cuDeviceGetName", (char *name, int room, int device))                                                     \
    X(attribute, "cuDeviceGetAttribute", (int *value, int which, int device))                                          \
    X(total, "cuDeviceTotalMem_v2", (size_t *bytes, int device))                                                       \
    X(retain, "cuDevicePrimaryCtxRetain", (CuHandle *context, int device))                                             \
    X(release, "cuDevicePrimaryCtxRelease_v2", (int device))                                                           \
    X(reset, "cuDevicePrimaryCtxReset_v2", (int device))                                                               \
    X(current, "cuCtxSetCurrent", (CuHandle context))                                                                  \
    X(memory, "cuMemGetInfo_v2", (size_t *unused, size_t *all))                                                        \
    X(alloc, "cuMemAllocAsync", (CuAddress *at, size_t bytes, CuHandle stream))                                        \
    X(free, "cuMemFreeAsync", (CuAddress at, CuHandle stream))                                                         \
    X(pin, "cuMemHostAlloc", (void **at, size_t bytes, unsigned flags))                                                \
    X(unpin, "cuMemFreeHost", (void *at))                                                                              \
    X(copy_in, "cuMemcpyHtoDAsync_v2", (CuAddress to, const void *from, size_t bytes, CuHandle stream))                \
    X(copy_out, "cuMemcpyDtoHAsync_v2", (void *to, CuAddress from, size_t bytes, CuHandle stream))                     \
    X(copy, "cuMemcpyDtoDAsync_v2", (CuAddress to, CuAddress from, size_t bytes, CuHandle stream))                     \
    X(copy_peer, "cuMemcpyPeerAsync",                                                                                  \
      (CuAddress to, CuHandle there, CuAddress from, CuHandle here, size_t bytes, CuHandle stream))                    \
    X(set, "cuMemsetD8Async", (CuAddress at, unsigned char byte, size_t bytes, CuHandle stream))                       \
    X(stream_new, "cuStreamCreate", (CuHandle *stream, unsigned flags))                                                \
    X(stream_free, "cuStreamDestroy_v2", (CuHandle stream))                                                            \
    X(stream_wait, "cuStreamSynchronize", (CuHandle stream))                                                           \
    X(stream_after, "cuStreamWaitEvent", (CuHandle stream, CuHandle event, unsigned flags))                            \
    X(event_new, "cuEventCreate", (CuHandle *event, unsigned flags))                                                   \
    X(event_free, "cuEventDestroy_v2", (CuHandle event))                                                               \
    X(event_record, "cuEventRecord", (CuHandle event, CuHandle stream))                                                \
    X(event_wait, "cuEventSynchronize", (CuHandle event))                                                              \
    X(event_query, "cuEventQuery", (CuHandle event))                                                                   \
    X(event_between, "cuEventElapsedTime", (float *milliseconds, CuHandle from, CuHandle to))                          \
    X(module_load, "cuModuleLoadData", (CuHandle *module, const void *image))                                          \
    X(module_free, "cuModuleUnload", (CuHandle module))                                                                \
    X(function, "cuModuleGetFunction", (CuHandle *function, CuHandle module, const char *name))                        \
    X(launch, "cuLaunchKernel",                                                                                        \
      (CuHandle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,                \
       unsigned shared, CuHandle stream, void **arguments, void **extra))                                              \
    X(launch_together, "cuLaunchCooperativeKernel",                                                                    \
      (CuHandle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,                \
       unsigned shared, CuHandle stream, void **arguments))                                                            \
    X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                                        \
      (int *blocks, CuHandle function, int threads, size_t shared))                                                    \
    X(capture, "cuStreamBeginCapture_v2", (CuHandle stream, int mode))                                                 \
    X(captured, "cuStreamEndCapture", (CuHandle stream, CuHandle *graph))                                              \
    X(capture_at, "cuStreamGetCaptureInfo_v2",                                                                         \
      (CuHandle stream, int *state, unsigned long long *id, CuHandle *graph, const CuHandle **nodes, size_t *n))       \
    X(capture_after, "cuStreamUpdateCaptureDependencies", (CuHandle stream, CuHandle *nodes, size_t n, unsigned flags)) \
    X(graph_make, "cuGraphInstantiateWithFlags", (CuHandle *executable, CuHandle graph, unsigned long long flags))     \
    X(graph_launch, "cuGraphLaunch", (CuHandle executable, CuHandle stream))                                           \
    X(graph_free, "cuGraphDestroy", (CuHandle graph))                                                                  \
    X(executable_free, "cuGraphExecDestroy", (CuHandle executable))
/* clang-format on */

enum { DRIVER_WHY = 400 };
typedef struct Driver {
    void *handle;
    int found; /* its CUDA version, 13000 for 13.0 */
#define FIELD(field, symbol, arguments) int(*field) arguments;
    CUDA_DRIVER(FIELD)
#undef FIELD
} Driver;

/*
 * Fills d. NULL, or why not, as text of `why`: no library, the first entry point that is missing, a version below
 * CU_NEEDED, cuInit's refusal (no GPU). d is zero then.
 */
const char *driver_open(Driver *d, const char *path, char why[DRIVER_WHY]);

#endif
