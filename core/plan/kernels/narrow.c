/*
 * narrow.c -- for a device: what is rounded to a half and read by products and loops alone is kept as that half. In:
 * fused kernels, of which some, as mixed precision writes them, store float32 made of casts from a half. Out: the same
 * kernels; what they stored so has half the bytes, loops that load it cast it, and products of two of them, whose sums
 * are float32, run on tensor cores (backend_cuda/cores.c) or by the library. Always holds: both factors of a product
 * are of one half, or neither is; no value changes, since the half's bits are what the cast had.
 */
#include "kernel/order.h"
#include "plan/parts.h"

#include <string.h>

typedef struct Narrow {
    Planner *p;
    uint8_t *to; /* by root: the half that it may be kept as, 0 for none */
    uint8_t *stored;
} Narrow;

/* Ours, float32, and stored, once or part by part. */
static bool own(const Root *r) {
    return r->kind == BUF_TEMP && r->dtype == TH_FLOAT32 && r->writers > 0 && !r->kept && !r->gone && !r->rowtemp;
}

/* Something reads through the access that wants float32 where it lies: calls but products, and what a library may take
 * for a convolution. */
static bool is_wanted(const Kernel *k, int acc) {
    for (int s = 0; s < k->st.n; s++) {
        const Stage *st = &k->st.at[s];
        if (stage_calls(st) && st->cls != STAGE_GEMM && (st->A == acc || st->B == acc)) return true;
        for (int i = st->ins0; stage_convolves(st) && i < st->ins0 + st->nins; i++)
            if (k->ins.at[i].op == INS_LOAD && k->ins.at[i].a == acc) return true;
    }
    return false;
}

/* The half that all stores through an access round to, or 0. */
static uint8_t rounded(const Kernel *k, int acc) {
    uint8_t d = 0;
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *n = &k->ins.at[i];
        if (n->op == INS_LOAD && n->a == acc) return 0;
        if (n->op != INS_STORE || n->a != acc) continue;
        const Ins *v = &k->ins.at[n->b];
        if (v->op != INS_CAST || !dtype_is_half((ThDtype)v->in_dtype) || (d && d != v->in_dtype)) return 0;
        d = v->in_dtype;
    }
    return d;
}

static bool written_by_call(const Kernel *k, int acc) {
    for (int s = 0; s < k->st.n; s++)
        if (k->st.at[s].cls != STAGE_LOOP && k->st.at[s].C == acc) return true;
    return false;
}

/* What one kernel does with its roots. */
static void look(Narrow *x, const Kernel *k) {
    for (int a = 0; a < k->acc.n; a++) {
        const Access *c = &k->acc.at[a];
        bool writes = c->flags & (ACC_WRITE | ACC_ADD);
        uint8_t d = writes && (c->flags & ~ACC_PART) == ACC_WRITE && !written_by_call(k, a) ? rounded(k, a) : 0;
        bool other = writes && x->stored[c->buf] && x->stored[c->buf] != d;
        if (writes) x->stored[c->buf] = d;
        if (writes ? d == 0 || other : is_wanted(k, a)) x->to[c->buf] = 0;
        if (writes && x->to[c->buf]) x->to[c->buf] = d;
    }
}

/* Loads that a cast is to follow. */
static int loads(const Narrow *x, const Kernel *k) {
    int n = 0;
    for (int i = 0; i < k->ins.n; i++) n += k->ins.at[i].op == INS_LOAD && x->to[k->acc.at[k->ins.at[i].a].buf];
    return n;
}

/* Casts have room. */
static void fit(Narrow *x, const Kernel *k) {
    if (k->ins.n + loads(x, k) <= KINS) return;
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_LOAD) x->to[k->acc.at[k->ins.at[i].a].buf] = 0;
}

/* Hosts, bodies and lengths read whole arrays. */
static void others(Narrow *x) {
    Planner *p = x->p;
    for (int r = 0; r < p->root.n; r++)
        for (int u = p->use0[r]; u < p->use0[r + 1]; u++)
            if (p->use[u].acc < 0) x->to[r] = 0;
}

/* Both factors alike, or neither. True: nothing had to change. */
static bool alike(Narrow *x) {
    Planner *p = x->p;
    bool same = true;
    for (int i = 0; i < p->made.n; i++) {
        const Kernel *k = p->made.at[i].k;
        for (int s = 0; k && s < k->st.n; s++) {
            const Stage *st = &k->st.at[s];
            if (st->cls != STAGE_GEMM) continue;
            int a = k->acc.at[st->A].buf, b = k->acc.at[st->B].buf;
            if (x->to[a] == x->to[b] && k->acc.at[st->C].dtype == TH_FLOAT32) continue;
            same &= !x->to[a] && !x->to[b];
            x->to[a] = x->to[b] = 0;
        }
    }
    return same;
}

/* Takes the instruction that had number i, a cast behind it where it loads a half now. */
static bool take(const Narrow *x, Kernel *k, Ins n, int *to, int i) {
    const uint8_t half = n.op == INS_LOAD ? x->to[k->acc.at[n.a].buf] : 0;
    ins_renumber(&n, to);
    to[i] = k->ins.n + (half != 0);
    if (half) n.dtype = n.in_dtype = half;
    Ins cast = n;
    cast.op = INS_CAST, cast.dtype = TH_FLOAT32, cast.a = k->ins.n;
    return vec_push(k->ctx, &k->ins, n) && (!half || vec_push(k->ctx, &k->ins, cast));
}

static int moved(const int *to, int v) { return v < 0 ? v : to[v]; }

static bool widen(const Narrow *x, Kernel *k) {
    const size_t n = (size_t)k->ins.n;
    Ins *old = arena_alloc(x->p->arena, n * sizeof *old + 1);
    int *to = arena_alloc(x->p->arena, n * sizeof *to + 1);
    bool ok = old && to;
    if (ok) memcpy(old, k->ins.at, n * sizeof *old);
    k->ins.n = 0;
    for (int s = 0; s < k->st.n; s++) {
        Stage *st = &k->st.at[s];
        const int first = st->ins0, last = first + st->nins;
        st->ins0 = k->ins.n;
        for (int i = first; ok && i < last; i++) ok = take(x, k, old[i], to, i);
        st->nins = k->ins.n - st->ins0;
        if (ok && st->cls == STAGE_GEMM) st->alpha = moved(to, st->alpha), st->beta = moved(to, st->beta);
    }
    for (int r = 0; ok && r < k->red.n; r++) k->red.at[r].v = to[k->red.at[r].v];
    for (int a = 0; ok && a < k->acc.n; a++) {
        Access *c = &k->acc.at[a];
        c->idx = moved(to, c->idx), c->guard = moved(to, c->guard);
    }
    return ok;
}

static void change(const Narrow *x, Kernel *k) {
    for (int i = 0; i < k->ins.n; i++) {
        Ins *n = &k->ins.at[i];
        if (n->op == INS_STORE && x->to[k->acc.at[n->a].buf]) n->b = k->ins.at[n->b].a;
    }
    for (int a = 0; a < k->acc.n; a++)
        if (x->to[k->acc.at[a].buf]) k->acc.at[a].dtype = x->to[k->acc.at[a].buf];
}

/* The casts that nobody reads any more go with the rest. */
static bool tidy(const Narrow *x, Kernel *k) {
    bool any = false;
    for (int a = 0; a < k->acc.n; a++) any |= x->to[k->acc.at[a].buf] && (k->acc.at[a].flags & ACC_WRITE);
    if (!any) return true;
    uint8_t *none = arena_alloc0(x->p->arena, (size_t)k->acc.n + 1);
    return none && kernel_drop(x->p, k, none);
}

bool narrow_all(Planner *p) {
    enum { ROUNDS = 16 };
    int n = p->root.n, rounds = 0;
    if (!p->fg->device) return true;
    Narrow x = {.p = p, .to = arena_alloc0(p->arena, 2 * (size_t)n + 2)};
    if (!x.to) return false;
    x.stored = x.to + n + 1;
    for (int r = 0; r < n; r++) x.to[r] = own(&p->root.at[r]) ? TH_FLOAT32 : 0;
    for (int i = 0; i < p->made.n; i++)
        if (p->made.at[i].k) look(&x, p->made.at[i].k);
    for (int i = 0; i < p->made.n; i++)
        if (p->made.at[i].k) fit(&x, p->made.at[i].k);
    others(&x);
    for (int r = 0; r < n; r++) /* what no kernel stores */
        if (!x.stored[r]) x.to[r] = 0;
    while (rounds < ROUNDS && !alike(&x)) rounds++;
    if (rounds == ROUNDS) return true;
    bool ok = true;
    for (int i = 0; ok && i < p->made.n; i++) {
        if (!p->made.at[i].k) continue;
        ok = !loads(&x, p->made.at[i].k) || widen(&x, p->made.at[i].k);
        change(&x, p->made.at[i].k);
        ok = ok && tidy(&x, p->made.at[i].k);
    }
    for (int r = 0; r < n; r++)
        if (x.to[r]) p->root.at[r].dtype = x.to[r];
    return ok;
}
