/*
 * helpers.c -- the small inline functions a unit uses, written when first asked for: vector math by name, selection by
 * masks, casts with NumPy's answers, loads and stores of partial and strided vectors.
 */
#include "ops/math/vmath.h"
#include "emit.h"

#include <stdio.h>
#include <string.h>

/* ---- math ---- */
typedef struct {
    const char *prim, *libm;
    int arity;
} Math;
static const Math maths[] = {
    {"exp", "exp", 1},           {"exp2", "exp2", 1},   {"expm1", "expm1", 1}, {"log", "log", 1},
    {"log2", "log2", 1},         {"log10", "log10", 1}, {"log1p", "log1p", 1}, {"sin", "sin", 1},
    {"cos", "cos", 1},           {"tan", "tan", 1},     {"asin", "asin", 1},   {"acos", "acos", 1},
    {"atan", "atan", 1},         {"sinh", "sinh", 1},   {"cosh", "cosh", 1},   {"tanh", "tanh", 1},
    {"asinh", "asinh", 1},       {"acosh", "acosh", 1}, {"atanh", "atanh", 1}, {"erf", "erf", 1},
    {"erfc", "erfc", 1},         {"atan2", "atan2", 2}, {"pow", "pow", 2},     {"floor", "floor", 1},
    {"ceil", "ceil", 1},         {"trunc", "trunc", 1}, {"rint", "rint", 1},   {"round", "round", 1},
    {"sqrt", "sqrt", 1},         {"fmod", "fmod", 2},   {"fabs", "fabs", 1},   {"hypot", "hypot", 2},
    {"copysign", "copysign", 2}, {"fma", "fma", 3},     {"cbrt", "cbrt", 1},   {"nextafter", "nextafter", 2},
};

static const Math *find(const char *prim) {
    for (int i = 0; i < TH_LEN(maths); i++)
        if (!strcmp(maths[i].prim, prim)) return &maths[i];
    return NULL;
}

/* A prototype of the libm function for the scalar type. */
static void prototype(Emit *e, const Math *m, ThDtype d) {
    char name[32];
    snprintf(name, sizeof name, "%s%s", m->libm, d == TH_FLOAT32 ? "f" : "");
    char key[40];
    if (e->portable) return; /* <math.h> has them */
    snprintf(key, sizeof key, "proto %s", name);
    if (need(e, key))
        text_printf(&e->helpers,
                    m->arity == 1   ? "%s %s(%s);\n"
                    : m->arity == 2 ? "%s %s(%s, %s);\n"
                                    : "%s %s(%s, %s, %s);\n",
                    type_short(d), name, type_short(d), type_short(d), type_short(d));
}

/* ---- special functions: the texts of core/ops/math/special.h ---- */
/* With the flag repro: whether the text f takes our own function in libm's place; its helper's name. */
static bool special_own(Emit *e, const SpecialFn *f, const char *name, const char **helper) {
    char near[32];
    bool turn = !strcmp(f->name, "sf_far"); /* has angles that are small already */
    snprintf(near, sizeof near, "%s%s", turn && (!strcmp(name, "sin") || !strcmp(name, "cos")) ? "near_" : "", name);
    bool angle = !strcmp(name, "sin") || !strcmp(name, "cos") || !strcmp(name, "tan");
    if (!e->repro || !(angle || vmath_find(near, TH_FLOAT64))) return false;
    const char *is = need_math(e, near, TH_FLOAT64, 1);
    if (helper) *helper = is;
    return true;
}

/* Its names mean our own functions from here on, or no longer. */
static void special_names(Emit *e, const SpecialFn *f, bool define) {
    for (const char *p = f->uses; *p;) {
        unsigned long n = strcspn(p, " ");
        char name[32];
        const char *is;
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        if (!special_find(p, n) && special_own(e, f, name, &is))
            text_printf(&e->helpers, "%s %s %s\n", define ? "#define" : "#undef", name, define ? is : "");
        p += n + (p[n] == ' ');
    }
}

/* One function and, before it, all it uses; long lines broken between statements. */
static void special(Emit *e, const SpecialFn *f) { /* as deep as the texts nest */
    if (!need(e, f->name)) return;
    for (const char *p = f->uses; *p;) {
        unsigned long n = strcspn(p, " ");
        const SpecialFn *used = special_find(p, n);
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        if (used) special(e, used);
        else if (!special_own(e, f, name, NULL) && find(name)) prototype(e, find(name), TH_FLOAT64);
        p += n + (p[n] == ' ');
    }
    special_names(e, f, true);
    text_printf(&e->helpers, "FN %s %s%s ", f->result, f->name, f->params);
    int column = 0, depth = 0;
    for (const char *p = f->body; *p; column++) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        size_t n = names_put(e, &e->helpers, p);
        if ((p[0] == ';' && !depth && (column > 90 || e->portable)) || (p[0] == ',' && column > 110)) {
            text_putc(&e->helpers, '\n');
            column = 0;
        }
        p += n;
    }
    text_putc(&e->helpers, '\n');
    special_names(e, f, false);
}

/* f's operands as its text takes them, element i of vectors. */
static void special_operands(Text *h, const SpecialFn *f, bool of_complex, int lanes) {
    char v = 'a';
    for (const char *p = f->params; p; p = strchr(p + 1, ','), v++) {
        const char *comma = v == 'a' ? "" : ", ";
        if (of_complex) text_printf(h, "%ssf_c(%c.re, %c.im)", comma, v, v);
        else text_printf(h, "%s%c%s", comma, v, lanes == 1 ? "" : "[i]");
    }
}

/* A function of three whose first two many elements share: sf_<prim>_scale is computed of these once for neighbours
 * that have the same, and by a compiler that sees they never change, once for a loop. */
static bool shared_math(Emit *e, const char *prim, ThDtype d, int lanes, const char *name) {
    char t[16], scale[40], once[48];
    snprintf(scale, sizeof scale, "sf_%s_scale", prim);
    snprintf(once, sizeof once, "pair_%s", scale);
    const SpecialFn *f = special_find(scale, strlen(scale));
    if (!f || dtype_is_complex(d)) return false;
    need_type(e, d, lanes, t);
    char pair[16];
    Text *h = &e->helpers;
    if (lanes > 1) need_type(e, TH_FLOAT64, 2, pair);
    if (lanes > 1 && need(e, once)) /* a vector, since compilers take no calls that give structs out of loops */
        text_printf(h,
                    "static __attribute__((noinline, const)) %s pair_%s(f64 a, f64 b) { DD w = %s(a, b); return "
                    "(%s){w.hi, w.lo}; }\n",
                    pair, scale, scale, pair);
    text_printf(h, "INLINE %s %s(%s a, %s b, %s c) {", t, name, t, t, t);
    if (lanes == 1) {
        text_printf(h, " return (%s)sf_%s_of(a, b, c, %s(a, b)); }\n", t, prim, scale);
        return true;
    }
    text_printf(h, "\n    %s r; %s w = pair_%s(a[0], b[0]);\n    for (int i = 0; i < %d; i++) {\n", t, pair, scale,
                lanes);
    text_printf(h, "        if (i && !(a[i] == a[i - 1] && b[i] == b[i - 1])) w = pair_%s(a[i], b[i]);\n", scale);
    text_printf(h, "        r[i] = (%s)sf_%s_of(a[i], b[i], c[i], MK(DD, w[0], w[1]));\n    }\n    return r; }\n",
                type_short(d), prim);
    return true;
}

/* The primitive `prim` of dtype d, computed in float64 or complex128 by sf_<prim>. false: there is no such text. */
static bool special_math(Emit *e, const char *prim, ThDtype d, int lanes, const char *name) {
    char t[16], sf[40], v = 'a';
    int n = snprintf(sf, sizeof sf, "sf_%s", prim);
    const SpecialFn *f = special_find(sf, (unsigned long)n);
    if (!f) return false;
    special(e, f);
    if (shared_math(e, prim, d, lanes, name)) return true;
    need_type(e, d, lanes, t);
    Text *h = &e->helpers;
    text_printf(h, "INLINE %s %s(", t, name);
    for (const char *p = f->params; p; p = strchr(p + 1, ','), v++)
        text_printf(h, "%s%s %c", v == 'a' ? "" : ", ", t, v);
    if (dtype_is_complex(d)) text_printf(h, ") { c128 r = %s(", sf);
    else if (lanes == 1) text_printf(h, ") { return (%s)%s(", t, sf);
    else text_printf(h, ") { %s r; for (int i = 0; i < %d; i++) r[i] = (%s)%s(", t, lanes, type_short(d), sf);
    special_operands(h, f, dtype_is_complex(d), lanes);
    if (dtype_is_complex(d)) text_printf(h, "); %s z; z.re = r.re; z.im = r.im; return z; }\n", t);
    else text_printf(h, lanes == 1 ? "); }\n" : "); return r; }\n");
    return true;
}

/* The instruction, where the compiler would take each lane out and put it back. */
static void square_root(Emit *e, ThDtype d, int lanes) {
    int bytes = (int)th_dtype_bytes(d) * lanes;
    char s = d == TH_FLOAT32 ? 's' : 'd';
    if (lanes == 1 || e->vector_bytes < 32 || bytes < 16) return;
    text_put(&e->helpers, "#ifndef __clang__\n    ");
    if (bytes == 64)
        text_printf(&e->helpers, "return __builtin_ia32_sqrtp%c512_mask(a, a, (%s)-1, 4);\n", s,
                    s == 's' ? "u16" : "u8");
    else text_printf(&e->helpers, "return __builtin_ia32_sqrtp%c%s(a);\n", s, bytes == 32 ? "256" : "");
    text_put(&e->helpers, "#endif\n");
}

static void plain_math(Emit *e, const Math *m, ThDtype d, int lanes, const char *name) {
    char t[16];
    const char *f = d == TH_FLOAT32 ? "f" : "", *second = m->arity == 2 ? ", " : "";
    need_type(e, d, lanes, t);
    prototype(e, m, d);
    if (lanes == 1)
        text_printf(&e->helpers, "INLINE %s %s(%s a%s%s%s) { return %s%s(a%s); }\n", t, name, t, second,
                    m->arity == 2 ? t : "", m->arity == 2 ? " b" : "", m->libm, f, m->arity == 2 ? ", b" : "");
    else {
        text_printf(&e->helpers, "INLINE %s %s(%s a%s%s%s) {\n", t, name, t, second, m->arity == 2 ? t : "",
                    m->arity == 2 ? " b" : "");
        if (!strcmp(m->prim, "sqrt")) square_root(e, d, lanes);
        text_printf(&e->helpers, "    %s r; for (int i = 0; i < %d; i++) r[i] = %s%s(a[i]%s); return r; }\n", t, lanes,
                    m->libm, f, m->arity == 2 ? ", b[i]" : "");
    }
}

/* Whether any of `lanes` absolute values is far. */
static void any_far(Emit *e, ThDtype d, int lanes, double limit, const char *far) {
    char t[16];
    const char *abs_ = need_math(e, "abs", d, lanes), *splat = need_splat(e, d, lanes);
    int bytes = lanes * (int)th_dtype_bytes(d);
    char s = d == TH_FLOAT32 ? 's' : 'd';
    type_name(t, d, lanes);
    Text *h = &e->helpers;
    if (e->vector_bytes == 64 && bytes == 64)
        text_printf(h, "    any = __builtin_ia32_cmpp%c512_mask(%s(a), %s(%a), 13, (%s)-1, 4);\n", s, abs_, splat,
                    limit, s == 's' ? "u16" : "u8");
    else if (e->vector_bytes >= 32 && bytes == 32)
        text_printf(h, "    any = __builtin_ia32_movmskp%c256((%s)(%s(a) >= %s(%a)));\n", s, t, abs_, splat, limit);
    else text_printf(h, "    for (int i = 0; i < %d; i++) any |= %s;\n", lanes, far);
}

/* Sine, cosine and tangent of large numbers go through sf_far, value by value. */
static void far_math(Emit *e, const Math *m, ThDtype d, int lanes, const char *name) {
    char t[16], prim[24], far[48];
    int what = m->prim[0] == 's' ? 0 : m->prim[0] == 'c' ? 1 : 2;
    double limit = d == TH_FLOAT32 ? SPECIAL_FAR_SINGLE : SPECIAL_FAR;
    snprintf(prim, sizeof prim, "near_%s", m->prim);
    const char *abs1 = e->portable ? "fabs" : "__builtin_fabs", *near = need_math(e, prim, d, lanes);
    number_format(far, sizeof far, "%s(a%s) >= %a", abs1, lanes == 1 ? "" : "[i]", limit);
    special(e, special_find("sf_far", 6));
    need_type(e, d, lanes, t);
    Text *h = &e->helpers;
    if (lanes == 1) {
        text_printf(h, "INLINE %s %s(%s a) { return %s ? (%s)sf_far(a, %d) : %s(a); }\n", t, name, t, far, t, what,
                    near);
        return;
    }
    need_math(e, "abs", d, lanes);
    need_splat(e, d, lanes);
    /* apart, so that the operand need not outlive the call */
    text_printf(h, "static __attribute__((noinline, unused)) %s far_%s(%s a) {\n    %s r = %s(a);\n", t, name, t, t,
                near);
    text_printf(h, "    for (int i = 0; i < %d; i++)\n        if (%s) r[i] = (%s)sf_far(a[i], %d);\n", lanes, far,
                type_short(d), what);
    text_printf(h, "    return r; }\nINLINE %s %s(%s a) {\n    int any = 0;\n", t, name, t);
    any_far(e, d, lanes, limit, far);
    text_printf(h, "    return __builtin_expect(any, 0) ? far_%s(a) : %s(a); }\n", name, near);
}

/* Primitives that are short texts over others. */
static bool composed(Emit *e, const char *prim, ThDtype d, int lanes, const char *name) {
    char t[16], ex[48], l1[48], sel[48], sp[48];
    need_type(e, d, lanes, t);
    bool f32 = d == TH_FLOAT32;
    if (!strcmp(prim, "sigmoid") || !strcmp(prim, "softplus")) {
        bool sig = prim[1] == 'i';
        snprintf(ex, sizeof ex, "%s", need_math(e, "exp", d, lanes));
        if (!sig) snprintf(l1, sizeof l1, "%s", need_math(e, "log1p", d, lanes));
        snprintf(sel, sizeof sel, "%s", need_select(e, d, lanes));
        snprintf(sp, sizeof sp, "%s", need_splat(e, d, lanes));
        if (sig)
            text_printf(&e->helpers, "INLINE %s %s(%s a) { return %s(a < %s(%d), %s(0), %s(1) / (%s(1) + %s(-a))); }\n",
                        t, name, t, sel, sp, f32 ? -88 : -709, sp, sp, sp, ex);
        else
            text_printf(&e->helpers,
                        "INLINE %s %s(%s a) { return %s(a < %s(%d), %s(0), %s(a > %s(%d), a, %s(%s(a)))); }\n", t, name,
                        t, sel, sp, f32 ? -103 : -745, sp, sel, sp, f32 ? 20 : 40, l1, ex);
        return true;
    }
    if (!strcmp(prim, "deg2rad") || !strcmp(prim, "rad2deg")) {
        snprintf(sp, sizeof sp, "%s", need_splat(e, d, lanes));
        text_printf(&e->helpers, "INLINE %s %s(%s a) { return a * %s((%s)%s); }\n", t, name, t, sp, type_short(d),
                    prim[0] == 'd' ? "0.017453292519943295" : "57.29577951308232");
        return true;
    }
    if (!strcmp(prim, "div_floor") && dtype_is_float(d) &&
        lanes == 1) { /* as NumPy: exact where a / b rounds up to an integer */
        snprintf(ex, sizeof ex, "%s", need_math(e, "fmod", d, 1));
        snprintf(l1, sizeof l1, "%s", need_math(e, "rint", d, 1));
        text_printf(&e->helpers,
                    "INLINE %s %s(%s a, %s b) { if (b == 0) return a / b; %s r = %s(a, b), q = (a - r) / b; "
                    "if (r != 0 && (r < 0) != (b < 0)) q -= 1; return q == 0 ? a / b * 0 : %s(q); }\n",
                    t, name, t, t, t, ex, l1);
        return true;
    }
    if (!strcmp(prim, "mod_floor") && dtype_is_float(d) && lanes == 1) {
        snprintf(ex, sizeof ex, "%s", need_math(e, "fmod", d, 1));
        text_printf(&e->helpers,
                    "INLINE %s %s(%s a, %s b) { %s r = %s(a, b); if (r == 0) return b < 0 ? -(%s)0 : (%s)0; "
                    "return (r < 0) != (b < 0) ? r + b : r; }\n",
                    t, name, t, t, t, ex, t, t);
        return true;
    }
    return false;
}

/* Integer primitives: scalars only. A divisor of 0 was reported before. */
static void integer_math(Emit *e, const char *prim, ThDtype d, const char *name) {
    const char *t = type_short(d);
    bool sig = dtype_is_signed(d);
    if (!strcmp(prim, "abs"))
        text_printf(&e->helpers,
                    sig ? "INLINE %s %s(%s a) { return a < 0 ? (%s)(0 - (u64)a) : a; }\n"
                        : "INLINE %s %s(%s a) { return (%s)a; }\n",
                    t, name, t, t);
    else if (!strcmp(prim, "div_floor"))
        text_printf(&e->helpers,
                    sig ? "INLINE %s %s(%s a, %s b) { if (b == 0) return 0; if (b == -1) return (%s)(0 - (u64)a); "
                          "return (%s)(a / b - (a %% b != 0 && (a < 0) != (b < 0))); }\n"
                        : "INLINE %s %s(%s a, %s b) { return (%s)(b ? (%s)(a / b) : 0); }\n",
                    t, name, t, t, t, t);
    else if (!strcmp(prim, "mod_floor"))
        text_printf(&e->helpers,
                    sig ? "INLINE %s %s(%s a, %s b) { if (b == 0 || b == -1) return 0; %s r = (%s)(a %% b); return "
                          "(%s)(r != 0 && (r < 0) != (b < 0) ? r + b : r); }\n"
                        : "INLINE %s %s(%s a, %s b) { %s r = (%s)(b ? a %% b : 0); return (%s)r; }\n",
                    t, name, t, t, t, t, t);
    else if (!strcmp(prim, "gcd") || !strcmp(prim, "lcm"))
        text_printf(
            &e->helpers,
            "INLINE %s %s(%s a, %s b) { u64 x = a > 0 ? (u64)a : 0 - (u64)a, y = b > 0 ? (u64)b : 0 - (u64)b, p = "
            "x, q = y; while (q) { u64 r = p %% q; p = q; q = r; } return (%s)(%s); }\n",
            t, name, t, t, t, prim[0] == 'g' ? "p" : "p ? x / p * y : 0");
    else if (!strcmp(prim, "bit_shl"))
        text_printf(&e->helpers, "INLINE %s %s(%s a, %s b) { return (%s)((u64)b < %zu ? (u64)a << (b & 63) : 0); }\n",
                    t, name, t, t, t, 8 * th_dtype_bytes(d));
    else if (!strcmp(prim, "bit_shr"))
        text_printf(&e->helpers, "INLINE %s %s(%s a, %s b) { return (%s)((u64)b < %zu ? a >> (b & 63) : %s); }\n", t,
                    name, t, t, t, 8 * th_dtype_bytes(d), sig ? "a < 0 ? -1 : 0" : "0");
    else /* pow */
        text_printf(&e->helpers,
                    "INLINE %s %s(%s a, %s b) { %su64 r = 1, p = (u64)a; for (u64 n = (u64)b; n; n >>= 1, p *= p) if "
                    "(n & 1) r *= p; return (%s)r; }\n",
                    t, name, t, t, sig ? "if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0; " : "", t);
}

static void float_abs(Emit *e, ThDtype d, int lanes, const char *name) {
    char t[16], m[16];
    need_type(e, d, lanes, t);
    need_mask(e, d, lanes, m);
    if (lanes == 1) {
        text_printf(&e->helpers, "INLINE %s %s(%s a) { return %sfabs%s(a); }\n", t, name, t,
                    e->portable ? "" : "__builtin_", d == TH_FLOAT32 ? "f" : "");
        return;
    }
    text_printf(&e->helpers, "INLINE %s %s(%s a) { return (%s)((%s)a & (%s)(((%s){0} + 1) * (%s)%s)); }\n", t, name, t,
                t, m, m, m, d == TH_FLOAT32 ? "i32" : "i64", d == TH_FLOAT32 ? "0x7fffffff" : "0x7fffffffffffffff");
}

static void complex_math(Emit *e, const char *prim, ThDtype d, const char *name) {
    const char *t = type_short(d), *r = d == TH_COMPLEX64 ? "f32" : "f64";
    Text *h = &e->helpers;
    if (!strcmp(prim, "c_add"))
        text_printf(h, "INLINE %s %s(%s a, %s b) { return MK(%s, a.re + b.re, a.im + b.im); }\n", t, name, t, t, t);
    else if (!strcmp(prim, "c_sub"))
        text_printf(h, "INLINE %s %s(%s a, %s b) { return MK(%s, a.re - b.re, a.im - b.im); }\n", t, name, t, t, t);
    else if (!strcmp(prim, "c_mul"))
        text_printf(
            h, "INLINE %s %s(%s a, %s b) { return MK(%s, a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }\n", t,
            name, t, t, t);
    else if (!strcmp(prim, "c_div"))
        text_printf(
            h,
            "INLINE %s %s(%s a, %s b) { %s yr = b.re <= 0 ? 0 - b.re : b.re, yi = b.im <= 0 ? 0 - b.im : b.im, q, s;\n"
            "    if (yr >= yi) { if (yr == 0 && yi == 0) return MK(%s, a.re / yr, a.im / yr); q = b.im / b.re; s "
            "= 1 / (b.re + b.im * q); return MK(%s, (a.re + a.im * q) * s, (a.im - a.re * q) * s); }\n"
            "    q = b.re / b.im; s = 1 / (b.im + b.re * q); return MK(%s, (a.re * q + a.im) * s, (a.im * q - "
            "a.re) * s); }\n",
            t, name, t, t, r, t, t, t);
    else if (!strcmp(prim, "c_neg"))
        text_printf(h, "INLINE %s %s(%s a) { return MK(%s, -a.re, -a.im); }\n", t, name, t, t);
    else if (!strcmp(prim, "c_conj"))
        text_printf(h, "INLINE %s %s(%s a) { return MK(%s, a.re, -a.im); }\n", t, name, t, t);
    else if (!strcmp(prim, "c_abs")) {
        const char *of = need_math(e, "hypot", d == TH_COMPLEX64 ? TH_FLOAT32 : TH_FLOAT64, 1);
        text_printf(h, "INLINE %s %s(%s a) { return %s(a.re, a.im); }\n", r, name, t, of);
    } else if (!strcmp(prim, "c_real")) text_printf(h, "INLINE %s %s(%s a) { return a.re; }\n", r, name, t);
    else if (!strcmp(prim, "c_imag")) text_printf(h, "INLINE %s %s(%s a) { return a.im; }\n", r, name, t);
    else if (!strcmp(prim, "c_eq"))
        text_printf(h, "INLINE u8 %s(%s a, %s b) { return a.re == b.re && a.im == b.im; }\n", name, t, t);
    else if (!strcmp(prim, "c_neq"))
        text_printf(h, "INLINE u8 %s(%s a, %s b) { return !(a.re == b.re && a.im == b.im); }\n", name, t, t);
}

/* Vectors of |a| with the sign bits of b. */
static void signs_of(Emit *e, ThDtype d, int lanes, const char *name) {
    char t[16], m[16];
    const char *bit = d == TH_FLOAT32 ? "(-0x7fffffff - 1)" : "(-0x7fffffffffffffff - 1)";
    need_type(e, d, lanes, t);
    need_mask(e, d, lanes, m);
    text_printf(&e->helpers, "INLINE %s %s(%s a, %s b) { return (%s)(((%s)a & ~%s) | ((%s)b & %s)); }\n", t, name, t, t,
                t, m, bit, m, bit);
}

const char *need_math(Emit *e, const char *prim, ThDtype d, int lanes) {
    char t[16];
    type_name(t, d, lanes);
    char *name = arena_alloc(e->arena, 64);
    if (!name) return "";
    snprintf(name, 64, "%s%s_%s", lanes == 1 && vmath_lone(e, prim, d) ? "lone_" : "", prim, t);
    if (!need(e, name)) return name;
    const Math *m = find(prim);
    if (!strcmp(prim, "c_make"))
        text_printf(&e->helpers, "INLINE %s %s(%s a, %s b) { return MK(%s, a, b); }\n",
                    d == TH_FLOAT32 ? "c64" : "c128", name, t, t, d == TH_FLOAT32 ? "c64" : "c128");
    else if (special_math(e, prim, d, lanes, name) || vmath_math(e, prim, d, lanes, name)) return name;
    else if (dtype_is_complex(d)) complex_math(e, prim, d, name);
    else if (m && dtype_is_float(d) && (!strcmp(prim, "sin") || !strcmp(prim, "cos") || !strcmp(prim, "tan")))
        far_math(e, m, d, lanes, name);
    else if (dtype_is_float(d) && lanes > 1 && !strcmp(prim, "copysign")) signs_of(e, d, lanes, name);
    else if (dtype_is_float(d) && m) plain_math(e, m, d, lanes, name);
    else if (dtype_is_float(d) && !strcmp(prim, "abs")) float_abs(e, d, lanes, name);
    else if (!composed(e, prim, d, lanes, name)) integer_math(e, prim, d, name);
    return name;
}

/* ---- masks, splats, casts ---- */
static char *named(Emit *e, const char *what, ThDtype d, int lanes) {
    char t[16];
    type_name(t, d, lanes);
    char *name = arena_alloc(e->arena, 64);
    if (name) snprintf(name, 64, "%s_%s", what, t);
    return name;
}

const char *need_select(Emit *e, ThDtype d, int lanes) {
    char t[16], m[16], *name = named(e, "sel", d, lanes);
    if (!name) return "";
    if (!need(e, name)) return name;
    need_type(e, d, lanes, t);
    need_mask(e, d, lanes, m);
    if (lanes == 1) text_printf(&e->helpers, "INLINE %s %s(int m, %s a, %s b) { return m ? a : b; }\n", t, name, t, t);
    else
        text_printf(&e->helpers, "INLINE %s %s(%s m, %s a, %s b) { return (%s)(((%s)a & m) | ((%s)b & ~m)); }\n", t,
                    name, m, t, t, t, m, m);
    return name;
}

/*
 * The processor's instruction takes its second operand where the two are equal or cannot be compared, so x there: that
 * is wrong for a NaN in y alone, which is rare and looked for, off the chain of one accumulator after the other (a
 * softmax of rows of 64 floats takes 0.75 of the time, of 1,000 columns 0.92).
 */
static void by_instruction(Text *h, bool max, ThDtype d, int bytes) {
    char f = d == TH_FLOAT32 ? 's' : 'd';
    const char *most = max ? "max" : "min";
    text_put(h, "#ifndef __clang__\n    if (__builtin_expect(!");
    if (bytes == 64) {
        const char *all = f == 's' ? "(u16)-1" : "(u8)-1";
        text_printf(h, "__builtin_ia32_cmpp%c512_mask(y, y, 3, %s, 4), 1))\n", f, all);
        text_printf(h, "        return __builtin_ia32_%sp%c512_mask(y, x, x, %s, 4);\n#endif\n", most, f, all);
    } else {
        text_printf(h, "__builtin_ia32_movmskp%c256(__builtin_ia32_cmpp%c256(y, y, 3)), 1))\n", f, f);
        text_printf(h, "        return __builtin_ia32_%sp%c256(y, x);\n#endif\n", most, f);
    }
}

const char *need_extreme(Emit *e, bool max, ThDtype d, int lanes) {
    char t[16], *name = named(e, max ? "larger" : "smaller", d, lanes);
    if (!name) return "";
    if (!need(e, name)) return name;
    const char *pick = need_select(e, d, lanes);
    int bytes = lanes * (int)th_dtype_bytes(d);
    need_type(e, d, lanes, t);
    text_printf(&e->helpers, "INLINE %s %s(%s x, %s y) {\n", t, name, t, t);
    if (e->vector_bytes >= 32 && (bytes == 32 || (bytes == 64 && e->vector_bytes == 64)))
        by_instruction(&e->helpers, max, d, bytes);
    text_printf(&e->helpers, "    return %s((x %s y) | (x != x), x, y); }\n", pick, max ? ">=" : "<=");
    return name;
}

const char *need_splat(Emit *e, ThDtype d, int lanes) { /* keeps the sign of zero */
    char t[16], *name = named(e, "splat", d, lanes);
    if (!name) return "";
    if (!need(e, name)) return name;
    need_type(e, d, lanes, t);
    if (lanes == 1) text_printf(&e->helpers, "INLINE %s %s(%s a) { return a; }\n", t, name, t);
    else text_printf(&e->helpers, "INLINE %s %s(%s a) { return a - (%s){0}; }\n", t, name, type_short(d), t);
    return name;
}

const char *need_bool_of_mask(Emit *e, ThDtype d, int lanes) {
    char u[16], m[16], *name = named(e, "bool_of", d, lanes);
    if (!name) return "";
    if (!need(e, name)) return name;
    need_type(e, TH_BOOL, lanes, u);
    need_mask(e, d, lanes, m);
    text_printf(&e->helpers, "INLINE %s %s(%s m) { return __builtin_convertvector(m, %s) & 1; }\n", u, name, m, u);
    return name;
}

const char *need_mask_of_bool(Emit *e, ThDtype d, int lanes) {
    char u[16], m[16], *name = named(e, "mask_of", d, lanes);
    if (!name) return "";
    if (!need(e, name)) return name;
    need_type(e, TH_BOOL, lanes, u);
    need_mask(e, d, lanes, m);
    text_printf(&e->helpers, "INLINE %s %s(%s b) { return -__builtin_convertvector(b, %s); }\n", m, name, u, m);
    return name;
}

/* Scalar cast with NumPy's answers for what does not fit (see base/array/cast.c). */
static void scalar_cast(Emit *e, ThDtype from, ThDtype to, const char *name) {
    const char *f = type_short(from), *t = type_short(to);
    char fk = th_dtype_kind(from), tk = th_dtype_kind(to);
    if (fk == 'c') {
        if (tk == 'c') {
            text_printf(&e->helpers, "INLINE %s %s(%s a) { return MK(%s, a.re, a.im); }\n", t, name, f, t);
            return;
        }
        if (tk == 'b') {
            text_printf(&e->helpers, "INLINE u8 %s(%s a) { return a.re != 0 || a.im != 0; }\n", name, f);
            return;
        }
        const char *part = need_cast(e, from == TH_COMPLEX64 ? TH_FLOAT32 : TH_FLOAT64, to, 1);
        text_printf(&e->helpers, "INLINE %s %s(%s a) { return %s(a.re); }\n", t, name, f, part);
        return;
    }
    if (tk == 'c')
        text_printf(&e->helpers, "INLINE %s %s(%s a) { return MK(%s, (%s)a, 0); }\n", t, name, f, t,
                    to == TH_COMPLEX64 ? "f32" : "f64");
    else if (tk == 'b') text_printf(&e->helpers, "INLINE u8 %s(%s a) { return a != 0; }\n", name, f);
    else if (fk != 'f' || tk == 'f') text_printf(&e->helpers, "INLINE %s %s(%s a) { return (%s)a; }\n", t, name, f, t);
    else if (to == TH_UINT64)
        text_printf(
            &e->helpers,
            "INLINE u64 %s(%s a) { f64 v = a; int big = v >= 0x1p63; if (big) v -= 0x1p63;\n"
            "    u64 r = v >= -0x1p63 && v < 0x1p63 ? (u64)(i64)v : %s << 63; return big ? r ^ %s << 63 : r; }\n",
            name, f, names_one(e), names_one(e));
    else if (to == TH_INT64 || to == TH_UINT32)
        text_printf(
            &e->helpers,
            "INLINE %s %s(%s a) { f64 v = a; return (%s)(v >= -0x1p63 && v < 0x1p63 ? (i64)v : (i64)(%s << 63)); }\n",
            t, name, f, t, names_one(e));
    else
        text_printf(&e->helpers,
                    "INLINE %s %s(%s a) { f64 v = a; return (%s)(v > -2147483649.0 && v < 2147483648.0 ? (i32)v : "
                    "(i32)(1u << 31)); }\n",
                    t, name, f, t);
}

/* gcc 12 and older make two halves out of what is one instruction of AVX-512. */
static void widen(Emit *e, ThDtype from, ThDtype to, const char *name, const char *a, const char *b) {
    const char *one = NULL;
    if (e->vector_bytes == 64 && to == TH_FLOAT64)
        one = from == TH_FLOAT32 ? "cvtps2pd512_mask(a, (V){0}, 255, 4)"
              : from == TH_INT32 ? "cvtdq2pd512_mask(a, (V){0}, 255)"
                                 : NULL;
    if (e->vector_bytes == 64 && to == TH_INT64 && from == TH_INT32) one = "pmovsxdq512_mask(a, (V){0}, 255)";
    if (!one) {
        text_printf(&e->helpers, "INLINE %s %s(%s a) { return __builtin_convertvector(a, %s); }\n", b, name, a, b);
        return;
    }
    text_printf(&e->helpers, "INLINE %s %s(%s a) {\n#ifdef __clang__\n    return __builtin_convertvector(a, %s);\n", b,
                name, a, b);
    text_printf(&e->helpers, "#else\n    typedef %s V __attribute__((vector_size(64)));\n",
                to == TH_FLOAT64 ? "double" : "long long");
    text_printf(&e->helpers, "    return (%s)__builtin_ia32_%s;\n#endif\n}\n", b, one);
}

/* What shares a C type with an integer, but not its meaning. */
static const char *meaning(ThDtype d) {
    return d == TH_BOOL ? "b" : d == TH_FLOAT16 ? "half" : d == TH_BFLOAT16 ? "bhalf" : "";
}

const char *need_cast(Emit *e, ThDtype from, ThDtype to, int lanes) {
    char a[16], b[16], m[16];
    char *name = arena_alloc(e->arena, 64);
    if (!name) return "";
    need_type(e, from, lanes, a);
    need_type(e, to, lanes, b);
    snprintf(name, 64, "cast_%s_%s%s", *meaning(to) ? meaning(to) : type_short(to), meaning(from), a);
    if (!need(e, name) || half_cast(e, from, to, lanes, name)) return name;
    if (lanes == 1) {
        scalar_cast(e, from, to, name);
        return name;
    }
    if (to == TH_BOOL) {
        need_mask(e, from, lanes, m);
        text_printf(&e->helpers, "INLINE %s %s(%s a) { return __builtin_convertvector((%s)(a != 0), %s) & 1; }\n", b,
                    name, a, m, b);
    } else if (dtype_is_float(from) && dtype_is_discrete(to)) {
        const char *one = need_cast(e, from, to, 1);
        text_printf(&e->helpers,
                    "INLINE %s %s(%s a) { %s r; for (int i = 0; i < %d; i++) r[i] = %s(a[i]); return r; }\n", b, name,
                    a, b, lanes, one);
    } else if (lanes == 8) widen(e, from, to, name, a, b);
    else text_printf(&e->helpers, "INLINE %s %s(%s a) { return __builtin_convertvector(a, %s); }\n", b, name, a, b);
    return name;
}

/* ---- memory ---- */
const char *need_load(Emit *e, ThDtype d, int lanes, char how) {
    char t[16], *name = named(e, how == 't' ? "ldt" : "ldg", d, lanes);
    if (!name) return "";
    if (!need(e, name)) return name;
    need_type(e, d, lanes, t);
    const char *s = type_short(d);
    if (how == 't' ? lanes_load_tail(e, d, lanes, name) : lanes_gather(e, d, lanes, name)) return name;
    if (how == 't') /* lanes past m repeat the first element: ordinary numbers for vector math */
        text_printf(&e->helpers,
                    "INLINE %s %s(const %s *p, i64 m) { %s r; for (int i = 0; i < %d; i++) r[i] = p[i < m ? i : 0]; "
                    "return r; }\n",
                    t, name, s, t, lanes);
    else
        text_printf(&e->helpers,
                    "INLINE %s %s(const %s *p, i64 st, i64 m) { %s r; for (int i = 0; i < %d; i++) r[i] = p[i < m ? i "
                    "* st : 0]; return r; }\n",
                    t, name, s, t, lanes);
    return name;
}

const char *need_store(Emit *e, ThDtype d, int lanes, char how) {
    char t[16], *name = named(e, how == 't' ? "stt" : how == 's' ? "sts" : "stg", d, lanes);
    if (!name) return "";
    if (!need(e, name)) return name;
    need_type(e, d, lanes, t);
    if (how == 's') return lanes_stream(e, d, lanes, name), name;
    if (how == 't' ? lanes_store_tail(e, d, lanes, name) : lanes_scatter(e, d, lanes, name)) return name;
    text_printf(&e->helpers,
                how == 't'
                    ? "INLINE void %s(%s *p, %s v, i64 m) { for (int i = 0; i < m; i++) p[i] = v[i]; }\n"
                    : "INLINE void %s(%s *p, %s v, i64 st, i64 m) { for (int i = 0; i < m; i++) p[i * st] = v[i]; }\n",
                name, type_short(d), t);
    return name;
}
