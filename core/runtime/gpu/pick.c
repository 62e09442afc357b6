/*
 * pick.c -- columns picked by uniform numbers on a device: each number looks for its column by itself; without putting
 * back, a row's numbers one after the other. Sums run as the CPU's do.
 */
#include "gpu.h"

enum { PICK_CHECK, PICK_EACH, PICK_COUNTS, PICK_ONCE, PICK_TELL };

GPU_RECORD(PickArgs, {
    i64 *err, step;
    const char *p, *u;
    char *z;
    i64 *at;   /* of each number: the column, by row */
    f64 *rest; /* by row: what the probabilities are after some picks */
    i64 *first;
    i64 rows, n, count, row, column, step_u, row_z, column_z, kind, kind_u, kind_z, once, single;
    i64 no_probability, no_sum, too_few;
})

/* clang-format off */
static const char text[] = GPU_TEXT(
    INLINE f64 chance(const PickArgs *a, i64 i, i64 m) {
        return get_real(a->p + i * a->row + m * a->column, (int)a->kind);
    }
    INLINE f64 uniform(const PickArgs *a, i64 i, i64 c) {
        return get_real(a->u + (c * a->rows + i) * a->step_u, (int)a->kind_u);
    }
    /* The first column that is no probability, n: none; the sum up to there. */
    INLINE i64 look(const PickArgs *a, i64 i, f64 *sum) {
        *sum = 0;
        for (i64 m = 0; m < a->n; m++) {
            const f64 v = chance(a, i, m);
            if (!(v >= 0 && v <= 1 + 1e-3)) return m;
            *sum += v;
        }
        return a->n;
    }
    INLINE int good(const PickArgs *a, i64 i) {
        f64 sum;
        return look(a, i, &sum) == a->n && sum >= 1 - 1e-3 && sum <= 1 + 1e-3;
    }
    KERNEL pick_check(const PickArgs a) {
        if (a.err[0]) return;
        for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < a.rows; i += gridDim.x * (i64)blockDim.x)
            if (!good(&a, i)) first_at(a.first, i);
    }
    KERNEL pick_each(const PickArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.rows * a.count;
             e += gridDim.x * (i64)blockDim.x) {
            const i64 i = e / a.count;
            const f64 u = uniform(&a, i, e - i * a.count);
            f64 sum = 0;
            i64 last = 0;
            for (i64 m = 0; m < a.n; m++) {
                const f64 v = chance(&a, i, m);
                sum += v;
                if (v > 0 || sum > u) last = m;
                if (sum > u) break;
            }
            a.at[e] = last;
        }
    }
    KERNEL pick_counts(const PickArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.rows * a.n; e += gridDim.x * (i64)blockDim.x) {
            const i64 i = e / a.n;
            const i64 m = e - i * a.n;
            i64 n = 0;
            for (i64 c = 0; c < a.count; c++) n += a.at[i * a.count + c] == m;
            put_number(a.z + i * a.row_z + m * a.column_z, (int)a.kind_z, n);
        }
    }
    INLINE f64 rounded(f64 v, i64 single) { return single ? (f64)(f32)v : v; }
    /* Number of picks of row i that could be made. */
    INLINE i64 picks(const PickArgs *a, i64 i) {
        f64 *const p = a->rest + i * a->n;
        for (i64 m = 0; m < a->n; m++) p[m] = chance(a, i, m);
        for (i64 c = 0; c < a->count; c++) {
            const f64 u = uniform(a, i, c);
            f64 sum = 0;
            f64 before = 0;
            i64 last = 0;
            i64 m = 0;
            for (; m < a->n; m++) {
                sum += p[m];
                before = sum - p[m];
                if (sum > u) break;
                if (p[m] > 0) last = m;
            }
            if (m == a->n) m = last;
            if (!(p[m] > 0)) return c;
            put_number(a->z + i * a->row_z + c * a->column_z, (int)a->kind_z, m);
            sum = rounded(before, a->single);
            p[m] = 0;
            for (i64 k = m; k < a->n; k++) sum = rounded(sum + p[k], a->single);
            for (i64 k = 0; k < a->n && sum > 0; k++) p[k] = rounded(p[k] / sum, a->single);
        }
        return a->count;
    }
    KERNEL pick_once(const PickArgs a) {
        if (a.err[0]) return;
        for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < a.rows; i += gridDim.x * (i64)blockDim.x)
            if (good(&a, i) && picks(&a, i) < a.count) first_at(a.first, i);
    }
    KERNEL pick_tell(const PickArgs a) {
        const i64 i = *a.first;
        if (blockIdx.x || threadIdx.x || a.err[0] || i < 0 || i >= a.rows) return;
        union { f64 f; i64 i; } v;
        const i64 m = look(&a, i, &v.f);
        if (m < a.n) {
            v.f = chance(&a, i, m);
            fail(a.err, a.step, a.no_probability, i, m, v.i, 0);
        } else if (!good(&a, i)) fail(a.err, a.step, a.no_sum, i, v.i, 0, 0);
        else fail(a.err, a.step, a.too_few, i, picks(&a, i), a.count, 0);
    }
);
/* clang-format on */

static const CudaEntry kernel[] = {
    GPU_ENTRY(pick_check, PickArgs, false),  GPU_ENTRY(pick_each, PickArgs, false),
    GPU_ENTRY(pick_counts, PickArgs, false), GPU_ENTRY(pick_once, PickArgs, false),
    GPU_ENTRY(pick_tell, PickArgs, false),
};
static const char *const pieces[] = {gpu_number_text, gpu_fail_text, PickArgs_text, text, NULL};
const GpuFamily gpu_picks = {"picks", pieces, kernel, TH_LEN(kernel), gpu_is_one, gpu_head_none};

int gpu_pick(HostCall *h, const PickWork *w) {
    const ThArray *p = w->p, *z = w->z;
    PickArgs a = {.p = p->data,
                  .u = w->u->data,
                  .z = z->data,
                  .rows = ARRAY_SHAPE(p)[0],
                  .n = ARRAY_SHAPE(p)[1],
                  .count = w->count,
                  .row = ARRAY_STRIDES(p)[0],
                  .column = ARRAY_STRIDES(p)[1],
                  .step_u = ARRAY_STRIDES(w->u)[0],
                  .row_z = ARRAY_STRIDES(z)[0],
                  .column_z = ARRAY_STRIDES(z)[1],
                  .kind = gpu_number((ThDtype)p->dtype),
                  .kind_u = gpu_number((ThDtype)w->u->dtype),
                  .kind_z = gpu_number((ThDtype)z->dtype),
                  .once = w->once,
                  .single = p->dtype == TH_FLOAT32,
                  .no_probability = w->no_probability,
                  .no_sum = w->no_sum,
                  .too_few = w->too_few};
    char *first, *room;
    size_t many = (size_t)(a.rows * (w->once ? a.n : a.count)) * 8;
    if (!a.rows) return 0;
    if (!gpu_room(h, sizeof(i64), &first) || !gpu_room(h, many, &room) || gpu_set(h, first, 0x7f, sizeof(i64)))
        return 1;
    a.first = (i64 *)(void *)first, a.at = (i64 *)(void *)room, a.rest = (f64 *)(void *)room;
    if (gpu_launch(h, &gpu_picks, 0, PICK_CHECK, gpu_blocks(a.rows), &a)) return 1;
    if (w->once)
        return gpu_launch(h, &gpu_picks, 0, PICK_ONCE, gpu_blocks(a.rows), &a) ||
               gpu_launch(h, &gpu_picks, 0, PICK_TELL, 1, &a);
    return gpu_launch(h, &gpu_picks, 0, PICK_TELL, 1, &a) ||
           gpu_launch(h, &gpu_picks, 0, PICK_EACH, gpu_blocks(a.rows * a.count), &a) ||
           gpu_launch(h, &gpu_picks, 0, PICK_COUNTS, gpu_blocks(a.rows * a.n), &a);
}
