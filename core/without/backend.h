/*
 * backend.h -- the functions of a backend that is left out, for the file that says so: its `refuse` is the error. A
 * function has no unit then, and the interpreter serves.
 */
#ifndef TH_WITHOUT_BACKEND_H
#define TH_WITHOUT_BACKEND_H

#include "runtime/frame/backend.h"

static bool no_text(Text *t, const Plan *p, const char *processor, const int64_t *known) {
    (void)p, (void)processor, (void)known;
    return refuse(t->c);
}

static const struct Target *no_target(ThContext *c, const char *processor) {
    (void)processor;
    refuse(c);
    return NULL;
}

static Unit *no_unit(ThContext *c, const Plan *p, bool beside) {
    (void)c, (void)p, (void)beside;
    return NULL;
}

#endif
