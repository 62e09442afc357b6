/*
 * disk.c -- saved models in files: read whole, since a file that is mapped may shrink while it is read; written aside
 * and renamed, so that there is always the old one or the new one.
 */
#include "model.h"

#include "base/files/file.h"
#include "theano.h"

bool model_to_file(ThContext *c, const char *path, const Text *t) {
    Writer w;
    if (!writer_open(&w, c, path)) return false;
    writer_put(&w, t->at, t->n);
    return writer_close(&w, true);
}

char *model_from_file(ThContext *c, const char *path, size_t *n) {
    Reader r;
    if (!reader_open(&r, c, path)) return NULL;
    *n = r.limit < 0 ? 0 : (size_t)r.limit;
    char *bytes = ctx_alloc(c, *n + 1);
    bool ok = bytes && reader_take(&r, bytes, (int64_t)*n, "the model");
    reader_close(&r);
    if (ok) return bytes;
    ctx_free(c, bytes, *n + 1);
    return NULL;
}
