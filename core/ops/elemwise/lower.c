/*
 * lower.c -- one Elemwise node to one kernel: loads, casts to the computing dtype, instructions, stores.
 * In: a node of any rank; Composite bodies are inlined, n-ary operations become left folds. Out: a kernel whose only
 * scalar instructions are rows of the scalar table with one computing dtype each. Dimensions that are broadcastable in
 * every operand get no loop.
 */
#include "ops/table/ops.h"

#include <string.h>

bool elemwise_lower(Lower *l);

/* On bool, sums are or and products are and: values stay 0 or 1. */
static int on_bool(int op) {
    return op == S_add || op == S_maximum ? S_or_ : op == S_mul || op == S_sqr || op == S_minimum ? S_and_ : op;
}

/* Integers have no infinity to divide into: stop before the division. */
static bool check_divisor(Kernel *k, int divisor, ThDtype d, int depth) {
    ThValue zero;
    memset(&zero, 0, sizeof zero);
    int lit = ins_literal(k, d, zero, depth);
    int bad = lit < 0 ? -1 : ins_op(k, S_eq, d, TH_BOOL, depth, divisor, lit, -1);
    return bad >= 0 && ins_fail_if(k, bad, TH_ZeroDivisionError, depth) >= 0;
}

typedef struct Emit {
    Kernel *k;
    int op, depth;
    ThDtype d, out; /* computing and result dtypes */
} Emit;

static int emit_op(Emit *e, int a, int b, int c) {
    int op = e->op;
    if (a < 0) return -1;
    if (e->d == TH_BOOL && e->out == TH_BOOL) {
        op = on_bool(op);
        if (e->op == S_sqr) b = a;
    }
    if ((scalar_ops[op].flags & SF_FAILS) && dtype_is_discrete(e->d) && !check_divisor(e->k, b, e->d, e->depth))
        return -1;
    return ins_op(e->k, op, e->d, e->out, e->depth, a, b, c);
}

/* Left fold; a single operand is only cast. */
static int emit_nary(Emit *e, const int *in, int nin) {
    int acc = ins_cast(e->k, in[0], e->d, e->depth);
    for (int i = 1; i < nin && acc >= 0; i++) {
        int v = ins_cast(e->k, in[i], e->d, e->depth);
        acc = v < 0 ? -1 : emit_op(e, acc, v, -1);
    }
    return acc;
}

/*
 * The instructions of scalar operation `op` on the values in[0..nin) of dtypes in_dtype, result of dtype out, at
 * `depth`. Returns the value id, -1 on error.
 */
int scalar_emit(Kernel *k, int op, const ThDtype *in_dtype, const int *in, int nin, ThDtype out, int depth) {
    if (op == S_cast) return ins_cast(k, in[0], out, depth);
    if (op == S_identity) return in[0];
    if (op == S_second) return in[1];
    Emit e = {.k = k, .op = op, .depth = depth, .out = out};
    if (scalar_ops[op].flags & SF_NARY) {
        e.d = out;
        return emit_nary(&e, in, nin);
    }
    ThDtype to[4], result = out;
    int v[4] = {-1, -1, -1, -1};
    if (nin > TH_LEN(to) || !scalar_infer(k->ctx, op, in_dtype, nin, to, &result)) return -1;
    for (int i = 0; i < nin; i++) {
        v[i] = ins_cast(k, in[i], to[i], depth);
        if (v[i] < 0) return -1;
    }
    e.d = op == S_switch ? result : to[0];
    e.out = result;
    int r = emit_op(&e, v[0], v[1], v[2]);
    return r < 0 ? -1 : ins_cast(k, r, out, depth);
}

/* ---- the node's loops -------------------------------------------------------------------------------------------- */
typedef struct Loops {
    int8_t map[TH_MAX_NDIM];
    int n;
} Loops;

static bool make_loops(Lower *l, Kernel *k, Loops *s) {
    ThType t = l->node->out[0]->type;
    s->n = 0;
    for (int d = 0; d < t.ndim; d++) {
        s->map[d] = -1;
        if (type_bcast(t, d)) continue;
        int at = kernel_dim(k, l->api->out_dim(l, 0, d), DIM_PAR);
        if (at < 0)
            return err(l->ctx, TH_NotImplementedError,
                       "an elementwise operation over more than %d dimensions that are not broadcastable: "
                       "reshape the operands to fewer dimensions",
                       KDIM);
        s->map[d] = (int8_t)at;
        s->n = at + 1;
    }
    return kernel_stage(k, STAGE_LOOP, 0, s->n) >= 0;
}

/* An input varies only along dims where it is not broadcastable. */
static int load(Lower *l, Kernel *k, const Loops *s, int i) {
    ThType t = l->node->in[i]->type;
    int8_t map[TH_MAX_NDIM];
    for (int d = 0; d < t.ndim; d++) map[d] = (int8_t)(type_bcast(t, d) ? -1 : s->map[d]);
    int acc = l->api->read(l, k, i, map);
    return acc < 0 ? -1 : ins_load(k, acc, s->n);
}

static bool store(Lower *l, Kernel *k, const Loops *s, int o, int value) {
    if (value < 0) return false;
    int acc = l->api->write(l, k, o, s->map);
    return acc >= 0 && ins_store(k, acc, value, s->n) >= 0;
}

/* value[] holds the ids of the body's values: inputs, constants, instructions. */
static bool emit_body(Lower *l, Kernel *k, const Loops *s, const ScalarBody *b, int *value) {
    for (int i = 0; i < b->nconst; i++)
        if ((value[b->nin + i] = ins_literal(k, b->cdtype[i], b->cvalue[i], s->n)) < 0) return false;
    for (int i = 0; i < b->n; i++) {
        const ScalarIns *in = &b->ins[i];
        ThDtype dt[KACC];
        int arg[KACC];
        if (in->nargs > KACC)
            return err(l->ctx, TH_NotImplementedError, "a Composite with an operation of %d operands", in->nargs);
        for (int j = 0; j < in->nargs; j++) {
            arg[j] = value[b->arg[in->first + j]];
            dt[j] = scalar_body_dtype(b, b->arg[in->first + j]);
        }
        int v = scalar_emit(k, in->op, dt, arg, in->nargs, in->dtype, s->n);
        if (v < 0) return false;
        value[b->nin + b->nconst + i] = v;
    }
    for (int o = 0; o < b->nout; o++)
        if (!store(l, k, s, o, value[b->out[o]])) return false;
    return true;
}

/* Loads inputs [first, first + n) into value[0..n); an input that stands twice is read once. */
static bool load_inputs(Lower *l, Kernel *k, const Loops *s, int first, int n, int *value, ThDtype *dtype) {
    const ElemwiseAttrs *a = ATTRS(ElemwiseAttrs, l->node);
    for (int i = 0; i < n; i++) {
        ThVar *const *in = l->node->in + first;
        dtype[i] = in[i]->type.dtype;
        value[i] = -1;
        if (!a->body && a->scalar == S_second && i == 0) continue; /* only its shape counts */
        for (int j = 0; j < i && value[i] < 0; j++)
            if (in[j] == in[i]) value[i] = value[j];
        if (value[i] < 0 && (value[i] = load(l, k, s, first + i)) < 0) return false;
    }
    return true;
}

/* value[i], dtype[i]: room for every input, and for every value of a body. */
static bool emit_node(Lower *l, Kernel *k, const Loops *s, int *value, ThDtype *dtype) {
    const ElemwiseAttrs *a = ATTRS(ElemwiseAttrs, l->node);
    if (!load_inputs(l, k, s, 0, l->node->nin, value, dtype)) return false;
    if (a->body) return emit_body(l, k, s, a->body, value);
    return store(l, k, s, 0, scalar_emit(k, a->scalar, dtype, value, l->node->nin, l->node->out[0]->type.dtype, s->n));
}

/*
 * More operands than one kernel may read: kernels of PART operands each, every one after the first going on from what
 * the output holds. The fold and its roundings are those of a single kernel.
 */
enum { PART = KACC - 3 };
static bool lower_parts(Lower *l) {
    const ElemwiseAttrs *a = ATTRS(ElemwiseAttrs, l->node);
    ThDtype out = l->node->out[0]->type.dtype, dtype[PART + 1];
    int value[PART + 1];
    for (int first = 0; first < l->node->nin; first += PART) {
        int n = l->node->nin - first < PART ? l->node->nin - first : PART, held = first > 0;
        Kernel *k = l->api->kernel(l);
        Loops s;
        if (!k || !make_loops(l, k, &s)) return false;
        if (held) {
            int acc = l->api->read_out(l, k, 0, s.map, ACC_SAMEMAP);
            if (acc < 0 || (value[0] = ins_load(k, acc, s.n)) < 0) return false;
            dtype[0] = out;
        }
        if (!load_inputs(l, k, &s, first, n, value + held, dtype + held)) return false;
        if (!store(l, k, &s, 0, scalar_emit(k, a->scalar, dtype, value, n + held, out, s.n))) return false;
    }
    return true;
}

bool elemwise_lower(Lower *l) {
    const ElemwiseAttrs *a = ATTRS(ElemwiseAttrs, l->node);
    if (!a->body && (scalar_ops[a->scalar].flags & SF_NARY) && l->node->nin > PART) return lower_parts(l);
    if (a->inplace[0] && !l->api->alias(l, a->inplace[1], a->inplace[2])) return false;
    Kernel *k = l->api->kernel(l);
    Loops s;
    if (!k || !make_loops(l, k, &s)) return false;
    int n = l->node->nin + (a->body ? a->body->nconst + a->body->n : 0);
    VEC(int) value = {0};
    VEC(ThDtype) dtype = {0};
    bool ok =
        vec_reserve(l->ctx, &value, n) && vec_reserve(l->ctx, &dtype, n) && emit_node(l, k, &s, value.at, dtype.at);
    vec_free(l->ctx, &value);
    vec_free(l->ctx, &dtype);
    return ok;
}
