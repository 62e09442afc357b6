/*
 * gemm.c -- products of the sizes that small networks use, beside OpenBLAS on one thread: medians and best in
 * microseconds of CPU time. Linked with libtheano's internals; prints a table. Arguments: instruction set or "best",
 * text that a case's name has.
 */
#include "runtime/machine/blas.h"
#include "runtime/gemm/gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Case {
    const char *name;
    int64_t m, n, k;
    bool ta, tb;
    double beta;
} Case;
static const Case cases[] = {
    {"60x500x784", 60, 500, 784, false, false, 0},
    {"60x10x500", 60, 10, 500, false, false, 0},
    {"784x500x60 a^T, +=", 784, 500, 60, true, false, 1},
    {"500x10x60 a^T, +=", 500, 10, 60, true, false, 1},
    {"60x500x10 b^T", 60, 500, 10, false, true, 0},
    {"60x10x784", 60, 10, 784, false, false, 0},
    {"784x10x60 a^T, +=", 784, 10, 60, true, false, 1},
    {"60x10x784 a^T", 60, 10, 784, true, false, 0},
    {"784x10x60", 784, 10, 60, false, false, 0},
    {"60x3x784", 60, 3, 784, false, false, 0},
    {"60x12x784", 60, 12, 784, false, false, 0},
    {"60x20x784", 60, 20, 784, false, false, 0},
    {"60x10x784 b^T", 60, 10, 784, false, true, 0},
    {"784x10x128 a^T, +=", 784, 10, 128, true, false, 1},
    {"784x10x600 a^T, +=", 784, 10, 600, true, false, 1},
    {"1000x10x500", 1000, 10, 500, false, false, 0},
    {"8x4x100", 8, 4, 100, false, false, 0},
    {"1x500x784", 1, 500, 784, false, false, 0},
    {"500x1x784", 500, 1, 784, false, false, 0},
    {"500x1x784 a^T", 500, 1, 784, true, false, 0},
    {"1x500x784 b^T", 1, 500, 784, false, true, 0},
    {"1x53824x120 b^T", 1, 53824, 120, false, true, 0},
    {"500x784x1 +=", 500, 784, 1, false, false, 1},
    {"8x8x8", 8, 8, 8, false, false, 0},
    {"3x3x3", 3, 3, 3, false, false, 0},
    {"64x64x64", 64, 64, 64, false, false, 0},
    {"256x256x256", 256, 256, 256, false, false, 0},
    {"256x256x256 b^T", 256, 256, 256, false, true, 0},
    {"512x512x512", 512, 512, 512, false, false, 0},
    {"1024x1024x1024", 1024, 1024, 1024, false, false, 0},
    {"6000x500x784", 6000, 500, 784, false, false, 0},
    {"512x128x512 a^T, +=", 512, 128, 512, true, false, 1},
    {"128x512x512 a^T, +=", 128, 512, 512, true, false, 1},
    {"128x128x512 a^T, +=", 128, 128, 512, true, false, 1},
    {"256x1024x1024 a^T, +=", 256, 1024, 1024, true, false, 1},
    {"128x512x512", 128, 512, 512, false, false, 0},
    {"512x128x512", 512, 128, 512, false, false, 0},
    {"1024^3 a^T b^T", 1024, 1024, 1024, true, true, 0},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct Run {
    ThContext *c;
    const Blas *blas;
    GemmArgs g;
    const Case *k;
    void *scratch;
} Run;

static void ours(Run *r) { gemm_run(r->c, &r->g, r->scratch); }

static void theirs(Run *r) {
    const GemmArgs *g = &r->g;
    int m = (int)g->m, n = (int)g->n, k = (int)g->k, ta = r->k->ta ? BLAS_TRANS : BLAS_NO_TRANS,
        tb = r->k->tb ? BLAS_TRANS : BLAS_NO_TRANS, lda = r->k->ta ? m : k, ldb = r->k->tb ? k : n;
    if (g->dtype == TH_FLOAT32)
        r->blas->sgemm(BLAS_ROW_MAJOR, ta, tb, m, n, k, 1, g->a, lda, g->b, ldb, (float)g->beta, g->c, n);
    else r->blas->dgemm(BLAS_ROW_MAJOR, ta, tb, m, n, k, 1, g->a, lda, g->b, ldb, g->beta, g->c, n);
}

/* microseconds a call: *best and the median of 41 batches of about a millisecond */
static double timing(void (*fn)(Run *), Run *r, double *best) {
    double t[41], flops = 2.0 * (double)r->g.m * (double)r->g.n * (double)r->g.k;
    int batch = (int)(5e7 / flops) + 1, n = flops > 5e8 ? 11 : 41;
    fn(r);
    for (int i = 0; i < n; i++) {
        double start = now();
        for (int j = 0; j < batch; j++) fn(r);
        t[i] = (now() - start) / batch * 1e6;
    }
    qsort(t, (size_t)n, sizeof *t, order);
    *best = t[0];
    return t[n / 2];
}

static void *filled(ThContext *c, ThDtype d, int64_t n) {
    void *p = ctx_alloc_aligned(c, (size_t)n * th_dtype_bytes(d), 64);
    for (int64_t i = 0; p && i < n; i++) {
        double v = (double)(i * 7919 % 1000) / 1000 - 0.5;
        if (d == TH_FLOAT32) ((float *)p)[i] = (float)v;
        else ((double *)p)[i] = v;
    }
    return p;
}

static void measure(ThContext *c, const Blas *b, const Case *k, ThDtype d) {
    Run r = {.c = c, .blas = b, .k = k};
    size_t item = th_dtype_bytes(d);
    r.g = (GemmArgs){.dtype = d,
                     .m = k->m,
                     .n = k->n,
                     .k = k->k,
                     .ars = k->ta ? 1 : k->k,
                     .acs = k->ta ? k->m : 1,
                     .brs = k->tb ? 1 : k->n,
                     .bcs = k->tb ? k->k : 1,
                     .crs = k->n,
                     .ccs = 1,
                     .alpha = 1,
                     .beta = k->beta};
    r.g.a = filled(c, d, k->m * k->k), r.g.b = filled(c, d, k->k * k->n), r.g.c = filled(c, d, k->m * k->n);
    size_t bytes = gemm_scratch_bytes(&r.g);
    r.scratch = ctx_alloc_aligned(c, bytes, 64);
    double best = 0, other = 0, mine = timing(ours, &r, &best), blas = b ? timing(theirs, &r, &other) : 0;
    printf("%-20s %s %10.2f %10.2f %7.1f GF   %10.2f %10.2f %7.1f GF   %5.2fx\n", k->name, item == 4 ? "f32" : "f64",
           mine, best, 2e-3 * (double)k->m * (double)k->n * (double)k->k / mine, blas, other,
           blas > 0 ? 2e-3 * (double)k->m * (double)k->n * (double)k->k / blas : 0, blas / mine);
    ctx_free(c, (void *)r.g.a, (size_t)(k->m * k->k) * item);
    ctx_free(c, (void *)r.g.b, (size_t)(k->k * k->n) * item);
    ctx_free(c, r.g.c, (size_t)(k->m * k->n) * item);
    ctx_free(c, r.scratch, bytes);
}

int main(int argc, char **argv) {
    ThContext *c = th_context_new(NULL);
    if (!c || (argc > 1 && strcmp(argv[1], "best") && !gemm_force(c, argv[1]))) return 1;
    const Blas *b = blas_open(c);
    if (b && !b->sgemm) b = NULL;
    int saved = b ? blas_enter(b) : 0;
    printf("%-24s %10s %10s %10s   %10s %10s %10s\n", "m x n x k", "ours, us", "best", "", "OpenBLAS", "best", "");
    for (int d = TH_FLOAT32; d <= TH_FLOAT64; d++)
        for (int i = 0; i < TH_LEN(cases); i++)
            if (argc < 3 || strstr(cases[i].name, argv[2])) measure(c, b, &cases[i], (ThDtype)d);
    if (b) blas_leave(b, saved);
    th_context_release(c);
    return 0;
}
