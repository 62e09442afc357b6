/*
 * stage.c -- all lines of an array along one axis. In: a FftStage. Out: their transforms. Lines are either transformed
 * side by side, one a lane, gathered from wherever they lie, or one after the other (line.h).
 * Always holds: which line goes which way, and what stands beside it, depends on lengths and strides alone.
 */
#include "stage.h"

#include "runtime/machine/parallel.h"

#include <string.h>

enum { PIECES = 8, ALIGN = 64 };
#define ALONE_FROM 64                    /* shorter lines never go alone */
#define LANES_BYTES ((int64_t)768 << 10) /* more memory than this for lanes of dense lines: these go alone */
#define SHARED_FROM ((int64_t)1 << 15)   /* pairs from which it pays that threads share a line.. */
#define SPREAD_FROM ((int64_t)1 << 14)   /* ..or lines */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static size_t up(size_t n) { return (n + ALIGN - 1) / ALIGN * ALIGN; }
static int64_t item(const FftStage *s) { return s->dtype == TH_FLOAT64 ? 8 : 4; }
static int64_t half_of(const FftStage *s) { return s->n / 2 + 1; }
static bool even_half(const FftStage *s) { return s->kind != FFT_COMPLEX && s->n % 2 == 0; }
static int64_t length(const FftStage *s) { return even_half(s) ? s->n / 2 : s->n; } /* of the complex transform */
static int unit(const FftStage *s, bool from) { return s->kind == (from ? FFT_TO_HALF : FFT_FROM_HALF) ? 1 : 2; }

int64_t fft_stage_units(const FftStage *s, bool from) {
    return s->kind == (from ? FFT_FROM_HALF : FFT_TO_HALF) ? half_of(s) : s->n;
}

/* ---- planning ---------------------------------------------------------------------------------------------------- */
/* Dimensions that are one are made one. */
static void merge(FftStage *s) {
    int n = 0;
    for (int d = 0; d < s->ndim; d++) {
        FftDim x = s->dim[d], *last = n ? &s->dim[n - 1] : NULL;
        if (x.n == 1) continue;
        if (last && last->from == x.from * x.n && last->to == x.to * x.n) *last = (FftDim){last->n * x.n, x.from, x.to};
        else s->dim[n++] = x;
    }
    s->ndim = n;
}

/* Neighbours in memory, else the longest dimension. */
static int lane_of(const FftStage *s) {
    int best = -1;
    for (int d = 0; d < s->ndim; d++) {
        const FftDim *x = &s->dim[d];
        if (x->from == unit(s, true) * item(s) && x->to == unit(s, false) * item(s) && x->n >= 4) return d;
        if (best < 0 || x->n > s->dim[best].n) best = d;
    }
    return best;
}

static bool dense(const FftStage *s, bool from) { return (from ? s->fs : s->ts) == unit(s, from) * item(s); }

static bool goes_alone(const FftStage *s, int64_t vl) {
    int64_t n = length(s), along = s->lane < 0 ? 1 : s->dim[s->lane].n;
    bool side = s->lane >= 0 && s->dim[s->lane].from == unit(s, true) * item(s);
    if (n < ALONE_FROM) return false;
    if (2 * along < vl) return true;
    return !side && 3 * n * 2 * vl * item(s) > LANES_BYTES;
}

bool fft_stage_plan(ThContext *c, FftStage *s) {
    int64_t n = length(s), vl = fft_kernels(s->dtype)->vl;
    s->lines = 1;
    s->t = s->half = NULL;
    for (int d = 0; d < s->ndim; d++) s->lines *= s->dim[d].n;
    if (s->lines == 0) return true;
    merge(s);
    s->lane = lane_of(s);
    s->alone = goes_alone(s, vl);
    if (!(s->t = fft_tables(c, s->alone ? FFT_ALONE : FFT_LANES, n, s->dtype))) return false;
    if (even_half(s) && !(s->half = fft_tables(c, FFT_HALF, s->n, s->dtype))) {
        fft_stage_done(c, s);
        return false;
    }
    s->blocks = s->lane < 0 ? 1 : (s->dim[s->lane].n + vl - 1) / vl * (s->lines / s->dim[s->lane].n);
    int64_t jobs = s->alone ? s->lines : s->blocks;
    bool many = parallel_threads(c) > 1 && s->lines * s->n >= SPREAD_FROM; /* for memory alone: results are the same */
    s->inside = s->alone && many && jobs < PIECES && n >= SHARED_FROM;
    s->pieces = s->inside ? PIECES : (int)(many ? least(jobs, PIECES) : 1);
    size_t pairs = (size_t)((s->n > half_of(s) ? s->n : half_of(s)) * 2 * item(s)) + ALIGN;
    if (s->alone) {
        s->rows = up(fft_alone_rows(s->t));
        s->line = up(2 * up(pairs) + (s->t->len == s->t->n ? 0 : (size_t)(2 * s->t->len * item(s))));
        s->part = up(fft_alone_part(s->t));
    } else {
        int64_t most = fft_lanes_room(s->t);
        if (most < half_of(s)) most = half_of(s);
        s->part = 4 * up((size_t)(most * 2 * vl * item(s)));
    }
    return true;
}

size_t fft_stage_bytes(const FftStage *s) {
    size_t lines = s->rows + s->line;
    if (!s->alone) return (size_t)s->pieces * s->part;
    return s->inside ? lines + (size_t)s->pieces * s->part : (size_t)s->pieces * (lines + s->part);
}

void fft_stage_done(ThContext *c, FftStage *s) {
    if (s->t) fft_tables_done(c, s->t);
    if (s->half) fft_tables_done(c, s->half);
    s->t = s->half = NULL;
}

/* ---- lanes: from memory and back --------------------------------------------------------------------------------- */
/* Lines side by side: number i of line l lies at + l * apart + (i / unit) * step + i % unit. */
typedef struct Side {
    char *at;
    int64_t step, apart; /* bytes */
    int unit, lanes;
    int64_t numbers;
} Side;

/* Single numbers of a Side, from number `first` on, from or to row i * every of `rows`. */
#define SINGLES(T) \
    static void singles_##T(const Side *o, int64_t first, T *rows, int64_t vl, int every, bool in) { \
        for (int64_t i = first; i < o->numbers; i++) { \
            char *at = o->at + i / o->unit * o->step + i % o->unit * (int64_t)sizeof(T); \
            T *row = rows + i * every * vl; \
            for (int l = 0; l < o->lanes; l++) \
                if (in) row[l] = *(const T *)(at + l * o->apart); \
                else *(T *)(at + l * o->apart) = row[l]; \
        } \
    }
SINGLES(float)
SINGLES(double)

static void singles(const Side *o, int64_t first, char *rows, const FftTables *t, int every, bool in) {
    if (t->dtype == TH_FLOAT64) singles_double(o, first, (double *)rows, t->k->vl, every, in);
    else singles_float(o, first, (float *)rows, t->k->vl, every, in);
}

/* Number i of each line becomes row i * every of `rows`, a vector each; lanes that have no line are 0. */
static void gather(const Side *o, const FftTables *t, char *rows, int every) {
    int64_t vl = t->k->vl, size = t->dtype == TH_FLOAT64 ? 8 : 4, whole = 0;
    bool full = o->lanes == vl, flat = o->step == o->unit * size;
    if (o->unit == 2 && o->apart == 2 * size) {
        t->k->load(o->at, o->step / size, o->numbers / 2, o->lanes, rows);
        return;
    }
    if (!full || every == 2) memset(rows, 0, (size_t)(o->numbers * every * vl * size));
    if (o->unit == 1 && o->apart == size) {
        for (int64_t i = 0; i < o->numbers; i++)
            memcpy(rows + i * every * vl * size, o->at + i * o->step, (size_t)(o->lanes * size));
        return;
    }
    for (; full && flat && whole + vl <= o->numbers; whole += vl)
        t->k->transpose(o->at + whole * size, o->apart / size, rows + whole * every * vl * size, every * vl);
    singles(o, whole, rows, t, every, true);
}

static void scatter(const Side *o, const FftTables *t, const char *rows, int every) {
    int64_t vl = t->k->vl, size = t->dtype == TH_FLOAT64 ? 8 : 4, whole = 0;
    bool full = o->lanes == vl, flat = o->step == o->unit * size;
    if (o->unit == 2 && o->apart == 2 * size) {
        t->k->store(rows, o->numbers / 2, o->at, o->step / size, o->lanes, 1);
        return;
    }
    if (o->unit == 1 && o->apart == size) {
        for (int64_t i = 0; i < o->numbers; i++)
            memcpy(o->at + i * o->step, rows + i * every * vl * size, (size_t)(o->lanes * size));
        return;
    }
    for (; full && flat && whole + vl <= o->numbers; whole += vl)
        t->k->transpose(rows + whole * every * vl * size, every * vl, o->at + whole * size, o->apart / size);
    singles(o, whole, (char *)rows, t, every, false);
}

/* ---- lanes: one block -------------------------------------------------------------------------------------------- */
typedef struct Block {
    const FftStage *s;
    int64_t element, number; /* bytes of an element, of a vector */
    char *a, *b, *c;         /* elements: one, two and one lengths */
    Side from, to;
} Block;

/* Pairs that stand for two: all of a half but 0 and n / 2. */
static void twice(const FftStage *s, void *second, int64_t lanes) {
    if (s->twice != 1) s->t->k->scale(second, 2 * lanes * ((s->n - 1) / 2), s->twice);
}

/* The imaginary parts of the pairs 0 and n / 2 do not count. */
static void drop_edges(const Block *o, char *half) {
    memset(half + o->number, 0, (size_t)o->number);
    if (even_half(o->s)) memset(half + o->s->n / 2 * o->element + o->number, 0, (size_t)o->number);
}

static void block_complex(const Block *o) {
    const FftStage *s = o->s;
    gather(&o->from, s->t, o->a, 1);
    memset(o->a + s->have * o->element, 0, (size_t)((s->n - s->have) * o->element));
    char *r = fft_lanes(s->t, o->a, o->b, s->back);
    if (s->by != 1) s->t->k->scale(r, s->n * 2 * s->t->k->vl, s->by);
    scatter(&o->to, s->t, r, 1);
}

static void block_to_half(const Block *o) {
    const FftStage *s = o->s;
    bool even = even_half(s);
    int64_t every = even ? 1 : 2;
    gather(&o->from, s->t, o->a, (int)every);
    memset(o->a + s->have * every * o->number, 0, (size_t)((s->n - s->have) * every * o->number));
    char *r = fft_lanes(s->t, o->a, o->b, false);
    if (even) {
        s->t->k->split(r, s->half->roots, s->n / 2, o->c, 2 * s->t->k->vl);
        r = o->c;
    }
    twice(s, r + o->element, s->t->k->vl);
    if (s->by != 1) s->t->k->scale(r, half_of(s) * 2 * s->t->k->vl, s->by);
    scatter(&o->to, s->t, r, 1);
}

/* The other half: conjugates. */
static void mirror(const Block *o, const char *half, char *to) {
    const FftStage *s = o->s;
    memcpy(to, half, (size_t)(half_of(s) * o->element));
    for (int64_t k = half_of(s); k < s->n; k++) {
        memcpy(to + k * o->element, half + (s->n - k) * o->element, (size_t)o->element);
        s->t->k->scale(to + k * o->element + o->number, s->t->k->vl, -1);
    }
}

static void block_from_half(const Block *o) {
    const FftStage *s = o->s;
    bool even = even_half(s);
    gather(&o->from, s->t, o->c, 1);
    memset(o->c + s->have * o->element, 0, (size_t)((half_of(s) - s->have) * o->element));
    drop_edges(o, o->c);
    twice(s, o->c + o->element, s->t->k->vl);
    if (even) s->t->k->join(o->c, 2 * s->t->k->vl, s->half->roots, s->n / 2, o->a);
    else mirror(o, o->c, o->a);
    char *r = fft_lanes(s->t, o->a, o->b, true);
    if (s->by != 1) s->t->k->scale(r, length(s) * 2 * s->t->k->vl, s->by);
    scatter(&o->to, s->t, r, even ? 1 : 2);
}

typedef struct Job {
    const FftStage *s;
    char *room;
} Job;

/* Where line number i of the dimensions but the lanes' begins. */
static void place(const FftStage *s, int64_t i, int but, int64_t *from, int64_t *to) {
    *from = *to = 0;
    for (int d = s->ndim - 1; d >= 0; d--) {
        if (d == but) continue;
        int64_t at = i % s->dim[d].n;
        i /= s->dim[d].n;
        *from += at * s->dim[d].from, *to += at * s->dim[d].to;
    }
}

static void lanes_piece(int piece, void *user) {
    const Job *j = user;
    const FftStage *s = j->s;
    int64_t vl = s->t->k->vl, from, to, quarter = (int64_t)s->part / 4;
    FftDim lane = s->lane < 0 ? (FftDim){1, 0, 0} : s->dim[s->lane];
    int64_t across = (lane.n + vl - 1) / vl;
    Block o = {.s = s, .element = 2 * vl * item(s), .number = vl * item(s)};
    o.a = j->room + (size_t)piece * s->part, o.b = o.a + quarter, o.c = o.b + 2 * quarter;
    for (int64_t i = s->blocks * piece / s->pieces;
         i < s->blocks * (piece + 1) / s->pieces && !ctx_leaves(s->ctx, s->early); i++) {
        int64_t first = i % across * vl;
        int lanes = (int)least(lane.n - first, vl);
        place(s, i / across, s->lane, &from, &to);
        o.from = (Side){(char *)s->from + from + first * lane.from,
                        s->fs,
                        lane.from,
                        unit(s, true),
                        lanes,
                        s->have * unit(s, true)};
        o.to = (Side){s->to + to + first * lane.to,
                      s->ts,
                      lane.to,
                      unit(s, false),
                      lanes,
                      fft_stage_units(s, false) * unit(s, false)};
        if (s->kind == FFT_COMPLEX) block_complex(&o);
        else if (s->kind == FFT_TO_HALF) block_to_half(&o);
        else block_from_half(&o);
    }
}

/* ---- alone ------------------------------------------------------------------------------------------------------- */
typedef struct Line {
    FftPieces pieces;
    ThContext *c;
    const FftStage *s;
    char *rows, *a, *b, *chirp, *parts; /* a, b: n pairs each */
    void (*fn)(const FftAlone *a, int piece, char *work);
    const FftAlone *alone;
} Line;

static void shared_piece(int piece, void *user) {
    const Line *l = user;
    l->fn(l->alone, piece, l->parts + (size_t)piece * l->s->part);
}

static void line_pieces(FftPieces *p, void (*fn)(const FftAlone *a, int piece, char *work), const FftAlone *a) {
    Line *l = (Line *)p;
    l->fn = fn, l->alone = a;
    if (p->n == 1) shared_piece(0, l);
    else parallel_for(l->c, p->n, shared_piece, l);
}

static void transform(Line *l, const char *from, char *to, bool back) {
    fft_alone(l->s->t, from, to, l->rows, l->chirp, back, l->s->by, &l->pieces);
}

/* A line as one dense piece: `line` itself, or gathered into `room` with zeros behind. */
static const char *dense_from(const Line *l, const char *line, char *room) {
    const FftStage *s = l->s;
    int64_t units = fft_stage_units(s, true), u = unit(s, true), size = item(s);
    if (dense(s, true) && s->have == units) return line;
    if (dense(s, true)) memcpy(room, line, (size_t)(s->have * u * size));
    else
        for (int64_t i = 0; i < s->have; i++) memcpy(room + i * u * size, line + i * s->fs, (size_t)(u * size));
    memset(room + s->have * u * size, 0, (size_t)((units - s->have) * u * size));
    return room;
}

static void dense_to(const Line *l, const char *room, char *line) {
    const FftStage *s = l->s;
    int64_t units = fft_stage_units(s, false), bytes = unit(s, false) * item(s);
    if (room == line) return;
    if (dense(s, false)) memcpy(line, room, (size_t)(units * bytes));
    else
        for (int64_t i = 0; i < units; i++) memcpy(line + i * s->ts, room + i * bytes, (size_t)bytes);
}

/* Odd lengths: numbers as pairs, the other half as conjugates, and pairs as numbers. */
#define ODD(T) \
    static void widen_##T(const T *x, T *z, int64_t n) { \
        for (int64_t i = 0; i < n; i++) z[2 * i] = x[i], z[2 * i + 1] = 0; \
    } \
    static void mirror_##T(T *z, int64_t n) { \
        z[1] = 0; \
        for (int64_t i = n / 2 + 1; i < n; i++) z[2 * i] = z[2 * (n - i)], z[2 * i + 1] = -z[2 * (n - i) + 1]; \
    } \
    static void narrow_##T(T *z, int64_t n) { \
        for (int64_t i = 1; i < n; i++) z[i] = z[2 * i]; \
    }
ODD(float)
ODD(double)
#define BY_DTYPE(s, name, ...) ((s)->dtype == TH_FLOAT64 ? name##_double(__VA_ARGS__) : name##_float(__VA_ARGS__))

static void line_complex(Line *l, const char *from, char *to) {
    char *end = dense(l->s, false) ? to : l->b;
    transform(l, dense_from(l, from, l->a), end, l->s->back);
    dense_to(l, end, to);
}

static void line_to_half(Line *l, const char *from, char *to) {
    const FftStage *s = l->s;
    if (!even_half(s)) {
        const char *x = dense_from(l, from, l->b);
        BY_DTYPE(s, widen, (const void *)x, (void *)l->a, s->n);
        transform(l, l->a, l->b, false);
        twice(s, l->b + 2 * item(s), 1);
        dense_to(l, l->b, to);
        return;
    }
    char *end = dense(s, false) ? to : l->a;
    fft_alone(s->t, dense_from(l, from, l->a), l->b, l->rows, l->chirp, false, 1, &l->pieces);
    s->t->k->pairs_split(l->b, s->half->roots, s->n / 2, end, s->by);
    twice(s, end + 2 * item(s), 1);
    dense_to(l, end, to);
}

static void line_from_half(Line *l, const char *from, char *to) {
    const FftStage *s = l->s;
    const char *x = dense_from(l, from, l->a);
    if (x != l->a && (s->twice != 1 || !even_half(s))) x = memcpy(l->a, x, (size_t)(half_of(s) * 2 * item(s)));
    twice(s, l->a + 2 * item(s), 1);
    if (!even_half(s)) {
        BY_DTYPE(s, mirror, (void *)l->a, s->n);
        transform(l, l->a, l->b, true);
        BY_DTYPE(s, narrow, (void *)l->b, s->n);
        dense_to(l, l->b, to);
        return;
    }
    char *end = dense(s, false) ? to : l->a;
    s->t->k->pairs_join(x, s->half->roots, s->n / 2, l->b);
    transform(l, l->b, end, true);
    dense_to(l, end, to);
}

static void some_lines(const Job *j, ThContext *c, int64_t first, int64_t last, char *room) {
    const FftStage *s = j->s;
    size_t pairs = (s->line - (s->t->len == s->t->n ? 0 : (size_t)(2 * s->t->len * item(s)))) / 2 / ALIGN * ALIGN;
    Line l = {.pieces = {s->inside ? s->pieces : 1, line_pieces, s->ctx, s->early}, .c = c, .s = s, .rows = room};
    l.a = room + s->rows, l.b = l.a + pairs, l.chirp = l.b + pairs, l.parts = l.a + s->line;
    for (int64_t i = first; i < last && !ctx_leaves(s->ctx, s->early); i++) {
        int64_t from, to;
        place(s, i, -1, &from, &to);
        if (s->kind == FFT_COMPLEX) line_complex(&l, s->from + from, s->to + to);
        else if (s->kind == FFT_TO_HALF) line_to_half(&l, s->from + from, s->to + to);
        else line_from_half(&l, s->from + from, s->to + to);
    }
}

static void alone_piece(int piece, void *user) {
    const Job *j = user;
    const FftStage *s = j->s;
    char *room = j->room + (size_t)piece * (s->rows + s->line + s->part);
    some_lines(j, NULL, s->lines * piece / s->pieces, s->lines * (piece + 1) / s->pieces, room);
}

void fft_stage_run(ThContext *c, FftStage *s, char *room) {
    Job j = {s, room};
    if (s->lines == 0) return;
    if (s->inside) some_lines(&j, c, 0, s->lines, room);
    else if (s->pieces == 1) (s->alone ? alone_piece : lanes_piece)(0, &j);
    else parallel_for(c, s->pieces, s->alone ? alone_piece : lanes_piece, &j);
}
