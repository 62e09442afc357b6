/* work.h -- linear algebra on batches of matrices: what host calls reach (kernel/factor_work.h). */
#ifndef TH_FACTOR_CALL_H
#define TH_FACTOR_CALL_H

#include "graph/op.h"

/* HostServices.factor: 0, or nonzero with the error told. Results do not overlap what they are made from. */
int factor_host(HostCall *h, const FactorWork *w);

#endif
