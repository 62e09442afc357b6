/*
 * verify.c -- is a FunctionGraph what everyone assumes? Run after each pass of debug builds.
 * In: a FunctionGraph. Out: true, or false with BadOptimization and a text that names the node. Checked: nothing
 * forwarded or dead is in use, clients mirror inputs, types are those that inference gives, ranks (when settled), no
 * cycle, and that no value is read after the step that overwrites it, once an order is fixed.
 */
#include "parts.h"

#include <string.h>

static bool bad(const FGraph *fg, const ThApply *a, const char *what) {
    Text t;
    text_init(&t, fg->ctx);
    if (a) {
        apply_op_str(&t, a);
        if (a->prov) {
            text_put(&t, " (");
            prov_text(fg->ctx, &t, a->prov);
            text_putc(&t, ')');
        }
        if (a->rule) { text_printf(&t, ", made by %s", a->rule); }
    }
    err(fg->ctx, TH_BadOptimization, "the graph is not well formed%s%s: %s%s%s", fg->rule ? " after " : "",
        fg->rule ? fg->rule : "", what, a ? ": " : "", t.at ? t.at : "");
    text_free(&t);
    return false;
}

/* The edge stands in v's client list where its slot says. */
static bool edge_ok(const FGraph *fg, const ThVar *v, const ThApply *node, int pos, int slot) {
    if (v->forward) { return bad(fg, node, "an input was replaced but is still in use"); }
    if (v->owner && (v->owner->flags & APPLY_DEAD)) {
        return bad(fg, node, "an input was deleted but is still in use");
    }
    if (slot < 0 || slot >= v->nclients || v->clients[slot].node != node || v->clients[slot].pos != pos ||
        v->clients[slot].key != (node ? node->key : 0u)) {
        return bad(fg, node, "an input does not list this node among its clients");
    }
    return true;
}

static bool clients_ok(const FGraph *fg, const ThApply *a, const ThVar *v) {
    for (int i = 0; i < v->nclients; i++) {
        Client c = v->clients[i];
        bool there = c.node ? c.pos < c.node->nin && c.node->in[c.pos] == v : c.pos < fg->nout && fg->out[c.pos] == v;
        if (!there || (c.node && (c.node->flags & APPLY_DEAD))) {
            return bad(fg, a, "a client of its output does not use it");
        }
    }
    return true;
}

/* A node may promise fewer lengths of 1 than its inputs now prove: a computed shape may have become a constant. */
static bool promised(ThType proven, ThType has) {
    if (proven.kind == TYPE_TENSOR && has.kind == TYPE_TENSOR && !(has.broadcastable & ~proven.broadcastable)) {
        proven.broadcastable = has.broadcastable;
    }
    return type_eq(proven, has);
}

/* Types again from the inputs: a rewrite keeps dtype and pattern exactly. */
static bool types_ok(FGraph *fg, const ThApply *a) {
    _Alignas(16) char attrs[1024];
    ThType types[OP_MAX_OUT];
    Builder b;
    if (a->op->attr_bytes > sizeof attrs) { return true; /* apply_make refuses these */ }
    memset(attrs, 0, sizeof attrs);
    if (a->attrs) { memcpy(attrs, a->attrs, a->op->attr_bytes); }
    builder_begin_fg(&b, fg, a->prov);
    Infer q = {.b = &b,
               .ctx = fg->ctx,
               .op = a->op,
               .attrs = attrs,
               .in = a->in,
               .nin = a->nin,
               .out = types,
               .nout = a->op->nout};
    bool ok = a->op->infer(&q);
    builder_end(&b);
    if (!ok || q.nout != a->nout) {
        return failed(fg->ctx) ? false : bad(fg, a, "its operation does not accept its inputs");
    }
    for (int i = 0; i < a->nout; i++) {
        if (!promised(types[i], a->out[i]->type)) {
            return bad(fg, a, "an output's type is not the one its inputs give");
        }
    }
    return true;
}

static bool node_ok(FGraph *fg, const ThApply *a, const uint8_t *done) {
    if (a->flags & APPLY_DEAD) { return bad(fg, a, "a deleted node is in use"); }
    for (int i = 0; i < a->nin; i++) {
        const ThApply *from = a->in[i]->owner;
        if (!edge_ok(fg, a->in[i], a, i, apply_slots(a)[i])) { return false; }
        if (from && !done[from->id]) { return bad(fg, a, "it depends on itself"); }
        if (from && !fg->ranks_stale && a->rank <= from->rank) {
            return bad(fg, a, "its rank is not above its inputs' ranks");
        }
    }
    for (int i = 0; i < a->nout; i++) {
        if (a->out[i]->owner != a || a->out[i]->index != i) { return bad(fg, a, "an output does not belong to it"); }
        if (!clients_ok(fg, a, a->out[i])) { return false; }
    }
    return types_ok(fg, a);
}

static bool walk(FGraph *fg, const ApplyVec *order, uint8_t *done) {
    for (int i = 0; i < order->n; i++) {
        if (!node_ok(fg, order->at[i], done)) { return false; }
        done[order->at[i]->id] = 1;
    }
    for (int i = 0; i < fg->nout; i++) {
        if (!edge_ok(fg, fg->out[i], NULL, i, fg->out_slot[i])) { return false; }
    }
    return order->n == fg->live ? true : bad(fg, NULL, "live nodes that no output needs");
}

/*
 * In the fixed order, no step reads a storage that an earlier one overwrote. Per variable: root is 1 + the variable
 * whose storage it shares through views (0: its own), killed says that a step overwrote the storage of this root.
 */
typedef struct Store {
    uint32_t root;
    bool killed;
} Store;

static uint32_t root_of(const Store *at, const ThVar *v) { return at[v->id].root ? at[v->id].root - 1 : v->id; }

static bool destroys_ok(const FGraph *fg, Store *at) {
    for (int i = 0; i < fg->norder; i++) {
        const ThApply *a = fg->order[i];
        for (int k = 0; k < a->nin; k++) {
            if (at[root_of(at, a->in[k])].killed) return bad(fg, a, "it reads a value that an earlier step overwrote");
        }
        if (a->op->flags & OP_VIEW) at[a->out[0]->id].root = 1 + root_of(at, a->in[0]);
        if (a->destroys < 0) continue;
        if (a->in[a->destroys]->kind == VAR_CONSTANT) return bad(fg, a, "it overwrites a constant");
        at[root_of(at, a->in[a->destroys])].killed = true;
    }
    return true;
}

bool graph_verify(FGraph *fg) {
    ApplyVec order = {0};
    uint8_t *done = ctx_alloc0(fg->ctx, (size_t)fg->nnodes + 1);
    Store *at = done ? ctx_alloc0(fg->ctx, sizeof *at * ((size_t)fg->nvars + 1)) : NULL;
    bool ok = at && fg_toposort(fg, &order) && walk(fg, &order, done) && destroys_ok(fg, at);
    vec_free(fg->ctx, &order);
    ctx_free(fg->ctx, done, done ? (size_t)fg->nnodes + 1 : 0);
    ctx_free(fg->ctx, at, at ? sizeof *at * ((size_t)fg->nvars + 1) : 0);
    return ok;
}
