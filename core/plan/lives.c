/*
 * lives.c -- how long buffers live, through loops and branches, and where a plan first writes storage that is not its
 * own. In: a Plan's steps and regions. Out: PlanBuf.first, last, carried; Plan.first_write. Always holds: what a turn
 * of a loop finds from before it lives as long as the loop; what lies behind a window lives where the window is used.
 */
#include "parts.h"

int plan_window_root(const Plan *p, int buf) {
    while (buf >= 0 && p->buf[buf].kind == BUF_WINDOW) buf = p->window[p->buf[buf].index].of;
    return buf;
}

/* Steps [*lo, *hi] of the region chain that starts at r. Nesting is as deep as the user nests loops. */
static void range(const Plan *p, int r, int *lo, int *hi) {
    for (; r >= 0; r = p->region[r].next) {
        const Region *g = &p->region[r];
        if (g->kind != REGION_STRAIGHT) {
            range(p, g->child, lo, hi);
            if (g->kind == REGION_BRANCH) range(p, g->other, lo, hi);
        } else if (g->n > 0) {
            if (g->first < *lo) *lo = g->first;
            if (g->first + g->n - 1 > *hi) *hi = g->first + g->n - 1;
        }
    }
}

static bool writes(const Plan *p, const Step *s, int local) {
    if (s->kind == STEP_TRANSFER || s->kind == STEP_LATE) return local == s->nbuf - 1;
    if (s->kind == STEP_HOST) return local >= p->host[s->host].nin;
    if (s->kind != STEP_KERNEL) return false;
    const Kernel *k = p->kernel[s->kernel];
    bool w = false, r = false;
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == local)
            w |= (k->acc.at[a].flags & ACC_WRITE) != 0, r |= (k->acc.at[a].flags & ACC_READ) != 0;
    return w && !r;
}

/* Is buffer f only used in steps [lo, hi], written there before it is read? Then each turn of the loop has its own
 * value. */
static bool private_to(const Plan *p, int f, int lo, int hi) {
    if (p->buf[f].first < lo || p->buf[f].last > hi) return false;
    const Step *s = &p->step[p->buf[f].first];
    for (int b = 0; b < s->nbuf; b++)
        if (s->buf[b] == f) return writes(p, s, b);
    return false;
}

static void use(Plan *p, int f, int step) {
    for (; f >= 0; f = p->buf[f].kind == BUF_WINDOW ? p->window[p->buf[f].index].of : -1) {
        PlanBuf *x = &p->buf[f];
        if (x->first < 0 || step < x->first) x->first = step;
        if (step > x->last) x->last = step;
    }
}

/* Every buffer that step s touches, integers that it reads as sizes too. */
static void each_buffer(Plan *p, int s, void (*fn)(Plan *p, int f, int lo, int hi), int lo, int hi) {
    const Step *x = &p->step[s];
    for (int b = 0; b < x->nbuf; b++)
        if (x->buf[b] >= 0) fn(p, x->buf[b], lo, hi);
    for (int i = x->a; x->kind == STEP_SIZE && i < x->a + x->n; i++)
        if (p->shape[i].op == SHAPE_VALUE) fn(p, p->shape[i].a, lo, hi);
}

static void use_here(Plan *p, int f, int step, int hi) {
    (void)hi;
    use(p, f, step);
}

/* f is touched in the loop of steps [lo, hi]: it lives there throughout unless each turn has its own value in it. */
static void keep_through(Plan *p, int f, int lo, int hi) {
    bool window = false;
    for (; f >= 0; f = p->buf[f].kind == BUF_WINDOW ? p->window[p->buf[f].index].of : -1) {
        PlanBuf *x = &p->buf[f];
        if (window || !private_to(p, f, lo, hi)) {
            x->carried = true;
            if (x->first > lo) x->first = lo;
            if (x->last < hi) x->last = hi;
        }
        window = true;
    }
}

static void branch(Plan *p, const Region *g) {
    int lo = p->nstep, hi = -1;
    range(p, g->child, &lo, &hi);
    range(p, g->other, &lo, &hi);
    use(p, g->cond, lo > 0 ? lo - 1 : 0);
    for (int w = g->window; w < g->window + g->nwindow && hi >= 0; w++)
        use(p, p->window[w].of, lo), use(p, p->window[w].of, hi);
}

/* Conditions of the branches among the regions from r on are asked for in every turn of the loop of steps [lo, hi]. */
static void keep_conditions(Plan *p, int r, int lo, int hi) {
    for (; r >= 0; r = p->region[r].next) {
        const Region *g = &p->region[r];
        if (g->kind == REGION_STRAIGHT) continue;
        keep_conditions(p, g->child, lo, hi);
        if (g->kind != REGION_BRANCH) continue;
        keep_conditions(p, g->other, lo, hi);
        keep_through(p, g->cond, lo, hi);
    }
}

static void loop(Plan *p, const Region *g) {
    int lo = p->nstep, hi = -1;
    range(p, g->child, &lo, &hi);
    if (hi < 0) return;
    keep_conditions(p, g->child, lo, hi);
    if (g->until >= 0) use(p, g->until, hi);
    if (g->turns > 0) use(p, g->turns - 1, hi);
    for (int w = g->window; w < g->window + g->nwindow; w++) {
        use(p, p->window[w].of, lo);
        use(p, p->window[w].of, hi);
    }
    for (int s = lo; s <= hi; s++) each_buffer(p, s, keep_through, lo, hi);
}

bool plan_lives(Plan *p) {
    for (int f = 0; f < p->nbuf; f++) p->buf[f].first = p->buf[f].last = -1, p->buf[f].carried = false;
    for (int s = 0; s < p->nstep; s++) each_buffer(p, s, use_here, s, s);
    for (int r = 0; r < p->nregion; r++) {
        if (p->region[r].kind == REGION_BRANCH) branch(p, &p->region[r]);
        if (p->region[r].kind == REGION_LOOP) loop(p, &p->region[r]);
    }
    return !failed(p->ctx);
}

/* ---- the first write ---- */
static bool foreign(const Plan *p, int f) {
    f = plan_window_root(p, f);
    return f >= 0 && (p->buf[f].kind == BUF_SHARED || p->buf[f].kind == BUF_INPUT);
}

/* Does step s write its buffer b, whether it reads it too or not? */
static bool changes(const Plan *p, const Step *s, int b) {
    bool w = s->kind == STEP_HOST && b >= p->host[s->host].nin;
    w |= s->kind == STEP_TRANSFER && b == s->nbuf - 1;
    const Kernel *k = s->kind == STEP_KERNEL ? p->kernel[s->kernel] : NULL;
    for (int a = 0; k && a < k->acc.n; a++) w |= k->acc.at[a].buf == b && (k->acc.at[a].flags & ACC_WRITE);
    return w;
}

int plan_changed_shared(const Plan *p, const Step *s, int b) {
    const int root = changes(p, s, b) ? plan_window_root(p, s->buf[b]) : -1;
    return root >= 0 && p->buf[root].kind == BUF_SHARED ? p->buf[root].index : -1;
}

/* Does step s write an argument's or a shared's storage? Notes which shareds. */
static bool writes_foreign(Plan *p, const Step *s) {
    bool any = false;
    for (int b = 0; b < s->nbuf; b++) {
        if (!changes(p, s, b) || !foreign(p, s->buf[b])) continue;
        any = true;
        const PlanBuf *root = &p->buf[plan_window_root(p, s->buf[b])];
        if (root->kind == BUF_SHARED && p->shared_written) p->shared_written[root->index] = 1;
    }
    return any;
}

bool plan_writes_outside(const Plan *p, const Step *s) {
    for (int b = 0; b < s->nbuf; b++)
        if (changes(p, s, b) && foreign(p, s->buf[b])) return true;
    return false;
}

/* Step s runs once, and what fails in it fails before it writes. */
static bool looks_first(const Plan *p, int s) {
    if (!p->step[s].fails_first) return false;
    for (int r = 0; r < p->nregion; r++) {
        int lo = p->nstep, hi = -1;
        if (p->region[r].kind != REGION_LOOP) continue;
        range(p, p->region[r].child, &lo, &hi);
        if (lo <= s && s <= hi) return false;
    }
    return true;
}

void plan_early_writes(const Plan *p, uint8_t *early) {
    int last = p->nstep - 1;
    while (last >= 0 && !p->step[last].can_fail) last--;
    if (last >= 0 && looks_first(p, last)) last--;
    for (int r = 0; r < p->nregion; r++) { /* a loop's turns follow each other */
        int lo = p->nstep, hi = -1;
        if (p->region[r].kind != REGION_LOOP) continue;
        range(p, p->region[r].child, &lo, &hi);
        if (lo <= last && last < hi) last = hi, r = -1;
    }
    for (int s = 0; s <= last; s++)
        for (int b = 0; b < p->step[s].nbuf; b++)
            if (changes(p, &p->step[s], b) && foreign(p, p->step[s].buf[b]))
                early[plan_window_root(p, p->step[s].buf[b])] = 1;
}

/* A loop that writes such storage does so from its first turn on: what fails in it fails after that. */
bool plan_first_write(Plan *p) {
    int first = p->nstep;
    for (int s = 0; s < p->nstep; s++)
        if (writes_foreign(p, &p->step[s]) && s < first) first = s;
    for (int r = 0; r < p->nregion; r++) {
        int lo = p->nstep, hi = -1;
        if (p->region[r].kind != REGION_LOOP) continue;
        range(p, p->region[r].child, &lo, &hi);
        if (lo < first && first <= hi) first = lo, r = -1; /* once more: a loop around this one */
    }
    p->first_write = first;
    for (int s = first; s < p->nstep; s++)
        if (p->step[s].can_fail && !(s == first && looks_first(p, s))) return false;
    return true;
}
