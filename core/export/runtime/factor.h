/* What is solved with the kernels above: as core/runtime/factor/own.c, for matrices up to its WHOLE. For each T. */
/* to := a in rows, of one triangle alone where `side` is 1 (lower) or 2; from any steps */
static void OF(factor_take)(T *to, const char *a, const i64 *st, i64 m, i64 n, int side) {
    for (i64 i = 0; i < m; i++)
        for (i64 j = 0; j < n; j++)
            to[i * n + j] = (side == 1 && j > i) || (side == 2 && j < i)
                                ? 0
                                : *(const T *)(const void *)(a + i * st[0] + j * st[1]);
}

static int OF(factor_diagonal)(const T *a, i64 n) {
    for (i64 i = 0; i < n; i++)
        if (a[i * n + i] == 0) return 0;
    return 1;
}

static void OF(factor_swap)(T *b, i64 k, const int *at, int n, int back) {
    for (int s = 0; s < n; s++) {
        const int i = back ? n - 1 - s : s;
        if (at[i] != i) OF(exchange)(b + i * k, b + at[i] * k, (int)k);
    }
}

static void OF(factor_solved)(const T *lu, const int *at, int n, int trans, T *b, int k) {
    if (trans == FACTOR_N) OF(factor_swap)(b, k, at, n, 0);
    OF(triangular)(lu, n, n, trans == FACTOR_N, trans, trans == FACTOR_N, b, k, k);
    OF(triangular)(lu, n, n, trans != FACTOR_N, trans, trans != FACTOR_N, b, k, k);
    if (trans != FACTOR_N) OF(factor_swap)(b, k, at, n, 1);
}

static void OF(factor_positive)(const T *a, int n, int lower, T *b, int k) {
    OF(triangular)(a, n, n, lower, lower ? FACTOR_N : FACTOR_C, 0, b, k, k);
    OF(triangular)(a, n, n, lower, lower ? FACTOR_C : FACTOR_N, 0, b, k, k);
}

/* The determinant, so that no part of it overflows where the whole does not; or its sign and logarithm. */
static void OF(factor_det)(const T *lu, int n, int odd, T *det, T *log_modulus) {
    f64 v = odd ? -1 : 1, sum = 0;
    i64 all = 0;
    for (i64 i = 0; i < n; i++) {
        const f64 d = (f64)lu[i * n + i];
        int e;
        if (log_modulus) {
            sum += log(fabs(d));
            v = d == 0 ? 0 : d < 0 ? -v : v;
            if (d == 0) break;
            continue;
        }
        v *= d;
        if (!(fabs(v) > 0) || isinf(v)) continue;
        v = frexp(v, &e);
        all += e;
    }
    if (log_modulus) *log_modulus = (T)sum;
    *det = (T)(log_modulus ? v : ldexp(v, all > 5000 ? 5000 : all < -5000 ? -5000 : (int)all));
}

/* Exchanged rows as they were told: within the matrix. */
static int OF(factor_rows)(int *at, const char *from, i64 step, i64 n) {
    for (i64 i = 0; i < n; i++) {
        at[i] = *(const i32 *)(const void *)(from + i * step);
        if (at[i] < 0 || at[i] >= n) return 0;
    }
    return 1;
}

/* As core/runtime/factor/lanes.c, a matrix at a time: 1 done, 0 not in this way. p, s as below; b: room beside a. */
static int OF(factor_lane_triangle)(const i64 *w, const T *a, int turned, T *b) {
    const int n = (int)w[2], lower = (int)w[4] != turned, unit = w[0] == FACTOR_TRIANGULAR && w[5];
    return OF(lane_triangular)(a, n, turned ? 1 : n, turned ? n : 1, lower, unit, b, (int)w[3]);
}

static int OF(factor_lane)(const i64 *w, char *const *p, const i64 *s, T *a, T *b) {
    const int n = (int)w[2], k = (int)w[3], lower = (int)w[4], rs = lower ? n : 1, cs = lower ? 1 : n;
    const int turned = w[6] != FACTOR_N, sides = w[9] > 1;
    int work[LANE_ROWS], ok = 1;
    const i64 size = sides ? (i64)n * k : w[0] == FACTOR_INVERSE || w[0] == FACTOR_CHOLESKY ? (i64)n * n : 1;
    OF(factor_take)(a, p[0], s, n, n, 0);
    if (sides) OF(factor_take)(b, p[1], s + 2, n, k, 0);
    if (w[0] == FACTOR_CHOLESKY || (w[0] == FACTOR_SOLVE && w[7] == FACTOR_POS)) ok = OF(lane_cholesky)(a, n, rs, cs);
    if (w[0] == FACTOR_INVERSE) ok = OF(lane_invert)(a, n, b, work);
    else if (w[0] == FACTOR_DET) ok = OF(lane_det)(a, n, b, work);
    else if (w[0] == FACTOR_TRIANGULAR) ok = OF(factor_lane_triangle)(w, a, turned, b);
    else if (w[0] == FACTOR_CHO_SOLVE || (w[0] == FACTOR_SOLVE && w[7] == FACTOR_POS))
        ok = ok && OF(factor_lane_triangle)(w, a, !lower, b) && OF(factor_lane_triangle)(w, a, lower, b);
    else if (w[0] == FACTOR_SOLVE) ok = OF(lane_solve)(a, n, turned ? 1 : n, turned ? n : 1, b, k, work);
    for (i64 i = 0; ok && i < size; i++) ((T *)(void *)p[w[9]])[i] = w[0] == FACTOR_CHOLESKY ? a[i] : b[i];
    return ok;
}

/* Whether the matrices of a batch go that way. */
static int OF(factor_in_lane)(const i64 *w) {
    const int sides = w[0] == FACTOR_SOLVE || w[0] == FACTOR_TRIANGULAR || w[0] == FACTOR_CHO_SOLVE;
    if (!w[19] || w[2] > LANE_ROWS || (sides ? w[2] * w[3] : w[2] * w[2]) > LANE_NUMBERS) return 0;
    if (w[0] == FACTOR_SOLVE) return w[7] == FACTOR_GEN || w[7] == FACTOR_POS;
    return sides || w[0] == FACTOR_CHOLESKY || w[0] == FACTOR_INVERSE || w[0] == FACTOR_DET;
}

/* w: kind, m, n, k, lower, unit, trans, assume. p: operands of this matrix, s: the inputs' steps (rows, columns). */
static int OF(factor_one)(const i64 *w, char *const *p, const i64 *s, T *a, int *at) {
    const int m = (int)w[1], n = (int)w[2], k = (int)w[3], lower = (int)w[4], trans = (int)w[6];
    T *const to = (T *)(void *)p[w[9]], *const next = (T *)(void *)p[w[8] - 1]; /* the first result and the last */
    int odd = 0;
    switch (w[0]) {
    case FACTOR_CHOLESKY: OF(factor_take)(to, p[0], s, n, n, lower ? 1 : 2); return !OF(cholesky)(to, n, n, lower);
    case FACTOR_LU:
        OF(factor_take)(to, p[0], s, m, n, 0);
        OF(lu)(to, m, n, n, at);
        for (int i = 0; i < (m < n ? m : n); i++) ((i32 *)(void *)p[2])[i] = at[i];
        return 1;
    case FACTOR_LU_SOLVE:
        OF(factor_take)(a, p[0], s, n, n, 0);
        OF(factor_take)(to, p[2], s + 4, n, k, 0);
        if (!OF(factor_rows)(at, p[1], s[2], n) || !OF(factor_diagonal)(a, n)) return 0;
        OF(factor_solved)(a, at, n, trans, to, k);
        return 1;
    case FACTOR_TRIANGULAR:
    case FACTOR_CHO_SOLVE:
        OF(factor_take)(a, p[0], s, n, n, 0);
        OF(factor_take)(to, p[1], s + 2, n, k, 0);
        if (!w[5] && !OF(factor_diagonal)(a, n)) return 0;
        if (w[0] == FACTOR_CHO_SOLVE) OF(factor_positive)(a, n, lower, to, k);
        else OF(triangular)(a, n, n, lower, trans, (int)w[5], to, k, k);
        return 1;
    case FACTOR_SOLVE:
        OF(factor_take)(to, p[1], s + 2, n, k, 0);
        OF(factor_take)(a, p[0], s, n, n, w[7] == FACTOR_GEN ? 0 : lower ? 1 : 2);
        if (w[7] == FACTOR_POS) {
            if (OF(cholesky)(a, n, n, lower)) return 0;
            OF(factor_positive)(a, n, lower, to, k);
            return 1;
        }
        for (i64 i = 0; w[7] != FACTOR_GEN && i < n; i++)
            for (i64 j = 0; j < i; j++)
                if (lower) a[j * n + i] = a[i * n + j];
                else a[i * n + j] = a[j * n + i];
        if (OF(lu)(a, n, n, n, at)) return 0;
        OF(factor_solved)(a, at, n, trans, to, k);
        return 1;
    case FACTOR_INVERSE:
        OF(factor_take)(a, p[0], s, n, n, 0);
        if (OF(lu)(a, n, n, n, at)) return 0;
        for (i64 i = 0; i < (i64)n * n; i++) to[i] = i % (n + 1) == 0;
        OF(factor_solved)(a, at, n, FACTOR_N, to, n);
        return 1;
    default:
        OF(factor_take)(a, p[0], s, n, n, 0);
        OF(lu)(a, n, n, n, at);
        for (int i = 0; i < n; i++) odd ^= at[i] != i;
        OF(factor_det)(a, n, odd, to, w[0] == FACTOR_SLOGDET ? next : 0);
        return 1;
    }
}

/* Behind w's eight: operands, inputs, nan, numbers of each of two results; steps (rows, columns) of the inputs; dims of
 * the batch, lengths, steps of each operand. Steps in bytes. Nonzero: a matrix has no answer. */
static int OF(factor)(const i64 *w, char **p, T *a, int *at) {
    const i64 n = w[8], nin = w[9], *s = w + 13, nd = w[19], *len = w + 20, *step = len + nd;
    const int lane = OF(factor_in_lane)(w);
    T b[LANE_NUMBERS];
    i64 pos[32] = {0}, d = 0;
    for (i64 i = 0; i < nd; i++)
        if (!len[i]) return 0;
    while (d >= 0) {
        if (!(lane && OF(factor_lane)(w, p, s, a, b)) && !OF(factor_one)(w, p, s, a, at)) {
            if (!w[10]) return 1;
            for (i64 o = nin; o < n; o++)
                for (i64 i = 0; i < w[11 + o - nin]; i++) ((T *)(void *)p[o])[i] = (T)NAN;
        }
        for (d = nd - 1; d >= 0; d--) {
            const i64 by = ++pos[d] < len[d] ? 1 : 1 - len[d];
            for (i64 o = 0; o < n; o++) p[o] += by * step[o * nd + d];
            if (by == 1) break;
            pos[d] = 0;
        }
    }
    return 0;
}
