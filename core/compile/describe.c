/*
 * describe.c -- th_function_describe: a compiled function as data for tools. In: a function, perhaps called before.
 * Out: JSON: its graph in the order of the schedule, steps with what they cost and took, buffers with their lifetimes,
 * kernels as loops and how they run here. Numbers are those of the lengths of the last call.
 */
#include "compile.h"
#include "plan/apart.h"
#include "schedule/nest.h"

#include <string.h>

typedef struct Describe {
    ThContext *c;
    ThFunction *f;
    const Plan *p;
    const FGraph *fg;
    const int64_t *sym; /* or NULL */
    Text *t;
    Map leaf, number; /* leaf -> place; node -> place in the schedule */
    VarVec leaves;
    bool ok;
} Describe;

void describe_int(Text *t, const char *key, int64_t v) { text_printf(t, ", \"%s\": %lld", key, (long long)v); }

void describe_double(Text *t, const char *key, double v) {
    text_printf(t, ", \"%s\": ", key);
    if (v < 0) text_put(t, "null");
    else text_json_number(t, v);
}

void describe_string(Text *t, const char *key, const char *v) {
    text_printf(t, ", \"%s\": ", key);
    text_json(t, v);
}

void describe_places(Text *t, Prov prov) {
    Text places;
    text_init(&places, t->c);
    prov_text(t->c, &places, prov);
    describe_string(t, "places", places.at ? places.at : "");
    text_free(&places);
}

static void put_type(Text *t, const ThVar *v) {
    Text type;
    text_init(&type, t->c);
    type_text(&type, v->type);
    describe_string(t, "type", type.at ? type.at : "");
    text_free(&type);
}

static void put_ints(Text *t, const char *key, const int *v, int n) {
    text_printf(t, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) text_printf(t, i ? ", %d" : "%d", v[i]);
    text_putc(t, ']');
}

/* ---- the graph ---- */
static void put_ref(Describe *d, const ThVar *v) {
    uint32_t at;
    if (v->owner) {
        if (!map_get(&d->number, KEY(v->owner), &at)) at = 0;
        text_printf(d->t, "[%u, %d]", (unsigned)at, (int)v->index);
        return;
    }
    if (!map_get(&d->leaf, KEY(v), &at)) {
        at = (uint32_t)d->leaves.n;
        d->ok = d->ok && vec_push(d->c, &d->leaves, (ThVar *)v) && map_put(d->c, &d->leaf, KEY(v), at);
    }
    text_printf(d->t, "%u", (unsigned)at);
}

static void put_node(Describe *d, const ThApply *a) {
    Text *t = d->t, op;
    text_init(&op, d->c);
    apply_op_str(&op, a);
    text_put(t, "{\"op\": ");
    text_json(t, op.at ? op.at : "");
    text_free(&op);
    describe_string(t, "kind", a->op->name);
    describe_string(t, "rule", a->rule);
    describe_places(t, a->prov);
    text_put(t, ", \"in\": [");
    for (int i = 0; i < a->nin; i++) {
        text_put(t, i ? ", " : "");
        put_ref(d, a->in[i]);
    }
    text_put(t, "], \"out\": [");
    for (int i = 0; i < a->nout; i++) {
        text_put(t, i ? ", {\"name\": " : "{\"name\": ");
        text_json(t, a->out[i]->name);
        put_type(t, a->out[i]);
        describe_string(t, "dtype", th_dtype_name(type_dtype(a->out[i]->type)));
        text_putc(t, '}');
    }
    text_put(t, "]");
    describe_int(t, "destroys", a->destroys);
    describe_int(t, "views", th_apply_views(a));
    text_putc(t, '}');
}

static void put_leaves(Describe *d) {
    Text *t = d->t;
    text_put(t, "], \"leaves\": [");
    for (int i = 0; i < d->leaves.n; i++) {
        const ThVar *v = d->leaves.at[i];
        Text str;
        text_init(&str, d->c);
        var_str(&str, v);
        text_put(t, i ? ",\n{\"text\": " : "{\"text\": ");
        text_json(t, str.at ? str.at : "");
        text_free(&str);
        describe_string(t, "kind", v->kind == VAR_CONSTANT ? "constant" : v->kind == VAR_SHARED ? "shared" : "input");
        describe_string(t, "name", v->name);
        describe_string(t, "dtype", th_dtype_name(type_dtype(v->type)));
        put_type(t, v);
        describe_places(t, v->prov);
        text_putc(t, '}');
    }
}

static void put_graph(Describe *d) {
    Text *t = d->t;
    text_put(t, ", \"nodes\": [");
    for (int i = 0; i < d->fg->norder; i++) {
        text_put(t, i ? ",\n" : "");
        put_node(d, d->fg->order[i]);
    }
    text_put(t, "], \"outputs\": [");
    for (int i = 0; i < d->fg->nplain_out; i++) {
        text_put(t, i ? ", " : "");
        put_ref(d, d->fg->out[i]);
    }
    text_put(t, "], \"updates\": [");
    for (int i = d->fg->nplain_out; i < d->fg->nout; i++) {
        text_put(t, i > d->fg->nplain_out ? ", [" : "[");
        put_ref(d, d->fg->update_of[i - d->fg->nplain_out]);
        text_put(t, ", ");
        put_ref(d, d->fg->out[i]);
        text_putc(t, ']');
    }
    put_leaves(d);
    text_put(t, "], \"within\": [");
    bool any = false;
    for (int i = d->fg->norder; i < d->p->nnode; i++) { /* of bodies that became part of the plan */
        const PlanNode *n = &d->p->node[i];
        if (n->gone || !n->text) continue;
        text_printf(t, "%s{\"node\": %d, \"of\": %d, \"text\": ", any ? ",\n" : "", i, n->within - 1);
        text_json(t, n->text);
        describe_places(t, n->prov);
        text_putc(t, '}');
        any = true;
    }
    text_putc(t, ']');
}

/* ---- the plan ---- */
static void put_step(Describe *d, int i) {
    static const char *const kind[] = {"kernel", "host", "transfer", "sizes", "allocation"};
    Text *t = d->t;
    const Step *s = &d->p->step[i];
    ThProfileStep q = {0};
    bool measured = th_function_profile_step(d->f, i, &q);
    StepWork w = d->sym ? work_of_step(d->p, i, d->sym) : (StepWork){-1, -1, -1, -1};
    text_printf(t, "%s{\"kind\": \"%s\"", i ? ",\n" : "", kind[s->kind]);
    describe_string(t, "title", s->title && *s->title ? s->title : s->op);
    if (measured) describe_string(t, "op", q.op);
    describe_int(t, "kernel", s->kind == STEP_KERNEL ? s->kernel : -1);
    put_ints(t, "nodes", s->nodes, s->nnodes);
    put_ints(t, "buffers", s->buf, s->nbuf);
    describe_double(t, "flops", w.flops);
    describe_double(t, "bytes", w.bytes);
    describe_string(t, "rows", apart_text(s->rows));
    describe_int(t, "chain", s->chain);
    text_printf(t, ", \"can_fail\": %s", s->can_fail ? "true" : "false");
    if (measured) {
        describe_int(t, "calls", q.calls);
        describe_double(t, "seconds", q.time);
        text_printf(t, ", \"generated\": %s", q.generated ? "true" : "false");
        describe_string(t, "by", function_step_by(d->f, i));
    }
    text_putc(t, '}');
}

static int64_t bytes_of(const Describe *d, const PlanBuf *b) {
    int64_t n = 1, len;
    if (!d->sym || b->kind == BUF_WINDOW) return -1;
    if (b->kind == BUF_TEMP || b->kind == BUF_OUTPUT)
        return size_bytes(b->size, d->sym, (ThDtype)b->dtype, &n) ? n : -1;
    for (int i = 0; i < b->ndim; i++)
        if (!size_get(b->shape[i], d->sym, &len) || len < 0 || __builtin_mul_overflow(n, len, &n)) return -1;
    return n * (int64_t)th_dtype_bytes((ThDtype)b->dtype);
}

static void put_buffer(Describe *d, int i, int64_t offset) {
    static const char *const kind[] = {"input", "shared", "constant", "temporary", "output", "window"};
    Text *t = d->t;
    const PlanBuf *b = &d->p->buf[i];
    text_printf(t, "%s{\"kind\": \"%s\"", i ? ",\n" : "", kind[b->kind]);
    describe_string(t, "dtype", th_dtype_name((ThDtype)b->dtype));
    const char *name = b->name                                           ? b->name
                       : b->kind == BUF_INPUT && b->index < d->p->ninput ? d->p->input[b->index].name
                                                                         : NULL;
    describe_string(t, "name", name);
    describe_double(t, "bytes", (double)bytes_of(d, b));
    describe_int(t, "offset", offset);
    describe_int(t, "first", b->first);
    describe_int(t, "last", b->last);
    describe_int(t, "in_place_of", b->inplace_of);
    describe_string(t, "kept", apart_text(b->kept));
    describe_string(t, "apart", apart_text(b->inplace_of < 0 ? b->apart : APART_NONE));
    describe_int(t, "apart_of", b->apart_of);
    describe_int(t, "node", b->node);
    text_printf(t, ", \"late\": %s, \"shape\": ", b->late ? "true" : "false");
    bool known = d->sym != NULL;
    int64_t len;
    for (int k = 0; k < b->ndim; k++) known = known && size_get(b->shape[k], d->sym, &len);
    text_put(t, known ? "[" : "null");
    for (int k = 0; known && k < b->ndim; k++) {
        size_get(b->shape[k], d->sym, &len);
        text_printf(t, k ? ", %lld" : "%lld", (long long)len);
    }
    text_put(t, known ? "]}" : "}");
}

/* Where the temporaries lie; total: bytes of all, or -1. */
static void put_buffers(Describe *d) {
    const Plan *p = d->p;
    size_t bytes = ((size_t)p->nbuf + 1) * sizeof(int64_t), work_bytes = plan_layout_work(p);
    int64_t *offset = ctx_alloc0(d->c, bytes), total = -1;
    void *work = d->sym ? ctx_alloc0(d->c, work_bytes + 1) : NULL;
    d->ok = d->ok && offset && (work || !d->sym);
    if (d->ok && d->sym) total = plan_layout(p, d->sym, offset, work, work_bytes);
    text_put(d->t, "], \"buffers\": [");
    for (int i = 0; d->ok && i < p->nbuf; i++)
        put_buffer(d, i, total >= 0 && p->buf[i].kind == BUF_TEMP && !p->buf[i].late ? offset[i] : -1);
    text_put(d->t, "]");
    describe_double(d->t, "temporaries", (double)total);
    describe_double(d->t, "results", d->sym ? (double)plan_results_bytes(p, d->sym) : -1);
    if (work) ctx_free(d->c, work, work_bytes + 1);
    if (offset) ctx_free(d->c, offset, bytes);
}

static void put_kernels(Describe *d) {
    const Plan *p = d->p;
    const Target *target = function_unit(d->f) ? compile_backend(d->c)->target(d->c, NULL) : NULL;
    text_put(d->t, ", \"kernels\": [");
    for (int i = 0; i < p->nkernel; i++) {
        Text text;
        NestAsk ask = {.threads = config_bool(d->c, "openmp")};
        ask.candidate =
            function_candidate(d->f, i) ? function_candidate(d->f, i) : (int)config_int(d->c, "compile.candidate");
        text_init(&text, d->c);
        kernel_text(&text, p->kernel[i]);
        text_put(d->t, i ? ",\n{\"text\": " : "{\"text\": ");
        text_json(d->t, text.at ? text.at : "");
        text_free(&text);
        text_init(&text, d->c);
        d->ok = d->ok && (!target || nest_show(&text, p->kernel[i], target, ask));
        describe_string(d->t, "nest", target ? text.at : NULL);
        text_free(&text);
        text_putc(d->t, '}');
    }
    text_put(d->t, "]");
}

static void put_regions(Describe *d) {
    static const char *const kind[] = {"straight", "loop", "branch"};
    const Plan *p = d->p;
    text_put(d->t, ", \"regions\": [");
    for (int i = 0; i < p->nregion; i++) {
        const Region *r = &p->region[i];
        int64_t trip = -1;
        if (d->sym && r->kind == REGION_LOOP && !size_get(r->trip, d->sym, &trip)) trip = -1;
        text_printf(d->t, "%s{\"kind\": \"%s\"", i ? ", " : "", kind[r->kind]);
        describe_int(d->t, "first", r->first);
        describe_int(d->t, "n", r->n);
        describe_int(d->t, "child", r->child);
        describe_int(d->t, "other", r->other);
        describe_int(d->t, "next", r->next);
        describe_int(d->t, "trip", trip);
        describe_string(d->t, "title", r->title);
        text_putc(d->t, '}');
    }
    text_put(d->t, "]");
}

/* How it is called: what advice looks at. */
static void put_habits(Describe *d) {
    FunctionHabits h = function_habits(d->f);
    describe_int(d->t, "length_changes", h.lengths < 0 ? 0 : h.lengths);
    describe_int(d->t, "strided_copies", h.strided);
    describe_int(d->t, "aliased_copies", h.aliased);
    text_put(d->t, ", \"copied_arguments\": [");
    bool any = false;
    for (int i = 0; i < d->p->ninput; i++) {
        if (!(h.args >> (i < 63 ? i : 63) & 1)) continue;
        text_put(d->t, any ? ", " : "");
        text_json(d->t, d->p->input[i].name);
        any = true;
    }
    text_put(d->t, "]");
}

static void put_times(Describe *d) {
    ThProfile r;
    if (!th_function_profile(d->f, &r)) return;
    describe_int(d->t, "calls", r.calls);
    describe_double(d->t, "call_time", r.call_time);
    describe_double(d->t, "step_time", r.step_time);
    describe_double(d->t, "compile_time", r.compile_time);
    describe_double(d->t, "optimizer_time", r.optimizer_time);
    describe_double(d->t, "plan_time", r.plan_time);
    describe_double(d->t, "build_time", r.build_time);
}

char *th_function_describe(ThFunction *f) {
    ThContext *c = f ? th_function_context(f) : NULL;
    if (!f || failed(c)) return NULL;
    int64_t *sym = function_sizes(f);
    Text t;
    text_init(&t, c);
    Describe d = {.c = c, .f = f, .p = function_plan(f), .fg = function_fgraph(f), .sym = sym, .t = &t, .ok = true};
    text_put(&t, "{\"name\": ");
    text_json(&t, th_function_name(f));
    text_printf(&t, ", \"generated\": %s", function_unit(f) ? "true" : "false");
    put_times(&d);
    put_habits(&d);
    for (int i = 0; d.ok && d.fg && i < d.fg->norder; i++)
        d.ok = map_put(c, &d.number, KEY(d.fg->order[i]), (uint32_t)i);
    if (d.ok && d.fg) put_graph(&d);
    text_put(&t, ", \"steps\": [");
    for (int i = 0; i < d.p->nstep; i++) put_step(&d, i);
    put_buffers(&d);
    put_regions(&d);
    put_kernels(&d);
    text_putc(&t, '}');
    if (sym) ctx_free(c, sym, ((size_t)d.p->nsym + 1) * sizeof *sym);
    vec_free(c, &d.leaves);
    map_free(c, &d.leaf);
    map_free(c, &d.number);
    if (d.ok && !failed(c)) return text_take(&t);
    text_free(&t);
    if (!failed(c)) err_nomem(c);
    return NULL;
}
