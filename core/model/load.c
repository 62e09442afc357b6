/*
 * load.c -- th_load: a saved model as a function again. In: bytes from anywhere. Out: a function with inputs, defaults
 * and shareds of its own, made without rewriting: the graph is read, checked as any user's graph is, and only the
 * passes that choose the order and what is overwritten run. A ValueError says what is wrong with the bytes. Machine
 * code in them is looked at only where a key allows it and the signature of the whole holds for that key.
 */
#include "model.h"

#include "theano.h"

#include <stdlib.h>
#include <string.h>

typedef struct Load {
    ThContext *c;
    const ThLoad *how;
    const char *what; /* what the file is called */
    NativeCode native;
    bool trusted;  /* its machine code may be run */
    const char *p; /* of the text that is read */
    ArrayVec array;
    GraphRead graph;
    VEC(ThIn) in;
    VEC(ThOut) out;
    VEC(ThPair) update;
    VEC(int) value; /* by input: array of its default, or -1 */
    int nnew;       /* inputs with a new value after each call */
    const char *name, *note;
    int downcast;
} Load;

static bool bad(const Load *l, const char *why) {
    if (failed(l->c)) return false;
    return err(l->c, TH_ValueError, "%s: no saved model that can be read: %s at `%.30s`", l->what, why, l->p);
}

/* ---- the part `function` ----------------------------------------------------------------------------------------- */
static void blank(Load *l) {
    while (*l->p == ' ') l->p++;
}

static bool take(Load *l, const char *word) {
    size_t n = strlen(word);
    blank(l);
    if (strncmp(l->p, word, n) != 0) return false;
    l->p += n;
    return true;
}

/* A quoted text, interned; NULL where none stands. */
static bool quoted(Load *l, const char **out) {
    *out = NULL;
    if (!take(l, "\"")) return true;
    Text t;
    text_init(&t, l->c);
    for (; *l->p && *l->p != '"' && *l->p != '\n'; l->p++) {
        bool escaped = *l->p == '\\' && l->p[1];
        l->p += escaped;
        text_putc(&t, escaped && *l->p == 'n' ? '\n' : *l->p);
    }
    *out = intern(l->c, t.n ? t.at : "");
    text_free(&t);
    return *out && (take(l, "\"") || bad(l, "`\"` is missing"));
}

static bool number(Load *l, int *out) {
    char *end;
    long v = strtol(l->p, &end, 10);
    if (end == l->p || v < -1 || v > INT32_MAX) return bad(l, "a number is expected");
    l->p = end;
    *out = (int)v;
    return true;
}

static bool read_input(Load *l) {
    ThIn in = {.allow_downcast = -1};
    int value = -1, downcast = -1;
    bool update = false, ok = quoted(l, &in.name);
    while (ok) {
        if (take(l, "mutable")) in.mutable_ = true;
        else if (take(l, "borrow")) in.borrow = true;
        else if (take(l, "strict")) in.strict = true;
        else if (take(l, "implicit")) in.implicit = true;
        else if (take(l, "downcast=")) ok = number(l, &downcast);
        else if (take(l, "value=")) ok = number(l, &value);
        else if (take(l, "update")) update = true;
        else break;
    }
    if (ok && (downcast > 1 || value >= l->array.n)) ok = bad(l, "no such array");
    in.allow_downcast = (int8_t)downcast;
    in.update = update ? (ThVar *)l : NULL; /* until the graph is read: that there is one */
    l->nnew += update;
    return ok && vec_push(l->c, &l->in, in) && vec_push(l->c, &l->value, value);
}

static bool read_line(Load *l) {
    if (take(l, "function")) {
        if (!quoted(l, &l->name)) return false;
        return !take(l, "downcast=") || number(l, &l->downcast);
    }
    if (take(l, "in")) return read_input(l);
    if (take(l, "out")) return vec_push(l->c, &l->out, ((ThOut){.borrow = take(l, "borrow")}));
    if (take(l, "note")) return quoted(l, &l->note);
    return bad(l, "a line that this version does not know");
}

static bool read_function(Load *l, const char *text) {
    bool ok = true;
    for (l->p = text; ok && *l->p;) {
        ok = read_line(l);
        blank(l);
        if (ok && *l->p && *l->p != '\n') ok = bad(l, "something is left over");
        l->p += *l->p == '\n';
    }
    return ok;
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */
/* Variables of the graph where the lines of `function` speak of them. */
static bool join(Load *l) {
    const GraphRead *g = &l->graph;
    int plain = 0, taken = l->out.n;
    l->p = "";
    for (int i = 0; i < g->in.n; i++) {
        if (g->in.at[i]->kind == VAR_SHARED) continue;
        if (plain == l->in.n) return bad(l, "the graph has more inputs than the function");
        l->in.at[plain++].var = g->in.at[i];
    }
    if (plain != l->in.n || g->out.n != l->out.n + l->nnew) return bad(l, "graph and function do not fit");
    for (int i = 0; i < l->in.n; i++)
        if (l->in.at[i].update) l->in.at[i].update = g->out.at[taken++];
    for (int i = 0; i < l->out.n; i++) l->out.at[i].var = g->out.at[i];
    for (int i = 0; i < g->update.n; i++)
        if (!vec_push(l->c, &l->update, ((ThPair){g->update_of.at[i], g->update.at[i]}))) return false;
    return true;
}

static bool defaults(const Load *l, ThFunction *f) {
    for (int i = 0; i < l->value.n; i++)
        if (l->value.at[i] >= 0 && th_function_set_default(f, i, l->array.at[l->value.at[i]])) return false;
    return true;
}

static ThFunction *make(Load *l) {
    const ThCompile spec = {.in = l->in.at,
                            .nin = l->in.n,
                            .out = l->out.at,
                            .nout = l->out.n,
                            .updates = l->update.at,
                            .nupdates = l->update.n,
                            .name = l->name,
                            .mode = "Mode",
                            .optimizer = "fast_run",
                            .on_unused_input = "ignore",
                            .allow_input_downcast = (int8_t)l->downcast,
                            .no_default_updates = true};
    ThFunction *f = compile_optimized(l->c, &spec, MODEL_PASSES, &l->graph.check, l->trusted ? &l->native : NULL);
    if (f && !defaults(l, f)) {
        th_function_release(f);
        f = NULL;
    }
    return f;
}

static ThFunction *load(Load *l, const char *function, const char *graph) {
    Builder b;
    builder_begin(&b, l->c);
    bool ok = read_function(l, function);
    l->graph.data = l->array.at;
    l->graph.ndata = l->array.n;
    l->graph.updates = true;
    ok = ok && graph_read(&b, graph, &l->graph) && join(l);
    ThFunction *f = ok ? make(l) : NULL;
    graph_read_free(l->c, &l->graph);
    builder_end(&b);
    return f;
}

/* A copy that ends in a NUL; NULL where one stands in it. */
static char *text_of(const Load *l, ModelPart p) {
    if (memchr(p.at, 0, p.n)) return bad(l, "a text with a byte of zero"), NULL;
    Text t;
    text_init(&t, l->c);
    text_put_n(&t, p.at, p.n);
    return text_take(&t);
}

/* ---- machine code ------------------------------------------------------------------------------------------------ */
/* Whether a key of this loading, which must hold, or the host's own lets the file's code be run. */
static bool trust(Load *l, const char *bytes, size_t n) {
    const ThLoad *how = l->how;
    const ThHost *host = &l->c->host;
    if (how->native) {
        const ModelSigned is = model_signed(bytes, n, how->native, how->native_bytes);
        l->trusted = is == MODEL_SIGNED;
        return l->trusted || err(l->c, TH_ValueError, "%s: %s", l->what,
                                 is == MODEL_FORGED ? "its signature is not of this key, or it was changed since"
                                                    : "it is not signed, and a key was given");
    }
    const bool asked = host->native_key && host->native_key_bytes && l->native.any;
    l->trusted = asked && model_signed(bytes, n, host->native_key, host->native_key_bytes) == MODEL_SIGNED;
    if (asked && !l->trusted)
        ctx_log(l->c, "theano: %s: its machine code is not used: it is not signed with the host's key", l->what);
    return true;
}

static void find_code(Load *l, const ModelPart *part, int nparts) {
    char tag[MODEL_TAG + 1];
    for (int i = 0; i < NATIVE_LEVELS; i++) {
        model_native_tag(tag, i);
        const ModelPart p = model_part(part, nparts, tag);
        l->native.at[i] = p.n ? p.at : NULL;
        l->native.n[i] = p.n;
        l->native.any |= p.n > 0;
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */
static ThFunction *read(Load *l, const void *bytes, size_t n) {
    ModelPart part[MODEL_PARTS];
    int nparts;
    if (!model_read(l->c, bytes, n, l->what, part, &nparts)) return NULL;
    find_code(l, part, nparts);
    if (!trust(l, bytes, n)) return NULL;
    if (!model_arrays_read(l->c, model_part(part, nparts, "arrays"), model_part(part, nparts, "data"), l->what,
                           &l->array))
        return NULL;
    char *function = text_of(l, model_part(part, nparts, "function"));
    char *graph = text_of(l, model_part(part, nparts, "graph"));
    ThFunction *f = function && graph ? load(l, function, graph) : NULL;
    th_free(l->c, function);
    th_free(l->c, graph);
    return f;
}

static ThFunction *load_bytes(ThContext *c, const ThLoad *how, const void *bytes, size_t n, const char **note) {
    const char *what = how->what ? how->what : how->path ? how->path : "model";
    Load l = {.c = c, .how = how, .what = what, .p = "", .downcast = -1};
    ThFunction *f = read(&l, bytes, n);
    if (f && note) *note = l.note;
    model_arrays_free(c, &l.array);
    vec_free(c, &l.in);
    vec_free(c, &l.out);
    vec_free(c, &l.update);
    vec_free(c, &l.value);
    return f;
}

ThFunction *th_model_load(ThContext *c, const ThLoad *given, const char **note) {
    ThLoad own;
    if (note) *note = NULL;
    if (!c) return NULL;
    if (!given) return err_missing(c, __func__), NULL;
    const ThLoad *how = options_of(c, given, &own);
    if (!how || failed(c)) return NULL;
    if (!how->path == !how->bytes) return err_missing(c, __func__), NULL;
    if (how->native && !how->native_bytes) return err(c, TH_ValueError, "load: a key of no bytes"), NULL;
    if (how->native && ctx_sealed(c))
        return err(c, TH_RuntimeError, "load: machine code is closed to this context"), NULL;
    if (how->bytes) return load_bytes(c, how, how->bytes, how->nbytes, note);
    size_t n;
    char *bytes = model_from_file(c, how->path, &n);
    ThFunction *f = bytes ? load_bytes(c, how, bytes, n, note) : NULL;
    if (bytes) ctx_free(c, bytes, n + 1);
    return f;
}

ThFunction *th_load(ThContext *c, const void *bytes, size_t n, const char *what, const char **note) {
    if (c && !bytes) return err_missing(c, __func__), NULL;
    return th_model_load(c, &(ThLoad){.bytes = bytes, .nbytes = n, .what = what}, note);
}

ThFunction *th_load_file(ThContext *c, const char *path, const char **note) {
    if (c && !path) return err_missing(c, __func__), NULL;
    return th_model_load(c, &(ThLoad){.path = path}, note);
}
