/*
 * contract.c -- is a kernel a sum of products whose factors see different dims? Then it is a product of two matrices,
 * whatever its dtype: rows are the points of dims that the first factor alone sees, columns those of the second one,
 * along `deep` is summed, and dims that both (or none) see number matrices. Products, convolutions and their gradients
 * are; a convolution's second factor is an image looked at through a window.
 * In: a kernel and its order. Out: which dims are which, and the instructions that make each factor.
 */
#include "ops/table/ops.h"
#include "nest.h"

typedef struct Find {
    const Kernel *k;
    const LoopStage *s;
    int npar; /* loops around the sum */
    Contract *out;
} Find;

static int product_of(const Find *f) {
    const Kernel *k = f->k;
    const Red *r = &k->red.at[f->s->st->red0];
    const Ins *v = &k->ins.at[r->v];
    bool whole = r->kind == RED_SUM && r->depth == f->npar && v->depth == f->s->nloop && v->op == S_mul;
    bool plain = v->dtype == r->acc_dtype && v->in_dtype == r->acc_dtype && v->c < 0 && v->dtype != TH_BOOL;
    return whole && plain ? r->v : -1;
}

static bool own_point(const Kernel *k, const Ins *i, int npar) {
    const Access *a = &k->acc.at[i->a];
    return i->depth == npar && a->idx < 0 && !(a->flags & ACC_ADD);
}

/* Parallel loops, then reduced ones; nothing is stored but at each point. */
static bool loops(Find *f) {
    const Kernel *k = f->k;
    while (f->npar < f->s->nloop && k->dim[f->s->loop[f->npar]].kind == DIM_PAR) f->npar++;
    for (int l = f->npar; l < f->s->nloop; l++)
        if (k->dim[f->s->loop[l]].kind != DIM_RED) return false;
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && !own_point(k, &k->ins.at[i], f->npar)) return false;
    return f->npar >= 2 && f->npar < f->s->nloop;
}

/* Marks what value v is made of; the dims that it sees. */
static uint64_t gather(const Kernel *k, int v, uint8_t *mark) {
    uint64_t dims = 0;
    mark[v] = 1;
    for (int id = v; id >= 0; id--) {
        const Ins *i = &k->ins.at[id];
        int reads[6], n = mark[id] ? ins_reads(k, i, reads) : 0;
        for (int j = 0; j < n; j++) mark[reads[j]] = 1;
        if (mark[id] && i->op == INS_INDEX) dims |= (uint64_t)1 << i->a;
        for (int d = 0; mark[id] && i->op == INS_LOAD && d < k->ndim; d++)
            if (!size_is(k->acc.at[i->a].st[d], 0)) dims |= (uint64_t)1 << d;
    }
    return dims;
}

/* Instructions inside of loops, in order; those around all of them have run. */
static bool list(const Find *f, const uint8_t *mark, Arena *a, ContractSide *to) {
    const Kernel *k = f->k;
    int *ids = arena_alloc(a, sizeof *ids * (size_t)(k->ins.n + 1));
    if (!ids) return false;
    to->ids = ids;
    for (int id = 0; id < k->ins.n; id++)
        if (mark[id] && k->ins.at[id].depth > 0) ids[to->n++] = id;
    return true;
}

static bool steps_by_one(const Access *a, int d) { return size_is(a->st[d], 1); }

/* Whether neighbours along the last of `deep`, and not along the last row (column), lie side by side. */
static bool lies_deep(const Kernel *k, const Contract *c, const ContractSide *s, int side) {
    int deep = c->deep[c->ndeep - 1], other = c->side_dim[side][c->side_n[side] - 1];
    bool along = false, across = false;
    for (int j = 0; j < s->n; j++) {
        const Ins *i = &k->ins.at[s->ids[j]];
        if (i->op != INS_LOAD) continue;
        along |= steps_by_one(&k->acc.at[i->a], deep);
        across |= steps_by_one(&k->acc.at[i->a], other);
    }
    if (s->access >= 0)
        along = steps_by_one(&k->acc.at[s->access], deep), across = steps_by_one(&k->acc.at[s->access], other);
    return along && !across;
}

static void turn(Contract *c) {
    Contract was = *c;
    for (int i = 0; i < 2; i++) {
        c->side[i] = was.side[!i];
        c->side_n[i] = was.side_n[!i];
        for (int d = 0; d < was.side_n[!i]; d++) c->side_dim[i][d] = was.side_dim[!i][d];
    }
}

/* Columns hold the last loop, along which results lie side by side. */
static bool share_out(const Find *f, const uint64_t dims[2]) {
    Contract *c = f->out;
    int last = f->s->loop[f->npar - 1];
    for (int l = 0; l < f->s->nloop; l++) {
        int d = f->s->loop[l];
        bool in[2] = {dims[0] >> d & 1, dims[1] >> d & 1};
        if (l >= f->npar) c->deep[c->ndeep++] = (int8_t)d;
        else if (in[0] == in[1]) c->batch[c->nbatch++] = (int8_t)d;
        else c->side_dim[in[1]][c->side_n[in[1]]++] = (int8_t)d;
    }
    if (!c->side_n[0] || !c->side_n[1]) return false;
    if (c->side_dim[0][c->side_n[0] - 1] == last) turn(c);
    return true;
}

/* Factors that are loaded as they lie; what follows the sum. */
static void convolution(const Find *f, int product) {
    const Kernel *k = f->k;
    Contract *c = f->out;
    const int v[2] = {k->ins.at[product].a, k->ins.at[product].b};
    int behind = 0, store = -1;
    if (!stage_convolves(f->s->st) || !dtype_is_float((ThDtype)c->dtype)) return;
    for (int i = 0; i < 2; i++)
        if (k->ins.at[v[i]].op != INS_LOAD || k->acc.at[k->ins.at[v[i]].a].dtype != c->dtype) return;
    for (int i = 0; i < 2; i++) c->factor[i] = k->ins.at[v[i]].a;
    for (int i = product + 1; i < k->ins.n; i++) {
        const Ins *n = &k->ins.at[i];
        if (n->op == INS_RED) continue;
        behind++;
        if (n->op == INS_STORE && k->ins.at[n->b].op == INS_RED && k->acc.at[n->a].dtype == c->dtype) store = n->a;
    }
    if (behind == 1) c->alone = store;
}

static bool loop_product(Find *f, Arena *a) {
    const Kernel *k = f->k;
    const Stage *st = f->s->st;
    if (st->nred != 1 || !loops(f)) return false;
    int v = product_of(f);
    if (v < 0) return false;
    uint8_t *mark[2] = {arena_alloc0(a, (size_t)k->ins.n + 1), arena_alloc0(a, (size_t)k->ins.n + 1)};
    if (!mark[0] || !mark[1]) return false;
    const int factor[2] = {k->ins.at[v].a, k->ins.at[v].b};
    uint64_t dims[2];
    for (int i = 0; i < 2; i++) dims[i] = gather(k, factor[i], mark[i]);
    for (int id = 0; id < k->ins.n; id++) /* all of the work inside is the factors' */
        if (k->ins.at[id].depth > f->npar && id != v && !mark[0][id] && !mark[1][id]) return false;
    Contract *c = f->out;
    for (int i = 0; i < 2; i++) {
        c->side[i].value = factor[i];
        c->side[i].access = -1;
        if (!list(f, mark[i], a, &c->side[i])) return false;
    }
    c->red = st->red0, c->product = v;
    c->dtype = k->red.at[st->red0].acc_dtype;
    convolution(f, v);
    return share_out(f, dims);
}

/* A product alone, but for factors computed before it. */
bool contract_stage(const Kernel *k, Contract *c) {
    int last = k->st.n - 1;
    const Stage *g = &k->st.at[last];
    ThDtype d = (ThDtype)k->acc.at[g->C].dtype;
    *c = (Contract){.red = -1, .product = -1, .factor = {-1, -1}, .alone = -1, .dtype = (uint8_t)d};
    uint8_t a = k->acc.at[g->A].dtype, b = k->acc.at[g->B].dtype;
    if (k->can_fail || g->nred || a != b) return false;
    if (d == TH_FLOAT32 && dtype_is_half((ThDtype)a)) c->half = a;
    else if (a != d) return false;
    for (int i = 0; i < last; i++)
        if (k->st.at[i].cls != STAGE_LOOP || k->st.at[i].nd || k->st.at[i].nred) return false;
    for (int i = 0; i < k->ins.n; i++)
        if ((k->ins.at[i].op == INS_STORE && k->ins.at[i].stage != last) || (k->nouter && k->ins.at[i].stage != last))
            return false;
    for (int o = 0; o < k->nouter; o++) {
        if (k->dim[o].kind != DIM_PAR) return false;
        c->batch[c->nbatch++] = (int8_t)o;
    }
    for (int i = 0; i < 2; i++) {
        c->side_dim[i][0] = (int8_t)(g->d0 + i);
        c->side_n[i] = 1;
        c->side[i] = (ContractSide){.access = i ? g->B : g->A, .value = -1};
    }
    c->deep[c->ndeep++] = (int8_t)(g->d0 + 2);
    return true;
}

bool contract_of(const Kernel *k, const KernelOrder *o, Arena *a, Contract *out) {
    *out = (Contract){.red = -1, .product = -1, .factor = {-1, -1}, .alone = -1};
    if (k->can_fail || !k->st.n) return false;
    for (int i = 0; i < k->acc.n; i++)
        if (k->acc.at[i].flags & ACC_ROWTEMP) return false;
    Find f = {.k = k, .s = &o->stage[0], .out = out};
    bool stage = k->st.at[k->st.n - 1].cls == STAGE_GEMM, loop = k->st.n == 1 && k->st.at[0].cls == STAGE_LOOP;
    bool good = stage ? contract_stage(k, out) : loop && loop_product(&f, a);
    out->points = out->nbatch + out->side_n[0] + out->side_n[1];
    for (int i = 0; good && i < 2; i++) out->side[i].deep = lies_deep(k, out, &out->side[i], i);
    return good;
}
