/*
 * passes.c -- a built kernel is tidied: uniform constants become literals, lengths of 1 and mergeable dims go, unused
 * accesses go, each stage gets its vector dim, and symbols and buffers get local numbers in order of first appearance,
 * so that equal-shaped kernels are equal. In and out: one Kernel; its meaning does not change.
 */
#include "plan/parts.h"

/* The literals that stay in the text; others become parameters. */
static bool small_literal(double v, int *a) {
    if (v == 0.5) return *a = INS_HALF, true;
    if (v != 0 && v != 1 && v != -1 && v != 2) return false;
    if (v == 0 && signbit(v)) return false;
    return *a = (int)v, true;
}

/* The value of the uniform array c as an instruction of kernel k. */
bool kernel_literal(Kernel *k, const ThArray *c, Ins *out) {
    ThValue v = {0};
    char kind = th_dtype_kind((ThDtype)c->dtype);
    out->dtype = out->in_dtype = c->dtype;
    out->a = out->b = out->c = out->d = -1;
    if (kind == 'f') v.f = array_item_float(c);
    else if (kind == 'c' && c->dtype == TH_COMPLEX64)
        v.c = (ThComplex128){((const ThComplex64 *)(const void *)c->data)->re,
                             ((const ThComplex64 *)(const void *)c->data)->im};
    else if (kind == 'c') memcpy(&v.c, c->data, sizeof v.c);
    else v.i = array_item_int(c);
    out->op = INS_CONST;
    if (kind == 'f' && small_literal(v.f, &out->a)) return true;
    if (kind != 'f' && kind != 'c' && (v.i == 0 || v.i == 1 || v.i == 2 || (v.i == -1 && kind == 'i')))
        return out->a = (int)v.i, true;
    out->op = INS_PARAM;
    out->a = k->param.n;
    return vec_push(k->ctx, &k->param, v);
}

/* Loads of uniform constants in kernels that no group rewrote. */
static bool lift_literals(Planner *p, Kernel *k) {
    for (int i = 0; i < k->ins.n; i++) {
        Ins *n = &k->ins.at[i];
        if (n->op != INS_LOAD) continue;
        const Access *a = &k->acc.at[n->a];
        const Root *r = &p->root.at[a->buf];
        if (a->idx >= 0 || a->guard >= 0 || r->kind != BUF_CONST || !r->var || r->var->u.data->size == 0) continue;
        if (r->var->u.data->size > 1 && !array_all_equal(r->var->u.data)) continue;
        Ins lit = *n;
        if (!kernel_literal(k, r->var->u.data, &lit)) return false;
        *n = lit;
    }
    return true;
}

/* Accesses that nothing uses go. */
static bool drop_accesses(Kernel *k) {
    VEC(int) to = {0};
    bool ok = true;
    for (int a = 0; a < k->acc.n && ok; a++) ok = vec_push(k->ctx, &to, -1);
    if (ok) {
        for (int i = 0; i < k->ins.n; i++)
            if (k->ins.at[i].op == INS_LOAD || k->ins.at[i].op == INS_STORE) to.at[k->ins.at[i].a] = 1;
        for (int s = 0; s < k->st.n; s++) {
            const Stage *st = &k->st.at[s];
            if (!stage_calls(st)) continue;
            int abc[3] = {st->A, st->B, st->C};
            for (int x = 0; x < 3; x++)
                if (abc[x] >= 0 && abc[x] < k->acc.n) to.at[abc[x]] = 1;
        }
        int n = 0;
        for (int a = 0; a < k->acc.n; a++) {
            if (to.at[a] < 0) continue;
            to.at[a] = n;
            k->acc.at[n++] = k->acc.at[a];
        }
        k->acc.n = n;
        for (int i = 0; i < k->ins.n; i++)
            if (k->ins.at[i].op == INS_LOAD || k->ins.at[i].op == INS_STORE) k->ins.at[i].a = to.at[k->ins.at[i].a];
        for (int s = 0; s < k->st.n; s++) {
            Stage *st = &k->st.at[s];
            if (!stage_calls(st)) continue;
            if (st->A >= 0) st->A = to.at[st->A];
            if (st->B >= 0) st->B = to.at[st->B];
            if (st->C >= 0) st->C = to.at[st->C];
        }
    }
    vec_free(k->ctx, &to);
    return ok;
}

/* ---- dims ---- */
static bool dim_indexed(const Kernel *k, int d) {
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_INDEX && k->ins.at[i].a == d) return true;
    return false;
}

static bool inside(const Stage *s, int d) { return d >= s->d0 && d < s->d0 + s->nd; }

/* Takes dim d out; what ran inside it runs one loop less deep. */
static void remove_dim(Kernel *k, int d) {
    memmove(&k->dim[d], &k->dim[d + 1], (size_t)(k->ndim - d - 1) * sizeof *k->dim);
    k->ndim--;
    if (d < k->nouter) k->nouter--;
    for (int a = 0; a < k->acc.n; a++) {
        Access *x = &k->acc.at[a];
        memmove(&x->st[d], &x->st[d + 1], (size_t)(KDIM - d - 1) * sizeof *x->st);
        x->st[KDIM - 1] = size_const(0);
    }
    for (int s = 0; s < k->st.n; s++) {
        Stage *st = &k->st.at[s];
        if (inside(st, d)) st->nd--;
        else if (st->d0 > d) st->d0--;
    }
    for (int i = 0; i < k->ins.n; i++) {
        Ins *n = &k->ins.at[i];
        if (n->op == INS_INDEX && n->a > d) n->a--;
    }
}

/* Loops around an instruction of stage s at `depth`: does dim d enclose it? */
static bool encloses(const Kernel *k, const Stage *s, int depth, int d) {
    if (d < k->nouter) return d < depth;
    return inside(s, d) && depth > k->nouter + (d - s->d0);
}

static void lower_depths(Kernel *k, int d) {
    for (int i = 0; i < k->ins.n; i++)
        if (encloses(k, &k->st.at[k->ins.at[i].stage], k->ins.at[i].depth, d)) k->ins.at[i].depth--;
    for (int r = 0; r < k->red.n; r++)
        if (encloses(k, &k->st.at[k->red.at[r].stage], k->red.at[r].depth, d)) k->red.at[r].depth--;
}

/* No call of the library stands on dim d. */
static bool loops_only(const Kernel *k, int d) {
    for (int s = 0; s < k->st.n; s++)
        if (inside(&k->st.at[s], d) && d < stage_free(&k->st.at[s])) return false;
    return true;
}

/* A draw is told by points of a dim, of one of length 1 too. */
static bool last_of_draw(const Kernel *k, int d) {
    for (int s = 0; s < k->st.n; s++)
        if (k->st.at[s].cls == STAGE_DRAW && k->st.at[s].nd == 1 && inside(&k->st.at[s], d)) return true;
    return false;
}

static void drop_ones(Kernel *k) {
    for (int d = k->ndim - 1; d >= 0; d--) {
        if (!size_is(k->dim[d].n, 1) || k->dim[d].kind != DIM_PAR || dim_indexed(k, d) || !loops_only(k, d) ||
            last_of_draw(k, d))
            continue;
        lower_depths(k, d);
        remove_dim(k, d);
    }
}

/* Does anything run between the loops d and d + 1? */
static bool between(const Kernel *k, int d) {
    for (int i = 0; i < k->ins.n; i++) {
        const Stage *s = &k->st.at[k->ins.at[i].stage];
        int depth = k->ins.at[i].depth;
        if (encloses(k, s, depth, d) && !encloses(k, s, depth, d + 1)) return true;
    }
    for (int r = 0; r < k->red.n; r++) {
        const Stage *s = &k->st.at[k->red.at[r].stage];
        if (encloses(k, s, k->red.at[r].depth, d) && !encloses(k, s, k->red.at[r].depth, d + 1)) return true;
    }
    return false;
}

/* Dims d and d + 1 are one loop: same kind, same stages, and every access steps through both evenly. */
static bool mergeable(Planner *p, const Kernel *k, int d) {
    if (k->dim[d].kind != k->dim[d + 1].kind || (d < k->nouter) != (d + 1 < k->nouter)) return false;
    if (dim_indexed(k, d) || dim_indexed(k, d + 1) || !loops_only(k, d) || !loops_only(k, d + 1)) return false;
    for (int s = 0; s < k->st.n; s++)
        if (inside(&k->st.at[s], d) != inside(&k->st.at[s], d + 1)) return false;
    for (int a = 0; a < k->acc.n; a++) {
        Size step = sizes_op(&p->sizes, '*', k->acc.at[a].st[d + 1], k->dim[d + 1].n);
        if (size_bad(step) || !sizes_same(&p->sizes, step, k->acc.at[a].st[d])) return false;
    }
    return !between(k, d);
}

bool kernel_collapse(Planner *p, Kernel *k) {
    for (int d = k->ndim - 2; d >= 0; d--) {
        if (d + 1 >= k->ndim || !mergeable(p, k, d)) continue;
        Size n = sizes_op(&p->sizes, '*', k->dim[d].n, k->dim[d + 1].n);
        if (size_bad(n)) return false;
        k->dim[d + 1].n = n;
        lower_depths(k, d);
        remove_dim(k, d);
    }
    return true;
}

/* Depth of the innermost loads and stores of a stage. */
static int memory_depth(const Kernel *k, const Stage *st) {
    int depth = 0;
    for (int i = st->ins0; i < st->ins0 + st->nins; i++) {
        const Ins *in = &k->ins.at[i];
        if ((in->op == INS_LOAD || in->op == INS_STORE) && in->depth > depth) depth = in->depth;
    }
    return depth;
}

/* How many of the innermost accesses step along dim d by one element, and how many by several. */
static int steps_along(const Kernel *k, const Stage *st, int depth, int d, int *far) {
    int near = 0;
    *far = 0;
    for (int i = st->ins0; i < st->ins0 + st->nins; i++) {
        const Ins *in = &k->ins.at[i];
        if ((in->op != INS_LOAD && in->op != INS_STORE) || in->depth != depth) continue;
        Size step = k->acc.at[in->a].st[d];
        if (size_is(step, 1)) near++;
        else if (!size_is(step, 0)) ++*far;
    }
    return near;
}

/* The own dim along which most of the innermost accesses step by one element; of equals the one with fewer that step by
 * several, then the inner one; -1 without any. */
int kernel_vec(const Kernel *k, const Stage *st) {
    int best = 0, fewest = 0, vec = -1, depth = memory_depth(k, st), far;
    for (int d = st->d0; d < st->d0 + st->nd; d++) {
        int n = steps_along(k, st, depth, d, &far);
        if (!n || n < best || (n == best && far > fewest) || size_is(k->dim[d].n, 1)) continue;
        best = n, fewest = far, vec = d;
    }
    return vec;
}

static void choose_vec(Kernel *k) {
    for (int s = 0; s < k->st.n; s++) {
        Stage *st = &k->st.at[s];
        st->vec = (int8_t)(stage_calls(st) ? st->d0 + stage_loops(st) - 1 : kernel_vec(k, st));
    }
}

static bool trim(Planner *p, Kernel *k) {
    for (int a = 0; a < k->acc.n; a++) {
        Access *x = &k->acc.at[a];
        x->off = sizes_find(&p->sizes, x->off);
        for (int d = 0; d < KDIM; d++) x->st[d] = sizes_find(&p->sizes, x->st[d]);
    }
    for (int d = 0; d < k->ndim; d++) k->dim[d].n = sizes_find(&p->sizes, k->dim[d].n);
    for (int i = 0; i < k->size.n; i++) k->size.at[i] = sizes_find(&p->sizes, k->size.at[i]);
    if (!lift_literals(p, k) || !drop_accesses(k)) return false;
    drop_ones(k);
    return true;
}

bool kernel_trim_all(Planner *p) {
    for (int i = 0; i < p->made.n; i++)
        if (p->made.at[i].k && !trim(p, p->made.at[i].k)) return false;
    return true;
}

bool kernel_tidy_all(Planner *p) {
    for (int i = 0; i < p->made.n; i++) {
        Kernel *k = p->made.at[i].k;
        if (!k) continue;
        if (!drop_accesses(k) || !kernel_collapse(p, k)) return false;
        choose_vec(k);
    }
    return true;
}

/* ---- local numbers ---- */
static int local(int *list, int *n, int x) {
    for (int i = 0; i < *n; i++)
        if (list[i] == x) return i;
    list[*n] = x;
    return (*n)++;
}

static void local_size(Size *s, int *syms, int *n) {
    if (s->sym >= 0 && s->k != 0) s->sym = local(syms, n, s->sym);
    else s->sym = -1;
}

/* roots and syms have room for every access and Size. Root and slot of a local number are their positions there. */
bool kernel_localize(Planner *p, Kernel *k, int *roots, int *nroots, int *syms, int *nsyms) {
    (void)p;
    *nroots = *nsyms = 0;
    for (int d = 0; d < k->ndim; d++) local_size(&k->dim[d].n, syms, nsyms);
    for (int a = 0; a < k->acc.n; a++) {
        Access *x = &k->acc.at[a];
        x->buf = local(roots, nroots, x->buf);
        local_size(&x->off, syms, nsyms);
        for (int d = 0; d < KDIM; d++) local_size(&x->st[d], syms, nsyms);
    }
    for (int i = 0; i < k->size.n; i++) local_size(&k->size.at[i], syms, nsyms);
    k->nbuf = *nroots;
    k->key = kernel_key(k);
    return !failed(k->ctx);
}
