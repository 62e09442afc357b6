/* rows.c -- row-by-row kernels (see rows.h). Invariant: row values live at depth 1, element values at depth 2. */
#include "rows.h"
#include "ops/table/lowering.h"

bool rows_begin(Rows *r, Lower *l, int x, int bias) {
    *r = (Rows){
        .l = l, .x = x, .bias = bias, .d = (ThDtype)l->api->in_type(l, x).dtype, .cols = l->api->in_dim(l, x, 1)};
    r->k = l->api->kernel(l);
    if (!r->k || kernel_dim(r->k, l->api->in_dim(l, x, 0), DIM_PAR) < 0) return false;
    r->k->nouter = 1;
    return true;
}

int rows_stage(Rows *r, DimKind kind) {
    int dim = kernel_dim(r->k, r->cols, kind);
    return dim < 0 || kernel_stage(r->k, STAGE_LOOP, dim, 1) < 0 ? -1 : dim;
}

int rows_read(Rows *r, int input, int dim) {
    int8_t map[2] = {0, (int8_t)dim};
    return ins_load(r->k, r->l->api->read(r->l, r->k, input, map), 2);
}

int rows_value(Rows *r, int dim) {
    int v = rows_read(r, r->x, dim);
    if (r->bias < 0) return v;
    int8_t map[1] = {(int8_t)dim};
    int b = ins_load(r->k, r->l->api->read(r->l, r->k, r->bias, map), 2);
    return ins_binary(r->k, S_add, r->d, 2, v, ins_cast(r->k, b, r->d, 2));
}

int rows_max(Rows *r) {
    int dim = rows_stage(r, DIM_RED);
    return dim < 0 ? -1 : ins_reduce(r->k, RED_MAX, rows_value(r, dim), r->d, 1);
}

int rows_sum_exp(Rows *r, int max, bool keep, int *temp) {
    int dim = rows_stage(r, DIM_RED);
    if (dim < 0 || max < 0) return -1;
    int e = ins_unary(r->k, S_exp, r->d, 2, ins_binary(r->k, S_sub, r->d, 2, rows_value(r, dim), max));
    if (keep) {
        int8_t dims[1] = {(int8_t)dim};
        *temp = r->l->api->rowtemp(r->l, r->k, r->d, dims, 1);
        ins_store(r->k, *temp, e, 2);
    }
    return ins_reduce(r->k, RED_SUM, e, r->d, 1);
}

int rows_temp(Rows *r, int temp, int dim) {
    if (temp < 0 || dim < 0) return -1;
    Access a = r->k->acc.at[temp];
    for (int d = 0; d < r->k->ndim; d++) /* its one stride moves to the dim of this stage */
        if (d != dim && !size_is(a.st[d], 0)) a.st[dim] = a.st[d], a.st[d] = size_const(0);
    return ins_load(r->k, kernel_access(r->k, a), 2);
}

bool rows_store(Rows *r, int out, int dim, int value) {
    int8_t map[2] = {0, (int8_t)dim};
    ins_store(r->k, r->l->api->write(r->l, r->k, out, map), value, 2);
    return !failed(r->l->ctx);
}

ThVar *rows_sum(Builder *b, ThVar *x, int axis) {
    AttrInts axes = {.n = 1, .at = {(int8_t)axis}};
    return x ? sum_make(b, x, &axes) : NULL;
}

ThVar *rows_column(Builder *b, ThVar *v) {
    static const int8_t column[2] = {0, -1};
    return v ? dimshuffle_make(b, v, column, 2) : NULL;
}
