/*
 * conv_lower.c -- the three convolutions as loops: every dtype, every attribute, the definition written down. Floats
 * run on the library's kernels instead (conv_host.c), unless every place has filters of its own, or a GPU runs them.
 * In: a node. Out: one kernel whose parallel dimensions are those of the result and whose reduced ones are summed over.
 * The operand that is looked at through the window is read where the position lies inside it (a guard), so padding is
 * never stored. Reversed filters are a negative stride.
 *
 *   forward  z[n, o, q] = sum over c, r of x[n, c, q * step + r * dilation - pad] * w[o, c, r]
 *   inputs   x[n, c, i] = sum over o, r of z[n, o, (i + pad - r * dilation) / step] * w[o, c, r], where that divides
 *   weights  w[o, c, r] = sum over n, q of x[n, c, q * step + r * dilation - pad] * z[n, o, q]
 */
#include "kernel/conv_work.h"
#include "conv.h"
#include "ops/table/lowering.h"
#include "window.h"

enum { NONE = -1 };

/* Kernel dims of the loops; NONE where there is none. */
typedef struct Loops {
    Lower *l;
    const ConvAttrs *at;
    Kernel *k;
    ConvRole role;
    int stack, n, g, o, c, q[CONV_MAX], r[CONV_MAX], i[CONV_MAX];
    int depth, result; /* loops around a product, around a result */
    Size in[CONV_MAX], filter[CONV_MAX], out[CONV_MAX], pad[CONV_MAX];
} Loops;

/* An operand's place: its offset and strides by kernel dim. */
typedef struct Place {
    Size off, st[KDIM];
} Place;

static Size times(Loops *s, Size a, int64_t k) { return s->l->api->mul(s->l, a, size_const(k)); }

/* ---- what lies where --------------------------------------------------------------------------------------------- */
/* operand -1: the result */
static Size stride(Loops *s, int operand, int d) {
    const LowerApi *api = s->l->api;
    return operand < 0 ? api->out_stride(s->l, 0, d) : api->in_stride(s->l, operand, d);
}
static Size length(Loops *s, int operand, int d) {
    const LowerApi *api = s->l->api;
    return operand < 0 ? api->out_dim(s->l, 0, d) : api->in_dim(s->l, operand, d);
}

static void put(Place *p, int dim, Size st) {
    if (dim != NONE) p->st[dim] = st;
}

static Place place(Loops *s, int operand) {
    Place p = {.off = operand < 0 ? s->l->api->out_offset(s->l, 0) : s->l->api->in_offset(s->l, operand)};
    for (int d = 0; d < KDIM; d++) p.st[d] = size_const(0);
    bool repeated = operand >= 0 && type_bcast(s->l->node->in[operand]->type, 0);
    if (s->stack != NONE && !repeated) p.st[s->stack] = stride(s, operand, 0);
    return p;
}

/* Rows of filters or channels of results: group g, number o in it, `per` in a group. */
static void put_grouped(Loops *s, Place *p, int inner, Size st, Size per) {
    put(p, inner, st);
    put(p, s->g, s->l->api->mul(s->l, st, per));
}

static Size per_group(Loops *s, Size all) {
    return s->at->groups == 1 ? all : s->l->api->op(s->l, '/', all, size_const(s->at->groups));
}

static Place filter_place(Loops *s, int operand) {
    const ConvAttrs *at = s->at;
    Place p = place(s, operand);
    int row = at->stacked, first = row + 1 + (at->unshared ? (int)at->ndim : 0);
    put_grouped(s, &p, s->o, stride(s, operand, row), per_group(s, length(s, operand, row)));
    put(&p, s->c, stride(s, operand, first));
    for (int d = 0; d < at->ndim; d++) {
        Size st = stride(s, operand, first + 1 + d);
        if (at->unshared) put(&p, s->q[d], stride(s, operand, row + 1 + d));
        put(&p, s->r[d], at->flip ? times(s, st, -1) : st);
        if (!at->flip) continue;
        Size last = s->l->api->add(s->l, s->filter[d], size_const(-1));
        p.off = sizes_mul_add(s->l, p.off, last, st);
    }
    return p;
}

/* Results: (n, o, q); with `direct` false the positions q are not loops of the kernel. */
static Place top_place(Loops *s, int operand, bool direct) {
    Place p = place(s, operand);
    int first = s->at->stacked;
    put(&p, s->n, stride(s, operand, first));
    put_grouped(s, &p, s->o, stride(s, operand, first + 1), per_group(s, length(s, operand, first + 1)));
    for (int d = 0; direct && d < s->at->ndim; d++) put(&p, s->q[d], stride(s, operand, first + 2 + d));
    return p;
}

/* Images: (n, c, i), where i is a loop, or q * step + r * dilation - pad. */
static Place image_place(Loops *s, int operand, bool direct) {
    Place p = place(s, operand);
    int first = s->at->stacked;
    put(&p, s->n, stride(s, operand, first));
    put_grouped(s, &p, s->c, stride(s, operand, first + 1), per_group(s, length(s, operand, first + 1)));
    for (int d = 0; d < s->at->ndim; d++) {
        Size st = stride(s, operand, first + 2 + d);
        if (direct) {
            put(&p, s->i[d], st);
            continue;
        }
        put(&p, s->q[d], times(s, st, s->at->subsample.at[d]));
        put(&p, s->r[d], times(s, st, s->at->dilation.at[d]));
        p.off = sizes_mul_add(s->l, p.off, times(s, s->pad[d], -1), st);
    }
    return p;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
static At here(const Loops *s) { return (At){s->k, s->depth}; }

/* Whether the window's position lies in the image, -1: always. */
static int image_guard(Loops *s) {
    At w = here(s);
    int guard = -1;
    for (int d = 0; d < s->at->ndim; d++) {
        if (s->at->border == CONV_VALID ||
            (size_is(s->pad[d], 0) && s->at->border == CONV_PADS && s->at->pad.at[2 * d + 1] == 0))
            continue;
        int q = at_scaled(w, s->q[d], size_const(s->at->subsample.at[d]));
        int v = at_op(w, S_add, q, at_scaled(w, s->r[d], size_const(s->at->dilation.at[d])));
        guard = at_inside(w, guard, at_op(w, S_sub, v, at_size(w, s->pad[d])), s->in[d]);
    }
    return guard;
}

static int load_at(Loops *s, int operand, const Place *p, int guard, int idx) {
    int a = s->l->api->read_at(s->l, s->k, operand, p->off, p->st);
    if (a < 0) return -1;
    s->k->acc.at[a].guard = guard;
    s->k->acc.at[a].idx = idx;
    return ins_cast(s->k, ins_load(s->k, a, s->depth), (ThDtype)s->l->node->out[0]->type.dtype, s->depth);
}

/* The result's element that window position r of image position i falls on, added to the address of input `operand`. */
static int load_top(Loops *s, int operand) {
    Place p = top_place(s, operand, false);
    At w = here(s);
    int guard = -1, idx = -1, first = 2 + s->at->stacked;
    for (int d = 0; d < s->at->ndim; d++) {
        int64_t step = s->at->subsample.at[d];
        Size st = stride(s, operand, first + d);
        int v = at_op(w, S_add, ins_index(s->k, s->i[d], s->depth), at_size(w, s->pad[d]));
        v = at_op(w, S_sub, v, at_scaled(w, s->r[d], size_const(s->at->dilation.at[d])));
        int q = step == 1 ? v : at_op(w, S_int_div, v, at_lit(w, step));
        if (step != 1) guard = at_both(w, guard, at_test(w, S_eq, at_op(w, S_mul, q, at_lit(w, step)), v));
        guard = at_inside(w, guard, q, s->out[d]);
        if (s->at->unshared) s->q[d] = q; /* a value here, not a loop: see load_filter */
        if (step == 1) {
            put(&p, s->i[d], st);
            put(&p, s->r[d], times(s, st, -s->at->dilation.at[d]));
            p.off = sizes_mul_add(s->l, p.off, s->pad[d], st);
            continue;
        }
        idx = at_offset(w, idx, q, st);
    }
    return load_at(s, operand, &p, guard, idx);
}

/* Filters; unshared ones for image positions are found by the values q, guarded as the result's element is. */
static int load_filter(Loops *s, int operand, int guard) {
    bool found = s->at->unshared && s->role == CONV_INPUTS;
    int value[CONV_MAX], idx = -1;
    for (int d = 0; found && d < s->at->ndim; d++) value[d] = s->q[d], s->q[d] = NONE;
    Place p = filter_place(s, operand);
    for (int d = 0; found && d < s->at->ndim; d++)
        idx = at_offset(here(s), idx, value[d], stride(s, operand, s->at->stacked + 1 + d));
    return load_at(s, operand, &p, found ? guard : -1, idx);
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */
static int dim(Loops *s, Size n, DimKind kind) {
    int d = kernel_dim(s->k, n, kind);
    if (d >= 0 && kind == DIM_PAR) s->result = d + 1;
    if (d >= 0) s->depth = d + 1;
    return d;
}

static int group_dim(Loops *s) { return s->at->groups == 1 ? NONE : dim(s, size_const(s->at->groups), DIM_PAR); }

static void window(Loops *s, int *dims, const Size *n, DimKind kind) {
    for (int d = 0; d < s->at->ndim; d++) dims[d] = dim(s, n[d], kind);
}

/* Operand numbers by role: images, filters, results. */
static const int8_t operand_of[3][3] = {{0, 1, -1}, {-1, 0, 1}, {0, -1, 1}};

/* Lengths of everything, paddings. */
static bool measure(Loops *s) {
    const int8_t *of = operand_of[s->role];
    int first = 2 + s->at->stacked, filter = first + (s->at->unshared ? (int)s->at->ndim : 0);
    LowerAlg alg;
    lower_alg_init(&alg, s->l);
    bool ok = true;
    for (int d = 0; ok && d < s->at->ndim; d++) {
        s->in[d] = length(s, of[0], first + d);
        s->filter[d] = length(s, of[1], filter + d);
        s->out[d] = length(s, of[2], first + d);
        ConvSizes z = {.in = lower_alg_put(&alg, s->in[d]), .filter = lower_alg_put(&alg, s->filter[d])};
        ok = conv_sizes(&alg.alg, s->at, d, &z);
        s->pad[d] = lower_alg_size(&alg, z.before);
    }
    lower_alg_free(&alg);
    return ok && !failed(s->l->ctx);
}

static bool make_dims(Loops *s) {
    const int8_t *of = operand_of[s->role];
    int first = s->at->stacked;
    Size n = length(s, of[2], first), o = per_group(s, length(s, of[2], first + 1));
    Size c = per_group(s, length(s, of[0], first + 1));
    s->stack = s->at->stacked ? dim(s, length(s, -1, 0), DIM_PAR) : NONE;
    switch (s->role) {
    case CONV_FORWARD:
        s->n = dim(s, n, DIM_PAR), s->g = group_dim(s), s->o = dim(s, o, DIM_PAR);
        window(s, s->q, s->out, DIM_PAR);
        s->c = dim(s, c, DIM_RED);
        window(s, s->r, s->filter, DIM_RED);
        break;
    case CONV_INPUTS:
        s->n = dim(s, n, DIM_PAR), s->g = group_dim(s), s->c = dim(s, c, DIM_PAR);
        window(s, s->i, s->in, DIM_PAR);
        s->o = dim(s, o, DIM_RED);
        window(s, s->r, s->filter, DIM_RED);
        break;
    case CONV_WEIGHTS:
        s->g = group_dim(s), s->o = dim(s, o, DIM_PAR);
        if (s->at->unshared) window(s, s->q, s->out, DIM_PAR);
        s->c = dim(s, c, DIM_PAR);
        window(s, s->r, s->filter, DIM_PAR);
        s->n = dim(s, n, DIM_RED);
        if (!s->at->unshared) window(s, s->q, s->out, DIM_RED);
        break;
    }
    return !failed(s->l->ctx) && kernel_stage(s->k, STAGE_LOOP, 0, s->depth) >= 0;
}

static int product(Loops *s, Place *at) {
    const int8_t *of = operand_of[s->role];
    int a = -1, b = -1;
    Place p;
    if (s->role == CONV_INPUTS) {
        a = load_top(s, of[2]);
        b = a < 0 ? -1 : load_filter(s, of[1], s->k->acc.at[s->k->acc.n - 1].guard);
        *at = image_place(s, -1, true);
    } else {
        int guard = image_guard(s);
        p = image_place(s, of[0], false);
        a = load_at(s, of[0], &p, guard, -1);
        if (s->role == CONV_FORWARD) {
            b = load_filter(s, of[1], -1);
            *at = top_place(s, -1, true);
        } else {
            p = top_place(s, of[2], true);
            b = load_at(s, of[2], &p, -1, -1);
            *at = filter_place(s, -1);
        }
    }
    return a < 0 || b < 0 ? -1 : ins_binary(s->k, S_mul, (ThDtype)s->l->node->out[0]->type.dtype, s->depth, a, b);
}

/* The same as numbers, behind which stands the target: CUDA's library may do it (conv_work.h). */
static void numbers(Loops *s) {
    const int8_t *of = operand_of[s->role];
    Kernel *k = s->k;
    Stage *st = &k->st.at[0];
    int n0 = k->size.n, nd = (int)s->at->ndim;
    Size more[CONV_NUMBERS + 1], *at = more;
    *at++ = size_const(nd), *at++ = size_const(s->at->groups);
    *at++ = length(s, of[2], 0), *at++ = length(s, of[2], 1), *at++ = length(s, of[0], 1);
    for (int d = 0; d < nd; d++) {
        *at++ = size_const(s->at->subsample.at[d]), *at++ = size_const(s->at->dilation.at[d]);
        *at++ = s->pad[d], *at++ = s->in[d], *at++ = s->filter[d], *at++ = s->out[d];
    }
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 2 + nd; d++) {
            Size step = stride(s, of[i], d);
            *at++ = i == 1 && d > 1 && s->at->flip ? times(s, step, -1) : step;
        }
    *at++ = size_const(s->role == CONV_FORWARD ? CONV_TO_TOP : s->role == CONV_INPUTS ? CONV_TO_IMAGE : CONV_TO_FILTER);
    for (const Size *x = more; x < at; x++)
        if (x->sym < -1 || !vec_push(s->l->ctx, &k->size, *x)) return;
    st->num0 = n0, st->nnum = k->size.n - n0;
}

bool conv_lower(Lower *l) {
    Loops s = {.l = l, .at = ATTRS(ConvAttrs, l->node), .role = conv_role(l->node->op)};
    bool hosted = conv_hosted(l->node) && !l->api->loops(l);
    if (hosted && s.role == CONV_FORWARD && !s.at->stacked) return conv_stage(l);
    if (hosted) return l->api->host(l, conv_host_run, 0);
    s.k = l->api->kernel(l);
    s.stack = s.n = s.g = s.o = s.c = NONE;
    for (int d = 0; d < CONV_MAX; d++) s.q[d] = s.r[d] = s.i[d] = NONE;
    if (!s.k || !measure(&s) || !make_dims(&s)) return false;
    Place at;
    int v = product(&s, &at);
    int sum = v < 0 ? -1 : ins_reduce(s.k, RED_SUM, v, (ThDtype)l->node->out[0]->type.dtype, s.result);
    int to = sum < 0 ? -1 : l->api->write_at(l, s.k, 0, 0, at.off, at.st);
    if (conv_hosted(l->node) && !s.at->stacked) numbers(&s);
    return to >= 0 && ins_store(s.k, to, sum, s.result) >= 0 && !failed(l->ctx);
}
