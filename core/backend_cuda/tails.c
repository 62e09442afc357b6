/*
 * tails.c -- a product by small tiles and the rows behind it as one kernel (schedule/tails.c): each block computes its
 * tile, which has whole rows, and goes on with those, half a warp each.
 */
#include "cuda.h"

bool cuda_tails(Emit *e, const GridTail *t, int n, const CudaKernel *kernel) {
    bool *written = arena_alloc0(e->arena, sizeof *written * (size_t)(e->p->nkernel + 1));
    if (!written) return false;
    for (int i = 0; i < n; i++) {
        int of[2] = {e->p->step[t[i].step].kernel, e->p->step[t[i].step + 1].kernel};
        char name[GRID_NAME];
        for (int j = 0; j < 2; j++) {
            if (!written[of[j]] && !cuda_kernel(e, &kernel[of[j]], j ? GRID_HALF : GRID_FIRST)) return false;
            written[of[j]] = true;
        }
        tail_name(name, i);
        emit_line(e, "typedef struct { Args_%d first; Args_%d rows; } Tail_%d;", of[0], of[1], i);
        emit_line(e, "KERNEL %s(const Tail_%d a) {", name, i);
        emit_line(e, "    first_%d(a.first);", of[0]);
        emit_line(e, "    __syncthreads();"); /* nobody has begun with a row before all of the tile is there */
        emit_line(e, "    rows_%d(a.rows);", of[1]);
        emit_line(e, "}\n");
    }
    return !failed(e->c);
}
