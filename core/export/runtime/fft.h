/* Fourier transforms, computed in double. For each T: OF(name). The length's prime factors decide the time: n times
 * their sum. */
#ifndef FFT_LINES
#define FFT_LINES
typedef struct {
    f64 re, im;
} FftPair;

/* x := its transform; y: room for as many, turn: for n more. Stages by prime factors, each to the other place. */
static void fft_line(FftPair *x, FftPair *y, FftPair *turn, i64 n, int back) {
    FftPair *from = x, *to = y;
    for (i64 i = 0; i < n; i++) {
        const f64 at = 6.283185307179586 * (f64)i / (f64)n;
        turn[i].re = cos(at), turn[i].im = back ? sin(at) : -sin(at);
    }
    for (i64 left = n, step = 1, r = 2; left > 1; left /= r, step *= r) {
        while (left % r) r = r * r > left ? left : r + 1;
        const i64 m = left / r;
        for (i64 p = 0; p < m; p++)
            for (i64 u = 0; u < r; u++) {
                const FftPair by = turn[p * u * step % n];
                for (i64 q = 0; q < step; q++) {
                    f64 re = 0, im = 0;
                    for (i64 t = 0; t < r; t++) {
                        const FftPair a = from[q + step * (p + m * t)], w = turn[t * u % r * (n / r)];
                        re += a.re * w.re - a.im * w.im, im += a.re * w.im + a.im * w.re;
                    }
                    to[q + step * (r * p + u)].re = re * by.re - im * by.im;
                    to[q + step * (r * p + u)].im = re * by.im + im * by.re;
                }
            }
        FftPair *swap = from;
        from = to, to = swap;
    }
    if (from != x) memcpy(x, from, (size_t)n * sizeof *x);
}

/* One axis of `from`, whose lengths are len, to `to`, where it has another one. how: 0 pairs to pairs, 1 numbers to a
 * half, 2 a half to numbers. */
static void fft_axis(const FftPair *from, FftPair *to, i64 *len, i64 ndim, i64 axis, i64 n, int how, int back,
                     f64 twice, FftPair *line) {
    const i64 has = len[axis], gives = how == 1 ? n / 2 + 1 : n, half = n / 2 + 1;
    i64 outer = 1, inner = 1;
    for (i64 d = 0; d < axis; d++) outer *= len[d];
    for (i64 d = axis + 1; d < ndim; d++) inner *= len[d];
    for (i64 o = 0; o < outer; o++)
        for (i64 i = 0; i < inner; i++) {
            for (i64 k = 0; k < n; k++) {
                FftPair v = {0, 0};
                if (how == 2) {
                    const i64 at = k < half ? k : n - k;
                    if (at < has) v = from[(o * has + at) * inner + i];
                    if (at == 0 || 2 * at == n) v.im = 0;
                    else v.re *= twice, v.im *= k < half ? twice : -twice;
                } else if (k < has) v = from[(o * has + k) * inner + i];
                line[k] = v;
            }
            fft_line(line, line + n, line + 2 * n, n, back || how == 2);
            for (i64 k = 0; k < gives; k++) {
                FftPair v = line[k];
                if (how == 1 && k > 0 && 2 * k != n) v.re *= twice, v.im *= twice;
                if (how == 2) v.im = 0;
                to[(o * gives + k) * inner + i] = v;
            }
        }
    len[axis] = gives;
}
#endif

/* w: kind (FftKind), back, pairs, ndim, naxes, room of one side, then axes, their lengths; lengths and steps of x. */
static void OF(fft)(const i64 *w, f64 by, f64 twice, const T *x, T *z, f64 *room) {
    const i64 kind = w[0], nd = w[3], na = w[4], *axis = w + 6, *n = axis + na, *in = n + na, *st = in + nd;
    FftPair *from = (FftPair *)room, *to = from + w[5], *line = to + w[5];
    i64 len[32], pos[32] = {0}, d = 0, all = 1, at = 0;
    for (i64 i = 0; i < nd; i++) len[i] = in[i], all *= in[i];
    while (all && d >= 0) {
        from[at].re = (f64)x[0], from[at].im = kind == 1 ? 0 : (f64)x[1];
        at++;
        for (d = nd - 1; d >= 0; d--) {
            const i64 go = ++pos[d] < in[d] ? 1 : 1 - in[d];
            x += go * st[d];
            if (go == 1) break;
            pos[d] = 0;
        }
    }
    for (i64 i = 0; i < na; i++) {
        const i64 a = kind == 1 ? na - 1 - i : i;
        const int how = a == na - 1 ? (int)kind : 0;
        FftPair *swap = from;
        fft_axis(from, to, len, nd, axis[a], n[a], how, (int)w[1] || kind == 2, twice, line);
        from = to, to = swap;
    }
    all = 1;
    for (i64 i = 0; i < nd; i++) all *= len[i];
    for (i64 i = 0; i < all; i++)
        if (kind == 2) z[i] = (T)(from[i].re * by);
        else z[2 * i] = (T)(from[i].re * by), z[2 * i + 1] = (T)(from[i].im * by);
}
