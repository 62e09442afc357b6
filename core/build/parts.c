/*
 * parts.c -- a large unit is compiled by several processes at once (config compile.jobs).
 *
 * In: the text of a unit, whose kernels stand between marks (emit.h). Out: the same shared object that one compiler
 * makes of the whole text: the kernels are dealt out by length, the steps and what is exported stay in the first part,
 * each part has the head of the text (types, helpers), the linker joins them. Always holds: key, cache entry and what
 * a user sees are those of the whole text; kernels call nothing of each other, and no optimisation that changes bits is
 * on, so results do not depend on the number of parts. Where there is one processor the text stays whole.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "build.h"
#include "schedule/choose.h"
#include "text/emit.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Chunk {
    const char *at;
    size_t n;
    int kernel, part;
} Chunk;
typedef struct Part {
    char in[BUILD_PATH + 128], out[BUILD_PATH + 128];
    char said[BUILD_OUTPUT];
    Child child;
    size_t weight;
} Part;

static int processors(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set)) return 1;
    return CPU_COUNT(&set);
}

const char *parts_line(const char *text, const char *line) {
    for (const char *p = text; (p = strstr(p, line)); p++)
        if (p == text || p[-1] == '\n') return p;
    return NULL;
}

int parts_number(const char *mark) { return atoi(mark + sizeof PART_KERNEL - 1); }

int parts_wanted(const Build *b, const char *source) {
    int64_t most = config_int(b->c, "compile.jobs");
    const char *first = parts_line(source, PART_KERNEL), *rest = first ? parts_line(first, PART_REST) : NULL;
    if (!rest || most == 1 || most < 0) return 1;
    if (most == 0) most = processors();
    int worth = choose_parts((size_t)(rest - first));
    return most < worth ? (int)most : worth;
}

/* ---- cutting ----------------------------------------------------------------------------------------------------- */
/* The kernels' chunks; *rest: what stands behind. NULL without memory. */
static Chunk *chunks(ThContext *c, const char *first, int *n, const char **rest) {
    int count = 0;
    *rest = parts_line(first, PART_REST);
    for (const char *p = first; p && p < *rest; p = parts_line(p + 1, PART_KERNEL)) count++;
    Chunk *list = ctx_alloc(c, (size_t)count * sizeof *list);
    if (!list) return NULL;
    *n = 0;
    for (const char *p = first; *n < count; (*n)++) {
        const char *next = parts_line(p + 1, PART_KERNEL);
        if (!next || next > *rest) next = *rest;
        list[*n] = (Chunk){p, (size_t)(next - p), parts_number(p), 0};
        p = next;
    }
    return list;
}

static int longest_first(const void *a, const void *b) {
    const Chunk *x = a, *y = b;
    if (x->n != y->n) return x->n < y->n ? 1 : -1;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static void deal(Chunk *list, int n, Part *part, int nparts, size_t rest) {
    qsort(list, (size_t)n, sizeof *list, longest_first);
    part[0].weight = rest / 4; /* steps are calls: quickly compiled */
    for (int i = 0; i < n; i++) {
        int least = nparts - 1;
        for (int p = nparts - 1; p >= 0; p--)
            if (part[p].weight < part[least].weight) least = p;
        part[least].weight += list[i].n;
        list[i].part = least;
    }
}

static char *part_text(ThContext *c, const char *source, const Chunk *list, int n, const char *rest, int part) {
    Text t;
    text_init(&t, c);
    text_put(&t, "#define KERNEL __attribute__((visibility(\"hidden\")))\n");
    text_put_n(&t, source, (size_t)(parts_line(source, PART_KERNEL) - source));
    for (int i = 0; i < n; i++) {
        if (list[i].part == part) text_put_n(&t, list[i].at, list[i].n);
        else if (part == 0)
            text_printf(&t, "KERNEL int kernel_%d(Frame *, char *const *, const i64 *, const Cell *, int);\n",
                        list[i].kernel);
    }
    if (part == 0) text_put(&t, rest);
    return text_take(&t);
}

/* Writes the parts' texts aside, beside the whole one. */
static bool write_parts(Build *b, const Compiler *k, const BuildJob *j, const char *source, Part *part, int nparts) {
    int n;
    const char *rest;
    Chunk *list = chunks(b->c, parts_line(source, PART_KERNEL), &n, &rest);
    if (!list) return false;
    deal(list, n, part, nparts, strlen(rest));
    bool ok = true;
    for (int p = 0; p < nparts && ok; p++) {
        char *text = part_text(b->c, source, list, n, rest, p);
        snprintf(part[p].in, sizeof part[p].in, "%s-%d.c", j->in, p);
        snprintf(part[p].out, sizeof part[p].out, "%s-%d.o", j->in, p);
        const char *name = build_name(j->dir, part[p].in);
        unlinkat(j->dir->fd, name, 0);
        ok = text && build_write(j->dir, name, text, p ? NULL : k->key);
        th_free(b->c, text);
    }
    ctx_free(b->c, list, (size_t)n * sizeof *list);
    return ok;
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */
static char *word(const char *s) { return (char *)(uintptr_t)s; }

static void start_part(Compiler *k, Part *p) {
    int n = k->argc;
    k->argv[n++] = word("-c");
    k->argv[n++] = word("-o");
    k->argv[n++] = p->out;
    k->argv[n++] = p->in;
    k->argv[n] = NULL;
    child_listen(k, &p->child, p->said);
}

static int join(Compiler *k, const BuildJob *j, Part *part, int nparts, char said[BUILD_OUTPUT]) {
    int n = k->argc;
    Child ch;
    k->argv[n++] = word("-o");
    k->argv[n++] = word(j->out);
    for (int p = 0; p < nparts; p++) k->argv[n++] = part[p].out;
    k->argv[n++] = word("-lm");
    k->argv[n++] = word("-lc");
    k->argv[n] = NULL;
    child_listen(k, &ch, said);
    return child_wait(k, &ch, said);
}

int parts_build(Build *b, Compiler *k, const BuildJob *j, const char *source, int n, char said[BUILD_OUTPUT]) {
    Part *part = ctx_alloc0(b->c, (size_t)n * sizeof *part);
    int rc = PARTS_NOT;
    said[0] = 0;
    if (!part) return PARTS_NOT;
    bool wrote = write_parts(b, k, j, source, part, n);
    if (wrote) {
        for (int p = 0; p < n; p++) start_part(k, &part[p]);
        rc = 0;
        for (int p = 0; p < n; p++) {
            int ended = child_wait(k, &part[p].child, part[p].said);
            if (ended && !rc) memcpy(said, part[p].said, BUILD_OUTPUT);
            if (ended && !rc) rc = ended;
        }
    }
    if (!rc) rc = join(k, j, part, n, said);
    for (int p = 0; p < n; p++) {
        if (part[p].in[0]) unlinkat(j->dir->fd, build_name(j->dir, part[p].in), 0);
        if (part[p].out[0]) unlinkat(j->dir->fd, build_name(j->dir, part[p].out), 0);
    }
    ctx_free(b->c, part, (size_t)n * sizeof *part);
    return rc;
}
