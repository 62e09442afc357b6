/*
 * merge.c -- equal nodes become one: the FGraph's hash-consing is switched on and stays on for all later passes.
 */
#include "opt/engine/rewrite.h"

bool pass_merge(Opt *o) { return fg_merge(o->fg); }
