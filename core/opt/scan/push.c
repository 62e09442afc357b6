/*
 * push.c -- work that needs no turn leaves the loop (Theano's PushOutNonSeq, PushOutSeq, PushOutDot1 and
 * PushOutScanOutput).
 * In: a Scan. What its body computes from values alone moves before the loop; elementwise work and products with a
 * value on rows of sequences are done for all turns at once: one product of matrices instead of one a turn. A collected
 * result that is the same in every turn is filled in once. One that is such work on what the loop keeps anyway (and the
 * loop itself does not need) is computed after it, from all rows. Left alone: what can fail (the loop may make no
 * turn), and with a condition everything that counts turns.
 */
#include "scans.h"

typedef enum { IN_LOOP, FIXED, ROWS } Class; /* ROWS: outside, with the turns as its first dimension */
typedef struct Item {
    ThVar *inner, *outer;
    uint8_t cls;
    bool work, wanted, edge; /* computes something; is to be built; the body reads it from outside */
} Item;
typedef struct Push {
    Opt *o;
    ScanEdit e;
    ApplyVec order;
    Map at, stays; /* items; nodes that the loop needs for results that do not leave */
    VEC(Item) item;
    bool after;                 /* rows of what the loop keeps count too */
    bool collected[OP_MAX_OUT]; /* after: results of the loop's own work that are collected and read anyway */
    bool leaving;               /* results leave the loop, and its checks of the number of turns must not stay behind */
} Push;

static Item *find(Push *p, const ThVar *v) {
    uint32_t i;
    return map_get(&p->at, KEY(v), &i) ? &p->item.at[i] : NULL;
}

static bool put(Push *p, ThVar *inner, Class cls, ThVar *outer, bool work) {
    if (find(p, inner)) return true;
    Item x = {inner, outer, (uint8_t)cls, work, false, false};
    return vec_push(p->o->c, &p->item, x) && map_put(p->o->c, &p->at, KEY(inner), (uint32_t)p->item.n - 1);
}

static Class class_of(Push *p, const ThVar *v) {
    const Item *x = find(p, v);
    return v->kind == VAR_CONSTANT ? FIXED : x ? (Class)x->cls : IN_LOOP;
}

/* ---- what may leave ---------------------------------------------------------------------------------------------- */
static bool is_dot_of_rows(Push *p, const ThApply *a) {
    Class x = class_of(p, a->in[0]), y = class_of(p, a->in[1]);
    if (x == ROWS && y == FIXED) return true;
    return x == FIXED && y == ROWS && a->in[1]->type.ndim == 1;
}

/* A length, or a vector of lengths, known to be 1: a Reshape in the loop has its pattern from seeing that. */
static bool proves_pattern(ThVar *v) {
    int64_t k, n = v->type.ndim == 1 ? vector_length(v) : 0;
    if (v->type.kind != TYPE_TENSOR || !dtype_is_int((ThDtype)v->type.dtype)) return false;
    for (int d = 0; d < n; d++)
        if (vector_known(v, d, &k) && k == 1) return true;
    return v->type.ndim == 0 && scalar_known(v, &k) && k == 1;
}

static Class class_of_node(Push *p, const ThApply *a) {
    Class all = FIXED;
    for (int i = 0; i < a->nin; i++) {
        Class k = class_of(p, a->in[i]);
        if (k == IN_LOOP) return IN_LOOP;
        if (k == ROWS) all = ROWS;
    }
    if ((a->op->flags & (OP_FAILS | OP_EFFECT)) || proves_pattern(a->out[0])) return IN_LOOP;
    if (all == FIXED) return p->after && a->op != &op_dimshuffle ? IN_LOOP : FIXED;
    if (a->op == &op_elemwise && a->out[0]->type.ndim + 1 < TH_MAX_NDIM) return a->nout == 1 ? ROWS : IN_LOOP;
    if (a->op == &op_dimshuffle && a->out[0]->type.ndim + 1 < TH_MAX_NDIM) return ROWS;
    return a->op == &op_dot && is_dot_of_rows(p, a) ? ROWS : IN_LOOP;
}

static bool only_rows_read(const ThVar *v);

/* After the loop, what it collects of its own work is there too. */
static bool put_collected(Push *p, const ThApply *a) {
    const Scan *s = &p->e.s;
    for (int o = scan_out_collect(s); o < scan_out_shared(s); o++) {
        ThVar *v = p->e.body->out[o];
        if (v->owner != a || !p->e.a->out[o]->nclients || only_rows_read(p->e.a->out[o])) continue;
        p->collected[o] = true;
        if (!put(p, v, ROWS, NULL, false)) return false;
    }
    return true;
}

static bool classify(Push *p) {
    const Scan *s = &p->e.s;
    bool ok = graph_toposort(p->o->c, p->e.body->out, p->e.body->nout, p->e.body->in, p->e.body->nin, &p->order);
    for (int i = 0; ok && i < s->nvalue; i++)
        ok = put(p, p->e.body->in[scan_body_value(s) + i], FIXED, p->e.in[scan_in_value(s) + i], false);
    for (int i = 0; ok && i < s->nseq && !s->until; i++) ok = put(p, p->e.body->in[i], ROWS, NULL, false);
    for (int i = 0; ok && p->after && i < s->nstate; i++)
        if (p->e.body->out[i]->owner) ok = put(p, p->e.body->out[i], ROWS, NULL, false);
    for (int t = 0; ok && p->after && t < s->first[s->nstate]; t++)
        ok = put(p, p->e.body->in[s->nseq + t], ROWS, NULL, false);
    for (int k = 0; ok && k < p->order.n; k++) {
        const ThApply *a = p->order.at[k];
        Class cls = class_of_node(p, a);
        if (cls == IN_LOOP && p->after) ok = put_collected(p, a);
        for (int i = 0; ok && cls != IN_LOOP && i < a->nout; i++)
            ok = put(p, a->out[i], cls, NULL, a->op != &op_dimshuffle);
    }
    return ok;
}

/* ---- building outside -------------------------------------------------------------------------------------------- */
static bool is_length_of(const ThVar *n, const ThVar *x) {
    const ThApply *a = n->owner, *shape = a && a->op == &op_subtensor ? a->in[0]->owner : NULL;
    int64_t at;
    return shape && shape->op == &op_shape && shape->in[0] == x && a->nin == 2 && scalar_known(a->in[1], &at) &&
           at == 0;
}

/* Surely 0 <= n <= rows of x: n is the least of lengths, or x was made by n turns. */
static bool fits(const ThVar *n, const ThVar *x) {
    if (ask_op(x, &op_scan) && x->owner->in[0] == n) return true;
    for (const ThApply *a; (a = ask_scalar(n, S_minimum)) != NULL; n = a->in[0])
        if (is_length_of(a->in[1], x)) return true;
    return is_length_of(n, x);
}

static ThVar *not_negative(Push *p, ThVar *n) {
    Builder *b = &p->o->b;
    ThVar *some = elemwise_2(b, S_ge, n, const_int(b, 0, TH_INT64));
    return assert_make(b, n, &some, 1, "scan: the number of steps is negative", TH_IndexError);
}

/* The number of turns n, checked as the loop checks it. */
static ThVar *turns_of(Push *p, ThVar *n, ThVar *x) {
    Builder *b = &p->o->b;
    if (!p->leaving || fits(n, x)) return n;
    n = not_negative(p, n);
    ThVar *enough = elemwise_2(b, S_le, n, shape_i_make(b, x, 0));
    return assert_make(b, n, &enough, 1, "scan: a sequence has fewer rows than there are steps", TH_ValueError);
}

/* What state i was `tap` turns ago (0: becomes), for each turn. */
static ThVar *state_rows(Push *p, int i, int tap) {
    Builder *b = &p->o->b;
    ThVar *from = const_int(b, p->e.s.back[i] + tap, TH_INT64), *n = cast_make(b, p->e.in[0], TH_INT64);
    return scan_rows(b, p->e.a->out[i], from, elemwise_2(b, S_add, n, from), false);
}

static ThVar *outer_rows(Push *p, const ThVar *v) {
    const Scan *s = &p->e.s;
    Builder *b = &p->o->b;
    for (int i = 0; i < s->nseq; i++) {
        ThVar *x = p->e.in[scan_in_seq(s) + i];
        if (p->e.body->in[i] == v) return scan_rows(b, x, NULL, turns_of(p, p->e.in[0], x), false);
    }
    for (int i = 0; i < s->nstate; i++) {
        if (p->e.body->out[i] == v) return state_rows(p, i, 0);
        for (int t = s->first[i]; t < s->first[i + 1]; t++)
            if (p->e.body->in[s->nseq + t] == v) return state_rows(p, i, s->tap[t]);
    }
    for (int o = scan_out_collect(s); o < scan_out_shared(s); o++)
        if (p->collected[o] && p->e.body->out[o] == v)
            return scan_rows(b, p->e.a->out[o], NULL, cast_make(b, p->e.in[0], TH_INT64), false);
    return NULL;
}

static ThVar *outer_of(Push *p, ThVar *v) {
    Item *x = find(p, v);
    if (!x) return scan_import(p->o, v);
    if (!x->outer) x->outer = outer_rows(p, v);
    return x->outer;
}

/* A fixed operand of rank n beside rows of that rank. */
static ThVar *beside(Push *p, ThVar *v) {
    ThVar *x = outer_of(p, v);
    int8_t pattern[TH_MAX_NDIM] = {-1};
    if (!x || class_of(p, v) == ROWS) return x;
    for (int d = 0; d < x->type.ndim; d++) pattern[d + 1] = (int8_t)d;
    return dimshuffle_make(&p->o->b, x, pattern, x->type.ndim + 1);
}

static ThVar *rows_elemwise(Push *p, const ThApply *a) {
    ThVar *few[16], **in = a->nin <= 16 ? few : ctx_alloc(p->o->c, sizeof *in * a->nin);
    for (int i = 0; in && i < a->nin; i++) in[i] = beside(p, a->in[i]);
    ThVar *r = in ? apply1(&p->o->b, a->op, a->attrs, in, a->nin) : NULL;
    if (in != few) ctx_free(p->o->c, in, sizeof *in * a->nin);
    return r;
}

static ThVar *rows_dimshuffle(Push *p, const ThApply *a) {
    const AttrInts *order = ask_attr(a->op, a->attrs, "order");
    int8_t pattern[TH_MAX_NDIM] = {0};
    for (int d = 0; d < order->n; d++) pattern[d + 1] = (int8_t)(order->at[d] < 0 ? -1 : order->at[d] + 1);
    return dimshuffle_make(&p->o->b, outer_of(p, a->in[0]), pattern, order->n + 1);
}

/* (T, B, I) . (I, H): as (T * B, I) . (I, H); a vector row needs no reshaping. */
static ThVar *rows_dot(Push *p, const ThApply *a) {
    Builder *b = &p->o->b;
    bool left = class_of(p, a->in[0]) == ROWS;
    ThVar *x = outer_of(p, a->in[!left]), *w = outer_of(p, a->in[left]);
    if (!x || !w) return NULL;
    if (!left) w = w->type.ndim == 2 ? transpose_make(b, w) : w;
    if (x->type.ndim == 2) return dot_make(b, x, w);
    ThVar *t = shape_i_make(b, x, 0), *n = shape_i_make(b, x, 1), *k = shape_i_make(b, x, 2);
    ThVar *flat = reshape_make(b, x, make_vector_make(b, (ThVar *[]){elemwise_2(b, S_mul, t, n), k}, 2, TH_INT64), 2);
    ThVar *r = dot_make(b, flat, w);
    if (!r) return NULL;
    ThVar *dims[] = {t, n, r->type.ndim == 2 ? shape_i_make(b, r, 1) : NULL};
    int nd = r->type.ndim + 1;
    return reshape_make(b, r, make_vector_make(b, dims, nd, TH_INT64), nd);
}

static bool build_node(Push *p, const ThApply *a) {
    Builder *b = &p->o->b;
    Item *x = find(p, a->out[0]);
    b->prov = a->prov;
    if (x->cls == FIXED) {
        VarVec in = {0};
        bool ok = vec_reserve(p->o->c, &in, a->nin + 1);
        for (int i = 0; ok && i < a->nin; i++) ok = (in.at[i] = outer_of(p, a->in[i])) != NULL;
        ThApply *copy = ok ? apply_copy(b, a, in.at) : NULL;
        vec_free(p->o->c, &in);
        for (int i = 0; copy && i < a->nout; i++) find(p, a->out[i])->outer = copy->out[i];
        return copy != NULL;
    }
    ThVar *r = a->op == &op_elemwise     ? rows_elemwise(p, a)
               : a->op == &op_dimshuffle ? rows_dimshuffle(p, a)
                                         : rows_dot(p, a);
    ThType t = a->out[0]->type;
    t = (ThType){t.kind, t.dtype, (uint16_t)(t.ndim + 1), t.broadcastable << 1};
    find(p, a->out[0])->outer = scan_fit(b, r, t);
    return find(p, a->out[0])->outer != NULL;
}

/* The loop keeps all rows of it. */
static bool is_kept(const Push *p, const ThVar *v) {
    for (int i = 0; p->after && i < p->e.s.nstate; i++)
        if (p->e.body->out[i] == v) return true;
    for (int o = scan_out_collect(&p->e.s); p->after && o < scan_out_shared(&p->e.s); o++)
        if (p->collected[o] && p->e.body->out[o] == v) return true;
    return false;
}

static bool any_wanted(Push *p, const ThApply *a) {
    for (int o = 0; o < a->nout; o++)
        if (find(p, a->out[o]) && find(p, a->out[o])->wanted) return true;
    return false;
}

/* Everything wanted, and what it is made of. */
static bool build_wanted(Push *p) {
    for (int k = p->order.n - 1; k >= 0; k--) {
        const ThApply *a = p->order.at[k];
        if (!any_wanted(p, a) || is_kept(p, a->out[0])) continue;
        for (int i = 0; i < a->nin; i++)
            if (find(p, a->in[i])) find(p, a->in[i])->wanted = true;
    }
    for (int k = 0; k < p->order.n; k++) {
        const ThApply *a = p->order.at[k];
        if (!any_wanted(p, a) || is_kept(p, a->out[0]) || find(p, a->out[0])->outer) continue;
        if (!build_node(p, a)) return false;
    }
    return true;
}

/* ---- before the loop --------------------------------------------------------------------------------------------- */
static void set_edge(Push *p, const ThVar *v) {
    Item *x = find(p, v);
    if (x && x->inner->owner) x->edge = true;
}

/* Results, and what is computed inside, read from outside. Views and zeros stay inside, where rewriting knows what they
 * are: what they look at is read. (A loop's arguments lie in C order: a weight turned outside would be copied.) */
static void mark_edges(Push *p) {
    for (int o = 0; o < p->e.body->nout; o++)
        if (p->e.keep[o]) set_edge(p, p->e.body->out[o]);
    for (int k = 0; k < p->order.n; k++) {
        const ThApply *a = p->order.at[k];
        for (int i = 0; class_of(p, a->out[0]) == IN_LOOP && i < a->nin; i++) set_edge(p, a->in[i]);
    }
    for (int k = p->order.n - 1; k >= 0; k--) {
        const ThApply *a = p->order.at[k];
        Item *x = find(p, a->out[0]);
        if (!x || !x->edge) continue;
        bool zeros = ask_zeros(a->out[0]);
        if (!zeros && x->work) continue;
        x->edge = false;
        for (int i = 0; i < (zeros ? a->nin : 1); i++) set_edge(p, a->in[i]);
    }
    for (int i = 0; i < p->item.n; i++) p->item.at[i].wanted = p->item.at[i].wanted || p->item.at[i].edge;
}

/* Nothing but single rows of it are read: the loop need not keep more. */
static bool only_rows_read(const ThVar *v) {
    for (int i = 0; i < v->nclients; i++) {
        const ThApply *a = v->clients[i].node;
        if (!a || a->op != &op_subtensor || v->clients[i].pos != 0) return false;
        const AttrIdx *idx = &ATTRS(SubtensorAttrs, a)->idx;
        if (idx->n < 1 || idx->at[0].kind != 'i') return false;
    }
    return true;
}

/* May collected result o leave the loop? */
static bool may_leave(Push *p, int o) {
    Item *x = find(p, p->e.body->out[o]);
    if (!x) return false;
    return x->cls == FIXED ? !p->after : x->cls == ROWS && x->work && !only_rows_read(p->e.a->out[o]);
}

/* The nodes that are computed in the loop for what does not leave it. */
static bool mark_stays(Push *p) {
    const Scan *s = &p->e.s;
    const GraphBody *body = p->e.body;
    ThContext *c = p->o->c;
    bool ok = true;
    uint32_t x;
    for (int o = 0; ok && o < body->nout; o++) {
        bool leaves = o >= scan_out_collect(s) && o < scan_out_shared(s) && (!p->e.keep[o] || may_leave(p, o));
        if (body->out[o]->owner && !leaves) ok = map_put(c, &p->stays, KEY(body->out[o]->owner), 1);
    }
    for (int k = p->order.n - 1; ok && k >= 0; k--) {
        const ThApply *a = p->order.at[k];
        if (!map_get(&p->stays, KEY(a), &x)) continue;
        for (int i = 0; ok && i < a->nin; i++)
            if (a->in[i]->owner) ok = map_put(c, &p->stays, KEY(a->in[i]->owner), 1);
    }
    return ok;
}

/* The value x of every turn, as often as there are turns. */
static ThVar *repeated(Push *p, ThVar *x) {
    const Scan *s = &p->e.s;
    ThVar *size[TH_MAX_NDIM], *n = not_negative(p, p->e.in[0]);
    if (!x) return NULL;
    for (int i = 0; i < s->nseq; i++) n = turns_of(p, n, p->e.in[scan_in_seq(s) + i]);
    size[0] = cast_make(&p->o->b, n, TH_INT64);
    for (int d = 0; d < x->type.ndim; d++) size[d + 1] = shape_i_make(&p->o->b, x, d);
    return alloc_make(&p->o->b, x, size, x->type.ndim + 1);
}

/* A collected result that is nothing but such work: all of its rows at once, and it leaves the loop. */
static bool whole_results(Push *p, bool *any) {
    const Scan *s = &p->e.s;
    VarVec old = {0}, new_ = {0};
    uint32_t stays;
    bool ok = !p->after || mark_stays(p);
    for (int o = scan_out_collect(s); ok && o < scan_out_shared(s); o++) {
        ThVar *v = p->e.body->out[o];
        if (!may_leave(p, o) || (v->owner && map_get(&p->stays, KEY(v->owner), &stays))) continue;
        find(p, v)->wanted = true;
        ok = vec_push(p->o->c, &old, p->e.a->out[o]) && vec_push(p->o->c, &new_, v);
        p->e.keep[o] = false;
    }
    p->leaving = true;
    ok = ok && (old.n == 0 || build_wanted(p));
    for (int i = 0; ok && i < old.n; i++) {
        const Item *x = find(p, new_.at[i]);
        ThVar *r = x->cls == FIXED ? repeated(p, x->outer) : x->outer;
        r = scan_fit(&p->o->b, r, old.at[i]->type);
        ok = r && fg_replace(p->o->fg, old.at[i], r, "scanOp_pushout_output");
        p->o->rewrites++;
        *any = true;
    }
    vec_free(p->o->c, &old);
    vec_free(p->o->c, &new_);
    return ok;
}

static bool add_edges(Push *p, bool *any) {
    ThContext *c = p->o->c;
    for (int i = 0; i < p->item.n; i++) {
        Item *x = &p->item.at[i];
        if (!x->edge) continue;
        ThVar *in = var_new(&p->e.user, x->inner->type, x->inner->name);
        bool rows = x->cls == ROWS;
        if (!in || !x->outer || !vec_push(c, &p->e.from, x->inner) || !vec_push(c, &p->e.to, in) ||
            !vec_push(c, rows ? &p->e.seq : &p->e.value, x->outer) ||
            !vec_push(c, rows ? &p->e.seq_in : &p->e.value_in, in))
            return false;
        *any = true;
    }
    return true;
}

static bool push_before(Push *p) {
    bool any = false;
    mark_edges(p);
    if (!build_wanted(p) || !add_edges(p, &any)) return false;
    if (!any) return true;
    ThApply *b = scan_edit_make(&p->e);
    return b && scan_edit_replace(&p->e, b, "scanOp_pushout_seqs_ops");
}

static bool run(Opt *o, ThApply *a, bool after) {
    Push p = {.o = o, .after = after};
    bool any = false, ok = scan_edit_begin(&p.e, o, a) && (!after || !p.e.s.until) && classify(&p);
    if (ok && !p.e.s.until) ok = whole_results(&p, &any);
    if (ok && !after && !(a->flags & APPLY_DEAD)) ok = push_before(&p);
    if (after && p.e.s.until) ok = !failed(o->c);
    vec_free(o->c, &p.order);
    vec_free(o->c, &p.item);
    map_free(o->c, &p.at);
    map_free(o->c, &p.stays);
    scan_edit_end(&p.e);
    return ok;
}

static bool before(Opt *o, ThApply *a) { return run(o, a, false); }
static bool after(Opt *o, ThApply *a) { return run(o, a, true); }

bool scan_push_after(Opt *o) { return scan_each(o, after); }

bool pass_scan_push(Opt *o) { return scan_each(o, before) && scan_each(o, after); }
