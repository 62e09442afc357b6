/*
 * eval.c -- the loops of a Nest. What stands between braces in C is a scope here: its values are gone behind it.
 */
#include "eval.h"
#include "schedule/choose.h"

#include <stdarg.h>
#include <string.h>

bool eval_wrong(Eval *e, const char *format, ...) {
    va_list ap;
    if (e->end != EVAL_OK) return false;
    e->end = EVAL_WRONG;
    va_start(ap, format);
    vsnprintf(e->why, sizeof e->why, format, ap);
    va_end(ap);
    return false;
}

int eval_pick(Eval *e, int n) {
    e->seed = e->seed * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((e->seed >> 33) % (uint64_t)n);
}

int64_t eval_size(const Eval *e, Size s) { return size_value(s, e->sym); }

/* ---- scopes ---- */
static void leave(Eval *e, int mark) {
    while (e->nmade > mark) e->value[e->made[--e->nmade]].there = false;
}

static bool nodes(Eval *e, const NestNode *n);

static bool scope(Eval *e, const NestNode *n) {
    int mark = e->nmade;
    bool ok = nodes(e, n);
    leave(e, mark);
    return ok;
}

static void at(Eval *e, const NestNode *n) {
    e->way = n->way;
    if (n->stage < 0) return;
    e->s = &n->way->stage[n->stage];
    e->lanes = n->way->lanes[n->stage];
}

static bool leaf(Eval *e, const NestNode *n) {
    at(e, n);
    if (n->kind == NEST_CODE) return eval_code(e, n->ids, n->n, n->share);
    if (n->kind == NEST_ACC) return (e->beyond && n->how == ACC_STEP) || eval_acc(e, n);
    if (n->kind == NEST_MOVE) return eval_move(e, n);
    if (n->kind == NEST_SYNC) e->epoch++;
    return true;
}

/* ---- a loop by vectors ---- */
static bool body(Eval *e, const NestNode *n, int64_t i, int64_t m) {
    e->i[n->dim] = i;
    e->tail = m >= 0;
    e->m = m;
    bool ok = scope(e, n->child);
    e->tail = false;
    return ok;
}

static bool bulk(Eval *e, const NestNode *n) {
    int64_t *j = &e->j[n->dim], step = n->vectors * n->lanes;
    if (!eval_turns(e, n, true)) return false;
    for (*j = 0; *j + step <= e->n[n->dim]; *j += step)
        for (e->vector = 0; e->vector < n->vectors; e->vector++)
            if (!body(e, n, *j + e->vector * n->lanes, -1)) return false;
    e->vector = -1;
    return true;
}

static bool masked_rest(Eval *e, const NestNode *n) {
    int64_t left = e->n[n->dim] - e->j[n->dim];
    for (e->vector = 0; e->vector < n->vectors; e->vector++) {
        int64_t m = left - e->vector * n->lanes;
        if (m > 0 && !body(e, n, e->j[n->dim] + e->vector * n->lanes, m < n->lanes ? m : n->lanes)) return false;
    }
    e->vector = -1;
    return true;
}

/* What is between the loops within, vector after vector. */
static bool together(Eval *e, const NestNode *loop, const NestNode *n) {
    int dim = loop->dim, outer = e->nmade;
    while (n) {
        const NestNode *end = n;
        bool begins = n->kind == NEST_ACC && n->how == ACC_BEGIN;
        if (n->kind == NEST_FOR) {
            e->in[n->dim] = true;
            for (e->i[n->dim] = 0; e->i[n->dim] < e->n[n->dim]; e->i[n->dim]++)
                if (!together(e, loop, n->child)) return false;
            e->in[n->dim] = false;
            n = n->next;
            continue;
        }
        for (e->vector = 0; e->vector < loop->vectors; e->vector++) {
            int mark = e->nmade;
            e->i[dim] = e->j[dim] + e->vector * loop->lanes;
            e->in[dim] = !begins;
            for (end = n; end && end->kind != NEST_FOR; end = end->next)
                if (!leaf(e, end)) return false;
            if (!begins) leave(e, mark);
            e->in[dim] = false;
        }
        e->vector = -1;
        n = end;
    }
    leave(e, outer);
    return true;
}

static bool columns(Eval *e, const NestNode *n) {
    int64_t *j = &e->j[n->dim], step = n->vectors * n->lanes;
    for (*j = 0; *j + step <= e->n[n->dim]; *j += step)
        if (!together(e, n, n->child)) return false;
    return true;
}

static bool whole_and_rest(Eval *e, const NestNode *n, int64_t i, bool masked) {
    int64_t all = e->n[n->dim];
    for (; i < all && (masked || i + n->lanes <= all); i += n->lanes, e->u++)
        if (!body(e, n, i, !masked ? -1 : all - i < n->lanes ? all - i : n->lanes)) return false;
    return i >= all || body(e, n, i, all - i);
}

static bool by_vectors(Eval *e, const NestNode *n) {
    int64_t all = e->n[n->dim], from = 0;
    e->u = 0;
    if (n->lanes == 1) {
        for (int64_t i = 0; i < all; i++, e->u++)
            if (!body(e, n, i, -1)) return false;
        return true;
    }
    if (n->jam) {
        if (!columns(e, n)) return false;
        e->in[n->dim] = true;
        return whole_and_rest(e, n, e->j[n->dim], false);
    }
    if (n->vectors > 1) {
        if (!bulk(e, n) || (n->tail == TAIL_MASKED && !masked_rest(e, n)) || !eval_turns(e, n, false)) return false;
        if (n->tail == TAIL_MASKED) return true;
        from = e->j[n->dim];
        e->u = (int)(from / n->lanes);
    }
    return whole_and_rest(e, n, from, n->tail == TAIL_MASKED && n->vectors == 1);
}

static bool vectors(Eval *e, const NestNode *n) {
    at(e, n);
    if (n->lanes > EVAL_LANES || n->vectors > EVAL_VECTORS)
        return eval_wrong(e, "%d lanes, %d vectors", n->lanes, n->vectors);
    if (n->copy && e->n[n->dim] >= n->copy) return eval_copy(e, n->child->ids);
    if (n->seek && e->n[n->dim] >= n->seek) return eval_seek(e);
    int u = e->u;
    e->in[n->dim] = true;
    bool ok = by_vectors(e, n);
    e->in[n->dim] = false;
    e->u = u;
    return ok;
}

/* ---- other loops ---- */
static bool one_by_one(Eval *e, const NestNode *n) {
    e->in[n->dim] = true;
    for (int64_t i = 0; i < e->n[n->dim]; i++) {
        e->i[n->dim] = i;
        if (!scope(e, n->child)) return false;
    }
    e->in[n->dim] = false;
    return true;
}

static bool flat(Eval *e, const NestNode *n) {
    int64_t all = e->n[0] * e->n[1];
    at(e, n);
    e->flat = 0;
    for (e->t = 0; e->t < all; e->t += n->lanes) {
        e->tail = all - e->t < n->lanes;
        e->m = all - e->t;
        bool ok = scope(e, n->child);
        e->tail = false;
        if (!ok) return false;
        e->flat = e->flat + 1 < e->n[1] ? e->flat + 1 : 0;
    }
    return true;
}

/* Numbers 0 to n - 1 in another order; the caller frees them. */
static int64_t *shuffled(Eval *e, int64_t n) {
    int64_t *order = malloc(sizeof *order * (size_t)(n + 1));
    for (int64_t i = 0; order && i < n; i++) {
        int64_t j = eval_pick(e, (int)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    if (!order) eval_wrong(e, "no memory");
    return order;
}

/* ---- a GPU: points of several loops ---- */
static bool point(Eval *e, const NestNode *n, int64_t rest) {
    const LoopStage *s = &n->way->stage[n->stage];
    for (int l = n->loop + n->n - 1; l >= n->loop; l--) {
        int d = s->loop[l];
        e->in[d] = true;
        e->i[d] = l > n->loop ? rest % e->n[d] : rest;
        rest /= e->n[d] ? e->n[d] : 1;
    }
    bool ok = scope(e, n->child);
    for (int l = n->loop; l < n->loop + n->n; l++) e->in[s->loop[l]] = false;
    return ok;
}

static int64_t points(const Eval *e, const NestNode *n) {
    int64_t all = 1;
    for (int l = n->loop; l < n->loop + n->n; l++) all *= e->n[n->way->stage[n->stage].loop[l]];
    return all;
}

/* Some neighbours along the last loop: what is not done for all of them does not know where along it they are. */
static int64_t groups(const Eval *e, const NestNode *n, int *dim) {
    *dim = n->way->stage[n->stage].loop[n->loop + n->n - 1];
    int64_t all = points(e, n), last = e->n[*dim];
    return last ? all / last * ((last + n->lanes - 1) / n->lanes) : 0;
}

static bool group_of(Eval *e, const NestNode *n, int64_t rest) {
    int dim;
    groups(e, n, &dim);
    int64_t each = (e->n[dim] + n->lanes - 1) / n->lanes;
    e->begin = rest % each * n->lanes;
    e->there = (int)(e->n[dim] - e->begin < n->lanes ? e->n[dim] - e->begin : n->lanes);
    rest /= each;
    NestNode outer = *n;
    outer.n--;
    return point(e, &outer, rest);
}

static bool lanes(Eval *e, const NestNode *n) {
    bool ok = true;
    at(e, n);
    for (e->lane = 0; e->lane < n->lanes && ok; e->lane++) {
        if (n->tail != TAIL_MASKED && e->lane >= e->there) break;
        e->in[n->dim] = true;
        e->i[n->dim] = e->begin + e->lane;
        e->beyond = e->lane >= e->there;
        ok = scope(e, n->child);
        e->beyond = false;
        e->in[n->dim] = false;
    }
    return ok;
}

/* The blocks that share a point, in some order. */
static bool in_parts(Eval *e, const NestNode *n, int64_t p) {
    e->parts = 1 + eval_pick(e, EVAL_PARTS);
    e->ended = 0;
    int64_t *order = shuffled(e, e->parts);
    bool ok = order != NULL;
    for (int j = 0; j < e->parts && ok; j++) {
        e->part = (int)order[j];
        e->epoch++;
        ok = point(e, n, p);
        if (ok && e->stop == (j == e->parts - 1)) ok = eval_wrong(e, "part %d of %d goes on", j, e->parts);
        e->stop = false;
    }
    free(order);
    e->part = e->parts = 0;
    return ok;
}

/* Tiles of two loops, of any shape: the others' points, then those of each tile, in some order. */
static int side_of(const Eval *e, const LoopStage *s, int side) {
    return s->loop[side ? s->nloop - 1 : e->nest->turned];
}

static bool tiled_grid(Eval *e, const NestNode *n) {
    const LoopStage *s = &n->way->stage[n->stage];
    int row = side_of(e, s, 0), col = side_of(e, s, 1);
    int64_t side[2] = {1 + eval_pick(e, 40), 1 + eval_pick(e, 40)};
    int64_t down = (e->n[row] + side[0] - 1) / side[0], over = (e->n[col] + side[1] - 1) / side[1], all = down * over;
    for (int l = 0; l < s->nloop; l++)
        if (s->loop[l] != row && s->loop[l] != col) all *= e->n[s->loop[l]];
    int64_t *order = shuffled(e, all);
    bool ok = order != NULL;
    for (int64_t p = 0; p < all && ok; p++) {
        int64_t rest = order[p];
        e->tile[0] = rest % down * side[0], rest /= down;
        e->tile[1] = rest % over * side[1], rest /= over;
        e->side[0] = side[0], e->side[1] = side[1];
        for (int l = 0; l < s->nloop; l++) {
            int d = s->loop[l];
            if (d == row || d == col) continue;
            e->in[d] = true;
            e->i[d] = rest % e->n[d], rest /= e->n[d];
        }
        e->epoch++;
        ok = scope(e, n->child);
        for (int l = 0; l < s->nloop; l++) e->in[s->loop[l]] = false;
    }
    free(order);
    return ok;
}

static bool turned_tile(Eval *e, const NestNode *n) {
    const LoopStage *s = &n->way->stage[n->stage];
    int row = side_of(e, s, 0), col = side_of(e, s, 1);
    int64_t all = e->side[0] * e->side[1], *order = shuffled(e, all);
    bool ok = order != NULL;
    e->in[row] = e->in[col] = true;
    for (int64_t p = 0; p < all && ok; p++) {
        e->i[row] = e->tile[0] + order[p] / e->side[1];
        e->i[col] = e->tile[1] + order[p] % e->side[1];
        if (e->i[row] < e->n[row] && e->i[col] < e->n[col]) ok = scope(e, n->child);
    }
    e->in[row] = e->in[col] = false;
    free(order);
    return ok;
}

static bool grid(Eval *e, const NestNode *n) {
    if (e->nest->tiled) return tiled_grid(e, n);
    int dim;
    int64_t all = n->lanes > 1 ? groups(e, n, &dim) : points(e, n);
    int64_t *order = shuffled(e, all);
    bool ok = order != NULL;
    for (int64_t p = 0; p < all && ok; p++) {
        e->epoch++; /* points that are blocks do not see each other */
        ok = n->share       ? in_parts(e, n, order[p])
             : n->lanes > 1 ? group_of(e, n, order[p])
                            : point(e, n, e->nest->grid == GRID_SERIAL ? p : order[p]);
    }
    free(order);
    return ok;
}

/* Each thread has accumulators of its own, which begin as they stand before the loop. */
static bool threads(Eval *e, const NestNode *n) {
    int nred = e->k->red.n, room = EVAL_VECTORS + 1, group = grid_group(e->nest);
    int dim;
    int64_t all = n->lanes > 1 ? groups(e, n, &dim) : points(e, n), *order = shuffled(e, group);
    int64_t each = e->parts ? (all + e->parts - 1) / e->parts : all, first = e->part * each;
    int64_t end = all - first < each ? all : first + each;
    bool ok = order != NULL;
    for (int r = 0; r < nred; r++)
        for (int j = 0; j < group; j++) e->threads[r * EVAL_THREADS + j] = e->red[r * room];
    for (int j = 0; j < group && ok; j++) {
        e->thread = (int)order[j];
        for (int r = 0; r < nred; r++) e->red[r * room] = e->threads[r * EVAL_THREADS + e->thread];
        for (int64_t h = first + e->thread; h < end && ok; h += group)
            ok = n->lanes > 1 ? group_of(e, n, h) : point(e, n, h);
        for (int r = 0; r < nred; r++) e->threads[r * EVAL_THREADS + e->thread] = e->red[r * room];
    }
    e->thread = -1;
    free(order);
    return ok;
}

/* ---- products ---- */
static bool tile(Eval *e, const NestNode *n, const int64_t from[2], const int64_t to[2]) {
    int m = e->s->st->d0;
    int64_t were[2] = {e->n[m], e->n[m + 1]};
    e->tiled = e->s;
    for (int h = 0; h < 2; h++) e->tile[h] = from[h], e->n[m + h] = to[h] - from[h];
    bool ok = scope(e, n->child);
    e->tiled = NULL;
    for (int h = 0; h < 2; h++) e->n[m + h] = were[h];
    return ok;
}

/* ---- products of matrices on a GPU ---- */
static int64_t many(const Eval *e, const int8_t *dim, int n) {
    int64_t all = 1;
    for (int d = 0; d < n; d++) all *= e->n[dim[d]];
    return all;
}

static void open_dims(Eval *e, const int8_t *dim, int n, int64_t point) {
    for (int d = n - 1; d >= 0; d--) {
        e->in[dim[d]] = true;
        e->i[dim[d]] = d ? point % e->n[dim[d]] : point;
        point /= e->n[dim[d]];
    }
}

static void close_dims(Eval *e, const int8_t *dim, int n) {
    for (int d = 0; d < n; d++) e->in[dim[d]] = false;
}

/* A factor sees its own dims alone. */
static bool factor(Eval *e, const Contract *c, int side) {
    const ContractSide *s = &c->side[side];
    bool were[KDIM];
    memcpy(were, e->in, sizeof were);
    close_dims(e, c->side_dim[!side], c->side_n[!side]);
    bool ok = true;
    for (int j = 0; j < s->n && ok; j++)
        if (!e->value[s->ids[j]].there) ok = eval_code(e, s->ids + j, 1, false);
    memcpy(e->in, were, sizeof were);
    return ok;
}

static bool summed(Eval *e, const NestNode *n, const Contract *c) {
    NestNode acc = {.way = n->way, .stage = n->stage, .kind = NEST_ACC, .how = ACC_BEGIN, .first = c->red, .n = 1};
    bool ok = eval_acc(e, &acc);
    int64_t deep = many(e, c->deep, c->ndeep);
    acc.how = ACC_STEP;
    for (int64_t q = 0; q < deep && ok; q++) {
        int mark = e->nmade;
        open_dims(e, c->deep, c->ndeep, q);
        ok = factor(e, c, 0) && factor(e, c, 1) && eval_code(e, &c->product, 1, false) && eval_acc(e, &acc);
        leave(e, mark);
    }
    close_dims(e, c->deep, c->ndeep);
    acc.how = ACC_END;
    return ok && eval_acc(e, &acc);
}

/* The points of one matrix, in some order. */
static bool matrix(Eval *e, const NestNode *n, const Contract *c) {
    int64_t cols = many(e, c->side_dim[1], c->side_n[1]), all = cols * many(e, c->side_dim[0], c->side_n[0]);
    if (c->red < 0 && e->product(e, e->s)) return eval_wrong(e, "a product fails");
    int64_t *order = shuffled(e, all);
    bool ok = order != NULL;
    for (int64_t p = 0; p < all && ok; p++) {
        int mark = e->nmade;
        open_dims(e, c->side_dim[0], c->side_n[0], order[p] / cols);
        open_dims(e, c->side_dim[1], c->side_n[1], order[p] % cols);
        ok = (c->red < 0 || summed(e, n, c)) && scope(e, n->child);
        leave(e, mark);
        for (int i = 0; i < 2; i++) close_dims(e, c->side_dim[i], c->side_n[i]);
    }
    free(order);
    return ok;
}

static bool matrices(Eval *e, const NestNode *n) {
    const Contract *c = e->nest->contract;
    int64_t all = many(e, c->batch, c->nbatch);
    bool ok = true;
    at(e, n);
    for (int64_t b = 0; b < all && ok; b++) {
        open_dims(e, c->batch, c->nbatch, b);
        ok = matrix(e, n, c);
    }
    close_dims(e, c->batch, c->nbatch);
    return ok;
}

/* Tiles, in some order. */
/* The outer loops from d on, which the call does, then the product. */
static bool turns(Eval *e, int d) {
    if (d == e->k->nouter) return !e->product(e, e->s);
    bool ok = true;
    for (e->i[d] = 0; e->i[d] < e->n[d] && ok; e->i[d]++) ok = turns(e, d + 1);
    return ok;
}

static bool product(Eval *e, const NestNode *n) {
    if (e->nest->grid == GRID_TILES) return matrices(e, n);
    at(e, n);
    if (n->share) return turns(e, 0) || eval_wrong(e, "one of many products fails");
    if (e->product(e, e->s)) return eval_wrong(e, "a product fails");
    int m = e->s->st->d0;
    int64_t rows = 1 + eval_pick(e, 40), cols = 1 + eval_pick(e, 40);
    int64_t down = (e->n[m] + rows - 1) / rows, over = (e->n[m + 1] + cols - 1) / cols;
    int64_t *order = n->child ? shuffled(e, down * over) : NULL;
    bool ok = order || !n->child;
    for (int64_t p = 0; n->child && p < down * over && ok; p++) {
        int64_t from[2] = {order[p] / over * rows, order[p] % over * cols}, to[2] = {from[0] + rows, from[1] + cols};
        for (int h = 0; h < 2; h++) to[h] = to[h] < e->n[m + h] ? to[h] : e->n[m + h];
        ok = tile(e, n, from, to);
    }
    free(order);
    return ok;
}

/* ---- the tree ---- */
static bool holds(const Eval *e, const NestNode *n) {
    for (int i = 0; i < n->n; i++) {
        const NestTest *t = &n->test[i];
        int64_t x = e->n[t->dim];
        bool is = !strcmp(t->is, ">=")   ? x >= t->n
                  : !strcmp(t->is, "<=") ? x <= t->n
                  : !strcmp(t->is, "<")  ? x < t->n
                                         : x != t->n;
        if (!is) return false;
    }
    return true;
}

static bool loop(Eval *e, const NestNode *n) {
    switch ((NestHow)n->how) {
    case FOR_VECTOR: return vectors(e, n);
    case FOR_FLAT: return flat(e, n);
    case FOR_GRID: return grid(e, n);
    case FOR_THREAD: return threads(e, n);
    case FOR_LANES: return lanes(e, n);
    case FOR_TILE: return turned_tile(e, n);
    case FOR_SERIAL: return one_by_one(e, n);
    default: return eval_wrong(e, "pieces inside of what they are pieces of");
    }
}

static bool nodes(Eval *e, const NestNode *n) {
    bool ok = true;
    for (; n && ok && !e->stop; n = n->next) switch ((NestKind)n->kind) {
        case NEST_STAGE: ok = nodes(e, n->child); break;
        case NEST_FOR: ok = loop(e, n); break;
        case NEST_CALL: ok = product(e, n); break;
        case NEST_WAY:
            if (holds(e, n)) return scope(e, n->child);
            break;
        default: ok = leaf(e, n);
        }
    return ok;
}

/* ---- pieces ---- */
/* What lies in one row each piece has for itself, and it holds nothing. */
static bool own_rows(Eval *e, Memory *was) {
    memcpy(was, e->buf, sizeof *was * (size_t)e->k->nbuf);
    for (int b = 0; b < e->k->nbuf; b++) {
        if (!apart_is_row(e->k, b)) continue;
        e->buf[b].at = malloc((size_t)was[b].bytes + 1);
        if (!e->buf[b].at) return eval_wrong(e, "no memory");
        memset(e->buf[b].at, 0x5a, (size_t)was[b].bytes);
    }
    return true;
}

static void same_rows(Eval *e, const Memory *was) {
    for (int b = 0; b < e->k->nbuf; b++) {
        if (e->buf[b].at != was[b].at) free(e->buf[b].at);
        e->buf[b] = was[b];
    }
}

static bool pieces(Eval *e, const NestNode *n) {
    int64_t all = e->n[0], each = 1 + eval_pick(e, all > 0 ? (int)all : 1), count = (all + each - 1) / each;
    int64_t *order = shuffled(e, count);
    Memory was[KACC + 8];
    bool ok = order != NULL;
    for (int64_t p = 0; p < count && ok; p++) {
        e->split = true;
        e->row0 = order[p] * each;
        e->n[0] = all - e->row0 < each ? all - e->row0 : each;
        ok = own_rows(e, was) && scope(e, n->child);
        same_rows(e, was);
    }
    e->split = false;
    e->n[0] = all;
    free(order);
    return ok;
}

/* ---- blocks ---- */
static bool block(Eval *e, const NestNode *n, int64_t from, int64_t to, RedState *part) {
    int64_t all = e->n[0];
    e->split = e->block = true;
    e->row0 = from;
    e->n[0] = to - from;
    bool ok = scope(e, n->child);
    for (int r = 0; r < e->k->red.n; r++) part[r] = *eval_red(e, r, 0);
    e->split = e->block = false;
    e->n[0] = all;
    return ok;
}

static bool blocks(Eval *e, const NestNode *n) {
    int nred = e->k->red.n;
    int64_t each = kernel_block(e->k, e->n), count = (e->n[0] + each - 1) / each, inner = 1;
    if (count < 1) count = 1;
    for (int d = 1; d < e->k->ndim; d++) inner *= e->n[d];
    int64_t *order = shuffled(e, count);
    RedState *part = malloc(sizeof *part * (size_t)((count + 1) * (nred + 1)));
    bool ok = order && part;
    for (int64_t p = 0; p < count && ok; p++) {
        int64_t b = n->share ? order[p] : p, to = (b + 1) * each;
        ok = block(e, n, b * each, to < e->n[0] ? to : e->n[0], part + b * nred);
    }
    RedState *all = part + count * nred;
    for (int64_t b = 0; b < count && ok; b++) ok = eval_join(e, part + b * nred, all, b * each * inner, b == 0);
    for (int r = 0; r < nred && ok; r++) *eval_red(e, r, 0) = all[r];
    free(part);
    free(order);
    return ok;
}

static bool whole(Eval *e) {
    const NestNode *n = e->nest->root;
    for (const NestNode *x = n; x; x = x->next) {
        if (x->kind != NEST_FOR || (x->how != FOR_PIECE && x->how != FOR_BLOCK)) continue;
        bool ok = true, joined = x->how == FOR_PIECE;
        int mark = e->nmade;
        for (; n != x && ok; n = n->next) ok = leaf(e, n);
        at(e, x);
        if (x->how == FOR_PIECE) leave(e, mark);
        ok = ok && (x->how == FOR_PIECE ? pieces(e, x) : blocks(e, x));
        for (n = x->next; n && ok; n = n->next) {
            if (n->kind == NEST_ACC && n->how == ACC_JOIN) joined = true;
            else ok = leaf(e, n);
        }
        return ok && (joined || eval_wrong(e, "blocks that nothing joins"));
    }
    return nodes(e, n);
}

/* ---- a run ---- */
bool eval_room(Eval *e) {
    size_t nred = KACC + 40, each = EVAL_VECTORS + 1;
    e->value = calloc(KINS + 1, sizeof *e->value);
    e->made = calloc(KINS + 1, sizeof *e->made);
    e->red = calloc(nred * each, sizeof *e->red);
    e->threads = calloc(nred * EVAL_THREADS, sizeof *e->threads);
    e->columns = malloc(nred * SIDE_MOST * EVAL_VALUE);
    e->array = malloc((KACC + 8) * (size_t)SIDE_MOST * EVAL_VALUE);
    e->together = malloc((KINS + 1) * (size_t)EVAL_LANES * 16);
    e->kept = calloc(EVAL_PARTS * nred, sizeof *e->kept);
    return e->kept && e->together && e->value && e->made && e->red && e->threads && e->columns && e->array;
}

void eval_room_free(Eval *e) {
    free(e->value);
    free(e->made);
    free(e->red);
    free(e->threads);
    free(e->columns);
    free(e->array);
    free(e->together);
    free(e->kept);
}

EvalEnd nest_eval(Eval *e) {
    e->end = EVAL_OK;
    e->kind = 0;
    e->simd = simd_table(e->c);
    e->vector = e->thread = -1;
    e->tail = e->split = e->block = false;
    e->tiled = NULL;
    e->epoch++;
    memset(e->in, 0, sizeof e->in);
    for (int i = 0; i < e->k->ins.n; i++) e->value[i].there = false;
    for (int r = 0; r < e->k->red.n * (EVAL_VECTORS + 1); r++) e->red[r].begun = e->red[r].ended = false;
    e->nmade = 0;
    for (int d = 0; d < e->k->ndim; d++) e->n[d] = eval_size(e, e->k->dim[d].n);
    e->way = e->nest->way;
    whole(e);
    return e->end;
}
