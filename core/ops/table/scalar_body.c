/*
 * scalar_body.c -- bodies of Composites: interned by structure, so that pointer equality is equality; their printed
 * text. Invariant: an interned body is immutable, lives as long as its context, and its instructions read only earlier
 * values.
 */
#include "ops.h"

#include <string.h>

ThDtype scalar_body_dtype(const ScalarBody *b, int value) {
    if (value < b->nin) return b->in_dtype[value];
    if (value < b->nin + b->nconst) return b->cdtype[value - b->nin];
    return b->ins[value - b->nin - b->nconst].dtype;
}

/* Of a constant only what its dtype uses says something: the rest of the union may be anything. */
static size_t used_bytes(ThDtype d) { return dtype_is_complex(d) ? sizeof(ThComplex128) : sizeof(double); }

static uint64_t hash_body(const ScalarBody *b) {
    uint64_t h = hash_mix((uint64_t)b->nin, (uint64_t)b->nout);
    for (int i = 0; i < b->nin; i++) h = hash_mix(h, b->in_dtype[i]);
    for (int i = 0; i < b->nconst; i++) {
        h = hash_mix(h, b->cdtype[i]);
        h = hash_bytes(&b->cvalue[i], used_bytes(b->cdtype[i]), h);
    }
    for (int i = 0; i < b->n; i++) {
        h = hash_mix(h, ((uint64_t)b->ins[i].op << 16) | ((uint64_t)b->ins[i].dtype << 8) | b->ins[i].nargs);
        for (int j = 0; j < b->ins[i].nargs; j++) h = hash_mix(h, (uint64_t)b->arg[b->ins[i].first + j]);
    }
    for (int i = 0; i < b->nout; i++) h = hash_mix(h, (uint64_t)b->out[i]);
    return h;
}

static bool same_ins(const ScalarBody *a, const ScalarBody *b) {
    for (int i = 0; i < a->n; i++) {
        if (a->ins[i].op != b->ins[i].op || a->ins[i].dtype != b->ins[i].dtype || a->ins[i].nargs != b->ins[i].nargs)
            return false;
        for (int j = 0; j < a->ins[i].nargs; j++)
            if (a->arg[a->ins[i].first + j] != b->arg[b->ins[i].first + j]) return false;
    }
    return true;
}

static bool same_body(const ScalarBody *a, const ScalarBody *b) {
    if (a->nin != b->nin || a->nout != b->nout || a->n != b->n || a->nconst != b->nconst) return false;
    for (int i = 0; i < a->nin; i++)
        if (a->in_dtype[i] != b->in_dtype[i]) return false;
    for (int i = 0; i < a->nconst; i++)
        if (a->cdtype[i] != b->cdtype[i] || memcmp(&a->cvalue[i], &b->cvalue[i], used_bytes(a->cdtype[i])) != 0)
            return false;
    for (int i = 0; i < a->nout; i++)
        if (a->out[i] != b->out[i]) return false;
    return same_ins(a, b);
}

static void *dup(Arena *a, const void *p, size_t bytes) {
    void *q = arena_alloc(a, bytes ? bytes : 1);
    if (q && bytes) memcpy(q, p, bytes);
    return q;
}

/* Every operand is an earlier value, every output exists. */
static bool check_body(ThContext *c, const ScalarBody *b) {
    int values = b->nin + b->nconst;
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->ins[i].nargs; j++) {
            int v = b->arg[b->ins[i].first + j];
            if (v < 0 || v >= values + i)
                return err(c, TH_ValueError, "Composite: instruction %d reads value %d, which is not there yet", i, v);
        }
    for (int o = 0; o < b->nout; o++)
        if (b->out[o] < 0 || b->out[o] >= values + b->n)
            return err(c, TH_ValueError, "Composite: output %d is no value", o);
    return true;
}

static const ScalarBody *copy_body(OpsState *s, const ScalarBody *b, uint64_t hash) {
    ScalarBody *n = dup(s->arena, b, sizeof *b);
    if (!n) return NULL;
    n->in_dtype = dup(s->arena, b->in_dtype, (size_t)b->nin * sizeof *b->in_dtype);
    n->ins = dup(s->arena, b->ins, (size_t)b->n * sizeof *b->ins);
    n->arg = dup(s->arena, b->arg, (size_t)b->narg * sizeof *b->arg);
    n->cvalue = dup(s->arena, b->cvalue, (size_t)b->nconst * sizeof *b->cvalue);
    n->cdtype = dup(s->arena, b->cdtype, (size_t)b->nconst * sizeof *b->cdtype);
    n->out = dup(s->arena, b->out, (size_t)b->nout * sizeof *b->out);
    n->hash = hash;
    return n->in_dtype && n->ins && n->arg && n->cvalue && n->cdtype && n->out ? n : NULL;
}

/* proto: constants' unused bytes zeroed by the caller. NULL with the error set. */
const ScalarBody *scalar_body_intern(ThContext *c, const ScalarBody *proto) {
    OpsState *s = ops_state(c);
    if (!s || !check_body(c, proto)) return NULL;
    uint64_t hash = hash_body(proto);
    uint32_t newest = 0;
    map_get(&s->body_of, hash, &newest);
    for (int i = (int)newest - 1; i >= 0; i = s->body_next.at[i])
        if (same_body(s->bodies.at[i], proto)) return s->bodies.at[i];
    const ScalarBody *b = copy_body(s, proto, hash);
    if (!b || !vec_reserve(c, &s->bodies, s->bodies.n + 1) || !vec_reserve(c, &s->body_next, s->body_next.n + 1))
        return NULL;
    if (!map_put(c, &s->body_of, hash, (uint32_t)s->bodies.n + 1)) return NULL;
    s->bodies.at[s->bodies.n++] = b;
    s->body_next.at[s->body_next.n++] = (int)newest - 1;
    return b;
}

/* ---- Theano's text ----------------------------------------------------------------------------------------------- */
typedef struct BodyPrint {
    const ScalarBody *b;
    VEC(int) todo; /* >= 0: value to print; < 0: text number -1 - k of `word` */
    const char *word[4];
    const int *uses;
} BodyPrint;
enum { W_CLOSE = -1, W_COMMA = -2 };

static void put_const(Text *t, ThDtype d, ThValue v) {
    if (dtype_is_complex(d)) text_printf(t, "(%g%+gj)", v.c.re, v.c.im);
    else if (dtype_is_float(d)) text_float(t, v.f, d);
    else if (d == TH_BOOL) text_put(t, v.i ? "True" : "False");
    else text_printf(t, "%lld", (long long)v.i);
}

/* Pushes what is left of an application onto the stack, last first; infix marks go between operands. */
static bool push_args(Text *t, BodyPrint *p, const ScalarIns *in, const char *infix) {
    ThContext *c = t->c;
    if (!vec_push(c, &p->todo, W_CLOSE)) return false;
    for (int j = in->nargs - 1; j >= 0; j--) {
        if (!vec_push(c, &p->todo, p->b->arg[in->first + j])) return false;
        if (j > 0 && !vec_push(c, &p->todo, infix ? -16 - in->op : W_COMMA)) return false;
    }
    return true;
}

static bool put_value(Text *t, BodyPrint *p, int v, int root) {
    const ScalarBody *b = p->b;
    int at = v - b->nin - b->nconst;
    if (v < b->nin) return text_printf(t, "i%d", v), true;
    if (at < 0) return put_const(t, b->cdtype[v - b->nin], b->cvalue[v - b->nin]), true;
    if (v != root && p->uses[at] > 1) return text_printf(t, "t%d", at), true;
    const ScalarIns *in = &b->ins[at];
    const char *infix = scalar_ops[in->op].infix;
    if (infix) {
        text_putc(t, '(');
        if (in->nargs == 1) text_put(t, infix);
    } else if (in->op == S_cast) {
        text_printf(t, "Cast{%s}(", th_dtype_name(in->dtype));
    } else {
        text_printf(t, "%s(", scalar_str(in->op));
    }
    return push_args(t, p, in, infix);
}

static bool put_expr(Text *t, BodyPrint *p, int root) {
    if (!vec_push(t->c, &p->todo, root)) return false;
    while (p->todo.n > 0) {
        int v = vec_pop(&p->todo);
        if (v == W_CLOSE) text_putc(t, ')');
        else if (v == W_COMMA) text_put(t, ", ");
        else if (v < 0) text_printf(t, " %s ", scalar_ops[-16 - v].infix);
        else if (!put_value(t, p, v, root)) return false;
    }
    return true;
}

/* As Theano prints: one text per output; a value with several readers is named tN where it is read. */
void scalar_body_text(Text *t, const ScalarBody *b) {
    int *uses = ctx_alloc0(t->c, ((size_t)b->n + 1) * sizeof *uses);
    if (!uses) return;
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->ins[i].nargs; j++) {
            int at = b->arg[b->ins[i].first + j] - b->nin - b->nconst;
            if (at >= 0) uses[at]++;
        }
    BodyPrint p = {.b = b, .uses = uses};
    text_put(t, "Composite{");
    for (int o = 0; o < b->nout; o++) {
        if (o) text_put(t, ", ");
        if (!put_expr(t, &p, b->out[o])) break;
    }
    text_putc(t, '}');
    vec_free(t->c, &p.todo);
    ctx_free(t->c, uses, ((size_t)b->n + 1) * sizeof *uses);
}
