/*
 * attention.c -- softmax(scale q . k + mask) . v and its gradient on a device, without a matrix of scores: a block has
 * a tile of rows and walks along the other side, a tile of scores in registers at a time. In: an AttentionWork. Out:
 * its results.
 *
 * All four results are one kernel's: rows are `own` (queries, or keys for dk and dv), columns are walked along. A tile
 * of scores is x . y; it becomes weights (probabilities, or the gradient of scores, which takes a second product x2 .
 * y2), and these times w are added to what a thread keeps. The result's own pass finds the maximum and the sum of a row
 * as it goes (what was added before is rescaled where the maximum grows); the gradient computes the scores again from
 * these two. More columns of a result than a block keeps are other blocks', which compute the scores again.
 * Always holds: sums are added in an order that lengths alone decide.
 */
#include "attention.h"

/* clang-format off */
static const char text[] = GPU_TEXT(
    typedef struct ALIGNED(16) { T v[EACH]; } Few;
    typedef struct ALIGNED(16) { T v[WIDE_EACH]; } Many;
    enum { SIDE = 16 * EACH, WIDE = 16 * WIDE_EACH, DEEP = 16, PITCH = SIDE + EACH, WIDE_PITCH = WIDE + EACH,
           WEIGHTS = SIDE * PITCH, STAGES = DEEP * (2 * PITCH > WIDE_PITCH ? 2 * PITCH : WIDE_PITCH),
           ROOM = (WEIGHTS + STAGES + SIDE) * (int)sizeof(T) };
    /* A slice of one factor to shared memory, a line for each depth; neighbours take what lies side by side. */
    INLINE void slice(T *to, int pitch, int many, const T *x, i64 row, i64 col, i64 rows, i64 cols) {
        const int t = (int)threadIdx.x;
        for (int p = t; p < many * DEEP; p += 256) {
            const int r = col == 1 ? p / DEEP : p % many;
            const int d = col == 1 ? p % DEEP : p / many;
            to[d * pitch + r] = r < rows && d < cols ? x[r * row + d * col] : (T)0;
        }
    }
    /* Rows from `at` on of x times columns from `col` on of y, over `deep`. */
    INLINE void tile(T *sum, T *sh, const T *x, const i64 *sx, const T *y, const i64 *sy, i64 rows, i64 cols, i64 deep) {
        const int tx = (int)threadIdx.x % 16;
        const int ty = (int)threadIdx.x / 16;
        T *const hx = sh;
        T *const hy = sh + DEEP * PITCH;
        UNROLL
        for (int i = 0; i < EACH * EACH; i++) sum[i] = 0;
        for (i64 from = 0; from < deep; from += DEEP) {
            slice(hx, PITCH, SIDE, x + from * sx[2], sx[1], sx[2], rows, deep - from);
            slice(hy, PITCH, SIDE, y + from * sy[2], sy[1], sy[2], cols, deep - from);
            __syncthreads();
            UNROLL
            for (int q = 0; q < DEEP; q++) {
                const Few a = *(const Few *)(hx + q * PITCH + ty * EACH);
                const Few b = *(const Few *)(hy + q * PITCH + tx * EACH);
                UNROLL
                for (int i = 0; i < EACH * EACH; i++)
                    sum[i] = FMA(a.v[i / EACH], b.v[i % EACH], sum[i]);
            }
            __syncthreads();
        }
    }
) GPU_TEXT(
    /* kept += weights . w, of which DEEP rows at a time are in shared memory */
    INLINE void gather(T *kept, const T *weights, T *sh, const T *w, const i64 *sw, i64 rows, i64 cols) {
        const int tx = (int)threadIdx.x % 16;
        const int ty = (int)threadIdx.x / 16;
        for (i64 from = 0; from < rows && from < SIDE; from += DEEP) {
            slice(sh, WIDE_PITCH, WIDE, w + from * sw[1], sw[2], sw[1], cols, rows - from);
            __syncthreads();
            UNROLL
            for (int q = 0; q < DEEP; q++) {
                const Few a = *(const Few *)(weights + (from + q) * PITCH + ty * EACH);
                const Many b = *(const Many *)(sh + q * WIDE_PITCH + tx * WIDE_EACH);
                UNROLL
                for (int i = 0; i < EACH * WIDE_EACH; i++)
                    kept[i] = FMA(a.v[i / WIDE_EACH], b.v[i % WIDE_EACH], kept[i]);
            }
            __syncthreads();
        }
    }
    /* A score as the graph has it; whether the mask left it. */
    INLINE T masked(const AttendArgs *a, T s, i64 at, int *left) {
        const char *const m = a->mask;
        *left = 1;
        s = (T)a->scale * s;
        if (a->kind == 0) return s;
        if (a->kind == 1) return s + ((const T *)m)[at];
        *left = (m[at] != 0) == (a->kind == 2);
        return *left ? s : (T)a->fill;
    }
    INLINE T nothing(void) { return (T)-__builtin_inf(); }
) GPU_TEXT(
    /* Weights of a row that its tiles make as they come: those before are rescaled where the maximum grows. */
    INLINE void weigh(T *s, T *most, T *sum, T *again, i64 cols) {
        const int lane = (int)threadIdx.x % 32;
        const int tx = (int)threadIdx.x % 16;
        T high = nothing();
        T add = 0;
        for (int j = 0; j < EACH; j++)
            if (tx * EACH + j < cols && s[j] > high) high = s[j];
        for (int h = 8; h; h /= 2) {
            const T other = __shfl_sync(0xffffffffu, high, lane ^ h);
            high = other > high ? other : high;
        }
        if (*most > high) high = *most;
        *again = *most == high ? (T)1 : EXP(*most - high);
        for (int j = 0; j < EACH; j++) {
            const int dead = high == nothing() && s[j] == s[j];
            s[j] = tx * EACH + j < cols && !dead ? EXP(s[j] - high) : (T)0;
            add += s[j];
        }
        for (int h = 8; h; h /= 2) add += __shfl_sync(0xffffffffu, add, lane ^ h);
        *most = high, *sum = *sum * *again + add;
    }
) GPU_TEXT(
    /* The gradient's rows: dz . z of each; NaN where one of dz is no finite number, as the sum over keys has it. */
    KERNEL attend_rows(const AttendArgs a) {
        SHARED;
        const int lane = (int)threadIdx.x % 32;
        if (a.err[0]) return;
        for (i64 g = blockIdx.x * 8 + threadIdx.x / 32; g < a.batch * a.own; g += gridDim.x * (i64)8) {
            const T *const x = (const T *)a.x + g / a.own * a.sx[0] + g % a.own * a.sx[1];
            const T *const z = (const T *)a.z + g / a.own * a.sz[0] + g % a.own * a.sz[1];
            T sum = 0;
            for (i64 e = lane; e < a.deep; e += 32) {
                const T v = x[e * a.sx[2]];
                sum = FMA(v, z[e * a.sz[2]], sum) + (v - v);
            }
            for (int h = 16; h; h /= 2) sum += __shfl_sync(0xffffffffu, sum, lane ^ h);
            if (lane == 0) ((T *)a.rows)[g] = sum;
        }
        (void)sh;
    }
) GPU_TEXT(
    /* mode 1: the result; 2: dq; 3: dk; 4: dv. In 3 and 4 columns are queries, and row numbers are theirs. */
    INLINE void attend(const AttendArgs *a, char *sh, int mode) {
        T *const weights = (T *)sh;
        T *const stage = weights + WEIGHTS;
        const int tx = (int)threadIdx.x % 16;
        const int ty = (int)threadIdx.x / 16;
        const i64 tiles = (a->own + SIDE - 1) / SIDE;
        const i64 parts = (a->wide + WIDE - 1) / WIDE;
        for (i64 g = blockIdx.x; g < a->batch * tiles * parts; g += gridDim.x) {
            const i64 b = g / parts / tiles;
            const i64 row0 = g / parts % tiles * SIDE;
            const i64 wide0 = g % parts * WIDE;
            T most[EACH];
            T total[EACH];
            T kept[EACH * WIDE_EACH];
            for (int i = 0; i < EACH * WIDE_EACH; i++) kept[i] = 0;
            for (int i = 0; i < EACH; i++) most[i] = nothing(), total[i] = 0;
            for (i64 col0 = 0; col0 < a->walked; col0 += SIDE) {
                const i64 rows = a->own - row0;
                const i64 cols = a->walked - col0;
                T s[EACH * EACH];
                tile(s, stage, (const T *)a->x + b * a->sx[0] + row0 * a->sx[1], a->sx,
                     (const T *)a->y + b * a->sy[0] + col0 * a->sy[1], a->sy, rows, cols, a->deep);
                int left[EACH * EACH];
                for (int i = 0; i < EACH * EACH; i++) {
                    const i64 row = ty * EACH + i / EACH;
                    const i64 col = tx * EACH + i % EACH;
                    const i64 at = b * a->smask[0] + (row0 + row) * a->smask[1] + (col0 + col) * a->smask[2];
                    left[i] = row < rows && col < cols;
                    if (left[i]) s[i] = masked(a, s[i], at, &left[i]);
                }
) GPU_TEXT(
                for (int i = 0; i < EACH && mode == 1; i++) {
                    T again;
                    weigh(s + i * EACH, &most[i], &total[i], &again, cols);
                    for (int j = 0; j < WIDE_EACH; j++) kept[i * WIDE_EACH + j] *= again;
                }
                for (int i = 0; i < EACH * EACH && mode != 1; i++) {
                    const i64 row = ty * EACH + i / EACH;
                    const i64 col = tx * EACH + i % EACH;
                    const T *const of = (const T *)a->stats + 2 * (mode == 2 ? b * a->own + row0 + row
                                                                             : b * a->walked + col0 + col);
                    s[i] = row < rows && col < cols ? EXP(s[i] - of[0]) * of[1] : (T)0;
                }
                if (mode == 2 || mode == 3) {
                    T d[EACH * EACH];
                    tile(d, stage, (const T *)a->x2 + b * a->sx2[0] + row0 * a->sx2[1], a->sx2,
                         (const T *)a->y2 + b * a->sy2[0] + col0 * a->sy2[1], a->sy2, rows, cols, a->deep2);
                    for (int i = 0; i < EACH * EACH; i++) {
                        const i64 row = ty * EACH + i / EACH;
                        const i64 col = tx * EACH + i % EACH;
                        const i64 at = mode == 2 ? b * a->own + row0 + row : b * a->walked + col0 + col;
                        if (row < rows && col < cols)
                            s[i] = left[i] ? (T)a->scale * (s[i] * (d[i] - ((const T *)a->rows)[at])) : (T)0;
                    }
                }
                for (int i = 0; i < EACH * EACH; i++)
                    weights[(tx * EACH + i % EACH) * PITCH + ty * EACH + i / EACH] = s[i];
                __syncthreads();
                gather(kept, weights, stage, (const T *)a->w + b * a->sw[0] + col0 * a->sw[1] + wide0 * a->sw[2],
                       a->sw, cols, a->wide - wide0);
            }
) GPU_TEXT(
            for (int i = 0; i < EACH; i++) {
                const i64 row = row0 + ty * EACH + i;
                const T by = mode == 1 ? (T)1 / total[i] : (T)1;
                if (row >= a->own) continue;
                for (int j = 0; j < WIDE_EACH; j++) {
                    const i64 col = wide0 + tx * WIDE_EACH + j;
                    if (col < a->wide)
                        ((T *)a->out)[b * a->sout[0] + row * a->sout[1] + col * a->sout[2]] =
                            kept[i * WIDE_EACH + j] * by;
                }
                if (mode != 1 || wide0 || tx) continue;
                ((T *)a->stats)[2 * (b * a->own + row)] = most[i];
                ((T *)a->stats)[2 * (b * a->own + row) + 1] = by;
            }
        }
    }
) GPU_TEXT(
    KERNEL attend_forward(const AttendArgs a) {
        SHARED_BYTES(ROOM);
        if (a.err[0]) return;
        attend(&a, sh, 1);
    }
    KERNEL attend_queries(const AttendArgs a) {
        SHARED_BYTES(ROOM);
        if (a.err[0]) return;
        attend(&a, sh, 2);
    }
    KERNEL attend_keys(const AttendArgs a) {
        SHARED_BYTES(ROOM);
        if (a.err[0]) return;
        attend(&a, sh, 3);
    }
    KERNEL attend_values(const AttendArgs a) {
        SHARED_BYTES(ROOM);
        if (a.err[0]) return;
        attend(&a, sh, 4);
    }
);
/* clang-format on */

static bool is_float(int variant) { return variant == TH_FLOAT32 || variant == TH_FLOAT64; }

/* Elements of a tile along each side that a thread has, and columns of a result: what registers have room for. */
static void head(Text *t, int variant) {
    bool wide = variant == TH_FLOAT64;
    text_printf(t, "typedef %s T;\n#define EACH %d\n#define WIDE_EACH %d\n", wide ? "f64" : "f32", wide ? 2 : 4,
                wide ? 4 : 8);
    text_printf(t, "#define FMA fma%s\n#define EXP exp%s\n", wide ? "" : "f", wide ? "" : "f");
}

static const CudaEntry kernel[] = {
    GPU_ENTRY(attend_rows, AttendArgs, true),    GPU_ENTRY(attend_forward, AttendArgs, true),
    GPU_ENTRY(attend_queries, AttendArgs, true), GPU_ENTRY(attend_keys, AttendArgs, true),
    GPU_ENTRY(attend_values, AttendArgs, true),
};
static const char *const pieces[] = {AttendArgs_text, text, NULL};
const GpuFamily gpu_attentions = {"attention", pieces, kernel, TH_LEN(kernel), is_float, head};

/* ---- a call ------------------------------------------------------------------------------------------------------ */
/* Steps in elements: from matrix to matrix, from position to position, from feature to feature. */
static char *matrix(i64 st[3], const ThArray *a, bool turned) {
    const int64_t *s = ARRAY_STRIDES(a);
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    st[0] = s[0] / item, st[1] = s[turned ? 2 : 1] / item, st[2] = s[turned ? 1 : 2] / item;
    return a->data;
}

static void set_mask(AttendArgs *a, const AttentionWork *w, bool turned) {
    a->kind = w->kind;
    if (!w->mask) return;
    a->mask = matrix(a->smask, w->mask, turned);
    const int64_t *n = ARRAY_SHAPE(w->mask);
    const int at[3] = {0, turned ? 2 : 1, turned ? 1 : 2};
    for (int d = 0; d < 3; d++)
        if (n[at[d]] == 1) a->smask[d] = 0;
}

static int launch(HostCall *h, AttendArgs *a, ThDtype d, int number) {
    bool half = dtype_is_half(d);
    i64 side = half ? ATTEND_CORES_ROWS : d == TH_FLOAT64 ? 32 : 64;
    i64 wide = half ? ATTEND_CORES_WIDE : d == TH_FLOAT64 ? 64 : 128;
    i64 blocks = a->batch * ((a->own + side - 1) / side) * ((a->wide + wide - 1) / wide);
    if (number == ATTEND_ROWS) blocks = (a->batch * a->own + 7) / 8;
    return gpu_launch(h, half ? &gpu_attention_cores : &gpu_attentions, d, number, blocks, a);
}

static int forward(HostCall *h, AttendArgs *a, const AttentionWork *w) {
    ThDtype d = (ThDtype)w->q->dtype;
    a->own = ARRAY_SHAPE(w->q)[1], a->walked = ARRAY_SHAPE(w->v)[1];
    a->x = matrix(a->sx, w->q, false), a->y = matrix(a->sy, w->k, true), a->w = matrix(a->sw, w->v, false);
    a->out = matrix(a->sout, w->z, false), a->wide = ARRAY_SHAPE(w->v)[2];
    set_mask(a, w, false);
    return launch(h, a, d, ATTEND_FORWARD);
}

static int backward(HostCall *h, AttendArgs *a, const AttentionWork *w) {
    ThDtype d = (ThDtype)w->q->dtype;
    i64 queries = ARRAY_SHAPE(w->q)[1], keys = ARRAY_SHAPE(w->v)[1], values = ARRAY_SHAPE(w->v)[2];
    AttendArgs r = *a, q = *a, k = *a;
    if (!gpu_room(h, (size_t)(a->batch * queries) * sizeof(double), &r.rows)) return 1;
    q.rows = k.rows = r.rows;
    r.own = queries, r.deep = values;
    r.x = matrix(r.sx, w->dz, false), r.z = matrix(r.sz, w->z, false);
    if (launch(h, &r, d, ATTEND_ROWS)) return 1;
    q.own = queries, q.walked = keys, q.deep2 = values, q.wide = a->deep;
    q.x = matrix(q.sx, w->q, false), q.y = matrix(q.sy, w->k, true);
    q.x2 = matrix(q.sx2, w->dz, false), q.y2 = matrix(q.sy2, w->v, false);
    q.w = matrix(q.sw, w->k, true), q.out = matrix(q.sout, w->dq, false);
    set_mask(&q, w, false);
    if (launch(h, &q, d, ATTEND_QUERIES)) return 1;
    k.own = keys, k.walked = queries, k.deep2 = values, k.wide = a->deep;
    k.x = matrix(k.sx, w->k, true), k.y = matrix(k.sy, w->q, false);
    k.x2 = matrix(k.sx2, w->v, false), k.y2 = matrix(k.sy2, w->dz, false);
    k.w = matrix(k.sw, w->q, false), k.out = matrix(k.sout, w->dk, true);
    set_mask(&k, w, true);
    if (launch(h, &k, d, ATTEND_KEYS)) return 1;
    k.w = matrix(k.sw, w->dz, false), k.out = matrix(k.sout, w->dv, false), k.wide = values;
    return launch(h, &k, d, ATTEND_VALUES);
}

static int nothing(HostCall *h, const ThArray *a) {
    return a && gpu_set(h, a->data, 0, (size_t)a->size * th_dtype_bytes((ThDtype)a->dtype));
}

int gpu_attention(HostCall *h, const AttentionWork *w) {
    AttendArgs a = {.batch = ARRAY_SHAPE(w->q)[0], .deep = ARRAY_SHAPE(w->q)[2], .scale = w->scale, .fill = w->fill};
    if (!a.batch || !ARRAY_SHAPE(w->q)[1] || !w->v->size)
        return (!w->dz && (nothing(h, w->z) || nothing(h, w->stats))) || nothing(h, w->dq) || nothing(h, w->dk) ||
               nothing(h, w->dv);
    a.stats = w->stats->data;
    return w->dz ? backward(h, &a, w) : forward(h, &a, w);
}
