/*
 * assign.c -- loops over strided arrays: walking, assigning, copying, casting, comparing.
 *
 * In: operands with byte strides. Out: calls on their innermost runs. Always holds: array_walk visits the elements in C
 * order of the shape it is given; an assignment reads everything it needs before it overwrites it.
 */
#include "base/base.h"
#include "base/parts.h"
#include "move.h"

#include <string.h>

enum { OPERANDS = 8, NARROW = 16, MANY = 64, AT_ONCE = 2048 };

/* Lengths and strides after dropping axes of length 1 and joining neighbours that every operand crosses in one step. */
typedef struct {
    int ndim;
    int64_t n[TH_MAX_NDIM], st[OPERANDS][TH_MAX_NDIM];
} Space;

static bool joins(const Space *s, int nop, int i, int64_t n, const int64_t *const *strides, int axis) {
    for (int k = 0; k < nop; k++)
        if (s->st[k][i] != n * strides[k][axis]) return false;
    return true;
}

static void collapse(Space *s, int ndim, const int64_t *shape, int nop, const int64_t *const *strides) {
    s->ndim = 0;
    for (int axis = 0; axis < ndim; axis++) {
        if (shape[axis] == 1) continue;
        int i = s->ndim - 1;
        if (i >= 0 && joins(s, nop, i, shape[axis], strides, axis)) {
            s->n[i] *= shape[axis];
        } else {
            i = s->ndim++;
            s->n[i] = shape[axis];
        }
        for (int k = 0; k < nop; k++) s->st[k][i] = strides[k][axis];
    }
}

/* At most 8 operands. Nothing is called when a length is 0. */
void array_walk(int ndim, const int64_t *shape, int nop, char *const *ptr, const int64_t *const *strides, ArrayRun fn,
                void *user) {
    Space s;
    char *at[OPERANDS];
    int64_t inner[OPERANDS] = {0}, index[TH_MAX_NDIM] = {0};
    for (int i = 0; i < ndim; i++)
        if (!shape[i]) return;
    collapse(&s, ndim, shape, nop, strides);
    for (int k = 0; k < nop; k++) {
        at[k] = ptr[k];
        if (s.ndim) inner[k] = s.st[k][s.ndim - 1];
    }
    int64_t n = s.ndim ? s.n[s.ndim - 1] : 1;
    for (;;) {
        fn(user, at, inner, n);
        int i = s.ndim - 2;
        for (; i >= 0; i--) {
            if (++index[i] < s.n[i]) break;
            index[i] = 0;
            for (int k = 0; k < nop; k++) at[k] -= (s.n[i] - 1) * s.st[k][i];
        }
        if (i < 0) return;
        for (int k = 0; k < nop; k++) at[k] += s.st[k][i];
    }
}

/* ---- assignment -------------------------------------------------------------------------------------------------- */
typedef struct {
    ThDtype to, from;
    int64_t rows, columns, row, column; /* of a block that is turned: lengths, byte strides of dst and of src */
} Cast;

/* One element, n times: cast once, then copied from what stays in the nearest cache. */
static void repeat_run(const Cast *c, char *to, const char *from, int64_t n) {
    enum { NEAR = 4096 };
    const size_t bytes = th_dtype_bytes(c->to), all = bytes * (size_t)n;
    dtype_cast(to, c->to, (int64_t)bytes, from, c->from, 0, MANY);
    for (size_t done = bytes * MANY; done < all;) {
        size_t part = done < NEAR ? done : NEAR;
        if (part > all - done) part = all - done;
        memcpy(to + done, to, part);
        done += part;
    }
}

static void cast_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    const Cast *c = user;
    if (stride[1] == 0 && n > MANY && stride[0] == (int64_t)th_dtype_bytes(c->to)) {
        repeat_run(c, ptr[0], ptr[1], n);
        return;
    }
    dtype_cast(ptr[0], c->to, stride[0], ptr[1], c->from, stride[1], n);
}

static void turn_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    const Cast *c = user;
    for (int64_t i = 0; i < n; i++)
        array_turn(th_dtype_bytes(c->to), ptr[0] + i * stride[0], c->row, ptr[1] + i * stride[1], c->column, c->rows,
                   c->columns);
}

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/* Whether the innermost runs would be a few elements each, while the axis before the last has many; they are joined to
 * one where both sides lie so. */
static bool is_narrow(int last, const int64_t *shape, int64_t (*st)[TH_MAX_NDIM]) {
    bool joined = st[0][last - 1] == shape[last] * st[0][last] && st[1][last - 1] == shape[last] * st[1][last];
    return shape[last] > 1 && shape[last] <= NARROW && shape[last - 1] >= MANY && !joined;
}

/* The axis along which src lies densely where dst does so along the last one, and both are long: such a matrix is
 * turned block by block, so that neither side's lines are fetched for one element each. -1: there is none. */
static int turned_axis(const Cast *c, int last, const int64_t *shape, int64_t (*st)[TH_MAX_NDIM]) {
    const int64_t bytes = (int64_t)th_dtype_bytes(c->to);
    if (c->to != c->from || c->to == TH_BOOL || last < 1 || shape[last] < NARROW || st[0][last] != bytes ||
        st[1][last] == 0)
        return -1;
    for (int i = 0; i < last && magnitude(st[1][last]) != bytes; i++)
        if (st[1][i] == bytes && shape[i] >= NARROW) return i;
    return -1;
}

/* Casts src over the shape of dst; strides of src are already broadcast. Axes run in dst's memory order, long first; a
 * last one of a few elements goes around blocks of the axis before it. */
static void transfer(ThArray *dst, const char *src, ThDtype from, const int64_t *src_strides) {
    int64_t shape[TH_MAX_NDIM], st[2][TH_MAX_NDIM];
    for (int i = 0; i < dst->ndim; i++) { /* insertion sort: few axes, nearly always in order */
        int k = i;
        for (; k > 0 && magnitude(st[0][k - 1]) < magnitude(ARRAY_STRIDES(dst)[i]); k--) {
            shape[k] = shape[k - 1];
            st[0][k] = st[0][k - 1];
            st[1][k] = st[1][k - 1];
        }
        shape[k] = ARRAY_SHAPE(dst)[i];
        st[0][k] = ARRAY_STRIDES(dst)[i];
        st[1][k] = src_strides[i];
    }
    Cast cast = {.to = (ThDtype)dst->dtype, .from = from};
    union {
        const char *in;
        char *out;
    } source = {src};
    char *at[2] = {dst->data, source.out};
    const int64_t *const strides[2] = {st[0], st[1]};
    int last = dst->ndim - 1, turned = turned_axis(&cast, last, shape, st);
    if (turned >= 0) {
        cast.rows = shape[turned], cast.row = st[0][turned];
        cast.columns = shape[last], cast.column = st[1][last];
        shape[turned] = shape[last] = 1;
        array_walk(dst->ndim, shape, 2, at, strides, turn_run, &cast);
        return;
    }
    if (last < 1 || !is_narrow(last, shape, st)) {
        array_walk(dst->ndim, shape, 2, at, strides, cast_run, &cast);
        return;
    }
    int64_t n = shape[last - 1], step[2] = {st[0][last - 1], st[1][last - 1]};
    shape[last - 1] = shape[last];
    for (int k = 0; k < 2; k++) st[k][last - 1] = st[k][last], st[k][last] = step[k];
    for (int64_t done = 0; done < n; done += shape[last]) {
        shape[last] = n - done < AT_ONCE ? n - done : AT_ONCE;
        array_walk(dst->ndim, shape, 2, at, strides, cast_run, &cast);
        for (int k = 0; k < 2; k++) at[k] += shape[last] * step[k];
    }
}

/* Strides of src over dst's shape, 0 where it is repeated; leading axes of length 1 fall away as in NumPy. */
static bool broadcast(ThArray *dst, const ThArray *src, int64_t *strides) {
    char a[256], b[256];
    int extra = src->ndim - dst->ndim;
    bool fits = true;
    for (int i = 0; i < extra; i++) fits = fits && ARRAY_SHAPE(src)[i] == 1;
    for (int i = 0; i < dst->ndim; i++) {
        int k = i + extra;
        int64_t n = k < 0 ? 1 : ARRAY_SHAPE(src)[k];
        strides[i] = n == 1 ? 0 : ARRAY_STRIDES(src)[k];
        fits = fits && (n == 1 || n == ARRAY_SHAPE(dst)[i]);
    }
    return fits || err(array_ctx(dst), TH_ValueError, "could not broadcast array of shape %s into shape %s",
                       array_shape_text(src->ndim, ARRAY_SHAPE(src), a, sizeof a),
                       array_shape_text(dst->ndim, ARRAY_SHAPE(dst), b, sizeof b));
}

/* Elements that lie exactly on each other are safe: each is read before it is written, if the sizes are equal. */
static bool same_places(const ThArray *a, const ThArray *b, const int64_t *b_strides) {
    if (a->data != b->data || th_dtype_bytes((ThDtype)a->dtype) != th_dtype_bytes((ThDtype)b->dtype)) return false;
    for (int i = 0; i < a->ndim; i++)
        if (ARRAY_SHAPE(a)[i] > 1 && ARRAY_STRIDES(a)[i] != b_strides[i]) return false;
    return true;
}

/* An imaginary part is never dropped in silence: as T.cast. What is not zero is true. */
bool array_castable(ThContext *c, ThDtype from, ThDtype to) {
    if (!dtype_is_complex(from) || dtype_is_complex(to) || to == TH_BOOL) return true;
    return err(c, TH_TypeError, "cannot cast %s to %s: take the real part with real(x) or the modulus with abs_(x)",
               th_dtype_name(from), th_dtype_name(to));
}

int th_array_assign(ThArray *dst, const ThArray *src) {
    int64_t strides[TH_MAX_NDIM];
    if (!dst || !src) return -1;
    ThContext *c = array_ctx(dst);
    if (!array_writeable(c, dst) || !array_usable(c, src) || !broadcast(dst, src, strides) ||
        !array_castable(c, (ThDtype)src->dtype, (ThDtype)dst->dtype))
        return -1;
    if (!dst->size) return 0;
    bool in_place = same_places(dst, src, strides);
    if (in_place && dst->dtype == src->dtype) return 0;
    if (in_place || !th_array_shares_memory(dst, src)) {
        transfer(dst, src->data, (ThDtype)src->dtype, strides);
        return 0;
    }
    ThArray *copy = th_array_empty(c, (ThDtype)src->dtype, src->ndim, ARRAY_SHAPE(src));
    if (!copy) return -1;
    transfer(copy, src->data, (ThDtype)src->dtype, ARRAY_STRIDES(src));
    broadcast(dst, copy, strides);
    transfer(dst, copy->data, (ThDtype)copy->dtype, strides);
    th_array_release(copy);
    return 0;
}

int th_array_fill(ThArray *a, const ThArray *scalar) {
    if (!a || !scalar) return -1;
    if (scalar->size == 1) return th_array_assign(a, scalar);
    err(array_ctx(a), TH_ValueError, "fill needs one value, got an array of %lld elements", (long long)scalar->size);
    return -1;
}

ThArray *th_array_astype(ThArray *a, ThDtype d) {
    if (!a || !array_usable(array_ctx(a), a) || !array_castable(array_ctx(a), (ThDtype)a->dtype, d)) return NULL;
    ThArray *out = th_array_empty(array_ctx(a), d, a->ndim, ARRAY_SHAPE(a));
    if (out && out->size) transfer(out, a->data, (ThDtype)a->dtype, ARRAY_STRIDES(a));
    return out;
}

ThArray *th_array_copy(ThArray *a) {
    ThArray *r = a ? th_array_astype(a, (ThDtype)a->dtype) : NULL;
    if (r) r->flags |= a->flags & (ARRAY_CSR | ARRAY_CSC);
    return r;
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */
enum { BLOCK = 256 };

typedef struct {
    ThDtype a, b, common;
    bool equal;
} Equal;

/* Values of one block, as the parts of the common dtype. NaN differs from itself. */
static bool equal_block(ThDtype d, const void *a, const void *b, int64_t n) {
    if (dtype_is_discrete(d)) return !memcmp(a, b, (size_t)n * th_dtype_bytes(d));
    if (dtype_is_complex(d)) n *= 2;
    bool same = true;
    if (d == TH_FLOAT32 || d == TH_COMPLEX64)
        for (int64_t i = 0; i < n; i++) same &= ((const float *)a)[i] == ((const float *)b)[i];
    else
        for (int64_t i = 0; i < n; i++) same &= ((const double *)a)[i] == ((const double *)b)[i];
    return same;
}

static void equal_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Equal *e = user;
    ThComplex128 a[BLOCK], b[BLOCK];
    int64_t bytes = (int64_t)th_dtype_bytes(e->common);
    for (int64_t i = 0; i < n && e->equal; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        dtype_cast((char *)a, e->common, bytes, ptr[0] + i * stride[0], e->a, stride[0], m);
        dtype_cast((char *)b, e->common, bytes, ptr[1] + i * stride[1], e->b, stride[1], m);
        e->equal = equal_block(e->common, a, b, m);
    }
}

bool th_array_equal(const ThArray *a, const ThArray *b) {
    if (!a || !b || !array_usable(array_ctx(a), a) || !array_usable(array_ctx(a), b)) return false;
    if (a->ndim != b->ndim) return false;
    for (int i = 0; i < a->ndim; i++)
        if (ARRAY_SHAPE(a)[i] != ARRAY_SHAPE(b)[i]) return false;
    ThDtype both = dtype_computed(th_dtype_upcast((ThDtype)a->dtype, (ThDtype)b->dtype));
    Equal e = {(ThDtype)a->dtype, (ThDtype)b->dtype, both, true};
    array_walk(a->ndim, ARRAY_SHAPE(a), 2, (char *const[]){a->data, b->data},
               (const int64_t *const[]){ARRAY_STRIDES(a), ARRAY_STRIDES(b)}, equal_run, &e);
    return e.equal;
}

typedef struct {
    const char *first;
    size_t bytes;
    bool same;
} Same;

static void same_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Same *s = user;
    for (int64_t i = 0; i < n && s->same; i++) s->same = !memcmp(ptr[0] + i * stride[0], s->first, s->bytes);
}

static void bits_run(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Same *s = user;
    for (int64_t i = 0; i < n && s->same; i++)
        s->same = !memcmp(ptr[0] + i * stride[0], ptr[1] + i * stride[1], s->bytes);
}

bool array_same_bits(const ThArray *a, const ThArray *b) {
    if (a->dtype != b->dtype || a->ndim != b->ndim) return false;
    for (int i = 0; i < a->ndim; i++)
        if (ARRAY_SHAPE(a)[i] != ARRAY_SHAPE(b)[i]) return false;
    Same s = {NULL, th_dtype_bytes((ThDtype)a->dtype), true};
    array_walk(a->ndim, ARRAY_SHAPE(a), 2, (char *const[]){a->data, b->data},
               (const int64_t *const[]){ARRAY_STRIDES(a), ARRAY_STRIDES(b)}, bits_run, &s);
    return s.same;
}

bool array_all_equal(const ThArray *a) {
    Same s = {a->data, th_dtype_bytes((ThDtype)a->dtype), true};
    array_walk(a->ndim, ARRAY_SHAPE(a), 1, (char *const[]){a->data}, (const int64_t *const[]){ARRAY_STRIDES(a)},
               same_run, &s);
    return s.same;
}
