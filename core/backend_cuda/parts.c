/*
 * parts.c -- few long reductions in two kernels: blocks reduce a part of a point each (`parts` of `each` elements) and
 * leave what they have; then a block a point takes these up, part by part, and does the rest of the kernel. Both follow
 * the Nest of the twin; lengths alone say how many parts there are.
 */
#include "cuda.h"

typedef struct Parts {
    Emit *e;
    bool join, over; /* the second kernel; the first one has left its part */
} Parts;

static void head(Emit *e, const CudaKernel *c, int function) {
    char name[GRID_NAME];
    grid_name(name, c->number, function);
    emit_line(e, "KERNEL %s(const Args_%d a) {", name, c->number);
    e->indent = 1;
    cuda_head(e);
    if (!c->k->can_fail) emit_line(e, "if (a.err[0]) return;"); /* else as in cuda_kernel */
    emit_line(e, "SHARED; (void)sh;");
}

/* `const ix iN` of loops [from, to) from a position among their points, which is used up. */
static void decode(Emit *e, const LoopStage *s, int from, int to, const char *rest) {
    for (int l = to - 1; l >= from; l--)
        emit_line(e, "const ix i%d = (ix)(%s %% n%d); %s /= n%d; (void)i%d;", s->loop[l], rest, s->loop[l], rest,
                  s->loop[l], s->loop[l]);
}

static void total(Emit *e, const LoopStage *s, int from, int to, const char *name) {
    Text t;
    text_init(&t, e->c);
    for (int l = from; l < to; l++) text_printf(&t, " * n%d", s->loop[l]);
    emit_line(e, "const i64 %s = 1%s;", name, t.at ? t.at : "");
    text_free(&t);
}

static bool nodes(Parts *w, const NestNode *n);

/* Points; in the first kernel, parts of them. */
static bool grid(Parts *w, const NestNode *n) {
    Emit *e = w->e;
    const LoopStage *s = &n->way->stage[n->stage];
    total(e, s, n->loop, n->loop + n->n, "all");
    emit_line(e, "for (i64 g = blockIdx.x; g < all%s; g += gridDim.x) {", w->join ? "" : " * a.parts");
    e->indent++;
    if (!w->join) emit_line(e, "const i64 part = g %% a.parts;");
    emit_line(e, "i64 rest = g%s; (void)rest;", w->join ? "" : " / a.parts");
    decode(e, s, n->loop, n->loop + n->n, "rest");
    w->over = false;
    bool ok = nodes(w, n->child);
    e->indent--;
    emit_line(e, "}");
    return ok;
}

static bool threads(Parts *w, const NestNode *n) {
    Emit *e = w->e;
    const LoopStage *s = &n->way->stage[n->stage];
    bool ok = true;
    if (w->join) {
        emit_line(e, "for (i64 h = threadIdx.x; h < a.parts; h += blockDim.x) {");
        e->indent++;
        for (int r = s->st->red0; r < s->st->red0 + s->st->nred; r++) cuda_join(e, r);
    } else {
        total(e, s, n->loop, n->loop + n->n, "inside");
        emit_line(e, "const i64 to = (part + 1) * a.each < inside ? (part + 1) * a.each : inside;");
        emit_line(e, "for (i64 h = part * a.each + threadIdx.x; h < to; h += blockDim.x) {");
        e->indent++;
        emit_line(e, "i64 rest_h = h;");
        decode(e, s, n->loop, n->loop + n->n, "rest_h");
        e->leave = "break";
        ok = nodes(w, n->child);
        e->leave = NULL;
    }
    e->indent--;
    emit_line(e, "}");
    return ok;
}

static bool code(Parts *w, const NestNode *n) {
    if (w->join) return cuda_code(w->e, n->ids, n->n, n->share);
    for (int i = 0; i < n->n; i++) /* what is stored, the second kernel stores */
        if (w->e->k->ins.at[n->ids[i]].op != INS_STORE && !cuda_code(w->e, &n->ids[i], 1, false)) return false;
    return true;
}

static void accumulators(Parts *w, const NestNode *n) {
    for (int r = n->first; r < n->first + n->n; r++)
        if (n->how == ACC_BEGIN) emit_red_init(w->e, r);
        else if (n->how == ACC_STEP) emit_red_step(w->e, r);
        else if (w->join || !red_is_arg(&w->e->k->red.at[r])) cuda_fold(w->e, r);
    if (n->how != ACC_FOLD || w->join) return;
    for (int r = n->first; r < n->first + n->n; r++) cuda_leave(w->e, r);
    w->over = true;
}

static bool nodes(Parts *w, const NestNode *n) {
    bool ok = true;
    for (; n && ok && !w->over; n = n->next) {
        if (n->stage >= 0) w->e->s = &n->way->stage[n->stage];
        if (n->kind == NEST_STAGE) ok = nodes(w, n->child);
        else if (n->kind == NEST_FOR) ok = n->how == FOR_GRID ? grid(w, n) : threads(w, n);
        else if (n->kind == NEST_CODE) ok = code(w, n);
        else if (n->kind == NEST_ACC) accumulators(w, n);
        else if (n->kind == NEST_SYNC) emit_line(w->e, "__syncthreads();");
    }
    return ok;
}

bool cuda_parts(Emit *e, const CudaKernel *c) {
    bool ok = true;
    e->nest = c->nest->twin;
    e->way = e->nest->way;
    for (int i = 0; i < 2 && ok; i++) {
        Parts w = {.e = e, .join = i};
        if (!emit_begin(e, c->k, c->number)) return false;
        e->lanes = 1;
        head(e, c, i ? GRID_JOIN : GRID_PARTS);
        ok = nodes(&w, e->nest->root);
        e->indent = 0;
        emit_line(e, "}\n");
    }
    return ok && !failed(e->c);
}
