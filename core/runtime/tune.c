/*
 * tune.c -- the flag compile.autotune: candidates of a function's kernels are timed beside its calls, and the fastest
 * of each kernel are built into the unit that serves from then on.
 *
 * In: a function's calls of one signature, that of its first one. Out: its unit, replaced once. Unit j has every kernel
 * by its candidate j (schedule/choose.c; of those that have fewer, by what costs least); calls are done by the units
 * in turn, step by step, with each step's time taken. So no call is made that was not asked for, and since all
 * candidates give the same bits, no call can tell by which of them it was done. What won is kept for later processes
 * (machine/tuned.c) under the kernel's text, its lengths and the machine; then nothing is timed. Always holds: what
 * stands in Tune changes under `busy` alone, which no call waits for; the thread that made the function builds.
 */
#include "tune.h"

#include "profile.h"
#include "runtime/machine/cpu.h"
#include "schedule/choose.h"

#include <string.h>

enum { TURNS = 6 }; /* calls that each unit does; the first of them does not count */
#define WORTH 0.95  /* of the time of what costs least, for another one to be taken */
#define FILE_NAME "lua-kernels.tuned"

typedef enum {
    TUNE_START,  /* no call yet */
    TUNE_BUILD,  /* units of candidates, one after the other */
    TUNE_TIME,   /* calls are timed */
    TUNE_DECIDE, /* all are */
    TUNE_LAST,   /* the unit of the fastest is being built */
    TUNE_OVER
} TunePhase;

struct Tune {
    MakeVersion *make;
    bool (*candidates)(ThContext *c, const Plan *p, uint8_t *n);
    atomic_flag busy;
    atomic_int phase;
    OsThread owner;
    int most, n; /* units wanted; that there are */
    Unit *unit[CHOOSE_CANDIDATES];
    Unit *best;          /* the unit that serves in the end, where it is none of these */
    uint8_t *all, *fast; /* by kernel: candidates that are timed; the fastest */
    uint8_t *wanted;     /* ..of the unit that is made */
    uint64_t *key;       /* by kernel */
    int64_t *least;      /* by step and unit: nanoseconds */
    uint64_t lengths;    /* of the signature that is timed */
    int64_t calls;
    bool *timed; /* by kernel: not known from earlier processes */
};

static int units(const Tune *u) { return u->most < CHOOSE_CANDIDATES ? u->most : CHOOSE_CANDIDATES; }

/* ---- making and freeing ---- */
static void *room(ThFunction *f, size_t bytes) { return ctx_alloc0(f->ctx, bytes + 8); }

Tune *tune_new(ThFunction *f, const FunctionSpec *s) {
    const Plan *p = f->plan;
    size_t nk = (size_t)p->nkernel;
    Tune *u = p->nstep <= CHOOSE_VERSION_STEPS && p->nkernel ? ctx_alloc0(f->ctx, sizeof *u) : NULL;
    if (!u) return NULL;
    u->make = s->tune;
    u->candidates = s->candidates;
    u->most = s->autotune;
    u->owner = os_thread();
    u->all = room(f, nk);
    u->fast = room(f, nk);
    u->wanted = room(f, nk);
    u->timed = room(f, nk * sizeof *u->timed);
    u->key = room(f, nk * sizeof *u->key);
    u->least = room(f, (size_t)p->nstep * CHOOSE_CANDIDATES * sizeof *u->least);
    f->tune = u;
    if (u->all && u->fast && u->wanted && u->timed && u->key && u->least) return u;
    tune_free(f);
    return NULL;
}

static void free_units(Tune *u) {
    for (int j = 1; j < CHOOSE_CANDIDATES; j++)
        if (u->unit[j]) u->unit[j]->release(u->unit[j]), u->unit[j] = NULL;
}

void tune_free(ThFunction *f) {
    Tune *u = f->tune;
    if (!u) return;
    size_t nk = (size_t)f->plan->nkernel;
    free_units(u);
    if (u->best) u->best->release(u->best);
    ctx_free(f->ctx, u->all, nk + 8);
    ctx_free(f->ctx, u->fast, nk + 8);
    ctx_free(f->ctx, u->wanted, nk + 8);
    ctx_free(f->ctx, u->timed, nk * sizeof *u->timed + 8);
    ctx_free(f->ctx, u->key, nk * sizeof *u->key + 8);
    ctx_free(f->ctx, u->least, (size_t)f->plan->nstep * CHOOSE_CANDIDATES * sizeof *u->least + 8);
    ctx_free(f->ctx, u, sizeof *u);
    f->tune = NULL;
}

/* ---- what is known ---- */
void tune_sign(ThFunction *f, Workspace *w) {
    w->lengths = hash_bytes(w->frame.sym, sizeof(int64_t) * (size_t)f->plan->nsym, 7);
}

static uint64_t dims(const Workspace *w, const Step *s, uint64_t h) {
    const Kernel *k = w->fn->plan->kernel[s->kernel];
    for (int d = 0; d < k->ndim; d++) {
        Size n = k->dim[d].n;
        int64_t v = n.sym < 0 ? n.k : w->frame.sym[s->sym[n.sym]];
        h = hash_mix(hash_mix(h, (uint64_t)n.k), (uint64_t)v);
    }
    return h;
}

/* The candidates of each kernel, and its key: of all the steps that run it. */
static bool look(ThFunction *f, const Workspace *w, const Tuned *t) {
    Tune *u = f->tune;
    const Plan *p = f->plan;
    uint64_t h = hash_bytes(th_version(), strlen(th_version()), tuned_machine(t));
    h = hash_mix(h, (uint64_t)(config_bool(f->ctx, "openmp") ? parallel_threads(f->ctx) : 0));
    if (!u->candidates(f->ctx, p, u->all)) return false;
    u->n = 1;
    for (int k = 0; k < p->nkernel; k++) {
        if (u->all[k] > units(u)) u->all[k] = (uint8_t)units(u);
        if (u->all[k] > u->n) u->n = u->all[k];
        u->key[k] = hash_mix(hash_mix(h, p->kernel[k]->key), u->all[k]);
    }
    for (int i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_KERNEL)
            u->key[p->step[i].kernel] = hash_mix(dims(w, &p->step[i], u->key[p->step[i].kernel]), 1);
    for (int k = 0; k < p->nkernel; k++) u->key[k] += !u->key[k];
    return true;
}

/* How many kernels have to be timed. */
static int remember(ThFunction *f, Cpu *cpu) {
    Tune *u = f->tune;
    int left = 0;
    for (int k = 0; k < f->plan->nkernel; k++) {
        uint64_t found = 0;
        os_lock(&cpu->lock);
        bool known = u->all[k] < 2 || tuned_get(cpu->kernel_tuned, u->key[k], u->all[k], &found);
        os_unlock(&cpu->lock);
        u->fast[k] = (uint8_t)found;
        u->timed[k] = !known;
        left += !known;
    }
    return left;
}

static Cpu *records(ThContext *c) {
    Cpu *cpu = cpu_of(c);
    if (!cpu) return NULL;
    os_lock(&cpu->lock);
    if (!cpu->kernel_tuned) cpu->kernel_tuned = tuned_open(c, FILE_NAME);
    bool there = cpu->kernel_tuned != NULL;
    os_unlock(&cpu->lock);
    return there ? cpu : NULL;
}

/* ---- phases: by the thread that made the function, `busy` held ---- */
static TunePhase last(ThFunction *f) {
    Tune *u = f->tune;
    bool other = false;
    for (int k = 0; k < f->plan->nkernel; k++) other |= u->fast[k] > 0;
    if (!other) return TUNE_OVER;
    u->best = u->make(f->ctx, f->plan, NULL, u->fast);
    return u->best ? TUNE_LAST : TUNE_OVER;
}

static TunePhase start(ThFunction *f, Workspace *w) {
    Tune *u = f->tune;
    Cpu *cpu = records(f->ctx);
    if (!cpu || !look(f, w, cpu->kernel_tuned)) return TUNE_OVER;
    u->lengths = w->lengths;
    u->unit[0] = f->unit;
    for (int i = 0; i < f->plan->nstep * CHOOSE_CANDIDATES; i++) u->least[i] = INT64_MAX;
    return remember(f, cpu) ? TUNE_BUILD : last(f);
}

/* 1: there; 0: not yet; -1: it will not be. */
static int there(Unit *unit) { return !unit ? -1 : !unit->poll ? 1 : unit->run ? 1 : unit->poll(unit, 0); }

static TunePhase build(ThFunction *f) {
    Tune *u = f->tune;
    int j = 1, now = 1;
    while (j < u->n && u->unit[j] && (now = there(u->unit[j])) > 0) j++;
    if (now < 0) return TUNE_OVER;
    if (j == u->n) return TUNE_TIME;
    if (u->unit[j]) return TUNE_BUILD;
    for (int k = 0; k < f->plan->nkernel; k++) u->wanted[k] = (uint8_t)(j < u->all[k] && u->timed[k] ? j : u->fast[k]);
    u->unit[j] = u->make(f->ctx, f->plan, NULL, u->wanted);
    return u->unit[j] ? TUNE_BUILD : TUNE_OVER;
}

/* What a call of the function spends in a kernel done by unit j; INT64_MAX: it was not timed. */
static int64_t spent(const ThFunction *f, int kernel, int j) {
    int64_t all = 0;
    for (int i = 0; i < f->plan->nstep; i++) {
        const Step *s = &f->plan->step[i];
        if (s->kind != STEP_KERNEL || s->kernel != kernel) continue;
        int64_t ns = f->tune->least[i * CHOOSE_CANDIDATES + j];
        if (ns == INT64_MAX) return ns;
        all += ns;
    }
    return all;
}

static TunePhase decide(ThFunction *f) {
    Tune *u = f->tune;
    Cpu *cpu = records(f->ctx);
    for (int k = 0; cpu && k < f->plan->nkernel; k++) {
        int64_t first = spent(f, k, 0), best = first;
        if (!u->timed[k] || first == INT64_MAX) continue;
        for (int j = 1; j < u->all[k]; j++) {
            int64_t ns = spent(f, k, j);
            if (ns < best && (double)ns < WORTH * (double)first) best = ns, u->fast[k] = (uint8_t)j;
        }
        os_lock(&cpu->lock);
        bool kept = tuned_put(cpu->kernel_tuned, u->key[k], u->fast[k]);
        os_unlock(&cpu->lock);
        if (kept) tuned_save(f->ctx, cpu->kernel_tuned, u->key[k], u->fast[k]);
    }
    free_units(u);
    return last(f);
}

static TunePhase serve(ThFunction *f) {
    Tune *u = f->tune;
    int now = there(u->best);
    if (now > 0) atomic_store_explicit(&f->run, u->best->run, memory_order_release);
    return now ? TUNE_OVER : TUNE_LAST;
}

static void step_on(ThFunction *f, Workspace *w, TunePhase phase) {
    Tune *u = f->tune;
    if (phase == TUNE_START) phase = start(f, w);
    if (phase == TUNE_BUILD) phase = build(f);
    if (phase == TUNE_DECIDE) phase = decide(f);
    if (phase == TUNE_LAST) phase = serve(f);
    if (failed(f->ctx)) th_error_clear(f->ctx), phase = TUNE_OVER; /* for want of memory: the unit goes on */
    atomic_store(&u->phase, phase);
}

/* ---- at calls ---- */
bool tune_over(const ThFunction *f) { return atomic_load_explicit(&f->tune->phase, memory_order_acquire) == TUNE_OVER; }

bool tune_look(ThFunction *f, Workspace *w) {
    Tune *u = f->tune;
    if (atomic_load(&f->building) || !atomic_load(&f->run) || !f->unit->step) return false;
    if (atomic_flag_test_and_set_explicit(&u->busy, memory_order_acquire)) return false;
    TunePhase phase = (TunePhase)atomic_load(&u->phase);
    if (phase != TUNE_TIME && phase != TUNE_OVER && os_thread_same(u->owner, os_thread())) step_on(f, w, phase);
    if (atomic_load(&u->phase) == TUNE_TIME && w->lengths == u->lengths) {
        w->timed = u->unit[u->calls % u->n];
        return true; /* busy until tune_end */
    }
    atomic_flag_clear_explicit(&u->busy, memory_order_release);
    return false;
}

void tune_step(ThFunction *f, int step, int64_t ns) {
    Tune *u = f->tune;
    int j = (int)(u->calls % u->n);
    int64_t *least = &u->least[step * CHOOSE_CANDIDATES + j];
    if (f->ctx->tune_clock) ns = f->ctx->tune_clock(j, ns);
    if (u->calls >= u->n && ns < *least) *least = ns; /* the first ones find cold caches */
}

void tune_end(ThFunction *f, Workspace *w, bool ok) {
    Tune *u = f->tune;
    w->timed = NULL;
    u->calls += ok;
    if (u->calls == (int64_t)u->n * TURNS) atomic_store(&u->phase, TUNE_DECIDE);
    atomic_flag_clear_explicit(&u->busy, memory_order_release);
}

Unit *tune_unit(const ThFunction *f) {
    if (f->tune && f->tune->best && tune_over(f) && f->tune->best->run) return f->tune->best;
    return f->unit && !f->unit->poll && f->unit->step ? f->unit : NULL;
}

/* ---- looking ---- */
uint8_t function_candidate(const ThFunction *f, int kernel) {
    f = function_newest(f);
    bool served = f->tune && tune_over(f) && f->tune->best && f->tune->best->run;
    return served ? f->tune->fast[kernel] : 0;
}

void tune_text(Text *t, const ThFunction *f) {
    static const char *const phase[] = {"not begun", "building candidates",  "timing",
                                        "timed",     "building the fastest", "over"};
    const Tune *u = f->tune;
    if (!u) return;
    text_printf(t, "Schedules (compile.autotune=%d): %s\n", u->most, phase[atomic_load(&u->phase)]);
    for (int k = 0; tune_over(f) && k < f->plan->nkernel; k++) {
        if (u->all[k] < 2) continue;
        text_printf(t, "   candidate %d of %d", u->fast[k], u->all[k]);
        if (!u->timed[k]) text_put(t, ", known from an earlier process");
        for (int j = 0; u->timed[k] && j < u->all[k]; j++) {
            int64_t ns = spent(f, k, j);
            if (ns != INT64_MAX) text_printf(t, "%s %.2es", j ? "," : ":", (double)ns * 1e-9);
        }
        text_printf(t, "   %s\n", f->plan->kernel[k]->title ? f->plan->kernel[k]->title : "");
    }
    text_putc(t, '\n');
}
