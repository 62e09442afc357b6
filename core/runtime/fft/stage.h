/* stage.h -- transforms of all lines of an array along one axis: a part of a FftWork. */
#ifndef TH_FFT_STAGE_H
#define TH_FFT_STAGE_H

#include "kernel/fft_work.h"
#include "tables.h"

typedef struct FftDim {
    int64_t n, from, to; /* strides in bytes */
} FftDim;

/* One kind of line: units are pairs or, on the side of the numbers of FFT_TO_HALF and FFT_FROM_HALF, numbers. */
typedef struct FftStage {
    ThContext *ctx;     /* asked with.. */
    atomic_bool *early; /* ..this whether to stop (ctx_leaves) */
    FftKind kind;
    ThDtype dtype;
    bool back;
    int64_t n, have; /* units of a line that are there: no more than are read */
    const char *from;
    char *to;                /* may be `from` where both have pairs and the same strides */
    int64_t fs, ts;          /* from unit to unit */
    FftDim dim[TH_MAX_NDIM]; /* the lines.. */
    int ndim;
    double by, twice;
    /* how it is done: stage_plan sets it */
    bool alone;            /* line by line, else lanes of lines */
    int lane;              /* the dimension that lanes go along, or -1: there is one line */
    int64_t lines, blocks; /* blocks: of lanes in that dimension */
    int pieces;
    bool inside; /* alone: pieces share each line, else each has lines of its own */
    const FftTables *t, *half;
    size_t rows, line, part; /* bytes: alone, shared or of a piece; of a piece */
} FftStage;

int64_t fft_stage_units(const FftStage *s, bool from); /* of a whole line */
bool fft_stage_plan(ThContext *c, FftStage *s);        /* takes tables; false: MemoryError */
size_t fft_stage_bytes(const FftStage *s);
void fft_stage_run(ThContext *c, FftStage *s, char *room); /* 64-aligned */
void fft_stage_done(ThContext *c, FftStage *s);

#endif
