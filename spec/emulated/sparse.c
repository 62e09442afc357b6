/*
 * sparse.c -- cuSPARSE without a GPU: the entry points that core/runtime/gpu/cusparse.c lists. A product is computed
 * term by term in double.
 */
#include "library.h"

#include <stdlib.h>
#include <string.h>

enum { NO_ROOM = 2, BAD = 3, FAILED = 6, COLUMNS = 1, ROWS = 2, SAME_BITS = 12, ROOM = 512 };

typedef struct Lines {
    int64_t rows, cols, values;
    const int32_t *ptr, *idx;
    char *at;
    int type;
} Lines;
typedef struct Dense {
    int64_t rows, cols, step;
    char *at;
    int type, order;
} Dense;
typedef struct Handle {
    void *stream;
} Handle;
typedef struct Call {
    Lines x;
    Dense y, z;
} Call;

static bool is_type(int type) { return type == 0 || type == 1 || type == 4 || type == 5; }

EXPORT int cusparseGetProperty(int type, int *value) {
    *value = type == 0 ? 12 : 7;
    return 0;
}
EXPORT int cusparseCreate(void **handle) {
    BEGIN;
    return end((*handle = calloc(1, sizeof(Handle))) ? 0 : NO_ROOM);
}
EXPORT int cusparseDestroy(void *handle) {
    free(handle);
    return 0;
}
EXPORT int cusparseSetStream(Handle *h, void *stream) {
    h->stream = stream;
    return stream_is(stream) ? 0 : BAD;
}
EXPORT int cusparseCreateCsr(void **to, int64_t rows, int64_t cols, int64_t values, void *ptr, void *idx, void *at,
                             int ptr_type, int idx_type, int first, int type) {
    BEGIN;
    if (rows < 1 || cols < 1 || ptr_type != 2 || idx_type != 2 || first || !is_type(type)) return end(BAD);
    Lines *x = *to = malloc(sizeof *x);
    if (x) *x = (Lines){rows, cols, values, ptr, idx, at, type};
    return end(x ? 0 : NO_ROOM);
}
EXPORT int cusparseCreateDnMat(void **to, int64_t rows, int64_t cols, int64_t step, void *at, int type, int order) {
    BEGIN;
    if (rows < 1 || cols < 1 || step < (order == ROWS ? cols : rows) || !is_type(type)) return end(BAD);
    Dense *x = *to = malloc(sizeof *x);
    if (x) *x = (Dense){rows, cols, step, at, type, order};
    return end(x ? 0 : NO_ROOM);
}
EXPORT int cusparseDestroySpMat(void *x) {
    free(x);
    return 0;
}
EXPORT int cusparseDestroyDnMat(void *x) {
    free(x);
    return 0;
}

static bool fits(const Lines *x, const Dense *y, const Dense *z, int type, int algorithm) {
    return x->type == type && y->type == type && z->type == type && algorithm == SAME_BITS && x->cols == y->rows &&
           x->rows == z->rows && y->cols == z->cols;
}
EXPORT int cusparseSpMM_bufferSize(Handle *h, int turn_a, int turn_b, const void *alpha, Lines *x, Dense *y,
                                   const void *beta, Dense *z, int type, int algorithm, size_t *bytes) {
    BEGIN;
    (void)alpha, (void)beta;
    *bytes = ROOM;
    return end(h && !turn_a && !turn_b && fits(x, y, z, type, algorithm) ? 0 : BAD);
}

/* Numbers 2 * at and 2 * at + 1 of pairs, number `at` of others. */
static void get(const char *p, int type, int64_t at, double v[2]) {
    bool wide = type & 1, pairs = type > 1;
    for (int part = 0; part < 1 + pairs; part++) {
        int64_t i = pairs ? 2 * at + part : at;
        v[part] = wide ? ((const double *)(const void *)p)[i] : ((const float *)(const void *)p)[i];
    }
    if (!pairs) v[1] = 0;
}
static void put(char *p, int type, int64_t at, const double v[2]) {
    bool wide = type & 1, pairs = type > 1;
    for (int part = 0; part < 1 + pairs; part++) {
        int64_t i = pairs ? 2 * at + part : at;
        if (wide) ((double *)(void *)p)[i] = v[part];
        else ((float *)(void *)p)[i] = (float)v[part];
    }
}
static int64_t place(const Dense *x, int64_t r, int64_t c) {
    return x->order == ROWS ? r * x->step + c : c * x->step + r;
}

static void run(const void *args) {
    const Call *c = args;
    for (int64_t r = 0; r < c->x.rows; r++)
        for (int64_t j = 0; j < c->z.cols; j++) {
            double sum[2] = {0, 0}, u[2], v[2];
            for (int64_t k = c->x.ptr[r]; k < c->x.ptr[r + 1]; k++) {
                get(c->x.at, c->x.type, k, u);
                get(c->y.at, c->y.type, place(&c->y, c->x.idx[k], j), v);
                sum[0] += u[0] * v[0] - u[1] * v[1], sum[1] += u[0] * v[1] + u[1] * v[0];
            }
            put(c->z.at, c->z.type, place(&c->z, r, j), sum);
        }
}

EXPORT int cusparseSpMM(Handle *h, int turn_a, int turn_b, const void *alpha, Lines *x, Dense *y, const void *beta,
                        Dense *z, int type, int algorithm, void *room) {
    BEGIN;
    (void)beta;
    double one = type & 1 ? *(const double *)alpha : *(const float *)alpha;
    if (!h || turn_a || turn_b || one != 1 || !fits(x, y, z, type, algorithm) || !stream_is(h->stream)) return end(BAD);
    if (!memory_holds((uintptr_t)room, ROOM)) return end(BAD);
    Work *w = work_new(WORK_CALL, sizeof(Call));
    if (!w) return end(NO_ROOM);
    *(Call *)(void *)w->args = (Call){*x, *y, *z};
    w->call = run;
    return end(stream_add(h->stream, w) ? FAILED : 0);
}
