/*
 * threads.c -- kernels whose outermost dimension is shared out among threads. In: a Nest of FOR_PIECE. Out: its body as
 * part_N over [row0, row1) of dim 0, and kernel_N, which runs it whole, or in pieces through rt->parallel_for where
 * there are openmp_elemwise_minsize elements or more. Always holds: every point of dim 0 writes elements of its own and
 * no sum crosses it, so the bits are the same at any number of threads; pieces are cut by sizes alone. What lies in one
 * row only, between the stages of a kernel, each piece has on its stack (up to ROW bytes; longer rows stay with one
 * thread).
 */
#include "schedule/choose.h"
#include "c.h"

/* room_N: bytes of all rows, and where each of them is, of a kernel that has some. */
static void emit_rooms(Emit *e, int number) {
    const Kernel *k = e->k;
    emit_line(e, "static i64 room_%d(const i64 *s, i64 *at) {", number);
    emit_line(e, "    i64 all = 0, most, n;");
    emit_line(e, "    (void)s;");
    for (int b = 0; b < k->nbuf; b++) {
        if (!apart_is_row(k, b)) continue;
        int bytes = 0;
        emit_line(e, "    most = 0;");
        for (int i = 0; i < k->acc.n; i++) {
            const Access *a = &k->acc.at[i];
            if (a->buf != b) continue;
            Text t;
            text_init(&t, e->c);
            for (int d = k->nouter; d < k->ndim; d++) {
                if (size_is(a->st[d], 0)) continue;
                text_put(&t, " + (");
                emit_size(&t, k->dim[d].n);
                text_put(&t, " - 1) * (");
                emit_size(&t, a->st[d]);
                text_put(&t, ")");
            }
            emit_line(e, "    n = 1%s; if (n > most) most = n;", t.at ? t.at : "");
            text_free(&t);
            bytes = (int)th_dtype_bytes((ThDtype)a->dtype);
        }
        emit_line(e, "    at[%d] = all, all += (most * %d + 63) / 64 * 64;", b, bytes);
    }
    emit_line(e, "    return all;");
    emit_line(e, "}");
}

static void emit_own_rows(Emit *e, int number) {
    const Kernel *k = e->k;
    emit_line(e, "    i64 at[%d];", k->nbuf + 1);
    emit_line(e, "    char *b[%d], *room = __builtin_alloca_with_align((unsigned long)room_%d(w->s, at) + 64, 512);",
              k->nbuf + 1, number);
    for (int b = 0; b < k->nbuf; b++)
        emit_line(e, apart_is_row(k, b) ? "    b[%d] = room + at[%d];" : "    b[%d] = w->b[%d];", b, b);
}

static void put_dim(Text *t, const Kernel *k, int d) {
    text_put(t, " * (");
    emit_size(t, k->dim[d].n);
    text_put(t, ")");
}

/* Rows of a piece, at least so many: narrow columns are rather two pieces than one. */
static void emit_each(Emit *e, int least) {
    emit_line(e, "    i64 pieces = work / %d < 2 ? 2 : work / %d < %d ? work / %d : %d;", CHOOSE_PIECE, CHOOSE_PIECE,
              CHOOSE_PIECES, CHOOSE_PIECE, CHOOSE_PIECES);
    emit_line(e, "    if (pieces > n) pieces = n;");
    emit_line(e, "    i64 each = (n + pieces - 1) / pieces;");
    if (least > 1) {
        emit_line(e, "    each = each > %d ? each : n < %d ? (n + 1) / 2 : %d;", least, 2 * least, least);
        emit_line(e, "    each = (each + 63) / 64 * 64;");
    } else {
        emit_line(e, "    if (each > 16) each = (each + 15) / 16 * 16;");
    }
}

bool threads_emit(Emit *e, int number, const NestNode *pieces) {
    const Kernel *k = e->k;
    if (need(e, "Split"))
        text_put(&e->helpers,
                 "typedef struct { Frame *f; char *const *b; const i64 *s; const Cell *q; int step; i64 n, "
                 "each; } Split; /* a kernel's rows in pieces */\n");
    bool rows_own = false;
    for (int b = 0; b < k->nbuf; b++) rows_own |= apart_is_row(k, b);
    if (rows_own) emit_rooms(e, number);
    emit_line(e, "static void piece_%d(int i, void *p) {", number);
    emit_line(e, "    const Split *w = p;");
    emit_line(e, "    i64 from = i * w->each, to = from + w->each < w->n ? from + w->each : w->n;");
    if (rows_own) emit_own_rows(e, number);
    emit_line(e, "    part_%d(w->f, %s, w->s, w->q, w->step, from, to);", number, rows_own ? "b" : "w->b");
    emit_line(e, "}");
    emit_line(e, "KERNEL int kernel_%d(Frame *f, char *const *b, const i64 *s, const Cell *q, int step) {", number);
    e->indent = 1;
    bool ok = true;
    for (const NestNode *n = e->nest->root; n != pieces && ok; n = n->next) ok = emit_leaf(e, n);
    e->indent = 0;
    Text t, rows;
    text_init(&t, e->c);
    text_init(&rows, e->c);
    emit_size(&rows, k->dim[0].n);
    for (int d = 1; d < k->nouter; d++) put_dim(&t, k, d);
    text_put(&t, " * (");
    for (int i = 0; i < k->st.n; i++) {
        const Stage *st = &k->st.at[i];
        text_printf(&t, i ? " + %dl" : "%dl", choose_weight(k, i));
        for (int d = st->d0 > 0 ? st->d0 : 1; d < st->d0 + st->nd; d++) put_dim(&t, k, d);
    }
    text_put(&t, ")");
    emit_line(e, "    const i64 n = %s;", rows.at ? rows.at : "0");
    emit_line(e, "    const i64 work = n%s / %d; /* points of all stages, as sums of two arrays */", t.at ? t.at : "",
              CHOOSE_PLAIN);
    emit_line(e, "    if (n < 2 || work < %lldl) return part_%d(f, b, s, q, step, 0, n);",
              (long long)config_int(e->c, "openmp_elemwise_minsize"), number);
    if (rows_own) {
        emit_line(e, "    i64 at[%d];", k->nbuf + 1);
        emit_line(e, "    if (room_%d(s, at) > %d) return part_%d(f, b, s, q, step, 0, n);", number, CHOOSE_ROOM,
                  number);
    }
    emit_each(e, pieces->n);
    emit_line(e, "    Split w = {f, b, s, q, step, n, each};");
    emit_line(e, "    f->rt->parallel_for(f, (int)((n + each - 1) / each), piece_%d, &w);", number);
    emit_line(e, "    return 0;");
    emit_line(e, "}\n");
    text_free(&t);
    text_free(&rows);
    return ok;
}
