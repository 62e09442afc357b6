/*
 * micro.h -- the micro-kernels' one source. Included twice by each micro_<isa>.c, which defines before:
 *   T, T_BYTES, VBYTES, NV element type and its bytes, bytes of a vector, vectors of the widest tile
 *   ISA                    name of the instruction set
 *   FN(x)                  name of x for this type
 *   VFMA(a, b, c), SFMA    a * b + c on vectors and scalars, fused where the instruction set has it
 *   QFMA                   the same on 16 bytes
 *   VPART(p, n)            vector of p[0..n) and zeros; n in 0..VL
 *   VPUT(p, v, n)          p[0..n) = v
 *   VSET(s)                all lanes s
 *   VEDGE(p, n)            VPART where that costs no more than a whole vector; else left out
 *   TURN_EIGHT(d, ds, s, ss)  d[j][i] = s[i][j]; for eight rows i and j < Q; else by 16 bytes
 *   TURN_SQUARE(d, ds, s, ss, n)  ..for VL rows i and j < n <= VL; else left out
 *   VPICK(v, i), VLINE     lane i[l] of v for every lane l, with vectors VLINE of lane numbers; else left out
 * Accumulators are named variables and every test of R and W is on a constant, so that the code does not depend on the
 * compiler's unroller (with arrays it is six to eight times slower when that fails).
 */
#include <string.h>

#define VL ((int)(VBYTES / sizeof(T)))
#define V FN(Vec)
#define VU FN(VecU)
typedef T V __attribute__((vector_size(VBYTES)));
typedef T VU __attribute__((vector_size(VBYTES), aligned(sizeof(T)), may_alias));
#define LANES ((int)(64 / sizeof(T)))
#define PARTS (64 / VBYTES) /* vectors that make up 64 bytes of lanes */
#define INLINE static inline __attribute__((always_inline))

/* ---- register tiles ---------------------------------------------------------------------------------------------- */
#define ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5)
/* X(row, its pointer, steps of a row from there): few pointers, so that they and the step stay in registers */
#define TALL_ROWS(X) \
    X(0, 0, 0) \
    X(1, 0, 1) \
    X(2, 0, 2) X(3, 1, 0) X(4, 1, 1) X(5, 1, 2) X(6, 2, 0) X(7, 2, 1) X(8, 2, 2) X(9, 3, 0) X(10, 3, 1) X(11, 3, 2)
#define DECLARE(i, ...) V c##i##0 = {0}, c##i##1 = {0}, c##i##2 = {0}, c##i##3 = {0};
#define STEP(i, p, q) \
    if (R > i) { \
        V s = VSET(*(const T *)(a##p + q * ars + ao)); \
        c##i##0 = VFMA(b0, s, c##i##0); \
        if (W > 1) c##i##1 = VFMA(b1, s, c##i##1); \
        if (W > 2) c##i##2 = VFMA(b2, s, c##i##2); \
        if (W > 3) c##i##3 = VFMA(b3, s, c##i##3); \
    }
/* All of c is read before any of it is stored: parts of vectors of neighbouring rows overlap in the store buffer. */
#define JOIN(i, MIX) \
    if (R > i) { \
        const T *c = (const T *)t->c + i * t->crs; \
        if (W > 1) c##i##0 = MIX(c##i##0, *(const VU *)c); \
        if (W > 2) c##i##1 = MIX(c##i##1, *(const VU *)(c + VL)); \
        if (W > 3) c##i##2 = MIX(c##i##2, *(const VU *)(c + 2 * VL)); \
        V old = tail == VL ? (V) * (const VU *)(c + (W - 1) * VL) : (V)VPART(c + (W - 1) * VL, tail); \
        if (W == 1) c##i##0 = MIX(c##i##0, old); \
        if (W == 2) c##i##1 = MIX(c##i##1, old); \
        if (W == 3) c##i##2 = MIX(c##i##2, old); \
        if (W == 4) c##i##3 = MIX(c##i##3, old); \
    }
#define MIX_SCALED(v, old) VFMA(va, v, vb *(old))
#define MIX_WHOLE(v, old) VFMA(va, v, old)
#define BLEND(i, p, q) JOIN(i, MIX_SCALED)
#define ADD(i, p, q) JOIN(i, MIX_WHOLE)
#define SCALE(i, p, q) \
    if (R > i) c##i##0 = va * c##i##0, c##i##1 = va * c##i##1, c##i##2 = va * c##i##2, c##i##3 = va * c##i##3;
#define PUT(i, p, q) \
    if (R > i) FN(put_row)((T *)t->c + i * t->crs, W, tail, c##i##0, c##i##1, c##i##2, c##i##3);
#define WARM(i, p, q) \
    if (R > i) { \
        const char *row = (const char *)((T *)t->c + i * t->crs); \
        for (int at = 0; at < W * VBYTES; at += 64) __builtin_prefetch(row + at, 1); \
    }

INLINE void FN(put_row)(T *c, int W, int64_t tail, V v0, V v1, V v2, V v3) {
    if (W > 1) *(VU *)c = v0;
    if (W > 2) *(VU *)(c + VL) = v1;
    if (W > 3) *(VU *)(c + 2 * VL) = v2;
    V last = W == 1 ? v0 : W == 2 ? v1 : W == 3 ? v2 : v3;
    c += (W - 1) * VL;
    if (tail == VL) *(VU *)c = last;
    else VPUT(c, last, tail);
}

/* forms of a tile: any layout; any, copying b to pack; b rows of W vectors and a packed; the same with a's rows in
 * place; any, asking for the next columns of b
 */
enum { FN(ANY), FN(FUSE), FN(PACKED), FN(IN_ROWS), FN(IN_COLUMNS), FN(AHEAD) };

/* One step of k: b from `at`, a's columns `off` further. */
#define STEP_FROM(at, off, load_last) \
    { \
        const T *from = (at); \
        const int64_t ao = (off); \
        V b0 = W == 1 ? load_last(from) : (V) * (const VU *)from, b1 = b0, b2 = b0, b3 = b0; \
        if (W > 1) b1 = W == 2 ? load_last(from + VL) : (V) * (const VU *)(from + VL); \
        if (W > 2) b2 = W == 3 ? load_last(from + 2 * VL) : (V) * (const VU *)(from + 2 * VL); \
        if (W > 3) b3 = load_last(from + 3 * VL); \
        TALL_ROWS(STEP) \
    }
#define WHOLE(p) ((V) * (const VU *)(p))
#define FOUR_STEPS \
    STEP_FROM(b, 0, WHOLE) \
    STEP_FROM(b + W * VL, acs, WHOLE) \
    STEP_FROM(b + 2 * W * VL, 2 * acs, WHOLE) \
    STEP_FROM(b + 3 * W * VL, 3 * acs, WHOLE) \
    b += 4 * W * VL, a0 += 4 * acs; \
    if (R > 3) a1 += 4 * acs; \
    if (R > 6) a2 += 4 * acs, a3 += 4 * acs;

INLINE void FN(tile)(const GemmTile *t, int R, int W, int form) {
    const bool quick = form != FN(ANY) && form != FN(FUSE) && form != FN(AHEAD);
    const int64_t item = sizeof(T), ars = form == FN(PACKED) || form == FN(IN_COLUMNS) ? item : t->ars * item;
    const int64_t acs = form == FN(PACKED) ? R * item : form == FN(IN_ROWS) ? item : t->acs * item;
    const char *a0 = t->a, *a1 = a0 + 3 * ars, *a2 = a0 + t->half * item, *a3 = a2 + 3 * ars;
    const T *b = t->b;
    T *pack = t->pack;
    int64_t k = t->k;
#ifdef VEDGE
    int64_t edge = t->edge ? t->edge : VL;
#define LAST(p) ((V)VEDGE(p, edge))
#else
#define LAST(p) WHOLE(p)
#endif
    TALL_ROWS(DECLARE)
    if (quick) {
        const char *ahead = t->ahead;
        int64_t n = t->nahead < k / 4 ? t->nahead : k / 4;
        k -= 4 * n;
        for (; n > 0; n--) {
            FOUR_STEPS
            for (int q = 0; q < W * VBYTES; q += 64) __builtin_prefetch(ahead + q);
            __builtin_prefetch(ahead + W * VBYTES - 1);
            ahead += t->ahead_step;
        }
        for (; k >= 4; k -= 4) { FOUR_STEPS }
    } else if (t->beta != 0) {
        TALL_ROWS(WARM)
    }
    for (; k > 0; k--) {
        if (quick) STEP_FROM(b, 0, WHOLE)
        else STEP_FROM(b, 0, LAST)
        if (form == FN(AHEAD))
            for (int q = 0; q < W * VBYTES; q += 64) __builtin_prefetch((const char *)(b + W * VL) + q);
        if (form == FN(FUSE)) {
            for (int q = 0; q < W * VBYTES; q += 64) __builtin_prefetch((const char *)(b + 8 * t->brs) + q);
            for (int w = 0; w < W - 1; w++) *(VU *)(pack + w * VL) = *(const VU *)(b + w * VL);
            *(VU *)(pack + (W - 1) * VL) = LAST(b + (W - 1) * VL);
            pack += W * VL;
        }
        b += quick ? W * VL : t->brs;
        a0 += acs;
        if (R > 3) a1 += acs;
        if (R > 6) a2 += acs, a3 += acs;
    }
    V va = VSET((T)t->alpha), vb = VSET((T)t->beta);
    int64_t tail = t->tail;
    if (t->beta == 1) {
        TALL_ROWS(ADD)
    } else if (t->beta != 0) {
        TALL_ROWS(BLEND)
    } else if (t->alpha != 1) {
        TALL_ROWS(SCALE)
    }
    TALL_ROWS(PUT)
}
#undef LAST

#define TILE(r, w) \
    static void FN(tile_##r##x##w)(const GemmTile *t) { FN(tile)(t, r, w, FN(ANY)); }
#if defined(__OPTIMIZE_SIZE__) && VBYTES == 16 /* two tiles of each width, which the others call: the same chains */
#define FEW_TILES
#define LESS(r, w) \
    static void FN(tile_##r##x##w)(const GemmTile *t) { FN(tile_by_rows)(t, r, FN(tile_1x##w)); }
#define FUSED(w) \
    static void FN(fused_##w)(const GemmTile *t) { FN(tile_packed)(t, w, FN(tile_6x##w)); }
#define TILES(w) TILE(1, w) LESS(2, w) LESS(3, w) LESS(4, w) LESS(5, w) TILE(6, w) FUSED(w)
#define QUICK(name, form) \
    static void FN(name)(const GemmTile *t) { FN(tile_laid)(t, FN(form), FN(tile_6x2)); }

static void FN(tile_by_rows)(const GemmTile *t, int rows, GemmTileFn row) {
    GemmTile own = *t;
    for (int i = 0; i < rows; i++) {
        row(&own);
        own.a = (const T *)own.a + t->ars, own.c = (T *)own.c + t->crs;
    }
}

static void FN(tile_packed)(const GemmTile *t, int w, GemmTileFn tile) {
    GemmTile own = *t;
    const T *b = t->b;
    T *pack = t->pack;
    for (int64_t k = t->k; k > 0; k--, b += t->brs, pack += w * VL) memcpy(pack, b, (size_t)(w * VBYTES));
    own.b = t->pack, own.brs = w * VL;
    tile(&own);
}

static void FN(tile_laid)(const GemmTile *t, int form, GemmTileFn tile) {
    GemmTile own = *t;
    if (form != FN(IN_ROWS)) own.ars = 1;
    if (form != FN(IN_COLUMNS)) own.acs = form == FN(PACKED) ? 6 : 1;
    own.brs = NV * VL, own.edge = 0;
    tile(&own);
}
#else
#define FUSED(w) \
    static void FN(fused_##w)(const GemmTile *t) { FN(tile)(t, 6, w, FN(FUSE)); }
#define TILES(w) TILE(1, w) TILE(2, w) TILE(3, w) TILE(4, w) TILE(5, w) TILE(6, w) FUSED(w)
#define QUICK(name, form) \
    static void FN(name)(const GemmTile *t) { FN(tile)(t, 6, NV, FN(form)); }
#endif
TILES(1)
TILES(2)
QUICK(quick_packed, PACKED)
QUICK(quick_rows, IN_ROWS)
QUICK(quick_columns, IN_COLUMNS)
#if NV > 2
TILES(3)
TILES(4)
TILE(12, 1)
TILE(12, 2)

#define TALL_ROW \
    { FN(tile_12x1), FN(tile_12x2) }
#define TILE_ROW(r) {FN(tile_##r##x1), FN(tile_##r##x2), FN(tile_##r##x3), FN(tile_##r##x4)},
#define FUSED_ROW \
    { FN(fused_1), FN(fused_2), FN(fused_3), FN(fused_4) }
#else
#define TILE_ROW(r) {FN(tile_##r##x1), FN(tile_##r##x2)},
#define FUSED_ROW \
    { FN(fused_1), FN(fused_2) }
#define TALL_ROW \
    { NULL }
#endif

/* ---- packing ----------------------------------------------------------------------------------------------------- */
/* 16 bytes at a time: blocks of Q x Q are turned in registers. */
#define Q ((int)(16 / sizeof(T)))
typedef T FN(Quad) __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));

/* dst[j][i] = src[i][j] for a Q x Q block; row strides ds and ss */
INLINE void FN(turn)(T *dst, int64_t ds, const T *src, int64_t ss) {
#define IN(i) (*(const FN(Quad) *)(src + (i)*ss))
#define OUT(i) (*(FN(Quad) *)(dst + (i)*ds))
#define MIX __builtin_shufflevector
#if T_BYTES == 4
    FN(Quad) r0 = IN(0), r1 = IN(1), r2 = IN(2), r3 = IN(3);
    FN(Quad) p0 = MIX(r0, r1, 0, 4, 1, 5), p1 = MIX(r0, r1, 2, 6, 3, 7);
    FN(Quad) p2 = MIX(r2, r3, 0, 4, 1, 5), p3 = MIX(r2, r3, 2, 6, 3, 7);
    OUT(0) = MIX(p0, p2, 0, 1, 4, 5);
    OUT(1) = MIX(p0, p2, 2, 3, 6, 7);
    OUT(2) = MIX(p1, p3, 0, 1, 4, 5);
    OUT(3) = MIX(p1, p3, 2, 3, 6, 7);
#else
    FN(Quad) r0 = IN(0), r1 = IN(1);
    OUT(0) = MIX(r0, r1, 0, 2);
    OUT(1) = MIX(r0, r1, 1, 3);
#endif
#undef IN
#undef OUT
#undef MIX
}

/* d[j][i] = s[i][j] for n rows i and m columns j, multiples of Q, up to 64 bytes of columns: a line of memory is read
 * once, since rows (of a weight) often lie a power of two apart, where few lines stay in the cache together. */
INLINE void FN(turn_lines)(T *d, int64_t ds, const T *s, int64_t ss, int64_t n, int64_t m) {
    int64_t i = 0;
#ifdef TURN_SQUARE
    for (; i + VL <= n; i += VL) TURN_SQUARE(d + i, ds, s + i * ss, ss, m);
#endif
#ifdef TURN_EIGHT
    for (; i + 8 <= n; i += 8)
        for (int64_t j = 0; j < m; j += Q) { TURN_EIGHT(d + j * ds + i, ds, s + i * ss + j, ss) }
#endif
    for (; i < n; i += Q)
        for (int64_t j = 0; j < m; j += Q) FN(turn)(d + j * ds + i, ds, s + i * ss + j, ss);
}

static void FN(pack_b)(void *out, int64_t lanes, const void *in, int64_t rs, int64_t cs, int64_t k, int64_t n) {
    T *dst = out;
    const T *src = in;
    if (cs == 1) {
        int64_t whole = n / VL * VL;
        for (int64_t q = 0; q < k; q++, dst += lanes, src += rs) {
            for (int64_t j = 0; j < whole; j += VL) *(VU *)(dst + j) = *(const VU *)(src + j);
            for (int64_t j = whole; j < lanes; j += VL) *(VU *)(dst + j) = VPART(src + j, n > j ? n - j : 0);
        }
        return;
    }
    int64_t kq = rs == 1 ? k / Q * Q : 0, nq = rs == 1 ? n / Q * Q : 0;
    for (int64_t q = 0; q < kq; q += LANES)
        FN(turn_lines)(dst + q * lanes, lanes, src + q, cs, nq, kq - q < LANES ? kq - q : LANES);
    for (int64_t q = 0; q < k; q++) {
        int64_t j = q < kq ? nq : 0;
        for (; j < n; j++) dst[q * lanes + j] = src[q * rs + j * cs];
        for (; j < lanes; j++) dst[q * lanes + j] = 0;
    }
}

/* Rows of six, n times, that are neighbours in memory: each line of memory is read once. Rows of k (of a layer's inputs
 * for the gradient of its weight) often lie a power of two apart, so that a line that one block of rows has read would
 * be gone before the next one asks for it. */
INLINE void FN(pack_blocks)(T *dst, const T *src, int64_t cs, int64_t k, int n) {
    for (int64_t q = 0; q < k; q++, dst += GEMM_MR, src += cs) {
        for (int at = 0; at < n * GEMM_MR; at += LANES) __builtin_prefetch(src + 8 * cs + at);
        for (int b = 0; b < n; b++) memcpy(dst + b * k * GEMM_MR, src + b * GEMM_MR, GEMM_MR * sizeof(T));
    }
}

/* Blocks of six rows of a, the last one of what is left, each k columns of its rows. */
static void FN(pack_a)(void *out, const void *in, int64_t rs, int64_t cs, int64_t m, int64_t k) {
    enum { SIDE = 8 };
    T *dst = out;
    const T *src = in;
    if (rs == 1) {
        for (; m >= SIDE * GEMM_MR; m -= SIDE * GEMM_MR, dst += SIDE * GEMM_MR * k, src += SIDE * GEMM_MR)
            FN(pack_blocks)(dst, src, cs, k, SIDE);
        int64_t left = m / GEMM_MR;
        if (left) FN(pack_blocks)(dst, src, cs, k, (int)left);
        m -= left * GEMM_MR, dst += left * GEMM_MR * k, src += left * GEMM_MR;
    }
    for (; m >= GEMM_MR; m -= GEMM_MR, src += GEMM_MR * rs) {
        const T *from = src;
        for (int64_t q = 0; q < k; q++, dst += GEMM_MR, from += cs) {
            dst[0] = from[0], dst[1] = from[rs], dst[2] = from[2 * rs];
            dst[3] = from[3 * rs], dst[4] = from[4 * rs], dst[5] = from[5 * rs];
        }
    }
    for (int64_t q = 0; q < k && m; q++, src += cs)
        for (int64_t i = 0; i < m; i++) *dst++ = src[i * rs];
}

/* The j of a run whose position p + s j lies in [0, len): at most lo .. hi stays. */
INLINE void FN(clip)(int64_t *lo, int64_t *hi, int64_t p, int64_t s, int64_t len) {
    int64_t first = 0, end = *hi;
    if (s == 0) end = p >= 0 && p < len ? end : 0;
    else if (s == 1) first = -p, end = len - p;
    else if (s > 0) first = p < 0 ? (s - 1 - p) / s : 0, end = len > p ? (len - p + s - 1) / s : 0;
    else first = p >= len ? (p - len) / -s + 1 : 0, end = p >= 0 ? p / -s + 1 : 0;
    if (first > *lo) *lo = first;
    if (end < *hi) *hi = end;
}

INLINE void FN(zero)(T *d, int64_t from, int64_t to) {
    for (int64_t j = from; j < to; j++) d[j] = 0;
}

static void FN(gather_run)(T *d, const GemmOperand *o, const GemmRun *r, int64_t at, const int64_t *pos) {
    int last = o->col.nd - 1;
    int64_t lo = 0, hi = r->n, step = o->col.st[last];
    for (int b = 0; b < o->nbound; b++) FN(clip)(&lo, &hi, pos[b] + r->pos[b], o->bound[b].col[last], o->bound[b].len);
    if (hi <= lo) {
        FN(zero)(d, 0, r->n);
        return;
    }
    const T *s = (const T *)o->at + at + r->at;
    FN(zero)(d, 0, lo);
    int64_t j = lo;
    if (step == 1) {
        for (; j + VL <= hi; j += VL) *(VU *)(d + j) = *(const VU *)(s + j);
        if (j < hi) VPUT(d + j, VPART(s + j, hi - j), hi - j);
    } else {
        for (; j < hi; j++) d[j] = s[j * step];
    }
    FN(zero)(d, hi, r->n);
}

static void FN(gather)(void *to, const GemmPanel *p) {
    const GemmOperand *o = p->o;
    int64_t i[GEMM_DIMS], left = p->k0;
    for (int d = o->row.nd - 1; d >= 0; d--) i[d] = d ? left % o->row.len[d] : left, left /= o->row.len[d];
    T *dst = to;
    for (int64_t k = 0; k < p->k; k++, dst += p->lanes) {
        int64_t at = 0, pos[GEMM_BOUNDS];
        for (int d = 0; d < o->row.nd; d++) at += i[d] * o->row.st[d];
        for (int b = 0; b < o->nbound; b++) {
            pos[b] = o->bound[b].off;
            for (int d = 0; d < o->row.nd; d++) pos[b] += i[d] * o->bound[b].row[d];
        }
        for (int r = 0; r < p->nrun; r++) FN(gather_run)(dst + p->run[r].to, o, &p->run[r], at, pos);
        FN(zero)(dst, p->cols, p->lanes);
        for (int d = o->row.nd - 1; d >= 0 && ++i[d] == o->row.len[d] && d > 0; d--) i[d] = 0;
    }
}

INLINE T FN(blend)(T sum, T alpha, T beta, const T *c) { return beta != 0 ? SFMA(alpha, sum, beta * *c) : alpha * sum; }

static void FN(scatter)(const void *t, int64_t trs, int64_t m, int64_t n, void *c, int64_t crs, int64_t ccs,
                        double alpha, double beta) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            T *p = (T *)c + i * crs + j * ccs;
            *p = FN(blend)(((const T *)t)[i * trs + j], (T)alpha, (T)beta, p);
        }
}

/* ---- matrix times vector ----------------------------------------------------------------------------------------- */
/* Sum of `lanes` numbers by halving: t[i] += t[i + h] for h = lanes/2 ... 1 */
INLINE T FN(fold)(T *t, int lanes) {
    for (int h = lanes / 2; h > 0; h /= 2)
        for (int i = 0; i < h; i++) t[i] += t[i + h];
    return t[0];
}

/* The same sum of one vector. */
INLINE T FN(fold_vector)(V v) {
#if VBYTES == 64
    typedef T H __attribute__((vector_size(32)));
    union {
        V v;
        H h[2];
    } u = {v};
    H w = u.h[0] + u.h[1];
#elif VBYTES == 32
    V w = v;
#endif
#if VBYTES >= 32
    typedef T HH __attribute__((vector_size(16)));
    union {
        __typeof__(w) v;
        HH h[2];
    } y = {w};
    HH x = y.h[0] + y.h[1];
#else
    V x = v;
#endif
#if T_BYTES == 8
    return x[0] + x[1];
#else
    return (x[0] + x[2]) + (x[1] + x[3]);
#endif
}

/* Eight accumulators: 8/PARTS rows of PARTS vectors each. */
#define EIGHT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define DOT_ROWS (8 / PARTS)
#define DOT_START(i) \
    V s##i = {0}; \
    const T *p##i = a + FN(at_most)((i) / PARTS, last) * v->ars + (i) % PARTS * VL;
#define DOT_STEP(i) s##i = VFMA(*(const VU *)(p##i + k), *(const VU *)(x + k + (i) % PARTS * VL), s##i);
#define DOT_LEFT(i) FN(left)(rest - (i) % PARTS * VL)
#define DOT_TAIL(i) s##i = VFMA(VPART(p##i + k, DOT_LEFT(i)), VPART(x + k + (i) % PARTS * VL, DOT_LEFT(i)), s##i);

INLINE int64_t FN(at_most)(int64_t i, int64_t n) { return i < n ? i : n; }
INLINE int64_t FN(left)(int64_t n) { return n < 0 ? 0 : n < VL ? n : VL; }

/* A matrix that no cache near the core holds is read in the order of its memory, line by line: the processor reads on
 * by itself there, which it does not where several short lines advance together. (120 columns, 100 MB: 10 GB/s, in
 * order 30.) Several long ones hide each other's ends. (3,162 columns: 30 GB/s, in order 20.) */
INLINE bool FN(is_far)(int64_t lines, int64_t stride) {
    return stride > 0 && lines * stride * (int64_t)sizeof(T) > (6 << 20);
}

/* Row i of a times x, on the lanes of dot_rows. */
INLINE void FN(dot_row)(const GemmVec *v, const T *x, int64_t i) {
    const T *a = (const T *)v->a + i * v->ars;
    V s[PARTS] = {{0}};
    int64_t k = 0;
    for (; k + LANES <= v->k; k += LANES)
        for (int p = 0; p < PARTS; p++) s[p] = VFMA(*(const VU *)(a + k + p * VL), *(const VU *)(x + k + p * VL), s[p]);
    for (int p = 0; p < PARTS && k < v->k; p++) {
        int64_t n = FN(left)(v->k - k - p * VL);
        s[p] = VFMA(VPART(a + k + p * VL, n), VPART(x + k + p * VL, n), s[p]);
    }
    for (int h = PARTS / 2; h > 0; h /= 2)
        for (int p = 0; p < h; p++) s[p] += s[p + h];
    T *y = (T *)v->y + i * v->ys;
    *y = FN(blend)(FN(fold_vector)(s[0]), (T)v->alpha, (T)v->beta, y);
}

/* Rows i .. i + DOT_ROWS of a (unit column stride) times x (unit stride). */
static void FN(dot_rows)(const GemmVec *v, const T *x, int64_t i) {
    const T *a = (const T *)v->a + i * v->ars;
    int64_t last = v->m - i - 1, k = 0;
    EIGHT(DOT_START)
    for (; k + LANES <= v->k; k += LANES) { EIGHT(DOT_STEP) }
    int64_t rest = v->k - k;
    if (rest > 0) { EIGHT(DOT_TAIL) }
    T sum[8];
#if PARTS == 1
#define DOT_SUM(i) sum[i] = FN(fold_vector)(s##i);
    EIGHT(DOT_SUM)
#undef DOT_SUM
#elif PARTS == 2
    sum[0] = FN(fold_vector)(s0 + s1), sum[1] = FN(fold_vector)(s2 + s3);
    sum[2] = FN(fold_vector)(s4 + s5), sum[3] = FN(fold_vector)(s6 + s7);
#else
    sum[0] = FN(fold_vector)((s0 + s2) + (s1 + s3)), sum[1] = FN(fold_vector)((s4 + s6) + (s5 + s7));
#endif
    T *y = (T *)v->y + i * v->ys;
    for (int r = 0; r < DOT_ROWS && r <= last; r++, y += v->ys) *y = FN(blend)(sum[r], (T)v->alpha, (T)v->beta, y);
}

/* n rows of some columns of a times as many x: s[r] += a[r] x0 and for four columns also those LANES, 2 LANES, 3 LANES
 * further, in this order. */
INLINE void FN(add_part)(T *s, const T *a, int64_t da, V x0, V x1, V x2, V x3, int64_t n, int columns) {
    V t = VFMA(VPART(a, n), x0, VPART(s, n));
    if (columns == 4) {
        t = VFMA(VPART(a + da, n), x1, t);
        t = VFMA(VPART(a + 2 * da, n), x2, t);
        t = VFMA(VPART(a + 3 * da, n), x3, t);
    }
    VPUT(s, t, n);
}

/* Rows i .. i + n, lane of column k; the first `head` rows end where a vector of a starts, as LANES columns further. */
INLINE void FN(add_columns)(const GemmVec *v, int64_t i, int64_t n, int64_t head, int64_t k, int columns, T *s) {
    int64_t da = LANES * v->acs, dx = LANES * v->xs, r = head;
    const T *a = (const T *)v->a + i + k * v->acs, *x = (const T *)v->x + k * v->xs;
    V x0 = VSET(x[0]), x1 = x0, x2 = x0, x3 = x0;
    if (columns == 4) x1 = VSET(x[dx]), x2 = VSET(x[2 * dx]), x3 = VSET(x[3 * dx]);
    if (head) FN(add_part)(s, a, da, x0, x1, x2, x3, head, columns);
    for (; r + VL <= n; r += VL) {
        V t = VFMA(*(const VU *)(a + r), x0, *(VU *)(s + r));
        if (columns == 4) {
            t = VFMA(*(const VU *)(a + da + r), x1, t);
            t = VFMA(*(const VU *)(a + 2 * da + r), x2, t);
            t = VFMA(*(const VU *)(a + 3 * da + r), x3, t);
        }
        *(VU *)(s + r) = t;
    }
    if (r < n) FN(add_part)(s + r, a + r, da, x0, x1, x2, x3, n - r, columns);
}

/* Rows i .. i + n of a with unit row stride: lanes[l][row] in scratch, four columns of a lane at a time. A lane starts
 * where vectors of a and of the lane are aligned together. A far matrix is read in order where no lane leaves the first
 * cache. */
static void FN(dot_columns)(const GemmVec *v, int64_t i, int64_t n) {
    const bool in_order = n == v->m && n <= 256 && FN(is_far)(v->k, v->acs);
    int64_t step = (n + VL - 1) / VL * VL + VL, rest = v->k % LANES, k = 0, heads[LANES];
    T *lanes[LANES], *first = v->scratch;
    for (int64_t l = 0; l < LANES; l++) {
        int64_t off = (int64_t)((uintptr_t)((const T *)v->a + i + l * v->acs) / sizeof(T) % VL);
        if (n <= 2 * VL) off = 0;
        heads[l] = FN(at_most)((VL - off) % VL, n);
        lanes[l] = first + l * step + off;
        for (int64_t q = 0; q < step; q += VL) *(VU *)(first + l * step + q) = (V){0};
    }
    for (; !in_order && k + 4 * LANES <= v->k; k += 4 * LANES)
        for (int l = 0; l < LANES; l++) FN(add_columns)(v, i, n, heads[l], k + l, 4, lanes[l]);
    for (; k < v->k; k++) FN(add_columns)(v, i, n, heads[k % LANES], k, 1, lanes[k % LANES]);
    /* dot_rows adds a product of zeros to the lanes past the end: turns -0 into 0 there and here */
    for (int64_t l = rest ? rest : LANES; l < LANES; l++)
        for (int64_t q = 0; q < n; q++) lanes[l][q] += 0;
    for (int64_t h = LANES / 2; h > 0; h /= 2)
        for (int64_t l = 0; l < h; l++)
            for (int64_t q = 0; q < n; q += VL)
                if (q + VL <= n) *(VU *)(lanes[l] + q) += *(VU *)(lanes[l + h] + q);
                else VPUT(lanes[l] + q, VPART(lanes[l] + q, n - q) + VPART(lanes[l + h] + q, n - q), n - q);
    T *y = (T *)v->y + i * v->ys;
    for (int64_t r = 0; r < n; r++, y += v->ys) *y = FN(blend)(lanes[0][r], (T)v->alpha, (T)v->beta, y);
}

/* Any strides, one row: the same lanes in a loop. Also the single dot product, which has four times the lanes. */
static void FN(dot_strided)(const GemmVec *v, int64_t i, int lanes) {
    T t[4 * LANES] = {0};
    const T *a = (const T *)v->a + i * v->ars, *x = v->x;
    int64_t k = 0;
    for (; k < v->k; k++) t[k % lanes] = SFMA(a[k * v->acs], x[k * v->xs], t[k % lanes]);
    for (; k % LANES; k++) t[k % lanes] += 0;
    T *y = (T *)v->y + i * v->ys;
    *y = FN(blend)(FN(fold)(t, lanes), (T)v->alpha, (T)v->beta, y);
}

/* One dot product of unit strides on 4 x 64 bytes of lanes. */
#define GROUP(p, g) (((g)*PARTS + (p)) * VL)
#define ONE_PART(p) \
    { \
        V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}; \
        int64_t k = (p)*VL; \
        for (int64_t end = v->k - v->k % (4 * LANES); k < end; k += 4 * LANES) { \
            s0 = VFMA(*(const VU *)(a + k), *(const VU *)(x + k), s0); \
            s1 = VFMA(*(const VU *)(a + k + LANES), *(const VU *)(x + k + LANES), s1); \
            s2 = VFMA(*(const VU *)(a + k + 2 * LANES), *(const VU *)(x + k + 2 * LANES), s2); \
            s3 = VFMA(*(const VU *)(a + k + 3 * LANES), *(const VU *)(x + k + 3 * LANES), s3); \
        } \
        *(VU *)(t + GROUP(p, 0)) = s0, *(VU *)(t + GROUP(p, 1)) = s1; \
        *(VU *)(t + GROUP(p, 2)) = s2, *(VU *)(t + GROUP(p, 3)) = s3; \
    }

static void FN(dot_one)(const GemmVec *v) {
    T t[4 * LANES];
    const T *a = v->a, *x = v->x;
    ONE_PART(0)
#if PARTS > 1
    ONE_PART(1)
#endif
#if PARTS > 2
    ONE_PART(2)
    ONE_PART(3)
#endif
    int64_t k = v->k - v->k % (4 * LANES);
    for (int l = 0; k < v->k; k++, l++) t[l] = SFMA(a[k], x[k], t[l]);
    for (; k % LANES; k++) t[k % (4 * LANES)] += 0;
    *(T *)v->y = FN(blend)(FN(fold)(t, 4 * LANES), (T)v->alpha, (T)v->beta, v->y);
}

#ifdef VPICK
#include "few_micro.h"
#endif

static void FN(gemv)(const GemmVec *v) {
    if (v->m == 1) {
        if (v->acs == 1 && v->xs == 1) FN(dot_one)(v);
        else FN(dot_strided)(v, 0, 4 * LANES);
    } else if (v->acs == 1 && v->xs == 1 && FN(is_far)(v->m, v->ars) && v->k * (int64_t)sizeof(T) < 8192) {
        for (int64_t i = 0; i < v->m; i++) FN(dot_row)(v, v->x, i);
    } else if (v->acs == 1 && v->xs == 1) {
        for (int64_t i = 0; i < v->m; i += DOT_ROWS) FN(dot_rows)(v, v->x, i);
#ifdef VPICK
    } else if (v->ars == 1 && v->xs == 1 && v->acs == v->m && v->m <= GEMM_FEW) {
        FN(few_sums_of)[v->m](v);
#endif
    } else if (v->ars == 1) {
        int64_t rows = GEMV_BLOCK_BYTES / 64 - VL;
        for (int64_t i = 0; i < v->m; i += rows) FN(dot_columns)(v, i, v->m - i < rows ? v->m - i : rows);
    } else {
        for (int64_t i = 0; i < v->m; i++) FN(dot_strided)(v, i, LANES);
    }
}

/* ---- k of 1 ------------------------------------------------------------------------------------------------------ */
/* c[j] = alpha (b[j] s + 0) + beta c[j]: what a tile does for k of 1 */
INLINE V FN(outer)(V b, V s, V c, V va, V vb, bool keep) {
    V p = VFMA(b, s, (V){0});
    return keep ? (V)VFMA(va, p, vb * c) : va * p;
}

/* Vectors of c are aligned, whatever its rows are. */
static void FN(rank1)(const GemmTile *t, int64_t m, int64_t n) {
#ifdef VPICK
    if (n <= GEMM_FEW) {
        FN(few_outer_of)[n](t, m);
        return;
    }
#endif
    V va = VSET((T)t->alpha), vb = VSET((T)t->beta);
    bool keep = t->beta != 0;
    const T *b = t->b;
    for (int64_t i = 0; i < m; i++) {
        T *c = (T *)t->c + i * t->crs;
        V s = VSET(((const T *)t->a)[i * t->ars]);
        int64_t j = (int64_t)(-(uintptr_t)c / sizeof(T) % VL);
        if (j > n) j = n;
        if (j) {
            V old = {0};
            if (keep) old = VPART(c, j);
            VPUT(c, FN(outer)(VPART(b, j), s, old, va, vb, keep), j);
        }
        for (; j + VL <= n; j += VL) {
            V old = {0};
            if (keep) old = *(const VU *)(c + j);
            *(VU *)(c + j) = FN(outer)(*(const VU *)(b + j), s, old, va, vb, keep);
        }
        if (j < n) {
            V old = {0};
            if (keep) old = VPART(c + j, n - j);
            VPUT(c + j, FN(outer)(VPART(b + j, n - j), s, old, va, vb, keep), n - j);
        }
    }
}

#include "conv_micro.h"
#include "narrow_micro.h"
#if T_BYTES == 4
#define WINOGRAD_ALIGNED __attribute__((aligned(64)))
#define WINOGRAD_LANE(v, i) (v)[i]
#include "winograd_micro.h"
#endif

static const GemmKernels FN(kernels) = {
    ISA,
    sizeof(T),
    VL,
    NV,
    {TILE_ROW(1) TILE_ROW(2) TILE_ROW(3) TILE_ROW(4) TILE_ROW(5) TILE_ROW(6)},
    FUSED_ROW,
    TALL_ROW,
    {FN(quick_packed), FN(quick_rows), FN(quick_columns)},
#ifdef VEDGE
    true,
#else
    false,
#endif
    FN(rank1),
    FN(pack_b),
    FN(pack_a),
    FN(gather),
    FN(scatter),
    FN(gemv),
    CONV_ROWS(window),
    CONV_ROWS(dots),
    FN(add_rows),
    FN(sum_rows),
    FN(turn_all),
    PAIR_TABLE,
    AHEAD_TABLE,
    FN(put_turned),
    FN(turn_narrow),
#ifdef VPICK
    GEMM_FEW,
#else
    0,
#endif
#if T_BYTES == 4
    &FN(winograd),
#else
    NULL,
#endif
};

#undef PAIR_ROWS
#undef ONCE
#undef PAIR_STEP
#undef PAIR_STEPS
#undef PAIR_KEEP
#undef PAIR_RESUME
#undef AHEAD_TILE
#undef AHEAD_TILES
#undef AHEAD_TABLE
#undef PAIRS
#undef PAIRS_OF
#undef PAIR_TABLE_ROW
#undef PAIR_TABLE
#undef WINDOW_START
#undef WINDOW_STEP
#undef WINDOW_PUT
#undef WINDOW_FINISH
#undef DOTS_START
#undef DOTS_STEP
#undef DOTS_LAST
#undef DOTS_PUT
#undef DOTS_FINISH
#undef CONV_TILE
#undef CONV_TILES
#undef CONV_ROW
#undef CONV_ROWS
#undef FEW
#undef FEW_ROW
#undef FEW_ROWS
#undef FEW_START
#undef FEW_STEP
#undef FEW_LAST
#undef FEW_KEEP
#undef FEW_PATTERN
#undef FEW_PUT
#undef FEW_PUT_LAST
#undef FEW_TABLE
#undef FEW_VECTORS
#undef VPICK
#undef TURN_EIGHT
#undef TURN_SQUARE
#undef VLINE
#undef VL
#undef V
#undef VU
#undef LANES
#undef PARTS
#undef INLINE
#undef ROWS
#undef TALL_ROWS
#undef DECLARE
#undef STEP
#undef WARM
#undef FEW_TILES
#undef LESS
#undef CONV_LESS
#undef TILE
#undef FUSED
#undef TILES
#undef TILE_ROW
#undef FUSED_ROW
#undef TALL_ROW
#undef BLEND
#undef ADD
#undef JOIN
#undef MIX_SCALED
#undef MIX_WHOLE
#undef STEP_FROM
#undef FOUR_STEPS
#undef WHOLE
#undef QUICK
#undef SCALE
#undef PUT
#undef VEDGE
#undef Q
#undef EIGHT
#undef DOT_ROWS
#undef DOT_START
#undef DOT_STEP
#undef DOT_TAIL
#undef DOT_LEFT
#undef GROUP
#undef ONE_PART
#undef T
#undef T_BYTES
#undef FN
#undef VFMA
#undef SFMA
#undef QFMA
#undef VPART
#undef VPUT
#undef VSET
