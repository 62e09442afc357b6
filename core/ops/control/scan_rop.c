/*
 * scan_rop.c -- forward mode and vmap of a loop.
 * Forward mode: the loop with the tangent of everything that moves beside it, from the forward mode of its body. vmap:
 * the loop with a mapped dimension in every state, sequence and result, behind the turns, from the vmap of its body.
 */
#include "scan.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"

#include <string.h>

/* ---- forward mode ------------------------------------------------------------------------------------------------ */
typedef struct Ahead {
    Rop *r;
    Builder *b;
    Scan s;
    const GraphBody *body;
    const bool *reach;
    bool moves[OP_MAX_OUT]; /* outputs of the body that have a tangent */
    ThVar **at;             /* per inner input: its tangent in the new body, or NULL */
    ThVar **d;              /* per inner output: its tangent; owned references */
    ScanPlan p;
} Ahead;

static bool floating(ThType t) { return t.kind == TYPE_TENSOR && !dtype_is_discrete((ThDtype)t.dtype); }

static bool input_moves(const Ahead *k, int i) {
    int by = scan_carried_by(&k->s, i);
    if (!floating(k->body->in[i]->type)) return false;
    return k->r->ev[scan_outer_of(&k->s, i)] || (by >= 0 && k->moves[by]);
}

static void mark_moving(Ahead *k) {
    int nin = k->body->nin, nout = scan_out_turns(&k->s);
    for (bool again = true; again;) {
        again = false;
        for (int o = 0; o < nout; o++) {
            if (k->moves[o] || !floating(k->body->out[o]->type)) continue;
            bool hit = false;
            for (int i = 0; i < nin && !hit; i++)
                hit = input_moves(k, i) && (k->reach[o * nin + i] || scan_carried_by(&k->s, i) == o);
            k->moves[o] = hit;
            again = again || hit;
        }
    }
}

static bool inner_tangents(Ahead *k) {
    ThContext *c = k->b->ctx;
    VarVec f = {0}, wrt = {0}, at = {0}, out = {0};
    bool ok = true;
    for (int i = 0; ok && i < k->body->nin; i++) {
        if (!input_moves(k, i)) continue;
        k->at[i] = var_new(k->b, k->body->in[i]->type, NULL);
        ok = k->at[i] && vec_push(c, &wrt, k->body->in[i]) && vec_push(c, &at, k->at[i]);
    }
    for (int o = 0; ok && o < scan_out_turns(&k->s); o++)
        if (k->moves[o]) ok = vec_push(c, &f, k->body->out[o]) && vec_push(c, &out, NULL);
    ok = ok && (f.n == 0 || th_rop(c, f.at, f.n, wrt.at, at.at, wrt.n, out.at) == 0);
    for (int o = 0, j = 0; ok && o < scan_out_turns(&k->s); o++)
        if (k->moves[o]) k->d[o] = out.at[j++];
    vec_free(c, &f);
    vec_free(c, &wrt);
    vec_free(c, &at);
    vec_free(c, &out);
    return ok;
}

static ThVar *zeros_of(Ahead *k, ThVar *x) {
    return scan_fit(k->b, zeros_like_make(k->b, x, (ThDtype)x->type.dtype), x->type);
}

static ThVar *tangent_of(Ahead *k, int in) {
    ThVar *x = k->r->node->in[in];
    return k->r->ev[in] ? scan_fit(k->b, k->r->ev[in], x->type) : zeros_of(k, x);
}

/* The tangent of inner output o, of its type; zeros where none reaches it in one turn. */
static ThVar *moved(Ahead *k, int o) {
    return k->d[o] ? scan_fit(k->b, k->d[o], k->body->out[o]->type) : zeros_of(k, k->body->out[o]);
}

static void add_all(Ahead *k, bool tangents) {
    const ThApply *a = k->r->node;
    const Scan *s = &k->s;
    for (int i = 0; i < s->nseq; i++) {
        int in = scan_in_seq(s) + i;
        if (!tangents) scan_plan_seq(&k->p, a->in[in], k->body->in[i]);
        else if (k->at[i]) scan_plan_seq(&k->p, tangent_of(k, in), k->at[i]);
    }
    for (int i = 0; i < s->nstate; i++) {
        int f = s->first[i], n = s->first[i + 1] - f, in = scan_in_state(s) + i;
        if (!tangents) scan_plan_state(&k->p, a->in[in], s->tap + f, n, k->body->in + s->nseq + f, k->body->out[i]);
        else if (k->moves[i])
            scan_plan_state(&k->p, tangent_of(k, in), s->tap + f, n, k->at + s->nseq + f, moved(k, i));
    }
    for (int i = 0; i < s->ncollect; i++) {
        int o = scan_out_collect(s) + i;
        if (!tangents) scan_plan_collect(&k->p, a->in[scan_in_shape(s) + i], k->body->out[o]);
        else if (k->moves[o]) scan_plan_collect(&k->p, a->in[scan_in_shape(s) + i], moved(k, o));
    }
    for (int i = 0; i < s->nshared; i++) {
        int o = scan_out_shared(s) + i, b = scan_body_shared(s) + i, in = scan_in_shared(s) + i;
        if (!tangents) scan_plan_shared(&k->p, a->in[in], k->body->in[b], k->body->out[o]);
        else if (k->moves[o]) scan_plan_shared(&k->p, tangent_of(k, in), k->at[b], moved(k, o));
    }
    for (int i = 0; i < s->nvalue; i++) {
        int b = scan_body_value(s) + i, in = scan_in_value(s) + i;
        if (!tangents) scan_plan_value(&k->p, a->in[in], k->body->in[b]);
        else if (k->at[b]) scan_plan_value(&k->p, tangent_of(k, in), k->at[b]);
    }
}

static bool run_ahead(Ahead *k) {
    const Scan *s = &k->s;
    scan_plan_begin(&k->p, k->b, k->r->node->in[0]);
    k->p.name = s->a->name;
    k->p.truncate = s->a->truncate;
    if (s->until) k->p.until = k->body->out[scan_out_turns(s)];
    add_all(k, false);
    add_all(k, true);
    ThApply *both = failed(k->b->ctx) ? NULL : scan_plan_make(&k->p);
    int begin[] = {0, scan_out_collect(s), scan_out_shared(s), scan_out_turns(s)}, at = 0;
    for (int part = 0; both && part < 3; part++) { /* originals, then tangents, part by part */
        at += begin[part + 1] - begin[part];
        for (int o = begin[part]; o < begin[part + 1]; o++)
            if (k->moves[o]) k->r->out[o] = both->out[at++];
    }
    scan_plan_end(&k->p);
    return both != NULL;
}

bool scan_rop(Rop *r) {
    Ahead k = {.r = r, .b = r->b};
    ThContext *c = r->b->ctx;
    if (!scan_parts(c, r->node->attrs, r->node->nin, &k.s)) return false;
    k.body = k.s.a->body;
    if (!(k.reach = scan_reach(k.body))) return false;
    size_t n = (size_t)k.body->nin + OP_MAX_OUT;
    if (!(k.at = ctx_alloc0(c, n * sizeof *k.at))) return false;
    k.d = k.at + k.body->nin;
    mark_moving(&k);
    bool any = false;
    for (int o = 0; o < scan_out_turns(&k.s); o++) any = any || k.moves[o];
    bool ok = !any || (inner_tangents(&k) && run_ahead(&k));
    for (int o = 0; o < OP_MAX_OUT; o++) th_var_release(k.d[o]);
    ctx_free(c, k.at, n * sizeof *k.at);
    return ok;
}

/* ---- vmap -------------------------------------------------------------------------------------------------------- */
/* Swaps the first two dimensions. */
static ThVar *swap(Builder *b, ThVar *x) {
    int8_t p[TH_MAX_NDIM] = {1, 0};
    for (int d = 2; x && d < x->type.ndim; d++) p[d] = (int8_t)d;
    return x ? dimshuffle_make(b, x, p, x->type.ndim) : NULL;
}

static ThType mapped_row(ThType t) { return (ThType){t.kind, t.dtype, (uint16_t)(t.ndim + 1), t.broadcastable << 1}; }

typedef struct Wide {
    Batch *q;
    Scan s;
    const GraphBody *body;
    ThVar **in;  /* per inner input: what stands for it; NULL: the old one */
    ThVar **out; /* per inner output; owned references */
    ThVar *size; /* inner: how many elements there are; NULL: something mapped says it */
    bool *plain; /* per inner output: of a shared variable whose value is the same for all */
    ScanPlan p;
} Wide;

/* Inner input i gets the mapped dimension. */
static bool widen_input(Wide *k, int i) {
    ThType t = k->body->in[i]->type;
    if (t.ndim + 1 >= TH_MAX_NDIM)
        return err(k->q->b->ctx, TH_ValueError, "vmap: a loop's values have too many dimensions");
    return (k->in[i] = var_new(k->q->b, mapped_row(t), NULL)) != NULL;
}

static bool map_body(Wide *k) {
    for (int o = 0; o < k->body->nout; o++) {
        th_var_release(k->out[o]);
        k->out[o] = NULL;
    }
    uint64_t since = k->q->node->serial >= k->q->since ? 0 : UINT64_MAX; /* of all that the body draws */
    return batch_graph(k->q->b->ctx, since, k->body->out, k->body->nout, k->body->in, k->in, k->body->nin, k->size,
                       k->plain, k->out) == 0;
}

/* Shared variables, such as states of random streams, stay as they are while the body gives them one value for all. */
static bool widen_body(Wide *k) {
    int first = scan_body_shared(&k->s), none = 0;
    for (int i = 0; i < k->body->nin; i++) {
        bool state = scan_carried_by(&k->s, i) >= 0 && (i < first || i >= first + k->s.nshared);
        if ((state || k->q->mapped[scan_outer_of(&k->s, i)]) && !widen_input(k, i)) return false;
        none += k->in[i] == NULL;
    }
    if (none == k->body->nin && !(k->size = var_new(k->q->b, k->q->size->type, NULL))) return false;
    for (bool again = true; again;) {
        for (int i = 0; i < k->s.nshared; i++) k->plain[scan_out_shared(&k->s) + i] = !k->in[first + i];
        if (!map_body(k)) return false;
        again = false;
        for (int i = 0; i < k->s.nshared; i++) {
            if (k->in[first + i] || k->plain[scan_out_shared(&k->s) + i]) continue;
            if (!widen_input(k, first + i)) return false;
            again = true;
        }
    }
    return true;
}

static ThVar *wide_out(Wide *k, int o) { return scan_fit(k->q->b, k->out[o], mapped_row(k->body->out[o]->type)); }

/* Node input `in`, with turns (or rows) first and the mapped dimension second. */
static ThVar *wide_rows(Wide *k, int in) {
    ThVar *x = batch_full(k->q, in);
    ThType t = k->q->node->in[in]->type;
    t = (ThType){t.kind, t.dtype, (uint16_t)(t.ndim + 1), (t.broadcastable & 1) | (t.broadcastable >> 1) << 2};
    return scan_fit(k->q->b, swap(k->q->b, x), t);
}

static ThVar *wide_shape(Wide *k, int in, int ndim) {
    Builder *b = k->q->b;
    ThVar *n[TH_MAX_NDIM + 1], *shape = k->q->in[in];
    n[0] = subtensor_int_make(b, shape, 0);
    n[1] = cast_make(b, k->q->size, TH_INT64);
    for (int d = 1; d < ndim; d++) n[d + 1] = subtensor_int_make(b, shape, d);
    return make_vector_make(b, n, ndim + 1, TH_INT64);
}

static void widen_parts(Wide *k) {
    Batch *q = k->q;
    const Scan *s = &k->s;
    for (int i = 0; i < s->nseq; i++) {
        int in = scan_in_seq(s) + i;
        if (k->in[i]) scan_plan_seq(&k->p, wide_rows(k, in), k->in[i]);
        else scan_plan_seq(&k->p, q->in[in], k->body->in[i]);
    }
    for (int i = 0; i < s->nstate; i++) {
        int f = s->first[i];
        scan_plan_state(&k->p, wide_rows(k, scan_in_state(s) + i), s->tap + f, s->first[i + 1] - f, k->in + s->nseq + f,
                        wide_out(k, i));
    }
    for (int i = 0; i < s->ncollect; i++) {
        int o = scan_out_collect(s) + i;
        scan_plan_collect(&k->p, wide_shape(k, scan_in_shape(s) + i, q->node->out[o]->type.ndim), wide_out(k, o));
    }
    for (int i = 0; i < s->nshared; i++) {
        int in = scan_in_shared(s) + i, o = scan_out_shared(s) + i;
        int at = scan_body_shared(s) + i;
        if (k->plain[o]) {
            scan_plan_shared(&k->p, q->in[in], k->body->in[at], k->out[o]);
            q->out_mapped[o] = false;
            continue;
        }
        ThVar *x = scan_fit(q->b, batch_full(q, in), mapped_row(q->node->in[in]->type));
        scan_plan_shared(&k->p, x, k->in[at], wide_out(k, o));
    }
    for (int i = 0; i < s->nvalue; i++) {
        int in = scan_in_value(s) + i, b = scan_body_value(s) + i;
        if (k->in[b]) scan_plan_value(&k->p, scan_fit(q->b, q->in[in], k->in[b]->type), k->in[b]);
        else scan_plan_value(&k->p, q->in[in], k->body->in[b]);
    }
    if (k->size) scan_plan_value(&k->p, q->size, k->size);
}

static bool widen(Wide *k) {
    const Scan *s = &k->s;
    scan_plan_begin(&k->p, k->q->b, k->q->in[0]);
    k->p.name = s->a->name;
    k->p.truncate = s->a->truncate;
    widen_parts(k);
    ThApply *a = scan_plan_make(&k->p);
    for (int o = 0; a && o < a->nout; o++) k->q->out[o] = o < scan_out_shared(s) ? swap(k->q->b, a->out[o]) : a->out[o];
    scan_plan_end(&k->p);
    return a != NULL;
}

bool scan_batch(Batch *q) {
    Wide k = {.q = q};
    ThContext *c = q->b->ctx;
    if (!scan_parts(c, q->node->attrs, q->node->nin, &k.s)) return false;
    if (k.s.until)
        return err(c, TH_NotImplementedError, "vmap: a loop that ends by a condition ends elsewhere for every element");
    if (!batch_fixed(q, 0, "it is the number of steps, one for all")) return false;
    for (int i = 0; i < k.s.ncollect; i++)
        if (!batch_fixed(q, scan_in_shape(&k.s) + i, "it is the length of a result, one for all")) return false;
    k.body = k.s.a->body;
    size_t n = (size_t)(k.body->nin + k.body->nout);
    if (!(k.in = ctx_alloc0(c, n * (sizeof *k.in + sizeof(bool))))) return false;
    k.out = k.in + k.body->nin;
    k.plain = (bool *)(void *)(k.in + n);
    bool ok = widen_body(&k) && widen(&k);
    for (int o = 0; o < k.body->nout; o++) th_var_release(k.out[o]);
    ctx_free(c, k.in, n * (sizeof *k.in + sizeof(bool)));
    return ok;
}
