/*
 * lane_body.h -- what stands side by side in lanes (dense_body.h), and one matrix at a time in an exported program,
 * where V is a number: both have the same bits. In: matrices of up to 16 rows, as DenseKernels says. Out: false where
 * one has no answer, or where an inverse or a product of pivots leaves the range of T: another way is taken for that
 * one.
 */
static bool FN(lane_cholesky)(void *at, int n, int rs, int cs) {
    V *a = at;
    M bad = NONE;
    for (int j = 0; j < n; j++) {
        V d = a[j * rs + j * cs];
        for (int k = 0; k < j; k++) d = V_FMA(-a[j * rs + k * cs], a[j * rs + k * cs], d);
        bad |= V_LESS(d, (V){0});
        bad |= V_SAME(d, (V){0});
        V root = V_SQRT(d), inverse = 1 / root;
        a[j * rs + j * cs] = root;
        for (int i = j + 1; i < n; i++) {
            V v = a[i * rs + j * cs];
            for (int k = 0; k < j; k++) v = V_FMA(-a[i * rs + k * cs], a[j * rs + k * cs], v);
            a[i * rs + j * cs] = v * inverse;
            a[j * rs + i * cs] = (V){0};
        }
    }
    return !ANY(bad);
}

/* The largest element of column c from row c on comes to row c, in every lane its own; columns `first` .. `end` of a
 * row and all k of b go along. Where rows moved, *sign changes. */
static void FN(lane_pivot)(V *a, int n, int rs, int cs, int c, V *b, int k, M *mask, V *sign) {
    V best = FN(modulus)(a[c * rs + c * cs]), row = FN(all)((T)c);
    for (int r = c + 1; r < n; r++) {
        V v = FN(modulus)(a[r * rs + c * cs]);
        M more = V_LESS(best, v);
        best = V_PICK(more, v, best);
        row = V_PICK(more, FN(all)((T)r), row);
    }
    M moved = V_LESS(FN(all)((T)c), row);
    if (!ANY(moved)) return;
    for (int r = c + 1; r < n; r++) mask[r] = V_SAME(row, FN(all)((T)r));
    *sign = V_PICK(moved, -*sign, *sign);
    for (int j = c; j < n; j++) {
        V old = a[c * rs + j * cs], new = old;
        for (int r = c + 1; r < n; r++) {
            V v = a[r * rs + j * cs];
            new = V_PICK(mask[r], v, new);
            a[r * rs + j * cs] = V_PICK(mask[r], old, v);
        }
        a[c * rs + j * cs] = new;
    }
    for (int j = 0; j < k; j++) {
        V old = b[c * k + j], new = old;
        for (int r = c + 1; r < n; r++) {
            V v = b[r * k + j];
            new = V_PICK(mask[r], v, new);
            b[r * k + j] = V_PICK(mask[r], old, v);
        }
        b[c * k + j] = new;
    }
}

/* a upper triangular, b along; the diagonal of a becomes its inverse. */
static bool FN(lane_eliminate)(V *a, int n, int rs, int cs, V *b, int k, M *mask) {
    M bad = NONE;
    V sign = FN(all)(1);
    for (int c = 0; c < n; c++) {
        FN(lane_pivot)(a, n, rs, cs, c, b, k, mask, &sign);
        V pivot = a[c * rs + c * cs], inverse = 1 / pivot;
        bad |= V_LESS(FN(modulus)(pivot), FN(all)(R_MIN));
        a[c * rs + c * cs] = inverse;
        for (int r = c + 1; r < n; r++) {
            V f = a[r * rs + c * cs] * inverse;
            for (int j = c + 1; j < n; j++) a[r * rs + j * cs] = V_FMA(-f, a[c * rs + j * cs], a[r * rs + j * cs]);
            for (int j = 0; j < k; j++) b[r * k + j] = V_FMA(-f, b[c * k + j], b[r * k + j]);
        }
    }
    return !ANY(bad);
}

static bool FN(lane_solve)(void *from, int n, int rs, int cs, void *to, int k, void *work) {
    V *a = from, *b = to;
    if (!FN(lane_eliminate)(a, n, rs, cs, b, k, work)) return false;
    for (int c = n - 1; c >= 0; c--)
        for (int j = 0; j < k; j++) {
            V v = b[c * k + j];
            for (int t = c + 1; t < n; t++) v = V_FMA(-a[c * rs + t * cs], b[t * k + j], v);
            b[c * k + j] = v * a[c * rs + c * cs];
        }
    return true;
}

static bool FN(lane_invert)(void *a, int n, void *to, void *work) {
    V *b = to;
    for (int i = 0; i < n * n; i++) b[i] = FN(all)(i % (n + 1) == 0);
    return FN(lane_solve)(a, n, n, 1, to, n, work);
}

static bool FN(lane_det)(void *from, int n, void *det, void *work) {
    V *a = from, product = FN(all)(1);
    M bad = NONE;
    for (int c = 0; c < n; c++) {
        FN(lane_pivot)(a, n, n, 1, c, NULL, 0, work, &product);
        V pivot = a[c * n + c], inverse = 1 / pivot, size = FN(modulus)(product *= pivot);
        bad |= V_LESS(FN(modulus)(pivot), FN(all)(R_MIN));
        bad |= V_LESS(size, FN(all)(R_MIN));
        bad |= V_LESS(FN(all)(R_MAX), size);
        for (int r = c + 1; r < n; r++) {
            V f = a[r * n + c] * inverse;
            for (int j = c + 1; j < n; j++) a[r * n + j] = V_FMA(-f, a[c * n + j], a[r * n + j]);
        }
    }
    *(V *)det = product;
    return !ANY(bad);
}

static bool FN(lane_triangular)(const void *from, int n, int rs, int cs, bool lower, bool unit, void *to, int k) {
    const V *a = from;
    V *b = to;
    M bad = NONE;
    for (int s = 0; s < n; s++) {
        int i = lower ? s : n - 1 - s, first = lower ? 0 : i + 1, end = lower ? i : n;
        V d = unit ? FN(all)(1) : a[i * rs + i * cs];
        bad |= V_LESS(FN(modulus)(d), FN(all)(R_MIN));
        d = 1 / d;
        for (int j = 0; j < k; j++) {
            V v = b[i * k + j];
            for (int t = first; t < end; t++) v = V_FMA(-a[i * rs + t * cs], b[t * k + j], v);
            b[i * k + j] = v * d;
        }
    }
    return !ANY(bad);
}
