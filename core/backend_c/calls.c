/*
 * calls.c -- stages that call the library: the call of th_rt's product, convolution, pooling or draw, and its epilogue
 * as a function of its own that th_rt calls for each part of the result while that is in a near cache (from several
 * threads at once), or as loops after the call. A convolution that feeds a pooling is one call with it.
 */
#include "c.h"

#include <stdio.h>

static void strides(Emit *e, Text *t, int acc, int d0, int d1) {
    const Access *a = &e->k->acc.at[acc];
    text_put(t, ", {");
    emit_size(t, a->st[d0]);
    text_put(t, ", ");
    emit_size(t, a->st[d1]);
    text_putc(t, '}');
}

static void operand(Emit *e, Text *t, int acc, bool first) {
    text_printf(t, ", p_%s", e->name[acc]);
    for (int d = 0; !first && d < e->k->nouter; d++) {
        text_printf(t, " + i%d * (", d);
        emit_size(t, e->k->acc.at[acc].st[d]);
        text_putc(t, ')');
    }
}

static bool tile(Emit *e, const NestNode *call) {
    const LoopStage *s = &call->way->stage[call->stage];
    bool draw = s->st->cls == STAGE_DRAW;
    if (need(e, "Tile"))
        text_put(&e->helpers, "typedef struct { Frame *f; char *const *b; const i64 *s; const Cell *q; } Tile;\n");
    emit_line(e, "static void tile_%d_%d(void *user, %s) {", e->number, call->stage,
              draw ? "void *c, i64 row0, i64 row1" : "i64 row0, i64 row1, i64 col0, i64 col1");
    e->indent = 1;
    emit_line(e, "Frame *const f = ((Tile *)user)->f; char *const *const b = ((Tile *)user)->b;");
    emit_line(e, "const i64 *%ss = ((Tile *)user)->s; const Cell *const q = ((Tile *)user)->q;",
              e->portable ? "" : "const ");
    emit_line(e, "(void)f, (void)b, (void)s, (void)q;");
    emit_head(e, s);
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

/* The outer loops, which the call does itself: RtProduct.turn. */
static void turns(Emit *e, const Stage *st) {
    Text t;
    text_init(&t, e->c);
    for (int d = 0; d < e->k->nouter; d++) {
        text_put(&t, d ? ", {" : "{");
        for (int i = 0; i < 3; i++) {
            emit_size(&t, e->k->acc.at[i == 0 ? st->A : i == 1 ? st->B : st->C].st[d]);
            text_put(&t, ", ");
        }
        text_printf(&t, "n%d}", d);
    }
    emit_line(e, "const i64 turn[%d][4] = {%s};", e->k->nouter, t.at ? t.at : "");
    text_free(&t);
}

static void product(Emit *e, const Stage *st, int tile, bool all) {
    Text t;
    int m = st->d0;
    if (all) turns(e, st);
    text_init(&t, e->c);
    text_printf(&t, "%d, n%d, n%d, n%d", e->k->acc.at[st->C].dtype, m, m + 1, m + 2);
    operand(e, &t, st->A, all);
    operand(e, &t, st->B, all);
    operand(e, &t, st->C, all);
    strides(e, &t, st->A, m, m + 2);
    strides(e, &t, st->B, m + 2, m + 1);
    strides(e, &t, st->C, m, m + 1);
    scale(&t, st->alpha, "1");
    scale(&t, st->beta, "0");
    if (tile >= 0) {
        emit_line(e, "Tile tile = {f, b, s, q};");
        text_printf(&t, ", tile_%d_%d, &tile", e->number, tile);
    } else if (all) {
        text_printf(&t, ", 0, 0, %d, turn", e->k->nouter);
    } else if (e->portable) {
        text_put(&t, ", 0, 0"); /* -Wextra wants every field */
    }
    emit_line(e, "const Product product = {%s};", t.at ? t.at : "0");
    emit_line(e, "if (f->rt->gemm(f, &product)) return f->rt->fail(f, step, %d, 0, 0, 0, 0, 0);", TH_MemoryError);
    text_free(&t);
}

/* Where an operand of a stage's call lies; one that it lacks, and a result without memory: 0. */
static const char *place(const Emit *e, int acc, char *room, size_t n) {
    if (acc < 0) return "0";
    snprintf(room, n, "p_%s", e->name[acc]);
    return room;
}

static void follower(const Emit *e, int stage, char *room, size_t n) {
    snprintf(room, n, "tile_%d_%d, &tile%d", e->number, stage, stage);
}

/* call<i>: the record of stage i's call. */
static void record(Emit *e, int i, bool tiles) {
    enum { NAME = 64 };
    const Stage *st = &e->k->st.at[i];
    char then[NAME] = "0, 0", a[NAME], b[NAME], c[NAME];
    if (tiles) {
        emit_line(e, "Tile tile%d = {f, %s, s, q};", i, st->feeds ? "at" : "b");
        follower(e, i, then, sizeof then);
    }
    const char *const where[3] = {place(e, kernel_fed(e->k, i) ? -1 : st->A, a, sizeof a), place(e, st->B, b, sizeof b),
                                  place(e, st->feeds || st->passing ? -1 : st->C, c, sizeof c)};
    emit_call_record(e, i, where, st->cls == STAGE_DRAW ? "0, 0" : then);
}

/* A copy of the buffers' addresses, for parts of a result that has no memory. */
static void addresses(Emit *e) {
    Text t;
    text_init(&t, e->c);
    for (int i = 0; i < e->k->nbuf; i++) text_printf(&t, i ? ", b[%d]" : "b[%d]", i);
    emit_line(e, "char *at[%d] = {%s};", e->k->nbuf, t.at ? t.at : "0");
    text_free(&t);
}

static void library(Emit *e, const NestNode *n) {
    const Stage *st = &e->k->st.at[n->stage];
    int next = n->stage + 1;
    char at[24], then[64] = "0, 0";
    if (st->feeds) addresses(e);
    record(e, n->stage, n->child != NULL);
    if (st->feeds) record(e, next, kernel_tiles(e->k, next));
    snprintf(at, sizeof at, "&at[%d]", e->k->acc.at[st->C].buf);
    if (n->child) follower(e, n->stage, then, sizeof then);
    emit_call_run(e, n->stage, at, then);
}

void emit_call(Emit *e, const NestNode *n) {
    if (kernel_fed(e->k, n->stage)) return; /* inside the call before */
    emit_line(e, "{");
    e->indent++;
    if (e->s->st->cls == STAGE_GEMM) product(e, e->s->st, n->child ? n->stage : -1, n->share);
    else library(e, n);
    e->indent--;
    emit_line(e, "}");
}
