/*
 * parallel.c -- parallel_for.
 *
 * In: n independent pieces of work. Out: all done, in unspecified order. Always holds: no thread is started unless the
 * flag `openmp` is on or the host's hook does it; libgomp, which ends the process when it cannot start a thread, is
 * called only after a team of threads of the same size was started and joined by us.
 */
#include "parallel.h"

#include "cpu.h"

#include <dlfcn.h>
#include <string.h>

enum { PROBE_MAX = 256 };

/* The pieces of one thread: neighbours, the same ones whenever as many pieces are shared out, so that what a piece left
 * in a core's own caches (a part of a weight) is found there by the next function over the same pieces. */
typedef struct Share {
    _Alignas(64) atomic_int next;
    int end;
} Share;

typedef struct Work {
    void (*fn)(int i, void *user);
    void *user;
    int (*number)(void); /* of the calling thread in its team */
    int threads;
    Share share[PROBE_MAX];
} Work;

/* One's own pieces, then what others have not begun yet. */
static void take(void *p) {
    Work *w = p;
    int own = w->number();
    for (int t = 0; t < w->threads; t++) {
        Share *s = &w->share[(own + t) % w->threads];
        for (int i; (i = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->end;) w->fn(i, w->user);
    }
}

static void find(void *handle, const char *name, void *fn) {
    void *p = handle ? dlsym(handle, name) : NULL;
    memcpy(fn, &p, sizeof p);
}

static void fill(Pool *p) {
    p->handle = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
    find(p->handle, "GOMP_parallel", &p->parallel);
    find(p->handle, "omp_get_max_threads", &p->max_threads);
    find(p->handle, "omp_in_parallel", &p->in_parallel);
    find(p->handle, "omp_get_thread_num", &p->number);
}

static Pool *open_pool(ThContext *c) {
    Cpu *u = cpu_of(c);
    if (!u) return NULL;
    if (!atomic_load_explicit(&u->pool_asked, memory_order_acquire)) {
        pthread_mutex_lock(&u->lock);
        if (!atomic_load_explicit(&u->pool_asked, memory_order_relaxed)) fill(&u->pool);
        atomic_store_explicit(&u->pool_asked, true, memory_order_release);
        pthread_mutex_unlock(&u->lock);
    }
    Pool *p = &u->pool;
    return p->parallel && p->max_threads && p->in_parallel && p->number ? p : NULL;
}

static void *wait_for_all(void *barrier) {
    pthread_mutex_lock(barrier);
    pthread_mutex_unlock(barrier);
    return NULL;
}

/* Can `n` threads live at once beside this one? */
static bool probe(int n) {
    pthread_t id[PROBE_MAX];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int made = 0;
    if (n > PROBE_MAX) return false;
    pthread_mutex_lock(&gate);
    while (made < n && pthread_create(&id[made], NULL, wait_for_all, &gate) == 0) made++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < made; i++) pthread_join(id[i], NULL);
    return made == n;
}

/* The pool, when this thread may use more than one thread of it. libgomp keeps a team for each calling thread. */
static Pool *usable_pool(ThContext *c, int *threads) {
    if (!config_bool(c, "openmp")) return NULL;
    Pool *p = open_pool(c);
    if (!p || p->in_parallel()) return NULL;
    *threads = p->max_threads();
    if (*threads > PROBE_MAX) *threads = PROBE_MAX;
    if (*threads <= 1) return NULL;
    pthread_t self = pthread_self();
    if (!pthread_equal(atomic_load(&p->probed), self)) {
        if (!probe(*threads - 1)) return NULL;
        atomic_store(&p->probed, self);
    }
    return p;
}

int parallel_threads(ThContext *c) {
    int threads = 1;
    if (c->host.parallel_for) return 2;
    return usable_pool(c, &threads) ? threads : 1;
}

void parallel_for(ThContext *c, int n, void (*fn)(int i, void *user), void *user) {
    int threads = 1;
    if (n > 1 && c->host.parallel_for) {
        c->host.parallel_for(c->host.parallel_user, n, fn, user);
        return;
    }
    Pool *p = n > 1 ? usable_pool(c, &threads) : NULL;
    if (p) {
        Work w;
        w.fn = fn, w.user = user, w.number = p->number, w.threads = threads < n ? threads : n;
        for (int t = 0; t < w.threads; t++) {
            atomic_init(&w.share[t].next, (int)((int64_t)n * t / w.threads));
            w.share[t].end = (int)((int64_t)n * (t + 1) / w.threads);
        }
        p->parallel(take, &w, (unsigned)w.threads, 0);
        return;
    }
    for (int i = 0; i < n; i++) fn(i, user);
}
