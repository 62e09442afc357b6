/*
 * nvrtc.c -- NVIDIA's run-time compiler. In: the text of kernels and an architecture. Out: whether it compiles, with
 * the log, and what it compiled. Needs no GPU and no driver.
 */
#define _GNU_SOURCE /* dladdr */
#include "build.h"
#include "runtime/device/library.h"
#include "runtime/frame/backend.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* clang-format off */
#define NVRTC(X)                                                                                                       \
    X(int, version, "nvrtcVersion", (int *major, int *minor))                                                          \
    X(int, create, "nvrtcCreateProgram",                                                                               \
      (void **program, const char *text, const char *name, int n, const char *const *headers,                          \
       const char *const *names))                                                                                      \
    X(int, compile, "nvrtcCompileProgram", (void *program, int n, const char *const *options))                         \
    X(int, log_size, "nvrtcGetProgramLogSize", (void *program, size_t *n))                                             \
    X(int, log, "nvrtcGetProgramLog", (void *program, char *text))                                                     \
    X(int, destroy, "nvrtcDestroyProgram", (void **program))                                                           \
    X(int, image_size, "nvrtcGetCUBINSize", (void *program, size_t *n))                                                \
    X(int, image, "nvrtcGetCUBIN", (void *program, char *to))
/* clang-format on */
LIBRARY_TABLE(Nvrtc, nvrtc_table, LIBRARY_NVRTC, NVRTC)

#define NVRTC_FLAGS "--fmad=false", "--std=c++17"

/* Of the device's driver; NULL: after a log line (no device: without), or with the error set. */
static const Nvrtc *find(ThContext *c, const Device *d) {
    const char *why;
    const Nvrtc *n = device_library(c, d, &nvrtc_table, &why);
    if (n || !why || !d) return n;
    if (config_bool(c, "force_device")) err(c, TH_GpuError, "device=cuda with force_device: %s", why);
    else if (!c->told_device) ctx_log(c, "theano: %s; functions run on the CPU", why);
    c->told_device = true;
    return NULL;
}

bool cuda_compiler(ThContext *c, const Device *d) { return find(c, d) != NULL; }

bool nvrtc_identity(ThContext *c, const Device *d, Text *t) {
    const Nvrtc *n = find(c, d);
    int major = 0, minor = 0;
    void *at;
    Dl_info where = {0};
    struct stat s = {0};
    if (!n || n->version(&major, &minor)) return false;
    memcpy(&at, &n->version, sizeof at); /* ISO C has no cast from a function's address */
    if (!dladdr(at, &where) || !where.dli_fname || stat(where.dli_fname, &s)) where.dli_fname = "";
    static const char *const flags[] = {NVRTC_FLAGS};
    for (int i = 0; i < TH_LEN(flags); i++) text_printf(t, "%s|", flags[i]);
    text_printf(t, "%d.%d|%s|%lld|%lld.%ld", major, minor, where.dli_fname, (long long)s.st_size,
                (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    return !t->failed;
}

/* What the compiler said, to be freed by th_free; NULL where there is no memory. */
static char *log_of(ThContext *c, const Nvrtc *n, void *program) {
    size_t size = 0;
    Text t;
    text_init(&t, c);
    char *room = n->log_size(program, &size) == 0 && size > 0 ? ctx_alloc0(c, size + 1) : NULL;
    if (room && n->log(program, room) == 0) text_put(&t, room);
    ctx_free(c, room, size + 1);
    return text_take(&t);
}

static void refuse(ThContext *c, const Nvrtc *n, void *program, const char *arch) {
    char *log = log_of(c, n, program);
    err(c, TH_CompileError, "NVRTC does not compile this text for %s:\n%.3000s", arch, log ? log : "(no log)");
    th_free(c, log);
}

/* The compiled program; NULL with the error set. figures: what each kernel takes goes to the log. */
static void *compile(ThContext *c, const Nvrtc *n, const char *text, const char *arch, bool figures) {
    char option[64];
    void *program = NULL;
    snprintf(option, sizeof option, "--gpu-architecture=%s", arch);
    const char *const options[] = {option, NVRTC_FLAGS, "--ptxas-options=-v"};
    if (n->create(&program, text, "theano.cu", 0, NULL, NULL)) {
        err(c, TH_CompileError, "NVRTC cannot make a program");
        return NULL;
    }
    if (!n->compile(program, TH_LEN(options) - !figures, options)) return program;
    refuse(c, n, program, arch);
    n->destroy(&program);
    return NULL;
}

int cuda_compile_check(ThContext *c, const char *text, const char *arch) {
    const char *why;
    const Nvrtc *n = device_library(c, NULL, &nvrtc_table, &why);
    if (!n) return why ? 1 : 2;
    void *program = compile(c, n, text, arch, false);
    if (!program) return 2;
    n->destroy(&program);
    return 0;
}

char *nvrtc_image(ThContext *c, const Device *d, const char *text, const char *arch, size_t *bytes, char **log) {
    const Nvrtc *n = find(c, d);
    if (!n) return NULL;
    void *program = compile(c, n, text, arch, log != NULL);
    if (!program) return NULL;
    if (log) *log = log_of(c, n, program);
    char *image = !n->image_size(program, bytes) && *bytes ? ctx_alloc(c, *bytes) : NULL;
    if (image && n->image(program, image)) {
        ctx_free(c, image, *bytes);
        image = NULL;
        err(c, TH_CompileError, "NVRTC does not give what it compiled");
    }
    n->destroy(&program);
    return image;
}

char *cuda_assemble(ThContext *c, const char *text, const char *arch, size_t *bytes, char **log) {
    *log = NULL;
    return nvrtc_image(c, NULL, text, arch, bytes, log);
}
