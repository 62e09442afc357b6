/*
 * unique.c -- distinct elements or rows on a device: all in order (sort.c), the first of each group flagged, running
 * sums of the flags as numbers of groups, then everything that is asked for from these.
 */
#include "gpu.h"

enum { UNIQUE_FLAGS, UNIQUE_GROUPS, UNIQUE_COUNTS };

GPU_RECORD(UniqueArgs, {
    i64 *err, step;
    const char *x, *key;
    const i64 *pos; /* NULL: values alone, from their keys */
    i64 *sums;
    i64 *start; /* by group: where it begins in the order */
    char *values;
    i64 *first, *inverse, *count, *total;
    i64 n, row, column, columns, apart;
})

/* clang-format off */
static const char text[] = GPU_TEXT(
    INLINE int same(const UniqueArgs *a, i64 i, i64 j) {
        if (!a->pos) {
            const W k = ((const W *)a->key)[i];
            return key_same(k, ((const W *)a->key)[j]) && !(a->apart && lost(key_value(k)));
        }
        const char *p = a->x + a->pos[i] * a->row;
        const char *q = a->x + a->pos[j] * a->row;
        for (i64 c = 0; c < a->columns; c++, p += a->column, q += a->column) {
            const T v = *(const T *)p;
            const T w = *(const T *)q;
            if (before(v, w) || before(w, v) || (a->apart && lost(v))) return 0;
        }
        return 1;
    }
    KERNEL unique_flags(const UniqueArgs a) {
        if (a.err[0]) return;
        for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < a.n; i += gridDim.x * (i64)blockDim.x)
            a.sums[i] = !(i && same(&a, i, i - 1));
    }
    KERNEL unique_groups(const UniqueArgs a) {
        if (a.err[0]) return;
        if (blockIdx.x == 0 && threadIdx.x == 0) *a.total = a.n ? a.sums[a.n - 1] : 0;
        for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < a.n; i += gridDim.x * (i64)blockDim.x) {
            const i64 g = a.sums[i] - 1;
            const i64 at = a.pos ? a.pos[i] : 0;
            if (a.inverse) a.inverse[at] = g;
            if (i && a.sums[i - 1] == g + 1) continue;
            if (a.start) a.start[g] = i;
            if (a.first) a.first[g] = at;
            T *const to = (T *)a.values + g * a.columns;
            if (!a.pos) *to = key_value(((const W *)a.key)[i]);
            for (i64 c = 0; a.pos && c < a.columns; c++) to[c] = *(const T *)(a.x + at * a.row + c * a.column);
        }
    }
    KERNEL unique_counts(const UniqueArgs a) {
        if (a.err[0]) return;
        const i64 n = *a.total;
        for (i64 g = blockIdx.x * (i64)blockDim.x + threadIdx.x; g < n; g += gridDim.x * (i64)blockDim.x)
            a.count[g] = (g + 1 < n ? a.start[g + 1] : a.n) - a.start[g];
    }
);
/* clang-format on */

static void head(Text *t, int variant) {
    gpu_head_keys(t, variant);
    if (dtype_is_complex((ThDtype)variant)) /* these are never values alone */
        text_put(t, "typedef u8 W;\n#define key_same(a, b) ((a) == (b))\n"
                    "INLINE T key_value(W w) { T z; z.re = z.im = w; return z; }\n");
}

static const CudaEntry kernel[] = {
    GPU_ENTRY(unique_flags, UniqueArgs, false),
    GPU_ENTRY(unique_groups, UniqueArgs, false),
    GPU_ENTRY(unique_counts, UniqueArgs, false),
};
static const char *const pieces[] = {UniqueArgs_text, text, NULL};
const GpuFamily gpu_uniques = {"unique", pieces, kernel, TH_LEN(kernel), gpu_is_dtype, head};

static i64 *words(HostCall *h, i64 n) {
    char *at = NULL;
    return gpu_room(h, (size_t)n * sizeof(i64), &at) ? (i64 *)(void *)at : NULL;
}

static i64 *data(const ThArray *a) { return a ? (i64 *)(void *)a->data : NULL; }

int gpu_unique(HostCall *h, const UniqueWork *w) {
    const ThArray *x = w->x;
    int d = x->dtype;
    bool rows = x->ndim == 2, at = w->index || w->inverse || w->count || rows || dtype_is_complex((ThDtype)d);
    UniqueArgs a = {.x = x->data,
                    .n = ARRAY_SHAPE(x)[0],
                    .row = ARRAY_STRIDES(x)[0],
                    .columns = 1,
                    .apart = w->apart,
                    .values = w->values->data,
                    .first = w->index ? data(w->first) : NULL,
                    .inverse = data(w->inverse),
                    .count = data(w->count),
                    .total = data(w->n)};
    if (rows) a.columns = ARRAY_SHAPE(x)[1], a.column = ARRAY_STRIDES(x)[1];
    GpuOrder o = {0};
    if (a.n && gpu_order(h, x, at, &o)) return 1;
    a.key = o.key, a.pos = o.pos;
    if (!(a.sums = words(h, a.n + 1)) || (w->count && !(a.start = words(h, a.n + 1)))) return 1;
    return gpu_launch(h, &gpu_uniques, d, UNIQUE_FLAGS, gpu_blocks(a.n), &a) || gpu_running_sums(h, a.sums, a.n) ||
           gpu_launch(h, &gpu_uniques, d, UNIQUE_GROUPS, a.n ? gpu_blocks(a.n) : 1, &a) ||
           (w->count && gpu_launch(h, &gpu_uniques, d, UNIQUE_COUNTS, gpu_blocks(a.n), &a));
}
