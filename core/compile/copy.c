/*
 * copy.c -- th_function_copy: the same expression compiled again with inputs and defaults of its own, other
 * shared variables in the places of some, or without updates. A function keeps what it was made from: a Recipe.
 */
#include "compile.h"

#include <string.h>

struct Recipe {
    ThCompile spec; /* flags and texts; in and out are the arrays below */
    ThIn *in;
    ThOut *out;
    char *text[8]; /* th_free */
    VarVec var;    /* outputs, new values of inputs, updates; retained */
    VarVec update_of;
    int nvar_out; /* outputs and new values */
    VarVec check; /* retained; with `from` of a graph that was rewritten before: Compile.check and OptSpec.from */
    double from;
    bool interpret;
};

static const char *keep(ThContext *c, Recipe *r, int i, const char *s) {
    return s ? r->text[i] = ctx_strdup(c, s) : NULL;
}

void compile_recipe_free(ThContext *c, void *recipe) {
    Recipe *r = recipe;
    if (!r) return;
    th_watch_release(r->spec.watch);
    for (int i = 0; i < r->var.n; i++) th_var_release(r->var.at[i]);
    for (int i = 0; i < r->update_of.n; i++) th_var_release(r->update_of.at[i]);
    for (int i = 0; r->in && i < r->spec.nin; i++) {
        th_var_release(r->in[i].var);
        th_var_release(r->in[i].update);
    }
    for (int i = 0; i < r->check.n; i++) th_var_release(r->check.at[i]);
    vec_free(c, &r->check);
    vec_free(c, &r->var);
    vec_free(c, &r->update_of);
    for (int i = 0; i < TH_LEN(r->text); i++) th_free(c, r->text[i]);
    ctx_free(c, r->in, sizeof *r->in * (size_t)(r->spec.nin + 1));
    ctx_free(c, r->out, sizeof *r->out * (size_t)(r->spec.nout + 1));
    ctx_free(c, r, sizeof *r);
}

static bool keep_inputs(ThContext *c, Recipe *r, const ThCompile *s) {
    for (int i = 0; i < s->nin; i++) {
        ThIn *in = &r->in[i];
        *in = s->in[i];
        in->value = NULL; /* the copy starts from the function's defaults at that time */
        in->name = s->in[i].name ? intern(c, s->in[i].name) : NULL;
        th_var_retain(in->var);
        th_var_retain(in->update);
        if (s->in[i].name && !in->name) return false;
    }
    for (int o = 0; o < s->nout; o++) r->out[o] = s->out[o];
    return true;
}

static bool keep_vars(ThContext *c, Recipe *r, const Compile *k) {
    for (int i = 0; i < k->out.n; i++)
        if (!vec_push(c, &r->var, k->out.at[i]) || !th_var_retain(k->out.at[i])) return false;
    for (int i = 0; i < k->update_of.n; i++)
        if (!vec_push(c, &r->update_of, k->update_of.at[i]) || !th_var_retain(k->update_of.at[i])) return false;
    for (int i = 0; i < k->check.n; i++)
        if (!vec_push(c, &r->check, k->check.at[i]) || !th_var_retain(k->check.at[i])) return false;
    r->from = k->opt.from;
    return true;
}

Recipe *compile_recipe(const Compile *k) {
    ThContext *c = k->ctx;
    const ThCompile *s = k->spec;
    Recipe *r = ctx_alloc0(c, sizeof *r);
    if (!r) return NULL;
    r->in = ctx_alloc0(c, sizeof *r->in * (size_t)(s->nin + 1));
    r->out = ctx_alloc0(c, sizeof *r->out * (size_t)(s->nout + 1));
    r->spec = (ThCompile){.in = r->in,
                          .nin = s->nin,
                          .out = r->out,
                          .nout = s->nout,
                          .mode = keep(c, r, 0, s->mode),
                          .linker = keep(c, r, 1, s->linker),
                          .optimizer = keep(c, r, 2, s->optimizer),
                          .including = keep(c, r, 3, s->including),
                          .excluding = keep(c, r, 4, s->excluding),
                          .requiring = keep(c, r, 5, s->requiring),
                          .allow_input_downcast = s->allow_input_downcast,
                          .accept_inplace = s->accept_inplace,
                          .watch = compile_watch_retain(s->watch),
                          .memory = s->memory,
                          .no_default_updates = true};
    r->nvar_out = k->nout;
    if (!r->in || !r->out || !keep_inputs(c, r, s) || !keep_vars(c, r, k) || failed(c)) {
        compile_recipe_free(c, r);
        return NULL;
    }
    return r;
}

/* ---- making the copy ---- */
static bool check_swap(ThContext *c, const ThFunction *f, const ThPair *p, int i) {
    if (!p->var || !p->expr || p->var->kind != VAR_SHARED || p->expr->kind != VAR_SHARED)
        return err(c, TH_TypeError, "copy: pair %d of swap must be two shared variables", i);
    if (!type_eq(p->var->type, p->expr->type)) {
        Text t;
        text_init(&t, c);
        var_str(&t, p->var);
        text_put(&t, " of type ");
        type_text(&t, p->var->type);
        text_put(&t, " by ");
        var_str(&t, p->expr);
        text_put(&t, " of type ");
        type_text(&t, p->expr->type);
        err(c, TH_TypeError, "copy: cannot swap %s: the types differ", t.at ? t.at : "?");
        text_free(&t);
        return false;
    }
    for (int k = 0; k < th_function_nshared(f); k++)
        if (th_function_shared(f, k)->u.shared == p->var->u.shared) return true;
    return err(c, TH_ValueError, "copy: the function has no shared variable %s to swap",
               p->var->name ? p->var->name : "<unnamed>");
}

/* Two updates may have become updates of one variable. */
static bool once(Compile *k) {
    Map seen = {0};
    bool ok = true;
    uint32_t at;
    for (int u = 0; ok && u < k->update_of.n; u++) {
        const ThVar *s = k->update_of.at[u];
        if (map_get(&seen, KEY(s->u.shared), &at))
            ok = err(k->ctx, TH_ValueError, "copy: after the swap the shared variable %s is updated twice",
                     s->name ? s->name : "<unnamed>");
        else ok = map_put(k->ctx, &seen, KEY(s->u.shared), 1);
    }
    map_free(k->ctx, &seen);
    return ok;
}

/* Lists of k from the recipe; the swap in all expressions and update targets. */
static bool fill(Compile *k, const ThFunction *f, const Recipe *r, const ThCopy *o) {
    VarVec from = {0}, to = {0};
    int n = o->delete_updates ? r->nvar_out : r->var.n;
    bool ok = true;
    for (int i = 0; ok && i < r->spec.nin; i++) {
        ok = vec_push(k->ctx, &k->in, r->in[i].var);
        if (ok && r->in[i].update) ok = vec_push(k->ctx, &k->state_in, i);
    }
    for (int i = 0; ok && i < n; i++) ok = vec_push(k->ctx, &k->out, r->var.at[i]) && th_var_retain(r->var.at[i]);
    for (int i = 0; ok && i < r->update_of.n && !o->delete_updates; i++)
        ok = vec_push(k->ctx, &k->update_of, r->update_of.at[i]);
    k->nout = r->nvar_out;
    for (int i = 0; ok && i < o->nswap; i++) {
        const ThPair *p = &o->swap[i];
        ok = check_swap(k->ctx, f, p, i) && vec_push(k->ctx, &from, p->var) && vec_push(k->ctx, &to, p->expr);
        for (int u = 0; ok && u < k->update_of.n; u++)
            if (k->update_of.at[u]->u.shared == p->var->u.shared && u < r->update_of.n &&
                k->update_of.at[u] == r->update_of.at[u])
                k->update_of.at[u] = p->expr;
    }
    ok = ok && compile_keep_inputs(k, &from, &to) && compile_clone(k, &from, &to, true) && once(k);
    vec_free(k->ctx, &from);
    vec_free(k->ctx, &to);
    return ok;
}

bool compile_from(Compile *k, const ThFunction *f, const ThCopy *options) {
    const Recipe *r = function_recipe((ThFunction *)f);
    k->opt.from = r->from;
    k->check = r->check;
    return compile_mode(k) && fill(k, f, r, options);
}

const ThCompile *compile_spec_of(const ThFunction *f) {
    const Recipe *r = function_recipe((ThFunction *)f);
    return r ? &r->spec : NULL;
}

bool compile_defaults(ThFunction *from, ThFunction *to) {
    for (int i = 0; i < th_function_ninputs(from); i++) {
        ThArray *a = th_function_default(from, i);
        if (a && th_function_set_default(to, i, a)) return th_array_release(a), false;
        th_array_release(a);
        if (failed(th_function_context(to))) return false;
    }
    return true;
}

ThFunction *compile_copy(ThFunction *f, const ThCopy *o, CompileMake *make) {
    ThContext *c = th_function_context(f);
    const Recipe *r = function_recipe(f);
    if (failed(c)) return NULL;
    if (!r) return err(c, TH_RuntimeError, "this function was not compiled from an expression"), NULL;
    ThCompile spec = r->spec;
    const char *old = th_function_name(f);
    Text name;
    text_init(&name, c);
    text_printf(&name, "%s copy", old ? old : "");
    spec.profile = o->profile;
    spec.name = o->name ? o->name : old ? name.at : NULL;
    Compile k = {.ctx = c, .spec = &spec, .start = profile_now()};
    compile_begin(c);
    ThFunction *copy = compile_from(&k, f, o) ? make(&k) : NULL;
    compile_forget(&k);
    text_free(&name);
    if (copy && !compile_defaults(f, copy)) {
        th_function_release(copy);
        copy = NULL;
    }
    return copy;
}
