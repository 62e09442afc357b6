/*
 * weak.c -- operands of elementwise operations in eager calls, by NumPy's promotion. In: operands, literals among them
 * marked VAR_F_WEAK. Out: literals in the dtype that NumPy gives a Python number beside the others (dtype_beside).
 * Quotients of integers and angles of booleans are float64, integers of up to 16 bits are float32 each where a function
 * gives floats (not float64, as their common integer would be), and integers are round already. In graphs, too, whole
 * quotients and remainders of booleans are int8: bool has none.
 * Always holds: no flag decides anything.
 */
#include "ops/table/ops.h"

/* Whether literal i (-1: the operation) looks at operand k for its dtype. */
static bool beside(int scalar, int i, int k) {
    if (i == k) return false;
    if (scalar == S_switch) return i != 0 && k > 0; /* the branches */
    return scalar != S_second;                      /* the model has no say */
}

static ThDtype common(int scalar, ThVar *const *v, int n, int of) {
    ThDtype d = TH_DTYPE_NONE;
    for (int i = 0; i < n; i++) {
        if (!v[i] || v[i]->flags & VAR_F_WEAK || !beside(scalar, of, i)) continue;
        d = d == TH_DTYPE_NONE ? (ThDtype)v[i]->type.dtype : th_dtype_upcast(d, (ThDtype)v[i]->type.dtype);
    }
    return d;
}

static ThVar *settle(Builder *b, int scalar, ThVar *x, ThDtype others) {
    const ThArray *a = x->u.data;
    if (others == TH_UINT64 && scalar_ops[scalar].result == RES_FLOAT) others = TH_FLOAT64; /* -1 stays below 0 */
    ThDtype own = (ThDtype)x->type.dtype;
    ThDtype d = dtype_beside(th_dtype_kind(own), own == TH_INT64 ? array_item_int(a) : 0, others);
    if (d == own || others == TH_DTYPE_NONE) return x;
    ThArray *cast = th_array_astype((ThArray *)a, d);
    ThVar *r = cast ? const_make(b, cast) : NULL;
    if (cast) th_array_release(cast);
    return r;
}

static bool all_discrete(ThVar *const *v, int n) {
    for (int i = 0; i < n; i++)
        if (!v[i] || v[i]->type.kind != TYPE_TENSOR || !dtype_is_discrete((ThDtype)v[i]->type.dtype)) return false;
    return true;
}

static bool all_bool(ThVar *const *v, int n) {
    for (int i = 0; i < n; i++)
        if (!v[i] || v[i]->type.kind != TYPE_TENSOR || v[i]->type.dtype != TH_BOOL) return false;
    return true;
}

static bool cast_each(Builder *b, ThVar **v, int n, ThDtype d) {
    for (int i = 0; i < n; i++)
        if (!(v[i] = cast_make(b, v[i], d))) return false;
    return true;
}

/* Integers of up to 16 bits, whose common dtype is wider. */
static bool small_but_together(ThVar *const *v, int n) {
    ThDtype d = TH_DTYPE_NONE;
    for (int i = 0; i < n; i++) {
        if (v[i]->type.kind != TYPE_TENSOR || !dtype_is_discrete((ThDtype)v[i]->type.dtype)) return false;
        if (th_dtype_bytes((ThDtype)v[i]->type.dtype) > 2) return false;
        d = d == TH_DTYPE_NONE ? (ThDtype)v[i]->type.dtype : th_dtype_upcast(d, (ThDtype)v[i]->type.dtype);
    }
    return n > 1 && th_dtype_bytes(d) > 2;
}

bool weak_settle(Builder *b, int scalar, ThVar **v, int n) {
    if ((scalar == S_int_div || scalar == S_mod) && all_bool(v, n)) return cast_each(b, v, n, TH_INT8);
    if (!b->arrays) return true;
    if (scalar == S_true_div && all_discrete(v, n)) return cast_each(b, v, n, TH_FLOAT64);
    if (scalar == S_angle && all_bool(v, n)) return cast_each(b, v, n, TH_FLOAT64);
    if (scalar == S_sqr && all_bool(v, n)) return cast_each(b, v, n, TH_INT8);
    for (int i = 0; i < n; i++) {
        if (v[i] && v[i]->flags & VAR_F_WEAK) v[i] = settle(b, scalar, v[i], common(scalar, v, n, i));
        if (!v[i]) return false;
    }
    if (scalar_ops[scalar].result == RES_FLOAT && small_but_together(v, n)) return cast_each(b, v, n, TH_FLOAT32);
    if (config_numpy_casts(b->ctx) && scalar != S_second && common(scalar, v, n, -1) == TH_FLOAT64) /* not narrowed */
        v[n - 1] = cast_make(b, v[n - 1], TH_FLOAT64);
    return n == 0 || v[n - 1];
}

int weak_rounding(const Builder *b, int scalar, const ThVar *x) {
    bool rounds = scalar == S_floor || scalar == S_ceil || scalar == S_trunc || scalar == S_round_half_to_even ||
                  scalar == S_round_half_away_from_zero;
    return b->arrays && rounds && x && all_discrete((ThVar *[]){(ThVar *)x}, 1) ? S_identity : scalar;
}
