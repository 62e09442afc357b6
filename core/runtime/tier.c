/*
 * tier.c -- calls of a function while the C compiler builds its unit beside them.
 *
 * In: a function whose unit is being built, a call. Out: its results, and at the end of the build the unit's code for
 * the calls that follow. A call is begun by the interpreter and goes on, from one step to the next, in the unit as soon
 * as that is there: both do a step with the same bits, in the same memory. Always holds: nobody waits for the compiler
 * but before a step that would lose more in the interpreter than a build takes; such a wait ends with the build, with
 * th_interrupt, and with the time of the call (ThLimits.seconds).
 */
#include "tier.h"

#include "runtime/frame/walk.h"
#include "schedule/choose.h"

#include <string.h>

enum { PATIENCE = 20 /* milliseconds of a wait between two looks at an interruption */ };

void tier_look(ThFunction *f, int ms) {
    if (atomic_flag_test_and_set_explicit(&f->asking, memory_order_acquire)) return;
    int now = atomic_load(&f->building) ? f->unit->poll(f->unit, ms) : 0;
    if (now > 0) atomic_store_explicit(&f->run, f->unit->run, memory_order_release);
    if (now) atomic_store(&f->building, false);
    atomic_flag_clear_explicit(&f->asking, memory_order_release);
}

/* What the interpreter loses with the step, beside a unit's code, is more than building that takes. */
static bool worth_waiting(const ThFrame *frame, int step) {
    const ThFunction *f = frame->ws->fn;
    const Step *s = &f->plan->step[step];
    if (s->kind != STEP_KERNEL) return false;
    const Kernel *k = f->plan->kernel[s->kernel];
    double n[KDIM];
    for (int d = 0; d < k->ndim; d++) {
        const Size z = k->dim[d].n;
        n[d] = (double)z.k * (z.sym < 0 ? 1 : (double)frame->sym[s->sym[z.sym]]);
    }
    return choose_interpreter_loss(k, n) > choose_build_ns(f->unit->built);
}

static int one_step(const Walk *walk, ThFrame *frame, int step) {
    (void)walk;
    ThFunction *f = frame->ws->fn;
    if (atomic_load_explicit(&f->building, memory_order_relaxed)) {
        tier_look(f, 0);
        while (atomic_load(&f->building) && worth_waiting(frame, step)) {
            if (frame->rt->poll_interrupt(frame)) return frame->rt->fail(frame, step, TH_Interrupted, 0, 0, 0, 0, 0);
            tier_look(f, PATIENCE);
        }
    }
    const bool there = atomic_load_explicit(&f->run, memory_order_acquire) && f->unit->step;
    return there ? f->unit->step(frame, step) : interp_step(f->interp, step, frame);
}

int tier_run(ThFunction *f, Workspace *w) {
    static const Walk walk = {.step = one_step};
    int64_t start = os_thread_time();
    int bad = walk_plan(&walk, &w->frame);
    atomic_fetch_add_explicit(&f->unit->spent, os_thread_time() - start, memory_order_relaxed);
    return bad;
}
