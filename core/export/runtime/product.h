/* Products of matrices, in the order of sums that core/runtime/gemm/gemm.h promises. For each T: OF(name), FMA. */
enum {
    OF(LANES) = 64 / (int)sizeof(T),
    OF(WIDE) = 4096 / (64 * (int)sizeof(T)),
    OF(VECTOR) = VECTOR_BYTES / (int)sizeof(T)
};

static T OF(blend)(T sum, T alpha, T beta, const T *c) { return beta != 0 ? FMA(alpha, sum, beta * *c) : alpha * sum; }

static T OF(fold)(T *t, int lanes) {
    for (int h = lanes / 2; h > 0; h /= 2)
        for (int i = 0; i < h; i++) t[i] += t[i + h];
    return t[0];
}

/* One sum over k on so many lanes. */
static T OF(dot)(const T *a, i64 as, const T *b, i64 bs, i64 n, int lanes) {
    T t[4 * OF(LANES)] = {0};
    i64 k = 0;
    if (as == 1 && bs == 1 && lanes == OF(LANES))
        for (; k + OF(LANES) <= n; k += OF(LANES))
            for (int l = 0; l < OF(LANES); l++) t[l] = FMA(a[k + l], b[k + l], t[l]);
    else if (bs == 1 && lanes == OF(LANES))
        for (; k + OF(LANES) <= n; k += OF(LANES))
            for (int l = 0; l < OF(LANES); l++) t[l] = FMA(a[(k + l) * as], b[k + l], t[l]);
    for (; k < n; k++) t[k % lanes] = FMA(a[k * as], b[k * bs], t[k % lanes]);
    for (; k % OF(LANES); k++) t[k % lanes] += 0;
    return OF(fold)(t, lanes);
}

/* Rows [i, i + n) of a, which lie side by side, times x: lanes of all rows together. */
static void OF(dot_columns)(const T *a, i64 ks, const T *x, i64 xs, i64 k, i64 n, T *sum) {
    T t[OF(LANES)][OF(WIDE)];
    i64 q = 0, all = k - k % (4 * OF(LANES));
    memset(t, 0, sizeof t);
    for (; q < all; q += 4 * OF(LANES))
        for (int l = 0; l < OF(LANES); l++) {
            const T *p0 = a + (q + l) * ks, *p1 = p0 + OF(LANES) * ks, *p2 = p1 + OF(LANES) * ks;
            const T *p3 = p2 + OF(LANES) * ks;
            T x0 = x[(q + l) * xs], x1 = x[(q + l + OF(LANES)) * xs], x2 = x[(q + l + 2 * OF(LANES)) * xs];
            T x3 = x[(q + l + 3 * OF(LANES)) * xs];
            for (i64 j = 0; j < n; j++)
                t[l][j] = FMA(p3[j], x3, FMA(p2[j], x2, FMA(p1[j], x1, FMA(p0[j], x0, t[l][j]))));
        }
    for (; q < k; q++) {
        T x0 = x[q * xs];
        for (i64 j = 0; j < n; j++) t[q % OF(LANES)][j] = FMA(a[q * ks + j], x0, t[q % OF(LANES)][j]);
    }
    for (; q % OF(LANES); q++)
        for (i64 j = 0; j < n; j++) t[q % OF(LANES)][j] += 0;
    for (int h = OF(LANES) / 2; h > 0; h /= 2)
        for (int l = 0; l < h; l++)
            for (i64 j = 0; j < n; j++) t[l][j] += t[l + h][j];
    for (i64 j = 0; j < n; j++) sum[j] = t[0][j];
}

/* y = alpha a.x + beta y, a: m rows of k */
static void OF(product_vector)(const Product *p, i64 m, const T *a, i64 rs, i64 ks, const T *x, i64 xs, T *y, i64 ys) {
    T alpha = (T)p->alpha, beta = (T)p->beta, sum[OF(WIDE)];
    if (m >= OF(LANES) && rs == 1 && ks != 1) {
        for (i64 i = 0; i < m; i += OF(WIDE)) {
            i64 n = m - i < OF(WIDE) ? m - i : OF(WIDE);
            OF(dot_columns)(a + i, ks, x, xs, p->k, n, sum);
            for (i64 j = 0; j < n; j++) y[(i + j) * ys] = OF(blend)(sum[j], alpha, beta, y + (i + j) * ys);
        }
        return;
    }
    for (i64 i = 0; i < m; i++)
        y[i * ys] = OF(blend)(OF(dot)(a + i * rs, ks, x, xs, p->k, m == 1 ? 4 * OF(LANES) : OF(LANES)), alpha, beta,
                              y + i * ys);
}

/* One chain of additions over [k0, k1) for each point of c. */
static void OF(product_tiles)(const Product *p, i64 k0, i64 k1, T beta) {
    const T *a = p->a, *b = p->b;
    T *c = p->c, alpha = (T)p->alpha, t[4][OF(WIDE)];
    const i64 as = p->as[1], bs = p->bs[0];
    for (i64 j = 0; j < p->n; j += OF(WIDE))
        for (i64 i = 0; i < p->m; i += 4) {
            const i64 n = p->n - j < OF(WIDE) ? p->n - j : OF(WIDE), r = p->m - i < 4 ? p->m - i : 4;
            memset(t, 0, sizeof t);
            for (i64 k = k0; k < k1; k++) {
                const T *q = b + k * bs + j * p->bs[1];
                for (i64 u = 0; u < r; u++) {
                    const T x = a[(i + u) * p->as[0] + k * as];
                    if (p->bs[1] == 1)
                        for (i64 v = 0; v < n; v++) t[u][v] = FMA(q[v], x, t[u][v]);
                    else
                        for (i64 v = 0; v < n; v++) t[u][v] = FMA(q[v * p->bs[1]], x, t[u][v]);
                }
            }
            for (i64 u = 0; u < r; u++)
                for (i64 v = 0; v < n; v++) {
                    T *to = c + (i + u) * p->cs[0] + (j + v) * p->cs[1];
                    *to = OF(blend)(t[u][v], alpha, beta, to);
                }
        }
}

/* Few columns: sums on the lanes of a vector where k is long. */
static int OF(product_narrow)(const Product *p) {
    const i64 vl = OF(VECTOR), up = (p->n + vl - 1) / vl * vl;
    if (p->n >= 2 * vl || 7 * p->n > 5 * up) return 0;
    if (!(p->k >= 128 && p->m >= 16 && p->k >= p->m)) {
        if (p->as[0] != 1 || p->as[1] == 1 || p->m < 2 * vl || p->k < 20) return 0;
        OF(product_tiles)(p, 0, p->k, (T)p->beta);
        return 1;
    }
    for (i64 i = 0; i < p->m; i++)
        for (i64 j = 0; j < p->n; j++) {
            const T *a = (const T *)p->a + i * p->as[0], *b = (const T *)p->b + j * p->bs[1];
            T t[OF(VECTOR)] = {0}, *c = (T *)p->c + i * p->cs[0] + j * p->cs[1];
            i64 k = 0;
            for (; k < p->k; k++) t[k % vl] = FMA(a[k * p->as[1]], b[k * p->bs[0]], t[k % vl]);
            for (; k % vl; k++) t[k % vl] += 0;
            *c = OF(blend)(OF(fold)(t, OF(VECTOR)), (T)p->alpha, (T)p->beta, c);
        }
    return 1;
}

#ifdef THEANO_CBLAS
/* Large ones whose rows or columns lie side by side, by BLAS in its own order of sums. */
static int OF(product_blas)(const Product *p) {
    const int ta = p->as[1] != 1, tb = p->bs[1] != 1;
    const i64 la = p->as[ta], lb = p->bs[tb], most = 1 << 30;
    if ((ta && p->as[0] != 1) || (tb && p->bs[0] != 1) || p->cs[1] != 1) return 0;
    if (la < (ta ? p->m : p->k) || lb < (tb ? p->k : p->n) || p->cs[0] < p->n) return 0;
    if (p->m > most || p->n > most || p->k > most || la > most || lb > most || p->cs[0] > most) return 0;
    if (p->m < 8 || p->n < 8 || p->k < 8) return 0;
    GEMM(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, (int)p->m, (int)p->n, (int)p->k,
         (T)p->alpha, (const T *)p->a, (int)la, (const T *)p->b, (int)lb, (T)p->beta, (T *)p->c, (int)p->cs[0]);
    return 1;
}
#endif

static void OF(product)(const Product *p) {
#ifdef THEANO_CBLAS
    if (OF(product_blas)(p)) return;
#endif
    if (p->m <= 0 || p->n <= 0) return;
    if (p->k <= 0) {
        for (i64 i = 0; i < p->m; i++)
            for (i64 j = 0; j < p->n; j++) {
                T *c = (T *)p->c + i * p->cs[0] + j * p->cs[1];
                *c = OF(blend)(0, 1, (T)p->beta, c);
            }
    } else if (p->n == 1) {
        OF(product_vector)(p, p->m, p->a, p->as[0], p->as[1], p->b, p->bs[0], p->c, p->cs[0]);
    } else if (p->m == 1) {
        OF(product_vector)(p, p->n, p->b, p->bs[1], p->bs[0], p->a, p->as[1], p->c, p->cs[1]);
    } else if (!OF(product_narrow)(p)) {
        const i64 blocks = p->k <= 1024 ? 1 : (p->k + 767) / 768, step = (p->k + blocks - 1) / blocks;
        for (i64 k = 0; k < p->k; k += step)
            OF(product_tiles)(p, k, k + step < p->k ? k + step : p->k, k ? (T)1 : (T)p->beta);
    }
}
