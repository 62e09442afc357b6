/*
 * mode.c -- which rewrites run, who executes and who looks on. In: mode, linker, optimizer and tags of the
 * call, then of the configuration. Out: an OptSpec, whether the interpreter is asked for, and the ThWatch of a mode
 * that looks at every node. Theano's mode and linker names are accepted.
 */
#include "compile.h"

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
    ThWatchSpec own;
    if (failed(c) || !(spec = options_of(c, spec, &own))) return NULL;
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

ThWatch *compile_watch_retain(ThWatch *w) {
    if (w) atomic_fetch_add(&w->refs, 1);
    return w;
}

void th_watch_release(ThWatch *w) {
    if (!w || atomic_fetch_sub(&w->refs, 1) != 1) return;
    if (w->spec.release) w->spec.release(w->spec.user);
    ctx_free(w->ctx, w, sizeof *w);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
static const struct {
    const char *name;
    bool interpret;
} linkers[] = {{"cvm", false},     {"c", false},         {"vm", false}, {"c|py", false},      {"cvm_nogc", false},
               {"vm_nogc", false}, {"c|py_nogc", false}, {"py", true},  {"interpreter", true}};
/* linker, optimizer NULL: the configuration's */
static const struct {
    const char *name, *linker, *optimizer;
    char watch; /* ThWatchSpec.kind, or 0 */
} modes[] = {{"Mode", NULL, NULL, 0},
             {"FAST_RUN", NULL, "fast_run", 0},
             {"FAST_COMPILE", "interpreter", "fast_compile", 0},
             {"DebugMode", NULL, "fast_run", 'd'},
             {"DEBUG_MODE", NULL, "fast_run", 'd'},
             {"NanGuardMode", NULL, NULL, 'n'},
             {"None", NULL, "None", 0}};

static bool unknown(ThContext *c, const char *what, const char *got, const char *const *names, int n) {
    Text t;
    text_init(&t, c);
    for (int i = 0; i < n; i++) text_printf(&t, "%s'%s'", i ? ", " : "", names[i]);
    const char *near = text_nearest(got, names, n);
    err(c, TH_ValueError, "Invalid %s '%s'%s%s%s: the known ones are %s", what, got, near ? "; did you mean '" : "",
        near ? near : "", near ? "'?" : "", t.at ? t.at : "");
    text_free(&t);
    return false;
}

static bool find_linker(Compile *k, const char *name) {
    const char *names[TH_LEN(linkers)];
    for (int i = 0; i < TH_LEN(linkers); i++) {
        names[i] = linkers[i].name;
        if (strcmp(linkers[i].name, name)) continue;
        k->interpret = linkers[i].interpret;
        k->nogc = strstr(name, "_nogc") != NULL;
        k->profile = k->spec->profile > 0 || (k->spec->profile == 0 && config_bool(k->ctx, "profile"));
        /* `c` is asked for by who wants C from the first call on; times of both executors in one profile say nothing.
         */
        k->tiers = config_bool(k->ctx, "compile.tiers") && strcmp(name, "c") && !k->profile;
        return true;
    }
    return unknown(k->ctx, "linker", name, names, TH_LEN(linkers));
}

static bool find_mode(Compile *k, const char **linker, const char **optimizer) {
    const char *mode = k->spec->mode ? k->spec->mode : config_str(k->ctx, "mode");
    const char *names[TH_LEN(modes)];
    for (int i = 0; i < TH_LEN(modes); i++) {
        names[i] = modes[i].name;
        if (strcmp(modes[i].name, mode)) continue;
        *linker = modes[i].linker ? modes[i].linker : config_str(k->ctx, "linker");
        *optimizer = modes[i].optimizer ? modes[i].optimizer : config_str(k->ctx, "optimizer");
        if (!k->spec->watch && modes[i].watch) {
            const ThWatchSpec w = th_watch_defaults(k->ctx, modes[i].watch);
            return (k->watch = th_watch_new(k->ctx, &w)) != NULL;
        }
        k->watch = compile_watch_retain(k->spec->watch);
        return true;
    }
    return unknown(k->ctx, "mode", mode, names, TH_LEN(modes));
}

/* "a:b", both may be NULL or empty. */
static char *both(ThContext *c, const char *a, const char *b) {
    Text t;
    text_init(&t, c);
    text_put(&t, a ? a : "");
    if (a && *a && b && *b) text_put(&t, ":");
    text_put(&t, b ? b : "");
    return text_take(&t);
}

bool compile_mode(Compile *k) {
    const ThCompile *s = k->spec;
    const char *linker = NULL, *optimizer = NULL;
    static const char *const optimizers[] = {"fast_run",     "o4",        "o3",     "o2",    "o1",
                                             "fast_compile", "stabilize", "unsafe", "merge", "None"};
    if (!find_mode(k, &linker, &optimizer) || !find_linker(k, s->linker ? s->linker : linker)) return false;
    k->opt.optimizer = s->optimizer ? s->optimizer : optimizer;
    bool known = false;
    for (int i = 0; i < TH_LEN(optimizers); i++) known |= !strcmp(k->opt.optimizer, optimizers[i]);
    if (!known) return unknown(k->ctx, "optimizer", k->opt.optimizer, optimizers, TH_LEN(optimizers));
    k->including = both(k->ctx, config_str(k->ctx, "optimizer_including"), s->including);
    char *excluding = both(k->ctx, config_str(k->ctx, "optimizer_excluding"), s->excluding);
    k->excluding = both(k->ctx, config_bool(k->ctx, "tensor.local_elemwise_fusion") ? "" : "fusion", excluding);
    th_free(k->ctx, excluding);
    k->requiring = both(k->ctx, config_str(k->ctx, "optimizer_requiring"), s->requiring);
    k->opt.including = k->including;
    k->opt.excluding = k->excluding;
    k->opt.requiring = k->requiring;
    k->opt.eval = eager_apply; /* constant folding runs on the interpreter */
    return k->including && k->excluding && k->requiring;
}

void compile_mode_free(Compile *k) {
    th_free(k->ctx, k->including);
    th_free(k->ctx, k->excluding);
    th_free(k->ctx, k->requiring);
}
