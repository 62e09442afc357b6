/* gemm.c -- a GEMM stage: strides and sizes come from its accesses, alpha and beta from its values. */
#include "unit.h"

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
    return f.rt->gemm(&f, &p);
}
