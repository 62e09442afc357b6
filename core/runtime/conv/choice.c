/*
 * choice.c -- which way a convolution runs. In: its lengths, the flag conv.algorithm. Out: a way. Always holds:
 * with the flag at `auto` and without conv.autotune the choice depends on the lengths and the instruction set alone.
 */
#include "parts.h"

#include <math.h>
#include <string.h>

ConvWay conv_way_named(const char *name) {
    static const char *const names[] = {"auto", "direct", "lanes", "spread", "fold", "gemm", "fft"};
    for (int i = 0; i < CONV_WAYS; i++)
        if (!strcmp(name, names[i])) return (ConvWay)i;
    return CONV_AUTO;
}

/* ---- what it costs ----------------------------------------------------------------------------------------------- */
/* In nanoseconds of the machine they were measured on (bench/README.md): their ratio is what counts. */
#define TRANSFORM_NS 0.48 /* a vector operation of a transform, its loads and stores.. */
#define TRANSFORM_START 2e4
#define TILE_NS 0.24   /* a vector of multiply-adds in a register tile.. */
#define TILE_ROW 0.36  /* ..and what each of its vectors waits for, shared by its rows */
#define FILTER_NS 0.08 /* rows that are summed over are short */
#define CLEARLY 1.5    /* transforms round differently: not for a little */

/* Vectors of multiply-adds, over whole vectors of rows. */
static double vectors(const ConvRun *r, const int64_t *len) {
    const ConvWork *w = r->w;
    double n = (double)w->images * (double)w->filters * (double)w->channels * (double)w->groups;
    double vl = (double)r->kern->vl, places = 1;
    for (int d = 0; d < w->ndim; d++) n *= (double)w->size[d], places *= (double)len[d];
    double row = (double)len[w->ndim - 1];
    return row < vl ? n * places / vl : n * places / row * ceil(row / vl);
}

double conv_tiles_ns(const ConvRun *r) {
    const ConvWork *w = r->w;
    int64_t rows = w->target == CONV_TO_IMAGE ? w->channels : w->filters;
    double each = TILE_NS + TILE_ROW / (double)(rows < GEMM_MR ? rows : GEMM_MR);
    return vectors(r, w->out) * (each + (w->target == CONV_TO_FILTER ? FILTER_NS : 0));
}

double conv_fft_ns(const ConvRun *r) { return TRANSFORM_START + TRANSFORM_NS * conv_fft_cost(r); }

static ConvWay cheapest(const ConvRun *r) {
    double tiles = conv_tiles_ns(r);
    if (tiles < CLEARLY * TRANSFORM_START || !conv_fft_applies(r)) return CONV_AUTO;
    return CLEARLY * conv_fft_ns(r) < tiles ? CONV_FFT : CONV_AUTO;
}

ConvWay conv_way(const ConvRun *r) {
    ConvWay flag = conv_way_named(config_str(r->h->ctx, "conv.algorithm"));
    return flag == CONV_AUTO ? cheapest(r) : flag;
}
