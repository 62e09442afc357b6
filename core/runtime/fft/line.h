/*
 * line.h -- transforms of any length, of one dtype: on lanes, or of one line of pairs alone. What they read is made
 * once (FftTables) and never changes; what they write on the way is the caller's.
 *
 * On lanes: lengths with factors up to FFT_PRIME by a plan, others by Bluestein's convolution with a chirp. Alone:
 * n = n1 n2, the line as n1 rows: columns are transformed on lanes, turned, and rows on lanes, so that each vector of
 * pairs is read and written once between two transforms that fit a cache; again a chirp for other lengths.
 */
#ifndef TH_FFT_LINE_H
#define TH_FFT_LINE_H

#include "fft.h"

typedef enum { FFT_LANES, FFT_ALONE, FFT_HALF } FftUse; /* HALF: exp(-2 pi i k / n) for 0 <= 2 k <= n */

typedef struct FftTables {
    FftUse use;
    ThDtype dtype;
    int64_t n, len; /* len: of the plans, n itself or a length for its chirp */
    const FftKernels *k;
    FftPlan p;          /* LANES: of len; ALONE: of n1.. */
    FftPlan q;          /* ..and n2, len = n1 n2 */
    const void *turns;  /* ALONE: block of columns by block, row by row: a vector of exp(-2 pi i row column / len) */
    const void *chirp;  /* len != n: exp(-pi i k^2 / n), k < n, pairs.. */
    const void *filter; /* ..and the transform of its conjugate going round, divided by len */
    const void *roots;  /* HALF */
    /* of the keeper (tables.c) */
    char *room;
    size_t bytes;
    int64_t users, last;
    bool kept;
} FftTables;

/* Bytes of the tables for a length from 1 on, and those tables in a room of that size; scratch: of fft_table_work. */
size_t fft_table_bytes(FftUse use, int64_t n, ThDtype d);
size_t fft_table_work(FftUse use, int64_t n, ThDtype d);
void fft_table_fill(FftTables *t, FftUse use, int64_t n, ThDtype d, char *room, char *work);

/* Vector operations, with loads and stores, for all lanes at once or for the one line; n from 1 on. */
double fft_lanes_cost(int64_t n, int64_t vl, ThDtype d);
double fft_alone_cost(int64_t n, int64_t vl, ThDtype d);

/* n elements at `at` become their transform, which lies where the function says: `at` or `work`. Room for
 * fft_lanes_room(t) elements each at `at` and twice that at `work`. */
int64_t fft_lanes_room(const FftTables *t);
void *fft_lanes(const FftTables *t, void *at, void *work, bool back);

/* n pairs to n pairs, which may be the same, times `by`. pieces: how many parts each half of the work is in; parts of
 * one half may run at the same time, in any order, with a work of fft_alone_part(t) bytes each. */
typedef struct FftAlone {
    const FftTables *t;
    const void *from;
    void *to;
    char *rows; /* fft_alone_rows(t) bytes */
    double by;
    bool back;
    int pieces;
    ThContext *ctx; /* as FftPieces' */
    atomic_bool *early;
} FftAlone;
size_t fft_alone_rows(const FftTables *t);
size_t fft_alone_part(const FftTables *t);
void fft_alone_columns(const FftAlone *a, int piece, char *work);
void fft_alone_end(const FftAlone *a, int piece, char *work);
/* All of it, chirp or not: each(user, fn) runs fn(piece) for all pieces of a half. line: 2 len pairs where len != n. */
typedef struct FftPieces {
    int n;
    void (*run)(struct FftPieces *p, void (*fn)(const FftAlone *a, int piece, char *work), const FftAlone *a);
    ThContext *ctx;     /* asked with.. */
    atomic_bool *early; /* ..this whether to stop (ctx_leaves); NULL: never */
} FftPieces;
void fft_alone(const FftTables *t, const void *from, void *to, char *rows, char *line, bool back, double by,
               FftPieces *p);

#endif
