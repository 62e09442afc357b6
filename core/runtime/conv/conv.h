/* conv.h -- convolution of floats on the micro-kernels, straight from the images (conv.c). */
#ifndef TH_CONV_RUN_H
#define TH_CONV_RUN_H

#include "graph/op.h"

/* How: by tiles along rows (direct), along filters (lanes), into lines of several images (spread), tile by tile added
 * up (fold), by products of packed windows (gemm), by transforms (fft, Winograd's of 4 x 4 or 2 x 2 results). What does
 * not apply to a shape leaves it to gemm. */
typedef enum {
    CONV_AUTO,
    CONV_DIRECT,
    CONV_LANES,
    CONV_SPREAD,
    CONV_FOLD,
    CONV_GEMM,
    CONV_FFT,
    CONV_WINOGRAD,
    CONV_WINOGRAD2,
    CONV_WAYS
} ConvWay;

/* HostServices.conv: 0, or nonzero with the error set. The result does not overlap its operands. */
int conv_host(HostCall *h, const ConvWork *w);

/* A STAGE_CONV. pool: the STAGE_POOL that it feeds, or NULL; then c is told through *at (conv_work.h). */
int conv_call(HostCall *h, const CallWork *conv, const CallWork *pool, char **at);
/* Its numbers as a work; false: it has no elements. */
bool conv_work(ConvWork *w, const CallWork *conv);

/* The order in which a convolution's sums run, for who writes it in another language: the order is a function of the
 * lengths, of the flags repro and conv.algorithm and of the instruction set. */
typedef struct ConvOrder {
    ConvWay way;           /* none of CONV_AUTO and CONV_FFT */
    bool fft;              /* here it goes by transforms: `way` has other bits */
    bool plain;            /* a product of two matrices an image */
    bool windows;          /* a gradient for images as windows over padded tops: `work` in the place of the whole */
    bool channels_last;    /* terms (r, c), not (c, r) */
    int64_t run, chunk;    /* chains start anew every `run` terms, and in each of these every `chunk`; 0: never.
                              Sums for filters: images whose places are one line, 0: rows of one.
                              CONV_FOLD: not 0: lines of products are added (lines.c) */
    int64_t rows, lanes;   /* rows of tops, or of squares, summed at once; lanes of sums along them, columns of tiles */
    int64_t parts, images; /* sums for filters are made of so many parts, of so many images, and added up */
    ConvWork work;         /* of part 0 where there are parts, its filters those of a group */
} ConvOrder;
/* tiles: without Winograd's way, as what that leaves not finite is computed again. */
int conv_order(HostCall *h, const ConvWork *w, bool tiles, ConvOrder *to);

#endif
