/*
 * ranked.c -- what functions ask of other ranks as jobs of collective.c. In: arrays, named by the address of what comes
 * of them. Out: these, reduced. Nothing here is of Lua.
 */
#include "buffers.h"
#include "ranked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Begun {
    const void *as;
    int64_t id;
} Begun;

struct Ranked {
    ThContext *ctx;
    Mpi *m;
    int (*asked)(void);
    Begun *begun; /* and not waited for */
    int n, room;
    bool told;
};

/* ---- names ------------------------------------------------------------------------------------------------------- */
/* A job under its name; one that had it before was never waited for: its call has failed. */
static bool begun(Ranked *r, const void *as, int64_t id) {
    int i = 0;
    while (i < r->n && r->begun[i].as != as) i++;
    if (i == r->room) {
        int room = r->room ? 2 * r->room : 16;
        Begun *more = realloc(r->begun, sizeof *more * (size_t)room);
        if (!more) return false;
        r->begun = more;
        r->room = room;
    }
    if (i == r->n) r->n++;
    r->begun[i] = (Begun){as, id};
    return true;
}

static int64_t taken(Ranked *r, const void *as) {
    for (int i = 0; i < r->n; i++) {
        if (r->begun[i].as != as) continue;
        int64_t id = r->begun[i].id;
        r->begun[i] = r->begun[--r->n];
        return id;
    }
    return 0;
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */
static int no_memory(char *why, size_t room) {
    snprintf(why, room, "no memory for a message");
    return 1;
}

static int64_t job(Ranked *r, MpiAsk a, const void *data) {
    a.asked = r->asked && r->asked();
    return mpi_start(r->m, &a, data);
}

static int take(Ranked *r, int64_t id, void *to, size_t bytes, char *why, size_t room) {
    bool asked = false;
    void *out = mpi_wait(r->m, id, &asked, why, room);
    r->told |= asked;
    if (!out) return 1;
    if (bytes) memcpy(to, out, bytes);
    buffers_give(out);
    return 0;
}

static int start(void *user, ThRanksOp op, ThDtype d, int64_t n, const void *data, const void *as, char *why,
                 size_t room) {
    Ranked *r = user;
    int64_t id = job(r, (MpiAsk){.what = MPI_JOB_ALLREDUCE, .op = op, .root = -1, .dtype = d, .n = n}, data);
    return id && begun(r, as, id) ? 0 : no_memory(why, room);
}

static int wait(void *user, const void *as, void *to, size_t bytes, char *why, size_t room) {
    Ranked *r = user;
    return take(r, taken(r, as), to, bytes, why, room);
}

static int share(void *user, void *data, size_t bytes, char *why, size_t room) {
    Ranked *r = user;
    int64_t id = job(r, (MpiAsk){.what = MPI_JOB_BCAST, .dtype = TH_UINT8, .n = (int64_t)bytes}, data);
    return id ? take(r, id, data, bytes, why, room) : no_memory(why, room);
}

static int watch(void *user, ThRanksOp op, ThDtype d, int64_t n, int (*over)(void *of),
                 void (*lost)(void *of, const char *why), void *of, char *why, size_t room) {
    Ranked *r = user;
    MpiAsk a = {.what = MPI_JOB_WATCH, .op = op, .dtype = d, .n = n, .over = over, .lost = lost, .of = of};
    return job(r, a, NULL) ? 0 : no_memory(why, room);
}

/* ---- the context's ----------------------------------------------------------------------------------------------- */
Ranked *ranked_open(ThContext *c, Mpi *m, int rank, int size, int (*asked)(void)) {
    Ranked *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (Ranked){.ctx = c, .m = m, .asked = asked};
    const ThRanks ranks = {.size = sizeof ranks,
                           .rank = rank,
                           .n = size,
                           .user = r,
                           .start = start,
                           .wait = wait,
                           .share = share,
                           .watch = watch};
    if (!th_ranks_set(c, &ranks)) {
        th_context_retain(c);
        return r;
    }
    free(r);
    return NULL;
}

void ranked_close(Ranked *r) {
    th_ranks_set(r->ctx, NULL);
    th_context_release(r->ctx);
    free(r->begun);
    free(r);
}

bool ranked_asked(const Ranked *r) { return r->told; }
