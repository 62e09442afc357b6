/*
 * index.c -- x[..] and take: which operation a subscript becomes.
 * In: entries as users write them (integers, slices, ellipsis, newaxis, tensors). Out: Subtensor for integers and
 * slices, AdvancedSubtensor1 for one integer vector on one axis, AdvancedSubtensor for the rest, DimShuffle for new
 * axes.
 */
#include "ops/index/advanced.h"
#include "util.h"

#include <string.h>

typedef struct Entry {
    char kind;      /* 'i' integer scalar, 'a' integer tensor, 'm' mask, 's' slice, 'n' newaxis, 'e' ellipsis */
    bool number;    /* 'i' given as a number */
    bool mask;      /* 'a' positions of a mask: that there is one, none but the run may tell */
    int64_t value;  /* that number */
    ThVar *part[3]; /* index or tensor in 0; slice parts, NULL where open */
    bool has_number[3];
    int64_t number_of[3];
} Entry;
typedef struct Subscript {
    Entry at[3 * TH_MAX_NDIM];
    int n;
    bool parted; /* an ellipsis of no axis stands between tensors: what they select comes first, as in NumPy */
} Subscript;

/* ---- reading the entries ----------------------------------------------------------------------------------------- */
static bool want_integer(Front *f, const ThVar *v) {
    if (v->type.kind == TYPE_SCALAR || (v->type.kind == TYPE_TENSOR && dtype_is_int((ThDtype)v->type.dtype)))
        return true;
    return front_error(f, TH_TypeError, "Expected an integer: index must be integers, not %s",
                       th_dtype_name((ThDtype)v->type.dtype)) >= 0;
}

/* A bound of a slice: nothing, a number, an integer scalar. */
static bool read_part(Front *f, const ThArg *a, Entry *e, int p) {
    if (a->kind == TH_ARG_NONE) return true;
    if (a->kind == TH_ARG_INT) {
        e->has_number[p] = true;
        e->number_of[p] = a->i;
        e->part[p] = const_scalar_int(f->b, a->i);
        return e->part[p] != NULL;
    }
    ThVar *v = front_as_var(f, a, "a bound of the slice");
    if (!v || !want_integer(f, v)) return false;
    if (v->type.ndim != 0)
        return front_error(f, TH_TypeError, "a bound of a slice must be a scalar, not a tensor of %d dimensions",
                           v->type.ndim) >= 0;
    return (e->part[p] = index_make(f->b, v)) != NULL;
}

static bool read_entry(Front *f, const ThArg *a, Entry *e) {
    *e = (Entry){0};
    switch (a->kind) {
    case TH_ARG_NEWAXIS:
    case TH_ARG_NONE: e->kind = 'n'; return true;
    case TH_ARG_ELLIPSIS: e->kind = 'e'; return true;
    case TH_ARG_INT: *e = (Entry){.kind = 'i', .number = true, .value = a->i}; return true;
    case TH_ARG_SLICE:
        e->kind = 's';
        for (int p = 0; p < 3; p++)
            if (!read_part(f, &a->list.at[p], e, p)) return false;
        return true;
    default: break;
    }
    ThVar *v = front_as_var(f, a, "an index");
    if (v && v->type.kind == TYPE_TENSOR && v->type.dtype == TH_BOOL && v->type.ndim > 0) {
        e->kind = 'm';
        e->part[0] = v;
        return true;
    }
    if (!v || !want_integer(f, v)) return false;
    e->kind = v->type.kind == TYPE_SCALAR || v->type.ndim == 0 ? 'i' : 'a';
    e->part[0] = v;
    return true;
}

static bool is_whole(const Entry *e) { return e->kind == 's' && !e->part[0] && !e->part[1] && !e->part[2]; }

/* Axes of x that an entry stands for. */
static int axes_of(const Entry *e) { return e->kind == 'm' ? e->part[0]->type.ndim : e->kind != 'n' && e->kind != 'e'; }

/* Length of the last dimension of what a tensor selects; NULL where that broadcasts. */
static ThVar *index_length(Front *f, const Entry *e) {
    const int last = e->kind == 'a' ? e->part[0]->type.ndim - 1 : -1;
    return last < 0 || type_bcast(e->part[0]->type, last) ? NULL : shape_elem_make(f->b, e->part[0], last);
}

/* The one position of a mask goes with all that other tensors select, which no type says before. */
static bool fit_masks(Front *f, Subscript *s) {
    Builder *b = f->b;
    ThVar *n = NULL, *one = const_int(b, 1, TH_DTYPE_NONE), *zero = const_int(b, 0, TH_DTYPE_NONE);
    int groups = 0;
    for (int e = 0; e < s->n && !failed(f->ctx); e++) {
        ThVar *own = index_length(f, &s->at[e]);
        if (!own) continue;
        groups += !(s->at[e].mask && e && s->at[e - 1].mask && s->at[e].part[0]->owner == s->at[e - 1].part[0]->owner);
        n = n ? elemwise_3(b, S_switch, elemwise_2(b, S_eq, n, one), own, n) : own;
    }
    for (int e = 0; e < s->n && groups > 1 && !failed(f->ctx); e++) {
        if (!s->at[e].mask) continue;
        ThVar *at = s->at[e].part[0], *own = shape_elem_make(b, at, 0), *single = elemwise_2(b, S_eq, own, one);
        ThVar *line = arange_make(b, zero, elemwise_3(b, S_switch, single, n, own), one, TH_INT64);
        s->at[e].part[0] = adv_subtensor1_make(b, at, elemwise_3(b, S_switch, single, zero, line));
    }
    return !failed(f->ctx);
}

/* Masks become the positions of their true elements, an integer vector for each of their dimensions. */
static bool expand_masks(Front *f, ThVar *x, Subscript *s) {
    ThVar *lengths[TH_MAX_NDIM];
    int axis = 0, masks = 0;
    for (int e = 0; e < s->n; e++) masks += s->at[e].kind == 'm';
    if (masks && !front_shape_of(f->b, x, lengths)) return false;
    for (int e = 0; e < s->n; axis += axes_of(&s->at[e++])) {
        if (s->at[e].kind != 'm') continue;
        ThVar *mask = s->at[e].part[0];
        int nd = mask->type.ndim;
        ThApply *at = nonzero_make(f->b, mask, lengths + axis);
        if (!at) return false;
        memmove(&s->at[e + nd], &s->at[e + 1], sizeof *s->at * (size_t)(s->n - e - 1));
        for (int d = 0; d < nd; d++) s->at[e + d] = (Entry){.kind = 'a', .mask = true, .part = {at->out[d]}};
        s->n += nd - 1;
    }
    return !masks || fit_masks(f, s);
}

static bool any_index(const Subscript *s, int from, int to) {
    for (int e = from; e < to; e++)
        if (strchr("iam", s->at[e].kind)) return true;
    return false;
}

/* Entries for every axis of x: the ellipsis becomes slices, and so do the axes past the last entry. */
static bool read_subscript(Front *f, ThVar *x, Subscript *s) {
    int axes = 0, ellipsis = -1;
    if (f->nrest > 2 * TH_MAX_NDIM) return front_error(f, TH_IndexError, "too many indices") >= 0;
    s->n = 0;
    for (int i = 0; i < f->nrest; i++) {
        Entry *e = &s->at[s->n++];
        if (!read_entry(f, &f->rest[i], e)) return false;
        axes += axes_of(e);
        if (e->kind != 'e') continue;
        if (ellipsis >= 0)
            return front_error(f, TH_IndexError, "an index can only have a single Ellipsis (`...`)") >= 0;
        ellipsis = i;
    }
    int missing = x->type.ndim - axes;
    if (missing < 0)
        return front_error(f, TH_IndexError, "too many indices for array: %d for %d dimension%s", axes, x->type.ndim,
                           x->type.ndim == 1 ? "" : "s") >= 0;
    int at = ellipsis >= 0 ? ellipsis : s->n, skip = ellipsis >= 0;
    memmove(&s->at[at + missing], &s->at[at + skip], sizeof *s->at * (size_t)(s->n - at - skip));
    for (int i = 0; i < missing; i++) s->at[at + i] = (Entry){.kind = 's'};
    s->parted = !missing && skip && any_index(s, 0, at) && any_index(s, at, s->n - 1);
    s->n += missing - skip;
    return expand_masks(f, x, s);
}

/* ---- building ---------------------------------------------------------------------------------------------------- */
/* New axes: x gets them by DimShuffle, and the entries become whole slices there. */
static ThVar *apply_newaxis(Front *f, ThVar *x, Subscript *s) {
    int8_t order[3 * TH_MAX_NDIM];
    int axis = 0;
    bool any = false;
    for (int e = 0; e < s->n; e++) {
        bool fresh = s->at[e].kind == 'n';
        order[e] = (int8_t)(fresh ? -1 : axis++);
        if (fresh) s->at[e] = (Entry){.kind = 's'};
        any = any || fresh;
    }
    if (s->n > TH_MAX_NDIM) {
        front_error(f, TH_IndexError, "%d dimensions are too many (at most %d)", s->n, TH_MAX_NDIM);
        return NULL;
    }
    return any ? dimshuffle_make(f->b, x, order, s->n) : x;
}

static void set_part(AttrIdx *idx, int e, int p, ThVar *v, ThVar **in, int *n) {
    if (!v) return;
    idx->at[e].has |= (uint8_t)(1u << p);
    idx->at[e].dtype[p] = v->type.dtype;
    in[(*n)++] = v;
}

static ThVar *basic(Front *f, ThVar *x, const Subscript *s) {
    AttrIdx idx = {.n = (int8_t)s->n};
    ThVar *in[3 * TH_MAX_NDIM];
    int n = 0;
    for (int e = 0; e < s->n; e++) {
        const Entry *at = &s->at[e];
        idx.at[e].kind = at->kind;
        for (int p = 0; p < 3; p++) {
            ThVar *v = at->part[p];
            if (at->kind == 'i' && p == 0) v = at->number ? const_scalar_int(f->b, at->value) : index_make(f->b, v);
            if (at->kind == 'i' && p == 0 && !v) return NULL;
            set_part(&idx, e, p, v, in, &n);
        }
    }
    return subtensor_make(f->b, x, &idx, in, n);
}

/* The order that puts what the tensors select before what slices keep; 0 where it is so, or there are none. */
static int indices_first(const ThApply *a, int8_t *order) {
    AdvForm form;
    if (!a || a->op != &op_adv_subtensor || !adv_form_of(a, &form) || !form.pos) return 0;
    for (int d = 0; d < form.ndim; d++)
        order[d] = (int8_t)(d < form.nb ? form.pos + d : d < form.nb + form.pos ? d - form.nb : d);
    return form.ndim;
}

bool front_is_parted(const ThApply *shuffle) {
    const AttrInts *has = shuffle->attrs;
    int8_t order[TH_MAX_NDIM];
    const int n = indices_first(shuffle->in[0]->owner, order);
    return n && has->n == n && memcmp(has->at, order, (size_t)n) == 0;
}

/* Integers stand among the tensors of an advanced subscript as 0-d ones. */
static ThVar *advanced(Front *f, ThVar *x, const Subscript *s) {
    AttrIdx idx = {.n = (int8_t)s->n};
    ThVar *in[3 * TH_MAX_NDIM];
    int n = 0;
    for (int e = 0; e < s->n; e++) {
        const Entry *at = &s->at[e];
        idx.at[e].kind = at->kind == 's' ? 's' : 'i';
        for (int p = 0; p < 3; p++) {
            ThVar *v = at->part[p];
            if (at->kind == 'i' && p == 0) {
                if (at->number) v = const_int(f->b, at->value, TH_INT64);
                else if (v->type.kind == TYPE_SCALAR) v = tensor_from_scalar_make(f->b, v);
                if (!v) return NULL;
            }
            set_part(&idx, e, p, v, in, &n);
        }
    }
    while (idx.n > 0 && is_whole(&s->at[idx.n - 1])) memset(&idx.at[--idx.n], 0, sizeof *idx.at);
    int8_t order[TH_MAX_NDIM];
    ThVar *r = adv_subtensor_make(f->b, x, &idx, in, n);
    return r && s->parted && (n = indices_first(r->owner, order)) ? dimshuffle_make(f->b, r, order, n) : r;
}

/* a at the integer positions `i` along axis, through AdvancedSubtensor1 on the first axis. */
static ThVar *take_vector(Front *f, ThVar *a, ThVar *i, int axis) {
    int8_t order[TH_MAX_NDIM];
    if (axis == 0) return adv_subtensor1_make(f->b, a, i);
    for (int d = 0; d < a->type.ndim; d++) order[d] = (int8_t)(d == 0 ? axis : d == axis ? 0 : d);
    ThVar *front = dimshuffle_make(f->b, a, order, a->type.ndim);
    ThVar *rows = front ? adv_subtensor1_make(f->b, front, i) : NULL;
    return rows ? dimshuffle_make(f->b, rows, order, rows->type.ndim) : NULL;
}

/* A tensor of positions is flattened, taken, and its dimensions put back. */
static ThVar *take_tensor(Front *f, ThVar *a, ThVar *i, int axis) {
    ThVar *ad[TH_MAX_NDIM], *id[TH_MAX_NDIM], *shape[2 * TH_MAX_NDIM];
    int n = 0, an = a->type.ndim;
    uint32_t bits = 0;
    if (i->type.ndim == 1) return take_vector(f, a, i, axis);
    if (an + i->type.ndim - 1 > TH_MAX_NDIM) {
        front_error(f, TH_IndexError, "the result has too many dimensions");
        return NULL;
    }
    if (!front_shape_of(f->b, a, ad) || !front_shape_of(f->b, i, id)) return NULL;
    ThVar *flat = take_vector(f, a, front_flatten_to(f->b, i, 1), axis);
    for (int d = 0; d < axis; d++, n++) shape[n] = ad[d], bits |= (uint32_t)type_bcast(a->type, d) << n;
    for (int d = 0; d < i->type.ndim; d++, n++) shape[n] = id[d], bits |= (uint32_t)type_bcast(i->type, d) << n;
    for (int d = axis + 1; d < an; d++, n++) shape[n] = ad[d], bits |= (uint32_t)type_bcast(a->type, d) << n;
    ThVar *r = flat ? reshape_make(f->b, flat, front_shape_vector(f->b, shape, n), n) : NULL;
    return patternbroadcast_make(f->b, r, bits);
}

int front_getitem(Front *f) {
    Subscript s;
    s.n = 0;
    ThVar *x = front_var(f, 0);
    if (!x || !read_subscript(f, x, &s)) return -1;
    int tensors = 0, at = 0, other = 0;
    for (int e = 0; e < s.n; e++) {
        if (s.at[e].kind == 'a') tensors++, at = e;
        else if (!is_whole(&s.at[e])) other++;
    }
    if (tensors == 1 && other == 0) return front_return(f, take_tensor(f, x, s.at[at].part[0], at));
    bool only_new = true;
    for (int e = 0; e < s.n; e++) only_new = only_new && (s.at[e].kind == 'n' || is_whole(&s.at[e]));
    bool any_new = other > 0 && only_new;
    x = apply_newaxis(f, x, &s);
    if (!x || any_new) return front_return(f, x);
    return front_return(f, tensors ? advanced(f, x, &s) : basic(f, x, &s));
}

int front_take(Front *f) {
    ThVar *a = front_var(f, 0), *i = front_integers(f, 1);
    const char *mode = front_str(f, 3);
    int axis = 0;
    const bool flat = front_no_axis(f, 2, a);
    if (!a || !i || !mode || !want_integer(f, i) || (!flat && !front_axis(f, 2, a->type.ndim, &axis))) return -1;
    if (flat) a = front_flatten_to(f->b, a, 1);
    if (!a) return -1;
    if (strcmp(mode, "raise") != 0) {
        ThVar *n = shape_elem_make(f->b, a, axis), *one = const_int(f->b, 1, TH_DTYPE_NONE);
        if (strcmp(mode, "wrap") == 0) i = elemwise_2(f->b, S_mod, i, n);
        else if (strcmp(mode, "clip") == 0)
            i = elemwise_3(f->b, S_clip, i, const_int(f->b, 0, TH_DTYPE_NONE), elemwise_2(f->b, S_sub, n, one));
        else return front_error(f, TH_ValueError, "mode must be \"raise\", \"wrap\" or \"clip\", not \"%s\"", mode);
    }
    if (!i) return -1;
    if (i->type.ndim > 0) return front_return(f, take_tensor(f, a, i, axis));
    ThVar *v =
        make_vector_make(f->b, &i, 1, TH_INT64); /* one position: a vector of one, whose dimension is dropped again */
    ThVar *r = v ? take_vector(f, a, v, axis) : NULL;
    int8_t order[TH_MAX_NDIM];
    for (int d = 0; d + 1 < a->type.ndim; d++) order[d] = (int8_t)(d < axis ? d : d + 1);
    return front_return(f, r ? dimshuffle_make(f->b, r, order, a->type.ndim - 1) : NULL);
}
