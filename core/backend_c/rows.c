/*
 * rows.c -- the steps of a large function as data: a row names the step's kernel, the buffers, slots and literals that
 * it gets, and one loop walks the rows. In: a plan with many steps. Out: tables and `row(f, i)`, which does step i. As
 * functions such steps took nearly all of the compiler's time, since thousands of them share a handful of kernels.
 */
#include "emit.h"

enum { MANY_STEPS = 32 };

bool rows_wanted(const Plan *p) { return p->nstep > MANY_STEPS; }

bool rows_has(const Emit *e, int step) {
    return e->rows && (e->p->step[step].kind == STEP_KERNEL || e->p->step[step].kind == STEP_HOST);
}

/* The longest lists of a step, at least 1: lengths of arrays. */
static void longest(const Plan *p, int *nbuf, int *nsym) {
    *nbuf = *nsym = 1;
    for (int i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];
        if (s->kind != STEP_KERNEL) continue;
        if (s->nbuf > *nbuf) *nbuf = s->nbuf;
        if (s->nsym > *nsym) *nsym = s->nsym;
    }
}

/* Buffers, then slots, of one step after the other. */
static void places(Emit *e) {
    Text t;
    emit_line(e, "static const int row_place[] = {");
    for (int i = 0; i < e->p->nstep; i++) {
        const Step *s = &e->p->step[i];
        if (s->kind != STEP_KERNEL) continue;
        text_init(&t, e->c);
        for (int k = 0; k < s->nbuf; k++) text_printf(&t, "%d, ", s->buf[k]);
        for (int k = 0; k < s->nsym; k++) text_printf(&t, "%d, ", s->sym[k]);
        emit_line(e, "    %s", t.at ? t.at : "");
        text_free(&t);
    }
    emit_line(e, "    0};");
}

static void literals(Emit *e) {
    Text t;
    emit_line(e, "static const Cell row_cell[] = {");
    for (int i = 0; i < e->p->nstep; i++) {
        const Step *s = &e->p->step[i];
        if (s->kind != STEP_KERNEL || !s->nparam) continue;
        text_init(&t, e->c);
        emit_cell_list(&t, s, e->p->kernel[s->kernel]);
        emit_line(e, "    %s,", t.at ? t.at : "");
        text_free(&t);
    }
    emit_line(e, "    {.i = 0}};");
}

static void kernel_table(Emit *e) {
    emit_line(e, "static int row_host(Frame *f, char *const *b, const i64 *s, const Cell *q, int step) {");
    emit_line(e, "    (void)b, (void)s, (void)q;");
    emit_line(e, "    return f->rt->host_call(f, step);");
    emit_line(e, "}");
    emit_line(e, "static int (*const row_kernel[])(Frame *, char *const *, const i64 *, const Cell *, int) = {");
    for (int i = 0; i < e->p->nkernel; i++) emit_line(e, "    kernel_%d,", i);
    emit_line(e, "    row_host};");
}

/* Steps of other kinds have an empty row. */
static void row_table(Emit *e) {
    int place = 0, cell = 0;
    emit_line(e, "static const struct { int kernel, nbuf, nsym, place, cell; } row_of[] = {");
    for (int i = 0; i < e->p->nstep; i++) {
        const Step *s = &e->p->step[i];
        bool kernel = s->kind == STEP_KERNEL;
        if (s->title) emit_line(e, "    /* %s */", s->title);
        emit_line(e, "    {%d, %d, %d, %d, %d}, /* step %d */", kernel ? s->kernel : e->p->nkernel,
                  kernel ? s->nbuf : 0, kernel ? s->nsym : 0, place, cell, i);
        if (!kernel) continue;
        place += s->nbuf + s->nsym;
        cell += s->nparam;
    }
    emit_line(e, "};");
}

void emit_rows(Emit *e) {
    int nbuf, nsym;
    longest(e->p, &nbuf, &nsym);
    places(e);
    literals(e);
    kernel_table(e);
    row_table(e);
    emit_line(e, "\nFN int row(Frame *f, int i) {");
    emit_line(e, "    char *b[%d];", nbuf);
    emit_line(e, "    i64 s[%d];", nsym);
    emit_line(e, "    const int *at = row_place + row_of[i].place, nbuf = row_of[i].nbuf, nsym = row_of[i].nsym;");
    emit_line(e, "    for (int k = 0; k < nbuf; k++) b[k] = f->buf[at[k]];");
    emit_line(e, "    for (int k = 0; k < nsym; k++) s[k] = f->sym[at[nbuf + k]];");
    emit_line(e, "    return row_kernel[row_of[i].kernel](f, b, s, row_cell + row_of[i].cell, i);");
    emit_line(e, "}\n");
}
