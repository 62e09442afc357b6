/*
 * spectrum_kernels.h -- eigenvalues of any matrices, and their square roots and logarithms, on a device: text of
 * kernels behind factor_kernels.h, of complex dtypes alone; matrices and results may be real (`narrow`). A thread a
 * matrix makes it triangular; the products around what comes of that are a block's.
 */

/* The room: t (and n more), Q's columns, three working matrices, work. */
typedef struct Triangle {
    T *t, *q, *r, *x, *y, *work;
} Triangle;
INLINE Triangle triangle(const FactorArgs *a, i64 item) {
    const i64 n = a->n[0][0];
    Triangle p;
    p.t = (T *)own_room(a, item);
    p.q = p.t + n * n + n, p.r = p.q + n * n, p.x = p.r + n * n, p.y = p.x + n * n, p.work = p.y + n * n;
    return p;
}

/* Real and imaginary part of element i of a result. */
INLINE void put_pair(char *to, i64 i, int pairs, T v) {
    R *const p = (R *)to + (pairs ? 2 * i : i);
    p[0] = RE(v);
    if (pairs) p[1] = IM(v);
}

KERNEL spectrum_eig(const FactorArgs a) {
    if (a.err[0]) return;
    const i64 n = a.n[0][0];
    MATRICES_ALONE(item) {
        const char *const from = operand(&a, 0, item);
        const Triangle p = triangle(&a, item);
        const int pairs = a.pairs != 0;
        R most = 0;
        int fault = 0;
        for (i64 e = 0; e < n * n; e++) {
            p.t[e] = element(&a, 0, from, e / n, e % n);
            if (!finite_number(p.t[e])) fault = FAULT_NOT_FINITE;
            if (R_ABS(RE(p.t[e])) > most) most = R_ABS(RE(p.t[e]));
        }
        if (!fault && !FN(schur)(p.t, (int)n, p.q, p.work)) fault = FAULT_EIGENVALUES;
        if (!fault && a.vectors) FN(vectors)(p.t, (int)n, p.q, p.r, p.work);
        const R limit = 4 * R_EPS * most * (R)n;
        for (i64 i = 0; i < n && !fault; i++) {
            const T w = p.t[i * n + i];
            const int real = a.narrow && R_ABS(IM(w)) <= limit;
            const T alone = RE(w);
            if (!pairs && !real) fault = FAULT_UNREAL_EIGENVALUES;
            if (fault) break;
            put_pair(operand(&a, 1, item), i, pairs, real ? alone : w);
            for (i64 r = 0; a.vectors && r < n; r++) {
                const T v = p.r[i * n + r];
                const T flat = RE(v);
                put_pair(operand(&a, 2, item), r * n + i, pairs, real ? flat : v);
            }
        }
        tell(&a, item, fault, 0);
        if (fault && a.nan) no_result(&a, item, 0, 1);
    }
}

KERNEL spectrum_schur(const FactorArgs a) {
    if (a.err[0]) return;
    const i64 n = a.n[0][0];
    MATRICES_ALONE(item) {
        const char *const from = operand(&a, 0, item);
        const Triangle p = triangle(&a, item);
        int finite = 1;
        int fault = 0;
        for (i64 e = 0; e < n * n; e++) {
            p.t[e] = element(&a, 0, from, e / n, e % n);
            finite &= finite_number(p.t[e]);
        }
        if (finite && !FN(schur)(p.t, (int)n, p.q, p.work)) fault = FAULT_EIGENVALUES;
        else if (finite && a.kind == FACTOR_SQRTM && !FN(root)(p.t, (int)n, p.r)) fault = FAULT_SINGULAR;
        else if (finite && a.kind == FACTOR_LOGM) {
            if (zero_on_diagonal(p.t, n)) fault = FAULT_SINGULAR;
            else FN(logarithm)(p.t, (int)n, p.r, p.x, p.y);
        }
        tell(&a, item, finite ? fault : SPECTRUM_NAN, 0);
    }
}

/* Q F Q^H; of a real matrix as real numbers, if it is as good as real. */
KERNEL spectrum_put(const FactorArgs a) {
    SHARED;
    if (a.err[0]) return;
    const i64 n = a.n[0][0];
    MATRICES(item) {
        const Triangle p = triangle(&a, item);
        char *const to = operand(&a, 1, item);
        R *const most = (R *)sh;
        i64 *const told = (i64 *)a.faults + item;
        const i64 fault = *told;
        R real = 0;
        R unreal = 0;
        __syncthreads();
        EACH(e, fault ? 0 : n * n) {
            T s = 0;
            for (i64 k = 0; k < n; k++) s += MUL(p.q[k * n + e / n], p.r[k * n + e % n]);
            p.x[e] = s;
        }
        __syncthreads();
        EACH(e, fault ? 0 : n * n) {
            T s = 0;
            for (i64 k = 0; k < n; k++) s += MUL(p.x[e / n * n + k], CONJ(p.q[k * n + e % n]));
            put_pair(to, e, !a.narrow, s);
            if (R_ABS(RE(s)) > real) real = R_ABS(RE(s));
            if (R_ABS(IM(s)) > unreal) unreal = R_ABS(IM(s));
        }
        most[threadIdx.x] = real, most[256 + threadIdx.x] = unreal;
        __syncthreads();
        if (threadIdx.x == 0 && !fault && a.narrow) {
            for (int t = 0; t < 256; t++) {
                if (most[t] > real) real = most[t];
                if (most[256 + t] > unreal) unreal = most[256 + t];
            }
            if (!(unreal <= R_SQRT(R_EPS) * real)) *told = FAULT_UNREAL;
        }
        if (threadIdx.x == 0 && fault == SPECTRUM_NAN) *told = 0;
        __syncthreads();
        if (fault == SPECTRUM_NAN || (*told && a.nan)) no_result(&a, item, threadIdx.x, blockDim.x);
        __syncthreads();
    }
}
