/*
 * tune.c -- the flag conv.autotune: the ways of a convolution are timed at its first call, and the fastest is kept
 * for all later calls, those of later processes too.
 * In: a run. Out: a way. Always holds: the file `lua-conv.tuned` in base_compiledir is read only if nobody
 * else can change it or what leads to it; a record counts only with its own check sum and a way that exists, so that a
 * file that is cut off, changed or of another machine costs no more than timing anew. A way that does not apply gives
 * way to another (parts.h), so no file can make a result wrong.
 */
#include "base/trusted.h"
#include "parts.h"
#include "runtime/machine/cpu.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 4096, TURNS = 3 };
#define WORTH 0.95 /* of the time of what the cost model says */

typedef struct Record {
    uint64_t key, way, check;
} Record;

struct ConvTuned { /* open addressing; key 0: free */
    uint64_t machine;
    int n;
    Record slot[SLOTS];
};

/* ---- keys -------------------------------------------------------------------------------------------------------- */
static uint64_t machine_of(const ConvRun *r) {
    char text[4096] = "";
    uint64_t h = hash_bytes(r->kern->name, strlen(r->kern->name), 1);
    FILE *f = fopen("/proc/cpuinfo", "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    const char *model = strstr(text, "model name");
    return model ? hash_bytes(model, strcspn(model, "\n"), h) : h;
}

static uint64_t key_of(const ConvRun *r, uint64_t machine, int threads) {
    const ConvWork *w = r->w;
    uint64_t h = hash_mix(machine, (uint64_t)w->dtype * 64 + (uint64_t)w->target * 8 + (uint64_t)w->ndim);
    const int64_t more[] = {
        w->images, w->groups, w->filters, w->channels, w->image_st[1 + w->ndim] == 1, w->top_st[1 + w->ndim] == 1,
        threads};
    h = hash_bytes(more, sizeof more, h);
    for (int d = 0; d < w->ndim; d++) {
        const int64_t x[] = {w->in[d], w->size[d], w->out[d], w->step[d], w->dilation[d], w->pad[d]};
        h = hash_bytes(x, sizeof x, h);
    }
    return h ? h : 1;
}

static uint64_t check_of(const Record *x) { return hash_mix(hash_mix(0x7475, x->key), x->way); }

/* ---- the table --------------------------------------------------------------------------------------------------- */
static Record *find(struct ConvTuned *t, uint64_t key) {
    uint64_t i = key % SLOTS;
    while (t->slot[i].key && t->slot[i].key != key) i = (i + 1) % SLOTS;
    return &t->slot[i];
}

static bool put(struct ConvTuned *t, Record x) {
    Record *at = find(t, x.key);
    if (!at->key && t->n >= SLOTS / 2) return false;
    t->n += !at->key;
    *at = x;
    return true;
}

/* The file, if nobody else can change it or what leads to it; -1 otherwise. */
static int open_file(ThContext *c, int flags) {
    char why[TRUSTED_WHY];
    int dir = trusted_compiledir(c, NULL, flags & O_CREAT, NULL, why);
    if (dir < 0) return -1;
    int fd = trusted_open(dir, "lua-conv.tuned", flags);
    close(dir);
    return fd;
}

static void load(ThContext *c, struct ConvTuned *t) {
    Record x;
    int fd = open_file(c, O_RDONLY);
    if (fd < 0) return;
    for (int i = 0; i < 4 * SLOTS && read(fd, &x, sizeof x) == (ssize_t)sizeof x; i++)
        if (x.key && x.way < CONV_WAYS && x.check == check_of(&x) && !put(t, x)) break;
    close(fd);
}

/* Appended in one write; behind a cut off record of another process, so that records stay aligned. */
static void save(ThContext *c, Record x) {
    struct stat s;
    int fd = open_file(c, O_WRONLY | O_APPEND | O_CREAT);
    if (fd < 0) return;
    bool odd = !fstat(fd, &s) && s.st_size % (off_t)sizeof x && ftruncate(fd, s.st_size - s.st_size % (off_t)sizeof x);
    if (!odd && s.st_size < (off_t)(4 * SLOTS * sizeof x) && write(fd, &x, sizeof x) < 0) odd = true;
    close(fd);
}

static struct ConvTuned *table(const ConvRun *r, Cpu *u) {
    if (u->tuned) return u->tuned;
    struct ConvTuned *t = ctx_alloc0(r->h->ctx, sizeof *t);
    if (!t) return NULL;
    t->machine = machine_of(r);
    load(r->h->ctx, t);
    return u->tuned = t;
}

void conv_tuned_free(ThContext *c, struct ConvTuned *t) { ctx_free(c, t, sizeof *t); }

/* ---- timing ------------------------------------------------------------------------------------------------------ */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a call; *status: the error. */
static double once(ConvRun *r, ConvRunFn run, int *status) {
    double start = now();
    *status = run(r);
    return now() - start;
}

/* Least of some calls behind a cold one, which may be all where it takes three times what the best so far does. */
static double seconds(ConvRun *r, ConvWay way, ConvRunFn run, double best, int *status) {
    r->way = way;
    double least = once(r, run, status);
    for (int i = 0; i < TURNS && !*status && least < 3 * best; i++) {
        double t = once(r, run, status);
        if (t < least) least = t;
    }
    return least;
}

static ConvWay fastest(ConvRun *r, ConvRunFn run, int *status) {
    static const uint8_t ways[3][4] = {{CONV_DIRECT, CONV_LANES, CONV_GEMM},
                                       {CONV_SPREAD, CONV_FOLD, CONV_DIRECT, CONV_GEMM},
                                       {CONV_LANES, CONV_DIRECT, CONV_GEMM}};
    ConvWay best = CONV_AUTO;
    double least = seconds(r, CONV_AUTO, run, 1e30, status) * WORTH;
    for (int i = 0; i <= 4 && !*status; i++) {
        ConvWay way = i == 4 ? CONV_FFT : (ConvWay)ways[r->w->target][i];
        if (way == CONV_AUTO || (way == CONV_FFT && !conv_fft_applies(r))) continue;
        double t = seconds(r, way, run, least, status);
        if (t < least) least = t, best = way;
    }
    return best;
}

bool conv_tuned(const ConvRun *r, ConvRunFn run, ConvWay *way, int *status) {
    ThContext *c = r->h->ctx;
    Cpu *u = cpu_of(c);
    if (!u) return *status = 1, false;
    int threads = parallel_threads(c); /* asks for the lock too */
    pthread_mutex_lock(&u->lock);
    struct ConvTuned *t = table(r, u);
    Record x = {.key = t ? key_of(r, t->machine, threads) : 0}, *at = t ? find(t, x.key) : NULL;
    bool known = at && at->key;
    if (known) *way = (ConvWay)at->way;
    pthread_mutex_unlock(&u->lock);
    if (!t) return *status = 1, false;
    if (known) return true;
    ConvRun timed = *r;
    *way = fastest(&timed, run, status);
    if (*status) return false;
    x.way = *way, x.check = check_of(&x);
    pthread_mutex_lock(&u->lock);
    bool kept = put(t, x);
    pthread_mutex_unlock(&u->lock);
    if (kept) save(c, x);
    return true;
}
