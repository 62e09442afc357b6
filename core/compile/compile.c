/*
 * compile.c -- from the user's expression to a compiled function, on one screen: the way of a Compile whose lists are
 * filled in and make sense (check.c), step by step and in this order. Out: a ThFunction; on any failure NULL
 * with the error set and everything freed. The user's graph is only read. Who wants to look on wraps this with a
 * CompileWatch; th_compile itself, which decides that, stands in watch.c.
 */
#include "compile.h"

#include <string.h>

/* 1. Operations that stand for others are written out; what one side of a conditional alone needs goes to that side. */
bool compile_write_out(ThContext *c, ThVar **outs, int n, ThVar *const *in, int nin, VarPairs *pairs) {
    VarVec to = {0};
    bool ok = vec_reserve(c, &to, n + 1);
    for (int lazy = 0; ok && lazy < 2; lazy++) {
        if (!(lazy ? ifelse_any(c) : ops_any_expand(c))) continue;
        ok = lazy ? ifelse_collect(c, outs, n, in, nin, to.at) : ops_expand(c, outs, n, in, nin, pairs, to.at);
        for (int i = 0; ok && i < n; i++) {
            th_var_release(outs[i]);
            outs[i] = to.at[i];
        }
    }
    vec_free(c, &to);
    return ok;
}

/* 2. The user's DAG is copied into a private FunctionGraph, equal nodes being one. */
FGraph *compile_graph(Compile *k) {
    int nup = k->update_of.n;
    FGraph *fg = fg_new_checked(k->ctx, k->in.at, k->in.n, k->out.at, k->nout, k->update_of.at, k->out.at + k->nout,
                                nup, &k->check);
    for (int i = 0; fg && i < k->in.n; i++) fg->in_mutable[i] = k->spec->in[i].mutable_;
    /* Calls that are stopped in time write nothing before their end. */
    const bool timed = ctx_sealed(k->ctx) || k->ctx->host.limits.seconds > 0;
    for (int i = 0; fg && timed && i < fg->nin; i++) fg->in_mutable[i] = false;
    if (fg) fg->device = !k->interpret && compile_backend(k->ctx) != &backend_c;
    if (!fg || !failed(k->ctx)) return fg;
    fg_free(fg);
    return NULL;
}

/* 3. The passes of opt/optdb.c, the last of which gives the schedule; then the same for bodies of loops and branches.
 */
bool compile_rewrite(Compile *k, FGraph *fg, const CompileWatch *w) {
    void *of = w ? w->graph(w->user, NULL, NULL, 0, fg) : NULL;
    return (!w || of) && opt_run(fg, &k->opt) && compile_inner(fg, &k->opt, w, of);
}

static bool rewrite(Compile *k, FGraph *fg, const CompileWatch *w) {
    int64_t start = profile_now();
    bool ok = compile_rewrite(k, fg, w) && (!w || w->rewritten(w->user, fg));
    k->times.ns_optimizer = profile_now() - start;
    return ok;
}

/* 4. Kernels, steps, sizes, buffers. */
static Plan *plan_of(Compile *k, FGraph *fg) {
    int64_t start = profile_now();
    Plan *plan = plan_make(fg, k->io_in, k->spec->nin, k->io_out, k->nout);
    k->times.ns_plan = profile_now() - start;
    return plan;
}

/* 2 to 4, again with fewer values kept while the plan takes too much memory (fit.c). */
static Plan *plan_graph(Compile *k, const CompileWatch *w, FGraph **fg) {
    for (;;) {
        *fg = compile_graph(k);
        if (*fg && k->fit) compile_fit_begin(k->fit, *fg);
        Plan *plan = *fg && rewrite(k, *fg, w) ? plan_of(k, *fg) : NULL;
        FitState state = plan && k->fit ? compile_fit(k, *fg, plan) : FIT_DONE;
        if (state == FIT_DONE) return plan;
        plan_release(plan);
        if (state == FIT_FAILED) return NULL;
        fg_free(*fg);
        *fg = NULL;
    }
}

const Backend *compile_backend(ThContext *c) { return compile_device(c) ? &backend_cuda : &backend_c; }

/* Machine code that came along, of the highest level that this processor has. */
static Unit *brought(Compile *k, const Plan *plan) {
    Unit *unit = NULL;
    for (int i = isa_level() - NATIVE_FIRST; !unit && i >= 0; i--)
        if (k->native->at[i]) unit = native_unit(k->ctx, plan, i + NATIVE_FIRST, k->native->at[i], k->native->n[i]);
    return unit;
}

/* 5. Generated code; NULL: the interpreter runs the plan (an error is set only when something is broken). */
static Unit *build(Compile *k, const Plan *plan) {
    if (compile_device(k->ctx) && config_bool(k->ctx, "repro")) {
        err(k->ctx, TH_NotImplementedError, "the flag repro is for functions on the processor, not on device=%s",
            config_str(k->ctx, "device"));
        return NULL;
    }
    if (k->interpret || (ctx_sealed(k->ctx) && !k->native)) return NULL;
    int64_t start = profile_now();
    const Backend *b = compile_backend(k->ctx);
    Unit *unit = k->native && b == &backend_c ? brought(k, plan) : NULL;
    if (!unit && !failed(k->ctx) && !ctx_sealed(k->ctx))
        unit = b == &backend_cuda ? compile_for_device(k->ctx, plan) : b->build(k->ctx, plan, k->tiers);
    k->times.ns_build = profile_now() - start;
    return unit;
}

/* 6. The function, which takes graph, plan and unit over. */
ThFunction *compile_function(Compile *k, const CompileWatch *w) {
    FGraph *fg = NULL;
    Unit *unit = NULL;
    ThFunction *f = NULL;
    bool ok = compile_io(k) && compile_write_out(k->ctx, k->out.at, k->out.n, k->in.at, k->in.n, w ? w->pairs : NULL);
    Plan *plan = ok ? plan_graph(k, w, &fg) : NULL;
    if (plan) unit = build(k, plan);
    if (plan && !failed(k->ctx)) f = compile_hand_over(k, fg, plan, unit, w);
    plan_release(plan);
    if (!f && unit) unit->release(unit);
    if (!f) fg_free(fg);
    return f;
}

static ThFunction *request(Compile *k, CompileMake *make) {
    compile_begin(k->ctx);
    ThFunction *f = compile_check(k) ? make(k) : NULL;
    compile_forget(k);
    return f;
}

ThFunction *compile_request(ThContext *c, const ThCompile *spec, CompileMake *make) {
    return request(&(Compile){.ctx = c, .spec = spec, .start = profile_now()}, make);
}

static ThFunction *plain(Compile *k) { return compile_function(k, NULL); }

ThFunction *compile_optimized(ThContext *c, const ThCompile *spec, double from, const VarVec *check,
                              const NativeCode *native) {
    Compile k = {.ctx = c, .spec = spec, .start = profile_now(), .opt.from = from, .check = *check, .native = native};
    return request(&k, plain);
}
