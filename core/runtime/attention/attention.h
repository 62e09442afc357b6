/* attention.h -- attention and its gradient, some rows of scores at a time (attention.c). */
#ifndef TH_ATTENTION_H
#define TH_ATTENTION_H

#include "graph/services.h"

int attention_host(HostCall *h, const AttentionWork *w); /* of HostServices */

/* Rows of scores that are in memory at a time; their length there. */
int64_t attention_rows(int64_t queries, int64_t keys, int64_t item, int64_t *padded);

#endif
