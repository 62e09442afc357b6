/*
 * library.h -- what the emulated libraries (cuBLASLt, cuFFT, cuSOLVER, cuSPARSE, cuDNN) begin and end their entry
 * points with. A file that includes it has FAILED: its library's word for what the driver was told to fail.
 */
#ifndef EMULATED_LIBRARY_H
#define EMULATED_LIBRARY_H

#include "emulated.h"

#define EXPORT __attribute__((visibility("default")))
#define BEGIN \
    do { \
        if (entry_begin(__func__, true)) return end(FAILED); \
    } while (0)

static int end(int code) {
    entry_end();
    return code;
}

#endif
