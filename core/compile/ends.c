/*
 * ends.c -- both ends of a compile. In: a Compile. Out: what the planner must know of arguments and results;
 * in the end the function with all that it keeps. And a Compile's own life.
 */
#include "ops/table/control.h"
#include "compile.h"

#include <string.h>

void compile_begin(ThContext *c) {
    if (!atomic_load_explicit(&c->hosting, memory_order_relaxed))
        atomic_store_explicit(&c->interrupted, 0, memory_order_relaxed);
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

bool compile_io(Compile *k) {
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
        k->io_out[o] = (PlanIo){.type = k->out.at[o]->type,
                                .name = k->out.at[o]->name,
                                .borrow = o < s->nout && s->out[o].borrow,
                                .on_host = op_transfer_to_host(k->out.at[o])};
    return !failed(k->ctx);
}

ThFunction *compile_hand_over(Compile *k, FGraph *fg, Plan *plan, Unit *unit, const CompileWatch *w) {
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
                      .allow_input_downcast = s->allow_input_downcast,
                      .memory = s->memory};
    if (!f.recipe) return NULL;
    if (w) f.watch = w->calls;
    const Backend *b = compile_backend(k->ctx);
    const bool builds = !ctx_sealed(k->ctx);
    if (builds && k->tiers) f.version = b->version;
    if (builds && b->candidates && !w) f.tune = b->version, f.candidates = b->candidates;
    f.autotune = (int)config_int(k->ctx, "compile.autotune");
    f.fit = w || !s->memory ? NULL : compile_lean;
    f.gc = !k->nogc && config_bool(k->ctx, "allow_gc");
    f.profile = k->profile;
    f.times = k->times;
    f.times.ns_compile = profile_now() - k->start;
    const char *verbosity = config_str(k->ctx, "exception_verbosity");
    f.exception_verbose = verbosity && !strcmp(verbosity, "high");
    ThFunction *fn = function_new(k->ctx, &f);
    if (!fn) compile_recipe_free(k->ctx, f.recipe);
    return fn;
}
