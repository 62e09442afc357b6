/* conv.h -- convolution of floats on the micro-kernels, straight from the images (conv.c). */
#ifndef TH_CONV_RUN_H
#define TH_CONV_RUN_H

#include "graph/op.h"

/* HostServices.conv: 0, or nonzero with the error set. The result does not overlap its operands. */
int conv_host(HostCall *h, const ConvWork *w);

/* A STAGE_CONV. pool: the STAGE_POOL that it feeds, or NULL; then c is told through *at (conv_work.h). */
int conv_call(HostCall *h, const CallWork *conv, const CallWork *pool, char **at);

#endif
