/*
 * moves.c -- what goes between memory and vectors apart from single loads and stores: rows as columns and back
 * (transpose.c), a row repeated, and lines of memory asked for.
 */
#include "c.h"

#include <stdio.h>

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

/* The row that all rows share, as often as vectors take to start at its first element again. */
static void repeat(Emit *e, int acc, int room) {
    ThDtype d = (ThDtype)e->k->acc.at[acc].dtype;
    char ty[16];
    emit_line(e, "%s x%d[%d];", need_type(e, d, e->lanes, ty), acc, room);
    emit_line(e, "%s(x%d, p_%s, n1);", need_again(e, d, e->lanes), acc, e->name[acc]);
}

/* The rows that load or store `id` works on, all columns of one vector's rows. */
static void columns(Emit *e, int id, bool load) {
    const Ins *i = &e->k->ins.at[id];
    const Access *a = &e->k->acc.at[i->a];
    Text z, p;
    char rows[24];
    text_init(&z, e->c);
    text_init(&p, e->c);
    emit_size(&z, a->st[e->way->row]);
    text_printf(&p, "p_%s", e->name[i->a]);
    for (int d = 0; d <= e->way->row; d++) {
        if (size_is(a->st[d], 0)) continue;
        text_printf(&p, " + i%d * (", d);
        emit_size(&p, a->st[d]);
        text_putc(&p, ')');
    }
    if (e->tail) snprintf(rows, sizeof rows, "m");
    else snprintf(rows, sizeof rows, "%d", e->lanes);
    const char *fn = (load ? need_get : need_put)(e, (ThDtype)a->dtype, e->lanes), *at = p.at ? p.at : "0";
    int x = e->way->array[i->a], n = e->s->loop[e->way->row + 1];
    if (load) emit_line(e, "%s(x%d, %s, %s, n%d, %s);", fn, x, at, z.at, n, rows);
    else emit_line(e, "%s(%s, x%d, %s, n%d, %s);", fn, at, x, z.at, n, rows);
    text_free(&z);
    text_free(&p);
}

void emit_move(Emit *e, const NestNode *n) {
    char ty[16];
    switch ((NestMove)n->how) {
    case MOVE_ARRAY:
        need_type(e, (ThDtype)e->k->acc.at[n->first].dtype, e->lanes, ty);
        emit_line(e, "%s x%d[%d];", ty, n->first, SIDE_MOST);
        break;
    case MOVE_GET: columns(e, n->first, true); break;
    case MOVE_PUT: columns(e, n->first, false); break;
    case MOVE_REPEAT: repeat(e, n->first, n->n); break;
    case MOVE_AHEAD:
        if (e->vector >= 0) emit_ahead(e, n->ids, n->n);
        break;
    case MOVE_NEXT:
        if (!e->tail) emit_next(e, n->first, n->n);
        break;
    case MOVE_LOAD:
    case MOVE_STORE:
    case MOVE_TURN: break; /* of a GPU */
    }
}
