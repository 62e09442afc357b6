/*
 * grad.c -- th_grad: reverse-mode gradients by Theano's rules.
 * In: a 0-d cost (or known gradients), the variables asked for. Out: one gradient each. Every needed Apply's gradient
 * section runs once, users before what they use; terms of a variable are added with `+` in order of discovery.
 * Disconnected (NULL) and undefined (TYPE_NULL, its name says why) gradients are kept apart from zeros: undefined
 * poisons a sum.
 */
#include "grad.h"

#include <string.h>

typedef struct Fill {
    ThContext *c;
    GradWalk w;
    Builder b;
    uint64_t first_serial; /* nodes from here on are ours to name */
    const char *cost_name; /* NULL: no names */
    int add;               /* scalar op */
} Fill;

static bool is_null(const ThVar *v) { return v && v->type.kind == TYPE_NULL; }

static ThVar *null_var(Builder *b, const char *why) { return var_new(b, (ThType){TYPE_NULL, TH_FLOAT64, 0, 0}, why); }

ThVar *grad_undefined(Grad *g, int input, const char *why) {
    Text t;
    text_init(&t, g->b->ctx);
    text_put(&t, "the gradient of ");
    apply_op_str(&t, g->node);
    text_printf(&t, " with respect to its input %d is not defined%s%s", input, why ? ": " : "", why ? why : "");
    if (g->node->prov) {
        text_put(&t, " (made at ");
        prov_text(g->b->ctx, &t, g->node->prov);
        text_putc(&t, ')');
    }
    ThVar *v = t.at ? null_var(g->b, t.at) : NULL;
    text_free(&t);
    return v;
}

void grad_undefined_sparse(Grad *g) {
    for (int i = 0; i < g->node->nin; i++) {
        if (g->wanted[i] && g->node->in[i]->type.kind == TYPE_SPARSE) {
            g->gx[i] = grad_undefined(g, i, "loops and choices give none to sparse matrices: take that of their data");
        }
    }
}

static bool is_matrix(const ThVar *v) { return v->type.kind == TYPE_SPARSE; }

static ThDtype float_of(ThContext *c, ThType t) {
    bool own = (t.kind == TYPE_TENSOR || t.kind == TYPE_SPARSE) && !dtype_is_discrete(type_dtype(t));
    return own ? type_dtype(t) : config_floatX(c);
}

/* ---- one Apply -------------------------------------------------------------------------------------------------- */
typedef struct Ends { /* of the Apply being differentiated */
    ThVar **gz, **gx;
    bool *wanted, *poisoned;
} Ends;

/* Gradients of the outputs in their own dtype. Whether any output has one that is defined. */
static bool take_gz(Fill *f, const ThApply *a, Ends *e, bool *any) {
    *any = false;
    for (int o = 0; o < a->nout; o++) {
        int v = gvar_find(&f->w, a->out[o]);
        ThVar *g = v < 0 ? NULL : f->w.var.at[v].grad;
        e->gz[o] = NULL;
        if (g && is_null(g)) {
            for (int i = 0; i < a->nin; i++) { e->poisoned[i] = e->poisoned[i] || grad_connected(a, i, o); }
        } else if (g) {
            ThType t = a->out[o]->type;
            ThDtype d = type_dtype(t);
            bool own = (t.kind == TYPE_TENSOR || t.kind == TYPE_SPARSE) && !dtype_is_discrete(d);
            e->gz[o] = !own ? g : is_matrix(g) ? sparse_values_as(&f->b, g, d) : cast_make(&f->b, g, d);
            *any = true;
            if (!e->gz[o]) { return false; }
        }
    }
    return true;
}

/* What an operation may answer: nothing, undefined, or a continuous tensor of the input's rank. */
static bool check_term(Fill *f, const ThApply *a, int i, const ThVar *g) {
    if (!g || g->type.kind != TYPE_TENSOR) { return true; }
    Text t;
    text_init(&t, f->c);
    apply_op_str(&t, a);
    bool ok = true;
    if (dtype_is_discrete((ThDtype)g->type.dtype)) {
        ok = err(f->c, TH_TypeError, "%s: its gradient for input %d has the integer dtype %s; gradients are continuous",
                 t.at ? t.at : "?", i, th_dtype_name((ThDtype)g->type.dtype));
    } else if (a->in[i]->type.kind == TYPE_TENSOR && g->type.ndim != a->in[i]->type.ndim) {
        ok = err(f->c, TH_ValueError, "%s: its gradient for input %d has %d dimensions, the input has %d",
                 t.at ? t.at : "?", i, g->type.ndim, a->in[i]->type.ndim);
    }
    text_free(&t);
    return ok;
}

static void ask_op(Fill *f, ThApply *a, Ends *e) {
    Grad g = {.b = &f->b, .node = a, .gz = e->gz, .gx = e->gx, .wanted = e->wanted};
    if (a->op->grad) {
        f->b.in_grad = (a->op->flags & OP_ELEMWISE) != 0;
        a->op->grad(&g);
        f->b.in_grad = false;
        return;
    }
    for (int i = 0; i < a->nin; i++) {
        e->gx[i] = e->wanted[i] ? grad_undefined(&g, i, "the operation has no gradient") : NULL;
    }
}

static bool differentiate(Fill *f, const GNode *n, Ends *e) {
    ThApply *a = n->a;
    bool any;
    f->b.prov = prov_grad(f->c, prov_name(f->c, a->prov, a->nout == 1 ? a->out[0]->name : NULL));
    for (int i = 0; i < a->nin; i++) {
        int edge = f->w.edge_of.at[n->edge0 + i];
        int v = edge < 0 ? -1 : gvar_find(&f->w, a->in[i]);
        e->wanted[i] = v >= 0 && f->w.var.at[v].needed;
        e->poisoned[i] = false;
        e->gx[i] = NULL;
    }
    if (!take_gz(f, a, e, &any)) { return false; }
    if (any) { ask_op(f, a, e); }
    for (int i = 0; i < a->nin && !failed(f->c); i++) {
        int edge = f->w.edge_of.at[n->edge0 + i];
        ThVar *g = e->poisoned[i] ? null_var(&f->b, "a gradient that reaches it is not defined") : e->gx[i];
        if (edge >= 0 && e->wanted[i] && check_term(f, a, i, g)) { f->w.edge.at[edge].term = g; }
    }
    return !failed(f->c);
}

/* ---- one variable ----------------------------------------------------------------------------------------------- */
static bool name_it(Fill *f, const ThVar *v, ThVar *g) {
    uint64_t serial = g->serial;
    if (!f->cost_name || !v->name || serial < f->first_serial || is_null(g)) { return true; }
    Text t;
    text_init(&t, f->c);
    text_printf(&t, "(d%s/d%s)", f->cost_name, v->name);
    bool ok = t.at && !th_var_set_name(g, t.at);
    text_free(&t);
    return ok;
}

/* The sum of the variable's terms, all of which are there. */
static bool settle(Fill *f, GVar *g) {
    if (g->done) { return true; }
    g->done = true;
    f->b.prov = prov_grad(f->c, g->v->prov);
    for (int e = g->first; e >= 0; e = f->w.edge.at[e].next) {
        ThVar *term = f->w.edge.at[e].term;
        if (!term || is_null(g->grad)) { continue; }
        ThVar *both[] = {g->grad, term};
        if (!g->grad || is_null(term)) g->grad = term;
        else if (is_matrix(g->grad) || is_matrix(term)) g->grad = sparse_sum_of(&f->b, g->grad, term);
        else g->grad = elemwise_make(&f->b, f->add, both, 2);
        if (!g->grad) { return false; }
    }
    return !g->grad || name_it(f, g->v, g->grad);
}

/* Needed Applys from the outputs down: before one is differentiated, its outputs are settled. */
static bool descend(Fill *f, const ApplyVec *order, Ends *e) {
    for (int i = order->n - 1; i >= 0; i--) {
        ThApply *a = order->at[i];
        int n = gnode_find(&f->w, a);
        if (n < 0 || !f->w.node.at[n].needed) { continue; }
        for (int o = 0; o < a->nout; o++) {
            int v = gvar_find(&f->w, a->out[o]);
            if (v >= 0 && f->w.var.at[v].needed && !settle(f, &f->w.var.at[v])) { return false; }
        }
        if (!differentiate(f, &f->w.node.at[n], e)) { return false; }
    }
    return true;
}

static bool back_propagate(Fill *f, ThVar *const *out, int nout) {
    ApplyVec order = {0};
    int most = 1;
    bool ok = graph_toposort(f->c, out, nout, NULL, 0, &order);
    for (int i = 0; i < order.n; i++) {
        most = order.at[i]->nin > most ? order.at[i]->nin : most;
        most = order.at[i]->nout > most ? order.at[i]->nout : most;
    }
    size_t bytes = (size_t)most * (2 * sizeof(ThVar *) + 2 * sizeof(bool));
    char *room = ok ? ctx_alloc0(f->c, bytes) : NULL;
    if (room) {
        Ends e = {.gz = (ThVar **)(void *)room};
        e.gx = e.gz + most;
        e.wanted = (bool *)(void *)(e.gx + most);
        e.poisoned = e.wanted + most;
        ok = descend(f, &order, &e);
        ctx_free(f->c, room, bytes);
    }
    vec_free(f->c, &order);
    return ok && room;
}

/* ---- what the caller asked for ---------------------------------------------------------------------------------- */
static bool check_cost(ThContext *c, const ThVar *cost, const ThGradOptions *o) {
    if (!cost) { return o->nknown ? true : err(c, TH_AssertionError, "grad needs a cost or known_grads"); }
    if (cost->type.kind == TYPE_NULL) {
        return err(c, TH_ValueError, "the cost is not defined, so it has no gradient: %s",
                   cost->name ? cost->name : "");
    }
    if (cost->type.kind != TYPE_TENSOR || cost->type.ndim != 0) {
        Text t;
        text_init(&t, c);
        var_str(&t, cost);
        text_put(&t, " is a ");
        type_text(&t, cost->type);
        err(c, TH_TypeError, "cost must be a scalar: %s; reduce it with sum or mean", t.at ? t.at : "?");
        text_free(&t);
        return false;
    }
    return true;
}

static bool set_known(Fill *f, ThVar *v, ThVar *grad) {
    if (grad->type.kind == TYPE_TENSOR && dtype_is_discrete((ThDtype)grad->type.dtype)) {
        return err(f->c, TH_TypeError, "gradients are undefined or continuous, but the one given for %s has dtype %s",
                   v->name ? v->name : "a variable", th_dtype_name((ThDtype)grad->type.dtype));
    }
    int at = gvar_add(&f->w, v);
    if (at < 0) { return false; }
    GVar *g = &f->w.var.at[at];
    g->grad = grad->type.kind == TYPE_DISCONNECTED ? NULL : grad;
    g->known = g->done = true;
    return true;
}

/* ones of the cost's dtype (floatX for integers), written fill(cost, 1). */
static ThVar *seed(Fill *f, ThVar *cost) {
    f->b.prov = prov_grad(f->c, cost->prov);
    return second_make(&f->b, cost, const_float(&f->b, 1.0, float_of(f->c, cost->type)));
}

static bool seed_all(Fill *f, ThVar *cost, const ThGradOptions *o) {
    for (int i = 0; i < o->nknown; i++) {
        if (!set_known(f, o->known[i], o->known_grad[i])) { return false; }
    }
    int at = cost ? gvar_find(&f->w, cost) : -1;
    if (!cost || (at >= 0 && f->w.var.at[at].known)) { return true; }
    ThVar *g = seed(f, cost);
    return g && set_known(f, cost, g);
}

static bool report_disconnected(ThContext *c, const ThVar *v, ThPolicy policy) {
    if (policy == TH_IGNORE) { return true; }
    Text t;
    text_init(&t, c);
    var_str(&t, v);
    if (v->prov) {
        text_put(&t, " (made at ");
        prov_text(c, &t, v->prov);
        text_putc(&t, ')');
    }
    static const char what[] = "grad was asked for the gradient with respect to a variable that is not part of the "
                               "computational graph of the cost, or is used only by a non-differentiable operator";
    if (policy == TH_WARN) {
        ctx_log(c, "warning: %s: %s", what, t.at ? t.at : "?");
    } else {
        err(c, TH_DisconnectedInputError, "%s: %s; pass disconnected_inputs = \"ignore\" to get zeros", what,
            t.at ? t.at : "?");
    }
    text_free(&t);
    return policy == TH_WARN;
}

/* The answer for one variable; *out stays NULL for a disconnected one under 'n'. */
static bool answer(Fill *f, ThVar *wrt, const ThGradOptions *o, ThVar **out) {
    int at = gvar_find(&f->w, wrt);
    if (at >= 0 && !f->w.var.at[at].done && f->w.var.at[at].needed && !settle(f, &f->w.var.at[at])) { return false; }
    ThVar *g = at < 0 ? NULL : f->w.var.at[at].grad;
    if (g && is_null(g) && !o->null_return) {
        return err(f->c, TH_NullTypeGradError, "grad met a gradient that is not defined: %s", g->name ? g->name : "");
    }
    if (!g) {
        if (!report_disconnected(f->c, wrt, o->disconnected_inputs)) { return false; }
        if (o->disconnected == 'n') { return true; }
        f->b.prov = prov_grad(f->c, wrt->prov);
        g = o->disconnected == 'd' ? var_new(&f->b, (ThType){TYPE_DISCONNECTED, TH_FLOAT64, 0, 0}, NULL)
                                   : zeros_like_make(&f->b, wrt, float_of(f->c, wrt->type));
    }
    *out = th_var_retain(g);
    return g != NULL;
}

static bool run(Fill *f, ThVar *cost, ThVar *const *wrt, int n, const ThGradOptions *o, ThVar **out) {
    VarVec from = {0};
    bool ok = !cost || vec_push(f->c, &from, cost);
    for (int i = 0; ok && i < o->nknown; i++) { ok = vec_push(f->c, &from, o->known[i]); }
    ok = ok && grad_walk(&f->w, from.at, from.n, wrt, n, o->consider_constant, o->nconsider) && seed_all(f, cost, o) &&
         grad_needed(&f->w, wrt, n) && back_propagate(f, from.at, from.n);
    for (int i = 0; ok && i < n; i++) { ok = answer(f, wrt[i], o, &out[i]); }
    vec_free(f->c, &from);
    return ok;
}

/*
 * What only one side of a conditional needs must not be computed for its gradient either: the graph is differentiated
 * with conditionals made lazy. own: the variables to let go in the end; those of cost and o are in it.
 */
static bool lazy(ThContext *c, ThVar **cost, ThVar *const *wrt, int n, ThGradOptions *o, VarVec *own) {
    VarVec from = {0}, stop = {0};
    bool ok = vec_reserve(c, own, o->nknown + 1) && (!*cost || vec_push(c, &from, *cost));
    for (int i = 0; ok && i < o->nknown; i++) { ok = vec_push(c, &from, o->known[i]); }
    for (int i = 0; ok && i < n; i++) { ok = vec_push(c, &stop, wrt[i]); }
    for (int i = 0; ok && i < o->nconsider; i++) { ok = vec_push(c, &stop, o->consider_constant[i]); }
    ok = ok && ifelse_collect(c, from.at, from.n, stop.at, stop.n, own->at);
    if (ok) {
        own->n = from.n;
        o->known = own->at + (*cost ? 1 : 0);
        if (*cost) { *cost = own->at[0]; }
    }
    vec_free(c, &from);
    vec_free(c, &stop);
    return ok;
}

int th_grad(ThContext *c, ThVar *cost, ThVar *const *wrt, int n, const ThGradOptions *options, ThVar **out) {
    if (!c) return -1;
    if (!out) return err_missing(c, __func__), -1;
    if (!graph_given(c, __func__, wrt, n)) return -1;
    static const ThGradOptions usual = {0};
    ThGradOptions part;
    const ThGradOptions *o = options ? options_of(c, options, &part) : &usual;
    if (!o) return -1;
    for (int i = 0; i < n; i++) {
        out[i] = NULL;
        if (!wrt[i]) { return -1; }
    }
    if (failed(c) || !check_cost(c, cost, o)) { return -1; }
    Fill f = {.c = c, .w = {.c = c}, .first_serial = c->next_serial, .add = scalar_find("add")};
    f.cost_name = cost && !o->no_names ? cost->name : NULL;
    VarVec own = {0};
    ThGradOptions here = *o;
    if (ifelse_any(c) && !lazy(c, &cost, wrt, n, &here, &own)) {
        vec_free(c, &own);
        return -1;
    }
    builder_begin(&f.b, c);
    bool ok = run(&f, cost, wrt, n, &here, out);
    for (int i = 0; i < own.n; i++) { th_var_release(own.at[i]); }
    vec_free(c, &own);
    for (int i = 0; i < n && !ok; i++) {
        th_var_release(out[i]);
        out[i] = NULL;
    }
    builder_end(&f.b);
    grad_walk_free(&f.w);
    return ok ? 0 : -1;
}
