/*
 * order.h -- a kernel's loops and the order of its instructions, for executors: the interpreter and the emitters walk
 * the same lists, so they agree. For each stage: the loops around its deepest instructions, and per depth what runs
 * before the inner loops, the reductions those feed, and what runs after.
 */
#ifndef TH_ORDER_H
#define TH_ORDER_H

#include "../graph/kernel.h"

enum { LOOPS = 2 * KDIM };
typedef struct LoopStage {
    const Stage *st;
    int nloop, vec;  /* loops around the deepest instructions; loop position of the vec dim, or -1 */
    int loop[LOOPS]; /* loop position -> kernel dim */
    int pre[LOOPS + 1], npre[LOOPS + 1], post[LOOPS + 1], npost[LOOPS + 1]; /* ranges of KernelOrder.code by depth */
    int red[LOOPS + 1], nred[LOOPS + 1];                                    /* ranges of Kernel.red by depth */
} LoopStage;
typedef struct KernelOrder {
    LoopStage *stage;
    int *code;
    int ncode;
} KernelOrder; /* code: value ids */

bool kernel_order(const Kernel *k, Arena *a, KernelOrder *out);
/* Values an instruction reads, with the index and guard of its access. Returns how many (at most 6). */
int ins_reads(const Kernel *k, const Ins *i, int v[6]);

#endif
