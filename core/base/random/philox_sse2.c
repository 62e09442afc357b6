/* philox_sse2.c -- Philox4x32-10 for any processor. */
#include "philox.h"

#define KERNELS philox_kernels_sse2
#include "philox_body.h"
