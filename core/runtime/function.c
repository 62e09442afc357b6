/*
 * function.c -- a compiled function: made once, immutable, called through workspaces.
 * A call checks its arguments, runs the steps, then commits updates and hands out results; an error anywhere leaves
 * every shared variable as it was.
 */
#include "cpu.h"
#include "function.h"

#include <sched.h>
#include <string.h>

static bool copy_inputs(ThFunction *f, const FunctionSpec *s) {
    f->nin = s->nin;
    f->in = ctx_alloc0(f->ctx, sizeof *f->in * (size_t)(s->nin + 1));
    if (!f->in) return false;
    for (int i = 0; i < s->nin; i++) {
        const ThIn *in = &s->in[i];
        const char *name = in->name ? in->name : in->var ? th_var_name(in->var) : NULL;
        f->in[i] = (FnIn){.var = th_var_retain(in->var),
                          .name = name ? intern(f->ctx, name) : NULL,
                          .type = f->plan->input[i].type,
                          .mutable_ = in->mutable_,
                          .borrow = in->borrow,
                          .strict = in->strict,
                          .implicit = in->implicit,
                          .allow_downcast = in->allow_downcast};
        if (f->in[i].allow_downcast < 0) f->in[i].allow_downcast = s->allow_input_downcast;
    }
    for (int i = 0; i < s->nin; i++)
        if (s->in[i].value && !(f->in[i].value = filter_array(f, i, s->in[i].value))) return false;
    return true;
}

static bool copy_outputs(ThFunction *f, const FunctionSpec *s) {
    f->nout = s->nout;
    f->out_borrow = ctx_alloc0(f->ctx, (size_t)s->nout + 1);
    f->out_var = ctx_alloc0(f->ctx, sizeof *f->out_var * (size_t)(s->nout + 1));
    if (!f->out_borrow || !f->out_var) return false;
    for (int i = 0; i < s->nout; i++) {
        f->out_borrow[i] = s->out[i].borrow;
        f->out_var[i] = th_var_retain(s->out[i].var);
    }
    return true;
}

/* By address: two functions over the same shareds never wait for each other in a circle. */
static bool order_locks(ThFunction *f) {
    const Plan *p = f->plan;
    f->written = ctx_alloc0(f->ctx, sizeof *f->written * (size_t)(p->nshared + 1));
    if (!f->written) return false;
    for (int i = 0; i < p->nshared; i++) {
        if (!p->shared_written[i]) continue;
        int at = f->nwritten++;
        for (; at > 0 && KEY(p->shared[f->written[at - 1]]) > KEY(p->shared[i]); at--)
            f->written[at] = f->written[at - 1];
        f->written[at] = i;
    }
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
    f->ctx = f->internal ? c : th_context_retain(c);
    f->plan = plan_retain(s->plan);
    f->name = s->name ? intern(c, s->name) : NULL;
    f->verbose = s->exception_verbose;
    f->interp = cpu_of(c) ? interp_unit(s->plan) : NULL; /* known now, so that no call allocates for it */
    bool ok = f->interp && copy_inputs(f, s) && copy_outputs(f, s) && order_locks(f);
    if (!ok) { /* the caller keeps unit and graph */
        th_function_release(f);
        return NULL;
    }
    count_signature(f);
    f->unit = s->unit;
    f->fg = s->fg;
    return f;
}

ThFunction *th_function_retain(ThFunction *f) {
    if (f) atomic_fetch_add(&f->refs, 1);
    return f;
}

static void drop_parts(ThFunction *f) {
    ThContext *c = f->ctx;
    for (Workspace *w = f->idle, *next; w; w = next) {
        next = w->next;
        workspace_free(w);
    }
    if (f->unit) f->unit->release(f->unit);
    interp_unit_free(f->interp);
    if (f->fg) fg_free(f->fg);
    for (int i = 0; f->in && i < f->nin; i++) {
        th_var_release(f->in[i].var);
        th_array_release(f->in[i].value);
    }
    for (int i = 0; f->out_var && i < f->nout; i++) th_var_release(f->out_var[i]);
    ctx_free(c, f->in, sizeof *f->in * (size_t)(f->nin + 1));
    ctx_free(c, f->written, sizeof *f->written * (size_t)(f->plan->nshared + 1));
    ctx_free(c, f->out_borrow, (size_t)f->nout + 1);
    ctx_free(c, f->out_var, sizeof *f->out_var * (size_t)(f->nout + 1));
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

int th_function_ninputs(const ThFunction *f) { return f->nin; }
int th_function_noutputs(const ThFunction *f) { return f->nout; }
const char *th_function_input_name(const ThFunction *f, int i) { return f->in[i].name; }
ThVar *th_function_input_var(const ThFunction *f, int i) { return f->in[i].var; }
ThType th_function_output_type(const ThFunction *f, int i) { return f->plan->output[i].type; }
const char *th_function_name(const ThFunction *f) { return f->name; }
ThContext *th_function_context(const ThFunction *f) { return f->ctx; }
FGraph *function_fgraph(ThFunction *f) { return f->fg; }
const Plan *function_plan(ThFunction *f) { return f->plan; }
Unit *function_unit(ThFunction *f) { return f->unit; }

/* ---- call ---- */
static bool fits(const FnIn *in, const ThArray *a) {
    if (a->dtype != in->type.dtype || a->ndim != in->type.ndim || a->buf->freed) return false;
    for (uint32_t b = in->type.broadcastable; b; b &= b - 1)
        if (ARRAY_SHAPE(a)[__builtin_ctz(b)] != 1) return false;
    return !(in->mutable_ && (a->flags & ARRAY_READONLY));
}

static ThArray *default_value(ThFunction *f, int i) {
    if (f->in[i].value) return th_array_retain(f->in[i].value);
    if (f->in[i].name) err(f->ctx, TH_TypeError, "Missing required input: %s", f->in[i].name);
    else err(f->ctx, TH_TypeError, "Missing required input: argument %d of %d", i, f->nin);
    return NULL;
}

/* An argument that a step overwrites must not share memory with another argument. */
static bool separate(ThFunction *f, Workspace *w) {
    for (int i = 0; i < f->nin; i++)
        for (int j = 0; f->in[i].mutable_ && j < f->nin; j++) {
            if (j == i || !th_array_shares_memory(w->arg[i], w->arg[j])) continue;
            ThArray *copy = th_array_copy(w->arg[j]);
            if (!copy) return false;
            th_array_release(w->arg[j]);
            w->arg[j] = copy;
        }
    return true;
}

/* Plans take C-contiguous arguments unless they said `strided`; others are copied. */
static bool dense(ThFunction *f, Workspace *w, int i) {
    ThArray *a = w->arg[i];
    if ((a->flags & ARRAY_CONTIGUOUS) || f->plan->input[i].strided) return true;
    ThArray *copy = th_array_copy(a);
    if (!copy) return false;
    th_array_release(a);
    w->arg[i] = copy;
    return true;
}

static bool arguments(ThFunction *f, Workspace *w, ThArray *const *args, int nargs) {
    if (nargs > f->nin)
        return err(f->ctx, TH_TypeError, "Too many parameter passed to theano function%s%s: %d given, %d expected",
                   f->name ? " " : "", f->name ? f->name : "", nargs, f->nin);
    bool any_mutable = false;
    for (int i = 0; i < f->nin; i++) {
        ThArray *a = i < nargs ? args[i] : NULL;
        w->arg[i] = !a ? default_value(f, i) : fits(&f->in[i], a) ? th_array_retain(a) : filter_array(f, i, a);
        if (!w->arg[i] || !dense(f, w, i)) return false;
        any_mutable |= f->in[i].mutable_;
    }
    return !any_mutable || separate(f, w);
}

static void lock_shared(const ThFunction *f) {
    for (int i = 0; i < f->nwritten; i++)
        while (atomic_flag_test_and_set_explicit(&f->plan->shared[f->written[i]]->busy, memory_order_acquire))
            sched_yield();
}

static void unlock_shared(const ThFunction *f) {
    for (int i = f->nwritten - 1; i >= 0; i--)
        atomic_flag_clear_explicit(&f->plan->shared[f->written[i]]->busy, memory_order_release);
}

static bool run(ThFunction *f, Workspace *w) {
    if (workspace_prepare(w)) return false;
    int bad = f->unit ? f->unit->run(&w->frame) : interp_run(f->interp, &w->frame);
    if (bad && !failed(f->ctx)) report_failure(w);
    return !bad;
}

/* Everything that may fail, before anything is given away: headers of results, then of updates. */
static bool describe(ThFunction *f, Workspace *w) {
    const Plan *p = f->plan;
    for (int i = 0; i < p->noutput; i++)
        if (!(w->result[i] = workspace_value(w, &p->result[i]))) return false;
    for (int i = 0; i < p->nupdate; i++)
        if (!(w->result[p->noutput + i] = workspace_value(w, &p->update[i].value))) return false;
    return true;
}

static void commit(ThFunction *f, Workspace *w, ThArray **out) {
    const Plan *p = f->plan;
    for (int i = 0; i < p->nupdate; i++) {
        Shared *s = p->shared[p->update[i].shared];
        ThArray *new_ = w->result[p->noutput + i], *old = s->value;
        w->result[p->noutput + i] = NULL;
        if (old->ndim != new_->ndim || memcmp(old->dims, new_->dims, sizeof(int64_t) * 2 * (size_t)new_->ndim))
            atomic_fetch_add(&s->stamp, 1);
        s->value = new_;
        th_array_release(old);
    }
    for (int i = 0; i < p->noutput; i++) {
        out[i] = w->result[i];
        w->result[i] = NULL;
    }
}

static void clean(ThFunction *f, Workspace *w) {
    const Plan *p = f->plan;
    for (int i = 0; i < p->noutput + p->nupdate; i++) {
        th_array_release(w->result[i]);
        w->result[i] = NULL;
    }
    for (int b = 0; b < p->nbuf; b++)
        if (w->outbuf[b]) {
            buffer_release(w->outbuf[b]);
            w->outbuf[b] = NULL;
        }
    for (int i = 0; i < f->nin; i++) {
        th_array_release(w->arg[i]);
        w->arg[i] = NULL;
    }
}

int th_call(ThFunction *f, ThArray *const *args, int nargs, ThArray **out) {
    ThContext *c = f->ctx;
    Workspace *w = workspace_take(f);
    if (!w) return 1;
    atomic_store_explicit(&c->interrupted, 0, memory_order_relaxed);
    bool ok = arguments(f, w, args, nargs);
    if (ok) {
        lock_shared(f);
        ok = run(f, w) && describe(f, w);
        if (ok) commit(f, w, out);
        unlock_shared(f);
    }
    clean(f, w);
    workspace_give(f, w);
    return ok ? 0 : 1;
}
