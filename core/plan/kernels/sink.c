/*
 * sink.c -- for a device, updates of shared variables come last, those of one formula side by side, so that one launch
 * does them all (core/runtime/many.c). And what stands behind a loop without hanging on it comes before it: as long as
 * a loop's turns wait for each other, a GPU has room for it. In: built kernels in the order of execution. Out: the
 * same, in another order. Always holds: of two steps one of which writes what the other one touches, the first one
 * stays the first.
 */
#include "plan/parts.h"

typedef struct Sunk {
    Made made;
    int level; /* what needs others' results comes behind them */
    uint64_t like;
    int at;
} Sunk;

typedef struct Sink {
    Planner *p;
    uint8_t *touched;  /* by root: READ, WRITTEN by a later step that stays */
    int *wrote, *read; /* by root: 1 + the highest level of the updates that write, read it */
    Sunk *sunk;
    int n;
} Sink;
enum { READ = 1, WRITTEN = 2 };

static bool is_update(const Planner *p, const Kernel *k, int acc) {
    const Root *r = &p->root.at[k->acc.at[acc].buf];
    return r->kind == BUF_SHARED || (r->kind == BUF_OUTPUT && r->kept && r->index >= p->fg->nplain_out);
}

/* Point by point, nothing that may fail, and it stores new values of shared variables alone. */
static bool updates(const Planner *p, const Kernel *k) {
    bool any = false;
    if (!k || k->can_fail || k->st.n != 1 || k->st.at[0].cls != STAGE_LOOP || k->red.n) return false;
    for (int d = 0; d < k->ndim; d++)
        if (k->dim[d].kind != DIM_PAR) return false;
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        if (!(x->flags & ACC_WRITE)) continue;
        if (x->idx >= 0 || x->guard >= 0 || !is_update(p, k, a)) return false;
        any = true;
    }
    return any;
}

/* ---- what a step that stays touches ------------------------------------------------------------------------------ */
static void touch_work(Sink *s, const Work *w) {
    Planner *p = s->p;
    for (int a = 0; w->kind == WORK_KERNEL && w->k && a < w->k->acc.n; a++) {
        const Access *x = &w->k->acc.at[a];
        s->touched[x->buf] |= (x->flags & ACC_READ ? READ : 0) | (x->flags & ACC_WRITE ? WRITTEN : 0);
    }
    const PlanHost *h = w->kind == WORK_HOST ? &p->host.at[w->host] : NULL;
    for (int i = 0; h && i < h->nin; i++)
        if (h->in[i].buf >= 0) s->touched[h->in[i].buf] |= READ;
    for (int i = 0; h && i < h->nout; i++)
        if (h->out[i].buf >= 0) s->touched[h->out[i].buf] |= WRITTEN;
    const Embed *e = w->kind == WORK_EMBED ? &p->embed.at[w->host] : NULL;
    for (int i = 0; e && i < e->nread; i++) s->touched[e->read[i]] |= READ;
    for (int i = 0; e && i < e->nwrite; i++) s->touched[e->write[i]] |= WRITTEN;
    for (int r = 0; w->kind == WORK_SIZE && r < 4; r += 2)
        for (int i = w->sizes[r]; i < w->sizes[r + 1]; i++) {
            const SizeIns *x = &p->sizes.ins.at[i];
            if (x->op == SHAPE_VALUE && x->dyn) s->touched[p->val[x->c].root] |= READ;
        }
}

static void touch(Sink *s, const Made *m) {
    Planner *p = s->p;
    for (int a = 0; m->k && a < m->k->acc.n; a++) {
        const Access *x = &m->k->acc.at[a];
        s->touched[x->buf] |= (x->flags & ACC_READ ? READ : 0) | (x->flags & ACC_WRITE ? WRITTEN : 0);
    }
    for (int i = p->group.at[m->group].first; i >= 0; i = p->member.at[i].next_in_group)
        touch_work(s, &p->work.at[p->member.at[i].work]);
}

static bool may_wait(const Sink *s, const Kernel *k) {
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        if (s->touched[x->buf] & (x->flags & ACC_WRITE ? READ | WRITTEN : WRITTEN)) return false;
    }
    return true;
}

/* ---- their order ------------------------------------------------------------------------------------------------- */
static uint64_t formula(const Kernel *k) {
    uint64_t h = hash_mix((uint64_t)k->ndim, (uint64_t)k->acc.n);
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *x = &k->ins.at[i];
        h = hash_mix(hash_mix(h, x->op), (uint64_t)x->dtype << 8 | x->depth);
        h = hash_mix(h, (uint64_t)(int64_t)x->a << 40 ^ (uint64_t)(int64_t)x->b << 20 ^ (uint64_t)(int64_t)x->c);
    }
    for (int a = 0; a < k->acc.n; a++) {
        h = hash_mix(h, (uint64_t)k->acc.at[a].flags << 8 | k->acc.at[a].dtype);
        for (int d = 0; d < k->ndim; d++) h = hash_mix(h, (uint64_t)k->acc.at[a].st[d].k);
    }
    return h;
}

static int level(Sink *s, const Kernel *k) {
    int most = 0;
    for (int a = 0; a < k->acc.n; a++) {
        int r = k->acc.at[a].buf;
        if (s->wrote[r] > most) most = s->wrote[r];
        if ((k->acc.at[a].flags & ACC_WRITE) && s->read[r] > most) most = s->read[r];
    }
    for (int a = 0; a < k->acc.n; a++) {
        int *of = k->acc.at[a].flags & ACC_WRITE ? s->wrote : s->read, r = k->acc.at[a].buf;
        if (most + 1 > of[r]) of[r] = most + 1;
    }
    return most;
}

static int in_order(const void *a, const void *b) {
    const Sunk *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    if (x->like != y->like) return x->like < y->like ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Arrays of any rank and lengths are one run of elements, of a length that the text of the kernel does not tell. */
static bool level_out(Planner *p, Kernel *k) {
    if (!kernel_collapse(p, k)) return false;
    if (k->ndim != 1 || (k->dim[0].n.sym >= 0 && k->dim[0].n.k == 1)) return true;
    int slot = sizes_materialize(&p->sizes, k->dim[0].n);
    if (slot >= 0) k->dim[0].n = (Size){1, slot};
    return slot >= 0;
}

bool sink_all(Planner *p) {
    size_t nroot = (size_t)p->root.n + 1, n = (size_t)p->made.n;
    if (!p->fg->device || p->fg->nout - p->fg->nplain_out < 2 || !n) return true;
    Sink s = {.p = p, .touched = arena_alloc0(p->arena, nroot), .sunk = arena_alloc0(p->arena, n * sizeof *s.sunk)};
    s.wrote = arena_alloc0(p->arena, nroot * sizeof *s.wrote);
    s.read = arena_alloc0(p->arena, nroot * sizeof *s.read);
    if (!s.touched || !s.sunk || !s.wrote || !s.read) return false;
    int stay = p->made.n;
    for (int i = p->made.n - 1; i >= 0; i--) { /* those that stay are moved to the end of the list, in their order */
        const Made m = p->made.at[i];
        if (updates(p, m.k) && may_wait(&s, m.k)) s.sunk[s.n++] = (Sunk){.made = m, .at = i};
        else {
            touch(&s, &m);
            p->made.at[--stay] = m;
        }
    }
    for (int i = s.n - 1; i >= 0; i--) {
        if (!level_out(p, s.sunk[i].made.k)) return false;
        s.sunk[i].level = level(&s, s.sunk[i].made.k);
        s.sunk[i].like = formula(s.sunk[i].made.k);
    }
    qsort(s.sunk, (size_t)s.n, sizeof *s.sunk, in_order);
    memmove(p->made.at, p->made.at + stay, (size_t)(p->made.n - stay) * sizeof *p->made.at);
    for (int i = 0; i < s.n; i++) p->made.at[p->made.n - s.n + i] = s.sunk[i].made;
    return true;
}

/* ---- before loops ------------------------------------------------------------------------------------------------ */
/* Point by point, nothing that may fail, and only values that the call forgets; in a kernel of its own. */
static bool may_rise(const Planner *p, const Made *m) {
    const Kernel *k = m->k;
    if (!k || m->nstages > 1 || k->can_fail || k->st.n != 1 || k->st.at[0].cls != STAGE_LOOP || k->red.n) return false;
    for (int d = 0; d < k->ndim; d++)
        if (k->dim[d].kind != DIM_PAR) return false;
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        const Root *r = &p->root.at[x->buf];
        if (x->idx >= 0 || x->guard >= 0 || x->flags & ACC_ROWTEMP) return false;
        if (x->flags & (ACC_WRITE | ACC_ADD) && (r->kind != BUF_TEMP || r->writers != 1)) return false;
    }
    return true;
}

static const Work *only_work(const Planner *p, const Made *m) {
    const Member *one = m->k ? NULL : &p->member.at[p->group.at[m->group].first];
    return one ? &p->work.at[one->work] : NULL;
}

/* What stands from the last loop on is held back; what may pass all of that goes by. */
typedef struct Rise {
    Made *out, *held;
    int nout, nheld;
} Rise;

static void let_go(Rise *r) {
    memcpy(r->out + r->nout, r->held, (size_t)r->nheld * sizeof *r->out);
    r->nout += r->nheld;
    r->nheld = 0;
}

bool sink_rise(Planner *p) {
    size_t n = (size_t)p->made.n;
    if (!p->fg->device || !p->embed.n || !n) return true;
    Sink s = {.p = p, .touched = arena_alloc0(p->arena, (size_t)p->root.n + 1)};
    Rise r = {.out = arena_alloc(p->arena, n * sizeof *r.out), .held = arena_alloc(p->arena, n * sizeof *r.held)};
    if (!s.touched || !r.out || !r.held) return false;
    for (int i = 0; i < p->made.n; i++) {
        const Made *m = &p->made.at[i];
        const Work *w = only_work(p, m);
        bool loop = w && w->kind == WORK_EMBED && p->embed.at[w->host].loop;
        if (w && w->kind != WORK_KERNEL) let_go(&r);
        if (loop) memset(s.touched, 0, (size_t)p->root.n);
        if (r.nheld && may_rise(p, m) && may_wait(&s, m->k)) r.out[r.nout++] = *m;
        else if (r.nheld || loop) {
            touch(&s, m);
            r.held[r.nheld++] = *m;
        } else r.out[r.nout++] = *m;
    }
    let_go(&r);
    memcpy(p->made.at, r.out, n * sizeof *r.out);
    return true;
}
