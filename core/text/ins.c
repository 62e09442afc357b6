/*
 * ins.c -- one instruction as one line of text. Values are v<id>; a comparison also leaves its native mask as m<id>.
 * In the vec loop values are vectors of e->lanes, elsewhere scalars; a scalar used there is splatted on the spot.
 */
#include "schedule/choose.h"
#include "emit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void emit_size(Text *t, Size z) {
    if (z.sym < 0) text_printf(t, "%lldl", (long long)z.k);
    else if (z.k == 1) text_printf(t, "s[%d]", z.sym);
    else text_printf(t, "%lld * s[%d]", (long long)z.k, z.sym);
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

/* Of an access in WAY_FLAT; of a shared row the vector itself. */
static void flat_address(const Emit *e, Text *t, int acc) {
    if (flat_is_row(&e->k->acc.at[acc])) text_printf(t, "x%d[k]", acc);
    else text_printf(t, "p_%s + t", e->name[acc]);
}

/* Address of an access at the current position (of rows as one run: or the vector there), without the vec dim's own
 * step when lanes > 1 (its position is i<dim>). On a GPU the index is one number as wide as indices are: a compiler
 * that knows of its sums that they do not wrap would add up pointers instead, at 64 bits each.
 */
void emit_address(const Emit *e, Text *t, int acc, int depth) {
    const Access *a = &e->k->acc.at[acc];
    if (e->way->kind == WAY_FLAT && depth) {
        flat_address(e, t, acc);
        return;
    }
    static const char *const first[] = {" + ", " + (ix)((uix)"};
    bool gpu = e->target == &target_cuda, any = false;
    text_printf(t, "p_%s", e->name[acc]);
    for (int l = 0; l < e->s->nloop && l < depth; l++) {
        int d = e->s->loop[l];
        if (size_is(a->st[d], 0)) continue;
        text_printf(t, size_is(a->st[d], 1) ? "%si%d" : "%si%d * (", first[gpu && !any], d);
        any = true;
        if (size_is(a->st[d], 1)) continue;
        emit_size(t, a->st[d]);
        text_putc(t, ')');
    }
    if (gpu && any) text_putc(t, ')');
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

/* The array that the rows' columns are in, or -1. */
static int column_array(const Emit *e, int acc) { return e->way->array ? e->way->array[acc] : -1; }

static void load(Emit *e, const Ins *i, Text *t, int lanes, int acc) {
    const Access *a = &e->k->acc.at[acc];
    ThDtype d = (ThDtype)a->dtype;
    if (e->way->kind == WAY_SIDE && lanes > 1 && a->idx >= 0 && e->vec[a->idx]) {
        gathered(e, t, i, lanes, acc);
        return;
    }
    Text p;
    text_init(&p, e->c);
    emit_address(e, &p, acc, i->depth);
    const char *at = p.at ? p.at : "";
    Size st = lanes > 1 ? a->st[e->s->st->vec] : size_const(0);
    if (e->way->kind == WAY_FLAT && i->depth && size_is(a->st[0], 0)) text_put(t, at);
    else if (column_array(e, acc) >= 0) text_printf(t, "x%d[i%d]", column_array(e, acc), e->s->loop[e->way->row + 1]);
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

static bool streams(const Emit *e, const Ins *i) { return e->way->value[i - e->k->ins.at] & VALUE_STREAM; }

static void store(Emit *e, const Ins *i, int lanes) {
    const Access *a = &e->k->acc.at[i->a];
    ThDtype d = (ThDtype)a->dtype;
    Text p, z;
    char v[64], ty[16];
    text_init(&p, e->c);
    text_init(&z, e->c);
    emit_address(e, &p, i->a, i->depth);
    const char *at = p.at ? p.at : "";
    ref(e, i->b, lanes, v);
    Size st = lanes > 1 ? a->st[e->s->st->vec] : size_const(1);
    emit_size(&z, st);
    if (column_array(e, i->a) >= 0)
        emit_line(e, "x%d[i%d] = %s;", column_array(e, i->a), e->s->loop[e->way->row + 1], v);
    else if (lanes == 1) {
        if (a->guard >= 0) emit_line(e, "if (v%d)", a->guard);
        if ((a->flags & ACC_ADD) && dtype_is_complex(d))
            emit_line(e, "{ %s *q = %s; q->re += %s.re; q->im += %s.im; }", type_short(d), at, v, v);
        else if ((a->flags & ACC_ADD) && names_wrapping(e, d)) {
            const char *wide = names_wrapping(e, d);
            emit_line(e, "{ %s *q = %s; *q = (%s)((%s)*q + (%s)%s); }", type_short(d), at, type_short(d), wide, wide,
                      v);
        } else
            emit_line(e, (a->flags & ACC_ADD) ? (d == TH_BOOL ? "*(%s) |= %s;" : "*(%s) += %s;") : "*(%s) = %s;", at,
                      v);
    } else if (a->flags & ACC_ADD) { /* neighbours */
        need_type(e, d, lanes, ty);
        const char *get = e->tail ? need_load(e, d, lanes, 't') : "";
        if (e->tail) emit_line(e, "%s(%s, %s(%s, m) + %s, m);", need_store(e, d, lanes, 't'), at, get, at, v);
        else emit_line(e, "*(%su *)(%s) += %s;", ty, at, v);
    } else if (size_is(st, 1)) {
        need_type(e, d, lanes, ty);
        if (e->tail) emit_line(e, "%s(%s, %s, m);", need_store(e, d, lanes, 't'), at, v);
        else {
            if (streams(e, i)) emit_line(e, "if (s%d) %s(%s, %s); else", i->a, need_store(e, d, lanes, 's'), at, v);
            emit_line(e, "*(%su *)(%s) = %s;", ty, at, v);
        }
    } else if (e->tail) emit_line(e, "%s(%s, %s, %s, m);", need_store(e, d, lanes, 'g'), at, v, z.at);
    else emit_line(e, "%s(%s, %s, %s, %d);", need_store(e, d, lanes, 'g'), at, v, z.at, lanes);
    text_free(&p);
    text_free(&z);
}

/* Begins with `if` the other way to do a load and a store of a whole row of `least` elements or more, up to `else {`.
 */
void emit_row_copy(Emit *e, const int *ids, int least) {
    const Ins *in = &e->k->ins.at[ids[0]], *out = &e->k->ins.at[ids[1]];
    int dim = e->s->st->vec;
    Text to, from;
    text_init(&to, e->c);
    text_init(&from, e->c);
    emit_address(e, &to, out->a, out->depth);
    emit_address(e, &from, in->a, in->depth);
    emit_line(e, "if (n%d >= %d) {", dim, least);
    emit_line(e, "    const i64 i%d = 0;", dim);
    emit_line(e, "    memcpy(%s, %s, %d * (unsigned long)n%d);", to.at ? to.at : "", from.at ? from.at : "",
              (int)th_dtype_bytes((ThDtype)in->dtype), dim);
    emit_line(e, "} else {");
    text_free(&to);
    text_free(&from);
}

/* Begins with `if` the other way to reduce a row of `least` elements or more to places, up to `else {`. */
void emit_row_seek(Emit *e, int least) {
    const Stage *st = e->s->st;
    const Ins *in = &e->k->ins.at[seek_load(e->k, &e->k->red.at[st->red0])];
    Text from;
    text_init(&from, e->c);
    emit_address(e, &from, in->a, e->s->vec);
    emit_line(e, "if (n%d >= %d) {", st->vec, least);
    for (int r = st->red0; r < st->red0 + st->nred; r++)
        emit_line(e, "    r%d = %s(%s, n%d);", r,
                  need_seek(e, (ThDtype)in->dtype, e->lanes, seek_largest(e->k, &e->k->red.at[r])),
                  from.at ? from.at : "0", st->vec);
    emit_line(e, "} else {");
    text_free(&from);
}

/* Rows far apart are beyond what the processor foresees: of what the next rows load here, the line of memory. */
void emit_ahead(Emit *e, const int *ids, int n) {
    const LoopStage *s = e->s;
    for (int j = 0; j < n; j++) {
        const Ins *i = &e->k->ins.at[ids[j]];
        if (i->op != INS_LOAD || i->depth != s->nloop) continue;
        const Access *a = &e->k->acc.at[i->a];
        Size step = a->st[s->loop[s->nloop - 1]];
        int from = e->vector * e->lanes * (int)th_dtype_bytes((ThDtype)a->dtype);
        if (a->idx >= 0 || !size_is(a->st[s->st->vec], 1) || size_is(step, 0) || from % CHOOSE_LINE) continue;
        Text p;
        text_init(&p, e->c);
        emit_address(e, &p, i->a, i->depth);
        text_printf(&p, " + %d * (", CHOOSE_AHEAD);
        emit_size(&p, step);
        emit_line(e, "__builtin_prefetch(%s));", p.at ? p.at : "0");
        text_free(&p);
    }
}

/* Of what load or store `id` finds so many rows further, the line of memory. */
void emit_next(Emit *e, int id, int rows) {
    const LoopStage *s = e->s;
    const Ins *i = &e->k->ins.at[id];
    Text p;
    text_init(&p, e->c);
    emit_address(e, &p, i->a, i->depth);
    text_put(&p, " + ");
    if (rows > 1) text_printf(&p, "%d * ", rows);
    text_putc(&p, '(');
    emit_size(&p, e->k->acc.at[i->a].st[e->k->nouter ? 0 : s->loop[s->nloop - 2]]);
    emit_line(e, i->op == INS_STORE ? "__builtin_prefetch(%s), 1);" : "__builtin_prefetch(%s));", p.at ? p.at : "0");
    text_free(&p);
}

static void literal(Emit *e, Text *t, const Ins *i) {
    ThDtype d = (ThDtype)i->dtype;
    char kind = th_dtype_kind(d);
    if (i->op == INS_PARAM) {
        if (dtype_is_half(d)) {
            text_printf(t, "%s(q[%d].f)", need_cast(e, TH_FLOAT64, d, 1), i->a);
            return;
        }
        if (kind == 'c') text_printf(t, "MK(%s, q[%d].c.re, q[%d].c.im)", type_short(d), i->a, i->a);
        else text_printf(t, "(%s)q[%d].%c", type_short(d), i->a, kind == 'f' ? 'f' : 'i');
        return;
    }
    double v = i->a == INS_HALF ? 0.5 : i->a;
    if (kind == 'c') text_printf(t, "MK(%s, %.17g, 0)", type_short(d), v);
    else if (dtype_is_half(d)) text_printf(t, "(%s)0x%x", type_short(d), half_bits(v, d));
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

/* A value's defining text; lanes: width wanted, may be lowered to 1 for what is the same in all lanes. */
static bool value_text(Emit *e, Text *t, int id, const Ins *i, int *lanes, bool *mask) {
    char r[4][64];
    const char *names[4] = {"", "", "", ""};
    switch (i->op) {
    case INS_LOAD: load(e, i, t, *lanes, i->a); return true;
    case INS_EP: load(e, i, t, *lanes, stage_element(e->s->st, i)); return true;
    case INS_PARAM:
    case INS_CONST:
        *lanes = 1;
        literal(e, t, i);
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
        if (*lanes > 1 && (e->way->value[i->a] & VALUE_HALVES)) {
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
    if (e->way->value[id] & VALUE_QUOTIENT) {
        const char *quotient = need_quotient(e, (ThDtype)i->dtype, *lanes, e->vec[i->b]);
        return text_printf(t, "%s(%s, v%d)", quotient, names[0], i->b), true;
    }
    return emit_value(e, t, i, *lanes, names, mask);
}

bool emit_ins(Emit *e, int id) {
    const Ins *i = &e->k->ins.at[id];
    int lanes = lanes_here(e, i);
    if (lanes > 2 && (e->way->value[id] & VALUE_HALVES)) return true;
    if (i->op == INS_STORE) {
        store(e, i, lanes);
        return true;
    }
    if (i->op == INS_CHECK_INDEX || i->op == INS_FAIL_IF) {
        checks(e, id, i, lanes);
        return true;
    }
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
