/*
 * history.c -- th_function_rewrites: how the user's expression became a function's graph. In: what the function was
 * made from. Out: JSON: every node as it was at some time, and pass by pass what fired, how long it took, and which
 * nodes there were. The graph is rewritten once more for that, with an onlooker; rewriting goes the same way each time.
 */
#include "compile.h"

#include <string.h>

typedef struct RuleTime {
    const char *name;
    int tried, fired;
    int64_t ns;
} RuleTime;

typedef struct Story { /* of one graph: the function's, or the body of a loop or branch */
    FGraph *fg;
    int of, node, body; /* place of the graph around it, id of its node there; -1: none */
    Text records, leaves, passes, events;
    int nrecord, nleaf, npass, nevent;
    Map leaf;
    VEC(int) latest;     /* by id of nodes: 1 + the newest record, or 0 */
    VEC(uint64_t) state; /* by id: of the inputs that it tells */
    VEC(int) order;      /* as it was told last */
    VEC(RuleTime) rule;
    Map rule_at;
} Story;

typedef struct History {
    ThContext *c;
    VEC(Story *) all;
    bool lost; /* memory is out */
} History;

static Story *now(const History *h) { return h->all.at[h->all.n - 1]; }

/* ---- variables and nodes ---- */
static void put_names(Text *t, const ThApply *a) {
    text_putc(t, '[');
    for (int i = 0; i < a->nout; i++) {
        text_put(t, i ? ", " : "");
        text_json(t, a->out[i]->name);
    }
    text_putc(t, ']');
}

static void put_type(Text *t, const ThVar *v) {
    Text type;
    text_init(&type, t->c);
    type_text(&type, v->type);
    text_json(t, type.at ? type.at : "");
    text_free(&type);
}

static void put_places(Text *t, Prov p) {
    Text places;
    text_init(&places, t->c);
    prov_text(t->c, &places, p);
    text_json(t, places.at ? places.at : "");
    text_free(&places);
}

static int leaf_of(History *h, Story *s, const ThVar *v) {
    static const char *const kind[] = {"input", "constant", "shared"};
    uint32_t at;
    if (map_get(&s->leaf, KEY(v), &at)) return (int)at;
    if (!map_put(h->c, &s->leaf, KEY(v), (uint32_t)s->nleaf)) {
        h->lost = true;
        return -1;
    }
    Text *t = &s->leaves, str;
    text_init(&str, h->c);
    var_str(&str, v);
    text_put(t, s->nleaf ? ",\n{\"text\": " : "{\"text\": ");
    text_json(t, str.at ? str.at : "");
    text_printf(t, ", \"kind\": \"%s\", \"type\": ", kind[v->kind == VAR_CONSTANT ? 1 : v->kind == VAR_SHARED ? 2 : 0]);
    put_type(t, v);
    text_put(t, ", \"places\": ");
    put_places(t, v->prov);
    text_putc(t, '}');
    text_free(&str);
    return s->nleaf++;
}

/* [id, output] of what a node computes, the place of a leaf. */
static void put_ref(History *h, Story *s, Text *t, const ThVar *v) {
    if (v->owner) text_printf(t, "[%u, %d]", (unsigned)v->owner->id, (int)v->index);
    else text_printf(t, "%d", leaf_of(h, s, v));
}

static void put_record(History *h, Story *s, const ThApply *a) {
    Text *t = &s->records, op;
    text_init(&op, h->c);
    apply_op_str(&op, a);
    text_printf(t, "%s{\"id\": %u, \"op\": ", s->nrecord ? ",\n" : "", (unsigned)a->id);
    text_json(t, op.at ? op.at : "");
    text_free(&op);
    text_put(t, ", \"kind\": ");
    text_json(t, a->op->name);
    text_put(t, ", \"in\": [");
    for (int i = 0; i < a->nin; i++) {
        text_put(t, i ? ", " : "");
        put_ref(h, s, t, a->in[i]);
    }
    text_put(t, "], \"names\": ");
    put_names(t, a);
    text_put(t, ", \"type\": ");
    put_type(t, a->out[0]);
    text_put(t, ", \"rule\": ");
    text_json(t, a->rule);
    text_put(t, ", \"places\": ");
    put_places(t, a->prov);
    text_putc(t, '}');
    s->nrecord++;
}

/* In-place passes change operations where they stand. */
static uint64_t state_of(const ThApply *a) {
    uint64_t x = hash_mix(hash_mix(a->prov, (uint64_t)(a->destroys + 1)), attrs_hash(a->op, a->attrs));
    for (int i = 0; i < a->nin; i++) x = hash_mix(x, a->in[i]->id);
    return x;
}

/* The newest record of the node, made where it is not as it was told. */
static int record(History *h, Story *s, const ThApply *a) {
    int id = (int)a->id, was = s->latest.n;
    if (id >= was) {
        int more = id + id / 2 + 64;
        if (!vec_reserve(h->c, &s->latest, more) || !vec_reserve(h->c, &s->state, more)) return h->lost = true, -1;
        memset(s->latest.at + was, 0, sizeof *s->latest.at * (size_t)(more - was));
        memset(s->state.at + was, 0, sizeof *s->state.at * (size_t)(more - was));
        s->latest.n = s->state.n = more;
    }
    uint64_t state = state_of(a);
    if (!s->latest.at[id] || s->state.at[id] != state) {
        put_record(h, s, a);
        s->latest.at[id] = s->nrecord;
        s->state.at[id] = state;
    }
    return s->latest.at[id] - 1;
}

/* ---- what happens ---- */
static void on_replace(void *user, ThVar *old, ThVar *new_, const char *rule) {
    History *h = user;
    Story *s = now(h);
    if (!rule) rule = new_->owner && new_->owner->rule ? new_->owner->rule : "merge";
    if (old->owner) record(h, s, old->owner);
    if (new_->owner) record(h, s, new_->owner);
    Text *t = &s->events;
    text_put(t, s->nevent++ ? ", [" : "[");
    text_json(t, rule);
    text_put(t, ", ");
    put_ref(h, s, t, old);
    text_put(t, ", ");
    put_ref(h, s, t, new_);
    text_putc(t, ']');
}

/* "order": [records], or null where it is what was told last. */
static void put_order(History *h, Story *s, ThApply *const *node, int n) {
    bool same = n == s->order.n;
    if (!vec_reserve(h->c, &s->order, n + 1)) {
        h->lost = true;
        return;
    }
    for (int i = 0; i < n; i++) {
        int r = record(h, s, node[i]);
        same = same && s->order.at[i] == r;
        s->order.at[i] = r;
    }
    s->order.n = n;
    text_put(&s->passes, same ? "null" : "[");
    for (int i = 0; i < n && !same; i++) text_printf(&s->passes, i ? ", %d" : "%d", s->order.at[i]);
    text_put(&s->passes, same ? "" : "]");
}

static void put_outputs(History *h, Story *s) {
    text_putc(&s->passes, '[');
    for (int i = 0; i < s->fg->nout; i++) {
        text_put(&s->passes, i ? ", " : "");
        put_ref(h, s, &s->passes, s->fg->out[i]);
    }
    text_putc(&s->passes, ']');
}

/* The graph as it is now, under a name. order: NULL: any. */
static void snapshot(History *h, Story *s, const char *name, double position, int64_t ns, ThApply *const *order,
                     int n) {
    ApplyVec sorted = {0};
    if (!order && !fg_toposort(s->fg, &sorted)) h->lost = true;
    Text *t = &s->passes;
    text_put(t, s->npass++ ? ",\n{\"name\": " : "{\"name\": ");
    text_json(t, name);
    text_put(t, ", \"position\": ");
    text_json_number(t, position);
    text_put(t, ", \"seconds\": ");
    text_json_number(t, (double)ns * 1e-9);
    text_put(t, ", \"events\": [");
    text_put(t, s->events.at ? s->events.at : "");
    text_put(t, "], \"order\": ");
    put_order(h, s, order ? order : sorted.at, order ? n : sorted.n);
    text_put(t, ", \"out\": ");
    put_outputs(h, s);
    text_putc(t, '}');
    text_free(&s->events);
    s->nevent = 0;
    vec_free(h->c, &sorted);
}

static void on_pass(void *user, const char *name, double position, int64_t ns) {
    History *h = user;
    snapshot(h, now(h), name, position, ns, NULL, 0);
}

static void on_rule(void *user, const char *name, int64_t ns, bool fired) {
    History *h = user;
    Story *s = now(h);
    uint32_t at;
    if (!map_get(&s->rule_at, KEY(name), &at)) {
        at = (uint32_t)s->rule.n;
        if (!vec_push(h->c, &s->rule, ((RuleTime){name, 0, 0, 0})) || !map_put(h->c, &s->rule_at, KEY(name), at)) {
            h->lost = true;
            return;
        }
    }
    RuleTime *r = &s->rule.at[at];
    r->tried++;
    r->fired += fired;
    r->ns += ns;
}

static void free_story(ThContext *c, Story *s) {
    text_free(&s->records);
    text_free(&s->leaves);
    text_free(&s->passes);
    text_free(&s->events);
    map_free(c, &s->leaf);
    map_free(c, &s->rule_at);
    vec_free(c, &s->latest);
    vec_free(c, &s->state);
    vec_free(c, &s->order);
    vec_free(c, &s->rule);
    ctx_free(c, s, sizeof *s);
}

/* CompileWatch.graph: a graph is about to be rewritten. `of`: the story of the one around it. */
static void *on_graph(void *user, void *of, const ThApply *node, int body, FGraph *fg) {
    History *h = user;
    Story *s = ctx_alloc0(h->c, sizeof *s);
    if (!s) return NULL;
    *s = (Story){.fg = fg, .of = -1, .node = node ? (int)node->id : -1, .body = body};
    text_init(&s->records, h->c);
    text_init(&s->leaves, h->c);
    text_init(&s->passes, h->c);
    text_init(&s->events, h->c);
    for (int i = 0; of && i < h->all.n; i++)
        if (h->all.at[i] == of) s->of = i;
    const FgListener l = {.on_replace = on_replace, .user = h};
    if (!vec_push(h->c, &h->all, s)) {
        free_story(h->c, s);
        return NULL;
    }
    if (!vec_push(h->c, &fg->listeners, l)) return NULL;
    snapshot(h, s, "as written", 0, 0, NULL, 0);
    return s;
}

/* ---- the text ---- */
static void put_story(Text *t, const Story *s) {
    const FGraph *fg = s->fg;
    text_printf(t, "{\"of\": %d, \"node\": %d, \"body\": %d, \"results\": %d, \"updates\": [", s->of, s->node, s->body,
                fg->nplain_out);
    for (int i = fg->nplain_out; i < fg->nout; i++) {
        text_put(t, i > fg->nplain_out ? ", " : "");
        text_json(t, fg->update_of[i - fg->nplain_out]->name);
    }
    text_put(t, "], \"leaves\": [");
    text_put(t, s->leaves.at ? s->leaves.at : "");
    text_put(t, "],\n\"records\": [");
    text_put(t, s->records.at ? s->records.at : "");
    text_put(t, "],\n\"passes\": [");
    text_put(t, s->passes.at ? s->passes.at : "");
    text_put(t, "],\n\"rules\": [");
    for (int i = 0; i < s->rule.n; i++) {
        const RuleTime *r = &s->rule.at[i];
        text_put(t, i ? ", {\"name\": " : "{\"name\": ");
        text_json(t, r->name);
        text_printf(t, ", \"tried\": %d, \"fired\": %d, \"seconds\": ", r->tried, r->fired);
        text_json_number(t, (double)r->ns * 1e-9);
        text_putc(t, '}');
    }
    text_put(t, "]}");
}

static char *tell(History *h) {
    Text t;
    text_init(&t, h->c);
    text_put(&t, "{\"graphs\": [");
    for (int i = 0; i < h->all.n; i++) {
        text_put(&t, i ? ",\n" : "");
        put_story(&t, h->all.at[i]);
        h->lost |= h->all.at[i]->passes.failed || h->all.at[i]->records.failed || h->all.at[i]->leaves.failed;
    }
    text_put(&t, "]}");
    if (!h->lost) return text_take(&t);
    text_free(&t);
    return NULL;
}

char *th_function_rewrites(ThFunction *f) {
    ThContext *c = f ? th_function_context(f) : NULL;
    if (!f || failed(c)) return NULL;
    const ThCompile *spec = compile_spec_of(f);
    if (!spec) return err(c, TH_RuntimeError, "this function was not compiled from an expression"), NULL;
    History h = {.c = c};
    const OptLook look = {&h, on_pass, on_rule};
    const CompileWatch w = {.user = &h, .graph = on_graph};
    static const ThCopy plain;
    Compile k = {.ctx = c, .spec = spec, .start = profile_now()};
    compile_begin(c);
    bool ok = compile_from(&k, f, &plain) && compile_write_out(c, k.out.at, k.out.n, k.in.at, k.in.n, NULL);
    k.opt.look = &look;
    FGraph *fg = ok ? compile_graph(&k) : NULL;
    ok = fg && compile_rewrite(&k, fg, &w);
    for (int i = 0; ok && i < h.all.n; i++) {
        Story *s = h.all.at[i];
        if (s->fg->order) snapshot(&h, s, "schedule", 1e9, 0, s->fg->order, s->fg->norder);
    }
    char *text = ok ? tell(&h) : NULL;
    for (int i = 0; i < h.all.n; i++) free_story(c, h.all.at[i]);
    vec_free(c, &h.all);
    if (fg) fg_free(fg);
    compile_forget(&k);
    if (!text && !failed(c)) err_nomem(c);
    return text;
}
