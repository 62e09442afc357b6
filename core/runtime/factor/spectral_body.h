/*
 * spectral_body.h -- the one source of spectral.h, for one dtype (number.h); C and C++, as dense_body.h.
 */

/* sum conj(x[i]) y[i] */
static inline T FN(inner)(const T *x, const T *y, int n) {
    T s[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) s[l] += MUL(CONJ(x[i + l]), y[i + l]);
    for (; i < n; i++) s[0] += MUL(CONJ(x[i]), y[i]);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static inline R FN(square)(const T *x, int n) {
    R s[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) s[l] += SIZE2(x[i + l]);
    for (; i < n; i++) s[0] += SIZE2(x[i]);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static R FN(largest)(const T *x, int64_t n) {
    R most = 0;
    for (int64_t i = 0; i < n; i++) {
        R v = SIZE1(x[i]);
        most = v > most ? v : most;
    }
    return most;
}

/* The length of x, safe from overflow. */
static R FN(length)(const T *x, int n) {
    R s = FN(square)(x, n);
    if (s > R_MIN / R_EPS && s < 1 / (R_MIN / R_EPS)) return R_SQRT(s);
    R most = FN(largest)(x, n);
    if (!(most > 0) || most - most != 0) return most;
    R sum = 0, by = 1 / most;
    if (by - by != 0) return most; /* the smallest numbers have no inverse */
    for (int i = 0; i < n; i++) {
        T v = SCALE(x[i], by);
        sum += SIZE2(v);
    }
    return most * R_SQRT(sum);
}

/* y += f x */
static inline void FN(add)(T *y, const T *x, T f, int n) {
    for (int i = 0; i < n; i++) y[i] += MUL(f, x[i]);
}

/* A power of 2 near `most` that has an inverse. */
static R FN(scaling)(R most) {
    int exponent, bound = sizeof(R) == 4 ? 120 : 1000;
    frexp((double)most, &exponent);
    return (R)ldexp(1.0, exponent < -bound ? -bound : exponent > bound ? bound : exponent);
}

/* ---- reflectors -------------------------------------------------------------------------------------------------- */
/* x[0 .. n) becomes (beta, v[1 ..)) with (I - tau v v^H)^H x = beta e, beta real. */
static T FN(reflector)(T *x, int n) {
    R rest = n > 1 ? FN(length)(x + 1, n - 1) : 0;
    T alpha = x[0];
    if (rest == 0 && IM(alpha) == 0) return 0;
    R all = R_HYPOT(MODULUS(alpha), rest),
      beta = RE(alpha) > 0 || (RE(alpha) == 0 && !__builtin_signbit(RE(alpha))) ? -all : all;
    T tau = SCALE(beta - alpha, 1 / beta), by = QUOTIENT((T)1, alpha - beta);
    for (int i = 1; i < n; i++) x[i] = MUL(x[i], by);
    x[0] = beta;
    return tau;
}

/* y -= f (v^H y) v, v starting with 1, which is not read. */
static inline void FN(reflect)(T *y, const T *v, T f, int n) {
    T s = MUL(f, y[0] + FN(inner)(v + 1, y + 1, n - 1));
    y[0] -= s;
    FN(add)(y + 1, v + 1, -s, n - 1);
}

static void FN(qr)(JOB *job, void *at, int m, int n, void *taus) {
    T *a = (T *)at, *tau = (T *)taus;
    for (int k = 0; k < m && k < n && !STOPPED(job); k++) {
        T *v = a + (int64_t)k * m + k;
        tau[k] = FN(reflector)(v, m - k);
        for (int c = k + 1; c < n && tau[k] != 0; c++) FN(reflect)(a + (int64_t)c * m + k, v, CONJ(tau[k]), m - k);
    }
}

static void FN(q)(JOB *job, void *at, int m, int cols, int k, const void *taus) {
    T *a = (T *)at;
    const T *tau = (const T *)taus;
    for (int c = k; c < cols; c++) {
        memset(a + (int64_t)c * m, 0, (size_t)m * sizeof(T));
        a[(int64_t)c * m + c] = 1;
    }
    for (int i = k - 1; i >= 0 && !STOPPED(job); i--) {
        T *v = a + (int64_t)i * m + i;
        for (int c = i + 1; c < cols; c++) FN(reflect)(a + (int64_t)c * m + i, v, tau[i], m - i);
        for (int r = 1; r < m - i; r++) v[r] = MUL(v[r], -tau[i]);
        v[0] = 1 - tau[i];
        memset(a + (int64_t)i * m, 0, (size_t)i * sizeof(T));
    }
}

static void FN(complete)(JOB *job, void *to, int m, int r, int cols, void *work) {
    T *u = (T *)to, *keep = (T *)work, *tau = keep + (int64_t)m * r;
    if (r == cols) return;
    memcpy(keep, u, (size_t)m * (size_t)r * sizeof(T));
    FN(qr)(job, u, m, r, tau);
    FN(q)(job, u, m, cols, r, tau);
    memcpy(u, keep, (size_t)m * (size_t)r * sizeof(T));
}

/* ---- Hermitian eigenvalues --------------------------------------------------------------------------------------- */
/* a, in rows, becomes tridiagonal: diagonal d, beside it e (real). Row k keeps reflector k behind its diagonal. */
static void FN(tridiagonal)(JOB *job, T *a, int n, R *d, R *e, T *tau, T *p) {
    for (int k = 0; k + 1 < n && !STOPPED(job); k++) {
        T *v = a + (int64_t)k * n + k + 1;
        int rest = n - k - 1;
        for (int i = 0; i < rest; i++) v[i] = CONJ(v[i]);
        tau[k] = FN(reflector)(v, rest);
        d[k] = RE(a[(int64_t)k * n + k]), e[k] = RE(v[0]);
        v[0] = 1;
        if (tau[k] == 0) continue;
        for (int i = 0; i < rest; i++) {
            const T *row = a + (int64_t)(k + 1 + i) * n + k + 1;
            T s = 0;
            for (int c = 0; c < rest; c++) s += MUL(row[c], v[c]);
            p[i] = MUL(tau[k], s);
        }
        FN(add)(p, v, SCALE(MUL(tau[k], FN(inner)(p, v, rest)), (R)-0.5), rest);
        for (int i = 0; i < rest; i++) {
            T *row = a + (int64_t)(k + 1 + i) * n + k + 1, x = v[i], y = p[i];
            for (int c = 0; c < rest; c++) row[c] -= MUL(x, CONJ(p[c])) + MUL(y, CONJ(v[c]));
        }
    }
    d[n - 1] = RE(a[(int64_t)n * n - 1]);
    e[n - 1] = 0;
}

/* The product of the reflectors, columns one after the other. */
static void FN(tridiagonal_q)(JOB *job, const T *a, int n, const T *tau, T *z) {
    memset(z, 0, (size_t)n * (size_t)n * sizeof(T));
    for (int i = 0; i < n; i++) z[(int64_t)i * n + i] = 1;
    for (int k = n - 2; k >= 0 && !STOPPED(job); k--) {
        const T *v = a + (int64_t)k * n + k + 1;
        for (int c = k + 1; c < n && tau[k] != 0; c++) FN(reflect)(z + (int64_t)c * n + k + 1, v, tau[k], n - k - 1);
    }
}

static inline void FN(rotate)(T *x, T *y, R c, R s, int n) {
    for (int i = 0; i < n; i++) {
        T v = SCALE(x[i], c) - SCALE(y[i], s);
        y[i] = SCALE(x[i], s) + SCALE(y[i], c);
        x[i] = v;
    }
}

/* One step of QL with an implicit shift on rows l .. m. */
static void FN(ql_step)(R *d, R *e, int l, int m, T *z, int n) {
    R g = (d[l + 1] - d[l]) / (2 * e[l]), r = R_SQRT(g * g + 1), s = 1, c = 1, p = 0;
    if (r - r != 0) r = R_ABS(g); /* g * g overflowed */
    g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
    for (int i = m - 1; i >= l; i--) {
        R f = s * e[i], b = c * e[i];
        r = R_SQRT(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) { /* a 0 beside the diagonal: what is above it is a problem of its own */
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r, c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        if (z) FN(rotate)(z + (int64_t)i * n, z + (int64_t)(i + 1) * n, c, s, n);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

static bool FN(ql)(JOB *job, R *d, R *e, int n, T *z) {
    for (int l = 0; l < n; l++)
        for (int turns = 0;; turns++) {
            int m = l;
            while (m < n - 1 && R_ABS(e[m]) > R_EPS / 2 * (R_ABS(d[m]) + R_ABS(d[m + 1])) && R_ABS(e[m]) > R_MIN) m++;
            if (m == l) break;
            if (turns == 60 || STOPPED(job)) return false;
            FN(ql_step)(d, e, l, m, z, n);
        }
    return true;
}

static void FN(swap)(T *x, T *y, int n) {
    for (int i = 0; i < n; i++) {
        T v = x[i];
        x[i] = y[i], y[i] = v;
    }
}

static bool FN(eigh)(JOB *job, void *at, int n, void *values, void *vectors, void *work) {
    T *a = (T *)at, *z = (T *)vectors, *tau = (T *)work, *p = tau + n;
    R *d = (R *)values, *e = (R *)(p + n), most = FN(largest)(a, (int64_t)n * n), by = 1;
    if (most > 0) { /* to about 1, exactly */
        by = FN(scaling)(most);
        for (int64_t i = 0; i < (int64_t)n * n; i++) a[i] = SCALE(a[i], 1 / by);
    }
    FN(tridiagonal)(job, a, n, d, e, tau, p);
    if (z) FN(tridiagonal_q)(job, a, n, tau, z);
    if (!FN(ql)(job, d, e, n, z)) return false;
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int k = i + 1; k < n; k++)
            if (d[k] < d[least]) least = k;
        R v = d[least];
        d[least] = d[i], d[i] = v * by;
        if (z && least != i) FN(swap)(z + (int64_t)i * n, z + (int64_t)least * n, n);
    }
    return true;
}

/* ---- singular values: rotations of pairs of columns (Hestenes 1958) ---------------------------------------------- */
/* Makes columns p and q orthogonal; returns whether they were not. */
static bool FN(pair)(T *a, int m, T *v, int n, int p, int q) {
    T *x = a + (int64_t)p * m, *y = a + (int64_t)q * m;
    R alpha = FN(square)(x, m), beta = FN(square)(y, m);
    T gamma = FN(inner)(x, y, m);
    R size = MODULUS(gamma), least = R_MIN / R_EPS; /* squares below lost their places */
    if (alpha < least || beta < least) return false;
    if (!(size > R_EPS * R_SQRT((R)m) * R_SQRT(alpha) * R_SQRT(beta)) || size < R_MIN) return false;
    R zeta = (beta - alpha) / (2 * size), root = R_SQRT(1 + zeta * zeta);
    R t = (zeta < 0 ? -1 : 1) / (R_ABS(zeta) + (root - root == 0 ? root : R_ABS(zeta)));
    R c = 1 / R_SQRT(1 + t * t), s = c * t;
#if COMPLEX
    T phase = SCALE(CONJ(gamma), 1 / size);
    for (int i = 0; i < m; i++) y[i] = MUL(y[i], phase);
    for (int i = 0; v && i < n; i++) v[(int64_t)q * n + i] = MUL(v[(int64_t)q * n + i], phase);
#else
    if (gamma < 0) s = -s;
#endif
    FN(rotate)(x, y, c, s, m);
    if (v) FN(rotate)(v + (int64_t)p * n, v + (int64_t)q * n, c, s, n);
    return true;
}

/* Descending; U's columns by their lengths. Returns how many are not 0. */
static int FN(settle)(T *a, int m, int n, R *s, T *v) {
    int rank = 0;
    for (int i = 0; i < n; i++) s[i] = FN(length)(a + (int64_t)i * m, m);
    for (int i = 0; i < n; i++) {
        int most = i;
        for (int k = i + 1; k < n; k++)
            if (s[k] > s[most]) most = k;
        R value = s[most];
        s[most] = s[i], s[i] = value;
        if (most != i) {
            FN(swap)(a + (int64_t)i * m, a + (int64_t)most * m, m);
            if (v) FN(swap)(v + (int64_t)i * n, v + (int64_t)most * n, n);
        }
        if (value < R_SQRT(R_MIN / R_EPS)) continue; /* beside 1: pairs of them were left as they are */
        for (int r = 0; r < m; r++) a[(int64_t)i * m + r] = SCALE(a[(int64_t)i * m + r], 1 / value);
        rank = i + 1;
    }
    return rank;
}

static bool FN(svd)(JOB *job, void *at, int m, int n, void *values, void *vectors, void *work) {
    T *a = (T *)at, *v = (T *)vectors;
    R *s = (R *)values, most = FN(largest)(a, (int64_t)m * n), by = 1;
    if (most > 0) {
        by = FN(scaling)(most);
        for (int64_t i = 0; i < (int64_t)m * n; i++) a[i] = SCALE(a[i], 1 / by);
    }
    if (v) memset(v, 0, (size_t)n * (size_t)n * sizeof(T));
    for (int i = 0; v && i < n; i++) v[(int64_t)i * n + i] = 1;
    bool moved = true;
    for (int sweep = 0; moved; sweep++) {
        if (sweep == 60 || STOPPED(job)) return false;
        moved = false;
        for (int p = 0; p < n && !STOPPED(job); p++)
            for (int q = p + 1; q < n; q++) moved |= FN(pair)(a, m, v, n, p, q);
    }
    int rank = FN(settle)(a, m, n, s, v);
    if (v) FN(complete)(job, a, m, rank, n, work);
    for (int i = 0; i < n; i++) s[i] *= by;
    return true;
}

#ifndef NUMBER_ALONE
static const SpectralKernels FN(spectral) = {FN(qr), FN(q), FN(eigh), FN(svd), FN(complete)};
#endif
