/*
 * pool.c -- memory of the runner's Lua state: small blocks from free lists, one a size, since Lua gives each block's
 * size back with it; the others from malloc. Userdata that are watched (pool.h) come from regions of their own. In:
 * lua_Alloc's words. Out: memory. Always holds: a small block never leaves its list; pool_free gives all back at once.
 */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 16, CHUNK = 64 << 10 };
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
enum { SMALL = 0 }; /* a sanitizer is to see each block */
#else
enum { SMALL = STEP * POOL_CLASSES };
#endif

#define APART __attribute__((noinline)) /* so that what is frequent saves no registers for it */

struct PoolChunk {
    struct PoolChunk *next;
    char room[CHUNK];
};

enum { MARK = 16, USERDATA = 7 /* LUA_TUSERDATA, what Lua says it wants memory for */ };

static size_t class_of(size_t size) { return (size - 1) / STEP; }

static void *carve(Pool *p, size_t size) {
    size = (class_of(size) + 1) * STEP;
    if (size > (size_t)(p->end - p->at)) { /* what is left of the last chunk is lost: less than SMALL of 64 KB */
        struct PoolChunk *c = malloc(sizeof *c);
        if (!c) return NULL;
        c->next = p->chunks;
        p->chunks = c;
        p->at = c->room + (STEP - (uintptr_t)c->room % STEP) % STEP;
        p->end = c->room + CHUNK;
    }
    void *block = p->at;
    p->at += size;
    return block;
}

static void *take(Pool *p, size_t size) {
    if (size > SMALL) return malloc(size);
    void **block = p->free[class_of(size)];
    if (!block) return carve(p, size);
    p->free[class_of(size)] = *block;
    return block;
}

static void give(Pool *p, void *block, size_t size) {
    if (size > SMALL) {
        free(block);
        return;
    }
    *(void **)block = p->free[class_of(size)];
    p->free[class_of(size)] = block;
}

/* ---- userdata that are watched ----------------------------------------------------------------------------------- */
static bool grow(Pool *p) {
    const size_t size = p->regions ? 2 * p->regions->size : CHUNK;
    struct PoolRegion *r = malloc(sizeof *r + STEP + size);
    if (!r) return false;
    char *room = (char *)(r + 1);
    room += (STEP - (uintptr_t)room % STEP) % STEP;
    *r = (struct PoolRegion){.next = p->regions, .size = size, .room = room, .end = room + size};
    p->regions = r;
    p->watch_at = r->room;
    p->watch_end = r->end;
    return true;
}

static APART void *carve_watched(Pool *p) {
    const size_t step = MARK + (class_of(p->watch.size) + 1) * STEP;
    if (step > (size_t)(p->watch_end - p->watch_at) && !grow(p)) return NULL;
    void *block = p->watch_at + MARK;
    p->watch_at += step;
    return block;
}

static inline void *take_watched(Pool *p) {
    void **block = p->watched;
    if (block) p->watched = *block;
    else if (!(block = carve_watched(p))) return NULL;
    *(uint64_t *)(void *)((char *)block - MARK) = 0;
    return block;
}

static APART void give_watched(Pool *p, void *block) {
    const PoolWatch *w = &p->watch;
    if (*(uint64_t *)(void *)((char *)block - MARK)) w->gone(w->user, (char *)block + w->size - w->bytes);
    *(void **)block = p->watched;
    p->watched = block;
}

static APART void *take_userdata(Pool *p, size_t size) {
    void *block = take(p, size);
    p->watch.last = block;
    p->watch.last_size = size;
    return block;
}

static APART void *resize(Pool *p, void *block, size_t old, size_t size) {
    if (old > SMALL && size > SMALL) return realloc(block, size);
    if (old <= SMALL && size <= SMALL && class_of(old) == class_of(size)) return block;
    void *fresh = take(p, size);
    if (!fresh) return size <= old ? block : NULL; /* Lua counts on shrinking */
    memcpy(fresh, block, old < size ? old : size);
    give(p, block, old);
    return fresh;
}

void *pool_alloc(void *user, void *block, size_t old, size_t size) {
    Pool *p = user;
    if (!block) { /* old is then a type, not a size */
        if (!size) return NULL;
        if (old != USERDATA) return take(p, size);
        return size == p->watch.size ? take_watched(p) : take_userdata(p, size);
    }
    if (size) return resize(p, block, old, size);
    if (old == p->watch.size && pool_has(p, block)) give_watched(p, block);
    else give(p, block, old);
    return NULL;
}

void pool_free(Pool *p) {
    while (p->regions) {
        struct PoolRegion *next = p->regions->next;
        free(p->regions);
        p->regions = next;
    }
    while (p->chunks) {
        struct PoolChunk *next = p->chunks->next;
        free(p->chunks);
        p->chunks = next;
    }
}
