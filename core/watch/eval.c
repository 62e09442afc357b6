/*
 * eval.c -- a recorded graph evaluated node by node on the interpreter's one-node functions. Loops run turn by
 * turn and branches alone, through the graphs recorded of their bodies. In: values of the graph's leaves. Out: values
 * of its outputs, NULL where a node failed (the function itself then fails, with its own report); each node's values
 * are shown to the mode (debug.c, guard.c) as soon as they are there.
 */
#include "watch.h"

#include "ops/control/ifelse.h"
#include "ops/control/scan.h"

#include <string.h>

enum { MOST_NESTED = 32 };

ThArray *watch_value(const WatchCall *k, const ThVar *v) {
    uint32_t at;
    if (v->kind == VAR_CONSTANT) return v->u.data;
    return map_get(&k->g->number, KEY(v), &at) ? k->value[at] : NULL;
}

static WatchGraph *body_of(const WatchGraph *g, const ThApply *a, int body) {
    for (int i = 0; i < g->inner.n; i++)
        if (g->inner.at[i].node == a && g->inner.at[i].body == body) return g->inner.at[i].graph;
    return NULL;
}

static bool inside(const WatchCall *k, WatchGraph *g, const ThApply *a, int64_t step, ThArray *const *in,
                   ThArray **out) {
    int depth = 0;
    for (const WatchCall *o = k; o; o = o->outer) depth++;
    if (depth > MOST_NESTED)
        return err(k->w->ctx, TH_NotImplementedError, "loops and branches nested more than %d deep cannot be watched",
                   MOST_NESTED);
    const WatchCall at = {.w = k->w, .g = g, .outer = k, .within = a, .step = step};
    return watch_eval(&at, in, out);
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */
/* Row `at` modulo the length. */
static ThArray *row(ThArray *a, int64_t at) {
    int64_t n = ARRAY_SHAPE(a)[0], r = n > 0 ? ((at % n) + n) % n : 0;
    return th_array_view(a, a->ndim - 1, ARRAY_SHAPE(a) + 1, ARRAY_STRIDES(a) + 1, r * ARRAY_STRIDES(a)[0]);
}

static bool put_row(ThArray *to, int64_t at, const ThArray *from) {
    ThArray *r = row(to, at);
    bool ok = r && !th_array_assign(r, from);
    th_array_release(r);
    return ok;
}

static void drop(ThArray **a, int n) {
    for (int i = 0; i < n; i++) {
        th_array_release(a[i]);
        a[i] = NULL;
    }
}

/* What the body gets in turn t. carried: the node's outputs so far. */
static bool turn_inputs(const Scan *s, int64_t t, ThArray *const *in, ThArray *const *carried, ThArray **at) {
    int n = 0;
    for (int i = 0; i < s->nseq; i++) at[n++] = row(in[scan_in_seq(s) + i], t);
    for (int i = 0; i < s->nstate; i++)
        for (int k = s->first[i]; k < s->first[i + 1]; k++) at[n++] = row(carried[i], t + s->back[i] + s->tap[k]);
    for (int i = 0; i < s->nshared; i++) at[n++] = th_array_retain(carried[scan_out_shared(s) + i]);
    for (int i = 0; i < s->nvalue; i++) at[n++] = th_array_retain(in[scan_in_value(s) + i]);
    for (int i = 0; i < n; i++)
        if (!at[i]) return false;
    return true;
}

/* What the body gave becomes rows and shared values. 1: go on, 0: stop; -1: failed. */
static int turn_outputs(const Scan *s, int64_t t, ThArray *const *got, ThArray **carried) {
    for (int i = 0; i < scan_nout(s); i++)
        if (!got[i]) return 0;
    for (int i = 0; i < s->nstate; i++)
        if (!put_row(carried[i], t + s->back[i], got[i])) return -1;
    for (int i = scan_out_collect(s); i < scan_out_shared(s); i++)
        if (!put_row(carried[i], t, got[i])) return -1;
    for (int i = scan_out_shared(s); i < scan_out_turns(s); i++) {
        ThArray *copy = th_array_copy(got[i]);
        th_array_release(carried[i]);
        if (!(carried[i] = copy)) return -1;
    }
    return 1;
}

/*
 * Turn by turn; carried: the outputs as the planned loop left them, which are set back. *complete: no turn failed.
 */
static bool run_turns(const WatchCall *k, ThApply *a, WatchGraph *g, const Scan *s, ThArray *const *in,
                      ThArray **carried, bool *complete) {
    int64_t n = array_item_int(in[0]), t = 0;
    int nin = scan_body_nin(s), nout = scan_nout(s);
    ThArray **room = ctx_alloc0(g->c, sizeof *room * (size_t)(nin + nout + 1)), **got = room ? room + nin : NULL;
    bool ok = room != NULL, more = true;
    while (ok && more && t < n) {
        ok = turn_inputs(s, t, in, carried, room) && inside(k, g, a, t, room, got);
        int go = ok ? turn_outputs(s, t, got, carried) : -1;
        ok = go >= 0;
        more = *complete = go > 0;
        t++;
        if (ok && more && s->until) more = array_item_int(got[nout - 1]) == 0;
        drop(room, nin + nout);
    }
    if (ok && *complete && s->until) {
        drop(&carried[nout - 1], 1);
        ok = (carried[nout - 1] = array_scalar(g->c, TH_INT64, &t)) != NULL;
    }
    if (room) drop(room, nin + nout);
    ctx_free(g->c, room, sizeof *room * (size_t)(nin + nout + 1));
    return ok;
}

static bool run_loop(const WatchCall *k, ThApply *a, WatchGraph *g, ThArray *const *in, ThArray **out) {
    Scan s;
    bool complete = true, ok = scan_parts(g->c, a->attrs, a->nin, &s);
    int n = ok ? scan_nout(&s) : 0;
    ThArray **mine = ctx_alloc0(g->c, sizeof *mine * (size_t)(n + 1));
    ok = ok && mine;
    for (int i = 0; ok && i < n; i++) {
        bool state = i < s.nstate, shared = i >= scan_out_shared(&s) && i < scan_out_turns(&s);
        const int from = state ? scan_in_state(&s) + i : scan_in_shared(&s) + i - scan_out_shared(&s);
        ok = (mine[i] = th_array_copy(state || shared ? in[from] : out[i])) != NULL;
    }
    ok = ok && run_turns(k, a, g, &s, in, mine, &complete);
    if (ok && complete && k->w->spec.kind == 'd') ok = watch_debug_loop(k, a, out, mine);
    if (mine) drop(mine, n);
    ctx_free(g->c, mine, sizeof *mine * (size_t)(n + 1));
    return ok;
}

/* ---- what is not defined is at least always the same --------------------------------------------------------------
 */
/* A number that nobody would compute. */
static void fill(ThArray *a) {
    if (a->dtype == TH_FLOAT64)
        for (int64_t i = 0; i < a->size; i++) ((double *)(void *)a->data)[i] = -123456789;
    else if (a->dtype == TH_FLOAT32)
        for (int64_t i = 0; i < a->size; i++) ((float *)(void *)a->data)[i] = -123456789.0f;
    else memset(a->data, 0, (size_t)a->size * th_dtype_bytes((ThDtype)a->dtype));
}

/* Rows from number `from` on; results are C-contiguous. */
static void clear_rows(ThArray *a, int64_t from) {
    int64_t n = ARRAY_SHAPE(a)[0], row_bytes = n > 0 ? a->size / n * (int64_t)th_dtype_bytes((ThDtype)a->dtype) : 0;
    if (from < n) memset(a->data + from * row_bytes, 0, (size_t)((n - from) * row_bytes));
}

/* Rows that a loop with a condition did not come to. */
static bool clear_loop(ThContext *c, const ThApply *a, ThArray *const *in, ThArray *const *out) {
    Scan s;
    if (!scan_parts(c, a->attrs, a->nin, &s)) return false;
    int64_t turns = s.until ? array_item_int(out[scan_out_turns(&s)]) : array_item_int(in[0]);
    for (int i = scan_out_collect(&s); i < scan_out_shared(&s); i++) clear_rows(out[i], turns);
    return true;
}

/* What Unique was not asked for, and what it leaves behind the last distinct element. */
static void clear_unique(const ThApply *a, ThArray *const *out) {
    static const char *const wanted[] = {NULL, "return_index", "return_inverse", "return_counts"};
    for (int o = 0; o < 4; o++) {
        bool given = !wanted[o];
        for (int i = 0; !given && i < a->op->nattr; i++)
            if (!strcmp(a->op->attrs[i].name, wanted[o])) given = ((const char *)a->attrs)[a->op->attrs[i].offset] != 0;
        if (!given) clear_rows(out[o], 0);
        else if (o != 2) clear_rows(out[o], array_item_int(out[4]));
    }
}

bool watch_clear(ThContext *c, const ThApply *a, ThArray *const *in, ThArray *const *out) {
    if (a->op == &op_alloc_empty) fill(out[0]);
    if (a->op == &op_unique) clear_unique(a, out);
    return a->op != &op_scan || clear_loop(c, a, in, out);
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */
static bool run_branch(const WatchCall *k, ThApply *a, ThArray *const *in, ThArray **out) {
    const IfLazyAttrs *at = a->attrs;
    int side = array_item_int(in[0]) != 0 ? 0 : 1;
    WatchGraph *g = body_of(k->g, a, side);
    if (!g) return true;
    ThArray **got = ctx_alloc0(g->c, sizeof *got * (size_t)(a->nout + 1));
    bool ok = got && inside(k, g, a, -1, in + 1 + (side ? at->nthen : 0), got), all = ok;
    for (int i = 0; ok && i < a->nout; i++) all &= got[i] != NULL;
    if (ok && all && k->w->spec.kind == 'd') ok = watch_debug_loop(k, a, out, got);
    if (got) drop(got, a->nout);
    ctx_free(g->c, got, sizeof *got * (size_t)(a->nout + 1));
    return ok;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */
/* Errors that are about watching, or that end everything; any other one is the node's own. */
static bool serious(ThError e) {
    return e == TH_MemoryError || e == TH_Interrupted || e == TH_BadDestroyMap || e == TH_BadViewMap ||
           e == TH_InvalidValueError || e == TH_BadThunkOutput || e == TH_BadOptimization || e == TH_NanGuardError;
}

/* The error again, with the node and where it stands. */
static bool explain(const WatchCall *k, const ThApply *a) {
    ThContext *c = k->g->c;
    ThError kind = th_error(c);
    if (kind == TH_MemoryError || kind == TH_Interrupted) return false;
    Text t;
    text_init(&t, c);
    const char *text = th_error_text(c);
    const char *end = text ? strstr(text, "\nApply node that caused the error") : NULL;
    text_put_n(&t, text ? text : "", end ? (size_t)(end - text) : strlen(text ? text : ""));
    text_put(&t, "\nApply node: ");
    apply_op_str(&t, a);
    watch_line(&t, ", made at ", a->prov);
    watch_where(&t, k);
    th_error_clear(c);
    err(c, kind, "%s", t.at ? t.at : "?");
    text_free(&t);
    return false;
}

static bool compute(const WatchCall *k, ThApply *a, ThArray *const *in, ThArray **out) {
    ThContext *c = k->g->c;
    bool debug = k->w->spec.kind == 'd';
    return !(debug ? eager_apply_checked : eager_apply)(c, a, in, out) && watch_clear(c, a, in, out);
}

/* A node of the optimized graph whose values are there. */
static bool settled(const WatchCall *k, int place, ThApply *a, ThArray *const *in, ThArray **out) {
    WatchGraph *body = a->op == &op_scan ? body_of(k->g, a, 0) : NULL;
    if (body && !run_loop(k, a, body, in, out)) return false;
    if (a->op == &op_if_lazy && !run_branch(k, a, in, out)) return false;
    if (k->w->spec.kind == 'd') return watch_debug_again(k, a, in, out);
    if (k->w->spec.kind == 'm') return watch_monitor(k, true, place - 1, a, in, out);
    for (int i = 0; i < a->nout; i++)
        if (a->op != &op_alloc_empty && !watch_guard_value(k, a->out[i], out[i])) return false;
    return true;
}

static bool eval_node(WatchCall *k, ThApply *a, int place, ThArray **in) {
    uint32_t at;
    if (!map_get(&k->g->number, KEY(a->out[0]), &at)) return false;
    for (int j = 0; j < a->nin; j++) {
        in[j] = watch_value(k, a->in[j]);
        if (!in[j] && a->in[j]->type.kind != TYPE_NONE) return true;
    }
    if (k->w->spec.kind == 'm' && !watch_monitor(k, false, place - 1, a, in, NULL)) return false;
    if (!compute(k, a, in, k->value + at)) {
        if (serious(th_error(k->g->c))) return explain(k, a);
        th_error_clear(k->g->c);
        k->lost |= place > 0;
        return true;
    }
    return !place || settled(k, place, a, in, k->value + at);
}

bool watch_eval(const WatchCall *at, ThArray *const *in, ThArray **out) {
    WatchCall k = *at;
    WatchGraph *g = k.g;
    int most = 1;
    for (int i = 0; i < g->all.n; i++) most = g->all.at[i]->nin > most ? g->all.at[i]->nin : most;
    k.value = ctx_alloc0(g->c, sizeof *k.value * (size_t)(g->nvalue + 1));
    ThArray **args = ctx_alloc(g->c, sizeof *args * (size_t)most);
    bool ok = k.value && args;
    for (int i = 0; ok && i < g->in.n; i++) {
        uint32_t place;
        if (!map_get(&g->number, KEY(g->in.at[i]), &place) || k.value[place]) continue;
        k.value[place] = th_array_retain(in[i]);
        if (k.w->spec.kind != 'm' && (!k.outer || k.w->spec.kind == 'n'))
            ok = watch_guard_value(&k, g->in.at[i], in[i]);
    }
    const bool debug = k.w->spec.kind == 'd';
    const ApplyVec *list = debug ? &g->all : &g->node;
    for (int i = 0; ok && i < list->n; i++) ok = eval_node(&k, list->at[i], debug ? g->place.at[i] : i + 1, args);
    if (ok && debug) ok = watch_debug_graph(&k);
    for (int i = 0; ok && i < g->out.n; i++) {
        ThArray *v = k.lost ? NULL : watch_value(&k, g->out.at[i]);
        out[i] = v ? th_array_retain(v) : NULL;
    }
    if (k.value) drop(k.value, g->nvalue);
    ctx_free(g->c, k.value, sizeof *k.value * (size_t)(g->nvalue + 1));
    ctx_free(g->c, args, sizeof *args * (size_t)most);
    return ok;
}
