/*
 * body.c -- the inner expression of a Composite as text, for graph text:
 *   <i:float64 i:int8 | c:float64=0x1p-1 | add:float64(0,2) mul:float64(3,1) | 4>
 * In: a ScalarBody. Out: text, and back to an interned body. Values are numbered as in the body: inputs, constants,
 * instructions; the last part lists the outputs.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

static void put_const(Text *t, ThDtype d, ThValue v) {
    if (dtype_is_complex(d)) {
        text_printf(t, "%a,%a", v.c.re, v.c.im);
    } else if (dtype_is_float(d)) {
        text_printf(t, "%a", v.f);
    } else {
        text_printf(t, "%lld", (long long)v.i);
    }
}

void body_put(Text *t, const ScalarBody *b) {
    text_putc(t, '<');
    for (int i = 0; i < b->nin; i++) { text_printf(t, "i:%s ", th_dtype_name(b->in_dtype[i])); }
    text_put(t, "| ");
    for (int i = 0; i < b->nconst; i++) {
        text_printf(t, "c:%s=", th_dtype_name(b->cdtype[i]));
        put_const(t, b->cdtype[i], b->cvalue[i]);
        text_putc(t, ' ');
    }
    text_put(t, "| ");
    for (int i = 0; i < b->n; i++) {
        const ScalarIns *x = &b->ins[i];
        text_printf(t, "%s:%s(", scalar_ops[x->op].name, th_dtype_name((ThDtype)x->dtype));
        for (int k = 0; k < x->nargs; k++) { text_printf(t, "%s%d", k ? "," : "", b->arg[x->first + k]); }
        text_put(t, ") ");
    }
    text_put(t, "|");
    for (int i = 0; i < b->nout; i++) { text_printf(t, " %d", b->out[i]); }
    text_putc(t, '>');
}

typedef struct Read {
    ThContext *c;
    const char *p;
    bool ok;
    ThDtype *in_dtype, *cdtype;
    ThValue *cvalue;
    ScalarIns *ins;
    int *arg, *out;
    int nin, nconst, n, narg, nout;
} Read;

static void fail(Read *r, const char *what) {
    if (r->ok) { err(r->c, TH_ValueError, "inner expression: %s at `%.30s`", what, r->p); }
    r->ok = false;
}

static void blank(Read *r) {
    while (char_is_space(*r->p)) { r->p++; }
}

static bool take(Read *r, char ch) {
    blank(r);
    if (!r->ok || *r->p != ch) { return false; }
    r->p++;
    return true;
}

static size_t word(Read *r, char *buf, size_t room) {
    size_t n = 0;
    blank(r);
    while (char_is_word(*r->p) && n + 1 < room) { buf[n++] = *r->p++; }
    buf[n] = 0;
    return n;
}

static ThDtype read_dtype(Read *r) {
    char buf[32];
    word(r, buf, sizeof buf);
    ThDtype d = th_dtype_from_name(buf);
    if (d == TH_DTYPE_NONE) {
        fail(r, "a dtype is expected");
        return TH_FLOAT64;
    }
    return d;
}

static double read_float(Read *r) {
    char *end;
    double v = number_read(r->p, &end);
    if (end == r->p) { fail(r, "a number is expected"); }
    r->p = end;
    return v;
}

static int read_id(Read *r, int below) {
    char *end;
    long v = strtol(r->p, &end, 10);
    if (end == r->p || v < 0 || v >= below) {
        fail(r, "the number of an earlier value is expected");
        return 0;
    }
    r->p = end;
    return (int)v;
}

static void read_const(Read *r) {
    r->cdtype[r->nconst] = read_dtype(r);
    ThValue v = {0};
    if (!take(r, '=')) {
        fail(r, "`=` is expected");
        return;
    }
    if (dtype_is_discrete(r->cdtype[r->nconst])) {
        char *end;
        v.i = strtoll(r->p, &end, 10);
        r->p = end;
    } else if (dtype_is_float(r->cdtype[r->nconst])) {
        v.f = read_float(r);
    } else {
        v.c.re = read_float(r);
        if (!take(r, ',')) { fail(r, "`,` is expected"); }
        v.c.im = read_float(r);
    }
    r->cvalue[r->nconst++] = v;
}

static void read_ins(Read *r, const char *name) {
    ScalarIns x = {.first = r->narg};
    int op = scalar_find(name);
    if (op < 0) {
        fail(r, "no such scalar operation before");
        return;
    }
    x.op = (uint16_t)op;
    x.dtype = (uint8_t)read_dtype(r);
    if (!take(r, '(')) { fail(r, "`(` is expected"); }
    while (r->ok && !take(r, ')')) {
        if (x.nargs == UINT8_MAX) {
            fail(r, "too many arguments");
            return;
        }
        r->arg[r->narg++] = read_id(r, r->nin + r->nconst + r->n);
        x.nargs++;
        take(r, ',');
    }
    r->ins[r->n++] = x;
}

/* Inputs and constants have one letter, instructions the name of a scalar operation. */
static void read_parts(Read *r) {
    char buf[64];
    for (int part = 0; part < 3 && r->ok; part++) {
        while (r->ok && !take(r, '|')) {
            if (!word(r, buf, sizeof buf) || !take(r, ':')) {
                fail(r, "`name:` is expected");
            } else if (part == 0) {
                r->in_dtype[r->nin++] = read_dtype(r);
            } else if (part == 1) {
                read_const(r);
            } else {
                read_ins(r, buf);
            }
        }
    }
    while (r->ok && !take(r, '>')) { r->out[r->nout++] = read_id(r, r->nin + r->nconst + r->n); }
}

const char *body_read(ThContext *c, const char *p, const ScalarBody **out) {
    const char *end = *p == '<' ? strchr(p, '>') : NULL;
    if (!end) {
        err(c, TH_ValueError, "inner expression: `<...>` is expected at `%.30s`", p);
        return NULL;
    }
    Arena *a = arena_new(c);
    size_t room = (size_t)(end - p) + 1; /* no part is shorter than a character */
    Read r = {.c = c, .p = p + 1, .ok = a != NULL};
    if (a) {
        r.in_dtype = arena_alloc0(a, sizeof(ThDtype) * room);
        r.cdtype = arena_alloc0(a, sizeof(ThDtype) * room);
        r.cvalue = arena_alloc0(a, sizeof(ThValue) * room);
        r.ins = arena_alloc0(a, sizeof(ScalarIns) * room);
        r.arg = arena_alloc0(a, sizeof(int) * room);
        r.out = arena_alloc0(a, sizeof(int) * room);
        r.ok = r.in_dtype && r.cdtype && r.cvalue && r.ins && r.arg && r.out;
    }
    read_parts(&r);
    if (r.ok) {
        ScalarBody b = {.nin = r.nin,
                        .nout = r.nout,
                        .n = r.n,
                        .narg = r.narg,
                        .nconst = r.nconst,
                        .in_dtype = r.in_dtype,
                        .ins = r.ins,
                        .arg = r.arg,
                        .cvalue = r.cvalue,
                        .cdtype = r.cdtype,
                        .out = r.out};
        *out = scalar_body_intern(c, &b);
        r.ok = *out != NULL;
    }
    arena_free(a);
    return r.ok ? r.p : NULL;
}
