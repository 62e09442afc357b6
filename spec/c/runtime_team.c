/*
 * runtime_team.c -- threads that share work: every piece once, from several callers at the same time, over and over;
 * pieces know that they are inside; nobody waits for a worker that has not begun, and one that was waited for stays
 * away for a while; who gets a small part of a processor, or no help for many jobs, keeps its work; a thread leaves the
 * processor that it is told to; a forked child works alone; no worker outlives its team.
 */
#define _GNU_SOURCE
#include "runtime/machine/team.h"
#include "test.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 300, ROUNDS = 400 };

typedef struct Caller {
    Team *t;
    atomic_int done[MOST];
    int wrong;
} Caller;

static void piece(int i, void *user) {
    Caller *c = user;
    atomic_fetch_add(&c->done[i], 1);
    if (!team_inside(c->t)) c->wrong++;
}

static void *call(void *user) {
    Caller *c = user;
    for (int round = 0; round < ROUNDS; round++) {
        int n = 2 + (round * 37) % (MOST - 2);
        for (int i = 0; i < MOST; i++) atomic_store(&c->done[i], 0);
        if (!team_run(c->t, n, piece, c)) continue; /* all are away */
        for (int i = 0; i < MOST; i++) c->wrong += atomic_load(&c->done[i]) != (i < n);
        c->wrong += team_inside(c->t);
    }
    return NULL;
}

static void pause_for(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

/* The owner takes its piece only when the worker has begun, so that it must wait for it. */
typedef struct Slow {
    pthread_t owner;
    atomic_bool begun, helped;
} Slow;

static void slow_piece(int i, void *user) {
    Slow *s = user;
    (void)i;
    if (!pthread_equal(pthread_self(), s->owner)) {
        atomic_store(&s->helped, true);
        atomic_store(&s->begun, true);
        pause_for(60);
    }
    for (int k = 0; k < 1000 && !atomic_load(&s->begun); k++) pause_for(1);
    atomic_store(&s->begun, true);
}

static void test_late(void) {
    Team *t = calloc(1, sizeof *t);
    Slow s = {.owner = pthread_self()};
    setenv("OMP_NUM_THREADS", "2", 1);
    team_init(t, getenv("OMP_NUM_THREADS"));
    CHECK(t->threads == 2);
    bool away = false, helped = false;
    for (int k = 0; k < 200 && !away; k++) { /* a piece of the owner's may be as slow as the worker's now and then */
        atomic_store(&s.begun, false);
        atomic_store(&s.helped, false);
        if (!team_run(t, 2, slow_piece, &s)) pause_for(50); /* the machine is busy: this thread keeps its work */
        else if (atomic_load(&s.helped)) away = !team_run(t, 2, slow_piece, &s), helped = true;
    }
    CHECK(helped);
    CHECK(away);
    bool back = false;
    for (int k = 0; k < 400 && !back; k++, pause_for(20)) back = team_run(t, 2, slow_piece, &s);
    CHECK(back);
    team_end(t);
    free(t);
}

static void test_fork(Team *t) {
    fflush(NULL);
    pthread_mutex_lock(&t->lock); /* as a worker may have it when another thread forks */
    pid_t child = fork();
    if (child == 0) {
        Caller *c = calloc(1, sizeof *c);
        c->t = t;
        alarm(20);
        bool ran = team_run(t, 10, piece, c) || team_inside(t);
        team_end(t);
        free(c);
        _exit(ran);
    }
    pthread_mutex_unlock(&t->lock);
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void nothing(int i, void *user) {
    (void)i, (void)user;
    for (int64_t until = os_now() + 20000; os_now() < until;) {}
}

/* One processor for this thread and many others: it keeps its work, and shares it again after a while. */
static void test_crowd(void) {
    enum { HOGS = 6 };
    cpu_set_t all, one;
    pid_t hog[HOGS];
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all)) return;
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    if (sched_setaffinity(0, sizeof one, &one)) return;
    for (int i = 0; i < HOGS; i++)
        if (!(hog[i] = fork()))
            for (;;) {}
    Team t = {0};
    team_init(&t, "2");
    bool helped = true;
    for (int64_t until = os_now() + 20000000000; helped && os_now() < until;) helped = team_run(&t, 2, nothing, NULL);
    CHECK(!helped);
    for (int i = 0; i < HOGS; i++) kill(hog[i], SIGKILL), waitpid(hog[i], NULL, 0);
    sched_setaffinity(0, sizeof all, &all);
    pause_for(1100); /* what was seen so long ago says nothing */
    for (int64_t until = os_now() + 20000000000; !helped && os_now() < until;) helped = team_run(&t, 2, nothing, NULL);
    CHECK(helped);
    team_end(&t);
}

static void trifle(int i, void *user) { (void)i, (void)user; }

/* Jobs that are over before anybody can come: soon nobody is asked, and then again. */
static void test_vain(void) {
    Team t = {0};
    team_init(&t, "2");
    const int64_t until = os_now() + 20000000000;
    while (!t.rests && os_now() < until) team_run(&t, 2, trifle, NULL);
    CHECK(t.rests && !team_run(&t, 2, trifle, NULL));
    pause_for(400);
    bool asked = false;
    while (!asked && os_now() < until) asked = team_run(&t, 2, trifle, NULL);
    CHECK(asked);
    team_end(&t);
}

/* It goes to another processor of those that it may use, and stays where there is none. */
static void test_avoid(void) {
    cpu_set_t all, now;
    if (sched_getaffinity(0, sizeof all, &all)) return;
    int at = os_processor();
    CHECK(at >= 0);
    os_thread_avoid(os_thread(), at);
    CHECK(!sched_getaffinity(0, sizeof now, &now));
    if (CPU_COUNT(&all) > 1) {
        CHECK(!CPU_ISSET(at, &now) && CPU_COUNT(&now) == CPU_COUNT(&all) - 1);
        CHECK(os_processor() != at);
    } else CHECK(CPU_EQUAL(&all, &now));
    sched_setaffinity(0, sizeof all, &all);
}

int main(void) {
    static Team *t; /* a child that leaves has them too: not lost */
    static Caller *c;
    t = calloc(1, sizeof *t);
    c = calloc(3, sizeof *c);
    pthread_t id[3];
    setenv("OMP_NUM_THREADS", "4", 1);
    team_init(t, getenv("OMP_NUM_THREADS"));
    CHECK(t->threads == 4 && !team_inside(t));
    for (int i = 0; i < 3; i++) {
        c[i].t = t;
        CHECK(pthread_create(&id[i], NULL, call, &c[i]) == 0);
    }
    for (int i = 0; i < 3; i++) pthread_join(id[i], NULL);
    for (int i = 0; i < 3; i++) CHECK(c[i].wrong == 0);
    test_fork(t);
    CHECK(!atomic_load(&t->jobs));
    team_end(t);
    free(t);
    free(c);
    test_late();
    t = calloc(1, sizeof *t); /* never used */
    team_init(t, getenv("OMP_NUM_THREADS"));
    team_end(t);
    free(t);
    test_crowd();
    test_vain();
    test_avoid();
    return test_done("runtime_team");
}
