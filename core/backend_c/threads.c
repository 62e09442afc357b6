/*
 * threads.c -- kernels whose outermost dimension may be shared out among threads (config openmp).
 * In: a kernel. Out: its body as part_N over [row0, row1) of dim 0, and kernel_N, which runs it whole, or in pieces
 * through rt->parallel_for where there are openmp_elemwise_minsize elements or more. Always holds: every point of dim 0
 * writes elements of its own and no sum crosses it, so the bits are the same at any number of threads; pieces are cut
 * by sizes alone. What lies in one row only, between the stages of a kernel, each piece has on its stack (up to ROW
 * bytes; longer rows stay with one thread).
 */
#include "emit.h"

enum { ROW = 65536 };

/* The memory of one row, used again by the next. */
static bool row_only(const Kernel *k, int buf) {
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        if (a->buf != buf) continue;
        if (!(a->flags & ACC_ROWTEMP) || a->idx >= 0 || a->guard >= 0 || !size_is(a->off, 0)) return false;
        for (int d = 0; d < k->nouter; d++)
            if (!size_is(a->st[d], 0)) return false;
    }
    return k->nouter > 0;
}

static bool is_row(const Kernel *k, int buf) {
    for (int i = 0; i < k->acc.n; i++)
        if (k->acc.at[i].buf == buf && (k->acc.at[i].flags & ACC_ROWTEMP)) return true;
    return false;
}

/* Other accesses of what access w writes see the same elements at the same point of dim 0. */
bool threads_apart(const Kernel *k, const Access *w) {
    if (size_is(w->st[0], 0) || w->idx >= 0 || (w->flags & (ACC_ROWTEMP | ACC_ADD))) return false;
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        if (a->buf == w->buf && (!size_eq(a->off, w->off) || !size_eq(a->st[0], w->st[0]))) return false;
    }
    return true;
}

bool threads_rows_apart(const Kernel *k) {
    for (int i = 0; i < k->acc.n; i++)
        if ((k->acc.at[i].flags & ACC_WRITE) && !threads_apart(k, &k->acc.at[i]) && !row_only(k, k->acc.at[i].buf))
            return false;
    return true;
}

/* What may fail before all loops, from sizes alone: done once, before the pieces. */
static bool sizes_only(const Kernel *k, int value) {
    for (int at = value; at >= 0; at--) {
        const Ins *i = &k->ins.at[at];
        if (i->depth == 0 && (i->op == INS_LOAD || i->op == INS_RED || i->op == INS_EP)) return false;
    }
    return true;
}

bool threads_may_fail(const Kernel *k, const Ins *i) {
    if (i->op == INS_FAIL_IF) return i->depth > 0 || !sizes_only(k, i->a);
    if (i->op == INS_CHECK_INDEX) return true;
    return i->op < INS_LOAD && (scalar_ops[i->op].flags & SF_FAILS) && dtype_is_discrete((ThDtype)i->in_dtype);
}

bool threads_may_split(const Emit *e, const Kernel *k) {
    if (!config_bool(e->c, "openmp") || k->ndim < 1 || k->dim[0].kind != DIM_PAR) return false;
    if (!k->nouter && (k->st.n != 1 || k->st.at[0].d0 != 0)) return false;
    for (int i = 0; i < k->st.n; i++)
        if (k->st.at[i].cls != STAGE_LOOP) return false;
    if (!threads_rows_apart(k)) return false;
    for (int i = 0; i < k->ins.n; i++)
        if (threads_may_fail(k, &k->ins.at[i])) return false;
    return true;
}

/* The checks that the pieces leave out, and what they read. */
static bool emit_checks(Emit *e) {
    const Kernel *k = e->k;
    bool *wanted = arena_alloc0(e->arena, (size_t)k->ins.n + 1), ok = wanted != NULL;
    for (int i = k->ins.n - 1; ok && i >= 0; i--) {
        int v[6], n;
        if (k->ins.at[i].op == INS_FAIL_IF) wanted[i] = true;
        n = wanted[i] ? ins_reads(k, &k->ins.at[i], v) : 0;
        for (int j = 0; j < n; j++) wanted[v[j]] = true;
    }
    e->split = false;
    for (int i = 0; ok && i < k->ins.n; i++)
        if (wanted[i]) ok = emit_ins(e, i);
    return ok;
}

/* room_N: bytes of all rows, and where each of them is, of a kernel that has some. */
static void emit_rooms(Emit *e, int number) {
    const Kernel *k = e->k;
    emit_line(e, "static i64 room_%d(const i64 *s, i64 *at) {", number);
    emit_line(e, "    i64 all = 0, most, n;");
    emit_line(e, "    (void)s;");
    for (int b = 0; b < k->nbuf; b++) {
        if (!is_row(k, b)) continue;
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
        emit_line(e, is_row(k, b) ? "    b[%d] = room + at[%d];" : "    b[%d] = w->b[%d];", b, b);
}

static void put_dim(Text *t, const Kernel *k, int d) {
    text_put(t, " * (");
    emit_size(t, k->dim[d].n);
    text_put(t, ")");
}

bool threads_emit(Emit *e, int number) {
    enum { PIECE = 16384, MOST = 256 }; /* elements of a piece at least; pieces at most */
    const Kernel *k = e->k;
    int least = 1; /* where rows are what vectors run over, narrow pieces read little of each cache line */
    for (int i = 0; i < k->st.n; i++)
        if (k->st.at[i].vec == 0) least = 256;
    if (need(e, "Split"))
        text_put(&e->helpers,
                 "typedef struct { Frame *f; char *const *b; const i64 *s; const Cell *q; int step; i64 n, "
                 "each; } Split; /* a kernel's rows in pieces */\n");
    bool rows_own = false;
    for (int b = 0; b < k->nbuf; b++) rows_own |= is_row(k, b);
    if (rows_own) emit_rooms(e, number);
    emit_line(e, "static void piece_%d(int i, void *p) {", number);
    emit_line(e, "    const Split *w = p;");
    emit_line(e, "    i64 from = i * w->each, to = from + w->each < w->n ? from + w->each : w->n;");
    if (rows_own) emit_own_rows(e, number);
    emit_line(e, "    part_%d(w->f, %s, w->s, w->q, w->step, from, to);", number, rows_own ? "b" : "w->b");
    emit_line(e, "}");
    emit_line(e, "KERNEL int kernel_%d(Frame *f, char *const *b, const i64 *s, const Cell *q, int step) {", number);
    e->indent = 1;
    bool ok = emit_checks(e);
    e->indent = 0;
    Text t, rows;
    text_init(&t, e->c);
    text_init(&rows, e->c);
    emit_size(&rows, k->dim[0].n);
    for (int d = 1; d < k->nouter; d++) put_dim(&t, k, d);
    text_put(&t, " * (");
    for (int i = 0; i < k->st.n; i++) {
        const Stage *st = &k->st.at[i];
        text_put(&t, i ? " + 1l" : "1l");
        for (int d = st->d0 > 0 ? st->d0 : 1; d < st->d0 + st->nd; d++) put_dim(&t, k, d);
    }
    text_put(&t, ")");
    emit_line(e, "    const i64 n = %s, work = n%s; /* points of all stages */", rows.at ? rows.at : "0",
              t.at ? t.at : "");
    emit_line(e, "    if (n < 2 || work < %lldl) return part_%d(f, b, s, q, step, 0, n);",
              (long long)config_int(e->c, "openmp_elemwise_minsize"), number);
    if (rows_own) {
        emit_line(e, "    i64 at[%d];", k->nbuf + 1);
        emit_line(e, "    if (room_%d(s, at) > %d) return part_%d(f, b, s, q, step, 0, n);", number, ROW, number);
    }
    emit_line(e, "    i64 pieces = work / %d < 2 ? 2 : work / %d < %d ? work / %d : %d;", PIECE, PIECE, MOST, PIECE,
              MOST);
    emit_line(e, "    if (pieces > n) pieces = n;");
    emit_line(e, "    i64 each = (n + pieces - 1) / pieces;");
    emit_line(e, "    each = each > %d ? (each + 63) / 64 * 64 : %d;", least, least);
    emit_line(e, "    Split w = {f, b, s, q, step, n, each};");
    emit_line(e, "    f->rt->parallel_for(f, (int)((n + each - 1) / each), piece_%d, &w);", number);
    emit_line(e, "    return 0;");
    emit_line(e, "}\n");
    text_free(&t);
    text_free(&rows);
    return ok;
}
