/*
 * vmath.c -- vector math of our own in generated text: what core/ops/math/vmath_all.h is written in, as functions of
 * one type of vector, then the functions asked for. Mirrors core/runtime/simd/simd_math.h: the same bits.
 */
#include "ops/math/vmath.h"
#include "emit.h"

#include <stdio.h>
#include <string.h>

typedef struct Type { /* one type of vectors */
    ThDtype d;
    int lanes, bytes;
    char v[16], i[16], key[64];
} Type;

/* Words of the texts, and the helpers of a type that they stand for. */
static const char *const words[][2] = {{"FMA", "fma"},     {"REST", "rest"},     {"LEAST", "least"},
                                       {"MOST", "most"},   {"ABS", "mag"},       {"SIGN", "sign"},
                                       {"PICK", "sel"},    {"SQRT", "sqrt"},     {"SCALE", "scale"},
                                       {"FLUSH", "flush"}, {"WITHIN", "within"}, {"ONE_BY", "one_by"}};

static const char *part(Type *t, const char *what) {
    snprintf(t->key, sizeof t->key, "%s_%s", what, t->v);
    return t->key;
}

static bool fuses(const Emit *e, const Type *t) { return e->target->fused && t->bytes >= 16; }

/* a * b + c, rounded once where the processor can. */
static void fused(Emit *e, const Type *t) {
    bool single = t->d == TH_FLOAT32, can = fuses(e, t);
    Text *h = &e->helpers;
    text_printf(h, "INLINE %s fma_%s(%s a, %s b, %s c) {\n", t->v, t->v, t->v, t->v, t->v);
    if (can) {
        text_put(h, "    return "); /* by name: contracted, clang takes a product that it has already, rounded */
        if (t->bytes == 64)
            text_printf(h, "__builtin_ia32_vfmaddp%c512_mask(a, b, c, (%s)-1, 4);\n", single ? 's' : 'd',
                        single ? "u16" : "u8");
        else text_printf(h, "__builtin_ia32_vfmaddp%c%s(a, b, c);\n", single ? 's' : 'd', t->bytes == 32 ? "256" : "");
        text_put(h, "}\n");
    } else text_put(h, "    return a * b + c; }\n");
}

/* The smaller or larger of x and c, x where that is NaN. */
static void bound(Emit *e, const Type *t, const char *name, const char *op, const char *instruction) {
    Text *h = &e->helpers;
    char suffix = t->d == TH_FLOAT32 ? 's' : 'd';
    const char *pick = need_select(e, t->d, t->lanes);
    text_printf(h, "INLINE %s %s_%s(%s x, %s c) {\n", t->v, name, t->v, t->v, t->v);
    bool have = t->bytes == 64 || (e->vector_bytes > 16 && t->bytes == 32);
    if (have) {
        text_printf(h, "#ifndef __clang__\n    return __builtin_ia32_%sp%c%d", instruction, suffix, 8 * t->bytes);
        if (t->bytes == 64) text_printf(h, "_mask(c, x, x, (%s)-1, 4);\n", suffix == 's' ? "u16" : "u8");
        else text_put(h, "(c, x);\n");
        text_put(h, "#else\n");
    }
    text_printf(h, "    return %s(x %s c, c, x);\n%s}\n", pick, op, have ? "#endif\n" : "");
}

/* y, zero where x < c. */
static void flush(Emit *e, const Type *t) {
    Text *h = &e->helpers;
    char suffix = t->d == TH_FLOAT32 ? 's' : 'd';
    const char *all = t->d == TH_FLOAT32 ? "(u16)-1" : "(u8)-1";
    text_printf(h, "INLINE %s flush_%s(%s x, %s c, %s y) {\n", t->v, t->v, t->v, t->v, t->v);
    if (t->bytes == 64) { /* 5: not less than */
        text_printf(h, "#ifndef __clang__\n    return __builtin_ia32_movap%c512_mask(y, (%s){0}, ", suffix, t->v);
        text_printf(h, "__builtin_ia32_cmpp%c512_mask(x, c, 5, %s, 4));\n#else\n", suffix, all);
    }
    text_printf(h, "    return (%s)((%s)y & ~(x < c));\n%s}\n", t->v, t->i, t->bytes == 64 ? "#endif\n" : "");
}

/* y * 2^n for t = n + a number whose low bits are free: in two steps, the last of which rounds, or by instruction. */
static void scale(Emit *e, const Type *t) {
    Text *h = &e->helpers;
    bool single = t->d == TH_FLOAT32;
    char j[16];
    text_printf(h, "INLINE %s scale_%s(%s y, %s t, %s n) {\n", t->v, t->v, t->v, t->v, t->v);
    if (t->bytes == 64) {
        text_printf(h, "    return __builtin_ia32_scalefp%c512_mask(y, n, y, (%s)-1, 4); }\n", single ? 's' : 'd',
                    single ? "u16" : "u8");
        return;
    }
    snprintf(j, sizeof j, "i32x%d", t->bytes / 4);
    int shift = single ? 23 : 52;
    const char *one = single ? "0x3f800000" : "0x3ff0000000000000";
    text_printf(h, "    typedef i32 J __attribute__((vector_size(%d)));\n", t->bytes);
    text_printf(h, "    %s k = (%s)t, h = (%s)((J)t >> 1); (void)n;\n", t->i, t->i, t->i);
    text_printf(h, "    return y * (%s)((h << %d) + %s) * (%s)(((k - h) << %d) + %s); }\n", t->v, shift, one, t->v,
                shift, one);
}

/* What a * b is more than its rounded product p: by the fused instruction, or from halves whose products are exact. */
static void rest(Emit *e, const Type *t, bool can, const char *fma_, const char *bits, const char *from) {
    Text *h = &e->helpers;
    const char *v = t->v, *low = t->d == TH_FLOAT32 ? "0x1000" : "0x8000000";
    text_printf(h, "INLINE %s rest_%s(%s a, %s b, %s p) {\n", v, v, v, v, v);
    if (can) text_printf(h, "    return %s(a, b, -p); }\n", fma_);
    else {
        text_printf(h, "    const %s ah = %s(%s(a) & -(%s)%s), al = a - ah, bh = %s(%s(b) & -(%s)%s), bl = b - bh;\n",
                    v, from, bits, type_short(mask_dtype(t->d)), low, from, bits, type_short(mask_dtype(t->d)), low);
        text_put(h, "    return ((ah * bh - p) + ah * bl + al * bh) + al * bl; }\n");
    }
}

static const char *most_bits(const Type *t) { return t->d == TH_FLOAT32 ? "0x7fffffff" : "0x7fffffffffffffff"; }

static void magnitude(Emit *e, const Type *t, const char *bits, const char *from) {
    text_printf(&e->helpers, "INLINE %s mag_%s(%s x) { return %s(%s(x) & %s); }\n", t->v, t->v, t->v, from, bits,
                most_bits(t));
}

/* The bit of the sign, as an integer. */
static void sign(Emit *e, const Type *t, const char *bits) {
    const char *most = most_bits(t);
    text_printf(&e->helpers, "INLINE %s sign_%s(%s x) { return %s(x) & (-%s - 1); }\n", t->i, t->v, t->v, bits, most);
}

/* Whether all numbers of x are from a to b. */
static void within(Emit *e, const Type *t) {
    Text *h = &e->helpers;
    const bool single = t->d == TH_FLOAT32, whole = t->bytes == 64;
    const char f = single ? 's' : 'd', *mask = single ? "u16" : "u8";
    text_printf(h, "INLINE int within_%s(%s x, %s a, %s b) {\n", t->v, t->v, t->v, t->v);
    if (t->lanes == 1) text_put(h, "    return x >= a && x <= b; }\n");
    else if (whole) { /* 13: not less than, 2: at most */
        text_printf(h, "    return (%s)(__builtin_ia32_cmpp%c512_mask(x, a, 13, (%s)-1, 4) &\n", mask, f, mask);
        text_printf(h, "        __builtin_ia32_cmpp%c512_mask(x, b, 2, (%s)-1, 4)) == (%s)-1; }\n", f, mask, mask);
    } else if (t->bytes == 32 && e->vector_bytes >= 32) {
        text_printf(h, "    return __builtin_ia32_movmskp%c256((%s)((x >= a) & (x <= b))) == %d; }\n", f, t->v,
                    (1 << t->lanes) - 1);
    } else {
        text_printf(h, "    const %s m = (x >= a) & (x <= b);\n    return m[0]", t->i);
        for (int i = 1; i < t->lanes; i++) text_printf(h, " && m[%d]", i);
        text_put(h, "; }\n");
    }
}

/* 1 / x of numbers in between. A GPU's instruction for it is a bit off: a step of Newton's makes it the rounded one. */
static void one_by(Emit *e, const Type *t) {
    Text *h = &e->helpers;
    text_printf(h, "INLINE %s one_by_%s(%s x) {\n", t->v, t->v, t->v);
    if (t->lanes == 1 && t->d == TH_FLOAT32 && !e->portable)
        text_put(h, "#ifdef __CUDACC__\n    f32 y; asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
                    "    return fmaf(fmaf(-x, y, 1.0f), y, y);\n#endif\n");
    text_put(h, "    return 1 / x; }\n");
}

/* What a GPU has in place of some divisions, which by its compiler are branches that nothing beside them passes: the
 * rounded quotient without one, for the numbers that these are. */
static const struct {
    const char *name, *was, *now;
    bool lone; /* it is more instructions: for threads alone that have one point (Emit.spread) */
} gpu_quotients[] = {{"sigmoid", "1 / (1 + exp(-x))", "inverse(1 + exp(-x))", true},
                     {"tanh", "d / (d + 2)", "by_two_more(d)", false}};

static const char *const gpu_quotient_words =
    "#ifdef __CUDACC__\n"
    "INLINE f32 near_inverse(f32 x) { /* 1 / x of normal numbers that have a normal one */\n"
    "    f32 y; asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
    "    return fmaf(fmaf(-x, y, 1.0f), y, y);\n"
    "}\n"
    "INLINE f32 inverse_f32(f32 x) { /* 1 / x of numbers from 1 to below 2^127; of 2^126 on it has a bit less */\n"
    "    const f32 few = x > 0x1p124f ? 0x1p-4f : 1.0f, y = near_inverse(x * few), rest = fmaf(-x * few, y, 1.0f);\n"
    "    const u32 odd = x > 0x1p126f ? bits_f32(y) & 1 : 0;\n"
    "    return from_f32(rest > 0 ? bits_f32(y) + odd : rest < 0 ? bits_f32(y) - odd : bits_f32(y)) * few;\n"
    "}\n"
    "INLINE f32 by_two_more_f32(f32 d) { /* d / (d + 2) of numbers from 0 to below 2^30; of small ones it is a half "
    "*/\n"
    "    const f32 b = d + 2, y = near_inverse(b), q = d * y;\n"
    "    return fmaf(fmaf(-b, q, d), y, q);\n"
    "}\n"
    "#else\n"
    "INLINE f32 inverse_f32(f32 x) { return 1 / x; }\n"
    "INLINE f32 by_two_more_f32(f32 d) { return d / (d + 2); }\n"
    "#endif\n";

/* What few bodies use. */
static void seldom(Emit *e, Type *t, const VmathFn *f, bool can, const char *fma_, const char *bits, const char *from) {
    if (strstr(f->body, "REST") && need(e, part(t, "rest"))) rest(e, t, can, fma_, bits, from);
    if (strstr(f->body, "ABS") && need(e, part(t, "mag"))) magnitude(e, t, bits, from);
    if (strstr(f->body, "SIGN") && need(e, part(t, "sign"))) sign(e, t, bits);
    if (strstr(f->body, "WITHIN") && need(e, part(t, "within"))) within(e, t);
    if (strstr(f->body, "ONE_BY") && need(e, part(t, "one_by"))) one_by(e, t);
    if (strstr(f->body, "SQRT")) need_math(e, "sqrt", t->d, t->lanes);
}

static void primitives(Emit *e, Type *t) {
    if (!need(e, part(t, "vmath"))) return;
    need_select(e, t->d, t->lanes);
    fused(e, t);
    bound(e, t, "least", ">", "min");
    bound(e, t, "most", "<", "max");
    flush(e, t);
    scale(e, t);
}

/* Long lines are broken between statements. */
static void put_body(Text *h, const char *body) {
    int column = 0, depth = 0;
    for (const char *p = body; *p; p++, column++) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        text_putc(h, *p);
        if ((p[0] == ';' && !depth && column > 60) || (p[0] == ',' && column > 100)) {
            text_put(h, "\n   ");
            column = 3;
        }
    }
}

/* Defines (or undefines) what function texts say by what they mean for this type. */
static void names(Text *h, const Type *t, const char *uses, bool define) {
    if (define)
        text_printf(h, "#define V %s\n#define I %s\n#define K(c) ((%s)(c) - (V){0})\n#define PER(a, b) %c\n", t->v,
                    t->i, type_short(t->d), t->d == TH_FLOAT32 ? 'b' : 'a');
    else text_put(h, "\n#undef V\n#undef I\n#undef K\n#undef PER\n");
    for (int i = 0; i < TH_LEN(words); i++)
        if (define) text_printf(h, "#define %s %s_%s\n", words[i][0], words[i][1], t->v);
        else text_printf(h, "#undef %s\n", words[i][0]);
    for (const char *p = uses; *p;) {
        int n = (int)strcspn(p, " ");
        if (define) text_printf(h, "#define %.*s %.*s_%s\n", n, p, n, p, t->v);
        else text_printf(h, "#undef %.*s\n", n, p);
        p += n + (p[n] == ' ');
    }
}

/* The function after those it uses; as deep as the texts nest. */
static void function(Emit *e, Type *t, const VmathFn *f) {
    Text *h = &e->helpers;
    for (const char *p = f->uses; *p;) {
        char name[32];
        int n = (int)strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", n, p);
        if (need(e, part(t, name))) function(e, t, vmath_find(name, t->d));
        p += n + (p[n] == ' ');
    }
    char bits[20], from[20], fma_[24];
    snprintf(bits, sizeof bits, "(%s)", t->i);
    snprintf(from, sizeof from, "(%s)", t->v);
    snprintf(fma_, sizeof fma_, "fma_%s", t->v);
    seldom(e, t, f, fuses(e, t), fma_, bits, from);
    names(h, t, f->uses, true);
    text_printf(h, "INLINE V %s_%s(V x%s) ", f->name, t->v, f->arity == 2 ? ", V y" : "");
    put_body(h, f->body);
    names(h, t, f->uses, false);
}

/* ---- one value at a time, in standard C -------------------------------------------------------------------------- */
/* (x): the bits of a number, or the number of bits. */
static void bits(Text *h, const Type *t) {
    text_printf(h, "INLINE %s bits_%s(%s x) { %s r; memcpy(&r, &x, %d); return r; }\n", t->i, t->v, t->v, t->i,
                t->bytes);
    text_printf(h, "INLINE %s from_%s(%s x) { %s r; memcpy(&r, &x, %d); return r; }\n", t->v, t->v, t->i, t->v,
                t->bytes);
}

/* As the functions above of vectors of 32 bytes or less. */
static void single_primitives(Emit *e, Type *t) {
    Text *h = &e->helpers;
    bool f = t->d == TH_FLOAT32;
    const char *v = t->v;
    if (!need(e, part(t, "vmath"))) return;
    need_select(e, t->d, 1);
    bits(h, t);
    text_printf(h, "INLINE %s fma_%s(%s a, %s b, %s c) { return %s; }\n", v, v, v, v, v,
                !e->fused ? "a * b + c"
                : f       ? "fmaf(a, b, c)"
                          : "fma(a, b, c)");
    text_printf(h, "INLINE %s least_%s(%s x, %s c) { return x > c ? c : x; }\n", v, v, v, v);
    text_printf(h, "INLINE %s most_%s(%s x, %s c) { return x < c ? c : x; }\n", v, v, v, v);
    text_printf(h, "INLINE %s flush_%s(%s x, %s c, %s y) { return x < c ? 0 : y; }\n", v, v, v, v, v);
    text_printf(h, "INLINE %s scale_%s(%s y, %s t, %s n) {\n", v, v, v, v, v);
    text_printf(h, "    const %s k = bits_%s(t), h = (%s)((i32)(u32)k >> 1);\n    (void)n;\n", t->i, v, t->i);
    text_printf(h, "    return y * from_%s((h << %d) + %s) * from_%s(((k - h) << %d) + %s); }\n", v, f ? 23 : 52,
                f ? "0x3f800000" : "0x3ff0000000000000", v, f ? 23 : 52, f ? "0x3f800000" : "0x3ff0000000000000");
}

static bool is_name(char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

/* The end of what a cast applies to: parentheses, a name, or a call. */
static const char *operand_end(const char *p) {
    int depth = 0;
    while (is_name(*p)) p++;
    if (*p != '(') return p;
    do depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    while (*p++ && depth);
    return p;
}

/* The end of a word, or of a number whatever letters and signs it has. */
static const char *word_end(const char *p) {
    bool number = *p >= '0' && *p <= '9';
    do p++;
    while (is_name(*p) || (number && (*p == '.' || ((*p == '-' || *p == '+') && p[-1] == 'p'))));
    return p;
}

/* The word [p, end) of a body for this type. */
static void put_word(Emit *e, const Type *t, const char *p, const char *end) {
    Text *h = &e->helpers;
    size_t n = (size_t)(end - p);
    if (n == 1 && *p == 'V') text_put(h, t->v);
    else if (n == 1 && *p == 'I') text_put(h, t->i);
    else if (n == 1 && *p == 'K') text_printf(h, "(%s)", t->v); /* K(c) */
    else {
        const char *now = NULL;
        for (int i = 0; i < TH_LEN(words); i++)
            if (n == strlen(words[i][0]) && !strncmp(words[i][0], p, n)) now = words[i][1];
        if (now) text_put(h, now);
        else text_put_n(h, p, n);
        if (now || (*end == '(' && *p >= 'a')) text_printf(h, "_%s", t->v);
    }
}

/* PER(a, b), whose operands hold commas only in parentheses: the end of a, and of the whole. */
static const char *per_end(const char *p, const char **comma) {
    int depth = 1;
    for (p += strlen("PER("), *comma = NULL; depth; p++) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        if (*p == ',' && depth == 1) *comma = p;
    }
    return p;
}

/* A part of a body: words for this type, and looks at bits for casts of vectors. As deep as casts nest. */
static void put_single(Emit *e, const Type *t, const char *p, const char *end) {
    Text *h = &e->helpers;
    while (p < end) {
        const char *from = p;
        if (!strncmp(p, "(V)", 3) || !strncmp(p, "(I)", 3)) {
            text_printf(h, "%s_%s(", p[1] == 'V' ? "from" : "bits", t->v);
            p = operand_end(p + 3);
            put_single(e, t, from + 3, p);
            text_putc(h, ')');
        } else if (!strncmp(p, "PER(", 4)) {
            const char *comma;
            p = per_end(p, &comma);
            if (t->d == TH_FLOAT32) put_single(e, t, comma + 1, p - 1);
            else put_single(e, t, from + 4, comma);
        } else if (!e->portable && *p == '_') { /* of the compiler: a GPU's text has them, too */
            p = word_end(p);
            text_put_n(h, from, (size_t)(p - from));
        } else if (*p == '_' || !is_name(*p)) {
            p += names_put(e, h, p);
            if (*from == ';') text_put(h, "\n   ");
        } else {
            p = word_end(p);
            put_word(e, t, from, p);
        }
    }
}

static int gpu_quotient(const Emit *e, const Type *t, const VmathFn *f) {
    for (int i = 0; i < TH_LEN(gpu_quotients) && !e->portable && t->d == TH_FLOAT32; i++)
        if (!strcmp(f->name, gpu_quotients[i].name) && (e->spread || !gpu_quotients[i].lone)) return i;
    return -1;
}

bool vmath_lone(const Emit *e, const char *prim, ThDtype d) {
    return e->spread && !e->portable && !e->vector_bytes && d == TH_FLOAT32 && !strcmp(prim, gpu_quotients[0].name);
}

/* The body, with such a quotient. */
static void put_single_body(Emit *e, Type *t, const VmathFn *f, int quotient) {
    const char *was = quotient < 0 ? NULL : strstr(f->body, gpu_quotients[quotient].was);
    char own[1024];
    if (was)
        snprintf(own, sizeof own, "%.*s%s%s", (int)(was - f->body), f->body, gpu_quotients[quotient].now,
                 was + strlen(gpu_quotients[quotient].was));
    const char *body = was ? own : f->body;
    put_single(e, t, body, body + strlen(body));
}

static void single(Emit *e, Type *t, const VmathFn *f) {
    for (const char *p = f->uses; *p;) { /* as deep as the texts nest */
        char name[32];
        int n = (int)strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", n, p);
        if (need(e, part(t, name))) single(e, t, vmath_find(name, t->d));
        p += n + (p[n] == ' ');
    }
    char to_bits[32], from_bits[32];
    snprintf(to_bits, sizeof to_bits, "bits_%s", t->v);
    snprintf(from_bits, sizeof from_bits, "from_%s", t->v);
    const int quotient = gpu_quotient(e, t, f);
    if (quotient >= 0 && need(e, "gpu quotients")) text_put(&e->helpers, gpu_quotient_words);
    seldom(e, t, f, e->fused, t->d == TH_FLOAT32 ? "fmaf" : "fma", to_bits, from_bits);
    text_printf(&e->helpers, "INLINE %s %s%s_%s(%s x", t->v, vmath_lone(e, f->name, t->d) ? "lone_" : "", f->name, t->v,
                t->v);
    if (f->arity == 2) text_printf(&e->helpers, ", %s y", t->v);
    text_put(&e->helpers, ") ");
    put_single_body(e, t, f, quotient);
    text_putc(&e->helpers, '\n');
}

static void single_math(Emit *e, const VmathFn *f, ThDtype d) {
    Type t = {.d = d, .lanes = 1, .bytes = (int)th_dtype_bytes(d)};
    need_type(e, d, 1, t.v);
    snprintf(t.i, sizeof t.i, d == TH_FLOAT32 ? "u32" : "u64");
    single_primitives(e, &t);
    single(e, &t, f);
}

bool vmath_math(Emit *e, const char *prim, ThDtype d, int lanes, const char *name) {
    const VmathFn *f = vmath_find(prim, d);
    if (!f) return false;
    if (e->portable || !e->vector_bytes) {
        single_math(e, f, d);
        return true;
    }
    if (lanes == 1) { /* a short vector: the same bits */
        char v[16];
        int n = 16 / (int)th_dtype_bytes(d);
        const char *of = need_math(e, prim, d, n);
        need_type(e, d, n, v);
        const char *s = type_short(d);
        text_printf(&e->helpers, "INLINE %s %s(%s a", s, name, s);
        if (f->arity == 2) text_printf(&e->helpers, ", %s b", s);
        text_printf(&e->helpers, ") { %s x = a - (%s){0}", v, v);
        if (f->arity == 2) text_printf(&e->helpers, ", y = b - (%s){0}", v);
        text_printf(&e->helpers, "; return %s(x%s)[0]; }\n", of, f->arity == 2 ? ", y" : "");
        return true;
    }
    Type t = {.d = d, .lanes = lanes, .bytes = lanes * (int)th_dtype_bytes(d)};
    need_type(e, d, lanes, t.v);
    need_mask(e, d, lanes, t.i);
    primitives(e, &t);
    function(e, &t, f);
    return true;
}

/*
 * Dividing takes the processor 16 cycles a vector of 64 bytes. By one number s for all of a loop it is a product with
 * y = 1 / s and two corrections by the remainder x - q * s, which a fused multiply-add gives exactly: the first brings
 * q within a unit in the last place, the second rounds it as division does (Markstein: y is the rounded reciprocal, q
 * is that close). That holds while no step leaves the range, so x and s are looked at: others, zeros and NaN are
 * divided.
 */
const char *need_quotient(Emit *e, ThDtype d, int lanes, bool each) {
    Type t = {.d = d, .lanes = lanes, .bytes = lanes * (int)th_dtype_bytes(d)};
    bool single = d == TH_FLOAT32;
    char *name = arena_alloc(e->arena, 32), all[256];
    if (!name) return "";
    need_type(e, d, lanes, t.v);
    need_mask(e, d, lanes, t.i);
    snprintf(name, 32, each ? "quots_%s" : "quot_%s", t.v);
    if (!need(e, name)) return name;
    primitives(e, &t);
    const char *s = type_short(d), *splat = need_splat(e, d, lanes);
    char f = single ? 's' : 'd';
    if (t.bytes == 64) {
        const char *mask = single ? "u16" : "u8";
        snprintf(all, sizeof all,
                 "(%s)(__builtin_ia32_cmpp%c512_mask(h, low, 13, (%s)-1, 4) & "
                 "__builtin_ia32_cmpp%c512_mask(h, high, 2, (%s)-1, 4)) == (%s)-1",
                 mask, f, mask, f, mask, mask);
    } else
        snprintf(all, sizeof all, "__builtin_ia32_movmskp%c256((%s)((h >= low) & (h <= high))) == %d", f, t.v,
                 (1 << lanes) - 1);
    Text *h = &e->helpers;
    const char *one = each ? "" : splat, *low = single ? "0x1p-60f" : "0x1p-800";
    const char *few = single ? "0x1p-40f" : "0x1p-200", *many = single ? "0x1p40f" : "0x1p200";
    text_printf(h, "INLINE %s %s(%s x, %s s) { /* x / s */\n", t.v, name, t.v, each ? t.v : s);
    text_printf(h, "    const %s y = %s(1 / s), b = %s(s), high = %s(%s);\n", t.v, one, one, splat,
                single ? "0x1p60f" : "0x1p800");
    if (each) {
        text_printf(h, "    const %s a = (%s)((%s)s & %s),\n", t.v, t.v, t.i,
                    single ? "0x7fffffff" : "0x7fffffffffffffff");
        text_printf(h, "        low = %s((a >= %s) & (a <= %s), %s(%s), %s(__builtin_inf%s()));\n",
                    need_select(e, d, lanes), few, many, splat, low, splat, single ? "f" : "");
    } else {
        text_printf(h, "    const %s a = s < 0 ? -s : s;\n    const %s low = %s(", s, t.v, splat);
        text_printf(h, "a >= %s && a <= %s ? %s : (%s)__builtin_inf());\n", few, many, low, s);
    }
    text_printf(h, "    const %s h = (%s)((%s)x & %s);\n", t.v, t.v, t.i, single ? "0x7fffffff" : "0x7fffffffffffffff");
    text_printf(h, "    if (__builtin_expect(!(%s), 0)) return x / b;\n", all);
    text_printf(h, "    %s q = x * y;\n", t.v);
    text_printf(h, "    q = fma_%s(fma_%s(-q, b, x), y, q);\n", t.v, t.v);
    text_printf(h, "    return fma_%s(fma_%s(-q, b, x), y, q); }\n", t.v, t.v);
    return name;
}
