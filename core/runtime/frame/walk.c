/*
 * walk.c -- straight runs of steps, loops and branches of a plan.
 */
#include "walk.h"

static int straight(const Walk *w, const Region *g, ThFrame *f) {
    for (int i = g->first; i < g->first + g->n; i++) {
        if (i < f->plan->first_write && f->rt->poll_interrupt(f))
            return f->rt->fail(f, i, TH_Interrupted, 0, 0, 0, 0, 0);
        if (w->step(w, f, i)) return 1;
    }
    return 0;
}

/* Sets what the region's windows show in turn t. */
static void windows(const Plan *p, const Region *g, ThFrame *f, int64_t t) {
    for (int i = g->window; i < g->window + g->nwindow; i++) {
        const PlanWindow *w = &p->window[i];
        int64_t at = size_value(w->first, f->sym) + t * size_value(w->step, f->sym);
        int64_t ring = size_value(w->ring, f->sym);
        if (ring > 0) at = (at % ring + ring) % ring;
        at += size_value(w->base, f->sym);
        f->buf[w->buf] = f->buf[w->of] + at * (int64_t)th_dtype_bytes((ThDtype)p->buf[w->buf].dtype);
    }
}

static int see(const Walk *w, ThFrame *f, int buf, bool write) { return w->see ? w->see(w, f, buf, write) : 0; }

static int region(const Walk *w, int id, ThFrame *f);

static bool steered(const Walk *w, const ThFrame *f, const Region *g) {
    return w->steered && w->steered[g - f->plan->region];
}

static int both_arms(const Walk *w, const Region *g, ThFrame *f) {
    return w->arm(w, f, g->cond, 0) || region(w, g->child, f) || w->arm(w, f, g->cond, 1) || region(w, g->other, f) ||
           w->arm(w, f, g->cond, 2);
}

static int all_turns(const Walk *w, const Region *g, ThFrame *f, int64_t trip, bool *done) {
    *done = false;
    if (!w->whole || g->until >= 0 || trip < 2) return 0;
    f->sym[g->counter] = 0;
    windows(f->plan, g, f, 0);
    return w->whole(w, f, (int)(g - f->plan->region), trip, done);
}

static int loop(const Walk *w, const Region *g, ThFrame *f) {
    int64_t trip, t = 0;
    bool done;
    if (!size_get(g->trip, f->sym, &trip)) return f->rt->fail(f, -1, TH_RuntimeError, 0, 0, 0, 0, 0);
    if (all_turns(w, g, f, trip, &done)) return 1;
    if (done) t = trip;
    for (bool stop = false; t < trip && !stop; t++) {
        f->sym[g->counter] = t;
        windows(f->plan, g, f, t);
        if (region(w, g->child, f)) return 1;
        if (steered(w, f, g)) {
            int64_t turns = -1;
            if (w->turn(w, f, g->until, t, t + 1 == trip, &turns)) return 1;
            if (turns >= 0) stop = true, t = turns - 1;
            continue;
        }
        if (g->until >= 0 && see(w, f, g->until, false)) return 1;
        stop = g->until >= 0 && *f->buf[g->until];
    }
    if (g->turns <= 0) return 0;
    if (see(w, f, g->turns - 1, true)) return 1;
    *(int64_t *)(void *)f->buf[g->turns - 1] = t;
    return 0;
}

static int region(const Walk *w, int id, ThFrame *f) {
    for (; id >= 0; id = f->plan->region[id].next) {
        const Region *g = &f->plan->region[id];
        if (g->kind == REGION_STRAIGHT) {
            if (straight(w, g, f)) return 1;
        } else if (g->kind == REGION_BRANCH) {
            windows(f->plan, g, f, 0);
            if (steered(w, f, g)) {
                if (both_arms(w, g, f)) return 1;
            } else if (see(w, f, g->cond, false) || region(w, *f->buf[g->cond] ? g->child : g->other, f)) return 1;
        } else if (loop(w, g, f)) return 1;
    }
    return 0;
}

int walk_plan(const Walk *w, ThFrame *f) { return f->plan->nregion ? region(w, 0, f) : 0; }
