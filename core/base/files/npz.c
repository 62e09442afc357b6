/*
 * npz.c -- NumPy's .npz archives: .npy files in a zip, stored or deflated, through libzip.
 *
 * In: an archive. Out: names (without .npy) and arrays in file order; or an archive as np.savez writes it (stored,
 * dated 1980, so that equal arrays give equal bytes). Always holds: the sizes in the directory are bounded by what the
 * file can hold before memory is taken; checksums are checked; libzip writes aside and renames. libzip's own memory is
 * its own, not the context's.
 */
#include "file.h"
#include "base/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zip.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static int64_t read_member(Reader *r, char *p, int64_t n) {
    zip_int64_t got = zip_fread(r->state, p, (zip_uint64_t)n);
    if (got < 0) err(r->c, TH_IOError, "%s: corrupt: %s", r->where, zip_file_strerror(r->state));
    return got < 0 ? -1 : got;
}

static void close_member(Reader *r) { zip_fclose(r->state); }

/* Opens member i; the directory's size counts only as far as its compressed bytes in the file explain it. */
static bool open_member(Reader *r, ThContext *c, zip_t *z, zip_uint64_t i, const char *path, int64_t file_bytes) {
    zip_stat_t st;
    *r = (Reader){.c = c, .fd = -1, .read = read_member};
    if (zip_stat_index(z, i, 0, &st)) return err(c, TH_IOError, "%s: corrupt: %s", path, zip_strerror(z));
    snprintf(r->where, sizeof r->where, "%.400s(%.150s)", path, st.name);
    int64_t packed = st.comp_size > (uint64_t)file_bytes ? file_bytes : (int64_t)st.comp_size;
    int64_t most = packed > INT64_MAX / DEFLATE_RATIO ? INT64_MAX : packed * DEFLATE_RATIO;
    r->limit = st.size > (uint64_t)most ? most : (int64_t)st.size;
    r->state = zip_fopen_index(z, i, 0);
    if (!r->state) return err(c, TH_IOError, "%s: %s", r->where, zip_strerror(z));
    r->close = close_member;
    return true;
}

/* One array and its name at the end of the lists. */
static bool load_member(ThContext *c, zip_t *z, zip_uint64_t i, const char *path, int64_t file_bytes, ThNpz *out) {
    const char *name = zip_get_name(z, i, 0);
    if (!name) return err(c, TH_IOError, "%s: corrupt: %s", path, zip_strerror(z));
    size_t n = strlen(name);
    if (n && name[n - 1] == '/') return true; /* a folder */
    Reader r;
    if (!open_member(&r, c, z, i, path, file_bytes)) return false;
    ThArray *a = npy_read(&r);
    bool ok = a && reader_finish(&r); /* reading to the end is what checks the checksum */
    reader_close(&r);
    char *copy = ok ? ctx_strdup(c, name) : NULL;
    if (!copy) {
        th_array_release(a);
        return false;
    }
    if (n > 4 && !strcmp(copy + n - 4, ".npy")) copy[n - 4] = 0;
    out->names[out->n] = copy;
    out->arrays[out->n++] = a;
    return true;
}

/* An archive that the host gave as bytes: a copy of them, which the archive frees. */
static zip_t *open_bytes(ThContext *c, const char *path, const ThFile *by) {
    zip_error_t e;
    zip_error_init(&e);
    void *copy = malloc(by->nbytes ? by->nbytes : 1);
    if (copy && by->nbytes) memcpy(copy, by->bytes, by->nbytes);
    ctx_file_done(by);
    zip_source_t *from = copy ? zip_source_buffer_create(copy, by->nbytes, 1, &e) : NULL;
    if (!from) free(copy);
    zip_t *z = from ? zip_open_from_source(from, ZIP_RDONLY, &e) : NULL;
    if (from && !z) zip_source_free(from);
    if (!copy) err_nomem(c);
    else if (!z) err(c, TH_IOError, "cannot open %s: %s", path, zip_error_strerror(&e));
    zip_error_fini(&e);
    return z;
}

static zip_t *open_zip(ThContext *c, const char *path, int flags) {
    int code;
    FileAt at;
    if (!ctx_file(c, flags & ZIP_CREATE ? 'w' : 'r', path, &at)) return NULL;
    if (at.by.bytes) return open_bytes(c, path, &at.by);
    zip_t *z = zip_open(at.path, flags, &code);
    if (z) return z;
    zip_error_t e;
    zip_error_init_with_code(&e, code);
    if (code == ZIP_ER_MEMORY) err_nomem(c);
    else err(c, TH_IOError, "cannot open %s: %s", path, zip_error_strerror(&e));
    zip_error_fini(&e);
    return NULL;
}

int th_load_npz(ThContext *c, const char *path, ThNpz *out) {
    if (!c) return -1;
    if (!path || !out) return err_missing(c, __func__), -1;
    *out = (ThNpz){0};
    Reader file; /* for the checks of a plain file, and its size */
    if (!reader_open(&file, c, path)) return -1;
    int64_t bytes = file.limit;
    reader_close(&file);
    zip_t *z = open_zip(c, path, ZIP_RDONLY);
    if (!z) return -1;
    zip_int64_t n = zip_get_num_entries(z, 0);
    bool ok = true;
    if (n > INT32_MAX / 16) ok = err(c, TH_IOError, "%s: too many members", path);
    if (ok && n > 0) {
        out->names = ctx_alloc_owned(c, (size_t)n * sizeof *out->names);
        out->arrays = ctx_alloc_owned(c, (size_t)n * sizeof *out->arrays);
        ok = out->names && out->arrays;
    }
    for (zip_int64_t i = 0; ok && i < n; i++) ok = load_member(c, z, (zip_uint64_t)i, path, bytes, out);
    zip_discard(z);
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

/* ---- writing ----------------------------------------------------------------------------------------------------- */
/* What must live until the archive is closed: heads, names, and arrays in file order. */
typedef struct {
    ThContext *c;
    const char *path;
    zip_t *z;
    Arena *arena;
    VEC(ThArray *) flat;
} Save;

static bool zip_failed(Save *s) {
    zip_error_t *e = zip_get_error(s->z);
    if (zip_error_code_zip(e) == ZIP_ER_MEMORY) return err_nomem(s->c);
    return err(s->c, TH_IOError, "cannot write %s: %s", s->path, zip_error_strerror(e));
}

static bool add_member(Save *s, const char *name, ThArray *a) {
    char head[NPY_HEADER];
    ThArray *flat = NULL;
    if (!vec_reserve(s->c, &s->flat, s->flat.n + 1)) return false;
    if (!name || !*name) return err(s->c, TH_ValueError, "an array of %s has no name", s->path);
    size_t n = array_usable(s->c, a) ? npy_head(a, head, &flat) : 0;
    if (!n) return false;
    s->flat.at[s->flat.n++] = flat;
    char *kept = arena_alloc(s->arena, n), *file = arena_alloc(s->arena, strlen(name) + 5);
    if (!kept || !file) return false;
    memcpy(kept, head, n);
    sprintf(file, "%s.npy", name);
    zip_buffer_fragment_t part[2] = {
        {(zip_uint8_t *)kept, n},
        {(zip_uint8_t *)flat->data, (zip_uint64_t)flat->size * th_dtype_bytes((ThDtype)flat->dtype)}};
    zip_source_t *source = zip_source_buffer_fragment(s->z, part, part[1].length ? 2 : 1, 0);
    if (!source) return zip_failed(s);
    zip_int64_t i = zip_file_add(s->z, file, source, ZIP_FL_ENC_UTF_8);
    if (i < 0) {
        bool twice = zip_error_code_zip(zip_get_error(s->z)) == ZIP_ER_EXISTS;
        zip_source_free(source);
        return twice ? err(s->c, TH_ValueError, "%s: two arrays are named '%s'", s->path, name) : zip_failed(s);
    }
    if (zip_set_file_compression(s->z, (zip_uint64_t)i, ZIP_CM_STORE, 0)) return zip_failed(s);
    return !zip_file_set_dostime(s->z, (zip_uint64_t)i, 0, 1 << 5 | 1, 0) || zip_failed(s); /* 1980-01-01 */
}

/* An archive without members cannot be closed by libzip: NumPy writes just the end record. */
static bool save_empty(ThContext *c, const char *path) {
    char end[22] = "PK\x05\x06";
    FileAt at;
    if (!ctx_file(c, 'w', path, &at)) return false;
    FILE *f = fopen(at.path, "wb");
    bool ok = f && fwrite(end, 1, sizeof end, f) == sizeof end;
    if (f && fclose(f)) ok = false;
    return ok || err(c, TH_IOError, "cannot write %s: %s", path, strerror(errno));
}

int th_save_npz(ThContext *c, const char *path, int n, const char *const *names, ThArray *const *arrays) {
    if (!c) return -1;
    if (n < 0 || !path || (n && !names) || (n && !arrays)) return err_missing(c, __func__), -1;
    if (!n) return save_empty(c, path) ? 0 : -1;
    Save s = {.c = c, .path = path, .arena = arena_new(c)};
    if (s.arena) s.z = open_zip(c, path, ZIP_CREATE | ZIP_TRUNCATE);
    bool ok = s.z != NULL;
    for (int i = 0; ok && i < n; i++) ok = add_member(&s, names[i], arrays[i]);
    if (ok && zip_close(s.z)) ok = zip_failed(&s);
    else if (ok) s.z = NULL;
    if (s.z) zip_discard(s.z);
    for (int i = 0; i < s.flat.n; i++) th_array_release(s.flat.at[i]);
    vec_free(c, &s.flat);
    arena_free(s.arena);
    return ok ? 0 : -1;
}
