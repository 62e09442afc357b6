/*
 * control.h -- what ops/control gives to others: attributes and builders of assertions, and of what steers a
 * gradient. NULL (error set) when the operands do not fit, and NULL given NULL.
 */
#ifndef TH_TABLE_CONTROL_H
#define TH_TABLE_CONTROL_H

#include "ops.h"

/* ---- assert.c ---------------------------------------------------------------------------------------------------- */
typedef struct AssertAttrs {
    const char *msg;
    int64_t kind; /* ThError */
} AssertAttrs;
/* x, raising error `kind` with msg while running unless all 0-d conditions hold. */
ThVar *assert_make(Builder *b, ThVar *x, ThVar *const *cond, int n, const char *msg, ThError kind);

/* ---- grad_ops.c: operations whose value is their input; see the file for their gradients ------------------------- */
typedef struct GradClipAttrs {
    double low, high;
} GradClipAttrs;
typedef struct GradScaleAttrs {
    double by;
} GradScaleAttrs;
ThVar *grad_view_make(Builder *b, const Op *op, const void *attrs, ThVar *x);
typedef struct TransferAttrs {
    const char *target; /* "cpu", or a GPU: "None" is the function's own */
} TransferAttrs;
bool op_transfer_to_host(const ThVar *v); /* v is what T.transfer brought to the host */
/* x on the device `name`; NULL with ValueError where there is no such name. */
ThVar *transfer_make(Builder *b, ThVar *x, const char *name);

/* ---- rules of vmap (ops/modes) ----------------------------------------------------------------------------------- */
bool batch_assert(Batch *q);

#endif
