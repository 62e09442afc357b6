/* random.c -- draws of random numbers from explicit states, and picks by them. */
#include "ops/random/random.h"
#include "util.h"

#include <string.h>

/* The size that argument i gives, and its length, which argument i + 1 says where it does not follow; NULL: error. */
static ThVar *size_of(Front *f, int i, int64_t *n) {
    ThVar *size = front_var(f, i);
    *n = !size ? 0 : front_none(f, i + 1) ? vector_length(size) : front_int(f, i + 1);
    if (!size || failed(f->ctx)) return NULL;
    if (*n < 0) front_error(f, TH_ValueError, "the number of dimensions does not follow from the size: give ndim");
    return *n ? size : cast_make(f->b, size, TH_INT64); /* an empty list is of floats */
}

/* u of [0, 1) as d; of halves the largest below or at u, so that 1 stays out. */
static ThVar *as_half(Builder *b, ThVar *u, ThDtype d) {
    if (!u || !dtype_is_half(d)) return u;
    const double steps = d == TH_FLOAT16 ? 2048 : 256;
    ThVar *n = elemwise_1(b, S_floor, elemwise_2(b, S_mul, u, const_float(b, steps, TH_FLOAT32)));
    return cast_make(b, elemwise_2(b, S_mul, n, const_float(b, 1 / steps, TH_FLOAT32)), d);
}

int front_philox(Front *f) {
    int64_t n;
    ThVar *key = front_var(f, 0), *counter = front_var(f, 1), *size = size_of(f, 2, &n);
    ThDtype d = front_dtype(f, 4);
    if (!key || !counter || !size || failed(f->ctx)) return -1;
    const PhiloxAttrs at = {.dtype = (uint8_t)dtype_computed(d), .ndim = n};
    return front_return(f, as_half(f->b, philox_make(f->b, key, counter, size, &at), d));
}

int front_mrg_uniform(Front *f) {
    int64_t n;
    ThVar *rstate = front_var(f, 0), *size = size_of(f, 1, &n);
    ThDtype d = front_dtype(f, 3);
    if (!rstate || !size || failed(f->ctx)) return -1;
    ThApply *a = mrg_uniform_make(f->b, rstate, size, &(MrgAttrs){.dtype = (uint8_t)dtype_computed(d), .ndim = n});
    return a ? front_return_n(f, (ThVar *[]){a->out[0], as_half(f->b, a->out[1], d)}, 2) : -1;
}

int front_pick(Front *f) {
    ThVar *pvals = front_var(f, 0), *unis = front_var(f, 1), *n = front_var(f, 2);
    ThDtype d = front_dtype(f, 3);
    if (!pvals || !unis || !n || failed(f->ctx)) return -1;
    bool choice = strcmp(f->info->name, "random.choice_from_uniform") == 0;
    return front_return(f, (choice ? choice_make : multinomial_make)(f->b, pvals, unis, n, d));
}
