/*
 * loops.c -- a kernel as one C function: extents and base pointers, the outer loops, each stage's loops inside. The vec
 * loop runs in whole vectors and once more for the rest (m elements), through the same vector functions.
 */
#include "../graph/expr.h"
#include "../ops/vmath.h"
#include "emit.h"

#include <stdio.h>
#include <string.h>

bool emit_ids(Emit *e, const int *ids, int n) {
    for (int j = 0; j < n; j++)
        if (!emit_ins(e, ids[j])) return false;
    return true;
}

static bool body(Emit *e, const KernelOrder *o, int d) {
    e->indent++;
    bool ok = emit_loops(e, o, d + 1);
    e->indent--;
    return ok;
}

enum { COLUMNS = 8 }; /* vectors of columns that are reduced together */

/* Vector number of the row, for accumulator lanes; each row starts at 0. */
static bool counts_vectors(const Emit *e) {
    const Stage *st = e->s->st;
    return e->k->dim[st->vec].kind == DIM_RED && st->nred > 0;
}

static void turn_begin(Emit *e, int dim) {
    emit_line(e, "{");
    e->indent++;
    emit_line(e, "const i64 i%d = j%d + %d;", dim, dim, e->turn * e->lanes);
}

static void turn_end(Emit *e) {
    e->indent--;
    emit_line(e, "}");
}

/* The bulk of a row: a turn for each vector of accumulators, these under names of their own, so that they stay in
 * registers. Leaves j<dim> where the row's last vectors start. */
static bool bulk(Emit *e, const KernelOrder *o, int d, int n) {
    int dim = e->s->loop[d];
    emit_red_turns(e, n, true);
    emit_line(e, "i64 j%d = 0;", dim);
    int step = n * e->lanes;
    emit_line(e, "for (; j%d + %d <= n%d; j%d += %d) {", dim, step, dim, dim, step);
    e->indent++;
    for (e->turn = 0; e->turn < n; e->turn++) {
        turn_begin(e, dim);
        e->indent--;
        if (!body(e, o, d)) return false;
        e->indent++;
        turn_end(e);
    }
    e->turn = -1;
    e->indent--;
    emit_line(e, "}");
    return true;
}

/* The rest of the row goes on with the accumulators as arrays, from i<dim> and vector number u. */
static bool turns(Emit *e, const KernelOrder *o, int d, int n) {
    int dim = e->s->loop[d];
    if (!bulk(e, o, d, n)) return false;
    emit_red_turns(e, n, false);
    emit_line(e, "i64 i%d = j%d; u = (int)(j%d / %d);", dim, dim, dim, e->lanes);
    return true;
}

/* What is left of a row after its bulk, at most a vector for each accumulator: each under a mask, those of no elements
 * not at all. Short rows are this alone. */
static bool masked_rest(Emit *e, const KernelOrder *o, int d, int n) {
    int dim = e->s->loop[d];
    e->tail = true;
    for (e->turn = 0; e->turn < n; e->turn++) {
        int at = e->turn * e->lanes;
        emit_line(e, "if (j%d + %d < n%d) {", dim, at, dim);
        e->indent++;
        emit_line(e, "const i64 i%d = j%d + %d, m = n%d - i%d < %d ? n%d - i%d : %d;", dim, dim, at, dim, dim, e->lanes,
                  dim, dim, e->lanes);
        e->indent--;
        if (!body(e, o, d)) return false;
        emit_line(e, "}");
    }
    e->turn = -1;
    e->tail = false;
    return true;
}

/* Operations of the text of a scalar function, vector math by its size. */
static int length(Emit *e, const Ins *i) {
    enum { MATH = 20 };
    const ScalarTexts *st = scalar_value_texts(e->c, i->op, !scalar_ops[i->op].value);
    int n = 0;
    for (int j = 0; st && st->n && st->at[0] && j < st->at[0]->n; j++) {
        const ExNode *x = &st->at[0]->at[j];
        if (x->kind == EX_NUM || x->kind == EX_NAME) continue;
        n += vmath_find(x->name, (ThDtype)i->in_dtype) ? MATH : 1;
    }
    return n;
}

/* Whether whole vectors go under masks too: next to so long a body these cost nothing, and the compiler, whose time is
 * what a first call waits for, sees the body once and not twice. (With three functions of vector math in float32 the
 * masks are 8 per cent, with eight a few.) */
static bool is_long(Emit *e) {
    enum { LONG = 160 }; /* operations: eight functions of vector math */
    const Stage *st = e->s->st;
    int n = 0;
    for (int j = st->ins0; j < st->ins0 + st->nins; j++) {
        const Ins *i = &e->k->ins.at[j];
        bool moves = i->op == INS_LOAD || i->op == INS_STORE;
        const Access *a = moves ? &e->k->acc.at[i->a] : NULL;
        if (i->depth <= e->s->vec) continue;
        if (a && (th_dtype_bytes((ThDtype)a->dtype) < 4 || dtype_is_complex((ThDtype)a->dtype))) return false;
        if (i->op < INS_LOAD) n += length(e, i);
    }
    return e->vector_bytes == 64 && n >= LONG;
}

/* All vectors of a row from i<dim> on. */
static bool masked_loop(Emit *e, const KernelOrder *o, int d, const char *step) {
    int dim = e->s->loop[d];
    emit_line(e, "for (; i%d < n%d; i%d += %d%s) {", dim, dim, dim, e->lanes, step);
    emit_line(e, "    const i64 m = n%d - i%d < %d ? n%d - i%d : %d;", dim, dim, e->lanes, dim, dim, e->lanes);
    e->tail = true;
    bool ok = body(e, o, d);
    e->tail = false;
    emit_line(e, "}");
    return ok;
}

/* A row whose accumulators have names all the way. */
static bool named_row(Emit *e, const KernelOrder *o, int d, int n) {
    if (!bulk(e, o, d, n) || !masked_rest(e, o, d, n)) return false;
    emit_red_turns(e, n, false);
    return true;
}

/* Whether columns can be reduced several vectors at a time: nothing but the reductions between the loop over columns
 * and the innermost one. */
static bool side_by_side(const Emit *e, int d) {
    enum { REGISTERS = 16, MOST_INS = 24 };
    const LoopStage *s = e->s;
    if (e->k->dim[s->st->vec].kind == DIM_RED || d + 1 >= s->nloop || s->st->nins > MOST_INS) return false;
    if (!s->st->nred || s->nred[d + 1] != s->st->nred || s->st->nred * COLUMNS > REGISTERS || s->npre[d + 1])
        return false;
    for (int l = d + 2; l <= s->nloop; l++)
        if (s->npost[l] || (l < s->nloop && s->npre[l])) return false;
    return true;
}

/* Columns, several vectors at a time: memory is read in longer runs. Leaves i<dim> at the first column that is left. */
static bool columns(Emit *e, const KernelOrder *o, int d) {
    const LoopStage *s = e->s;
    int dim = s->loop[d], r0 = s->st->red0, n = s->st->nred;
    emit_line(e, "i64 j%d = 0;", dim);
    emit_line(e, "for (; j%d + %d <= n%d; j%d += %d) {", dim, COLUMNS * e->lanes, dim, dim, COLUMNS * e->lanes);
    e->indent++;
    for (e->turn = 0; e->turn < COLUMNS; e->turn++)
        for (int r = 0; r < n; r++) emit_red_init(e, r0 + r);
    for (int l = d + 1; l < s->nloop; l++) {
        emit_line(e, "for (i64 i%d = 0; i%d < n%d; i%d++) {", s->loop[l], s->loop[l], s->loop[l], s->loop[l]);
        e->indent++;
    }
    for (e->turn = 0; e->turn < COLUMNS; e->turn++) {
        turn_begin(e, dim);
        emit_ahead(e, o->code + s->pre[s->nloop], s->npre[s->nloop]);
        if (!emit_ids(e, o->code + s->pre[s->nloop], s->npre[s->nloop])) return false;
        for (int r = 0; r < n; r++) emit_red_step(e, r0 + r);
        turn_end(e);
    }
    for (int l = d + 1; l < s->nloop; l++) turn_end(e);
    for (e->turn = 0; e->turn < COLUMNS; e->turn++) {
        turn_begin(e, dim);
        for (int r = 0; r < n; r++) emit_red_final(e, r0 + r);
        if (!emit_ids(e, o->code + s->post[d + 1], s->npost[d + 1])) return false;
        turn_end(e);
    }
    e->turn = -1;
    turn_end(e);
    emit_line(e, "i64 i%d = j%d;", dim, dim);
    return true;
}

static bool vec_loop(Emit *e, const KernelOrder *o, int d) {
    int dim = e->s->loop[d];
    bool u = counts_vectors(e);
    const char *step = u ? ", u++" : "";
    if (u) emit_line(e, "int u%s = 0;", "");
    if (e->lanes == 1) {
        emit_line(e, "for (i64 i%d = 0; i%d < n%d; i%d++%s) {", dim, dim, dim, dim, step);
        bool ok = body(e, o, d);
        emit_line(e, "}");
        return ok;
    }
    int n = u && d == e->s->nloop - 1 ? emit_red_vectors(e) : 1;
    if (n > 1 && emit_red_named(e)) return named_row(e, o, d, n);
    bool wide = side_by_side(e, d);
    if (n == 1 && !wide) {
        emit_line(e, "i64 i%d = 0;", dim);
        if (is_long(e)) return masked_loop(e, o, d, step);
    } else if (wide ? !columns(e, o, d) : !turns(e, o, d, n)) return false;
    emit_line(e, "for (; i%d + %d <= n%d; i%d += %d%s) {", dim, e->lanes, dim, dim, e->lanes, step);
    if (!body(e, o, d)) return false;
    emit_line(e, "}");
    emit_line(e, "if (i%d < n%d) { /* the last n %% %d */", dim, dim, e->lanes);
    e->indent++;
    emit_line(e, "const i64 m = n%d - i%d;", dim, dim);
    e->indent--;
    e->tail = true;
    bool ok = body(e, o, d);
    e->tail = false;
    emit_line(e, "}");
    return ok;
}

static bool loop(Emit *e, const KernelOrder *o, int d) {
    if (d == e->s->vec) {
        if (!emit_row_copy(e, o->code + e->s->pre[d + 1], e->s->npre[d + 1])) emit_line(e, "{");
        e->indent++;
        bool ok = vec_loop(e, o, d);
        e->indent--;
        emit_line(e, "}");
        return ok;
    }
    int dim = e->s->loop[d];
    emit_line(e, "for (i64 i%d = 0; i%d < n%d; i%d++) {", dim, dim, dim, dim);
    bool ok = body(e, o, d);
    emit_line(e, "}");
    return ok;
}

bool emit_loops(Emit *e, const KernelOrder *o, int d) {
    const LoopStage *s = e->s;
    if (!emit_ids(e, o->code + s->pre[d], s->npre[d])) return false;
    for (int i = 0; i < s->nred[d]; i++) emit_red_init(e, s->red[d] + i);
    if (d < s->nloop) {
        if (!loop(e, o, d)) return false;
    } else
        for (int i = 0; i < s->st->nred; i++) emit_red_step(e, s->st->red0 + i);
    for (int i = 0; i < s->nred[d]; i++) emit_red_final(e, s->red[d] + i);
    return emit_ids(e, o->code + s->post[d], s->npost[d]);
}

bool emit_red_loops(Emit *e, const KernelOrder *o) {
    const LoopStage *s = e->s;
    for (int i = 0; i < s->nred[0]; i++) emit_red_init(e, s->red[0] + i);
    if (!loop(e, o, 0)) return false;
    for (int i = 0; i < s->nred[0]; i++) emit_red_final(e, s->red[0] + i);
    return true;
}

/* ---- the function ---- */
static bool stage(Emit *e, const KernelOrder *o, int number) {
    e->s = &o->stage[number];
    e->lanes = emit_lanes(e, e->s);
    if (e->words[number]) emit_line(e, "/* %s */", e->words[number]);
    if (e->s->st->cls == STAGE_GEMM) return emit_product(e, o);
    return emit_loops(e, o, e->k->nouter);
}

static bool outer(Emit *e, const KernelOrder *o, int d) {
    const Kernel *k = e->k;
    for (int i = 0; d < k->nouter && i < k->st.n; i++) {
        e->s = &o->stage[i];
        e->lanes = 1;
        if (!emit_ids(e, o->code + e->s->pre[d], e->s->npre[d])) return false;
    }
    if (d == k->nouter) {
        for (int i = 0; i < k->st.n; i++)
            if (!stage(e, o, i)) return false;
        return true;
    }
    emit_line(e, "for (i64 i%d = 0; i%d < n%d; i%d++) {", d, d, d, d);
    e->indent++;
    bool ok = outer(e, o, d + 1);
    e->indent--;
    emit_line(e, "}");
    return ok;
}

/* What local symbol i of the kernel is in every step that runs it, or INT64_MIN. */
static int64_t known_value(const Emit *e, int i) {
    int64_t v = INT64_MIN;
    bool first = true;
    for (int j = e->first[e->number]; j < e->p->nstep; j++) {
        const Step *s = &e->p->step[j];
        if (s->kind != STEP_KERNEL || s->kernel != e->number) continue;
        int64_t x = i < s->nsym ? e->known[s->sym[i]] : INT64_MIN;
        if (!first && x != v) return INT64_MIN;
        v = x;
        first = false;
    }
    return v;
}

/* A version for certain lengths: these hide the frame's. */
static void known_lengths(Emit *e) {
    int n = e->p->step[e->first[e->number]].nsym, some = 0;
    Text t;
    text_init(&t, e->c);
    for (int i = 0; i < n; i++) {
        int64_t v = known_value(e, i);
        some |= v != INT64_MIN;
        if (v != INT64_MIN) text_printf(&t, i ? ", %lldl" : "%lldl", (long long)v);
        else text_printf(&t, i ? ", s[%d]" : "s[%d]", i);
    }
    if (some) {
        emit_line(e, "const i64 known[%d] = {%s};", n, t.at);
        emit_line(e, "s = known;");
    }
    text_free(&t);
}

void emit_head(Emit *e, const LoopStage *tile) {
    const Kernel *k = e->k;
    if (e->known && !tile && e->first[e->number] >= 0) known_lengths(e);
    int m = tile ? tile->st->d0 : -2, n = m + 1;
    Text t;
    for (int d = 0; d < k->ndim; d++) {
        text_init(&t, e->c);
        emit_size(&t, k->dim[d].n);
        const char *part = (tile && d == m) || (e->split && d == 0) ? "row1 - row0"
                           : tile && d == n                         ? "col1 - col0"
                                                                    : NULL;
        emit_line(e, "const i64 n%d = %s;", d, part ? part : t.at ? t.at : "0");
        text_free(&t);
    }
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        const char *ty = type_short((ThDtype)a->dtype), *ro = a->flags & ACC_WRITE ? "" : "const ";
        text_init(&t, e->c);
        if (!size_is(a->off, 0)) {
            text_put(&t, " + ");
            emit_size(&t, a->off);
        }
        if (e->split && !size_is(a->st[0], 0)) {
            text_put(&t, " + row0 * (");
            emit_size(&t, a->st[0]);
            text_put(&t, ")");
        }
        for (int d = m; tile && d <= n; d++) {
            if (size_is(a->st[d], 0)) continue;
            text_put(&t, d == m ? " + row0 * (" : " + col0 * (");
            emit_size(&t, a->st[d]);
            text_put(&t, ")");
        }
        emit_line(e, "%s%s *const p_%s = (%s%s *)b[%d]%s;", ro, ty, e->name[i], ro, ty, a->buf, t.at ? t.at : "");
        text_free(&t);
    }
}

bool emit_begin(Emit *e, const Kernel *k, int number) {
    if (!e->first && !plan_kernel_users(e->p, e->arena, &e->first, &e->users)) return false;
    int step = e->first[number];
    e->k = k;
    e->turn = -1;
    e->number = number;
    e->mask = arena_alloc0(e->arena, (size_t)k->ins.n + 1);
    e->vec = arena_alloc0(e->arena, (size_t)k->ins.n + 1);
    e->name = plan_access_names(e->p, k, step, e->arena);
    if (!e->mask || !e->vec || !e->name) return false;
    e->words = plan_describe(e->p, k, step, e->users[number], e->name, e->arena);
    return e->words != NULL;
}

/* No loops at all: a few operations on single values. */
bool kernel_is_scalar(const Kernel *k) {
    for (int s = 0; s < k->st.n; s++)
        if (k->st.at[s].cls != STAGE_LOOP) return false;
    return k->ndim == 0;
}

bool emit_kernel(Emit *e, const Kernel *k, int number) {
    KernelOrder o;
    if (!emit_begin(e, k, number) || !kernel_order(k, e->arena, &o)) return false;
    if (k->title) emit_line(e, "/* %s */", k->title);
    if (!emit_tiles(e, &o)) return false;
    e->split = threads_may_split(e, k);
    if (kernel_in_blocks(k)) return blocks_emit(e, &o, number) && !failed(e->c);
    emit_line(e, "%s int %s_%d(Frame *f, char *const *b, const i64 *s, const Cell *q, int step%s) {",
              kernel_is_scalar(k) ? "INLINE"
              : e->split          ? "static"
                                  : "KERNEL",
              e->split ? "part" : "kernel", number, e->split ? ", i64 row0, i64 row1" : "");
    e->indent = 1;
    emit_line(e, "(void)f, (void)b, (void)s, (void)q, (void)step;");
    emit_head(e, NULL);
    bool ok = side_emit(e, &o) && flat_emit(e, &o) && outer(e, &o, 0);
    emit_line(e, "return 0;");
    e->indent = 0;
    emit_line(e, "}\n");
    if (e->split && ok) ok = threads_emit(e, number);
    e->split = false;
    return ok && !failed(e->c);
}
