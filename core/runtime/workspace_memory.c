/*
 * workspace_memory.c -- where the memory of a call comes from: the context, or a piece of the host's (th_call_arena).
 * In: so many bytes. Out: a piece, aligned by a cache line, that lasts until it is dropped. Always holds: what lies in
 * the host's memory is never given to the allocator; a call whose sizes grow beyond it fails.
 */
#include "packs.h"

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

static bool within(const void *p, const char *at, size_t bytes) {
    return at && (uintptr_t)p >= (uintptr_t)at && (uintptr_t)p - (uintptr_t)at < bytes;
}

void workspace_drop(Workspace *w, void *p, size_t bytes) {
    if (!within(p, w->lent, w->lent_bytes)) ctx_free(w->fn->ctx, p, bytes);
}

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
