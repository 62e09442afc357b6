/*
 * config.c -- Theano's flags as one table.
 *
 * In: flags from a program, a "name=value,..." text or a .theanorc. Out: canonical texts. Always holds: every value
 * has passed its check; a text or file with a mistake changes nothing at all. A new flag is one line of CONFIG.
 */
#include "base.h"
#include "trusted.h"
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* name, type (enum: one of a list; text; bool; int; dtype), default, allowed values ("," between them), doc */
/* clang-format off */
#define CONFIG(X)                                                                                                      \
    X("floatX", DTYPE, "float64", "float64,float32,float16,bfloat16", "dtype of float constants and of variables without one")          \
    X("device", ENUM, "cpu", "cpu,cuda,cuda0,cuda1,cuda2,cuda3,cuda4,cuda5,cuda6,cuda7,cuda8,cuda9,cuda10,cuda11,"     \
      "cuda12,cuda13,cuda14,cuda15,cuda-emulated,cuda-emulated0,cuda-emulated1", "where compiled functions run and shared floats live")          \
    X("cuda.driver", TEXT, "", "", "the CUDA driver's library; empty: libcuda.so.1")                                   \
    X("cuda.root", TEXT, "", "", "folders of CUDA's libraries, \":\" between them, before the usual ones")             \
    X("cuda.libraries", ENUM, "auto", "auto,own,all",                                                                  \
      "cuBLASLt, cuFFT, ..: auto: where work is large; own: kernels of ours alone; all: whatever they can do")          \
    X("cuda.autotune", ENUM, "auto", "auto,on,off",                                                                    \
      "ways of launching a kernel that give the same bits are timed at its first launches; auto: on real GPUs")        \
    X("allow_tf32", BOOL, "false", "", "float32 products of a GPU's library may round factors to 10 bits and more")    \
    X("init_gpu_device", TEXT, "", "", "the GPU that \"cuda\" means while functions run on the CPU")                   \
    X("gpuarray.preallocate", TEXT, "0", "",                                                                           \
      "most that is had of a GPU's memory: megabytes, or up to 1 a part of it; 0: no limit")                           \
    X("gpuarray.sync", BOOL, "false", "", "a call waits until the GPU has done what it queued")                        \
    X("force_device", BOOL, "false", "", "device=cuda without a GPU is an error; otherwise functions run on the CPU")  \
    X("mode", ENUM, "Mode", "Mode,FAST_RUN,FAST_COMPILE,DebugMode,DEBUG_MODE,NanGuardMode,None",                     \
      "default compilation mode; Mode: linker and optimizer")                                                          \
    X("linker", ENUM, "cvm", "cvm,vm,c,py,c|py,cvm_nogc,vm_nogc,c|py_nogc,interpreter",                                \
      "how functions run: py and interpreter interpret the plan, all others build C code")                                      \
    X("optimizer", ENUM, "o4", "o4,o3,o2,o1,unsafe,stabilize,fast_run,fast_compile,merge,None", "which rewrites run")  \
    X("optimizer_including", TEXT, "", "", "tags of rewrites to add, \":\" between them")                              \
    X("optimizer_excluding", TEXT, "", "", "tags or names of rewrites to leave out, \":\" between them")               \
    X("optimizer_requiring", TEXT, "", "", "tags that every rewrite must have, \":\" between them")                    \
    X("on_opt_error", ENUM, "warn", "warn,raise,ignore", "what a compilation does about a rewrite that fails")         \
    X("on_unused_input", ENUM, "raise", "raise,warn,ignore", "what compile does about an input that is not used")      \
    X("exception_verbosity", ENUM, "low", "low,high", "high: run-time errors show the graph around the failing node")  \
    X("cast_policy", ENUM, "custom", "custom,numpy+floatX", "dtype of number literals")                                \
    X("int_division", ENUM, "int", "int,raise,floatX",                                                                 \
      "raise: an error for / between integers; otherwise a float comes out, as in Python 3")                           \
    X("warn_float64", ENUM, "ignore", "ignore,warn,raise", "what happens when a float64 variable is made")             \
    X("allow_gc", BOOL, "false", "", "give the memory of temporaries back after each call")                            \
    X("openmp", BOOL, "false", "", "use several threads")                                                              \
    X("tensor.local_elemwise_fusion", BOOL, "true", "", "fuse elementwise operations (the rewrite elemwise_fusion)")   \
    X("openmp_elemwise_minsize", INT, "200000", "", "elements from which elementwise loops use several threads")       \
    X("repro", BOOL, "false", "",                                                                                      \
      "the same bits on every x86-64 and arm64 processor, by every compiler; set before anything is compiled")         \
    X("base_compiledir", TEXT, "~/.theano", "", "directory of compiled code")                                          \
    X("compile.tiers", BOOL, "true", "", "start functions in the interpreter while the C compiler builds them")        \
    X("compile.cache_mb", INT, "512", "", "megabytes of compiled code to keep; what was used longest ago goes first")  \
    X("compile.jobs", INT, "0", "",                                                                                    \
      "compilers that work on one function at once; 0: as many as there are processors to run on")                     \
    X("compile.autotune", INT, "0", "",                                                                                \
      "time so many ways of running each kernel beside the calls, and keep the fastest; 0: off")                       \
    X("compile.candidate", INT, "0", "",                                                                               \
      "run kernels by this candidate of compile.autotune, untimed; 0: by what costs least")                            \
    X("compile.common", BOOL, "true", "", "take kernels that are compiled with the library")                            \
    X("compile.timeout", INT, "600", "", "seconds after which a C compiler is ended and counts as failed; 0: none")    \
    X("conv.algorithm", ENUM, "auto", "auto,direct,lanes,spread,fold,gemm,fft,winograd,winograd2",                     \
      "how convolutions of floats run; one that does not apply to a shape is not used there")                          \
    X("conv.autotune", BOOL, "false", "",                                                                              \
      "time the ways of a convolution at its first call, and keep the fastest")                                        \
    X("fft.library", ENUM, "auto", "auto,own,fftw",                                                                    \
      "what computes Fourier transforms: fftw where it is installed; auto: only without AVX2, where it is faster")     \
    X("linalg.library", ENUM, "auto", "auto,own,lapack",                                                               \
      "what factors matrices: own; lapack: OpenBLAS where it is installed; auto: what is faster for the size")           \
    X("cxx", TEXT, "gcc, cc or clang", "", "C compiler; empty: no C code, functions run in the interpreter")           \
    X("gcc.cxxflags", TEXT, "", "", "more flags for the C compiler")                                                   \
    X("compute_test_value", ENUM, "off", "off,ignore,warn,raise", "compute test values while the graph is built")      \
    X("blas.ldflags", TEXT, "", "", "flags for a BLAS library (products are our own)")                                 \
    X("profile", BOOL, "false", "", "measure every function, and print the profiles when the program ends")            \
    X("profile_memory", BOOL, "false", "", "a profile also tells where the memory of a call goes")                     \
    X("profile_optimizer", BOOL, "false", "", "a profile also tells where the time of rewriting goes")                 \
    X("profiling.n_apply", INT, "20", "", "steps listed in a profile")                                                 \
    X("profiling.n_ops", INT, "20", "", "operations listed in a profile")                                              \
    X("profiling.destination", TEXT, "stderr", "", "where profiles are printed: stderr, stdout or a file's path")      \
    X("DebugMode.patience", INT, "10", "", "DebugMode: how often a function is rewritten, always in the same way")     \
    X("DebugMode.check_c", BOOL, "true", "", "DebugMode: run nodes and functions as generated C")                      \
    X("DebugMode.check_py", BOOL, "true", "", "DebugMode: run nodes a second time in the interpreter")                 \
    X("DebugMode.check_finite", BOOL, "true", "", "DebugMode: refuse NaN and infinity")                                \
    X("NanGuardMode.nan_is_error", BOOL, "true", "", "NanGuardMode: refuse NaN")                                       \
    X("NanGuardMode.inf_is_error", BOOL, "true", "", "NanGuardMode: refuse infinity")                                  \
    X("NanGuardMode.big_is_error", BOOL, "true", "", "NanGuardMode: refuse numbers beyond 1e10")                       \
    X("NanGuardMode.action", ENUM, "raise", "raise,warn", "NanGuardMode: what happens to what is refused")             \
    X("traceback.limit", INT, "8", "", "source lines named for one node in messages; at most 64, -1: all of these")
/* clang-format on */

typedef enum { ENUM, TEXT, BOOL, INT, DTYPE } FlagType;

typedef struct {
    const char *name;
    FlagType type;
    const char *deflt, *allowed, *doc;
} Flag;

static const Flag flag[] = {
#define X(name, type, deflt, allowed, doc) {name, type, deflt, allowed, doc},
    CONFIG(X)
#undef X
};
enum { FLAGS = TH_LEN(flag) };

struct Config {
    const char *value[FLAGS]; /* interned */
    uint64_t turn;            /* how often flags were set */
};

/* ---- one value --------------------------------------------------------------------------------------------------- */
static int find(const char *name) {
    for (int i = 0; i < FLAGS; i++)
        if (!strcmp(flag[i].name, name)) return i;
    return -1;
}

/* Index of the flag or -1 with KeyError; `where` is what the message starts with. */
static int lookup(ThContext *c, const char *name, const char *where) {
    if (!name) return err_missing(c, "config"), -1;
    int i = find(name);
    if (i >= 0) return i;
    const char *names[FLAGS];
    for (int k = 0; k < FLAGS; k++) names[k] = flag[k].name;
    const char *near = text_nearest(name, names, FLAGS);
    if (near) err(c, TH_KeyError, "%sunknown config flag '%.100s'; did you mean '%s'?", where, name, near);
    else err(c, TH_KeyError, "%sunknown config flag '%.100s'", where, name);
    return -1;
}

static bool listed(const char *list, const char *value) {
    size_t n = strlen(value);
    for (const char *p = list; n && *p;) {
        size_t m = strcspn(p, ",");
        if (m == n && !memcmp(p, value, n)) return true;
        p += m + (p[m] == ',');
    }
    return false;
}

static const char *bool_text(const char *v) {
    if (!strcmp(v, "true") || !strcmp(v, "True") || !strcmp(v, "1")) return "true";
    return !strcmp(v, "false") || !strcmp(v, "False") || !strcmp(v, "0") ? "false" : NULL;
}

static bool is_int(const char *v) {
    char *end;
    if (*v != '-' && !char_is_digit(*v)) return false;
    long long n = strtoll(v, &end, 10);
    return !*end && end != v && n > -(1ll << 62) && n < 1ll << 62;
}

/* The canonical text of a value, interned; NULL with the error that says what is allowed. */
static const char *check(ThContext *c, const Flag *f, const char *value, const char *where) {
    const char *good = value, *allowed = f->allowed;
    if (f->type == ENUM || f->type == DTYPE) good = listed(allowed, value) ? value : NULL;
    else if (f->type == BOOL) good = bool_text(value), allowed = "true,false";
    else if (f->type == INT) good = is_int(value) ? value : NULL, allowed = "an integer";
    if (good) return intern(c, good);
    err(c, TH_ValueError, "%sinvalid value '%.100s' for config flag %s; allowed: %s", where, value, f->name, allowed);
    return NULL;
}

/* Theano's, so that its files load, but nothing here reads them. */
static void tell_idle(ThContext *c, const Flag *f, const char *value) {
    static const char *const idle[] = {"blas.ldflags"};
    for (int i = 0; i < TH_LEN(idle); i++)
        if (!strcmp(f->name, idle[i]) && strcmp(value, f->deflt))
            ctx_log(c, "WARNING: the flag %s has no effect in this version", f->name);
}

/* What the context's record of its machine has taken over stays as it is: kernels of products, packed operands. */
static bool in_time(ThContext *c, const Flag *f, const char *old, const char *value) {
    if (strcmp(f->name, "repro") || !strcmp(old, value) || !__atomic_load_n(&c->slot[CTX_CPU], __ATOMIC_ACQUIRE))
        return true;
    return err(c, TH_RuntimeError, "the flag repro is set before the first function is compiled, or not at all");
}

static bool open_to(ThContext *c) {
    return !ctx_sealed(c) || err(c, TH_RuntimeError, "flags are closed to this context");
}

int th_config_set(ThContext *c, const char *name, const char *value) {
    if (!c || !open_to(c)) return -1;
    int i = lookup(c, name, "");
    const char *v = i < 0 ? NULL : check(c, &flag[i], value ? value : "", "");
    if (!v) return -1;
    if (!in_time(c, &flag[i], c->config->value[i], v)) return -1;
    tell_idle(c, &flag[i], v);
    c->config->value[i] = v;
    c->config->turn++;
    return 0;
}

const char *th_config_get(ThContext *c, const char *name) {
    if (!c) return NULL;
    int i = lookup(c, name, "");
    return i < 0 ? NULL : c->config->value[i];
}

const char *th_config_name(int i, const char **doc, const char **deflt) {
    if (i < 0 || i >= FLAGS) return NULL;
    if (doc) *doc = flag[i].doc;
    if (deflt) *deflt = flag[i].deflt;
    return flag[i].name;
}

const char *th_config_allowed(int i) {
    if (i < 0 || i >= FLAGS) return NULL;
    return flag[i].type == BOOL ? "true,false" : flag[i].type == INT ? "an integer" : flag[i].allowed;
}

/* ---- texts and files --------------------------------------------------------------------------------------------- */
/* Values are collected here and put into the context only when all of them are good. */
typedef struct {
    ThContext *c;
    struct Config next;
} Change;

/* The text between p and end without blanks around it, interned. */
static const char *trimmed(ThContext *c, const char *p, const char *end) {
    while (p < end && char_is_space(*p)) p++;
    while (end > p && char_is_space(end[-1])) end--;
    return intern_n(c, p, (size_t)(end - p));
}

/* "name = value" between p and end; the section (or NULL) stands before the name. */
static bool assign(Change *to, const char *section, const char *p, const char *end, const char *where) {
    ThContext *c = to->c;
    const char *eq = memchr(p, '=', (size_t)(end - p));
    if (!eq)
        return err(c, TH_ValueError, "%sexpected name=value, got '%.*s'", where, end - p > 100 ? 100 : (int)(end - p),
                   p);
    const char *name = trimmed(c, p, eq), *value = trimmed(c, eq + 1, end);
    if (!name || !value) return false;
    Text full;
    text_init(&full, c);
    if (section && strcmp(section, "global")) text_printf(&full, "%s.", section);
    text_put(&full, name);
    int i = full.failed ? -1 : lookup(c, full.at, where);
    text_free(&full);
    if (i >= 0) to->next.value[i] = check(c, &flag[i], value, where);
    if (i < 0 || !to->next.value[i] || !in_time(c, &flag[i], c->config->value[i], to->next.value[i])) return false;
    tell_idle(c, &flag[i], to->next.value[i]);
    return true;
}

int th_config_parse(ThContext *c, const char *flags) {
    if (!c || !open_to(c)) return -1;
    Change change = {c, *c->config};
    for (const char *p = flags ? flags : ""; *p;) {
        const char *end = p + strcspn(p, ",");
        const char *word = p + strspn(p, " \t\r\n");
        if (word < end && !assign(&change, NULL, word, end, "THEANO_FLAGS: ")) return -1;
        p = end + (*end == ',');
    }
    *c->config = change.next;
    c->config->turn++;
    return 0;
}

/* One line of an ini file: blank, comment, [section] or name = value. *section is kept between lines. */
static bool ini_line(Change *to, const char **section, const char *p, const char *where) {
    const char *end = p + strlen(p);
    while (char_is_space(*p)) p++;
    while (end > p && char_is_space(end[-1])) end--;
    if (p == end || *p == '#' || *p == ';') return true;
    if (*p != '[') return assign(to, *section, p, end, where);
    if (end[-1] != ']') return err(to->c, TH_ValueError, "%sa section ends with ']'", where);
    *section = trimmed(to->c, p + 1, end - 1);
    return *section != NULL;
}

/* Lines of a file, or of the bytes that the host gave instead. */
typedef struct Lines {
    FILE *f;
    const char *at, *end;
} Lines;

/* As fgets. */
static bool next_line(Lines *l, char *to, size_t size) {
    if (l->f) return fgets(to, (int)size, l->f);
    size_t n = 0;
    while (n < size - 1 && l->at < l->end && (!n || to[n - 1] != '\n')) to[n++] = *l->at++;
    to[n] = 0;
    return n;
}

static bool open_lines(ThContext *c, const char *path, FileAt *at, Lines *l) {
    *l = (Lines){NULL, NULL, NULL};
    if (!ctx_file(c, 'r', path, at)) return false;
    if (at->by.bytes) l->at = at->by.bytes, l->end = l->at + at->by.nbytes;
    else l->f = fopen(at->path, "r");
    return true;
}

int th_config_read(ThContext *c, const char *path) {
    FileAt at;
    Lines f;
    if (!c || !open_to(c)) return -1;
    if (!path) return 0;
    if (!open_lines(c, path, &at, &f)) return -1;
    if (!f.f && !f.at) return 0;
    Change change = {c, *c->config};
    const char *section = NULL;
    char line[4096], where[600];
    bool ok = true;
    for (int n = 1; ok && next_line(&f, line, sizeof line); n++) {
        snprintf(where, sizeof where, "%.500s:%d: ", path, n);
        if (strlen(line) == sizeof line - 1 && line[sizeof line - 2] != '\n')
            ok = err(c, TH_ValueError, "%sline is too long", where);
        else ok = ini_line(&change, &section, line, where);
    }
    if (ok && f.f && ferror(f.f)) ok = err(c, TH_IOError, "cannot read %s", path);
    if (f.f) fclose(f.f);
    ctx_file_done(&at.by);
    if (ok) *c->config = change.next;
    c->config->turn += ok;
    return ok ? 0 : -1;
}

/* ---- defaults ---------------------------------------------------------------------------------------------------- */
static const char *first_compiler(ThContext *c) {
    static const char *const name[] = {"gcc", "cc", "clang"};
    char path[TRUSTED_PATH];
    for (int i = 0; i < TH_LEN(name); i++)
        if (TH_COMPILER && trusted_program(c, name[i], path)) return name[i];
    return "";
}

/* ~/.theano, or a directory of this user's under the temporary one. */
static void default_compiledir(const ThContext *c, char *out, size_t size) {
    const char *home = ctx_env(c, "HOME"), *tmp = ctx_env(c, "TMPDIR");
    if (home && *home) snprintf(out, size, "%s/.theano", home);
    else snprintf(out, size, "%s/theano-%ld", tmp && *tmp ? tmp : "/tmp", trusted_user());
}

bool config_init(ThContext *c) {
    char dir[4096];
    c->config = ctx_alloc0(c, sizeof *c->config);
    if (!c->config) return false;
    default_compiledir(c, dir, sizeof dir);
    for (int i = 0; i < FLAGS; i++) {
        const char *v = flag[i].deflt;
        if (!strcmp(flag[i].name, "cxx")) v = first_compiler(c);
        if (!strcmp(flag[i].name, "base_compiledir")) v = dir;
        c->config->value[i] = intern(c, v);
        if (!c->config->value[i]) return false;
    }
    return true;
}

void config_free(ThContext *c) {
    ctx_free(c, c->config, sizeof *c->config);
    c->config = NULL;
}

/* ---- for the other folders: the name must be in the table -------------------------------------------------------- */
const char *config_str(ThContext *c, const char *name) {
    int i = find(name);
    return i < 0 ? "" : c->config->value[i];
}

bool config_bool(ThContext *c, const char *name) { return !strcmp(config_str(c, name), "true"); }
int64_t config_int(ThContext *c, const char *name) { return strtoll(config_str(c, name), NULL, 10); }
bool config_numpy_casts(ThContext *c) { return strcmp(config_str(c, "cast_policy"), "custom") != 0; }
uint64_t config_turn(const ThContext *c) { return c->config->turn; }
ThDtype config_floatX(ThContext *c) { return th_dtype_from_name(config_str(c, "floatX")); }
