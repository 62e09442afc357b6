/*
 * debugprint.c -- Theano's debugprint: one line a node, indented, an Apply's children only where it is met first.
 * In: variables and options; a compiled function adds its order. Out: text. The walk keeps its own stack; past
 * max_bytes it stops with a line that says so. Layout (inventory 1.13): prefix op[.k] [id X] [<type>] 'name' destroy
 * view index[storage][clients]       prefix leaf [id X] [<type>][storage]
 */
#include "parts.h"

#include <string.h>

enum { CUT = 8 << 20 };

typedef struct Item {
    ThVar *v;
    int depth;     /* levels still to print, -1 all */
    size_t prefix; /* bytes of the shared prefix text used by this line's parent for its children */
    bool top, last;
    PrintMove move; /* a line of its own above it */
} Item;

typedef struct Print {
    Text *t;
    const ThDebugPrint *o;
    Map ids; /* Apply or leaf -> number of its id */
    int nid;
    VarVec met;        /* by id: the variable, of an Apply its first output met */
    VEC(bool) printed; /* by id: with all that is below */
    bool storage;
    const PrintPlaces *places;
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

/* The number of the variable's id, given where it has none yet; -1: no memory. */
static int id_of(Print *p, ThVar *v) {
    uint64_t key = v->owner ? KEY(v->owner) : KEY(v);
    uint32_t n;
    if (map_get(&p->ids, key, &n)) { return (int)n; }
    n = (uint32_t)p->nid;
    ThContext *c = p->t->c;
    p->ok = p->ok && map_put(c, &p->ids, key, n) && vec_push(c, &p->met, v) && vec_push(c, &p->printed, false);
    return p->ok ? p->nid++ : -1;
}

static int put_id(Print *p, ThVar *v) {
    int n = id_of(p, v);
    if (p->o->ids == 'C') {
        text_put(p->t, "[id ");
        put_char_id(p->t, n < 0 ? 0 : n);
        text_putc(p->t, ']');
    } else if (p->o->ids == 'i') {
        text_printf(p->t, "[id %d]", n);
    } else if (p->o->ids == 'd') {
        text_printf(p->t, "[id %llu]", (unsigned long long)(v->owner ? v->owner->serial : v->serial));
    }
    return n;
}

/* Those that have ids already, of an earlier print. */
static void take_seen(Print *p) {
    for (int i = 0; p->ok && i < p->o->nseen; i++) {
        int n = id_of(p, p->o->seen[i]);
        if (n >= 0) { p->printed.at[n] = p->o->printed && p->o->printed[i]; }
    }
}

static bool is_there(const Print *p, const ThVar *v) { return p->places && p->places->there(p->places->of, v); }

/* Theano's name of an operation on a GPU: GpuElemwise{..}, InplaceGpuDimShuffle{..}, for{gpu,..}. */
static void put_op(Print *p, const ThApply *a, bool there) {
    static const char inplace[] = "Inplace", cpu[] = "cpu,";
    Text op;
    text_init(&op, p->t->c);
    apply_op_str(&op, a);
    const char *name = op.at ? op.at : "", *own = there && a->op->bodies ? strstr(name, cpu) : NULL;
    if (own) {
        text_put_n(p->t, name, (size_t)(own - name));
        text_put(p->t, "gpu,");
        name = own + strlen(cpu);
    } else if (there && !a->op->bodies && strncmp(name, "Gpu", 3) != 0) {
        size_t before = strncmp(name, inplace, strlen(inplace)) ? 0 : strlen(inplace);
        text_put_n(p->t, name, before);
        text_put(p->t, "Gpu");
        name += before;
    }
    text_put(p->t, name);
    text_free(&op);
}

static void put_type_at(Print *p, const ThVar *v, bool there) {
    static const char host[] = "TensorType(", gpu[] = "GpuArrayType<None>(";
    if (!p->o->print_type) { return; }
    Text type;
    text_init(&type, p->t->c);
    type_text(&type, v->type);
    bool tensor = there && type.at && !strncmp(type.at, host, sizeof host - 1);
    text_printf(p->t, " <%s%s>", tensor ? gpu : "", type.at ? type.at + (tensor ? sizeof host - 1 : 0) : "");
    text_free(&type);
}

static void put_type(Print *p, const ThVar *v) { put_type_at(p, v, is_there(p, v)); }

/* A transfer, which is no node: one for each value and way. Whether what it moves is to follow. */
static bool put_move(Print *p, ThVar *v, PrintMove move) {
    uint64_t key = KEY(v) + (uint64_t)move; /* nothing else is there */
    uint32_t n;
    bool first = !map_get(&p->ids, key, &n);
    ThContext *c = p->t->c;
    if (first) {
        n = (uint32_t)p->nid++;
        p->ok = p->ok && map_put(c, &p->ids, key, n) && vec_push(c, &p->met, v) && vec_push(c, &p->printed, true);
    }
    text_put(p->t, move == PRINT_OVER ? "GpuFromHost<None> " : "HostFromGpu(gpuarray) ");
    if (p->o->ids == 'C') {
        text_put(p->t, "[id ");
        put_char_id(p->t, (int)n);
        text_putc(p->t, ']');
    } else if (p->o->ids == 'i') {
        text_printf(p->t, "[id %d]", (int)n);
    }
    put_type_at(p, v, move == PRINT_OVER);
    text_put(p->t, " ''   \n");
    return first;
}

/* " -> [id C]" behind an argument of a body: what it comes from. */
static void put_source(Print *p, ThVar *v) {
    uint32_t at;
    if (!map_get(&p->outside, KEY(v), &at)) { return; }
    text_put(p->t, " -> ");
    put_id(p, p->outer.at[at]);
}

/* " [array([1., 2.])]": what a leaf of a function holds; what is computed is gone after the call. */
static void put_storage(Print *p, const ThVar *v) {
    if (!p->storage) { return; }
    ThArray *a = v->kind == VAR_CONSTANT && v->u.data ? th_array_retain(v->u.data) : NULL;
    if (v->kind == VAR_SHARED && v->origin) { a = th_shared_get(v->origin, false); }
    char *text = a ? th_array_repr(p->t->c, a) : NULL;
    text_printf(p->t, " [%s]", text ? text : "None");
    th_free(p->t->c, text);
    th_array_release(a);
}

/* " clients:[('[id A]', 3), ('output', '')]" of what several use. */
static void put_clients(Print *p, const ThVar *v) {
    if (!p->o->print_clients || v->nclients < 2 || !v->fg) { return; }
    text_put(p->t, " clients:[");
    for (int i = 0; i < v->nclients; i++) {
        ThApply *a = v->clients[i].node;
        uint32_t at;
        text_put(p->t, i ? ", ('" : "('");
        if (a) {
            put_id(p, a->out[0]);
        } else {
            text_put(p->t, "output");
        }
        if (a && map_get(&p->order, KEY(a), &at)) {
            text_printf(p->t, "', %u)", (unsigned)at);
        } else {
            text_put(p->t, "', '')");
        }
    }
    text_putc(p->t, ']');
}

/* One line. Whether the node's inputs are to follow. */
static bool put_line(Print *p, ThVar *v) {
    ThApply *a = v->owner;
    if (!a) {
        var_str(p->t, v);
        text_putc(p->t, ' ');
        put_id(p, v);
        put_type(p, v);
        put_source(p, v);
        put_storage(p, v);
        text_putc(p->t, '\n');
        return false;
    }
    put_op(p, a, is_there(p, v));
    if (a->nout > 1) { text_printf(p->t, ".%d", v->index); }
    text_putc(p->t, ' ');
    int id = put_id(p, v);
    bool first = id >= 0 && !p->printed.at[id];
    if (id >= 0) { p->printed.at[id] = true; }
    put_type(p, v);
    text_printf(p->t, " '%s' ", v->name ? v->name : "");
    if (p->o->print_destroy_map && a->destroys >= 0) { text_printf(p->t, "d={0: [%d]}", a->destroys); }
    text_putc(p->t, ' ');
    if (p->o->print_view_map && th_apply_views(a) >= 0) { text_printf(p->t, "v={0: [%d]}", th_apply_views(a)); }
    text_putc(p->t, ' ');
    uint32_t at;
    if (map_get(&p->order, KEY(a), &at)) { text_printf(p->t, "%u", (unsigned)at); }
    if (p->storage) { text_put(p->t, " [None]"); }
    put_clients(p, v);
    text_putc(p->t, '\n');
    if (first && a->op->outer_of) { p->ok = p->ok && vec_push(p->t->c, &p->loops, v); }
    return first && !(p->o->stop_on_name && v->name);
}

static void push_inputs(Print *p, const ThApply *a, int depth, size_t prefix) {
    for (int i = a->nin - 1; i >= 0; i--) {
        Item x = {a->in[i], depth, prefix, false, i == a->nin - 1, PRINT_STAYS};
        if (p->places) { x.move = p->places->move(p->places->of, a, i, a->in[i]); }
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
    if (x.move != PRINT_STAYS) {
        Item below = {x.v, x.depth < 0 ? -1 : x.depth - 1, p->prefix.n, false, true, PRINT_STAYS};
        if (put_move(p, x.v, x.move) && x.depth != 1) { p->ok = p->ok && vec_push(p->t->c, &p->stack, below); }
        return;
    }
    if (put_line(p, x.v) && x.depth != 1) { push_inputs(p, x.v->owner, x.depth < 0 ? -1 : x.depth - 1, p->prefix.n); }
}

static void print_one(Print *p, ThVar *v, int result) {
    if (p->o->depth == 0) { return; }
    Item top = {v, p->o->depth, 0, true, true, PRINT_STAYS};
    if (p->places) { top.move = p->places->move(p->places->of, NULL, result, v); }
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
static void print_body(Print *p, ThVar *v) {
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

static void number_nodes(Print *p, ThApply *const *node, int n) {
    for (int i = 0; p->ok && i < n; i++) { p->ok = map_put(p->t->c, &p->order, KEY(node[i]), (uint32_t)i); }
}

/* What has ids now, for the caller. */
static void give_met(Print *p) {
    if (!p->o->met || !p->o->nmet || !p->ok) { return; }
    size_t bytes = sizeof(ThVar *) * (size_t)(p->met.n + 1);
    *p->o->nmet = p->met.n;
    *p->o->met = ctx_alloc_owned(p->t->c, bytes);
    p->ok = *p->o->met != NULL;
    if (p->ok && p->met.n) { memcpy(*p->o->met, p->met.at, sizeof(ThVar *) * (size_t)p->met.n); }
}

static void forget(Print *p) {
    ThContext *c = p->t->c;
    text_free(&p->prefix);
    vec_free(c, &p->stack);
    vec_free(c, &p->loops);
    vec_free(c, &p->outer);
    vec_free(c, &p->met);
    vec_free(c, &p->printed);
    map_free(c, &p->outside);
    map_free(c, &p->ids);
    map_free(c, &p->order);
}

bool debugprint(Text *t, ThVar *const *vars, int n, const ThDebugPrint *o, const PrintGraph *g) {
    static const ThDebugPrint usual = {.depth = -1, .ids = 'C'};
    Print p = {.t = t, .o = o ? o : &usual, .ok = true};
    p.limit = t->n + (p.o->max_bytes ? p.o->max_bytes : CUT);
    p.storage = g && p.o->print_storage;
    p.places = g ? g->places : NULL;
    text_init(&p.prefix, t->c);
    if (p.o->order) {
        number_nodes(&p, p.o->order, p.o->norder);
    } else if (g) {
        number_nodes(&p, g->order, g->norder);
    }
    take_seen(&p);
    for (int i = 0; p.ok && i < n && t->n <= p.limit; i++) { print_one(&p, vars[i], i); }
    print_bodies(&p);
    if (p.ok && t->n > p.limit) {
        text_printf(t, "... cut after %zu bytes: print with a smaller depth, or the graph text, which has no limit\n",
                    p.limit);
    }
    give_met(&p);
    bool ok = p.ok;
    forget(&p);
    return ok && !failed(t->c);
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
