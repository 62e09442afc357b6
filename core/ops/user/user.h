/*
 * user.h -- what user.c (defining and applying operations of the host) and run.c (running them) share.
 */
#ifndef TH_USER_H
#define TH_USER_H

#include "ops/table/ops.h"

typedef struct UserDef {
    const char *key, *name; /* interned */
    ThOpDef d;
    ThVar **in, **out; /* its graph, retained */
    bool forgotten;
} UserDef;

typedef struct UserAttrs {
    const char *key, *types; /* types: graph text of the results' types, one after the other */
    int64_t nreal;           /* UserPerform: inputs before the place of what UserLengths left and the lengths */
    const char *connected;   /* '1' where result o depends on input i, at i * results + o; NULL: everywhere */
} UserAttrs;

enum { USER_NFIELD = 4 };
extern const AttrField user_fields[USER_NFIELD];

UserDef *user_def(ThContext *c, const void *attrs);        /* from any thread; NULL with the error set */
int user_types(ThContext *c, const char *text, ThType *t); /* how many; negative: not to be read */
void user_str(Text *t, const ThApply *a);

#endif
