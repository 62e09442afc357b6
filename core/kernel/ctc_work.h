/*
 * ctc_work.h -- connectionist temporal classification as what operations hand to the side where their arrays lie
 * (HostServices.ctc). x: activations (time, sequence, class), floats; labels (sequence, position) and lengths
 * (sequence), integers; z: costs, or the gradient, or its derivative along a direction (of x's shape), of x's dtype.
 */
#ifndef TH_CTC_WORK_H
#define TH_CTC_WORK_H

#include "base/base.h"

typedef enum { CTC_COST, CTC_GRADIENT, CTC_ALONG } CtcKind;

typedef struct CtcWork {
    CtcKind kind;
    const ThArray *x, *labels, *lengths, *along; /* along: of CTC_ALONG */
    ThArray *z;
    int bad_length, bad_label, no_classes; /* failures: {sequence, length, steps}, {sequence, position, label} */
} CtcWork;

#endif
