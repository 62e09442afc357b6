/*
 * function.c -- a compiled function: made once, then immutable but for the defaults of its inputs; called through
 * workspaces (call.c).
 */
#include "runtime/machine/cpu.h"
#include "packs.h"
#include "profile.h"
#include "tune.h"
#include "versions.h"

#include <stdlib.h>
#include <string.h>

/* ---- defaults ---- */
ThArray *function_value(FnCell *c) {
    while (atomic_flag_test_and_set_explicit(&c->busy, memory_order_acquire)) os_yield();
    ThArray *a = th_array_retain(c->value);
    atomic_flag_clear_explicit(&c->busy, memory_order_release);
    return a;
}

ThArray *function_exchange(FnCell *c, ThArray *value) {
    while (atomic_flag_test_and_set_explicit(&c->busy, memory_order_acquire)) os_yield();
    ThArray *old = c->value;
    c->value = value;
    atomic_flag_clear_explicit(&c->busy, memory_order_release);
    return old;
}

static FnCell *cell_new(ThContext *c) {
    FnCell *cell = ctx_alloc0(c, sizeof *cell);
    if (cell) atomic_init(&cell->refs, 1);
    return cell;
}

static void cell_release(ThContext *c, FnCell *cell) {
    if (!cell || atomic_fetch_sub(&cell->refs, 1) != 1) return;
    th_array_release(cell->value);
    ctx_free(c, cell, sizeof *cell);
}

static bool copy_inputs(ThFunction *f, const FunctionSpec *s) {
    f->nin = s->nin;
    f->in = ctx_alloc0(f->ctx, sizeof *f->in * (size_t)(s->nin + 1));
    if (!f->in) return false;
    for (int i = 0; i < s->nin; i++) {
        const ThIn *in = &s->in[i];
        const char *name = in->name ? in->name : in->var ? th_var_name(in->var) : NULL;
        f->in[i] = (FnIn){.var = th_var_retain(in->var),
                          .name = name && *name ? intern(f->ctx, name) : NULL,
                          .type = f->plan->input[i].type,
                          .mutable_ = in->mutable_,
                          .borrow = in->borrow,
                          .strict = in->strict,
                          .implicit = in->implicit,
                          .allow_downcast = in->allow_downcast};
        if (!(f->in[i].cell = cell_new(f->ctx))) return false;
        f->any_mutable |= in->mutable_;
        if (f->in[i].allow_downcast < 0) f->in[i].allow_downcast = s->allow_input_downcast;
    }
    for (int i = 0; i < s->nin; i++)
        if (s->in[i].value && th_function_set_default(f, i, s->in[i].value)) return false;
    return true;
}

static bool copy_ints(ThFunction *f, int **to, const int *from, int n) {
    *to = ctx_alloc0(f->ctx, sizeof **to * (size_t)(n + 1));
    if (*to && n) memcpy(*to, from, sizeof **to * (size_t)n);
    return *to != NULL;
}

static bool copy_outputs(ThFunction *f, const FunctionSpec *s) {
    f->timed = f->ctx->host.limits.seconds > 0;
    f->nout = s->nout;
    f->out_borrow = ctx_alloc0(f->ctx, (size_t)s->nout + 1);
    if (!f->out_borrow) return false;
    for (int i = 0; i < s->nout; i++) f->out_borrow[i] = s->out[i].borrow;
    f->nstate = s->nstate;
    return copy_ints(f, &f->state_in, s->state_in, s->nstate);
}

/* What lies in the buffers that the entries of f->out provide: one walk over the results. entry: by buffer, the entry's
 * number + 1; count: by entry, how many results lie there. */
static void describe_outs(ThFunction *f, const int *entry, int *count) {
    const Plan *p = f->plan;
    for (int i = 0; i < p->noutput; i++) {
        int at = entry[p->result[i].buf] - 1;
        if (at < 0) continue;
        FnOut *o = &f->out[at];
        count[at]++;
        o->result = i;
        if (i >= f->nout) o->kept = o->borrow = false;
        else if (!f->out_borrow[i]) o->borrow = false;
        if (i < f->nout && p->result[i].ndim == 0 && size_is(p->result[i].off, 0)) o->scalar = i;
    }
    for (int u = 0; u < p->nupdate; u++) {
        int at = entry[p->update[u].value.buf] - 1;
        if (at >= 0) f->out[at].kept = f->out[at].borrow = false, count[at] = 2;
    }
    for (int k = 0; k < f->nprovided; k++) {
        FnOut *o = &f->out[k];
        if (count[k] != 1) o->result = -1;
        if (count[k] != 1 || !o->kept || !size_is(p->buf[o->buf].size, 1)) o->scalar = -1;
    }
}

static bool describe_all(ThFunction *f) {
    size_t nbuf = (size_t)f->plan->nbuf + 1, n = (size_t)f->nprovided + 1;
    int *entry = ctx_alloc0(f->ctx, sizeof *entry * nbuf), *count = ctx_alloc0(f->ctx, sizeof *count * n);
    bool ok = entry && count;
    for (int k = 0; ok && k < f->nprovided; k++) {
        f->out[k].borrow = f->out[k].kept = true;
        f->out[k].scalar = -1;
        entry[f->out[k].buf] = k + 1;
    }
    if (ok) describe_outs(f, entry, count);
    ctx_free(f->ctx, entry, sizeof *entry * nbuf);
    ctx_free(f->ctx, count, sizeof *count * n);
    return ok;
}

/* Buffers of which a call gives the only reference away. */
static void find_sole(ThFunction *f, uint8_t *uses) {
    const Plan *p = f->plan;
    for (int i = 0; i < p->noutput + p->nupdate; i++) {
        int b = i < p->noutput ? p->result[i].buf : p->update[i - p->noutput].value.buf;
        if (uses[b] < 2) uses[b]++;
    }
    for (int b = 0; b < p->nbuf; b++) f->sole[b] = p->buf[b].kind == BUF_OUTPUT && uses[b] == 1;
}

/* Where arguments, shareds and results stand among the plan's buffers. */
static bool find_buffers(ThFunction *f) {
    const Plan *p = f->plan;
    int n = 0;
    for (int b = 0; b < p->nbuf; b++) n += p->buf[b].kind == BUF_OUTPUT && !p->buf[b].late;
    f->out = ctx_alloc0(f->ctx, sizeof *f->out * (size_t)(n + 1));
    f->in_buf = ctx_alloc0(f->ctx, sizeof *f->in_buf * (size_t)(p->ninput + 1));
    f->shared_buf = ctx_alloc0(f->ctx, sizeof *f->shared_buf * (size_t)(p->nshared + 1));
    f->nprovided = n;
    f->sole = ctx_alloc0(f->ctx, (size_t)p->nbuf + 1);
    f->turns = ctx_alloc0(f->ctx, (size_t)(p->nshared + 1) * sizeof *f->turns);
    if (!f->sole || !f->out || !f->in_buf || !f->shared_buf || !f->turns) return false;
    for (int b = n = 0; b < p->nbuf; b++) {
        const PlanBuf *x = &p->buf[b];
        if (x->kind == BUF_INPUT) f->in_buf[x->index] = b;
        if (x->kind == BUF_SHARED) f->shared_buf[x->index] = b;
        if (x->kind != BUF_OUTPUT || x->late) continue;
        f->out[n++].buf = b;
    }
    if (!describe_all(f)) return false;
    uint8_t *uses = ctx_alloc0(f->ctx, (size_t)p->nbuf + 1);
    if (!uses) return false;
    find_sole(f, uses);
    ctx_free(f->ctx, uses, (size_t)p->nbuf + 1);
    for (int i = 0; i < p->noutput; i++) {
        const PlanBuf *x = &p->buf[p->result[i].buf];
        f->moving |= x->kind == BUF_SHARED || x->late;
        f->lent |= x->kind == BUF_INPUT;
    }
    return packs_turns(p, f->shared_buf, f->turns);
}

static int by_address(const void *a, const void *b, const Plan *p) {
    const Shared *x = p->shared[*(const int *)a], *y = p->shared[*(const int *)b];
    return (KEY(x) > KEY(y)) - (KEY(x) < KEY(y));
}

/* By address: functions over the same shareds never wait for each other in a circle. A merge sort, since there is no
 * portable qsort with a user's pointer. */
static void sort_locks(const Plan *p, int *at, int *room, int n) {
    for (int width = 1; width < n; width *= 2) {
        for (int lo = 0; lo < n; lo += 2 * width) {
            int mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n, i = lo, j = mid;
            for (int k = lo; k < hi; k++)
                room[k] = i < mid && (j >= hi || by_address(&at[i], &at[j], p) <= 0) ? at[i++] : at[j++];
        }
        memcpy(at, room, sizeof *at * (size_t)n);
    }
}

static bool order_locks(ThFunction *f) {
    const Plan *p = f->plan;
    int *room = ctx_alloc0(f->ctx, sizeof *room * (size_t)(p->nshared + 1));
    f->locks = ctx_alloc0(f->ctx, sizeof *f->locks * (size_t)(p->nshared + 1));
    bool ok = f->locks && room;
    for (int i = 0; ok && i < p->nshared; i++) {
        f->locks[i] = i;
        f->any_written |= p->shared_written[i];
    }
    if (ok) sort_locks(p, f->locks, room, p->nshared);
    ctx_free(f->ctx, room, sizeof *room * (size_t)(p->nshared + 1));
    return ok;
}

static int cells_by_address(const void *a, const void *b) {
    const FnCell *x = *(FnCell *const *)a, *y = *(FnCell *const *)b;
    return (KEY(x) > KEY(y)) - (KEY(x) < KEY(y));
}

/* What calls lock besides shareds, and what they hold while code of the host runs, where they run any. */
static void fill_held(ThFunction *f) {
    const Plan *p = f->plan;
    for (int k = 0; k < f->nstate; k++) f->states[k] = f->in[f->state_in[k]].cell;
    qsort(f->states, (size_t)f->nstate, sizeof *f->states, cells_by_address);
    for (f->nheld = 0; f->nheld < p->nshared; f->nheld++) {
        f->held[f->nheld] = &p->shared[f->nheld]->lock;
        f->held_to_write[f->nheld] = p->shared_written[f->nheld];
    }
    for (int k = 0; k < f->nstate; k++, f->nheld++) {
        f->held[f->nheld] = &f->states[k]->lock;
        f->held_to_write[f->nheld] = true;
    }
}

static size_t held_most(const ThFunction *f) { return (size_t)(f->plan->nshared + f->nstate + 1); }

static bool find_held(ThFunction *f, bool watched) {
    const Plan *p = f->plan;
    f->calls_back = watched;
    for (int i = 0; i < p->nhost && !f->calls_back; i++) f->calls_back = (p->host[i].op->flags & OP_CALLS_BACK) != 0;
    f->states = ctx_alloc0(f->ctx, sizeof(FnCell *) * (size_t)(f->nstate + 1));
    f->held = ctx_alloc0(f->ctx, sizeof(Lock *) * held_most(f));
    f->held_to_write = ctx_alloc0(f->ctx, held_most(f));
    if (!f->states || !f->held || !f->held_to_write) return false;
    fill_held(f);
    return true;
}

static void count_signature(ThFunction *f) {
    f->nsig = f->plan->nsig + f->plan->nshared;
    for (int i = 0; i < f->nin; i++) f->nsig += 2 * f->in[i].type.ndim;
}

ThFunction *function_new(ThContext *c, const FunctionSpec *s) {
    ThFunction *f = ctx_alloc0(c, sizeof *f);
    if (!f) return NULL;
    f->refs = 1;
    f->internal = s->internal;
    f->checked = s->checked;
    f->ctx = f->internal ? c : th_context_retain(c);
    f->plan = plan_retain(s->plan);
    f->name = s->name ? intern(c, s->name) : NULL;
    f->verbose = s->exception_verbose;
    f->gc = s->gc;
    f->interp = cpu_of(c) ? interp_unit(s->plan) : NULL; /* known now, so that no call allocates for it */
    if (s->profile) f->profile = profile_new(c, f->plan);
    bool ok = f->interp && copy_inputs(f, s) && copy_outputs(f, s) && find_buffers(f) && order_locks(f) &&
              find_held(f, s->watch.call != NULL);
    ok = ok && (f->profile || !s->profile);
    if (!ok) { /* the caller keeps unit and graph */
        th_function_release(f);
        return NULL;
    }
    if (f->profile) f->profile->built = s->times;
    count_signature(f);
    f->unit = s->unit;
    f->minds = f->unit && f->unit->device ? BUFFER_FREED : UINT8_MAX;
    atomic_init(&f->run, s->unit ? s->unit->run : NULL);
    atomic_init(&f->building, s->unit && s->unit->poll);
    f->fg = s->fg;
    if (s->version && s->unit && !f->profile) f->versions = versions_new(f, s->version);
    if (s->tune && s->unit && s->autotune > 1) f->tune = tune_new(f, s);
    f->memory = s->memory;
    f->fit = s->fit;
    f->recipe = s->recipe;
    f->recipe_free = s->recipe_free;
    f->watch = s->watch;
    return f;
}

ThFunction *th_function_retain(ThFunction *f) {
    if (f) atomic_fetch_add(&f->refs, 1);
    return f;
}

static void drop_workspaces(ThFunction *f) {
    workspace_lock(f);
    Workspace *w = f->idle;
    f->idle = NULL;
    workspace_unlock(f);
    for (Workspace *next; w; w = next) {
        next = w->next;
        workspace_free(w);
    }
}

static void drop_parts(ThFunction *f) {
    ThContext *c = f->ctx;
    drop_workspaces(f);
    th_function_release(atomic_load(&f->lean));
    versions_free(c, f->versions);
    tune_free(f);
    if (f->unit) f->unit->release(f->unit);
    if (f->profile) profile_free(c, f->plan, f->profile);
    interp_unit_free(f->interp);
    if (f->fg) fg_free(f->fg);
    if (f->recipe_free) f->recipe_free(c, f->recipe);
    if (f->watch.free) f->watch.free(c, f->watch.user);
    for (int i = 0; f->in && i < f->nin; i++) {
        th_var_release(f->in[i].var);
        cell_release(c, f->in[i].cell);
    }
    ctx_free(c, f->in, sizeof *f->in * (size_t)(f->nin + 1));
    ctx_free(c, f->out, sizeof *f->out * (size_t)(f->nprovided + 1));
    ctx_free(c, f->sole, (size_t)f->plan->nbuf + 1);
    ctx_free(c, f->in_buf, sizeof *f->in_buf * (size_t)(f->plan->ninput + 1));
    ctx_free(c, f->turns, sizeof *f->turns * (size_t)(f->plan->nshared + 1));
    ctx_free(c, f->shared_buf, sizeof *f->shared_buf * (size_t)(f->plan->nshared + 1));
    ctx_free(c, f->locks, sizeof *f->locks * (size_t)(f->plan->nshared + 1));
    ctx_free(c, f->states, sizeof(FnCell *) * (size_t)(f->nstate + 1));
    ctx_free(c, f->held, sizeof(Lock *) * held_most(f));
    ctx_free(c, f->held_to_write, held_most(f));
    ctx_free(c, f->out_borrow, (size_t)f->nout + 1);
    ctx_free(c, f->state_in, sizeof *f->state_in * (size_t)(f->nstate + 1));
}

void th_function_release(ThFunction *f) {
    if (!f || atomic_fetch_sub(&f->refs, 1) != 1) return;
    ThContext *c = f->ctx;
    bool internal = f->internal;
    drop_parts(f);
    plan_release(f->plan);
    ctx_free(c, f, sizeof *f);
    if (!internal) th_context_release(c);
}

/* ---- looking ---- */
int th_function_ninputs(const ThFunction *f) { return f ? f->nin : 0; }
int th_function_noutputs(const ThFunction *f) { return f ? f->nout : 0; }
static bool has_input(const ThFunction *f, int i) { return f && i >= 0 && i < f->nin; }
const char *th_function_input_name(const ThFunction *f, int i) { return has_input(f, i) ? f->in[i].name : NULL; }
ThVar *th_function_input_var(const ThFunction *f, int i) { return has_input(f, i) ? f->in[i].var : NULL; }
ThType th_function_output_type(const ThFunction *f, int i) {
    return f && i >= 0 && i < f->nout ? f->plan->output[i].type : (ThType){0};
}
bool th_function_output_borrow(const ThFunction *f, int i) { return f && i >= 0 && i < f->nout && f->out_borrow[i]; }
const char *th_function_name(const ThFunction *f) { return f ? f->name : NULL; }
ThContext *th_function_context(const ThFunction *f) { return f ? f->ctx : NULL; }
bool th_function_implicit(const ThFunction *f, int i) { return has_input(f, i) && f->in[i].implicit; }
FGraph *function_fgraph(ThFunction *f) { return function_newest(f)->fg; }
const Plan *function_plan(ThFunction *f) { return function_newest(f)->plan; }
Unit *function_unit(ThFunction *f) { return function_newest(f)->unit; }
int64_t th_function_memory(const ThFunction *f) { return f ? atomic_load(&function_newest(f)->planned) : 0; }
const void *function_recipe(ThFunction *f) { return f->recipe; }
int th_function_nshared(const ThFunction *f) { return !f ? 0 : f->fg ? f->plan->nshared : 0; }

ThVar *th_function_shared(const ThFunction *f, int i) {
    if (!f) return NULL;
    return f->fg && i >= 0 && i < f->plan->nshared ? f->fg->in[f->nin + i]->origin : NULL;
}

/* Whoever comes second takes what the first one made. */
ThFunction *function_fit(ThFunction *f, ThArray *const *arg) {
    ThFunction *none = NULL, *g = atomic_load(&f->lean);
    if (g) return g;
    if (!f->fit)
        return err(f->ctx, TH_MemoryError,
                   "this call takes %lld bytes for temporaries, results and room to work in, more than the %lld of "
                   "`memory`, and a function that is watched node by node computes nothing twice",
                   (long long)atomic_load(&f->planned), (long long)f->memory),
               NULL;
    if (!(g = f->fit(f, arg))) return NULL;
    atomic_store(&g->trust, atomic_load(&f->trust));
    g->reserve = atomic_load(&f->beyond);
    if (atomic_compare_exchange_strong(&f->lean, &none, g)) return drop_workspaces(f), g;
    th_function_release(g);
    return none;
}

/* ---- what the user may change: f and what serves instead of it ---- */
void th_function_set_trust(ThFunction *f, bool trust) {
    for (; f; f = atomic_load(&f->lean)) atomic_store(&f->trust, trust);
}
bool th_function_trust(const ThFunction *f) { return f ? atomic_load(&f->trust) : false; }
void th_function_trim(ThFunction *f) {
    for (; f; f = atomic_load(&f->lean)) drop_workspaces(f);
}

static bool in_range(ThFunction *f, int i) {
    return (i >= 0 && i < f->nin) ||
           err(f->ctx, TH_IndexError, "the function has %d inputs, none numbered %d", f->nin, i);
}

ThArray *th_function_default(ThFunction *f, int i) {
    if (!f) return NULL;
    f = function_newest(f);
    if (!in_range(f, i)) return NULL;
    ThArray *a = function_value(f->in[i].cell), *copy;
    if (!a) return NULL;
    copy = th_array_copy(a);
    th_array_release(a);
    return copy;
}

int th_function_set_default(ThFunction *f, int i, ThArray *value) {
    if (!f) return -1;
    f = function_newest(f);
    if (!in_range(f, i)) return 1;
    ThArray *own = NULL;
    if (value) {
        ThArray *a = filter_array(f, i, value);
        bool ours = a && (f->in[i].borrow || (a != value && a->buf != value->buf)) && (a->flags & ARRAY_CONTIGUOUS);
        own = ours ? th_array_retain(a) : th_array_copy(a);
        th_array_release(a);
        if (!own) return 1;
    }
    th_array_release(function_exchange(f->in[i].cell, own));
    return 0;
}

int th_function_share_default(ThFunction *f, int i, ThFunction *from, int j) {
    if (!f || !from) return 1;
    f = function_newest(f);
    from = function_newest(from);
    if (!in_range(f, i) || !in_range(from, j)) return 1;
    if (f->ctx != from->ctx) {
        err(f->ctx, TH_ValueError, "functions of two contexts cannot share a container");
        return 1;
    }
    if (!type_eq(f->in[i].type, from->in[j].type)) {
        err(f->ctx, TH_TypeError, "input %d and the container whose value it is to share have different types", i);
        return 1;
    }
    FnCell *cell = from->in[j].cell;
    for (int k = 0; k < f->nin; k++)
        if (k != i && f->in[k].cell == cell) {
            err(f->ctx, TH_ValueError, "inputs %d and %d of one function cannot share one container", k, i);
            return 1;
        }
    atomic_fetch_add(&cell->refs, 1);
    cell_release(f->ctx, f->in[i].cell);
    f->in[i].cell = cell;
    fill_held(f);
    return 0;
}
