/* random.c -- draws of random numbers from explicit states, and picks by them. */
#include "ops/random/random.h"
#include "util.h"

#include <string.h>

int front_mrg_uniform(Front *f) {
    ThVar *rstate = front_var(f, 0), *size = front_var(f, 1);
    ThDtype d = front_dtype(f, 3);
    if (!rstate || !size || failed(f->ctx)) return -1;
    int64_t n = front_none(f, 2) ? vector_length(size) : front_int(f, 2);
    if (failed(f->ctx)) return -1;
    if (n < 0)
        return front_error(f, TH_ValueError, "the number of dimensions does not follow from the size: give ndim");
    if (n == 0) size = cast_make(f->b, size, TH_INT64); /* an empty list is of floats */
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
