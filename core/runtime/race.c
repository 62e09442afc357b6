/*
 * race.c -- ways of launching a kernel timed on a device beside the calls.
 */
#include "race.h"

#include "runtime/machine/cpu.h"

#include <math.h>
#include <string.h>

#define WORTH 0.95 /* of the time of what costs least, for another way to be taken */
#define FILE_NAME "lua-grids.tuned"

static const DeviceOps *ops(const Races *r) { return r->q->device->op; }

void race_open(Races *r, ThContext *c, DeviceQueue *q) {
    const char *flag = config_str(c, "cuda.autotune");
    const DeviceInfo *i = &q->device->info;
    const int is[3] = {i->driver, i->major, i->minor};
    r->c = c, r->q = q;
    r->device = hash_bytes(i->name, strlen(i->name), hash_bytes(is, sizeof is, 11));
    r->device = hash_bytes(th_version(), strlen(th_version()), r->device) | 1;
    if (!strcmp(flag, "off") || (i->emulated && strcmp(flag, "on") != 0)) r->device = 0;
}

/* ---- what earlier processes found -------------------------------------------------------------------------------- */
static Cpu *records(ThContext *c) {
    Cpu *cpu = cpu_of(c);
    if (!cpu) return NULL;
    os_lock(&cpu->lock);
    if (!cpu->grid_tuned) cpu->grid_tuned = tuned_open(c, FILE_NAME);
    bool there = cpu->grid_tuned != NULL;
    os_unlock(&cpu->lock);
    return there ? cpu : NULL;
}

static bool known(Races *r, Race *x) {
    Cpu *cpu = records(r->c);
    uint64_t way = 0;
    if (!cpu) th_error_clear(r->c);
    if (!cpu) return false;
    os_lock(&cpu->lock);
    bool is = tuned_get(cpu->grid_tuned, x->key, (uint64_t)x->n, &way);
    os_unlock(&cpu->lock);
    x->way = (int)way;
    return is;
}

static void keep(Races *r, const Race *x) {
    Cpu *cpu = records(r->c);
    if (!cpu) th_error_clear(r->c);
    if (!cpu) return;
    os_lock(&cpu->lock);
    bool kept = tuned_put(cpu->grid_tuned, x->key, (uint64_t)x->way);
    os_unlock(&cpu->lock);
    if (kept) tuned_save(r->c, cpu->grid_tuned, x->key, (uint64_t)x->way);
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */
static uint64_t key_of(const Races *r, const GridKernel *g, const int64_t *sizes, int n, int ways) {
    uint64_t h = hash_mix(hash_mix(r->device, g->k->key), (uint64_t)ways);
    return hash_bytes(sizes, sizeof *sizes * (size_t)n, h) | 1;
}

static Race *find(Races *r, uint64_t key, int ways) {
    for (int i = 0; i < r->n; i++)
        if (r->race[i].key == key) return &r->race[i];
    if (r->n == RACES) return NULL;
    Race *x = &r->race[r->n++];
    *x = (Race){.key = key, .n = ways};
    for (int i = 0; i < ways; i++) x->least[i] = INFINITY;
    x->over = known(r, x);
    return x;
}

int race_way(Races *r, const GridKernel *g, const int64_t *sizes, int n, int ways, int *lap) {
    *lap = -1;
    Race *x = find(r, key_of(r, g, sizes, n, ways), ways);
    if (!x) return 0;
    if (x->over || x->laps == x->n * RACE_LAPS) return x->over ? x->way : 0;
    if (r->waiting == RACE_MARKS) race_read(r);
    int way = x->laps++ % x->n;
    *lap = r->waiting++;
    struct RaceLap *l = &r->lap[*lap];
    l->race = (int)(x - r->race), l->way = x->laps <= x->n ? -1 : way, l->timed = false;
    return way;
}

/* A mark that cannot be had costs the lap. */
static bool mark(Races *r, int lap, int which) {
    void **at = &r->lap[lap].mark[which];
    return (*at || !ops(r)->clock_new(r->q, at)) && !ops(r)->event_record(r->q, *at);
}

void race_begin(Races *r, int lap) { r->lap[lap].timed = mark(r, lap, 0); }
void race_end(Races *r, int lap) {
    if (r->lap[lap].timed) r->lap[lap].timed = mark(r, lap, 1);
    else r->lap[lap].way = -1;
}

void race_none(Races *r, int lap) {
    Race *x = &r->race[r->lap[lap].race];
    r->waiting--;
    x->over = true;
    x->way = 0;
}

/* ---- what came of it --------------------------------------------------------------------------------------------- */
static void decide(Races *r, Race *x) {
    for (int i = 1; i < x->n; i++)
        if (x->least[i] < x->least[x->way] && x->least[i] < WORTH * x->least[0]) x->way = i;
    x->over = true;
    keep(r, x);
}

void race_read(Races *r) {
    int n = r->waiting;
    r->waiting = 0;
    if (n && ops(r)->wait(r->q)) return;
    for (int i = 0; i < n; i++) {
        struct RaceLap *l = &r->lap[i];
        Race *x = &r->race[l->race];
        double seconds = 0;
        if (l->way < 0 || !l->timed || x->over || ops(r)->clock_read(r->q, l->mark[0], l->mark[1], &seconds)) continue;
        if (r->c->tune_clock) seconds = (double)r->c->tune_clock(l->way, (int64_t)(seconds * 1e9)) * 1e-9;
        if (seconds < x->least[l->way]) x->least[l->way] = seconds;
    }
    for (int i = 0; i < r->n; i++) {
        Race *x = &r->race[i];
        if (!x->over && x->laps == x->n * RACE_LAPS) x->way = 0, decide(r, x);
    }
}

void race_drop(Races *r, bool lost) {
    for (int i = 0; i < RACE_MARKS; i++)
        for (int k = 0; k < 2; k++) {
            if (!lost && r->lap[i].mark[k]) ops(r)->event_free(r->q, r->lap[i].mark[k]);
            r->lap[i].mark[k] = NULL;
        }
    r->waiting = 0;
}
