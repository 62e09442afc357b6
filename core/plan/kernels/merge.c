/*
 * merge.c -- neighbours over the same space become one kernel. In: groups. Out: fewer groups: where two of them run one
 * right after the other over equal dims, the first waits for the second. Values pass between them when they meet at
 * the same element; storage that is overwritten in place is touched by one of them only, or both store parts of it (a
 * Join's, slices that are set one after the other). For a device also groups that have others between them.
 */
#include "kernel/costs.h"
#include "plan/parts.h"

/* Written more than once, or the caller's: the order of reads and writes counts. */
static bool delicate(const Root *r) {
    return r->writers != 1 || r->written || (r->kind != BUF_TEMP && r->kind != BUF_OUTPUT);
}

static const Kernel *kernel_of(const Planner *p, const Member *m) { return p->work.at[m->work].k; }

/* Both compute something: copies alone are rows that memcpy moves. */
static bool compute(const Group *a, const Group *b) { return a->nins > 0 && b->nins > 0; }

/* Work w stores another part of root r than the works that merge.c saw last. */
static bool other_part(const Planner *p, const Root *r, int w) {
    return r->writers <= COST_PARTS_JOINED && r->part && r->part == p->work.at[w].part;
}

/* Notes what group g reads and stores under the name id. */
static void note(Planner *p, int g, int id) {
    for (int m = p->group.at[g].first; m >= 0; m = p->member.at[m].next_in_group) {
        const Kernel *k = kernel_of(p, &p->member.at[m]);
        for (int a = 0; a < k->acc.n; a++) {
            Root *r = &p->root.at[k->acc.at[a].buf];
            if (k->acc.at[a].flags & ACC_READ) r->rmark = id;
            if (!(k->acc.at[a].flags & ACC_WRITE) || r->gone) continue;
            r->wmark = id;
            r->part = p->work.at[p->member.at[m].work].part;
        }
    }
}

/* The element of root r that group g stores at a point of its dims, as a key; 0 when that is not one plain store. */
static uint64_t stored_key(Planner *p, int r, int g) {
    const Root *root = &p->root.at[r];
    if (delicate(root)) return 0;
    int w = p->wr[p->wr0[r]];
    for (int m = p->work.at[w].members; m >= 0; m = p->member.at[m].next_of_work) {
        const Member *x = &p->member.at[m];
        const Kernel *k = p->work.at[w].k;
        if (x->group != g) continue;
        for (int a = 0; a < k->acc.n; a++)
            if (k->acc.at[a].buf == r && (k->acc.at[a].flags & ACC_WRITE))
                return group_access_key(p, &k->acc.at[a], x->map, k->ndim);
    }
    return 0;
}

/* Member x of the second group touches what the first one (noted as id) did only where values can pass. */
static bool agrees(Planner *p, const Member *x, int g, int id, bool reduces, bool parts) {
    const Kernel *k = kernel_of(p, x);
    for (int a = 0; a < k->acc.n; a++) {
        const Access *acc = &k->acc.at[a];
        const Root *r = &p->root.at[acc->buf];
        bool stores = (acc->flags & ACC_WRITE) && !r->gone;
        if (stores && r->wmark == id && !(parts && other_part(p, r, x->work))) return false;
        if (stores && delicate(r) && r->rmark == id) return false;
        if (!(acc->flags & ACC_READ) || r->wmark != id) continue;
        if (reduces || acc->idx >= 0 || acc->guard >= 0) return false;
        uint64_t key = stored_key(p, acc->buf, g);
        if (!key || key != group_access_key(p, acc, x->map, k->ndim)) return false;
    }
    return true;
}

static bool can_fail(const Planner *p, int g) {
    for (int m = p->group.at[g].first; m >= 0; m = p->member.at[m].next_in_group)
        if (kernel_of(p, &p->member.at[m])->can_fail) return true;
    return false;
}

/* The accesses of both, but for those to what has no memory any more; KACC + 1 when there are too many. */
static int together(const Planner *p, const Group *a, const Group *b, Seen *out) {
    int n = 0;
    for (int i = 0; i < a->nacc; i++)
        if (!p->root.at[a->seen[i].root].gone) out[n++] = a->seen[i];
    for (int i = 0; i < b->nacc; i++) {
        bool known = p->root.at[b->seen[i].root].gone;
        for (int j = 0; j < n && b->seen[i].key; j++) known |= out[j].key == b->seen[i].key;
        if (known) continue;
        if (n == KACC) return KACC + 1;
        out[n++] = b->seen[i];
    }
    return n;
}

/* Each access of the group steps evenly through all dims of its base, or through none of them: they stay one loop. */
static bool in_line(Planner *p, const Group *g) {
    const Kernel *base = p->work.at[g->base].k;
    for (int m = g->first; m >= 0; m = p->member.at[m].next_in_group) {
        const Member *x = &p->member.at[m];
        const Kernel *k = kernel_of(p, x);
        for (int a = 0; a < k->acc.n; a++) {
            Size st[KDIM];
            for (int d = 0; d < base->ndim; d++) st[d] = size_const(0);
            for (int d = 0; d < k->ndim; d++)
                if (x->map[d] >= 0) st[x->map[d]] = k->acc.at[a].st[d];
            for (int d = 0; d + 1 < base->ndim; d++) {
                Size step = sizes_op(&p->sizes, '*', st[d + 1], base->dim[d + 1].n);
                if (size_bad(step) || !sizes_same(&p->sizes, step, st[d])) return false;
            }
        }
    }
    return true;
}

/* On a device: one adds up everything of what the other one goes through point by point, so that it is read once. */
static bool sums_points(Planner *p, const Group *a, const Group *b) {
    const Kernel *sum = p->work.at[a->base].k;
    bool shared = false;
    if (!p->fg->device || !p->work.at[a->base].reduce || !p->work.at[b->base].point || sum->nouter) return false;
    if (sum->ndim != p->work.at[b->base].k->ndim) return false;
    for (int d = 0; d < sum->ndim; d++)
        if (sum->dim[d].kind != DIM_RED || !sizes_same(&p->sizes, sum->dim[d].n, p->work.at[b->base].k->dim[d].n))
            return false;
    for (int i = 0; i < a->nacc; i++)
        for (int j = 0; j < b->nacc; j++) shared |= a->seen[i].key && a->seen[i].key == b->seen[j].key;
    return shared && in_line(p, b);
}

/* Loops without outer dims, both elementwise or both reductions: the kinds that fuse.c can put side by side. */
static bool alike(Planner *p, const Group *a, const Group *b) {
    if (sums_points(p, a, b) || sums_points(p, b, a)) return true;
    const Work *x = &p->work.at[a->base], *y = &p->work.at[b->base];
    if (x->kind != WORK_KERNEL || y->kind != WORK_KERNEL || x->effect || y->effect) return false;
    if (stage_convolves(&x->k->st.at[0]) || stage_convolves(&y->k->st.at[0])) return false; /* each runs by tiles */
    if (!((x->point && y->point) || (x->reduce && y->reduce && !group_crosses(p, x->k, y->k)))) return false;
    return x->k->nouter == 0 && group_same_dims(p, x->k, y->k);
}

static bool mergeable(Planner *p, int ga, int gb, Seen *seen, int *nseen) {
    const Group *a = &p->group.at[ga], *b = &p->group.at[gb];
    if (a->n + b->n > KINS || a->nins + b->nins > KINS - KACC || !alike(p, a, b)) return false;
    if ((can_fail(p, ga) && group_writes_foreign(p, gb)) || (can_fail(p, gb) && group_writes_foreign(p, ga)))
        return false;
    bool reduces = p->work.at[a->base].reduce || p->work.at[b->base].reduce;
    for (int m = b->first; m >= 0; m = p->member.at[m].next_in_group)
        if (!agrees(p, &p->member.at[m], ga, ga + 1, reduces, compute(a, b))) return false;
    *nseen = together(p, a, b, seen);
    return *nseen <= KACC;
}

/* What group g computes for members of it alone leaves no store behind: they have met it as a value. */
static void keep_inside(Planner *p, int g) {
    for (int m = p->group.at[g].first; m >= 0; m = p->member.at[m].next_in_group) {
        const Kernel *k = kernel_of(p, &p->member.at[m]);
        for (int a = 0; a < k->acc.n; a++) {
            Root *r = &p->root.at[k->acc.at[a].buf];
            if (k->acc.at[a].flags != ACC_WRITE || r->kind != BUF_TEMP || r->kept || delicate(r) || r->gone) continue;
            if (group_alone_reads(p, k->acc.at[a].buf, g)) r->gone = true;
        }
    }
}

/* Group b joins a, which then runs in b's place. */
static void merge(Planner *p, int ga, int gb, const Seen *seen, int nseen) {
    Group *a = &p->group.at[ga], *b = &p->group.at[gb];
    int last = a->first;
    while (p->member.at[last].next_in_group >= 0) last = p->member.at[last].next_in_group;
    p->member.at[last].next_in_group = b->first;
    for (int m = b->first; m >= 0; m = p->member.at[m].next_in_group) p->member.at[m].group = ga;
    memcpy(a->seen, seen, (size_t)nseen * sizeof *seen);
    a->nacc = nseen;
    a->nins += b->nins;
    a->n += b->n;
    a->exec = b->exec;
    if (p->work.at[b->base].reduce) a->base = b->base;
    b->exec = -1;
}

/* ---- a device's kernels past others ---- */
static bool is_kernel(const Planner *p, int g) {
    const Work *w = &p->work.at[p->group.at[g].base];
    return w->kind == WORK_KERNEL && !w->effect;
}

/* Do both touch some root, where one of the kernels has the flags x and the other one y? */
static bool meet(const Planner *p, int ga, int x, int gb, int y) {
    for (int m = p->group.at[ga].first; m >= 0; m = p->member.at[m].next_in_group)
        for (int n = p->group.at[gb].first; n >= 0; n = p->member.at[n].next_in_group) {
            const Kernel *a = kernel_of(p, &p->member.at[m]), *b = kernel_of(p, &p->member.at[n]);
            for (int i = 0; i < a->acc.n; i++)
                for (int j = 0; j < b->acc.n && (a->acc.at[i].flags & x); j++)
                    if (a->acc.at[i].buf == b->acc.at[j].buf && (b->acc.at[j].flags & y)) return true;
        }
    return false;
}

/* Group b may run before group a: neither writes what the other one touches, nor fails where the other one writes what
 * is not its own. */
static bool may_pass(const Planner *p, int ga, int gb) {
    if (!is_kernel(p, ga) || !is_kernel(p, gb)) return false;
    if ((can_fail(p, ga) && group_writes_foreign(p, gb)) || (can_fail(p, gb) && group_writes_foreign(p, ga)))
        return false;
    return !meet(p, ga, ACC_WRITE, gb, ACC_READ | ACC_WRITE) && !meet(p, ga, ACC_READ, gb, ACC_WRITE);
}

/* On a device each launch counts, and in a loop that is one each wait: a group that reads what one of the last few
 * wrote, and has nothing to do with those in between, as what follows a cell's gates behind the product of these, runs
 * with that one. `last`: the groups before it, the latest first. */
static bool merge_further(Planner *p, const int *last, int n, int g) {
    Seen seen[KACC];
    int nseen;
    for (int i = 1; i < n && may_pass(p, last[i - 1], g); i++) {
        int to = last[i], exec = p->group.at[to].exec;
        if (!is_kernel(p, to) || !meet(p, to, ACC_WRITE, g, ACC_READ)) continue;
        note(p, to, to + 1);
        bool may = mergeable(p, to, g, seen, &nseen);
        if (may) {
            merge(p, to, g, seen, nseen);
            p->group.at[to].exec = exec;
            if (p->work.at[p->group.at[to].base].point) keep_inside(p, to);
        }
        note(p, last[0], last[0] + 1);
        if (may) return true;
    }
    return false;
}

bool merge_groups(Planner *p) {
    enum { LAST = 4 };
    int *at = arena_alloc0(p->arena, (size_t)(p->work.n + 1) * sizeof(int)), before = -1, last[LAST], nlast = 0;
    if (!at) return false;
    for (int g = 0; g < p->group.n; g++) at[p->group.at[g].exec] = g + 1;
    for (int w = 0; w < p->work.n; w++) {
        int g = at[w] - 1, nseen;
        Seen seen[KACC];
        if (g < 0) continue;
        if (before >= 0 && mergeable(p, before, g, seen, &nseen)) {
            note(p, g, before + 1);
            merge(p, before, g, seen, nseen);
            if (p->work.at[p->group.at[before].base].point) keep_inside(p, before);
            continue;
        }
        if (before >= 0 && p->fg->device && merge_further(p, last, nlast, g)) continue;
        before = p->work.at[p->group.at[g].base].kind == WORK_KERNEL ? g : -1;
        if (before >= 0) note(p, g, g + 1);
        nlast = before < 0 ? 0 : nlast < LAST ? nlast + 1 : LAST;
        for (int i = nlast - 1; i > 0; i--) last[i] = last[i - 1];
        if (nlast) last[0] = g;
    }
    return true;
}
