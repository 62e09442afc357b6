/*
 * launch_state.h -- what launch.c, launch_kernel.c and turns.c share: the calls of one workspace on a device.
 */
#ifndef TH_LAUNCH_STATE_H
#define TH_LAUNCH_STATE_H

#include "launch.h"

#include "graphs.h"
#include "many.h"
#include "graph_order.h"
#include "race.h"
#include "sides.h"
#include "times.h"

enum { LAUNCH_USED = 1, LAUNCH_WROTE = 2 }; /* of Launches.seen */
enum { LAUNCH_ROOMS = 3 };

typedef struct Launches {
    Sides sides; /* first: look finds the rest by it */
    LaunchUnit *u;
    const Plan *plan;
    DeviceQueue q;
    GpuRoom room[LAUNCH_ROOMS]; /* of host calls and libraries.. */
    uint8_t *room_of;           /* ..by step, which of them (launch_rooms.c) */
    GpuRoom rows;               /* private rows of blocks: of one launch after the other */
    char *args;                 /* a record of arguments, as long as the largest */
    Times times;                /* of a profiled function */
    Races races;                /* ways of launches that are timed */
    Graphs graphs;
    Many many;   /* what waits for others to be launched with */
    Order order; /* while a graph is made: what its launches wait for */
    bool known;  /* a pure call was seen: `used` is there.. */
    int *used;   /* ..the buffers whose addresses any pure call took */
    int nused;
    uint8_t *seen;  /* by plan buffer, of the call at work: USED, WROTE; of all: it is in `used` */
    bool impure;    /* the last call that was queued as it is was not pure */
    bool ranked;    /* it asks other ranks */
    bool capturing; /* what is queued does not run */
    int done;       /* the step that was done by the launch of that before it, or -1 */
    bool steered;   /* a failure's place has a mark perhaps: no library, no plain copy */
    int64_t ask;    /* after which turn of such a loop the host asks whether it is over.. */
    int64_t often;  /* ..and after how many the next time */
    bool pure;      /* so far.. */
    long launches;  /* ..and its launches */
    unsigned life;  /* of the device, for the queue and all that was had by it */
} Launches;

/* What was changed in place is changed for good by then: a driver that refuses once is asked again. */
#define TRY(call) \
    do { \
        DeviceStatus s_ = (call); \
        if (s_) return sides_refuse(&l->sides, f, s_); \
    } while (0)

/* launch_kernel.c */
int launch_kernel(Launches *l, ThFrame *f, const GridKernel *g, const Step *s);
int launch_waiting(Launches *l, ThFrame *f); /* what waits for others */
/* Where buffer buf lies on the device; what follows from it is noted. */
int launch_use(Launches *l, ThFrame *f, int buf, DeviceAddress *at);
void launch_wrote(Launches *l, int buf);
void launch_wrote_all(Launches *l, const GridKernel *g, const Step *s);
uint8_t launch_use_of(const Kernel *k, int buf);            /* ACC_READ, ACC_WRITE, ACC_ADD */
int launch_fit_rows(Launches *l, ThFrame *f, size_t bytes); /* memory of private rows, or of a count of blocks: */
enum { LAUNCH_GROUPS = 64, LAUNCH_COUNT = LAUNCH_GROUPS * TURNS_COUNT };
/* l->args, a record of that kernel, gets the step's sizes: how it is launched; then the rest of what it takes. */
GridLaunch launch_way(Launches *l, const ThFrame *f, const GridKernel *g, const Step *s);
int launch_record(Launches *l, ThFrame *f, const GridKernel *g, const Step *s, const GridLaunch *ch);
/* launch_order.c: while a graph is made, around what queues a step (NULL: nobody knows what it touches), what waits for
 * others (when it is queued), a new value of a shared variable. */
void launch_before(Launches *l, ThFrame *f, const Step *s);
void launch_before_many(Launches *l);
void launch_before_turns(Launches *l, ThFrame *f, const GridTurns *g); /* a loop by one launch, of its first step */
void launch_before_settling(Launches *l, DeviceAddress from, DeviceAddress to, size_t bytes);
void launch_after(Launches *l, int step); /* -1: none of the plan's */
/* launch_entries.c: the entry, compiled and loaded if it is not there; NULL: the call fails, the error is set. */
void *launch_entry(Launches *l, ThFrame *f, int entry);
/* launch_kernel.c: a library would make it, of such sizes. */
bool launch_expects_library(Launches *l, ThFrame *f, const GridKernel *g, const Step *s, const int64_t *sizes);
/* ..and a failure before it would not keep it from what outlives the call. */
bool launch_library_shows(const Launches *l, const GridKernel *g, const Step *s, const int64_t *sizes);
bool launch_sorts(const GridKernel *g, const Step *s, const ThFrame *f); /* a scatter's places and positions */
/* launch_tails.c: the product and the rows behind it by one launch (*done), if that can be. */
int launch_tail(Launches *l, ThFrame *f, const GridKernel *g, const Step *s, bool *done);
void launch_before_tail(Launches *l, ThFrame *f, const Step *s); /* ..which touches what both steps do */
/* turns.c: all turns of the loop that begins by one launch (*done), if that can be and pays. */
int turns_launch(Launches *l, ThFrame *f, int region, int64_t trip, bool *done);
/* launch_rooms.c: shares the rooms out; that of a step (the first one, where it is none of the plan's). */
bool launch_rooms(Launches *l);
GpuRoom *launch_room(Launches *l, int step);
GpuCall launch_call(Launches *l); /* of the step at work */
/* launch.c: the host does the step. */
int launch_take_over(Launches *l, ThFrame *f, int number);

#endif
