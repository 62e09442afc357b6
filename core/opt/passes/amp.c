/*
 * amp.c -- mixed precision: operands of products and convolutions are rounded to a half. In: float32 operands of
 * operations that say OP_AMP. Out: the same operations on casts to the half and back, which add up in float32 and give
 * float32; everything else stays as it is. Runs only where it is asked for by name. A view is rounded where it comes
 * from, so that a matrix and its transpose are rounded once. What stands between two products, an operand made element
 * by element of other products' results, is rounded for all who read it, and so are these results: a device keeps
 * halves of them alone.
 */
#include "ops/table/index.h"
#include "opt/engine/rewrite.h"

#include <string.h>

enum { VIEWS = 4, SEEN = 32, PATH = 16 };

static bool is_view(const ThApply *a) { return a->op == &op_reshape || a->op == &op_dimshuffle; }

/* The half whose numbers a factor has, through views, or 0. */
static int half_of(const ThVar *v) {
    while (v->owner && is_view(v->owner)) v = v->owner->in[0];
    const ThApply *up = v->owner && ask_which(v->owner) == S_cast ? v->owner : NULL;
    return up && dtype_is_half((ThDtype)up->in[0]->type.dtype) ? up->in[0]->type.dtype : 0;
}

/* x rounded to half d, as float32; the rounding in *down. */
static ThVar *round_trip(Opt *o, ThVar *x, ThDtype d, ThApply **down) {
    ThVar *r = cast_make(&o->b, x, d);
    *down = r ? r->owner : NULL;
    return r ? cast_make(&o->b, r, TH_FLOAT32) : NULL;
}

/* ---- between two products ---------------------------------------------------------------------------------------- */
/* What a value is made of by operations element by element. */
typedef struct Between {
    ThVar *v[PATH], *dot[PATH]; /* [0]: the value; the products that it is made of */
    int n, ndot;
    ThVar *point; /* what the last operation gives, of which the value is a view */
    bool halves;  /* it is made of a half, or of a product */
} Between;

/* No array as large as the value: a number, a bias; or none of floats. */
static bool is_side(const ThVar *v) {
    bool side = v->type.ndim == 0 || !dtype_is_float((ThDtype)v->type.dtype) || var_is_const(v);
    for (int d = 0; d < v->type.ndim; d++) side |= type_bcast(v->type, d);
    return side;
}

static bool put(Between *s, ThVar *v) {
    for (int i = 0; i < s->n; i++)
        if (s->v[i] == v) return true;
    if (s->n == PATH) return false;
    s->v[s->n++] = v;
    return true;
}

/* v is made of nothing but what products of matrices give, halves and what is_side. */
static bool between(Between *s, ThVar *v) {
    *s = (Between){.v = {v}, .n = 1};
    for (int i = 0; i < s->n; i++) {
        ThApply *a = s->v[i]->owner;
        if (i > 0 && is_side(s->v[i])) continue;
        if (!a || s->v[i]->type.dtype != TH_FLOAT32) return false;
        const bool up = ask_which(a) == S_cast && dtype_is_half((ThDtype)a->in[0]->type.dtype);
        const bool dot = a->op == &op_dot && s->v[i]->type.ndim == 2;
        s->halves |= up || dot;
        if (dot) s->dot[s->ndot++] = s->v[i];
        if (up || dot) continue;
        if (!is_view(a) && ask_which(a) < 0) return false;
        if (!is_view(a) && !s->point) s->point = s->v[i];
        for (int j = 0; j < (is_view(a) ? 1 : a->nin); j++)
            if (!put(s, a->in[j])) return false;
    }
    return s->halves && s->point;
}

/* All that reads v reads it rounded. */
static bool round_all(Opt *o, ThVar *v, ThDtype d) {
    ThApply *down = NULL;
    ThVar *r = round_trip(o, v, d, &down);
    for (int c = 0; r && c < v->nclients;) {
        const Client at = v->clients[c];
        if (at.node && at.node == down) {
            c++;
            continue;
        }
        if (!(at.node ? fg_set_input(o->fg, at.node, at.pos, r) : fg_set_output(o->fg, at.pos, r))) return false;
        o->changes++, c = 0;
    }
    return r != NULL;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */
static ThVar *rounded(Opt *o, ThApply *a, int i, ThDtype d) {
    Between s;
    ThApply *view[VIEWS];
    int n = 0;
    ThVar *x = a->in[i], *from = x;
    if (between(&s, x)) {
        for (int k = 0; k < s.ndot; k++)
            if (!round_all(o, fg_find(s.dot[k]), d)) return NULL;
        return round_all(o, fg_find(s.point), d) ? a->in[i] : NULL;
    }
    while (n < VIEWS && from->owner && from->owner->op == &op_dimshuffle) {
        view[n++] = from->owner;
        from = from->owner->in[0];
    }
    if (from->type.kind != TYPE_TENSOR || from->type.dtype != TH_FLOAT32) return x;
    if (half_of(x)) return x;
    ThVar *r = cast_make(&o->b, cast_make(&o->b, from, d), TH_FLOAT32);
    while (r && n > 0) {
        ThApply *again = apply_copy(&o->b, view[--n], &r);
        r = again ? again->out[0] : NULL;
    }
    return r;
}

static bool product(Opt *o, ThApply *a, ThDtype d) {
    enum { MOST = 8 };
    ThVar *in[MOST];
    bool ok = a->nin <= MOST, changed = false;
    builder_begin_fg(&o->b, o->fg, a->prov);
    o->b.rule = "amp";
    for (int i = 0; ok && i < a->nin; i++) {
        ok = (in[i] = rounded(o, a, i, d)) != NULL;
        changed = changed || in[i] != a->in[i];
        if (a->flags & APPLY_DEAD) break; /* it became one with another */
    }
    ThApply *r = ok && changed && !(a->flags & APPLY_DEAD) ? apply_copy(&o->b, a, in) : NULL;
    if (r) engine_replace(o, a->out[0], r->out[0], "amp");
    builder_end(&o->b);
    return !failed(o->c);
}

static bool products(Opt *o, ThDtype d) {
    const ApplyVec *order = opt_order(o);
    bool ok = order != NULL;
    for (int i = 0; ok && i < order->n; i++) {
        ThApply *a = order->at[i];
        if (!(a->flags & APPLY_DEAD) && a->op->flags & OP_AMP && a->nout == 1) ok = product(o, a, d);
    }
    return ok;
}

bool pass_amp_float16(Opt *o) { return products(o, TH_FLOAT16); }
bool pass_amp_bfloat16(Opt *o) { return products(o, TH_BFLOAT16); }

/* ---- for a device ------------------------------------------------------------------------------------------------ */
static ThApply *rounding(ThApply *a) {
    bool half = ask_which(a) == S_cast && a->nin == 1 && dtype_is_half((ThDtype)a->out[0]->type.dtype);
    return half && a->in[0]->type.dtype == TH_FLOAT32 ? a : NULL;
}

/* The cast back that alone reads a rounding, or NULL. */
static ThApply *widening(const ThApply *down) {
    const ThVar *v = down->out[0];
    ThApply *up = v->nclients == 1 ? v->clients[0].node : NULL;
    return up && ask_which(up) == S_cast && up->out[0]->type.dtype == TH_FLOAT32 ? up : NULL;
}

/* down(view(x)) as view(down(x)), and what casts back likewise. A turned array that is reshaped is copied: as a half
 * where it stays one, else by the cast. *now: the rounding. */
static bool settle(Opt *o, ThApply *down, ThApply **now) {
    ThApply *view[VIEWS], *up = widening(down);
    bool reshaped = false;
    int n = 0;
    ThVar *from = down->in[0], *to = up ? up->out[0] : down->out[0];
    for (ThApply *v; n < VIEWS && (v = from->owner) && (v->op == &op_reshape || (!up && v->op == &op_dimshuffle));
         n++) {
        view[n] = v;
        reshaped |= v->op == &op_reshape;
        from = v->in[0];
    }
    *now = down;
    if (!reshaped) return true;
    if (!up && n == 3 && from->owner && from->owner->op == &op_subtensor && view[0]->op == &op_reshape &&
        view[1]->op == &op_dimshuffle) /* a part of an array, seen where it lies: the cast is its copy */
        from = view[0]->in[0], n = 1;
    builder_begin_fg(&o->b, o->fg, down->prov);
    o->b.rule = "amp_views";
    ThVar *r = cast_make(&o->b, from, (ThDtype)down->out[0]->type.dtype);
    *now = r ? r->owner : NULL;
    if (r && up) r = cast_make(&o->b, r, TH_FLOAT32);
    while (r && n > 0) {
        const ThApply *v = view[--n];
        ThVar *in[2] = {r, v->nin > 1 ? v->in[1] : NULL};
        ThApply *again = apply_copy(&o->b, v, in);
        r = again ? again->out[0] : NULL;
    }
    if (r && type_eq(r->type, to->type)) engine_replace(o, to, r, "amp_views");
    builder_end(&o->b);
    return !failed(o->c);
}

/* Parts that are set one after the other in memory of their own, and rounded as a whole: each is rounded where it is
 * made, so that it is stored as a half at once. */
static bool settle_parts(Opt *o, ThApply *down) {
    enum { PARTS = 16 };
    ThApply *set[PARTS], *part[PARTS], *up = widening(down);
    ThVar *from = down->in[0];
    int n = 0;
    for (ThApply *a; n < PARTS && (a = from->owner) && a->op == &op_inc_subtensor && from->nclients == 1; n++) {
        if (!ATTRS(IncSubtensorAttrs, a)->set || a->in[1]->type.dtype != TH_FLOAT32) return true;
        set[n] = a;
        from = a->in[0];
    }
    if (!up || !n || !from->owner || from->owner->op != &op_alloc_empty) return true;
    builder_begin_fg(&o->b, o->fg, down->prov);
    o->b.rule = "amp_views";
    ThVar *r = from;
    for (int i = n - 1; i >= 0 && r; i--) {
        ThVar *in[2 + 3 * TH_MAX_NDIM] = {r, round_trip(o, set[i]->in[1], (ThDtype)down->out[0]->type.dtype, &part[i])};
        memcpy(in + 2, set[i]->in + 2, (size_t)(set[i]->nin - 2) * sizeof *in);
        ThApply *again = in[1] ? apply_copy(&o->b, set[i], in) : NULL;
        r = again ? again->out[0] : NULL;
    }
    if (r) engine_replace(o, up->out[0], r, "amp_views");
    builder_end(&o->b);
    for (int i = 0; i < n && !failed(o->c); i++)
        if (part[i] && !(part[i]->flags & APPLY_DEAD) && rounding(part[i])) settle(o, part[i], &down);
    return !failed(o->c);
}

/* ---- a product of which nothing but halves is seen --------------------------------------------------------------- */
/* What is seen of a variable: views of it, each of an earlier one, and what rounds one of them. */
typedef struct Seen {
    ThVar *v[SEEN], *low[SEEN]; /* [0]: the variable itself; the same of its half */
    int of[SEEN], n;            /* the view's operand among them */
    ThApply *down[SEEN];
    int from[SEEN], ndown; /* whose rounding */
    bool parts;
} Seen;

/* One reader of view i is a view too, or a rounding to the half that all round to. */
static bool seen_by(Seen *s, int i, const Client *c) {
    ThApply *a = c->node, *r = a ? rounding(a) : NULL;
    if (!a || c->pos != 0 || s->n == SEEN || s->ndown == SEEN) return false;
    if (r) {
        s->down[s->ndown] = r, s->from[s->ndown++] = i;
        return r->out[0]->type.dtype == s->down[0]->out[0]->type.dtype;
    }
    if (a->op != &op_reshape && a->op != &op_dimshuffle && a->op != &op_subtensor) return false;
    s->parts |= a->op == &op_subtensor;
    s->v[s->n] = a->out[0], s->of[s->n++] = i;
    return true;
}

/* Parts of what a product of halves gives, all rounded to that half: it is rounded, and so stored as that at once. */
static bool settle_product(Opt *o, ThApply *a) {
    Seen s = {.v = {a->out[0]}, .n = 1};
    int half = half_of(a->in[0]);
    for (int i = 0; i < s.n; i++)
        for (int c = 0; c < s.v[i]->nclients; c++)
            if (!seen_by(&s, i, &s.v[i]->clients[c])) return true;
    if (!s.parts || !s.ndown || s.down[0]->out[0]->type.dtype != half || half_of(a->in[1]) != half) return true;
    builder_begin_fg(&o->b, o->fg, a->prov);
    o->b.rule = "amp_views";
    bool ok = (s.low[0] = cast_make(&o->b, s.v[0], (ThDtype)half)) != NULL;
    for (int i = 1; ok && i < s.n; i++) {
        const ThApply *view = s.v[i]->owner;
        ThVar *in[1 + 3 * TH_MAX_NDIM] = {s.low[s.of[i]]};
        memcpy(in + 1, view->in + 1, (size_t)(view->nin - 1) * sizeof *in);
        ThApply *again = apply_copy(&o->b, view, in);
        ok = (s.low[i] = again ? again->out[0] : NULL) != NULL;
    }
    for (int i = 0; ok && i < s.ndown; i++)
        if (type_eq(s.low[s.from[i]]->type, s.down[i]->out[0]->type))
            ok = engine_replace(o, s.down[i]->out[0], s.low[s.from[i]], "amp_views");
    builder_end(&o->b);
    return !failed(o->c);
}

/* Rewrites move casts behind reshapes, where what computes the elements cannot take them along: so back. */
bool pass_amp_views(Opt *o) {
    if (!o->fg->device) return true;
    const ApplyVec *order = opt_order(o);
    bool ok = order != NULL;
    for (int i = 0; ok && i < order->n; i++) {
        ThApply *a = order->at[i];
        bool product = a->op == &op_dot22 || a->op == &op_batched_dot;
        if (product && !(a->flags & APPLY_DEAD)) ok = settle_product(o, a);
        if (a->flags & APPLY_DEAD || !rounding(a)) continue;
        ok = ok && settle(o, a, &a) && (!a || a->flags & APPLY_DEAD || settle_parts(o, a));
    }
    return ok;
}
