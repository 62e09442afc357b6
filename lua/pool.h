/* pool.h -- the allocator of the runner's Lua state (pool.c), and the userdata whose end it tells. */
#ifndef LT_POOL_H
#define LT_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_CLASSES = 32 };

/* Userdata of one size are blocks of their own, and what became of such a block (pool_mark) is told when Lua gives it
 * back: what a finalizer would do, for a seventh of its price and a cycle of the collector earlier. `gone` may not call
 * Lua, nor may what it calls. */
typedef struct PoolWatch {
    void (*gone)(void *user, void *data); /* NULL: nothing is watched */
    void *user;
    size_t size, bytes; /* of a block, as Lua asks for it; of its end, which is the userdata's data */
    void *last;         /* the userdata made last, and its size: what pool_watch learns `size` from */
    size_t last_size;
} PoolWatch;

typedef struct Pool { /* starts as zeros */
    void *free[POOL_CLASSES];
    char *at, *end;
    struct PoolChunk *chunks;
    PoolWatch watch;
    void *watched;              /* free blocks of these.. */
    char *watch_at, *watch_end; /* ..and the rest of the newest region that they come from */
    struct PoolRegion *regions; /* newest first, each twice as large as the one before.. */
    struct PoolRegion *asked;   /* ..and the one that had what was asked for last, or NULL */
} Pool;

void *pool_alloc(void *pool, void *block, size_t old, size_t size); /* a lua_Alloc */
void pool_free(Pool *p);                                            /* after lua_close */

/* The userdata made last holds `bytes` of data at `data`: whether the end of its like can be told from now on. */
static inline bool pool_watch(Pool *p, void (*gone)(void *user, void *data), void *user, const void *data,
                              size_t bytes) {
    PoolWatch *w = &p->watch;
    if (!w->last || (const char *)w->last + w->last_size != (const char *)data + bytes) return false;
    w->size = w->last_size;
    w->bytes = bytes;
    w->user = user;
    w->gone = gone;
    return true;
}

struct PoolRegion { /* of watched blocks, each with its mark 16 bytes in front of it */
    struct PoolRegion *next;
    size_t size;
    char *room, *end;
};
static inline bool pool_in(const struct PoolRegion *r, const void *at) {
    return (uintptr_t)at >= (uintptr_t)r->room && (uintptr_t)at < (uintptr_t)r->end;
}
static inline bool pool_has(Pool *p, const void *at) {
    if (p->asked && pool_in(p->asked, at)) return true;
    for (struct PoolRegion *r = p->regions; r; r = r->next)
        if (pool_in(r, at)) return p->asked = r, true;
    return false;
}

/* The userdata with this data, made since, is one whose end is told. Its mark stands in front of Lua's block. */
static inline void pool_mark(const Pool *p, void *data) {
    char *block = (char *)data + p->watch.bytes - p->watch.size;
    *(uint64_t *)(void *)(block - 16) = 1;
}

/* Whether a userdata's data is that of one which was marked. */
static inline bool pool_marked(Pool *p, const void *data) {
    const char *block = (const char *)data + p->watch.bytes - p->watch.size;
    return pool_has(p, block) && *(const uint64_t *)(const void *)(block - 16);
}

#endif
