/*
 * registers.c -- single values in the body of a loop as C variables. In: a loop whose body has no loops of its own.
 * Out: for each buffer of one element that only kernels without loops touch, a variable x<buffer>: windows are loaded
 * at the start of a turn and stored at its end, and a state that the next turn reads is handed on without a look at
 * memory. Always holds: what a turn reads through a window is stored by an earlier turn or stood there before the loop.
 */
#include "c.h"

#include <stdio.h>

enum { HERE = 1, LOAD = 2, STORE = 4, SEEN = 8 };

bool registers_has(const Registers *r, int buf) { return r->here && buf >= 0 && (r->here[buf] & HERE); }

/* The steps of a line of straight regions; false when it holds anything else. */
static bool only_steps(const Plan *p, int id, int *lo, int *hi) {
    for (; id >= 0; id = p->region[id].next) {
        const Region *g = &p->region[id];
        if (g->kind != REGION_STRAIGHT) return false;
        if (g->n && g->first < *lo) *lo = g->first;
        if (g->n && g->first + g->n - 1 > *hi) *hi = g->first + g->n - 1;
    }
    return *lo <= *hi;
}

static bool fits(const Plan *p, const Registers *r, int b) {
    const PlanBuf *f = &p->buf[b];
    if (!size_is(f->size, 1) || f->late) return false;
    if (f->kind == BUF_WINDOW) return f->index >= r->g->window && f->index < r->g->window + r->g->nwindow;
    return f->kind == BUF_TEMP && !f->carried && f->first >= r->lo && f->last <= r->hi;
}

static bool simple(const Emit *e, const Step *s) {
    return s->kind == STEP_TRANSFER || (s->kind == STEP_KERNEL && kernel_is_scalar(e->p->kernel[s->kernel]));
}

static bool accesses(const Emit *e, const Step *s, int local, int flag) {
    if (s->kind == STEP_TRANSFER) return (local == 1) == (flag == ACC_WRITE);
    const Kernel *k = e->p->kernel[s->kernel];
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == local && (k->acc.at[a].flags & flag)) return true;
    return false;
}

/* Buffers that other steps touch, or integers that size steps read, stay in memory. */
static void exclude(const Emit *e, Registers *r) {
    const Plan *p = e->p;
    for (int i = r->lo; i <= r->hi; i++) {
        const Step *s = &p->step[i];
        r->fails |= s->can_fail;
        for (int b = 0; b < s->nbuf; b++)
            if (s->buf[b] >= 0 && !simple(e, s)) r->here[s->buf[b]] = 0;
        for (int k = s->a; s->kind == STEP_SIZE && k < s->a + s->n; k++)
            if (p->shape[k].op == SHAPE_VALUE) r->here[p->shape[k].a] = 0;
    }
    /* a transfer is written out only between two variables */
    for (int i = r->lo; i <= r->hi; i++) {
        const Step *s = &p->step[i];
        if (s->kind == STEP_TRANSFER && !(registers_has(r, s->buf[0]) && registers_has(r, s->buf[1])))
            r->here[s->buf[0]] = r->here[s->buf[1]] = 0;
    }
}

/* What must be loaded: read before it is written. What must be stored: windows that are written. */
static void flow(const Emit *e, Registers *r) {
    for (int i = r->lo; i <= r->hi; i++) {
        const Step *s = &e->p->step[i];
        for (int b = 0; b < s->nbuf; b++)
            if (registers_has(r, s->buf[b]) && accesses(e, s, b, ACC_READ) && !(r->here[s->buf[b]] & (SEEN | STORE)))
                r->here[s->buf[b]] |= SEEN | LOAD;
        for (int b = 0; b < s->nbuf; b++)
            if (registers_has(r, s->buf[b]) && accesses(e, s, b, ACC_WRITE)) r->here[s->buf[b]] |= SEEN | STORE;
    }
    r->all = true;
    for (int i = r->lo; i <= r->hi; i++) r->all &= simple(e, &e->p->step[i]);
}

bool registers_find(Emit *e, const Region *g, Registers *r) {
    const Plan *p = e->p;
    *r = (Registers){.g = g, .lo = p->nstep, .hi = -1};
    r->here = arena_alloc0(e->arena, (size_t)p->nbuf + 1);
    if (!r->here) return false;
    if (!e->registers || !only_steps(p, g->child, &r->lo, &r->hi)) {
        r->lo = 0, r->hi = -1;
        r->fails = true;
        return true;
    }
    for (int i = r->lo; i <= r->hi; i++)
        for (int b = 0; b < p->step[i].nbuf; b++) {
            int f = p->step[i].buf[b];
            if (f >= 0 && fits(p, r, f)) r->here[f] = HERE;
        }
    exclude(e, r);
    flow(e, r);
    return true;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */
static const char *ctype(const Emit *e, int buf) { return type_short((ThDtype)e->p->buf[buf].dtype); }

static void each(Emit *e, const Registers *r, void (*fn)(Emit *e, const Registers *r, int buf)) {
    for (int b = 0; r->hi >= r->lo && b < e->p->nbuf; b++)
        if (registers_has(r, b)) fn(e, r, b);
}

static int bytes(const Emit *e, int buf) { return (int)th_dtype_bytes((ThDtype)e->p->buf[buf].dtype); }

/* The window that b is in the next turn, when that one is a variable too: then b is never loaded but the first time. */
static int follower(const Emit *e, const Registers *r, int b) {
    const PlanBuf *f = &e->p->buf[b];
    int next = f->kind == BUF_WINDOW ? e->p->window[f->index].next : -1;
    return next >= 0 && registers_has(r, e->p->window[next].buf) ? e->p->window[next].buf : -1;
}

static void load(Emit *e, int b) {
    int k = e->p->buf[b].index;
    emit_line(e, "x%d = *(const %s *)(o%d + w%d * %d);", b, ctype(e, b), k, k, bytes(e, b));
}

static void declare(Emit *e, const Registers *r, int b) {
    emit_line(e, "%s x%d = {0};", ctype(e, b), b);
    if ((r->here[b] & LOAD || follower(e, r, b) >= 0) && e->p->buf[b].kind == BUF_WINDOW && follower(e, r, b) >= 0) {
        emit_line(e, "if (n > 0)");
        load(e, b);
    }
}
void registers_declare(Emit *e, const Registers *r) { each(e, r, declare); }

static void start_turn(Emit *e, const Registers *r, int b) {
    if ((r->here[b] & LOAD) && e->p->buf[b].kind == BUF_WINDOW && follower(e, r, b) < 0) load(e, b);
}
void registers_start_turn(Emit *e, const Registers *r) { each(e, r, start_turn); }

static void end_turn(Emit *e, const Registers *r, int b) {
    int k = e->p->buf[b].index;
    if ((r->here[b] & STORE) && e->p->buf[b].kind == BUF_WINDOW)
        emit_line(e, "*(%s *)(o%d + w%d * %d) = x%d;", ctype(e, b), k, k, bytes(e, b), b);
}
void registers_end_turn(Emit *e, const Registers *r) { each(e, r, end_turn); }

static void keep(Emit *e, const Registers *r, int b) {
    int to = follower(e, r, b);
    if (to >= 0) emit_line(e, "const %s y%d = x%d;", ctype(e, b), b, to);
}
static void hand_on(Emit *e, const Registers *r, int b) {
    if (follower(e, r, b) >= 0) emit_line(e, "x%d = y%d;", b, b);
}
void registers_next_turn(Emit *e, const Registers *r) {
    each(e, r, keep);
    each(e, r, hand_on);
}

static bool any_here(const Registers *r, const Step *s) {
    for (int b = 0; b < s->nbuf; b++)
        if (registers_has(r, s->buf[b])) return true;
    return false;
}

bool registers_step(Emit *e, const Registers *r, int number) {
    const Step *s = &e->p->step[number];
    if (!simple(e, s) || !any_here(r, s)) return false;
    if (s->title) emit_line(e, "/* %s */", s->title);
    if (s->kind == STEP_TRANSFER) {
        emit_line(e, "x%d = x%d;", s->buf[1], s->buf[0]);
        return true;
    }
    Text b, y;
    text_init(&b, e->c);
    text_init(&y, e->c);
    for (int i = 0; i < s->nbuf; i++)
        text_printf(&b, registers_has(r, s->buf[i]) ? "%s(char *)&x%d" : "%sf->buf[%d]", i ? ", " : "", s->buf[i]);
    for (int i = 0; i < s->nsym; i++) text_printf(&y, i ? ", f->sym[%d]" : "f->sym[%d]", s->sym[i]);
    emit_line(e, "{");
    e->indent++;
    emit_line(e, "char *const b[%d] = {%s};", s->nbuf ? s->nbuf : 1, s->nbuf ? b.at : "0");
    emit_line(e, "const i64 s[%d] = {%s};", s->nsym ? s->nsym : 1, s->nsym ? y.at : "0");
    emit_cells(e, s, e->p->kernel[s->kernel], number);
    emit_line(e, "if (kernel_%d(f, b, s, %s, %d)) return 1;", s->kernel, s->nparam ? "q" : "0", number);
    e->indent--;
    emit_line(e, "}");
    text_free(&b);
    text_free(&y);
    return true;
}
