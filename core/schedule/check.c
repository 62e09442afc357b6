/*
 * check.c -- what a tree must be: everything that it names is there, each way runs every instruction of the kernel
 * once, inside the loops of its depth, in an order in which values are made before they are read, and reductions begin,
 * step and end in theirs.
 */
#include "nest.h"

#include <string.h>

enum { BEGUN = 1, STEPPED = 2, ENDED = 4, JOINED = 8 };

typedef struct Check {
    const Nest *t;
    uint8_t *seen;  /* by value id: runs in this way */
    uint8_t *moved; /* by value id: loaded, or stored, for all neighbours */
    uint8_t *red;   /* by reduction: what has been done with it */
    uint8_t whole;  /* what has been when it is a value */
    uint32_t open;  /* dims whose loops are around */
    bool spread;    /* over a GPU, where what is the same for all is done by all */
    int lanes;      /* neighbours of a point */
    int synced;     /* how often threads have waited for each other */
    bool good;
} Check;

static bool check_new(Check *c, const Nest *t) {
    *c = (Check){.t = t, .whole = BEGUN | STEPPED | ENDED, .good = true};
    c->seen = arena_alloc0(t->arena, (size_t)t->k->ins.n + 1);
    c->moved = arena_alloc0(t->arena, (size_t)t->k->ins.n + 1);
    c->red = arena_alloc0(t->arena, (size_t)t->k->red.n + 1);
    return c->seen && c->moved && c->red;
}

static bool all_done(const Check *c) {
    bool done = true;
    for (int i = 0; i < c->t->k->ins.n; i++) {
        bool together = c->t->way && c->t->way->value[i] & (VALUE_TOGETHER | VALUE_TURNED);
        done &= c->seen[i] && (!together || c->moved[i]);
    }
    for (int r = 0; r < c->t->k->red.n; r++) done &= c->red[r] == c->whole;
    return done;
}

static bool inside(const Check *c, const NestNode *n, int depth, bool shared) {
    const LoopStage *s = &n->way->stage[n->stage];
    uint32_t dims = 0;
    for (int l = 0; l < depth && l < s->nloop; l++) dims |= 1u << s->loop[l];
    return shared ? (c->open & dims) == dims : c->open == dims;
}

static bool value_there(Check *c, int id) {
    const Kernel *k = c->t->k;
    const Ins *i = &k->ins.at[id];
    int v[6], n = ins_reads(k, i, v);
    for (int j = 0; j < n; j++)
        if (!c->seen[v[j]]) return false;
    return i->op != INS_RED || c->red[i->a] == c->whole;
}

static bool code(Check *c, const NestNode *n) {
    if (n->n < 1) return false;
    for (int j = 0; j < n->n; j++) {
        int id = n->ids[j];
        if (id < 0 || id >= c->t->k->ins.n || c->seen[id] || !value_there(c, id)) return false;
        if (!inside(c, n, c->t->k->ins.at[id].depth, c->spread)) return false;
        if ((n->way->value[id] & VALUE_STREAM) && (n->way != c->t->way || !stream_may(c->t, id))) return false;
        bool brought = n->way->value[id] & (VALUE_TOGETHER | VALUE_TURNED);
        if (brought && c->t->k->ins.at[id].op == INS_LOAD && !c->moved[id]) return false;
        c->seen[id] = 1;
    }
    return true;
}

static bool acc(Check *c, const NestNode *n) {
    static const uint8_t before[] = {0, BEGUN, BEGUN | STEPPED, BEGUN | STEPPED | ENDED, BEGUN | STEPPED},
                         after[] = {BEGUN, STEPPED, ENDED, JOINED, ENDED};
    for (int r = n->first; r < n->first + n->n; r++) {
        if (r < 0 || r >= c->t->k->red.n || c->red[r] != before[n->how]) return false;
        const Red *d = &c->t->k->red.at[r];
        if (n->how == ACC_STEP && !c->seen[d->v]) return false;
        if (!inside(c, n, n->how == ACC_STEP ? LOOPS : d->depth, false)) return false;
        c->red[r] |= after[n->how];
    }
    return true;
}

/* Loads before what they are for, stores behind it, between the loop over the grid and that over its lanes. */
static bool turn(Check *c, const NestNode *n) {
    int id = n->first;
    if (id < 0 || id >= c->t->k->ins.n || c->moved[id] || c->seen[id] || !c->t->tiled) return false;
    if (!(n->way->value[id] & VALUE_TURNED) || !turn_load(c->t, id, c->t->turned)) return false;
    const LoopStage *s = &n->way->stage[n->stage];
    uint32_t tile = 1u << s->loop[c->t->turned] | 1u << s->loop[s->nloop - 1];
    c->moved[id] = 1;
    return c->spread && !(c->open & tile) && c->synced == 0;
}

static bool move(Check *c, const NestNode *n) {
    if (n->how == MOVE_TURN) return turn(c, n);
    if (n->how != MOVE_LOAD && n->how != MOVE_STORE) return true;
    int id = n->first;
    if (id < 0 || id >= c->t->k->ins.n || c->moved[id] || !(n->way->value[id] & VALUE_TOGETHER)) return false;
    bool load = c->t->k->ins.at[id].op == INS_LOAD;
    if (load != (n->how == MOVE_LOAD) || !neighbours_together(c->t, id) || load == c->seen[id]) return false;
    if (!inside(c, n, c->t->k->ins.at[id].depth - 1, true) || (load && !value_there(c, id))) return false;
    c->moved[id] = 1;
    return true;
}

/* Points of several loops, opened together; with neighbours, the last one stands inside. */
static bool points(Check *c, const NestNode *n) {
    const LoopStage *s = &n->way->stage[n->stage];
    if (n->loop < 0 || n->loop + n->n > s->nloop) return false;
    for (int l = n->loop; l < n->loop + n->n - (n->lanes > 1); l++) c->open |= 1u << s->loop[l];
    if (n->how == FOR_GRID && c->t->tiled) c->open &= ~(1u << s->loop[c->t->turned] | 1u << s->loop[s->nloop - 1]);
    c->lanes = n->lanes;
    c->spread = true;
    return n->lanes == 1 || n->n > 0;
}

/* All have come, and wait for each other before the next ones do. */
static bool tile(Check *c, const NestNode *n) {
    const LoopStage *s = &n->way->stage[n->stage];
    uint32_t dims = 1u << s->loop[c->t->turned] | 1u << s->loop[s->nloop - 1];
    bool good = c->t->tiled && n->loop == c->t->turned && c->synced == 1 && !(c->open & dims);
    c->open |= dims;
    return good && n->next && n->next->kind == NEST_SYNC;
}

static bool vectors(Check *c, const NestNode *n) {
    if (n->stage < 0 || n->way->stage[n->stage].st->vec != n->dim || n->way->lanes[n->stage] != n->lanes) return false;
    if (n->far && (!n->jam || !columns_may_far(c->t, n))) return false;
    return (!n->copy || copy_may(c->t, n)) && (!n->seek || seek_may(c->t, n)) && (!n->jam || columns_may(c->t, n));
}

/* Elements along a vector's dim are counted where accumulators lie along it. */
static bool serial(const Check *c, const NestNode *n) {
    const LoopStage *s = n->stage < 0 ? NULL : &n->way->stage[n->stage];
    return n->lanes == 1 && n->vectors == 1 && !(s && s->st->nred && s->st->vec == n->dim && red_in_lanes(c->t->k, s));
}

static bool loop(Check *c, const NestNode *n) {
    if (n->dim < 0 || (n->dim && n->dim >= c->t->k->ndim) || n->lanes < 1 || n->vectors < 1) return false;
    if (n->how == FOR_GRID || n->how == FOR_THREAD) return points(c, n);
    if (n->how == FOR_TILE) return tile(c, n);
    if (n->how == FOR_PIECE || n->how == FOR_BLOCK) return !n->dim && !c->open; /* its loop stands inside */
    if (n->how == FOR_LANES && (n->lanes != c->lanes || n->lanes == 1)) return false;
    if ((n->how == FOR_VECTOR && !vectors(c, n)) || (n->how == FOR_SERIAL && !serial(c, n))) return false;
    if (c->open >> n->dim & 1) return false;
    c->open |= 1u << n->dim;
    if (n->how == FOR_FLAT) c->open |= 2;
    return n->stage < 0 || n->way->stage[n->stage].loop[n->loop] == n->dim;
}

/* Points of a product, whose factors are made where they are read. */
static void product(Check *c, const Contract *x) {
    c->spread = true;
    for (int d = 0; d < x->nbatch; d++) c->open |= 1u << x->batch[d];
    for (int i = 0; i < 2; i++) {
        for (int d = 0; d < x->side_n[i]; d++) c->open |= 1u << x->side_dim[i][d];
        for (int j = 0; j < x->side[i].n; j++)
            if (c->t->k->ins.at[x->side[i].ids[j]].depth > x->points) c->seen[x->side[i].ids[j]] = 1;
    }
    if (x->red < 0) return;
    c->seen[x->product] = 1;
    c->red[x->red] = c->whole;
}

/* A product of the host stands in the outer loops, or does them itself. */
static bool outer_loops(const Check *c, const NestNode *n) {
    const uint32_t outer = (1u << c->t->k->nouter) - 1;
    if (n->way->stage[n->stage].st->cls != STAGE_GEMM) return !n->share;
    return n->share ? !(c->open & outer) && split_batch_may(c->t) : (c->open & outer) == outer;
}

static void nodes(Check *c, const NestNode *n);

/* A way is the whole kernel; what follows it starts anew. */
static void way(Check *c, const NestNode *n) {
    Check inner;
    if (!check_new(&inner, c->t)) {
        c->good = false;
        return;
    }
    memcpy(inner.seen, c->seen, (size_t)c->t->k->ins.n);
    memcpy(inner.moved, c->moved, (size_t)c->t->k->ins.n);
    nodes(&inner, n);
    c->good &= inner.good && all_done(&inner);
}

static void nodes(Check *c, const NestNode *n) {
    for (; n && c->good; n = n->next) {
        uint32_t open = c->open;
        bool spread = c->spread;
        if (n->kind == NEST_WAY) {
            way(c, n->child);
            continue;
        }
        if (n->kind == NEST_CODE) c->good &= code(c, n);
        if (n->kind == NEST_ACC) c->good &= acc(c, n);
        if (n->kind == NEST_MOVE) c->good &= move(c, n);
        if (n->kind == NEST_FOR) c->good &= loop(c, n);
        c->synced += n->kind == NEST_SYNC;
        if (n->kind == NEST_CALL && !c->t->target->multiprocessors) c->good &= outer_loops(c, n);
        if (n->kind == NEST_CALL && c->t->grid == GRID_TILES) product(c, c->t->contract);
        if (n->kind == NEST_CALL && c->t->grid == GRID_DRAW) { /* its numbers */
            const Stage *s = n->way->stage[n->stage].st;
            c->open |= s->nd ? 1u << s->d0 : 0;
            c->spread = true;
        }
        nodes(c, n->child);
        c->open = open;
        c->spread = spread;
    }
}

/* The checks that pieces leave out stand before them, with what they read, which the pieces compute again. */
bool nest_check(const Nest *t) {
    Check c;
    if (!check_new(&c, t)) return false;
    const NestNode *n = t->root;
    if (t->parts) c.whole |= JOINED;
    for (const NestNode *x = n; x; x = x->next)
        if (x->kind == NEST_FOR && x->how == FOR_BLOCK) c.whole |= JOINED;
    if (n && n->kind == NEST_CODE && n->next && n->next->kind == NEST_FOR && n->next->how == FOR_PIECE) {
        c.good = code(&c, n);
        for (int i = 0; i < t->k->ins.n; i++) c.seen[i] = c.seen[i] && t->k->ins.at[i].op == INS_FAIL_IF;
        n = n->next;
    }
    nodes(&c, n);
    return c.good && all_done(&c);
}
