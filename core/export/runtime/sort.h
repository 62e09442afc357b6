/* Sorting and searching. For each T: OF(name), LESS(a, b) with NaN last, MINUS(a, b): -0.0 before 0.0; CLEAN(a): one
 * NaN. */
/* at := positions of n elements in order, equal ones as they stand. mode: 0 ascending, 1 descending, 2 ascending with
 * -0.0 first; tmp: room for n more. */
static int OF(sort_before)(const T *x, i64 xs, i64 a, i64 b, int mode) {
    const T p = x[a * xs], q = x[b * xs];
    return mode == 1 ? LESS(q, p) : LESS(p, q) || (mode == 2 && MINUS(p, q));
}

static void OF(sort_line)(const T *x, i64 xs, i64 n, int mode, i64 *at, i64 *tmp) {
    i64 *from = at, *to = tmp;
    for (i64 i = 0; i < n; i++) at[i] = i;
    for (i64 run = 1; run < n; run *= 2) {
        for (i64 first = 0; first < n; first += 2 * run) {
            const i64 middle = first + run < n ? first + run : n, end = middle + run < n ? middle + run : n;
            i64 a = first, b = middle;
            for (i64 i = first; i < end; i++)
                to[i] =
                    a < middle && (b >= end || !OF(sort_before)(x, xs, from[b], from[a], mode)) ? from[a++] : from[b++];
        }
        i64 *swap = from;
        from = to, to = swap;
    }
    if (from != at) memcpy(at, from, (size_t)n * sizeof *at);
}

/* w: n, k, mode, steps of x, z, at along the axis, dims, their lengths, steps of x, z, at; room: 2 n positions. */
static void OF(sort)(const i64 *w, const T *x, T *z, i64 *at, i64 *room) {
    const i64 n = w[0], k = w[1], nd = w[6], *len = w + 7, *sx = len + nd, *sz = sx + nd, *sa = sz + nd;
    i64 pos[32] = {0}, d = 0;
    for (i64 i = 0; i < nd; i++)
        if (!len[i]) return;
    while (d >= 0) {
        OF(sort_line)(x, w[3], n, (int)w[2], room, room + n);
        for (i64 i = 0; i < k; i++) {
            const T v = x[room[i] * w[3]];
            if (z) z[i * w[4]] = w[2] == 2 ? CLEAN(v) : v;
            if (at) at[i * w[5]] = room[i];
        }
        for (d = nd - 1; d >= 0; d--) {
            const i64 by = ++pos[d] < len[d] ? 1 : 1 - len[d];
            x += by * sx[d];
            if (z) z += by * sz[d];
            if (at) at += by * sa[d];
            if (by == 1) break;
            pos[d] = 0;
        }
    }
}

/* z := where each of v belongs in x, which is in order. w: length of x, its step, right; dims, lengths, steps of v. */
static void OF(search)(const i64 *w, const T *x, const T *v, i64 *z) {
    const i64 nd = w[3], *len = w + 4, *sv = len + nd;
    i64 pos[32] = {0}, d = 0;
    for (i64 i = 0; i < nd; i++)
        if (!len[i]) return;
    while (d >= 0) {
        i64 low = 0, high = w[0];
        while (low < high) {
            const i64 mid = low + (high - low) / 2;
            const T p = x[mid * w[1]];
            if (w[2] ? !LESS(*v, p) : LESS(p, *v)) low = mid + 1;
            else high = mid;
        }
        *z++ = low;
        for (d = nd - 1; d >= 0; d--) {
            const i64 by = ++pos[d] < len[d] ? 1 : 1 - len[d];
            v += by * sv[d];
            if (by == 1) break;
            pos[d] = 0;
        }
    }
}
