/*
 * solver.c -- cuSOLVER without a GPU: the entry points that core/runtime/gpu/cusolver.c lists. Matrices are computed as
 * complex ones in double: Cholesky by columns, eigenvalues and singular values by Jacobi's rotations, LU by rows that
 * change places, QR by reflections.
 */
#include "library.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double complex Number;
enum { FAILED = 6, BAD = 3, NO_ROOM = 2, ROOM = 256, UPPER = 1 };
typedef enum { CHOLESKY, EIGH, SVD, LU, SOLVE, QR, Q } Kind;
typedef struct Handle {
    void *stream;
} Handle;
typedef struct Call {
    Kind kind;
    int64_t m, n, many;
    int type, vectors, trans;
    char *a, *s, *u, *v;
    int64_t *pivot;
    int *info;
    bool full;
} Call;

EXPORT int cusolverGetProperty(int type, int *value) {
    *value = type == 0 ? 12 : 0;
    return 0;
}
EXPORT int cusolverDnCreate(void **handle) {
    BEGIN;
    return end((*handle = calloc(1, sizeof(Handle))) ? 0 : NO_ROOM);
}
EXPORT int cusolverDnDestroy(void *handle) {
    free(handle);
    return 0;
}
EXPORT int cusolverDnSetStream(Handle *h, void *stream) {
    h->stream = stream;
    return stream_is(stream) ? 0 : BAD;
}
EXPORT int cusolverDnSetDeterministicMode(Handle *h, int mode) { return h && mode == 1 ? 0 : BAD; }

/* ---- numbers ---- */
static Number get(const char *p, int type, int64_t at) {
    if (type == 0) return ((const float *)(const void *)p)[at];
    if (type == 1) return ((const double *)(const void *)p)[at];
    if (type == 4) return ((const float *)(const void *)p)[2 * at] + I * ((const float *)(const void *)p)[2 * at + 1];
    return ((const double *)(const void *)p)[2 * at] + I * ((const double *)(const void *)p)[2 * at + 1];
}
static void put(char *p, int type, int64_t at, Number v) {
    if (type == 0) ((float *)(void *)p)[at] = (float)creal(v);
    else if (type == 1) ((double *)(void *)p)[at] = creal(v);
    else if (type == 4)
        ((float *)(void *)p)[2 * at] = (float)creal(v), ((float *)(void *)p)[2 * at + 1] = (float)cimag(v);
    else ((double *)(void *)p)[2 * at] = creal(v), ((double *)(void *)p)[2 * at + 1] = cimag(v);
}

/* ---- what is computed ---- */
/* The upper factor of what stands above the diagonal. */
static int cholesky(Number *a, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        double d = creal(a[j + j * n]);
        for (int64_t k = 0; k < j; k++) d -= creal(conj(a[k + j * n]) * a[k + j * n]);
        if (!(d > 0)) return (int)j + 1;
        d = sqrt(d);
        a[j + j * n] = d;
        for (int64_t c = j + 1; c < n; c++) {
            Number s = a[j + c * n];
            for (int64_t k = 0; k < j; k++) s -= conj(a[k + j * n]) * a[k + c * n];
            a[j + c * n] = s / d;
        }
    }
    return 0;
}

/* Columns p and q of x (m numbers) and of v (n) become orthogonal in x. */
static bool rotated(Number *x, Number *y, int64_t m, Number *v, Number *w, int64_t n) {
    double alpha = 0, beta = 0;
    Number gamma = 0;
    for (int64_t i = 0; i < m; i++) {
        alpha += creal(conj(x[i]) * x[i]), beta += creal(conj(y[i]) * y[i]);
        gamma += conj(x[i]) * y[i];
    }
    double size = cabs(gamma);
    if (!(size > 1e-15 * sqrt(alpha) * sqrt(beta)) || size < 1e-290) return false;
    double zeta = (beta - alpha) / (2 * size), t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    Number phase = conj(gamma) / size;
    for (int64_t i = 0; i < m; i++) {
        Number a = x[i], b = y[i] * phase;
        x[i] = c * a - s * b, y[i] = s * a + c * b;
    }
    for (int64_t i = 0; i < n; i++) {
        Number a = v[i], b = w[i] * phase;
        v[i] = c * a - s * b, w[i] = s * a + c * b;
    }
    return true;
}

/* a (m x n) becomes U S, v becomes V; s descends. */
static void svd(Number *a, int64_t m, int64_t n, Number *v, double *s) {
    bool moved = true;
    for (int64_t i = 0; i < n * n; i++) v[i] = i / n == i % n;
    for (int sweep = 0; moved && sweep < 60; sweep++) {
        moved = false;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) moved |= rotated(a + p * m, a + q * m, m, v + p * n, v + q * n, n);
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t r = 0; r < m; r++) sum += creal(conj(a[r + i * m]) * a[r + i * m]);
        s[i] = sqrt(sum);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = i + 1; k < n; k++) {
            if (s[k] <= s[i]) continue;
            double d = s[i];
            s[i] = s[k], s[k] = d;
            for (int64_t r = 0; r < m; r++) {
                Number x = a[r + i * m];
                a[r + i * m] = a[r + k * m], a[r + k * m] = x;
            }
            for (int64_t r = 0; r < n; r++) {
                Number x = v[r + i * n];
                v[r + i * n] = v[r + k * n], v[r + k * n] = x;
            }
        }
}

/* Columns of u from those that have length on: what is orthogonal to all before, of the unit vectors. */
static void complete(Number *u, int64_t m, const double *s, int64_t n, int64_t cols) {
    for (int64_t c = 0; c < cols; c++) {
        Number *x = u + c * m;
        if (c < n && s[c] > 1e-14 * s[0] && s[c] > 0) {
            for (int64_t r = 0; r < m; r++) x[r] /= s[c];
            continue;
        }
        for (int64_t unit = 0; unit < m; unit++) {
            for (int64_t r = 0; r < m; r++) x[r] = r == unit;
            for (int twice = 0; twice < 2; twice++)
                for (int64_t k = 0; k < c; k++) {
                    Number d = 0;
                    for (int64_t r = 0; r < m; r++) d += conj(u[r + k * m]) * x[r];
                    for (int64_t r = 0; r < m; r++) x[r] -= d * u[r + k * m];
                }
            double sum = 0;
            for (int64_t r = 0; r < m; r++) sum += creal(conj(x[r]) * x[r]);
            if (sum < 0.25 / (double)m) continue;
            for (int64_t r = 0; r < m; r++) x[r] /= sqrt(sum);
            break;
        }
    }
}

/* Of a Hermitian matrix, by a shift that makes it positive: its singular vectors are its own then. */
static void eigh(Number *a, int64_t n, Number *v, double *s) {
    double most = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            if (i > j) a[i + j * n] = conj(a[j + i * n]);
            if (i == j) a[i + j * n] = creal(a[i + j * n]);
        }
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += cabs(a[i + j * n]);
        if (sum > most) most = sum;
    }
    for (int64_t i = 0; i < n; i++) a[i + i * n] += 1.5 * most;
    svd(a, n, n, v, s);
    for (int64_t i = 0; i < n; i++) s[i] -= 1.5 * most;
}

/* Pivots from 1 on; the number of the first that is 0. */
static int lu(Number *a, int64_t m, int64_t n, int64_t *pivot) {
    int bad = 0;
    for (int64_t k = 0; k < m && k < n; k++) {
        int64_t best = k;
        for (int64_t i = k; i < m; i++) {
            Number x = a[i + k * m], y = a[best + k * m];
            if (fabs(creal(x)) + fabs(cimag(x)) > fabs(creal(y)) + fabs(cimag(y))) best = i;
        }
        pivot[k] = best + 1;
        for (int64_t c = 0; c < n; c++) {
            Number x = a[k + c * m];
            a[k + c * m] = a[best + c * m], a[best + c * m] = x;
        }
        if (a[k + k * m] == 0) {
            if (!bad) bad = (int)k + 1;
            continue;
        }
        for (int64_t i = k + 1; i < m; i++) a[i + k * m] /= a[k + k * m];
        for (int64_t c = k + 1; c < n; c++)
            for (int64_t i = k + 1; i < m; i++) a[i + c * m] -= a[i + k * m] * a[k + c * m];
    }
    return bad;
}

/* Element (r, c) of a factor, turned as `trans` says. */
static Number turned(const Number *a, int64_t n, int trans, int64_t r, int64_t c) {
    Number v = trans ? a[c + r * n] : a[r + c * n];
    return trans == 2 ? conj(v) : v;
}

static void triangle(const Number *a, int64_t n, int trans, bool down, bool unit, Number *x) {
    for (int64_t s = 0; s < n; s++) {
        int64_t i = down ? s : n - 1 - s;
        for (int64_t c = down ? 0 : i + 1; c < (down ? i : n); c++) x[i] -= turned(a, n, trans, i, c) * x[c];
        if (!unit) x[i] /= turned(a, n, trans, i, i);
    }
}

static void swapped(Number *x, int64_t n, const int64_t *pivot, bool back) {
    for (int64_t s = 0; s < n; s++) {
        int64_t i = back ? n - 1 - s : s;
        Number v = x[i];
        x[i] = x[pivot[i] - 1], x[pivot[i] - 1] = v;
    }
}

static void solve(const Number *a, int64_t n, int trans, const int64_t *pivot, Number *x) {
    if (!trans) swapped(x, n, pivot, false);
    triangle(a, n, trans, true, !trans, x);
    triangle(a, n, trans, false, trans, x);
    if (trans) swapped(x, n, pivot, true);
}

/* Column x (m numbers) less tau v (v, x). */
static void reflected(Number *x, const Number *v, Number tau, int64_t m) {
    Number d = x[0];
    for (int64_t i = 1; i < m; i++) d += conj(v[i]) * x[i];
    x[0] -= tau * d;
    for (int64_t i = 1; i < m; i++) x[i] -= tau * d * v[i];
}

static void qr(Number *a, int64_t m, int64_t n, Number *tau) {
    for (int64_t k = 0; k < m && k < n; k++) {
        Number *x = a + k + k * m, alpha = x[0];
        double below = 0;
        for (int64_t i = 1; i < m - k; i++) below += creal(conj(x[i]) * x[i]);
        tau[k] = 0;
        if (below == 0 && cimag(alpha) == 0) continue;
        double beta = sqrt(below + creal(conj(alpha) * alpha));
        if (creal(alpha) > 0) beta = -beta;
        tau[k] = (beta - alpha) / beta;
        for (int64_t i = 1; i < m - k; i++) x[i] /= alpha - beta;
        for (int64_t c = k + 1; c < n; c++) reflected(a + k + c * m, x, conj(tau[k]), m - k);
        x[0] = beta;
    }
}

static void form_q(Number *a, int64_t m, int64_t cols, int64_t k, const Number *tau) {
    for (int64_t c = k; c < cols; c++)
        for (int64_t i = 0; i < m; i++) a[i + c * m] = i == c;
    for (int64_t j = k - 1; j >= 0; j--) {
        Number *x = a + j + j * m;
        for (int64_t c = j + 1; c < cols; c++) reflected(a + j + c * m, x, tau[j], m - j);
        for (int64_t i = 1; i < m - j; i++) x[i] *= -tau[j];
        x[0] = 1 - tau[j];
        for (int64_t i = 0; i < j; i++) a[i + j * m] = 0;
    }
}

static void get_all(Number *to, const char *from, int type, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] = get(from, type, i);
}
static void put_all(char *to, int type, const Number *from, int64_t n) {
    for (int64_t i = 0; i < n; i++) put(to, type, i, from[i]);
}

static void run_spectrum(const Call *c, Number *a, Number *v, double *s) {
    int64_t m = c->m, n = c->n, cols = c->full ? m : n;
    int real = c->type & 1;
    if (c->kind == EIGH) eigh(a, n, v, s);
    else svd(a, m, n, v, s);
    for (int64_t i = 0; i < n; i++) put(c->s, real, i, s[c->kind == EIGH ? n - 1 - i : i]);
    *c->info = 0;
    if (!c->vectors) return;
    for (int64_t i = 0; c->kind == EIGH && i < n * n; i++) put(c->a, c->type, i, v[i % n + (n - 1 - i / n) * n]);
    if (c->kind == EIGH) return;
    complete(a, m, s, n, cols);
    put_all(c->full ? c->u : c->a, c->type, a, m * cols);
    for (int64_t i = 0; i < n * n; i++) put(c->v, c->type, i, conj(v[i / n + i % n * n]));
}

static void run_solve(const Call *c, const Number *a, Number *x) {
    for (int64_t k = 0; k < c->many; k++) {
        int64_t at = k * c->n;
        for (int64_t i = 0; i < c->n; i++) x[i] = get(c->s, c->type, at + i);
        solve(a, c->n, c->trans, c->pivot, x);
        for (int64_t i = 0; i < c->n; i++) put(c->s, c->type, at + i, x[i]);
    }
}

static void run(const void *args) {
    const Call *c = args;
    int64_t m = c->m, n = c->n, wide = m > n ? m : n;
    Number *a = malloc(sizeof(Number) * (size_t)(wide * wide + wide * wide + wide)), *v = a + wide * wide;
    double *s = malloc(sizeof(double) * (size_t)(n + 1));
    if (a && s) get_all(a, c->a, c->type, m * n);
    if (a && s && (c->kind == EIGH || c->kind == SVD)) run_spectrum(c, a, v, s);
    else if (a && s && c->kind == SOLVE) run_solve(c, a, v);
    else if (a && s) {
        int64_t small = m < n ? m : n;
        *c->info = c->kind == CHOLESKY ? cholesky(a, n) : c->kind == LU ? lu(a, m, n, c->pivot) : 0;
        if (c->kind == QR) qr(a, m, n, v);
        if (c->kind == QR) put_all(c->s, c->type, v, small);
        if (c->kind == Q) get_all(v, c->s, c->type, n);
        if (c->kind == Q) form_q(a, m, c->many, n, v);
        put_all(c->a, c->type, a, m * (c->kind == Q ? c->many : n));
    }
    free(a);
    free(s);
}

static int queue(const Handle *h, Call c, void *room, size_t bytes) {
    size_t item = (c.type & 1 ? 8 : 4) * (c.type > 1 ? 2u : 1u);
    bool roomy = c.kind == SOLVE || (bytes >= ROOM && memory_holds((uintptr_t)room, bytes));
    if (!h || !stream_is(h->stream) || !roomy) return BAD;
    if (!memory_holds((uintptr_t)c.a, item * (size_t)(c.m * c.n)) || !memory_holds((uintptr_t)c.info, 4)) return BAD;
    Work *w = work_new(WORK_CALL, sizeof c);
    if (!w) return NO_ROOM;
    *(Call *)(void *)w->args = c;
    w->call = run;
    return stream_add(h->stream, w) ? FAILED : 0;
}

/* ---- the entry points ---- */
EXPORT int cusolverDnXpotrf_bufferSize(Handle *h, void *params, int side, int64_t n, int type, const void *a,
                                       int64_t step, int compute, size_t *there, size_t *here) {
    BEGIN;
    (void)a, (void)params;
    *there = ROOM, *here = 8;
    return end(h && side == UPPER && step == n && type == compute ? 0 : BAD);
}
EXPORT int cusolverDnXpotrf(Handle *h, void *params, int side, int64_t n, int type, void *a, int64_t step, int compute,
                            void *there, size_t there_bytes, void *here, size_t here_bytes, int *info) {
    BEGIN;
    (void)params, (void)compute;
    if (side != UPPER || step != n || !here || here_bytes < 8) return end(BAD);
    return end(
        queue(h, (Call){.kind = CHOLESKY, .m = n, .n = n, .type = type, .a = a, .info = info}, there, there_bytes));
}
EXPORT int cusolverDnXsyevd_bufferSize(Handle *h, void *params, int job, int side, int64_t n, int type, const void *a,
                                       int64_t step, int s_type, const void *s, int compute, size_t *there,
                                       size_t *here) {
    BEGIN;
    (void)a, (void)s, (void)params, (void)job;
    *there = ROOM, *here = 8;
    return end(h && side == UPPER && step == n && type == compute && s_type == (type & 1) ? 0 : BAD);
}
EXPORT int cusolverDnXsyevd(Handle *h, void *params, int job, int side, int64_t n, int type, void *a, int64_t step,
                            int s_type, void *s, int compute, void *there, size_t there_bytes, void *here,
                            size_t here_bytes, int *info) {
    BEGIN;
    (void)params, (void)compute, (void)s_type;
    if (side != UPPER || step != n || !here || here_bytes < 8) return end(BAD);
    Call c = {.kind = EIGH, .m = n, .n = n, .type = type, .a = a, .s = s, .info = info, .vectors = job};
    return end(queue(h, c, there, there_bytes));
}
EXPORT int cusolverDnXgesvd_bufferSize(Handle *h, void *params, signed char u_job, signed char v_job, int64_t m,
                                       int64_t n, int type, const void *a, int64_t step, int s_type, const void *s,
                                       int u_type, const void *u, int64_t u_step, int v_type, const void *v,
                                       int64_t v_step, int compute, size_t *there, size_t *here) {
    BEGIN;
    (void)params, (void)a, (void)s, (void)u, (void)v, (void)u_job, (void)v_job;
    *there = ROOM, *here = 8;
    bool types = type == compute && u_type == type && v_type == type && s_type == (type & 1);
    return end(h && m >= n && step == m && u_step == m && v_step == n && types ? 0 : BAD);
}
EXPORT int cusolverDnXgesvd(Handle *h, void *params, signed char u_job, signed char v_job, int64_t m, int64_t n,
                            int type, void *a, int64_t step, int s_type, void *s, int u_type, void *u, int64_t u_step,
                            int v_type, void *v, int64_t v_step, int compute, void *there, size_t there_bytes,
                            void *here, size_t here_bytes, int *info) {
    BEGIN;
    (void)params, (void)compute, (void)s_type, (void)u_type, (void)v_type, (void)u_step, (void)v_step;
    if (m < n || step != m || !here || here_bytes < 8 || (u_job == 'N') != (v_job == 'N')) return end(BAD);
    Call c = {.kind = SVD, .m = m, .n = n, .type = type, .a = a, .s = s, .u = u, .v = v, .info = info};
    c.vectors = u_job != 'N', c.full = u_job == 'A';
    return end(queue(h, c, there, there_bytes));
}
EXPORT int cusolverDnXgetrf_bufferSize(Handle *h, void *params, int64_t m, int64_t n, int type, const void *a,
                                       int64_t step, int compute, size_t *there, size_t *here) {
    BEGIN;
    (void)a, (void)params, (void)n;
    *there = ROOM, *here = 8;
    return end(h && step == m && type == compute ? 0 : BAD);
}
EXPORT int cusolverDnXgetrf(Handle *h, void *params, int64_t m, int64_t n, int type, void *a, int64_t step,
                            int64_t *pivot, int compute, void *there, size_t there_bytes, void *here, size_t here_bytes,
                            int *info) {
    BEGIN;
    (void)params;
    if (step != m || type != compute || !here || here_bytes < 8) return end(BAD);
    if (!memory_holds((uintptr_t)pivot, 8 * (size_t)(m < n ? m : n))) return end(BAD);
    return end(queue(h, (Call){.kind = LU, .m = m, .n = n, .type = type, .a = a, .pivot = pivot, .info = info}, there,
                     there_bytes));
}
EXPORT int cusolverDnXgetrs(Handle *h, void *params, int trans, int64_t n, int64_t many, int type, const void *a,
                            int64_t step, const int64_t *pivot, int b_type, void *b, int64_t b_step, int *info) {
    BEGIN;
    (void)params;
    if (trans < 0 || trans > 2 || step != n || b_step != n || type != b_type) return end(BAD);
    if (!memory_holds((uintptr_t)pivot, 8 * (size_t)n)) return end(BAD);
    Call c = {.kind = SOLVE, .m = n, .n = n, .many = many, .type = type, .trans = trans, .s = b, .info = info};
    c.a = (char *)(uintptr_t)a, c.pivot = (int64_t *)(uintptr_t)pivot;
    return end(queue(h, c, NULL, 0));
}
EXPORT int cusolverDnXgeqrf_bufferSize(Handle *h, void *params, int64_t m, int64_t n, int type, const void *a,
                                       int64_t step, int tau_type, const void *tau, int compute, size_t *there,
                                       size_t *here) {
    BEGIN;
    (void)a, (void)params, (void)n, (void)tau;
    *there = ROOM, *here = 8;
    return end(h && step == m && type == compute && type == tau_type ? 0 : BAD);
}
EXPORT int cusolverDnXgeqrf(Handle *h, void *params, int64_t m, int64_t n, int type, void *a, int64_t step,
                            int tau_type, void *tau, int compute, void *there, size_t there_bytes, void *here,
                            size_t here_bytes, int *info) {
    BEGIN;
    (void)params;
    if (step != m || type != compute || type != tau_type || !here || here_bytes < 8) return end(BAD);
    return end(
        queue(h, (Call){.kind = QR, .m = m, .n = n, .type = type, .a = a, .s = tau, .info = info}, there, there_bytes));
}

static int q_bytes(const Handle *h, int m, int n, int k, int step, int *numbers) {
    *numbers = ROOM;
    return h && m >= n && n >= k && step == m ? 0 : BAD;
}
static int q(const Handle *h, int type, const int size[3], void *a, int step, const void *tau, void *there, int numbers,
             int *info) {
    Call c = {.kind = Q, .m = size[0], .many = size[1], .n = size[2], .type = type, .a = a, .info = info};
    c.s = (char *)(uintptr_t)tau;
    if (step != size[0] || size[0] < size[1] || size[1] < size[2] || numbers < ROOM) return BAD;
    return queue(h, c, there, (size_t)numbers);
}
#define Q_OF(name, type) \
    EXPORT int name##_bufferSize(Handle *h, int m, int n, int k, const void *a, int step, const void *tau, \
                                 int *numbers) { \
        BEGIN; \
        (void)a, (void)tau; \
        return end(q_bytes(h, m, n, k, step, numbers)); \
    } \
    EXPORT int name(Handle *h, int m, int n, int k, void *a, int step, const void *tau, void *there, int numbers, \
                    int *info) { \
        BEGIN; \
        return end(q(h, type, (const int[]){m, n, k}, a, step, tau, there, numbers, info)); \
    }
Q_OF(cusolverDnSorgqr, 0)
Q_OF(cusolverDnDorgqr, 1)
Q_OF(cusolverDnCungqr, 4)
Q_OF(cusolverDnZungqr, 5)
