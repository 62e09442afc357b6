/*
 * pool.c -- pool_2d, pool_3d, max_pool_2d_same_size, images2neibs: windows over images.
 * Windows, strides and paddings are integers, lists of them, or integer vectors.
 */
#include "util.h"
#include "ops/image/neighbours.h"
#include "ops/image/pool.h"

#include <string.h>

/* Parameter i as a vector of n integers: a list, one number for all, or a vector. */
static ThVar *window_vector(Front *f, int i, const char *name, int n) {
    const ThArg *a = &f->arg[i];
    ThVar *v[POOL_MAX_DIMS];
    bool list = a->kind == TH_ARG_LIST;
    if (list && a->list.n != n) {
        front_error(f, TH_ValueError, "%s must have %d elements, it has %d", name, n, a->list.n);
        return NULL;
    }
    ThVar *one = list ? NULL : front_as_var(f, a, name);
    if (one && !dtype_is_int((ThDtype)one->type.dtype)) {
        front_error(f, TH_TypeError, "%s must hold integers, not %s", name, th_dtype_name((ThDtype)one->type.dtype));
        return NULL;
    }
    if (!list && (!one || one->type.ndim == 1))
        return one && one->type.dtype != TH_INT64 ? cast_make(f->b, one, TH_INT64) : one;
    for (int d = 0; d < n; d++) {
        v[d] = list ? front_as_var(f, &a->list.at[d], name) : one;
        if (!v[d]) return NULL;
        if (v[d]->type.ndim != 0 || !dtype_is_int((ThDtype)v[d]->type.dtype)) {
            front_error(f, TH_TypeError, "%s must hold integers", name);
            return NULL;
        }
        int64_t k;
        if (scalar_known(v[d], &k)) v[d] = const_int(f->b, k, TH_INT64);
        if (v[d] && v[d]->type.kind == TYPE_SCALAR) v[d] = tensor_from_scalar_make(f->b, v[d]);
        if (!v[d]) return NULL;
    }
    return front_shape_vector(f->b, v, n);
}

static ThVar *filled(Front *f, int64_t value, int n) {
    ThVar *v[POOL_MAX_DIMS];
    for (int d = 0; d < n; d++)
        if (!(v[d] = const_int(f->b, value, TH_INT64))) return NULL;
    return front_shape_vector(f->b, v, n);
}

static int mode_of(Front *f, int i) {
    const char *s = front_str(f, i);
    for (int m = POOL_MAX; s && m <= POOL_EXC_PAD; m++)
        if (strcmp(s, pool_mode_name(m)) == 0) return m;
    if (!s) return -1;
    if (strcmp(s, "average") == 0) return POOL_INC_PAD;
    return front_error(f, TH_ValueError,
                       "unknown mode \"%s\": \"max\", \"sum\", \"average_inc_pad\", \"average_exc_pad\"", s);
}

/* Old names ds, st, padding (6, 7, 8) stand for ws, stride, pad. */
static int either(const Front *f, int now, int old) { return front_none(f, now) && !front_none(f, old) ? old : now; }

int front_pool(Front *f) {
    int n = strstr(f->info->name, "3d") ? 3 : 2, ws = either(f, 1, 6), stride = either(f, 3, 7), pad = either(f, 4, 8);
    ThVar *x = front_var(f, 0), *w[3];
    if (!x) return -1;
    if ((ws == 1 && !front_none(f, 6)) || (stride == 3 && !front_none(f, 7)) || (pad == 4 && !front_none(f, 8)))
        return front_error(f, TH_ValueError,
                           "ds, st and padding are old names of ws, stride and pad: give one of each");
    if (front_none(f, ws)) return front_error(f, TH_ValueError, "ws, the size of the windows, must be given");
    if (x->type.ndim < n)
        return front_error(f, TH_NotImplementedError, "the input needs at least %d dimensions, it has %d", n,
                           x->type.ndim);
    PoolAttrs at = {.ndim = n, .mode = mode_of(f, 5), .ignore_border = front_bool(f, 2)};
    if (at.mode < 0 || failed(f->ctx)) return -1;
    w[0] = window_vector(f, ws, "ws", n);
    w[1] = front_none(f, stride) ? w[0] : window_vector(f, stride, "stride", n);
    w[2] = front_none(f, pad) ? filled(f, 0, n) : window_vector(f, pad, "pad", n);
    return front_return(f, w[0] && w[1] && w[2] ? pool_make(f->b, &op_pool, &at, &x, w) : NULL);
}

int front_pool_same_size(Front *f) {
    PoolAttrs at = {.ndim = 2, .mode = POOL_MAX, .ignore_border = 1};
    ThVar *x = front_var(f, 0), *w[3];
    if (!x) return -1;
    w[0] = w[1] = window_vector(f, 1, "patch_size", 2);
    w[2] = filled(f, 0, 2);
    ThVar *max = w[0] && w[2] ? pool_make(f->b, &op_pool, &at, &x, w) : NULL;
    ThVar *in[3] = {x, max, max};
    return front_return(f, max ? pool_make(f->b, &op_max_pool_grad, &at, in, w) : NULL);
}

int front_images2neibs(Front *f) {
    ThVar *x = front_var(f, 0), *shape = window_vector(f, 1, "neib_shape", 2);
    ThVar *step = front_none(f, 2) ? shape : window_vector(f, 2, "neib_step", 2);
    const char *mode = front_str(f, 3);
    if (!x || !shape || !step || !mode) return -1;
    for (int m = 0; m < NEIBS_MODES; m++)
        if (strcmp(mode, neighbours_mode_name(m)) == 0)
            return front_return(f, neighbours_make(f->b, x, shape, step, (NeibsMode)m));
    return front_error(f, TH_NotImplementedError,
                       "unknown mode \"%s\": \"valid\", \"ignore_borders\", \"wrap_centered\", \"half\", \"full\"",
                       mode);
}
