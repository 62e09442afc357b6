/*
 * backend.c -- the record of the CUDA backend: it writes kernels, which are launched on a device (cuda_program). What a
 * plan holds that the emitter cannot write runs on the host.
 */
#include "cuda.h"

static bool emit(Text *t, const Plan *p, const char *processor, const int64_t *known) {
    (void)processor, (void)known; /* one text serves all lengths and devices */
    return emit_cuda(t, p, NULL);
}

static const Target *machine(ThContext *c, const char *processor) {
    (void)c, (void)processor;
    return &target_cuda;
}

const Backend backend_cuda = {"cuda", emit, machine, NULL, NULL, NULL};
