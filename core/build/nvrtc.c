/*
 * nvrtc.c -- NVIDIA's run-time compiler, opened when first asked for: by its name, then in $CUDA_HOME and the usual
 * place. In: the text of kernels and an architecture. Out: whether it compiles, with the log. Needs no GPU and no
 * driver. The library stays open; a context remembers what it found.
 */
#include "build.h"
#include "runtime/frame/backend.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Nvrtc {
    void *handle;
    int (*create)(void **program, const char *text, const char *name, int n, const char *const *headers,
                  const char *const *names);
    int (*compile)(void *program, int n, const char *const *options);
    int (*log_size)(void *program, size_t *n);
    int (*log)(void *program, char *text);
    int (*destroy)(void **program);
    int (*image_size)(void *program, size_t *n);
    int (*image)(void *program, char *to);
} Nvrtc;

static void release(ThContext *c, void *p) { ctx_free(c, p, sizeof(Nvrtc)); }

static void *find(void) {
    static const char *const name[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    const char *home = getenv("CUDA_HOME");
    const char *const folder[] = {"", home && *home ? home : NULL, "/usr/local/cuda"};
    for (int f = 0; f < TH_LEN(folder); f++)
        for (int i = 0; i < TH_LEN(name); i++) {
            char path[1024];
            if (!folder[f]) continue;
            int n = snprintf(path, sizeof path, "%s%s%s", folder[f], *folder[f] ? "/lib64/" : "", name[i]);
            void *h = n < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
            if (h) return h;
        }
    return NULL;
}

static bool take(const Nvrtc *n, const char *name, void *to) {
    void *p = dlsym(n->handle, name);
    memcpy(to, &p, sizeof p);
    return p;
}

static Nvrtc *nvrtc(ThContext *c) {
    Nvrtc *n = c->slot[CTX_BACKEND_CUDA];
    if (n) return n;
    n = ctx_alloc0(c, sizeof *n);
    if (!n) return NULL;
    c->slot[CTX_BACKEND_CUDA] = n;
    c->slot_free[CTX_BACKEND_CUDA] = release;
    n->handle = find();
    bool good = n->handle && take(n, "nvrtcCreateProgram", &n->create) && take(n, "nvrtcCompileProgram", &n->compile) &&
                take(n, "nvrtcGetProgramLogSize", &n->log_size) && take(n, "nvrtcGetProgramLog", &n->log) &&
                take(n, "nvrtcDestroyProgram", &n->destroy) && take(n, "nvrtcGetCUBINSize", &n->image_size) &&
                take(n, "nvrtcGetCUBIN", &n->image);
    if (!good) n->create = NULL;
    return n;
}

static void refuse(ThContext *c, const Nvrtc *n, void *program, const char *arch) {
    size_t size = 0;
    char *log = n->log_size(program, &size) == 0 && size > 0 ? ctx_alloc0(c, size + 1) : NULL;
    if (log) n->log(program, log);
    err(c, TH_CompileError, "NVRTC does not compile this text for %s:\n%.3000s", arch, log ? log : "(no log)");
    ctx_free(c, log, size + 1);
}

/* The compiled program; NULL with the error set. */
static void *compile(ThContext *c, const Nvrtc *n, const char *text, const char *arch) {
    char option[64];
    void *program = NULL;
    snprintf(option, sizeof option, "--gpu-architecture=%s", arch);
    const char *const options[] = {option, "--fmad=false", "--std=c++17"};
    if (n->create(&program, text, "theano.cu", 0, NULL, NULL)) {
        err(c, TH_CompileError, "NVRTC cannot make a program");
        return NULL;
    }
    if (!n->compile(program, TH_LEN(options), options)) return program;
    refuse(c, n, program, arch);
    n->destroy(&program);
    return NULL;
}

int cuda_compile_check(ThContext *c, const char *text, const char *arch) {
    const Nvrtc *n = nvrtc(c);
    if (!n) return 2;
    if (!n->create) return 1;
    void *program = compile(c, n, text, arch);
    if (!program) return 2;
    n->destroy(&program);
    return 0;
}

char *nvrtc_image(ThContext *c, const char *text, const char *arch, size_t *bytes) {
    const Nvrtc *n = nvrtc(c);
    if (!n) return NULL;
    if (!n->create) {
        ctx_log(c,
                "theano: NVRTC (libnvrtc.so of CUDA 12 or 13) is not found: install the CUDA toolkit's nvrtc, or set "
                "CUDA_HOME; this function runs on the CPU");
        return NULL;
    }
    void *program = compile(c, n, text, arch);
    if (!program) return NULL;
    char *image = !n->image_size(program, bytes) && *bytes ? ctx_alloc(c, *bytes) : NULL;
    if (image && n->image(program, image)) {
        ctx_free(c, image, *bytes);
        image = NULL;
        err(c, TH_CompileError, "NVRTC does not give what it compiled");
    }
    n->destroy(&program);
    return image;
}
