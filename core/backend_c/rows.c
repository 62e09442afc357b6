/*
 * rows.c -- the steps of a large function as data: a row names the step's kernel, the buffers, slots and literals that
 * it gets, and one loop walks the rows. In: a plan with many steps. Out: tables and `row(f, i)`, which does step i. As
 * functions such steps took nearly all of the compiler's time, since thousands of them share a handful of kernels.
 */
#include "schedule/choose.h"
#include "c.h"

bool rows_wanted(const Plan *p) {
    bool chains = false;
    for (int i = 0; i < p->nstep; i++) chains |= p->step[i].chain > 0;
    return choose_rows(p->nstep, chains);
}

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
        emit_cell_list(e, &t, s, e->p->kernel[s->kernel]);
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

/* ---- chains: steps tile by tile ---- */
/* Bytes from one element of a step's loop to the next in its local buffer. */
static long long pace(const Emit *e, const Step *s, int buf) {
    const Kernel *k = e->p->kernel[s->kernel];
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == buf)
            return (long long)k->acc.at[a].st[0].k * (long long)th_dtype_bytes((ThDtype)k->acc.at[a].dtype);
    return 0;
}

/* By place: how far a buffer moves with the elements of a chain. */
static void paces(Emit *e) {
    int left = 0;
    emit_line(e, "static const i64 row_pace[] = {");
    for (int i = 0; i < e->p->nstep; i++) {
        const Step *s = &e->p->step[i];
        Text t;
        if (s->kind != STEP_KERNEL) continue;
        if (s->chain) left = s->chain;
        text_init(&t, e->c);
        for (int k = 0; k < s->nbuf; k++) text_printf(&t, "%lld, ", left > 0 ? pace(e, s, k) : 0);
        for (int k = 0; k < s->nsym; k++) text_put(&t, "0, ");
        emit_line(e, "    %s", t.at ? t.at : "");
        text_free(&t);
        left--;
    }
    emit_line(e, "    0};");
}

/* chain(f, first, end, slot): steps [first, end) on one tile of frame.sym[slot] elements after the other. None can
 * fail, and no element sees another one, so threads may share them out. */
static void chains(Emit *e, int nbuf, int nsym) {
    paces(e);
    emit_line(e, "\ntypedef struct { Frame *f; int first, end, slot; i64 n, each; } Chain;");
    emit_line(e, "FN void chain_part(const Chain *c, i64 from, i64 to) {");
    emit_line(e, "    for (i64 t = from; t < to; t += %d)", CHOOSE_CHAIN_TILE);
    emit_line(e, "        for (int i = c->first; i < c->end; i++) {");
    emit_line(e, "            char *b[%d];", nbuf);
    emit_line(e, "            i64 s[%d];", nsym);
    emit_line(e, "            const int place = row_of[i].place, nbuf = row_of[i].nbuf;");
    emit_line(e, "            row_gets(c->f, i, b, s);");
    emit_line(e, "            for (int k = 0; k < nbuf; k++) b[k] += t * row_pace[place + k];");
    emit_line(e, "            for (int k = 0; k < row_of[i].nsym; k++)");
    emit_line(e, "                if (row_place[place + nbuf + k] == c->slot)");
    emit_line(e, "                    s[k] = to - t < %d ? to - t : %d;", CHOOSE_CHAIN_TILE, CHOOSE_CHAIN_TILE);
    emit_line(e, "            row_kernel[row_of[i].kernel](c->f, b, s, row_cell + row_of[i].cell, i);");
    emit_line(e, "        }");
    emit_line(e, "}\n");
    bool threads = config_bool(e->c, "openmp");
    if (threads) {
        emit_line(e, "static void chain_piece(int i, void *p) {");
        emit_line(e, "    const Chain *c = p;");
        emit_line(e, "    i64 from = i * c->each;");
        emit_line(e, "    chain_part(c, from, c->n - from < c->each ? c->n : from + c->each);");
        emit_line(e, "}\n");
    }
    emit_line(e, "FN void chain(Frame *f, int first, int end, int slot) {");
    emit_line(e, "    Chain c = {f, first, end, slot, f->sym[slot], %d};", CHOOSE_CHAIN_TILE * CHOOSE_CHAIN_TILES);
    if (threads) {
        emit_line(e, "    while ((c.n + c.each - 1) / c.each > %d) c.each *= 2;", CHOOSE_CHAIN_PIECES);
        emit_line(e, "    if (c.n > c.each && c.n * (end - first) >= %lldl) {",
                  (long long)config_int(e->c, "openmp_elemwise_minsize"));
        emit_line(e, "        f->rt->parallel_for(f, (int)((c.n + c.each - 1) / c.each), chain_piece, &c);");
        emit_line(e, "        return;");
        emit_line(e, "    }");
    }
    emit_line(e, "    chain_part(&c, 0, c.n);");
    emit_line(e, "}\n");
}

bool rows_chain(Emit *e, int step) {
    const Step *s = &e->p->step[step];
    if (!e->rows || s->chain < 2 || e->known) return false;
    emit_line(e, "chain(f, %d, %d, %d);", step, step + s->chain, s->sym[e->p->kernel[s->kernel]->dim[0].n.sym]);
    return true;
}

void emit_rows(Emit *e) {
    int nbuf, nsym;
    bool any = false;
    longest(e->p, &nbuf, &nsym);
    for (int i = 0; i < e->p->nstep; i++) any |= e->p->step[i].chain > 1;
    places(e);
    literals(e);
    kernel_table(e);
    row_table(e);
    emit_line(e, "\nINLINE void row_gets(Frame *f, int i, char **b, i64 *s) {");
    emit_line(e, "    const int *at = row_place + row_of[i].place, nbuf = row_of[i].nbuf, nsym = row_of[i].nsym;");
    emit_line(e, "    for (int k = 0; k < nbuf; k++) b[k] = f->buf[at[k]];");
    emit_line(e, "    for (int k = 0; k < nsym; k++) s[k] = f->sym[at[nbuf + k]];");
    emit_line(e, "}\n");
    emit_line(e, "FN int row(Frame *f, int i) {");
    emit_line(e, "    char *b[%d];", nbuf);
    emit_line(e, "    i64 s[%d];", nsym);
    emit_line(e, "    row_gets(f, i, b, s);");
    emit_line(e, "    return row_kernel[row_of[i].kernel](f, b, s, row_cell + row_of[i].cell, i);");
    emit_line(e, "}\n");
    if (any && !e->known) chains(e, nbuf, nsym);
}
