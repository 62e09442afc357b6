/*
 * team.c -- threads that share work.
 *
 * In: n independent pieces. Out: all done. Always holds: who gives out work takes pieces itself until none is left, and
 * then waits only for workers that are in the middle of one; on a machine whose processors are busy with other things
 * the work is done as by one thread. A worker that was waited for much longer than a piece takes stays away for a
 * multiple of that time, a longer one each time, so that waiting costs a small part of the whole. Where nobody comes
 * for several jobs in a row, nobody is asked for a while: waking costs too. Workers that find nothing wait awake for
 * AWAKE nanoseconds (the pauses between the loops of a step) and sleep then; while whoever gives out work does not get
 * the processor whenever it can run, they sleep at once; and while it gets it for a small part of the time it does its
 * work alone, since a worker would be away just as long in the middle of a piece. A worker that finds itself on the
 * owner's processor leaves it: systems wake threads where their waker runs, and a step on two threads that share a
 * processor takes longer than on one. Results do not depend on who does what.
 */
#include "team.h"

#include "runtime/frame/runtime.h"

#include <stdlib.h>

enum {
    AWAKE = 200000,  /* of a worker, where each thread can have a processor */
    BRIEF = 20000,   /* awake for workers in the middle of a piece */
    SLACK = 50000,   /* a wait so long is in order .. */
    PIECES = 3,      /* .. and so many pieces' time more */
    AWAY = 16,       /* times the wait: how long the worker stays away.. */
    AGAIN = 4,       /* ..twice as long each time, so often.. */
    WELL = 64,       /* ..until so many jobs went well */
    VAIN = 8,        /* jobs without help, after which it is not asked for.. */
    REST = 20000000, /* ..so long, twice as long each time, up to.. */
    MOST_REST = 320000000,
    LOOK = 20000000,  /* between two looks at how busy the machine is */
    OLD = 1000000000, /* what was seen so long ago says nothing */
    QUIET = 80,       /* per cent of the time that who gives out work had a processor.. */
    CROWDED = 40,     /* ..and below which it keeps its work */
    ALONE = -1,       /* Team.awake: it does */
    LOOKS = 64        /* between two looks at the clock */
};

/* The pieces of one thread: neighbours, the same ones whenever as many pieces are shared out, so that what a piece left
 * in a core's own caches (a part of a weight) is found there by the next function over the same pieces. */
typedef struct Share {
    _Alignas(64) atomic_int next;
    int end;
} Share;

struct TeamJob {
    void (*fn)(int i, void *user);
    void *user;
    int threads, processor; /* where the owner began */
    OsThread owner;
    struct TeamJob *next;
    bool open, waited; /* workers may still begin; the owner sleeps */
    bool helped;       /* a worker took a piece */
    atomic_int inside; /* workers in it: a worker's last touch makes this smaller */
    Share share[TEAM_MOST];
};

static inline void breathe(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* One's own pieces, then what others have not begun yet; how many. */
static int take(TeamJob *j, int own) {
    int done = 0;
    for (int t = 0; t < j->threads; t++) {
        Share *s = &j->share[(own + t) % j->threads];
        if (atomic_load_explicit(&s->next, memory_order_relaxed) >= s->end) continue;
        for (int i; (i = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->end; done++)
            j->fn(i, j->user);
    }
    return done;
}

static void forget(Team *t, TeamJob *j) {
    TeamJob *first = atomic_load_explicit(&t->jobs, memory_order_relaxed);
    if (first == j) atomic_store_explicit(&t->jobs, j->next, memory_order_release);
    for (; first && first != j; first = first->next)
        if (first->next == j) {
            first->next = j->next;
            break;
        }
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */
static bool away(TeamWorker *w) {
    if (w->stays && profile_now() >= w->stays) w->stays = 0;
    return w->stays != 0;
}

static TeamJob *job_for(Team *t, TeamWorker *w) {
    TeamJob *j = atomic_load_explicit(&t->jobs, memory_order_relaxed);
    while (j && (!j->open || w->number >= j->threads)) j = j->next;
    return j && !away(w) ? j : NULL;
}

/* Another job came while the worker waited awake. */
static bool came(Team *t, unsigned turn, int64_t until) {
    while (profile_now() < until)
        for (int i = 0; i < LOOKS; i++) {
            if (atomic_load_explicit(&t->turn, memory_order_relaxed) != turn || atomic_load(&t->stop)) return true;
            breathe();
        }
    return false;
}

static void help(Team *t, TeamWorker *w, TeamJob *j) {
    w->at = j;
    atomic_fetch_add_explicit(&j->inside, 1, memory_order_relaxed);
    os_unlock(&t->lock);
    if (j->processor >= 0 && os_processor() == j->processor) os_thread_avoid(j->owner, j->processor);
    int done = take(j, w->number);
    os_lock(&t->lock);
    j->open = false;
    j->helped |= done > 0;
    if (done && ++w->well >= WELL) w->again = 0;
    w->at = NULL;
    bool waited = j->waited;
    atomic_fetch_sub_explicit(&j->inside, 1, memory_order_release); /* j may be gone from here on */
    if (waited) os_event_tell(&t->done);
}

static void *work(void *user) {
    TeamWorker *w = user;
    Team *t = w->team;
    int64_t until = 0;
    os_lock(&t->lock);
    while (!atomic_load(&t->stop)) {
        TeamJob *j = job_for(t, w);
        if (j) {
            help(t, w, j);
            until = t->awake > 0 ? profile_now() + t->awake : 0;
            continue;
        }
        unsigned turn = atomic_load_explicit(&t->turn, memory_order_relaxed);
        os_unlock(&t->lock);
        bool more = until && came(t, turn, until);
        os_lock(&t->lock);
        if (more || turn != atomic_load_explicit(&t->turn, memory_order_relaxed) || atomic_load(&t->stop)) continue;
        until = 0;
        t->sleeping++;
        os_event_wait(&t->work, &t->lock);
        t->sleeping--;
    }
    os_unlock(&t->lock);
    return NULL;
}

/* Workers, as many as there can be. */
static void start(Team *t) {
    atomic_store(&t->process, os_process());
    while (t->nworker < t->threads - 1) {
        TeamWorker *w = &t->worker[t->nworker];
        *w = (TeamWorker){.team = t, .number = t->nworker + 1};
        if (!os_thread_start(&w->id, work, w)) break;
        t->nworker++;
    }
}

void team_init(Team *t, const char *wanted) {
    long have = os_processors(), n = wanted ? strtol(wanted, NULL, 10) : 0;
    os_lock_init(&t->lock);
    os_event_init(&t->work);
    os_event_init(&t->done);
    if (n < 1) n = have;
    t->threads = n < TEAM_MOST ? (int)n : TEAM_MOST;
    t->awake = t->quiet = n <= have ? AWAKE : 0;
}

/* In a forked child: its parent's workers are not there, and one of them may have held the lock. */
static bool forked(const Team *t) {
    long process = atomic_load_explicit(&t->process, memory_order_relaxed);
    return process && process != os_process();
}

void team_end(Team *t) {
    if (forked(t)) return;
    os_lock(&t->lock);
    atomic_store(&t->stop, true);
    os_event_tell(&t->work);
    os_unlock(&t->lock);
    for (int i = 0; i < t->nworker; i++) os_thread_join(t->worker[i].id);
    os_lock_end(&t->lock);
    os_event_end(&t->work);
    os_event_end(&t->done);
}

/* ---- giving out work --------------------------------------------------------------------------------------------- */
static bool somebody(Team *t, int threads) {
    for (int i = 0; i < t->nworker && i < threads - 1; i++)
        if (!away(&t->worker[i])) return true;
    return false;
}

static bool give_out(Team *t, TeamJob *j) {
    os_lock(&t->lock);
    if (!atomic_load(&t->process)) start(t);
    if (t->rests && profile_now() >= t->rests) t->rests = 0;
    bool ok = t->awake != ALONE && !t->rests && somebody(t, j->threads);
    int sleeping = t->sleeping;
    if (ok) {
        j->next = atomic_load_explicit(&t->jobs, memory_order_relaxed);
        atomic_store_explicit(&t->jobs, j, memory_order_release);
        atomic_fetch_add_explicit(&t->turn, 1, memory_order_relaxed);
    }
    os_unlock(&t->lock);
    if (ok && sleeping) os_event_tell(&t->work);
    return ok;
}

/* Others want the processors too when this thread, which has work all the time, did not run all the time. */
static void look(Team *t, int64_t now) {
    int64_t ran = now < atomic_load_explicit(&t->look, memory_order_relaxed) ? -1 : os_thread_time();
    if (ran < 0) return;
    os_lock(&t->lock);
    int64_t waits = os_thread_waits();
    if (os_thread_same(t->looker, os_thread()) && now - t->looked < OLD) {
        int64_t share = (ran - t->ran) * 100, all = now - t->looked;
        bool own = waits < 0 || waits - t->waits > t->slept; /* it rested for reasons of its own */
        t->awake = share >= all * QUIET ? t->quiet : own || share >= all * CROWDED ? 0 : ALONE;
    } else if (t->awake == ALONE) t->awake = 0;
    t->waits = waits;
    t->slept = 0;
    t->looker = os_thread();
    t->looked = now;
    t->ran = ran;
    atomic_store_explicit(&t->look, now + LOOK, memory_order_relaxed);
    os_unlock(&t->lock);
}

static void sleep_for(Team *t, TeamJob *j) {
    os_lock(&t->lock);
    for (int i = 0; i < t->nworker; i++) t->worker[i].late = t->worker[i].at == j;
    j->waited = true;
    while (atomic_load_explicit(&j->inside, memory_order_acquire)) t->slept++, os_event_wait(&t->done, &t->lock);
    os_unlock(&t->lock);
}

/* Until workers that have begun a piece are through. each: nanoseconds that a piece took here, 0: not known. */
static void wait_for(Team *t, TeamJob *j, int64_t from, int64_t each) {
    do {
        for (int i = 0; i < LOOKS; i++) {
            if (!atomic_load_explicit(&j->inside, memory_order_acquire)) return;
            breathe();
        }
    } while (profile_now() < from + BRIEF);
    sleep_for(t, j);
    int64_t now = profile_now(), waited = now - from;
    if (!each || waited <= SLACK + PIECES * each) return;
    os_lock(&t->lock);
    for (int i = 0; i < t->nworker; i++) {
        TeamWorker *w = &t->worker[i];
        if (!w->late) continue;
        w->stays = now + (AWAY * waited << w->again);
        w->well = 0;
        if (w->again < AGAIN) w->again++;
    }
    os_unlock(&t->lock);
}

/* What the end of a job says of the next ones. */
static void learn(Team *t, const TeamJob *j) {
    if (j->helped) t->rest = t->vain = 0;
    else if (++t->vain >= VAIN) {
        t->vain = 0;
        t->rest = !t->rest ? REST : t->rest < MOST_REST ? 2 * t->rest : MOST_REST;
        t->rests = profile_now() + t->rest;
    }
}

/* No worker begins any more; true: none is in it either. */
static bool close_job(Team *t, TeamJob *j) {
    os_lock(&t->lock);
    j->open = false;
    bool over = !atomic_load_explicit(&j->inside, memory_order_acquire);
    if (over) forget(t, j), learn(t, j);
    os_unlock(&t->lock);
    return over;
}

bool team_run(Team *t, int n, void (*fn)(int i, void *user), void *user) {
    TeamJob j;
    if (forked(t)) return false;
    j.fn = fn, j.user = user, j.threads = t->threads < n ? t->threads : n, j.owner = os_thread();
    j.processor = os_processor();
    j.open = true, j.waited = j.helped = false;
    atomic_init(&j.inside, 0);
    for (int i = 0; i < j.threads; i++) {
        atomic_init(&j.share[i].next, (int)((int64_t)n * i / j.threads));
        j.share[i].end = (int)((int64_t)n * (i + 1) / j.threads);
    }
    if (!give_out(t, &j)) {
        look(t, profile_now());
        return false;
    }
    int64_t from = profile_now(), done = take(&j, 0);
    look(t, from);
    if (close_job(t, &j)) return true;
    int64_t now = profile_now();
    wait_for(t, &j, now, done ? (now - from) / done : 0);
    close_job(t, &j);
    return true;
}

bool team_inside(Team *t) {
    if (!atomic_load_explicit(&t->jobs, memory_order_acquire) || forked(t)) return false;
    OsThread self = os_thread();
    bool inside = false;
    os_lock(&t->lock);
    for (TeamJob *j = atomic_load_explicit(&t->jobs, memory_order_relaxed); j && !inside; j = j->next)
        inside = os_thread_same(j->owner, self);
    for (int i = 0; i < t->nworker && !inside; i++) inside = t->worker[i].at && os_thread_same(t->worker[i].id, self);
    os_unlock(&t->lock);
    return inside;
}

/* ---- threads that keep their work -------------------------------------------------------------------------------- */
bool team_keep(Team *t) {
    if (forked(t)) return false;
    os_lock(&t->lock);
    const int n = atomic_load_explicit(&t->nkeeper, memory_order_relaxed);
    const bool room = n < TEAM_KEEPERS;
    if (room) {
        t->keeper[n] = os_thread();
        atomic_store_explicit(&t->nkeeper, n + 1, memory_order_relaxed);
    }
    os_unlock(&t->lock);
    return room;
}

/* Under the lock: the last place of the calling thread, or -1. */
static int keeper(const Team *t) {
    int i = atomic_load_explicit(&t->nkeeper, memory_order_relaxed) - 1;
    while (i >= 0 && !os_thread_same(t->keeper[i], os_thread())) i--;
    return i;
}

void team_keep_end(Team *t) {
    if (forked(t)) return;
    os_lock(&t->lock);
    const int i = keeper(t), last = atomic_load_explicit(&t->nkeeper, memory_order_relaxed) - 1;
    if (i >= 0) {
        t->keeper[i] = t->keeper[last];
        atomic_store_explicit(&t->nkeeper, last, memory_order_relaxed);
    }
    os_unlock(&t->lock);
}

bool team_keeps(Team *t) {
    if (!atomic_load_explicit(&t->nkeeper, memory_order_relaxed) || forked(t)) return false;
    os_lock(&t->lock);
    const bool is = keeper(t) >= 0;
    os_unlock(&t->lock);
    return is;
}
