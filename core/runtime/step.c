/*
 * step.c -- a call in slices: a host with a frame budget runs a function some microseconds at a time. In: a ThCall and
 * a budget. Out: done, failed, or more to do. The call has a stack of its own, which it leaves before a step or a turn
 * of a loop once the budget is spent, and to which the next slice returns; so a slice is longer than its budget by one
 * step at most, and what is written in place is written in the last slice, as nothing stops from there on. Locks of
 * shared variables are held from the first slice to the last. Where the C library has no makecontext a slice is the
 * whole call.
 */
#include "bind.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) /* which does not know stacks of our own */
#define HAS_CONTEXTS 1
#include <ucontext.h>
#endif

#ifdef HAS_CONTEXTS
enum { STACK = 1 << 20 };

typedef struct Slices {
    ThCall *call;
    ucontext_t host, work;
    char *stack;
    int64_t until; /* of this slice */
    bool at_work;  /* the call is between its beginning and its end */
    int bad;
} Slices;

/* Before a step of the call. */
static void look(void *to) {
    Slices *s = to;
    if (base_now() >= s->until) swapcontext(&s->work, &s->host);
}

static void work(unsigned high, unsigned low) {
    Slices *s = (Slices *)(uintptr_t)((uint64_t)high << 32 | low);
    s->bad = bind_run(s->call);
    s->at_work = false;
    swapcontext(&s->work, &s->host); /* for good */
}

static Slices *slices_of(ThCall *b) {
    if (b->slices) return b->slices;
    ThContext *c = b->f->ctx;
    Slices *s = ctx_alloc0(c, sizeof *s);
    if (s && !(s->stack = ctx_alloc_aligned(c, STACK, 64))) {
        ctx_free(c, s, sizeof *s);
        return NULL;
    }
    if (s) s->call = b;
    return b->slices = s;
}

static void begin(Slices *s) {
    uint64_t at = (uintptr_t)s;
    getcontext(&s->work);
    s->work.uc_stack.ss_sp = s->stack;
    s->work.uc_stack.ss_size = STACK;
    s->work.uc_link = NULL;
    makecontext(&s->work, (void (*)(void))work, 2, (unsigned)(at >> 32), (unsigned)at);
    s->at_work = true;
}

int th_call_step(ThCall *b, int64_t microseconds) {
    if (!b) return -1;
    Slices *s = slices_of(b);
    if (!s || (!s->at_work && !bind_take(b))) return -1;
    if (!s->at_work) begin(s);
    s->until = microseconds < 0 ? 0 : base_now() + (microseconds < INT64_MAX / 4000 ? microseconds : INT32_MAX) * 1000;
    Workspace *w = b->w;
    w->yield = look;
    w->looked = true;
    w->yield_to = s;
    ErrorScope scope;
    error_enter(&scope, b->f->ctx, &b->error);
    swapcontext(&s->host, &s->work);
    error_leave(&scope);
    w->yield = NULL;
    w->looked = w->until != 0;
    if (s->at_work) return TH_CALL_MORE;
    bind_give(b);
    return s->bad ? TH_CALL_FAILED : TH_CALL_DONE;
}

void step_forget(ThCall *b) {
    Slices *s = b->slices;
    if (!s) return;
    b->w->given_up = true;
    while (s->at_work) th_call_step(b, INT64_MAX);
    ctx_free(b->f->ctx, s->stack, STACK);
    ctx_free(b->f->ctx, s, sizeof *s);
    b->slices = NULL;
}
#else
int th_call_step(ThCall *b, int64_t microseconds) {
    (void)microseconds;
    return th_call_run(b);
}

void step_forget(ThCall *b) { (void)b; }
#endif
