/*
 * cusolver.c -- factorisations by cuSOLVER, one matrix after the other. In: a matrix by columns on a device. Out,
 * queued, or GPU_NOT: GPU_SOLVER_CHOLESKY: the upper factor in its place, what is below it as it was. GPU_SOLVER_EIGH:
 * ascending eigenvalues s, with `vectors` their vectors in the matrix's place. GPU_SOLVER_SVD (rows >= cols):
 * descending singular values s, and with `vectors` u (`full`: all rows of it; else in the matrix's place) and V^H at v.
 * GPU_SOLVER_LU: both factors in its place, pivots (from 1 on). GPU_SOLVER_SOLVE: of such factors; `many` right sides s
 * become the solution. GPU_SOLVER_QR: reflectors and R in its place, their factors s. GPU_SOLVER_Q: of such reflectors,
 * `cols` of them, the first `many` columns of Q in their place. info: 0, or what failed. Results are the same bits at
 * every run.
 */
#include "gpu.h"
#include "kernel/factor_work.h"
#include "runtime/device/library.h"

/* As the library's headers have them (spec/cuda_headers_spec.lua). */
enum { SO_SAME_BITS = 1, SO_UPPER = 1, SO_VALUES = 0, SO_VECTORS = 1 };
enum { SO_N = 0, SO_T = 1, SO_C = 2 };
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
       int compute, void *there, size_t there_bytes, void *here, size_t here_bytes, int *info))                        \
    X(int, lu_bytes, "cusolverDnXgetrf_bufferSize",                                                                    \
      (void *handle, void *params, int64_t m, int64_t n, int type, const void *a, int64_t step, int compute,           \
       size_t *there, size_t *here))                                                                                   \
    X(int, lu, "cusolverDnXgetrf",                                                                                     \
      (void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t step, int64_t *pivot, int compute, \
       void *there, size_t there_bytes, void *here, size_t here_bytes, int *info))                                     \
    X(int, solve, "cusolverDnXgetrs",                                                                                  \
      (void *handle, void *params, int trans, int64_t n, int64_t many, int type, const void *a, int64_t step,          \
       const int64_t *pivot, int b_type, void *b, int64_t b_step, int *info))                                          \
    X(int, qr_bytes, "cusolverDnXgeqrf_bufferSize",                                                                    \
      (void *handle, void *params, int64_t m, int64_t n, int type, const void *a, int64_t step, int tau_type,          \
       const void *tau, int compute, size_t *there, size_t *here))                                                     \
    X(int, qr, "cusolverDnXgeqrf",                                                                                     \
      (void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t step, int tau_type, void *tau,     \
       int compute, void *there, size_t there_bytes, void *here, size_t here_bytes, int *info))                        \
    Q_OF(X, s, "cusolverDnSorgqr")                                                                                     \
    Q_OF(X, d, "cusolverDnDorgqr")                                                                                     \
    Q_OF(X, c, "cusolverDnCungqr")                                                                                     \
    Q_OF(X, z, "cusolverDnZungqr")
#define Q_OF(X, letter, name)                                                                                          \
    X(int, q_bytes_##letter, name "_bufferSize",                                                                       \
      (void *handle, int m, int n, int k, const void *a, int step, const void *tau, int *numbers))                     \
    X(int, q_##letter, name,                                                                                           \
      (void *handle, int m, int n, int k, void *a, int step, const void *tau, void *there, int numbers, int *info))
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

/* What forms Q has no function for all dtypes. */
static int q_bytes(const Call *c, size_t *there) {
    const GpuSolverWork *w = c->w;
    const Cusolver *f = c->f;
    ThDtype d = w->dtype;
    int m = (int)w->rows, n = (int)w->many, k = (int)w->cols, numbers = 0;
    int bad = (d == TH_FLOAT32     ? f->q_bytes_s
               : d == TH_FLOAT64   ? f->q_bytes_d
               : d == TH_COMPLEX64 ? f->q_bytes_c
                                   : f->q_bytes_z)(c->handle, m, n, k, w->a, m, w->s, &numbers);
    *there = (size_t)numbers * th_dtype_bytes(d);
    return bad;
}

static int q(const Call *c, void *there, size_t bytes) {
    const GpuSolverWork *w = c->w;
    const Cusolver *f = c->f;
    ThDtype d = w->dtype;
    int m = (int)w->rows, n = (int)w->many, k = (int)w->cols;
    return (d == TH_FLOAT32   ? f->q_s
            : d == TH_FLOAT64 ? f->q_d
            : d == TH_COMPLEX64
                ? f->q_c
                : f->q_z)(c->handle, m, n, k, w->a, m, w->s, there, (int)(bytes / th_dtype_bytes(d)), w->info);
}

static int bytes_of(const Call *c, size_t *there, size_t *here) {
    const GpuSolverWork *w = c->w;
    const Cusolver *f = c->f;
    int64_t m = w->rows, n = w->cols;
    switch (w->kind) {
    case GPU_SOLVER_CHOLESKY:
        return f->cholesky_bytes(c->handle, NULL, SO_UPPER, n, c->type, w->a, n, c->type, there, here);
    case GPU_SOLVER_EIGH:
        return f->eigh_bytes(c->handle, NULL, c->job, SO_UPPER, n, c->type, w->a, n, c->real, w->s, c->type, there,
                             here);
    case GPU_SOLVER_SVD:
        return f->svd_bytes(c->handle, NULL, c->u_job, c->v_job, m, n, c->type, w->a, m, c->real, w->s, c->type, w->u,
                            m, c->type, w->v, n, c->type, there, here);
    case GPU_SOLVER_LU: return f->lu_bytes(c->handle, NULL, m, n, c->type, w->a, m, c->type, there, here);
    case GPU_SOLVER_SOLVE: return 0;
    case GPU_SOLVER_QR:
        return f->qr_bytes(c->handle, NULL, m, n, c->type, w->a, m, c->type, w->s, c->type, there, here);
    default: return q_bytes(c, there);
    }
}

static int run(const Call *c, void *there, size_t tb, void *here, size_t hb) {
    const GpuSolverWork *w = c->w;
    const Cusolver *f = c->f;
    int64_t m = w->rows, n = w->cols;
    static const int turn[] = {[FACTOR_N] = SO_N, [FACTOR_T] = SO_T, [FACTOR_C] = SO_C};
    switch (w->kind) {
    case GPU_SOLVER_CHOLESKY:
        return f->cholesky(c->handle, NULL, SO_UPPER, n, c->type, w->a, n, c->type, there, tb, here, hb, w->info);
    case GPU_SOLVER_EIGH:
        return f->eigh(c->handle, NULL, c->job, SO_UPPER, n, c->type, w->a, n, c->real, w->s, c->type, there, tb, here,
                       hb, w->info);
    case GPU_SOLVER_SVD:
        return f->svd(c->handle, NULL, c->u_job, c->v_job, m, n, c->type, w->a, m, c->real, w->s, c->type, w->u, m,
                      c->type, w->v, n, c->type, there, tb, here, hb, w->info);
    case GPU_SOLVER_LU:
        return f->lu(c->handle, NULL, m, n, c->type, w->a, m, w->pivot, c->type, there, tb, here, hb, w->info);
    case GPU_SOLVER_SOLVE:
        return f->solve(c->handle, NULL, turn[w->trans], n, w->many, c->type, w->a, n, w->pivot, c->type, w->s, n,
                        w->info);
    case GPU_SOLVER_QR:
        return f->qr(c->handle, NULL, m, n, c->type, w->a, m, c->type, w->s, c->type, there, tb, here, hb, w->info);
    default: return q(c, there, tb);
    }
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
