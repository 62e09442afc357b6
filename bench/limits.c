/*
 * limits.c -- what the machine can do, as a side of the comparison (server.lua tells the lines): `limits c` runs an
 * ideal loop for a formula, `limits c-nt` the same with non-temporal stores, `limits floor` tells how long a workload's
 * multiply-adds take at the core's peak or its bytes at the rate of a triad over as many bytes, whichever is longer.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#if defined __AVX512F__
enum { WIDE = 64 };
#elif defined __AVX__
enum { WIDE = 32 };
#else
enum { WIDE = 16 };
#endif
enum { LANES = WIDE / 8 };
typedef double Vec __attribute__((vector_size(WIDE), may_alias));
typedef double Loose __attribute__((vector_size(WIDE), aligned(8), may_alias));
typedef int64_t Bits __attribute__((vector_size(WIDE)));
typedef float VecF __attribute__((vector_size(WIDE)));

static double budget = 0.03;
static clockid_t the_clock = CLOCK_MONOTONIC;

static double now(void) {
    struct timespec t;
    clock_gettime(the_clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline Vec all(double v) { return (Vec){0} + v; }

static inline void stream(double *p, Vec v) {
#if defined __AVX512F__
    _mm512_stream_pd(p, (__m512d)v);
#elif defined __AVX__
    _mm256_stream_pd(p, (__m256d)v);
#elif defined __SSE2__
    _mm_stream_pd(p, (__m128d)v);
#else
    *(Vec *)p = v;
#endif
}

#if defined TH_HAVE_MVEC && defined __AVX512F__
Vec _ZGVeN8v_tanh(Vec);
Vec _ZGVeN8v_exp(Vec);
Vec _ZGVeN8v_log1p(Vec);
#define VECTOR(f, v) _ZGVeN8v_##f(v)
#elif defined TH_HAVE_MVEC && defined __AVX2__
Vec _ZGVdN4v_tanh(Vec);
Vec _ZGVdN4v_exp(Vec);
Vec _ZGVdN4v_log1p(Vec);
#define VECTOR(f, v) _ZGVdN4v_##f(v)
#else
#define VECTOR(f, v) scalar_##f(v)
#define SCALAR(f) \
    static Vec scalar_##f(Vec v) { \
        for (int i = 0; i < LANES; i++) v[i] = f(v[i]); \
        return v; \
    }
SCALAR(tanh)
SCALAR(exp)
SCALAR(log1p)
#endif

/* ---- formulas ---------------------------------------------------------------------------------------------------- */
static inline Vec tenth(Vec b) {
    Vec b2 = b * b, b4 = b2 * b2;
    return b4 * b4 * b2;
}
static inline Vec absolute(Vec a) { return (Vec)((Bits)a & INT64_MAX); }
#define A_PLUS(a, b) (a + 1)
#define AXPBY(a, b) (2 * a + 3 * b)
#define SQUARES(a, b) (a * a + b * b + 2 * a * b)
#define TENTH(a, b) (2 * a + tenth(b))
#define MIX(a, b) (VECTOR(tanh, a) * VECTOR(exp, -b) + VECTOR(log1p, absolute(a)))
#define TRIAD(a, b) (a + 3 * b)

typedef double Loop(const double *a, const double *b, double *o, long n);
/* The arrays have room for a whole vector past n. */
#define LOOP(name, formula) \
    static double name(const double *a, const double *b, double *o, long n) { \
        for (long i = 0; i < n; i += LANES) { \
            Vec x = *(const Loose *)(a + i), y = *(const Loose *)(b + i); \
            (void)y; \
            *(Loose *)(o + i) = formula(x, y); \
        } \
        return 0; \
    } \
    static double name##_nt(const double *a, const double *b, double *o, long n) { \
        for (long i = 0; i < n; i += LANES) { \
            Vec x = *(const Loose *)(a + i), y = *(const Loose *)(b + i); \
            (void)y; \
            stream(o + i, formula(x, y)); \
        } \
        __sync_synchronize(); \
        return 0; \
    }
LOOP(a_plus, A_PLUS)
LOOP(axpby, AXPBY)
LOOP(squares, SQUARES)
LOOP(power, TENTH)
LOOP(mix, MIX)
LOOP(triad, TRIAD)

static double lanes_sum(Vec s) {
    double r = 0;
    for (int i = 0; i < LANES; i++) r += s[i];
    return r;
}

static double sum_tanh(const double *a, const double *b, double *o, long n) {
    Vec s = all(0);
    (void)o;
    for (long i = 0; i < n; i += LANES) s += VECTOR(tanh, *(const Loose *)(a + i) * *(const Loose *)(b + i));
    return lanes_sum(s);
}

static double standardize(const double *a, const double *b, double *o, long n) {
    Vec s = all(0), q = all(0);
    (void)b;
    for (long i = 0; i < n; i += LANES) s += *(const Loose *)(a + i);
    double m = lanes_sum(s) / (double)n;
    for (long i = 0; i < n; i += LANES) {
        Vec c = *(const Loose *)(a + i) - m;
        q += c * c;
    }
    double r = 1 / sqrt(lanes_sum(q) / (double)n + 1e-5);
    for (long i = 0; i < n; i += LANES) *(Loose *)(o + i) = VECTOR(tanh, (*(const Loose *)(a + i) - m) * r);
    return 0;
}

/* Rounded twice a turn, as NumPy's and ours: fused it is another number, and half the latency. */
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("fp-contract=off")))
#endif
static double
recurrence(const double *a, const double *b, double *o, long n) {
    double h = 0.5;
    (void)b, (void)o;
    for (long i = 0; i < n; i++) h = 0.999 * h + a[i];
    return h;
}

static const struct {
    const char *name;
    Loop *plain, *nt;
} loops[] = {
    {"a+1", a_plus, a_plus_nt},
    {"2*a+3*b", axpby, axpby_nt},
    {"a**2+b**2+2*a*b", squares, squares_nt},
    {"2*a+b**10", power, power_nt},
    {"tanh(a)*exp(-b)+log1p(abs(a))", mix, mix_nt},
    {"sum(tanh(a*b))", sum_tanh, NULL},
    {"standardize, tanh", standardize, NULL},
    {"recurrence of 10^6", recurrence, NULL},
    {"triad", triad, triad_nt},
};

/* ---- a workload -------------------------------------------------------------------------------------------------- */
static struct {
    Loop *loop;
    double *a, *b, *o, flops, bytes;
    long n, calls;
    int single; /* float32 multiply-adds */
} work;

static void drop(void) {
    free(work.a), free(work.b), free(work.o);
    memset(&work, 0, sizeof work);
}

/* Arrays whose starts differ modulo a page, as those of separate allocations do. */
static int arrays(long n) {
    size_t bytes = ((size_t)n * 8 + 8192 + 63) & ~(size_t)63;
    double **at[] = {&work.a, &work.b, &work.o};
    for (int i = 0; i < 3; i++) {
        double *p = aligned_alloc(64, bytes);
        if (!p) return 0;
        for (size_t k = 0; k < bytes / 8; k++) p[k] = (double)(k * 7919 % 2000) / 1000 - 1;
        *at[i] = p;
    }
    work.n = n;
    return 1;
}

static double sink;
static double timed(long calls) {
    double start = now();
    for (long i = 0; i < calls; i++) {
        sink += work.loop(work.a, work.b, work.o, work.n);
        __asm__ volatile("" ::: "memory");
    }
    return now() - start;
}

static void calibrate(double seconds) {
    double t = timed(work.calls = 1);
    while (t < seconds / 10 && work.calls < 1000000000) {
        work.calls *= t < seconds / 100 ? 10 : 2;
        t = timed(work.calls);
    }
    work.calls = (long)((double)work.calls * seconds / t);
    if (work.calls < 1) work.calls = 1;
}

#if defined __x86_64__
#define REGISTER "+v"
#else
#define REGISTER "+w"
#endif
/* Multiply-adds a second: twelve independent chains. */
#define PEAK(name, V, one) \
    static double name(double seconds) { \
        V r[12]; \
        V x = (V){0} + one, y = (V){0} + one / 1024; \
        for (int k = 0; k < 12; k++) r[k] = y; \
        double start = now(), t; \
        long rounds = 0; \
        do { \
            for (int i = 0; i < 10000; i++) { \
                _Pragma("GCC unroll 12") for (int k = 0; k < 12; k++) r[k] = r[k] * x + y; \
                for (int k = 0; k < 12; k += 4) \
                    __asm__ volatile("" : REGISTER(r[k]), REGISTER(r[k + 1]), REGISTER(r[k + 2]), REGISTER(r[k + 3])); \
            } \
            rounds++; \
            t = now() - start; \
        } while (t < seconds); \
        return (double)rounds * 10000 * 12 * 2 * (double)(sizeof(V) / sizeof one) / t; \
    }
PEAK(peak_double, Vec, 0.999)
PEAK(peak_float, VecF, 0.999f)

static double floor_seconds(void) {
    double t = work.bytes / (24.0 * (double)work.n) * timed(work.calls) / (double)work.calls, f = 0;
    if (work.flops > 0) f = work.flops / (work.single ? peak_float(budget / 2) : peak_double(budget / 2));
    return f > t ? f : t;
}

/* words: group, name, length (doubles where no dtype follows); a floor gets flops, bytes, dtype instead. */
static const char *prepare(const char *side, char **word, int n) {
    drop();
    if (!strcmp(side, "floor")) {
        if (n < 3) return "no work given";
        work.flops = strtod(word[0], NULL), work.bytes = strtod(word[1], NULL);
        work.single = !strcmp(word[2], "float32");
        work.loop = triad;
        long length = (long)(work.bytes / 24);
        if (!arrays(length < 1 ? 1 : length)) return "out of memory";
        calibrate(budget / 2);
        return NULL;
    }
    for (size_t i = 0; n >= 2 && n < 4 && i < sizeof loops / sizeof *loops; i++) {
        if (strcmp(loops[i].name, word[1])) continue;
        work.loop = strcmp(side, "c") ? loops[i].nt : loops[i].plain;
        long length = n > 2 ? strtol(word[2], NULL, 10) : 1000000;
        if (!work.loop || (work.loop == loops[i].nt && length < 10000)) return "nothing to stream";
        if (!arrays(length)) return "out of memory";
        calibrate(budget);
        return NULL;
    }
    return "no ideal loop";
}

int main(int argc, char **argv) {
    char line[512], *word[8];
    const char *side = argc > 1 ? argv[1] : "c", *s = getenv("BENCH_SECONDS"), *k = getenv("BENCH_CLOCK");
    if (s) budget = strtod(s, NULL);
    if (k && !strcmp(k, "cpu")) the_clock = CLOCK_PROCESS_CPUTIME_ID;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        int n = 0;
        for (char *w = strtok(line, "\t\n"); w && n < 8; w = strtok(NULL, "\t\n")) word[n++] = w;
        if (n && !strcmp(word[0], "prepare")) {
            const char *bad = prepare(side, word + 1, n - 1);
            printf(bad ? "skip\t%s\n" : "ok\t-\n", bad);
        } else if (n && !strcmp(word[0], "round")) {
            printf("%.9g\n", !strcmp(side, "floor") ? floor_seconds() : timed(work.calls) / (double)work.calls);
        } else {
            drop();
            printf("ok\t-\n");
        }
    }
    return sink == 42;
}
