/*
 * step.c -- a call in slices: a host with a frame budget runs a function some microseconds at a time. In: a ThCall and
 * a budget. Out: done, failed, or more to do. The call has a stack of its own, which it leaves before a step or a turn
 * of a loop once the budget is spent, and to which the next slice returns; so a slice is longer than its budget by one
 * step at most (by a few, where steps take longer than any did before), and what is written in place is written in the
 * last slice, as nothing stops from there on. Locks of shared variables are held from the first slice to the last.
 * Where there are no stacks of our own (stack.h) a slice is the whole call.
 */
#include "bind.h"
#include "stack.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#ifdef HAS_STACKS
enum { STACK = 1 << 20, LONG_ENOUGH = 20000 /* nanoseconds, to compare clocks */, TRUSTED = 256 /* slices by ticks */ };
enum { MOST_PASSED = 15 /* steps between two looks at the time */, FORGOTTEN = 256 };

typedef struct Slices {
    ThCall *call;
    StackPlace host, work;
    char *stack;
    int64_t from, until; /* of this slice; from 0: the clock was not read, ticks alone count */
    uint64_t ticks,
        late;      /* the processor's count when the slice began; below which its time is not over: 0, not known */
    double rate;   /* ticks a nanosecond; 0: not known */
    int trusted;   /* slices that may still begin without reading the clock */
    int64_t since; /* both clocks when they were compared last; 0: never */
    uint64_t since_ticks;
    /* Ticks of the longest way between two looks of a slice, once a whole call was looked at before each step (known).
     * Where as much is left for more than twice as many steps, they need no look. */
    uint64_t seen, longest;
    bool known;
    bool at_work; /* the call is between its beginning and its end */
    int bad;
} Slices;

/* A count that is read in a third of the clock's time; 0: there is none. */
static inline uint64_t ticks(void) {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return 0;
#endif
}

/* What the clock says at a count: how many ticks a nanosecond has, once enough time went by. */
static void compare(Slices *s, int64_t now, uint64_t t) {
    const bool enough = s->since && now - s->since >= LONG_ENOUGH && t > s->since_ticks;
    if (!t || (s->since && !enough)) return;
    if (enough) {
        s->rate = (double)(t - s->since_ticks) / (double)(now - s->since);
        s->trusted = TRUSTED;
    }
    s->since = now, s->since_ticks = t;
}

/* So many nanoseconds are left from s->ticks on. */
static void aim(Slices *s, int64_t budget) {
    const double left = (double)budget * s->rate;
    s->late = s->rate > 0 && left > 0 && left < 1e18 ? s->ticks + (uint64_t)left : 0;
}

/* It is count t, before s->late. */
static void pass_some(Slices *s, uint64_t t) {
    const uint64_t most = s->known && s->longest ? (s->late - t) / (2 * s->longest) : 0;
    s->seen = t;
    s->call->w->passed = most > MOST_PASSED ? MOST_PASSED : (int)most;
}

/* Before a step of the call. */
static void look(void *to) {
    Slices *s = to;
    uint64_t t = s->late ? ticks() : 0;
    if (s->seen && t > s->seen) { /* what took long once, as another process ran, is forgotten */
        s->longest -= s->longest / FORGOTTEN;
        if (t - s->seen > s->longest) s->longest = t - s->seen;
    }
    if (t < s->late) {
        pass_some(s, t);
        return;
    }
    int64_t now = s->from ? base_now() : s->until;
    if (now < s->until) {
        compare(s, now, ticks());
        aim(s, s->until - s->from);
        return;
    }
    stack_switch(&s->work, s->host);
}

static _Thread_local Slices *first; /* whose stack is entered for the first time */

static void work(void) {
    Slices *s = first;
    s->bad = bind_run(s->call);
    s->at_work = false;
    s->known |= s->longest > 0;
    stack_switch(&s->work, s->host); /* for good */
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
    s->work = stack_begin(s->stack, STACK, work);
    first = s;
    s->at_work = true;
}

int th_call_step(ThCall *b, int64_t microseconds) {
    if (!b) return -1;
    Slices *s = slices_of(b);
    if (!s || (!s->at_work && !bind_take(b))) return -1;
    if (!s->at_work) begin(s);
    const int64_t budget = microseconds < 0 ? 0 : (microseconds < INT64_MAX / 4000 ? microseconds : INT32_MAX) * 1000;
    s->ticks = ticks();
    aim(s, budget);
    const bool by_ticks = s->late && s->trusted > 0;
    s->trusted -= by_ticks;
    s->from = by_ticks ? 0 : base_now();
    s->until = s->from + budget;
    if (!by_ticks) compare(s, s->from, s->ticks), aim(s, budget);
    s->seen = 0;
    b->w->passed = 0;
    if (s->late > s->ticks) pass_some(s, s->ticks);
    Workspace *w = b->w;
    w->yield = look;
    w->looked = true;
    w->yield_to = s;
    ErrorScope scope;
    error_enter(&scope, b->f->ctx, &b->error);
    stack_switch(&s->host, s->work);
    error_leave(&scope);
    w->yield = NULL;
    w->passed = 0;
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
