/*
 * runtime_together.c -- whether calls share their work, by times of our own: the way that takes less becomes the usual
 * one, again when the machine changes, and trying costs little; a thread that keeps its work is alone in that.
 */
#include "runtime/machine/team.h"
#include "runtime/together.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct Machine {
    int64_t shared, alone; /* nanoseconds of a call */
} Machine;

/* What n calls take, and how many of them were alone. */
static int64_t calls(Together *t, Machine m, int n, int *alone) {
    int64_t sum = 0;
    *alone = 0;
    for (int i = 0; i < n; i++) {
        const bool keeps = together_keeps(t);
        sum += keeps ? m.alone : m.shared;
        *alone += keeps;
        together_count(t, keeps ? m.alone : m.shared);
    }
    return sum;
}

static void test_ways(void) {
    Together t = {0};
    int alone;
    calls(&t, (Machine){1000, 1000}, 2000, &alone);
    CHECK(!t.alone && alone > 0 && alone < 40); /* the same either way: as it began */
    calls(&t, (Machine){1060, 1000}, 900, &alone);
    calls(&t, (Machine){1060, 1000}, 1000, &alone);
    CHECK(t.alone && alone > 950); /* far cores */
    calls(&t, (Machine){610, 1000}, 900, &alone);
    int64_t took = calls(&t, (Machine){610, 1000}, 1000, &alone);
    CHECK(!t.alone && alone < 10); /* near ones */
    CHECK(took < 1000 * 620);
    t = (Together){0};
    took = calls(&t, (Machine){1600, 1000}, 2000, &alone);
    CHECK(t.alone && took < 2000 * 1015);
}

/* Another process comes and goes: it is seen within some calls, not at the next try. */
static void test_changes(void) {
    const Machine quiet = {600, 1000}, busy = {2200, 1500};
    Together t = {0};
    int alone;
    calls(&t, quiet, 2000, &alone);
    for (int round = 0; round < 10; round++) {
        calls(&t, busy, 30, &alone);
        CHECK(t.alone && alone > 8);
        calls(&t, busy, 30, &alone);
        CHECK(alone == 30);
        calls(&t, quiet, 30, &alone);
        CHECK(!t.alone && alone < 22);
    }
    calls(&t, busy, 30, &alone);
    int64_t took = 0;
    for (int round = 0; round < 400; round++) /* never the same time for long: tries become rare */
        took += calls(&t, (Machine){2200, round % 2 ? 1500 : 1000}, 10, &alone);
    CHECK(t.alone && took < 4000 * 1250 / 100 * 104);
}

static void *other(void *user) {
    Team *t = user;
    return team_keeps(t) ? t : NULL;
}

static void test_keep(void) {
    Team *t = calloc(1, sizeof *t);
    pthread_t id;
    void *keeps = t;
    team_init(t, "2");
    CHECK(!team_keeps(t) && team_keep(t) && team_keep(t) && team_keeps(t)); /* a call inside of a call */
    CHECK(!pthread_create(&id, NULL, other, t) && !pthread_join(id, &keeps) && !keeps);
    team_keep_end(t);
    CHECK(team_keeps(t));
    team_keep_end(t);
    CHECK(!team_keeps(t));
    for (int i = 0; i < TEAM_KEEPERS; i++) CHECK(team_keep(t));
    CHECK(!team_keep(t));
    for (int i = 0; i < TEAM_KEEPERS; i++) team_keep_end(t);
    CHECK(!team_keeps(t));
    team_end(t);
    free(t);
}

int main(void) {
    test_ways();
    test_changes();
    test_keep();
    return test_done("runtime_together");
}
