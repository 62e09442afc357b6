/*
 * edit.c -- a Scan taken apart and put together again, and the pass that drops what no one needs.
 * scanOp_remove_constants_and_unused_inputs: results that nobody reads (and states that only such results read), inputs
 * that the body does not use, inputs given twice, constants (they move into the body).
 */
#include "scans.h"

#include <string.h>

bool scan_edit_begin(ScanEdit *e, Opt *o, ThApply *a) {
    memset(e, 0, sizeof *e);
    e->o = o;
    e->a = a;
    builder_begin_fg(&o->b, o->fg, a->prov);
    builder_begin(&e->user, o->c);
    e->user.prov = a->prov;
    if (!scan_parts(o->c, a->attrs, a->nin, &e->s)) return false;
    e->body = e->s.a->body;
    e->in = ctx_alloc(o->c, sizeof *e->in * (size_t)(a->nin + 1));
    for (int i = 0; e->in && i < a->nin; i++) e->in[i] = fg_find(a->in[i]);
    for (int i = 0; i < a->nout; i++) e->keep[i] = true;
    return e->in != NULL;
}

void scan_edit_end(ScanEdit *e) {
    ThContext *c = e->o->c;
    VarVec *all[] = {&e->from, &e->to, &e->seq, &e->seq_in, &e->value, &e->value_in, &e->shape, &e->collect};
    for (size_t i = 0; i < TH_LEN(all); i++) vec_free(c, all[i]);
    ctx_free(c, e->in, sizeof *e->in * (size_t)(e->a->nin + 1));
    builder_end(&e->user);
    builder_end(&e->o->b);
}

static void add_parts(ScanEdit *e, ScanPlan *p, ThVar *const *out) {
    const Scan *s = &e->s;
    ThVar *const *body = e->body->in;
    int nstate = 0, ncollect = 0, nshared = 0;
    for (int i = 0; i < s->nseq; i++) scan_plan_seq(p, e->in[scan_in_seq(s) + i], body[i]);
    for (int i = 0; i < e->seq.n; i++) scan_plan_seq(p, e->seq.at[i], e->seq_in.at[i]);
    for (int i = 0; i < s->nstate; i++) {
        int f = s->first[i];
        if (!e->keep[i]) continue;
        e->place[i] = nstate++;
        scan_plan_state(p, e->in[scan_in_state(s) + i], s->tap + f, s->first[i + 1] - f, body + s->nseq + f, out[i]);
    }
    for (int o = scan_out_collect(s); o < scan_out_shared(s); o++) {
        if (!e->keep[o]) continue;
        e->place[o] = nstate + ncollect++;
        scan_plan_collect(p, e->in[scan_in_shape(s) + o - scan_out_collect(s)], out[o]);
    }
    e->added = nstate + ncollect;
    for (int i = 0; i < e->collect.n; i++) scan_plan_collect(p, e->shape.at[i], out[e->body->nout + i]);
    for (int i = 0; i < s->nshared; i++) {
        int o = scan_out_shared(s) + i;
        if (!e->keep[o]) continue;
        e->place[o] = e->added + e->collect.n + nshared++;
        scan_plan_shared(p, e->in[scan_in_shared(s) + i], body[scan_body_shared(s) + i], out[o]);
    }
    for (int i = 0; i < s->nvalue; i++) scan_plan_value(p, e->in[scan_in_value(s) + i], body[scan_body_value(s) + i]);
    for (int i = 0; i < e->value.n; i++) scan_plan_value(p, e->value.at[i], e->value_in.at[i]);
    if (!s->until) return;
    p->until = out[scan_out_turns(s)];
    e->place[scan_out_turns(s)] = e->added + e->collect.n + nshared;
}

ThApply *scan_edit_make(ScanEdit *e) {
    ThContext *c = e->o->c;
    VarVec old = {0}, out = {0};
    ThApply *b = NULL;
    for (int o = 0; o < OP_MAX_OUT; o++) e->place[o] = -1;
    bool ok = vec_reserve(c, &old, e->body->nout + e->collect.n + 1) && vec_reserve(c, &out, old.cap);
    for (int o = 0; ok && o < e->body->nout; o++) old.at[old.n++] = e->body->out[o];
    for (int i = 0; ok && i < e->collect.n; i++) old.at[old.n++] = e->collect.at[i];
    ok = ok && graph_clone(c, old.at, old.n, e->from.at, e->to.at, e->from.n, true, out.at);
    out.n = ok ? old.n : 0;
    if (ok) {
        ScanPlan p;
        e->o->b.prov = e->a->prov; /* whoever built parts may have said other lines */
        scan_plan_begin(&p, &e->o->b, e->in[0]);
        p.name = e->s.a->name;
        p.truncate = e->s.a->truncate;
        add_parts(e, &p, out.at);
        b = scan_plan_make(&p);
        scan_plan_end(&p);
    }
    for (int i = 0; i < out.n; i++) th_var_release(out.at[i]);
    vec_free(c, &old);
    vec_free(c, &out);
    return b;
}

bool scan_edit_replace(ScanEdit *e, ThApply *b, const char *rule) {
    ThVar *old[OP_MAX_OUT], *new_[OP_MAX_OUT];
    int n = 0;
    for (int o = 0; o < e->a->nout; o++) {
        if (e->place[o] < 0 || e->a->out[o]->nclients == 0 || fg_find(e->a->out[o]) != e->a->out[o]) continue;
        old[n] = e->a->out[o];
        new_[n++] = b->out[e->place[o]];
    }
    e->o->rewrites++;
    return fg_replace_many(e->o->fg, old, new_, n, rule);
}

bool *scan_uses(const GraphBody *body) {
    ThContext *c = body->ctx;
    bool *uses = ctx_alloc_owned(c, (size_t)(body->nin * body->nout) + 1);
    if (!uses) return NULL;
    memset(uses, 0, (size_t)(body->nin * body->nout) + 1);
    for (int o = 0; o < body->nout; o++) {
        VarVec leaves = {0};
        Map seen = {0};
        uint32_t x;
        bool ok = graph_leaves(c, &body->out[o], 1, &leaves);
        for (int i = 0; ok && i < leaves.n; i++) ok = map_put(c, &seen, KEY(leaves.at[i]), 0);
        for (int i = 0; i < body->nin; i++) uses[o * body->nin + i] = !ok || map_get(&seen, KEY(body->in[i]), &x);
        vec_free(c, &leaves);
        map_free(c, &seen);
    }
    return uses;
}

ThVar *scan_import(Opt *o, ThVar *k) {
    if (k->type.kind == TYPE_NONE) return const_none(&o->b);
    if (k->type.kind == TYPE_SCALAR) return const_scalar_int(&o->b, array_item_int(k->u.data));
    return const_make_typed(&o->b, k->u.data, k->type);
}

bool scan_each(Opt *o, bool (*fn)(Opt *o, ThApply *a)) {
    if (!(o->met & MET_SCAN)) return true;
    ApplyVec order = {0};
    bool ok = fg_toposort(o->fg, &order);
    for (int i = 0; ok && i < order.n; i++) {
        ThApply *a = order.at[i];
        if (a->op == &op_scan && !(a->flags & APPLY_DEAD)) ok = fn(o, a);
    }
    vec_free(o->c, &order);
    return ok && opt_ranks(o);
}

/* ---- what no one needs ------------------------------------------------------------------------------------------- */
static void mark_needed(ScanEdit *e, const bool *uses) {
    const Scan *s = &e->s;
    int nin = e->body->nin;
    for (int o = 0; o < scan_out_turns(s); o++) e->keep[o] = e->a->out[o]->nclients > 0;
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < nin; i++) {
            int by = scan_carried_by(s, i);
            for (int o = 0; by >= 0 && !e->keep[by] && o < e->body->nout; o++)
                if (e->keep[o] && uses[o * nin + i]) e->keep[by] = again = true;
        }
    }
}

/* Whether an input is used by no result that stays, given twice or a constant. */
static bool input_spare(const ScanEdit *e, const bool *uses) {
    const Scan *s = &e->s;
    int nin = e->body->nin;
    for (int i = 0; i < nin; i++) {
        if (scan_carried_by(s, i) >= 0) continue;
        bool used = false;
        int at = scan_outer_of(s, i), first = i < s->nseq ? scan_in_seq(s) : scan_in_value(s);
        for (int o = 0; o < e->body->nout && !used; o++) used = e->keep[o] && uses[o * nin + i];
        if (!used || (i >= s->nseq && e->in[at]->kind == VAR_CONSTANT && e->in[at]->type.kind == TYPE_TENSOR))
            return true;
        for (int k = first; k < at; k++)
            if (e->in[k] == e->in[at]) return true;
    }
    return false;
}

static bool clean(Opt *o, ThApply *a) {
    ScanEdit e;
    bool ok = scan_edit_begin(&e, o, a), any = false;
    bool *uses = ok ? scan_uses(e.body) : NULL;
    if (uses) {
        mark_needed(&e, uses);
        for (int k = 0; k < scan_out_turns(&e.s); k++) any = any || !e.keep[k];
        if (any || input_spare(&e, uses)) {
            ThApply *b = scan_edit_make(&e);
            ok = b && scan_edit_replace(&e, b, "scanOp_remove_constants_and_unused_inputs");
        }
        th_free(o->c, uses);
    } else ok = false;
    scan_edit_end(&e);
    return ok;
}

bool pass_scan_clean(Opt *o) { return scan_each(o, clean); }
