/*
 * special.h -- the text of special and complex functions: written once (special_*.h), compiled into the interpreter
 * (core/runtime/simd/special.c) and put as text into generated C and CUDA, so that all three compute the same bits.
 *
 *   FN(result, name, (parameters), "uses", { body })
 *
 * C and CUDA at once: types f64, c128 {re, im} and DD {hi, lo}, no macros, libm by name, other functions of the table
 * by name. `uses` lists both, separated by blanks; what is used stands before.
 */
#ifndef TH_SPECIAL_H
#define TH_SPECIAL_H

typedef struct SpecialFn {
    const char *name, *result, *params, *uses, *body;
} SpecialFn;
#define SPECIAL_FAR 0x1p20        /* doubles from here on have their sine, cosine and tangent from sf_far */
#define SPECIAL_FAR_SINGLE 0x1p12 /* and floats */
extern const SpecialFn special_fns[];
extern const int special_count;
const SpecialFn *special_find(const char *name, unsigned long n); /* by the first n characters; NULL: a libm function */

#endif
