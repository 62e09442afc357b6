/*
 * mutants.h -- one deliberate mistake in the engine's tables, for the mutation check. Only the files compiled with
 * TH_MUTANTS see this: core/ops/table/scalar.c and core/opt/rules/rules.c, each of which hands its lines over before
 * main runs. Every possible mistake has a number; THEANO_MUTANT=n makes mistake n, THEANO_MUTANT=list prints them all
 * and exits.
 */
#ifndef TH_MUTANTS_H
#define TH_MUTANTS_H

#include <stdbool.h>
#include <stdint.h>

/* How a text may be broken. */
enum { MUTANT_VALUE = 1, MUTANT_GRAD, MUTANT_TRUTH /* value of a bool result */, MUTANT_AFTER, MUTANT_BEFORE };

/* Offers every mistake of one text; the chosen one replaces *text. */
void mutant_text(const char *table, const char *line, const char *field, int kind, const char **text);
/* Offers one mistake that the caller makes itself: true when it is the chosen one. */
bool mutant_here(const char *table, const char *line, const char *what);

#endif
