/*
 * found.c -- elements that are not zero, counted and found, and positions repeated, on a device: flags or counts, their
 * running sums, and from these each result's place.
 */
#include "gpu.h"

enum { FOUND_COUNT, FOUND_TOTAL, FOUND_FLAGS, FOUND_TELL, FOUND_PLACES, REPEAT_COUNTS, REPEAT_TELL, REPEAT_PLACES };

GPU_RECORD(FoundArgs, {
    i64 *err, step;
    const char *x;
    i64 *sums; /* by element; of a count, by block */
    i64 *z;
    i64 *first;
    i64 n, many, kind, step_x, which, blocks, nd;
    i64 len[32];
    i64 *at[32];
    GpuLanes l;
})

/* clang-format off */
static const char text[] = GPU_TEXT(
    KERNEL found_count(const FoundArgs a) {
        SHARED;
        i64 *const s = (i64 *)sh;
        const int t = (int)threadIdx.x;
        i64 n = 0;
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + t; e < a.n; e += gridDim.x * (i64)blockDim.x)
            n += nonzero(*(const T *)(a.x + lane_at(&a.l, 0, e)));
        __syncthreads();
        s[t] = n;
) GPU_TEXT(
        __syncthreads();
        for (int h = (int)blockDim.x / 2; h; h >>= 1) {
            if (t < h) s[t] += s[t + h];
) GPU_TEXT(
            __syncthreads();
        }
        if (t == 0) a.sums[blockIdx.x] = s[0];
    }
) GPU_TEXT(
    KERNEL found_total(const FoundArgs a) {
        i64 n = 0;
        if (blockIdx.x || threadIdx.x || a.err[0]) return;
        for (i64 b = 0; b < a.blocks; b++) n += a.sums[b];
        *a.z = n;
    }
    KERNEL found_flags(const FoundArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.n; e += gridDim.x * (i64)blockDim.x)
            a.sums[e] = nonzero(*(const T *)(a.x + lane_at(&a.l, 0, e)));
    }
    KERNEL found_tell(const FoundArgs a) {
        if (blockIdx.x || threadIdx.x || a.err[0]) return;
        const i64 found = a.n ? a.sums[a.n - 1] : 0;
        if (found < a.many) fail(a.err, a.step, a.which, found, a.many, 0, 0);
    }
    KERNEL found_places(const FoundArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.n; e += gridDim.x * (i64)blockDim.x) {
            const i64 place = a.sums[e] - 1;
            i64 left = e;
            if (place < 0 || place >= a.many || (e && a.sums[e - 1] == place + 1)) continue;
            for (int d = (int)a.nd - 1; d >= 0; d--) {
                const i64 q = left / a.len[d];
                a.at[d][place] = left - q * a.len[d];
                left = q;
            }
        }
    }
    KERNEL repeat_counts(const FoundArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.n; e += gridDim.x * (i64)blockDim.x) {
            const i64 times = get_number(a.x + e * a.step_x, (int)a.kind);
            if (times < 0) first_at(a.first, e);
            a.sums[e] = times < 0 ? 0 : times;
        }
    }
    KERNEL repeat_tell(const FoundArgs a) {
        const i64 e = *a.first;
        if (blockIdx.x || threadIdx.x || a.err[0] || e < 0 || e >= a.n) return;
        fail(a.err, a.step, a.which, e, get_number(a.x + e * a.step_x, (int)a.kind), 0, 0);
    }
    /* The first position whose running sum is beyond the place. */
    KERNEL repeat_places(const FoundArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.many; e += gridDim.x * (i64)blockDim.x) {
            i64 from = 0;
            i64 to = a.n;
            while (from < to) {
                const i64 half = from + (to - from) / 2;
                if (a.sums[half] > e) to = half;
                else from = half + 1;
            }
            if (from < a.n) a.z[e] = from;
        }
    }
);
static const char complex_text[] = GPU_TEXT(INLINE i64 nonzero(T v) { return v.re != 0 || v.im != 0; });
static const char real_text[] = GPU_TEXT(INLINE i64 nonzero(T v) { return v != 0; });
/* clang-format on */

static void head(Text *t, int variant) {
    gpu_head_dtype(t, variant);
    text_put(t, dtype_is_complex((ThDtype)variant) ? complex_text : real_text);
}

static const CudaEntry kernel[] = {
    GPU_ENTRY(found_count, FoundArgs, true),   GPU_ENTRY(found_total, FoundArgs, false),
    GPU_ENTRY(found_flags, FoundArgs, false),  GPU_ENTRY(found_tell, FoundArgs, false),
    GPU_ENTRY(found_places, FoundArgs, false), GPU_ENTRY(repeat_counts, FoundArgs, false),
    GPU_ENTRY(repeat_tell, FoundArgs, false),  GPU_ENTRY(repeat_places, FoundArgs, false),
};
static const char *const pieces[] = {
    GpuLanes_text, gpu_lanes_text, gpu_number_text, gpu_fail_text, FoundArgs_text, text, NULL};
const GpuFamily gpu_found = {"finding", pieces, kernel, TH_LEN(kernel), gpu_is_dtype, head};

static bool sums(HostCall *h, FoundArgs *a, i64 n) {
    char *at;
    bool ok = gpu_room(h, (size_t)(n + 1) * sizeof(i64), &at);
    a->sums = (i64 *)(void *)at;
    return ok;
}

int gpu_count(HostCall *h, const CountWork *w) {
    const ThArray *x = w->x;
    FoundArgs a = {.x = x->data, .z = (i64 *)(void *)w->n->data};
    a.n = gpu_lanes(&a.l, &x, 1, -1);
    i64 blocks = gpu_blocks(a.n) < GPU_BLOCKS ? gpu_blocks(a.n) : GPU_BLOCKS;
    a.blocks = blocks;
    if (!sums(h, &a, blocks)) return 1;
    return gpu_launch(h, &gpu_found, x->dtype, FOUND_COUNT, blocks, &a) ||
           gpu_launch(h, &gpu_found, x->dtype, FOUND_TOTAL, 1, &a);
}

int gpu_nonzero(HostCall *h, const NonzeroWork *w) {
    const ThArray *x = w->x;
    int d = x->dtype;
    FoundArgs a = {.x = x->data, .many = w->at[0]->size, .nd = x->ndim, .which = w->failure};
    a.n = gpu_lanes(&a.l, &x, 1, -1);
    for (int i = 0; i < x->ndim; i++) {
        a.len[i] = ARRAY_SHAPE(x)[i];
        a.at[i] = (i64 *)(void *)w->at[i]->data;
    }
    if (!sums(h, &a, a.n)) return 1;
    return gpu_launch(h, &gpu_found, d, FOUND_FLAGS, gpu_blocks(a.n), &a) || gpu_running_sums(h, a.sums, a.n) ||
           gpu_launch(h, &gpu_found, d, FOUND_TELL, 1, &a) ||
           gpu_launch(h, &gpu_found, d, FOUND_PLACES, gpu_blocks(a.n), &a);
}

int gpu_repeat(HostCall *h, const RepeatWork *w) {
    const ThArray *r = w->repeats;
    char *first;
    FoundArgs a = {.x = r->data,
                   .n = r->size,
                   .step_x = ARRAY_STRIDES(r)[0],
                   .kind = gpu_number((ThDtype)r->dtype),
                   .z = (i64 *)(void *)w->z->data,
                   .many = w->z->size,
                   .which = w->failure};
    if (!a.n) return 0;
    if (!sums(h, &a, a.n) || !gpu_room(h, sizeof(i64), &first) || gpu_set(h, first, 0x7f, sizeof(i64))) return 1;
    a.first = (i64 *)(void *)first;
    return gpu_launch(h, &gpu_found, TH_INT64, REPEAT_COUNTS, gpu_blocks(a.n), &a) ||
           gpu_launch(h, &gpu_found, TH_INT64, REPEAT_TELL, 1, &a) || gpu_running_sums(h, a.sums, a.n) ||
           gpu_launch(h, &gpu_found, TH_INT64, REPEAT_PLACES, gpu_blocks(a.many), &a);
}
