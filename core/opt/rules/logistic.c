/*
 * logistic.c -- sigmoids out of products and quotients of exp(x), 1 + exp(x) and sigmoids, whatever weights, views and
 * signs stand beside them. With e = exp(x) every such factor is e ^ a / (1 + e) ^ b for integers a and b, which add up;
 * 0 <= a <= b is sigmoid(x) ^ a * sigmoid(-x) ^ (b - a): finite at any x. In: a product or quotient. Out: the same
 * without what overflows. Measure: exponentials in a product. A sum among the factors takes the family in where that
 * is finite: exp(x) * (sigmoid(-x) - ..) is sigmoid(x) * (1 - ..), inf * 0 otherwise.
 */
#include "product.h"
#include "rules.h"

enum { FAMILIES = 4, TERMS = 8 };

/* u = scale * core, with scale > 0 and `minus` telling its sign; turned: core was made here, nobody has it. */
typedef struct Linear {
    ThVar *core;
    double scale;
    bool minus, turned;
} Linear;

typedef struct Family {
    Linear x;         /* without its sign */
    ThVar *side[2];   /* x and -x, where they are written somewhere */
    int a, b;         /* e ^ a / (1 + e) ^ b */
    int exps;         /* exponentials written out */
    bool raw, unsafe; /* raw: 1 + exp(x) stands there; unsafe: a sigmoid that may be 0 in the denominator */
} Family;

typedef struct Families {
    Family at[FAMILIES];
    int n, of[FACTORS]; /* of factor i; -1: none */
} Families;

static ThVar *minus_of(Opt *o, ThVar *u) { return call1(o, S_neg, u); }

/* ---- what a factor is ---- */
/* The numbers and signs of a product come off; what stays is one product, whatever its parts and views were. */
static bool strip_numbers(Opt *o, Linear *l) {
    Product p;
    double k;
    if (!product_open(o, l->core, &p)) return false;
    l->minus = p.negative;
    p.negative = false;
    for (int i = 0; i < p.n; i++) {
        Factor *f = &p.at[i];
        if (!ask_value(f->v, &k) || !ask_all_bcast(f->v->type) || k == 0 || (f->power != 1 && f->power != -1)) continue;
        l->minus ^= k < 0;
        k = k < 0 ? -k : k;
        l->scale = f->power > 0 ? l->scale * k : l->scale / k;
        f->used = true;
    }
    l->core = product_close(o, &p);
    return l->core != NULL;
}

/* u as number times core; a difference the way round in which its operands were made. */
static Linear linear(Opt *o, ThVar *u) {
    Linear l = {.core = u, .scale = 1};
    Factor f;
    ThApply *a;
    if (!strip_numbers(o, &l) || !type_eq(l.core->type, u->type)) return (Linear){.core = u, .scale = 1};
    if (!(a = product_behind(l.core, S_sub, &f)) || a->in[0]->id <= a->in[1]->id) return l;
    ThVar *x = product_view(o, &f, a->in[1]), *y = product_view(o, &f, a->in[0]), *turned = call2(o, S_sub, x, y);
    if (!turned || !type_eq(turned->type, u->type)) return l;
    l.core = turned;
    l.turned = true;
    l.minus = !l.minus;
    return l;
}

static bool is_one(const ThVar *v) {
    double k;
    return ask_value(v, &k) && k == 1 && ask_all_bcast(v->type);
}

typedef enum { NONE, EXP, PLUS, SIGMOID, MINUS } Kind; /* exp(u), 1 + exp(u), sigmoid(u), 1 - sigmoid(u) */

/* exp(u) or -sigmoid(u) behind views, or NONE; with its u. */
static Kind beside_one(Opt *o, ThVar *v, ThVar **u) {
    Factor f, g;
    ThApply *e = product_behind(v, S_exp, &f), *s;
    if (e) return (*u = product_view(o, &f, e->in[0])) ? PLUS : NONE;
    ThVar *x = product_minus(v, &f);
    if (!x || !(s = product_behind(x, S_sigmoid, &g)) || !(*u = product_view(o, &g, s->in[0]))) return NONE;
    return (*u = product_view(o, &f, *u)) ? MINUS : NONE;
}

/* The kind of a factor and its u, below the factor's views. */
static Kind kind_of(Opt *o, const Product *p, const Factor *f, ThVar **u) {
    ThApply *a;
    Factor g;
    *u = NULL;
    if ((a = product_is(p, f, S_exp))) return *u = a->in[0], EXP;
    if ((a = product_is(p, f, S_sigmoid))) return *u = a->in[0], SIGMOID;
    if ((a = product_is(p, f, S_add)) && a->nin == 2) {
        if (is_one(a->in[0])) return beside_one(o, a->in[1], u);
        return is_one(a->in[1]) ? beside_one(o, a->in[0], u) : NONE;
    }
    if (!(a = product_is(p, f, S_sub)) || !is_one(a->in[0]) || !(a = product_behind(a->in[1], S_sigmoid, &g)))
        return NONE;
    return (*u = product_view(o, &g, a->in[0])) ? MINUS : NONE;
}

/* The same numbers: whatever length a Reshape to a vector is given, it is that of all elements, or it raises. */
static bool same_numbers(const ThVar *a, const ThVar *b) {
    bool flat = ask_op(a, &op_reshape) && ask_op(b, &op_reshape) && a->type.ndim == 1 && b->type.ndim == 1;
    return a == b || (flat && a->owner->in[0] == b->owner->in[0]);
}

static int find_family(const Families *q, const Linear *x) {
    for (int i = 0; i < q->n; i++)
        if (same_numbers(q->at[i].x.core, x->core) && q->at[i].x.scale == x->scale) return i;
    return -1;
}

/* The family of u, made where there is none; -1: too many, or memory is out. */
static int family_of(Opt *o, Families *q, ThVar *u, bool *minus) {
    Linear l = linear(o, u);
    *minus = l.minus;
    int at = find_family(q, &l);
    if (at >= 0 && !q->at[at].side[l.minus]) q->at[at].side[l.minus] = u;
    if (at >= 0) return at;
    if (q->n == FAMILIES) return -1;
    q->at[q->n] = (Family){.x = l};
    q->at[q->n].side[l.minus] = u;
    return q->n++;
}

static void add_kind(Family *f, Kind kind, bool minus, int k) {
    bool other = minus != (kind == MINUS);
    if (kind == EXP) f->a += minus ? -k : k, f->exps += k < 0 ? -k : k;
    else if (kind == PLUS) f->a -= minus ? k : 0, f->b -= k, f->raw = true;
    else f->a += other ? 0 : k, f->b += k, f->unsafe |= k < 0;
}

/* Which factors belong together; false: memory is out. */
static bool sort_families(Opt *o, const Product *p, Families *q) {
    q->n = 0;
    for (int i = 0; i < p->n; i++) {
        const Factor *f = &p->at[i];
        ThVar *u;
        Kind kind = kind_of(o, p, f, &u);
        bool minus, whole;
        q->of[i] = -1;
        if (kind == NONE) continue;
        whole = u->type.broadcastable == f->v->type.broadcastable;
        if (!whole || !(u = product_view(o, f, cast_make(&o->b, u, p->dtype)))) continue; /* -u may wrap */
        if ((q->of[i] = family_of(o, q, u, &minus)) >= 0) add_kind(&q->at[q->of[i]], kind, minus, f->power);
    }
    return !failed(o->c);
}

/* ---- what becomes of it ---- */
static bool bounded(int a, int b) { return 0 <= a && a <= b; }

/* Exponentials that stay. */
static int exps_left(int a, int b) { return a < 0 ? -a : a > b ? a - b : 0; }

static bool improves(const Family *f) {
    if (f->b < 0) return false;
    return f->raw || exps_left(f->a, f->b) < f->exps || (f->unsafe && bounded(f->a, f->b));
}

static ThVar *side(Opt *o, Family *f, int minus) {
    if (!f->side[minus] && !minus && f->x.scale == 1 && !f->x.turned) f->side[0] = f->x.core;
    if (!f->side[minus]) f->side[minus] = minus_of(o, f->side[!minus]);
    return f->side[minus];
}

static bool push_call(Opt *o, Product *p, int scalar, Family *f, int minus, int power) {
    return power <= 0 || product_push(p, call1(o, scalar, side(o, f, minus)), power);
}

/* Multiplies by e ^ a / (1 + e) ^ b, b >= 0, in sigmoids; by ones where both are 0, which keep the shape. */
static bool push_family(Opt *o, Product *p, Family *f, int a, int b) {
    int low = a < 0 ? 0 : a < b ? a : b;
    if (!a && !b)
        return product_push(p, second_make(&o->b, side(o, f, 0), opt_const(o, 1, type_tensor(p->dtype, 0, 0))), 1);
    return push_call(o, p, S_exp, f, 1, -a) && push_call(o, p, S_exp, f, 0, a - b) &&
           push_call(o, p, S_sigmoid, f, 1, b - low) && push_call(o, p, S_sigmoid, f, 0, low);
}

static void mark(Product *p, const Families *q, int family) {
    for (int i = 0; i < p->n; i++) p->at[i].used |= q->of[i] == family;
}

/* ---- sums among the factors ---- */
/* A value as rest * sigmoid(x) ^ plus * sigmoid(-x) ^ minus, for one x. */
typedef struct Split {
    ThVar *rest; /* without its sign */
    int plus, minus;
    bool negative, any; /* any: the family stands in it */
} Split;

enum { SPLITS = 96, DEEP = 8 };
typedef struct Splitter {
    Opt *o;
    Family x;
    ThDtype dtype;
    int count;  /* of products opened so far: SPLITS at most */
    int met;    /* factors of the root that the family stands in */
    bool loose; /* some power below the root is negative */
} Splitter;

static bool split_product(Splitter *q, Product *p, Split *s, int depth);

/* The powers that all terms share come out of a sum, so none that stays in it is negative. */
static bool join_terms(Splitter *q, const Split *term, int n, Split *s) {
    ThVar *in[2][TERMS], *side[2] = {NULL, NULL};
    int count[2] = {0, 0};
    for (int i = 0; i < n; i++) {
        Product t;
        q->loose |= term[i].plus < 0 || term[i].minus < 0;
        if (!product_open(q->o, term[i].rest, &t) ||
            !push_call(q->o, &t, S_sigmoid, &q->x, 1, term[i].minus - s->minus) ||
            !push_call(q->o, &t, S_sigmoid, &q->x, 0, term[i].plus - s->plus))
            return false;
        int minus = t.negative ^ term[i].negative;
        t.negative = false;
        product_fold(&t);
        if (!(in[minus][count[minus]++] = product_close(q->o, &t))) return false;
    }
    for (int k = 0; k < 2; k++)
        if (count[k] && !(side[k] = opt_call(q->o, S_add, in[k], count[k], q->dtype))) return false;
    s->negative = !side[0];
    s->rest = side[0] && side[1] ? call2(q->o, S_sub, side[0], side[1]) : side[0] ? side[0] : side[1];
    return s->rest != NULL;
}

/* A factor that is a sum; s->any stays false where the family is not in it. */
static bool split_sum(Splitter *q, const Product *p, const Factor *f, Split *s, int depth) {
    ThApply *a = product_is(p, f, S_add);
    bool sub = !a && (a = product_is(p, f, S_sub));
    Split term[TERMS];
    if (!a || a->nin > TERMS || depth == DEEP) return true;
    for (int k = 0; k < a->nin; k++)
        if (!product_view(q->o, f, a->in[k])) return !failed(q->o->c); /* a view cannot pass */
    for (int i = 0; i < a->nin; i++) {
        Product t;
        ThVar *v = product_view(q->o, f, a->in[i]);
        if (!v || v->type.dtype != q->dtype || !product_open(q->o, v, &t)) return false;
        t.negative ^= sub && i == 1;
        term[i] = (Split){.any = false};
        if (!split_product(q, &t, &term[i], depth + 1)) return false;
        s->any |= term[i].any;
        if (!i || term[i].plus < s->plus) s->plus = term[i].plus;
        if (!i || term[i].minus < s->minus) s->minus = term[i].minus;
    }
    return !s->any || join_terms(q, term, a->nin, s);
}

/* p is used up. Recursion is DEEP levels at most. */
static bool split_product(Splitter *q, Product *p, Split *s, int depth) {
    Families fam;
    Split sum[FACTORS];
    int power[FACTORS], n = 0;
    if (++q->count > SPLITS || !sort_families(q->o, p, &fam)) return false;
    int at = find_family(&fam, &q->x.x);
    if (at >= 0) {
        mark(p, &fam, at);
        s->any = true;
        s->plus = fam.at[at].a;
        s->minus = fam.at[at].b - fam.at[at].a;
        if (!depth) q->met++;
    }
    for (int i = 0; i < p->n; i++) {
        Factor *f = &p->at[i];
        sum[n] = (Split){.any = false};
        if (fam.of[i] >= 0) continue;
        if (!split_sum(q, p, f, &sum[n], depth)) return false;
        if (!sum[n].any) continue;
        if (!depth) q->met++;
        s->any = f->used = true;
        p->negative ^= sum[n].negative && f->power % 2;
        s->plus += f->power * sum[n].plus;
        s->minus += f->power * sum[n].minus;
        power[n++] = f->power;
    }
    product_fold(p);
    while (n--)
        if (!product_push(p, sum[n].rest, power[n])) return false;
    s->negative = p->negative;
    p->negative = false;
    return (s->rest = product_close(q->o, p)) != NULL;
}

/* The root in sigmoids of x where that makes infinities and zeros vanish that meet in it now. */
static ThVar *split_root(Opt *o, const Product *p, const Family *x) {
    Splitter q = {.o = o, .x = *x, .dtype = p->dtype};
    Product all = *p, r = {.dtype = p->dtype};
    Split s = {.any = false};
    if (!split_product(&q, &all, &s, 0) || q.met < 2 || s.plus < 0 || s.minus < 0) return NULL;
    if (!q.loose && bounded(x->a, x->b)) return NULL;
    r.negative = s.negative;
    bool ok = product_push(&r, s.rest, 1) && push_call(o, &r, S_sigmoid, &q.x, 1, s.minus) &&
              push_call(o, &r, S_sigmoid, &q.x, 0, s.plus);
    return ok ? product_close(o, &r) : NULL;
}

/* Families in the terms of sums, for a product in which none stands itself. */
static bool families_in_sums(Opt *o, const Product *p, Families *q) {
    for (int i = 0; i < p->n; i++) {
        ThApply *a = product_is(p, &p->at[i], S_add);
        if (!a) a = product_is(p, &p->at[i], S_sub);
        for (int k = 0; a && k < a->nin && k < TERMS; k++) {
            Product t;
            Families fam;
            ThVar *v = product_view(o, &p->at[i], a->in[k]);
            if (!v || v->type.dtype != p->dtype || !product_open(o, v, &t)) continue;
            if (!sort_families(o, &t, &fam)) return false;
            for (int f = 0; f < fam.n && q->n < FAMILIES; f++) {
                if (find_family(q, &fam.at[f].x) >= 0) continue;
                q->at[q->n] = fam.at[f];
                q->at[q->n].a = q->at[q->n].b = 0;
                q->n++;
            }
        }
    }
    return true;
}

static ThVar *through_sums(Opt *o, const Product *p, Families *q) {
    ThVar *r = NULL;
    if (!q->n && !families_in_sums(o, p, q)) return NULL;
    for (int k = 0; k < q->n && !r && !failed(o->c); k++) r = split_root(o, p, &q->at[k]);
    return r;
}

ThVar *rw_logistic(Opt *o, ThApply *a) {
    Product p;
    Families q;
    bool any = false, better[FAMILIES];
    if (!dtype_is_float((ThDtype)a->out[0]->type.dtype) || !product_open(o, a->out[0], &p) || !sort_families(o, &p, &q))
        return NULL;
    for (int k = 0; k < q.n; k++) any |= better[k] = improves(&q.at[k]);
    if (!any) return through_sums(o, &p, &q);
    for (int k = 0; k < q.n; k++)
        if (better[k]) mark(&p, &q, k);
    product_fold(&p);
    for (int k = q.n - 1; k >= 0; k--)
        if (better[k] && !push_family(o, &p, &q.at[k], q.at[k].a, q.at[k].b)) return NULL;
    return product_close(o, &p);
}
