/* neighbours.h -- patches of images as rows of a matrix (neighbours.c). */
#ifndef TH_NEIGHBOURS_H
#define TH_NEIGHBOURS_H

#include "ops/table/ops.h"

typedef enum { NEIBS_VALID, NEIBS_IGNORE, NEIBS_WRAP, NEIBS_HALF, NEIBS_FULL, NEIBS_MODES } NeibsMode;
typedef struct NeibsAttrs {
    int64_t mode;
} NeibsAttrs;
const char *neighbours_mode_name(int64_t mode); /* NULL: there is no such mode */
/* shape and step: integer vectors of two. */
ThVar *neighbours_make(Builder *b, ThVar *x, ThVar *shape, ThVar *step, NeibsMode mode);

#endif
