/*
 * backend.h -- what a backend offers: text of a plan, and a built unit.
 * backend_c: one C translation unit per function -> compiler (posix_spawn) -> content-addressed cache -> dlopen.
 * backend_cuda: the same kernels as CUDA C -> NVRTC -> cache -> the device's driver.
 * A backend that cannot build returns NULL without an error after one log line: the interpreter serves.
 */
#ifndef TH_BACKEND_H
#define TH_BACKEND_H

#include "runtime.h"

/* Appends the text of a plan. processor: "sse2", "avx2", "avx512", or NULL for this one and for CUDA; known: as in
 * version, or NULL. Neither a compiler nor such a processor is needed. */
typedef bool EmitText(Text *t, const Plan *p, const char *processor, const int64_t *known);
/* The machine that it writes for (schedule/target.h), processor as above; NULL with the error set. */
typedef const struct Target *BackendTarget(ThContext *c, const char *processor);
typedef struct Backend {
    const char *name; /* "c", "cuda" */
    EmitText *emit;
    BackendTarget *target;
    /* Emit, then compile or cache hit, and load; beside: a Unit that is being built while calls go on (Unit.poll). */
    Unit *(*build)(ThContext *c, const Plan *p, bool beside);
    MakeVersion *version; /* or NULL */
    /* How many ways of running each kernel there are, at least 1; false with the error set. NULL: one each. */
    bool (*candidates)(ThContext *c, const Plan *p, uint8_t *n);
} Backend;
extern const Backend backend_c, backend_cuda;
/* The unit of a plan as machine code for a level of x86-64, 2, 3 or 4: bytes to be given back by ctx_free, false with
 * the error set; and such bytes as a Unit, NULL after a log line. */
bool native_code(ThContext *c, const Plan *p, int level, char **bytes, size_t *n);
Unit *native_unit(ThContext *c, const Plan *p, int level, const void *bytes, size_t n);
struct Device;
/* A plan's kernels for a device. *source: their text, th_free. NULL where there is no compiler for them (after a log
 * line), or with the error set. */
struct GridProgram *cuda_program(const Plan *p, const struct Device *d, char **source);
struct GridProgram *cuda_kernels(const Plan *p, char **source); /* ..whether there is one or not */
/* That text, or one of its kernels with their line numbers, as cuda_image gives it; the error names the user's line. */
char *cuda_image_of(const Plan *p, const struct Device *d, const char *text, size_t *bytes);
bool cuda_compiler(ThContext *c, const struct Device *d); /* false: as cuda_program */
/* A text of kernels as an image for the device's driver, ctx_free: found in the cache, or compiled and kept there. NULL
 * as above. Asked for by one thread at a time. */
char *cuda_image(ThContext *c, const struct Device *d, const char *text, size_t *bytes);
/* Kernels that are no plan's: by name, the type of their record and its size; whether they have barriers. */
typedef struct CudaEntry {
    const char *name, *args;
    unsigned bytes;
    bool barriers;
} CudaEntry;
/* Their text (behind the prelude) as an image; as above. */
char *cuda_library(ThContext *c, const struct Device *d, const char *title, const char *text, const CudaEntry *k, int n,
                   size_t *bytes);
extern const char *const cuda_cores_text; /* backend_cuda/cores_text.c: words for products of halves */
bool cuda_library_text(Text *t, const char *title, const char *text, const CudaEntry *k, int n);
/* Compiles one CUDA text for an architecture ("sm_90"); 0 ok, 1 no NVRTC here, 2 does not compile (error set with the
 * log). */
int cuda_compile_check(ThContext *c, const char *text, const char *arch);
/* ..as an image (ctx_free), with what the assembler says of each kernel (th_free), for no device. NULL: as 1 or 2. */
char *cuda_assemble(ThContext *c, const char *text, const char *arch, size_t *bytes, char **log);

#endif
