/*
 * zip.h -- the records of a zip archive, for npz.c and npz_write.c.
 */
#ifndef TH_BASE_ZIP_H
#define TH_BASE_ZIP_H

#include "base/base.h"

/* Bytes of a member's head, of the directory's entries and of its ends, without names and extra fields. */
enum { ZIP_HEAD = 30, ZIP_ENTRY = 46, ZIP_END = 22, ZIP_END_64 = 56, ZIP_LOCATOR = 20 };
enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };
enum { ZIP_EXTRA_64 = 1 }; /* the extra field with 64-bit lengths */
#define ZIP_SIGN_HEAD 0x04034b50u
#define ZIP_SIGN_ENTRY 0x02014b50u
#define ZIP_SIGN_END 0x06054b50u
#define ZIP_SIGN_END_64 0x06064b50u
#define ZIP_SIGN_LOCATOR 0x07064b50u
#define ZIP_WIDE 0xffffffffu /* a length or place of 32 bits that stands in the extra field instead */

/* Little-endian numbers. */
static inline uint64_t zip_get(const void *at, int bytes) {
    const unsigned char *p = at;
    uint64_t v = 0;
    for (int i = bytes - 1; i >= 0; i--) v = v << 8 | p[i];
    return v;
}
static inline char *zip_put(char *p, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) p[i] = (char)(v >> 8 * i);
    return p + bytes;
}

/* Archives are there; false with NotImplementedError. */
bool zip_known(ThContext *c);

#endif
