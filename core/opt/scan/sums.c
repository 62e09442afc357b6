/*
 * sums.c -- scanOp_pushout_output for sums: a value to which every turn adds a product of matrices becomes one
 * product after the loop, sum over t of A_t . B_t = [A_0 A_1 ..] . [B_0; B_1; ..]. So the gradient of a weight costs
 * one product instead of one a turn. The rows of both factors are sequences, states or new collected results.
 */
#include "scans.h"

enum { MOST = 32 };

typedef struct Factor { /* rows of (k, m) a turn, or of (m) */
    ThVar *v;
    int seq, state, off, kept, added; /* where its rows are: one of them is not -1; kept: a collected result */
} Factor;
typedef struct Term {
    ThVar *dot;
    Factor a, b;
    bool push;
} Term;
typedef struct Sums {
    Opt *o;
    ScanEdit e;
    ApplyVec order;
    int out;     /* the output being looked at */
    ThVar *self; /* what it carries */
    Term term[OP_MAX_OUT][MOST];
    int nterm[OP_MAX_OUT];
    bool rest[OP_MAX_OUT]; /* something is still added in the loop */
} Sums;

static int uses_of(const Sums *w, const ThVar *v) {
    int n = 0;
    for (int k = 0; k < w->order.n; k++)
        for (int i = 0; i < w->order.at[k]->nin; i++) n += w->order.at[k]->in[i] == v;
    for (int o = 0; o < w->e.body->nout; o++) n += w->e.body->out[o] == v;
    return n;
}

/* Terms of the sum v; false when there are too many. */
static bool flatten(ThVar *v, ThVar **term, int *n) {
    ThVar *stack[MOST];
    int top = 0;
    stack[top++] = v;
    while (top) {
        ThVar *x = stack[--top];
        ThApply *a = ask_scalar(x, S_add);
        bool sum = a && type_eq(a->out[0]->type, v->type);
        for (int i = 0; sum && i < a->nin; i++) sum = type_eq(a->in[i]->type, v->type);
        if (!sum) {
            if (*n == MOST) return false;
            term[(*n)++] = x;
            continue;
        }
        if (top + a->nin > MOST) return false;
        for (int i = a->nin - 1; i >= 0; i--) stack[top++] = a->in[i];
    }
    return true;
}

/* v behind DimShuffles that only name its dimensions again. */
static const ThApply *shuffle_of(ThVar *v) { return v->owner && v->owner->op == &op_dimshuffle ? v->owner : NULL; }

static bool shuffles(const ThApply *a, int n, int p, int q) {
    const AttrInts *order = ask_attr(a->op, a->attrs, "order");
    return order->n == n && order->at[0] == p && (n < 2 || order->at[1] == q);
}

static ThVar *plain(ThVar *v) {
    while (shuffle_of(v) && v->type.ndim == 1 && shuffle_of(v)->in[0]->type.ndim == 1) v = shuffle_of(v)->in[0];
    return v;
}

static bool locate(const Sums *w, Factor *f) {
    const Scan *s = &w->e.s;
    f->seq = f->state = f->kept = f->added = -1;
    f->off = 0;
    for (int i = 0; i < s->nseq; i++)
        if (w->e.body->in[i] == f->v) return f->seq = i, true;
    for (int i = 0; i < s->nstate; i++) {
        for (int t = s->first[i]; t < s->first[i + 1]; t++)
            if (w->e.body->in[s->nseq + t] == f->v) return f->state = i, f->off = s->back[i] + s->tap[t], true;
        if (w->e.body->out[i] == f->v) return f->state = i, f->off = s->back[i], true;
    }
    for (int o = scan_out_collect(s); o < scan_out_shared(s); o++)
        if (w->e.body->out[o] == f->v) return f->kept = o, true;
    return false;
}

/* The left factor by rows: of A (m, k) the rows of its transpose (k, m); a column is a vector. */
static bool left_factor(Sums *w, ThVar *a, Factor *f) {
    const ThApply *d = shuffle_of(a);
    f->v = NULL;
    if (d && shuffles(d, 2, 0, -1)) f->v = plain(d->in[0]);
    else if (d && d->in[0]->type.ndim == 2 && shuffles(d, 2, 1, 0)) f->v = d->in[0];
    return f->v && (locate(w, f), true);
}

static bool right_factor(Sums *w, ThVar *b, Factor *f) {
    const ThApply *d = shuffle_of(b);
    f->v = d && shuffles(d, 2, -1, 0) ? plain(d->in[0]) : b;
    locate(w, f);
    return true;
}

/* Whether the rows of both are there, or can be collected: the length that is summed over must be known outside. */
static bool can_push(Sums *w, Term *t) {
    const ThApply *a = t->dot->owner;
    if (!a || a->op != &op_dot || a->in[0]->type.ndim != 2 || a->in[1]->type.ndim != 2) return false;
    if (!left_factor(w, a->in[0], &t->a) || !right_factor(w, a->in[1], &t->b)) return false;
    if (t->a.v->type.ndim != t->b.v->type.ndim) return false;
    bool left = t->a.seq >= 0 || t->a.state >= 0, right = t->b.seq >= 0 || t->b.state >= 0;
    return left || right;
}

static bool look(Sums *w, int i) {
    const Scan *s = &w->e.s;
    int o = w->out = scan_out_shared(s) + i, n = 0;
    ThVar *term[MOST];
    bool self = false, any = false;
    w->self = w->e.body->in[scan_body_shared(s) + i];
    w->nterm[o] = 0;
    w->rest[o] = false;
    if (w->self->type.ndim != 2 || uses_of(w, w->self) != 1 || !flatten(w->e.body->out[o], term, &n)) return false;
    for (int k = 0; k < n; k++) {
        if (term[k] == w->self) {
            self = true;
            continue;
        }
        Term *t = &w->term[o][w->nterm[o]++];
        t->dot = term[k];
        t->push = can_push(w, t);
        any = any || t->push;
        w->rest[o] = w->rest[o] || !t->push;
    }
    if (!self || !any) w->nterm[o] = 0;
    return self && any;
}

/* ---- rows outside ------------------------------------------------------------------------------------------------ */
static ThVar *rows_before(Sums *w, const Factor *f) {
    return scan_rows(&w->o->b, w->e.in[scan_in_seq(&w->e.s) + f->seq], NULL, w->e.in[0], false);
}

/* Collects f where its rows are nowhere; its dimensions are k of `other` and m of the sum. */
static bool collect(Sums *w, Factor *f, const Factor *other, ThVar *sum, int dim) {
    const Scan *s = &w->e.s;
    Builder *b = &w->o->b;
    if (f->seq >= 0 || f->state >= 0 || f->kept >= 0) return true;
    for (int i = 0; i < w->e.collect.n; i++)
        if (w->e.collect.at[i] == f->v) return f->added = i, true;
    ThVar *n[3] = {cast_make(b, w->e.in[0], TH_INT64)};
    int nd = f->v->type.ndim;
    ThVar *rows = other->seq >= 0 ? w->e.in[scan_in_seq(s) + other->seq] : w->e.in[scan_in_state(s) + other->state];
    if (nd == 2) n[1] = shape_i(w->o, rows, 1);
    n[nd] = shape_i(w->o, sum, dim);
    ThVar *shape = make_vector_make(b, n, nd + 1, TH_INT64);
    f->added = w->e.collect.n;
    return shape && vec_push(w->o->c, &w->e.shape, shape) && vec_push(w->o->c, &w->e.collect, f->v);
}

/* (T * k, m) */
static ThVar *flat_rows(Sums *w, const Factor *f, const ThApply *node) {
    Builder *b = &w->o->b;
    ThVar *x, *n = cast_make(b, w->e.in[0], TH_INT64), *off = const_int(b, f->off, TH_INT64);
    if (f->seq >= 0) x = rows_before(w, f);
    else if (f->state >= 0) x = scan_rows(b, node->out[w->e.place[f->state]], off, elemwise_2(b, S_add, n, off), false);
    else x = node->out[f->kept >= 0 ? w->e.place[f->kept] : w->e.added + f->added];
    if (!x || x->type.ndim == 2) return x;
    ThVar *dims[] = {elemwise_2(b, S_mul, shape_i_make(b, x, 0), shape_i_make(b, x, 1)), shape_i_make(b, x, 2)};
    return reshape_make(b, x, make_vector_make(b, dims, 2, TH_INT64), 2);
}

/* The sum as it is when the loop ends: what the loop still adds up, or its start, and the products. */
static ThVar *whole_sum(Sums *w, int o, const ThApply *node) {
    Builder *b = &w->o->b;
    ThVar *sum =
        w->rest[o] ? node->out[w->e.place[o]] : w->e.in[scan_in_shared(&w->e.s) + o - scan_out_shared(&w->e.s)];
    for (int k = 0; k < w->nterm[o] && sum; k++) {
        const Term *t = &w->term[o][k];
        if (!t->push) continue;
        ThVar *x = flat_rows(w, &t->a, node), *y = flat_rows(w, &t->b, node);
        ThVar *dot = x && y ? dot_make(b, transpose_make(b, x), y) : NULL;
        sum = elemwise_2(b, S_add, sum, dot);
    }
    return scan_fit(b, sum, w->e.a->out[o]->type);
}

/* In the body only what stays is added. */
static bool shrink(Sums *w, int i) {
    int o = scan_out_shared(&w->e.s) + i;
    ThVar *sum = w->e.body->in[scan_body_shared(&w->e.s) + i];
    if (!w->rest[o]) return w->e.keep[o] = false, true;
    for (int k = 0; k < w->nterm[o] && sum; k++)
        if (!w->term[o][k].push) sum = elemwise_2(&w->e.user, S_add, sum, w->term[o][k].dot);
    return sum && vec_push(w->o->c, &w->e.from, w->e.body->out[o]) && vec_push(w->o->c, &w->e.to, sum);
}

static bool rewrite(Sums *w) {
    const Scan *s = &w->e.s;
    ThVar *old[OP_MAX_OUT], *new_[OP_MAX_OUT];
    int n = 0, left = w->e.collect.n;
    for (int o = 0; o < scan_out_turns(s); o++) left += w->e.keep[o];
    ThApply *b = left ? scan_edit_make(&w->e) : w->e.a;
    if (!b) return false;
    for (int o = scan_out_shared(s); o < scan_out_turns(s); o++) {
        if (!w->nterm[o]) continue;
        old[n] = w->e.a->out[o];
        if (!(new_[n++] = whole_sum(w, o, b))) return false;
        w->e.place[o] = -1;
    }
    if (!fg_replace_many(w->o->fg, old, new_, n, "scanOp_pushout_output")) return false;
    return !left || (w->e.a->flags & APPLY_DEAD) || scan_edit_replace(&w->e, b, "scanOp_pushout_output");
}

static bool push_sums(Opt *o, ThApply *a) {
    Sums *w = ctx_alloc0(o->c, sizeof *w);
    if (!w) return false;
    w->o = o;
    bool ok = scan_edit_begin(&w->e, o, a), any = false;
    const GraphBody *body = w->e.body;
    ok = ok && graph_toposort(o->c, body->out, body->nout, body->in, body->nin, &w->order);
    for (int i = 0; ok && !w->e.s.until && i < w->e.s.nshared; i++) {
        int out = scan_out_shared(&w->e.s) + i;
        ThVar *sum = w->e.in[scan_in_shared(&w->e.s) + i];
        if (a->out[out]->nclients == 0 || !look(w, i)) continue;
        any = true;
        for (int k = 0; ok && k < w->nterm[out]; k++) {
            Term *t = &w->term[out][k];
            ok = !t->push || (collect(w, &t->a, &t->b, sum, 0) && collect(w, &t->b, &t->a, sum, 1));
        }
        ok = ok && shrink(w, i);
    }
    ok = ok && (!any || rewrite(w));
    vec_free(o->c, &w->order);
    scan_edit_end(&w->e);
    ctx_free(o->c, w, sizeof *w);
    return ok;
}

bool pass_scan_sums(Opt *o) { return scan_each(o, push_sums) && scan_push_after(o); }
