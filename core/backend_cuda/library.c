/*
 * library.c -- kernels that are no plan's (core/runtime/gpu) as what a device's driver loads: their text behind the
 * prelude, and for the emulated driver a function around each.
 */
#include "build/build.h"
#include "cuda.h"

static void records(Text *t, const CudaEntry *k, int n) { /* both sides mean the same record */
    for (int i = 0; i < n; i++)
        text_printf(t, "typedef char size_of_%s[sizeof(%s) == %u ? 1 : -1];\n", k[i].name, k[i].args, k[i].bytes);
}

static void entries(Text *t, const CudaEntry *k, int n) {
    for (int i = 0; i < n; i++) cuda_entry(t, k[i].name, k[i].args, k[i].barriers);
    cuda_module(t);
}

bool cuda_library_text(Text *t, const char *title, const char *text, const CudaEntry *k, int n, bool emulated) {
    text_printf(t, "/* %s: theano %s */\n", title, th_version());
    if (emulated) text_put(t, prelude_c), text_put(t, cuda_emulation);
    text_put(t, cuda_prelude);
    text_put(t, text);
    records(t, k, n);
    if (emulated) entries(t, k, n);
    return !t->failed;
}

char *cuda_library(ThContext *c, const char *title, const char *text, const CudaEntry *k, int n, const char *arch,
                   size_t *bytes) {
    Text t;
    char *image = NULL;
    text_init(&t, c);
    if (cuda_library_text(&t, title, text, k, n, !arch))
        image = arch ? nvrtc_image(c, t.at, arch, bytes, NULL) : build_image(c, t.at, bytes);
    text_free(&t);
    return image;
}
