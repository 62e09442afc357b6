/*
 * loops.c -- ideal loops for the formulas of loops.lua: what the compiler makes of the formula itself, with vectors as
 * wide as the processor has, into memory that is mapped already; "streamed" stores past the caches. Nanoseconds an
 * element, the least of several rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void (*Loop)(const double *a, const double *b, double *o, long n);

#if defined(__x86_64__) && !defined(__clang__)
#define WIDE __attribute__((noinline, target("avx512f,prefer-vector-width=512"), optimize("O3")))
#else
#define WIDE __attribute__((noinline))
#endif
#define PLAIN __attribute__((noinline))
#define FORMULA(name, ...) \
    WIDE static void wide_##name(const double *restrict a, const double *restrict b, double *restrict o, long n) { \
        (void)b; \
        for (long i = 0; i < n; i++) o[i] = __VA_ARGS__; \
    } \
    PLAIN static void plain_##name(const double *restrict a, const double *restrict b, double *restrict o, long n) { \
        (void)b; \
        for (long i = 0; i < n; i++) o[i] = __VA_ARGS__; \
    }

static inline __attribute__((always_inline)) double tenth(double b) {
    double b2 = b * b, b4 = b2 * b2;
    return b4 * b4 * b2;
}
FORMULA(one, a[i] + 1)
FORMULA(two, 2 * a[i] + 3 * b[i])
FORMULA(square, a[i] * a[i] + b[i] * b[i] + 2 * a[i] * b[i])
FORMULA(power, 2 * a[i] + tenth(b[i]))

#if defined(__x86_64__) && !defined(__clang__)
typedef double V __attribute__((vector_size(64)));
__attribute__((noinline, target("avx512f"))) static void wide_streamed(const double *a, const double *b, double *o,
                                                                       long n) {
    typedef double U __attribute__((vector_size(64), aligned(8)));
    for (long i = 0; i + 8 <= n; i += 8)
        __builtin_ia32_movntpd512(o + i, 2 * *(const U *)(const void *)(a + i) + 3 * *(const U *)(const void *)(b + i));
    __builtin_ia32_sfence();
}
#else
#define wide_streamed wide_two
#endif

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *filled(long n) {
    double *p = aligned_alloc(64, (size_t)(n * 8 + 63) / 64 * 64);
    for (long i = 0; p && i < n; i++) p[i] = (double)(i % 1000) / 1000;
    return p;
}

static double nanoseconds(Loop f, long n) {
    double *a = filled(n), *b = filled(n), *o = filled(n), best = 1e9;
    long calls = n < 2000000 ? 2000000 / n : 1;
    for (int round = 0; a && b && o && round < (n > 1000000 ? 3 : 5); round++) {
        double t = now();
        for (long i = 0; i < calls; i++) f(a, b, o, n);
        t = (now() - t) / (double)calls / (double)n * 1e9;
        if (t < best) best = t;
    }
    volatile double keep = o ? o[n / 2] : 0;
    (void)keep;
    free(a);
    free(b);
    free(o);
    return best;
}

int main(void) {
    static const struct {
        const char *name;
        Loop wide, plain;
    } loops[] = {{"a+1", wide_one, plain_one},
                 {"2a+3b", wide_two, plain_two},
                 {"2a+3b streamed", wide_streamed, plain_two},
                 {"a^2+b^2+2ab", wide_square, plain_square},
                 {"2a+b^10", wide_power, plain_power}};
    static const long sizes[] = {1000, 10000, 100000, 1000000, 10000000};
    int wide = 0;
#if defined(__x86_64__)
    wide = __builtin_cpu_supports("avx512f") != 0;
#endif
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
        printf("%-32s", loops[i].name);
        for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
            printf("%10.3f", nanoseconds(wide ? loops[i].wide : loops[i].plain, sizes[s]));
        printf("\n");
    }
    return 0;
}
