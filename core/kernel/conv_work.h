/*
 * conv_work.h -- a convolution of floats as plain numbers: what the operation (core/ops) hands to the library's kernels
 * (core/runtime/conv/conv.c), in a STAGE_CONV or through HostServices.conv. Strides in elements, of any sign; lengths
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

/* Where some of them stand: of dimension d, CONV_AT_EACH * d further. */
enum { CONV_AT_NDIM = 0, CONV_AT_IMAGES = 2, CONV_AT_FILTERS = 3, CONV_AT_OUT = 10, CONV_AT_EACH = 6 };
enum { CONV_DIMS = 3, CONV_NUMBERS = 5 + 6 * CONV_DIMS + 3 * (2 + CONV_DIMS) };
typedef enum { CONV_TO_TOP, CONV_TO_IMAGE, CONV_TO_FILTER } ConvTarget;
typedef struct ConvWork {
    ThDtype dtype; /* float32 or float64 */
    ConvTarget target;
    int ndim;
    int64_t images, groups, filters, channels; /* n, g; o and c of one group */
    int64_t in[CONV_DIMS], size[CONV_DIMS], out[CONV_DIMS];
    int64_t step[CONV_DIMS], dilation[CONV_DIMS], pad[CONV_DIMS];
    char *image, *filter, *top;
    int64_t image_st[2 + CONV_DIMS], filter_st[2 + CONV_DIMS], top_st[2 + CONV_DIMS]; /* n c i.., o c r.., n o q.. */
    /* To top: called for images [i0, i1) and filters [o0, o1) (of all groups) when their results are complete, from any
     * thread, once for each; or NULL. The work's first image and filter among all. */
    CallDone done;
    void *user;
    int64_t image0, filter0;
    /* To top, of two dimensions: what to do with the tops of all images, or NULL. Then there is no memory for these:
     * some images at a time are computed, and before them *at becomes where image 0 of all would lie. */
    const PoolWork *pool;
    char **at;
} ConvWork;

#endif
