/*
 * npz.c -- NumPy's .npz archives, read: .npy files in a zip, stored or deflated.
 *
 * In: an archive. Out: names (without .npy) and arrays in file order. Always holds: lengths and places in the directory
 * are compared with the file before memory is taken for them, and members may not be the same bytes twice, so that all
 * of them together cost no more than the file explains; checksums are checked.
 */
#include "deflate.h"
#include "file.h"
#include "zip.h"

#include <stdio.h>
#include <string.h>

/* What the directory says of one member. */
typedef struct Entry {
    uint64_t at, packed, bytes; /* of its local head; of the member as it lies there, and unpacked */
    uint32_t crc;
    unsigned method, flags;
    const char *name;
    size_t name_len;
} Entry;

/* The member that is being read. */
typedef struct Member {
    Reader *file;
    Inflate *inflate;          /* or NULL: stored */
    int64_t at, packed, bytes; /* where its bytes go on, how many there are, how many are still to come of it */
    uint32_t crc, wanted;
} Member;

static bool corrupt(Reader *r, const char *what) { return err(r->c, TH_IOError, "%s: corrupt: %s", r->where, what); }

/* ---- the directory ----------------------------------------------------------------------------------------------- */
typedef struct Directory {
    char *bytes; /* ctx_free, `size` of them */
    size_t size;
    uint64_t n, at;
} Directory;

/* The 64-bit end record, where a locator stands before the usual one. */
static bool end_64(Reader *r, int64_t end, Directory *d, uint64_t *size) {
    unsigned char b[ZIP_END_64];
    if (end < ZIP_LOCATOR) return true;
    if (!reader_at(r, b, ZIP_LOCATOR, end - ZIP_LOCATOR, "directory")) return false;
    if (zip_get(b, 4) != ZIP_SIGN_LOCATOR) return true;
    uint64_t at = zip_get(b + 8, 8);
    if (at > (uint64_t)end - ZIP_LOCATOR || (uint64_t)end - ZIP_LOCATOR - at < ZIP_END_64)
        return corrupt(r, "its directory's end is not where it should be");
    if (!reader_at(r, b, ZIP_END_64, (int64_t)at, "directory")) return false;
    if (zip_get(b, 4) != ZIP_SIGN_END_64) return corrupt(r, "its directory's end is not where it should be");
    d->n = zip_get(b + 32, 8), *size = zip_get(b + 40, 8), d->at = zip_get(b + 48, 8);
    return true;
}

/* Looks for the end record from behind: a comment may follow it, of the length it says. */
static int64_t find_end(Reader *r, unsigned char end[ZIP_END]) {
    enum { MOST = ZIP_END + 65535 };
    int64_t n = r->limit < MOST ? r->limit : MOST;
    int64_t found = -1;
    unsigned char *tail = n >= ZIP_END ? ctx_alloc(r->c, (size_t)n) : NULL;
    if (!tail) return failed(r->c) ? -1 : (corrupt(r, "it is no zip archive"), -1);
    if (reader_at(r, tail, n, r->limit - n, "directory")) {
        for (int64_t i = n - ZIP_END; i >= 0 && found < 0; i--)
            if (zip_get(tail + i, 4) == ZIP_SIGN_END && (int64_t)zip_get(tail + i + 20, 2) == n - i - ZIP_END)
                found = i;
        if (found < 0) corrupt(r, "it is no zip archive, or its end is missing");
        else memcpy(end, tail + found, ZIP_END);
    }
    ctx_free(r->c, tail, (size_t)n);
    return found < 0 ? -1 : r->limit - n + found;
}

static bool open_directory(Reader *r, Directory *d) {
    unsigned char b[ZIP_END];
    *d = (Directory){0};
    int64_t end = find_end(r, b);
    if (end < 0) return false;
    uint64_t size = zip_get(b + 12, 4);
    d->n = zip_get(b + 10, 2), d->at = zip_get(b + 16, 4);
    if (zip_get(b + 4, 2) || zip_get(b + 6, 2)) return corrupt(r, "it is one of several parts");
    if (!end_64(r, end, d, &size)) return false;
    if (d->at > (uint64_t)end || size > (uint64_t)end - d->at) return corrupt(r, "its directory lies outside it");
    if (d->n > size / ZIP_ENTRY || d->n > INT32_MAX / 16) return corrupt(r, "its directory has room for fewer members");
    if (!(d->bytes = ctx_alloc(r->c, (size_t)size))) return false;
    d->size = (size_t)size;
    return reader_at(r, d->bytes, (int64_t)size, (int64_t)d->at, "directory");
}

/* Lengths and places that did not fit into 32 bits stand in a field of their own. */
static bool widen(Reader *r, Entry *e, const unsigned char *extra, size_t n) {
    uint64_t *const wide[3] = {&e->bytes, &e->packed, &e->at};
    while (n >= 4) {
        size_t id = zip_get(extra, 2), len = zip_get(extra + 2, 2);
        extra += 4, n -= 4;
        if (len > n) break;
        for (int i = 0; id == ZIP_EXTRA_64 && i < 3; i++) {
            if (*wide[i] != ZIP_WIDE) continue;
            if (len < 8) return corrupt(r, "a length of its directory is missing");
            *wide[i] = zip_get(extra, 8);
            extra += 8, len -= 8, n -= 8;
        }
        extra += len, n -= len;
    }
    return true;
}

/* The entry at *at, which moves behind it. */
static bool next_entry(Reader *r, const Directory *d, size_t *at, Entry *e) {
    if (d->size - *at < ZIP_ENTRY) return corrupt(r, "its directory is cut off");
    const unsigned char *p = (const unsigned char *)d->bytes + *at;
    if (zip_get(p, 4) != ZIP_SIGN_ENTRY) return corrupt(r, "its directory is damaged");
    size_t name = zip_get(p + 28, 2), extra = zip_get(p + 30, 2), comment = zip_get(p + 32, 2);
    if (name + extra + comment > d->size - *at - ZIP_ENTRY) return corrupt(r, "its directory is cut off");
    *e = (Entry){.flags = (unsigned)zip_get(p + 8, 2),
                 .method = (unsigned)zip_get(p + 10, 2),
                 .crc = (uint32_t)zip_get(p + 16, 4),
                 .packed = zip_get(p + 20, 4),
                 .bytes = zip_get(p + 24, 4),
                 .at = zip_get(p + 42, 4),
                 .name = (const char *)p + ZIP_ENTRY,
                 .name_len = name};
    *at += ZIP_ENTRY + name + extra + comment;
    if (memchr(e->name, 0, name)) return corrupt(r, "a member's name has a zero in it");
    return widen(r, e, p + ZIP_ENTRY + name, extra);
}

/* ---- members ----------------------------------------------------------------------------------------------------- */
static int64_t packed_bytes(void *user, char *p, int64_t n) {
    Member *m = user;
    if (n > m->packed) n = m->packed;
    if (n && !reader_at(m->file, p, n, m->at, "member")) return -1;
    m->at += n, m->packed -= n;
    return n;
}

static int64_t read_member(Reader *r, char *p, int64_t n) {
    Member *m = r->state;
    int64_t got = m->inflate ? unpack_take(r->c, m->inflate, r->where, packed_bytes, m, p, n) : packed_bytes(m, p, n);
    if (got < 0) return -1;
    m->crc = pack_crc(m->crc, p, (size_t)got);
    m->bytes -= got;
    if (got) return got;
    if (m->bytes) return corrupt(r, "it has another length than the directory says"), -1;
    if (m->crc != m->wanted) return corrupt(r, "its checksum is wrong"), -1;
    return 0;
}

static void close_member(Reader *r) {
    Member *m = r->state;
    unpack_free(r->c, m->inflate);
    m->inflate = NULL;
}

/* Opens a member; its unpacked size counts only as far as its packed bytes explain it. */
static bool open_member(Reader *r, Member *m, Reader *file, const Directory *d, const Entry *e) {
    unsigned char head[ZIP_HEAD];
    *r = (Reader){.c = file->c, .fd = -1, .read = read_member, .state = m};
    snprintf(r->where, sizeof r->where, "%.400s(%.*s)", file->where, (int)(e->name_len < 150 ? e->name_len : 150),
             e->name);
    *m = (Member){.file = file, .wanted = e->crc};
    if (e->flags & 1) return err(r->c, TH_IOError, "%s: it is encrypted", r->where);
    if (e->method != ZIP_STORED && e->method != ZIP_DEFLATED)
        return err(r->c, TH_IOError, "%s: packed in a way that is neither 'stored' nor 'deflated'", r->where);
    if (e->at > d->at || d->at - e->at < ZIP_HEAD) return corrupt(r, "it lies outside the archive");
    if (!reader_at(file, head, ZIP_HEAD, (int64_t)e->at, "member")) return false;
    if (zip_get(head, 4) != ZIP_SIGN_HEAD || zip_get(head + 26, 2) != e->name_len)
        return corrupt(r, "its head is not the directory's");
    uint64_t from = e->at + ZIP_HEAD + e->name_len + zip_get(head + 28, 2);
    if (from > d->at || e->packed > d->at - from) return corrupt(r, "it lies outside the archive");
    bool stored = e->method == ZIP_STORED;
    if (stored ? e->bytes != e->packed : e->bytes / DEFLATE_RATIO > e->packed)
        return corrupt(r, "it has another length than the directory says");
    m->at = (int64_t)from, m->packed = (int64_t)e->packed, m->bytes = (int64_t)e->bytes;
    r->limit = m->bytes;
    if (!stored && !(m->inflate = unpack_new(r->c, DEFLATE_RAW))) return false;
    r->close = close_member;
    return true;
}

/* One array and its name at the end of the lists. */
static bool load_member(Reader *file, const Directory *d, const Entry *e, ThNpz *out) {
    size_t n = e->name_len;
    Reader r;
    Member m;
    if (n && e->name[n - 1] == '/') return true; /* a folder */
    if (!open_member(&r, &m, file, d, e)) return false;
    ThArray *a = npy_read(&r);
    bool ok = a && reader_finish(&r); /* reading to the end is what checks the checksum */
    reader_close(&r);
    if (n > 4 && !memcmp(e->name + n - 4, ".npy", 4)) n -= 4;
    char *copy = ok ? ctx_alloc_owned(file->c, n + 1) : NULL;
    if (!copy) {
        th_array_release(a);
        return false;
    }
    memcpy(copy, e->name, n);
    copy[n] = 0;
    out->names[out->n] = copy;
    out->arrays[out->n++] = a;
    return true;
}

static bool load_members(Reader *file, const Directory *d, ThNpz *out) {
    Entry e;
    size_t at = 0;
    uint64_t used = 0;
    for (uint64_t i = 0; i < d->n; i++) {
        if (!next_entry(file, d, &at, &e)) return false;
        if (e.packed > d->at || (used += e.packed + ZIP_HEAD + e.name_len) > d->at)
            return corrupt(file, "its members are longer than it");
        if (!load_member(file, d, &e, out)) return false;
    }
    return true;
}

int th_load_npz(ThContext *c, const char *path, ThNpz *out) {
    if (!c) return -1;
    if (!path || !out) return err_missing(c, __func__), -1;
    *out = (ThNpz){0};
    Reader file;
    Directory d = {0};
    if (!zip_known(c) || !reader_open(&file, c, path)) return -1;
    bool ok = open_directory(&file, &d);
    if (ok && d.n) {
        out->names = ctx_alloc_owned(c, (size_t)d.n * sizeof *out->names);
        out->arrays = ctx_alloc_owned(c, (size_t)d.n * sizeof *out->arrays);
        ok = out->names && out->arrays && load_members(&file, &d, out);
    }
    if (d.bytes) ctx_free(c, d.bytes, d.size);
    reader_close(&file);
    if (!ok) th_npz_free(c, out);
    return ok ? 0 : -1;
}

void th_npz_free(ThContext *c, ThNpz *z) {
    if (!c) return;
    if (!z) {
        err_missing(c, __func__);
        return;
    }
    for (int i = 0; i < z->n; i++) {
        th_free(c, z->names[i]);
        th_array_release(z->arrays[i]);
    }
    for (int i = 0; i < z->nmeta; i++) th_free(c, z->meta[i]);
    th_free(c, z->names);
    th_free(c, z->arrays);
    th_free(c, z->meta);
    *z = (ThNpz){0};
}
