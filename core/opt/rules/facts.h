/* facts.h -- what is known about a matrix from how it is made, or by a Hint. */
#ifndef TH_OPT_FACTS_H
#define TH_OPT_FACTS_H

#include "ops/reduce/reduce.h"
#include "ops/table/linalg.h"
#include "rules.h"

/* x where v is x with its last two dimensions exchanged; else NULL. */
ThVar *facts_turned(const ThVar *v);
const HintAttrs *facts_hint(const ThVar *v); /* NULL: v is no Hint */
bool facts_triangular(const ThVar *v, bool lower);
bool facts_symmetric(const ThVar *v);

#endif
