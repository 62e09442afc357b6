/*
 * windows.c -- for a device: what is computed point by point for a kernel that looks up one window for each element, as
 * a pooling's gradient does, is computed there. In: works with their uses. Out: the same; such a work is read by nobody
 * any more. Always holds: the element that is looked up is made of the same elements as before, by the same
 * operations, and those of no window are 0.
 */
#include "kernel/order.h"
#include "ops/table/ops.h"
#include "plan/parts.h"

typedef struct Windows {
    Planner *p;
    Kernel *k;       /* looks up.. */
    int acc;         /* ..through this access.. */
    const Kernel *w; /* ..what this one stores */
} Windows;

/* Loops without products, each of whose reductions is of one element. */
static bool looks_up(const Work *x) {
    const Kernel *k = x->kind == WORK_KERNEL && x->reduce && !x->effect ? x->k : NULL;
    for (int d = 0; k && d < k->ndim; d++)
        if (k->dim[d].kind != DIM_PAR && !size_is(k->dim[d].n, 1)) return false;
    return k && !k->nouter && !stage_convolves(&k->st.at[0]);
}

static int loads(const Kernel *k, int acc) {
    int n = 0;
    for (int i = 0; i < k->ins.n; i++) n += k->ins.at[i].op == INS_LOAD && k->ins.at[i].a == acc;
    return n;
}

/* The same element for all points. */
static bool is_number(const Kernel *k, const Access *a) {
    for (int d = 0; d < k->ndim; d++)
        if (!size_is(a->st[d], 0) && !size_is(k->dim[d].n, 1)) return false;
    return true;
}

/* Both go through their buffers alike. */
static bool as_stored(Planner *p, const Kernel *k, const Access *a, const Access *s) {
    bool same = sizes_same(&p->sizes, a->off, s->off);
    for (int d = 0; d < k->ndim && same; d++)
        same = size_is(k->dim[d].n, 1) || sizes_same(&p->sizes, a->st[d], s->st[d]);
    return same;
}

/* What work w reads lies as what it stores, or is one number, and is the same still when work x runs. */
static bool readable(Planner *p, int w, int x, const Access *s) {
    const Kernel *k = p->work.at[w].k;
    int arrays = 0;
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        if (a == s) continue;
        if (a->flags != ACC_READ || a->idx >= 0 || a->guard >= 0) return false;
        if (group_next_writer(p, a->buf, w) <= x) return false;
        if (is_number(k, a)) continue;
        if (!as_stored(p, k, a, s)) return false;
        arrays++;
    }
    return arrays > 0;
}

/* A few operations, none of which may fail or asks for a position. */
static bool plain(const Kernel *k) {
    for (int i = 0; i < k->ins.n; i++) {
        const int op = k->ins.at[i].op;
        if (op >= INS_LOAD && op != INS_LOAD && op != INS_STORE && op != INS_PARAM && op != INS_CONST &&
            op != INS_SIZE && op != INS_CAST)
            return false;
    }
    return !k->can_fail && !k->nouter && k->ndim > 0 && again_cheap(k);
}

/* The work whose result work x alone looks up through its access a, -1: none. */
static int maker(Planner *p, int x, int a) {
    const Kernel *k = p->work.at[x].k;
    const Access *to = &k->acc.at[a];
    const Root *r = &p->root.at[to->buf];
    if (to->flags != ACC_READ || to->idx < 0 || loads(k, a) != 1) return -1;
    if (r->kind != BUF_TEMP || r->kept || r->written || r->writers != 1) return -1;
    if (p->use0[to->buf + 1] - p->use0[to->buf] != 1) return -1;
    const int w = p->wr[p->wr0[to->buf]];
    const Work *from = &p->work.at[w];
    if (w >= x || !from->point || from->effect || !plain(from->k)) return -1;
    const Access *s = NULL;
    for (int i = 0; i < from->k->acc.n; i++)
        if (from->k->acc.at[i].flags & ACC_WRITE) {
            if (s || from->k->acc.at[i].flags != ACC_WRITE) return -1;
            s = &from->k->acc.at[i];
        }
    bool room = k->acc.n + from->k->acc.n <= KACC && k->ins.n + from->k->ins.n + 2 <= KINS - KACC;
    return room && s && s->buf == to->buf && s->dtype == to->dtype && readable(p, w, x, s) ? w : -1;
}

/* ---- putting it there ---- */
/* The access of x->k that reads what access i of x->w does; *taken: the first array took the looked-up one's place. */
static int take_access(const Windows *x, int i, bool *taken) {
    Access a = x->w->acc.at[i], at = x->k->acc.at[x->acc];
    if (is_number(x->w, &a)) {
        for (int d = 0; d < KDIM; d++) a.st[d] = size_const(0);
        return kernel_access(x->k, a);
    }
    at.buf = a.buf, at.dtype = a.dtype;
    if (*taken) return kernel_access(x->k, at);
    *taken = true;
    x->k->acc.at[x->acc] = at;
    return x->acc;
}

static bool put(Kernel *k, Ins i, const Ins *load) {
    i.depth = load->depth, i.stage = load->stage;
    return vec_push(k->ctx, &k->ins, i);
}

/* The instructions of x->w where `load` was: the value that it stores, 0 where the guard is false; -1 on error. */
static int inlined(const Windows *x, const Ins *load, const int *access, int guard) {
    Kernel *k = x->k;
    const int param = k->param.n, size = k->size.n;
    int v = -1, to[KINS];
    for (int i = 0; i < x->w->param.n; i++)
        if (!vec_push(k->ctx, &k->param, x->w->param.at[i])) return -1;
    for (int i = 0; i < x->w->size.n; i++)
        if (!vec_push(k->ctx, &k->size, x->w->size.at[i])) return -1;
    for (int i = 0; i < x->w->ins.n; i++) {
        Ins n = x->w->ins.at[i];
        to[i] = k->ins.n;
        if (n.op == INS_STORE) {
            v = to[n.b];
            continue;
        }
        if (n.op < INS_LOAD || n.op == INS_CAST) n.a = to[n.a];
        if (n.op < INS_LOAD) {
            if (n.b >= 0) n.b = to[n.b];
            if (n.c >= 0) n.c = to[n.c];
            if (n.d >= 0) n.d = to[n.d];
        }
        if (n.op == INS_LOAD) n.a = access[n.a];
        if (n.op == INS_PARAM) n.a += param;
        if (n.op == INS_SIZE) n.a += size;
        if (!put(k, n, load)) return -1;
    }
    if (guard < 0) return v;
    k->ctx->prov = load->prov;
    const ThDtype d = (ThDtype)load->dtype;
    int zero = ins_literal(k, d, (ThValue){0}, load->depth);
    return zero < 0 ? -1 : ins_op(k, S_switch, d, d, load->depth, guard, v, zero);
}

static int moved(const int *to, int v) { return v < 0 ? v : to[v]; }

static bool compute_there(const Windows *x) {
    Kernel *k = x->k;
    const int n = k->ins.n, guard = k->acc.at[x->acc].guard;
    int to[KINS], access[KACC];
    bool taken = false;
    Ins *old = arena_alloc(x->p->arena, (size_t)n * sizeof *old);
    if (!old) return false;
    memcpy(old, k->ins.at, (size_t)n * sizeof *old);
    for (int i = 0; i < x->w->acc.n; i++) {
        access[i] = x->w->acc.at[i].flags & ACC_WRITE ? -1 : take_access(x, i, &taken);
        if (access[i] < 0 && !(x->w->acc.at[i].flags & ACC_WRITE)) return false;
    }
    k->ins.n = 0;
    for (int i = 0; i < n; i++) {
        Ins one = old[i];
        if (one.op == INS_LOAD && one.a == x->acc) {
            if ((to[i] = inlined(x, &one, access, moved(to, guard))) < 0) return false;
            continue;
        }
        ins_renumber(&one, to);
        to[i] = k->ins.n;
        if (!vec_push(k->ctx, &k->ins, one)) return false;
    }
    k->st.at[0].nins = k->ins.n;
    for (int r = 0; r < k->red.n; r++) k->red.at[r].v = moved(to, k->red.at[r].v);
    for (int a = 0; a < k->acc.n; a++) {
        const Access *m = &k->acc.at[a];
        k->acc.at[a].idx = moved(to, m->idx), k->acc.at[a].guard = moved(to, m->guard);
    }
    return true;
}

bool windows_all(Planner *p, bool *any) {
    *any = false;
    for (int i = 0; i < p->work.n && p->fg->device; i++)
        for (int a = 0; looks_up(&p->work.at[i]) && a < p->work.at[i].k->acc.n; a++) {
            const int w = maker(p, i, a);
            if (w < 0) continue;
            const Windows x = {p, p->work.at[i].k, a, p->work.at[w].k};
            if (!compute_there(&x)) return false;
            *any = true;
            break; /* positions of uses are told again */
        }
    return true;
}
