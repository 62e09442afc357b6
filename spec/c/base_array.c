/* Arrays of core/base: memory, views, reshapes, assignment, casts, comparison, freeing. */
#include "base/base.h"
#include "test.h"

#include <math.h>

#define SHAPE(...) ((int64_t[]){__VA_ARGS__})

static ThArray *range(ThContext *c, ThDtype d, int ndim, const int64_t *shape) {
    ThArray *a = th_array_empty(c, TH_INT64, ndim, shape);
    for (int64_t i = 0; a && i < a->size; i++) ((int64_t *)(void *)a->data)[i] = i;
    ThArray *b = a ? th_array_astype(a, d) : NULL;
    th_array_release(a);
    return b;
}

static double at(const ThArray *a, int64_t i, int64_t j) {
    ThValue v = {0};
    CHECK(th_array_get(a, SHAPE(i, j), &v) == 0);
    return th_dtype_kind((ThDtype)a->dtype) == 'f' ? v.f : (double)v.i;
}

static int shape_is(const ThArray *a, int ndim, const int64_t *shape) {
    if (!a || a->ndim != ndim) return 0;
    for (int i = 0; i < ndim; i++)
        if (th_array_shape(a)[i] != shape[i]) return 0;
    return 1;
}

static void making(ThContext *c) {
    ThArray *a = th_array_zeros(c, TH_FLOAT32, 3, SHAPE(2, 3, 4));
    CHECK(a->size == 24 && th_array_strides(a)[0] == 48 && th_array_strides(a)[2] == 4 && th_array_contiguous(a));
    CHECK(th_array_held_bytes(a) >= 96 && th_array_context(a) == c && th_array_writeable(a));
    for (int i = 0; i < 24; i++) CHECK(((float *)th_array_data(a))[i] == 0);
    th_array_release(a);
    int64_t many[33];
    for (int i = 0; i < 33; i++) many[i] = 1;
    a = th_array_empty(c, TH_BOOL, 32, many);
    CHECK(a && a->size == 1 && th_array_ndim(a) == 32);
    th_array_release(a);
    CHECK(!th_array_empty(c, TH_BOOL, 33, many));
    CHECK_ERROR(c, TH_ValueError, "0 to 32 dimensions, not 33");
    CHECK(!th_array_empty(c, TH_FLOAT64, 2, SHAPE(3, -1)));
    CHECK_ERROR(c, TH_ValueError, "negative length in shape (3, -1)");
    CHECK(!th_array_empty(c, TH_FLOAT64, 3, SHAPE(1ll << 31, 1ll << 31, 2)));
    CHECK_ERROR(c, TH_ValueError, "(2147483648, 2147483648, 2) of float64");
    CHECK(!th_array_empty(c, TH_FLOAT64, 3, SHAPE(1ll << 31, 1ll << 31, 0)));
    th_error_clear(c);
    CHECK(!th_array_empty(c, TH_FLOAT64, 1, SHAPE(1ll << 59)));
    CHECK_ERROR(c, TH_MemoryError, "out of memory");
    CHECK(!th_array_empty(c, TH_DTYPE_NONE, 0, NULL));
    CHECK_ERROR(c, TH_TypeError, "dtype");
    a = th_array_empty(c, TH_FLOAT64, 2, SHAPE(0, 5));
    CHECK(a->size == 0 && th_array_contiguous(a) && th_array_data(a));
    th_array_release(a);
    double v = 2.5;
    a = array_scalar(c, TH_FLOAT64, &v);
    CHECK(a->ndim == 0 && a->size == 1 && array_item_float(a) == 2.5 && array_item_int(a) == 2);
    th_array_release(a);
}

/* A header waits with its buffer, and is there for whoever wants only one of the two. */
static void headers(ThContext *c) {
    const int64_t five[5] = {1, 1, 1, 1, 1};
    const long long empty = th_stat(c, "live_bytes");
    ThArray *a = th_array_empty(c, TH_FLOAT64, 2, SHAPE(3, 4)), *was = a, *v;
    ThBuffer *b = a->buf;
    th_array_release(a);
    CHECK(th_stat(c, "live_bytes") - empty == th_stat(c, "cache_bytes"));
    const long long allocs = th_stat(c, "allocs");
    a = th_array_empty(c, TH_FLOAT64, 1, SHAPE(12));
    CHECK(a == was && a->buf == b && !b->header && th_stat(c, "cache_bytes") == 0);
    th_array_release(a);
    CHECK(buffer_new(c, 96) == b && !b->header); /* the header went to the list, where the next array finds it */
    a = array_header(c, b, b->data, TH_FLOAT64, 1, SHAPE(12), NULL);
    CHECK(a == was && th_stat(c, "allocs") == allocs);
    buffer_release(b);
    v = th_array_transpose(a, 0, NULL);
    th_array_release(a); /* the view's header is now the one that goes with the buffer */
    th_array_release(v);
    CHECK(b->header == v && th_stat(c, "live_bytes") - empty == th_stat(c, "cache_bytes"));
    a = th_array_empty(c, TH_FLOAT64, 5, five), v = th_array_empty(c, TH_FLOAT64, 5, five);
    th_array_release(a);
    th_array_release(v);
    CHECK(th_stat(c, "live_bytes") - empty == th_stat(c, "cache_bytes"));
    buffer_cache_trim(c, 0);
    CHECK(th_stat(c, "cache_bytes") == 0 && th_stat(c, "live_bytes") == empty);
}

static void buffers(ThContext *c) {
    uintptr_t lead[4];
    ThArray *a[4];
    for (int i = 0; i < 4; i++) {
        a[i] = th_array_empty(c, TH_FLOAT64, 1, SHAPE(100000));
        lead[i] = KEY(a[i]->data) & 4095; /* places of a page that are far apart */
        CHECK(lead[i] % 512 == 256);
    }
    CHECK(lead[0] != lead[1] && lead[1] != lead[2] && lead[2] != lead[3]);
    ThArray *few = th_array_empty(c, TH_FLOAT64, 1, SHAPE(2048)); /* these lie anywhere */
    CHECK((KEY(few->data) & 63) == 0 && few->buf->lead / 64 % 2 == 1);
    th_array_release(few);
    char *last = a[3]->data;
    for (int i = 0; i < 4; i++) th_array_release(a[i]);
    CHECK(th_stat(c, "cache_bytes") >= 4 * 800000);
    long long before = th_stat(c, "allocs"), live = th_stat(c, "live_bytes");
    ThArray *b = th_array_empty(c, TH_FLOAT64, 1, SHAPE(99990)); /* the same size class */
    CHECK(b->data == last && th_stat(c, "allocs") == before && th_stat(c, "live_bytes") == live);
    th_array_release(b);
    buffer_cache_trim(c, 0);
    CHECK(th_stat(c, "cache_bytes") == 0);
    headers(c);
    for (int i = 0; i < 100; i++) { /* 10 GB in all: the cache stays bounded */
        b = th_array_empty(c, TH_UINT8, 1, SHAPE(100000000 + i * 100000));
        th_array_release(b);
        CHECK(th_stat(c, "cache_bytes") <= 256ll << 20);
    }
    CHECK(bytes_fit(PTRDIFF_MAX) && !bytes_fit((uint64_t)PTRDIFF_MAX + 1));
    if (sizeof(size_t) < 8) { /* a length that 32 bits would make 8 */
        CHECK(!th_array_empty(c, TH_UINT8, 1, SHAPE((1ll << 32) + 8)));
        CHECK_ERROR(c, TH_MemoryError, "out of memory");
    }
    for (size_t n = 1; n < 5000; n++) {
        ThBuffer *x = buffer_new(c, n);
        CHECK(x->cap >= n && x->cap <= n + n / 4 + 64 && x->cap % 64 == 0);
        buffer_release(x);
    }
    buffer_cache_trim(c, 0);
}

static void views(ThContext *c) {
    ThArray *a = range(c, TH_INT32, 2, SHAPE(3, 4));
    ThArray *t = th_array_transpose(a, 0, NULL);
    CHECK(shape_is(t, 2, SHAPE(4, 3)) && at(t, 3, 1) == 7 && !th_array_contiguous(t) && th_array_shares_memory(a, t));
    ThArray *n = th_array_transpose(a, 3, (int[]){1, -1, 0});
    CHECK(shape_is(n, 3, SHAPE(4, 1, 3)));
    ThArray *back = th_array_transpose(n, 2, (int[]){2, 0});
    CHECK(shape_is(back, 2, SHAPE(3, 4)) && th_array_contiguous(back) && th_array_equal(a, back));
    ThArray *v = th_array_view(a, 2, SHAPE(2, 2), SHAPE(16, -8), 12); /* a[:2, 3::-2] */
    CHECK(at(v, 0, 0) == 3 && at(v, 0, 1) == 1 && at(v, 1, 1) == 5);
    CHECK(!th_array_view(a, 1, SHAPE(4), SHAPE(16), 0));
    CHECK_ERROR(c, TH_ValueError, "leaves the array's memory");
    CHECK(!th_array_view(a, 1, SHAPE(1), SHAPE(4), -4));
    CHECK_ERROR(c, TH_ValueError, "leaves");
    CHECK(!th_array_view(a, 2, SHAPE(1ll << 31, 1ll << 29), SHAPE(1ll << 40, 4), 0));
    CHECK_ERROR(c, TH_ValueError, "leaves");
    CHECK(!th_array_view(a, 1, SHAPE(2), SHAPE(2), 0));
    CHECK_ERROR(c, TH_ValueError, "multiples of 4 bytes");
    CHECK(!th_array_transpose(a, 2, (int[]){0, 0}));
    CHECK_ERROR(c, TH_ValueError, "axis 0 is repeated");
    CHECK(!th_array_transpose(a, 2, (int[]){0, 2}));
    CHECK_ERROR(c, TH_ValueError, "axis 2 does not exist");
    CHECK(!th_array_transpose(a, 1, (int[]){0}));
    CHECK_ERROR(c, TH_ValueError, "axis 1 of length 4 cannot be dropped");
    ThValue x;
    CHECK(th_array_get(a, SHAPE(0, 4), &x) != 0);
    CHECK_ERROR(c, TH_IndexError, "index 4 is out of bounds for axis 1 with size 4");
    th_array_release(a); /* views keep the memory */
    CHECK(at(v, 1, 0) == 7);
    th_array_release(v);
    th_array_release(t);
    th_array_release(n);
    th_array_release(back);
}

static void reshapes(ThContext *c) {
    ThArray *a = range(c, TH_FLOAT64, 2, SHAPE(4, 6));
    ThArray *r = th_array_reshape(a, 3, SHAPE(2, -1, 3));
    CHECK(shape_is(r, 3, SHAPE(2, 4, 3)) && r->data == a->data);
    ThArray *cols = th_array_view(a, 2, SHAPE(4, 4), SHAPE(48, 8), 8); /* a[:, 1:5] */
    ThArray *s = th_array_reshape(cols, 4, SHAPE(2, 2, 1, 4));
    CHECK(s->data == cols->data && th_array_strides(s)[0] == 96 && th_array_strides(s)[3] == 8);
    ThArray *flat = th_array_reshape(cols, 1, SHAPE(-1));
    CHECK(shape_is(flat, 1, SHAPE(16)) && !th_array_shares_memory(flat, a));
    CHECK(((double *)th_array_data(flat))[4] == 7 && ((double *)th_array_data(flat))[15] == 22);
    ThArray *t = th_array_transpose(a, 0, NULL);
    ThArray *tr = th_array_reshape(t, 3, SHAPE(3, 2, 4));
    CHECK(tr->data == a->data && th_array_strides(tr)[0] == 16 && th_array_strides(tr)[1] == 8);
    ThArray *e = th_array_empty(c, TH_FLOAT64, 2, SHAPE(0, 4));
    ThArray *er = th_array_reshape(e, 3, SHAPE(2, 0, 7));
    CHECK(shape_is(er, 3, SHAPE(2, 0, 7)));
    CHECK(!th_array_reshape(e, 2, SHAPE(0, -1)));
    CHECK_ERROR(c, TH_ValueError, "cannot reshape array of size 0 into shape (0, -1)");
    CHECK(!th_array_reshape(a, 2, SHAPE(5, -1)));
    CHECK_ERROR(c, TH_ValueError, "cannot reshape array of size 24 into shape (5, -1)");
    CHECK(!th_array_reshape(a, 2, SHAPE(-1, -1)));
    CHECK_ERROR(c, TH_ValueError, "one unknown dimension");
    CHECK(!th_array_reshape(a, 1, SHAPE(25)));
    CHECK_ERROR(c, TH_ValueError, "size 24 into shape (25,)");
    ThArray *one = th_array_view(a, 0, NULL, NULL, 8 * 23);
    ThArray *ones = th_array_reshape(one, 3, SHAPE(1, 1, -1));
    CHECK(shape_is(ones, 3, SHAPE(1, 1, 1)) && array_item_int(ones) == 23);
    ThArray *all[] = {a, r, cols, s, flat, t, tr, e, er, one, ones};
    for (int i = 0; i < TH_LEN(all); i++) th_array_release(all[i]);
}

static void assignment(ThContext *c) {
    ThArray *a = th_array_zeros(c, TH_FLOAT32, 2, SHAPE(3, 4)), *row = range(c, TH_INT64, 1, SHAPE(4));
    ThArray *col = range(c, TH_FLOAT64, 2, SHAPE(3, 1)), *three = range(c, TH_INT8, 1, SHAPE(3));
    CHECK(th_array_assign(a, row) == 0 && at(a, 2, 3) == 3 && at(a, 0, 1) == 1);
    CHECK(th_array_assign(a, col) == 0 && at(a, 2, 3) == 2 && at(a, 2, 0) == 2 && at(a, 0, 1) == 0);
    CHECK(th_array_assign(a, three) != 0);
    CHECK_ERROR(c, TH_ValueError, "could not broadcast array of shape (3,) into shape (3, 4)");
    ThArray *deep = th_array_reshape(row, 3, SHAPE(1, 1, 4)); /* leading ones fall away */
    CHECK(th_array_assign(a, deep) == 0 && at(a, 1, 2) == 2);
    ThArray *x = range(c, TH_INT32, 1, SHAPE(10));
    ThArray *low = th_array_view(x, 1, SHAPE(9), NULL, 0), *high = th_array_view(x, 1, SHAPE(9), NULL, 4);
    ThArray *reversed = th_array_view(x, 1, SHAPE(10), SHAPE(-4), 36);
    CHECK(th_array_assign(high, low) == 0);
    for (int i = 0; i < 10; i++) CHECK(((int32_t *)th_array_data(x))[i] == (i ? i - 1 : 0));
    CHECK(th_array_assign(low, high) == 0 && ((int32_t *)th_array_data(x))[8] == 8);
    CHECK(th_array_assign(x, reversed) == 0);
    CHECK(((int32_t *)th_array_data(x))[0] == 8 && ((int32_t *)th_array_data(x))[9] == 0);
    ThArray *t = th_array_transpose(a, 0, NULL), *wide = range(c, TH_UINT16, 2, SHAPE(4, 3));
    CHECK(th_array_assign(t, wide) == 0 && at(a, 2, 1) == 5 && at(a, 0, 3) == 9);
    ThArray *sq = range(c, TH_INT32, 2, SHAPE(3, 3)), *sqt = th_array_transpose(sq, 0, NULL);
    CHECK(th_array_assign(sq, sqt) == 0 && at(sq, 0, 1) == 3 && at(sq, 1, 0) == 1 && at(sq, 2, 1) == 5);
    th_array_release(sq);
    th_array_release(sqt);
    double v = 7.9;
    ThArray *s = array_scalar(c, TH_FLOAT64, &v);
    CHECK(th_array_fill(x, s) == 0 && ((int32_t *)th_array_data(x))[5] == 7 && array_all_equal(x));
    CHECK(th_array_fill(x, row) != 0);
    CHECK_ERROR(c, TH_ValueError, "fill needs one value");
    x->flags |= ARRAY_READONLY;
    ThArray *ro = th_array_view(x, 1, SHAPE(2), NULL, 0);
    CHECK(th_array_assign(ro, s) != 0 && !th_array_writeable(ro));
    CHECK_ERROR(c, TH_ValueError, "read-only");
    CHECK(th_array_set(a, SHAPE(1, 1), 'i', (ThValue){.i = 42}) == 0 && at(a, 1, 1) == 42 && !array_all_equal(a));
    ThArray *all[] = {a, row, col, three, deep, x, low, high, reversed, t, wide, s, ro};
    for (int i = 0; i < TH_LEN(all); i++) th_array_release(all[i]);
}

static int64_t cast_int(double v, ThDtype d) {
    int64_t r = 0;
    char out[16] = {0};
    dtype_cast(out, d, 0, (const char *)&v, TH_FLOAT64, 0, 1);
    dtype_cast((char *)&r, TH_INT64, 0, out, d, 0, 1);
    return r;
}

/* What NumPy 1.26 gives on x86-64. */
static void casts(void) {
    CHECK(cast_int(-1.9, TH_INT8) == -1 && cast_int(300.7, TH_INT8) == 44 && cast_int(1e10, TH_INT16) == 0);
    CHECK(cast_int(NAN, TH_INT32) == INT32_MIN && cast_int(2147483648.0, TH_INT32) == INT32_MIN);
    CHECK(cast_int(-2147483648.5, TH_INT32) == INT32_MIN && cast_int(2147483647.9, TH_INT32) == INT32_MAX);
    CHECK(cast_int(INFINITY, TH_INT64) == INT64_MIN && cast_int(NAN, TH_INT8) == 0 && cast_int(-1, TH_UINT8) == 255);
    CHECK(cast_int(-1, TH_UINT32) == 4294967295 && cast_int(-1, TH_UINT64) == -1);
    CHECK((uint64_t)cast_int(1.8e19, TH_UINT64) == 18000000000000000000ull && cast_int(1e20, TH_UINT64) == 0);
    CHECK(cast_int(0.5, TH_BOOL) == 1 && cast_int(-0.0, TH_BOOL) == 0 && cast_int(NAN, TH_BOOL) == 1);
    ThComplex128 z[3] = {{1.5, 2}, {0, -1}, {0, 0}};
    float re[3];
    uint8_t truth[3];
    dtype_cast((char *)re, TH_FLOAT32, 4, (char *)z, TH_COMPLEX128, 16, 3);
    dtype_cast((char *)truth, TH_BOOL, 1, (char *)z, TH_COMPLEX128, 16, 3);
    CHECK(re[0] == 1.5f && re[1] == 0 && truth[0] == 1 && truth[1] == 1 && truth[2] == 0);
    ThComplex64 w[2];
    int16_t i16[4] = {3, -1, -4, -1};
    dtype_cast((char *)w, TH_COMPLEX64, 8, (char *)i16, TH_INT16, 4, 2);
    CHECK(w[0].re == 3 && w[1].re == -4 && w[1].im == 0);
}

static void comparison(ThContext *c) {
    ThArray *a = range(c, TH_FLOAT64, 2, SHAPE(30, 40)), *b = range(c, TH_INT16, 2, SHAPE(30, 40));
    ThArray *flat = th_array_reshape(a, 1, SHAPE(-1));
    CHECK(th_array_equal(a, b) && !th_array_equal(a, flat));
    ((double *)th_array_data(a))[1199] = 0.5;
    CHECK(!th_array_equal(a, b));
    ((double *)th_array_data(a))[1199] = NAN;
    CHECK(!th_array_equal(a, a));
    ThArray *e = th_array_empty(c, TH_FLOAT64, 2, SHAPE(0, 3)), *f = th_array_empty(c, TH_BOOL, 2, SHAPE(0, 3));
    CHECK(th_array_equal(e, f));
    ThArray *one = th_array_zeros(c, TH_INT8, 2, SHAPE(2, 3)), *two = th_array_zeros(c, TH_INT8, 2, SHAPE(3, 2));
    CHECK(!th_array_equal(one, two));
    th_array_release(one);
    th_array_release(two);
    ThArray *all[] = {a, b, flat, e, f};
    for (int i = 0; i < TH_LEN(all); i++) th_array_release(all[i]);
}

/* A buffer counts once, whatever views of it there are, until it goes. */
static void counting(ThContext *c) {
    double mem[12] = {0};
    const size_t before = th_held_bytes(c);
    ThArray *a = th_array_empty(c, TH_FLOAT64, 1, SHAPE(1000)), *v = th_array_view(a, 1, SHAPE(10), NULL, 8);
    CHECK(th_held_bytes(c) == before && th_array_count_held(v) && !th_array_count_held(a) && !th_array_count_held(v));
    CHECK(th_held_bytes(c) - before == th_array_held_bytes(a));
    th_array_release(a);
    CHECK(th_held_bytes(c) - before >= 8000);
    th_array_release(v);
    CHECK(th_held_bytes(c) == before);
    a = th_array_empty(c, TH_FLOAT64, 1, SHAPE(1000)); /* that memory again */
    CHECK(th_array_count_held(a) && th_held_bytes(c) - before == th_array_held_bytes(a));
    th_array_free(a);
    CHECK(th_held_bytes(c) == before);
    th_array_release(a);
    CHECK(th_held_bytes(c) == before && !th_array_count_held(NULL) && !th_held_bytes(NULL));
    a = th_array_wrap(c, TH_FLOAT64, 1, SHAPE(12), NULL, mem, NULL, NULL);
    CHECK(th_array_count_held(a) && th_held_bytes(c) - before == sizeof mem);
    th_array_release(a);
    CHECK(th_held_bytes(c) == before);
}

static int released;
static void on_release(void *user) { *(int *)user += 1; }

static void wrapping_and_freeing(ThContext *c) {
    double mem[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    ThArray *a = th_array_wrap(c, TH_FLOAT64, 2, SHAPE(2, 3), SHAPE(-8, 16), mem + 5, on_release, &released);
    CHECK(at(a, 0, 0) == 5 && at(a, 1, 2) == 8 && th_array_held_bytes(a) == 48);
    ThArray *v = th_array_view(a, 1, SHAPE(2), SHAPE(8), -8);
    CHECK(v && !th_array_view(a, 1, SHAPE(3), SHAPE(8), -16));
    th_error_clear(c);
    th_array_release(a);
    CHECK(released == 0);
    th_array_release(v);
    CHECK(released == 1);
    CHECK(!th_array_wrap(c, TH_FLOAT64, 1, SHAPE(1), NULL, (char *)mem + 4, on_release, &released) && released == 1);
    CHECK_ERROR(c, TH_ValueError, "multiples of 8 bytes");
    CHECK(!th_array_wrap(c, TH_FLOAT64, 1, SHAPE(1), NULL, NULL, NULL, NULL));
    CHECK_ERROR(c, TH_ValueError, "no memory was given");
    a = range(c, TH_INT32, 1, SHAPE(100));
    v = th_array_view(a, 1, SHAPE(2), NULL, 0);
    a->buf->pins = 1;
    th_array_free(v);
    CHECK_ERROR(c, TH_ValueError, "a function is bound to it");
    a->buf->pins = 0;
    long long live = th_stat(c, "live_bytes");
    th_array_free(a);
    th_array_free(a);
    CHECK(live - th_stat(c, "live_bytes") >= 400 && !th_array_data(v) && th_array_held_bytes(v) == 0);
    CHECK(!th_array_copy(v));
    CHECK_ERROR(c, TH_ValueError, "was freed");
    ThArray *x = range(c, TH_INT32, 1, SHAPE(2));
    ThValue val;
    CHECK(th_array_assign(x, v) != 0 && th_array_assign(v, x) != 0 && th_array_get(v, SHAPE(0), &val) != 0);
    CHECK(!th_array_str(c, v) && !th_array_reshape(v, 1, SHAPE(-1)) && !th_array_view(v, 0, NULL, NULL, 0));
    CHECK_ERROR(c, TH_ValueError, "was freed");
    th_array_release(a);
    th_array_release(v);
    th_array_release(x);
}

typedef struct {
    int n;
    int64_t total;
} Runs;
static void count_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Runs *r = user;
    for (int64_t i = 0; i < n; i++) r->total = r->total * 3 + *(const int32_t *)(void *)(ptr[0] + i * stride[0]);
    r->n++;
}

static void walking(ThContext *c) {
    ThArray *a = range(c, TH_INT32, 3, SHAPE(2, 3, 4));
    Runs whole = {0}, parts = {0};
    array_walk(3, ARRAY_SHAPE(a), 1, (char *const[]){a->data}, (const int64_t *const[]){ARRAY_STRIDES(a)}, count_run,
               &whole);
    CHECK(whole.n == 1); /* contiguous axes are one run */
    ThArray *v = th_array_view(a, 4, SHAPE(2, 3, 1, 2), SHAPE(48, 16, 0, 8), 0);
    int64_t want = 0;
    for (int i = 0; i < 24; i += 2) want = want * 3 + i;
    array_walk(4, ARRAY_SHAPE(v), 1, (char *const[]){v->data}, (const int64_t *const[]){ARRAY_STRIDES(v)}, count_run,
               &parts);
    CHECK(parts.total == want && parts.n == 1);
    ThArray *t = th_array_transpose(a, 3, (int[]){2, 0, 1});
    Runs runs = {0};
    array_walk(3, ARRAY_SHAPE(t), 1, (char *const[]){t->data}, (const int64_t *const[]){ARRAY_STRIDES(t)}, count_run,
               &runs);
    want = 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 6; i++) want = want * 3 + 4 * i + k;
    CHECK(runs.total == want && runs.n == 4);
    th_array_release(t);
    th_array_release(v);
    th_array_release(a);
}

static void on_buffers(ThContext *c) {
    ThBuffer *b = buffer_new(c, 48);
    ThArray *a = array_on_buffer(c, b, TH_FLOAT64, 2, SHAPE(2, 3));
    CHECK(a && a->data == b->data && a->buf == b && th_array_contiguous(a) && atomic_load(&b->refs) == 2);
    CHECK(!array_on_buffer(c, b, TH_FLOAT64, 2, SHAPE(2, 4)));
    CHECK_ERROR(c, TH_ValueError, "too small");
    CHECK(!array_on_buffer(c, b, TH_FLOAT64, 1, SHAPE(-2)));
    CHECK_ERROR(c, TH_ValueError, "negative length");
    buffer_release(b);
    th_array_release(a);
    for (int ndim = 3; ndim <= 6; ndim++) { /* headers of every rank come and go with their own size */
        a = th_array_zeros(c, TH_INT8, ndim, SHAPE(1, 2, 1, 2, 1, 2));
        CHECK(a && th_array_shape(a)[1] == 2);
        th_array_release(a);
    }
}

static ThArray *plane(ThContext *c, int64_t rows, int64_t n, const double *values) {
    ThArray *a = th_array_empty(c, TH_FLOAT64, 2, SHAPE(rows, n));
    for (int64_t i = 0; a && i < a->size; i++) ((double *)(void *)a->data)[i] = values[i];
    return a;
}

/* y[t] = x[t] + y[t - 1] / 2, from a state; three diagonals; what does not fit. */
static void recurrences(ThContext *c) {
    ThArray *b = plane(c, 1, 2, (double[]){1, 0}), *a = plane(c, 1, 2, (double[]){1, -0.5});
    ThArray *x = plane(c, 2, 3, (double[]){4, 2, 1, 0, 0, 8}), *z = th_array_zeros(c, TH_FLOAT64, 3, SHAPE(1, 2, 1));
    ThArray *y = th_array_filter(c, b, a, x, z);
    CHECK(at(y, 0, 0) == 4 && at(y, 0, 1) == 4 && at(y, 0, 2) == 3 && at(y, 1, 0) == 0 && at(y, 1, 2) == 8);
    CHECK(((double *)th_array_data(z))[0] == 1.5 && ((double *)th_array_data(z))[1] == 4);
    CHECK(!th_array_filter(c, b, x, x, z) && th_error(c) == TH_ValueError);
    th_error_clear(c);
    ThArray *turned = th_array_transpose(x, 2, (int[]){1, 0});
    CHECK(!th_array_filter(c, b, a, turned, z) && th_error(c) == TH_ValueError);
    th_error_clear(c);
    CHECK(!th_array_filter(c, b, a, x, NULL) && th_error(c) != TH_OK);
    th_error_clear(c);
    ThArray *d = plane(c, 3, 3, (double[]){9, 1, 1, 2, 2, 2, 1, 1, 9}), *r = plane(c, 3, 1, (double[]){4, 8, 8});
    ThArray *v = th_array_tridiagonal(c, d, r);
    for (int i = 0; i < 3; i++) CHECK(fabs(at(v, i, 0) - (i + 1)) < 1e-15);
    CHECK(!th_array_tridiagonal(c, d, x) && th_error(c) == TH_ValueError);
    th_error_clear(c);
    ThArray *all[] = {b, a, x, z, y, turned, d, r, v};
    for (int i = 0; i < 9; i++) th_array_release(all[i]);
}

static int sequence(ThContext *c) {
    int ok = 0;
    ThArray *a = range(c, TH_FLOAT64, 2, SHAPE(50, 60)), *t = th_array_transpose(a, 2, (int[]){1, 0});
    ThArray *r = th_array_reshape(t, 1, SHAPE(-1)), *s = th_array_astype(r, TH_COMPLEX64), *out = NULL, *big = NULL;
    char *text = s ? th_array_str(c, s) : NULL;
    if (!text) goto done;
    ThArray *low = th_array_view(r, 1, SHAPE(2000), NULL, 0);
    if (low && th_array_assign(low, th_array_size(r) ? low : r) == 0) out = th_array_view(r, 1, SHAPE(2000), NULL, 8);
    if (out && th_array_assign(out, low) == 0) big = th_array_zeros(c, TH_INT8, 6, SHAPE(1, 2, 3, 4, 5, 6));
    th_array_release(low);
    ThArray *d = big ? th_array_zeros(c, TH_FLOAT64, 2, SHAPE(3, 4)) : NULL;
    ThArray *v = d ? th_array_zeros(c, TH_FLOAT64, 2, SHAPE(4, 2)) : NULL;
    ThArray *w = v ? th_array_tridiagonal(c, d, v) : NULL;
    ok = w != NULL;
    th_array_release(d);
    th_array_release(v);
    th_array_release(w);
done:
    th_free(c, text);
    th_array_release(a);
    th_array_release(t);
    th_array_release(r);
    th_array_release(s);
    th_array_release(out);
    th_array_release(big);
    return ok;
}

int main(void) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    making(c);
    buffers(c);
    views(c);
    reshapes(c);
    assignment(c);
    casts();
    comparison(c);
    counting(c);
    wrapping_and_freeing(c);
    walking(c);
    on_buffers(c);
    recurrences(c);
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    test_every_failure(sequence);
    return test_done("base_array");
}
