/* dft.h -- attributes and builders of the Fourier transforms (dft.c, rfft.c). */
#ifndef TH_OPS_DFT_H
#define TH_OPS_DFT_H

#include "ops/table/host.h"
#include "ops/table/index.h"
#include "ops/table/shape.h"

typedef enum {
    DFT_PLAIN,
    DFT_MEAN,
    DFT_ORTHO
} DftNorm; /* as it is; by 1 / N; by 1 / sqrt N: N, all lengths' product */
typedef struct DftAttrs {
    AttrInts axes; /* as the lengths stand in s; not negative, all different; the last one is the halved one */
    int64_t norm;
    double twice;  /* of a half: factor on the pairs that stand for two */
    uint8_t back;  /* FFTOp */
    uint8_t whole; /* lengths are known to be x's own: a gradient needs no cutting */
} DftAttrs;

/* s: vector of integers. */
ThVar *dft_make(Builder *b, const Op *op, ThVar *x, ThVar *s, const DftAttrs *at);
/* RFFTOp and IRFFTOp: numbers (m, .., n) to pairs (m, .., n / 2 + 1, 2), and back, not scaled. */
ThVar *rfft_make(Builder *b, const Op *op, ThVar *x, ThVar *s, bool whole);

/* ---- shared ------------------------------------------------------------------------------------------------------ */
bool dft_lengths(Infer *q, int naxes); /* whether input 1 can hold so many lengths */
/* Length i, which is positive. False: that cannot be. */
bool dft_length(ShapeQ *q, int i, int naxes, Sz *n);
int64_t dft_length_value(const HostCall *h, int i);
/* g as long as x along the axes: cut, or followed by zeros. s: g's own lengths there. */
ThVar *dft_fit(Builder *b, ThVar *g, ThVar *x, ThVar *s, const AttrInts *axes);
bool dft_connected(const ThApply *a, int in, int out);
ThDtype dft_part(ThDtype d); /* of a complex dtype */

#endif
