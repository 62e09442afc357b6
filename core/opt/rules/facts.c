/*
 * facts.c -- what is known about a matrix: triangular, symmetric. In: a variable. Out: true only where it surely is so,
 * from the nodes near it or a Hint; a few nodes are looked at, never a whole graph.
 */
#include "facts.h"

ThVar *facts_turned(const ThVar *v) {
    const AttrInts *p = ask_op(v, &op_dimshuffle) ? ask_attr(v->owner->op, v->owner->attrs, "order") : NULL;
    if (!p || p->n < 2 || p->n != v->owner->in[0]->type.ndim) return NULL;
    int n = p->n;
    if (p->at[n - 1] != n - 2 || p->at[n - 2] != n - 1) return NULL;
    for (int d = 0; d < n - 2; d++)
        if (p->at[d] != d) return NULL;
    return v->owner->in[0];
}

const HintAttrs *facts_hint(const ThVar *v) { return ask_op(v, &op_hint) ? v->owner->attrs : NULL; }

/* ---- triangular -------------------------------------------------------------------------------------------------- */
/* Tri with a known diagonal. */
static bool tri(const ThVar *v, int64_t *k) {
    while (ask_op(v, &op_dimshuffle)) v = v->owner->in[0];
    return ask_op(v, &op_tri) && scalar_known(v->owner->in[2], k);
}

/* A factor that is zero on the other side: tril's mask, or triu's, 1 less the mask of what is below. */
static bool masked(const ThVar *v, bool lower) {
    int64_t k;
    ThApply *s = ask_scalar(v, S_sub);
    if (lower) return tri(v, &k) && k <= 0;
    return s && ask_equals(s->in[0], 1) && tri(s->in[1], &k) && k >= -1;
}

static bool diagonal(const ThVar *v) {
    int64_t k;
    if (ask_op(v, &op_eye)) return scalar_known(v->owner->in[2], &k) && k == 0;
    if (!ask_op(v, &op_alloc_diag)) return false;
    const DiagAttrs *at = v->owner->attrs;
    return at->offset == 0 && at->axis1 == v->type.ndim - 2 && at->axis2 == v->type.ndim - 1;
}

bool facts_triangular(const ThVar *v, bool lower) {
    const ThVar *x = facts_turned(v);
    if (x) v = x, lower = !lower;
    const HintAttrs *h = facts_hint(v);
    if (h) return lower ? h->lower : h->upper;
    if (ask_op(v, &op_cholesky)) return (((const LinalgAttrs *)v->owner->attrs)->lower != 0) == lower;
    if (diagonal(v)) return true;
    ThApply *m = ask_scalar(v, S_mul);
    for (int i = 0; m && i < m->nin; i++)
        if (masked(m->in[i], lower)) return true;
    return false;
}

/* ---- symmetric --------------------------------------------------------------------------------------------------- */
typedef struct Look {
    int left; /* pairs that may still be looked at */
} Look;
enum { DEEP = 8, PAIRS = 128 };

static bool mirrored(Look *l, const ThVar *a, const ThVar *b, int depth);

static bool even(int scalar) { return scalar == S_sqr || scalar == S_abs_ || scalar == S_cos || scalar == S_cosh; }

/* Each of a's operands is the mirror of one of b's of its own. */
static bool any_order(Look *l, const ThApply *a, const ThApply *b, int depth) {
    uint32_t taken = 0;
    for (int i = 0; i < a->nin; i++) {
        int j = 0;
        while (j < b->nin && ((taken >> j & 1) || !mirrored(l, a->in[i], b->in[j], depth))) j++;
        if (j == b->nin) return false;
        taken |= 1u << j;
    }
    return true;
}

static bool elementwise(Look *l, const ThApply *a, const ThApply *b, int depth) {
    if (a->scalar < 0 || a->scalar != b->scalar || a->nin != b->nin || a->nin > 8) return false;
    if (a->scalar == S_cast && a->out[0]->type.dtype != b->out[0]->type.dtype) return false;
    if (a->scalar == S_add || a->scalar == S_mul) return any_order(l, a, b, depth);
    ThApply *x = even(a->scalar) ? ask_scalar(a->in[0], S_sub) : NULL, *y = x ? ask_scalar(b->in[0], S_sub) : NULL;
    if (y && mirrored(l, x->in[0], y->in[1], depth) && mirrored(l, x->in[1], y->in[0], depth)) return true;
    for (int i = 0; i < a->nin; i++)
        if (!mirrored(l, a->in[i], b->in[i], depth)) return false;
    return true;
}

/* The same views of one variable, but that the last two dimensions are exchanged. */
static bool views(const ThApply *a, const ThApply *b) {
    const AttrInts *p = ask_attr(a->op, a->attrs, "order"), *q = ask_attr(b->op, b->attrs, "order");
    int n = p->n;
    if (a->in[0] != b->in[0] || n != q->n || n < 2) return false;
    for (int d = 0; d < n - 2; d++)
        if (p->at[d] != q->at[d]) return false;
    return p->at[n - 2] == q->at[n - 1] && p->at[n - 1] == q->at[n - 2];
}

/* a is b with its last two dimensions exchanged. */
static bool mirrored(Look *l, const ThVar *a, const ThVar *b, int depth) {
    if (depth == DEEP || l->left-- <= 0 || a->type.ndim != b->type.ndim || a->type.ndim < 2) return false;
    if (a == b) {
        const HintAttrs *h = facts_hint(a);
        if (diagonal(a) || (h && (h->symmetric || h->psd))) return true;
        if (type_bcast(a->type, a->type.ndim - 1) && type_bcast(a->type, a->type.ndim - 2)) return true;
    }
    if (facts_turned(a) == b || facts_turned(b) == a) return true;
    const ThApply *x = a->owner, *y = b->owner;
    if (!x || !y || x->op != y->op) return false;
    if (x->op == &op_dimshuffle) return views(x, y);
    if (x->op == &op_elemwise) return elementwise(l, x, y, depth + 1);
    if (x->op == &op_matrix_inverse) return mirrored(l, x->in[0], y->in[0], depth + 1);
    if (x->op != &op_dot && x->op != &op_batched_dot) return false;
    return mirrored(l, x->in[0], y->in[1], depth + 1) && mirrored(l, x->in[1], y->in[0], depth + 1);
}

bool facts_symmetric(const ThVar *v) {
    Look l = {PAIRS};
    return !dtype_is_complex((ThDtype)v->type.dtype) && mirrored(&l, v, v, 0);
}
