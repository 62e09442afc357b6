/*
 * blocks.c -- reductions of everything, block by block. In: a Nest of FOR_BLOCK. Out: block_N, which reduces
 * [row0, row1) of dim 0 with accumulators of its own, and kernel_N, which runs it for every block, through
 * rt->parallel_for where there are openmp_elemwise_minsize elements or more, and brings the results together from first
 * to last. Always holds: what stands before the loops runs once, and blocks get its values handed; blocks are cut by
 * sizes alone, so the bits are the same at any number of threads.
 */
#include "schedule/choose.h"
#include "c.h"

#include <stdio.h>

/* Values of depth 0 that the loops read: 1 handed to the blocks, 2 computed there again. */
static uint8_t *handed(Emit *e, const Kernel *k) {
    uint8_t *h = arena_alloc0(e->arena, (size_t)k->ins.n + 1);
    for (int j = 0; h && j < k->ins.n + k->red.n; j++) {
        int v[6], n = 1;
        if (j >= k->ins.n) v[0] = k->red.at[j - k->ins.n].v;
        else n = k->ins.at[j].depth ? ins_reads(k, &k->ins.at[j], v) : 0;
        for (int q = 0; q < n; q++) {
            const Ins *i = &k->ins.at[v[q]];
            bool text = i->op == INS_CONST || i->op == INS_PARAM || i->op == INS_SIZE;
            if (!i->depth) h[v[q]] = text ? 2 : 1;
        }
    }
    return h;
}

static const char *short_of(const Kernel *k, int value) { return type_short((ThDtype)k->ins.at[value].dtype); }

static void put_types(Emit *e, const Kernel *k, int number, const uint8_t *h) {
    emit_line(e, "typedef struct {");
    for (int r = 0; r < k->red.n; r++) {
        if (red_is_arg(&k->red.at[r])) emit_line(e, "    i64 r%d; %s w%d;", r, short_of(k, k->red.at[r].v), r);
        else emit_line(e, "    %s r%d;", type_short((ThDtype)k->red.at[r].acc_dtype), r);
    }
    emit_line(e, "} Part_%d; /* what a block gives */", number);
    emit_line(e, "typedef struct {");
    emit_line(e, "    Frame *f; char *const *b; const i64 *s; const Cell *q; int step; i64 n, each, first;");
    for (int v = 0; v < k->ins.n; v++)
        if (h[v] == 1) emit_line(e, "    %s v%d;", short_of(k, v), v);
    emit_line(e, "    Part_%d *part;", number);
    emit_line(e, "} Blocks_%d;", number);
}

static bool put_block(Emit *e, const NestNode *n, int number, const uint8_t *h) {
    const Kernel *k = e->k;
    emit_line(e, "%s int block_%d(const Blocks_%d *w, i64 row0, i64 row1, Part_%d *part) {", n->share ? "FN" : "static",
              number, number, number);
    e->indent = 1;
    emit_line(e, "Frame *const f = w->f; char *const *const b = w->b; const i64 *s = w->s;");
    emit_line(e, "const Cell *const q = w->q; const int step = w->step;");
    emit_line(e, "(void)f, (void)b, (void)s, (void)q, (void)step;");
    if (e->words[0]) emit_line(e, "/* %s */", e->words[0]);
    e->split = e->block = true;
    emit_head(e, NULL);
    bool ok = true;
    for (int v = 0; v < k->ins.n && ok; v++) {
        if (h[v] == 1) emit_line(e, "const %s v%d = w->v%d;", short_of(k, v), v, v);
        if (h[v] == 2) ok = emit_ins(e, v);
    }
    ok = ok && emit_nodes(e, n->child);
    for (int r = 0; r < k->red.n; r++) {
        emit_line(e, "part->r%d = r%d;", r, r);
        if (red_is_arg(&k->red.at[r])) emit_line(e, "part->w%d = w%d;", r, r);
    }
    e->split = e->block = false;
    emit_line(e, "return 0;");
    e->indent = 0;
    emit_line(e, "}");
    return ok;
}

static void put_piece(Emit *e, int number) {
    emit_line(e, "static void piece_%d(int i, void *p) {", number);
    emit_line(e, "    const Blocks_%d *w = p;", number);
    emit_line(e, "    const i64 from = w->first + i * w->each, to = from + w->each < w->n ? from + w->each : w->n;");
    emit_line(e, "    block_%d(w, from, to, &w->part[i]);", number);
    emit_line(e, "}");
}

/* `inner` elements a step of dim 0, and how many steps a block has. */
static void put_sizes(Emit *e, const Kernel *k) {
    Text t;
    text_init(&t, e->c);
    for (int d = 1; d < k->ndim; d++) text_printf(&t, d > 1 ? " * n%d" : "n%d", d);
    emit_line(e, "const i64 inner = %s;", k->ndim > 1 ? t.at : "1");
    text_free(&t);
    if (k->ndim == 1) emit_line(e, "const i64 each = %d;", RED_BLOCK);
    else emit_line(e, "i64 each = inner < 1 ? %d : inner < %d ? %d / inner : 1;", RED_BLOCK, RED_BLOCK, RED_BLOCK);
    if (k->ndim > 1 && k->st.at[0].vec == 0)
        emit_line(e, "each = (each + %d) / %d * %d;", RED_LANES - 1, RED_LANES, RED_LANES);
}

/* Opens the loop over the next blocks' results, after running them. */
static void put_wave(Emit *e, int number, bool shared) {
    if (shared) {
        emit_line(e, "const i64 left = (n0 - w.first + each - 1) / each;");
        emit_line(e, "const int m = left > %d ? %d : left > 1 ? (int)left : 1;", CHOOSE_WAVE, CHOOSE_WAVE);
        emit_line(e, "if (n0 * inner >= %lldl) f->rt->parallel_for(f, m, piece_%d, &w);",
                  (long long)config_int(e->c, "openmp_elemwise_minsize") * CHOOSE_PLAIN / choose_weight(e->k, 0),
                  number);
        emit_line(e, "else for (int i = 0; i < m; i++) piece_%d(i, &w);", number);
    } else {
        emit_line(e, "const int m = 1;");
        emit_line(e, "if (block_%d(&w, w.first, w.first + each < n0 ? w.first + each : n0, part)) return 1;", number);
    }
    emit_line(e, "for (int i = 0; i < m; i++) {");
}

/* Block after block; `all` is what those so far give, r<n> what all of them do. */
static void put_blocks(Emit *e, const Kernel *k, int number, const uint8_t *h, bool shared) {
    put_sizes(e, k);
    emit_line(e, "Part_%d all = {0}, part[%d];", number, shared ? CHOOSE_WAVE : 1);
    emit_line(e, "Blocks_%d w = {.f = f, .b = b, .s = s, .q = q, .step = step, .n = n0, .each = each, .part = part};",
              number);
    for (int v = 0; v < k->ins.n; v++)
        if (h[v] == 1) emit_line(e, "w.v%d = v%d;", v, v);
    emit_line(e, "do {");
    e->indent++;
    put_wave(e, number, shared);
    e->indent++;
    emit_line(e, "if (!w.first && !i) {");
    emit_line(e, "    all = part[0];");
    emit_line(e, "    continue;");
    emit_line(e, "}");
    for (int r = 0; r < k->red.n; r++) emit_red_join(e, r);
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "w.first += m * each;");
    e->indent--;
    emit_line(e, "} while (w.first < n0);");
    for (int r = 0; r < k->red.n; r++)
        emit_line(e, "const %s r%d = all.r%d;",
                  red_is_arg(&k->red.at[r]) ? "i64" : type_short((ThDtype)k->red.at[r].acc_dtype), r, r);
}

bool blocks_emit(Emit *e, int number, const NestNode *blocks) {
    const Kernel *k = e->k;
    const uint8_t *h = handed(e, k);
    if (!h) return false;
    e->s = &blocks->way->stage[0];
    e->lanes = blocks->way->lanes[0];
    put_types(e, k, number, h);
    if (!put_block(e, blocks, number, h)) return false;
    if (blocks->share) put_piece(e, number);
    emit_line(e, "KERNEL int kernel_%d(Frame *f, char *const *b, const i64 *s, const Cell *q, int step) {", number);
    e->indent = 1;
    emit_line(e, "(void)f, (void)b, (void)s, (void)q, (void)step;");
    emit_head(e, NULL);
    bool ok = true;
    for (const NestNode *n = e->nest->root; n && ok; n = n->next) {
        if (n == blocks) put_blocks(e, k, number, h, blocks->share);
        else if (n->kind == NEST_CODE) ok = emit_leaf(e, n); /* others belong to the loop over blocks */
    }
    emit_line(e, "return 0;");
    e->indent = 0;
    emit_line(e, "}\n");
    return ok;
}
