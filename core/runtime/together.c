/*
 * together.c -- do threads help? In: when each call's steps begin and end. Out: calls that keep their work on one
 * thread. Always holds: a function is called the way that took less when it was tried, and tried again the other way
 * for up to TOGETHER_LAST of CALLS calls, since machines change, and soon where its own way takes another time than
 * when it was chosen: another process has come or gone. What a job costs beside its pieces (lines that go from one
 * core's caches to the other's, in the jobs and in the steps after them) depends on where a system, or the host of a
 * virtual machine, has put the threads. A step of 1.4 ms took 0.61 of one thread's time on two cores that exchange a
 * line in 28 ns, and 1.05 some seconds later, at 160 ns. Results do not depend on it.
 */
#include "together.h"

#include "runtime/frame/runtime.h"
#include "runtime/machine/cpu.h"

enum {
    CALLS = 100, /* from one try to the next.. */
    FIRST = 4,   /* ..and to the first one */
    TWICE = 2,   /* twice as long where nothing changes, so often */
    SOON = 12,   /* calls from a try to the next for a change, and twice as many after each that changed nothing */
    OTHER = 125, /* per cent of the time that its way took when chosen: another machine, or the inverse */
    BETTER = 95, /* per cent of the time that the other way takes, to become the usual one */
    WORSE = 130, /* ..from which one call says enough */
    OFF = 1000   /* calls from one look at the flag to the next while nobody wants threads */
};

static Team *team_of(ThContext *c) {
    if (!config_bool(c, "openmp") || c->host.parallel_for) return NULL;
    Cpu *u = cpu_of(c);
    return u && u->team.threads > 1 && !team_inside(&u->team) ? &u->team : NULL;
}

/* To choose: nobody asks a function that never shared work at each call. */
static void nothing(Together *t, int calls) { t->skip = t->nlast || t->alone ? 0 : calls; }

void together_begin(ThContext *c, Together *t) {
    t->start = 0;
    Team *team = team_of(c);
    if (!team) {
        nothing(t, OFF);
        return;
    }
    t->keeps = together_keeps(t);
    if (t->keeps && !team_keep(team)) return;
    t->turn = atomic_load_explicit(&team->turn, memory_order_relaxed);
    t->start = profile_now();
}

/* Of the last calls the usual way. */
static int64_t least(const Together *t) {
    int64_t ns = t->last[0];
    for (int i = 1; i < TOGETHER_LAST; i++)
        if (t->last[i] < ns) ns = t->last[i];
    return ns;
}

static void decide(Together *t) {
    const int64_t usual = least(t);
    const bool other = t->other * 100 < usual * BETTER;
    t->same = other ? 0 : t->same < TWICE ? t->same + 1 : TWICE;
    t->until = CALLS << t->same;
    t->chosen = other ? t->other : usual;
    t->wait = other ? SOON : t->wait < CALLS / 2 ? 2 * t->wait : CALLS;
    t->soon = t->wait;
    if (other) t->alone = !t->alone, t->nlast = 0;
}

/* The usual way takes another time than when it was chosen. */
static bool changed(const Together *t) {
    const int64_t ns = least(t);
    return t->soon <= 0 && (ns * 100 > t->chosen * OTHER || ns * OTHER < t->chosen * 100);
}

void together_count(Together *t, int64_t ns) {
    if (!t->until && !t->trying) /* the first call */
        t->until = FIRST + TOGETHER_LAST, t->soon = t->until, t->wait = SOON;
    if (t->trying > 0) {
        if (ns < t->other) t->other = ns;
        if (t->other * 100 > least(t) * WORSE) t->trying = 1;
        if (--t->trying == 0) decide(t);
        return;
    }
    t->last[t->nlast++ % TOGETHER_LAST] = ns;
    t->soon -= t->soon > 0;
    if (t->nlast < TOGETHER_LAST || (--t->until > 0 && !changed(t))) return;
    t->trying = TOGETHER_LAST;
    t->other = INT64_MAX;
}

void together_end(ThContext *c, Together *t, bool ok) {
    if (!t->start) return;
    const int64_t ns = profile_now() - t->start;
    Team *team = &cpu_of(c)->team;
    if (t->keeps) team_keep_end(team);
    else if (!t->trying && t->turn == atomic_load_explicit(&team->turn, memory_order_relaxed)) {
        nothing(t, CALLS);
        return;
    }
    if (ok) together_count(t, ns);
}
