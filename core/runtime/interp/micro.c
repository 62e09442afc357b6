/*
 * micro.c -- the value text of a scalar operation as a short program of block kernels. Literals become constant
 * blocks; inner results get registers of their own; the last kernel writes the instruction's register.
 */
#include "ops/table/expr.h"
#include "interp.h"

#include <string.h>

static const struct {
    const char *name;
    int arity;
} prims[SIMD_PRIMS] = {
#define X(name, arity) [P_##name] = {#name, arity},
    SIMD_OPERATORS(X)
#undef X
#define PRIM(name, arity, flags, doc) [P_##name] = {#name, arity},
        PRIM_TABLE(PRIM)
#undef PRIM
#define CPRIM(name, arity, flags, doc) [P_##name] = {#name, arity},
            CPRIM_TABLE(CPRIM)
#undef CPRIM
};

static bool gives_mask(int p) { return (p >= P_lt && p <= P_not) || p == P_isinf || p == P_c_eq || p == P_c_neq; }

static int find(const char *name) {
    for (int p = 0; p < SIMD_PRIMS; p++)
        if (!strcmp(prims[p].name, name)) return p;
    return -1;
}

typedef struct {
    IOpnd at;
    ThDtype dtype;
    bool literal;
    double num;
} Val;
typedef struct Build {
    ThContext *c;
    const SimdTable *simd;
    const Kernel *k;
    const Ins *ins;
    Arena *arena;
    IKernel *out;
    size_t result;
} Build;

/* A constant block of the literal in dtype d. */
static bool literal(Build *b, Val *v, ThDtype d) {
    if (!v->literal) return true;
    size_t bytes = th_dtype_bytes(d);
    char *p = arena_alloc(b->arena, bytes * SIMD_BLOCK);
    if (!p) return false;
    dtype_cast(p, d, (int64_t)bytes, (const char *)&v->num, TH_FLOAT64, 0, SIMD_BLOCK);
    *v = (Val){.at = {p, 0, -1}, .dtype = d};
    return true;
}

/* Dtype of the operands, from those that are not literals. */
static ThDtype operand_dtype(const Build *b, const Val *v, int first, int n) {
    for (int i = first; i < n; i++)
        if (!v[i].literal) return v[i].dtype;
    return (ThDtype)b->ins->in_dtype;
}

static ThDtype result_dtype(int p, ThDtype d) {
    if (gives_mask(p)) return TH_BOOL;
    if (p == P_c_abs || p == P_c_real || p == P_c_imag) return scalar_real_of(d);
    if (p == P_c_make) return d == TH_FLOAT32 ? TH_COMPLEX64 : TH_COMPLEX128;
    return d;
}

static bool emit(Build *b, int p, Val *v, int n, bool last, Val *res) {
    ThDtype d = operand_dtype(b, v, p == P_switch, n);
    for (int i = p == P_switch; i < n; i++)
        if (!literal(b, &v[i], d)) return false;
    const SimdFn own = config_bool(b->c, "repro") ? special_own((SimdPrim)p, d) : NULL;
    const SimdFn fn = own ? own : simd_prim(b->simd, p, d);
    if (!fn)
        return err(b->c, TH_NotImplementedError, "%s (in %s) is not defined for %s", prims[p].name,
                   scalar_ops[b->ins->op].name, th_dtype_name(d));
    ThDtype rd = result_dtype(p, d);
    size_t reg = b->result;
    if (!last) {
        reg = b->out->reg_bytes;
        b->out->reg_bytes += th_dtype_bytes(rd) * (size_t)b->out->block_elems;
    }
    IMicro m = {.fn = fn, .out = reg};
    for (int i = 0; i < 3; i++) m.in[i] = i < n ? v[i].at : (IOpnd){.value = -1};
    *res = (Val){.at = {NULL, reg, -1}, .dtype = rd};
    return vec_push(b->c, &b->out->micro, m);
}

static Val operand(const Build *b, char letter) {
    const int ids[4] = {b->ins->a, b->ins->b, b->ins->c, b->ins->d};
    int id = ids[letter - 'a'];
    return (Val){.at = {NULL, 0, id}, .dtype = (ThDtype)b->k->ins.at[id].dtype};
}

static bool program(Build *b, const Expr *e) {
    enum { MOST = 64 };
    Val v[MOST];
    if (e->n > MOST) return err(b->c, TH_RuntimeError, "the value text of %s is too long", scalar_ops[b->ins->op].name);
    for (int i = 0; i < e->n; i++) {
        const ExNode *x = &e->at[i];
        if (x->kind == EX_NUM) v[i] = (Val){.literal = true, .num = x->num};
        else if (x->kind == EX_NAME) v[i] = operand(b, x->name[0]);
        else {
            Val kid[4];
            for (int j = 0; j < x->nkid; j++) kid[j] = v[x->kid[j]];
            int p = find(x->name);
            if (p < 0 || x->nkid != prims[p].arity)
                return err(b->c, TH_RuntimeError, "unknown primitive %s in the value text of %s", x->name,
                           scalar_ops[b->ins->op].name);
            if (!emit(b, p, kid, x->nkid, i == e->n - 1, &v[i])) return false;
        }
    }
    Val *root = &v[e->n - 1], res;
    if (e->at[e->n - 1].kind == EX_CALL) return true;
    return emit(b, P_copy, root, 1, true, &res); /* a bare operand or literal */
}

/* One kernel for the whole text, where there is one. */
static SimdFn whole_of(const SimdTable *simd, const Ins *i) {
    static const struct {
        int op;
        const char *text;
    } whole[SIMD_WHOLES] = {
#define X(name, text) [W_##name] = {S_##name, text},
        SIMD_WHOLE(X)
#undef X
    };
    for (int w = 0; w < SIMD_WHOLES; w++)
        if (whole[w].op == i->op && !strcmp(whole[w].text, scalar_ops[i->op].value)) return simd->whole[w][i->in_dtype];
    return NULL;
}

static bool by_whole(const Build *b, SimdFn fn) {
    const int id[3] = {b->ins->a, b->ins->b, b->ins->c};
    IMicro m = {.fn = fn, .out = b->result};
    for (int i = 0; i < 3; i++) m.in[i] = (IOpnd){.value = i < scalar_ops[b->ins->op].arity ? id[i] : -1};
    return vec_push(b->c, &b->out->micro, m);
}

bool interp_micro(ThContext *c, const SimdTable *simd, const Kernel *k, int id, Arena *a, IKernel *out) {
    const Ins *i = &k->ins.at[id];
    Build b = {c, simd, k, i, a, out, out->ins[id].reg};
    out->ins[id].micro = out->micro.n;
    if (i->op == INS_CAST) {
        IMicro m = {.fn = simd->cast[i->dtype][k->ins.at[i->a].dtype], .out = b.result, .in = {{NULL, 0, i->a}}};
        m.in[1].value = m.in[2].value = -1;
        if (!vec_push(c, &out->micro, m)) return false;
    } else if (whole_of(simd, i)) {
        if (!by_whole(&b, whole_of(simd, i))) return false;
    } else {
        const ScalarTexts *t =
            scalar_value_texts(c, i->op, dtype_is_complex((ThDtype)i->in_dtype) || !scalar_ops[i->op].value);
        if (!t) return false;
        if (!t->n || !t->at[0])
            return err(c, TH_NotImplementedError, "%s is not defined for %s", scalar_ops[i->op].name,
                       th_dtype_name(i->in_dtype));
        if (!program(&b, t->at[0])) return false;
    }
    out->ins[id].nmicro = out->micro.n - out->ins[id].micro;
    return true;
}
