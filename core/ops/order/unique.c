/*
 * unique.c -- Unique: the distinct elements of a vector, or the distinct rows of a matrix, in ascending order.
 * In: a tensor of 1 or 2 dimensions. Out: the distinct ones, the first position of each, the place of every element
 * among them, how often each occurs, and how many there are (0-d). The first, second and fourth have room for as many
 * as x has; only that many entries are written, and the function that builds the node slices them off. NaN equals NaN,
 * unless each is to stand apart.
 */
#include "graph/services.h"
#include "keys.h"
#include "order.h"

#include "base/array/sort.h"

#include <string.h>

static bool infer_unique(Infer *q) {
    ThType x = q->in[0]->type;
    if (x.kind != TYPE_TENSOR || x.ndim < 1 || x.ndim > 2)
        return err(q->ctx, TH_ValueError, "Unique takes a vector or a matrix");
    q->nout = 5;
    q->out[0] = type_tensor((ThDtype)x.dtype, x.ndim, x.ndim == 2 ? x.broadcastable & 2 : 0);
    for (int o = 1; o < 4; o++) q->out[o] = type_tensor(TH_INT64, 1, 0);
    q->out[4] = type_tensor(TH_INT64, 0, 0);
    return true;
}

static bool shape_unique(ShapeQ *q) {
    for (int d = 0; d < q->node->in[0]->type.ndim; d++) q->out[0][d] = q->in[0][d];
    for (int o = 1; o < 4; o++) q->out[o][0] = q->in[0][0];
    return true;
}

typedef struct Rows { /* what is compared: n rows of m elements */
    const char *at;
    int64_t row, col, n, m;
    ThDtype d;
    bool apart; /* rows with NaN equal none */
} Rows;

static int compare_element(const char *a, const char *b, ThDtype d) {
    uint64_t x, y;
    if (dtype_is_complex(d)) return keys_compare_complex(a, b, d);
    keys_wide(&x, 1, a, 0, 1, d);
    keys_wide(&y, 1, b, 0, 1, d);
    return x < y ? -1 : x > y;
}

static int compare_rows(const Rows *r, int64_t i, int64_t j) {
    int c = 0;
    const char *a = r->at + i * r->row, *b = r->at + j * r->row;
    for (int64_t k = 0; k < r->m && !c; k++) c = compare_element(a + k * r->col, b + k * r->col, r->d);
    return c;
}

static bool is_nan(const char *at, ThDtype d) {
    double v[2] = {0, 0};
    dtype_cast((char *)v, dtype_is_complex(d) ? TH_COMPLEX128 : TH_FLOAT64, 0, at, d, 0, 1);
    return v[0] != v[0] || v[1] != v[1];
}

/* Whether row i, which compares equal to its neighbour, is to be told from it. */
static bool told_apart(const Rows *r, int64_t i) {
    for (int64_t k = 0; r->apart && k < r->m; k++)
        if (is_nan(r->at + i * r->row + k * r->col, r->d)) return true;
    return false;
}

static bool less_rows(const void *user, int64_t i, int64_t j) { return compare_rows(user, i, j) < 0; }

typedef struct Distinct { /* what is asked for; NULL otherwise. `first` always: the values are taken there */
    int64_t *first, *inverse, *count, n;
} Distinct;

/* Element `at` comes next; it starts a new group unless it equals the one before. */
static inline void next(Distinct *u, int64_t at, bool same) {
    if (!same) {
        u->first[u->n] = at;
        if (u->count) u->count[u->n] = 0;
        u->n++;
    }
    if (u->count) u->count[u->n - 1]++;
    if (u->inverse) u->inverse[at] = u->n - 1;
}

static int by_keys(HostCall *h, const Rows *r, Distinct *u) {
    int64_t n = r->n, *at = h->room(h, 6 * sizeof *at * (uint64_t)(n + 1));
    if (!at) return 1;
    uint64_t *key = (uint64_t *)(void *)(at + n);
    if (!sort_lane(h, r->at, r->row, n, r->d, false, at, key, key + n)) return 0; /* which is an error above */
    for (int64_t i = 0; i < n; i++) next(u, at[i], i > 0 && key[at[i]] == key[at[i - 1]] && !told_apart(r, at[i]));
    return 0;
}

static int by_comparing(HostCall *h, const Rows *r, Distinct *u) {
    int64_t *room = h->room(h, 2 * sizeof *room * (uint64_t)(r->n + 1));
    if (!room) return 1;
    const int64_t *at = sort_by(h, less_rows, r, r->n, room, room + r->n);
    for (int64_t i = 0; at && i < r->n; i++)
        next(u, at[i], i > 0 && compare_rows(r, at[i], at[i - 1]) == 0 && !told_apart(r, at[i]));
    return 0;
}

/* Values alone: the keys sorted, repeats dropped, turned back. Their number, or -1. */
static int64_t values_only(HostCall *h, const Rows *r, char *to) {
    size_t item = th_dtype_bytes(r->d);
    uint64_t line = ((uint64_t)r->n * item + 127) / 64 * 64;
    char *key = h->room(h, 2 * line);
    int64_t n = 0;
    if (!key) return -1;
    keys_from(key, r->at, r->row, r->n, r->d);
    sort_words(key, r->n, key + line, item, isa_vector_bytes());
#define DROP(type, from, different) \
    { \
        type *v = (void *)(from); \
        int64_t all = n; \
        n = all > 0; \
        for (int64_t i = 1; i < all; i++) \
            if (different) v[n++] = v[i]; \
    }
    n = r->n;
    if (item == 1) DROP(uint8_t, key, v[i] != v[i - 1])
    else if (item == 2) DROP(uint16_t, key, v[i] != v[i - 1])
    else if (item == 4) DROP(uint32_t, key, v[i] != v[i - 1] || (r->apart && v[i] == UINT32_MAX))
    else DROP(uint64_t, key, v[i] != v[i - 1] || (r->apart && v[i] == UINT64_MAX))
    keys_to(to, (int64_t)item, key, n, r->d);
    /* -0.0 and 0.0 have different keys */
    if (r->d == TH_FLOAT32) DROP(float, to, v[i] != v[i - 1])
    else if (r->d == TH_FLOAT64) DROP(double, to, v[i] != v[i - 1])
#undef DROP
    return n;
}

static int64_t *words(const ThArray *a) { return a ? (int64_t *)(void *)a->data : NULL; }

int unique_host(HostCall *h, const UniqueWork *w) {
    const ThArray *x = w->x;
    bool rows = x->ndim == 2;
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)x->dtype);
    Rows r = {x->data,
              ARRAY_STRIDES(x)[0],
              rows ? ARRAY_STRIDES(x)[1] : item,
              ARRAY_SHAPE(x)[0],
              rows ? ARRAY_SHAPE(x)[1] : 1,
              (ThDtype)x->dtype,
              false};
    r.apart = w->apart && !dtype_is_discrete(r.d);
    Distinct u = {.first = words(w->first), .inverse = words(w->inverse), .count = words(w->count)};
    bool compare = rows || dtype_is_complex(r.d);
    char *to = w->values->data;
    if (!compare && !w->index && !u.inverse && !u.count) {
        if ((u.n = values_only(h, &r, to)) < 0) return 1;
    } else {
        if (compare ? by_comparing(h, &r, &u) : by_keys(h, &r, &u)) return 1;
        for (int64_t i = 0; i < u.n; i++, to += r.m * item)
            host_get(to, r.at + u.first[i] * r.row, r.col, r.m, (size_t)item);
    }
    memcpy(w->n->data, &u.n, sizeof u.n);
    return 0;
}

static int run_unique(HostCall *h) {
    const UniqueAttrs *want = h->attrs;
    return h->lib->unique(h, &(UniqueWork){h->in[0], h->out[0], h->out[1], want->inverse ? h->out[2] : NULL,
                                           want->counts ? h->out[3] : NULL, h->out[4], want->index, want->apart});
}

static bool lower_unique(Lower *l) { return l->api->host(l, run_unique, 0); }

static void grad_unique(Grad *g) {
    g->gx[0] = grad_undefined(g, 0, "the gradient of unique is not defined: take x at the positions of return_index");
}

static bool unique_connected(const ThApply *a, int in, int out) {
    (void)a, (void)in;
    return out == 0;
}

static const AttrField unique_fields[] = {
    {"return_index", ATTR_BOOL, offsetof(UniqueAttrs, index), false},
    {"return_inverse", ATTR_BOOL, offsetof(UniqueAttrs, inverse), false},
    {"return_counts", ATTR_BOOL, offsetof(UniqueAttrs, counts), false},
    {"nan_apart", ATTR_BOOL, offsetof(UniqueAttrs, apart), false},
};
const Op op_unique = {
    .name = "Unique",
    .nin = 1,
    .nout = -1,
    .attr_bytes = sizeof(UniqueAttrs),
    .attrs = unique_fields,
    .nattr = TH_LEN(unique_fields),
    .infer = infer_unique,
    .shape = shape_unique,
    .grad = grad_unique,
    .lower = lower_unique,
    .connected = unique_connected,
    .batch = batch_ragged,
    .device = DEVICE_FORM,
    .doc = OP_DOC("distinct elements or rows in ascending order, their first positions, inverse, counts and number"),
};

ThApply *unique_make(Builder *b, ThVar *x, const UniqueAttrs *at) { return apply_make(b, &op_unique, at, &x, 1); }
