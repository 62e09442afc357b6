/*
 * ifelse_dims.c -- lengths of a body's results in terms of its arguments' lengths. In: the body and an abstract size.
 * Out: the results' sizes, by the shape rules of its nodes one after the other; "not known" where a rule asks for an
 * integer that only running would tell. Checks of the rules are left to the body itself.
 */
#include "ifelse.h"
#include "ops/table/shape.h"

enum { LEVELS = 16 };

typedef struct Dims {
    ThContext *c;
    const ShapeAlg *alg;
    const GraphBody *body;
    const int *at; /* input of the outer node behind each argument */
    Map argument;  /* variable -> its number */
    Map dims_of;   /* variable -> place in dims */
    VEC(Sz) dims;
    Map open; /* variables whose lengths only running tells */
    const ThApply *node;
    bool unknown; /* the rule at work asked for what only running tells */
} Dims;

static Sz any_constant(void *u, int64_t v) {
    Dims *k = u;
    return k->alg->constant(k->alg->u, v);
}
static Sz any_op(void *u, char op, Sz a, Sz b) {
    Dims *k = u;
    return k->alg->op(k->alg->u, op, a, b);
}
static bool any_equal(void *u, Sz a, Sz b, const char *why) {
    (void)u, (void)a, (void)b, (void)why;
    return true;
}

static const Sz *dims_of(const Dims *k, const ThVar *v) {
    uint32_t at;
    return map_get(&k->dims_of, KEY(v), &at) ? k->dims.at + at : NULL;
}

static bool is_open(const Dims *k, const ThVar *v) { return map_get(&k->open, KEY(v), &(uint32_t){0}); }

/* Element of an integer variable: constants, arguments, lengths, and what passes them on, a few levels deep. */
static Sz value_of(Dims *k, const ThVar *v, int64_t elem, int levels) {
    uint32_t arg;
    ThValue x = {0};
    if (v->kind == VAR_CONSTANT && elem < v->u.data->size && !th_array_get(v->u.data, &elem, &x))
        return any_constant(k, x.i);
    if (map_get(&k->argument, KEY(v), &arg)) return k->alg->value(k->alg->u, k->at[arg], elem);
    const ThApply *a = v->owner;
    if (a && levels > 0) {
        const char *name = a->op->name;
        const Sz *d = a->nin && !is_open(k, a->in[0]) ? dims_of(k, a->in[0]) : NULL;
        if (a->op == &op_shape && d) return d[elem];
        if (a->op == &op_shape_i && d) return d[ATTRS(ShapeIAttrs, a)->i];
        if (a->op == &op_make_vector && elem < a->nin) return value_of(k, a->in[elem], 0, levels - 1);
        int64_t i;
        if (a->op == &op_subtensor && a->nin == 2 && scalar_known(a->in[1], &i) && v->type.ndim == 0)
            return value_of(k, a->in[0], i < 0 && d ? i + a->in[0]->type.ndim : i, levels - 1);
        if (!__builtin_strcmp(name, "ScalarFromTensor") || !__builtin_strcmp(name, "TensorFromScalar"))
            return value_of(k, a->in[0], 0, levels - 1);
    }
    k->unknown = true;
    return any_constant(k, 1);
}

static Sz any_value(void *u, int in, int64_t elem) {
    Dims *k = u;
    return value_of(k, k->node->in[in], elem, LEVELS);
}

static bool room(Dims *k, const ThVar *v) {
    int at = k->dims.n;
    for (int d = 0; d < v->type.ndim; d++)
        if (!vec_push(k->c, &k->dims, 0)) return false;
    return map_put(k->c, &k->dims_of, KEY(v), (uint32_t)at);
}

static bool leaf(Dims *k, const ThVar *v) {
    int at = k->dims.n;
    if (map_get(&k->dims_of, KEY(v), &(uint32_t){0}) || v->kind != VAR_CONSTANT) return true;
    if (!room(k, v)) return false;
    for (int d = 0; d < v->type.ndim; d++) k->dims.at[at + d] = any_constant(k, ARRAY_SHAPE(v->u.data)[d]);
    return true;
}

/* The rule would see lengths that are not known; those of Shape's own result are. */
static bool from_open(const Dims *k, const ThApply *a) {
    if (a->op == &op_shape || a->op == &op_shape_i) return false;
    for (int i = 0; i < a->nin; i++)
        if (is_open(k, a->in[i])) return true;
    return false;
}

static bool node_dims(Dims *k, const ThApply *a) {
    const ShapeAlg alg = {any_constant, any_op, any_value, any_equal, k, NULL, NULL};
    const Sz *in[OP_MAX_OUT];
    Sz *out[OP_MAX_OUT];
    k->node = a;
    k->unknown = a->nin > OP_MAX_OUT || !a->op->shape || from_open(k, a);
    for (int i = 0; i < a->nin; i++)
        if (!leaf(k, a->in[i])) return false;
    for (int o = 0; o < a->nout; o++)
        if (!room(k, a->out[o])) return false;
    for (int i = 0; !k->unknown && i < a->nin; i++) in[i] = type_is_array(a->in[i]->type) ? dims_of(k, a->in[i]) : NULL;
    for (int o = 0; o < a->nout; o++) out[o] = (Sz *)dims_of(k, a->out[o]);
    ShapeQ q = {.alg = &alg, .node = a, .in = in, .out = out};
    if (!k->unknown && !a->op->shape(&q)) k->unknown = true;
    for (int o = 0; k->unknown && o < a->nout; o++)
        if (a->out[o]->type.ndim && !map_put(k->c, &k->open, KEY(a->out[o]), 1)) return false;
    return !failed(k->c);
}

static bool arguments(Dims *k, const Sz *const *in) {
    for (int i = 0; i < k->body->nin; i++) {
        const ThVar *v = k->body->in[i];
        int at = k->dims.n;
        if (!map_put(k->c, &k->argument, KEY(v), (uint32_t)i) || !room(k, v)) return false;
        for (int d = 0; in[i] && d < v->type.ndim; d++) k->dims.at[at + d] = in[i][d];
    }
    return true;
}

int ifelse_dims(ThContext *c, const GraphBody *body, const ShapeAlg *alg, const Sz *const *in, const int *at,
                Sz **out) {
    Dims k = {.c = c, .alg = alg, .body = body, .at = at};
    ApplyVec order = {0};
    bool ok = arguments(&k, in) && graph_toposort(c, body->out, body->nout, body->in, body->nin, &order);
    for (int i = 0; ok && i < order.n; i++) ok = node_dims(&k, order.at[i]);
    k.unknown = false;
    for (int o = 0; ok && o < body->nout; o++) k.unknown |= is_open(&k, body->out[o]);
    for (int o = 0; ok && !k.unknown && o < body->nout; o++) {
        ok = leaf(&k, body->out[o]);
        const Sz *d = ok ? dims_of(&k, body->out[o]) : NULL;
        for (int i = 0; d && i < body->out[o]->type.ndim; i++) out[o][i] = d[i];
    }
    vec_free(c, &order);
    vec_free(c, &k.dims);
    map_free(c, &k.argument);
    map_free(c, &k.open);
    map_free(c, &k.dims_of);
    return !ok ? -1 : !k.unknown;
}
