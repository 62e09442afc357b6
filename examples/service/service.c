/*
 * service.c -- a host that runs for long: threads answer requests with one loaded model, each with a bound call of its
 * own, and a new model takes the place of the old one while they work.
 * build/examples/service/service MODEL [NEXT_MODEL] [threads, 8] [requests of each, 20000]
 * Prints how many answers a second there were, how long the slow ones took, and how many were wrong (none).
 */
#include "theano.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_THREADS = 64, QUARTERS = 4 };

/* The model of the moment: a worker keeps the one it has until it sees that there is another. */
typedef struct Service {
    pthread_mutex_t lock; /* of model, which workers look at when turn has changed */
    ThFunction *model;
    atomic_uint turn;
    atomic_int asked;
    int requests;
} Service;

typedef struct Worker {
    Service *service;
    pthread_t thread;
    unsigned seed;
    int wrong, errors, models;
    double *took; /* seconds, of each request */
} Worker;

/* A model bound to one point's memory. */
typedef struct Answerer {
    ThFunction *model;
    ThArray *point;
    ThCall *call;
    float at[2];
} Answerer;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void unbind(Answerer *a) {
    th_call_release(a->call);
    th_array_release(a->point);
    th_function_release(a->model);
    *a = (Answerer){.model = NULL};
}

/* Building and binding happen one thread at a time in a context: here under the lock. */
static int bind(Answerer *a, Service *s) {
    const int64_t shape[2] = {1, 2};
    pthread_mutex_lock(&s->lock);
    unbind(a);
    a->model = th_function_retain(s->model);
    a->point = th_array_wrap(th_function_context(a->model), TH_FLOAT32, 2, shape, NULL, a->at, NULL, NULL);
    const ThArg arg = {.kind = TH_ARG_ARRAY, .array = a->point};
    a->call = a->point ? th_call_new(a->model, &arg, 1) : NULL;
    pthread_mutex_unlock(&s->lock);
    return a->call ? 0 : -1;
}

/* Where the point is likely to be, or -1. */
static int answer(Answerer *a, float x, float y) {
    a->at[0] = x, a->at[1] = y;
    if (th_call_run(a->call)) return -1;
    const float *p = th_array_data(th_call_output(a->call, 0, NULL));
    int best = 0;
    for (int i = 1; i < QUARTERS; i++)
        if (p[i] > p[best]) best = i;
    return best;
}

static float coordinate(unsigned *seed) {
    float v = (float)rand_r(seed) / (float)RAND_MAX * 2 - 1;
    return v + (v < 0 ? -0.1f : 0.1f); /* not where quarters meet: no model need know that well */
}

static void *work(void *user) {
    Worker *w = user;
    Service *s = w->service;
    Answerer a = {.model = NULL};
    unsigned turn = 0;
    for (int i = 0; i < s->requests; i++) {
        double from = now();
        unsigned latest = atomic_load(&s->turn);
        if (latest != turn) {
            if (bind(&a, s)) {
                w->errors++;
                break;
            }
            turn = latest;
            w->models++;
        }
        float x = coordinate(&w->seed), y = coordinate(&w->seed);
        int is = answer(&a, x, y), should_be = (x > 0) + 2 * (y > 0);
        if (is < 0) w->errors++;
        else w->wrong += is != should_be;
        w->took[i] = now() - from;
        atomic_fetch_add(&s->asked, 1);
    }
    pthread_mutex_lock(&s->lock);
    unbind(&a);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Gives the workers another model; they take it when they next look. */
static int publish(Service *s, ThContext *c, const char *path) {
    pthread_mutex_lock(&s->lock);
    ThFunction *next = th_load_file(c, path, NULL);
    if (next) {
        th_function_release(s->model);
        s->model = next;
        atomic_fetch_add(&s->turn, 1);
    } else fprintf(stderr, "%s: %s\n", th_error_name(th_error(c)), th_error_text(c));
    pthread_mutex_unlock(&s->lock);
    return next ? 0 : -1;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(Worker *w, int threads, int requests, double seconds) {
    int n = threads * requests, wrong = 0, errors = 0, models = 0;
    double *all = malloc((size_t)n * sizeof *all);
    for (int i = 0; i < threads; i++) {
        wrong += w[i].wrong, errors += w[i].errors, models += w[i].models;
        for (int k = 0; all && k < requests; k++) all[i * requests + k] = w[i].took[k];
    }
    if (all) qsort(all, (size_t)n, sizeof *all, by_size);
    printf("%d answers by %d threads: %.0f a second; half of them within %.1f us, 99 of 100 within %.1f us\n", n,
           threads, n / seconds, all ? all[n / 2] * 1e6 : 0, all ? all[n - 1 - n / 100] * 1e6 : 0);
    printf("%d wrong, %d errors, models bound %d times\n", wrong, errors, models);
    free(all);
}

int main(int argc, char **argv) {
    static Worker w[MOST_THREADS];
    const char *next = argc > 2 && argv[2][0] ? argv[2] : NULL;
    int threads = argc > 3 ? atoi(argv[3]) : 8, requests = argc > 4 ? atoi(argv[4]) : 20000;
    if (argc < 2 || threads < 1 || threads > MOST_THREADS || requests < 1) {
        fprintf(stderr, "service MODEL [NEXT_MODEL] [threads] [requests]\n");
        return 2;
    }
    Service s = {.requests = requests};
    pthread_mutex_init(&s.lock, NULL);
    ThContext *c = th_context_new(NULL);
    if (!c || publish(&s, c, argv[1])) return 1;

    double from = now();
    for (int i = 0; i < threads; i++) {
        w[i] = (Worker){.service = &s, .seed = (unsigned)i + 1, .took = calloc((size_t)requests, sizeof(double))};
        if (!w[i].took || pthread_create(&w[i].thread, NULL, work, &w[i])) return 1;
    }
    while (next && atomic_load(&s.asked) < threads * requests / 2) nanosleep(&(struct timespec){0, 1000000}, NULL);
    int bad = next ? publish(&s, c, next) : 0;
    for (int i = 0; i < threads; i++) pthread_join(w[i].thread, NULL);
    report(w, threads, requests, now() - from);

    for (int i = 0; i < threads; i++) bad |= w[i].errors, free(w[i].took);
    th_function_release(s.model);
    th_context_release(c);
    pthread_mutex_destroy(&s.lock);
    return bad != 0;
}
