/*
 * unit.c -- the text of a function's kernels for CUDA, and the same text with what runs it on the CPU around it.
 */
#include "cuda.h"

static void args_record(Emit *e, const CudaKernel *c) {
    emit_line(e, "typedef struct { char *b[%d]; i64 s[%d]; Cell q[%d]; i64 *err, step, row[%d]%s; } Args_%d;",
              c->nbuf + !c->nbuf, c->nsym + !c->nsym, c->nparam + !c->nparam, c->nbuf + !c->nbuf,
              c->nest->grid == GRID_CALLS ? ", tile[4]" : "", c->number);
}

static CudaKernel *kernels(Emit *e) {
    CudaKernel *k = arena_alloc0(e->arena, sizeof *k * (size_t)(e->p->nkernel + 1));
    for (int i = 0; k && i < e->p->nkernel; i++) {
        if (!cuda_shape(e, i, &k[i])) return NULL;
        args_record(e, &k[i]);
        for (int t = 0; t < CUDA_NESTS; t++)
            if (cuda_nest(k[i].nest, t) && !cuda_kernel(e, &k[i], t)) return NULL;
    }
    return k;
}

static void host_part(Emit *e, const CudaKernel *k) {
    for (int i = 0; i < e->p->nkernel; i++) cuda_launcher(e, &k[i]);
    cuda_steps(e, k);
    emit_run(e);
}

/* head: what comes before the text of the kernels; host: whether their launches follow. */
static bool write(Text *t, const Plan *p, const char *name, const char *const head[2], bool host) {
    ThContext *c = p->ctx;
    Emit e = {.c = c, .p = p, .arena = arena_new(c), .target = &target_cuda};
    if (!e.arena) return false;
    text_init(&e.helpers, c);
    text_init(&e.body, c);
    CudaKernel *k = cuda_mark_libm(&e) ? kernels(&e) : NULL;
    if (k && host) host_part(&e, k);
    bool ok = k && !failed(c) && !e.helpers.failed && !e.body.failed;
    if (ok) {
        text_printf(t, "/* %s: written by theano %s for CUDA%s */\n", name ? name : "function", th_version(),
                    host ? ", to run on the CPU" : "");
        for (int i = 0; i < 2; i++) text_put(t, head[i]);
        text_put(t, cuda_prelude);
        text_put(t, e.helpers.at ? e.helpers.at : "");
        text_putc(t, '\n');
        text_put(t, e.body.at ? e.body.at : "");
    }
    text_free(&e.helpers);
    text_free(&e.body);
    map_free(c, &e.have);
    arena_free(e.arena);
    return ok;
}

bool emit_cuda(Text *t, const Plan *p, const char *function_name) {
    return write(t, p, function_name, (const char *const[2]){"", ""}, false);
}

bool emit_cuda_emulated(Text *t, const Plan *p, const char *function_name) {
    return write(t, p, function_name, (const char *const[2]){prelude_c, cuda_emulation}, true);
}
