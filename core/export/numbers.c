/* numbers.c -- arrays as C: every number reads back as itself. */
#include "export.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *export_ctype(ThDtype d) {
    static const char *const name[TH_DTYPE_COUNT] = {
        [TH_BOOL] = "uint8_t",      [TH_INT8] = "int8_t",      [TH_INT16] = "int16_t",    [TH_INT32] = "int32_t",
        [TH_INT64] = "int64_t",     [TH_UINT8] = "uint8_t",    [TH_UINT16] = "uint16_t",  [TH_UINT32] = "uint32_t",
        [TH_UINT64] = "uint64_t",   [TH_FLOAT32] = "float",    [TH_FLOAT64] = "double",   [TH_COMPLEX64] = "float",
        [TH_COMPLEX128] = "double", [TH_FLOAT16] = "uint16_t", [TH_BFLOAT16] = "uint16_t"};
    return name[d];
}

int export_parts(ThDtype d) { return dtype_is_complex(d) ? 2 : 1; }

static void put_float(Text *t, double v, bool single) {
    if (v != v) text_put(t, signbit(v) ? "-NAN" : "NAN");
    else if (v - v != 0) text_put(t, v < 0 ? "-INFINITY" : "INFINITY");
    else if (single) text_printf(t, fabs(v) < 1e6 && v == (int)v ? "%.1ff" : "%.9gf", v);
    else text_printf(t, fabs(v) < 1e6 && v == (int)v ? "%.1f" : "%.17g", v);
}

static void put_int(Text *t, ThDtype d, const void *at) {
    int64_t v = 0;
    dtype_cast((char *)&v, TH_INT64, 8, at, d, 0, 1);
    if (d == TH_UINT64) text_printf(t, "%" PRIu64 "u", (uint64_t)v);
    else if (v == INT64_MIN) text_put(t, "-INT64_MAX - 1");
    else text_printf(t, "%" PRId64, v);
}

/* 9 digits without a point are an integer: C wants one before f. */
static void pointed(Text *t, size_t from) {
    if (t->failed || strpbrk(t->at + from, ".eNI")) return;
    bool f = t->at[t->n - 1] == 'f';
    if (f) t->at[--t->n] = 0;
    text_put(t, f ? ".0f" : ".0");
}

void export_numbers(Text *t, ThDtype d, const void *data, int64_t n) {
    ThDtype part = d == TH_COMPLEX64 ? TH_FLOAT32 : d == TH_COMPLEX128 ? TH_FLOAT64 : d;
    const char *at = data;
    size_t line = t->n;
    n *= export_parts(d);
    for (int64_t i = 0; i < n; i++, at += th_dtype_bytes(part)) {
        if (t->n - line > 104) {
            text_put(t, "\n    ");
            line = t->n;
        }
        size_t from = t->n;
        if (part == TH_FLOAT32) put_float(t, *(const float *)at, true);
        else if (part == TH_FLOAT64) put_float(t, *(const double *)at, false);
        else put_int(t, dtype_is_half(part) ? TH_UINT16 : part, at);
        if (part == TH_FLOAT32 || part == TH_FLOAT64) pointed(t, from);
        text_put(t, i + 1 < n ? ", " : "");
    }
    if (!n) text_put(t, "0");
}

bool export_constant(Export *x, Text *t, const char *name, const ThArray *a) {
    ThArray *flat = th_array_copy((ThArray *)a);
    if (!flat) return false;
    text_printf(t, "static const %s %s[] = {\n    ", export_ctype((ThDtype)a->dtype), name);
    export_numbers(t, (ThDtype)a->dtype, flat->data, flat->size);
    text_put(t, "};\n");
    th_array_release(flat);
    return !failed(x->c);
}
