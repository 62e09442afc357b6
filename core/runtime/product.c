/*
 * product.c -- a kernel that is a product of matrices as what a library takes: where they lie, and factors that stand
 * in the step. In: a step's buffers and sizes. Out: the product, or that it is none, or not worth a library.
 */
#include "launch.h"
#include "schedule/choose.h"

static double literal(const Kernel *k, const Step *s, int id, bool *known) {
    const Ins *i = &k->ins.at[id];
    if (i->op == INS_PARAM) return s->param[i->a].f;
    if (i->op == INS_CONST) return i->a == INS_HALF ? 0.5 : i->a;
    *known = false;
    return 0;
}

static GpuMatrix matrix(const Kernel *k, int acc, const int dims[3], const DeviceAddress *b, const int64_t *sizes) {
    const Access *a = &k->acc.at[acc];
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    GpuMatrix m = {.rows = size_value(k->dim[dims[1]].n, sizes), .cols = size_value(k->dim[dims[2]].n, sizes)};
    m.at = (char *)(uintptr_t)(b[a->buf] + (DeviceAddress)(size_value(a->off, sizes) * item));
    m.rs = size_value(a->st[dims[1]], sizes), m.cs = size_value(a->st[dims[2]], sizes);
    if (dims[0] >= 0) m.step = size_value(a->st[dims[0]], sizes);
    return m;
}

bool product_for_library(const GridKernel *g, const Step *s, const DeviceAddress *b, const int64_t *sizes,
                         GpuProduct *p) {
    const Kernel *k = g->k;
    const Contract *c = g->nest->contract;
    const Stage *st = &k->st.at[k->st.n - 1];
    bool known = true;
    int m = st->d0, many = c->nbatch ? c->batch[0] : -1;
    *p = (GpuProduct){.dtype = (ThDtype)c->dtype, .matrices = 1, .alpha = 1};
    if (st->alpha >= 0) p->alpha = literal(k, s, st->alpha, &known);
    if (st->beta >= 0) p->beta = literal(k, s, st->beta, &known);
    if (many >= 0) p->matrices = size_value(k->dim[many].n, sizes);
    p->a = matrix(k, st->A, (const int[3]){many, m, m + 2}, b, sizes);
    p->b = matrix(k, st->B, (const int[3]){many, m + 2, m + 1}, b, sizes);
    p->c = matrix(k, st->C, (const int[3]){many, m, m + 1}, b, sizes);
    return known && choose_library(p->matrices, p->c.rows, p->c.cols, p->a.cols);
}
