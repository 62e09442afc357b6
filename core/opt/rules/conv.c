/*
 * conv.c -- convolutions as they run: AbstractConv2d and its gradients become CorrMM and its own, which never flip.
 * In: a convolution as it was written. Out: the same on filters reversed by a view, which costs nothing; the gradient
 * for filters comes out reversed and is turned back the same way. A 1x1 filter has nothing to reverse, and hints have
 * been checked by then.
 */
#include "rules.h"

#include "ops/image/conv.h"

/* w[..., ::-1, ::-1] over the window's dimensions. */
static ThVar *reversed(Opt *o, ThVar *w, const ConvAttrs *at) {
    AttrIdx idx = {.n = (int8_t)w->type.ndim};
    ThVar *step = const_scalar_int(&o->b, -1), *in[CONV_MAX] = {step, step, step};
    int first = w->type.ndim - (int)at->ndim, n = 0;
    for (int d = 0; d < w->type.ndim; d++) {
        idx.at[d].kind = 's';
        if (d < first || type_bcast(w->type, d)) continue;
        idx.at[d].has = 4;
        idx.at[d].dtype[2] = TH_INT64;
        n++;
    }
    return n && step ? subtensor_make(&o->b, w, &idx, in, n) : w;
}

ThVar *rw_conv_gemm(Opt *o, ThApply *a) {
    ConvAttrs at = *ATTRS(ConvAttrs, a);
    ConvRole role = conv_role(a->op);
    ThVar *x = a->in[0], *y = a->in[1];
    if (at.mm) return NULL;
    bool flip = at.flip;
    at.mm = 1, at.flip = 0;
    if (flip && role == CONV_FORWARD) y = reversed(o, y, &at);
    if (flip && role == CONV_INPUTS) x = reversed(o, x, &at);
    ThVar *r = conv_make(&o->b, role, &at, x, y, a->nin > 2 ? a->in[2] : NULL);
    return r && flip && role == CONV_WEIGHTS ? reversed(o, r, &at) : r;
}
