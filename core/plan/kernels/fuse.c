/*
 * fuse.c -- a group of one-node kernels becomes one Kernel. In: members, earliest first, with their dims in the base's.
 * Out: a kernel over the base's dims in which values pass directly, equal loads happen once, uniform constants are
 * literals, dead instructions are gone and every instruction stands at the shallowest depth its operands allow
 * (hoisting is a number). The readers of a call's result are its epilogue.
 */
#include "plan/parts.h"

typedef struct Draft { /* an instruction before it has its final place */
    Ins ins;
    bool post; /* stands on a finished reduction */
    bool live;
    int at; /* final position */
} Draft;
typedef struct Known {
    int root, value;
} Known;
typedef struct Fuse {
    Planner *p;
    ThContext *ctx;
    Kernel *k;
    const Kernel *from; /* member at work */
    const int8_t *map;
    int part; /* its Work.part */
    VEC(Draft) ins;
    VEC(Known) known;    /* roots whose element at this point is a value */
    VEC(int) vmap, rmap; /* member's values and reductions -> ours */
    VEC(int) loaded;     /* by access: the value loaded, -1 */
} Fuse;

static int depth_of(const Fuse *f, int own) {
    int d = 0;
    for (int i = 0; i < own && i < f->from->ndim; i++)
        if (f->map[i] + 1 > d) d = f->map[i] + 1;
    return d;
}

static int emit(Fuse *f, Ins in, int depth, bool post) {
    in.depth = (uint8_t)depth;
    in.stage = 0;
    Draft d = {in, post, false, -1};
    return vec_push(f->ctx, &f->ins, d) ? f->ins.n - 1 : -1;
}

static int value_of(const Fuse *f, int v) { return v < 0 ? -1 : f->vmap.at[v]; }
static int depth_at(const Fuse *f, int v) { return v < 0 ? 0 : f->ins.at[v].ins.depth; }
static bool post_at(const Fuse *f, int v) { return v >= 0 && f->ins.at[v].post; }

static bool same_access(const Access *a, const Access *b) {
    bool same = a->buf == b->buf && a->dtype == b->dtype && a->flags == b->flags && size_eq(a->off, b->off) &&
                a->idx == b->idx && a->guard == b->guard;
    for (int d = 0; d < KDIM && same; d++) same = size_eq(a->st[d], b->st[d]);
    return same;
}

/* The member's access a in the base's dims; an equal one is shared. */
static int add_access(Fuse *f, const Access *a) {
    Access n = {.buf = a->buf, .dtype = a->dtype, .flags = a->flags, .off = sizes_find(&f->p->sizes, a->off)};
    for (int d = 0; d < KDIM; d++) n.st[d] = size_const(0);
    for (int d = 0; d < f->from->ndim; d++)
        if (f->map[d] >= 0) n.st[f->map[d]] = sizes_find(&f->p->sizes, a->st[d]);
    n.idx = value_of(f, a->idx);
    n.guard = value_of(f, a->guard);
    for (int i = 0; i < f->k->acc.n; i++)
        if (same_access(&f->k->acc.at[i], &n)) return i;
    return vec_push(f->ctx, &f->k->acc, n) && vec_push(f->ctx, &f->loaded, -1) ? f->k->acc.n - 1 : -1;
}

static int access_depth(const Fuse *f, const Access *a) {
    int depth = depth_at(f, a->idx) > depth_at(f, a->guard) ? depth_at(f, a->idx) : depth_at(f, a->guard);
    for (int d = 0; d < KDIM; d++)
        if (!size_is(a->st[d], 0) && d + 1 > depth) depth = d + 1;
    return depth;
}

static int find_known(const Fuse *f, int root) {
    for (int i = f->known.n - 1; i >= 0; i--)
        if (f->known.at[i].root == root) return f->known.at[i].value;
    return -1;
}

/* A constant all of whose elements are equal is a literal. */
static const ThArray *uniform(const Planner *p, int root) {
    const Root *r = &p->root.at[root];
    if (r->kind != BUF_CONST || !r->var) return NULL;
    const ThArray *a = r->var->u.data;
    return a->size > 0 && (a->size == 1 || array_all_equal(a)) ? a : NULL;
}

static int draft_load(Fuse *f, const Ins *i) {
    const Access *a = &f->from->acc.at[i->a];
    int v = a->idx < 0 && a->guard < 0 ? find_known(f, a->buf) : -1;
    if (v >= 0) return v;
    const ThArray *c = a->idx < 0 && a->guard < 0 ? uniform(f->p, a->buf) : NULL;
    if (c) {
        Ins lit = {.prov = i->prov};
        return kernel_literal(f->k, c, &lit) ? emit(f, lit, 0, false) : -1;
    }
    int acc = add_access(f, a);
    if (acc < 0) return -1;
    if (f->loaded.at[acc] >= 0) return f->loaded.at[acc];
    const Access *n = &f->k->acc.at[acc];
    Ins load = *i;
    load.a = acc;
    bool post = post_at(f, n->idx) || post_at(f, n->guard);
    return f->loaded.at[acc] = emit(f, load, access_depth(f, n), post);
}

static bool draft_store(Fuse *f, const Ins *i) {
    const Access *a = &f->from->acc.at[i->a];
    const Root *r = &f->p->root.at[a->buf];
    bool plain = a->idx < 0 && a->guard < 0 && !(a->flags & (ACC_ADD | ACC_READ | ACC_ROWTEMP));
    int v = value_of(f, i->b);
    Known known = {a->buf, v};
    if (plain && r->writers == 1 && !vec_push(f->ctx, &f->known, known)) return false;
    if (plain && r->gone) return true;
    int acc = add_access(f, a);
    if (acc < 0) return false;
    for (int x = 0; x < f->k->acc.n; x++) {
        Access *other = &f->k->acc.at[x];
        if (other->buf != a->buf) continue;
        f->loaded.at[x] = -1;
        if (x == acc || !f->part || !(other->flags & ACC_WRITE)) continue;
        other->flags |= ACC_PART;
        f->k->acc.at[acc].flags |= ACC_PART;
    }
    Ins store = *i;
    store.a = acc;
    store.b = v;
    int depth = depth_of(f, i->depth), need = depth_at(f, v);
    return emit(f, store, depth > need ? depth : need, post_at(f, v) || post_at(f, f->k->acc.at[acc].idx)) >= 0;
}

/* A value that was hoisted out of the loops it is reduced over is made again inside: one element each turn. */
static int inside_loops(Fuse *f, int v, int depth) {
    if (v < 0 || depth_at(f, v) >= depth) return v;
    Draft d = f->ins.at[v];
    return emit(f, d.ins, depth, d.post);
}

static int draft_red(Fuse *f, const Ins *i) {
    int *r = &f->rmap.at[i->a];
    if (*r < 0) {
        Red red = f->from->red.at[i->a];
        red.v = inside_loops(f, value_of(f, red.v), depth_of(f, f->from->ins.at[red.v].depth));
        if (red.v < 0) return -1;
        red.depth = (uint8_t)depth_of(f, red.depth);
        red.stage = 0;
        if (!vec_push(f->ctx, &f->k->red, red)) return -1;
        *r = f->k->red.n - 1;
    }
    Ins n = *i;
    n.a = *r;
    return emit(f, n, f->k->red.at[*r].depth, true);
}

static int draft_index(Fuse *f, const Ins *i) {
    Ins n = *i;
    n.a = f->map[i->a];
    if (n.a >= 0) return emit(f, n, n.a + 1, false);
    n.op = INS_CONST;
    n.a = 0;
    return emit(f, n, 0, false);
}

static int draft_size(Fuse *f, const Ins *i) {
    Ins n = *i;
    Size s = sizes_find(&f->p->sizes, f->from->size.at[i->a]);
    for (n.a = 0; n.a < f->k->size.n && !size_eq(f->k->size.at[n.a], s); n.a++) {}
    if (n.a == f->k->size.n && !vec_push(f->ctx, &f->k->size, s)) return -1;
    return emit(f, n, 0, false);
}

/* Everything whose operands are values. */
static int draft_op(Fuse *f, const Ins *i) {
    Ins n = *i;
    bool scalar = i->op < INS_LOAD, check = i->op == INS_CHECK_INDEX;
    n.a = value_of(f, i->a);
    if (scalar || check) n.b = value_of(f, i->b);
    if (scalar) n.c = value_of(f, i->c), n.d = value_of(f, i->d);
    int depth = depth_at(f, n.a);
    bool post = post_at(f, n.a);
    int more[3] = {scalar || check ? n.b : -1, scalar ? n.c : -1, scalar ? n.d : -1};
    for (int m = 0; m < 3; m++) {
        if (depth_at(f, more[m]) > depth) depth = depth_at(f, more[m]);
        post |= post_at(f, more[m]);
    }
    bool fails = check || i->op == INS_FAIL_IF;
    if (fails && depth_of(f, i->depth) > depth) depth = depth_of(f, i->depth);
    return emit(f, n, depth, post);
}

static int draft(Fuse *f, const Ins *i) {
    switch (i->op) {
    case INS_LOAD: return draft_load(f, i);
    case INS_STORE: return draft_store(f, i) ? f->ins.n - 1 : -2;
    case INS_RED: return draft_red(f, i);
    case INS_INDEX: return draft_index(f, i);
    case INS_SIZE: return draft_size(f, i);
    case INS_CONST: return emit(f, *i, 0, false);
    case INS_PARAM: {
        Ins n = *i;
        n.a = f->k->param.n;
        return vec_push(f->ctx, &f->k->param, f->from->param.at[i->a]) ? emit(f, n, 0, false) : -1;
    }
    default: return draft_op(f, i);
    }
}

static bool add_numbers(Fuse *f, Stage *s, const Stage *from) {
    s->num0 = f->k->size.n, s->nnum = from->nnum;
    for (int n = from->num0; n < from->num0 + from->nnum; n++)
        if (!vec_push(f->ctx, &f->k->size, sizes_find(&f->p->sizes, f->from->size.at[n]))) return false;
    return true;
}

/* The call that the group stands on: the element of its result at this point is a value. */
static bool add_call(Fuse *f) {
    const Stage *from = &f->from->st.at[0];
    const Access *c = &f->from->acc.at[from->C];
    int a = add_access(f, &f->from->acc.at[from->A]), b = from->B < 0 ? -1 : add_access(f, &f->from->acc.at[from->B]);
    Stage *s = &f->k->st.at[0];
    s->cls = from->cls;
    if (!add_numbers(f, s, from)) return false;
    s->A = a, s->B = b, s->C = add_access(f, c);
    s->alpha = s->beta = -1;
    if (s->A < 0 || (s->B < 0 && from->B >= 0) || s->C < 0) return false;
    Ins ep = {.op = INS_EP, .dtype = c->dtype, .in_dtype = c->dtype, .a = -1, .b = -1, .c = -1, .d = -1};
    Known known = {c->buf, emit(f, ep, f->k->nouter + stage_loops(s), false)};
    return known.value >= 0 && vec_push(f->ctx, &f->known, known);
}

/* What a device may keep as a half (narrow.c). */
static bool rounded(const Fuse *f, const Ins *store) {
    const Ins *v = &f->ins.at[store->b].ins;
    return f->p->fg->device && v->op == INS_CAST && dtype_is_half((ThDtype)v->in_dtype);
}

/* A result that nothing else reads lies where the epilogue stores, unless the epilogue reads that storage. */
static void share_storage(Fuse *f) {
    Stage *s = &f->k->st.at[0];
    Access c = f->k->acc.at[s->C];
    s->sole = f->p->fg->device && s->cls == STAGE_GEMM;
    for (int i = 0; i < f->ins.n; i++) {
        const Ins *n = &f->ins.at[i].ins;
        if (n->op != INS_STORE || rounded(f, n)) continue;
        Access y = f->k->acc.at[n->a];
        bool fresh = f->p->root.at[y.buf].writers == 1 && !f->p->root.at[y.buf].written;
        y.buf = c.buf;
        if (fresh && same_access(&y, &c)) {
            s->C = n->a;
            return;
        }
    }
}

static bool add(Fuse *f, const Member *m) {
    f->from = f->p->work.at[m->work].k;
    f->map = m->map;
    f->part = f->p->work.at[m->work].part;
    f->vmap.n = f->rmap.n = 0;
    f->k->can_fail |= f->from->can_fail;
    f->k->fails_first |= f->from->fails_first; /* what joins a draw fails nowhere */
    if (stage_calls(&f->from->st.at[0])) return add_call(f);
    if (f->from->st.at[0].nnum && !add_numbers(f, &f->k->st.at[0], &f->from->st.at[0])) return false;
    for (int r = 0; r < f->from->red.n; r++)
        if (!vec_push(f->ctx, &f->rmap, -1)) return false;
    for (int i = 0; i < f->from->ins.n; i++) {
        int v = draft(f, &f->from->ins.at[i]);
        if (failed(f->ctx) || !vec_push(f->ctx, &f->vmap, v)) return false;
    }
    return true;
}

/* ---- the final order ---- */
static void touch(Fuse *f, int v) {
    if (v >= 0) f->ins.at[v].live = true;
}

static void mark_live(Fuse *f) {
    for (int i = f->ins.n - 1; i >= 0; i--) {
        Draft *d = &f->ins.at[i];
        const Ins *n = &d->ins;
        if (n->op == INS_STORE || n->op == INS_FAIL_IF || n->op == INS_CHECK_INDEX) d->live = true;
        if (!d->live) continue;
        if (n->op == INS_LOAD || n->op == INS_STORE) {
            touch(f, f->k->acc.at[n->a].idx);
            touch(f, f->k->acc.at[n->a].guard);
            if (n->op == INS_STORE) touch(f, n->b);
        } else if (n->op == INS_RED) {
            touch(f, f->k->red.at[n->a].v);
        } else if (n->op < INS_LOAD || n->op == INS_CAST || n->op == INS_CHECK_INDEX || n->op == INS_FAIL_IF) {
            touch(f, n->a);
            if (n->op < INS_LOAD || n->op == INS_CHECK_INDEX) touch(f, n->b);
            if (n->op < INS_LOAD) touch(f, n->c), touch(f, n->d);
        }
    }
}

/* Reductions that no live instruction reads go; what they would have read may be gone already. */
static bool drop_reductions(Fuse *f) {
    Kernel *k = f->k;
    int *to = arena_alloc0(f->p->arena, (size_t)(k->red.n + 1) * sizeof *to), n = 0;
    if (!to) return false;
    for (int i = 0; i < f->ins.n; i++)
        if (f->ins.at[i].live && f->ins.at[i].ins.op == INS_RED) to[f->ins.at[i].ins.a] = 1;
    for (int r = 0; r < k->red.n; r++) {
        if (to[r]) k->red.at[n] = k->red.at[r];
        to[r] = to[r] ? n++ : -1;
    }
    k->red.n = n;
    for (int i = 0; i < f->ins.n; i++)
        if (f->ins.at[i].live && f->ins.at[i].ins.op == INS_RED) f->ins.at[i].ins.a = to[f->ins.at[i].ins.a];
    return true;
}

/* Places live instructions: before the reductions by depth, then after them by depth, each in order of drafting. */
static bool place(Fuse *f) {
    for (int post = 0; post < 2; post++)
        for (int depth = 0; depth <= KDIM; depth++)
            for (int i = 0; i < f->ins.n; i++) {
                Draft *d = &f->ins.at[i];
                if (!d->live || d->post != post || d->ins.depth != depth) continue;
                d->at = f->k->ins.n;
                if (!vec_push(f->ctx, &f->k->ins, d->ins)) return false;
            }
    return true;
}

static int placed(const Fuse *f, int v) { return v < 0 ? -1 : f->ins.at[v].at; }

static void renumber(Fuse *f) {
    for (int i = 0; i < f->k->ins.n; i++) {
        Ins *n = &f->k->ins.at[i];
        bool scalar = n->op < INS_LOAD;
        if (scalar || n->op == INS_CAST || n->op == INS_CHECK_INDEX || n->op == INS_FAIL_IF) n->a = placed(f, n->a);
        if (scalar || n->op == INS_CHECK_INDEX || n->op == INS_STORE) n->b = placed(f, n->b);
        if (scalar) n->c = placed(f, n->c), n->d = placed(f, n->d);
    }
    for (int a = 0; a < f->k->acc.n; a++) {
        f->k->acc.at[a].idx = placed(f, f->k->acc.at[a].idx);
        f->k->acc.at[a].guard = placed(f, f->k->acc.at[a].guard);
    }
    for (int r = 0; r < f->k->red.n; r++) f->k->red.at[r].v = placed(f, f->k->red.at[r].v);
}

static bool begin(Fuse *f, const Kernel *base) {
    f->k->nouter = base->nouter;
    for (int d = 0; d < base->ndim; d++)
        if (kernel_dim(f->k, sizes_find(&f->p->sizes, base->dim[d].n), (DimKind)base->dim[d].kind) < 0) return false;
    return kernel_stage(f->k, STAGE_LOOP, base->st.at[0].d0, base->st.at[0].nd) >= 0;
}

static void finish(Fuse *f) {
    Stage *s = &f->k->st.at[0];
    s->ins0 = s->red0 = 0;
    s->nins = f->k->ins.n;
    s->nred = f->k->red.n;
}

/* A new kernel for the group (more than opaque stages); NULL on error. */
static Kernel *fuse(Planner *p, const Group *g) {
    Fuse f = {.p = p, .ctx = p->ctx, .k = kernel_new(p->ctx)};
    if (!f.k) return NULL;
    bool ok = begin(&f, p->work.at[g->base].k);
    for (int m = g->first; m >= 0 && ok; m = p->member.at[m].next_in_group) ok = add(&f, &p->member.at[m]);
    if (ok) {
        if (g->sole && f.k->st.at[0].cls != STAGE_DRAW) share_storage(&f);
        mark_live(&f);
        ok = drop_reductions(&f) && place(&f);
        renumber(&f);
        finish(&f);
    }
    vec_free(p->ctx, &f.ins);
    vec_free(p->ctx, &f.known);
    vec_free(p->ctx, &f.vmap);
    vec_free(p->ctx, &f.rmap);
    vec_free(p->ctx, &f.loaded);
    if (ok) return f.k;
    kernel_free(f.k);
    return NULL;
}

/* A kernel that stays as its operation wrote it. */
static bool alone(const Planner *p, const Group *g) {
    const Kernel *k = p->work.at[g->base].k;
    return k->st.n != 1 || (k->st.at[0].cls != STAGE_LOOP && g->n == 1) || (k->nouter > 0 && g->n == 1);
}

bool fuse_all(Planner *p) {
    int *at = arena_alloc0(p->arena, (size_t)(p->work.n + 1) * sizeof(int));
    if (!at) return false;
    for (int g = 0; g < p->group.n; g++)
        if (p->group.at[g].exec >= 0) at[p->group.at[g].exec] = g + 1; /* -1: merged into another */
    for (int w = 0; w < p->work.n; w++) {
        if (!at[w]) continue;
        Made m = {.group = at[w] - 1};
        const Group *g = &p->group.at[m.group];
        Work *base = &p->work.at[g->base];
        if (base->kind == WORK_KERNEL) {
            m.nstages = 1;
            if (alone(p, g)) m.k = base->k, base->k = NULL;
            else if (!(m.k = fuse(p, g))) return false;
        }
        if (!vec_push(p->ctx, &p->made, m)) return kernel_free(m.k), false;
    }
    return true;
}
