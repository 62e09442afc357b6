/*
 * loops.c -- a kernel as one CUDA function: the grid's loop over points, then each stage inside it, serially or over
 * the threads of a block.
 */
#include "cuda.h"

#include <stdio.h>

void cuda_head(Emit *e, const CudaKernel *c) {
    const Kernel *k = c->k;
    Text t;
    emit_line(e, "char *const *const b = a.b; const i64 *const s = a.s; const Cell *const q = a.q;");
    emit_line(e, "(void)b, (void)s, (void)q;");
    for (int d = 0; d < k->ndim; d++) {
        text_init(&t, e->c);
        emit_size(&t, k->dim[d].n);
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
        emit_line(e, "%s%s *const p_%s = (%s%s *)b[%d]%s; (void)p_%s;", ro, ty, e->name[i], ro, ty, a->buf,
                  t.at ? t.at : "", e->name[i]);
        text_free(&t);
    }
}

/* One thread's loops from depth d on, as backend_c orders them. */
bool cuda_depth(Emit *e, const KernelOrder *o, int d) {
    const LoopStage *s = e->s;
    if (!cuda_code(e, o->code + s->pre[d], s->npre[d], false)) return false;
    for (int i = 0; i < s->nred[d]; i++) emit_red_init(e, s->red[d] + i);
    if (d < s->nloop) {
        int dim = s->loop[d];
        emit_line(e, "for (i64 i%d = 0; i%d < n%d; i%d++) {", dim, dim, dim, dim);
        e->indent++;
        bool ok = cuda_depth(e, o, d + 1);
        e->indent--;
        emit_line(e, "}");
        if (!ok) return false;
    } else
        for (int i = 0; i < s->st->nred; i++) emit_red_step(e, s->st->red0 + i);
    for (int i = 0; i < s->nred[d]; i++) emit_red_final(e, s->red[d] + i);
    return cuda_code(e, o->code + s->post[d], s->npost[d], false);
}

void cuda_points(Emit *e, const LoopStage *s, int from, int to, const char *var, const char *first, const char *step) {
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

static void close_points(Emit *e) {
    e->indent--;
    emit_line(e, "}");
}

static bool codes(Emit *e, const KernelOrder *o, int from,
                  int to) { /* what runs before the loops at depths [from, to) */
    for (int d = from; d < to; d++)
        if (!cuda_code(e, o->code + e->s->pre[d], e->s->npre[d], false)) return false;
    return true;
}

/* A stage over the threads of a block; see cuda_spread. */
static bool spread(Emit *e, const KernelOrder *o, int depth) {
    const LoopStage *s = e->s;
    CudaSpread how = cuda_spread(e->k, s, o->code, depth);
    bool folds = how == SPREAD_REDUCE, ok = true;
    int to = s->nloop;
    if (how == SPREAD_ROWS)
        for (to = depth; e->k->dim[s->loop[to]].kind == DIM_PAR;) to++;
    if (!cuda_code(e, o->code + s->pre[depth], s->npre[depth], true)) return false;
    for (int i = 0; folds && i < s->st->nred; i++) emit_red_init(e, s->st->red0 + i);
    if (how != SPREAD_NONE) {
        cuda_points(e, s, depth, to, "h", "threadIdx.x", "blockDim.x");
        ok = codes(e, o, depth + 1, how == SPREAD_ROWS ? to : to + 1);
        if (ok && how == SPREAD_ROWS) ok = cuda_depth(e, o, to);
        for (int i = 0; folds && i < s->st->nred; i++) emit_red_step(e, s->st->red0 + i);
        close_points(e);
    }
    for (int i = 0; folds && i < s->st->nred; i++) cuda_fold(e, s->st->red0 + i);
    return ok && cuda_code(e, o->code + s->post[depth], s->npost[depth], true);
}

static bool stages(Emit *e, const CudaKernel *c, CudaMode mode) {
    const KernelOrder *o = &c->o;
    for (int d = 0; d < c->depth; d++)
        for (int i = 0; i < c->k->st.n; i++) {
            e->s = &o->stage[i];
            if (!cuda_code(e, o->code + e->s->pre[d], e->s->npre[d], false)) return false;
        }
    for (int i = 0; i < c->k->st.n; i++) {
        e->s = &o->stage[i];
        if (e->words[i]) emit_line(e, "/* %s */", e->words[i]);
        if (!(mode == CUDA_BLOCK ? spread(e, o, c->depth) : cuda_depth(e, o, c->depth))) return false;
        if (mode == CUDA_BLOCK)
            emit_line(e, "__syncthreads();"); /* the next stage, or point, reads what this one wrote */
    }
    return true;
}

bool cuda_kernel(Emit *e, const CudaKernel *c, CudaMode mode) {
    if (!emit_begin(e, c->k, c->number)) return false;
    e->lanes = 1;
    e->way = c->way;
    if (c->k->title) emit_line(e, "/* %s */", c->k->title);
    emit_line(e, "KERNEL kernel_%d%s(const Args_%d a) {", c->number, mode == CUDA_BLOCK && c->also_block ? "b" : "",
              c->number);
    e->indent = 1;
    cuda_head(e, c);
    bool ok;
    if (mode == CUDA_GEMM) ok = cuda_gemm(e, c);
    else {
        if (mode == CUDA_BLOCK) emit_line(e, "SHARED; (void)sh;");
        bool block = mode == CUDA_BLOCK;
        cuda_points(e, &c->o.stage[0], 0, c->depth, "g",
                    block ? "blockIdx.x" : "blockIdx.x * (i64)blockDim.x + threadIdx.x",
                    block ? "gridDim.x" : "gridDim.x * (i64)blockDim.x");
        ok = stages(e, c, mode);
        close_points(e);
    }
    e->indent = 0;
    emit_line(e, "}\n");
    return ok && !failed(e->c);
}
