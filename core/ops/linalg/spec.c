/*
 * spec.c -- types, lengths and operands of the operations of linear algebra, from their texts (spec.h).
 * In: a node. Out: its rules. Always holds: all inputs have one number of dimensions before those of the text (the
 * batch), where a length of 1 that the type promises stands beside any other.
 */
#include "graph/services.h"
#include "spec.h"

#include "ops/table/host.h"

#include <stdio.h>
#include <string.h>

ThDtype linalg_real(ThDtype d) { return d == TH_COMPLEX64 ? TH_FLOAT32 : d == TH_COMPLEX128 ? TH_FLOAT64 : d; }
ThDtype linalg_complex(ThDtype d) { return d == TH_FLOAT32 ? TH_COMPLEX64 : d == TH_FLOAT64 ? TH_COMPLEX128 : d; }

/* ---- the text ---------------------------------------------------------------------------------------------------- */
typedef struct Dims {
    char letter[FACTOR_MOST][2];
    int n[FACTOR_MOST], nin, count;
} Dims;

static Dims read_dims(const LinalgSpec *s) {
    Dims d = {.count = 1};
    for (const char *p = s->dims; *p; p++) {
        if (*p == ',' || *p == '>') {
            if (*p == '>') d.nin = d.count;
            d.count++;
        } else {
            int i = d.count - 1;
            d.letter[i][d.n[i]++] = *p;
        }
    }
    return d;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */
static bool check_input(Infer *q, const LinalgSpec *s, int i, int core, int batch) {
    ThType t = q->in[i]->type;
    if (t.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "%s: input %d must be a tensor", q->op->name, i);
    if (s->takes[i] == 's')
        return (t.ndim == 0 && t.dtype == TH_FLOAT64) ||
               err(q->ctx, TH_TypeError, "%s: input %d must be a float64 scalar", q->op->name, i);
    if (t.ndim < core)
        return err(q->ctx, TH_TypeError, "%s: input %d must have at least %d dimension%s, it has %d", q->op->name, i,
                   core, core == 1 ? "" : "s", t.ndim);
    if (t.ndim - core != batch)
        return err(q->ctx, TH_TypeError, "%s: inputs 0 and %d have %d and %d dimensions of a batch", q->op->name, i,
                   batch, t.ndim - core);
    if (s->takes[i] == 'i')
        return t.dtype == TH_INT32 || err(q->ctx, TH_TypeError, "%s: input %d must be int32", q->op->name, i);
    if (dtype_is_discrete((ThDtype)t.dtype))
        return err(q->ctx, TH_TypeError, "%s needs float or complex numbers, input %d has dtype %s", q->op->name, i,
                   th_dtype_name((ThDtype)t.dtype));
    return t.dtype == q->in[0]->type.dtype ||
           err(q->ctx, TH_TypeError, "%s: inputs 0 and %d have dtypes %s and %s", q->op->name, i,
               th_dtype_name((ThDtype)q->in[0]->type.dtype), th_dtype_name((ThDtype)t.dtype));
}

static ThDtype result_dtype(char type, ThDtype d) {
    return type == 'r'   ? linalg_real(d)
           : type == 'c' ? linalg_complex(d)
           : type == 'i' ? TH_INT32
           : type == 'l' ? TH_INT64
                         : d;
}

/* Letters whose length the types promise to be 1; p, the shorter of m and n, is 0 where the other one is. */
static uint32_t known_ones(const Infer *q, const Dims *d, int batch) {
    uint32_t ones = 0;
    for (int i = 0; i < d->nin; i++)
        for (int j = 0; j < d->n[i]; j++)
            ones |= (uint32_t)type_bcast(q->in[i]->type, batch + j) << (d->letter[i][j] - 'a');
    return ones | (ones >> ('m' - 'a') & ones >> ('n' - 'a') & 1) << ('p' - 'a');
}

bool linalg_infer(Infer *q, const LinalgSpec *s) {
    Dims d = read_dims(s);
    int batch = q->in[0]->type.ndim - d.n[0], want = (int)strlen(s->takes);
    uint32_t both = batch > 0 ? (1u << batch) - 1 : 0;
    if (q->nin != want) return err(q->ctx, TH_TypeError, "%s takes %d inputs, not %d", q->op->name, want, q->nin);
    for (int i = 0; i < q->nin; i++) {
        if (!check_input(q, s, i, d.n[i < d.nin ? i : 0], batch)) return false;
        if (i < d.nin) both &= q->in[i]->type.broadcastable;
    }
    uint32_t ones = known_ones(q, &d, batch);
    q->nout = d.count - d.nin;
    for (int o = 0; o < q->nout; o++) {
        int i = d.nin + o;
        uint32_t bits = both;
        for (int j = 0; j < d.n[i]; j++) bits |= (ones >> (d.letter[i][j] - 'a') & 1) << (batch + j);
        q->out[o] = type_tensor(result_dtype(s->types[o], (ThDtype)q->in[0]->type.dtype), batch + d.n[i], bits);
    }
    return true;
}

/* ---- lengths ----------------------------------------------------------------------------------------------------- */
static bool must_equal(ShapeQ *q, Sz a, Sz b, const char *text) {
    const ShapeAlg *alg = q->alg;
    if (alg->same && alg->same(alg->u, a, b)) return true;
    const char *why = intern(q->node->ctx, text);
    return why && alg->equal(alg->u, a, b, why);
}

static bool shape_batch(ShapeQ *q, const Dims *dims, int d, Sz *len) {
    int first = -1;
    for (int i = 0; i < dims->nin; i++) {
        if (type_bcast(q->node->in[i]->type, d)) continue;
        if (first < 0) {
            first = i, *len = q->in[i][d];
            continue;
        }
        char text[200];
        snprintf(text, sizeof text, "%s: batches do not fit: input %d has length {0} in dimension %d, input %d has {1}",
                 q->node->op->name, first, d, i);
        if (!must_equal(q, *len, q->in[i][d], text)) return false;
    }
    if (first < 0) *len = q->alg->constant(q->alg->u, 1);
    return true;
}

static bool shape_letters(ShapeQ *q, const Dims *dims, int batch, Sz *len) {
    int from[26];
    memset(from, -1, sizeof from);
    for (int i = 0; i < dims->nin; i++)
        for (int j = 0; j < dims->n[i]; j++) {
            int c = dims->letter[i][j] - 'a';
            Sz n = q->in[i][batch + j];
            if (from[c] < 0) {
                from[c] = i, len[c] = n;
                continue;
            }
            char text[200];
            if (from[c] == i)
                snprintf(text, sizeof text,
                         "LinAlgError: %s: last 2 dimensions of the array must be square, they are {0} and {1}",
                         q->node->op->name);
            else
                snprintf(text, sizeof text, "%s: dimension mismatch: {0} in input %d, {1} in input %d",
                         q->node->op->name, from[c], i);
            if (!must_equal(q, len[c], n, text)) return false;
        }
    if (from['m' - 'a'] >= 0 && from['n' - 'a'] >= 0)
        len['p' - 'a'] = q->alg->op(q->alg->u, 'm', len['m' - 'a'], len['n' - 'a']);
    return true;
}

bool linalg_shape(ShapeQ *q, const LinalgSpec *s) {
    Dims dims = read_dims(s);
    int batch = q->node->in[0]->type.ndim - dims.n[0];
    Sz len[26];
    for (int d = 0; d < batch; d++) {
        Sz n = 0;
        if (!shape_batch(q, &dims, d, &n)) return false;
        for (int o = dims.nin; o < dims.count; o++) q->out[o - dims.nin][d] = n;
    }
    if (!shape_letters(q, &dims, batch, len)) return false;
    for (int o = dims.nin; o < dims.count; o++)
        for (int j = 0; j < dims.n[o]; j++) q->out[o - dims.nin][batch + j] = len[dims.letter[o][j] - 'a'];
    return true;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */
static FactorOperand operand(const ThArray *a, int core) {
    FactorOperand o = {.at = a->data, .nbatch = a->ndim - core, .len = ARRAY_SHAPE(a), .st = ARRAY_STRIDES(a)};
    for (int j = 0; j < 2; j++) {
        o.n[j] = j < core ? o.len[o.nbatch + j] : 1;
        o.ms[j] = j < core ? o.st[o.nbatch + j] : 0;
    }
    return o;
}

int linalg_run(HostCall *h, const LinalgSpec *s) {
    const LinalgAttrs *at = h->attrs;
    Dims d = read_dims(s);
    FactorWork w = {.kind = s->kind,
                    .dtype = (ThDtype)h->in[0]->dtype,
                    .lower = at->lower,
                    .unit = at->unit,
                    .full = at->full,
                    .vectors = at->vectors,
                    .hermitian = at->hermitian,
                    .complex = at->complex,
                    .nan = at->nan,
                    .trans = at->trans,
                    .assume = at->assume,
                    .mode = at->mode,
                    .rcond = at->rcond,
                    .nin = d.nin,
                    .nout = d.count - d.nin};
    for (int i = 0; i < d.count; i++) w.op[i] = operand(i < d.nin ? h->in[i] : h->out[i - d.nin], d.n[i]);
    if (h->nin > d.nin) w.rcond = *(const double *)(const void *)h->in[d.nin]->data;
    return h->lib->factor(h, &w);
}

#define OF_BATCH " (matrix {1} of a batch of {2})"
#define FAILURE(text) \
    {TH_LinAlgError, text}, { TH_LinAlgError, text OF_BATCH }
const OpFailure linalg_failures[] = {
    FAILURE("no result"),
    FAILURE("Singular matrix"),
    FAILURE("{0}-th leading minor of the array is not positive definite"),
    FAILURE("{0}-th leading minor of the second array is not positive definite"),
    FAILURE("Eigenvalues did not converge"),
    FAILURE("SVD did not converge"),
    FAILURE("SVD did not converge in Linear Least Squares"),
    FAILURE("Array must not contain infs or NaNs"),
    FAILURE("an eigenvalue is not real: ask for complex results"),
    FAILURE("the result is not real: give a complex matrix"),
    FAILURE("positions of exchanged rows must be within the matrix"),
};

/* ---- operands ---------------------------------------------------------------------------------------------------- */
/* x with dimensions of length 1 in front until it has `ndim`. */
bool linalg_refit(Builder *b, const ThApply *a, ThVar **in) {
    int more = 0;
    for (int i = 0; i < a->nin; i++) {
        int n = in[i]->type.ndim - a->in[i]->type.ndim;
        if (a->in[i]->type.ndim && n > more) more = n;
    }
    for (int i = 0; i < a->nin; i++)
        if (a->in[i]->type.ndim && !(in[i] = padleft_make(b, in[i], a->in[i]->type.ndim + more))) return false;
    return true;
}

bool linalg_batch(Batch *q) {
    ThApply *a = q->node;
    ThVar *in[FACTOR_MOST];
    for (int i = 0; i < a->nin; i++) {
        bool scalar = a->in[i]->type.ndim == 0;
        if (scalar && !batch_fixed(q, i, "rcond must be the same for all")) return false;
        in[i] = scalar ? q->in[i] : batch_beside(q, i, a->in[i]->type.ndim);
    }
    ThApply *r = apply_make(q->b, a->op, a->attrs, in, a->nin);
    for (int o = 0; r && o < a->nout; o++) q->out[o] = r->out[o];
    return r != NULL;
}

bool linalg_settle(Builder *b, ThVar **v, int n) {
    ThDtype d = TH_FLOAT32;
    int nd = 0;
    bool whole = true; /* integers alone */
    for (int i = 0; i < n; i++) {
        if (!v[i]) return false;
        if (v[i]->type.kind != TYPE_TENSOR) continue;
        ThDtype own = (ThDtype)v[i]->type.dtype;
        if (dtype_is_discrete(own)) own = b->arrays ? TH_FLOAT64 : config_floatX(b->ctx);
        d = whole ? own : th_dtype_upcast(d, own);
        whole = false;
        if (v[i]->type.ndim > nd) nd = v[i]->type.ndim;
    }
    for (int i = 0; i < n; i++) {
        if (v[i]->type.kind != TYPE_TENSOR || v[i]->type.ndim < 2) continue;
        v[i] = padleft_make(b, cast_make(b, v[i], d), nd);
        if (!v[i]) return false;
    }
    return true;
}

ThApply *linalg_node(Builder *b, const Op *op, const LinalgAttrs *at, ThVar **in, int nin) {
    return linalg_settle(b, in, nin) ? apply_make(b, op, at, in, nin) : NULL;
}

ThVar *linalg_apply(Builder *b, const Op *op, const LinalgAttrs *at, ThVar **in, int nin) {
    ThApply *a = linalg_node(b, op, at, in, nin);
    return a ? a->out[0] : NULL;
}
