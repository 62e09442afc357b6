/*
 * unit.c -- the text of a function's kernels for CUDA, and the same text with what runs it on the CPU around it.
 */
#include "cuda.h"

static void args_record(Emit *e, const CudaKernel *c) {
    emit_line(e, "typedef struct { char *b[%d]; i64 s[%d]; Cell q[%d]; i64 *err, step, row[%d]%s; } Args_%d;", c->nbuf,
              c->nsym, c->nparam, c->nbuf, c->nest->grid == GRID_CALLS ? ", tile[4]" : "", c->number);
}

static bool nests_text(Emit *e, CudaKernel *k) {
    args_record(e, k);
    for (int t = 0; t < GRID_NESTS; t++)
        if (grid_nest(k->nest, t) && !cuda_kernel(e, k, t)) return false;
    return true;
}

CudaKernel *cuda_emit_kernels(Emit *e, bool patient) {
    CudaKernel *k = arena_alloc0(e->arena, sizeof *k * (size_t)(e->p->nkernel + 1));
    for (int i = 0; k && i < e->p->nkernel; i++) {
        bool shaped = cuda_shape(e, i, &k[i]);
        if (patient && th_error(e->c) == TH_NotImplementedError) th_error_clear(e->c);
        else if (!shaped) return NULL;
        if (patient && (!shaped || k[i].nest->grid == GRID_CALLS)) k[i].nest = NULL;
        else if (!nests_text(e, &k[i])) return NULL;
    }
    return k;
}

static void host_part(Emit *e, const CudaKernel *k) {
    for (int i = 0; i < e->p->nkernel; i++) cuda_launcher(e, &k[i]);
    cuda_steps(e, k);
    emit_run(e);
}

bool cuda_emit_begin(Emit *e, const Plan *p) {
    *e = (Emit){.c = p->ctx, .p = p, .arena = arena_new(p->ctx), .target = &target_cuda};
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

bool cuda_emit_text(Text *t, const Emit *e, const char *title, const char *const head[2]) {
    if (failed(e->c) || e->helpers.failed || e->body.failed) return false;
    text_printf(t, "/* %s */\n", title);
    for (int i = 0; i < 2; i++) text_put(t, head[i]);
    text_put(t, cuda_prelude);
    text_put(t, e->helpers.at ? e->helpers.at : "");
    text_putc(t, '\n');
    text_put(t, e->body.at ? e->body.at : "");
    return !t->failed;
}

/* head: what comes before the text of the kernels; host: whether their launches follow. */
static bool write(Text *t, const Plan *p, const char *name, const char *const head[2], bool host) {
    Emit e;
    char title[160];
    CudaKernel *k = cuda_emit_begin(&e, p) ? cuda_emit_kernels(&e, false) : NULL;
    if (k && host) host_part(&e, k);
    number_format(title, sizeof title, "%.60s: written by theano %s for CUDA%s", name ? name : "function", th_version(),
                  host ? ", to run on the CPU" : "");
    bool ok = k && cuda_emit_text(t, &e, title, head);
    cuda_emit_end(&e);
    return ok;
}

bool emit_cuda(Text *t, const Plan *p, const char *function_name) {
    return write(t, p, function_name, (const char *const[2]){"", ""}, false);
}

bool emit_cuda_emulated(Text *t, const Plan *p, const char *function_name) {
    return write(t, p, function_name, (const char *const[2]){prelude_c, cuda_emulation}, true);
}
