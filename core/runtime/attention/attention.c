/*
 * attention.c -- softmax(scale q . k + mask) . v and its gradient without a matrix of all scores.
 * In: an AttentionWork. Out: its results. Of each matrix of the batch, some rows of scores at a time are in memory: as
 * many as stay in a near cache. The gradient computes them again from what is kept of a row, two numbers.
 * Keys that a mask hides from some rows for certain (reach.h) are left out of their products.
 * Always holds: one thread computes a matrix of the batch, its rows in order, so bits do not depend on threads.
 */
#include "attention.h"
#include "reach.h"
#include "runtime/gemm/gemm.h"
#include "runtime/machine/cpu.h"
#include "runtime/machine/parallel.h"
#include "runtime/simd/simd.h"

#include <stdatomic.h>
#include <string.h>

enum { NEAR_BYTES = 192 * 1024, MOST_ROWS = 72, LEAST_ROWS = 12, ALIGN = 64, WHOLE_K = 1024 };

typedef ReachView View;

typedef struct Attend {
    HostCall *h;
    const AttentionWork *w;
    ThDtype d;
    int64_t item, batch, queries, keys, features, values;
    int64_t rows, padded; /* of scores at a time; their length in memory */
    int64_t panel, lanes; /* packed operands: columns of a panel, of a vector */
    bool some;            /* the mask may hide keys from some rows */
    View q, k, v, z, dz, dq, dk, dv;
    const SimdRows *simd;
    int shares;
    /* bytes: packed operands; scores; one row; what products need; reaches */
    int64_t packed[4], tile, row, scratch, reach;
    atomic_bool failed;
} Attend;

static int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

static View view_of(const ThArray *a, int64_t item) {
    if (!a) return (View){0};
    const int64_t *st = ARRAY_STRIDES(a);
    return (View){a->data, st[0] / item, st[1] / item, st[2] / item};
}

/* ---- products ---------------------------------------------------------------------------------------------------- */
typedef struct Part { /* what one share works with */
    const Attend *a;
    HostCall call;
    char *packed[4], *p, *dp, *row, *scratch;
    Reach *reach, now; /* of each block of rows; of this one */
    bool some;         /* some keys are left out for this matrix: its sums over rows start at zero */
} Part;

static GemmArgs product(const Attend *a, int64_t m, int64_t n, int64_t k) {
    return (GemmArgs){.dtype = a->d, .m = m, .n = n, .k = k, .alpha = 1, .alone = true};
}

/* The products with operands that stay for all rows of a matrix; at: number of the operand. */
static GemmArgs whole(const Attend *a, int at, int64_t b, int64_t m) {
    GemmArgs g = {0};
    View k = a->k, v = a->v;
    switch (at) {
    case 0: /* scores = q . k */
        g = product(a, m, a->keys, a->features);
        g.b = k.at + b * k.batch * a->item, g.brs = k.row, g.bcs = k.col;
        break;
    case 1: /* result = p . v */
        g = product(a, m, a->values, a->keys);
        g.b = v.at + b * v.batch * a->item, g.brs = v.row, g.bcs = v.col;
        break;
    case 2: /* dp = dz . v turned */
        g = product(a, m, a->keys, a->values);
        g.b = v.at + b * v.batch * a->item, g.brs = v.col, g.bcs = v.row;
        break;
    default: /* dq = ds . k turned */
        g = product(a, m, a->features, a->keys);
        g.b = k.at + b * k.batch * a->item, g.brs = k.col, g.bcs = k.row;
    }
    return g;
}

static void set_a(GemmArgs *g, const void *at, int64_t row, int64_t col) { g->a = at, g->ars = row, g->acs = col; }
static void set_c(GemmArgs *g, void *at, int64_t row, int64_t col) { g->c = at, g->crs = row, g->ccs = col; }

/* Sums over rows: dv += p turned . dz, dk += q turned . ds; from the first row on they are set. */
static GemmArgs sum_of(const Attend *a, bool keys, int64_t b, int64_t row, int64_t m, const Part *t) {
    int64_t item = a->item, first = t ? t->now.first : 0, n = t ? t->now.end - first : a->keys;
    GemmArgs g = keys ? product(a, a->features, n, m) : product(a, n, a->values, m);
    if (keys) {
        set_a(&g, a->q.at + (b * a->q.batch + row * a->q.row) * item, a->q.col, a->q.row);
        g.b = t ? t->dp : NULL, g.brs = a->padded, g.bcs = 1;
        set_c(&g, a->dk.at + (b * a->dk.batch + first * a->dk.col) * item, a->dk.row, a->dk.col);
    } else {
        set_a(&g, t ? t->p : NULL, 1, a->padded);
        g.b = a->dz.at + (b * a->dz.batch + row * a->dz.row) * item, g.brs = a->dz.row, g.bcs = a->dz.col;
        set_c(&g, a->dv.at + (b * a->dv.batch + first * a->dv.row) * item, a->dv.row, a->dv.col);
    }
    g.beta = row > 0 || (t && t->some);
    return g;
}

static void most(int64_t *n, size_t bytes) {
    if ((int64_t)bytes > *n) *n = (int64_t)bytes;
}

/* Workspace of a product, of some of its keys too: the last panel alone, and fewer of them, whose chains may be longer.
 */
static void need(Attend *a, GemmArgs g) {
    for (int way = 0; way < 4; way++) {
        GemmArgs p = g;
        if ((way & 1) && p.n % a->panel) p.n %= a->panel;
        if ((way & 2) && p.k > WHOLE_K) p.k = WHOLE_K;
        most(&a->scratch, gemm_scratch_bytes(&p));
    }
}

static void measure(Attend *a) {
    bool back = a->w->dz != NULL;
    int64_t m = a->rows;
    for (int at = 0; at < 4; at++) {
        if (back ? at == 1 : at > 1) continue;
        GemmArgs g = whole(a, at, 0, m);
        a->packed[at] = up((int64_t)gemm_pack_b_bytes(a->d, g.k, g.n), ALIGN);
        for (int turn = 0; turn < 2; turn++, g.m = a->queries % m ? a->queries % m : m) {
            set_a(&g, NULL,
                  at == 0   ? a->q.row
                  : at == 2 ? a->dz.row
                            : a->padded,
                  at == 0   ? a->q.col
                  : at == 2 ? a->dz.col
                            : 1);
            set_c(&g, NULL, a->padded, 1);
            g.packed = (const void *)a;
            need(a, g);
        }
    }
    for (int keys = 0; back && keys < 2; keys++) {
        need(a, sum_of(a, keys, 0, 1, m, NULL));
        need(a, sum_of(a, keys, 0, 1, a->queries % m ? a->queries % m : m, NULL));
    }
}

/* Rows of a packed operand's product to c: of the keys that these rows reach, which are its columns or its k. */
static bool run(Part *t, GemmArgs *g, int at) {
    const Attend *a = t->a;
    int64_t first = t->now.first, item = a->item, keys = t->now.end - first, columns = g->n;
    if (at == 0 || at == 2) {
        g->n = keys;
        g->packed = t->packed[at] + first * g->k * item;
        return gemm_run(t->call.ctx, g, t->scratch) == 0;
    }
    char *c = g->c;
    g->k = keys;
    for (int64_t col = 0; col < columns; col += a->panel) {
        g->n = columns - col < a->panel ? columns - col : a->panel;
        g->packed = t->packed[at] + (col * a->keys + first * up(g->n, a->lanes)) * item;
        g->c = c + col * item;
        if (gemm_run(t->call.ctx, g, t->scratch)) return false;
    }
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
/* The mask's row as numbers or bools one after the other: as they lie, or copied to t->row. */
static void set_mask(const Part *t, SimdRow *r, int64_t b, int64_t row) {
    const AttentionWork *w = t->a->w;
    const ThArray *m = w->mask;
    if (!m) return;
    const int64_t *len = ARRAY_SHAPE(m), *st = ARRAY_STRIDES(m);
    const char *at = m->data + (len[0] > 1 ? b / w->each % len[0] * st[0] : 0) + (len[1] > 1 ? row * st[1] : 0);
    int64_t item = w->kind == ATTENTION_ADD ? t->a->item : 1, step = len[2] > 1 ? st[2] : 0;
    if (step != item && t->a->keys > 1) {
        for (int64_t i = 0; i < t->a->keys; i++) memcpy(t->row + i * item, at + i * step, (size_t)item);
        at = t->row;
    }
    at += t->now.first * item;
    if (w->kind == ATTENTION_ADD) r->mask = at;
    else r->pick = (const uint8_t *)at;
}

static double number(const void *p, ThDtype d, int64_t i) {
    return d == TH_FLOAT64 ? ((const double *)p)[i] : ((const float *)p)[i];
}
static void put_number(void *p, ThDtype d, int64_t i, double v) {
    if (d == TH_FLOAT64) ((double *)p)[i] = v;
    else ((float *)p)[i] = (float)v;
}

/* q . k of rows row .. row + m; each row then to `each`. */
static bool score(Part *t, int64_t b, int64_t row, int64_t m, void (*each)(Part *t, SimdRow *r, int64_t at)) {
    const Attend *a = t->a;
    const int64_t n = t->now.end - t->now.first;
    GemmArgs g = whole(a, 0, b, m);
    set_a(&g, a->q.at + (b * a->q.batch + row * a->q.row) * a->item, a->q.row, a->q.col);
    set_c(&g, t->p, a->padded, 1);
    if (!run(t, &g, 0)) return false;
    for (int64_t i = 0; i < m; i++) {
        SimdRow r = {.n = n, .padded = up(n, SIMD_PAD), .scale = a->w->scale, .fill = a->w->fill};
        r.clear = t->now.clear - t->now.first; /* none where it is negative */
        r.keep = a->w->kind == ATTENTION_KEEP;
        r.s = t->p + i * a->padded * a->item, r.ds = t->dp + i * a->padded * a->item;
        set_mask(t, &r, b, row + i);
        each(t, &r, b * a->queries + row + i);
    }
    return true;
}

static void forward_row(Part *t, SimdRow *r, int64_t at) {
    const Attend *a = t->a;
    a->simd->forward(r);
    put_number(a->w->stats->data, a->d, 2 * at, r->most);
    put_number(a->w->stats->data, a->d, 2 * at + 1, 1 / r->sum);
}

static void again_row(Part *t, SimdRow *r, int64_t at) {
    const Attend *a = t->a;
    r->most = number(a->w->stats->data, a->d, 2 * at);
    r->factor = number(a->w->stats->data, a->d, 2 * at + 1);
    a->simd->backward(r);
}

#define DIVIDE(T) \
    static void times_##T(T *z, int64_t n, T by) { \
        for (int64_t i = 0; i < n; i++) z[i] *= by; \
    }
DIVIDE(float)
DIVIDE(double)

static bool forward_rows(Part *t, int64_t b, int64_t row, int64_t m) {
    const Attend *a = t->a;
    if (!score(t, b, row, m, forward_row)) return false;
    GemmArgs g = whole(a, 1, b, m);
    char *z = a->z.at + (b * a->z.batch + row * a->z.row) * a->item;
    set_a(&g, t->p, a->padded, 1);
    set_c(&g, z, a->z.row, 1);
    if (!run(t, &g, 1)) return false;
    for (int64_t i = 0; i < m; i++, z += a->z.row * a->item) {
        double by = number(a->w->stats->data, a->d, 2 * (b * a->queries + row + i) + 1);
        if (a->d == TH_FLOAT64) times_double((double *)(void *)z, a->values, by);
        else times_float((float *)(void *)z, a->values, (float)by);
    }
    return true;
}

static bool backward_rows(Part *t, int64_t b, int64_t row, int64_t m) {
    const Attend *a = t->a;
    GemmArgs g = whole(a, 2, b, m);
    set_a(&g, a->dz.at + (b * a->dz.batch + row * a->dz.row) * a->item, a->dz.row, a->dz.col);
    set_c(&g, t->dp, a->padded, 1);
    if (!run(t, &g, 2)) return false;
    int64_t n = t->now.end - t->now.first, rest = up(n, SIMD_PAD) - n; /* what no product writes */
    for (int64_t i = 0; rest && i < m; i++) memset(t->dp + (i * a->padded + n) * a->item, 0, (size_t)(rest * a->item));
    if (!score(t, b, row, m, again_row)) return false;
    g = whole(a, 3, b, m);
    set_a(&g, t->dp, a->padded, 1);
    set_c(&g, a->dq.at + (b * a->dq.batch + row * a->dq.row) * a->item, a->dq.row, 1);
    if (!run(t, &g, 3)) return false;
    for (int keys = 0; keys < 2; keys++) {
        g = sum_of(a, keys, b, row, m, t);
        if (gemm_run(t->call.ctx, &g, t->scratch)) return false;
    }
    return true;
}

/* ---- matrices of the batch --------------------------------------------------------------------------------------- */
/* c of the matrix, n x m, to zeros */
static void clear(const Attend *a, const View *c, int64_t b, int64_t n, int64_t m) {
    char *at = c->at + b * c->batch * a->item;
    bool turned = c->col != 1 && c->row == 1;
    int64_t rows = turned ? m : n, cols = turned ? n : m, rs = turned ? c->col : c->row, cs = turned ? c->row : c->col;
    for (int64_t i = 0; i < rows; i++, at += rs * a->item) {
        if (cs == 1) memset(at, 0, (size_t)(cols * a->item));
        else
            for (int64_t j = 0; j < cols; j++) memset(at + j * cs * a->item, 0, (size_t)a->item);
    }
}

/* Which keys the blocks of rows reach; one mask for all matrices is looked at once. */
static void reach(Part *t, int64_t b, bool start) {
    const Attend *a = t->a;
    t->some = false;
    if (!a->some) return;
    const int64_t step = a->panel > SIMD_PAD ? a->panel : SIMD_PAD;
    for (int64_t row = 0; (start || ARRAY_SHAPE(a->w->mask)[0] > 1) && row < a->queries; row += a->rows) {
        int64_t m = a->queries - row < a->rows ? a->queries - row : a->rows;
        t->reach[row / a->rows] = reach_rows(a->w, a->simd, a->d, (ReachBlock){b, row, m, a->keys, step});
    }
    for (int64_t i = 0; i * a->rows < a->queries; i++)
        t->some = t->some || t->reach[i].first > 0 || t->reach[i].end < a->keys;
    t->some = t->some && reach_holds(a->w, a->simd, a->d, b);
    if (t->some && a->w->dz) clear(a, &a->dv, b, a->keys, a->values), clear(a, &a->dk, b, a->features, a->keys);
}

static bool one_matrix(Part *t, int64_t b, bool start) {
    const Attend *a = t->a;
    bool back = a->w->dz != NULL;
    reach(t, b, start);
    for (int at = 0; at < 4; at++) {
        GemmArgs g = whole(a, at, b, 1);
        if (a->packed[at] && gemm_pack_b(t->call.ctx, &g, t->packed[at])) return false;
    }
    for (int64_t row = 0; row < a->queries && !host_leaves(&t->call); row += a->rows) {
        int64_t m = a->queries - row < a->rows ? a->queries - row : a->rows;
        t->now = a->some ? t->reach[row / a->rows] : (Reach){0, a->keys, 0};
        if (!t->some) t->now.first = 0, t->now.end = a->keys;
        if (!(back ? backward_rows : forward_rows)(t, b, row, m)) return false;
    }
    return true;
}

static void some_matrices(int share, void *user) {
    Attend *a = user;
    int64_t first = a->batch * share / a->shares, end = a->batch * (share + 1) / a->shares, bytes = 0;
    if (first == end) return;
    Part t = {.a = a, .call = *a->h};
    t.call.share = share;
    for (int at = 0; at < 4; at++) bytes += a->packed[at];
    char *room = t.call.room(&t.call, (size_t)(bytes + 2 * a->tile + a->row + a->reach + a->scratch));
    if (!room) {
        atomic_store(&a->failed, true);
        return;
    }
    for (int at = 0; at < 4; at++) t.packed[at] = room, room += a->packed[at];
    t.p = room, t.dp = t.p + a->tile, t.row = t.dp + a->tile;
    t.reach = (Reach *)(void *)(t.row + a->row), t.scratch = t.row + a->row + a->reach;
    memset(t.p, 0, (size_t)(2 * a->tile)); /* what no product writes */
    for (int64_t b = first; b < end; b++)
        if (!one_matrix(&t, b, b == first)) {
            atomic_store(&a->failed, true);
            return;
        }
}

static void nothing(ThArray *a) {
    if (a && a->size) memset(a->data, 0, (size_t)a->size * th_dtype_bytes((ThDtype)a->dtype));
}

int64_t attention_rows(int64_t queries, int64_t keys, int64_t item, int64_t *padded) {
    *padded = up(keys, SIMD_PAD);
    int64_t most = NEAR_BYTES / (*padded * item) / LEAST_ROWS * LEAST_ROWS;
    most = most < LEAST_ROWS ? LEAST_ROWS : most > MOST_ROWS ? MOST_ROWS : most;
    const int64_t blocks = (queries + most - 1) / most; /* of about one length */
    return up((queries + blocks - 1) / blocks, LEAST_ROWS);
}

int attention_host(HostCall *h, const AttentionWork *w) {
    const Cpu *cpu = cpu_of(h->ctx);
    if (!cpu) return 1;
    Attend a = {.h = h, .w = w, .d = (ThDtype)w->q->dtype};
    const int64_t *q = ARRAY_SHAPE(w->q), *v = ARRAY_SHAPE(w->v);
    a.item = (int64_t)th_dtype_bytes(a.d);
    a.batch = q[0], a.queries = q[1], a.features = q[2], a.keys = v[1], a.values = v[2];
    if (!a.batch || !a.queries || !a.keys || !a.values) { /* no features: all keys have one weight */
        if (!w->dz) nothing(w->z), nothing(w->stats);
        nothing(w->dq), nothing(w->dk), nothing(w->dv);
        return 0;
    }
    a.q = view_of(w->q, a.item), a.k = view_of(w->k, a.item), a.v = view_of(w->v, a.item);
    a.z = view_of(w->z, a.item), a.dz = view_of(w->dz, a.item);
    a.dq = view_of(w->dq, a.item), a.dk = view_of(w->dk, a.item), a.dv = view_of(w->dv, a.item);
    const GemmKernels *kern = cpu->gemm[a.d == TH_FLOAT64];
    a.lanes = kern->vl, a.panel = (int64_t)kern->nv * kern->vl;
    a.simd = &simd_table(h->ctx)->rows[a.d == TH_FLOAT64];
    a.rows = attention_rows(a.queries, a.keys, a.item, &a.padded);
    a.tile = up(a.rows * a.padded * a.item, ALIGN), a.row = up(a.padded * a.item, ALIGN);
    a.some = reach_may(w);
    a.reach = a.some ? up((int64_t)sizeof(Reach) * ((a.queries + a.rows - 1) / a.rows), ALIGN) : 0;
    measure(&a);
    double work = 4.0 * (double)(a.batch * a.queries) * (double)a.keys * (double)(a.features + a.values);
    a.shares = gemm_shares(h->ctx, work) ? parallel_threads(h->ctx) : 1;
    if (a.shares > HOST_SHARES || (a.shares > 1 && h->ctx->host.parallel_for)) a.shares = HOST_SHARES;
    h->parallel(h, a.shares, some_matrices, &a);
    return atomic_load(&a.failed);
}
