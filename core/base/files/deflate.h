/*
 * deflate.h -- compressed bytes, for gzip files and zip archives.
 */
#ifndef TH_BASE_DEFLATE_H
#define TH_BASE_DEFLATE_H

#include "base/base.h"

/* Bytes that compressed files and text are read by; scripts/fuzz-files makes them so few that short inputs take several
 * pieces. */
#ifndef TH_FILE_CHUNK
#define TH_FILE_CHUNK (1 << 16)
#endif

/* What zlib makes of bytes that come piece by piece. */
typedef enum { DEFLATE_GZIP, DEFLATE_RAW } DeflateKind; /* gzip files, which may follow each other; as in a zip */
typedef struct Inflate Inflate;
typedef struct Deflate Deflate;
/* Up to n compressed bytes; 0 at their end, -1 with the error set. */
typedef int64_t DeflateSource(void *user, char *p, int64_t n);
/* Takes compressed bytes; what fails is the taker's to remember. */
typedef bool DeflateSink(void *user, const char *p, size_t n);

/* The format cannot grow data further than this. */
#define DEFLATE_RATIO 1032

Inflate *unpack_new(ThContext *c, DeflateKind kind); /* NULL with the error set */
void unpack_free(ThContext *c, Inflate *f);
/* n bytes, fewer at the end, -1 with the error set; where: what messages start with. */
int64_t unpack_take(ThContext *c, Inflate *f, const char *where, DeflateSource *source, void *user, char *p, int64_t n);

Deflate *pack_new(ThContext *c, DeflateKind kind);
void pack_free(ThContext *c, Deflate *d);
void pack_put(Deflate *d, const char *p, size_t n, bool last, DeflateSink *sink, void *user);

/* The checksum of zip, of bytes that follow those of `crc` (0 at the beginning). */
uint32_t pack_crc(uint32_t crc, const void *p, size_t n);

#endif
