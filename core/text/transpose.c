/*
 * transpose.c -- helpers of a unit that turn rows into columns and back. In: m rows of n elements, m at most one
 * vector's lanes. Out: get_<T>(to, p, st, n, m) leaves column j in to[j], row r in its lane r (lanes past m hold the
 * first row); put_<T>(p, from, st, n, m) stores such columns as rows. As many columns as 16 bytes hold, or 32 of wide
 * elements, go at a time: a vector's parts come from rows so far apart, and what is left is to turn squares inside the
 * parts. The last columns are turned together with some before them once more.
 */
#include "emit.h"

#include <stdio.h>

typedef struct Square {
    int n, parts;       /* columns at a time, which are rows of a square; parts of a vector */
    int all;            /* bytes of a vector */
    char v[16], x[16];  /* types of a vector and of a part */
    const char *single; /* of an element */
} Square;

static void measure(Emit *e, ThDtype d, int lanes, Square *q) {
    int bytes = (int)th_dtype_bytes(d);
    q->all = bytes * lanes;
    q->n = q->all < 16 ? lanes : (q->all == 64 && bytes == 8 ? 32 : 16) / bytes;
    q->parts = lanes / q->n;
    q->single = type_short(d);
    need_type(e, d, lanes, q->v);
    need_type(e, d, q->n, q->x);
}

/* <name>_<T>(a, b): lane l is element from[l] of both in a row. */
static void shuffle(Emit *e, const Square *q, const char *mask, const char *name, const int *from) {
    Text *h = &e->helpers;
    for (int old = 0; old < 2; old++) {
        text_put(h, old ? "#else\n" : "#if defined __clang__ || __GNUC__ > 11\n");
        text_printf(h, "INLINE %s %s_%s(%s a, %s b) { return ", q->v, name, q->v, q->v, q->v);
        text_printf(h, old ? "__builtin_shuffle(a, b, (%s){" : "__builtin_shufflevector(a, b, ", mask);
        for (int l = 0; l < q->n * q->parts; l++) text_printf(h, l ? ", %d" : "%d", from[l]);
        text_put(h, old ? "}); }\n" : "); }\n");
    }
    text_put(h, "#endif\n");
}

/* mixlo_<T>(a, b), mixhi: in each part the first (last) half of a's elements, one of b's after each. */
static void mix(Emit *e, const Square *q, const char *mask, bool hi) {
    int from[64], lanes = q->n * q->parts;
    for (int l = 0; l < lanes; l++) {
        int i = l % q->n;
        from[l] = l - i + i / 2 + (hi ? q->n / 2 : 0) + (i % 2 ? lanes : 0);
    }
    shuffle(e, q, mask, hi ? "mixhi" : "mixlo", from);
}

/* Rows of three one after the other, which points often are, are three vectors: element f of these is column f % 3 of
 * row f / 3. Vector k of what is wanted is k<k>b_<T>(k<k>a_<T>(first, second), third), `get` columns, `put` rows. */
static bool threes(const Square *q) { return q->parts > 1 && q->n <= 4; }

static void three(Emit *e, const Square *q, const char *mask, const char *what, bool put) {
    int a[64], b[64], lanes = q->n * q->parts;
    char name[24];
    for (int k = 0; k < 3 && threes(q); k++) {
        for (int l = 0; l < lanes; l++) {
            int f = put ? k * lanes + l : 3 * l + k, in = put ? f % 3 : f / lanes, at = put ? f / 3 : f % lanes;
            a[l] = in < 2 ? in * lanes + at : 0;
            b[l] = in < 2 ? l : lanes + at;
        }
        snprintf(name, sizeof name, "%s%da", what, k);
        shuffle(e, q, mask, name, a);
        snprintf(name, sizeof name, "%s%db", what, k);
        shuffle(e, q, mask, name, b);
    }
}

/* How gcc says it: parts of x put into a vector of w and taken out of it, of the very type, since a conversion would
 * keep them from going by memory. NULL: by memory all the same. */
typedef struct Parts {
    const char *type, *widen, *put, *take, *mask;
} Parts;

static const Parts *instructions(const Emit *e, const Square *q) {
    static const Parts fours = {"f64", "pd512_256pd", "insertf64x4_mask", "extractf64x4_mask", "(u8)"};
    static const Parts eights = {"f32", "ps512_ps", "insertf32x4_mask", "extractf32x4_mask", "(u16)"};
    static const Parts pairs = {"f64", "pd256_pd", "vinsertf128_pd256", "vextractf128_pd256", NULL};
    static const Parts quads = {"f32", "ps256_ps", "vinsertf128_ps256", "vextractf128_ps256", NULL};
    if (q->all == 64 && e->vector_bytes == 64) return q->parts == 2 ? &fours : &eights;
    if (q->all == 32 && e->vector_bytes >= 32) return q->single[0] == 'f' && q->n == 2 ? &pairs : &quads;
    return NULL;
}

static void types(Text *h, const Square *q, const Parts *w) {
    text_printf(h, "#ifndef __clang__\n    typedef %s X __attribute__((vector_size(%d)));\n", w->type,
                q->all / q->parts);
    text_printf(h, "    typedef %s W __attribute__((vector_size(%d)));\n", w->type, q->all);
}

/* join_<T>(parts): a vector; part<q>_<T>(v): a part of one. By memory, which compilers see through, or where they do
 * not by the instructions that do so while they load and store. */
static void join(Emit *e, const Square *q) {
    Text *h = &e->helpers;
    const Parts *w = instructions(e, q);
    text_printf(h, "INLINE %s join_%s(", q->v, q->v);
    for (int i = 0; i < q->parts; i++) text_printf(h, i ? ", %s x%d" : "%s x%d", q->x, i);
    text_put(h, ") {\n");
    if (w) {
        types(h, q, w);
        text_printf(h, "    W w = __builtin_ia32_%s((X)x0);\n", w->widen);
        for (int i = 1; i < q->parts; i++) {
            text_printf(h, "    w = __builtin_ia32_%s(w, (X)x%d, %d", w->put, i, i);
            text_printf(h, w->mask ? ", w, %s-1);\n" : ");\n", w->mask);
        }
        text_printf(h, "    return (%s)w;\n#else\n", q->v);
    }
    text_printf(h, "    union { %s v; %s x[%d]; } u;\n   ", q->v, q->x, q->parts);
    for (int i = 0; i < q->parts; i++) text_printf(h, " u.x[%d] = x%d;", i, i);
    text_printf(h, "\n    return u.v;\n%s}\n", w ? "#endif\n" : "");
}

static void take(Emit *e, const Square *q, int i) {
    Text *h = &e->helpers;
    const Parts *w = i ? instructions(e, q) : NULL;
    text_printf(h, "INLINE %s part%d_%s(%s v) {\n", q->x, i, q->v, q->v);
    if (w) {
        types(h, q, w);
        text_printf(h, "    return (%s)__builtin_ia32_%s((W)v, %d", q->x, w->take, i);
        text_put(h, w->mask ? ", (X){0}, (u8)-1);\n#else\n" : ");\n#else\n");
    }
    text_printf(h, "    %s x; __builtin_memcpy(&x, (const char *)&v + %d, %d); return x;\n%s}\n", q->x,
                i * (q->all / q->parts), q->all / q->parts, w ? "#endif\n" : "");
}

/* The squares that a0, a1, .. are side by side turned; a<k> holds rows that are q->n apart in its parts. */
static void transposed(Text *h, const Square *q) {
    int half = q->n / 2;
    for (int s = 1; s < q->n; s *= 2) {
        text_printf(h, "        { %s", q->v);
        for (int k = 0; k < q->n; k++)
            text_printf(h, "%s b%d = mix%s_%s(a%d, a%d)", k ? "," : "", k, k % 2 ? "hi" : "lo", q->v, k / 2,
                        k / 2 + half);
        text_put(h, ";\n         ");
        for (int k = 0; k < q->n; k++) text_printf(h, " a%d = b%d;", k, k);
        text_put(h, " }\n");
    }
}

/* The helper's name, what it is made of before it, and its head. */
static char *begin(Emit *e, const char *what, ThDtype d, int lanes, Square *q, bool *fresh) {
    char *name = arena_alloc(e->arena, 40), key[48], mask[16];
    bool put = what[0] == 'p';
    *fresh = false;
    if (!name) return NULL;
    measure(e, d, lanes, q);
    snprintf(name, 40, "%s_%s", what, q->v);
    *fresh = need(e, name);
    if (!*fresh) return name;
    need_mask(e, d, lanes, mask);
    three(e, q, mask, what, put);
    snprintf(key, sizeof key, "transpose %s", q->v);
    if (!need(e, key)) return name;
    for (int hi = 0; hi < 2; hi++) mix(e, q, mask, hi);
    join(e, q);
    for (int i = 0; i < q->parts; i++) take(e, q, i);
    return name;
}

/* Of the last rows, fewer than lanes, a copy that is full. */
static void few(Text *h, const Square *q, bool load) {
    int lanes = q->n * q->parts;
    text_printf(h, "    %s few[%d];\n", q->single, lanes * SIDE_MOST);
    if (load) {
        text_printf(h, "    for (i64 r = 0; r < %d && m < %d; r++)", lanes, lanes);
        text_put(h, " memcpy(few + r * n, p + (r < m ? r * st : 0), (unsigned long)n * sizeof *p);\n");
        text_printf(h, "    if (m < %d) p = few, st = n;\n", lanes);
    } else
        text_printf(h, "    %s *const to = p; const i64 far = st;\n    if (m < %d) p = few, st = n;\n", q->single,
                    lanes);
}

/* Where the loop over blocks of columns stands, and rows of them. */
static void blocks(Text *h, const Square *q, const char *constant) {
    text_printf(h, "    for (i64 i = 0; i < n && n >= %d; i += %d) {\n", q->n, q->n);
    text_printf(h, "        const i64 j = i < n - %d ? i : n - %d;\n", q->n, q->n);
    for (int k = 0; k < q->parts; k++)
        if (!k) text_printf(h, "        %s%s *q0 = p + j", constant, q->single);
        else text_printf(h, ", *q%d = q%d + %d * st", k, k - 1, q->n);
    text_put(h, ";\n");
}

const char *need_get(Emit *e, ThDtype d, int lanes) {
    Square q;
    bool fresh;
    char *name = begin(e, "get", d, lanes, &q, &fresh);
    if (!fresh) return name ? name : "";
    const char *far = need_load(e, d, lanes, 'g');
    Text *h = &e->helpers;
    text_printf(h, "FN void %s(%s *to, const %s *p, i64 st, i64 n, i64 m) {\n", name, q.v, q.single);
    for (int k = 0; k < 3 && threes(&q); k++) {
        if (!k) {
            text_printf(h, "    if (n == 3 && st == 3 && m == %d) {\n        const %su *q = (const %su *)p;\n", lanes,
                        q.v, q.v);
            text_printf(h, "        const %s a = q[0], b = q[1], c = q[2];\n", q.v);
        }
        text_printf(h, "        to[%d] = get%db_%s(get%da_%s(a, b), c);\n", k, k, q.v, k, q.v);
        if (k == 2) text_put(h, "        return;\n    }\n");
    }
    few(h, &q, true);
    text_printf(h, "    for (i64 k = 0; k < n && n < %d; k++) to[k] = %s(p + k, st, %d);\n", q.n, far, lanes);
    blocks(h, &q, "const ");
    for (int k = 0; k < q.n; k++) {
        text_printf(h, "        %s a%d = join_%s(", q.v, k, q.v);
        for (int r = 0; r < q.parts; r++) text_printf(h, "%s*(const %su *)(q%d + %d * st)", r ? ", " : "", q.x, r, k);
        text_put(h, ");\n");
    }
    transposed(h, &q);
    for (int k = 0; k < q.n; k++) text_printf(h, "        to[j + %d] = a%d;\n", k, k);
    text_put(h, "    }\n}\n");
    return name;
}

const char *need_put(Emit *e, ThDtype d, int lanes) {
    Square q;
    bool fresh;
    char *name = begin(e, "put", d, lanes, &q, &fresh);
    if (!fresh) return name ? name : "";
    const char *far = need_store(e, d, lanes, 'g');
    Text *h = &e->helpers;
    text_printf(h, "FN void %s(%s *p, const %s *from, i64 st, i64 n, i64 m) {\n", name, q.single, q.v);
    for (int k = 0; k < 3 && threes(&q); k++) {
        if (!k)
            text_printf(h, "    if (n == 3 && st == 3 && m == %d) {\n        %su *q = (%su *)p;\n", lanes, q.v, q.v);
        text_printf(h, "        q[%d] = put%db_%s(put%da_%s(from[0], from[1]), from[2]);\n", k, k, q.v, k, q.v);
        if (k == 2) text_put(h, "        return;\n    }\n");
    }
    few(h, &q, false);
    text_printf(h, "    for (i64 k = 0; k < n && n < %d; k++) %s(p + k, from[k], st, %d);\n", q.n, far, lanes);
    blocks(h, &q, "");
    for (int k = 0; k < q.n; k++) text_printf(h, "        %s a%d = from[j + %d];\n", q.v, k, k);
    transposed(h, &q);
    for (int r = 0; r < q.parts; r++)
        for (int k = 0; k < q.n; k++)
            text_printf(h, "        *(%su *)(q%d + %d * st) = part%d_%s(a%d);\n", q.x, r, k, r, q.v, k);
    text_printf(h, "    }\n    for (i64 r = 0; r < m && m < %d; r++)", lanes);
    text_put(h, " memcpy(to + r * far, few + r * n, (unsigned long)n * sizeof *p);\n}\n");
    return name;
}
