/*
 * advanced.c -- AdvancedSubtensor1 (x[v]), AdvancedSubtensor (x[i, j], x[i, a:b]) and the operations that set or
 * increase such parts. In: x, (y,) the index tensors and the given bounds of slices. Out: the chosen elements, or a
 * tensor of x's type in which repeated indices add up (inc) or the last one stays (set). An index out of range raises
 * IndexError.
 */
#include "advanced.h"
#include "ops/table/index.h"

static const AttrIdx first_axis = {.n = 1, .at = {{'i', 1, {TH_INT64, 0, 0}}}};

/* The subscript of a node, and its first input after x (and y). */
static const AttrIdx *idx_of(const Op *op, const void *attrs, int *first) {
    *first = op == &op_adv_inc_subtensor || op == &op_adv_inc_subtensor1 ? 2 : 1;
    if (op == &op_adv_subtensor) return &((const AdvSubtensorAttrs *)attrs)->idx;
    if (op == &op_adv_inc_subtensor) return &((const AdvIncSubtensorAttrs *)attrs)->idx;
    return &first_axis;
}

static bool form_of(const ThApply *a, AdvForm *f) {
    int first;
    const AttrIdx *idx = idx_of(a->op, a->attrs, &first);
    return adv_form(a->ctx, idx, a->in, a->nin, first, f);
}

bool adv_form_of(const ThApply *a, AdvForm *f) {
    bool one = a->op == &op_adv_subtensor1 || a->op == &op_adv_inc_subtensor1;
    return (one || a->op == &op_adv_subtensor || a->op == &op_adv_inc_subtensor) && form_of(a, f);
}

static bool is_set(const ThApply *a) {
    return a->op == &op_adv_inc_subtensor ? ATTRS(AdvIncSubtensorAttrs, a)->set : ATTRS(AdvIncSubtensor1Attrs, a)->set;
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */
static bool infer_take(Infer *q) {
    AdvForm f;
    int first;
    const AttrIdx *idx = idx_of(q->op, q->attrs, &first);
    if (q->nin < 2) return err(q->ctx, TH_TypeError, "%s takes a tensor and indices", q->op->name);
    if (!adv_form(q->ctx, idx, q->in, q->nin, first, &f)) return false;
    if (q->op == &op_adv_subtensor1 && q->in[1]->type.ndim != 1)
        return err(q->ctx, TH_TypeError, "index must be vector");
    q->out[0] = type_tensor((ThDtype)q->in[0]->type.dtype, f.ndim, f.broadcastable);
    return true;
}

static bool shape_take(ShapeQ *q) {
    AdvForm f;
    return form_of(q->node, &f) && adv_shape(q, &f, q->out[0]);
}

static bool lower_take(Lower *l) {
    AdvForm f;
    return form_of(l->node, &f) && adv_gather(l, &f);
}

/* ---- indices that were looked at --------------------------------------------------------------------------------- */
enum { BASES = 32, CLIENTS = 64 }; /* so far is looked: increments of increments, users of an index */

/* What x's shape is the shape of, through what only changes parts of it. */
static const ThVar *base_of(const ThVar *x) {
    for (int i = 0; i < BASES && x->owner; i++) {
        const Op *op = x->owner->op;
        if (op != &op_inc_subtensor && op != &op_adv_inc_subtensor && op != &op_adv_inc_subtensor1) break;
        x = x->owner->in[0];
    }
    return x;
}

/* Node b has an element for each of v's, along that axis of all of base (where that has no elements nobody has). */
static bool looks_at(const ThApply *b, const ThVar *v, const ThVar *base, int axis) {
    AdvForm f;
    return adv_form_of(b, &f) && f.nadv == 1 && b->nin - f.first == 1 && b->in[f.input[0]] == v && f.axis[0] == axis &&
           base_of(b->in[0]) == base;
}

bool adv_looked(const ThApply *a, bool (*earlier)(const void *user, const ThApply *b), const void *user) {
    AdvForm f;
    if (!adv_form_of(a, &f) || a->nin - f.first != f.nadv) return false;
    const ThVar *base = base_of(a->in[0]);
    for (int j = 0; j < f.nadv; j++) {
        const ThVar *v = a->in[f.input[j]];
        bool found = false;
        for (int i = 0; i < v->nclients && i < CLIENTS && !found; i++) {
            const ThApply *b = v->clients[i].node;
            found = b && b != a && looks_at(b, v, base, f.axis[j]) && earlier(user, b);
        }
        if (!found) return false;
    }
    return f.nadv > 0;
}

typedef struct Before {
    const int *place;
    int at;
} Before;

static bool before(const void *user, const ThApply *b) {
    const Before *q = user;
    return q->place[b->id] < q->at;
}

bool adv_looked_before(const ThApply *a, const int *place, int at) {
    return adv_looked(a, before, &(Before){place, at});
}

/* The matching inc or set on x with value y, same subscript as node a (whose subscript inputs start at `first`). */
static ThVar *inc_like(Builder *b, const ThApply *a, ThVar *x, ThVar *y, bool set) {
    int first;
    const AttrIdx *idx = idx_of(a->op, a->attrs, &first);
    if (idx == &first_axis) return adv_inc_subtensor1_make(b, x, y, a->in[first], set);
    return adv_inc_subtensor_make(b, x, y, idx, a->in + first, a->nin - first, set);
}

static ThVar *take_like(Builder *b, const ThApply *a, ThVar *x) {
    int first;
    const AttrIdx *idx = idx_of(a->op, a->attrs, &first);
    if (idx == &first_axis) return adv_subtensor1_make(b, x, a->in[first]);
    return adv_subtensor_make(b, x, idx, a->in + first, a->nin - first);
}

static void grad_take(Grad *g) {
    ThVar *x = g->node->in[0];
    for (int i = 1; i < g->node->nin; i++) g->gx[i] = NULL;
    if (dtype_is_discrete((ThDtype)x->type.dtype)) g->gx[0] = zero_grad_make(g->b, x);
    else g->gx[0] = inc_like(g->b, g->node, zeros_like_make(g->b, x, (ThDtype)x->type.dtype), g->gz[0], false);
}

static bool first_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

static void str_take(Text *t, const ThApply *a) { text_put(t, a->op->name); }

static const AttrField adv_fields[] = {{"idx", ATTR_IDX, offsetof(AdvSubtensorAttrs, idx), false}};
const Op op_adv_subtensor1 = {
    .name = "AdvancedSubtensor1",
    .flags = OP_FAILS | OP_HALVES,
    .nin = 2,
    .nout = 1,
    .infer = infer_take,
    .shape = shape_take,
    .grad = grad_take,
    .lower = lower_take,
    .connected = first_connected,
    .rop = rop_linear,
    .batch = batch_take,
    .doc = OP_DOC("rows of x chosen by an integer vector"),
};
const Op op_adv_subtensor = {
    .name = "AdvancedSubtensor",
    .flags = OP_FAILS | OP_HALVES,
    .nin = -1,
    .nout = 1,
    .attr_bytes = sizeof(AdvSubtensorAttrs),
    .attrs = adv_fields,
    .nattr = 1,
    .infer = infer_take,
    .shape = shape_take,
    .grad = grad_take,
    .lower = lower_take,
    .str = str_take,
    .connected = first_connected,
    .rop = rop_linear,
    .batch = batch_take,
    .doc = OP_DOC("elements of x chosen by integer tensors and slices"),
};

/* ---- setting and increasing -------------------------------------------------------------------------------------- */
static bool infer_put(Infer *q) {
    AdvForm f;
    int first;
    const AttrIdx *idx = idx_of(q->op, q->attrs, &first);
    if (q->nin < 3) return err(q->ctx, TH_TypeError, "%s takes a tensor, a value and indices", q->op->name);
    if (!adv_form(q->ctx, idx, q->in, q->nin, first, &f)) return false;
    ThType x = q->in[0]->type, y = q->in[1]->type;
    if (q->op == &op_adv_inc_subtensor1 && q->in[2]->type.ndim != 1)
        return err(q->ctx, TH_TypeError, "index must be vector");
    if (y.kind != TYPE_TENSOR || y.ndim > f.ndim)
        return err(q->ctx, TH_TypeError, "Trying to increment a %d-dimensional subtensor with a %d-dimensional value.",
                   f.ndim, y.ndim);
    if (dtype_is_complex((ThDtype)y.dtype) && !dtype_is_complex((ThDtype)x.dtype))
        return err(q->ctx, TH_TypeError, "a complex value does not fit into a %s tensor",
                   th_dtype_name((ThDtype)x.dtype));
    bool set = q->op == &op_adv_inc_subtensor1 ? ((const AdvIncSubtensor1Attrs *)q->attrs)->set
                                               : ((const AdvIncSubtensorAttrs *)q->attrs)->set;
    if (dtype_is_half((ThDtype)x.dtype) && !set)
        return err(q->ctx, TH_TypeError, "halves are increased as float32: it needs casts around it");
    q->out[0] = x;
    return true;
}

static bool shape_put(ShapeQ *q) {
    AdvForm f;
    Sz slot[TH_MAX_NDIM];
    const ThType x = q->node->in[0]->type, y = q->node->in[1]->type;
    if (!form_of(q->node, &f) || !adv_shape(q, &f, slot)) return false;
    for (int d = 0; d < x.ndim; d++) q->out[0][d] = q->in[0][d];
    for (int d = 0; d < y.ndim; d++)
        if (!type_bcast(y, d) && !q->alg->equal(q->alg->u, q->in[1][d], slot[f.ndim - y.ndim + d],
                                                "cannot write a value of length {0} into a slot of length {1}"))
            return false;
    return true;
}

static bool lower_put(Lower *l) {
    AdvForm f;
    if (!form_of(l->node, &f)) return false;
    bool own = l->node->destroys == 0, ahead = own && l->api->outlives(l, 0);
    AdvLook look = !ahead ? ADV_LOOK_THERE : l->api->looked(l) ? ADV_LOOKED : ADV_LOOK_AHEAD;
    if (!(own ? l->api->alias(l, 0, 0) : l->api->copy(l, 0, 0))) return false;
    return adv_scatter(l, &f, is_set(l->node), look);
}

static void grad_put(Grad *g) {
    ThApply *a = g->node;
    ThVar *x = a->in[0], *y = a->in[1], *gz = g->gz[0];
    for (int i = 2; i < a->nin; i++) g->gx[i] = NULL;
    if (dtype_is_discrete((ThDtype)x->type.dtype)) {
        g->gx[0] = zero_grad_make(g->b, x);
        g->gx[1] = zero_grad_make(g->b, y);
        return;
    }
    g->gx[0] = gz;
    if (is_set(a) && g->wanted[0])
        g->gx[0] = inc_like(g->b, a, gz, zeros_like_make(g->b, y, (ThDtype)y->type.dtype), true);
    if (g->wanted[1]) {
        ThVar *part = unbroadcast_make(g->b, take_like(g->b, a, gz), y);
        g->gx[1] = patternbroadcast_make(g->b, part, y->type.broadcastable);
    }
}

static bool two_connected(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in < 2;
}

static void str_put1(Text *t, const ThApply *a) {
    text_printf(t, "AdvancedIncSubtensor1{%s,%s}", a->destroys == 0 ? "inplace" : "no_inplace",
                is_set(a) ? "set" : "inc");
}

static void str_put(Text *t, const ThApply *a) {
    text_printf(t, "AdvancedIncSubtensor{inplace=%s,  set_instead_of_inc=%s}", a->destroys == 0 ? "True" : "False",
                is_set(a) ? "True" : "False");
}

static const AttrField put1_fields[] = {{"set", ATTR_BOOL, offsetof(AdvIncSubtensor1Attrs, set), false}};
static const AttrField put_fields[] = {
    {"idx", ATTR_IDX, offsetof(AdvIncSubtensorAttrs, idx), false},
    {"set", ATTR_BOOL, offsetof(AdvIncSubtensorAttrs, set), false},
};
const Op op_adv_inc_subtensor1 = {
    .name = "AdvancedIncSubtensor1",
    .flags = OP_FAILS | OP_CAN_DESTROY | OP_HALVES,
    .nin = 3,
    .nout = 1,
    .destroy_input = 0,
    .attr_bytes = sizeof(AdvIncSubtensor1Attrs),
    .attrs = put1_fields,
    .nattr = 1,
    .infer = infer_put,
    .shape = shape_put,
    .grad = grad_put,
    .lower = lower_put,
    .str = str_put1,
    .connected = two_connected,
    .rop = rop_linear,
    .batch = batch_put,
    .doc = OP_DOC("x with rows chosen by an integer vector set or increased"),
};
const Op op_adv_inc_subtensor = {
    .name = "AdvancedIncSubtensor",
    .flags = OP_FAILS | OP_CAN_DESTROY | OP_HALVES,
    .nin = -1,
    .nout = 1,
    .destroy_input = 0,
    .attr_bytes = sizeof(AdvIncSubtensorAttrs),
    .attrs = put_fields,
    .nattr = TH_LEN(put_fields),
    .infer = infer_put,
    .shape = shape_put,
    .grad = grad_put,
    .lower = lower_put,
    .str = str_put,
    .connected = two_connected,
    .rop = rop_linear,
    .batch = batch_put,
    .doc = OP_DOC("x with elements chosen by integer tensors and slices set or increased"),
};

/* ---- builders ---------------------------------------------------------------------------------------------------- */
enum { MAX_PARTS = 3 * TH_MAX_NDIM };

ThVar *adv_subtensor1_make(Builder *b, ThVar *x, ThVar *index) {
    return apply1(b, &op_adv_subtensor1, NULL, (ThVar *[]){x, index}, 2);
}

ThVar *adv_inc_subtensor1_make(Builder *b, ThVar *x, ThVar *y, ThVar *index, bool set) {
    if (x && dtype_is_half(x->type.dtype) && !set) {
        ThVar *sum = adv_inc_subtensor1_make(b, cast_make(b, x, TH_FLOAT32), y, index, false);
        return cast_make(b, sum, x->type.dtype);
    }
    return apply1(b, &op_adv_inc_subtensor1, &(AdvIncSubtensor1Attrs){set}, (ThVar *[]){x, y, index}, 3);
}

ThVar *adv_subtensor_make(Builder *b, ThVar *x, const AttrIdx *idx, ThVar *const *in, int n) {
    AdvSubtensorAttrs at = {*idx};
    ThVar *all[1 + MAX_PARTS] = {x};
    for (int i = 0; i < n; i++) all[1 + i] = in[i];
    return apply1(b, &op_adv_subtensor, &at, all, n + 1);
}

ThVar *adv_inc_subtensor_make(Builder *b, ThVar *x, ThVar *y, const AttrIdx *idx, ThVar *const *in, int n, bool set) {
    if (x && dtype_is_half(x->type.dtype) && !set) {
        ThVar *sum = adv_inc_subtensor_make(b, cast_make(b, x, TH_FLOAT32), y, idx, in, n, false);
        return cast_make(b, sum, x->type.dtype);
    }
    AdvIncSubtensorAttrs at = {.idx = *idx, .set = set};
    ThVar *all[2 + MAX_PARTS] = {x, y};
    for (int i = 0; i < n; i++) all[2 + i] = in[i];
    return apply1(b, &op_adv_inc_subtensor, &at, all, n + 2);
}
