/*
 * heads.c -- for a device: Attention of matrices that are cut from (batch, position, head, feature) and whose results
 * are turned back to that reads and writes arrays of four dimensions as they lie (AttentionHeads).
 * In: an FGraph behind amp_views. Per Attention, and AttentionGrad if there is one, with v^ for DimShuffle:
 *     q = Reshape((batch, position, head, feature)^), of three dimensions, k, v and dz likewise;
 *     z and the gradients are read as Reshape(z)^ of four dimensions, with the same batch and heads
 * Out: the two operations on what is behind the views, whose results stand for what is read. What mixed precision
 * rounds them to is what they give, and gradients that are set one after the other in parts of memory of their own, as
 * those of one product are, are written there. Always holds: lengths are surely the same, or nothing changes.
 */
#include "opt/rules/softmaxes.h"
#include "ops/table/index.h"
#include "ops/table/nnet.h"

#include <string.h>

enum { Q, K, V, DZ, OPERANDS }; /* and what is given: z, dq, dk, dv */

typedef struct Heads {
    ThApply *made, *grad;   /* AttentionGrad, or NULL */
    ThVar *x[OPERANDS];     /* operands of four dimensions */
    ThVar *seen[OPERANDS];  /* what z and the gradients are seen as, or NULL: nobody does */
    ThVar *trip[OPERANDS];  /* ..behind its rounding to the half that operands are of, and back, or NULL */
    ThApply *set[OPERANDS]; /* of the gradients: each in a part of one array, the lowest.. */
    ThApply *low, *top;     /* ..and the last of them; or NULL */
    ThVar *mask;
    HeadsAttrs attrs;
    int half;
} Heads;

/* Length d of x as a number; also one that a Reshape was told since its length was asked for first. */
static bool known(Opt *o, ThVar *x, int d, int64_t *k) {
    const Shuffled s = softmaxes_behind(x);
    const int e = s.order.at[d];
    ThVar *n = shape_i(o, x, d);
    if (n && scalar_known(n, k)) return true;
    return e >= 0 && ask_op(s.v, &op_reshape) && vector_known(s.v->owner->in[1], e, k) && *k >= 0;
}

/* Entry d of `shape` is surely the length of x's dimension e. */
static bool keeps(Opt *o, ThVar *shape, int d, ThVar *x, int e) {
    int64_t k, n;
    return reshapes_keep(o, shape, d, x, e) || (vector_known(shape, d, &k) && known(o, x, e, &n) && k == n);
}

/* v is surely the length of x's dimension d. */
static bool is_length(Opt *o, ThVar *v, ThVar *x, int d) {
    int64_t k, n;
    return v == shape_i(o, x, d) || (scalar_known(v, &k) && known(o, x, d, &n) && k == n);
}

/* The first length of a Reshape is that of both first dimensions of x. */
static bool merges(Opt *o, ThVar *shape, ThVar *x) {
    int64_t k, b, h;
    if (vector_known(shape, 0, &k)) return known(o, x, 0, &b) && known(o, x, 1, &h) && b * h == k;
    ThVar *v = ask_op(shape, &op_make_vector) ? shape->owner->in[0] : NULL;
    const ThApply *a = v ? ask_scalar(v, S_mul) : NULL;
    for (int i = 0; a && a->nin == 2 && i < 2; i++)
        if (is_length(o, a->in[i], x, 0) && is_length(o, a->in[!i], x, 1)) return true;
    return false;
}

/* The length that a Reshape was told as a variable, or NULL. */
static const ThVar *told(ThVar *x, int d) {
    const Shuffled s = softmaxes_behind(x);
    const int e = s.order.at[d];
    const ThVar *shape = e >= 0 && ask_op(s.v, &op_reshape) ? s.v->owner->in[1] : NULL;
    return shape && ask_op((ThVar *)(uintptr_t)shape, &op_make_vector) ? shape->owner->in[e] : NULL;
}

static bool same_length(Opt *o, ThVar *x, ThVar *y, int d) {
    const ThVar *a = shape_i(o, x, d), *b = shape_i(o, y, d), *t = told(x, d);
    int64_t k, n;
    return (a && a == b) || (t && t == told(y, d)) || (known(o, x, d, &k) && known(o, y, d, &n) && k == n);
}

/* Matrices v of all heads as (batch, position, head, feature); turned: features come first. NULL: they are no such, or
 * not surely. */
static ThVar *heads_of(Opt *o, ThVar *v, bool turned, bool sure) {
    const Shuffled s = softmaxes_behind(v);
    const int f = turned ? 1 : 2, at = s.order.at[f], other = s.order.at[3 - f];
    if (s.order.n != 3 || s.order.at[0] != 0 || at + other != 3 || at < 1 || other < 1) return NULL;
    if (!ask_op(s.v, &op_reshape) || s.v->type.ndim != 3) return NULL;
    ThVar *x = s.v->owner->in[0], *shape = s.v->owner->in[1];
    if (x->type.ndim != 4) return NULL;
    if (sure && (!keeps(o, shape, 1, x, 2) || !keeps(o, shape, 2, x, 3) || !merges(o, shape, x))) return NULL;
    const Shuffled t = softmaxes_behind(x);
    int8_t order[4] = {t.order.at[0], t.order.at[other + 1], t.order.at[1], t.order.at[at + 1]};
    return dimshuffle_make(&o->b, t.v, order, 4);
}

/* The only client of v but for one node, NULL: there are others, or it is an output. */
static ThApply *client(const ThVar *v, const ThApply *but) {
    ThApply *one = NULL;
    for (int i = 0; i < v->nclients; i++) {
        ThApply *a = v->clients[i].node;
        if (a && a == but) continue;
        if (!a || one) return NULL;
        one = a;
    }
    return one;
}

static const AttrInts *order_of(const ThApply *a, int n) {
    const AttrInts *p = a && a->op == &op_dimshuffle ? ask_attr(a->op, a->attrs, "order") : NULL;
    return p && p->n == n && a->in[0]->type.ndim == n ? p : NULL;
}

/* What matrices v of all heads are seen as, (batch, position, head, feature) with the lengths of x, features with those
 * of y; NULL: others see them, or other things. */
static ThVar *seen_as(Opt *o, ThVar *v, const ThApply *but, bool turned, ThVar *x, ThVar *y) {
    ThApply *a = client(v, but);
    const AttrInts *p = order_of(a, 3);
    if (p) {
        if (p->at[0] != 0 || p->at[1] != 2) return NULL;
        v = a->out[0], turned = !turned;
        a = client(v, NULL);
    }
    const int pos = turned ? 3 : 2;
    ThVar *n = a && a->op == &op_reshape && a->out[0]->type.ndim == 4 ? a->in[1] : NULL;
    if (!n || !keeps(o, n, 0, x, 0) || !keeps(o, n, 1, x, 2) || !keeps(o, n, pos, x, 1) || !keeps(o, n, 5 - pos, y, 3))
        return NULL;
    a = client(a->out[0], NULL);
    p = order_of(a, 4);
    return p && p->at[0] == 0 && p->at[1] == pos && p->at[2] == 1 && p->at[3] == 5 - pos ? a->out[0] : NULL;
}

/* v rounded to the half and back, where nobody sees v itself; or NULL. */
static ThVar *round_trip(const ThVar *v, int half) {
    const ThApply *down = half ? client(v, NULL) : NULL;
    if (!down || ask_which(down) != S_cast || down->out[0]->type.dtype != half) return NULL;
    const ThApply *up = client(down->out[0], NULL);
    return up && ask_which(up) == S_cast && up->out[0]->type.dtype == v->type.dtype ? up->out[0] : NULL;
}

/* ---- gradients that are parts of one array ----------------------------------------------------------------------- */
/* The node that sets v, reshaped to three dimensions, in an array of three. */
static ThApply *set_of(ThVar *v) {
    ThApply *a = client(v, NULL);
    if (!a || a->op != &op_reshape || a->out[0]->type.ndim != 3) return NULL;
    v = a->out[0];
    a = client(v, NULL);
    return a && a->op == &op_inc_subtensor && a->in[1] == v && a->in[0] != v && ATTRS(IncSubtensorAttrs, a)->set ? a
                                                                                                                 : NULL;
}

/* Which part of the array's lines it is, as wide as heads and features of x; or one that reaches to their end, which
 * then is as wide where two others are that have as many elements. */
static bool part_of(Opt *o, const ThApply *set, ThVar *x, int64_t *from, int64_t *to) {
    int dim;
    int64_t heads, each;
    if (!known(o, x, 2, &heads) || !known(o, x, 3, &each) || set->in[0]->type.ndim != 3) return false;
    if (!inc_subtensor_slice(set, &dim, from, to) || dim != 2) return false;
    return *to == INT64_MAX || (heads > 0 && each > 0 && *to - *from == heads * each);
}

static bool before(const ThVar *v, const ThApply *a) { return !v->owner || v->owner->rank < a->rank; }

/* Memory of its own, where nothing but a constant was set, if anything was; nothing of it waits for the gradient. */
static bool is_room(const ThVar *v, const Heads *h) {
    const ThApply *a = v->owner;
    for (int n = 0; a && n < 2; n++) {
        const bool set = a->op == &op_inc_subtensor && ATTRS(IncSubtensorAttrs, a)->set;
        if (a->out[0]->nclients != 1 || (!set && a->op != &op_alloc_empty)) return false;
        for (int i = set ? 1 : 0; i < a->nin; i++)
            if (!before(a->in[i], h->grad)) return false;
        if (!set) return true;
        a = a->in[0]->owner;
    }
    return false;
}

/* The three gradients, of as many positions, are set in parts of one array that do not meet, one after the other. */
static bool find_parts(Opt *o, Heads *h) {
    int64_t from[OPERANDS], to[OPERANDS];
    const ThApply *next[OPERANDS] = {0};
    if (!same_length(o, h->x[Q], h->x[K], 1)) return false;
    for (int i = 1; i < OPERANDS; i++) {
        ThVar *v = h->trip[i] ? h->trip[i] : h->seen[i];
        if (!v || !(h->set[i] = set_of(v)) || !part_of(o, h->set[i], h->x[i - 1], &from[i], &to[i])) return false;
        for (int j = 1; j < i; j++)
            if (h->set[i] == h->set[j] || (from[i] < to[j] && from[j] < to[i])) return false;
    }
    for (int i = 1; i < OPERANDS; i++)
        for (int j = 1; j < OPERANDS; j++)
            if (h->set[j]->in[0] == h->set[i]->out[0] && client(h->set[i]->out[0], NULL) == h->set[j])
                next[i] = h->set[j];
    for (int i = 1; i < OPERANDS; i++) {
        bool first = true;
        for (int j = 1; j < OPERANDS; j++) first &= next[j] != h->set[i];
        if (first && h->low) return false;
        if (first) h->low = h->set[i];
        if (!next[i] && h->top) return false;
        if (!next[i]) h->top = h->set[i];
    }
    h->attrs.dq_from = from[1], h->attrs.dk_from = from[2], h->attrs.dv_from = from[3];
    h->attrs.dq_to = to[1], h->attrs.dk_to = to[2], h->attrs.dv_to = to[3];
    return h->low && h->top && is_room(h->low->in[0], h);
}

/* The room of v in another dtype: the same memory, the same constant. */
static ThVar *room_of(Opt *o, ThVar *v, ThDtype d) {
    const ThApply *a = v->owner;
    if (v->type.dtype == d) return v;
    if (a->op == &op_alloc_empty) return alloc_empty_make(&o->b, d, a->in, a->nin);
    ThVar *in[2 + 3 * TH_MAX_NDIM] = {room_of(o, a->in[0], d)};
    const ThApply *up = ask_scalar(a->in[1], S_cast);
    in[1] = up && up->in[0]->type.dtype == d ? up->in[0] : cast_make(&o->b, a->in[1], d);
    memcpy(in + 2, a->in + 2, (size_t)(a->nin - 2) * sizeof *in);
    const ThApply *again = in[0] && in[1] ? apply_copy(&o->b, a, in) : NULL;
    return again ? again->out[0] : NULL;
}

/* ---- both operations --------------------------------------------------------------------------------------------- */
/* Roundings: of all gradients or of none. */
static void find_roundings(Heads *h) {
    bool all = true;
    for (int i = 0; i < OPERANDS; i++) {
        if (h->seen[i]) h->trip[i] = round_trip(h->seen[i], h->half);
        all &= !i || !h->seen[i] || h->trip[i];
    }
    for (int i = 1; i < OPERANDS && !all; i++) h->trip[i] = NULL;
}

static bool find(Opt *o, ThApply *a, Heads *h) {
    const AttentionAttrs *at = a->attrs;
    *h = (Heads){.made = a, .attrs = {.kind = at->kind, .scale = at->scale, .fill = at->fill}};
    if (at->share != ATTENTION_EACH || a->out[1]->nclients > 1) return false;
    if (a->out[1]->nclients) {
        h->grad = a->out[1]->clients[0].node;
        if (!h->grad || h->grad->op != &op_attention_grad || h->grad->in[h->grad->nin - 1] != a->out[0]) return false;
    }
    const int n = h->grad ? OPERANDS : DZ;
    if (at->kind != ATTENTION_PLAIN) h->mask = a->in[V + 1];
    for (int i = 0; i < n; i++)
        if (!(h->x[i] = heads_of(o, i == DZ ? h->grad->in[V + 2] : a->in[i], i == K, i != DZ))) return false;
    for (int d = 0; h->grad && d < 4; d++) /* so its matrices are those of z, as AttentionGrad asks for */
        if (!same_length(o, h->x[DZ], h->x[d == 3 ? V : Q], d)) return false;
    for (int i = 0; i < (h->grad ? OPERANDS : 1); i++) {
        ThVar *v = i ? h->grad->out[i - 1] : a->out[0];
        if (!v->nclients) continue;
        ThVar *x = h->x[i ? i - 1 : Q], *y = i ? x : h->x[V];
        if (!(h->seen[i] = seen_as(o, v, i ? NULL : h->grad, i == 1 + K, x, y))) return false;
    }
    if (!h->seen[0]) return false;
    h->half = dtype_is_half((ThDtype)h->x[Q]->type.dtype) ? h->x[Q]->type.dtype : 0;
    find_roundings(h);
    if (h->grad && !find_parts(o, h)) h->low = h->top = NULL;
    return true;
}

/* `to`, which may be the half of it, stands for what is seen. */
static bool replace(Opt *o, ThVar *seen, ThVar *to) {
    if (to && to->type.dtype != seen->type.dtype) to = cast_make(&o->b, to, (ThDtype)seen->type.dtype);
    return to && (engine_replace(o, seen, fg_find(to), o->pass->name) || !failed(o->c));
}

static bool same(ThVar *seen, const ThVar *to) {
    return !seen || (seen->type.ndim == to->type.ndim && seen->type.broadcastable == to->type.broadcastable);
}

static bool join_gradient(Opt *o, const Heads *h, const ThApply *z) {
    ThVar *whole = z->out[h->trip[0] ? 2 : 0];
    ThVar *in[8] = {h->x[Q], h->x[K], h->x[V], z->out[1], h->x[DZ], whole, h->mask};
    HeadsAttrs at = h->attrs;
    int n = 6 + (h->mask != NULL);
    at.low = h->trip[1] || h->trip[2] || h->trip[3] ? h->half : 0;
    if (h->top) {
        in[7] = in[6];
        if (!(in[6] = room_of(o, h->low->in[0], (ThDtype)(at.low ? at.low : h->top->out[0]->type.dtype)))) return false;
        const ThApply *g = apply_make(&o->b, &op_attention_heads_into, &at, in, n + 1);
        return g && replace(o, h->top->out[0], g->out[0]);
    }
    at.dq_from = at.dk_from = at.dv_from = at.dq_to = at.dk_to = at.dv_to = 0;
    const ThApply *g = apply_make(&o->b, &op_attention_heads_grad, &at, in, n);
    bool ok = g != NULL;
    for (int i = 1; ok && i < OPERANDS; i++)
        if (h->seen[i]) ok = replace(o, h->trip[i] ? h->trip[i] : h->seen[i], g->out[i - 1]);
    return ok;
}

static bool join(Opt *o, const Heads *h) {
    ThVar *in[4] = {h->x[Q], h->x[K], h->x[V], h->mask};
    HeadsAttrs at = {.kind = h->attrs.kind, .scale = h->attrs.scale, .fill = h->attrs.fill};
    if (h->trip[0]) at.low = h->half, at.whole = h->grad != NULL;
    const ThApply *z = apply_make(&o->b, &op_attention_heads, &at, in, 3 + (h->mask != NULL));
    if (!z) return false;
    if (!same(h->seen[0], z->out[0])) return true;
    for (int i = 1; i < OPERANDS; i++)
        if (!same(h->seen[i], h->x[i - 1])) return true;
    return (!h->grad || join_gradient(o, h, z)) && replace(o, h->trip[0] ? h->trip[0] : h->seen[0], z->out[0]);
}

bool pass_heads(Opt *o) {
    if (!o->fg->device || !opt_made(o, &op_attention)) return true;
    bool ok = opt_ranks(o);
    for (int i = 0; ok && i < o->fg->node.n; i++) {
        ThApply *a = o->fg->node.at[i];
        Heads h;
        if (!a || a->op != &op_attention) continue;
        builder_begin_fg(&o->b, o->fg, a->prov);
        o->b.rule = o->pass->name;
        if (find(o, a, &h)) ok = join(o, &h);
        builder_end(&o->b);
    }
    return ok && !failed(o->c);
}
