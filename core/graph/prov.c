/*
 * prov.c -- where nodes come from: a persistent DAG of 32-bit ids.
 * In: leaves (file, line), names of what an id made, joins of two ids, gradients of an id; each O(1) and kept once.
 * Out: a short text for messages. Invariant: a record's parts have smaller ids, so walks end; texts look at a bounded
 * number of records.
 */
#include "parts.h"

#include <string.h>

typedef enum { PROV_NONE, PROV_LEAF, PROV_JOIN, PROV_GRAD, PROV_NAME } ProvKind;
enum { PROV_LINES = 64, PROV_VISIT = 256 };

static void free_state(ThContext *c, void *p) {
    GraphState *s = p;
    vec_free(c, &s->prov);
    map_free(c, &s->prov_map);
    vec_free(c, &s->small);
    map_free(c, &s->small_map);
    vec_free(c, &s->bodies);
    vec_free(c, &s->free_bodies);
    map_free(c, &s->body_of);
    ctx_free(c, s, sizeof *s);
}

GraphState *graph_state(ThContext *c) {
    if (c->slot[CTX_GRAPH]) { return c->slot[CTX_GRAPH]; }
    GraphState *s = ctx_alloc0(c, sizeof *s);
    if (s) {
        atomic_flag_clear(&s->updates_lock);
        c->slot[CTX_GRAPH] = s;
        c->slot_free[CTX_GRAPH] = free_state;
    }
    return s;
}

/* The id of a record, made when new. A hash that two records share only costs the sharing of the older one. */
static Prov add(ThContext *c, ProvNode n) {
    GraphState *s = graph_state(c);
    if (!s) { return 0; }
    uint64_t h = hash_mix(hash_mix(hash_mix(n.kind, n.a), n.b), KEY(n.file));
    uint32_t id;
    if (map_get(&s->prov_map, h, &id)) {
        const ProvNode *o = &s->prov.at[id];
        if (o->kind == n.kind && o->a == n.a && o->b == n.b && o->file == n.file) { return id; }
    }
    if (s->prov.n == 0 && !vec_push(c, &s->prov, ((ProvNode){PROV_NONE, 0, 0, NULL}))) { return 0; }
    if (!vec_reserve(c, &s->prov, s->prov.n + 1) || !map_put(c, &s->prov_map, h, (uint32_t)s->prov.n)) { return 0; }
    s->prov.at[s->prov.n] = n;
    return (Prov)s->prov.n++;
}

/* Without memory for it the place is unknown: no reason to fail, so no error is left behind. */
static Prov keep(ThContext *c, ProvNode n) {
    bool before = failed(c);
    Prov p = add(c, n);
    if (!p && !before) th_error_clear(c);
    return p;
}

Prov prov_leaf(ThContext *c, const char *file, int line) {
    bool before = failed(c);
    const char *name = file ? intern(c, file) : NULL;
    if (file && !name && !before) th_error_clear(c);
    return name ? keep(c, (ProvNode){PROV_LEAF, (uint32_t)line, 0, name}) : 0;
}

Prov prov_join(ThContext *c, Prov a, Prov b) {
    return a == b || !b ? a : !a ? b : keep(c, (ProvNode){PROV_JOIN, a, b, NULL});
}

Prov prov_grad(ThContext *c, Prov of) {
    const GraphState *s = c->slot[CTX_GRAPH];
    if (!of || !s || s->prov.at[of].kind == PROV_GRAD) { return of; }
    return keep(c, (ProvNode){PROV_GRAD, of, 0, NULL});
}

Prov prov_name(ThContext *c, Prov of, const char *name) {
    const GraphState *s = c->slot[CTX_GRAPH];
    if (!of || !name || !*name || !s || (s->prov.at[of].kind == PROV_NAME && s->prov.at[of].file == name)) {
        return of;
    }
    return keep(c, (ProvNode){PROV_NAME, of, 0, name});
}

typedef struct {
    Prov id;
    bool grad;
    const char *name; /* the user's, of what was made there, or NULL */
} Item;

static bool seen(const Item *line, int n, Item x) {
    for (int i = 0; i < n; i++) {
        if (line[i].id == x.id && line[i].grad == x.grad && (!x.name || line[i].name == x.name)) { return true; }
    }
    return false;
}

void prov_text(ThContext *c, Text *t, Prov p) {
    const GraphState *s = c->slot[CTX_GRAPH];
    Item stack[PROV_VISIT + 2], line[PROV_LINES];
    int n = 0, nline = 0;
    int64_t limit = config_int(c, "traceback.limit");
    if (limit < 0 || limit > PROV_LINES) { limit = PROV_LINES; }
    if (p && s) { stack[n++] = (Item){p, false, NULL}; }
    for (int visit = 0; n && nline < limit && visit < PROV_VISIT; visit++) {
        Item x = stack[--n];
        const ProvNode *r = &s->prov.at[x.id];
        if (r->kind == PROV_JOIN) {
            stack[n++] = (Item){r->b, x.grad, NULL};
            stack[n++] = (Item){r->a, x.grad, x.name};
        } else if (r->kind == PROV_GRAD) {
            stack[n++] = (Item){r->a, true, x.name};
        } else if (r->kind == PROV_NAME) {
            stack[n++] = (Item){r->a, x.grad, r->file};
        } else if (r->kind == PROV_LEAF && !seen(line, nline, x)) {
            text_printf(t, "%s%s%s:%u", nline ? ", " : "", x.grad ? "gradient of " : "", r->file, (unsigned)r->a);
            if (x.name) { text_printf(t, " (%s)", x.name); }
            line[nline++] = x;
        }
    }
}

const char *prov_first(ThContext *c, Prov p, int *line) {
    const GraphState *s = c->slot[CTX_GRAPH];
    while (p && s && s->prov.at[p].kind != PROV_LEAF) { p = s->prov.at[p].a; }
    if (line) { *line = p && s ? (int)s->prov.at[p].a : 0; }
    return p && s ? s->prov.at[p].file : NULL;
}

void th_set_line(ThContext *c, const char *file, int line) {
    if (c) c->prov = prov_leaf(c, file, line);
}

/* One place of such a text: "file:3", "file:3 (name)" or one of these behind "gradient of ". */
static Prov read_place(ThContext *c, const char *p, size_t n) {
    static const char gradient[] = "gradient of ";
    enum { PREFIX = sizeof gradient - 1 };
    const char *named = NULL;
    for (size_t i = 2; i < n && p[n - 1] == ')' && !named; i++) {
        if (char_is_digit(p[i - 2]) && p[i - 1] == ' ' && p[i] == '(') {
            named = intern_n(c, p + i + 1, n - i - 2);
            n = i - 1;
        }
    }
    bool grad = n > PREFIX && memcmp(p, gradient, PREFIX) == 0;
    if (grad) { p += PREFIX, n -= PREFIX; }
    size_t file = n;
    int line = 0, unit = 1;
    while (file > 0 && p[file - 1] >= '0' && p[file - 1] <= '9' && unit <= 100000000) {
        line += unit * (p[--file] - '0');
        unit *= 10;
    }
    if (file < 2 || p[file - 1] != ':') { return 0; }
    const char *name = intern_n(c, p, file - 1);
    Prov at = prov_name(c, name ? prov_leaf(c, name, line) : 0, named);
    return grad ? prov_grad(c, at) : at;
}

/* The ", " behind a place, or the end of the text: a name may hold some. */
static const char *place_end(const char *p) {
    int depth = 0;
    for (; *p && (depth > 0 || p[0] != ',' || p[1] != ' '); p++) { depth += (*p == '(') - (*p == ')'); }
    return p;
}

Prov prov_read(ThContext *c, const char *text) {
    Prov all = 0;
    for (const char *end; *text; text = *end ? end + 2 : end) {
        end = place_end(text);
        all = prov_join(c, all, read_place(c, text, (size_t)(end - text)));
    }
    return all;
}
