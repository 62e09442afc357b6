/*
 * conv_work.h -- a convolution of floats as plain numbers: what the operation (core/ops) hands to the library's kernels
 * (core/runtime/conv/conv.c), in a STAGE_CONV or through HostCall.conv. Strides in elements, of any sign; lengths
 * positive.
 *
 *   top[n, g O + o, q] = sum over c, r of image[n, g C + c, q * step + r * dilation - pad] * filter[g O + o, c, r]
 *
 * with `image` read as zero outside. `target` says which of the three is computed from the other two, as the gradient
 * of this sum where it is not top.
 *
 * A STAGE_CONV has as sizes, in this order: dimensions, groups; images, filters and channels of all groups; for each
 * dimension step, dilation, pad and the lengths of image, filter and top; the strides of image, filter and top.
 */
#ifndef TH_CONV_WORK_H
#define TH_CONV_WORK_H

#include "pool_work.h"

enum { CONV_DIMS = 3, CONV_NUMBERS = 5 + 6 * CONV_DIMS + 3 * (2 + CONV_DIMS) };
typedef enum { CONV_TO_TOP, CONV_TO_IMAGE, CONV_TO_FILTER } ConvTarget;
/* What follows a sum at each element of top: an addend for each filter, and then a function of that. */
typedef enum {
    CONV_THEN_NOTHING,
    CONV_THEN_TANH,
    CONV_THEN_SIGMOID,
    CONV_THEN_RELU
} ConvThen; /* RELU: (v + |v|) / 2 */
typedef struct ConvWork {
    ThDtype dtype; /* float32 or float64 */
    ConvTarget target;
    int ndim;
    int64_t images, groups, filters, channels; /* n, g; o and c of one group */
    int64_t in[CONV_DIMS], size[CONV_DIMS], out[CONV_DIMS];
    int64_t step[CONV_DIMS], dilation[CONV_DIMS], pad[CONV_DIMS];
    char *image, *filter, *top;
    int64_t image_st[2 + CONV_DIMS], filter_st[2 + CONV_DIMS], top_st[2 + CONV_DIMS]; /* n c i.., o c r.., n o q.. */
    const char *bias; /* to top: (o of all groups), or NULL; then top's images are contiguous */
    int64_t bias_st;
    ConvThen then;
    /* To top: called for images [i0, i1) and filters [o0, o1) (of all groups) when their results are complete, from any
     * thread, once for each; or NULL. The work's first image and filter among all. */
    void (*done)(void *user, int64_t i0, int64_t i1, int64_t o0, int64_t o1);
    void *user;
    int64_t image0, filter0;
    bool nothing;         /* top holds its sums already; where it is pooled: they are zero */
    const PoolWork *pool; /* to top, of two dimensions: what to do with all images' tops; then top is NULL and top_st of
                             dense images; or NULL */
} ConvWork;

#endif
