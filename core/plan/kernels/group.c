/*
 * group.c -- which works share a kernel. In: works in schedule order. Out: groups, each run where its last member
 * stood. The schedule is walked backwards: a work joins the group of its readers when it can be computed point by point
 * where they read it. Joining only ever delays a work, so it is legal when nobody outside needs it earlier and nothing
 * it reads is overwritten in between. Always holds: a stored root is read only by groups that run after its own.
 */
#include "plan/apart.h"
#include "plan/parts.h"

enum { MAX_JOIN = 8 }; /* groups that read a work */

/* What a kernel is to the grouper. */
static void classify(Work *w) {
    const Kernel *k = w->k;
    if (!k || k->st.n != 1) return;
    const Stage *s = &k->st.at[0];
    bool plain = true, par = true;
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        if ((a->flags & ACC_WRITE) && (a->flags & (ACC_ADD | ACC_READ | ACC_ROWTEMP) || a->idx >= 0 || a->guard >= 0))
            plain = false;
    }
    for (int d = 0; d < k->ndim; d++) par &= k->dim[d].kind == DIM_PAR;
    w->call = stage_calls(s);
    w->point = s->cls == STAGE_LOOP && plain && par && k->red.n == 0;
    w->reduce = s->cls == STAGE_LOOP && plain && k->red.n > 0;
}

/* ---- indexes: readers and writers of each root ---- */
static void each_use(Planner *p, int w, bool writes, void (*fn)(Planner *p, int root, int w, int acc)) {
    const Work *k = &p->work.at[w];
    if (k->kind == WORK_KERNEL) {
        for (int a = 0; a < k->k->acc.n; a++)
            if (k->k->acc.at[a].flags & (writes ? ACC_WRITE : ACC_READ)) fn(p, k->k->acc.at[a].buf, w, a);
    } else if (k->kind == WORK_HOST) {
        const PlanHost *h = &p->host.at[k->host];
        for (int i = 0; i < (writes ? h->nout : h->nin); i++) {
            const PlanValue *v = writes ? &h->out[i] : &h->in[i];
            if (v->buf >= 0) fn(p, v->buf, w, -1);
        }
    } else if (k->kind == WORK_EMBED) {
        const Embed *e = &p->embed.at[k->host];
        for (int i = 0; i < (writes ? e->nwrite : e->nread); i++) fn(p, writes ? e->write[i] : e->read[i], w, -1);
    } else if (!writes) {
        for (int r = 0; r < 4; r += 2)
            for (int i = k->sizes[r]; i < k->sizes[r + 1]; i++) {
                const SizeIns *s = &p->sizes.ins.at[i];
                if (s->op == SHAPE_VALUE && s->dyn) fn(p, p->val[s->c].root, w, -1);
            }
    }
}

static void count_read(Planner *p, int r, int w, int acc) { (void)w, (void)acc, p->use0[r + 1]++; }
static void put_read(Planner *p, int r, int w, int acc) { p->use[p->use0[r]++] = (Use){w, acc}; }
static void count_write(Planner *p, int r, int w, int acc) { (void)w, (void)acc, p->wr0[r + 1]++; }
static void put_write(Planner *p, int r, int w, int acc) { (void)acc, p->wr[p->wr0[r]++] = w; }

/* Counting sort of all uses by root; positions stay ascending. */
static bool index_uses(Planner *p) {
    int n = p->root.n;
    p->use0 = arena_alloc0(p->arena, (size_t)(n + 2) * sizeof(int));
    p->wr0 = arena_alloc0(p->arena, (size_t)(n + 2) * sizeof(int));
    if (!p->use0 || !p->wr0) return false;
    for (int w = 0; w < p->work.n; w++) each_use(p, w, false, count_read), each_use(p, w, true, count_write);
    for (int r = 0; r < n; r++) p->root.at[r].writers = p->wr0[r + 1];
    for (int r = 0; r < n; r++) p->use0[r + 1] += p->use0[r], p->wr0[r + 1] += p->wr0[r];
    p->use = arena_alloc(p->arena, (size_t)(p->use0[n] + 1) * sizeof(Use));
    p->wr = arena_alloc(p->arena, (size_t)(p->wr0[n] + 1) * sizeof(int));
    if (!p->use || !p->wr) return false;
    for (int w = 0; w < p->work.n; w++) each_use(p, w, false, put_read), each_use(p, w, true, put_write);
    for (int r = n; r > 0; r--) p->use0[r] = p->use0[r - 1], p->wr0[r] = p->wr0[r - 1];
    p->use0[0] = p->wr0[0] = 0;
    return true;
}

/* First work after w that stores into root r, or INT32_MAX. */
int group_next_writer(const Planner *p, int r, int w) {
    int lo = p->wr0[r], hi = p->wr0[r + 1];
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (p->wr[mid] > w) hi = mid;
        else lo = mid + 1;
    }
    return lo < p->wr0[r + 1] ? p->wr[lo] : INT32_MAX;
}

/* ---- membership ---- */
uint64_t group_access_key(Planner *p, const Access *a, const int8_t *map, int ndim) {
    Size st[KDIM];
    for (int d = 0; d < KDIM; d++) st[d] = size_const(0);
    for (int d = 0; d < ndim; d++)
        if (map[d] >= 0) st[map[d]] = sizes_find(&p->sizes, a->st[d]);
    uint64_t h = hash_mix((uint64_t)a->buf, (uint64_t)a->off.k);
    h = hash_mix(h, (uint64_t)(int64_t)a->off.sym);
    for (int d = 0; d < KDIM; d++) h = hash_mix(hash_mix(h, (uint64_t)st[d].k), (uint64_t)(int64_t)st[d].sym);
    return h;
}

static bool writes_root(const Kernel *k, int r) {
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == r && (k->acc.at[a].flags & ACC_WRITE)) return true;
    return false;
}

static bool seen_before(const Seen *seen, int n, uint64_t key) {
    for (int i = 0; i < n; i++)
        if (key && seen[i].key == key) return true;
    return false;
}

/*
 * The accesses of group g with w in it, into out (room for KACC). `stores`: w's stores stay; else they and the loads of
 * what they stored vanish. Returns how many, KACC + 1 when there are more than the cap.
 */
static int with_accesses(Planner *p, int w, const Group *g, const int8_t *map, bool stores, Seen *out) {
    const Kernel *k = p->work.at[w].k;
    int n = 0;
    for (int i = 0; i < g->nacc; i++)
        if (!writes_root(k, g->seen[i].root)) out[n++] = g->seen[i];
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        bool write = (x->flags & ACC_WRITE) != 0;
        if (write && !stores) continue;
        Seen s = {x->idx < 0 && x->guard < 0 && !write ? group_access_key(p, x, map, k->ndim) : 0, x->buf};
        if (seen_before(out, n, s.key)) continue;
        if (n == KACC) return KACC + 1;
        out[n++] = s;
    }
    return n;
}

/* Instructions besides loads and stores, which are counted as accesses. */
static int computing(const Kernel *k) {
    int n = 0;
    for (int i = 0; i < k->ins.n; i++) n += k->ins.at[i].op != INS_LOAD && k->ins.at[i].op != INS_STORE;
    return n;
}

static bool add_member(Planner *p, int w, int g, const int8_t *map, bool stores, bool post) {
    Member m = {w, g, p->group.at[g].first, p->work.at[w].members, {0}, post};
    memcpy(m.map, map, KDIM);
    if (!vec_push(p->ctx, &p->member, m)) return false;
    p->group.at[g].first = p->work.at[w].members = p->member.n - 1;
    p->group.at[g].n++;
    if (p->work.at[w].kind != WORK_KERNEL) return true;
    p->group.at[g].nins += computing(p->work.at[w].k);
    Seen seen[KACC];
    int n = with_accesses(p, w, &p->group.at[g], map, stores, seen);
    if (n > KACC) return err(p->ctx, TH_RuntimeError, "planning: a group of more than %d accesses", KACC);
    memcpy(p->group.at[g].seen, seen, (size_t)n * sizeof *seen);
    p->group.at[g].nacc = n;
    return true;
}

static bool new_group(Planner *p, int w) {
    int8_t map[KDIM];
    for (int d = 0; d < KDIM; d++) map[d] = (int8_t)d;
    Group g = {.base = w, .exec = w, .first = -1};
    if (p->work.at[w].kind == WORK_KERNEL && !(g.seen = arena_alloc(p->arena, KACC * sizeof *g.seen))) return false;
    return vec_push(p->ctx, &p->group, g) && add_member(p, w, p->group.n - 1, map, true, false);
}

/* ---- where a producer's dims run in a reader ---- */
/*
 * Reader access `a` (of kernel rk) visits the element stored through `s` (of kernel wk) at: dim d of wk = dim map[d] of
 * rk, or position 0 where map[d] < 0. Strides of a C-contiguous root differ wherever lengths are not 1, so they name
 * the dims.
 */
static bool match_access(Planner *p, const Kernel *wk, const Access *s, const Kernel *rk, const Access *a,
                         int8_t *map) {
    if (a->idx >= 0 || a->guard >= 0 || a->dtype != s->dtype || !sizes_same(&p->sizes, a->off, s->off)) return false;
    bool used[KDIM] = {false};
    for (int d = 0; d < wk->ndim; d++) {
        map[d] = -1;
        if (size_is(s->st[d], 0)) {
            if (!size_is(wk->dim[d].n, 1) && wk->dim[d].kind == DIM_PAR) return false;
            continue;
        }
        for (int c = 0; c < rk->ndim && map[d] < 0; c++)
            if (!used[c] && sizes_same(&p->sizes, a->st[c], s->st[d]) &&
                sizes_same(&p->sizes, rk->dim[c].n, wk->dim[d].n)) {
                map[d] = (int8_t)c;
                used[c] = true;
            }
    }
    for (int c = 0; c < rk->ndim; c++)
        if (!used[c] && !size_is(a->st[c], 0)) return false;
    for (int d = wk->ndim; d < KDIM; d++) map[d] = -1;
    return true;
}

static void compose(int8_t *map, const int8_t *outer, int n) {
    for (int d = 0; d < n; d++)
        if (map[d] >= 0) map[d] = outer[map[d]];
}

typedef struct Join { /* what joining group g would mean for work w */
    int group;
    bool seen;        /* a reader was matched */
    bool fits;        /* so far */
    bool post;        /* every reader runs after the group's reduction */
    uint8_t why;      /* it does not fit */
    int8_t map[KDIM]; /* w's dims in the base's */
} Join;

/* Not joined, and why: whoever finds the last way barred has the word. */
static int no(Planner *p, Apart why) {
    p->why = (uint8_t)why;
    return 0;
}

static int misfit(Planner *p, const Join *j) { return no(p, j->why ? j->why : APART_PLACES); }

/* One reading access of a member of group g on root r written by w. */
static void match_reader(Planner *p, Join *j, int w, const Access *s, const Use *u, const Member *m) {
    const Work *rw = &p->work.at[u->work];
    int8_t map[KDIM];
    if (!j->fits) return;
    /* what a convolution reads would be made again for each window */
    bool window = rw->kind == WORK_KERNEL && stage_convolves(&rw->k->st.at[0]);
    bool loop =
        rw->point || rw->reduce || (rw->kind == WORK_KERNEL && rw->k->st.n == 1 && rw->k->st.at[0].cls == STAGE_LOOP);
    loop = loop && !window;
    j->fits = loop && u->acc >= 0 && match_access(p, p->work.at[w].k, s, rw->k, &rw->k->acc.at[u->acc], map);
    j->why = loop && u->acc >= 0 ? APART_PLACES : APART_READER;
    if (!j->fits) return;
    compose(map, m->map, p->work.at[w].k->ndim);
    if (j->seen && memcmp(map, j->map, KDIM)) j->fits = false;
    memcpy(j->map, map, KDIM);
    j->seen = true;
    j->post &= m->post;
}

/* Groups that read what w writes (at most MAX_JOIN are kept in j). Returns how many, counting outsiders' groups as
 * well. */
static int find_joins(Planner *p, int w, Join *j, bool *outside) {
    const Kernel *k = p->work.at[w].k;
    int n = 0;
    *outside = false;
    for (int a = 0; a < k->acc.n; a++) {
        const Access *s = &k->acc.at[a];
        if (!(s->flags & ACC_WRITE)) continue;
        if (p->root.at[s->buf].kept || p->root.at[s->buf].kind == BUF_SHARED) *outside = true;
        for (int u = p->use0[s->buf]; u < p->use0[s->buf + 1]; u++) {
            if (!p->work.at[p->use[u].work].live) continue;
            for (int m = p->work.at[p->use[u].work].members; m >= 0; m = p->member.at[m].next_of_work) {
                int i = 0, g = p->member.at[m].group;
                while (i < n && j[i].group != g) i++;
                if (i == n && n == MAX_JOIN) return MAX_JOIN + 1;
                if (i == n) j[n++] = (Join){.group = g, .fits = true, .post = true};
                match_reader(p, &j[i], w, s, &p->use[u], &p->member.at[m]);
            }
        }
    }
    return n;
}

/* ---- may it ---- */
static bool room(Planner *p, int w, int g, const int8_t *map, bool stores) {
    Seen seen[KACC];
    int n = p->group.at[g].nins + computing(p->work.at[w].k);
    return n <= KINS - KACC && with_accesses(p, w, &p->group.at[g], map, stores, seen) <= KACC;
}

/* Nothing that w reads is overwritten before the group runs. */
static bool reads_survive(const Planner *p, int w, int exec) {
    const Kernel *k = p->work.at[w].k;
    for (int a = 0; a < k->acc.n; a++)
        if ((k->acc.at[a].flags & ACC_READ) && group_next_writer(p, k->acc.at[a].buf, w) <= exec) return false;
    return true;
}

/* On a device: w gives each element of a shared variable its new value, of what was there alone. Who reads that may
 * take it over, since the old one is read nowhere else from w on. */
static bool renews(const Planner *p, int w, int a) {
    const Kernel *k = p->work.at[w].k;
    const Access *to = &k->acc.at[a];
    const Root *r = &p->root.at[to->buf];
    if (!p->fg->device || !p->work.at[w].point || !k->ndim || r->kind != BUF_SHARED || r->writers != 1) return false;
    for (int i = 0; i < k->acc.n; i++) {
        const Access *x = &k->acc.at[i];
        if (x->buf != to->buf) continue;
        if (x->idx >= 0 || x->guard >= 0 || x->flags & (ACC_ADD | ACC_ROWTEMP) || x->dtype != to->dtype) return false;
        bool same = size_eq(x->off, to->off);
        for (int d = 0; d < k->ndim && same; d++) same = size_eq(x->st[d], to->st[d]);
        if (!same) return false;
    }
    return true;
}

/* States that a draw overwrites are read by it, too, so that it waits past no other write of them. */
static bool single_writer(const Planner *p, int w) {
    const Kernel *k = p->work.at[w].k;
    int own = p->work.at[w].call && k->st.at[0].cls == STAGE_DRAW ? k->st.at[0].B : -1;
    for (int a = 0; a < k->acc.n; a++) {
        const Root *r = &p->root.at[k->acc.at[a].buf];
        if (a != own && (k->acc.at[a].flags & ACC_WRITE) && !renews(p, w, a) &&
            (r->writers != 1 || r->written || (r->kind != BUF_TEMP && r->kind != BUF_OUTPUT)))
            return false;
    }
    return true;
}

static int outputs_of(const Kernel *k) {
    int n = 0;
    for (int a = 0; a < k->acc.n; a++) n += (k->acc.at[a].flags & ACC_WRITE) != 0;
    return n;
}

/* Every base dim down to w's innermost that has more than one point is one of w's: its store runs once for each
 * element. */
static bool covers(const Planner *p, int w, int g, const int8_t *map) {
    const Kernel *base = p->work.at[p->group.at[g].base].k, *k = p->work.at[w].k;
    int depth = 0;
    for (int d = 0; d < k->ndim; d++)
        if (map[d] + 1 > depth) depth = map[d] + 1;
    for (int c = 0; c < depth; c++) {
        bool hit = size_is(base->dim[c].n, 1);
        for (int d = 0; d < k->ndim && !hit; d++) hit = map[d] == c;
        if (!hit) return false;
    }
    return true;
}

static void set_gone(Planner *p, int w) {
    const Kernel *k = p->work.at[w].k;
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].flags & ACC_WRITE) p->root.at[k->acc.at[a].buf].gone = true;
}

/* The root that work w draws, or -1. */
static int drawn(const Planner *p, int w) {
    const Work *x = &p->work.at[w];
    return x->call && x->k->st.at[0].cls == STAGE_DRAW ? x->k->acc.at[x->k->st.at[0].C].buf : -1;
}

/* w makes something smaller of what is drawn: kept for several readers, it leaves the draw one that needs no memory. */
static bool shrinks_draw(const Planner *p, int w) {
    const Kernel *k = p->work.at[w].k;
    size_t from = 0, to = 0;
    for (int a = 0; a < k->acc.n; a++) {
        int root = k->acc.at[a].buf;
        size_t bytes = th_dtype_bytes((ThDtype)k->acc.at[a].dtype);
        if (k->acc.at[a].flags & ACC_WRITE) to += bytes;
        else if (p->root.at[root].writers == 1 && drawn(p, p->wr[p->wr0[root]]) == root) from += bytes;
    }
    return to < from;
}

/* All readers take w over: w leaves no store behind. 1 joined, 0 not, -1 error. */
static int join_vertical(Planner *p, int w, const Join *j, int n) {
    const Kernel *k = p->work.at[w].k;
    const bool again = again_pays(p, k, n);
    if (n > 1 && (shrinks_draw(p, w) || !again)) return no(p, APART_AGAIN);
    for (int i = 0; i < n; i++) {
        if (!j[i].fits || !j[i].seen) return misfit(p, &j[i]);
        if (!room(p, w, j[i].group, j[i].map, false)) return no(p, APART_ROOM);
        if (!again && !covers(p, w, j[i].group, j[i].map)) return no(p, APART_REPEATED);
        if (!reads_survive(p, w, p->group.at[j[i].group].exec)) return no(p, APART_OVERWRITTEN);
    }
    for (int i = 0; i < n; i++)
        if (!add_member(p, w, j[i].group, j[i].map, false, j[i].post)) return -1;
    set_gone(p, w);
    return 1;
}

/* Every kept dim of w with more than one point runs in the group: a reader of one row alone does not. */
static bool all_mapped(const Kernel *k, const int8_t *map) {
    for (int d = 0; d < k->ndim; d++)
        if (map[d] < 0 && k->dim[d].kind == DIM_PAR && !size_is(k->dim[d].n, 1)) return false;
    return true;
}

/* Work w writes a shared variable's new value; `state`: which another work reads. */
static bool updates(const Planner *p, int w, bool state) {
    const Kernel *k = p->work.at[w].kind == WORK_KERNEL ? p->work.at[w].k : NULL;
    for (int a = 0; k && a < k->acc.n; a++) {
        int root = k->acc.at[a].buf;
        const Root *r = &p->root.at[root];
        bool update = r->kind == BUF_SHARED || (r->kind == BUF_OUTPUT && r->kept && r->index >= p->fg->nplain_out);
        if (!(k->acc.at[a].flags & ACC_WRITE) || !update) continue;
        if (!state) return true;
        for (int u = p->use0[root]; u < p->use0[root + 1]; u++)
            if (p->use[u].work > w && p->work.at[p->use[u].work].live) return true;
    }
    return false;
}

static bool group_updates(const Planner *p, int g, bool state) {
    for (int m = p->group.at[g].first; m >= 0; m = p->member.at[m].next_in_group)
        if (updates(p, p->member.at[m].work, state)) return true;
    return false;
}

/* w follows a call, or a reduction if these are asked for, that nobody else reads. */
static bool follows(const Planner *p, int w, bool reduction) {
    const Kernel *k = p->work.at[w].k;
    for (int a = 0; a < k->acc.n; a++) {
        int r = k->acc.at[a].buf;
        if (k->acc.at[a].flags & ACC_WRITE || p->root.at[r].writers != 1) continue;
        const Work *from = &p->work.at[p->wr[p->wr0[r]]];
        bool sole = from->call || (reduction && from->reduce);
        for (int u = p->use0[r]; u < p->use0[r + 1]; u++) sole &= p->use[u].work == w;
        if (sole) return true;
    }
    return false;
}

/* The group adds up columns of what w computes row by row. */
static bool adds_columns(const Planner *p, int w, const Join *j) {
    const Kernel *base = p->work.at[p->group.at[j->group].base].k, *k = p->work.at[w].k;
    bool reduced = false;
    for (int d = 0; d < k->ndim; d++) reduced |= j->map[d] >= 0 && base->dim[j->map[d]].kind == DIM_RED;
    const int last = k->ndim > 0 ? j->map[k->ndim - 1] : -1;
    return reduced && last >= 0 && base->dim[last].kind == DIM_PAR;
}

/* w joins the first group that reads it and still stores its result: all other readers run later. What follows a
 * product goes over its tiles while they are in the first-level cache (a GELU's gradient and the sum of its columns 400
 * us in one kernel, 130 and 20 apart). */
static int join_extra(Planner *p, int w, const Join *j, int n) {
    int first = -1;
    for (int i = 0; i < n; i++)
        if (first < 0 || p->group.at[j[i].group].exec < p->group.at[j[first].group].exec) first = i;
    if (first < 0) return 0;
    const Join *f = &j[first];
    if (!f->fits || !f->seen) return misfit(p, f);
    if (!room(p, w, f->group, f->map, true)) return no(p, APART_ROOM);
    if (!all_mapped(p->work.at[w].k, f->map)) return no(p, APART_PLACES);
    if (!covers(p, w, f->group, f->map)) return no(p, APART_REPEATED);
    const Work *base = &p->work.at[p->group.at[f->group].base];
    if (!base->point && !base->reduce) return no(p, APART_READER);
    if (base->reduce && !p->fg->device && follows(p, w, false) && adds_columns(p, w, f)) return no(p, APART_TILES);
    bool number = p->fg->device && p->work.at[w].k->ndim == 0 && base->k->ndim;
    if (number && group_updates(p, f->group, false)) return no(p, APART_UPDATES); /* it would keep them apart */
    if (!reads_survive(p, w, p->group.at[f->group].exec)) return no(p, APART_OVERWRITTEN);
    return add_member(p, w, f->group, f->map, true, f->post) ? 1 : -1;
}

/* ---- reductions: what follows one over its kept dims is its epilogue ---- */
bool group_same_dims(Planner *p, const Kernel *a, const Kernel *b) {
    if (a->ndim != b->ndim || a->nouter != b->nouter) return false;
    for (int d = 0; d < a->ndim; d++)
        if (a->dim[d].kind != b->dim[d].kind || !sizes_same(&p->sizes, a->dim[d].n, b->dim[d].n)) return false;
    return true;
}

/* Kept dims first, then reduced ones, every result at the depth of the kept ones. */
static bool rows_first(const Kernel *k) {
    int npar = 0;
    while (npar < k->ndim && k->dim[npar].kind == DIM_PAR) npar++;
    for (int d = npar; d < k->ndim; d++)
        if (k->dim[d].kind != DIM_RED) return false;
    for (int r = 0; r < k->red.n; r++)
        if (k->red.at[r].depth != npar) return false;
    return true;
}

/* inverse[c] = the dim of w that runs along base dim c; false unless every real dim of the base is one of w's kept
 * dims. */
static bool invert(const Planner *p, int w, int g, const int8_t *map, int8_t *inverse) {
    const Kernel *base = p->work.at[p->group.at[g].base].k, *k = p->work.at[w].k;
    for (int c = 0; c < KDIM; c++) inverse[c] = -1;
    for (int d = 0; d < k->ndim; d++)
        if (map[d] >= 0) inverse[map[d]] = (int8_t)d;
    for (int c = 0; c < base->ndim; c++)
        if (inverse[c] < 0 && !size_is(base->dim[c].n, 1)) return false;
    return true;
}

/* Two sums of one array, along other dims of it: together one of them would go through memory the wrong way round. */
bool group_crosses(Planner *p, const Kernel *a, const Kernel *b) {
    bool crossed = false;
    for (int i = 0; i < a->acc.n; i++)
        for (int j = 0; j < b->acc.n; j++) {
            const Access *x = &a->acc.at[i], *y = &b->acc.at[j];
            if (x->buf != y->buf || x->idx >= 0 || y->idx >= 0) continue;
            bool same = true;
            for (int d = 0; d < a->ndim; d++) same &= sizes_same(&p->sizes, x->st[d], y->st[d]);
            if (same) return false;
            crossed = true;
        }
    return crossed;
}

/* Every access of the member steps evenly through the first dims of w, of which `inverse` gives those of the base, and
 * nothing asks for its position: the points are one run of elements. */
static bool one_run(Planner *p, const Kernel *w, int dims, const Kernel *k, const int8_t *map, const int8_t *inverse) {
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_INDEX) return false;
    for (int a = 0; a < k->acc.n; a++) {
        Size st[KDIM], step = {0};
        bool first = true;
        for (int d = 0; d < KDIM; d++) st[d] = size_const(0);
        for (int d = 0; d < k->ndim; d++)
            if (map[d] >= 0 && inverse[map[d]] >= 0) st[inverse[map[d]]] = k->acc.at[a].st[d];
        for (int d = dims - 1; d >= 0; d--) {
            if (size_is(w->dim[d].n, 1)) continue;
            if (!first && !sizes_same(&p->sizes, st[d], step)) return false;
            step = sizes_op(&p->sizes, '*', st[d], w->dim[d].n);
            if (size_bad(step)) return false;
            first = false;
        }
    }
    return true;
}

static bool members_in_line(Planner *p, int w, int dims, const Group *g, const int8_t *inverse) {
    const Kernel *k = p->work.at[w].k;
    for (int m = g->first; m >= 0 && dims; m = p->member.at[m].next_in_group) {
        const Member *x = &p->member.at[m];
        if (!one_run(p, k, dims, p->work.at[x->work].k, x->map, inverse)) return false;
    }
    return dims > 0;
}

/* Columns that w adds up, of several dims that are one run of them, and would not be one beside the group: of three
 * coordinates of each of many points a vector would take three, and go through memory once for each point. */
static bool breaks_columns(Planner *p, int w, const Group *g, const int8_t *inverse) {
    enum { LONG = 64 }; /* columns that vectors fill as they are */
    const Kernel *k = p->work.at[w].k;
    int8_t self[KDIM];
    int dims = 0, real = 0;
    while (dims < k->ndim && k->dim[dims].kind == DIM_PAR) real += !size_is(k->dim[dims++].n, 1);
    if (real < 2 || (k->dim[dims - 1].n.sym < 0 && k->dim[dims - 1].n.k >= LONG)) return false;
    for (int a = 0; a < k->acc.n; a++)
        if (!size_is(k->acc.at[a].st[dims - 1], 1)) return false;
    for (int d = 0; d < KDIM; d++) self[d] = (int8_t)d;
    return one_run(p, k, dims, k, self, self) && !members_in_line(p, w, dims, g, inverse);
}

/* The group reads another sum of what w adds up, along other dims. Apart, w is what comes first, and takes the array's
 * maker along, which would go through memory the wrong way round beside the other one. */
static bool crosses_another(Planner *p, int w, const Group *g) {
    for (int m = g->first; m >= 0; m = p->member.at[m].next_in_group) {
        const Kernel *k = p->work.at[p->member.at[m].work].k;
        for (int a = 0; a < k->acc.n; a++) {
            const int r = k->acc.at[a].buf;
            if (!(k->acc.at[a].flags & ACC_READ) || p->root.at[r].writers != 1) continue;
            const int from = p->wr[p->wr0[r]];
            const Work *x = &p->work.at[from];
            if (from == w || !x->reduce || p->root.at[r].gone || !group_same_dims(p, x->k, p->work.at[w].k)) continue;
            if (group_crosses(p, x->k, p->work.at[w].k)) return true;
        }
    }
    return false;
}

static int join_reduce(Planner *p, int w, const Join *j, int n, bool outside) {
    if (n != 1) return no(p, APART_SUMS_READERS);
    if (!j->fits || !j->seen) return misfit(p, j);
    if (!rows_first(p->work.at[w].k)) return no(p, APART_PLACES);
    Group *g = &p->group.at[j->group];
    if (!room(p, w, j->group, j->map, true)) return no(p, APART_ROOM);
    if (!reads_survive(p, w, g->exec)) return no(p, APART_OVERWRITTEN);
    const Work *base = &p->work.at[g->base];
    int8_t self[KDIM], inverse[KDIM];
    for (int d = 0; d < KDIM; d++) self[d] = (int8_t)d;
    if (base->reduce) {
        if (!j->post || !group_same_dims(p, base->k, p->work.at[w].k))
            return no(p, APART_SUMS); /* a reduction of a reduction needs another stage */
        if (group_crosses(p, base->k, p->work.at[w].k)) return no(p, APART_PLACES);
        for (int d = 0; d < base->k->ndim; d++)
            if (base->k->dim[d].kind == DIM_PAR && j->map[d] != d && !size_is(base->k->dim[d].n, 1))
                return no(p, APART_PLACES);
    } else {
        if (!base->point) return no(p, APART_READER);
        if (!all_mapped(p->work.at[w].k, j->map)) return no(p, APART_PLACES);
        if (!invert(p, w, j->group, j->map, inverse)) return no(p, APART_REPEATED);
        if (breaks_columns(p, w, g, inverse) || crosses_another(p, w, g)) return no(p, APART_PLACES);
        for (int m = g->first; m >= 0; m = p->member.at[m].next_in_group) {
            compose(p->member.at[m].map, inverse, KDIM);
            p->member.at[m].post = true;
        }
        g->base = w;
    }
    if (!outside) set_gone(p, w);
    return add_member(p, w, j->group, self, outside, false) ? 1 : -1;
}

/* ---- calls of the library: what reads the result point by point is its epilogue ---- */
static bool cannot_fail(const Planner *p, const Group *g) {
    for (int m = g->first; m >= 0; m = p->member.at[m].next_in_group)
        if (p->work.at[p->member.at[m].work].k->can_fail) return false;
    return true;
}

bool group_alone_reads(const Planner *p, int root, int g) {
    for (int u = p->use0[root]; u < p->use0[root + 1]; u++) {
        const Work *r = &p->work.at[p->use[u].work];
        for (int m = r->live ? r->members : -1; m >= 0; m = p->member.at[m].next_of_work)
            if (p->member.at[m].group != g) return false;
    }
    return true;
}

/* The members' dims become the call's. Its result is stored all the same: its readers outside come later. */
static int join_call(Planner *p, int w, const Join *j, int n, bool outside) {
    const Join *f = &j[0];
    for (int i = 1; i < n; i++)
        if (p->group.at[j[i].group].exec < p->group.at[f->group].exec) f = &j[i];
    Group *g = &p->group.at[f->group];
    const Kernel *k = p->work.at[w].k;
    int8_t self[KDIM], inverse[KDIM];
    const Work *base = &p->work.at[g->base];
    if (!f->fits || !f->seen) return misfit(p, f);
    if (k->nouter || !base->point || base->k->nouter) return no(p, base->reduce ? APART_SUMS : APART_READER);
    if (!room(p, w, f->group, f->map, true)) return no(p, APART_ROOM);
    if (!reads_survive(p, w, g->exec)) return no(p, APART_OVERWRITTEN);
    if (!cannot_fail(p, g)) return no(p, APART_CALL_FAILS);
    if (!all_mapped(k, f->map)) return no(p, APART_PLACES);
    if (!invert(p, w, f->group, f->map, inverse)) return no(p, APART_REPEATED);
    int draw = drawn(p, w);
    if (draw >= 0 && (!group_alone_reads(p, draw, f->group) || !members_in_line(p, w, k->ndim, g, inverse) ||
                      (k->can_fail && g->exec > p->foreign)))
        return no(p, APART_DRAWN);
    for (int d = 0; d < KDIM; d++) self[d] = (int8_t)d;
    for (int m = g->first; m >= 0; m = p->member.at[m].next_in_group) compose(p->member.at[m].map, inverse, KDIM);
    g->base = w;
    g->sole = draw >= 0 ? !p->root.at[draw].kept : n == 1 && !outside;
    return add_member(p, w, f->group, self, true, false) ? 1 : -1;
}

/* ---- two sums of one array: which comes first ---- */
/* The outermost loop of sum w goes along the outermost dim of what it reads. */
static bool outermost(Planner *p, const Kernel *k, int root) {
    Size n = size_const(1);
    for (int d = 1; d < k->ndim && !size_bad(n); d++) n = sizes_op(&p->sizes, '*', n, k->dim[d].n);
    for (int a = 0; a < k->acc.n && !size_bad(n); a++)
        if (k->acc.at[a].buf == root && (k->acc.at[a].flags & ACC_READ))
            return k->ndim > 1 && sizes_same(&p->sizes, k->acc.at[a].st[0], n);
    return false;
}

/* Group g is sum w alone, into memory of its own, and may run anywhere between works `from` and `to`. */
static bool moves(const Planner *p, int g, int w, int from, int to) {
    const Kernel *k = p->work.at[w].k;
    if (p->group.at[g].n != 1 || !p->work.at[w].reduce || k->can_fail || !single_writer(p, w)) return false;
    for (int a = 0; a < k->acc.n; a++) {
        const int r = k->acc.at[a].buf;
        if (!(k->acc.at[a].flags & ACC_WRITE)) {
            if (group_next_writer(p, r, from - 1) <= to) return false;
            continue;
        }
        for (int u = p->use0[r]; u < p->use0[r + 1]; u++)
            for (int m = p->work.at[p->use[u].work].members; m >= 0; m = p->member.at[m].next_of_work)
                if (p->group.at[p->member.at[m].group].exec <= to) return false;
    }
    return true;
}

/* The sum that goes through the array as it lies comes first, so that it takes the array's maker along. */
static void first_in_order(Planner *p, int w) {
    const Kernel *k = p->work.at[w].k;
    const int g = p->group.n - 1;
    for (int a = 0; p->work.at[w].reduce && a < k->acc.n; a++) {
        const int root = k->acc.at[a].buf;
        const bool many = p->use0[root + 1] - p->use0[root] > MAX_JOIN;
        if (!(k->acc.at[a].flags & ACC_READ) || many || outermost(p, k, root)) continue;
        for (int u = p->use0[root]; u < p->use0[root + 1]; u++) {
            const int other = p->use[u].work, m = p->work.at[other].members;
            if (other <= w || m < 0 || !p->work.at[other].reduce || p->member.at[m].next_of_work >= 0) continue;
            const int h = p->member.at[m].group;
            if (!moves(p, g, w, w, other) || !moves(p, h, other, w, other)) continue;
            const Kernel *x = p->work.at[other].k;
            if (!group_same_dims(p, k, x) || !group_crosses(p, k, x) || !outermost(p, x, root)) continue;
            p->group.at[g].exec = other;
            p->group.at[h].exec = w;
            return;
        }
    }
}

/* ---- the walk ---- */
/* A shared's or an argument's storage is written: nothing that can fail may come in the same kernel. */
bool group_writes_foreign(const Planner *p, int g) {
    for (int m = p->group.at[g].first; m >= 0; m = p->member.at[m].next_in_group) {
        const Kernel *k = p->work.at[p->member.at[m].work].k;
        for (int a = 0; k && a < k->acc.n; a++) {
            const Root *r = &p->root.at[k->acc.at[a].buf];
            if ((k->acc.at[a].flags & ACC_WRITE) && (r->kind == BUF_SHARED || r->kind == BUF_INPUT)) return true;
        }
    }
    return false;
}

/* Somebody sees what is written there: a live work, or who calls. */
static bool is_seen(const Root *r) { return r->needed || r->kept || (r->kind != BUF_TEMP && r->kind != BUF_OUTPUT); }

static bool is_live(const Planner *p, int w) {
    const Work *k = &p->work.at[w];
    if (k->effect || k->kind == WORK_SIZE) return true;
    if (k->kind == WORK_HOST) {
        const PlanHost *h = &p->host.at[k->host];
        for (int i = 0; i < h->nout; i++)
            if (is_seen(&p->root.at[h->out[i].buf])) return true;
        return false;
    }
    if (k->kind == WORK_EMBED) {
        const Embed *e = &p->embed.at[k->host];
        for (int i = 0; i < e->nwrite; i++)
            if (is_seen(&p->root.at[e->write[i]])) return true;
        return false;
    }
    for (int a = 0; a < k->k->acc.n; a++) {
        const Access *x = &k->k->acc.at[a];
        if ((x->flags & ACC_WRITE) && !(x->flags & ACC_ROWTEMP) && is_seen(&p->root.at[x->buf])) return true;
    }
    return false;
}

static void mark_needed(Planner *p, int r, int w, int acc) { (void)w, (void)acc, p->root.at[r].needed = true; }

/* The first of the live works seen so far that write to what outlives the call. */
static void mark_foreign(Planner *p, int r, int w, int acc) {
    (void)acc;
    if (p->root.at[r].kind == BUF_SHARED || p->root.at[r].kind == BUF_INPUT) p->foreign = w;
}

static void mark_why(Planner *p, int r, int w, int acc) { (void)w, (void)acc, p->root.at[r].why = p->why; }

/* On a device: what makes a gradient leaves its updates to those of all other variables. */
static bool leaves_updates(const Planner *p, int w, const Join *j, int n) {
    bool found = false;
    if (!p->fg->device || !(p->work.at[w].call || p->work.at[w].reduce || follows(p, w, true))) return false;
    for (int i = 0; i < n && i < MAX_JOIN && !found; i++) found = group_updates(p, j[i].group, true);
    return found;
}

static int try_join(Planner *p, int w) {
    const Work *k = &p->work.at[w];
    if (k->effect) return no(p, APART_EFFECT);
    if (!(k->point || k->reduce || k->call)) return no(p, k->kind == WORK_KERNEL ? APART_KIND : APART_WHOLE);
    if (!single_writer(p, w)) return no(p, APART_STORAGE);
    Join j[MAX_JOIN];
    bool outside;
    int n = find_joins(p, w, j, &outside);
    while (n == 1 && !outside && !j->fits && fit_group(p, w)) n = find_joins(p, w, j, &outside);
    if (n == 0 || n > MAX_JOIN) return no(p, n ? APART_MANY : APART_NOBODY);
    if (leaves_updates(p, w, j, n)) return no(p, APART_UPDATES);
    if (fit_sum(p, w)) return no(p, APART_ADDED);
    for (int i = 0; i < n && k->k->can_fail; i++)
        if (group_writes_foreign(p, j[i].group)) j[i].fits = false, j[i].why = APART_FAILS;
    if (k->call) return join_call(p, w, j, n, outside);
    if (k->reduce) return outputs_of(k->k) == 1 ? join_reduce(p, w, j, n, outside) : no(p, APART_RESULTS);
    int r = outside ? no(p, APART_RESULT) : join_vertical(p, w, j, n);
    return r != 0 ? r : join_extra(p, w, j, n);
}

bool group_all(Planner *p) {
    for (int w = 0; w < p->work.n; w++) classify(&p->work.at[w]);
    bool more;
    if (!index_uses(p) || !windows_all(p, &more) || (more && !index_uses(p))) return false;
    p->foreign = INT32_MAX;
    for (int w = p->work.n - 1; w >= 0; w--) {
        if (!is_live(p, w)) continue;
        p->work.at[w].live = true;
        each_use(p, w, false, mark_needed);
        p->why = APART_NONE;
        int r = try_join(p, w);
        if (r < 0 || (r == 0 && !new_group(p, w))) return false;
        if (r == 0 && p->work.at[w].kind == WORK_KERNEL) first_in_order(p, w);
        each_use(p, w, true, mark_why);
        each_use(p, w, true, mark_foreign);
    }
    return true;
}
