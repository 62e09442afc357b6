/*
 * gemm.c -- c = beta c + alpha a.b by square tiles: a block computes one tile, walking along k with both operands'
 * tiles in shared memory; the epilogue follows at each element while it is in a register's reach.
 */
#include "cuda.h"

#include <stdio.h>

static void element(Emit *e, Text *t, int acc, int d0, const char *i, int d1, const char *j) {
    const Access *a = &e->k->acc.at[acc];
    text_printf(t, "p_%s[(%s) * (", e->name[acc], i);
    emit_size(t, a->st[d0]);
    text_printf(t, ") + (%s) * (", j);
    emit_size(t, a->st[d1]);
    text_put(t, ")]");
}

static void load_tiles(Emit *e, const Stage *st, int size, const char row[16], const char col[16]) {
    int m = st->d0, n = m + 1, k = m + 2;
    Text x, y;
    text_init(&x, e->c);
    text_init(&y, e->c);
    element(e, &x, st->A, m, row, k, "k0 + tx");
    element(e, &y, st->B, k, "k0 + ty", n, col);
    emit_line(e, "ta[ty * %d + tx] = %s < n%d && k0 + tx < n%d ? %s : 0;", size, row, m, k, x.at ? x.at : "0");
    emit_line(e, "tb[ty * %d + tx] = k0 + ty < n%d && %s < n%d ? %s : 0;", size, k, col, n, y.at ? y.at : "0");
    text_free(&x);
    text_free(&y);
}

/* The element is done: write it, then what follows it. */
static bool finish(Emit *e, const NestNode *call, const Stage *st, const char *ty, const char row[16],
                   const char col[16]) {
    Text z;
    text_init(&z, e->c);
    element(e, &z, st->C, st->d0, row, st->d0 + 1, col);
    emit_line(e, "if (%s < n%d && %s < n%d) {", row, st->d0, col, st->d0 + 1);
    e->indent++;
    if (st->alpha >= 0) emit_line(e, "sum *= (%s)v%d;", ty, st->alpha);
    if (st->beta >= 0) emit_line(e, "if (v%d != 0) sum += (%s)v%d * %s;", st->beta, ty, st->beta, z.at);
    emit_line(e, "%s = sum;", z.at ? z.at : "sum");
    text_free(&z);
    bool ok = cuda_nodes(e, call->child);
    e->indent--;
    emit_line(e, "}");
    return ok;
}

bool cuda_gemm(Emit *e, const NestNode *call) {
    const Kernel *k = e->k;
    const Stage *st = call->way->stage[call->stage].st;
    const char *ty = type_short((ThDtype)k->acc.at[st->C].dtype);
    char row[16], col[16];
    int size = call->n;
    snprintf(row, sizeof row, "i%d", st->d0);
    snprintf(col, sizeof col, "i%d", st->d0 + 1);
    emit_line(e, "SHARED;");
    emit_line(e, "%s *const ta = (%s *)sh, *const tb = ta + %d;", ty, ty, size * size);
    emit_line(e, "const int tx = (int)threadIdx.x %% %d, ty = (int)threadIdx.x / %d;", size, size);
    emit_line(e, "const i64 wide = (n%d + %d) / %d, tiles = (n%d + %d) / %d * wide;", st->d0 + 1, size - 1, size,
              st->d0, size - 1, size);
    emit_line(e, "for (i64 g = blockIdx.x; g < tiles; g += gridDim.x) {");
    e->indent++;
    emit_line(e, "const i64 %s = g / wide * %d + ty, %s = g %% wide * %d + tx;", row, size, col, size);
    emit_line(e, "%s sum = 0;", ty);
    emit_line(e, "for (i64 k0 = 0; k0 < n%d; k0 += %d) {", st->d0 + 2, size);
    e->indent++;
    load_tiles(e, st, size, row, col);
    emit_line(e, "__syncthreads();");
    emit_line(e, "for (int j = 0; j < %d; j++) sum += ta[ty * %d + j] * tb[j * %d + tx];", size, size, size);
    emit_line(e, "__syncthreads();");
    e->indent--;
    emit_line(e, "}");
    bool ok = finish(e, call, st, ty, row, col);
    e->indent--;
    emit_line(e, "}");
    return ok;
}
