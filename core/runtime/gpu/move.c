/*
 * move.c -- an array copied on a device, whatever its strides: element by element, a variant for each size.
 */
#include "gpu.h"

GPU_RECORD(MoveArgs, {
    i64 *err, step;
    const char *from;
    char *to;
    i64 n;
    GpuLanes l;
})

/* clang-format off */
static const char text[] = GPU_TEXT(
    KERNEL move(const MoveArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.n; e += gridDim.x * (i64)blockDim.x)
            *(T *)(a.to + lane_at(&a.l, 1, e)) = *(const T *)(a.from + lane_at(&a.l, 0, e));
    }
);
/* clang-format on */

static const CudaEntry kernel[] = {GPU_ENTRY(move, MoveArgs, false)};
static const char *const pieces[] = {GpuLanes_text, gpu_lanes_text, MoveArgs_text, text, NULL};
const GpuFamily gpu_moves = {"moves", pieces, kernel, TH_LEN(kernel), gpu_is_dtype, gpu_head_dtype};

int gpu_assign(HostCall *h, ThArray *to, const ThArray *from) {
    const ThArray *both[2] = {from, to};
    MoveArgs a = {.from = from->data, .to = to->data};
    a.n = gpu_lanes(&a.l, both, 2, -1);
    return gpu_launch(h, &gpu_moves, to->dtype, 0, gpu_blocks(a.n), &a);
}

/* Memory is had in multiples of 256 bytes: a few more than asked for are there. */
int gpu_copy(HostCall *h, DeviceAddress to, DeviceAddress from, size_t bytes) {
    enum { WORD = 8 };
    MoveArgs a = {
        .from = (const char *)(uintptr_t)from, .to = (char *)(uintptr_t)to, .n = (i64)(bytes + WORD - 1) / WORD};
    a.l.nd = 1;
    a.l.len[0] = a.n;
    a.l.st[0][0] = a.l.st[1][0] = WORD;
    return gpu_launch(h, &gpu_moves, TH_INT64, 0, gpu_blocks(a.n), &a);
}
