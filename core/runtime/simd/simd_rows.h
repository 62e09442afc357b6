/*
 * simd_rows.h -- rows of attention's scores, for each instruction set: a part of simd_body.h (its vectors and macros).
 * Rows are padded to SIMD_PAD with minus infinity, so that their exponentials are zeros.
 */
/* A row is read SIMD_PAD numbers at a time, which are as many vectors as the instruction set makes of them. */
#define ROW_PARTS(T) (SIMD_PAD * (int)sizeof(T) / VM_BYTES)
#define ROW_VECTORS(T, name) vm_##T name[ROW_PARTS(T)]
#define ROW_EACH(T) for (int c = 0; c < ROW_PARTS(T); c++)
#define ROW_LOAD(T, x, from) ROW_EACH(T) memcpy(&(x)[c], (from) + c * (VM_BYTES / (int)sizeof(T)), VM_BYTES);
#define ROW_STORE(T, to, x) ROW_EACH(T) memcpy((to) + c * (VM_BYTES / (int)sizeof(T)), &(x)[c], VM_BYTES);
/* By halves; written out, so that each is a few vectors. */
#define ROW_HALF(n, ...) \
    for (int l = 0, w = n; l < n; l++) __VA_ARGS__;
#define ROW_HALVES(...) \
    ROW_HALF(8, __VA_ARGS__) ROW_HALF(4, __VA_ARGS__) ROW_HALF(2, __VA_ARGS__) ROW_HALF(1, __VA_ARGS__)
#define DEF_ROWS(T, f) \
    static T row_sum_##T(const vm_##T *sum) { \
        T a[SIMD_PAD]; \
        memcpy(a, sum, sizeof a); \
        ROW_HALVES(a[l] += a[l + w]) \
        return a[0]; \
    } \
    static T row_most_##T(const vm_##T *most) { \
        T a[SIMD_PAD]; \
        memcpy(a, most, sizeof a); \
        ROW_HALVES(a[l] = a[l + w] > a[l] ? a[l + w] : a[l]) \
        return a[0]; \
    } \
    /* What a mask of bools chooses, before all else: scores are scaled then. */ \
    static bool row_pick_##T(const SimdRow *r) { \
        const uint8_t *pick = r->pick; \
        T *s = r->s; \
        const T times = (T)r->scale, fill = (T)r->fill; \
        if (!pick || r->clear >= r->n) return false; \
        if (r->keep) IVDEP for (int64_t i = 0; i < r->n; i++) s[i] = pick[i] ? s[i] * times : fill; \
        else IVDEP for (int64_t i = 0; i < r->n; i++) s[i] = pick[i] ? fill : s[i] * times; \
        return true; \
    } \
    /* Scores i .. i + SIMD_PAD, scaled and masked; minus infinity behind the row's end. */ \
    static __attribute__((noinline)) void row_last_##T(const SimdRow *r, int64_t i, T times, T *to) { \
        const T *s = r->s, *mask = r->mask; \
        for (int l = 0; l < SIMD_PAD; l++, i++) \
            to[l] = i >= r->n ? -INFINITY : mask && i >= r->clear ? s[i] * times + mask[i] : s[i] * times; \
    } \
    VM void row_scores_##T(const SimdRow *r, int64_t i, T times, vm_##T *x) { \
        const T *s = r->s, *mask = r->mask; \
        T last[SIMD_PAD]; \
        ROW_LOAD(T, x, s + i) \
        ROW_EACH(T) x[c] *= times; \
        if (mask && i + SIMD_PAD > r->clear && i + SIMD_PAD <= r->n) { \
            ROW_VECTORS(T, m); \
            ROW_LOAD(T, m, mask + i) \
            ROW_EACH(T) x[c] += m[c]; \
        } \
        if (i + SIMD_PAD > r->n) { \
            row_last_##T(r, i, times, last); \
            ROW_LOAD(T, x, last) \
        } \
    } \
    static double rows_top_##T(int64_t n, const void *p, bool magnitude) { \
        const T *v = p; \
        T top = -INFINITY; \
        int64_t i = 0; \
        if (n >= SIMD_PAD) { \
            ROW_VECTORS(T, m); \
            ROW_VECTORS(T, x); \
            ROW_VECTORS(T, odd) = {{0}}; /* NaN where one was */ \
            ROW_EACH(T) m[c] = (vm_##T){0} + top; \
            for (; i + SIMD_PAD <= n; i += SIMD_PAD) { \
                ROW_LOAD(T, x, v + i) \
                ROW_EACH(T) odd[c] = vm_pick_##T(x[c] == x[c], odd[c], x[c]); \
                ROW_EACH(T) m[c] = vm_most_##T(m[c], magnitude ? vm_most_##T(x[c], -x[c]) : x[c]); \
            } \
            top = row_most_##T(m); \
            const T all = row_sum_##T(odd); \
            if (all != all) return (double)all; \
        } \
        for (; i < n; i++) { \
            const T x = magnitude && v[i] < 0 ? -v[i] : v[i]; \
            if (x != x) return (double)x; \
            top = x > top ? x : top; \
        } \
        return (double)top; \
    } \
    static void rows_forward_##T(SimdRow *r) { \
        T *s = r->s, times = row_pick_##T(r) ? 1 : (T)r->scale; \
        ROW_VECTORS(T, x); \
        ROW_VECTORS(T, m); \
        row_scores_##T(r, 0, times, x); \
        ROW_STORE(T, s, x) \
        ROW_EACH(T) m[c] = x[c]; \
        for (int64_t i = SIMD_PAD; i < r->padded; i += SIMD_PAD) { \
            row_scores_##T(r, i, times, x); \
            ROW_STORE(T, s + i, x) \
            ROW_EACH(T) m[c] = vm_most_##T(m[c], x[c]); \
        } \
        const T top = row_most_##T(m); \
        const vm_##T most = (vm_##T){0} + top; \
        ROW_VECTORS(T, sum) = {{0}}; \
        for (int64_t i = 0; i < r->padded; i += SIMD_PAD) { \
            ROW_LOAD(T, x, s + i) \
            ROW_EACH(T) x[c] = vm_exp_##T(x[c] - most), sum[c] += x[c]; \
            ROW_STORE(T, s + i, x) \
        } \
        r->most = top, r->sum = row_sum_##T(sum); \
    } \
    static void rows_backward_##T(const SimdRow *r) { \
        T *s = r->s, *ds = r->ds, times = row_pick_##T(r) ? 1 : (T)r->scale; \
        const vm_##T most = (vm_##T){0} + (T)r->most, factor = (vm_##T){0} + (T)r->factor; \
        ROW_VECTORS(T, sum) = {{0}}; \
        ROW_VECTORS(T, x); \
        ROW_VECTORS(T, y); \
        for (int64_t i = 0; i < r->padded; i += SIMD_PAD) { \
            row_scores_##T(r, i, times, x); \
            ROW_LOAD(T, y, ds + i) \
            ROW_EACH(T) x[c] = vm_exp_##T(x[c] - most) * factor, sum[c] += x[c] * y[c]; \
            ROW_STORE(T, s + i, x) \
        } \
        const vm_##T all = (vm_##T){0} + row_sum_##T(sum), scale = (vm_##T){0} + (T)r->scale; \
        for (int64_t i = 0; i < r->padded; i += SIMD_PAD) { \
            ROW_LOAD(T, x, s + i) \
            ROW_LOAD(T, y, ds + i) \
            ROW_EACH(T) y[c] = x[c] * (y[c] - all) * scale; \
            ROW_STORE(T, ds + i, y) \
        } \
        const uint8_t *pick = r->pick; \
        if (pick && r->keep) IVDEP for (int64_t i = 0; i < r->n; i++) ds[i] = pick[i] ? ds[i] : 0; \
        else if (pick) IVDEP for (int64_t i = 0; i < r->n; i++) ds[i] = pick[i] ? 0 : ds[i]; \
    }
FLOATS(DEF_ROWS)
#define ROWS_OF(T) \
    { rows_forward_##T, rows_backward_##T, rows_top_##T }
