/*
 * special.c -- the helper texts as block kernels, with libm's elementary functions. The same for every instruction set:
 * these are scalar functions, so results do not depend on it.
 */
#define SPECIAL(name) special_##name
#include "special_body.h"
