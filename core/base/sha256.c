/*
 * sha256.c -- SHA-256 and HMAC. In: bytes, in pieces of any length. Out: 32 bytes. Always holds: nothing is allocated,
 * and no address or branch depends on the key.
 */
#include "sha256.h"

#include <string.h>

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t v, int by) { return v >> by | v << (32 - by); }

/* Eight rounds, after which each word is where it was: v[0] of the standard's names is a in the first. */
static inline void round_of(uint32_t v[8], int i, const uint32_t *w) {
    const uint32_t a = v[-i & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7], e = v[(4 - i) & 7];
    const uint32_t f = v[(5 - i) & 7], g = v[(6 - i) & 7];
    uint32_t *d = &v[(3 - i) & 7], *h = &v[(7 - i) & 7];
    *h += (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + *w;
    *d += *h;
    *h += (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

static void take(uint32_t h[8], const uint8_t *p) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] =
            w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    for (int i = 0; i < 64; i++) w[i] += k[i];
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i += 8) {
        round_of(v, 0, w + i), round_of(v, 1, w + i + 1), round_of(v, 2, w + i + 2), round_of(v, 3, w + i + 3);
        round_of(v, 4, w + i + 4), round_of(v, 5, w + i + 5), round_of(v, 6, w + i + 6), round_of(v, 7, w + i + 7);
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
}

void sha256_begin(Sha256 *s) {
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->h, first, sizeof first);
    s->bytes = 0;
}

void sha256_put(Sha256 *s, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    size_t have = s->bytes % SHA256_BLOCK;
    s->bytes += n;
    if (have) {
        size_t room = SHA256_BLOCK - have, now = n < room ? n : room;
        memcpy(s->block + have, p, now);
        if (now < room) return;
        take(s->h, s->block);
        p += now, n -= now;
    }
    for (; n >= SHA256_BLOCK; p += SHA256_BLOCK, n -= SHA256_BLOCK) take(s->h, p);
    if (n) memcpy(s->block, p, n);
}

void sha256_end(Sha256 *s, uint8_t out[SHA256_BYTES]) {
    static const uint8_t mark[SHA256_BLOCK] = {0x80};
    uint64_t bits = s->bytes * 8;
    uint8_t length[8];
    size_t have = s->bytes % SHA256_BLOCK;
    for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_put(s, mark, (have < 56 ? 56 : 120) - have);
    sha256_put(s, length, sizeof length);
    for (int i = 0; i < SHA256_BYTES; i++) out[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_mac_begin(Sha256Mac *m, const void *key, size_t n) {
    uint8_t block[SHA256_BLOCK] = {0};
    sha256_begin(&m->inner);
    if (n > SHA256_BLOCK) {
        sha256_put(&m->inner, key, n);
        sha256_end(&m->inner, block);
        sha256_begin(&m->inner);
    } else if (n) memcpy(block, key, n);
    for (int i = 0; i < SHA256_BLOCK; i++) block[i] ^= 0x36;
    sha256_put(&m->inner, block, sizeof block);
    for (int i = 0; i < SHA256_BLOCK; i++) block[i] ^= 0x36 ^ 0x5c;
    sha256_begin(&m->outer);
    sha256_put(&m->outer, block, sizeof block);
}

void sha256_mac_end(Sha256Mac *m, uint8_t out[SHA256_BYTES]) {
    sha256_end(&m->inner, out);
    sha256_put(&m->outer, out, SHA256_BYTES);
    sha256_end(&m->outer, out);
}

bool sha256_same(const uint8_t a[SHA256_BYTES], const uint8_t b[SHA256_BYTES]) {
    unsigned differ = 0;
    for (int i = 0; i < SHA256_BYTES; i++) differ |= a[i] ^ b[i];
    return !differ;
}
