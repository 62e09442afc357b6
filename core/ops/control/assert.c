/*
 * assert.c -- Assert: a value handed on, raising while the function runs where one of the conditions does not hold.
 * In: the value and 0-d conditions. Out: the value, as a copy that later kernels usually take into themselves. The
 * message is an attribute, so that the report can give it; `kind` is the kind of error (AssertionError for users, other
 * kinds where a function of ours checks its arguments this way).
 */
#include "ops/table/control.h"

static bool infer_assert(Infer *q) {
    if (q->nin < 1 || q->in[0]->type.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "Assert takes a tensor");
    for (int i = 1; i < q->nin; i++) {
        ThType t = q->in[i]->type;
        if (t.kind != TYPE_TENSOR || t.ndim != 0)
            return err(q->ctx, TH_TypeError,
                       "Assert: condition %d must be a scalar, it has %d dimensions: reduce it with T.all", i, t.ndim);
        double v;
        if (q->in[i]->kind == VAR_CONSTANT && const_all_equal(q->in[i], &v) && v == 0)
            return err(q->ctx, (ThError)((const AssertAttrs *)q->attrs)->kind, "%s",
                       ((const AssertAttrs *)q->attrs)->msg);
    }
    q->out[0] = q->in[0]->type;
    return true;
}

static bool shape_assert(ShapeQ *q) {
    for (int d = 0; d < q->node->in[0]->type.ndim; d++) q->out[0][d] = q->in[0][d];
    return true;
}

static void grad_assert(Grad *g) {
    g->gx[0] = g->gz[0];
    for (int i = 1; i < g->node->nin; i++) g->gx[i] = NULL;
}

static bool first_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

static bool lower_assert(Lower *l) {
    ThType t = l->api->in_type(l, 0);
    int8_t map[TH_MAX_NDIM];
    Kernel *k = l->api->kernel(l);
    if (!k) return false;
    for (int d = 0; d < t.ndim; d++) {
        map[d] = (int8_t)d;
        if (kernel_dim(k, l->api->out_dim(l, 0, d), DIM_PAR) >= 0) continue;
        return failed(l->ctx) ? false : err(l->ctx, TH_NotImplementedError, "Assert on more than %d dimensions", KDIM);
    }
    if (kernel_stage(k, STAGE_LOOP, 0, t.ndim) < 0) return false;
    for (int i = 1; i < l->node->nin; i++) {
        ThDtype d = (ThDtype)l->api->in_type(l, i).dtype;
        int c = ins_load(k, l->api->read(l, k, i, NULL), 0), zero = ins_literal(k, d, (ThValue){.c = {0, 0}}, 0);
        ins_fail_if(k, ins_op(k, S_eq, d, TH_BOOL, 0, c, zero, -1), (ThError)ATTRS(AssertAttrs, l->node)->kind, 0);
    }
    int value = ins_load(k, l->api->read(l, k, 0, map), t.ndim);
    ins_store(k, l->api->write(l, k, 0, map), value, t.ndim);
    return !failed(l->ctx);
}

static void str_assert(Text *t, const ThApply *a) { text_printf(t, "Assert{msg='%s'}", ATTRS(AssertAttrs, a)->msg); }

static const AttrField assert_fields[] = {
    {"msg", ATTR_STR, offsetof(AssertAttrs, msg), false},
    {"kind", ATTR_INT, offsetof(AssertAttrs, kind), false},
};
const Op op_assert = {
    .name = "Assert",
    .flags = OP_FAILS | OP_HALVES,
    .nin = -1,
    .nout = 1,
    .attr_bytes = sizeof(AssertAttrs),
    .attrs = assert_fields,
    .nattr = TH_LEN(assert_fields),
    .infer = infer_assert,
    .shape = shape_assert,
    .grad = grad_assert,
    .lower = lower_assert,
    .str = str_assert,
    .connected = first_connected,
    .batch = batch_assert,
    .rop = rop_linear,
    .doc = OP_DOC("a value, raising where a condition does not hold"),
};

ThVar *assert_make(Builder *b, ThVar *x, ThVar *const *cond, int n, const char *msg, ThError kind) {
    AssertAttrs at = {.msg = intern(b->ctx, msg), .kind = kind};
    ThVar *in[1 + TH_MAX_NDIM] = {x};
    if (!at.msg) return NULL;
    if (n > TH_MAX_NDIM) {
        err(b->ctx, TH_ValueError, "Assert: at most %d conditions", TH_MAX_NDIM);
        return NULL;
    }
    for (int i = 0; i < n; i++) in[1 + i] = cond[i];
    return apply1(b, &op_assert, &at, in, n + 1);
}
