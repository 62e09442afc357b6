/*
 * flat.c -- formulas over short rows as one run of elements. In: a kernel of one stage over rows and columns whose
 * operands are matrices in C order and rows that every row shares (a bias). Out: before its ordinary loops, a way for
 * rows shorter than two vectors: the shared row stands repeated as often as vectors take to start at its first element
 * again, so that all vectors are full, whatever the length of the rows. Always holds: each element is computed by the
 * vector functions of the ordinary loops, so the bits are theirs.
 */
#include "emit.h"

#include <stdio.h>

/* The matrix in C order; a row for all rows. */
static bool is_dense(const Kernel *k, const Access *a) {
    return size_is(a->st[1], 1) && size_eq(a->st[0], k->dim[1].n);
}
static bool is_row(const Access *a) { return size_is(a->st[1], 1) && size_is(a->st[0], 0); }

static bool suits(const Kernel *k) {
    if (k->ndim != 2 || k->nouter || k->st.n != 1 || k->red.n || k->can_fail) return false;
    const Stage *st = &k->st.at[0];
    if (st->cls != STAGE_LOOP || st->nd != 2 || st->vec != 1) return false;
    if (k->dim[0].kind != DIM_PAR || k->dim[1].kind != DIM_PAR || !threads_rows_apart(k)) return false;
    bool rows = false;
    for (int j = 0; j < k->ins.n; j++) {
        const Ins *i = &k->ins.at[j];
        if (i->depth == 1 || (i->op == INS_INDEX && i->depth)) return false;
        if ((i->op != INS_LOAD && i->op != INS_STORE) || !i->depth) continue;
        const Access *a = &k->acc.at[i->a];
        if (a->idx >= 0 || a->guard >= 0 || (a->flags & (ACC_ADD | ACC_ROWTEMP))) return false;
        if (!is_dense(k, a) && (!is_row(a) || i->op == INS_STORE)) return false;
        rows |= is_row(a);
    }
    return rows;
}

/* again_<T>(to, p, n): n vectors of the row of n elements, repeated. */
static const char *need_again(Emit *e, ThDtype d, int lanes) {
    char t[16], *name = arena_alloc(e->arena, 40);
    if (!name) return "";
    need_type(e, d, lanes, t);
    snprintf(name, 40, "again_%s", t);
    if (!need(e, name)) return name;
    text_printf(&e->helpers, "FN void %s(%s *to, const %s *p, i64 n) {\n", name, t, type_short(d));
    text_printf(&e->helpers, "    char *q = (char *)to; unsigned long row = (unsigned long)n * %d, all = row * %d;\n",
                (int)th_dtype_bytes(d), lanes);
    text_put(&e->helpers, "    memcpy(q, p, row);\n");
    text_put(&e->helpers, "    for (; row < all; row *= 2) memcpy(q + row, q, 2 * row < all ? row : all - row);\n}\n");
    return name;
}

static void repeat_rows(Emit *e) {
    const Kernel *k = e->k;
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        char ty[16];
        if (!(a->flags & ACC_READ) || !is_row(a)) continue;
        emit_line(e, "%s x%d[%d];", need_type(e, (ThDtype)a->dtype, e->lanes, ty), i, 2 * e->lanes);
        emit_line(e, "%s(x%d, p_%s, n1);", need_again(e, (ThDtype)a->dtype, e->lanes), i, e->name[i]);
    }
}

void flat_address(const Emit *e, Text *t, int acc) {
    if (is_row(&e->k->acc.at[acc])) text_printf(t, "x%d[k]", acc);
    else text_printf(t, "p_%s + t", e->name[acc]);
}

bool flat_emit(Emit *e, const KernelOrder *o) {
    const LoopStage *s = &o->stage[0];
    if (!suits(e->k)) return true;
    e->s = s;
    e->lanes = emit_lanes(e, s);
    int n = e->lanes;
    if (n == 1) return true;
    emit_line(e, "if (n1 < %d && n1 != %d && n0 >= %d) { /* short rows in one run */", 2 * n, n, 2 * n);
    e->indent++;
    bool ok = emit_ids(e, o->code + s->pre[0], s->npre[0]);
    repeat_rows(e);
    emit_line(e, "const i64 n = n0 * n1;");
    emit_line(e, "i64 t = 0, k = 0;");
    e->flat = true;
    emit_line(e, "for (; t + %d <= n; t += %d, k = k + 1 < n1 ? k + 1 : 0) {", n, n);
    e->indent++;
    ok = ok && emit_ids(e, o->code + s->pre[2], s->npre[2]);
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "if (t < n) { /* the last n %% %d */", n);
    e->indent++;
    emit_line(e, "const i64 m = n - t;");
    e->tail = true;
    ok = ok && emit_ids(e, o->code + s->pre[2], s->npre[2]);
    e->tail = e->flat = false;
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "return 0;");
    e->indent--;
    emit_line(e, "}");
    return ok;
}
