/*
 * wide.h -- a loop over elements compiled for the vectors of each x86-64, and chosen by the processor when it is
 * called: WIDE(result, name, (parameters), (arguments), {body}). The same expressions: the same bits.
 */
#ifndef LT_WIDE_H
#define LT_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) && defined(__OPTIMIZE__)
#define WIDE_BY_PROCESSOR
#define WIDE(result, name, parameters, arguments, ...) \
    static inline __attribute__((always_inline)) result name##_loop parameters __VA_ARGS__ \
        __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static result name##_avx512 parameters { \
        return name##_loop arguments; \
    } \
    __attribute__((target("avx2"))) static result name##_avx2 parameters { return name##_loop arguments; } \
    static result name##_any parameters { return name##_loop arguments; } \
    static result name parameters { \
        if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && \
            __builtin_cpu_supports("avx512vl")) \
            return name##_avx512 arguments; \
        return __builtin_cpu_supports("avx2") ? name##_avx2 arguments : name##_any arguments; \
    }
#else
#define WIDE(result, name, parameters, arguments, ...) static result name parameters __VA_ARGS__
#endif

/* One line of memory, past the caches: what is overwritten is not read. WIDE_STORED() behind the last one. */
enum { WIDE_LINE = 64 };
#if defined(WIDE_BY_PROCESSOR)
typedef long long WidePart __attribute__((vector_size(16)));
#ifdef __clang__
#define WIDE_STORE(to, v) __builtin_nontemporal_store(v, to)
#else
#define WIDE_STORE(to, v) __builtin_ia32_movntdq(to, v)
#endif
static inline __attribute__((always_inline)) void wide_past(void *to, const void *line) {
    WidePart v[WIDE_LINE / sizeof(WidePart)], *part = to;
    __builtin_memcpy(v, line, sizeof v);
    for (int i = 0; i < (int)(sizeof v / sizeof *v); i++) WIDE_STORE(part + i, v[i]);
}
#define WIDE_STORED() __builtin_ia32_sfence()
#else
#define wide_past(to, line) memcpy(to, line, WIDE_LINE)
#define WIDE_STORED() ((void)0)
#endif

/* The greatest or least of n doubles, WORST where there is none; comparisons with NaN are false, so that it is never
 * taken: several at a time, which do not wait for each other. */
#define WIDE_EXTREMUM(NAME, BETTER, WORST) \
    WIDE(double, NAME, (const double *x, int64_t n), (x, n), { \
        enum { SOME = 32 }; \
        double e[SOME], r; \
        int64_t i = 0; \
        for (int j = 0; j < SOME; j++) e[j] = WORST; \
        for (; i + SOME <= n; i += SOME) \
            for (int j = 0; j < SOME; j++) e[j] = x[i + j] BETTER e[j] ? x[i + j] : e[j]; \
        for (r = e[0]; i < n; i++) r = x[i] BETTER r ? x[i] : r; \
        for (int j = 1; j < SOME; j++) r = e[j] BETTER r ? e[j] : r; \
        return r; \
    })

#endif
