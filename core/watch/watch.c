/*
 * watch.c -- th_compile and copies: the plain way of compile.c, or, in DebugMode, NanGuardMode and MonitorMode, the
 * same way with an onlooker that makes a record beside it and evaluates that before every call. In: a ThWatch, from the
 * mode's name and flags or from the host. Out: a function whose calls first go node by node through its graph.
 */
#include "watch.h"

#include <string.h>

/* ---- making ------------------------------------------------------------------------------------------------------ */
static void free_pairs(WatchFunction *f) {
    for (int i = 0; i < f->pairs.var.n; i++) th_var_release(f->pairs.var.at[i]);
    vec_free(f->w->ctx, &f->pairs.var);
}

static void free_function(ThContext *c, void *user) {
    WatchFunction *f = user;
    if (!f) return;
    watch_graph_free(f->root);
    if (f->whole) th_function_release(f->whole);
    for (int i = 0; i < f->shared.n; i++) th_var_release(f->shared.at[i]);
    vec_free(c, &f->shared);
    vec_free(c, &f->writes);
    text_free(&f->log);
    free_pairs(f);
    th_watch_release(f->w);
    ctx_free(c, f, sizeof *f);
}

/* bare: only the log is wanted. */
static WatchFunction *new_function(const Compile *k, bool bare) {
    WatchFunction *f = ctx_alloc0(k->ctx, sizeof *f);
    if (!f) return NULL;
    f->w = compile_watch_retain(k->watch);
    text_init(&f->log, k->ctx);
    f->root = watch_graph(k->ctx, k->watch->spec.kind == 'd' ? &f->log : NULL, bare);
    if (f->root) return f;
    free_function(k->ctx, f);
    return NULL;
}

static bool is_updated(const Compile *k, const ThVar *s) {
    for (int i = 0; i < k->update_of.n; i++)
        if (k->update_of.at[i]->u.shared == s->u.shared) return true;
    return false;
}

/* The function with shareds as arguments: nothing it does can be seen. */
static bool make_whole(Compile *k, WatchFunction *f) {
    ThContext *c = k->ctx;
    VarVec to = {0}, out = {0};
    VEC(ThIn) in = {0};
    VEC(ThOut) outs = {0};
    Builder b;
    builder_begin(&b, c);
    bool ok = vec_reserve(c, &out, k->out.n + 1);
    for (int i = 0; ok && i < f->root->in.n; i++) {
        ThVar *v = f->root->in.at[i];
        bool shared = v->kind == VAR_SHARED, writes = shared && is_updated(k, v);
        ThVar *now = shared ? var_new(&b, v->type, v->name) : v;
        ok = now && (!shared || (vec_push(c, &f->shared, th_var_retain(v)) && vec_push(c, &to, now))) &&
             vec_push(c, &f->writes, writes) &&
             vec_push(c, &in,
                      ((ThIn){.var = now, .name = "", .mutable_ = writes, .borrow = writes, .allow_downcast = -1}));
    }
    ok = ok && graph_clone(c, k->out.at, k->out.n, f->shared.at, to.at, to.n, true, out.at);
    if (ok) out.n = k->out.n;
    for (int i = 0; ok && i < out.n; i++) ok = vec_push(c, &outs, ((ThOut){.var = out.at[i]}));
    const ThCompile spec = {.in = in.at,
                            .nin = in.n,
                            .out = outs.at,
                            .nout = outs.n,
                            .mode = "FAST_RUN",
                            .linker = "c",
                            .optimizer = k->opt.optimizer,
                            .including = k->spec->including,
                            .excluding = k->spec->excluding,
                            .requiring = k->spec->requiring,
                            .on_unused_input = "ignore",
                            .allow_input_downcast = -1,
                            .profile = -1,
                            .no_default_updates = true};
    if (ok) ok = (f->whole = th_compile(c, &spec)) != NULL;
    for (int i = 0; i < out.n; i++) th_var_release(out.at[i]);
    builder_end(&b);
    vec_free(c, &to);
    vec_free(c, &out);
    vec_free(c, &in);
    vec_free(c, &outs);
    return ok;
}

/* The first line in which the two differ. */
static void first_difference(Text *t, const char *a, const char *b) {
    int line = 1;
    const char *from = a, *with = b;
    for (; *a && *a == *b; a++, b++)
        if (*a == '\n') line++, from = a + 1, with = b + 1;
    text_printf(t, "line %d of the record: first \"%.*s\", then \"%.*s\"", line, (int)strcspn(from, "\n"), from,
                (int)strcspn(with, "\n"), with);
}

/* ---- calling ----------------------------------------------------------------------------------------------------- */
static bool call(void *user, ThArray *const *arg) {
    WatchFunction *f = user;
    WatchGraph *g = f->root;
    ThContext *c = g->c;
    int n = 0;
    ThArray **in = ctx_alloc0(c, sizeof *in * (size_t)(g->in.n + g->out.n + 1)), **out = in ? in + g->in.n : NULL;
    if (!in) return false;
    for (int i = 0; i < g->in.n; i++) /* the function's inputs, then its shareds */
        in[i] = g->in.at[i]->kind == VAR_SHARED ? g->in.at[i]->u.shared->value : arg[n++];
    const WatchCall k = {.w = f->w, .g = g, .step = -1};
    bool ok = watch_eval(&k, in, out);
    if (ok && f->whole) ok = watch_debug_whole(f, &k, in, out);
    for (int i = 0; i < g->out.n; i++) th_array_release(out[i]);
    ctx_free(c, in, sizeof *in * (size_t)(g->in.n + g->out.n + 1));
    return ok;
}

/* ---- a compile that is looked on --------------------------------------------------------------------------------- */
typedef struct Onlooker {
    Compile *k;
    WatchFunction *f;
} Onlooker;

static void *on_graph(void *user, void *of, const ThApply *node, int body, FGraph *fg) {
    WatchFunction *f = ((Onlooker *)user)->f;
    WatchGraph *g = of ? watch_inner(of, node, body) : f->root;
    return g && watch_attach(g, fg) && watch_pairs(g, &f->pairs) ? g : NULL;
}

static CompileWatch hooks(Onlooker *o, bool (*rewritten)(void *user, FGraph *fg)) {
    return (CompileWatch){.user = o,
                          .pairs = o->f->w->spec.kind == 'd' ? &o->f->pairs : NULL,
                          .graph = on_graph,
                          .rewritten = rewritten,
                          .calls = {.user = o->f, .call = call, .free = free_function}};
}

/* Once more, for the log alone. */
static bool rewrite_again(Compile *k, WatchFunction *f) {
    Onlooker o = {k, f};
    const CompileWatch w = hooks(&o, NULL);
    FGraph *fg = compile_graph(k);
    bool ok = fg && compile_rewrite(k, fg, &w) && graph_print_fg(&f->log, fg);
    if (fg) fg_free(fg);
    return ok;
}

/* Rewrites the function again and again: always the same rewrites in the same order. */
static bool stochastic(Compile *k, const WatchFunction *was) {
    int patience = was->w->spec.patience;
    bool same = true;
    for (int i = 1; same && i < patience; i++) {
        WatchFunction *f = new_function(k, true);
        bool ok = f && rewrite_again(k, f);
        same = ok && f->log.at && was->log.at && !strcmp(f->log.at, was->log.at);
        if (ok && !same) {
            Text t;
            text_init(&t, k->ctx);
            text_printf(&t, "rewriting the function anew (%d of %d) did not go as the first time; ", i + 1, patience);
            first_difference(&t, was->log.at ? was->log.at : "", f->log.at ? f->log.at : "");
            err(k->ctx, TH_StochasticOrder, "%s", t.at ? t.at : "?");
            text_free(&t);
        }
        free_function(k->ctx, f);
    }
    return same;
}

static bool on_rewritten(void *user, FGraph *fg) {
    const Onlooker *o = user;
    WatchFunction *f = o->f;
    bool debug = f->w->spec.kind == 'd';
    bool ok = (!debug || graph_print_fg(&f->log, fg)) && watch_seal(f->root) && (!debug || stochastic(o->k, f));
    text_free(&f->log);
    return ok && (!debug || !f->w->spec.check_c || make_whole(o->k, f));
}

/* A Compile as a function: watched where its mode asks for that. */
static ThFunction *make(Compile *k) {
    if (!k->watch) return compile_function(k, NULL);
    Onlooker o = {k, new_function(k, false)};
    if (!o.f) return NULL;
    const CompileWatch w = hooks(&o, on_rewritten);
    ThFunction *f = compile_function(k, &w);
    if (!f) free_function(k->ctx, o.f);
    return f;
}

ThFunction *th_compile(ThContext *c, const ThCompile *spec) {
    if (!c) return NULL;
    if (!spec) return err_missing(c, __func__), NULL;
    ThCompile own;
    if (failed(c) || !(spec = options_of(c, spec, &own))) return NULL;
    return compile_request(c, spec, make);
}

ThFunction *th_function_copy(ThFunction *f, const ThCopy *options) {
    static const ThCopy plain;
    if (!f) return NULL;
    ThCopy own;
    if (!options) options = &plain;
    if (!(options = options_of(th_function_context(f), options, &own))) return NULL;
    if (options->nswap < 0 || (options->nswap && !options->swap))
        return err_missing(th_function_context(f), __func__), NULL;
    return compile_copy(f, options, make);
}
