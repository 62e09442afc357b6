/*
 * tables.c -- tables of transforms, kept by the context: a second call with the same lengths makes none. In: use,
 * length, dtype. Out: tables. Always holds: tables in use stay; what was used longest ago goes first.
 */
#include "tables.h"

#include "library.h"

#include <string.h>

static void drop(ThContext *c, FftTables *t) {
    ctx_free(c, t->room, t->bytes);
    ctx_free(c, t, sizeof *t);
}

static void release(ThContext *c, void *p) {
    FftKeeper *k = p;
    for (int i = 0; i < k->n; i++) drop(c, k->at[i]);
    if (k->library) fft_library_free(c, k->library);
    os_lock_end(&k->lock);
    ctx_free(c, k, sizeof *k);
}

FftKeeper *fft_keeper(ThContext *c) {
    void *old = __atomic_load_n(&c->slot[CTX_FFT], __ATOMIC_ACQUIRE);
    if (old) return old;
    FftKeeper *k = ctx_alloc0(c, sizeof *k);
    if (!k) return NULL;
    os_lock_init(&k->lock);
    __atomic_store_n(&c->slot_free[CTX_FFT], release, __ATOMIC_RELEASE);
    if (__atomic_compare_exchange_n(&c->slot[CTX_FFT], &old, (void *)k, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return k;
    release(c, k); /* another thread was first */
    return old;
}

static FftTables *find(FftKeeper *k, FftUse use, int64_t n, ThDtype d) {
    for (int i = 0; i < k->n; i++) {
        FftTables *t = k->at[i];
        if (t->n != n || t->use != use || t->dtype != d) continue;
        t->users++;
        t->last = ++k->clock;
        return t;
    }
    return NULL;
}

/* Takes the unused tables out that were used longest ago, until `more` fits; they go to `out`. */
static int make_room(FftKeeper *k, size_t more, FftTables **out) {
    int dropped = 0;
    while (k->n == FFT_KEPT || (k->n && k->bytes + more > FFT_KEPT_BYTES)) {
        int oldest = -1;
        for (int i = 0; i < k->n; i++)
            if (!k->at[i]->users && (oldest < 0 || k->at[i]->last < k->at[oldest]->last)) oldest = i;
        if (oldest < 0) break;
        k->bytes -= k->at[oldest]->bytes;
        out[dropped++] = k->at[oldest];
        k->at[oldest] = k->at[--k->n];
    }
    return dropped;
}

static FftTables *make(ThContext *c, FftUse use, int64_t n, ThDtype d) {
    size_t bytes = fft_table_bytes(use, n, d), work_bytes = fft_table_work(use, n, d);
    FftTables *t = ctx_alloc0(c, sizeof *t);
    char *room = t ? ctx_alloc_aligned(c, bytes, 64) : NULL;
    char *work = room && work_bytes ? ctx_alloc_aligned(c, work_bytes, 64) : NULL;
    if (!room || (work_bytes && !work)) {
        if (room) ctx_free(c, room, bytes);
        if (t) ctx_free(c, t, sizeof *t);
        return NULL;
    }
    fft_table_fill(t, use, n, d, room, work);
    if (work) ctx_free(c, work, work_bytes);
    t->room = room, t->bytes = bytes, t->users = 1;
    return t;
}

const FftTables *fft_tables(ThContext *c, FftUse use, int64_t n, ThDtype d) {
    FftKeeper *k = fft_keeper(c);
    FftTables *t, *old, *out[FFT_KEPT];
    int dropped = 0;
    if (!k) return NULL;
    os_lock(&k->lock);
    t = find(k, use, n, d);
    os_unlock(&k->lock);
    if (t || !(t = make(c, use, n, d))) return t;
    os_lock(&k->lock);
    if ((old = find(k, use, n, d))) { /* another thread was first */
        out[dropped++] = t, t = old;
    } else {
        dropped = make_room(k, t->bytes, out);
        t->last = ++k->clock;
        t->kept = k->n < FFT_KEPT;
        if (t->kept) k->at[k->n++] = t, k->bytes += t->bytes;
    }
    os_unlock(&k->lock);
    for (int i = 0; i < dropped; i++) drop(c, out[i]);
    return t;
}

void fft_tables_done(ThContext *c, const FftTables *tables) {
    FftTables *t = (FftTables *)tables;
    FftKeeper *k = fft_keeper(c);
    if (!t->kept) {
        drop(c, t);
        return;
    }
    os_lock(&k->lock);
    t->users--;
    os_unlock(&k->lock);
}
