/*
 * sums.c -- reductions of everything shared out among two threads (config openmp), with the bits of one.
 * In: a kernel whose one loop is a reduction of a row with named vectors of accumulators (reduce.c). Out: sums_N, which
 * computes half of them, each over the elements that are its own in any case (vector u of the row
 * belongs to accumulator u mod their number), and lines at the start of kernel_N that have both halves run, from
 * openmp_elemwise_minsize elements on, then fold them as one thread would. Always holds: no addition is made in another
 * order, so the bits are the same.
 */
#include "emit.h"

static bool plain_reductions(const Kernel *k, const Stage *st) {
    for (int r = st->red0; r < st->red0 + st->nred; r++) {
        const Red *d = &k->red.at[r];
        if (d->depth != 0 || d->kind == RED_ARGMAX || d->kind == RED_ARGMIN) return false;
    }
    for (int i = 0; i < k->ins.n; i++)
        if (k->ins.at[i].op == INS_STORE && k->ins.at[i].depth > 0) return false;
    for (int a = 0; a < k->acc.n; a++) /* what is stored at the end is read by nobody on the way */
        for (int b = 0; (k->acc.at[a].flags & ACC_WRITE) && b < k->acc.n; b++)
            if (a != b && k->acc.at[a].buf == k->acc.at[b].buf) return false;
    return st->nred > 0;
}

/* The number of vectors that have a name, two or more and even; 0: the kernel is not of the kind. */
static int vectors(Emit *e, const Kernel *k, const KernelOrder *o) {
    if (!config_bool(e->c, "openmp") || k->can_fail || k->nouter || k->ndim != 1 || k->st.n != 1) return 0;
    const Stage *st = &k->st.at[0];
    if (st->cls != STAGE_LOOP || k->dim[0].kind != DIM_RED || st->vec != 0 || !plain_reductions(k, st)) return 0;
    e->s = &o->stage[0];
    e->lanes = emit_lanes(e, e->s);
    int n = e->lanes > 1 && emit_red_named(e) ? emit_red_vectors(e) : 0;
    return n % 2 ? 0 : n;
}

static void copies(Emit *e, const char *format) {
    const Stage *st = e->s->st;
    for (int r = st->red0; r < st->red0 + st->nred; r++) emit_line(e, format, r, r, r);
}

static void put_type(Emit *e, int number) {
    const Stage *st = e->s->st;
    emit_line(e, "typedef struct { Frame *f; char *const *b; const i64 *s; const Cell *q; int step;");
    for (int r = st->red0; r < st->red0 + st->nred; r++) {
        char ty[16];
        int lanes, n = emit_red_count(e, r, &lanes);
        need_type(e, (ThDtype)e->k->red.at[r].acc_dtype, lanes, ty);
        emit_line(e, "    %s acc%d[%d];", ty, r, n);
    }
    emit_line(e, "} Sums_%d; /* the accumulators of both halves */", number);
}

static bool put_half(Emit *e, const KernelOrder *o, int number, int n) {
    emit_line(e, "static void sums_%d(int half, void *p) {", number);
    e->indent = 1;
    emit_line(e, "Sums_%d *z = p;", number);
    emit_line(e, "Frame *const f = z->f; char *const *const b = z->b; const i64 *const s = z->s;");
    emit_line(e, "const Cell *const q = z->q; const int step = z->step; const i64 first = half * %d;",
              n / 2 * e->lanes);
    emit_line(e, "(void)f, (void)b, (void)s, (void)q, (void)step;");
    emit_head(e, NULL);
    e->half = true;
    bool ok = emit_red_loops(e, o);
    e->half = false;
    const Stage *st = e->s->st;
    for (int r = st->red0; r < st->red0 + st->nred; r++) {
        int lanes, each = emit_red_count(e, r, &lanes) / 2;
        emit_line(e, "for (int j = 0; j < %d; j++) z->acc%d[half * %d + j] = acc%d[j];", each, r, each, r);
    }
    e->indent = 0;
    emit_line(e, "}\n");
    return ok;
}

int sums_emit(Emit *e, const KernelOrder *o, int number) {
    int n = vectors(e, e->k, o);
    if (n < 2) return 0;
    put_type(e, number);
    return put_half(e, o, number, n) ? 1 : -1;
}

bool sums_call(Emit *e, const KernelOrder *o, int number) {
    const LoopStage *s = &o->stage[0];
    e->s = s;
    e->lanes = emit_lanes(e, s);
    emit_line(e, "if (n0 >= %lldl) {", (long long)config_int(e->c, "openmp_elemwise_minsize"));
    e->indent++;
    emit_line(e, "Sums_%d z = {f, b, s, q, step};", number);
    emit_line(e, "f->rt->parallel_for(f, 2, sums_%d, &z);", number);
    if (!emit_ids(e, o->code + s->pre[0], s->npre[0])) return false;
    for (int r = 0; r < s->st->nred; r++) emit_red_init(e, s->st->red0 + r);
    copies(e, "__builtin_memcpy(acc%d, z.acc%d, sizeof acc%d);");
    for (int r = 0; r < s->st->nred; r++) emit_red_final(e, s->st->red0 + r);
    if (!emit_ids(e, o->code + s->post[0], s->npost[0])) return false;
    emit_line(e, "return 0;");
    e->indent--;
    emit_line(e, "}");
    return true;
}
