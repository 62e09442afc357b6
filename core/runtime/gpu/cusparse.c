/*
 * cusparse.c -- sparse times dense by cuSPARSE. In: compressed lines whose places ascend, a matrix whose rows or
 * columns lie side by side. Out: the product, queued, by the algorithm whose bits are the same at every run; or
 * GPU_NOT.
 */
#include "gpu.h"
#include "runtime/device/library.h"

/* As the library's headers have them (spec/cuda_headers_spec.lua). */
enum { SP_STRAIGHT = 0, SP_INDEX_32 = 2, SP_FROM_0 = 0, SP_COLUMNS = 1, SP_ROWS = 2, SP_SAME_BITS = 12 };
enum { SP_REAL_32 = 0, SP_REAL_64 = 1, SP_PAIR_32 = 4, SP_PAIR_64 = 5 };

/* clang-format off */
#define CUSPARSE(X)                                                                                                    \
    X(int, open, "cusparseCreate", (void **handle))                                                                    \
    X(int, close, "cusparseDestroy", (void *handle))                                                                   \
    X(int, stream, "cusparseSetStream", (void *handle, void *stream))                                                  \
    X(int, lines_new, "cusparseCreateCsr",                                                                             \
      (void **matrix, int64_t rows, int64_t cols, int64_t values, void *ptr, void *idx, void *at, int ptr_type,        \
       int idx_type, int first, int type))                                                                             \
    X(int, lines_free, "cusparseDestroySpMat", (void *matrix))                                                         \
    X(int, dense_new, "cusparseCreateDnMat",                                                                           \
      (void **matrix, int64_t rows, int64_t cols, int64_t step, void *at, int type, int order))                        \
    X(int, dense_free, "cusparseDestroyDnMat", (void *matrix))                                                         \
    X(int, bytes, "cusparseSpMM_bufferSize",                                                                           \
      (void *handle, int turn_a, int turn_b, const void *alpha, void *a, void *b, const void *beta, void *c, int type, \
       int algorithm, size_t *bytes))                                                                                  \
    X(int, run, "cusparseSpMM",                                                                                        \
      (void *handle, int turn_a, int turn_b, const void *alpha, void *a, void *b, const void *beta, void *c, int type, \
       int algorithm, void *room))
/* clang-format on */
LIBRARY_TABLE(Cusparse, cusparse_table, LIBRARY_CUSPARSE, CUSPARSE)

void gpu_cusparse_close(GpuHandle *u) {
    const Cusparse *f = u->functions;
    if (u->handle) f->close(u->handle);
    *u = (GpuHandle){0};
}

static int type_of(ThDtype d) {
    return d == TH_FLOAT32      ? SP_REAL_32
           : d == TH_FLOAT64    ? SP_REAL_64
           : d == TH_COMPLEX64  ? SP_PAIR_32
           : d == TH_COMPLEX128 ? SP_PAIR_64
                                : -1;
}

static void *address(const void *p) { return (void *)(uintptr_t)p; }

/* What is destroyed behind the call. */
typedef struct Made {
    void *x, *y, *z;
} Made;

static int describe(const Cusparse *f, const GpuSparseProduct *p, int type, Made *m) {
    bool rows = p->by_col == 1 || p->n == 1;
    int64_t step = p->n == 1 ? p->by_row : rows ? p->by_row : p->by_col;
    int bad = f->lines_new(&m->x, p->lines, p->places, p->nnz, address(p->ptr), address(p->idx), address(p->values),
                           SP_INDEX_32, SP_INDEX_32, SP_FROM_0, type);
    if (!bad) bad = f->dense_new(&m->y, p->places, p->n, step, address(p->y), type, rows ? SP_ROWS : SP_COLUMNS);
    return bad ? bad : f->dense_new(&m->z, p->lines, p->n, p->n, p->z, type, SP_ROWS);
}

static GpuDone run(HostCall *h, GpuHandle *u, const GpuSparseProduct *p, int type) {
    const Cusparse *f = u->functions;
    const double wide[2][2] = {{1, 0}, {0, 0}};
    const float narrow[2][2] = {{1, 0}, {0, 0}};
    bool is_wide = type == SP_REAL_64 || type == SP_PAIR_64;
    const void *one = is_wide ? (const void *)wide[0] : narrow[0], *none = is_wide ? (const void *)wide[1] : narrow[1];
    Made m = {NULL, NULL, NULL};
    size_t bytes = 0;
    char *room = NULL;
    GpuDone done = GPU_NOT;
    int bad = f->stream(u->handle, h->gpu->q->stream) || describe(f, p, type, &m);
    if (!bad) bad = f->bytes(u->handle, SP_STRAIGHT, SP_STRAIGHT, one, m.x, m.y, none, m.z, type, SP_SAME_BITS, &bytes);
    if (!bad && !gpu_room(h, bytes + 1, &room)) done = GPU_FAILED;
    else if (!bad && !f->run(u->handle, SP_STRAIGHT, SP_STRAIGHT, one, m.x, m.y, none, m.z, type, SP_SAME_BITS, room))
        done = GPU_DONE;
    if (m.x) f->lines_free(m.x);
    if (m.y) f->dense_free(m.y);
    if (m.z) f->dense_free(m.z);
    return done;
}

GpuDone gpu_cusparse(HostCall *h, GpuHandle *u, const GpuSparseProduct *p) {
    int type = type_of(p->dtype);
    bool asked = u->asked, lies = p->by_col == 1 || p->by_row == 1 || p->n == 1;
    int64_t step = p->by_col == 1 || p->n == 1 ? p->by_row : p->by_col;
    if (type < 0 || !lies || step < (p->by_col == 1 || p->n == 1 ? p->n : p->places) || !p->nnz) return GPU_NOT;
    const Cusparse *f = gpu_functions(h, u, &cusparse_table, "sparse products");
    if (f && !asked && f->open(&u->handle)) u->handle = NULL;
    return u->handle ? run(h, u, p, type) : GPU_NOT;
}
