/*
 * grad.c -- functions that change gradients and nothing else (theano.gradient): x goes through a view whose
 * gradient is cut, zero, refused, clipped or scaled.
 */
#include "util.h"

static const Op *op_named(const char *name) {
    static const Op *const ops[] = {&op_disconnected_grad, &op_zero_grad, &op_undefined_grad};
    static const char *const names[] = {"gradient.disconnected_grad", "gradient.zero_grad", "gradient.undefined_grad"};
    for (int i = 0; i < 3; i++)
        if (__builtin_strcmp(name, names[i]) == 0) return ops[i];
    return NULL;
}

int front_grad_view(Front *f) {
    ThVar *x = front_var(f, 0);
    return front_return(f, x ? grad_view_make(f->b, op_named(f->info->name), NULL, x) : NULL);
}

int front_remat(Front *f) {
    ThVar *x = front_var(f, 0);
    return front_return(f, x ? grad_view_make(f->b, &op_remat, NULL, x) : NULL);
}

int front_transfer(Front *f) {
    ThVar *x = front_var(f, 0);
    const char *target = front_none(f, 1) ? "gpu" : front_str(f, 1);
    return front_return(f, x && target ? transfer_make(f->b, x, target) : NULL);
}

int front_grad_clip(Front *f) {
    ThVar *x = front_var(f, 0);
    GradClipAttrs a = {front_float(f, 1), front_float(f, 2)};
    if (!x || failed(f->ctx)) return -1;
    if (!(a.low <= a.high))
        return front_error(f, TH_ValueError, "the lower bound %g is above the upper one, %g", a.low, a.high);
    return front_return(f, grad_view_make(f->b, &op_grad_clip, &a, x));
}

int front_grad_scale(Front *f) {
    ThVar *x = front_var(f, 0);
    GradScaleAttrs a = {front_float(f, 1)};
    return front_return(f, x && !failed(f->ctx) ? grad_view_make(f->b, &op_grad_scale, &a, x) : NULL);
}
