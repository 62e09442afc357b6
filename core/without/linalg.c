/*
 * linalg.c -- linear algebra in a library that was built without it.
 */
#include "runtime/factor/work.h"

#if !TH_LINALG
int factor_host(HostCall *h, const FactorWork *w) {
    (void)w;
    err(h->ctx, TH_NotImplementedError, "linear algebra: this library was built without it (TH_LINALG=OFF)");
    return 1;
}
#endif
