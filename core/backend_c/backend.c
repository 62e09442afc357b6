/* backend.c -- the record of the C backend: emit a plan's unit, build or find it, load it. */
#include "build.h"
#include "emit.h"

static Unit *build(ThContext *c, const Plan *p, const char *function_name) {
    Text t;
    text_init(&t, c);
    bool emitted = emit_c(&t, p, function_name) && !t.failed;
    Unit *u = emitted ? unit_build(c, t.at) : NULL;
    text_free(&t);
    return u;
}

const Backend backend_c = {"c", emit_c, build};
