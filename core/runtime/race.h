/*
 * race.h -- ways of launching a kernel that give the same bits (grid_ways), timed at the first launches on a device
 * (the flag cuda.autotune): each in turn, by marks that keep the time before and behind it. The fastest serves from
 * then on, and is kept for later processes (machine/tuned.c) under the kernel's text, its lengths, the device and its
 * driver.
 *
 * In: launches as they are queued. Out: which way each goes. No launch is made that was not asked for. What is timed
 * makes a call one of plain launches, not of a graph.
 */
#ifndef TH_RACE_H
#define TH_RACE_H

#include "runtime/device/device.h"
#include "schedule/program.h"

enum {
    RACES = 64,
    RACE_LAPS = 4,
    RACE_MARKS = 32
}; /* kernels at a time; launches of a way, of which the first does not
      count; launches that are not read yet */
typedef struct Race {
    uint64_t key;
    int n, way; /* ways; the next one, or the fastest */
    int laps;
    bool over;
    double least[GRID_WAYS]; /* seconds */
} Race;

typedef struct Races {
    ThContext *c;
    DeviceQueue *q;
    uint64_t device; /* for keys; 0: nothing is timed */
    int n, waiting;
    Race race[RACES];
    struct RaceLap {
        int race, way; /* way -1: it does not count */
        bool timed;    /* both marks are there */
        void *mark[2];
    } lap[RACE_MARKS];
} Races;

void race_open(Races *r, ThContext *c, DeviceQueue *q);
/* The way of a launch; *lap: the launch is one to be timed, by race_begin and race_end around it; -1: it is not. */
int race_way(Races *r, const GridKernel *g, const int64_t *sizes, int n, int ways, int *lap);
void race_begin(Races *r, int lap);
void race_end(Races *r, int lap);
void race_none(Races *r, int lap); /* it was no launch of ours: the first way from now on */
/* What was timed in a call, when it is over. */
void race_read(Races *r);
void race_drop(Races *r, bool lost); /* lost: the device has no marks any more */

#endif
