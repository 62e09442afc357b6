/*
 * conv.h -- convolution: one set of attributes, three operations (forward, gradient for the images, gradient for the
 * filters), each in a written form (AbstractConv2d ..) and, after rewriting, a lowered one (CorrMM ..).
 *
 * Images are (N, C, size..), filters (O, C / groups, size..), or unshared (O, out.., C / groups, size..); results
 * (N, O, out..). With `stacked` every operand has one more dimension in front, along which all runs (vmap); there a
 * length of 1 that the type promises is repeated.
 */
#ifndef TH_CONV_H
#define TH_CONV_H

#include "ops/table/ops.h"

enum { CONV_MAX = 3 }; /* dimensions of an image */
typedef enum { CONV_PADS, CONV_VALID, CONV_HALF, CONV_FULL } ConvBorder;
typedef struct ConvAttrs {
    int64_t ndim;   /* dimensions of an image */
    int64_t border; /* ConvBorder */
    AttrLongs pad;  /* CONV_PADS: before and after, for each dimension */
    AttrLongs subsample, dilation;
    AttrLongs imshp, kshp; /* what the user says of the shapes; -1: nothing; n 0: not given */
    int64_t groups;
    uint8_t flip, unshared, stacked;
    uint8_t mm; /* lowered: never flips */
} ConvAttrs;
typedef enum { CONV_FORWARD, CONV_INPUTS, CONV_WEIGHTS } ConvRole;

ConvRole conv_role(const Op *op);
/* forward: (images, filters); inputs: (filters, output, lengths); weights: (images, output, lengths). lengths: the
 * last ndim lengths of the result. */
ThVar *conv_make(Builder *b, ConvRole role, const ConvAttrs *at, ThVar *x, ThVar *y, ThVar *lengths);
ThVar *conv_lengths(Builder *b, ThVar *x, int n); /* x.shape[-n:] */

/* ---- sizes, over any algebra of them ----------------------------------------------------------------------------- */
typedef struct ConvSizes { /* of one dimension of the images */
    Sz in, filter, out;
    Sz before, after; /* padding */
    Sz reach;         /* (filter - 1) * dilation + 1 */
} ConvSizes;
/* Fills s->reach, before, after and s->out from in and filter, sending the checks that they fit. */
bool conv_sizes(const ShapeAlg *alg, const ConvAttrs *at, int d, ConvSizes *s);

/* ---- sections of the records ------------------------------------------------------------------------------------- */
bool conv_lower(Lower *l);
/* conv_host.c: whether the library's kernels compute it, and the call that does. */
bool conv_hosted(const ThApply *a);
bool conv_stage(Lower *l); /* conv_stage.c: the stage that does, to results, without a stack */
int conv_host_run(HostCall *h);
void conv_grad(Grad *g);
bool conv_rop(Rop *r);
bool conv_batch(Batch *q);

#endif
