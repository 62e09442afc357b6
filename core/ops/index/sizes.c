/*
 * sizes.c -- slices in canonical form over abstract sizes, positions known while building held against lengths.
 * In: subscripts as attributes, their given parts as node inputs. Out: per axis a start, a step and a length, so that
 * one text serves the shape rules and the lowerings. Parts known while building are folded before they reach the
 * algebra.
 */
#include "ops/table/shape.h"
#include "ops/table/index.h"

#include <stdio.h>

/* ---- texts and checks of subscripts ------------------------------------------------------------------------------ */
static void put_part(Text *t, const AttrIdx *idx, int e, int part) {
    if (idx->at[e].has >> part & 1) text_put(t, th_dtype_name((ThDtype)idx->at[e].dtype[part]));
}

void idx_text(Text *t, const AttrIdx *idx) {
    for (int e = 0; e < idx->n; e++) {
        if (e) text_put(t, ", ");
        put_part(t, idx, e, 0);
        if (idx->at[e].kind != 's') continue;
        text_putc(t, ':');
        put_part(t, idx, e, 1);
        text_putc(t, ':');
        put_part(t, idx, e, 2);
    }
}

int idx_inputs(const AttrIdx *idx) {
    int n = 0;
    for (int e = 0; e < idx->n; e++)
        for (int p = 0; p < 3; p++) n += idx->at[e].has >> p & 1;
    return n;
}

bool idx_check(ThContext *c, const AttrIdx *idx, ThVar *const *in, int n) {
    int at = 0;
    if (idx_inputs(idx) != n)
        return err(c, TH_ValueError, "the subscript names %d index values, but %d are given", idx_inputs(idx), n);
    for (int e = 0; e < idx->n; e++)
        for (int p = 0; p < 3; p++) {
            if (!(idx->at[e].has >> p & 1)) continue;
            ThType t = in[at++]->type;
            if (t.kind != TYPE_SCALAR || !dtype_is_int((ThDtype)t.dtype))
                return err(c, TH_TypeError, "Expected an integer in a subscript, got %s",
                           t.dtype < TH_DTYPE_COUNT ? th_dtype_name((ThDtype)t.dtype) : "no number");
            if (t.dtype != idx->at[e].dtype[p])
                return err(c, TH_TypeError, "a subscript part is %s, its node says %s", th_dtype_name((ThDtype)t.dtype),
                           th_dtype_name((ThDtype)idx->at[e].dtype[p]));
        }
    return true;
}

/* ---- canonical slices -------------------------------------------------------------------------------------------- */
typedef struct Part {
    bool has, known;
    int64_t k;
    Sz v;
} Part;

static Sz calc(const ShapeAlg *a, char op, Sz x, Sz y) { return a->op(a->u, op, x, y); }
static Sz number(const ShapeAlg *a, int64_t k) { return a->constant(a->u, k); }

static Part part_of(const ShapeAlg *alg, const ThApply *node, int *input, bool has) {
    Part p = {.has = has};
    if (!has) return p;
    p.known = scalar_known(node->in[*input], &p.k);
    p.v = p.known ? number(alg, p.k) : alg->value(alg->u, *input, 0);
    (*input)++;
    return p;
}

/* A bound brought into [lo, hi]; negative values count from the end first. */
static Sz bound(const ShapeAlg *a, Part p, Sz n, Sz lo, Sz hi) {
    if (p.known && p.k >= 0) return calc(a, 'm', p.v, hi);
    if (p.known) return calc(a, 'M', calc(a, '+', n, p.v), lo);
    Sz negative = calc(a, '<', p.v, number(a, 0));
    Sz v = calc(a, '+', p.v, calc(a, '*', negative, n));
    return calc(a, 'M', calc(a, 'm', v, hi), lo);
}

static SliceForm forward(const ShapeAlg *a, Sz n, const Part p[3], Sz step, bool unit) {
    Sz zero = number(a, 0);
    SliceForm f = {.step = step, .unit = unit, .start = p[0].has ? bound(a, p[0], n, zero, n) : zero};
    Sz stop = p[1].has ? bound(a, p[1], n, zero, n) : n;
    bool whole = !p[0].has || (p[0].known && p[0].k == 0);
    if (whole && unit) f.len = stop; /* already in [0, n] */
    else {
        Sz span = whole && !p[1].has ? n : calc(a, 'M', calc(a, '-', stop, f.start), zero);
        f.len = unit ? span : calc(a, 'c', span, step);
    }
    return f;
}

/* one: the step is -1 for certain. */
static SliceForm backward(const ShapeAlg *a, Sz n, const Part p[3], Sz step, Sz minus_step, bool one) {
    Sz minus1 = number(a, -1), last = calc(a, '-', n, number(a, 1));
    SliceForm f = {.step = step, .start = p[0].has ? bound(a, p[0], n, minus1, last) : last};
    if (!p[0].has && !p[1].has) { /* all of it: no longer text for the same number */
        f.len = one ? n : calc(a, 'c', n, minus_step);
        return f;
    }
    Sz stop = p[1].has ? bound(a, p[1], n, minus1, last) : minus1;
    Sz span = calc(a, 'M', calc(a, '-', f.start, stop), number(a, 0));
    f.len = one ? span : calc(a, 'c', span, minus_step);
    return f;
}

static Sz blend(const ShapeAlg *a, Sz flag, Sz yes, Sz no) {
    return calc(a, '+', no, calc(a, '*', flag, calc(a, '-', yes, no)));
}

/* A step longer than the axis takes what one of its length takes, and does not overflow beside a stride. */
static void shorten(const ShapeAlg *a, Sz n, Part *s) {
    enum { LONG = 1 << 30 };
    if (!s->has || (s->known && s->k > -LONG && s->k < LONG)) return;
    Sz most = calc(a, 'M', n, number(a, 1));
    if (!s->known || s->k > 0) s->v = calc(a, 'm', s->v, most);
    if (!s->known || s->k < 0) s->v = calc(a, 'M', s->v, calc(a, '-', number(a, 0), most));
}

static bool slice_form(const ShapeAlg *a, Sz n, const Part p[3], SliceForm *f) {
    Part s = p[2];
    shorten(a, n, &s);
    if (!s.has || (s.known && s.k > 0)) {
        bool unit = !s.has || s.k == 1;
        *f = forward(a, n, p, s.has ? s.v : number(a, 1), unit);
        return true;
    }
    if (s.known) {
        *f = backward(a, n, p, s.v, s.k == 0 ? number(a, 1) : calc(a, '-', number(a, 0), s.v), s.k == -1);
        return s.k != 0 || a->equal(a->u, s.v, number(a, 1), "slice step cannot be zero");
    }
    /* the sign is known at run time only: both forms, then the one that holds; |step| >= 1 keeps the divisions defined
     */
    Sz zero = number(a, 0), one = number(a, 1), minus = calc(a, '-', zero, s.v), neg = calc(a, '<', s.v, zero);
    SliceForm up = forward(a, n, p, calc(a, 'M', s.v, one), false);
    SliceForm down = backward(a, n, p, s.v, calc(a, 'M', minus, one), false);
    *f = (SliceForm){.step = s.v, .start = blend(a, neg, down.start, up.start), .len = blend(a, neg, down.len, up.len)};
    Sz size = calc(a, 'M', s.v, minus);
    return a->equal(a->u, size, calc(a, 'M', size, one), "slice step cannot be zero");
}

/* Start of an integer entry; the two checks together say -n <= i < n. */
static bool index_form(const ShapeAlg *a, Sz n, Part p, int axis, SliceForm *f) {
    char why[120];
    bool ok = true;
    f->drop = true;
    if (!p.known || p.k >= 0) {
        snprintf(why, sizeof why, "IndexError: index out of bounds: {0}, but the last index of axis %d is {1}", axis);
        ok = a->equal(a->u, p.v, calc(a, 'm', p.v, calc(a, '-', n, number(a, 1))), why);
    }
    if (ok && (!p.known || p.k < 0)) {
        snprintf(why, sizeof why, "IndexError: index out of bounds: {0}, but the first index of axis %d is {1}", axis);
        ok = a->equal(a->u, p.v, calc(a, 'M', p.v, calc(a, '-', number(a, 0), n)), why);
    }
    if (p.known) f->start = p.k >= 0 ? p.v : calc(a, '+', n, p.v);
    else f->start = calc(a, '+', p.v, calc(a, '*', calc(a, '<', p.v, number(a, 0)), n));
    return ok;
}

bool slice_forms(const ShapeAlg *alg, const ThApply *node, int first_in, const AttrIdx *idx, const Sz *dims, int ndim,
                 bool skip_index, SliceForm *form) {
    int input = first_in, axis = 0;
    for (int e = 0; e < idx->n && axis < ndim; e++, axis++) {
        if (idx->at[e].kind == 'i' && skip_index) {
            input++;
            continue;
        }
        Part p[3];
        for (int i = 0; i < 3; i++) p[i] = part_of(alg, node, &input, idx->at[e].has >> i & 1);
        form[axis] = (SliceForm){0};
        bool ok = idx->at[e].kind == 'i' ? index_form(alg, dims[axis], p[0], axis, &form[axis])
                                         : slice_form(alg, dims[axis], p, &form[axis]);
        if (!ok) return false;
    }
    for (; axis < ndim; axis++)
        form[axis] = (SliceForm){.start = number(alg, 0), .step = number(alg, 1), .len = dims[axis], .unit = true};
    return true;
}

/* ---- constant positions ----------------------------------------------------------------------------------------- */
/* The constant whose elements are those of v, in order, or NULL. */
static const ThVar *source(const ThVar *v) {
    while (v->kind != VAR_CONSTANT && v->owner && v->owner->op == &op_reshape) v = v->owner->in[0];
    return v->kind == VAR_CONSTANT ? v : NULL;
}

void sizes_position(char *text, size_t room, const ThArray *a, int64_t flat) {
    size_t n = 0;
    int64_t at[TH_MAX_NDIM];
    text[0] = 0;
    if (!a) {
        if (flat >= 0) snprintf(text, room, ", position %lld", (long long)flat);
        return;
    }
    for (int d = a->ndim - 1; d >= 0; d--) at[d] = flat % ARRAY_SHAPE(a)[d], flat /= ARRAY_SHAPE(a)[d];
    for (int d = 0; d < a->ndim && n < room; d++)
        n += (size_t)snprintf(text + n, room - n, "%s%lld%s",
                              d             ? ", "
                              : a->ndim > 1 ? ", position ("
                                            : ", position ",
                              (long long)at[d], d == a->ndim - 1 && d ? ")" : "");
}

static void take(SizeExtremes *e, int64_t v, int64_t at) {
    if (v < e->least) e->least = v, e->least_at = at;
    if (v > e->most) e->most = v, e->most_at = at;
}

/* A number, or the elements of a list, known though no constant. */
static bool few(const ThVar *v, SizeExtremes *e) {
    enum { FEW = 64 };
    int64_t k, n = v->type.ndim == 1 ? vector_length(v) : -1;
    if (v->type.kind == TYPE_TENSOR && v->type.ndim == 1 && n > 0 && n <= FEW && dtype_is_int((ThDtype)v->type.dtype)) {
        for (int64_t i = 0; i < n; i++) {
            if (!vector_known(v, i, &k)) return false;
            take(e, k, n > 1 ? i : -1);
        }
        return true;
    }
    if (v->type.ndim || !scalar_known(v, &k)) return false;
    take(e, k, -1);
    return true;
}

bool sizes_extremes(const ThVar *v, SizeExtremes *e) {
    enum { MANY = 1 << 16 };
    const ThVar *k = source(v);
    const ThArray *x = k ? k->u.data : NULL;
    int64_t at[TH_MAX_NDIM] = {0};
    *e = (SizeExtremes){.of = x, .least = INT64_MAX, .most = INT64_MIN};
    if (!x) return few(v, e);
    if (x->size == 0 || x->size > MANY || !dtype_is_int((ThDtype)x->dtype) || x->dtype == TH_UINT64) return false;
    for (int64_t i = 0; i < x->size; i++) {
        ThValue n = {0};
        if (th_array_get(x, at, &n)) return false;
        take(e, n.i, i);
        for (int d = x->ndim - 1; d >= 0 && ++at[d] == ARRAY_SHAPE(x)[d]; d--) at[d] = 0;
    }
    return true;
}

bool sizes_in_range(const ShapeAlg *a, const ThVar *v, Sz n, int axis) {
    SizeExtremes e;
    char where[120], why[280];
    if (!sizes_extremes(v, &e)) return true;
    bool class = axis < 0, low = class ? e.least < 0 : -e.least > e.most;
    int64_t bad = low ? e.least : e.most, need = low ? -bad : bad + 1;
    if (need <= 0) return true;
    sizes_position(where, sizeof where, e.of, low ? e.least_at : e.most_at);
    if (class && low) {
        snprintf(why, sizeof why, "ValueError: y_i value out of bounds: class %lld%s is negative", (long long)bad,
                 where);
        return a->equal(a->u, number(a, 0), number(a, 1), why);
    }
    if (class)
        snprintf(why, sizeof why, "ValueError: y_i value out of bounds: class %lld%s, but there are {1} classes",
                 (long long)bad, where);
    else
        snprintf(why, sizeof why,
                 "IndexError: index out of bounds: index %lld for a dimension of length {1} (axis %d%s)",
                 (long long)bad, axis, where);
    Sz sz = number(a, need);
    return a->equal(a->u, sz, calc(a, 'm', sz, n), why);
}
