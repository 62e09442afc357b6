/*
 * slices.c -- a slice of a slice, or an index into one, as a single entry of a subscript.
 * In: two Subtensors, one on the other, and an entry of each for the same dimension. Out: the parts of one entry that
 * selects the same elements at every length. Bounds that are known become known ones; where the lengths decide, and
 * nobody else uses the first slice, the parts are expressions on them.
 */
#include "rules.h"

enum { START = 0, STOP = 1, STEP = 2 };
#define FAR ((int64_t)1 << 40)   /* numbers beyond are left alone: nothing below overflows */
#define CLOSE ((int64_t)1 << 20) /* factors up to here are multiplied without a look at lengths */

/* One entry: its parts as sizes, and their values where they are known. */
typedef struct Slice {
    bool index, has[3], known[3];
    int64_t k[3]; /* 0, 0 and 1 where the part is missing */
    Sz v[3];
} Slice;

static bool slice_read(Opt *o, const ThApply *a, int e, Slice *s) {
    const AttrIdx *idx = ask_attr(a->op, a->attrs, "idx");
    int input = 1;
    for (int i = 0; i < e; i++) input += __builtin_popcount(idx->at[i].has);
    *s = (Slice){.index = idx->at[e].kind == 'i', .k = {0, 0, 1}, .v = {-1, -1, -1}};
    for (int i = 0; i < 3; i++) {
        if (!(idx->at[e].has >> i & 1)) continue;
        s->has[i] = true;
        if ((s->v[i] = shape_value(o, a, input++)) < 0) return false;
        s->known[i] = shape_known(o, s->v[i], &s->k[i]);
        if (s->known[i] && (s->k[i] > FAR || s->k[i] < -FAR)) return false;
    }
    return true;
}

static bool absent_or_known(const Slice *s, int part) { return !s->has[part] || s->known[part]; }
static bool all_reversed(const Slice *s) {
    return !s->index && !s->has[START] && !s->has[STOP] && s->known[STEP] && s->k[STEP] == -1;
}

static void give(Opt *o, Slice *r, int part, int64_t k) {
    r->has[part] = true;
    r->v[part] = shape_number(o, k);
}

static void keep(Slice *r, const Slice *from, int part) {
    r->has[part] = from->has[part];
    r->v[part] = from->v[part];
}

/* x[::-1][..]: element k is element -1 - k, at every sign of k. */
static bool of_reversed(Opt *o, const Slice *y, Slice *r) {
    for (int i = START; i <= STOP; i++) {
        if (!y->has[i]) continue;
        r->has[i] = true;
        r->v[i] = shape_op(o, '-', shape_number(o, -1), y->v[i]);
    }
    r->index = y->index;
    if (y->index) return true;
    if (y->has[STEP]) r->has[STEP] = true, r->v[STEP] = shape_op(o, '-', shape_number(o, 0), y->v[STEP]);
    else give(o, r, STEP, -1);
    return true;
}

/* x[a:b][::-1] for known bounds. A start of 0 would have no stop before it, a stop of 0 no start. */
static bool then_reversed(Opt *o, const Slice *x, Slice *r) {
    if (x->k[STEP] != 1 || !absent_or_known(x, STEP) || !absent_or_known(x, START) || !absent_or_known(x, STOP))
        return false;
    if (x->has[STOP] && x->k[STOP] == 0) return false;
    if (x->has[STOP]) give(o, r, START, x->k[STOP] - 1);
    if (x->k[START]) give(o, r, STOP, x->k[START] - 1);
    give(o, r, STEP, -1);
    return true;
}

/* x[a:b:p][i] where that is an index by itself: what is outside of the slice is outside of x. */
static bool index_known(Opt *o, const Slice *x, const Slice *y, Slice *r) {
    int64_t a = x->k[START], i = y->k[START], p = x->k[STEP], b = x->k[STOP];
    r->index = true;
    if (!y->known[START]) return false;
    if (i >= 0) {
        if (a < 0 || (x->has[STOP] && !(x->known[STOP] && b >= 0 && a + i * p < b))) return false;
        give(o, r, START, a + i * p);
        return true;
    }
    if (p != 1 || !absent_or_known(x, STOP)) return false;
    bool fits = a == 0 ? !x->has[STOP] || b < 0 : a < 0 && !x->has[STOP] && i >= a;
    if (fits) give(o, r, START, i + b);
    return fits;
}

/* The end of x[a:b:p][..:w:..], steps forward, a and w known; false: the length decides. */
static bool stop_known(Opt *o, const Slice *x, const Slice *y, Slice *r) {
    int64_t a = x->k[START], b = x->k[STOP], p = x->k[STEP], w = y->k[STOP];
    if (!y->has[STOP]) {
        keep(r, x, STOP);
        return true;
    }
    if (!y->known[STOP] || !absent_or_known(x, STOP)) return false;
    if (w < 0) {
        if (p != 1 || (x->has[STOP] && b >= 0)) return false;
        give(o, r, STOP, b + w);
        return true;
    }
    int64_t end = a + w * p;
    if (a < 0 || (x->has[STOP] && b < 0)) return false;
    give(o, r, STOP, x->has[STOP] && b < end ? b : end);
    return true;
}

/* Known starts and steps, forward. */
static bool forward_known(Opt *o, const Slice *x, const Slice *y, Slice *r) {
    int64_t a = x->k[START], p = x->k[STEP], v = y->k[START], q = y->k[STEP], start;
    if (!absent_or_known(x, START) || !absent_or_known(x, STEP) || p <= 0 || p > CLOSE) return false;
    if (v > CLOSE || v < -CLOSE || y->k[STOP] > CLOSE || q > CLOSE) return false;
    if (y->index) return index_known(o, x, y, r);
    if (!absent_or_known(y, START) || !absent_or_known(y, STEP) || q <= 0) return false;
    if (a >= 0 && v >= 0) start = a + v * p;
    else if (p == 1 && a == 0 && x->k[STOP] <= 0 && absent_or_known(x, STOP) && (!x->has[STOP] || x->k[STOP] < 0))
        start = v + x->k[STOP];
    else if (p == 1 && a < 0 && !x->has[STOP] && v <= 0 && (v < 0 || !y->has[STOP] || y->k[STOP] < 0))
        start = v < 0 && v > a ? v : a;
    else return false;
    if (start < 0 && y->has[STOP] && y->k[STOP] >= 0) return false; /* one end from each side */
    if (!stop_known(o, x, y, r)) return false;
    if (start) give(o, r, START, start);
    if (p * q != 1) give(o, r, STEP, p * q);
    return true;
}

/* A step that is read from a variable, or large, brought near the length n: products of two do not overflow. */
static Sz near(Opt *o, Sz step, Sz n) {
    int64_t k;
    if (shape_known(o, step, &k) && k <= CLOSE && k >= -CLOSE) return step;
    Sz far = shape_op(o, '+', n, shape_number(o, 1));
    return shape_op(o, 'm', shape_op(o, 'M', step, shape_op(o, '-', shape_number(o, 0), far)), far);
}

/* Index i of a slice of m elements, on x: position n, which is never there, where i is outside. */
static Sz index_any(Opt *o, const SliceForm *f, const Slice *y, Sz i, Sz n) {
    Sz at = shape_op(o, '+', f->start, shape_op(o, '*', i, f->step)), ok = -1, low = -1;
    bool known = y->known[START];
    if (!known || y->k[START] >= 0) ok = shape_op(o, '<', i, f->len);
    if (!known || y->k[START] < 0) low = shape_op(o, '<', shape_number(o, -1), i);
    if (ok >= 0 && low >= 0) ok = shape_op(o, '*', ok, low);
    else if (ok < 0) ok = low;
    return shape_op(o, '+', n, shape_op(o, '*', ok, shape_op(o, '-', at, n)));
}

/* By the canonical forms of both, on the lengths. */
static bool by_lengths(Opt *o, ThApply *in, int d, ThApply *a, int e, const Slice *x, const Slice *y, Slice *r) {
    SliceForm f[TH_MAX_NDIM], g[TH_MAX_NDIM];
    if (in->out[0]->nclients != 1 || !shape_slices(o, in, f) || !shape_slices(o, a, g)) return false;
    Sz n = shape_dim(o, in->in[0], d), zero = shape_number(o, 0);
    r->index = y->index;
    r->has[START] = true;
    if (y->index) {
        r->v[START] = index_any(o, &f[d], y, g[e].start, n);
        return true;
    }
    int64_t p, q, k;
    Sz step = shape_op(o, '*', near(o, f[d].step, n), near(o, g[e].step, n));
    Sz start = shape_op(o, '+', f[d].start, shape_op(o, '*', g[e].start, f[d].step));
    bool forward = shape_known(o, f[d].step, &p) && shape_known(o, g[e].step, &q) && p > 0 && q > 0;
    if (!forward) start = shape_op(o, 'M', start, zero); /* of no elements it may be anything */
    Sz stop = shape_op(o, '+', start, shape_op(o, '*', g[e].len, step));
    if (!shape_known(o, step, &k) || k < 0) { /* past the first element, and not from the end */
        Sz past = shape_op(o, '*', shape_op(o, '<', stop, zero), shape_op(o, '+', n, shape_number(o, 1)));
        stop = shape_op(o, '-', stop, past);
    }
    r->has[STOP] = true;
    r->v[START] = start;
    r->v[STOP] = stop;
    if (forward && !y->has[STOP]) keep(r, x, STOP);
    if (shape_known(o, step, &k) && k == 1) return true;
    r->has[STEP] = true;
    r->v[STEP] = step;
    return true;
}

/* From the front by known numbers: of a loop's rows all else stays as written, by which the loop knows what is read. */
static bool counts_rows(const Slice *y) {
    return absent_or_known(y, START) && absent_or_known(y, STOP) && !y->has[STEP] && y->k[START] >= 0 &&
           y->k[STOP] >= 0;
}

bool slices_merge(Opt *o, ThApply *in, int d, ThApply *a, int e, Merged *m) {
    Slice x, y, r = {.index = false};
    if (!slice_read(o, in, d, &x) || !slice_read(o, a, e, &y)) return false;
    if (ask_op(in->in[0], &op_scan) && !counts_rows(&y)) return false;
    bool known = all_reversed(&x) ? of_reversed(o, &y, &r)
                                  : (all_reversed(&y) && then_reversed(o, &x, &r)) || forward_known(o, &x, &y, &r);
    if (!known) {
        r = (Slice){.index = false};
        if (!by_lengths(o, in, d, a, e, &x, &y, &r)) return false;
    }
    *m = (Merged){.kind = r.index ? 'i' : 's'};
    for (int i = 0; i < 3; i++) {
        int64_t k;
        if (!r.has[i]) continue;
        if (r.v[i] < 0) return false;
        m->part[i] = shape_known(o, r.v[i], &k) ? const_scalar_int(&o->b, k) : index_make(&o->b, shape_var(o, r.v[i]));
        if (!m->part[i]) return false;
    }
    return true;
}
