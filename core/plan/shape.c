/*
 * shape.c -- every Var's lengths as Sizes. In: the schedule and the operations' shape rules. Out: Planner.dims, with
 * lengths that must be equal united and a check for each union; integers that sizes depend on become slots.
 */
#include "parts.h"

#include "base/array/sparse.h"
#include "ops/table/sparse.h"

#include <string.h>

typedef struct ShapeRun { /* what the callbacks of one node's rule see; handles are places in Planner.rule */
    Planner *p;
    const ThApply *node;
    DimsOf of;
} ShapeRun;

static Sz handle(const ShapeRun *r, Size s) { return vec_push(r->p->ctx, &r->p->rule, s) ? r->p->rule.n - 1 : 0; }

static Size size_at(const ShapeRun *r, Sz h) { return h >= 0 && h < r->p->rule.n ? r->p->rule.at[h] : SIZE_BAD; }

static Sz rule_constant(void *u, int64_t v) { return handle(u, size_const(v)); }

static Sz rule_op(void *u, char op, Sz a, Sz b) {
    ShapeRun *r = u;
    return handle(r, sizes_op(&r->p->sizes, op, size_at(r, a), size_at(r, b)));
}

/* The matrix whose lengths a sparse one has, being made of its structure. */
static const ThVar *lengths_of(const ThVar *v, int64_t elem) {
    enum { FAR = 64 };
    bool lengths = v->type.kind == TYPE_SPARSE && elem >= SPARSE_LINES && elem <= SPARSE_NNZ;
    for (int k = 0; lengths && k < FAR; k++) {
        if (!v->owner || (v->owner->op != &op_sparse_with && v->owner->op != &op_sparse_transpose)) break;
        v = fg_find(v->owner->in[0]);
    }
    return v;
}

/* Of v, which stands as `now`: what is known from the graph, an argument, or a buffer that is read anyway. */
static Size value_left(Planner *p, const ThVar *now, const ThVar *v, int64_t elem) {
    if (p->val[v->id].known) return planner_value(p, v, elem);
    now = lengths_of(now, elem);
    if (now->kind == VAR_CONSTANT || !(now->owner || planner_varying(p, now))) return planner_value(p, now, elem);
    int at = sizes_computed(&p->sizes, (int)now->id, elem);
    return at < 0 ? SIZE_BAD : sizes_find(&p->sizes, (Size){1, at});
}

static Sz rule_value(void *u, int in, int64_t elem) {
    ShapeRun *r = u;
    ThVar *v = r->node->in[in];
    return handle(r, r->of == DIMS_LIVE ? planner_value(r->p, v, elem) : value_left(r->p, fg_find(v), v, elem));
}

static bool rule_equal(void *u, Sz a, Sz b, const char *why) {
    ShapeRun *r = u;
    Size x = size_at(r, a), y = size_at(r, b);
    if (r->of != DIMS_LIVE && (r->of == DIMS_GONE || size_bad(x) || size_bad(y))) return true;
    return sizes_equal(&r->p->sizes, x, y, why);
}

static bool rule_same(void *u, Sz a, Sz b) {
    const ShapeRun *r = u;
    Size x = size_at(r, a), y = size_at(r, b);
    return !size_bad(x) && !size_bad(y) && sizes_same(&r->p->sizes, x, y);
}

bool planner_varying(const Planner *p, const ThVar *v) {
    int root = v->kind == VAR_PLAIN && !v->owner ? p->val[v->id].root : -1;
    return root >= 0 && root < p->nin && p->in[root].varying;
}

/* Reads integer element elem of v: known from the graph, from the signature, or from a buffer that an earlier step
 * computes. */
Size planner_value(Planner *p, const ThVar *v, int64_t elem) {
    Val *val = &p->val[v->id];
    if (val->known && elem < val->nknown) return sizes_find(&p->sizes, val->known[elem]);
    if (v->kind == VAR_CONSTANT) {
        ThValue x = {0};
        if (elem >= v->u.data->size || th_array_get(v->u.data, &elem, &x))
            return err(p->ctx, TH_IndexError, "element %lld of a constant of %lld elements is asked for as a size",
                       (long long)elem, (long long)v->u.data->size),
                   SIZE_BAD;
        return size_const(x.i);
    }
    if (v->type.ndim == 1) {
        Size left = sizes_op(&p->sizes, '-', p->dims[v->id][0], size_const(elem + 1));
        if (!sizes_check_ge0(&p->sizes, left, TH_IndexError,
                             "A vector that holds sizes is too short: at least {1} more are asked for."))
            return SIZE_BAD;
    }
    bool dyn = v->owner != NULL || planner_varying(p, v);
    int at = sizes_slot(&p->sizes, SHAPE_VALUE, dyn ? -1 : val->root, -1, dyn ? (int)v->id : -1, elem, dyn);
    if (dyn && p->size_at >= 0 && !planner_whole(p, val)) return SIZE_BAD;
    return at < 0 ? SIZE_BAD : sizes_find(&p->sizes, (Size){1, at});
}

static Size *dims_alloc(Planner *p, int ndim) {
    return arena_alloc(p->arena, (size_t)(ndim ? ndim : 1) * sizeof(Size));
}

/* Lengths of leaf v, whose root number is `root` (inputs) or -1 (constants). */
static bool leaf_dims(Planner *p, const ThVar *v, int root) {
    Size *d = p->dims[v->id] = dims_alloc(p, v->type.ndim);
    if (!d) return false;
    for (int i = 0; i < v->type.ndim; i++) {
        if (v->kind == VAR_CONSTANT) d[i] = size_const(ARRAY_SHAPE(v->u.data)[i]);
        else if (type_bcast(v->type, i)) d[i] = size_const(1);
        else if (v->type.kind == TYPE_STATE) d[i] = size_const(TYPE_STATE_WORDS);
        else {
            int at = sizes_slot(&p->sizes, SHAPE_DIM, root, i, -1, 0, false);
            if (at < 0) return false;
            d[i] = (Size){1, at};
        }
    }
    return true;
}

bool planner_leaf(Planner *p, const ThVar *v) { return leaf_dims(p, v, p->val[v->id].root); }

static bool stuck(const Planner *p, const ThApply *a, const char *why) {
    return failed(p->ctx) ? false : err(p->ctx, TH_RuntimeError, "%s: %s", a->op->name, why);
}

/* What the rule found becomes dims of the outputs; where the type promises a length of 1, it must be one. */
static bool take_dims(ShapeRun *r, ThApply *a, Sz *const *out) {
    Planner *p = r->p;
    for (int o = 0; o < a->nout; o++) {
        const ThVar *v = a->out[o];
        Size *d = p->dims[v->id] = dims_alloc(p, v->type.ndim);
        if (!d) return false;
        for (int i = 0; i < v->type.ndim; i++) {
            bool one = type_bcast(v->type, i);
            d[i] = out ? size_at(r, out[o][i]) : SIZE_BAD;
            if (size_bad(d[i]) && r->of == DIMS_LIVE) return stuck(p, a, "a dimension is left open");
            if (one && r->of != DIMS_GONE && !size_bad(d[i]) &&
                !sizes_equal(&p->sizes, d[i], size_const(1),
                             "A dimension that the type promises to be of length 1 has length {0}."))
                return false;
            if (one) d[i] = size_const(1);
        }
    }
    return planner_known(p, a);
}

bool planner_unknown(Planner *p, ThApply *a) {
    ShapeRun r = {p, a, DIMS_GONE};
    return take_dims(&r, a, NULL);
}

bool planner_dims(Planner *p, ThApply *a, DimsOf of) {
    ShapeRun r = {p, a, of};
    ShapeAlg alg = {rule_constant, rule_op, rule_value, rule_equal, &r, rule_same, rule_same};
    p->rule.n = 0;
    int total = 0;
    for (int i = 0; i < a->nin; i++) total += a->in[i]->type.ndim;
    for (int o = 0; o < a->nout; o++) total += a->out[o]->type.ndim;
    Sz small[128], *h = total <= TH_LEN(small) ? small : arena_alloc(p->arena, (size_t)total * sizeof *h);
    const Sz *in_small[16], **in = a->nin <= 16 ? in_small : arena_alloc(p->arena, (size_t)a->nin * sizeof *in);
    Sz *out_small[16], **out = a->nout <= 16 ? out_small : arena_alloc(p->arena, (size_t)a->nout * sizeof *out);
    if (!h || !in || !out) return false;
    int at = 0;
    for (int i = 0; i < a->nin; i++) {
        const ThVar *v = a->in[i];
        if (!v->owner && !p->dims[v->id] && !planner_leaf(p, v)) return false;
        in[i] = type_is_array(v->type) ? h + at : NULL;
        for (int d = 0; d < v->type.ndim; d++) h[at++] = handle(&r, p->dims[v->id][d]);
    }
    for (int o = 0; o < a->nout; o++) {
        out[o] = h + at;
        for (int d = 0; d < a->out[o]->type.ndim; d++) h[at++] = -1;
    }
    if (total > 0 && !a->op->shape)
        return err(p->ctx, TH_NotImplementedError, "%s: the shape of its result is known only while it runs",
                   a->op->name);
    ShapeQ q = {.alg = &alg, .node = a, .in = in, .out = out};
    if (a->op->shape && !a->op->shape(&q)) return stuck(p, a, "no shape");
    return take_dims(&r, a, out);
}

/* d in canonical form; `told` keeps it as it was for reports of checks that fail, when that differs. */
static bool settle_dims(Planner *p, const ThVar *v) {
    Size *d = p->dims[v->id], *was = NULL;
    for (int k = 0; k < v->type.ndim; k++) {
        Size now = sizes_find(&p->sizes, d[k]);
        if (size_eq(now, d[k])) continue;
        if (!was) {
            if (!(was = p->told[v->id] = dims_alloc(p, v->type.ndim))) return false;
            memcpy(was, d, (size_t)v->type.ndim * sizeof *d);
        }
        d[k] = now;
    }
    return true;
}

/* Unions move representatives: one pass makes every length canonical. */
bool planner_settle(Planner *p) {
    if (!sizes_renumber(&p->sizes)) return false;
    for (int n = 0; n < p->order.n; n++) {
        ThApply *a = p->order.at[n];
        for (int o = 0; o < a->nout; o++)
            if (!settle_dims(p, a->out[o])) return false;
    }
    return true;
}

bool planner_blame(Planner *p, const ThApply *a) {
    Text t;
    if (th_error(p->ctx) != TH_ValueError) return false;
    text_init(&t, p->ctx);
    text_put(&t, "\nApply node that caused the error: ");
    apply_op_str(&t, a);
    if (a->prov) text_put(&t, "\nBacktrace when the node is created: ");
    prov_text(p->ctx, &t, a->prov);
    if (t.at) err_more(p->ctx, "%s", t.at);
    text_free(&t);
    return false;
}

bool planner_shapes(Planner *p) {
    for (int i = 0; i < p->fg->nin; i++)
        if (!leaf_dims(p, p->fg->in[i], i)) return false;
    bool ok = true;
    for (int n = 0; n < p->order.n && ok; n++) {
        p->sizes.node = n;
        p->node_shape[n] = p->sizes.ins.n;
        ok = (planner_dims(p, p->order.at[n], DIMS_LIVE) && !failed(p->ctx)) || planner_blame(p, p->order.at[n]);
    }
    p->node_shape[p->order.n] = p->sizes.ins.n;
    for (int o = 0; o < p->fg->nout && ok; o++) {
        const ThVar *v = p->fg->out[o];
        if (!v->owner && !p->dims[v->id]) ok = planner_leaf(p, v);
    }
    return ok;
}
