/*
 * schur_body.h -- complex matrices made triangular by unitary ones, and functions of triangular matrices (SchurKernels
 * of spectral.h), for one dtype (number.h); C and C++, as dense_body.h. Matrices lie in rows; of Q the columns do.
 */

/* (c, s; -conj(s), c) (x, y) = (r, 0) */
static void FN(rotation)(T x, T y, R *c, T *s) {
    R a = MODULUS(x), b = MODULUS(y), r = R_HYPOT(a, b);
    if (b == 0) {
        *c = 1, *s = 0;
    } else if (a == 0) {
        *c = 0, *s = SCALE(CONJ(y), 1 / b);
    } else {
        *c = a / r;
        *s = SCALE(MUL(SCALE(x, 1 / a), CONJ(y)), 1 / r);
    }
}

/* Rows x, y of n numbers `step` apart: x = c x + s y, y = c y - conj(s) x */
static void FN(turn_pair)(T *x, T *y, R c, T s, int n, int64_t step) {
    for (int64_t i = 0; i < n; i++) {
        T u = x[i * step], v = y[i * step];
        x[i * step] = SCALE(u, c) + MUL(s, v);
        y[i * step] = SCALE(v, c) - MUL(CONJ(s), u);
    }
}

/* Zeros below the first diagonal beside the main one, by reflectors; v: n numbers. */
static void FN(hessenberg)(JOB *job, T *h, int n, T *qt, T *v) {
    memset(qt, 0, (size_t)n * (size_t)n * sizeof(T));
    for (int i = 0; i < n; i++) qt[(int64_t)i * n + i] = 1;
    for (int k = 0; k + 2 < n && !STOPPED(job); k++) {
        int rest = n - k - 1;
        for (int i = 0; i < rest; i++) v[i] = h[(int64_t)(k + 1 + i) * n + k];
        T tau = FN(reflector)(v, rest), beta = v[0];
        v[0] = 1;
        for (int c = k; c < n && tau != 0; c++) { /* from the left */
            T s = 0;
            for (int i = 0; i < rest; i++) s += MUL(CONJ(v[i]), h[(int64_t)(k + 1 + i) * n + c]);
            s = MUL(CONJ(tau), s);
            for (int i = 0; i < rest; i++) h[(int64_t)(k + 1 + i) * n + c] -= MUL(s, v[i]);
        }
        for (int r = 0; r < n && tau != 0; r++) { /* from the right: h, and Q */
            T s = 0, *row = h + (int64_t)r * n + k + 1;
            for (int i = 0; i < rest; i++) s += MUL(row[i], v[i]);
            s = MUL(tau, s);
            for (int i = 0; i < rest; i++) row[i] -= MUL(s, CONJ(v[i]));
            s = 0;
            for (int i = 0; i < rest; i++) s += MUL(qt[(int64_t)(k + 1 + i) * n + r], v[i]);
            s = MUL(tau, s);
            for (int i = 0; i < rest; i++) qt[(int64_t)(k + 1 + i) * n + r] -= MUL(s, CONJ(v[i]));
        }
        h[(int64_t)(k + 1) * n + k] = beta;
        for (int i = 1; i < rest; i++) h[(int64_t)(k + 1 + i) * n + k] = 0;
    }
}

static T FN(root_of)(T z) {
    R r = MODULUS(z);
    if (r == 0) return 0;
    R a = R_SQRT((r + R_ABS(RE(z))) / 2), b = R_ABS(IM(z)) / (2 * a);
    if (RE(z) >= 0) return FN(number_pair)(a, IM(z) < 0 ? -b : b);
    return FN(number_pair)(b, __builtin_signbit(IM(z)) ? -a : a);
}

/* The eigenvalue of rows and columns e - 1, e that is nearer to the last element (Wilkinson). */
static T FN(shift)(const T *h, int n, int e) {
    T a = h[(int64_t)(e - 1) * n + e - 1], b = h[(int64_t)(e - 1) * n + e], c = h[(int64_t)e * n + e - 1];
    T d = h[(int64_t)e * n + e], half = SCALE(a - d, (R)0.5), bc = MUL(b, c);
    T root = FN(root_of)(MUL(half, half) + bc);
    if (RE(MUL(CONJ(half), root)) < 0) root = -root;
    T below = half + root;
    return below == 0 ? d : d - QUOTIENT(bc, below);
}

/* One step of QR on rows f .. e. */
static void FN(qr_step)(T *h, int n, T *qt, int f, int e, T shift) {
    T x = h[(int64_t)f * n + f] - shift, y = h[(int64_t)(f + 1) * n + f];
    for (int k = f; k < e; k++) {
        R c;
        T s;
        if (k > f) x = h[(int64_t)k * n + k - 1], y = h[(int64_t)(k + 1) * n + k - 1];
        FN(rotation)(x, y, &c, &s);
        int from = k > f ? k - 1 : f, end = k + 2 < e ? k + 3 : e + 1;
        FN(turn_pair)(h + (int64_t)k * n + from, h + (int64_t)(k + 1) * n + from, c, s, n - from, 1);
        FN(turn_pair)(h + k, h + k + 1, c, CONJ(s), end, n);
        FN(turn_pair)(qt + (int64_t)k * n, qt + (int64_t)(k + 1) * n, c, CONJ(s), n, 1);
        if (k > f) h[(int64_t)(k + 1) * n + k - 1] = 0;
    }
}

static bool FN(schur)(JOB *job, void *at, int n, void *to, void *work) {
    T *h = (T *)at, *qt = (T *)to;
    R most = FN(largest)(h, (int64_t)n * n), by = most > 0 ? FN(scaling)(most) : 1;
    for (int64_t i = 0; i < (int64_t)n * n; i++) h[i] = SCALE(h[i], 1 / by);
    FN(hessenberg)(job, h, n, qt, (T *)work);
    int turns = 0;
    for (int e = n - 1; e > 0;) {
        int f = e;
        for (; f > 0; f--) {
            R beside = SIZE1(h[(int64_t)f * n + f - 1]);
            R both = SIZE1(h[(int64_t)f * n + f]) + SIZE1(h[(int64_t)(f - 1) * n + f - 1]);
            if (beside <= R_EPS * (both > 0 ? both : 1) || beside < R_MIN / R_EPS) break; /* norms are about 1 */
        }
        if (f > 0) h[(int64_t)f * n + f - 1] = 0;
        if (f == e) {
            e--, turns = 0;
            continue;
        }
        if (++turns > 60 || STOPPED(job)) return false;
        T s = FN(shift)(h, n, e);
        if (turns % 10 == 0) s = h[(int64_t)e * n + e] + MODULUS(h[(int64_t)e * n + e - 1]); /* out of a circle */
        FN(qr_step)(h, n, qt, f, e, s);
    }
    for (int64_t i = 0; i < (int64_t)n * n; i++) h[i] = SCALE(h[i], by);
    return true;
}

/* Eigenvector k of h = Q t Q^H, of length 1 with its largest element real, to v; x: k + 1 numbers. */
static void FN(vector)(const T *t, int n, const T *qt, int k, R least, T *v, T *x) {
    T w = t[(int64_t)k * n + k];
    x[k] = 1;
    for (int i = k - 1; i >= 0; i--) {
        T s = 0, d = t[(int64_t)i * n + i] - w;
        for (int c = i + 1; c <= k; c++) s += MUL(t[(int64_t)i * n + c], x[c]);
        if (SIZE1(d) < least) d = least;
        x[i] = -QUOTIENT(s, d);
        R size = SIZE1(x[i]);
        if (size > 1 / R_EPS)
            for (int c = i; c <= k; c++) x[c] = SCALE(x[c], 1 / size);
    }
    memset(v, 0, (size_t)n * sizeof(T));
    for (int c = 0; c <= k; c++) FN(add)(v, qt + (int64_t)c * n, x[c], n);
    R length = FN(length)(v, n), most = 0;
    T largest = 1;
    for (int i = 0; i < n; i++)
        if (SIZE2(v[i]) > most) most = SIZE2(v[i]), largest = v[i];
    T by = SCALE(CONJ(largest), 1 / (MODULUS(largest) * length));
    for (int i = 0; i < n; i++) v[i] = MUL(v[i], by);
}

/* Numbers below this count as 0 beside those of t. */
static R FN(least_of)(const T *t, int n) {
    R least = R_EPS * FN(largest)(t, (int64_t)n * n);
    return least < R_MIN ? R_MIN : least;
}

static void FN(vectors)(JOB *job, const void *from, int n, const void *columns, void *to, void *work) {
    const T *t = (const T *)from, *qt = (const T *)columns;
    R least = FN(least_of)(t, n);
    for (int k = 0; k < n && !STOPPED(job); k++) FN(vector)(t, n, qt, k, least, (T *)to + (int64_t)k * n, (T *)work);
}

/* ---- functions of triangular matrices ---------------------------------------------------------------------------- */
/* Column by column (Bjorck and Hammarling 1983). */
static bool FN(root)(JOB *job, const void *from, int n, void *to) {
    const T *t = (const T *)from;
    T *r = (T *)to;
    memset(r, 0, (size_t)n * (size_t)n * sizeof(T));
    for (int c = 0; c < n && !STOPPED(job); c++) {
        r[(int64_t)c * n + c] = FN(root_of)(t[(int64_t)c * n + c]);
        for (int i = c - 1; i >= 0; i--) {
            T s = t[(int64_t)i * n + c], d = r[(int64_t)i * n + i] + r[(int64_t)c * n + c];
            for (int k = i + 1; k < c; k++) s -= MUL(r[(int64_t)i * n + k], r[(int64_t)k * n + c]);
            if (s == 0) continue;
            if (d == 0) return false;
            r[(int64_t)i * n + c] = QUOTIENT(s, d);
        }
    }
    return true;
}

/* The 1-norm of t - I. */
static R FN(distance)(const T *t, int n) {
    R most = 0;
    for (int c = 0; c < n; c++) {
        R sum = 0;
        for (int i = 0; i <= c; i++) sum += MODULUS(t[(int64_t)i * n + c] - (i == c ? (T)1 : (T)0));
        most = sum > most ? sum : most;
    }
    return most;
}

/* to += weight * (I + node x)^-1 x, triangular. y: a working matrix. */
static void FN(log_term)(JOB *job, T *to, const T *x, int n, R node, R weight, T *y) {
    for (int i = n - 1; i >= 0 && !STOPPED(job); i--) {
        const T *row = x + (int64_t)i * n;
        T *out = y + (int64_t)i * n, d = QUOTIENT((T)1, 1 + SCALE(row[i], node));
        memcpy(out, row, (size_t)n * sizeof(T));
        for (int k = i + 1; k < n; k++) FN(add)(out + k, y + (int64_t)k * n + k, SCALE(row[k], -node), n - k);
        for (int c = i; c < n; c++) {
            out[c] = MUL(out[c], d);
            to[(int64_t)i * n + c] += SCALE(out[c], weight);
        }
    }
}

/*
 * Roots until t is near I, then the quadrature of Gauss with seven nodes of the integral of (t - I)(I + s (t - I))^-1
 * over s (the approximant of Pade), times 2^roots. The diagonal is that of the logarithm itself.
 */
static void FN(logarithm)(JOB *job, void *at, int n, void *out, void *first, void *second) {
    static const double nodes[7] = {0.025446043828620737737, 0.12923440720030278007, 0.29707742431130141655, 0.5,
                                    0.70292257568869858345,  0.87076559279969721993, 0.97455395617137926226};
    static const double weights[7] = {0.064742483084434846635, 0.13985269574463833395, 0.19091502525255947248,
                                      0.20897959183673469388,  0.19091502525255947248, 0.13985269574463833395,
                                      0.064742483084434846635};
    T *t = (T *)at, *to = (T *)out, *x = (T *)first, *y = (T *)second, *kept = t + (int64_t)n * n;
    int roots = 0;
    for (int i = 0; i < n; i++) {
        T w = t[(int64_t)i * n + i];
        kept[i] = FN(number_pair)((R)log((double)MODULUS(w)), (R)atan2((double)IM(w), (double)RE(w)));
    }
    while (FN(distance)(t, n) > (R)0.25 && roots < 100 && !STOPPED(job)) {
        FN(root)(job, t, n, x);
        memcpy(t, x, (size_t)n * (size_t)n * sizeof(T));
        roots++;
    }
    for (int i = 0; i < n; i++) t[(int64_t)i * n + i] -= 1;
    memset(to, 0, (size_t)n * (size_t)n * sizeof(T));
    for (int k = 0; k < 7; k++) FN(log_term)(job, to, t, n, (R)nodes[k], (R)weights[k], y);
    R by = (R)ldexp(1.0, roots);
    for (int64_t i = 0; i < (int64_t)n * n; i++) to[i] = SCALE(to[i], by);
    for (int i = 0; i < n; i++) to[(int64_t)i * n + i] = kept[i];
}

#ifndef NUMBER_ALONE
static const SchurKernels FN(schur_table) = {FN(schur), FN(vectors), FN(root), FN(logarithm)};
#endif
