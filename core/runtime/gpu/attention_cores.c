/*
 * attention_cores.c -- attention.c's kernels where operands are halves: all products on tensor cores, sums, maxima and
 * exponentials in float32. A block has 128 rows, 16 a warp, and walks along 64 columns at a time. Operands of the
 * scores stay in a warp's registers for the whole walk (of up to 64 features; else they come again for each tile),
 * columns come to shared memory while something else is computed. Weights go from the registers that scores are made
 * in to those that the next product takes them from; they are rounded to the half on the way, as mixed precision does.
 * The gradient's blocks have 128 keys and 32 queries at a time; only for dq, whose rows are queries, gradients of
 * scores go through shared memory. Lines whose features lie side by side, 16 bytes aligned, come by 16 bytes (parts of
 * larger matrices too); others by elements.
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
    /* One or two neighbours of a result. */
    INLINE void put(char *out, i64 narrow, i64 at, i64 step, const f32 *v, int two) {
        const u32 pair = PACK(v[0], v[1]);
        u16 *const low = (u16 *)out + at;
        f32 *const whole = (f32 *)out + at;
        if (!narrow) {
            whole[0] = v[0];
            if (two) whole[step] = v[1];
        } else if (two && step == 1 && (u64)low % 4 == 0) {
            *(u32 *)low = pair;
        } else {
            low[0] = (u16)pair;
            if (two) low[step] = (u16)(pair >> 16);
        }
    }
    INLINE void zeros(f32 *s, int n) { UNROLL for (int i = 0; i < n; i++) s[i] = 0; }
    /* s += x . y, of `many` columns */
    INLINE void add_scores(f32 *s, u32 x[4][4], const u16 *y, int many) {
        UNROLL for (int q = 0; q < 4; q++)
            UNROLL for (int j = 0; j < many / 16; j++) {
                u32 b[4];
                core_y_deep(b, y + j * 16 * PITCH + q * 16, PITCH);
                CORE(s + j * 8, x[q], b);
                CORE(s + j * 8 + 4, x[q], b + 2);
            }
    }
    /* More features than registers have room for: 64 at a time, those of part `last` at the end, which stay. */
    INLINE void long_scores(f32 *s, u16 *hx, u16 *hy, const u16 *x, const i64 *sx, const u16 *y, const i64 *sy,
                            i64 rows, i64 cols, i64 deep, int many, i64 last) {
        const i64 chunks = (deep + 63) / 64;
        zeros(s, many / 2);
        for (i64 c = 1; c <= chunks; c++) {
            const i64 from = (last + c) % chunks * 64;
            u32 f[4][4];
            __syncthreads();
            stage(hx, ROWS, x + from * sx[2], sx[1], sx[2], rows, deep - from);
            stage(hy, many, y + from * sy[2], sy[1], sy[2], cols, deep - from);
            core_group();
            core_wait(0);
            __syncthreads();
            own_rows(f, hx);
            add_scores(s, f, hy, many);
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
    /* kept += weights . w, of which there are `many` lines */
    INLINE void gather(f32 *kept, const f32 *s, const u16 *w, int many) {
        UNROLL for (int q = 0; q < many / 16; q++) {
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
    /* Of each query what its weights and their gradient take: maximum, one over the sum, dz . z. */
    KERNEL attend_half_rows(const AttendArgs a) {
        SHARED;
        const int lane = (int)threadIdx.x % 32;
        if (a.err[0]) return;
        for (i64 g = blockIdx.x * 8 + threadIdx.x / 32; g < a.batch * a.own; g += gridDim.x * (i64)8) {
            const Matrix m = matrix_of(&a, g / a.own);
            const u16 *const x = (const u16 *)a.x + begin_of(a.sx, m) + g % a.own * a.sx[1];
            const f32 *const z = (const f32 *)a.z + begin_of(a.sz, m) + g % a.own * a.sz[1];
            const f32 *const of = (const f32 *)a.stats + 2 * g;
            f32 *const to = (f32 *)a.rows + 4 * g;
            f32 sum = 0;
            for (i64 e = lane; e < a.deep; e += 32) {
                const f32 v = NUMBER(x[e * a.sx[2]]);
                sum = fmaf(v, z[e * a.sz[2]], sum) + (v - v); /* as attention.c has it */
            }
            for (int h = 16; h; h /= 2) sum += __shfl_sync(0xffffffffu, sum, lane ^ h);
            if (lane < 4) to[lane] = lane < 2 ? of[lane] : lane == 2 ? sum : 0.0f;
        }
        (void)sh;
    }
) GPU_TEXT(
    /* mode 1: the result; 2: dq. */
    INLINE void attend(const AttendArgs *a, char *sh, int mode) {
        u16 *const hx = (u16 *)sh;
        u16 *const hy = hx + ROWS * PITCH;
        u16 *const hy2 = hy + TILE;
        u16 *const hw = hy2 + TILE;
        const int lane = (int)threadIdx.x % 32;
        const int line = (int)threadIdx.x / 32 * 16 + lane / 4;
        const int near = a->deep <= 64;
        const int near2 = mode == 2 && a->deep2 <= 64;
        const i64 tiles = (a->own + ROWS - 1) / ROWS;
        const i64 parts = (a->wide + 63) / 64;
        for (i64 g = blockIdx.x; g < a->batch * tiles * parts; g += gridDim.x) {
            const i64 b = g / parts / tiles;
            const Matrix m = matrix_of(a, b);
            const i64 row0 = g / parts % tiles * ROWS;
            const i64 wide0 = g % parts * 64;
            const i64 rows = a->own - row0;
            const u16 *const x = (const u16 *)a->x + begin_of(a->sx, m) + row0 * a->sx[1];
            const u16 *const y = (const u16 *)a->y + begin_of(a->sy, m);
            const u16 *const x2 = (const u16 *)a->x2 + begin_of(a->sx2, m) + row0 * a->sx2[1];
            const u16 *const y2 = (const u16 *)a->y2 + begin_of(a->sy2, m);
            const u16 *const w = (const u16 *)a->w + begin_of(a->sw, m) + wide0 * a->sw[2];
            f32 most[2];
            f32 total[2];
            f32 kept[32];
            u32 fx[4][4];
            u32 fx2[4][4];
            zeros(kept, 32);
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
                zeros(s, 32);
                if (near) {
                    core_wait(2);
                    __syncthreads();
                    add_scores(s, fx, hy, COLS);
                    __syncthreads();
                    if (cols > COLS)
                        stage(hy, COLS, y + (col0 + COLS) * a->sy[1], a->sy[1], a->sy[2], cols - COLS, a->deep);
                } else
                    long_scores(s, hx, hy, x, a->sx, y + col0 * a->sy[1], a->sy, rows, cols, a->deep, COLS, 0);
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
                        const f32 *const of = (const f32 *)a->rows + 4 * (b * a->own + row0 + row);
                        s[i] = row < rows && col < cols ? power(s[i] - of[0]) * of[1] : 0.0f;
                    }
) GPU_TEXT(
                if (mode == 2) {
                    f32 d[32];
                    zeros(d, 32);
                    if (near2) {
                        core_wait(2);
                        __syncthreads();
                        add_scores(d, fx2, hy2, COLS);
                    } else
                        long_scores(d, hx, hy2, x2, a->sx2, y2 + col0 * a->sy2[1], a->sy2, rows, cols,
                                    a->deep2, COLS, 0);
                    UNROLL for (int i = 0; i < 32; i++) {
                        const i64 row = line + i / 2 % 2 * 8;
                        const i64 col = i / 4 * 8 + lane % 4 * 2 + i % 2;
                        const f32 of = row < rows ? ((const f32 *)a->rows)[4 * (b * a->own + row0 + row) + 2] : 0.0f;
                        s[i] = left >> i & 1 ? (f32)a->scale * (s[i] * (d[i] - of)) : 0.0f;
                    }
                }
                core_wait(1);
                __syncthreads();
                gather(kept, s, hw, COLS);
                __syncthreads();
            }
            core_wait(0);
            for (int i = 0; i < 2; i++) {
                const i64 row = row0 + line + i * 8;
                const f32 by = mode == 1 ? 1.0f / total[i] : 1.0f;
                if (row >= a->own) continue;
                UNROLL for (int j = 0; j < 8; j++) {
                    const i64 col = wide0 + j * 8 + lane % 4 * 2;
                    const i64 at = begin_of(a->sout, m) + row * a->sout[1] + col * a->sout[2];
                    f32 *const v = kept + j * 4 + i * 2;
                    v[0] *= by, v[1] *= by;
                    if (col < a->wide) put(a->out, a->narrow, at, a->sout[2], v, col + 1 < a->wide);
                    if (col < a->wide && a->rounded) put(a->rounded, 1, at, a->sout[2], v, col + 1 < a->wide);
                }
                if (mode != 1 || wide0 || lane % 4) continue;
                ((f32 *)a->stats)[2 * (b * a->own + row)] = most[i];
                ((f32 *)a->stats)[2 * (b * a->own + row) + 1] = by;
            }
        }
    }
) GPU_TEXT(
    /* dk, dv and, unless a kernel of its own makes it, dq. Rows are keys, of which a block has one tile after the
     * other, columns are queries, STEP at a time, and the next ones on their way. */
    enum { STEP = 32, DQ_PITCH = STEP + 8, LINES = STEP * PITCH,
           BACK_ROOM = (ROWS * PITCH + 4 * LINES + ROWS * DQ_PITCH) * 2 + 2 * STEP * 16 };
    typedef struct ALIGNED(16) { f32 most, by, sum, none; } Record;
    typedef struct ALIGNED(8) { f32 v[2]; } Pair;
    typedef struct {
        u16 *x, *y, *y2, *dq; /* k; q and dz, two turns of each; gradients of scores */
        Record *of;
        f32 *sums; /* of dq: the matrix, or NULL; lines and columns by.. */
        i64 by_row, by_col;
        Matrix m;
        i64 row0, rows, own0; /* own0: the part's first column */
        f32 dk[32];
        f32 dv[32];
        u32 fx2[4][4]; /* of v */
    } Back;
    INLINE void records(Record *to, const AttendArgs *a, i64 b, i64 col0) {
        const i64 t = threadIdx.x;
        if (t < STEP && col0 + t < a->walked)
            core_copy((u16 *)(to + t), (const u16 *)((const Record *)a->rows + b * a->walked + col0 + t));
    }
    INLINE const u16 *line_of(const char *x, const i64 *st, Matrix m, i64 at) {
        return (const u16 *)x + begin_of(st, m) + at * st[1];
    }
    /* What belongs to columns from col0 on. */
    INLINE void fetch(Back *k, const AttendArgs *a, int near, i64 col0, int turn) {
        const i64 cols = a->walked - col0;
        records(k->of + turn * STEP, a, number_of(a, k->m), col0);
        const u16 *const y = line_of(a->y, a->sy, k->m, col0);
        const u16 *const y2 = line_of(a->y2, a->sy2, k->m, col0);
        if (near) stage(k->y + turn * LINES, STEP, y, a->sy[1], a->sy[2], cols, a->deep);
        if (near) stage(k->y2 + turn * LINES, STEP, y2, a->sy2[1], a->sy2[2], cols, a->deep2);
        core_group();
    }
    /* The tile's rows: of k and v, if these stay. */
    INLINE void begin(Back *k, const AttendArgs *a, int near) {
        zeros(k->dk, 32);
        zeros(k->dv, 32);
        __syncthreads();
        if (near) {
            stage(k->x, ROWS, line_of(a->x2, a->sx2, k->m, k->row0), a->sx2[1], a->sx2[2], k->rows, a->deep2);
            core_group();
            core_wait(0);
            __syncthreads();
            own_rows(k->fx2, k->x);
            __syncthreads();
            stage(k->x, ROWS, line_of(a->x, a->sx, k->m, k->row0), a->sx[1], a->sx[2], k->rows, a->deep);
        }
        fetch(k, a, near, 0, 0);
    }
) GPU_TEXT(
    /* What scores s and products d of dz and v become: weights, and the scores' gradient. */
    INLINE void differ(f32 *s, f32 *d, const Back *k, const AttendArgs *a, i64 col0, const Record *of) {
        const int lane = (int)threadIdx.x % 32;
        const i64 line = k->row0 + (int)threadIdx.x / 32 * 16 + lane / 4;
        u32 left = 0xffffffffu;
        UNROLL for (int i = 0; i < 16; i++) s[i] = (f32)a->scale * s[i];
        if (a->kind) UNROLL for (int i = 0; i < 16; i++) {
            const i64 row = line + i / 2 % 2 * 8;
            const i64 col = col0 + i / 4 * 8 + lane % 4 * 2 + i % 2;
            const i64 at = number_of(a, k->m) * a->smask[0] + row * a->smask[1] + col * a->smask[2];
            if (row >= a->own || col >= a->walked) continue;
            if (a->kind == 1) s[i] += ((const f32 *)a->mask)[at];
            else if ((a->mask[at] != 0) != (a->kind == 2)) {
                s[i] = (f32)a->fill;
                left &= ~(1u << i);
            }
        }
        UNROLL for (int j = 0; j < 8; j++) {
            const i64 col = j / 2 * 8 + lane % 4 * 2 + j % 2;
            const Record r = of[col];
            UNROLL for (int h = 0; h < 2; h++) {
                const int i = j / 2 * 4 + h * 2 + j % 2;
                const int there = col0 + col < a->walked && line + h * 8 < a->own;
                s[i] = there ? power(s[i] - r.most) * r.by : 0.0f;
                d[i] = there && left >> i & 1 ? (f32)a->scale * (s[i] * (d[i] - r.sum)) : 0.0f;
            }
        }
    }
    /* A warp's 16 queries and 16 columns of dq, where earlier keys are summed up. */
    INLINE void queries(f32 *q, const Back *k, const AttendArgs *a, i64 col0, int store) {
        const int lane = (int)threadIdx.x % 32;
        const int warp = (int)threadIdx.x / 32;
        const int two = k->by_col == 1 && k->by_row % 2 == 0 && (u64)k->sums % 8 == 0;
        UNROLL for (int i = 0; i < 4; i++) {
            const i64 row = col0 + warp % 2 * 16 + i % 2 * 8 + lane / 4;
            const i64 col = k->own0 + warp / 2 * 16 + i / 2 * 8 + lane % 4 * 2;
            f32 *const at = k->sums + row * k->by_row + col * k->by_col;
            f32 *const v = q + i / 2 * 4 + i % 2 * 2;
            if (row >= a->walked || col >= a->deep) continue;
            if (two && col + 1 < a->deep) {
                Pair p;
                if (store) p.v[0] = v[0], p.v[1] = v[1], *(Pair *)at = p;
                else p = *(const Pair *)at, v[0] = p.v[0], v[1] = p.v[1];
                continue;
            }
            UNROLL for (int j = 0; j < 2; j++) {
                if (col + j >= a->deep) continue;
                if (store) at[j * k->by_col] = v[j];
                else v[j] = at[j * k->by_col];
            }
        }
    }
    INLINE void add_queries(f32 *q, const Back *k) {
        const int warp = (int)threadIdx.x / 32;
        UNROLL for (int c = 0; c < ROWS / 16; c++) {
            u32 x[4];
            u32 y[4];
            core_x_own(x, k->dq + c * 16 * DQ_PITCH + warp % 2 * 16, DQ_PITCH);
            core_y_own(y, k->x + c * 16 * PITCH + warp / 2 * 16, PITCH);
            CORE(q, x, y);
            CORE(q + 4, x, y + 2);
        }
    }
) GPU_TEXT(
    /* Columns from col0 on; sums: of dq, or NULL. */
    INLINE void step(Back *k, const AttendArgs *a, int near, i64 col0, int turn, int first) {
        const int lane = (int)threadIdx.x % 32;
        const int line = (int)threadIdx.x / 32 * 16 + lane / 4;
        u16 *const y = k->y + turn * LINES;
        u16 *const y2 = k->y2 + turn * LINES;
        const i64 cols = a->walked - col0;
        const i64 part = k->own0 / 64;
        f32 s[16];
        f32 d[16];
        f32 q[8];
        core_wait(0);
        __syncthreads();
        if (cols > STEP) fetch(k, a, near, col0 + STEP, turn ^ 1);
        zeros(q, 8);
        if (k->sums && !first) queries(q, k, a, col0, 0);
        zeros(s, 16);
        zeros(d, 16);
        if (near) {
            u32 fx[4][4];
            own_rows(fx, k->x);
            add_scores(s, fx, y, STEP);
            add_scores(d, k->fx2, y2, STEP);
        } else {
            long_scores(d, k->x, y2, line_of(a->x2, a->sx2, k->m, k->row0), a->sx2, line_of(a->y2, a->sy2, k->m, col0),
                        a->sy2, k->rows, cols, a->deep2, STEP, part);
            long_scores(s, k->x, y, line_of(a->x, a->sx, k->m, k->row0), a->sx, line_of(a->y, a->sy, k->m, col0), a->sy,
                        k->rows, cols, a->deep, STEP, part);
        }
        differ(s, d, k, a, col0, k->of + turn * STEP);
        if (near || k->own0 < a->deep2) gather(k->dv, s, y2, STEP);
        if (near || k->own0 < a->deep) gather(k->dk, d, y, STEP);
        if (k->sums && (near || k->own0 < a->deep)) {
            UNROLL for (int i = 0; i < 16; i += 2)
                *(u32 *)(k->dq + (line + i / 2 % 2 * 8) * DQ_PITCH + i / 4 * 8 + lane % 4 * 2) = PACK(d[i], d[i + 1]);
            __syncthreads();
            add_queries(q, k);
            queries(q, k, a, col0, 1);
        }
    }
    INLINE void finish(const f32 *kept, const Back *k, char *out, i64 narrow, const i64 *st, i64 rows, i64 cols) {
        const int lane = (int)threadIdx.x % 32;
        UNROLL for (int i = 0; i < 32; i += 2) {
            const i64 row = k->row0 + (int)threadIdx.x / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
            const i64 col = k->own0 + i / 4 * 8 + lane % 4 * 2;
            const i64 at = begin_of(st, k->m) + row * st[1] + col * st[2];
            if (row < rows && col < cols) put(out, narrow, at, st[2], kept + i, col + 1 < cols);
        }
    }
) GPU_TEXT(
    INLINE void attend_back(const AttendArgs *a, char *sh, int near) {
        const i64 tiles = (a->own + ROWS - 1) / ROWS;
        const i64 each = (tiles + a->segments - 1) / a->segments;
        Back k;
        k.x = (u16 *)sh;
        k.y = k.x + ROWS * PITCH;
        k.y2 = k.y + 2 * LINES;
        k.dq = k.y2 + 2 * LINES;
        k.of = (Record *)(k.dq + ROWS * DQ_PITCH);
        for (i64 g = blockIdx.x; g < a->batch * a->segments * a->parts; g += gridDim.x) {
            const i64 part = g / a->batch % a->segments;
            k.m = matrix_of(a, g % a->batch);
            k.own0 = g / a->batch / a->segments * 64;
            k.by_row = part || a->narrow ? a->deep : a->sdq[1];
            k.by_col = part || a->narrow ? 1 : a->sdq[2];
            k.sums = attend_sums(a, part, k.m);
            for (i64 t = part * each; t < tiles && t < (part + 1) * each; t++) {
                int turn = 0;
                k.row0 = t * ROWS;
                k.rows = a->own - k.row0;
                begin(&k, a, near);
                for (i64 col0 = 0; col0 < a->walked; col0 += STEP, turn ^= 1)
                    step(&k, a, near, col0, turn, t == part * each);
                finish(k.dk, &k, a->out, a->narrow, a->sout, a->own, a->deep);
                finish(k.dv, &k, a->out2, a->narrow, a->sout2, a->own, a->deep2);
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
        SHARED_BYTES(BACK_ROOM);
        if (a.err[0]) return;
        attend_back(&a, sh, 1);
    }
    KERNEL attend_half_long(const AttendArgs a) {
        SHARED_BYTES(BACK_ROOM);
        if (a.err[0]) return;
        attend_back(&a, sh, 0);
    }
);
/* clang-format on */

static bool is_half(int variant) { return variant == TH_FLOAT16 || variant == TH_BFLOAT16; }

static void head(Text *t, int variant) {
    const char *name = th_dtype_name((ThDtype)variant);
    text_put(t, cuda_cores_text);
    text_put(t, "typedef f32 T;\n#define NARROW(p, v) (*(p) = (u16)PACK(v, 0.0f))\n");
    text_printf(t, "#define CORE core_%s\n#define PACK core_pack_%s\n#define NUMBER(h) core_number(h, 0, %d)\n", name,
                name, variant == TH_BFLOAT16);
}

static const CudaEntry kernel[] = {
    GPU_ENTRY(attend_half_rows, AttendArgs, true),    GPU_ENTRY(attend_half_forward, AttendArgs, true),
    GPU_ENTRY(attend_half_queries, AttendArgs, true), GPU_ENTRY(attend_half_keys, AttendArgs, true),
    GPU_ENTRY(attend_sum, AttendArgs, true),          GPU_ENTRY(attend_half_long, AttendArgs, true),
};
static const char *const pieces[] = {AttendArgs_text, attend_sum_text, text, NULL};
const GpuFamily gpu_attention_cores = {"attention of halves", pieces, kernel, TH_LEN(kernel), is_half, head};
