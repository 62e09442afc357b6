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
