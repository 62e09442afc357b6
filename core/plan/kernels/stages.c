/*
 * stages.c -- kernels over the same rows become stages of one. In: the kernels of neighbouring groups, in order. Out:
 * one Kernel whose outer dims are the rows; for each row its stages run one after the other, so that what passes
 * between them is a value (a sum, a maximum) or a row that is still in cache. Softmax, layer norm, log-sum-exp, their
 * gradients come out of this without being known here. Always holds: a stage reads of what an earlier one wrote only
 * elements of the same row; nothing that an earlier stage reads or writes is written by a later one.
 */
#include "kernel/order.h"
#include "ops/table/ops.h"
#include "plan/apart.h"
#include "plan/parts.h"

/* ---- what can be a stage ---- */
static bool is_loops(const Kernel *k) {
    for (int s = 0; s < k->st.n; s++)
        if (k->st.at[s].cls != STAGE_LOOP) return false;
    if (k->nouter == 0 && k->st.n != 1) return false;
    for (int d = 0; d < k->ndim; d++)
        if (k->dim[d].kind == DIM_SEQ) return false;
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        if (!(x->flags & ACC_WRITE) || (x->flags & ACC_ROWTEMP)) continue;
        if ((x->flags & (ACC_ADD | ACC_READ)) || x->idx >= 0 || x->guard >= 0) return false;
    }
    return true;
}

/* Leading kept dims of a reduction, or the outer dims there are; 0: it has no rows of its own, any will do. */
static int own_rows(const Kernel *k) {
    int n = 0;
    if (k->nouter) return k->nouter;
    if (!k->red.n) return 0;
    while (n < k->ndim && k->dim[n].kind == DIM_PAR) n++;
    for (int r = 0; r < k->red.n; r++)
        if (k->red.at[r].depth < n) return -1;
    for (int d = n; d < k->ndim; d++)
        if (k->dim[d].kind != DIM_RED) return -1;
    return n ? n : -1;
}

/* How many outer dims both share; 0: they have nothing to share. */
static int rows_of(const Kernel *a, const Kernel *b) {
    int x = own_rows(a), y = own_rows(b), n = x && (!y || x < y) ? x : y;
    if (x < 0 || y < 0 || n <= 0) return 0;
    if ((a->nouter && a->nouter != n) || (b->nouter && b->nouter != n)) return 0;
    return n <= a->ndim && n <= b->ndim ? n : 0;
}

/* Every stage keeps a dim of its own to be vectors along: rows far apart in memory stay the outer loop. */
static bool rows_outside(const Kernel *k, int rows) {
    for (int s = 0; s < k->st.n; s++) {
        int v = kernel_vec(k, &k->st.at[s]);
        if (v >= 0 && v < rows && k->st.at[s].nd > (k->nouter ? 0 : rows)) return false;
    }
    return true;
}

static bool same_rows(Planner *p, const Kernel *a, const Kernel *b, int rows) {
    for (int d = 0; d < rows; d++)
        if (a->dim[d].kind != DIM_PAR || b->dim[d].kind != DIM_PAR || !sizes_same(&p->sizes, a->dim[d].n, b->dim[d].n))
            return false;
    return true;
}

/* ---- what passes between them ---- */
static const Access *access_to(const Kernel *k, int root, int flag) {
    for (int a = 0; a < k->acc.n; a++)
        if (k->acc.at[a].buf == root && (k->acc.at[a].flags & flag)) return &k->acc.at[a];
    return NULL;
}

/*
 * Reader r (of kernel b) sees of a row just what writer w (of kernel a) stored there: outer dims step alike and inner
 * dims of w are inner dims of r, map[d], or position 0 (-1).
 */
static bool same_row(Planner *p, const Kernel *a, const Access *w, const Kernel *b, const Access *r, int rows,
                     int8_t *map) {
    bool used[KDIM] = {false};
    if (r->idx >= 0 || r->guard >= 0 || r->dtype != w->dtype || !sizes_same(&p->sizes, r->off, w->off)) return false;
    for (int d = 0; d < rows; d++)
        if (size_is(w->st[d], 0) || !sizes_same(&p->sizes, w->st[d], r->st[d])) return false;
    for (int d = rows; d < a->ndim; d++) {
        map[d] = -1;
        for (int c = rows; c < b->ndim && map[d] < 0 && !size_is(w->st[d], 0); c++)
            if (!used[c] && sizes_same(&p->sizes, r->st[c], w->st[d]) &&
                sizes_same(&p->sizes, b->dim[c].n, a->dim[d].n)) {
                map[d] = (int8_t)c;
                used[c] = true;
            }
    }
    for (int c = rows; c < b->ndim; c++)
        if (!used[c] && !size_is(r->st[c], 0)) return false;
    return true;
}

/* Written once, ours alone. */
static bool plain_root(const Root *r) {
    return r->writers == 1 && !r->written && (r->kind == BUF_TEMP || r->kind == BUF_OUTPUT);
}

static bool foreign_writes(const Planner *p, const Kernel *k) {
    for (int a = 0; a < k->acc.n; a++) {
        const Root *r = &p->root.at[k->acc.at[a].buf];
        if ((k->acc.at[a].flags & ACC_WRITE) && r->kind != BUF_TEMP && r->kind != BUF_OUTPUT) return true;
    }
    return false;
}

/* Both walk the rows of one tensor. */
static bool reads_alike(Planner *p, const Access *x, const Access *y, int rows) {
    if (x->buf != y->buf || !(x->flags & y->flags & ACC_READ) || x->idx >= 0 || y->idx >= 0) return false;
    for (int d = 0; d < rows; d++)
        if (size_is(x->st[d], 0) || !sizes_same(&p->sizes, x->st[d], y->st[d])) return false;
    return sizes_same(&p->sizes, x->off, y->off);
}

/* Nothing of b is in the way of a's rows; *gain: they meet in some tensor. */
static bool agree(Planner *p, const Kernel *a, const Kernel *b, int rows, bool *gain) {
    int8_t map[KDIM];
    for (int i = 0; i < b->acc.n; i++) {
        const Access *x = &b->acc.at[i];
        if (x->flags & ACC_ROWTEMP) continue;
        if ((x->flags & ACC_WRITE) && access_to(a, x->buf, ACC_READ | ACC_WRITE)) return false;
        const Access *w = access_to(a, x->buf, ACC_WRITE);
        for (int j = 0; j < a->acc.n && !w && !*gain; j++) *gain = reads_alike(p, x, &a->acc.at[j], rows);
        if (!w) continue;
        if (!plain_root(&p->root.at[x->buf]) || !same_row(p, a, w, b, x, rows, map)) return false;
        *gain = true;
    }
    return true;
}

static bool room(const Kernel *a, const Kernel *b, int rows) {
    enum { STAGES = 64, ACCESSES = KACC + 8 }; /* what executors hold */
    return a->ins.n + b->ins.n <= KINS && a->acc.n + b->acc.n <= ACCESSES && a->ndim + b->ndim - rows <= KDIM &&
           a->st.n + b->st.n <= STAGES;
}

/* The parallel dims that value v sees. */
static uint64_t seen_by(const Kernel *k, int v) {
    bool mark[KINS] = {false};
    uint64_t dims = 0, parallel = 0;
    mark[v] = true;
    for (int d = 0; d < k->ndim; d++) parallel |= (uint64_t)(k->dim[d].kind == DIM_PAR) << d;
    for (; v >= 0; v--) {
        const Ins *i = &k->ins.at[v];
        int reads[6], n = mark[v] ? ins_reads(k, i, reads) : 0;
        for (int j = 0; j < n; j++) mark[reads[j]] = true;
        if (mark[v] && i->op == INS_INDEX) dims |= (uint64_t)1 << i->a;
        for (int d = 0; mark[v] && i->op == INS_LOAD && d < k->ndim; d++)
            dims |= (uint64_t)!size_is(k->acc.at[i->a].st[d], 0) << d;
    }
    return dims & parallel;
}

/* Sums of products whose factors see different points: a GPU runs them by tiles, if they are alone. */
static bool is_product(const Kernel *k) {
    for (int r = 0; r < k->red.n && k->ins.n <= KINS; r++) {
        const Ins *v = &k->ins.at[k->red.at[r].v];
        if (k->red.at[r].kind != RED_SUM || v->op != S_mul || v->c >= 0) continue;
        uint64_t a = seen_by(k, v->a), b = seen_by(k, v->b);
        if ((a & ~b) && (b & ~a)) return true;
    }
    return false;
}

static int no(Planner *p, Apart why) {
    p->why = (uint8_t)why;
    return 0;
}

static int shared_rows(Planner *p, const Kernel *a, const Kernel *b) {
    bool gain = false;
    if (p->fg->device && (is_product(a) || is_product(b))) return no(p, APART_PRODUCT);
    if (!is_loops(a) || !is_loops(b)) return no(p, APART_NO_LOOPS);
    int rows = rows_of(a, b);
    if (!rows) return no(p, APART_NO_ROWS);
    if (!room(a, b, rows)) return no(p, APART_ROOM);
    if (!same_rows(p, a, b, rows)) return no(p, APART_OTHER_ROWS);
    if ((a->can_fail || b->can_fail) && (foreign_writes(p, a) || foreign_writes(p, b))) return no(p, APART_FAILS);
    if (!rows_outside(a, rows) || !rows_outside(b, rows)) return no(p, APART_COLUMNS);
    if (!agree(p, a, b, rows, &gain)) return no(p, APART_ACROSS);
    return gain ? rows : no(p, APART_NO_GAIN);
}

/* ---- putting them together ---- */
typedef struct Append {
    Planner *p;
    Kernel *a;
    const Kernel *b;
    int rows, acc, red, ins, param, size, stage; /* what a had */
    int8_t dim[KDIM];                            /* by dim of b: a's */
    int *access, *value;                         /* by access, value of b: a's */
} Append;

/* Own dims of a stage of a that are those of b's stage over [d0, d0 + nd), or -1. */
static int equal_dims(const Append *x, int d0, int nd) {
    for (int s = 0; s < x->stage; s++) {
        const Stage *st = &x->a->st.at[s];
        bool same = st->nd == nd;
        for (int d = 0; d < nd && same; d++) {
            const Dim *m = &x->a->dim[st->d0 + d], *n = &x->b->dim[d0 + d];
            same = m->kind == n->kind && sizes_same(&x->p->sizes, m->n, n->n);
        }
        if (same) return st->d0;
    }
    return -1;
}

static bool take_dims(Append *x) {
    for (int d = 0; d < x->b->ndim; d++) x->dim[d] = (int8_t)(d < x->rows ? d : -1);
    for (int s = 0; s < x->b->st.n; s++) {
        const Stage *st = &x->b->st.at[s];
        int d0 = x->b->nouter ? st->d0 : x->rows, nd = x->b->nouter ? st->nd : st->nd - x->rows;
        int old = equal_dims(x, d0, nd);
        for (int d = 0; d < nd; d++) {
            if (x->dim[d0 + d] >= 0) continue;
            int at = old >= 0 ? old + d : kernel_dim(x->a, x->b->dim[d0 + d].n, (DimKind)x->b->dim[d0 + d].kind);
            if (at < 0) return false;
            x->dim[d0 + d] = (int8_t)at;
        }
    }
    return true;
}

static bool equal_access(const Access *a, const Access *b) {
    bool same = a->buf == b->buf && a->dtype == b->dtype && a->flags == b->flags && size_eq(a->off, b->off);
    same = same && a->idx < 0 && b->idx < 0 && a->guard < 0 && b->guard < 0;
    for (int d = 0; d < KDIM && same; d++) same = size_eq(a->st[d], b->st[d]);
    return same;
}

static bool take_accesses(const Append *x) {
    for (int i = 0; i < x->b->acc.n; i++) {
        Access n = x->b->acc.at[i];
        int old = 0;
        for (int d = 0; d < KDIM; d++) n.st[d] = size_const(0);
        for (int d = 0; d < x->b->ndim; d++) /* dims of two stages of b may be one of a: an access steps along one */
            if (x->dim[d] >= 0 && !size_is(x->b->acc.at[i].st[d], 0)) n.st[x->dim[d]] = x->b->acc.at[i].st[d];
        while (old < x->acc && !equal_access(&x->a->acc.at[old], &n)) old++;
        x->access[i] = old < x->acc ? old : x->a->acc.n;
        if (old == x->acc && !vec_push(x->a->ctx, &x->a->acc, n)) return false;
    }
    return true;
}

/* The value of a that load i of b would find in memory: one for the whole row. */
static int passed(const Append *x, const Ins *i) {
    const Access *r = &x->b->acc.at[i->a];
    if (i->op != INS_LOAD || i->depth != x->rows || r->idx >= 0 || r->guard >= 0) return -1;
    for (int j = x->ins - 1; j >= 0; j--) {
        const Ins *s = &x->a->ins.at[j];
        if (s->op == INS_STORE && x->a->acc.at[s->a].buf == r->buf && !(x->a->acc.at[s->a].flags & ACC_ROWTEMP))
            return s->depth <= x->rows && x->a->ins.at[s->b].depth <= x->rows ? s->b : -1;
    }
    return -1;
}

static int moved(const Append *x, int v) { return v < 0 ? v : x->value[v]; }

static bool take_ins(const Append *x, int i) {
    Ins n = x->b->ins.at[i];
    n.stage = (uint8_t)(n.stage + x->stage);
    ins_renumber(&n, x->value);
    if (n.op == INS_LOAD || n.op == INS_STORE) n.a = x->access[n.a];
    else if (n.op == INS_PARAM) n.a += x->param;
    else if (n.op == INS_SIZE) n.a += x->size;
    else if (n.op == INS_RED) n.a += x->red;
    else if (n.op == INS_INDEX) n.a = x->dim[n.a];
    x->value[i] = x->a->ins.n;
    return vec_push(x->a->ctx, &x->a->ins, n);
}

static bool take_stages(const Append *x) {
    Kernel *a = x->a;
    int at = x->ins;
    for (int s = 0; s < x->b->st.n; s++) {
        Stage n = x->b->st.at[s];
        int last = n.ins0 + n.nins;
        int d0 = x->b->nouter ? n.d0 : x->rows;
        n.nd = (uint8_t)(x->b->nouter ? n.nd : n.nd - x->rows);
        n.d0 = (uint8_t)(n.nd ? x->dim[d0] : a->nouter);
        for (int i = n.ins0; i < last; i++) {
            int v = passed(x, &x->b->ins.at[i]);
            if (v >= 0) x->value[i] = v;
            else if (!take_ins(x, i)) return false;
        }
        if (stage_calls(&n)) { n.A = x->access[n.A], n.C = x->access[n.C], n.B = n.B < 0 ? -1 : x->access[n.B]; }
        if (n.nnum) n.num0 += x->size;
        n.ins0 = at;
        n.nins = a->ins.n - at;
        n.red0 += x->red;
        at = a->ins.n;
        if (!vec_push(a->ctx, &a->st, n)) return false;
    }
    return true;
}

static bool take_rest(const Append *x) {
    Kernel *a = x->a;
    for (int i = 0; i < x->b->param.n; i++)
        if (!vec_push(a->ctx, &a->param, x->b->param.at[i])) return false;
    for (int i = 0; i < x->b->size.n; i++)
        if (!vec_push(a->ctx, &a->size, x->b->size.at[i])) return false;
    for (int i = 0; i < x->b->red.n; i++) {
        Red r = x->b->red.at[i];
        r.v = moved(x, r.v);
        r.stage = (uint8_t)(r.stage + x->stage);
        if (!vec_push(a->ctx, &a->red, r)) return false;
    }
    for (int i = x->acc; i < a->acc.n; i++) {
        a->acc.at[i].idx = moved(x, a->acc.at[i].idx);
        a->acc.at[i].guard = moved(x, a->acc.at[i].guard);
    }
    a->can_fail |= x->b->can_fail;
    return true;
}

/* The one stage of k runs inside `rows` outer loops. */
static void make_outer(Kernel *k, int rows) {
    if (k->nouter) return;
    k->nouter = rows;
    k->st.at[0].d0 = (uint8_t)rows;
    k->st.at[0].nd = (uint8_t)(k->ndim - rows);
}

bool stages_append(Planner *p, Kernel *a, const Kernel *b, int rows) {
    Append x = {p, a, b, rows, a->acc.n, a->red.n, a->ins.n, a->param.n, a->size.n, a->st.n, {0}, NULL, NULL};
    x.access = arena_alloc(p->arena, (size_t)(b->acc.n + b->ins.n + 1) * sizeof(int));
    if (!x.access) return false;
    x.value = x.access + b->acc.n;
    make_outer(a, rows);
    return take_dims(&x) && take_accesses(&x) && take_stages(&x) && take_rest(&x);
}

/* Kernel b may run before a: neither writes what the other one touches, and neither changes what a failure is to leave
 * as it was. */
static bool may_pass(const Planner *p, const Kernel *a, const Kernel *b) {
    if ((a->can_fail && foreign_writes(p, b)) || (b->can_fail && foreign_writes(p, a))) return false;
    for (int i = 0; i < b->acc.n; i++) {
        const Access *x = &b->acc.at[i];
        if (access_to(a, x->buf, x->flags & ACC_WRITE ? ACC_READ | ACC_WRITE : ACC_WRITE)) return false;
    }
    return true;
}

/* On a device each pass over memory counts: a kernel behind some that have nothing to do with it, as sums of columns
 * between a row's sums and what follows these, comes before them where it is a stage of the open one. Its rows. */
static int look_further(Planner *p, const Kernel *open, int next) {
    enum { FAR = 3 };
    for (int i = next + 1; p->fg->device && i < p->made.n && i <= next + FAR; i++) {
        const Made m = p->made.at[i];
        bool passes = m.k && p->made.at[i - 1].k;
        if (!passes) return 0;
        for (int j = next; j < i && passes; j++) passes = may_pass(p, p->made.at[j].k, m.k);
        int rows = passes ? shared_rows(p, open, m.k) : 0;
        if (!rows) continue;
        memmove(&p->made.at[next + 1], &p->made.at[next], (size_t)(i - next) * sizeof m);
        p->made.at[next] = m;
        return rows;
    }
    return 0;
}

bool stages_all(Planner *p) {
    Made *open = NULL; /* its kernel may take the next one in */
    for (int i = 0; i < p->made.n; i++) {
        Made *m = &p->made.at[i];
        int rows = open && m->k ? shared_rows(p, open->k, m->k) : no(p, APART_NEXT_WHOLE);
        uint8_t why = p->why;
        if (!rows && open && m->k) rows = look_further(p, open->k, i);
        if (!rows) {
            if (open) open->why = why;
            open = m->k ? m : NULL;
            continue;
        }
        if (!stages_append(p, open->k, m->k, rows)) return false;
        kernel_free(m->k);
        m->k = NULL;
        m->nstages = 0;
        open->nstages++;
        p->group.at[open->group].chain = p->group.at[m->group].chain = open->group + 1;
    }
    return true;
}

/* ---- what nobody outside reads ---- */
/* Every live reader of root r is in a group of this kernel. */
static bool readers_inside(const Planner *p, int r, int first_group) {
    for (int u = p->use0[r]; u < p->use0[r + 1]; u++) {
        const Work *w = &p->work.at[p->use[u].work];
        if (!w->live) continue;
        for (int m = w->members; m >= 0; m = p->member.at[m].next_of_work)
            if (p->group.at[p->member.at[m].group].chain != first_group) return false;
    }
    return true;
}

static bool loads(const Kernel *k, int root) {
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_LOAD && k->acc.at[k->ins.at[i].a].buf == root) return true;
    return false;
}

/* The root becomes one row: inner dims of its writer in C order, dims of readers by their strides there. */
bool stages_row(Planner *p, Kernel *k, int writer) {
    Access w = k->acc.at[writer];
    Root *root = &p->root.at[w.buf];
    Size st[KDIM], n = size_const(1), shape[KDIM];
    int nshape = 0;
    for (int d = 0; d < KDIM; d++) st[d] = size_const(0);
    for (int d = k->ndim - 1; d >= k->nouter; d--) {
        if (size_is(w.st[d], 0)) continue;
        st[d] = n;
        n = sizes_op(&p->sizes, '*', n, k->dim[d].n);
        if (size_bad(n)) return false;
    }
    for (int d = k->nouter; d < k->ndim; d++)
        if (!size_is(w.st[d], 0)) shape[nshape++] = k->dim[d].n;
    for (int a = 0; a < k->acc.n; a++) {
        Access *x = &k->acc.at[a];
        if (x->buf != w.buf) continue;
        Size old[KDIM];
        bool used[KDIM] = {false};
        memcpy(old, x->st, sizeof old);
        for (int d = 0; d < KDIM; d++) x->st[d] = size_const(0);
        for (int d = k->nouter; d < k->ndim; d++)
            for (int c = k->nouter; c < k->ndim && !size_is(w.st[d], 0); c++)
                if (!used[c] && sizes_same(&p->sizes, old[c], w.st[d]) &&
                    sizes_same(&p->sizes, k->dim[c].n, k->dim[d].n)) {
                    used[c] = true;
                    x->st[c] = st[d];
                    break;
                }
        x->off = size_const(0);
        x->flags = ACC_READ | ACC_WRITE | ACC_ROWTEMP;
    }
    root->rowtemp = root->gone = true;
    root->size = n;
    root->ndim = nshape;
    root->shape = arena_alloc(p->arena, (size_t)(nshape + 1) * sizeof(Size));
    if (root->shape) memcpy(root->shape, shape, (size_t)nshape * sizeof(Size));
    return root->shape != NULL;
}

static bool settle(Planner *p, Kernel *k, int first_group) {
    uint8_t *drop = arena_alloc0(p->arena, (size_t)k->acc.n + 1);
    bool any = false;
    if (!drop) return false;
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        Root *r = &p->root.at[x->buf];
        if (!(x->flags & ACC_WRITE) || (x->flags & ACC_ROWTEMP)) continue;
        if (r->kind != BUF_TEMP || r->kept || !plain_root(r) || !readers_inside(p, x->buf, first_group)) continue;
        if (loads(k, x->buf)) {
            if (!stages_row(p, k, a)) return false;
        } else {
            r->gone = any = true;
            drop[a] = 1;
        }
    }
    return !any || kernel_drop(p, k, drop);
}

bool stages_rows(Planner *p) {
    for (int i = 0; i < p->made.n; i++) {
        const Made *m = &p->made.at[i];
        if (m->nstages > 1 && !settle(p, m->k, m->group + 1)) return false;
    }
    return true;
}
