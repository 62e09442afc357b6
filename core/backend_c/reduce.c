/*
 * reduce.c -- accumulators in the order kernel.h fixes. Lanes: NL = 256 / bytes accumulators held as an array of
 * vectors, the u-th vector of the row going to vector u mod (NL / lanes); folded by halves at the end. Elsewhere one
 * accumulator a point.
 */
#include "c.h"

#include <stdio.h>
#include <string.h>

static bool is_side(const Emit *e) { return e->way->kind == WAY_SIDE; }
static bool in_lanes(const Emit *e) { return red_in_lanes(e->k, e->s); }

/* A sum that is two vectors: halves of a vector of float32. */
static bool split(const Emit *e, int r) { return e->lanes > 2 && (e->way->value[e->k->red.at[r].v] & VALUE_HALVES); }
/* Long rows' places are found otherwise, and are there before the fold. */
static bool is_sought(const Emit *e, const Red *d) { return !is_side(e) && (e->way->value[d->v] & VALUE_SOUGHT); }
/* Lanes of one vector of accumulators along a row. */
static int acc_lanes(const Emit *e, int r) { return split(e, r) ? e->lanes / 2 : e->lanes; }

/* The accumulator's number, and which of several neighbours' it is: "0", "0_3", "0[l]". */
static const char *own(const Emit *e, int r, char out[16]) {
    if (e->columns) snprintf(out, 16, "%d[l]", r);
    else if (e->vector >= 0 && (!in_lanes(e) || red_is_arg(&e->k->red.at[r]))) snprintf(out, 16, "%d_%d", r, e->vector);
    else snprintf(out, 16, "%d", r);
    return out;
}

static void identity(const Emit *e, const Red *d, char out[48]) {
    ThDtype t = (ThDtype)d->acc_dtype;
    const char *s = type_short(t);
    bool max = d->kind == RED_MAX, min = d->kind == RED_MIN;
    int one = d->kind == RED_PROD || d->kind == RED_AND, bits = (int)th_dtype_bytes(t) * 8;
    if (dtype_is_complex(t)) snprintf(out, 48, "MK(%s, %d, 0)", s, one);
    else if (dtype_is_float(t) && (max || min)) snprintf(out, 48, "%s%s", max ? "-" : "", names_infinity(e, t));
    else if (max || min) {
        bool sig = dtype_is_signed(t);
        if (t == TH_BOOL) snprintf(out, 48, "%d", min);
        else if (sig) snprintf(out, 48, max ? "(%s)(%s << %d)" : "(%s)((%s << %d) - 1)", s, names_one(e), bits - 1);
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
        const char *wide = names_wrapping(e, a);
        if (lanes > 1) text_printf(t, "%s %c %s", x, op, y);
        else if (wide) text_printf(t, "(%s)((%s)%s %c (%s)%s)", s, wide, x, op, wide, y);
        else text_printf(t, "(%s)(%s %c %s)", s, x, op, y);
        break;
    }
    case RED_AND: text_printf(t, "%s & %s", x, y); break;
    case RED_OR: text_printf(t, "%s | %s", x, y); break;
    default: { /* NaN stays, NaN wins */
        const char *op = d->kind == RED_MAX ? ">=" : "<=", * or = lanes > 1 ? "|" : "||";
        if (lanes > 1 && (a == TH_FLOAT32 || a == TH_FLOAT64))
            text_printf(t, "%s(%s, %s)", need_extreme(e, d->kind == RED_MAX, a, lanes), x, y);
        else text_printf(t, "%s((%s %s %s) %s (%s != %s), %s, %s)", need_select(e, a, lanes), x, op, y, or, x, x, x, y);
    }
    }
}

/* ---- positions --------------------------------------------------------------------------------------------------- */
static int arg_width(const Emit *e, const Red *d) {
    return in_lanes(e) || (e->s->vec >= 0 && d->depth > e->s->vec) ? e->lanes : 1;
}

/* Down columns positions are whole numbers of 64 bits, as wide as the result; else as wide as the elements. */
static bool wide_positions(const Emit *e) { return !is_side(e) && !in_lanes(e); }
static void position_type(Emit *e, ThDtype t, int lanes, char out[16]) {
    if (wide_positions(e)) need_type(e, TH_INT64, lanes, out);
    else need_mask(e, t, lanes, out);
}

/* Nothing seen: the worst value at position 0, where it stays if there is nothing better. Lanes hold vector numbers. */
static void arg_init(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    ThDtype t = (ThDtype)e->k->ins.at[d->v].dtype;
    int lanes = arg_width(e, d);
    char id[48], ty[16], at[16];
    char name[16];
    own(e, r, name);
    if (lanes == 1) {
        emit_line(e, "i64 at%s = -1; %s best%s = 0;", name, type_short(t), name);
        return;
    }
    Red worst = {.kind = d->kind == RED_ARGMAX ? RED_MAX : RED_MIN, .acc_dtype = (uint8_t)t};
    identity(e, &worst, id);
    need_type(e, t, lanes, ty);
    position_type(e, t, lanes, at);
    const char *splat = need_splat(e, t, lanes);
    if (e->columns) {
        emit_line(e, "%s at%d[%d]; %s best%d[%d];", at, r, e->columns, ty, r, e->columns);
        emit_line(e, "for (int l = 0; l < %s; l++) at%s = (%s){0}, best%s = %s(%s);", emit_columns(e, (char[16]){0}),
                  name, at, name, splat, id);
    } else emit_line(e, "%s at%s = {0}; %s best%s = %s(%s);", at, name, ty, name, splat, id);
    if (is_sought(e, d)) emit_line(e, "i64 r%d = -1;", r);
}

/* The position, flattened Horner-wise over the reduced dims in order. */
static void position(const Emit *e, Text *p) {
    int n = 0;
    for (int l = 0; l < e->s->nloop; l++) n += e->k->dim[e->s->loop[l]].kind == DIM_RED;
    for (int j = 1; j < n; j++) text_putc(p, '(');
    for (int l = 0, seen = 0; l < e->s->nloop; l++) {
        int dim = e->s->loop[l];
        if (e->k->dim[dim].kind != DIM_RED) continue;
        if (seen) text_printf(p, ") * n%d + i%d", dim, dim);
        else text_printf(p, "i%d", dim);
        seen = 1;
    }
}

/* A whole vector: lanes where v is better take it. NaN is better than all but NaN. */
static void arg_step_vector(Emit *e, int r, const Red *d, int lanes, const char *p) {
    ThDtype t = (ThDtype)e->k->ins.at[d->v].dtype;
    char mask[16], at[16], v[80], n[16];
    bool max = d->kind == RED_ARGMAX;
    own(e, r, n);
    need_mask(e, t, lanes, mask);
    position_type(e, t, lanes, at);
    if (e->vec[d->v]) snprintf(v, sizeof v, "v%d", d->v);
    else snprintf(v, sizeof v, "%s(v%d)", need_splat(e, t, lanes), d->v);
    emit_line(e, "{");
    e->indent++;
    if (dtype_is_float(t))
        emit_line(e, "%s w = ~(%s %s best%s) & (best%s == best%s);", mask, v, max ? "<=" : ">=", n, n, n);
    else emit_line(e, "%s w = %s %s best%s;", mask, v, max ? ">" : "<", n);
    if (e->tail && in_lanes(e)) emit_line(e, "w &= %s(m);", need_first(e, t, lanes));
    emit_line(e, "best%s = %s(w, %s, best%s);", n, need_select(e, t, lanes), v, n);
    if (strcmp(mask, at)) emit_line(e, "%s q = __builtin_convertvector(w, %s);", at, at);
    const char *q = strcmp(mask, at) ? "q" : "w";
    emit_line(e, "at%s = (%s & ((%s){0} + %s)) | (~%s & at%s);", n, q, at, p, q, n);
    e->indent--;
    emit_line(e, "}");
}

static void arg_step(Emit *e, int r, const Red *d) {
    int lanes = arg_width(e, d);
    ThDtype vd = (ThDtype)e->k->ins.at[d->v].dtype;
    Text p, c;
    text_init(&p, e->c);
    text_init(&c, e->c);
    position(e, &p);
    if (lanes > 1) {
        int dim = e->s->st->vec;
        if (is_side(e)) text_printf(&c, "(int)%s", p.at ? p.at : "0");
        else if (!in_lanes(e)) text_put(&c, p.at ? p.at : "0");
        else if (e->vector >= 0) text_printf(&c, "(int)(j%d / %d + %d)", dim, lanes, e->vector);
        else text_put(&c, "u");
        arg_step_vector(e, r, d, lanes, c.at ? c.at : "0");
    } else {
        char n[16];
        own(e, r, n);
        text_printf(&c, "at%s < 0 || v%d %s best%s", n, d->v, d->kind == RED_ARGMAX ? ">" : "<", n);
        if (dtype_is_float(vd)) text_printf(&c, " || (v%d != v%d && best%s == best%s)", d->v, d->v, n, n);
        emit_line(e, "if (%s) { best%s = v%d; at%s = %s; }", c.at ? c.at : "0", n, d->v, n, p.at ? p.at : "0");
    }
    text_free(&c);
    text_free(&p);
}

/* Of the lanes' best the best one, at the first position of equal ones, by halves: vector number, then lane. A lane
 * that no element reached holds the worst value at a position behind all others. */
static void arg_final(Emit *e, int r, const Red *d) {
    ThDtype t = (ThDtype)e->k->ins.at[d->v].dtype, mt = mask_dtype(t);
    const char *op = d->kind == RED_ARGMAX ? "<=" : ">=", *sel = "";
    int lanes = arg_width(e, d);
    char ty[16], at[16];
    if (!in_lanes(e) || lanes == 1) {
        char n[16];
        need_type(e, TH_INT64, lanes, ty);
        bool wide = lanes == 1 || mt == TH_INT64 || wide_positions(e);
        emit_line(e, wide ? "%s r%d = at%s;" : "%s r%d = __builtin_convertvector(at%s, %s);", ty, r, own(e, r, n), ty);
        if (e->block) emit_line(e, "%s w%d = best%d;", type_short(t), r, r);
        return;
    }
    need_type(e, t, lanes, ty);
    need_mask(e, t, lanes, at);
    sel = need_select(e, t, lanes);
    if (e->block) emit_line(e, "%s w%d;", type_short(t), r);
    emit_line(e, is_sought(e, d) ? "if (r%d < 0) {" : "i64 r%d; {", r);
    e->indent++;
    emit_line(e, "%s x = best%d, y; %s p = at%d, l = %s(), q, k, same, w;", ty, r, at, r, need_lanes(e, t, lanes));
    for (int h = lanes / 2; h; h /= 2) {
        const char *rotate = need_rotated(e, mt, lanes, h);
        emit_line(e, "y = %s(x); q = %s(p); k = %s(l);", need_rotated(e, t, lanes, h), rotate, rotate);
        emit_line(e, "same = (x == y) | ((x != x) & (y != y));");
        emit_line(e, "w = (same & ((q < p) | ((q == p) & (k < l)))) | (~same & ~(y %s x) & (x == x));", op);
        emit_line(e, "x = %s(w, y, x); p = (w & q) | (~w & p); l = (w & k) | (~w & l);", sel);
    }
    emit_line(e, "r%d = (i64)p[0] * %d + l[0];", r, lanes);
    if (e->block) emit_line(e, "w%d = x[0];", r);
    e->indent--;
    emit_line(e, "}");
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
/* Chains of (value, vector number) that each start with nothing, and come together: the first of equal ones. */
static void arg_turns(Emit *e, int r, int n, bool begin) {
    const Red *d = &e->k->red.at[r];
    ThDtype t = (ThDtype)e->k->ins.at[d->v].dtype;
    char ty[16], at[16], same[80], better[96];
    need_type(e, t, e->lanes, ty);
    need_mask(e, t, e->lanes, at);
    for (int j = 0; j < n && begin; j++)
        emit_line(e, "%s best%d_%d = best%d; %s at%d_%d = at%d;", ty, r, j, r, at, r, j, r);
    if (begin) return;
    emit_line(e, "if (j%d) {", e->s->st->vec);
    e->indent++;
    emit_line(e, "best%d = best%d_0; at%d = at%d_0;", r, r, r, r);
    for (int j = 1; j < n; j++) {
        const char *op = d->kind == RED_ARGMAX ? "<=" : ">=";
        emit_line(e, "{");
        snprintf(same, sizeof same, "(x == best%d) | ((x != x) & (best%d != best%d))", r, r, r);
        snprintf(better, sizeof better, "~(x %s best%d) & (best%d == best%d)", op, r, r, r);
        emit_line(e, "    %s x = best%d_%d; %s same = %s;", ty, r, j, at, same);
        emit_line(e, "    %s w = (same & (at%d_%d < at%d)) | (~same & %s);", at, r, j, r, better);
        emit_line(e, "    best%d = %s(w, x, best%d);", r, need_select(e, t, e->lanes), r);
        emit_line(e, "    at%d = (w & at%d_%d) | (~w & at%d);", r, r, j, r);
        emit_line(e, "}");
    }
    e->indent--;
    emit_line(e, "}");
}

void emit_red_vectors(Emit *e, int n, bool begin) {
    const Stage *st = e->s->st;
    for (int r = st->red0; r < st->red0 + st->nred; r++) {
        char ty[16];
        if (red_is_arg(&e->k->red.at[r])) {
            arg_turns(e, r, n, begin);
            continue;
        }
        need_type(e, (ThDtype)e->k->red.at[r].acc_dtype, acc_lanes(e, r), ty);
        Text t;
        text_init(&t, e->c);
        int names = split(e, r) ? red_lanes(&e->k->red.at[r]) / acc_lanes(e, r) : n;
        if (begin) text_printf(&t, "%s ", ty);
        for (int j = 0; j < names; j++) {
            const char *sep = j + 1 < names ? ", " : "";
            if (begin) text_printf(&t, "t%d_%d = acc%d[%d]%s", r, j, r, j, sep);
            else text_printf(&t, "acc%d[%d] = t%d_%d%s", r, j, r, j, sep);
        }
        emit_line(e, "%s;", t.at ? t.at : "");
        text_free(&t);
    }
}

void emit_red_init(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    char id[48], ty[16];
    if (red_is_arg(d)) {
        arg_init(e, r);
        return;
    }
    identity(e, d, id);
    if (in_lanes(e)) {
        int n = red_lanes(d) / acc_lanes(e, r);
        const char *splat = need_splat(e, (ThDtype)d->acc_dtype, acc_lanes(e, r));
        Text t;
        text_init(&t, e->c);
        need_type(e, (ThDtype)d->acc_dtype, acc_lanes(e, r), ty);
        for (int u = 0; u < n; u++) text_printf(&t, "%s%s(%s)", u ? ", " : "", splat, id);
        if (n <= 8) emit_line(e, "%s acc%d[%d] = {%s};", ty, r, n, t.at ? t.at : "");
        else emit_line(e, "%s acc%d[%d]; for (int u = 0; u < %d; u++) acc%d[u] = %s(%s);", ty, r, n, n, r, splat, id);
        text_free(&t);
    } else {
        int lanes = e->s->vec >= 0 && d->depth > e->s->vec ? e->lanes : 1;
        char n[16];
        const char *splat = need_splat(e, (ThDtype)d->acc_dtype, lanes);
        need_type(e, (ThDtype)d->acc_dtype, lanes, ty);
        own(e, r, n);
        if (e->columns)
            emit_line(e, "%s acc%d[%d]; for (int l = 0; l < %s; l++) acc%s = %s(%s);", ty, r, e->columns,
                      emit_columns(e, (char[16]){0}), n, splat, id);
        else emit_line(e, "%s acc%s = %s(%s);", ty, n, splat, id);
    }
}

/* Half number h of a vector of float32, wider: of value `from`, which is half of what memory holds if it was loaded. */
static const char *need_half(Emit *e, int lanes, int h, int from) {
    char f[16], w[16], half[16], *name = arena_alloc(e->arena, 32);
    if (!name) return "";
    bool loaded = e->k->ins.at[from].op == INS_LOAD;
    snprintf(name, 32, "%s%d_f32x%d", loaded ? "load" : "half", h, lanes);
    if (!need(e, name)) return name;
    need_type(e, TH_FLOAT32, lanes, f);
    need_type(e, TH_FLOAT32, lanes / 2, half);
    need_type(e, TH_FLOAT64, lanes / 2, w);
    const char *wide = need_cast(e, TH_FLOAT32, TH_FLOAT64, lanes / 2);
    Text *t = &e->helpers;
    text_printf(t, "INLINE %s %s(%s a) {\n", w, name, f);
    if (!loaded) {
        text_printf(t, "#if defined __clang__ || __GNUC__ >= 12 /* else through memory */\n    %s x", half);
        text_put(t, " = __builtin_shufflevector(a, a");
        for (int j = 0; j < lanes / 2; j++) text_printf(t, ", %d", h * lanes / 2 + j);
        text_put(t, ");\n#else\n");
    }
    text_printf(t, "    %s x; __builtin_memcpy(&x, (const char *)&a + %d, %d);\n%s", half, 2 * lanes * h, 2 * lanes,
                loaded ? "" : "#endif\n");
    text_printf(t, "    return %s(x); }\n", wide);
    return name;
}

/* A vector of float32 goes to two neighbouring vectors of float64 accumulators. */
static void split_step(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    int lanes = acc_lanes(e, r), n = red_lanes(d) / lanes, from = e->k->ins.at[d->v].a;
    for (int h = 0; h < 2; h++) {
        char x[40], y[96];
        if (e->vector >= 0) snprintf(x, sizeof x, "t%d_%d", r, (2 * e->vector + h) % n);
        else snprintf(x, sizeof x, "acc%d[(2 * u + %d) & %d]", r, h, n - 1);
        snprintf(y, sizeof y, "%s(v%d)", need_half(e, e->lanes, h, from), from);
        Text t;
        text_init(&t, e->c);
        combine(e, &t, d, x, y, lanes);
        if (e->tail) {
            const char *first = need_first(e, TH_FLOAT64, lanes);
            emit_line(e, "%s = %s(%s(m - %d), %s, %s);", x, need_select(e, TH_FLOAT64, lanes), first, h * lanes,
                      t.at ? t.at : "0", x);
        } else emit_line(e, "%s = %s;", x, t.at ? t.at : "0");
        text_free(&t);
    }
}

void emit_red_step(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    if (red_is_arg(d)) {
        arg_step(e, r, d);
        return;
    }
    if (split(e, r)) {
        split_step(e, r);
        return;
    }
    char x[32], v[80], name[16];
    bool lanes = in_lanes(e);
    int width = lanes || (e->s->vec >= 0 && d->depth > e->s->vec) ? e->lanes : 1;
    if (width > 1 && !e->vec[d->v]) snprintf(v, sizeof v, "%s(v%d)", need_splat(e, (ThDtype)d->acc_dtype, width), d->v);
    else snprintf(v, sizeof v, "v%d", d->v);
    if (lanes && e->vector >= 0) snprintf(x, sizeof x, "t%d_%d", r, e->vector);
    else if (lanes) snprintf(x, sizeof x, "acc%d[u & %d]", r, red_lanes(d) / e->lanes - 1);
    else snprintf(x, sizeof x, "acc%s", own(e, r, name));
    Text t;
    text_init(&t, e->c);
    combine(e, &t, d, x, v, width);
    if (lanes && e->tail && e->lanes > 1) {
        ThDtype a = (ThDtype)d->acc_dtype;
        const char *first = need_first(e, a, e->lanes);
        emit_line(e, "%s = %s(%s(m), %s, %s);", x, need_select(e, a, e->lanes), first, t.at ? t.at : "0", x);
    } else emit_line(e, "%s = %s;", x, t.at ? t.at : "0");
    text_free(&t);
}

/* The vectors by halves; those that no element of the row reached hold the identity and stay out, but for products of
 * complex numbers: infinity times 1 is not itself there. */
static void fold_vectors(Emit *e, int r, int n) {
    const Red *d = &e->k->red.at[r];
    bool neutral = d->kind != RED_PROD || !dtype_is_complex((ThDtype)d->acc_dtype);
    for (int h = n / 2; h; h /= 2) {
        if (neutral) emit_line(e, "if (n%d > %d) {", e->s->st->vec, h * acc_lanes(e, r));
        else emit_line(e, "{");
        for (int j = 0; j < h; j++) {
            Text t;
            char x[32], y[32];
            snprintf(x, sizeof x, "acc%d[%d]", r, j);
            snprintf(y, sizeof y, "acc%d[%d]", r, j + h);
            text_init(&t, e->c);
            combine(e, &t, &e->k->red.at[r], x, y, acc_lanes(e, r));
            emit_line(e, "    %s = %s;", x, t.at ? t.at : "0");
            text_free(&t);
        }
        emit_line(e, "}");
    }
}

void emit_red_final(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    char ty[16];
    if (red_is_arg(d)) {
        arg_final(e, r, d);
        return;
    }
    const char *s = type_short((ThDtype)d->acc_dtype);
    if (!in_lanes(e)) {
        int lanes = e->s->vec >= 0 && d->depth > e->s->vec ? e->lanes : 1;
        need_type(e, (ThDtype)d->acc_dtype, lanes, ty);
        char n[16];
        emit_line(e, "%s r%d = acc%s;", ty, r, own(e, r, n));
        return;
    }
    Text t;
    int lanes = acc_lanes(e, r), n = red_lanes(d) / lanes;
    text_init(&t, e->c);
    combine(e, &t, d, "x", "y", lanes);
    if (n > 1) fold_vectors(e, r, n);
    if (lanes == 1) emit_line(e, "%s r%d = acc%d[0];", s, r, r);
    else {
        ThDtype a = (ThDtype)d->acc_dtype;
        need_type(e, a, lanes, ty);
        emit_line(e, "%s r%d; { %s x = acc%d[0], y;", s, r, ty, r);
        for (int h = lanes / 2; h; h /= 2)
            emit_line(e, "    y = %s(x); x = %s;", need_rotated(e, a, lanes, h), t.at ? t.at : "0");
        emit_line(e, "    r%d = x[0]; }", r);
    }
    text_free(&t);
}

/* Result part[i] of a block to `all` of those before it; positions count from the row's start. */
void emit_red_join(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    if (red_is_arg(d)) {
        bool nan = dtype_is_float((ThDtype)e->k->ins.at[d->v].dtype);
        const char *op = d->kind == RED_ARGMAX ? ">" : "<";
        if (!nan) emit_line(e, "if (part[i].w%d %s all.w%d) {", r, op, r);
        else
            emit_line(e, "if (part[i].w%d %s all.w%d || (part[i].w%d != part[i].w%d && all.w%d == all.w%d)) {", r, op,
                      r, r, r, r, r);
        emit_line(e, "    all.r%d = part[i].r%d + (w.first + i * each) * inner;", r, r);
        emit_line(e, "    all.w%d = part[i].w%d;", r, r);
        emit_line(e, "}");
        return;
    }
    char x[24], y[24];
    Text t;
    text_init(&t, e->c);
    snprintf(x, sizeof x, "all.r%d", r);
    snprintf(y, sizeof y, "part[i].r%d", r);
    combine(e, &t, d, x, y, 1);
    emit_line(e, "%s = %s;", x, t.at ? t.at : "0");
    text_free(&t);
}

/* ---- rows in lanes (side.c) -------------------------------------------------------------------------------------- */
/* Statements that fold w[0], .., w[n - 1] by halves, in registers; x0 is what they leave. */
static void fold_some(Emit *e, const Red *d, int lanes, int n, const char *type) {
    for (int h = n / 2; h; h /= 2)
        for (int j = 0; j < h; j++) {
            char x[24], y[24];
            Text t;
            text_init(&t, e->c);
            snprintf(x, sizeof x, h == n / 2 ? "w[%d]" : "x%d", j);
            snprintf(y, sizeof y, h == n / 2 ? "w[%d]" : "x%d", j + h);
            combine(e, &t, d, x, y, lanes);
            text_printf(&e->helpers, "        %s%sx%d = %s;\n", h == n / 2 ? type : "", h == n / 2 ? " " : "", j,
                        t.at ? t.at : "0");
            text_free(&t);
        }
    text_put(&e->helpers, "        return x0;\n");
}

/* (w, n, none): of what stands in w[0], .., w[n - 1], each in its accumulator, the fold by halves. Accumulators that
 * nothing reached hold the identity, which compilers are not to know: they would call memset for a few. */
static const char *need_fold(Emit *e, const Red *d, int lanes) {
    const int least = 4, most = d->kind == RED_SUM || d->kind == RED_PROD ? 32 : 16; /* folded at once: text */
    ThDtype a = (ThDtype)d->acc_dtype;
    char ty[16], *name = arena_alloc(e->arena, 48);
    if (!name) return "";
    need_type(e, a, lanes, ty);
    snprintf(name, 48, "fold%d_%s", d->kind, ty);
    if (!need(e, name)) return name;
    Text t, *h = &e->helpers;
    text_init(&t, e->c);
    combine(e, &t, d, "w[j]", "w[j + h]", lanes);
    text_printf(h, "FN %s %s(%s *w, i64 n, %s none) {\n", ty, name, ty, ty);
    if (red_lanes(d) < SIDE_MOST) {
        text_printf(h, "    const i64 h = %d;\n    for (i64 j = 0; j + h < n; j++) w[j %% h] = ", red_lanes(d));
        combine(e, h, d, "w[j % h]", "w[j + h]", lanes);
        text_put(h, ";\n    n = n < h ? n : h;\n");
    }
    if (red_lanes(d) > most) {
        text_printf(h, "    for (i64 h = %d; h >= %d; h /= 2)\n", red_lanes(d) / 2, most);
        text_printf(h, "        for (i64 j = 0; j + h < n; j++) w[j] = %s;\n", t.at ? t.at : "0");
    }
    text_free(&t);
    for (int n = least; n <= most; n *= 2) {
        text_printf(h, n < most ? "    if (n <= %d) {\n" : "    {\n", n);
        text_printf(h, "        for (i64 j = n; j < %d; j++) w[j] = none;\n", n);
        fold_some(e, d, lanes, n, ty);
        text_put(h, "    }\n");
    }
    text_put(h, "}\n");
    return name;
}

void emit_side_init(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    ThDtype a = (ThDtype)d->acc_dtype;
    char id[48], ty[16];
    if (red_is_arg(d)) {
        arg_init(e, r);
        return;
    }
    identity(e, d, id);
    int lanes = acc_lanes(e, r);
    const char *splat = need_splat(e, a, lanes);
    need_type(e, a, lanes, ty);
    emit_line(e, "%s w%d[%d], none%d = %s(%s);", ty, r, SIDE_MOST, r, splat, id);
    if (split(e, r)) emit_line(e, "%s ww%d[%d];", ty, r, SIDE_MOST);
}

void emit_side_step(Emit *e, int r, int column) {
    const Red *d = &e->k->red.at[r];
    ThDtype a = (ThDtype)d->acc_dtype;
    char v[80], none[24];
    if (red_is_arg(d)) {
        arg_step(e, r, d);
        return;
    }
    bool two = split(e, r);
    int from = e->k->ins.at[d->v].a;
    snprintf(none, sizeof none, "none%d", r);
    for (int h = 0; h <= two; h++) {
        if (two) snprintf(v, sizeof v, "%s(v%d)", need_half(e, e->lanes, h, from), from);
        else if (e->vec[d->v]) snprintf(v, sizeof v, "v%d", d->v);
        else snprintf(v, sizeof v, "%s(v%d)", need_splat(e, a, e->lanes), d->v);
        Text t;
        text_init(&t, e->c);
        combine(e, &t, d, none, v, acc_lanes(e, r));
        emit_line(e, "%s%d[i%d] = %s;", h ? "ww" : "w", r, column, t.at ? t.at : "0");
        text_free(&t);
    }
}

/* Element j of each row is lane j of its accumulators: these by halves. */
void emit_side_final(Emit *e, int r, int column) {
    const Red *d = &e->k->red.at[r];
    char ty[16];
    if (red_is_arg(d)) {
        arg_final(e, r, d);
        return;
    }
    need_type(e, (ThDtype)d->acc_dtype, acc_lanes(e, r), ty);
    const char *fold = need_fold(e, d, acc_lanes(e, r));
    emit_line(e, "%s r%d = %s(w%d, n%d, none%d);", ty, r, fold, r, column, r);
    if (split(e, r)) emit_line(e, "%s rr%d = %s(ww%d, n%d, none%d);", ty, r, fold, r, column, r);
}
