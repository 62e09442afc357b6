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

static bool plan_for_device __attribute__((unused)); /* FGraph.device of what is made from here on */

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
    if (m.fg) m.fg->device = plan_for_device;
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

/* Is the plan refused once `s` reads a slot that nothing computes? It is as before afterwards. */
static inline bool size_refused(Plan *p, Size *s) {
    Size was = *s;
    *s = (Size){1, p->nsym++};
    bool ok = plan_check_reads(p);
    CHECK(ok || th_error(p->ctx) == TH_RuntimeError);
    th_error_clear(p->ctx);
    *s = was;
    p->nsym--;
    return !ok;
}

static inline bool value_refused(Plan *p, PlanValue *v) {
    bool ok = size_refused(p, &v->off);
    for (int d = 0; d < v->ndim; d++) ok = ok && size_refused(p, &v->shape[d]) && size_refused(p, &v->stride[d]);
    return ok;
}

/* Every size that a call of the plan reads, turned into one that nothing computes, is refused, one after the other. */
static inline void check_sizes_proved(const Plan *plan) {
    Plan *p = (Plan *)plan;
    CHECK(plan_check_reads(p));
    for (int b = 0; b < p->nbuf; b++)
        if ((p->buf[b].kind == BUF_TEMP || p->buf[b].kind == BUF_OUTPUT) && p->buf[b].first >= 0)
            CHECK(size_refused(p, &p->buf[b].size));
    for (int r = 0; r < p->nregion; r++)
        if (p->region[r].kind == REGION_LOOP) CHECK(size_refused(p, &p->region[r].trip));
    for (int w = 0; w < p->nwindow; w++) {
        PlanWindow *x = &p->window[w];
        CHECK(size_refused(p, &x->base) && size_refused(p, &x->first) && size_refused(p, &x->step) &&
              size_refused(p, &x->ring));
    }
    for (int s = 0; s < p->nstep; s++) {
        Step *x = &p->step[s];
        for (int y = 0; y < x->nsym; y++) {
            Size at = {1, x->sym[y]};
            x->sym[y] = p->nsym++;
            CHECK(!plan_check_reads(p));
            th_error_clear(p->ctx);
            x->sym[y] = at.sym;
            p->nsym--;
        }
        PlanHost *h = x->kind == STEP_HOST ? &p->host[x->host] : NULL;
        for (int i = 0; h && i < h->nin; i++) CHECK(h->in[i].buf < 0 || value_refused(p, &h->in[i]));
        for (int i = 0; h && i < h->nout; i++) CHECK(h->out[i].buf < 0 || value_refused(p, &h->out[i]));
    }
    for (int o = 0; o < p->noutput; o++) CHECK(value_refused(p, &p->result[o]));
    for (int u = 0; u < p->nupdate; u++) CHECK(value_refused(p, &p->update[u].value));
    CHECK(plan_check_reads(p));
}

static inline void show(const Plan *p) {
    Text t;
    text_init(&t, p->ctx);
    plan_text(&t, p, NULL, NULL);
    fputs(t.at ? t.at : "", stdout);
    text_free(&t);
}

#endif
