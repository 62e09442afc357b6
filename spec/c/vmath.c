/*
 * vmath.c -- the vector functions of our own, every instruction set this processor has: at most 4 units in the last
 * place, infinities, NaN, signs of zero, denormals and the ends of the ranges. float64 against long double.
 */
#include "runtime/simd/simd.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { N = 2048, ROUNDS = 50 };
typedef struct Function {
    int prim;
    const char *name;
    long double (*wide)(long double);
} Function;

static uint64_t seed = 12345;
static double uniform(double lo, double hi) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return lo + (hi - lo) * ((double)(seed >> 11) / 0x1p53);
}

/* As Theano's, 0 from where it would be a denormal on: off() says which format. */
static long double sigmoid(long double x) { return 1 / (1 + expl(-x)); }
static long double softplus(long double x) { return x > 60 ? x : log1pl(expl(x)); }

/* Units in the last place of a format of `digits` bits whose least exponent is `least`. */
static double off(double got, long double want, double rounded, int digits, int least, bool flushed) {
    if (isnan(got) && isnan(rounded)) return 0;
    if (!isnan(got) && (signbit(got) != 0) != (signbit(rounded) != 0)) return 1e9;
    if (got == rounded || (flushed && got == 0 && fabs(rounded) < ldexp(1, least))) return 0;
    if (!isfinite(got) || !isfinite(rounded)) return 1e9;
    int e;
    frexp(rounded, &e);
    return (double)(fabsl((long double)got - want) / ldexpl(1, (e < least ? least : e) - digits));
}

static const double ends[] = {0.0,        -0.0,
                              INFINITY,   -INFINITY,
                              NAN,        -NAN,
                              -1,         1,
                              5e-324,     -5e-324,
                              1e-310,     -1e-310,
                              1.7e308,    -1.7e308,
                              709.78,     709.79,
                              -745,       -745.2,
                              -708.4,     88.7,
                              88.73,      -103.9,
                              -104.1,     -87.4,
                              0x1p-54,    1e-300,
                              0x1p1023,   0x1.8p127,
                              1e-45,      -1e-45,
                              1e-40,      20,
                              -20,        0x1p-25,
                              -1.5,       0.3465,
                              0x1.8p1023, 3.4e38,
                              -2,         40,
                              -37,        19.0615,
                              -0.9999,    9.01,
                              1e-20,      -0.9999999999999,
                              0.6931,     -0.34,
                              0.75,       0.7499,
                              6,          27.22,
                              26.54,      10.05,
                              9.194,      4,
                              3.99,       27.5};

static double point(int round) {
    switch (round % 5) {
    case 0: return uniform(-1, 1);
    case 1: return uniform(-800, 800);
    case 2: return uniform(-110, 110);
    case 3: return uniform(-7, 28);
    default: return (uniform(-1, 1) < 0 ? -1 : 1) * exp(uniform(-700, 700));
    }
}

static void check(const SimdTable *t, const Function *f) {
    static double a[N], o[N];
    static float s[N], q[N];
    bool flushed = f->prim == P_sigmoid;
    double worst = 0, single = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) a[i] = point(round), s[i] = (float)a[i];
        for (int i = 0; i < TH_LEN(ends) && round == 0; i++) a[i] = ends[i], s[i] = (float)ends[i];
        t->prim[f->prim][TH_FLOAT64](N, o, a, a, a);
        t->prim[f->prim][TH_FLOAT32](N, q, s, s, s);
        for (int i = 0; i < N; i++) {
            long double w = f->wide(a[i]), v = f->wide(s[i]);
            double d = off(o[i], w, (double)w, 53, -1021, flushed),
                   e = off((double)q[i], v, (double)(float)v, 24, -125, flushed);
            if (d > 4) fprintf(stderr, "%s %s(%a) = %a, not %La\n", t->isa, f->name, a[i], o[i], w);
            if (e > 4) fprintf(stderr, "%s %s(%af) = %a, not %La\n", t->isa, f->name, (double)s[i], (double)q[i], v);
            worst = d > worst ? d : worst;
            single = e > single ? e : single;
        }
    }
    CHECK(worst <= 4);
    CHECK(single <= 4);
}

int main(void) {
    static const Function functions[] = {
        {P_exp, "exp", expl},
        {P_expm1, "expm1", expm1l},
        {P_tanh, "tanh", tanhl},
        {P_log, "log", logl},
        {P_log1p, "log1p", log1pl},
        {P_sigmoid, "sigmoid", sigmoid},
        {P_softplus, "softplus", softplus},
        {P_erf, "erf", erfl},
        {P_erfc, "erfc", erfcl},
    };
    for (int f = 0; f < TH_LEN(functions); f++) {
        check(&simd_table_sse2, &functions[f]);
#if TH_WIDE
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) check(&simd_table_avx2, &functions[f]);
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
            check(&simd_table_avx512, &functions[f]);
#endif
    }
    return test_done("vmath");
}
