/*
 * team.h -- the threads that share the work of one context (parallel.h). Workers wait awake for a moment and sleep
 * then; who gives out work never waits for one that has not begun.
 */
#ifndef TH_TEAM_H
#define TH_TEAM_H

#include "base/base.h"

enum { TEAM_MOST = 256, TEAM_KEEPERS = 16 };

typedef struct TeamJob TeamJob;
typedef struct TeamWorker {
    struct Team *team;
    OsThread id;
    int number;    /* from 1; who gives out work is 0 */
    TeamJob *at;   /* or NULL */
    bool late;     /* somebody had to wait for it in this job */
    int64_t stays; /* away from work until then (profile_now); 0: it does not */
    int again;     /* how often that happened.. */
    int well;      /* ..and jobs without it since */
} TeamWorker;

typedef struct Team {
    OsLock lock; /* of everything but the atomic fields */
    OsEvent work, done;
    _Atomic(TeamJob *) jobs; /* given out and not done */
    atomic_uint turn;        /* moves on with each job */
    atomic_bool stop;
    int threads; /* with the one that gives out work */
    int nworker, sleeping;
    int vain;            /* jobs in a row that nobody came to help with.. */
    int64_t rest, rests; /* ..and how long nobody is asked then; until when; 0: they are */
    int64_t awake;   /* nanoseconds for which a worker waits awake: `quiet`, 0 on a busy machine, -1: nobody helps */
    int64_t quiet;   /* 0 where threads have to share processors anyway */
    OsThread looker; /* how busy it is: who looked last, when, and how long it had run */
    int64_t looked, ran, waits, slept; /* ..; how often it had rested; how often somebody slept for workers since */
    _Atomic(int64_t) look;             /* when to look again */
    atomic_long process;               /* that started the workers: a forked child has none; 0: nobody did */
    atomic_int nkeeper;                /* threads that keep their work for now */
    OsThread keeper[TEAM_KEEPERS];
    TeamWorker worker[TEAM_MOST];
} Team;

void team_init(Team *t, const char *wanted); /* how many threads, as OMP_NUM_THREADS says it; NULL: as processors */
void team_end(Team *t);                      /* its threads are gone afterwards */
/* Is the calling thread in the middle of a piece of work? */
bool team_inside(Team *t);
/* The calling thread keeps its work until as many ends; false: too many do. */
bool team_keep(Team *t);
void team_keep_end(Team *t);
bool team_keeps(Team *t);
/* fn(i, user) for all 0 <= i < n; false when nothing was done because nobody is there to help. */
bool team_run(Team *t, int n, void (*fn)(int i, void *user), void *user);

#endif
