/*
 * native.c -- units for a level of x86-64, whatever processor is here: as machine code of a saved model, and back.
 */
#include "build/build.h"
#include "c.h"

/* The text alike on all machines: that it is decides whether code serves. */
static bool text_of(Text *t, const Plan *p, int level) {
    static const char *const processor[] = {"sse2", "avx2", "avx512"};
    return emit_c(t, p, NULL, target_named(processor[level - 2]), NULL, NULL) && !t->failed;
}

bool native_code(ThContext *c, const Plan *p, int level, char **bytes, size_t *n) {
    Text t;
    text_init(&t, c);
    bool ok = text_of(&t, p, level) && unit_native(c, t.at, level, bytes, n);
    text_free(&t);
    return ok;
}

Unit *native_unit(ThContext *c, const Plan *p, int level, const void *bytes, size_t n) {
    Text t;
    text_init(&t, c);
    Unit *u = text_of(&t, p, level) ? unit_native_load(c, t.at, level, bytes, n) : NULL;
    text_free(&t);
    return u;
}
