/*
 * parts.c -- the container of a saved model: a head, a table, parts of bytes. In: parts. Out: one run of bytes, and
 * back; nothing in it is believed before it was compared with the bytes there are.
 */
#include "model.h"

#include <string.h>

_Static_assert(sizeof(uint64_t) == 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian");

static uint64_t get(const char *p, size_t n) {
    uint64_t v = 0;
    memcpy(&v, p, n);
    return v;
}

static uint64_t fnv(const char *p, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) h = (h ^ get(p + i, 8)) * 0x100000001b3u; /* by words: it guards against accidents */
    for (; i < n; i++) h = (h ^ (unsigned char)p[i]) * 0x100000001b3u;
    return h;
}

static size_t aligned(size_t n) { return (n + MODEL_ALIGN - 1) / MODEL_ALIGN * MODEL_ALIGN; }

static void put_zeros(Text *t, size_t n) {
    static const char zeros[MODEL_ALIGN];
    for (; n > sizeof zeros; n -= sizeof zeros) text_put_n(t, zeros, sizeof zeros);
    text_put_n(t, zeros, n);
}

bool model_write(Text *t, const ModelPart *part, int n) {
    char head[MODEL_HEAD] = {0};
    size_t start = t->n, at = aligned(MODEL_HEAD + (size_t)n * MODEL_ENTRY);
    text_put_n(t, head, sizeof head);
    for (int i = 0; i < n; i++) {
        char entry[MODEL_ENTRY] = {0};
        uint64_t offset = at, bytes = part[i].n;
        memcpy(entry, part[i].tag, strlen(part[i].tag));
        memcpy(entry + 8, &offset, 8);
        memcpy(entry + 16, &bytes, 8);
        text_put_n(t, entry, sizeof entry);
        at = aligned(at + part[i].n);
    }
    for (int i = 0; i < n; i++) {
        put_zeros(t, aligned(t->n - start) - (t->n - start));
        text_put_n(t, part[i].at, part[i].n);
    }
    put_zeros(t, aligned(t->n - start) - (t->n - start));
    if (t->failed) return false;
    uint32_t version = MODEL_VERSION, parts = (uint32_t)n;
    uint64_t all = t->n - start, hash = fnv(t->at + start + MODEL_HEAD, (size_t)all - MODEL_HEAD);
    memcpy(head, MODEL_MAGIC, 8);
    memcpy(head + 8, &version, 4);
    memcpy(head + 12, &parts, 4);
    memcpy(head + 16, &all, 8);
    memcpy(head + 24, &hash, 8);
    memcpy(t->at + start, head, sizeof head);
    return true;
}

static bool bad(ThContext *c, const char *what, const char *why) {
    return err(c, TH_ValueError, "%s: no saved model that can be read: %s", what, why);
}

static bool read_part(ThContext *c, const char *bytes, size_t n, const char *what, size_t end, int i, ModelPart *p) {
    const char *entry = bytes + MODEL_HEAD + (size_t)i * MODEL_ENTRY;
    uint64_t at = get(entry + 8, 8), size = get(entry + 16, 8);
    if (at % MODEL_ALIGN || at < end || at > n || size > n - at) return bad(c, what, "a part lies outside of it");
    memcpy(p->tag, entry, MODEL_TAG);
    p->tag[MODEL_TAG] = 0;
    p->at = bytes + at;
    p->n = (size_t)size;
    return true;
}

bool model_read(ThContext *c, const char *bytes, size_t n, const char *what, ModelPart part[MODEL_PARTS], int *nparts) {
    *nparts = 0;
    if (n < MODEL_HEAD || memcmp(bytes, MODEL_MAGIC, 8) != 0) return bad(c, what, "it begins otherwise");
    uint64_t version = get(bytes + 8, 4), parts = get(bytes + 12, 4), all = get(bytes + 16, 8);
    if (version < 1 || version > MODEL_VERSION)
        return err(c, TH_ValueError, "%s: a saved model of version %d; this engine reads versions up to %d", what,
                   (int)version, MODEL_VERSION);
    if (all != n) return bad(c, what, "it has another length than it says");
    if (parts > MODEL_PARTS || MODEL_HEAD + parts * MODEL_ENTRY > n) return bad(c, what, "too many parts");
    if (fnv(bytes + MODEL_HEAD, n - MODEL_HEAD) != get(bytes + 24, 8)) return bad(c, what, "it was changed");
    size_t end = MODEL_HEAD + (size_t)parts * MODEL_ENTRY;
    for (int i = 0; i < (int)parts; i++) {
        if (!read_part(c, bytes, n, what, end, i, &part[i])) return false;
        end = (size_t)(part[i].at - bytes) + part[i].n;
    }
    *nparts = (int)parts;
    return true;
}

ModelPart model_part(const ModelPart *part, int n, const char *tag) {
    for (int i = 0; i < n; i++)
        if (!strcmp(part[i].tag, tag)) return part[i];
    return (ModelPart){.at = "", .n = 0};
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */
enum { DTYPE_ROOM = 16 };

bool model_arrays_write(Text *head, Text *data, ThArray *const *a, int n) {
    for (int i = 0; i < n; i++) {
        char dtype[DTYPE_ROOM] = {0};
        const char *name = th_dtype_name((ThDtype)a[i]->dtype);
        put_zeros(data, aligned(data->n) - data->n);
        int64_t of[3] = {a[i]->ndim, (int64_t)data->n, a[i]->size * (int64_t)th_dtype_bytes((ThDtype)a[i]->dtype)};
        memcpy(dtype, name, strlen(name));
        text_put_n(head, dtype, sizeof dtype);
        text_put_n(head, (const char *)of, sizeof of);
        text_put_n(head, (const char *)ARRAY_SHAPE(a[i]), (size_t)a[i]->ndim * sizeof(int64_t));
        ThArray *flat = th_array_contiguous(a[i]) ? th_array_retain(a[i]) : th_array_copy(a[i]);
        if (flat) text_put_n(data, flat->data, (size_t)of[2]);
        th_array_release(flat);
        if (!flat) return false;
    }
    return !head->failed && !data->failed;
}

/* The bytes of so many elements, or -1. */
static int64_t bytes_of(ThDtype d, const int64_t *shape, int64_t ndim) {
    int64_t n = (int64_t)th_dtype_bytes(d);
    bool none = false;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0) return -1;
        none |= !shape[i];
        if (shape[i] && __builtin_mul_overflow(n, shape[i], &n)) return -1;
    }
    return none ? 0 : n;
}

static ThArray *read_array(ThContext *c, ModelPart *head, ModelPart data, const char *what) {
    char dtype[DTYPE_ROOM];
    int64_t of[3], shape[TH_MAX_NDIM];
    size_t fixed = sizeof dtype + sizeof of;
    if (head->n < fixed) return bad(c, what, "an array is cut off"), NULL;
    memcpy(dtype, head->at, sizeof dtype);
    memcpy(of, head->at + sizeof dtype, sizeof of);
    dtype[DTYPE_ROOM - 1] = 0;
    ThDtype d = th_dtype_from_name(dtype);
    if (d == TH_DTYPE_NONE) return bad(c, what, "an array has a dtype that there is not"), NULL;
    if (of[0] < 0 || of[0] > TH_MAX_NDIM || (size_t)of[0] * 8 > head->n - fixed)
        return bad(c, what, "an array has too many dimensions"), NULL;
    memcpy(shape, head->at + fixed, (size_t)of[0] * 8);
    head->at += fixed + (size_t)of[0] * 8;
    head->n -= fixed + (size_t)of[0] * 8;
    if (of[1] < 0 || of[2] < 0 || of[2] != bytes_of(d, shape, of[0]) || (uint64_t)of[1] > data.n ||
        (uint64_t)of[2] > data.n - (uint64_t)of[1])
        return bad(c, what, "the elements of an array lie outside of it"), NULL;
    ThArray *a = th_array_empty(c, d, (int)of[0], shape);
    if (!a) return NULL;
    if (of[2]) memcpy(a->data, data.at + of[1], (size_t)of[2]);
    for (int64_t i = 0; d == TH_BOOL && i < of[2]; i++) a->data[i] = a->data[i] != 0;
    return a;
}

bool model_arrays_read(ThContext *c, ModelPart head, ModelPart data, const char *what, ArrayVec *out) {
    while (head.n) {
        ThArray *a = read_array(c, &head, data, what);
        if (!a) return false;
        if (vec_push(c, out, a)) continue;
        th_array_release(a);
        return false;
    }
    return true;
}

void model_arrays_free(ThContext *c, ArrayVec *a) {
    for (int i = 0; i < a->n; i++) th_array_release(a->at[i]);
    vec_free(c, a);
}
