/* RandomState against the streams of NumPy 1.26. */
#include "base/base.h"
#include "test.h"

/* The array holds exactly these values; it is released. */
static void is(ThArray *a, ThDtype d, int n, const double *want) {
    CHECK(a && a->dtype == d && a->size == n);
    for (int64_t i = 0; a && i < n; i++) {
        double v;
        dtype_cast((char *)&v, TH_FLOAT64, 0, a->data + i * ARRAY_STRIDES(a)[0], d, 0, 1);
        CHECK(v == want[i]);
    }
    th_array_release(a);
}

#define N(...) \
    (int)(sizeof((double[]){__VA_ARGS__}) / 8), (double[]) { __VA_ARGS__ }
#define SHAPE(n) \
    1, (int64_t[]) { n }

static void streams(ThContext *c) {
    ThRandom *r = th_random_new(c, 42);
    is(th_random_rand(r, SHAPE(3)), TH_FLOAT64, N(0.3745401188473625, 0.9507143064099162, 0.7319939418114051));
    is(th_random_randn(r, SHAPE(3)), TH_FLOAT64, N(-1.1118801180469204, 0.31890218468938336, 0.2790412922001377));
    is(th_random_randint(r, 0, 256, TH_UINT8, SHAPE(5)), TH_UINT8, N(151, 62, 68, 181, 130));
    is(th_random_randint(r, -7, 1000, TH_INT16, SHAPE(4)), TH_INT16, N(654, 318, 301, 617));
    is(th_random_randint(r, 0, 2, TH_BOOL, SHAPE(9)), TH_BOOL, N(1, 0, 0, 0, 0, 0, 0, 0, 1));
    is(th_random_randint(r, 0, 1ll << 40, TH_DTYPE_NONE, SHAPE(2)), TH_INT64, N(377237468651, 675221855013));
    is(th_random_permutation(r, 7), TH_INT64, N(5, 2, 6, 0, 4, 3, 1));
    is(th_random_uniform(r, -1, 2, SHAPE(2)), TH_FLOAT64, N(-0.9788010843408478, -0.9308127248757527));
    is(th_random_normal(r, 5, 2, SHAPE(2)), TH_FLOAT64, N(7.021030569613053, 0.12178836988795361));
    is(th_random_randint(r, 0, 10, TH_UINT32, SHAPE(3)), TH_UINT32, N(2, 6, 3));
    is(th_random_normal(r, 3, 0, SHAPE(0)), TH_FLOAT64, 0, NULL); /* a scale of 0 is allowed, and nothing is drawn */
    ThArray *a = th_random_randint(r, INT64_MIN, INT64_MAX, TH_INT64, SHAPE(2));
    CHECK(((int64_t *)th_array_data(a))[0] == 1704747971477620216 &&
          ((int64_t *)th_array_data(a))[1] == -8366513267196752412);
    th_array_release(a);
    th_random_release(r);
    r = th_random_new(c, 0);
    is(th_random_permutation(r, 9), TH_INT64, N(7, 2, 1, 4, 8, 6, 3, 0, 5));
    is(th_random_permutation(r, 9), TH_INT64, N(3, 1, 7, 6, 8, 0, 4, 2, 5));
    CHECK(!th_random_permutation(r, -1));
    CHECK_ERROR(c, TH_ValueError, "permutation of -1 elements");
    th_random_release(r);
}

static void errors(ThContext *c) {
    CHECK(!th_random_new(c, 1ull << 32));
    CHECK_ERROR(c, TH_ValueError, "between 0 and 2**32 - 1");
    ThRandom *r = th_random_new(c, 42);
    CHECK(!th_random_randint(r, 5, 5, TH_INT64, SHAPE(1)));
    CHECK_ERROR(c, TH_ValueError, "low >= high");
    CHECK(!th_random_randint(r, 0, 257, TH_UINT8, SHAPE(1)));
    CHECK_ERROR(c, TH_ValueError, "out of bounds for uint8");
    CHECK(!th_random_randint(r, -1, 2, TH_UINT32, SHAPE(1)));
    CHECK_ERROR(c, TH_ValueError, "low -1 is out of bounds for uint32");
    CHECK(!th_random_randint(r, 0, 2, TH_FLOAT32, SHAPE(1)));
    CHECK_ERROR(c, TH_TypeError, "not float32");
    CHECK(!th_random_normal(r, 0, -1, SHAPE(1)));
    CHECK_ERROR(c, TH_ValueError, "negative");
    CHECK(!th_random_uniform(r, -1e308, 1e308, SHAPE(1)));
    CHECK_ERROR(c, TH_ValueError, "range");
    CHECK(!th_random_rand(r, SHAPE(-3)));
    CHECK_ERROR(c, TH_ValueError, "negative length");
    is(th_random_rand(r, SHAPE(1)), TH_FLOAT64, N(0.3745401188473625)); /* failures draw nothing */
    th_random_release(r);
}

/* Who has a state's vector may write anything there: what is drawn then means nothing, but nothing else is read. */
static void spoiled(ThContext *c) {
    ThRandom *r = th_random_new(c, 7);
    ThArray *words = th_random_array(r), *a = NULL;
    memset(th_array_data(words), 0xff, (size_t)th_array_size(words) * sizeof(uint32_t));
    CHECK((a = th_random_rand(r, SHAPE(2000))));
    th_array_release(a);
    memset(th_array_data(words), 0xff, (size_t)th_array_size(words) * sizeof(uint32_t));
    char bytes[64];
    th_random_bytes(r, bytes, sizeof bytes);
    th_array_release(words);
    th_random_release(r);
}

static int sequence(ThContext *c) {
    ThRandom *r = th_random_new(c, 1);
    ThArray *a = th_random_randn(r, SHAPE(100)), *b = th_random_permutation(r, 100);
    int ok = a && b;
    th_array_release(a);
    th_array_release(b);
    th_random_release(r);
    return ok;
}

int main(void) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    streams(c);
    errors(c);
    spoiled(c);
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    test_every_failure(sequence);
    return test_done("base_random");
}
