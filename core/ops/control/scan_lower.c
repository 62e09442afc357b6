/*
 * scan_lower.c -- Scan to the planner's loop: which rows of which arrays a turn reads and writes (LowerApi.loop).
 * States are copied into the outputs first, or become them where the node may work in place; results that are collected
 * are written row by row; shared values are carried.
 */
#include "scan.h"

typedef struct Ports {
    LoopPort *in, *out;
    int nin, nout;
} Ports;

static LoopPort whole(int inner, int outer) {
    return (LoopPort){inner, outer, false, size_const(0), size_const(0), size_const(0)};
}

static LoopPort row(int inner, int outer, int64_t off, Size ring) {
    return (LoopPort){inner, outer, true, size_const(off), size_const(1), ring};
}

/* Made for this loop alone: it may be written to. */
static bool is_own(const Lower *l, const Scan *s, int in) {
    const ThVar *v = l->node->in[in];
    const Op *op = v->owner ? v->owner->op : NULL;
    return s->a->inplace && v->nclients == 1 && (op == &op_inc_subtensor || op == &op_alloc_empty || op == &op_alloc);
}

static bool start(Lower *l, const Scan *s, int out, int in) {
    if (!is_own(l, s, in)) return l->api->copy(l, out, in);
    return l->api->contiguous(l, in) && l->api->alias(l, out, in);
}

static bool start_outputs(Lower *l, const Scan *s) {
    for (int i = 0; i < s->nstate; i++)
        if (!start(l, s, i, scan_in_state(s) + i)) return false;
    for (int i = 0; i < s->nshared; i++)
        if (!start(l, s, scan_out_shared(s) + i, scan_in_shared(s) + i)) return false;
    return true;
}

static void make_ports(Lower *l, const Scan *s, Ports *p) {
    for (int i = 0; i < s->nseq; i++) p->in[p->nin++] = row(i, scan_in_seq(s) + i, 0, size_const(0));
    for (int i = 0; i < s->nstate; i++) {
        Size rows = l->api->out_dim(l, i, 0);
        for (int t = s->first[i]; t < s->first[i + 1]; t++)
            p->in[p->nin++] = row(s->nseq + t, -1 - i, s->back[i] + s->tap[t], rows);
        p->out[p->nout++] = row(i, i, s->back[i], rows);
    }
    for (int i = 0; i < s->ncollect; i++) {
        int o = scan_out_collect(s) + i;
        p->out[p->nout++] = row(o, o, 0, l->api->out_dim(l, o, 0));
    }
    for (int i = 0; i < s->nshared; i++) {
        int o = scan_out_shared(s) + i;
        p->in[p->nin++] = whole(scan_body_shared(s) + i, -1 - o);
        p->out[p->nout++] = whole(o, o);
    }
    for (int i = 0; i < s->nvalue; i++) p->in[p->nin++] = whole(scan_body_value(s) + i, scan_in_value(s) + i);
}

/* The rows of input i lie without gaps; the rows themselves may lie anyhow, as in x[::-1]. */
static bool rows_contiguous(Lower *l, int i) {
    Size want = size_const(1);
    for (int d = l->node->in[i]->type.ndim - 1; d >= 1; d--) {
        Size s = l->api->in_stride(l, i, d);
        if (s.k != want.k || (s.sym < 0) != (want.sym < 0) || (s.sym >= 0 && s.sym != want.sym)) return false;
        want = l->api->mul(l, want, l->api->in_dim(l, i, d));
    }
    return true;
}

bool scan_lower(Lower *l) {
    Scan s;
    const ThApply *a = l->node;
    if (!scan_parts(l->ctx, a->attrs, a->nin, &s)) return false;
    for (int i = 0; i < s.nseq; i++)
        if (!rows_contiguous(l, scan_in_seq(&s) + i) && !l->api->contiguous(l, scan_in_seq(&s) + i)) return false;
    if (!start_outputs(l, &s)) return false;
    size_t n = (size_t)(s.a->body->nin + s.a->body->nout) + 1;
    LoopPort *ports = ctx_alloc(l->ctx, n * sizeof *ports);
    if (!ports) return false;
    Ports p = {.in = ports, .out = ports + s.a->body->nin};
    make_ports(l, &s, &p);
    int turns = s.until ? scan_out_turns(&s) : -1;
    bool ok = l->api->loop(l, 0, l->api->in_value(l, 0, 0), p.in, p.nin, p.out, p.nout, turns, turns);
    ctx_free(l->ctx, ports, n * sizeof *ports);
    return ok;
}
