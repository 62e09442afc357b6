/*
 * advanced.h -- the layout of an advanced subscript, shared by its operations: which axes are indexed by tensors, where
 * the broadcast dimensions of those tensors stand in the result (NumPy's placement), and the gather or scatter kernel
 * over it.
 */
#ifndef TH_ADVANCED_H
#define TH_ADVANCED_H

#include "ops/table/ops.h"

typedef struct AdvForm {
    const AttrIdx *idx;
    int first; /* node input of the first part of the subscript */
    int nadv;
    int axis[TH_MAX_NDIM];  /* axis of x that index tensor j selects from */
    int input[TH_MAX_NDIM]; /* its node input */
    int nb, pos;            /* broadcast dims of the index tensors; where they start in the result */
    int nslice;
    int slice_axis[TH_MAX_NDIM]; /* axes of x that stay, in order; the first `pos` of them stand before the broadcast
                                    dims */
    int ndim;                    /* of the result: nslice + nb */
    uint32_t broadcastable;      /* of the result */
} AdvForm;

/* node inputs in[0..nin): x first. false with IndexError or TypeError. */
bool adv_form(ThContext *c, const AttrIdx *idx, ThVar *const *in, int nin, int first, AdvForm *f);
bool adv_form_of(const ThApply *a, AdvForm *f); /* of a node; false if it is none of an advanced subscript */
/* Dims of the result out of the dims of the inputs, with all checks. */
bool adv_shape(ShapeQ *q, const AdvForm *f, Sz *out);
/* out = x[idx]: one gather kernel. */
bool adv_gather(Lower *l, const AdvForm *f);
/* out[idx] = y or += y (input 1), repeats in order: one scatter kernel; the output already holds x. Indices are looked
 * at where they are used, all before anything is written, or by other nodes before. */
typedef enum { ADV_LOOK_THERE, ADV_LOOK_AHEAD, ADV_LOOKED } AdvLook;
bool adv_scatter(Lower *l, const AdvForm *f, bool set, AdvLook look);

#endif
