/*
 * scan_heavy.c -- what a backward loop should read instead of computing it again: the products of the forward body. In:
 * a body and the gradients of its arguments. Out: for each product the value it ends in: as long as a value has one
 * user, elementwise and of the same type, that user's value is as good to keep and saves more.
 */
#include "scan.h"
#include "ops/table/shape.h"

#include <string.h>

typedef struct Heavy {
    ThContext *c;
    ApplyVec order;            /* of the body */
    Map place;                 /* node -> position in order */
    VEC(int) users;            /* by position: of output 0 in the body */
    VEC(int) user;             /* the last of them */
    VEC(bool) needed, outside; /* dx needs it; a node that is not in the body reads it */
    Map have;
} Heavy;

static int position(const Heavy *h, const ThApply *a) {
    uint32_t at;
    return a && map_get(&h->place, KEY(a), &at) ? (int)at : -1;
}

static bool number_body(Heavy *h, const GraphBody *body) {
    bool ok = graph_toposort(h->c, body->out, body->nout, body->in, body->nin, &h->order);
    int n = h->order.n;
    ok = ok && vec_reserve(h->c, &h->users, n + 1) && vec_reserve(h->c, &h->user, n + 1) &&
         vec_reserve(h->c, &h->needed, n + 1) && vec_reserve(h->c, &h->outside, n + 1);
    for (int i = 0; ok && i < n; i++) {
        h->users.at[i] = 0;
        h->user.at[i] = -1;
        h->needed.at[i] = h->outside.at[i] = false;
        ok = map_put(h->c, &h->place, KEY(h->order.at[i]), (uint32_t)i);
        for (int j = 0; ok && j < h->order.at[i]->nin; j++) {
            int from = position(h, h->order.at[i]->in[j]->owner);
            if (from < 0) continue;
            h->users.at[from]++;
            h->user.at[from] = i;
        }
    }
    for (int o = 0; ok && o < body->nout; o++) {
        int from = position(h, body->out[o]->owner);
        if (from >= 0) h->users.at[from]++, h->user.at[from] = -1;
    }
    return ok;
}

/* Marks what of the body dx is computed from, not going below what is kept already. */
static bool mark(Heavy *h, const GraphBody *body, ThVar *const *dx) {
    Map seen = {0};
    VarVec todo = {0};
    uint32_t x;
    bool ok = true;
    for (int i = 0; ok && i < body->nin; i++)
        if (dx[i] && dx[i]->type.kind == TYPE_TENSOR) ok = vec_push(h->c, &todo, dx[i]);
    while (ok && todo.n) {
        const ThVar *v = vec_pop(&todo);
        const ThApply *a = v->owner;
        if (!a || map_get(&h->have, KEY(v), &x) || map_get(&seen, KEY(a), &x)) continue;
        ok = map_put(h->c, &seen, KEY(a), 1);
        int at = position(h, a);
        if (at >= 0) h->needed.at[at] = true;
        for (int j = 0; ok && j < a->nin; j++) {
            int from = position(h, a->in[j]->owner);
            if (at < 0 && from >= 0) h->outside.at[from] = true;
            ok = vec_push(h->c, &todo, a->in[j]);
        }
    }
    map_free(h->c, &seen);
    vec_free(h->c, &todo);
    return ok;
}

/* The value to keep for the product at position i, or NULL: it is kept already. */
static ThVar *ends_in(const Heavy *h, int i) {
    uint32_t x;
    for (;;) {
        const ThApply *a = h->order.at[i];
        ThVar *v = a->out[0];
        if (map_get(&h->have, KEY(v), &x)) return NULL;
        int up = h->user.at[i];
        if (h->users.at[i] != 1 || up < 0 || h->outside.at[i]) return v;
        const ThApply *u = h->order.at[up];
        if (u->op != &op_elemwise || u->nout != 1 || !type_eq(u->out[0]->type, v->type) || !h->needed.at[up]) return v;
        i = up;
    }
}

bool scan_heavy(ThContext *c, const GraphBody *body, ThVar *const *dx, ThVar *const *have, int nhave, VarVec *heavy) {
    Heavy h = {.c = c};
    Map taken = {0};
    uint32_t x;
    bool ok = number_body(&h, body);
    for (int i = 0; ok && i < nhave; i++) ok = map_put(c, &h.have, KEY(have[i]), 1);
    ok = ok && mark(&h, body, dx);
    for (int i = 0; ok && i < h.order.n; i++) {
        if (h.order.at[i]->op != &op_dot || !h.needed.at[i]) continue;
        ThVar *v = ends_in(&h, i);
        if (v && !map_get(&taken, KEY(v), &x)) ok = map_put(c, &taken, KEY(v), 1) && vec_push(c, heavy, v);
    }
    vec_free(c, &h.order);
    vec_free(c, &h.users);
    vec_free(c, &h.user);
    vec_free(c, &h.needed);
    vec_free(c, &h.outside);
    map_free(c, &h.place);
    map_free(c, &h.have);
    map_free(c, &taken);
    return ok;
}

/* ---- lengths ----------------------------------------------------------------------------------------------------- */
bool scan_row_shapes(Builder *b, const ThApply *node, const Scan *s, ThVar *const *row, int n, VarVec *shape) {
    const GraphBody *body = s->a->body;
    VarVec to = {0}, out = {0};
    bool ok = vec_reserve(b->ctx, &to, body->nin + 1) && vec_reserve(b->ctx, &out, n + 1);
    for (int i = 0; ok && i < body->nin; i++) {
        ThVar *x = node->in[scan_outer_of(s, i)];
        bool whole = i >= scan_body_shared(s);
        ok = (to.at[i] = scan_fit(b, whole ? x : scan_zero_row(b, x), body->in[i]->type)) != NULL;
    }
    ok = ok && graph_clone(b->ctx, row, n, body->in, to.at, body->nin, false, out.at);
    if (ok) out.n = n;
    for (int i = 0; ok && i < n; i++) {
        ThVar *len[TH_MAX_NDIM + 1] = {cast_make(b, node->in[0], TH_INT64)};
        for (int d = 0; d < row[i]->type.ndim; d++) len[d + 1] = shape_elem_make(b, out.at[i], d);
        ThVar *v = make_vector_make(b, len, row[i]->type.ndim + 1, TH_INT64);
        ok = v && vec_push(b->ctx, shape, v);
    }
    for (int i = 0; i < out.n; i++) th_var_release(out.at[i]);
    vec_free(b->ctx, &to);
    vec_free(b->ctx, &out);
    return ok;
}
