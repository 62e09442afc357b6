/*
 * grad_ops.c -- operations whose value is their input, as a view: the optimizer drops them (local_view_op). In: a
 * tensor. Out: the same tensor; its gradient is cut, zeroed, refused, clipped or scaled. Two change nothing: Remat
 * marks a value that is not to be kept (core/opt/passes/remat.c), a transfer says where a result is to be.
 */
#include "ops/table/control.h"

#include <string.h>

static bool infer_same(Infer *q) {
    if (q->in[0]->type.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "%s takes a tensor", q->op->name);
    q->out[0] = q->in[0]->type;
    return true;
}

static bool shape_same(ShapeQ *q) {
    for (int d = 0; d < q->node->in[0]->type.ndim; d++) q->out[0][d] = q->in[0][d];
    return true;
}

static bool lower_same(Lower *l) {
    Size shape[TH_MAX_NDIM], stride[TH_MAX_NDIM];
    int n = l->api->in_type(l, 0).ndim;
    for (int d = 0; d < n; d++) {
        shape[d] = l->api->in_dim(l, 0, d);
        stride[d] = l->api->in_stride(l, 0, d);
    }
    return l->api->view(l, 0, 0, n, shape, stride, l->api->in_offset(l, 0));
}

/* ---- what becomes of the gradient -------------------------------------------------------------------------------- */
static bool never(const ThApply *a, int in, int out) {
    (void)a, (void)in, (void)out;
    return false;
}

static void grad_cut(Grad *g) { g->gx[0] = NULL; }

static void grad_zero(Grad *g) { g->gx[0] = zero_grad_make(g->b, g->node->in[0]); }

static void grad_refused(Grad *g) {
    g->gx[0] = grad_undefined(g, 0, "undefined_grad stands there to say that nobody may differentiate through it");
}

static bool flat(Grad *g) {
    if (!dtype_is_discrete((ThDtype)g->node->out[0]->type.dtype)) return false;
    grad_zero(g);
    return true;
}

static void grad_through(Grad *g) { g->gx[0] = g->gz[0]; }

static void grad_clipped(Grad *g) {
    const GradClipAttrs *a = ATTRS(GradClipAttrs, g->node);
    ThDtype d = scalar_real_of((ThDtype)g->node->out[0]->type.dtype);
    if (flat(g)) return;
    g->gx[0] = elemwise_3(g->b, S_clip, g->gz[0], const_float(g->b, a->low, d), const_float(g->b, a->high, d));
}

static void grad_scaled(Grad *g) {
    ThDtype d = scalar_real_of((ThDtype)g->node->out[0]->type.dtype);
    if (flat(g)) return;
    g->gx[0] = elemwise_2(g->b, S_mul, const_float(g->b, ATTRS(GradScaleAttrs, g->node)->by, d), g->gz[0]);
}

/* Forward: the tangent takes the same treatment as the gradient, but for clipping, which is no linear map. */
static bool rop_cut(Rop *r) {
    (void)r;
    return true;
}

static bool rop_zero(Rop *r) {
    r->out[0] = zero_grad_make(r->b, r->node->in[0]);
    return r->out[0] != NULL;
}

static bool rop_scaled(Rop *r) {
    ThDtype d = scalar_real_of((ThDtype)r->node->out[0]->type.dtype);
    r->out[0] = elemwise_2(r->b, S_mul, const_float(r->b, ATTRS(GradScaleAttrs, r->node)->by, d), r->ev[0]);
    return r->out[0] != NULL;
}

/* ---- transfers --------------------------------------------------------------------------------------------------- */
static const char on_host[] = "cpu", own_device[] = "None"; /* of a function: as Theano prints a context of no name */

static bool is_transfer(const ThVar *v) { return v && v->owner && v->owner->op == &op_transfer; }

static const char *target_of(const ThVar *v) { return ATTRS(TransferAttrs, v->owner)->target; }

bool op_transfer_to_host(const ThVar *v) { return is_transfer(v) && !strcmp(target_of(v), on_host); }

/* "cuda1", "cuda:1", "cuda-emulated1": a GPU by its number; of the first one and "cuda", "gpu": the function's own. */
static const char *target_named(Builder *b, const char *name) {
    static const char *const gpu[] = {"cuda-emulated", "cuda:", "cuda", "gpu"};
    if (!strcmp(name, on_host)) return on_host;
    for (int i = 0; i < TH_LEN(gpu); i++) {
        size_t n = strlen(gpu[i]);
        if (strncmp(name, gpu[i], n)) continue;
        const char *number = name + n;
        if (!*number && gpu[i][n - 1] != ':') return own_device;
        if (gpu[i][0] != 'c' || !char_is_digit(number[0]) || number[1]) break;
        char full[8] = "cudaN";
        full[4] = number[0];
        return number[0] == '0' ? own_device : intern(b->ctx, full);
    }
    err(b->ctx, TH_ValueError, "Can't transfer to target %.40s: \"cpu\", \"gpu\", \"cuda\", \"cuda0\" and so on", name);
    return NULL;
}

static ThVar *moved(Builder *b, ThVar *x, const char *target) {
    TransferAttrs a = {target ? intern(b->ctx, target) : NULL};
    return a.target ? apply1(b, &op_transfer, &a, &x, 1) : NULL;
}

/* What is there already stays; on a machine whose functions run on the host everything is there. */
ThVar *transfer_make(Builder *b, ThVar *x, const char *name) {
    const char *to = x && name ? target_named(b, name) : NULL;
    if (!to) return NULL;
    if (is_transfer(x) && !strcmp(target_of(x), to)) return x;
    bool all_host = strncmp(config_str(b->ctx, "device"), "cuda", 4) != 0;
    if (!strcmp(to, on_host) && all_host && !is_transfer(x)) return x;
    return moved(b, x, to);
}

static void grad_transfer(Grad *g) {
    g->gx[0] = moved(g->b, g->gz[0], op_transfer_to_host(g->node->out[0]) ? own_device : on_host);
}

static void str_transfer(Text *t, const ThApply *a) {
    if (op_transfer_to_host(a->out[0])) text_put(t, "HostFromGpu(gpuarray)");
    else text_printf(t, "GpuFromHost<%s>", target_of(a->out[0]));
}

/* ---- the records ------------------------------------------------------------------------------------------------- */
static const AttrField clip_fields[] = {
    {"low", ATTR_FLOAT, offsetof(GradClipAttrs, low), false},
    {"high", ATTR_FLOAT, offsetof(GradClipAttrs, high), false},
};
static const AttrField transfer_fields[] = {{"target", ATTR_STR, offsetof(TransferAttrs, target), false}};
static const AttrField scale_fields[] = {{"by", ATTR_FLOAT, offsetof(GradScaleAttrs, by), false}};

#define IDENTITY(var, text, ...) \
    const Op op_##var = {.name = text, \
                         .flags = OP_VIEW | OP_HALVES, \
                         .nin = 1, \
                         .nout = 1, \
                         .infer = infer_same, \
                         .shape = shape_same, \
                         .lower = lower_same, \
                         .batch = batch_same, \
                         __VA_ARGS__};
IDENTITY(disconnected_grad, "DisconnectedGrad", .grad = grad_cut, .rop = rop_cut, .connected = never,
         .doc = OP_DOC("x, of which no gradient knows"))
IDENTITY(zero_grad, "ZeroGrad", .grad = grad_zero, .rop = rop_zero,
         .doc = OP_DOC("x, through which gradients are zero"))
IDENTITY(undefined_grad, "UndefinedGrad", .grad = grad_refused,
         .doc = OP_DOC("x, through which no gradient is defined"))
IDENTITY(remat, "Remat", .grad = grad_through, .rop = rop_linear,
         .doc = OP_DOC("x, recomputed for its later users instead of kept"))
IDENTITY(transfer, "Transfer", .grad = grad_transfer, .rop = rop_linear, .attr_bytes = sizeof(TransferAttrs),
         .attrs = transfer_fields, .nattr = 1, .str = str_transfer, .doc = OP_DOC("x in the memory of another device"))
IDENTITY(grad_clip, "GradClip", .grad = grad_clipped, .rop = rop_linear, .attr_bytes = sizeof(GradClipAttrs),
         .attrs = clip_fields, .nattr = 2, .doc = OP_DOC("x, whose gradient is clipped to an interval"))
IDENTITY(grad_scale, "GradScale", .grad = grad_scaled, .rop = rop_scaled, .attr_bytes = sizeof(GradScaleAttrs),
         .attrs = scale_fields, .nattr = 1, .doc = OP_DOC("x, whose gradient is multiplied by a number"))

ThVar *grad_view_make(Builder *b, const Op *op, const void *attrs, ThVar *x) { return apply1(b, op, attrs, &x, 1); }
