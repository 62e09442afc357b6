/*
 * bind.c -- a function bound to arguments: everything that a call looks up or checks is done once; a call after that is
 * locks, a comparison of the signature, the steps and the commit. In: a function and values. Out: results in arrays of
 * the ThCall's own, overwritten at every call. Always holds: the arguments' buffers are pinned, the workspace belongs
 * to this ThCall alone.
 */
#include "bind.h"

#include <string.h>

/* A copy would not follow what the user writes into the array later. */
static bool as_given(ThFunction *f, Workspace *w, const ThArg *args, int nargs) {
    for (int i = 0; i < nargs; i++) {
        if (args[i].kind != TH_ARG_ARRAY || w->arg[i] == args[i].array) continue;
        const char *name = f->in[i].name;
        return err(f->ctx, TH_ValueError,
                   "bind: argument %d%s%s would be copied, so that later changes of it were not seen: give a "
                   "C-contiguous ndarray of dtype %s that overlaps no other argument",
                   i, name ? ", " : "", name ? name : "", th_dtype_name((ThDtype)f->in[i].type.dtype));
    }
    return true;
}

/* What an operation's code is handed is gone when it returns. */
static bool lasts(ThFunction *f, const Workspace *w) {
    for (int i = 0; i < f->nin; i++)
        if (w->arg[i]->buf->passing)
            return err(f->ctx, TH_ValueError,
                       "bind: argument %d is lent to an operation for the time of its call only: bind a copy of it", i);
    return true;
}

static void pin(ThCall *b, int by) {
    for (int i = 0; i < b->f->nin; i++)
        if (b->w->arg[i]) atomic_fetch_add(&b->w->arg[i]->buf->pins, by);
}

/* A default that calls change, this function's or those of one that shares it. */
static bool changes(const ThCall *b, int i) {
    bool state = false;
    for (int k = 0; k < b->f->nstate; k++) state = state || b->f->state_in[k] == i;
    return b->defaulted[i] && (state || atomic_load(&b->f->in[i].cell->refs) > 1);
}

/* Such inputs start from the present values. */
static bool refresh(ThCall *b) {
    ThFunction *f = b->f;
    for (int i = 0; i < f->nin; i++) {
        if (!changes(b, i)) continue;
        ThArray *now = function_value(f->in[i].cell), *old = b->w->arg[i];
        if (!now) return err(f->ctx, TH_TypeError, "Missing required input: argument %d of %d", i, f->nin);
        if (now != old) b->steady = false;
        atomic_fetch_add(&now->buf->pins, 1);
        atomic_fetch_sub(&old->buf->pins, 1);
        b->w->arg[i] = now;
        th_array_release(old);
    }
    return true;
}

/* Sizes are looked at now, where a limit of memory may have it that another function serves. */
static ThFunction *over(ThCall *b) {
    ThFunction *f = b->f;
    if (!f->memory || !call_lock(f)) return NULL;
    workspace_prepare(b->w);
    call_unlock(f);
    call_clean(f, b->w, false);
    return b->w->over ? function_fit(f, b->w->arg) : NULL;
}

ThCall *th_call_new(ThFunction *f, const ThArg *args, int nargs) {
    if (!f) return NULL;
    if (nargs < 0 || (nargs && !args)) return err_missing(th_function_context(f), __func__), NULL;
    if (failed(f->ctx)) return NULL;
    f = function_newest(f);
    ThCall *b = ctx_alloc0(f->ctx, sizeof *b + (size_t)f->nin + 1);
    if (!b) return NULL;
    b->f = th_function_retain(f);
    b->defaulted = (bool *)(b + 1);
    b->w = workspace_take(f);
    const CallArgs a = {.args = args, .n = nargs};
    bool ok = b->w && call_arguments(f, b->w, &a) && as_given(f, b->w, args, nargs) && lasts(f, b->w);
    if (b->w) b->w->bound = b->w->renewed = true, b->w->values = false; /* its first call tells of all results */
    for (int i = 0; i < f->nin; i++) {
        b->defaulted[i] = i >= nargs || args[i].kind == TH_ARG_NONE;
        b->any_default |= b->defaulted[i];
    }
    if (b->w) pin(b, 1);
    ThFunction *next = ok ? over(b) : NULL;
    if (ok && !next && !failed(f->ctx)) return b;
    th_call_release(b);
    return next ? th_call_new(next, args, nargs) : NULL;
}

void th_call_release(ThCall *b) {
    if (!b || !bind_later_end(b)) return;
    ThFunction *f = b->f;
    ThContext *c = th_context_retain(f->ctx);
    step_forget(b);
    bind_into_free(b);
    if (b->w) {
        pin(b, -1);
        call_clean(f, b->w, true);
        workspace_free(b->w);
    }
    size_t bytes = sizeof *b + (size_t)f->nin + 1;
    th_function_release(f);
    ctx_free(c, b, bytes);
    th_context_release(c);
}

/* The whole way, which finds out whether later calls may take the short one: nothing is exchanged or described anew. */
static bool whole(ThCall *b) {
    ThFunction *f = b->f;
    Workspace *w = b->w;
    bool ok = call_run(f, w);
    if (ok) call_commit(f, w);
    if (ok && (w->renewed || f->moving || (f->lent && f->nstate))) b->turn++;
    if (ok) w->renewed = false;
    b->steady = ok && !f->nstate && !f->moving && !f->plan->nupdate && !f->calls_back;
    call_clean(f, w, false);
    return ok;
}

bool bind_start(ThCall *b) {
    ThFunction *f = b->f;
    if (f->nstate && !call_lock_state(f)) return false;
    if ((!b->any_default || refresh(b)) && call_lock(f)) return true;
    if (f->nstate) call_unlock_state(f);
    return false;
}

void bind_end(ThCall *b) {
    call_unlock(b->f);
    if (b->f->nstate) call_unlock_state(b->f);
}

/* The function that takes less is made here where only a run could tell, so that there is one to be bound. */
static void say_over(ThCall *b) {
    ThFunction *f = b->f;
    Workspace *w = b->w;
    const bool ran = w->valid;
    th_error_clear(f->ctx);
    w->over = false;
    if (ran && !function_fit(f, w->arg)) return;
    report_room(w, -1, "%s %lld bytes, more than the %lld of `memory`: bind again",
                ran ? "this bound call has asked for more while it ran than it planned,"
                    : "a shared variable has grown, and this bound call now plans",
                (long long)atomic_load(&f->planned), (long long)f->memory);
}

int bind_run(ThCall *b) {
    ThFunction *f = b->f;
    int64_t start = f->profile ? profile_now() : 0;
    call_begin(f);
    bool ok = bind_start(b);
    if (ok) {
        ok = b->steady && workspace_steady(b->w) ? call_steps(f, b->w) : whole(b);
        if (ok && b->into) ok = bind_deliver(b);
        bind_end(b);
        b->ran |= ok;
    }
    if (!ok && b->w->over) say_over(b);
    if (f->profile) profile_call(f, start, ok);
    return ok ? 0 : 1;
}

bool bind_take(ThCall *b) {
    if (atomic_flag_test_and_set_explicit(&b->busy, memory_order_acquire))
        return err(b->f->ctx, TH_RuntimeError,
                   "a bound function is called while a call of it is at work, on another thread, between two slices or "
                   "from an operation of its own: it has memory for one call");
    b->error.kind = TH_OK;
    b->error.text[0] = 0;
    return true;
}

void bind_give(ThCall *b) { atomic_flag_clear_explicit(&b->busy, memory_order_release); }

int th_call_run(ThCall *b) {
    if (!b || !bind_take(b)) return -1;
    ErrorScope s;
    error_enter(&s, b->f->ctx, &b->error);
    int bad = bind_run(b);
    error_leave(&s);
    bind_give(b);
    return bad;
}

ThError th_call_error(const ThCall *b) { return b ? b->error.kind : TH_TypeError; }
const char *th_call_error_text(const ThCall *b) { return b ? b->error.text : "there is no call"; }

ThArray *th_call_output(ThCall *b, int i, unsigned *turn) {
    if (!b) return NULL;
    if (turn) *turn = b->turn;
    if (i < 0 || i >= b->f->nout) return NULL;
    return b->into && b->into[i].array ? b->into[i].array : b->w->borrowed[i];
}
