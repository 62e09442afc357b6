/*
 * draw.c -- pictures of graphs: one run of Graphviz's dot. In: a file with a graph in dot's language. Out: a picture in
 * another file, or an error that says what is missing. Started as compilers are (child.c): without a shell, in a
 * process group of its own, ended by an interruption and at its time.
 */
#include "build.h"

#include <string.h>

static char *word(const char *s) { return (char *)(uintptr_t)s; }

static bool is_format(const char *s) {
    size_t n = 0;
    while (char_is_digit(s[n]) || char_is_letter(s[n])) n++;
    return n > 0 && n < 32 && !s[n];
}

int th_graphviz(ThContext *c, const char *format, const char *in, const char *out) {
    char type[40] = "-T", said[BUILD_OUTPUT];
    if (!c) return -1;
    if (!format || !in || !out) return err_missing(c, __func__), -1;
    if (failed(c)) return -1;
    if (!is_format(format)) return err(c, TH_ValueError, "graphviz: '%s' is no format of dot", format), -1;
    if (*in == '-' || *out == '-') return err(c, TH_ValueError, "graphviz: a path begins with '-'"), -1;
    if (ctx_sealed(c)) return err(c, TH_RuntimeError, "graphviz: no program is started from here"), -1;
    Compiler k = {.c = c, .patience = (int64_t)600 * 1000000000};
    if (!trusted_program(c, "dot", k.path))
        return err(c, TH_RuntimeError,
                   "graphs are drawn by Graphviz's dot, which is not on PATH: install the package graphviz, or ask for "
                   "format = \"dot\", which writes what dot reads"),
               -1;
    char *argv[] = {k.path, strncat(type, format, sizeof type - 3), word("-o"), word(out), word(in), NULL};
    memcpy(k.argv, argv, sizeof argv);
    k.search = trusted_search(c);
    Child child;
    child_listen(&k, &child, said);
    int rc = child_wait(&k, &child, said);
    th_free(c, k.search);
    if (failed(c)) return -1;
    if (rc) {
        build_shorten(said);
        err(c, TH_RuntimeError, "dot could not draw the graph: %s", *said ? said : "it said nothing");
    }
    return rc ? -1 : 0;
}
