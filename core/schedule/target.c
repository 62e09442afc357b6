/*
 * target.c -- the machines that are known.
 */
#include "target.h"

#include <string.h>

static const Target sse2 = {.name = "sse2", .vector_bytes = 16, .registers = 16};
static const Target avx2 = {.name = "avx2", .vector_bytes = 32, .registers = 16, .fused = true};
static const Target avx512 = {.name = "avx512", .vector_bytes = 64, .registers = 16, .masks = true, .fused = true};
static const Target avx2_repro = {.name = "avx2", .vector_bytes = 32, .registers = 16};
static const Target avx512_repro = {.name = "avx512", .vector_bytes = 64, .registers = 16, .masks = true};
/* Of NVIDIA's A100 and H100; load and launch as measured by others (theano.roofline's). */
const Target target_cuda = {.name = "cuda",
                            .multiprocessors = 128,
                            .threads = 2048,
                            .shared = 160 << 10,
                            .clock = 1.7e9,
                            .memory = 2.5e12,
                            .load = 800,
                            .launch = 2500};
const Target target_c99 = {.name = "c99", .vector_bytes = 1, .registers = 32};

const Target *target_of(int vector_bytes, bool repro) {
    if (vector_bytes == 64) return repro ? &avx512_repro : &avx512;
    if (vector_bytes == 32) return repro ? &avx2_repro : &avx2;
    return &sse2;
}

const Target *target_named(const char *name) {
    static const Target *const all[] = {&sse2, &avx2, &avx512};
    for (int i = 0; i < TH_LEN(all); i++)
        if (!strcmp(all[i]->name, name)) return all[i];
    return NULL;
}
