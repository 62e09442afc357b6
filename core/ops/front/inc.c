/*
 * inc.c -- set_subtensor and inc_subtensor: the tensor that an indexing expression came from, with that part
 * changed. In: the result of x[..] (seen through DimShuffle and Reshape, which some subscripts make) and a value. Out:
 * a tensor shaped as x. The walk goes down to the indexing node, turning the value as it goes, then puts the dimension
 * orders back.
 */
#include "util.h"

#include <string.h>

enum { MAX_LAYERS = 16 };

/* y against the broadcast pattern of the part: a dimension of length 1 there must be of length 1 in y. */
static ThVar *fit_value(Front *f, ThVar *part, ThVar *y) {
    int pad = part->type.ndim - y->type.ndim;
    uint32_t bits = y->type.broadcastable;
    if (pad < 0) {
        front_error(f, TH_TypeError, "Trying to increment a %d-dimensional subtensor with a %d-dimensional value.",
                    part->type.ndim, y->type.ndim);
        return NULL;
    }
    for (int d = 0; d < y->type.ndim; d++)
        if (type_bcast(part->type, d + pad)) bits |= 1u << d;
    return patternbroadcast_make(f->b, y, bits);
}

/* y turned for the input of a DimShuffle: dimension v of the input is dimension i of its result where order[i] == v. */
static ThVar *turn_value(Front *f, const ThApply *shuffle, ThVar *y) {
    const AttrInts *order = shuffle->attrs; /* DimShuffle has nothing else */
    int8_t back[TH_MAX_NDIM];
    int nd = shuffle->in[0]->type.ndim;
    y = front_pad(f->b, y, order->n - y->type.ndim, 0);
    if (!y) return NULL;
    uint32_t dropped = 0;
    for (int d = 0; d < nd; d++) back[d] = -1;
    for (int i = 0; i < order->n; i++) {
        if (order->at[i] >= 0) back[order->at[i]] = (int8_t)i;
        else dropped |= 1u << i;
    }
    y = patternbroadcast_make(f->b, y, y->type.broadcastable | dropped);
    return y ? dimshuffle_make(f->b, y, back, nd) : NULL;
}

/* y broadcast to the part's shape, then flattened to the rank below a Reshape. */
static ThVar *flatten_value(Front *f, const ThApply *reshape, ThVar *y) {
    ThVar *part = reshape->out[0], *dims[TH_MAX_NDIM];
    if (y->type.ndim == 0) return y;
    if (!front_shape_of(f->b, part, dims)) return NULL;
    ThVar *full = alloc_make(f->b, y, dims, part->type.ndim);
    return full ? reshape_make(f->b, full, shape_make(f->b, reshape->in[0]), reshape->in[0]->type.ndim) : NULL;
}

static ThVar *change(Builder *b, const ThApply *a, ThVar *y, bool set) {
    if (a->op == &op_subtensor)
        return inc_subtensor_make(b, a->in[0], y, &ATTRS(SubtensorAttrs, a)->idx, a->in + 1, a->nin - 1, set);
    if (a->op == &op_adv_subtensor1) return adv_inc_subtensor1_make(b, a->in[0], y, a->in[1], set);
    return adv_inc_subtensor_make(b, a->in[0], y, &ATTRS(AdvSubtensorAttrs, a)->idx, a->in + 1, a->nin - 1, set);
}

static bool indexes(const ThApply *a) {
    return a->op == &op_subtensor || a->op == &op_adv_subtensor1 || a->op == &op_adv_subtensor;
}

static ThVar *change_part(Front *f, ThVar *part, ThVar *y, bool set) {
    const ThApply *layer[MAX_LAYERS];
    int n = 0;
    ThVar *r = NULL;
    for (ThVar *at = part; at && y; at = at->owner->in[0]) {
        const ThApply *a = at->owner;
        if (!(y = fit_value(f, at, y))) return NULL;
        if (a && indexes(a)) {
            r = change(f->b, a, y, set);
            break;
        }
        bool shuffle = a && a->op == &op_dimshuffle, flat = a && (a->op == &op_reshape || a->op == &op_rebroadcast);
        if ((!shuffle && !flat) || n == MAX_LAYERS) {
            front_error(f, TH_TypeError,
                        "x must be the result of a subtensor operation, as in T.set_subtensor(x[i], y)");
            return NULL;
        }
        if (shuffle && !front_is_parted(a)) layer[n++] = a;
        if (a->op == &op_rebroadcast) continue;
        y = shuffle ? turn_value(f, a, y) : flatten_value(f, a, y);
    }
    while (r && n > 0) {
        const AttrInts *order = layer[--n]->attrs;
        r = dimshuffle_make(f->b, r, order->at, order->n);
    }
    return r;
}

int front_set_subtensor(Front *f) {
    ThVar *x = front_var(f, 0), *y = front_var(f, 1);
    front_bool(f, 2), front_bool(f, 3); /* what is overwritten is decided while compiling */
    return front_return(f, x && y && !failed(f->ctx) ? change_part(f, x, y, true) : NULL);
}

int front_inc_subtensor(Front *f) {
    ThVar *x = front_var(f, 0), *y = front_var(f, 1);
    bool set = front_bool(f, 3);
    front_bool(f, 2), front_bool(f, 4); /* as above */
    return front_return(f, x && y && !failed(f->ctx) ? change_part(f, x, y, set) : NULL);
}
