/*
 * disk.c -- saved models in files: read whole, since a file that is mapped may shrink while it is read; written aside
 * and renamed, so that there is always the old one or the new one.
 */
#include "model.h"

#include "base/files/file.h"
#include "theano.h"

int th_function_save_file(ThFunction *f, const char *path, const char *note) {
    void *bytes;
    size_t n;
    if (!f) return -1;
    ThContext *c = th_function_context(f);
    if (!path) return err_missing(c, __func__), -1;
    if (th_function_save(f, note, &bytes, &n)) return -1;
    Writer w;
    bool ok = writer_open(&w, c, path);
    if (ok) {
        writer_put(&w, bytes, n);
        ok = writer_close(&w, true);
    }
    th_free(c, bytes);
    return ok ? 0 : -1;
}

ThFunction *th_load_file(ThContext *c, const char *path, const char **note) {
    Reader r;
    if (note) *note = NULL;
    if (!c) return NULL;
    if (!path) return err_missing(c, __func__), NULL;
    if (failed(c) || !reader_open(&r, c, path)) return NULL;
    size_t n = r.limit < 0 ? 0 : (size_t)r.limit;
    char *bytes = ctx_alloc(c, n + 1);
    bool ok = bytes && reader_take(&r, bytes, (int64_t)n, "the model");
    reader_close(&r);
    ThFunction *f = ok ? th_load(c, bytes, n, path, note) : NULL;
    ctx_free(c, bytes, n + 1);
    return f;
}
