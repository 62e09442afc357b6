/*
 * nnet.h -- what ops/nnet gives to others: builders of operations on rows. NULL (error set) when the operands do not
 * fit, and NULL given NULL.
 */
#ifndef TH_TABLE_NNET_H
#define TH_TABLE_NNET_H

#include "kernel/attention_work.h"
#include "kernel/ctc_work.h"
#include "ops.h"

/* ---- softmax.c, crossentropy.c ----------------------------------------------------------------------------------- */
ThVar *softmax_make(Builder *b, const Op *op, ThVar *x); /* op_softmax or op_log_softmax; a vector becomes one row */

/* ---- ctc.c ------------------------------------------------------------------------------------------------------- */
ThVar *ctc_make(Builder *b, ThVar *activations, ThVar *labels, ThVar *input_lengths);

/* ---- attention.c ------------------------------------------------------------------------------------------------- */
typedef struct AttentionAttrs {
    int64_t kind; /* AttentionMask */
    double scale, fill;
    int64_t share; /* AttentionShare */
} AttentionAttrs;
/* A mask of more than one matrix has one for each of the batch; or they take turns; or neighbours share each. */
typedef enum AttentionShare { ATTENTION_EACH, ATTENTION_TURNS, ATTENTION_NEIGHBOURS } AttentionShare;

/* ---- heads.c ----------------------------------------------------------------------------------------------------- */
typedef struct HeadsAttrs {
    int64_t kind; /* AttentionMask */
    double scale, fill;
    int64_t low, whole; /* a half that results are rounded to, or 0; the result is there unrounded, too */
    int64_t dq_from, dq_to, dk_from, dk_to, dv_from, dv_to; /* of AttentionHeadsInto; INT64_MAX: to the end */
} HeadsAttrs;

/* ---- rules of vmap (ops/modes) ----------------------------------------------------------------------------------- */
bool batch_rows(Batch *q); /* operations on rows of matrices, all inputs by row: rows merged */
bool batch_softmax_bias(Batch *q);
bool batch_crossentropy_softmax(Batch *q);

int ctc_host(HostCall *h, const CtcWork *w); /* ctc.c: of HostServices */

#endif
