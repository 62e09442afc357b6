/*
 * mirror_body.h -- eigenvalues of real matrices as pairs, for one complex dtype (number.h); C and C++, as schur_body.h.
 * In: a triangular matrix, whose diagonal is all that is looked at, and vectors one after the other, or NULL.
 */

/* Eigenvalues a and b and their vectors change places. */
static void FN(trade_places)(T *t, T *v, int n, int a, int b) {
    T *x = t + (int64_t)a * n + a, *y = t + (int64_t)b * n + b, was = *x;
    *x = *y, *y = was;
    for (int r = 0; r < n && v; r++) {
        was = v[(int64_t)a * n + r];
        v[(int64_t)a * n + r] = v[(int64_t)b * n + r], v[(int64_t)b * n + r] = was;
    }
}

/* Of those behind i the one that is nearest to the mirror image of eigenvalue i; i: none lies on the other side. */
static int FN(image_of)(const T *t, int n, int i) {
    const T z = t[(int64_t)i * n + i];
    R least = 0;
    int at = i;
    for (int k = i + 1; k < n; k++) {
        const T x = t[(int64_t)k * n + k];
        if (IM(x) * IM(z) >= 0) continue;
        const R far = R_HYPOT(RE(x) - RE(z), IM(x) + IM(z));
        if (at == i || far < least) least = far, at = k;
    }
    return at;
}

/* Those whose imaginary part is above `limit` become pairs: the one above the axis first, then its image to the last
 * bit, which has the image of its vector. One that is left without an image is real: rounding parts equal ones. */
static void FN(mirror)(void *triangle, int n, void *vectors, double limit) {
    T *t = (T *)triangle, *v = (T *)vectors;
    for (int i = 0; i < n; i++) {
        T *z = t + (int64_t)i * n + i;
        const int image = R_ABS(IM(*z)) > (R)limit ? FN(image_of)(t, n, i) : i;
        if (image == i) *z = FN(number_pair)(RE(*z), 0);
        if (image == i) continue;
        if (image > i + 1) FN(trade_places)(t, v, n, i + 1, image);
        if (IM(t[(int64_t)i * n + i]) < 0) FN(trade_places)(t, v, n, i, i + 1);
        t[(int64_t)(i + 1) * n + i + 1] = CONJ(t[(int64_t)i * n + i]);
        for (int r = 0; r < n && v; r++) v[(int64_t)(i + 1) * n + r] = CONJ(v[(int64_t)i * n + r]);
        i++;
    }
}
