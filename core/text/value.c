/*
 * value.c -- the text of one scalar operation, from its value text: operators stay operators, choices become mask
 * selection, primitives become helper calls. Comparisons of vectors are native masks; they become 0/1 only where a bool
 * value is wanted.
 */
#include "ops/table/expr.h"
#include "emit.h"

#include <stdio.h>
#include <string.h>

typedef struct Val {
    const char *text;
    ThDtype dtype;
    bool literal, mask;
    double num;
} Val;
typedef struct Ctx {
    Emit *e;
    const Ins *i;
    int lanes;
    const char *const *names;
} Ctx;

static const char *textf(Emit *e, const char *format, ...) TH_PRINTF(2, 3);
static const char *textf(Emit *e, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = number_vformat(NULL, 0, format, ap);
    va_end(ap);
    char *p = arena_alloc(e->arena, (size_t)n + 1);
    if (p) number_vformat(p, (size_t)n + 1, format, again);
    va_end(again);
    return p ? p : "";
}

/* A literal of the text as a number of dtype d. */
static const char *number(Emit *e, double v, ThDtype d) {
    bool whole = v == (double)(long)v;
    if (dtype_is_complex(d)) return textf(e, "MK(%s, %.17g, 0)", type_short(d), v);
    if (!dtype_is_float(d)) return textf(e, "((%s)%ld)", type_short(d), (long)v);
    if (whole) return textf(e, d == TH_FLOAT32 ? "%ld.0f" : "%ld.0", (long)v);
    return textf(e, d == TH_FLOAT32 ? "%.9gf" : "%.17g", v);
}

static void fix_literal(Ctx *c, Val *v, ThDtype d) {
    if (!v->literal) return;
    const char *n = number(c->e, v->num, d);
    v->text = c->lanes == 1 ? n : textf(c->e, "%s(%s)", need_splat(c->e, d, c->lanes), n);
    v->dtype = d;
    v->literal = false;
}

static ThDtype operand_dtype(const Ctx *c, const Val *v, int first, int n) {
    for (int i = first; i < n; i++)
        if (!v[i].literal) return v[i].dtype;
    return (ThDtype)c->i->in_dtype;
}

/* A condition as a native mask as wide as d. */
static const char *as_mask(Ctx *c, const Val *v, ThDtype d) {
    if (c->lanes == 1) return v->text;
    if (v->mask && mask_width(v->dtype) == mask_width(d)) return v->text;
    if (v->mask) {
        char m[16];
        return textf(c->e, "__builtin_convertvector(%s, %s)", v->text, need_mask(c->e, d, c->lanes, m));
    }
    return textf(c->e, "%s(%s)", need_mask_of_bool(c->e, d, c->lanes), v->text);
}

static const char *infix(const char *name) {
    static const char *const op[][2] = {
        {"add", "+"}, {"sub", "-"}, {"mul", "*"},  {"true_div", "/"}, {"lt", "<"},     {"le", "<="},    {"gt", ">"},
        {"ge", ">="}, {"eq", "=="}, {"neq", "!="}, {"bit_and", "&"},  {"bit_or", "|"}, {"bit_xor", "^"}};
    for (int i = 0; i < TH_LEN(op); i++)
        if (!strcmp(op[i][0], name)) return op[i][1];
    return NULL;
}

static bool is_comparison(const char *n) {
    return !strcmp(n, "lt") || !strcmp(n, "le") || !strcmp(n, "gt") || !strcmp(n, "ge") || !strcmp(n, "eq") ||
           !strcmp(n, "neq");
}

static Val logical(Ctx *c, const char *name, const Val *k) { /* && || ! on masks */
    bool vec = c->lanes > 1;
    if (!strcmp(name, "not"))
        return (Val){.text = textf(c->e, vec ? "(~%s)" : "(!%s)", k[0].text), .dtype = k[0].dtype, .mask = true};
    bool and = !strcmp(name, "and_");
    return (Val){.text = textf(c->e, "(%s %s %s)", k[0].text, vec ? (and? "&" : "|") : (and? "&&" : "||"), k[1].text),
                 .dtype = k[0].dtype,
                 .mask = true};
}

static Val choice(Ctx *c, Val *k) {
    ThDtype d = operand_dtype(c, k, 1, 3);
    fix_literal(c, &k[1], d);
    fix_literal(c, &k[2], d);
    const char *m = as_mask(c, &k[0], d);
    if (c->lanes == 1) return (Val){.text = textf(c->e, "(%s ? %s : %s)", m, k[1].text, k[2].text), .dtype = d};
    return (Val){.text = textf(c->e, "%s(%s, %s, %s)", need_select(c->e, d, c->lanes), m, k[1].text, k[2].text),
                 .dtype = d};
}

static bool narrow(ThDtype d) { return dtype_is_discrete(d) && th_dtype_bytes(d) < 4; }

static Val call(Ctx *c, const char *name, Val *k, int n) {
    Emit *e = c->e;
    ThDtype d = operand_dtype(c, k, 0, n);
    for (int i = 0; i < n; i++) fix_literal(c, &k[i], d);
    const char *op = dtype_is_complex(d) ? NULL : infix(name);
    bool wrap = c->lanes == 1 && narrow(d);
    const char *wide = names_wrapping(e, d), *of = type_short(d);
    if (is_comparison(name) && op)
        return (Val){.text = textf(e, "(%s %s %s)", k[0].text, op, k[1].text), .dtype = d, .mask = true};
    if (op && wide && strchr("+-*", *op))
        return (Val){.text = textf(e, "((%s)((%s)%s %s (%s)%s))", of, wide, k[0].text, op, wide, k[1].text),
                     .dtype = d};
    if (op)
        return (Val){.text = wrap ? textf(e, "((%s)(%s %s %s))", type_short(d), k[0].text, op, k[1].text)
                                  : textf(e, "(%s %s %s)", k[0].text, op, k[1].text),
                     .dtype = d};
    if (!strcmp(name, "neg") && wide)
        return (Val){.text = textf(e, "((%s)(0 - (%s)%s))", of, wide, k[0].text), .dtype = d};
    if (!strcmp(name, "neg"))
        return (Val){.text = wrap ? textf(e, "((%s)(-%s))", type_short(d), k[0].text) : textf(e, "(-%s)", k[0].text),
                     .dtype = d};
    if (!strcmp(name, "bit_not")) {
        if (d == TH_BOOL) return (Val){.text = textf(e, "(%s ^ 1)", k[0].text), .dtype = d};
        return (Val){.text = wrap ? textf(e, "((%s)(~%s))", type_short(d), k[0].text) : textf(e, "(~%s)", k[0].text),
                     .dtype = d};
    }
    if (!strcmp(name, "abs") && d == TH_BOOL) return k[0];
    if (!strcmp(name, "isinf")) {
        const char *abs_ = need_math(e, "abs", d, c->lanes);
        return (Val){
            .text = textf(e, "(%s(%s) == %s)", abs_, k[0].text, names_infinity(e, d)), .dtype = d, .mask = true};
    }
    const char *f = need_math(e, name, d, c->lanes);
    const char *operands = k[0].text;
    for (int i = 1; i < n; i++) operands = textf(e, "%s, %s", operands, k[i].text);
    Val r = {.text = textf(e, "%s(%s)", f, operands), .dtype = d};
    if (!strcmp(name, "c_abs") || !strcmp(name, "c_real") || !strcmp(name, "c_imag"))
        r.dtype = d == TH_COMPLEX64 ? TH_FLOAT32 : TH_FLOAT64;
    if (!strcmp(name, "c_make")) r.dtype = d == TH_FLOAT32 ? TH_COMPLEX64 : TH_COMPLEX128;
    return r;
}

static Val operand(Ctx *c, char letter) {
    const int ids[4] = {c->i->a, c->i->b, c->i->c, c->i->d};
    int n = letter - 'a', id = ids[n];
    Val v = {.text = c->names[n], .dtype = (ThDtype)c->e->k->ins.at[id].dtype};
    if (c->lanes > 1 && v.dtype == TH_BOOL && c->e->mask[id]) { /* a native mask stands beside the 0/1 value */
        v.mask = false;
    }
    return v;
}

/* A bool operand used as a condition: the native mask where one is at hand. */
static Val condition(Ctx *c, char letter, ThDtype d) {
    Val v = operand(c, letter);
    const int ids[4] = {c->i->a, c->i->b, c->i->c, c->i->d};
    int id = ids[letter - 'a'];
    if (c->lanes > 1 && c->e->mask[id] == mask_width(d))
        return (Val){.text = textf(c->e, "m%d", id), .dtype = d, .mask = true};
    return v;
}

bool emit_value(Emit *e, Text *t, const Ins *i, int lanes, const char *const *names, bool *mask_result) {
    Ctx c = {e, i, lanes, names};
    const ScalarTexts *st =
        scalar_value_texts(e->c, i->op, dtype_is_complex((ThDtype)i->in_dtype) || !scalar_ops[i->op].value);
    if (!st) return false;
    if (!st->n || !st->at[0])
        return err(e->c, TH_NotImplementedError, "%s is not defined for %s", scalar_ops[i->op].name,
                   th_dtype_name((ThDtype)i->in_dtype));
    const Expr *x = st->at[0];
    Val *v = arena_alloc0(e->arena, sizeof *v * (size_t)x->n);
    if (!v) return false;
    for (int j = 0; j < x->n; j++) {
        const ExNode *n = &x->at[j];
        Val k[4];
        for (int q = 0; q < n->nkid; q++) k[q] = v[n->kid[q]];
        if (n->kind == EX_NUM) v[j] = (Val){.literal = true, .num = n->num};
        else if (n->kind == EX_NAME) v[j] = operand(&c, n->name[0]);
        else if (!strcmp(n->name, "switch")) {
            const ExNode *cond = &x->at[n->kid[0]];
            if (cond->kind == EX_NAME) k[0] = condition(&c, cond->name[0], operand_dtype(&c, k, 1, 3));
            v[j] = choice(&c, k);
        } else if (!strcmp(n->name, "and_") || !strcmp(n->name, "or_") || !strcmp(n->name, "not"))
            v[j] = logical(&c, n->name, k);
        else v[j] = call(&c, n->name, k, n->nkid);
    }
    fix_literal(&c, &v[x->n - 1], (ThDtype)i->dtype);
    *mask_result = v[x->n - 1].mask;
    text_put(t, v[x->n - 1].text);
    return !failed(e->c);
}
