/* tables.h -- what a context keeps for transforms: tables by length, and FFTW's plans. Safe to call from any thread. */
#ifndef TH_FFT_TABLES_H
#define TH_FFT_TABLES_H

#include "line.h"

enum { FFT_KEPT = 128 };
#define FFT_KEPT_BYTES ((size_t)64 << 20)

typedef struct FftKeeper {
    OsLock lock;
    FftTables *at[FFT_KEPT]; /* those of one call and no more where they are larger than this allows */
    int n;
    size_t bytes;
    int64_t clock;
    struct FftLibrary *library; /* fftw.c */
} FftKeeper;

FftKeeper *fft_keeper(ThContext *c); /* NULL with MemoryError */
/* A reference, given back with fft_tables_done; NULL with MemoryError. */
const FftTables *fft_tables(ThContext *c, FftUse use, int64_t n, ThDtype d);
void fft_tables_done(ThContext *c, const FftTables *t);

#endif
