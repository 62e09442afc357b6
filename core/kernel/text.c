/*
 * text.c -- a Kernel as readable text, and its key.
 * In: a Kernel. Out: one line a dim, access, stage and instruction; a hash of everything that decides the generated
 * text. Symbols are numbered in the order met (s0, s1, ..), in the text and in the key, so that equal-shaped kernels
 * over other symbols look and hash the same; literals that became parameters, line numbers and titles do not count.
 */
#include "kernel.h"
#include "scalar_op.h"

#include <string.h>

/* The kernel's symbols in the order met. Dims, accesses, sizes: at most a few hundred, looked up by a small table. */
typedef struct Syms {
    ThContext *c;
    Map map;
    int n;
    bool ok;
} Syms;

static int local(Syms *s, int sym) {
    uint32_t at;
    if (sym < 0) { return -1; }
    if (map_get(&s->map, (uint64_t)sym, &at)) { return (int)at; }
    s->ok = s->ok && map_put(s->c, &s->map, (uint64_t)sym, (uint32_t)s->n);
    return s->n++;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */
static void put_size(Text *t, Syms *s, Size z) {
    if (z.sym < 0) {
        text_printf(t, "%lld", (long long)z.k);
    } else if (z.k == 1) {
        text_printf(t, "s%d", local(s, z.sym));
    } else {
        text_printf(t, "%lld*s%d", (long long)z.k, local(s, z.sym));
    }
}

static void put_dims(Text *t, const Kernel *k, Syms *s) {
    static const char *const kind[] = {"par", "red", "seq"};
    for (int d = 0; d < k->ndim; d++) {
        text_printf(t, "  dim %d%s: %s ", d, d < k->nouter ? " outer" : "", kind[k->dim[d].kind]);
        put_size(t, s, k->dim[d].n);
        text_putc(t, '\n');
    }
}

static void put_accesses(Text *t, const Kernel *k, Syms *s) {
    static const char *const flag[] = {"read", "write", "add", "samemap", "rowtemp", "part"};
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        text_printf(t, "  a%d: b%d %s", i, a->buf, th_dtype_name((ThDtype)a->dtype));
        for (int f = 0; f < TH_LEN(flag); f++) {
            text_printf(t, "%s%s", a->flags & (1 << f) ? " " : "", a->flags & (1 << f) ? flag[f] : "");
        }
        text_put(t, " [");
        for (int d = 0; d < k->ndim; d++) {
            text_put(t, d ? ", " : "");
            put_size(t, s, a->st[d]);
        }
        text_putc(t, ']');
        if (!size_is(a->off, 0)) {
            text_put(t, " + ");
            put_size(t, s, a->off);
        }
        if (a->idx >= 0) { text_printf(t, " + %%%d", a->idx); }
        if (a->guard >= 0) { text_printf(t, " if %%%d", a->guard); }
        text_putc(t, '\n');
    }
}

static void put_literal(Text *t, const Kernel *k, const Ins *x) {
    ThValue v = k->param.at[x->a];
    text_printf(t, "param %d = ", x->a);
    if (dtype_is_complex((ThDtype)x->dtype)) {
        text_float(t, v.c.re, TH_FLOAT64);
        text_putc(t, ',');
        text_float(t, v.c.im, TH_FLOAT64);
    } else if (dtype_is_float((ThDtype)x->dtype)) {
        text_float(t, v.f, (ThDtype)x->dtype);
    } else {
        text_printf(t, "%lld", (long long)v.i);
    }
}

static void put_red(Text *t, const Kernel *k, const Ins *x) {
    static const char *const kind[] = {"sum", "prod", "max", "min", "argmax", "argmin", "and", "or"};
    const Red *r = &k->red.at[x->a];
    text_printf(t, "%s of %%%d in %s", kind[r->kind], r->v, th_dtype_name((ThDtype)r->acc_dtype));
}

static void put_ins(Text *t, const Kernel *k, Syms *s, int i) {
    const Ins *x = &k->ins.at[i];
    text_printf(t, "%*s%%%d = ", 4 + 2 * x->depth, "", i);
    switch (x->op) {
    case INS_LOAD: text_printf(t, "a%d", x->a); break;
    case INS_STORE: text_printf(t, "a%d := %%%d", x->a, x->b); break;
    case INS_PARAM: put_literal(t, k, x); break;
    case INS_CONST:
        text_put(t, x->a == INS_HALF ? "0.5" : x->a == 0 ? "0" : x->a == 1 ? "1" : x->a == 2 ? "2" : "-1");
        break;
    case INS_INDEX: text_printf(t, "index %d", x->a); break;
    case INS_SIZE:
        text_put(t, "size ");
        put_size(t, s, k->size.at[x->a]);
        break;
    case INS_CAST: text_printf(t, "cast %%%d", x->a); break;
    case INS_CHECK_INDEX: text_printf(t, "check %%%d below %%%d", x->a, x->b); break;
    case INS_RED: put_red(t, k, x); break;
    case INS_FAIL_IF: text_printf(t, "fail %s if %%%d", th_error_name((ThError)x->b), x->a); break;
    case INS_EP:
        text_put(t, stage_call_name(&k->st.at[x->stage]));
        if (x->a >= 0) text_put(t, ", other half");
        break;
    default: {
        const int arg[] = {x->a, x->b, x->c, x->d};
        text_put(t, x->op < scalar_count ? scalar_ops[x->op].name : "?");
        for (int n = 0; n < 4 && arg[n] >= 0; n++) { text_printf(t, " %%%d", arg[n]); }
    }
    }
    text_printf(t, " : %s\n", th_dtype_name((ThDtype)x->dtype));
}

static void put_numbers(Text *t, const Kernel *k, Syms *s, const Stage *st) {
    for (int n = st->num0; n < st->num0 + st->nnum; n++) {
        text_putc(t, ' ');
        put_size(t, s, k->size.at[n]);
    }
}

void kernel_text(Text *t, const Kernel *k) {
    static const char *const cls[] = {"loop", "gemm", "conv", "pool", "draw"};
    Syms s = {.c = k->ctx, .ok = true};
    text_printf(t, "kernel %s\n", k->title ? k->title : "");
    put_dims(t, k, &s);
    put_accesses(t, k, &s);
    for (int i = 0; i < k->st.n; i++) {
        const Stage *st = &k->st.at[i];
        text_printf(t, "  stage %d: %s dims %d..%d", i, cls[st->cls], st->d0, st->d0 + st->nd);
        if (st->vec >= 0) { text_printf(t, " vector %d", st->vec); }
        if (st->cls == STAGE_GEMM) {
            text_printf(t, " C=a%d A=a%d B=a%d alpha=%d beta=%d", st->C, st->A, st->B, st->alpha, st->beta);
        } else if (stage_calls(st)) {
            text_printf(t, " C=a%d A=a%d", st->C, st->A);
            if (st->B >= 0) text_printf(t, " B=a%d", st->B);
            text_put(t, " of");
            put_numbers(t, k, &s, st);
        } else if (st->nnum) {
            text_put(t, ", a convolution of");
            put_numbers(t, k, &s, st);
        }
        text_put(t, st->feeds     ? ", for the next stage\n"
                    : st->paired  ? ", in pairs\n"
                    : st->passing ? ", some at a time\n"
                                  : "\n");
        for (int n = st->ins0; n < st->ins0 + st->nins; n++) { put_ins(t, k, &s, n); }
    }
    map_free(k->ctx, &s.map);
}

/* ---- key -------------------------------------------------------------------------------------------------------- */
static uint64_t mix_size(uint64_t h, Syms *s, Size z) {
    return hash_mix(hash_mix(h, (uint64_t)z.k), (uint64_t)(int64_t)local(s, z.sym));
}

static uint64_t mix_accesses(uint64_t h, const Kernel *k, Syms *s) {
    for (int i = 0; i < k->acc.n; i++) {
        const Access *a = &k->acc.at[i];
        h = hash_mix(hash_mix(hash_mix(h, (uint64_t)a->buf), a->dtype), a->flags);
        h = hash_mix(hash_mix(mix_size(h, s, a->off), (uint64_t)(int64_t)a->idx), (uint64_t)(int64_t)a->guard);
        for (int d = 0; d < k->ndim; d++) { h = mix_size(h, s, a->st[d]); }
    }
    return h;
}

static uint64_t mix_ins(uint64_t h, const Kernel *k) {
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *x = &k->ins.at[i];
        const uint64_t w[] = {x->op,
                              x->dtype,
                              x->in_dtype,
                              x->depth,
                              x->stage,
                              (uint64_t)(int64_t)x->a,
                              (uint64_t)(int64_t)x->b,
                              (uint64_t)(int64_t)x->c,
                              (uint64_t)(int64_t)x->d};
        h = hash_bytes(w, sizeof w, h);
    }
    for (int i = 0; i < k->red.n; i++) {
        const Red *r = &k->red.at[i];
        h = hash_mix(hash_mix(hash_mix(h, (uint64_t)r->v), (uint64_t)(r->kind | r->acc_dtype << 8)),
                     (uint64_t)(r->depth | r->stage << 8));
    }
    return h;
}

static uint64_t mix_stages(uint64_t h, const Kernel *k) {
    for (int i = 0; i < k->st.n; i++) {
        const Stage *s = &k->st.at[i];
        const int64_t w[] = {
            s->cls,  s->d0,   s->nd,   s->vec,
            s->ins0, s->nins, s->red0, s->nred,
            s->A,    s->B,    s->C,    s->alpha,
            s->beta, s->num0, s->nnum, s->feeds | s->passing << 1 | s->sole << 2 | s->paired << 3 | s->near << 4};
        h = hash_bytes(w, sizeof w, h);
    }
    return h;
}

uint64_t kernel_key(Kernel *k) {
    Syms s = {.c = k->ctx, .ok = true};
    uint64_t h = hash_mix(hash_mix(hash_mix(1, (uint64_t)k->ndim), (uint64_t)k->nouter), (uint64_t)k->nbuf);
    for (int d = 0; d < k->ndim; d++) { h = mix_size(hash_mix(h, k->dim[d].kind), &s, k->dim[d].n); }
    h = mix_accesses(h, k, &s);
    for (int i = 0; i < k->size.n; i++) { h = mix_size(h, &s, k->size.at[i]); }
    h = mix_stages(mix_ins(h, k), k);
    map_free(k->ctx, &s.map);
    return k->key = s.ok ? h : 0;
}
