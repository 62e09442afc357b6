/* special_all.h -- every helper text of special.h, what is used before what uses it. */
#include "special_complex.h"
