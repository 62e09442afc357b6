/*
 * target.h -- what the chooser knows of a machine. Facts, not wishes: what it does with them stands in choose.c.
 */
#ifndef TH_TARGET_H
#define TH_TARGET_H

#include "base/base.h"

typedef struct Target {
    const char *name;
    int vector_bytes; /* of a vector register; 0: a thread has one lane */
    int registers;    /* vectors that stay in registers beside what a loop's body needs */
    bool masks;       /* vectors move under masks as fast as whole */
    bool fused;       /* multiply-adds round once */
    /* of a GPU: of a large one, so that what is chosen is the same on all */
    int multiprocessors, threads; /* threads: that one of them holds at once */
    int shared;                   /* bytes that their blocks have together */
    double clock, memory;         /* cycles and bytes a second */
    int load, launch;             /* cycles from a load to its value, under load; of a launch */
} Target;
const Target *target_of(int vector_bytes, bool repro); /* of a processor; repro: its multiply-adds round twice */
const Target *target_named(const char *name);          /* a processor by name, or NULL */
extern const Target target_cuda, target_c99;           /* standard C: one lane, whatever its compiler makes of it */

#endif
