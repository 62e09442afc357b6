/* spectral_avx2.c -- QR, singular values and eigenvalues without a library, for AVX2 with FMA. */
#include "spectral.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#define NUM 0
#include "number.h"
#include "spectral_body.h"
#include "number_end.h"
#define NUM 1
#include "number.h"
#include "spectral_body.h"
#include "number_end.h"
#define NUM 2
#include "number.h"
#include "spectral_body.h"
#include "schur_body.h"
#include "number_end.h"
#define NUM 3
#include "number.h"
#include "spectral_body.h"
#include "schur_body.h"
#include "number_end.h"

const SpectralKernels *const spectral_avx2[4] = {&spectral_f32, &spectral_f64, &spectral_c64, &spectral_c128};
const SchurKernels *const spectral_schur_avx2[2] = {&schur_table_c64, &schur_table_c128};
#else
typedef int spectral_no_avx2; /* a translation unit is not empty */
#endif
