/*
 * type.c -- types of variables and how Theano prints them.
 * In: a ThType value (kind, dtype, rank, promised-to-be-1 dims). Out: text. A type is plain data: equality is type_eq.
 */
#include "parts.h"

#include "base/array/sparse.h"

#include <string.h>

ThType type_tensor(ThDtype d, int ndim, uint32_t broadcastable) {
    uint32_t mask = ndim >= 32 ? 0xffffffffu : (1u << ndim) - 1;
    return (ThType){TYPE_TENSOR, (uint8_t)d, (uint16_t)ndim, broadcastable & mask};
}

ThType type_sparse(ThDtype d, char format) {
    return (ThType){TYPE_SPARSE, TH_INT64, 1, (uint32_t)d << 8 | (format == 'c') << 16};
}

ThType type_of_array(const ThArray *a) {
    uint32_t pattern = 0;
    if (array_is_sparse(a)) {
        Sparse s = sparse_open((const int64_t *)(const void *)a->data);
        return type_sparse(s.dtype, a->flags & ARRAY_CSR ? 'r' : 'c');
    }
    for (int d = 0; d < a->ndim; d++) pattern |= ARRAY_SHAPE(a)[d] == 1 ? 1u << d : 0;
    return type_tensor((ThDtype)a->dtype, a->ndim, pattern);
}

uint8_t type_array_flags(ThType t) {
    return t.kind != TYPE_SPARSE ? 0 : type_sparse_format(t) == 'r' ? ARRAY_CSR : ARRAY_CSC;
}

static const char *format_name(ThType t) { return type_sparse_format(t) == 'r' ? "csr" : "csc"; }

/* Theano's names of the patterns of rank 0 to 2; rank and nothing else when no dim is promised; else the tuple. */
static void put_pattern(Text *t, ThType ty) {
    static const char *const rank2[] = {"matrix", "row", "col", NULL};
    if (ty.ndim == 0) {
        text_put(t, "scalar");
    } else if (ty.ndim == 1 && !ty.broadcastable) {
        text_put(t, "vector");
    } else if (ty.ndim == 2 && ty.broadcastable < 3) {
        text_put(t, rank2[ty.broadcastable]);
    } else if (!ty.broadcastable) {
        text_printf(t, "%dD", ty.ndim);
    } else {
        text_putc(t, '(');
        for (int d = 0; d < ty.ndim; d++) {
            text_printf(t, "%s%s", d ? ", " : "", type_bcast(ty, d) ? "True" : "False");
        }
        text_put(t, ty.ndim == 1 ? ",)" : ")");
    }
}

void type_text(Text *t, ThType ty) {
    switch ((TypeKind)ty.kind) {
    case TYPE_TENSOR:
        text_printf(t, "TensorType(%s, ", th_dtype_name((ThDtype)ty.dtype));
        put_pattern(t, ty);
        text_putc(t, ')');
        return;
    case TYPE_SCALAR: text_put(t, th_dtype_name((ThDtype)ty.dtype)); return;
    case TYPE_NONE: text_put(t, "NoneTypeT"); return;
    case TYPE_NULL: text_put(t, "NullType"); return;
    case TYPE_DISCONNECTED: text_put(t, "DisconnectedType"); return;
    case TYPE_GENERIC: text_put(t, "Generic"); return;
    case TYPE_STATE: text_put(t, "RandomStateType"); return;
    case TYPE_SPARSE: text_printf(t, "Sparse[%s, %s]", th_dtype_name(type_sparse_dtype(ty)), format_name(ty)); return;
    }
}

static const char *const kind_name[] = {"tensor",       "scalar",  "none",  "null",
                                        "disconnected", "generic", "state", "sparse"};

ThType th_random_state_type(void) { return (ThType){TYPE_STATE, TH_UINT32, 1, 0}; }
ThType th_sparse_type(ThDtype d, char format) { return type_sparse(d, format); }

char th_type_sparse(ThType t, ThDtype *d) {
    if (t.kind != TYPE_SPARSE) return 0;
    if (d) *d = type_sparse_dtype(t);
    return type_sparse_format(t);
}

void type_put(Text *t, ThType ty) {
    if (ty.kind == TYPE_SCALAR) {
        text_printf(t, "scalar:%s", th_dtype_name((ThDtype)ty.dtype));
    } else if (ty.kind == TYPE_SPARSE) {
        text_printf(t, "%s:%s", format_name(ty), th_dtype_name(type_sparse_dtype(ty)));
    } else if (ty.kind != TYPE_TENSOR) {
        text_put(t, kind_name[ty.kind]);
    } else {
        text_printf(t, "%s[", th_dtype_name((ThDtype)ty.dtype));
        for (int d = 0; d < ty.ndim; d++) { text_printf(t, "%s%c", d ? "," : "", type_bcast(ty, d) ? '1' : '?'); }
        text_putc(t, ']');
    }
}

/* The word at p (letters and digits); its length. */
static size_t word(const char *p, char *buf, size_t room) {
    size_t n = 0;
    while ((char_is_letter(p[n]) || char_is_digit(p[n])) && n + 1 < room) {
        buf[n] = p[n];
        n++;
    }
    buf[n] = 0;
    return n;
}

static const char *bad_type(ThContext *c, const char *p) {
    err(c, TH_ValueError, "`%.20s` does not start with a type such as float64[?,1], scalar:int64 or none", p);
    return NULL;
}

const char *type_read(ThContext *c, const char *p, ThType *ty) {
    char buf[32];
    const char *start = p;
    p += word(p, buf, sizeof buf);
    bool rows = strcmp(buf, "csr") == 0;
    if ((rows || strcmp(buf, "csc") == 0) && *p == ':') {
        p++;
        p += word(p, buf, sizeof buf);
        ThDtype d = th_dtype_from_name(buf);
        *ty = type_sparse(d, rows ? 'r' : 'c');
        return d == TH_DTYPE_NONE ? bad_type(c, start) : p;
    }
    for (int k = TYPE_NONE; k < TYPE_SPARSE; k++) {
        if (strcmp(buf, kind_name[k]) == 0) {
            *ty = k == TYPE_STATE ? th_random_state_type() : (ThType){(uint8_t)k, TH_INT64, 0, 0};
            return p;
        }
    }
    bool scalar = strcmp(buf, "scalar") == 0 && *p == ':';
    if (scalar) {
        p++;
        p += word(p, buf, sizeof buf);
    }
    ThDtype d = th_dtype_from_name(buf);
    if (d == TH_DTYPE_NONE || (!scalar && *p != '[')) { return bad_type(c, start); }
    *ty = scalar ? (ThType){TYPE_SCALAR, (uint8_t)d, 0, 0} : type_tensor(d, 0, 0);
    if (scalar) { return p; }
    p++;
    while (*p == '?' || *p == '1') {
        if (ty->ndim == TH_MAX_NDIM) { return bad_type(c, start); }
        ty->broadcastable |= *p++ == '1' ? 1u << ty->ndim : 0;
        ty->ndim++;
        p += *p == ',';
    }
    return *p == ']' ? p + 1 : bad_type(c, start);
}

char *th_type_str(ThContext *c, ThType ty) {
    if (!c) return NULL;
    Text t;
    text_init(&t, c);
    type_text(&t, ty);
    return text_take(&t);
}
