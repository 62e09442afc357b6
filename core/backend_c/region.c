/*
 * region.c -- regions as C: straight steps, loops with their windows, branches. In: a plan's region tree. Out: lines of
 * the body of theano_run. A window is a number of elements from its buffer's start, moved by additions; the buffer's
 * address in the frame follows it.
 */
#include "c.h"

#include <stdio.h>

/* A size over the frame's slots. */
static void frame_size(Text *t, Size z) {
    if (z.sym < 0) text_printf(t, "%lldl", (long long)z.k);
    else if (z.k == 1) text_printf(t, "f->sym[%d]", z.sym);
    else text_printf(t, "%lldl * f->sym[%d]", (long long)z.k, z.sym);
}

static void poll(Emit *e, int step) {
    if (e->portable) return;
    emit_line(e, "if (f->rt->poll_interrupt(f)) return f->rt->fail(f, %d, %d, 0, 0, 0, 0, 0);", step, TH_Interrupted);
}

static bool polled(const Emit *e, const Region *g, int i) {
    return i < e->p->first_write && (i == g->first || e->p->step[i].kind == STEP_KERNEL);
}

/* Steps [i, end) are rows of one kind: a loop does them. */
static void walk_rows(Emit *e, int i, int end, bool ask) {
    emit_line(e, "for (int i = %d; i < %d; i++) {", i, end);
    if (ask)
        emit_line(e, "    if (f->rt->poll_interrupt(f)) return f->rt->fail(f, i, %d, 0, 0, 0, 0, 0);", TH_Interrupted);
    emit_line(e, "    if (row(f, i)) return 1;");
    emit_line(e, "}");
}

/* How many steps from i on are rows alike: all ask for an interrupt before, or none. */
static int alike(const Emit *e, const Region *g, int i) {
    int n = i;
    while (n < g->first + g->n && rows_has(e, n) && polled(e, g, n) == polled(e, g, i) && !e->p->step[n].chain) n++;
    return n - i;
}

/* r: of the loop around it, which polls by itself, or NULL. */
static void straight(Emit *e, const Region *g, const Registers *r) {
    for (int i = g->first; i < g->first + g->n; i++) {
        int n = r ? 0 : alike(e, g, i);
        if (n > 1) {
            walk_rows(e, i, i + n, polled(e, g, i));
            i += n - 1;
            continue;
        }
        if (!r && polled(e, g, i)) poll(e, i);
        if (!r && rows_chain(e, i)) {
            i += e->p->step[i].chain - 1;
            continue;
        }
        if (r && registers_step(e, r, i)) continue;
        if (rows_has(e, i)) emit_line(e, "if (row(f, %d)) return 1;", i);
        else emit_line(e, "if (step_%d(f)) return 1;", i);
    }
}

/* ---- windows ---- */
static void number(Emit *e, const char *name, int k, Size z) {
    Text t;
    text_init(&t, e->c);
    frame_size(&t, z);
    emit_line(e, "%s%d = %s;", name, k, t.at ? t.at : "0");
    text_free(&t);
}

static bool moves(const PlanWindow *w) { return !size_is(w->step, 0); }
static bool rings(const PlanWindow *w) { return !size_is(w->ring, 0); }

/* Window k: w<k> its place, in [0, r<k>) when it is a ring; d<k> its step, smaller than the ring. */
static void start(Emit *e, int k) {
    const PlanWindow *w = &e->p->window[k];
    number(e, "i64 w", k, w->first);
    if (moves(w)) number(e, "i64 d", k, w->step);
    if (!rings(w)) return;
    number(e, "const i64 r", k, w->ring);
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

/* Where a window that is a variable starts: its buffer does not move while the loop runs. */
static void origin(Emit *e, int k) {
    const PlanWindow *w = &e->p->window[k];
    Text t;
    text_init(&t, e->c);
    frame_size(&t, w->base);
    emit_line(e, "char *const o%d = f->buf[%d] + (%s) * %d;", k, w->of, t.at ? t.at : "0",
              (int)th_dtype_bytes((ThDtype)e->p->buf[w->buf].dtype));
    text_free(&t);
}

/* Windows in memory, or all of them where a report may look at them. */
static void show_windows(Emit *e, const Region *g, const Registers *r) {
    for (int k = g->window; k < g->window + g->nwindow; k++)
        if (r->fails || !registers_has(r, e->p->window[k].buf)) show(e, k);
}

/* A loop over single values asks for an interrupt now and then, others at every turn. */
static void turn_head(Emit *e, const Region *g, const Registers *r) {
    bool body = r->hi >= r->lo;
    if (body && r->lo < e->p->first_write) {
        if (r->all && !e->portable) emit_line(e, "if (!(t & 4095))");
        poll(e, r->lo);
    }
    if (!body || !r->all || r->fails) emit_line(e, "f->sym[%d] = t;", g->counter);
    show_windows(e, g, r);
    registers_start_turn(e, r);
}

static void turn(Emit *e, const Region *g, const Registers *r) {
    turn_head(e, g, r);
    if (r->hi < r->lo) emit_region(e, g->child);
    else
        for (int id = g->child; id >= 0; id = e->p->region[id].next) straight(e, &e->p->region[id], r);
    registers_end_turn(e, r);
    emit_line(e, "t++;");
    if (g->until >= 0)
        emit_line(e, registers_has(r, g->until) ? "if (x%d) break;" : "if (*f->buf[%d]) break;", g->until);
    registers_next_turn(e, r);
    each_window(e, g, advance);
}

static void loop(Emit *e, const Region *g) {
    Registers r;
    Text n;
    if (!registers_find(e, g, &r)) return;
    text_init(&n, e->c);
    frame_size(&n, g->trip);
    title(e, g);
    e->indent++;
    emit_line(e, "const i64 n = %s;", n.at ? n.at : "0");
    text_free(&n);
    each_window(e, g, start);
    for (int k = g->window; k < g->window + g->nwindow; k++)
        if (registers_has(&r, e->p->window[k].buf)) origin(e, k);
    registers_declare(e, &r);
    emit_line(e, "i64 t = 0;");
    emit_line(e, "while (t < n) {");
    e->indent++;
    turn(e, g, &r);
    e->indent--;
    emit_line(e, "}");
    if (g->turns > 0) emit_line(e, "*(i64 *)f->buf[%d] = t;", g->turns - 1);
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
        if (g->kind == REGION_STRAIGHT) straight(e, g, NULL);
        else if (g->kind == REGION_LOOP) loop(e, g);
        else branch(e, g);
    }
}
