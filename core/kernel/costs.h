/*
 * costs.h -- costs that stand above the schedule's folder or beside it: rewrites and the planner are done before there
 * is a schedule, the library's products know none. All others are in schedule/choose.c.
 */
#ifndef TH_COSTS_H
#define TH_COSTS_H

enum {
    /* Keys from which attention is one operation (opt/passes/attention.c). By processor time, result and gradient: 0.6
     * to 0.9 of the plain graph from 256 keys on, 1.2 at 128, 1.35 at 64; and memory that is linear in the keys. What
     * devices gain has not been measured. */
    COST_ATTENTION_KEYS = 256,
    /* Works that store parts of one array and still become one kernel (plan/kernels/merge.c): more of them are alike,
     * as those of a loop written out, and share one text, each with its place. */
    COST_PARTS_JOINED = 8,
    /* Times that a product's b is packed while it is read, before it is packed whole (runtime/gemm/gemm.c). Packing it
     * whole writes as much as it reads, past the second-level cache, and costs what four first tiles do that pack their
     * panels on the way (256x1024x1024: 5.63 ms by blocks, 5.1 in two parts). */
    COST_PARTS_PACKED = 4
};

#endif
