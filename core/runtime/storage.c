/*
 * storage.c -- the storage map of a report under exception_verbosity=high: what there is in memory when a step has
 * failed, the largest first, in Theano's words. In: a workspace. Out: text.
 */
#include "function.h"

#include <stdlib.h>
#include <string.h>

typedef struct Stored { /* a variable that has a value */
    int buf;
    bool twice; /* it lies where another one does: not counted again */
    int64_t bytes;
} Stored;

typedef struct Constants { /* of the graph, by their arrays: the plan's share the memory */
    Map at;
    VarVec var;
} Constants;

static bool constants(const Workspace *w, Constants *of) {
    ThContext *c = w->fn->ctx;
    const FGraph *fg = w->fn->fg;
    uint32_t at;
    for (int k = 0; fg && k < fg->norder; k++)
        for (int i = 0; i < fg->order[k]->nin; i++) {
            ThVar *v = fg->order[k]->in[i];
            if (!var_is_const(v) || v->type.kind != TYPE_TENSOR || !v->u.data) continue;
            if (map_get(&of->at, KEY(v->u.data->data), &at)) continue;
            if (!map_put(c, &of->at, KEY(v->u.data->data), (uint32_t)of->var.n) || !vec_push(c, &of->var, v))
                return false;
        }
    return true;
}

static const ThVar *variable(const Workspace *w, int buf, const Constants *of) {
    const FGraph *fg = w->fn->fg;
    const PlanBuf *b = &w->fn->plan->buf[buf];
    uint32_t at;
    if (!fg) return NULL;
    if (b->kind == BUF_INPUT) return b->index < fg->nin ? fg->in[b->index] : NULL;
    if (b->kind == BUF_SHARED) return w->fn->nin + b->index < fg->nin ? fg->in[w->fn->nin + b->index] : NULL;
    if (b->kind == BUF_CONST) return map_get(&of->at, KEY(w->frame.buf[buf]), &at) ? of->var.at[at] : NULL;
    const ThApply *a = b->node >= 0 && b->node < fg->norder ? fg->order[b->node] : NULL;
    for (int o = 0; a && o < a->nout; o++)
        if (a->nout == 1 || (b->name && a->out[o]->name && strcmp(a->out[o]->name, b->name) == 0)) return a->out[o];
    return NULL;
}

static void put_name(Text *t, const Workspace *w, int buf, const Constants *of) {
    const Plan *p = w->fn->plan;
    const PlanBuf *b = &p->buf[buf];
    const ThVar *v = variable(w, buf, of);
    const char *text = b->node >= 0 && b->node < p->nnode ? p->node[b->node].text : NULL;
    if (v) var_str(t, v);
    else if (b->name) text_put(t, b->name);
    else if (text && b->kind != BUF_CONST) report_op(t, text), text_put(t, ".0");
    else text_printf(t, "<%s %d>", th_dtype_name((ThDtype)b->dtype), buf);
}

/* Its lengths; false: it has no value (yet). step: the one that failed, -1: none had begun. */
static bool lengths(Workspace *w, int buf, int step, int64_t *shape, int *ndim) {
    const PlanBuf *b = &w->fn->plan->buf[buf];
    const ThArray *a = workspace_array(w, buf);
    bool made = b->kind == BUF_TEMP || b->kind == BUF_OUTPUT;
    if (b->kind == BUF_WINDOW || (made && (step < 0 || b->first < 0 || b->first >= step || b->last < step)))
        return false;
    *ndim = a && !made ? a->ndim : b->ndim;
    for (int d = 0; d < *ndim; d++) {
        if (a && !made) shape[d] = ARRAY_SHAPE(a)[d];
        else if (!size_get(b->shape[d], w->frame.sym, &shape[d]) || shape[d] < 0) return false;
    }
    return true;
}

static bool bytes_of(const Workspace *w, int buf, const int64_t *shape, int ndim, int64_t *bytes) {
    *bytes = (int64_t)th_dtype_bytes((ThDtype)w->fn->plan->buf[buf].dtype);
    for (int d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(*bytes, shape[d], bytes)) return false;
    return true;
}

static int by_bytes(const void *x, const void *y) {
    const Stored *a = x, *b = y;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return a->buf - b->buf;
}

static void put_line(Text *t, Workspace *w, const Stored *s, int step, const Constants *of) {
    const PlanBuf *b = &w->fn->plan->buf[s->buf];
    int64_t shape[TH_MAX_NDIM];
    int ndim = 0;
    if (!lengths(w, s->buf, step, shape, &ndim)) return;
    text_put(t, "\n - ");
    put_name(t, w, s->buf, of);
    text_put(t, b->kind == BUF_SHARED ? ", Shared Input" : b->kind == BUF_INPUT ? ", Input" : "");
    text_put(t, ", Shape: (");
    for (int d = 0; d < ndim; d++) text_printf(t, d ? ", %lld" : "%lld", (long long)shape[d]);
    text_printf(t, "%s), ElemSize: %zu Byte(s), TotalSize: %lld Byte(s)", ndim == 1 ? "," : "",
                th_dtype_bytes((ThDtype)b->dtype), (long long)s->bytes);
}

static void put_total(Text *t, const char *what, int64_t bytes) {
    text_printf(t, "\n %s: %lld Byte(s) %.3f GB", what, (long long)bytes, (double)bytes / 1024 / 1024 / 1024);
}

void storage_map(Text *t, Workspace *w, int step) {
    const Plan *p = w->fn->plan;
    ThContext *c = w->fn->ctx;
    size_t room = ((size_t)p->nbuf + 1) * sizeof(Stored);
    Stored *s = ctx_alloc(c, room);
    Constants of = {.at = {0}};
    int64_t total = 0, inputs = 0;
    int n = 0;
    for (int b = 0; s && b < p->nbuf; b++) {
        int64_t shape[TH_MAX_NDIM], bytes;
        int ndim = 0;
        if (!lengths(w, b, step, shape, &ndim) || !bytes_of(w, b, shape, ndim, &bytes)) continue;
        s[n++] = (Stored){b, p->buf[b].inplace_of >= 0, bytes};
        if (!s[n - 1].twice) total += bytes;
        if (p->buf[b].kind <= BUF_CONST) inputs += bytes;
    }
    if (s && constants(w, &of)) {
        qsort(s, (size_t)n, sizeof *s, by_bytes);
        text_put(t, "\nStorage map footprint:");
        for (int i = 0; i < n; i++) put_line(t, w, &s[i], step, &of);
        put_total(t, "TotalSize", total);
        put_total(t, "TotalSize inputs", inputs);
    }
    map_free(c, &of.at);
    vec_free(c, &of.var);
    if (s) ctx_free(c, s, room);
}
