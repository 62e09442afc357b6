/*
 * base_sort.c -- the sorts of keys against the C library's: random, few distinct, ascending, descending, the largest
 * key (which pads vectors), a saw, keys that tie but for their low bits, all lengths to 600 and some longer; what lies
 * behind the keys and behind the working memory stays as it was.
 */
#include "base/array/sort.h"
#include "ops/order/keys.h"
#include "test.h"

#include <math.h>

static uint64_t state = 88172645463325252u;
static uint64_t draw(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

#define COMPARE(name, type) \
    static int name(const void *a, const void *b) { \
        type x, y; \
        memcpy(&x, a, sizeof x), memcpy(&y, b, sizeof y); \
        return x < y ? -1 : x > y; \
    }
COMPARE(compare64, uint64_t)
COMPARE(compare32, uint32_t)
COMPARE(compare16, uint16_t)
COMPARE(compare8, uint8_t)

enum { MOST = 9000 };
static const uint64_t GUARD = 0x0123456789abcdefu;
static uint64_t key[MOST + 1], same[MOST], room[4 * MOST + 1];
static int64_t at[MOST];

static void fill(int64_t n, int kind) {
    uint64_t distinct = kind == 1 ? 1 : kind == 2 ? 5 : 1000;
    for (int64_t i = 0; i < n; i++) {
        if (kind == 0) key[i] = draw();
        else if (kind <= 3) key[i] = draw() % distinct;
        else if (kind <= 5) key[i] = kind == 4 ? (uint64_t)i << 20 : UINT64_MAX - (uint64_t)i;
        else if (kind == 6) key[i] = draw() & 1 ? UINT64_MAX : draw();
        else if (kind == 7) key[i] = (uint64_t)(i % 37) * 0x100000001u;
        else if (kind == 8) key[i] = i < 1 ? UINT64_MAX : draw() % 7; /* one tie of nearly all */
        else if (kind == 9) key[i] = draw() % 3 << 62 | draw() % 7;   /* a few of many */
        else key[i] = (uint64_t)(i % 2) << 63 | (uint64_t)(n - i);    /* two, each the wrong way round */
    }
    key[n] = GUARD;
    memcpy(same, key, (size_t)n * 8);
}

static void positions(int64_t n) {
    bool ordered = true;
    room[4 * n] = GUARD;
    sort_positions(key, n, at, room, NULL);
    CHECK(room[4 * n] == GUARD);
    for (int64_t i = 1; i < n; i++) {
        uint64_t a = key[at[i - 1]], b = key[at[i]];
        ordered = ordered && (a < b || (a == b && at[i - 1] < at[i]));
    }
    CHECK(ordered);
}

static void one(int64_t n, int kind) {
    fill(n, kind);
    positions(n);
    sort_u64(key, n, room);
    qsort(same, (size_t)n, 8, compare64);
    CHECK(memcmp(key, same, (size_t)n * 8) == 0 && key[n] == GUARD);
    fill(n, kind);
    sort_u32((uint32_t *)(void *)key, n, (uint32_t *)(void *)room);
    qsort(same, (size_t)n, 4, compare32);
    CHECK(memcmp(key, same, (size_t)n * 8) == 0 && key[n] == GUARD);
    fill(n, kind);
    sort_u16((uint16_t *)(void *)key, n, (uint16_t *)(void *)room);
    qsort(same, (size_t)n, 2, compare16);
    CHECK(memcmp(key, same, (size_t)n * 8) == 0 && key[n] == GUARD);
    fill(n, kind);
    sort_u8((uint8_t *)(void *)key, n);
    qsort(same, (size_t)n, 1, compare8);
    CHECK(memcmp(key, same, (size_t)n * 8) == 0 && key[n] == GUARD);
}

static void all(void) {
    static const int64_t some[] = {700, 1023, 1500, 4097, MOST};
    for (int kind = 0; kind < 11; kind++) {
        for (int64_t n = 0, step = test_step(601); n <= 600; n += step) one(n, kind);
        for (int i = 0; i < TH_LEN(some); i++) one(some[i], kind);
    }
}

/* Dense values and the same two apart (which no vector converts) have the same keys, and come back as they were. */
static void values(ThDtype d, const void *special, int many) {
    size_t item = th_dtype_bytes(d);
    char *dense = (char *)same, *apart = (char *)room, *k = (char *)key, *k2 = (char *)(room + 2 * 1000);
    for (int64_t n = 0, step = test_step(200); n < 200; n += step) {
        for (int64_t i = 0; i < n; i++) {
            uint64_t bits = draw();
            memcpy(dense + i * item, i % 3 ? (const void *)&bits : (const char *)special + item * (draw() % many),
                   item);
            memcpy(apart + 2 * i * item, dense + i * item, item);
        }
        keys_from(k, dense, item, n, d);
        keys_from(k2, apart, 2 * item, n, d);
        CHECK(memcmp(k, k2, n * item) == 0);
        keys_to(dense, item, k, n, d);
        keys_to(apart, 2 * item, k2, n, d);
        for (int64_t i = 0; i < n; i++) CHECK(memcmp(dense + i * item, apart + 2 * i * item, item) == 0);
    }
}

static void all_values(void) {
    const double some[] = {0.0, -0.0, NAN, -NAN, INFINITY, -INFINITY, 1.0, -1.0, 5e-324, 1.7976931348623157e308};
    const float less[] = {0.0f, -0.0f, NAN, -NAN, INFINITY, -INFINITY, 1.0f, -1.0f, 1e-45f, 3.4028234e38f};
    const int64_t whole[] = {0, -1, INT64_MIN, INT64_MAX};
    values(TH_FLOAT64, some, TH_LEN(some));
    values(TH_FLOAT32, less, TH_LEN(less));
    values(TH_INT64, whole, TH_LEN(whole));
    values(TH_INT32, whole, TH_LEN(whole));
    values(TH_UINT32, whole, TH_LEN(whole));
    values(TH_INT16, whole, TH_LEN(whole));
}

int main(void) {
    all();
    all_values();
    setenv("THEANO_ISA", "avx2", 1); /* vectors of 32 bytes, where there are longer ones too */
    all();
    all_values();
    setenv("THEANO_ISA", "sse2", 1); /* without the vector sort */
    all();
    return test_done("base_sort");
}
