/*
 * parallel.c -- parallel_for.
 *
 * In: n independent pieces of work. Out: all done, in unspecified order. Always holds: no thread is started unless the
 * flag `openmp` is on or the host's hook does it; a piece that gives out work itself does it alone.
 */
#include "parallel.h"

#include "cpu.h"

/* The team, when this thread may share its work with others. */
static Team *usable_team(ThContext *c) {
    if (!config_bool(c, "openmp")) return NULL;
    Cpu *u = cpu_of(c);
    return u && u->team.threads > 1 && !team_inside(&u->team) && !team_keeps(&u->team) ? &u->team : NULL;
}

int parallel_threads(ThContext *c) {
    if (c->host.parallel_for) return 2;
    Team *t = usable_team(c);
    return t ? t->threads : 1;
}

void parallel_for(ThContext *c, int n, void (*fn)(int i, void *user), void *user) {
    if (n > 1 && c->host.parallel_for) {
        c->host.parallel_for(c->host.parallel_user, n, fn, user);
        return;
    }
    Team *t = n > 1 ? usable_team(c) : NULL;
    if (t && team_run(t, n, fn, user)) return;
    for (int i = 0; i < n; i++) fn(i, user);
}
