/*
 * half.c -- casts from and to halves as helpers of a unit: the text of base/half_all.h for one value, the same steps on
 * vectors of integers. Where the processor converts float16 itself its bits are these, and it does.
 */
#include "base/half.h"
#include "emit.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *params, *body;
} texts[] = {
#define FN(result, name, params, ...) {#name, #params, #__VA_ARGS__},
#include "base/half_all.h"
#undef FN
};

unsigned half_bits(double v, ThDtype d) { return d == TH_FLOAT16 ? half_of_f64(v) : bhalf_of_f64(v); }

/* Helper `name` of one value with the text of `from`. */
static void one(Emit *e, const char *result, const char *name, const char *from) {
    for (int i = 0; i < TH_LEN(texts); i++)
        if (!strcmp(texts[i].name, from))
            text_printf(&e->helpers, "INLINE %s %s%s %s\n", result, name, texts[i].params, texts[i].body);
}

/* Where GPUs have an instruction for it, its bits are those of the text behind, but for NaN. */
static void by_gpu(Emit *e, const char *name, bool b) {
    text_printf(&e->helpers,
                "#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800\n"
                "INLINE u16 %s(f32 a) {\n"
                "    u16 n; asm(\"cvt.rn.%s.f32 %%0, %%1;\" : \"=h\"(n) : \"f\"(a));\n"
                "    const u32 u = __float_as_uint(a);\n",
                name, b ? "bf16" : "f16");
    text_printf(&e->helpers, b ? "    return a == a ? n : (u16)(u >> 16 | 0x40);\n}\n"
                               : "    return a == a ? n : (u16)(u >> 16 & 0x8000 | 0x7e00 | u >> 13 & 0x3ff);\n}\n");
    text_put(&e->helpers, "#else\n");
    one(e, "u16", name, b ? "bhalf_of_f32" : "half_of_f32");
    text_put(&e->helpers, "#endif\n");
}

static void need_odd(Emit *e) {
    if (need(e, "half_odd")) one(e, "f32", "half_odd", "half_odd");
}

static bool scalar(Emit *e, ThDtype from, ThDtype to, const char *name) {
    bool b = from == TH_BFLOAT16 || to == TH_BFLOAT16;
    if (to == TH_FLOAT32) one(e, "f32", name, b ? "bhalf_to_f32" : "half_to_f32");
    else if (from == TH_FLOAT32 && !e->vector_bytes && !e->portable) by_gpu(e, name, b);
    else if (from == TH_FLOAT32) one(e, type_short(to), name, b ? "bhalf_of_f32" : "half_of_f32");
    else {
        need_odd(e);
        const char *rounded = need_cast(e, TH_FLOAT32, to, 1);
        text_printf(&e->helpers, "INLINE %s %s(f64 a) { return %s(half_odd(a)); }\n", type_short(to), name, rounded);
    }
    return true;
}

/* Types of a vector helper: halves, the integers and floats of 32 bits. */
typedef struct Types {
    char half[16], f[16], i[16];
} Types;

/* The instruction, in compilers that call it so: its bits are those of the text behind. */
static void instruction(Text *h, const Types *t, bool up, int lanes) {
    if (lanes != 8 && lanes != 16) return;
    text_printf(h, "#if defined __%s__ && !defined __clang__\n", lanes == 16 ? "AVX512F" : "F16C");
    text_printf(h, "    typedef short V __attribute__((vector_size(%d)));\n", 2 * lanes);
    if (up && lanes == 8) text_put(h, "    return __builtin_ia32_vcvtph2ps256((V)a);\n");
    else if (up) text_printf(h, "    return __builtin_ia32_vcvtph2ps512_mask((V)a, (%s){0}, -1, 4);\n", t->f);
    else if (lanes == 8) text_printf(h, "    return (%s)__builtin_ia32_vcvtps2ph256(a, 0);\n", t->half);
    else text_printf(h, "    return (%s)__builtin_ia32_vcvtps2ph512_mask(a, 0, (V){0}, -1);\n", t->half);
    text_put(h, "#endif\n");
}

/* 16 bits as 32, and back: gcc 12 makes several instructions of what AVX-512 does in one. */
static const char *need_width(Emit *e, const Types *t, int lanes, bool up) {
    char *name = arena_alloc(e->arena, 32);
    if (!name) return "";
    snprintf(name, 32, "%s_%s", up ? "wide" : "narrow", t->half);
    if (!need(e, name)) return name;
    Text *h = &e->helpers;
    const char *from = up ? t->half : t->i, *to = up ? t->i : t->half;
    text_printf(h, "INLINE %s %s(%s a) {\n", to, name, from);
    if (lanes == 16) {
        text_put(h, "#if defined __AVX512F__ && !defined __clang__\n");
        text_put(h, "    typedef short V __attribute__((vector_size(32)));\n");
        if (up) text_printf(h, "    return __builtin_ia32_pmovzxwd512_mask((V)a, (%s){0}, -1);\n#endif\n", t->i);
        else text_printf(h, "    return (%s)__builtin_ia32_pmovdw512_mask(a, (V){0}, -1);\n#endif\n", t->half);
    }
    text_printf(h, "    return __builtin_convertvector(a, %s); }\n", to);
    return name;
}

static void to_single(Emit *e, const Types *t, const char *name, bool b, int lanes) {
    Text *h = &e->helpers;
    const char *wide = need_width(e, t, lanes, true);
    text_printf(h, "INLINE %s %s(%s a) {\n", t->f, name, t->half);
    if (!b) instruction(h, t, true, lanes);
    if (b) {
        text_printf(h, "    return (%s)(%s(a) << 16); }\n", t->f, wide);
        return;
    }
    text_printf(h, "    %s w = %s(a), m = w & 0x7fff, n = (m << 13) + 0x38000000, low;\n", t->i, wide);
    text_put(h, "    n += ((m >= 0x7c00) & 0x38000000) + ((m > 0x7c00) & 0x400000 & ~n);\n");
    text_printf(h,
                "    low = m < 0x400;\n    n = (low & (%s)(__builtin_convertvector(m, %s) * 0x1p-24f)) | (~low & n);\n",
                t->i, t->f);
    text_printf(h, "    return (%s)(n | (w & 0x8000) << 16); }\n", t->f);
}

static void of_single(Emit *e, const Types *t, const char *name, bool b, int lanes) {
    Text *h = &e->helpers;
    const char *narrow = need_width(e, t, lanes, false);
    char u[16];
    need_type(e, TH_UINT32, lanes, u); /* whose sums wrap */
    text_printf(h, "INLINE %s %s(%s a) {\n", t->half, name, t->f);
    if (b) {
        text_printf(h, "    %s w = (%s)a, high = w >> 16, nan = (%s)(a != a);\n", u, u, u);
        text_printf(h, "    %s n = (w + 0x7fff + (high & 1)) >> 16;\n", u);
        text_printf(h, "    return %s((%s)((nan & (high | 0x40)) | (~nan & n))); }\n", narrow, t->i);
        return;
    }
    instruction(h, t, false, lanes);
    text_printf(h, "    %s w = (%s)a, m = w & 0x7fffffff, n, k;\n", t->i, t->i);
    text_printf(h, "    %s low = (%s)((%s)m + 0.5f) - 0x3f000000;\n", t->i, t->i, t->f);
    text_put(h, "    n = m - 0x38000000;\n    n = (n + 0xfff + ((n >> 13) & 1)) >> 13;\n");
    text_put(h, "    k = m < 0x38800000;\n    n = (k & low) | (~k & n);\n");
    text_put(h, "    k = m >= 0x477ff000;\n    n = (k & 0x7c00) | (~k & n);\n");
    text_put(h, "    k = m > 0x7f800000;\n    n = (k & (0x7e00 | ((m >> 13) & 0x3ff))) | (~k & n);\n");
    text_printf(h, "    return %s(n | ((w >> 16) & 0x8000)); }\n", narrow);
}

/* float64 to the float32 that is rounded to odd. */
static const char *need_odds(Emit *e, int lanes) {
    char d[16], q[16], f[16], i[16], *name = arena_alloc(e->arena, 32);
    if (!name) return "";
    need_type(e, TH_FLOAT64, lanes, d);
    need_type(e, TH_INT64, lanes, q);
    need_type(e, TH_FLOAT32, lanes, f);
    need_type(e, TH_INT32, lanes, i);
    snprintf(name, 32, "odd_%s", d);
    if (!need(e, name)) return name;
    Text *h = &e->helpers;
    text_printf(h, "INLINE %s %s(%s a) {\n    %s f = __builtin_convertvector(a, %s);\n", f, name, d, f, f);
    text_printf(h, "    %s back = __builtin_convertvector(f, %s);\n", d, d);
    text_printf(h, "    %s size = (%s)a & 0x7fffffffffffffff, near = (%s)back & 0x7fffffffffffffff;\n", q, q, q);
    text_printf(h, "    %s step = (%s)(a == a) & ((%s)(near > size) - (%s)(near < size));\n", q, q, q, q);
    text_printf(h, "    %s n = (%s)f;\n", i, i);
    text_printf(h, "    return (%s)(n + (__builtin_convertvector(step, %s) & ((n & 1) - 1))); }\n", f, i);
    return name;
}

static bool vector(Emit *e, ThDtype from, ThDtype to, int lanes, const char *name) {
    Types t;
    bool b = from == TH_BFLOAT16 || to == TH_BFLOAT16;
    need_type(e, dtype_is_half(from) ? from : to, lanes, t.half);
    need_type(e, TH_FLOAT32, lanes, t.f);
    need_type(e, TH_INT32, lanes, t.i);
    if (to == TH_FLOAT32) to_single(e, &t, name, b, lanes);
    else if (from == TH_FLOAT32) of_single(e, &t, name, b, lanes);
    else {
        char d[16];
        need_type(e, TH_FLOAT64, lanes, d);
        const char *odd = need_odds(e, lanes), *rounded = need_cast(e, TH_FLOAT32, to, lanes);
        text_printf(&e->helpers, "INLINE %s %s(%s a) { return %s(%s(a)); }\n", t.half, name, d, rounded, odd);
    }
    return true;
}

/* What has no text of its own goes through float32. */
static bool through_single(Emit *e, ThDtype from, ThDtype to, int lanes, const char *name) {
    char a[16], b[16];
    need_type(e, from, lanes, a);
    need_type(e, to, lanes, b);
    const char *up = need_cast(e, from, TH_FLOAT32, lanes), *down = need_cast(e, TH_FLOAT32, to, lanes);
    text_printf(&e->helpers, "INLINE %s %s(%s a) { return %s(%s(a)); }\n", b, name, a, down, up);
    return true;
}

bool half_cast(Emit *e, ThDtype from, ThDtype to, int lanes, const char *name) {
    if (!dtype_is_half(from) && !dtype_is_half(to)) return false;
    bool own = from == TH_FLOAT32 || to == TH_FLOAT32 || from == TH_FLOAT64;
    if (from == TH_COMPLEX128) { /* its real part, rounded once */
        const char *part = need_cast(e, TH_FLOAT64, to, 1);
        text_printf(&e->helpers, "INLINE %s %s(c128 a) { return %s(a.re); }\n", type_short(to), name, part);
        return true;
    }
    if (!own) return through_single(e, from, to, lanes, name);
    return lanes == 1 ? scalar(e, from, to, name) : vector(e, from, to, lanes, name);
}
