/*
 * unit.c -- the text of a function's kernels for CUDA.
 */
#include "cuda.h"

static void args_record(Emit *e, const CudaKernel *c) {
    emit_line(e, "typedef struct { char *b[%d]; i64 s[%d]; Cell q[%d]; i64 *err, step, row[%d]%s; } Args_%d;", c->nbuf,
              c->nsym, c->nparam, c->nbuf,
              c->nest->grid == GRID_SCATTER ? ", *key, *pos"
              : grid_is_conv(c)             ? ", *whole"
                                            : "",
              c->number);
    if (grid_has(c, GRID_MANY))
        emit_line(e, "typedef struct { Args_%d a[%d]; int end[%d]; } Many_%d;", c->number, c->many, c->many, c->number);
}

static bool nests_text(Emit *e, CudaKernel *k) {
    args_record(e, k);
    for (int t = 0; t < GRID_NESTS; t++)
        if (grid_nest(k->nest, t) && !cuda_kernel(e, k, t)) return false;
    if (grid_has(k, GRID_MANY) && !cuda_kernel(e, k, GRID_MANY)) return false;
    return !grid_has(k, GRID_BEHIND) || cuda_behind(e, k);
}

/* A kernel that cannot be written is one of the host. */
static bool shape_kernel(Emit *e, int number, CudaKernel *k) {
    if (cuda_shape(e, number, k)) return true;
    if (th_error(e->c) != TH_NotImplementedError) return false;
    th_error_clear(e->c);
    k->nest = NULL;
    return true;
}

static bool write_kernel(Emit *e, CudaKernel *k) {
    if (k->nest) return nests_text(e, k);
    emit_line(e, "/* %s: on the host */\n", k->k->title ? k->k->title : "a kernel");
    return true;
}

/* In the turns of loops some add otherwise, which is known before any is written. */
CudaKernel *cuda_emit_kernels(Emit *e, GridProgram *g) {
    CudaKernel *k = arena_alloc0(e->arena, sizeof *k * (size_t)(e->p->nkernel + 1));
    for (int i = 0; k && i < e->p->nkernel; i++)
        if (!shape_kernel(e, i, &k[i])) return NULL;
    if (!k || !turns_find(e->p, k, e->arena, &g->turns, &g->nturns)) return NULL;
    for (int i = 0; i < g->nturns; i++)
        if (!near_find(e->p, k, &g->turns[i], e->arena)) return NULL;
    for (int i = 0; i < g->nturns; i++) told_find(e->p, k, &g->turns[i]);
    if (!tails_find(e->p, k, e->arena, &g->tail, &g->ntail)) return NULL;
    for (int i = 0; i < e->p->nkernel; i++)
        if (!write_kernel(e, &k[i])) return NULL;
    if (!cuda_turns(e, g->turns, g->nturns, k) || !cuda_tails(e, g->tail, g->ntail, k)) return NULL;
    return k;
}

bool cuda_emit_begin(Emit *e, const Plan *p) {
    *e = (Emit){.c = p->ctx, .p = p, .arena = arena_new(p->ctx), .target = &target_cuda, .fused = true};
    text_init(&e->helpers, p->ctx);
    text_init(&e->body, p->ctx);
    return e->arena && cuda_mark_libm(e);
}

void cuda_emit_end(Emit *e) {
    text_free(&e->helpers);
    text_free(&e->body);
    map_free(e->c, &e->have);
    if (e->arena) arena_free(e->arena);
}

bool cuda_emit_text(Text *t, const Emit *e, const char *name) {
    if (failed(e->c) || e->helpers.failed || e->body.failed) return false;
    text_printf(t, "/* %.60s: written by theano %s for CUDA */\n", name ? name : "function", th_version());
    text_put(t, cuda_prelude);
    text_put(t, e->helpers.at ? e->helpers.at : "");
    text_putc(t, '\n');
    text_put(t, e->body.at ? e->body.at : "");
    return !t->failed;
}

bool emit_cuda(Text *t, const Plan *p, const char *name) {
    Emit e;
    GridProgram g;
    bool ok = cuda_emit_begin(&e, p) && cuda_emit_kernels(&e, &g) && cuda_emit_text(t, &e, name);
    cuda_emit_end(&e);
    return ok;
}
