/*
 * plan_test.h -- what the tests of plans share: variables, arrays, a plan of a graph without any optimization, calls.
 */
#ifndef PLAN_TEST_H
#define PLAN_TEST_H

#include "test.h"

#include <math.h>
#include <time.h>

/* Variables made by tensor, build and th_op below belong to the test until disown(). */
static struct {
    ThVar **at;
    size_t n, cap;
} owned;

static inline ThVar *own(ThVar *v) {
    if (!v) return NULL;
    if (owned.n == owned.cap)
        owned.at = realloc(owned.at, (owned.cap = owned.cap ? 2 * owned.cap : 64) * sizeof *owned.at);
    return owned.at[owned.n++] = v;
}

static inline void disown(void) {
    for (size_t i = 0; i < owned.n; i++) th_var_release(owned.at[i]);
    free(owned.at);
    owned.at = NULL;
    owned.n = owned.cap = 0;
}

#define th_op(...) own(th_op(__VA_ARGS__))

static inline ThVar *tensor(ThContext *c, ThDtype d, int ndim, uint32_t broadcastable, const char *name) {
    return own(th_variable_new(c, type_tensor(d, ndim, broadcastable), name));
}

/* name(x, axis) */
static inline ThVar *build(ThContext *c, const char *name, ThVar *x, int axis) {
    ThArg args[2] = {{.kind = TH_ARG_VAR, .var = x}, {.kind = TH_ARG_INT, .i = axis, .key = "axis"}};
    ThVar *out[1] = {0};
    return th_build(c, th_func_find(name), args, 2, out, 1) == 1 ? own(out[0]) : NULL;
}

static inline ThArray *array(ThContext *c, ThDtype d, int ndim, const int64_t *shape, const void *data) {
    ThArray *a = th_array_zeros(c, d, ndim, shape);
    if (a && data) memcpy(th_array_data(a), data, (size_t)th_array_size(a) * th_dtype_bytes(d));
    return a;
}

typedef struct Made {
    FGraph *fg;
    Plan *plan;
    ThFunction *fn;
} Made;

/* The plan and function of a graph, as the user wrote it. */
static inline Made make_with(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, ThVar *const *of,
                             ThVar *const *up, int nup, PlanIo *ins, PlanIo *outs) {
    Made m = {0};
    ThIn fin[8];
    ThOut fout[8];
    memset(fin, 0, sizeof fin);
    memset(fout, 0, sizeof fout);
    for (int i = 0; i < nin; i++) {
        ins[i].type = th_var_type(in[i]);
        ins[i].name = th_var_name(in[i]);
        fin[i] = (ThIn){.var = in[i], .name = ins[i].name, .mutable_ = ins[i].mutable_, .allow_downcast = -1};
    }
    for (int i = 0; i < nout; i++) {
        outs[i].type = th_var_type(out[i]);
        fout[i] = (ThOut){out[i], outs[i].borrow};
    }
    m.fg = fg_new(c, in, nin, out, nout, of, up, nup, false);
    if (m.fg) m.plan = plan_make(m.fg, ins, nin, outs, nout);
    if (!m.plan) {
        fg_free(m.fg);
        m.fg = NULL;
        return m;
    }
    FunctionSpec s = {
        .plan = m.plan, .fg = m.fg, .in = fin, .nin = nin, .out = fout, .nout = nout, .allow_input_downcast = -1};
    m.fn = function_new(c, &s);
    return m;
}

static inline Made make(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, ThVar *const *of,
                        ThVar *const *up, int nup) {
    PlanIo ins[8] = {0}, outs[8] = {0};
    return make_with(c, in, nin, out, nout, of, up, nup, ins, outs);
}

static inline int call(Made *m, ThArray *const *args, int nargs, ThArray **out) {
    return m->fn ? th_call(m->fn, args, nargs, out) : 1;
}

static inline void unmake(Made *m) {
    plan_release(m->plan);
    if (m->fn) th_function_release(m->fn);
}

static inline void show(const Plan *p) {
    Text t;
    text_init(&t, p->ctx);
    plan_text(&t, p);
    fputs(t.at ? t.at : "", stdout);
    text_free(&t);
}

#endif
