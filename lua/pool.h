/* pool.h -- the allocator of the runner's Lua state (pool.c). */
#ifndef LT_POOL_H
#define LT_POOL_H

#include <stddef.h>
#include <stdint.h>

enum { POOL_CLASSES = 32 };
typedef struct Pool { /* starts as zeros */
    void *free[POOL_CLASSES];
    char *at, *end;
    struct PoolChunk *chunks;
} Pool;

void *pool_alloc(void *pool, void *block, size_t old, size_t size); /* a lua_Alloc */
void pool_free(Pool *p);                                            /* after lua_close */

#endif
