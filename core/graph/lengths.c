/*
 * lengths.c -- lengths that are known while the user's graph is built, checked at once.
 * In: a node just made. Out: true, or false with the error that running it would raise. The operation's own shape rule
 * runs over sizes that are a number or unknown: constants have their lengths and values, broadcastable dimensions are
 * 1, and a few levels of nodes above constants are followed. Without a constant in reach nothing is computed.
 */
#include "parts.h"

#include <string.h>

enum { MOST = 480, LEVELS = 3, UNKNOWN = 0 };

typedef struct Lengths { /* sizes by handle; handle 0 is "unknown" */
    ThContext *c;
    const ThApply *node;
    const Sz *const *in; /* lengths of the node's inputs */
    int n;
    bool full; /* no room: nothing more is known */
    bool quiet;
    int64_t at[MOST];
} Lengths;

static Sz number(void *u, int64_t v) {
    Lengths *l = u;
    if (l->n == MOST) return l->full = true, UNKNOWN;
    l->at[l->n] = v;
    return l->n++;
}

static int64_t floor_div(int64_t a, int64_t b) {
    int64_t q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static Sz calculate(void *u, char op, Sz a, Sz b) {
    Lengths *l = u;
    if (a == UNKNOWN || b == UNKNOWN) return UNKNOWN;
    int64_t x = l->at[a], y = l->at[b];
    switch (op) {
    case '+': return number(u, x + y);
    case '-': return number(u, x - y);
    case '*': return number(u, x * y);
    case 'm': return number(u, x < y ? x : y);
    case 'M': return number(u, x > y ? x : y);
    case '<': return number(u, x < y);
    case '/': return y ? number(u, floor_div(x, y)) : UNKNOWN;
    case 'c': return y && x != INT64_MIN ? number(u, -floor_div(-x, y)) : UNKNOWN;
    default: return UNKNOWN;
    }
}

static Sz value(void *u, int in, int64_t elem) {
    Lengths *l = u;
    const ThVar *v = l->node->in[in];
    ThValue x = {0};
    if (v->kind != VAR_CONSTANT || v->u.data->ndim > 1 || elem >= v->u.data->size) return UNKNOWN;
    if (!dtype_is_discrete((ThDtype)v->u.data->dtype) || th_array_get(v->u.data, &elem, &x)) return UNKNOWN;
    return number(u, x.i);
}

static void put_shapes(Text *t, const Lengths *l) {
    text_put(t, "\nInputs shapes: [");
    for (int i = 0; i < l->node->nin; i++) {
        text_put(t, i ? ", " : "");
        int n = l->in[i] ? l->node->in[i]->type.ndim : 0;
        text_putc(t, '(');
        for (int d = 0; d < n; d++) {
            if (l->in[i][d] == UNKNOWN) text_putc(t, '?');
            else text_printf(t, "%lld", (long long)l->at[l->in[i][d]]);
            text_put(t, n == 1 ? "," : d < n - 1 ? ", " : "");
        }
        text_putc(t, ')');
    }
    text_putc(t, ']');
}

/* "IndexError: text {0}": kind and text, the numbers put in, with what the node is and the lengths of its inputs. */
static void report(const Lengths *l, int64_t a, int64_t b, const char *why) {
    const int64_t v[2] = {a, b};
    ThError kind = TH_ValueError;
    Text t;
    for (int e = 1; e < TH_ERROR_COUNT; e++) {
        size_t n = strlen(th_error_name((ThError)e));
        if (strncmp(why, th_error_name((ThError)e), n) == 0 && why[n] == ':') {
            kind = (ThError)e;
            why += n + 1 + (why[n + 1] == ' ');
        }
    }
    text_init(&t, l->c);
    static const char hint[] = " A length of 1 broadcasts only";
    for (const char *s = why; *s; s++) {
        if (a != 1 && b != 1 && !strncmp(s, hint, sizeof hint - 1)) break; /* of no help here */
        if (s[0] == '{' && (s[1] == '0' || s[1] == '1') && s[2] == '}') {
            text_printf(&t, "%lld", (long long)v[s[1] - '0']);
            s += 2;
        } else text_putc(&t, *s);
    }
    text_put(&t, " in ");
    apply_op_str(&t, l->node);
    put_shapes(&t, l);
    err(l->c, kind, "%s", t.at ? t.at : why);
    text_free(&t);
}

static bool equal(void *u, Sz a, Sz b, const char *why) {
    Lengths *l = u;
    if (a == UNKNOWN || b == UNKNOWN || l->full || l->at[a] == l->at[b]) return true;
    if (!l->quiet) report(l, l->at[a], l->at[b], why);
    return false;
}

/* A constant with a dimension longer or shorter than one, or a node above one within a few levels. */
static bool reaches(const ThVar *v, int levels) {
    uint32_t all = v->type.ndim < 32 ? (1u << v->type.ndim) - 1 : ~0u;
    if (v->type.kind != TYPE_TENSOR || v->type.ndim == 0 || (v->type.broadcastable & all) == all) return false;
    if (v->kind == VAR_CONSTANT) return true;
    if (!v->owner || levels == 0) return false;
    for (int i = 0; i < v->owner->nin && i < 4; i++)
        if (reaches(v->owner->in[i], levels - 1)) return true;
    return false;
}

static bool run(Lengths *l, const ThApply *a, int levels, Sz out[][TH_MAX_NDIM]);

/* Lengths of v into dims. */
static void lengths_of(Lengths *l, const ThVar *v, int levels, Sz *dims) {
    Sz out[4][TH_MAX_NDIM];
    const ThApply *a = v->owner, *node = l->node;
    bool computed = false;
    if (a && levels > 0 && a->nout <= 4 && a->op->shape && reaches(v, levels)) {
        bool quiet = l->quiet;
        l->quiet = true;
        computed = run(l, a, levels - 1, out);
        l->quiet = quiet;
        l->node = node;
    }
    for (int d = 0; d < v->type.ndim; d++) {
        if (type_bcast(v->type, d)) dims[d] = number(l, 1);
        else if (v->kind == VAR_CONSTANT) dims[d] = number(l, ARRAY_SHAPE(v->u.data)[d]);
        else dims[d] = computed ? out[v->index][d] : UNKNOWN;
    }
}

/* The rule of node a. Levels bound the depth of this recursion, not the graph. */
static bool run(Lengths *l, const ThApply *a, int levels, Sz out[][TH_MAX_NDIM]) {
    enum { INPUTS = 8 };
    Sz in[INPUTS][TH_MAX_NDIM], *outs[4];
    const Sz *ins[INPUTS];
    if (a->nin > INPUTS || a->nout > 4) return false;
    for (int i = 0; i < a->nin; i++) {
        bool tensor = a->in[i]->type.kind == TYPE_TENSOR || a->in[i]->type.kind == TYPE_SCALAR;
        ins[i] = tensor ? in[i] : NULL;
        if (tensor) lengths_of(l, a->in[i], levels, in[i]);
    }
    for (int o = 0; o < a->nout; o++) {
        outs[o] = out[o];
        for (int d = 0; d < a->out[o]->type.ndim; d++) out[o][d] = UNKNOWN;
    }
    const ShapeAlg alg = {.constant = number, .op = calculate, .value = value, .equal = equal, .u = l};
    ShapeQ q = {.alg = &alg, .node = a, .in = ins, .out = outs};
    l->node = a;
    l->in = ins;
    return a->op->shape(&q) && !l->full;
}

bool lengths_check(const ThApply *a) {
    bool any = false;
    for (int i = 0; i < a->nin && i < 8 && !any; i++) any = reaches(a->in[i], LEVELS);
    if (!any || !a->op->shape || a->nin > 8 || a->nout > 4) return true;
    Lengths l = {.c = a->ctx, .node = a, .n = 1};
    Sz out[4][TH_MAX_NDIM];
    return run(&l, a, LEVELS, out) || !failed(a->ctx);
}
