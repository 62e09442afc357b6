/*
 * model_native.c -- signatures, and machine code in saved models as a host allows it.
 */
#include "base/sha256.h"
#include "model/model.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void check_hex(const uint8_t mac[SHA256_BYTES], const char *want) {
    char text[2 * SHA256_BYTES + 1];
    for (int i = 0; i < SHA256_BYTES; i++) snprintf(text + 2 * i, 3, "%02x", mac[i]);
    CHECK_TEXT(text, want);
}

/* FIPS 180-4's examples, in pieces of every length. */
static void hashes(void) {
    static const char *const text[] = {"", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"};
    static const char *const want[] = {"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                                       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                                       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"};
    uint8_t mac[SHA256_BYTES];
    Sha256 s;
    for (int i = 0; i < 3; i++) {
        sha256_begin(&s);
        sha256_put(&s, text[i], strlen(text[i]));
        sha256_end(&s, mac);
        check_hex(mac, want[i]);
    }
    for (int piece = 1; piece < 200; piece++) {
        char a[200];
        memset(a, 'a', sizeof a);
        sha256_begin(&s);
        for (int left = 1000; left > 0; left -= piece) sha256_put(&s, a, (size_t)(left < piece ? left : piece));
        sha256_end(&s, mac);
        check_hex(mac, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
    }
}

/* RFC 4231's cases 1, 2 and 6. */
static void macs(void) {
    uint8_t key[131], mac[SHA256_BYTES];
    Sha256Mac m;
    memset(key, 0x0b, 20);
    sha256_mac_begin(&m, key, 20);
    sha256_put(&m.inner, "Hi There", 8);
    sha256_mac_end(&m, mac);
    check_hex(mac, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    sha256_mac_begin(&m, "Jefe", 4);
    sha256_put(&m.inner, "what do ya want for nothing?", 28);
    sha256_mac_end(&m, mac);
    check_hex(mac, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    sha256_mac_begin(&m, key, sizeof key);
    sha256_put(&m.inner, "Test Using Larger Than Block-Size Key - Hash Key First", 54);
    sha256_mac_end(&m, mac);
    check_hex(mac, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    uint8_t other[SHA256_BYTES];
    memcpy(other, mac, sizeof other);
    CHECK(sha256_same(mac, other));
    for (int i = 0; i < SHA256_BYTES; i++) {
        other[i] ^= 0x80;
        CHECK(!sha256_same(mac, other));
        other[i] ^= 0x80;
    }
}

static void levels(void) {
    CHECK(model_level("x86-64-v2") == 2 && model_level("x86-64-v4") == 4);
    CHECK(model_level("x86-64-v1") == -1 && model_level("x86-64") == -1 && model_level("") == -1);
    CHECK(model_level(NULL) == -1);
}

static ThFunction *square(ThContext *c) {
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT64, .ndim = 1}, "x"), *y = th_op(c, "sqr", 1, x);
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = y};
    ThFunction *f =
        th_compile(c, &(ThCompile){.in = &in, .nin = 1, .out = &out, .nout = 1, .allow_input_downcast = -1});
    th_var_release(x);
    th_var_release(y);
    return f;
}

static void check_call(ThContext *c, ThFunction *f) {
    double data[3] = {1, 2, 3};
    ThArray *arg = th_array_wrap(c, TH_FLOAT64, 1, (int64_t[]){3}, NULL, data, NULL, NULL), *result = NULL;
    CHECK(f && !th_call(f, &arg, 1, &result));
    CHECK(result && ((double *)th_array_data(result))[2] == 9);
    th_array_release(arg);
    th_array_release(result);
}

/* Loads once in a context of that host, and again with a key of the call's: whether code ran, and how it ended. */
static void load(ThHost host, const void *bytes, size_t n, const char *key, int64_t natives, ThError wanted) {
    ThContext *c = th_context_new(&host);
    if (!host.limits.sealed) th_config_set(c, "cxx", "");
    ThFunction *f = th_model_load(
        c, &(ThLoad){.bytes = bytes, .nbytes = n, .native = key, .native_bytes = key ? strlen(key) : 0}, NULL);
    CHECK(th_error(c) == wanted && th_stat(c, "natives") == natives);
    if (!wanted) check_call(c, f);
    CHECK((f == NULL) == (wanted != TH_OK));
    th_function_release(f);
    th_context_release(c);
}

/* A call whose allocations may fail: the right result or MemoryError, and the right result afterwards. */
static void fails_or_calls(ThContext *c, ThFunction *f) {
    double data[3] = {1, 2, 3};
    ThArray *arg = th_array_wrap(c, TH_FLOAT64, 1, (int64_t[]){3}, NULL, data, NULL, NULL), *result = NULL;
    bool good = arg && !th_call(f, &arg, 1, &result);
    CHECK(th_error(c) == (good ? TH_OK : TH_MemoryError));
    th_array_release(arg);
    th_array_release(result);
    th_error_clear(c);
    if (!good) check_call(c, f);
}

/* Each allocation of saving code fails once: MemoryError, and nothing is left. */
static void failing_saves(const ThSave *how) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    ThFunction *f = square(c);
    bool again = true;
    for (long at = 1; again && !test_failures; at++) {
        void *bytes = NULL;
        size_t n = 0;
        test_heap.failed = 0;
        test_heap.fail_at = test_heap.calls + at;
        const int bad = th_model_save(f, how, &bytes, &n);
        again = test_heap.failed;
        test_heap.fail_at = 0;
        CHECK(bad ? !bytes && th_error(c) == TH_MemoryError : bytes && th_error(c) == TH_OK);
        th_error_clear(c);
        th_free(c, bytes);
    }
    th_function_release(f);
    th_context_release(c);
    CHECK(test_leaked() == 0);
}

/* Each allocation of loading code, and of its first call, fails once: MemoryError, and nothing is left, the library's
 * file neither. */
static void failing_loads(const void *bytes, size_t n) {
    for (long at = 1;; at++) {
        ThHost host = test_failing_host(at);
        host.native_key = "key", host.native_key_bytes = 3, host.limits.sealed = true;
        ThContext *c = th_context_new(&host);
        if (c) {
            ThFunction *f = th_model_load(c, &(ThLoad){.bytes = bytes, .nbytes = n}, NULL);
            CHECK(th_error(c) == (f ? TH_OK : TH_MemoryError));
            if (f) fails_or_calls(c, f);
            th_function_release(f);
            test_heap.fail_at = 0;
            th_context_release(c);
        }
        CHECK(test_leaked() == 0);
        if (!test_heap.failed || test_failures) break;
    }
}

static void allowed(void) {
    static const char *const level[] = {"x86-64-v2"};
    ThContext *c = th_context_new(NULL);
    ThFunction *f = square(c);
    void *bytes = NULL;
    size_t n = 0;
    const ThSave how = {.native = level, .nnative = 1, .key = "key", .key_bytes = 3};
    if (th_model_save(f, &how, &bytes, &n)) {
        CHECK(th_error(c) == TH_CompileError || th_error(c) == TH_NotImplementedError); /* of a small library */
    } else {
        const int64_t runs = isa_level() >= 2;
        const ThHost plain = {0}, sealed = {.limits.sealed = true};
        const ThHost keyed = {.native_key = "key", .native_key_bytes = 3};
        const ThHost wrong = {.native_key = "kez", .native_key_bytes = 3};
        const ThHost both = {.native_key = "key", .native_key_bytes = 3, .limits.sealed = true};
        load(plain, bytes, n, NULL, 0, TH_OK);
        load(plain, bytes, n, "key", runs, TH_OK);
        load(plain, bytes, n, "kez", 0, TH_ValueError);
        load(keyed, bytes, n, NULL, runs, TH_OK);
        load(wrong, bytes, n, NULL, 0, TH_OK);
        load(wrong, bytes, n, "key", runs, TH_OK);
        load(sealed, bytes, n, NULL, 0, TH_OK);
        load(sealed, bytes, n, "key", 0, TH_RuntimeError);
        load(both, bytes, n, NULL, runs, TH_OK);
        failing_loads(bytes, n);
        failing_saves(&how);
        ((char *)bytes)[n - 1] ^= 1; /* the hash says so already */
        load(keyed, bytes, n, NULL, 0, TH_ValueError);
    }
    th_free(c, bytes);
    th_function_release(f);
    th_context_release(c);
}

static void misuse(void) {
    ThContext *c = th_context_new(NULL);
    ThFunction *f = square(c);
    void *bytes = NULL;
    size_t n = 0;
    CHECK(th_model_save(NULL, NULL, &bytes, &n) == -1);
    CHECK(th_model_save(f, NULL, &bytes, &n) == -1);
    CHECK_ERROR(c, TH_TypeError, "");
    CHECK(th_model_save(f, &(ThSave){0}, NULL, NULL) == -1);
    CHECK_ERROR(c, TH_TypeError, "");
    CHECK(th_model_save(f, &(ThSave){.nnative = 2}, &bytes, &n) == -1);
    CHECK_ERROR(c, TH_TypeError, "");
    CHECK(!th_model_load(NULL, NULL, NULL) && !th_model_load(c, NULL, NULL));
    CHECK_ERROR(c, TH_TypeError, "");
    CHECK(!th_model_load(c, &(ThLoad){0}, NULL));
    CHECK_ERROR(c, TH_TypeError, "");
    CHECK(!th_model_load(c, &(ThLoad){.path = "x", .bytes = "x"}, NULL));
    CHECK_ERROR(c, TH_TypeError, "");
    th_function_release(f);
    th_context_release(c);
}

int main(void) {
    hashes();
    macs();
    levels();
    allowed();
    misuse();
    return test_done("model_native");
}
