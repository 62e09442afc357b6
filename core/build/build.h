/*
 * build.h -- private to the makers of native code: from the text of a unit to a loaded Unit, from kernels to an image.
 * None of these raises an error but MemoryError: what cannot be built is served by the interpreter, and one log line
 * says why.
 */
#ifndef TH_BUILD_H
#define TH_BUILD_H

#include "base/trusted.h"
#include "runtime/frame/runtime.h"

#include <sys/types.h>

enum { BUILD_KEY = 33, BUILD_PATH = 4096, BUILD_PLACES = 64, BUILD_NAME = BUILD_KEY + 4, BUILD_IMAGE = BUILD_KEY + 8 };

/* A directory that nobody else can change, held open. */
typedef struct CacheDir {
    atomic_int refs;
    ThContext *c;
    int fd;
    dev_t dev;
    ino_t ino;
    char path[BUILD_PATH]; /* from the root, without links */
} CacheDir;

/* What a context remembers about building (slot CTX_BACKEND_C). */
typedef struct Build {
    ThContext *c;
    CacheDir *dir[2];                /* CACHE_MAIN, CACHE_TEMP; NULL: not opened yet */
    char temp[BUILD_PATH];           /* private directory of this context, removed with it; "" none */
    char why[TRUSTED_WHY];           /* the last directory was not opened */
    uint64_t refused;                /* base_compiledir (its hash) that cannot be used, as was told; 0: none */
    unsigned serial;                 /* of files written aside */
    int failures;                    /* units that the compiler refused in a row */
    atomic_int beside[BUILD_PLACES]; /* processes of compilers beside the calls; 0: a free place (tiers.c) */
    unsigned built;                  /* units built in CACHE_MAIN */
    bool swept;                      /* what killed processes left behind was looked for */
    bool told_compiler, told_temp, gave_up;
} Build;
Build *build_state(ThContext *c);

/* ---- build.c: the compiler and one run of it ---- */
enum { BUILD_WORDS = 96, BUILD_OUTPUT = 2048 };
typedef struct Compiler {
    ThContext *c;
    char path[BUILD_PATH]; /* of the program */
    char *words;           /* "cxx" and all flags, cut into argv; owned */
    char *cut;             /* what it gets in place of the source (common.c), owned; NULL: the source */
    char *search;          /* "PATH=.." for its children where ours has places that anybody can write; owned, or NULL */
    char temp[BUILD_PATH + 112]; /* "TMPDIR=..", a folder for the files between its passes; "": the host's */
    char *argv[BUILD_WORDS];
    int argc;
    bool lowered;        /* it crashed: "-O1" was appended */
    int64_t patience;    /* nanoseconds that a run may take (config compile.timeout); 0: any */
    uint64_t identity;   /* hash of ABI, program and flags */
    char key[BUILD_KEY]; /* of the source under this compiler */
} Compiler;
typedef struct BuildJob {
    CacheDir *dir;                                  /* where all is; retained */
    char name[BUILD_NAME];                          /* of the unit to be */
    char in[BUILD_PATH + 96], out[BUILD_PATH + 96]; /* paths of what is written aside, for the compiler */
} BuildJob;
/* The name in the directory of one of its paths. */
const char *build_name(const CacheDir *d, const char *path);
void build_job_free(BuildJob *j);
void build_compiler_free(Compiler *k);
static inline const char *build_text(const Compiler *k, const char *source) { return k->cut ? k->cut : source; }
/* key.c: the text that the key is made of, th_free'd by the caller; NULL out of memory. */
char *key_canonical(ThContext *c, const char *source);
/* Finds compiler, flags and key; false after at most one log line. */
bool build_choose(Build *b, Compiler *k, const char *source);
/* The compiler of config cxx with these flags behind those of every unit, without a key; false as above. */
bool build_compiler(Build *b, Compiler *k, const char *flags);
/* The key of a text for whatever has this identity; false out of memory. */
bool build_key(ThContext *c, char key[BUILD_KEY], uint64_t identity, const char *source);
/* The unit stands in one of the two directories: j->dir and j->name. */
bool build_find(Build *b, const Compiler *k, BuildJob *j);
/* Writes the source, or what is cut of it, aside and completes argv; false when the directory cannot be written. */
bool build_prepare(Build *b, int which, Compiler *k, BuildJob *j, const char *source);
/* After its end with rc and what it printed: whether the compiler itself crashed on the text, which happens, and argv
 * asks now for less optimization, which changes no bit. Once a unit. */
bool build_again(Compiler *k, const BuildJob *j, int rc, const char *output);
/* One run of argv, and another one where it crashes: as child_wait. */
int build_run(Compiler *k, const BuildJob *j, char output[BUILD_OUTPUT]);
/* A fresh file with the text, and with the key as a constant when there is one. */
bool build_write(const CacheDir *d, const char *name, const char *source, const char *key);
/* After the compiler's end (ok: with success): the unit gets its name; what stood aside is gone. NULL, or why there is
 * no unit ("" where the compiler had failed). */
const char *build_finish(const Compiler *k, const BuildJob *j, bool ok);
void build_shorten(char *output); /* a compiler's first three lines, joined */

/* ---- child.c: one run of it, its output read through a pipe ---- */
typedef struct Child {
    int pid, fd, end; /* pid 0: it could not be started; end: a descriptor of the process, or -1 */
    int64_t until;    /* by child_clock, when it is ended; 0: never */
} Child;
int64_t child_clock(void); /* nanoseconds */
/* When a run that starts now is ended; 0: never. */
int64_t child_deadline(const Compiler *k);
/* Says in `out` that the run took too long. */
void child_tell_late(const Compiler *k, char out[BUILD_OUTPUT]);
void child_listen(Compiler *k, Child *ch, char out[BUILD_OUTPUT]);
/* Waits for its end; its first output in `out`. 0 success, > 0 it failed (th_interrupt: with the error set) or was
 * ended at its time, -1 it could not be started. */
int child_wait(const Compiler *k, Child *ch, char out[BUILD_OUTPUT]);
/* Starts argv with its output in the file `output`; errno's number or 0. */
int child_start(Compiler *k, int output, int *pid);
bool child_ended(int pid);                          /* it stays there for child_collect */
void child_stop(int pid);                           /* with all that it started */
int child_collect(int pid, char out[BUILD_OUTPUT]); /* its exit code; out may be NULL */

/* parts.c: how many compilers a text is worth, 1: one; then, in place of one run of the compiler, as child_wait: the
 * parts at once and the linker; PARTS_NOT: nothing was tried. */
enum { PARTS_NOT = -2 };
const char *parts_line(const char *text, const char *line); /* where a line begins so, or NULL */
int parts_number(const char *mark);                         /* of the kernel behind a mark (PART_KERNEL) */
int parts_wanted(const Build *b, const char *source);
int parts_build(Build *b, Compiler *k, const BuildJob *j, const char *source, int n, char out[BUILD_OUTPUT]);

/* tiers.c: as unit_build, but what is not in the cache is built beside the calls (Unit.poll). */
Unit *unit_build_beside(ThContext *c, const char *source);

/* machine.c: the instruction set that units may use, as flags of the compiler with a leading space. */
const char *machine_flags(ThContext *c);

/* cache.c: a directory that only we can write, and sealed files in it */
enum { CACHE_MAIN, CACHE_TEMP };
/* The directory, made when `make`; the Build's own reference. NULL: none may be used, b->why tells, or no memory. */
CacheDir *cache_dir(Build *b, int which, bool make);
CacheDir *cache_retain(CacheDir *d);
void cache_release(CacheDir *d);
/* Whether the file is ours, whole and of that key. */
bool cache_holds(const CacheDir *d, const char *name, const char *key);
/* What such a file holds, ctx_free; NULL: it is not so, or no memory. */
char *cache_read(const CacheDir *d, const char *name, const char *key, size_t *n);
/* Writes bytes under the name into the directory, sealed when there is a key; NULL: they cannot be kept there. */
const CacheDir *cache_keep(Build *b, int which, const char *name, const char *key, const void *bytes, size_t n);
/* Appends the seal that cache_holds looks for to a whole module of that key; NULL, or why there is none. */
const char *cache_seal(const CacheDir *d, const char *name, const char *key);
void cache_sweep(Build *b, const CacheDir *dir);
/* An empty folder in the directory for one run of a compiler; its end, with the files in it. */
bool cache_folder(const CacheDir *d, const char *name);
void cache_folder_remove(const CacheDir *d, const char *name);
void cache_close(Build *b);
/* The file is in use now: the last to go when the cache grows too large. */
void cache_touch(const CacheDir *d, const char *name);
/* Removes what was used longest ago until the directory holds at most the megabytes of compile.cache_mb. */
void cache_limit(Build *b, const CacheDir *dir);

/* elf.c: what keeps the bytes from being a whole module of that key, or NULL. */
const char *elf_incomplete(const void *bytes, size_t n, const char *key);

/* load.c: NULL when it is no unit of this key and ABI (the file is removed, a log line says why when `tell`). `source`
 * is copied. */
Unit *unit_load(CacheDir *d, const char *name, const char *key, const char *source, bool tell);

/* The same of a module that lies in memory; a log line says why not. */
Unit *unit_load_bytes(ThContext *c, const void *bytes, size_t n, const char *key, const char *source);

/* native.c: a unit for a level of x86-64 (native_level's number), and back. False with CompileError; NULL after a log
 * line. */
bool unit_native(ThContext *c, const char *source, int level, char **bytes, size_t *n);
Unit *unit_native_load(ThContext *c, const char *source, int level, const void *bytes, size_t n);

/*
 * build.c: `source` defines `int theano_run(Frame *)`, `int theano_step(Frame *, int)` and `const unsigned
 * theano_abi`. NULL when there is no compiler, it refuses, or nothing can be written.
 */
Unit *unit_build(ThContext *c, const char *source);
/* nvrtc.c: what NVRTC made of a text, ctx_free; NULL after a log line where there is none, or with the error set.
 * d: for which driver, or NULL; log: if not NULL, gets what the assembler says of each kernel (th_free). Then: what
 * decides its code besides text and architecture, appended. */
struct Device;
char *nvrtc_image(ThContext *c, const struct Device *d, const char *text, const char *arch, size_t *n, char **log);
bool nvrtc_identity(ThContext *c, const struct Device *d, Text *t);

#endif
