/*
 * factor_kernels.h -- linear algebra on a device: text of kernels (factor.c has it as bytes), behind number.h and the
 * bodies of core/runtime/factor for one dtype. A block computes a matrix; a thread of it alone does what cannot be
 * shared. Each matrix has `each` bytes of room, and a word that says how it failed: 256 times where, plus the
 * FactorFault; 0 if it did not.
 */

/* ---- operands ---------------------------------------------------------------------------------------------------- */
#ifdef __CUDACC__
#define ROUTINE static __device__ __noinline__
#else
#define ROUTINE static
#endif
#define EACH(i, n) for (i64 i = threadIdx.x; i < (n); i += blockDim.x)
#define MATRICES(item) for (i64 item = blockIdx.x; item < a.count; item += gridDim.x)
#define MATRICES_ALONE(item) \
    for (i64 item = blockIdx.x * (i64)blockDim.x + threadIdx.x; item < a.count; item += gridDim.x * (i64)blockDim.x)

INLINE char *operand(const FactorArgs *a, int i, i64 item) {
    i64 at = 0;
    for (int d = (int)a->nd - 1; d >= 0; d--) {
        const i64 q = item / a->len[d];
        at += (item - q * a->len[d]) * a->st[d][i];
        item = q;
    }
    return a->at[i] + at;
}
/* Element (r, c) of operand i, which lies at `at`. */
INLINE T element(const FactorArgs *a, int i, const char *at, i64 r, i64 c) {
    const char *p = at + r * a->ms[i][0] + c * a->ms[i][1];
    return a->narrow ? (T)(*(const R *)p) : *(const T *)p;
}
/* ..of a matrix of which the triangle `lower` is read; the other one is its conjugate, or (straight) itself. */
INLINE T mirrored(const FactorArgs *a, int i, const char *at, i64 r, i64 c, int straight) {
    const T v = (a->lower ? r >= c : r <= c) ? element(a, i, at, r, c) : element(a, i, at, c, r);
    return (a->lower ? r >= c : r <= c) || straight ? v : CONJ(v);
}
/* A factorisation may be a library's: what is before it, and what is behind it (PHASE_Q: behind the next one). */
enum { PHASE_ALL, PHASE_TAKE, PHASE_PUT, PHASE_Q };
INLINE char *own_room(const FactorArgs *a, i64 item) { return a->room + item * a->each; }
/* A library's, from 1 on. */
INLINE i64 *pivots(const FactorArgs *a, i64 item) {
    return (i64 *)(own_room(a, item) + a->each) - (a->n[0][0] < a->n[0][1] ? a->n[0][0] : a->n[0][1]);
}
/* Operand i by rows at `to`, or (a library's) by columns. */
INLINE void take(const FactorArgs *a, int i, i64 item, T *to, int columns) {
    const char *const from = operand(a, i, item);
    const i64 rows = a->n[i][0];
    const i64 cols = a->n[i][1];
    EACH(e, rows * cols) to[columns ? e % cols * rows + e / cols : e] = element(a, i, from, e / cols, e % cols);
}
INLINE void tell(const FactorArgs *a, i64 item, int fault, i64 where) {
    ((i64 *)a->faults)[item] = where * 256 + fault;
}
INLINE int finite_number(T v) { return RE(v) - RE(v) == 0 && IM(v) - IM(v) == 0; }

/* Results of a matrix that has none. */
INLINE void no_result(const FactorArgs *a, i64 item, i64 from, i64 step) {
    for (int o = (int)a->nin; o < a->nin + a->nout; o++) {
        char *const to = operand(a, o, item);
        const i64 n = a->n[o][0] * a->n[o][1] * a->parts[o];
        for (i64 i = from; i < n; i += step) {
            if (a->bytes[o] == 4) ((f32 *)to)[i] = (f32)__builtin_nan("");
            else ((f64 *)to)[i] = __builtin_nan("");
        }
    }
}

/* ---- a block's own algorithms: all threads call them and all get the answer -------------------------------------- */
/* a becomes its lower factor. 0, or the number of the minor that is not positive. */
ROUTINE int block_cholesky(T *a, i64 n) {
    for (i64 k = 0; k < n; k++) {
        const R d = RE(a[k * n + k]);
        __syncthreads();
        if (d <= 0) return (int)k + 1;
        const R root = R_SQRT(d);
        const R inverse = 1 / root;
        if (threadIdx.x == 0) a[k * n + k] = root;
        EACH(i, n - k - 1) a[(k + 1 + i) * n + k] = SCALE(a[(k + 1 + i) * n + k], inverse);
        __syncthreads();
        EACH(e, (n - k - 1) * (n - k - 1)) {
            const i64 i = k + 1 + e / (n - k - 1);
            const i64 j = k + 1 + e % (n - k - 1);
            if (j <= i) a[i * n + j] -= MUL(a[i * n + k], CONJ(a[j * n + k]));
        }
        __syncthreads();
    }
    return 0;
}

/* P a = L U on rows, positions from 0. 0, or the number of the first pivot that is 0. */
ROUTINE int block_lu(T *a, i64 m, i64 n, i32 *at, char *sh) {
    R *const most = (R *)sh;
    i32 *const where = (i32 *)(sh + 2048);
    const int t = (int)threadIdx.x;
    int bad = 0;
    for (i64 k = 0; k < (m < n ? m : n); k++) {
        const R first = SIZE1(a[k * n + k]);
        R v = -1;
        i32 w = (i32)k;
        for (i64 i = k + t; i < m; i += blockDim.x) {
            const R s = SIZE1(a[i * n + k]);
            if (s > v) v = s, w = (i32)i;
        }
        most[t] = v, where[t] = w;
        __syncthreads();
        for (int h = (int)blockDim.x / 2; h; h >>= 1) {
            if (t < h && (most[t + h] > most[t] || (most[t + h] == most[t] && where[t + h] < where[t])))
                most[t] = most[t + h], where[t] = where[t + h];
            __syncthreads();
        }
        const i64 best = first != first ? k : where[0];
        __syncthreads();
        if (t == 0) at[k] = (i32)best;
        EACH(c, best != k ? n : 0) {
            const T x = a[k * n + c];
            a[k * n + c] = a[best * n + c];
            a[best * n + c] = x;
        }
        __syncthreads();
        const T pivot = a[k * n + k];
        if (pivot == 0) {
            if (!bad) bad = (int)k + 1;
            continue;
        }
        EACH(i, m - k - 1) a[(k + 1 + i) * n + k] = QUOTIENT(a[(k + 1 + i) * n + k], pivot);
        __syncthreads();
        EACH(e, (m - k - 1) * (n - k - 1)) {
            const i64 i = k + 1 + e / (n - k - 1);
            const i64 j = k + 1 + e % (n - k - 1);
            a[i * n + j] -= MUL(a[i * n + k], a[k * n + j]);
        }
        __syncthreads();
    }
    return bad;
}

/* op(a) X = b in place of b, all on rows. */
ROUTINE void block_triangular(const T *a, i64 n, int lower, int trans, int unit, T *b, i64 k) {
    const int down = (lower != 0) == (trans == FACTOR_N);
    for (i64 s = 0; s < n; s++) {
        const i64 i = down ? s : n - 1 - s;
        const i64 first = down ? i + 1 : 0;
        const T d = trans == FACTOR_C ? CONJ(a[i * n + i]) : a[i * n + i];
        EACH(c, unit ? 0 : k) b[i * k + c] = QUOTIENT(b[i * k + c], d);
        __syncthreads();
        EACH(e, (n - 1 - s) * k) {
            const i64 j = first + e / k;
            const i64 c = e % k;
            T f = trans == FACTOR_N ? a[j * n + i] : a[i * n + j];
            if (trans == FACTOR_C) f = CONJ(f);
            b[j * k + c] -= MUL(f, b[i * k + c]);
        }
        __syncthreads();
    }
}

ROUTINE void block_swap_rows(T *b, i64 k, const i32 *at, i64 n, int back) {
    EACH(c, k)
    for (i64 s = 0; s < n; s++) {
        const i64 i = back ? n - 1 - s : s;
        const T x = b[i * k + c];
        b[i * k + c] = b[at[i] * k + c];
        b[at[i] * k + c] = x;
    }
    __syncthreads();
}

ROUTINE void block_solve_lu(const T *lu, const i32 *at, i64 n, int trans, T *b, i64 k) {
    if (trans == FACTOR_N) block_swap_rows(b, k, at, n, 0);
    block_triangular(lu, n, trans == FACTOR_N, trans, trans == FACTOR_N, b, k);
    block_triangular(lu, n, trans != FACTOR_N, trans, trans != FACTOR_N, b, k);
    if (trans != FACTOR_N) block_swap_rows(b, k, at, n, 1);
}

/* The number of the first zero on a diagonal, or 0. */
ROUTINE int zero_on_diagonal(const T *a, i64 n) {
    for (i64 i = 0; i < n; i++)
        if (a[i * n + i] == 0) return (int)i + 1;
    return 0;
}

/* c = a b, n x n on rows */
ROUTINE void block_product(const T *x, const T *y, T *to, i64 n) {
    EACH(e, n * n) {
        const i64 i = e / n;
        const i64 j = e % n;
        T s = 0;
        for (i64 k = 0; k < n; k++) s += MUL(x[i * n + k], y[k * n + j]);
        to[e] = s;
    }
    __syncthreads();
}

/* ---- Cholesky ---------------------------------------------------------------------------------------------------- */
ROUTINE void lower_triangle(const FactorArgs *a, int i, const char *at, T *l, i64 n) {
    EACH(e, n * n) {
        const i64 r = e / n;
        const i64 c = e % n;
        const T zero = 0;
        l[e] = c > r ? zero : a->lower ? element(a, i, at, r, c) : CONJ(element(a, i, at, c, r));
    }
    __syncthreads();
}
/* The lower factor of operand i into l. */
ROUTINE int lower_factor(const FactorArgs *a, int i, const char *at, T *l, i64 n) {
    lower_triangle(a, i, at, l, n);
    return block_cholesky(l, n);
}

KERNEL factor_cholesky(const FactorArgs a) {
    if (a.err[0]) return;
    const i64 n = a.n[0][0];
    MATRICES(item) {
        T *const l = (T *)own_room(&a, item);
        T *const to = (T *)operand(&a, 1, item);
        if (a.phase == PHASE_TAKE) {
            lower_triangle(&a, 0, operand(&a, 0, item), l, n);
            continue;
        }
        const int bad = a.phase ? a.info[item] : lower_factor(&a, 0, operand(&a, 0, item), l, n);
        EACH(e, n * n) to[e] = a.lower ? l[e] : CONJ(l[e % n * n + e / n]);
        if (threadIdx.x == 0) tell(&a, item, bad ? FAULT_NOT_POSITIVE : 0, bad);
        __syncthreads();
        if (bad && a.nan) no_result(&a, item, threadIdx.x, blockDim.x);
        __syncthreads();
    }
}

/* ---- LU and determinants ----------------------------------------------------------------------------------------- */
INLINE void determinant(const FactorArgs *a, i64 item, const T *lu, i64 n, int odd) {
    f64 re = odd ? -1 : 1;
    f64 im = 0;
    i64 exponent = 0;
    for (i64 i = 0; i < n; i++) {
        const f64 x = RE(lu[i * n + i]);
        const f64 y = IM(lu[i * n + i]);
        const f64 next = COMPLEX ? re * x - im * y : re * x;
        int e;
        if (COMPLEX) im = re * y + im * x;
        re = next;
        const f64 size = fabs(re) > fabs(im) ? fabs(re) : fabs(im);
        if (!(size > 0) || size - size != 0) continue;
        frexp(size, &e);
        re = ldexp(re, -e), im = ldexp(im, -e);
        exponent += e;
    }
    const int by = exponent > 5000 ? 5000 : exponent < -5000 ? -5000 : (int)exponent;
    R *const to = (R *)operand(a, 1, item);
    to[0] = (R)ldexp(re, by);
    if (COMPLEX) to[1] = (R)ldexp(im, by);
}

INLINE void log_determinant(const FactorArgs *a, i64 item, const T *lu, i64 n, int odd) {
    f64 re = odd ? -1 : 1;
    f64 im = 0;
    f64 sum = 0;
    for (i64 i = 0; i < n; i++) {
        f64 x = RE(lu[i * n + i]);
        f64 y = IM(lu[i * n + i]);
        const f64 r = COMPLEX ? hypot(x, y) : fabs(x);
        sum += log(r);
        if (r == 0) {
            re = im = 0;
            break;
        }
        if (COMPLEX) {
            x /= r, y /= r;
            const f64 next = re * x - im * y;
            im = re * y + im * x, re = next;
        } else if (x < 0) re = -re;
    }
    R *const sign = (R *)operand(a, 1, item);
    sign[0] = (R)re;
    if (COMPLEX) sign[1] = (R)im;
    *(R *)operand(a, 2, item) = (R)sum;
}

KERNEL factor_lu(const FactorArgs a) {
    SHARED;
    if (a.err[0]) return;
    const i64 m = a.n[0][0];
    const i64 n = a.n[0][1];
    MATRICES(item) {
        const i64 *const pivot = pivots(&a, item);
        T *const room = (T *)own_room(&a, item);
        T *lu = room;
        i32 *at = (i32 *)(lu + m * n);
        if (a.phase == PHASE_TAKE) {
            take(&a, 0, item, room, 1);
            continue;
        }
        if (a.kind == FACTOR_LU) lu = (T *)operand(&a, 1, item), at = (i32 *)operand(&a, 2, item);
        if (!a.phase) {
            take(&a, 0, item, lu, 0);
            __syncthreads();
            block_lu(lu, m, n, at, sh);
        } else if (a.kind == FACTOR_LU) {
            EACH(e, m * n) lu[e] = room[e % n * m + e / n];
            EACH(i, m < n ? m : n) at[i] = (i32)pivot[i] - 1;
        }
        if (threadIdx.x == 0 && a.kind != FACTOR_LU) {
            int odd = 0;
            for (i64 i = 0; i < n; i++) odd ^= a.phase ? pivot[i] != i + 1 : at[i] != i;
            if (a.kind == FACTOR_DET) determinant(&a, item, lu, n, odd);
            else log_determinant(&a, item, lu, n, odd);
        }
        if (threadIdx.x == 0) tell(&a, item, 0, 0);
        __syncthreads();
    }
}

/* ---- systems ----------------------------------------------------------------------------------------------------- */
INLINE void take_sides(const FactorArgs *a, i64 item, T *x, i64 n, int columns) {
    if (a->kind == FACTOR_INVERSE) {
        EACH(e, n * n) x[e] = e / n == e % n;
    } else take(a, a->kind == FACTOR_LU_SOLVE ? 2 : 1, item, x, columns);
}

INLINE void take_matrix(const FactorArgs *a, i64 item, T *m, i64 n, int columns) {
    if (a->kind == FACTOR_SOLVE && a->assume != FACTOR_GEN) {
        const char *const from = operand(a, 0, item);
        EACH(e, n * n)
        m[columns ? e % n * n + e / n : e] = mirrored(a, 0, from, e / n, e % n, a->assume == FACTOR_SYM);
    } else take(a, 0, item, m, columns);
}

INLINE int wrong_position(const FactorArgs *a, i64 item, i32 *at) {
    const char *const from = operand(a, 1, item);
    int bad = 0;
    for (i64 i = 0; i < a->n[1][0] && !bad; i++) {
        const i32 v = *(const i32 *)(from + i * a->ms[1][0]);
        if (v < 0 || v >= a->n[1][0]) bad = (int)i + 1;
    }
    EACH(i, a->n[1][0]) at[i] = *(const i32 *)(from + i * a->ms[1][0]);
    return bad;
}

/* The factor of a positive matrix is L of L L^H, or U of U^H U. */
INLINE void solve_positive(const T *l, i64 n, int lower, T *b, i64 k) {
    block_triangular(l, n, lower, lower ? FACTOR_N : FACTOR_C, 0, b, k);
    block_triangular(l, n, lower, lower ? FACTOR_C : FACTOR_N, 0, b, k);
}

/* Fault times 2^32 plus where. */
ROUTINE i64 solved(const FactorArgs *a, i64 item, T *m, i32 *at, T *x, i64 n, i64 k, char *sh) {
    int bad = 0;
    take_sides(a, item, x, n, 0);
    if (a->kind == FACTOR_SOLVE && a->assume == FACTOR_POS) {
        bad = lower_factor(a, 0, operand(a, 0, item), m, n);
        if (bad) return (i64)FAULT_NOT_POSITIVE << 32 | bad;
        EACH(e, a->trans == FACTOR_T ? n * k : 0) x[e] = CONJ(x[e]); /* A^T is the conjugate of A */
        __syncthreads();
        solve_positive(m, n, 1, x, k);
        EACH(e, a->trans == FACTOR_T ? n * k : 0) x[e] = CONJ(x[e]);
        return 0;
    }
    take_matrix(a, item, m, n, 0);
    if (a->kind == FACTOR_LU_SOLVE && (bad = wrong_position(a, item, at))) return (i64)FAULT_POSITIONS << 32 | bad;
    __syncthreads();
    if (a->kind == FACTOR_SOLVE || a->kind == FACTOR_INVERSE) bad = block_lu(m, n, n, at, sh);
    else if (!(a->kind == FACTOR_TRIANGULAR && a->unit)) bad = zero_on_diagonal(m, n);
    if (bad) return (i64)FAULT_SINGULAR << 32 | bad;
    if (a->kind == FACTOR_TRIANGULAR) block_triangular(m, n, (int)a->lower, (int)a->trans, (int)a->unit, x, k);
    else if (a->kind == FACTOR_CHO_SOLVE) solve_positive(m, n, (int)a->lower, x, k);
    else block_solve_lu(m, at, n, a->kind == FACTOR_INVERSE ? FACTOR_N : (int)a->trans, x, k);
    return 0;
}

/* Positions given with both factors, as pivots of a library; what is wrong with them is told. */
ROUTINE void take_pivots(const FactorArgs *a, i64 item, const T *m, i64 n) {
    i64 *const pivot = pivots(a, item);
    int wrong = 0;
    __syncthreads();
    if (threadIdx.x) return;
    for (i64 i = 0; i < n; i++) {
        const i32 v = *(const i32 *)(operand(a, 1, item) + i * a->ms[1][0]);
        const int bad = v < 0 || v >= n;
        if (bad && !wrong) wrong = (int)i + 1;
        pivot[i] = bad ? i + 1 : v + 1;
    }
    const int zero = wrong ? 0 : zero_on_diagonal(m, n);
    tell(a, item, wrong ? FAULT_POSITIONS : zero ? FAULT_SINGULAR : 0, wrong + zero);
}

/* What a library says, or was said before it. */
INLINE i64 solver_fault(const FactorArgs *a, i64 item) {
    const i64 v = ((const i64 *)a->faults)[item];
    if (a->kind == FACTOR_LU_SOLVE) return (v & 255) << 32 | v >> 8;
    return a->info[item] ? (i64)FAULT_SINGULAR << 32 | a->info[item] : 0;
}

KERNEL factor_solve(const FactorArgs a) {
    SHARED;
    if (a.err[0]) return;
    const i64 n = a.n[0][0];
    MATRICES(item) {
        T *const m = (T *)own_room(&a, item);
        T *const x = m + n * n; /* a library's */
        T *const to = (T *)operand(&a, (int)a.nin, item);
        const i64 k = a.n[a.nin][1];
        i64 bad = 0;
        if (a.phase == PHASE_TAKE) {
            take_sides(&a, item, x, n, 1);
            take_matrix(&a, item, m, n, 1);
            if (a.kind == FACTOR_LU_SOLVE) take_pivots(&a, item, m, n);
            continue;
        }
        if (a.phase) {
            EACH(e, n * k) to[e] = x[e % k * n + e / k];
            bad = solver_fault(&a, item);
            __syncthreads();
        } else bad = solved(&a, item, m, (i32 *)x, to, n, k, sh);
        if (threadIdx.x == 0) tell(&a, item, (int)(bad >> 32), bad & 0x7fffffff);
        __syncthreads();
        if (bad && a.nan) no_result(&a, item, threadIdx.x, blockDim.x);
        __syncthreads();
    }
}

/* ---- QR: a thread forms a reflector, all apply it, a column each ------------------------------------------------- */
/* m x n by columns: R above the diagonal, reflectors below it. */
ROUTINE void block_qr(T *v, T *tau, int m, int n) {
    for (int k = 0; k < m && k < n; k++) {
        T *const x = v + (i64)k * m + k;
        if (threadIdx.x == 0) tau[k] = FN(reflector)(x, m - k);
        __syncthreads();
        if (tau[k] != 0) EACH(c, n - k - 1) FN(reflect)(v + (k + 1 + c) * m + k, x, CONJ(tau[k]), m - k);
        __syncthreads();
    }
}

/* The first `cols` columns of the product of k such reflectors, in their place. */
ROUTINE void block_q(T *v, const T *tau, int m, int cols, int k) {
    for (i64 c = k; c < cols; c++) EACH(i, m) v[c * m + i] = i == c;
    __syncthreads();
    for (int i = k - 1; i >= 0; i--) {
        T *const x = v + (i64)i * m + i;
        EACH(c, cols - i - 1) FN(reflect)(v + (i + 1 + c) * m + i, x, tau[i], m - i);
        __syncthreads();
        EACH(s, m - i - 1) x[1 + s] = MUL(x[1 + s], -tau[i]);
        if (threadIdx.x == 0) x[0] = 1 - tau[i];
        EACH(s, i) v[(i64)i * m + s] = 0;
        __syncthreads();
    }
}

KERNEL factor_qr(const FactorArgs a) {
    if (a.err[0]) return;
    const int m = (int)a.n[0][0];
    const int n = (int)a.n[0][1];
    const int p = m < n ? m : n;
    const int mode = (int)a.mode;
    const int q = mode == FACTOR_COMPLETE ? m : p;
    MATRICES(item) {
        const char *const from = operand(&a, 0, item);
        T *v = (T *)own_room(&a, item);
        T *tau = v + (i64)m * (q > n ? q : n);
        if (mode == FACTOR_RAW) v = (T *)operand(&a, 1, item), tau = (T *)operand(&a, 2, item);
        EACH(e, a.phase <= PHASE_TAKE ? (i64)m * n : 0) v[e] = element(&a, 0, from, e % m, e / m);
        __syncthreads();
        if (a.phase == PHASE_TAKE) continue;
        if (!a.phase) block_qr(v, tau, m, n);
        if (threadIdx.x == 0) tell(&a, item, 0, 0);
        if (mode == FACTOR_RAW) continue;
        T *const r = (T *)operand(&a, mode == FACTOR_R ? 1 : 2, item);
        const T zero = 0;
        EACH(e, a.phase == PHASE_Q ? 0 : (i64)q * n) {
            const i64 i = e / n;
            const i64 c = e % n;
            r[e] = i > c || i >= p ? zero : v[c * m + i];
        }
        __syncthreads();
        if (mode == FACTOR_R || a.phase == PHASE_PUT) continue;
        if (!a.phase) block_q(v, tau, m, q, p);
        T *const to = (T *)operand(&a, 1, item);
        EACH(e, (i64)m * q) to[e] = v[e % q * m + e / q];
        __syncthreads();
    }
}

/* ---- exponentials --------------------------------------------------------------------------- */
ROUTINE R column_norm(const T *x, i64 n, char *sh) {
    R *const most = (R *)sh;
    R own = 0;
    EACH(c, n) {
        R sum = 0;
        for (i64 i = 0; i < n; i++)
            sum += COMPLEX ? R_ABS(RE(x[i * n + c])) + R_ABS(IM(x[i * n + c])) : R_ABS(RE(x[i * n + c]));
        if (!(sum <= own)) own = sum; /* NaN too */
    }
    __syncthreads();
    most[threadIdx.x] = own;
    __syncthreads();
    for (int t = 0; t < (int)blockDim.x; t++)
        if (!(most[t] <= own)) own = most[t];
    __syncthreads();
    return own;
}

/* to = eye I + b0 x0 + b1 x1 + b2 x2 */
ROUTINE void combine(T *to, i64 n, const T *x0, f64 b0, const T *x1, f64 b1, const T *x2, f64 b2, f64 eye) {
    EACH(e, n * n) {
        T v = SCALE(x0[e], (R)b0);
        if (x1) v += SCALE(x1[e], (R)b1);
        if (x2) v += SCALE(x2[e], (R)b2);
        if (e / n == e % n) v += (T)(R)eye;
        to[e] = v;
    }
    __syncthreads();
}

/* The approximant of Pade of degree 13, of the matrix halved until its norm is small, squared as often (Higham 2005).
 */
ROUTINE int block_expm(T **x, i32 *at, i64 n, f64 norm, char *sh, T **result) {
    int halved = 0;
    for (f64 size = norm; size > (sizeof(R) == 4 ? 3.9 : 5.3); size /= 2) halved++;
    EACH(e, n * n) x[0][e] = SCALE(x[0][e], (R)ldexp(1.0, -halved));
    __syncthreads();
    block_product(x[0], x[0], x[1], n);
    block_product(x[1], x[1], x[2], n);
    block_product(x[2], x[1], x[3], n);
    combine(x[4], n, x[1], 40840800.0, x[2], 16380.0, x[3], 1.0, 0.0);
    block_product(x[3], x[4], x[5], n);
    combine(x[4], n, x[1], 1187353796428800.0, x[2], 10559470521600.0, x[3], 33522128640.0, 32382376266240000.0);
    combine(x[4], n, x[4], 1.0, x[5], 1.0, NULL, 0.0, 0.0);
    block_product(x[0], x[4], x[5], n); /* odd part.. */
    combine(x[4], n, x[1], 1323241920.0, x[2], 960960.0, x[3], 182.0, 0.0);
    block_product(x[3], x[4], x[6], n);
    combine(x[4], n, x[1], 7771770303897600.0, x[2], 129060195264000.0, x[3], 670442572800.0, 64764752532480000.0);
    combine(x[6], n, x[6], 1.0, x[4], 1.0, NULL, 0.0, 0.0); /* ..and even part */
    combine(x[0], n, x[6], 1.0, x[5], -1.0, NULL, 0.0, 0.0);
    combine(x[1], n, x[6], 1.0, x[5], 1.0, NULL, 0.0, 0.0);
    const int bad = block_lu(x[0], n, n, at, sh);
    if (bad) return bad;
    block_solve_lu(x[0], at, n, FACTOR_N, x[1], n);
    for (int i = 0; i < halved; i++) block_product(x[1 + i % 2], x[1 + i % 2], x[2 - i % 2], n);
    *result = x[1 + halved % 2];
    return 0;
}

KERNEL factor_expm(const FactorArgs a) {
    SHARED;
    if (a.err[0]) return;
    const i64 n = a.n[0][0];
    MATRICES(item) {
        T *x[7];
        T *from = NULL;
        T *const to = (T *)operand(&a, 1, item);
        for (int i = 0; i < 7; i++) x[i] = (T *)own_room(&a, item) + i * n * n;
        take(&a, 0, item, x[0], 0);
        __syncthreads();
        const R norm = column_norm(x[0], n, sh);
        const int finite = norm - norm == 0;
        const int bad = finite ? block_expm(x, (i32 *)(x[6] + n * n), n, norm, sh, &from) : 0;
        if (threadIdx.x == 0) tell(&a, item, bad ? FAULT_SINGULAR : 0, bad);
        EACH(e, from ? n * n : 0) to[e] = from[e];
        __syncthreads();
        if (!finite || (bad && a.nan)) no_result(&a, item, threadIdx.x, blockDim.x);
        __syncthreads();
    }
}

/* ---- the batch --------------------------------------------------------------------------------------------------- */
/* Matrices without elements: what is nothing's product is 1, what is orthonormal the unit matrix. */
KERNEL factor_empty(const FactorArgs a) {
    if (a.err[0]) return;
    const int unit = a.kind == FACTOR_DET || a.kind == FACTOR_SLOGDET;
    MATRICES(item) {
        for (int o = (int)a.nin; o < a.nin + a.nout; o++) {
            char *const to = operand(&a, o, item);
            const i64 n = a.n[o][1];
            const i64 all = a.n[o][0] * n;
            const int first = o == a.nin;
            const int eye = (a.kind == FACTOR_QR && first) || (a.kind == FACTOR_SVD && a.vectors && o != a.nin + 1);
            EACH(e, all * a.parts[o]) {
                const i64 i = e / a.parts[o];
                const int one = e % a.parts[o] == 0 && ((eye && i / n == i % n) || (unit && first));
                if (a.bytes[o] == 4 && a.kind == FACTOR_LU && o == 2) ((i32 *)to)[e] = 0;
                else if (a.kind == FACTOR_LSTSQ && o == 4) ((i64 *)to)[e] = 0;
                else if (a.bytes[o] == 4) ((f32 *)to)[e] = (f32)one;
                else ((f64 *)to)[e] = one;
            }
        }
        if (a.kind != FACTOR_LSTSQ || a.n[0][0] <= a.n[0][1]) continue;
        __syncthreads();
        EACH(c, a.n[1][1]) {
            const char *const b = operand(&a, 1, item);
            R sum = 0;
            for (i64 i = 0; i < a.n[1][0]; i++) {
                const T v = element(&a, 1, b, i, c);
                sum += SIZE2(v);
            }
            ((R *)operand(&a, 3, item))[c] = sum;
        }
    }
}

/* The first matrix that failed is the call's failure. */
KERNEL factor_report(const FactorArgs a) {
    if (a.err[0] || blockIdx.x || threadIdx.x) return;
    for (i64 i = 0; i < a.count; i++) {
        const i64 v = ((const i64 *)a.faults)[i];
        if (!v) continue;
        fail(a.err, a.step, v % 256 * 2 + (a.count > 1), v / 256, i, a.count, 0);
        return;
    }
}
