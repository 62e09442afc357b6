/*
 * sizes.c -- size arithmetic of the planner. In: lengths asked for by shape rules and lowering. Out: value-numbered
 * slots (equal computations share one), unions of lengths that must be equal, and a check for every union. Always
 * holds: operands of a slot stand before it, except constants that folding found later; a representative is a constant,
 * or else the slot that is known first while the plan runs (no computed value, then the lowest home, then the first
 * made): whoever could read a slot of the class can read it.
 */
#include "parts.h"

bool sizes_init(Sizes *s, ThContext *c, Arena *a) {
    *s = (Sizes){.ctx = c, .arena = a, .node = -1};
    ShapeCheck overflow = {.node = -1, .kind = TH_ValueError, .text = "A size does not fit in 64 bits"};
    return vec_push(c, &s->check, overflow);
}

void sizes_free(Sizes *s) {
    vec_free(s->ctx, &s->ins);
    vec_free(s->ctx, &s->check);
    map_free(s->ctx, &s->cons);
}

static uint64_t hash_ins(uint8_t op, int a, int b, int c, int64_t k) {
    uint64_t h = hash_mix(op + 1u, (uint64_t)(int64_t)a);
    h = hash_mix(h, (uint64_t)(int64_t)b);
    h = hash_mix(h, (uint64_t)(int64_t)c);
    return hash_mix(h, (uint64_t)k);
}

/* Where it can be computed first: a value where it is asked for, the rest with the last operand. */
static int home(const Sizes *s, uint8_t op, int a, int b) {
    if (op == SHAPE_VALUE) return s->node;
    if (op < SHAPE_ADD) return -1;
    int x = s->ins.at[a].home, y = b >= 0 ? s->ins.at[b].home : -1;
    return x > y ? x : y;
}

static int push(Sizes *s, uint8_t op, int a, int b, int c, int64_t k, bool dyn) {
    SizeIns i = {.op = op, .dyn = dyn, .a = a, .b = b, .c = c, .k = k, .node = s->node, .up = s->ins.n, .number = -1};
    i.home = dyn ? home(s, op, a, b) : -1;
    return vec_push(s->ctx, &s->ins, i) ? s->ins.n - 1 : -1;
}

/* The slot of an equal computation, or -1 with *h the free key. */
static int lookup(Sizes *s, uint8_t op, int a, int b, int c, int64_t k, uint64_t *h) {
    *h = hash_ins(op, a, b, c, k);
    for (uint32_t at; map_get(&s->cons, *h, &at); *h = hash_mix(*h, 1)) {
        const SizeIns *i = &s->ins.at[at];
        if (i->op == op && i->a == a && i->b == b && i->c == c && i->k == k) return (int)at;
    }
    return -1;
}

int sizes_computed(Sizes *s, int var, int64_t elem) {
    uint64_t h;
    return lookup(s, SHAPE_VALUE, -1, -1, var, elem, &h);
}

static int find(Sizes *s, int x) {
    while (s->ins.at[x].up != x) {
        s->ins.at[x].up = s->ins.at[s->ins.at[x].up].up;
        x = s->ins.at[x].up;
    }
    return x;
}

static void unite(Sizes *s, int a, int b) {
    a = find(s, a), b = find(s, b);
    if (a == b) return;
    const SizeIns *x = &s->ins.at[a], *y = &s->ins.at[b];
    if (x->op == SHAPE_CONST && y->op == SHAPE_CONST) return; /* a check fails */
    bool first = x->op == SHAPE_CONST   ? true
                 : y->op == SHAPE_CONST ? false
                 : x->dyn != y->dyn     ? !x->dyn
                 : x->home != y->home   ? x->home < y->home
                                        : a < b;
    s->ins.at[first ? b : a].up = first ? a : b;
}

/* A value that only a later node has asked for so far is read here, too, and stands for both. */
int sizes_slot(Sizes *s, uint8_t op, int a, int b, int c, int64_t k, bool dyn) {
    uint64_t h;
    int at = lookup(s, op, a, b, c, k, &h);
    bool early = at >= 0 && op == SHAPE_VALUE && s->ins.at[at].home > s->node;
    if (at >= 0 && !early) return at;
    int now = push(s, op, a, b, c, k, dyn);
    if (now < 0 || !map_put(s->ctx, &s->cons, h, (uint32_t)now)) return -1;
    if (early) unite(s, now, at);
    return now;
}

Size sizes_find(Sizes *s, Size x) {
    if (x.sym < 0 || x.k == 0) return (Size){x.k, x.sym < -1 ? x.sym : -1};
    int r = find(s, x.sym);
    const SizeIns *i = &s->ins.at[r];
    int64_t k;
    if (i->op == SHAPE_CONST && !__builtin_mul_overflow(x.k, i->k, &k)) return size_const(k);
    return (Size){x.k, r};
}

bool sizes_dyn(const Sizes *s, Size a) { return a.sym >= 0 && s->ins.at[a.sym].dyn; }

bool sizes_same(Sizes *s, Size a, Size b) { return size_eq(sizes_find(s, a), sizes_find(s, b)); }

int sizes_push(Sizes *s, SizeIns i) {
    i.up = s->ins.n;
    i.number = -1;
    return vec_push(s->ctx, &s->ins, i) ? s->ins.n - 1 : -1;
}

int sizes_materialize(Sizes *s, Size x) {
    if (x.sym < 0) return sizes_slot(s, SHAPE_CONST, -1, -1, -1, x.k, false);
    if (x.k == 1) return x.sym;
    int k = sizes_slot(s, SHAPE_CONST, -1, -1, -1, x.k, false);
    return k < 0 ? -1 : sizes_slot(s, SHAPE_MUL, k, x.sym, -1, 0, s->ins.at[x.sym].dyn);
}

static int64_t floor_div(int64_t a, int64_t b) {
    if (b == 0 || (b == -1 && a == INT64_MIN)) return 0;
    int64_t q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static Size overflow(Sizes *s, char op, int64_t a, int64_t b) {
    err(s->ctx, TH_ValueError, "%s: %lld %c %lld", s->check.at[0].text, (long long)a, op, (long long)b);
    return SIZE_BAD;
}

/* Constants folded; false when it overflows. */
static bool fold(char op, int64_t a, int64_t b, int64_t *r) {
    switch (op) {
    case '+': return !__builtin_add_overflow(a, b, r);
    case '-': return !__builtin_sub_overflow(a, b, r);
    case '*': return !__builtin_mul_overflow(a, b, r);
    case '/': *r = floor_div(a, b); return true;
    case 'c': *r = a == INT64_MIN ? 0 : -floor_div(-a, b); return true;
    case 'm': *r = a < b ? a : b; return true;
    case 'M': *r = a > b ? a : b; return true;
    default: *r = a < b; return true;
    }
}

static uint8_t shape_op(char op) {
    switch (op) {
    case '+': return SHAPE_ADD;
    case '-': return SHAPE_SUB;
    case '*': return SHAPE_MUL;
    case '/': return SHAPE_FLOORDIV;
    case 'c': return SHAPE_CEILDIV;
    case 'm': return SHAPE_MIN;
    case 'M': return SHAPE_MAX;
    default: return SHAPE_LT;
    }
}

/* Lengths, and products and sums of what is not negative, are not negative. Looks a few levels deep. */
static bool nonneg(const Sizes *s, Size x, int levels) {
    if (x.k < 0) return false;
    if (x.sym < 0) return true;
    const SizeIns *i = &s->ins.at[x.sym];
    if (i->op == SHAPE_DIM) return true;
    if (i->op == SHAPE_CONST) return i->k >= 0;
    if (levels == 0 || i->op < SHAPE_ADD) return false;
    bool a = nonneg(s, (Size){1, i->a}, levels - 1);
    if (i->op == SHAPE_MAX && a) return true;
    if (i->op != SHAPE_ADD && i->op != SHAPE_MUL && i->op != SHAPE_MAX && i->op != SHAPE_MIN) return false;
    bool b = nonneg(s, (Size){1, i->b}, levels - 1);
    return i->op == SHAPE_MAX ? b : a && b;
}

/* Identities that keep sizes comparable; true when *r is the answer. */
static bool simplify(Sizes *s, char op, Size a, Size b, Size *r) {
    if (op == '*') {
        if (size_is(a, 0) || size_is(b, 0)) return *r = size_const(0), true;
        if (size_is(a, 1)) return *r = b, true;
        if (size_is(b, 1)) return *r = a, true;
        if (a.sym < 0 || b.sym < 0)
            return *r = (Size){a.k, a.sym < 0 ? b.sym : a.sym}, !__builtin_mul_overflow(a.k, b.k, &r->k);
        return false;
    }
    if (op == '+' && size_is(a, 0)) return *r = b, true;
    if ((op == '+' || op == '-') && size_is(b, 0)) return *r = a, true;
    if ((op == '+' || op == '-') && a.sym >= 0 && a.sym == b.sym) {
        if (!fold(op, a.k, b.k, &r->k)) return false;
        r->sym = r->k == 0 ? -1 : a.sym;
        return true;
    }
    if ((op == '/' || op == 'c') && size_is(b, 1)) return *r = a, true;
    if ((op == '/' || op == 'c') && b.sym < 0 && b.k > 0 && a.k % b.k == 0) return *r = (Size){a.k / b.k, a.sym}, true;
    if ((op == 'm' || op == 'M') && size_eq(a, b)) return *r = a, true;
    if (op == 'M' && size_is(b, 0) && nonneg(s, a, 4)) return *r = a, true;
    if (op == 'M' && size_is(a, 0) && nonneg(s, b, 4)) return *r = b, true;
    if (op == 'm' && size_is(b, 0) && nonneg(s, a, 4)) return *r = b, true;
    if (op == 'm' && size_is(a, 0) && nonneg(s, b, 4)) return *r = a, true;
    return false;
}

/* k1 * x * k2 * y as (k1 k2) * slot(x * y): products commute, so equal sizes meet in one slot. */
static Size product(Sizes *s, Size a, Size b) {
    int64_t k;
    int x = a.sym < b.sym ? a.sym : b.sym, y = a.sym < b.sym ? b.sym : a.sym;
    if (__builtin_mul_overflow(a.k, b.k, &k)) return overflow(s, '*', a.k, b.k);
    int at = sizes_slot(s, SHAPE_MUL, x, y, -1, 0, s->ins.at[x].dyn || s->ins.at[y].dyn);
    return at < 0 ? SIZE_BAD : (Size){k, find(s, at)};
}

Size sizes_op(Sizes *s, char op, Size a, Size b) {
    Size r;
    if (size_bad(a) || size_bad(b)) return SIZE_BAD;
    a = sizes_find(s, a), b = sizes_find(s, b);
    if (a.sym < 0 && b.sym < 0) {
        if (fold(op, a.k, b.k, &r.k)) return size_const(r.k);
        return overflow(s, op, a.k, b.k);
    }
    if (simplify(s, op, a, b, &r)) return r;
    if (op == '*' && a.sym >= 0 && b.sym >= 0) return product(s, a, b);
    int x = sizes_materialize(s, a), y = sizes_materialize(s, b);
    if (x < 0 || y < 0) return SIZE_BAD;
    if ((op == '+' || op == 'm' || op == 'M') && y < x) {
        int t = x;
        x = y, y = t;
    }
    int at = sizes_slot(s, shape_op(op), x, y, -1, 0, s->ins.at[x].dyn || s->ins.at[y].dyn);
    return at < 0 ? SIZE_BAD : sizes_find(s, (Size){1, at});
}

static ShapeCheck parse_check(Sizes *s, const char *why, ThError kind) {
    ShapeCheck c = {.node = s->node, .kind = kind};
    c.text = intern(s->ctx, text_check_kind(why, &c.kind, &c.cause));
    return c;
}

/* a and b, in canonical form, must be equal: what follows for their slots, a check of it being there. */
static bool equate(Sizes *s, Size a, Size b) {
    if (a.sym >= 0 && b.sym >= 0) {
        if (a.k == b.k) unite(s, a.sym, b.sym);
        return true;
    }
    if (a.sym < 0 && b.sym < 0) return true;
    int64_t n = a.sym < 0 ? a.k : b.k, each = a.sym < 0 ? b.k : a.k;
    if (each <= 0 || n % each != 0) return true; /* 2 n == 9: the check is enough */
    int c = sizes_slot(s, SHAPE_CONST, -1, -1, -1, n / each, false);
    if (c >= 0) unite(s, a.sym < 0 ? b.sym : a.sym, c);
    return c >= 0;
}

bool sizes_equal(Sizes *s, Size a, Size b, const char *why) {
    if (size_bad(a) || size_bad(b)) return false;
    a = sizes_find(s, a), b = sizes_find(s, b);
    if (size_eq(a, b)) return true;
    int x = sizes_materialize(s, a), y = sizes_materialize(s, b);
    ShapeCheck c = parse_check(s, why, TH_ValueError);
    if (x < 0 || y < 0 || !c.text || !vec_push(s->ctx, &s->check, c)) return false;
    if (push(s, SHAPE_CHECK_EQ, x, y, -1, s->check.n - 1, s->ins.at[x].dyn || s->ins.at[y].dyn) < 0) return false;
    return equate(s, a, b);
}

bool sizes_nonneg(const Sizes *s, Size x) { return nonneg(s, x, 4); }

bool sizes_check_ge0(Sizes *s, Size a, ThError kind, const char *text) {
    if (size_bad(a)) return false;
    a = sizes_find(s, a);
    if (a.sym < 0 && a.k >= 0) return true;
    if (nonneg(s, a, 4)) return true;
    int x = sizes_materialize(s, a);
    ShapeCheck c = parse_check(s, text, kind);
    return x >= 0 && c.text && vec_push(s->ctx, &s->check, c) &&
           push(s, SHAPE_CHECK_GE0, x, -1, -1, s->check.n - 1, s->ins.at[x].dyn) >= 0;
}

/* Canonical operands of slot i (constants fold): the Size it equals now, or SIZE_BAD when it is itself. */
static Size recompute(Sizes *s, int i) {
    static const char ops[] = {[SHAPE_ADD] = '+',     [SHAPE_SUB] = '-', [SHAPE_MUL] = '*', [SHAPE_FLOORDIV] = '/',
                               [SHAPE_CEILDIV] = 'c', [SHAPE_MIN] = 'm', [SHAPE_MAX] = 'M', [SHAPE_LT] = '<'};
    const SizeIns at = s->ins.at[i];
    if (at.op < SHAPE_ADD || at.op > SHAPE_LT) return SIZE_BAD;
    return sizes_op(s, ops[at.op], (Size){1, at.a}, (Size){1, at.b});
}

/* Slot i equals its canonical operands' slot now. */
static bool renumber(Sizes *s, int i) {
    int node = s->node;
    s->node = s->ins.at[i].node;
    Size r = recompute(s, i);
    s->node = node;
    if (failed(s->ctx)) return false;
    if (size_bad(r) || (r.sym >= 0 && r.k != 1)) return true;
    int to = r.sym >= 0 ? r.sym : sizes_materialize(s, r);
    if (to >= 0) unite(s, i, to);
    return to >= 0;
}

/* x in canonical form, as a number times a slot where it is a slot of that. */
static Size scaled(Sizes *s, Size x) {
    x = sizes_find(s, x);
    Size r = x.sym >= 0 && x.k == 1 && s->ins.at[x.sym].op == SHAPE_MUL ? recompute(s, x.sym) : x;
    return size_bad(r) ? x : r;
}

/* A check of what has become 8 n == 40, or n == 5, tells n. */
static bool told_by_check(Sizes *s, int i, bool *more) {
    Size a = scaled(s, (Size){1, s->ins.at[i].a}), b = scaled(s, (Size){1, s->ins.at[i].b});
    if (!equate(s, a, b)) return false;
    *more |= (a.sym >= 0 && find(s, a.sym) != a.sym) || (b.sym >= 0 && find(s, b.sym) != b.sym);
    return true;
}

/*
 * Unions make computations equal that were not when they were numbered (m*p and n*p once m == n). Walks the slots in
 * order, operands first, and unites each with the slot its canonical operands give; once more when checks told more.
 */
bool sizes_renumber(Sizes *s) {
    enum { TURNS = 2 };
    int n = s->ins.n;
    bool moved = false;
    for (int i = 0; i < n && !moved; i++) moved = s->ins.at[i].up != i;
    for (int turn = 0; turn < TURNS && moved; turn++) {
        moved = false;
        for (int i = 0; i < n; i++)
            if (s->ins.at[i].op == SHAPE_CHECK_EQ ? !told_by_check(s, i, &moved) : !renumber(s, i)) return false;
    }
    return true;
}
