/*
 * side.c -- short rows side by side: each lane of a vector works on a row of its own. In: a kernel that reduces rows
 * and whose rows do not touch each other. Out: before its ordinary loops, a way for rows of at most SHORT elements:
 * columns are gathered and scattered, what lies in one row only is an array of vectors, and no time goes into lanes
 * that a short row leaves empty or into folding a vector. Always holds: a row's elements are added in the ordinary
 * order (element j is lane j of the accumulators, folded by halves), and all functions give every lane width the same
 * bits, so the way taken cannot be told from the result.
 */
#include "../graph/expr.h"
#include "../ops/vmath.h"
#include "emit.h"

#include <stdio.h>
#include <string.h>

/* Elements of a row at most (measured): where only positions are sought; of 16 lanes, the same with sums of float64, of
 * fewer; without masks. Rows at least. */
enum { SHORT = SIDE_MOST, SHORT_16 = 48, SHORT_SPLIT = 31, SHORT_8 = 24, SHORT_UNMASKED = 15, FEW = 6 };

/* ---- may it ---- */
/* The text of a scalar function uses nothing but arithmetic and functions of our own. */
static bool own_text(Emit *e, const Ins *i) {
    static const char exact[] =
        " neg abs sqrt floor ceil trunc rint round isinf switch and_ or_ not add sub mul true_div "
        "lt le gt ge eq neq bit_and bit_or bit_xor bit_not sigmoid softplus ";
    ThDtype d = (ThDtype)i->in_dtype;
    const ScalarTexts *st = scalar_value_texts(e->c, i->op, !scalar_ops[i->op].value);
    if (!st || !st->n || !st->at[0]) return false;
    for (int j = 0; j < st->at[0]->n; j++) {
        const ExNode *n = &st->at[0]->at[j];
        char word[40];
        if (n->kind == EX_NUM || n->kind == EX_NAME) continue;
        if (strlen(n->name) > sizeof word - 3) return false;
        word[0] = ' ';
        strcpy(word + 1, n->name);
        strcat(word, " ");
        if (!strstr(exact, word) && !(e->vmath && vmath_find(n->name, d))) return false;
    }
    return true;
}

static bool plain_ins(Emit *e) {
    const Kernel *k = e->k;
    for (int j = 0; j < k->ins.n; j++) {
        const Ins *i = &k->ins.at[j];
        if (i->op < INS_LOAD && i->depth > 0 && dtype_is_float((ThDtype)i->in_dtype) && !own_text(e, i)) return false;
        if (i->op != INS_LOAD && i->op != INS_STORE) continue;
        const Access *a = &k->acc.at[i->a];
        int column = k->st.at[i->stage].d0 + k->st.at[i->stage].nd - 1;
        if ((a->flags & ACC_ROWTEMP) && (i->depth != 2 || !size_is(a->st[column], 1) || !size_is(a->off, 0)))
            return false;
    }
    return true;
}

static bool plain_reds(const Kernel *k) {
    for (int r = 0; r < k->red.n; r++) {
        const Red *d = &k->red.at[r];
        bool arg = d->kind == RED_ARGMAX || d->kind == RED_ARGMIN;
        size_t bytes = th_dtype_bytes((ThDtype)(arg ? k->ins.at[d->v].dtype : d->acc_dtype));
        if (d->depth != 1 || dtype_is_complex((ThDtype)d->acc_dtype) || (arg && bytes < 4)) return false;
    }
    return k->red.n > 0;
}

/* Dim 0 are the rows, and every stage runs along one dim more, which the vectors of the ordinary loops lie along. */
static bool rows_of_one_dim(const Kernel *k) {
    if (k->nouter > 1 || k->ndim < 2 || k->dim[0].kind != DIM_PAR || (!k->nouter && k->st.n != 1)) return false;
    for (int s = 0; s < k->st.n; s++) {
        const Stage *st = &k->st.at[s];
        int column = st->d0 + st->nd - 1;
        if (st->cls != STAGE_LOOP || k->nouter + st->nd != 2 || st->vec != column) return false;
        if ((!k->nouter && st->d0) || k->dim[column].kind == DIM_SEQ) return false;
    }
    return true;
}

/* Rows that read at indices of their own: what the columns' checks and turns cost the compiler (half of the time for an
 * MLP's step) they give back only where rows are known to be short. */
static bool pays(const Emit *e) {
    const Kernel *k = e->k;
    bool indices = false, known = e->known != NULL;
    for (int j = 0; j < k->ins.n; j++) indices |= k->ins.at[j].op == INS_CHECK_INDEX;
    for (int s = 0; s < k->st.n; s++) known |= k->dim[k->st.at[s].d0 + k->st.at[s].nd - 1].n.sym < 0;
    return !indices || known;
}

/* How many lanes suit all stages. */
static int all_lanes(Emit *e, const LoopStage *ls) {
    int lanes = 16;
    for (int s = 0; s < e->k->st.n; s++) {
        e->s = &ls[s];
        int n = emit_lanes(e, e->s);
        if (n < lanes) lanes = n;
    }
    return lanes;
}

/* The kernel's stages with vectors along dim 0, and how many lanes suit all of them; 0: it is not of the kind. Sums of
 * float64 are two vectors where all the rest is vectors of float32. */
static int turned(Emit *e, const KernelOrder *o, LoopStage *ls, Stage *st) {
    for (int s = 0; s < e->k->st.n; s++) {
        ls[s] = o->stage[s];
        st[s] = *o->stage[s].st;
        st[s].vec = 0;
        ls[s].st = &st[s];
        ls[s].vec = 0;
    }
    e->lanes = e->vector_bytes / 4;
    int lanes = all_lanes(e, ls);
    if (lanes < e->lanes) {
        e->lanes = 1;
        lanes = all_lanes(e, ls);
    }
    return lanes > 1 ? lanes : 0;
}

/* ---- text ---- */
static void condition(Emit *e, int lanes) {
    const Kernel *k = e->k;
    bool sums = false, split = false;
    e->lanes = lanes;
    for (int r = 0; r < k->red.n; r++) {
        sums |= k->red.at[r].kind != RED_ARGMAX && k->red.at[r].kind != RED_ARGMIN;
        split |= emit_side_halves(e, r);
    }
    int most = e->vector_bytes < 64 ? SHORT_UNMASKED
               : !sums              ? SHORT
               : lanes < 16         ? SHORT_8
               : split              ? SHORT_SPLIT
                                    : SHORT_16;
    Text t;
    text_init(&t, e->c);
    for (int s = 0; s < k->st.n; s++) {
        int column = k->st.at[s].d0 + k->st.at[s].nd - 1;
        text_printf(&t, " && n%d <= %d", column, most);
    }
    emit_line(e, "if (n0 >= %d%s) { /* short rows, one a lane */", FEW, t.at ? t.at : "");
    text_free(&t);
}

/* Another access to the same buffer, or only one that writes. */
static bool shared_buffer(const Kernel *k, int acc, int flags) {
    for (int j = 0; j < k->acc.n; j++)
        if (j != acc && k->acc.at[j].buf == k->acc.at[acc].buf && (k->acc.at[j].flags & flags)) return true;
    return false;
}

/* Rows of neighbours at some distance from each other, column by column; nothing else touches them, or only reads. */
static bool blocks(const Kernel *k, int acc, int column) {
    const Access *a = &k->acc.at[acc];
    if (a->idx >= 0 || a->guard >= 0 || (a->flags & ACC_ADD) || !size_is(a->st[column], 1)) return false;
    if (size_is(a->st[0], 0) || size_is(a->st[0], 1)) return false;
    return !shared_buffer(k, acc, (a->flags & ACC_WRITE) ? ACC_READ | ACC_WRITE : ACC_WRITE);
}

static bool same_rows(const Kernel *k, int a, int ca, int b, int cb) {
    const Access *x = &k->acc.at[a], *y = &k->acc.at[b];
    if (x->buf != y->buf || !size_eq(k->dim[ca].n, k->dim[cb].n)) return false;
    return (x->flags & ACC_ROWTEMP) ? true : size_eq(x->off, y->off) && size_eq(x->st[0], y->st[0]);
}

static int column_of(const Kernel *k, const Ins *i) { return k->st.at[i->stage].d0 + k->st.at[i->stage].nd - 1; }

/* Which accesses go through arrays of columns: the first of those to the same rows names it. */
static bool find_arrays(Emit *e) {
    const Kernel *k = e->k;
    int *column = arena_alloc(e->arena, sizeof(int) * (size_t)(k->acc.n + 1));
    e->array = arena_alloc(e->arena, sizeof(int) * (size_t)(k->acc.n + 1));
    if (!column || !e->array) return false;
    for (int a = 0; a < k->acc.n; a++) e->array[a] = column[a] = -1;
    for (int j = 0; j < k->ins.n; j++) {
        const Ins *i = &k->ins.at[j];
        if ((i->op != INS_LOAD && i->op != INS_STORE) || i->depth != 2) continue;
        int a = i->a, c = column_of(k, i);
        bool temp = (k->acc.at[a].flags & ACC_ROWTEMP) != 0;
        column[a] = c;
        if (!temp && !blocks(k, a, c)) continue;
        e->array[a] = a;
        for (int b = 0; b < k->acc.n && e->array[a] == a; b++)
            if (b != a && e->array[b] == b && same_rows(k, b, column[b], a, c)) e->array[a] = b;
    }
    return true;
}

static void declare_arrays(Emit *e) {
    char ty[16];
    for (int a = 0; a < e->k->acc.n; a++)
        if (e->array[a] == a)
            emit_line(e, "%s x%d[%d];", need_type(e, (ThDtype)e->k->acc.at[a].dtype, e->lanes, ty), a, SHORT);
}

/* Rows that the stage loads for the first time, or those that it has stored. */
static void move_rows(Emit *e, const Stage *st, uint16_t op, bool *there) {
    const Kernel *k = e->k;
    for (int j = st->ins0; j < st->ins0 + st->nins; j++) {
        const Ins *i = &k->ins.at[j];
        const Access *a = &k->acc.at[i->op == op ? i->a : 0];
        if (i->op != op || i->depth != 2 || e->array[i->a] < 0 || (a->flags & ACC_ROWTEMP) || there[e->array[i->a]])
            continue;
        there[e->array[i->a]] = true;
        bool load = op == INS_LOAD;
        Text z;
        char rows[24];
        text_init(&z, e->c);
        emit_size(&z, a->st[0]);
        if (e->tail) snprintf(rows, sizeof rows, "m");
        else snprintf(rows, sizeof rows, "%d", e->lanes);
        const char *fn = (load ? need_get : need_put)(e, (ThDtype)a->dtype, e->lanes), *name = e->name[i->a];
        int x = e->array[i->a], n = column_of(k, i);
        if (load) emit_line(e, "%s(x%d, p_%s + i0 * (%s), %s, n%d, %s);", fn, x, name, z.at, z.at, n, rows);
        else emit_line(e, "%s(p_%s + i0 * (%s), x%d, %s, n%d, %s);", fn, name, z.at, x, z.at, n, rows);
        text_free(&z);
    }
}

static bool stage(Emit *e, const KernelOrder *o, const LoopStage *s, bool *there) {
    int column = s->loop[1];
    e->s = s;
    move_rows(e, s->st, INS_LOAD, there);
    if (!emit_ids(e, o->code + s->pre[1], s->npre[1])) return false;
    for (int r = 0; r < s->st->nred; r++) emit_side_init(e, s->st->red0 + r, SHORT);
    emit_line(e, "for (i64 i%d = 0; i%d < n%d; i%d++) {", column, column, column, column);
    e->indent++;
    if (!emit_ids(e, o->code + s->pre[2], s->npre[2])) return false;
    for (int r = 0; r < s->st->nred; r++) emit_side_step(e, s->st->red0 + r, column);
    e->indent--;
    emit_line(e, "}");
    move_rows(e, s->st, INS_STORE, there);
    for (int r = 0; r < s->st->nred; r++) emit_side_final(e, s->st->red0 + r, column);
    return emit_ids(e, o->code + s->post[1], s->npost[1]);
}

static bool group(Emit *e, const KernelOrder *o, const LoopStage *ls) {
    e->indent++;
    declare_arrays(e);
    bool *there = arena_alloc0(e->arena, (size_t)e->k->acc.n + 1), ok = there != NULL;
    for (int s = 0; s < e->k->st.n && ok; s++) ok = stage(e, o, &ls[s], there);
    e->indent--;
    emit_line(e, "}");
    return ok;
}

static bool all_rows(Emit *e, const KernelOrder *o, const LoopStage *ls, int lanes) {
    for (int s = 0; s < e->k->st.n; s++) {
        e->s = &ls[s];
        e->lanes = 1;
        if (!emit_ids(e, o->code + ls[s].pre[0], ls[s].npre[0])) return false;
    }
    e->lanes = lanes;
    emit_line(e, "i64 i0 = 0;");
    emit_line(e, "for (; i0 + %d <= n0; i0 += %d) {", lanes, lanes);
    if (!group(e, o, ls)) return false;
    emit_line(e, "if (i0 < n0) { /* the last n %% %d */", lanes);
    emit_line(e, "    const i64 m = n0 - i0;");
    e->tail = true;
    bool ok = group(e, o, ls);
    e->tail = false;
    return ok;
}

bool side_emit(Emit *e, const KernelOrder *o) {
    const Kernel *k = e->k;
    LoopStage *ls = arena_alloc(e->arena, sizeof *ls * (size_t)(k->st.n + 1));
    Stage *st = arena_alloc(e->arena, sizeof *st * (size_t)(k->st.n + 1));
    if (!ls || !st) return false;
    if (!rows_of_one_dim(k) || !pays(e) || !plain_reds(k) || !threads_rows_apart(k) || !plain_ins(e)) return true;
    if (!find_arrays(e)) return false;
    e->side = true;
    int lanes = turned(e, o, ls, st);
    bool ok = true;
    if (lanes) {
        condition(e, lanes);
        e->indent++;
        ok = all_rows(e, o, ls, lanes);
        emit_line(e, "return 0;");
        e->indent--;
        emit_line(e, "}");
    }
    e->side = false;
    memset(e->mask, 0, (size_t)k->ins.n + 1);
    memset(e->vec, 0, (size_t)k->ins.n + 1);
    return ok;
}
