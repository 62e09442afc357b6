/*
 * ctc.c -- connectionist temporal classification on a device: a block a sequence goes through its time steps, a thread
 * for some states each; what has no order in time is a thread a step. In float64, in the CPU's order of sums.
 */
#include "gpu.h"

enum { CTC_CHECK, CTC_TELL, CTC_SOFTMAX, CTC_WAYS, CTC_OUT };

GPU_RECORD(CtcArgs, {
    i64 *err, step;
    const char *x, *labels, *lengths, *direction;
    char *z;
    i64 *first, *label, *states, *steps;                       /* label: by sequence and state */
    f64 *y, *alpha, *beta, *dy, *dalpha, *dbeta, *row, *total; /* total: by sequence, log p and its derivative */
    i64 kind, times, many, classes, most, width;               /* width: states at most */
    i64 float_x, float_d, whole_labels, whole_lengths;
    i64 sx[3];
    i64 sd[3];
    i64 sz[3];
    i64 sl[2];
    i64 step_lengths, bad_length, bad_label, no_classes;
})

/* clang-format off */
static const char text[] = GPU_TEXT(
    INLINE f64 infinite(void) { return -__builtin_inf(); }
    INLINE f64 log_add(f64 a, f64 b) {
        const f64 high = a > b ? a : b;
        const f64 low = a > b ? b : a;
        return low == infinite() ? high : high + log1p(exp(low - high));
    }
    /* 0, or which failure; v: its values. */
    INLINE i64 read_path(const CtcArgs *a, i64 n, i64 *v, i64 *which) {
        i64 *const label = a->label + n * a->width;
        const i64 steps = get_number(a->lengths + n * a->step_lengths, (int)a->whole_lengths);
        i64 u = 0;
        v[0] = n, v[1] = steps, v[2] = a->times, *which = a->bad_length;
        if (steps < 0 || steps > a->times) return 1;
        label[0] = 0;
        for (; u < a->most; u++) {
            const i64 k = get_number(a->labels + n * a->sl[0] + u * a->sl[1], (int)a->whole_labels);
            if (k < 0) break;
            v[1] = u, v[2] = k, *which = a->bad_label;
            if (k == 0 || k >= a->classes) return 1;
            label[2 * u + 1] = k;
            label[2 * u + 2] = 0;
        }
        a->states[n] = 2 * u + 1;
        a->steps[n] = steps;
        *which = a->no_classes;
        return steps > 0 && a->classes == 0;
    }
    KERNEL ctc_check(const CtcArgs a) {
        if (a.err[0]) return;
        for (i64 n = blockIdx.x * (i64)blockDim.x + threadIdx.x; n < a.many; n += gridDim.x * (i64)blockDim.x) {
            i64 v[3];
            i64 which;
            if (read_path(&a, n, v, &which)) first_at(a.first, n);
        }
    }
    KERNEL ctc_tell(const CtcArgs a) {
        i64 v[3];
        i64 which;
        if (blockIdx.x || threadIdx.x || a.err[0] || *a.first < 0 || *a.first >= a.many) return;
        if (read_path(&a, *a.first, v, &which)) fail(a.err, a.step, which, v[0], v[1], v[2], a.classes - 1);
    }
    KERNEL ctc_softmax(const CtcArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.many * a.times; e += gridDim.x * (i64)blockDim.x) {
            const i64 n = e / a.times;
            const i64 t = e - n * a.times;
            f64 *const y = a.y + e * a.classes;
            f64 most = infinite();
            f64 sum = 0;
            if (t >= a.steps[n]) continue;
            for (i64 k = 0; k < a.classes; k++) {
                y[k] = get_real(a.x + t * a.sx[0] + n * a.sx[1] + k * a.sx[2], (int)a.float_x);
                most = y[k] > most ? y[k] : most;
            }
            for (i64 k = 0; k < a.classes; k++) sum += exp(y[k] - most);
            for (i64 k = 0; k < a.classes; k++) y[k] -= most + log(sum);
            if (a.kind != 2) continue;
            f64 *const d = a.dy + e * a.classes;
            f64 mean = 0;
            for (i64 k = 0; k < a.classes; k++) {
                d[k] = get_real(a.direction + t * a.sd[0] + n * a.sd[1] + k * a.sd[2], (int)a.float_d);
                mean += exp(y[k]) * d[k];
            }
            for (i64 k = 0; k < a.classes; k++) d[k] -= mean;
        }
    }
    typedef struct { i64 S, steps, classes; const i64 *label; f64 *y, *alpha, *beta, *dy, *dalpha, *dbeta; } Way;
    INLINE int skips(const Way *p, i64 s) { return s > 1 && p->label[s] && p->label[s] != p->label[s - 2]; }
    INLINE f64 share(f64 from, f64 sum, f64 d) { return from == infinite() ? 0 : exp(from - sum) * d; }
    INLINE f64 alpha_of(const Way *p, i64 t, i64 s) {
        const f64 *const before = p->alpha + (t - 1) * p->S;
        f64 v = t == 0 && s < 2 ? 0 : infinite();
        if (t > 0) {
            v = before[s];
            if (s > 0) v = log_add(v, before[s - 1]);
            if (skips(p, s)) v = log_add(v, before[s - 2]);
        }
        return v + p->y[t * p->classes + p->label[s]];
    }
    INLINE f64 beta_of(const Way *p, i64 t, i64 s) {
        const f64 *const after = p->beta + (t + 1) * p->S;
        f64 v = t == p->steps - 1 && s >= p->S - 2 ? 0 : infinite();
        if (t < p->steps - 1) {
            v = after[s];
            if (s + 1 < p->S) v = log_add(v, after[s + 1]);
            if (s + 2 < p->S && skips(p, s + 2)) v = log_add(v, after[s + 2]);
        }
        return v + p->y[t * p->classes + p->label[s]];
    }
    INLINE f64 alpha_along(const Way *p, i64 t, i64 s) {
        const i64 at = t * p->S + s;
        const i64 k = t * p->classes + p->label[s];
        const f64 sum = p->alpha[at] - p->y[k];
        f64 change = p->dy[k];
        for (i64 j = s; t > 0 && sum > infinite() && j >= 0 && j >= s - 1 - skips(p, s); j--)
            change += share(p->alpha[(t - 1) * p->S + j], sum, p->dalpha[(t - 1) * p->S + j]);
        return change;
    }
    INLINE f64 beta_along(const Way *p, i64 t, i64 s) {
        const i64 at = t * p->S + s;
        const i64 k = t * p->classes + p->label[s];
        const f64 sum = p->beta[at] - p->y[k];
        f64 change = p->dy[k];
        for (i64 j = s; t < p->steps - 1 && sum > infinite() && j < p->S && j <= s + 2; j++)
            if (j < s + 2 || skips(p, j)) change += share(p->beta[(t + 1) * p->S + j], sum, p->dbeta[(t + 1) * p->S + j]);
        return change;
    }
    INLINE f64 log_of_all(const Way *p) {
        if (p->steps == 0) return p->S == 1 ? 0 : infinite();
        const f64 *const last = p->alpha + (p->steps - 1) * p->S;
        return p->S == 1 ? last[0] : log_add(last[p->S - 1], last[p->S - 2]);
    }
    INLINE f64 change_of_all(const Way *p, f64 log_p) {
        f64 change = 0;
        if (p->steps == 0 || log_p == infinite()) return 0;
        for (i64 s = p->S == 1 ? 0 : p->S - 2; s < p->S; s++)
            change += share(p->alpha[(p->steps - 1) * p->S + s], log_p, p->dalpha[(p->steps - 1) * p->S + s]);
        return change;
    }
) GPU_TEXT(
    KERNEL ctc_ways(const CtcArgs a) {
        SHARED;
        (void)sh;
        if (a.err[0]) return;
        for (i64 n = blockIdx.x; n < a.many; n += gridDim.x) {
            const i64 room = n * a.times;
            Way p;
            p.S = a.states[n], p.steps = a.steps[n], p.classes = a.classes, p.label = a.label + n * a.width;
            p.y = a.y + room * a.classes, p.alpha = a.alpha + room * a.width, p.beta = a.beta + room * a.width;
            p.dy = a.dy + room * a.classes, p.dalpha = a.dalpha + room * a.width, p.dbeta = a.dbeta + room * a.width;
            for (i64 t = 0; t < p.steps; t++) {
                for (i64 s = threadIdx.x; s < p.S; s += blockDim.x) p.alpha[t * p.S + s] = alpha_of(&p, t, s);
                __syncthreads();
            }
) GPU_TEXT(
            for (i64 t = p.steps - 1; a.kind && t >= 0; t--) {
                for (i64 s = threadIdx.x; s < p.S; s += blockDim.x) p.beta[t * p.S + s] = beta_of(&p, t, s);
                __syncthreads();
            }
) GPU_TEXT(
            for (i64 t = 0; a.kind == 2 && t < p.steps; t++) {
                for (i64 s = threadIdx.x; s < p.S; s += blockDim.x) p.dalpha[t * p.S + s] = alpha_along(&p, t, s);
                __syncthreads();
            }
) GPU_TEXT(
            for (i64 t = p.steps - 1; a.kind == 2 && t >= 0; t--) {
                for (i64 s = threadIdx.x; s < p.S; s += blockDim.x) p.dbeta[t * p.S + s] = beta_along(&p, t, s);
                __syncthreads();
            }
) GPU_TEXT(
            if (threadIdx.x == 0) {
                const f64 log_p = log_of_all(&p);
                a.total[2 * n] = log_p;
                a.total[2 * n + 1] = a.kind == 2 ? change_of_all(&p, log_p) : 0;
                if (!a.kind) put_real(a.z + n * a.sz[0], (int)a.float_x, -log_p);
            }
        }
    }
) GPU_TEXT(
    /* softmax - the share of each class in all ways, or how that changes; zero behind the sequence's steps. */
    KERNEL ctc_out(const CtcArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.many * a.times; e += gridDim.x * (i64)blockDim.x) {
            const i64 n = e / a.times;
            const i64 t = e - n * a.times;
            const i64 S = a.states[n];
            const f64 log_p = a.total[2 * n];
            const int none = t >= a.steps[n] || log_p == infinite();
            const f64 *const y = a.y + e * a.classes;
            const f64 *const dy = a.dy + e * a.classes;
            f64 *const row = a.row + e * a.classes;
            for (i64 k = 0; k < a.classes; k++) row[k] = none ? 0 : a.kind == 2 ? exp(y[k]) * dy[k] : exp(y[k]);
            for (i64 s = 0; s < S && !none; s++) {
                const i64 k = a.label[n * a.width + s];
                const i64 at = n * a.times * a.width + t * S + s;
                const f64 way = a.alpha[at] + a.beta[at] - y[k] - log_p;
                if (way > infinite())
                    row[k] -= a.kind == 2 ? exp(way) * (a.dalpha[at] + a.dbeta[at] - dy[k] - a.total[2 * n + 1]) : exp(way);
            }
            for (i64 k = 0; k < a.classes; k++)
                put_real(a.z + t * a.sz[0] + n * a.sz[1] + k * a.sz[2], (int)a.float_x, row[k]);
        }
    }
);
/* clang-format on */

static const CudaEntry kernel[] = {
    GPU_ENTRY(ctc_check, CtcArgs, false), GPU_ENTRY(ctc_tell, CtcArgs, false), GPU_ENTRY(ctc_softmax, CtcArgs, false),
    GPU_ENTRY(ctc_ways, CtcArgs, true),   GPU_ENTRY(ctc_out, CtcArgs, false),
};
static const char *const pieces[] = {gpu_number_text, gpu_fail_text, CtcArgs_text, text, NULL};
const GpuFamily gpu_ctcs = {"ctc", pieces, kernel, TH_LEN(kernel), gpu_is_one, gpu_head_none};

static bool numbers(HostCall *h, i64 n, f64 **to) {
    char *at;
    bool ok = gpu_room(h, (size_t)n * sizeof(f64), &at);
    *to = (f64 *)(void *)at;
    return ok;
}

static bool words(HostCall *h, i64 n, i64 **to) {
    char *at;
    bool ok = gpu_room(h, (size_t)n * sizeof(i64), &at);
    *to = (i64 *)(void *)at;
    return ok;
}

static bool rooms(HostCall *h, CtcArgs *a) {
    i64 n = a->many, y = n * a->times * a->classes, ways = n * a->times * a->width;
    if (!words(h, 1, &a->first) || !words(h, n * a->width, &a->label) || !words(h, n, &a->states)) return false;
    if (!words(h, n, &a->steps) || !numbers(h, y, &a->y) || !numbers(h, ways, &a->alpha)) return false;
    if (!numbers(h, 2 * n, &a->total)) return false;
    if (a->kind != CTC_COST && (!numbers(h, ways, &a->beta) || !numbers(h, y, &a->row))) return false;
    return a->kind != CTC_ALONG ||
           (numbers(h, y, &a->dy) && numbers(h, ways, &a->dalpha) && numbers(h, ways, &a->dbeta));
}

int gpu_ctc(HostCall *h, const CtcWork *w) {
    const ThArray *x = w->x;
    CtcArgs a = {.x = x->data,
                 .labels = w->labels->data,
                 .lengths = w->lengths->data,
                 .z = w->z->data,
                 .kind = w->kind,
                 .times = ARRAY_SHAPE(x)[0],
                 .many = ARRAY_SHAPE(x)[1],
                 .classes = ARRAY_SHAPE(x)[2],
                 .most = ARRAY_SHAPE(w->labels)[1],
                 .float_x = gpu_number((ThDtype)x->dtype),
                 .whole_labels = gpu_number((ThDtype)w->labels->dtype),
                 .whole_lengths = gpu_number((ThDtype)w->lengths->dtype),
                 .step_lengths = ARRAY_STRIDES(w->lengths)[0],
                 .bad_length = w->bad_length,
                 .bad_label = w->bad_label,
                 .no_classes = w->no_classes};
    a.width = 2 * a.most + 1;
    for (int d = 0; d < 3; d++) a.sx[d] = ARRAY_STRIDES(x)[d];
    for (int d = 0; d < w->z->ndim; d++) a.sz[d] = ARRAY_STRIDES(w->z)[d];
    for (int d = 0; d < 2; d++) a.sl[d] = ARRAY_STRIDES(w->labels)[d];
    if (w->kind == CTC_ALONG) {
        a.direction = w->along->data, a.float_d = gpu_number((ThDtype)w->along->dtype);
        for (int d = 0; d < 3; d++) a.sd[d] = ARRAY_STRIDES(w->along)[d];
    }
    if (!a.many) return 0;
    if (!rooms(h, &a) || gpu_set(h, (char *)a.first, 0x7f, sizeof(i64))) return 1;
    i64 each = gpu_blocks(a.many * a.times);
    return gpu_launch(h, &gpu_ctcs, 0, CTC_CHECK, gpu_blocks(a.many), &a) ||
           gpu_launch(h, &gpu_ctcs, 0, CTC_TELL, 1, &a) || gpu_launch(h, &gpu_ctcs, 0, CTC_SOFTMAX, each, &a) ||
           gpu_launch(h, &gpu_ctcs, 0, CTC_WAYS, a.many, &a) ||
           (w->kind != CTC_COST && gpu_launch(h, &gpu_ctcs, 0, CTC_OUT, each, &a));
}
