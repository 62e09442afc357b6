/*
 * npz_write.c -- NumPy's .npz archives, written: the bytes of np.savez, or members deflated as np.savez_compressed's.
 *
 * In: names and arrays. Out: an archive of members, dated 1980, so that equal arrays give equal bytes; each head
 * has room for 64-bit lengths, as NumPy's. Always holds: the file appears whole or not at all.
 */
#include "deflate.h"
#include "file.h"
#include "zip.h"

#include <stdio.h>
#include <string.h>

enum { VERSION = 45, UNIX = 3 << 8, MODE = 0600, DATE = 1 << 5 | 1, UTF8 = 1 << 11, EXTRA = 20 };

/* What the directory will say of a member; its name is arrays' caller's. */
typedef struct Written {
    const char *name;
    uint64_t at, bytes, packed; /* as they are, and in the file */
    uint32_t crc;
    int method;
} Written;

typedef struct Save {
    ThContext *c;
    const char *path;
    Writer w;
    Written *member;
    int n;
    uint64_t at; /* bytes written */
    bool deflate;
} Save;

/* A member's deflated bytes: the head that stands before them says how many they are. */
typedef struct Packed {
    ThContext *c;
    char *at;
    size_t n, room;
} Packed;

bool zip_known(ThContext *c) {
    return TH_ZIP || err(c, TH_NotImplementedError,
                         ".npz archives: this library was built without them (TH_ZIP=OFF); .npy and .safetensors work");
}

static void put(Save *s, const void *p, size_t n) {
    writer_put(&s->w, p, n);
    s->at += n;
}

static unsigned flags_of(const char *name) {
    for (; *name; name++)
        if ((unsigned char)*name > 126) return UTF8;
    return 0;
}

/* What head and entry have in common: version, flags, method, date, checksum. */
static char *put_common(char *p, const Written *m) {
    p = zip_put(p, VERSION, 2);
    p = zip_put(p, flags_of(m->name), 2);
    p = zip_put(p, (uint64_t)m->method, 2);
    p = zip_put(zip_put(p, 0, 2), DATE, 2);
    return zip_put(p, m->crc, 4);
}

static void put_name(Save *s, const Written *m) {
    put(s, m->name, strlen(m->name));
    put(s, ".npy", 4);
}

static void put_head(Save *s, const Written *m) {
    char head[ZIP_HEAD], extra[EXTRA], *p = zip_put(head, ZIP_SIGN_HEAD, 4);
    p = put_common(p, m);
    p = zip_put(zip_put(p, ZIP_WIDE, 4), ZIP_WIDE, 4);
    zip_put(zip_put(p, strlen(m->name) + 4, 2), EXTRA, 2);
    p = zip_put(zip_put(extra, ZIP_EXTRA_64, 2), EXTRA - 4, 2);
    zip_put(zip_put(p, m->bytes, 8), m->packed, 8);
    put(s, head, sizeof head);
    put_name(s, m);
    put(s, extra, sizeof extra);
}

static bool take_packed(void *user, const char *p, size_t n) {
    Packed *k = user;
    if (!n) return true;
    if (k->room - k->n < n) {
        size_t room = 2 * k->room + n;
        char *at = ctx_realloc(k->c, k->at, k->room, room);
        if (!at) return false;
        k->at = at;
        k->room = room;
    }
    memcpy(k->at + k->n, p, n);
    k->n += n;
    return true;
}

/* The bytes of a member behind its head: as they are, or deflated. */
static bool put_bytes(Save *s, Written *m, const char *head, size_t n, const void *data, size_t bytes) {
    if (!s->deflate) {
        put_head(s, m);
        put(s, head, n);
        put(s, data, bytes);
        return true;
    }
    Packed k = {.c = s->c};
    Deflate *d = pack_new(s->c, DEFLATE_RAW);
    if (!d) return false;
    pack_put(d, head, n, false, take_packed, &k);
    if (!failed(s->c)) pack_put(d, data, bytes, true, take_packed, &k);
    pack_free(s->c, d);
    m->packed = k.n;
    if (!failed(s->c)) {
        put_head(s, m);
        put(s, k.at, k.n);
    }
    ctx_free(s->c, k.at, k.room);
    return !failed(s->c);
}

static bool add_member(Save *s, const char *name, ThArray *a) {
    char head[NPY_HEADER];
    ThArray *flat = NULL;
    if (!name || !*name) return err(s->c, TH_ValueError, "an array of %s has no name", s->path);
    if (strlen(name) > UINT16_MAX - 4) return err(s->c, TH_ValueError, "%s: a name is too long", s->path);
    size_t n = array_usable(s->c, a) ? npy_head(a, head, &flat) : 0;
    if (!n) return false;
    size_t bytes = (size_t)flat->size * th_dtype_bytes((ThDtype)flat->dtype);
    Written *m = &s->member[s->n++];
    *m = (Written){.name = name, .at = s->at, .bytes = n + bytes, .packed = n + bytes};
    m->crc = pack_crc(pack_crc(0, head, n), flat->data, bytes);
    m->method = s->deflate ? ZIP_DEFLATED : ZIP_STORED;
    bool ok = put_bytes(s, m, head, n, flat->data, bytes);
    th_array_release(flat);
    return ok;
}

/* Lengths and places stand in 32 bits where they fit, and behind the name where they do not. */
static void put_entry(Save *s, const Written *m) {
    char entry[ZIP_ENTRY], extra[4 + 24], *e = extra + 4, *p = zip_put(entry, ZIP_SIGN_ENTRY, 4);
    bool long_one = m->bytes >= ZIP_WIDE || m->packed >= ZIP_WIDE, far = m->at >= ZIP_WIDE;
    if (long_one) e = zip_put(zip_put(e, m->bytes, 8), m->packed, 8);
    if (far) e = zip_put(e, m->at, 8);
    size_t n = e == extra + 4 ? 0 : (size_t)(e - extra);
    zip_put(zip_put(extra, ZIP_EXTRA_64, 2), n - 4, 2);
    p = put_common(zip_put(p, UNIX | VERSION, 2), m);
    p = zip_put(p, long_one ? ZIP_WIDE : m->packed, 4);
    p = zip_put(p, long_one ? ZIP_WIDE : m->bytes, 4);
    p = zip_put(zip_put(p, strlen(m->name) + 4, 2), n, 2);
    p = zip_put(p, 0, 6); /* comment, disk, kind of file */
    zip_put(zip_put(p, (uint32_t)MODE << 16, 4), far ? ZIP_WIDE : m->at, 4);
    put(s, entry, sizeof entry);
    put_name(s, m);
    put(s, extra, n);
}

static void put_end(Save *s, uint64_t from) {
    char end[ZIP_END_64], *p;
    uint64_t n = (uint64_t)s->n, size = s->at - from, at = s->at;
    if (n >= UINT16_MAX || size >= ZIP_WIDE || from >= ZIP_WIDE) {
        p = zip_put(zip_put(end, ZIP_SIGN_END_64, 4), ZIP_END_64 - 12, 8);
        p = zip_put(zip_put(zip_put(p, VERSION, 2), VERSION, 2), 0, 8);
        p = zip_put(zip_put(p, n, 8), n, 8);
        zip_put(zip_put(p, size, 8), from, 8);
        put(s, end, ZIP_END_64);
        p = zip_put(zip_put(end, ZIP_SIGN_LOCATOR, 4), 0, 4);
        zip_put(zip_put(p, at, 8), 1, 4);
        put(s, end, ZIP_LOCATOR);
    }
    uint64_t few = n < UINT16_MAX ? n : UINT16_MAX;
    p = zip_put(zip_put(end, ZIP_SIGN_END, 4), 0, 4);
    p = zip_put(zip_put(p, few, 2), few, 2);
    p = zip_put(p, size < ZIP_WIDE ? size : ZIP_WIDE, 4);
    zip_put(zip_put(p, from < ZIP_WIDE ? from : ZIP_WIDE, 4), 0, 2);
    put(s, end, ZIP_END);
}

/* Equal names would be one array for NumPy. */
static bool names_differ(Save *s, int n, const char *const *names) {
    Map seen = {0};
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        uint32_t before;
        if (!names[i]) continue;
        uint64_t key = hash_bytes(names[i], strlen(names[i]), 0);
        if (map_get(&seen, key, &before) && !strcmp(names[before], names[i]))
            ok = err(s->c, TH_ValueError, "%s: two arrays are named '%s'", s->path, names[i]);
        ok = ok && map_put(s->c, &seen, key, (uint32_t)i);
    }
    map_free(s->c, &seen);
    return ok;
}

static int save(ThContext *c, const char *path, int n, const char *const *names, ThArray *const *arrays, bool deflate) {
    if (!zip_known(c)) return -1;
    Save s = {.c = c, .path = path, .deflate = deflate};
    if (!names_differ(&s, n, names) || !writer_open_plain(&s.w, c, path)) return -1;
    s.member = ctx_alloc(c, (size_t)n * sizeof *s.member);
    bool ok = s.member != NULL;
    for (int i = 0; ok && i < n; i++) ok = add_member(&s, names[i], arrays[i]);
    uint64_t from = s.at;
    for (int i = 0; ok && i < n; i++) put_entry(&s, &s.member[i]);
    if (ok) put_end(&s, from);
    ok = writer_close(&s.w, ok) && ok;
    ctx_free(c, s.member, (size_t)n * sizeof *s.member);
    return ok ? 0 : -1;
}

int th_save_npz(ThContext *c, const char *path, int n, const char *const *names, ThArray *const *arrays) {
    if (!c) return -1;
    if (n < 0 || !path || (n && !names) || (n && !arrays)) return err_missing(c, __func__), -1;
    return save(c, path, n, names, arrays, false);
}

int th_save_npz_compressed(ThContext *c, const char *path, int n, const char *const *names, ThArray *const *arrays) {
    if (!c) return -1;
    if (n < 0 || !path || (n && !names) || (n && !arrays)) return err_missing(c, __func__), -1;
    return save(c, path, n, names, arrays, true);
}
