/*
 * hash.c -- hashing that is the same on every run, and an open-addressing table from 64-bit keys to 32-bit values.
 *
 * Always holds: a table is empty (all zero) or a power of two at most half full with linear probing; a removal closes
 * the gap by moving later entries back, so there are no tombstones and lookups stay short.
 */
#include "base.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed) { return XXH3_64bits_withSeed(p, n, seed); }

static int home(const Map *m, uint64_t key) { return (int)(hash_mix(0, key) & (uint64_t)(m->cap - 1)); }

/* Index of the key, or of the free slot where it belongs. */
static int find(const Map *m, uint64_t key) {
    int i = home(m, key);
    while (m->used[i] && m->key[i] != key) i = (i + 1) & (m->cap - 1);
    return i;
}

static size_t map_bytes(int cap) { return (size_t)cap * (sizeof(uint64_t) + sizeof(uint32_t) + 1); }

/* Doubles the table. The three columns lie in one block, so there is one allocation to fail. */
static bool rehash(ThContext *c, Map *m) {
    if (m->cap >= 1 << 29) return err_nomem(c);
    Map big = {.cap = m->cap ? 2 * m->cap : 16, .n = m->n};
    char *block = ctx_alloc0(c, map_bytes(big.cap));
    if (!block) return false;
    big.key = (uint64_t *)(void *)block;
    big.val = (uint32_t *)(void *)(big.key + big.cap);
    big.used = (uint8_t *)(big.val + big.cap);
    for (int i = 0; i < m->cap; i++) {
        if (!m->used[i]) continue;
        int k = find(&big, m->key[i]);
        big.key[k] = m->key[i];
        big.val[k] = m->val[i];
        big.used[k] = 1;
    }
    ctx_free(c, m->key, map_bytes(m->cap));
    *m = big;
    return true;
}

bool map_put(ThContext *c, Map *m, uint64_t key, uint32_t val) {
    if (2 * (m->n + 1) > m->cap && !rehash(c, m)) return false;
    int i = find(m, key);
    if (!m->used[i]) m->n++;
    m->used[i] = 1;
    m->key[i] = key;
    m->val[i] = val;
    return true;
}

bool map_get(const Map *m, uint64_t key, uint32_t *val) {
    if (!m->n) return false;
    int i = find(m, key);
    if (m->used[i] && val) *val = m->val[i];
    return m->used[i];
}

void map_del(Map *m, uint64_t key) {
    if (!m->n) return;
    int mask = m->cap - 1, hole = find(m, key);
    if (!m->used[hole]) return;
    m->n--;
    for (int i = (hole + 1) & mask; m->used[i]; i = (i + 1) & mask) {
        /* an entry may move back to the hole only if its home does not lie between the hole and itself */
        if (((i - home(m, m->key[i])) & mask) < ((i - hole) & mask)) continue;
        m->key[hole] = m->key[i];
        m->val[hole] = m->val[i];
        hole = i;
    }
    m->used[hole] = 0;
}

void map_free(ThContext *c, Map *m) {
    if (m->cap) ctx_free(c, m->key, map_bytes(m->cap));
    *m = (Map){0};
}
