/* Arrays of one context made and released by two threads; two contexts in two threads. Run under ThreadSanitizer too.
 */
#include "base/base.h"
#include "test.h"

#include <pthread.h>

enum { ROUNDS = 20000 };

typedef struct {
    ThContext *c;
    ThArray *shared;
    int64_t seed;
    long bad;
} Worker;

/* Arrays of many sizes from the shared cache, each filled and read back; views on an array both threads hold. */
static void *churn(void *user) {
    Worker *w = user;
    for (int64_t i = 0; i < ROUNDS; i++) {
        int64_t n = 1 + (i * w->seed) % 3000;
        ThArray *a = th_array_empty(w->c, TH_INT64, 1, &n);
        if (!a) {
            w->bad++;
            continue;
        }
        int64_t *v = th_array_data(a);
        for (int64_t k = 0; k < n; k += 97) v[k] = i + k;
        ThArray *view = th_array_reshape(w->shared, 2, (int64_t[]){-1, 2});
        for (int64_t k = 0; k < n; k += 97) w->bad += v[k] != i + k;
        w->bad += !view;
        th_array_release(view);
        th_array_release(a);
    }
    return NULL;
}

static void *alone(void *user) {
    Worker *w = user;
    ThContext *c = th_context_new(NULL);
    for (int i = 0; i < 200; i++) {
        ThRandom *r = th_random_new(c, 7);
        ThArray *a = th_random_randn(r, 1, (int64_t[]){50});
        char *s = th_array_str(c, a);
        w->bad += !s || strncmp(s, "[ 1.69052570", 12) != 0 || th_config_parse(c, "floatX=float32") != 0;
        w->bad += intern(c, "a name") != intern(c, "a name") || err(c, TH_ValueError, "%d", i);
        th_error_clear(c);
        th_free(c, s);
        th_array_release(a);
        th_random_release(r);
    }
    th_context_release(c);
    return NULL;
}

static void pair(void *(*body)(void *), Worker *w) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&t[i], NULL, body, &w[i]) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(t[i], NULL) == 0);
    CHECK(w[0].bad == 0 && w[1].bad == 0);
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    ThArray *a = th_array_zeros(c, TH_FLOAT32, 1, (int64_t[]){64});
    long long live = th_stat(c, "live_bytes") - th_stat(c, "cache_bytes");
    Worker one[2] = {{c, a, 7919, 0}, {c, a, 104729, 0}}, two[2] = {{0}, {0}};
    pair(churn, one);
    CHECK(atomic_load(&a->refs) == 1 && atomic_load(&a->buf->refs) == 1);
    buffer_cache_trim(c, 0);
    CHECK(th_stat(c, "live_bytes") - live < 4096); /* a few headers are kept */
    th_array_release(a);
    th_context_release(c);
    pair(alone, two);
    return test_done("base_threads");
}
