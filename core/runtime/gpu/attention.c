/*
 * attention.c -- softmax(scale q . k + mask) . v and its gradient on a device, without a matrix of scores: a block has
 * a tile of rows and walks along the other side, a tile of scores in registers at a time. In: an AttentionWork, whose
 * arrays are read where they lie, whatever their strides. Out: its results.
 *
 * Rows are `own` (queries, or keys for dk and dv), columns are walked along. A tile of scores is x . y; it becomes
 * weights, and these times w are added to what a thread keeps. The result's pass finds the maximum and the sum of a row
 * as it goes (what was added before is rescaled where the maximum grows). The gradient knows both, and dz . z, of each
 * query (attend_rows), and computes the scores again, once for dk, dv and dq (attend_back): dk and dv of a tile of keys
 * are kept, dq of a tile of queries is added to in memory, by one block after the other tile of its segment of keys;
 * dq of segments are summed at the end. How many there are, or whether dq is attend()'s, attention_split says. More
 * columns of a result than a block keeps are other blocks', which compute the scores again.
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
    /* Of each query what its weights and their gradient take: maximum, one over the sum, dz . z; this is NaN where one
     * of dz is no finite number, as the sum over keys has it. */
    KERNEL attend_rows(const AttendArgs a) {
        SHARED;
        const int lane = (int)threadIdx.x % 32;
        if (a.err[0]) return;
        for (i64 g = blockIdx.x * 8 + threadIdx.x / 32; g < a.batch * a.own; g += gridDim.x * (i64)8) {
            const Matrix m = matrix_of(&a, g / a.own);
            const T *const x = (const T *)a.x + begin_of(a.sx, m) + g % a.own * a.sx[1];
            const T *const z = (const T *)a.z + begin_of(a.sz, m) + g % a.own * a.sz[1];
            const T *const of = (const T *)a.stats + 2 * g;
            T *const to = (T *)a.rows + 4 * g;
            T sum = 0;
            for (i64 e = lane; e < a.deep; e += 32) {
                const T v = x[e * a.sx[2]];
                sum = FMA(v, z[e * a.sz[2]], sum) + (v - v);
            }
            for (int h = 16; h; h /= 2) sum += __shfl_sync(0xffffffffu, sum, lane ^ h);
            if (lane < 4) to[lane] = lane < 2 ? of[lane] : lane == 2 ? sum : (T)0;
        }
        (void)sh;
    }
) GPU_TEXT(
    /* mode 1: the result; 2: dq. */
    INLINE void attend(const AttendArgs *a, char *sh, int mode) {
        T *const weights = (T *)sh;
        T *const stage = weights + WEIGHTS;
        const int tx = (int)threadIdx.x % 16;
        const int ty = (int)threadIdx.x / 16;
        const i64 tiles = (a->own + SIDE - 1) / SIDE;
        const i64 parts = (a->wide + WIDE - 1) / WIDE;
        for (i64 g = blockIdx.x; g < a->batch * tiles * parts; g += gridDim.x) {
            const i64 b = g / parts / tiles;
            const Matrix m = matrix_of(a, b);
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
                tile(s, stage, (const T *)a->x + begin_of(a->sx, m) + row0 * a->sx[1], a->sx,
                     (const T *)a->y + begin_of(a->sy, m) + col0 * a->sy[1], a->sy, rows, cols, a->deep);
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
                    const T *const of = (const T *)a->rows + 4 * (b * a->own + row0 + row);
                    s[i] = row < rows && col < cols ? EXP(s[i] - of[0]) * of[1] : (T)0;
                }
                if (mode == 2) {
                    T d[EACH * EACH];
                    tile(d, stage, (const T *)a->x2 + begin_of(a->sx2, m) + row0 * a->sx2[1], a->sx2,
                         (const T *)a->y2 + begin_of(a->sy2, m) + col0 * a->sy2[1], a->sy2, rows, cols, a->deep2);
                    for (int i = 0; i < EACH * EACH; i++) {
                        const i64 row = ty * EACH + i / EACH;
                        const i64 col = tx * EACH + i % EACH;
                        const T *const of = (const T *)a->rows + 4 * (b * a->own + row0 + row);
                        if (row < rows && col < cols)
                            s[i] = left[i] ? (T)a->scale * (s[i] * (d[i] - of[2])) : (T)0;
                    }
                }
                for (int i = 0; i < EACH * EACH; i++)
                    weights[(tx * EACH + i % EACH) * PITCH + ty * EACH + i / EACH] = s[i];
                __syncthreads();
                gather(kept, weights, stage, (const T *)a->w + begin_of(a->sw, m) + col0 * a->sw[1] + wide0 * a->sw[2],
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
                        ((T *)a->out)[begin_of(a->sout, m) + row * a->sout[1] + col * a->sout[2]] =
                            kept[i * WIDE_EACH + j] * by;
                }
                if (mode != 1 || wide0 || tx) continue;
                ((T *)a->stats)[2 * (b * a->own + row)] = most[i];
                ((T *)a->stats)[2 * (b * a->own + row) + 1] = by;
            }
        }
    }
) GPU_TEXT(
    /* dk, dv and, unless a kernel of its own makes it, dq. Rows are keys, of which a block has one tile after the
     * other; columns are queries. */
    typedef struct {
        T *weights, *stage;
        T *sums; /* of dq: the matrix, or NULL; lines and columns by.. */
        i64 by_row, by_col;
        Matrix m;
        i64 row0, rows, own0; /* own0: the part's first column */
        T dk[EACH * WIDE_EACH];
        T dv[EACH * WIDE_EACH];
    } Back;
    INLINE const T *place(const char *x, const i64 *st, Matrix m, i64 row, i64 col) {
        return (const T *)x + begin_of(st, m) + row * st[1] + col * st[2];
    }
    INLINE void spread(const Back *k, const T *s, int by_col, int by_row) {
        const int tx = (int)threadIdx.x % 16;
        const int ty = (int)threadIdx.x / 16;
        UNROLL
        for (int i = 0; i < EACH * EACH; i++)
            k->weights[(tx * EACH + i % EACH) * by_col + (ty * EACH + i / EACH) * by_row] = s[i];
        __syncthreads();
    }
    /* What scores s and products d of dz and v become: weights, and the scores' gradient. */
    INLINE void differ(T *s, T *d, const Back *k, const AttendArgs *a, i64 col0) {
        UNROLL
        for (int i = 0; i < EACH * EACH; i++) {
            const i64 row = k->row0 + threadIdx.x / 16 * EACH + i / EACH;
            const i64 col = col0 + threadIdx.x % 16 * EACH + i % EACH;
            const i64 b = number_of(a, k->m);
            const i64 at = b * a->smask[0] + row * a->smask[1] + col * a->smask[2];
            const T *const of = (const T *)a->rows + 4 * (b * a->walked + col);
            int left = 1;
            if (row >= a->own || col >= a->walked) {
                s[i] = d[i] = 0;
                continue;
            }
            s[i] = EXP(masked(a, s[i], at, &left) - of[0]) * of[1];
            d[i] = left ? (T)a->scale * (s[i] * (d[i] - of[2])) : (T)0;
        }
    }
    /* A thread's part of dq, where earlier keys are summed up. */
    INLINE void queries(T *q, const Back *k, const AttendArgs *a, i64 col0, int store) {
        const int tx = (int)threadIdx.x % 16;
        const int ty = (int)threadIdx.x / 16;
        const int few = 16 / (int)sizeof(T);
        const int whole = k->by_col == 1 && k->by_row % few == 0 && (u64)k->sums % 16 == 0;
        UNROLL
        for (int i = 0; i < EACH; i++) {
            const i64 row = col0 + ty * EACH + i;
            const i64 col = k->own0 + tx * WIDE_EACH;
            T *const at = k->sums + row * k->by_row + col * k->by_col;
            T *const v = q + i * WIDE_EACH;
            if (row >= a->walked) continue;
            if (whole && col + WIDE_EACH <= a->deep) {
                Many p;
                if (!store) p = *(const Many *)at;
                UNROLL
                for (int j = 0; j < WIDE_EACH; j++) store ? (p.v[j] = v[j]) : (v[j] = p.v[j]);
                if (store) *(Many *)at = p;
                continue;
            }
            UNROLL
            for (int j = 0; j < WIDE_EACH; j++) {
                if (col + j >= a->deep) continue;
                if (store) at[j * k->by_col] = v[j];
                else v[j] = at[j * k->by_col];
            }
        }
    }
) GPU_TEXT(
    INLINE void step(Back *k, const AttendArgs *a, i64 col0, int first) {
        const i64 cols = a->walked - col0;
        T s[EACH * EACH];
        T d[EACH * EACH];
        T q[EACH * WIDE_EACH];
        tile(s, k->stage, place(a->x, a->sx, k->m, k->row0, 0), a->sx, place(a->y, a->sy, k->m, col0, 0), a->sy, k->rows,
             cols, a->deep);
        tile(d, k->stage, place(a->x2, a->sx2, k->m, k->row0, 0), a->sx2, place(a->y2, a->sy2, k->m, col0, 0), a->sy2,
             k->rows, cols, a->deep2);
        differ(s, d, k, a, col0);
        if (k->own0 < a->deep2) {
            spread(k, s, PITCH, 1);
            gather(k->dv, k->weights, k->stage, place(a->y2, a->sy2, k->m, col0, k->own0), a->sy2, cols,
                   a->deep2 - k->own0);
        }
        if (k->own0 >= a->deep) return;
        spread(k, d, PITCH, 1);
        gather(k->dk, k->weights, k->stage, place(a->y, a->sy, k->m, col0, k->own0), a->sy, cols, a->deep - k->own0);
        if (!k->sums) return;
        spread(k, d, 1, PITCH);
        for (int i = 0; i < EACH * WIDE_EACH; i++) q[i] = 0;
        if (!first) queries(q, k, a, col0, 0);
        gather(q, k->weights, k->stage, place(a->x, a->sx, k->m, k->row0, k->own0), a->sx, k->rows, a->deep - k->own0);
        queries(q, k, a, col0, 1);
    }
    INLINE void finish(const T *kept, const Back *k, char *out, const i64 *st, i64 rows, i64 cols) {
        for (int i = 0; i < EACH * WIDE_EACH; i++) {
            const i64 row = k->row0 + threadIdx.x / 16 * EACH + i / WIDE_EACH;
            const i64 col = k->own0 + threadIdx.x % 16 * WIDE_EACH + i % WIDE_EACH;
            if (row < rows && col < cols) ((T *)out)[begin_of(st, k->m) + row * st[1] + col * st[2]] = kept[i];
        }
    }
) GPU_TEXT(
    INLINE void attend_back(const AttendArgs *a, char *sh) {
        const i64 tiles = (a->own + SIDE - 1) / SIDE;
        const i64 each = (tiles + a->segments - 1) / a->segments;
        Back k;
        k.weights = (T *)sh;
        k.stage = k.weights + WEIGHTS;
        for (i64 g = blockIdx.x; g < a->batch * a->segments * a->parts; g += gridDim.x) {
            const i64 part = g / a->batch % a->segments;
            k.m = matrix_of(a, g % a->batch);
            k.own0 = g / a->batch / a->segments * WIDE;
            k.by_row = part ? a->deep : a->sdq[1];
            k.by_col = part ? 1 : a->sdq[2];
            k.sums = attend_sums(a, part, k.m);
            for (i64 t = part * each; t < tiles && t < (part + 1) * each; t++) {
                for (int i = 0; i < EACH * WIDE_EACH; i++) k.dk[i] = k.dv[i] = 0;
                k.row0 = t * SIDE;
                k.rows = a->own - k.row0;
                for (i64 col0 = 0; col0 < a->walked; col0 += SIDE) step(&k, a, col0, t == part * each);
                finish(k.dk, &k, a->out, a->sout, a->own, a->deep);
                finish(k.dv, &k, a->out2, a->sout2, a->own, a->deep2);
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
        attend_back(&a, sh);
    }
);
/* clang-format on */

static bool is_float(int variant) { return variant == TH_FLOAT32 || variant == TH_FLOAT64; }

/* Elements of a tile along each side that a thread has, and columns of a result: what registers have room for. */
static void head(Text *t, int variant) {
    bool wide = variant == TH_FLOAT64;
    text_printf(t, "typedef %s T;\n#define EACH %d\n#define WIDE_EACH %d\n", wide ? "f64" : "f32", wide ? 2 : 4,
                wide ? 4 : 8);
    text_put(t, "#define NARROW(p, v) (void)(p)\n");
    text_printf(t, "#define FMA fma%s\n#define EXP exp%s\n", wide ? "" : "f", wide ? "" : "f");
}

static const CudaEntry kernel[] = {
    GPU_ENTRY(attend_rows, AttendArgs, true),    GPU_ENTRY(attend_forward, AttendArgs, true),
    GPU_ENTRY(attend_queries, AttendArgs, true), GPU_ENTRY(attend_keys, AttendArgs, true),
    GPU_ENTRY(attend_sum, AttendArgs, true),
};
static const char *const pieces[] = {AttendArgs_text, attend_sum_text, text, NULL};
const GpuFamily gpu_attentions = {"attention", pieces, kernel, TH_LEN(kernel), is_float, head};

/* ---- a call ------------------------------------------------------------------------------------------------------ */
/* Steps in elements, as AttendArgs has them; turned: of an array whose features come first. */
static char *matrix(i64 st[4], const ThArray *a, bool turned) {
    const int64_t *s = ARRAY_STRIDES(a);
    const bool heads = a->ndim == 4;
    int64_t item = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    st[0] = s[0] / item, st[3] = heads ? s[2] / item : 0;
    st[1] = s[turned && !heads ? 2 : 1] / item, st[2] = s[heads ? 3 : turned ? 1 : 2] / item;
    return a->data;
}

static void set_mask(AttendArgs *a, const AttentionWork *w, bool turned) {
    i64 st[4];
    a->kind = w->kind;
    if (!w->mask) return;
    a->mask = matrix(st, w->mask, turned);
    const int64_t *n = ARRAY_SHAPE(w->mask);
    const int at[3] = {0, turned ? 2 : 1, turned ? 1 : 2};
    for (int d = 0; d < 3; d++) a->smask[d] = n[at[d]] == 1 ? 0 : st[d];
}

static int launch(HostCall *h, AttendArgs *a, ThDtype d, int number, i64 blocks) {
    return gpu_launch(h, dtype_is_half(d) ? &gpu_attention_cores : &gpu_attentions, d, number, blocks, a);
}

/* A block for each tile of its own side and part of the result. */
static i64 tiles(const AttendArgs *a, ThDtype d) {
    const AttentionTile t = attention_tile(d);
    return a->batch * ((a->own + t.rows - 1) / t.rows) * ((a->wide + t.cols - 1) / t.cols);
}

static i64 wide_of(const AttentionWork *w) { return ARRAY_SHAPE(w->v)[w->heads ? 3 : 2]; }

static int forward(HostCall *h, AttendArgs *a, const AttentionWork *w) {
    ThDtype d = (ThDtype)w->q->dtype;
    a->own = ARRAY_SHAPE(w->q)[1], a->walked = ARRAY_SHAPE(w->v)[1];
    a->x = matrix(a->sx, w->q, false), a->y = matrix(a->sy, w->k, true), a->w = matrix(a->sw, w->v, false);
    a->out = matrix(a->sout, w->z, false), a->wide = wide_of(w);
    a->narrow = dtype_is_half((ThDtype)w->z->dtype);
    if (w->low) a->rounded = w->low->data;
    set_mask(a, w, false);
    return launch(h, a, d, ATTEND_FORWARD, tiles(a, d));
}

/* dq by a kernel of its own. */
static int queries(HostCall *h, AttendArgs *q, const AttentionWork *w) {
    ThDtype d = (ThDtype)w->q->dtype;
    q->own = ARRAY_SHAPE(w->q)[1], q->walked = ARRAY_SHAPE(w->v)[1];
    q->deep2 = wide_of(w), q->wide = q->deep;
    q->x = matrix(q->sx, w->q, false), q->y = matrix(q->sy, w->k, true);
    q->x2 = matrix(q->sx2, w->dz, false), q->y2 = matrix(q->sy2, w->v, false);
    q->w = matrix(q->sw, w->k, true), q->out = matrix(q->sout, w->dq, false);
    set_mask(q, w, false);
    return launch(h, q, d, ATTEND_QUERIES, tiles(q, d));
}

/* dk and dv, and a dq of each segment. */
static int keys(HostCall *h, AttendArgs *k, const AttentionWork *w, const AttentionSplit *s) {
    ThDtype d = (ThDtype)w->q->dtype;
    const AttentionTile t = attention_tile(d);
    k->own = ARRAY_SHAPE(w->v)[1], k->walked = ARRAY_SHAPE(w->q)[1], k->deep2 = wide_of(w);
    k->x = matrix(k->sx, w->k, true), k->y = matrix(k->sy, w->q, false);
    k->x2 = matrix(k->sx2, w->v, false), k->y2 = matrix(k->sy2, w->dz, false);
    k->out = matrix(k->sout, w->dk, true), k->out2 = matrix(k->sout2, w->dv, false);
    k->parts = s->parts, k->segments = s->segments;
    if (s->segments) k->dq = matrix(k->sdq, w->dq, false);
    else k->segments = (k->own + t.rows - 1) / t.rows;
    set_mask(k, w, true);
    bool far = dtype_is_half(d) && (k->deep > t.cols || k->deep2 > t.cols);
    if (launch(h, k, d, far ? ATTEND_LONG : ATTEND_KEYS, k->batch * k->parts * k->segments)) return 1;
    i64 sums = k->batch * k->walked * k->deep;
    return s->segments + k->narrow > 1 && launch(h, k, d, ATTEND_SUM, gpu_blocks(sums));
}

static int backward(HostCall *h, AttendArgs *a, const AttentionWork *w) {
    ThDtype d = (ThDtype)w->q->dtype;
    a->narrow = dtype_is_half((ThDtype)w->dq->dtype);
    const AttentionLengths n = {a->batch, ARRAY_SHAPE(w->q)[1], ARRAY_SHAPE(w->v)[1], a->deep, wide_of(w), a->narrow};
    const AttentionSplit s = attention_split(d, &n);
    const size_t item = th_dtype_bytes(dtype_computed(d)), own = (size_t)(n.batch * n.queries) * item;
    const i64 apart = s.segments + a->narrow - 1; /* sums of dq that are in memory of their own */
    if (!gpu_room(h, 4 * own, &a->rows)) return 1;
    if (s.segments && apart && !gpu_room(h, own * (size_t)(n.deep * apart), &a->more)) return 1;
    AttendArgs r = *a, q = *a, k = *a;
    r.own = n.queries, r.deep = n.wide;
    r.x = matrix(r.sx, w->dz, false), r.z = matrix(r.sz, w->z, false);
    if (launch(h, &r, d, ATTEND_ROWS, (r.batch * r.own + 7) / 8)) return 1;
    return keys(h, &k, w, &s) || (!s.segments && queries(h, &q, w));
}

/* Zeros, of an array whose lines may be parts of another one's. */
static int nothing(HostCall *h, const ThArray *a) {
    const size_t item = a ? th_dtype_bytes((ThDtype)a->dtype) : 0;
    if (!a || !a->size) return 0;
    if (a->ndim == 3) return gpu_set(h, a->data, 0, (size_t)a->size * item);
    const int64_t *n = ARRAY_SHAPE(a), *st = ARRAY_STRIDES(a);
    const size_t line = (size_t)(n[2] * n[3]) * item;
    if (st[1] == (int64_t)line) return gpu_set(h, a->data, 0, (size_t)a->size * item);
    for (int64_t i = 0; i < n[0] * n[1]; i++)
        if (gpu_set(h, a->data + i / n[1] * st[0] + i % n[1] * st[1], 0, line)) return 1;
    return 0;
}

int gpu_attention(HostCall *h, const AttentionWork *w) {
    const int64_t *n = ARRAY_SHAPE(w->q);
    AttendArgs a = {.batch = w->heads ? n[0] * n[2] : n[0], .heads = w->heads ? n[2] : 1, .deep = n[w->heads ? 3 : 2]};
    a.scale = w->scale, a.fill = w->fill;
    if (!a.batch || !n[1] || !w->v->size)
        return (!w->dz && (nothing(h, w->z) || nothing(h, w->low) || nothing(h, w->stats))) || nothing(h, w->dq) ||
               nothing(h, w->dk) || nothing(h, w->dv);
    a.stats = w->stats->data;
    return w->dz ? backward(h, &a, w) : forward(h, &a, w);
}
