/*
 * plain.c -- products of integers, bool and complex.
 *
 * In: GemmArgs of those dtypes. Out: c. Integers wrap, bool sums with "or" (as NumPy's matmul), complex products are
 * (ar br - ai bi, ar bi + ai br), each operation rounded, summed over ascending k. Large complex
 * products go to OpenBLAS when it is there; operands whose layout it cannot take are copied to scratch first, so that
 * the way through depends on sizes alone.
 */
#include "gemm.h"

#include "runtime/machine/blas.h"

#include <string.h>

enum { WIDE = 64 /* columns summed at once */, ALIGN = 64 };
static const double BLAS_PRODUCTS = 32768; /* m n k from which a call of OpenBLAS pays */

/* Before the next row: whether work is to stop; the clock is looked at now and then. */
static bool leaves(ThContext *c, const GemmArgs *g, int64_t *since) {
    enum { OFTEN = 1 << 20 }; /* multiply-adds */
    *since += g->n * g->k + 1;
    if (*since < OFTEN) return false;
    *since = 0;
    return ctx_leaves(c, g->early);
}

/* ---- integers and bool ------------------------------------------------------------------------------------------- */
#define INTEGER(name, T) \
    static void name(ThContext *c, const GemmArgs *g) { \
        T alpha = (T)(int64_t)g->alpha, beta = (T)(int64_t)g->beta; \
        for (int64_t i = 0, since = 0; i < g->m && !leaves(c, g, &since); i++) \
            for (int64_t j0 = 0; j0 < g->n; j0 += WIDE) { \
                int64_t n = g->n - j0 < WIDE ? g->n - j0 : WIDE; \
                T sum[WIDE] = {0}; \
                const T *a = (const T *)g->a + i * g->ars, *b = (const T *)g->b + j0 * g->bcs; \
                for (int64_t k = 0; k < g->k; k++, a += g->acs, b += g->brs) \
                    for (int64_t j = 0; j < n; j++) sum[j] = (T)(sum[j] + (T)(WORD(T) * a * b[j * g->bcs])); \
                T *to = (T *)g->c + i * g->crs + j0 * g->ccs; \
                for (int64_t j = 0; j < n; j++, to += g->ccs) \
                    *to = (T)(WORD(T) alpha * sum[j] + (g->beta != 0 ? (T)(WORD(T) beta * *to) : 0)); \
            } \
    }
/* 16-bit factors would be multiplied as int: as unsigned long the product wraps without undefined overflow. */
#define WORD(T) (uint64_t)
INTEGER(int8, int8_t)
INTEGER(int16, int16_t)
INTEGER(int32, int32_t)
INTEGER(int64, int64_t)
INTEGER(uint8, uint8_t)
INTEGER(uint16, uint16_t)
INTEGER(uint32, uint32_t)
INTEGER(uint64, uint64_t)

static void boolean(ThContext *ctx, const GemmArgs *g) {
    for (int64_t i = 0, since = 0; i < g->m && !leaves(ctx, g, &since); i++)
        for (int64_t j = 0; j < g->n; j++) {
            const uint8_t *a = (const uint8_t *)g->a + i * g->ars, *b = (const uint8_t *)g->b + j * g->bcs;
            bool any = false;
            for (int64_t k = 0; k < g->k && !any; k++, a += g->acs, b += g->brs) any = *a && *b;
            uint8_t *c = (uint8_t *)g->c + i * g->crs + j * g->ccs;
            *c = (any && g->alpha != 0) || (g->beta != 0 && *c);
        }
}

/* ---- complex ----------------------------------------------------------------------------------------------------- */
#define COMPLEX(name, T, R) \
    static void name(ThContext *c, const GemmArgs *g) { \
        R alpha = (R)g->alpha, beta = (R)g->beta; \
        for (int64_t i = 0, since = 0; i < g->m && !leaves(c, g, &since); i++) \
            for (int64_t j0 = 0; j0 < g->n; j0 += WIDE) { \
                int64_t n = g->n - j0 < WIDE ? g->n - j0 : WIDE; \
                T sum[WIDE] = {{0, 0}}; \
                const T *a = (const T *)g->a + i * g->ars, *b = (const T *)g->b + j0 * g->bcs; \
                for (int64_t k = 0; k < g->k; k++, a += g->acs, b += g->brs) \
                    for (int64_t j = 0; j < n; j++) { \
                        T y = b[j * g->bcs]; \
                        sum[j].re += a->re * y.re - a->im * y.im; \
                        sum[j].im += a->re * y.im + a->im * y.re; \
                    } \
                T *to = (T *)g->c + i * g->crs + j0 * g->ccs; \
                for (int64_t j = 0; j < n; j++, to += g->ccs) { \
                    T r = {alpha * sum[j].re, alpha * sum[j].im}; \
                    if (g->beta != 0) r.re += beta * to->re, r.im += beta * to->im; \
                    *to = r; \
                } \
            } \
    }
COMPLEX(complex64, ThComplex64, float)
COMPLEX(complex128, ThComplex128, double)

/* ---- OpenBLAS ---------------------------------------------------------------------------------------------------- */
/* What BLAS takes as a matrix in rows: neighbours in one direction, rows (or columns) apart without overlap. */
typedef struct Dense {
    const void *p;
    int trans;
    int64_t ld;
} Dense;

static bool dense_rows(int64_t rows, int64_t cols, int64_t rs, int64_t cs) {
    return (cs == 1 || cols == 1) && (rs >= cols || rows == 1) && rs > 0 && rs <= INT32_MAX;
}

static int64_t copy_bytes(int64_t item, int64_t rows, int64_t cols, int64_t rs, int64_t cs) {
    if (dense_rows(rows, cols, rs, cs) || dense_rows(cols, rows, cs, rs)) return 0;
    return (rows * cols * item + ALIGN - 1) / ALIGN * ALIGN;
}

static bool wants_blas(const GemmArgs *g) {
    return dtype_is_complex(g->dtype) && g->m <= INT32_MAX && g->n <= INT32_MAX && g->k <= INT32_MAX &&
           (double)g->m * (double)g->n * (double)g->k >= BLAS_PRODUCTS;
}

size_t gemm_plain_scratch(const GemmArgs *g) {
    if (!wants_blas(g)) return 0;
    int64_t item = (int64_t)th_dtype_bytes(g->dtype);
    int64_t c = dense_rows(g->m, g->n, g->crs, g->ccs) ? 0 : (g->m * g->n * item + ALIGN - 1) / ALIGN * ALIGN;
    return (size_t)(copy_bytes(item, g->m, g->k, g->ars, g->acs) + copy_bytes(item, g->k, g->n, g->brs, g->bcs) + c);
}

static void copy(char *d, int64_t drs, int64_t dcs, const char *s, int64_t srs, int64_t scs, int64_t m, int64_t n,
                 int64_t item) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            memcpy(d + (i * drs + j * dcs) * item, s + (i * srs + j * scs) * item, (size_t)item);
}

static Dense make_dense(const void *p, int64_t rows, int64_t cols, int64_t rs, int64_t cs, int64_t item, char **room) {
    if (dense_rows(rows, cols, rs, cs)) return (Dense){p, BLAS_NO_TRANS, rows == 1 && rs < cols ? cols : rs};
    if (dense_rows(cols, rows, cs, rs)) return (Dense){p, BLAS_TRANS, cols == 1 && cs < rows ? rows : cs};
    char *to = *room;
    *room += copy_bytes(item, rows, cols, rs, cs);
    copy(to, cols, 1, p, rs, cs, rows, cols, item);
    return (Dense){to, BLAS_NO_TRANS, cols};
}

static void complex_product(const Blas *b, const GemmArgs *g, int m, Dense x, Dense y, void *c, int64_t ld) {
    if (g->dtype == TH_COMPLEX64) {
        float alpha[2] = {(float)g->alpha, 0}, beta[2] = {(float)g->beta, 0};
        b->cgemm(BLAS_ROW_MAJOR, x.trans, y.trans, m, (int)g->n, (int)g->k, alpha, x.p, (int)x.ld, y.p, (int)y.ld, beta,
                 c, (int)ld);
    } else {
        double alpha[2] = {g->alpha, 0}, beta[2] = {g->beta, 0};
        b->zgemm(BLAS_ROW_MAJOR, x.trans, y.trans, m, (int)g->n, (int)g->k, alpha, x.p, (int)x.ld, y.p, (int)y.ld, beta,
                 c, (int)ld);
    }
}

/* The library cannot be stopped: no more than its caller has patience for, at a slow rate (a nanosecond a term). */
static int64_t rows_at_once(const ThContext *ctx, const GemmArgs *g) {
    double rows = g->early ? ctx_patience(ctx) / ((double)g->n * (double)g->k) : 1e30;
    return rows >= (double)g->m ? g->m : rows > 16 ? (int64_t)rows : 16;
}

static void call_blas(ThContext *ctx, const Blas *b, const GemmArgs *g, char *room) {
    int64_t item = (int64_t)th_dtype_bytes(g->dtype);
    Dense x = make_dense(g->a, g->m, g->k, g->ars, g->acs, item, &room);
    Dense y = make_dense(g->b, g->k, g->n, g->brs, g->bcs, item, &room);
    bool aside = !dense_rows(g->m, g->n, g->crs, g->ccs);
    char *c = aside ? room : g->c;
    int64_t ld = aside || g->crs < g->n ? g->n : g->crs;
    if (aside && g->beta != 0) copy(c, g->n, 1, g->c, g->crs, g->ccs, g->m, g->n, item);
    int saved = blas_enter(b);
    int64_t rows = rows_at_once(ctx, g);
    for (int64_t i = 0; i < g->m && !ctx_leaves(ctx, g->early); i += rows) {
        const char *from = (const char *)x.p + i * (x.trans == BLAS_TRANS ? 1 : x.ld) * item;
        complex_product(b, g, (int)(g->m - i < rows ? g->m - i : rows), (Dense){from, x.trans, x.ld}, y,
                        c + i * ld * item, ld);
    }
    blas_leave(b, saved);
    if (aside) copy(g->c, g->crs, g->ccs, c, g->n, 1, g->m, g->n, item);
}

void gemm_plain(ThContext *c, const GemmArgs *g, void *scratch) {
    static void (*const loops[TH_DTYPE_COUNT])(ThContext *, const GemmArgs *) = {
        [TH_BOOL] = boolean,  [TH_INT8] = int8,           [TH_INT16] = int16,           [TH_INT32] = int32,
        [TH_INT64] = int64,   [TH_UINT8] = uint8,         [TH_UINT16] = uint16,         [TH_UINT32] = uint32,
        [TH_UINT64] = uint64, [TH_COMPLEX64] = complex64, [TH_COMPLEX128] = complex128,
    };
    if (wants_blas(g)) {
        const Blas *b = blas_open(c);
        if (b && b->cgemm && b->zgemm) {
            call_blas(c, b, g, scratch);
            return;
        }
    }
    loops[g->dtype](c, g);
}
