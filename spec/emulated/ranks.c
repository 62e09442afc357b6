/*
 * ranks.c -- NCCL without a GPU: the entry points that core/runtime/gpu/nccl.c lists, for processes of one machine.
 * Messages go through shared memory, a ring of bytes for each pair of ranks, when the streams they are queued in come
 * to them. A rank holds a lock on its byte of that memory as long as it lives: who waits for one that has none any more
 * gives up, and so do all after ncclCommAbort.
 */
#define _GNU_SOURCE
#include "library.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    FAILED = 1,
    BAD_USE = 5,
    REMOTE = 6,
    MOST_RANKS = 16,
    RING = 1 << 16,
    MOST_MOVES = 2 * MOST_RANKS,
    NAME = 128,
    PATIENCE = 100 /* milliseconds, then who is waited for is looked at */
};

typedef struct Ring {
    _Alignas(64) atomic_ullong written;
    _Alignas(64) atomic_ullong taken;
    char data[RING];
} Ring;
typedef struct Shared {
    atomic_int here;
    Ring ring[]; /* from rank i to rank j at i * n + j */
} Shared;
typedef struct Comm {
    Shared *at;
    size_t bytes;
    int fd, n, rank;
    atomic_int error;
    atomic_bool aborted;
} Comm;
typedef struct Move {
    char *at;
    size_t bytes, done;
    int peer;
    bool sends;
} Move;
typedef struct Group {
    Comm *comm;
    int n;
    Move move[MOST_MOVES];
} Group;

typedef struct Id {
    char name[NAME];
} Id;

static _Thread_local Group group;
static _Thread_local void *group_stream;
static _Thread_local int depth;

EXPORT int ncclGetVersion(int *version) {
    *version = 22304;
    return 0;
}

EXPORT const char *ncclGetErrorString(int code) {
    return code == REMOTE ? "remote process exited or there was a network error" : "an error of the emulated NCCL";
}

EXPORT int ncclGetUniqueId(Id *id) {
    static atomic_int next;
    BEGIN;
    memset(id, 0, sizeof *id);
    snprintf(id->name, sizeof id->name, "/theano-ranks-%ld-%d", (long)getpid(), atomic_fetch_add(&next, 1));
    return end(0);
}

static struct flock byte_of(int rank) {
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};
}

static bool lives(const Comm *c, int rank) {
    struct flock l = byte_of(rank);
    return fcntl(c->fd, F_GETLK, &l) || l.l_type != F_UNLCK;
}

static void pause_for(long microseconds) { nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL); }

static Comm *open_comm(const char *name, int n, int rank) {
    Comm *c = calloc(1, sizeof *c);
    struct flock l = byte_of(rank);
    if (!c) return NULL;
    c->bytes = sizeof(Shared) + sizeof(Ring) * (size_t)(n * n);
    c->n = n, c->rank = rank;
    c->fd = shm_open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (c->fd >= 0 && !ftruncate(c->fd, (off_t)c->bytes) && !fcntl(c->fd, F_SETLK, &l)) {
        void *at = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
        c->at = at == MAP_FAILED ? NULL : at;
    }
    if (c->at) return c;
    if (c->fd >= 0) close(c->fd);
    free(c);
    return NULL;
}

EXPORT int ncclCommInitRank(Comm **comm, int n, Id id, int rank) {
    BEGIN;
    *comm = NULL;
    if (n < 1 || n > MOST_RANKS || rank < 0 || rank >= n) return end(BAD_USE);
    Comm *c = open_comm(id.name, n, rank);
    if (!c) return end(FAILED);
    entry_end();
    atomic_fetch_add(&c->at->here, 1);
    for (int i = 0; atomic_load(&c->at->here) < n && i < 600000; i++) pause_for(100);
    if (rank == 0) shm_unlink(id.name);
    if (atomic_load(&c->at->here) < n) return REMOTE;
    *comm = c;
    return 0;
}

EXPORT int ncclCommGetAsyncError(Comm *c, int *error) {
    *error = atomic_load(&c->error);
    return 0;
}

/* Its work may be waiting in a stream: what it has stays. */
EXPORT int ncclCommAbort(Comm *c) {
    atomic_store(&c->aborted, true);
    return 0;
}

EXPORT int ncclCommDestroy(Comm *c) {
    BEGIN;
    stream_all();
    munmap(c->at, c->bytes);
    close(c->fd);
    free(c);
    return end(0);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */
static bool advance(const Comm *c, Move *m) {
    Ring *r = &c->at->ring[m->sends ? c->rank * c->n + m->peer : m->peer * c->n + c->rank];
    unsigned long long w = atomic_load(&r->written), t = atomic_load(&r->taken);
    size_t some = m->sends ? RING - (size_t)(w - t) : (size_t)(w - t), at = (size_t)((m->sends ? w : t) % RING);
    if (some > m->bytes - m->done) some = m->bytes - m->done;
    if (some > RING - at) some = RING - at;
    if (!some) return false;
    if (m->sends) memcpy(r->data + at, m->at + m->done, some);
    else memcpy(m->at + m->done, r->data + at, some);
    m->done += some;
    atomic_fetch_add(m->sends ? &r->written : &r->taken, some);
    return true;
}

/* Moves of one pair and way stand in order: a later one waits. */
static bool waits(const Group *g, int i) {
    for (int j = 0; j < i; j++)
        if (g->move[j].peer == g->move[i].peer && g->move[j].sends == g->move[i].sends &&
            g->move[j].done < g->move[j].bytes)
            return true;
    return false;
}

static void move_all(Group g) {
    Comm *c = g.comm;
    for (long idle = 0;; idle++) {
        bool open = false, moved = false, gone = false, look = idle && idle % (PATIENCE * 20) == 0;
        for (int i = 0; i < g.n; i++) {
            if (g.move[i].done == g.move[i].bytes) continue;
            open = true;
            gone |= look && !lives(c, g.move[i].peer);
            moved |= !waits(&g, i) && advance(c, &g.move[i]);
        }
        if (!open || atomic_load(&c->aborted)) return;
        if (moved) {
            idle = 0;
            continue;
        }
        pause_for(50);
        if (gone) {
            atomic_store(&c->error, REMOTE);
            return;
        }
    }
}

static void run(const void *args) {
    atomic_store(&entry_patient, true);
    move_all(*(const Group *)args);
    atomic_store(&entry_patient, false);
}

static int queue(void) {
    Comm *c = group.comm;
    if (!group.n || !c) return 0;
    if (stream_is(group_stream) && stream_records(group_stream)) return BAD_USE;
    Work *w = stream_is(group_stream) ? work_new(WORK_CALL, sizeof(Group)) : NULL;
    if (!w) return FAILED;
    *(Group *)(void *)w->args = group;
    w->call = run;
    group.n = 0;
    return stream_add(group_stream, w) ? FAILED : 0;
}

EXPORT int ncclGroupStart(void) {
    BEGIN;
    if (!depth++) group = (Group){.n = 0};
    return end(0);
}

EXPORT int ncclGroupEnd(void) {
    BEGIN;
    if (depth <= 0) return end(BAD_USE);
    return end(--depth ? 0 : queue());
}

static int add(Comm *c, void *stream, Move m) {
    if (m.peer < 0 || m.peer >= c->n || group.n == MOST_MOVES || !memory_holds((uintptr_t)m.at, m.bytes))
        return BAD_USE;
    group.comm = c;
    group_stream = stream;
    group.move[group.n++] = m;
    return 0;
}

static int alone(int code) {
    if (depth) return code;
    return code ? code : queue();
}

EXPORT int ncclSend(const void *from, size_t n, int type, int to, Comm *c, void *stream) {
    BEGIN;
    if (type) return end(BAD_USE);
    return end(alone(add(c, stream, (Move){.at = (void *)(uintptr_t)from, .bytes = n, .peer = to, .sends = true})));
}

EXPORT int ncclRecv(void *to, size_t n, int type, int from, Comm *c, void *stream) {
    BEGIN;
    if (type) return end(BAD_USE);
    return end(alone(add(c, stream, (Move){.at = to, .bytes = n, .peer = from})));
}

EXPORT int ncclAllGather(const void *from, void *to, size_t n, int type, Comm *c, void *stream) {
    BEGIN;
    int code = type || depth ? BAD_USE : 0;
    for (int r = 0; r < c->n && !code; r++) {
        code = add(c, stream, (Move){.at = (void *)(uintptr_t)from, .bytes = n, .peer = r, .sends = true});
        if (!code) code = add(c, stream, (Move){.at = (char *)to + (size_t)r * n, .bytes = n, .peer = r});
    }
    if (code) group.n = 0;
    return end(alone(code));
}
