/*
 * print.c -- graph text: one line a leaf, node, output or update, without any cap; read.c reads it back.
 * In: a user's graph or a FunctionGraph. Out: the text that docs/graph-text.md defines. Linear: every node is written
 * once.
 */
#include "parts.h"

#include <string.h>

typedef struct Names {
    Text *t;
    Map id;    /* variable -> number of its %, or NAMED */
    Map taken; /* interned names of leaves */
    int next;
    bool whole;   /* with what is not computed any more but compared, and bodies as they were optimized */
    VarVec *data; /* whole: long constants and shareds, whose values are not in the text; or NULL */
} Names;
enum { NAMED = 0x7fffffff };

static bool is_word(const char *s) {
    if (!s || !(char_is_letter(*s) || *s == '_') || strcmp(s, "out") == 0 || strcmp(s, "update") == 0) { return false; }
    while (char_is_word(*s)) { s++; }
    return !*s;
}

static void put_ref(Names *n, const ThVar *v) {
    uint32_t id;
    if (!map_get(&n->id, KEY(v), &id)) {
        text_putc(n->t, '?'); /* only when memory ran out */
    } else if (id == NAMED) {
        text_put(n->t, v->name);
    } else {
        text_printf(n->t, "%%%u", (unsigned)id);
    }
}

static void put_quoted(Text *t, const char *s) {
    text_put(t, " \"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') { text_putc(t, '\\'); }
        text_putc(t, *s == '\n' ? ' ' : *s);
    }
    text_putc(t, '"');
}

/* The reference of a variable that is being defined; a leaf with a fresh plain name goes by it. */
static bool define(Names *n, const ThVar *v, bool leaf, bool *quote) {
    uint32_t x, id = (uint32_t)n->next;
    bool named = leaf && is_word(v->name) && !map_get(&n->taken, KEY(v->name), &x);
    if (named && !map_put(n->t->c, &n->taken, KEY(v->name), 0)) { return false; }
    *quote = v->name && !named;
    n->next += !named;
    if (!map_put(n->t->c, &n->id, KEY(v), named ? NAMED : id)) { return false; }
    put_ref(n, v);
    return true;
}

static void put_shape(Text *t, const ThArray *a) {
    text_put(t, " (");
    for (int d = 0; d < a->ndim; d++) { text_printf(t, "%s%lld", d ? ", " : "", (long long)ARRAY_SHAPE(a)[d]); }
    text_putc(t, ')');
}

static void put_value(Text *t, ThDtype d, ThValue v) {
    switch (th_dtype_kind(d)) {
    case 'f': text_float(t, v.f, d); break;
    case 'u': text_printf(t, "%llu", (unsigned long long)v.i); break;
    case 'c': {
        ThDtype part = d == TH_COMPLEX64 ? TH_FLOAT32 : TH_FLOAT64;
        text_float(t, v.c.re, part);
        text_putc(t, ',');
        text_float(t, v.c.im, part);
        break;
    }
    default: text_printf(t, "%lld", (long long)v.i);
    }
}

/* Shape (rank > 0) and the elements in C order. */
static void put_data(Text *t, const ThArray *a) {
    int64_t at[TH_MAX_NDIM] = {0};
    if (a->ndim) { put_shape(t, a); }
    for (int64_t i = 0; i < a->size; i++) {
        ThValue v;
        if (th_array_get(a, at, &v)) { return; }
        text_putc(t, ' ');
        put_value(t, (ThDtype)a->dtype, v);
        for (int d = a->ndim - 1; d >= 0 && ++at[d] == ARRAY_SHAPE(a)[d]; d--) { at[d] = 0; }
    }
}

/* Is the value of this leaf kept beside the text? */
static bool beside(const Names *n, const ThVar *v) {
    enum { SHORT = 8 };
    return n->data && !v->owner &&
           (v->kind == VAR_SHARED || (v->kind == VAR_CONSTANT && v->u.data && v->u.data->size > SHORT));
}

static bool put_leaf(Names *n, ThVar *v) {
    uint32_t x;
    bool quote;
    if (map_get(&n->id, KEY(v), &x)) { return true; }
    if (!define(n, v, true, &quote)) { return false; }
    text_put(n->t, v->owner || v->kind == VAR_PLAIN ? ": " : v->kind == VAR_CONSTANT ? ": const " : ": shared ");
    type_put(n->t, v->type);
    if (beside(n, v)) {
        text_printf(n->t, " @%d", n->data->n);
        if (!vec_push(n->t->c, n->data, v)) { return false; }
    } else if (v->kind == VAR_CONSTANT && v->u.data) {
        put_data(n->t, v->u.data);
    } else if (v->kind == VAR_SHARED && v->u.shared) {
        put_shape(n->t, v->u.shared->value);
    }
    if (quote) { put_quoted(n->t, v->name); }
    text_putc(n->t, '\n');
    return true;
}

static void put_line(Text *t, Prov p) {
    Text line;
    text_init(&line, t->c);
    prov_text(t->c, &line, p);
    if (line.n) {
        text_put(t, " @at");
        put_quoted(t, line.at);
    }
    text_free(&line);
}

/* Attributes with the bodies that fg has ready in place of those that the user wrote. */
static bool put_ready(Names *n, const ThApply *a, FGraph *fg) {
    enum { MOST_BODIES = 8 };
    const char *body[MOST_BODIES] = {NULL};
    Text text[MOST_BODIES];
    int count = 0, made = 0;
    if (a->op->bodies) { a->op->bodies(a->attrs, &count); }
    bool ok = count <= MOST_BODIES || err(n->t->c, TH_NotImplementedError, "%s has %d bodies", a->op->name, count);
    for (; ok && made < count; made++) {
        FGraph *inner = fg_inner(fg, a, made);
        text_init(&text[made], n->t->c);
        ok = inner && graph_print_whole(&text[made], inner, NULL);
        body[made] = text[made].at;
    }
    if (ok) { attrs_text_with(n->t, a->op, a->attrs, count ? body : NULL); }
    for (int i = 0; i < made; i++) { text_free(&text[i]); }
    return ok;
}

static bool put_node(Names *n, const ThApply *a, FGraph *fg) {
    for (int i = 0; i < a->nin; i++) {
        if (!a->in[i]->owner && !put_leaf(n, a->in[i])) { return false; }
    }
    bool quote;
    if (a->flags & APPLY_DEAD && a->flags & APPLY_CHECKS) { text_put(n->t, "check "); }
    for (int i = 0; i < a->nout; i++) {
        text_put(n->t, i ? ", " : "");
        if (!define(n, a->out[i], false, &quote)) { return false; }
    }
    text_printf(n->t, " = %s", a->op->name);
    if (!n->whole) {
        attrs_text(n->t, a->op, a->attrs);
    } else if (!put_ready(n, a, fg)) {
        return false;
    }
    text_putc(n->t, '(');
    for (int i = 0; i < a->nin; i++) {
        uint32_t x;
        text_put(n->t, i ? ", " : "");
        put_ref(n, map_get(&n->id, KEY(a->in[i]), &x) ? a->in[i] : fg_find(a->in[i]));
    }
    text_putc(n->t, ')');
    if (a->flags & APPLY_GRAD) { text_put(n->t, " @grad"); }
    if (a->destroys >= 0) { text_printf(n->t, " @destroys=%d", a->destroys); }
    if (n->whole && a->asserts) { text_put(n->t, " @asserts"); }
    if (n->whole && a->prov) { put_line(n->t, a->prov); }
    for (int i = 0; i < a->nout; i++) { /* names of the outputs in order; "" for none, up to the last that has one */
        int last = a->nout - 1;
        while (last > i && !a->out[last]->name) { last--; }
        if (a->out[i]->name || last > i) { put_quoted(n->t, a->out[i]->name ? a->out[i]->name : ""); }
    }
    text_putc(n->t, '\n');
    return true;
}

static bool put_outputs(Names *n, ThVar *const *out, int nout) {
    for (int i = 0; i < nout; i++) {
        if (!out[i]->owner && !put_leaf(n, out[i])) { return false; }
    }
    text_put(n->t, nout ? "out" : "");
    for (int i = 0; i < nout; i++) {
        text_put(n->t, i ? ", " : " ");
        put_ref(n, out[i]);
    }
    text_put(n->t, nout ? "\n" : "");
    return true;
}

static bool finish(Names *n, bool ok) {
    map_free(n->t->c, &n->id);
    map_free(n->t->c, &n->taken);
    return ok && !failed(n->t->c);
}

bool graph_print(Text *t, ThVar *const *in, int nin, ThVar *const *out, int nout) {
    Names n = {.t = t};
    VarVec leaves = {0};
    ApplyVec order = {0};
    bool ok = graph_toposort(t->c, out, nout, in, nin, &order) && graph_leaves(t->c, out, nout, &leaves);
    for (int i = 0; ok && i < nin; i++) { ok = put_leaf(&n, in[i]); }
    for (int i = 0; ok && nin == 0 && i < leaves.n; i++) { /* plain variables first when nobody gave an order */
        ok = leaves.at[i]->kind != VAR_PLAIN || put_leaf(&n, leaves.at[i]);
    }
    for (int i = 0; ok && i < order.n; i++) { ok = put_node(&n, order.at[i], NULL); }
    ok = ok && put_outputs(&n, out, nout);
    vec_free(t->c, &leaves);
    vec_free(t->c, &order);
    return finish(&n, ok);
}

static bool put_updates(Names *n, const FGraph *fg) {
    for (int i = fg->nplain_out; i < fg->nout; i++) {
        if (!fg->out[i]->owner && !put_leaf(n, fg->out[i])) { return false; }
        text_put(n->t, "update ");
        put_ref(n, fg->update_of[i - fg->nplain_out]);
        text_put(n->t, " = ");
        put_ref(n, fg->out[i]);
        text_putc(n->t, '\n');
    }
    return true;
}

/* Nodes that are gone and compared all the same, and what of those that are gone they need. */
static bool put_written(Names *n, FGraph *fg) {
    for (int i = 0; i < fg->written.n; i++) {
        ThApply *a = fg->written.at[i];
        for (int k = 0; k < a->nin; k++) {
            ThVar *now = fg_find(a->in[k]);
            uint32_t x;
            if (!map_get(&n->id, KEY(a->in[k]), &x) && !now->owner && !put_leaf(n, now)) { return false; }
        }
        if (!put_node(n, a, fg)) { return false; }
    }
    return true;
}

static bool put_fg(Names *n, FGraph *fg) {
    ApplyVec order = {0};
    bool ok = fg->norder || fg_toposort(fg, &order);
    ThApply *const *node = fg->norder ? fg->order : order.at;
    int count = fg->norder ? fg->norder : order.n;
    for (int i = 0; ok && i < fg->nin; i++) { ok = put_leaf(n, fg->in[i]); }
    for (int i = 0; ok && i < count; i++) { ok = put_node(n, node[i], fg); }
    ok = ok && (!n->whole || put_written(n, fg)) && put_outputs(n, fg->out, fg->nplain_out) && put_updates(n, fg);
    vec_free(n->t->c, &order);
    return finish(n, ok);
}

bool graph_print_fg(Text *t, FGraph *fg) { return put_fg(&(Names){.t = t}, fg); }

bool graph_print_whole(Text *t, FGraph *fg, VarVec *data) {
    return put_fg(&(Names){.t = t, .whole = true, .data = data}, fg);
}

char *th_graph_text(ThContext *c, ThVar *const *outs, int n) {
    if (!c) return NULL;
    if (!graph_given(c, __func__, outs, n)) return NULL;
    Text t;
    text_init(&t, c);
    for (int i = 0; i < n; i++) {
        if (!outs[i]) { return NULL; }
    }
    if (!graph_print(&t, NULL, 0, outs, n)) {
        text_free(&t);
        return NULL;
    }
    return text_take(&t);
}
