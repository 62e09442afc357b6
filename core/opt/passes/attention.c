/*
 * attention.c -- a softmax of the rows of scores between two batched products, and the gradients of these, become
 * Attention and AttentionGrad, which have no matrix of all scores in memory.
 * In: an FGraph before fusion. Per Softmax, with s = BatchedDot(q, k), all of three dimensions, or scores of four that
 * are Reshapes of three (batch, head, row, column):
 *     z = BatchedDot(p, v), p = Reshape(Softmax(Reshape(t))), t = s, c s, c s + mask, switch(mask, c s, number), ..
 *     u = c Reshape(SoftmaxGrad(Reshape(BatchedDot(dz, v')), Softmax)), switched as t is
 *     dq = BatchedDot(u, k'), dk = BatchedDot(q', u), dv = BatchedDot(p', dz)         (' : turned)
 * Out: z, dq, dk, dv of the two operations, where nobody else reads what is between; for a device the gradient reads z
 * too. Always holds: no cycle is made, since new nodes stand no later than what they replace.
 */
#include "kernel/costs.h"
#include "opt/rules/softmaxes.h"
#include "ops/table/nnet.h"

#include <string.h>

typedef struct Family {
    ThApply *softmax;
    ThVar *q, *k, *v, *mask, *dz;
    ThVar *more;        /* added to the scores too, or NULL */
    ThVar *whole, *dot; /* products of q and k as the scores have them; of three dimensions */
    AttentionAttrs attrs;
    uint8_t half;            /* to which mixed precision rounds all operands, or 0 */
    ThVar *z, *dq, *dk, *dv; /* what is replaced, or NULL */
} Family;

/* The only client of v; NULL: there are others, or it is an output. */
static ThApply *client(const ThVar *v) { return v->nclients == 1 ? v->clients[0].node : NULL; }

static bool turned_of(ThVar *v, ThVar *w) {
    Shuffled a = softmaxes_behind(v), b = softmaxes_behind(w);
    if (a.v != b.v || a.order.n != 3 || b.order.n != 3) return false;
    return a.order.at[0] == b.order.at[0] && a.order.at[1] == b.order.at[2] && a.order.at[2] == b.order.at[1];
}

static bool is_turn(const ThApply *a) {
    const AttrInts *p = a && a->op == &op_dimshuffle ? ask_attr(a->op, a->attrs, "order") : NULL;
    return p && p->n == 3 && p->at[0] == 0 && p->at[1] == 2 && p->at[2] == 1;
}

/* x behind Reshape(x) to the matrix of its rows: scores of three dimensions, or four, of which two are the batch's. */
static ThVar *rows_of(Opt *o, ThVar *v) {
    if (!ask_op(v, &op_reshape) || v->type.ndim != 2) return NULL;
    ThVar *x = v->owner->in[0];
    int n = x->type.ndim;
    return (n == 3 || n == 4) && reshapes_keep(o, v->owner->in[1], 1, x, n - 1) ? x : NULL;
}

/* Is the node a Reshape to three or four dimensions, of which the last two are those of x? Or all of them, one of
 * which follows from the others. */
static bool keeps(Opt *o, ThApply *a, ThVar *x) {
    int n = a && a->op == &op_reshape ? a->out[0]->type.ndim : 0, m = x->type.ndim, kept = 0;
    if ((n != 3 && n != 4) || !reshapes_keep(o, a->in[1], n - 1, x, m - 1)) return false;
    if (reshapes_keep(o, a->in[1], n - 2, x, m - 2)) return true;
    for (int d = 0; n == m && d < n - 1; d++) kept += reshapes_keep(o, a->in[1], d, x, d);
    return kept == n - 2;
}

/* The same, of x or of the products, whose lengths the masked scores have, if under other names. */
static bool is_back(Opt *o, ThApply *a, ThVar *x, const Family *f) {
    return keeps(o, a, x) || (f->dot && keeps(o, a, f->dot));
}

/* v of three dimensions, behind the Reshape of one of four, which nobody else reads, with the last two of x; NULL: it
 * is none. */
static ThVar *joined(Opt *o, ThVar *v, ThVar *x, const Family *f) {
    if (!v || v->type.ndim == 3) return v;
    ThApply *a = v->nclients == 1 ? v->owner : NULL;
    return a && a->op == &op_reshape && a->in[0]->type.ndim == 3 && is_back(o, a, x ? x : a->in[0], f) ? a->in[0]
                                                                                                       : NULL;
}

/* What reads v as three dimensions: v itself, or the only client of one of four. */
static ThVar *as_three(Opt *o, ThVar *v, const Family *f) {
    if (!v || v->type.ndim == 3) return v;
    ThApply *a = client(v);
    return is_back(o, a, v, f) && a->out[0]->type.ndim == 3 ? a->out[0] : NULL;
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */
/* v as number times BatchedDot. */
static bool scaled(Opt *o, ThVar *v, Family *f) {
    ThApply *m = ask_scalar(v, S_mul);
    ThVar *dot = v;
    double c = 1;
    if (m) {
        if (m->nin != 2 || v->nclients != 1) return false;
        bool first = ask_value(m->in[0], &c);
        if (!first && !ask_value(m->in[1], &c)) return false;
        dot = m->in[first];
        if (!type_eq(dot->type, v->type)) return false;
    }
    f->whole = dot;
    dot = joined(o, dot, NULL, f);
    if (!ask_op(dot, &op_batched_dot) || dot->nclients != 1 || dot->type.ndim != 3) return false;
    f->dot = dot;
    f->q = dot->owner->in[0], f->k = dot->owner->in[1];
    f->attrs.scale = c;
    return f->q->type.ndim == 3 && f->k->type.ndim == 3;
}

/* v as the scores and a mask. */
static bool added(Opt *o, ThVar *v, Family *f, ThVar **mask) {
    ThApply *sum = ask_scalar(v, S_add);
    for (int i = 0; sum && sum->nin == 2 && i < 2; i++)
        if (scaled(o, sum->in[i], f)) return *mask = sum->in[!i], true;
    return false;
}

static bool scores(Opt *o, ThVar *t, Family *f) {
    ThApply *choose = ask_scalar(t, S_switch), *sum = ask_scalar(t, S_add);
    if (t->nclients != 1) return false;
    if (choose) {
        bool keep = ask_value(choose->in[2], &f->attrs.fill);
        if (!keep && !ask_value(choose->in[1], &f->attrs.fill)) return false;
        f->attrs.kind = keep ? ATTENTION_KEEP : ATTENTION_FILL;
        f->mask = choose->in[0];
        return f->mask->type.dtype == TH_BOOL && scaled(o, choose->in[keep ? 1 : 2], f);
    }
    if (sum) {
        f->attrs.kind = ATTENTION_ADD;
        bool two = !added(o, t, f, &f->mask), found = !two;
        for (int i = 0; i < 2 && !found && sum->nin == 2; i++) {
            if (sum->in[i]->nclients != 1 || !added(o, sum->in[i], f, &f->mask)) continue;
            f->more = sum->in[!i], found = true;
        }
        return found && f->mask->type.dtype == t->type.dtype && (!two || f->more->type.dtype == t->type.dtype);
    }
    return scaled(o, t, f);
}

/* ---- mixed precision --------------------------------------------------------------------------------------------- */
/* v behind its rounding to a half and back, where all that reads it reads that. */
static ThVar *rounded(ThVar *v, Family *f) {
    ThApply *down = client(v);
    if (!down || ask_which(down) != S_cast || !dtype_is_half((ThDtype)down->out[0]->type.dtype)) return v;
    ThApply *up = client(down->out[0]);
    uint8_t half = down->out[0]->type.dtype;
    if (!up || ask_which(up) != S_cast || !type_eq(up->out[0]->type, v->type) || (f->half && f->half != half)) return v;
    f->half = half;
    return up->out[0];
}

/* The half that an operand was rounded to, as the operand lies; NULL: it was not. */
static ThVar *half_of(Opt *o, ThVar *v, const Family *f) {
    Shuffled s = softmaxes_behind(v);
    ThApply *up = ask_scalar(s.v, S_cast);
    if (!up || up->in[0]->type.dtype != f->half) return NULL;
    return dimshuffle_make(&o->b, up->in[0], s.order.at, s.order.n);
}

/* ---- the family -------------------------------------------------------------------------------------------------- */
/* What reads p: z = p . v, and perhaps dv = p' . dz. */
static bool take_weights(ThVar *p, Family *f) {
    p = rounded(p, f);
    if (p->nclients < 1 || p->nclients > 2) return false;
    for (int i = 0; i < p->nclients; i++) {
        ThApply *a = p->clients[i].node;
        if (!a) return false;
        if (a->op == &op_batched_dot && a->in[0] == p && a->in[1] != p && a->in[1]->type.ndim == 3 && !f->z) {
            f->z = a->out[0], f->v = a->in[1];
        } else if (is_turn(a) && !f->dv) {
            ThVar *turn = a->out[0];
            ThApply *d = client(turn);
            if (!d || d->op != &op_batched_dot || d->in[0] != turn || d->in[1]->type.ndim != 3) return false;
            f->dv = d->out[0], f->dz = d->in[1];
        } else {
            return false;
        }
    }
    return f->z != NULL;
}

/* The gradient of the scores, whose readers are dq and dk. */
static bool take_scores(ThVar *u, Family *f) {
    uint8_t half = f->half;
    u = rounded(u, f);
    if (f->half != half) return false; /* the weights were not */
    if (u->nclients < 1 || u->nclients > 2) return false;
    for (int i = 0; i < u->nclients; i++) {
        ThApply *a = u->clients[i].node;
        if (!a || a->op != &op_batched_dot) return false;
        if (a->in[0] == u && !f->dq && turned_of(a->in[1], f->k)) f->dq = a->out[0];
        else if (a->in[1] == u && !f->dk && turned_of(a->in[0], f->q)) f->dk = a->out[0];
        else return false;
    }
    return true;
}

/* The only client where it zeroes what the mask chose, or multiplies by the scores' number; else NULL. */
static ThApply *undone(const ThVar *u, const Family *f, bool choose) {
    ThApply *a = client(u);
    double c;
    if (choose) {
        int kept = f->attrs.kind == ATTENTION_KEEP ? 1 : 2;
        bool same = ask_which(a) == S_switch && a->in[0] == f->mask && a->in[kept] == u;
        return same && ask_zeros(a->in[3 - kept]) ? a : NULL;
    }
    bool same = ask_which(a) == S_mul && a->nin == 2 && ask_value(a->in[a->in[0] == u], &c);
    return same && c == f->attrs.scale ? a : NULL;
}

/* u behind the gradient of the softmax: switched as the scores are and times the same number, in either order. */
static ThVar *unscaled(ThVar *u, const Family *f) {
    bool left[2] = {f->attrs.scale != 1, f->attrs.kind >= ATTENTION_KEEP};
    for (int step = 0; step < 2; step++)
        for (int choose = 0; choose < 2; choose++) {
            ThApply *a = left[choose] ? undone(u, f, choose) : NULL;
            if (!a) continue;
            left[choose] = false;
            u = a->out[0];
        }
    return left[0] || left[1] ? NULL : u;
}

static bool take_gradient(Opt *o, ThApply *g, Family *f, ThVar *t) {
    /* v has as many rows as t columns */
    ThVar *d = joined(o, ask_op(g->in[0], &op_reshape) ? g->in[0]->owner->in[0] : NULL, t, f);
    if (!d || g->in[0]->nclients != 1 || d->nclients != 1 || !ask_op(d, &op_batched_dot)) return false;
    if (f->dz && d->owner->in[0] != f->dz) return false;
    f->dz = d->owner->in[0];
    if (f->dz->type.ndim != 3 || !turned_of(d->owner->in[1], f->v)) return false;
    ThApply *back = client(g->out[0]);
    if (!is_back(o, back, t, f)) return false;
    ThVar *u = as_three(o, unscaled(back->out[0], f), f);
    return u && take_scores(u, f);
}

static uint32_t rank(const ThVar *v) { return v->owner ? v->owner->rank + 1 : 0; }

/* All that the gradient reads is there before what it replaces: else a cycle could come of it. */
static bool in_order(const Family *f) {
    ThVar *const from[] = {f->q, f->k, f->v, f->dz, f->mask, f->more}, *const to[] = {f->dq, f->dk, f->dv};
    for (int t = 0; t < 3; t++)
        for (int i = 0; to[t] && i < TH_LEN(from); i++)
            if (from[i] && rank(from[i]) >= rank(to[t])) return false;
    for (int i = 0; i < TH_LEN(from); i++)
        if (from[i] && i != 3 && rank(from[i]) >= rank(f->z)) return false;
    return true;
}

/* ---- masks of four dimensions ----------------------------------------------------------------------------------- */
static bool one(const ThVar *v, int d) { return type_bcast(v->type, d); }
/* Of both masks. */
static bool alone(const Family *f, int d) { return one(f->mask, d) && (!f->more || one(f->more, d)); }

/* A mask of each matrix, or of all, or of some of them: where it is a row copies are small, else they share it, which
 * devices do not. The sum of two is no larger than one of them, but for a row. */
static bool mask_fits(const Opt *o, const Family *f) {
    const ThVar *m = f->mask;
    if (!m) return true;
    if (f->more) {
        const int n = m->type.ndim;
        if (f->more->type.ndim != n) return false;
        bool larger = false, smaller = false; /* the second in some dimension */
        for (int d = 0; d < n; d++) larger |= one(m, d) && !one(f->more, d), smaller |= !one(m, d) && one(f->more, d);
        if (larger && smaller && !one(m, n - 2) && !one(f->more, n - 2)) return false;
    }
    if (m->type.ndim == 3) return true;
    return m->type.ndim == 4 && (alone(f, 0) == alone(f, 1) || alone(f, 2) || !o->fg->device);
}

/* A mask that some matrices share, as one of three dimensions; its length is that of the scores. */
static ThVar *shared_mask(Opt *o, Family *f, const ThVar *whole, ThVar *m) {
    static const int8_t outer[] = {0, 2, 3}, inner[] = {1, 2, 3};
    const int d = one(m, 0);
    ThVar *n[4];
    for (int i = 0; i < 4; i++)
        if (!(n[i] = shape_i(o, i == d ? (ThVar *)(uintptr_t)whole : m, i))) return NULL;
    m = specify_shape_make(&o->b, m, make_vector_make(&o->b, n, 4, TH_INT64));
    f->attrs.share = d ? ATTENTION_TURNS : ATTENTION_NEIGHBOURS;
    return m ? dimshuffle_make(&o->b, m, d ? inner : outer, 3) : NULL;
}

/* The mask with both dimensions of the batch as one. Lengths that do not fit stay an error. */
static ThVar *mask_of_three(Opt *o, Family *f) {
    static const int8_t drop[] = {1, 2, 3};
    ThVar *m = f->mask, *n[4];
    if (f->more && !(m = call2(o, S_add, f->mask, f->more))) return NULL;
    if (!m || m->type.ndim == 3) return m;
    if (one(m, 0) && one(m, 1)) return dimshuffle_make(&o->b, m, drop, 3);
    const bool each = !one(m, 0) && !one(m, 1);
    if (!each && !one(m, 2)) return shared_mask(o, f, f->whole, m);
    for (int d = 0; d < 4; d++) /* the mask's own, but where they are checked, or given, by the scores' */
        if (!(n[d] = shape_i(o, d < 2 && (each || one(m, d)) ? f->whole : m, d))) return NULL;
    m = each ? specify_shape_make(&o->b, m, make_vector_make(&o->b, n, 4, TH_INT64)) : alloc_make(&o->b, m, n, 4);
    ThVar *flat[3] = {call2(o, S_mul, n[0], n[1]), n[2], n[3]};
    if (!m || !flat[0]) return NULL;
    const uint32_t bcast = (uint32_t)alone(f, 2) << 1 | (uint32_t)alone(f, 3) << 2;
    ThVar *r = reshape_make(&o->b, m, make_vector_make(&o->b, flat, 3, TH_INT64), 3);
    return r ? patternbroadcast_make(&o->b, r, bcast | (r->type.broadcastable & 1)) : NULL;
}

static bool find(Opt *o, ThApply *a, Family *f) {
    ThVar *sm = a->out[0], *t = rows_of(o, a->in[0]);
    *f = (Family){.softmax = a};
    if (!t || a->in[0]->nclients != 1 || !scores(o, t, f) || sm->nclients < 1 || sm->nclients > 2) return false;
    ThDtype d = (ThDtype)t->type.dtype;
    if (d != TH_FLOAT32 && d != TH_FLOAT64) return false;
    ThApply *grad = NULL, *p = NULL;
    for (int i = 0; i < sm->nclients; i++) {
        ThApply *c = sm->clients[i].node;
        if (c && c->op == &op_softmax_grad && c->in[1] == sm && !grad) grad = c;
        else if (is_back(o, c, t, f) && !p) p = c;
        else return false;
    }
    ThVar *weights = p ? as_three(o, p->out[0], f) : NULL;
    if (!weights || !take_weights(weights, f) || (grad && !take_gradient(o, grad, f, t))) return false;
    ThVar *const all[] = {f->q, f->k, f->v, f->dz};
    for (int i = 0; i < 4; i++)
        if (all[i] && all[i]->type.dtype != d) return false;
    return mask_fits(o, f) && in_order(f);
}

static bool replace(Opt *o, ThVar *from, ThVar *to) {
    return !from || (to && engine_replace(o, from, fg_find(to), o->pass->name)) || !failed(o->c);
}

/* Operands as the halves that they were rounded to, all of them or none. */
static bool halves(Opt *o, Family *f) {
    ThVar **const all[] = {&f->q, &f->k, &f->v, &f->dz};
    ThVar *to[4] = {0};
    if (!f->half) return true;
    if (!o->fg->device) return false; /* the processor has the parts */
    for (int i = 0; i < 4; i++)
        if (*all[i] && !(to[i] = half_of(o, *all[i], f))) return false;
    for (int i = 0; i < 4; i++) *all[i] = to[i];
    return true;
}

static bool join(Opt *o, Family *f) {
    if (!halves(o, f)) return !failed(o->c);
    ThVar *mask = mask_of_three(o, f), *in[7] = {f->q, f->k, f->v, mask};
    bool ok = false;
    if (f->mask && !mask) return !failed(o->c);
    ThApply *z = apply_make(&o->b, &op_attention, &f->attrs, in, 3 + (mask != NULL));
    if (z && f->dz) {
        int n = 3;
        in[n++] = z->out[1], in[n++] = f->dz;
        if (mask) in[n++] = mask;
        if (o->fg->device) in[n++] = z->out[0];
        ThApply *g = apply_make(&o->b, &op_attention_grad, &f->attrs, in, n);
        ok = g && replace(o, f->dq, g->out[0]) && replace(o, f->dk, g->out[1]) && replace(o, f->dv, g->out[2]);
    } else {
        ok = z != NULL;
    }
    ok = ok && replace(o, f->z, z->out[0]);
    return ok && !failed(o->c);
}

/* Is the pass named, or does it run because it is there? */
static bool is_asked(const Opt *o) {
    const WordVec *w = &o->q->include;
    if (o->q->only || o->q->named) return true;
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->at[i], o->pass->name) == 0) return true;
    return false;
}

/* Not on devices, where it was not measured. */
static bool pays(Opt *o, const Family *f) {
    ThVar *keys = shape_i(o, f->v, 1);
    int64_t n;
    return !o->fg->device && keys && scalar_known(keys, &n) && n >= COST_ATTENTION_KEYS && !config_bool(o->c, "repro");
}

bool pass_attention(Opt *o) {
    const bool asked = is_asked(o);
    if (!opt_made(o, &op_softmax) || !opt_made(o, &op_batched_dot)) return true;
    bool ok = opt_ranks(o);
    for (int i = 0; ok && i < o->fg->node.n; i++) {
        ThApply *a = o->fg->node.at[i];
        Family f;
        if (!a || a->op != &op_softmax) continue;
        builder_begin_fg(&o->b, o->fg, a->prov);
        o->b.rule = o->pass->name;
        if (find(o, a, &f) && (asked || pays(o, &f))) ok = join(o, &f);
        builder_end(&o->b);
    }
    return ok && !failed(o->c);
}
