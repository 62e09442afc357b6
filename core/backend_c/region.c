/*
 * region.c -- regions as C: straight steps, loops with their windows, branches. In: a plan's region tree. Out: lines of
 * the body of theano_run. A window is a number of elements from its buffer's start, moved by additions; the buffer's
 * address in the frame follows it.
 */
#include "emit.h"

#include <stdio.h>

/* A size over the frame's slots. */
static void frame_size(Text *t, Size z) {
    if (z.sym < 0) text_printf(t, "%lldl", (long long)z.k);
    else if (z.k == 1) text_printf(t, "f->sym[%d]", z.sym);
    else text_printf(t, "%lldl * f->sym[%d]", (long long)z.k, z.sym);
}

static void poll(Emit *e, int step) {
    emit_line(e, "if (f->rt->poll_interrupt(f)) return f->rt->fail(f, %d, %d, 0, 0, 0, 0, 0);", step, TH_Interrupted);
}

static void straight(Emit *e, const Region *g) {
    for (int i = g->first; i < g->first + g->n; i++) {
        if (i < e->p->first_write && (i == g->first || e->p->step[i].kind == STEP_KERNEL)) poll(e, i);
        emit_line(e, "if (step_%d(f)) return 1;", i);
    }
}

/* ---- windows ---- */
static void declare(Emit *e, const char *name, int number, Size z) {
    Text t;
    text_init(&t, e->c);
    frame_size(&t, z);
    emit_line(e, "%s%d = %s;", name, number, t.at ? t.at : "0");
    text_free(&t);
}

static bool moves(const PlanWindow *w) { return !size_is(w->step, 0); }
static bool rings(const PlanWindow *w) { return !size_is(w->ring, 0); }

/* Window k: w<k> its place, in [0, r<k>) when it is a ring; d<k> its step, smaller than the ring. */
static void start(Emit *e, int k) {
    const PlanWindow *w = &e->p->window[k];
    declare(e, "i64 w", k, w->first);
    if (moves(w)) declare(e, "i64 d", k, w->step);
    if (!rings(w)) return;
    declare(e, "const i64 r", k, w->ring);
    emit_line(e, "if (r%d > 0) w%d = (w%d %% r%d + r%d) %% r%d;", k, k, k, k, k, k);
    if (moves(w)) emit_line(e, "if (r%d > 0) d%d %%= r%d;", k, k, k);
}

static void advance(Emit *e, int k) {
    const PlanWindow *w = &e->p->window[k];
    if (!moves(w)) return;
    emit_line(e, "w%d += d%d;", k, k);
    if (rings(w)) emit_line(e, "w%d += w%d >= r%d ? -r%d : w%d < 0 ? r%d : 0;", k, k, k, k, k, k);
}

static void show(Emit *e, int k) {
    const PlanWindow *w = &e->p->window[k];
    int bytes = (int)th_dtype_bytes((ThDtype)e->p->buf[w->buf].dtype);
    Text t;
    text_init(&t, e->c);
    if (!size_is(w->base, 0)) {
        frame_size(&t, w->base);
        text_put(&t, " + ");
    }
    emit_line(e, "f->buf[%d] = f->buf[%d] + (%sw%d) * %d;", w->buf, w->of, t.at ? t.at : "", k, bytes);
    text_free(&t);
}

static void each_window(Emit *e, const Region *g, void (*fn)(Emit *e, int k)) {
    for (int k = g->window; k < g->window + g->nwindow; k++) fn(e, k);
}

/* ---- loops and branches ---- */
static void title(Emit *e, const Region *g) {
    Text t;
    text_init(&t, e->c);
    for (const char *s = g->title; s && *s; s++)
        if (!(s[0] == '*' && s[1] == '/')) text_putc(&t, *s == '\n' ? ' ' : *s);
    emit_line(e, t.n ? "{ /* %s */" : "{", t.at ? t.at : "");
    text_free(&t);
}

static void loop(Emit *e, const Region *g, int id) {
    title(e, g);
    e->indent++;
    declare(e, "const i64 n", id, g->trip);
    each_window(e, g, start);
    emit_line(e, "i64 t%d = 0;", id);
    emit_line(e, "while (t%d < n%d) {", id, id);
    e->indent++;
    emit_line(e, "f->sym[%d] = t%d;", g->counter, id);
    each_window(e, g, show);
    emit_region(e, g->child);
    emit_line(e, "t%d++;", id);
    if (g->until >= 0) emit_line(e, "if (*f->buf[%d]) break;", g->until);
    each_window(e, g, advance);
    e->indent--;
    emit_line(e, "}");
    if (g->turns > 0) emit_line(e, "*(i64 *)f->buf[%d] = t%d;", g->turns - 1, id);
    e->indent--;
    emit_line(e, "}");
}

static void branch(Emit *e, const Region *g) {
    title(e, g);
    e->indent++;
    each_window(e, g, start);
    each_window(e, g, show);
    emit_line(e, "if (*f->buf[%d]) {", g->cond);
    e->indent++;
    emit_region(e, g->child);
    e->indent--;
    emit_line(e, "} else {");
    e->indent++;
    emit_region(e, g->other);
    e->indent--;
    emit_line(e, "}");
    e->indent--;
    emit_line(e, "}");
}

/* Regions nest as the plan says (depth of loops and branches, never of the graph). */
void emit_region(Emit *e, int id) {
    for (; id >= 0; id = e->p->region[id].next) {
        const Region *g = &e->p->region[id];
        if (g->kind == REGION_STRAIGHT) straight(e, g);
        else if (g->kind == REGION_LOOP) loop(e, g, id);
        else branch(e, g);
    }
}
