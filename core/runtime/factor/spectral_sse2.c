/* spectral_sse2.c -- QR, singular values and eigenvalues without a library, for any CPU (SSE2 on x86-64). */
#include "spectral.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
#include "mirror_body.h"
#include "number_end.h"
#define NUM 3
#include "number.h"
#include "spectral_body.h"
#include "schur_body.h"
#include "mirror_body.h"
#include "number_end.h"

const SpectralKernels *const spectral_sse2[4] = {&spectral_f32, &spectral_f64, &spectral_c64, &spectral_c128};
const SchurKernels *const spectral_schur_sse2[2] = {&schur_table_c64, &schur_table_c128};
void (*const spectral_mirror[2])(void *, int, void *, double) = {mirror_c64, mirror_c128};
