/* th_array_str against what NumPy 2.4 prints. */
#include "base/base.h"
#include "test.h"

#include <math.h>

static void shows(ThContext *c, ThDtype d, int ndim, const int64_t *shape, const void *data, const char *want) {
    union {
        const void *in;
        void *out;
    } u = {data};
    ThArray *a = th_array_wrap(c, d, ndim, shape, NULL, u.out, NULL, NULL);
    char *got = th_array_str(c, a);
    CHECK_TEXT(got, want);
    th_free(c, got);
    th_array_release(a);
}

#define S(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]) { __VA_ARGS__ }
#define D(...) ((double[]){__VA_ARGS__})
#define F(...) ((float[]){__VA_ARGS__})
#define I(...) ((int64_t[]){__VA_ARGS__})

static void numbers(ThContext *c) {
    shows(c, TH_FLOAT64, S(4), D(1, -2, 0.5, 100), "[  1.   -2.    0.5 100. ]");
    shows(c, TH_FLOAT64, S(3), D(0.1, 1.0 / 3, 2), "[0.1        0.33333333 2.        ]");
    shows(c, TH_FLOAT64, S(2), D(1e-5, 1), "[1.e-05 1.e+00]");
    shows(c, TH_FLOAT64, S(2), D(1e8, 1), "[1.e+08 1.e+00]");
    shows(c, TH_FLOAT64, S(2), D(99999999, 1), "[9.9999999e+07 1.0000000e+00]");
    shows(c, TH_FLOAT64, S(3), D(NAN, INFINITY, 1.5), "[nan inf 1.5]");
    shows(c, TH_FLOAT64, S(3), D(NAN, -INFINITY, 1), "[ nan -inf   1.]");
    shows(c, TH_FLOAT64, S(2), D(NAN, NAN), "[nan nan]");
    shows(c, TH_FLOAT64, S(3), D(0.0, -0.0, 1), "[ 0. -0.  1.]");
    shows(c, TH_FLOAT64, S(2), D(1e100, 1e-100), "[1.e+100 1.e-100]");
    shows(c, TH_FLOAT32, S(2), F(0.1f, 16777216), "[1.0000000e-01 1.6777216e+07]");
    shows(c, TH_FLOAT32, S(2), F(1e-4f, 16777216), "[9.9999997e-05 1.6777216e+07]");
    shows(c, TH_FLOAT32, S(2), F(38509288, 58606424), "[3.8509288e+07 5.8606424e+07]");
    shows(c, TH_FLOAT32, S(1), F(1e-4f), "[0.0001]");
    shows(c, TH_INT64, S(3), I(1, -20, 300), "[  1 -20 300]");
    shows(c, TH_UINT64, S(2), I(-1, 0), "[18446744073709551615                    0]");
    shows(c, TH_INT8, S(2), ((int8_t[]){-128, 127}), "[-128  127]");
    shows(c, TH_BOOL, S(2), ((uint8_t[]){1, 0}), "[ True False]");
    shows(c, TH_BOOL, S(1), ((uint8_t[]){1}), "[ True]");
    shows(c, TH_COMPLEX128, S(2), D(1, 2, -0.5, -3), "[ 1. +2.j -0.5-3.j]");
    shows(c, TH_COMPLEX64, S(2), F(1e10f, 0, 0, NAN), "[1.e+10 +0.j 0.e+00+nanj]");
}

static void scalars(ThContext *c) {
    shows(c, TH_FLOAT64, 0, NULL, D(2), "2.0");
    shows(c, TH_FLOAT64, 0, NULL, D(1e-7), "1e-07");
    shows(c, TH_FLOAT32, 0, NULL, F(0.1f), "0.1");
    shows(c, TH_FLOAT32, 0, NULL, F(1e-4f), "1e-04");
    shows(c, TH_INT64, 0, NULL, I(-7), "-7");
    shows(c, TH_BOOL, 0, NULL, ((uint8_t[]){1}), "True");
    shows(c, TH_COMPLEX128, 0, NULL, D(1, 2), "(1+2j)");
    shows(c, TH_COMPLEX128, 0, NULL, D(0, -1.5), "-1.5j");
    shows(c, TH_COMPLEX128, 0, NULL, D(NAN, NAN), "(nan+nanj)");
}

static void styles(ThContext *c) {
    ThPrintStyle before, fixed = {TH_FLOAT_FIXED, '+', "missing", ""}, bad = {.sign = '*'};
    CHECK(!th_print_style(c, &fixed, &before) && !before.floatmode && !before.sign && !*before.nanstr);
    shows(c, TH_FLOAT64, S(3), D(0.5, NAN, INFINITY), "[+0.50000000    +missing        +inf]");
    shows(c, TH_INT64, S(2), I(1, -20), "[ +1 -20]");
    fixed = (ThPrintStyle){TH_FLOAT_UNIQUE, ' ', "", ""};
    CHECK(!th_print_style(c, &fixed, NULL));
    shows(c, TH_FLOAT64, S(2), D(1.0 / 3, 5e-324), "[ 3.333333333333333e-001  4.940656458412465e-324]");
    CHECK(th_print_style(c, &bad, NULL) && th_error(c) == TH_ValueError);
    th_error_clear(c);
    CHECK(!th_print_style(c, &before, &fixed) && fixed.sign == ' ' && th_print_style(NULL, NULL, NULL));
}

static void layouts(ThContext *c) {
    double m[6] = {1, 2, 3, 4, 5, 6};
    int64_t many[2000];
    for (int i = 0; i < 2000; i++) many[i] = i;
    shows(c, TH_FLOAT64, S(2, 3), m, "[[1. 2. 3.]\n [4. 5. 6.]]");
    shows(c, TH_FLOAT64, S(3, 1, 2), m, "[[[1. 2.]]\n\n [[3. 4.]]\n\n [[5. 6.]]]");
    shows(c, TH_FLOAT64, S(0), m, "[]");
    shows(c, TH_FLOAT64, S(2, 0, 3), m, "[]");
    shows(c, TH_INT64, S(30), many,
          "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n 24 25 26 27 28 29]");
    shows(c, TH_INT64, S(1001), many, "[   0    1    2 ...  998  999 1000]");
    shows(c, TH_INT64, S(2, 1000), many, "[[   0    1    2 ...  997  998  999]\n [1000 1001 1002 ... 1997 1998 1999]]");
    shows(c, TH_INT64, S(1000, 2), many,
          "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n [1994 1995]\n [1996 1997]\n [1998 1999]]");
    shows(c, TH_INT64, S(7), I(1, 2, 3, -4444, 5, 6, 7), "[    1     2     3 -4444     5     6     7]");
    shows(c, TH_FLOAT64, S(7), D(1, 2, 3, 1e9, 5, 6, 7), "[1.e+00 2.e+00 3.e+00 1.e+09 5.e+00 6.e+00 7.e+00]");
    ThArray *full = th_array_zeros(c, TH_INT8, 1, (int64_t[]){1000}); /* the last size that is shown whole */
    char *zeros = th_array_str(c, full);
    CHECK(zeros && strlen(zeros) == 2028 && !strstr(zeros, "..."));
    th_free(c, zeros);
    th_array_release(full);
    shows(c, TH_INT64, S(6, 300), many,
          "[[   0    1    2 ...  297  298  299]\n [ 300  301  302 ...  597  598  599]\n"
          " [ 600  601  602 ...  897  898  899]\n [ 900  901  902 ... 1197 1198 1199]\n"
          " [1200 1201 1202 ... 1497 1498 1499]\n [1500 1501 1502 ... 1797 1798 1799]]");
    many[500] = -123456; /* hidden elements do not widen the columns */
    shows(c, TH_INT64, S(1001), many, "[   0    1    2 ...  998  999 1000]");
    ThArray *a = th_array_wrap(c, TH_FLOAT64, 2, (int64_t[]){3, 2}, (int64_t[]){8, 24}, m, NULL, NULL);
    char *s = th_array_str(c, a);
    CHECK_TEXT(s, "[[1. 4.]\n [2. 5.]\n [3. 6.]]");
    th_free(c, s);
    th_array_release(a);
}

int main(void) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    numbers(c);
    scalars(c);
    styles(c);
    layouts(c);
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    return test_done("base_print");
}
