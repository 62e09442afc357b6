/*
 * idx.c -- IDX files, plain or gzip: the format of the MNIST digits.
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

static ThArray *read_idx(Reader *r) {
    unsigned char head[4], b[4];
    int64_t shape[TH_MAX_NDIM];
    if (!reader_take(r, head, 4, "header")) return NULL;
    ThDtype d = dtype_of(head[2]);
    if (head[0] || head[1] || d == TH_DTYPE_NONE || !head[3] || head[3] > TH_MAX_NDIM) {
        err(r->c, TH_IOError, "%s: not an IDX file (first bytes %02x %02x %02x %02x)", r->where, head[0], head[1],
            head[2], head[3]);
        return NULL;
    }
    for (int i = 0; i < head[3]; i++) {
        if (!reader_take(r, b, 4, "header")) return NULL;
        shape[i] = (int64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
    }
    int64_t bytes = reader_array(r, d, head[3], shape);
    ThArray *a = bytes < 0 ? NULL : th_array_empty(r->c, d, head[3], shape);
    if (!a) return NULL;
    if (!reader_take(r, a->data, bytes, "array") || !reader_finish(r)) {
        th_array_release(a);
        return NULL;
    }
    file_swap(a->data, a->size, th_dtype_bytes(d));
    return a;
}

ThArray *th_load_idx(ThContext *c, const char *path) {
    Reader r;
    if (!reader_open_gzip(&r, c, path)) return NULL;
    ThArray *a = read_idx(&r);
    reader_close(&r);
    return a;
}
