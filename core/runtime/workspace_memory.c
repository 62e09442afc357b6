/*
 * workspace_memory.c -- where the memory of a call comes from: the context, or a piece of the host's (th_call_arena).
 * In: so many bytes. Out: a piece, aligned by a cache line, that lasts until it is dropped. Always holds: what lies in
 * the host's memory is never given to the allocator; a call whose sizes grow beyond it fails.
 */
#include "packs.h"
#include "runtime/machine/parallel.h"

#include <string.h>

enum { PIECE = 64 };
static size_t whole_lines(size_t bytes) { return (bytes + PIECE - 1) / PIECE * PIECE; }

void *workspace_memory(Workspace *w, size_t bytes) {
    ThContext *c = w->fn->ctx;
    if (!w->lent) return ctx_alloc_aligned(c, bytes, PIECE);
    size_t left = w->lent_bytes - w->lent_used, need = whole_lines(bytes);
    if (need < bytes || need > left) {
        report_room(w, -1,
                    "a call needs %zu bytes more, and %zu of the %zu of its arena are left: its sizes have changed "
                    "since th_workspace_bytes",
                    bytes, left, w->lent_bytes);
        return NULL;
    }
    char *p = w->lent + w->lent_used;
    w->lent_used += need;
    return p;
}

bool workspace_grow(Workspace *w, char **at, size_t *have, size_t need) {
    if (need <= *have) return true;
    char *p = workspace_memory(w, need);
    if (!p) return false;
    workspace_drop(w, *at, *have);
    *at = p;
    *have = need;
    return true;
}

static bool within(const void *p, const char *at, size_t bytes) {
    return at && (uintptr_t)p >= (uintptr_t)at && (uintptr_t)p - (uintptr_t)at < bytes;
}

void workspace_drop(Workspace *w, void *p, size_t bytes) {
    if (!within(p, w->lent, w->lent_bytes)) ctx_free(w->fn->ctx, p, bytes);
}

/* ---- the limit of a function's memory ---------------------------------------------------------------------------- */
static int64_t sum(int64_t a, int64_t b) { return __builtin_add_overflow(a, b, &a) ? INT64_MAX : a; }

/* Is the call to begin again in a function that takes less? Not where the host's code has run. */
static bool bounded(const ThFunction *f) { return f->memory && f->fit && !f->calls_back; }

bool workspace_may(Workspace *w, int64_t more) {
    ThFunction *f = w->fn;
    int64_t held = atomic_fetch_add(&w->held, more) + more, all = sum(w->base, held);
    if (bounded(f) && all > f->memory && more > 0) {
        atomic_fetch_sub(&w->held, more);
        for (const Pack *p = w->pack; p; p = p->next) held -= (int64_t)p->bytes; /* the next function begins without */
        atomic_store(&f->beyond, held);
        w->over = true;
        return err(f->ctx, TH_MemoryError, "this call takes %lld bytes, more than the %lld of `memory`", (long long)all,
                   (long long)f->memory);
    }
    atomic_store_explicit(&f->planned, all, memory_order_relaxed);
    return true;
}

bool workspace_more(Workspace *w, char **at, size_t *have, size_t need) {
    if (need <= *have) return true;
    const int64_t more = (int64_t)(need - *have);
    if (!workspace_may(w, more)) return false;
    if (workspace_grow(w, at, have, need)) return true;
    atomic_fetch_sub(&w->held, more);
    return false;
}

/* What calls of other sizes asked for. */
static void drop_held(Workspace *w) {
    for (int i = 0; i <= HOST_SHARES; i++) workspace_drop(w, w->room[i], w->room_bytes[i]);
    memset(w->room, 0, sizeof w->room), memset(w->room_bytes, 0, sizeof w->room_bytes);
    workspace_drop(w, w->packed, w->packed_bytes);
    w->packed = NULL, w->packed_bytes = 0;
    packs_free(w);
    atomic_store(&w->held, 0);
}

int64_t workspace_registers(const ThFunction *f) {
    return (int64_t)((f->plan->scratch_bytes + interp_scratch(f->interp) + 127) / 64 * 64);
}

static int64_t rounding(const Workspace *w) {
    const ThFunction *f = w->fn;
    int64_t all = 0, bytes;
    for (int i = 0; i < f->nprovided; i++) {
        const PlanBuf *b = &f->plan->buf[f->out[i].buf];
        if (size_bytes(b->size, w->frame.sym, (ThDtype)b->dtype, &bytes))
            all = sum(all, (int64_t)buffer_room((size_t)bytes) - bytes);
    }
    return all;
}

bool workspace_fits(Workspace *w, int64_t arena) {
    ThFunction *f = w->fn;
    const Plan *p = f->plan;
    Packing q = {.sym = w->frame.sym, .alone = parallel_threads(f->ctx) == 1};
    w->rounding = rounding(w);
    int64_t base = sum(sum(plan_results_bytes(p, q.sym), arena), 64 + workspace_registers(f));
    base = sum(base, w->rounding);
    w->packing = workspace_packing(p, &q);
    if (f->memory && !w->lent) drop_held(w);
    const int64_t most = f->memory ? f->memory - f->reserve : INT64_MAX;
    if (sum(base, (int64_t)w->packing) > most) q.alone = true, w->packing = workspace_packing(p, &q);
    if (sum(base, (int64_t)w->packing) > most) {
        q.room = most > base ? most - base : 1;
        w->packing = workspace_packing(p, &q);
    }
    w->alone = q.alone, w->pack_room = q.room, w->late_products |= q.late;
    w->base = sum(base, (int64_t)w->packing), w->went = false;
    atomic_store_explicit(&f->planned, sum(w->base, atomic_load(&w->held)), memory_order_relaxed);
    atomic_store(&f->beyond, 0), atomic_store(&f->rounding, w->rounding);
    w->over = f->memory && w->base > f->memory;
    return !w->over;
}

/* ---- a host's memory --------------------------------------------------------------------------------------------- */
/* Pieces of one block each; panels of weights come on top. */
enum { PIECES = 4 + HOST_SHARES };
static void pieces(Workspace *w, char **at[PIECES], size_t bytes[PIECES]) {
    at[0] = &w->arena, bytes[0] = w->arena_bytes;
    at[1] = (char **)&w->frame.scratch, bytes[1] = w->scratch_bytes;
    at[2] = &w->packed, bytes[2] = w->packed_bytes;
    for (int i = 0; i <= HOST_SHARES; i++) at[3 + i] = &w->room[i], bytes[3 + i] = w->room_bytes[i];
}

size_t workspace_bytes(Workspace *w) {
    char **at[PIECES];
    size_t bytes[PIECES], all = 0;
    pieces(w, at, bytes);
    for (int i = 0; i < PIECES; i++) all += whole_lines(bytes[i]);
    for (const Pack *p = w->pack; p; p = p->next) all += whole_lines(p->bytes);
    return all;
}

/* A piece as it is, elsewhere; the old one is dropped by its owner. */
static char *moved(Workspace *w, Workspace *from, char *p, size_t bytes) {
    if (!p || within(p, w->lent, w->lent_bytes)) return p;
    char *to = workspace_memory(w, bytes);
    if (!to) return NULL;
    memcpy(to, p, bytes);
    workspace_drop(from, p, bytes);
    return to;
}

bool workspace_lend(Workspace *w, void *memory, size_t bytes) {
    Workspace from = {.fn = w->fn, .lent = w->lent, .lent_bytes = w->lent_bytes, .lent_used = w->lent_used};
    char **at[PIECES];
    size_t n[PIECES];
    bool ok = true;
    pieces(w, at, n);
    w->lent = memory, w->lent_bytes = bytes, w->lent_used = 0;
    for (int i = 0; i < PIECES && ok; i++) {
        char *p = moved(w, &from, *at[i], n[i]);
        ok = p || !*at[i];
        if (ok) *at[i] = p;
    }
    for (Pack *k = w->pack; k && ok; k = k->next) {
        char *p = moved(w, &from, k->panels, k->bytes);
        if ((ok = p)) k->panels = p;
    }
    if (!ok) w->lent = from.lent, w->lent_bytes = from.lent_bytes, w->lent_used = from.lent_used;
    if (w->valid) workspace_addresses(w);
    return ok;
}
