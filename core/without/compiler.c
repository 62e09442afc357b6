/*
 * compiler.c -- generated C, and functions exported as it, in a library that was built without them.
 */
#include "runtime/function.h"
#include "runtime/frame/backend.h"
#include "schedule/nest.h"

#include "theano_debug.h"

#if !TH_COMPILER
static bool refuse(ThContext *c) {
    return err(c, TH_NotImplementedError, "generated code: this library was built without it (TH_COMPILER=OFF)");
}

#include "without/backend.h"

const Backend backend_c = {.name = "c", .emit = no_text, .target = no_target, .build = no_unit};

/* Only generated C has a way for short rows. */
bool side_may(const Nest *t) { return (void)t, false; }
NestWay *side_way(Nest *t) { return (void)t, NULL; }
bool side_apply(Nest *t, NestWay *w, int rows, int most) { return (void)t, (void)w, (void)rows, (void)most, false; }

bool native_code(ThContext *c, const Plan *p, int level, char **bytes, size_t *n) {
    (void)p, (void)level;
    *bytes = NULL, *n = 0;
    return refuse(c);
}

Unit *native_unit(ThContext *c, const Plan *p, int level, const void *bytes, size_t n) {
    (void)p, (void)level, (void)bytes, (void)n;
    ctx_log(c,
            "theano: machine code of a saved model is not used: this library was built without it (TH_COMPILER=OFF)");
    return NULL;
}

char *cuda_assemble(ThContext *c, const char *text, const char *arch, size_t *bytes, char **log) {
    (void)c, (void)text, (void)arch, (void)bytes;
    *log = NULL;
    return NULL;
}

int th_function_export(ThFunction *f, const ThExport *how) {
    (void)how;
    if (f) refuse(th_function_context(f));
    return -1;
}

int th_graphviz(ThContext *c, const char *format, const char *in, const char *out) {
    (void)format, (void)in, (void)out;
    if (c) err(c, TH_NotImplementedError, "pictures: this library was built without programs (TH_COMPILER=OFF)");
    return -1;
}
#endif
