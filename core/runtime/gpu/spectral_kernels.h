/*
 * spectral_kernels.h -- singular values, and eigenvalues of Hermitian matrices, on a device: text of kernels behind
 * factor_kernels.h. A block has a matrix. Singular values by rotations of pairs of columns (Hestenes 1958), a warp a
 * pair, all pairs of a round at once (Brent and Luk 1985); eigenvalues by the CPU's reflectors and QL steps, whose
 * numbers one thread computes and all apply.
 */

/* ---- the room of a matrix: left and right vectors, work, values ---- */
/* Of the taller of A and A^H: where they lie. */
typedef struct Singular {
    T *left, *right, *work;
    R *s;
} Singular;
INLINE Singular singular(const FactorArgs *a, i64 item) {
    const i64 m = a->n[0][0];
    const i64 n = a->n[0][1];
    const i64 large = m > n ? m : n;
    const i64 small = m < n ? m : n;
    Singular x;
    x.left = (T *)own_room(a, item);
    x.right = x.left + large * (a->full ? large : small);
    x.work = x.right + small * small;
    x.s = (R *)(x.work + (large + 1) * large + small);
    return x;
}

/* ---- what a block shares ---- */
ROUTINE R block_largest(const T *x, i64 n, char *sh) {
    R *const most = (R *)sh;
    R own = 0;
    EACH(i, n) {
        const R v = SIZE1(x[i]);
        own = v > own ? v : own;
    }
    __syncthreads();
    most[threadIdx.x] = own;
    __syncthreads();
    for (int h = (int)blockDim.x / 2; h; h >>= 1) {
        if ((int)threadIdx.x < h && most[threadIdx.x + h] > most[threadIdx.x])
            most[threadIdx.x] = most[threadIdx.x + h];
        __syncthreads();
    }
    own = most[0];
    __syncthreads();
    return own;
}

/* To about 1, exactly; what it was divided by. */
ROUTINE R block_scaled(T *x, i64 n, char *sh) {
    const R most = block_largest(x, n, sh);
    if (!(most > 0)) return 1;
    const R by = FN(scaling)(most);
    EACH(i, n) x[i] = SCALE(x[i], 1 / by);
    __syncthreads();
    return by;
}

/* Columns of m and of k numbers (NULL: none) in the order of their values. */
ROUTINE void block_ordered(R *s, i64 n, int descending, T *a, i64 m, T *v, i64 k) {
    for (i64 i = 0; i < n; i++) {
        i64 best = i;
        for (i64 c = i + 1; c < n; c++)
            if (descending ? s[c] > s[best] : s[c] < s[best]) best = c;
        __syncthreads();
        if (best == i) continue;
        if (threadIdx.x == 0) {
            const R w = s[best];
            s[best] = s[i], s[i] = w;
        }
        EACH(r, a ? m : 0) {
            const T w = a[i * m + r];
            a[i * m + r] = a[best * m + r], a[best * m + r] = w;
        }
        EACH(r, v ? k : 0) {
            const T w = v[i * k + r];
            v[i * k + r] = v[best * k + r], v[best * k + r] = w;
        }
        __syncthreads();
    }
    __syncthreads();
}

/* ---- singular values ---- */
INLINE R warp_sum(R v) {
    for (int h = 16; h; h >>= 1) v += __shfl_down_sync(0xffffffffu, v, h);
    return __shfl_sync(0xffffffffu, v, 0);
}
INLINE void lane_rotates(T *x, T *y, R c, R s, T phase, i64 n) {
    for (i64 i = threadIdx.x % 32; i < n; i += 32) {
        const T w = COMPLEX ? MUL(y[i], phase) : y[i];
        const T u = x[i];
        x[i] = SCALE(u, c) - SCALE(w, s);
        y[i] = SCALE(u, s) + SCALE(w, c);
    }
}
/* FN(pair) by a warp. */
ROUTINE int warp_pair(T *a, i64 m, T *v, i64 n, i64 p, i64 q) {
    T *const x = a + p * m;
    T *const y = a + q * m;
    R alpha = 0;
    R beta = 0;
    R re = 0;
    R im = 0;
    for (i64 i = threadIdx.x % 32; i < m; i += 32) {
        const T g = MUL(CONJ(x[i]), y[i]);
        alpha += SIZE2(x[i]), beta += SIZE2(y[i]);
        re += RE(g), im += IM(g);
    }
    alpha = warp_sum(alpha), beta = warp_sum(beta), re = warp_sum(re);
    if (COMPLEX) im = warp_sum(im);
    const R size = COMPLEX ? R_HYPOT(re, im) : R_ABS(re);
    const R least = R_MIN / R_EPS;
    if (alpha < least || beta < least) return 0;
    if (!(size > R_EPS * R_SQRT((R)m) * R_SQRT(alpha) * R_SQRT(beta)) || size < R_MIN) return 0;
    const R zeta = (beta - alpha) / (2 * size);
    const R root = R_SQRT(1 + zeta * zeta);
    const R t = (zeta < 0 ? -1 : 1) / (R_ABS(zeta) + (root - root == 0 ? root : R_ABS(zeta)));
    const R c = 1 / R_SQRT(1 + t * t);
    const R s = !COMPLEX && re < 0 ? -(c * t) : c * t;
#if COMPLEX
    const T phase = FN(number_pair)(re / size, -im / size);
#else
    const T phase = 1;
#endif
    lane_rotates(x, y, c, s, phase, m);
    if (v) lane_rotates(v + p * n, v + q * n, c, s, phase, n);
    return 1;
}

/* Every pair of n columns meets once in as many rounds as there are others. */
ROUTINE int block_rotations(T *a, i64 m, T *v, i64 n) {
    const i64 even = n + n % 2;
    int moved = 0;
    for (i64 round = 0; round + 1 < even; round++) {
        for (i64 k = threadIdx.x / 32; k < even / 2; k += blockDim.x / 32) {
            const i64 x = k ? (round + k) % (even - 1) : even - 1;
            const i64 y = (round + even - 1 - k) % (even - 1);
            const i64 p = x < y ? x : y;
            const i64 q = x < y ? y : x;
            if (q < n) moved |= warp_pair(a, m, v, n, p, q);
        }
        __syncthreads();
    }
    return __syncthreads_or(moved);
}

/* Columns `rank` .. cols of u become orthonormal to those before. */
ROUTINE void block_complete(T *u, i64 m, i64 rank, i64 cols, T *work) {
    T *const tau = work + m * rank;
    if (rank == cols) return;
    EACH(i, m * rank) work[i] = u[i];
    __syncthreads();
    block_qr(u, tau, (int)m, (int)rank);
    block_q(u, tau, (int)m, (int)cols, (int)rank);
    EACH(i, m * rank) u[i] = work[i];
    __syncthreads();
}

ROUTINE int block_svd(T *a, i64 m, i64 n, R *s, T *v, T *work, char *sh) {
    const R by = block_scaled(a, m * n, sh);
    EACH(e, v ? n * n : 0) v[e] = e / n == e % n;
    __syncthreads();
    for (int sweep = 0; block_rotations(a, m, v, n); sweep++)
        if (sweep == 60) return 0;
    EACH(i, n) s[i] = FN(length)(a + i * m, (int)m);
    __syncthreads();
    block_ordered(s, n, 1, a, m, v, n);
    i64 rank = 0;
    while (rank < n && !(s[rank] < R_SQRT(R_MIN / R_EPS))) rank++;
    EACH(e, m * rank) a[e] = SCALE(a[e], 1 / s[e / m]);
    __syncthreads();
    if (v) block_complete(a, m, rank, n, work);
    EACH(i, n) s[i] *= by;
    __syncthreads();
    return 1;
}

/* What a library left: U of all rows where the work is, V^H. */
ROUTINE void singular_put(const FactorArgs *a, i64 item, const Singular *x, i64 large, i64 small) {
    i64 *const told = (i64 *)a->faults + item;
    const int bad = *told == 0 && a->info[item];
    __syncthreads();
    if (threadIdx.x == 0 && bad) *told = a->kind == FACTOR_LSTSQ ? FAULT_LSTSQ : FAULT_SVD;
    if (bad && a->nan) no_result(a, item, threadIdx.x, blockDim.x);
    EACH(e, a->full ? large * large : 0) x->left[e] = x->work[e];
    EACH(e, a->vectors ? small * small : 0) {
        const i64 i = e / small;
        const i64 r = e % small;
        if (r > i) continue;
        const T v = CONJ(x->right[i * small + r]);
        x->right[i * small + r] = CONJ(x->right[r * small + i]);
        x->right[r * small + i] = v;
    }
    __syncthreads();
}

KERNEL factor_svd(const FactorArgs a) {
    SHARED;
    if (a.err[0]) return;
    const i64 m = a.n[0][0];
    const i64 n = a.n[0][1];
    const i64 large = m > n ? m : n;
    const i64 small = m < n ? m : n;
    MATRICES(item) {
        const char *const from = operand(&a, 0, item);
        const Singular x = singular(&a, item);
        int bad = 0;
        if (a.phase == PHASE_PUT) {
            singular_put(&a, item, &x, large, small);
            continue;
        }
        EACH(e, large * small) {
            const i64 i = e / large;
            const i64 r = e % large;
            x.left[e] = m >= n ? element(&a, 0, from, r, i) : CONJ(element(&a, 0, from, i, r));
            bad |= !finite_number(x.left[e]);
        }
        if (a.kind == FACTOR_LSTSQ) {
            const char *const b = operand(&a, 1, item);
            EACH(e, m * a.n[1][1]) bad |= !finite_number(element(&a, 1, b, e / a.n[1][1], e % a.n[1][1]));
        }
        bad = __syncthreads_or(bad);
        EACH(e, bad && a.phase ? large * small : 0) x.left[e] = 0; /* nothing that a library would stumble over */
        bad = bad || (!a.phase && !block_svd(x.left, large, small, x.s, a.vectors ? x.right : NULL, x.work, sh));
        if (!bad && a.full && !a.phase) block_complete(x.left, large, small, large, x.work);
        if (threadIdx.x == 0) tell(&a, item, !bad ? 0 : a.kind == FACTOR_LSTSQ ? FAULT_LSTSQ : FAULT_SVD, 0);
        __syncthreads();
        if (bad && a.nan) no_result(&a, item, threadIdx.x, blockDim.x);
        __syncthreads();
    }
}

KERNEL factor_svd_put(const FactorArgs a) {
    if (a.err[0]) return;
    const i64 m = a.n[0][0];
    const i64 n = a.n[0][1];
    const i64 large = m > n ? m : n;
    const i64 small = m < n ? m : n;
    const i64 wide = a.full ? large : small;
    const i64 ucols = m >= n ? wide : small;
    const i64 vrows = m >= n ? small : wide;
    MATRICES(item) {
        const Singular x = singular(&a, item);
        if (((const i64 *)a.faults)[item]) continue;
        const T *const u = m >= n ? x.left : x.right;
        const T *const v = m >= n ? x.right : x.left;
        R *const s = (R *)operand(&a, a.vectors ? 2 : 1, item);
        EACH(i, small) s[i] = x.s[i];
        if (!a.vectors) continue;
        T *const uto = (T *)operand(&a, 1, item);
        T *const vto = (T *)operand(&a, 3, item);
        EACH(e, m * ucols) uto[e] = u[e % ucols * m + e / ucols];
        EACH(e, vrows * n) vto[e] = CONJ(v[e]);
    }
}

INLINE R smallest_kept(const FactorArgs *a, R most) {
    const i64 large = a->n[0][0] > a->n[0][1] ? a->n[0][0] : a->n[0][1];
    const f64 rcond = a->rcond;
    return (R)((rcond != rcond ? (f64)R_EPS * large : rcond < 0 ? (f64)R_EPS : rcond) * (f64)most);
}

/* A^+ = V S^+ U^H; of a Hermitian A the eigenvalues and vectors (factor_eigh). */
KERNEL factor_pinv_put(const FactorArgs a) {
    if (a.err[0]) return;
    const i64 m = a.n[0][0];
    const i64 n = a.n[0][1];
    const i64 small = m < n ? m : n;
    MATRICES(item) {
        T *const to = (T *)operand(&a, 1, item);
        const T *u;
        const T *v;
        const R *s;
        if (((const i64 *)a.faults)[item]) continue;
        if (a.hermitian) {
            T *const room = (T *)own_room(&a, item);
            u = v = room + n * n, s = (const R *)(room + 2 * n * n + 6 * n);
        } else {
            const Singular x = singular(&a, item);
            u = m >= n ? x.left : x.right, v = m >= n ? x.right : x.left, s = x.s;
        }
        R most = 0;
        for (i64 i = 0; i < small; i++) most = R_ABS(s[i]) > most ? R_ABS(s[i]) : most;
        const R limit = smallest_kept(&a, most);
        EACH(e, n * m) {
            const i64 i = e / m;
            const i64 j = e % m;
            T sum = 0;
            for (i64 q = 0; q < small; q++)
                if (R_ABS(s[q]) > limit) sum += MUL(SCALE(v[q * n + i], 1 / s[q]), CONJ(u[q * m + j]));
            to[e] = sum;
        }
    }
}

/* Least squares: x = V S^+ U^H b. */
KERNEL factor_lstsq_put(const FactorArgs a) {
    if (a.err[0]) return;
    const i64 m = a.n[0][0];
    const i64 n = a.n[0][1];
    const i64 k = a.n[1][1];
    const i64 small = m < n ? m : n;
    MATRICES(item) {
        const Singular w = singular(&a, item);
        const char *const from = operand(&a, 0, item);
        const char *const b = operand(&a, 1, item);
        T *const x = (T *)operand(&a, 2, item);
        R *const sums = (R *)operand(&a, 3, item);
        const T *const u = m >= n ? w.left : w.right;
        const T *const v = m >= n ? w.right : w.left;
        if (((const i64 *)a.faults)[item]) continue;
        i64 rank = 0;
        while (rank < small && w.s[rank] > smallest_kept(&a, w.s[0])) rank++;
        if (threadIdx.x == 0) *(i64 *)operand(&a, 4, item) = rank;
        EACH(i, small)((R *)operand(&a, 5, item))[i] = w.s[i];
        EACH(c, k) {
            for (i64 i = 0; i < n; i++) x[i * k + c] = 0;
            for (i64 q = 0; q < rank; q++) {
                T d = 0;
                for (i64 r = 0; r < m; r++) d += MUL(CONJ(u[q * m + r]), element(&a, 1, b, r, c));
                d = SCALE(d, 1 / w.s[q]);
                for (i64 i = 0; i < n; i++) x[i * k + c] += MUL(v[q * n + i], d);
            }
            R left = 0;
            for (i64 r = 0; r < m && rank == n && m > n; r++) {
                T d = element(&a, 1, b, r, c);
                for (i64 i = 0; i < n; i++) d -= MUL(element(&a, 0, from, r, i), x[i * k + c]);
                left += SIZE2(d);
            }
            sums[c] = left;
        }
    }
}

/* ---- Hermitian eigenvalues: the room holds the matrix, vectors, work, values ---- */
/* The numbers of a block's QL steps: diagonal, beside it, and a step's rotations. */
typedef struct Steps {
    R *d, *e, *c, *s;
} Steps;

/* FN(tridiagonal): a thread's reflectors, products a row a thread. */
ROUTINE void block_tridiagonal(T *a, i64 n, const Steps *x, T *tau, T *p) {
    for (i64 k = 0; k + 1 < n; k++) {
        T *const v = a + k * n + k + 1;
        const i64 rest = n - k - 1;
        EACH(i, rest) v[i] = CONJ(v[i]);
        __syncthreads();
        if (threadIdx.x == 0) {
            tau[k] = FN(reflector)(v, (int)rest);
            x->d[k] = RE(a[k * n + k]), x->e[k] = RE(v[0]);
            v[0] = 1;
        }
        __syncthreads();
        if (tau[k] == 0) continue;
        EACH(i, rest) {
            const T *const row = a + (k + 1 + i) * n + k + 1;
            T s = 0;
            for (i64 c = 0; c < rest; c++) s += MUL(row[c], v[c]);
            p[i] = MUL(tau[k], s);
        }
        __syncthreads();
        if (threadIdx.x == 0) FN(add)(p, v, SCALE(MUL(tau[k], FN(inner)(p, v, (int)rest)), (R)-0.5), (int)rest);
        __syncthreads();
        EACH(e, rest * rest) {
            const i64 i = e / rest;
            const i64 c = e % rest;
            a[(k + 1 + i) * n + k + 1 + c] -= MUL(v[i], CONJ(p[c])) + MUL(p[i], CONJ(v[c]));
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) x->d[n - 1] = RE(a[n * n - 1]), x->e[n - 1] = 0;
    __syncthreads();
}

/* The product of the reflectors: a column a thread. */
ROUTINE void block_tridiagonal_q(const T *a, i64 n, const T *tau, T *z) {
    EACH(c, n) {
        for (i64 i = 0; i < n; i++) z[c * n + i] = i == c;
        for (i64 k = n - 2; k >= 0; k--)
            if (c > k && tau[k] != 0) FN(reflect)(z + c * n + k + 1, a + k * n + k + 1, tau[k], (int)(n - k - 1));
    }
    __syncthreads();
}

/* The numbers of FN(ql_step); where its rotations end. */
ROUTINE i64 step_numbers(const Steps *x, i64 l, i64 m) {
    R *const d = x->d;
    R *const e = x->e;
    R g = (d[l + 1] - d[l]) / (2 * e[l]);
    R r = R_SQRT(g * g + 1);
    R s = 1;
    R c = 1;
    R p = 0;
    if (r - r != 0) r = R_ABS(g);
    g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
    for (i64 i = m - 1; i >= l; i--) {
        const R f = s * e[i];
        const R b = c * e[i];
        r = R_SQRT(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) {
            d[i + 1] -= p;
            e[m] = 0;
            return i + 1;
        }
        s = f / r, c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        x->c[i] = c, x->s[i] = s;
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
    return l;
}

ROUTINE int block_ql(const Steps *x, i64 n, T *z, char *sh) {
    i64 *const end = (i64 *)sh;
    for (i64 l = 0; l < n; l++)
        for (int turns = 0;; turns++) {
            i64 m = l;
            while (m < n - 1 && R_ABS(x->e[m]) > R_EPS / 2 * (R_ABS(x->d[m]) + R_ABS(x->d[m + 1])) &&
                   R_ABS(x->e[m]) > R_MIN)
                m++;
            if (m == l) break;
            if (turns == 60) return 0;
            __syncthreads();
            if (threadIdx.x == 0) *end = step_numbers(x, l, m);
            __syncthreads();
            EACH(r, z ? n : 0)
            for (i64 i = m - 1; i >= *end; i--) {
                const T u = z[i * n + r];
                const T w = z[(i + 1) * n + r];
                z[(i + 1) * n + r] = SCALE(u, x->s[i]) + SCALE(w, x->c[i]);
                z[i * n + r] = SCALE(u, x->c[i]) - SCALE(w, x->s[i]);
            }
        }
    __syncthreads();
    return 1;
}

ROUTINE int block_eigh(T *a, i64 n, R *d, T *z, T *work, char *sh) {
    T *const tau = work;
    T *const p = tau + n;
    R *const e = (R *)(p + n);
    const Steps x = {d, e, e + n, e + 2 * n};
    const R by = block_scaled(a, n * n, sh);
    block_tridiagonal(a, n, &x, tau, p);
    if (z) block_tridiagonal_q(a, n, tau, z);
    if (!block_ql(&x, n, z, sh)) return 0;
    block_ordered(d, n, 0, z, n, NULL, 0);
    EACH(i, n) d[i] *= by;
    __syncthreads();
    return 1;
}

/* Operand i whole; whether a number is not finite. */
INLINE int whole(const FactorArgs *a, int i, i64 item, T *m, i64 n) {
    const char *const from = operand(a, i, item);
    int bad = 0;
    EACH(e, n * n) {
        m[e] = mirrored(a, i, from, e / n, e % n, 0);
        bad |= !finite_number(m[e]);
    }
    return bad;
}

/* The matrix; of two, L^-1 A L^-H with the factor L of the other, which is b then. */
ROUTINE int hermitian_of(const FactorArgs *a, i64 item, T *m, T *b, i64 n, int *where) {
    int bad = whole(a, 0, item, m, n);
    if (a->kind == FACTOR_EIGH_OF) bad |= whole(a, 1, item, b, n);
    bad = __syncthreads_or(bad);
    *where = 0;
    if (bad || a->kind != FACTOR_EIGH_OF) return !bad;
    *where = block_cholesky(b, n);
    for (int side = 0; side < 2 && !*where; side++) {
        block_triangular(b, n, 1, FACTOR_N, 0, m, n);
        EACH(e, n * n) {
            const i64 r = e / n;
            const i64 c = e % n;
            if (c > r) continue;
            const T x = CONJ(m[r * n + c]);
            m[r * n + c] = CONJ(m[c * n + r]);
            m[c * n + r] = x;
        }
        __syncthreads();
    }
    return 1;
}

ROUTINE void eigh_results(const FactorArgs *a, i64 item, const T *z, const R *s, i64 n, int vectors) {
    R *const values = (R *)operand(a, (int)a->nin, item);
    EACH(i, n) values[i] = s[i];
    if (vectors) {
        T *const to = (T *)operand(a, 2, item);
        EACH(e, n * n) to[e] = z[e % n * n + e / n];
    }
    __syncthreads();
}

/* What a library left: vectors of the matrix's conjugate, in its place. */
ROUTINE void eigh_put(const FactorArgs *a, i64 item, const T *m, T *z, const R *s, i64 n, int vectors) {
    i64 *const told = (i64 *)a->faults + item;
    const i64 was = *told;
    const int bad = was == 0 && a->info[item];
    __syncthreads();
    if (threadIdx.x == 0 && bad) *told = FAULT_EIGENVALUES;
    if (threadIdx.x == 0 && was == SPECTRUM_NAN) *told = 0;
    if (bad && a->nan) no_result(a, item, threadIdx.x, blockDim.x);
    EACH(e, vectors ? n * n : 0) z[e] = CONJ(m[e]);
    __syncthreads();
    if (was == 0 && !bad && a->kind != FACTOR_PINV) eigh_results(a, item, z, s, n, vectors);
}

KERNEL factor_eigh(const FactorArgs a) {
    SHARED;
    if (a.err[0]) return;
    const i64 n = a.n[0][0];
    MATRICES(item) {
        T *const m = (T *)own_room(&a, item);
        T *const z = m + n * n;
        T *const work = z + n * n;
        R *const s = (R *)(work + 6 * n);
        const int vectors = a.kind == FACTOR_PINV || (a.kind == FACTOR_EIGH && a.vectors);
        int where;
        if (a.phase == PHASE_PUT) {
            eigh_put(&a, item, m, z, s, n, vectors);
            continue;
        }
        const int finite = hermitian_of(&a, item, m, z, n, &where);
        int fault = where ? FAULT_NOT_POSITIVE_OTHER : 0;
        EACH(e, a.phase && (fault || !finite) ? n * n : 0) m[e] = 0;
        if (finite && !fault && !a.phase && !block_eigh(m, n, s, vectors ? z : NULL, work, sh))
            fault = FAULT_EIGENVALUES;
        if (!finite && a.kind == FACTOR_PINV) fault = FAULT_EIGENVALUES;
        if (threadIdx.x == 0) tell(&a, item, a.phase && !finite && !fault ? SPECTRUM_NAN : fault, where);
        __syncthreads();
        if (!finite || (fault && a.nan)) no_result(&a, item, threadIdx.x, blockDim.x);
        __syncthreads();
        if (!finite || fault || a.phase || a.kind == FACTOR_PINV) continue;
        eigh_results(&a, item, z, s, n, vectors);
    }
}
