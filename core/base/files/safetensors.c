/*
 * safetensors.c -- named arrays in the safetensors format, both ways.
 *
 * In: eight bytes of length, a JSON header {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}, data.
 * Out: names and arrays in the header's order, and its texts. Always holds: lengths, offsets and the file's size agree
 * exactly (no gap, no overlap, nothing left over) before memory is taken; the header is parsed without recursion. Files
 * are written with the bytes of the reference implementation: widest dtypes first, then by name.
 */
#include "file.h"
#include "base/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_LIMIT = 100000000, RANKS = 14 };

/* In the order of the reference, narrowest first. */
static const struct {
    const char *name;
    ThDtype d;
} kinds[RANKS] = {{"BOOL", TH_BOOL},  {"U8", TH_UINT8},    {"I8", TH_INT8},       {"I16", TH_INT16},
                  {"U16", TH_UINT16}, {"F16", TH_FLOAT16}, {"BF16", TH_BFLOAT16}, {"I32", TH_INT32},
                  {"U32", TH_UINT32}, {"F32", TH_FLOAT32}, {"C64", TH_COMPLEX64}, {"F64", TH_FLOAT64},
                  {"I64", TH_INT64},  {"U64", TH_UINT64}};

typedef struct {
    int64_t begin, end, shape[TH_MAX_NDIM];
    int ndim, index; /* index: place in the header */
    ThDtype d;
} Entry;

typedef struct {
    ThContext *c;
    const char *where, *p;
    Map seen; /* hashes of names */
    VEC(Entry) at;
    VEC(char *) names;
    VEC(char *) meta;
} Head;

/* ---- the header -------------------------------------------------------------------------------------------------- */
static bool bad(Head *h, const char *what) {
    return err(h->c, TH_IOError, "%s: corrupt safetensors header: %s", h->where, what);
}

static void blanks(Head *h) {
    while (*h->p == ' ' || *h->p == '\t' || *h->p == '\n' || *h->p == '\r') h->p++;
}

static bool skip(Head *h, char ch) {
    blanks(h);
    if (*h->p != ch) return false;
    h->p++;
    return true;
}

/* Four hexadecimal digits, or -1. */
static int hex4(const char *p) {
    int v = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef", *d = p[i] ? strchr(digits, p[i] | (p[i] > '9' ? 32 : 0)) : NULL;
        if (!d) return -1;
        v = v * 16 + (int)(d - digits);
    }
    return v;
}

static void put_utf8(Text *t, int u) {
    if (u < 0x80) {
        text_putc(t, (char)u);
    } else if (u < 0x800) {
        text_putc(t, (char)(0xC0 | u >> 6));
        text_putc(t, (char)(0x80 | (u & 63)));
    } else {
        if (u < 0x10000) text_putc(t, (char)(0xE0 | u >> 12));
        else text_putc(t, (char)(0xF0 | u >> 18)), text_putc(t, (char)(0x80 | (u >> 12 & 63)));
        text_putc(t, (char)(0x80 | (u >> 6 & 63)));
        text_putc(t, (char)(0x80 | (u & 63)));
    }
}

/* The character behind a backslash; false where there is none such. */
static bool escape(Head *h, Text *t) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *k = *h->p ? strchr(from, *h->p) : NULL;
    if (k) {
        text_putc(t, to[k - from]);
        h->p++;
        return true;
    }
    int u = *h->p == 'u' ? hex4(h->p + 1) : -1;
    if (u <= 0) return false;
    h->p += 5;
    if (u >= 0xD800 && u < 0xE000) {
        int low = u < 0xDC00 && h->p[0] == '\\' && h->p[1] == 'u' ? hex4(h->p + 2) : -1;
        if (low < 0xDC00 || low > 0xDFFF) return false;
        u = 0x10000 + ((u - 0xD800) << 10) + (low - 0xDC00);
        h->p += 6;
    }
    put_utf8(t, u);
    return true;
}

/* A JSON string; NULL with the error set. Freed with th_free. */
static char *string(Head *h) {
    Text t;
    text_init(&t, h->c);
    if (!skip(h, '"')) return bad(h, "a string is missing"), NULL;
    while (*h->p != '"') {
        const char *from = h->p;
        while ((unsigned char)*h->p >= 32 && *h->p != '"' && *h->p != '\\') h->p++;
        text_put_n(&t, from, (size_t)(h->p - from));
        if (*h->p == '"') break;
        if (*h->p++ != '\\' || !escape(h, &t)) {
            text_free(&t);
            return bad(h, "a string does not end or holds what none may"), NULL;
        }
    }
    h->p++;
    return text_take(&t);
}

/* A key of the few that may stand there, or -1; the ':' behind it is passed. */
static int key_of(Head *h, const char *const *names, int n) {
    char *s = string(h);
    int k = -1;
    for (int i = 0; s && i < n; i++)
        if (!strcmp(s, names[i])) k = i;
    th_free(h->c, s);
    if (s && (k < 0 || !skip(h, ':'))) return bad(h, "unknown key, or no value behind it"), -1;
    return k;
}

/* [n, n, ...], at most `most` lengths. Returns how many, or -1. */
static int lengths(Head *h, int64_t *out, int most) {
    int n = 0;
    if (!skip(h, '[')) return bad(h, "a list is missing"), -1;
    while (!skip(h, ']')) {
        if (n && !skip(h, ',')) return bad(h, "a ',' or ']' is missing"), -1;
        blanks(h);
        int64_t v = 0;
        if (n == most) return bad(h, "a list is too long"), -1;
        if (*h->p < '0' || *h->p > '9') return bad(h, "a list holds something that is not a length"), -1;
        for (; *h->p >= '0' && *h->p <= '9'; h->p++)
            if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *h->p - '0', &v))
                return bad(h, "a length is too large"), -1;
        out[n++] = v;
    }
    return n;
}

static bool parse_dtype(Head *h, Entry *e) {
    char *s = string(h);
    if (!s) return false;
    int k = 0;
    while (k < RANKS && strcmp(s, kinds[k].name)) k++;
    if (k < RANKS) e->d = kinds[k].d;
    else err(h->c, TH_TypeError, "%s: dtype '%.20s' is not supported", h->where, s);
    th_free(h->c, s);
    return k < RANKS;
}

static bool parse_entry(Head *h) {
    static const char *const names[] = {"dtype", "shape", "data_offsets"};
    Entry e = {.index = h->at.n};
    int64_t offsets[2];
    int seen = 0;
    if (!skip(h, '{')) return bad(h, "an entry is not an object");
    while (!skip(h, '}')) {
        if (seen && !skip(h, ',')) return bad(h, "a ',' or '}' is missing");
        int k = key_of(h, names, 3), n;
        if (k < 0) return false;
        if (seen & 1 << k) return bad(h, "a key is repeated");
        seen |= 1 << k;
        if (k == 0 && !parse_dtype(h, &e)) return false;
        if (k == 1 && (e.ndim = lengths(h, e.shape, TH_MAX_NDIM)) < 0) return false;
        if (k == 2 && (n = lengths(h, offsets, 2)) != 2) return n < 0 ? false : bad(h, "data_offsets are two");
    }
    if (seen != 7) return bad(h, "an entry needs dtype, shape and data_offsets");
    e.begin = offsets[0];
    e.end = offsets[1];
    return vec_push(h->c, &h->at, e);
}

static bool parse_meta(Head *h) {
    bool any = false;
    if (!skip(h, '{')) return bad(h, "__metadata__ is not an object");
    for (; !skip(h, '}'); any = true) {
        if (any && !skip(h, ',')) return bad(h, "a ',' or '}' is missing");
        if (!vec_reserve(h->c, &h->meta, h->meta.n + 2)) return false;
        char *key = string(h);
        if (!key) return false;
        h->meta.at[h->meta.n++] = key;
        h->meta.at[h->meta.n++] = NULL;
        if (!skip(h, ':')) return bad(h, "a ':' is missing");
        char *value = string(h);
        if (!value) return false;
        h->meta.at[h->meta.n - 1] = value;
    }
    return true;
}

static bool parse_head(Head *h) {
    bool any = false;
    if (!skip(h, '{')) return bad(h, "it is not an object");
    for (; !skip(h, '}'); any = true) {
        if (any && !skip(h, ',')) return bad(h, "a ',' or '}' is missing");
        if (!vec_reserve(h->c, &h->names, h->names.n + 1)) return false;
        char *name = string(h);
        if (!name) return false;
        bool meta = !strcmp(name, "__metadata__");
        uint64_t hash = hash_bytes(name, strlen(name), 0);
        if (meta) th_free(h->c, name);
        else h->names.at[h->names.n++] = name;
        if (map_get(&h->seen, hash, &(uint32_t){0})) return bad(h, "a name is repeated");
        if (!map_put(h->c, &h->seen, hash, 1)) return false;
        if (!skip(h, ':')) return bad(h, "a ':' is missing");
        if (meta ? !parse_meta(h) : !parse_entry(h)) return false;
    }
    blanks(h);
    return !*h->p || bad(h, "something follows it");
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static int by_begin(const void *x, const void *y) {
    const Entry *a = x, *b = y;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end) return a->end < b->end ? -1 : 1;
    return a->index - b->index;
}

/* The entries follow each other from byte 0 to the end of the file, each as long as its shape says. */
static bool check_layout(Head *h, Reader *r) {
    int64_t at = 0;
    if (h->at.n) qsort(h->at.at, (size_t)h->at.n, sizeof *h->at.at, by_begin);
    for (int i = 0; i < h->at.n; i++) {
        Entry *e = &h->at.at[i];
        int64_t bytes = reader_array(r, e->d, e->ndim, e->shape);
        if (bytes < 0) return false;
        if (e->begin != at || e->end < e->begin || e->end - e->begin != bytes)
            return err(r->c, TH_IOError, "%s(%.100s): corrupt: its offsets, its shape and the array before it disagree",
                       h->where, h->names.at[e->index]);
        at = e->end;
        if (at > r->limit) return reader_fits(r, at, "its data");
    }
    return at == r->limit || err(r->c, TH_IOError, "%s: corrupt: it is longer than its header says", h->where);
}

static bool read_head(Head *h, Reader *r, int64_t *data_at) {
    unsigned char b[8];
    uint64_t n = 0;
    if (!reader_take(r, b, 8, "header length")) return false;
    for (int i = 7; i >= 0; i--) n = n << 8 | b[i];
    if (n > HEADER_LIMIT) return bad(h, "it is too long");
    if (!reader_fits(r, (int64_t)n, "its header")) return false;
    char *text = ctx_alloc(r->c, (size_t)n + 1);
    if (!text) return false;
    bool ok = reader_take(r, text, (int64_t)n, "header");
    if (ok) {
        text[n] = 0;
        h->p = text;
        ok = strlen(text) == n ? parse_head(h) : bad(h, "it holds a zero byte");
    }
    ctx_free(r->c, text, (size_t)n + 1);
    *data_at = 8 + (int64_t)n;
    return ok && check_layout(h, r);
}

static ThArray *read_entry(const Entry *e, Reader *r) {
    ThArray *a = th_array_empty(r->c, e->d, e->ndim, e->shape);
    if (a && reader_take(r, a->data, e->end - e->begin, "array")) {
        file_native(a, false);
        return a;
    }
    th_array_release(a);
    return NULL;
}

/* Names and texts change hands; arrays are read (or mapped) in the order of the file. */
static bool fill(Head *h, Reader *r, ThBuffer *map, MapMode mode, int64_t data_at, ThNpz *out) {
    ThContext *c = r->c;
    size_t n = (size_t)h->at.n;
    out->names = ctx_alloc_owned(c, (n + 1) * sizeof *out->names);
    out->arrays = ctx_alloc_owned(c, (n + 1) * sizeof *out->arrays);
    out->meta = ctx_alloc_owned(c, ((size_t)h->meta.n + 1) * sizeof *out->meta);
    if (!out->names || !out->arrays || !out->meta) return false;
    memset(out->arrays, 0, (n + 1) * sizeof *out->arrays);
    for (int i = 0; i < h->names.n; i++) out->names[i] = h->names.at[i];
    for (int i = 0; i < h->meta.n; i++) out->meta[i] = h->meta.at[i];
    out->n = h->names.n;
    out->nmeta = h->meta.n;
    h->names.n = h->meta.n = 0;
    for (size_t i = 0; i < n; i++) {
        const Entry *e = &h->at.at[i];
        ThArray *a =
            map ? map_array(c, map, h->where, mode, e->d, e->ndim, e->shape, data_at + e->begin) : read_entry(e, r);
        if (!a) return false;
        out->arrays[e->index] = a;
    }
    return true;
}

static void drop(Head *h) {
    for (int i = 0; i < h->names.n; i++) th_free(h->c, h->names.at[i]);
    for (int i = 0; i < h->meta.n; i++) th_free(h->c, h->meta.at[i]);
    vec_free(h->c, &h->names);
    vec_free(h->c, &h->meta);
    vec_free(h->c, &h->at);
    map_free(h->c, &h->seen);
}

int th_load_safetensors(ThContext *c, const char *path, const char *mmap, ThNpz *out) {
    if (!c) return -1;
    if (!path || !out) return err_missing(c, __func__), -1;
    Reader r;
    int64_t data_at = 0;
    MapMode mode = MAP_READ;
    ThBuffer *map = NULL;
    *out = (ThNpz){0};
    if (mmap && !map_mode(c, mmap, &mode)) return -1;
    if (!reader_open(&r, c, path)) return -1;
    Head h = {.c = c, .where = path};
    bool ok = read_head(&h, &r, &data_at);
    if (ok && mmap) ok = (map = map_file(c, path, mode)) != NULL;
    if (ok) ok = fill(&h, &r, map, mode, data_at, out);
    buffer_release(map);
    reader_close(&r);
    drop(&h);
    if (!ok) th_npz_free(c, out);
    return ok ? 0 : -1;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */
typedef struct {
    const char *name;
    const ThArray *a;
    int rank;
} Item;

static int by_rank(const void *x, const void *y) {
    const Item *a = x, *b = y;
    return a->rank != b->rank ? b->rank - a->rank : strcmp(a->name, b->name);
}

static void put_string(Text *t, const char *s) {
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    text_putc(t, '"');
    for (; *s; s++) {
        const char *k = strchr(from, *s);
        if (k) text_printf(t, "\\%c", to[k - from]);
        else if ((unsigned char)*s < 32) text_printf(t, "\\u%04x", *s);
        else text_putc(t, *s);
    }
    text_putc(t, '"');
}

static void put_head(Text *t, const Item *item, int n, const char *const *meta, int nmeta) {
    int64_t at = 0;
    text_put_n(t, "\0\0\0\0\0\0\0\0{", 9);
    if (nmeta) text_put(t, "\"__metadata__\":{");
    for (int i = 0; i + 1 < nmeta; i += 2) {
        if (i) text_putc(t, ',');
        put_string(t, meta[i]);
        text_putc(t, ':');
        put_string(t, meta[i + 1]);
    }
    if (nmeta) text_put(t, n ? "}," : "}");
    for (int i = 0; i < n; i++) {
        const ThArray *a = item[i].a;
        if (i) text_putc(t, ',');
        put_string(t, item[i].name);
        text_printf(t, ":{\"dtype\":\"%s\",\"shape\":[", kinds[item[i].rank].name);
        for (int k = 0; k < a->ndim; k++) text_printf(t, k ? ",%lld" : "%lld", (long long)ARRAY_SHAPE(a)[k]);
        int64_t end = at + a->size * (int64_t)th_dtype_bytes((ThDtype)a->dtype);
        text_printf(t, "],\"data_offsets\":[%lld,%lld]}", (long long)at, (long long)end);
        at = end;
    }
    text_putc(t, '}');
    while (t->n % 8) text_putc(t, ' ');
    for (int i = 0; i < 8 && !t->failed; i++) t->at[i] = (char)((t->n - 8) >> 8 * i);
}

/* Ranks and order of the arrays; false with the error set. */
static bool arrange(ThContext *c, const char *path, Item *item, int n, const char *const *names,
                    ThArray *const *arrays) {
    for (int i = 0; i < n; i++) {
        int k = 0;
        if (!names[i] || !array_usable(c, arrays[i])) return err(c, TH_TypeError, "a name is missing");
        while (k < RANKS && kinds[k].d != (ThDtype)arrays[i]->dtype) k++;
        if (k == RANKS)
            return err(c, TH_TypeError, "safetensors files hold no %s (array '%s')",
                       th_dtype_name((ThDtype)arrays[i]->dtype), names[i]);
        item[i] = (Item){names[i], arrays[i], k};
    }
    if (n) qsort(item, (size_t)n, sizeof *item, by_rank);
    Map seen = {0};
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        uint64_t hash = hash_bytes(item[i].name, strlen(item[i].name), 0);
        if (!strcmp(item[i].name, "__metadata__"))
            ok = err(c, TH_ValueError, "%s: no array can be named __metadata__", path);
        else if (map_get(&seen, hash, &(uint32_t){0}))
            ok = err(c, TH_ValueError, "%s: two arrays are named '%s'", path, item[i].name);
        else ok = map_put(c, &seen, hash, 1);
    }
    map_free(c, &seen);
    return ok;
}

int th_save_safetensors(ThContext *c, const char *path, int n, const char *const *names, ThArray *const *arrays,
                        int nmeta, const char *const *meta) {
    if (!c) return -1;
    if (n < 0 || !path || (n && !names) || (n && !arrays)) return err_missing(c, __func__), -1;
    Writer w;
    Text head;
    size_t bytes = ((size_t)n + 1) * sizeof(Item);
    Item *item = ctx_alloc(c, bytes);
    if (!item) return -1;
    text_init(&head, c);
    bool ok = arrange(c, path, item, n, names, arrays);
    if (ok) put_head(&head, item, n, meta, nmeta);
    ok = ok && !head.failed && writer_open(&w, c, path);
    if (ok) {
        writer_put(&w, head.at, head.n);
        for (int i = 0; i < n && ok; i++) ok = writer_array(&w, item[i].a);
        ok = writer_close(&w, ok) && ok;
    }
    text_free(&head);
    ctx_free(c, item, bytes);
    return ok ? 0 : -1;
}
