/*
 * fft.c -- cuFFT without a GPU: the entry points that core/runtime/gpu/cufft.c lists. Lines are transformed in double,
 * by the prime factors of their length.
 */
#include "library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAD_PLAN = 1, NO_ROOM = 2, BAD_TYPE = 3, FAILED = 6, MOST = 64, PAIRS_32 = 41, PAIRS_64 = 105, ROOM = 4096 };

typedef struct Plan {
    bool there, made;
    int n, lines, type;
    void *stream, *room;
} Plan;
static Plan plans[MOST];

typedef struct Call {
    Plan plan;
    char *at;
    int sign;
} Call;

static Plan *plan_at(int i) { return i >= 0 && i < MOST && plans[i].there ? &plans[i] : NULL; }

EXPORT int cufftGetProperty(int type, int *value) {
    *value = type == 0 ? 12 : 0;
    return 0;
}

EXPORT int cufftCreate(int *plan) {
    BEGIN;
    for (int i = 0; i < MOST; i++)
        if (!plans[i].there) {
            plans[i] = (Plan){.there = true};
            *plan = i;
            return end(0);
        }
    return end(NO_ROOM);
}

EXPORT int cufftDestroy(int plan) {
    if (!plan_at(plan)) return BAD_PLAN;
    plans[plan].there = false;
    return 0;
}

EXPORT int cufftSetAutoAllocation(int plan, int automatic) { return plan_at(plan) && !automatic ? 0 : BAD_PLAN; }

EXPORT int cufftMakePlanMany(int plan, int rank, int *n, int *in, int in_step, int in_apart, int *out, int out_step,
                             int out_apart, int type, int lines, size_t *bytes) {
    BEGIN;
    Plan *p = plan_at(plan);
    if (!p || p->made || rank != 1 || in || out || *n < 1 || lines < 1) return end(BAD_PLAN);
    if (in_step != 1 || out_step != 1 || in_apart != *n || out_apart != *n) return end(BAD_PLAN);
    if (type != PAIRS_32 && type != PAIRS_64) return end(BAD_TYPE);
    p->n = *n, p->lines = lines, p->type = type, p->made = true;
    *bytes = ROOM;
    return end(0);
}

EXPORT int cufftSetStream(int plan, void *stream) {
    Plan *p = plan_at(plan);
    if (!p || !stream_is(stream)) return BAD_PLAN;
    p->stream = stream;
    return 0;
}

EXPORT int cufftSetWorkArea(int plan, void *at) {
    Plan *p = plan_at(plan);
    if (!p || !memory_holds((uintptr_t)at, ROOM)) return BAD_PLAN;
    p->room = at;
    return 0;
}

typedef struct Number {
    double re, im;
} Number;

/* n numbers `step` apart to y; room: n numbers. */
static void transform(const Number *x, int n, int step, int sign, Number *y, Number *room) {
    int p = 2;
    while (p < n && n % p) p++;
    if (n == 1) {
        *y = *x;
        return;
    }
    int m = n / p;
    for (int r = 0; r < p; r++)
        transform(x + (size_t)r * (size_t)step, m, step * p, sign, room + (size_t)r * (size_t)m, y);
    for (int k = 0; k < n; k++) {
        Number sum = {0, 0};
        for (int r = 0; r < p; r++) {
            double angle = sign * 6.283185307179586477 * (double)((long)r * k % n) / n;
            Number v = room[r * m + k % m];
            double c = cos(angle), s = sin(angle);
            sum.re += v.re * c - v.im * s, sum.im += v.re * s + v.im * c;
        }
        y[k] = sum;
    }
}

static void run(const void *args) {
    const Call *c = args;
    int n = c->plan.n;
    bool wide = c->plan.type == PAIRS_64;
    Number *x = malloc(3 * (size_t)n * sizeof *x), *y = x + n, *room = y + n;
    for (int line = 0; x && line < c->plan.lines; line++) {
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)line * (size_t)n + (size_t)i;
            if (wide) x[i] = ((Number *)(void *)c->at)[at];
            else x[i] = (Number){((float *)(void *)c->at)[2 * at], ((float *)(void *)c->at)[2 * at + 1]};
        }
        transform(x, n, 1, c->sign, y, room);
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)line * (size_t)n + (size_t)i;
            if (wide) ((Number *)(void *)c->at)[at] = y[i];
            else
                ((float *)(void *)c->at)[2 * at] = (float)y[i].re,
                                             ((float *)(void *)c->at)[2 * at + 1] = (float)y[i].im;
        }
    }
    free(x);
}

static int queue(int plan, void *from, void *to, int sign, int type) {
    Plan *p = plan_at(plan);
    if (!p || !p->made || p->type != type || from != to || !stream_is(p->stream) || !p->room || abs(sign) != 1)
        return BAD_PLAN;
    if (!memory_holds((uintptr_t)from, (size_t)p->n * (size_t)p->lines * (type == PAIRS_64 ? 16 : 8))) return BAD_PLAN;
    Work *w = work_new(WORK_CALL, sizeof(Call));
    if (!w) return NO_ROOM;
    *(Call *)(void *)w->args = (Call){*p, from, sign};
    w->call = run;
    return stream_add(p->stream, w) ? FAILED : 0;
}

EXPORT int cufftExecC2C(int plan, void *from, void *to, int sign) {
    BEGIN;
    return end(queue(plan, from, to, sign, PAIRS_32));
}

EXPORT int cufftExecZ2Z(int plan, void *from, void *to, int sign) {
    BEGIN;
    return end(queue(plan, from, to, sign, PAIRS_64));
}
