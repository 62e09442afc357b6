/*
 * move.c -- matrices from one memory layout to another. In: addresses, strides in bytes. Out: copies.
 */
#include "move.h"

#include <math.h>
#include <string.h>

enum { TILE = 16 };

/* Rows of the destination together with columns of the source, by tiles that stay in the cache. */
#define COPY(name, type) \
    static void copy_##name(char *to, int64_t trs, int64_t tcs, const char *from, int64_t frs, int64_t fcs, \
                            int64_t rows, int64_t cols) { \
        for (int64_t i0 = 0; i0 < rows; i0 += TILE) { \
            int64_t i1 = i0 + TILE < rows ? i0 + TILE : rows; \
            for (int64_t j0 = 0; j0 < cols; j0 += TILE) { \
                int64_t j1 = j0 + TILE < cols ? j0 + TILE : cols; \
                for (int64_t i = i0; i < i1; i++) \
                    for (int64_t j = j0; j < j1; j++) \
                        *(type *)(void *)(to + i * trs + j * tcs) = \
                            *(const type *)(const void *)(from + i * frs + j * fcs); \
            } \
        } \
    }
COPY(f32, float)
COPY(f64, double)
COPY(c64, ThComplex64)
COPY(c128, ThComplex128)

static const int64_t items[4] = {4, 8, 8, 16};

void factor_copy(int d, void *to, int64_t trs, int64_t tcs, const void *from, int64_t frs, int64_t fcs, int64_t rows,
                 int64_t cols) {
    static void (*const copies[4])(char *, int64_t, int64_t, const char *, int64_t, int64_t, int64_t,
                                   int64_t) = {copy_f32, copy_f64, copy_c64, copy_c128};
    int64_t item = items[d];
    if (tcs == item && fcs == item) {
        if (trs == cols * item && frs == trs) {
            memcpy(to, from, (size_t)(rows * trs));
            return;
        }
        for (int64_t i = 0; i < rows; i++)
            memcpy((char *)to + i * trs, (const char *)from + i * frs, (size_t)(cols * item));
        return;
    }
    copies[d](to, trs, tcs, from, frs, fcs, rows, cols);
}

void factor_rows(const FactorJob *j, int i, const char *at, void *to) {
    const FactorOperand *o = &j->w->op[i];
    factor_copy(j->d, to, o->n[1] * j->item, j->item, at, o->ms[0], o->ms[1], o->n[0], o->n[1]);
}

void factor_turned(const FactorJob *j, int i, const char *at, void *to) {
    const FactorOperand *o = &j->w->op[i];
    factor_copy(j->d, to, o->n[0] * j->item, j->item, at, o->ms[1], o->ms[0], o->n[1], o->n[0]);
}

void factor_triangle(const FactorJob *j, int i, const char *at, void *to) {
    const FactorOperand *o = &j->w->op[i];
    int64_t n = o->n[0], item = j->item, row = n * item;
    bool lower = j->w->lower;
    if (o->ms[1] != item) factor_rows(j, i, at, to);
    for (int64_t r = 0; r < n; r++) {
        char *line = (char *)to + r * row;
        int64_t first = lower ? 0 : r, end = lower ? r + 1 : n;
        if (o->ms[1] == item)
            memcpy(line + first * item, at + r * o->ms[0] + first * item, (size_t)((end - first) * item));
        if (lower) memset(line + end * item, 0, (size_t)((n - end) * item));
        else memset(line, 0, (size_t)(first * item));
    }
}

#define SQUARE(name, type, real) \
    static void mirror_##name(type *a, int64_t n, bool lower, bool straight) { \
        for (int64_t i = 0; i < n; i++) \
            for (int64_t k = 0; k < i; k++) { \
                type v = lower ? a[i * n + k] : a[k * n + i]; \
                a[lower ? k * n + i : i * n + k] = straight ? v : CONJUGATE_##real(v); \
            } \
    } \
    static void turn_##name(type *a, int64_t n, bool conjugate) { \
        for (int64_t i0 = 0; i0 < n; i0 += TILE) \
            for (int64_t k0 = 0; k0 <= i0; k0 += TILE) \
                for (int64_t i = i0; i < i0 + TILE && i < n; i++) \
                    for (int64_t k = k0; k < k0 + TILE && k < i; k++) { \
                        type v = a[i * n + k]; \
                        a[i * n + k] = a[k * n + i], a[k * n + i] = v; \
                    } \
        if (conjugate) conjugate_##name(a, n *n); \
    }
#define CONJUGATE_real(v) (v)
#define CONJUGATE_pair(v) ((v).im = -(v).im, (v))

static void conjugate_f32(float *a, int64_t n) { (void)a, (void)n; }
static void conjugate_f64(double *a, int64_t n) { (void)a, (void)n; }
static void conjugate_c64(ThComplex64 *a, int64_t n) {
    for (int64_t i = 0; i < n; i++) a[i].im = -a[i].im;
}
static void conjugate_c128(ThComplex128 *a, int64_t n) {
    for (int64_t i = 0; i < n; i++) a[i].im = -a[i].im;
}
SQUARE(f32, float, real)
SQUARE(f64, double, real)
SQUARE(c64, ThComplex64, pair)
SQUARE(c128, ThComplex128, pair)

#define BY_DTYPE(d, call, ...) \
    switch (d) { \
    case FACTOR_F32: call##_f32(__VA_ARGS__); break; \
    case FACTOR_F64: call##_f64(__VA_ARGS__); break; \
    case FACTOR_C64: call##_c64(__VA_ARGS__); break; \
    default: call##_c128(__VA_ARGS__); break; \
    }

void factor_mirror(const FactorJob *j, void *at, bool lower, bool straight) {
    BY_DTYPE(j->d, mirror, at, j->n, lower, straight)
}
void factor_turn_square(int d, void *at, int64_t n, bool conjugate) { BY_DTYPE(d, turn, at, n, conjugate) }
void factor_conjugate(int d, void *at, int64_t count) { BY_DTYPE(d, conjugate, at, count) }

void factor_eye(int d, void *at, int64_t n) {
    memset(at, 0, (size_t)(n * n * items[d]));
    for (int64_t i = 0; i < n; i++) {
        char *p = (char *)at + (i * n + i) * items[d];
        if (d == FACTOR_F32 || d == FACTOR_C64) *(float *)(void *)p = 1;
        else *(double *)(void *)p = 1;
    }
}

/* x * 0 is 0 for finite numbers and NaN for all others. */
#define FINITE(type) \
    { \
        const type *x = at; \
        type sum[8] = {0}; \
        int64_t i = 0; \
        for (; i + 8 <= count; i += 8) \
            for (int l = 0; l < 8; l++) sum[l] += x[i + l] * 0; \
        for (; i < count; i++) sum[0] += x[i] * 0; \
        for (int l = 1; l < 8; l++) sum[0] += sum[l]; \
        return sum[0] == 0; \
    }

bool factor_finite(const FactorJob *j, const void *at, int64_t count) {
    if (factor_is_complex(j)) count *= 2;
    if (j->real == 4) FINITE(float)
    FINITE(double)
}

void factor_nan(ThDtype d, void *at, int64_t count) {
    if (!dtype_is_float(d) && !dtype_is_complex(d)) {
        memset(at, 0, (size_t)count * th_dtype_bytes(d));
        return;
    }
    if (dtype_is_complex(d)) count *= 2;
    if (d == TH_FLOAT32 || d == TH_COMPLEX64)
        for (int64_t i = 0; i < count; i++) ((float *)at)[i] = NAN;
    else
        for (int64_t i = 0; i < count; i++) ((double *)at)[i] = NAN;
}

void factor_swap(char *x, char *y, int64_t bytes) {
    char keep[256];
    for (int64_t done = 0; done < bytes; done += (int64_t)sizeof keep) {
        size_t part = (size_t)(bytes - done) < sizeof keep ? (size_t)(bytes - done) : sizeof keep;
        memcpy(keep, x + done, part);
        memcpy(x + done, y + done, part);
        memcpy(y + done, keep, part);
    }
}

void factor_swap_rows(const FactorJob *j, void *b, int64_t cols, const int *at, int count, int base, bool back) {
    int64_t row = cols * j->item;
    for (int s = 0; s < count; s++) {
        int i = back ? count - 1 - s : s, to = at[i] - base;
        if (to != i) factor_swap((char *)b + i * row, (char *)b + to * row, row);
    }
}

void factor_upper(const FactorJob *j, const char *a, char *to, int rows) {
    int64_t item = j->item;
    factor_copy(j->d, to, j->n * item, item, a, item, j->m * item, rows < j->m ? rows : j->m, j->n);
    for (int64_t i = 1; i < rows; i++) memset(to + i * j->n * item, 0, (size_t)((i < j->n ? i : j->n) * item));
}
