/*
 * reduce.c -- the accumulators of a block's threads folded by a fixed tree: thread t with t + 128, then t + 64, ..; of
 * a warp's, t with t + 16, .. The result stands in all threads. Accumulating itself is backend_c's text with one
 * accumulator a thread.
 */
#include "cuda.h"

#include <stdio.h>

/* Positions and values: the better one, of equals the first position; NaN beats numbers; -1 is nothing. */
static const char *fold_position(Emit *e, const Red *d, ThDtype v, char name[48]) {
    const char *s = type_short(v), *op = d->kind == RED_ARGMAX ? ">" : "<";
    snprintf(name, 48, "fold_%s_%s", d->kind == RED_ARGMAX ? "argmax" : "argmin", s);
    if (!need(e, name)) return name;
    text_printf(
        &e->helpers,
        "INLINE i64 %s(%s best, i64 at, char *sh) {\n"
        "    i64 *const p = (i64 *)sh; %s *const v = (%s *)(sh + 2048);\n"
        "    const int t = (int)threadIdx.x;\n"
        "    __syncthreads(); p[t] = at; v[t] = best; __syncthreads();\n"
        "    for (int h = %d; h; h >>= 1) {\n"
        "        if (t < h && p[t + h] >= 0) {\n"
        "            const %s x = v[t], y = v[t + h];\n"
        "            const int nx = x != x, ny = y != y, same = (nx && ny) || x == y;\n"
        "            if (p[t] < 0 || (same ? p[t + h] < p[t] : ny || (!nx && y %s x))) { v[t] = y; p[t] = p[t + h]; }\n"
        "        }\n"
        "        __syncthreads();\n"
        "    }\n"
        "    return p[0];\n"
        "}\n",
        name, s, s, s, CUDA_THREADS / 2, s, op);
    return name;
}

/* x (+) y as an expression, in the words of backend_c's scalar texts. */
static void combine(Emit *e, Text *t, const Red *d) {
    ThDtype a = (ThDtype)d->acc_dtype;
    const char *s = type_short(a);
    if (dtype_is_complex(a)) text_printf(t, "%s(x, y)", need_math(e, d->kind == RED_PROD ? "c_mul" : "c_add", a, 1));
    else if (d->kind == RED_SUM || d->kind == RED_PROD)
        text_printf(t, "(%s)(x %c y)", s, d->kind == RED_SUM ? '+' : '*');
    else if (d->kind == RED_AND || d->kind == RED_OR) text_printf(t, "(%s)(x %c y)", s, d->kind == RED_AND ? '&' : '|');
    else text_printf(t, "%s(x %s y || x != x, x, y)", need_select(e, a, 1), d->kind == RED_MAX ? ">=" : "<=");
}

static const char *const red_name[] = {
    [RED_SUM] = "sum", [RED_PROD] = "prod", [RED_MAX] = "max", [RED_MIN] = "min", [RED_AND] = "and", [RED_OR] = "or"};

static const char *fold_value(Emit *e, const Red *d, char name[48]) {
    const char *s = type_short((ThDtype)d->acc_dtype);
    snprintf(name, 48, "fold_%s_%s", red_name[d->kind], s);
    if (!need(e, name)) return name;
    Text t;
    text_init(&t, e->c);
    combine(e, &t, d);
    text_printf(&e->helpers,
                "INLINE %s %s(%s acc, char *sh) {\n"
                "    %s *const v = (%s *)sh;\n"
                "    const int t = (int)threadIdx.x;\n"
                "    __syncthreads(); v[t] = acc; __syncthreads();\n"
                "    for (int h = %d; h; h >>= 1) {\n"
                "        if (t < h) { const %s x = v[t], y = v[t + h]; v[t] = %s; }\n"
                "        __syncthreads();\n"
                "    }\n"
                "    return v[0];\n"
                "}\n",
                s, name, s, s, s, CUDA_THREADS / 2, s, t.at ? t.at : "x");
    text_free(&t);
    return name;
}

/* ---- warps ------------------------------------------------------------------------------------------------------- */
/* What lane (t + h) has, or lane 0: narrow values as int, complex ones by their parts. */
static const char *shown(Emit *e, ThDtype d, bool down, char name[48]) {
    const char *s = type_short(d), *fn = down ? "__shfl_down_sync" : "__shfl_sync";
    snprintf(name, 48, "%s_%s", down ? "behind" : "lane", s);
    if (!need(e, name)) return name;
    Text *h = &e->helpers;
    text_printf(h, "INLINE %s %s(%s x, int h) { ", s, name, s);
    if (dtype_is_complex(d))
        text_printf(h, "return MK(%s, %s(0xffffffffu, x.re, h), %s(0xffffffffu, x.im, h)); }\n", s, fn, fn);
    else if (th_dtype_bytes(d) < 4) text_printf(h, "return (%s)%s(0xffffffffu, (int)x, h); }\n", s, fn);
    else text_printf(h, "return %s(0xffffffffu, x, h); }\n", fn);
    return name;
}

static const char *warp_position(Emit *e, const Red *d, ThDtype v, char name[48]) {
    const char *s = type_short(v), *op = d->kind == RED_ARGMAX ? ">" : "<";
    char value[48], place[48], first[48];
    snprintf(name, 48, "warp_%s_%s", d->kind == RED_ARGMAX ? "argmax" : "argmin", s);
    shown(e, v, true, value), shown(e, TH_INT64, true, place), shown(e, TH_INT64, false, first);
    if (!need(e, name)) return name;
    text_printf(&e->helpers,
                "INLINE i64 %s(%s x, i64 at) {\n"
                "    for (int h = %d; h; h >>= 1) {\n"
                "        const %s y = %s(x, h); const i64 p = %s(at, h);\n"
                "        const int nx = x != x, ny = y != y, same = (nx && ny) || x == y;\n"
                "        if (p >= 0 && (at < 0 || (same ? p < at : ny || (!nx && y %s x)))) { x = y; at = p; }\n"
                "    }\n"
                "    return %s(at, 0);\n"
                "}\n",
                name, s, CHOOSE_WARP / 2, s, value, place, op, first);
    return name;
}

static const char *warp_value(Emit *e, const Red *d, char name[48]) {
    ThDtype a = (ThDtype)d->acc_dtype;
    const char *s = type_short(a);
    char next[48], first[48];
    snprintf(name, 48, "warp_%s_%s", red_name[d->kind], s);
    shown(e, a, true, next), shown(e, a, false, first);
    if (!need(e, name)) return name;
    Text t;
    text_init(&t, e->c);
    combine(e, &t, d);
    text_printf(&e->helpers,
                "INLINE %s %s(%s x) {\n"
                "    for (int h = %d; h; h >>= 1) { const %s y = %s(x, h); x = %s; }\n"
                "    return %s(x, 0);\n"
                "}\n",
                s, name, s, CHOOSE_WARP / 2, s, next, t.at ? t.at : "x", first);
    text_free(&t);
    return name;
}

static void warp_fold(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    char name[48];
    if (red_is_arg(d))
        emit_line(e, "i64 r%d = %s(best%d, at%d);", r, warp_position(e, d, (ThDtype)e->k->ins.at[d->v].dtype, name), r,
                  r);
    else emit_line(e, "%s r%d = %s(acc%d);", type_short((ThDtype)d->acc_dtype), r, warp_value(e, d, name), r);
}

void cuda_fold(Emit *e, int r) {
    if (e->nest->warp) {
        warp_fold(e, r);
        return;
    }
    const Red *d = &e->k->red.at[r];
    char name[48];
    if (d->kind == RED_ARGMAX || d->kind == RED_ARGMIN)
        emit_line(e, "i64 r%d = %s(best%d, at%d, sh);", r, fold_position(e, d, (ThDtype)e->k->ins.at[d->v].dtype, name),
                  r, r);
    else emit_line(e, "%s r%d = %s(acc%d, sh);", type_short((ThDtype)d->acc_dtype), r, fold_value(e, d, name), r);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */
/* Sixteen bytes a part and reduction: a value, or a position and the value there. */
void cuda_leave(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    char name[48];
    if (!red_is_arg(d)) {
        emit_line(e, "if (threadIdx.x == 0) *(%s *)(a.part + (g * %d + %d) * 16) = r%d;",
                  type_short((ThDtype)d->acc_dtype), e->k->red.n, r, r);
        return;
    }
    ThDtype v = (ThDtype)e->k->ins.at[d->v].dtype;
    emit_line(e, "const i64 r%d = %s(best%d, at%d, sh);", r, fold_position(e, d, v, name), r, r);
    emit_line(e, "if (threadIdx.x == 0) {"); /* the fold left the value behind the positions */
    emit_line(e, "    char *const to = a.part + (g * %d + %d) * 16;", e->k->red.n, r);
    emit_line(e, "    *(i64 *)to = r%d, *(%s *)(to + 8) = *(const %s *)(sh + 2048);", r, type_short(v), type_short(v));
    emit_line(e, "}");
}

void cuda_join(Emit *e, int r) {
    const Red *d = &e->k->red.at[r];
    bool arg = red_is_arg(d);
    const char *s = type_short((ThDtype)(arg ? e->k->ins.at[d->v].dtype : d->acc_dtype));
    emit_line(e, "{");
    e->indent++;
    emit_line(e, "const char *const from = a.part + ((g * a.parts + h) * %d + %d) * 16;", e->k->red.n, r);
    if (arg) {
        emit_line(e, "const i64 p = *(const i64 *)from; const %s x = best%d, y = *(const %s *)(from + 8);", s, r, s);
        emit_line(e, "const int nx = x != x, ny = y != y, same = (nx && ny) || x == y;");
        emit_line(e, "if (p >= 0 && (at%d < 0 || (same ? p < at%d : ny || (!nx && y %s x)))) best%d = y, at%d = p;", r,
                  r, d->kind == RED_ARGMAX ? ">" : "<", r, r);
    } else {
        Text t;
        text_init(&t, e->c);
        combine(e, &t, d);
        emit_line(e, "const %s x = acc%d, y = *(const %s *)from;", s, r, s);
        emit_line(e, "acc%d = %s;", r, t.at ? t.at : "x");
        text_free(&t);
    }
    e->indent--;
    emit_line(e, "}");
}
