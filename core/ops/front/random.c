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

int front_philox(Front *f) {
    int64_t n;
    ThVar *key = front_var(f, 0), *counter = front_var(f, 1), *size = size_of(f, 2, &n);
    ThDtype d = front_dtype(f, 4);
    if (!key || !counter || !size || failed(f->ctx)) return -1;
    return front_return(f, philox_make(f->b, key, counter, size, &(PhiloxAttrs){.dtype = (uint8_t)d, .ndim = n}));
}

int front_mrg_uniform(Front *f) {
    int64_t n;
    ThVar *rstate = front_var(f, 0), *size = size_of(f, 1, &n);
    ThDtype d = front_dtype(f, 3);
    if (!rstate || !size || failed(f->ctx)) return -1;
    ThApply *a = mrg_uniform_make(f->b, rstate, size, &(MrgAttrs){.dtype = (uint8_t)d, .ndim = n});
    return a ? front_return_n(f, a->out, 2) : -1;
}

int front_pick(Front *f) {
    ThVar *pvals = front_var(f, 0), *unis = front_var(f, 1), *n = front_var(f, 2);
    ThDtype d = front_dtype(f, 3);
    if (!pvals || !unis || !n || failed(f->ctx)) return -1;
    bool choice = strcmp(f->info->name, "random.choice_from_uniform") == 0;
    return front_return(f, (choice ? choice_make : multinomial_make)(f->b, pvals, unis, n, d));
}
