/*
 * versions.c -- which lengths of a function's calls deserve a unit of their own, and when it is built.
 *
 * In: the lengths of each new signature (compile.tiers is on) and how often it is called. Out: Workspace.version, the
 * code that serves this signature, or NULL: the generic unit does, from the first call with other lengths on. A version
 * is the same text with the short inner lengths as constants (schedule/choose.c says which), so its reductions have the
 * generic tree and order and its bits are the generic unit's. It is asked for when the calls of a signature have cost
 * what its build costs more than it would have, which foretells ten times as many; built by a compiler beside the
 * calls, so that none waits for it; at most 4 a function and 64 a context. Always holds: entries of Versions.at below
 * `n` change in `run` and `ended` alone.
 */
#include "versions.h"

#include "schedule/choose.h"

#include <string.h>

#define NEVER INT64_MAX

typedef struct Version {
    int64_t *known; /* by slot: its value, SIZE_UNKNOWN where any will do */
    Unit *unit;
    _Atomic(UnitRun *) run; /* NULL while it is being built, and when it cannot be */
    bool ended;             /* nothing more comes */
} Version;

struct Versions {
    MakeVersion *make;
    uint8_t *fixed; /* by slot: its value holds as long as the signature does */
    atomic_int n;
    Version at[CHOOSE_VERSIONS];
    struct {
        uint64_t key;
        int64_t calls;
    } seen[CHOOSE_SEEN]; /* signatures that were called and may be again; under the function's lock */
    int nsym;
    OsThread owner; /* the thread that made the function: it alone asks for builds */
};

Versions *versions_new(ThFunction *f, MakeVersion *make) {
    const Plan *p = f->plan;
    Versions *v = p->nstep <= CHOOSE_VERSION_STEPS ? ctx_alloc0(f->ctx, sizeof *v) : NULL;
    if (!v) return NULL;
    v->make = make;
    v->owner = os_thread();
    v->fixed = ctx_alloc0(f->ctx, (size_t)p->nsym + 1);
    if (!v->fixed) return ctx_free(f->ctx, v, sizeof *v), NULL;
    for (int i = 0; i < p->nshape_static; i++)
        if (p->shape[i].op < SHAPE_CHECK_EQ) v->fixed[p->shape[i].dst] = 1;
    for (int r = 0; r < p->nregion; r++)
        if (p->region[r].kind == REGION_LOOP) v->fixed[p->region[r].counter] = 0;
    v->nsym = p->nsym;
    return v;
}

void versions_free(ThContext *c, Versions *v) {
    if (!v) return;
    int n = atomic_load(&v->n);
    for (int i = 0; i < n; i++) {
        if (v->at[i].unit) v->at[i].unit->release(v->at[i].unit);
        ctx_free(c, v->at[i].known, sizeof(int64_t) * (size_t)(v->nsym + 1));
    }
    atomic_fetch_sub(&c->versions, n);
    ctx_free(c, v->fixed, (size_t)v->nsym + 1);
    ctx_free(c, v, sizeof *v);
}

/* ---- what a version would know, and gain ---- */
static double dim_value(const Workspace *w, const Step *s, Size z) {
    int64_t v = z.sym < 0 ? z.k : w->frame.sym[s->sym[z.sym]];
    if (v == SIZE_UNKNOWN) return 0;
    return z.sym < 0 ? (double)v : (double)z.k * (double)v;
}

/* What one call of the step saves; marks what the version is to know. */
static double step_gain(Workspace *w, const Step *s, const Kernel *k) {
    double n[KDIM];
    bool known[KDIM];
    for (int d = 0; d < k->ndim; d++) {
        int sym = k->dim[d].n.sym;
        n[d] = dim_value(w, s, k->dim[d].n);
        known[d] = sym >= 0 && w->fn->versions->fixed[s->sym[sym]];
    }
    double gain = choose_version_gain(k, n, known);
    for (int d = 0; d < k->ndim; d++)
        if (known[d]) w->known[s->sym[k->dim[d].n.sym]] = w->frame.sym[s->sym[k->dim[d].n.sym]];
    return gain;
}

static double gain(Workspace *w) {
    const Plan *p = w->fn->plan;
    double all = 0;
    for (int i = 0; i < p->nsym; i++) w->known[i] = SIZE_UNKNOWN;
    for (int i = 0; i < p->nstep; i++)
        if (p->step[i].kind == STEP_KERNEL) all += step_gain(w, &p->step[i], p->kernel[p->step[i].kernel]);
    return all;
}

/* ---- at a new signature ---- */
static Version *find(const Versions *v, const Workspace *w) {
    int n = atomic_load_explicit(&v->n, memory_order_acquire);
    for (int i = 0; i < n; i++)
        if (!memcmp(v->at[i].known, w->known, sizeof(int64_t) * (size_t)v->nsym))
            return (Version *)(uintptr_t)&v->at[i];
    return NULL;
}

/* The calls of this key, `more` added to those before; a key that comes new takes the place of the rarest. */
static int64_t calls_of(ThFunction *f, uint64_t key, int64_t more) {
    Versions *v = f->versions;
    workspace_lock(f);
    int at = 0;
    for (int i = 0; i < CHOOSE_SEEN && v->seen[at].key != key; i++)
        if (v->seen[i].key == key || v->seen[i].calls < v->seen[at].calls) at = i;
    if (v->seen[at].key != key) v->seen[at].key = key, v->seen[at].calls = 0;
    int64_t calls = v->seen[at].calls += more;
    workspace_unlock(f);
    return calls;
}

void versions_sign(ThFunction *f, Workspace *w) {
    Versions *v = f->versions;
    if (w->gain > 0) calls_of(f, w->key, w->waited - w->wait);
    w->version = NULL;
    w->gain = gain(w);
    w->wait = w->waited = NEVER;
    if (w->gain <= 0) return;
    w->key = hash_bytes(w->known, sizeof(int64_t) * (size_t)v->nsym, 31);
    Version *have = find(v, w);
    if (have && (w->version = atomic_load_explicit(&have->run, memory_order_acquire))) return;
    size_t text = f->unit && f->unit->source ? strlen(f->unit->source) : 0;
    double need = choose_build_ns(text) / w->gain;
    int64_t calls = have ? 0 : calls_of(f, w->key, 0);
    w->wait = have || need <= (double)calls + 2 ? 2 : need < 1e15 ? (int64_t)need - calls : NEVER;
    w->waited = w->wait;
}

/* ---- after the calls that were waited for ---- */
static void request(ThFunction *f, Workspace *w) {
    Versions *v = f->versions;
    ThContext *c = f->ctx;
    int n = atomic_load(&v->n);
    if (n == CHOOSE_VERSIONS || !os_thread_same(v->owner, os_thread())) return;
    if (atomic_fetch_add(&c->versions, 1) >= CHOOSE_ALL_VERSIONS) {
        atomic_fetch_sub(&c->versions, 1);
        return;
    }
    size_t bytes = sizeof(int64_t) * (size_t)(v->nsym + 1);
    Version *new = &v->at[n];
    *new = (Version){.known = ctx_alloc0(c, bytes)};
    if (new->known) memcpy(new->known, w->known, sizeof(int64_t) * (size_t)v->nsym);
    new->unit = new->known ? v->make(c, f->plan, new->known, NULL) : NULL;
    if (failed(c)) th_error_clear(c); /* for want of memory: the generic unit goes on */
    new->ended = !new->unit || !new->unit->poll;
    if (new->unit && !new->unit->poll) atomic_store(&new->run, new->unit->run);
    if (new->known) atomic_store_explicit(&v->n, n + 1, memory_order_release);
    else atomic_fetch_sub(&c->versions, 1);
}

static void poll(Version *have) {
    int now = have->ended ? 0 : have->unit->poll(have->unit, 0);
    if (now > 0) atomic_store_explicit(&have->run, have->unit->run, memory_order_release);
    have->ended |= now != 0;
}

void versions_ask(ThFunction *f, Workspace *w) {
    Versions *v = f->versions;
    w->wait = w->waited = CHOOSE_POLL;
    if (atomic_load(&f->building) || atomic_flag_test_and_set_explicit(&f->asking, memory_order_acquire)) return;
    Version *have = find(v, w);
    if (!have && atomic_load(&f->run)) request(f, w), have = find(v, w);
    else if (have) poll(have);
    bool over = have ? have->ended : !atomic_load(&f->run) || atomic_load(&v->n) == CHOOSE_VERSIONS;
    if (have) w->version = atomic_load(&have->run);
    atomic_flag_clear_explicit(&f->asking, memory_order_release);
    if (over || w->version) w->wait = w->waited = NEVER;
}
