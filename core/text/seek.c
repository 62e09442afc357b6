/*
 * seek.c -- helpers of a unit that find the place of a row's largest or smallest element: firstmax_<T>(p, n) and
 * firstmin_<T>(p, n) for n elements, at least four vectors of them. NaN comes first, as in reductions. The processor's
 * maximum passes over NaN, so whether there was any is kept beside it, for two vectors at once.
 */
#include "emit.h"

#include <stdio.h>

typedef struct Type {
    ThDtype d;
    int lanes, bytes;
    char v[16], i[16];
    bool max;
} Type;

/* more_<T>(v, a): the larger one, a where either is NaN. */
static void more(Emit *e, const Type *t, const char *name) {
    Text *h = &e->helpers;
    char s = t->d == TH_FLOAT32 ? 's' : 'd';
    const char *which = t->max ? "max" : "min", *pick = need_select(e, t->d, t->lanes);
    text_printf(h, "INLINE %s %s_%s(%s v, %s a) {\n#if defined __x86_64__ && !defined __clang__\n    return ", t->v,
                name, t->v, t->v, t->v);
    if (t->bytes == 64)
        text_printf(h, "__builtin_ia32_%sp%c512_mask(v, a, a, (%s)-1, 4);\n", which, s, s == 's' ? "u16" : "u8");
    else text_printf(h, "__builtin_ia32_%sp%c%s(v, a);\n", which, s, t->bytes == 32 ? "256" : "");
    text_printf(h, "#else\n    return %s(v %c a, v, a);\n#endif\n}\n", pick, t->max ? '>' : '<');
}

/* <name>_<T>(v, w): a bit for each lane in which they are unordered, or equal. */
static void bits(Emit *e, const Type *t, const char *name, bool equal) {
    Text *h = &e->helpers;
    char s = t->d == TH_FLOAT32 ? 's' : 'd';
    const char *two = t->bytes == 32 ? "256" : "";
    if (!need(e, name)) return;
    text_printf(h, "INLINE u32 %s(%s v, %s w) {\n#if defined __x86_64__ && !defined __clang__\n    return ", name, t->v,
                t->v);
    if (t->bytes == 64)
        text_printf(h, "__builtin_ia32_cmpp%c512_mask(v, w, %d, (%s)-1, 4);\n", s, equal ? 0 : 3,
                    s == 's' ? "u16" : "u8");
    else if (equal) text_printf(h, "(u32)__builtin_ia32_movmskp%c%s((%s)(v == w));\n", s, two, t->v);
    else if (t->bytes == 32)
        text_printf(h, "(u32)__builtin_ia32_movmskp%c256(__builtin_ia32_cmpp%c256(v, w, 3));\n", s, s);
    else text_printf(h, "(u32)__builtin_ia32_movmskp%c(__builtin_ia32_cmpunordp%c(v, w));\n", s, s);
    text_printf(h, "#else\n    u32 x = 0;\n    for (int l = 0; l < %d; l++) x |= (u32)(%s) << l;\n", t->lanes,
                equal ? "v[l] == w[l]" : "v[l] != v[l] || w[l] != w[l]");
    text_put(h, "    return x;\n#endif\n}\n");
}

static void largest(Emit *e, const Type *t, const char *kind) {
    Text *h = &e->helpers;
    const int l = t->lanes;
    text_printf(h, "    %s a = %s(%s__builtin_inf%s()), b = a, c = a, d = a;\n", t->v, need_splat(e, t->d, l),
                t->max ? "-" : "", t->d == TH_FLOAT32 ? "f" : "");
    text_put(h, "    u32 nan = 0;\n    i64 i = 0;\n");
    text_printf(h, "    for (; i + %d <= n; i += %d) {\n        const %s ", 4 * l, 4 * l, t->v);
    for (int j = 0; j < 4; j++)
        text_printf(h, "%c = *(const %su *)(p + i + %d)%s", "vwxy"[j], t -> v, j *l, j < 3 ? ", " : ";\n");
    text_printf(h, "        nan |= unordered_%s(v, w) | unordered_%s(x, y);\n        ", t->v, t->v);
    for (int j = 0; j < 4; j++)
        text_printf(h, "%c = %s_%s(%c, %c)%s", "abcd"[j], kind, t -> v, "vwxy"[j], "abcd"[j], j < 3 ? ", " : ";\n");
    text_put(h, "    }\n");
    text_printf(h, "    for (; i < n; i += %d) { /* the last one ends with the row */\n", l);
    text_printf(h, "        const %s v = *(const %su *)(p + (i + %d <= n ? i : n - %d));\n", t->v, t->v, l, l);
    text_printf(h, "        nan |= unordered_%s(v, v);\n        a = %s_%s(v, a);\n    }\n", t->v, kind, t->v);
    text_put(h, "    i = 0;\n    if (nan) {\n        while (p[i] == p[i]) i++;\n        return i;\n    }\n");
    text_printf(h, "    a = %s_%s(%s_%s(a, b), %s_%s(c, d));\n", kind, t->v, kind, t->v, kind, t->v);
    for (int j = l / 2; j; j /= 2)
        text_printf(h, "    a = %s_%s(a, %s(a));\n", kind, t->v, need_rotated(e, t->d, l, j));
    text_printf(h, "    const %s best = a[0];\n", type_short(t->d));
}

const char *need_seek(Emit *e, ThDtype d, int lanes, bool max) {
    Type t = {.d = d, .lanes = lanes, .bytes = lanes * (int)th_dtype_bytes(d), .max = max};
    const char *kind = max ? "more" : "less";
    char *name = arena_alloc(e->arena, 40), of[40];
    if (!name) return "";
    need_type(e, d, lanes, t.v);
    need_mask(e, d, lanes, t.i);
    snprintf(name, 40, "first%s_%s", max ? "max" : "min", t.v);
    if (!need(e, name)) return name;
    for (int j = lanes / 2; j; j /= 2) need_rotated(e, d, lanes, j); /* these stand before what calls them */
    need_splat(e, d, lanes);
    more(e, &t, kind);
    snprintf(of, sizeof of, "unordered_%s", t.v);
    bits(e, &t, of, false);
    snprintf(of, sizeof of, "equal_%s", t.v);
    bits(e, &t, of, true);
    Text *h = &e->helpers;
    text_printf(h, "FN i64 %s(const %s *p, i64 n) {\n", name, type_short(d));
    largest(e, &t, kind);
    text_printf(h, "    const %s all = %s(best);\n", t.v, need_splat(e, d, lanes));
    text_printf(h, "    for (; i + %d <= n; i += %d) {\n", 2 * lanes, 2 * lanes);
    text_printf(h,
                "        const u32 at = %s(*(const %su *)(p + i), all) | %s(*(const %su *)(p + i + %d), all) << %d;\n",
                of, t.v, of, t.v, lanes, lanes);
    text_put(h, "        if (at) return i + __builtin_ctz(at);\n    }\n");
    text_put(h, "    while (p[i] != best) i++;\n    return i;\n}\n");
    return name;
}
