/*
 * scan_grad.c -- reverse mode through a loop: a loop that runs backwards over the saved values (BPTT).
 * In: gradients of a Scan's outputs. Out: those of its sequences, states, shared values and values. Turn t of the loop
 * is visited from the last to the first. Carried along (as shared values, so nothing is kept of them): for a state with
 * oldest tap -L the L contributions that later turns owe to its rows t + L .. t + 1, for a shared value the gradient of
 * its value after turn t, for a value the sum so far. A shared value's history, which the loop does not keep, comes
 * from the same loop once more with it collected; the optimizer merges the two.
 */
#include "scan.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"

#include <string.h>

typedef struct Back {
    Grad *g;
    Builder *b;
    ThContext *c;
    Scan s;
    const GraphBody *body;
    const bool *reach;
    ThVar *turns, *steps, *from; /* turns run; turns gone back; the first of these */
    bool live[OP_MAX_OUT];       /* outputs of the body that a gradient reaches */
    bool *want;                  /* inner inputs whose gradient is needed */
    ThVar **delta;               /* per inner output: variable of the backward body, its gradient; or NULL */
    ThVar **dx;                  /* per inner input: its gradient in one turn; owned references; or NULL */
    ThVar **pending;             /* inner variables: for state i from pend[i] on, L of them */
    int pend[OP_MAX_OUT + 1];
    ThVar **carry; /* inner variables: gradient of a shared value; sums of values */
    ScanPlan p;
    VarVec owned; /* references to let go */
} Back;

static bool floating(ThType t) { return t.kind == TYPE_TENSOR && !dtype_is_discrete((ThDtype)t.dtype); }

static ThVar *num(Back *k, int64_t v) { return const_int(k->b, v, TH_INT64); }

static ThVar *plus(Back *k, ThVar *x, int64_t v) { return v ? elemwise_2(k->b, S_add, x, num(k, v)) : x; }

static ThType row_type(const ThVar *x) {
    ThType t = x->type;
    return (ThType){t.kind, t.dtype, (uint16_t)(t.ndim - 1), t.broadcastable >> 1};
}

/* ---- what is needed ---------------------------------------------------------------------------------------------- */
/* A gradient reaches an output of the body from outside, or from a live one in a later turn. */
static void mark_live(Back *k) {
    int nin = k->body->nin, nout = scan_out_turns(&k->s);
    for (int o = 0; o < nout; o++) k->live[o] = k->g->gz[o] && floating(k->body->out[o]->type);
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < nin; i++) {
            int by = scan_carried_by(&k->s, i);
            if (by < 0 || k->live[by] || !floating(k->body->out[by]->type)) continue;
            for (int o = 0; o < nout && !k->live[by]; o++)
                if (k->live[o] && k->reach[o * nin + i]) k->live[by] = again = true;
        }
    }
}

static bool any_reaches(const Back *k, int in) {
    for (int o = 0; o < scan_out_turns(&k->s); o++)
        if (k->live[o] && k->reach[o * k->body->nin + in]) return true;
    return false;
}

static void mark_wanted(Back *k) {
    for (int i = 0; i < k->body->nin; i++) {
        int by = scan_carried_by(&k->s, i);
        bool asked = by >= 0 ? k->live[by] : k->g->wanted[scan_outer_of(&k->s, i)];
        k->want[i] = asked && floating(k->body->in[i]->type) && any_reaches(k, i);
    }
}

/* Turns gone back, and the first turn that is reached. */
static bool count_turns(Back *k) {
    const ThApply *a = k->g->node;
    k->turns = cast_make(k->b, k->s.until ? a->out[scan_out_turns(&k->s)] : a->in[0], TH_INT64);
    k->steps = k->turns;
    if (k->s.a->truncate > 0 && k->turns) k->steps = elemwise_2(k->b, S_minimum, k->turns, num(k, k->s.a->truncate));
    k->from = k->steps == k->turns ? NULL : elemwise_2(k->b, S_sub, k->turns, k->steps);
    return k->turns && k->steps;
}

/* ---- the values that one turn reads -------------------------------------------------------------------------------
 */
/* Rows of x that the turns gone back see, row `at` being that of turn 0; the last turn first. */
static ThVar *history(Back *k, ThVar *x, int at) {
    ThVar *start = k->from ? plus(k, k->from, at) : at ? num(k, at) : NULL;
    return scan_rows(k->b, x, start, plus(k, k->turns, at), true);
}

/* The parts of the node, to be made once more with more collected. */
static void plan_again(Back *k, ScanPlan *p) {
    const ThApply *a = k->g->node;
    const Scan *s = &k->s;
    scan_plan_begin(p, k->b, a->in[0]);
    p->name = s->a->name;
    p->truncate = s->a->truncate;
    for (int i = 0; i < s->nseq; i++) scan_plan_seq(p, a->in[scan_in_seq(s) + i], k->body->in[i]);
    for (int i = 0; i < s->nstate; i++)
        scan_plan_state(p, a->in[scan_in_state(s) + i], s->tap + s->first[i], s->first[i + 1] - s->first[i],
                        k->body->in + s->nseq + s->first[i], k->body->out[i]);
    for (int i = 0; i < s->nshared; i++)
        scan_plan_shared(p, a->in[scan_in_shared(s) + i], k->body->in[scan_body_shared(s) + i],
                         k->body->out[scan_out_shared(s) + i]);
    for (int i = 0; i < s->nvalue; i++)
        scan_plan_value(p, a->in[scan_in_value(s) + i], k->body->in[scan_body_value(s) + i]);
    if (s->until) p->until = k->body->out[scan_out_turns(s)];
}

/* The node once more, with its shared values collected before every turn: out[i], one row a turn. */
static bool shared_history(Back *k, ThVar **out) {
    const ThApply *a = k->g->node;
    const Scan *s = &k->s;
    ScanPlan p;
    plan_again(k, &p);
    for (int i = 0; i < s->nshared; i++) {
        ThVar *x = a->in[scan_in_shared(s) + i], *n[TH_MAX_NDIM + 1] = {cast_make(k->b, a->in[0], TH_INT64)};
        for (int d = 0; d < x->type.ndim; d++) n[d + 1] = shape_elem_make(k->b, x, d);
        scan_plan_collect(&p, make_vector_make(k->b, n, x->type.ndim + 1, TH_INT64),
                          k->body->in[scan_body_shared(s) + i]);
    }
    ThApply *full = scan_plan_make(&p);
    scan_plan_end(&p);
    for (int i = 0; full && i < s->nshared; i++) out[i] = full->out[s->nstate + i];
    return full != NULL;
}

static bool add_values(Back *k) {
    const ThApply *a = k->g->node;
    const Scan *s = &k->s;
    ThVar *shared[OP_MAX_OUT];
    for (int i = 0; i < s->nseq; i++) scan_plan_seq(&k->p, history(k, a->in[scan_in_seq(s) + i], 0), k->body->in[i]);
    for (int i = 0; i < s->nstate; i++)
        for (int t = s->first[i]; t < s->first[i + 1]; t++)
            scan_plan_seq(&k->p, history(k, a->out[i], s->back[i] + s->tap[t]), k->body->in[s->nseq + t]);
    for (int i = 0; i < s->nvalue; i++)
        scan_plan_value(&k->p, a->in[scan_in_value(s) + i], k->body->in[scan_body_value(s) + i]);
    if (s->nshared && !shared_history(k, shared)) return false;
    for (int i = 0; i < s->nshared; i++)
        scan_plan_seq(&k->p, history(k, shared[i], 0), k->body->in[scan_body_shared(s) + i]);
    return !failed(k->c);
}

/* Products that the forward loop made for its states, and the backward body would make again, are collected by it. */
static bool save_products(Back *k, VarVec *from, VarVec *to) {
    VarVec heavy = {0};
    bool ok = scan_heavy(k->c, k->body, k->dx, from->at, from->n, &heavy);
    if (ok && heavy.n) {
        VarVec shape = {0};
        ScanPlan p;
        ok = scan_row_shapes(k->b, k->g->node, &k->s, heavy.at, heavy.n, &shape);
        plan_again(k, &p);
        for (int i = 0; ok && i < heavy.n; i++) scan_plan_collect(&p, shape.at[i], heavy.at[i]);
        ThApply *full = ok ? scan_plan_make(&p) : NULL;
        scan_plan_end(&p);
        ok = full != NULL;
        for (int i = 0; ok && i < heavy.n; i++) {
            ThVar *row = var_new(k->b, heavy.at[i]->type, NULL);
            ok = row && vec_push(k->c, from, heavy.at[i]) && vec_push(k->c, to, row);
            if (ok) scan_plan_seq(&k->p, history(k, full->out[k->s.nstate + i], 0), row);
        }
        vec_free(k->c, &shape);
    }
    vec_free(k->c, &heavy);
    return ok;
}

/* What the body computed for its own outputs was kept: the backward body reads it instead of computing it again. */
static bool use_saved(Back *k) {
    const Scan *s = &k->s;
    VarVec from = {0}, to = {0};
    ThVar **new_ = ctx_alloc0(k->c, sizeof *new_ * (size_t)(k->body->nin + 1));
    bool ok = new_ != NULL;
    for (int o = 0; ok && o < scan_out_shared(s); o++) {
        ThVar *v = k->body->out[o];
        bool again = !v->owner;
        for (int i = 0; i < from.n && !again; i++) again = from.at[i] == v;
        if (again) continue;
        ThVar *row = var_new(k->b, v->type, NULL);
        ok = row && vec_push(k->c, &from, v) && vec_push(k->c, &to, row);
        if (ok) scan_plan_seq(&k->p, history(k, k->g->node->out[o], o < s->nstate ? s->back[o] : 0), row);
    }
    ok = ok && save_products(k, &from, &to);
    for (int i = 0; ok && i < k->body->nin; i++) {
        if (!k->dx[i] || k->dx[i]->type.kind == TYPE_NULL) continue;
        ok = graph_clone(k->c, &k->dx[i], 1, from.at, to.at, from.n, true, &new_[i]);
        if (!ok) break;
        th_var_release(k->dx[i]);
        k->dx[i] = new_[i];
    }
    ctx_free(k->c, new_, sizeof *new_ * (size_t)(k->body->nin + 1));
    vec_free(k->c, &from);
    vec_free(k->c, &to);
    return ok;
}

/* ---- gradients inside the body ------------------------------------------------------------------------------------
 */
static ThVar *inner_var(Back *k, ThType t) { return var_new(k->b, t, NULL); }

static ThVar *add(Back *k, ThVar *x, ThVar *y) { return !x ? y : !y ? x : elemwise_2(k->b, S_add, x, y); }

/* Stand-ins for what is carried, and the gradient of every live output of the body. */
static bool make_deltas(Back *k) {
    const Scan *s = &k->s;
    int n = 0;
    for (int i = 0; i < s->nstate; i++) {
        ThType t = row_type(k->g->node->out[i]);
        k->pend[i] = n;
        for (int j = 0; j < s->back[i] && k->live[i]; j++)
            if (!(k->pending[n++] = inner_var(k, t))) return false;
    }
    k->pend[s->nstate] = n;
    for (int o = 0; o < scan_out_turns(s); o++) {
        if (!k->live[o]) continue;
        ThType t = k->body->out[o]->type;
        bool shared = o >= scan_out_shared(s);
        ThVar *d = NULL;
        if (shared) d = k->carry[o] = inner_var(k, t);
        else if (k->g->gz[o]) {
            ThVar *rows =
                history(k, scan_fit(k->b, k->g->gz[o], k->g->node->out[o]->type), o < s->nstate ? s->back[o] : 0);
            d = rows ? inner_var(k, row_type(rows)) : NULL;
            if (!d) return false;
            scan_plan_seq(&k->p, rows, d);
        }
        if (o < s->nstate) d = add(k, d, k->pending[k->pend[o]]);
        if (!(k->delta[o] = scan_fit(k->b, d, t))) return false;
    }
    return true;
}

/* One turn: gradients of the wanted inner inputs, from those of the live outputs. Each output gets a name of its own
 * (an identity), so that one which is also part of another, or an input, keeps both. */
static bool inner_grad(Back *k) {
    ThVar *known[OP_MAX_OUT], *grad[OP_MAX_OUT];
    VarVec wrt = {0};
    int n = 0;
    for (int o = 0; o < scan_out_turns(&k->s); o++) {
        if (!k->live[o]) continue;
        known[n] = elemwise_1(k->b, S_identity, k->body->out[o]);
        if (!known[n]) return false;
        grad[n++] = k->delta[o];
    }
    for (int i = 0; i < k->body->nin; i++)
        if (k->want[i] && !vec_push(k->c, &wrt, k->body->in[i])) return false;
    ThGradOptions o = {.known = known,
                       .known_grad = grad,
                       .nknown = n,
                       .disconnected_inputs = TH_IGNORE,
                       .null_return = true,
                       .disconnected = 'n',
                       .no_names = true};
    ThVar **out = ctx_alloc0(k->c, sizeof *out * (size_t)(wrt.n + 1));
    bool ok = out && (wrt.n == 0 || th_grad(k->c, NULL, wrt.at, wrt.n, &o, out) == 0);
    for (int i = 0, j = 0; ok && i < k->body->nin; i++) k->dx[i] = k->want[i] ? out[j++] : NULL;
    ctx_free(k->c, out, sizeof *out * (size_t)(wrt.n + 1));
    vec_free(k->c, &wrt);
    return ok;
}

static bool undefined(const ThVar *v) { return v && v->type.kind == TYPE_NULL; }

/* An undefined gradient of something carried reaches every input; that of a sequence or value only itself. */
static bool poison(Back *k) {
    const char *why = NULL;
    for (int i = 0; i < k->body->nin; i++)
        if (undefined(k->dx[i]) && scan_carried_by(&k->s, i) >= 0) why = k->dx[i]->name;
    for (int i = 0; i < k->g->node->nin && why; i++)
        if (k->g->wanted[i]) k->g->gx[i] = grad_undefined(k->g, i, why);
    return why != NULL;
}

/* ---- the backward loop ------------------------------------------------------------------------------------------- */
static ThVar *zeros_of_row(Back *k, ThVar *x) {
    ThVar *n[TH_MAX_NDIM];
    for (int d = 1; d < x->type.ndim; d++) n[d - 1] = shape_elem_make(k->b, x, d);
    ThVar *zero = const_float(k->b, 0, (ThDtype)x->type.dtype);
    zero = x->type.ndim > 1 && zero ? alloc_make(k->b, zero, n, x->type.ndim - 1) : zero;
    return scan_fit(k->b, zero, row_type(x));
}

static ThVar *zeros_of(Back *k, ThVar *x) {
    return scan_fit(k->b, zeros_like_make(k->b, x, (ThDtype)x->type.dtype), x->type);
}

/* What turn t owes to older rows of state i: its own contributions on top of what was owed before. */
static void carry_state(Back *k, int i) {
    const Scan *s = &k->s;
    ThVar *x = k->g->node->out[i];
    for (int j = 1; j <= s->back[i]; j++) {
        ThVar *owed = j < s->back[i] ? k->pending[k->pend[i] + j] : NULL;
        for (int t = s->first[i]; t < s->first[i + 1]; t++)
            if (s->tap[t] == -j && k->dx[s->nseq + t]) owed = add(k, owed, k->dx[s->nseq + t]);
        owed = owed
                   ? scan_fit(k->b, owed, row_type(x))
                   : scan_fit(k->b, zeros_like_make(k->b, k->pending[k->pend[i]], (ThDtype)x->type.dtype), row_type(x));
        scan_plan_shared(&k->p, zeros_of_row(k, x), k->pending[k->pend[i] + j - 1], owed);
    }
}

static void carry_shared(Back *k, int i) {
    int in = scan_body_shared(&k->s) + i, o = scan_out_shared(&k->s) + i;
    ThVar *x = k->g->node->out[o];
    ThVar *start = k->g->gz[o] ? scan_fit(k->b, k->g->gz[o], x->type) : zeros_of(k, x);
    ThVar *now = k->dx[in] ? scan_fit(k->b, k->dx[in], x->type)
                           : scan_fit(k->b, zeros_like_make(k->b, k->carry[o], (ThDtype)x->type.dtype), x->type);
    scan_plan_shared(&k->p, start, k->carry[o], now);
}

/* Sums for the values that are wanted: place[] tells which shared value of the backward loop each is. */
static void carry_values(Back *k, int *place) {
    const Scan *s = &k->s;
    for (int i = scan_body_value(s); i < k->body->nin; i++) {
        place[i] = -1;
        if (!k->dx[i] || undefined(k->dx[i])) continue;
        ThVar *x = k->g->node->in[scan_outer_of(s, i)], *sum = inner_var(k, x->type);
        place[i] = k->p.shared.n;
        scan_plan_shared(&k->p, zeros_of(k, x), sum, sum ? scan_fit(k->b, add(k, sum, k->dx[i]), x->type) : NULL);
    }
}

static void collect_sequences(Back *k, int *place) {
    for (int i = 0; i < k->s.nseq; i++) {
        place[i] = -1;
        if (!k->dx[i] || undefined(k->dx[i])) continue;
        ThVar *x = k->g->node->in[scan_in_seq(&k->s) + i], *n[TH_MAX_NDIM] = {k->steps};
        for (int d = 1; d < x->type.ndim; d++) n[d] = shape_elem_make(k->b, x, d);
        place[i] = k->p.shape.n;
        scan_plan_collect(&k->p, make_vector_make(k->b, n, x->type.ndim, TH_INT64),
                          scan_fit(k->b, k->dx[i], k->body->in[i]->type));
    }
}

/* ---- gradients of the node's inputs -------------------------------------------------------------------------------
 */
static ThVar *none(Back *k, int in) { /* connected, but nothing reaches it through the turns */
    ThVar *x = k->g->node->in[in];
    return k->g->wanted[in] && x->type.kind == TYPE_TENSOR ? zero_grad_make(k->b, x) : NULL;
}

/* Owed to rows from before the first turn; nothing comes that far where the gradient was cut. */
static ThVar *uncut(Back *k, ThVar *v) {
    if (!k->from) return v;
    ThVar *cut = elemwise_2(k->b, S_gt, k->from, num(k, 0));
    ThVar *zero = const_float(k->b, 0, (ThDtype)v->type.dtype);
    ThType t = v->type;
    return scan_fit(k->b, elemwise_3(k->b, S_switch, cut, zero, v), t);
}

static void answer_state(Back *k, int i, ThVar *const *last) {
    const Scan *s = &k->s;
    int in = scan_in_state(s) + i;
    ThVar *x = k->g->node->in[in], *gz = k->g->gz[i], *all;
    if (!k->g->wanted[in] || !floating(x->type)) {
        k->g->gx[in] = none(k, in);
        return;
    }
    all = zeros_of(k, x);
    for (int j = s->back[i]; j >= 1 && all; j--) { /* row L - j */
        int r = s->back[i] - j;
        ThVar *v = k->live[i] ? uncut(k, last[k->pend[i] + j - 1]) : NULL;
        if (gz) v = add(k, subtensor_int_make(k->b, scan_fit(k->b, gz, x->type), r), v);
        int8_t pad[TH_MAX_NDIM] = {-1};
        for (int d = 1; d < x->type.ndim; d++) pad[d] = (int8_t)(d - 1);
        if (v) all = scan_set_rows(k->b, all, num(k, r), num(k, r + 1), dimshuffle_make(k->b, v, pad, x->type.ndim));
    }
    k->g->gx[in] = all;
}

static void answer_seq(Back *k, int i, int place, const ThApply *back, int ncarried) {
    (void)ncarried;
    int in = scan_in_seq(&k->s) + i;
    if (undefined(k->dx[i])) k->g->gx[in] = grad_undefined(k->g, in, k->dx[i]->name);
    else if (place < 0) k->g->gx[in] = none(k, in);
    else
        k->g->gx[in] = scan_set_rows(k->b, zeros_of(k, k->g->node->in[in]), k->from, k->turns,
                                     scan_rows(k->b, back->out[place], NULL, NULL, true));
}

static void answer(Back *k, const ThApply *back, const int *place) {
    const Scan *s = &k->s;
    ThVar *const *last = back->out + k->p.shape.n; /* shared values after the loop, in the order added */
    for (int i = 0; i < s->nseq; i++) answer_seq(k, i, place[i], back, 0);
    for (int i = 0; i < s->nstate; i++) answer_state(k, i, last);
    int at = k->pend[s->nstate];
    for (int i = 0; i < s->nshared; i++) {
        int in = scan_in_shared(s) + i;
        ThVar *v = k->live[scan_out_shared(s) + i] ? uncut(k, last[at++]) : none(k, in);
        k->g->gx[in] = k->g->wanted[in] ? v : NULL;
    }
    for (int i = scan_body_value(s); i < k->body->nin; i++) {
        int in = scan_outer_of(s, i);
        k->g->gx[in] = undefined(k->dx[i]) ? grad_undefined(k->g, in, k->dx[i]->name)
                       : place[i] >= 0     ? last[place[i]]
                                           : none(k, in);
    }
}

static void go_back(Back *k, int *place) {
    const Scan *s = &k->s;
    scan_plan_begin(&k->p, k->b, k->steps);
    Text name;
    text_init(&name, k->c);
    text_printf(&name, "grad_of_%s", s->a->name ? s->a->name : "scan_fn");
    k->p.name = name.at ? intern(k->c, name.at) : NULL;
    text_free(&name);
    if (make_deltas(k) && inner_grad(k) && !poison(k) && use_saved(k) && add_values(k)) {
        for (int i = 0; i < s->nstate; i++)
            if (k->live[i]) carry_state(k, i);
        for (int i = 0; i < s->nshared; i++)
            if (k->live[scan_out_shared(s) + i]) carry_shared(k, i);
        carry_values(k, place);
        collect_sequences(k, place);
        ThApply *back = NULL;
        if (k->p.shared.n + k->p.shape.n == 0) { /* nothing wanted comes through the turns */
            for (int i = 0; i < k->g->node->nin; i++) k->g->gx[i] = none(k, i);
        } else if ((back = scan_plan_make(&k->p))) answer(k, back, place);
    }
    scan_plan_end(&k->p);
}

void scan_grad(Grad *g) {
    Back k = {.g = g, .b = g->b, .c = g->b->ctx};
    const ThApply *a = g->node;
    if (!scan_parts(k.c, a->attrs, a->nin, &k.s)) return;
    k.body = k.s.a->body;
    k.reach = scan_reach(k.body);
    int npend = 0;
    for (int i = 0; i < k.s.nstate; i++) npend += k.s.back[i];
    size_t nin = (size_t)k.body->nin + 1, nout = OP_MAX_OUT;
    size_t bytes = (nin + 2 * nout + (size_t)npend) * sizeof(ThVar *) + nin * (sizeof(int) + sizeof(bool));
    char *room = k.reach ? ctx_alloc0(k.c, bytes) : NULL;
    if (!room) return;
    k.dx = (ThVar **)(void *)room;
    k.delta = k.dx + nin;
    k.carry = k.delta + nout;
    k.pending = k.carry + nout;
    int *place = (int *)(void *)(k.pending + npend);
    k.want = (bool *)(place + nin);
    mark_live(&k);
    mark_wanted(&k);
    if (count_turns(&k)) go_back(&k, place);
    grad_undefined_sparse(g);
    for (size_t i = 0; i < nin; i++) th_var_release(k.dx[i]);
    ctx_free(k.c, room, bytes);
}
