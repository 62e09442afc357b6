/*
 * test.h -- what the C tests share: CHECK, an allocator that counts and fails on demand, and a final verdict.
 *
 * A test is a program: CHECK facts, then `return test_done("name")`, which prints "name: ok" or says what failed.
 * test_failing_host(n) makes a host whose n-th allocation fails (0: none does); test_leaked() gives the bytes it still
 * owes, and every free is compared with the size the memory was taken with.
 */
#ifndef TEST_H
#define TEST_H

#include "theano.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_failures;

#define CHECK(cond) \
    do { \
        if (!(cond)) { \
            test_failures++; \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond); \
        } \
    } while (0)

#define CHECK_TEXT(got, want) \
    do { \
        const char *got_ = (got), *want_ = (want); \
        if (!got_ || strcmp(got_, want_)) { \
            test_failures++; \
            fprintf(stderr, "%s:%d: got  %s\n    wanted %s\n", __FILE__, __LINE__, got_ ? got_ : "NULL", want_); \
        } \
    } while (0)

/* The sticky error has this kind and its text contains the words; it is cleared. */
#define CHECK_ERROR(c, kind, words) \
    do { \
        CHECK(th_error(c) == (kind)); \
        if (!strstr(th_error_text(c), (words))) { \
            test_failures++; \
            fprintf(stderr, "%s:%d: error text: %s\n    wanted: %s\n", __FILE__, __LINE__, th_error_text(c), (words)); \
        } \
        th_error_clear(c); \
    } while (0)

/* How many cases: all of them, or a part of them in an emulator (scripts/platforms: TEST_PART=20, a twentieth). */
__attribute__((unused)) static int64_t test_amount(int64_t all) {
    const char *part = getenv("TEST_PART");
    int64_t n = part ? atoi(part) : 1;
    return n > 1 && all > n ? all / n : all;
}

/* From one case to the next that is tried, odd, so that what goes around with cases is met in every way. */
__attribute__((unused)) static int64_t test_step(int64_t all) { return (all / test_amount(all)) | 1; }

__attribute__((unused)) static int test_done(const char *name) {
    if (test_failures) fprintf(stderr, "%s: %d failures\n", name, test_failures);
    else printf("%s: ok\n", name);
    return test_failures != 0;
}

/* ---- an allocator that counts and fails, on any thread -------------------------------------------------------------
 */
static struct {
    long long live;    /* bytes taken and not given back */
    long calls;        /* allocations asked for since test_failing_host */
    long fail_at;      /* the call that fails; 0: none */
    int from_there_on; /* every later call fails too */
    int failed;        /* whether the failure has happened */
} test_heap;

static int test_refuses(void) {
    long n = __atomic_add_fetch(&test_heap.calls, 1, __ATOMIC_RELAXED);
    if (!test_heap.fail_at || n < test_heap.fail_at || (n > test_heap.fail_at && !test_heap.from_there_on)) return 0;
    __atomic_store_n(&test_heap.failed, 1, __ATOMIC_RELAXED);
    return 1;
}

/* The block starts before the memory; its start and the size asked for are kept just before the memory. */
__attribute__((unused)) static void *test_alloc(void *user, void *old, size_t old_size, size_t size, size_t align) {
    (void)user;
    size_t had = old ? *((size_t *)old - 1) : 0;
    if (old && had != old_size) {
        test_failures++;
        fprintf(stderr, "memory of %zu bytes was given back as %zu\n", had, old_size);
    }
    char *p = NULL;
    if (size) {
        if (test_refuses()) return NULL;
        char *block = malloc(size + 64 + align);
        if (!block) return NULL;
        p = block + 64 + align - 1;
        p -= (size_t)p % align;
        *((size_t *)(void *)p - 1) = size;
        *((void **)(void *)p - 2) = block;
        if (old) memcpy(p, old, had < size ? had : size);
        __atomic_add_fetch(&test_heap.live, (long long)size, __ATOMIC_RELAXED);
    }
    if (old) {
        __atomic_sub_fetch(&test_heap.live, (long long)had, __ATOMIC_RELAXED);
        free(*((void **)old - 2));
    }
    return p;
}

/* A host whose n-th allocation from now on fails; n = 0: none. All contexts of a test share its counters. */
__attribute__((unused)) static ThHost test_failing_host(long n) {
    ThHost h = {0};
    h.alloc = test_alloc;
    test_heap.calls = 0;
    test_heap.fail_at = n;
    test_heap.failed = 0;
    return h;
}

__attribute__((unused)) static long long test_leaked(void) {
    return __atomic_load_n(&test_heap.live, __ATOMIC_RELAXED);
}

/*
 * Runs body(c) with the n-th allocation failing, for n = 1, 2, ... until a run needs fewer than n: first with only that
 * one failing (a body may survive it where there was something to give back), then with all later ones failing too.
 * The body returns whether it succeeded; failing, it must leave MemoryError; never may anything be left over.
 */
__attribute__((unused)) static void test_every_failure(int (*body)(ThContext *c)) {
    for (int rest = 0; rest < 2; rest++) {
        test_heap.from_there_on = rest;
        for (long n = 1; n < 100000; n++) {
            ThHost host = test_failing_host(n);
            ThContext *c = th_context_new(&host);
            if (c) {
                int ok = body(c);
                CHECK(th_error(c) == (ok ? TH_OK : TH_MemoryError));
                CHECK(ok || test_heap.failed);
                test_heap.fail_at = 0;
                th_context_release(c);
            }
            CHECK(test_leaked() == 0);
            if (!test_heap.failed || test_failures) break;
        }
        CHECK(!test_heap.failed); /* the last run went through */
    }
    test_heap.from_there_on = 0;
}

#endif
