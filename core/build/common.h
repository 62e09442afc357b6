/*
 * common.h -- private to the makers of native code: kernels that are compiled with the library.
 */
#ifndef TH_COMMON_H
#define TH_COMMON_H

#include "build.h"

/* A kernel's function in a unit's text; Cell is the text's own. */
typedef int CommonRun(ThFrame *f, char *const *b, const int64_t *s, const void *q, int step);
/* The generated text has this struct too (cmake/common.c). */
typedef struct CommonKernel {
    uint64_t key[2];
    CommonRun *run;
} CommonKernel;
typedef struct CommonGroup { /* the kernels of one text, sorted by key */
    const CommonKernel *at;
    int n;
} CommonGroup;
typedef struct CommonSet {
    const CommonGroup *group;
    int n;
} CommonSet;

/* What units of this context may call: NULL where the library has none, or flags of the user's are for all kernels. */
const CommonSet *common_here(ThContext *c);
CommonRun *common_find(const CommonSet *set, const uint64_t key[2]);

/* The text of a kernel behind its mark, without comments, its number as COMMON_NUMBER and its pointers numbered;
 * th_free, NULL out of memory. */
#define COMMON_NUMBER '@'
char *common_canonical(ThContext *c, const char *text, size_t n);
bool common_key(ThContext *c, const char *text, size_t n, uint64_t key[2]);

/* *cut: the text without the kernels that the set has (th_free), NULL: it has none of them; *which: a hash of which
 * these are. False out of memory. */
bool common_cut(ThContext *c, const CommonSet *set, const char *source, char **cut, uint64_t *which);
/* Gives a loaded unit its kernels; false: there is one that this library has not. */
bool common_bind(ThContext *c, void *handle);

#endif
