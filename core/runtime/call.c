/*
 * call.c -- one call: arguments, locks, steps, commit, results. In: arrays or values. Out: results, or a nonzero status
 * and nothing changed. Always holds: everything that may fail comes before the first write to a shared variable's or an
 * input's value: memory and headers of results and updates are there before the first step, and steps write shareds in
 * place only where nothing can fail any more. Readers of a shared variable hold its lock together, a writer alone.
 */
#include "tier.h"
#include "tune.h"
#include "versions.h"

#include "base/array/sparse.h"

#include <string.h>

/* ---- arguments ---- */
static bool fits(const FnIn *in, const ThArray *a) {
    if (a->dtype != in->type.dtype || a->ndim != in->type.ndim) return false;
    if (in->type.kind == TYPE_STATE) return false; /* it is looked into */
    if (in->type.kind == TYPE_SPARSE || array_is_sparse(a)) return false;
    for (uint32_t b = in->type.broadcastable; b; b &= b - 1)
        if (ARRAY_SHAPE(a)[__builtin_ctz(b)] != 1) return false;
    return !(in->mutable_ && (a->flags & ARRAY_READONLY));
}

static ThArray *default_value(ThFunction *f, int i) {
    const FnIn *in = &f->in[i];
    ThArray *a = function_value(in->cell);
    if (a && in->mutable_) { /* a default outlives the call that overwrites it */
        ThArray *copy = th_array_copy(a);
        th_array_release(a);
        return copy;
    }
    if (a) return a;
    if (in->name) err(f->ctx, TH_TypeError, "Missing required input: %s", in->name);
    else err(f->ctx, TH_TypeError, "Missing required input: argument %d of %d", i, f->nin);
    return NULL;
}

/* A number for an input without dimensions, in an array that the workspace keeps for it; NULL: the long way. */
static ThArray *number(ThFunction *f, Workspace *w, int i, const ThArg *v) {
    Filter q = filter_of(f, i);
    if (q.type.ndim || q.strict || f->in[i].implicit) return NULL;
    ThComplex128 cell;
    if (!filter_number(&q, v, &cell)) return NULL;
    ThArray *a = w->number[i];
    if (!a || atomic_load_explicit(&a->refs, memory_order_relaxed) != 1 ||
        atomic_load_explicit(&a->buf->refs, memory_order_relaxed) != 1) { /* the user got hold of the last one */
        th_array_release(a);
        if (!(a = w->number[i] = th_array_empty(f->ctx, (ThDtype)q.type.dtype, 0, NULL))) return NULL;
    }
    memcpy(a->data, &cell, th_dtype_bytes((ThDtype)q.type.dtype));
    return th_array_retain(a);
}

static ThArray *untrusted(ThFunction *f, int i) {
    err(f->ctx, TH_TypeError,
        "trust_input: argument %d must be an ndarray of exactly the input's type; nothing is converted", i);
    return NULL;
}

static ThArray *given_array(ThFunction *f, int i, ThArray *a) {
    const FnIn *in = &f->in[i];
    if (in->implicit) {
        err(f->ctx, TH_TypeError, "Tried to provide value for implicit input: %s", in->name ? in->name : "<unnamed>");
        return NULL;
    }
    if (!a) return array_usable(f->ctx, a), NULL;
    if (fits(in, a)) return th_array_retain(a);
    if (atomic_load_explicit(&f->trust, memory_order_relaxed) && array_usable(f->ctx, a)) return untrusted(f, i);
    return filter_array(f, i, a);
}

static ThArray *given(ThFunction *f, Workspace *w, int i, const ThArg *v) {
    if (v->kind == TH_ARG_NONE) return default_value(f, i);
    if (v->kind == TH_ARG_ARRAY) return given_array(f, i, v->array);
    ThArray *a = v->kind == TH_ARG_FLOAT || v->kind == TH_ARG_INT || v->kind == TH_ARG_BOOL ? number(f, w, i, v) : NULL;
    if (a || failed(f->ctx)) return a;
    if (f->in[i].implicit) {
        const char *name = f->in[i].name;
        err(f->ctx, TH_TypeError, "Tried to provide value for implicit input: %s", name ? name : "<unnamed>");
        return NULL;
    }
    if (atomic_load_explicit(&f->trust, memory_order_relaxed)) return untrusted(f, i);
    return th_function_filter(f, i, v);
}

static bool replace_by_copy(Workspace *w, int i, atomic_llong *count) {
    ThArray *copy = th_array_copy(w->arg[i]);
    if (!copy) return false;
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    atomic_fetch_or_explicit(&w->fn->habits.args, (unsigned long long)1 << (i < 63 ? i : 63), memory_order_relaxed);
    th_array_release(w->arg[i]);
    w->arg[i] = copy;
    return true;
}

/* Its elements are where the steps look for them; what they overwrite is nowhere else. */
static bool there(ThFunction *f, Workspace *w, int i) {
    ThBuffer *b = w->arg[i]->buf;
    return !(buffer_special(b) & f->minds) || buffer_ask(f->ctx, b, f->in[i].mutable_);
}

/* Plans take C-contiguous arguments unless they said `strided`; others are copied. */
static bool dense(ThFunction *f, Workspace *w, int i) {
    return (w->arg[i]->flags & ARRAY_CONTIGUOUS) || f->plan->input[i].strided ||
           replace_by_copy(w, i, &f->habits.strided);
}

static bool overlap(const ThArray *a, const ThArray *b) {
    if (a->buf == b->buf) return th_array_shares_memory(a, b);
    return a->buf->wrapped && b->buf->wrapped && th_array_shares_memory(a, b);
}

/* An argument that a step overwrites must be no shared variable's storage and not share memory with another one. */
static bool separate(ThFunction *f, Workspace *w) {
    for (int i = 0; i < f->nin; i++)
        if (f->in[i].mutable_ && buffer_is_storage(w->arg[i]->buf) && !replace_by_copy(w, i, &f->habits.aliased))
            return false;
    for (int i = 0; i < f->nin; i++)
        for (int j = 0; f->in[i].mutable_ && j < f->nin; j++)
            if (j != i && overlap(w->arg[i], w->arg[j]) && !replace_by_copy(w, j, &f->habits.aliased)) return false;
    return true;
}

/* Nor may what a step overwrites, argument or shared storage, be seen through the other (a borrowed value). */
static bool separate_shared(ThFunction *f, Workspace *w) {
    const Plan *p = f->plan;
    for (int i = 0; i < f->nin; i++)
        for (int k = 0; k < p->nshared; k++) {
            if (!f->in[i].mutable_ && !p->shared_written[k]) continue;
            if (!overlap(w->arg[i], p->shared[k]->value)) continue;
            if (w->bound)
                return err(
                    f->ctx, TH_ValueError,
                    "the bound argument %d shares memory with a shared variable, and the call writes one of them", i);
            if (!replace_by_copy(w, i, &f->habits.aliased)) return false;
        }
    return true;
}

bool call_arguments(ThFunction *f, Workspace *w, const CallArgs *a) {
    if (a->n > f->nin)
        return err(f->ctx, TH_TypeError, "Too many parameter passed to theano function%s%s: %d given, %d expected",
                   f->name ? " " : "", f->name ? f->name : "", a->n, f->nin);
    for (int i = 0; i < f->nin; i++) {
        if (i >= a->n || (a->arrays && !a->arrays[i])) w->arg[i] = default_value(f, i);
        else w->arg[i] = a->arrays ? given_array(f, i, a->arrays[i]) : given(f, w, i, &a->args[i]);
        if (!w->arg[i] || !there(f, w, i) || !dense(f, w, i)) return false;
    }
    return !f->any_mutable || separate(f, w);
}

/* ---- locks ---- */
static void unlock_first(const ThFunction *f, int n) {
    const Plan *p = f->plan;
    while (n-- > 0) shared_unlock(p->shared[f->locks[n]], p->shared_written[f->locks[n]]);
}

/* All of them or none: who waits for one holds no other, so that calls never wait for each other in a circle. */
bool call_lock(ThFunction *f) {
    const Plan *p = f->plan;
    LockState is = LOCK_TAKEN;
    for (int i = 0; i < p->nshared; i++) {
        is = lock_try(f->ctx, &p->shared[f->locks[i]]->lock, p->shared_written[f->locks[i]]);
        if (is == LOCK_TAKEN) continue;
        unlock_first(f, i);
        const ThVar *v = is == LOCK_BUSY ? NULL : th_function_shared(f, f->locks[i]);
        if (is != LOCK_BUSY) return shared_refuse(f->ctx, v ? v->name : NULL, is);
        i = -1;
    }
    return true;
}

void call_unlock(const ThFunction *f) { unlock_first(f, f->plan->nshared); }

static void unlock_states(ThFunction *f, int n) {
    while (n-- > 0) lock_give(&f->states[n]->lock, true);
}

/* All or none, as call_lock. */
bool call_lock_state(ThFunction *f) {
    LockState is = LOCK_TAKEN;
    for (int i = 0; i < f->nstate; i++) {
        is = lock_try(f->ctx, &f->states[i]->lock, true);
        if (is == LOCK_TAKEN) continue;
        unlock_states(f, i);
        if (is != LOCK_BUSY) break;
        i = -1;
    }
    const char *text = is == LOCK_OWN
                           ? "%s%s is at work and waits for this code: a function whose inputs have updates cannot be "
                             "called from an operation of its own"
                           : "%s%s is at work on another thread and waits for what the call around this one holds";
    return is == LOCK_TAKEN ||
           err(f->ctx, TH_RuntimeError, text, f->name ? "function " : "the function", f->name ? f->name : "");
}

void call_unlock_state(ThFunction *f) { unlock_states(f, f->nstate); }

/* ---- code of the host, which may call the engine ---- */
/* It cannot free what the call works on. */
static void pin(const ThFunction *f, const Workspace *w, int by) {
    for (int i = 0; i < f->nin; i++) atomic_fetch_add(&w->arg[i]->buf->pins, by);
    for (int i = 0; i < f->plan->nshared; i++) atomic_fetch_add(&f->plan->shared[i]->value->buf->pins, by);
}

static void open_up(ThFunction *f, Workspace *w) {
    pin(f, w, 1);
    w->hold = (LockHold){.at = f->held, .write = f->held_to_write, .n = f->nheld};
    lock_hold(f->ctx, &w->hold);
}

static void close_up(ThFunction *f, Workspace *w) {
    lock_hold_end(f->ctx, &w->hold);
    pin(f, w, -1);
}

/* ---- steps and results ---- */
/* Is result i one whose memory may be that of the last call? */
static bool lasting(const ThFunction *f, const Workspace *w, int i) {
    return i < f->nout && (f->out_borrow[i] || w->bound);
}

/* Result i is read from its cell. */
static bool in_cell(const ThFunction *f, const Workspace *w, int i) {
    const PlanValue *v = &f->plan->result[i];
    return w->values && v->ndim == 0 && f->plan->buf[v->buf].kind == BUF_OUTPUT && !f->plan->buf[v->buf].late &&
           !w->outbuf[v->buf];
}

/* Headers of results, then of updates, before any step runs: that of the last call where memory and sizes are. */
bool call_reserve(ThFunction *f, Workspace *w) {
    const Plan *p = f->plan;
    bool moved = w->renewed || f->moving || (f->lent && (!w->bound || f->nstate));
    for (int i = 0; i < p->noutput; i++) {
        if (w->result[i] || in_cell(f, w, i)) continue; /* it came with its memory, or needs none */
        if (!moved && lasting(f, w, i) && w->borrowed[i]) w->result[i] = th_array_retain(w->borrowed[i]);
        else if (!(w->result[i] = array_reserve(f->ctx, p->result[i].ndim))) return false;
    }
    for (int i = 0; i < p->nupdate; i++)
        if (!(w->result[p->noutput + i] = array_reserve(f->ctx, p->update[i].value.ndim))) return false;
    return true;
}

static void fill(ThFunction *f, Workspace *w) {
    const Plan *p = f->plan;
    for (int i = 0; i < p->noutput; i++) {
        ThArray *a = w->result[i];
        if (!a || a->buf) continue;
        workspace_fill(w, &p->result[i], i, a);
        if (!lasting(f, w, i)) continue;
        th_array_release(w->borrowed[i]);
        w->borrowed[i] = th_array_retain(a);
    }
    for (int i = 0; i < p->nupdate; i++)
        workspace_fill(w, &p->update[i].value, p->noutput + i, w->result[p->noutput + i]);
}

static void call_until(const ThFunction *f, Workspace *w) {
    const double most = f->ctx->host.limits.seconds;
    w->until = most > 0 ? base_now() + (int64_t)((most < 1e9 ? most : 1e9) * 1e9) : 0;
    w->looked = w->until || w->yield;
}

bool call_steps(ThFunction *f, Workspace *w) {
    bool timed = f->tune && !w->version && tune_begin(f, w);
    bool here = f->profile && !(f->unit && f->unit->device); /* whose unit times its steps itself */
    UnitRun *run = here || timed ? NULL : w->version ? w->version : atomic_load_explicit(&f->run, memory_order_acquire);
    if (f->timed) call_until(f, w);
    bool early = !run && !here && !timed && atomic_load_explicit(&f->building, memory_order_relaxed);
    /* slices move from thread to thread; the interpreter says nothing of what comes after it */
    const bool looked = together_looks(&w->together) && !timed && !early && !w->yield && !(f->unit && f->unit->device);
    if (looked) together_begin(f->ctx, &w->together);
    int bad = run ? run(&w->frame) : early ? tier_run(f, w) : interp_run(f->interp, &w->frame);
    if (looked) together_end(f->ctx, &w->together, !bad);
    if (timed) tune_end(f, w, !bad);
    bool bare = th_error(f->ctx) == TH_MemoryError && w->frame.err[2] == TH_MemoryError; /* from below: no node yet */
    if (bad && (!failed(f->ctx) || bare)) report_failure(w);
    if (w->nleft) workspace_drop_left(w);
    if (f->versions && !bad) versions_count(f, w);
    return !bad;
}

bool call_run(ThFunction *f, Workspace *w) {
    if ((f->any_mutable || f->any_written) && !separate_shared(f, w)) return false;
    if (f->calls_back) open_up(f, w);
    bool ok = (!f->watch.call || f->watch.call(f->watch.user, w->arg)) && !workspace_prepare(w) && call_reserve(f, w) &&
              call_steps(f, w);
    if (f->calls_back) close_up(f, w);
    if (ok) fill(f, w), w->went = true;
    return ok;
}

static void new_state(ThFunction *f, Workspace *w) {
    for (int k = 0; k < f->nstate; k++) { /* the old ones are released by clean */
        ThArray **r = &w->result[f->nout + k];
        *r = function_exchange(f->in[f->state_in[k]].cell, *r);
    }
}

/* Nothing fails from here on. */
void call_commit(ThFunction *f, Workspace *w) {
    const Plan *p = f->plan;
    for (int i = 0; i < p->nupdate; i++) {
        ThArray **r = &w->result[p->noutput + i];
        *r = shared_exchange(p->shared[p->update[i].shared], *r);
    }
    if (f->nstate) new_state(f, w);
}

void call_clean(ThFunction *f, Workspace *w, bool arguments) {
    const Plan *p = f->plan;
    for (int i = 0; i < p->noutput + p->nupdate; i++) {
        if (!w->result[i]) continue;
        if (!array_unfilled(f->ctx, w->result[i])) th_array_release(w->result[i]);
        w->result[i] = NULL;
    }
    for (int b = 0; b < p->nbuf; b++)
        if (w->outbuf[b]) {
            buffer_release(w->outbuf[b]);
            w->outbuf[b] = NULL;
        }
    if (w->late_bytes) atomic_fetch_sub(&w->held, w->late_bytes), w->late_bytes = 0;
    for (int i = 0; arguments && i < f->nin; i++) {
        th_array_release(w->arg[i]);
        w->arg[i] = NULL;
    }
}

/* Results without dimensions, from their cells or arrays. */
static void read_values(ThFunction *f, Workspace *w, ThArray **out, ThValue *values) {
    const Plan *p = f->plan;
    for (int i = 0; i < f->nprovided; i++) {
        int r = f->out[i].scalar;
        if (r < 0) continue;
        ThDtype d = (ThDtype)p->result[r].dtype;
        ThValue *v = &values[r];
        const void *cell = &w->cell[i];
        if (d == TH_FLOAT64) v->f = *(const double *)cell;
        else array_cell_value(d, cell, v);
    }
    for (int i = 0; i < f->nout; i++)
        if (out[i] && out[i]->ndim == 0) {
            array_usable(f->ctx, out[i]);
            array_cell_value((ThDtype)out[i]->dtype, out[i]->data, &values[i]);
            th_array_release(out[i]);
            out[i] = NULL;
        }
}

void call_begin(ThFunction *f) {
    ThContext *c = f->ctx;
    if (atomic_load_explicit(&f->building, memory_order_relaxed)) tier_look(f, 0);
    /* stored where it changes something alone: other threads' calls read this line */
    if (atomic_load_explicit(&c->interrupted, memory_order_relaxed) &&
        !atomic_load_explicit(&c->hosting, memory_order_relaxed))
        atomic_store_explicit(&c->interrupted, 0, memory_order_relaxed);
}

/* What serves instead of f, whose memory the call was over; NULL with the error set. */
static ThFunction *fitted(ThFunction *f, Workspace *w) {
    th_error_clear(f->ctx); /* a step may have said so */
    return function_fit(f, w->arg);
}

/* One try; over: nothing was done for want of memory, and `*next` serves instead (NULL: the error is set). */
static int attempt(ThFunction *f, const CallArgs *a, ThArray **out, ThValue *values, ThFunction **next) {
    Workspace *w = workspace_take(f);
    if (!w) return 1;
    int64_t start = f->profile ? profile_now() : 0;
    call_begin(f);
    w->values = values != NULL;
    bool mine = !f->nstate || call_lock_state(f), ok = mine && call_arguments(f, w, a);
    if (ok && (ok = call_lock(f))) {
        ok = call_run(f, w);
        if (ok) call_commit(f, w);
        call_unlock(f);
    }
    if (mine && f->nstate) call_unlock_state(f);
    for (int i = 0; ok && i < f->nout; i++) {
        out[i] = w->result[i];
        w->result[i] = NULL;
    }
    if (!ok && w->over) *next = fitted(f, w);
    w->over = false;
    if (ok) w->renewed = false;
    if (ok && values) read_values(f, w, out, values);
    call_clean(f, w, true);
    if (f->gc || *next) workspace_free(w);
    else workspace_give(f, w);
    if (f->profile) profile_call(f, start, ok);
    return ok ? 0 : 1;
}

static int call(ThFunction *f, const CallArgs *a, ThArray **out, ThValue *values) {
    enum { ROUNDS = 12 }; /* each knows of more room than the one before */
    f = function_newest(f);
    for (int round = 0;; round++) {
        ThFunction *next = NULL;
        int bad = attempt(f, a, out, values, &next);
        if (!next) return bad;
        if (round == ROUNDS)
            return err(f->ctx, TH_MemoryError,
                       "memory = %lld is too little for this call, whose steps ask for more and more",
                       (long long)f->memory),
                   1;
        f = next;
    }
}

int th_call(ThFunction *f, ThArray *const *args, int nargs, ThArray **out) {
    if (!f) return -1;
    if (!out && th_function_noutputs(f)) return err_missing(th_function_context(f), __func__), -1;
    static ThArray *const none[1];
    const CallArgs a = {.arrays = args ? args : none, .n = nargs};
    return call(f, &a, out, NULL);
}

int th_call_args(ThFunction *f, const ThArg *args, int nargs, ThArray **out, ThValue *values) {
    if (!f) return -1;
    if (nargs < 0 || (nargs && !args) || (!out && th_function_noutputs(f)))
        return err_missing(th_function_context(f), __func__), -1;
    const CallArgs a = {.args = args, .n = nargs};
    return call(f, &a, out, values);
}
