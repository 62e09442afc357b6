/*
 * vmath.h -- vector math of our own as data: the texts of vmath_all.h by primitive and dtype.
 */
#ifndef TH_VMATH_H
#define TH_VMATH_H

#include "base/base.h"

typedef struct VmathFn {
    uint8_t dtype, arity;
    const char *name, *uses, *body; /* uses: functions of this table, by blanks */
} VmathFn;
const VmathFn *vmath_find(const char *name, ThDtype d); /* NULL: not one of them */

#endif
