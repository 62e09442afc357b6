/*
 * reduce.c -- accumulators in the order kernel.h fixes. Lanes: NL = 256 / bytes accumulators held as an array of
 * vectors, the u-th vector of the row going to vector u mod (NL / lanes); folded by halves at the end. Elsewhere one
 * accumulator a point.
 */
#include "emit.h"

#include <stdio.h>
#include <string.h>

static bool arg_kind(const Red *d) { return d->kind == RED_ARGMAX || d->kind == RED_ARGMIN; }
static bool in_lanes(const Emit *e) { return e->s->vec >= 0 && e->k->dim[e->s->st->vec].kind == DIM_RED; }
static int lane_count(const Red *d) { return 256 / (int)th_dtype_bytes((ThDtype)d->acc_dtype); }

static void identity(const Red *d, char out[48]) {
    ThDtype t = (ThDtype)d->acc_dtype;
    const char *s = type_short(t);
    bool max = d->kind == RED_MAX, min = d->kind == RED_MIN;
    int one = d->kind == RED_PROD || d->kind == RED_AND, bits = (int)th_dtype_bytes(t) * 8;
    if (dtype_is_complex(t)) snprintf(out, 48, "MK(%s, %d, 0)", s, one);
    else if (dtype_is_float(t) && (max || min))
        snprintf(out, 48, "%s__builtin_inf%s()", max ? "-" : "", t == TH_FLOAT32 ? "f" : "");
    else if (max || min) {
        bool sig = dtype_is_signed(t);
        if (t == TH_BOOL) snprintf(out, 48, "%d", min);
        else if (sig) snprintf(out, 48, max ? "(%s)(1ul << %d)" : "(%s)((1ul << %d) - 1)", s, bits - 1);
        else snprintf(out, 48, max ? "(%s)0" : "(%s)-1", s);
    } else snprintf(out, 48, "(%s)%d", s, one);
}

/* acc (+) v as an expression; lanes of the operands. */
static void combine(Emit *e, Text *t, const Red *d, const char *x, const char *y, int lanes) {
    ThDtype a = (ThDtype)d->acc_dtype;
    const char *s = type_short(a);
    if (dtype_is_complex(a)) {
        text_printf(t, "%s(%s, %s)", need_math(e, d->kind == RED_PROD ? "c_mul" : "c_add", a, 1), x, y);
        return;
    }
    switch (d->kind) {
    case RED_SUM:
    case RED_PROD: {
        char op = d->kind == RED_SUM ? '+' : '*';
        if (lanes > 1) text_printf(t, "%s %c %s", x, op, y);
        else text_printf(t, "(%s)(%s %c %s)", s, x, op, y);
        break;
    }
    case RED_AND: text_printf(t, "%s & %s", x, y); break;
    case RED_OR: text_printf(t, "%s | %s", x, y); break;
    default: { /* NaN stays, NaN wins */
        const char *op = d->kind == RED_MAX ? ">=" : "<=", * or = lanes > 1 ? "|" : "||";
        text_printf(t, "%s((%s %s %s) %s (%s != %s), %s, %s)", need_select(e, a, lanes), x, op, y, or, x, x, x, y);
    }
    }
}

void emit_red_init(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    char id[48], ty[16];
    if (arg_kind(d)) {
        emit_line(e, "i64 at%d = -1; %s best%d = 0;", r, type_short((ThDtype)e->k->ins.at[d->v].dtype), r);
        return;
    }
    identity(d, id);
    if (in_lanes(e)) {
        int n = lane_count(d) / e->lanes;
        need_type(e, (ThDtype)d->acc_dtype, e->lanes, ty);
        emit_line(e, "%s acc%d[%d]; for (int u = 0; u < %d; u++) acc%d[u] = %s(%s);", ty, r, n, n, r,
                  need_splat(e, (ThDtype)d->acc_dtype, e->lanes), id);
    } else {
        int lanes = e->s->vec >= 0 && d->depth > e->s->vec ? e->lanes : 1;
        need_type(e, (ThDtype)d->acc_dtype, lanes, ty);
        emit_line(e, "%s acc%d = %s(%s);", ty, r, need_splat(e, (ThDtype)d->acc_dtype, lanes), id);
    }
}

static void arg_step(Emit *e, int r, const Red *d) {
    Text p; /* the position, flattened Horner-wise over the reduced dims in order */
    text_init(&p, e->c);
    int n = 0;
    for (int l = 0; l < e->s->nloop; l++) n += e->k->dim[e->s->loop[l]].kind == DIM_RED;
    for (int j = 1; j < n; j++) text_putc(&p, '(');
    for (int l = 0, seen = 0; l < e->s->nloop; l++) {
        int dim = e->s->loop[l];
        if (e->k->dim[dim].kind != DIM_RED) continue;
        if (seen) text_printf(&p, ") * n%d + i%d", dim, dim);
        else text_printf(&p, "i%d", dim);
        seen = 1;
    }
    ThDtype vd = (ThDtype)e->k->ins.at[d->v].dtype;
    Text c;
    text_init(&c, e->c);
    text_printf(&c, "at%d < 0 || v%d %s best%d", r, d->v, d->kind == RED_ARGMAX ? ">" : "<", r);
    if (dtype_is_float(vd)) text_printf(&c, " || (v%d != v%d && best%d == best%d)", d->v, d->v, r, r);
    emit_line(e, "if (%s) { best%d = v%d; at%d = %s; }", c.at ? c.at : "0", r, d->v, r, p.at ? p.at : "0");
    text_free(&c);
    text_free(&p);
}

void emit_red_step(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    if (arg_kind(d)) {
        arg_step(e, r, d);
        return;
    }
    char x[32], v[80];
    bool lanes = in_lanes(e);
    int width = lanes || (e->s->vec >= 0 && d->depth > e->s->vec) ? e->lanes : 1;
    if (width > 1 && !e->vec[d->v]) snprintf(v, sizeof v, "%s(v%d)", need_splat(e, (ThDtype)d->acc_dtype, width), d->v);
    else snprintf(v, sizeof v, "v%d", d->v);
    if (lanes) snprintf(x, sizeof x, "acc%d[u & %d]", r, lane_count(d) / e->lanes - 1);
    else snprintf(x, sizeof x, "acc%d", r);
    Text t;
    text_init(&t, e->c);
    combine(e, &t, d, x, v, width);
    if (lanes && e->tail && e->lanes > 1) {
        char ty[16];
        need_type(e, (ThDtype)d->acc_dtype, e->lanes, ty);
        emit_line(e, "{ %s w = %s; for (int j = 0; j < m; j++) %s[j] = w[j]; }", ty, t.at ? t.at : "0", x);
    } else emit_line(e, "%s = %s;", x, t.at ? t.at : "0");
    text_free(&t);
}

void emit_red_final(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    char ty[16];
    if (arg_kind(d)) {
        emit_line(e, "i64 r%d = at%d;", r, r);
        return;
    }
    const char *s = type_short((ThDtype)d->acc_dtype);
    if (!in_lanes(e)) {
        int lanes = e->s->vec >= 0 && d->depth > e->s->vec ? e->lanes : 1;
        need_type(e, (ThDtype)d->acc_dtype, lanes, ty);
        emit_line(e, "%s r%d = acc%d;", ty, r, r);
        return;
    }
    Text t;
    text_init(&t, e->c);
    combine(e, &t, d, "a[j]", "a[j + h]", 1);
    int n = lane_count(d);
    emit_line(
        e,
        "%s r%d; { %s a[%d]; memcpy(a, acc%d, sizeof a); for (int h = %d; h; h /= 2) for (int j = 0; j < h; j++) a[j] "
        "= %s; r%d = a[0]; }",
        s, r, s, n, r, n / 2, t.at ? t.at : "0", r);
    text_free(&t);
}
