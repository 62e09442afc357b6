/*
 * sparse_values.c -- kernels on the values of sparse matrices: a thread for each number of a result, which adds its
 * terms in the CPU's order, so that the bits are the CPU's. Long lines are four or eight threads' each where the CPU
 * has that many sums.
 */
#include "sparse.h"

/* clang-format off */
static const char products_text[] = GPU_TEXT(
    /* z (lines, n) = x . a, whose rows are step_a apart, in elements, and columns step_b; or sums of lines. */
    KERNEL sparse_gather(const SparseArgs a) {
        if (a.err[0]) return;
        const T *const v = (const T *)a.x.data;
        EACH(e, a.x.lines * a.n) {
            const i64 i = e / a.n;
            const T *const d = (const T *)a.a + (e - i * a.n) * a.step_b;
            T sum = zero();
            for (i64 k = a.x.ptr[i]; k < a.x.ptr[i + 1]; k++)
                sum = add(sum, a.a ? mul(v[k], d[a.x.idx[k] * a.step_a]) : v[k]);
            ((T *)a.z)[e] = sum;
        }
    }
    INLINE T line_term(const SparseArgs *a, i64 k) {
        const T v = ((const T *)a->b)[k];
        return a->a ? mul(v, ((const T *)a->a)[a->x.idx[k] * a->step_a]) : v;
    }
    /* One number a line: values b, each times what stands at its place of vector a, if there is one. Lines are m apart
     * where there are no pointers. */
    KERNEL sparse_lines_sum(const SparseArgs a) {
        SHARED;
        T *const s = (T *)sh;
        if (a.err[0]) return;
        for (i64 first = blockIdx.x * (i64)64; first < a.n; first += gridDim.x * (i64)64) {
            const i64 i = first + threadIdx.x / 4;
            const int part = threadIdx.x % 4;
            T sum = zero();
            if (i < a.n) {
                const i64 from = a.m ? i * a.m : (i64)a.x.ptr[i];
                const i64 to = !a.m ? (i64)a.x.ptr[i + 1] : (i + 1) * a.m < a.x.nnz ? (i + 1) * a.m : a.x.nnz;
                i64 k = from;
                for (; k + 4 <= to; k += 4) sum = add(sum, line_term(&a, k + part));
                for (; k < to && part == 0; k++) sum = add(sum, line_term(&a, k));
            }
            __syncthreads();
            s[threadIdx.x] = sum;
) GPU_TEXT(
            __syncthreads();
            const int t = (int)threadIdx.x;
            if (i < a.n && part == 0) ((T *)a.z)[i] = add(add(sum, s[t + 1]), add(s[t + 2], s[t + 3]));
        }
    }
    /* z += x . y, a block a line: the products of one value of x fall on different places (flag), so its threads share
     * them. */
    KERNEL sparse_both(const SparseArgs a) {
        if (a.err[0]) return;
        const T *const u = (const T *)a.x.data;
        const T *const v = (const T *)a.y.data;
        const int step = a.flag ? (int)blockDim.x : 1;
        for (i64 i = blockIdx.x; i < a.x.lines; i += gridDim.x) {
            T *const z = (T *)a.z + i * a.by_line;
            for (i64 k = a.x.ptr[i]; k < a.x.ptr[i + 1]; k++) {
                const i64 j = a.x.idx[k];
                for (i64 e = a.y.ptr[j] + threadIdx.x; e < a.y.ptr[j + 1] && (int)threadIdx.x < step; e += step) {
                    T *const to = z + a.y.idx[e] * a.by_place;
                    *to = add(*to, mul(u[k], v[e]));
                }
) GPU_TEXT(
                __syncthreads();
            }
        }
    }
    KERNEL sparse_rows_dot(const SparseArgs a) {
        SHARED;
        T *const s = (T *)sh;
        if (a.err[0]) return;
        for (i64 first = blockIdx.x * (i64)32; first < a.x.nnz; first += gridDim.x * (i64)32) {
            const i64 k = first + threadIdx.x / 8;
            const int part = threadIdx.x % 8;
            T sum = zero();
            T rest = zero();
            if (k < a.x.nnz) {
                const T *const p = (const T *)a.a + line_of(&a.x, k) * a.n;
                const T *const q = (const T *)a.b + a.x.idx[k] * a.n;
                i64 j = 0;
                for (; j + 8 <= a.n; j += 8) sum = add(sum, mul(p[j + part], q[j + part]));
                for (; j < a.n && part == 0; j++) rest = add(rest, mul(p[j], q[j]));
            }
            __syncthreads();
            s[threadIdx.x] = sum;
) GPU_TEXT(
            __syncthreads();
            const T *const o = s + threadIdx.x;
            if (k < a.x.nnz && part == 0) {
                const T even = add(add(o[0], o[4]), add(o[2], o[6]));
                ((T *)a.z)[k] = add(add(even, add(add(o[1], o[5]), add(o[3], o[7]))), rest);
            }
        }
    }
);
static const char moves_text[] = GPU_TEXT(
    /* z += x: by entry, or where a line may have a place more than once (flag) by line. */
    KERNEL sparse_to_dense(const SparseArgs a) {
        if (a.err[0]) return;
        const T *const v = (const T *)a.x.data;
        EACH(e, a.flag ? a.x.lines : a.x.nnz) {
            const i64 i = a.flag ? e : line_of(&a.x, e);
            const i64 from = a.flag ? a.x.ptr[i] : e;
            const i64 to = a.flag ? a.x.ptr[i + 1] : e + 1;
            for (i64 k = from; k < to; k++) {
                T *const z = (T *)a.z + i * a.by_line + a.x.idx[k] * a.by_place;
                *z = add(*z, v[k]);
            }
        }
    }
    /* What is not zero: of x's values, or of the elements of matrix a, m to a line. */
    INLINE T value_at(const SparseArgs *a, i64 e) {
        if (!a->m) return ((const T *)a->x.data)[e];
        const i64 i = e / a->m;
        return ((const T *)a->a)[i * a->by_line + (e - i * a->m) * a->by_place];
    }
    KERNEL sparse_flags(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(e, a.n) a.sum[e] = !is_zero(value_at(&a, e));
    }
    KERNEL sparse_put(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(e, a.n) {
            const i64 to = a.sum[e] - 1;
            if (a.sum[e] == before_at(a.sum, e) || to >= a.s.nnz) continue;
            ((T *)a.s.data)[to] = value_at(&a, e);
            a.s.idx[to] = a.m ? (i32)(e % a.m) : a.x.idx[e];
        }
    }
) GPU_TEXT(
    KERNEL sparse_merge(const SparseArgs a) {
        if (a.err[0]) return;
        const T *const u = (const T *)a.x.data;
        const T *const v = (const T *)a.y.data;
        T *const z = (T *)a.s.data;
        EACH(e, a.x.nnz + (a.flag ? a.y.nnz : 0)) {
            const int own = e < a.x.nnz;
            const i64 k = own ? e : e - a.x.nnz;
            const SparsePart *const x = own ? &a.x : &a.y;
            const SparsePart *const y = own ? &a.y : &a.x;
            const i64 i = line_of(x, k);
            const i64 place = x->idx[k];
            const i64 q = entry_at(y->idx, y->ptr[i], y->ptr[i + 1], place);
            const int beside = q < y->ptr[i + 1] && y->idx[q] == place;
            if (a.flag ? !own && beside : !beside) continue;
            const i64 to = !a.flag ? a.sum[k] - 1 : own ? k + before_at(a.sum, q) : before_at(a.sum, k) + q;
            a.s.idx[to] = (i32)place;
            z[to] = !own ? v[k] : !beside ? u[k] : a.flag ? add(u[k], v[q]) : mul(u[k], v[q]);
        }
    }
    KERNEL sparse_take_dense(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(k, a.x.nnz)
            ((T *)a.z)[k] = ((const T *)a.a)[line_of(&a.x, k) * a.by_line + a.x.idx[k] * a.by_place];
    }
    /* work[0]: of one structure */
    KERNEL sparse_take(const SparseArgs a) {
        if (a.err[0]) return;
        const T *const v = (const T *)a.y.data;
        const i64 same = a.work[0];
        EACH(k, a.x.nnz) {
            if (same) {
                ((T *)a.z)[k] = v[k];
                continue;
            }
            const i64 i = line_of(&a.x, k);
            const i64 e = entry_at(a.y.idx, a.y.ptr[i], a.y.ptr[i + 1], a.x.idx[k]);
            ((T *)a.z)[k] = e < a.y.ptr[i + 1] && a.y.idx[e] == a.x.idx[k] ? v[e] : zero();
        }
    }
    KERNEL sparse_diagonal(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.x.lines) {
            T sum = zero();
            for (i64 k = a.x.ptr[i]; k < a.x.ptr[i + 1]; k++)
                if (a.x.idx[k] == i) sum = add(sum, ((const T *)a.x.data)[k]);
            ((T *)a.z)[i] = sum;
        }
    }
) GPU_TEXT(
    /* Block x: its values go behind those of the blocks before it (work), its places too (m). */
    KERNEL sparse_stack(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(k, a.x.nnz) {
            const i64 i = line_of(&a.x, k);
            const i64 to = a.work[i] + k - a.x.ptr[i];
            a.s.idx[to] = (i32)(a.m + a.x.idx[k]);
            ((T *)a.s.data)[to] = ((const T *)a.x.data)[k];
        }
    }
    /* Entries in order of their keys (modulo m: places), those of one key added where sums of groups say so; values at
     * pos of a. flag: sums begin with 0. Line `which` of the result is where it goes on. */
    KERNEL sparse_fold(const SparseArgs a) {
        if (a.err[0]) return;
        const T *const v = (const T *)a.a;
        const i64 base = a.sum && a.which >= 0 ? a.s.ptr[a.which] : 0;
        EACH(k, a.n) {
            if (a.sum && k && a.key[k] == a.key[k - 1]) continue;
            const i64 to = a.sum ? base + a.sum[k] - 1 : k;
            T sum = v[a.pos[k]];
            if (a.flag) sum = add(zero(), sum);
            for (i64 e = k + 1; a.sum && e < a.n && a.key[e] == a.key[k]; e++) sum = add(sum, v[a.pos[e]]);
            ((T *)a.s.data)[to] = sum;
            if (a.m) a.s.idx[to] = (i32)(a.key[k] % a.m);
        }
    }
    /* At lines key and places pos, n of each; flag: places ascend. */
    KERNEL sparse_at(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(e, a.n) {
            const i64 end = a.x.ptr[a.key[e] + 1];
            i64 k = a.x.ptr[a.key[e]];
            T sum = zero();
            if (a.flag) k = entry_at(a.x.idx, k, end, a.pos[e]);
            for (; k < end && (!a.flag || a.x.idx[k] == a.pos[e]); k++)
                if (a.x.idx[k] == a.pos[e]) sum = add(sum, ((const T *)a.x.data)[k]);
            ((T *)a.z)[e] = sum;
        }
    }
    /* What of line work[i] stands at places key (in order), which become numbers pos; from the end where the places as
     * they are given (first) descend. */
    KERNEL sparse_choose(const SparseArgs a) {
        if (a.err[0]) return;
        const int back = a.first[0] > a.first[a.n - 1];
        EACH(i, a.m) {
            const i64 from = a.x.ptr[a.work[i]];
            const i64 many = a.x.ptr[a.work[i] + 1] - from;
            i64 to = a.s.ptr[i];
            for (i64 e = 0; e < many; e++) {
                const i64 k = back ? from + many - 1 - e : from + e;
                const i64 at = key_at(a.key, a.n, a.x.idx[k]);
                if (at == a.n || a.key[at] != a.x.idx[k] || to >= a.s.nnz) continue;
                a.s.idx[to] = (i32)a.pos[at];
                ((T *)a.s.data)[to++] = ((const T *)a.x.data)[k];
            }
        }
    }
    /* Products [m, m + n) of x . y. */
    KERNEL sparse_products(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(p, a.n) {
            const i64 k = key_at(a.work, a.x.nnz, a.m + p + 1);
            const i64 e = a.y.ptr[a.x.idx[k]] + a.m + p - before_at(a.work, k);
            ((T *)a.z)[p] = mul(((const T *)a.x.data)[k], ((const T *)a.y.data)[e]);
        }
    }
);
static const char real_text[] = GPU_TEXT(INLINE T zero(void) { return 0; } INLINE int is_zero(T v) { return v == 0; });
static const char complex_text[] = GPU_TEXT(
    INLINE T zero(void) {
        T z;
        z.re = z.im = 0;
        return z;
    }
    INLINE int is_zero(T v) { return v.re == 0 && v.im == 0; }
);
/* clang-format on */

static bool has(int variant) {
    char kind = variant < TH_DTYPE_COUNT ? th_dtype_kind((ThDtype)variant) : 0;
    return kind == 'u' || kind == 'f' || kind == 'c';
}

static void head(Text *t, int variant) {
    gpu_head_dtype(t, variant);
    text_put(t, dtype_is_complex((ThDtype)variant) ? complex_text : real_text);
}

static const CudaEntry kernel[] = {
    GPU_ENTRY(sparse_gather, SparseArgs, false),   GPU_ENTRY(sparse_lines_sum, SparseArgs, true),
    GPU_ENTRY(sparse_both, SparseArgs, true),      GPU_ENTRY(sparse_to_dense, SparseArgs, false),
    GPU_ENTRY(sparse_flags, SparseArgs, false),    GPU_ENTRY(sparse_put, SparseArgs, false),
    GPU_ENTRY(sparse_merge, SparseArgs, false),    GPU_ENTRY(sparse_take_dense, SparseArgs, false),
    GPU_ENTRY(sparse_take, SparseArgs, false),     GPU_ENTRY(sparse_rows_dot, SparseArgs, true),
    GPU_ENTRY(sparse_diagonal, SparseArgs, false), GPU_ENTRY(sparse_stack, SparseArgs, false),
    GPU_ENTRY(sparse_fold, SparseArgs, false),     GPU_ENTRY(sparse_at, SparseArgs, false),
    GPU_ENTRY(sparse_choose, SparseArgs, false),   GPU_ENTRY(sparse_products, SparseArgs, false),
};
static const char *const pieces[] = {
    gpu_fail_text, SparsePart_text, SparseArgs_text, gpu_sparse_text, products_text, moves_text, NULL};
const GpuFamily gpu_sparse_values = {"sparse values", pieces, kernel, TH_LEN(kernel), has, head};
