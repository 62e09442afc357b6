/*
 * backend.c -- the records of the CUDA backends. "cuda" writes the text of kernels; this version launches them on the
 * emulated device only, so its build says so once and leaves the function to the interpreter. What a plan holds that
 * the emitter cannot write goes the same way.
 */
#include "build/build.h"
#include "cuda.h"

static Unit *no_device(ThContext *c, const Plan *p, const char *function_name) {
    (void)p;
    ctx_log(c, "theano: %s: kernels run on device=cuda-emulated only; this function runs in the interpreter",
            function_name ? function_name : "function");
    return NULL;
}

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
    return no_device(c, p, function_name); /* fibers are switched by x86-64 instructions */
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

const Backend backend_cuda = {"cuda", emit, machine, no_device, NULL, NULL};
const Backend backend_cuda_emulated = {"cuda-emulated", emit_emulated, machine, emulate, NULL, NULL};
