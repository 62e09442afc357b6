/*
 * node_free.c -- references and freeing.
 * An Apply and its outputs share the Apply's count, leaves have their own; nodes of an FGraph share that of the whole
 * graph. Freeing is a loop over a list of dead Applys: a chain of a million nodes needs no stack.
 */
#include "parts.h"

static void free_leaf(ThVar *v) {
    ThContext *c = v->ctx;
    ctx_free(c, v, sizeof *v);
    atomic_fetch_sub(&c->live_nodes, 1);
    th_context_release(c);
}

/* One reference less on v and on what only it held; Applys that die are put on *dead. */
static void drop(ThVar *v, ThApply **dead) {
    while (v && !(v->flags & VAR_F_GRAPH)) {
        ThApply *a = v->owner;
        if (a) {
            if (atomic_fetch_sub(&a->refs, 1) == 1) {
                a->next_free = *dead;
                *dead = a;
            }
            return;
        }
        if (atomic_fetch_sub(&v->refs, 1) != 1) { return; }
        ThVar *next = NULL;
        if (v->kind == VAR_CONSTANT) {
            if (v->flags & VAR_F_CACHED) { const_forget(v); }
            th_array_release(v->u.data);
        } else if (v->kind == VAR_SHARED) {
            next = shared_drop(v->u.shared);
        }
        free_leaf(v);
        v = next;
    }
}

static void free_applys(ThApply *dead) {
    while (dead) {
        ThApply *a = dead;
        dead = a->next_free;
        for (int i = 0; i < a->nin; i++) { drop(a->in[i], &dead); }
        ThContext *c = a->ctx;
        ctx_free(c, a->lengths, lengths_bytes(a));
        inner_release(a->op, a->attrs); /* goes deeper once for each loop inside a loop */
        ctx_free(c, a, apply_block_bytes(a->op, a->nin, a->nout, false));
        atomic_fetch_sub(&c->live_nodes, 1);
        th_context_release(c);
    }
}

ThVar *th_var_retain(ThVar *v) {
    if (!v) { return NULL; }
    if (v->flags & VAR_F_GRAPH) {
        atomic_fetch_add(&v->fg->refs, 1);
    } else {
        atomic_fetch_add(v->owner ? &v->owner->refs : &v->refs, 1);
    }
    return v;
}

void th_var_release(ThVar *v) {
    ThApply *dead = NULL;
    if (v && (v->flags & VAR_F_GRAPH)) {
        fg_free(v->fg);
        return;
    }
    drop(v, &dead);
    free_applys(dead);
}

ThApply *th_apply_retain(ThApply *a) {
    if (a) { th_var_retain(a->out[0]); }
    return a;
}

void th_apply_release(ThApply *a) {
    if (a) { th_var_release(a->out[0]); }
}

ThVar *shared_drop(Shared *s) {
    if (!s || atomic_fetch_sub(&s->refs, 1) != 1) { return NULL; }
    ThVar *update = s->default_update, *self = s->self;
    ThContext *c = s->ctx;
    default_update_unlist(s);
    if (s->value) { buffer_set_storage(s->value->buf, false); }
    th_array_release(s->value);
    th_var_release(self); /* a leaf: the expression may hold it longer */
    ctx_free(c, s, sizeof *s);
    th_context_release(c);
    return update;
}

void shared_retain(Shared *s) { atomic_fetch_add(&s->refs, 1); }

void shared_release(Shared *s) { th_var_release(shared_drop(s)); }
