/* library.h -- FFTW, opened at run time where the flag fft.library says so. Never needed, never linked. */
#ifndef TH_FFT_LIBRARY_H
#define TH_FFT_LIBRARY_H

#include "stage.h"

/* Does the stage with FFTW; false: nothing was done. */
bool fft_library_run(ThContext *c, const FftStage *s);
void fft_library_free(ThContext *c, struct FftLibrary *l);

#endif
