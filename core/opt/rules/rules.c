/*
 * rules.c -- the table of rewrites: text rules and C functions under Theano's names, parsed once per context.
 * In: the rules_*.h lists. Out: compiled patterns and templates, each with its root. Invariant: the order of the table
 * is the order in which rules are tried on a node, so it is part of the behaviour.
 */
#include "rules.h"

#include "ops/table/expr.h"

#include <string.h>

typedef struct RuleLine {
    const char *name, *before /* or the root of a function */, *after, *only_if;
    RewriteFn fn; /* NULL: a rule of texts */
    int levels, depth;
} RuleLine;

/* clang-format off */
#define RULE(name, levels, before, after, only_if) {#name, before, after, only_if, NULL, levels, 0},
#define REWRITE(name, levels, root, depth, fn) {#name, root, NULL, "", fn, levels, depth},
static TH_TABLE RuleLine lines[] = {
#include "rules_useless.h"
#include "rules_nnet.h"
#include "rules_linalg.h"
#include "rules_explog.h"
#include "rules_shape.h"
#include "rules_sparse.h"
#include "rules_subtensor.h"
#include "rules_arith.h"
#include "rules_reduce.h"
#include "rules_blas.h"
};
#undef RULE
#undef REWRITE
/* clang-format on */

typedef struct Names {
    const char *at[RULE_SLOTS];
    int n;
} Names;

/* Slot of a variable name; new names get the next one. -1 when there are too many. */
static int slot_of(Names *s, const char *name) {
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->at[i], name) == 0) return i;
    if (s->n == RULE_SLOTS) return -1;
    s->at[s->n] = name;
    return s->n++;
}

static bool is_constant_name(const char *s) { return (s[0] == 'c' || s[0] == 'd') && s[1] == '\0'; }

/* The operation a call names: a scalar one or a structural one. false: there is none of that name. */
static bool resolve_call(Pat *p, const char *name) {
    p->scalar = (int16_t)scalar_find(name);
    if (p->scalar >= 0) return true;
    p->op = opt_op_named(name);
    return p->op != NULL;
}

/* Capital letter standing for all attributes, as in Sum{A}(x): its slot; -1 without one. */
static int attr_slot(Names *names, const ExNode *e) { return e->attrs ? slot_of(names, e->attrs) : -1; }

static bool compile_node(Rule *r, Names *names, const ExNode *e, Pat *p, const Pat *all) {
    *p = (Pat){.nkid = e->nkid, .slot = -1, .aslot = -1, .scalar = -1, .num = e->num, .integer = e->integer};
    memcpy(p->kid, e->kid, sizeof p->kid);
    if (e->kind == EX_NUM) {
        p->kind = PAT_NUM;
    } else if (e->kind == EX_NAME && strcmp(e->name, "nan") == 0) {
        p->kind = PAT_NUM;
        p->num = __builtin_nan("");
    } else if (e->kind == EX_NAME) {
        p->kind = is_constant_name(e->name) ? PAT_CONST : PAT_ANY;
        p->slot = (int8_t)slot_of(names, e->name);
        return p->slot >= 0;
    } else if (e->kind == EX_BIND) {
        *p = all[e->kid[0]];
        p->slot = (int8_t)slot_of(names, e->name);
        return p->slot >= 0;
    } else if (strcmp(e->name, "neg") == 0 && all[e->kid[0]].kind == PAT_NUM) { /* -1 is a number */
        *p = all[e->kid[0]];
        p->num = -p->num;
    } else {
        p->kind = PAT_CALL;
        p->aslot = (int8_t)attr_slot(names, e);
        r->resolved = resolve_call(p, e->name) && r->resolved;
    }
    return true;
}

static bool compile(Arena *a, Rule *r, Names *names, const char *text, PatExpr *out) {
    Expr *e = expr_parse(a, text);
    out->at = e ? arena_alloc0(a, sizeof(Pat) * (size_t)e->n) : NULL;
    if (!out->at) return false;
    out->n = e->n;
    for (int i = 0; i < e->n; i++)
        if (!compile_node(r, names, &e->at[i], &out->at[i], out->at))
            return err(arena_context(a), TH_RuntimeError, "rule %s uses more than %d names", r->name, RULE_SLOTS);
    return true;
}

static void add_need(const RuleTable *t, Rule *r, int scalar, const Op *op) {
    uint32_t place;
    if (scalar < 0 && !map_get(&t->op_place, KEY(op), &place)) return;
    r->needs[r->nneed++] = (int16_t)(scalar >= 0 ? scalar : SCALAR_COUNT + (int)place);
}

/* What the C rewrites of frequent nodes look for below them: one of these. */
static const struct {
    RewriteFn fn;
    const char *ops[RULE_NEEDS];
} look_for[] = {
    {rw_fill_sink, {"second"}},
    {rw_elemwise_alloc, {"Alloc"}},
    {rw_alloc_unary, {"Alloc"}},
    {rw_dimshuffle_alloc, {"Alloc"}},
    {rw_mul_switch_sink, {"switch"}},
    {rw_div_switch_sink, {"switch"}},
    {rw_merge_switch_same_cond, {"switch"}},
    {rw_abs_merge, {"abs_"}},
    {rw_dot22_to_dot22scalar, {"Dot22"}},
    {rw_inverse_to_solve, {"MatrixInverse"}},
    {rw_log_det, {"Det"}},
    {rw_logistic, {"exp", "sigmoid"}},
    {rw_erf_beside_one, {"erf"}},
    {rw_erfc_beside_one, {"erfc"}},
    {rw_exp_beside_one, {"exp"}},
    {rw_expm1_beside_one, {"expm1"}},
    {rw_sigmoid_beside_one, {"sigmoid"}},
    {rw_softmax, {"exp"}},
    {rw_gauss, {"erfc"}},
    {rw_log_erfc, {"erfc", "erf"}},
    {rw_logsoftmax_view, {"Softmax"}},
    {rw_max_to_min, {"Max"}},
    {rw_xent_grad_times_p, {"CrossentropyCategorical1HotGrad"}},
    {rw_reduce_join, {"Join", "MakeVector"}},
    {rw_lift_transpose_through_dot, {"Dot"}},
    {rw_dimshuffle_subtensor, {"Subtensor"}},
    {rw_add_rows, {"AdvancedIncSubtensor1"}},
    {rw_inc_subtensor_serialize, {"IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1"}},
};

static void name_needs(const RuleTable *t, Rule *r) {
    for (int i = 0; i < TH_LEN(look_for); i++) {
        if (look_for[i].fn != r->fn) continue;
        r->any = true;
        for (int k = 0; k < RULE_NEEDS && look_for[i].ops[k]; k++)
            add_need(t, r, scalar_find(look_for[i].ops[k]), opt_op_named(look_for[i].ops[k]));
    }
}

static int depth_of(const PatExpr *p) {
    int8_t depth[256] = {0}; /* kids come before parents */
    int best = 0;
    for (int i = 0; i < p->n && i < TH_LEN(depth); i++) {
        for (int k = 0; k < p->at[i].nkid && p->at[i].kind == PAT_CALL; k++)
            if (depth[p->at[i].kid[k]] + 1 > depth[i]) depth[i] = (int8_t)(depth[p->at[i].kid[k]] + 1);
        if (depth[i] > best) best = depth[i];
    }
    return best;
}

/* Every call of the pattern is a node of the graph. */
static void find_needs(const RuleTable *t, Rule *r) {
    for (int i = 0; i < r->from.n && r->nneed < RULE_NEEDS; i++) {
        const Pat *p = &r->from.at[i];
        if (p->kind == PAT_CALL) add_need(t, r, p->scalar, p->op);
    }
}

bool rule_parse(const RuleTable *t, Rule *r, const char *before, const char *after) {
    Arena *a = t->arena;
    Names names = {.n = 0};
    r->before = before;
    r->after = after;
    if (!compile(a, r, &names, before, &r->from)) return false;
    int bound = names.n;
    if (!compile(a, r, &names, after, &r->to)) return false;
    if (names.n != bound)
        return err(arena_context(a), TH_RuntimeError, "rule %s: the result names %s, which the pattern does not bind",
                   r->name, names.at[bound]);
    const Pat *root = &r->from.at[r->from.n - 1];
    if (root->kind != PAT_CALL)
        return err(arena_context(a), TH_RuntimeError, "rule %s: the pattern must be a call", r->name);
    r->scalar = root->scalar;
    r->op = root->op;
    r->depth = depth_of(&r->from);
    find_needs(t, r);
    return guard_parse(arena_context(a), r, names.at, names.n);
}

bool rule_root(Rule *r, const char *root) {
    r->root = root;
    r->scalar = -1;
    r->op = NULL;
    if (strcmp(root, "*") == 0) return r->resolved = true;
    r->scalar = scalar_find(root);
    if (r->scalar < 0) r->op = opt_op_named(root);
    return r->resolved = r->scalar >= 0 || r->op;
}

static bool number_ops(ThContext *c, RuleTable *t) {
    for (int i = 0; i < op_count; i++)
        if (!map_put(c, &t->op_place, KEY(op_table[i]), (uint32_t)i)) return false;
    return true;
}

int opt_kind(const RuleTable *t, const ThApply *a) {
    uint32_t place;
    int s = ask_which(a);
    if ((s == S_add || s == S_mul) && a->nin == 1) return S_identity;
    if (s >= 0) return s;
    return SCALAR_COUNT + (map_get(&t->op_place, KEY(a->op), &place) ? (int)place : op_count);
}

bool opt_made(const Opt *o, const Op *op) {
    uint32_t place;
    return map_get(&o->rules->op_place, KEY(op), &place) && o->made[SCALAR_COUNT + (int)place];
}

static bool parse_all(RuleTable *t) {
    t->at = arena_alloc0(t->arena, sizeof(Rule) * TH_LEN(lines));
    if (!t->at) return false;
    t->n = TH_LEN(lines);
    for (int i = 0; i < t->n; i++) {
        Rule *r = &t->at[i];
        *r = (Rule){.name = lines[i].name,
                    .levels = lines[i].levels,
                    .guard_text = lines[i].only_if,
                    .scalar = -1,
                    .resolved = true};
        r->fn = lines[i].fn;
        r->depth = lines[i].depth;
        r->folds = lines[i].fn == rw_constant_folding;
        if (lines[i].fn) rule_root(r, lines[i].before), name_needs(t, r);
        else if (!rule_parse(t, r, lines[i].before, lines[i].after)) return false;
    }
    t->own = t->n;
    const Pass *ours = pass_table(&t->npass);
    t->pass = arena_alloc(t->arena, sizeof *t->pass * (size_t)t->npass);
    if (t->pass) memcpy(t->pass, ours, sizeof *t->pass * (size_t)t->npass);
    return t->pass != NULL;
}

static void free_table(ThContext *c, void *p) {
    RuleTable *t = p;
    user_free(c, t);
    map_free(c, &t->op_place);
    arena_free(t->arena);
    ctx_free(c, t, sizeof *t);
}

const RuleTable *rules_get(ThContext *c) {
    if (c->slot[CTX_OPT]) return c->slot[CTX_OPT];
    RuleTable *t = ctx_alloc0(c, sizeof *t);
    if (!t) return NULL;
    t->arena = arena_new(c);
    if (!t->arena || !number_ops(c, t) || !parse_all(t)) {
        map_free(c, &t->op_place);
        if (t->arena) arena_free(t->arena);
        ctx_free(c, t, sizeof *t);
        return NULL;
    }
    c->slot[CTX_OPT] = t;
    c->slot_free[CTX_OPT] = free_table;
    return t;
}

#ifdef TH_MUTANTS /* spec/mutants/mutants.h, which the mutants target puts in front */
#include <stdio.h>

/* A name may stand on several lines, so the line's left side belongs to it. */
__attribute__((constructor(202))) static void mutate(void) {
    char line[256];
    for (int i = 0; i < TH_LEN(lines); i++) {
        RuleLine *l = &lines[i];
        snprintf(line, sizeof line, "%s [%s]", l->name, l->before);
        if (mutant_here("rules", line, "gone")) l->levels = 0;
        if (l->only_if[0] && mutant_here("rules", line, "guard dropped")) l->only_if = "";
        if (!l->fn) mutant_text("rules", line, "before", MUTANT_BEFORE, &l->before);
        mutant_text("rules", line, "after", MUTANT_AFTER, &l->after);
    }
}
#endif
