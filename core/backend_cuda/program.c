/*
 * program.c -- the kernels of a plan as what a device's driver loads, and how each is launched.
 */
#include "cuda.h"

#include <stdlib.h>
#include <string.h>

void cuda_program_free(GridProgram *g) {
    if (!g) return;
    if (g->arena) arena_free(g->arena);
    ctx_free(g->c, g, sizeof *g);
}

/* ---- a text that was refused ------------------------------------------------------------------------------------- */
/* The kernel that line `at` of the text (from 1) stands in; -1: none. */
static int kernel_at(const char *text, long at) {
    static const char mark[] = "KERNEL kernel_";
    int number = -1;
    for (const char *line = text; line && at > 0; at--) {
        if (!strncmp(line, mark, strlen(mark))) number = (int)strtol(line + strlen(mark), NULL, 10);
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return number;
}

/* The first line that the compiler names, "theano.cu(12)" or "theano.cu:12"; 0: none. */
static long first_line(const char *said) {
    const char *at = strstr(said, "theano.cu");
    return at ? strtol(at + strlen("theano.cu") + 1, NULL, 10) : 0;
}

/* What the kernel computes, and the user's line, behind the error. */
static void blame(const Plan *p, const char *text) {
    int number = kernel_at(text, first_line(th_error_text(p->ctx)));
    for (int i = 0; i < p->nstep && number >= 0; i++) {
        const Step *s = &p->step[i];
        if (s->kind != STEP_KERNEL || s->kernel != number || s->node < 0) continue;
        Text line;
        text_init(&line, p->ctx);
        prov_text(p->ctx, &line, p->node[s->node].prov);
        err_more(p->ctx, "\nIt is the kernel of %s%s%s", p->node[s->node].text ? p->node[s->node].text : "?",
                 line.n ? ", made at " : "", line.n ? line.at : "");
        text_free(&line);
        return;
    }
}

GridProgram *cuda_kernels(const Plan *p, char **source) {
    GridProgram *g = ctx_alloc0(p->ctx, sizeof *g);
    Emit e;
    Text t;
    *source = NULL;
    if (!g) return NULL;
    g->c = p->ctx;
    text_init(&t, p->ctx);
    bool ok = cuda_emit_begin(&e, p) && (g->kernel = cuda_emit_kernels(&e, g)) && cuda_emit_text(&t, &e, NULL);
    g->nkernel = p->nkernel;
    g->arena = e.arena; /* the kernels' Nests live there */
    e.arena = NULL;
    cuda_emit_end(&e);
    if (ok && (*source = text_take(&t))) return g;
    text_free(&t);
    cuda_program_free(g);
    return NULL;
}

GridProgram *cuda_program(const Plan *p, const struct Device *d, char **source) {
    GridProgram *g = cuda_kernels(p, source);
    if (!g) return NULL;
    if (cuda_compiler(p->ctx, d)) return g;
    th_free(p->ctx, *source);
    *source = NULL;
    cuda_program_free(g);
    return NULL;
}

char *cuda_image_of(const Plan *p, const struct Device *d, const char *text, size_t *bytes) {
    char *image = cuda_image(p->ctx, d, text, bytes);
    if (!image && th_error(p->ctx) == TH_CompileError) blame(p, text);
    return image;
}
