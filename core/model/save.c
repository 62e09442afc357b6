/*
 * save.c -- th_function_save: a compiled function as bytes. In: a function. Out: its graph, rewritten once more up to
 * the passes that choose what is overwritten, its constants, the values of its shareds and defaults, and what it was
 * asked for. Nothing in it can be executed.
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
    const char *note;
    Text function, graph, head, data;
    ArrayVec array;
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
    if (s->note) {
        text_put(t, "note");
        quote(t, s->note);
        text_putc(t, '\n');
    }
    return ok;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */
static bool whole(Save *s, Text *out) {
    if (!graph(s) || !function(s) || !model_arrays_write(&s->head, &s->data, s->array.at, s->array.n)) return false;
    const ModelPart part[] = {{"function", s->function.at, s->function.n},
                              {"graph", s->graph.at, s->graph.n},
                              {"arrays", s->head.at, s->head.n},
                              {"data", s->data.at, s->data.n}};
    return model_write(out, part, TH_LEN(part));
}

int th_function_save(ThFunction *f, const char *note, void **bytes, size_t *n) {
    if (!f) return -1;
    ThContext *c = th_function_context(f);
    if (!bytes || !n) return err_missing(c, __func__), -1;
    *bytes = NULL, *n = 0;
    if (failed(c)) return -1;
    if (!compile_spec_of(f))
        return err(c, TH_RuntimeError, "save: this function was not compiled from an expression"), -1;
    Save s = {.c = c, .f = f, .note = note};
    Text *text[] = {&s.function, &s.graph, &s.head, &s.data}, out;
    for (int i = 0; i < TH_LEN(text); i++) text_init(text[i], c);
    text_init(&out, c);
    bool ok = whole(&s, &out);
    if (!ok && !failed(c)) err(c, TH_MemoryError, "save: no memory");
    for (int i = 0; i < TH_LEN(text); i++) text_free(text[i]);
    model_arrays_free(c, &s.array);
    if (!ok) return text_free(&out), -1;
    *n = out.n;
    *bytes = text_take(&out);
    return 0;
}
