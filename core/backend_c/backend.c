/* backend.c -- the record of the C backend: emit a plan's unit, build or find it, load it. */
#include "build.h"
#include "emit.h"

static Unit *build(ThContext *c, const Plan *p, const char *function_name) {
    Text t;
    text_init(&t, c);
    bool emitted = emit_c(&t, p, function_name) && !t.failed;
    bool beside = config_bool(c, "compile.tiers") && !config_bool(c, "profile");
    Unit *u = !emitted ? NULL : beside ? unit_build_beside(c, t.at) : unit_build(c, t.at);
    text_free(&t);
    return u;
}

const Backend backend_c = {"c", emit_c, build};
