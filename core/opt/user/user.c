/*
 * user.c -- rewrites that the user registers: text rules, functions on one node, functions on the whole graph.
 * In: a ThRewriteSpec. Out: an entry in the context's tables of rules and passes, which runs like ours under its name,
 * position and tags. A rewrite that fails is logged or ends the compilation (on_opt_error); the graph is then as it was
 * before it.
 */
#include "user.h"

#include <string.h>

enum { LEVELS_SHOWN = 6 };

/* ---- running ---- */
ThVar *rw_user(Opt *o, ThApply *a) {
    const UserRewrite *u = o->rule->user;
    ThRewriteCall r;
    ThVar *out[OP_MAX_OUT] = {NULL}, *v = NULL, *last = NULL;
    if (!mirror_begin(&r, o, u->name)) return NULL;
    r.node = a;
    ThApply *shown = mirror_node(&r, a, LEVELS_SHOWN);
    int done = shown ? u->spec.local(u->spec.user, &r, shown, out) : -1;
    for (int i = 0; done > 0 && i < a->nout && !failed(o->c); i++) {
        if (!out[i] || !(v = mirror_import(&r, out[i]))) continue;
        ThVar *old = fg_find(a->out[i]);
        if (!(v = mirror_fitted(&r, old, v))) break;
        if (v == old) continue;
        bool yes = false;
        for (int k = 0; v->owner && k < v->owner->nin; k++) yes |= v->owner->in[k] == old;
        if (yes || !type_eq(old->type, v->type)) mirror_replace(&r, old, v, u->name); /* says what is wrong */
        else if (last) mirror_replace(&r, fg_find(a->out[o->which]), last, u->name);
        if (failed(o->c)) break;
        last = v;
        o->which = i;
    }
    for (int i = 0; i < a->nout; i++) th_var_release(out[i]);
    mirror_end(&r);
    return failed(o->c) ? NULL : last;
}

bool pass_user(Opt *o) {
    const UserRewrite *u = o->pass->user;
    ThRewriteCall r;
    if (!u) return pass_rules(o);
    if (!mirror_begin(&r, o, u->name)) return false;
    r.anywhere = true;
    builder_begin_fg(&o->b, o->fg, 0);
    o->b.rule = u->name;
    u->spec.global(u->spec.user, &r);
    if (failed(o->c)) engine_error(o, u->name);
    builder_end(&o->b);
    th_rewrite_watch(&r, false);
    mirror_end(&r);
    return !failed(o->c);
}

/* ---- what a rewrite may ask ---- */
int th_rewrite_fail(ThRewriteCall *r, ThError kind, const char *text) {
    if (!r) return -1;
    err(r->c, kind, "%s", text);
    return -1;
}

int th_rewrite_nodes(ThRewriteCall *r, ThApply ***nodes) {
    if (!r) return -1;
    if (!nodes) return err_missing(r->c, __func__), -1;
    ApplyVec list = {0};
    user_settle(r);
    bool ok = mirror_all(r, &list);
    int n = list.n;
    *nodes = ok ? ctx_alloc_owned(r->c, sizeof **nodes * (size_t)(n + 1)) : NULL;
    if (*nodes && n) memcpy(*nodes, list.at, sizeof **nodes * (size_t)n);
    vec_free(r->c, &list);
    return *nodes ? n : -1;
}

int th_rewrite_vars(ThRewriteCall *r, char which, ThVar ***vars) {
    if (!r) return -1;
    if (!vars) return err_missing(r->c, __func__), -1;
    FGraph *fg = r->o->fg;
    int n = which == 'i' ? fg->nin : fg->nout;
    if (which == 'o' && !r->node && !mirror_all(r, NULL)) return -1;
    *vars = ctx_alloc_owned(r->c, sizeof **vars * (size_t)(n + 1));
    for (int i = 0; *vars && i < n; i++) {
        (*vars)[i] = which == 'i' && fg->in[i]->origin ? fg->in[i]->origin
                                                       : mirror_var(r, which == 'i' ? fg->in[i] : fg->out[i]);
        if (!(*vars)[i]) return -1;
    }
    return *vars ? n : -1;
}

int th_rewrite_clients(ThRewriteCall *r, ThVar *v, ThApply ***nodes, int **positions) {
    if (!r) return -1;
    if (!v || !nodes || !positions) return err_missing(r->c, __func__), -1;
    if (v->ctx != r->c) return err(r->c, TH_TypeError, "%s: a variable of another context", __func__), -1;
    ThVar *fg = mirror_find(r, v);
    if (fg || !v->owner) user_settle(r);
    if (!fg && !v->owner)
        for (int i = 0; i < r->o->fg->nin; i++) /* not met so far */
            if (r->o->fg->in[i]->origin == v) fg = r->o->fg->in[i];
    if (fg && !v->owner && fg->owner) fg = NULL; /* an input that was replaced has none */
    int n = fg ? fg->nclients : 0;
    *nodes = ctx_alloc_owned(r->c, sizeof **nodes * (size_t)(n + 1));
    *positions = ctx_alloc_owned(r->c, sizeof **positions * (size_t)(n + 1));
    r->anywhere = true;
    for (int i = 0; *nodes && *positions && i < n; i++) {
        ThApply *a = fg->clients[i].node;
        (*nodes)[i] = a ? mirror_node(r, a, r->node ? 1 : LEVELS_SHOWN) : NULL;
        (*positions)[i] = fg->clients[i].pos;
    }
    return failed(r->c) ? -1 : n;
}

ThVar *th_rewrite_shape(ThRewriteCall *r, ThVar *v, int d) {
    if (!r) return NULL;
    if (!v) return err_missing(r->c, __func__), NULL;
    ThVar *fg = mirror_import(r, v);
    if (!fg) return NULL;
    if (fg->type.kind != TYPE_TENSOR || d < 0 || d >= fg->type.ndim) {
        err(r->c, TH_ValueError, "a variable of %d dimensions has no dimension %d", fg->type.ndim, d);
        return NULL;
    }
    ThVar *n = shape_i(r->o, fg, d);
    if (!n) return NULL;
    if (n->owner && !mirror_node(r, n->owner, LEVELS_SHOWN)) return NULL;
    ThVar *u = mirror_var(r, n);
    return u ? th_var_retain(u) : NULL;
}

/* The FGraph's variables of a pair. */
static bool find_pair(ThRewriteCall *r, const ThPair *pair, ThVar **from, ThVar **to) {
    *from = mirror_find(r, pair->var);
    *to = *from ? mirror_import(r, pair->expr) : NULL;
    if (*to) *to = mirror_fitted(r, *from, *to);
    if (!*from && !failed(r->c)) err(r->c, TH_ValueError, "the variable to be replaced is no longer in the function");
    return *to != NULL;
}

bool user_may_replace(ThRewriteCall *r) {
    return !r->node || err(r->c, TH_RuntimeError, "a local rewrite returns what takes its node's place");
}

int th_rewrite_replace(ThRewriteCall *r, ThVar *old, ThVar *new_, const char *reason) {
    if (!r) return -1;
    if (!old || !new_) return err_missing(r->c, __func__), -1;
    ThVar *from, *to;
    const char *why = reason ? intern(r->c, reason) : r->name;
    bool ok = why && user_may_replace(r) && find_pair(r, &(ThPair){old, new_}, &from, &to) &&
              mirror_replace(r, from, to, why);
    user_settle(r);
    return ok ? 0 : -1;
}

int th_rewrite_replace_all(ThRewriteCall *r, const ThPair *pairs, int n, const char *reason) {
    if (!r) return -1;
    if (n < 0 || (n && !pairs)) return err_missing(r->c, __func__), -1;
    for (int i = 0; i < n; i++)
        if (!pairs[i].var || !pairs[i].expr) return err_missing(r->c, __func__), -1;
    ThVar **from = ctx_alloc(r->c, sizeof *from * (size_t)(2 * n + 1)), **to = from ? from + n : NULL;
    const char *why = reason ? intern(r->c, reason) : r->name;
    bool ok = from && why && user_may_replace(r);
    for (int i = 0; ok && i < n; i++) ok = find_pair(r, &pairs[i], &from[i], &to[i]);
    ok = ok && mirror_replace_all(r, from, to, n, why);
    ctx_free(r->c, from, sizeof *from * (size_t)(2 * n + 1));
    user_settle(r);
    return ok ? 0 : -1;
}

/* ---- the tables ---- */
static RuleTable *tables(ThContext *c) {
    RuleTable *t = rules_get(c) ? c->slot[CTX_OPT] : NULL;
    if (t && t->running) err(c, TH_RuntimeError, "rewrites cannot be registered or removed while one runs");
    return failed(c) ? NULL : t;
}

static bool taken(const RuleTable *t, const char *name) {
    for (int i = 0; i < t->npass; i++)
        if (strcmp(t->pass[i].name, name) == 0) return true;
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->at[i].name, name) == 0) return true;
    return false;
}

static bool levels_of(ThContext *c, const char *phases, int *levels) {
    *levels = 0;
    for (const char *p = phases; *p;) {
        size_t n = strcspn(p, ": ,");
        int l = pass_level(p, n);
        if (!l)
            return err(c, TH_ValueError,
                       "there is no phase '%.*s'; rules go into useless, canonicalize, stabilize, specialize, "
                       "uncanonicalize, specialize_device",
                       (int)n, p);
        *levels |= l;
        p += n + strspn(p + n, ": ,");
    }
    return *levels || err(c, TH_ValueError, "no phase is named");
}

static bool add_rule(RuleTable *t, const Rule *r) {
    Rule *more = arena_alloc(t->arena, sizeof *more * (size_t)(t->n + 1));
    if (!more) return false;
    memcpy(more, t->at, sizeof *more * (size_t)t->n);
    more[t->n] = *r;
    t->at = more;
    t->n++;
    return true;
}

/* After the passes of the same position. */
static bool add_pass(RuleTable *t, const Pass *p) {
    Pass *more = arena_alloc(t->arena, sizeof *more * (size_t)(t->npass + 1));
    int at = t->npass;
    if (!more) return false;
    while (at > 0 && t->pass[at - 1].position > p->position) at--;
    memcpy(more, t->pass, sizeof *more * (size_t)at);
    more[at] = *p;
    memcpy(more + at + 1, t->pass + at, sizeof *more * (size_t)(t->npass - at));
    t->pass = more;
    t->npass++;
    return true;
}

static bool add_text(RuleTable *t, Rule *r, const ThRewriteSpec *s) {
    char *before = arena_strdup(t->arena, s->before), *after = arena_strdup(t->arena, s->after ? s->after : "");
    char *guard = arena_strdup(t->arena, s->only_if ? s->only_if : "");
    if (!before || !after || !guard) return false;
    r->guard_text = guard;
    if (!rule_parse(t, r, before, after)) return false;
    return r->resolved || err(arena_context(t->arena), TH_KeyError,
                              "'%s' or '%s' names an operation that does not exist", before, after);
}

/* One rule for each operation that the function wants to see. */
static bool add_local(RuleTable *t, Rule *r, const ThRewriteSpec *s) {
    const char *p = s->ops && *s->ops ? s->ops : "*";
    r->fn = rw_user;
    r->depth = 3;
    while (*p) {
        size_t n = strcspn(p, ": ,");
        const char *root = intern_n(arena_context(t->arena), p, n);
        if (!root) return false;
        if (!rule_root(r, root)) return err(arena_context(t->arena), TH_KeyError, "there is no operation '%s'", root);
        if (!add_rule(t, r)) return false;
        p += n + strspn(p + n, ": ,");
    }
    return true;
}

static bool add_all(RuleTable *t, UserRewrite *u) {
    const ThRewriteSpec *s = &u->spec;
    ThContext *c = arena_context(t->arena);
    Rule r = {.name = u->name, .guard_text = "", .scalar = -1, .resolved = true, .user = u};
    if (s->phases && s->global) return err(c, TH_ValueError, "a global rewrite has a position, not a phase");
    if (s->phases && !levels_of(c, s->phases, &r.levels)) return false;
    if (!s->phases) {
        Pass p = {.name = u->name, .position = s->position, .tags = u->tags, .fn = pass_user, .number = ++t->numbered};
        if (s->global) p.user = u;
        r.pass = p.number;
        if (!add_pass(t, &p)) return false;
    }
    if (s->global) return true;
    return s->before ? add_text(t, &r, s) && add_rule(t, &r) : add_local(t, &r, s);
}

const char *th_rewrite_op(ThContext *c, const char *op) {
    if (!c) return NULL;
    if (!op) return err_missing(c, __func__), NULL;
    Rule r = {.scalar = -1};
    if (!rules_get(c) || !rule_root(&r, op)) return NULL;
    return r.scalar >= 0 ? scalar_ops[r.scalar].name : r.op ? r.op->name : op;
}

/* Takes out everything of u. */
static void take_out(RuleTable *t, const UserRewrite *u) {
    int kept = 0;
    for (int i = 0; i < t->n; i++)
        if (t->at[i].user != u) t->at[kept++] = t->at[i];
    t->n = kept;
    kept = 0;
    for (int i = 0; i < t->npass; i++)
        if (!t->pass[i].number || t->pass[i].tags != u->tags) t->pass[kept++] = t->pass[i];
    t->npass = kept;
}

int th_rewrite_register(ThContext *c, const ThRewriteSpec *spec) {
    if (!c) return -1;
    if (!spec) return err_missing(c, __func__), -1;
    ThRewriteSpec own;
    RuleTable *t = failed(c) ? NULL : tables(c);
    if (!t || !(spec = options_of(c, spec, &own))) return -1;
    if (!spec->name || !*spec->name || strpbrk(spec->name, ":, "))
        return err(c, TH_ValueError, "a rewrite's name is one word, not '%s'", spec->name ? spec->name : "") - 1;
    if (taken(t, spec->name))
        return err(c, TH_ValueError, "a rewrite named '%s' is registered already", spec->name) - 1;
    if (!spec->before && !spec->local && !spec->global) return err(c, TH_ValueError, "the rewrite is empty") - 1;
    UserRewrite *u = arena_alloc0(t->arena, sizeof *u);
    if (!u) return -1;
    u->name = arena_strdup(t->arena, spec->name);
    u->tags = arena_strdup(t->arena, spec->tags ? spec->tags : "");
    u->spec = *spec;
    bool ok = u->name && u->tags && add_all(t, u) && vec_push(c, &t->user, u);
    if (!ok) take_out(t, u);
    return ok ? 0 : -1;
}

int th_rewrite_remove(ThContext *c, const char *name) {
    if (!c) return -1;
    RuleTable *t = failed(c) ? NULL : tables(c);
    for (int i = 0; t && i < t->user.n; i++) {
        UserRewrite *u = t->user.at[i];
        if (strcmp(u->name, name)) continue;
        take_out(t, u);
        t->user.at[i] = t->user.at[--t->user.n];
        if (u->spec.release) u->spec.release(u->spec.user);
        return 0;
    }
    if (t) err(c, TH_KeyError, "no rewrite named '%s' was registered", name);
    return -1;
}

void user_free(ThContext *c, RuleTable *t) {
    for (int i = 0; i < t->user.n; i++)
        if (t->user.at[i]->spec.release) t->user.at[i]->spec.release(t->user.at[i]->spec.user);
    vec_free(c, &t->user);
}
