/*
 * cufft.c -- Fourier transforms by cuFFT. In: dense lines of pairs on a device. Out: their transforms in their place,
 * queued; or GPU_NOT, and fft.c's own steps have to do it. Plans are kept, the last used ones; their working memory is
 * the call's.
 */
#include "gpu.h"
#include "runtime/device/library.h"

#include <limits.h>

/* As the library's headers have them (spec/cuda_headers_spec.lua). */
enum { FFT_PAIRS_32 = 41, FFT_PAIRS_64 = 105 };

/* clang-format off */
#define CUFFT(X)                                                                                                       \
    X(int, create, "cufftCreate", (int *plan))                                                                         \
    X(int, drop, "cufftDestroy", (int plan))                                                                           \
    X(int, own_room, "cufftSetAutoAllocation", (int plan, int automatic))                                              \
    X(int, make, "cufftMakePlanMany",                                                                                  \
      (int plan, int rank, int *n, int *in, int in_step, int in_apart, int *out, int out_step, int out_apart,          \
       int type, int lines, size_t *bytes))                                                                            \
    X(int, stream, "cufftSetStream", (int plan, void *stream))                                                         \
    X(int, room, "cufftSetWorkArea", (int plan, void *at))                                                             \
    X(int, run_32, "cufftExecC2C", (int plan, void *from, void *to, int sign))                                         \
    X(int, run_64, "cufftExecZ2Z", (int plan, void *from, void *to, int sign))
/* clang-format on */
LIBRARY_TABLE(Cufft, cufft_table, LIBRARY_CUFFT, CUFFT)

void gpu_cufft_close(GpuFourier *u) {
    const Cufft *f = u->library.functions;
    for (int i = 0; i < GPU_PLANS; i++)
        if (u->plan[i].used) f->drop(u->plan[i].plan);
    *u = (GpuFourier){.turn = 0};
}

static bool made(const Cufft *f, const GpuLines *l, int type, int *plan, size_t *bytes) {
    int n = (int)l->n;
    if (f->create(plan)) return false;
    if (!f->own_room(*plan, 0) && !f->make(*plan, 1, &n, NULL, 1, n, NULL, 1, n, type, (int)l->lines, bytes))
        return true;
    f->drop(*plan);
    return false;
}

/* The plan's number, made where there is none; -1: it cannot be. */
static int plan_of(GpuFourier *u, const Cufft *f, const GpuLines *l) {
    int type = l->wide ? FFT_PAIRS_64 : FFT_PAIRS_32, oldest = 0, plan = 0;
    size_t bytes = 0;
    for (int i = 0; i < GPU_PLANS; i++) {
        if (u->plan[i].used && u->plan[i].n == l->n && u->plan[i].lines == l->lines && u->plan[i].type == type) {
            u->plan[i].used = ++u->turn;
            return i;
        }
        if (u->plan[i].used < u->plan[oldest].used) oldest = i;
    }
    if (!made(f, l, type, &plan, &bytes)) return -1;
    if (u->plan[oldest].used) f->drop(u->plan[oldest].plan);
    u->plan[oldest].n = l->n, u->plan[oldest].lines = l->lines, u->plan[oldest].type = type;
    u->plan[oldest].plan = plan, u->plan[oldest].bytes = bytes, u->plan[oldest].used = ++u->turn;
    return oldest;
}

GpuDone gpu_cufft(HostCall *h, GpuFourier *u, const GpuLines *l) {
    char *room;
    if (l->n > INT_MAX || l->lines > INT_MAX || l->n * l->lines > INT_MAX) return GPU_NOT;
    const Cufft *f = gpu_functions(h, &u->library, &cufft_table, "Fourier transforms");
    int i = f ? plan_of(u, f, l) : -1;
    if (i < 0) return GPU_NOT;
    if (!l->at) return GPU_DONE;
    int plan = u->plan[i].plan;
    if (!gpu_room(h, u->plan[i].bytes + 1, &room)) return GPU_FAILED;
    if (f->stream(plan, h->gpu->q->stream) || f->room(plan, room)) return GPU_NOT;
    return (l->wide ? f->run_64 : f->run_32)(plan, l->at, l->at, l->sign) ? GPU_NOT : GPU_DONE;
}
