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

/* Whether this check fails; its two values. */
static bool misfit(const ShapeIns *i, const int64_t *sym, int64_t *fail) {
    bool eq = i->op == SHAPE_CHECK_EQ;
    fail[0] = sym[i->a];
    fail[1] = eq ? sym[i->b] : fail[0] > -INT64_MAX ? -fail[0] : INT64_MAX; /* what lacks */
    return eq ? fail[0] != fail[1] : fail[0] < 0;
}

static bool operands_known(const ShapeIns *i, const int64_t *sym) {
    if (i->op < SHAPE_ADD) return true;
    return sym[i->a] != SIZE_UNKNOWN && (i->b < 0 || sym[i->b] != SIZE_UNKNOWN) &&
           (i->op != SHAPE_SELECT || sym[i->c] != SIZE_UNKNOWN);
}

bool shape_check_yields(const ShapeCheck *c) { return c->kind != TH_ValueError && !c->cause; }

/*
 * A check has failed at `at`. Of two that fail in one call rewriting may have put either first, so lengths that do not
 * fit come before what an index says wrong, wherever they stand (not before a negative number of turns or a dimension
 * that is not there, which other lengths follow from). Elements are not read any more: what failed may be that there
 * are as many. What stands behind the check that is told stays unknown.
 */
static const ShapeIns *told(const Plan *p, const ShapeIns *at, const ShapeIns *end, int64_t *sym, ShapeEnv *env) {
    const ShapeIns *found = at, *i = at;
    int64_t values[2];
    while (shape_check_yields(&p->check[found->k]) && ++i < end) {
        if (i->op >= SHAPE_CHECK_EQ) {
            if (p->check[i->k].kind != TH_ValueError || !operands_known(i, sym) || !misfit(i, sym, values)) continue;
            found = i, env->fail[0] = values[0], env->fail[1] = values[1];
        } else if (i->op == SHAPE_VALUE || !operands_known(i, sym) || !compute(i, sym, env)) sym[i->dst] = SIZE_UNKNOWN;
    }
    if (found == at)
        for (i = at + 1; i < end; i++)
            if (i->op < SHAPE_CHECK_EQ) sym[i->dst] = SIZE_UNKNOWN;
    return found;
}

int shape_run(const Plan *p, int first, int n, int64_t *sym, ShapeEnv *env) {
    for (const ShapeIns *i = p->shape + first, *end = i + n; i < end; i++) {
        if (i->op >= SHAPE_CHECK_EQ) {
            if (!misfit(i, sym, env->fail)) continue;
            i = told(p, i, end, sym, env);
            env->at = (int)(i - p->shape);
            return 1 + (int)i->k;
        }
        if (compute(i, sym, env)) continue;
        env->at = (int)(i - p->shape);
        env->fail[0] = sym[i->a];
        env->fail[1] = i->b >= 0 ? sym[i->b] : 0;
        return 1;
    }
    return 0;
}
