/*
 * attr.c -- attributes of operations: hashing, comparing, printing and reading, all driven by the operation's schema.
 * In: an operation and its attribute struct. Out: `{axis=[0], acc_dtype=float64}` and back. Fields marked hidden take
 * part in nothing here. Invariant: attrs_read(attrs_text(a)) is equal to a.
 *
 * Not printed, and put back by reading: None axes, dtype NONE (255), false, byte 0, the NULL body and string; beside a
 * scalar operation also dtype 0, unless that operation is a cast. The scalar operation stands alone: {add}.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

static const char *at(const void *attrs, const AttrField *f) { return (const char *)attrs + f->offset; }

/* The field, read as its type. */
#define FIELD(T, attrs, f) (*(T const *)(const void *)at(attrs, f))

/* ---- hash and equality ------------------------------------------------------------------------------------------ */
static uint64_t hash_idx(const AttrIdx *x, uint64_t h) {
    h = hash_mix(h, (uint64_t)x->n);
    for (int i = 0; i < x->n; i++) {
        h = hash_mix(hash_mix(h, (uint8_t)x->at[i].kind), x->at[i].has);
        for (int k = 0; k < 3; k++) { h = hash_mix(h, x->at[i].has & (1 << k) ? x->at[i].dtype[k] : 0); }
    }
    return h;
}

static uint64_t hash_field(const void *attrs, const AttrField *f, uint64_t h) {
    switch ((AttrKind)f->kind) {
    case ATTR_INT: return hash_mix(h, (uint64_t)FIELD(int64_t, attrs, f));
    case ATTR_BOOL:
    case ATTR_DTYPE: return hash_mix(h, FIELD(uint8_t, attrs, f));
    case ATTR_BYTE: return hash_mix(h, (uint64_t)FIELD(int8_t, attrs, f));
    case ATTR_FLOAT: return hash_bytes(at(attrs, f), sizeof(double), h);
    case ATTR_AXES: {
        const AttrInts *x = &FIELD(AttrInts, attrs, f);
        return hash_bytes(x->at, x->n > 0 ? (size_t)x->n : 0, hash_mix(h, (uint64_t)x->n));
    }
    case ATTR_LONGS: return hash_bytes(at(attrs, f), sizeof(AttrLongs), h);
    case ATTR_SCALAR: {
        int s = FIELD(uint16_t, attrs, f);
        return s < scalar_count ? hash_bytes(scalar_ops[s].name, strlen(scalar_ops[s].name), h)
                                : hash_mix(h, (uint64_t)s);
    }
    case ATTR_BODY: {
        const ScalarBody *b = FIELD(const ScalarBody *, attrs, f);
        return hash_mix(h, b ? b->hash : 0);
    }
    case ATTR_GRAPH: {
        const GraphBody *b = FIELD(const GraphBody *, attrs, f);
        return hash_mix(h, b ? b->hash : 0);
    }
    case ATTR_IDX: return hash_idx(&FIELD(AttrIdx, attrs, f), h);
    case ATTR_TYPE: {
        ThType t = FIELD(ThType, attrs, f);
        return hash_mix(hash_mix(hash_mix(hash_mix(h, t.kind), t.dtype), t.ndim), t.broadcastable);
    }
    case ATTR_STR: {
        const char *s = FIELD(const char *, attrs, f);
        return s ? hash_bytes(s, strlen(s), h) : hash_mix(h, 0);
    }
    }
    return h;
}

uint64_t attrs_hash(const Op *op, const void *attrs) {
    uint64_t h = 0;
    for (int i = 0; attrs && i < op->nattr; i++) { h = op->attrs[i].hidden ? h : hash_field(attrs, &op->attrs[i], h); }
    return h;
}

static bool equal_idx(const AttrIdx *a, const AttrIdx *b) {
    bool same = a->n == b->n;
    for (int i = 0; same && i < a->n; i++) {
        same = a->at[i].kind == b->at[i].kind && a->at[i].has == b->at[i].has;
        for (int k = 0; same && k < 3; k++) {
            same = !(a->at[i].has & (1 << k)) || a->at[i].dtype[k] == b->at[i].dtype[k];
        }
    }
    return same;
}

static bool equal_field(const void *a, const void *b, const AttrField *f) {
    switch ((AttrKind)f->kind) {
    case ATTR_INT:
    case ATTR_FLOAT: return memcmp(at(a, f), at(b, f), 8) == 0;
    case ATTR_BOOL:
    case ATTR_BYTE:
    case ATTR_DTYPE: return *at(a, f) == *at(b, f);
    case ATTR_AXES: {
        const AttrInts *x = &FIELD(AttrInts, a, f), *y = &FIELD(AttrInts, b, f);
        return x->n == y->n && (x->n <= 0 || memcmp(x->at, y->at, (size_t)x->n) == 0);
    }
    case ATTR_LONGS: return memcmp(at(a, f), at(b, f), sizeof(AttrLongs)) == 0;
    case ATTR_SCALAR: return FIELD(uint16_t, a, f) == FIELD(uint16_t, b, f);
    case ATTR_GRAPH: {
        const GraphBody *x = FIELD(const GraphBody *, a, f), *y = FIELD(const GraphBody *, b, f);
        return x == y || (x && y && x->like == y->like);
    }
    case ATTR_BODY:
    case ATTR_STR: return FIELD(const void *, a, f) == FIELD(const void *, b, f);
    case ATTR_IDX: return equal_idx(&FIELD(AttrIdx, a, f), &FIELD(AttrIdx, b, f));
    case ATTR_TYPE: return type_eq(FIELD(ThType, a, f), FIELD(ThType, b, f));
    }
    return false;
}

static bool equal_fields(const Op *op, const void *a, const void *b, bool bodies) {
    for (int i = 0; a && b && i < op->nattr; i++) {
        const AttrField *f = &op->attrs[i];
        if (f->hidden || (f->kind == ATTR_GRAPH && !bodies)) { continue; }
        if (!equal_field(a, b, f)) { return false; }
    }
    return true;
}

bool attrs_equal(const Op *op, const void *a, const void *b) { return equal_fields(op, a, b, true); }

bool attrs_equal_but_bodies(const Op *op, const void *a, const void *b) { return equal_fields(op, a, b, false); }

/* ---- printing --------------------------------------------------------------------------------------------------- */
static void put_idx(Text *t, const AttrIdx *x) {
    text_putc(t, '(');
    for (int i = 0; i < x->n; i++) {
        text_put(t, i ? ", " : "");
        if (x->at[i].kind == 'n') {
            text_put(t, "newaxis");
            continue;
        }
        for (int k = 0; k < (x->at[i].kind == 's' ? 3 : 1); k++) {
            text_put(t, k ? ":" : "");
            if (x->at[i].has & (1 << k)) { text_put(t, th_dtype_name((ThDtype)x->at[i].dtype[k])); }
        }
    }
    text_putc(t, ')');
}

static void put_string(Text *t, const char *s) {
    text_putc(t, '\'');
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\') { text_putc(t, '\\'); }
        text_putc(t, *s);
    }
    text_putc(t, '\'');
}

/* The number of the scalar operation in these attributes, -1 when the schema has none. */
static int scalar_field(const Op *op, const void *attrs) {
    for (int i = 0; i < op->nattr; i++) {
        if (op->attrs[i].kind == ATTR_SCALAR) { return FIELD(uint16_t, attrs, &op->attrs[i]); }
    }
    return -1;
}

static bool body_given(const Op *op, const void *attrs) {
    for (int i = 0; i < op->nattr; i++) {
        if (op->attrs[i].kind == ATTR_BODY && FIELD(const void *, attrs, &op->attrs[i])) { return true; }
    }
    return false;
}

/* Whether the field has a value that reading would not put back by itself. */
static bool given(const Op *op, const void *attrs, const AttrField *f) {
    switch ((AttrKind)f->kind) {
    case ATTR_BOOL:
    case ATTR_BYTE: return FIELD(uint8_t, attrs, f) != 0;
    case ATTR_DTYPE: {
        uint8_t d = FIELD(uint8_t, attrs, f);
        int s = scalar_field(op, attrs);
        bool cast = s >= 0 && s < scalar_count && scalar_ops[s].result == RES_CAST;
        return d != TH_DTYPE_NONE && (d != 0 || s < 0 || (cast && !body_given(op, attrs)));
    }
    case ATTR_AXES: return FIELD(AttrInts, attrs, f).n >= 0;
    case ATTR_BODY:
    case ATTR_GRAPH:
    case ATTR_STR: return FIELD(const void *, attrs, f) != NULL;
    case ATTR_SCALAR: return !body_given(op, attrs);
    default: return true;
    }
}

static void put_field(Text *t, const void *attrs, const AttrField *f) {
    switch ((AttrKind)f->kind) {
    case ATTR_INT: text_printf(t, "%lld", (long long)FIELD(int64_t, attrs, f)); return;
    case ATTR_BYTE: text_printf(t, "%d", FIELD(int8_t, attrs, f)); return;
    case ATTR_BOOL: text_put(t, FIELD(uint8_t, attrs, f) ? "True" : "False"); return;
    case ATTR_DTYPE: text_put(t, th_dtype_name((ThDtype)FIELD(uint8_t, attrs, f))); return;
    case ATTR_FLOAT: text_float(t, FIELD(double, attrs, f), TH_FLOAT64); return;
    case ATTR_AXES: {
        const AttrInts *x = &FIELD(AttrInts, attrs, f);
        text_putc(t, '[');
        for (int i = 0; i < x->n; i++) { text_printf(t, "%s%d", i ? ", " : "", x->at[i]); }
        text_putc(t, ']');
        return;
    }
    case ATTR_LONGS: {
        const AttrLongs *x = &FIELD(AttrLongs, attrs, f);
        text_putc(t, '[');
        for (int64_t i = 0; i < x->n; i++) { text_printf(t, "%s%lld", i ? ", " : "", (long long)x->at[i]); }
        text_putc(t, ']');
        return;
    }
    case ATTR_SCALAR: {
        int s = FIELD(uint16_t, attrs, f);
        text_put(t, s < scalar_count ? scalar_ops[s].name : "?");
        return;
    }
    case ATTR_BODY: body_put(t, FIELD(const ScalarBody *, attrs, f)); return;
    case ATTR_GRAPH: inner_put(t, FIELD(const GraphBody *, attrs, f)); return; /* unless its text is given */
    case ATTR_IDX: put_idx(t, &FIELD(AttrIdx, attrs, f)); return;
    case ATTR_TYPE: type_put(t, FIELD(ThType, attrs, f)); return;
    case ATTR_STR: put_string(t, FIELD(const char *, attrs, f)); return;
    }
}

void attrs_text(Text *t, const Op *op, const void *attrs) { attrs_text_with(t, op, attrs, NULL); }

void attrs_text_with(Text *t, const Op *op, const void *attrs, const char *const *body) {
    const char *sep = "{";
    for (int i = 0; attrs && i < op->nattr; i++) {
        const AttrField *f = &op->attrs[i];
        if (f->hidden || !given(op, attrs, f)) { continue; }
        text_put(t, sep);
        if (f->kind != ATTR_SCALAR) { text_printf(t, "%s=", f->name); }
        if (f->kind == ATTR_GRAPH && body) {
            inner_quote(t, *body++);
        } else {
            put_field(t, attrs, f);
        }
        sep = ", ";
    }
    text_put(t, *sep == ',' ? "}" : "");
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */
static const char *blank(const char *p) {
    while (char_is_space(*p)) { p++; }
    return p;
}

/* Length of the name at p: letters, digits, '_'. */
static size_t name_len(const char *p) {
    size_t n = 0;
    while (char_is_word(p[n])) { n++; }
    return n;
}

static const char *bad(ThContext *c, const Op *op, const char *p, const char *what) {
    err(c, TH_ValueError, "attributes of %s: %s at `%.30s`", op->name, what, p);
    return NULL;
}

static const char *read_dtype(ThContext *c, const Op *op, const char *p, uint8_t *d) {
    char buf[16];
    size_t n = name_len(p);
    if (n && n < sizeof buf) {
        memcpy(buf, p, n);
        buf[n] = 0;
        *d = (uint8_t)th_dtype_from_name(buf);
        if (*d != TH_DTYPE_NONE) { return p + n; }
    }
    return bad(c, op, p, "a dtype is expected");
}

static const char *read_axes(ThContext *c, const Op *op, const char *p, AttrInts *x) {
    if (*p != '[') { return bad(c, op, p, "a list such as [0, 1] is expected"); }
    x->n = 0;
    for (p = blank(p + 1); *p != ']'; p = blank(p)) {
        char *end;
        long v = strtol(p, &end, 10);
        if (end == p || v < INT8_MIN || v > INT8_MAX || x->n == TH_MAX_NDIM) {
            return bad(c, op, p, "a list of at most 32 small integers is expected");
        }
        x->at[x->n++] = (int8_t)v;
        p = blank(end);
        p += *p == ',';
    }
    return p + 1;
}

static const char *read_longs(ThContext *c, const Op *op, const char *p, AttrLongs *x) {
    if (*p != '[') { return bad(c, op, p, "a list such as [0, 1] is expected"); }
    x->n = 0;
    for (p = blank(p + 1); *p != ']'; p = blank(p)) {
        char *end;
        long long v = strtoll(p, &end, 10);
        if (end == p || x->n == TH_LEN(x->at)) { return bad(c, op, p, "a list of at most 8 integers is expected"); }
        x->at[x->n++] = v;
        p = blank(end);
        p += *p == ',';
    }
    return p + 1;
}

static const char *read_idx(ThContext *c, const Op *op, const char *p, AttrIdx *x) {
    if (*p != '(') { return bad(c, op, p, "a subscript such as (int64, int64::) is expected"); }
    x->n = 0;
    for (p = blank(p + 1); *p != ')'; p = blank(p)) {
        if (x->n == TH_MAX_NDIM) { return bad(c, op, p, "more than 32 subscript entries"); }
        int i = x->n++;
        if (strncmp(p, "newaxis", 7) == 0) {
            x->at[i].kind = 'n';
            p += 7;
        } else {
            int k = 0;
            for (;; k++) {
                if (name_len(p)) {
                    if (!(p = read_dtype(c, op, p, &x->at[i].dtype[k]))) { return NULL; }
                    x->at[i].has |= (uint8_t)(1 << k);
                }
                if (*p != ':' || k == 2) { break; }
                p++;
            }
            x->at[i].kind = k == 2 ? 's' : 'i';
            if (k == 1 || (k == 0 && !x->at[i].has)) { return bad(c, op, p, "a subscript entry is expected"); }
        }
        p = blank(p);
        p += *p == ',';
    }
    return p + 1;
}

static const char *read_string(ThContext *c, const Op *op, const char *p, const char **out) {
    Text t;
    text_init(&t, c);
    if (*p != '\'') { return bad(c, op, p, "a quoted text is expected"); }
    for (p++; *p && *p != '\''; p++) {
        p += *p == '\\' && p[1];
        text_putc(&t, *p);
    }
    *out = intern(c, t.n ? t.at : "");
    text_free(&t);
    return !*out ? NULL : *p == '\'' ? p + 1 : bad(c, op, p, "`'` is missing");
}

static const char *read_scalar(ThContext *c, const Op *op, const char *p, uint16_t *s) {
    char buf[64];
    size_t n = name_len(p);
    int k = -1;
    if (n && n < sizeof buf) {
        memcpy(buf, p, n);
        buf[n] = 0;
        k = scalar_find(buf);
    }
    *s = (uint16_t)k;
    return k < 0 ? bad(c, op, p, "no such scalar operation") : p + n;
}

static const char *read_bool(ThContext *c, const Op *op, const char *p, uint8_t *v) {
    *v = strncmp(p, "True", 4) == 0;
    return *v ? p + 4 : strncmp(p, "False", 5) == 0 ? p + 5 : bad(c, op, p, "True or False is expected");
}

static const char *read_value(ThContext *c, const Op *op, const AttrField *f, const char *p, void *attrs) {
    void *to = (char *)attrs + f->offset;
    char *end;
    switch ((AttrKind)f->kind) {
    case ATTR_INT:
        *(int64_t *)to = strtoll(p, &end, 10);
        return end == p ? bad(c, op, p, "an integer is expected") : end;
    case ATTR_BYTE:
        *(int8_t *)to = (int8_t)strtol(p, &end, 10);
        return end == p ? bad(c, op, p, "an integer is expected") : end;
    case ATTR_FLOAT:
        *(double *)to = number_read(p, &end);
        return end == p ? bad(c, op, p, "a number is expected") : end;
    case ATTR_BOOL: return read_bool(c, op, p, to);
    case ATTR_DTYPE: return read_dtype(c, op, p, to);
    case ATTR_AXES: return read_axes(c, op, p, to);
    case ATTR_LONGS: return read_longs(c, op, p, to);
    case ATTR_SCALAR: return read_scalar(c, op, p, to);
    case ATTR_BODY: return body_read(c, p, to);
    case ATTR_GRAPH: return inner_read(c, p, to);
    case ATTR_IDX: return read_idx(c, op, p, to);
    case ATTR_TYPE: return type_read(c, p, to);
    case ATTR_STR: return read_string(c, op, p, to);
    }
    return NULL;
}

static void set_defaults(const Op *op, void *attrs) {
    memset(attrs, 0, op->attr_bytes);
    bool scalar = false;
    for (int i = 0; i < op->nattr; i++) { scalar = scalar || op->attrs[i].kind == ATTR_SCALAR; }
    for (int i = 0; i < op->nattr; i++) {
        char *to = (char *)attrs + op->attrs[i].offset;
        if (op->attrs[i].kind == ATTR_DTYPE && !scalar) {
            *(uint8_t *)to = TH_DTYPE_NONE;
        } else if (op->attrs[i].kind == ATTR_AXES) {
            ((AttrInts *)(void *)to)->n = -1;
        }
    }
}

/* `name=` at p, or a bare scalar operation. NULL (error set) when the schema has no such field. */
static const AttrField *read_field(ThContext *c, const Op *op, const char **p) {
    size_t n = name_len(*p);
    bool named = (*p)[n] == '=';
    for (int i = 0; i < op->nattr; i++) {
        const AttrField *f = &op->attrs[i];
        if (named ? strlen(f->name) == n && strncmp(f->name, *p, n) == 0 : f->kind == ATTR_SCALAR) {
            *p += named ? n + 1 : 0;
            return f;
        }
    }
    bad(c, op, *p, "no such attribute");
    return NULL;
}

bool attrs_read(ThContext *c, const Op *op, const char *text, void *attrs) {
    const char *p = blank(text);
    bool braces = *p == '{';
    uint64_t seen = 0; /* a second value would leave the first one to nobody */
    set_defaults(op, attrs);
    for (p = blank(p + braces); *p && *p != '}'; p = blank(p)) {
        const char *from = p;
        const AttrField *f = read_field(c, op, &p);
        if (!f) { return false; }
        const uint64_t bit = UINT64_C(1) << (f - op->attrs);
        if (seen & bit) { return bad(c, op, from, "an attribute is given twice"); }
        seen |= bit;
        if (!(p = read_value(c, op, f, p, attrs))) { return false; }
        p = blank(p);
        if (*p && *p != ',' && *p != '}') { return bad(c, op, p, "`,` or `}` is expected"); }
        p += *p == ',';
    }
    if (braces && *p != '}') { return bad(c, op, p, "`}` is missing"); }
    return true;
}
