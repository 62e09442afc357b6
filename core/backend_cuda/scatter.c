/*
 * scatter.c -- the kernels of a scatter (core/schedule/scatter.c): one that looks at the indices, where the plan wants
 * that before all else; one that writes the place of each position of the ordered loops; and, when these are sorted,
 * the one that stores: a thread for each parallel point of the first position of each place goes through them all.
 */
#include "cuda.h"

static void head(Emit *e, const char *suffix, bool can_fail) {
    emit_line(e, "KERNEL kernel_%d%s(const Args_%d a) {", e->number, suffix, e->number);
    e->indent = 1;
    cuda_head(e);
    cuda_leave(e, can_fail);
}

static void end(Emit *e, int loops) {
    while (loops--) {
        e->indent--;
        emit_line(e, "}");
    }
    e->indent = 0;
    emit_line(e, "}\n");
}

/* `const i64 many`: positions of the loops that are (not) in order. */
static void count(Emit *e, const Scatter *f, const char *name, bool ordered) {
    Text t;
    text_init(&t, e->c);
    for (int l = 0; l < e->s->nloop; l++)
        if (scatter_sorts(e->k, f, e->s->loop[l]) == ordered) text_printf(&t, " * n%d", e->s->loop[l]);
    emit_line(e, "const i64 %s = 1%s;", name, t.at ? t.at : "");
    text_free(&t);
}

/* The indices of these loops from a position among them, which is used up. */
static void indices(Emit *e, const Scatter *f, const char *rest, bool ordered) {
    for (int l = e->s->nloop - 1; l >= 0; l--) {
        int d = e->s->loop[l];
        if (scatter_sorts(e->k, f, d) != ordered) continue;
        emit_line(e, "const i64 i%d = %s %% n%d; %s /= n%d; (void)i%d;", d, rest, d, rest, d, d);
    }
}

static bool look(Emit *e, const NestNode *stage) {
    head(e, "c", true);
    e->s = &stage->way->stage[stage->stage];
    bool ok = cuda_nodes(e, stage->child); /* not the next stage */
    end(e, 0);
    return ok;
}

/* The instructions that tell the place, in order. */
static bool tell(Emit *e, const NestNode *code, const Scatter *f) {
    uint8_t need[KINS];
    scatter_needs(e->k, f, need);
    for (; code; code = code->next)
        for (int i = 0; i < code->n; i++)
            if (need[code->ids[i]] && !cuda_code(e, &code->ids[i], 1, false)) return false;
    return true;
}

/* Where the store goes, in elements; -1: nowhere. */
static void address(Emit *e, const Scatter *f) {
    const Access *a = &e->k->acc.at[f->access];
    Text t;
    text_init(&t, e->c);
    for (int l = 0; l < e->s->nloop; l++) {
        int d = e->s->loop[l];
        if (size_is(a->st[d], 0)) continue;
        text_printf(&t, " + i%d * (", d);
        emit_size(&t, a->st[d]);
        text_putc(&t, ')');
    }
    if (f->place >= 0) text_printf(&t, " + v%d", f->place);
    if (f->guard >= 0) emit_line(e, "a.key[g] = v%d ? 0%s : -1;", f->guard, t.at ? t.at : "");
    else emit_line(e, "a.key[g] = 0%s;", t.at ? t.at : "");
    text_free(&t);
}

static bool places(Emit *e, const Scatter *f, const NestNode *code) {
    head(e, "k", e->k->can_fail);
    count(e, f, "many", true);
    emit_line(e,
              "for (i64 g = blockIdx.x * (i64)blockDim.x + threadIdx.x; g < many; g += gridDim.x * (i64)blockDim.x) {");
    e->indent++;
    emit_line(e, "i64 rest = g;");
    indices(e, f, "rest", true);
    for (int l = 0; l < e->s->nloop; l++) { /* of the others the first point, which fails first */
        int d = e->s->loop[l];
        if (!scatter_sorts(e->k, f, d)) emit_line(e, "const i64 i%d = 0; (void)i%d;", d, d);
    }
    bool ok = tell(e, code, f);
    if (f->how == SCATTER_BY_ADDRESS) address(e, f);
    else emit_line(e, "a.key[g] = v%d;", f->place);
    end(e, 1);
    return ok;
}

static bool stores(Emit *e, const Scatter *f, const NestNode *code) {
    if (e->k->title) emit_line(e, "/* %s */", e->k->title);
    head(e, "", false);
    count(e, f, "many", true);
    count(e, f, "inner", false);
    emit_line(e, "for (i64 g = blockIdx.x * (i64)blockDim.x + threadIdx.x; g < many * inner; g += gridDim.x * "
                 "(i64)blockDim.x) {");
    e->indent++;
    emit_line(e, "const i64 first = g / inner;");
    emit_line(e, "i64 rest = g - first * inner;");
    emit_line(e, "if (first && a.key[first] == a.key[first - 1]) continue;");
    if (f->guard >= 0) emit_line(e, "if (a.key[first] == 0x7fffffffffffffffl) continue; /* -1, as sorted */");
    indices(e, f, "rest", false);
    emit_line(e, "for (i64 at = first; at < many && a.key[at] == a.key[first]; at++) {");
    e->indent++;
    emit_line(e, "i64 turn = a.pos[at];");
    indices(e, f, "turn", true);
    bool ok = true;
    for (; code && ok; code = code->next) ok = cuda_code(e, code->ids, code->n, false);
    end(e, 2);
    return ok;
}

bool cuda_scatter(Emit *e) {
    const NestNode *stage = e->nest->root;
    if (stage->next && !look(e, stage)) return false;
    if (stage->next) stage = stage->next;
    e->s = &stage->way->stage[stage->stage];
    const Scatter f = scatter_form(e->k);
    const NestNode *code = stage->child->child;
    return places(e, &f, code) && stores(e, &f, code) && !failed(e->c);
}
