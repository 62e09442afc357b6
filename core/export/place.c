/*
 * place.c -- slots and buffers. Lengths are those of the example. Out: what every slot is, which of them are the same
 * in all calls, and where each buffer lies: in a parameter, in a field, among the constants or in the state's work,
 * where temporaries share memory as they do in the engine.
 */
#include "export.h"

#include <string.h>

/* ---- slots ------------------------------------------------------------------------------------------------------- */
static ThArray *array_of(const Export *x, int buf) {
    const PlanBuf *b = &x->p->buf[buf];
    if (b->kind == BUF_CONST) return x->p->constant[b->index];
    for (int i = 0; i < x->nfield; i++)
        if (x->field[i].buf == buf) return x->field[i].value;
    return b->kind == BUF_INPUT ? x->arg[b->index] : NULL;
}

static int64_t slot_dim(void *u, int buf, int d) { return ARRAY_SHAPE(array_of(u, buf))[d]; }
static int64_t slot_stride(void *u, int buf, int d) {
    const ThArray *a = array_of(u, buf);
    return ARRAY_STRIDES(a)[d] / (int64_t)th_dtype_bytes((ThDtype)a->dtype);
}
static int64_t slot_value(void *u, int buf, int64_t elem) {
    const ThArray *a = array_of(u, buf);
    int64_t v = 0;
    size_t item = th_dtype_bytes((ThDtype)a->dtype);
    dtype_cast((char *)&v, TH_INT64, 8, a->data + elem * (int64_t)item, (ThDtype)a->dtype, 0, 1);
    return v;
}

/* A slot has one value in all calls where nothing that a call changes is in it. */
static bool steady(const Export *x, const ShapeIns *i) {
    const int operand[3] = {i->a, i->op == SHAPE_SELECT || i->b >= 0 ? i->b : -1, i->op == SHAPE_SELECT ? i->c : -1};
    switch ((ShapeOp)i->op) {
    case SHAPE_CONST: return true;
    case SHAPE_DIM:
    case SHAPE_STRIDE: return !(x->how->bounded && x->place[i->a].how == PLACE_ARGUMENT);
    case SHAPE_VALUE: return x->p->buf[i->a].kind == BUF_CONST;
    default: break;
    }
    for (int k = 0; k < 3; k++)
        if (operand[k] >= 0 && x->known[operand[k]] == SIZE_UNKNOWN) return false;
    return true;
}

/* What the example's last call found while it ran. */
static bool late_slots(Export *x) {
    const Plan *p = x->p;
    const Workspace *w = x->f->idle;
    for (int i = 0; w && i < p->nsym; i++)
        if (x->sym[i] == SIZE_UNKNOWN) x->sym[i] = w->frame.sym[i];
    where_bounds(x);
    return w || p->nshape == p->nshape_static ||
           err(x->c, TH_NotImplementedError,
               "export: lengths that only a call tells, and no memory is kept between calls");
}

static bool slots(Export *x) {
    const Plan *p = x->p;
    ShapeEnv e = {slot_dim, slot_stride, slot_value, x, {0, 0}, 0};
    for (int i = 0; i <= p->nsym; i++) x->sym[i] = x->known[i] = SIZE_UNKNOWN;
    if (shape_run(p, 0, p->nshape_static, x->sym, &e))
        return err(x->c, TH_RuntimeError, "export: the example's lengths do not fit");
    for (int i = 0; i < p->nshape_static; i++) {
        const ShapeIns *s = &p->shape[i];
        bool check = s->op == SHAPE_CHECK_EQ || s->op == SHAPE_CHECK_GE0;
        if (!check && steady(x, s)) x->known[s->dst] = x->sym[s->dst];
    }
    for (int i = 0; i < p->nregion; i++)
        if (p->region[i].kind == REGION_LOOP) x->known[p->region[i].counter] = SIZE_UNKNOWN;
    return late_slots(x);
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */
/* Result r is all of its buffer, as it lies. */
static bool whole(const Export *x, int r) {
    const PlanValue *v = &x->p->result[r];
    int64_t st = 1, off = size_value(v->off, x->sym), n = size_value(x->p->buf[v->buf].size, x->sym);
    bool flat = off == 0 && !export_varies(x, v->off);
    for (int d = v->ndim - 1; d >= 0; d--) {
        int64_t len = size_value(v->shape[d], x->sym);
        flat &= len == 1 || size_value(v->stride[d], x->sym) == st;
        st *= len;
    }
    return flat && st == n && v->dtype == x->p->buf[v->buf].dtype;
}

static int result_in(const Export *x, int buf) {
    for (int r = 0; r < x->nout; r++)
        if (x->p->result[r].buf == buf && whole(x, r)) return r;
    return -1;
}

static int64_t room(Export *x, int64_t bytes) {
    int64_t at = x->work;
    x->work += (bytes + 63) / 64 * 64;
    return at;
}

/* Parameters and fields. */
static void given(Export *x) {
    for (int i = 0; i < x->nfield; i++) x->place[x->field[i].buf] = (Place){PLACE_FIELD, i};
    for (int i = 0; i < x->nin; i++) {
        x->place[x->in[i].buf] = (Place){PLACE_ARGUMENT, i};
        x->in[i].moves = x->how->bounded && x->in[i].ndim > 0;
    }
}

static bool buffer(Export *x, int b, const int64_t *offset) {
    const PlanBuf *f = &x->p->buf[b];
    Place *to = &x->place[b];
    int64_t bytes;
    if (to->how != PLACE_NONE) return true;
    if (f->kind == BUF_CONST) *to = (Place){PLACE_CONSTANT, f->index};
    else if (f->kind == BUF_WINDOW) *to = (Place){PLACE_WINDOW, f->index};
    else if (f->kind == BUF_TEMP && !f->late) *to = (Place){PLACE_WORK, offset[b]};
    else if (f->kind == BUF_OUTPUT && result_in(x, b) >= 0) *to = (Place){PLACE_RESULT, result_in(x, b)};
    else {
        if (!size_bytes(f->size, x->sym, (ThDtype)f->dtype, &bytes)) bytes = 0; /* the example did not come by */
        *to = (Place){PLACE_WORK, room(x, bytes)};
    }
    return true;
}

/* An update leaves a shared variable the lengths that it has. */
static bool updates(Export *x) {
    const Plan *p = x->p;
    for (int i = 0; i < p->nupdate; i++) {
        const PlanValue *v = &p->update[i].value;
        const Field *to = &x->field[p->update[i].shared];
        bool same = !export_moves(x, v);
        for (int d = 0; same && d < v->ndim; d++) same = size_value(v->shape[d], x->sym) == ARRAY_SHAPE(to->value)[d];
        if (!same) return err(x->c, TH_NotImplementedError, "export: an update changes the lengths of %s", to->name);
    }
    for (int i = 0; i < x->nout; i++) {
        Param *to = &x->out[i];
        int64_t *shape = arena_alloc(x->arena, sizeof *shape * (size_t)(to->ndim + 1));
        if (!shape) return false;
        to->moves = export_moves(x, &p->result[i]);
        for (int d = 0; d < to->ndim; d++)
            shape[d] = to->moves ? size_value(p->result[i].shape[d], x->sym) : to->shape[d];
        to->shape = shape;
    }
    return true;
}

bool export_place(Export *x) {
    const Plan *p = x->p;
    x->sym = arena_alloc0(x->arena, sizeof *x->sym * (size_t)(p->nsym + 1));
    x->known = arena_alloc0(x->arena, sizeof *x->known * (size_t)(p->nsym + 1));
    x->place = arena_alloc0(x->arena, sizeof *x->place * (size_t)(p->nbuf + 1));
    int64_t *offset = arena_alloc0(x->arena, sizeof *offset * (size_t)(p->nbuf + 1));
    size_t bytes = plan_layout_work(p);
    void *work = arena_alloc0(x->arena, bytes + 1);
    if (!x->sym || !x->known || !x->place || !offset || !work) return false;
    given(x);
    if (!slots(x)) return false;
    x->work = plan_layout(p, x->sym, offset, work, bytes);
    if (x->work < 0) return err(x->c, TH_MemoryError, "export: the temporaries are too large");
    for (int b = 0; b < p->nbuf; b++)
        if (!buffer(x, b, offset)) return false;
    const int64_t images = convs_stage_room(x); /* what convolutions in kernels need, one image at a time */
    if (images < 0) return false;
    x->scratch = room(x, images);
    return updates(x);
}
