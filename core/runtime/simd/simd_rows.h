/*
 * simd_rows.h -- rows of attention's scores, for each instruction set: a part of simd_body.h (its vectors and macros).
 * Rows are padded to SIMD_PAD with minus infinity, so that their exponentials are zeros.
 */
/* Sums of a row go to SIMD_PAD lanes, which are as many vectors as the instruction set makes of them. */
#define ROW_PARTS(T) (SIMD_PAD * (int)sizeof(T) / VM_BYTES)
#define ROW_SUMS(T, name) vm_##T name[ROW_PARTS(T)] = {{0}};
#define ROW_LOOP(T) \
    for (int64_t i = 0; i < r->padded * (int64_t)sizeof(T); i += SIMD_PAD * (int)sizeof(T)) \
        for (int c = 0; c < ROW_PARTS(T); c++)
#define DEF_ROWS(T, f) \
    static T row_sum_##T(const vm_##T *sum) { \
        T all[SIMD_PAD]; \
        memcpy(all, sum, sizeof all); \
        for (int l = 1; l < SIMD_PAD; l++) all[0] += all[l]; \
        return all[0]; \
    } \
    static void rows_scores_##T(const SimdRow *r) { \
        T *s = r->s; \
        const T *mask = r->mask, times = (T)r->scale, fill = (T)r->fill; \
        const uint8_t *pick = r->pick; \
        if (mask) IVDEP for (int64_t i = 0; i < r->n; i++) s[i] = s[i] * times + mask[i]; \
        else IVDEP for (int64_t i = 0; i < r->n; i++) s[i] = s[i] * times; \
        if (pick && r->keep) IVDEP for (int64_t i = 0; i < r->n; i++) s[i] = pick[i] ? s[i] : fill; \
        else if (pick) IVDEP for (int64_t i = 0; i < r->n; i++) s[i] = pick[i] ? fill : s[i]; \
        for (int64_t i = r->n; i < r->padded; i++) s[i] = -INFINITY; \
    } \
    static void rows_most_##T(SimdRow *r) { \
        enum { L = SIMD_PAD }; \
        const T *s = r->s; \
        T m[L]; \
        memcpy(m, s, sizeof m); \
        for (int64_t i = L; i < r->padded; i += L) \
            IVDEP for (int l = 0; l < L; l++) m[l] = s[i + l] > m[l] ? s[i + l] : m[l]; \
        for (int l = 1; l < L; l++) m[0] = m[l] > m[0] ? m[l] : m[0]; \
        r->most = m[0]; \
    } \
    /* s = exp(s - most) * factor, and their sum before the factor */ \
    static void rows_exp_##T(SimdRow *r) { \
        char *s = r->s; \
        const vm_##T most = (vm_##T){0} + (T)r->most, factor = (vm_##T){0} + (T)r->factor; \
        ROW_SUMS(T, sum) \
        ROW_LOOP(T) { \
            vm_##T x; \
            memcpy(&x, s + i + c * VM_BYTES, VM_BYTES); \
            x = vm_exp_##T(x - most); \
            sum[c] += x; \
            x *= factor; \
            memcpy(s + i + c * VM_BYTES, &x, VM_BYTES); \
        } \
        r->sum = row_sum_##T(sum); \
    } \
    /* ds = p (dp - sum(p dp)) scale, zero where the mask put a number */ \
    static void rows_back_##T(const SimdRow *r) { \
        const char *p = r->s; \
        char *at = r->ds; \
        ROW_SUMS(T, sum) \
        ROW_LOOP(T) { \
            vm_##T x, y; \
            memcpy(&x, p + i + c * VM_BYTES, VM_BYTES); \
            memcpy(&y, at + i + c * VM_BYTES, VM_BYTES); \
            sum[c] += x * y; \
        } \
        const vm_##T all = (vm_##T){0} + row_sum_##T(sum), times = (vm_##T){0} + (T)r->scale; \
        ROW_LOOP(T) { \
            vm_##T x, y; \
            memcpy(&x, p + i + c * VM_BYTES, VM_BYTES); \
            memcpy(&y, at + i + c * VM_BYTES, VM_BYTES); \
            y = x * (y - all) * times; \
            memcpy(at + i + c * VM_BYTES, &y, VM_BYTES); \
        } \
        T *ds = r->ds; \
        const uint8_t *pick = r->pick; \
        if (pick && r->keep) IVDEP for (int64_t i = 0; i < r->n; i++) ds[i] = pick[i] ? ds[i] : 0; \
        else if (pick) IVDEP for (int64_t i = 0; i < r->n; i++) ds[i] = pick[i] ? 0 : ds[i]; \
    }
FLOATS(DEF_ROWS)
#define ROWS_OF(T) \
    { rows_scores_##T, rows_most_##T, rows_exp_##T, rows_back_##T }
