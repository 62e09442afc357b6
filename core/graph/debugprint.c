/*
 * debugprint.c -- Theano's debugprint: one line a node, indented, an Apply's children only where it is met first.
 * In: variables and options; a compiled function adds its order. Out: text. The walk keeps its own stack; past
 * max_bytes it stops with a line that says so. Layout (inventory 1.13): prefix op[.k] [id X] [<type>] 'name' destroy
 * view [index]       prefix leaf [id X] [<type>]
 */
#include "parts.h"

#include <string.h>

enum { CUT = 8 << 20 };

typedef struct Item {
    ThVar *v;
    int depth;     /* levels still to print, -1 all */
    size_t prefix; /* bytes of the shared prefix text used by this line's parent for its children */
    bool top, last;
} Item;

typedef struct Print {
    Text *t;
    const ThDebugPrint *o;
    Map ids; /* Apply or leaf -> number of its id */
    int nid;
    Map order; /* Apply -> toposort index + 1 */
    VEC(Item) stack;
    Text prefix;  /* prefix of the children of the path being printed */
    VarVec loops; /* the first printed output of every node with a body to show */
    Map outside;  /* argument of a body -> place in outer of what it comes from */
    VarVec outer;
    size_t limit;
    bool ok;
} Print;

/* 0 A, 25 Z, 26 BA: base 26 with the digit A = 0. */
static void put_char_id(Text *t, int n) {
    char buf[16];
    int at = sizeof buf;
    do {
        buf[--at] = (char)('A' + n % 26);
        n /= 26;
    } while (n);
    text_put_n(t, buf + at, sizeof buf - (size_t)at);
}

/* "[id X]"; whether it is the first time this thing is met. */
static bool put_id(Print *p, const ThVar *v) {
    uint64_t key = v->owner ? KEY(v->owner) : KEY(v);
    uint32_t n;
    bool first = !map_get(&p->ids, key, &n);
    if (first) {
        n = (uint32_t)p->nid++;
        p->ok = p->ok && map_put(p->t->c, &p->ids, key, n);
    }
    if (p->o->ids == 'C') {
        text_put(p->t, "[id ");
        put_char_id(p->t, (int)n);
        text_putc(p->t, ']');
    } else if (p->o->ids == 'i') {
        text_printf(p->t, "[id %u]", (unsigned)n);
    } else if (p->o->ids == 'd') {
        text_printf(p->t, "[id %llu]", (unsigned long long)(v->owner ? v->owner->serial : v->serial));
    }
    return first;
}

static void put_type(Print *p, const ThVar *v) {
    if (p->o->print_type) {
        text_put(p->t, " <");
        type_text(p->t, v->type);
        text_putc(p->t, '>');
    }
}

/* " -> [id C]" behind an argument of a body: what it comes from. */
static void put_source(Print *p, const ThVar *v) {
    uint32_t at;
    if (!map_get(&p->outside, KEY(v), &at)) { return; }
    text_put(p->t, " -> ");
    put_id(p, p->outer.at[at]);
}

/* One line. Whether the node's inputs are to follow. */
static bool put_line(Print *p, const ThVar *v) {
    const ThApply *a = v->owner;
    if (!a) {
        var_str(p->t, v);
        text_putc(p->t, ' ');
        put_id(p, v);
        put_type(p, v);
        put_source(p, v);
        text_putc(p->t, '\n');
        return false;
    }
    apply_op_str(p->t, a);
    if (a->nout > 1) { text_printf(p->t, ".%d", v->index); }
    text_putc(p->t, ' ');
    bool first = put_id(p, v);
    put_type(p, v);
    text_printf(p->t, " '%s'   ", v->name ? v->name : "");
    uint32_t at;
    if (map_get(&p->order, KEY(a), &at)) { text_printf(p->t, "%u", (unsigned)at); }
    text_putc(p->t, '\n');
    if (first && a->op->outer_of) { p->ok = p->ok && vec_push(p->t->c, &p->loops, (ThVar *)v); }
    return first && !(p->o->stop_on_name && v->name);
}

static void push_inputs(Print *p, const ThApply *a, int depth, size_t prefix) {
    for (int i = a->nin - 1; i >= 0; i--) {
        Item x = {a->in[i], depth, prefix, false, i == a->nin - 1};
        p->ok = p->ok && vec_push(p->t->c, &p->stack, x);
    }
}

static void put_item(Print *p, Item x) {
    p->prefix.n = x.prefix;
    if (!x.top) {
        text_put_n(p->t, p->prefix.n ? p->prefix.at : "", p->prefix.n);
        text_put(p->t, " |");
        text_put(&p->prefix, x.last ? "  " : " |");
    }
    if (put_line(p, x.v) && x.depth != 1) { push_inputs(p, x.v->owner, x.depth < 0 ? -1 : x.depth - 1, p->prefix.n); }
}

static void print_one(Print *p, ThVar *v) {
    if (p->o->depth == 0) { return; }
    Item top = {v, p->o->depth, 0, true, true};
    p->ok = p->ok && vec_push(p->t->c, &p->stack, top);
    while (p->ok && p->stack.n && p->t->n <= p->limit) { put_item(p, vec_pop(&p->stack)); }
}

/* ---- bodies of loops -------------------------------------------------------------------------------------------- */
static bool link_inputs(Print *p, const ThApply *a, ThVar *const *in, int nin) {
    bool ok = true;
    for (int i = 0; ok && i < nin; i++) {
        int at = a->op->outer_of(a, i);
        if (at < 0 || at >= a->nin) { continue; }
        ok = vec_push(p->t->c, &p->outer, a->in[at]) &&
             map_put(p->t->c, &p->outside, KEY(in[i]), (uint32_t)(p->outer.n - 1));
    }
    return ok;
}

/* The body as it was optimized in a compiled function, else as it was written. */
static void print_body(Print *p, const ThVar *v) {
    const ThApply *a = v->owner;
    int n = 0;
    const GraphBody *const *body = a->op->bodies(a->attrs, &n);
    const FGraph *inner = a->flags & APPLY_GRAPH ? fg_inner(v->fg, a, 0) : NULL;
    ThVar *const *out = inner ? inner->out : body[0]->out;
    int nout = inner ? inner->nplain_out : body[0]->nout;
    p->ok = p->ok && link_inputs(p, a, inner ? inner->in : body[0]->in, body[0]->nin);
    text_putc(p->t, '\n');
    put_line(p, v);
    p->prefix.n = 0;
    text_put(&p->prefix, " >");
    for (int i = 0; p->ok && i < nout && p->t->n <= p->limit; i++) {
        text_put(p->t, " >");
        p->prefix.n = 2;
        if (put_line(p, out[i]) && p->o->depth != 1) {
            push_inputs(p, out[i]->owner, p->o->depth < 0 ? -1 : p->o->depth - 1, 2);
        }
        while (p->ok && p->stack.n && p->t->n <= p->limit) { put_item(p, vec_pop(&p->stack)); }
    }
}

static void print_bodies(Print *p) {
    if (p->ok && p->loops.n) { text_put(p->t, "\nInner graphs of the scan ops:\n"); }
    for (int i = 0; p->ok && i < p->loops.n && p->t->n <= p->limit; i++) { print_body(p, p->loops.at[i]); }
}

bool debugprint(Text *t, ThVar *const *vars, int n, const ThDebugPrint *o, const PrintGraph *g) {
    static const ThDebugPrint usual = {.depth = -1, .ids = 'C'};
    Print p = {.t = t, .o = o ? o : &usual, .ok = true};
    p.limit = t->n + (p.o->max_bytes ? p.o->max_bytes : CUT);
    text_init(&p.prefix, t->c);
    for (int i = 0; g && p.ok && i < g->norder; i++) { p.ok = map_put(t->c, &p.order, KEY(g->order[i]), (uint32_t)i); }
    for (int i = 0; p.ok && i < n && t->n <= p.limit; i++) { print_one(&p, vars[i]); }
    print_bodies(&p);
    if (p.ok && t->n > p.limit) {
        text_printf(t, "... cut after %zu bytes: print with a smaller depth, or the graph text, which has no limit\n",
                    p.limit);
    }
    text_free(&p.prefix);
    vec_free(t->c, &p.stack);
    vec_free(t->c, &p.loops);
    vec_free(t->c, &p.outer);
    map_free(t->c, &p.outside);
    map_free(t->c, &p.ids);
    map_free(t->c, &p.order);
    return p.ok && !failed(t->c);
}

char *th_debugprint(ThContext *c, ThVar *const *vars, int n, const ThDebugPrint *options) {
    if (!c) return NULL;
    if (!graph_given(c, __func__, vars, n)) return NULL;
    Text t;
    text_init(&t, c);
    for (int i = 0; i < n; i++) {
        if (!vars[i]) { return NULL; }
    }
    ThDebugPrint own;
    if ((options && !(options = options_of(c, options, &own))) || !debugprint(&t, vars, n, options, NULL)) {
        text_free(&t);
        return NULL;
    }
    return text_take(&t);
}
