/*
 * check.c -- is what the user asks of th_compile well formed? In: the ThCompile. Out: lists of inputs, outputs
 * and updates with givens put in their places, or an error of the kind and with the facts that Theano gives.
 */
#include "compile.h"

#include <string.h>

static void put_var(Text *t, const ThVar *v) {
    var_str(t, v);
    if (!v->prov) return;
    Text at;
    text_init(&at, v->ctx);
    prov_text(v->ctx, &at, v->prov);
    if (at.n) text_printf(t, " (made at %s)", at.at);
    text_free(&at);
}

/* err with two variables' descriptions for the two %s of format (the second may be NULL). */
static bool err_vars(ThContext *c, ThError kind, const char *format, int i, const ThVar *a, const ThVar *b) {
    Text x, y;
    text_init(&x, c);
    text_init(&y, c);
    if (a) put_var(&x, a);
    if (b) put_var(&y, b);
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"")
        err(c, kind, format, i, x.at ? x.at : "?", y.at ? y.at : "?");
    _Pragma("GCC diagnostic pop") text_free(&x);
    text_free(&y);
    return false;
}

static bool check_input(Compile *k, int i, const Map *seen) {
    ThVar *v = k->spec->in[i].var;
    uint32_t first;
    if (!v) return err(k->ctx, TH_TypeError, "input %d is no variable", i);
    if (v->ctx != k->ctx) return err(k->ctx, TH_TypeError, "input %d is a variable of another context", i);
    if (v->kind == VAR_CONSTANT)
        return err_vars(k->ctx, TH_TypeError,
                        "The input at index %d is the constant %s; a constant cannot be an input of a function. "
                        "Declare a variable and, "
                        "if needed, replace the constant by it with givens.",
                        i, v, NULL);
    if (v->kind == VAR_SHARED)
        return err_vars(
            k->ctx, TH_TypeError,
            "Cannot use a shared variable as an explicit input: the input at index %d is %s. Consider substituting a "
            "non-shared variable for it with the givens parameter.",
            i, v, NULL);
    if (map_get(seen, KEY(v), &first)) {
        Text t;
        text_init(&t, k->ctx);
        put_var(&t, v);
        err(k->ctx, TH_UnusedInputError,
            "theano.function was asked to create a function computing outputs given certain inputs, but the variable "
            "%s is given "
            "twice: at index %d and at index %d. Give each input once.",
            t.at ? t.at : "?", (int)first, i);
        text_free(&t);
        return false;
    }
    const ThIn *in = &k->spec->in[i];
    if (in->update && !type_eq(v->type, in->update->type))
        return err_vars(k->ctx, TH_TypeError,
                        "The input at index %d, %s, has an update of another type: %s. Variable and update must have "
                        "the same type.",
                        i, v, in->update);
    return true;
}

/* A reference on v into the list of what is computed. */
static bool compute(Compile *k, ThVar *v) { return vec_push(k->ctx, &k->out, v) && th_var_retain(v); }

static bool new_values(Compile *k) {
    for (int i = 0; i < k->spec->nin; i++)
        if (k->spec->in[i].update && !(vec_push(k->ctx, &k->state_in, i) && compute(k, k->spec->in[i].update)))
            return false;
    return true;
}

static bool inputs(Compile *k) {
    Map seen = {0};
    bool ok = true;
    for (int i = 0; i < k->spec->nin && ok; i++)
        ok = check_input(k, i, &seen) && map_put(k->ctx, &seen, KEY(k->spec->in[i].var), (uint32_t)i) &&
             vec_push(k->ctx, &k->in, k->spec->in[i].var);
    map_free(k->ctx, &seen);
    for (int o = 0; o < k->spec->nout && ok; o++) {
        ThVar *v = k->spec->out[o].var;
        if (!v) ok = err(k->ctx, TH_TypeError, "output %d is no variable", o);
        else if (v->ctx != k->ctx) ok = err(k->ctx, TH_TypeError, "output %d is a variable of another context", o);
        else if (v->type.kind != TYPE_TENSOR && v->type.kind != TYPE_STATE && v->type.kind != TYPE_SPARSE)
            ok = err_vars(k->ctx, TH_TypeError, "output %d is %s, which is no tensor", o, v, NULL);
        else ok = compute(k, v);
    }
    ok = ok && new_values(k);
    k->nout = k->out.n;
    return ok;
}

/* ---- updates ---- */
bool compile_update_type(Compile *k, const ThVar *s, const ThVar *e) {
    if (type_eq(s->type, e->type)) return true;
    Text t;
    text_init(&t, k->ctx);
    text_put(&t, "An update must have the same type as the original shared variable (shared_var=");
    var_str(&t, s);
    text_put(&t, ", shared_var.type=");
    type_text(&t, s->type);
    text_put(&t, ", update_val=");
    var_str(&t, e);
    text_put(&t, ", update_val.type=");
    type_text(&t, e->type);
    text_put(&t, ").");
    if (s->type.dtype != e->type.dtype && s->type.ndim == e->type.ndim)
        text_printf(&t, " The dtypes differ: cast the expression, for example with astype(\"%s\").",
                    th_dtype_name((ThDtype)s->type.dtype));
    if (s->type.dtype == TH_UINT64 && e->type.dtype == TH_FLOAT64)
        text_put(&t, " A uint64 and a signed number, as every literal is one, meet in float64: "
                     "T.constant(1, {dtype = \"uint64\"}) stays.");
    text_put(&t, " If the difference is related to the broadcast pattern, you can call the tensor.unbroadcast(var, "
                 "axis_to_unbroadcast[, ...]) function to remove broadcastable dimensions.");
    err(k->ctx, TH_TypeError, "%s", t.at ? t.at : "an update of another type");
    text_free(&t);
    return false;
}

static bool updates(Compile *k) {
    Map seen = {0};
    bool ok = true;
    for (int i = 0; i < k->spec->nupdates && ok; i++) {
        const ThPair *u = &k->spec->updates[i];
        uint32_t at;
        if (!u->var || !u->expr)
            ok = err(k->ctx, TH_TypeError, "update %d: a shared variable and an expression are needed", i);
        else if (u->var->kind != VAR_SHARED)
            ok = err_vars(k->ctx, TH_TypeError, "The update target at index %d must be a shared variable, not %s.", i,
                          u->var, NULL);
        else if (map_get(&seen, KEY(u->var->u.shared), &at))
            ok = err_vars(k->ctx, TH_ValueError,
                          "The update at index %d is for the shared variable %s, which already has an update.", i,
                          u->var, NULL);
        else
            ok = compile_update_type(k, u->var, u->expr) &&
                 map_put(k->ctx, &seen, KEY(u->var->u.shared), (uint32_t)i) &&
                 vec_push(k->ctx, &k->update_of, u->var) && compute(k, u->expr);
    }
    map_free(k->ctx, &seen);
    return ok;
}

/* ---- givens ---- */
static bool given_type(Compile *k, int i, const ThPair *g) {
    const ThType *t1 = &g->var->type, *t2 = &g->expr->type;
    if (k->spec->no_rebuild_strict || type_eq(*t1, *t2) || type_takes(*t1, *t2)) return true;
    Text t;
    text_init(&t, k->ctx);
    var_str(&t, g->var);
    text_put(&t, " of type ");
    type_text(&t, g->var->type);
    text_put(&t, " with ");
    var_str(&t, g->expr);
    text_put(&t, " of type ");
    type_text(&t, g->expr->type);
    err(k->ctx, TH_TypeError, "givens, pair %d: cannot replace %s: the types differ", i, t.at ? t.at : "?");
    text_free(&t);
    return false;
}

static bool check_givens(Compile *k, VarVec *from, VarVec *to) {
    Map inputs = {0}, seen = {0};
    bool ok = true;
    for (int i = 0; i < k->in.n && ok; i++) ok = map_put(k->ctx, &inputs, KEY(k->in.at[i]), (uint32_t)i);
    for (int i = 0; i < k->spec->ngivens && ok; i++) {
        const ThPair *g = &k->spec->givens[i];
        uint32_t at;
        if (!g->var || !g->expr) ok = err(k->ctx, TH_TypeError, "givens, pair %d: two variables are needed", i);
        else if (map_get(&inputs, KEY(g->var), &at))
            ok = err_vars(k->ctx, TH_RuntimeError,
                          "givens, pair %d: %s is an input of the function; an input cannot be replaced.", i, g->var,
                          NULL);
        else if (map_get(&seen, KEY(g->var), &at))
            ok = err_vars(k->ctx, TH_ValueError, "givens, pair %d: %s is replaced twice.", i, g->var, NULL);
        else
            ok = given_type(k, i, g) && map_put(k->ctx, &seen, KEY(g->var), (uint32_t)i) &&
                 vec_push(k->ctx, from, g->var) && vec_push(k->ctx, to, g->expr);
    }
    map_free(k->ctx, &inputs);
    map_free(k->ctx, &seen);
    return ok;
}

/* Which replaced variables a replacement stands on: the first two that were met, as numbers + 1. */
typedef struct Stands {
    uint32_t on[2];
} Stands;

static void stand_on(Stands *s, uint32_t which) {
    if (!s->on[0] || s->on[0] == which) s->on[0] = which;
    else if (!s->on[1]) s->on[1] = which;
}

typedef struct Givens {
    Map replaced, place; /* replaced variable -> its number; Apply -> its place in `at` */
    ApplyVec order;
    Stands *at;
} Givens;

static void stand_on_var(const Givens *g, Stands *s, const ThVar *v) {
    uint32_t at;
    if (map_get(&g->replaced, KEY(v), &at)) stand_on(s, at + 1);
    if (!v->owner || !map_get(&g->place, KEY(v->owner), &at)) return;
    for (int j = 0; j < 2 && g->at[at].on[j]; j++) stand_on(s, g->at[at].on[j]);
}

static bool find_stands(Compile *k, Givens *g, const VarVec *from, const VarVec *to) {
    bool ok = graph_toposort(k->ctx, to->at, to->n, NULL, 0, &g->order);
    for (int i = 0; i < from->n && ok; i++) ok = map_put(k->ctx, &g->replaced, KEY(from->at[i]), (uint32_t)i);
    g->at = ok ? ctx_alloc0(k->ctx, sizeof *g->at * (size_t)(g->order.n + 1)) : NULL;
    ok = g->at != NULL;
    for (int n = 0; n < g->order.n && ok; n++) {
        const ThApply *a = g->order.at[n];
        for (int i = 0; i < a->nin; i++) stand_on_var(g, &g->at[n], a->in[i]);
        ok = map_put(k->ctx, &g->place, KEY(a), (uint32_t)n);
    }
    return ok;
}

/* Replacements are made all at once, so that none may stand on what another replaces; it may stand on what it replaces
 * itself, as in {w, w * scale}. */
static bool independent(Compile *k, const VarVec *from, const VarVec *to) {
    Givens g = {.at = NULL};
    bool ok = find_stands(k, &g, from, to);
    for (int i = 0; i < to->n && ok; i++) {
        Stands s = {{0, 0}};
        stand_on_var(&g, &s, to->at[i]);
        for (int j = 0; j < 2 && s.on[j] && ok; j++) {
            int other = (int)s.on[j] - 1;
            const char *text = to->at[i] == from->at[other]
                                   ? "givens, pair %d replaces %s, which replaces another variable."
                                   : "givens, pair %d replaces %s, on which another replacement depends.";
            ok = other == i || err_vars(k->ctx, TH_RuntimeError, text, other, from->at[other], NULL);
        }
    }
    ctx_free(k->ctx, g.at, g.at ? sizeof *g.at * (size_t)(g.order.n + 1) : 0);
    vec_free(k->ctx, &g.order);
    map_free(k->ctx, &g.replaced);
    map_free(k->ctx, &g.place);
    return ok;
}

bool compile_clone(Compile *k, const VarVec *from, const VarVec *to, bool strict) {
    VarVec fresh = {0};
    if (from->n == 0) return true;
    bool ok = vec_reserve(k->ctx, &fresh, k->out.n + 1) &&
              graph_substitute(k->ctx, k->out.at, k->out.n, from->at, to->at, from->n, strict, fresh.at);
    for (int i = 0; ok && i < k->out.n; i++) {
        th_var_release(k->out.at[i]);
        k->out.at[i] = fresh.at[i];
    }
    vec_free(k->ctx, &fresh);
    return ok;
}

bool compile_keep_inputs(Compile *k, VarVec *from, VarVec *to) {
    bool ok = true;
    for (int i = 0; i < k->in.n && ok && from->n; i++)
        ok = vec_push(k->ctx, from, k->in.at[i]) && vec_push(k->ctx, to, k->in.at[i]);
    return ok;
}

static bool givens(Compile *k) {
    VarVec from = {0}, to = {0};
    bool ok = check_givens(k, &from, &to) && (from.n == 0 || independent(k, &from, &to));
    ok = ok && compile_keep_inputs(k, &from, &to) && compile_clone(k, &from, &to, !k->spec->no_rebuild_strict) &&
         compile_default_updates(k, &from, &to);
    vec_free(k->ctx, &from);
    vec_free(k->ctx, &to);
    return ok;
}

/* ---- which inputs are used ---- */
static bool unused(Compile *k, int i, const char *policy) {
    ThVar *v = k->in.at[i];
    Text t;
    text_init(&t, k->ctx);
    put_var(&t, v);
    const char *text = "theano.function was asked to create a function computing outputs given certain inputs, but the "
                       "provided input variable "
                       "at index %d is not part of the computational graph needed to compute the outputs: %s.";
    if (!strcmp(policy, "warn")) {
        ctx_log(k->ctx, text, i, t.at ? t.at : "?");
    } else {
        Text all;
        text_init(&all, k->ctx);
        text_printf(&all, text, i, t.at ? t.at : "?");
        err(k->ctx, TH_UnusedInputError,
            "%s To make this error into a warning, pass on_unused_input='warn' to theano.function; to disable it "
            "completely, use "
            "on_unused_input='ignore'.",
            all.at ? all.at : "unused input");
        text_free(&all);
    }
    text_free(&t);
    return !failed(k->ctx);
}

static bool mark(Compile *k, const Map *place, uint8_t *used) {
    ApplyVec order = {0};
    uint32_t at;
    bool ok = graph_toposort(k->ctx, k->out.at, k->out.n, k->in.at, k->in.n, &order);
    for (int n = 0; n < order.n && ok; n++)
        for (int i = 0; i < order.at[n]->nin; i++)
            if (map_get(place, KEY(order.at[n]->in[i]), &at)) used[at] = 1;
    for (int o = 0; o < k->out.n && ok; o++)
        if (map_get(place, KEY(k->out.at[o]), &at)) used[at] = 1;
    vec_free(k->ctx, &order);
    return ok;
}

static bool used(Compile *k) {
    const char *policy = k->spec->on_unused_input ? k->spec->on_unused_input : config_str(k->ctx, "on_unused_input");
    if (strcmp(policy, "raise") && strcmp(policy, "warn") && strcmp(policy, "ignore"))
        return err(k->ctx, TH_ValueError,
                   "Invalid value for keyword on_unused_input of theano.function: '%s'. Valid values are 'raise', "
                   "'warn', and 'ignore'.",
                   policy);
    if (!strcmp(policy, "ignore")) return true;
    Map place = {0};
    uint8_t *used = ctx_alloc0(k->ctx, (size_t)k->in.n + 1);
    bool ok = used != NULL;
    for (int i = 0; i < k->in.n && ok; i++) ok = map_put(k->ctx, &place, KEY(k->in.at[i]), (uint32_t)i);
    ok = ok && mark(k, &place, used);
    for (int i = 0; i < k->in.n && ok; i++)
        if (!used[i] && !k->spec->in[i].update && !(k->in.at[i]->flags & VAR_F_WRT)) ok = unused(k, i, policy);
    ctx_free(k->ctx, used, (size_t)k->in.n + 1);
    map_free(k->ctx, &place);
    return ok;
}

/* Every list that has a number of things is there. */
static bool lists(const ThCompile *s) {
    return s->nin >= 0 && s->nout >= 0 && s->nupdates >= 0 && s->ngivens >= 0 && s->nno_default_update_of >= 0 &&
           (!s->nin || s->in) && (!s->nout || s->out) && (!s->nupdates || s->updates) && (!s->ngivens || s->givens) &&
           (!s->nno_default_update_of || s->no_default_update_of);
}

bool compile_check(Compile *k) {
    if (!lists(k->spec)) return err_missing(k->ctx, "th_compile");
    return compile_mode(k) && inputs(k) && updates(k) && givens(k) && used(k);
}
