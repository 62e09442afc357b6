/*
 * loops.c -- a Nest as one CUDA function: the grid's loop over points, then each stage inside it, serially or over the
 * threads of a block.
 */
#include "cuda.h"

#include <stdio.h>

void cuda_head(Emit *e, const Stage *tile) {
    const Kernel *k = e->k;
    Text t;
    emit_line(e, "char *const *const b = a.b; const i64 *const s = a.s; const Cell *const q = a.q;");
    emit_line(e, "(void)b, (void)s, (void)q;");
    for (int d = 0; d < k->ndim; d++) {
        int part = tile && d >= tile->d0 && d < tile->d0 + 2 ? 2 * (d - tile->d0) : -1;
        text_init(&t, e->c);
        if (part >= 0) text_printf(&t, "a.tile[%d] - a.tile[%d]", part + 1, part);
        else emit_size(&t, k->dim[d].n);
        emit_line(e, "const i64 n%d = %s; (void)n%d;", d, t.at ? t.at : "0", d);
        text_free(&t);
    }
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        const char *ty = type_short((ThDtype)a->dtype), *ro = a->flags & ACC_WRITE ? "" : "const ";
        text_init(&t, e->c);
        if (!size_is(a->off, 0)) {
            text_put(&t, " + ");
            emit_size(&t, a->off);
        }
        if (a->flags & ACC_ROWTEMP) text_printf(&t, " + blockIdx.x * a.row[%d]", a->buf);
        for (int d = 0; tile && d < 2; d++) {
            if (size_is(a->st[tile->d0 + d], 0)) continue;
            text_printf(&t, " + a.tile[%d] * (", 2 * d);
            emit_size(&t, a->st[tile->d0 + d]);
            text_putc(&t, ')');
        }
        emit_line(e, "%s%s *const p_%s = (%s%s *)b[%d]%s; (void)p_%s;", ro, ty, e->name[i], ro, ty, a->buf,
                  t.at ? t.at : "", e->name[i]);
        text_free(&t);
    }
}

/* `for` over the points of loops [from, to) of stage s, from `first` in steps of `step`; closes with line "}". */
static void points(Emit *e, const LoopStage *s, int from, int to, const char *var, const char *first,
                   const char *step) {
    Text t;
    text_init(&t, e->c);
    for (int l = from; l < to; l++) text_printf(&t, l > from ? " * n%d" : "n%d", s->loop[l]);
    emit_line(e, "for (i64 %s = %s; %s < %s; %s += %s) {", var, first, var, from < to ? t.at : "1", var, step);
    text_free(&t);
    e->indent++;
    if (from < to) emit_line(e, "i64 rest_%s = %s;", var, var);
    for (int l = to - 1; l >= from; l--) {
        int d = s->loop[l];
        if (l > from) emit_line(e, "const i64 i%d = rest_%s %% n%d; rest_%s /= n%d; (void)i%d;", d, var, d, var, d, d);
        else emit_line(e, "const i64 i%d = rest_%s; (void)i%d;", d, var, d);
    }
}

static bool inside(Emit *e, const NestNode *n) {
    bool ok = cuda_nodes(e, n->child);
    e->indent--;
    emit_line(e, "}");
    return ok;
}

static bool loop(Emit *e, const NestNode *n) {
    int dim = n->dim, to = n->loop + n->n;
    const LoopStage *s = n->stage >= 0 ? &n->way->stage[n->stage] : NULL;
    bool block = e->nest->grid == GRID_BLOCK;
    if (n->how == FOR_GRID)
        points(e, s, n->loop, to, "g", block ? "blockIdx.x" : "blockIdx.x * (i64)blockDim.x + threadIdx.x",
               block ? "gridDim.x" : "gridDim.x * (i64)blockDim.x");
    else if (n->how == FOR_THREAD) points(e, s, n->loop, to, "h", "threadIdx.x", "blockDim.x");
    else {
        emit_line(e, "for (i64 i%d = 0; i%d < n%d; i%d++) {", dim, dim, dim, dim);
        e->indent++;
    }
    return inside(e, n);
}

static void accumulators(Emit *e, const NestNode *n) {
    for (int r = n->first; r < n->first + n->n; r++)
        if (n->how == ACC_BEGIN) emit_red_init(e, r);
        else if (n->how == ACC_STEP) emit_red_step(e, r);
        else if (n->how == ACC_FOLD) cuda_fold(e, r);
        else emit_red_final(e, r);
}

static bool stage(Emit *e, const NestNode *n) {
    if (e->words[n->stage]) emit_line(e, "/* %s */", e->words[n->stage]);
    return cuda_nodes(e, n->child);
}

/* Loops nest as deep as a kernel has dims. */
bool cuda_nodes(Emit *e, const NestNode *n) {
    bool ok = true;
    for (; n && ok; n = n->next) {
        if (n->stage >= 0) e->s = &n->way->stage[n->stage];
        if (n->kind == NEST_STAGE) ok = stage(e, n);
        else if (n->kind == NEST_FOR) ok = loop(e, n);
        else if (n->kind == NEST_CODE) ok = cuda_code(e, n->ids, n->n, n->share);
        else if (n->kind == NEST_ACC) accumulators(e, n);
        else if (n->kind == NEST_CALL) ok = cuda_gemm(e, n);
        else if (n->kind == NEST_SYNC) emit_line(e, "__syncthreads();");
    }
    return ok;
}

bool cuda_kernel(Emit *e, const CudaKernel *c, int nest) {
    const Nest *t = grid_nest(c->nest, nest);
    if (!emit_begin(e, c->k, c->number)) return false;
    e->lanes = 1;
    e->nest = t;
    e->way = t->way;
    if (t->grid == GRID_CALLS) return cuda_tiles(e);
    if (t->grid == GRID_DRAW) return cuda_draw(e, t->root->child);
    if (t->grid == GRID_SCATTER) return cuda_scatter(e);
    if (c->k->title) emit_line(e, "/* %s */", c->k->title);
    char name[GRID_NAME];
    grid_name(name, c->number, nest);
    emit_line(e, "KERNEL %s(const Args_%d a) {", name, c->number);
    e->indent = 1;
    cuda_head(e, NULL);
    /* Nothing runs behind a failure. A block that may fail itself does not look: its threads could see different
     * things. */
    if (!(t->grid == GRID_BLOCK && c->k->can_fail)) emit_line(e, "if (a.err[0]) return;");
    if (t->grid == GRID_BLOCK) emit_line(e, "SHARED; (void)sh;");
    bool ok = cuda_nodes(e, t->root);
    e->indent = 0;
    emit_line(e, "}\n");
    return ok && !failed(e->c);
}
