/*
 * inner_graphs.c -- the bodies of loops and branches as graphs of their own. In: nodes whose op has bodies. Out: one
 * FGraph for each body, made ready by the compile or, where nobody did, as it was written. Always holds: a graph owns
 * those of its nodes and frees them with itself.
 */
#include "op.h"
#include "parts.h"

static uint64_t key(const ThApply *node, int k) { return hash_mix(KEY(node), (uint64_t)k); }

static InnerGraph *find(FGraph *fg, const ThApply *node, int k) {
    uint32_t at;
    for (uint64_t h = key(node, k); map_get(&fg->inner_map, h, &at); h = hash_mix(h, 1))
        if (fg->inner.at[at].node == node && fg->inner.at[at].body == k) return &fg->inner.at[at];
    return NULL;
}

bool fg_inner_set(FGraph *fg, const ThApply *node, int k, FGraph *inner) {
    uint64_t h = key(node, k);
    uint32_t at;
    while (map_get(&fg->inner_map, h, &at)) h = hash_mix(h, 1);
    if (inner && vec_push(fg->ctx, &fg->inner, ((InnerGraph){node, k, inner})) &&
        map_put(fg->ctx, &fg->inner_map, h, (uint32_t)(fg->inner.n - 1)))
        return true;
    if (inner && fg->inner.n && fg->inner.at[fg->inner.n - 1].fg == inner) fg->inner.n--;
    fg_free(inner);
    return false;
}

FGraph *fg_inner(FGraph *fg, const ThApply *node, int k) {
    InnerGraph *have = find(fg, node, k);
    if (have) return have->fg;
    int n = 0;
    const GraphBody *const *b = node->op->bodies ? node->op->bodies(node->attrs, &n) : NULL;
    if (!b || k >= n) return err(fg->ctx, TH_RuntimeError, "%s has no body %d", node->op->name, k), NULL;
    FGraph *inner = fg_new(fg->ctx, b[k]->in, b[k]->nin, b[k]->out, b[k]->nout, NULL, NULL, 0, false);
    return inner && fg_inner_set(fg, node, k, inner) ? inner : NULL;
}

void fg_inner_free(FGraph *fg) {
    for (int i = 0; i < fg->inner.n; i++) fg_free(fg->inner.at[i].fg);
    vec_free(fg->ctx, &fg->inner);
    map_free(fg->ctx, &fg->inner_map);
}
