/*
 * values.c -- integers that the graph itself tells: x.shape[0] + 1 is a Size, not a step. In: one node whose inputs
 * were visited. Out: Val.known of its small integer outputs, element by element, or nothing where only running would
 * tell.
 */
#include "parts.h"

enum { KNOWN_MAX = TH_MAX_NDIM };

/* How many elements v can be known to have, or -1: discrete, rank 0 or 1, short fixed length. */
static int countable(Planner *p, const ThVar *v) {
    if (!dtype_is_discrete(v->type.dtype) || v->type.ndim > 1) return -1;
    if (v->type.kind == TYPE_SCALAR || v->type.ndim == 0) return 1;
    Size n = sizes_find(&p->sizes, p->dims[v->id][0]);
    return n.sym < 0 && n.k <= KNOWN_MAX ? (int)n.k : -1;
}

/* Elements of an input when they are told by constants, arguments or known nodes; NULL otherwise. */
static const Size *known_in(Planner *p, const ThVar *v, Size *buf, int *n) {
    *n = countable(p, v);
    if (*n < 0 || !dtype_is_discrete(v->type.dtype)) return NULL;
    if (v->owner ? !p->val[v->id].known : planner_varying(p, v)) return NULL;
    for (int i = 0; i < *n; i++) {
        buf[i] = planner_value(p, v, i);
        if (size_bad(buf[i])) return NULL;
    }
    return buf;
}

static bool set_known(Planner *p, const ThVar *v, const Size *s, int n) {
    Val *val = &p->val[v->id];
    val->known = arena_alloc(p->arena, (size_t)(n ? n : 1) * sizeof(Size));
    if (!val->known) return false;
    memcpy(val->known, s, (size_t)n * sizeof(Size));
    val->nknown = n;
    return true;
}

/* A constant has no Val of its own; what it took the place of tells its elements. */
bool planner_same_known(Planner *p, const ThVar *v, const ThVar *now) {
    Size buf[KNOWN_MAX];
    int n;
    const Size *x = now->owner ? NULL : known_in(p, now, buf, &n);
    if (x) return set_known(p, v, x, n);
    p->val[v->id].known = p->val[now->id].known;
    p->val[v->id].nknown = p->val[now->id].nknown;
    return !failed(p->ctx);
}

/* int32 and int64 are taken as exact; narrower integers wrap where sizes would not, so only running tells. */
static bool exact(ThDtype d) { return d == TH_INT64 || d == TH_INT32; }

/* What a scalar operation makes of n sizes; bad: it is no arithmetic of sizes. */
static Size size_of(Planner *p, int scalar, ThDtype dtype, const Size *x, int n) {
    char op = scalar_size_op(scalar);
    if (!op || n < 1 || (!exact(dtype) && op != '<')) return SIZE_BAD;
    Size acc = x[0];
    for (int i = 1; i < n && !size_bad(acc); i++)
        acc = op == '=' || op == '2' ? x[i] : sizes_op(&p->sizes, op, acc, x[i]);
    return acc;
}

/* The same of a Composite's instructions. */
static Size size_of_body(Planner *p, const ScalarBody *b, const Size *x) {
    enum { MOST = 64 };
    Size value[MOST], arg[MOST];
    if (b->nin + b->nconst + b->n > MOST) return SIZE_BAD;
    memcpy(value, x, sizeof *x * (size_t)b->nin);
    for (int i = 0; i < b->nconst; i++) {
        if (!exact(b->cdtype[i])) return SIZE_BAD;
        value[b->nin + i] = size_const(b->cvalue[i].i);
    }
    for (int i = 0; i < b->n; i++) {
        const ScalarIns *s = &b->ins[i];
        if (s->nargs > MOST) return SIZE_BAD;
        for (int j = 0; j < s->nargs; j++) arg[j] = value[b->arg[s->first + j]];
        Size v = size_of(p, s->op, (ThDtype)s->dtype, arg, s->nargs);
        if (size_bad(v)) return v;
        value[b->nin + b->nconst + i] = v;
    }
    return value[b->out[0]];
}

static bool known_elemwise(Planner *p, const ThApply *a) {
    enum { MOST = 16 };
    const ElemwiseAttrs *at = a->attrs;
    int n = countable(p, a->out[0]), count[MOST];
    Size in[MOST][KNOWN_MAX], acc[KNOWN_MAX], x[MOST];
    if (n < 0 || a->nin > MOST) return true;
    for (int i = 0; i < a->nin; i++)
        if (!known_in(p, a->in[i], in[i], &count[i]) || (count[i] != n && count[i] != 1)) return !failed(p->ctx);
    for (int e = 0; e < n; e++) {
        for (int i = 0; i < a->nin; i++) x[i] = in[i][count[i] == 1 ? 0 : e];
        acc[e] =
            at->body ? size_of_body(p, at->body, x) : size_of(p, at->scalar, (ThDtype)a->out[0]->type.dtype, x, a->nin);
        if (size_bad(acc[e])) return !failed(p->ctx);
    }
    return set_known(p, a->out[0], acc, n);
}

/* Shape and Shape_i: lengths of the input. */
static bool known_shape(Planner *p, const ThApply *a) {
    const ThVar *x = a->in[0];
    return (x->type.kind != TYPE_TENSOR && x->type.kind != TYPE_SPARSE) ||
           set_known(p, a->out[0], p->dims[x->id], x->type.ndim);
}

static bool known_shape_i(Planner *p, const ThApply *a) {
    const AttrField *f = a->op->nattr > 0 ? &a->op->attrs[0] : NULL;
    if (!f || f->kind != ATTR_INT) return true;
    int64_t i = *(const int64_t *)((const char *)a->attrs + f->offset);
    return i < 0 || i >= a->in[0]->type.ndim || set_known(p, a->out[0], &p->dims[a->in[0]->id][i], 1);
}

/* All inputs' elements one after the other: MakeVector, and operations that pass their only input on. */
static bool known_concat(Planner *p, const ThApply *a) {
    Size acc[KNOWN_MAX], buf[KNOWN_MAX];
    int n = 0, want = countable(p, a->out[0]);
    for (int i = 0; i < a->nin; i++) {
        int m;
        const Size *x = known_in(p, a->in[i], buf, &m);
        if (!x || n + m > KNOWN_MAX) return !failed(p->ctx);
        memcpy(acc + n, x, (size_t)m * sizeof(Size));
        n += m;
    }
    return n != want || set_known(p, a->out[0], acc, n);
}

/* A constant part of a subscript: `none` where it is left out. false: it is not known, or there was an error. */
static bool known_part(Planner *p, const ThApply *a, const AttrIdx *idx, int bit, int64_t none, int64_t n,
                       int64_t *to) {
    Size buf[KNOWN_MAX];
    int m;
    *to = none;
    if (!(idx->at[0].has & bit)) return true;
    const Size *x = known_in(p, a->in[1 + __builtin_popcount(idx->at[0].has & (bit - 1))], buf, &m);
    if (!x || m != 1 || x[0].sym >= 0) return false;
    *to = x[0].k < 0 && bit < 4 ? x[0].k + n : x[0].k;
    return true;
}

/* x.shape[1], x.shape[:2]: constant parts of a short vector. */
static bool known_subtensor(Planner *p, const ThApply *a) {
    const AttrField *f = a->op->nattr > 0 ? &a->op->attrs[0] : NULL;
    Size buf[KNOWN_MAX];
    int n;
    int64_t start, stop, step;
    if (!f || f->kind != ATTR_IDX) return true;
    const AttrIdx *idx = (const AttrIdx *)(const void *)((const char *)a->attrs + f->offset);
    const Size *x = idx->n == 1 && a->in[0]->type.ndim == 1 ? known_in(p, a->in[0], buf, &n) : NULL;
    if (!x) return !failed(p->ctx);
    if (!known_part(p, a, idx, 1, 0, n, &start) || !known_part(p, a, idx, 2, n, n, &stop) ||
        !known_part(p, a, idx, 4, 1, n, &step) || step != 1 || start < 0)
        return !failed(p->ctx);
    if (idx->at[0].kind == 'i') stop = start + 1;
    else if (stop > n) stop = n;
    if (stop > n || start >= stop) return true;
    return set_known(p, a->out[0], x + start, (int)(stop - start));
}

bool planner_known(Planner *p, const ThApply *a) {
    if (a->nout != 1 || countable(p, a->out[0]) < 0) return true;
    if (a->op->flags & OP_ELEMWISE) return known_elemwise(p, a);
    switch ((OpNumbers)a->op->numbers) {
    case NUMBERS_LENGTHS: return known_shape(p, a);
    case NUMBERS_LENGTH: return known_shape_i(p, a);
    case NUMBERS_INPUTS: return known_concat(p, a);
    case NUMBERS_SUBSCRIPT: return known_subtensor(p, a);
    case NUMBERS_COMPUTED: break;
    }
    return true;
}
