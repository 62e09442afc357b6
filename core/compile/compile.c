/*
 * compile.c -- th_compile: from the user's expression to a compiled function, on one screen. In: a ThCompile. Out: a
 * ThFunction; on any failure NULL with the error set and everything freed. The user's graph is only read.
 */
#include "watch.h"

#include <string.h>

/* Inputs, outputs and updates make sense; givens are put in their places. */
static bool check(Compile *k) {
    return compile_mode(k) && compile_inputs(k) && compile_updates(k) && compile_givens(k) && compile_used(k);
}

/* Operations that stand for others (the user's own, graphs) are written out. */
static bool expand(Compile *k) {
    VarVec out = {0};
    if (!ops_any_expand(k->ctx)) return true;
    bool ok =
        vec_reserve(k->ctx, &out, k->out.n + 1) && ops_expand(k->ctx, k->out.at, k->out.n, k->in.at, k->in.n, out.at);
    for (int i = 0; ok && i < k->out.n; i++) {
        th_var_release(k->out.at[i]);
        k->out.at[i] = out.at[i];
    }
    vec_free(k->ctx, &out);
    return ok;
}

/* What only one branch of a conditional needs goes into that branch. */
static bool lazy(Compile *k) {
    VarVec out = {0};
    if (!k->ctx->lazy) return true;
    bool ok =
        vec_reserve(k->ctx, &out, k->out.n + 1) && k->ctx->lazy(k->ctx, k->out.at, k->out.n, k->in.at, k->in.n, out.at);
    for (int i = 0; ok && i < k->out.n; i++) {
        th_var_release(k->out.at[i]);
        k->out.at[i] = out.at[i];
    }
    vec_free(k->ctx, &out);
    return ok;
}

/* The user's DAG -> a private FunctionGraph. */
FGraph *compile_graph(Compile *k) {
    int nup = k->update_of.n;
    FGraph *fg =
        fg_new(k->ctx, k->in.at, k->in.n, k->out.at, k->nout, k->update_of.at, k->out.at + k->nout, nup, false);
    for (int i = 0; fg && i < k->in.n; i++) fg->in_mutable[i] = k->spec->in[i].mutable_;
    return fg;
}

/* What the planner must know of arguments and results. */
static bool describe(Compile *k) {
    const ThCompile *s = k->spec;
    k->io_in = ctx_alloc0(k->ctx, (size_t)(s->nin + 1) * sizeof *k->io_in);
    k->io_out = ctx_alloc0(k->ctx, (size_t)(k->nout + 1) * sizeof *k->io_out);
    if (!k->io_in || !k->io_out) return false;
    for (int i = 0; i < s->nin; i++) {
        const char *name = s->in[i].name ? s->in[i].name : s->in[i].var->name;
        k->io_in[i] = (PlanIo){.type = s->in[i].var->type,
                               .name = name ? intern(k->ctx, name) : NULL,
                               .mutable_ = s->in[i].mutable_,
                               .borrow = s->in[i].borrow};
    }
    for (int o = 0; o < k->nout; o++)
        k->io_out[o] =
            (PlanIo){.type = k->out.at[o]->type, .name = k->out.at[o]->name, .borrow = o < s->nout && s->out[o].borrow};
    return !failed(k->ctx);
}

static const Backend *backend(const Compile *k) {
    const char *device = config_str(k->ctx, "device");
    return device && !strcmp(device, "cuda-emulated") ? &backend_cuda_emulated : &backend_c;
}

/* A built unit, or NULL: then the interpreter runs the plan (an error is set only when something is broken). */
static Unit *build(Compile *k, const Plan *plan) {
    if (k->interpret) return NULL;
    const char *device = config_str(k->ctx, "device");
    if (device && !strcmp(device, "cuda") && !k->ctx->told_device) {
        k->ctx->told_device = true;
        ctx_log(k->ctx, "theano: device=cuda: this version drives no GPU; functions run on the CPU");
    }
    return backend(k)->build(k->ctx, plan, NULL); /* no name: equal functions share their unit */
}

static ThFunction *finish(Compile *k, FGraph *fg, Plan *plan, Unit *unit, WatchFunction *watch) {
    const ThCompile *s = k->spec;
    FunctionSpec f = {.plan = plan,
                      .unit = unit,
                      .fg = fg,
                      .in = s->in,
                      .nin = s->nin,
                      .out = s->out,
                      .nout = s->nout,
                      .name = s->name,
                      .state_in = k->state_in.at,
                      .nstate = k->state_in.n,
                      .recipe = compile_recipe(k),
                      .recipe_free = compile_recipe_free,
                      .allow_input_downcast = s->allow_input_downcast};
    if (!f.recipe) return NULL;
    if (watch) f.watch = watch, f.watch_call = watch_call, f.watch_free = watch_free;
    if (config_bool(k->ctx, "compile.tiers")) f.version = backend(k)->version;
    f.memory = s->memory;
    f.fit = watch || !s->memory ? NULL : compile_lean;
    f.gc = !k->nogc && config_bool(k->ctx, "allow_gc");
    f.profile = s->profile > 0 || (s->profile == 0 && config_bool(k->ctx, "profile"));
    f.times = k->times;
    f.times.ns_compile = profile_now() - k->start;
    const char *verbosity = config_str(k->ctx, "exception_verbosity");
    f.exception_verbose = verbosity && !strcmp(verbosity, "high");
    ThFunction *fn = function_new(k->ctx, &f);
    if (!fn) compile_recipe_free(k->ctx, f.recipe);
    return fn;
}

bool compile_rewrite(Compile *k, FGraph *fg, WatchGraph *g, Text *text) {
    return opt_run(fg, &k->opt) && compile_inner(fg, &k->opt, g) && (!text || graph_print_fg(text, fg));
}

static bool optimize(Compile *k, FGraph *fg, WatchFunction *watch) {
    int64_t start = profile_now();
    bool ok = !watch || watch_attach(watch->root, fg);
    ok = ok && compile_rewrite(k, fg, watch ? watch->root : NULL, k->log) && (!watch || watch_end(k, watch, fg));
    k->times.ns_optimizer = profile_now() - start;
    return ok;
}

static Plan *make_plan(Compile *k, FGraph *fg) {
    int64_t start = profile_now();
    Plan *plan = plan_make(fg, k->io_in, k->spec->nin, k->io_out, k->nout);
    k->times.ns_plan = profile_now() - start;
    return plan;
}

/* The plan of the optimized graph, made again with fewer values kept while it takes too much memory. */
static Plan *plan_graph(Compile *k, WatchFunction *watch, FGraph **fg) {
    for (;;) {
        *fg = compile_graph(k);
        if (*fg && k->fit) compile_fit_begin(k->fit, *fg);
        Plan *plan = *fg && optimize(k, *fg, watch) ? make_plan(k, *fg) : NULL;
        FitState state = plan && k->fit ? compile_fit(k, *fg, plan) : FIT_DONE;
        if (state == FIT_DONE) return plan;
        plan_release(plan);
        if (state == FIT_FAILED) return NULL;
        fg_free(*fg);
        *fg = NULL;
    }
}

static ThFunction *finish_watched(Compile *k, WatchFunction *watch) {
    Unit *unit = NULL;
    ThFunction *f = NULL;
    FGraph *fg = NULL;
    Plan *plan = plan_graph(k, watch, &fg);
    if (plan) {
        int64_t start = profile_now();
        unit = build(k, plan);
        k->times.ns_build = profile_now() - start;
        if (!failed(k->ctx)) f = finish(k, fg, plan, unit, watch);
    }
    plan_release(plan);
    if (!f && unit) unit->release(unit);
    if (!f) fg_free(fg);
    return f;
}

void compile_begin(ThContext *c) {
    if (!atomic_load_explicit(&c->hosting, memory_order_relaxed))
        atomic_store_explicit(&c->interrupted, 0, memory_order_relaxed);
}

ThFunction *compile_finish(Compile *k) {
    Text log;
    WatchFunction *watch = NULL;
    text_init(&log, k->ctx);
    if (k->watch && k->watch->spec.kind == 'd') k->log = &log;
    ThFunction *f = NULL;
    VarPairs pairs = {{0}}, *was = k->ctx->pairs;
    k->ctx->pairs = k->log ? &pairs : NULL;
    if (describe(k) && expand(k) && lazy(k) && (!k->watch || (watch = watch_begin(k))) &&
        (!k->log || watch_pairs(watch->root, &pairs)))
        f = finish_watched(k, watch);
    k->ctx->pairs = was;
    for (int i = 0; i < pairs.var.n; i++) th_var_release(pairs.var.at[i]);
    vec_free(k->ctx, &pairs.var);
    if (!f && watch) watch_free(k->ctx, watch);
    k->log = NULL;
    text_free(&log);
    return f;
}

void compile_forget(Compile *k) {
    for (int i = 0; i < k->out.n; i++) th_var_release(k->out.at[i]);
    ctx_free(k->ctx, k->io_in, (size_t)(k->spec->nin + 1) * sizeof *k->io_in);
    ctx_free(k->ctx, k->io_out, (size_t)(k->nout + 1) * sizeof *k->io_out);
    vec_free(k->ctx, &k->in);
    vec_free(k->ctx, &k->out);
    vec_free(k->ctx, &k->update_of);
    vec_free(k->ctx, &k->state_in);
    th_watch_release(k->watch);
    compile_mode_free(k);
}

/* Every list that has a number of things is there. */
static bool lists(const ThCompile *s) {
    return s->nin >= 0 && s->nout >= 0 && s->nupdates >= 0 && s->ngivens >= 0 && s->nno_default_update_of >= 0 &&
           (!s->nin || s->in) && (!s->nout || s->out) && (!s->nupdates || s->updates) && (!s->ngivens || s->givens) &&
           (!s->nno_default_update_of || s->no_default_update_of);
}

ThFunction *th_compile(ThContext *c, const ThCompile *spec) {
    if (!c) return NULL;
    if (!spec || !lists(spec)) return err_missing(c, __func__), NULL;
    if (!c || failed(c)) return NULL;
    Compile k = {.ctx = c, .spec = spec, .start = profile_now()};
    compile_begin(c);
    c->eval = eager_apply; /* constant folding runs on the interpreter */
    ThFunction *f = check(&k) ? compile_finish(&k) : NULL;
    compile_forget(&k);
    return f;
}
