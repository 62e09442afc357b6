/*
 * arena.c -- memory freed all at once.
 *
 * In: sizes. Out: 16-aligned memory that lives until arena_free. Always holds: chunks grow from 4 KB to 1 MB, so the
 * number of calls of the allocator is logarithmic at first and the waste small later; a request that is large for the
 * current chunk gets one of its own and leaves the current one in use.
 */
#include "base.h"

#include <string.h>

enum { FIRST = 4096, LARGEST = 1 << 20, ALIGN = 16, LINE = 64 };

typedef struct Chunk {
    _Alignas(ALIGN) struct Chunk *next;
    size_t bytes; /* of the allocation, this head included */
} Chunk;
_Static_assert(sizeof(Chunk) % ALIGN == 0, "what follows the head must be aligned");

struct Arena {
    ThContext *c;
    Chunk *chunks;
    char *at, *end;
    size_t chunk; /* size of the next chunk */
    size_t bytes; /* held from the context */
};

Arena *arena_new(ThContext *c) {
    Arena *a = ctx_alloc0(c, sizeof *a);
    if (!a) return NULL;
    a->c = c;
    a->chunk = FIRST;
    a->bytes = sizeof *a;
    return a;
}

void arena_free(Arena *a) {
    if (!a) return;
    ThContext *c = a->c;
    for (Chunk *k = a->chunks, *next; k; k = next) {
        next = k->next;
        ctx_free(c, k, k->bytes);
    }
    ctx_free(c, a, sizeof *a);
}

/* A chunk with room for `bytes` behind its head. */
static Chunk *add(Arena *a, size_t bytes) {
    Chunk *k = ctx_alloc(a->c, bytes);
    if (!k) return NULL;
    k->bytes = bytes;
    k->next = a->chunks;
    a->chunks = k;
    a->bytes += bytes;
    return k;
}

void *arena_alloc(Arena *a, size_t bytes) {
    if (bytes > PTRDIFF_MAX / 2) {
        err_nomem(a->c);
        return NULL;
    }
    size_t need = bytes ? (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
    if (need <= (size_t)(a->end - a->at)) {
        char *p = a->at;
        a->at += need;
        return p;
    }
    if (need > a->chunk / 4) {
        Chunk *own = add(a, sizeof(Chunk) + need);
        return own ? own + 1 : NULL;
    }
    Chunk *k = add(a, a->chunk);
    if (!k) return NULL;
    a->at = (char *)(k + 1) + need;
    a->end = (char *)k + a->chunk;
    if (a->chunk < LARGEST) a->chunk *= 2;
    return k + 1;
}

void *arena_alloc0(Arena *a, size_t bytes) {
    void *p = arena_alloc(a, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *arena_alloc0_line(Arena *a, size_t bytes) {
    size_t skip = (size_t)(-(uintptr_t)a->at & (LINE - 1)), room = (size_t)(a->end - a->at);
    if (bytes <= room && skip <= room - bytes) {
        a->at += skip;
        return arena_alloc0(a, bytes);
    }
    char *p = bytes > PTRDIFF_MAX / 2 ? arena_alloc(a, bytes) : arena_alloc(a, bytes + LINE);
    return p ? memset(p + (-(uintptr_t)p & (LINE - 1)), 0, bytes) : NULL;
}

char *arena_strdup(Arena *a, const char *s) {
    if (!s) return NULL;
    size_t n = strlen(s) + 1;
    char *p = arena_alloc(a, n);
    return p ? memcpy(p, s, n) : NULL;
}

ThContext *arena_context(Arena *a) { return a->c; }
size_t arena_bytes(const Arena *a) { return a->bytes; }
