/*
 * sizes.c -- lengths that only a call tells, as text: the plan's shape program as data with what walks it, whether
 * buffers hold what such lengths ask for, and lengths as expressions.
 */
#include "runtime/gpu/embed.h"
#include "export.h"

GPU_EMBED(export_sizes_text, "export/runtime/sizes.h");

bool export_varies(const Export *x, Size z) { return z.sym >= 0 && x->known[z.sym] == SIZE_UNKNOWN; }

void export_size(const Export *x, Text *t, Size z) {
    if (!export_varies(x, z)) text_printf(t, "%lld", (long long)size_value(z, x->sym));
    else if (z.k == 1) text_printf(t, "sym[%d]", z.sym);
    else text_printf(t, "%lld * sym[%d]", (long long)z.k, z.sym);
}

bool export_moves(const Export *x, const PlanValue *v) {
    bool moves = false;
    for (int d = 0; d < v->ndim; d++) moves |= export_varies(x, v->shape[d]);
    return moves;
}

/* Instruction i of the static part is for every call to do. */
static bool needed(const Export *x, const ShapeIns *i) {
    if (i->op == SHAPE_CHECK_EQ) return x->known[i->a] == SIZE_UNKNOWN || x->known[i->b] == SIZE_UNKNOWN;
    if (i->op == SHAPE_CHECK_GE0) return x->known[i->a] == SIZE_UNKNOWN;
    return x->known[i->dst] == SIZE_UNKNOWN && i->op != SHAPE_CONST;
}

static int integer(ThDtype d) { return dtype_is_signed(d) ? -(int)th_dtype_bytes(d) : (int)th_dtype_bytes(d); }

static void put(const Export *x, Text *t, const ShapeIns *i) {
    const Plan *p = x->p;
    int a = i->a, c = i->c;
    if (i->op == SHAPE_DIM || i->op == SHAPE_STRIDE) {
        c = x->in[x->place[i->a].at].ndim;
        a = (int)x->place[i->a].at;
    } else if (i->op == SHAPE_VALUE) c = integer((ThDtype)p->buf[i->a].dtype);
    else if (i->op >= SHAPE_CHECK_EQ)
        c = shape_check_yields(&p->check[i->k]) ? -p->check[i->k].kind : p->check[i->k].kind;
    text_printf(t, "    {%d, %d, %d, %d, %d, %lld},\n", i->op, i->dst, a, i->b, c, (long long)i->k);
}

/* Memory of buffer b depends on such a length. */
static bool grows(const Export *x, int b) {
    const PlanBuf *f = &x->p->buf[b];
    bool own = x->place[b].how == PLACE_WORK || x->place[b].how == PLACE_RESULT;
    return own && export_varies(x, f->size);
}

static void room(const Export *x, Text *t, int b) {
    const PlanBuf *f = &x->p->buf[b];
    text_put(t, "sane(sym[");
    text_printf(t, "%d]) && sym[%d] >= 0 && ", f->size.sym, f->size.sym);
    export_size(x, t, f->size);
    text_printf(t, " <= %lld", (long long)size_value(f->size, x->sym));
}

bool export_dynamic(const Export *x) {
    const Plan *p = x->p;
    for (int i = 0; i < p->nshape; i++)
        if (i >= p->nshape_static || needed(x, &p->shape[i])) return true;
    return false;
}

bool export_sizes(Export *x, Text *t) {
    const Plan *p = x->p;
    int n = 0;
    if (!export_dynamic(x)) return true;
    text_put(t, "typedef struct {\n    int op, dst, a, b, c;\n    i64 k;\n} Length;\n");
    text_printf(t, "enum { OVERFLOW_CODE = %d, LENGTHS_CODE = %d };\n", p->ncheck ? p->check[0].kind : TH_ValueError,
                TH_ValueError);
    text_put(t, export_sizes_text);
    text_put(t, "static const Length lengths[] = {\n");
    for (int i = 0; i < p->nshape_static; i++)
        if (needed(x, &p->shape[i])) put(x, t, &p->shape[i]), n++;
    for (int i = p->nshape_static; i < p->nshape; i++) put(x, t, &p->shape[i]);
    text_put(t, "};\n\n/* before the steps */\nstatic int prepare(Frame *f) {\n    const i64 *sym = f->sym;\n");
    text_printf(t, "    if (sizes(f, lengths, %d)) return 1;\n", n);
    for (int b = 0; b < p->nbuf; b++) {
        if (p->buf[b].late || !grows(x, b)) continue;
        text_put(t, "    if (!(");
        room(x, t, b);
        text_printf(t, ")) return fail(f, -1, %d, 0, 0, 0, 0, 0);\n", TH_MemoryError);
    }
    text_put(t, "    (void)sym;\n    return 0;\n}\n\n");
    text_printf(t, "static int size_step(Frame *f, int first, int n) { return sizes(f, lengths + first - %d, n); }\n\n",
                p->nshape_static - n);
    text_put(t, "static int late_alloc(Frame *f, int buf) {\n    const i64 *sym = f->sym;\n    (void)sym;\n    switch "
                "(buf) {\n");
    for (int b = 0; b < p->nbuf; b++) {
        if (!p->buf[b].late || !grows(x, b)) continue;
        text_printf(t, "    case %d:\n        if (!(", b);
        room(x, t, b);
        text_printf(t, ")) return fail(f, -1, %d, 0, 0, 0, 0, 0);\n        break;\n", TH_MemoryError);
    }
    text_put(t, "    default: break;\n    }\n    return 0;\n}\n\n");
    return !t->failed;
}
