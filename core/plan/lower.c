/*
 * lower.c -- operations write themselves as views, one-node kernels and host calls through LowerApi. In: dims of every
 * Var. Out: Planner.work in schedule order and a Val for every Var. Views are composed into offsets and strides here
 * and cost nothing.
 */
#include "ops/table/index.h"
#include "parts.h"

/* ---- roots and values ---- */
bool val_strides(Planner *p, int ndim, const Size *shape, Size *stride) {
    Size n = size_const(1);
    for (int d = ndim - 1; d >= 0; d--) {
        stride[d] = n;
        n = sizes_op(&p->sizes, '*', n, shape[d]);
        if (size_bad(n)) return false;
    }
    return true;
}

static Size elements(Planner *p, int ndim, const Size *shape) {
    Size n = size_const(1);
    for (int d = ndim - 1; d >= 0; d--) n = sizes_op(&p->sizes, '*', n, shape[d]);
    return n;
}

static Size *copy_sizes(Planner *p, int n, const Size *s) {
    Size *r = arena_alloc(p->arena, (size_t)(n ? n : 1) * sizeof(Size));
    for (int i = 0; r && i < n; i++) r[i] = sizes_find(&p->sizes, s[i]);
    return r;
}

int planner_root(Planner *p, uint8_t kind, uint8_t dtype, int ndim, const Size *shape) {
    Root r = {.kind = kind, .dtype = dtype, .index = -1, .wish = -1, .ndim = ndim, .node = p->node, .buf = -1};
    r.size = elements(p, ndim, shape);
    r.shape = copy_sizes(p, ndim, shape);
    if (!r.shape || size_bad(r.size) || !vec_push(p->ctx, &p->root, r)) return -1;
    return p->root.n - 1;
}

bool val_make(Planner *p, Val *v, int root, uint8_t dtype, int ndim, const Size *shape, const Size *stride, Size off) {
    v->root = -1; /* until it is whole: who asks again must not find a part */
    v->dtype = dtype;
    v->ndim = (int16_t)ndim;
    v->off = sizes_find(&p->sizes, off);
    v->shape = copy_sizes(p, ndim, shape);
    v->stride = copy_sizes(p, ndim, stride ? stride : shape);
    if (!v->shape || !v->stride || (!stride && !val_strides(p, ndim, shape, v->stride))) return false;
    v->root = root;
    return true;
}

/* C order over [off, off + elements): strides of lengths that are 1 do not matter. */
bool val_contiguous(Planner *p, const Val *v) {
    Size n = size_const(1);
    for (int d = v->ndim - 1; d >= 0; d--) {
        if (!size_is(sizes_find(&p->sizes, v->shape[d]), 1) && !sizes_same(&p->sizes, v->stride[d], n)) return false;
        n = sizes_op(&p->sizes, '*', n, v->shape[d]);
        if (size_bad(n)) return false;
    }
    return true;
}

static bool val_whole(Planner *p, const Val *v) {
    return size_is(v->off, 0) && val_contiguous(p, v) &&
           sizes_same(&p->sizes, elements(p, v->ndim, v->shape), p->root.at[v->root].size);
}

/* Where v lies; constants get their root at first use. NULL on error. */
Val *planner_val(Planner *p, const ThVar *v) {
    Val *val = &p->val[v->id];
    if (val->root >= 0) return val;
    if (v->kind != VAR_CONSTANT)
        return err(p->ctx, TH_RuntimeError, "planning: a value is read before it is computed"), NULL;
    Size shape[TH_MAX_NDIM];
    int nd = v->u.data->ndim;
    for (int d = 0; d < nd; d++) shape[d] = size_const(ARRAY_SHAPE(v->u.data)[d]);
    int r = planner_root(p, BUF_CONST, v->u.data->dtype, nd, shape);
    if (r < 0 || !val_make(p, val, r, v->u.data->dtype, nd, shape, NULL, size_const(0))) return NULL;
    p->root.at[r].var = v;
    p->root.at[r].name = v->name;
    val->whole = true;
    return val;
}

/* Inputs and shareds: root i is input i of the graph. */
bool planner_leaves(Planner *p) {
    for (int i = 0; i < p->fg->nin; i++) {
        const ThVar *v = p->fg->in[i];
        bool shared = v->kind == VAR_SHARED, strided = !shared && i < p->nin && p->in[i].strided;
        Val *val = &p->val[v->id];
        Size stride[TH_MAX_NDIM];
        for (int d = 0; strided && d < v->type.ndim; d++) {
            int at = sizes_slot(&p->sizes, SHAPE_STRIDE, i, d, -1, 0, false);
            if (at < 0) return false;
            stride[d] = size_is(p->dims[v->id][d], 1) ? size_const(0) : (Size){1, at};
        }
        if (!val_make(p, val, i, v->type.dtype, v->type.ndim, p->dims[v->id], strided ? stride : NULL, size_const(0)))
            return false;
        val->whole = !strided;
        Root *r = &p->root.at[i];
        r->ndim = v->type.ndim;
        r->name = v->name;
        if (!(r->shape = copy_sizes(p, r->ndim, p->dims[v->id]))) return false;
        if (size_bad(r->size = elements(p, r->ndim, r->shape))) return false;
    }
    return true;
}

int planner_work(Planner *p, WorkKind kind, Kernel *k) {
    Work w = {.kind = kind, .node = p->node, .part = p->part, .k = k, .host = -1, .members = -1};
    return vec_push(p->ctx, &p->work, w) ? p->work.n - 1 : -1;
}

/* ---- LowerApi ---- */
static Planner *planner(Lower *l) { return l->plan; }
static const ThVar *in_var(Lower *l, int i) { return l->node->in[i]; }

static ThType api_in_type(Lower *l, int i) { return in_var(l, i)->type; }

static Size api_in_dim(Lower *l, int i, int d) {
    Planner *p = planner(l);
    const ThVar *v = in_var(l, i);
    return p->dims[v->id] ? sizes_find(&p->sizes, p->dims[v->id][d]) : SIZE_BAD;
}

static Size api_out_dim(Lower *l, int o, int d) {
    return sizes_find(&planner(l)->sizes, planner(l)->dims[l->node->out[o]->id][d]);
}
static Size api_op(Lower *l, char op, Size a, Size b) { return sizes_op(&planner(l)->sizes, op, a, b); }
static Size api_mul(Lower *l, Size a, Size b) { return api_op(l, '*', a, b); }
static Size api_add(Lower *l, Size a, Size b) { return api_op(l, '+', a, b); }
static Size api_in_value(Lower *l, int i, int64_t elem) { return planner_value(planner(l), in_var(l, i), elem); }

static Size api_in_stride(Lower *l, int i, int d) {
    Val *v = planner_val(planner(l), in_var(l, i));
    return v ? sizes_find(&planner(l)->sizes, v->stride[d]) : SIZE_BAD;
}

static Size api_in_offset(Lower *l, int i) {
    Val *v = planner_val(planner(l), in_var(l, i));
    return v ? v->off : SIZE_BAD;
}

static bool any_bad(int n, const Size *s) {
    for (int i = 0; i < n; i++)
        if (size_bad(s[i])) return true;
    return false;
}

static bool api_view(Lower *l, int o, int i, int ndim, const Size *shape, const Size *strides, Size offset) {
    Planner *p = planner(l);
    Val *x = planner_val(p, in_var(l, i)), *v = &p->val[l->node->out[o]->id];
    uint8_t dtype = l->node->out[o]->type.dtype; /* not x's: a part of a sparse matrix */
    if (!x || any_bad(ndim, shape) || any_bad(ndim, strides) || size_bad(offset)) return false;
    v->ver = x->ver;
    if (!val_make(p, v, x->root, dtype, ndim, shape, strides, offset)) return false;
    v->whole = dtype == x->dtype && val_whole(p, v);
    return !failed(p->ctx);
}

static bool api_in_contiguous(Lower *l, int i) {
    Val *v = planner_val(planner(l), in_var(l, i));
    return v && val_contiguous(planner(l), v);
}

/* A fresh temporary unless a view or an alias was declared before. */
Val *planner_out(Planner *p, const ThVar *o) {
    Val *v = &p->val[o->id];
    if (v->root >= 0) return v;
    int r = planner_root(p, BUF_TEMP, o->type.dtype, o->type.ndim, p->dims[o->id]);
    if (r < 0 || !val_make(p, v, r, o->type.dtype, o->type.ndim, p->dims[o->id], NULL, size_const(0))) return NULL;
    v->whole = true;
    p->root.at[r].name = o->name;
    return v;
}

static int access_map(Planner *p, Kernel *k, const Val *v, const int8_t *map, uint8_t flags) {
    Access a = {.buf = v->root, .dtype = v->dtype, .flags = flags, .off = v->off, .idx = -1, .guard = -1};
    for (int d = 0; d < KDIM; d++) a.st[d] = size_const(0);
    for (int d = 0; d < v->ndim; d++) {
        if (map[d] < 0 || size_is(v->shape[d], 1)) continue;
        a.st[map[d]] = sizes_op(&p->sizes, '+', a.st[map[d]], v->stride[d]);
        if (size_bad(a.st[map[d]])) return -1;
    }
    return kernel_access(k, a);
}

static int access_free(Planner *p, Kernel *k, const Val *v, uint8_t flags, Size off, const Size *st) {
    Access a = {
        .buf = v->root, .dtype = v->dtype, .flags = flags, .off = sizes_find(&p->sizes, off), .idx = -1, .guard = -1};
    if (size_bad(off) || any_bad(k->ndim, st)) return -1;
    for (int d = 0; d < KDIM; d++) a.st[d] = d < k->ndim ? sizes_find(&p->sizes, st[d]) : size_const(0);
    return kernel_access(k, a);
}

static int api_read(Lower *l, Kernel *k, int i, const int8_t *map) {
    Val *v = planner_val(planner(l), in_var(l, i));
    return v && k ? access_map(planner(l), k, v, map, ACC_READ) : -1;
}

static int api_read_at(Lower *l, Kernel *k, int i, Size off, const Size *st) {
    Val *v = planner_val(planner(l), in_var(l, i));
    return v && k ? access_free(planner(l), k, v, ACC_READ, off, st) : -1;
}

static int api_write(Lower *l, Kernel *k, int o, const int8_t *map) {
    Val *v = planner_out(planner(l), l->node->out[o]);
    return v && k ? access_map(planner(l), k, v, map, ACC_WRITE) : -1;
}

static int api_read_out(Lower *l, Kernel *k, int o, const int8_t *map, uint8_t flags) {
    Val *v = planner_out(planner(l), l->node->out[o]);
    return v && k ? access_map(planner(l), k, v, map, (uint8_t)(ACC_READ | ACC_WRITE | flags)) : -1;
}

static int api_write_at(Lower *l, Kernel *k, int o, uint8_t flags, Size off, const Size *st) {
    Val *v = planner_out(planner(l), l->node->out[o]);
    return v && k ? access_free(planner(l), k, v, (uint8_t)(ACC_WRITE | flags), off, st) : -1;
}

static void api_parts(Lower *l, bool more) {
    Planner *p = planner(l);
    const Val *v = planner_out(p, l->node->out[0]);
    if (!v) return;
    Root *r = &p->root.at[v->root];
    if (!more || !r->part) r->part = p->node + 1;
    p->part = r->part;
}

static Size api_out_stride(Lower *l, int o, int d) {
    Val *v = planner_out(planner(l), l->node->out[o]);
    return v ? sizes_find(&planner(l)->sizes, v->stride[d]) : SIZE_BAD;
}

static Size api_out_offset(Lower *l, int o) {
    Val *v = planner_out(planner(l), l->node->out[o]);
    return v ? v->off : SIZE_BAD;
}

static Kernel *api_kernel(Lower *l) {
    Kernel *k = kernel_new(l->ctx);
    if (!k) return NULL;
    if (planner_work(planner(l), WORK_KERNEL, k) >= 0) return k;
    kernel_free(k);
    return NULL;
}

static int api_rowtemp(Lower *l, Kernel *k, ThDtype d, const int8_t *dims, int n) {
    Planner *p = planner(l);
    Size shape[KDIM], st[KDIM];
    if (!k || n > KDIM) return -1;
    for (int i = 0; i < n; i++) shape[i] = k->dim[dims[i]].n;
    int r = planner_root(p, BUF_TEMP, (uint8_t)d, n, shape);
    if (r < 0 || !val_strides(p, n, shape, st)) return -1;
    p->root.at[r].rowtemp = true;
    Access a = {.buf = r,
                .dtype = (uint8_t)d,
                .flags = ACC_READ | ACC_WRITE | ACC_ROWTEMP,
                .off = size_const(0),
                .idx = -1,
                .guard = -1};
    for (int i = 0; i < KDIM; i++) a.st[i] = size_const(0);
    for (int i = 0; i < n; i++) a.st[dims[i]] = size_is(shape[i], 1) ? size_const(0) : st[i];
    return kernel_access(k, a);
}

/* A kernel that writes `from`, broadcast to shape, into the whole of `root`. */
bool planner_copy(Planner *p, const Val *from, int root, int ndim, const Size *shape) {
    if (ndim > KDIM) return err(p->ctx, TH_NotImplementedError, "copying an array of more than %d dimensions", KDIM);
    Kernel *k = kernel_new(p->ctx);
    if (!k) return false;
    if (planner_work(p, WORK_KERNEL, k) < 0) return kernel_free(k), false;
    int8_t map[TH_MAX_NDIM], to_map[KDIM];
    for (int d = 0; d < ndim; d++) {
        to_map[d] = (int8_t)d;
        if (kernel_dim(k, shape[d], DIM_PAR) < 0) return false;
    }
    for (int d = 0; d < from->ndim; d++) map[d] = (int8_t)(d + ndim - from->ndim);
    Val to = {0};
    if (kernel_stage(k, STAGE_LOOP, 0, ndim) < 0 ||
        !val_make(p, &to, root, p->root.at[root].dtype, ndim, shape, NULL, size_const(0)))
        return false;
    int a = access_map(p, k, from, map, ACC_READ), b = access_map(p, k, &to, to_map, ACC_WRITE);
    if (a < 0 || b < 0) return false;
    int x = ins_load(k, a, ndim);
    x = x < 0 ? -1 : ins_cast(k, x, to.dtype, ndim);
    return x >= 0 && ins_store(k, b, x, ndim) >= 0;
}

bool planner_contiguous(Planner *p, const ThVar *var) {
    Val *v = planner_val(p, var);
    if (!v || val_contiguous(p, v)) return v != NULL;
    int r = planner_root(p, BUF_TEMP, v->dtype, v->ndim, v->shape);
    if (r < 0 || !planner_copy(p, v, r, v->ndim, v->shape)) return false;
    Val c = {.known = v->known, .nknown = v->nknown, .whole = true};
    if (!val_make(p, &c, r, v->dtype, v->ndim, v->shape, NULL, size_const(0))) return false;
    *v = c;
    return true;
}

/* Makes input i C-contiguous for this node and those after it. */
static bool api_contiguous(Lower *l, int i) { return planner_contiguous(planner(l), in_var(l, i)); }

static bool api_copy(Lower *l, int o, int i) {
    Planner *p = planner(l);
    const ThVar *out = l->node->out[o], *in = in_var(l, i);
    Val *from = planner_val(p, in), *to = planner_out(p, out);
    if (in->owner && in->owner->op == &op_alloc_empty) return from && to; /* nothing is there yet */
    return from && to && planner_copy(p, from, to->root, out->type.ndim, p->dims[out->id]);
}

/* May the storage of root r be overwritten at all? */
static bool destroyable(const Planner *p, const Root *r) {
    if (r->kind == BUF_TEMP) return true;
    int64_t at = r - p->root.at;
    if (at < p->fg->nin && p->shadowed[at]) return false;
    if (r->kind == BUF_SHARED) return !p->no_inplace;
    return r->kind == BUF_INPUT && !p->no_inplace && r->index < p->nin && p->in[r->index].mutable_;
}

static bool api_destroyable(Lower *l, int i) {
    Val *x = planner_val(planner(l), in_var(l, i));
    return x && destroyable(planner(l), &planner(l)->root.at[x->root]);
}

static bool api_outlives(Lower *l, int i) {
    Val *x = planner_val(planner(l), in_var(l, i));
    const Root *r = x ? &planner(l)->root.at[x->root] : NULL;
    return r && r->kind != BUF_TEMP && destroyable(planner(l), r);
}

static bool earlier(const void *user, const ThApply *b) {
    const Planner *p = user;
    return p->number[b->id] < p->node;
}

static bool api_looked(Lower *l) {
    Planner *p = planner(l);
    return p->fg->nout > p->fg->nplain_out && !*p->distrust && adv_looked(l->node, earlier, p) &&
           vec_push(p->ctx, &p->looked, p->node);
}

typedef struct Steps {
    const Planner *p;
    const int *first; /* by node: the first step that has a part of it, -1 none */
    int step;
} Steps;

static bool step_before(const void *user, const ThApply *b) {
    const Steps *s = user;
    int n = s->p->number[b->id];
    return n < s->p->order.n && s->first[n] >= 0 && s->first[n] < s->step;
}

bool planner_looked(const Planner *p) {
    if (!p->looked.n) return true;
    int *first = arena_alloc(p->arena, (size_t)(p->order.n + 1) * sizeof *first);
    if (!first) return false;
    for (int n = 0; n < p->order.n; n++) first[n] = -1;
    for (int s = p->plan->nstep - 1; s >= 0; s--) {
        const Step *t = &p->plan->step[s];
        for (int i = 0; i < t->nnodes; i++)
            if (t->nodes[i] < p->order.n) first[t->nodes[i]] = s;
    }
    for (int i = 0; i < p->looked.n; i++) {
        int n = p->looked.at[i];
        if (!adv_looked(p->order.at[n], step_before, &(Steps){p, first, first[n]})) return false;
    }
    return true;
}

/*
 * Output o overwrites input i. Elementwise nodes on temporaries get a fresh root that wishes for the slot (so that
 * nothing is ordered needlessly); other nodes change the storage itself. What may not be overwritten is copied first.
 */
static bool api_alias(Lower *l, int o, int i) {
    Planner *p = planner(l);
    const ThVar *out = l->node->out[o];
    Val *x = planner_val(p, in_var(l, i)), *v = &p->val[out->id];
    if (!x) return false;
    const Root *r = &p->root.at[x->root];
    bool elemwise = (l->node->op->flags & OP_ELEMWISE) != 0;
    if (elemwise && (r->kind == BUF_TEMP || !destroyable(p, r))) return planner_out(p, out) != NULL;
    if (!destroyable(p, r)) {
        Val *fresh = planner_out(p, out);
        return fresh && planner_copy(p, x, fresh->root, out->type.ndim, p->dims[out->id]);
    }
    if (!val_make(p, v, x->root, x->dtype, x->ndim, x->shape, x->stride, x->off)) return false;
    v->whole = x->whole;
    v->ver = ++p->root.at[x->root].ver;
    p->root.at[x->root].written = true;
    return true;
}

/* Arrays of a host call in the planner's terms; build.c renumbers them. */
static bool host_value(const ThVar *var, const Val *v, PlanValue *out) {
    if (!v) return false;
    *out = (PlanValue){.buf = v->root, .dtype = v->dtype, .ndim = v->ndim, .off = v->off};
    out->flags = type_array_flags(var->type);
    memcpy(out->shape, v->shape, (size_t)v->ndim * sizeof(Size));
    memcpy(out->stride, v->stride, (size_t)v->ndim * sizeof(Size));
    return true;
}

static bool is_sparse_node(const ThApply *a) {
    bool is = false;
    for (int i = 0; i < a->nin; i++) is |= a->in[i]->type.kind == TYPE_SPARSE;
    for (int o = 0; o < a->nout; o++) is |= a->out[o]->type.kind == TYPE_SPARSE;
    return is;
}

static bool api_host(Lower *l, HostFn fn, size_t scratch_bytes) {
    Planner *p = planner(l);
    const ThApply *a = l->node;
    if (!TH_SPARSE && is_sparse_node(a))
        return err(l->ctx, TH_NotImplementedError,
                   "sparse matrices: this library was built without them (TH_SPARSE=OFF)");
    PlanHost h = {.fn = fn, .scratch_bytes = scratch_bytes, .nin = a->nin, .nout = a->nout, .op = a->op};
    h.in = arena_alloc0(p->plan->arena, (size_t)(a->nin + 1) * sizeof *h.in);
    h.out = arena_alloc0(p->plan->arena, (size_t)(a->nout + 1) * sizeof *h.out);
    void *attrs = arena_alloc(p->plan->arena, a->op->attr_bytes + 1u);
    if (!h.in || !h.out || !attrs) return false;
    if (a->attrs) memcpy(attrs, a->attrs, a->op->attr_bytes);
    h.attrs = a->attrs ? attrs : NULL;
    for (int i = 0; i < a->nin; i++) {
        if (!type_is_array(a->in[i]->type)) h.in[i].buf = -1;
        else if (!host_value(a->in[i], planner_val(p, a->in[i]), &h.in[i])) return false;
    }
    for (int o = 0; o < a->nout; o++)
        if (!host_value(a->out[o], planner_out(p, a->out[o]), &h.out[o])) return false;
    int w = planner_work(p, WORK_HOST, NULL);
    if (w < 0 || !vec_push(p->ctx, &p->host, h)) return false;
    p->work.at[w].host = p->host.n - 1;
    return true;
}

static bool api_same(Lower *l, Size a, Size b) { return sizes_same(&planner(l)->sizes, a, b); }
static bool api_loops(Lower *l) { return ((const Planner *)l->plan)->fg->device; }

static const LowerApi lower_api = {.in_type = api_in_type,
                                   .in_dim = api_in_dim,
                                   .out_dim = api_out_dim,
                                   .mul = api_mul,
                                   .add = api_add,
                                   .op = api_op,
                                   .same = api_same,
                                   .in_value = api_in_value,
                                   .view = api_view,
                                   .in_stride = api_in_stride,
                                   .in_offset = api_in_offset,
                                   .in_contiguous = api_in_contiguous,
                                   .contiguous = api_contiguous,
                                   .destroyable = api_destroyable,
                                   .outlives = api_outlives,
                                   .looked = api_looked,
                                   .alias = api_alias,
                                   .copy = api_copy,
                                   .kernel = api_kernel,
                                   .read = api_read,
                                   .write = api_write,
                                   .read_out = api_read_out,
                                   .rowtemp = api_rowtemp,
                                   .read_at = api_read_at,
                                   .write_at = api_write_at,
                                   .parts = api_parts,
                                   .out_stride = api_out_stride,
                                   .out_offset = api_out_offset,
                                   .host = api_host,
                                   .loops = api_loops,
                                   .loop = embed_loop,
                                   .branch = embed_branch};

/* ---- the walk ---- */
/* The last work goes before those of the node at work that read sizes. */
static void work_first(Planner *p) {
    int at = p->size_at++, last = p->work.n - 1;
    Work w = p->work.at[last];
    memmove(&p->work.at[at + 1], &p->work.at[at], (size_t)(last - at) * sizeof(Work));
    p->work.at[at] = w;
}

/* Integers that only running tells and that this node's sizes need: a size step before its own works. */
static bool size_work(Planner *p, const int range[4]) {
    bool any = false;
    for (int r = 0; r < 4; r += 2)
        for (int i = range[r]; i < range[r + 1]; i++)
            any |= p->sizes.ins.at[i].dyn && p->sizes.ins.at[i].op == SHAPE_VALUE;
    if (!any) return true;
    int w = planner_work(p, WORK_SIZE, NULL);
    if (w < 0) return false;
    memcpy(p->work.at[w].sizes, range, sizeof p->work.at[w].sizes);
    work_first(p);
    return true;
}

/* An integer is read as element k of its buffer: v must lie there in C order from the start, before sizes are read. */
bool planner_whole(Planner *p, Val *v) {
    if (v->root < 0) return err(p->ctx, TH_RuntimeError, "planning: a size is read before it is computed");
    if (size_is(v->off, 0) && val_contiguous(p, v)) return true;
    int r = planner_root(p, BUF_TEMP, v->dtype, v->ndim, v->shape);
    Val c = {.known = v->known, .nknown = v->nknown, .whole = true};
    if (r < 0 || !planner_copy(p, v, r, v->ndim, v->shape) ||
        !val_make(p, &c, r, v->dtype, v->ndim, v->shape, NULL, size_const(0)))
        return false;
    work_first(p);
    *v = c;
    return true;
}

static bool whole_values(Planner *p, int from, int to) {
    for (int i = from; i < to; i++) {
        const SizeIns s = p->sizes.ins.at[i];
        if (s.op == SHAPE_VALUE && s.dyn && !planner_whole(p, &p->val[s.c])) return false;
    }
    return true;
}

/* What has other bits on other machines, with the user's line. */
static bool refuse(Planner *p, const ThApply *a) {
    Text t;
    text_init(&t, p->ctx);
    if (a->prov) text_put(&t, " (made at "), prov_text(p->ctx, &t, a->prov), text_put(&t, ")");
    err(p->ctx, TH_NotImplementedError,
        "%s%s has other last bits on other machines: it does not run with the flag repro", a->op->name,
        t.at ? t.at : "");
    text_free(&t);
    return false;
}

static bool lower_node(Planner *p, int n) {
    ThApply *a = p->order.at[n];
    p->node = p->sizes.node = n;
    p->part = 0;
    p->size_at = p->work.n;
    if (!whole_values(p, p->node_shape[n], p->node_shape[n + 1])) return false;
    int first = p->size_at, sizes0 = p->sizes.ins.n;
    Lower l = {&lower_api, p->ctx, a, p};
    if ((a->op->flags & OP_MACHINE) && config_bool(p->ctx, "repro")) return refuse(p, a);
    if (!a->op->lower) return err(p->ctx, TH_NotImplementedError, "%s cannot be compiled", a->op->name);
    if (!a->op->lower(&l) || failed(p->ctx))
        return failed(p->ctx) ? planner_blame(p, a) : err(p->ctx, TH_RuntimeError, "%s: lowering failed", a->op->name);
    for (int o = 0; o < a->nout; o++)
        if (!planner_out(p, a->out[o])) return planner_blame(p, a);
    if (!size_work(p, (int[4]){p->node_shape[n], p->node_shape[n + 1], sizes0, p->sizes.ins.n})) return false;
    for (int w = first; w < p->work.n; w++) p->work.at[w].effect = (a->op->flags & OP_EFFECT) != 0;
    return commit_node(p, a);
}

bool planner_lower(Planner *p) {
    bool ok = true;
    for (int n = 0; n < p->order.n && ok; n++) ok = lower_node(p, n);
    p->size_at = -1;
    return ok;
}
