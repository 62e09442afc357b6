/*
 * compiler.c -- NVRTC without a toolkit: the text of kernels becomes a shared object of the C compiler, which the
 * emulated driver loads as it would a cubin. In: CUDA's text in the words that words.c knows; every kernel begins a
 * line with `KERNEL name(const Type a)`. Out: beside each kernel what cuModuleGetFunction looks for.
 */
#define _GNU_SOURCE
#include "emulated.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { NVRTC_OK = 0, NVRTC_NO_MEMORY = 1, NVRTC_BAD_INPUT = 3, NVRTC_REFUSED = 6 };

extern char **environ;

typedef struct Program {
    char *text, *log, *image;
    size_t log_bytes, image_bytes;
} Program;

/* ---- the text ---------------------------------------------------------------------------------------------------- */
/* One kernel's entries: it has fibers when it has shared memory or barriers of its own; together: its blocks wait for
 * each other. */
static void entries(FILE *out, const char *name, int n, const char *type, int m, bool barriers, bool together) {
    fprintf(out, "static void run_%.*s(const void *a) { %.*s(*(const %.*s *)a); }\n", n, name, n, name, m, type);
    fprintf(out,
            "SEEN int %.*s_run(const void *a, i64 blocks, int threads) {\n"
            "    return emu_launch(run_%.*s, a, blocks, threads, %d);\n}\n",
            n, name, n, name, barriers);
    if (together)
        fprintf(out,
                "SEEN int %.*s_together(const void *a, i64 blocks, int threads) {\n"
                "    return emu_launch_together(run_%.*s, a, blocks, threads);\n}\n",
                n, name, n, name);
    fprintf(out, "SEEN const unsigned %.*s_bytes = sizeof(%.*s);\n", n, name, m, type);
}

/* What stands after a word's letters. */
static const char *word_end(const char *p) {
    while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_') p++;
    return p;
}

/* A kernel's body has the word: it goes from the first brace to its end. */
static bool within(const char *from, const char *word) {
    const char *p = strchr(from, '{');
    int depth = 0;
    size_t n = strlen(word);
    for (; p && *p; p++) {
        depth += (*p == '{') - (*p == '}');
        if (!depth) return false;
        if (!strncmp(p, word, n)) return true;
    }
    return false;
}

/* Every `KERNEL name(const Type ` of the text. */
static void all_entries(FILE *out, const char *text) {
    static const char mark[] = "KERNEL ", takes[] = "(const ";
    for (const char *k = strstr(text, mark); k; k = strstr(k + 1, mark)) {
        const char *name = k + strlen(mark), *open = word_end(name), *type = open + strlen(takes);
        if (open == name || strncmp(open, takes, strlen(takes))) continue;
        bool barriers = within(type, "SHARED") || within(type, "__sync");
        entries(out, name, (int)(open - name), type, (int)(word_end(type) - type), barriers, within(type, "grid_wait"));
    }
}

/* What specs ask for: with this word in the environment a line that has it is no C. */
static void put_text(FILE *out, const char *text) {
    const char *refused = getenv("CUDA_EMULATED_REFUSE"), *at = refused ? strstr(text, refused) : NULL;
    if (at) fprintf(out, "%.*s refused by a spec %s\n", (int)(at - text), text, at);
    else fprintf(out, "%s\n", text);
}

static bool write_text(const Program *p, const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out && fd >= 0) close(fd);
    if (!out) return false;
    fputs(compiler_words, out);
    fputs("#line 1 \"theano.cu\"\n", out);
    put_text(out, p->text);
    all_entries(out, p->text);
    bool bad = ferror(out);
    return !fclose(out) && !bad;
}

/* ---- the compiler ------------------------------------------------------------------------------------------------ */
/* NUL-terminated; NULL when it cannot be read. */
static char *read_file(const char *path, size_t *n) {
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *p = fd >= 0 && !fstat(fd, &s) ? malloc((size_t)s.st_size + 1) : NULL;
    *n = 0;
    for (ssize_t got = 1; p && got > 0 && *n < (size_t)s.st_size; *n += (size_t)got) {
        got = read(fd, p + *n, (size_t)s.st_size - *n);
        if (got < 0) break;
    }
    if (p) p[*n] = 0;
    if (fd >= 0) close(fd);
    return p;
}

/* Of a long text compiling takes most of the time, and half as much without optimization; of a short one running. */
static const char *level(const Program *p) { return strlen(p->text) > 30000 ? "-O0" : "-Og"; }

/* 0 when it compiled; what it printed goes to the file `log`. */
static int run_compiler(const char *in, const char *out, const char *log, const char *optimize) {
    static const char *const name[] = {"gcc", "cc", "clang"};
    posix_spawn_file_actions_t to_log;
    int bad = ENOENT, status = -1;
    pid_t pid;
    const char *fma = __builtin_cpu_supports("fma") ? "-mfma" : "-w"; /* else it is a call of libm */
    if (posix_spawn_file_actions_init(&to_log)) return -1;
    posix_spawn_file_actions_addopen(&to_log, 1, log, O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&to_log, 1, 2);
    for (int i = 0; i < 3 && bad; i++) {
        const char *const argv[] = {name[i],
                                    "-std=gnu11",
                                    optimize,
                                    "-fPIC",
                                    "-shared",
                                    "-fwrapv",
                                    "-w",
                                    "-fno-strict-aliasing",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    fma,
                                    "-o",
                                    out,
                                    in,
                                    "-lm",
                                    NULL};
        bad = posix_spawnp(&pid, name[i], &to_log, NULL, (char **)(uintptr_t)argv, environ);
    }
    posix_spawn_file_actions_destroy(&to_log);
    while (!bad && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return bad ? -1 : status;
}

static void say(Program *p, const char *text) {
    free(p->log);
    p->log = strdup(text);
    p->log_bytes = p->log ? strlen(text) : 0;
}

static int compile_in(Program *p, const char *folder) {
    char in[160], out[160], log[160];
    snprintf(in, sizeof in, "%s/k.c", folder);
    snprintf(out, sizeof out, "%s/k.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    int rc = write_text(p, in) ? run_compiler(in, out, log, level(p)) : -1;
    if (rc < 0) say(p, "the emulated compiler needs gcc, cc or clang, and a folder for its files");
    else {
        free(p->log);
        p->log = read_file(log, &p->log_bytes);
    }
    free(p->image);
    p->image = rc ? NULL : read_file(out, &p->image_bytes);
    unlink(in);
    unlink(out);
    unlink(log);
    return p->image ? NVRTC_OK : NVRTC_REFUSED;
}

/* ---- the entry points -------------------------------------------------------------------------------------------- */
/* Counted, and made to fail, as those of the driver are; compilers of several threads run at once. */
static int count(const char *name) {
    int code = entry_begin(name, false);
    entry_end();
    return code == NOT_STARTED ? OK : code;
}

EXPORT int nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return NVRTC_OK;
}

EXPORT int nvrtcCreateProgram(Program **p, const char *text, const char *name, int n, const char *const *headers,
                              const char *const *names) {
    (void)name, (void)headers, (void)names;
    int code = count(__func__);
    *p = NULL;
    if (code || n) return code ? code : NVRTC_BAD_INPUT;
    *p = calloc(1, sizeof **p);
    if (!*p || !((*p)->text = strdup(text))) {
        free(*p);
        *p = NULL;
        return NVRTC_NO_MEMORY;
    }
    return NVRTC_OK;
}

EXPORT int nvrtcCompileProgram(Program *p, int n, const char *const *options) {
    (void)n, (void)options;
    char folder[128];
    const char *tmp = getenv("TMPDIR");
    int code = count(__func__);
    if (code) return code;
    snprintf(folder, sizeof folder, "%.80s/emulated-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) {
        say(p, "there is no folder for temporary files");
        return NVRTC_REFUSED;
    }
    code = compile_in(p, folder);
    rmdir(folder);
    return code;
}

EXPORT int nvrtcGetProgramLogSize(Program *p, size_t *n) {
    *n = p->log_bytes + 1;
    return NVRTC_OK;
}

EXPORT int nvrtcGetProgramLog(Program *p, char *to) {
    if (p->log_bytes) memcpy(to, p->log, p->log_bytes);
    to[p->log_bytes] = 0;
    return NVRTC_OK;
}

EXPORT int nvrtcGetCUBINSize(Program *p, size_t *n) {
    int code = count(__func__);
    *n = code ? 0 : p->image_bytes;
    return code;
}

EXPORT int nvrtcGetCUBIN(Program *p, char *to) {
    int code = count(__func__);
    if (!code && p->image) memcpy(to, p->image, p->image_bytes);
    return code;
}

EXPORT int nvrtcDestroyProgram(Program **p) {
    if (*p) {
        free((*p)->text);
        free((*p)->log);
        free((*p)->image);
        free(*p);
    }
    *p = NULL;
    return NVRTC_OK;
}
