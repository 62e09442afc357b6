/*
 * read.c -- reads graph text (print.c, docs/graph-text.md) back into a graph.
 * In: text. Out: variables in a builder's pool: the plain inputs and shareds in order, the outputs, the updates. Types
 * of computed values are inferred again. Errors name the line. A shared comes back with zeros of its shape: values are
 * state.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct Read {
    ThContext *c;
    Builder *b;
    const char *p;
    int line;
    Map at; /* interned reference -> place in var */
    VarVec var;
    GraphRead *to;
    VarVec args;
} Read;

static bool bad(Read *r, const char *what) {
    if (failed(r->c)) { return false; }
    return err(r->c, TH_ValueError, "graph text, line %d: %s at `%.30s`", r->line, what, r->p);
}

static void blank(Read *r) {
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\r') { r->p++; }
}

static bool take(Read *r, const char *s) {
    blank(r);
    size_t n = strlen(s);
    if (strncmp(r->p, s, n) != 0) { return false; }
    r->p += n;
    return true;
}

static bool at_end(Read *r) {
    blank(r);
    return !*r->p || *r->p == '\n' || *r->p == '#';
}

/* A name or %number, interned; NULL when none stands here. */
static const char *word(Read *r) {
    blank(r);
    const char *p = r->p;
    p += *p == '%';
    while (char_is_word(*p)) { p++; }
    const char *w = p > r->p ? intern_n(r->c, r->p, (size_t)(p - r->p)) : NULL;
    r->p = w ? p : r->p;
    return w;
}

static bool define(Read *r, const char *ref, ThVar *v) {
    uint32_t x;
    if (!v) { return false; }
    if (map_get(&r->at, KEY(ref), &x)) { return bad(r, "this reference is defined twice"); }
    return vec_push(r->c, &r->var, v) && map_put(r->c, &r->at, KEY(ref), (uint32_t)(r->var.n - 1));
}

static ThVar *reference(Read *r) {
    uint32_t at;
    const char *w = word(r);
    if (!w || !map_get(&r->at, KEY(w), &at)) {
        bad(r, w ? "a reference that no line above defines, before" : "a reference is expected");
        return NULL;
    }
    return r->var.at[at];
}

/* "text" with \" and \\ ; sets *out to NULL when there is none. */
static bool quoted(Read *r, const char **out) {
    *out = NULL;
    if (!take(r, "\"")) { return true; }
    Text t;
    text_init(&t, r->c);
    for (; *r->p && *r->p != '"' && *r->p != '\n'; r->p++) {
        r->p += *r->p == '\\' && r->p[1];
        text_putc(&t, *r->p);
    }
    *out = intern(r->c, t.n ? t.at : "");
    text_free(&t);
    return *out && (take(r, "\"") || bad(r, "`\"` is missing"));
}

/* ---- leaves ----------------------------------------------------------------------------------------------------- */
static bool read_shape(Read *r, int ndim, int64_t *shape) {
    if (ndim == 0) { return !take(r, "(") || take(r, ")") || bad(r, "`()` is expected"); }
    if (!take(r, "(")) { return bad(r, "a shape such as (3, 4) is expected"); }
    for (int d = 0; d < ndim; d++) {
        char *end;
        blank(r);
        shape[d] = strtoll(r->p, &end, 10);
        if (end == r->p || shape[d] < 0) { return bad(r, "a length is expected"); }
        r->p = end;
        if (!take(r, d + 1 < ndim ? "," : ")")) { return bad(r, d + 1 < ndim ? "`,` is expected" : "`)` is expected"); }
    }
    return true;
}

static bool read_value(Read *r, char kind, ThValue *v) {
    char *end;
    blank(r);
    if (*r->p == '\n') { return bad(r, "a value is expected"); }
    switch (kind) {
    case 'f': v->f = number_read(r->p, &end); break;
    case 'u': v->i = (int64_t)strtoull(r->p, &end, 10); break;
    case 'c':
        v->c.re = number_read(r->p, &end);
        if (end == r->p || *end != ',') { return bad(r, "a complex value such as 1.0,2.0 is expected"); }
        r->p = end + 1;
        v->c.im = number_read(r->p, &end);
        break;
    default: v->i = strtoll(r->p, &end, 10);
    }
    if (end == r->p) { return bad(r, "a value is expected"); }
    r->p = end;
    return true;
}

static ThArray *read_array(Read *r, ThType t) {
    int64_t shape[TH_MAX_NDIM], at[TH_MAX_NDIM] = {0};
    if (!read_shape(r, t.ndim, shape)) { return NULL; }
    ThArray *a = th_array_zeros(r->c, (ThDtype)t.dtype, t.ndim, shape);
    char kind = th_dtype_kind((ThDtype)t.dtype);
    for (int64_t i = 0; a && i < a->size; i++) {
        ThValue v;
        if (!read_value(r, kind, &v) || th_array_set(a, at, kind, v)) {
            th_array_release(a);
            return NULL;
        }
        for (int d = t.ndim - 1; d >= 0 && ++at[d] == shape[d]; d--) { at[d] = 0; }
    }
    return a;
}

/* The array @n, which must be of type t: new reference. *there: one is named here. */
static ThArray *read_beside(Read *r, ThType t, bool *there) {
    *there = take(r, "@");
    if (!*there) { return NULL; }
    char *end;
    long n = strtol(r->p, &end, 10);
    ThArray *a = end > r->p && n >= 0 && n < r->to->ndata ? r->to->data[n] : NULL;
    bool fits = a && a->dtype == t.dtype && a->ndim == t.ndim;
    for (int d = 0; fits && d < t.ndim; d++) { fits = !type_bcast(t, d) || ARRAY_SHAPE(a)[d] == 1; }
    if (!fits) {
        bad(r, "an array of this type is expected");
        return NULL;
    }
    r->p = end;
    return th_array_retain(a);
}

static ThVar *read_const(Read *r, ThType t) {
    if (t.kind == TYPE_NONE) { return const_none(r->b); }
    bool beside;
    ThArray *a = read_beside(r, t, &beside);
    if (!beside) { a = read_array(r, t); }
    ThArray *words = a;
    if (a && t.kind == TYPE_SPARSE) { /* it may hold anything */
        a = th_sparse_read(r->c, type_sparse_format(t), words);
        th_array_release(words);
    }
    ThVar *v = !a                      ? NULL
               : t.kind == TYPE_SCALAR ? const_scalar_int(r->b, array_item_int(a))
                                       : const_make_typed(r->b, a, t);
    if (a) { th_array_release(a); }
    return v;
}

/* What a shared begins with where its value is told nowhere. */
static ThArray *fresh_value(Read *r, ThType t) {
    int64_t shape[TH_MAX_NDIM];
    if (!read_shape(r, t.ndim, shape)) { return NULL; }
    if (t.kind != TYPE_STATE) { return th_array_zeros(r->c, (ThDtype)t.dtype, t.ndim, shape); }
    ThRandom *any = th_random_new(r->c, 0);
    ThArray *state = any ? th_random_array(any) : NULL;
    th_random_release(any);
    return state;
}

/* The new handle is given to the builder's pool. */
static ThVar *read_shared(Read *r, ThType t) {
    bool beside;
    if (r->b->fg || !vec_reserve(r->c, &r->b->pool, r->b->pool.n + 1)) { return NULL; }
    ThArray *a = read_beside(r, t, &beside);
    if (!beside) { a = fresh_value(r, t); }
    bool state = t.kind == TYPE_STATE; /* others say by their arrays what they are */
    ThVar *v = !a      ? NULL
               : state ? shared_of(r->c, t, a, NULL, true)
                       : th_shared_new(r->c, a, NULL, true, t.broadcastable);
    if (a) { th_array_release(a); }
    return v ? r->b->pool.at[r->b->pool.n++] = v : NULL;
}

/* ref: [const|shared] type ... ["name"] */
static bool read_leaf(Read *r, const char *ref) {
    bool constant = take(r, "const "), shared = !constant && take(r, "shared ");
    ThType t;
    blank(r);
    const char *after = type_read(r->c, r->p, &t), *name;
    if (!after) { return false; }
    r->p = after;
    ThVar *v = constant ? read_const(r, t) : shared ? read_shared(r, t) : var_new(r->b, t, NULL);
    if (!v || !quoted(r, &name)) { return v ? false : bad(r, "this line does not make a variable; stopped"); }
    if (!name && ref[0] != '%') { name = ref; }
    if (name && !(constant && v->flags & VAR_F_CACHED)) { v->name = name; }
    return define(r, ref, v) && (constant || vec_push(r->c, &r->to->in, v));
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */
/* The end of `{...}` at p, quotes and nesting respected; p itself when there is none. */
static const char *skip_braces(const char *p) {
    const char *start = p;
    int depth = 0;
    bool text = false;
    for (; *p && *p != '\n'; p++) {
        text = *p == '\'' ? !text : text;
        p += text && *p == '\\' && p[1];
        depth += text ? 0 : *p == '{' ? 1 : *p == '}' ? -1 : 0;
        if (depth == 0) { return *start == '{' ? p + 1 : start; }
    }
    return start;
}

/* (ref, ...) into r->args */
static bool read_args(Read *r) {
    r->args.n = 0;
    if (!take(r, "(")) { return bad(r, "`(` is expected"); }
    while (!take(r, ")")) {
        ThVar *v = reference(r);
        if (!v || !vec_push(r->c, &r->args, v)) { return false; }
        take(r, ",");
    }
    return true;
}

static ThApply *read_call(Read *r) {
    _Alignas(16) char attrs[1024];
    const char *name = word(r);
    const Op *op = name ? op_find(name) : NULL;
    if (!op || op->attr_bytes > sizeof attrs) {
        bad(r, "no such operation before");
        return NULL;
    }
    memset(attrs, 0, sizeof attrs);
    const char *end = skip_braces(r->p);
    const char *given = intern_n(r->c, r->p, (size_t)(end - r->p));
    r->p = end;
    bool ok = given && attrs_read(r->c, op, given, attrs) && read_args(r);
    ThApply *a = ok ? apply_make(r->b, op, op->attr_bytes ? attrs : NULL, r->args.at, r->args.n) : NULL;
    inner_release(op, attrs); /* the node holds its own */
    return a;
}

static bool read_at(Read *r, ThApply *a) {
    const char *text;
    if (!quoted(r, &text)) { return false; }
    if (!text) { return bad(r, "a line in quotes is expected"); }
    a->prov = prov_read(r->c, text);
    return true;
}

static bool read_marks(Read *r, ThApply *a) {
    while (take(r, "@")) {
        if (take(r, "at ")) {
            if (!read_at(r, a)) { return false; }
            continue;
        }
        if (take(r, "grad")) {
            a->flags |= APPLY_GRAD;
        } else if (take(r, "asserts")) {
            a->asserts = true;
        } else if (take(r, "destroys=")) {
            char *end;
            long v = strtol(r->p, &end, 10);
            if (end == r->p || v < 0 || v >= a->nin) { return bad(r, "the number of an input is expected"); }
            if (!r->to->destroys) { return bad(r, "what is overwritten belongs to compiled functions; stopped"); }
            a->destroys = (int8_t)v;
            r->p = end;
        } else {
            return bad(r, "@grad or @destroys is expected");
        }
    }
    return true;
}

/* ref, ref = Op{...}(ref, ...) marks ["name" ...]; the first ref is already read. */
static bool read_node(Read *r, const char *ref, bool check) {
    const char *refs[OP_MAX_OUT];
    int n = 0;
    refs[n++] = ref;
    while (take(r, ",")) {
        const char *w = word(r);
        if (!w || n == OP_MAX_OUT) { return bad(r, "a reference is expected"); }
        refs[n++] = w;
    }
    if (!take(r, "=")) { return bad(r, "`:` or `=` is expected"); }
    ThApply *a = read_call(r);
    if (!a || !read_marks(r, a)) { return a ? false : bad(r, "this operation could not be applied; stopped"); }
    if (a->nout != n) { return bad(r, "the operation has another number of outputs; stopped"); }
    for (int i = 0; i < n; i++) {
        const char *name;
        if (!define(r, refs[i], a->out[i]) || !quoted(r, &name)) { return false; }
        a->out[i]->name = name && *name ? name : NULL;
    }
    return !check || vec_push(r->c, &r->to->check, a->out[0]);
}

static bool read_out(Read *r) {
    do {
        ThVar *v = reference(r);
        if (!v || !vec_push(r->c, &r->to->out, v)) { return false; }
    } while (take(r, ","));
    return true;
}

static bool read_update(Read *r) {
    ThVar *of = reference(r);
    if (!of || !r->to->updates) { return of ? bad(r, "update lines belong to compiled functions; stopped") : false; }
    if (of->kind != VAR_SHARED) { return bad(r, "only a shared variable is updated; stopped"); }
    if (!take(r, "=")) { return bad(r, "`=` is expected"); }
    ThVar *v = reference(r);
    return v && vec_push(r->c, &r->to->update_of, of) && vec_push(r->c, &r->to->update, v);
}

static bool read_line(Read *r) {
    if (at_end(r)) { return true; }
    const char *w = word(r);
    if (!w) { return bad(r, "a reference, `out` or `update` is expected"); }
    bool check = strcmp(w, "check") == 0 && (blank(r), *r->p == '%');
    if (check && !(w = word(r))) { return bad(r, "a reference is expected"); }
    bool ok = check                      ? read_node(r, w, true)
              : strcmp(w, "out") == 0    ? read_out(r)
              : strcmp(w, "update") == 0 ? read_update(r)
              : take(r, ":")             ? read_leaf(r, w)
                                         : read_node(r, w, false);
    return ok && (at_end(r) || bad(r, "something is left over"));
}

static bool read_all(Read *r) {
    bool ok = true;
    for (r->line = 1; ok && *r->p; r->line++) {
        ok = read_line(r);
        while (ok && *r->p && *r->p != '\n') { r->p++; /* a comment */ }
        r->p += *r->p == '\n';
    }
    vec_free(r->c, &r->var);
    vec_free(r->c, &r->args);
    map_free(r->c, &r->at);
    return ok;
}

bool graph_read(Builder *b, const char *text, GraphRead *to) {
    Read r = {.c = b->ctx, .b = b, .p = text, .to = to};
    return read_all(&r);
}

void graph_read_free(ThContext *c, GraphRead *r) {
    vec_free(c, &r->in);
    vec_free(c, &r->out);
    vec_free(c, &r->check);
    vec_free(c, &r->update_of);
    vec_free(c, &r->update);
}

FGraph *graph_read_fg(ThContext *c, const char *text, bool cons) {
    Builder b;
    GraphRead r = {.updates = true, .destroys = true};
    VarVec plain = {0};
    builder_begin(&b, c);
    bool ok = graph_read(&b, text, &r);
    for (int i = 0; ok && i < r.in.n; i++) { ok = r.in.at[i]->kind != VAR_PLAIN || vec_push(c, &plain, r.in.at[i]); }
    FGraph *fg =
        ok ? fg_new(c, plain.at, plain.n, r.out.at, r.out.n, r.update_of.at, r.update.at, r.update_of.n, cons) : NULL;
    graph_read_free(c, &r);
    vec_free(c, &plain);
    builder_end(&b);
    return fg;
}

/* New references in a list of the caller's (th_free). */
static ThVar **hand_over(ThContext *c, const VarVec *v) {
    ThVar **list = ctx_alloc_owned(c, sizeof *list * (size_t)(v->n + 1));
    for (int i = 0; list && i < v->n; i++) { list[i] = th_var_retain(v->at[i]); }
    return list;
}

int th_graph_read(ThContext *c, const char *text, ThVar ***in, int *nin, ThVar ***out, int *nout) {
    if (!c) return -1;
    if (!text || !in || !nin || !out || !nout) return err_missing(c, __func__), -1;
    Builder b;
    GraphRead r = {0};
    builder_begin(&b, c);
    *in = *out = NULL;
    *nin = *nout = 0;
    bool ok = graph_read(&b, text, &r) && (*in = hand_over(c, &r.in));
    if (ok && !(*out = hand_over(c, &r.out))) {
        for (int k = 0; k < r.in.n; k++) { th_var_release((*in)[k]); }
        th_free(c, *in);
        *in = NULL;
        ok = false;
    }
    *nin = ok ? r.in.n : 0;
    *nout = ok ? r.out.n : 0;
    graph_read_free(c, &r);
    builder_end(&b);
    return ok ? 0 : -1;
}
