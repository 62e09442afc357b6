/*
 * npy.c -- NumPy's .npy files.
 *
 * In: files of version 1, 2 or 3, either byte order, C or Fortran order. Out: an array; or a version 1.0 file with the
 * bytes NumPy writes. Always holds: the header is parsed as the literal it is and nothing is evaluated; object arrays
 * (pickled Python) are refused; the length of the data is checked before memory is taken; a file is written aside and
 * renamed, so an old one survives a failure.
 */
#include "file.h"
#include "base/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
enum { MAGIC_LEN = 6, HEADER_LIMIT = 1 << 20, ALIGN = 64, SPARE = 21 };

/* ---- the header: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } ------------------------------------- */
typedef NpyHead Head;

static bool bad(Head *h, const char *what) {
    return err(h->r->c, TH_IOError, "%s: corrupt .npy header: %s", h->r->where, what);
}

static bool skip(Head *h, char ch) {
    while (char_is_space(*h->p)) h->p++;
    if (*h->p != ch) return false;
    h->p++;
    return true;
}

static bool quoted(Head *h, char *out, size_t size) {
    while (char_is_space(*h->p)) h->p++;
    char quote = *h->p;
    if (quote != '\'' && quote != '"') return false;
    const char *end = strchr(h->p + 1, quote);
    size_t n = end ? (size_t)(end - h->p - 1) : size;
    if (n >= size) return false;
    memcpy(out, h->p + 1, n);
    out[n] = 0;
    h->p = end + 1;
    return true;
}

/* NumPy has no bfloat16: what ml_dtypes saves is two bytes that NumPy knows nothing of. */
static char kind_of(ThDtype d) { return d == TH_BFLOAT16 ? 'V' : th_dtype_kind(d); }

/* The dtype of "<f8": byte order, kind, bytes. */
static bool parse_descr(Head *h) {
    char s[32];
    ThContext *c = h->r->c;
    if (!quoted(h, s, sizeof s)) return err(c, TH_TypeError, "%s: structured dtypes are not supported", h->r->where);
    const char *t = s;
    if (*t && strchr("<>|=", *t)) h->swapped = *t++ == '>';
    if (*t == 'O')
        return err(c, TH_TypeError, "%s: object arrays hold pickled Python objects and are refused", h->r->where);
    if (*t == 'S' && char_is_digit(t[1])) { /* bytes: one more dimension of them */
        h->text = strtoll(t + 1, NULL, 10);
        h->dtype = TH_UINT8;
        return (h->text > 0 && h->text <= HEADER_LIMIT) || bad(h, "the length of its texts");
    }
    for (int d = 0; d < TH_DTYPE_COUNT; d++) {
        char own[8];
        snprintf(own, sizeof own, "%c%d", kind_of((ThDtype)d), (int)th_dtype_bytes((ThDtype)d));
        h->dtype = (ThDtype)d;
        if (!strcmp(own, t)) return true;
    }
    for (char *q = s; *q; q++)
        if (*q < 0x20 || *q == 0x7f) return bad(h, "the dtype is not text");
    return err(c, TH_TypeError, "%s: dtype '%s' is not supported", h->r->where, s);
}

static bool parse_shape(Head *h) {
    if (!skip(h, '(')) return bad(h, "the shape is not a tuple");
    for (h->ndim = 0; !skip(h, ')');) {
        while (char_is_space(*h->p)) h->p++;
        char *end;
        errno = 0;
        if (!char_is_digit(*h->p)) return bad(h, "the shape holds something that is not a length");
        int64_t n = strtoll(h->p, &end, 10);
        if (errno) return bad(h, "a length is too large");
        if (h->ndim == TH_MAX_NDIM)
            return err(h->r->c, TH_ValueError, "%s: more than %d dimensions", h->r->where, TH_MAX_NDIM);
        h->shape[h->ndim++] = n;
        h->p = end + (*end == 'L'); /* Python 2 wrote long integers so */
        if (!skip(h, ',') && *h->p != ')') return bad(h, "the shape is not a tuple");
    }
    return true;
}

static bool parse_order(Head *h) {
    while (char_is_space(*h->p)) h->p++;
    h->fortran = !strncmp(h->p, "True", 4);
    if (!h->fortran && strncmp(h->p, "False", 5)) return bad(h, "fortran_order is neither True nor False");
    h->p += h->fortran ? 4 : 5;
    return true;
}

/* Each key exactly once, in any order. */
static bool parse_head(Head *h) {
    static const char *const name[] = {"descr", "fortran_order", "shape"};
    static bool (*const parse[])(Head *) = {parse_descr, parse_order, parse_shape};
    char key[32];
    int seen = 0;
    if (!skip(h, '{')) return bad(h, "it is not a dictionary");
    while (!skip(h, '}')) {
        int k = 0;
        if (!quoted(h, key, sizeof key) || !skip(h, ':')) return bad(h, "a key is missing");
        while (k < 3 && strcmp(key, name[k])) k++;
        if (k == 3 || seen & 1 << k) return bad(h, "unknown or repeated key");
        seen |= 1 << k;
        if (!parse[k](h)) return false;
        if (!skip(h, ',') && *h->p != '}') return bad(h, "a ',' or '}' is missing");
    }
    while (char_is_space(*h->p)) h->p++;
    return (seen == 7 && !*h->p) || bad(h, "it needs descr, fortran_order and shape, and nothing after them");
}

static bool add_text(Head *h) {
    if (h->ndim == TH_MAX_NDIM || (h->fortran && h->ndim > 1))
        return err(h->r->c, TH_TypeError, "%s: texts in this form are not supported", h->r->where);
    h->shape[h->ndim++] = h->text;
    h->fortran = false;
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */
/* Reads magic, version and header text and parses it. */
bool npy_head_read(Head *h, Reader *r) {
    *h = (Head){.r = r};
    unsigned char b[12];
    if (!reader_take(r, b, MAGIC_LEN + 2, "magic number")) return false;
    if (memcmp(b, MAGIC, MAGIC_LEN)) return err(r->c, TH_IOError, "%s: not a .npy file", r->where);
    int version = b[MAGIC_LEN], wide = version > 1 ? 4 : 2;
    if (version < 1 || version > 3) return err(r->c, TH_IOError, "%s: .npy version %d is unknown", r->where, version);
    if (!reader_take(r, b, wide, "header length")) return false;
    int64_t n = b[0] | b[1] << 8;
    if (wide == 4) n |= (int64_t)b[2] << 16 | (int64_t)b[3] << 24;
    if (n > HEADER_LIMIT) return bad(h, "it is too long");
    h->bytes = MAGIC_LEN + 2 + wide + n;
    if (!reader_fits(r, n, "its header")) return false;
    char *text = ctx_alloc(r->c, (size_t)n + 1);
    if (!text) return false;
    bool ok = reader_take(r, text, n, "header");
    if (ok) {
        text[n] = 0;
        h->p = text;
        ok = strlen(text) == (size_t)n ? parse_head(h) : bad(h, "it holds a zero byte");
        if (ok && h->text) ok = add_text(h);
    }
    ctx_free(r->c, text, (size_t)n + 1);
    return ok;
}

/* What follows the header, as an array of the file's shape; Fortran order is the transpose of C order. */
static ThArray *read_data(Head *h) {
    ThContext *c = h->r->c;
    int64_t shape[TH_MAX_NDIM];
    for (int i = 0; i < h->ndim; i++) shape[i] = h->shape[h->fortran ? h->ndim - 1 - i : i];
    int64_t bytes = reader_array(h->r, h->dtype, h->ndim, shape);
    ThArray *a = bytes < 0 ? NULL : th_array_empty(c, h->dtype, h->ndim, shape);
    if (a && !reader_take(h->r, a->data, bytes, "array")) {
        th_array_release(a);
        return NULL;
    }
    if (!a) return NULL;
    if (h->text && h->ndim == 1) a->flags |= ARRAY_TEXT;
    file_native(a, h->swapped);
    if (!h->fortran || h->ndim < 2) return a;
    ThArray *t = th_array_transpose(a, h->ndim, NULL);
    th_array_release(a);
    return t;
}

ThArray *npy_read(Reader *r) {
    Head h;
    return npy_head_read(&h, r) ? read_data(&h) : NULL;
}

ThArray *th_load_npy(ThContext *c, const char *path) {
    if (!c) return NULL;
    if (!path) return err_missing(c, __func__), NULL;
    Reader r;
    if (!reader_open(&r, c, path)) return NULL;
    ThArray *a = npy_read(&r);
    reader_close(&r);
    return a;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */
/* C order where the array has it, Fortran order where only its transpose has it, else a copy. */
static ThArray *flatten(ThArray *a, bool *fortran) {
    *fortran = false;
    if (a->flags & ARRAY_CONTIGUOUS) return th_array_retain(a);
    ThArray *t = th_array_transpose(a, a->ndim, NULL);
    if (t && t->flags & ARRAY_CONTIGUOUS) {
        *fortran = true;
        return t;
    }
    th_array_release(t);
    return t ? th_array_copy(a) : NULL;
}

size_t npy_head_text(char *head, ThDtype d, bool fortran, int ndim, const int64_t *shape) {
    char *text = head + MAGIC_LEN + 4, *p = text, one[32];
    p += sprintf(p, "{'descr': '%c%c%d', 'fortran_order': %s, 'shape': (", th_dtype_bytes(d) == 1 ? '|' : '<',
                 kind_of(d), (int)th_dtype_bytes(d), fortran ? "True" : "False");
    for (int i = 0; i < ndim; i++)
        p += sprintf(p, "%lld%s", (long long)shape[i], ndim == 1 ? "," : i < ndim - 1 ? ", " : "");
    p += sprintf(p, "), }");
    /* NumPy leaves room for the axis that may grow, then fills up to a multiple of 64 with a newline at the end */
    int spare = ndim ? SPARE - sprintf(one, "%lld", (long long)shape[fortran ? ndim - 1 : 0]) : 0;
    size_t used = (size_t)(p - head) + (size_t)spare + 1, total = (used + ALIGN - 1) / ALIGN * ALIGN;
    memset(p, ' ', (size_t)(head + total - p));
    head[total - 1] = '\n';
    size_t n = total - MAGIC_LEN - 4;
    memcpy(head, MAGIC "\x01\x00", MAGIC_LEN + 2);
    head[MAGIC_LEN + 2] = (char)(n & 255);
    head[MAGIC_LEN + 3] = (char)(n >> 8);
    return total;
}

/* One text of n bytes, which has no dimensions. */
static size_t text_head(char *head, int64_t n) {
    size_t total = npy_head_text(head, TH_UINT8, false, 0, NULL);
    char descr[32], *at = head + MAGIC_LEN + 4;
    int k = snprintf(descr, sizeof descr, "{'descr': '|S%lld', ", (long long)n);
    const char *rest = "'fortran_order': False, 'shape': (), }";
    memset(at, ' ', total - MAGIC_LEN - 5);
    memcpy(at, descr, (size_t)k);
    memcpy(at + k, rest, strlen(rest));
    return total;
}

ThArray *th_array_text(ThContext *c, const char *text) {
    if (!c) return NULL;
    int64_t n = text ? (int64_t)strlen(text) : 0;
    if (!n) return err_missing(c, __func__), NULL;
    ThArray *a = th_array_empty(c, TH_UINT8, 1, &n);
    if (!a) return NULL;
    memcpy(a->data, text, (size_t)n);
    a->flags |= ARRAY_TEXT;
    return a;
}

size_t npy_head(ThArray *a, char *head, ThArray **flat) {
    if (!a || !array_usable(array_ctx(a), a)) return 0;
    bool fortran;
    *flat = flatten(a, &fortran);
    if (*flat && a->flags & ARRAY_TEXT && a->ndim == 1) return text_head(head, a->size);
    return *flat ? npy_head_text(head, (ThDtype)a->dtype, fortran, a->ndim, ARRAY_SHAPE(a)) : 0;
}

int th_save_npy(ThContext *c, const char *path, const ThArray *a) {
    if (!c) return -1;
    if (!path || !a) return err_missing(c, __func__), -1;
    char head[NPY_HEADER];
    ThArray *flat;
    Writer w;
    union {
        const ThArray *in;
        ThArray *out;
    } u = {a}; /* only its reference count changes */
    if (!path || !array_usable(c, a)) {
        err(c, TH_TypeError, "a path is missing");
        return -1;
    }
    size_t n = npy_head(u.out, head, &flat);
    if (!n) return -1;
    bool ok = writer_open(&w, c, path);
    if (ok) {
        writer_put(&w, head, n);
        writer_put(&w, flat->data, (size_t)flat->size * th_dtype_bytes((ThDtype)flat->dtype));
        ok = writer_close(&w, true);
    }
    th_array_release(flat);
    return ok ? 0 : -1;
}
