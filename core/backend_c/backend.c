/* backend.c -- the record of the C backend: emit a plan's unit, build or find it, load it. */
#include "build.h"
#include "emit.h"

static Unit *build(ThContext *c, const Plan *p, const char *function_name) {
    Text t;
    text_init(&t, c);
    bool emitted = emit_c(&t, p, function_name, NULL) && !t.failed;
    bool beside = config_bool(c, "compile.tiers") && !config_bool(c, "profile");
    Unit *u = !emitted ? NULL : beside ? unit_build_beside(c, t.at) : unit_build(c, t.at);
    text_free(&t);
    return u;
}

static bool emit(Text *t, const Plan *p, const char *function_name) { return emit_c(t, p, function_name, NULL); }

static Unit *version(ThContext *c, const Plan *p, const int64_t *known) {
    Text t;
    text_init(&t, c);
    Unit *u = emit_c(&t, p, NULL, known) && !t.failed ? unit_build_beside(c, t.at) : NULL;
    text_free(&t);
    return u;
}

const Backend backend_c = {"c", emit, build, version};
