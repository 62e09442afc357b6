/*
 * sparse_places.c -- kernels on the structure of sparse matrices: heads, pointers, places in order, what is told of bad
 * ones. None looks at a value.
 */
#include "sparse.h"

/* clang-format off */
const char gpu_sparse_text[] =
    "#define EACH(e, n) for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < (n); e += gridDim.x * (i64)blockDim.x)\n"
    GPU_TEXT(
    /* The line of entry k. */
    INLINE i64 line_of(const SparsePart *x, i64 k) {
        i64 low = 0;
        i64 high = x->lines;
        while (high - low > 1) {
            const i64 half = low + (high - low) / 2;
            if (x->ptr[half] <= k) low = half;
            else high = half;
        }
        return low;
    }
    /* The first entry of [from, to), whose places ascend, at `place` or behind. */
    INLINE i64 entry_at(const i32 *idx, i64 from, i64 to, i64 place) {
        while (from < to) {
            const i64 half = from + (to - from) / 2;
            if (idx[half] < place) from = half + 1;
            else to = half;
        }
        return from;
    }
    INLINE i64 key_at(const i64 *key, i64 n, i64 least) {
        i64 from = 0;
        while (from < n) {
            const i64 half = from + (n - from) / 2;
            if (key[half] < least) from = half + 1;
            else n = half;
        }
        return from;
    }
    /* How many flags are set before k. */
    INLINE i64 before_at(const i64 *sum, i64 k) { return k > 0 ? sum[k - 1] : 0; }
);

static const char places_text[] = GPU_TEXT(
    KERNEL places_head(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(w, 8) a.words[w] = a.head[w];
    }
    /* How many values there are; 2: SPARSE_NNZ is word 3 of the head, SPARSE_ORDER word 6. */
    KERNEL places_close(const SparseArgs a) {
        if (blockIdx.x || threadIdx.x || a.err[0]) return;
        a.words[3] = a.s.ptr[a.s.lines];
    }
    /* Whether places ascend in each line: of a result, whose head is told, or of an operand. */
    KERNEL places_order(const SparseArgs a) {
        if (a.err[0]) return;
        const i64 n = a.s.ptr[a.s.lines];
        EACH(k, n) {
            if (k == 0 || a.s.idx[k] > a.s.idx[k - 1] || a.s.ptr[line_of(&a.s, k)] == k) continue;
            if (a.words) a.words[6] = 0;
            if (a.first) *a.first = 0;
        }
    }
    KERNEL places_tell_order(const SparseArgs a) {
        if (blockIdx.x || threadIdx.x || a.err[0] || *a.first || (a.work && a.work[0])) return;
        fail(a.err, a.step, a.which, a.m, a.s.lines, a.s.places, a.s.nnz);
    }
    /* flag: by line, then place; else by place. */
    KERNEL places_keys(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(k, a.x.nnz) a.key[k] = (a.flag ? line_of(&a.x, k) * a.x.places : 0) + a.x.idx[k];
    }
) GPU_TEXT(
    /* Where lines begin among keys that are m apart. */
    KERNEL places_ptr(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.s.lines + 1) a.s.ptr[i] = (i32)key_at(a.key, a.n, i * a.m);
    }
    KERNEL places_turned(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(k, a.n) a.s.idx[k] = (i32)line_of(&a.x, a.pos[k]);
    }
    KERNEL places_copy(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.x.lines + 1) a.s.ptr[i] = a.x.ptr[i];
        EACH(k, a.flag ? a.x.nnz : 0) a.s.idx[k] = a.x.idx[k];
    }
    KERNEL places_groups(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(k, a.n) a.sum[k] = k == 0 || a.key[k] != a.key[k - 1];
    }
    /* Lines [n, m] of the result, of groups of keys that are by_line apart; `by_place` keys. */
    KERNEL places_fold_ptr(const SparseArgs a) {
        if (a.err[0]) return;
        const i64 base = a.s.ptr[a.n];
        EACH(i, a.m - a.n)
            a.s.ptr[a.n + i + 1] = (i32)(base + before_at(a.sum, key_at(a.key, a.by_place, (a.n + i + 1) * a.by_line)));
    }
    /* Flags of entries; of all elements of a matrix, by_line of them a line. */
    KERNEL places_flags_ptr(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.s.lines + 1) a.s.ptr[i] = (i32)before_at(a.sum, a.by_line ? i * a.by_line : (i64)a.x.ptr[i]);
    }
) GPU_TEXT(
    /* flag: values of y that x has none beside; else values of x that y has one beside. */
    KERNEL places_merge_flags(const SparseArgs a) {
        if (a.err[0]) return;
        const SparsePart *const x = a.flag ? &a.y : &a.x;
        const SparsePart *const y = a.flag ? &a.x : &a.y;
        EACH(k, x->nnz) {
            const i64 i = line_of(x, k);
            const i64 e = entry_at(y->idx, y->ptr[i], y->ptr[i + 1], x->idx[k]);
            const i64 beside = e < y->ptr[i + 1] && y->idx[e] == x->idx[k];
            a.sum[k] = a.flag ? !beside : beside;
        }
    }
    KERNEL places_merge_ptr(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.x.lines + 1)
            a.s.ptr[i] = (i32)(a.flag ? a.x.ptr[i] + before_at(a.sum, a.y.ptr[i]) : before_at(a.sum, a.x.ptr[i]));
    }
    /* work[0]: x and y have one structure. */
    KERNEL places_differ(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.x.lines + 1) if (a.x.ptr[i] != a.y.ptr[i]) a.work[0] = 0;
        EACH(k, a.x.nnz) if (a.x.idx[k] != a.y.idx[k]) a.work[0] = 0;
    }
    /* How many products an entry of x has; how many there are up to the end of each line. */
    KERNEL places_work(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(k, a.x.nnz) a.work[k] = a.y.ptr[a.x.idx[k] + 1] - a.y.ptr[a.x.idx[k]];
    }
    KERNEL places_line_work(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.x.lines + 1) a.sum[i] = before_at(a.work, a.x.ptr[i]);
    }
);

static const char choices_text[] = GPU_TEXT(
    INLINE void first_bad(i64 *first, i64 kind, i64 at) { first_at(first, kind << 48 | at); }
    /* Pointers b and numbers a as they are given: what is out of range. */
    KERNEL csm_take(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.s.lines + 1) {
            const i64 v = get_number(a.b + i * a.step_b, (int)a.kind_b);
            if (v < 0 || v > 2147483647) first_bad(a.first, 0, i);
            a.s.ptr[i] = (i32)v;
        }
        EACH(k, a.s.nnz) {
            const i64 v = get_number(a.a + k * a.step_a, (int)a.kind_a);
            if (v < 0 || v > 2147483647) first_bad(a.first, 1, k);
            a.s.idx[k] = (i32)v;
        }
    }
    KERNEL csm_check(const SparseArgs a) {
        if (a.err[0] || *a.first >> 48 < 2) return;
        const SparsePart *const s = &a.s;
        EACH(i, s->lines + 1) {
            if (i == 0 && s->ptr[0] != 0) first_bad(a.first, 2, 0);
            if (i == s->lines && s->ptr[i] != s->nnz) first_bad(a.first, 3, 0);
            if (i < s->lines && s->ptr[i + 1] < s->ptr[i]) first_bad(a.first, 4, 0);
        }
        EACH(k, s->nnz) if (s->idx[k] >= s->places) first_bad(a.first, 5, 0);
    }
    KERNEL csm_tell(const SparseArgs a) {
        const i64 kind = *a.first >> 48;
        const i64 at = *a.first & 281474976710655;
        if (blockIdx.x || threadIdx.x || a.err[0] || kind > 5) return;
        if (kind == 0) fail(a.err, a.step, a.which, at, get_number(a.b + at * a.step_b, (int)a.kind_b), 0, 0);
        else if (kind == 1) fail(a.err, a.step, a.which + 1, at, get_number(a.a + at * a.step_a, (int)a.kind_a), 0, 0);
        else {
            const i64 rows = a.flag ? a.s.lines : a.s.places;
            const i64 columns = a.flag ? a.s.places : a.s.lines;
            fail(a.err, a.step, a.which + kind, rows, columns, a.s.nnz, 0);
        }
    }
) GPU_TEXT(
    KERNEL triplets_take(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(k, a.n) {
            const i64 i = get_number(a.a + k * a.step_a, (int)a.kind_a);
            const i64 j = get_number(a.b + k * a.step_b, (int)a.kind_b);
            if (i < 0 || i >= a.s.lines || j < 0 || j >= a.s.places) first_at(a.first, k);
            else a.key[k] = i * a.s.places + j;
        }
    }
    /* flag: lines are rows */
    KERNEL triplets_tell(const SparseArgs a) {
        const i64 k = *a.first;
        if (blockIdx.x || threadIdx.x || a.err[0] || k >= a.n) return;
        const i64 i = get_number(a.a + k * a.step_a, (int)a.kind_a);
        const i64 j = get_number(a.b + k * a.step_b, (int)a.kind_b);
        const i64 row = a.flag ? i : j;
        const i64 rows = a.flag ? a.s.lines : a.s.places;
        if (row < 0 || row >= rows) fail(a.err, a.step, a.which, k, row, rows, 0);
        else fail(a.err, a.step, a.which + 1, k, a.flag ? j : i, a.flag ? a.s.places : a.s.lines, 0);
    }
    /* Numbers a, of m there are, from the start. */
    KERNEL positions_take(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(k, a.n) {
            const i64 v = get_number(a.a + k * a.step_a, (int)a.kind_a);
            if (v < -a.m || v >= a.m) first_at(a.first, k);
            a.key[k] = v < 0 ? v + a.m : v;
        }
    }
    KERNEL positions_tell(const SparseArgs a) {
        const i64 k = *a.first;
        if (blockIdx.x || threadIdx.x || a.err[0] || k >= a.n) return;
        fail(a.err, a.step, a.which, get_number(a.a + k * a.step_a, (int)a.kind_a), a.m, 0, 0);
    }
    KERNEL choice_twice(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(k, a.n) if (k && a.key[k] == a.key[k - 1]) first_at(a.first, a.pos[k]);
    }
    /* work: the chosen places as they stand */
    KERNEL choice_twice_tell(const SparseArgs a) {
        const i64 k = *a.first;
        if (blockIdx.x || threadIdx.x || a.err[0] || k >= a.n) return;
        fail(a.err, a.step, a.which, a.work[k], 0, 0, 0);
    }
) GPU_TEXT(
    /* Values of each chosen line (work) that stand at chosen places (key, in order). */
    KERNEL choice_counts(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.m) {
            const i64 line = a.work[i];
            i64 many = 0;
            for (i64 k = a.x.ptr[line]; k < a.x.ptr[line + 1]; k++) {
                const i64 at = key_at(a.key, a.n, a.x.idx[k]);
                many += at < a.n && a.key[at] == a.x.idx[k];
            }
            a.sum[i] = many;
        }
    }
    KERNEL choice_ptr(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.s.lines + 1) a.s.ptr[i] = (i32)before_at(a.sum, i);
    }
    KERNEL choice_total(const SparseArgs a) {
        if (blockIdx.x || threadIdx.x || a.err[0]) return;
        *(i64 *)a.z = (a.flag ? *(const i64 *)a.z : 0) + before_at(a.sum, a.n) + a.m;
    }
    /* Block x: its lines behind the n that there are (flag), or its values behind those of each line. */
    KERNEL stack_ptr(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.x.lines) {
            if (a.flag) a.s.ptr[a.n + i + 1] = (i32)(a.m + a.x.ptr[i + 1]);
            else a.s.ptr[i + 1] += a.x.ptr[i + 1];
        }
    }
    KERNEL stack_next(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.x.lines) a.work[i] = a.flag ? a.s.ptr[i] : a.work[i] + a.x.ptr[i + 1] - a.x.ptr[i];
    }
    KERNEL square(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(i, a.n + 1) {
            a.s.ptr[i] = (i32)i;
            if (i < a.n) a.s.idx[i] = (i32)i;
        }
    }
    /* Products [m, m + n) of x . y: line and place of each. work: how many there are up to each entry of x. */
    KERNEL product_keys(const SparseArgs a) {
        if (a.err[0]) return;
        EACH(p, a.n) {
            const i64 k = key_at(a.work, a.x.nnz, a.m + p + 1);
            const i64 e = a.y.ptr[a.x.idx[k]] + a.m + p - before_at(a.work, k);
            a.key[p] = line_of(&a.x, k) * a.y.places + a.y.idx[e];
        }
    }
);
/* clang-format on */

static const CudaEntry places[] = {
    GPU_ENTRY(places_head, SparseArgs, false),      GPU_ENTRY(places_close, SparseArgs, false),
    GPU_ENTRY(places_order, SparseArgs, false),     GPU_ENTRY(places_tell_order, SparseArgs, false),
    GPU_ENTRY(places_keys, SparseArgs, false),      GPU_ENTRY(places_ptr, SparseArgs, false),
    GPU_ENTRY(places_turned, SparseArgs, false),    GPU_ENTRY(places_copy, SparseArgs, false),
    GPU_ENTRY(places_groups, SparseArgs, false),    GPU_ENTRY(places_fold_ptr, SparseArgs, false),
    GPU_ENTRY(places_flags_ptr, SparseArgs, false), GPU_ENTRY(places_merge_flags, SparseArgs, false),
    GPU_ENTRY(places_merge_ptr, SparseArgs, false), GPU_ENTRY(places_differ, SparseArgs, false),
    GPU_ENTRY(places_work, SparseArgs, false),      GPU_ENTRY(places_line_work, SparseArgs, false),
};
static const char *const places_pieces[] = {gpu_fail_text,   SparsePart_text, SparseArgs_text,
                                            gpu_sparse_text, places_text,     NULL};
const GpuFamily gpu_sparse_places = {"sparse structures", places_pieces, places,
                                     TH_LEN(places),      gpu_is_one,    gpu_head_none};

static const CudaEntry choices[] = {
    GPU_ENTRY(csm_take, SparseArgs, false),
    GPU_ENTRY(csm_check, SparseArgs, false),
    GPU_ENTRY(csm_tell, SparseArgs, false),
    GPU_ENTRY(triplets_take, SparseArgs, false),
    GPU_ENTRY(triplets_tell, SparseArgs, false),
    GPU_ENTRY(positions_take, SparseArgs, false),
    GPU_ENTRY(positions_tell, SparseArgs, false),
    GPU_ENTRY(choice_twice, SparseArgs, false),
    GPU_ENTRY(choice_twice_tell, SparseArgs, false),
    GPU_ENTRY(choice_counts, SparseArgs, false),
    GPU_ENTRY(choice_ptr, SparseArgs, false),
    GPU_ENTRY(choice_total, SparseArgs, false),
    GPU_ENTRY(stack_ptr, SparseArgs, false),
    GPU_ENTRY(stack_next, SparseArgs, false),
    GPU_ENTRY(square, SparseArgs, false),
    GPU_ENTRY(product_keys, SparseArgs, false),
};
static const char *const choices_pieces[] = {
    gpu_number_text, gpu_fail_text, SparsePart_text, SparseArgs_text, gpu_sparse_text, choices_text, NULL};
const GpuFamily gpu_sparse_choices = {"sparse choices", choices_pieces, choices,
                                      TH_LEN(choices),  gpu_is_one,     gpu_head_none};
