/*
 * feeds.c -- a convolution whose result only a pooling reads becomes one kernel with it: some images at a time, so that
 * what is pooled is never there as a whole. In: the kernels of all groups, in order. Out: the same, those of such pairs
 * put together where the pooling ran. Always holds: nothing that the convolution's kernel reads is written before it
 * runs now.
 */
#include "kernel/conv_work.h"
#include "plan/parts.h"

typedef struct Feeds {
    Planner *p;
    int *of;   /* by root: 1 + the kernel (in `made`) of the convolution that leaves it, 0 none */
    int *into; /* by kernel: 1 + that of the pooling that it goes to, 0 none */
    int *from; /* ..the other way round */
} Feeds;

static const Stage *call_of(const Made *m, StageClass cls) {
    const Stage *s = m->k && m->k->st.n == 1 ? &m->k->st.at[0] : NULL;
    return s && s->cls == cls ? s : NULL;
}

static int exec_of(const Planner *p, const Made *m) { return p->group.at[m->group].exec; }

/* Live members of groups that read root r. */
static int readers(const Planner *p, int r) {
    int n = 0;
    for (int u = p->use0[r]; u < p->use0[r + 1]; u++) {
        const Work *w = &p->work.at[p->use[u].work];
        for (int m = w->live ? w->members : -1; m >= 0; m = p->member.at[m].next_of_work) n++;
    }
    return n;
}

/* The pooling's images are the whole of the convolution's result. */
static bool whole(Planner *p, const Kernel *conv, const Stage *c, const Kernel *pool, const Stage *s) {
    const Size *from = &conv->size.at[c->num0], *to = &pool->size.at[s->num0];
    if (!size_is(from[CONV_AT_NDIM], 2) || !size_is(conv->acc.at[c->C].off, 0)) return false;
    bool same = size_is(pool->acc.at[s->A].off, 0) && sizes_same(&p->sizes, from[CONV_AT_IMAGES], to[POOL_AT_IMAGES]) &&
                sizes_same(&p->sizes, from[CONV_AT_FILTERS], to[POOL_AT_CHANNELS]);
    for (int d = 0; d < 2; d++)
        same = same && sizes_same(&p->sizes, from[CONV_AT_OUT + CONV_AT_EACH * d], to[POOL_AT_IN + POOL_AT_EACH * d]);
    return same;
}

static bool uses(const Kernel *k, int root, int flag, int but) {
    for (int a = 0; a < k->acc.n; a++)
        if (a != but && k->acc.at[a].buf == root && (k->acc.at[a].flags & flag)) return true;
    return false;
}

/* The convolution's kernel writes nothing else and may run as late as the pooling, both image by image. */
static bool apart(const Planner *p, const Made *conv, const Made *pool) {
    const Kernel *k = conv->k;
    int now = exec_of(p, conv), later = exec_of(p, pool), fed = k->acc.at[k->st.at[0].C].buf;
    for (int a = 0; a < k->acc.n; a++) {
        const Access *x = &k->acc.at[a];
        if ((x->buf == fed) == !(x->flags & ACC_WRITE)) return false;
        if (x->buf != fed && uses(pool->k, x->buf, ACC_WRITE, -1)) return false;
        if ((x->flags & ACC_READ) && group_next_writer(p, x->buf, now) <= later) return false;
    }
    return true;
}

static bool room(const Kernel *a, const Kernel *b) {
    enum { ACCESSES = KACC + 8 }; /* what executors hold */
    return a->ins.n + b->ins.n <= KINS && a->acc.n + b->acc.n <= ACCESSES && a->ndim + b->ndim <= KDIM;
}

static bool may(Planner *p, const Made *conv, const Made *pool) {
    const Stage *c = call_of(conv, STAGE_CONV), *s = call_of(pool, STAGE_POOL);
    int root = pool->k->acc.at[s->A].buf;
    const Root *r = &p->root.at[root];
    if (r->kind != BUF_TEMP || r->kept || r->writers != 1 || r->written || readers(p, root) != 1) return false;
    if (c->nins && !kernel_tiles(conv->k, 0)) return false;
    if (group_writes_foreign(p, pool->group) && conv->k->can_fail) return false;
    return !uses(pool->k, root, ACC_READ | ACC_WRITE, s->A) && whole(p, conv->k, c, pool->k, s) &&
           room(conv->k, pool->k) && apart(p, conv, pool);
}

static void find(Feeds *f) {
    Planner *p = f->p;
    for (int i = 0; i < p->made.n; i++) {
        const Made *m = &p->made.at[i];
        const Stage *c = call_of(m, STAGE_CONV), *s = call_of(m, STAGE_POOL);
        if (c) f->of[m->k->acc.at[c->C].buf] = i + 1;
        int conv = s ? f->of[m->k->acc.at[s->A].buf] - 1 : -1;
        if (conv >= 0 && may(p, &p->made.at[conv], m)) f->into[conv] = i + 1, f->from[i] = conv + 1;
    }
}

/* Both as the kernel of the first: what passes between them has no memory. */
static bool join(Planner *p, Made *conv, Made *pool) {
    Root *r = &p->root.at[pool->k->acc.at[pool->k->st.at[0].A].buf];
    if (!stages_append(p, conv->k, pool->k, 0)) return false;
    conv->k->st.at[0].feeds = true;
    kernel_free(pool->k);
    pool->k = NULL;
    conv->nstages = 2, pool->nstages = 0;
    if (!(r->shape = arena_alloc(p->arena, sizeof *r->shape))) return false;
    r->size = r->shape[0] = size_const(0);
    r->ndim = 1;
    r->gone = true;
    return true;
}

/* Each convolution right before its pooling; *pair: by position there, is it one. */
static bool reorder(Feeds *f, uint8_t *pair) {
    Planner *p = f->p;
    int n = p->made.n, to = 0;
    Made *made = arena_alloc(p->arena, (size_t)(n + 1) * sizeof *made);
    if (!made) return false;
    for (int i = 0; i < n; i++) {
        if (f->into[i]) continue;
        if (f->from[i]) pair[to] = 1, made[to++] = p->made.at[f->from[i] - 1];
        made[to++] = p->made.at[i];
    }
    if (n) memcpy(p->made.at, made, (size_t)n * sizeof *made);
    return true;
}

bool feeds_all(Planner *p) {
    int n = p->made.n;
    Feeds f = {.p = p, .of = arena_alloc0(p->arena, (size_t)(p->root.n + 2 * n + 1) * sizeof(int))};
    uint8_t *pair = arena_alloc0(p->arena, (size_t)n + 1);
    if (!f.of || !pair) return false;
    f.into = f.of + p->root.n, f.from = f.into + n;
    find(&f);
    if (!reorder(&f, pair)) return false;
    for (int i = 0; i < n; i++)
        if (pair[i] && !join(p, &p->made.at[i], &p->made.at[i + 1])) return false;
    return true;
}
