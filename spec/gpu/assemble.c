/*
 * assemble.c -- kernels' texts through NVRTC and its assembler, without a GPU: for each line "ARCH FILE" of standard
 * input the word "made", "refused" or "none" (no NVRTC), then what was said, then a line "==". With the argument
 * `images` what was made is kept as FILE.ARCH.cubin.
 */
#include "build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *whole(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (f && !fseek(f, 0, SEEK_END)) {
        long n = ftell(f);
        text = n >= 0 ? calloc((size_t)n + 1, 1) : NULL;
        rewind(f);
        if (text && fread(text, 1, (size_t)n, f) != (size_t)n) text[0] = 0;
    }
    if (f) fclose(f);
    return text;
}

static bool keep(const char *file, const char *arch, const char *image, size_t n) {
    char path[1100];
    snprintf(path, sizeof path, "%s.%s.cubin", file, arch);
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(image, 1, n, f) == n;
    return f && !fclose(f) && good;
}

static void one(ThContext *c, const char *arch, const char *file, bool images) {
    size_t n = 0;
    char *text = whole(file), *log = NULL, *image = text ? nvrtc_image(c, NULL, text, arch, &n, &log) : NULL;
    if (!text) printf("refused\n%s cannot be read\n", file);
    else if (!image) printf(th_error(c) ? "refused\n%s\n" : "none\n%s\n", th_error_text(c) ? th_error_text(c) : "");
    else if (images && !keep(file, arch, image, n)) printf("refused\n%s's image cannot be written\n", file);
    else printf("made\n%s\n", log ? log : "");
    printf("==\n");
    th_error_clear(c);
    th_free(c, log);
    ctx_free(c, image, n);
    free(text);
}

static void quiet(void *user, const char *text) { (void)user, (void)text; }

int main(int argc, char **argv) {
    ThHost h = {.log = quiet};
    ThContext *c = th_context_new(&h);
    char arch[16], file[1024];
    while (c && scanf("%15s %1023[^\n]", arch, file) == 2) one(c, arch, file, argc > 1 && !strcmp(argv[1], "images"));
    th_context_release(c);
    return c ? 0 : 1;
}
