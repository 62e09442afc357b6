/*
 * host.c -- what stands around the kernels of an emulated unit: for each kernel its argument record, the choice of grid
 * and its launch; for each step the arguments and the error record's way back. C only, the device never sees it.
 */
#include "cuda.h"

#include <stdio.h>
#include <string.h>

/* Product of the extents of loops [from, to) of the first stage. */
static void product(Text *t, const LoopStage *s, int from, int to) {
    text_put(t, "(i64)1");
    for (int l = from; l < to; l++) text_printf(t, " * n%d", s->loop[l]);
}

static int row_bytes(const Kernel *k, int buf) {
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == buf && (k->acc.at[a].flags & ACC_ROWTEMP))
            return (int)th_dtype_bytes((ThDtype)k->acc.at[a].dtype);
    return 0;
}

/* Launches one variant; row temporaries are there for each block. */
static void launch(Emit *e, const CudaKernel *c, const char *suffix, const char *blocks, int threads, bool barriers) {
    emit_line(e, "const i64 want = %s, blocks = want < %d ? want : %d;", blocks, CUDA_BLOCKS, CUDA_BLOCKS);
    emit_line(e, "int rc = 0;");
    for (int b = 0; b < c->nbuf; b++)
        if (row_bytes(c->k, b)) {
            emit_line(e, "char *const t%d = malloc((u64)(blocks * a->row[%d]) * %d + 64);", b, b, row_bytes(c->k, b));
            emit_line(e, "a->b[%d] = t%d; if (!t%d) rc = EMU_NO_MEMORY;", b, b, b);
        }
    emit_line(e, "if (!rc) rc = emu_launch(run_%d%s, a, blocks, %d, %d);", c->number, suffix, threads, barriers);
    for (int b = 0; b < c->nbuf; b++)
        if (row_bytes(c->k, b)) emit_line(e, "free(t%d);", b);
    emit_line(e, "return rc;");
}

void cuda_extents(Emit *e, const Kernel *k) {
    emit_line(e, "const i64 *const s = a->s; (void)s;");
    for (int d = 0; d < k->ndim; d++) {
        Text t;
        text_init(&t, e->c);
        emit_size(&t, k->dim[d].n);
        emit_line(e, "const i64 n%d = %s; (void)n%d;", d, t.at ? t.at : "0", d);
        text_free(&t);
    }
}

static void grid(Emit *e, const CudaKernel *c) {
    const LoopStage *s = &c->o.stage[0];
    Text points, inside;
    text_init(&points, e->c);
    text_init(&inside, e->c);
    product(&points, s, 0, c->nest->depth);
    product(&inside, s, c->nest->depth, s->nloop);
    emit_line(e, "const i64 points = %s;", points.at ? points.at : "0");
    if (!c->nest->none) emit_line(e, "if (points <= 0) return 0;");
    else {
        emit_line(e, "if (points <= 0) {");
        e->indent++;
        launch(e, c, "n", "1", 1, false);
        e->indent--;
        emit_line(e, "}");
    }
    if (c->nest->twin) {
        emit_line(e, "const i64 inside = %s;", inside.at ? inside.at : "1");
        emit_line(e, "if (inside >= %d || (inside >= %d && points < %d)) {", CHOOSE_LONG, CUDA_THREADS, CHOOSE_POINTS);
        e->indent++;
        launch(e, c, "b", "points", CUDA_THREADS, true);
        e->indent--;
        emit_line(e, "}");
    }
    if (c->nest->grid == GRID_SERIAL) launch(e, c, "", "1", 1, false);
    else if (c->nest->grid == GRID_BLOCK) launch(e, c, "", "points", CUDA_THREADS, true);
    else {
        char blocks[48];
        snprintf(blocks, sizeof blocks, "(points + %d) / %d", CUDA_THREADS - 1, CUDA_THREADS);
        launch(e, c, "", blocks, CUDA_THREADS, false);
    }
    text_free(&points);
    text_free(&inside);
}

void cuda_launcher(Emit *e, const CudaKernel *c) {
    int n = c->number;
    if (c->nest->grid == GRID_CALLS) {
        cuda_calls(e, c);
        return;
    }
    if (c->nest->grid == GRID_DRAW) {
        cuda_draw_launcher(e, c);
        return;
    }
    for (int i = 0; i < GRID_NESTS; i++) {
        char name[GRID_NAME];
        grid_name(name, n, i);
        if (grid_nest(c->nest, i))
            emit_line(e, "static void run_%s(const void *a) { %s(*(const Args_%d *)a); }", name + 7, name, n);
    }
    emit_line(e, "static int launch_%d(Args_%d *a) {", n, n);
    e->indent = 1;
    cuda_extents(e, c->k);
    if (c->nest->grid == GRID_TILES) {
        int m = c->k->st.at[c->k->st.n - 1].d0, size = CHOOSE_TILE;
        emit_line(e, "const i64 tiles = (n%d + %d) / %d * ((n%d + %d) / %d);", m, size - 1, size, m + 1, size - 1,
                  size);
        emit_line(e, "if (tiles <= 0) return 0;");
        launch(e, c, "", "tiles", CUDA_THREADS, true);
    } else grid(e, c);
    e->indent = 0;
    emit_line(e, "}\n");
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */
static char param_kind(const Kernel *k, int param) {
    for (int j = 0; j < k->ins.n; j++)
        if (k->ins.at[j].op == INS_PARAM && k->ins.at[j].a == param) return th_dtype_kind((ThDtype)k->ins.at[j].dtype);
    return 'f';
}

/* Literals by their bits: exact, infinities and NaN too. */
static void cells(Text *t, const Step *s, const Kernel *k) {
    for (int i = 0; i < s->nparam; i++) {
        uint64_t bits;
        if (param_kind(k, i) == 'f') memcpy(&bits, &s->param[i].f, 8);
        else memcpy(&bits, &s->param[i].i, 8);
        text_printf(t, "%s{.i = (i64)0x%llxul}", i ? ", " : "", (unsigned long long)bits);
    }
}

static void plan_size(Text *t, Size z) {
    if (z.sym < 0) text_printf(t, "%lld", (long long)z.k);
    else text_printf(t, "%lld * f->sym[%d]", (long long)z.k, z.sym);
}

static void arguments(Emit *e, const CudaKernel *c, const Step *s, int number) {
    Text t;
    text_init(&t, e->c);
    text_put(&t, ".b = {");
    for (int i = 0; i < s->nbuf; i++) text_printf(&t, i ? ", f->buf[%d]" : "f->buf[%d]", s->buf[i]);
    text_put(&t, s->nbuf ? "}, .s = {" : "0}, .s = {");
    for (int i = 0; i < s->nsym; i++) text_printf(&t, i ? ", f->sym[%d]" : "f->sym[%d]", s->sym[i]);
    text_put(&t, s->nsym ? "}, .q = {" : "0}, .q = {");
    cells(&t, s, c->k);
    if (!s->nparam) text_put(&t, "{0}");
    text_printf(&t, "}, .err = rec, .step = %d", number);
    for (int b = 0; b < c->nbuf; b++)
        if (row_bytes(c->k, b)) {
            text_printf(&t, ", .row[%d] = ", b);
            plan_size(&t, e->p->buf[s->buf[b]].size);
        }
    emit_line(e, "    Args_%d a = {%s};", c->number, t.at ? t.at : "0");
    text_free(&t);
}

static void kernel_step(Emit *e, const CudaKernel *c, const Step *s, int number) {
    emit_line(e, "    i64 rec[8] = {0};");
    arguments(e, c, s, number);
    bool calls = c->nest->grid == GRID_CALLS;
    if (calls) emit_line(e, "    if (call_%d(f, %d, &a)) return 1;", c->number, number);
    emit_line(e, calls ? "    int rc = (int)rec[7];" : "    int rc = launch_%d(&a);", c->number);
    emit_line(e, "    if (rc) return f->rt->fail(f, %d, rc == EMU_NO_MEMORY ? %d : %d, 0, 0, 0, 0, 0);", number,
              TH_MemoryError, TH_GpuError);
    emit_line(e,
              "    return rec[0] ? f->rt->fail(f, (int)rec[1], (int)rec[2], (int)rec[3], rec[4], rec[5], 0, 0) : 0;");
}

static void transfer(Emit *e, const Step *s) {
    const PlanBuf *b = &e->p->buf[s->buf[1]];
    Text t;
    text_init(&t, e->c);
    plan_size(&t, b->size);
    emit_line(e, "    memcpy(f->buf[%d], f->buf[%d], (u64)(%s) * %d);", s->buf[1], s->buf[0], t.at ? t.at : "0",
              (int)th_dtype_bytes((ThDtype)b->dtype));
    emit_line(e, "    return 0;");
    text_free(&t);
}

void cuda_steps(Emit *e, const CudaKernel *k) {
    for (int i = 0; i < e->p->nstep; i++) {
        const Step *s = &e->p->step[i];
        if (s->title) emit_line(e, "/* %s */", s->title);
        emit_line(e, "static int step_%d(Frame *f) {", i);
        switch ((StepKind)s->kind) {
        case STEP_KERNEL: kernel_step(e, &k[s->kernel], s, i); break;
        case STEP_HOST: emit_line(e, "    return f->rt->host_call(f, %d);", i); break;
        case STEP_TRANSFER: transfer(e, s); break;
        case STEP_SIZE: emit_line(e, "    return f->rt->size_step(f, %d, %d);", s->a, s->n); break;
        case STEP_LATE: emit_line(e, "    return f->rt->late_alloc(f, %d);", s->buf[0]); break;
        }
        emit_line(e, "}\n");
    }
}
