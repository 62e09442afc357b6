/*
 * plan_test.h -- what the tests of plans share: variables, arrays, a plan of a graph without any optimization, calls.
 */
#ifndef PLAN_TEST_H
#define PLAN_TEST_H

#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Variables of a test live until kept_release or the end, so that expressions can be nested: every maker hands its
 * result here, and th_var_release takes it back. */
static struct {
    ThVar **at;
    int n, cap;
} kept_;
static void kept_release(void) {
    while (kept_.n) th_var_release(kept_.at[--kept_.n]);
    free(kept_.at);
    kept_.at = NULL;
    kept_.cap = 0;
}
static inline ThVar *kept(ThVar *v) {
    static int once;
    if (!once++) atexit(kept_release);
    if (!v) return NULL;
    if (kept_.n == kept_.cap) kept_.at = realloc(kept_.at, sizeof *kept_.at * (size_t)(kept_.cap = 2 * kept_.cap + 64));
    return kept_.at[kept_.n++] = v;
}
static inline void kept_drop(ThVar *v) {
    for (int i = kept_.n - 1; i >= 0; i--)
        if (kept_.at[i] == v) {
            kept_.at[i] = kept_.at[--kept_.n];
            break;
        }
    th_var_release(v);
}
#define th_op(...) kept(th_op(__VA_ARGS__))
#define th_variable_new(...) kept(th_variable_new(__VA_ARGS__))
#define th_shared_new(...) kept(th_shared_new(__VA_ARGS__))
#define th_constant_new(...) kept(th_constant_new(__VA_ARGS__))
#define th_constant_int(...) kept(th_constant_int(__VA_ARGS__))
#define th_constant_float(...) kept(th_constant_float(__VA_ARGS__))
#define th_var_release(v) kept_drop(v)

static inline ThVar *tensor(ThContext *c, ThDtype d, int ndim, uint32_t broadcastable, const char *name) {
    return th_variable_new(c, type_tensor(d, ndim, broadcastable), name);
}

/* name(x, axis) */
static inline ThVar *build(ThContext *c, const char *name, ThVar *x, int axis) {
    ThArg args[2] = {{.kind = TH_ARG_VAR, .var = x}, {.kind = TH_ARG_INT, .i = axis, .key = "axis"}};
    ThVar *out[1] = {0};
    return th_build(c, th_func_find(name), args, 2, out, 1) == 1 ? kept(out[0]) : NULL;
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
