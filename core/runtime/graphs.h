/*
 * graphs.h -- the calls of one workspace as graphs of its device: what a call queued is kept under a key of everything
 * that decides it (shapes, addresses), so that an equal call is one launch. At its first sight a call is queued as it
 * is, at the second it is captured, from then on launched; of GRAPHS keys the one that was used longest ago goes.
 *
 * In: keys. Out: an entry, whose graph the caller captures. No two threads at once.
 */
#ifndef TH_GRAPHS_H
#define TH_GRAPHS_H

#include "runtime/device/device.h"

enum { GRAPHS = 8 };

typedef struct GraphEntry {
    uint64_t key, used; /* used: 0, nobody has it */
    int sights;
    bool never;     /* the driver does not take it as a graph */
    bool can_fail;  /* a kernel of it can */
    void *graph;    /* or NULL */
    uint8_t *wrote; /* by plan buffer: it has a new value on the device afterwards */
} GraphEntry;

typedef struct Graphs {
    DeviceQueue *q;
    uint64_t turn;
    GraphEntry entry[GRAPHS];
} Graphs;

/* The key's entry, one sight more. */
GraphEntry *graphs_see(Graphs *g, uint64_t key);
/* None is left; lost: neither is what the device had of them. */
void graphs_drop(Graphs *g, bool lost);

#endif
