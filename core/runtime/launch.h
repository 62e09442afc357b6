/*
 * launch.h -- a function on a device: its kernels are launched there step by step, in one queue a workspace; steps that
 * have no form for the device run on the host.
 *
 * Buffers have sides on the device (sides.h); what a call changes comes back when all steps are done and none has
 * failed, so a call that fails leaves everything as it was.
 */
#ifndef TH_LAUNCH_H
#define TH_LAUNCH_H

#include "kernel/conv_work.h"
#include "runtime/device/device.h"
#include "runtime/gpu/gpu.h"
#include "function.h"
#include "plan/place.h"
#include "schedule/program.h"

/* Takes program and source over, also when it fails (NULL with the error set); the device outlives it. */
Unit *launch_unit(ThContext *c, const Plan *p, GridProgram *g, char *source, Device *d);
void launch_free(struct Launches *l); /* of a workspace */
int launch_run(ThFrame *f);           /* a call */

typedef struct LaunchUnit {
    Unit unit;
    ThContext *c;
    GridProgram *program;
    Device *device;
    DeviceQueue q;         /* its modules are loaded by it.. */
    struct Loaded *loaded; /* ..which they are (launch_entries.c) */
    OsLock lock;           /* while something is loaded */
    unsigned life;         /* of the device, when it was opened */
    Places *places;
    int *resident; /* by loop of the program, once it is loaded: how many of its blocks run at once, 0: none.. */
    /* ..and GridTurnsHead.waits of its last launch, above TURNS_STEPS bits how many blocks waited for each other; 0:
     * none was there */
    atomic_ullong *waited;
    atomic_ullong *tailed; /* by tail of the program: whether its steps were one launch when last they came */
    int nstep;
    atomic_ullong *beside;   /* by step of the plan, of such a launch: 256 times the tiles that it shares with a product
                                before it, or that product's, GridSpread.bits, 64 if it is near, 128
                                if its columns are loaded early */
    atomic_bool ordered;     /* a call became a graph, in which.. */
    atomic_ullong *after;    /* ..each step of the plan waited for these before it (graph_order_after) */
    _Atomic(void *) entry[]; /* GRID_FUNCTIONS a kernel, then the loops', then the tails'; NULL: not loaded */
} LaunchUnit;
static inline int launch_entry_of(const GridKernel *g, int function) { return GRID_FUNCTIONS * g->number + function; }
static inline int launch_turns_entry(const GridProgram *g, int i) { return GRID_FUNCTIONS * g->nkernel + i; }
static inline int launch_tail_entry(const GridProgram *g, int i) { return launch_turns_entry(g, g->nturns) + i; }
static inline int launch_entries(const GridProgram *g) { return launch_tail_entry(g, g->ntail); }
DeviceStatus launch_reload(LaunchUnit *u); /* where the device was lost since: what was loaded is not there */
/* launch_entries.c: nothing is loaded; the text (th_free) with those of its entries alone that are. */
void launch_unload(LaunchUnit *u);
char *launch_loaded(const LaunchUnit *u, const char *source);

/* product.c: the kernel as a product that is worth a library; b: where the step's buffers lie, sizes: the step's. */
bool product_for_library(const GridKernel *g, const Step *s, const DeviceAddress *b, const int64_t *sizes,
                         GpuProduct *p);
/* Likewise a convolution: how many numbers it has, 0 for none; where its result is to lie is for the caller to say.. */
int64_t conv_for_library(const GridKernel *g, const DeviceAddress *b, const int64_t *sizes, ConvWork *w);
/* ..that is, in the result itself, or something follows it, or that has gaps; where that is, or NULL. */
bool conv_lies(const GridKernel *g, const int64_t *sizes);
char *conv_result(const GridKernel *g, const DeviceAddress *b, const int64_t *sizes);
/* launch_kernel.c: it is better made as this product and a sum of windows. */
bool conv_apart(const ConvWork *w, GpuProduct *p);

#endif
