/*
 * schedule.c -- the order of loops in a library that writes no code, neither C nor a GPU's: nobody asks for it but who
 * shows it.
 */
#include "schedule/nest.h"
#include "schedule/program.h"

#if !TH_COMPILER && !TH_CUDA
bool nest_show(Text *t, const Kernel *k, const Target *target, NestAsk ask) {
    (void)k, (void)target, (void)ask;
    return err(t->c, TH_NotImplementedError, "schedules: this library was built without generated code");
}

int nest_lengths(const Plan *p, int kernel, int from, int users, const int64_t *known, int64_t *to) {
    (void)p, (void)kernel, (void)from, (void)users, (void)known, (void)to;
    return 0;
}

bool grid_can(const Kernel *k) { return (void)k, false; }

bool turn_load(const Nest *t, int id, int loop) { return (void)t, (void)id, (void)loop, false; }
#endif
