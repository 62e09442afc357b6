/*
 * run.c -- the shape program at work. In: instructions and where lengths, strides and integers are read. Out: slot
 * values, or the number of the check that failed with its two values. Overflow of int64 fails check 0.
 */
#include "plan.h"

static int64_t floor_div(int64_t a, int64_t b) {
    if (b == 0 || (b == -1 && a == INT64_MIN)) return 0;
    int64_t q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

/* One computing instruction; false on overflow. */
static bool compute(const ShapeIns *i, int64_t *sym, const ShapeEnv *env) {
    int64_t a = i->op >= SHAPE_ADD ? sym[i->a] : 0, b = i->op >= SHAPE_ADD && i->b >= 0 ? sym[i->b] : 0,
            *r = &sym[i->dst];
    switch (i->op) {
    case SHAPE_CONST: *r = i->k; return true;
    case SHAPE_DIM: *r = env->dim(env->u, i->a, i->b); return true;
    case SHAPE_STRIDE: *r = env->stride(env->u, i->a, i->b); return true;
    case SHAPE_VALUE: *r = env->value(env->u, i->a, i->b); return true;
    case SHAPE_ADD: return !__builtin_add_overflow(a, b, r);
    case SHAPE_SUB: return !__builtin_sub_overflow(a, b, r);
    case SHAPE_MUL: return !__builtin_mul_overflow(a, b, r);
    case SHAPE_FLOORDIV: *r = floor_div(a, b); return true;
    case SHAPE_CEILDIV: *r = a == INT64_MIN ? 0 : -floor_div(-a, b); return true;
    case SHAPE_MIN: *r = a < b ? a : b; return true;
    case SHAPE_MAX: *r = a > b ? a : b; return true;
    case SHAPE_LT: *r = a < b; return true;
    default: *r = sym[i->c] ? a : b; return true;
    }
}

int shape_run(const Plan *p, int first, int n, int64_t *sym, ShapeEnv *env) {
    for (const ShapeIns *i = p->shape + first, *end = i + n; i < end; i++) {
        bool eq = i->op == SHAPE_CHECK_EQ, ge = i->op == SHAPE_CHECK_GE0;
        if (eq || ge) {
            env->fail[0] = sym[i->a];
            env->fail[1] = eq ? sym[i->b] : env->fail[0] > -INT64_MAX ? -env->fail[0] : INT64_MAX; /* what lacks */
            env->at = (int)(i - p->shape);
            if (eq ? env->fail[0] != env->fail[1] : env->fail[0] < 0) return 1 + (int)i->k;
        } else if (!compute(i, sym, env)) {
            env->at = (int)(i - p->shape);
            env->fail[0] = sym[i->a];
            env->fail[1] = i->b >= 0 ? sym[i->b] : 0;
            return 1;
        }
    }
    return 0;
}
