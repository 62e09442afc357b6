/*
 * tuned.h -- what timing found out, kept in a file of base_compiledir for later processes: numbers by key.
 */
#ifndef TH_TUNED_H
#define TH_TUNED_H

#include "base/base.h"

typedef struct Tuned Tuned;
/* The table of one file, with what it holds; NULL with MemoryError. */
Tuned *tuned_open(ThContext *c, const char *file);
void tuned_free(ThContext *c, Tuned *t);
/* The number under key, if there is one below `most`. Keys are not 0. */
bool tuned_get(const Tuned *t, uint64_t key, uint64_t most, uint64_t *value);
bool tuned_put(Tuned *t, uint64_t key, uint64_t value); /* false: the table is full */
/* ..and in the file; says nothing where that cannot be written. */
void tuned_save(ThContext *c, const Tuned *t, uint64_t key, uint64_t value);
uint64_t tuned_machine(const Tuned *t); /* of the processor's model, for keys */

#endif
