/*
 * draw_stage.c -- a draw of random numbers as a stage that calls the library (kernel/draw_work.h). In: a node, and
 * which of its operands are what to the stage. Out: a kernel over the dims of what is drawn, with no epilogue yet.
 */
#include "random.h"

static bool number(Lower *l, Kernel *k, Size s) { return s.sym >= -1 && vec_push(l->ctx, &k->size, s); }

/* Elements along dims [from, to) of the result. */
static Size elements(Lower *l, int out, int from, int to) {
    Size n = size_const(1);
    for (int d = from; d < to; d++) n = l->api->mul(l, n, l->api->out_dim(l, out, d));
    return n;
}

int draw_whole(Lower *l, Kernel *k, int tensor, bool write) {
    Size none[KDIM];
    for (int d = 0; d < KDIM; d++) none[d] = size_const(0);
    return write ? l->api->write_at(l, k, tensor, 0, l->api->out_offset(l, tensor), none)
                 : l->api->read_at(l, k, tensor, l->api->in_offset(l, tensor), none);
}

bool draw_stage(Lower *l, Kernel *k, const DrawStage *w) {
    const LowerApi *api = l->api;
    int nd = l->node->out[w->out]->type.ndim;
    int8_t map[TH_MAX_NDIM];
    for (int d = 0; d < nd; d++) {
        map[d] = (int8_t)d;
        if (kernel_dim(k, api->out_dim(l, w->out, d), DIM_PAR) < 0) return false;
    }
    int s = kernel_stage(k, STAGE_DRAW, 0, nd), to = s < 0 ? -1 : api->write(l, k, w->out, map);
    bool ok = to >= 0 && number(l, k, size_const(w->kind)) && number(l, k, elements(l, w->out, 0, w->lead)) &&
              number(l, k, elements(l, w->out, w->lead, nd)) && number(l, k, w->streams);
    if (!ok) return false;
    Stage *st = &k->st.at[s];
    st->A = w->a, st->B = w->b, st->C = to;
    st->num0 = 0, st->nnum = k->size.n;
    return !failed(l->ctx);
}
