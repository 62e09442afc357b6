/*
 * optdb.c -- the table of passes in Theano's positions, queries over their names and tags, and the run itself.
 * In: an FGraph and what to include, exclude and require. Out: the graph rewritten and fg->order fixed.
 * Invariant: passes run in the order of their positions; the schedule is made whatever the query says.
 */
#include "opt/scan/scans.h"

#include <string.h>

#define BOTH "fast_run:fast_compile"
#define MERGED "equal nodes are merged as they are made, since merge1"
/* clang-format off */
static const Pass passes[] = {
    /*    name                        position  tags                                                     function             rules */
#define PASS(name, position, tags, fn, level) {name, position, tags, fn, level, NULL, 0, NULL},
#define PLACE(name, position, tags, note) {name, position, tags, NULL, 0, note, 0, NULL},
    PASS("merge1",                      0,     BOTH ":merge",                                              pass_merge,             0)
    PASS("remat_marks",                 0.01,  BOTH,                                                       pass_remat_marks,       0)
    PASS("scanOp_remove_constants_and_unused_inputs0", 0.05, "fast_run:scan:scan_eqopt1",                   pass_scan_clean,        0)
    PASS("scanOp_pushout_seqs_ops",     0.051, "fast_run:scan:scan_eqopt1:scanOp_pushout_nonseqs_ops", pass_scan_push, 0)
    PASS("scanOp_pushout_output",       0.052, "fast_run:scan:scan_eqopt1:scan_pushout_dot1",              pass_scan_sums,         0)
    PASS("scanOp_remove_constants_and_unused_inputs1", 0.059, "fast_run:scan:scan_eqopt1",                  pass_scan_clean,        0)
    PASS("ShapeOpt",                    0.1,   BOTH,                                                       pass_shape,             0)
    PASS("local_grad_safe",             0.5,   "safe_grad",                                                pass_rules,             SAFEGRAD)
    PASS("useless",                     0.6,   BOTH,                                                       pass_rules,             USELESS)
    PLACE("merge1.1",                   0.65,  BOTH ":merge",                                              MERGED)
    PASS("pre_local_IncSubtensor_serialize", 0.99, "fast_run",                                              pass_rules,             SERIALIZE)
    PASS("canonicalize",                1,     BOTH,                                                       pass_rules,             CANON)
    PLACE("merge1.2",                   1.2,   BOTH ":merge",                                              MERGED)
    PASS("stabilize",                   1.5,   BOTH,                                                       pass_rules,             STAB)
    PASS("local_fill_to_alloc",         1.51,  "fast_run",                                                 pass_rules,             FILLALLOC)
    PASS("local_log_sum_exp",           1.6,   "fast_run",                                                 pass_rules,             LOGSUMEXP)
    PASS("scan_merge",                  1.6,   "fast_run:scan:scan_eqopt2",                                pass_scan_merge,        0)
    PASS("scan_merge_inouts",           1.601, "fast_run:scan:scan_eqopt2",                                pass_scan_merge_inouts, 0)
    PASS("scanOp_remove_constants_and_unused_inputs2", 1.602, "fast_run:scan:scan_eqopt2",                 pass_scan_clean,        0)
    PASS("scanOp_save_mem",             1.61,  "fast_run:scan",                                            pass_scan_mem,          0)
    PASS("linalg_factors",              1.62,  "fast_run",                                                 pass_linalg,            0)
    PASS("amp_float16",                 1.65,  "amp",                                                      pass_amp_float16,       0)
    PASS("amp_bfloat16",                1.65,  "amp",                                                      pass_amp_bfloat16,      0)
    PASS("BlasOpt",                     1.7,   BOTH,                                                       pass_rules,             BLAS0)
    PASS("GemmOptimizer",               1.71,  "fast_run:BlasOpt:gemm_optimizer:gemm",                     pass_gemm,              0)
    PASS("blas_vectors",                1.72,  "fast_run:BlasOpt:use_c_blas",                              pass_rules,             BLASV)
    PASS("specialize",                  2,     BOTH,                                                       pass_rules,             SPEC)
    PASS("crossentropy_to_crossentropy_with_softmax", 2.01, "fast_run:xent:crossentropy_to_crossentropy_with_softmax_with_bias", pass_xent, 0)
    PASS("uncanonicalize",              3,     BOTH,                                                       pass_rules,             UNCANON)
    PLACE("gpuarray_opt",               48.5,  "fast_run:fast_compile:gpu:gpuarray",                       "values move to a GPU in the planner, by the flag device")
    PASS("specialize_device",           48.6,  BOTH,                                                       pass_rules,             SPECDEV)
    PLACE("AbstractConvCheck",          48.7,  BOTH,                                                       "no abstract convolutions")
    PASS("attention",                   48.8,  "fast_run:attention",                                           pass_attention,         0)
    PASS("amp_views",                   48.85, "fast_run",                                                 pass_amp_views,         0)
    PASS("attention_heads",             48.855, "fast_run",                                                pass_heads,             0)
    PASS("gemm_apart",                  48.86, "fast_run",                                                 pass_gemm_apart,        0)
    PASS("add_mul_fusion",              48.9,  "fast_run:fusion:local_elemwise_fusion:FusionOptimizer",    pass_fuse_add_mul,      0)
    PASS("local_elemwise_split",        48.95, BOTH,                                                       pass_split,             0)
    PLACE("merge2",                     49,    BOTH ":merge",                                              MERGED)
    PASS("elemwise_fusion",             49,    "fast_run:fusion:local_elemwise_fusion:FusionOptimizer",    pass_fuse,              0)
    PASS("alloc_empty_to_zeros",        49.3,  "alloc_empty_to_zeros",                                     pass_rules,             ALLOCZEROS)
    PASS("schedule",                    49.5,  "add_destroy_handler",                                      pass_schedule,          0)
    PASS("hoist",                       49.55, "fast_run",                                                 pass_hoist,             0)
    PASS("remat",                       49.6,  BOTH,                                                       pass_remat,             0)
    PASS("inplace_subtensor",           60,    "fast_run:inplace:local_inplace_setsubtensor:local_inplace_incsubtensor1", pass_inplace_subtensor, 0)
    PLACE("local_inplace_sparse_block_gemv", 60, "fast_run:inplace:sparse",                                 "no sparse matrices")
    PLACE("typed_list_inplace_opt",     60,    "fast_run:inplace:typed_list",                              "typed lists are tensors")
    PLACE("local_addsd_ccode",          61,    "fast_run:sparse",                                          "no sparse matrices")
    PASS("InplaceBlasOpt",              70,    "fast_run:inplace:blas_opt_inplace:c_blas_destructive",     pass_inplace_blas,      0)
    PASS("inplace_elemwise_opt",        75,    "fast_run:inplace:inplace_opt:inplace_elemwise_optimizer",  pass_inplace_elemwise,  0)
    PASS("scanOp_make_inplace",         75,    "fast_run:inplace:scan",                                    pass_scan_inplace,      0)
    PLACE("cond_make_inplace",          95,    "fast_run:inplace:ifelse",                                  "branches are views already")
    PASS("random_make_inplace",         99,    "fast_run:inplace:random_make_inplace_mrg",                 pass_inplace_random,    0)
    PLACE("merge3",                     100,   BOTH ":merge",                                              MERGED)
#undef PASS
#undef PLACE
};
/* clang-format on */

/* What the optimizer names mean: included tags, excluded tags. */
static const struct {
    const char *name, *include, *exclude;
    double cutoff;
} bases[] = {
    {"o4", "fast_run", "", 1e9},
    {"fast_run", "fast_run", "", 1e9},
    {"o3", "fast_run", "inplace", 1e9},
    {"o2", "fast_compile:elemwise_fusion:add_mul_fusion", "inplace", 1e9},
    {"o1", "fast_compile", "inplace", 1e9},
    {"fast_compile", "fast_compile", "inplace", 1e9},
    {"stabilize", "fast_run", "inplace", 1.5000001},
    {"unsafe", "fast_run:unsafe", "inplace", 1e9},
    {"merge", "merge", "", 1e9},
    {"None", "", "", 1e9},
};

/* ---- words ---- */
typedef struct Words {
    const char *p;
} Words;

static bool next_word(Words *w, const char **at, size_t *n) {
    while (*w->p == ':' || *w->p == ' ' || *w->p == ',') w->p++;
    *at = w->p;
    while (*w->p && *w->p != ':' && *w->p != ' ' && *w->p != ',') w->p++;
    *n = (size_t)(w->p - *at);
    return *n > 0;
}

static bool text_has(const char *words, const char *word) {
    Words w = {words};
    const char *at;
    size_t n;
    while (next_word(&w, &at, &n))
        if (strlen(word) == n && memcmp(at, word, n) == 0) return true;
    return false;
}

/* Other names of what stands in the tables, from the documentation and from older versions of Theano. */
static const char *const aliases[][2] = {
    {"local_log_softmax", "local_logsoftmax"},
    {"local_sum_mul_by_scalar", "local_sum_prod_mul_by_scalar"},
    {"local_cut_useless_reduce", "local_useless_reduce"},
    {"local_remove_switch_const", "local_useless_switch"},
    {"local_canonicalize_alloc", "local_useless_alloc"},
    {"local_flatten_lift", "local_reshape_lift"},
    {"local_shape_i_lift", "local_track_shape_i"},
    {"local_lift_shape", "local_track_shape_i"},
    {"local_add_mul_fusion", "add_mul_fusion"},
    {"local_inplace_incsubtensor", "inplace_subtensor"},
    {"constant_folding_for_scan2", "constant_folding"},
};

static const char *real_name(ThContext *c, const char *word) {
    for (int i = 0; word && i < TH_LEN(aliases); i++)
        if (strcmp(word, aliases[i][0]) == 0) return intern(c, aliases[i][1]);
    return word;
}

static bool add_words(ThContext *c, void *to, const char *text) {
    WordVec *v = to;
    Words w = {text ? text : ""};
    const char *at;
    size_t n;
    while (next_word(&w, &at, &n)) {
        const char *word = real_name(c, intern_n(c, at, n));
        if (!word || !vec_push(c, v, word)) return false;
    }
    return true;
}

/* ---- queries ---- */
static void query_free(ThContext *c, Query *q) {
    vec_free(c, &q->include);
    vec_free(c, &q->exclude);
    vec_free(c, &q->require);
}

static bool query_make(ThContext *c, const OptSpec *s, Query *q) {
    const char *name = s->optimizer ? s->optimizer : "fast_run";
    const char *names[TH_LEN(bases)];
    memset(q, 0, sizeof *q);
    for (int i = 0; i < TH_LEN(bases); i++) {
        names[i] = bases[i].name;
        if (!text_same(bases[i].name, name)) continue;
        q->cutoff = s->until > 0 && s->until < bases[i].cutoff ? s->until : bases[i].cutoff;
        q->from = s->from;
        return add_words(c, &q->include, bases[i].include) && add_words(c, &q->exclude, bases[i].exclude) &&
               add_words(c, &q->include, s->including) && add_words(c, &q->exclude, s->excluding) &&
               add_words(c, &q->require, s->requiring);
    }
    const char *near = text_nearest(name, names, TH_LEN(bases));
    return err(c, TH_ValueError,
               "optimizer '%s' is unknown%s%s; there are o4 (fast_run), o3, o2, o1 (fast_compile), stabilize, "
               "unsafe, merge, None",
               name, near ? "; nearest is " : "", near ? near : "");
}

/* Is any of the words the name or one of the tags? */
static bool any_of(const char *const *word, int n, const char *name, const char *tags) {
    for (int i = 0; i < n; i++)
        if (strcmp(word[i], name) == 0 || text_has(tags, word[i])) return true;
    return false;
}

static bool accepts(const Query *q, const char *name, const char *tags) {
    if (!any_of(q->include.at, q->include.n, name, tags) || any_of(q->exclude.at, q->exclude.n, name, tags))
        return false;
    for (int i = 0; i < q->require.n; i++)
        if (!any_of(&q->require.at[i], 1, name, tags)) return false;
    return true;
}

static const char *rule_tags(const Rule *r) {
    if (r->user) return r->user->tags;
    if (r->levels & UNSAFE) return "unsafe:rule";
    if (r->levels & SAFEGRAD) return "safe_grad:rule";
    if (r->levels & OPTIN) return "optional:rule";
    return r->levels & FC ? "fast_run:fast_compile:rule" : "fast_run:rule";
}

/* A word for a rule of a phase is its name, one of its tags, or the phase's name, which Theano makes a tag of all that
 * is registered there; rules that change what is allowed want to be named themselves. */
static bool word_for(const char *word, const Pass *p, const Rule *r) {
    if (any_of(&word, 1, r->name, rule_tags(r))) return true;
    return strcmp(word, p->name) == 0 && !(r->levels & (OPTIN | UNSAFE | SAFEGRAD));
}

static bool rule_has(const WordVec *words, const Pass *p, const Rule *r) {
    for (int i = 0; i < words->n; i++)
        if (word_for(words->at[i], p, r)) return true;
    return false;
}

bool query_rule(const Query *q, const Pass *p, const Rule *r) {
    if (!r->resolved || (r->pass ? r->pass != p->number : !(r->levels & p->level))) return false;
    if (q->named && any_of(q->include.at, q->include.n, p->name, p->tags))
        return !(r->levels & (OPTIN | UNSAFE)) || any_of(q->include.at, q->include.n, r->name, "");
    bool chosen = rule_has(&q->include, p, r) && !rule_has(&q->exclude, p, r);
    for (int i = 0; chosen && i < q->require.n; i++) chosen = word_for(q->require.at[i], p, r);
    return chosen;
}

const Pass *pass_table(int *n) {
    *n = TH_LEN(passes);
    return passes;
}

/* The phases that iterate to a fixed point: a rule may be registered with them by name. */
int pass_level(const char *phase, size_t n) {
    static const int open = USELESS | CANON | STAB | SPEC | UNCANON | SPECDEV;
    for (int i = 0; i < TH_LEN(passes); i++)
        if (strlen(passes[i].name) == n && memcmp(passes[i].name, phase, n) == 0) return passes[i].level & open;
    return 0;
}

static bool names_rule_of(const Query *q, const RuleTable *t, const Pass *p) {
    for (int i = 0; i < t->n; i++)
        if (!t->at[i].pass && (t->at[i].levels & p->level) && any_of(q->include.at, q->include.n, t->at[i].name, ""))
            return true;
    return false;
}

static bool query_pass(const Query *q, const RuleTable *t, const Pass *p) {
    if (p->fn == pass_schedule) return true;
    if (q->only) return strcmp(p->name, q->only) == 0;
    if (p->position > q->cutoff || (q->from > 0 && p->position < q->from)) return false;
    return accepts(q, p->name, p->tags) || (q->named && p->level && names_rule_of(q, t, p));
}

/* ---- the run ---- */
static const double LOOPS_DONE = 0.06; /* what loops do not need to hold stands before or behind them */

/* A pass that makes nodes without end stops with its name; one of rules has bounds of its own. */
static bool run_pass(Opt *o, const Pass *p) {
    enum { MOST_MADE = 200000 };
    FGraph *fg = o->fg;
    if (ctx_stopped(o->c)) return err_stopped(o->c);
    if (p->fn != pass_rules) fg->most_nodes = fg->nnodes + 64 * fg->live + MOST_MADE;
    bool ok = p->fn(o);
    if (fg->most_nodes && fg->nnodes >= fg->most_nodes && failed(o->c)) err_more(o->c, " (in the pass %s)", p->name);
    fg->most_nodes = 0;
    return ok;
}

static bool run_passes(Opt *o, bool verify) {
    double before = -1;
    for (int i = 0; i < o->rules->npass; i++) {
        const Pass *p = &o->rules->pass[i];
        if (!p->fn || !query_pass(o->q, o->rules, p)) continue;
        o->pass = p;
        if (p->user) o->order_at = -1;
        if (p->position >= LOOPS_DONE && before < LOOPS_DONE && (o->met & MET_SCAN) && o->written.wanted &&
            !written_note(o))
            return false;
        before = p->position;
        int64_t start = o->look ? opt_now() : 0;
        bool ok = run_pass(o, p);
        if (ok && o->look) o->look->pass(o->look->user, p->name, p->position, opt_now() - start);
        if (!ok) {
            if (!failed(o->c)) err(o->c, TH_RuntimeError, "the pass %s failed without a message", p->name);
            return false;
        }
        if (verify && !graph_verify(o->fg)) return false;
    }
    return true;
}

int64_t opt_now(void) { return os_thread_time(); }

static void note(Opt *o, const ThApply *a) {
    if (a->op == &op_dot22) o->met |= MET_DOT22;
    if (a->op == &op_elemwise && a->nin > LONG_SUM) o->met |= MET_LONG_SUM;
    if (a->op == &op_scan) o->met |= MET_SCAN;
    if (a->op == &op_crossentropy_1hot || a->op == &op_crossentropy_softmax) o->met |= MET_CROSSENTROPY;
}

/* Nodes with many inputs are not asked at each change of one. */
static int folds(const ThApply *a) {
    enum { MANY = 8 };
    for (int i = 0; i < a->nin && a->nin <= MANY; i++)
        if (!var_is_const(a->in[i])) return 0;
    return a->nin ? KIND_FOLDS : 0;
}

/* Of a node just met: what rules look for is there from now on. */
static uint16_t kind_of(Opt *o, const ThApply *a) {
    int k = opt_kind(o->rules, a), s = ask_which(a);
    o->nmade += !o->made[k] + (s >= 0 && s != k && !o->made[s]);
    o->made[k] = true;
    if (s >= 0) o->made[s] = true;
    return (uint16_t)(k | folds(a));
}

static void on_import(void *user, ThApply *node) {
    Opt *o = user;
    note(o, node);
    o->changes++;
    if (!vec_push(o->c, &o->kind, kind_of(o, node)) || !vec_push(o->c, &o->rank, node->rank)) o->lost = true;
}

static void on_prune(void *user, ThApply *node) {
    (void)user;
    (void)node;
}

static void on_change(void *user, ThApply *node) {
    Opt *o = user;
    o->changes++;
    if ((int)node->id >= o->kind.n) return;
    o->rank.at[node->id] = node->rank;
    o->kind.at[node->id] = (uint16_t)(opt_kind_at(o, (int)node->id) | folds(node));
}

const ApplyVec *opt_order(Opt *o) {
    if (o->order_at != o->changes) {
        o->order.n = 0;
        if (!fg_toposort(o->fg, &o->order)) return NULL;
        o->order_at = o->changes;
    }
    return &o->order;
}

bool opt_ranks(Opt *o) {
    if (!fg_ranks(o->fg)) return false;
    for (int i = 0; i < o->rank.n; i++)
        if (o->fg->node.at[i]) o->rank.at[i] = o->fg->node.at[i]->rank;
    return true;
}

static bool take_nodes(Opt *o) {
    enum { FAR = 16, NEAR = 8 };
    const ApplyVec *all = &o->fg->node;
    o->made = ctx_alloc0(o->c, sizeof *o->made * (size_t)opt_kinds());
    if (!o->made || !vec_reserve(o->c, &o->rank, all->n + 1) || !vec_reserve(o->c, &o->kind, all->n + 1)) return false;
    for (int i = 0; i < all->n; i++) {
        const ThApply *a = all->at[i];
        if (i + FAR < all->n && all->at[i + FAR]) apply_prefetch(all->at[i + FAR]);
        if (i + NEAR < all->n && all->at[i + NEAR] && all->at[i + NEAR]->nin)
            __builtin_prefetch(all->at[i + NEAR]->in[0]);
        o->kind.at[i] = a ? kind_of(o, a) : 0;
        o->rank.at[i] = a ? a->rank : 0;
        if (a) note(o, a);
    }
    o->kind.n = o->rank.n = all->n;
    return true;
}

static bool run_all(Opt *o, bool verify) {
    FgListener l = {.on_import = on_import, .on_change = on_change, .on_prune = on_prune, .user = o};
    bool ok = take_nodes(o) && vec_push(o->c, &o->fg->listeners, l);
    o->order_at = -1;
    if (ok) {
        ok = (!o->written.wanted || written_note(o)) && fg_drop_checks(o->fg) && run_passes(o, verify) && !o->lost;
        ok = ok && (!o->written.wanted || written_end(o));
        o->fg->listeners.n--;
    }
    vec_free(o->c, &o->written.inputs);
    if (o->made) ctx_free(o->c, o->made, sizeof *o->made * (size_t)opt_kinds());
    vec_free(o->c, &o->rank);
    vec_free(o->c, &o->kind);
    vec_free(o->c, &o->order);
    return ok;
}

/* planned: the graph is planned next, and what it raises as written is kept. */
static bool run(FGraph *fg, const Query *q, const OptSpec *s, bool verify, bool planned) {
    Opt o = {.c = fg->ctx,
             .fg = fg,
             .q = q,
             .rules = rules_get(fg->ctx),
             .eval = s->eval,
             .look = s->look,
             .written.wanted = planned};
    int64_t start = opt_now();
    if (!o.rules) return false;
    atomic_store(&o.c->opt_nodes, fg->live);
    o.limit = 256 * (int64_t)fg->live + 10000;
    o.most_nodes = fg->nnodes + 1000 * (int64_t)fg->live + 500000;
    for (int i = 0; i < o.rules->npass; i++) {
        const Pass *p = &o.rules->pass[i];
        if (p->fn == pass_inplace_elemwise || p->fn == pass_inplace_blas) o.wants_inplace |= query_pass(q, o.rules, p);
    }
    ((RuleTable *)o.rules)->running++;
    bool ok = run_all(&o, verify);
    ((RuleTable *)o.rules)->running--;
    shape_free(&o);
    inplace_free(&o);
    atomic_store(&o.c->opt_ns, opt_now() - start);
    return ok;
}

#ifdef NDEBUG
enum { ALWAYS_VERIFY = 0 };
#else
enum { ALWAYS_VERIFY = 1 };
#endif

static bool is_known(const RuleTable *t, const char *word);

static const char *nearest_name(ThContext *c, const RuleTable *t, const char *word) {
    VEC(const char *) name = {0};
    bool ok = true;
    for (int i = 0; ok && i < t->npass; i++) ok = vec_push(c, &name, t->pass[i].name);
    for (int i = 0; ok && i < t->n; i++) ok = vec_push(c, &name, t->at[i].name);
    const char *near = ok ? text_nearest(word, name.at, name.n) : NULL;
    vec_free(c, &name);
    return near;
}

/* Theano takes any word in silence, and a misspelled one then does nothing: here a line says so. */
static bool warn_unknown(ThContext *c, const char *what, const char *const *word, int n) {
    const RuleTable *t = rules_get(c);
    for (int i = 0; t && i < n; i++) {
        if (is_known(t, word[i])) continue;
        const char *near = nearest_name(c, t, word[i]);
        ctx_log(c, "WARNING: optimizer_%s: there is no rewrite and no tag '%s'%s%s", what, word[i],
                near ? "; nearest is " : "", near ? near : "");
    }
    return t != NULL;
}

static bool warn_words(ThContext *c, const Query *q) {
    return warn_unknown(c, "including", q->include.at, q->include.n) &&
           warn_unknown(c, "excluding", q->exclude.at, q->exclude.n) &&
           warn_unknown(c, "requiring", q->require.at, q->require.n);
}

bool opt_run(FGraph *fg, const OptSpec *spec) {
    Query q;
    bool ok = query_make(fg->ctx, spec, &q) && warn_words(fg->ctx, &q) &&
              run(fg, &q, spec, ALWAYS_VERIFY || spec->verify, true);
    query_free(fg->ctx, &q);
    return ok;
}

/* Names of Theano for what is done inside another rewrite, needs an operation that is not there, or happens as graphs
 * are built. */
static const char covered[] =
    "local_inv_canon:local_useless_composite:local_useless_tile:local_inplace_remove0:local_useless_topk:"
    "local_structured_dot:local_usmm:conv_gemm:conv_meta:cudnn:gpu:local_remove_local_copy";

static bool is_known(const RuleTable *t, const char *word) {
    if (text_has(covered, word)) return true;
    for (int i = 0; i < t->npass; i++)
        if (strcmp(t->pass[i].name, word) == 0 || text_has(t->pass[i].tags, word)) return true;
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->at[i].name, word) == 0 || text_has(rule_tags(&t->at[i]), word)) return true;
    return false;
}

bool opt_run_named(FGraph *fg, const char *names, OptEval eval) {
    ThContext *c = fg->ctx;
    Query q = {.cutoff = 1e9, .named = true};
    const RuleTable *t = rules_get(c);
    bool ok = t && add_words(c, &q.include, names);
    for (int i = 0; ok && i < q.include.n; i++)
        if (!is_known(t, q.include.at[i]))
            ok = err(c, TH_ValueError, "there is no pass, tag or rule named '%s'", q.include.at[i]);
    ok = ok && run(fg, &q, &(OptSpec){.eval = eval}, true, false);
    query_free(c, &q);
    return ok;
}

static void put_rules(Text *t, const Query *q, const RuleTable *rules, const Pass *p) {
    const char *last = "";
    for (int i = 0; i < rules->n; i++) {
        const Rule *r = &rules->at[i];
        if (!query_rule(q, p, r) || strcmp(r->name, last) == 0) continue;
        text_printf(t, "           %s\n", r->name);
        last = r->name;
    }
}

bool opt_fired(Text *t, ThContext *c) {
    const RuleTable *rules = rules_get(c);
    for (int i = 0; rules && i < rules->n; i++)
        text_printf(t, "%s %lld\n", rules->at[i].name, (long long)rules->at[i].fired);
    return rules && !failed(c);
}

bool opt_stabilizes(ThContext *c, const char *rule) {
    const RuleTable *rules = rules_get(c);
    for (int i = 0; rules && rule && i < rules->n; i++)
        if (strcmp(rules->at[i].name, rule) == 0 && (rules->at[i].levels & (STAB | LOGSUMEXP))) return true;
    return rule && (strstr(rule, "crossentropy") || strstr(rule, "softmax"));
}

/* "fast_run +tag -tag &tag @phase" as a query. */
static bool query_read(ThContext *c, const char *text, Query *q) {
    Words w = {text};
    const char *at;
    size_t n;
    OptSpec base = {.optimizer = "fast_run"};
    bool ok = true, first = true;
    memset(q, 0, sizeof *q);
    while (ok && next_word(&w, &at, &n)) {
        const char *word = intern_n(c, strchr("+-&@", *at) ? at + 1 : at, n - (strchr("+-&@", *at) != NULL));
        word = real_name(c, word);
        if (!word) return false;
        if (first && !strchr("+-&@", *at)) base.optimizer = word;
        if (first) ok = query_make(c, &base, q);
        if (ok && *at == '+') ok = vec_push(c, &q->include, word);
        if (ok && *at == '-') ok = vec_push(c, &q->exclude, word);
        if (ok && *at == '&') ok = vec_push(c, &q->require, word);
        if (ok && *at == '@') q->only = word;
        first = false;
    }
    return ok && (!first || query_make(c, &base, q));
}

bool opt_table(Text *t, ThContext *c) {
    const RuleTable *rules = rules_get(c);
    for (int i = 0; rules && i < rules->npass; i++) {
        const Pass *p = &rules->pass[i];
        text_printf(t, "pass %.10g %s %s %s\n", p->position, p->name, p->tags, p->number ? "user" : "own");
        const char *last = "";
        for (int k = 0; k < rules->n; k++) {
            const Rule *r = &rules->at[k];
            bool here = r->pass ? r->pass == p->number : (r->levels & p->level) != 0;
            if (!r->resolved || !here || strcmp(r->name, last) == 0) continue;
            text_printf(t, "rule %s %s %s\n", r->name, rule_tags(r), r->user ? "user" : "own");
            last = r->name;
        }
    }
    return rules && !failed(c);
}

/* "=name:name": those passes or rules alone. */
static bool run_alone(FGraph *fg, const char *names, OptEval eval) {
    const RuleTable *t = rules_get(fg->ctx);
    for (int i = 0; t && i < t->npass; i++)
        if (text_has(names, t->pass[i].name) && text_has(t->pass[i].tags, "inplace"))
            return err(fg->ctx, TH_ValueError, "%s works in place, which only a function being compiled can do",
                       t->pass[i].name);
    return t && opt_run_named(fg, names, eval);
}

bool opt_run_query(FGraph *fg, const char *query, OptEval eval) {
    ThContext *c = fg->ctx;
    Query q;
    if (*query == '=') return run_alone(fg, query + 1, eval);
    const char *inplace = intern(c, "inplace");
    bool ok = inplace && query_read(c, query, &q);
    ok = ok && warn_words(c, &q) && vec_push(c, &q.exclude, inplace) &&
         run(fg, &q, &(OptSpec){.eval = eval}, true, false);
    if (inplace) query_free(c, &q);
    return ok;
}

bool opt_summary(Text *t, ThContext *c, const char *query) {
    Query q;
    const RuleTable *rules = rules_get(c);
    bool ok = rules && query_read(c, query, &q);
    if (!rules) return false;
    ok = ok && warn_words(c, &q);
    for (int i = 0; ok && i < rules->npass; i++) {
        const Pass *p = &rules->pass[i];
        if (!query_pass(&q, rules, p)) continue;
        text_printf(t, "%8.2f  %s", p->position, p->name);
        text_printf(t, p->fn ? "\n" : "  (%s)\n", p->note);
        if (p->level || p->number) put_rules(t, &q, rules, p);
    }
    query_free(c, &q);
    return ok && !failed(c);
}
