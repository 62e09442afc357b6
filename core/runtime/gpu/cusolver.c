/*
 * cusolver.c -- factorisations by cuSOLVER, one matrix after the other. In: a matrix by columns on a device. Out,
 * queued, or GPU_NOT: GPU_SOLVER_CHOLESKY: the upper factor in its place, what is below it as it was. GPU_SOLVER_EIGH:
 * ascending eigenvalues s, with `vectors` their vectors in the matrix's place. GPU_SOLVER_SVD (rows >= cols):
 * descending singular values s, and with `vectors` u (`full`: all rows of it; else in the matrix's place) and V^H at v.
 * info: 0, or what failed. Results are the same bits at every run.
 */
#include "gpu.h"
#include "runtime/device/library.h"

/* As the library's headers have them (spec/cuda_headers_spec.lua). */
enum { SO_SAME_BITS = 1, SO_UPPER = 1, SO_VALUES = 0, SO_VECTORS = 1 };
enum { SO_REAL_32 = 0, SO_REAL_64 = 1, SO_PAIR_32 = 4, SO_PAIR_64 = 5 };

/* clang-format off */
#define CUSOLVER(X)                                                                                                    \
    X(int, open, "cusolverDnCreate", (void **handle))                                                                  \
    X(int, close, "cusolverDnDestroy", (void *handle))                                                                 \
    X(int, stream, "cusolverDnSetStream", (void *handle, void *stream))                                                \
    X(int, same_bits, "cusolverDnSetDeterministicMode", (void *handle, int mode))                                      \
    X(int, cholesky_bytes, "cusolverDnXpotrf_bufferSize",                                                              \
      (void *handle, void *params, int side, int64_t n, int type, const void *a, int64_t step, int compute,            \
       size_t *there, size_t *here))                                                                                   \
    X(int, cholesky, "cusolverDnXpotrf",                                                                               \
      (void *handle, void *params, int side, int64_t n, int type, void *a, int64_t step, int compute, void *there,     \
       size_t there_bytes, void *here, size_t here_bytes, int *info))                                                  \
    X(int, eigh_bytes, "cusolverDnXsyevd_bufferSize",                                                                  \
      (void *handle, void *params, int job, int side, int64_t n, int type, const void *a, int64_t step, int s_type,    \
       const void *s, int compute, size_t *there, size_t *here))                                                       \
    X(int, eigh, "cusolverDnXsyevd",                                                                                   \
      (void *handle, void *params, int job, int side, int64_t n, int type, void *a, int64_t step, int s_type, void *s, \
       int compute, void *there, size_t there_bytes, void *here, size_t here_bytes, int *info))                        \
    X(int, svd_bytes, "cusolverDnXgesvd_bufferSize",                                                                   \
      (void *handle, void *params, signed char u_job, signed char v_job, int64_t m, int64_t n, int type,               \
       const void *a, int64_t step, int s_type, const void *s, int u_type, const void *u, int64_t u_step, int v_type,  \
       const void *v, int64_t v_step, int compute, size_t *there, size_t *here))                                       \
    X(int, svd, "cusolverDnXgesvd",                                                                                    \
      (void *handle, void *params, signed char u_job, signed char v_job, int64_t m, int64_t n, int type, void *a,      \
       int64_t step, int s_type, void *s, int u_type, void *u, int64_t u_step, int v_type, void *v, int64_t v_step,    \
       int compute, void *there, size_t there_bytes, void *here, size_t here_bytes, int *info))
/* clang-format on */
LIBRARY_TABLE(Cusolver, cusolver_table, LIBRARY_CUSOLVER, CUSOLVER)

void gpu_cusolver_close(GpuHandle *u) {
    const Cusolver *f = u->functions;
    if (u->handle) f->close(u->handle);
    *u = (GpuHandle){0};
}

static bool ready(HostCall *h, GpuHandle *u) {
    bool asked = u->asked;
    const Cusolver *f = gpu_functions(h, u, &cusolver_table, "factorisations");
    if (!f || asked) return u->handle != NULL;
    if (f->open(&u->handle)) u->handle = NULL;
    if (u->handle && f->same_bits(u->handle, SO_SAME_BITS)) {
        f->close(u->handle);
        u->handle = NULL;
    }
    return u->handle != NULL;
}

typedef struct Call {
    const GpuSolverWork *w;
    const Cusolver *f;
    void *handle;
    int type, real, job;
    signed char u_job, v_job;
} Call;

static int bytes_of(const Call *c, size_t *there, size_t *here) {
    const GpuSolverWork *w = c->w;
    const Cusolver *f = c->f;
    int64_t m = w->rows, n = w->cols;
    if (w->kind == GPU_SOLVER_CHOLESKY)
        return f->cholesky_bytes(c->handle, NULL, SO_UPPER, n, c->type, w->a, n, c->type, there, here);
    if (w->kind == GPU_SOLVER_EIGH)
        return f->eigh_bytes(c->handle, NULL, c->job, SO_UPPER, n, c->type, w->a, n, c->real, w->s, c->type, there,
                             here);
    return f->svd_bytes(c->handle, NULL, c->u_job, c->v_job, m, n, c->type, w->a, m, c->real, w->s, c->type, w->u, m,
                        c->type, w->v, n, c->type, there, here);
}

static int run(const Call *c, void *there, size_t tb, void *here, size_t hb) {
    const GpuSolverWork *w = c->w;
    const Cusolver *f = c->f;
    int64_t m = w->rows, n = w->cols;
    if (w->kind == GPU_SOLVER_CHOLESKY)
        return f->cholesky(c->handle, NULL, SO_UPPER, n, c->type, w->a, n, c->type, there, tb, here, hb, w->info);
    if (w->kind == GPU_SOLVER_EIGH)
        return f->eigh(c->handle, NULL, c->job, SO_UPPER, n, c->type, w->a, n, c->real, w->s, c->type, there, tb, here,
                       hb, w->info);
    return f->svd(c->handle, NULL, c->u_job, c->v_job, m, n, c->type, w->a, m, c->real, w->s, c->type, w->u, m, c->type,
                  w->v, n, c->type, there, tb, here, hb, w->info);
}

GpuDone gpu_cusolver(HostCall *h, GpuHandle *u, const GpuSolverWork *w) {
    bool pairs = dtype_is_complex(w->dtype), wide = w->dtype == TH_FLOAT64 || w->dtype == TH_COMPLEX128;
    Call c = {.w = w, .type = pairs ? (wide ? SO_PAIR_64 : SO_PAIR_32) : wide ? SO_REAL_64 : SO_REAL_32};
    c.real = wide ? SO_REAL_64 : SO_REAL_32, c.job = w->vectors ? SO_VECTORS : SO_VALUES;
    c.u_job = !w->vectors ? 'N' : w->full ? 'A' : 'O', c.v_job = w->vectors ? 'S' : 'N';
    if (!ready(h, u)) return GPU_NOT;
    if (!w->a) return GPU_DONE;
    c.f = u->functions, c.handle = u->handle;
    size_t there = 0, here = 0;
    char *room;
    if (c.f->stream(c.handle, h->gpu->q->stream) || bytes_of(&c, &there, &here)) return GPU_NOT;
    void *own = here ? h->room(h, here) : NULL;
    if ((here && !own) || !gpu_room(h, there + 1, &room)) return GPU_FAILED;
    return run(&c, room, there, own, here) ? GPU_NOT : GPU_DONE;
}
