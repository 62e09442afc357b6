/*
 * deflate.c -- compressed bytes, for gzip files and zip archives: the one place that calls zlib.
 *
 * In: bytes that come piece by piece. Out: the others. Always holds: zlib's memory is the context's; data that ends too
 * soon or is damaged is an IOError. In a library built without it (TH_ZIP=OFF) all of this is NotImplementedError.
 */
#include "deflate.h"

#if TH_ZIP
#define ZLIB_CONST
#include <zlib.h>

enum { CHUNK = TH_FILE_CHUNK, MOST = 1 << 30 };

struct Inflate {
    z_stream z;
    DeflateKind kind;
    bool done; /* between two gzip files of one file, or at the end */
    unsigned char in[CHUNK];
};

struct Deflate {
    z_stream z;
};

static void *zlib_alloc(void *c, unsigned items, unsigned size) { return ctx_alloc_owned(c, (size_t)items * size); }
static void zlib_free(void *c, void *p) { th_free(c, p); }

static void use_context(z_stream *z, ThContext *c) {
    z->zalloc = zlib_alloc;
    z->zfree = zlib_free;
    z->opaque = c;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */
Inflate *unpack_new(ThContext *c, DeflateKind kind) {
    Inflate *f = ctx_alloc0(c, sizeof *f);
    if (!f) return NULL;
    f->kind = kind;
    use_context(&f->z, c);
    if (inflateInit2(&f->z, kind == DEFLATE_GZIP ? 15 + 16 : -15) == Z_OK) return f;
    ctx_free(c, f, sizeof *f);
    err_nomem(c);
    return NULL;
}

void unpack_free(ThContext *c, Inflate *f) {
    if (!f) return;
    inflateEnd(&f->z);
    ctx_free(c, f, sizeof *f);
}

/* One step of zlib; false with the error set. */
static bool step(ThContext *c, Inflate *f, const char *where) {
    if (f->done) inflateReset(&f->z);
    f->done = false;
    int status = inflate(&f->z, Z_NO_FLUSH);
    if (status == Z_STREAM_END) f->done = true;
    if (status == Z_OK || status == Z_BUF_ERROR || status == Z_STREAM_END) return true;
    if (status == Z_MEM_ERROR) return err_nomem(c);
    return err(c, TH_IOError, "%s: corrupt %s data: %s", where, f->kind == DEFLATE_GZIP ? "gzip" : "deflated",
               f->z.msg ? f->z.msg : "unknown format");
}

int64_t unpack_take(ThContext *c, Inflate *f, const char *where, DeflateSource *source, void *user, char *p,
                    int64_t n) {
    unsigned want = n > MOST ? MOST : (unsigned)n;
    f->z.next_out = (unsigned char *)p;
    f->z.avail_out = want;
    while (f->z.avail_out) {
        if (f->done && f->kind == DEFLATE_RAW) break;
        if (!f->z.avail_in) {
            int64_t got = source(user, (char *)f->in, CHUNK);
            if (got < 0) return -1;
            if (!got && (f->done || f->z.avail_out < want)) break;
            if (!got) {
                err(c, TH_IOError, "%s: truncated: its compressed data does not end", where);
                return -1;
            }
            f->z.next_in = f->in;
            f->z.avail_in = (unsigned)got;
        }
        if (!step(c, f, where)) return -1;
    }
    return want - f->z.avail_out;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */
Deflate *pack_new(ThContext *c, DeflateKind kind) {
    Deflate *d = ctx_alloc0(c, sizeof *d);
    if (!d) return NULL;
    use_context(&d->z, c);
    if (deflateInit2(&d->z, 6, Z_DEFLATED, kind == DEFLATE_GZIP ? 15 + 16 : -15, 8, Z_DEFAULT_STRATEGY) == Z_OK)
        return d;
    ctx_free(c, d, sizeof *d);
    err_nomem(c);
    return NULL;
}

void pack_free(ThContext *c, Deflate *d) {
    if (!d) return;
    deflateEnd(&d->z);
    ctx_free(c, d, sizeof *d);
}

void pack_put(Deflate *d, const char *p, size_t n, bool last, DeflateSink *sink, void *user) {
    char out[1 << 14];
    bool taken = true;
    do {
        size_t part = n > MOST ? MOST : n;
        int status;
        d->z.next_in = (const unsigned char *)p;
        d->z.avail_in = (unsigned)part;
        do {
            d->z.next_out = (unsigned char *)out;
            d->z.avail_out = sizeof out;
            status = deflate(&d->z, part == n && last ? Z_FINISH : Z_NO_FLUSH);
            taken = sink(user, out, sizeof out - d->z.avail_out);
        } while (!d->z.avail_out && status != Z_STREAM_END && taken);
        p += part;
        n -= part;
    } while (n && taken);
}

uint32_t pack_crc(uint32_t crc, const void *p, size_t n) { return (uint32_t)crc32_z(crc, p, n); }

#else

static bool missing(ThContext *c) {
    return err(c, TH_NotImplementedError,
               "compressed files and .npz archives: this library was built without them (TH_ZIP=OFF)");
}

Inflate *unpack_new(ThContext *c, DeflateKind kind) {
    (void)kind;
    missing(c);
    return NULL;
}

void unpack_free(ThContext *c, Inflate *f) { (void)c, (void)f; }

int64_t unpack_take(ThContext *c, Inflate *f, const char *where, DeflateSource *source, void *user, char *p,
                    int64_t n) {
    (void)f, (void)where, (void)source, (void)user, (void)p, (void)n;
    missing(c);
    return -1;
}

Deflate *pack_new(ThContext *c, DeflateKind kind) {
    (void)kind;
    missing(c);
    return NULL;
}

void pack_free(ThContext *c, Deflate *d) { (void)c, (void)d; }

void pack_put(Deflate *d, const char *p, size_t n, bool last, DeflateSink *sink, void *user) {
    (void)d, (void)p, (void)n, (void)last, (void)sink, (void)user;
}

uint32_t pack_crc(uint32_t crc, const void *p, size_t n) {
    (void)p, (void)n;
    return crc;
}
#endif
