/*
 * narrow.c -- whole numbers of a kernel whose indices have 32 bits. In: its lengths and sizes, all of which fit
 * (grid_fits). Out: which values of 64 bits never leave 32, and their texts: the compiler is told so, and adds,
 * compares and divides by half as many instructions. What a value is does not change.
 */
#include "cuda.h"

enum {
    WHOLE = 1 << 30, /* as far as lengths and sizes go: GRID_FITS */
    PAST = 64        /* a thread's neighbours may be computed so far behind the last one, and left */
};

static const CudaRange none = {INT64_MIN, INT64_MAX};

static bool inside(CudaRange r) { return r.least >= INT32_MIN && r.most <= INT32_MAX; }

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static CudaRange products(CudaRange a, CudaRange b) {
    const int64_t p = a.least * b.least, q = a.least * b.most, r = a.most * b.least, s = a.most * b.most;
    return (CudaRange){smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s))};
}

/* By a literal, of what is not negative: rounded down and to zero are the same. */
static bool divides(const CudaRange *r, const Ins *i) {
    return r[i->a].least >= 0 && inside(r[i->a]) && r[i->b].least > 0 && r[i->b].least == r[i->b].most;
}

static CudaRange range_of(const CudaRange *r, const Ins *i) {
    CudaRange a = i->a >= 0 ? r[i->a] : none, b = i->b >= 0 ? r[i->b] : none;
    bool div = i->op == S_int_div || i->op == S_mod;
    if (!inside(a) || !inside(b)) return none;
    if (i->op == S_add) return (CudaRange){a.least + b.least, a.most + b.most};
    if (i->op == S_sub) return (CudaRange){a.least - b.most, a.most - b.least};
    if (i->op == S_mul) return products(a, b);
    if (i->op == S_minimum) return (CudaRange){smaller(a.least, b.least), smaller(a.most, b.most)};
    if (i->op == S_maximum) return (CudaRange){larger(a.least, b.least), larger(a.most, b.most)};
    if (div && divides(r, i))
        return i->op == S_mod ? (CudaRange){0, smaller(a.most, b.most - 1)}
                              : (CudaRange){a.least / b.least, a.most / b.least};
    return none;
}

static CudaRange size_range(Size z) { return z.sym < 0 ? (CudaRange){z.k, z.k} : (CudaRange){-WHOLE, WHOLE}; }

static CudaRange leaf(const Kernel *k, const Ins *i) {
    if (i->op == INS_SIZE) return size_range(k->size.at[i->a]);
    if (i->op == INS_CONST && i->a != INS_HALF) return (CudaRange){i->a, i->a};
    if (i->op != INS_INDEX) return none;
    Size n = k->dim[i->a].n;
    return (CudaRange){0, (n.sym < 0 ? n.k : WHOLE) + PAST};
}

const CudaRange *cuda_ranges(Emit *e) {
    const Kernel *k = e->k;
    if (!e->nest->large) return NULL;
    CudaRange *r = arena_alloc0(e->arena, sizeof *r * ((size_t)k->ins.n + 1));
    for (int id = 0; r && id < k->ins.n; id++) {
        const Ins *i = &k->ins.at[id];
        bool whole = i->dtype == TH_INT64;
        r[id] = !whole ? none : i->op >= INS_LOAD ? leaf(k, i) : i->in_dtype == TH_INT64 ? range_of(r, i) : none;
        if (!inside(r[id])) r[id] = none;
    }
    return r;
}

bool cuda_narrow(Emit *e, int id) {
    const Ins *i = &e->k->ins.at[id];
    const CudaRange *r = e->range;
    if (!r || !inside(r[id])) return false;
    const char sign = i->op == S_add ? '+' : i->op == S_sub ? '-' : i->op == S_mul ? '*' : 0;
    if (sign) emit_line(e, "const i64 v%d = (i32)v%d %c (i32)v%d;", id, i->a, sign, i->b);
    else if (i->op == S_int_div || i->op == S_mod)
        emit_line(e, "const i64 v%d = (u32)v%d %c (u32)v%d;", id, i->a, i->op == S_mod ? '%' : '/', i->b);
    else return false;
    return true;
}
