/*
 * lower.c -- one reduction to one kernel: loops over the kept dimensions, then over the reduced ones in order,
 * an accumulator each point. Dimensions promised to be 1 get no loop.
 */
#include "reduce.h"

#include <string.h>

typedef struct Loops {
    Kernel *k;
    int8_t in[TH_MAX_NDIM], out[TH_MAX_NDIM]; /* kernel dim along each dim of the input, of the output */
    int npar, n;
    Size reduced, kept; /* elements of one group, and groups */
} Loops;

static bool add_dim(Lower *l, Loops *s, int d, DimKind kind) {
    int at = kernel_dim(s->k, l->api->in_dim(l, 0, d), kind);
    if (at < 0)
        return err(l->ctx, TH_NotImplementedError,
                   "a reduction of a tensor with more than %d dimensions that are not broadcastable: "
                   "reshape it to fewer dimensions",
                   KDIM);
    s->in[d] = (int8_t)at;
    s->n = at + 1;
    return true;
}

static bool make_loops(Lower *l, const AttrInts *axis, Loops *s) {
    ThType t = l->node->in[0]->type;
    int out = 0;
    s->reduced = s->kept = size_const(1);
    s->n = 0;
    for (int d = 0; d < t.ndim; d++) {
        s->in[d] = -1;
        if (axis_in(axis, d)) continue;
        if (!type_bcast(t, d)) {
            if (!add_dim(l, s, d, DIM_PAR)) return false;
            s->kept = l->api->mul(l, s->kept, l->api->in_dim(l, 0, d));
        }
        s->out[out++] = s->in[d];
    }
    s->npar = s->n;
    for (int d = 0; d < t.ndim; d++) {
        if (!axis_in(axis, d) || type_bcast(t, d)) continue;
        if (!add_dim(l, s, d, DIM_RED)) return false;
        s->reduced = l->api->mul(l, s->reduced, l->api->in_dim(l, 0, d));
    }
    return kernel_stage(s->k, STAGE_LOOP, 0, s->n) >= 0;
}

/* An extremum of nothing does not exist (a sum of nothing is 0), unless nobody asks for one. Tested once, outside of
 * all loops, so that they stay free of exits. */
static bool check_nonempty(Loops *s) {
    if (s->reduced.sym < 0 && s->reduced.k > 0) return true;
    ThValue zero;
    memset(&zero, 0, sizeof zero);
    int n = ins_size(s->k, s->reduced, 0), lit = ins_literal(s->k, TH_INT64, zero, 0);
    if (n < 0 || lit < 0) return false;
    int bad = ins_op(s->k, S_eq, TH_INT64, TH_BOOL, 0, n, lit, -1);
    if (s->kept.sym >= 0 || s->kept.k == 0) {
        int groups = ins_size(s->k, s->kept, 0);
        int asked = groups < 0 ? -1 : ins_op(s->k, S_neq, TH_INT64, TH_BOOL, 0, groups, lit, -1);
        bad = asked < 0 ? -1 : ins_op(s->k, S_and_, TH_BOOL, TH_BOOL, 0, bad, asked, -1);
    }
    return bad >= 0 && ins_fail_if(s->k, bad, TH_ValueError, 0) >= 0;
}

static int load(Lower *l, Loops *s) {
    int acc = l->api->read(l, s->k, 0, s->in);
    return acc < 0 ? -1 : ins_load(s->k, acc, s->n);
}

/* With nothing to reduce the value is the result, at position 0. */
static int reduced(Loops *s, RedKind kind, int v, ThDtype acc) {
    if (v < 0 || s->n > s->npar) return v < 0 ? -1 : ins_reduce(s->k, kind, v, acc, s->npar);
    ThValue zero;
    memset(&zero, 0, sizeof zero);
    return kind == RED_ARGMAX ? ins_literal(s->k, TH_INT64, zero, s->npar) : v;
}

/* Reduces value v and stores output o. */
static bool reduce_to(Lower *l, Loops *s, RedKind kind, int v, ThDtype acc, int o) {
    int r = reduced(s, kind, v, acc);
    r = r < 0 ? -1 : ins_cast(s->k, r, l->node->out[o]->type.dtype, s->npar);
    int to = r < 0 ? -1 : l->api->write(l, s->k, o, s->out);
    return to >= 0 && ins_store(s->k, to, r, s->npar) >= 0;
}

static RedKind kind_of(const Op *op, ThDtype d) {
    if (op == &op_sum) return d == TH_BOOL ? RED_OR : RED_SUM;
    if (op == &op_prod) return d == TH_BOOL ? RED_AND : RED_PROD;
    if (op == &op_all) return RED_AND;
    if (op == &op_any) return RED_OR;
    if (op == &op_max) return d == TH_BOOL ? RED_OR : RED_MAX;
    return d == TH_BOOL ? RED_AND : RED_MIN;
}

static bool same_shape_copy(Lower *l, const AttrInts *axis) {
    return axis->n == 0 && l->node->in[0]->type.dtype == l->node->out[0]->type.dtype;
}

bool reduce_lower(Lower *l) {
    const ReduceAttrs *a = ATTRS(ReduceAttrs, l->node);
    Loops s;
    if (same_shape_copy(l, &a->axis)) return l->api->copy(l, 0, 0);
    if (!(s.k = l->api->kernel(l)) || !make_loops(l, &a->axis, &s)) return false;
    bool extremum = l->node->op == &op_max || l->node->op == &op_min;
    if (extremum && !a->or_least && !check_nonempty(&s)) return false;
    int v = load(l, &s);
    v = v < 0 ? -1 : ins_cast(s.k, v, a->acc_dtype, s.n);
    return reduce_to(l, &s, kind_of(l->node->op, a->acc_dtype), v, a->acc_dtype, 0);
}

/* The maximum (when asked for) and its position in one pass. */
bool argmax_lower(Lower *l) {
    const ArgmaxAttrs *a = ATTRS(ArgmaxAttrs, l->node);
    Loops s;
    if (!(s.k = l->api->kernel(l)) || !make_loops(l, &a->axis, &s) || !check_nonempty(&s)) return false;
    ThDtype d = l->node->in[0]->type.dtype;
    int v = load(l, &s), position = l->node->op == &op_argmax ? 0 : 1;
    if (v < 0) return false;
    if (position == 1 && !reduce_to(l, &s, d == TH_BOOL ? RED_OR : RED_MAX, v, d, 0)) return false;
    return reduce_to(l, &s, RED_ARGMAX, v, d, position);
}
