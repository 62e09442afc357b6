/*
 * collective.c -- jobs and the thread that does them, in the order in which they were started. In: bytes. Out: bytes,
 * or a message. Always holds: only the thread calls the library; before each job all ranks compare what they are about
 * to do, so that ranks which do not agree, or one that has ended, make an error and no deadlock. The library's handles
 * are addresses inside of it (Open MPI 2 to 5); its prototypes are declared here.
 */
#include "buffers.h"
#include "collective.h"
#include "threads.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MPI_FUNNELED = 1, MPI_MESSAGE = 256 };
enum { SMALL = 1 << 16, PIECE = 1 << 26 }; /* bytes: gathered whole by every rank; reduced at once */

typedef struct MpiLibrary {
    int (*init)(int *argc, char ***argv, int wanted, int *given);
    int (*initialized)(int *flag);
    int (*finalize)(void);
    int (*rank)(void *comm, int *rank);
    int (*size)(void *comm, int *size);
    int (*on_error)(void *comm, void *handler);
    int (*error_text)(int code, char *text, int *n);
    int (*allreduce)(const void *in, void *out, int n, void *type, void *op, void *comm);
    int (*bcast)(void *data, int n, void *type, int root, void *comm);
    int (*gather)(const void *in, int n, void *type, void *out, int m, void *to, int root, void *comm);
    int (*allgather)(const void *in, int n, void *type, void *out, int m, void *to, void *comm);
    int (*scatter)(const void *in, int n, void *type, void *out, int m, void *to, int root, void *comm);
    int (*alltoall)(const void *in, int n, void *type, void *out, int m, void *to, void *comm);
    void *world, *byte, *word, *max, *errors_return;
} MpiLibrary;

typedef struct MpiJob {
    struct MpiJob *next;
    int64_t id;
    MpiAsk ask;
    char *in, *out;
    bool done;
    char error[MPI_MESSAGE];
} MpiJob;

struct Mpi {
    MpiLibrary lib;
    int rank, n;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    MpiJob *first, *last, *done; /* to do, in order; done and not waited for */
    Buffers *buffers;            /* of what jobs take and give */
    int64_t id;
    bool ready;    /* the library is initialised, or has failed */
    bool broken;   /* ranks did not agree: no more calls but the last */
    char *scratch; /* the thread's */
    size_t nscratch;
    char error[MPI_MESSAGE];
};

/* ---- the library --------------------------------------------------------------------------------------------------
 */
static bool mpi_library(MpiLibrary *l, char *why, size_t n) {
    void *h = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
    if (!h) h = dlopen("libmpi.so", RTLD_NOW | RTLD_GLOBAL);
    if (!h) return snprintf(why, n, "Open MPI is not there: install libopenmpi3 (openmpi-bin)"), false;
    const struct {
        const char *name;
        void *at;
    } names[] = {{"MPI_Init_thread", &l->init},
                 {"MPI_Initialized", &l->initialized},
                 {"MPI_Finalize", &l->finalize},
                 {"MPI_Comm_rank", &l->rank},
                 {"MPI_Comm_size", &l->size},
                 {"MPI_Comm_set_errhandler", &l->on_error},
                 {"MPI_Error_string", &l->error_text},
                 {"MPI_Allreduce", &l->allreduce},
                 {"MPI_Bcast", &l->bcast},
                 {"MPI_Gather", &l->gather},
                 {"MPI_Allgather", &l->allgather},
                 {"MPI_Scatter", &l->scatter},
                 {"MPI_Alltoall", &l->alltoall},
                 {"ompi_mpi_comm_world", &l->world},
                 {"ompi_mpi_byte", &l->byte},
                 {"ompi_mpi_uint64_t", &l->word},
                 {"ompi_mpi_op_max", &l->max},
                 {"ompi_mpi_errors_return", &l->errors_return}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *f = dlsym(h, names[i].name);
        if (!f) return snprintf(why, n, "libmpi is no Open MPI that is known: it has no %s", names[i].name), false;
        memcpy(names[i].at, &f, sizeof f);
    }
    return true;
}

/* True when the call went well; otherwise the job's message says what the library says. */
static bool mpi_ok(Mpi *m, MpiJob *j, int code) {
    char text[MPI_MESSAGE * 4] = "";
    int n = 0;
    if (code == 0) return true;
    m->lib.error_text(code, text, &n);
    snprintf(j->error, sizeof j->error, "Open MPI: %.*s", MPI_MESSAGE - 32, text);
    m->broken = true;
    return false;
}

/* ---- memory -------------------------------------------------------------------------------------------------------
 */
static void mpi_free(Mpi *m) {
    buffers_close(m->buffers);
    free(m->scratch);
    pthread_cond_destroy(&m->changed);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

/* Bytes of each rank's part that are reduced at once: counts of the library are ints. */
static size_t mpi_piece(const Mpi *m, const MpiAsk *a) {
    size_t e = th_dtype_bytes(a->dtype), n = (size_t)a->n;
    size_t most = a->what == MPI_JOB_ALLREDUCE ? PIECE / e : PIECE / e / (size_t)m->n;
    return n < most ? n : most ? most : 1;
}

/* The thread's working memory, made before ranks compare: a rank that has none says so to all. */
static bool mpi_room(Mpi *m, const MpiAsk *a) {
    size_t size = 0, ranks = (size_t)m->n;
    if (a->what == MPI_JOB_ALLREDUCE) size = 2 * (mpi_piece(m, a) + ranks) * th_dtype_bytes(a->dtype);
    else if (a->what == MPI_JOB_REDUCE_SCATTER) size = 2 * mpi_piece(m, a) * ranks * th_dtype_bytes(a->dtype);
    if (size < SMALL) size = SMALL;
    if (size <= m->nscratch) return true;
    free(m->scratch);
    m->scratch = malloc(size);
    m->nscratch = m->scratch ? size : 0;
    return m->scratch != NULL;
}

/* ---- reductions ---------------------------------------------------------------------------------------------------
 */
#define MPI_FOLD(T, C) \
    static void fold_##T(ThRanksOp op, void *into, const void *from, size_t n) { \
        C *a = into; \
        const C *b = from; \
        if (op == TH_RANKS_SUM || op == TH_RANKS_MEAN) \
            for (size_t i = 0; i < n; i++) a[i] = (C)(a[i] + b[i]); \
        else if (op == TH_RANKS_PROD) \
            for (size_t i = 0; i < n; i++) a[i] = (C)(a[i] * b[i]); \
        else if (op == TH_RANKS_MAX) \
            for (size_t i = 0; i < n; i++) a[i] = a[i] > b[i] || a[i] != a[i] ? a[i] : b[i]; \
        else \
            for (size_t i = 0; i < n; i++) a[i] = a[i] < b[i] || a[i] != a[i] ? a[i] : b[i]; \
    }
/* Integers wrap around, as elsewhere: they are folded as unsigned ones where signs do not matter. */
MPI_FOLD(u8, uint8_t)
MPI_FOLD(u16, uint16_t)
MPI_FOLD(u32, uint32_t)
MPI_FOLD(u64, uint64_t)
MPI_FOLD(i8, int8_t)
MPI_FOLD(i16, int16_t)
MPI_FOLD(i32, int32_t)
MPI_FOLD(i64, int64_t)
MPI_FOLD(f32, float)
MPI_FOLD(f64, double)

static void mpi_fold(ThRanksOp op, ThDtype d, void *into, const void *from, size_t n) {
    bool order = op == TH_RANKS_MAX || op == TH_RANKS_MIN;
    switch (d) {
    case TH_BOOL: /* their maximum is "or", their minimum "and" */
    case TH_UINT8: fold_u8(op, into, from, n); return;
    case TH_UINT16: fold_u16(op, into, from, n); return;
    case TH_UINT32: fold_u32(op, into, from, n); return;
    case TH_UINT64: fold_u64(op, into, from, n); return;
    case TH_INT8: (order ? fold_i8 : fold_u8)(op, into, from, n); return;
    case TH_INT16: (order ? fold_i16 : fold_u16)(op, into, from, n); return;
    case TH_INT32: (order ? fold_i32 : fold_u32)(op, into, from, n); return;
    case TH_INT64: (order ? fold_i64 : fold_u64)(op, into, from, n); return;
    case TH_FLOAT32: fold_f32(op, into, from, n); return;
    case TH_FLOAT64: fold_f64(op, into, from, n); return;
    case TH_COMPLEX64: fold_f32(op, into, from, 2 * n); return; /* sums only */
    case TH_COMPLEX128: fold_f64(op, into, from, 2 * n); return;
    default: return;
    }
}

/* Sums divided by the number of ranks: floats only. */
static void mpi_divide(const Mpi *m, ThDtype d, void *at, size_t n) {
    if (th_dtype_kind(d) == 'c') n *= 2;
    if (d == TH_FLOAT32 || d == TH_COMPLEX64)
        for (size_t i = 0; i < n; i++) ((float *)at)[i] /= (float)m->n;
    else
        for (size_t i = 0; i < n; i++) ((double *)at)[i] /= (double)m->n;
}

/* The blocks of all ranks, one after the other, folded into the first from first to last. */
static void mpi_fold_blocks(const Mpi *m, const MpiAsk *a, char *blocks, size_t n) {
    size_t bytes = n * th_dtype_bytes(a->dtype);
    for (int r = 1; r < m->n; r++) mpi_fold(a->op, a->dtype, blocks, blocks + (size_t)r * bytes, n);
    if (a->op == TH_RANKS_MEAN) mpi_divide(m, a->dtype, blocks, n);
}

/* Every rank folds a block of the piece and gives it to all. */
static bool reduce_piece(Mpi *m, MpiJob *j, const char *in, char *out, size_t n) {
    size_t e = th_dtype_bytes(j->ask.dtype), block = (n + (size_t)m->n - 1) / (size_t)m->n;
    size_t bytes = block * e, all = bytes * (size_t)m->n;
    char *s = m->scratch;
    memcpy(s, in, n * e);
    memset(s + n * e, 0, all - n * e);
    if (!mpi_ok(m, j, m->lib.alltoall(s, (int)bytes, m->lib.byte, s + all, (int)bytes, m->lib.byte, m->lib.world)))
        return false;
    mpi_fold_blocks(m, &j->ask, s + all, block);
    if (!mpi_ok(m, j, m->lib.allgather(s + all, (int)bytes, m->lib.byte, s, (int)bytes, m->lib.byte, m->lib.world)))
        return false;
    memcpy(out, s, n * e);
    return true;
}

static bool do_allreduce(Mpi *m, MpiJob *j) {
    size_t e = th_dtype_bytes(j->ask.dtype), n = (size_t)j->ask.n, bytes = n * e;
    if (bytes * (size_t)m->n <= SMALL) {
        char *s = m->scratch;
        if (!mpi_ok(m, j, m->lib.allgather(j->in, (int)bytes, m->lib.byte, s, (int)bytes, m->lib.byte, m->lib.world)))
            return false;
        mpi_fold_blocks(m, &j->ask, s, n);
        memcpy(j->out, s, bytes);
        return true;
    }
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < mpi_piece(m, &j->ask) ? n - at : mpi_piece(m, &j->ask);
        if (!reduce_piece(m, j, j->in + at * e, j->out + at * e, some)) return false;
    }
    return true;
}

static bool do_reduce_scatter(Mpi *m, MpiJob *j) {
    size_t e = th_dtype_bytes(j->ask.dtype), n = (size_t)j->ask.n, ranks = (size_t)m->n;
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < mpi_piece(m, &j->ask) ? n - at : mpi_piece(m, &j->ask);
        size_t bytes = some * e;
        char *s = m->scratch, *from = s + bytes * ranks;
        for (size_t r = 0; r < ranks; r++) memcpy(s + r * bytes, j->in + (r * n + at) * e, bytes);
        if (!mpi_ok(m, j, m->lib.alltoall(s, (int)bytes, m->lib.byte, from, (int)bytes, m->lib.byte, m->lib.world)))
            return false;
        mpi_fold_blocks(m, &j->ask, from, some);
        memcpy(j->out + at * e, from, bytes);
    }
    return true;
}

/* ---- copies -------------------------------------------------------------------------------------------------------
 */
static bool do_bcast(Mpi *m, MpiJob *j) {
    size_t bytes = (size_t)j->ask.n * th_dtype_bytes(j->ask.dtype);
    memcpy(j->out, j->in, bytes);
    for (size_t at = 0, some; at < bytes; at += some) {
        some = bytes - at < PIECE ? bytes - at : PIECE;
        if (!mpi_ok(m, j, m->lib.bcast(j->out + at, (int)some, m->lib.byte, j->ask.root, m->lib.world))) return false;
    }
    return true;
}

static bool do_gather(Mpi *m, MpiJob *j) {
    int n = (int)(j->ask.n * (int64_t)th_dtype_bytes(j->ask.dtype));
    const MpiLibrary *l = &m->lib;
    return mpi_ok(m, j,
                  j->ask.root < 0 ? l->allgather(j->in, n, l->byte, j->out, n, l->byte, l->world)
                                  : l->gather(j->in, n, l->byte, j->out, n, l->byte, j->ask.root, l->world));
}

static bool do_scatter(Mpi *m, MpiJob *j) {
    int n = (int)(j->ask.n * (int64_t)th_dtype_bytes(j->ask.dtype));
    const MpiLibrary *l = &m->lib;
    return mpi_ok(m, j, l->scatter(j->in, n, l->byte, j->out, n, l->byte, j->ask.root, l->world));
}

/* ---- all ranks at the same job ------------------------------------------------------------------------------------
 */
enum { NO_ROOM = -1 };
static const char *const job_names[] = {
    "the end of its script", "allreduce", "reduce_scatter", "bcast", "gather", "scatter", "allreduce on a GPU"};

static void mpi_say(char *text, size_t size, int rank, const int64_t *w) {
    if (w[0] == MPI_JOB_END) snprintf(text, size, "rank %d has ended", rank);
    else if (w[0] == NO_ROOM) snprintf(text, size, "rank %d has no memory for messages", rank);
    else
        snprintf(text, size, "rank %d is at %s of %lld %s", rank, job_names[w[0]], (long long)w[4],
                 th_dtype_name((ThDtype)w[3]));
}

/* What the first rank that differs from this one does, or from the first one. */
static void mpi_disagreement(Mpi *m, MpiJob *j, const int64_t *mine) {
    int64_t *all = malloc((size_t)m->n * 5 * sizeof *all);
    char one[100] = "", other[100] = "";
    if (all && mpi_ok(m, j,
                      m->lib.allgather(mine, 5 * (int)sizeof *all, m->lib.byte, all, 5 * (int)sizeof *all, m->lib.byte,
                                       m->lib.world))) {
        int r = 0;
        for (int i = 0; i < m->n && !r; i++)
            if (i != m->rank && all[5 * i] <= MPI_JOB_END) r = i + 1; /* who has ended is the reason */
        for (int i = 0; i < m->n && !r; i++)
            if (memcmp(all + (size_t)5 * i, mine, 5 * sizeof *all) != 0) r = i + 1;
        if (r) mpi_say(other, sizeof other, r - 1, all + (size_t)5 * (r - 1));
        mpi_say(one, sizeof one, m->rank, mine);
        snprintf(j->error, sizeof j->error, "%s, %s: all ranks have to do the same", other, one);
    }
    free(all);
    m->broken = true;
}

/* Largest of a number and of its complement are each other's complements where all ranks have the same number. */
static bool mpi_agree(Mpi *m, MpiJob *j) {
    const MpiAsk *a = &j->ask;
    int64_t mine[5] = {mpi_room(m, a) ? (int64_t)a->what : NO_ROOM, a->op, a->root, a->dtype, a->n};
    uint64_t h = 1469598103934665603u, in[3], all[3];
    for (int i = 0; i < 5; i++) h = (h ^ (uint64_t)mine[i]) * 1099511628211u, h ^= h >> 29;
    in[0] = h, in[1] = ~h, in[2] = a->asked;
    if (!mpi_ok(m, j, m->lib.allreduce(in, all, 3, m->lib.word, m->lib.max, m->lib.world))) return false;
    j->ask.asked = all[2] != 0;
    if (all[0] == ~all[1] && mine[0] != NO_ROOM) return true;
    mpi_disagreement(m, j, mine);
    return false;
}

/* A job of others: it is looked at until it is done. Those who do it find out what keeps them from it. */
static bool do_watch(Mpi *m, MpiJob *j) {
    (void)m;
    for (long wait = 20; !j->ask.over(j->ask.of); wait = wait < 1000 ? 2 * wait : wait)
        nanosleep(&(struct timespec){.tv_nsec = wait * 1000}, NULL);
    return true;
}

static void mpi_do(Mpi *m, MpiJob *j) {
    static bool (*const does[])(Mpi *, MpiJob *) = {NULL,      do_allreduce, do_reduce_scatter, do_bcast,
                                                    do_gather, do_scatter,   do_watch};
    bool always = j->ask.what == MPI_JOB_WATCH; /* even of nothing */
    if (m->broken) snprintf(j->error, sizeof j->error, "%s", m->error);
    else if (mpi_agree(m, j) && (j->ask.n > 0 || always) && does[j->ask.what]) does[j->ask.what](m, j);
    if (*j->error) snprintf(m->error, sizeof m->error, "%s", j->error);
    if (*j->error && j->ask.lost) j->ask.lost(j->ask.of, j->error);
}

static void mpi_job_free(MpiJob *j) {
    buffers_give(j->in);
    buffers_give(j->out);
    free(j);
}

/* ---- the thread ---------------------------------------------------------------------------------------------------
 */
static void mpi_begin(Mpi *m) {
    int on = 0, given = 0;
    m->lib.initialized(&on);
    if (on) snprintf(m->error, sizeof m->error, "another Lua state of this process uses MPI already");
    else if (m->lib.init(NULL, NULL, MPI_FUNNELED, &given) != 0)
        snprintf(m->error, sizeof m->error, "MPI_Init_thread fails");
    else {
        m->lib.on_error(m->lib.world, m->lib.errors_return);
        m->lib.rank(m->lib.world, &m->rank);
        m->lib.size(m->lib.world, &m->n);
    }
}

static void *mpi_thread(void *user) {
    Mpi *m = user;
    mpi_begin(m);
    pthread_mutex_lock(&m->lock);
    m->ready = true;
    bool on = !*m->error;
    pthread_cond_broadcast(&m->changed);
    while (on) {
        MpiJob *j = m->first;
        if (!j) {
            pthread_cond_wait(&m->changed, &m->lock);
            continue;
        }
        pthread_mutex_unlock(&m->lock);
        mpi_do(m, j);
        on = j->ask.what != MPI_JOB_END;
        pthread_mutex_lock(&m->lock);
        m->first = j->next;
        if (!m->first) m->last = NULL;
        if (j->ask.what == MPI_JOB_WATCH) mpi_job_free(j);
        else {
            j->next = m->done;
            m->done = j;
            j->done = true;
        }
        pthread_cond_broadcast(&m->changed);
    }
    pthread_mutex_unlock(&m->lock);
    if (m->n) m->lib.finalize();
    return NULL;
}

Mpi *mpi_open(char *why, size_t n, int *rank, int *size) {
    Mpi *m = calloc(1, sizeof *m);
    if (!m || !(m->buffers = buffers_open())) return free(m), snprintf(why, n, "no memory"), NULL;
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->changed, NULL);
    bool runs = mpi_library(&m->lib, why, n);
    if (runs && !thread_begin(&m->thread, mpi_thread, m)) {
        snprintf(why, n, "no thread can be started");
        runs = false;
    }
    if (runs) {
        pthread_mutex_lock(&m->lock);
        while (!m->ready) pthread_cond_wait(&m->changed, &m->lock);
        pthread_mutex_unlock(&m->lock);
        if (*m->error) {
            snprintf(why, n, "%s", m->error);
            pthread_join(m->thread, NULL);
            runs = false;
        }
    }
    if (!runs) return mpi_free(m), NULL;
    *rank = m->rank;
    *size = m->n;
    return m;
}

/* ---- jobs ---------------------------------------------------------------------------------------------------------
 */
int64_t mpi_given(const Mpi *m, const MpiAsk *a) {
    if (a->what == MPI_JOB_WATCH) return 0;
    if (a->what == MPI_JOB_REDUCE_SCATTER) return a->n * m->n;
    if (a->what == MPI_JOB_SCATTER) return a->root == m->rank ? a->n * m->n : 0;
    return a->n;
}

int64_t mpi_gotten(const Mpi *m, const MpiAsk *a) {
    if (a->what == MPI_JOB_WATCH) return 0;
    if (a->what == MPI_JOB_GATHER) return a->root < 0 || a->root == m->rank ? a->n * m->n : 0;
    return a->n;
}

int64_t mpi_start(Mpi *m, const MpiAsk *a, const void *data) {
    MpiJob *j = calloc(1, sizeof *j);
    size_t e = a->what == MPI_JOB_END ? 0 : th_dtype_bytes(a->dtype), in = (size_t)mpi_given(m, a) * e;
    if (!j) return 0;
    j->ask = *a;
    j->in = buffers_take(m->buffers, in);
    j->out = buffers_take(m->buffers, (size_t)mpi_gotten(m, a) * e);
    if (!j->in || !j->out) {
        buffers_give(j->in);
        buffers_give(j->out);
        free(j);
        return 0;
    }
    if (in) memcpy(j->in, data, in);
    pthread_mutex_lock(&m->lock);
    j->id = ++m->id;
    if (m->last) m->last->next = j;
    else m->first = j;
    m->last = j;
    pthread_cond_broadcast(&m->changed);
    int64_t id = j->id;
    pthread_mutex_unlock(&m->lock);
    return id;
}

/* The job of that number out of those that are done; NULL: it is not there yet. The lock is held. */
static MpiJob *mpi_take_done(Mpi *m, int64_t id) {
    MpiJob **at = &m->done;
    while (*at && (*at)->id != id) at = &(*at)->next;
    MpiJob *j = *at;
    if (j) *at = j->next;
    return j;
}

static bool mpi_is_waiting(const Mpi *m, int64_t id) {
    for (const MpiJob *j = m->first; j; j = j->next)
        if (j->id == id) return true;
    return false;
}

void *mpi_wait(Mpi *m, int64_t id, bool *asked, char *why, size_t n) {
    pthread_mutex_lock(&m->lock);
    MpiJob *j = mpi_take_done(m, id);
    while (!j && mpi_is_waiting(m, id)) {
        pthread_cond_wait(&m->changed, &m->lock);
        j = mpi_take_done(m, id);
    }
    pthread_mutex_unlock(&m->lock);
    if (!j) return snprintf(why, n, "there is no such job"), NULL;
    *asked = j->ask.asked;
    char *out = j->out;
    buffers_give(j->in);
    if (*j->error) {
        snprintf(why, n, "%s", j->error);
        buffers_give(out);
        out = NULL;
    }
    free(j);
    return out;
}

void mpi_close(Mpi *m) {
    bool asked;
    char why[MPI_MESSAGE];
    int64_t id = mpi_start(m, &(MpiAsk){.what = MPI_JOB_END}, NULL);
    if (!id) return; /* no memory: the process ends, and mpirun the job */
    buffers_give(mpi_wait(m, id, &asked, why, sizeof why));
    pthread_join(m->thread, NULL);
    while (m->done) { /* started, and never waited for */
        MpiJob *j = m->done;
        m->done = j->next;
        mpi_job_free(j);
    }
    mpi_free(m);
}
