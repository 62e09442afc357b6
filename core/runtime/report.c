/*
 * report.c -- what a failed step or size check becomes: Theano's report (inventory 5): the message, the Apply node, the
 * types, shapes and strides of its inputs, the line that built it, and with exception_verbosity=high its graph.
 */
#include "../ops/advanced.h"
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

/* Is the size known? The shape program may have stopped before it. */
static bool known(const Workspace *w, Size z) { return z.sym < 0 || w->frame.sym[z.sym] != WORKSPACE_UNKNOWN; }

static bool shapes_known(const Workspace *w, const PlanNode *n) {
    for (int i = 0; i < n->nin; i++)
        for (int d = 0; d < n->in[i].ndim; d++)
            if (!known(w, n->in[i].shape[d])) return false;
    return true;
}

static bool all_known(const Workspace *w, const PlanNode *n) {
    for (int i = 0; i < n->nin; i++)
        for (int d = 0; d < n->in[i].ndim; d++)
            if (!known(w, n->in[i].stride[d])) return false;
    return shapes_known(w, n);
}

/* In elements. */
static int64_t stride_of(const Workspace *w, const PlanValue *v, int d) {
    if (!v->packed) return size_value(v->stride[d], w->frame.sym);
    int64_t n = 1;
    for (int k = d + 1; k < v->ndim; k++) n *= size_value(v->shape[k], w->frame.sym);
    return n;
}

/* Input i where it is a constant that the plan holds no array of. */
static const ThArray *constant(const Workspace *w, const PlanNode *n, int i) {
    const FGraph *fg = w->fn->fg;
    int at = (int)(n - w->fn->plan->node);
    if (!fg || at >= fg->norder || i >= fg->order[at]->nin) return NULL;
    const ThVar *v = fg->order[at]->in[i];
    return var_is_const(v) && v->type.kind == TYPE_TENSOR ? v->u.data : NULL;
}

static void dims(Text *t, Workspace *w, const PlanNode *n, bool strides) {
    text_put(t, strides ? "\nInputs strides: [" : "\nInputs shapes: [");
    for (int i = 0; i < n->nin; i++) {
        const PlanValue *v = &n->in[i];
        const ThArray *a = v->buf < 0 ? constant(w, n, i) : whole(w, v);
        int ndim = a ? a->ndim : v->ndim;
        text_put(t, i ? ", (" : "(");
        for (int d = 0; d < ndim; d++) {
            int64_t x = 0;
            if (a) x = strides ? ARRAY_STRIDES(a)[d] : ARRAY_SHAPE(a)[d];
            else if (strides) x = stride_of(w, v, d) * (int64_t)th_dtype_bytes(v->dtype);
            else x = size_value(v->shape[d], w->frame.sym);
            text_printf(t, d ? ", %lld" : "%lld", (long long)x);
        }
        text_put(t, ndim == 1 ? ",)" : ")");
    }
    text_put(t, "]");
}

/* ---- values of few elements ---- */
enum { SHOWN = 5 };

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

/* The value as an array of its own, or NULL. */
static ThArray *taken(Workspace *w, const PlanValue *v) {
    int64_t shape[TH_MAX_NDIM], at[TH_MAX_NDIM] = {0}, n = 1, item = (int64_t)th_dtype_bytes(v->dtype);
    const ThArray *base = workspace_array(w, v->buf);
    const char *start = base ? base->data : w->frame.buf[v->buf];
    for (int d = 0; d < v->ndim; d++) n *= shape[d] = size_value(v->shape[d], w->frame.sym);
    if (n > SHOWN || n < 0 || !start) return NULL;
    ThArray *a = th_array_empty(w->fn->ctx, (ThDtype)v->dtype, v->ndim, shape);
    for (int64_t i = 0; a && i < n; i++) {
        int64_t off = size_value(v->off, w->frame.sym);
        for (int d = 0; d < v->ndim; d++) off += at[d] * stride_of(w, v, d);
        memcpy(a->data + i * item, start + off * item, (size_t)item);
        for (int d = v->ndim - 1; d >= 0 && ++at[d] == shape[d]; d--) at[d] = 0;
    }
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

/* ---- the storage map ---- */
static void storage_line(Text *t, Workspace *w, int buf, int64_t *total) {
    static const char *const kind[] = {"Input", "Shared Input", "Constant", "Temporary", "Output"};
    const PlanBuf *b = &w->fn->plan->buf[buf];
    const ThArray *a = workspace_array(w, buf);
    int64_t item = (int64_t)th_dtype_bytes(b->dtype), n = a ? a->size : 0;
    if (b->kind == BUF_WINDOW || (!a && (b->late || !known(w, b->size))))
        return; /* counted elsewhere, or not there yet */
    if (!a) n = size_value(b->size, w->frame.sym);
    text_put(t, " - ");
    if (b->name) text_put(t, b->name);
    else text_printf(t, "<%s %d>", th_dtype_name((ThDtype)b->dtype), buf);
    text_printf(t, ", %s, Shape: (", kind[b->kind]);
    for (int d = 0; a && d < a->ndim; d++) text_printf(t, d ? ", %lld" : "%lld", (long long)ARRAY_SHAPE(a)[d]);
    if (!a) text_printf(t, "%lld", (long long)n);
    text_printf(t, "%s), ElemSize: %lld Byte(s), TotalSize: %lld Byte(s)\n", !a || a->ndim == 1 ? "," : "",
                (long long)item, (long long)(n * item));
    *total += n * item;
}

static void storage_map(Text *t, Workspace *w) {
    const Plan *p = w->fn->plan;
    int64_t total = 0, inputs = 0;
    text_put(t, "\nStorage map footprint:\n");
    for (int b = 0; b < p->nbuf; b++) {
        int64_t before = total;
        storage_line(t, w, b, &total);
        if (p->buf[b].kind == BUF_INPUT || p->buf[b].kind == BUF_SHARED) inputs += total - before;
    }
    text_printf(t, " TotalSize: %lld Byte(s) %.3f GB\n TotalSize inputs: %lld Byte(s) %.3f GB", (long long)total,
                (double)total * 1e-9, (long long)inputs, (double)inputs * 1e-9);
}

/* exception_verbosity: the graph around the node, or how to get it. */
static void hint(Text *t, Workspace *w, int node) {
    const FGraph *fg = w->fn->fg;
    if (!fg || node >= fg->norder) return;
    if (!w->fn->verbose) {
        text_put(t, "\nHINT: Use the flag exception_verbosity=high for a debugprint of this apply node and a "
                    "storage map.");
        return;
    }
    const ThApply *a = fg->order[node];
    const ThDebugPrint o = {.depth = -1, .print_type = true, .stop_on_name = true, .ids = 'C'};
    text_put(t, "\n\nDebugprint of the apply node:\n");
    debugprint(t, a->out, a->nout, &o, NULL);
    storage_map(t, w);
}

static void made_at(Text *t, const PlanNode *n, const char *before) {
    Text line;
    text_init(&line, t->c);
    prov_text(t->c, &line, n->prov);
    if (line.n) text_printf(t, "%s%s", before, line.at);
    text_free(&line);
}

/* "In step 3 of for{cpu,scan_fn}, made at rnn.lua:12": where the body of node n was when it failed. */
static void turn(Text *t, Workspace *w, const PlanNode *n) {
    const PlanNode *loop = &w->fn->plan->node[n->within - 1];
    int64_t at = n->counter ? w->frame.sym[n->counter - 1] : WORKSPACE_UNKNOWN;
    if (!n->counter) text_put(t, "\nInside ");
    else if (!w->valid || at == WORKSPACE_UNKNOWN) text_put(t, "\nBefore the first step of ");
    else text_printf(t, "\nIn step %lld of ", (long long)at);
    const char *end = loop->text ? strchr(loop->text, '(') : NULL;
    text_put_n(t, loop->text ? loop->text : "?",
               end ? (size_t)(end - loop->text) : strlen(loop->text ? loop->text : "?"));
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
    if (n->in && shapes_known(w, n)) dims(t, w, n, false);
    if (n->in && all_known(w, n)) {
        dims(t, w, n, true);
        values(t, w, node, step);
    }
    clients(t, w, node);
    made_at(t, n, "\nBacktrace when the node is created: ");
    for (const PlanNode *in = n; in->within; in = &p->node[in->within - 1]) turn(t, w, in);
    hint(t, w, node);
}

static void finish(Workspace *w, ThError kind, Text *t) {
    ThContext *c = w->fn->ctx;
    if (t->at && !failed(c)) err(c, kind, "%s", t->at);
    else if (!failed(c)) err_nomem(c);
    text_free(t);
}

static bool starts(const char *s, const char *with) { return s && strncmp(s, with, strlen(with)) == 0; }

/* Input number i of a node's text, "Dot22(features, InplaceDimShuffle{1,0}.0)". */
static bool operand(void *u, Text *t, int i) {
    const char *text = u, *at = text ? text + strlen(text) : NULL;
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

void report_check(Workspace *w, int check, int64_t a, int64_t b) {
    const ShapeCheck *k = &w->fn->plan->check[check];
    const int64_t v[2] = {a, b};
    Text t;
    text_init(&t, w->fn->ctx);
    const bool known = k->node >= 0 && k->node < w->fn->plan->nnode;
    text_check(&t, k->text ? k->text : "sizes do not fit", v, operand,
               (void *)(known ? w->fn->plan->node[k->node].text : NULL));
    node_tail(&t, w, k->node, -1);
    finish(w, k->kind ? k->kind : TH_ValueError, &t);
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
    Workspace *w;
    const PlanValue *v;
    const ThArray *a;
    const char *start;
    int64_t shape[TH_MAX_NDIM], n;
} Index;

static bool index_open(Index *x, Workspace *w, const PlanValue *v, const ThVar *var, int step) {
    *x = (Index){.w = w, .v = v, .n = 1};
    x->a = var && var_is_const(var) && var->type.kind == TYPE_TENSOR ? var->u.data : whole(w, v);
    if (v->buf >= 0 && w->fn->plan->buf[v->buf].space) return false; /* not in this memory */
    if (!x->a && !intact(w, v, step)) return false;
    const ThArray *base = x->a ? x->a : workspace_array(w, v->buf);
    x->start = base ? base->data : w->frame.buf[v->buf];
    for (int d = 0; d < v->ndim; d++)
        x->n *= x->shape[d] = x->a ? ARRAY_SHAPE(x->a)[d] : size_value(v->shape[d], w->frame.sym);
    return x->start && x->n > 0;
}

/* Element number `flat` in C order. */
static int64_t index_at(const Index *x, int64_t flat) {
    int64_t k, item = (int64_t)th_dtype_bytes(x->v->dtype),
               off = x->a ? 0 : size_value(x->v->off, x->w->frame.sym) * item;
    for (int d = x->v->ndim - 1; d >= 0; d--) {
        off += flat % x->shape[d] * (x->a ? ARRAY_STRIDES(x->a)[d] : stride_of(x->w, x->v, d) * item);
        flat /= x->shape[d];
    }
    dtype_cast((char *)&k, TH_INT64, 8, x->start + off, (ThDtype)x->v->dtype, item, 1);
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
        int64_t len = x ? ARRAY_SHAPE(x)[f.axis[j]] : size_value(n->in[0].shape[f.axis[j]], w->frame.sym);
        Index i;
        if (len != e[5]) continue;
        only = dimshuffle_source(a->in[0], f.axis[j]), several++;
        if (!index_open(&i, w, &n->in[f.input[j]], a->in[f.input[j]], step)) continue;
        for (int64_t k = 0; k < i.n; k++) {
            if (index_at(&i, k) != e[4]) continue;
            text_printf(t, " (axis %d", only);
            for (int d = 0, m = i.v->ndim; d < m; d++) {
                int64_t below = 1;
                for (int c = d + 1; c < m; c++) below *= i.shape[c];
                text_printf(t, "%s%lld%s",
                            d       ? ", "
                            : m > 1 ? ", position ("
                                    : ", position ",
                            (long long)(k / below % i.shape[d]), m > 1 && d == m - 1 ? ")" : "");
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
        for (int64_t k = 0; k < i.n; k++)
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
    case TH_Interrupted: text_put(t, "interrupted"); break;
    case TH_MemoryError: text_put(t, "out of memory"); break;
    default:
        if (is_extremum(op))
            text_put(
                t, "zero-size array to a maximum or minimum, which has no identity: a reduced dimension has length 0");
        else text_printf(t, "%s in %s", th_error_name(kind), op ? op : "a step");
    }
}

/* A step may hold several nodes and name its last one: the one of them that fails in this way. */
static int culprit(const Plan *p, const int64_t *e) {
    const Step *s = e[0] >= 0 && e[0] < p->nstep ? &p->step[e[0]] : NULL;
    int assert_ = -1;
    for (int i = 0; s && i < s->nnodes; i++) {
        const PlanNode *n = &p->node[s->nodes[i]];
        if (e[2] == TH_IndexError && (starts(n->op, "Advanced") || takes_classes(n->op))) return s->nodes[i];
        if (e[2] != TH_ZeroDivisionError && assert_ < 0 && starts(n->op, "Assert")) assert_ = s->nodes[i];
    }
    if (assert_ >= 0) return assert_;
    return (int)e[1];
}

void report_failure(Workspace *w) {
    const int64_t *e = w->frame.err;
    const Plan *p = w->fn->plan;
    int node = culprit(p, e);
    Text t;
    text_init(&t, w->fn->ctx);
    if (w->host_text[0]) text_put(&t, w->host_text);
    else headline(&t, w, node, e);
    w->host_text[0] = 0;
    node_tail(&t, w, node, (int)e[0]);
    bool class = e[2] == TH_IndexError && node >= 0 && node < p->nnode && takes_classes(p->node[node].op);
    finish(w, class ? TH_ValueError : (ThError)e[2], &t);
}
