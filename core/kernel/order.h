/*
 * order.h -- a kernel's loops and the order of its instructions, for executors: the interpreter and the emitters walk
 * the same lists, so they agree. For each stage: the loops around its deepest instructions, and per depth what runs
 * before the inner loops, the reductions those feed, and what runs after.
 */
#ifndef TH_ORDER_H
#define TH_ORDER_H

#include "kernel.h"

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
void ins_renumber(Ins *i, const int *to); /* its operands have new numbers; those of its access not yet */

/* describe.c: words for emitted text, in the arena. Of each kernel: the first step that runs it (-1) and how many do.
 */
struct Plan;
bool plan_kernel_users(const struct Plan *p, Arena *a, int **first, int **users);
/* An identifier for each access, distinct in the kernel; then for each stage what it computes ("y = x + b") or NULL. */
const char *const *plan_access_names(const struct Plan *p, const Kernel *k, int step, Arena *a);
char **plan_describe(const struct Plan *p, const Kernel *k, int step, int users, const char *const *name, Arena *a);

#endif
