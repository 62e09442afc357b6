/*
 * lengths.c -- lengths that are known while the user's graph is built, checked at once.
 * In: a node just made. Out: true, or false with the error that running it would raise. The operation's own shape rule
 * runs once over sizes that are a number or unknown: constants have their lengths and values, broadcastable dimensions
 * are 1, and what is found about the outputs stays with the node, so that it reaches everything made from them. Nodes
 * that no known length reaches cost a few comparisons.
 */
#include "parts.h"

#include <string.h>

enum { MOST = 1024, INPUTS = 64, OUTPUTS = 8, UNKNOWN = 0 };

typedef struct Lengths { /* sizes by handle; handle 0 is "unknown" */
    ThContext *c;
    const ThApply *node;
    int n;
    bool full;            /* no room: nothing more is known */
    const Sz *in[INPUTS]; /* lengths of the inputs */
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

int64_t var_length(const ThVar *v, int d) {
    const ThApply *a = v->owner;
    if (type_bcast(v->type, d)) return 1;
    if (v->kind == VAR_CONSTANT) return ARRAY_SHAPE(v->u.data)[d];
    if (!a || !a->lengths) return -1;
    const int64_t *at = a->lengths;
    for (int o = 0; o < v->index; o++) at += a->out[o]->type.ndim;
    return at[d];
}

/* Element `elem` of a constant. */
static bool constant_of(const ThVar *v, int64_t elem, int64_t *n) {
    ThValue x = {0};
    if (v->u.data->ndim > 1 || elem < 0 || elem >= v->u.data->size) return false;
    if (!dtype_is_discrete((ThDtype)v->u.data->dtype) || th_array_get(v->u.data, &elem, &x)) return false;
    *n = x.i;
    return true;
}

/* The integer at a position of v, which may be picked from lengths and lists of numbers by a few nodes. */
static bool number_of(const ThVar *v, int64_t elem, int64_t *n) {
    enum { STEPS = 6 };
    for (int step = 0; step < STEPS; step++) {
        const ThApply *a = v->owner;
        if (v->kind == VAR_CONSTANT) return constant_of(v, elem, n);
        switch (a ? (OpNumbers)a->op->numbers : NUMBERS_COMPUTED) {
        case NUMBERS_LENGTHS:
            if (elem < 0 || elem >= a->in[0]->type.ndim) return false;
            *n = var_length(a->in[0], (int)elem);
            return *n >= 0;
        case NUMBERS_INPUTS: /* one, or scalars */
            if (elem < 0 || (a->nin > 1 && elem >= a->nin)) return false;
            v = a->in[a->nin > 1 ? elem : 0];
            if (a->nin > 1) elem = 0;
            break;
        case NUMBERS_SUBSCRIPT:
            if (v->type.ndim != 0 || a->nin != 2 || a->in[0]->type.ndim != 1) return false;
            if (a->in[1]->kind != VAR_CONSTANT || !constant_of(a->in[1], 0, &elem) || elem < 0) return false;
            v = a->in[0];
            break;
        case NUMBERS_LENGTH:
        case NUMBERS_COMPUTED: return false;
        }
    }
    return false;
}

static bool alike(void *u, Sz a, Sz b) {
    const Lengths *l = u;
    return a != UNKNOWN && b != UNKNOWN && l->at[a] == l->at[b];
}

static Sz value(void *u, int in, int64_t elem) {
    const Lengths *l = u;
    int64_t n;
    return number_of(l->node->in[in], elem, &n) ? number(u, n) : UNKNOWN;
}

/* "Inputs shapes: [(2, 3), (?, 4)]" on a line of its own. */
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

static bool operand(void *u, Text *t, int input) {
    const ThVar *v = ((ThApply *)u)->in[input];
    if (!v->name && !v->owner) return false;
    var_str(t, v);
    if (v->name || !v->owner->prov) return true;
    text_put(t, " (");
    prov_text(t->c, t, v->owner->prov);
    text_putc(t, ')');
    return true;
}

/* "IndexError: text {0}": kind and text, the numbers put in, with what the node is and the lengths of its inputs. */
static void report(const Lengths *l, int64_t a, int64_t b, const char *why) {
    const int64_t v[2] = {a, b};
    ThError kind = TH_ValueError;
    bool cause;
    Text t;
    why = text_check_kind(why, &kind, &cause);
    text_init(&t, l->c);
    text_check(&t, why, v, operand, (void *)l->node);
    text_put(&t, " in ");
    apply_op_str(&t, l->node);
    put_shapes(&t, l);
    err(l->c, kind, "%s", t.at ? t.at : why);
    text_free(&t);
}

static bool equal(void *u, Sz a, Sz b, const char *why) {
    Lengths *l = u;
    if (a == UNKNOWN || b == UNKNOWN || l->full || l->at[a] == l->at[b]) return true;
    report(l, l->at[a], l->at[b], why);
    return false;
}

static bool all_ones(ThType t) {
    uint32_t all = t.ndim < 32 ? (1u << t.ndim) - 1 : ~0u;
    return (t.broadcastable & all) == all;
}

/* Whether more is known about v than its type says. */
static bool tells(const ThVar *v) {
    return v->type.kind == TYPE_TENSOR && v->type.ndim > 0 &&
           (v->kind == VAR_CONSTANT || (v->owner && v->owner->lengths));
}

static bool is_number(const ThVar *v) { /* or a vector of them */
    return v->kind == VAR_CONSTANT && v->type.kind == TYPE_TENSOR && v->type.ndim <= 1 &&
           dtype_is_discrete((ThDtype)v->type.dtype);
}

/* Whether the rule can find anything: from an input's lengths, from inputs that are all of length 1 (a join), or from
 * numbers that may be lengths themselves. */
static bool worthwhile(const ThApply *a) {
    bool open = false, ones = true;
    if (!a->op->shape || a->nin > INPUTS || a->nout > OUTPUTS) return false;
    for (int i = 0; i < a->nin; i++)
        if (tells(a->in[i])) return true;
        else ones = ones && all_ones(a->in[i]->type);
    for (int o = 0; o < a->nout; o++) open = open || !all_ones(a->out[o]->type);
    return open && a->nin > 0 && (ones || is_number(a->in[a->nin - 1]));
}

static int dims_of(ThVar *const *v, int n) {
    int dims = 0;
    for (int i = 0; i < n; i++) dims += type_is_array(v[i]->type) ? v[i]->type.ndim : 0;
    return dims;
}

size_t lengths_bytes(const ThApply *a) { return a->lengths ? sizeof(int64_t) * (size_t)dims_of(a->out, a->nout) : 0; }

/* What the rule found stays with the node, unless it is no more than the types say. */
static bool keep(const Lengths *l, ThApply *a, const Sz *found) {
    int n = dims_of(a->out, a->nout), at = 0;
    bool more = false;
    for (int o = 0; o < a->nout; o++)
        for (int d = 0; d < a->out[o]->type.ndim; d++, at++)
            more = more || (found[at] != UNKNOWN && !type_bcast(a->out[o]->type, d));
    if (!more) return true;
    if (!(a->lengths = ctx_alloc(a->ctx, sizeof *a->lengths * (size_t)n))) return false;
    for (int i = 0; i < n; i++) a->lengths[i] = found[i] == UNKNOWN ? -1 : l->at[found[i]];
    return true;
}

bool lengths_check(ThApply *a) {
    if (!worthwhile(a)) return true;
    Sz room[MOST], *outs[OUTPUTS], *next = room;
    Lengths l = {.c = a->ctx, .node = a, .n = 1};
    if (dims_of(a->in, a->nin) + dims_of(a->out, a->nout) > MOST) return true;
    for (int i = 0; i < a->nin; i++) {
        const ThVar *v = a->in[i];
        bool tensor = type_is_array(v->type);
        l.in[i] = tensor ? next : NULL;
        for (int d = 0; tensor && d < v->type.ndim; d++) {
            int64_t n = var_length(v, d);
            *next++ = n < 0 ? UNKNOWN : number(&l, n);
        }
    }
    Sz *found = next;
    for (int o = 0; o < a->nout; o++) {
        outs[o] = next;
        for (int d = 0; d < a->out[o]->type.ndim; d++) *next++ = UNKNOWN;
    }
    const ShapeAlg alg = {.constant = number, .op = calculate, .value = value, .equal = equal, .u = &l, .alike = alike};
    ShapeQ q = {.alg = &alg, .node = a, .in = l.in, .out = outs};
    if (!a->op->shape(&q)) return !failed(a->ctx);
    return l.full || keep(&l, a, found);
}
