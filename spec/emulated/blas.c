/*
 * blas.c -- cuBLASLt without a GPU: the entry points that core/runtime/gpu/matmul.c lists. A product is queued as a
 * kernel is and computed term by term in double; descriptions are looked at as the library does.
 */
#include "library.h"

#include "../../core/base/half.h"

#include <stdlib.h>
#include <string.h>

enum { FAILED = 1, NO_ROOM = 3, BAD = 7, UNSUPPORTED = 15 };

typedef struct Product {
    int sum, scale, turn[2];
    uint32_t behind;
    char *bias;
} Product;
typedef struct Matrix {
    int type;
    uint64_t rows, cols;
    int64_t step, between;
    int32_t many;
} Matrix;
typedef struct Wish {
    uint64_t room;
    int joins;
} Wish;
typedef struct Choice {
    uint64_t algorithm[8];
    size_t bytes;
    int state;
    float waves;
    int more[4];
} Choice;
typedef struct Call {
    Product product;
    Matrix m[4]; /* a, b, what is written, what is added */
    double alpha, beta;
    char *at[4];
} Call;

enum { MAGIC = 0x1d };

static int make(void **to, size_t bytes) { return (*to = calloc(1, bytes)) ? 0 : NO_ROOM; }

EXPORT int cublasLtGetProperty(int type, int *value) {
    *value = type == 0 ? 13 : 0;
    return 0;
}
EXPORT int cublasLtCreate(void **handle) {
    BEGIN;
    return end(make(handle, 1));
}
EXPORT int cublasLtDestroy(void *handle) {
    free(handle);
    return 0;
}
EXPORT int cublasLtMatmulDescCreate(void **p, int sum, int scale) {
    BEGIN;
    int code = make(p, sizeof(Product));
    if (!code) ((Product *)*p)->sum = sum, ((Product *)*p)->scale = scale;
    return end(code);
}
EXPORT int cublasLtMatmulDescDestroy(void *p) {
    free(p);
    return 0;
}
EXPORT int cublasLtMatmulDescSetAttribute(Product *p, int what, const void *v, size_t bytes) {
    if (what == 7 && bytes == sizeof p->behind) memcpy(&p->behind, v, bytes);
    if (what == 8 && bytes == sizeof p->bias) memcpy(&p->bias, v, bytes);
    if (what == 7 || what == 8) return what == 7 && p->behind != 4 ? BAD : 0;
    if (bytes != sizeof(int) || what < 3 || what > 4) return BAD;
    memcpy(&p->turn[what - 3], v, bytes);
    return p->turn[what - 3] > 1 ? BAD : 0;
}
EXPORT int cublasLtMatrixLayoutCreate(void **to, int type, uint64_t rows, uint64_t cols, int64_t step) {
    BEGIN;
    if (!rows || !cols || step < (int64_t)rows || !(type == 0 || type == 1 || type == 2 || type == 14)) return end(BAD);
    int code = make(to, sizeof(Matrix));
    if (!code) *(Matrix *)*to = (Matrix){.type = type, .rows = rows, .cols = cols, .step = step, .many = 1};
    return end(code);
}
EXPORT int cublasLtMatrixLayoutDestroy(void *m) {
    free(m);
    return 0;
}
EXPORT int cublasLtMatrixLayoutSetAttribute(Matrix *m, int what, const void *v, size_t bytes) {
    if (what == 5 && bytes == sizeof m->many) memcpy(&m->many, v, bytes);
    else if (what == 6 && bytes == sizeof m->between) memcpy(&m->between, v, bytes);
    else return BAD;
    return 0;
}
EXPORT int cublasLtMatmulPreferenceCreate(void **w) {
    BEGIN;
    return end(make(w, sizeof(Wish)));
}
EXPORT int cublasLtMatmulPreferenceDestroy(void *w) {
    free(w);
    return 0;
}
EXPORT int cublasLtMatmulPreferenceSetAttribute(Wish *w, int what, const void *v, size_t bytes) {
    if (what == 1 && bytes == sizeof w->room) memcpy(&w->room, v, bytes);
    else if (what == 3 && bytes == sizeof w->joins) memcpy(&w->joins, v, bytes);
    else return BAD;
    return 0;
}

static bool fits(const Product *p, const Matrix *a, const Matrix *b, const Matrix *c) {
    uint64_t rows = p->turn[0] ? a->cols : a->rows, deep = p->turn[0] ? a->rows : a->cols;
    uint64_t also = p->turn[1] ? b->cols : b->rows, cols = p->turn[1] ? b->rows : b->cols;
    bool halves = (a->type == 2 || a->type == 14) && (c->type == 0 || c->type == a->type), wide = c->type == 1;
    bool types = a->type == b->type && (halves || (b->type == c->type && c->type < 2)) && p->scale == wide &&
                 p->sum == (wide ? 70 : 68);
    return types && rows == c->rows && cols == c->cols && deep == also && a->many == c->many && b->many == c->many;
}

EXPORT int cublasLtMatmulAlgoGetHeuristic(void *handle, Product *p, Matrix *a, Matrix *b, Matrix *c, Matrix *d, Wish *w,
                                          int most, Choice *choice, int *found) {
    BEGIN;
    *found = 0;
    if (!handle || most < 1 || w->joins == 0 || w->joins & 1) return end(BAD);
    if (!fits(p, a, b, c) || !fits(p, a, b, d)) return end(BAD);
    if (p->behind && c->type) return end(UNSUPPORTED); /* of float64 it has none */
    if (c->type > 1 && w->joins & 4) return end(BAD);  /* parts of sums would be rounded */
    memset(choice, 0, sizeof *choice);
    choice->algorithm[0] = MAGIC;
    *found = 1;
    return end(0);
}

/* float16 (2) or bfloat16 (14) */
static double half(uint16_t h, int type) {
    uint32_t low = h & 0x7fffu, sign = (h & 0x8000u) << 16;
    uint32_t bits = type == 14       ? (uint32_t)h << 16
                    : low >= 0x7c00u ? sign | 0x7f800000u | (low & 0x3ffu) << 13
                                     : low << 13;
    float n;
    memcpy(&n, &bits, sizeof n);
    if (type == 14 || low >= 0x7c00u) return (double)n;
    return (sign ? -1 : 1) * (double)n * 0x1p112;
}

static double get(const Call *c, int i, int64_t many, uint64_t row, uint64_t col) {
    const Matrix *m = &c->m[i];
    int64_t at = many * m->between + (int64_t)row + (int64_t)col * m->step;
    if (m->type > 1) return half(((const uint16_t *)(const void *)c->at[i])[at], m->type);
    return m->type ? ((const double *)(const void *)c->at[i])[at] : ((const float *)(const void *)c->at[i])[at];
}

static void run(const void *args) {
    const Call *c = args;
    const Matrix *to = &c->m[2];
    uint64_t deep = c->product.turn[0] ? c->m[0].rows : c->m[0].cols;
    for (int32_t b = 0; b < to->many; b++)
        for (uint64_t col = 0; col < to->cols; col++)
            for (uint64_t row = 0; row < to->rows; row++) {
                double sum = 0;
                for (uint64_t k = 0; k < deep; k++)
                    sum += (c->product.turn[0] ? get(c, 0, b, k, row) : get(c, 0, b, row, k)) *
                           (c->product.turn[1] ? get(c, 1, b, col, k) : get(c, 1, b, k, col));
                sum *= c->alpha;
                if (c->beta != 0) sum += c->beta * get(c, 3, b, row, col);
                if (c->product.bias) sum += ((const float *)(const void *)c->product.bias)[row];
                int64_t at = b * to->between + (int64_t)row + (int64_t)col * to->step;
                if (to->type > 1)
                    ((uint16_t *)(void *)c->at[2])[at] =
                        to->type == 14 ? bhalf_of_f32((float)sum) : half_of_f32((float)sum);
                else if (to->type) ((double *)(void *)c->at[2])[at] = sum;
                else ((float *)(void *)c->at[2])[at] = (float)sum;
            }
}

EXPORT int cublasLtMatmul(void *handle, Product *p, const void *alpha, const void *a, Matrix *ma, const void *b,
                          Matrix *mb, const void *beta, const void *c, Matrix *mc, void *d, Matrix *md,
                          const uint64_t *algorithm, void *room, size_t bytes, Stream *s) {
    BEGIN;
    if (!handle || !stream_is(s) || algorithm[0] != MAGIC || !fits(p, ma, mb, md) || !fits(p, ma, mb, mc))
        return end(BAD);
    if (bytes && !memory_holds((uintptr_t)room, bytes)) return end(BAD);
    if (p->behind && !memory_holds((uintptr_t)p->bias, 4 * md->rows)) return end(BAD);
    Work *w = work_new(WORK_CALL, sizeof(Call));
    if (!w) return end(NO_ROOM);
    Call *x = (Call *)(void *)w->args;
    *x = (Call){*p, {*ma, *mb, *md, *mc}, 0, 0, {(char *)(uintptr_t)a, (char *)(uintptr_t)b, d, (char *)(uintptr_t)c}};
    x->alpha = p->scale ? *(const double *)alpha : *(const float *)alpha;
    x->beta = p->scale ? *(const double *)beta : *(const float *)beta;
    w->call = run;
    return end(stream_add(s, w));
}
