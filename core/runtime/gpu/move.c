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

/* What is passed over leaves as it would behind a failure: the error record has a mark, which no launch has. */
GPU_RECORD(SteerArgs, {
    i64 *err, step;
    const unsigned char *flag;
    i64 way, turn, mark;
})

/* clang-format off */
static const char steer_text[] = GPU_TEXT(
    KERNEL steer(const SteerArgs a) {
        if (blockIdx.x || threadIdx.x) return;
        const i64 is = a.err[0];
        if (is && is != a.mark) return;
        if (a.way == 0 && !is && !*a.flag) a.err[0] = a.mark;
        if (a.way == 1) a.err[0] = is ? 0 : a.mark;
        if (a.way == 2) a.err[0] = 0;
        if (a.way == 3 && !is && *a.flag) {
            a.err[0] = a.mark;
            a.err[2] = a.turn + 1;
        }
    }
);
/* clang-format on */
static const CudaEntry steer_kernel[] = {GPU_ENTRY(steer, SteerArgs, false)};
static const char *const steer_pieces[] = {SteerArgs_text, steer_text, NULL};
const GpuFamily gpu_steers = {"steering", steer_pieces, steer_kernel, 1, gpu_is_one, gpu_head_none};

int gpu_steer(HostCall *h, DeviceAddress flag, GpuSteer way, int64_t turn) {
    SteerArgs a = {.flag = (const unsigned char *)(uintptr_t)flag, .way = way, .turn = turn, .mark = GPU_PASSED};
    return gpu_launch(h, &gpu_steers, 0, 0, 1, &a);
}

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

int gpu_move(HostCall *h, DeviceAddress to, DeviceAddress from, size_t bytes) {
    bool words = (to | from | bytes) % sizeof(i64) == 0;
    i64 item = words ? (i64)sizeof(i64) : 1;
    MoveArgs a = {.from = (const char *)(uintptr_t)from, .to = (char *)(uintptr_t)to, .n = (i64)bytes / item};
    a.l.nd = 1;
    a.l.len[0] = a.n;
    a.l.st[0][0] = a.l.st[1][0] = item;
    return gpu_launch(h, &gpu_moves, words ? TH_INT64 : TH_UINT8, 0, gpu_blocks(a.n), &a);
}
