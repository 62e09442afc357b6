/*
 * vmath.c -- the vector functions of our own, every instruction set this processor has: at most 4 units in the last
 * place, infinities, NaN, signs of zero, denormals and the ends of the ranges. float64 against long double.
 */
#include "runtime/simd/simd.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
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
/* musl's powl forgets the sign of a zero, mingw's has the digits of a double for large powers of what is near 1; where
 * musl's long doubles have 113 bits (WASI) all its functions are those of doubles. */
static long double power(long double x, long double y) {
    const long double e = expl(1);
    if (e != (double)e && x != 1 && fabsl(x - 1) < 0.01L && isfinite(y)) return expl(y * log1pl(x - 1));
    bool odd = isfinite(y) && y == rintl(y) && fmodl(y, 2) != 0;
    return signbit(x) && odd ? copysignl(powl(x, y), -1) : powl(x, y);
}
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
    for (int round = 0; round < test_amount(ROUNDS); round++) {
        for (int i = 0; i < N; i++) a[i] = point(round), s[i] = (float)a[i];
        for (int i = 0; i < TH_LEN(ends) && round == 0; i++) a[i] = ends[i], s[i] = (float)ends[i];
        simd_prim(t, f->prim, TH_FLOAT64)(N, o, a, a, a);
        simd_prim(t, f->prim, TH_FLOAT32)(N, q, s, s, s);
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
    if (getenv("VMATH_WORST")) fprintf(stderr, "%s %s %.2f %.2f\n", t->isa, f->name, worst, single);
    CHECK(worst <= 4);
    CHECK(single <= 4);
}

/* ---- of two operands --------------------------------------------------------------------------------------------- */
typedef struct Function2 {
    int prim;
    const char *name;
    long double (*wide)(long double, long double);
} Function2;

static const double ends2[] = {0.0,       -0.0,       INFINITY,   -INFINITY,  NAN,       1,         -1,
                               2,         -2,         3,          -3,         0.5,       -0.5,      5e-324,
                               -1e-310,   1e300,      -1e300,     1.7e308,    0x1p53,    -0x1p53,   0x1p53 - 1,
                               0x1p24,    0x1p24 - 1, 1e-45,      1e-40,      3.4e38,    -1e30,     0.9999999999999999,
                               1e-300,    7.25,       0x1p52 + 1, 0x1p23 + 1, 1.0000001, 0x1p-1022, 0x1p-126,
                               -0x1p-1074};

static void point2(int round, double *x, double *y) {
    switch (round % 6) {
    case 0: *x = uniform(0, 4), *y = uniform(-40, 40); break;
    case 1: *x = point(round), *y = rint(uniform(-9, 9)); break;
    case 2: *x = 1 + uniform(-1e-3, 1e-3), *y = uniform(-6e5, 6e5); break;
    case 3: *x = point(round), *y = point(round + 1); break;
    case 4: *x = exp(uniform(-87, 88)), *y = uniform(-87, 88) / log(*x); break;
    default: *x = point(4), *y = uniform(-700, 700) / log(fabs(*x)); break;
    }
}

static void check2(const SimdTable *t, const Function2 *f) {
    static double a[N], b[N], o[N];
    static float s[N], u[N], q[N];
    double worst = 0, single = 0;
    for (int round = 0; round < test_amount(ROUNDS); round++) {
        for (int i = 0; i < N; i++) {
            point2(round, &a[i], &b[i]);
            if (round == 0 && i < TH_LEN(ends2) * TH_LEN(ends2))
                a[i] = ends2[i / TH_LEN(ends2)], b[i] = ends2[i % TH_LEN(ends2)];
            s[i] = (float)a[i], u[i] = (float)b[i];
        }
        simd_prim(t, f->prim, TH_FLOAT64)(N, o, a, b, a);
        simd_prim(t, f->prim, TH_FLOAT32)(N, q, s, u, s);
        for (int i = 0; i < N; i++) {
            long double w = f->wide(a[i], b[i]), v = f->wide(s[i], u[i]);
            double d = off(o[i], w, (double)w, 53, -1021, false),
                   e = off((double)q[i], v, (double)(float)v, 24, -125, false);
            if (d > 4) fprintf(stderr, "%s %s(%a, %a) = %a, not %La\n", t->isa, f->name, a[i], b[i], o[i], w);
            if (e > 4)
                fprintf(stderr, "%s %s(%af, %af) = %a, not %La\n", t->isa, f->name, (double)s[i], (double)u[i],
                        (double)q[i], v);
            worst = d > worst ? d : worst;
            single = e > single ? e : single;
        }
    }
    if (getenv("VMATH_WORST")) fprintf(stderr, "%s %s %.2f %.2f\n", t->isa, f->name, worst, single);
    CHECK(worst <= 4);
    CHECK(single <= 4);
}

/* Each of them in every instruction set of this processor. */
static void everywhere(const Function *f, const Function2 *g) {
    const SimdTable *table[] = {&simd_table_sse2, NULL, NULL};
#if TH_WIDE
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) table[1] = &simd_table_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        table[2] = &simd_table_avx512;
#endif
    for (int i = 0; i < TH_LEN(table); i++) {
        if (table[i] && f) check(table[i], f);
        if (table[i] && g) check2(table[i], g);
    }
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
    static const Function2 two[] = {
        {P_pow, "pow", power},
        {P_atan2, "atan2", atan2l},
        {P_hypot, "hypot", hypotl},
    };
    for (int f = 0; f < TH_LEN(functions); f++) everywhere(&functions[f], NULL);
    for (int f = 0; f < TH_LEN(two); f++) everywhere(NULL, &two[f]);
    return test_done("vmath");
}
