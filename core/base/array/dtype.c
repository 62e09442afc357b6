/*
 * dtype.c -- names, sizes and promotion of the element types, from the one list TH_DTYPE_MAP.
 * Always holds: th_dtype_upcast is commutative and equals NumPy's promotion of arrays.
 */
#include "base/base.h"

#include <string.h>

typedef struct {
    const char *name;
    uint8_t bytes;
    char kind;
} Row;

static const Row row[TH_DTYPE_COUNT] = {
#define X(NAME, name, ctype, letter, kind, bytes) {#name, bytes, kind},
    TH_DTYPE_MAP(X)
#undef X
};

#define X(NAME, name, ctype, letter, kind, bytes) _Static_assert(sizeof(ctype) == (bytes), #name);
TH_DTYPE_MAP(X)
#undef X

const char *th_dtype_name(ThDtype d) { return (unsigned)d < TH_DTYPE_COUNT ? row[d].name : "none"; }
size_t th_dtype_bytes(ThDtype d) { return (unsigned)d < TH_DTYPE_COUNT ? row[d].bytes : 0; }
char th_dtype_kind(ThDtype d) { return (unsigned)d < TH_DTYPE_COUNT ? row[d].kind : 0; }

/* NumPy's other names: of Python's types and C's, and a kind's letter with the number of bytes, "i4", "<f8". */
static ThDtype other_name(const char *name) {
    static const struct {
        char name[8];
        uint8_t dtype;
    } other[] = {{"int", TH_INT64},    {"uint", TH_UINT64},    {"float", TH_FLOAT64}, {"complex", TH_COMPLEX128},
                 {"half", TH_FLOAT16}, {"single", TH_FLOAT32}, {"double", TH_FLOAT64}};
    for (int i = 0; i < TH_LEN(other); i++)
        if (!strcmp(name, other[i].name)) return (ThDtype)other[i].dtype;
    if (*name == '<' || *name == '=' || *name == '|') name++; /* all that is stored is so */
    for (int d = 0; *name && d < TH_DTYPE_COUNT; d++) {
        const char bytes[3] = {(char)('0' + row[d].bytes % 10), 0};
        const bool sixteen = row[d].bytes == 16;
        if (*name == row[d].kind && d != TH_BFLOAT16 && !strcmp(name + 1, sixteen ? "16" : bytes)) return (ThDtype)d;
    }
    return TH_DTYPE_NONE;
}

ThDtype th_dtype_from_name(const char *name) {
    for (int d = 0; name && d < TH_DTYPE_COUNT; d++)
        if (!strcmp(name, row[d].name)) return (ThDtype)d;
    return name ? other_name(name) : TH_DTYPE_NONE;
}

/* The dtype of a kind and size; float64 stands for the integers that do not exist. */
static ThDtype by_size(char kind, int bytes) {
    for (int d = 0; d < TH_DTYPE_COUNT; d++)
        if (row[d].kind == kind && row[d].bytes == bytes) return (ThDtype)d;
    return TH_FLOAT64;
}

/* Bytes of the floats that hold every value of d: 4 for float32 and integers of up to 16 bits, else 8. */
static int float_bytes(ThDtype d) {
    if (d == TH_COMPLEX64 || d == TH_FLOAT32) return 4;
    return dtype_is_discrete(d) && row[d].bytes <= 2 ? 4 : 8;
}

/* A half holds the integers of 8 bits; what more is asked of it a float32 has. */
static ThDtype beside_half(ThDtype half, ThDtype other) {
    if (dtype_is_discrete(other) && row[other].bytes == 1) return half;
    return dtype_is_half(other) ? TH_FLOAT32 : th_dtype_upcast(TH_FLOAT32, other);
}

ThDtype th_dtype_upcast(ThDtype a, ThDtype b) {
    if ((unsigned)a >= TH_DTYPE_COUNT || (unsigned)b >= TH_DTYPE_COUNT) return TH_DTYPE_NONE;
    if (a == b || b == TH_BOOL) return a;
    if (a == TH_BOOL) return b;
    if (dtype_is_half(a) || dtype_is_half(b)) return beside_half(dtype_is_half(a) ? a : b, dtype_is_half(a) ? b : a);
    if (dtype_is_discrete(a) && dtype_is_discrete(b)) {
        int big = row[a].bytes > row[b].bytes ? row[a].bytes : row[b].bytes;
        if (row[a].kind == row[b].kind) return by_size(row[a].kind, big);
        int unsigned_bytes = row[a].kind == 'u' ? row[a].bytes : row[b].bytes;
        return by_size('i', 2 * unsigned_bytes > big ? 2 * unsigned_bytes : big);
    }
    int fa = float_bytes(a), fb = float_bytes(b), f = fa > fb ? fa : fb;
    return dtype_is_complex(a) || dtype_is_complex(b) ? by_size('c', 2 * f) : by_size('f', f);
}

ThDtype dtype_of_int(int64_t v) {
    return v == (int8_t)v ? TH_INT8 : v == (int16_t)v ? TH_INT16 : v == (int32_t)v ? TH_INT32 : TH_INT64;
}

static bool holds(ThDtype d, int64_t v) {
    int bits = 8 * (int)row[d].bytes;
    if (bits == 64) return true;
    if (row[d].kind == 'u') return v >= 0 && v >> bits == 0;
    return v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << (bits - 1);
}

ThDtype dtype_beside(char kind, int64_t v, ThDtype d) {
    bool discrete = d == TH_DTYPE_NONE || dtype_is_discrete(d);
    if (kind == 'c') return discrete ? TH_COMPLEX128 : th_dtype_upcast(TH_COMPLEX64, d);
    if (kind == 'f') return discrete ? TH_FLOAT64 : d;
    if (d == TH_DTYPE_NONE || d == TH_BOOL) return TH_INT64;
    if (!discrete || holds(d, v)) return d;
    ThDtype least = dtype_of_int(v);
    if (v >= 0 && row[d].kind == 'u') least = v >> 16 == 0 ? TH_UINT16 : v >> 32 == 0 ? TH_UINT32 : TH_UINT64;
    return th_dtype_upcast(d, least);
}

ThDtype dtype_of_float(double v, ThDtype floatX) {
    if (floatX != TH_FLOAT64) return floatX;
    return v == (double)(float)v ? TH_FLOAT32 : TH_FLOAT64;
}

ThDtype dtype_parse(ThContext *c, const char *name) {
    ThDtype d = th_dtype_from_name(name);
    if (d != TH_DTYPE_NONE) return d;
    if (!name) {
        err(c, TH_TypeError, "a dtype name is missing");
    } else {
        const char *names[TH_DTYPE_COUNT];
        for (int i = 0; i < TH_DTYPE_COUNT; i++) names[i] = row[i].name;
        const char *near = text_nearest(name, names, TH_DTYPE_COUNT);
        if (near) err(c, TH_TypeError, "unknown dtype '%.100s'; did you mean '%s'?", name, near);
        else
            err(c, TH_TypeError,
                "unknown dtype '%.100s'; known are bool, (u)int8/16/32/64, float16/32/64, bfloat16, "
                "complex64/128",
                name);
    }
    return TH_DTYPE_NONE;
}
