/*
 * loops.c -- the tree of a Nest as C: loops around instructions. A loop by vectors runs in whole ones and once more for
 * the rest (m elements), through the same vector functions, unless the Nest says otherwise.
 */
#include "schedule/choose.h"
#include "c.h"

#include <stdio.h>
#include <string.h>

static bool code(Emit *e, const int *ids, int n) {
    for (int j = 0; j < n; j++)
        if (!emit_ins(e, ids[j])) return false;
    return true;
}

static bool inside(Emit *e, const NestNode *n) {
    e->indent++;
    bool ok = emit_nodes(e, n->child);
    e->indent--;
    return ok;
}

/* What the text of a node's stage asks for. */
static void at(Emit *e, const NestNode *n) {
    e->way = n->way;
    if (n->stage < 0) return;
    e->s = &n->way->stage[n->stage];
    e->lanes = n->way->lanes[n->stage];
}

static void accumulators(Emit *e, const NestNode *n) {
    bool side = n->way->kind == WAY_SIDE;
    for (int r = n->first; r < n->first + n->n; r++) switch ((NestAcc)n->how) {
        case ACC_BEGIN: (side ? emit_side_init : emit_red_init)(e, r); break;
        case ACC_STEP:
            if (side) emit_side_step(e, r, e->s->loop[n->way->row + 1]);
            else emit_red_step(e, r);
            break;
        case ACC_END:
            if (side) emit_side_final(e, r, e->s->loop[n->way->row + 1]);
            else emit_red_final(e, r);
            break;
        case ACC_JOIN: emit_red_join(e, r); break;
        case ACC_FOLD: break; /* of a GPU */
        }
}

bool emit_leaf(Emit *e, const NestNode *n) {
    at(e, n);
    if (n->kind == NEST_CODE) return code(e, n->ids, n->n);
    if (n->kind == NEST_ACC) accumulators(e, n);
    if (n->kind == NEST_MOVE) emit_move(e, n);
    return true;
}

/* ---- a loop by vectors ---- */
static void vector_begin(Emit *e, int dim) {
    emit_line(e, "{");
    e->indent++;
    emit_line(e, "const i64 i%d = j%d + %d;", dim, dim, e->vector * e->lanes);
}

static void vector_end(Emit *e) {
    e->indent--;
    emit_line(e, "}");
}

/* The bulk of a row: the body once for each vector of accumulators, these under names of their own, so that they stay
 * in registers. Leaves j<dim> where the row's last vectors start. */
static bool bulk(Emit *e, const NestNode *n) {
    int dim = n->dim, step = n->vectors * n->lanes;
    emit_red_vectors(e, n->vectors, true);
    emit_line(e, "i64 j%d = 0;", dim);
    emit_line(e, "for (; j%d + %d <= n%d; j%d += %d) {", dim, step, dim, dim, step);
    e->indent++;
    for (e->vector = 0; e->vector < n->vectors; e->vector++) {
        vector_begin(e, dim);
        if (!emit_nodes(e, n->child)) return false;
        vector_end(e);
    }
    e->vector = -1;
    e->indent--;
    emit_line(e, "}");
    return true;
}

/* What is left of a row after its bulk, at most a vector for each accumulator: each under a mask, those of no elements
 * not at all. Short rows are this alone. */
static bool masked_rest(Emit *e, const NestNode *n) {
    int dim = n->dim;
    e->tail = true;
    for (e->vector = 0; e->vector < n->vectors; e->vector++) {
        int from = e->vector * n->lanes;
        emit_line(e, "if (j%d + %d < n%d) {", dim, from, dim);
        e->indent++;
        emit_line(e, "const i64 i%d = j%d + %d, m = n%d - i%d < %d ? n%d - i%d : %d;", dim, dim, from, dim, dim,
                  n->lanes, dim, dim, n->lanes);
        e->indent--;
        if (!inside(e, n)) return false;
        emit_line(e, "}");
    }
    e->vector = -1;
    e->tail = false;
    return true;
}

/* Nodes up to the next loop, once; *end: that loop. */
static bool leaves(Emit *e, const NestNode *n, const NestNode **end) {
    for (*end = n; *end && (*end)->kind != NEST_FOR; *end = (*end)->next)
        if (!emit_leaf(e, *end)) return false;
    return true;
}

const char *emit_columns(const Emit *e, char out[16]) {
    if (e->far) return "c";
    snprintf(out, 16, "%d", e->columns);
    return out;
}

/* The same for all columns whose accumulators are an array, in a loop of their own; what begins is theirs together. */
static bool each_column(Emit *e, const NestNode *loop, const NestNode *n, bool begins, const NestNode **end) {
    if (begins) return leaves(e, n, end);
    emit_line(e, "for (int l = 0; l < %s; l++) {", emit_columns(e, (char[16]){0}));
    e->indent++;
    if (e->far) emit_line(e, "const i64 i%d = j%d + l * %d;", loop->dim, loop->dim, loop->lanes);
    else emit_line(e, "const i64 i%d = j%d + l;", loop->dim, loop->dim);
    bool ok = leaves(e, n, end);
    vector_end(e);
    return ok;
}

/* Before the loop over what has been summed up of all columns: clang else carries each next one over from the turn
 * before, and makes no vectors. */
static void settle(Emit *e, const NestNode *n) {
    if (!n || n->kind != NEST_ACC || n->how != ACC_END) return;
    for (int r = n->first; r < n->first + n->n; r++)
        if (!red_is_arg(&e->k->red.at[r])) emit_line(e, "SETTLE(acc%d);", r);
}

/* Rows that lie far: long ones some in one pass over the accumulators, which are read and written once for all of them;
 * short ones one after the other, since the processor reads on where they follow each other in memory. */
static bool far_rows(Emit *e, const NestNode *loop, const NestNode *n) {
    const NestNode *end;
    const int dim = n->dim;
    emit_line(e, "i64 k = 0;");
    for (int each = CHOOSE_FAR_ROWS; each > 0; each -= CHOOSE_FAR_ROWS - 1) {
        if (each > 1) emit_line(e, "for (; c >= %d && k + %d <= n%d; k += %d)", CHOOSE_FAR_LONG, each, dim, each);
        else emit_line(e, "for (; k < n%d; k++)", dim);
        emit_line(e, "for (int l = 0; l < c; l++) {");
        e->indent++;
        emit_line(e, "const i64 i%d = j%d + l * %d;", loop->dim, loop->dim, loop->lanes);
        for (int r = 0; r < each; r++) {
            emit_line(e, "{");
            e->indent++;
            emit_line(e, "const i64 i%d = k + %d;", dim, r);
            if (!leaves(e, n->child, &end)) return false;
            vector_end(e);
        }
        vector_end(e);
        if (each == 1) break;
    }
    return true;
}

/* What stands in a loop whose vectors run inside the loops within: what is between these, vector after vector. */
static bool together(Emit *e, const NestNode *loop, const NestNode *n) {
    while (n) {
        const NestNode *end = n;
        bool begins = n->kind == NEST_ACC && n->how == ACC_BEGIN; /* these live beyond a vector's braces */
        if (n->kind == NEST_FOR && e->far) {
            if (!far_rows(e, loop, n)) return false;
            n = n->next;
            continue;
        }
        if (n->kind == NEST_FOR) {
            emit_line(e, "for (i64 i%d = 0; i%d < n%d; i%d++) {", n->dim, n->dim, n->dim, n->dim);
            e->indent++;
            if (!together(e, loop, n->child)) return false;
            vector_end(e);
            n = n->next;
            if (e->columns) settle(e, n);
            continue;
        }
        if (e->columns && !each_column(e, loop, n, begins, &end)) return false;
        for (e->vector = 0; e->vector < loop->vectors && !e->columns; e->vector++) {
            if (!begins) vector_begin(e, loop->dim);
            if (!leaves(e, n, &end)) return false;
            if (!begins) vector_end(e);
        }
        e->vector = -1;
        n = end;
    }
    return true;
}

/* All whole vectors of columns, c at a time, of rows that are in no cache: j<dim> is behind them then. */
static bool far_columns(Emit *e, const NestNode *n) {
    const int dim = n->dim, rows = e->s->loop[n->loop + 1];
    int bytes = 1;
    for (int i = 0; i < e->k->ins.n; i++) {
        const Ins *load = &e->k->ins.at[i];
        const bool here = load->op == INS_LOAD && load->stage == n->stage;
        if (here && (int)th_dtype_bytes((ThDtype)load->dtype) > bytes)
            bytes = (int)th_dtype_bytes((ThDtype)load->dtype);
    }
    emit_line(e, "if (n%d >= %d && n%d > %d / n%d) { /* far rows */", dim, CHOOSE_FAR_VECTORS * n->lanes, rows,
              CHOOSE_FAR / bytes, dim);
    e->indent++;
    emit_line(e, "for (i64 c; (c = (n%d - j%d) / %d) > 0; j%d += c * %d) {", dim, dim, n->lanes, dim, n->lanes);
    e->indent++;
    emit_line(e, "if (c > %d) c = %d;", n->far, n->far);
    e->columns = n->far, e->far = true;
    const bool ok = together(e, n, n->child);
    e->columns = 0, e->far = false;
    vector_end(e);
    vector_end(e);
    return ok;
}

/* Columns, several vectors at a time. Leaves i<dim> at the first column that is left. */
static bool columns(Emit *e, const NestNode *n) {
    int dim = n->dim, step = n->vectors * n->lanes;
    emit_line(e, "i64 j%d = 0;", dim);
    if (n->far && !far_columns(e, n)) return false;
    emit_line(e, "for (; j%d + %d <= n%d; j%d += %d) {", dim, step, dim, dim, step);
    e->indent++;
    if (!together(e, n, n->child)) return false;
    vector_end(e);
    emit_line(e, "i64 i%d = j%d;", dim, dim);
    return true;
}

static bool standard_columns(Emit *e, const NestNode *n) {
    e->columns = n->vectors;
    bool ok = columns(e, n);
    e->columns = 0;
    return ok;
}

/* Columns of a known number: whether they are all done. */
static bool no_rest(const Emit *e, const NestNode *n) {
    const Size all = e->k->dim[n->dim].n;
    const int64_t *length = e->first[e->number] >= 0 ? e->length : NULL;
    const int64_t known = all.sym < 0 ? all.k : length ? length[all.sym] : -1;
    return known >= 0 && known % n->vectors == 0;
}

/* All vectors of a row from i<dim> on. */
static bool masked_loop(Emit *e, const NestNode *n, const char *step) {
    int dim = n->dim;
    emit_line(e, "for (; i%d < n%d; i%d += %d%s) {", dim, dim, dim, n->lanes, step);
    emit_line(e, "    const i64 m = n%d - i%d < %d ? n%d - i%d : %d;", dim, dim, n->lanes, dim, dim, n->lanes);
    e->tail = true;
    bool ok = inside(e, n);
    e->tail = false;
    emit_line(e, "}");
    return ok;
}

/* Stores of the loop that may go past the caches: s<access> says whether they do. Or, after the loop: that all of them
 * have arrived. */
static void streams(Emit *e, const NestNode *loop, bool after) {
    Text t;
    text_init(&t, e->c);
    for (const NestNode *n = loop->child; n; n = n->next)
        for (int j = 0; n->kind == NEST_CODE && j < n->n; j++) {
            if (!(n->way->value[n->ids[j]] & VALUE_STREAM)) continue;
            int a = e->k->ins.at[n->ids[j]].a, bytes = (int)th_dtype_bytes((ThDtype)e->k->acc.at[a].dtype);
            if (after) text_printf(&t, t.at ? " | s%d" : "s%d", a);
            else {
                Text length;
                text_init(&length, e->c);
                emit_size(&length, e->k->dim[loop->dim].n);
                emit_line(e, "const int s%d = %s >= %d && !((u64)p_%s & 63);", a, length.at ? length.at : "0",
                          CHOOSE_STREAM / bytes, e->name[a]);
                text_free(&length);
            }
        }
    if (t.at && need(e, "stored"))
        text_put(&e->helpers, "INLINE void stored(void) {\n#if defined __x86_64__\n    __builtin_ia32_sfence();\n"
                              "#endif\n}\n");
    if (t.at) emit_line(e, "if (%s) stored();", t.at);
    text_free(&t);
}

/* The whole vectors from i<dim> on, then the rest. */
static bool whole_and_rest(Emit *e, const NestNode *n, const char *step) {
    int dim = n->dim;
    streams(e, n, false);
    emit_line(e, "for (; i%d + %d <= n%d; i%d += %d%s) {", dim, n->lanes, dim, dim, n->lanes, step);
    if (!inside(e, n)) return false;
    emit_line(e, "}");
    streams(e, n, true);
    emit_line(e, "if (i%d < n%d) { /* the last n %% %d */", dim, dim, n->lanes);
    emit_line(e, "    const i64 m = n%d - i%d;", dim, dim);
    e->tail = true;
    bool ok = inside(e, n);
    e->tail = false;
    emit_line(e, "}");
    return ok;
}

static bool by_vectors(Emit *e, const NestNode *n) {
    int dim = n->dim;
    bool counts = red_in_lanes(e->k, e->s) && e->s->st->nred > 0; /* u: the vector's number in its row */
    const char *step = counts ? ", u++" : "";
    if (counts) emit_line(e, "int u = 0;");
    if (n->lanes == 1) {
        if (n->jam && !standard_columns(e, n)) return false;
        if (n->jam && no_rest(e, n)) return true;
        if (n->jam) emit_line(e, "for (; i%d < n%d; i%d++%s) {", dim, dim, dim, step);
        else emit_line(e, "for (i64 i%d = 0; i%d < n%d; i%d++%s) {", dim, dim, dim, dim, step);
        bool ok = inside(e, n);
        emit_line(e, "}");
        return ok;
    }
    if (n->jam) return columns(e, n) && whole_and_rest(e, n, step);
    if (n->vectors > 1) {
        if (!bulk(e, n) || (n->tail == TAIL_MASKED && !masked_rest(e, n))) return false;
        emit_red_vectors(e, n->vectors, false);
        if (n->tail == TAIL_MASKED) return true;
        emit_line(e, "i64 i%d = j%d; u = (int)(j%d / %d);", dim, dim, dim, n->lanes);
        return whole_and_rest(e, n, step);
    }
    emit_line(e, "i64 i%d = 0;", dim);
    return n->tail == TAIL_MASKED ? masked_loop(e, n, step) : whole_and_rest(e, n, step);
}

static bool vector_loop(Emit *e, const NestNode *n) {
    at(e, n);
    if (n->way->kind != WAY_PLAIN) return by_vectors(e, n);
    if (n->copy) emit_row_copy(e, n->child->ids, n->copy);
    else if (n->seek) emit_row_seek(e, n->seek);
    else emit_line(e, "{");
    e->indent++;
    bool ok = by_vectors(e, n);
    e->indent--;
    emit_line(e, "}");
    return ok;
}

/* ---- other loops ---- */
static bool one_by_one(Emit *e, const NestNode *n) {
    int dim = n->dim;
    emit_line(e, "for (i64 i%d = 0; i%d < n%d; i%d++) {", dim, dim, dim, dim);
    bool ok = inside(e, n);
    emit_line(e, "}");
    return ok;
}

/* Rows and columns as one run of elements, t; k counts the vectors until rows start with vectors again. */
static bool flat(Emit *e, const NestNode *n) {
    at(e, n);
    emit_line(e, "const i64 n = n0 * n1;");
    emit_line(e, "i64 t = 0, k = 0;");
    emit_line(e, "for (; t + %d <= n; t += %d, k = k + 1 < n1 ? k + 1 : 0) {", n->lanes, n->lanes);
    bool ok = inside(e, n);
    emit_line(e, "}");
    emit_line(e, "if (t < n) { /* the last n %% %d */", n->lanes);
    emit_line(e, "    const i64 m = n - t;");
    e->tail = true;
    ok = ok && inside(e, n);
    e->tail = false;
    emit_line(e, "}");
    return ok;
}

static bool loop(Emit *e, const NestNode *n) {
    return n->how == FOR_VECTOR ? vector_loop(e, n) : n->how == FOR_FLAT ? flat(e, n) : one_by_one(e, n);
}

static bool way(Emit *e, const NestNode *n) {
    Text t;
    text_init(&t, e->c);
    for (int i = 0; i < n->n; i++)
        text_printf(&t, i ? " && n%d %s %d" : "n%d %s %d", n->test[i].dim, n->test[i].is, n->test[i].n);
    emit_line(e, "if (%s) { /* short rows%s */", t.at ? t.at : "1",
              n->way->kind == WAY_SIDE ? ", one a lane" : " in one run");
    text_free(&t);
    e->indent++;
    bool ok = emit_nodes(e, n->child);
    emit_line(e, "return 0;");
    e->indent--;
    emit_line(e, "}");
    memset(e->mask, 0, (size_t)e->k->ins.n + 1);
    memset(e->vec, 0, (size_t)e->k->ins.n + 1);
    return ok;
}

static bool stage(Emit *e, const NestNode *n) {
    if (e->words[n->stage]) emit_line(e, "/* %s */", e->words[n->stage]);
    return emit_nodes(e, n->child);
}

/* Loops nest as deep as a kernel has dims. */
bool emit_nodes(Emit *e, const NestNode *n) {
    bool ok = true;
    for (; n && ok; n = n->next) switch ((NestKind)n->kind) {
        case NEST_STAGE: ok = stage(e, n); break;
        case NEST_FOR: ok = loop(e, n); break;
        case NEST_WAY: ok = way(e, n); break;
        case NEST_CALL:
            at(e, n);
            emit_call(e, n);
            break;
        default: ok = emit_leaf(e, n);
        }
    return ok;
}
