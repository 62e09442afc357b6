/*
 * simd_down.h -- columns that are reduced, several rows at a time, for each instruction set: a part of simd_body.h.
 */
/* clang-format off */
/* Eight rows in one pass over the accumulators, each of which takes its column's values in their order. */
#define DOWN(name, T, expr) \
    static void down_##name##_##T(int64_t n, void *pacc, int64_t rows, const char *pv, int64_t step) { \
        enum { EACH = 8 }; \
        T *acc = pacc; \
        for (; rows >= EACH; rows -= EACH, pv += EACH * step) { \
            const T *v[EACH]; \
            for (int k = 0; k < EACH; k++) v[k] = (const T *)(const void *)(pv + k * step); \
            IVDEP for (int64_t i = 0; i < n; i++) { \
                T x = acc[i], y; \
                for (int k = 0; k < EACH; k++) y = v[k][i], x = (T)(expr); \
                acc[i] = x; \
            } \
        } \
        for (; rows > 0; rows--, pv += step) fold_##name##_##T(n, acc, pv); \
    }
DOWN(sum, uint64_t, x + y) DOWN(max, int64_t, x >= y ? x : y) DOWN(min, int64_t, x <= y ? x : y)
/* Extrema of floats by the processor's instruction, which passes over NaN: rows that have one go again, by comparisons,
 * which change nothing else. */
#define DOWN_BOUND(name, bound, T) \
    static void down_##name##_##T(int64_t n, void *pacc, int64_t rows, const char *pv, int64_t step) { \
        enum { EACH = 8, V = VM_BYTES / sizeof(T) }; \
        T *acc = pacc; \
        const int64_t whole = n / V * V; \
        for (; rows >= EACH; rows -= EACH, pv += EACH * step) { \
            vm_int64 odd = {0}; \
            int64_t any = 0; \
            for (int64_t i = 0; i < whole; i += V) { \
                vm_##T x, y; \
                memcpy(&x, acc + i, sizeof x); \
                for (int k = 0; k < EACH; k++) { \
                    memcpy(&y, pv + k * step + i * (int64_t)sizeof(T), sizeof y); \
                    x = vm_##bound##_##T(x, y), odd |= (vm_int64)(y != y); \
                } \
                memcpy(acc + i, &x, sizeof x); \
            } \
            for (int i = 0; i < VM_BYTES / 8; i++) any |= odd[i]; \
            for (int k = 0; k < EACH; k++) { \
                const T *v = (const T *)(const void *)(pv + k * step); \
                if (any) fold_##name##_##T(whole, acc, v); \
                fold_##name##_##T(n - whole, acc + whole, v + whole); \
            } \
        } \
        for (; rows > 0; rows--, pv += step) fold_##name##_##T(n, acc, pv); \
    }
#define DOWN_FLOATS(T, suffix) DOWN(sum, T, x + y) DOWN_BOUND(max, most, T) DOWN_BOUND(min, least, T)
FLOATS(DOWN_FLOATS)
    /* clang-format on */
