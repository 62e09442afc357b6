/*
 * services.h -- what host calls hand their work to (HostCall.lib), as plain numbers. The host has one such table, a
 * device another: there addresses are the device's, the work is queued, and what is wrong with an element is told later
 * (Op.failures). Each gives 0, or nonzero after an error.
 */
#ifndef TH_SERVICES_H
#define TH_SERVICES_H

#include "kernel/attention_work.h"
#include "kernel/ctc_work.h"
#include "kernel/order_work.h"
#include "kernel/pick_work.h"
#include "kernel/ranks_work.h"
#include "kernel/sparse_work.h"
#include "kernel/state_work.h"
#include "op.h"

struct HostServices {
    int (*conv)(HostCall *h, const ConvWork *w);     /* convolution of floats */
    int (*pool)(HostCall *h, const PoolWork *w);     /* pooling over two dimensions */
    int (*fft)(HostCall *h, const FftWork *w);       /* Fourier transforms */
    int (*factor)(HostCall *h, const FactorWork *w); /* linear algebra */
    int (*cumulate)(HostCall *h, const CumWork *w);  /* running sums and products */
    int (*sort)(HostCall *h, const SortWork *w);
    int (*search)(HostCall *h, const SearchWork *w);
    int (*unique)(HostCall *h, const UniqueWork *w);
    int (*count)(HostCall *h, const CountWork *w); /* elements that are not zero; their positions */
    int (*nonzero)(HostCall *h, const NonzeroWork *w);
    int (*repeat)(HostCall *h, const RepeatWork *w); /* positions repeated */
    int (*pick)(HostCall *h, const PickWork *w);     /* columns by uniform numbers */
    int (*state)(HostCall *h, const StateWork *w);   /* draws of a RandomState; NULL: the operation draws itself */
    int (*ctc)(HostCall *h, const CtcWork *w);
    int (*attention)(HostCall *h, const AttentionWork *w);
    int (*ranks)(HostCall *h, const RanksWork *w);                /* over the ranks of a job */
    int (*sparse)(HostCall *h, const SparseWork *w);              /* NULL: the operations have loops of their own */
    int (*assign)(HostCall *h, ThArray *to, const ThArray *from); /* one dtype and shape; they do not overlap */
};

#endif
