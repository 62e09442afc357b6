/*
 * sort.c -- elements, positions or rows in order on a device: runs of a block's threads by counting what comes before
 * each, then pairs of runs merged, each element finding its place by halving the other run. Stable, and the same for
 * every dtype; all lanes of an array at once.
 */
#include "gpu.h"

enum { SORT_RUNS, SORT_MERGE, SORT_OUT };
/* A variant: the dtype, and what is sorted. */
enum { SORT_VALUES = 1 << 8, SORT_AT = 2 << 8, SORT_ROWS = 3 << 8, SORT_WHAT = 3 << 8 };

GPU_RECORD(SortArgs, {
    i64 *err, step;
    const char *x;
    char *z, *at, *key, *key2, *pos, *pos2;
    i64 n, lanes, step_x, step_z, step_at, width, taken, kind, descending;
    i64 columns, column;
    GpuLanes l;
})

/* clang-format off */
static const char text[] = GPU_TEXT(
    /* A run of m keys for every block, or several short lanes: a thread for each, at most 256. */
    KERNEL sort_runs(const SortArgs a) {
        SHARED;
        K *const s = (K *)sh;
        const int m = a.n < (i64)blockDim.x ? (int)a.n : (int)blockDim.x;
        const int many = blockDim.x / m;
        const i64 chunks = (a.n + m - 1) / m;
        const i64 blocks = (a.lanes * chunks + many - 1) / many;
        const int t = (int)threadIdx.x;
        const int sub = t / m;
        const int j = t - sub * m;
        if (a.err[0]) return;
        for (i64 b = blockIdx.x; b < blocks; b += gridDim.x) {
            const i64 c = b * many + sub;
            const i64 lane = c / chunks;
            const i64 i = (c - lane * chunks) * m + j;
            const int there = sub < many && lane < a.lanes && i < a.n;
            const int last = there ? (int)(a.n - (i - j) < m ? a.n - (i - j) : m) : 0;
            K k;
            __syncthreads();
            if (there) s[t] = k = key_of(&a, lane, i);
) GPU_TEXT(
            __syncthreads();
            if (there) {
                const K *const own = s + sub * m;
                int rank = 0;
                for (int h = 0; h < last; h++) rank += h < j ? !less(&a, k, own[h]) : less(&a, own[h], k);
                const i64 to = lane * a.n + i - j + rank;
                ((K *)a.key)[to] = k;
                AT(((i64 *)a.pos)[to] = i;)
            }
        }
    }
) GPU_TEXT(
    KERNEL sort_merge(const SortArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.lanes * a.n; e += gridDim.x * (i64)blockDim.x) {
            const i64 lane = e / a.n;
            const i64 i = e - lane * a.n;
            const i64 run = i / a.width;
            const i64 first = run % 2;
            const i64 pair = (run - first) * a.width;
            const K *const s = (const K *)a.key + lane * a.n;
            const K k = s[i];
            i64 from = first ? pair : pair + a.width;
            i64 to = first ? pair + a.width : pair + 2 * a.width;
            if (from > a.n) from = a.n;
            if (to > a.n) to = a.n;
            const i64 begin = from;
            while (from < to) {
                const i64 half = from + (to - from) / 2;
                const int up = first ? !less(&a, k, s[half]) : less(&a, s[half], k);
                if (up) from = half + 1;
                else to = half;
            }
            const i64 place = lane * a.n + pair + (i - run * a.width) + (from - begin);
            ((K *)a.key2)[place] = k;
            AT(((i64 *)a.pos2)[place] = ((const i64 *)a.pos)[e];)
        }
    }
) GPU_TEXT(
    KERNEL sort_out(const SortArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.lanes * a.taken;
             e += gridDim.x * (i64)blockDim.x) {
            const i64 lane = e / a.taken;
            const i64 i = e - lane * a.taken;
            const i64 from = lane * a.n + i;
            OUT(&a, lane, i, from);
        }
    }
);
static const char keys_text[] = GPU_TEXT(
    INLINE K key_of(const SortArgs *a, i64 lane, i64 i) {
        const T v = *(const T *)(a->x + lane_at(&a->l, 0, lane) + i * a->step_x);
        const K k = KEY(v);
        return TURN(a, k);
    }
    INLINE int less(const SortArgs *a, K x, K y) { (void)a; return LESS(x, y); }
);
static const char rows_text[] = GPU_TEXT(
    INLINE K key_of(const SortArgs *a, i64 lane, i64 i) { (void)a; (void)lane; return i; }
    INLINE int less(const SortArgs *a, K x, K y) {
        const char *p = a->x + x * a->step_x;
        const char *q = a->x + y * a->step_x;
        for (i64 c = 0; c < a->columns; c++, p += a->column, q += a->column) {
            const T v = *(const T *)p;
            const T w = *(const T *)q;
            if (before(v, w)) return 1;
            if (before(w, v)) return 0;
        }
        return 0;
    }
);
static const char values_out[] = GPU_TEXT(
    INLINE void OUT(const SortArgs *a, i64 lane, i64 i, i64 from) {
        *(T *)(a->z + lane_at(&a->l, 1, lane) + i * a->step_z) = key_value(((const K *)a->key)[from]);
    }
);
static const char at_out[] = GPU_TEXT(
    INLINE void OUT(const SortArgs *a, i64 lane, i64 i, i64 from) {
        const i64 at = ((const i64 *)a->pos)[from];
        if (a->at) put_number(a->at + lane_at(&a->l, 2, lane) + i * a->step_at, (int)a->kind, at);
        if (a->z)
            *(T *)(a->z + lane_at(&a->l, 1, lane) + i * a->step_z) =
                *(const T *)(a->x + lane_at(&a->l, 0, lane) + at * a->step_x);
    }
);
/* clang-format on */

/* Complex numbers alone have no keys. */
static bool has(int variant) {
    int what = variant & SORT_WHAT, d = variant & ~SORT_WHAT;
    return what && d < TH_DTYPE_COUNT && !(what == SORT_VALUES && dtype_is_complex((ThDtype)d));
}

static void head(Text *t, int variant) {
    int what = variant & SORT_WHAT;
    ThDtype d = (ThDtype)(variant & ~SORT_WHAT);
    bool complex = dtype_is_complex(d), rows = what == SORT_ROWS, values = what == SORT_VALUES;
    gpu_head_keys(t, d);
    text_printf(t, "%s%s%s%stypedef %s K;\n", GpuLanes_text, gpu_lanes_text, SortArgs_text, gpu_number_text,
                rows      ? "i64"
                : complex ? "T"
                          : "W");
    text_printf(t, "#define AT(...) %s\n#define KEY(v) %s\n", values || rows ? "" : "__VA_ARGS__",
                complex  ? "(v)"
                : values ? "key_exact(v)"
                         : "key_wide(v)");
    text_put(t, complex || rows
                    ? "#define TURN(a, k) (k)\n#define LESS(x, y) before((x), (y))\n"
                    : "#define TURN(a, k) ((a)->descending ? (K)~(k) : (k))\n#define LESS(x, y) ((x) < (y))\n");
    text_put(t, rows ? rows_text : keys_text);
    text_put(t, rows ? "#define OUT(a, lane, i, from) (void)(i), (void)(from)\n" : values ? values_out : at_out);
}

static const CudaEntry kernel[] = {
    GPU_ENTRY(sort_runs, SortArgs, true),
    GPU_ENTRY(sort_merge, SortArgs, false),
    GPU_ENTRY(sort_out, SortArgs, false),
};
static const char *const pieces[] = {text, NULL};
const GpuFamily gpu_sorts = {"sorting", pieces, kernel, TH_LEN(kernel), has, head};

static void swap(char **a, char **b) {
    char *t = *a;
    *a = *b;
    *b = t;
}

/* The runs, and all merges: a.key and a.pos are in order then. */
static int order(HostCall *h, int variant, SortArgs *a, size_t item) {
    size_t n = (size_t)(a->lanes * a->n);
    bool at = (variant & SORT_WHAT) == SORT_AT;
    if (!gpu_room(h, n * item, &a->key) || !gpu_room(h, n * item, &a->key2)) return 1;
    if (at && (!gpu_room(h, n * sizeof(i64), &a->pos) || !gpu_room(h, n * sizeof(i64), &a->pos2))) return 1;
    i64 run = a->n < GPU_THREADS ? a->n : GPU_THREADS, many = GPU_THREADS / run;
    i64 runs = a->lanes * ((a->n + run - 1) / run);
    if (gpu_launch(h, &gpu_sorts, variant, SORT_RUNS, (runs + many - 1) / many, a)) return 1;
    for (a->width = run; a->width < a->n; a->width *= 2) {
        if (gpu_launch(h, &gpu_sorts, variant, SORT_MERGE, gpu_blocks((i64)n), a)) return 1;
        swap(&a->key, &a->key2);
        swap(&a->pos, &a->pos2);
    }
    return 0;
}

int gpu_sort(HostCall *h, const SortWork *w) {
    const ThArray *x = w->x, *any = w->z ? w->z : w->at, *all[3] = {x, w->z ? w->z : x, w->at ? w->at : x};
    ThDtype d = (ThDtype)x->dtype;
    bool complex = dtype_is_complex(d);
    SortArgs a = {.x = x->data,
                  .descending = w->descending,
                  .n = ARRAY_SHAPE(x)[w->axis],
                  .step_x = ARRAY_STRIDES(x)[w->axis],
                  .taken = ARRAY_SHAPE(any)[w->axis]};
    a.lanes = gpu_lanes(&a.l, all, 3, w->axis);
    if (w->z) a.z = w->z->data, a.step_z = ARRAY_STRIDES(w->z)[w->axis];
    if (w->at)
        a.at = w->at->data, a.step_at = ARRAY_STRIDES(w->at)[w->axis], a.kind = gpu_number((ThDtype)w->at->dtype);
    if (!a.n || !a.lanes || !a.taken) return 0;
    int variant = (int)d | (w->at || complex ? SORT_AT : SORT_VALUES);
    return order(h, variant, &a, th_dtype_bytes(d)) ||
           gpu_launch(h, &gpu_sorts, variant, SORT_OUT, gpu_blocks(a.lanes * a.taken), &a);
}

static int order_words(HostCall *h, ThDtype d, char *word, i64 n, GpuOrder *o) {
    SortArgs a = {.x = word, .n = n, .step_x = sizeof(i64), .lanes = 1};
    int bad = order(h, (int)d | SORT_AT, &a, sizeof(i64));
    o->key = a.key;
    o->pos = (i64 *)(void *)a.pos;
    return bad;
}

int gpu_order_places(HostCall *h, char *place, i64 n, GpuOrder *o) { return order_words(h, TH_INT64, place, n, o); }

int gpu_order_counts(HostCall *h, char *count, i64 n, GpuOrder *o) { return order_words(h, TH_UINT64, count, n, o); }

int gpu_order(HostCall *h, const ThArray *x, bool at, GpuOrder *o) {
    ThDtype d = (ThDtype)x->dtype;
    bool rows = x->ndim == 2;
    SortArgs a = {.x = x->data, .n = ARRAY_SHAPE(x)[0], .step_x = ARRAY_STRIDES(x)[0], .lanes = 1};
    if (rows) a.columns = ARRAY_SHAPE(x)[1], a.column = ARRAY_STRIDES(x)[1];
    int bad = order(h, (int)d | (rows ? SORT_ROWS : at ? SORT_AT : SORT_VALUES), &a, rows ? 8 : th_dtype_bytes(d));
    o->key = a.key;
    o->pos = (i64 *)(void *)(rows ? a.key : a.pos);
    return bad;
}
