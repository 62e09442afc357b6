/*
 * inner.c -- GraphBody: a graph inside an operation's attributes (the body of a loop, a branch).
 * In: variables that stand for its arguments, and results over them. Out: an immutable record that holds both. Graphs
 * of equal structure (same operations, constants, types and order of arguments) have the same `like`, so that comparing
 * it compares them; those whose names and lines are equal too are one record of the context, so that repeated compiles
 * make no new ones and what is printed are the user's own names and lines. Every node that has it in its attributes
 * holds a reference; the last one frees it.
 */
#include "parts.h"

#include <string.h>

/* ---- structure --------------------------------------------------------------------------------------------------- */
/* Numbers of the values of a graph: its arguments, then leaves and outputs in the order met. */
typedef struct Numbers {
    ThContext *c;
    Map of;
    int n;
} Numbers;

static bool number(Numbers *m, const ThVar *v) { return map_put(m->c, &m->of, KEY(v), (uint32_t)m->n++); }

static uint64_t hash_type(ThType t, uint64_t h) {
    return hash_mix(hash_mix(hash_mix(hash_mix(h, t.kind), t.dtype), t.ndim), t.broadcastable);
}

/* What v is where it is used: an argument or value by its number, a constant by its data. */
static bool hash_use(Numbers *m, ThVar *v, uint64_t *h) {
    uint32_t at;
    if (map_get(&m->of, KEY(v), &at)) {
        *h = hash_mix(*h, at);
        return true;
    }
    if (v->kind != VAR_CONSTANT) {
        return err(m->c, TH_RuntimeError, "an inner graph uses %s, which is neither an argument of it nor a constant",
                   v->name ? v->name : "an unnamed variable");
    }
    *h = hash_type(v->type, hash_mix(*h, const_hash(v)));
    return number(m, v);
}

static bool hash_node(Numbers *m, const ThApply *a, uint64_t *h) {
    *h = hash_mix(hash_bytes(a->op->name, strlen(a->op->name), *h), attrs_hash(a->op, a->attrs));
    bool ok = true;
    for (int i = 0; ok && i < a->nin; i++) { ok = hash_use(m, a->in[i], h); }
    for (int i = 0; ok && i < a->nout; i++) {
        ok = map_get(&m->of, KEY(a->out[i]), &(uint32_t){0}) || number(m, a->out[i]);
    }
    return ok;
}

static uint64_t hash_name(const ThVar *v, uint64_t h) {
    return v->name ? hash_bytes(v->name, strlen(v->name), h) : hash_mix(h, 0);
}

static void hash_words(GraphBody *b, const ApplyVec *order) {
    uint64_t h = b->hash;
    for (int i = 0; i < b->nin; i++) { h = hash_name(b->in[i], h); }
    for (int i = 0; i < order->n; i++) {
        h = hash_mix(h, order->at[i]->prov);
        for (int o = 0; o < order->at[i]->nout; o++) { h = hash_name(order->at[i]->out[o], h); }
    }
    b->words = h;
}

/* The structural hash; false with the error set when the graph is not closed. */
static bool hash_body(GraphBody *b, const ApplyVec *order) {
    Numbers m = {.c = b->ctx};
    uint64_t h = hash_mix((uint64_t)b->nin, (uint64_t)b->nout);
    bool ok = true;
    for (int i = 0; ok && i < b->nin; i++) {
        h = hash_type(b->in[i]->type, h);
        ok = number(&m, b->in[i]);
    }
    for (int i = 0; ok && i < order->n; i++) { ok = hash_node(&m, order->at[i], &h); }
    for (int i = 0; ok && i < b->nout; i++) { ok = hash_use(&m, b->out[i], &h); }
    b->hash = h;
    hash_words(b, order);
    map_free(b->ctx, &m.of);
    return ok;
}

/* Whether x of one graph is y of the other; constants are compared where they are used. */
static bool same_use(const Map *pair, const ThVar *x, const ThVar *y, const ThVar *const *of) {
    uint32_t at;
    if (map_get(pair, KEY(x), &at)) { return of[at] == y; }
    return x->kind == VAR_CONSTANT && y->kind == VAR_CONSTANT && const_equal(x, y);
}

static bool same_node(const Map *pair, const ThApply *x, const ThApply *y, const ThVar *const *of) {
    if (x->op != y->op || x->nin != y->nin || x->nout != y->nout || !attrs_equal(x->op, x->attrs, y->attrs)) {
        return false;
    }
    for (int i = 0; i < x->nout; i++) {
        if (!type_eq(x->out[i]->type, y->out[i]->type)) { return false; }
    }
    for (int i = 0; i < x->nin; i++) {
        if (!same_use(pair, x->in[i], y->in[i], of)) { return false; }
    }
    return true;
}

typedef struct Same {
    ThContext *c;
    Map pair; /* variable of the one graph -> place in `of`, its counterpart */
    VEC(const ThVar *) of;
} Same;

static bool pair_up(Same *s, const ThVar *x, const ThVar *y) {
    return vec_push(s->c, &s->of, y) && map_put(s->c, &s->pair, KEY(x), (uint32_t)(s->of.n - 1));
}

static bool same_name(const ThVar *x, const ThVar *y) {
    return x->name == y->name || (x->name && y->name && strcmp(x->name, y->name) == 0);
}

/* Whether what readers see of two graphs of equal structure is equal too: names and lines. */
static bool same_words(const GraphBody *x, const ApplyVec *xo, const GraphBody *y, const ApplyVec *yo) {
    bool same = true;
    for (int i = 0; same && i < x->nin; i++) { same = same_name(x->in[i], y->in[i]); }
    for (int i = 0; same && i < xo->n; i++) {
        same = xo->at[i]->prov == yo->at[i]->prov;
        for (int o = 0; same && o < xo->at[i]->nout; o++) { same = same_name(xo->at[i]->out[o], yo->at[i]->out[o]); }
    }
    return same;
}

/* Both orders are depth first over equal output lists, so equal graphs give equal orders. *words: the words too. */
static bool equal_bodies(const GraphBody *x, const ApplyVec *xo, const GraphBody *y, bool *words) {
    *words = false;
    if (x->hash != y->hash || x->nin != y->nin || x->nout != y->nout) { return false; }
    Same s = {.c = x->ctx};
    ApplyVec yo = {0};
    bool ok = graph_toposort(x->ctx, y->out, y->nout, y->in, y->nin, &yo) && xo->n == yo.n;
    for (int i = 0; ok && i < x->nin; i++) {
        ok = type_eq(x->in[i]->type, y->in[i]->type) && pair_up(&s, x->in[i], y->in[i]);
    }
    for (int i = 0; ok && i < xo->n; i++) {
        ok = same_node(&s.pair, xo->at[i], yo.at[i], s.of.at);
        for (int o = 0; ok && o < xo->at[i]->nout; o++) { ok = pair_up(&s, xo->at[i]->out[o], yo.at[i]->out[o]); }
    }
    for (int i = 0; ok && i < x->nout; i++) { ok = same_use(&s.pair, x->out[i], y->out[i], s.of.at); }
    *words = ok && same_words(x, xo, y, &yo);
    vec_free(x->ctx, &yo);
    vec_free(x->ctx, &s.of);
    map_free(x->ctx, &s.pair);
    return ok;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */
static size_t bytes_for(int nin, int nout, int ncheck) {
    return sizeof(GraphBody) + sizeof(ThVar *) * (size_t)(nin + nout + ncheck);
}

static void free_body(GraphBody *b) {
    ThContext *c = b->ctx;
    if (b->like != b) { graph_body_release(b->like); }
    for (int i = 0; i < b->nin; i++) { th_var_release(b->in[i]); }
    for (int i = 0; i < b->nout; i++) { th_var_release(b->out[i]); }
    for (int i = 0; i < b->ncheck; i++) { th_var_release(b->check[i]); }
    th_free(c, b->reach);
    ctx_free(c, b, bytes_for(b->nin, b->nout, b->ncheck));
    th_context_release(c);
}

static GraphBody *new_body(ThContext *c, const VarVec *in, const VarVec *out, const VarVec *check) {
    GraphBody *b = ctx_alloc0(c, bytes_for(in->n, out->n, check->n));
    if (!b) { return NULL; }
    b->ctx = c;
    th_context_retain(c);
    atomic_init(&b->refs, 1);
    b->like = b;
    b->nin = in->n;
    b->nout = out->n;
    b->ncheck = check->n;
    b->in = (ThVar **)(void *)(b + 1);
    b->out = b->in + b->nin;
    b->check = b->out + b->nout;
    for (int i = 0; i < b->nin; i++) { b->in[i] = th_var_retain(in->at[i]); }
    for (int i = 0; i < b->nout; i++) { b->out[i] = th_var_retain(out->at[i]); }
    for (int i = 0; i < b->ncheck; i++) { b->check[i] = th_var_retain(check->at[i]); }
    return b;
}

static bool check_args(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout) {
    for (int i = 0; i < nin; i++) {
        if (!in[i]) { return false; }
        if (in[i]->kind != VAR_PLAIN || in[i]->owner || in[i]->flags & VAR_F_GRAPH) {
            return err(c, TH_RuntimeError, "argument %d of an inner graph is not a free variable", i);
        }
    }
    for (int i = 0; i < nout; i++) {
        if (!out[i]) { return false; }
    }
    return nout > 0 || err(c, TH_RuntimeError, "an inner graph needs a result");
}

/* Those that stand for their structure lie under its hash, the others under all that they are. */
static uint64_t key_of(const GraphBody *b) { return b->like == b ? b->hash : hash_mix(b->hash, b->words); }

static GraphBody *first_of(const GraphState *s, uint64_t key) {
    uint32_t at;
    return map_get(&s->body_of, key, &at) ? s->bodies.at[at] : NULL;
}

/* An empty list for the key of b; room to give its place back is made now. */
static bool new_place(GraphState *s, const GraphBody *b, uint32_t *at) {
    if (map_get(&s->body_of, key_of(b), at)) { return true; }
    if (!s->free_bodies.n) {
        if (!vec_reserve(b->ctx, &s->free_bodies, s->bodies.n + 1) || !vec_push(b->ctx, &s->bodies, NULL)) {
            return false;
        }
        s->free_bodies.at[s->free_bodies.n++] = s->bodies.n - 1;
    }
    *at = (uint32_t)s->free_bodies.at[s->free_bodies.n - 1];
    if (!map_put(b->ctx, &s->body_of, key_of(b), *at)) { return false; }
    s->free_bodies.n--;
    return true;
}

/* The record of the context that is all that b is, or NULL; b gets the one that stands for its structure. */
static GraphBody *find(const GraphState *s, GraphBody *b, const ApplyVec *order) {
    bool words;
    for (GraphBody *x = first_of(s, b->hash); x && b->like == b; x = x->next) {
        if (x->like != x || !equal_bodies(b, order, x, &words)) { continue; }
        if (words) { return x; }
        b->like = graph_body_retain(x);
    }
    if (b->like == b) { return NULL; }
    for (GraphBody *x = first_of(s, key_of(b)); x; x = x->next) {
        if (x->like == b->like && equal_bodies(b, order, x, &words) && words) { return x; }
    }
    return NULL;
}

/* The record of the context equal to b (which is then freed), or b, entered. */
static GraphBody *enter(GraphState *s, GraphBody *b, const ApplyVec *order) {
    uint32_t at;
    GraphBody *have = find(s, b, order);
    if (have) { graph_body_retain(have); }
    if (have || failed(b->ctx) || !new_place(s, b, &at)) {
        free_body(b);
        return have;
    }
    b->next = s->bodies.at[at];
    b->entered = true;
    s->bodies.at[at] = b;
    return b;
}

GraphBody *graph_body(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout) {
    const VarVec i = {.at = (ThVar **)in, .n = nin}, o = {.at = (ThVar **)out, .n = nout}, none = {0};
    return graph_body_checked(c, &i, &o, &none);
}

GraphBody *graph_body_checked(ThContext *c, const VarVec *in, const VarVec *out, const VarVec *check) {
    GraphState *s = failed(c) || !check_args(c, in->at, in->n, out->at, out->n) ? NULL : graph_state(c);
    GraphBody *b = s ? new_body(c, in, out, check) : NULL;
    if (!b) { return NULL; }
    b->serial = ++s->made;
    ApplyVec order = {0};
    bool ok = graph_toposort(c, out->at, out->n, in->at, in->n, &order) && hash_body(b, &order);
    if (ok && !check->n) { /* what else it compares belongs to one record alone */
        b = enter(s, b, &order);
    } else if (!ok) {
        free_body(b);
    }
    vec_free(c, &order);
    return ok ? b : NULL;
}

const GraphBody *graph_body_retain(const GraphBody *b) {
    if (b) { atomic_fetch_add(&((GraphBody *)b)->refs, 1); }
    return b;
}

static void leave(GraphState *s, GraphBody *b) {
    uint32_t at;
    if (!b->entered || !map_get(&s->body_of, key_of(b), &at)) { return; }
    GraphBody **link = &s->bodies.at[at];
    while (*link && *link != b) { link = &(*link)->next; }
    if (*link) { *link = b->next; }
    if (!s->bodies.at[at]) {
        map_del(&s->body_of, key_of(b));
        s->free_bodies.at[s->free_bodies.n++] = (int)at; /* room was made when it was entered */
    }
}

void graph_body_release(const GraphBody *body) {
    GraphBody *b = (GraphBody *)body;
    if (!b || atomic_fetch_sub(&b->refs, 1) != 1) { return; }
    leave(b->ctx->slot[CTX_GRAPH], b);
    free_body(b);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */
bool inner_retain(Builder *b, const Op *op, const void *attrs) {
    int n = 0;
    if (!op->bodies || !attrs) { return true; }
    const GraphBody *const *body = op->bodies(attrs, &n);
    if (b->fg && !vec_reserve(b->ctx, &b->fg->bodies, b->fg->bodies.n + n)) { return false; }
    for (int i = 0; i < n; i++) {
        graph_body_retain(body[i]);
        if (b->fg && body[i]) { b->fg->bodies.at[b->fg->bodies.n++] = body[i]; }
    }
    return true;
}

void inner_release(const Op *op, const void *attrs) {
    int n = 0;
    const GraphBody *const *body = op->bodies && attrs ? op->bodies(attrs, &n) : NULL;
    for (int i = 0; i < n; i++) { graph_body_release(body[i]); }
}

/* Graph text in quotes, its lines parted by \n. */
void inner_quote(Text *t, const char *text) {
    text_putc(t, '\'');
    for (const char *s = text ? text : ""; *s; s++) {
        if (*s == '\'' || *s == '\\') { text_putc(t, '\\'); }
        text_put_n(t, *s == '\n' ? "\\n" : s, *s == '\n' ? 2 : 1);
    }
    text_putc(t, '\'');
}

void inner_put(Text *t, const GraphBody *b) {
    Text text;
    text_init(&text, t->c);
    graph_print(&text, b->in, b->nin, b->out, b->nout);
    inner_quote(t, text.at);
    text_free(&text);
}

/* The text inside the quotes at p; the place after them, or NULL. */
static const char *unquote(const char *p, Text *t) {
    if (*p++ != '\'') { return NULL; }
    for (; *p && *p != '\''; p++) {
        bool escaped = *p == '\\' && p[1];
        p += escaped;
        text_putc(t, escaped && *p == 'n' ? '\n' : *p);
    }
    return *p ? p + 1 : NULL;
}

const char *inner_read(ThContext *c, const char *p, const GraphBody **out) {
    Text t;
    Builder b;
    GraphRead r = {0};
    text_init(&t, c);
    builder_begin(&b, c);
    const char *end = unquote(p, &t);
    if (!end) { err(c, TH_ValueError, "a graph in quotes is expected at `%.30s`", p); }
    bool ok = end && t.at && graph_read(&b, t.at, &r);
    *out = ok ? graph_body_checked(c, &r.in, &r.out, &r.check) : NULL;
    builder_end(&b);
    graph_read_free(c, &r);
    text_free(&t);
    return *out ? end : NULL;
}
