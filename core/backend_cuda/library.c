/*
 * library.c -- kernels that are no plan's (core/runtime/gpu) as what a device's driver loads: their text behind the
 * prelude.
 */
#include "cuda.h"

bool cuda_library_text(Text *t, const char *title, const char *text, const CudaEntry *k, int n) {
    text_printf(t, "/* %s: theano %s */\n", title, th_version());
    text_put(t, cuda_prelude);
    text_put(t, text);
    for (int i = 0; i < n; i++) /* both sides mean the same record */
        text_printf(t, "typedef char size_of_%s[sizeof(%s) == %u ? 1 : -1];\n", k[i].name, k[i].args, k[i].bytes);
    return !t->failed;
}

char *cuda_library(ThContext *c, const struct Device *d, const char *title, const char *text, const CudaEntry *k, int n,
                   size_t *bytes) {
    Text t;
    text_init(&t, c);
    char *image = cuda_library_text(&t, title, text, k, n) ? cuda_image(c, d, t.at, bytes) : NULL;
    text_free(&t);
    return image;
}
