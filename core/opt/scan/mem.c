/*
 * mem.c -- scanOp_save_mem: only the steps that are read are kept, as in h[-1]; and scanOp_make_inplace.
 * In: a Scan one of whose results is read only at fixed places counted from its end. Out: the same with a ring of as
 * many rows as that and the taps need. Reading a step that was never made still raises.
 */
#include "scans.h"

#include <stdio.h>

typedef struct Read { /* one subtensor of a result that is read: all of them are alike */
    ThApply *node;
    int64_t back; /* reads row -back */
    bool past;    /* of the rows after the initial ones */
} Read;
typedef VEC(Read) ReadVec;

/* The fixed negative place that a reads along the first dimension, as a positive number; 0: something else. */
static int64_t place_from_end(const ThApply *a) {
    const AttrIdx *idx = &ATTRS(SubtensorAttrs, a)->idx;
    int64_t v;
    if (idx->n < 1 || idx->at[0].kind != 'i' || idx->at[0].dtype[0] != TH_INT64 || !scalar_known(a->in[1], &v))
        return 0;
    return v < 0 && v > -1000000 ? -v : 0;
}

/* x[back:], whole otherwise. */
static bool skips_initial(const ThApply *a, int back) {
    const AttrIdx *idx = &ATTRS(SubtensorAttrs, a)->idx;
    int64_t v;
    return idx->n == 1 && idx->at[0].kind == 's' && idx->at[0].has == 1 && scalar_known(a->in[1], &v) && v == back;
}

static bool add_reads(Opt *o, ReadVec *r, const ThVar *v, int back, bool past) {
    for (int i = 0; i < v->nclients; i++) {
        ThApply *a = v->clients[i].node;
        if (!a || a->op != &op_subtensor || v->clients[i].pos != 0) return false;
        int64_t k = place_from_end(a);
        if (k) {
            if (!vec_push(o->c, r, ((Read){a, k, past}))) return false;
        } else if (past || back == 0 || !skips_initial(a, back) || !add_reads(o, r, a->out[0], back, true))
            return false;
    }
    return v->nclients > 0;
}

/* The row of the ring that a read sees: (rows made - back) mod ring. */
static ThVar *ring_row(Opt *o, ThVar *steps, int initial, const Read *r, int64_t ring) {
    Builder *b = &o->b;
    ThVar *n = cast_make(b, steps, TH_INT64);
    int64_t least = r->past || !initial ? r->back : r->back - initial;
    if (least > 0) {
        ThVar *made = elemwise_2(b, S_ge, n, const_int(b, least, TH_INT64));
        char msg[128];
        if (least == 1)
            snprintf(msg, sizeof msg, "index out of bounds: row -%lld of a loop that made no step", (long long)r->back);
        else
            snprintf(msg, sizeof msg, "index out of bounds: row -%lld of a loop that made fewer than %lld steps",
                     (long long)r->back, (long long)least);
        n = assert_make(b, n, &made, 1, msg, TH_IndexError);
    }
    ThVar *row = elemwise_2(b, S_add, const_int(b, initial - r->back + 64 * ring, TH_INT64), n);
    return elemwise_2(b, S_mod, row, const_int(b, ring, TH_INT64));
}

static bool redirect(ScanEdit *e, ThVar *result, int initial, const ReadVec *reads, int64_t ring) {
    Opt *o = e->o;
    for (int i = 0; i < reads->n; i++) {
        ThApply *a = reads->at[i].node;
        ThVar *few[2 + 3 * TH_MAX_NDIM];
        for (int k = 0; k < a->nin; k++) few[k] = a->in[k];
        few[0] = result;
        o->b.prov = a->prov; /* an index out of bounds is told where it was written */
        few[1] = index_make(&o->b, ring_row(o, e->in[0], initial, &reads->at[i], ring));
        ThVar *r = few[1] ? apply1(&o->b, a->op, a->attrs, few, a->nin) : NULL;
        r = r ? scan_fit(&o->b, r, a->out[0]->type) : NULL;
        if (!r || !fg_replace(o->fg, a->out[0], r, "scanOp_save_mem")) return false;
    }
    return true;
}

/* A state of `ring` rows with the initial ones of x. */
static ThVar *ring_of(Opt *o, ThVar *x, int initial, int64_t ring) {
    Builder *b = &o->b;
    ThVar *n[TH_MAX_NDIM] = {const_int(b, ring, TH_INT64)}, *some = const_int(b, initial, TH_INT64);
    for (int d = 1; d < x->type.ndim; d++) n[d] = shape_i(o, x, d);
    ThVar *all = scan_fit(b, alloc_empty_make(b, (ThDtype)x->type.dtype, n, x->type.ndim), x->type);
    return all ? scan_set_rows(b, all, NULL, some, scan_rows(b, x, NULL, some, false)) : NULL;
}

static ThVar *ring_shape(Opt *o, ThVar *shape, int ndim, int64_t ring) {
    ThVar *n[TH_MAX_NDIM] = {const_int(&o->b, ring, TH_INT64)};
    for (int d = 1; d < ndim; d++) {
        bool made = shape->owner && shape->owner->op == &op_make_vector && d < shape->owner->nin;
        n[d] = made ? shape->owner->in[d] : subtensor_int_make(&o->b, shape, d);
    }
    return make_vector_make(&o->b, n, ndim, TH_INT64);
}

typedef struct Saved {
    ReadVec reads[OP_MAX_OUT];
    int64_t ring[OP_MAX_OUT]; /* 0: everything is kept */
} Saved;

/* Which results are read so, and how many rows they need. */
static bool look(ScanEdit *e, Saved *w) {
    bool any = false;
    for (int k = 0; k < scan_out_shared(&e->s); k++) {
        int initial = k < e->s.nstate ? e->s.back[k] : 0;
        int64_t most = initial ? initial + 1 : 1, rows;
        int in = k < e->s.nstate ? scan_in_state(&e->s) + k : scan_in_shape(&e->s) + k - e->s.nstate;
        if (!add_reads(e->o, &w->reads[k], e->a->out[k], initial, false)) continue;
        for (int i = 0; i < w->reads[k].n; i++) most = w->reads[k].at[i].back > most ? w->reads[k].at[i].back : most;
        ThVar *x = e->in[in];
        bool ring = k < e->s.nstate ? !x->owner || !scalar_known(shape_i(e->o, x, 0), &rows) || rows > most
                                    : !vector_known(x, 0, &rows) || rows > most;
        if (!ring) continue;
        w->ring[k] = most;
        e->in[in] =
            k < e->s.nstate ? ring_of(e->o, x, initial, most) : ring_shape(e->o, x, e->a->out[k]->type.ndim, most);
        if (!e->in[in]) return false;
        any = true;
    }
    return any;
}

static bool save(Opt *o, ThApply *a) {
    ScanEdit e;
    Saved *w = ctx_alloc0(o->c, sizeof *w);
    bool ok = w && scan_edit_begin(&e, o, a);
    if (!w) return false;
    if (ok && !e.s.until && look(&e, w)) {
        ThApply *b = scan_edit_make(&e);
        ok = b != NULL;
        for (int k = 0; ok && k < scan_out_shared(&e.s); k++)
            if (w->ring[k])
                ok = redirect(&e, b->out[e.place[k]], k < e.s.nstate ? e.s.back[k] : 0, &w->reads[k], w->ring[k]);
        for (int k = 0; k < a->nout; k++)
            if (w->ring[k]) e.place[k] = -1;
        a->asserts = true; /* rows that are read are asserted to be there */
        ok = ok && ((a->flags & APPLY_DEAD) || scan_edit_replace(&e, b, "scanOp_save_mem"));
    }
    ok = ok && !failed(o->c);
    for (int k = 0; k < OP_MAX_OUT; k++) vec_free(o->c, &w->reads[k]);
    ctx_free(o->c, w, sizeof *w);
    scan_edit_end(&e);
    return ok;
}

bool pass_scan_mem(Opt *o) { return scan_each(o, save); }

/* States are written where they lie; the lowering checks for each that nobody else has it. */
bool pass_scan_inplace(Opt *o) {
    for (int i = 0; (o->met & MET_SCAN) && i < o->fg->norder; i++) {
        ThApply *a = o->fg->order[i];
        if (a->op == &op_scan) ((ScanAttrs *)a->attrs)->inplace = 1;
    }
    return true;
}
