/*
 * calls.c -- kernels that are calls of the library (convolutions, poolings): the host calls it, on the memory that the
 * emulated device shares with it, and what follows is a kernel of its own, launched for each finished part of the
 * result, from whatever thread finished it.
 */
#include "cuda.h"

#include <stdio.h>

static const NestNode *call_of(const NestNode *stage) { return stage->child; }

bool cuda_tiles(Emit *e) {
    bool ok = true;
    for (const NestNode *n = e->nest->root; n && ok; n = n->next) {
        if (!call_of(n)->child) continue;
        if (e->words[n->stage]) emit_line(e, "/* %s */", e->words[n->stage]);
        emit_line(e, "KERNEL kernel_%d_%d(const Args_%d a) {", e->number, n->stage, e->number);
        e->indent = 1;
        cuda_head(e, &e->k->st.at[n->stage]);
        ok = cuda_nodes(e, call_of(n)->child);
        e->indent = 0;
        emit_line(e, "}\n");
    }
    return ok && !failed(e->c);
}

/* The launch for some points of the first two dims. */
static void tile(Emit *e, const CudaKernel *c, int stage) {
    const LoopStage *s = &c->o.stage[stage];
    int n = c->number, d0 = s->st->d0;
    emit_line(e, "static void run_%d_%d(const void *a) { kernel_%d_%d(*(const Args_%d *)a); }", n, stage, n, stage, n);
    emit_line(e, "static void tile_%d_%d(void *user, i64 i0, i64 i1, i64 j0, i64 j1) {", n, stage);
    e->indent = 1;
    emit_line(e, "Args_%d own = *(const Args_%d *)user, *const a = &own;", n, n);
    emit_line(e, "a->tile[0] = i0, a->tile[1] = i1, a->tile[2] = j0, a->tile[3] = j1;");
    cuda_extents(e, c->k);
    Text t;
    text_init(&t, e->c);
    for (int l = 0; l < s->nloop; l++)
        if (s->loop[l] > d0 + 1) text_printf(&t, " * n%d", s->loop[l]);
    emit_line(e, "const i64 points = (i1 - i0) * (j1 - j0)%s;", t.at ? t.at : "");
    text_free(&t);
    emit_line(e, "const i64 want = (points + %d) / %d, blocks = want < %d ? want : %d;", CUDA_THREADS - 1, CUDA_THREADS,
              CUDA_BLOCKS, CUDA_BLOCKS);
    emit_line(e, "if (points <= 0) return;");
    emit_line(e, "const int rc = emu_launch(run_%d_%d, a, blocks, %d, 0);", n, stage, CUDA_THREADS);
    emit_line(e, "if (rc) __atomic_store_n(&a->err[7], rc, __ATOMIC_RELAXED);");
    e->indent = 0;
    emit_line(e, "}\n");
}

/* Where access acc begins, or 0. */
static const char *place(const Emit *e, int acc, char *room, size_t n) {
    if (acc < 0) return "0";
    const Access *a = &e->k->acc.at[acc];
    Text t;
    text_init(&t, e->c);
    emit_size(&t, a->off);
    snprintf(room, n, "a->b[%d] + (%s) * %d", a->buf, t.at ? t.at : "0", (int)th_dtype_bytes((ThDtype)a->dtype));
    text_free(&t);
    return room;
}

static void record(Emit *e, int i) {
    enum { NAME = 128 };
    const Stage *st = &e->k->st.at[i];
    char then[NAME] = "0, 0", a[NAME], b[NAME], c[NAME];
    if (kernel_tiles(e->k, i)) snprintf(then, sizeof then, "tile_%d_%d, a", e->number, i);
    const char *const where[3] = {place(e, kernel_fed(e->k, i) ? -1 : st->A, a, sizeof a), place(e, st->B, b, sizeof b),
                                  place(e, st->feeds ? -1 : st->C, c, sizeof c)};
    emit_call_record(e, i, where, then);
}

void cuda_calls(Emit *e, const CudaKernel *c) {
    const Kernel *k = e->k = c->k;
    e->number = c->number;
    for (int i = 0; i < k->st.n; i++)
        if (k->st.at[i].nins) tile(e, c, i);
    emit_line(e, "static int call_%d(Frame *f, int step, Args_%d *a) {", c->number, c->number);
    e->indent = 1;
    cuda_extents(e, k);
    for (int i = 0; i < k->st.n; i++) {
        const Stage *st = &k->st.at[i];
        char at[32];
        if (!kernel_fed(k, i)) {
            record(e, i);
            if (st->feeds) record(e, i + 1);
            snprintf(at, sizeof at, "&a->b[%d]", k->acc.at[st->C].buf);
            emit_call_run(e, i, at, "0, 0");
        }
        if (st->nins && !kernel_tiles(k, i))
            emit_line(e, "tile_%d_%d(a, 0, n%d, 0, n%d);", c->number, i, st->d0, st->d0 + 1);
    }
    emit_line(e, "return 0;");
    e->indent = 0;
    emit_line(e, "}\n");
}
