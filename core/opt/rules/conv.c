/*
 * conv.c -- convolutions as they run: AbstractConv2d and its gradients become CorrMM and its own, which never flip; and
 * gradients of maxima by 2x2, which find the maxima as they go.
 * In: a convolution as it was written. Out: the same on filters reversed by a view, which costs nothing; the gradient
 * for filters comes out reversed and is turned back the same way. A 1x1 filter has nothing to reverse, and hints have
 * been checked by then.
 */
#include "rules.h"

#include "ops/image/conv.h"
#include "ops/image/pool.h"
#include "ops/table/shape.h"

#include <string.h>

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

static bool by_two(const ThApply *pool) {
    for (int i = 1; i < 4; i++)
        for (int d = 0; d < 2; d++) {
            int64_t n;
            if (!vector_known(pool->in[i], d, &n) || n != (i < 3 ? 2 : 0)) return false;
        }
    return true;
}

/*
 * MaxPoolGrad(x, Pool(x), gz) reads images and maxima, or images alone: two rows of them lie in registers, and their
 * maxima are three instructions. Where nothing else reads these, they are never stored. Windows cut off at the border
 * are not two rows, so they are left to maxima that are there anyway; so are devices, whose loops go by element.
 */
ThVar *rw_max_pool_grad_from_input(Opt *o, ThApply *a) {
    const PoolAttrs *at = ATTRS(PoolAttrs, a);
    ThVar *x = a->in[0], *m = a->in[1], *in[2] = {x, a->in[2]};
    const ThApply *pool = m->owner;
    if (o->fg->device || !pool || pool->op != &op_pool || pool->in[0] != x || at->ndim != 2) return NULL;
    if (memcmp(at, pool->attrs, sizeof *at) != 0 || memcmp(pool->in + 1, a->in + 3, 3 * sizeof *in) != 0) return NULL;
    if (!dtype_is_float((ThDtype)x->type.dtype) || in[1]->type.dtype != x->type.dtype || !by_two(pool)) return NULL;
    if (!at->ignore_border && m->nclients > 1) return NULL;
    return pool_make(&o->b, &op_max_pool_grad_from_input, at, in, a->in + 3);
}
