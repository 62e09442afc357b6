/*
 * lanes.c -- helpers of a unit that treat a vector as a row of lanes: their numbers, the first m of them, rotated
 * around, and, where the processor has masks (AVX-512), the last vector of a row and strided vectors moved under one.
 * Bits are those of the loops over lanes that other processors get.
 */
#include "emit.h"

#include <stdio.h>

ThDtype mask_dtype(ThDtype d) {
    int w = mask_width(d);
    return w == 8 ? TH_INT64 : w == 4 ? TH_INT32 : w == 2 ? TH_INT16 : TH_INT8;
}

/* The helper's name, and whether it is still to be written. */
static char *named(Emit *e, const char *what, ThDtype d, int lanes, bool *fresh) {
    char t[16], *name = arena_alloc(e->arena, 64);
    *fresh = false;
    if (!name) return NULL;
    type_name(t, d, lanes);
    snprintf(name, 64, "%s_%s", what, t);
    *fresh = need(e, name);
    return name;
}

static void numbers(Emit *e, int lanes, int by) {
    for (int j = 0; j < lanes; j++) text_printf(&e->helpers, j ? ", %d" : "%d", (j + by) % lanes);
}

const char *need_lanes(Emit *e, ThDtype d, int lanes) {
    bool fresh;
    char m[16], *name = named(e, "lanes", mask_dtype(d), lanes, &fresh);
    if (!name || !fresh) return name ? name : "";
    need_mask(e, d, lanes, m);
    text_printf(&e->helpers, "INLINE %s %s(void) { return (%s){", m, name, m);
    numbers(e, lanes, 0);
    text_put(&e->helpers, "}; }\n");
    return name;
}

const char *need_first(Emit *e, ThDtype d, int lanes) {
    bool fresh;
    char m[16], *name = named(e, "first", mask_dtype(d), lanes, &fresh);
    if (!name || !fresh) return name ? name : "";
    const char *all = need_lanes(e, d, lanes);
    need_mask(e, d, lanes, m);
    text_printf(&e->helpers, "INLINE %s %s(i64 m) { return %s() < (%s)m; }\n", m, name, all, type_short(mask_dtype(d)));
    return name;
}

const char *need_rotated(Emit *e, ThDtype d, int lanes, int by) {
    bool fresh;
    char t[16], m[16], what[16];
    snprintf(what, sizeof what, "rotate%d", by);
    char *name = named(e, what, d, lanes, &fresh);
    if (!name || !fresh) return name ? name : "";
    need_type(e, d, lanes, t);
    need_mask(e, d, lanes, m);
    text_printf(&e->helpers, "#if defined __clang__ || __GNUC__ > 11\nINLINE %s %s(%s v) { return ", t, name, t);
    text_put(&e->helpers, "__builtin_shufflevector(v, v, ");
    numbers(e, lanes, by);
    text_printf(&e->helpers, "); }\n#else\nINLINE %s %s(%s v) { return __builtin_shuffle(v, (%s){", t, name, t, m);
    numbers(e, lanes, by);
    text_put(&e->helpers, "}); }\n#endif\n");
    return name;
}

/* How the compilers name masked moves, and the type of vector they take. */
typedef struct Masked {
    const char *kind, *vector, *mask;
    int bits;
} Masked;

static bool masked(const Emit *e, ThDtype d, int lanes, Masked *w) {
    int bytes = (int)th_dtype_bytes(d), all = bytes * lanes;
    if (e->vector_bytes != 64 || (bytes != 4 && bytes != 8) || (all != 64 && all != 32 && all != 16)) return false;
    bool real = dtype_is_float(d), wide = bytes == 8;
    *w = (Masked){.kind = real ? (wide ? "upd" : "ups") : (wide ? "dqudi" : "dqusi"),
                  .vector = real ? (wide ? "f64" : "f32") : (wide ? "long long" : "i32"),
                  .mask = lanes == 16 ? "u16" : "u8",
                  .bits = 8 * all};
    return !dtype_is_complex(d);
}

bool lanes_load_tail(Emit *e, ThDtype d, int lanes, const char *name) {
    Masked w;
    char t[16];
    if (!masked(e, d, lanes, &w)) return false;
    const char *splat = need_splat(e, d, lanes);
    need_type(e, d, lanes, t);
    text_printf(&e->helpers, "INLINE %s %s(const %s *p, i64 m) { typedef %s V __attribute__((vector_size(%d)));\n", t,
                name, type_short(d), w.vector, w.bits / 8);
    text_printf(&e->helpers, "    return (%s)__builtin_ia32_load%s%d_mask((const void *)p, (V)%s(p[0]), ", t, w.kind,
                w.bits, splat);
    text_printf(&e->helpers, "(%s)((1u << m) - 1)); }\n", w.mask);
    return true;
}

bool lanes_store_tail(Emit *e, ThDtype d, int lanes, const char *name) {
    Masked w;
    char t[16];
    if (!masked(e, d, lanes, &w)) return false;
    need_type(e, d, lanes, t);
    text_printf(&e->helpers, "INLINE void %s(%s *p, %s v, i64 m) { typedef %s V __attribute__((vector_size(%d)));\n",
                name, type_short(d), t, w.vector, w.bits / 8);
    text_printf(&e->helpers, "    __builtin_ia32_store%s%d_mask((void *)p, (V)v, (%s)((1u << m) - 1)); }\n", w.kind,
                w.bits, w.mask);
    return true;
}

/* Intel's names, gcc's alone; whatever the lanes are, they move as float64. */
void lanes_stream(Emit *e, ThDtype d, int lanes, const char *name) {
    int bits = 8 * lanes * (int)th_dtype_bytes(d);
    char t[16], size[16] = "";
    need_type(e, d, lanes, t);
    if (bits > 128) snprintf(size, sizeof size, "%d", bits);
    text_printf(&e->helpers, "INLINE void %s(%s *p, %s v) {\n", name, type_short(d), t);
    text_printf(&e->helpers, "#if defined __clang__\n    __builtin_nontemporal_store(v, (%s *)p);\n", t);
    text_printf(&e->helpers,
                "#elif defined __x86_64__\n    typedef f64 V __attribute__((vector_size(%d), may_alias));\n", bits / 8);
    text_printf(&e->helpers, "    __builtin_ia32_movntpd%s((f64 *)p, (V)v);\n#else\n    *(%s *)p = v;\n#endif\n}\n",
                size, t);
}

/* Strided vectors go in parts of 8 lanes, whose distances are 64 bits wide: no array is too large for them. */
enum { PART = 8 };

static bool parted(const Emit *e, ThDtype d, int lanes, Masked *w) {
    return (lanes == PART || lanes == 2 * PART) && masked(e, d, lanes, w);
}

/* The parts of a vector, by number: lanes 0 to 7 and 8 to 15. */
static void halves(Emit *e, const char *vector) {
    text_printf(&e->helpers, "    union { %s v; V part[2]; } u;\n", vector);
}

static const char *suffix(ThDtype d) {
    bool real = dtype_is_float(d), wide = th_dtype_bytes(d) == 8;
    return real ? (wide ? "8df" : "16sf") : wide ? "8di" : "16si";
}

static void strides(Emit *e) {
    if (need(e, "type Far"))
        text_put(&e->helpers, "typedef long long Far __attribute__((vector_size(64))); /* distances in elements */\n");
}

bool lanes_gather(Emit *e, ThDtype d, int lanes, const char *name) {
    Masked w;
    char t[16];
    if (!parted(e, d, lanes, &w)) return false;
    strides(e);
    const char *splat = need_splat(e, d, PART);
    need_type(e, d, lanes, t);
    int bytes = (int)th_dtype_bytes(d);
    text_printf(&e->helpers, "INLINE %s %s(const %s *p, i64 st, i64 m) {\n", t, name, type_short(d));
    text_printf(&e->helpers, "    typedef %s V __attribute__((vector_size(%d)));\n", w.vector, bytes * PART);
    text_put(&e->helpers, "    Far at = (Far){0, 1, 2, 3, 4, 5, 6, 7} * (long long)st;\n");
    text_printf(&e->helpers, "    u32 w = (1u << m) - 1; V first = (V)%s(p[0]);\n", splat);
    for (int h = 0; h < lanes / PART; h++)
        text_printf(&e->helpers,
                    "    V part%d = (V)__builtin_ia32_gatherdiv%s(first, (const void *)(p + %d * st), at, "
                    "(u8)(w >> %d), %d);\n",
                    h, suffix(d), PART * h, PART * h, bytes);
    if (lanes == PART) text_printf(&e->helpers, "    return (%s)part0; }\n", t);
    else {
        text_put(&e->helpers, "#if defined __clang__ || __GNUC__ > 11\n");
        text_printf(&e->helpers, "    return (%s)__builtin_shufflevector(part0, part1, ", t);
        numbers(e, lanes, 0);
        text_put(&e->helpers, ");\n#else\n");
        halves(e, t);
        text_put(&e->helpers, "    u.part[0] = part0; u.part[1] = part1; return u.v;\n#endif\n}\n");
    }
    return true;
}

bool lanes_scatter(Emit *e, ThDtype d, int lanes, const char *name) {
    Masked w;
    char t[16];
    if (!parted(e, d, lanes, &w)) return false;
    strides(e);
    need_type(e, d, lanes, t);
    int bytes = (int)th_dtype_bytes(d);
    text_printf(&e->helpers, "INLINE void %s(%s *p, %s v, i64 st, i64 m) {\n", name, type_short(d), t);
    text_printf(&e->helpers, "    typedef %s V __attribute__((vector_size(%d)));\n", w.vector, bytes * PART);
    halves(e, t);
    text_put(&e->helpers, "    Far at = (Far){0, 1, 2, 3, 4, 5, 6, 7} * (long long)st;\n");
    text_put(&e->helpers, "    u32 w = (1u << m) - 1; u.v = v;\n");
    for (int h = 0; h < lanes / PART; h++)
        text_printf(&e->helpers,
                    "    __builtin_ia32_scatterdiv%s((void *)(p + %d * st), (u8)(w >> %d), at, u.part[%d], %d);\n",
                    suffix(d), PART * h, PART * h, h, bytes);
    text_put(&e->helpers, "}\n");
    return true;
}

/* Both halves of a sum, rounded. */
const char *need_whole(Emit *e, int lanes) {
    char v[16], x[16], w[16], *name = arena_alloc(e->arena, 32);
    if (!name) return "";
    need_type(e, TH_FLOAT32, lanes, v);
    need_type(e, TH_FLOAT32, lanes / 2, x);
    need_type(e, TH_FLOAT64, lanes / 2, w);
    snprintf(name, 32, "whole_%s", v);
    if (!need(e, name)) return name;
    Text *h = &e->helpers;
    text_printf(h, "INLINE %s %s(%s a, %s b) {\n    %s x = __builtin_convertvector(a, %s), ", v, name, w, w, x, x);
    text_printf(h, "y = __builtin_convertvector(b, %s);\n#if defined __clang__ || __GNUC__ > 11\n", x);
    text_put(h, "    return __builtin_shufflevector(x, y");
    for (int j = 0; j < lanes; j++) text_printf(h, ", %d", j);
    text_printf(h, ");\n#else\n    union { %s v; %s x[2]; } u = {.x = {x, y}}; return u.v;\n#endif\n}\n", v, x);
    return name;
}
