/*
 * product.c -- a kernel that is a product of matrices, or a convolution, as what a library takes: where they lie, and
 * factors that stand in the step. In: a step's buffers and sizes. Out: the product (convolution), or that it is none,
 * or not worth a library.
 */
#include "launch.h"
#include "ops/table/ops.h"
#include "schedule/choose.h"

#include <string.h>

static double literal(const Kernel *k, const Step *s, int id, bool *known) {
    const Ins *i = &k->ins.at[id];
    if (i->op == INS_PARAM) return s->param[i->a].f;
    if (i->op == INS_CONST) return i->a == INS_HALF ? 0.5 : i->a;
    *known = false;
    return 0;
}

static char *address(const Access *a, const DeviceAddress *b, const int64_t *sizes, int64_t more) {
    int64_t at = size_value(a->off, sizes) + more;
    return (char *)(uintptr_t)(b[a->buf] + (DeviceAddress)(at * (int64_t)th_dtype_bytes((ThDtype)a->dtype)));
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

/* All that follows the product is that an array is added, and the result lies where the product does: its access. */
static const Access *added(const Kernel *k, const Stage *st) {
    const Ins *i = &k->ins.at[st->ins0];
    int load = -1, add = -1, store = -1;
    for (int n = 0; n < st->nins; n++) {
        if (i[n].op == INS_LOAD) load = load < 0 ? n : st->nins;
        else if (i[n].op == S_add) add = add < 0 ? n : st->nins;
        else if (i[n].op == INS_STORE) store = store < 0 ? n : st->nins;
        else if (i[n].op != INS_EP) return NULL;
    }
    if (st->nins != 4 || load < 0 || add < 0 || store < 0) return NULL; /* and the product once */
    const Access *a = &k->acc.at[i[load].a];
    int from = st->ins0 + load, sum = st->ins0 + add;
    bool both = (i[add].a == from) != (i[add].b == from) && i[add].a != i[add].b && i[add].c < 0;
    if (!both || i[store].a != st->C || i[store].b != sum || a->dtype != k->acc.at[st->C].dtype) return NULL;
    bool plain = a->idx < 0 && a->guard < 0 && !(a->flags & (ACC_WRITE | ACC_ADD | ACC_ROWTEMP));
    return plain ? a : NULL;
}

/* It has a number for each column, which the library has no way to add to float64; or lies as the product does. */
static void add_behind(GpuProduct *p, const Kernel *k, const Stage *st, const DeviceAddress *b, const int64_t *sizes) {
    const Access *a = added(k, st), *c = &k->acc.at[st->C];
    bool row = a && p->dtype == TH_FLOAT32, array = a != NULL;
    for (int d = 0; d < k->ndim && a; d++) {
        if (size_value(k->dim[d].n, sizes) == 1) continue;
        int64_t step = size_value(a->st[d], sizes);
        row &= step == (d == st->d0 + 1);
        array &= step == size_value(c->st[d], sizes);
    }
    if (!row && !array) return;
    p->adds = row ? GPU_ADDS_ROW : GPU_ADDS_ARRAY;
    p->more = address(a, b, sizes, 0);
}

/* All that is seen of a product of halves is that half, which is stored: the access, or -1. */
static int rounds(const Kernel *k, const Stage *st, ThDtype half) {
    const Ins *store = NULL;
    for (int i = st->ins0; half && st->sole && i < st->ins0 + st->nins; i++) {
        const Ins *n = &k->ins.at[i];
        if (n->op == INS_STORE ? store != NULL : n->op != INS_EP && n->op != INS_CAST) return -1;
        if (n->op == INS_STORE) store = n;
    }
    if (!store) return -1;
    const Access *a = &k->acc.at[store->a];
    const Ins *low = &k->ins.at[store->b];
    bool plain = a->idx < 0 && a->guard < 0 && !(a->flags & (ACC_READ | ACC_ADD | ACC_ROWTEMP)) && a->dtype == half;
    bool whole = low->op == INS_CAST && low->dtype == half && k->ins.at[low->a].op == INS_EP && k->ins.at[low->a].a < 0;
    return plain && whole ? store->a : -1;
}

bool product_for_library(const GridKernel *g, const Step *s, const DeviceAddress *b, const int64_t *sizes,
                         GpuProduct *p) {
    const Kernel *k = g->k;
    const Contract *c = g->nest->contract;
    const Stage *st = &k->st.at[k->st.n - 1];
    bool known = true;
    int m = st->d0, many = c->nbatch ? c->batch[0] : -1;
    *p = (GpuProduct){.dtype = (ThDtype)c->dtype, .half = (ThDtype)c->half, .matrices = 1, .alpha = 1};
    if (st->alpha >= 0) p->alpha = literal(k, s, st->alpha, &known);
    if (st->beta >= 0) p->beta = literal(k, s, st->beta, &known);
    if (many >= 0) p->matrices = size_value(k->dim[many].n, sizes);
    p->a = matrix(k, st->A, (const int[3]){many, m, m + 2}, b, sizes);
    p->b = matrix(k, st->B, (const int[3]){many, m + 2, m + 1}, b, sizes);
    p->c = matrix(k, st->C, (const int[3]){many, m, m + 1}, b, sizes);
    if (st->nins && st->beta < 0) add_behind(p, k, st, b, sizes);
    int low = st->beta < 0 ? rounds(k, st, p->half) : -1;
    if (low >= 0) p->rounds = true, p->low = matrix(k, low, (const int[3]){many, m, m + 1}, b, sizes);
    return known && choose_library(p->matrices, p->c.rows, p->c.cols, p->a.cols);
}

/* ---- convolutions ------------------------------------------------------------------------------------------------ */
/* As ops/image/conv_lower.c writes them. */
static void read_numbers(ConvWork *w, const int64_t *n) {
    w->ndim = (int)*n++, w->groups = *n++, w->images = *n++;
    int64_t filters = *n++, channels = *n++;
    w->filters = filters / w->groups, w->channels = channels / w->groups;
    for (int d = 0; d < w->ndim; d++) {
        w->step[d] = *n++, w->dilation[d] = *n++, w->pad[d] = *n++;
        w->in[d] = *n++, w->size[d] = *n++, w->out[d] = *n++;
    }
    int64_t *const st[3] = {w->image_st, w->filter_st, w->top_st};
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 2 + w->ndim; d++) st[i][d] = *n++;
    w->target = (ConvTarget)*n;
}

/* Elements from where a factor's first window begins to the array's own first element. */
static int64_t image_begins(const ConvWork *w) {
    int64_t at = 0;
    for (int d = 0; d < w->ndim; d++) at += w->pad[d] * w->image_st[2 + d];
    return at;
}
static int64_t top_begins(const ConvWork *w) {
    int64_t at = 0;
    for (int d = 0; d < w->ndim && w->target == CONV_TO_IMAGE; d++)
        if (w->step[d] == 1) at -= w->pad[d] * w->top_st[2 + d];
    return at;
}

static int64_t dense(int64_t *st, int64_t n, int64_t c, const int64_t *len, int nd) {
    int64_t all = 1;
    for (int d = nd - 1; d >= 0; d--) st[2 + d] = all, all *= len[d];
    return st[1] = all, st[0] = all * c, all * c * n;
}

/* The result lies in the order of the parallel dims, without gaps. */
static bool lies_dense(const Kernel *k, const Access *a, const int64_t *sizes) {
    int64_t step = 1;
    for (int d = k->ndim - 1; d >= 0; d--) {
        if (k->dim[d].kind != DIM_PAR) continue;
        int64_t n = size_value(k->dim[d].n, sizes);
        if (n != 1 && size_value(a->st[d], sizes) != step) return false;
        step *= n;
    }
    return true;
}

int64_t conv_for_library(const GridKernel *g, const DeviceAddress *b, const int64_t *sizes, ConvWork *w) {
    const Kernel *k = g->k;
    const Contract *c = g->nest->contract;
    const Stage *st = &k->st.at[0];
    const Access *first = &k->acc.at[c->factor[0]], *second = &k->acc.at[c->factor[1]];
    int64_t n[CONV_NUMBERS + 1], points = 1, all = 0;
    for (int i = 0; i < st->nnum; i++) n[i] = size_value(k->size.at[st->num0 + i], sizes);
    *w = (ConvWork){.dtype = (ThDtype)c->dtype};
    read_numbers(w, n);
    int64_t filters = w->filters * w->groups, channels = w->channels * w->groups;
    switch (w->target) {
    case CONV_TO_TOP:
        w->image = address(first, b, sizes, image_begins(w)), w->filter = address(second, b, sizes, 0);
        all = dense(w->top_st, w->images, filters, w->out, w->ndim);
        break;
    case CONV_TO_IMAGE:
        w->top = address(first, b, sizes, top_begins(w)), w->filter = address(second, b, sizes, 0);
        all = dense(w->image_st, w->images, channels, w->in, w->ndim);
        break;
    case CONV_TO_FILTER:
        w->image = address(first, b, sizes, image_begins(w)), w->top = address(second, b, sizes, 0);
        all = dense(w->filter_st, filters, w->channels, w->size, w->ndim);
        break;
    }
    for (int d = 0; d < k->ndim; d++)
        if (k->dim[d].kind == DIM_PAR) points *= size_value(k->dim[d].n, sizes);
    return points == all ? all : 0;
}

bool conv_lies(const GridKernel *g, const int64_t *sizes) {
    const Contract *c = g->nest->contract;
    return c->alone >= 0 && lies_dense(g->k, &g->k->acc.at[c->alone], sizes);
}

char *conv_result(const GridKernel *g, const DeviceAddress *b, const int64_t *sizes) {
    const Contract *c = g->nest->contract;
    return conv_lies(g, sizes) ? address(&g->k->acc.at[c->alone], b, sizes, 0) : NULL;
}
