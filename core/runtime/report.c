/*
 * report.c -- what a failed step or size check becomes: Theano's report (inventory 5): the message, the Apply node, the
 * types, shapes and strides of its inputs, the line that built it, and with exception_verbosity=high its graph.
 */
#include "base/array/sparse.h"
#include "ops/index/advanced.h"
#include "function.h"

#include <string.h>

/* The argument that the value is the whole of, or NULL: its own lengths tell more than the plan's, which takes lengths
 * that must be equal for one. */
static const ThArray *whole(Workspace *w, const PlanValue *v) {
    if (v->buf < 0) return NULL; /* fused away */
    const PlanBuf *b = &w->fn->plan->buf[v->buf];
    const ThArray *a = b->kind == BUF_INPUT || b->kind == BUF_SHARED ? workspace_array(w, v->buf) : NULL;
    if (!a || a->ndim != v->ndim || !size_is(v->off, 0)) return NULL;
    for (int d = 0; d < v->ndim; d++)
        if (!size_eq(v->shape[d], b->shape[d])) return NULL;
    return a;
}

/* ---- lengths: the step that failed may stand before those that find some ---- */
static void forget(Workspace *w, int first, int n) {
    const ShapeIns *s = w->fn->plan->shape;
    for (int i = first; i < first + n; i++)
        if (s[i].op < SHAPE_CHECK_EQ) w->frame.sym[s[i].dst] = SIZE_UNKNOWN;
}

/* What stands behind step `at` is not this call's: an earlier call or turn left it there. -1: before all steps. */
static void forget_behind(Workspace *w, int at) {
    const Plan *p = w->fn->plan;
    for (int s = at + 1; s < p->nstep; s++)
        if (p->step[s].kind == STEP_SIZE) forget(w, p->step[s].a, p->step[s].n);
    for (int r = 0; r < p->nregion; r++) {
        const Region *body = p->region[r].kind == REGION_LOOP ? &p->region[p->region[r].child] : NULL;
        if (body && body->kind == REGION_STRAIGHT && body->first > at)
            w->frame.sym[p->region[r].counter] = SIZE_UNKNOWN;
    }
}

/* The step that runs shape instruction `ins`, or -1: none, it runs before all of them. */
static int step_of(const Plan *p, int ins) {
    for (int s = 0; ins >= p->nshape_static && s < p->nstep; s++)
        if (p->step[s].kind == STEP_SIZE && ins >= p->step[s].a && ins < p->step[s].a + p->step[s].n) return s;
    return -1;
}

static int step_that_makes(const Plan *p, int buf) {
    for (int s = 0; s < p->nstep; s++)
        if (p->step[s].kind == STEP_LATE && p->step[s].buf[0] == buf) return s;
    return -1;
}

static bool shape_known(const Workspace *w, const PlanValue *v, int64_t *shape) {
    for (int d = 0; d < v->ndim; d++)
        if (!size_get(v->shape[d], w->frame.sym, &shape[d])) return false;
    return true;
}

/* In elements. */
static bool strides_known(const Workspace *w, const PlanValue *v, const int64_t *shape, int64_t *stride) {
    int64_t n = 1;
    for (int d = v->ndim - 1; d >= 0; d--) {
        stride[d] = n;
        if (!v->packed && !size_get(v->stride[d], w->frame.sym, &stride[d])) return false;
        if (__builtin_mul_overflow(n, shape[d], &n) && v->packed) return false;
    }
    return true;
}

static bool shapes_known(const Workspace *w, const PlanNode *n) {
    int64_t shape[TH_MAX_NDIM];
    for (int i = 0; i < n->nin; i++)
        if (!shape_known(w, &n->in[i], shape)) return false;
    return true;
}

static bool all_known(const Workspace *w, const PlanNode *n) {
    int64_t shape[TH_MAX_NDIM], stride[TH_MAX_NDIM];
    for (int i = 0; i < n->nin; i++)
        if (!shape_known(w, &n->in[i], shape) || !strides_known(w, &n->in[i], shape, stride)) return false;
    return true;
}

/* Where a value lies, in bytes from `start`; everything of it inside the memory it is a part of. */
typedef struct Place {
    const char *start;
    int64_t shape[TH_MAX_NDIM], stride[TH_MAX_NDIM], n;
} Place;

/* The memory of a buffer, [*low, *high) in bytes from the address that its values count from. */
static bool memory_of(Workspace *w, int buf, const char **start, int64_t *low, int64_t *high) {
    const PlanBuf *b = &w->fn->plan->buf[buf];
    const ThArray *a = workspace_array(w, buf);
    *start = a ? a->data : w->frame.buf[buf];
    *low = 0;
    if (!*start || (a && buffer_special(a->buf) & (BUFFER_FREED | BUFFER_AWAY))) return false;
    if (!a) return size_bytes(b->size, w->frame.sym, (ThDtype)b->dtype, high);
    *low = a->buf->data - a->data;
    *high = *low + (int64_t)a->buf->bytes;
    return true;
}

/* False where that cannot be said, or where a length or a place is wrong: the call failed, perhaps for that. */
static bool place_of(Workspace *w, const PlanValue *v, Place *p) {
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)v->dtype), off, low, high, span;
    p->n = 1;
    if (v->buf < 0 || !memory_of(w, v->buf, &p->start, &low, &high) || !shape_known(w, v, p->shape) ||
        !strides_known(w, v, p->shape, p->stride) || !size_get(v->off, w->frame.sym, &off) ||
        __builtin_mul_overflow(off, item, &off))
        return false;
    int64_t first = off, last = off;
    for (int d = 0; d < v->ndim; d++) {
        if (p->shape[d] < 0 || __builtin_mul_overflow(p->n, p->shape[d], &p->n) ||
            __builtin_mul_overflow(p->stride[d], item, &p->stride[d]) ||
            __builtin_mul_overflow(p->shape[d] - 1, p->stride[d], &span) ||
            __builtin_add_overflow(span < 0 ? first : last, span, span < 0 ? &first : &last))
            return false;
    }
    if (p->n == 0) return true;
    if (first < low || last > high - item) return false;
    p->start += off;
    return true;
}

/* The address of element number `flat` in C order. */
static const char *element(const Place *p, int ndim, int64_t flat) {
    const char *at = p->start;
    for (int d = ndim - 1; d >= 0; d--) {
        at += flat % p->shape[d] * p->stride[d];
        flat /= p->shape[d];
    }
    return at;
}

/* An array as such a place: a constant, or the whole of an argument. */
static void place_of_array(const ThArray *a, Place *p) {
    p->start = a->data;
    p->n = a->size;
    for (int d = 0; d < a->ndim; d++) p->shape[d] = ARRAY_SHAPE(a)[d], p->stride[d] = ARRAY_STRIDES(a)[d];
}

/* Input i where it is a constant that the plan holds no array of. */
static const ThArray *constant(const Workspace *w, const PlanNode *n, int i) {
    const FGraph *fg = w->fn->fg;
    int at = (int)(n - w->fn->plan->node);
    if (!fg || at >= fg->norder || i >= fg->order[at]->nin) return NULL;
    const ThVar *v = fg->order[at]->in[i];
    return var_is_const(v) && v->type.kind == TYPE_TENSOR ? v->u.data : NULL;
}

/* Does the value still lie in its memory at step `at` (-1: before any step)? Another buffer may have its place by now.
 */
static bool intact(const Workspace *w, const PlanValue *v, int at) {
    const Plan *p = w->fn->plan;
    if (v->buf < 0) return false;
    const PlanBuf *b = &p->buf[v->buf];
    if (b->kind == BUF_TEMP || b->kind == BUF_OUTPUT || b->kind == BUF_WINDOW) {
        if (at < 0 || b->first >= at) return false;
    }
    const Step *s = at >= 0 ? &p->step[at] : NULL;
    for (int i = 0; s && i < s->nbuf; i++)
        if (s->buf[i] != v->buf && w->frame.buf[s->buf[i]] == w->frame.buf[v->buf]) return false;
    return true;
}

/* A sparse matrix, which is stored as a vector: its own shape, where its words still stand. */
static void sparse_dims(Text *t, Workspace *w, const PlanValue *v, ThType type, int step, bool strides) {
    const ThArray *a = v->buf < 0 ? NULL : whole(w, v);
    Place p = {.n = 0};
    if (a) place_of_array(a, &p);
    else if (!intact(w, v, step) || !place_of(w, v, &p)) p.n = 0;
    const int64_t *words = (const int64_t *)(const void *)p.start;
    if (strides || p.n == 0 || sparse_wrong(words, p.n)) {
        text_put(t, strides ? "'No strides'" : "'not shown'");
        return;
    }
    Sparse s = sparse_open(words);
    bool rows = type_sparse_format(type) == 'r';
    text_printf(t, "(%lld, %lld)", (long long)(rows ? s.lines : s.places), (long long)(rows ? s.places : s.lines));
}

static const ThVar *input_var(const Workspace *w, const PlanNode *n, int i) {
    const FGraph *fg = w->fn->fg;
    int at = (int)(n - w->fn->plan->node);
    return fg && at < fg->norder && fg->order[at]->nin == n->nin ? fg->order[at]->in[i] : NULL;
}

static void dims(Text *t, Workspace *w, const PlanNode *n, int step, bool strides) {
    text_put(t, strides ? "\nInputs strides: [" : "\nInputs shapes: [");
    for (int i = 0; i < n->nin; i++) {
        const ThVar *var = input_var(w, n, i);
        if (var && var->type.kind == TYPE_SPARSE) {
            text_put(t, i ? ", " : "");
            sparse_dims(t, w, &n->in[i], var->type, step, strides);
            continue;
        }
        const PlanValue *v = &n->in[i];
        const ThArray *a = v->buf < 0 ? constant(w, n, i) : whole(w, v);
        int64_t shape[TH_MAX_NDIM], stride[TH_MAX_NDIM], item = (int64_t)th_dtype_bytes((ThDtype)v->dtype);
        int ndim = a ? a->ndim : v->ndim;
        if (!a && (!shape_known(w, v, shape) || (strides && !strides_known(w, v, shape, stride)))) ndim = 0;
        text_put(t, i ? ", (" : "(");
        for (int d = 0; d < ndim; d++) {
            int64_t x = 0;
            if (a) x = strides ? ARRAY_STRIDES(a)[d] : ARRAY_SHAPE(a)[d];
            else x = strides ? stride[d] * item : shape[d];
            text_printf(t, d ? ", %lld" : "%lld", (long long)x);
        }
        text_put(t, ndim == 1 ? ",)" : ")");
    }
    text_put(t, "]");
}

/* ---- values of few elements ---- */
enum { SHOWN = 5 };

/* The value as an array of its own, or NULL. */
static ThArray *taken(Workspace *w, const PlanValue *v) {
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)v->dtype);
    Place p;
    if (!place_of(w, v, &p) || p.n > SHOWN) return NULL;
    ThArray *a = th_array_empty(w->fn->ctx, (ThDtype)v->dtype, v->ndim, p.shape);
    for (int64_t i = 0; a && i < p.n; i++) memcpy(a->data + i * item, element(&p, v->ndim, i), (size_t)item);
    return a;
}

/* var: what the value is in the graph, or NULL. */
static void value(Text *t, Workspace *w, const PlanValue *v, const ThVar *var, int step) {
    ThArray *a = NULL, *own = var && var_is_const(var) && var->type.kind == TYPE_TENSOR ? var->u.data : NULL;
    if (!own && intact(w, v, step) && !(own = (ThArray *)whole(w, v))) a = taken(w, v);
    if (own && own->size <= SHOWN) a = th_array_retain(own);
    char *text = a ? th_array_repr(w->fn->ctx, a) : NULL;
    text_put(t, text ? text : "'not shown'");
    th_free(w->fn->ctx, text);
    th_array_release(a);
}

static void values(Text *t, Workspace *w, int node, int step) {
    const FGraph *fg = w->fn->fg;
    const PlanNode *n = &w->fn->plan->node[node];
    const ThApply *a = fg && node < fg->norder && fg->order[node]->nin == n->nin ? fg->order[node] : NULL;
    text_put(t, "\nInputs values: [");
    for (int i = 0; i < n->nin; i++) {
        if (i) text_put(t, ", ");
        value(t, w, &n->in[i], a ? a->in[i] : NULL, step);
    }
    text_put(t, "]");
}

/* NumPy's numbers of dtypes, under exception_verbosity=high. */
static void type_numbers(Text *t, const PlanNode *n) {
    static const int8_t number[TH_DTYPE_COUNT] = {
        [TH_BOOL] = 0,     [TH_INT8] = 1,       [TH_UINT8] = 2,       [TH_INT16] = 3,    [TH_UINT16] = 4,
        [TH_INT32] = 5,    [TH_UINT32] = 6,     [TH_INT64] = 7,       [TH_UINT64] = 8,   [TH_FLOAT32] = 11,
        [TH_FLOAT64] = 12, [TH_COMPLEX64] = 14, [TH_COMPLEX128] = 15, [TH_FLOAT16] = 23, [TH_BFLOAT16] = 24};
    text_put(t, "\nInputs type_num: [");
    for (int i = 0; i < n->nin; i++) text_printf(t, i ? ", %d" : "%d", number[n->in[i].dtype]);
    text_put(t, "]");
}

/* ---- who uses the results ---- */
static void call_text(Text *t, const ThApply *a) {
    apply_op_str(t, a);
    for (int i = 0; i < a->nin; i++) {
        text_put(t, i ? ", " : "(");
        var_str(t, a->in[i]);
    }
    text_put(t, ")");
}

static void clients_of(Text *t, const FGraph *fg, const ThVar *v) {
    int n = 0;
    for (int k = 0; k < fg->norder; k++)
        for (int i = 0; i < fg->order[k]->nin; i++) {
            if (fg->order[k]->in[i] != v) continue;
            if (n++) text_put(t, ", ");
            call_text(t, fg->order[k]);
            break;
        }
    for (int o = 0; o < fg->nout; o++)
        if (fg->out[o] == v) text_put(t, n++ ? ", 'output'" : "'output'");
}

static void clients(Text *t, const Workspace *w, int node) {
    const FGraph *fg = w->fn->fg;
    if (!fg || node >= fg->norder) return;
    text_put(t, "\nOutputs clients: [");
    for (int o = 0; o < fg->order[node]->nout; o++) {
        text_put(t, o ? ", [" : "[");
        clients_of(t, fg, fg->order[node]->out[o]);
        text_put(t, "]");
    }
    text_put(t, "]");
}

/* ---- the tail ---- */
/* exception_verbosity: the graph around the node, or how to get it. */
static void hint(Text *t, Workspace *w, int node, int step) {
    const FGraph *fg = w->fn->fg;
    const ThApply *a = fg && node < fg->norder ? fg->order[node] : NULL; /* NULL: of a body */
    if (a && !w->fn->verbose)
        text_put(t, "\nHINT: Use the flag exception_verbosity=high for a debugprint of this apply node and a "
                    "storage map.");
    if (!w->fn->verbose) return;
    if (a) {
        const ThDebugPrint o = {.depth = -1, .print_type = true, .stop_on_name = true, .ids = 'C'};
        text_put(t, "\nDebugprint of the apply node: \n");
        debugprint(t, a->out, a->nout, &o, NULL);
    }
    storage_map(t, w, step);
}

static void made_at(Text *t, const PlanNode *n, const char *before) {
    Text line;
    text_init(&line, t->c);
    prov_text(t->c, &line, n->prov);
    if (line.n) text_printf(t, "%s%s", before, line.at);
    text_free(&line);
}

/* "Elemwise{exp,no_inplace}" of "Elemwise{exp,no_inplace}(x)": what stands before the operands. */
void report_op(Text *t, const char *text) {
    int depth = 0;
    size_t n = 0;
    for (; text[n] && (text[n] != '(' || depth > 0); n++)
        depth += text[n] == '{' || text[n] == '[' ? 1 : text[n] == '}' || text[n] == ']' ? -1 : 0;
    text_put_n(t, text, n);
}

/* "In step 3 of for{cpu,scan_fn}, made at rnn.lua:12": where the body of node n was when it failed. */
static void turn(Text *t, Workspace *w, const PlanNode *n) {
    const PlanNode *loop = &w->fn->plan->node[n->within - 1];
    int64_t at = n->counter ? w->frame.sym[n->counter - 1] : SIZE_UNKNOWN;
    if (!n->counter) text_put(t, "\nInside ");
    else if (!w->valid || at == SIZE_UNKNOWN) text_put(t, "\nBefore the first step of ");
    else text_printf(t, "\nIn step %lld of ", (long long)at);
    report_op(t, loop->text ? loop->text : "?");
    made_at(t, loop, ", made at ");
}

/* step: the one that failed, -1: a check before all steps */
static void node_tail(Text *t, Workspace *w, int node, int step) {
    const Plan *p = w->fn->plan;
    if (node < 0 || node >= p->nnode) return;
    const PlanNode *n = &p->node[node];
    text_printf(t, "\nApply node that caused the error: %s", n->text ? n->text : "?");
    if (n->gone) text_put(t, "\nRewriting has removed this node; the lengths it was given are checked all the same.");
    else text_printf(t, "\nToposort index: %d", node);
    text_printf(t, "\nInputs types: %s", n->types ? n->types : "");
    if (n->in && shapes_known(w, n)) dims(t, w, n, step, false);
    if (n->in && all_known(w, n)) {
        dims(t, w, n, step, true);
        values(t, w, node, step);
    }
    if (n->in && w->fn->verbose) type_numbers(t, n);
    clients(t, w, node);
    made_at(t, n, "\nBacktrace when the node is created: ");
    for (const PlanNode *in = n; in->within; in = &p->node[in->within - 1]) turn(t, w, in);
    hint(t, w, node, step);
}

static void finish(Workspace *w, ThError kind, Text *t) {
    ThContext *c = w->fn->ctx;
    if (t->at && !failed(c)) err(c, kind, "%s", t->at);
    else if (!failed(c)) err_nomem(c);
    text_free(t);
}

static bool starts(const char *s, const char *with) { return s && strncmp(s, with, strlen(with)) == 0; }

typedef struct Asked { /* a node, of whose operands a message speaks; -1: of none */
    const Workspace *w;
    int node;
} Asked;

/* Input number i of a node's text, "Dot22(features, InplaceDimShuffle{1,0}.0)". */
static bool operand_text(Text *t, const char *text, int i) {
    const char *at = text ? text + strlen(text) : NULL;
    int depth = 0;
    for (; at && at > text; at--) { /* back to the brace that the last one closes */
        depth += at[-1] == ')' ? 1 : at[-1] == '(' ? -1 : 0;
        if (depth == 0) break;
    }
    for (; at && *at && i >= 0; i--) {
        const char *end = at;
        for (depth = 0; *end && (depth > 0 || (*end != ',' && *end != ')')); end++)
            depth += strchr("({[", *end) ? 1 : strchr(")}]", *end) ? -1 : 0;
        if (i == 0 && *at != '<') text_put_n(t, at, (size_t)(end - at));
        if (i == 0) return *at != '<'; /* one without a name is its type, "<TensorType(..)>" */
        at = end + strspn(end, ", ");
    }
    return false;
}

/* What the user knows the operand by: a name, or what computed it and where. */
static bool operand(void *u, Text *t, int i) {
    const Asked *q = u;
    const Plan *p = q->w->fn->plan;
    if (q->node < 0 || q->node >= p->nnode) return false;
    const PlanNode *n = &p->node[q->node];
    const PlanValue *v = n->in && i < n->nin ? &n->in[i] : NULL;
    bool known = v && v->said;
    if (known) text_put(t, v->said);
    else known = operand_text(t, n->text, i);
    if (!v || !v->made) return known;
    if (!known) text_put(t, "an argument");
    text_put(t, " (");
    prov_text(t->c, t, v->made);
    text_put(t, ")");
    return true;
}

/* The node that asked for slot `sym`: of check 0, which belongs to none. */
static int asker(const Plan *p, int sym) {
    for (int b = 0; b < p->nbuf; b++) {
        bool here = p->buf[b].size.sym == sym;
        for (int d = 0; d < p->buf[b].ndim; d++) here |= p->buf[b].shape[d].sym == sym;
        if (here && p->buf[b].node >= 0) return p->buf[b].node;
    }
    return -1;
}

void report_check(Workspace *w, int check, const ShapeEnv *e) {
    const Plan *p = w->fn->plan;
    const ShapeCheck *k = &p->check[check];
    int step = step_of(p, e->at);
    Text t;
    text_init(&t, w->fn->ctx);
    if (step >= 0) forget(w, e->at, p->step[step].a + p->step[step].n - e->at);
    forget_behind(w, step);
    text_check(&t, k->text ? k->text : "sizes do not fit", e->fail, operand, &(Asked){w, k->node});
    const ShapeIns *i = &p->shape[e->at];
    const char *sign = i->op == SHAPE_MUL ? "*" : i->op == SHAPE_ADD ? "+" : i->op == SHAPE_SUB ? "-" : NULL;
    if (check == 0 && sign) text_printf(&t, ": %lld %s %lld", (long long)e->fail[0], sign, (long long)e->fail[1]);
    node_tail(&t, w, check == 0 ? asker(p, i->dst) : k->node, step);
    finish(w, k->kind ? k->kind : TH_ValueError, &t);
}

/* ---- memory ---- */
/* "the result of Elemwise{exp,no_inplace}, float64 of shape (3000, 4000)" */
static void put_owner(Text *t, const Workspace *w, int buf) {
    const Plan *p = w->fn->plan;
    const PlanBuf *b = &p->buf[buf];
    const char *text = b->node >= 0 && b->node < p->nnode ? p->node[b->node].text : NULL;
    if (text) text_put(t, "the result of "), report_op(t, text);
    else text_put(t, b->kind == BUF_OUTPUT ? "a result" : "a value");
    text_printf(t, ", %s of shape (", th_dtype_name((ThDtype)b->dtype));
    for (int d = 0; d < b->ndim; d++) {
        int64_t n;
        if (d) text_put(t, ", ");
        if (size_get(b->shape[d], w->frame.sym, &n)) text_printf(t, "%lld", (long long)n);
        else text_put(t, "?");
    }
    text_put(t, b->ndim == 1 ? ",)" : ")");
}

/* Of the temporaries: the first whose bytes do not fit at all, else the largest; -1: there are none. */
static int largest(const Workspace *w) {
    const Plan *p = w->fn->plan;
    int at = -1;
    int64_t most = -1, n;
    for (int b = 0; b < p->nbuf; b++) {
        if (p->buf[b].kind != BUF_TEMP || p->buf[b].late) continue;
        if (!size_bytes(p->buf[b].size, w->frame.sym, (ThDtype)p->buf[b].dtype, &n)) return b;
        if (n > most) most = n, at = b;
    }
    return at;
}

int report_largest(const Workspace *w) {
    int b = largest(w);
    return b < 0 ? -1 : w->fn->plan->buf[b].first;
}

/* What the call wants, what there is, and what takes less. */
static void put_budget(Text *t, const Workspace *w) {
    char words[64];
    const Plan *p = w->fn->plan;
    int64_t planned = atomic_load_explicit(&w->fn->planned, memory_order_relaxed);
    int64_t results = plan_results_bytes(p, w->frame.sym);
    if (planned < results) planned = results;
    text_printf(t, "\nPlanned for temporaries and results of this call: %s",
                planned == INT64_MAX ? "more than memory can have" : text_bytes(words, sizeof words, planned));
    text_printf(t, "; in use by arrays and functions: %s.",
                text_bytes(words, sizeof words, th_stat(w->fn->ctx, "live_bytes")));
    text_put(
        t, "\nWhat takes less: a smaller batch; T.remat(x) for large x that gradients need; theano.compile{.., memory "
           "= BYTES}, which computes values again; float32.");
}

/* What is planned and in use, the node that makes `buf` (< 0: none is known), and the error itself. Where the call has
   `begun`, sizes that it had not come to are forgotten. */
static void memory_tail(Text *t, Workspace *w, int buf, bool begun) {
    const Plan *p = w->fn->plan;
    int step = buf < 0 ? -1 : step_that_makes(p, buf);
    put_budget(t, w);
    if (begun) forget_behind(w, step);
    node_tail(t, w, buf < 0 ? -1 : p->buf[buf].node, step);
    finish(w, TH_MemoryError, t);
}

void report_no_room(Workspace *w, int buf) {
    const Plan *p = w->fn->plan;
    ThContext *c = w->fn->ctx;
    char words[64];
    bool all = buf < 0;
    int64_t n = 0;
    Text t;
    if (th_error(c) == TH_MemoryError) th_error_clear(c); /* what the allocator said */
    text_init(&t, c);
    if (all) buf = largest(w);
    if (buf < 0) text_put(&t, "out of memory");
    else if (!size_bytes(p->buf[buf].size, w->frame.sym, (ThDtype)p->buf[buf].dtype, &n)) {
        text_put(&t, "out of memory: more bytes than memory can have for ");
        put_owner(&t, w, buf);
    } else {
        text_put(&t, "out of memory: ");
        if (all) text_put(&t, "no room for the temporaries of this call; the largest takes ");
        text_printf(&t, "%s for ", text_bytes(words, sizeof words, n));
        put_owner(&t, w, buf);
    }
    memory_tail(&t, w, buf, true);
}

bool report_room(Workspace *w, int buf, const char *format, ...) {
    const Plan *p = w->fn->plan;
    ThContext *c = w->fn->ctx;
    char words[64];
    bool all = buf < 0;
    int64_t n = 0;
    va_list more;
    Text t;
    text_init(&t, c);
    va_start(more, format);
    text_vprintf(&t, format, more);
    va_end(more);
    if (all) buf = largest(w);
    if (buf >= 0 && size_bytes(p->buf[buf].size, w->frame.sym, (ThDtype)p->buf[buf].dtype, &n)) {
        text_put(&t, all ? ". The largest temporary, " : ". It is ");
        if (all) text_printf(&t, "%s, is ", text_bytes(words, sizeof words, n));
        put_owner(&t, w, buf);
    }
    memory_tail(&t, w, buf, false);
    return false;
}

/* The only step of an extremum that fails: a group without elements. */
static bool is_extremum(const char *op) {
    static const char *const start[] = {"MaxAndArgmax{", "Argmax{", "Reduce{m"};
    for (int i = 0; op && i < TH_LEN(start); i++)
        if (strncmp(op, start[i], strlen(start[i])) == 0) return true;
    return false;
}

/* "Assert{msg='TEXT'}(..": the text an Assert was built with. */
static bool assert_text(Text *t, const char *op) {
    static const char start[] = "Assert{msg='";
    if (!op || strncmp(op, start, sizeof start - 1) != 0) return false;
    op += sizeof start - 1;
    const char *end = strstr(op, "'}(");
    text_put_n(t, op, end ? (size_t)(end - op) : strlen(op));
    return true;
}

/* ---- which index was out of bounds ---- */
typedef struct Index { /* integers of an input, read where they lie */
    Place p;
    int ndim;
    ThDtype dtype;
} Index;

static bool index_open(Index *x, Workspace *w, const PlanValue *v, const ThVar *var, int step) {
    const ThArray *a = var && var_is_const(var) && var->type.kind == TYPE_TENSOR ? var->u.data : whole(w, v);
    x->ndim = a ? a->ndim : v->ndim;
    x->dtype = (ThDtype)(a ? a->dtype : v->dtype);
    if (a) place_of_array(a, &x->p);
    else if (!intact(w, v, step) || !place_of(w, v, &x->p)) return false;
    return x->p.n > 0;
}

/* Element number `flat` in C order. */
static int64_t index_at(const Index *x, int64_t flat) {
    int64_t k;
    dtype_cast((char *)&k, TH_INT64, 8, element(&x->p, x->ndim, flat), x->dtype, 0, 1);
    return k;
}

/* "(axis 1, position 3)": where the index e[4] stands, as far as the indices are still there. */
static void put_place(Text *t, Workspace *w, int node, int step, const int64_t *e, const ThApply *a) {
    const PlanNode *n = &w->fn->plan->node[node];
    AdvForm f;
    int only = -1, several = 0;
    if (!n->in || n->nin != a->nin || !all_known(w, n) || !adv_form_of(a, &f)) return;
    for (int j = 0; j < f.nadv; j++) {
        const ThArray *x = whole(w, &n->in[0]);
        int64_t len = x ? ARRAY_SHAPE(x)[f.axis[j]] : 0;
        Index i;
        if (!x && !size_get(n->in[0].shape[f.axis[j]], w->frame.sym, &len)) continue;
        if (len != e[5]) continue;
        only = dimshuffle_source(a->in[0], f.axis[j]), several++;
        if (!index_open(&i, w, &n->in[f.input[j]], a->in[f.input[j]], step)) continue;
        for (int64_t k = 0; k < i.p.n; k++) {
            if (index_at(&i, k) != e[4]) continue;
            text_printf(t, " (axis %d", only);
            for (int d = 0, m = i.ndim; d < m; d++) {
                int64_t below = 1;
                for (int c = d + 1; c < m; c++) below *= i.p.shape[c];
                text_printf(t, "%s%lld%s",
                            d       ? ", "
                            : m > 1 ? ", position ("
                                    : ", position ",
                            (long long)(k / below % i.p.shape[d]), m > 1 && d == m - 1 ? ")" : "");
            }
            text_put(t, ")");
            return;
        }
    }
    if (several == 1) text_printf(t, " (axis %d)", only);
}

/* "position 3" of the first class e[4]; a negative one comes without its sign. */
static void put_class(Text *t, Workspace *w, int node, int step, const int64_t *e, const ThApply *a) {
    const PlanNode *n = &w->fn->plan->node[node];
    int64_t class = e[4] > INT64_MAX / 2 ? e[4] | INT64_MIN : e[4];
    int input = a ? a->nin - 1 : -1;
    Index i;
    text_printf(t, "y_i value out of bounds: class %lld", (long long)class);
    if (input >= 0 && n->in && n->nin == a->nin && all_known(w, n) &&
        index_open(&i, w, &n->in[input], a->in[input], step))
        for (int64_t k = 0; k < i.p.n; k++)
            if (index_at(&i, k) == class) {
                text_printf(t, ", position %lld", (long long)k);
                break;
            }
    text_printf(t, ", but there are %lld classes", (long long)e[5]);
}

static bool takes_classes(const char *op) { return starts(op, "Crossentropy"); }

static void headline(Text *t, Workspace *w, int node, const int64_t *e) {
    const PlanNode *n = node >= 0 && node < w->fn->plan->nnode ? &w->fn->plan->node[node] : NULL;
    const FGraph *fg = w->fn->fg;
    const ThApply *a = n && fg && node < fg->norder ? fg->order[node] : NULL;
    const char *op = n ? n->text : NULL;
    ThError kind = (ThError)e[2];
    if (assert_text(t, op)) return;
    switch (kind) {
    case TH_IndexError:
        if (takes_classes(op)) {
            put_class(t, w, node, (int)e[0], e, a);
            break;
        }
        text_printf(t, "index out of bounds: index %lld for a dimension of length %lld", (long long)e[4],
                    (long long)e[5]);
        if (a) put_place(t, w, node, (int)e[0], e, a);
        break;
    case TH_ZeroDivisionError:
        text_put(t, op && strstr(op, "mod") ? "integer modulo by zero" : "integer division by zero");
        break;
    case TH_Interrupted: {
        bool late = w->until || !atomic_load(&w->fn->ctx->interrupted);
        text_put(t, late ? "the time that it was given is over" : "interrupted");
        break;
    }
    case TH_MemoryError:
        text_put(t, "out of memory");
        put_budget(t, w);
        break;
    default:
        if (is_extremum(op))
            text_put(
                t, "zero-size array to a maximum or minimum, which has no identity: a reduced dimension has length 0");
        else if (kind == TH_ValueError && starts(op, "mrg_uniform")) text_put(t, DRAW_NO_STATES);
        else text_printf(t, "%s in %s", th_error_name(kind), op ? op : "a step");
    }
}

/* An operation that divides integers, alone or in a Composite: told by its text, "Elemwise{int_div}(a, b)". */
static bool divides(const PlanNode *n) {
    static const char *const word[] = {"int_div", "mod", " // ", " % "};
    if (!starts(n->op, "Elemwise") || !n->text) return false;
    const char *end = strrchr(n->text, '}'); /* of the operation's own, where no operand has one */
    for (int i = 0, depth = 0; n->text[i]; i++) {
        depth += n->text[i] == '{' ? 1 : n->text[i] == '}' ? -1 : 0;
        if (depth == 0 && n->text[i] == '}') {
            end = n->text + i;
            break;
        }
    }
    for (int i = 0; end && i < TH_LEN(word); i++) {
        const char *at = strstr(n->text, word[i]);
        if (at && at < end) return true;
    }
    return false;
}

/* A step may hold several nodes and name its last one: the one of them that fails in this way. */
static int culprit(const Plan *p, const int64_t *e) {
    const Step *s = e[0] >= 0 && e[0] < p->nstep ? &p->step[e[0]] : NULL;
    int assert_ = -1;
    for (int i = 0; s && i < s->nnodes; i++) {
        const PlanNode *n = &p->node[s->nodes[i]];
        if (e[2] == TH_IndexError && (starts(n->op, "Advanced") || takes_classes(n->op))) return s->nodes[i];
        if (e[2] == TH_ValueError && starts(n->op, "mrg_uniform")) return s->nodes[i];
        if (e[2] == TH_ZeroDivisionError && divides(n)) return s->nodes[i];
        if (e[2] != TH_ZeroDivisionError && assert_ < 0 && starts(n->op, "Assert")) assert_ = s->nodes[i];
    }
    if (assert_ >= 0) return assert_;
    return (int)e[1];
}

void report_failure(Workspace *w) {
    const int64_t *e = w->frame.err;
    const Plan *p = w->fn->plan;
    int node = culprit(p, e);
    ThContext *c = w->fn->ctx;
    Text t;
    text_init(&t, c);
    forget_behind(w, (int)e[0]);
    if (failed(c)) { /* a step asked for memory, and the allocator knows no nodes */
        text_put(&t, th_error_text(c));
        if (th_error(c) == TH_MemoryError) put_budget(&t, w);
        th_error_clear(c);
    } else if (w->host_text[0]) text_put(&t, w->host_text);
    else headline(&t, w, node, e);
    w->host_text[0] = 0;
    node_tail(&t, w, node, (int)e[0]);
    bool class = e[2] == TH_IndexError && node >= 0 && node < p->nnode && takes_classes(p->node[node].op);
    finish(w, class ? TH_ValueError : (ThError)e[2], &t);
}
