/*
 * common.c -- part of the build: from the texts of functions (scripts/common) to C files that hold their kernels, each
 * once, with their keys (core/build/common.h).
 *
 *   common_kernels FOLDER FILES WIDTH ...     FOLDER/WIDTH -> FOLDER/common_WIDTH_0.c .. (FILES of them), common_sets.c
 *
 * A function has a file of its own, as the head of its text is its own. What would not change is not written, so that
 * nothing is compiled again.
 */
#include "build/common.h"
#include "text/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 1000000 }; /* numbers of our kernels: those without loops, in the head, keep theirs */
#define FUNCTION "/* ==== function ==== */"

typedef struct Key {
    uint64_t key[2];
    int number;
} Key;

static _Noreturn void stop(const char *what, const char *name) {
    fprintf(stderr, "common_kernels: %s %s\n", what, name);
    exit(1);
}

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    char *at = NULL;
    size_t n = 0, room = 0;
    if (!f) return NULL;
    do {
        room = room ? room * 2 : 1 << 16;
        at = realloc(at, room);
        if (!at) stop("no memory for", path);
        n += fread(at + n, 1, room - 1 - n, f);
    } while (n == room - 1);
    fclose(f);
    at[n] = 0;
    return at;
}

static void write_file(const char *path, Text *t) {
    char *text = text_take(t), *before = read_file(path);
    if (!text) stop("no memory for", path);
    if (!before || strcmp(text, before) != 0) {
        FILE *f = fopen(path, "wb");
        if (!f || fputs(text, f) < 0 || fclose(f)) stop("cannot write", path);
    }
    free(before);
    th_free(t->c, text);
}

static int by_key(const void *a, const void *b) {
    const Key *x = a, *y = b;
    for (int i = 0; i < 2; i++)
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

static void put_kernel(Text *t, const char *canonical, int number) {
    for (const char *p = canonical; *p; p++) {
        if (*p == COMMON_NUMBER) text_printf(t, "%d", number);
        else text_putc(t, *p);
    }
}

static void put_table(Text *t, const char *width, int file, Key *key, int n) {
    qsort(key, (size_t)n, sizeof *key, by_key);
    text_put(t, "typedef struct { u64 key[2]; int (*run)(Frame *, char *const *, const i64 *, const Cell *, int); } "
                "Common;\n");
    text_printf(t, "const Common common_%s_%d[] = {\n", width, file);
    for (int i = 0; i < n; i++)
        text_printf(t, "    {{0x%llxul, 0x%llxul}, kernel_%d},\n", (unsigned long long)key[i].key[0],
                    (unsigned long long)key[i].key[1], key[i].number);
    text_put(t, "};\n");
}

/* The kernels of one function that no earlier one had; how many. */
static int function(ThContext *c, Text *t, const char *text, Map *have, const char *width, int file) {
    const char *first = parts_line(text, PART_KERNEL), *rest = first ? parts_line(first, PART_REST) : NULL;
    static Key key[4096];
    int n = 0;
    if (!rest) return 0;
    text_put_n(t, text, (size_t)(first - text));
    for (const char *p = first, *next; p && p < rest; p = next) {
        uint32_t was;
        next = parts_line(p + 1, PART_KERNEL);
        if (!next || next > rest) next = rest;
        char *canonical = common_canonical(c, p, (size_t)(next - p));
        if (n == TH_LEN(key) || !canonical || !common_key(c, p, (size_t)(next - p), key[n].key))
            stop("too much in", width);
        if (!map_get(have, key[n].key[1], &was)) {
            map_put(c, have, key[n].key[1], 1);
            key[n].number = FIRST + n;
            put_kernel(t, canonical, key[n++].number);
        }
        th_free(c, canonical);
    }
    if (n) put_table(t, width, file, key, n);
    return n;
}

static void width_files(ThContext *c, Text *sets, const char *folder, int files, const char *width) {
    char path[4096];
    Map have = {0};
    int file = 0, kernels = 0;
    Text groups, t;
    snprintf(path, sizeof path, "%s/%s", folder, width);
    char *texts = read_file(path);
    if (!texts) stop("cannot read", path);
    text_init(&groups, c);
    for (char *p = strstr(texts, FUNCTION), *next; p; p = next) {
        next = strstr(p + 1, FUNCTION);
        if (next) next[-1] = 0;
        text_init(&t, c);
        int n = function(c, &t, p + sizeof FUNCTION, &have, width, file);
        if (n && file == files) stop("more functions than files (TH_COMMON_FILES) for", width);
        if (n) {
            snprintf(path, sizeof path, "%s/common_%s_%d.c", folder, width, file);
            write_file(path, &t);
            text_printf(sets, "extern const CommonKernel common_%s_%d[];\n", width, file);
            text_printf(&groups, "    {common_%s_%d, %d},\n", width, file++, n);
        } else text_free(&t);
        kernels += n;
    }
    text_printf(sets, "static const CommonGroup groups_%s[] = {\n%s};\n", width,
                groups.at ? groups.at : "    {0, 0},\n");
    text_printf(sets, "const CommonSet theano_common_%s = {groups_%s, %d}; /* %d kernels */\n", width, width, file,
                kernels);
    for (; file < files; file++) {
        text_init(&t, c);
        text_put(&t, "/* none */\n");
        snprintf(path, sizeof path, "%s/common_%s_%d.c", folder, width, file);
        write_file(path, &t);
    }
    text_free(&groups);
    map_free(c, &have);
    free(texts);
}

int main(int argc, char **argv) {
    ThContext *c = th_context_new(NULL);
    char path[4096];
    Text sets;
    if (!c || argc < 4) stop("usage: common_kernels FOLDER FILES WIDTH", "...");
    text_init(&sets, c);
    text_put(
        &sets,
        "#include \"build/common.h\"\nextern const CommonSet theano_common_16, theano_common_32, theano_common_64;\n");
    for (int i = 3; i < argc; i++) width_files(c, &sets, argv[1], atoi(argv[2]), argv[i]);
    snprintf(path, sizeof path, "%s/common_sets.c", argv[1]);
    write_file(path, &sets);
    th_context_release(c);
    return 0;
}
