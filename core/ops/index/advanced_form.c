/*
 * advanced_form.c -- layout, shape and kernels of advanced subscripts (see advanced.h).
 * Invariant: kernel dims run in the order of the result's dims; the element offset of the indexed axes is one int64
 * value, the sum of checked index times stride, computed right inside the broadcast dims and shared by the loops below.
 */
#include "advanced.h"
#include "ops/table/index.h"
#include "ops/table/lowering.h"
#include "ops/table/shape.h"

/* ---- layout ------------------------------------------------------------------------------------------------------ */
static bool place(ThContext *c, ThVar *const *in, AdvForm *f, ThType x) {
    bool adjacent = f->nadv == 0 || f->axis[f->nadv - 1] - f->axis[0] == f->nadv - 1;
    f->pos = 0;
    for (int s = 0; adjacent && s < f->nslice; s++) f->pos += f->slice_axis[s] < f->axis[0];
    f->ndim = f->nslice + f->nb;
    if (f->ndim > TH_MAX_NDIM)
        return err(c, TH_ValueError, "the subscript makes %d dimensions (at most %d)", f->ndim, TH_MAX_NDIM);
    for (int s = 0; s < f->nslice; s++) {
        int axis = f->slice_axis[s];
        bool kept = axis >= f->idx->n || f->idx->at[axis].has == 0;
        if (kept && type_bcast(x, axis)) f->broadcastable |= 1u << (s < f->pos ? s : s + f->nb);
    }
    for (int d = 0; d < f->nb; d++) {
        bool one = true;
        for (int j = 0; j < f->nadv; j++) {
            ThType t = in[f->input[j]]->type;
            int own = d - (f->nb - t.ndim);
            one = one && (own < 0 || type_bcast(t, own));
        }
        if (one) f->broadcastable |= 1u << (f->pos + d);
    }
    return true;
}

static bool want_index(ThContext *c, ThType t) {
    if (t.kind == TYPE_TENSOR && dtype_is_int((ThDtype)t.dtype)) return true;
    return err(c, TH_TypeError, "index must be integers");
}

bool adv_form(ThContext *c, const AttrIdx *idx, ThVar *const *in, int nin, int first, AdvForm *f) {
    ThType x = in[0]->type;
    int input = first;
    *f = (AdvForm){.idx = idx, .first = first};
    if (x.kind != TYPE_TENSOR) return err(c, TH_TypeError, "a subscript needs a tensor");
    if (x.ndim == 0) return err(c, TH_TypeError, "cannot index into a scalar");
    if (idx->n > x.ndim)
        return err(c, TH_IndexError, "too many indices for array: %d for %d dimensions", idx->n, x.ndim);
    if (nin - first != idx_inputs(idx))
        return err(c, TH_ValueError, "the subscript names %d index values, but %d are given", idx_inputs(idx),
                   nin - first);
    for (int a = 0; a < x.ndim; a++) {
        if (a < idx->n && idx->at[a].kind == 'i') {
            ThType t = in[input]->type;
            if (!want_index(c, t)) return false;
            f->axis[f->nadv] = a;
            f->input[f->nadv++] = input++;
            if (t.ndim > f->nb) f->nb = t.ndim;
            continue;
        }
        f->slice_axis[f->nslice++] = a;
        for (int p = 0; a < idx->n && p < 3; p++) {
            if (!(idx->at[a].has >> p & 1)) continue;
            ThType t = in[input++]->type;
            if (t.kind != TYPE_SCALAR || !dtype_is_int((ThDtype)t.dtype))
                return err(c, TH_TypeError, "Expected an integer as a bound of a slice");
        }
    }
    return place(c, in, f, x);
}

/* ---- shape ------------------------------------------------------------------------------------------------------- */
/* Length of broadcast dim d: of the index tensors that do not promise 1 there; all of them must agree. */
static bool index_length(ShapeQ *q, const AdvForm *f, int d, Sz *out) {
    bool found = false;
    *out = q->alg->constant(q->alg->u, 1);
    for (int j = 0; j < f->nadv; j++) {
        ThType t = q->node->in[f->input[j]]->type;
        int own = d - (f->nb - t.ndim);
        if (own < 0 || type_bcast(t, own)) continue;
        Sz n = q->in[f->input[j]][own];
        if (!found) *out = n;
        else if (!q->alg->equal(q->alg->u, *out, n,
                                "IndexError: shape mismatch: indexing arrays of lengths {0} and {1} could not be "
                                "broadcast together"))
            return false;
        found = true;
    }
    return true;
}

bool adv_shape(ShapeQ *q, const AdvForm *f, Sz *out) {
    SliceForm form[TH_MAX_NDIM];
    for (int j = 0; j < f->nadv; j++)
        if (!sizes_in_range(q->alg, q->node->in[f->input[j]], q->in[0][f->axis[j]],
                            dimshuffle_source(q->node->in[0], f->axis[j])))
            return false;
    if (!slice_forms(q->alg, q->node, f->first, f->idx, q->in[0], q->node->in[0]->type.ndim, true, form)) return false;
    for (int s = 0; s < f->nslice; s++) out[s < f->pos ? s : s + f->nb] = form[f->slice_axis[s]].len;
    for (int d = 0; d < f->nb; d++)
        if (!index_length(q, f, d, &out[f->pos + d])) return false;
    return true;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */
typedef struct Walk { /* the loops over the result and the side of x, whose address depends on the indices */
    Kernel *k;
    int d0;                    /* the kernel's dims from here on are the result's */
    bool looked;               /* the indices were looked at before */
    Size offset, stride[KDIM]; /* per kernel dim */
    int idx;                   /* value id of the element offset of the indexed axes, or -1 */
} Walk;

/* Side of x: strides of the input (gather) or of the output (scatter). */
static Size side_stride(Lower *l, bool scatter, int axis) {
    return scatter ? l->api->out_stride(l, 0, axis) : l->api->in_stride(l, 0, axis);
}

/* Length of broadcast dim d of the index tensors. */
static Size index_size(Lower *l, const AdvForm *f, int d) {
    Size n = size_const(1);
    for (int j = 0; j < f->nadv; j++) {
        ThType t = l->api->in_type(l, f->input[j]);
        int own = d - (f->nb - t.ndim);
        if (own >= 0 && !type_bcast(t, own)) n = l->api->in_dim(l, f->input[j], own);
    }
    return n;
}

/* ---- indices that meet at no place ------------------------------------------------------------------------------- */
enum { LONGEST = 1 << 16 }; /* of a constant that is looked at */

/* Elements are all different, and all count from the same end. */
static bool constant_distinct(ThContext *c, const ThVar *v) {
    const ThArray *a = v->u.data;
    Map seen = {0};
    bool ok = a->ndim == 1 && a->size && a->size <= LONGEST, low = false, high = false;
    for (int64_t i = 0; ok && i < a->size; i++) {
        int64_t at;
        uint32_t other;
        dtype_cast((char *)&at, TH_INT64, 8, a->data + i * ARRAY_STRIDES(a)[0], (ThDtype)a->dtype, 0, 1);
        low |= at < 0, high |= at >= 0;
        uint64_t key = 2 * (uint64_t)at + 1; /* never 0 */
        ok = !(low && high) && !map_get(&seen, key, &other) && map_put(c, &seen, key, 1);
    }
    map_free(c, &seen);
    return ok;
}

/* One vector of places, each of them once: a range that begins at 0 or above, the order of a vector, a constant. */
static bool distinct(Lower *l, const AdvForm *f) {
    const ThVar *v = f->nadv == 1 && f->nb == 1 ? l->node->in[f->input[0]] : NULL;
    int64_t start, step;
    if (!v) return false;
    if (v->kind == VAR_CONSTANT) return constant_distinct(l->ctx, v);
    if (v->owner && v->owner->op == &op_arange)
        return scalar_known(v->owner->in[0], &start) && start >= 0 && scalar_known(v->owner->in[2], &step) && step > 0;
    return v->owner && v->owner->op == &op_argsort;
}

static bool walk_dims(Lower *l, const AdvForm *f, bool scatter, Walk *w) {
    LowerAlg alg;
    SliceForm form[TH_MAX_NDIM];
    Sz dims[TH_MAX_NDIM], len[TH_MAX_NDIM];
    int ndim = l->api->in_type(l, 0).ndim;
    bool apart = scatter && l->api->loops(l) && distinct(l, f); /* a GPU need not sort them */
    lower_alg_init(&alg, l);
    for (int d = 0; d < ndim; d++) dims[d] = lower_alg_put(&alg, l->api->in_dim(l, 0, d));
    bool ok = slice_forms(&alg.alg, l->node, f->first, f->idx, dims, ndim, true, form);
    w->offset = scatter ? l->api->out_offset(l, 0) : l->api->in_offset(l, 0);
    for (int d = 0; d < KDIM; d++) w->stride[d] = size_const(0);
    for (int d = 0; d < f->ndim; d++) len[d] = -1;
    for (int s = 0; ok && s < f->nslice; s++) {
        int axis = f->slice_axis[s], d = s < f->pos ? s : s + f->nb;
        Size st = side_stride(l, scatter, axis), start = lower_alg_size(&alg, form[axis].start);
        if (!size_is(start, 0)) w->offset = sizes_mul_add(l, w->offset, start, st);
        w->stride[w->d0 + d] = form[axis].unit ? st : l->api->mul(l, lower_alg_size(&alg, form[axis].step), st);
        len[d] = form[axis].len;
    }
    for (int d = 0; ok && d < f->ndim; d++) {
        bool index = len[d] < 0;
        Size n = index ? index_size(l, f, d - f->pos) : lower_alg_size(&alg, len[d]);
        ok = kernel_dim(w->k, n, scatter && index && !apart ? DIM_SEQ : DIM_PAR) >= 0;
        if (!ok && !failed(l->ctx))
            err(l->ctx, TH_NotImplementedError, "a subscript with a result of more than %d dimensions", KDIM);
    }
    lower_alg_free(&alg);
    return ok && !failed(l->ctx);
}

/* Index tensor j where its dims begin at kernel dim `first`. */
static int load_index(Lower *l, const AdvForm *f, Kernel *k, int j, int first, int depth) {
    int8_t map[TH_MAX_NDIM];
    ThType t = l->api->in_type(l, f->input[j]);
    sizes_map_dims(map, t, first + f->nb - t.ndim);
    return ins_load(k, l->api->read(l, k, f->input[j], map), depth);
}

/* As ins_offset for an index that is known to be inside: a negative one counts from the end. */
static int inside_offset(Kernel *k, int v, Size n, Size stride, int depth) {
    int i = ins_cast(k, v, TH_INT64, depth), zero = ins_literal(k, TH_INT64, (ThValue){.i = 0}, depth);
    int low = ins_op(k, S_lt, TH_INT64, TH_BOOL, depth, i, zero, -1);
    int up = ins_binary(k, S_add, TH_INT64, depth, i, ins_size(k, n, depth));
    i = ins_op(k, S_switch, TH_INT64, TH_INT64, depth, low, up, i);
    return ins_binary(k, S_mul, TH_INT64, depth, i, ins_size(k, stride, depth));
}

/* The offset value: sum over index tensors of checked index times stride, at the depth inside the broadcast dims. */
static int walk_offset(Lower *l, const AdvForm *f, bool scatter, const Walk *w) {
    int depth = f->pos + f->nb, sum = -1;
    Kernel *k = w->k;
    for (int j = 0; j < f->nadv; j++) {
        int v = load_index(l, f, k, j, w->d0 + f->pos, depth);
        v = (w->looked ? inside_offset : ins_offset)(k, v, l->api->in_dim(l, 0, f->axis[j]),
                                                     side_stride(l, scatter, f->axis[j]), depth);
        sum = j ? ins_binary(k, S_add, TH_INT64, depth, sum, v) : v;
    }
    return sum;
}

/* A stage that looks at all indices; nothing is written before it is over. */
static bool look_ahead(Lower *l, const AdvForm *f, Walk *w) {
    for (int d = 0; d < f->nb; d++)
        if (kernel_dim(w->k, index_size(l, f, d), DIM_PAR) < 0) return false;
    if (kernel_stage(w->k, STAGE_LOOP, 0, f->nb) < 0) return false;
    for (int j = 0; j < f->nadv; j++) {
        int v = ins_cast(w->k, load_index(l, f, w->k, j, 0, f->nb), TH_INT64, f->nb);
        ins_check_index(w->k, v, ins_size(w->k, l->api->in_dim(l, 0, f->axis[j]), f->nb), f->nb);
    }
    w->d0 = f->nb;
    w->k->fails_first = w->looked = true;
    return !failed(l->ctx);
}

static bool walk_begin(Lower *l, const AdvForm *f, bool scatter, AdvLook look, Walk *w) {
    *w = (Walk){.k = l->api->kernel(l), .looked = look == ADV_LOOKED};
    if (!w->k || (look == ADV_LOOK_AHEAD && !look_ahead(l, f, w))) return false;
    if (!walk_dims(l, f, scatter, w) || kernel_stage(w->k, STAGE_LOOP, w->d0, f->ndim) < 0) return false;
    w->idx = walk_offset(l, f, scatter, w);
    return !failed(l->ctx);
}

bool adv_gather(Lower *l, const AdvForm *f) {
    Walk w;
    int8_t map[TH_MAX_NDIM];
    if (!walk_begin(l, f, false, ADV_LOOK_THERE, &w)) return false;
    int acc = l->api->read_at(l, w.k, 0, w.offset, w.stride);
    if (acc < 0) return false;
    w.k->acc.at[acc].idx = w.idx;
    for (int d = 0; d < f->ndim; d++) map[d] = (int8_t)d;
    int v = ins_load(w.k, acc, f->ndim);
    ins_store(w.k, l->api->write(l, w.k, 0, map), v, f->ndim);
    return !failed(l->ctx);
}

bool adv_scatter(Lower *l, const AdvForm *f, bool set, AdvLook look) {
    Walk w;
    int8_t map[TH_MAX_NDIM];
    ThType x = l->api->in_type(l, 0), y = l->api->in_type(l, 1);
    if (look == ADV_LOOK_AHEAD && f->nadv + f->nb + f->ndim > KDIM) look = ADV_LOOK_THERE;
    if (!walk_begin(l, f, true, look, &w)) return false;
    sizes_map_dims(map, y, w.d0 + f->ndim - y.ndim);
    int v = ins_cast(w.k, ins_load(w.k, l->api->read(l, w.k, 1, map), f->ndim), (ThDtype)x.dtype, f->ndim);
    int acc = l->api->write_at(l, w.k, 0, set ? 0 : ACC_ADD, w.offset, w.stride);
    if (acc < 0) return false;
    w.k->acc.at[acc].idx = w.idx;
    ins_store(w.k, acc, v, f->ndim);
    return !failed(l->ctx);
}
