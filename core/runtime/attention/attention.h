/* attention.h -- attention and its gradient, some rows of scores at a time (attention.c). */
#ifndef TH_ATTENTION_H
#define TH_ATTENTION_H

#include "graph/services.h"

int attention_host(HostCall *h, const AttentionWork *w); /* of HostServices */

#endif
