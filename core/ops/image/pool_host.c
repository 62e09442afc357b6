/*
 * pool_host.c -- gradients of pooling of float32 and float64 over two dimensions as one call of the library's kernels
 * on whole arrays. In: dense arrays. Out: the result, every element; values are those of pool_lower.c.
 */
#include "graph/services.h"
#include "ops/table/host.h"
#include "pool.h"

static int pool_host_run(HostCall *h) {
    const PoolAttrs *at = h->attrs;
    int n = pool_tensors(h->op), nd = h->in[0]->ndim;
    const int64_t *x = ARRAY_SHAPE(h->in[0]), *z = ARRAY_SHAPE(h->in[n - 1]);
    PoolWork w = {.dtype = (ThDtype)h->out[0]->dtype,
                  .mode = (PoolMode)at->mode,
                  .ignore_border = at->ignore_border,
                  .images = 1,
                  .h = x[nd - 2],
                  .w = x[nd - 1],
                  .oh = z[nd - 2],
                  .ow = z[nd - 1],
                  .x = at->mode == POOL_MAX ? h->in[0]->data : NULL,
                  .m = n == 3 ? h->in[1]->data : NULL,
                  .g = h->in[n - 1]->data,
                  .to = h->out[0]->data,
                  .back = true};
    for (int d = 0; d < nd - 2; d++) w.images *= x[d];
    for (int d = 0; d < 2; d++) {
        const int64_t i = d;
        ThValue v[3];
        for (int k = 0; k < 3; k++)
            if (th_array_get(h->in[n + k], &i, &v[k])) return 1;
        w.ws[d] = v[0].i, w.st[d] = v[1].i, w.pad[d] = v[2].i;
    }
    return h->out[0]->size == 0 ? 0 : h->lib->pool(h, &w);
}

bool pool_hosted(Lower *l, bool *ok) {
    const ThApply *a = l->node;
    int n = pool_tensors(a->op);
    ThDtype d = (ThDtype)a->out[0]->type.dtype;
    bool must = a->op == &op_max_pool_grad_from_input; /* which has no loops */
    if (ATTRS(PoolAttrs, a)->ndim != 2 || a->op == &op_max_pool_grad_grad || !dtype_is_float(d) ||
        (l->api->loops(l) && !must))
        return false;
    for (int i = 0; i < n; i++)
        if (a->in[i]->type.dtype != d) return false;
    *ok = a->op != &op_pool || pool_stage(l);
    if (a->op == &op_pool) return true;
    for (int i = 0; i < n; i++) *ok = *ok && l->api->contiguous(l, i);
    *ok = *ok && l->api->host(l, pool_host_run, 0);
    return true;
}
