/*
 * compile.h -- private to core/compile.c and its helpers: one compile's working state.
 */
#ifndef TH_COMPILE_H
#define TH_COMPILE_H

#include "backend.h"
#include "ops/ops.h"
#include "opt/opt.h"

typedef struct Compile {
    ThContext *ctx;
    const ThCompile *spec;
    VarVec in;        /* declared inputs, borrowed */
    VarVec out;       /* outputs, then update expressions, after givens; retained from the first clone on */
    VarVec update_of; /* shareds, borrowed */
    bool cloned;      /* `out` holds references */
    int nout;
    OptSpec opt;
    char *including, *excluding, *requiring; /* th_free */
    bool interpret;                          /* the linker wants no C */
    PlanIo *io_in, *io_out;
} Compile;

/* compile_check.c: what the user asked for makes sense; false with Theano's kind of error. */
bool compile_inputs(Compile *k);
bool compile_updates(Compile *k);
bool compile_givens(Compile *k);
bool compile_used(Compile *k);
/* compile_mode.c: mode, linker, optimizer and tags -> k->opt, k->interpret */
bool compile_mode(Compile *k);
void compile_mode_free(Compile *k);

#endif
