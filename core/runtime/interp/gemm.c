/* gemm.c -- a GEMM stage: strides and sizes come from its accesses, alpha and beta from its values. */
#include "unit.h"
#include "runtime/gemm/gemm.h"

size_t interp_gemm_offset(const IKernel *k) { return (k->reg_bytes + 63) / 64 * 64; }

static double number(IRun *r, int value, double absent) {
    if (value < 0) return absent;
    double d = 0;
    dtype_cast((char *)&d, TH_FLOAT64, 8, ireg(r, value), r->ik->k->ins.at[value].dtype, 0, 1);
    return d;
}

static char *operand(const IRun *r, int acc, int nouter) {
    char *p = r->base[acc];
    for (int d = 0; d < nouter; d++) p += r->idx[d] * r->st[acc][d];
    return p;
}

/* An operand of halves, which only a plan for a device has, as float32: rows one after the other. */
static float *widened(const IRun *r, int acc, const void *from, int64_t rows, int64_t cols, const int64_t st[2]) {
    float *to = ctx_alloc(r->ik->k->ctx, (size_t)(rows * cols + 1) * sizeof *to);
    ThDtype d = (ThDtype)r->ik->k->acc.at[acc].dtype;
    for (int64_t i = 0; to && i < rows; i++)
        dtype_cast((char *)(to + i * cols), TH_FLOAT32, sizeof *to, (const char *)from + i * st[0], d, st[1], cols);
    return to;
}

/* Where a device has refused, the host does what was planned for it. */
static int of_halves(IRun *r, const Stage *st, ThFrame *f, RtProduct p) {
    int m = st->d0, n = m + 1, q = m + 2;
    size_t a_bytes = (size_t)(p.m * p.k + 1) * sizeof(float), b_bytes = (size_t)(p.k * p.n + 1) * sizeof(float);
    float *a = widened(r, st->A, p.a, p.m, p.k, (int64_t[]){r->st[st->A][m], r->st[st->A][q]});
    float *b = widened(r, st->B, p.b, p.k, p.n, (int64_t[]){r->st[st->B][q], r->st[st->B][n]});
    p.a = a, p.as[0] = p.k, p.as[1] = 1;
    p.b = b, p.bs[0] = p.n, p.bs[1] = 1;
    GemmArgs g = {.dtype = TH_FLOAT32, .m = p.m, .n = p.n, .k = p.k, .alpha = p.alpha, .beta = p.beta};
    g.ars = p.k, g.acs = 1, g.brs = p.n, g.bcs = 1, g.crs = p.cs[0], g.ccs = p.cs[1];
    size_t room = gemm_scratch_bytes(&g) + 64;
    f->scratch = ctx_alloc(r->ik->k->ctx, room);
    int bad = !a || !b || !f->scratch || f->rt->gemm(f, &p);
    ctx_free(r->ik->k->ctx, f->scratch, room);
    ctx_free(r->ik->k->ctx, a, a_bytes);
    ctx_free(r->ik->k->ctx, b, b_bytes);
    return bad;
}

int interp_gemm(IRun *r, const LoopStage *s) {
    const Kernel *k = r->ik->k;
    const Stage *st = s->st;
    int m = st->d0, n = m + 1, q = m + 2, d = k->nouter;
    if (s->npre[d] && interp_exec(r, s, r->ik->order.code + s->pre[d], s->npre[d])) return 1; /* alpha, beta */
    int64_t bytes = (int64_t)th_dtype_bytes(k->acc.at[st->C].dtype);
    const RtProduct p = {.dtype = k->acc.at[st->C].dtype,
                         .m = r->n[m],
                         .n = r->n[n],
                         .k = r->n[q],
                         .a = operand(r, st->A, d),
                         .b = operand(r, st->B, d),
                         .c = operand(r, st->C, d),
                         .as = {r->st[st->A][m] / bytes, r->st[st->A][q] / bytes},
                         .bs = {r->st[st->B][q] / bytes, r->st[st->B][n] / bytes},
                         .cs = {r->st[st->C][m] / bytes, r->st[st->C][n] / bytes},
                         .alpha = number(r, st->alpha, 1),
                         .beta = number(r, st->beta, 0)};
    ThFrame f = *r->f; /* packing goes behind our registers */
    f.scratch = (char *)r->f->scratch + interp_gemm_offset(r->ik);
    if (dtype_is_half((ThDtype)k->acc.at[st->A].dtype)) return of_halves(r, st, &f, p);
    return f.rt->gemm(&f, &p);
}
