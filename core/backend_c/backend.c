/* backend.c -- the record of the C backend: emit a plan's unit, build or find it, load it. */
#include "build/build.h"
#include "c.h"

/* Without a name: equal functions share their unit. */
static bool emit_here(Text *t, const Plan *p, const int64_t *known, const uint8_t *candidate) {
    return emit_c(t, p, NULL, NULL, known, candidate) && !t->failed;
}

static Unit *build(ThContext *c, const Plan *p, bool beside) {
    Text t;
    text_init(&t, c);
    bool emitted = emit_here(&t, p, NULL, NULL);
    Unit *u = !emitted ? NULL : beside ? unit_build_beside(c, t.at) : unit_build(c, t.at);
    text_free(&t);
    return u;
}

static const Target *machine(ThContext *c, const char *processor) {
    const bool repro = config_bool(c, "repro");
    const Target *named = processor ? target_named(processor) : NULL;
    if (processor && !named) {
        err(c, TH_ValueError, "no text is written for '%s', but for sse2, avx2, avx512, cuda and cuda-emulated",
            processor);
        return NULL;
    }
    return target_of(named ? named->vector_bytes : machine_vector_bytes(c), repro);
}

static bool emit(Text *t, const Plan *p, const char *processor, const int64_t *known) {
    const Target *target = machine(p->ctx, processor);
    return target && emit_c(t, p, NULL, processor ? target : NULL, known, NULL);
}

static Unit *version(ThContext *c, const Plan *p, const int64_t *known, const uint8_t *candidate) {
    Text t;
    text_init(&t, c);
    Unit *u = emit_here(&t, p, known, candidate) ? unit_build_beside(c, t.at) : NULL;
    text_free(&t);
    return u;
}

static bool candidates(ThContext *c, const Plan *p, uint8_t *n) {
    const NestAsk ask = {.threads = config_bool(c, "openmp")};
    const Target *target = machine(c, NULL);
    bool ok = true;
    for (int i = 0; ok && i < p->nkernel; i++) {
        Arena *a = arena_new(c);
        KernelOrder o;
        int all = a && kernel_order(p->kernel[i], a, &o) ? nest_candidates(p->kernel[i], &o, target, ask, a) : 0;
        if (a) arena_free(a);
        ok = all > 0;
        n[i] = (uint8_t)all;
    }
    return ok;
}

const Backend backend_c = {"c", emit, machine, build, version, candidates};
