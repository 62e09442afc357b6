/*
 * reduce.c -- the accumulators of a block's threads folded by a fixed tree: of a warp's, t with t + 16, then t + 8, ..;
 * those of the warps in order; of columns and positions thread t with t + 128, then t + 64, .. The result stands in all
 * threads. Accumulating itself is backend_c's text with one accumulator a thread.
 */
#include "cuda.h"

#include <stdio.h>

/* Positions and values: the better one, of equals the first position; NaN beats numbers; -1 is nothing. */
static const char *fold_position(Emit *e, const Red *d, ThDtype v, char name[48]) {
    const char *s = type_short(v), *op = d->kind == RED_ARGMAX ? ">" : "<";
    bool across = e->nest->across;
    snprintf(name, 48, "%s_%s_%s", across ? "across" : "fold", d->kind == RED_ARGMAX ? "argmax" : "argmin", s);
    if (!need(e, name)) return name;
    text_printf(
        &e->helpers,
        "INLINE i64 %s(%s best, i64 at, char *sh) {\n"
        "    i64 *const p = (i64 *)sh; %s *const v = (%s *)(sh + 2048);\n"
        "    const int t = (int)threadIdx.x;\n"
        "    __syncthreads(); p[t] = at; v[t] = best; __syncthreads();\n"
        "    for (int h = %d; h >= %d; h >>= 1) {\n"
        "        if (t < h && p[t + h] >= 0) {\n"
        "            const %s x = v[t], y = v[t + h];\n"
        "            const int nx = x != x, ny = y != y, same = (nx && ny) || x == y;\n"
        "            if (p[t] < 0 || (same ? p[t + h] < p[t] : ny || (!nx && y %s x))) { v[t] = y; p[t] = p[t + h]; }\n"
        "        }\n"
        "        __syncthreads();\n"
        "    }\n"
        "    return p[%s];\n"
        "}\n",
        name, s, s, s, CUDA_THREADS / 2, across ? CHOOSE_WARP : 1, s, op, across ? "t % 32" : "0");
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

/* Of columns: thread t with t + 128, then t + 64, .. */
static const char *across_value(Emit *e, const Red *d, char name[48]) {
    const char *s = type_short((ThDtype)d->acc_dtype);
    snprintf(name, 48, "across_%s_%s", red_name[d->kind], s);
    if (!need(e, name)) return name;
    Text t;
    text_init(&t, e->c);
    combine(e, &t, d);
    text_printf(&e->helpers,
                "INLINE %s %s(%s acc, char *sh) {\n"
                "    %s *const v = (%s *)sh;\n"
                "    const int t = (int)threadIdx.x;\n"
                "    __syncthreads(); v[t] = acc; __syncthreads();\n"
                "    for (int h = %d; h >= %d; h >>= 1) {\n"
                "        if (t < h) { const %s x = v[t], y = v[t + h]; v[t] = %s; }\n"
                "        __syncthreads();\n"
                "    }\n"
                "    return v[t %% 32];\n"
                "}\n",
                s, name, s, s, s, CUDA_THREADS / 2, CHOOSE_WARP, s, t.at ? t.at : "x");
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

/* The lane that has what is folded; half as many as fold. */
static const char *leads(const Emit *e) { return e->half ? "(int)threadIdx.x & 16" : "0"; }
static int half_of(const Emit *e) { return (e->half ? TAIL_ROW : CHOOSE_WARP) / 2; }

static const char *warp_position(Emit *e, const Red *d, ThDtype v, char name[48]) {
    const char *s = type_short(v), *op = d->kind == RED_ARGMAX ? ">" : "<";
    char value[48], place[48], first[48];
    snprintf(name, 48, "%s_%s_%s", e->half ? "half" : "warp", d->kind == RED_ARGMAX ? "argmax" : "argmin", s);
    shown(e, v, true, value), shown(e, TH_INT64, true, place), shown(e, TH_INT64, false, first);
    if (!need(e, name)) return name;
    text_printf(&e->helpers,
                "INLINE i64 %s(%s x, i64 at) {\n"
                "    for (int h = %d; h; h >>= 1) {\n"
                "        const %s y = %s(x, h); const i64 p = %s(at, h);\n"
                "        const int nx = x != x, ny = y != y, same = (nx && ny) || x == y;\n"
                "        if (p >= 0 && (at < 0 || (same ? p < at : ny || (!nx && y %s x)))) { x = y; at = p; }\n"
                "    }\n"
                "    return %s(at, %s);\n"
                "}\n",
                name, s, half_of(e), s, value, place, op, first, leads(e));
    return name;
}

static const char *warp_value(Emit *e, const Red *d, char name[48]) {
    ThDtype a = (ThDtype)d->acc_dtype;
    const char *s = type_short(a);
    char next[48], first[48];
    snprintf(name, 48, "%s_%s_%s", e->half ? "half" : "warp", red_name[d->kind], s);
    shown(e, a, true, next), shown(e, a, false, first);
    if (!need(e, name)) return name;
    Text t;
    text_init(&t, e->c);
    combine(e, &t, d);
    text_printf(&e->helpers,
                "INLINE %s %s(%s x) {\n"
                "    for (int h = %d; h; h >>= 1) { const %s y = %s(x, h); x = %s; }\n"
                "    return %s(x, %s);\n"
                "}\n",
                s, name, s, half_of(e), s, next, t.at ? t.at : "x", first, leads(e));
    text_free(&t);
    return name;
}

/* Of a block: each warp's, then these in order. */
static const char *fold_value(Emit *e, const Red *d, char name[48]) {
    const char *s = type_short((ThDtype)d->acc_dtype);
    char warp[48];
    if (e->nest->across) return across_value(e, d, name);
    snprintf(name, 48, "fold_%s_%s", red_name[d->kind], s);
    warp_value(e, d, warp);
    if (!need(e, name)) return name;
    Text t;
    text_init(&t, e->c);
    combine(e, &t, d);
    text_printf(&e->helpers,
                "INLINE %s %s(%s acc, char *sh) {\n"
                "    %s *const v = (%s *)sh, x = %s(acc);\n"
                "    __syncthreads();\n"
                "    if (threadIdx.x %% 32 == 0) v[threadIdx.x / 32] = x;\n"
                "    __syncthreads();\n"
                "    x = v[0];\n"
                "    UNROLL\n"
                "    for (int h = 1; h < %d; h++) { const %s y = v[h]; x = %s; }\n"
                "    return x;\n"
                "}\n",
                s, name, s, s, s, warp, CUDA_THREADS / CHOOSE_WARP, s, t.at ? t.at : "x");
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
    if (red_is_arg(d)) {
        ThDtype v = (ThDtype)e->k->ins.at[d->v].dtype;
        emit_line(e, "i64 r%d = %s(best%d, at%d, sh);", r, fold_position(e, d, v, name), r, r);
        if (e->nest->parts)
            emit_line(e, "const %s top%d = ((const %s *)(sh + 2048))[%s];", type_short(v), r, type_short(v),
                      e->nest->across ? "threadIdx.x % 32" : "0");
    } else emit_line(e, "%s r%d = %s(acc%d, sh);", type_short((ThDtype)d->acc_dtype), r, fold_value(e, d, name), r);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */
static void need_last(Emit *e) {
    if (!need(e, "last_part")) return;
    text_put(&e->helpers, "/* Whether all other parts of the point have kept what they have. */\n"
                          "INLINE int last_part(u32 *count, i64 parts, char *sh) {\n"
                          "    __threadfence(); __syncthreads();\n"
                          "    if (threadIdx.x == 0) *(int *)sh = atomicAdd(count, 1u) == (u32)parts - 1u;\n"
                          "    __syncthreads();\n"
                          "    const int last = *(int *)sh;\n"
                          "    __threadfence();\n"
                          "    return last;\n"
                          "}\n");
}

/* The place of one part's value, 16 bytes each. */
#define KEPT "kept + ((%d * parts + %s) * all + point) * 16"

static void keep(Emit *e, int r, int j) {
    const Red *d = &e->k->red.at[r];
    emit_line(e, "char *const to%d = " KEPT ";", r, j, "part");
    if (red_is_arg(d))
        emit_line(e, "*(i64 *)(to%d + 8) = r%d, *(%s *)to%d = top%d;", r, r,
                  type_short((ThDtype)e->k->ins.at[d->v].dtype), r, r);
    else emit_line(e, "*(%s *)to%d = r%d;", type_short((ThDtype)d->acc_dtype), r, r);
}

/* The threads of a point take what its parts have kept, in order, and fold it as their own. */
static void take(Emit *e, int r, int j) {
    const Red *d = &e->k->red.at[r];
    bool arg = red_is_arg(d);
    ThDtype v = arg ? (ThDtype)e->k->ins.at[d->v].dtype : (ThDtype)d->acc_dtype;
    const char *s = type_short(v);
    char name[48];
    emit_line(e, "{");
    e->indent++;
    emit_red_init(e, r);
    emit_line(e, "for (ix j = threadIdx.x%s; j < parts; j += %d) {", e->nest->across ? " / 32" : "",
              grid_group(e->nest));
    emit_line(e, "    const char *const from = " KEPT ";", j, "j");
    if (arg) emit_line(e, "    best%d = *(const %s *)from, at%d = *(const i64 *)(from + 8);", r, s, r);
    else {
        Text t;
        text_init(&t, e->c);
        combine(e, &t, d);
        emit_line(e, "    const %s x = acc%d, y = *(const %s *)from; acc%d = %s;", s, r, s, r, t.at ? t.at : "x");
        text_free(&t);
    }
    emit_line(e, "}");
    if (arg) emit_line(e, "r%d = %s(best%d, at%d, sh);", r, fold_position(e, d, v, name), r, r);
    else emit_line(e, "r%d = %s(acc%d, sh);", r, fold_value(e, d, name), r);
    e->indent--;
    emit_line(e, "}");
}

void cuda_join(Emit *e, int red, int n) {
    need_last(e);
    emit_line(e, "if (parts > 1) {");
    e->indent++;
    emit_line(e, "char *const kept = b[%d] + (groups * 4 + 255) / 256 * 256;", e->nbuf - 1);
    emit_line(e, e->nest->across ? "if (threadIdx.x < 32 && own) {" : "if (threadIdx.x == 0) {");
    e->indent++;
    for (int r = red; r < red + n; r++) keep(e, r, r - red);
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "if (!last_part((u32 *)b[%d] + group, parts, sh)) continue;", e->nbuf - 1);
    for (int r = red; r < red + n; r++) take(e, r, r - red);
    e->indent--;
    emit_line(e, "}");
}
