/*
 * cuda.c -- GPUs in a library that was built without them: device_open (runtime/device/open.c) says so, and nothing
 * here is reached with a device.
 */
#include "runtime/gpu/gpu.h"
#include "schedule/program.h"

#if !TH_CUDA
static bool refuse(ThContext *c) {
    return err(c, TH_NotImplementedError, "GPUs: this library was built without them (TH_CUDA=OFF)");
}

#include "without/backend.h"

const Backend backend_cuda = {.name = "cuda", .emit = no_text, .target = no_target, .build = no_unit};
const HostServices gpu_services = {0};

GridProgram *cuda_program(const Plan *p, const struct Device *d, char **source) {
    (void)p, (void)d;
    *source = NULL;
    return NULL;
}

GridProgram *cuda_kernels(const Plan *p, char **source) {
    *source = NULL;
    refuse(p->ctx);
    return NULL;
}

void cuda_program_free(GridProgram *g) { (void)g; }

bool gpu_open(ThContext *c, Device *d) {
    (void)d;
    return refuse(c);
}

void gpu_end(GpuCall *g) { (void)g; }

bool gpu_room(HostCall *h, size_t bytes, char **at) {
    (void)bytes, (void)at;
    return refuse(h->ctx);
}

int gpu_status(HostCall *h, DeviceStatus s) {
    (void)s;
    return !refuse(h->ctx);
}

GpuDone gpu_product(HostCall *h, GpuProduct *p) {
    (void)p;
    refuse(h->ctx);
    return GPU_FAILED;
}

bool gpu_conv_wanted(const HostCall *h, const struct ConvWork *w) {
    (void)h, (void)w;
    return false;
}

GpuDone gpu_conv(HostCall *h, const struct ConvWork *w) {
    (void)w;
    refuse(h->ctx);
    return GPU_FAILED;
}

int gpu_copy(HostCall *h, DeviceAddress to, DeviceAddress from, size_t bytes) {
    (void)to, (void)from, (void)bytes;
    return !refuse(h->ctx);
}

int gpu_move(HostCall *h, DeviceAddress to, DeviceAddress from, size_t bytes) {
    (void)to, (void)from, (void)bytes;
    return !refuse(h->ctx);
}

int gpu_steer(HostCall *h, DeviceAddress flag, GpuSteer way, int64_t turn) {
    (void)flag, (void)way, (void)turn;
    return !refuse(h->ctx);
}

int gpu_order_places(HostCall *h, char *place, i64 n, GpuOrder *o) {
    (void)place, (void)n, (void)o;
    return !refuse(h->ctx);
}
#endif
