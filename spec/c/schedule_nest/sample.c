/*
 * sample.c -- see sample.h. Everything hangs on the seed alone.
 */
#include "sample.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 3000, VALUES = 120, TEMPS = 6 };

typedef struct Of { /* a value that instructions to come may read */
    int id, depth, stage;
    ThDtype d;
} Of;

typedef struct Make {
    ThContext *c;
    Sample *s;
    Kernel *k;
    uint64_t seed;
    Like like;
    bool bad, empty, places; /* empty: a dim has no points; places: of what one load brings are what is reduced to */
    int64_t points;
    Of value[VALUES];
    int nvalue;
    int loop[LOOPS], nloop, stage;               /* of the stage being made */
    int acc[KACC + 8], of_stage[KACC + 8], nacc; /* accesses of whole points, for others to come again */
    int data;                                    /* how memory is filled */
    ThDtype theme;
    int64_t index_in[KACC + 8], most[KACC + 8]; /* by buffer: of numbers below this; elements */
    ThDtype dtype[KACC + 8];
    struct {
        int a, b, is;
    } times[SAMPLE_SYMS];
    int ntimes;
} Make;

static int pick(Make *m, int n) {
    m->seed = m->seed * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((m->seed >> 33) % (uint64_t)n);
}
static bool chance(Make *m, int percent) { return pick(m, 100) < percent; }
static int ok(Make *m, int id) {
    m->bad |= id < 0;
    return id;
}

/* ---- lengths ---- */
static Size fresh(Make *m, int64_t n) {
    if (m->s->nsym == SAMPLE_SYMS) return m->bad = true, size_const(n);
    m->s->sym[m->s->nsym] = n;
    return (Size){1, m->s->nsym++};
}

static int64_t size_of(const Make *m, Size z) { return size_value(z, m->s->sym); }

/* a * b, as a plan has it: a slot of its own where both are of slots, the same for the same. */
static Size times(Make *m, Size a, Size b) {
    if (a.sym < 0) return (Size){a.k * b.k, b.sym};
    if (b.sym < 0) return (Size){a.k * b.k, a.sym};
    for (int i = 0; i < m->ntimes; i++)
        if ((m->times[i].a == a.sym && m->times[i].b == b.sym) || (m->times[i].a == b.sym && m->times[i].b == a.sym))
            return (Size){a.k * b.k, m->times[i].is};
    Size z = fresh(m, m->s->sym[a.sym] * m->s->sym[b.sym]);
    if (m->ntimes < SAMPLE_SYMS) {
        m->times[m->ntimes].a = a.sym;
        m->times[m->ntimes].b = b.sym;
        m->times[m->ntimes++].is = z.sym;
    }
    return (Size){a.k * b.k, z.sym};
}

static int64_t length(Make *m, int64_t most) {
    static const int all[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,   11,  15,  16,  17,  23,  24,  31,  32,  33, 40,
                              47, 48, 49, 63, 64, 65, 79, 80, 96, 100, 127, 128, 129, 131, 192, 200, 256, 257, 300};
    int64_t n = chance(m, 3) ? 0 : all[1 + pick(m, TH_LEN(all) - 1)];
    return n > most ? (most > 0 ? 1 + pick(m, (int)most) : 0) : n;
}

static int add_dim(Make *m, int64_t n, DimKind kind) {
    Size z = chance(m, 20) ? size_const(n) : fresh(m, n);
    m->points *= n ? n : 1;
    m->empty |= n == 0;
    return ok(m, kernel_dim(m->k, z, kind));
}

/* ---- accesses ---- */
static int new_buffer(Make *m, ThDtype d) {
    int b = m->s->nbuf;
    if (b == KACC + 8) return m->bad = true, 0;
    m->dtype[b] = d;
    m->index_in[b] = -1;
    m->most[b] = 0;
    m->s->nbuf++;
    return b;
}

/* An access to a new buffer along these loops. */
typedef enum { LAY_DENSE, LAY_ANY, LAY_OUT /* each point its own element */ } Lay;

static Access lay_out(Make *m, ThDtype d, int flags, const int *loop, int n, Lay lay) {
    Access a = {.buf = new_buffer(m, d), .dtype = (uint8_t)d, .flags = (uint8_t)flags, .idx = -1, .guard = -1};
    int order[LOOPS];
    int64_t off = 0, all = 1;
    for (int l = 0; l < KDIM; l++) a.st[l] = size_const(0);
    for (int l = 0; l < n; l++) order[l] = loop[l];
    if (lay != LAY_DENSE && chance(m, 20))
        for (int l = n - 1; l > 0; l--) {
            int with = pick(m, l + 1), was = order[l];
            order[l] = order[with];
            order[with] = was;
        }
    Size z = size_const(lay != LAY_DENSE && chance(m, 12) ? 2 + pick(m, 2) : 1);
    for (int l = n - 1; l >= 0; l--) {
        int dim = order[l];
        int64_t len = size_of(m, m->k->dim[dim].n), st = size_of(m, z);
        if (lay == LAY_ANY && chance(m, 18)) continue; /* the same along it */
        a.st[dim] = z;
        if (len > 0) all += (len - 1) * st;
        if (lay != LAY_DENSE && chance(m, 8)) {
            a.st[dim].k = -z.k;
            if (len > 0) off += (len - 1) * st;
        }
        z = times(m, z, m->k->dim[dim].n);
        if (l && lay != LAY_DENSE && chance(m, 8)) z = times(m, z, size_const(2));
    }
    if (lay != LAY_DENSE && chance(m, 10)) off += 3, all += 3;
    a.off = off ? fresh(m, off) : size_const(0);
    m->most[a.buf] = all;
    return a;
}

static int keep(Make *m, const Access *a) {
    int id = ok(m, kernel_access(m->k, *a));
    if (id >= 0) m->acc[m->nacc] = id, m->of_stage[m->nacc++] = m->stage;
    return id;
}

/* ---- values ---- */
static int made(Make *m, int id, int depth) {
    ok(m, id);
    if (id < 0 || m->nvalue == VALUES) return id;
    m->value[m->nvalue++] = (Of){id, depth, m->stage, (ThDtype)m->k->ins.at[id].dtype};
    return id;
}

static const Of *any_value(Make *m, int depth) {
    const Of *at[VALUES];
    int n = 0;
    for (int i = 0; i < m->nvalue; i++) {
        const Of *v = &m->value[i];
        if (v->depth <= depth && (v->stage == m->stage || v->depth <= m->k->nouter)) at[n++] = v;
    }
    if (!n) return NULL;
    return at[chance(m, 60) && n > 3 ? n - 1 - pick(m, 3) : pick(m, n)];
}

static ThDtype any_dtype(Make *m) {
    static const ThDtype all[] = {TH_FLOAT32, TH_FLOAT64, TH_FLOAT32, TH_FLOAT64, TH_FLOAT32,    TH_INT32,
                                  TH_INT64,   TH_INT8,    TH_UINT8,   TH_BOOL,    TH_COMPLEX128, TH_COMPLEX64};
    int theme = (int)(m->seed >> 60) % 4;
    if (m->like == LIKE_MATH || m->like == LIKE_PRODUCT) return chance(m, 60) ? TH_FLOAT32 : TH_FLOAT64;
    return all[pick(m, theme && m->like != LIKE_ANY ? 6 : chance(m, 70) ? 8 : TH_LEN(all))];
}

static ThDtype theme_dtype(Make *m) { return chance(m, 85) ? m->theme : any_dtype(m); }

static int literal(Make *m, ThDtype d, int depth) {
    ThValue v = {0};
    static const double some[] = {0, 1, -1, 2, 0.5, 3, -0.25, 1.5};
    double x = some[pick(m, dtype_is_discrete(d) ? 4 : TH_LEN(some))];
    if (dtype_is_complex(d)) v.c = (ThComplex128){x, 0};
    else if (dtype_is_float(d)) v.f = x;
    else v.i = d == TH_BOOL || dtype_is_unsigned(d) ? x > 0 : (int64_t)x;
    return made(m, ins_literal(m->k, d, v, depth), depth);
}

/* A row or element picked by an index that memory holds. */
static int gather(Make *m, ThDtype d, int depth) {
    int at = 1 + pick(m, depth), rows = 1 + pick(m, 9), from = chance(m, 50) ? 1 : at;
    if (depth < 1) return -1;
    if (m->like == LIKE_COPY) at = depth - 1, from = at;
    Access i = lay_out(m, TH_INT64, ACC_READ, m->loop + (from < at ? pick(m, at) : 0), from, LAY_DENSE);
    for (int l = 0; l < LOOPS; l++)
        if (l >= at && l < m->nloop) i.st[m->loop[l]] = size_const(0);
    m->index_in[i.buf] = rows;
    int v = ins_load(m->k, keep(m, &i), at), n = ins_size(m->k, size_const(rows), at);
    v = ok(m, ins_check_index(m->k, v, n, at));
    Access a = lay_out(m, d, ACC_READ, m->loop + at, depth - at, m->like == LIKE_COPY ? LAY_DENSE : LAY_ANY);
    int64_t each = m->most[a.buf];
    if (m->bad) return -1;
    int step = ins_size(m->k, chance(m, 50) ? size_const(each) : fresh(m, each), at);
    a.idx = ok(m, ins_op(m->k, S_mul, TH_INT64, TH_INT64, at, v, step, -1));
    m->most[a.buf] = each * rows;
    return made(m, ins_load(m->k, ok(m, kernel_access(m->k, a)), depth), depth);
}

/* Nothing outside of the first few elements. */
static int under_guard(Make *m, ThDtype d) {
    int dim = m->loop[m->nloop - 1], depth = m->nloop;
    int i = ins_index(m->k, dim, depth), n = ins_size(m->k, size_const(1 + pick(m, 40)), depth);
    Access a = lay_out(m, d, ACC_READ, m->loop, m->nloop, LAY_ANY);
    a.guard = ok(m, ins_op(m->k, S_lt, TH_INT64, TH_BOOL, depth, i, n, -1));
    return made(m, ins_load(m->k, ok(m, kernel_access(m->k, a)), depth), depth);
}

/* The place of an access of an earlier stage, along this stage's loops; -1: none fits. */
static int again(Make *m, int flags, int depth) {
    const Kernel *k = m->k;
    int from = pick(m, m->nacc + 1);
    for (int j = 0; j < m->nacc; j++) {
        int id = m->acc[(from + j) % m->nacc], stage = m->of_stage[(from + j) % m->nacc];
        const Stage *was = &k->st.at[stage], *now = &k->st.at[m->stage];
        Access a = k->acc.at[id];
        bool fits = stage < m->stage && was->nd == now->nd && k->nouter && a.idx < 0 && a.guard < 0 &&
                    !(a.flags & ACC_ADD) && m->index_in[a.buf] < 0;
        for (int d = 0; d < now->nd && fits; d++) fits = size_eq(k->dim[was->d0 + d].n, k->dim[now->d0 + d].n);
        if (!fits) continue;
        for (int d = 0; d < now->nd; d++) {
            a.st[now->d0 + d] = a.st[was->d0 + d];
            a.st[was->d0 + d] = size_const(0);
        }
        a.flags = (uint8_t)(flags | (a.flags & ACC_ROWTEMP));
        return made(m, ins_load(m->k, keep(m, &a), depth), depth);
    }
    return -1;
}

static void load(Make *m) {
    ThDtype d = theme_dtype(m);
    int n = m->nloop, depth = chance(m, 75) ? n : pick(m, n + 1), what = pick(m, 100);
    if (m->like == LIKE_COPY && n) {
        gather(m, d, n);
        return;
    }
    if (m->like == LIKE_FLAT) {
        int rows = chance(m, 50);
        Access a = lay_out(m, d, ACC_READ, m->loop + rows, n - rows, LAY_DENSE);
        made(m, ins_load(m->k, keep(m, &a), n), n);
        return;
    }
    if (m->like == LIKE_TURNED && what < 60) {
        int turned[LOOPS];
        for (int l = 0; l < n; l++) turned[l] = m->loop[n - 1 - l];
        Access a = lay_out(m, d, ACC_READ, turned, n, LAY_DENSE);
        made(m, ins_load(m->k, keep(m, &a), n), n);
        return;
    }
    if (what < (m->like == LIKE_AGAIN ? 70 : 35) && m->stage && again(m, ACC_READ, n) >= 0) return;
    if (what >= 92 && n && m->like != LIKE_EXACT) {
        gather(m, d, 1 + pick(m, n));
        return;
    }
    if (what == 91 && n) {
        under_guard(m, d);
        return;
    }
    if (what >= 85 && n) {
        made(m, ins_index(m->k, m->loop[pick(m, n)], n), n);
        return;
    }
    if (what >= 80) {
        literal(m, d, depth);
        return;
    }
    Lay lay = m->like == LIKE_SIDE || m->like == LIKE_AGAIN ? (chance(m, 70) ? LAY_DENSE : LAY_ANY) : LAY_ANY;
    Access a = lay_out(m, d, ACC_READ, m->loop, depth, lay);
    if (depth == n) made(m, ins_load(m->k, keep(m, &a), depth), depth);
    else made(m, ins_load(m->k, ok(m, kernel_access(m->k, a)), depth), depth);
}

static bool has_integers(ThDtype d) { return dtype_is_discrete(d); }

static void operation(Make *m, int most) {
    static const int any[] = {S_add,     S_sub, S_mul,  S_add, S_mul, S_maximum,
                              S_minimum, S_neg, S_abs_, S_lt,  S_eq,  S_switch};
    static const int real[] = {S_add, S_sub,  S_mul,     S_true_div, S_true_div, S_maximum, S_sqrt,
                               S_exp, S_tanh, S_sigmoid, S_sqr,      S_neg,      S_gt,      S_switch};
    static const int exact[] = {S_add, S_sub, S_maximum, S_minimum, S_neg, S_lt};
    static const int complex_[] = {S_add, S_sub, S_mul, S_neg};
    static const int math[] = {S_exp, S_tanh, S_sigmoid, S_log, S_softplus, S_true_div};
    const Of *v[3];
    ThDtype d[3], to[4], result = TH_FLOAT32;
    int id[3], depth = 0;
    for (int i = 0; i < 3; i++) {
        v[i] = any_value(m, most);
        if (!v[i]) return;
    }
    bool c = dtype_is_complex(v[0]->d) || dtype_is_complex(v[1]->d) || dtype_is_complex(v[2]->d);
    bool f = dtype_is_float(v[0]->d);
    int op = m->like == LIKE_EXACT  ? exact[pick(m, TH_LEN(exact))]
             : c                    ? complex_[pick(m, TH_LEN(complex_))]
             : m->like == LIKE_MATH ? math[pick(m, TH_LEN(math))]
             : f                    ? real[pick(m, TH_LEN(real))]
             : chance(m, 3)         ? S_int_div
                                    : any[pick(m, TH_LEN(any))];
    int n = scalar_ops[op].arity;
    if (op == S_switch && v[0]->d != TH_BOOL) op = S_add, n = 2;
    for (int i = 0; i < n; i++) {
        d[i] = v[i]->d;
        id[i] = v[i]->id;
        if (v[i]->depth > depth) depth = v[i]->depth;
    }
    if (n == 2 && has_integers(d[0]) != has_integers(d[1]) && chance(m, 70)) id[1] = id[0], d[1] = d[0];
    if (!scalar_infer(m->c, op, d, n, to, &result)) return th_error_clear(m->c);
    made(m, scalar_emit(m->k, op, d, id, n, result, depth), depth);
}

/* ---- what a stage gives ---- */
static void store(Make *m, int depth) {
    const Of *v = any_value(m, depth);
    if (!v) return;
    if (m->k->nouter && m->k->st.at[m->stage].nd && chance(m, 35) && depth == m->nloop) { /* a row for stages to come */
        int own = m->k->nouter;
        Access a = lay_out(m, v->d, ACC_WRITE | ACC_ROWTEMP, m->loop + own, m->nloop - own, LAY_DENSE);
        ok(m, ins_store(m->k, keep(m, &a), v->id, depth));
        return;
    }
    Access a = lay_out(m, v->d, ACC_WRITE, m->loop, depth,
                       m->like == LIKE_FLAT || m->like == LIKE_COPY || chance(m, 50) ? LAY_DENSE : LAY_OUT);
    for (int j = 0; j < m->nacc && chance(m, 15); j++) { /* over what was read */
        const Access *x = &m->k->acc.at[m->acc[j]];
        bool all = m->of_stage[j] == m->stage && x->dtype == v->d && x->flags == ACC_READ && depth == m->nloop;
        for (int l = 0; l < depth && all; l++) all = !size_is(x->st[m->loop[l]], 0);
        for (int i = 0; i < m->k->acc.n && all; i++) all = i == m->acc[j] || m->k->acc.at[i].buf != x->buf;
        if (!all || m->index_in[x->buf] >= 0) continue;
        a = *x;
        a.flags = ACC_WRITE | ACC_SAMEMAP;
        break;
    }
    if (chance(m, 3) && !dtype_is_complex(v->d) && m->like != LIKE_FLAT) a.flags = ACC_WRITE | ACC_ADD;
    ok(m, ins_store(m->k, depth == m->nloop && !(a.flags & ACC_SAMEMAP) ? keep(m, &a) : ok(m, kernel_access(m->k, a)),
                    v->id, depth));
}

static void reduction(Make *m, int depth) {
    const Of *v = NULL;
    for (int i = 0; i < 12 && (!v || v->depth <= depth); i++) v = any_value(m, m->nloop);
    if (!v || v->depth <= depth || v->stage != m->stage) return;
    ThDtype acc = v->d;
    bool c = dtype_is_complex(acc), real = dtype_is_float(acc);
    RedKind kind = (RedKind)pick(m, c ? 2 : 6);
    if (chance(m, 40)) kind = RED_SUM;
    if (kind == RED_PROD && m->like == LIKE_EXACT && (real || c)) kind = RED_SUM;
    if ((kind == RED_ARGMAX || kind == RED_ARGMIN) && m->empty) kind = RED_MAX;
    if (m->places && real && !m->empty) kind = chance(m, 50) ? RED_ARGMAX : RED_ARGMIN;
    if (v->d == TH_BOOL && chance(m, 60)) kind = chance(m, 50) ? RED_AND : RED_OR;
    if ((kind == RED_SUM || kind == RED_PROD) && acc == TH_FLOAT32 && chance(m, 60)) acc = TH_FLOAT64;
    if ((kind == RED_SUM || kind == RED_PROD) && dtype_is_discrete(acc) && chance(m, 60)) acc = TH_INT64;
    if ((kind == RED_SUM || kind == RED_PROD) && acc == TH_BOOL) acc = TH_INT64;
    if (kind == RED_SUM && m->like == LIKE_EXACT && c) acc = TH_COMPLEX128;
    if (kind == RED_SUM && m->like == LIKE_EXACT && real) acc = TH_FLOAT64;
    made(m, ins_reduce(m->k, kind, v->id, acc, depth), depth);
}

static int choose_vec(Make *m, int d0, int nd) {
    int at = nd - 1;
    bool last = m->like == LIKE_SIDE || m->like == LIKE_FLAT || m->like == LIKE_COPY || m->like == LIKE_ROWS ||
                m->like == LIKE_AGAIN;
    if (m->like == LIKE_COLUMNS && nd > 1) at = nd - 2;
    else if (!last && chance(m, 25)) at = pick(m, nd);
    if (!nd || (chance(m, 6) && m->like == LIKE_ANY)) return -1;
    return m->k->dim[d0 + at].kind == DIM_SEQ ? -1 : d0 + at;
}

static void drop_deeper(Make *m, int depth) {
    int n = 0;
    for (int i = 0; i < m->nvalue; i++)
        if (m->value[i].stage != m->stage || m->value[i].depth <= depth) m->value[n++] = m->value[i];
    m->nvalue = n;
}

static void stage(Make *m, int d0, int nd) {
    Kernel *k = m->k;
    m->stage = ok(m, kernel_stage(k, STAGE_LOOP, d0, nd));
    if (m->bad) return;
    k->st.at[m->stage].vec = (int8_t)choose_vec(m, d0, nd);
    m->nloop = 0;
    for (int d = 0; d < k->nouter; d++) m->loop[m->nloop++] = d;
    for (int d = 0; d < nd; d++) m->loop[m->nloop++] = d0 + d;
    int red = k->nouter;
    while (red < m->nloop && k->dim[m->loop[red]].kind != DIM_RED) red++;
    int loads = m->like == LIKE_COPY ? 1 : 1 + pick(m, 3), ops = m->like == LIKE_COPY ? 0 : pick(m, 6);
    if (m->like == LIKE_MATH) ops = 8 + pick(m, 8);
    if (m->places) loads = 1, ops = 0;
    if (m->like == LIKE_EXACT && ops > 3) ops = 3; /* whole numbers stay below 2^53 */
    for (int i = 0; i < loads && !m->bad; i++) load(m);
    for (int i = 0; i < ops && !m->bad; i++) operation(m, m->nloop);
    if (red == m->nloop || chance(m, 25)) store(m, m->nloop);
    if (red == m->nloop) return;
    for (int i = 1 + pick(m, 2); i > 0 && !m->bad; i--) reduction(m, red);
    drop_deeper(m, red);
    for (int i = pick(m, 3); i > 0 && !m->bad; i--) operation(m, red);
    if (red > k->nouter || m->stage == k->st.n - 1 || chance(m, 50)) store(m, red);
}

/* ---- dims ---- */
static void one_stage(Make *m) {
    int nd = 1 + pick(m, 3), par = pick(m, nd + 1);
    int64_t most = MOST_POINTS, n[3];
    if (m->like == LIKE_ROWS) nd = 1 + pick(m, 3), par = nd - 1;
    if (m->like == LIKE_COLUMNS) nd = 2 + pick(m, 2), par = nd - 1;
    if (m->like == LIKE_BLOCKS) nd = 1 + pick(m, 3), par = 0;
    if (m->like == LIKE_SIDE) nd = 2 + pick(m, 2), par = nd - 1;
    if (m->like == LIKE_FLAT || m->like == LIKE_COPY) nd = par = 2;
    if (m->like == LIKE_EXACT) nd = 1 + pick(m, 3);
    if (m->like == LIKE_TURNED) nd = par = 2 + pick(m, 2);
    for (int d = 0; d < nd; d++) n[d] = 1;
    for (int d = nd - 1; d >= 0; d--) { /* the innermost is the longest: vectors lie along it */
        n[d] = length(m, most > 400 && nd > 1 ? 400 : most);
        if (m->like == LIKE_FLAT && d == 1) n[d] = length(m, 40);
        if (m->like == LIKE_SIDE && d == nd - 1) n[d] = length(m, chance(m, 80) ? 50 : 70);
        if (m->like == LIKE_COLUMNS && d == nd - 1) n[d] = length(m, 12);
        if (n[d] > 1) most /= n[d];
    }
    if (m->like == LIKE_BLOCKS && chance(m, 6)) {
        n[0] = nd == 1 ? 30000 + pick(m, 50000) : 64 + pick(m, 300);
        for (int d = 1; d < nd; d++) n[d] = nd == 2 ? 200 + pick(m, 100) : 15;
        if (nd == 3) n[0] = 300;
    }
    for (int d = 0; d < nd; d++)
        add_dim(m, n[d], d < par ? DIM_PAR : chance(m, 4) && m->like == LIKE_ANY ? DIM_SEQ : DIM_RED);
    bool seq = false;
    for (int d = 0; d < nd; d++) seq |= m->k->dim[d].kind == DIM_SEQ;
    for (int d = 0; d < nd && seq; d++)
        if (m->k->dim[d].kind == DIM_RED) m->k->dim[d].kind = DIM_SEQ; /* no reductions among sequential loops */
    stage(m, 0, nd);
}

/* What may fail from sizes alone. Where there are no points a GPU has nobody to look. */
static void size_check(Make *m) {
    bool holds = chance(m, 90);
    int a = ins_size(m->k, m->k->dim[0].n, 0), b = ins_size(m->k, holds ? m->k->dim[0].n : size_const(3), 0);
    int differ = ok(m, ins_op(m->k, S_neq, TH_INT64, TH_BOOL, 0, a, b, -1));
    ok(m, ins_fail_if(m->k, differ, TH_ValueError, 0));
}

static void many_stages(Make *m) {
    int nouter = 1 + (m->like == LIKE_ANY && chance(m, 20)), nst = 1 + pick(m, 4),
        own = 1 + (m->like != LIKE_SIDE && chance(m, 20));
    int64_t most = 1500, inner[2];
    if (m->like == LIKE_AGAIN && nst < 2) nst = 2;
    if (m->like == LIKE_EXACT && nst > 2) nst = 2;
    for (int d = own - 1; d >= 0; d--) {
        inner[d] = length(m, m->like == LIKE_SIDE ? 50 : most > 300 ? 300 : most);
        if (inner[d] > 1) most /= inner[d];
    }
    for (int d = 0; d < nouter; d++) {
        int64_t n = length(m, most > 60 ? 60 : most);
        if (n > 1) most /= n;
        add_dim(m, n, DIM_PAR);
    }
    m->k->nouter = nouter;
    Size z[2];
    for (int d = 0; d < own; d++) z[d] = chance(m, 20) ? size_const(inner[d]) : fresh(m, inner[d]);
    for (int s = 0; s < nst && !m->bad; s++) {
        bool reduced = m->like == LIKE_SIDE ? s < nst - 1 || nst == 1 || chance(m, 50) : chance(m, 55);
        int d0 = m->k->ndim;
        for (int d = 0; d < own; d++) {
            m->empty |= inner[d] == 0;
            ok(m, kernel_dim(m->k, z[d], reduced && d == own - 1 ? DIM_RED : DIM_PAR));
        }
        if (!m->bad) stage(m, d0, own);
    }
}

/* c = a . b, and what follows on its points; or many of them, in outer loops. */
static void product(Make *m) {
    Kernel *k = m->k;
    ThDtype d = chance(m, 50) ? TH_FLOAT32 : TH_FLOAT64;
    const int out = chance(m, 20) ? 1 + pick(m, 2) : 0, n = out + 2;
    for (int i = 0; i < out; i++) add_dim(m, length(m, 4), DIM_PAR);
    for (int i = 0; i < 3; i++) add_dim(m, length(m, out ? 12 : 40), i < 2 ? DIM_PAR : DIM_RED);
    k->nouter = out;
    m->stage = ok(m, kernel_stage(k, STAGE_GEMM, out, 3));
    if (m->bad) return;
    int a[4] = {0, 1}, b[4] = {0, 1}, c[4] = {0, 1};
    a[out] = c[out] = out, a[out + 1] = b[out] = out + 2, b[out + 1] = c[out + 1] = out + 1;
    Access x[3] = {lay_out(m, d, ACC_READ, a, n, LAY_DENSE), lay_out(m, d, ACC_READ, b, n, LAY_DENSE),
                   lay_out(m, d, ACC_WRITE | ACC_READ, c, n, LAY_DENSE)};
    Stage *st = &k->st.at[0];
    st->A = ok(m, kernel_access(k, x[0]));
    st->B = ok(m, kernel_access(k, x[1]));
    st->C = ok(m, kernel_access(k, x[2]));
    st->vec = (int8_t)(out + 1);
    if (out) return;
    m->loop[0] = 0, m->loop[1] = 1, m->nloop = 2;
    if (chance(m, 25)) st->alpha = literal(m, d, 0);
    if (chance(m, 15)) st->beta = literal(m, d, 0);
    m->nvalue = 0;
    if (chance(m, 15)) return;
    Ins ep = {
        .op = INS_EP, .dtype = (uint8_t)d, .in_dtype = (uint8_t)d, .depth = 2, .a = -1, .b = -1, .c = -1, .d = -1};
    if (!vec_push(m->c, &k->ins, ep)) m->bad = true;
    else k->st.at[0].nins++, made(m, k->ins.n - 1, 2);
    for (int i = pick(m, 3); i > 0; i--) {
        int at = pick(m, 3);
        Access v = lay_out(m, d, ACC_READ, m->loop + (at == 1), at == 1 ? 1 : at, LAY_ANY);
        made(m, ins_load(k, ok(m, kernel_access(k, v)), 2), 2);
    }
    for (int i = 1 + pick(m, 4); i > 0 && !m->bad; i--) operation(m, 2);
    const Of *v = any_value(m, 2);
    Access to = lay_out(m, v ? v->d : d, ACC_WRITE, m->loop, 2, LAY_DENSE);
    if (v && chance(m, 50) && v->d == d) to = x[2];
    if (v) ok(m, ins_store(k, ok(m, kernel_access(k, to)), v->id, 2));
}

/* ---- memory ---- */
static double number(Make *m) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 1e30, 1e-40, 0x1.fffffep-1};
    if (m->like == LIKE_EXACT || m->data == 0) return pick(m, 5) - 2;
    if (m->data == 1 && chance(m, 4)) return odd[pick(m, TH_LEN(odd))];
    if (m->data == 3) return chance(m, 50) ? NAN : pick(m, 3);
    return ((double)pick(m, 1 << 24) / (1 << 22) - 2) * (chance(m, 10) ? 1e5 : 1);
}

static void put(Make *m, int b, char *p, int64_t i) {
    ThDtype d = m->dtype[b];
    ThComplex128 v = {number(m), dtype_is_complex(d) ? number(m) : 0};
    p += i * (int64_t)th_dtype_bytes(d);
    if (m->index_in[b] >= 0) {
        int64_t n = m->index_in[b], x = pick(m, (int)(2 * n)) - n;
        if (m->data == 2 && chance(m, 1)) x = n;
        memcpy(p, &x, 8);
    } else if (dtype_is_discrete(d)) {
        int64_t x = m->like == LIKE_EXACT || m->data == 0 ? pick(m, 5) - 2 : (int64_t)(m->seed >> 20);
        if (d == TH_BOOL || dtype_is_unsigned(d)) x = d == TH_BOOL ? pick(m, 2) : x & 127;
        dtype_cast(p, d, 0, (const char *)&x, TH_INT64, 0, 1);
    } else dtype_cast(p, d, 0, (const char *)&v, TH_COMPLEX128, 0, 1);
}

static bool memory(Make *m) {
    Sample *s = m->s;
    for (int b = 0; b < s->nbuf; b++) {
        int64_t bytes = m->most[b] * (int64_t)th_dtype_bytes(m->dtype[b]);
        s->buf[b] = (Memory){malloc((size_t)bytes + 64), bytes};
        s->first[b] = (Memory){malloc((size_t)bytes + 64), bytes};
        if (!s->buf[b].at || !s->first[b].at) return false;
        for (int64_t i = 0; i < m->most[b]; i++) put(m, b, s->first[b].at, i);
    }
    return true;
}

void sample_reset(Sample *s) {
    for (int b = 0; b < s->nbuf; b++) memcpy(s->buf[b].at, s->first[b].at, (size_t)s->buf[b].bytes);
}

void sample_free(Sample *s) {
    kernel_free(s->k);
    for (int b = 0; b < s->nbuf; b++) free(s->buf[b].at), free(s->first[b].at);
    *s = (Sample){0};
}

bool sample_new(Sample *s, ThContext *c, Like like, uint64_t seed) {
    *s = (Sample){0};
    Make m = {.c = c, .s = s, .k = kernel_new(c), .like = like, .seed = seed * 0x9e3779b97f4a7c15ull + 77, .points = 1};
    if (!m.k) return false;
    s->k = m.k;
    for (int i = 0; i < 4; i++) pick(&m, 2);
    m.data = pick(&m, 8);
    if (m.data > 3) m.data = 4;
    m.theme = any_dtype(&m);
    m.places = like == LIKE_PLACES;
    if (m.places) m.like = LIKE_ROWS, m.theme = pick(&m, 2) ? TH_FLOAT32 : TH_FLOAT64;
    if (like == LIKE_PRODUCT) product(&m);
    else if (like == LIKE_AGAIN || ((like == LIKE_SIDE || like == LIKE_ANY || like == LIKE_EXACT) && chance(&m, 50)))
        many_stages(&m);
    else one_stage(&m);
    if (!m.bad && m.k->ins.n && m.k->st.at[0].cls == STAGE_LOOP && m.k->st.n == 1 && chance(&m, 10)) size_check(&m);
    bool good = !m.bad && (m.k->ins.n || like == LIKE_PRODUCT) && !failed(c) && kernel_check(m.k) && memory(&m);
    th_error_clear(c);
    if (!good) sample_free(s);
    return good;
}
