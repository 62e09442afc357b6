/*
 * spectrum_kernels.h -- eigenvalues of any matrices, and their square roots and logarithms, on a device: text of
 * kernels behind spectral_kernels.h, of complex dtypes alone; matrices and results may be real (`narrow`). A block
 * makes a matrix triangular by the CPU's reflectors and rotations, whose rows and columns its threads share; a vector
 * is a thread's, functions of triangles are one's.
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

/* FN(hessenberg): a thread forms a reflector, all apply it. */
ROUTINE void block_hessenberg(T *h, i64 n, T *qt, T *v, char *sh) {
    T *const one = (T *)sh; /* tau, and what the reflector leaves */
    EACH(e, n * n) qt[e] = e / n == e % n;
    for (i64 k = 0; k + 2 < n; k++) {
        const i64 rest = n - k - 1;
        EACH(i, rest) v[i] = h[(k + 1 + i) * n + k];
        __syncthreads();
        if (threadIdx.x == 0) {
            one[0] = FN(reflector)(v, (int)rest), one[1] = v[0];
            v[0] = 1;
        }
        __syncthreads();
        const T tau = one[0];
        EACH(j, tau != 0 ? n - k : 0) {
            T *const column = h + (k + 1) * n + k + j;
            T s = 0;
            for (i64 i = 0; i < rest; i++) s += MUL(CONJ(v[i]), column[i * n]);
            s = MUL(CONJ(tau), s);
            for (i64 i = 0; i < rest; i++) column[i * n] -= MUL(s, v[i]);
        }
        __syncthreads();
        EACH(r, tau != 0 ? n : 0) {
            T *const row = h + r * n + k + 1;
            T s = 0;
            for (i64 i = 0; i < rest; i++) s += MUL(row[i], v[i]);
            s = MUL(tau, s);
            for (i64 i = 0; i < rest; i++) row[i] -= MUL(s, CONJ(v[i]));
            s = 0;
            for (i64 i = 0; i < rest; i++) s += MUL(qt[(k + 1 + i) * n + r], v[i]);
            s = MUL(tau, s);
            for (i64 i = 0; i < rest; i++) qt[(k + 1 + i) * n + r] -= MUL(s, CONJ(v[i]));
        }
        __syncthreads();
        const T beta = one[1];
        const T zero = 0;
        EACH(i, rest) h[(k + 1 + i) * n + k] = i ? zero : beta;
        __syncthreads();
    }
    __syncthreads();
}

INLINE void turns(T *x, T *y, R c, T s) {
    const T u = *x;
    const T v = *y;
    *x = SCALE(u, c) + MUL(s, v);
    *y = SCALE(v, c) - MUL(CONJ(s), u);
}

/* FN(qr_step) on rows f .. e. */
ROUTINE void block_qr_step(T *h, i64 n, T *qt, i64 f, i64 e, T shift) {
    T x = h[f * n + f] - shift;
    T y = h[(f + 1) * n + f];
    for (i64 k = f; k < e; k++) {
        R c;
        T s;
        if (k > f) x = h[k * n + k - 1], y = h[(k + 1) * n + k - 1];
        FN(rotation)(x, y, &c, &s);
        const i64 from = k > f ? k - 1 : f;
        const i64 end = k + 2 < e ? k + 3 : e + 1;
        __syncthreads();
        EACH(i, n - from) turns(h + k * n + from + i, h + (k + 1) * n + from + i, c, s);
        __syncthreads();
        EACH(i, end) turns(h + i * n + k, h + i * n + k + 1, c, CONJ(s));
        EACH(i, n) turns(qt + k * n + i, qt + (k + 1) * n + i, c, CONJ(s));
        __syncthreads();
        if (k > f && threadIdx.x == 0) h[(k + 1) * n + k - 1] = 0;
    }
    __syncthreads();
}

ROUTINE int block_schur(T *h, i64 n, T *qt, T *work, char *sh) {
    const R by = block_scaled(h, n * n, sh);
    int turn = 0;
    block_hessenberg(h, n, qt, work, sh);
    for (i64 e = n - 1; e > 0;) {
        i64 f = e;
        for (; f > 0; f--) {
            const R beside = SIZE1(h[f * n + f - 1]);
            const R both = SIZE1(h[f * n + f]) + SIZE1(h[(f - 1) * n + f - 1]);
            if (beside <= R_EPS * (both > 0 ? both : 1) || beside < R_MIN / R_EPS) break;
        }
        __syncthreads();
        if (f > 0 && threadIdx.x == 0) h[f * n + f - 1] = 0;
        __syncthreads();
        if (f == e) {
            e--, turn = 0;
            continue;
        }
        if (++turn > 60) return 0;
        T s = FN(shift)(h, (int)n, (int)e);
        if (turn % 10 == 0) s = h[e * n + e] + MODULUS(h[e * n + e - 1]);
        block_qr_step(h, n, qt, f, e, s);
    }
    EACH(i, n * n) h[i] = SCALE(h[i], by);
    __syncthreads();
    return 1;
}

/* The matrix at t; whether a number is not finite. */
INLINE int taken(const FactorArgs *a, i64 item, T *t, i64 n) {
    const char *const from = operand(a, 0, item);
    int bad = 0;
    EACH(e, n * n) {
        t[e] = element(a, 0, from, e / n, e % n);
        bad |= !finite_number(t[e]);
    }
    return __syncthreads_or(bad);
}

/* Eigenvalues and vectors as the results have them; whether one is not real where it must be. */
INLINE int put_spectrum(const FactorArgs *a, i64 item, const Triangle *p, i64 n, R limit) {
    const int pairs = a->pairs != 0;
    int unreal = 0;
    EACH(i, n) {
        const T w = p->t[i * n + i];
        const int real = a->narrow && R_ABS(IM(w)) <= limit;
        const T alone = RE(w);
        unreal |= !pairs && !real;
        put_pair(operand(a, 1, item), i, pairs, real ? alone : w);
        for (i64 r = 0; a->vectors && r < n; r++) {
            const T v = p->r[i * n + r];
            const T flat = RE(v);
            put_pair(operand(a, 2, item), r * n + i, pairs, real ? flat : v);
        }
    }
    return __syncthreads_or(unreal);
}

KERNEL spectrum_eig(const FactorArgs a) {
    SHARED;
    if (a.err[0]) return;
    const i64 n = a.n[0][0];
    MATRICES(item) {
        const Triangle p = triangle(&a, item);
        int fault = taken(&a, item, p.t, n) ? FAULT_NOT_FINITE : 0;
        const R most = block_largest(p.t, n * n, sh);
        if (!fault && !block_schur(p.t, n, p.q, p.work, sh)) fault = FAULT_EIGENVALUES;
        if (!fault && a.vectors) {
            const R least = FN(least_of)(p.t, (int)n);
            EACH(k, n) FN(vector)(p.t, (int)n, p.q, (int)k, least, p.r + k * n, p.x + k * n);
            __syncthreads();
        }
        const R limit = 4 * R_EPS * most * (R)n;
        if (!fault && a.narrow && threadIdx.x == 0) FN(mirror)(p.t, (int)n, a.vectors ? p.r : NULL, limit);
        __syncthreads();
        if (!fault && put_spectrum(&a, item, &p, n, limit)) fault = FAULT_UNREAL_EIGENVALUES;
        if (threadIdx.x == 0) tell(&a, item, fault, 0);
        __syncthreads();
        if (fault && a.nan) no_result(&a, item, threadIdx.x, blockDim.x);
        __syncthreads();
    }
}

KERNEL spectrum_schur(const FactorArgs a) {
    SHARED;
    if (a.err[0]) return;
    const i64 n = a.n[0][0];
    MATRICES(item) {
        const Triangle p = triangle(&a, item);
        const int finite = !taken(&a, item, p.t, n);
        const int good = finite && block_schur(p.t, n, p.q, p.work, sh);
        __syncthreads();
        if (threadIdx.x) continue;
        int fault = finite && !good ? FAULT_EIGENVALUES : 0;
        if (good && a.kind == FACTOR_SQRTM && !FN(root)(0, p.t, (int)n, p.r)) fault = FAULT_SINGULAR;
        else if (good && a.kind == FACTOR_LOGM) {
            if (zero_on_diagonal(p.t, n)) fault = FAULT_SINGULAR;
            else FN(logarithm)(0, p.t, (int)n, p.r, p.x, p.y);
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
