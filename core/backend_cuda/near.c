/*
 * near.c -- in a loop's turns, points whose block has just multiplied what they read (schedule/near.c): a function that
 * takes those sums from the tile in shared memory and the rest from where an earlier one has asked for it.
 */
#include "cuda.h"

bool cuda_near(Emit *e, const GridTurns *t, int number, int step, int shared, const CudaKernel *kernel) {
    const GridNear *n = &t->near[step];
    if (n->product < 0) return true;
    const GridKernel *product = &kernel[e->p->step[t->first + n->product].kernel];
    CudaNear near = {.n = n, .from = shared, .turns = number, .step = step};
    near.width = choose_tile_shape(product->tile, contract_item(product->nest->contract)).cols;
    bool ok = true;
    for (int i = n->ahead ? 0 : 1; i < 2 && ok; i++) {
        near.ask = !i;
        e->near = &near;
        ok = cuda_kernel(e, &kernel[e->p->step[t->first + step].kernel], GRID_NEAR);
        e->near = NULL;
    }
    return ok;
}

static int item_of(const Emit *e, int acc) { return (int)th_dtype_bytes((ThDtype)e->k->acc.at[acc].dtype); }

bool cuda_near_load(Emit *e, int id) {
    const Ins *i = &e->k->ins.at[id];
    const CudaNear *near = e->near;
    if (i->op != INS_LOAD) return false;
    const char *type = type_short((ThDtype)i->dtype);
    if (near->n->ahead >> i->a & 1) {
        emit_line(e, "%s v%d = ((const %s *)(sh + %d))[threadIdx.x];", type, id, type, near->from + near->n->at[i->a]);
        return true;
    }
    if (!(near->n->tile >> i->a & 1)) return false;
    int before = __builtin_popcount(near->n->tile & ((1u << i->a) - 1));
    emit_line(e, "%s v%d = ((const %s *)sh)[own + ((int)(place >> %d & 15) << w.bits)];", type, id, type, 4 * before);
    return true;
}

/* What the points' loop, the first node, has inside: its places, asked for. */
bool cuda_near_ask(Emit *e, const NestNode *n) {
    const LoopStage *s = &n->way->stage[n->stage >= 0 ? n->stage : 0];
    e->s = s;
    cuda_spread(e, s, n);
    for (int a = 0; a < e->k->acc.n; a++) {
        Text t;
        if (!(e->near->n->ahead >> a & 1)) continue;
        text_init(&t, e->c);
        emit_address(e, &t, a, s->nloop);
        emit_line(e, "late_%d(sh + %d + %d * threadIdx.x, %s);", item_of(e, a), e->near->from + e->near->n->at[a],
                  item_of(e, a), t.at ? t.at : "0");
        text_free(&t);
    }
    e->indent--;
    emit_line(e, "}");
    return !failed(e->c);
}
