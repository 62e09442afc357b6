/* mrg_sse2.c -- draws of MRG31k3p for any processor. */
#include "mrg.h"

#define KERNELS mrg_kernels_sse2
#include "mrg_body.h"
