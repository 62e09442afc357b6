/*
 * nonzero.c -- where a tensor is not zero: CountNonzero (how often), Nonzero (the positions, one int64 vector for each
 * dimension, in C order), and RepeatIndex (positions of elements that are repeated, 0 0 1 2 2 2 for repeats 2 1 3).
 * In: a tensor and the number of results, computed before, so that sizes are known when memory is taken. A mask also
 * gets the lengths it must have. Out: int64 vectors. Boolean subscripts, compress, repeat are built on these.
 */
#include "graph/services.h"
#include "ops/table/host.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"

#include <string.h>

static bool int_scalar(ThType t) { return t.kind == TYPE_TENSOR && t.ndim == 0 && dtype_is_int((ThDtype)t.dtype); }

static void grad_none(Grad *g) {
    for (int i = 0; i < g->node->nin; i++) g->gx[i] = NULL;
}

static bool not_connected(const ThApply *a, int in, int out) {
    (void)a, (void)in, (void)out;
    return false;
}

/* ---- CountNonzero ------------------------------------------------------------------------------------------------ */
static bool infer_count(Infer *q) {
    if (q->in[0]->type.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "CountNonzero takes a tensor");
    q->out[0] = type_tensor(TH_INT64, 0, 0);
    return true;
}

static bool shape_count(ShapeQ *q) {
    (void)q;
    return true;
}

#define COUNT(D, name, type, letter, kind, bytes) \
    static int64_t count_##name(const char *p, int64_t st, int64_t n) { \
        int64_t k = 0; \
        if (st == (int64_t)sizeof(type)) \
            for (int64_t i = 0; i < n; i++) k += ((const type *)(const void *)p)[i] != 0; \
        else \
            for (int64_t i = 0; i < n; i++) k += *(const type *)(const void *)(p + i * st) != 0; \
        return k; \
    }
/* clang-format off */
#define REAL_DTYPES(X) \
    X(BOOL, bool, uint8_t, 0, 'b', 1) \
    X(INT8, int8, int8_t, 0, 'i', 1) \
    X(INT16, int16, int16_t, 0, 'i', 2) X(INT32, int32, int32_t, 0, 'i', 4) X(INT64, int64, int64_t, 0, 'i', 8) \
        X(UINT8, uint8, uint8_t, 0, 'u', 1) X(UINT16, uint16, uint16_t, 0, 'u', 2) \
            X(UINT32, uint32, uint32_t, 0, 'u', 4) X(UINT64, uint64, uint64_t, 0, 'u', 8) \
                X(FLOAT32, float32, float, 0, 'f', 4) X(FLOAT64, float64, double, 0, 'f', 8)
/* clang-format on */
REAL_DTYPES(COUNT)
static int64_t count_complex64(const char *p, int64_t st, int64_t n) {
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++, p += st) {
        const ThComplex64 *v = (const void *)p;
        k += v->re != 0 || v->im != 0;
    }
    return k;
}
static int64_t count_complex128(const char *p, int64_t st, int64_t n) {
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++, p += st) {
        const ThComplex128 *v = (const void *)p;
        k += v->re != 0 || v->im != 0;
    }
    return k;
}
typedef int64_t (*CountFn)(const char *p, int64_t st, int64_t n);
#define ENTRY(D, name, type, letter, kind, bytes) [TH_##D] = count_##name,
/* clang-format off */
static const CountFn counts[TH_DTYPE_COUNT] = {
    REAL_DTYPES(ENTRY)[TH_COMPLEX64] = count_complex64, [TH_COMPLEX128] = count_complex128};
/* clang-format on */

/* Bytes that are 0 or 1, in rounds too short for a byte to overflow. */
static int64_t count_bytes(const uint8_t *p, int64_t n) {
    int64_t k = 0;
    while (n > 0) {
        int64_t m = n < 255 * 64 ? n : 255 * 64;
        uint8_t sum[64] = {0};
        int64_t i = 0;
        for (; i + 64 <= m; i += 64)
            for (int j = 0; j < 64; j++) sum[j] = (uint8_t)(sum[j] + (p[i + j] != 0));
        for (int j = 0; j < 64; j++) k += sum[j];
        for (; i < m; i++) k += p[i] != 0;
        p += m, n -= m;
    }
    return k;
}

int nonzero_count_host(HostCall *h, const CountWork *w) {
    ThArray *x = (ThArray *)w->x;
    CountFn fn = counts[x->dtype];
    int64_t k = 0, item = (int64_t)th_dtype_bytes((ThDtype)x->dtype);
    (void)h;
    if (x->ndim == 0 || (x->flags & ARRAY_CONTIGUOUS))
        k = item == 1 ? count_bytes((const uint8_t *)x->data, x->size) : fn(x->data, item, x->size);
    else {
        Lanes l;
        for (host_lanes(&l, &x, 1, x->ndim - 1); !l.done; host_next(&l)) k += fn(l.ptr[0], l.step[0], l.n[0]);
    }
    memcpy(w->n->data, &k, sizeof k);
    return 0;
}

static int run_count(HostCall *h) { return h->lib->count(h, &(CountWork){h->in[0], h->out[0]}); }

static bool lower_count(Lower *l) { return l->api->host(l, run_count, 0); }

const Op op_count_nonzero = {
    .name = "CountNonzero",
    .nin = 1,
    .nout = 1,
    .infer = infer_count,
    .shape = shape_count,
    .grad = grad_none,
    .lower = lower_count,
    .connected = not_connected,
    .batch = batch_count,
    .device = DEVICE_FORM,
    .doc = OP_DOC("how many elements are not zero"),
};

/* ---- Nonzero ----------------------------------------------------------------------------------------------------- */
static bool infer_nonzero(Infer *q) {
    ThType x = q->in[0]->type;
    if (q->nin < 2 || x.kind != TYPE_TENSOR || !int_scalar(q->in[1]->type))
        return err(q->ctx, TH_TypeError, "Nonzero takes a tensor and the number of its nonzero elements");
    if (x.ndim == 0) return err(q->ctx, TH_ValueError, "Nonzero only supports non-scalar arrays.");
    if (q->nin != 2 && q->nin != 2 + x.ndim)
        return err(q->ctx, TH_ValueError, "Nonzero: a mask of %d dimensions with %d lengths", x.ndim, q->nin - 2);
    for (int i = 2; i < q->nin; i++)
        if (!int_scalar(q->in[i]->type)) return err(q->ctx, TH_TypeError, "Nonzero: lengths must be integers");
    q->nout = x.ndim;
    for (int d = 0; d < x.ndim; d++) q->out[d] = type_tensor(TH_INT64, 1, 0);
    return true;
}

static bool shape_nonzero(ShapeQ *q) {
    const ThApply *a = q->node;
    int64_t k;
    for (int d = 0; d < a->nout; d++) {
        q->out[d][0] = q->alg->value(q->alg->u, 1, 0);
        if (a->nin == 2) continue;
        Sz want = scalar_known(a->in[2 + d], &k) ? q->alg->constant(q->alg->u, k) : q->alg->value(q->alg->u, 2 + d, 0);
        if (!q->alg->equal(q->alg->u, want, q->in[0][d],
                           "IndexError: boolean index did not match indexed array; dimension is {0} but corresponding "
                           "boolean dimension is {1}"))
            return false;
    }
    return true;
}

typedef struct Found {
    int64_t *out[TH_MAX_NDIM], n, most;
    int last;
} Found;

/* Positions in one lane of the last axis. Writing always and stepping only where true has no branch to mispredict. */
#define FIND(D, name, type, letter, kind, bytes) \
    static void find_##name(Found *f, const char *p, int64_t st, int64_t n) { \
        int64_t *out = f->out[f->last], k = f->n, most = f->most; \
        for (int64_t i = 0; i < n && k < most; i++, p += st) { \
            out[k] = i; \
            k += *(const type *)(const void *)p != 0; \
        } \
        f->n = k; \
    }
REAL_DTYPES(FIND)
static void find_complex64(Found *f, const char *p, int64_t st, int64_t n) {
    for (int64_t i = 0; i < n && f->n < f->most; i++) {
        f->out[f->last][f->n] = i;
        f->n += count_complex64(p + i * st, st, 1);
    }
}
static void find_complex128(Found *f, const char *p, int64_t st, int64_t n) {
    for (int64_t i = 0; i < n && f->n < f->most; i++) {
        f->out[f->last][f->n] = i;
        f->n += count_complex128(p + i * st, st, 1);
    }
}
typedef void (*FindFn)(Found *f, const char *p, int64_t st, int64_t n);
#define FIND_ENTRY(D, name, type, letter, kind, bytes) [TH_##D] = find_##name,
/* clang-format off */
static const FindFn finds[TH_DTYPE_COUNT] = {
    REAL_DTYPES(FIND_ENTRY)[TH_COMPLEX64] = find_complex64, [TH_COMPLEX128] = find_complex128};
/* clang-format on */

/* Eight flags at a time where most are false. */
static void find_flags(Found *f, const uint8_t *p, int64_t n) {
    int64_t *out = f->out[f->last], k = f->n, most = f->most, i = 0;
    for (; i + 8 <= n && k < most; i += 8) {
        uint64_t eight;
        memcpy(&eight, p + i, 8);
        if (!eight) continue;
        if (k + 8 > most) {
            for (int j = 0; j < 8 && k < most; j++) out[k] = i + j, k += p[i + j] != 0;
            continue;
        }
        for (int j = 0; j < 8; j++) out[k] = i + j, k += p[i + j] != 0;
    }
    for (; i < n && k < most; i++) out[k] = i, k += p[i] != 0;
    f->n = k;
}

enum { OTHER_NUMBER = 0, NEGATIVE = 0 }; /* of Nonzero, of RepeatIndex */
static const OpFailure found_failures[] = {
    [OTHER_NUMBER] = {TH_ValueError, "Nonzero: {0} nonzero elements, {1} were announced"}};

int nonzero_host(HostCall *h, const NonzeroWork *w) {
    ThArray *x = (ThArray *)w->x;
    Found f = {.most = w->at[0]->size, .last = x->ndim - 1};
    bool flags = th_dtype_bytes((ThDtype)x->dtype) == 1 && ARRAY_STRIDES(x)[x->ndim - 1] == 1;
    Lanes l;
    for (int d = 0; d < x->ndim; d++) f.out[d] = (int64_t *)(void *)w->at[d]->data;
    for (host_lanes(&l, &x, 1, x->ndim - 1); !l.done && f.n < f.most; host_next(&l)) {
        int64_t first = f.n;
        if (flags) find_flags(&f, (const uint8_t *)l.ptr[0], l.n[0]);
        else finds[x->dtype](&f, l.ptr[0], l.step[0], l.n[0]);
        for (int d = 0; d < f.last; d++)
            for (int64_t i = first; i < f.n; i++) f.out[d][i] = l.at[d];
    }
    return f.n == f.most ? 0 : host_failed(h, w->failure, f.n, f.most, 0, 0);
}

static int run_nonzero(HostCall *h) { return h->lib->nonzero(h, &(NonzeroWork){h->in[0], h->out, OTHER_NUMBER}); }

static bool lower_nonzero(Lower *l) { return l->api->host(l, run_nonzero, 0); }

const Op op_nonzero = {
    .name = "Nonzero",
    .flags = OP_FAILS,
    .nin = -1,
    .nout = -1,
    .infer = infer_nonzero,
    .shape = shape_nonzero,
    .grad = grad_none,
    .lower = lower_nonzero,
    .device = DEVICE_FORM,
    .failures = found_failures,
    .connected = not_connected,
    .batch = batch_ragged,
    .doc = OP_DOC("positions of the nonzero elements, a vector for each dimension"),
};

ThApply *nonzero_make(Builder *b, ThVar *x, ThVar *const *lengths) {
    ThVar *in[2 + TH_MAX_NDIM] = {x, apply1(b, &op_count_nonzero, NULL, &x, 1)};
    int n = 2;
    for (int d = 0; x && lengths && d < x->type.ndim; d++) in[n++] = lengths[d];
    return apply_make(b, &op_nonzero, NULL, in, n);
}

/* ---- RepeatIndex ------------------------------------------------------------------------------------------------- */
/* Inputs: repeats (vector), their sum, the length they must have. */
static bool infer_repeat(Infer *q) {
    ThType r = q->in[0]->type;
    if (r.kind != TYPE_TENSOR || r.ndim != 1 || !dtype_is_int((ThDtype)r.dtype))
        return err(q->ctx, TH_TypeError, "repeats must be an integer or a vector of integers");
    if (!int_scalar(q->in[1]->type) || !int_scalar(q->in[2]->type))
        return err(q->ctx, TH_TypeError, "RepeatIndex: sum and length must be integer scalars");
    int64_t given = vector_length(q->in[0]), want;
    if (given >= 0 && scalar_known(q->in[2], &want) && given != want)
        return err(q->ctx, TH_ValueError, "%lld repeats for a dimension of length %lld", (long long)given,
                   (long long)want);
    q->out[0] = type_tensor(TH_INT64, 1, 0);
    return true;
}

static bool shape_repeat(ShapeQ *q) {
    const ShapeAlg *a = q->alg;
    q->out[0][0] = a->op(a->u, 'M', a->value(a->u, 1, 0), a->constant(a->u, 0));
    int64_t k;
    Sz want = scalar_known(q->node->in[2], &k) ? a->constant(a->u, k) : a->value(a->u, 2, 0);
    return a->equal(a->u, q->in[0][0], want, "{0} repeats for a dimension of length {1}");
}

static const OpFailure repeat_failures[] = {
    [NEGATIVE] = {TH_ValueError, "repeats may not contain negative values: repeats[{0}] = {1}"}};

int nonzero_repeat_host(HostCall *h, const RepeatWork *w) {
    const ThArray *r = w->repeats;
    int64_t *out = (int64_t *)(void *)w->z->data, n = ARRAY_SHAPE(r)[0], k = 0, most = w->z->size;
    for (int64_t i = 0; i < n; i++) {
        int64_t times;
        dtype_cast((char *)&times, TH_INT64, 8, r->data + i * ARRAY_STRIDES(r)[0], (ThDtype)r->dtype, 0, 1);
        if (times < 0) return host_failed(h, w->failure, i, times, 0, 0);
        for (int64_t j = 0; j < times && k < most; j++) out[k++] = i;
    }
    return 0;
}

static int run_repeat(HostCall *h) { return h->lib->repeat(h, &(RepeatWork){h->in[0], h->out[0], NEGATIVE}); }

static bool lower_repeat(Lower *l) { return l->api->host(l, run_repeat, 0); }

const Op op_repeat_index = {
    .name = "RepeatIndex",
    .flags = OP_FAILS,
    .nin = 3,
    .nout = 1,
    .infer = infer_repeat,
    .shape = shape_repeat,
    .grad = grad_none,
    .lower = lower_repeat,
    .device = DEVICE_FORM,
    .failures = repeat_failures,
    .connected = not_connected,
    .batch = batch_ragged,
    .doc = OP_DOC("position i repeated repeats[i] times"),
};

ThVar *repeat_index_make(Builder *b, ThVar *repeats, ThVar *sum, ThVar *length) {
    return apply1(b, &op_repeat_index, NULL, (ThVar *[]){repeats, sum, length}, 3);
}
