/*
 * idx.c -- IDX files, plain or gzip, both ways: the format of the MNIST digits.
 *
 * In: two zero bytes, a type, the number of dimensions, big-endian 32-bit lengths, big-endian data. Out: an array of
 * the native byte order. Always holds: the lengths are compared with what the file can hold before memory is taken.
 */
#include "file.h"

/* Type code to dtype. */
static ThDtype dtype_of(int code) {
    switch (code) {
    case 0x08: return TH_UINT8;
    case 0x09: return TH_INT8;
    case 0x0B: return TH_INT16;
    case 0x0C: return TH_INT32;
    case 0x0D: return TH_FLOAT32;
    case 0x0E: return TH_FLOAT64;
    default: return TH_DTYPE_NONE;
    }
}

bool idx_head_read(Reader *r, ThDtype *d, int *ndim, int64_t *shape) {
    unsigned char head[4], b[4];
    if (!reader_take(r, head, 4, "header")) return false;
    *d = dtype_of(head[2]);
    *ndim = head[3];
    if (head[0] || head[1] || *d == TH_DTYPE_NONE || !head[3] || head[3] > TH_MAX_NDIM)
        return err(r->c, TH_IOError, "%s: not an IDX file (first bytes %02x %02x %02x %02x)", r->where, head[0],
                   head[1], head[2], head[3]);
    for (int i = 0; i < head[3]; i++) {
        if (!reader_take(r, b, 4, "header")) return false;
        shape[i] = (int64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
    }
    return true;
}

static ThArray *read_idx(Reader *r) {
    ThDtype d;
    int ndim;
    int64_t shape[TH_MAX_NDIM];
    if (!idx_head_read(r, &d, &ndim, shape)) return NULL;
    int64_t bytes = reader_array(r, d, ndim, shape);
    ThArray *a = bytes < 0 ? NULL : th_array_empty(r->c, d, ndim, shape);
    if (!a) return NULL;
    if (!reader_take(r, a->data, bytes, "array") || !reader_finish(r)) {
        th_array_release(a);
        return NULL;
    }
    file_native(a, true);
    return a;
}

ThArray *th_load_idx(ThContext *c, const char *path) {
    if (!c) return NULL;
    if (!path) return err_missing(c, __func__), NULL;
    Reader r;
    if (!reader_open_gzip(&r, c, path)) return NULL;
    ThArray *a = read_idx(&r);
    reader_close(&r);
    return a;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */
static int code_of(ThDtype d) {
    for (int code = 0x08; code <= 0x0E; code++)
        if (dtype_of(code) == d) return code;
    return 0;
}

static bool write_idx(Writer *w, const ThArray *a, int code) {
    unsigned char head[4 + 4 * TH_MAX_NDIM] = {0, 0, (unsigned char)code, (unsigned char)a->ndim};
    for (int i = 0; i < a->ndim; i++)
        for (int k = 0; k < 4; k++) head[4 + 4 * i + k] = (unsigned char)(ARRAY_SHAPE(a)[i] >> (24 - 8 * k));
    writer_put(w, head, 4 + 4 * (size_t)a->ndim);
    union {
        const ThArray *in;
        ThArray *out;
    } u = {a}; /* only read */
    ThArray *copy = th_array_copy(u.out);
    if (!copy) return false;
    file_native(copy, true);
    writer_put(w, copy->data, copy->buf->bytes);
    th_array_release(copy);
    return true;
}

/* Gzip when the path ends in .gz. */
int th_save_idx(ThContext *c, const char *path, const ThArray *a) {
    if (!c) return -1;
    if (!path || !a) return err_missing(c, __func__), -1;
    Writer w;
    if (!array_usable(c, a)) return -1;
    int code = code_of((ThDtype)a->dtype);
    bool small = a->ndim > 0;
    for (int i = 0; i < a->ndim; i++) small = small && ARRAY_SHAPE(a)[i] <= UINT32_MAX;
    if (!code)
        err(c, TH_TypeError, "IDX files hold uint8, int8, int16, int32, float32 or float64, not %s",
            th_dtype_name((ThDtype)a->dtype));
    else if (!small) err(c, TH_ValueError, "IDX files hold arrays of 1 dimension and more, of lengths below 2^32");
    if (!code || !small || !writer_open(&w, c, path)) return -1;
    bool ok = write_idx(&w, a, code);
    return writer_close(&w, ok) && ok ? 0 : -1;
}
