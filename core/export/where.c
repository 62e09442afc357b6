/*
 * where.c -- positions of what is not zero, repeated positions, distinct elements: host steps whose results are as long
 * as a call's values say. In: the work, on arrays as long as they can be. Out: a call of a text in runtime/, with the
 * lengths of the program's call.
 */
#include "host.h"

#include "ops/table/ops.h"
#include "runtime/gpu/embed.h"

GPU_EMBED(export_where_text, "export/runtime/where.h");
GPU_EMBED(export_unique_text, "export/runtime/unique.h");

static const PlanValue *value_of(const Capture *q, const ThArray *a) {
    for (int n = 0; n < q->h->nin + q->h->nout; n++)
        if (q->array[n] == a) return n < q->h->nin ? &q->h->in[n] : &q->h->out[n - q->h->nin];
    return NULL;
}

/* Dims, lengths and steps of x, as find reads them. */
static void put_form(Capture *q, const PlanValue *v) {
    text_put(q->t, "        {\n            const i64 *const sym = f->sym;\n");
    text_printf(q->t, "            const i64 w[] = {%d, ", v->ndim);
    for (int d = 0; d < 2 * v->ndim; d++) {
        export_size(q->x, q->t, d < v->ndim ? v->shape[d] : v->stride[d - v->ndim]);
        text_put(q->t, ", ");
    }
    text_put(q->t, "0};\n            (void)sym;\n");
}

static ThDtype width(ThDtype d) { return d == TH_BOOL ? TH_UINT8 : d; }

int where_count(HostCall *h, const CountWork *w) {
    Capture *q = h->frame;
    const ThDtype d = (ThDtype)w->x->dtype;
    const PlanValue *v = value_of(q, w->x);
    if (!v || !host_type(d)) return host_refuse(q);
    q->x->where[width(d)] = true;
    put_form(q, v);
    text_put(q->t, "            *");
    host_place(q, "i64", w->n->data);
    text_printf(q->t, " = find_%s(w, ", host_type(d));
    host_place(q, host_type(d), w->x->data);
    text_put(q->t, ", 0, 0);\n        }\n");
    return 0;
}

int where_nonzero(HostCall *h, const NonzeroWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    const ThDtype d = (ThDtype)w->x->dtype;
    const PlanValue *v = value_of(q, w->x), *z = value_of(q, w->at[0]);
    if (!v || !z || !host_type(d)) return host_refuse(q);
    q->x->where[width(d)] = true;
    put_form(q, v);
    text_put(t, "            const i64 most = ");
    export_size(q->x, t, z->shape[0]);
    text_put(t, ";\n            i64 *const at[] = {");
    for (int i = 0; i < w->x->ndim; i++) {
        text_put(t, i ? ", " : "");
        host_place(q, "i64", w->at[i]->data);
    }
    text_printf(t, "};\n            if (find_%s(w, ", host_type(d));
    host_place(q, host_type(d), w->x->data);
    text_printf(t, ", most, at) != most) return f->rt->fail(f, %d, %d, 0, 0, 0, 0, 0);\n        }\n", q->step,
                TH_ValueError);
    return 0;
}

int where_repeat(HostCall *h, const RepeatWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    const char *type = host_type((ThDtype)w->repeats->dtype);
    const PlanValue *v = value_of(q, w->repeats), *z = value_of(q, w->z);
    if (!v || !z || !type) return host_refuse(q);
    put_form(q, v);
    text_printf(t, "            const %s *r = ", type);
    host_place(q, type, w->repeats->data);
    text_put(t, ";\n            i64 *z = ");
    host_place(q, "i64", w->z->data);
    text_put(t, ", k = 0;\n            const i64 most = ");
    export_size(q->x, t, z->shape[0]);
    text_printf(t,
                ";\n            for (i64 i = 0; i < w[1]; i++) {\n                const i64 n = (i64)r[i * w[2]];\n"
                "                if (n < 0) return f->rt->fail(f, %d, %d, 0, 0, 0, 0, 0);\n"
                "                for (i64 j = 0; j < n && k < most; j++) z[k++] = i;\n            }\n        }\n",
                q->step, TH_ValueError);
    return 0;
}

int where_unique(HostCall *h, const UniqueWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    const ThDtype d = (ThDtype)w->x->dtype;
    const PlanValue *v = value_of(q, w->x);
    ThArray *const to[] = {w->first, w->inverse, w->count};
    if (!v || !host_type(d) || v->ndim != 1) return host_refuse(q);
    q->x->sort[width(d)] = q->x->unique[width(d)] = true;
    put_form(q, v);
    text_put(t, "            *");
    host_place(q, "i64", w->n->data);
    text_printf(t, " = unique_%s(w[1], w[2], %d, %d, ", host_type(d), !w->index && !w->inverse && !w->count, w->apart);
    host_place(q, host_type(d), w->x->data);
    text_put(t, ", ");
    host_place(q, host_type(d), w->values->data);
    for (int i = 0; i < 3; i++) {
        text_put(t, ", ");
        if (to[i]) host_place(q, "i64", to[i]->data);
        else text_put(t, "0");
    }
    text_put(t, ", ");
    host_room(q, "i64", 16 * ARRAY_SHAPE(w->x)[0]);
    text_put(t, ");\n        }\n");
    return 0;
}

void where_texts(const Export *x, Text *t) {
    for (int d = 0; d < TH_DTYPE_COUNT; d++) {
        if (!x->where[d]) continue;
        text_printf(t, "#define T %s\n#define OF(name) name##_%s\n#define IS(a) %s\n", host_type(d), host_type(d),
                    dtype_is_complex((ThDtype)d) ? "((a).re != 0 || (a).im != 0)" : "((a) != 0)");
        text_put(t, export_where_text);
        text_put(t, "#undef T\n#undef OF\n#undef IS\n\n");
    }
}

const char *where_unique_text(void) { return export_unique_text; }

/* ---- how long results can be ------------------------------------------------------------------------------------- */
/* The host step that writes the number in `buf`; its number among the outputs. */
static const PlanHost *writer(const Plan *p, int buf, int *out) {
    for (int i = 0; i < p->nstep; i++) {
        if (p->step[i].kind != STEP_HOST) continue;
        const PlanHost *h = &p->host[p->step[i].host];
        for (int o = 0; o < h->nout; o++)
            if (h->out[o].buf == buf) return *out = o, h;
    }
    return NULL;
}

/* As many as a count can be: all elements. -1: nobody knows. */
static int64_t most_of(const Export *x, int buf) {
    int o;
    int64_t n = 1;
    const PlanHost *h = writer(x->p, buf, &o);
    if (!h || (h->op != &op_count_nonzero && (h->op != &op_unique || o != 4))) return -1;
    for (int d = 0; d < (h->op == &op_unique ? 1 : h->in[0].ndim); d++) n *= size_value(h->in[0].shape[d], x->sym);
    return n;
}

/* Lengths of the example that a call's values decide become those that they can have at most, and what follows from
 * them is worked out again: a length never becomes shorter. */
void where_bounds(Export *x) {
    const Plan *p = x->p;
    ShapeEnv none = {.u = x};
    for (int i = p->nshape_static; i < p->nshape; i++) {
        const ShapeIns *s = &p->shape[i];
        if (s->op == SHAPE_CHECK_EQ || s->op == SHAPE_CHECK_GE0) continue;
        const int64_t before = x->sym[s->dst];
        if (s->op == SHAPE_VALUE) x->sym[s->dst] = most_of(x, s->a);
        else if (s->op >= SHAPE_ADD && before != SIZE_UNKNOWN) shape_run(p, i, 1, x->sym, &none);
        if (s->op != SHAPE_LT && x->sym[s->dst] < before) x->sym[s->dst] = before;
    }
}
