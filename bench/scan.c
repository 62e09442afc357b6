/* scan.c -- the peer of bench/scan.lua's recurrence: the same loop in C. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

__attribute__((noinline)) static double recur(const double *x, double h, long n) {
    for (long t = 0; t < n; t++) h = 0.999 * h + x[t];
    return h;
}

int main(void) {
    enum { N = 1000000 };
    double *x = malloc(N * sizeof *x), best = 1e9, sum = 0;
    if (!x) return 1;
    for (long i = 0; i < N; i++) x[i] = 1;
    for (int k = 0; k < 21; k++) {
        double start = now();
        sum += recur(x, 0.5, N);
        double t = now() - start;
        if (t < best) best = t;
    }
    printf("C       scalar recurrence, 10^6      min %8.3f ms (%g)\n", best, sum);
    free(x);
    return 0;
}
