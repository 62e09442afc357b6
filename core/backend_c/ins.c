/*
 * ins.c -- one instruction as one line of text. Values are v<id>; a comparison also leaves its native mask as m<id>.
 * In the vec loop values are vectors of e->lanes, elsewhere scalars; a scalar used there is splatted on the spot.
 */
#include "emit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void emit_size(Text *t, Size z) {
    if (z.sym < 0) text_printf(t, "%lldl", (long long)z.k);
    else if (z.k == 1) text_printf(t, "s[%d]", z.sym);
    else text_printf(t, "%lld * s[%d]", (long long)z.k, z.sym);
}

/* ---- how wide a stage can run ---- */
static bool vectorizable(const Emit *e, const Ins *i) {
    const Kernel *k = e->k;
    if (dtype_is_complex((ThDtype)i->dtype) || dtype_is_complex((ThDtype)i->in_dtype)) return false;
    switch (i->op) {
    case INS_LOAD:
    case INS_STORE: {
        const Access *a = &k->acc.at[i->a];
        bool own = a->idx < 0 || k->ins.at[a->idx].depth <= e->s->vec;  /* one offset for the whole row */
        own |= e->side && i->op == INS_LOAD && !(a->flags & ACC_WRITE); /* gathered: lanes are rows */
        return own && a->guard < 0 && !(a->flags & ACC_ADD) && !dtype_is_complex((ThDtype)a->dtype);
    }
    case INS_CHECK_INDEX: return e->side;
    case INS_FAIL_IF: return false;
    case INS_PARAM:
    case INS_CONST:
    case INS_INDEX:
    case INS_SIZE:
    case INS_CAST:
    case INS_RED:
    case INS_EP: return true;
    default: break;
    }
    const ScalarOp *op = &scalar_ops[i->op];
    if (op->flags & SF_FAILS) return false; /* floor division and modulo: scalar helpers */
    if (dtype_is_float((ThDtype)i->in_dtype)) return op->value != NULL;
    return !(!strcmp(op->name, "pow") || !strcmp(op->name, "abs_") || op->result == RES_SHIFT || !op->value);
}

/* Positions of the largest element go by vectors along rows, where the lane and the number of the vector tell them, and
 * down columns where they are as wide as the elements. */
static bool arg_by_vectors(const Emit *e, const LoopStage *s, const Red *d) {
    size_t bytes = th_dtype_bytes((ThDtype)e->k->ins.at[d->v].dtype);
    int reduced = 0;
    for (int l = 0; l < s->nloop; l++) reduced += e->k->dim[s->loop[l]].kind == DIM_RED;
    if (e->side) return bytes >= 4;
    if (e->k->dim[s->st->vec].kind != DIM_RED) return bytes == 8;
    return bytes >= 4 && reduced == 1 && s->vec == s->nloop - 1;
}

/* A sum that is two vectors. */
static bool halves(const Emit *e, const Ins *i) { return i->op == INS_RED && emit_side_halves(e, i->a); }

int emit_lanes(const Emit *e, const LoopStage *s) {
    if (s->vec < 0) return 1;
    size_t widest = 1;
    for (int j = s->st->ins0; j < s->st->ins0 + s->st->nins; j++) {
        const Ins *i = &e->k->ins.at[j];
        if (i->depth <= s->vec) continue;
        if (!vectorizable(e, i)) return 1;
        if (emit_split(e, s, j) || halves(e, i)) continue;
        size_t b =
            i->op == INS_STORE ? th_dtype_bytes((ThDtype)e->k->acc.at[i->a].dtype) : th_dtype_bytes((ThDtype)i->dtype);
        if (i->op < INS_LOAD && th_dtype_bytes((ThDtype)i->in_dtype) > b) b = th_dtype_bytes((ThDtype)i->in_dtype);
        if (b > widest) widest = b;
    }
    for (int r = s->st->red0; r < s->st->red0 + s->st->nred; r++) {
        const Red *d = &e->k->red.at[r];
        bool arg = d->kind == RED_ARGMAX || d->kind == RED_ARGMIN;
        if (dtype_is_complex((ThDtype)d->acc_dtype) || (arg && !arg_by_vectors(e, s, d))) return 1;
    }
    int n = e->vector_bytes / (int)widest;
    return n > 16 ? 16 : n;
}

/* ---- operands ---- */
static int lanes_here(const Emit *e, const Ins *i) { return e->s->vec >= 0 && i->depth > e->s->vec ? e->lanes : 1; }

/* Name of value id as an operand at the given width. */
static const char *ref(Emit *e, int id, int lanes, char buf[64]) {
    if (lanes > 1 && !e->vec[id])
        snprintf(buf, 64, "%s(v%d)", need_splat(e, (ThDtype)e->k->ins.at[id].dtype, lanes), id);
    else snprintf(buf, 64, "v%d", id);
    return buf;
}

/* Address of an access at the current position (flat.c: or the vector there), without the vec dim's own step when lanes
 * > 1 (its position is i<dim>).
 */
static void address(Emit *e, Text *t, int acc, int depth) {
    const Access *a = &e->k->acc.at[acc];
    if (e->flat) {
        flat_address(e, t, acc);
        return;
    }
    text_printf(t, "p_%s", e->name[acc]);
    for (int l = 0; l < e->s->nloop && l < depth; l++) {
        int d = e->s->loop[l];
        if (size_is(a->st[d], 0)) continue;
        if (size_is(a->st[d], 1)) text_printf(t, " + i%d", d);
        else {
            text_printf(t, " + i%d * ", d);
            text_putc(t, '(');
            emit_size(t, a->st[d]);
            text_putc(t, ')');
        }
    }
    if (a->idx >= 0) text_printf(t, " + v%d", a->idx);
}

/* Rows side by side that read at positions of their own: element by element. Lanes past the last row read the first. */
static void gathered(Emit *e, Text *t, const Ins *i, int lanes, int acc) {
    const Access *a = &e->k->acc.at[acc];
    char ty[16], row[32] = "";
    text_printf(t, "(%s){", need_type(e, (ThDtype)a->dtype, lanes, ty));
    for (int j = 0; j < lanes; j++) {
        text_printf(t, j ? ", p_%s[v%d[%d]" : "p_%s[v%d[%d]", e->name[acc], a->idx, j);
        for (int l = 0; l < e->s->nloop && l < i->depth; l++) {
            int d = e->s->loop[l];
            if (size_is(a->st[d], 0)) continue;
            if (l == e->s->vec && j) snprintf(row, sizeof row, e->tail ? " + (%d < m ? %d : 0)" : " + %d", j, j);
            text_printf(t, " + (i%d%s) * (", d, l == e->s->vec ? row : "");
            emit_size(t, a->st[d]);
            text_putc(t, ')');
        }
        text_putc(t, ']');
    }
    text_putc(t, '}');
}

static void load(Emit *e, int id, const Ins *i, Text *t, int lanes, int acc) {
    const Access *a = &e->k->acc.at[acc];
    ThDtype d = (ThDtype)a->dtype;
    if (e->side && lanes > 1 && a->idx >= 0 && e->vec[a->idx]) {
        gathered(e, t, i, lanes, acc);
        return;
    }
    Text p;
    text_init(&p, e->c);
    address(e, &p, acc, i->depth);
    const char *at = p.at ? p.at : "";
    (void)id;
    Size st = lanes > 1 ? a->st[e->s->st->vec] : size_const(0);
    if (e->flat && size_is(a->st[0], 0)) text_put(t, at);
    else if (e->side && e->array[acc] >= 0) text_printf(t, "x%d[i%d]", e->array[acc], e->s->loop[1]);
    else if (lanes == 1 && a->guard >= 0) text_printf(t, "v%d ? *(%s) : MK(%s, 0)", a->guard, at, type_short(d));
    else if (lanes == 1) text_printf(t, "*(%s)", at);
    else if (size_is(st, 0)) text_printf(t, "%s(*(%s))", need_splat(e, d, lanes), at);
    else if (size_is(st, 1)) {
        char ty[16];
        need_type(e, d, lanes, ty);
        if (e->tail) text_printf(t, "%s(%s, m)", need_load(e, d, lanes, 't'), at);
        else text_printf(t, "*(const %su *)(%s)", ty, at);
    } else {
        text_printf(t, "%s(%s, ", need_load(e, d, lanes, 'g'), at);
        emit_size(t, st);
        text_put(t, e->tail ? ", m)" : "");
        if (!e->tail) text_printf(t, ", %d)", lanes);
    }
    text_free(&p);
}

static void store(Emit *e, const Ins *i, int lanes) {
    const Access *a = &e->k->acc.at[i->a];
    ThDtype d = (ThDtype)a->dtype;
    Text p, z;
    char v[64], ty[16];
    text_init(&p, e->c);
    text_init(&z, e->c);
    address(e, &p, i->a, i->depth);
    const char *at = p.at ? p.at : "";
    ref(e, i->b, lanes, v);
    Size st = lanes > 1 ? a->st[e->s->st->vec] : size_const(1);
    emit_size(&z, st);
    if (e->side && e->array[i->a] >= 0) emit_line(e, "x%d[i%d] = %s;", e->array[i->a], e->s->loop[1], v);
    else if (lanes == 1) {
        if (a->guard >= 0) emit_line(e, "if (v%d)", a->guard);
        if ((a->flags & ACC_ADD) && dtype_is_complex(d))
            emit_line(e, "{ %s *q = %s; q->re += %s.re; q->im += %s.im; }", type_short(d), at, v, v);
        else
            emit_line(e, (a->flags & ACC_ADD) ? (d == TH_BOOL ? "*(%s) |= %s;" : "*(%s) += %s;") : "*(%s) = %s;", at,
                      v);
    } else if (size_is(st, 1)) {
        need_type(e, d, lanes, ty);
        if (e->tail) emit_line(e, "%s(%s, %s, m);", need_store(e, d, lanes, 't'), at, v);
        else emit_line(e, "*(%su *)(%s) = %s;", ty, at, v);
    } else if (e->tail) emit_line(e, "%s(%s, %s, %s, m);", need_store(e, d, lanes, 'g'), at, v, z.at);
    else emit_line(e, "%s(%s, %s, %s, %d);", need_store(e, d, lanes, 'g'), at, v, z.at, lanes);
    text_free(&p);
    text_free(&z);
}

/* Whether the n instructions take a row of one tensor, somewhere in it, as it is to another. */
static bool copies_row(const Emit *e, const int *ids, int n) {
    const Kernel *k = e->k;
    if (n != 2 || e->s->vec != e->s->nloop - 1) return false;
    const Ins *in = &k->ins.at[ids[0]], *out = &k->ins.at[ids[1]];
    if (in->op != INS_LOAD || out->op != INS_STORE || out->b != ids[0]) return false;
    const Access *x = &k->acc.at[in->a], *y = &k->acc.at[out->a];
    int vec = e->s->st->vec;
    return x->idx >= 0 && k->ins.at[x->idx].depth <= e->s->vec && y->idx < 0 && x->guard < 0 && y->guard < 0 &&
           !(y->flags & ACC_ADD) && x->buf != y->buf && x->dtype == y->dtype && size_is(x->st[vec], 1) &&
           size_is(y->st[vec], 1);
}

bool emit_row_copy(Emit *e, const int *ids, int n) {
    enum { LONG = 512 }; /* bytes from which memcpy, which aligns its stores, wins */
    if (!copies_row(e, ids, n)) return false;
    const Ins *in = &e->k->ins.at[ids[0]], *out = &e->k->ins.at[ids[1]];
    int dim = e->s->st->vec, bytes = (int)th_dtype_bytes((ThDtype)in->dtype);
    Text to, from;
    text_init(&to, e->c);
    text_init(&from, e->c);
    address(e, &to, out->a, out->depth);
    address(e, &from, in->a, in->depth);
    emit_line(e, "if (n%d >= %d) {", dim, LONG / bytes);
    emit_line(e, "    const i64 i%d = 0;", dim);
    emit_line(e, "    memcpy(%s, %s, %d * (unsigned long)n%d);", to.at ? to.at : "", from.at ? from.at : "", bytes,
              dim);
    emit_line(e, "} else {");
    text_free(&to);
    text_free(&from);
    return true;
}

/* Rows far apart are beyond what the processor foresees: of what the next rows load here, the line of memory. */
void emit_ahead(Emit *e, const int *ids, int n) {
    enum { ROWS = 8, LINE = 64 };
    const LoopStage *s = e->s;
    for (int j = 0; j < n; j++) {
        const Ins *i = &e->k->ins.at[ids[j]];
        if (i->op != INS_LOAD || i->depth != s->nloop) continue;
        const Access *a = &e->k->acc.at[i->a];
        Size step = a->st[s->loop[s->nloop - 1]];
        int from = e->turn * e->lanes * (int)th_dtype_bytes((ThDtype)a->dtype);
        if (a->idx >= 0 || !size_is(a->st[s->st->vec], 1) || size_is(step, 0) || from % LINE) continue;
        Text p;
        text_init(&p, e->c);
        address(e, &p, i->a, i->depth);
        text_printf(&p, " + %d * (", ROWS);
        emit_size(&p, step);
        emit_line(e, "__builtin_prefetch(%s));", p.at ? p.at : "0");
        text_free(&p);
    }
}

/* Where the stages of a kernel read the same row again, its next row has not been asked for yet: of what vector i loads
 * there, the line of memory. The second stage that reads it asks. */
static void next_row(Emit *e, const Ins *i) {
    const Kernel *k = e->k;
    const Access *a = &k->acc.at[i->a];
    int before = -1;
    if (k->nouter != 1 || e->side || e->tail || e->vector_bytes != 64 || i->depth != 2 || e->s->vec != 1) return;
    if ((a->flags & ACC_ROWTEMP) || a->idx >= 0 || size_is(a->st[0], 0) || !size_is(a->st[e->s->st->vec], 1)) return;
    for (int j = 0; j < e->s->st->ins0; j++) {
        const Ins *o = &k->ins.at[j];
        const Access *b = o->op == INS_LOAD ? &k->acc.at[o->a] : NULL;
        if (!b || o->depth != 2 || b->buf != a->buf || !size_eq(b->off, a->off) || !size_eq(b->st[0], a->st[0]))
            continue;
        if (before >= 0 && before != o->stage) return;
        before = o->stage;
    }
    if (before < 0) return;
    Text p;
    text_init(&p, e->c);
    address(e, &p, i->a, i->depth);
    text_put(&p, " + (");
    emit_size(&p, a->st[0]);
    emit_line(e, "__builtin_prefetch(%s));", p.at ? p.at : "0");
    text_free(&p);
}

static void literal(Text *t, const Ins *i) {
    ThDtype d = (ThDtype)i->dtype;
    char kind = th_dtype_kind(d);
    if (i->op == INS_PARAM) {
        if (kind == 'c') text_printf(t, "MK(%s, q[%d].c.re, q[%d].c.im)", type_short(d), i->a, i->a);
        else text_printf(t, "(%s)q[%d].%c", type_short(d), i->a, kind == 'f' ? 'f' : 'i');
        return;
    }
    double v = i->a == INS_HALF ? 0.5 : i->a;
    if (kind == 'c') text_printf(t, "MK(%s, %.17g, 0)", type_short(d), v);
    else if (kind == 'f') text_printf(t, d == TH_FLOAT32 ? "%.1ff" : "%.1f", v);
    else text_printf(t, "(%s)%d", type_short(d), (int)v);
}

static void index_of(Emit *e, Text *t, const Ins *i, int lanes) {
    const char *from = e->split && i->a == 0 ? "row0 + " : "";
    if (lanes == 1 || e->s->st->vec != i->a) {
        text_printf(t, "(i64)(%si%d)", from, i->a);
        return;
    }
    char ty[16];
    need_type(e, TH_INT64, lanes, ty);
    text_printf(t, "%si%d + (%s){", from, i->a, ty);
    for (int j = 0; j < lanes; j++) text_printf(t, j ? ", %d" : "%d", j);
    text_putc(t, '}');
}

/* An index for each of the rows side by side; those past the last row are not looked at. */
static void checks_rows(Emit *e, int id, const Ins *i, int lanes) {
    char ty[16], n[64], rows[16] = "m";
    need_type(e, TH_INT64, lanes, ty);
    ref(e, i->b, lanes, n);
    emit_line(e, "%s v%d = v%d + (%s & (%s)(v%d < 0));", ty, id, i->a, n, ty, i->a);
    snprintf(n, sizeof n, e->vec[i->b] ? "v%d[l]" : "v%d", i->b);
    if (!e->tail) snprintf(rows, sizeof rows, "%d", lanes);
    emit_line(e, "for (int l = 0; l < %s; l++)", rows);
    emit_line(e, "    if (v%d[l] < 0 || v%d[l] >= %s)", id, id, n);
    emit_line(e, "        return f->rt->fail(f, step, %d, 2, v%d[l], %s, 0, 0);", TH_IndexError, i->a, n);
    e->vec[id] = true;
}

static void checks(Emit *e, int id, const Ins *i, int lanes) {
    if (i->op == INS_FAIL_IF) {
        emit_line(e, "if (v%d) return f->rt->fail(f, step, %d, 0, 0, 0, 0, 0);", i->a, i->b);
        return;
    }
    if (lanes > 1 && e->vec[i->a]) {
        checks_rows(e, id, i, lanes);
        return;
    }
    emit_line(e, "i64 v%d = v%d < 0 ? v%d + v%d : v%d;", id, i->a, i->a, i->b, i->a);
    emit_line(e, "if (v%d < 0 || v%d >= v%d) return f->rt->fail(f, step, %d, 2, v%d, v%d, 0, 0);", id, id, i->b,
              TH_IndexError, i->a, i->b);
}

/* A vector of floats divided by what is the same for the whole loop; of float32, whose division is faster, for all
 * rows. With rows in lanes a lane's is the same for its row. */
static bool by_one_number(const Emit *e, const Ins *i, int lanes) {
    const Ins *at = e->k->ins.at;
    if (i->op != S_true_div || lanes == 1 || !e->vec[i->a] || i->in_dtype != i->dtype) return false;
    if (at[i->a].dtype != i->dtype || at[i->b].dtype != i->dtype) return false;
    if (e->vec[i->b]) return e->side && i->dtype == TH_FLOAT64 && at[i->b].depth < i->depth;
    return i->dtype == TH_FLOAT64 || at[i->b].depth == 0;
}

/* A value's defining text; lanes: width wanted, may be lowered to 1 for what is the same in all lanes. */
static bool value_text(Emit *e, Text *t, int id, const Ins *i, int *lanes, bool *mask) {
    char r[4][64];
    const char *names[4] = {"", "", "", ""};
    switch (i->op) {
    case INS_LOAD: load(e, id, i, t, *lanes, i->a); return true;
    case INS_EP: load(e, id, i, t, *lanes, e->s->st->C); return true;
    case INS_PARAM:
    case INS_CONST:
        *lanes = 1;
        literal(t, i);
        return true;
    case INS_SIZE:
        *lanes = 1;
        emit_size(t, e->k->size.at[i->a]);
        return true;
    case INS_INDEX:
        if (e->s->vec < 0 || e->s->st->vec != i->a) *lanes = 1;
        index_of(e, t, i, *lanes);
        return true;
    case INS_RED: text_printf(t, "r%d", i->a); return true;
    case INS_CAST:
        if (*lanes > 1 && halves(e, &e->k->ins.at[i->a])) {
            int sum = e->k->ins.at[i->a].a;
            text_printf(t, "%s(r%d, rr%d)", need_whole(e, *lanes), sum, sum);
            return true;
        }
        text_printf(t, "%s(%s)", need_cast(e, (ThDtype)e->k->ins.at[i->a].dtype, (ThDtype)i->dtype, *lanes),
                    ref(e, i->a, *lanes, r[0]));
        return true;
    default: break;
    }
    const int ids[4] = {i->a, i->b, i->c, i->d};
    for (int j = 0; j < 4; j++)
        if (ids[j] >= 0) names[j] = ref(e, ids[j], *lanes, r[j]);
    if ((scalar_ops[i->op].flags & SF_FAILS) && dtype_is_discrete((ThDtype)i->in_dtype))
        emit_line(e, "if (%s == 0) return f->rt->fail(f, step, %d, 0, 0, 0, 0, 0);", names[1], TH_ZeroDivisionError);
    if (by_one_number(e, i, *lanes)) {
        const char *quotient = need_quotient(e, (ThDtype)i->dtype, *lanes, e->vec[i->b]);
        if (quotient) return text_printf(t, "%s(%s, v%d)", quotient, names[0], i->b), true;
    }
    return emit_value(e, t, i, *lanes, names, mask);
}

bool emit_ins(Emit *e, int id) {
    const Ins *i = &e->k->ins.at[id];
    int lanes = lanes_here(e, i);
    if (lanes > 2 && (emit_split(e, e->s, id) || halves(e, i))) return true;
    if (i->op == INS_STORE) {
        store(e, i, lanes);
        return true;
    }
    if (i->op == INS_CHECK_INDEX || i->op == INS_FAIL_IF) {
        if (i->depth || !e->split) checks(e, id, i, lanes); /* others: before the pieces */
        return true;
    }
    if (lanes > 1 && i->op == INS_LOAD) next_row(e, i);
    Text t;
    char ty[16], mt[16];
    bool mask = false;
    text_init(&t, e->c);
    bool ok = value_text(e, &t, id, i, &lanes, &mask);
    need_type(e, (ThDtype)i->dtype, lanes, ty);
    e->vec[id] = lanes > 1;
    if (ok && mask && lanes > 1) {
        ThDtype d = (ThDtype)i->in_dtype;
        e->mask[id] = (uint8_t)mask_width(d);
        emit_line(e, "%s m%d = %s;", need_mask(e, d, lanes, mt), id, t.at);
        emit_line(e, "%s v%d = %s(m%d);", ty, id, need_bool_of_mask(e, d, lanes), id);
    } else if (ok) emit_line(e, "%s v%d = %s;", ty, id, t.at ? t.at : "0");
    text_free(&t);
    return ok && !failed(e->c);
}
