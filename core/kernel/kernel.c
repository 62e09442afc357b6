/*
 * kernel.c -- building Kernels, the one loop-level form.
 * In: dims, stages, accesses and instructions in the order of execution. Out: a Kernel of plain numbers. Every function
 * gives an id or -1 with the error set, and a negative operand where one is needed gives -1, so that a caller may look
 * once at the end. Invariant: a value id is the instruction's position, operands come before their users.
 */
#include "kernel.h"

#include <math.h>
#include <string.h>

Kernel *kernel_new(ThContext *c) {
    Kernel *k = ctx_alloc0(c, sizeof *k);
    if (k) { k->ctx = c; }
    return k;
}

void kernel_free(Kernel *k) {
    if (!k) { return; }
    ThContext *c = k->ctx;
    vec_free(c, &k->acc);
    vec_free(c, &k->ins);
    vec_free(c, &k->red);
    vec_free(c, &k->st);
    vec_free(c, &k->size);
    vec_free(c, &k->param);
    ctx_free(c, k, sizeof *k);
}

int kernel_dim(Kernel *k, Size n, DimKind kind) {
    if (k->ndim == KDIM) { return -1; }
    k->dim[k->ndim] = (Dim){n, (uint8_t)kind};
    return k->ndim++;
}

int kernel_stage(Kernel *k, StageClass cls, int d0, int nd) {
    if (d0 < 0 || nd < 0 || d0 + nd > k->ndim || k->st.n > UINT8_MAX) {
        err(k->ctx, TH_RuntimeError, "kernel: a stage over dims %d..%d of %d", d0, d0 + nd, k->ndim);
        return -1;
    }
    Stage s = {.cls = (uint8_t)cls,
               .d0 = (uint8_t)d0,
               .nd = (uint8_t)nd,
               .vec = -1,
               .ins0 = k->ins.n,
               .red0 = k->red.n,
               .A = -1,
               .B = -1,
               .C = -1,
               .alpha = -1,
               .beta = -1};
    return vec_push(k->ctx, &k->st, s) ? k->st.n - 1 : -1;
}

int kernel_access(Kernel *k, Access a) {
    if (a.buf < 0 || k->acc.n >= KACC) {
        err(k->ctx, TH_RuntimeError, "kernel: %s", a.buf < 0 ? "an access without buffer" : "more than 24 accesses");
        return -1;
    }
    k->nbuf = a.buf >= k->nbuf ? a.buf + 1 : k->nbuf;
    return vec_push(k->ctx, &k->acc, a) ? k->acc.n - 1 : -1;
}

/* Appends to the last stage; its value id. */
static int push(Kernel *k, Ins x) {
    if (k->st.n == 0 || k->ins.n >= KINS) {
        err(k->ctx, TH_RuntimeError, "kernel: %s",
            k->st.n ? "more than 200 instructions" : "an instruction before any stage");
        return -1;
    }
    x.prov = k->ctx->prov;
    x.stage = (uint8_t)(k->st.n - 1);
    if (!vec_push(k->ctx, &k->ins, x)) { return -1; }
    k->st.at[k->st.n - 1].nins++;
    return k->ins.n - 1;
}

static Ins ins(int op, ThDtype d, int depth, int a) {
    return (Ins){.op = (uint16_t)op,
                 .dtype = (uint8_t)d,
                 .in_dtype = (uint8_t)d,
                 .depth = (uint8_t)depth,
                 .a = a,
                 .b = -1,
                 .c = -1,
                 .d = -1};
}

int ins_load(Kernel *k, int access, int depth) {
    return access < 0 ? -1 : push(k, ins(INS_LOAD, (ThDtype)k->acc.at[access].dtype, depth, access));
}

int ins_store(Kernel *k, int access, int value, int depth) {
    if (access < 0 || value < 0) { return -1; }
    Ins x = ins(INS_STORE, (ThDtype)k->acc.at[access].dtype, depth, access);
    x.b = value;
    return push(k, x);
}

int ins_op(Kernel *k, int scalar_op, ThDtype in_dtype, ThDtype dtype, int depth, int a, int b, int c) {
    Ins x = ins(scalar_op, dtype, depth, a);
    x.in_dtype = (uint8_t)in_dtype;
    x.b = b;
    x.c = c;
    return a < 0 ? -1 : push(k, x);
}

int ins_cast(Kernel *k, int value, ThDtype to, int depth) {
    if (value < 0 || k->ins.at[value].dtype == to) { return value; }
    Ins x = ins(INS_CAST, to, depth, value);
    x.in_dtype = k->ins.at[value].dtype;
    return push(k, x);
}

static bool plus_zero(double x) { return x == 0 && !signbit(x); }

/* Literals that change what a compiler can do stay in the text; -0.0 and the rest are parameters. */
static bool stays(ThDtype d, ThValue v, int *code) {
    if (dtype_is_discrete(d)) {
        *code = (int)v.i;
        return v.i == 0 || v.i == 1 || v.i == 2 || (v.i == -1 && dtype_is_signed(d));
    }
    double x = dtype_is_complex(d) ? v.c.re : v.f;
    if (dtype_is_complex(d) && !plus_zero(v.c.im)) { return false; }
    *code = x == 0.5 ? INS_HALF : x == 1 ? 1 : x == -1 ? -1 : x == 2 ? 2 : 0;
    return *code || plus_zero(x);
}

int ins_literal(Kernel *k, ThDtype d, ThValue v, int depth) {
    int code;
    if (stays(d, v, &code)) { return push(k, ins(INS_CONST, d, depth, code)); }
    return vec_push(k->ctx, &k->param, v) ? push(k, ins(INS_PARAM, d, depth, k->param.n - 1)) : -1;
}

int ins_index(Kernel *k, int dim, int depth) { return dim < 0 ? -1 : push(k, ins(INS_INDEX, TH_INT64, depth, dim)); }

int ins_size(Kernel *k, Size s, int depth) {
    int at = 0;
    while (at < k->size.n && !size_eq(k->size.at[at], s)) { at++; }
    if (at == k->size.n && !vec_push(k->ctx, &k->size, s)) { return -1; }
    return push(k, ins(INS_SIZE, TH_INT64, depth, at));
}

int ins_check_index(Kernel *k, int value, int size_value, int depth) {
    if (value < 0 || size_value < 0) { return -1; }
    Ins x = ins(INS_CHECK_INDEX, TH_INT64, depth, value);
    x.b = size_value;
    k->can_fail = true;
    return push(k, x);
}

int ins_reduce(Kernel *k, RedKind kind, int value, ThDtype acc, int result_depth) {
    if (value < 0 || k->st.n == 0) { return -1; }
    bool position = kind == RED_ARGMAX || kind == RED_ARGMIN;
    value = ins_cast(k, value, acc, k->ins.at[value].depth);
    Red r = {value, (uint8_t)kind, (uint8_t)acc, (uint8_t)result_depth, (uint8_t)(k->st.n - 1)};
    if (value < 0 || !vec_push(k->ctx, &k->red, r)) { return -1; }
    k->st.at[k->st.n - 1].nred++;
    Ins x = ins(INS_RED, position ? TH_INT64 : acc, result_depth, k->red.n - 1);
    x.in_dtype = (uint8_t)acc;
    return push(k, x);
}

int ins_fail_if(Kernel *k, int condition, ThError kind, int depth) {
    if (condition < 0) { return -1; }
    Ins x = ins(INS_FAIL_IF, TH_BOOL, depth, condition);
    x.b = (int)kind;
    k->can_fail = true;
    return push(k, x);
}

bool kernel_in_blocks(const Kernel *k) {
    if (k->nouter || k->st.n != 1 || !k->ndim || k->st.at[0].cls != STAGE_LOOP || !k->red.n) { return false; }
    if (k->st.at[0].d0 || k->st.at[0].nd != k->ndim) { return false; }
    for (int d = 0; d < k->ndim; d++) {
        if (k->dim[d].kind != DIM_RED) { return false; }
    }
    for (int r = 0; r < k->red.n; r++) {
        if (k->red.at[r].depth) { return false; }
    }
    return true;
}

int64_t kernel_block(const Kernel *k, const int64_t *n) {
    int64_t inner = 1;
    for (int d = 1; d < k->ndim; d++) { inner *= n[d]; }
    int64_t each = inner < 1 ? RED_BLOCK : inner < RED_BLOCK ? RED_BLOCK / inner : 1;
    return k->st.at[0].vec == 0 ? (each + RED_LANES - 1) / RED_LANES * RED_LANES : each;
}

bool kernel_is_batch(const Kernel *k) {
    bool all = k->nouter > 0 && k->st.n == 1 && k->st.at[0].cls == STAGE_GEMM && k->ins.n == 0;
    for (int d = 0; all && d < k->nouter; d++) all = k->dim[d].kind == DIM_PAR;
    return all;
}

bool kernel_tiles(const Kernel *k, int stage) {
    const Stage *st = &k->st.at[stage];
    bool fails = k->can_fail && st->cls == STAGE_GEMM; /* others may find no memory; what joins them fails nowhere */
    if (!stage_calls(st) || !st->nins || k->nouter || fails || st->nred) return false;
    if (st->cls == STAGE_DRAW && st->nd != 1) return false;
    bool stores = false;
    for (int i = st->ins0; i < st->ins0 + st->nins; i++) {
        const Ins *x = &k->ins.at[i];
        if (x->op == INS_INDEX || x->op == INS_FAIL_IF || x->op == INS_CHECK_INDEX) return false;
        stores |= x->op == INS_STORE;
        if (x->op == INS_STORE && (x->depth < stage_parts(st) || (k->acc.at[x->a].flags & ACC_ADD))) return false;
    }
    return stores && st->alpha < 0 && st->beta < 0;
}
