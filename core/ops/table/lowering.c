/* lowering.c -- the sizes of a lowering seen as a shape algebra, and instructions that come often. */
#include "lowering.h"

/* ---- a Lower as an algebra --------------------------------------------------------------------------------------- */
Sz lower_alg_put(LowerAlg *a, Size s) { return vec_push(a->l->ctx, &a->at, s) ? a->at.n - 1 : 0; }

Size lower_alg_size(const LowerAlg *a, Sz s) { return s >= 0 && s < a->at.n ? a->at.at[s] : size_const(0); }

static Sz lower_constant(void *u, int64_t v) { return lower_alg_put(u, size_const(v)); }

static Sz lower_op(void *u, char op, Sz x, Sz y) {
    LowerAlg *a = u;
    return lower_alg_put(a, a->l->api->op(a->l, op, lower_alg_size(a, x), lower_alg_size(a, y)));
}

static Sz lower_value(void *u, int in, int64_t elem) {
    LowerAlg *a = u;
    return lower_alg_put(a, a->l->api->in_value(a->l, in, elem));
}

/* The shape rule has already sent its checks. */
static bool lower_equal(void *u, Sz x, Sz y, const char *why) {
    (void)u, (void)x, (void)y, (void)why;
    return true;
}

void lower_alg_init(LowerAlg *a, Lower *l) {
    *a = (LowerAlg){
        .l = l,
        .alg = {.constant = lower_constant, .op = lower_op, .value = lower_value, .equal = lower_equal, .u = a}};
}

void lower_alg_free(LowerAlg *a) { vec_free(a->l->ctx, &a->at); }

/* ---- small helpers of lowerings ---------------------------------------------------------------------------------- */
Size sizes_mul_add(Lower *l, Size base, Size a, Size b) { return l->api->add(l, base, l->api->mul(l, a, b)); }

int ins_binary(Kernel *k, int scalar, ThDtype d, int depth, int a, int b) {
    return ins_op(k, scalar, d, d, depth, a, b, -1);
}

int ins_unary(Kernel *k, int scalar, ThDtype d, int depth, int a) { return ins_op(k, scalar, d, d, depth, a, -1, -1); }

int ins_offset(Kernel *k, int v, Size n, Size stride, int depth) {
    int whole = ins_cast(k, v, TH_INT64, depth), i = ins_check_index(k, whole, ins_size(k, n, depth), depth);
    return ins_binary(k, S_mul, TH_INT64, depth, i, ins_size(k, stride, depth));
}

void sizes_map_dims(int8_t *map, ThType t, int first) {
    for (int d = 0; d < t.ndim; d++) map[d] = (int8_t)(type_bcast(t, d) ? -1 : first + d);
}

bool axis_normalize(ThContext *c, int64_t *axis, int ndim, const char *what) {
    if (*axis < -ndim || *axis >= ndim)
        return err(c, TH_IndexError, "%s: axis %lld is out of bounds for %d dimensions", what, (long long)*axis, ndim);
    if (*axis < 0) *axis += ndim;
    return true;
}
