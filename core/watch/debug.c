/*
 * debug.c -- what DebugMode says of the values of one call: nodes that give other values when they run again
 * (BadThunkOutput) or as generated C, values that their types do not allow or that are not finite (InvalidValueError),
 * rewrites whose two sides differ (BadOptimization). In: a WatchCall with its values. Out: true, or the error with what
 * differs, the graphs, the lines that made them and, in a body, the step.
 */
#include "watch.h"

#include "base/array/sparse.h"

#include "runtime/frame/backend.h"

#include <math.h>
#include <string.h>

/* ---- values that should be equal --------------------------------------------------------------------------------- */
typedef struct Near {
    ThDtype dtype;
    double relative, absolute;
    bool grown; /* what is not finite in the first may be finite in the second */
    double most, scale;
    bool differ;
} Near;

static double item(ThDtype d, const char *p, int half) {
    ThValue v;
    array_cell_value(d, p, &v);
    if (dtype_is_complex(d)) return half ? v.c.im : v.c.re;
    return dtype_is_float(d) ? v.f : 0;
}

static void near_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Near *q = user;
    size_t bytes = th_dtype_bytes(q->dtype);
    for (int64_t i = 0; i < n; i++) {
        const char *a = ptr[0] + i * stride[0], *b = ptr[1] + i * stride[1];
        if (!memcmp(a, b, bytes)) continue;
        if (dtype_is_discrete(q->dtype)) q->differ = true;
        for (int half = 0; half < 1 + dtype_is_complex(q->dtype); half++) {
            double x = item(q->dtype, a, half), y = item(q->dtype, b, half), d = fabs(x - y);
            if (x == y || (isnan(x) && isnan(y)) || (q->grown && !isfinite(x))) continue;
            if (isfinite(d) && d > q->most) q->most = d;
            if (!(d <= q->absolute + q->relative * fabs(y) + q->scale)) q->differ = true;
        }
    }
}

static void scale_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Near *q = user;
    for (int64_t i = 0; i < n; i++)
        for (int half = 0; half < 1 + dtype_is_complex(q->dtype); half++) {
            double x = fabs(item(q->dtype, ptr[0] + i * stride[0], half));
            if (isfinite(x) && x > q->most) q->most = x;
        }
}

/*
 * Theano's tolerances, and room for the rounding of sums: some units in the last place of the largest element. loose:
 * the first is known to be inaccurate; grown: what is not finite in it may be finite in
 * the second. *most: the largest difference.
 */
static bool near_as(const ThArray *a, const ThArray *b, bool loose, bool grown, double *most);

/* Sparse matrices: one structure, values that should be equal. */
static bool near_sparse(const ThArray *a, const ThArray *b, bool loose, bool grown, double *most) {
    ThSparse x = {0}, y = {0};
    bool ok = array_is_sparse(a) && array_is_sparse(b) && !th_sparse_parts((ThArray *)(uintptr_t)a, &x) &&
              !th_sparse_parts((ThArray *)(uintptr_t)b, &y);
    ok = ok && x.format == y.format && x.shape[0] == y.shape[0] && x.shape[1] == y.shape[1] &&
         array_same_bits(x.indptr, y.indptr) && array_same_bits(x.indices, y.indices) &&
         near_as(x.data, y.data, loose, grown, most);
    th_sparse_parts_free(&x);
    th_sparse_parts_free(&y);
    return ok;
}

static bool near_as(const ThArray *a, const ThArray *b, bool loose, bool grown, double *most) {
    *most = 0;
    if (!array_usable(array_ctx(a), a) || !array_usable(array_ctx(b), b)) return false;
    if (array_is_sparse(a) || array_is_sparse(b)) return near_sparse(a, b, loose, grown, most);
    if (a->dtype != b->dtype || a->ndim != b->ndim) return false;
    for (int i = 0; i < a->ndim; i++)
        if (ARRAY_SHAPE(a)[i] != ARRAY_SHAPE(b)[i]) return false;
    ThDtype d = (ThDtype)a->dtype;
    bool half = dtype_is_half(d), single = half || d == TH_FLOAT32 || d == TH_COMPLEX64;
    Near q = {.dtype = d, .relative = 1e-5, .absolute = single ? 1e-5 : 1e-8, .grown = grown};
    if (loose) q.relative = 0.05, q.absolute = single ? 1e-3 : 1e-6;
    if (half) q.relative = 0.01, q.absolute = 1e-3;
    char *const ptr[] = {b->data, a->data};
    const int64_t *const one[] = {ARRAY_STRIDES(b)};
    if (!dtype_is_discrete(d)) array_walk(a->ndim, ARRAY_SHAPE(a), 1, ptr, one, scale_run, &q);
    q.scale = q.most * (single ? 1e-5 : 1e-13);
    q.most = 0;
    array_walk(a->ndim, ARRAY_SHAPE(a), 2, (char *const[]){a->data, b->data},
               (const int64_t *const[]){ARRAY_STRIDES(a), ARRAY_STRIDES(b)}, near_run, &q);
    *most = q.most;
    return !q.differ;
}

static bool near(const ThArray *a, const ThArray *b, double *most) { return near_as(a, b, false, false, most); }

/* ---- telling ----------------------------------------------------------------------------------------------------- */
void watch_line(Text *t, const char *before, Prov p) {
    Text line;
    text_init(&line, t->c);
    prov_text(t->c, &line, p);
    if (line.n) text_printf(t, "%s%s", before, line.at);
    text_free(&line);
}

void watch_where(Text *t, const WatchCall *k) {
    for (; k->outer; k = k->outer) {
        if (k->step >= 0) text_printf(t, "\nIn step %lld of ", (long long)k->step);
        else text_put(t, "\nInside ");
        apply_op_str(t, k->within);
        watch_line(t, ", made at ", k->within->prov);
    }
}

static void put_value(Text *t, const char *what, const ThArray *a) {
    char *text = th_array_repr(t->c, a);
    size_t n = text ? strlen(text) : 0;
    text_printf(t, "\n  %s: %s ", what, th_dtype_name((ThDtype)a->dtype));
    for (int i = 0; i < a->ndim; i++) text_printf(t, i ? ", %lld" : "(%lld", (long long)ARRAY_SHAPE(a)[i]);
    text_put(t, a->ndim ? ") " : "");
    text_put_n(t, text ? text : "?", n < 600 ? n : 600);
    if (n >= 600) text_put(t, " ...");
    th_free(t->c, text);
}

static void put_graph(Text *t, const char *what, ThVar *v) {
    const ThDebugPrint o = {.depth = 6, .ids = 'C', .max_bytes = 1 << 16};
    text_printf(t, "\n%s:\n", what);
    size_t at = t->n;
    debugprint(t, &v, 1, &o, NULL);
    if (t->n > at + 1000) t->n = at + 1000, text_put(t, " ...\n");
}

static void put_apply(Text *t, const ThApply *a) {
    apply_op_str(t, a);
    for (int i = 0; i < a->nin; i++) {
        text_put(t, i ? ", " : "(");
        var_str(t, a->in[i]);
    }
    text_put(t, ")");
    watch_line(t, ", made at ", a->prov);
}

static bool blame(ThError kind, Text *t) {
    err(t->c, kind, "%s", t->at ? t->at : "?");
    text_free(t);
    return false;
}

/* Output o of a is one thing here and another there. */
static bool thunk(const WatchCall *k, const ThApply *a, int o, const char *why, const char *names[2],
                  const ThArray *one, const ThArray *other, double most) {
    Text t;
    text_init(&t, k->g->c);
    text_printf(&t, "%s\nApply node: ", why);
    put_apply(&t, a);
    text_printf(&t, "\n  output %d; largest difference: %g", o, most);
    put_value(&t, names[0], one);
    put_value(&t, names[1], other);
    watch_where(&t, k);
    return blame(TH_BadThunkOutput, &t);
}

/* ---- a node ------------------------------------------------------------------------------------------------------ */
/* Runs the node once more: the same inputs give the same bits. Values fit their types and are finite. */
bool watch_debug_again(const WatchCall *k, ThApply *a, ThArray *const *in, ThArray *const *out) {
    ThContext *c = k->g->c;
    ThArray *more[OP_MAX_OUT] = {0};
    bool ok = true;
    for (int o = 0; ok && o < a->nout; o++) ok = a->op == &op_alloc_empty || watch_guard_value(k, a->out[o], out[o]);
    if (!ok || !k->w->spec.check_py || a->op == &op_alloc_empty) return ok;
    ok = !eager_apply_checked(c, a, in, more) && watch_clear(c, a, in, more);
    static const char *const names[2] = {"first", "second"};
    for (int o = 0; ok && o < a->nout; o++)
        if (!array_same_bits(out[o], more[o])) {
            double most;
            near(out[o], more[o], &most);
            ok = thunk(k, a, o, "a node gave other values when it ran a second time on the same inputs",
                       (const char **)names, out[o], more[o], most);
        }
    for (int o = 0; o < a->nout; o++) th_array_release(more[o]);
    return ok;
}

bool watch_debug_loop(const WatchCall *k, ThApply *a, ThArray *const *planned, ThArray *const *stepped) {
    static const char *const names[2] = {"whole", "steps"};
    double most;
    for (int o = 0; o < a->nout; o++)
        if (planned[o] && stepped[o] && !near(planned[o], stepped[o], &most))
            return thunk(k, a, o, "a loop or branch as it was planned and its body step by step differ",
                         (const char **)names, planned[o], stepped[o], most);
    return true;
}

/* ---- generated C ------------------------------------------------------------------------------------------------- */
static bool joins(const ThApply *a) {
    if (a->op == &op_alloc_empty) return false;
    for (int o = 0; o < a->nout; o++)
        if (!type_is_array(a->out[o]->type)) return false;
    return true;
}

typedef struct Apart { /* lists of the function being made */
    VarVec in, out;
    VEC(ThIn) ins;
    VEC(PlanIo) io, oo;
    VEC(ThOut) outs;
} Apart;

/* The node on arguments of its own; constants stay. */
static bool put_apart(WatchGraph *g, Builder *b, Apart *p, ThApply *a) {
    ThVar **in = ctx_alloc(g->c, sizeof *in * (size_t)(a->nin + 1));
    bool ok = in != NULL;
    for (int i = 0; ok && i < a->nin; i++) {
        ThType t = a->in[i]->type;
        bool own = a->in[i]->kind == VAR_CONSTANT;
        in[i] = own ? a->in[i] : var_new(b, t, NULL);
        ok = in[i] && (own || (vec_push(g->c, &p->in, in[i]) && vec_push(g->c, &g->apart_in, a->in[i]) &&
                               vec_push(g->c, &p->ins, ((ThIn){.allow_downcast = -1})) &&
                               vec_push(g->c, &p->io, ((PlanIo){.type = t}))));
    }
    ThApply *copy = ok ? apply_make(b, a->op, a->attrs, in, a->nin) : NULL;
    ctx_free(g->c, in, sizeof *in * (size_t)(a->nin + 1));
    ok = copy && copy->nout == a->nout && vec_push(g->c, &g->apart_node, a);
    for (int o = 0; ok && o < a->nout; o++)
        ok = vec_push(g->c, &p->out, copy->out[o]) && vec_push(g->c, &p->outs, ((ThOut){0})) &&
             vec_push(g->c, &p->oo, ((PlanIo){.type = a->out[o]->type}));
    return ok;
}

static ThFunction *finish_apart(WatchGraph *g, Apart *p) {
    ThContext *c = g->c;
    VarVec out = {0};
    bool ok = vec_reserve(c, &out, p->out.n) && ops_expand(c, p->out.at, p->out.n, p->in.at, p->in.n, NULL, out.at);
    FGraph *fg = ok ? fg_new(c, p->in.at, p->in.n, out.at, p->out.n, NULL, NULL, 0, false) : NULL;
    for (int i = 0; ok && i < p->out.n; i++) th_var_release(out.at[i]);
    vec_free(c, &out);
    Plan *plan = fg ? plan_make(fg, p->io.at, p->io.n, p->oo.at, p->oo.n) : NULL;
    Unit *unit = plan ? backend_c.build(c, plan, false) : NULL;
    ThFunction *f = NULL;
    if (unit && !failed(c)) {
        const FunctionSpec s = {.plan = plan,
                                .unit = unit,
                                .in = p->ins.at,
                                .nin = p->ins.n,
                                .out = p->outs.at,
                                .nout = p->outs.n,
                                .allow_input_downcast = -1,
                                .internal = true};
        f = function_new(c, &s);
    }
    if (!f && unit) unit->release(unit);
    plan_release(plan);
    if (fg) fg_free(fg);
    return f;
}

/* NULL without an error: there is no compiler here. */
static ThFunction *make_apart(WatchGraph *g) {
    ThContext *c = g->c;
    Apart p = {0};
    Builder b;
    bool ok = true;
    builder_begin(&b, c);
    for (int i = 0; ok && i < g->node.n; i++)
        if (joins(g->node.at[i])) ok = put_apart(g, &b, &p, g->node.at[i]);
    ThFunction *f = ok && p.out.n ? finish_apart(g, &p) : NULL;
    builder_end(&b);
    vec_free(c, &p.in);
    vec_free(c, &p.out);
    vec_free(c, &p.ins);
    vec_free(c, &p.io);
    vec_free(c, &p.oo);
    vec_free(c, &p.outs);
    return f;
}

static bool compare_apart(const WatchCall *k, ThArray *const *got) {
    static const char *const names[2] = {"interpreter", "generated C"};
    double most;
    for (int i = 0, at = 0; i < k->g->apart_node.n; i++) {
        const ThApply *a = k->g->apart_node.at[i];
        ThArray *const steps = watch_value(k, a->in[0]); /* of a loop */
        if (!watch_clear(k->g->c, a, &steps, got + at)) return false;
        for (int o = 0; o < a->nout; o++, at++) {
            const ThArray *mine = watch_value(k, a->out[o]);
            if (!mine || near(mine, got[at], &most)) continue;
            return thunk(k, a, o, "the interpreter and generated C compute different values", (const char **)names,
                         mine, got[at], most);
        }
    }
    return true;
}

/* Generated C left what it only reads as it was: arg are copies. */
static bool intact_apart(const WatchCall *k, ThArray *const *arg) {
    for (int i = 0, at = 0; i < k->g->apart_node.n; i++) {
        const ThApply *a = k->g->apart_node.at[i];
        for (int j = 0; j < a->nin; j++) {
            if (a->in[j]->kind == VAR_CONSTANT) continue;
            const ThArray *was = watch_value(k, a->in[j]), *is = arg[at++];
            if (!type_is_array(a->in[j]->type) || array_same_bits(was, is)) continue;
            Text t;
            text_init(&t, k->g->c);
            text_printf(&t,
                        "generated C changed input %d of a node, which its destroy_map does not name\nApply node: ", j);
            put_apply(&t, a);
            put_value(&t, "before", was);
            put_value(&t, "after", is);
            watch_where(&t, k);
            return blame(TH_BadDestroyMap, &t);
        }
    }
    return true;
}

/* The user's value, or a copy that generated code cannot harm. */
static ThArray *harmless(ThArray *a, ThType t) { return type_is_array(t) ? th_array_copy(a) : th_array_retain(a); }

static bool run_apart(WatchCall *k) {
    WatchGraph *g = k->g;
    ThContext *c = g->c;
    int n = g->apart_in.n, nout = 0;
    for (int i = 0; i < g->apart_node.n; i++) nout += g->apart_node.at[i]->nout;
    ThArray **arg = ctx_alloc0(c, sizeof *arg * (size_t)(n + nout + 1)), **out = arg ? arg + n : NULL;
    bool ok = arg != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = (arg[i] = harmless(watch_value(k, g->apart_in.at[i]), g->apart_in.at[i]->type)) != NULL;
    if (ok && th_call(g->apart, arg, n, out)) {
        Text t;
        text_init(&t, c);
        text_printf(&t, "a node fails as generated C and does not in the interpreter: %s", th_error_text(c));
        watch_where(&t, k);
        bool fatal = th_error(c) == TH_MemoryError || th_error(c) == TH_Interrupted;
        if (!fatal) th_error_clear(c);
        if (fatal) text_free(&t), ok = false;
        else ok = blame(TH_BadThunkOutput, &t);
    } else {
        ok = ok && intact_apart(k, arg) && compare_apart(k, out);
    }
    for (int i = 0; arg && i < n + nout; i++) th_array_release(arg[i]);
    ctx_free(c, arg, sizeof *arg * (size_t)(n + nout + 1));
    return ok;
}

/* ---- rewrites ---------------------------------------------------------------------------------------------------- */
static bool wrong_perform(const WatchCall *k, const WatchEvent *e, const ThArray *old, const ThArray *new_,
                          double most) {
    static const char *const names[2] = {"perform", "kernel"};
    const ThApply *a = e->old->owner;
    return thunk(k, a, (int)e->old->index, "an operation's perform and its kernel or graph compute different values",
                 (const char **)names, old, new_, most);
}

static bool wrong_rewrite(const WatchCall *k, const WatchEvent *e, const ThArray *old, const ThArray *new_,
                          double most) {
    Text t;
    text_init(&t, k->g->c);
    text_printf(&t, "rewrite %s: the old and the new variable have different values; largest difference: %g", e->rule,
                most);
    put_value(&t, "old", old);
    put_value(&t, "new", new_);
    watch_where(&t, k);
    watch_line(&t, "\nMade at ", e->old->owner ? e->old->owner->prov : e->old->prov);
    put_graph(&t, "Old graph", e->old);
    put_graph(&t, "New graph", e->new_);
    return blame(TH_BadOptimization, &t);
}

/* Everything there is to say once all nodes have their values. */
bool watch_debug_graph(WatchCall *k) {
    WatchGraph *g = k->g;
    double most;
    for (int i = 0; i < g->event.n; i++) {
        const WatchEvent *e = &g->event.at[i];
        const ThArray *old = watch_value(k, e->old), *new_ = watch_value(k, e->new_);
        if (e->host && old && new_ && !near(old, new_, &most)) return wrong_perform(k, e, old, new_, most);
        if (old && new_ && !e->host && !near_as(old, new_, e->loose, true, &most))
            return wrong_rewrite(k, e, old, new_, most);
    }
    if (!k->w->spec.check_c || k->lost) return true;
    if (!g->apart_tried) {
        g->apart_tried = true;
        g->apart = make_apart(g);
        if (failed(g->c)) return false;
    }
    return !g->apart || run_apart(k);
}

/* ..and the function as a whole what it may not write. */
static bool intact_whole(const WatchFunction *f, const WatchCall *k, ThArray *const *arg, ThArray *const *in) {
    for (int i = 0; i < k->g->in.n; i++) {
        const ThVar *v = k->g->in.at[i];
        if (f->writes.at[i] || !type_is_array(v->type) || array_same_bits(arg[i], in[i])) continue;
        Text t;
        text_init(&t, k->g->c);
        text_put(&t, "the function as a whole changed its input ");
        var_str(&t, v);
        text_put(&t, ", which is not mutable");
        put_value(&t, "before", arg[i]);
        put_value(&t, "after", in[i]);
        return blame(TH_BadDestroyMap, &t);
    }
    return true;
}

bool watch_debug_whole(WatchFunction *f, const WatchCall *k, ThArray *const *arg, ThArray *const *out) {
    ThContext *c = k->g->c;
    int n = k->g->in.n, nout = k->g->out.n;
    ThArray **in = ctx_alloc0(c, sizeof *in * (size_t)(n + nout + 1)), **got = in ? in + n : NULL;
    bool ok = in != NULL;
    for (int i = 0; ok && i < n; i++) ok = (in[i] = harmless(arg[i], k->g->in.at[i]->type)) != NULL;
    if (ok && th_call(f->whole, in, n, got)) {
        bool fatal = th_error(c) == TH_MemoryError || th_error(c) == TH_Interrupted;
        if (!fatal) th_error_clear(c); /* the function itself tells */
        ok = !fatal;
    } else {
        ok = ok && intact_whole(f, k, arg, in);
        for (int o = 0; ok && o < nout; o++) {
            double most;
            const ThVar *v = k->g->out.at[o];
            static const char *const names[2] = {"node by node", "whole"};
            const ThApply *a = v->owner;
            if (!out[o] || !a || near(out[o], got[o], &most)) continue;
            ok = thunk(k, a, (int)v->index, "the function as a whole gives another value than its nodes one by one",
                       (const char **)names, out[o], got[o], most);
        }
    }
    for (int i = 0; in && i < n + nout; i++) th_array_release(in[i]);
    ctx_free(c, in, sizeof *in * (size_t)(n + nout + 1));
    return ok;
}
