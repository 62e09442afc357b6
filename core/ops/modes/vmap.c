/*
 * vmap.c -- th_vmap: the same computation for every element along one dimension, as a graph rewrite.
 * In: results of a function on stand-ins, and for each stand-in the tensor whose first dimension is mapped over. Out:
 * results with that dimension in front. Nodes that no mapped variable reaches stay as they are, unless they draw random
 * numbers and were made by the function itself; every other one goes through the rule of its operation (`batch`), then
 * gets exactly its old type behind the mapped dimension. No loops, no recursion but for rules written as graphs of
 * other operations.
 */
#include "ops/reduce/reduce.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"

#include <string.h>

typedef struct Form {
    ThVar *v;
    bool mapped; /* false: no mapped dimension, but no longer the old variable (a length of a mapped tensor) */
} Form;
typedef struct Vmap {
    Builder *b;
    ThVar *size;
    uint64_t since; /* nodes with this serial or a later one were made by the function that is mapped */
    Map at;         /* variable -> number in form */
    VEC(Form) form;
} Vmap;

static const Form *form_of(const Vmap *m, const ThVar *v) {
    uint32_t i;
    return map_get(&m->at, KEY(v), &i) ? &m->form.at[i] : NULL;
}

static bool set_form(Vmap *m, const ThVar *v, ThVar *form, bool mapped) {
    return form && vec_push(m->b->ctx, &m->form, ((Form){form, mapped})) &&
           map_put(m->b->ctx, &m->at, KEY(v), (uint32_t)(m->form.n - 1));
}

/* ---- helpers of rules -------------------------------------------------------------------------------------------- */
ThVar *batch_pad(Builder *b, ThVar *x, int ndim) {
    int8_t p[TH_MAX_NDIM + 1] = {0};
    if (!x) return NULL;
    int own = x->type.ndim - 1, extra = ndim - own;
    if (extra <= 0) return x;
    if (ndim + 1 > TH_MAX_NDIM) {
        err(b->ctx, TH_ValueError, "vmap: %d dimensions are too many (at most %d)", ndim + 1, TH_MAX_NDIM);
        return NULL;
    }
    for (int d = 0; d < ndim; d++) p[1 + d] = (int8_t)(d < extra ? -1 : 1 + d - extra);
    return dimshuffle_make(b, x, p, ndim + 1);
}

ThVar *batch_beside(Batch *q, int i, int ndim) {
    ThVar *x = q->in[i];
    return q->mapped[i] ? batch_pad(q->b, x, ndim) : padleft_make(q->b, x, ndim + 1);
}

ThVar *batch_full(Batch *q, int i) {
    ThVar *x = q->in[i], *n[TH_MAX_NDIM + 1] = {q->size};
    if (q->mapped[i]) return x;
    if (x->type.kind == TYPE_SCALAR) x = tensor_from_scalar_make(q->b, x);
    for (int d = 0; x && d < x->type.ndim; d++) n[d + 1] = shape_elem_make(q->b, x, d);
    ThVar *all = x ? alloc_make(q->b, x, n, x->type.ndim + 1) : NULL;
    return all ? patternbroadcast_make(q->b, all, x->type.broadcastable << 1) : NULL;
}

/* Entry i of a shape vector, as a 0-d variable. */
static ThVar *entry(Builder *b, ThVar *shape, int i) {
    int64_t v;
    if (vector_known(shape, i, &v)) return const_int(b, v, TH_INT64);
    if (shape->owner && shape->owner->op == &op_make_vector && i < shape->owner->nin) return shape->owner->in[i];
    return subtensor_int_make(b, shape, i);
}

ThVar *batch_shape(Batch *q, ThVar *shape, int n) {
    ThVar *v[TH_MAX_NDIM + 1] = {q->size};
    for (int i = 0; i < n; i++) v[i + 1] = entry(q->b, shape, i);
    return make_vector_make(q->b, v, n + 1, TH_INT64);
}

ThVar *batch_merge(Builder *b, ThVar *x) {
    ThVar *n[TH_MAX_NDIM];
    if (!x) return NULL;
    int nd = x->type.ndim - 1;
    n[0] = elemwise_2(b, S_mul, shape_elem_make(b, x, 0), shape_elem_make(b, x, 1));
    for (int d = 1; d < nd; d++) n[d] = shape_elem_make(b, x, d + 1);
    ThVar *r = reshape_make(b, x, make_vector_make(b, n, nd, TH_INT64), nd);
    uint32_t bits = x->type.broadcastable >> 1 & ~1u;
    return r ? patternbroadcast_make(b, r, bits) : NULL;
}

ThVar *batch_unmerge(Builder *b, ThVar *x, ThVar *like) {
    ThVar *n[TH_MAX_NDIM + 1];
    if (!x || !like) return NULL;
    n[0] = shape_elem_make(b, like, 0);
    n[1] = shape_elem_make(b, like, 1);
    for (int d = 1; d < x->type.ndim; d++) n[d + 1] = shape_elem_make(b, x, d);
    return reshape_make(b, x, make_vector_make(b, n, x->type.ndim + 1, TH_INT64), x->type.ndim + 1);
}

bool batch_fixed(Batch *q, int i, const char *why) {
    if (!q->mapped[i]) return true;
    Text t;
    text_init(&t, q->b->ctx);
    apply_op_str(&t, q->node);
    err(q->b->ctx, TH_NotImplementedError, "vmap: input %d of %s depends on a mapped variable, but %s", i,
        t.at ? t.at : q->node->op->name, why);
    text_free(&t);
    return false;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */
static bool no_rule(const ThApply *a) {
    Text t;
    text_init(&t, a->ctx);
    apply_op_str(&t, a);
    if (a->prov) {
        text_put(&t, " (made at ");
        prov_text(a->ctx, &t, a->prov);
        text_putc(&t, ')');
    }
    err(a->ctx, TH_NotImplementedError, "vmap has no rule for %s", t.at ? t.at : a->op->name);
    text_free(&t);
    return false;
}

/* The rule's result with the broadcast pattern that the unmapped result promised. */
static ThVar *fit(Vmap *m, const ThApply *a, int o, ThVar *v) {
    ThType want = a->out[o]->type;
    if (!v || want.kind != TYPE_TENSOR) return v;
    if (v->type.ndim != want.ndim + 1 || v->type.dtype != want.dtype) {
        err(m->b->ctx, TH_RuntimeError, "vmap: the rule of %s gives %s with %d dimensions instead of %s with %d",
            a->op->name, th_dtype_name((ThDtype)v->type.dtype), v->type.ndim, th_dtype_name((ThDtype)want.dtype),
            want.ndim + 1);
        return NULL;
    }
    return patternbroadcast_make(m->b, v, want.broadcastable << 1);
}

typedef struct Room {
    ThVar **in, **out;
    bool *mapped, *out_mapped;
} Room;

/* Nothing mapped, but some input is another variable now: the same node on it. */
static bool copy_node(Vmap *m, ThApply *a, ThVar *const *in) {
    ThApply *copy = apply_copy(m->b, a, in);
    for (int o = 0; copy && o < a->nout; o++)
        if (!set_form(m, a->out[o], copy->out[o], false)) return false;
    return copy != NULL;
}

/* Does the node, or the body of its loop, draw random numbers for each element? Bodies are shared by loops that are
 * equal, so their nodes may be older. */
static bool draws(const Vmap *m, const ThApply *a) {
    int n = 0;
    if (a->serial < m->since) return false;
    if (a->op->flags & OP_DRAWS) return true;
    const GraphBody *const *body = a->op == &op_scan ? a->op->bodies(a->attrs, &n) : NULL;
    ApplyVec order = {0};
    bool found = false;
    if (n == 1 && graph_toposort(m->b->ctx, body[0]->out, body[0]->nout, body[0]->in, body[0]->nin, &order))
        for (int i = 0; i < order.n && !found; i++) found = order.at[i]->op->flags & OP_DRAWS;
    vec_free(m->b->ctx, &order);
    return found;
}

static bool map_node(Vmap *m, ThApply *a, Room *r) {
    bool any = draws(m, a), changed = any;
    for (int i = 0; i < a->nin; i++) {
        const Form *f = form_of(m, a->in[i]);
        r->in[i] = f ? f->v : a->in[i];
        r->mapped[i] = f && f->mapped;
        any = any || r->mapped[i];
        changed = changed || f;
    }
    if (!changed) return true;
    m->b->prov = a->prov;
    if (!any) return copy_node(m, a, r->in);
    if (!a->op->batch) return no_rule(a);
    for (int o = 0; o < a->nout; o++) {
        r->out[o] = NULL;
        r->out_mapped[o] = true;
    }
    Batch q = {.b = m->b,
               .node = a,
               .in = r->in,
               .mapped = r->mapped,
               .size = m->size,
               .since = m->since,
               .out = r->out,
               .out_mapped = r->out_mapped};
    if (!a->op->batch(&q)) return false;
    for (int o = 0; o < a->nout; o++) {
        if (failed(m->b->ctx)) return false;
        ThVar *v = r->out_mapped[o] ? fit(m, a, o, r->out[o]) : r->out[o];
        if (!set_form(m, a->out[o], v, r->out_mapped[o])) return false;
    }
    return true;
}

static bool map_nodes(Vmap *m, ThVar *const *out, int nout, ThVar *const *stop, int nstop) {
    ThContext *c = m->b->ctx;
    ApplyVec order = {0};
    size_t most = 1;
    bool ok = graph_toposort(c, out, nout, stop, nstop, &order);
    for (int i = 0; i < order.n; i++) {
        size_t k = order.at[i]->nin > order.at[i]->nout ? order.at[i]->nin : order.at[i]->nout;
        most = k > most ? k : most;
    }
    size_t bytes = most * 2 * (sizeof(ThVar *) + sizeof(bool));
    char *room = ok ? ctx_alloc0(c, bytes) : NULL;
    if (room) {
        Room r = {.in = (ThVar **)(void *)room};
        r.out = r.in + most;
        r.mapped = (bool *)(void *)(r.out + most);
        r.out_mapped = r.mapped + most;
        Prov was = m->b->prov;
        for (int i = 0; ok && i < order.n; i++) ok = map_node(m, order.at[i], &r);
        m->b->prov = was;
        ctx_free(c, room, bytes);
    }
    vec_free(c, &order);
    return ok && room;
}

bool batch_through(Batch *q, ThVar *const *out) {
    Vmap m = {.b = q->b, .size = q->size, .since = UINT64_MAX};
    ThApply *a = q->node;
    bool ok = true;
    for (int o = 0; o < a->nout; o++)
        if (!out[o]) return false;
    for (int i = 0; ok && i < a->nin; i++)
        ok = (q->in[i] == a->in[i] && !q->mapped[i]) || set_form(&m, a->in[i], q->in[i], q->mapped[i]);
    ok = ok && map_nodes(&m, out, a->nout, a->in, a->nin);
    for (int o = 0; ok && o < a->nout; o++) {
        const Form *f = form_of(&m, out[o]);
        q->out[o] = f ? f->v : out[o];
        q->out_mapped[o] = f && f->mapped;
    }
    vec_free(q->b->ctx, &m.form);
    map_free(q->b->ctx, &m.at);
    return ok;
}

/* ---- the entry --------------------------------------------------------------------------------------------------- */
static bool begin(Vmap *m, ThVar *const *in, ThVar *const *mapped, int n) {
    ThContext *c = m->b->ctx;
    for (int i = 0; i < n; i++) {
        if (!mapped[i]) continue;
        ThType x = in[i]->type, t = mapped[i]->type;
        if (x.kind != TYPE_TENSOR || t.kind != TYPE_TENSOR || t.ndim != x.ndim + 1 || t.dtype != x.dtype)
            return err(c, TH_TypeError,
                       "vmap: argument %d must be a %s tensor with %d dimensions, the mapped one first", i,
                       th_dtype_name((ThDtype)x.dtype), x.ndim + 1);
        ThVar *v = patternbroadcast_make(m->b, mapped[i], x.broadcastable << 1);
        if (!v || (!m->size && !(m->size = shape_elem_make(m->b, v, 0))) || !set_form(m, in[i], v, true)) return false;
    }
    return m->size || err(c, TH_ValueError, "vmap: at least one argument must be mapped over");
}

/* A result that does not depend on what is mapped is the same for all. */
static ThVar *repeated(Vmap *m, ThVar *v) {
    bool no = false;
    Batch q = {.b = m->b, .in = &v, .mapped = &no, .size = m->size};
    return batch_full(&q, 0);
}

/* What the function itself draws is drawn for each element: since is the serial of its first argument. */
static uint64_t first_serial(ThVar *const *in, int n) {
    uint64_t first = UINT64_MAX;
    for (int i = 0; i < n; i++)
        if (in[i] && in[i]->serial < first) first = in[i]->serial;
    return first;
}

int th_vmap(ThContext *c, ThVar *const *out, int nout, ThVar *const *in, ThVar *const *mapped, int n, ThVar **result) {
    if (!c) return -1;
    if (n < 0 || !in) return err_missing(c, __func__), -1;
    return batch_graph(c, first_serial(in, n), out, nout, in, mapped, n, NULL, NULL, result);
}

int batch_graph(ThContext *c, uint64_t since, ThVar *const *out, int nout, ThVar *const *in, ThVar *const *mapped,
                int n, ThVar *size, bool *plain, ThVar **result) {
    if (!c) return -1;
    if (n < 0 || !out || !in || (n && !mapped) || !result) return err_missing(c, __func__), -1;
    Builder b;
    for (int i = 0; i < nout; i++) result[i] = NULL;
    for (int i = 0; i < nout; i++)
        if (!out[i]) return -1;
    for (int i = 0; i < n; i++)
        if (!in[i]) return -1;
    if (failed(c)) return -1;
    builder_begin(&b, c);
    Vmap m = {.b = &b, .since = since, .size = size};
    bool ok = begin(&m, in, mapped, n) && map_nodes(&m, out, nout, in, n);
    for (int i = 0; ok && i < nout; i++) {
        const Form *f = form_of(&m, out[i]);
        ThVar *v = f ? f->v : out[i];
        bool same = !f || !f->mapped;
        if (plain && plain[i]) plain[i] = same;
        else if (same) v = repeated(&m, v);
        ok = v != NULL;
        result[i] = v ? th_var_retain(v) : NULL;
    }
    for (int i = 0; i < nout && !ok; i++) {
        th_var_release(result[i]);
        result[i] = NULL;
    }
    builder_end(&b);
    vec_free(c, &m.form);
    map_free(c, &m.at);
    return ok ? 0 : -1;
}
