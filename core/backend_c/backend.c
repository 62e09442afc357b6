/* backend.c -- the record of the C backend: emit a plan's unit, build or find it, load it. */
#include "build/build.h"
#include "text/emit.h"

/* function_name: NULL where equal functions are to share their unit */
static bool emit_here(Text *t, const Plan *p, const char *function_name, const int64_t *known) {
    return emit_c(t, p, function_name, NULL, known) && !t->failed;
}

static Unit *build(ThContext *c, const Plan *p, const char *function_name) {
    Text t;
    text_init(&t, c);
    bool emitted = emit_here(&t, p, function_name, NULL);
    bool beside = config_bool(c, "compile.tiers") && !config_bool(c, "profile");
    Unit *u = !emitted ? NULL : beside ? unit_build_beside(c, t.at) : unit_build(c, t.at);
    text_free(&t);
    return u;
}

static bool emit(Text *t, const Plan *p, const char *processor, const int64_t *known) {
    const Target *target = processor ? target_named(processor) : NULL;
    if (processor && !target)
        return err(p->ctx, TH_ValueError,
                   "no text is written for '%s', but for sse2, avx2, avx512, cuda and cuda-emulated", processor);
    return emit_c(t, p, NULL, target, known);
}

static Unit *version(ThContext *c, const Plan *p, const int64_t *known) {
    Text t;
    text_init(&t, c);
    Unit *u = emit_here(&t, p, NULL, known) ? unit_build_beside(c, t.at) : NULL;
    text_free(&t);
    return u;
}

const Backend backend_c = {"c", emit, build, version};
