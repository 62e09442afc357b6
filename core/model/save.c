/*
 * save.c -- th_function_save: a compiled function as bytes. In: a function. Out: its graph, rewritten once more up to
 * the passes that choose what is overwritten, its constants, the values of its shareds and defaults, and what it was
 * asked for. Nothing in it can be executed but, where it is asked for, the machine code of its unit, and then the file
 * is signed.
 *
 * The part `function`, a line each, words parted by blanks:
 *   function ["name"] downcast=-1              of all inputs
 *   in ["name"] [mutable] [borrow] [strict] [implicit] [downcast=N] [value=N] [update]
 *                                              value: its default is array N; update: the next result not yet taken
 *                                              behind the plain ones is its new value after each call
 *   out [borrow]
 *   note "text"                                the host's own
 */
#include "model.h"

#include "theano.h"

#include <string.h>

typedef struct Save {
    ThContext *c;
    ThFunction *f;
    const ThSave *how;
    Text function, graph, head, data;
    ArrayVec array;
    char *code[NATIVE_LEVELS]; /* by level: machine code, ctx_free */
    size_t ncode[NATIVE_LEVELS];
} Save;

/* ---- the graph --------------------------------------------------------------------------------------------------- */
static bool only_data(ThContext *c, const FGraph *fg) {
    for (int i = 0; i < fg->norder; i++) {
        const ThApply *a = fg->order[i];
        if (!(a->op->flags & OP_CALLS_BACK)) continue;
        Text t;
        text_init(&t, c);
        apply_op_str(&t, a);
        text_put(&t, a->prov ? " (made at " : "");
        prov_text(c, &t, a->prov);
        text_put(&t, a->prov ? ")" : "");
        err(c, TH_NotImplementedError, "save: %s runs code of the host, and a saved model is data only", t.at);
        text_free(&t);
        return false;
    }
    for (int i = 0; i < fg->inner.n; i++) /* a body in a body: as deep as the user nested loops */
        if (!only_data(c, fg->inner.at[i].fg)) return false;
    return true;
}

/* The values of what the graph's text names by number. */
static bool values(Save *s, const VarVec *of) {
    for (int i = 0; i < of->n; i++) {
        ThVar *v = of->at[i];
        ThVar *handle = v->kind == VAR_SHARED ? v->origin : NULL;
        ThArray *a = handle ? th_shared_get(handle, false) : th_array_retain(v->u.data);
        if (!a || !vec_push(s->c, &s->array, a)) {
            th_array_release(a);
            return false;
        }
    }
    return true;
}

static bool graph(Save *s) {
    static const ThCopy plain;
    Compile k = {.ctx = s->c, .spec = compile_spec_of(s->f), .start = profile_now()};
    VarVec data = {0};
    FGraph *fg = NULL;
    compile_begin(s->c);
    bool ok = compile_from(&k, s->f, &plain);
    k.opt.until = MODEL_PASSES;
    ok = ok && compile_io(&k) && compile_write_out(s->c, k.out.at, k.out.n, k.in.at, k.in.n, NULL) &&
         (fg = compile_graph(&k)) && compile_rewrite(&k, fg, NULL) && only_data(s->c, fg) &&
         graph_print_whole(&s->graph, fg, &data) && values(s, &data);
    vec_free(s->c, &data);
    fg_free(fg);
    compile_forget(&k);
    return ok && !failed(s->c);
}

/* ---- what it was asked for --------------------------------------------------------------------------------------- */
static void quote(Text *t, const char *s) {
    text_put(t, " \"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') text_putc(t, '\\');
        if (*s == '\n') text_put(t, "\\n");
        else text_putc(t, *s);
    }
    text_putc(t, '"');
}

static bool input(Save *s, int i, const ThIn *in) {
    Text *t = &s->function;
    const char *name = th_function_input_name(s->f, i);
    ThArray *value = th_function_default(s->f, i);
    text_put(t, "in");
    if (name) quote(t, name);
    text_printf(t, "%s%s%s%s", in->mutable_ ? " mutable" : "", in->borrow ? " borrow" : "", in->strict ? " strict" : "",
                th_function_implicit(s->f, i) ? " implicit" : "");
    if (in->allow_downcast >= 0) text_printf(t, " downcast=%d", in->allow_downcast);
    if (value) text_printf(t, " value=%d", s->array.n);
    text_put(t, in->update ? " update\n" : "\n");
    if (!value) return !failed(s->c);
    if (vec_push(s->c, &s->array, value)) return true;
    th_array_release(value);
    return false;
}

static bool function(Save *s) {
    const ThCompile *spec = compile_spec_of(s->f);
    Text *t = &s->function;
    bool ok = true;
    text_put(t, "function");
    if (th_function_name(s->f)) quote(t, th_function_name(s->f));
    text_printf(t, " downcast=%d\n", spec->allow_input_downcast);
    for (int i = 0; ok && i < spec->nin; i++) ok = input(s, i, &spec->in[i]);
    for (int i = 0; i < spec->nout; i++) text_put(t, spec->out[i].borrow ? "out borrow\n" : "out\n");
    if (s->how->note) {
        text_put(t, "note");
        quote(t, s->how->note);
        text_putc(t, '\n');
    }
    return ok;
}

/* ---- machine code ------------------------------------------------------------------------------------------------ */
static bool levels(Save *s) {
    const ThSave *how = s->how;
    bool seen[NATIVE_LEVELS] = {false};
    if (how->nnative && !how->key) return err(s->c, TH_ValueError, "save: a file with machine code is to have a key");
    if (how->key && !how->key_bytes) return err(s->c, TH_ValueError, "save: a key of no bytes");
    for (int i = 0; i < how->nnative; i++) {
        const char *name = how->native[i];
        const int level = model_level(name) - NATIVE_FIRST;
        if (level < 0)
            return err(s->c, TH_ValueError,
                       "save: machine code is made for x86-64-v2, x86-64-v3 and x86-64-v4, not for '%.40s'",
                       name ? name : "");
        if (seen[level]) return err(s->c, TH_ValueError, "save: %s twice", name);
        seen[level] = true;
    }
    return true;
}

/* The code is of the plan that a load of these bytes makes. */
static bool code(Save *s, const Text *plain) {
    ThFunction *g = th_load(s->c, plain->at, plain->n, "the function", NULL);
    bool ok = g != NULL;
    for (int i = 0; ok && i < s->how->nnative; i++) {
        const int level = model_level(s->how->native[i]);
        ok =
            native_code(s->c, function_plan(g), level, &s->code[level - NATIVE_FIRST], &s->ncode[level - NATIVE_FIRST]);
    }
    th_function_release(g);
    return ok;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */
static bool put_parts(const Save *s, Text *out) {
    ModelPart part[4 + NATIVE_LEVELS] = {{"function", s->function.at, s->function.n},
                                         {"graph", s->graph.at, s->graph.n},
                                         {"arrays", s->head.at, s->head.n},
                                         {"data", s->data.at, s->data.n}};
    int n = 4;
    for (int i = 0; i < NATIVE_LEVELS; i++) {
        if (!s->code[i]) continue;
        model_native_tag(part[n].tag, i);
        part[n].at = s->code[i];
        part[n++].n = s->ncode[i];
    }
    return model_write(out, part, n);
}

static bool whole(Save *s, Text *out) {
    if (!levels(s) || !graph(s) || !function(s) || !model_arrays_write(&s->head, &s->data, s->array.at, s->array.n) ||
        !put_parts(s, out))
        return false;
    if (s->how->nnative) {
        if (!code(s, out)) return false;
        text_free(out);
        text_init(out, s->c);
        if (!put_parts(s, out)) return false;
    }
    if (s->how->key) model_sign(out->at, out->n, s->how->key, s->how->key_bytes);
    return true;
}

/* The whole file as a text; what is not NULL in the end is to be freed. */
static bool save(ThFunction *f, const ThSave *how, Text *out) {
    ThContext *c = th_function_context(f);
    Save s = {.c = c, .f = f, .how = how};
    Text *text[] = {&s.function, &s.graph, &s.head, &s.data};
    for (int i = 0; i < TH_LEN(text); i++) text_init(text[i], c);
    bool ok = whole(&s, out);
    if (!ok && !failed(c)) err(c, TH_MemoryError, "save: no memory");
    for (int i = 0; i < TH_LEN(text); i++) text_free(text[i]);
    for (int i = 0; i < NATIVE_LEVELS; i++) ctx_free(c, s.code[i], s.ncode[i]);
    model_arrays_free(c, &s.array);
    return ok;
}

int th_model_save(ThFunction *f, const ThSave *given, void **bytes, size_t *n) {
    ThSave own;
    if (!f) return -1;
    ThContext *c = th_function_context(f);
    if (!given) return err_missing(c, __func__), -1;
    const ThSave *how = options_of(c, given, &own);
    if (!how) return -1;
    if ((!how->path && (!bytes || !n)) || how->nnative < 0 || (how->nnative && !how->native))
        return err_missing(c, __func__), -1;
    if (bytes) *bytes = NULL;
    if (n) *n = 0;
    if (failed(c)) return -1;
    if (!compile_spec_of(f))
        return err(c, TH_RuntimeError, "save: this function was not compiled from an expression"), -1;
    Text out;
    text_init(&out, c);
    bool ok = save(f, how, &out);
    if (ok && how->path) ok = model_to_file(c, how->path, &out);
    if (!ok || how->path) return text_free(&out), ok ? 0 : -1;
    *n = out.n;
    *bytes = text_take(&out);
    return 0;
}

int th_function_save(ThFunction *f, const char *note, void **bytes, size_t *n) {
    if (f && (!bytes || !n)) return err_missing(th_function_context(f), __func__), -1;
    return th_model_save(f, &(ThSave){.note = note}, bytes, n);
}

int th_function_save_file(ThFunction *f, const char *path, const char *note) {
    if (f && !path) return err_missing(th_function_context(f), __func__), -1;
    return th_model_save(f, &(ThSave){.path = path, .note = note}, NULL, NULL);
}
