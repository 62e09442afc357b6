/*
 * cumulate.c -- running sums and products on a device. Short lanes, or many, are a thread's each, in order: the CPU's
 * bits. Others go by chunks: the sum of each, sums of what is before each, then each from there; inside of a chunk by
 * tiles of a block's threads, whose sums follow one fixed tree. Which way, and how, lengths alone decide.
 */
#include "gpu.h"

enum { CUM_LANES, CUM_SUMS, CUM_BEFORE, CUM_CHUNKS };
enum { CUM_SHORT = 32, CUM_MANY = 4096, CUM_CHUNK = 4096, CUM_MOST = 1024 /* chunks of a lane */ };

GPU_RECORD(CumArgs, {
    i64 *err, step;
    const char *x;
    char *z, *sum; /* sum: by lane and chunk */
    i64 n, lanes, step_x, step_z, chunk, chunks, product;
    GpuLanes l;
})

/* clang-format off */
static const char text[] = GPU_TEXT(
    INLINE T join(const CumArgs *a, T x, T y) { return a->product ? mul(x, y) : add(x, y); }
    KERNEL cum_lanes(const CumArgs a) {
        if (a.err[0]) return;
        for (i64 lane = blockIdx.x * (i64)blockDim.x + threadIdx.x; lane < a.lanes; lane += gridDim.x * (i64)blockDim.x) {
            const char *x = a.x + lane_at(&a.l, 0, lane);
            char *z = a.z + lane_at(&a.l, 1, lane);
            T sum;
            for (i64 i = 0; i < a.n; i++, x += a.step_x, z += a.step_z) {
                sum = i ? join(&a, sum, *(const T *)x) : *(const T *)x;
                *(T *)z = sum;
            }
        }
    }
    /* One tile: v becomes the sum of all threads up to this one. */
    INLINE T cum_tile(const CumArgs *a, T v, char *sh) {
        T *const s = (T *)sh;
        const int t = (int)threadIdx.x;
        __syncthreads();
        s[t] = v;
) GPU_TEXT(
        __syncthreads();
        for (int h = 1; h < (int)blockDim.x; h <<= 1) {
            const T before = s[t >= h ? t - h : 0];
            __syncthreads();
            if (t >= h) s[t] = v = join(a, before, v);
) GPU_TEXT(
            __syncthreads();
        }
        return v;
    }
) GPU_TEXT(
    KERNEL cum_sums(const CumArgs a) {
        SHARED;
        if (a.err[0]) return;
        for (i64 b = blockIdx.x; b < a.lanes * a.chunks; b += gridDim.x) {
            const i64 lane = b / a.chunks;
            const i64 from = (b - lane * a.chunks) * a.chunk;
            const i64 to = from + a.chunk < a.n ? from + a.chunk : a.n;
            const char *const x = a.x + lane_at(&a.l, 0, lane);
            T sum;
            for (i64 i = from; i < to; i += blockDim.x) {
                const i64 at = i + threadIdx.x < to ? i + threadIdx.x : to - 1;
                const T v = cum_tile(&a, *(const T *)(x + at * a.step_x), sh);
                const i64 last = to - i < blockDim.x ? to - i - 1 : blockDim.x - 1;
                const T all = ((const T *)sh)[last];
                sum = i > from ? join(&a, sum, all) : all;
                (void)v;
            }
            if (threadIdx.x == 0) ((T *)a.sum)[b] = sum;
        }
    }
) GPU_TEXT(
    /* The sums of a lane's chunks become running sums. */
    KERNEL cum_before(const CumArgs a) {
        SHARED;
        if (a.err[0]) return;
        for (i64 lane = blockIdx.x; lane < a.lanes; lane += gridDim.x) {
            T *const s = (T *)a.sum + lane * a.chunks;
            T sum;
            for (i64 i = 0; i < a.chunks; i += blockDim.x) {
                const i64 at = i + threadIdx.x;
                T v = cum_tile(&a, s[at < a.chunks ? at : a.chunks - 1], sh);
                const T all = ((const T *)sh)[blockDim.x - 1];
                if (i) v = join(&a, sum, v);
                if (at < a.chunks) s[at] = v;
                sum = i ? join(&a, sum, all) : all;
            }
        }
    }
) GPU_TEXT(
    KERNEL cum_chunks(const CumArgs a) {
        SHARED;
        if (a.err[0]) return;
        for (i64 b = blockIdx.x; b < a.lanes * a.chunks; b += gridDim.x) {
            const i64 lane = b / a.chunks;
            const i64 c = b - lane * a.chunks;
            const i64 from = c * a.chunk;
            const i64 to = from + a.chunk < a.n ? from + a.chunk : a.n;
            const char *const x = a.x + lane_at(&a.l, 0, lane);
            char *const z = a.z + lane_at(&a.l, 1, lane);
            T sum;
            if (c) sum = ((const T *)a.sum)[b - 1];
            for (i64 i = from; i < to; i += blockDim.x) {
                const i64 at = i + threadIdx.x;
                T v = cum_tile(&a, *(const T *)(x + (at < to ? at : to - 1) * a.step_x), sh);
                const T all = ((const T *)sh)[blockDim.x - 1];
                if (i) v = join(&a, sum, v);
                if (at < to) *(T *)(z + at * a.step_z) = v;
                sum = i ? join(&a, sum, all) : all;
            }
        }
    }
);
/* clang-format on */

static const CudaEntry kernel[] = {
    GPU_ENTRY(cum_lanes, CumArgs, false),
    GPU_ENTRY(cum_sums, CumArgs, true),
    GPU_ENTRY(cum_before, CumArgs, true),
    GPU_ENTRY(cum_chunks, CumArgs, true),
};
static const char *const pieces[] = {GpuLanes_text, gpu_lanes_text, CumArgs_text, text, NULL};
const GpuFamily gpu_cum = {"running sums", pieces, kernel, TH_LEN(kernel), gpu_is_dtype, gpu_head_dtype};

static int chunks(HostCall *h, int d, CumArgs *a) {
    if (a->n <= CUM_SHORT || a->lanes >= CUM_MANY)
        return gpu_launch(h, &gpu_cum, d, CUM_LANES, gpu_blocks(a->lanes), a);
    i64 least = gpu_blocks(a->n / CUM_MOST + 1) * GPU_THREADS;
    a->chunk = least > CUM_CHUNK ? least : CUM_CHUNK;
    a->chunks = (a->n + a->chunk - 1) / a->chunk;
    if (!gpu_room(h, (size_t)(a->lanes * a->chunks) * th_dtype_bytes((ThDtype)d), &a->sum)) return 1;
    if (a->chunks > 1) {
        if (gpu_launch(h, &gpu_cum, d, CUM_SUMS, a->lanes * a->chunks, a)) return 1;
        if (gpu_launch(h, &gpu_cum, d, CUM_BEFORE, a->lanes, a)) return 1;
    }
    return gpu_launch(h, &gpu_cum, d, CUM_CHUNKS, a->lanes * a->chunks, a);
}

int gpu_cumulate(HostCall *h, const CumWork *w) {
    const ThArray *both[2] = {w->x, w->z};
    int d = (int)w->x->dtype, axis = w->axis;
    CumArgs a = {.x = w->x->data, .z = w->z->data, .product = w->product};
    if (!w->x->size) return 0;
    if (axis < 0) {
        a.n = w->x->size, a.lanes = 1;
        a.step_x = a.step_z = (i64)th_dtype_bytes((ThDtype)d);
    } else {
        a.n = ARRAY_SHAPE(w->x)[axis], a.lanes = gpu_lanes(&a.l, both, 2, axis);
        a.step_x = ARRAY_STRIDES(w->x)[axis], a.step_z = ARRAY_STRIDES(w->z)[axis];
    }
    return chunks(h, d, &a);
}

int gpu_running_sums(HostCall *h, i64 *v, i64 n) {
    CumArgs a = {.x = (char *)v, .z = (char *)v, .n = n, .lanes = 1, .step_x = sizeof *v, .step_z = sizeof *v};
    return n ? chunks(h, TH_INT64, &a) : 0;
}
