/*
 * attention_cores.c -- attention.c's kernels where operands are halves: all products on tensor cores, sums, maxima and
 * exponentials in float32. A block has 128 rows, 16 a warp, and walks along 64 columns at a time. Operands of the
 * scores stay in a warp's registers for the whole walk (of up to 64 features; else they come again for each tile),
 * columns come to shared memory while something else is computed. Weights go from the registers that scores are made
 * in to those that the next product takes them from; they are rounded to the half on the way, as mixed precision does.
 */
#include "attention.h"

/* clang-format off */
static const char text[] = GPU_TEXT(
    enum { ROWS = 128, COLS = 64, PITCH = 72, TILE = COLS * PITCH, ROOM = (ROWS * PITCH + 3 * TILE) * 2 };
    /* Lines of 64 halves to shared memory, zeros where there are none. */
    INLINE void stage(u16 *to, int many, const u16 *x, i64 row, i64 col, i64 rows, i64 cols) {
        const int whole = col == 1 && row % 8 == 0 && (u64)x % 16 == 0;
        for (int p = (int)threadIdx.x; p < many * 8; p += 256) {
            const int r = p / 8;
            const int c = p % 8 * 8;
            u16 *const at = to + r * PITCH + c;
            const u16 *const from = x + r * row + c * col;
            if (whole && r < rows && c + 8 <= cols) core_copy(at, from);
            else
                for (int i = 0; i < 8; i++) at[i] = r < rows && c + i < cols ? from[i * col] : (u16)0;
        }
    }
    INLINE void own_rows(u32 f[4][4], const u16 *x) {
        UNROLL for (int q = 0; q < 4; q++) core_x_deep(f[q], x + threadIdx.x / 32 * 16 * PITCH + q * 16, PITCH);
    }
    INLINE void zeros(f32 *s) { UNROLL for (int i = 0; i < 32; i++) s[i] = 0; }
    INLINE void add_scores(f32 *s, u32 x[4][4], const u16 *y) {
        UNROLL for (int q = 0; q < 4; q++)
            UNROLL for (int j = 0; j < 4; j++) {
                u32 b[4];
                core_y_deep(b, y + j * 16 * PITCH + q * 16, PITCH);
                CORE(s + j * 8, x[q], b);
                CORE(s + j * 8 + 4, x[q], b + 2);
            }
    }
    /* More features than registers have room for: 64 at a time. */
    INLINE void long_scores(f32 *s, u16 *hx, u16 *hy, const u16 *x, const i64 *sx, const u16 *y, const i64 *sy, i64 rows,
                            i64 cols, i64 deep) {
        zeros(s);
        for (i64 from = 0; from < deep; from += 64) {
            u32 f[4][4];
            stage(hx, ROWS, x + from * sx[2], sx[1], sx[2], rows, deep - from);
            stage(hy, COLS, y + from * sy[2], sy[1], sy[2], cols, deep - from);
            core_group();
            core_wait(0);
            __syncthreads();
            own_rows(f, hx);
            add_scores(s, f, hy);
            __syncthreads();
        }
    }
) GPU_TEXT(
    /* A score as the graph has it; whether the mask left it. */
    INLINE f32 masked(const AttendArgs *a, f32 s, i64 at, int *left) {
        const char *const m = a->mask;
        *left = 1;
        s = (f32)a->scale * s;
        if (a->kind == 0) return s;
        if (a->kind == 1) return s + ((const f32 *)m)[at];
        *left = (m[at] != 0) == (a->kind == 2);
        return *left ? s : (f32)a->fill;
    }
    INLINE f32 nothing(void) { return -__builtin_inff(); }
    INLINE f32 power(f32 s) { return exp2f(s * 1.44269504f); }
    /* Of one of a thread's two rows, whose sixteen scores are pairs: as attention.c has it. */
    INLINE void weigh(f32 *s, f32 *most, f32 *sum, f32 *again, i64 cols) {
        const int lane = (int)threadIdx.x % 32;
        f32 high = nothing();
        f32 add = 0;
        UNROLL for (int i = 0; i < 16; i++) {
            const f32 v = s[i / 2 * 4 + i % 2];
            if (i / 2 * 8 + lane % 4 * 2 + i % 2 < cols && v > high) high = v;
        }
        UNROLL for (int h = 1; h < 4; h *= 2) {
            const f32 other = __shfl_sync(0xffffffffu, high, lane ^ h);
            high = other > high ? other : high;
        }
        if (*most > high) high = *most;
        *again = *most == high ? 1.0f : power(*most - high);
        UNROLL for (int i = 0; i < 16; i++) {
            f32 *const v = s + i / 2 * 4 + i % 2;
            const int dead = high == nothing() && *v == *v;
            *v = i / 2 * 8 + lane % 4 * 2 + i % 2 < cols && !dead ? power(*v - high) : 0.0f;
            add += *v;
        }
        UNROLL for (int h = 1; h < 4; h *= 2) add += __shfl_sync(0xffffffffu, add, lane ^ h);
        *most = high;
        *sum = *sum * *again + add;
    }
    /* kept += weights . w */
    INLINE void gather(f32 *kept, const f32 *s, const u16 *w) {
        UNROLL for (int q = 0; q < 4; q++) {
            u32 p[4];
            UNROLL for (int i = 0; i < 4; i++) p[i] = PACK(s[q * 8 + i * 2], s[q * 8 + i * 2 + 1]);
            UNROLL for (int j = 0; j < 4; j++) {
                u32 b[4];
                core_y_own(b, w + q * 16 * PITCH + j * 16, PITCH);
                CORE(kept + j * 8, p, b);
                CORE(kept + j * 8 + 4, p, b + 2);
            }
        }
    }
) GPU_TEXT(
    KERNEL attend_half_rows(const AttendArgs a) {
        SHARED;
        const int lane = (int)threadIdx.x % 32;
        if (a.err[0]) return;
        for (i64 g = blockIdx.x * 8 + threadIdx.x / 32; g < a.batch * a.own; g += gridDim.x * (i64)8) {
            const u16 *const x = (const u16 *)a.x + g / a.own * a.sx[0] + g % a.own * a.sx[1];
            const f32 *const z = (const f32 *)a.z + g / a.own * a.sz[0] + g % a.own * a.sz[1];
            f32 sum = 0;
            for (i64 e = lane; e < a.deep; e += 32) {
                const f32 v = NUMBER(x[e * a.sx[2]]);
                sum = fmaf(v, z[e * a.sz[2]], sum) + (v - v); /* as attention.c has it */
            }
            for (int h = 16; h; h /= 2) sum += __shfl_sync(0xffffffffu, sum, lane ^ h);
            if (lane == 0) ((f32 *)a.rows)[g] = sum;
        }
        (void)sh;
    }
) GPU_TEXT(
    /* mode 1: the result; 2: dq; 3: dk; 4: dv, as in attention.c. */
    INLINE void attend(const AttendArgs *a, char *sh, int mode) {
        u16 *const hx = (u16 *)sh;
        u16 *const hy = hx + ROWS * PITCH;
        u16 *const hy2 = hy + TILE;
        u16 *const hw = hy2 + TILE;
        const int lane = (int)threadIdx.x % 32;
        const int line = (int)threadIdx.x / 32 * 16 + lane / 4;
        const int twice = mode == 2 || mode == 3;
        const int near = a->deep <= 64;
        const int near2 = twice && a->deep2 <= 64;
        const i64 tiles = (a->own + ROWS - 1) / ROWS;
        const i64 parts = (a->wide + 63) / 64;
        for (i64 g = blockIdx.x; g < a->batch * tiles * parts; g += gridDim.x) {
            const i64 b = g / parts / tiles;
            const i64 row0 = g / parts % tiles * ROWS;
            const i64 wide0 = g % parts * 64;
            const i64 rows = a->own - row0;
            const u16 *const x = (const u16 *)a->x + b * a->sx[0] + row0 * a->sx[1];
            const u16 *const y = (const u16 *)a->y + b * a->sy[0];
            const u16 *const x2 = (const u16 *)a->x2 + b * a->sx2[0] + row0 * a->sx2[1];
            const u16 *const y2 = (const u16 *)a->y2 + b * a->sy2[0];
            const u16 *const w = (const u16 *)a->w + b * a->sw[0] + wide0 * a->sw[2];
            f32 most[2];
            f32 total[2];
            f32 kept[32];
            u32 fx[4][4];
            u32 fx2[4][4];
            zeros(kept);
            for (int i = 0; i < 2; i++) most[i] = nothing(), total[i] = 0;
            if (near) {
                stage(hx, ROWS, x, a->sx[1], a->sx[2], rows, a->deep);
                core_group();
                core_wait(0);
                __syncthreads();
                own_rows(fx, hx);
                __syncthreads();
                stage(hy, COLS, y, a->sy[1], a->sy[2], a->walked, a->deep);
            }
            if (near2) {
                stage(hx, ROWS, x2, a->sx2[1], a->sx2[2], rows, a->deep2);
                core_group();
                core_wait(0);
                __syncthreads();
                own_rows(fx2, hx);
                __syncthreads();
            }
            core_group();
) GPU_TEXT(
            for (i64 col0 = 0; col0 < a->walked; col0 += COLS) {
                const i64 cols = a->walked - col0;
                f32 s[32];
                u32 left = 0;
                if (near2) stage(hy2, COLS, y2 + col0 * a->sy2[1], a->sy2[1], a->sy2[2], cols, a->deep2);
                core_group();
                stage(hw, COLS, w + col0 * a->sw[1], a->sw[1], a->sw[2], cols, a->wide - wide0);
                core_group();
                zeros(s);
                if (near) {
                    core_wait(2);
                    __syncthreads();
                    add_scores(s, fx, hy);
                    __syncthreads();
                    if (cols > COLS)
                        stage(hy, COLS, y + (col0 + COLS) * a->sy[1], a->sy[1], a->sy[2], cols - COLS, a->deep);
                } else
                    long_scores(s, hx, hy, x, a->sx, y + col0 * a->sy[1], a->sy, rows, cols, a->deep);
                core_group();
                UNROLL for (int i = 0; i < 32; i++) {
                    const i64 row = line + i / 2 % 2 * 8;
                    const i64 col = i / 4 * 8 + lane % 4 * 2 + i % 2;
                    const i64 at = b * a->smask[0] + (row0 + row) * a->smask[1] + (col0 + col) * a->smask[2];
                    int one = row < rows && col < cols;
                    if (one) s[i] = masked(a, s[i], at, &one);
                    left |= (u32)one << i;
                }
                if (mode == 1) {
                    f32 again[2];
                    UNROLL for (int i = 0; i < 2; i++) weigh(s + i * 2, &most[i], &total[i], &again[i], cols);
                    UNROLL for (int i = 0; i < 32; i++) kept[i] *= again[i / 2 % 2];
                } else
                    UNROLL for (int i = 0; i < 32; i++) {
                        const i64 row = line + i / 2 % 2 * 8;
                        const i64 col = i / 4 * 8 + lane % 4 * 2 + i % 2;
                        const f32 *const of = (const f32 *)a->stats + 2 * (mode == 2 ? b * a->own + row0 + row
                                                                                     : b * a->walked + col0 + col);
                        s[i] = row < rows && col < cols ? power(s[i] - of[0]) * of[1] : 0.0f;
                    }
) GPU_TEXT(
                if (twice) {
                    f32 d[32];
                    zeros(d);
                    if (near2) {
                        core_wait(2);
                        __syncthreads();
                        add_scores(d, fx2, hy2);
                    } else
                        long_scores(d, hx, hy2, x2, a->sx2, y2 + col0 * a->sy2[1], a->sy2, rows, cols, a->deep2);
                    UNROLL for (int i = 0; i < 32; i++) {
                        const i64 row = line + i / 2 % 2 * 8;
                        const i64 col = i / 4 * 8 + lane % 4 * 2 + i % 2;
                        const i64 at = mode == 2 ? b * a->own + row0 + row : b * a->walked + col0 + col;
                        if (row < rows && col < cols)
                            s[i] = left >> i & 1 ? (f32)a->scale * (s[i] * (d[i] - ((const f32 *)a->rows)[at])) : 0.0f;
                    }
                }
                core_wait(1);
                __syncthreads();
                gather(kept, s, hw);
                __syncthreads();
            }
            core_wait(0);
            for (int i = 0; i < 2; i++) {
                const i64 row = row0 + line + i * 8;
                const f32 by = mode == 1 ? 1.0f / total[i] : 1.0f;
                if (row >= a->own) continue;
                UNROLL for (int j = 0; j < 16; j++) {
                    const i64 col = wide0 + j / 2 * 8 + lane % 4 * 2 + j % 2;
                    if (col < a->wide)
                        ((f32 *)a->out)[b * a->sout[0] + row * a->sout[1] + col * a->sout[2]] =
                            kept[j / 2 * 4 + i * 2 + j % 2] * by;
                }
                if (mode != 1 || wide0 || lane % 4) continue;
                ((f32 *)a->stats)[2 * (b * a->own + row)] = most[i];
                ((f32 *)a->stats)[2 * (b * a->own + row) + 1] = by;
            }
        }
    }
) GPU_TEXT(
    KERNEL attend_half_forward(const AttendArgs a) {
        SHARED_BYTES(ROOM);
        if (a.err[0]) return;
        attend(&a, sh, 1);
    }
    KERNEL attend_half_queries(const AttendArgs a) {
        SHARED_BYTES(ROOM);
        if (a.err[0]) return;
        attend(&a, sh, 2);
    }
    KERNEL attend_half_keys(const AttendArgs a) {
        SHARED_BYTES(ROOM);
        if (a.err[0]) return;
        attend(&a, sh, 3);
    }
    KERNEL attend_half_values(const AttendArgs a) {
        SHARED_BYTES(ROOM);
        if (a.err[0]) return;
        attend(&a, sh, 4);
    }
);
/* clang-format on */

static bool is_half(int variant) { return variant == TH_FLOAT16 || variant == TH_BFLOAT16; }

static void head(Text *t, int variant) {
    const char *name = th_dtype_name((ThDtype)variant);
    text_put(t, cuda_cores_text);
    text_printf(t, "#define CORE core_%s\n#define PACK core_pack_%s\n#define NUMBER(h) core_number(h, 0, %d)\n", name,
                name, variant == TH_BFLOAT16);
}

static const CudaEntry kernel[] = {
    GPU_ENTRY(attend_half_rows, AttendArgs, true),    GPU_ENTRY(attend_half_forward, AttendArgs, true),
    GPU_ENTRY(attend_half_queries, AttendArgs, true), GPU_ENTRY(attend_half_keys, AttendArgs, true),
    GPU_ENTRY(attend_half_values, AttendArgs, true),
};
static const char *const pieces[] = {AttendArgs_text, text, NULL};
const GpuFamily gpu_attention_cores = {"attention of halves", pieces, kernel, TH_LEN(kernel), is_half, head};
