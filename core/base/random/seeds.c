/*
 * seeds.c -- NumPy's SeedSequence: words that depend on every word of entropy, as many as are asked for.
 */
#include "random.h"

enum { POOL = 4 };

static uint32_t mixed_in(uint32_t v, uint32_t *c) {
    v ^= *c;
    *c *= 0x931e8875u;
    v *= *c;
    return v ^ v >> 16;
}

static uint32_t mixed(uint32_t x, uint32_t y) {
    uint32_t r = 0xca01f9ddu * x - 0x4973f715u * y;
    return r ^ r >> 16;
}

static void mix_pool(uint32_t *pool, const uint32_t *words, int n) {
    uint32_t c = 0x43b0d7e5u;
    for (int i = 0; i < POOL; i++) pool[i] = mixed_in(i < n ? words[i] : 0, &c);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to) pool[to] = mixed(pool[to], mixed_in(pool[from], &c));
    for (int from = POOL; from < n; from++)
        for (int to = 0; to < POOL; to++) pool[to] = mixed(pool[to], mixed_in(words[from], &c));
}

void th_seed_words(const uint32_t *entropy, int n, uint32_t *out, int nout) {
    uint32_t pool[POOL], c = 0x8b51f9ddu;
    if (n < 0 || nout < 0 || (n && !entropy) || (nout && !out)) return;
    mix_pool(pool, entropy, n);
    for (int i = 0; i < nout; i++) {
        uint32_t v = pool[i % POOL] ^ c;
        c *= 0x58f38dedu;
        v *= c;
        out[i] = v ^ v >> 16;
    }
}
