/* The context, errors, memory, tables and texts of core/base. */
#include "base/base.h"
#include "test.h"

#include <math.h>

static void errors(ThContext *c) {
    CHECK(th_error(c) == TH_OK && !strcmp(th_error_text(c), ""));
    CHECK(!err(c, TH_ShapeError, "axis %d", 3));
    CHECK(!err(c, TH_ValueError, "second"));
    CHECK_ERROR(c, TH_ShapeError, "axis 3");
    CHECK(th_error(c) == TH_OK && th_error_text(c)[0] == 0);
    CHECK_TEXT(th_error_name(TH_NanGuardError), "NanGuardError");
    CHECK_TEXT(th_error_name(TH_TypeError), "TypeError");
    CHECK_TEXT(th_error_name(TH_OK), "");
    CHECK_TEXT(th_error_name((ThError)9999), "");
}

static char logged[256];
static void keep(void *user, const char *line) {
    (void)user;
    snprintf(logged, sizeof logged, "%s", line);
}

static int freed_slots;
static void slot_gone(ThContext *c, void *p) {
    CHECK(c != NULL && p == (void *)&freed_slots);
    freed_slots++;
}

static void lifetime(void) {
    ThHost host = test_failing_host(0);
    host.log = keep;
    ThContext *c = th_context_new(&host);
    ctx_log(c, "hello %d", 7);
    CHECK_TEXT(logged, "hello 7");
    c->slot[CTX_PLAN] = &freed_slots;
    c->slot_free[CTX_PLAN] = slot_gone;
    CHECK(th_stat(c, "live_bytes") == test_leaked());
    CHECK(th_stat(c, "no such figure") == -1);
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){10});
    th_context_release(c);
    CHECK(test_leaked() > 0 && freed_slots == 0);
    th_array_release(a);
    CHECK(test_leaked() == 0 && freed_slots == 1);
}

static void interning(ThContext *c) {
    char buf[16];
    const char *first[500];
    for (int i = 0; i < 500; i++) {
        snprintf(buf, sizeof buf, "name%d", i);
        first[i] = intern(c, buf);
    }
    for (int i = 0; i < 500; i++) {
        snprintf(buf, sizeof buf, "name%dx", i);
        CHECK(intern_n(c, buf, strlen(buf) - 1) == first[i]);
    }
    CHECK(intern(c, "") == intern_n(c, "abc", 0) && intern(c, NULL) == NULL);
}

static void arenas(ThContext *c) {
    Arena *a = arena_new(c);
    long long before = th_stat(c, "allocs");
    for (int i = 0; i < 10000; i++) {
        char *p = arena_alloc(a, 40);
        CHECK(((uintptr_t)p & 15) == 0);
        memset(p, i, 40);
    }
    CHECK(th_stat(c, "allocs") - before < 12);
    char *big = arena_alloc0(a, 5000000);
    CHECK(big && big[0] == 0 && big[4999999] == 0);
    CHECK_TEXT(arena_strdup(a, "text"), "text");
    CHECK(arena_context(a) == c && arena_bytes(a) > 5400000 && arena_bytes(a) < 6600000);
    CHECK(!arena_alloc(a, SIZE_MAX - 4));
    CHECK_ERROR(c, TH_MemoryError, "out of memory");
    arena_free(a);
}

static void tables(ThContext *c) {
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++) CHECK(vec_push(c, &v, i * i));
    CHECK(v.n == 1000 && v.at[999] == 999 * 999 && vec_pop(&v) == 999 * 999);
    vec_free(c, &v);
    Map m = {0};
    uint32_t x = 0;
    CHECK(!map_get(&m, 5, &x));
    map_del(&m, 5);
    for (uint64_t i = 0; i < 3000; i++) CHECK(map_put(c, &m, i * 4096, (uint32_t)i));
    CHECK(map_put(c, &m, 4096, 77) && m.n == 3000);
    for (uint64_t i = 0; i < 3000; i += 3) map_del(&m, i * 4096);
    for (uint64_t i = 0; i < 3000; i++) {
        bool there = map_get(&m, i * 4096, &x);
        CHECK(there == (i % 3 != 0));
        if (there) CHECK(x == (i == 1 ? 77 : i));
    }
    CHECK(m.n == 2000);
    map_free(c, &m);
    for (uint64_t step = 1; step < 1000; step += 37) { /* many small tables: every slot is some key's */
        for (uint64_t i = 0; i < 100; i++) CHECK(map_put(c, &m, i * step, (uint32_t)(i + step)));
        for (uint64_t i = 0; i < 100; i++) CHECK(map_get(&m, i * step, &x) && x == i + step);
        for (uint64_t i = 0; i < 100; i += 2) map_del(&m, i * step);
        for (uint64_t i = 0; i < 100; i++) CHECK(map_get(&m, i * step, NULL) == (i % 2 != 0));
        for (uint64_t i = 0; i < 100; i += 2) CHECK(map_put(c, &m, i * step, 3));
        CHECK(m.n == 100 && map_get(&m, step, NULL));
        x = 5;
        CHECK(!map_get(&m, 100 * step, &x) && x == 5);
        map_free(c, &m);
    }
    CHECK(hash_bytes("abc", 3, 0) == 0x78af5f94892f3950ull); /* XXH3's published value: hashes never change */
}

static const char *float_text(ThContext *c, double v, ThDtype d) {
    static char out[64];
    Text t;
    text_init(&t, c);
    text_float(&t, v, d);
    snprintf(out, sizeof out, "%s", t.at);
    text_free(&t);
    return out;
}

static void texts(ThContext *c) {
    Text t;
    text_init(&t, c);
    for (int i = 0; i < 100; i++) text_printf(&t, "%d,", i);
    text_putc(&t, '!');
    char *s = text_take(&t);
    CHECK(strlen(s) == 291 && !strncmp(s, "0,1,2,", 6) && s[290] == '!');
    th_free(c, s);
    s = text_take(&t);
    CHECK_TEXT(s, "");
    th_free(c, s);
    CHECK_TEXT(float_text(c, 2, TH_FLOAT64), "2.0");
    CHECK_TEXT(float_text(c, 0.1, TH_FLOAT64), "0.1");
    CHECK_TEXT(float_text(c, 0.1f, TH_FLOAT64), "0.10000000149011612");
    CHECK_TEXT(float_text(c, 0.1f, TH_FLOAT32), "0.1");
    CHECK_TEXT(float_text(c, 1e-5, TH_FLOAT64), "1e-05");
    CHECK_TEXT(float_text(c, 0.0001, TH_FLOAT64), "0.0001");
    CHECK_TEXT(float_text(c, 1.5e300, TH_FLOAT64), "1.5e+300");
    CHECK_TEXT(float_text(c, 1e16, TH_FLOAT64), "1e+16");
    CHECK_TEXT(float_text(c, 123456789012345680.0, TH_FLOAT64), "1.2345678901234568e+17");
    CHECK_TEXT(float_text(c, 9007199254740993.0, TH_FLOAT64), "9007199254740992.0");
    CHECK_TEXT(float_text(c, 5e-324, TH_FLOAT64), "5e-324");
    CHECK_TEXT(float_text(c, 0x1p-44, TH_FLOAT64), "5.684341886080802e-14"); /* narrow gap below a power of two */
    CHECK_TEXT(float_text(c, -0.0, TH_FLOAT64), "-0.0");
    CHECK_TEXT(float_text(c, NAN, TH_FLOAT64), "nan");
    CHECK_TEXT(float_text(c, -INFINITY, TH_FLOAT32), "-inf");
    CHECK_TEXT(float_text(c, 16777216, TH_FLOAT32), "16777216.0");
    const char *const names[] = {"floatX", "device", "optimizer"};
    CHECK_TEXT(text_nearest("floatx", names, 3), "floatX");
    CHECK_TEXT(text_nearest("dvice", names, 3), "device");
    CHECK_TEXT(text_nearest("devvicce", names, 3), "device");
    CHECK_TEXT(text_nearest("optimiser", names, 3), "optimizer");
    CHECK(text_nearest("zebra", names, 3) == NULL && text_nearest("", names, 3) == NULL);
    CHECK(text_nearest("abc", names, 0) == NULL);
}

static void dtypes(ThContext *c) {
    CHECK(th_dtype_from_name("float64") == TH_FLOAT64 && th_dtype_from_name("quarter") == TH_DTYPE_NONE);
    CHECK(th_dtype_bytes(TH_COMPLEX128) == 16 && th_dtype_kind(TH_BOOL) == 'b' && th_dtype_kind(TH_UINT16) == 'u');
    static const struct {
        ThDtype a, b, r;
    } up[] = {{TH_BOOL, TH_INT8, TH_INT8},
              {TH_INT8, TH_UINT8, TH_INT16},
              {TH_INT32, TH_UINT32, TH_INT64},
              {TH_INT64, TH_UINT64, TH_FLOAT64},
              {TH_FLOAT32, TH_INT16, TH_FLOAT32},
              {TH_FLOAT32, TH_UINT32, TH_FLOAT64},
              {TH_INT64, TH_FLOAT32, TH_FLOAT64},
              {TH_COMPLEX64, TH_INT32, TH_COMPLEX128},
              {TH_COMPLEX64, TH_INT16, TH_COMPLEX64},
              {TH_COMPLEX64, TH_FLOAT64, TH_COMPLEX128},
              {TH_INT64, TH_UINT8, TH_INT64},
              {TH_BOOL, TH_BOOL, TH_BOOL},
              {TH_INT8, TH_UINT16, TH_INT32},
              {TH_BOOL, TH_FLOAT32, TH_FLOAT32},
              {TH_FLOAT16, TH_UINT8, TH_FLOAT16},
              {TH_FLOAT16, TH_INT16, TH_FLOAT32},
              {TH_FLOAT16, TH_INT32, TH_FLOAT64},
              {TH_FLOAT16, TH_FLOAT32, TH_FLOAT32},
              {TH_FLOAT16, TH_BFLOAT16, TH_FLOAT32},
              {TH_BFLOAT16, TH_BOOL, TH_BFLOAT16},
              {TH_BFLOAT16, TH_UINT32, TH_FLOAT64},
              {TH_BFLOAT16, TH_COMPLEX64, TH_COMPLEX64},
              {TH_FLOAT16, TH_FLOAT64, TH_FLOAT64}};
    for (int i = 0; i < TH_LEN(up); i++) {
        CHECK(th_dtype_upcast(up[i].a, up[i].b) == up[i].r);
        CHECK(th_dtype_upcast(up[i].b, up[i].a) == up[i].r);
    }
    CHECK(dtype_of_int(127) == TH_INT8 && dtype_of_int(128) == TH_INT16 && dtype_of_int(-40000) == TH_INT32);
    CHECK(dtype_of_int(1ll << 40) == TH_INT64);
    CHECK(dtype_of_float(0.5, TH_FLOAT64) == TH_FLOAT32 && dtype_of_float(0.1, TH_FLOAT64) == TH_FLOAT64);
    CHECK(dtype_of_float(0.1, TH_FLOAT32) == TH_FLOAT32);
    CHECK(dtype_parse(c, "int32") == TH_INT32);
    CHECK(dtype_parse(c, "float16") == TH_FLOAT16 && dtype_parse(c, "bfloat16") == TH_BFLOAT16);
    CHECK(dtype_parse(c, "flot32") == TH_DTYPE_NONE);
    CHECK_ERROR(c, TH_TypeError, "did you mean 'float32'");
}

static int everything(ThContext *c) {
    int ok = 0;
    Map m = {0};
    VEC(double) v = {0};
    Text t;
    text_init(&t, c);
    Arena *a = arena_new(c);
    for (int i = 0; a && i < 200; i++) {
        text_printf(&t, "%d", i);
        if (!arena_alloc(a, 100) || !map_put(c, &m, (uint64_t)i, 1) || !vec_push(c, &v, i)) goto out;
        if (!intern_n(c, (char *)&i, sizeof i)) goto out;
    }
    char *s = text_take(&t);
    th_free(c, s);
    ok = a && s;
out:
    text_free(&t);
    vec_free(c, &v);
    map_free(c, &m);
    arena_free(a);
    return ok;
}

int main(void) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    errors(c);
    interning(c);
    arenas(c);
    tables(c);
    texts(c);
    dtypes(c);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    lifetime();
    test_every_failure(everything);
    return test_done("base_core");
}
