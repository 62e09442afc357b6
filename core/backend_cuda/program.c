/*
 * program.c -- the kernels of a plan as what a device's driver loads, and how each is launched.
 */
#include "cuda.h"

void cuda_program_free(GridProgram *g) {
    if (!g) return;
    ctx_free(g->c, g->image, g->bytes);
    if (g->arena) arena_free(g->arena);
    ctx_free(g->c, g, sizeof *g);
}

GridProgram *cuda_program(const Plan *p, const struct Device *d, char **source) {
    GridProgram *g = ctx_alloc0(p->ctx, sizeof *g);
    Emit e;
    Text t;
    *source = NULL;
    if (!g) return NULL;
    g->c = p->ctx;
    text_init(&t, p->ctx);
    bool ok = cuda_emit_begin(&e, p) && (g->kernel = cuda_emit_kernels(&e)) && cuda_emit_text(&t, &e, NULL);
    g->nkernel = p->nkernel;
    for (int i = 0; ok && i < p->nkernel; i++) /* the host calls the library, and does what follows */
        if (g->kernel[i].nest && g->kernel[i].nest->grid == GRID_CALLS) g->kernel[i].nest = NULL;
    if (ok) g->image = cuda_image(p->ctx, d, t.at, &g->bytes);
    g->arena = e.arena; /* the kernels' Nests live there */
    e.arena = NULL;
    cuda_emit_end(&e);
    if (ok && g->image && (*source = text_take(&t))) return g;
    text_free(&t);
    cuda_program_free(g);
    return NULL;
}
