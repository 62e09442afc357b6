/*
 * sha256.h -- SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104): whether bytes come from who has a key.
 */
#ifndef TH_BASE_SHA256_H
#define TH_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64 };
typedef struct Sha256 {
    uint32_t h[8];
    uint64_t bytes;
    uint8_t block[SHA256_BLOCK];
} Sha256;
void sha256_begin(Sha256 *s);
void sha256_put(Sha256 *s, const void *bytes, size_t n);
void sha256_end(Sha256 *s, uint8_t out[SHA256_BYTES]);

typedef struct Sha256Mac {
    Sha256 inner, outer;
} Sha256Mac;
void sha256_mac_begin(Sha256Mac *m, const void *key, size_t n);
void sha256_mac_end(Sha256Mac *m, uint8_t out[SHA256_BYTES]); /* what it is of goes to m->inner */

/* The time that it takes tells nothing about where they differ. */
bool sha256_same(const uint8_t a[SHA256_BYTES], const uint8_t b[SHA256_BYTES]);

#endif
