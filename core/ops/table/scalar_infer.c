/*
 * scalar_infer.c -- result and computing dtypes of scalar operations: Theano's rules, one function for each
 * ScalarResult. In: the dtypes of the inputs. Out: what each input is cast to, and the result's dtype; or TypeError.
 */
#include "ops.h"

ThDtype scalar_float_of(ThDtype d) {
    if (dtype_is_float(d) || dtype_is_complex(d)) return d;
    return th_dtype_bytes(d) >= 4 ? TH_FLOAT64 : TH_FLOAT32;
}

ThDtype scalar_real_of(ThDtype d) { return d == TH_COMPLEX64 ? TH_FLOAT32 : d == TH_COMPLEX128 ? TH_FLOAT64 : d; }

typedef struct Rule {
    ThContext *c;
    const ScalarOp *op;
    const ThDtype *in;
    int nin;
    ThDtype *cast, up;
} Rule;

/* cast_policy = numpy+floatX: without a float64 operand nothing leaves floatX = float32, also integers beside it. */
static ThDtype upcast(ThContext *c, const ThDtype *d, int n) {
    ThDtype r = d[0];
    bool asked = d[0] == TH_FLOAT64;
    for (int i = 1; i < n; i++) {
        r = th_dtype_upcast(r, d[i]);
        asked = asked || d[i] == TH_FLOAT64;
    }
    bool narrow = r == TH_FLOAT64 && !asked && config_floatX(c) == TH_FLOAT32 && config_numpy_casts(c);
    return narrow ? TH_FLOAT32 : r;
}

static bool cast_all(Rule *r, ThDtype to, ThDtype *out, ThDtype result) {
    for (int i = 0; i < r->nin; i++) r->cast[i] = to;
    *out = result;
    return true;
}

static bool no_bool(Rule *r, ThDtype d) {
    if (d != TH_BOOL) return true;
    return err(r->c, TH_TypeError, "%s is not defined on bool: use %s, or cast the input to an integer dtype",
               r->op->name, r->nin == 1 ? "invert (~) or neq(x, 0)" : "xor (~) or neq(x, y)");
}

static bool infer_up(Rule *r, ThDtype *out) { return cast_all(r, r->up, out, r->up); }
static bool infer_up_nobool(Rule *r, ThDtype *out) { return no_bool(r, r->up) && cast_all(r, r->up, out, r->up); }
static bool infer_same_nobool(Rule *r, ThDtype *out) {
    return no_bool(r, r->in[0]) && cast_all(r, r->in[0], out, r->in[0]);
}
static bool infer_same(Rule *r, ThDtype *out) { return cast_all(r, r->in[0], out, r->in[0]); }
static bool infer_abs(Rule *r, ThDtype *out) { return cast_all(r, r->in[0], out, scalar_real_of(r->in[0])); }
static bool infer_bool(Rule *r, ThDtype *out) { return cast_all(r, r->up, out, TH_BOOL); }
static bool infer_int64(Rule *r, ThDtype *out) { return cast_all(r, r->up, out, TH_INT64); }

static bool infer_up_bool8(Rule *r, ThDtype *out) {
    ThDtype d = r->up == TH_BOOL ? TH_INT8 : r->up;
    return cast_all(r, d, out, d);
}

static bool infer_float(Rule *r, ThDtype *out) {
    ThDtype d = scalar_float_of(r->up);
    return cast_all(r, d, out, d);
}

static bool infer_div(Rule *r, ThDtype *out) {
    bool discrete = true;
    for (int i = 0; i < r->nin; i++) discrete = discrete && dtype_is_discrete(r->in[i]);
    ThDtype d = discrete ? config_floatX(r->c) : r->up;
    return cast_all(r, d, out, d);
}

/* bool beside integers counts as 0 or 1, as NumPy promotes it. */
static bool infer_bits(Rule *r, ThDtype *out) {
    ThDtype bad = r->up;
    for (int i = 0; i < r->nin; i++)
        if (!dtype_is_discrete(r->in[i])) bad = r->in[i];
    if (!dtype_is_discrete(bad))
        return err(r->c, TH_TypeError,
                   "%s works on integers or bool, not on %s: cast the inputs, or compare them first", r->op->name,
                   th_dtype_name(bad));
    return cast_all(r, r->up, out, r->up);
}

static bool infer_ints(Rule *r, ThDtype *out) {
    for (int i = 0; i < r->nin; i++)
        if (!dtype_is_discrete(r->in[i]) || r->up == TH_BOOL)
            return err(r->c, TH_TypeError, "%s: integers are expected, not %s", r->op->name, th_dtype_name(r->in[i]));
    return infer_bits(r, out);
}

static bool infer_shift(Rule *r, ThDtype *out) {
    return infer_bits(r, out) && (*out != TH_BOOL || cast_all(r, TH_INT8, out, TH_INT8));
}

/* Only the branches join their dtypes; the condition is only tested. */
static bool infer_switch(Rule *r, ThDtype *out) {
    ThDtype d = th_dtype_upcast(r->in[1], r->in[2]);
    r->cast[0] = TH_BOOL;
    r->cast[1] = r->cast[2] = *out = d;
    return true;
}

static bool infer_second(Rule *r, ThDtype *out) {
    r->cast[0] = r->in[0];
    r->cast[1] = *out = r->in[1];
    return true;
}

/* The target of cast is an attribute of the Elemwise; it arrives in *out. */
static bool infer_cast(Rule *r, ThDtype *out) {
    if (!array_castable(r->c, r->in[0], *out)) return false;
    r->cast[0] = r->in[0];
    return true;
}

/* isnan, isinf, isfinite and signbit compute in a float dtype. */
static bool infer_custom(Rule *r, ThDtype *out) { return cast_all(r, scalar_float_of(r->up), out, TH_BOOL); }

static bool infer_complex(Rule *r, ThDtype *out) {
    ThDtype d = scalar_float_of(r->up);
    return cast_all(r, d, out, d == TH_FLOAT64 || d == TH_COMPLEX128 ? TH_COMPLEX128 : TH_COMPLEX64);
}

static bool infer_float_real(Rule *r, ThDtype *out) {
    ThDtype d = scalar_float_of(r->up);
    return cast_all(r, d, out, scalar_real_of(d));
}

static bool (*const infer_of[])(Rule *, ThDtype *) = {
    [RES_UP] = infer_up,
    [RES_UP_NOBOOL] = infer_up_nobool,
    [RES_UP_BOOL8] = infer_up_bool8,
    [RES_FLOAT] = infer_float,
    [RES_DIV] = infer_div,
    [RES_SAME] = infer_same,
    [RES_SAME_NOBOOL] = infer_same_nobool,
    [RES_BOOL] = infer_bool,
    [RES_BITS] = infer_bits,
    [RES_SWITCH] = infer_switch,
    [RES_ABS] = infer_abs,
    [RES_SECOND] = infer_second,
    [RES_INT64] = infer_int64,
    [RES_CAST] = infer_cast,
    [RES_CUSTOM] = infer_custom,
    [RES_COMPLEX] = infer_complex,
    [RES_FLOAT_REAL] = infer_float_real,
    [RES_SHIFT] = infer_shift,
    [RES_INTS] = infer_ints,
};

static bool check_kinds(Rule *r) {
    for (int i = 0; i < r->nin; i++) {
        ThDtype d = r->in[i];
        if (dtype_is_complex(d) && (r->op->flags & SF_NO_COMPLEX))
            return err(r->c, TH_TypeError, "%s is not defined on complex numbers (input %d is %s)", r->op->name, i,
                       th_dtype_name(d));
        if (dtype_is_complex(d) && !(r->op->flags & SF_COMPLEX))
            return err(r->c, TH_TypeError, "%s of complex numbers is not available (input %d is %s)", r->op->name, i,
                       th_dtype_name(d));
        if (dtype_is_discrete(d) && (r->op->flags & SF_FLOAT_ONLY))
            return err(r->c, TH_TypeError, "%s works on floats only, and input %d is %s: an integer is already round",
                       r->op->name, i, th_dtype_name(d));
        if (!dtype_is_complex(d) && !r->op->value && r->op->result != RES_COMPLEX)
            return err(r->c, TH_TypeError, "%s works on complex numbers, and input %d is %s", r->op->name, i,
                       th_dtype_name(d));
    }
    return true;
}

bool scalar_infer(ThContext *c, int op, const ThDtype *in, int nin, ThDtype *in_cast, ThDtype *out) {
    Rule r = {.c = c, .op = &scalar_ops[op], .in = in, .nin = nin, .cast = in_cast};
    bool nary = (r.op->flags & SF_NARY) && nin >= 1;
    if (!nary && nin != r.op->arity)
        return err(c, TH_TypeError, "%s takes %d input%s, %d given", r.op->name, r.op->arity,
                   r.op->arity == 1 ? "" : "s", nin);
    r.up = upcast(c, in, nin);
    return check_kinds(&r) && infer_of[r.op->result](&r, out);
}
