/*
 * said.c -- what reports call the operands of a node: by the user's names, not by those of copies and views. In: a
 * variable of a graph, of a body perhaps. Out: words that live as long as the context, and where it was written.
 */
#include "ops/table/ops.h"
#include "build.h"

/* A view that only turns its operand: of x as "x", of x's transpose as "x.T" (*turned). */
static bool turns(const ThVar *v, bool *turned) {
    if (v->name || !v->owner || v->owner->op != &op_dimshuffle) return false;
    int from = v->owner->in[0]->type.ndim, to = v->type.ndim;
    if (from == 2 && to == 2 && dimshuffle_source(v, 0) == 1) *turned = !*turned;
    else if (from > 1 && to > 1) return false;
    return true;
}

/* The place of leaf v among the graph's arguments; -1. */
static int argument(const Planner *p, const ThVar *v) {
    int root = p->val[v->id].root;
    if (v->owner || root < 0 || p->root.at[root].kind != BUF_INPUT) return -1;
    int i = p->root.at[root].index;
    return i < p->nin && p->fg->in[i] == v ? i : -1;
}

typedef struct Name {
    const ThVar *of;  /* what views are of */
    const char *text; /* NULL: texts of nodes have it */
    Prov made;        /* of what has no name */
} Name;

static const char *kept(Text *t) {
    const char *s = t->at ? intern(t->c, t->at) : NULL;
    text_free(t);
    return s;
}

/* v's, seen through views. */
static Name name_of(const Planner *p, const ThVar *v) {
    bool turned = false;
    Name n = {.of = v};
    while (turns(n.of, &turned)) n.of = n.of->owner->in[0];
    int i = argument(p, n.of);
    const char *said = i >= 0 ? p->in[i].said : NULL;
    if (!said && !n.of->name && !var_is_const(n.of)) n.made = n.of->owner ? n.of->owner->prov : n.of->prov;
    if (!said && n.of == v) return n;
    Text t;
    text_init(&t, p->ctx);
    if (said) text_put(&t, said);
    else if (n.of->name || n.of->owner || var_is_const(n.of)) var_str(&t, n.of);
    else text_put(&t, "an argument");
    text_put(&t, turned ? ".T" : "");
    n.text = kept(&t);
    return n;
}

void said_operand(Build *b, const ThVar *v, PlanValue *to) {
    Name n = name_of(b->p, v);
    to->said = n.text;
    to->made = n.made;
}

/* An argument of a body, by what it is outside, an input of `node` or a state; q: how it comes in. */
const char *said_argument(const Planner *p, const ThApply *node, const ThVar *inner, const LoopPort *q, bool loop) {
    bool row = loop && (q->window || q->outer < 0);
    Text t;
    if (row && inner->name) return NULL; /* "x[t]" */
    text_init(&t, p->ctx);
    if (q->outer < 0) {
        text_printf(&t, node->nout > 1 ? "state %d of the loop" : "a state of the loop", -q->outer);
        return kept(&t);
    }
    Name n = name_of(p, node->in[q->outer]);
    text_put(&t, row ? "a row of " : "");
    if (n.text) text_put(&t, n.text);
    else if (n.of->name || n.of->owner || var_is_const(n.of)) var_str(&t, n.of);
    else text_put(&t, "an argument");
    if (n.made) {
        text_put(&t, " (");
        prov_text(p->ctx, &t, n.made);
        text_putc(&t, ')');
    }
    return kept(&t);
}
