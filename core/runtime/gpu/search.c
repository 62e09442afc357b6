/*
 * search.c -- places in a sorted vector on a device: a thread for each value halves the vector as the CPU does.
 */
#include "gpu.h"

enum { SEARCH_CHECK, SEARCH_TELL, SEARCH_TAKE, SEARCH_FIND };

GPU_RECORD(SearchArgs, {
    i64 *err, step;
    const char *x, *v, *sorter;
    char *z, *sorted;
    i64 *first; /* of the sorter's entries that are out of bounds */
    i64 n, many, step_x, step_sorter, kind, right, which;
    GpuLanes l;
})

/* clang-format off */
static const char text[] = GPU_TEXT(
    KERNEL search_check(const SearchArgs a) {
        if (a.err[0]) return;
        for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < a.n; i += gridDim.x * (i64)blockDim.x) {
            const i64 at = get_number(a.sorter + i * a.step_sorter, (int)a.kind);
            if (at < 0 || at >= a.n) first_at(a.first, i);
        }
    }
    KERNEL search_tell(const SearchArgs a) {
        const i64 i = *a.first;
        if (blockIdx.x || threadIdx.x || a.err[0] || i < 0 || i >= a.n) return;
        fail(a.err, a.step, a.which, i, get_number(a.sorter + i * a.step_sorter, (int)a.kind), a.n, 0);
    }
    KERNEL search_take(const SearchArgs a) {
        if (a.err[0]) return;
        for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < a.n; i += gridDim.x * (i64)blockDim.x)
            ((T *)a.sorted)[i] = *(const T *)(a.x + get_number(a.sorter + i * a.step_sorter, (int)a.kind) * a.step_x);
    }
    KERNEL search_find(const SearchArgs a) {
        if (a.err[0]) return;
        for (i64 e = blockIdx.x * (i64)blockDim.x + threadIdx.x; e < a.many; e += gridDim.x * (i64)blockDim.x) {
            const T v = *(const T *)(a.v + lane_at(&a.l, 0, e));
            i64 from = 0;
            i64 n = a.n;
            while (n > 0) {
                const i64 half = n / 2;
                const T at = *(const T *)(a.x + (from + half) * a.step_x);
                const int up = a.right ? !before(v, at) : before(at, v);
                from = up ? from + half + 1 : from;
                n = up ? n - half - 1 : half;
            }
            *(i64 *)(a.z + lane_at(&a.l, 1, e)) = from;
        }
    }
);
/* clang-format on */

static const CudaEntry kernel[] = {
    GPU_ENTRY(search_check, SearchArgs, false),
    GPU_ENTRY(search_tell, SearchArgs, false),
    GPU_ENTRY(search_take, SearchArgs, false),
    GPU_ENTRY(search_find, SearchArgs, false),
};
static const char *const pieces[] = {
    GpuLanes_text, gpu_lanes_text, gpu_number_text, gpu_fail_text, SearchArgs_text, text, NULL};
const GpuFamily gpu_searches = {"searchsorted", pieces, kernel, TH_LEN(kernel), gpu_is_dtype, gpu_head_keys};

/* x in the sorter's order, dense. */
static int sorted(HostCall *h, const SearchWork *w, SearchArgs *a) {
    int d = w->x->dtype;
    a->sorter = w->sorter->data, a->step_sorter = ARRAY_STRIDES(w->sorter)[0];
    a->kind = gpu_number((ThDtype)w->sorter->dtype);
    char *first;
    if (!gpu_room(h, sizeof(i64), &first)) return 1;
    if (!gpu_room(h, (size_t)a->n * th_dtype_bytes((ThDtype)d), &a->sorted)) return 1;
    a->first = (i64 *)(void *)first;
    int bad = gpu_set(h, first, 0x7f, sizeof(i64)) ||
              gpu_launch(h, &gpu_searches, d, SEARCH_CHECK, gpu_blocks(a->n), a) ||
              gpu_launch(h, &gpu_searches, d, SEARCH_TELL, a->n > 0, a) ||
              gpu_launch(h, &gpu_searches, d, SEARCH_TAKE, gpu_blocks(a->n), a);
    a->x = a->sorted, a->step_x = (i64)th_dtype_bytes((ThDtype)d);
    return bad;
}

int gpu_search(HostCall *h, const SearchWork *w) {
    const ThArray *both[2] = {w->v, w->z};
    SearchArgs a = {.x = w->x->data,
                    .v = w->v->data,
                    .z = w->z->data,
                    .n = w->x->size,
                    .right = w->right,
                    .step_x = ARRAY_STRIDES(w->x)[0],
                    .which = w->failure};
    a.many = gpu_lanes(&a.l, both, 2, -1);
    if (w->sorter && sorted(h, w, &a)) return 1;
    return gpu_launch(h, &gpu_searches, w->x->dtype, SEARCH_FIND, gpu_blocks(a.many), &a);
}
