/*
 * part.c -- what the operations on sparse matrices share: types, lengths, shares of a call, gradients.
 */
#include "part.h"

const AttrField sparse_format_fields[1] = {{"format", ATTR_STR, offsetof(SparseFormatAttrs, format), false}};

/* ---- types ------------------------------------------------------------------------------------------------------ */
bool sparse_wants(Infer *q, int i, const char *what) {
    if (q->in[i]->type.kind == TYPE_SPARSE) return true;
    Text t;
    text_init(&t, q->ctx);
    type_text(&t, q->in[i]->type);
    err(q->ctx, TH_TypeError, "%s: %s must be a sparse matrix, it is a %s", q->op->name, what, t.at ? t.at : "?");
    text_free(&t);
    return false;
}

bool sparse_wants_dense(Infer *q, int i, int ndim, const char *what) {
    ThType t = q->in[i]->type;
    if (t.kind == TYPE_TENSOR && t.ndim == ndim) return true;
    return err(q->ctx, TH_TypeError, "%s: %s must be %s%s", q->op->name, what,
               ndim == 0   ? "a scalar"
               : ndim == 1 ? "a vector"
                           : "a matrix",
               t.kind == TYPE_SPARSE ? ", it is sparse" : "");
}

bool sparse_gives(Infer *q, ThType t) {
    q->nout = 1;
    q->out[0] = t;
    return true;
}

SparseFormatAttrs sparse_format_attrs(Builder *b, char format) {
    return (SparseFormatAttrs){intern(b->ctx, sparse_name(format))};
}

/* ---- lengths ---------------------------------------------------------------------------------------------------- */
Sz sparse_head(const ShapeQ *q, int in, SparseWord w) { return q->alg->value(q->alg->u, in, w); }

Sz sparse_rows(const ShapeQ *q, int in) {
    return sparse_head(q, in, sparse_format(q->node->in[in]) == 'r' ? SPARSE_LINES : SPARSE_PLACES);
}

Sz sparse_cols(const ShapeQ *q, int in) {
    return sparse_head(q, in, sparse_format(q->node->in[in]) == 'r' ? SPARSE_PLACES : SPARSE_LINES);
}

/* Words of `bytes`, in whole cache lines. */
static Sz aligned(const ShapeAlg *g, Sz n, int64_t item) {
    Sz bytes = g->op(g->u, '+', g->op(g->u, '*', n, g->constant(g->u, item)), g->constant(g->u, 63));
    return g->op(g->u, '*', g->op(g->u, '/', bytes, g->constant(g->u, 64)), g->constant(g->u, SPARSE_ALIGN));
}

Sz sparse_vector(const ShapeQ *q, Sz lines, Sz room, ThDtype d) {
    const ShapeAlg *g = q->alg;
    Sz ptr = aligned(g, g->op(g->u, '+', lines, g->constant(g->u, 1)), 4), idx = aligned(g, room, 4);
    Sz data = aligned(g, room, (int64_t)th_dtype_bytes(d));
    return g->op(g->u, '+', g->constant(g->u, SPARSE_HEAD), g->op(g->u, '+', ptr, g->op(g->u, '+', idx, data)));
}

bool sparse_same(const ShapeQ *q, Sz a, Sz b, const char *why) { return q->alg->equal(q->alg->u, a, b, why); }

/* ---- calls ------------------------------------------------------------------------------------------------------ */
#define CSM_SHAPE "CSM of shape ({0}, {1}) with {2} values: "
const OpFailure sparse_failures[] = {
    [SPARSE_FAULT_ORDER] = {TH_ValueError,
                            "operand {0}, {1} by {2} in its format with {3} values, is not in order: its indices must "
                            "ascend without duplicates (clean and ensure_sorted_indices make it so)"},
    [SPARSE_FAULT_ROW] = {TH_IndexError, "index {0} is out of bounds: the sparse matrix has {1} rows"},
    [SPARSE_FAULT_COLUMN] = {TH_IndexError, "index {0} is out of bounds: the sparse matrix has {1} columns"},
    [SPARSE_FAULT_ROW_TWICE] = {TH_ValueError, "row {0} is chosen twice"},
    [SPARSE_FAULT_COLUMN_TWICE] = {TH_ValueError, "column {0} is chosen twice"},
    [SPARSE_FAULT_POINTER] = {TH_ValueError, "CSM: indptr[{0}] is {1}, which is out of range"},
    [SPARSE_FAULT_NUMBER] = {TH_ValueError, "CSM: indices[{0}] is {1}, which is out of range"},
    [SPARSE_FAULT_START] = {TH_ValueError, CSM_SHAPE "the pointers must start with 0"},
    [SPARSE_FAULT_END] = {TH_ValueError, CSM_SHAPE "the last pointer must be the number of stored values"},
    [SPARSE_FAULT_DESCENDS] = {TH_ValueError, CSM_SHAPE "the pointers must not descend"},
    [SPARSE_FAULT_RANGE] = {TH_ValueError, CSM_SHAPE "an index is out of range"},
    [SPARSE_FAULT_ENTRY_ROW] = {TH_IndexError, "SparseTriplets: entry {0} is at row {1} of a matrix of {2} rows"},
    [SPARSE_FAULT_ENTRY_COLUMN] = {TH_IndexError,
                                   "SparseTriplets: entry {0} is at column {1} of a matrix of {2} columns"},
};

int sparse_ordered(HostCall *h, int i, const Sparse *s) {
    if (s->order || sparse_order(s)) return 0;
    return host_failed(h, SPARSE_FAULT_ORDER, i + 1, s->lines, s->places, s->nnz);
}

typedef struct Shares {
    const Sparse *s;
    SparseShare fn;
    void *user;
    int64_t from[HOST_SHARES + 1];
} Shares;

static void share(int i, void *user) {
    const Shares *w = user;
    if (w->from[i] < w->from[i + 1]) w->fn(w->user, w->from[i], w->from[i + 1]);
}

/* First line at which a share of the work begins. */
static int64_t begin(const Sparse *s, int64_t work) {
    int64_t low = 0, high = s->lines;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (s->ptr[middle] + middle < work) low = middle + 1;
        else high = middle;
    }
    return low;
}

void sparse_shares(HostCall *h, const Sparse *s, int64_t each, SparseShare fn, void *user) {
    enum { WORTH = 1 << 16 };
    int64_t work = s->nnz + s->lines;
    int n = work * (each > 0 ? each : 1) < 2 * WORTH ? 1 : HOST_SHARES;
    Shares w = {.s = s, .fn = fn, .user = user};
    if (n == 1 || !h->parallel) {
        fn(user, 0, s->lines);
        return;
    }
    for (int i = 1; i < n; i++) w.from[i] = begin(s, work * i / n);
    w.from[n] = s->lines;
    h->parallel(h, n, share, &w);
}

/* ---- gradients -------------------------------------------------------------------------------------------------- */
ThVar *sparse_grad_values(Builder *b, ThVar *x, ThVar *g) { return g ? sparse_take_make(b, x, g) : NULL; }

ThVar *sparse_grad_dense(Builder *b, ThVar *g) { return is_sparse(g) ? dense_from_sparse_make(b, g, false) : g; }

ThVar *sparse_grad_like(Builder *b, ThVar *x, ThVar *g) {
    return is_sparse(g) ? sparse_format_make(b, g, sparse_format(x)) : g;
}

bool sparse_connected_values(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in > 0;
}

bool sparse_connected_first(const ThApply *a, int in, int out) {
    (void)a, (void)out;
    return in == 0;
}

bool sparse_rop(Rop *r) {
    ThApply *a = r->node;
    ThVar *in[8], *sum = NULL;
    for (int i = 0; i < a->nin && i < TH_LEN(in); i++) {
        if (!r->ev[i] || (a->op->connected && !a->op->connected(a, i, 0))) continue;
        for (int k = 0; k < a->nin; k++) in[k] = k == i ? r->ev[i] : a->in[k];
        ThVar *t = apply1(r->b, a->op, a->attrs, in, a->nin);
        sum = sum ? sparse_sum_of(r->b, sum, t) : t;
        if (!sum) return false;
    }
    r->out[0] = sum;
    return true;
}
