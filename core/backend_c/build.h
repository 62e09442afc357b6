/*
 * build.h -- private to the makers of native code: from the text of a unit to a loaded Unit. backend_cuda uses it for
 * the emulated device. None of these raises an error but MemoryError: what cannot be built is served by the
 * interpreter, and one log line says why.
 */
#ifndef TH_BUILD_H
#define TH_BUILD_H

#include "../runtime/runtime.h"

enum { BUILD_KEY = 33, BUILD_PATH = 4096, BUILD_PLACES = 64 };

/* What a context remembers about building (slot CTX_BACKEND_C). */
typedef struct Build {
    ThContext *c;
    char temp[BUILD_PATH];           /* private directory of this context, removed with it; "" none */
    unsigned serial;                 /* of files written aside */
    int failures;                    /* units that the compiler refused in a row */
    atomic_int beside[BUILD_PLACES]; /* processes of compilers beside the calls; 0: a free place (tiers.c) */
    unsigned built;                  /* units built in CACHE_MAIN */
    bool swept;                      /* what killed processes left behind was looked for */
    bool told_compiler, told_dir, told_temp, gave_up;
} Build;
Build *build_state(ThContext *c);

/* ---- build.c: the compiler and one run of it ---- */
enum { BUILD_WORDS = 96, BUILD_OUTPUT = 2048 };
typedef struct Compiler {
    char path[BUILD_PATH]; /* of the program */
    char *words;           /* "cxx" and all flags, cut into argv; owned */
    char *argv[BUILD_WORDS];
    int argc;
    char key[BUILD_KEY]; /* of the source under this compiler */
} Compiler;
typedef struct BuildJob {
    char in[BUILD_PATH + 96], out[BUILD_PATH + 96]; /* written aside, in the folder of path */
    char path[BUILD_PATH];                          /* where the unit goes */
} BuildJob;
/* key.c: the text that the key is made of, th_free'd by the caller; NULL out of memory. */
char *key_canonical(ThContext *c, const char *source);
/* Finds compiler, flags and key; false after at most one log line. */
bool build_choose(Build *b, Compiler *k, const char *source);
/* The unit stands in one of the two directories: its path. */
bool build_find(Build *b, const Compiler *k, char path[BUILD_PATH]);
/* Writes the source aside and completes argv; false when the directory cannot be written. */
bool build_prepare(Build *b, int which, Compiler *k, BuildJob *j, const char *source);
/* A program at work: one argv, its output read through a pipe. */
typedef struct Child {
    int pid, fd; /* pid 0: it could not be started */
} Child;
void build_child(const Compiler *k, Child *ch, char out[BUILD_OUTPUT]);
/* Waits for its end; its first output in `out`. 0 success, > 0 it failed, -1 it could not be started. */
int build_wait(Child *ch, char out[BUILD_OUTPUT]);
/* A fresh file with the text, and with the key as a constant when there is one. */
bool build_write(const char *path, const char *source, const char *key);
/* Starts argv with its output in the file `output`; errno's number or 0. */
int build_start(const Compiler *k, int output, int *pid);
/* After the compiler's end (ok: with success): the unit gets its name; what stood aside is gone. False: there is none.
 */
bool build_finish(const Compiler *k, const BuildJob *j, bool ok);
void build_shorten(char *output); /* a compiler's first three lines, joined */

/* parts.c: how many compilers a text is worth, 1: one; then, in place of one run of the compiler, as build_wait: the
 * parts at once and the linker; PARTS_NOT: nothing was tried. */
enum { PARTS_NOT = -2 };
int parts_wanted(const Build *b, const char *source);
int parts_build(Build *b, Compiler *k, const BuildJob *j, const char *source, int n, char out[BUILD_OUTPUT]);

/* tiers.c: as unit_build, but what is not in the cache is built beside the calls (Unit.poll). */
Unit *unit_build_beside(ThContext *c, const char *source);

/* machine.c: the instruction set that units may use, as flags of the compiler with a leading space. */
const char *machine_flags(ThContext *c);

/* cache.c: a directory that only we can write, and sealed files in it */
enum { CACHE_MAIN, CACHE_TEMP };
/* Path of the trusted directory, made when `make`; false: there is none that may be used. */
bool cache_dir(Build *b, int which, bool make, char out[BUILD_PATH]);
/* Whether the file is ours, whole and of that key. */
bool cache_holds(const char *path, const char *key);
/* Appends the seal that cache_holds looks for. */
bool cache_seal(const char *path, const char *key);
void cache_sweep(Build *b, const char *dir);
void cache_remove_temp(Build *b);
/* The file is in use now: the last to go when the cache grows too large. */
void cache_touch(const char *path);
/* Removes what was used longest ago until the directory holds at most the megabytes of compile.cache_mb. */
void cache_limit(Build *b, const char *dir);

/* load.c: NULL after one log line when it is no unit of this key and ABI. `source` is copied. */
Unit *unit_load(ThContext *c, const char *path, const char *key, const char *source);

/*
 * build.c: `source` defines `int theano_run(Frame *)`, `int theano_step(Frame *, int)` and `const unsigned
 * theano_abi`. NULL when there is no compiler, it refuses, or nothing can be written.
 */
Unit *unit_build(ThContext *c, const char *source);

#endif
