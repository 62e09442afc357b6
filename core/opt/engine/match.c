/*
 * match.c -- matches a text rule at a node and builds its result.
 * In: a compiled rule, a node. Out: the built variable (not yet fitted to the node's type), or NULL. A name used twice
 * must be the same variable (merging makes that a pointer test); numbers match constants filled with that value, also
 * behind a DimShuffle; commutative operations try both orders; in an n-ary sum or product a number or constant may be
 * any term and the other operand is then bound to the rest. Recursion is over the pattern, never over the graph.
 */
#include "rewrite.h"

#include <string.h>

typedef struct Match {
    Opt *o;
    const Rule *r;
    ThVar *slot[RULE_SLOTS];
    const ThApply *attrs[RULE_SLOTS]; /* nodes whose attributes a capital stands for */
    Prov lines;                       /* of the nodes matched */
} Match;

static bool bind(Match *m, int slot, ThVar *v) {
    if (slot < 0) return true;
    if (m->slot[slot]) return m->slot[slot] == v;
    m->slot[slot] = v;
    return true;
}

static bool match_var(Match *m, int pat, ThVar *v);

static bool match_inputs(Match *m, const Pat *p, ThVar *const *in, int nin, bool swap) {
    if (nin != p->nkid) return false;
    for (int i = 0; i < nin; i++)
        if (!match_var(m, p->kid[i], in[swap ? nin - 1 - i : i])) return false;
    return true;
}

/* Pattern f(number or constant, name) against an n-ary f: the name is bound to f of the other terms. */
static bool match_nary(Match *m, const Pat *p, const ThApply *a, int first) {
    const Pat *lit = &m->r->from.at[p->kid[first]], *rest = &m->r->from.at[p->kid[1 - first]];
    if (p->nkid != 2 || a->nin < 3 || lit->kind > PAT_NUM || lit->kind == PAT_ANY || rest->kind != PAT_ANY ||
        m->slot[rest->slot])
        return false;
    for (int i = 0; i < a->nin; i++) {
        Match saved = *m;
        if (!match_var(m, p->kid[first], a->in[i])) {
            *m = saved;
            continue;
        }
        VEC(ThVar *) others = {0};
        bool ok = true;
        for (int k = 0; ok && k < a->nin; k++)
            if (k != i) ok = vec_push(m->o->c, &others, a->in[k]);
        ThVar *v = ok ? elemwise_make(&m->o->b, p->scalar, others.at, others.n) : NULL;
        vec_free(m->o->c, &others);
        return v && bind(m, rest->slot, v);
    }
    return false;
}

static bool match_call(Match *m, const Pat *p, const ThApply *a);

/* f(x, y) behind a DimShuffle or Reshape is f of views: the view moves to what the pattern binds. */
static bool match_view(Match *m, const Pat *p, ThApply *view) {
    ThApply *f = view->in[0]->owner;
    ThVar *in[4];
    if (!f || p->scalar < 0 || ask_which(f) != p->scalar || f->nin > TH_LEN(in)) return false;
    for (int i = 0; i < f->nin; i++)
        if (!(in[i] = views_of(m->o, view, f->in[i]))) return false;
    Match saved = *m;
    if (match_inputs(m, p, in, f->nin, false)) return true;
    *m = saved;
    return (scalar_ops[p->scalar].flags & SF_COMM) && f->nin == 2 && match_inputs(m, p, in, 2, true);
}

/* Pattern -x against -1 * x * .., which canonicalize leaves: x is the product of the others. */
static bool match_minus(Match *m, const Pat *p, const ThApply *a) {
    ThVar *rest[KACC];
    int n = 0, at = -1;
    if (p->scalar != S_neg || a->nin < 2 || a->nin > KACC || dtype_is_discrete((ThDtype)a->out[0]->type.dtype))
        return false;
    for (int i = 0; i < a->nin; i++) {
        if (at < 0 && ask_equals(a->in[i], -1) && ask_all_bcast(a->in[i]->type)) at = i;
        else rest[n++] = a->in[i];
    }
    if (at < 0) return false;
    ThVar *x = opt_call(m->o, S_mul, rest, n, (ThDtype)a->out[0]->type.dtype);
    m->lines = prov_join(m->o->c, a->prov, m->lines);
    return x && x->type.broadcastable == a->out[0]->type.broadcastable && match_var(m, p->kid[0], x);
}

static bool match_call(Match *m, const Pat *p, const ThApply *a) {
    if (ask_which(a) == S_mul && p->scalar == S_neg) return match_minus(m, p, a);
    if (p->scalar >= 0 ? ask_which(a) != p->scalar : a->op != p->op) return false;
    if (p->aslot >= 0) {
        if (m->attrs[p->aslot] && !attrs_equal(a->op, a->attrs, m->attrs[p->aslot]->attrs)) return false;
        m->attrs[p->aslot] = a;
    }
    m->lines = prov_join(m->o->c, a->prov, m->lines);
    Match saved = *m;
    if (match_inputs(m, p, a->in, a->nin, false)) return true;
    *m = saved;
    if (p->scalar < 0 || !(scalar_ops[p->scalar].flags & SF_COMM)) return false;
    if (a->nin == 2 && match_inputs(m, p, a->in, 2, true)) return true;
    *m = saved;
    if (!(scalar_ops[p->scalar].flags & SF_NARY)) return false;
    return match_nary(m, p, a, 0) || match_nary(m, p, a, 1);
}

static bool match_var(Match *m, int pat, ThVar *v) {
    const Pat *p = &m->r->from.at[pat];
    switch (p->kind) {
    case PAT_ANY: return bind(m, p->slot, v);
    case PAT_CONST: {
        double x;
        return ask_value(v, &x) && bind(m, p->slot, v);
    }
    case PAT_NUM: return ask_equals(v, p->num);
    default:
        if (!v->owner || v->index) return false;
        if ((v->owner->op == &op_dimshuffle || v->owner->op == &op_reshape) && p->op != v->owner->op)
            return match_view(m, p, v->owner) && bind(m, p->slot, v);
        return match_call(m, p, v->owner) && bind(m, p->slot, v);
    }
}

/* ---- building the result ---- */
/* A number of a template: in the result's dtype, so that it never widens what it is joined with. */
static ThVar *build_number(Match *m, const Pat *p, const ThVar *out) {
    ThDtype d = out->type.dtype;
    if (dtype_is_discrete(d) && !p->integer) return const_float(&m->o->b, p->num, TH_DTYPE_NONE);
    if (dtype_is_discrete(d)) return const_int(&m->o->b, (int64_t)p->num, d == TH_BOOL ? TH_INT8 : d);
    return const_float(&m->o->b, p->num, d);
}

static ThVar *build(Match *m, int at, const ThVar *out) {
    const Pat *p = &m->r->to.at[at];
    ThVar *in[4];
    if (p->kind == PAT_NUM) return build_number(m, p, out);
    if (p->kind != PAT_CALL) return m->slot[p->slot];
    for (int i = 0; i < p->nkid; i++) {
        in[i] = build(m, p->kid[i], out);
        if (!in[i]) return NULL;
    }
    if (p->scalar >= 0) return elemwise_make(&m->o->b, p->scalar, in, p->nkid);
    return apply1(&m->o->b, p->op, p->aslot >= 0 ? m->attrs[p->aslot]->attrs : NULL, in, p->nkid);
}

ThVar *rule_apply(Opt *o, const Rule *r, ThApply *node) {
    Match m = {.o = o, .r = r};
    if (!match_call(&m, &r->from.at[r->from.n - 1], node)) return NULL;
    if (r->nguard && !guards_hold(r, m.slot, node->out[0])) return NULL;
    o->b.prov = m.lines;
    return build(&m, r->to.n - 1, node->out[0]);
}
