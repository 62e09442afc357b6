/* Columns picked by uniform numbers: core/ops/random/pick.c. w: rows, columns, numbers of a row, once, single; steps of
 * probabilities (row, column) and of numbers. */
static i64 pick_one(const f64 *p, i64 n, f64 u, f64 *before) {
    f64 sum = 0;
    i64 last = 0;
    *before = 0;
    for (i64 m = 0; m < n; m++) {
        sum += p[m];
        *before = sum - p[m];
        if (sum > u) return m;
        if (p[m] > 0) last = m;
    }
    return last;
}

static void pick_without(f64 *p, i64 n, i64 m, f64 before, int single) {
    f64 sum = single ? (f64)(f32)before : before;
    p[m] = 0;
    for (i64 k = m; k < n; k++) sum = single ? (f64)((f32)sum + (f32)p[k]) : sum + p[k];
    for (i64 k = 0; k < n && sum > 0; k++) p[k] = single ? (f64)((f32)p[k] / (f32)sum) : p[k] / sum;
}

/* A row, whose probabilities stand in p and behind which there is room for its picks: 0, or what is wrong. */
static int pick_row(const i64 *w, f64 *p, f64 (*number)(const void *, i64), const void *u, i64 row) {
    const i64 n = w[1], count = w[2];
    f64 sum = 0, before, *z = p + n;
    for (i64 m = 0; m < n; m++) {
        if (!(p[m] >= 0 && p[m] <= 1 + 1e-3)) return 1;
        sum += p[m];
    }
    if (!(sum >= 1 - 1e-3 && sum <= 1 + 1e-3)) return 1;
    for (i64 m = 0; !w[3] && m < n; m++) z[m] = 0;
    for (i64 c = 0; c < count; c++) {
        const i64 m = pick_one(p, n, number(u, (c * w[0] + row) * w[7]), &before);
        if (!w[3]) {
            z[m] += 1;
            continue;
        }
        if (p[m] <= 0) return 1;
        z[c] = (f64)m;
        pick_without(p, n, m, before, (int)w[4]);
    }
    return 0;
}
static f64 pick_f32(const void *u, i64 at) { return (f64)((const f32 *)u)[at]; }
static f64 pick_f64(const void *u, i64 at) { return ((const f64 *)u)[at]; }
