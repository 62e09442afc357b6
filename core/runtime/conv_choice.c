/*
 * conv_choice.c -- which way a convolution runs. In: its lengths, the flag conv.algorithm. Out: a way. Always holds:
 * with the flag at `auto` the choice depends on the lengths and the instruction set alone.
 */
#include "conv_parts.h"

#include <math.h>
#include <string.h>

static ConvWay named(const char *name) {
    static const char *const names[] = {"auto", "direct", "outer", "fold", "gemm", "fft"};
    for (int i = 0; i < CONV_WAYS; i++)
        if (!strcmp(name, names[i])) return (ConvWay)i;
    return CONV_AUTO;
}

ConvWay conv_way(const ConvRun *r) { return named(config_str(r->h->ctx, "conv.algorithm")); }
