/*
 * windows.c -- a convolution's gradient by its images as a product and a sum: each image's tops times all filters are
 * what the windows have of each element (by cuBLASLt), and each element is the sum over the windows that it lies in, in
 * order. Of few channels one product for all would have too narrow tiles (choose_windows).
 */
#include "gpu.h"
#include "kernel/conv_work.h"

enum { ROOM = 64 << 20 }; /* bytes of what the windows have */

GPU_RECORD(WindowsArgs, {
    i64 *err, step;
    const char *from;
    char *to;
    i32 n, begin;
    i32 in[3], size[3], out[3], dilation[3], pad[3], by[3];
})

/* clang-format off */
static const char text[] = GPU_TEXT(
    KERNEL windows(const WindowsArgs a) {
        if (a.err[0]) return;
        const int wide = a.out[2], window = a.size[0] * a.size[1] * a.size[2], all = a.out[0] * a.out[1] * wide;
        for (int e = (int)(blockIdx.x * blockDim.x + threadIdx.x); e < a.n; e += (int)(gridDim.x * blockDim.x)) {
            const int k = e % a.in[2] + a.pad[2], line = e / a.in[2], plane = line / a.in[1];
            const int j = line % a.in[1] + a.pad[1], i = plane % a.in[0] + a.pad[0];
            const T *const x = (const T *)a.from + ((i64)(plane / a.in[0]) * window + a.begin) * all;
            T sum = 0;
            for (int r = 0; r < a.size[0]; r++) {
                const int p = i - r * a.dilation[0];
                if (p < 0 || p >= a.out[0]) continue;
                for (int s = 0; s < a.size[1]; s++) {
                    const int q = j - s * a.dilation[1];
                    if (q < 0 || q >= a.out[1]) continue;
                    const T *const row = x + (r * a.by[0] + s * a.by[1]) * all + (p * a.out[1] + q) * wide;
                    for (int t = 0; t < a.size[2]; t++) {
                        const int at = k - t * a.dilation[2];
                        if (at >= 0 && at < wide) sum += row[t * a.by[2] * all + at];
                    }
                }
            }
            ((T *)a.to)[e] = sum;
        }
    }
);
/* clang-format on */

static const CudaEntry kernel[] = {GPU_ENTRY(windows, WindowsArgs, false)};
static const char *const pieces[] = {WindowsArgs_text, text, NULL};
static bool has(int variant) { return variant == TH_FLOAT32 || variant == TH_FLOAT64; }
const GpuFamily gpu_windows = {"sums of windows", pieces, kernel, 1, has, gpu_head_dtype};

/* Each image's tops of a filter lie without gaps, and filters do, or rows of each the other way round; *begins: where
 * the first number of the first filter lies, in elements from the first window's. */
static bool plain(const ConvWork *w, bool *turned, int64_t *begins) {
    int64_t points = 1, all = 1;
    bool straight = false;
    *turned = false, *begins = 0;
    for (int d = w->ndim - 1; d >= 0; d--) {
        int64_t st = w->filter_st[2 + d];
        if (w->step[d] != 1 || (w->out[d] != 1 && w->top_st[2 + d] != points)) return false;
        points *= w->out[d];
        if (w->size[d] == 1) continue;
        if (st == -all) *turned = true, *begins += (w->size[d] - 1) * st;
        else if (st == all) straight = true;
        else return false;
        all *= w->size[d];
    }
    bool dense = (w->channels == 1 || w->filter_st[1] == all) && w->filter_st[0] >= all * w->channels;
    return dense && !(*turned && straight);
}

bool gpu_by_windows(const ConvWork *w, GpuProduct *p) {
    int64_t window = 1, out = 1, in = 1, begins, item = (int64_t)th_dtype_bytes(w->dtype);
    bool turned;
    if (w->target != CONV_TO_IMAGE || w->groups != 1 || !plain(w, &turned, &begins)) return false;
    for (int d = 0; d < w->ndim; d++) window *= w->size[d], out *= w->out[d], in *= w->in[d];
    int64_t rows = w->channels * window, points = w->images * w->channels * in;
    if ((double)w->images * (double)rows * (double)out * (double)item > ROOM || points > ROOM) return false;
    *p = (GpuProduct){.dtype = w->dtype, .matrices = w->images, .alpha = 1};
    p->a = (GpuMatrix){w->filter + begins * item, rows, w->filters, 1, w->filter_st[0], 0};
    p->b = (GpuMatrix){w->top, w->filters, out, w->top_st[1], 1, w->top_st[0]};
    p->c = (GpuMatrix){NULL, rows, out, out, 1, rows * out};
    return true;
}

/* Lengths from the last dimension on, of as many as a kernel knows. */
static void describe(WindowsArgs *a, const ConvWork *w) {
    int32_t all = 1;
    for (int d = 0; d < CONV_DIMS; d++) {
        int from = d - (CONV_DIMS - w->ndim);
        bool is = from >= 0;
        a->in[d] = is ? (int32_t)w->in[from] : 1, a->size[d] = is ? (int32_t)w->size[from] : 1;
        a->out[d] = is ? (int32_t)w->out[from] : 1, a->pad[d] = is ? (int32_t)w->pad[from] : 0;
        a->dilation[d] = is ? (int32_t)w->dilation[from] : 1;
    }
    for (int d = CONV_DIMS - 1; d >= 0; d--) a->by[d] = all, all *= a->size[d];
    bool turned;
    int64_t begins;
    plain(w, &turned, &begins);
    if (!turned) return;
    a->begin = all - 1;
    for (int d = 0; d < CONV_DIMS; d++) a->by[d] = -a->by[d];
}

GpuDone gpu_conv_windows(HostCall *h, const ConvWork *w, GpuProduct *p) {
    WindowsArgs a = {.to = w->image};
    GpuMark mark = gpu_mark(h);
    size_t bytes = (size_t)(p->matrices * p->c.step) * th_dtype_bytes(p->dtype);
    if (!gpu_room(h, bytes, &p->c.at)) return GPU_FAILED;
    GpuDone done = gpu_product(h, p);
    if (done == GPU_NOT) gpu_back(h, mark);
    if (done != GPU_DONE) return done;
    int64_t n = w->images * w->channels;
    for (int d = 0; d < w->ndim; d++) n *= w->in[d];
    a.from = p->c.at, a.n = (int32_t)n;
    describe(&a, w);
    return gpu_launch(h, &gpu_windows, w->dtype, 0, gpu_blocks(n), &a) ? GPU_FAILED : GPU_DONE;
}
