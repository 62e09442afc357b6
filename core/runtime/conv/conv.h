/* conv.h -- convolution of floats on the micro-kernels, straight from the images (conv.c). */
#ifndef TH_CONV_RUN_H
#define TH_CONV_RUN_H

#include "graph/op.h"

/* HostCall.conv: 0, or nonzero with the error set. The result does not overlap its operands. */
int conv_host(HostCall *h, const ConvWork *w);

/* A STAGE_CONV: its numbers as conv_work.h lists them; of `where` image, filter, top, done and user. top is dense. */
int conv_call(HostCall *h, ThDtype dtype, const int64_t *numbers, const ConvWork *where);

#endif
