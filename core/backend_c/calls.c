/*
 * calls.c -- stages that call the library: the call of th_rt's product or convolution, and its epilogue as a function
 * of its own that th_rt calls for each part of the result while that is in a near cache (from several threads at once),
 * or as loops after the call.
 */
#include "text/emit.h"

#include <stdio.h>

static void strides(Emit *e, Text *t, int acc, int d0, int d1) {
    const Access *a = &e->k->acc.at[acc];
    text_put(t, ", {");
    emit_size(t, a->st[d0]);
    text_put(t, ", ");
    emit_size(t, a->st[d1]);
    text_putc(t, '}');
}

static void operand(Emit *e, Text *t, int acc) {
    text_printf(t, ", p_%s", e->name[acc]);
    for (int d = 0; d < e->k->nouter; d++) {
        text_printf(t, " + i%d * (", d);
        emit_size(t, e->k->acc.at[acc].st[d]);
        text_putc(t, ')');
    }
}

static bool tile(Emit *e, const NestNode *call) {
    if (need(e, "Tile"))
        text_put(&e->helpers, "typedef struct { Frame *f; char *const *b; const i64 *s; const Cell *q; } Tile;\n");
    emit_line(e, "static void tile_%d_%d(void *user, i64 row0, i64 row1, i64 col0, i64 col1) {", e->number,
              call->stage);
    e->indent = 1;
    emit_line(e, "Frame *const f = ((Tile *)user)->f; char *const *const b = ((Tile *)user)->b;");
    emit_line(e, "const i64 *const s = ((Tile *)user)->s; const Cell *const q = ((Tile *)user)->q;");
    emit_line(e, "(void)f, (void)b, (void)s, (void)q;");
    emit_head(e, &call->way->stage[call->stage]);
    bool ok = emit_nodes(e, call->child);
    e->indent = 0;
    emit_line(e, "}\n");
    return ok;
}

/* Only stages in no outer loops have tiles of their own. */
bool emit_tiles(Emit *e) {
    for (const NestNode *s = e->nest->root; s; s = s->next)
        for (const NestNode *n = s->kind == NEST_STAGE ? s->child : NULL; n; n = n->next)
            if (n->kind == NEST_CALL && n->child && !tile(e, n)) return false;
    return true;
}

static void scale(Text *t, int value, const char *absent) {
    if (value < 0) text_printf(t, ", %s", absent);
    else text_printf(t, ", (f64)v%d", value);
}

static void product(Emit *e, const Stage *st, int tile) {
    Text t;
    int m = st->d0;
    text_init(&t, e->c);
    text_printf(&t, "%d, n%d, n%d, n%d", e->k->acc.at[st->C].dtype, m, m + 1, m + 2);
    operand(e, &t, st->A);
    operand(e, &t, st->B);
    operand(e, &t, st->C);
    strides(e, &t, st->A, m, m + 2);
    strides(e, &t, st->B, m + 2, m + 1);
    strides(e, &t, st->C, m, m + 1);
    scale(&t, st->alpha, "1");
    scale(&t, st->beta, "0");
    if (tile >= 0) {
        emit_line(e, "Tile tile = {f, b, s, q};");
        text_printf(&t, ", tile_%d_%d, &tile", e->number, tile);
    }
    emit_line(e, "const Product product = {%s};", t.at ? t.at : "0");
    emit_line(e, "if (f->rt->gemm(f, &product)) return f->rt->fail(f, step, %d, 0, 0, 0, 0, 0);", TH_MemoryError);
    text_free(&t);
}

static void convolution(Emit *e, const Stage *st, int tile) {
    Text t;
    char then[64] = "0, 0";
    if (tile >= 0) snprintf(then, sizeof then, "tile_%d_%d, &tile", e->number, tile);
    text_init(&t, e->c);
    for (int i = st->num0; i < st->num0 + st->nnum; i++) {
        if (i > st->num0) text_put(&t, ", ");
        emit_size(&t, e->k->size.at[i]);
    }
    emit_line(e, "const i64 numbers[%d] = {%s};", st->nnum, t.at ? t.at : "0");
    text_free(&t);
    if (tile >= 0) emit_line(e, "Tile tile = {f, b, s, q};");
    emit_line(e, "if (f->rt->conv(f, step, %d, numbers, p_%s, p_%s, p_%s, %s)) return 1;", e->k->acc.at[st->C].dtype,
              e->name[st->A], e->name[st->B], e->name[st->C], then);
}

void emit_call(Emit *e, const NestNode *n) {
    emit_line(e, "{");
    e->indent++;
    const Stage *st = e->s->st;
    (st->cls == STAGE_CONV ? convolution : product)(e, st, n->child ? n->stage : -1);
    e->indent--;
    emit_line(e, "}");
}
