/* special_all.h -- every helper text of special.h, what is used before what uses it. */
#include "special_dd.h"

#include "special_complex.h"
#include "special_tables.h"

#include "special_erf.h"
#include "special_parts.h"
#include "special_trig.h"
#include "special_gamma.h"

#include "special_debye.h"

#include "special_bessel.h"
#include "special_gammainc.h"

#include "special_beta.h"
#include "special_integrals.h"
