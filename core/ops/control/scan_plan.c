/*
 * scan_plan.c -- putting a loop together (ScanPlan), its public builder th_scan, and rows of tensors.
 * In: parts, each a variable outside the loop and those that stand for it in the body. Out: a Scan node. The body is
 * made closed here: free variables and shared variables that it uses become values of the loop; values given twice
 * are one; constants move into the body; what the body does not use is left out.
 */
#include "scan.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"

#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------------------------- */
static int slice_of(Builder *b, AttrIdx *idx, ThVar *start, ThVar *stop, bool reverse, ThVar **in) {
    int n = 0;
    idx->n = 1;
    idx->at[0].kind = 's';
    if (start) in[n++] = index_make(b, start);
    if (stop) in[n++] = index_make(b, stop);
    if (reverse) in[n++] = const_scalar_int(b, -1);
    idx->at[0].has = (uint8_t)((start ? 1 : 0) | (stop ? 2 : 0) | (reverse ? 4 : 0));
    int i = 0;
    for (int k = 0; k < 3; k++)
        if (idx->at[0].has & (1 << k)) {
            if (!in[i]) return -1;
            idx->at[0].dtype[k] = in[i++]->type.dtype;
        }
    return n;
}

ThVar *scan_rows(Builder *b, ThVar *x, ThVar *start, ThVar *stop, bool reverse) {
    ThVar *in[3];
    AttrIdx part = {0}, back = {0};
    if (start || stop) {
        int n = slice_of(b, &part, start, stop, false, in);
        x = n < 0 ? NULL : subtensor_make(b, x, &part, in, n);
    }
    if (!reverse || !x) return x;
    int n = slice_of(b, &back, NULL, NULL, true, in);
    return n < 0 ? NULL : subtensor_make(b, x, &back, in, n);
}

ThVar *scan_set_rows(Builder *b, ThVar *x, ThVar *start, ThVar *stop, ThVar *y) {
    ThVar *in[3];
    AttrIdx part = {0};
    int n = slice_of(b, &part, start, stop, false, in);
    return n < 0 || !x || !y ? NULL : inc_subtensor_make(b, x, y, &part, in, n, true);
}

ThVar *scan_fit(Builder *b, ThVar *x, ThType t) {
    if (!x) return NULL;
    x = cast_make(b, x, (ThDtype)t.dtype);
    return x ? patternbroadcast_make(b, x, t.broadcastable) : NULL;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */
void scan_plan_begin(ScanPlan *p, Builder *b, ThVar *steps) {
    *p = (ScanPlan){.b = b, .steps = steps, .truncate = -1, .failed = !steps};
    text_init(&p->taps, b->ctx);
}

void scan_plan_end(ScanPlan *p) {
    VarVec *all[] = {&p->seq,       &p->seq_in,     &p->state, &p->tap_in,      &p->state_out, &p->shared,
                     &p->shared_in, &p->shared_out, &p->shape, &p->collect_out, &p->value,     &p->value_in};
    for (size_t i = 0; i < TH_LEN(all); i++) vec_free(p->b->ctx, all[i]);
    text_free(&p->taps);
}

static void put(ScanPlan *p, VarVec *to, ThVar *v) { p->failed = p->failed || !v || !vec_push(p->b->ctx, to, v); }

void scan_plan_seq(ScanPlan *p, ThVar *outer, ThVar *inner) {
    put(p, &p->seq, outer);
    put(p, &p->seq_in, inner);
}

void scan_plan_state(ScanPlan *p, ThVar *outer, const int *tap, int ntap, ThVar *const *inner, ThVar *out) {
    if (p->state.n) text_putc(&p->taps, ';');
    for (int k = 0; k < ntap; k++) text_printf(&p->taps, "%s%d", k ? "," : "", tap[k]);
    for (int k = 0; k < ntap; k++) put(p, &p->tap_in, inner[k]);
    put(p, &p->state, outer);
    put(p, &p->state_out, out);
}

void scan_plan_shared(ScanPlan *p, ThVar *outer, ThVar *inner, ThVar *out) {
    put(p, &p->shared, outer);
    put(p, &p->shared_in, inner);
    put(p, &p->shared_out, out);
}

void scan_plan_collect(ScanPlan *p, ThVar *shape, ThVar *out) {
    put(p, &p->shape, shape);
    put(p, &p->collect_out, out);
}

void scan_plan_value(ScanPlan *p, ThVar *outer, ThVar *inner) {
    put(p, &p->value, outer);
    put(p, &p->value_in, inner);
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */
typedef struct Body {
    ThContext *c;
    Builder user;         /* where inner variables and constants are made */
    VarVec in, out, made; /* made: new references to the results */
    VarVec from, to;
    Map used;
} Body;

static bool append(Body *w, VarVec *to, const VarVec *part) {
    for (int i = 0; i < part->n; i++)
        if (!vec_push(w->c, to, part->at[i])) return false;
    return true;
}

static bool replace(Body *w, ThVar *from, ThVar *to) {
    return to && vec_push(w->c, &w->from, from) && vec_push(w->c, &w->to, to);
}

/* Values that are constants or the same as an earlier one are replaced in the body. */
static bool merge_values(Body *w, const ScanPlan *p) {
    Map first = {0};
    bool ok = true;
    for (int i = 0; ok && i < p->value.n; i++) {
        ThVar *v = p->value.at[i];
        uint32_t at;
        if (v->kind == VAR_CONSTANT && v->u.data && v->type.kind == TYPE_TENSOR) {
            ThVar *k = v->flags & VAR_F_GRAPH ? const_make_typed(&w->user, v->u.data, v->type) : v;
            ok = replace(w, p->value_in.at[i], k);
        } else if (map_get(&first, KEY(v), &at)) {
            ok = replace(w, p->value_in.at[i], p->value_in.at[at]);
        } else ok = map_put(w->c, &first, KEY(v), (uint32_t)i);
    }
    for (int i = 0; ok && i < p->seq.n; i++) { /* one row for a sequence given twice */
        uint32_t at;
        if (map_get(&first, KEY(p->seq.at[i]) ^ 1, &at)) ok = replace(w, p->seq_in.at[i], p->seq_in.at[at]);
        else ok = map_put(w->c, &first, KEY(p->seq.at[i]) ^ 1, (uint32_t)i);
    }
    map_free(w->c, &first);
    return ok;
}

/* The results with all replacements done, and what they use. */
static bool copy_results(Body *w) {
    VarVec leaves = {0};
    bool ok = vec_reserve(w->c, &w->made, w->out.n + 1) &&
              graph_clone(w->c, w->out.at, w->out.n, w->from.at, w->to.at, w->from.n, true, w->made.at);
    w->made.n = ok ? w->out.n : 0;
    ok = ok && scan_cse(w->c, w->made.at, w->made.n);
    ok = ok && graph_leaves(w->c, w->made.at, w->made.n, &leaves);
    for (int i = 0; ok && i < leaves.n; i++) ok = map_put(w->c, &w->used, KEY(leaves.at[i]), 0);
    vec_free(w->c, &leaves);
    return ok;
}

static void keep_used(const Body *w, VarVec *outer, VarVec *inner) {
    int n = 0;
    uint32_t x;
    for (int i = 0; i < inner->n; i++) {
        if (!map_get(&w->used, KEY(inner->at[i]), &x)) continue;
        outer->at[n] = outer->at[i];
        inner->at[n++] = inner->at[i];
    }
    outer->n = inner->n = n;
}

static GraphBody *close_body(ScanPlan *p, Body *w) {
    if (!append(w, &w->out, &p->state_out) || !append(w, &w->out, &p->collect_out) ||
        !append(w, &w->out, &p->shared_out) || (p->until && !vec_push(w->c, &w->out, p->until)) ||
        !merge_values(w, p) || !copy_results(w))
        return NULL;
    keep_used(w, &p->seq, &p->seq_in);
    keep_used(w, &p->value, &p->value_in);
    if (!append(w, &w->in, &p->seq_in) || !append(w, &w->in, &p->tap_in) || !append(w, &w->in, &p->shared_in) ||
        !append(w, &w->in, &p->value_in))
        return NULL;
    return graph_body(w->c, w->in.at, w->in.n, w->made.at, w->made.n);
}

static ThApply *make_node(ScanPlan *p, const GraphBody *body) {
    ThContext *c = p->b->ctx;
    VarVec in = {0};
    Body w = {.c = c};
    ScanAttrs a;
    memset(&a, 0, sizeof a);
    a.body = body;
    a.taps = intern(c, p->taps.at ? p->taps.at : "");
    a.name = p->name;
    a.nseq = p->seq.n;
    a.nshared = p->shared.n;
    a.ncollect = p->shape.n;
    a.truncate = p->truncate;
    a.until = p->until != NULL;
    bool ok = a.taps && vec_push(c, &in, p->steps) && append(&w, &in, &p->seq) && append(&w, &in, &p->state) &&
              append(&w, &in, &p->shared) && append(&w, &in, &p->shape) && append(&w, &in, &p->value);
    ThApply *node = ok ? apply_make(p->b, &op_scan, &a, in.at, in.n) : NULL;
    vec_free(c, &in);
    return node;
}

ThApply *scan_plan_make(ScanPlan *p) {
    Body w = {.c = p->b->ctx};
    if (p->failed || failed(w.c)) return NULL;
    builder_begin(&w.user, w.c);
    GraphBody *body = close_body(p, &w);
    ThApply *node = body ? make_node(p, body) : NULL;
    graph_body_release(body);
    for (int i = 0; i < w.made.n; i++) th_var_release(w.made.at[i]);
    builder_end(&w.user);
    VarVec *all[] = {&w.in, &w.out, &w.made, &w.from, &w.to};
    for (size_t i = 0; i < TH_LEN(all); i++) vec_free(w.c, all[i]);
    map_free(w.c, &w.used);
    return node;
}

/* ---- th_scan ----------------------------------------------------------------------------------------------------- */
/* Zeros of the shape of one row of x: stands for it where only lengths matter. */
ThVar *scan_zero_row(Builder *b, ThVar *x) {
    ThVar *n[TH_MAX_NDIM];
    for (int d = 1; d < x->type.ndim; d++) n[d - 1] = shape_elem_make(b, x, d);
    ThVar *zero = const_int(b, 0, (ThDtype)x->type.dtype);
    return x->type.ndim > 1 ? alloc_make(b, zero, n, x->type.ndim - 1) : zero;
}

/* Pairs (inner variable, what stands for it outside). */
static bool stand_ins(const ThScan *s, Builder *b, VarVec *from, VarVec *to) {
    ThContext *c = b->ctx;
    bool ok = true;
    for (int i = 0; ok && i < s->nseq; i++) {
        ThVar *row = scan_fit(b, scan_zero_row(b, s->seq[i]), s->seq_in[i]->type);
        ok = row && vec_push(c, from, s->seq_in[i]) && vec_push(c, to, row);
    }
    for (int i = 0, k = 0; ok && i < s->nstate; i++) {
        ThVar *row = scan_fit(b, scan_zero_row(b, s->state[i]), s->tap_in[k]->type);
        for (int e = k + s->ntap[i]; ok && k < e; k++)
            ok = row && vec_push(c, from, s->tap_in[k]) && vec_push(c, to, row);
    }
    for (int i = 0; ok && i < s->nshared; i++) ok = vec_push(c, from, s->shared_in[i]) && vec_push(c, to, s->shared[i]);
    for (int i = 0; ok && i < s->nvalue; i++) ok = vec_push(c, from, s->value_in[i]) && vec_push(c, to, s->value[i]);
    return ok;
}

static ThVar *collect_shape(Builder *b, ThVar *steps, ThVar *row) {
    ThVar *n[TH_MAX_NDIM + 1] = {cast_make(b, steps, TH_INT64)};
    if (row->type.kind != TYPE_TENSOR || row->type.ndim >= TH_MAX_NDIM) {
        err(b->ctx, TH_TypeError, "scan: a result of the inner function is no tensor with fewer than %d dimensions",
            TH_MAX_NDIM);
        return NULL;
    }
    for (int d = 0; d < row->type.ndim; d++) n[d + 1] = shape_elem_make(b, row, d);
    return make_vector_make(b, n, row->type.ndim + 1, TH_INT64);
}

/* The results whose lengths are asked for, over stand-ins; their shapes go to the plan. */
static bool collect_all(ScanPlan *p, const ThScan *s) {
    ThContext *c = p->b->ctx;
    VarVec from = {0}, to = {0}, row = {0};
    bool ok = stand_ins(s, p->b, &from, &to) && vec_reserve(c, &row, s->ncollect + 1);
    ok = ok && graph_clone(c, s->collect_out, s->ncollect, from.at, to.at, from.n, false, row.at);
    row.n = ok ? s->ncollect : 0;
    for (int i = 0; ok && i < s->ncollect; i++)
        scan_plan_collect(p, collect_shape(p->b, s->steps, row.at[i]), s->collect_out[i]);
    for (int i = 0; i < row.n; i++) th_var_release(row.at[i]);
    vec_free(c, &from);
    vec_free(c, &to);
    vec_free(c, &row);
    return ok && !p->failed;
}

static ThApply *make_scan(Builder *b, const ThScan *s) {
    ScanPlan p;
    scan_plan_begin(&p, b, s->steps);
    p.until = s->until;
    if (p.until && p.until->type.dtype != TH_BOOL) p.until = elemwise_2(b, S_neq, p.until, const_int(b, 0, TH_INT8));
    if (failed(b->ctx)) return NULL;
    p.name = s->name ? intern(b->ctx, s->name) : NULL;
    p.truncate = s->truncate;
    for (int i = 0; i < s->nseq; i++) scan_plan_seq(&p, s->seq[i], s->seq_in[i]);
    for (int i = 0, k = 0; i < s->nstate; k += s->ntap[i++])
        scan_plan_state(&p, s->state[i], s->tap[i], s->ntap[i], s->tap_in + k, s->state_out[i]);
    for (int i = 0; i < s->nshared; i++) scan_plan_shared(&p, s->shared[i], s->shared_in[i], s->shared_out[i]);
    for (int i = 0; i < s->nvalue; i++) scan_plan_value(&p, s->value[i], s->value_in[i]);
    ThApply *node = collect_all(&p, s) ? scan_plan_make(&p) : NULL;
    scan_plan_end(&p);
    return node;
}

/* All lists of the loop are there. */
static bool loop_given(ThContext *c, const ThScan *s) {
    const char *const name = "th_scan";
    if (s->nstate < 0 || (s->nstate && (!s->tap || !s->ntap))) return err_missing(c, name);
    int taps = 0;
    for (int i = 0; i < s->nstate; i++) {
        if (s->ntap[i] < 1 || s->ntap[i] > INT16_MAX || !s->tap[i]) return err_missing(c, name);
        taps += s->ntap[i];
    }
    return graph_given(c, name, &s->steps, 1) && graph_given(c, name, s->seq, s->nseq) &&
           graph_given(c, name, s->seq_in, s->nseq) && graph_given(c, name, s->state, s->nstate) &&
           graph_given(c, name, s->tap_in, taps) && graph_given(c, name, s->state_out, s->nstate) &&
           graph_given(c, name, s->shared, s->nshared) && graph_given(c, name, s->shared_in, s->nshared) &&
           graph_given(c, name, s->shared_out, s->nshared) && graph_given(c, name, s->collect_out, s->ncollect) &&
           graph_given(c, name, s->value, s->nvalue) && graph_given(c, name, s->value_in, s->nvalue);
}

int th_scan(ThContext *c, const ThScan *s, ThVar **out) {
    if (!c) return -1;
    if (!s || !out) return err_missing(c, __func__), -1;
    Builder b;
    ThScan own;
    if (failed(c) || !(s = options_of(c, s, &own)) || !loop_given(c, s)) return -1;
    builder_begin(&b, c);
    ThApply *a = make_scan(&b, s);
    for (int o = 0; a && o < a->nout; o++) out[o] = th_var_retain(a->out[o]);
    int n = a ? a->nout : -1;
    builder_end(&b);
    return n;
}

int th_scan_free(ThContext *c, ThVar *const *outs, int n, ThVar *const *in, int nin, ThVar ***found) {
    if (!c) return -1;
    if (!found) return err_missing(c, __func__), -1;
    if (!graph_given(c, __func__, outs, n) || !graph_given(c, __func__, in, nin)) return -1;
    VarVec leaves = {0};
    Map given = {0};
    uint32_t x;
    int count = 0;
    bool ok = !failed(c) && graph_leaves(c, outs, n, &leaves);
    for (int i = 0; ok && i < nin; i++) ok = map_put(c, &given, KEY(in[i]), 0);
    *found = ok ? ctx_alloc_owned(c, sizeof **found * (size_t)(leaves.n + 1)) : NULL;
    for (int i = 0; *found && i < leaves.n; i++)
        if (leaves.at[i]->kind != VAR_CONSTANT && !map_get(&given, KEY(leaves.at[i]), &x))
            (*found)[count++] = leaves.at[i];
    ok = *found != NULL;
    vec_free(c, &leaves);
    map_free(c, &given);
    return ok ? count : -1;
}

ThVar *th_scan_state(ThContext *c, ThVar *initial, int rows, ThVar *steps) {
    if (!c) return NULL;
    if (!initial || !steps) return err_missing(c, __func__), NULL;
    Builder b;
    if (failed(c)) return NULL;
    builder_begin(&b, c);
    ThVar *n[TH_MAX_NDIM] = {elemwise_2(&b, S_add, cast_make(&b, steps, TH_INT64), const_int(&b, rows, TH_INT64))};
    for (int d = 1; d < initial->type.ndim; d++) n[d] = shape_elem_make(&b, initial, d);
    ThType t = initial->type;
    t.broadcastable &= ~1u;
    ThVar *all = scan_fit(&b, alloc_empty_make(&b, (ThDtype)t.dtype, n, t.ndim), t);
    all = th_var_retain(scan_set_rows(&b, all, NULL, const_int(&b, rows, TH_INT64), initial));
    builder_end(&b);
    return all;
}
