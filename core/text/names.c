/* names.c -- names of types and helpers, and lines of text. */
#include "emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *ctype;
    int mask;
} types[TH_DTYPE_COUNT] = {
    [TH_BOOL] = {"u8", "unsigned char", TH_INT8},
    [TH_INT8] = {"i8", "signed char", TH_INT8},
    [TH_INT16] = {"i16", "short", TH_INT16},
    [TH_INT32] = {"i32", "int", TH_INT32},
    [TH_INT64] = {"i64", "long", TH_INT64},
    [TH_UINT8] = {"u8", "unsigned char", TH_INT8},
    [TH_UINT16] = {"u16", "unsigned short", TH_INT16},
    [TH_UINT32] = {"u32", "unsigned int", TH_INT32},
    [TH_UINT64] = {"u64", "unsigned long", TH_INT64},
    [TH_FLOAT32] = {"f32", "float", TH_INT32},
    [TH_FLOAT64] = {"f64", "double", TH_INT64},
    [TH_COMPLEX64] = {"c64", "", TH_INT64},
    [TH_COMPLEX128] = {"c128", "", TH_INT64},
    [TH_FLOAT16] = {"u16", "unsigned short", TH_INT16},
    [TH_BFLOAT16] = {"u16", "unsigned short", TH_INT16},
};

const char *type_short(ThDtype d) { return types[d].name; }

void type_name(char out[16], ThDtype d, int lanes) {
    if (lanes == 1) snprintf(out, 16, "%s", types[d].name);
    else snprintf(out, 16, "%sx%d", types[d].name, lanes);
}

int mask_width(ThDtype d) { return (int)th_dtype_bytes(d); }

bool need(Emit *e, const char *name) {
    uint32_t v;
    uint64_t h = hash_bytes(name, strlen(name), 17);
    if (map_get(&e->have, h, &v)) return false;
    return map_put(e->c, &e->have, h, 1);
}

const char *need_type(Emit *e, ThDtype d, int lanes, char out[16]) {
    type_name(out, d, lanes);
    if (lanes > 1 && need(e, out)) {
        const char *s = types[d].name;
        size_t b = th_dtype_bytes(d);
        text_printf(&e->helpers, "typedef %s %s __attribute__((vector_size(%d)));\n", s, out, (int)b * lanes);
        text_printf(&e->helpers, "typedef %s %su __attribute__((vector_size(%d), aligned(%d), may_alias));\n", s, out,
                    (int)b * lanes, (int)b);
    }
    return out;
}

const char *need_mask(Emit *e, ThDtype d, int lanes, char out[16]) {
    return need_type(e, (ThDtype)types[d].mask, lanes, out);
}

const char *names_infinity(const Emit *e, ThDtype d) {
    return e->portable ? "INFINITY" : d == TH_FLOAT32 ? "__builtin_inff()" : "__builtin_inf()";
}

const char *names_one(const Emit *e) { return e->portable ? "(u64)1" : "1ul"; }

const char *names_wrapping(const Emit *e, ThDtype d) {
    if (!e->portable || !dtype_is_int(d)) return NULL;
    return th_dtype_bytes(d) < 8 ? "u32" : "u64";
}

size_t names_put(const Emit *e, Text *t, const char *body) {
    static const char *const word[][2] = {
        {"__builtin_inff()", "INFINITY"}, {"__builtin_inf()", "INFINITY"}, {"__builtin_nan(\"\")", "NAN"}};
    for (int i = 0; e->portable && *body == '_' && i < TH_LEN(word); i++) {
        size_t n = strlen(word[i][0]);
        if (strncmp(body, word[i][0], n)) continue;
        text_put(t, word[i][1]);
        return n;
    }
    text_putc(t, *body);
    return 1;
}

void emit_line(Emit *e, const char *format, ...) {
    va_list ap;
    for (int i = 0; i < e->indent; i++) text_put(&e->body, "    ");
    va_start(ap, format);
    text_vprintf(&e->body, format, ap);
    va_end(ap);
    text_putc(&e->body, '\n');
}
