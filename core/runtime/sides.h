/*
 * sides.h -- memory of a call on both sides: a value goes over when the other side needs it, once. Shared variables and
 * results stay on the device (device/space.h); what the host must have when a call is over (numbers, arguments and
 * storages of the host's that are changed in place) comes back when all is done.
 *
 * In: a frame whose buffers have host addresses, a queue. Functions that give int: nonzero after the frame's error was
 * set. One call at a time, as the workspace that has the sides.
 */
#ifndef TH_SIDES_H
#define TH_SIDES_H

#include "plan/place.h"
#include "runtime/device/space.h"
#include "function.h"
#include "ring.h"

enum { SIDES_RECORD = 8 }; /* words of the error record */

typedef struct Side Side;
typedef struct Sides {
    ThContext *c;
    const Plan *plan;
    const Places *places;
    DeviceQueue *q;
    int (*look)(struct Sides *m, ThFrame *f); /* before a value comes back: sides_look, or what stands around it */
    /* Reads what a failed step left, and says it: nonzero with the frame's error. The record is zero afterwards. */
    int (*judge)(struct Sides *m, ThFrame *f, const int64_t record[SIDES_RECORD]);
    Side *of;            /* by plan buffer */
    ThBuffer **used;     /* room for the end of a call.. */
    uint64_t *turn;      /* ..and by plan buffer: which use of its side was the last before this call */
    uint8_t *settles;    /* by update, of this call: see sides_settles */
    int *update;         /* by plan buffer: 1 + the update whose new value lies there */
    DeviceAddress arena; /* of temporaries, laid out as on the host */
    size_t arena_bytes;
    DeviceAddress args;      /* of arguments of the host: as many bytes as.. */
    size_t args_bytes, laid; /* ..and those that this call's take */
    DeviceAddress answers;   /* the error record, then results without dimensions: what comes back from every call */
    size_t answers_bytes;
    Ring ring;
    char *leaving; /* the ring's room of this call, laid out as args, or NULL */
    char *stage;   /* pinned: what comes back before it is told, the answers first */
    size_t stage_bytes;
    unsigned life; /* of the device, for all of it */
    bool steady;   /* addresses are to be those of the last call, where that can be had */
    bool unlooked; /* a kernel that can fail was queued since the record was looked at */
    bool waited;   /* nothing is queued at the end of this call */
    int step;      /* at work, for errors; -1: none */
} Sides;

bool sides_init(Sides *m); /* c, plan, places, q and judge are set; false with MemoryError */
void sides_free(Sides *m);
/* A call starts: nothing of an earlier one is of use but constants that went over. */
int sides_begin(Sides *m, ThFrame *f);
int sides_send(Sides *m, ThFrame *f); /* what goes over in every call, at once */
/* Brings the value that buffer buf shows over; addresses hold until the call ends. */
int sides_to_device(Sides *m, ThFrame *f, int buf, DeviceAddress *at);
int sides_to_host(Sides *m, ThFrame *f, int buf);
/* The host has bytes [at, at + bytes) of what buffer buf shows: a value that tells lengths. No more need come back. */
int sides_peek(Sides *m, ThFrame *f, int buf, int64_t at, size_t bytes);
/* Waits; nonzero where a step failed. */
int sides_look(Sides *m, ThFrame *f);
/* Waits; *passed: -1, or the third word of the record where what follows is passed over (gpu_steer), which ends then.
 * Nonzero where a step failed. */
int sides_passed(Sides *m, ThFrame *f, int64_t *passed);
/* Who has the value after a step wrote it. */
void sides_device_wrote(Sides *m, int buf);
void sides_host_wrote(Sides *m, int buf);
int sides_none(Sides *m, ThFrame *f, int buf); /* before a step that gives the buffer fresh memory */
/* Update u's new value, at *from, may take the place of the old one, at *to, in the shared's own memory; false: it is
 * exchanged for it when the call is over. Then: it was put there. */
bool sides_settles(Sides *m, ThFrame *f, int u, DeviceAddress *from, DeviceAddress *to, size_t *bytes);
void sides_settled(Sides *m, ThFrame *f, int u);
/* Everything is queued: waits where the host must have something or a step may have failed; until all of it is there,
 * nothing of the host's is changed. */
int sides_finish(Sides *m, ThFrame *f);
void sides_for_report(Sides *m); /* after a failure: what a message shows comes back; the queue is empty then */
/* A device's refusal, or the context's error, as the frame's; always 1. */
int sides_refuse(Sides *m, ThFrame *f, DeviceStatus s);
int sides_fail(Sides *m, ThFrame *f);

#endif
