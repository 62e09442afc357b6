/*
 * scan.c -- the operation Scan: a loop over an inner graph (scan.h says what its inputs and outputs are).
 * In: lengths, sequences, states and values of the outer graph. Out: states after the loop, collected results, the last
 * shared values. The body is an attribute; the planner plans and embeds it (LowerApi.loop).
 */
#include "scan.h"
#include "ops/table/shape.h"

#include <stdlib.h>
#include <string.h>

/* ---- parts ------------------------------------------------------------------------------------------------------- */
static bool bad_taps(ThContext *c, const char *taps) { return err(c, TH_ValueError, "Scan: bad taps '%s'", taps); }

static bool read_taps(ThContext *c, Scan *s) {
    const char *p = s->a->taps;
    s->first[0] = 0;
    while (p && *p) {
        char *end;
        long k = strtol(p, &end, 10);
        if (end == p || k >= 0 || k < -0x10000000) return bad_taps(c, s->a->taps);
        if (s->ntap == SCAN_TAPS || s->nstate == OP_MAX_OUT)
            return err(c, TH_ValueError, "Scan: more than %d states or %d taps", OP_MAX_OUT, SCAN_TAPS);
        s->tap[s->ntap++] = (int)k;
        s->back[s->nstate] = s->back[s->nstate] > -k ? s->back[s->nstate] : (int)-k;
        if (*end && *end != ',' && *end != ';') return bad_taps(c, s->a->taps);
        if (*end != ',') {
            s->first[++s->nstate] = s->ntap;
            s->back[s->nstate < OP_MAX_OUT ? s->nstate : 0] = s->nstate < OP_MAX_OUT ? 0 : s->back[0];
        }
        p = *end ? end + 1 : end;
    }
    return true;
}

bool scan_parts(ThContext *c, const void *attrs, int nin, Scan *s) {
    const ScanAttrs *a = attrs;
    s->a = a;
    s->nstate = s->ntap = 0;
    s->back[0] = 0;
    s->until = a->until != 0;
    if (!a->body) return err(c, TH_ValueError, "Scan has no inner graph");
    bool sane = a->nseq >= 0 && a->nshared >= 0 && a->ncollect >= 0 && a->nseq <= nin && a->nshared <= nin &&
                a->ncollect <= nin;
    if (!sane) return err(c, TH_ValueError, "Scan: its attributes do not fit its %d inputs", nin);
    s->nseq = (int)a->nseq;
    s->nshared = (int)a->nshared;
    s->ncollect = (int)a->ncollect;
    if (!read_taps(c, s)) return false;
    s->nvalue = nin - scan_in_value(s);
    if (s->nvalue < 0 || scan_nout(s) > OP_MAX_OUT || a->body->nin != scan_body_nin(s) || a->body->nout != scan_nout(s))
        return err(c, TH_ValueError, "Scan: %d inputs, and an inner graph of %d inputs and %d outputs, do not fit", nin,
                   a->body->nin, a->body->nout);
    return true;
}

int scan_outer_of(const Scan *s, int inner) {
    if (inner < s->nseq) return scan_in_seq(s) + inner;
    if (inner < scan_body_shared(s)) {
        int i = 0;
        while (s->first[i + 1] <= inner - s->nseq) i++;
        return scan_in_state(s) + i;
    }
    if (inner < scan_body_value(s)) return scan_in_shared(s) + inner - scan_body_shared(s);
    return scan_in_value(s) + inner - scan_body_value(s);
}

int scan_carried_by(const Scan *s, int inner) {
    if (inner < s->nseq || inner >= scan_body_value(s)) return -1;
    int at = scan_outer_of(s, inner);
    return at < scan_in_shared(s) ? at - scan_in_state(s) : scan_out_shared(s) + at - scan_in_shared(s);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */
static ThType row_of(ThType t) { return (ThType){t.kind, t.dtype, (uint16_t)(t.ndim - 1), t.broadcastable >> 1}; }

static bool refuse(Infer *q, int i, const char *what, ThType got, ThType want) {
    Text g, w;
    text_init(&g, q->ctx);
    text_init(&w, q->ctx);
    type_text(&g, got);
    type_text(&w, want);
    err(q->ctx, TH_TypeError, "Scan: input %d, %s, is a %s; its inner graph takes a %s", i, what, g.at ? g.at : "?",
        w.at ? w.at : "?");
    text_free(&g);
    text_free(&w);
    return false;
}

static bool want_rows(Infer *q, int i, const char *what, ThType inner) {
    ThType t = q->in[i]->type;
    if (t.kind == TYPE_TENSOR && t.ndim >= 1 && type_eq(row_of(t), inner)) return true;
    return refuse(q, i, what, t, inner);
}

static bool want_inputs(Infer *q, const Scan *s) {
    const GraphBody *body = s->a->body;
    ThType n = q->in[0]->type;
    if (n.kind != TYPE_TENSOR || n.ndim || !dtype_is_int((ThDtype)n.dtype))
        return err(q->ctx, TH_TypeError, "Scan: n_steps must be an integer scalar");
    for (int i = 0; i < s->nseq; i++)
        if (!want_rows(q, scan_in_seq(s) + i, "a sequence", body->in[i]->type)) return false;
    for (int i = 0; i < s->nstate; i++)
        for (int k = s->first[i]; k < s->first[i + 1]; k++)
            if (!want_rows(q, scan_in_state(s) + i, "a state", body->in[s->nseq + k]->type)) return false;
    for (int i = scan_body_shared(s); i < body->nin; i++) {
        int at = scan_outer_of(s, i);
        if (!type_eq(q->in[at]->type, body->in[i]->type))
            return refuse(q, at, "a value", q->in[at]->type, body->in[i]->type);
    }
    for (int i = 0; i < s->ncollect; i++) {
        ThType t = q->in[scan_in_shape(s) + i]->type;
        if (t.kind != TYPE_TENSOR || t.ndim != 1 || t.dtype != TH_INT64)
            return err(q->ctx, TH_TypeError, "Scan: the shape of a collected result must be an int64 vector");
    }
    return true;
}

/* The state's or shared value's new value has the type of the old one. */
static bool want_same(Infer *q, const Scan *s, int out, ThType have) {
    ThType got = s->a->body->out[out]->type;
    if (type_eq(got, have)) return true;
    Text g, w;
    text_init(&g, q->ctx);
    text_init(&w, q->ctx);
    type_text(&g, got);
    type_text(&w, have);
    err(q->ctx, TH_TypeError, "Scan: inner output %d is a %s, the value that it continues is a %s", out,
        g.at ? g.at : "?", w.at ? w.at : "?");
    text_free(&g);
    text_free(&w);
    return false;
}

static bool infer_scan(Infer *q) {
    Scan s;
    if (q->nin < 1 || !scan_parts(q->ctx, q->attrs, q->nin, &s) || !want_inputs(q, &s)) return false;
    const GraphBody *body = s.a->body;
    q->nout = scan_nout(&s);
    for (int i = 0; i < s.nstate; i++) {
        q->out[i] = q->in[scan_in_state(&s) + i]->type;
        if (!want_same(q, &s, i, row_of(q->out[i]))) return false;
    }
    for (int i = scan_out_collect(&s); i < scan_out_shared(&s); i++) {
        ThType t = body->out[i]->type;
        if (t.kind != TYPE_TENSOR || t.ndim >= TH_MAX_NDIM)
            return err(q->ctx, TH_TypeError, "Scan: inner output %d is no tensor that can be collected", i);
        q->out[i] = type_tensor((ThDtype)t.dtype, t.ndim + 1, t.broadcastable << 1);
    }
    for (int i = 0; i < s.nshared; i++) {
        q->out[scan_out_shared(&s) + i] = q->in[scan_in_shared(&s) + i]->type;
        if (!want_same(q, &s, scan_out_shared(&s) + i, q->in[scan_in_shared(&s) + i]->type)) return false;
    }
    if (!s.until) return true;
    ThType c = body->out[scan_out_turns(&s)]->type;
    q->out[scan_out_turns(&s)] = type_tensor(TH_INT64, 0, 0);
    return (c.kind == TYPE_TENSOR && c.ndim == 0 && c.dtype == TH_BOOL) ||
           err(q->ctx, TH_TypeError, "Scan: the condition must be a bool scalar");
}

/* ---- lengths ----------------------------------------------------------------------------------------------------- */
static bool shape_scan(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    const ThApply *node = q->node;
    Scan s;
    if (!scan_parts(node->ctx, node->attrs, node->nin, &s)) return false;
    int64_t known;
    Sz n = scalar_known(node->in[0], &known) ? a->constant(a->u, known) : a->value(a->u, 0, 0);
    Sz zero = a->constant(a->u, 0);
    if (!a->equal(a->u, n, a->op(a->u, 'M', n, zero), "IndexError! scan: the number of steps, {0}, is negative"))
        return false;
    for (int i = scan_in_seq(&s); i < scan_in_state(&s); i++)
        if (!a->equal(a->u, a->op(a->u, 'm', q->in[i][0], n), n,
                      "scan: a sequence has {0} rows for {1} steps: fewer rows than steps"))
            return false;
    for (int i = 0; i < s.nstate; i++) {
        const Sz *in = q->in[scan_in_state(&s) + i];
        Sz least = a->constant(a->u, s.back[i]);
        if (!a->equal(a->u, a->op(a->u, 'm', in[0], least), least, "scan: a state has {0} rows, its taps need {1}"))
            return false;
        for (int d = 0; d < node->out[i]->type.ndim; d++) q->out[i][d] = in[d];
    }
    for (int i = 0; i < s.ncollect; i++) {
        const ThVar *shape = node->in[scan_in_shape(&s) + i];
        int o = scan_out_collect(&s) + i;
        for (int d = 0; d < node->out[o]->type.ndim; d++)
            q->out[o][d] =
                vector_known(shape, d, &known) ? a->constant(a->u, known) : a->value(a->u, scan_in_shape(&s) + i, d);
    }
    for (int i = 0; i < s.nshared; i++)
        for (int d = 0, o = scan_out_shared(&s) + i; d < node->out[o]->type.ndim; d++)
            q->out[o][d] = q->in[scan_in_shared(&s) + i][d];
    return true;
}

/* ---- what depends on what ---------------------------------------------------------------------------------------- */
static int place(const Map *m, const ThVar *v) {
    uint32_t at;
    return map_get(m, KEY(v), &at) ? (int)at : -1;
}

/* Backward over the nodes: which values reach output o. seen[] is by number of the value. */
static void mark_back(const ApplyVec *order, const Map *number, const ThVar *out, bool *seen) {
    int at = place(number, out);
    if (at >= 0) seen[at] = true;
    for (int k = order->n - 1; k >= 0; k--) {
        const ThApply *a = order->at[k];
        for (int o = 0; o < a->nout; o++) {
            if (!seen[place(number, a->out[o])]) continue;
            for (int i = 0; i < a->nin; i++) {
                int from = place(number, a->in[i]);
                if (from >= 0 && (!a->op->connected || a->op->connected(a, i, o))) seen[from] = true;
            }
        }
    }
}

const bool *scan_reach(const GraphBody *body) {
    ThContext *c = body->ctx;
    if (body->reach) return body->reach;
    ApplyVec order = {0};
    Map number = {0};
    int n = 0;
    bool ok = graph_toposort(c, body->out, body->nout, body->in, body->nin, &order);
    for (int i = 0; ok && i < body->nin; i++) ok = map_put(c, &number, KEY(body->in[i]), (uint32_t)n++);
    for (int k = 0; ok && k < order.n; k++)
        for (int o = 0; ok && o < order.at[k]->nout; o++)
            ok = map_put(c, &number, KEY(order.at[k]->out[o]), (uint32_t)n++);
    size_t room = (size_t)body->nin * (size_t)body->nout + 1;
    bool *reach = ok ? ctx_alloc_owned(c, room) : NULL, *seen = reach ? ctx_alloc(c, (size_t)n + 1) : NULL;
    for (int o = 0; seen && o < body->nout; o++) {
        memset(seen, 0, (size_t)n + 1);
        mark_back(&order, &number, body->out[o], seen);
        memcpy(reach + (size_t)o * (size_t)body->nin, seen, (size_t)body->nin);
    }
    if (reach && !seen) {
        th_free(c, reach);
        reach = NULL;
    }
    ctx_free(c, seen, (size_t)n + 1);
    vec_free(c, &order);
    map_free(c, &number);
    ((GraphBody *)body)->reach = reach;
    return reach;
}

/* Outputs of the body that depend on inner inputs of node input `in`, through the turns too. */
static bool reaches_out(const Scan *s, const bool *reach, int in, int out) {
    bool hit[OP_MAX_OUT] = {false}, again = true;
    int nin = s->a->body->nin;
    for (int i = 0; i < nin; i++)
        if (scan_outer_of(s, i) == in)
            for (int o = 0; o < s->a->body->nout; o++) hit[o] = hit[o] || reach[o * nin + i];
    while (again) {
        again = false;
        for (int i = 0; i < nin; i++) {
            int by = scan_carried_by(s, i);
            for (int o = 0; by >= 0 && hit[by] && o < s->a->body->nout; o++)
                if (!hit[o] && reach[o * nin + i]) hit[o] = again = true;
        }
    }
    return hit[out];
}

static bool connected_scan(const ThApply *a, int in, int out) {
    Scan s;
    if (!scan_parts(a->ctx, a->attrs, a->nin, &s)) return true;
    bool shape = in >= scan_in_shape(&s) && in < scan_in_value(&s);
    if (in == 0 || shape || (s.until && out == scan_out_turns(&s))) return false;
    bool shared =
        in >= scan_in_shared(&s) && in < scan_in_shape(&s) && in - scan_in_shared(&s) + scan_out_shared(&s) == out;
    if (shared) return true; /* no turn at all */
    /* The rows of a state from before the loop, which stand in its output too, count only where a turn reads them. */
    const bool *reach = scan_reach(s.a->body);
    return !reach || reaches_out(&s, reach, in, out);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
static void str_scan(Text *t, const ThApply *a) {
    const ScanAttrs *s = a->attrs;
    const char *name = s->name ? s->name : "scan_fn";
    if (s->inplace) text_printf(t, "%s_inplace,cpu,%s}", s->until ? "do_while" : "forall", name);
    else text_printf(t, "%s{cpu,%s}", s->until ? "do_while" : "for", name);
}

static const GraphBody *const *bodies_scan(const void *attrs, int *n) {
    *n = 1;
    return &((const ScanAttrs *)attrs)->body;
}

static int outer_of_scan(const ThApply *a, int i) {
    Scan s;
    return scan_parts(a->ctx, a->attrs, a->nin, &s) ? scan_outer_of(&s, i) : -1;
}

static const AttrField scan_fields[] = {
    {"body", ATTR_GRAPH, offsetof(ScanAttrs, body), false},
    {"taps", ATTR_STR, offsetof(ScanAttrs, taps), false},
    {"name", ATTR_STR, offsetof(ScanAttrs, name), false},
    {"nseq", ATTR_INT, offsetof(ScanAttrs, nseq), false},
    {"nshared", ATTR_INT, offsetof(ScanAttrs, nshared), false},
    {"ncollect", ATTR_INT, offsetof(ScanAttrs, ncollect), false},
    {"truncate", ATTR_INT, offsetof(ScanAttrs, truncate), false},
    {"until", ATTR_BOOL, offsetof(ScanAttrs, until), false},
    {"inplace", ATTR_BOOL, offsetof(ScanAttrs, inplace), true},
};

const Op op_scan = {
    .name = "Scan",
    .flags = OP_FAILS | OP_HALVES,
    .nin = -1,
    .nout = -1,
    .attr_bytes = sizeof(ScanAttrs),
    .attrs = scan_fields,
    .nattr = TH_LEN(scan_fields),
    .infer = infer_scan,
    .shape = shape_scan,
    .grad = scan_grad,
    .lower = scan_lower,
    .str = str_scan,
    .connected = connected_scan,
    .rop = scan_rop,
    .batch = scan_batch,
    .bodies = bodies_scan,
    .outer_of = outer_of_scan,
    .doc = OP_DOC("a loop over an inner graph"),
};
