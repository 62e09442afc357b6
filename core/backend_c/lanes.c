/*
 * lanes.c -- helpers of a unit that treat a vector as a row of lanes: their numbers, the first m of them, a turn
 * around, and the last vector of a row moved under a mask where the processor has masks (AVX-512). Bits are those of
 * the loops over lanes that other processors get.
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

const char *need_turned(Emit *e, ThDtype d, int lanes, int by) {
    bool fresh;
    char t[16], m[16], what[16];
    snprintf(what, sizeof what, "turn%d", by);
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
