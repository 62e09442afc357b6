/*
 * profile.c -- where the time of a profiled function goes. In: the start and end of each call and each step (of a
 * device: times.c). Out: totals per function, step and operation, and Theano's summary of them. Always holds: counts
 * are atomic, so calls from several threads add up; a function without a profile pays one comparison a call.
 */
#include "profile.h"

#include "tune.h"

#include <stdlib.h>
#include <string.h>

int64_t profile_now(void) { return base_now(); }

static void add(atomic_llong *to, int64_t v) { atomic_fetch_add_explicit(to, v, memory_order_relaxed); }
static int64_t get(const atomic_llong *from) { return atomic_load_explicit(from, memory_order_relaxed); }
static double seconds(int64_t ns) { return (double)ns * 1e-9; }

Profile *profile_new(ThContext *c, const Plan *p) {
    return ctx_alloc0(c, sizeof(Profile) + (size_t)p->nstep * sizeof(ProfileStep));
}

void profile_free(ThContext *c, const Plan *p, Profile *r) {
    ctx_free(c, r, sizeof *r + (size_t)p->nstep * sizeof(ProfileStep));
}

void profile_call(ThFunction *f, int64_t start, bool ok) {
    Profile *r = f->profile;
    int64_t ns = profile_now() - start;
    trace_note(f, -1, start, ns);
    add(&r->ns, ns);
    add(&r->calls, 1);
    if (!ok) add(&r->failed, 1);
}

void profile_add(Profile *r, int step, int64_t ns, bool there) {
    add(&r->step[step].ns, ns);
    add(&r->step[step].calls, 1);
    if (there) atomic_store_explicit(&r->step[step].there, true, memory_order_relaxed);
}

bool profile_wanted(const ThFrame *frame) { return frame->ws && (frame->ws->fn->profile || frame->ws->timed); }

int profile_step(ThFrame *frame, int step) {
    ThFunction *f = frame->ws->fn;
    Unit *u = frame->ws->timed ? frame->ws->timed : tune_unit(f);
    int64_t start = profile_now();
    int bad = u ? u->step(frame, step) : interp_step(f->interp, step, frame);
    int64_t ns = profile_now() - start;
    if (frame->ws->timed) tune_step(f, step, ns);
    if (f->profile) {
        trace_note(f, step, start, ns);
        profile_add(f->profile, step, ns, false);
    }
    return bad;
}

/* ---- looking ---- */
bool th_function_profile(const ThFunction *f, ThProfile *o) {
    if (!f) return false;
    if (!o) return err_missing(th_function_context(f), __func__), false;
    f = function_newest(f);
    const Profile *r = f->profile;
    if (!r) return false;
    *o = (ThProfile){.calls = get(&r->calls),
                     .failed_calls = get(&r->failed),
                     .call_time = seconds(get(&r->ns)),
                     .compile_time = seconds(r->built.ns_compile),
                     .optimizer_time = seconds(r->built.ns_optimizer),
                     .plan_time = seconds(r->built.ns_plan),
                     .build_time = seconds(r->built.ns_build),
                     .nsteps = f->plan->nstep};
    for (int i = 0; i < f->plan->nstep; i++) o->step_time += seconds(get(&r->step[i].ns));
    return true;
}

/* The operation a step stands for: one that calls the library, else its last node's. */
static const char *op_name(const Plan *p, int step) {
    static const char *const other[] = {"kernel", "host call", "transfer", "sizes", "allocation"};
    const Step *s = &p->step[step];
    if (s->op) return s->op;
    if (s->node >= 0 && s->node < p->nnode && p->node[s->node].op) return p->node[s->node].op;
    return s->title ? s->title : other[s->kind];
}

bool th_function_profile_step(const ThFunction *f, int i, ThProfileStep *o) {
    if (!f) return false;
    if (!o) return err_missing(th_function_context(f), __func__), false;
    f = function_newest(f);
    if (!f->profile || i < 0 || i >= f->plan->nstep) return false;
    const Step *s = &f->plan->step[i];
    *o = (ThProfileStep){.title = s->title && *s->title ? s->title : op_name(f->plan, i),
                         .op = op_name(f->plan, i),
                         .nodes = s->nodes,
                         .nnodes = s->nnodes,
                         .calls = get(&f->profile->step[i].calls),
                         .time = seconds(get(&f->profile->step[i].ns)),
                         .generated = f->unit && !f->unit->poll && !f->unit->device && s->kind == STEP_KERNEL};
    return true;
}

/* ---- the summary ---- */
typedef struct Line { /* a step, or all steps of an operation */
    const char *what;
    int64_t ns, calls;
    int n, step; /* how many steps; the first */
    const char *kind;
} Line;

static int slower(const void *a, const void *b) {
    const Line *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : x->step - y->step;
}

static int by_name(const void *a, const void *b) {
    const Line *x = a, *y = b;
    int c = strcmp(x->what, y->what);
    return c ? c : x->step - y->step;
}

const char *function_step_by(const ThFunction *f, int i) {
    ThProfileStep s = {0};
    f = function_newest(f);
    if (f->profile && atomic_load_explicit(&f->profile->step[i].there, memory_order_relaxed)) return "Gpu";
    if (th_function_profile_step(f, i, &s) && s.generated) return "C";
    return f->plan->step[i].kind == STEP_KERNEL ? "Interp" : "Lib";
}

static void steps_of(const ThFunction *f, Line *line) {
    for (int i = 0; i < f->plan->nstep; i++) {
        ThProfileStep s;
        th_function_profile_step(f, i, &s);
        line[i] = (Line){s.op, get(&f->profile->step[i].ns), s.calls, 1, i, function_step_by(f, i)};
    }
}

static int merge(Line *line, int n) { /* lines of one operation become one; returns how many are left */
    int k = 0;
    qsort(line, (size_t)n, sizeof *line, by_name);
    for (int i = 0; i < n; i++) {
        if (!k || strcmp(line[k - 1].what, line[i].what)) line[k++] = line[i];
        else {
            line[k - 1].ns += line[i].ns;
            line[k - 1].calls += line[i].calls;
            line[k - 1].n++;
        }
    }
    return k;
}

static void head(Text *t, const ThFunction *f) {
    ThProfile r;
    th_function_profile(f, &r);
    double part = r.call_time > 0 ? 100 * r.step_time / r.call_time : 0;
    text_put(t, "Function profiling\n==================\n");
    text_printf(t, "  Message: %s\n", f->name ? f->name : "a function without a name");
    text_printf(t, "  Time in %lld calls to Function.__call__: %es\n", (long long)r.calls, r.call_time);
    if (r.failed_calls) text_printf(t, "  Calls that raised an error: %lld\n", (long long)r.failed_calls);
    text_printf(t, "  Time in thunks: %es (%.3f%%)\n", r.step_time, part);
    text_printf(t, "  Total compile time: %es\n", r.compile_time);
    text_printf(t, "    Theano Optimizer time: %es\n", r.optimizer_time);
    text_printf(t, "    Theano Linker time (includes C, CUDA code generation/compiling): %es\n",
                r.plan_time + r.build_time);
    text_printf(t, "       Planning: %es\n       Building: %es\n\n", r.plan_time, r.build_time);
}

static void table(Text *t, const ThFunction *f, const Line *line, int n, int most, bool steps) {
    int64_t total = 0, sum = 0;
    for (int i = 0; i < n; i++) total += line[i].ns;
    text_put(t, steps ? "Apply\n------\n" : "Class\n---\n");
    text_printf(t, "<%% time> <sum %%> <apply time> <time per call> <type> <#call> <%s> <%s name>\n",
                steps ? "toposort indices" : "#apply", steps ? "Apply" : "Class");
    for (int i = 0; i < n && i < most; i++) {
        const Line *l = &line[i];
        sum += l->ns;
        double all = total ? (double)total : 1;
        text_printf(t, " %5.1f%%  %5.1f%%  %9.3fs  %11.2es  %-6s %7lld  ", 100 * (double)l->ns / all,
                    100 * (double)sum / all, seconds(l->ns), l->calls ? seconds(l->ns) / (double)l->calls : 0, l->kind,
                    (long long)l->calls);
        if (!steps) {
            text_printf(t, "%4d   %s\n", l->n, l->what);
            continue;
        }
        const Step *s = &f->plan->step[l->step];
        text_put(t, "[");
        for (int k = 0; k < s->nnodes; k++) text_printf(t, k ? ", %d" : "%d", s->nodes[k]);
        text_printf(t, "]   %s\n", s->title && *s->title ? s->title : l->what);
    }
    if (n > most) {
        for (int i = most; i < n; i++) sum += line[i].ns;
        text_printf(t, "   ... (remaining %d %s not shown)\n", n - most, steps ? "Apply instances" : "Classes");
    }
    text_put(t, "\n");
}

char *th_function_profile_text(ThFunction *f, int n_ops, int n_apply) {
    if (!f) return NULL;
    f = function_newest(f);
    ThContext *c = f->ctx;
    if (failed(c)) return NULL;
    if (!f->profile)
        return err(c, TH_ValueError, "the function was compiled without profile = true: nothing was measured"), NULL;
    int n = f->plan->nstep;
    size_t bytes = sizeof(Line) * (size_t)(n + 1);
    Line *line = ctx_alloc0(c, bytes);
    if (!line) return NULL;
    Text t;
    text_init(&t, c);
    head(&t, f);
    steps_of(f, line);
    int nops = merge(line, n);
    qsort(line, (size_t)nops, sizeof *line, slower);
    table(&t, f, line, nops, n_ops, false);
    steps_of(f, line);
    qsort(line, (size_t)n, sizeof *line, slower);
    table(&t, f, line, n, n_apply, true);
    ctx_free(c, line, bytes);
    tune_text(&t, f);
    return text_take(&t);
}
