/*
 * watch.c -- functions compiled in DebugMode, NanGuardMode or MonitorMode: making the record beside the compile, and
 * evaluating it before every call. In: a ThWatch, from the mode's name and flags or from the host. Out: a function
 * whose calls first go node by node through its graph.
 */
#include "compile/watch.h"

#include <string.h>

/* ---- ThWatch ----------------------------------------------------------------------------------------------------- */
ThWatchSpec th_watch_defaults(ThContext *c, char kind) {
    if (!c) return (ThWatchSpec){0};
    const char *action = config_str(c, "NanGuardMode.action");
    return (ThWatchSpec){.kind = kind,
                         .patience = (int)config_int(c, "DebugMode.patience"),
                         .check_c = config_bool(c, "DebugMode.check_c"),
                         .check_py = config_bool(c, "DebugMode.check_py"),
                         .check_finite = config_bool(c, "DebugMode.check_finite"),
                         .nan = config_bool(c, "NanGuardMode.nan_is_error"),
                         .inf = config_bool(c, "NanGuardMode.inf_is_error"),
                         .big = config_bool(c, "NanGuardMode.big_is_error"),
                         .action = action && *action == 'w' ? 'w' : 'r'};
}

ThWatch *th_watch_new(ThContext *c, const ThWatchSpec *spec) {
    if (!c) return NULL;
    if (!spec) return err_missing(c, __func__), NULL;
    if (failed(c)) return NULL;
    if (!strchr("dnm", spec->kind) || !spec->kind) return err(c, TH_ValueError, "watch: unknown kind"), NULL;
    if (spec->kind == 'd' && !spec->check_c && !spec->check_py)
        return err(c, TH_ValueError, "DebugMode has to check at least one of c and py code"), NULL;
    if (spec->kind == 'd' && spec->patience < 1)
        return err(c, TH_ValueError, "DebugMode: patience is %d; a function is rewritten at least once",
                   spec->patience),
               NULL;
    ThWatch *w = ctx_alloc0(c, sizeof *w);
    if (!w) return NULL;
    atomic_init(&w->refs, 1);
    w->ctx = c;
    w->spec = *spec;
    return w;
}

ThWatch *watch_retain(ThWatch *w) {
    if (w) atomic_fetch_add(&w->refs, 1);
    return w;
}

void th_watch_release(ThWatch *w) {
    if (!w || atomic_fetch_sub(&w->refs, 1) != 1) return;
    if (w->spec.release) w->spec.release(w->spec.user);
    ctx_free(w->ctx, w, sizeof *w);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */
void watch_free(ThContext *c, void *user) {
    WatchFunction *f = user;
    if (!f) return;
    watch_graph_free(f->root);
    if (f->whole) th_function_release(f->whole);
    for (int i = 0; i < f->shared.n; i++) th_var_release(f->shared.at[i]);
    vec_free(c, &f->shared);
    vec_free(c, &f->writes);
    th_watch_release(f->w);
    ctx_free(c, f, sizeof *f);
}

WatchFunction *watch_begin(Compile *k) {
    WatchFunction *f = ctx_alloc0(k->ctx, sizeof *f);
    if (!f) return NULL;
    f->w = watch_retain(k->watch);
    f->root = watch_graph(k->ctx, k->log, false);
    if (f->root) return f;
    watch_free(k->ctx, f);
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

/* Rewrites the function again and again: always the same rewrites in the same order. */
static bool stochastic(Compile *k, const Text *was, int patience) {
    for (int i = 1; i < patience; i++) {
        Text log, t;
        text_init(&log, k->ctx);
        WatchGraph *g = watch_graph(k->ctx, &log, true);
        FGraph *fg = g ? compile_graph(k) : NULL;
        bool ok = fg && watch_attach(g, fg) && compile_rewrite(k, fg, g, &log);
        bool same = ok && log.at && was->at && !strcmp(log.at, was->at);
        if (ok && !same) {
            text_init(&t, k->ctx);
            text_printf(&t, "rewriting the function anew (%d of %d) did not go as the first time; ", i + 1, patience);
            first_difference(&t, was->at ? was->at : "", log.at ? log.at : "");
            err(k->ctx, TH_StochasticOrder, "%s", t.at ? t.at : "?");
            text_free(&t);
        }
        if (fg) fg_free(fg);
        watch_graph_free(g);
        text_free(&log);
        if (!same) return false;
    }
    return true;
}

bool watch_end(Compile *k, WatchFunction *f, FGraph *fg) {
    (void)fg;
    if (!watch_seal(f->root)) return false;
    if (f->w->spec.kind != 'd') return true;
    if (!stochastic(k, k->log, f->w->spec.patience)) return false;
    return !f->w->spec.check_c || make_whole(k, f);
}

/* ---- calling ----------------------------------------------------------------------------------------------------- */
bool watch_call(void *user, ThArray *const *arg) {
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
