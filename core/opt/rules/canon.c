/*
 * canon.c -- sums and products in one flat form: local_add_canonizer, local_mul_canonizer.
 * In: a maximal root of a tree of add, sub, neg (or mul, true_div, inv). Out: the root rebuilt from two lists (plus and
 * minus; numerator and denominator) when terms cancel or constants fold: the folded constant first, then the terms in
 * the order in which they were first seen. Integers in a product of floats do not cancel. Measure: number of terms,
 * then of constants not in first place. Inner nodes with other users are terms themselves, but for products in which
 * expanding one cancels something.
 */
#include "rules.h"

typedef struct Family {
    int main, inverse, reciprocal;
    bool is_mul;
} Family;
static const Family sums = {S_add, S_sub, S_neg, false}, products = {S_mul, S_true_div, S_inv, true};

typedef struct Terms {
    VEC(ThVar *) side[2];
} Terms; /* 0: plus or numerator, 1: minus or denominator */
typedef struct Canon {
    Opt *o;
    const Family *f;
    ThApply *root;
    ThType type;
    Terms t;
    bool changed, flat; /* flat: every term is an input of the root */
} Canon;

static bool in_family(const Family *f, const ThApply *a) {
    int s = ask_which(a);
    return s >= 0 && (s == f->main || s == f->inverse || s == f->reciprocal);
}

/* Is input i of a on the other side? */
static int flips(const Family *f, const ThApply *a, int i) {
    int s = ask_which(a);
    return s == f->reciprocal || (s == f->inverse && i == 1);
}

static bool is_maximal(const Family *f, const ThApply *a) {
    const ThVar *v = a->out[0];
    if (v->nclients != 1 || !v->clients[0].node) return true;
    const ThApply *up = v->clients[0].node;
    return !in_family(f, up) || up->out[0]->type.dtype != v->type.dtype;
}

typedef struct Open {
    ThVar *v;
    int side;
} Open;

/* Terms of the tree under the root, left to right. */
static bool flatten(Canon *k) {
    ThContext *c = k->o->c;
    VEC(Open) stack = {0};
    bool ok = true;
    const ThApply *a = k->root;
    int side = 0;
    for (;;) {
        for (int i = a->nin - 1; ok && i >= 0; i--)
            ok = vec_push(c, &stack, ((Open){a->in[i], side ^ flips(k->f, a, i)}));
        a = NULL;
        while (ok && stack.n && !a) {
            Open top = vec_pop(&stack);
            if (top.v->owner && top.v->nclients == 1 && in_family(k->f, top.v->owner) &&
                top.v->type.dtype == k->type.dtype) {
                a = top.v->owner;
                k->o->b.prov = prov_join(c, a->prov, k->o->b.prov);
                side = top.side;
                k->flat = false;
            } else {
                ok = vec_push(c, &k->t.side[top.side], top.v);
            }
        }
        if (!a) break;
    }
    vec_free(c, &stack);
    return ok;
}

static bool count_terms(Canon *k, int side, Map *m) {
    for (int i = 0; i < k->t.side[side].n; i++) {
        uint32_t n = 0;
        map_get(m, KEY(k->t.side[side].at[i]), &n);
        if (!map_put(k->o->c, m, KEY(k->t.side[side].at[i]), n + 1)) return false;
    }
    return true;
}

/* Does a term on both sides leave nothing? Lengths are 0 where there is nothing, and the mean of nothing is NaN. */
static bool cancels(const Canon *k, const ThVar *v) { return !k->f->is_mul || !ask_count(v); }

/* Would one of the parts of `a`, standing on `side`, meet its opposite? */
static bool part_cancels(Canon *k, Map *m, const ThApply *a, int side) {
    for (int i = 0; i < a->nin; i++) {
        uint32_t n = 0;
        int at = side ^ flips(k->f, a, i);
        if (cancels(k, a->in[i]) && map_get(&m[!at], KEY(a->in[i]), &n) && n) return true;
    }
    return false;
}

/* Products only: a term with other users is opened where that cancels a factor (1/D beside 1/(D*D)). */
static bool open_shared(Canon *k) {
    ThContext *c = k->o->c;
    Map m[2] = {{0}, {0}};
    bool ok = count_terms(k, 0, &m[0]) && count_terms(k, 1, &m[1]);
    for (int side = 0; ok && side < 2; side++) {
        for (int i = 0; ok && i < k->t.side[side].n; i++) {
            ThApply *a = k->t.side[side].at[i]->owner;
            if (!a || a->nin > 8 || !in_family(k->f, a) || a->out[0]->type.dtype != k->type.dtype ||
                !part_cancels(k, m, a, side))
                continue;
            int first = -1;
            for (int p = 0; ok && p < a->nin; p++) {
                int at = side ^ flips(k->f, a, p);
                if (at == side && first < 0) k->t.side[side].at[first = i] = a->in[p];
                else ok = vec_push(c, &k->t.side[at], a->in[p]);
            }
            if (first < 0) k->t.side[side].at[i] = k->t.side[side].at[--k->t.side[side].n], i--;
        }
    }
    map_free(c, &m[0]);
    map_free(c, &m[1]);
    return ok;
}

/* Removes pairs that stand on both sides; what stays keeps its order. */
static bool cancel(Canon *k) {
    ThContext *c = k->o->c;
    Map gone = {0};
    bool ok = true;
    int kept = 0;
    for (int i = 0; ok && i < k->t.side[1].n; i++) {
        uint32_t n = 0;
        map_get(&gone, KEY(k->t.side[1].at[i]), &n);
        ok = map_put(c, &gone, KEY(k->t.side[1].at[i]), n + 1);
    }
    Map pairs = {0};
    for (int i = 0; ok && i < k->t.side[0].n; i++) { /* first of each pair on the plus side */
        ThVar *v = k->t.side[0].at[i];
        uint32_t have = 0, used = 0;
        map_get(&gone, KEY(v), &have);
        map_get(&pairs, KEY(v), &used);
        if (used < have && cancels(k, v)) ok = map_put(c, &pairs, KEY(v), used + 1);
        else k->t.side[0].at[kept++] = v;
    }
    if (kept < k->t.side[0].n) k->changed = true;
    k->t.side[0].n = kept;
    kept = 0;
    for (int i = 0; ok && i < k->t.side[1].n; i++) {
        ThVar *v = k->t.side[1].at[i];
        uint32_t used = 0;
        map_get(&pairs, KEY(v), &used);
        if (used) ok = map_put(c, &pairs, KEY(v), used - 1);
        else k->t.side[1].at[kept++] = v;
    }
    k->t.side[1].n = kept;
    map_free(c, &gone);
    map_free(c, &pairs);
    return ok;
}

/* x / |x| -> sgn(x): a numerator that stands under abs in the denominator. (At 0 it is 0 and no longer NaN.) */
static bool signs(Canon *k) {
    Map at = {0};
    bool ok = true;
    int kept = 0, any = 0;
    for (int i = 0; i < k->t.side[1].n; i++) any += ask_scalar(k->t.side[1].at[i], S_abs_) != NULL;
    if (!any) return true;
    for (int i = 0; ok && i < k->t.side[0].n; i++) ok = map_put(k->o->c, &at, KEY(k->t.side[0].at[i]), (uint32_t)i);
    for (int i = 0; ok && i < k->t.side[1].n; i++) {
        ThVar *v = k->t.side[1].at[i];
        ThApply *a = ask_scalar(v, S_abs_);
        uint32_t n;
        if (a && dtype_is_float(k->type.dtype) && map_get(&at, KEY(a->in[0]), &n)) {
            ThVar *s = call1(k->o, S_sgn, a->in[0]);
            map_del(&at, KEY(a->in[0]));
            ok = s != NULL;
            k->t.side[0].at[n] = s;
            k->changed = true;
        } else {
            k->t.side[1].at[kept++] = v;
        }
    }
    if (ok) k->t.side[1].n = kept;
    map_free(k->o->c, &at);
    return ok;
}

/* acc (op) x in the root's kind of number. */
static ThValue fold_one(const Canon *k, ThValue acc, ThValue x, int side) {
    if (dtype_is_float(k->type.dtype)) {
        if (k->f->is_mul) acc.f = side ? acc.f / x.f : acc.f * x.f;
        else acc.f = side ? acc.f - x.f : acc.f + x.f;
    } else {
        if (k->f->is_mul) acc.i *= x.i;
        else acc.i = side ? acc.i - x.i : acc.i + x.i;
    }
    return acc;
}

/* A constant term as a number of the root's kind; false when it is none. */
static bool term_value(const Canon *k, const ThVar *v, ThValue *x) {
    if (!ask_number(v, x)) return false;
    if (dtype_is_float(k->type.dtype) && !dtype_is_float(v->type.dtype))
        x->f = v->type.dtype == TH_UINT64 ? (double)(uint64_t)x->i : (double)x->i;
    return true;
}

static bool is_neutral(const Canon *k, ThValue x) {
    double one = k->f->is_mul ? 1 : 0;
    return dtype_is_float(k->type.dtype) ? x.f == one : x.i == (int64_t)one;
}

/* Takes constants out of both lists and folds them into one; says how many stood on each side. */
static ThValue fold_constants(Canon *k, int count[2], bool *first) {
    ThValue acc, x;
    if (dtype_is_float(k->type.dtype)) acc.f = k->f->is_mul ? 1 : 0;
    else acc.i = k->f->is_mul ? 1 : 0;
    *first = k->t.side[0].n && term_value(k, k->t.side[0].at[0], &x);
    for (int side = 0; side < 2; side++) {
        int kept = 0;
        count[side] = 0;
        for (int i = 0; i < k->t.side[side].n; i++) {
            if (!term_value(k, k->t.side[side].at[i], &x)) {
                k->t.side[side].at[kept++] = k->t.side[side].at[i];
                continue;
            }
            acc = fold_one(k, acc, x, side);
            count[side]++;
        }
        k->t.side[side].n = kept;
    }
    return acc;
}

/* Rebuilds the expression from the lists. */
static ThVar *rebuild(Canon *k, ThVar *ct) {
    Opt *o = k->o;
    const Family *f = k->f;
    VEC(ThVar *) plus = {0};
    bool ok = !ct || vec_push(o->c, &plus, ct);
    for (int i = 0; ok && i < k->t.side[0].n; i++) ok = vec_push(o->c, &plus, k->t.side[0].at[i]);
    ThVar *minus = k->t.side[1].n ? opt_call(o, f->main, k->t.side[1].at, k->t.side[1].n, k->type.dtype) : NULL,
          *r = NULL;
    if (ok && !plus.n && (!minus || f->is_mul)) ok = vec_push(o->c, &plus, opt_const(o, f->is_mul ? 1 : 0, k->type));
    if (ok && plus.n) r = opt_call(o, f->main, plus.at, plus.n, k->type.dtype);
    if (ok && minus) r = r ? call2(o, f->inverse, r, minus) : call1(o, f->reciprocal, minus);
    vec_free(o->c, &plus);
    return ok ? r : NULL;
}

/*
 * A flat sum whose one constant stands in the middle: it moves to the front inside the node. (A new node would be
 * merged with the old one, for which the order of operands does not count.)
 */
static void constant_first(Canon *k) {
    ThApply *a = k->root;
    ThValue x;
    int at = 0;
    if (ask_which(a) != k->f->main || a->nin != k->t.side[0].n + 1) return;
    while (at < a->nin && !term_value(k, a->in[at], &x)) at++;
    if (at == 0 || at == a->nin) return;
    k->o->fg->turn++;
    ThVar *v = a->in[at];
    int *slots = apply_slots(a), slot = slots[at];
    for (; at > 0; at--) {
        a->in[at] = a->in[at - 1];
        slots[at] = slots[at - 1];
        a->in[at]->clients[slots[at]].pos = at;
    }
    a->in[0] = v;
    slots[0] = slot;
    v->clients[slot].pos = 0;
}

static ThVar *simplify(Canon *k) {
    if (!flatten(k) || (k->f->is_mul && !open_shared(k)) || !cancel(k) || (k->f->is_mul && !signs(k))) return NULL;
    int count[2];
    bool first;
    ThValue x = fold_constants(k, count, &first);
    bool in_place = count[0] == 1 && !count[1] && first && !is_neutral(k, x);
    /* 1 / x keeps its one: there is nothing to put in its place */
    bool only_one = k->f->is_mul && count[0] == 1 && !count[1] && !k->t.side[0].n && k->t.side[1].n;
    if (count[0] == 1 && !count[1] && !k->t.side[1].n && !in_place && !k->changed && !is_neutral(k, x) && k->flat) {
        constant_first(k);
        return NULL;
    }
    if (count[0] + count[1] && !in_place && !only_one) k->changed = true;
    if (!k->changed) return NULL;
    return rebuild(k, is_neutral(k, x) ? NULL : opt_number(k->o, x, type_tensor(k->type.dtype, 0, 0)));
}

static ThVar *canonize(Opt *o, ThApply *a, const Family *f) {
    ThType t = a->out[0]->type;
    if (t.kind != TYPE_TENSOR || t.dtype == TH_BOOL || dtype_is_complex(t.dtype) || !is_maximal(f, a)) return NULL;
    Canon k = {.o = o, .f = f, .root = a, .type = t, .flat = true};
    ThVar *r = simplify(&k);
    vec_free(o->c, &k.t.side[0]);
    vec_free(o->c, &k.t.side[1]);
    return r;
}

ThVar *rw_add_canonizer(Opt *o, ThApply *a) { return canonize(o, a, &sums); }

ThVar *rw_mul_canonizer(Opt *o, ThApply *a) { return canonize(o, a, &products); }
