/*
 * program.c -- the kernels of a plan as what a device's driver loads: a cubin by NVRTC, or for the emulated driver a
 * shared object with a function around each kernel.
 */
#include "build/build.h"
#include "cuda.h"

#include <string.h>

#define SEEN "__attribute__((visibility(\"default\"))) "

void cuda_entry(Text *t, const char *name, const char *args, bool barriers) {
    text_printf(t, "static void run_%s(const void *a) { %s(*(const %s *)a); }\n", name, name, args);
    text_printf(t, SEEN "int %s_run(const void *a, i64 blocks, int threads) {\n", name);
    text_printf(t, "    return emu_launch(run_%s, a, blocks, threads, %d);\n}\n", name, barriers);
    text_printf(t, SEEN "const unsigned %s_bytes = sizeof(%s);\n", name, args);
}

void cuda_module(Text *t) {
    text_printf(t, SEEN "const unsigned theano_abi = %d;\n", TH_RT_ABI);
    text_put(t, SEEN "int theano_run(Frame *f) { return (void)f, 1; }\n");
}

static void emulated_entries(Emit *e, const CudaKernel *k) {
    for (int i = 0; i < GRID_FUNCTIONS && k->nest; i++) {
        if (!grid_has(k, i)) continue;
        const Nest *t = i == GRID_LOOK ? k->nest : grid_nest(k->nest, i);
        char name[GRID_NAME], args[GRID_NAME];
        grid_name(name, k->number, i);
        number_format(args, sizeof args, "Args_%d", k->number);
        cuda_entry(&e->body, name, args, t->grid == GRID_BLOCK || t->grid == GRID_TILES);
    }
}

static bool text_of(Text *t, Emit *e, GridProgram *g, bool emulated) {
    const char *const plain[2] = {"", ""}, *const behind[2] = {prelude_c, cuda_emulation};
    g->kernel = cuda_emit_kernels(e, true);
    g->nkernel = e->p->nkernel;
    for (int i = 0; emulated && g->kernel && i < g->nkernel; i++) emulated_entries(e, &g->kernel[i]);
    if (emulated) cuda_module(&e->body);
    return g->kernel && cuda_emit_text(t, e, "kernels of a function", emulated ? behind : plain);
}

void cuda_program_free(GridProgram *g) {
    if (!g) return;
    ctx_free(g->c, g->image, g->bytes);
    if (g->arena) arena_free(g->arena);
    ctx_free(g->c, g, sizeof *g);
}

GridProgram *cuda_program(const Plan *p, const char *arch, char **source) {
    GridProgram *g = ctx_alloc0(p->ctx, sizeof *g);
    Emit e;
    Text t;
    *source = NULL;
    if (!g) return NULL;
    g->c = p->ctx;
    text_init(&t, p->ctx);
    bool ok = cuda_emit_begin(&e, p) && text_of(&t, &e, g, !arch);
    if (ok) g->image = arch ? nvrtc_image(p->ctx, t.at, arch, &g->bytes, NULL) : build_image(p->ctx, t.at, &g->bytes);
    g->arena = e.arena; /* the kernels' Nests live there */
    e.arena = NULL;
    cuda_emit_end(&e);
    if (ok && g->image && (*source = text_take(&t))) return g;
    text_free(&t);
    cuda_program_free(g);
    return NULL;
}
