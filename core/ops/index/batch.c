/*
 * batch.c -- vmap rules of subscripts: reading (Subtensor, AdvancedSubtensor*) and writing (IncSubtensor, ..).
 * In: a subscript whose tensor, value or indices are mapped. Out: the same with a whole slice over the mapped dimension
 * in front or, where indices are mapped, with arange(size) as the index of that dimension. NumPy's placement of indexed
 * dimensions may move when a dimension is added, so both layouts are written down and compared.
 */
#include "advanced.h"
#include "ops/table/shape.h"
#include "ops/table/index.h"

#include <string.h>

typedef struct Layout { /* what each dimension of a result is: axis number of a slice, INDEX + d, or MAPPED */
    int at[2 * TH_MAX_NDIM], n;
} Layout;
enum { INDEX = 1000, MAPPED = -1 };

typedef struct Subscript {
    Batch *q;
    AttrIdx idx; /* new subscript */
    ThVar *in[3 * TH_MAX_NDIM + 2];
    int nin;
    int first;       /* first index input of the node */
    int nb;          /* index dimensions of the old result */
    bool any_mapped; /* among the indices */
    bool lead;       /* the tensor carries the mapped dimension in front */
    bool advanced;   /* in the new form */
    Layout old, raw;
} Subscript;

static bool plain(const Op *op) { return op == &op_subtensor || op == &op_inc_subtensor; }
static bool writes(const Op *op) {
    return op == &op_inc_subtensor || op == &op_adv_inc_subtensor1 || op == &op_adv_inc_subtensor;
}

static AttrIdx idx_given(const ThApply *a) {
    AttrIdx one = {.n = 1};
    one.at[0].kind = 'i';
    one.at[0].has = 1;
    one.at[0].dtype[0] = TH_INT64;
    return a->op == &op_adv_subtensor1 || a->op == &op_adv_inc_subtensor1 ? one : *(const AttrIdx *)a->attrs;
}

/* Slices in order, the index dimensions together where the indices stand side by side, else in front. */
static void lay_out(const AttrIdx *idx, int ndim, int shift, int nb, bool adv, bool mapped_index, Layout *l) {
    int first = -1, last = -1, count = 0;
    for (int a = 0; a < idx->n; a++) {
        if (idx->at[a].kind != 'i') continue;
        if (first < 0) first = a;
        last = a;
        count++;
    }
    bool together = adv && count && last - first == count - 1, placed = !adv || !count;
    l->n = 0;
    for (int a = 0; a <= ndim; a++) {
        if (!placed && (a == (together ? first : 0))) {
            if (mapped_index) l->at[l->n++] = MAPPED;
            for (int d = 0; d < nb; d++) l->at[l->n++] = INDEX + d;
            placed = true;
        }
        if (a == ndim || (a < idx->n && idx->at[a].kind == 'i')) continue;
        l->at[l->n++] = shift && a == 0 ? MAPPED : a - shift;
    }
}

/* An index tensor: the mapped dimension first where the indices have one, then nb others. */
static ThVar *index_tensor(Subscript *s, int i) {
    Batch *q = s->q;
    ThVar *v = q->in[i];
    if (q->mapped[i]) return batch_pad(q->b, v, s->nb);
    return v->type.kind == TYPE_SCALAR ? tensor_from_scalar_make(q->b, v) : v;
}

/* arange(size) with nb broadcastable dimensions behind it: the index of the mapped dimension. */
static ThVar *each(Batch *q, int nb) {
    Builder *b = q->b;
    ThVar *r = arange_make(b, const_int(b, 0, TH_INT64), q->size, const_int(b, 1, TH_INT64), TH_INT64);
    return batch_pad(b, r, nb);
}

static bool put_entry(Subscript *s, ThVar *v) {
    s->in[s->nin++] = v;
    return v != NULL;
}

static bool lead_entry(Subscript *s) {
    int k = s->idx.n++;
    s->idx.at[k].kind = s->any_mapped ? 'i' : 's';
    s->idx.at[k].has = s->any_mapped;
    s->idx.at[k].dtype[0] = s->any_mapped ? TH_INT64 : 0;
    return !s->any_mapped || put_entry(s, each(s->q, s->nb));
}

/* The entries of the old subscript behind what leads. */
static bool take_entries(Subscript *s, const AttrIdx *old) {
    Batch *q = s->q;
    int input = s->first;
    for (int a = 0; a < old->n; a++) {
        int k = s->idx.n++;
        s->idx.at[k].kind = old->at[a].kind;
        s->idx.at[k].has = old->at[a].has;
        for (int p = 0; p < 3; p++) {
            if (!(old->at[a].has >> p & 1)) continue;
            s->idx.at[k].dtype[p] = old->at[a].dtype[p];
            bool index = old->at[a].kind == 'i';
            if (!index && !batch_fixed(q, input, "bounds of slices must be the same for all")) return false;
            if (!put_entry(s, index && s->advanced ? index_tensor(s, input) : q->in[input])) return false;
            input++;
        }
    }
    return true;
}

static bool transcribe(Subscript *s, Batch *q) {
    const ThApply *a = q->node;
    AttrIdx old = idx_given(a);
    bool write = writes(a->op);
    *s = (Subscript){.q = q, .first = write ? 2 : 1};
    if (old.n >= TH_MAX_NDIM) return err(q->b->ctx, TH_ValueError, "vmap: too many subscripts");
    for (int i = s->first; i < a->nin; i++) {
        ThType t = a->in[i]->type;
        s->any_mapped = s->any_mapped || q->mapped[i];
        if (t.kind == TYPE_TENSOR && t.ndim > s->nb) s->nb = t.ndim;
    }
    s->lead = write || q->mapped[0];
    s->advanced = s->any_mapped || !plain(a->op);
    int ndim = a->in[0]->type.ndim;
    lay_out(&old, ndim, 0, s->nb, !plain(a->op), false, &s->old);
    if (s->lead && !lead_entry(s)) return false;
    if (!take_entries(s, &old)) return false;
    lay_out(&s->idx, ndim + s->lead, s->lead, s->nb, s->advanced, s->any_mapped, &s->raw);
    return true;
}

static int place_of(const Layout *l, int what) {
    for (int i = 0; i < l->n; i++)
        if (l->at[i] == what) return i;
    return -1;
}

bool batch_take(Batch *q) {
    Subscript s;
    int8_t order[2 * TH_MAX_NDIM];
    if (!transcribe(&s, q)) return false;
    ThVar *r = s.advanced ? adv_subtensor_make(q->b, q->in[0], &s.idx, s.in, s.nin)
                          : subtensor_make(q->b, q->in[0], &s.idx, s.in, s.nin);
    order[0] = (int8_t)place_of(&s.raw, MAPPED);
    for (int i = 0; i < s.old.n; i++) order[i + 1] = (int8_t)place_of(&s.raw, s.old.at[i]);
    q->out[0] = r ? dimshuffle_make(q->b, r, order, s.old.n + 1) : NULL;
    return q->out[0] != NULL;
}

bool batch_put(Batch *q) {
    Subscript s;
    int8_t order[2 * TH_MAX_NDIM];
    const ThApply *a = q->node;
    if (!transcribe(&s, q)) return false;
    bool set = a->op == &op_inc_subtensor        ? ATTRS(IncSubtensorAttrs, a)->set
               : a->op == &op_adv_inc_subtensor1 ? ATTRS(AdvIncSubtensor1Attrs, a)->set
                                                 : ATTRS(AdvIncSubtensorAttrs, a)->set;
    ThVar *x = batch_full(q, 0), *y = batch_beside(q, 1, s.old.n);
    for (int i = 0; i < s.raw.n; i++)
        order[i] = (int8_t)(s.raw.at[i] == MAPPED ? 0 : 1 + place_of(&s.old, s.raw.at[i]));
    y = y ? dimshuffle_make(q->b, y, order, s.raw.n) : NULL;
    if (!x || !y) return false;
    q->out[0] = s.advanced ? adv_inc_subtensor_make(q->b, x, y, &s.idx, s.in, s.nin, set)
                           : inc_subtensor_make(q->b, x, y, &s.idx, s.in, s.nin, set);
    return q->out[0] != NULL;
}
