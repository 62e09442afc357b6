/*
 * backend.c -- the records of the CUDA backends. "cuda" writes the text of kernels, which are launched on a device
 * (cuda_program); "cuda-emulated" makes a unit that runs them on the CPU. What a plan holds that the emitter cannot
 * write is left to the interpreter, after a log line.
 */
#include "build/build.h"
#include "cuda.h"

static Unit *emulate(ThContext *c, const Plan *p, const char *function_name) {
#if defined(__x86_64__)
    Text t;
    text_init(&t, c);
    Unit *u = NULL;
    if (emit_cuda_emulated(&t, p, function_name) && !t.failed) u = unit_build(c, t.at);
    else if (th_error(c) == TH_NotImplementedError) {
        ctx_log(c, "theano: %s; this function runs in the interpreter", th_error_text(c));
        th_error_clear(c);
    }
    text_free(&t);
    return u;
#else
    ctx_log(c, "theano: device=cuda-emulated runs on x86-64 only; this function runs in the interpreter");
    return (void)p, (void)function_name, NULL; /* fibers are switched by instructions of that processor */
#endif
}

static bool emit(Text *t, const Plan *p, const char *processor, const int64_t *known) {
    (void)processor, (void)known; /* one text serves all lengths and devices */
    return emit_cuda(t, p, NULL);
}

static bool emit_emulated(Text *t, const Plan *p, const char *processor, const int64_t *known) {
    (void)processor, (void)known;
    return emit_cuda_emulated(t, p, NULL);
}

static const Target *machine(ThContext *c, const char *processor) {
    (void)c, (void)processor;
    return &target_cuda;
}

const Backend backend_cuda = {"cuda", emit, machine, NULL, NULL, NULL};
const Backend backend_cuda_emulated = {"cuda-emulated", emit_emulated, machine, emulate, NULL, NULL};
